//! Merging coincident points.

use craze_math::{DisjointSets, Vec3};

/// Sort direction, not aligned with any common lattice.
const SORT_DIRECTION: Vec3 = Vec3::new(0.589_321, 0.713_227, 0.379_549);

/// For every point the lowest index of its cluster: points within `distance` (m) of each other,
/// transitively.
pub(crate) fn weld(points: &[Vec3], distance: f64) -> Vec<u32> {
    let mut order: Vec<(f64, u32)> = points.iter().map(|point| point.dot(&SORT_DIRECTION)).zip(0..).collect();
    order.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    let mut sets = DisjointSets::new(points.len());
    for (index, &(along, one)) in order.iter().enumerate() {
        for &(_, other) in order[index + 1..].iter().take_while(|(next, _)| next - along <= 2.0 * distance) {
            if (points[one as usize] - points[other as usize]).norm() <= distance {
                sets.join(one, other);
            }
        }
    }
    (0..points.len() as u32).map(|point| sets.root(point)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coincident_points_are_merged_into_the_first() {
        let points = [0.0, 1.0, 1e-12, 1.0 + 1e-12, 0.5].map(|x| Vec3::new(x, 2.0, 3.0));
        assert_eq!(weld(&points, 1e-9), [0, 1, 0, 1, 4]);
        assert!(weld(&[], 1.0).is_empty());
    }
}
