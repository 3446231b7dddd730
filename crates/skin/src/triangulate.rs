//! Constrained Delaunay triangulation of a triangle.

use craze_math::Vec3;
use spade::handles::FixedVertexHandle;
use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation as _};

use crate::error::SkinError;

/// Constraints within a triangle. Vertices have the caller's indices.
#[derive(Debug, Default)]
pub(crate) struct Constraints {
    /// Vertices on the edges from corner 0 to 1, 1 to 2 and 2 to 0, in that order.
    pub sides: [Vec<u32>; 3],
    /// Interior vertices.
    pub inner: Vec<u32>,
    /// Edges that the triangulation must contain.
    pub segments: Vec<[u32; 2]>,
}

/// Triangulates a triangle over the given vertices, with its orientation and all constraint edges
/// (constrained Delaunay).
///
/// Crossing constraints and coincident vertices, which come from rounding, are refused.
pub(crate) fn triangulate(
    corners: [u32; 3],
    constraints: &Constraints,
    position: impl Fn(u32) -> Vec3,
) -> Result<Vec<[u32; 3]>, SkinError> {
    if constraints.segments.is_empty() && constraints.sides.iter().all(Vec::is_empty) {
        return Ok(vec![corners]);
    }
    let frame = PlaneFrame::of(corners.map(&position))?;
    let mut triangulation = Triangulator::default();
    let mut border: Vec<u32> = Vec::new();
    for (corner, side) in corners.iter().zip(&constraints.sides) {
        border.push(*corner);
        border.extend_from_slice(side);
    }
    for &vertex in border.iter().chain(&constraints.inner) {
        triangulation.insert(vertex, frame.project(&position(vertex)))?;
    }
    for start in 0..border.len() {
        triangulation.constrain([border[start], border[(start + 1) % border.len()]])?;
    }
    for &segment in &constraints.segments {
        triangulation.constrain(segment)?;
    }
    Ok(triangulation.inside())
}

/// Plane of a triangle: counter-clockwise, with its longest edge scaled to 1.
struct PlaneFrame {
    origin: Vec3,
    axes: [Vec3; 2],
}

impl PlaneFrame {
    fn of([a, b, c]: [Vec3; 3]) -> Result<PlaneFrame, SkinError> {
        let along = [b - a, c - b, a - c].into_iter().max_by(|one, other| one.norm().total_cmp(&other.norm()));
        let along = along.unwrap_or_else(Vec3::zeros);
        let length = along.norm();
        let normal = (b - a).cross(&(c - a)).try_normalize(0.0).ok_or(SkinError::Degenerate)?;
        let first = along / length;
        Ok(PlaneFrame { origin: a, axes: [first / length, normal.cross(&first) / length] })
    }

    fn project(&self, position: &Vec3) -> Point2<f64> {
        let offset = position - self.origin;
        // The triangulation refuses numbers that are too small.
        let rounded = |value: f64| if value.abs() < 1e-30 { 0.0 } else { value };
        Point2::new(rounded(offset.dot(&self.axes[0])), rounded(offset.dot(&self.axes[1])))
    }
}

/// A triangulation with the caller's vertex indices.
#[derive(Default)]
struct Triangulator {
    triangulation: ConstrainedDelaunayTriangulation<Point2<f64>>,
    /// The caller's index of each vertex.
    indices: Vec<u32>,
    /// Handles by the caller's index.
    handles: Vec<(u32, FixedVertexHandle)>,
}

impl Triangulator {
    fn insert(&mut self, index: u32, point: Point2<f64>) -> Result<(), SkinError> {
        let handle = self.triangulation.insert(point).map_err(|_| SkinError::Degenerate)?;
        if handle.index() != self.indices.len() {
            return Err(SkinError::Degenerate);
        }
        self.indices.push(index);
        self.handles.push((index, handle));
        Ok(())
    }

    fn constrain(&mut self, ends: [u32; 2]) -> Result<(), SkinError> {
        let handle = |index: u32| self.handles.iter().find(|(other, _)| *other == index).map(|(_, handle)| *handle);
        let [Some(from), Some(to)] = ends.map(handle) else { return Err(SkinError::Degenerate) };
        let triangulation = &mut self.triangulation;
        if !triangulation.can_add_constraint(from, to) {
            return Err(SkinError::Degenerate);
        }
        triangulation.add_constraint(from, to);
        if triangulation.exists_constraint(from, to) { Ok(()) } else { Err(SkinError::Degenerate) }
    }

    /// Triangles inside the border. Rounding may bend the border inward; what lies beyond is
    /// dropped.
    fn inside(&self) -> Vec<[u32; 3]> {
        let triangulation = &self.triangulation;
        let mut is_outside = vec![false; triangulation.num_all_faces()];
        let mut open: Vec<_> = vec![triangulation.outer_face().fix()];
        is_outside[open[0].index()] = true;
        // Flood fill from the outer face over edges that are not constraints.
        for edge in triangulation.directed_edges() {
            if edge.face().is_outer() && !edge.is_constraint_edge() {
                let face = edge.rev().face().fix();
                if !is_outside[face.index()] {
                    is_outside[face.index()] = true;
                    open.push(face);
                }
            }
        }
        open.remove(0);
        while let Some(face) = open.pop() {
            let Some(face) = triangulation.face(face).as_inner() else { continue };
            for edge in face.adjacent_edges() {
                let next = edge.rev().face().fix();
                if !edge.is_constraint_edge() && !is_outside[next.index()] {
                    is_outside[next.index()] = true;
                    open.push(next);
                }
            }
        }
        triangulation
            .inner_faces()
            .filter(|face| !is_outside[face.fix().index()])
            .map(|face| face.vertices().map(|vertex| self.indices[vertex.fix().index()]))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACES: [[f64; 3]; 7] = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.5, 0.0, 0.0],
        [0.25, 0.75, 0.0],
        [0.3, 0.3, 0.0],
        [0.0, 0.4, 0.0],
    ];

    fn corner_position(vertex: u32) -> Vec3 {
        Vec3::from(PLACES[vertex as usize])
    }

    fn area(triangles: &[[u32; 3]]) -> f64 {
        let doubled = |&[a, b, c]: &[u32; 3]| {
            (corner_position(b) - corner_position(a)).cross(&(corner_position(c) - corner_position(a))).z
        };
        triangles.iter().map(doubled).inspect(|area| assert!(*area > 0.0)).sum::<f64>() / 2.0
    }

    #[test]
    fn a_triangle_without_constraints_is_unchanged() {
        assert_eq!(triangulate([0, 1, 2], &Constraints::default(), corner_position), Ok(vec![[0, 1, 2]]));
    }

    #[test]
    fn three_constraints_that_meet_inside_are_edges() {
        let constraints =
            Constraints { sides: [vec![3], vec![4], vec![6]], inner: vec![5], segments: vec![[3, 5], [5, 4], [6, 5]] };
        let triangles = triangulate([0, 1, 2], &constraints, corner_position).expect("divided");
        assert!((area(&triangles) - 0.5).abs() < 1e-15);
        for [from, to] in constraints.segments {
            let has = |triangle: &&[u32; 3]| triangle.contains(&from) && triangle.contains(&to);
            assert_eq!(triangles.iter().filter(has).count(), 2);
        }
    }

    #[test]
    fn crossing_constraints_are_refused() {
        let constraints =
            Constraints { sides: [vec![3], vec![4], vec![6]], inner: vec![], segments: vec![[3, 2], [6, 4], [6, 1]] };
        assert_eq!(triangulate([0, 1, 2], &constraints, corner_position), Err(SkinError::Degenerate));
    }
}
