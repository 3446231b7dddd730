//! Volume compensation: surface points move by the volume that the triangles cut off.
//!
//! Chords of a curved surface lose volume and mass in proportion to the square of the edge. Offset
//! points add as much outside, which also reduces the mean distance to the surface.

use craze_math::Vec3;

use super::working_mesh::{PointConstraint, WorkingMesh};

/// Mean gap of a triangle over that at its centroid, on a quadric: mean product of two barycentric
/// coordinates 1/12, at the centroid 1/9.
const MEAN_GAP_RATIO: f64 = 0.75;
/// Smallest displacement (edges).
const MIN_DISPLACEMENT: f64 = 0.002;
/// Largest displacement (edges); larger gaps are no curvature.
const MAX_DISPLACEMENT: f64 = 0.1;

/// Offsets surface points within the angle bounds, given the gap (m, outward) at each triangle's
/// centroid.
pub(super) fn compensate_volume(working: &mut WorkingMesh, triangles: &[[u32; 3]], gaps: &[Option<f64>]) {
    let mut missing_volume = vec![0.0; working.positions.len()];
    let mut normals = vec![Vec3::zeros(); working.positions.len()];
    for (triangle, gap) in triangles.iter().zip(gaps) {
        let [a, b, c] = triangle.map(|point| working.positions[point as usize]);
        let area = (b - a).cross(&(c - a)) * 0.5;
        triangle.iter().for_each(|&point| normals[point as usize] += area);
        let is_free = |point: &&u32| working.constraint[**point as usize] == PointConstraint::Surface;
        let free = triangle.iter().filter(is_free).count() as f64;
        let volume = MEAN_GAP_RATIO * gap.unwrap_or(0.0) * area.norm();
        triangle.iter().filter(is_free).for_each(|&point| missing_volume[point as usize] += volume / free);
    }
    let mut points: Vec<u32> = triangles.as_flattened().to_vec();
    points.sort_unstable();
    points.dedup();
    for point in points {
        // Moving a point by d adds the volume d · ⅓ |∑ n A|.
        let normal = normals[point as usize];
        let volume_per_distance = normal.norm() / 3.0;
        let distance = missing_volume[point as usize] / volume_per_distance;
        if distance.abs() > MIN_DISPLACEMENT * working.edge {
            let distance = distance.clamp(-MAX_DISPLACEMENT * working.edge, MAX_DISPLACEMENT * working.edge);
            working.shift(point, normal * (distance / normal.norm()));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Domain;
    use crate::stuffing::testing::{ball, rotated_cylinder};
    use crate::stuffing::{StuffingOptions, stuff};
    use std::f64::consts::PI;

    #[test]
    fn coarse_round_bodies_keep_their_volume() {
        let domains: [(&dyn Domain, f64); 2] = [(&ball(1.0), 4.0 / 3.0 * PI), (&rotated_cylinder(1.0, 0.8), 1.6 * PI)];
        for (domain, volume) in domains {
            for edge in [0.5, 0.3, 0.1] {
                let mesh = stuff(domain, &StuffingOptions::with_edge(edge)).expect("a mesh").mesh;
                let ratio = mesh.total_measure() / volume;
                // Without compensation the ball loses 6 %, 2.5 % and 0.3 %.
                assert!((ratio - 1.0).abs() < 0.01, "{ratio} at {edge}");
            }
        }
    }
}
