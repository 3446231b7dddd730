//! From welded triangles to a mesh in which every edge has one or two of them, turned the same way.

use craze_math::Vec3;
use craze_mesh::{TriMesh, TriMeshError, edge_sides, separate_except};

use crate::surface::TriangleSurface;

/// A manifold made of a surface.
pub(super) struct Manifold {
    pub(super) mesh: TriMesh,
    /// Whether each triangle was turned against the input: its corners are then the input's first, third and second.
    pub(super) turned: Vec<bool>,
    /// Edges that three or more triangles shared, and where the first of them is (m).
    pub(super) shared_edges: usize,
    pub(super) first_shared: Option<Vec3>,
    /// Edges at which a one-sided surface was cut, and where the first of them is (m).
    pub(super) one_sided_edges: usize,
    pub(super) first_one_sided: Option<Vec3>,
}

/// Makes a manifold of triangles that are distinct and have an area.
///
/// Where three or more triangles share an edge, those two that continue each other most straightly stay joined, then the
/// next two; what is left over lets go, so that a book falls into sheets and crossing sheets cross without being
/// joined. Neighbours are turned to agree, each patch as most of its area was. A one-sided surface, such as a Möbius
/// strip, is cut along the edges where its sides would meet. Parts that touch in a vertex only let go.
pub(super) fn manifold(surface: &TriangleSurface) -> Result<Manifold, TriMeshError> {
    let mut made = Joined::new(surface);
    let turned = made.turn(surface);
    let triangles: Vec<[u32; 3]> = surface
        .triangles
        .iter()
        .zip(&turned)
        .map(|(&[a, b, c], &turn)| if turn { [a, c, b] } else { [a, b, c] })
        .collect();
    // Sides are named by the opposite corner, and turning exchanges the second and the third.
    let place = |side: u32| match (turned[side as usize / 3], side % 3) {
        (true, corner @ 1..) => side - corner + (3 - corner),
        _ => side,
    };
    let mut pairs: Vec<[u32; 2]> = made.pairs.iter().map(|pair| pair.map(place)).collect();
    // What let go of an edge may still hold both of its ends: then it has to let go of everything. Each round frees at
    // least one triangle.
    let parted = loop {
        let parted = separate_except(surface.positions.len(), &triangles, &pairs);
        let mut partner = vec![u32::MAX; triangles.len() * 3];
        for &[one, other] in &pairs {
            (partner[one as usize], partner[other as usize]) = (other, one);
        }
        let mut freed = vec![false; triangles.len()];
        for run in edge_sides(&parted.triangles).chunk_by(|one, other| one.0 == other.0) {
            let first = run.iter().map(|side| side.1).find(|&side| partner[side as usize] != u32::MAX);
            let kept = first.map_or([run[0].1; 2], |side| [side, partner[side as usize]]);
            for (_, side) in run.iter().filter(|side| !kept.contains(&side.1)) {
                freed[*side as usize / 3] = true;
            }
        }
        if !freed.contains(&true) {
            break parted;
        }
        pairs.retain(|pair| !pair.iter().any(|&side| freed[side as usize / 3]));
    };
    let positions = parted.origins.iter().map(|&origin| surface.positions[origin as usize]).collect();
    Ok(Manifold {
        mesh: compact(positions, parted.triangles)?,
        turned,
        shared_edges: made.shared_edges,
        first_shared: made.first_shared,
        one_sided_edges: made.one_sided_edges,
        first_one_sided: made.first_one_sided,
    })
}

/// A mesh of the points that triangles use.
fn compact(positions: Vec<Vec3>, mut triangles: Vec<[u32; 3]>) -> Result<TriMesh, TriMeshError> {
    let mut names = vec![u32::MAX; positions.len()];
    triangles.iter().flatten().for_each(|&point| names[point as usize] = 0);
    let used: Vec<usize> = (0..positions.len()).filter(|&point| names[point] == 0).collect();
    used.iter().enumerate().for_each(|(name, &point)| names[point] = name as u32);
    triangles.iter_mut().flatten().for_each(|point| *point = names[*point as usize]);
    TriMesh::from_parts(used.iter().map(|&point| positions[point]).collect(), triangles)
}

/// Sides (triangle · 3 + opposite corner) that belong together.
struct Joined {
    pairs: Vec<[u32; 2]>,
    shared_edges: usize,
    first_shared: Option<Vec3>,
    one_sided_edges: usize,
    first_one_sided: Option<Vec3>,
}

