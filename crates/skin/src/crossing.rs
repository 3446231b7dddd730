//! Intersection of two triangle meshes: points where an edge of one crosses a triangle of the
//! other, and the segments between them.
//!
//! Signs of exact determinants decide, so that neighbouring triangles agree about their common
//! edge. Coplanar points are refused: the caller perturbs the cracks.

use craze_math::Vec3;
use craze_math::predicates::orient3d;
use craze_spatial::{Aabb, Bvh};

use crate::error::SkinError;

/// A triangle mesh; positions in m.
#[derive(Clone, Copy)]
pub(crate) struct Triangles<'mesh> {
    pub positions: &'mesh [Vec3],
    pub triangles: &'mesh [[u32; 3]],
}

impl Triangles<'_> {
    pub fn corners(&self, triangle: u32) -> [Vec3; 3] {
        self.triangles[triangle as usize].map(|vertex| self.positions[vertex as usize])
    }

    fn boxes(&self) -> Vec<Aabb> {
        (0..self.triangles.len() as u32).map(|triangle| Aabb::from_points(&self.corners(triangle))).collect()
    }
}

/// Which mesh an edge belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mesh {
    Surface,
    Crack,
}

/// Intersection of an edge of one mesh with a triangle of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Crossing {
    pub of: Mesh,
    /// Ends of the edge, the lower vertex first.
    pub edge: [u32; 2],
    /// The triangle of the other mesh.
    pub triangle: u32,
}

/// Intersection of two triangles, directed: seen from outside the surface, the region behind the
/// crack lies on its left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub surface: u32,
    pub crack: u32,
    /// Indices of the crossings at its start and end.
    pub ends: [u32; 2],
}

#[derive(Debug, Default)]
pub(crate) struct Crossings {
    /// Crossings, ascending.
    pub points: Vec<Crossing>,
    /// Position of each along its edge, from the lower vertex (1).
    pub along: Vec<f64>,
    /// Positions (m).
    pub positions: Vec<Vec3>,
    /// Segments, sorted by surface triangle.
    pub segments: Vec<Segment>,
}

pub(crate) fn crossings(surface: Triangles<'_>, cracks: Triangles<'_>) -> Result<Crossings, SkinError> {
    let (surface_boxes, crack_boxes) = (surface.boxes(), cracks.boxes());
    let surface_tree = Bvh::build(&surface_boxes).map_err(|_| SkinError::InvalidSurface)?;
    let crack_tree = Bvh::build(&crack_boxes).map_err(|_| SkinError::Degenerate)?;
    let mut found: Vec<(u32, u32, [Crossing; 2])> = Vec::new();
    let mut fault = None;
    surface_tree.pairs(&surface_boxes, &crack_tree, &crack_boxes, |one, other| {
        match triangle_intersection(surface, one, cracks, other) {
            Ok(Some(ends)) => found.push((one, other, ends)),
            Ok(None) => {}
            Err(error) => fault = Some(error),
        }
    });
    if let Some(error) = fault {
        return Err(error);
    }
    found.sort_unstable_by_key(|&(one, other, _)| (one, other));
    let mut points: Vec<Crossing> = found.iter().flat_map(|(_, _, ends)| *ends).collect();
    points.sort_unstable();
    points.dedup();
    let number = |point: &Crossing| points.binary_search(point).map_or(0, |number| number as u32);
    let segments = found
        .iter()
        .map(|(one, other, ends)| Segment { surface: *one, crack: *other, ends: ends.each_ref().map(number) })
        .collect();
    let (mut along, mut positions) = (Vec::with_capacity(points.len()), Vec::with_capacity(points.len()));
    for point in &points {
        let (own, other) = match point.of {
            Mesh::Surface => (surface, cracks),
            Mesh::Crack => (cracks, surface),
        };
        let [from, to] = point.edge.map(|vertex| own.positions[vertex as usize]);
        let [a, b, c] = other.corners(point.triangle);
        let (near, far) = (orient3d(&a, &b, &c, &from), orient3d(&a, &b, &c, &to));
        let share = (near / (near - far)).clamp(0.0, 1.0);
        along.push(share);
        positions.push(from + share * (to - from));
    }
    Ok(Crossings { points, along, positions, segments })
}

