//! Validation of imported tetrahedra: re-orient, omit or reject.

use std::path::Path;

use craze_math::{Vec3, tetrahedron};
use craze_mesh::{MeshError, TetMesh, TetMeshError};
use rayon::prelude::*;

use super::cells::MISSING_NODE;
use super::cursor::ParseError;
use super::model::{Model, ModelVolume};
use crate::error::ShapeError;
use crate::number_format::counted;
use crate::number_format::short;
use crate::stuffing::DihedralRange;
use crate::surface::TriangleSurface;
use crate::tuning::{MAX_COORDINATE, MIN_RELATIVE_VOLUME, SLIVER_DIHEDRAL};

impl ModelVolume {
    /// The tetrahedra as a mesh. Fails only if rounding inverts an element of an extremely scaled
    /// model.
    pub fn mesh(&self) -> Result<TetMesh, ShapeError> {
        Ok(TetMesh::from_parts(self.nodes.clone(), self.tetrahedra.clone())?)
    }

    /// Total volume of the tetrahedra (m³).
    pub fn volume(&self) -> f64 {
        let of = |tetrahedron: &[u32; 4]| tetrahedron::volume(&tetrahedron.map(|node| self.nodes[node as usize]));
        self.tetrahedra.iter().map(of).sum()
    }
}

/// A model of valid tetrahedra, the nodes that they use, and their boundary, in file order.
///
/// Inverted tetrahedra are re-oriented. Left out, with a remark: tetrahedra without volume, with
/// missing or repeated nodes or coordinates that are not numbers within ±1e18, and duplicates.
/// Rejected: no tetrahedra left; a face of more than two tetrahedra; tetrahedra that overlap at a
/// face. Those marked in `outside` (may be empty) are dropped silently. Regions and errors keep the
/// numbers of the file.
pub(crate) fn volume_model(
    points: Vec<Vec3>,
    tetrahedra: &[[u32; 4]],
    outside: &[bool],
    regions: &[i64],
    remarks: Vec<String>,
    path: &Path,
) -> Result<Model, ShapeError> {
    let declared = tetrahedra.len();
    if u32::try_from(declared.max(points.len())).is_err() {
        let problem =
            format!("{} over {} are too many", counted(declared, "tetrahedron"), counted(points.len(), "node"));
        return Err(ParseError::in_part("cells", problem).in_file(path));
    }
    let mut usable = UsableTets { remarks, ..UsableTets::default() };
    usable.select(&points, tetrahedra, outside);
    usable.drop_duplicates();
    if usable.kept.is_empty() {
        let problem = format!("none of {declared} can be used: {}", usable.remarks.join("; "));
        return Err(ParseError::in_part("tetrahedra", problem).in_file(path));
    }
    let nodes = usable.compact_nodes(&points);
    let UsableTets { kept, numbers, mut remarks } = usable;
    let mesh = TetMesh::from_parts(nodes, kept).map_err(|error| with_file_numbers(error, &numbers, path))?;

    remarks.extend(sliver_remark(&mesh));
    let regions: Option<Vec<i32>> = match regions {
        [] => Some(Vec::new()),
        regions => numbers.iter().map(|&number| i32::try_from(regions[number as usize]).ok()).collect(),
    };
    if regions.is_none() {
        remarks.push("the numbers of the regions were left out: some do not fit into 32 bits".into());
    }
    Ok(Model {
        surface: boundary(&mesh),
        volume: Some(ModelVolume {
            nodes: mesh.positions().to_vec(),
            tetrahedra: mesh.elements().to_vec(),
            regions: regions.unwrap_or_default(),
        }),
        remarks,
        ..Model::default()
    })
}

fn sliver_remark(mesh: &TetMesh) -> Option<String> {
    let smallest =
        |corners: &[u32; 4]| DihedralRange::of(&corners.map(|corner| mesh.positions()[corner as usize])).smallest;
    let angles: Vec<f64> = mesh.elements().par_iter().with_min_len(1024).map(smallest).collect();
    let count = angles.iter().filter(|angle| **angle < SLIVER_DIHEDRAL).count();
    let least = angles.iter().fold(180.0, |least: f64, angle| least.min(*angle));
    let text = || {
        let which = if count == 1 { "is a sliver" } else { "are slivers" };
        let slivers = counted(count, "tetrahedron");
        format!("{slivers} {which}, with dihedral angles down to {}°: time steps will be short", short(least))
    };
    (count > 0).then(text)
}

/// The valid tetrahedra of a file.
#[derive(Default)]
struct UsableTets {
    kept: Vec<[u32; 4]>,
    /// Index of each in the file, from 0.
    numbers: Vec<u32>,
    remarks: Vec<String>,
}

