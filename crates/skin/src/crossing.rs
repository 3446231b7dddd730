//! Where two sets of triangles pass through each other: points where an edge of one goes through a triangle of the other, and segments between them.
//!
//! All is decided by exact signs of determinants, so that two neighbours never disagree about what lies on their common edge. Four points
//! in one plane are refused: the cracks are ours and can be moved by a hair.

use craze_math::Vec3;
use craze_math::predicates::orient3d;
use craze_spatial::{Aabb, Bvh};

use crate::error::SkinError;

/// Triangles over points (m).
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

/// Which set an edge is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Of {
    Surface,
    Crack,
}

/// A point where an edge of one set goes through a triangle of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Crossing {
    pub of: Of,
    /// The edge, its lower vertex first.
    pub edge: [u32; 2],
    /// The triangle of the other set.
    pub triangle: u32,
}

/// The line in which two triangles meet. Seen from outside the surface, what is behind the crack lies on its left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub surface: u32,
    pub crack: u32,
    /// Numbers of the crossings that it goes from and to.
    pub ends: [u32; 2],
}

/// All that two sets have in common.
#[derive(Debug, Default)]
pub(crate) struct Crossings {
    /// Crossings, ascending.
    pub points: Vec<Crossing>,
    /// How far along its edge each is, from the lower vertex (1).
    pub along: Vec<f64>,
    /// Where each is (m).
    pub positions: Vec<Vec3>,
    /// Segments, by surface triangles.
    pub segments: Vec<Segment>,
}

/// Finds all crossings.
pub(crate) fn crossings(surface: Triangles<'_>, cracks: Triangles<'_>) -> Result<Crossings, SkinError> {
    let (surface_boxes, crack_boxes) = (surface.boxes(), cracks.boxes());
    let surface_tree = Bvh::build(&surface_boxes).map_err(|_| SkinError::Surface)?;
    let crack_tree = Bvh::build(&crack_boxes).map_err(|_| SkinError::Degenerate)?;
    let mut found: Vec<(u32, u32, [Crossing; 2])> = Vec::new();
    let mut fault = None;
    surface_tree.pairs(&surface_boxes, &crack_tree, &crack_boxes, |one, other| {
        match meet(surface, one, cracks, other) {
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
            Of::Surface => (surface, cracks),
            Of::Crack => (cracks, surface),
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

/// The ends of the line in which two triangles meet, in its direction.
fn meet(
    surface: Triangles<'_>,
    one: u32,
    cracks: Triangles<'_>,
    other: u32,
) -> Result<Option<[Crossing; 2]>, SkinError> {
    let (outer, crack) = (surface.corners(one), cracks.corners(other));
    let (outer_sides, crack_sides) = (sides(&crack, &outer), sides(&outer, &crack));
    if one_side(&outer_sides)? || one_side(&crack_sides)? {
        return Ok(None);
    }
    let mut ends = [None; 2];
    // Going around the surface's triangle, the line begins where one comes from behind the crack to before it.
    through(Of::Surface, surface, one, &outer_sides, &crack, other, |starts| usize::from(!starts), &mut ends)?;
    // Going around the crack's triangle, it begins where one goes from outside the surface to its inside.
    through(Of::Crack, cracks, other, &crack_sides, &outer, one, usize::from, &mut ends)?;
    match ends {
        [Some(from), Some(to)] => Ok(Some([from, to])),
        [None, None] => Ok(None),
        _ => Err(SkinError::Degenerate),
    }
}

/// Sides of a triangle's corners from the plane of another.
fn sides([a, b, c]: &[Vec3; 3], corners: &[Vec3; 3]) -> [f64; 3] {
    corners.map(|corner| orient3d(a, b, c, &corner))
}

/// Whether all are on one side.
fn one_side(sides: &[f64; 3]) -> Result<bool, SkinError> {
    if sides.iter().any(|side| *side == 0.0 || side.is_nan()) {
        // Zero matters only where the others do not keep the triangle away; a hair's move tells.
        return Err(SkinError::Degenerate);
    }
    Ok(sides[0] > 0.0 && sides[1] > 0.0 && sides[2] > 0.0 || sides[0] < 0.0 && sides[1] < 0.0 && sides[2] < 0.0)
}

/// Enters the edges of triangle `own` that go through the triangle `corners`. `end` says which end it is if the edge rises, from the
/// negative side to the positive.
#[expect(clippy::too_many_arguments, reason = "the two triangles and what is known of them")]
fn through(
    of: Of,
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
            let place = &mut ends[end(own_sides[start] < 0.0)];
            if place.is_some() {
                return Err(SkinError::Degenerate);
            }
            *place = Some(Crossing { of, edge, triangle: other });
        }
    }
    Ok(())
}