/// Start and end of the intersection of two triangles, if they intersect.
fn triangle_intersection(
    surface: Triangles<'_>,
    one: u32,
    cracks: Triangles<'_>,
    other: u32,
) -> Result<Option<[Crossing; 2]>, SkinError> {
    let (outer, crack) = (surface.corners(one), cracks.corners(other));
    let (outer_sides, crack_sides) = (sides(&crack, &outer), sides(&outer, &crack));
    if all_on_one_side(&outer_sides)? || all_on_one_side(&crack_sides)? {
        return Ok(None);
    }
    let mut ends = [None; 2];
    // Around the surface triangle, the segment starts where its boundary passes from behind the
    // crack to the front.
    edge_crossings(Mesh::Surface, surface, one, &outer_sides, &crack, other, |starts| usize::from(!starts), &mut ends)?;
    // Around the crack triangle, it starts where its boundary passes from outside the surface to
    // the inside.
    edge_crossings(Mesh::Crack, cracks, other, &crack_sides, &outer, one, usize::from, &mut ends)?;
    match ends {
        [Some(from), Some(to)] => Ok(Some([from, to])),
        [None, None] => Ok(None),
        _ => Err(SkinError::Degenerate),
    }
}

/// Signed volumes of a triangle's corners over the plane of another.
fn sides([a, b, c]: &[Vec3; 3], corners: &[Vec3; 3]) -> [f64; 3] {
    corners.map(|corner| orient3d(a, b, c, &corner))
}

/// Returns true if all corners are strictly on one side.
fn all_on_one_side(sides: &[f64; 3]) -> Result<bool, SkinError> {
    if sides.iter().any(|side| *side == 0.0 || side.is_nan()) {
        // A zero may be harmless; refusing all is simpler, since a perturbation removes it.
        return Err(SkinError::Degenerate);
    }
    Ok(sides[0] > 0.0 && sides[1] > 0.0 && sides[2] > 0.0 || sides[0] < 0.0 && sides[1] < 0.0 && sides[2] < 0.0)
}

/// Adds the crossings of triangle `own`'s edges with the triangle `corners`. `end` gives the index
/// in `ends` by whether the edge goes from the negative side to the positive.
#[expect(clippy::too_many_arguments, reason = "both triangles and their sides")]
fn edge_crossings(
    of: Mesh,
    mesh: Triangles<'_>,
    own: u32,
    own_sides: &[f64; 3],
    corners: &[Vec3; 3],
    other: u32,
    end: impl Fn(bool) -> usize,
    ends: &mut [Option<Crossing>; 2],
) -> Result<(), SkinError> {
    let vertices = mesh.triangles[own as usize];
    for [start, stop] in [[0, 1], [1, 2], [2, 0]] {
        if (own_sides[start] > 0.0) == (own_sides[stop] > 0.0) {
            continue;
        }
        let [from, to] = [start, stop].map(|corner| mesh.positions[vertices[corner] as usize]);
        let turns = [[0, 1], [1, 2], [2, 0]].map(|[a, b]| orient3d(&from, &to, &corners[a], &corners[b]));
        if turns.contains(&0.0) {
            return Err(SkinError::Degenerate);
        }
        if turns.iter().all(|turn| *turn > 0.0) || turns.iter().all(|turn| *turn < 0.0) {
            let edge = [vertices[start].min(vertices[stop]), vertices[start].max(vertices[stop])];
            let slot = &mut ends[end(own_sides[start] < 0.0)];
            if slot.is_some() {
                return Err(SkinError::Degenerate);
            }
            *slot = Some(Crossing { of, edge, triangle: other });
        }
    }
    Ok(())
}