impl UsableTets {
    fn remark(&mut self, count: usize, what: &str) {
        if count > 0 {
            self.remarks.push(format!("{} {what}", counted(count, "tetrahedron")));
        }
    }

    fn select(&mut self, points: &[Vec3], tetrahedra: &[[u32; 4]], outside: &[bool]) {
        // False for NaN.
        let is_usable: Vec<bool> =
            points.iter().map(|point| point.iter().all(|value| value.abs() <= MAX_COORDINATE)).collect();
        let (mut missing, mut unusable, mut repeated, mut flat, mut inverted) = (0, 0, 0, 0, 0);
        for (number, &nodes) in (0u32..).zip(tetrahedra) {
            let mut nodes = nodes;
            let [a, b, c, d] = nodes;
            if outside.get(number as usize) == Some(&true) {
                continue;
            }
            if nodes.contains(&MISSING_NODE) {
                missing += 1;
                continue;
            }
            if a == b || a == c || a == d || b == c || b == d || c == d {
                repeated += 1;
                continue;
            }
            if !nodes.iter().all(|&node| is_usable[node as usize]) {
                unusable += 1;
                continue;
            }
            let corners = nodes.map(|node| points[node as usize]);
            let volume = tetrahedron::volume(&corners);
            if volume.abs() <= MIN_RELATIVE_VOLUME * longest_edge(&corners).powi(3) {
                flat += 1;
                continue;
            }
            if volume < 0.0 {
                nodes.swap(2, 3);
                inverted += 1;
            }
            self.kept.push(nodes);
            self.numbers.push(number);
        }
        self.remark(inverted, "re-oriented");
        self.remark(missing, "left out: missing nodes");
        self.remark(repeated, "left out: repeated node");
        self.remark(unusable, "left out: coordinates are not numbers within ±1e18");
        self.remark(flat, "left out: no volume");
    }

    /// Keeps the first of tetrahedra with the same nodes.
    fn drop_duplicates(&mut self) {
        let sorted = |(index, nodes): (u32, &[u32; 4])| {
            let mut nodes = *nodes;
            nodes.sort_unstable();
            (nodes, index)
        };
        let mut keys: Vec<([u32; 4], u32)> = (0u32..).zip(&self.kept).map(sorted).collect();
        keys.par_sort_unstable();
        let duplicates = keys.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| pair[1].1 as usize);
        let mut stays = vec![true; self.kept.len()];
        let mut count = 0;
        for index in duplicates {
            stays[index] = false;
            count += 1;
        }
        if count > 0 {
            let mut flags = stays.iter();
            self.kept.retain(|_| *flags.next().unwrap_or(&true));
            let mut flags = stays.iter();
            self.numbers.retain(|_| *flags.next().unwrap_or(&true));
        }
        self.remark(count, "left out: duplicates");
    }

    /// Drops unused nodes, renumbers the rest and returns their positions.
    fn compact_nodes(&mut self, points: &[Vec3]) -> Vec<Vec3> {
        let used = compact_points(points, self.kept.as_flattened_mut());
        let unused = points.len() - used.len();
        if unused > 0 {
            self.remarks.push(format!("{} left out, used by no tetrahedron", counted(unused, "node")));
        }
        used
    }
}

fn longest_edge(corners: &[Vec3; 4]) -> f64 {
    let [a, b, c, d] = corners;
    let edges = [a - b, a - c, a - d, b - c, b - d, c - d];
    edges.iter().map(Vec3::norm_squared).fold(0.0, f64::max).sqrt()
}

/// The used points in order; renumbers `uses`.
fn compact_points(points: &[Vec3], uses: &mut [u32]) -> Vec<Vec3> {
    let mut number = vec![u32::MAX; points.len()];
    for &point in &*uses {
        number[point as usize] = 0;
    }
    let mut used = Vec::with_capacity(points.len());
    for (point, number) in points.iter().zip(&mut number) {
        if *number == 0 {
            *number = used.len() as u32;
            used.push(*point);
        }
    }
    for point in uses {
        *point = number[*point as usize];
    }
    used
}

fn boundary(mesh: &TetMesh) -> TriangleSurface {
    let mut triangles: Vec<[u32; 3]> =
        mesh.boundary().triangles.iter().map(|triangle| triangle.map(|node| node.0)).collect();
    let positions = compact_points(mesh.positions(), triangles.as_flattened_mut());
    TriangleSurface { positions, triangles }
}

