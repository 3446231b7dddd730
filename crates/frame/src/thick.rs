//! The closed surface of a sheet with its thickness: two sides and a rim.

use craze_math::Vec3;
use thiserror::Error;

use crate::manifold::{HalfEdge, half_edges, is_manifold, sheet_fans};
use crate::model::{Attribute, Attributes, Data, LineKind, Surface, names};

/// Smallest cosine between a vertex normal and its faces for which the offset is lengthened so
/// that the distance of the two sides is the thickness; sharper folds become thinner (1).
const MIN_MITER_COSINE: f64 = 0.5;

/// Share of the distance to its neighbours by which a vertex moves inward where parts of the sheet
/// only touch, so that programs that merge equal positions do not connect them (1).
const TOUCHING_GAP: f64 = 1e-3;

/// Why a sheet has no thick surface.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ThickError {
    /// The surface is not a sheet.
    #[error("the surface is not a sheet: it has no thickness")]
    NoSheet,
    /// The thickness at a vertex is not a positive number.
    #[error("the thickness at vertex {vertex} is {thickness} m; it must be above 0")]
    Thickness {
        /// The vertex.
        vertex: u32,
        /// The value (m).
        thickness: f64,
    },
    /// An edge has more than two triangles, or two with opposite orientations, and both ends of it
    /// stay connected around it.
    #[error("the sheet is not an oriented manifold at the edge from vertex {} to vertex {}", edge[0], edge[1])]
    NotManifold {
        /// Vertices of the edge.
        edge: [u32; 2],
    },
}

/// Sides of a thick surface, the values of [`names::SIDE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SheetSide {
    /// The side that the sheet's normals point to.
    Top = 0,
    /// The opposite side.
    Bottom = 1,
    /// The rim along borders and cracks.
    Rim = 2,
}

/// One corner of a thick surface: its side, and the triangle and corner of the sheet that its
/// attributes come from.
#[derive(Clone, Copy)]
struct Corner {
    side: SheetSide,
    is_top: bool,
    /// 3 · triangle + corner.
    source: usize,
}

impl Surface {
    /// Thickness (m) at every vertex: the vertex attribute [`names::THICKNESS`], else the mean of
    /// the face attribute of that name over the adjacent triangles weighted by area, else that of
    /// the [`Sheet`](crate::Sheet). `None` if the surface is not a sheet.
    pub fn vertex_thickness(&self) -> Option<Vec<f64>> {
        let sheet = self.sheet?;
        if let Some(thickness) = self.vertex_attributes.scalars(names::THICKNESS) {
            return Some(thickness.to_vec());
        }
        let mut thickness = vec![sheet.thickness; self.positions.len()];
        if let Some(of_faces) = self.face_attributes.scalars(names::THICKNESS) {
            let mut sums = vec![(0.0, 0.0); self.positions.len()];
            for (corners, value) in self.triangles.iter().zip(of_faces) {
                let [a, b, c] = corners.map(|vertex| self.positions[vertex as usize]);
                let area = (b - a).cross(&(c - a)).norm();
                for &corner in corners {
                    let sum = &mut sums[corner as usize];
                    *sum = (sum.0 + area * value, sum.1 + area);
                }
            }
            for (value, (sum, area)) in thickness.iter_mut().zip(sums) {
                if area > 0.0 {
                    *value = sum / area;
                }
            }
        }
        Some(thickness)
    }

    /// The closed surface of a sheet with its thickness: the top side, the bottom side, and a rim
    /// along every border and crack, in this order. Each connected component is closed and
    /// manifold.
    ///
    /// Vertices are offset by half of the thickness along the vertex normals, lengthened at bends
    /// so that the distance of the sides is the thickness (up to a factor of two); rest positions
    /// ([`names::REST`]) likewise. A vertex where parts of the sheet only touch becomes one vertex
    /// per part and side, moved apart by 1/1000 of an edge. Attributes are those of the sheet; rim
    /// triangles have those of the adjacent triangle. The face attribute [`names::SIDE`] gives the
    /// [`SheetSide`]; if the sheet has crack lines, [`names::CRACK`] is 1 on the rim along them.
    /// Offset sides of a sharply folded sheet can intersect. The result of a surface without
    /// triangles is empty.
    pub fn thick(&self) -> Result<Surface, ThickError> {
        let thickness = self.vertex_thickness().ok_or(ThickError::NoSheet)?;
        for &vertex in self.triangles.iter().flatten() {
            let thickness = thickness[vertex as usize];
            if !(thickness > 0.0 && thickness.is_finite()) {
                return Err(ThickError::Thickness { vertex, thickness });
            }
        }
        let fans = Fans::new(&self.triangles);
        let corners = fans.corners(&self.triangles);
        let count = fans.sources.len() as u32;
        let index = |corner: &Corner| fans.of_corner[corner.source] + if corner.is_top { 0 } else { count };
        let triangles: Vec<[u32; 3]> = corners.iter().map(|triangle| triangle.each_ref().map(index)).collect();
        if !is_manifold(&triangles) {
            return Err(ThickError::NotManifold { edge: fans.odd_edge(&triangles) });
        }
        let offset = |points: &[Vec3]| fans.offset(&self.triangles, points, &thickness);
        let mut thick =
            Surface { positions: offset(&self.positions), triangles, slots: self.slots.clone(), ..Surface::default() };
        thick.vertex_attributes = both_sides(&self.vertex_attributes, &fans.sources);
        if let Some(rest) = self.vertex_attributes.vectors(names::REST) {
            thick.vertex_attributes.set(names::REST, Data::Vector(offset(rest)));
        }
        let faces: Vec<usize> = corners.iter().map(|triangle| triangle[0].source / 3).collect();
        thick.face_attributes = select(&self.face_attributes, &faces);
        let side = corners.iter().map(|triangle| triangle[0].side as u32).collect();
        thick.face_attributes.set(names::SIDE, Data::Index(side));
        self.mark_cracks(&corners, &mut thick);
        let sources: Vec<usize> = corners.iter().flatten().map(|corner| corner.source).collect();
        thick.corner_attributes = select(&self.corner_attributes, &sources);
        orient_normals(&mut thick, &corners);
        Ok(thick)
    }

