//! The volume: surface points move out, or in, by what the triangles around them cut off.
//!
//! Triangles whose corners lie on a curved surface are chords of it: a convex body loses volume, and with it mass, in proportion to
//! the square of the edge length. Points that stand off the surface by a part of that gap leave as much outside as they take, and
//! are nearer to the surface on the whole.

use craze_math::Vec3;

use super::shaping::{Freedom, Shaping};

/// The mean gap over a triangle as part of that at its middle, where the surface is a quadric through the corners: the products of two
/// barycentric coordinates are 1/12 on the mean and 1/9 in the middle.
const MEAN_OF_GAP: f64 = 0.75;
/// Points do not move by less than this (edges),
const LEAST: f64 = 0.002;
/// nor by more: such gaps are corners cut off and places lost, not curvature.
const MOST: f64 = 0.1;

/// Moves surface points as far as angles allow, given the gap (m, outward) in the middle of each surface triangle.
pub(super) fn keep_volume(shaping: &mut Shaping, triangles: &[[u32; 3]], gaps: &[Option<f64>]) {
    let mut missing = vec![0.0; shaping.positions.len()];
    let mut normals = vec![Vec3::zeros(); shaping.positions.len()];
    for (triangle, gap) in triangles.iter().zip(gaps) {
        let [a, b, c] = triangle.map(|point| shaping.positions[point as usize]);
        let area = (b - a).cross(&(c - a)) * 0.5;
        triangle.iter().for_each(|&point| normals[point as usize] += area);
        let is_free = |point: &&u32| shaping.freedom[**point as usize] == Freedom::Surface;
        let free = triangle.iter().filter(is_free).count() as f64;
        let volume = MEAN_OF_GAP * gap.unwrap_or(0.0) * area.norm();
        triangle.iter().filter(is_free).for_each(|&point| missing[point as usize] += volume / free);
    }
    let mut points: Vec<u32> = triangles.as_flattened().to_vec();
    points.sort_unstable();
    points.dedup();
    for point in points {
        // A point that moves by d takes d · ⅓ ∑ n A of volume along.
        let normal = normals[point as usize];
        let gained = normal.norm() / 3.0;
        let distance = missing[point as usize] / gained;
        if distance.abs() > LEAST * shaping.edge {
            let distance = distance.clamp(-MOST * shaping.edge, MOST * shaping.edge);
            shaping.shift(point, normal * (distance / normal.norm()));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Domain;
    use crate::stuffing::testing::{ball, turned_cylinder};
    use crate::stuffing::{StuffingOptions, stuff};
    use std::f64::consts::PI;

    #[test]
    fn coarse_round_bodies_keep_their_volume() {
        let domains: [(&dyn Domain, f64); 2] = [(&ball(1.0), 4.0 / 3.0 * PI), (&turned_cylinder(1.0, 0.8), 1.6 * PI)];
        for (domain, volume) in domains {
            for edge in [0.5, 0.3, 0.1] {
                let mesh = stuff(domain, &StuffingOptions::with_edge(edge)).expect("a mesh").mesh;
                let ratio = mesh.total_measure() / volume;
                // Chords alone would lose 6 %, 2.5 % and 0.3 % of the ball.
                assert!((ratio - 1.0).abs() < 0.01, "{ratio} at {edge}");
            }
        }
    }
}
