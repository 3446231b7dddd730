//! Merging of coincident points.

use std::collections::HashMap;

use craze_math::Vec3;

/// For each point, the index of the first point that it coincides with: of equal coordinates, or
/// nearer than `tolerance` (m). Points must be finite. Cells of four tolerances keep most searches
/// within one cell.
pub(super) fn first_coincident(points: &[Vec3], tolerance: f64) -> Vec<u32> {
    let mut exact: HashMap<[u64; 3], u32> = HashMap::with_capacity(points.len());
    let mut first: Vec<u32> = Vec::with_capacity(points.len());
    for (index, point) in points.iter().enumerate() {
        // Maps −0 to 0.
        let key = [point.x, point.y, point.z].map(|value| (value + 0.0).to_bits());
        first.push(*exact.entry(key).or_insert(index as u32));
    }
    if !(tolerance > 0.0) {
        return first;
    }
    let width = 4.0 * tolerance;
    let cell = |point: &Vec3, shift: f64| point.map(|value| ((value + shift) / width).floor());
    // First points of a cell form a linked list.
    let mut latest: HashMap<[i64; 3], u32> = HashMap::with_capacity(points.len());
    let mut before = vec![u32::MAX; points.len()];
    for (index, point) in points.iter().enumerate() {
        if first[index] != index as u32 {
            first[index] = first[first[index] as usize];
            continue;
        }
        let (low, high) = (cell(point, -tolerance), cell(point, tolerance));
        let mut same = None;
        for corner in 0..8 {
            let pick = |axis: usize| if corner >> axis & 1 == 1 { high[axis] } else { low[axis] };
            if (0..3).any(|axis| corner >> axis & 1 == 1 && high[axis] == low[axis]) {
                continue;
            }
            let mut candidate = latest.get(&[pick(0), pick(1), pick(2)].map(|c| c as i64)).copied().unwrap_or(u32::MAX);
            while candidate != u32::MAX {
                if (points[candidate as usize] - point).norm() <= tolerance {
                    same = Some(same.map_or(candidate, |known: u32| known.min(candidate)));
                }
                candidate = before[candidate as usize];
            }
        }
        match same {
            Some(earlier) => first[index] = earlier,
            None => {
                let home = cell(point, 0.0);
                let key = [home.x, home.y, home.z].map(|c| c as i64);
                before[index] = latest.insert(key, index as u32).unwrap_or(u32::MAX);
            }
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn equal_points_are_merged_whatever_the_sign_of_zero() {
        let points = [Vec3::new(0.0, 1.0, 2.0), Vec3::new(3.0, 1.0, 2.0), Vec3::new(-0.0, 1.0, 2.0)];
        assert_eq!(first_coincident(&points, 0.0), [0, 1, 0]);
        assert_eq!(first_coincident(&points, 1e-9), [0, 1, 0]);
    }

    proptest! {
        #[test]
        fn near_points_are_merged_and_far_points_are_not(seed in 0_u64..1000) {
            let mut random = craze_math::Random::new(seed);
            let mut points: Vec<Vec3> = (0..200).map(|_| random.direction()).collect();
            let twins: Vec<Vec3> = points.iter().map(|point| point + random.direction() * 0.9e-6).collect();
            points.extend(twins);
            let first = first_coincident(&points, 1e-6);
            for index in 0..points.len() {
                let known = first[index] as usize;
                prop_assert!(known <= index && first[known] as usize == known);
                prop_assert!((points[known] - points[index]).norm() <= 1e-6);
                if known == index {
                    let lonely = (0..index)
                        .filter(|&other| first[other] as usize == other)
                        .all(|other| (points[other] - points[index]).norm() > 1e-6);
                    prop_assert!(lonely);
                }
            }
        }
    }
}