    /// Sets [`names::CRACK`] on the rim along crack lines.
    fn mark_cracks(&self, corners: &[[Corner; 3]], thick: &mut Surface) {
        let cracks = self.lines.iter().filter(|line| line.kind == LineKind::Crack);
        let edges = cracks.flat_map(|line| line.vertices.windows(2));
        let mut edges: Vec<[u32; 2]> = edges.map(|edge| [edge[0].min(edge[1]), edge[0].max(edge[1])]).collect();
        if edges.is_empty() {
            return;
        }
        edges.sort_unstable();
        let is_crack = |(number, triangle): (usize, &[Corner; 3])| {
            let mut vertices = triangle.map(|corner| self.triangles[corner.source / 3][corner.source % 3]);
            vertices.sort_unstable();
            let [first, middle, last] = vertices;
            // A rim triangle has one vertex of the edge on both sides.
            let edge = if first == middle { [first, last] } else { [first, middle] };
            let is_on_line = triangle[0].side == SheetSide::Rim && edges.binary_search(&edge).is_ok();
            let former = thick.face_attributes.indices(names::CRACK).is_some_and(|cracks| cracks[number] != 0);
            u32::from(is_on_line || former)
        };
        let marks = corners.iter().enumerate().map(is_crack).collect();
        thick.face_attributes.set(names::CRACK, Data::Index(marks));
    }
}

/// Vertices of one side of a thick surface: one for each fan of triangles at a vertex.
struct Fans {
    /// Fan of each corner of the sheet.
    of_corner: Vec<u32>,
    /// Vertex of the sheet of each fan.
    sources: Vec<u32>,
    /// True for each corner whose edge to the next corner is on the border of the sheet.
    is_border: Vec<bool>,
}

impl Fans {
    fn new(triangles: &[[u32; 3]]) -> Fans {
        let (roots, is_border) = sheet_fans(triangles);
        let mut numbers = vec![u32::MAX; roots.len()];
        let mut fans = Fans { of_corner: Vec::with_capacity(roots.len()), sources: Vec::new(), is_border };
        for (corner, root) in roots.into_iter().enumerate() {
            let number = &mut numbers[root as usize];
            if *number == u32::MAX {
                *number = fans.sources.len() as u32;
                fans.sources.push(triangles[corner / 3][corner % 3]);
            }
            fans.of_corner.push(*number);
        }
        fans
    }

    /// Triangles of the thick surface: top, bottom, rim.
    fn corners(&self, triangles: &[[u32; 3]]) -> Vec<[Corner; 3]> {
        let at = |triangle: usize, corner: usize| 3 * triangle + corner % 3;
        let top = |source| Corner { side: SheetSide::Top, is_top: true, source };
        let bottom = |source| Corner { side: SheetSide::Bottom, is_top: false, source };
        let all = 0..triangles.len();
        let mut thick: Vec<[Corner; 3]> = all.clone().map(|t| [0, 1, 2].map(|corner| top(at(t, corner)))).collect();
        thick.extend(all.map(|t| [0, 2, 1].map(|corner| bottom(at(t, corner)))));
        for start in (0..self.is_border.len()).filter(|&corner| self.is_border[corner]) {
            let end = at(start / 3, start % 3 + 1);
            let rim = |is_top, source| Corner { side: SheetSide::Rim, is_top, source };
            thick.push([rim(true, end), rim(true, start), rim(false, start)]);
            thick.push([rim(true, end), rim(false, start), rim(false, end)]);
        }
        thick
    }