/// Names tetrahedra by their number in the file, from 1.
fn with_file_numbers(error: TetMeshError, numbers: &[u32], path: &Path) -> ShapeError {
    let name = |index: u32| 1 + u64::from(numbers[index as usize]);
    match error {
        MeshError::FacetShared { elements, .. } => {
            let [first, second, third] = elements.map(|element| name(element.0));
            let part = format!("tetrahedra {first}, {second} and {third}");
            ParseError::in_part(part, "they share one face, but a face joins two at most").in_file(path)
        }
        MeshError::Orientation { elements, .. } => {
            let [first, second] = elements.map(|element| name(element.0));
            let part = format!("tetrahedra {first} and {second}");
            ParseError::in_part(part, "they overlap: both lie on the same side of the face that they share")
                .in_file(path)
        }
        error => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two tetrahedra on both sides of the triangle 0, 1, 2, with apexes 3 and 4, and three more
    /// nodes.
    fn points() -> Vec<Vec3> {
        let nan = f64::NAN;
        let corners = [
            [0., 0., 0.],
            [1., 0., 0.],
            [0., 1., 0.],
            [0., 0., 1.],
            [0., 0., -1.],
            [1., 1., 0.],
            [nan, 0., 0.],
            [2e18, 0., 0.],
        ];
        corners.into_iter().map(Vec3::from).collect()
    }

    fn judge(tetrahedra: &[[u32; 4]], regions: &[i64]) -> Result<Model, ShapeError> {
        volume_model(points(), tetrahedra, &[], regions, Vec::new(), Path::new("a.msh"))
    }

    #[test]
    fn invalid_tetrahedra_are_re_oriented_or_left_out() {
        let listed = [
            [6, 1, 2, 3],
            [0, 1, 2, 3],
            [0, 1, 2, 4],
            [0, 1, 2, 5],
            [1, 2, 0, 3],
            [0, 1, 1, 3],
            [0, 1, 2, 7],
            [0, MISSING_NODE, 2, 3],
        ];
        let model = judge(&listed, &[0, 1, 2, 3, 4, 5, 6, 7]).expect("two are sound");
        let volume = model.volume.expect("a volume");
        assert_eq!(volume.tetrahedra, [[0, 1, 2, 3], [0, 1, 4, 2]]);
        assert_eq!(volume.regions, [1, 2]);
        assert_eq!(volume.nodes.len(), 5);
        assert!((volume.volume() - 1.0 / 3.0).abs() < 1e-15);
        volume.mesh().expect("a mesh").validate().expect("a sound one");
        assert_eq!(model.surface.triangles.len(), 6);
        assert!((model.surface.closed_volume().expect("closed") - 1.0 / 3.0).abs() < 1e-15);
        assert_eq!(
            model.remarks,
            [
                "1 tetrahedron re-oriented",
                "1 tetrahedron left out: missing nodes",
                "1 tetrahedron left out: repeated node",
                "2 tetrahedra left out: coordinates are not numbers within ±1e18",
                "1 tetrahedron left out: no volume",
                "1 tetrahedron left out: duplicates",
                "3 nodes left out, used by no tetrahedron",
            ]
        );
    }

    #[test]
    fn shared_faces_and_overlaps_are_reported_by_file_number() {
        let mut points = points();
        points[6] = Vec3::new(0.1, 0.1, 2.0);
        let judge = |listed: &[[u32; 4]]| {
            let error = volume_model(points.clone(), listed, &[], &[], Vec::new(), Path::new("a.msh"));
            error.expect_err("no mesh").to_string()
        };
        let three = judge(&[[0, 1, 2, 2], [0, 1, 2, 3], [0, 1, 2, 4], [0, 1, 2, 6]]);
        assert_eq!(three, "a.msh, tetrahedra 2, 3 and 4: they share one face, but a face joins two at most");
        let overlap = judge(&[[0, 1, 2, 3], [0, 1, 2, 6]]);
        let reason = "they overlap: both lie on the same side of the face that they share";
        assert_eq!(overlap, format!("a.msh, tetrahedra 1 and 2: {reason}"));
        let none = judge(&[[0, 1, 2, 5], [0, 1, 2, 2]]);
        assert!(
            none.starts_with("a.msh, tetrahedra: none of 2 can be used: 1 tetrahedron left out: repeated"),
            "{none}"
        );
    }

    #[test]
    fn regions_that_do_not_fit_are_left_out_with_a_remark() {
        let model = judge(&[[0, 1, 2, 3]], &[1 << 40]).expect("a tetrahedron");
        assert!(model.volume.expect("a volume").regions.is_empty());
        assert!(model.remarks.iter().any(|remark| remark.contains("32 bits")), "{:?}", model.remarks);
    }

    #[test]
    fn only_slivers_that_rounding_could_invert_are_left_out() {
        let tetrahedron = |height: f64| {
            let corners = [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0.3, 0.3, height]];
            let points = corners.into_iter().map(Vec3::from).collect();
            volume_model(points, &[[0, 1, 2, 3]], &[], &[], Vec::new(), Path::new("a.msh"))
        };
        tetrahedron(1e-9).expect("thin, but a tetrahedron");
        tetrahedron(1e-14).expect_err("flat");
    }
}