impl Joined {
    fn new(surface: &TriangleSurface) -> Self {
        let mut made =
            Self { pairs: Vec::new(), shared_edges: 0, first_shared: None, one_sided_edges: 0, first_one_sided: None };
        for run in edge_sides(&surface.triangles).chunk_by(|one, other| one.0 == other.0) {
            match run {
                [_] => {}
                [one, other] => made.pairs.push([one.1, other.1]),
                pages => {
                    made.shared_edges += 1;
                    let [a, b] = run[0].0.map(|point| surface.positions[point as usize]);
                    made.first_shared.get_or_insert((a + b) * 0.5);
                    made.bind(surface, [a, b], &pages.iter().map(|page| page.1).collect::<Vec<_>>());
                }
            }
        }
        made
    }

    /// Joins the pages of a book two by two, the straightest first; pages folded by more than a right angle stay apart.
    fn bind(&mut self, surface: &TriangleSurface, [a, b]: [Vec3; 2], pages: &[u32]) {
        let along = (b - a).normalize();
        let directions: Vec<Vec3> = (pages.iter())
            .map(|&side| {
                let apex = surface.positions[surface.triangles[side as usize / 3][side as usize % 3] as usize] - a;
                (apex - along * apex.dot(&along)).normalize()
            })
            .collect();
        let mut fits: Vec<(f64, usize, usize)> = Vec::new();
        for one in 0..pages.len() {
            for other in one + 1..pages.len() {
                let straightness = -directions[one].dot(&directions[other]);
                if straightness > 0.0 {
                    fits.push((straightness, one, other));
                }
            }
        }
        fits.sort_by(|one, other| other.0.total_cmp(&one.0).then((one.1, one.2).cmp(&(other.1, other.2))));
        let mut taken = vec![false; pages.len()];
        for (_, one, other) in fits {
            if !taken[one] && !taken[other] {
                (taken[one], taken[other]) = (true, true);
                self.pairs.push([pages[one], pages[other]]);
            }
        }
    }

    /// Which triangles have to turn so that all pairs agree. Pairs that cannot are removed.
    fn turn(&mut self, surface: &TriangleSurface) -> Vec<bool> {
        let count = surface.triangles.len();
        let forward = |side: u32| {
            let corners = surface.triangles[side as usize / 3];
            corners[(side as usize + 1) % 3] < corners[(side as usize + 2) % 3]
        };
        let mut around = vec![[u32::MAX; 3]; count];
        for &[one, other] in &self.pairs {
            around[one as usize / 3][one as usize % 3] = other;
            around[other as usize / 3][other as usize % 3] = one;
        }
        let mut turned: Vec<Option<bool>> = vec![None; count];
        for start in 0..count {
            if turned[start].is_some() {
                continue;
            }
            turned[start] = Some(false);
            let mut members = vec![start];
            let (mut next, mut areas) = (0, [0.0; 2]);
            while let Some(&triangle) = members.get(next) {
                next += 1;
                let own = turned[triangle] == Some(true);
                areas[usize::from(own)] += area(surface, triangle);
                for corner in 0..3 {
                    let behind = around[triangle][corner];
                    if behind != u32::MAX && turned[behind as usize / 3].is_none() {
                        let clash = forward((triangle * 3 + corner) as u32) == forward(behind);
                        turned[behind as usize / 3] = Some(own ^ clash);
                        members.push(behind as usize / 3);
                    }
                }
            }
            if areas[1] > areas[0] {
                members.iter().for_each(|&member| turned[member] = turned[member].map(|turn| !turn));
            }
        }
        let turned: Vec<bool> = turned.into_iter().map(|turn| turn == Some(true)).collect();
        let agrees = |&[one, other]: &[u32; 2]| {
            (forward(one) ^ turned[one as usize / 3]) != (forward(other) ^ turned[other as usize / 3])
        };
        for &[side, _] in self.pairs.iter().filter(|pair| !agrees(pair)) {
            let corners = surface.triangles[side as usize / 3];
            let ends = [1, 2].map(|step| surface.positions[corners[(side as usize + step) % 3] as usize]);
            self.one_sided_edges += 1;
            self.first_one_sided.get_or_insert((ends[0] + ends[1]) * 0.5);
        }
        self.pairs.retain(agrees);
        turned
    }
}

fn area(surface: &TriangleSurface, triangle: usize) -> f64 {
    craze_math::triangle::area(&surface.corners(&surface.triangles[triangle]))
}