    /// Points of the top side, then of the bottom side: `points` (m) offset by half of the
    /// thickness (m).
    fn offset(&self, triangles: &[[u32; 3]], points: &[Vec3], thickness: &[f64]) -> Vec<Vec3> {
        let mut normals = vec![Vec3::zeros(); self.sources.len()];
        let mut corners: Vec<(Vec3, [f64; 3])> = Vec::with_capacity(triangles.len());
        for (triangle, vertices) in triangles.iter().enumerate() {
            let corner = vertices.map(|vertex| points[vertex as usize]);
            let normal = (corner[1] - corner[0]).cross(&(corner[2] - corner[0])).try_normalize(0.0);
            let normal = normal.unwrap_or_else(Vec3::zeros);
            // Weights by the angle at the corner do not depend on the triangulation
            // (Thürmer & Wüthrich 1998).
            let angles = [0, 1, 2].map(|k| {
                let (first, second) = (corner[(k + 1) % 3] - corner[k], corner[(k + 2) % 3] - corner[k]);
                first.cross(&second).norm().atan2(first.dot(&second))
            });
            for k in 0..3 {
                normals[self.of_corner[3 * triangle + k] as usize] += normal * angles[k];
            }
            corners.push((normal, angles));
        }
        for normal in &mut normals {
            *normal = normal.try_normalize(0.0).unwrap_or_else(Vec3::zeros);
        }
        // Mean cosine between the normal of a fan and those of its triangles, by angle.
        let mut cosines = vec![(0.0, 0.0); self.sources.len()];
        for (triangle, (normal, angles)) in corners.iter().enumerate() {
            for k in 0..3 {
                let fan = self.of_corner[3 * triangle + k] as usize;
                let (sum, weight) = &mut cosines[fan];
                (*sum, *weight) = (*sum + angles[k] * normal.dot(&normals[fan]), *weight + angles[k]);
            }
        }
        let half = |fan: usize| {
            let (sum, weight) = cosines[fan];
            let cosine: f64 = if weight > 0.0 { sum / weight } else { 1.0 };
            normals[fan] * (0.5 * thickness[self.sources[fan] as usize] / cosine.max(MIN_MITER_COSINE))
        };
        let point = self.separated(triangles, points);
        let point = |fan: usize| point[fan];
        let all = 0..self.sources.len();
        all.clone().map(|fan| point(fan) + half(fan)).chain(all.map(|fan| point(fan) - half(fan))).collect()
    }

    /// Position (m) of every fan: that of its vertex, moved inward where the vertex has several.
    fn separated(&self, triangles: &[[u32; 3]], points: &[Vec3]) -> Vec<Vec3> {
        let mut fan_count = vec![0_u32; points.len()];
        self.sources.iter().for_each(|&vertex| fan_count[vertex as usize] += 1);
        let mut sums = vec![(Vec3::zeros(), 0.0); self.sources.len()];
        for (triangle, vertices) in triangles.iter().enumerate() {
            for corner in (0..3).filter(|&corner| fan_count[vertices[corner] as usize] > 1) {
                let sum = &mut sums[self.of_corner[3 * triangle + corner] as usize];
                for step in [1, 2] {
                    *sum = (sum.0 + points[vertices[(corner + step) % 3] as usize], sum.1 + 1.0);
                }
            }
        }
        let position = |(&vertex, (sum, weight)): (&u32, (Vec3, f64))| {
            let point = points[vertex as usize];
            if weight > 0.0 { point + TOUCHING_GAP * (sum / weight - point) } else { point }
        };
        self.sources.iter().zip(sums).map(position).collect()
    }

    /// Vertices of the sheet at an edge of the thick surface that has not exactly two triangles,
    /// one in each direction.
    fn odd_edge(&self, thick: &[[u32; 3]]) -> [u32; 2] {
        let half_edges = half_edges(thick);
        let mut edges = half_edges.chunk_by(|one, other| one.edge == other.edge);
        let is_odd = |edge: &&[HalfEdge]| edge.len() != 2 || edge[0].is_forward == edge[1].is_forward;
        let edge = edges.find(is_odd).map_or([0, 0], |edge| edge[0].edge);
        edge.map(|vertex| self.sources[vertex as usize % self.sources.len()])
    }
}

/// Values of the vertices of both sides.
fn both_sides(attributes: &Attributes, sources: &[u32]) -> Attributes {
    let sources: Vec<usize> = sources.iter().chain(sources).map(|&source| source as usize).collect();
    select(attributes, &sources)
}

/// Attributes with the values at `sources`.
fn select(attributes: &Attributes, sources: &[usize]) -> Attributes {
    let selected =
        |attribute: &Attribute| Attribute { name: attribute.name.clone(), data: attribute.data.select(sources) };
    Attributes(attributes.0.iter().map(selected).collect())
}

/// Turns the corner normals of the bottom side around and replaces those of the rim by normals of
/// its triangles.
fn orient_normals(thick: &mut Surface, corners: &[[Corner; 3]]) {
    let Some(normals) = thick.corner_attributes.vectors(names::NORMAL) else { return };
    let mut normals = normals.to_vec();
    for (number, triangle) in corners.iter().enumerate() {
        let [a, b, c] = thick.triangles[number].map(|vertex| thick.positions[vertex as usize]);
        for normal in &mut normals[3 * number..3 * number + 3] {
            match triangle[0].side {
                SheetSide::Top => {}
                SheetSide::Bottom => *normal = -*normal,
                SheetSide::Rim => *normal = (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_else(Vec3::zeros),
            }
        }
    }
    thick.corner_attributes.set(names::NORMAL, Data::Vector(normals));
}
