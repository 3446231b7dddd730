//! Material points that probes observe, tracked through edits.

use crate::closest::{Barycentric, interpolate};
use craze_engine::MaterialPoint;
use craze_math::Vec3;
use craze_mesh::{Edit, Id, SimplexMesh};
use serde::{Deserialize, Serialize};

/// Points that a body tracks, by the numbers under which it gave them out: a `MaterialPoint` of a
/// mesh, the number of a particle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TrackedPoints<Point> {
    points: Vec<Point>,
}

/// Points whose elements an edit removes: each by its number, with its rest position (m).
pub type Moving = Vec<(usize, Vec3)>;

impl<Point> Default for TrackedPoints<Point> {
    /// No points.
    fn default() -> Self {
        TrackedPoints { points: Vec::new() }
    }
}

impl<Point> TrackedPoints<Point> {
    /// Tracks a point from now on. The result names it by its number, so that its element may
    /// change; `weights` are for the caller.
    pub fn track(&mut self, point: Point, weights: [f64; 4]) -> MaterialPoint {
        self.points.push(point);
        MaterialPoint { element: self.points.len() as u32 - 1, weights }
    }

    /// The point that [`track`](TrackedPoints::track) gave this name.
    #[inline]
    pub fn get(&self, name: &MaterialPoint) -> Option<&Point> {
        self.points.get(name.element as usize)
    }

    /// All points, in the order in which they were tracked.
    pub fn iter(&self) -> impl Iterator<Item = &Point> {
        self.points.iter()
    }

    /// All points, to be renumbered.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Point> {
        self.points.iter_mut()
    }
}

impl TrackedPoints<MaterialPoint> {
    /// The points in elements that an edit is about to remove. Takes time in proportion to the
    /// number of tracked points.
    pub fn leaving<P: Id, E: Id, const N: usize>(&self, mesh: &SimplexMesh<P, E, N>, removed: &[E]) -> Moving {
        let leaves = |point: &MaterialPoint| removed.iter().any(|element| element.raw() == point.element);
        let rest = |point: &MaterialPoint| {
            let corners = mesh.elements()[point.element as usize].map(|corner| mesh.positions()[corner as usize]);
            interpolate(&corners, &point.weights)
        };
        let leaving = self.points.iter().enumerate().filter(|(_, point)| leaves(point));
        leaving.map(|(number, point)| (number, rest(point))).collect()
    }

    /// Moves points whose elements were removed into the new elements that replace them: the part
    /// of its old element in which a point lies deepest.
    pub fn enter<P: Id, E: Id, const N: usize>(
        &mut self,
        mesh: &SimplexMesh<P, E, N>,
        edit: &Edit<P, E>,
        moving: &Moving,
    ) where
        [Vec3; N]: Barycentric,
    {
        for &(number, rest) in moving {
            let old = self.points[number].element;
            let mut deepest = f64::NEG_INFINITY;
            for added in edit.elements_added.iter().filter(|added| added.parent.raw() == old) {
                let corners = mesh.elements()[added.element.index()].map(|corner| mesh.positions()[corner as usize]);
                let Some(weights) = corners.coordinates(&rest) else { continue };
                let depth = weights[..N].iter().copied().fold(f64::INFINITY, f64::min);
                if depth > deepest {
                    deepest = depth;
                    self.points[number] = MaterialPoint { element: added.element.raw(), weights };
                }
            }
        }
    }

    /// Gives every point the new number of its element after a renumbering. `new_numbers` are by
    /// old element.
    pub fn renumber(&mut self, new_numbers: &[u32]) {
        for point in &mut self.points {
            point.element = new_numbers[point.element as usize];
        }
    }

    /// Returns true if all points lie in elements of a mesh with so many of them. A list from a
    /// file may be anything.
    pub fn is_sound(&self, elements: usize) -> bool {
        self.points.iter().all(|point| (point.element as usize) < elements)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::closest::closest_point;
    use craze_math::Random;
    use craze_mesh::{NodeId, Snap, TetMesh, kuhn_box};

    fn rest_of(mesh: &TetMesh, point: &MaterialPoint) -> Vec3 {
        interpolate(&mesh.corners(craze_mesh::TetId(point.element)), &point.weights)
    }

    #[test]
    fn points_keep_their_rest_position_through_cuts() {
        let mut mesh = kuhn_box([4, 4, 4], Vec3::repeat(1.0)).unwrap();
        let (mut random, mut tracked) = (Random::new(2), TrackedPoints::default());
        let positions: Vec<Vec3> = (0..40).map(|_| 0.5 * (random.vector() + Vec3::repeat(1.0))).collect();
        let names: Vec<MaterialPoint> = (positions.iter())
            .map(|position| {
                let point = closest_point(&mesh, position);
                tracked.track(point, point.weights)
            })
            .collect();
        let mut entered = 0;
        for node in [62, 31, 87, 40, 75] {
            let current = mesh.positions().to_vec();
            let Ok(patch) = mesh.plan_cut(
                NodeId(node),
                &craze_mesh::CutSurface::plane(random.direction()),
                |point| current[point.index()],
                Snap::PAPER,
            ) else {
                continue;
            };
            let moving = tracked.leaving(&mesh, &patch.removed);
            let edit = mesh.replace(&patch).unwrap();
            tracked.enter(&mesh, &edit, &moving);
            entered += moving.len();
        }
        assert!(entered > 5, "{entered} points changed their element");
        for (name, position) in names.iter().zip(&positions) {
            assert!((rest_of(&mesh, tracked.get(name).unwrap()) - position).norm() < 1e-13);
        }
        assert!(tracked.is_sound(mesh.element_count()) && !tracked.is_sound(1));
    }
}
