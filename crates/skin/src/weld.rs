//! Points in one place.

use craze_math::{DisjointSets, Vec3};

/// A direction that no grid has.
const ACROSS: Vec3 = Vec3::new(0.589_321, 0.713_227, 0.379_549);

/// For every point the first of those that lie within `distance` (m) of it, or of one that does.
pub(crate) fn weld(points: &[Vec3], distance: f64) -> Vec<u32> {
    let mut order: Vec<(f64, u32)> = points.iter().map(|point| point.dot(&ACROSS)).zip(0..).collect();
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
    fn points_in_one_place_are_the_first_of_them() {
        let points = [0.0, 1.0, 1e-12, 1.0 + 1e-12, 0.5].map(|x| Vec3::new(x, 2.0, 3.0));
        assert_eq!(weld(&points, 1e-9), [0, 1, 0, 1, 4]);
        assert!(weld(&[], 1.0).is_empty());
    }
}
