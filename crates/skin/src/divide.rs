//! A triangle divided along lines that cross it.

use craze_math::Vec3;
use spade::handles::FixedVertexHandle;
use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation as _};

use crate::error::SkinError;

/// What a triangle is divided by. Vertices are named by numbers of the caller.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    /// Vertices on the sides from corner 0 to 1, 1 to 2 and 2 to 0, in that order.
    pub sides: [Vec<u32>; 3],
    /// Vertices within.
    pub inner: Vec<u32>,
    /// Lines that must be edges.
    pub segments: Vec<[u32; 2]>,
}

/// Divides the triangle into triangles over the same vertices, turning the same way, with an edge along every line.
///
/// The smallest angles are as large as can be (Delaunay). Lines that cross each other, or vertices in one place, which come from
/// rounding only, are refused.
pub(crate) fn divide(
    corners: [u32; 3],
    lines: &Lines,
    position: impl Fn(u32) -> Vec3,
) -> Result<Vec<[u32; 3]>, SkinError> {
    if lines.segments.is_empty() && lines.sides.iter().all(Vec::is_empty) {
        return Ok(vec![corners]);
    }
    let flat = Flat::of(corners.map(&position))?;
    let mut net = Net::default();
    let mut border: Vec<u32> = Vec::new();
    for (corner, side) in corners.iter().zip(&lines.sides) {
        border.push(*corner);
        border.extend_from_slice(side);
    }
    for &vertex in border.iter().chain(&lines.inner) {
        net.insert(vertex, flat.place(&position(vertex)))?;
    }
    for index in 0..border.len() {
        net.constrain([border[index], border[(index + 1) % border.len()]])?;
    }
    for &segment in &lines.segments {
        net.constrain(segment)?;
    }
    Ok(net.inside())
}

/// The plane of a triangle, in which it turns counterclockwise and is about as large as 1.
struct Flat {
    origin: Vec3,
    axes: [Vec3; 2],
}

impl Flat {
    fn of([a, b, c]: [Vec3; 3]) -> Result<Flat, SkinError> {
        let along = [b - a, c - b, a - c].into_iter().max_by(|one, other| one.norm().total_cmp(&other.norm()));
        let along = along.unwrap_or_else(Vec3::zeros);
        let length = along.norm();
        let normal = (b - a).cross(&(c - a)).try_normalize(0.0).ok_or(SkinError::Degenerate)?;
        let first = along / length;
        Ok(Flat { origin: a, axes: [first / length, normal.cross(&first) / length] })
    }

    fn place(&self, position: &Vec3) -> Point2<f64> {
        let offset = position - self.origin;
        // Below this nothing is told apart, and the triangulation refuses numbers that are too small.
        let rounded = |value: f64| if value.abs() < 1e-30 { 0.0 } else { value };
        Point2::new(rounded(offset.dot(&self.axes[0])), rounded(offset.dot(&self.axes[1])))
    }
}

/// A triangulation under way.
#[derive(Default)]
struct Net {
    triangulation: ConstrainedDelaunayTriangulation<Point2<f64>>,
    /// The caller's number of each vertex.
    numbers: Vec<u32>,
    /// The caller's numbers with the vertices.
    handles: Vec<(u32, FixedVertexHandle)>,
}

impl Net {
    fn insert(&mut self, number: u32, place: Point2<f64>) -> Result<(), SkinError> {
        let handle = self.triangulation.insert(place).map_err(|_| SkinError::Degenerate)?;
        if handle.index() != self.numbers.len() {
            return Err(SkinError::Degenerate);
        }
        self.numbers.push(number);
        self.handles.push((number, handle));
        Ok(())
    }

    fn constrain(&mut self, ends: [u32; 2]) -> Result<(), SkinError> {
        let handle = |number: u32| self.handles.iter().find(|(other, _)| *other == number).map(|(_, handle)| *handle);
        let [Some(from), Some(to)] = ends.map(handle) else { return Err(SkinError::Degenerate) };
        let net = &mut self.triangulation;
        if !net.can_add_constraint(from, to) {
            return Err(SkinError::Degenerate);
        }
        net.add_constraint(from, to);
        if net.exists_constraint(from, to) { Ok(()) } else { Err(SkinError::Degenerate) }
    }

    /// The triangles within the border; rounding may have bent it inward, and what is beyond does not count.
    fn inside(&self) -> Vec<[u32; 3]> {
        let net = &self.triangulation;
        let mut is_outside = vec![false; net.num_all_faces()];
        let mut open: Vec<_> = vec![net.outer_face().fix()];
        is_outside[open[0].index()] = true;
        // From the outer face, which has any number of edges, over edges that are no border.
        for edge in net.directed_edges() {
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
            let Some(face) = net.face(face).as_inner() else { continue };
            for edge in face.adjacent_edges() {
                let next = edge.rev().face().fix();
                if !edge.is_constraint_edge() && !is_outside[next.index()] {
                    is_outside[next.index()] = true;
                    open.push(next);
                }
            }
        }
        net.inner_faces()
            .filter(|face| !is_outside[face.fix().index()])
            .map(|face| face.vertices().map(|vertex| self.numbers[vertex.fix().index()]))
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

    fn place(vertex: u32) -> Vec3 {
        Vec3::from(PLACES[vertex as usize])
    }

    fn area(triangles: &[[u32; 3]]) -> f64 {
        let doubled = |&[a, b, c]: &[u32; 3]| (place(b) - place(a)).cross(&(place(c) - place(a))).z;
        triangles.iter().map(doubled).inspect(|area| assert!(*area > 0.0)).sum::<f64>() / 2.0
    }

    #[test]
    fn nothing_divides_nothing() {
        assert_eq!(divide([0, 1, 2], &Lines::default(), place), Ok(vec![[0, 1, 2]]));
    }

    #[test]
    fn three_lines_that_meet_within_are_edges() {
        let lines =
            Lines { sides: [vec![3], vec![4], vec![6]], inner: vec![5], segments: vec![[3, 5], [5, 4], [6, 5]] };
        let triangles = divide([0, 1, 2], &lines, place).expect("divided");
        assert!((area(&triangles) - 0.5).abs() < 1e-15);
        for [from, to] in lines.segments {
            let has = |triangle: &&[u32; 3]| triangle.contains(&from) && triangle.contains(&to);
            assert_eq!(triangles.iter().filter(has).count(), 2);
        }
    }

    #[test]
    fn lines_that_cross_are_refused() {
        let lines = Lines { sides: [vec![3], vec![4], vec![6]], inner: vec![], segments: vec![[3, 2], [6, 4], [6, 1]] };
        assert_eq!(divide([0, 1, 2], &lines, place), Err(SkinError::Degenerate));
    }
}
