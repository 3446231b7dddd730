//! Random displacement of inner points.

use crate::id::Id;
use crate::lattice::Jitter;
use crate::measure::Measure;
use crate::mesh::SimplexMesh;
use craze_math::{Random, Vec3};

/// Share of its measure that an element keeps when a point is displaced.
const KEPT_MEASURE: f64 = 0.3;

impl<P: Id, E: Id, const N: usize> SimplexMesh<P, E, N>
where
    [Vec3; N]: Measure,
{
    /// Displaces inner points at random, each by at most `jitter.amount` of its shortest edge along
    /// every direction of `within` (orthonormal). A displacement that would flatten an element is
    /// halved, at most three times, or left out. Points of the boundary stay.
    pub fn jitter_inner_points(&mut self, jitter: Jitter, within: &[Vec3]) {
        let mut is_inner = vec![true; self.point_count()];
        for facet in self.boundary_facets().collect::<Vec<_>>() {
            for point in self.facet_points(facet).into_iter().flatten() {
                is_inner[point.index()] = false;
            }
        }
        let mut random = Random::new(jitter.seed);
        for point in self.point_ids().filter(|point| is_inner[point.index()]) {
            let start = self.position(point);
            let star: Vec<E> = self.elements_of(point).collect();
            let others = star.iter().flat_map(|&element| self.points_of(element)).filter(|&other| other != point);
            let shortest = others.map(|other| (self.position(other) - start).norm()).fold(f64::INFINITY, f64::min);
            let mut shift: Vec3 = within.iter().map(|axis| jitter.amount * shortest * random.signed() * axis).sum();
            let before: Vec<f64> = star.iter().map(|&element| self.measure(element)).collect();
            for _ in 0..4 {
                let is_sound = self.move_point(point, start + shift).is_ok()
                    && star.iter().zip(&before).all(|(&element, before)| self.measure(element) > KEPT_MEASURE * before);
                if is_sound {
                    break;
                }
                // Moving back is always valid.
                let _ = self.move_point(point, start);
                shift *= 0.5;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::lattice::{Jitter, kuhn_box};
    use craze_math::Vec3;

    #[test]
    fn inner_points_move_and_the_shape_stays() {
        let regular = kuhn_box([4, 4, 4], Vec3::repeat(1.0)).unwrap();
        let axes = [Vec3::x(), Vec3::y(), Vec3::z()];
        let jittered = |seed| {
            let mut mesh = regular.clone();
            mesh.jitter_inner_points(Jitter { amount: 0.4, seed }, &axes);
            mesh
        };
        let mesh = jittered(1);
        mesh.validate().unwrap();
        assert!((mesh.total_measure() - 1.0).abs() < 1e-12);
        let moved = mesh.positions().iter().zip(regular.positions()).filter(|(new, old)| new != old).count();
        assert_eq!(moved, 27);
        assert_eq!(mesh, jittered(1));
        assert_ne!(mesh, jittered(2));
    }
}
