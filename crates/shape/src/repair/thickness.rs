//! Wall thickness of surface domains, by rays from the surface inward.
//!
//! A wall exists only where both sides face each other: a cube's edge is not a thin wall, but a
//! blade is. Built-in shapes know their thinnest wall.

use craze_math::{Random, Vec3};
use craze_spatial::Ray;
use rayon::prelude::*;

use super::domain::SurfaceDomain;
use crate::domain::Domain;

/// Offset of ray starts, as a share of the size.
const RAY_OFFSET: f64 = 1e-7;
/// Points spread over the area.
const AREA_SAMPLES: usize = 4000;
/// Limit of additional triangle centroids, which cover small parts.
const MAX_CENTROID_SAMPLES: usize = 4000;
/// Cosine of 30°, the largest angle between opposite sides: a wider wedge is an edge, not a wall.
const MIN_FACING_COSINE: f64 = 0.866;
/// Tangent of 20°, by which the outer rays deviate from the normal.
const RAY_TILT: f64 = 0.364;
/// Triangles that a ray may cross within the domain, where parts overlap.
const MAX_INNER_CROSSINGS: usize = 64;

/// Wall thickness of a domain (m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thickness {
    /// The smallest thickness found.
    pub thinnest: f64,
    /// Its position on the surface (m).
    pub position: Vec3,
    /// The 5th percentile over the surface points that have a wall.
    pub fifth_percentile: f64,
    /// The median over these points.
    pub median: f64,
}

impl SurfaceDomain {
    /// Measures walls at some thousand points, the same for the same seed; none if no sides face
    /// each other. May miss parts smaller than the distance of these points.
    pub fn thickness(&self, seed: u64) -> Option<Thickness> {
        let starts = self.starts(seed);
        let found: Vec<Option<f64>> =
            starts.par_iter().map(|(point, normal, _)| self.wall_below(point, normal)).collect();
        let (mut thinnest, mut position) = (f64::INFINITY, None);
        let mut spread: Vec<f64> = Vec::new();
        for ((point, _, is_spread), wall) in starts.iter().zip(found) {
            let Some(wall) = wall else { continue };
            if wall < thinnest {
                (thinnest, position) = (wall, Some(*point));
            }
            if *is_spread {
                spread.push(wall);
            }
        }
        spread.sort_unstable_by(f64::total_cmp);
        let percentile = |share: usize| spread.get(spread.len() * share / 100).copied().unwrap_or(thinnest);
        Some(Thickness { thinnest, position: position?, fifth_percentile: percentile(5), median: percentile(50) })
    }

    /// Surface points with normals, and whether each is one of those spread evenly.
    fn starts(&self, seed: u64) -> Vec<(Vec3, Vec3, bool)> {
        let surface = self.surface();
        let normals: Vec<Vec3> = surface
            .triangles
            .iter()
            .map(|t| {
                let [a, b, c] = surface.corners(t);
                (b - a).cross(&(c - a))
            })
            .collect();
        let mut random = Random::new(seed);
        let mut starts = Vec::with_capacity(AREA_SAMPLES + MAX_CENTROID_SAMPLES);
        let step = normals.iter().map(|normal| normal.norm()).sum::<f64>() / AREA_SAMPLES as f64;
        let stride = normals.len().div_ceil(MAX_CENTROID_SAMPLES).max(1);
        let (mut passed, mut next) = (0.0, 0.5 * step);
        for (index, (triangle, normal)) in surface.triangles.iter().zip(&normals).enumerate() {
            let size = normal.norm();
            let Some(unit) = normal.try_normalize(0.0) else { continue };
            let [a, b, c] = surface.corners(triangle);
            passed += size;
            while next <= passed && step > 0.0 {
                let (mut u, mut v) = (random.number(), random.number());
                if u + v > 1.0 {
                    (u, v) = (1.0 - u, 1.0 - v);
                }
                starts.push((a + (b - a) * u + (c - a) * v, unit, true));
                next += step;
            }
            if index.is_multiple_of(stride) {
                starts.push(((a + b + c) / 3.0, unit, false));
            }
        }
        starts
    }

    /// Diameter (m) of the largest inner ball that touches the surface at a point, estimated from
    /// five rays: one at angle θ to the normal that exits at distance t bounds it by t/cos θ.
    fn wall_below(&self, point: &Vec3, normal: &Vec3) -> Option<f64> {
        let offset = RAY_OFFSET * self.size();
        // Inner faces of overlapping parts are not part of the boundary.
        if self.contains(&(point + normal * offset)) || !self.contains(&(point - normal * offset)) {
            return None;
        }
        let side = normal.cross(&Vec3::ith(normal.iamin(), 1.0)).normalize();
        let other = normal.cross(&side);
        let directions = [Vec3::zeros(), side, -side, other, -other].map(|tilt| tilt * RAY_TILT - normal);
        directions
            .iter()
            .filter_map(|direction| self.exit(point, normal, &direction.normalize()))
            .min_by(f64::total_cmp)
    }

    /// The exit distance of a ray over the cosine of its angle to the normal, if the exit side
    /// faces the start.
    fn exit(&self, start: &Vec3, normal: &Vec3, direction: &Vec3) -> Option<f64> {
        let offset = RAY_OFFSET * self.size();
        let mut ray = Ray::new(*start, *direction);
        ray.near = offset;
        for _ in 0..MAX_INNER_CROSSINGS {
            let hit = self.tree().cast(&ray)?;
            let next = hit.distance + offset;
            if self.contains(&ray.at(next)) {
                ray.near = next;
                continue;
            }
            let [a, b, c] = self.surface().corners(&self.surface().triangles[hit.triangle as usize]);
            let facing = (b - a).cross(&(c - a)).try_normalize(0.0)?;
            return (facing.dot(normal) < -MIN_FACING_COSINE).then(|| hit.distance / -direction.dot(normal));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::{Block, BuiltIn, Cylinder};
    use crate::repair::tests::{ball, inward, joined};
    use crate::surface::TriangleSurface;

    fn block(size: [f64; 3]) -> TriangleSurface {
        Block { size }.surface(1.0).expect("a block")
    }

    fn thickness(surface: &TriangleSurface) -> Thickness {
        let (domain, _) = SurfaceDomain::new(surface).expect("an inside");
        domain.thickness(1).expect("walls")
    }

    #[test]
    fn walls_of_simple_bodies_are_known() {
        let cube = thickness(&block([1.0; 3]));
        assert!((cube.thinnest - 1.0).abs() < 1e-9 && (cube.median - 1.0).abs() < 1e-9, "{cube:?}");
        let plate = thickness(&block([1.0, 0.05, 1.0]));
        assert!((plate.thinnest - 0.05).abs() < 1e-9 && (plate.median - 0.05).abs() < 1e-9, "{plate:?}");
        assert!((plate.position.y.abs() - 0.025).abs() < 1e-9);
        let pin = thickness(&Cylinder { radius: 0.2, height: 1.0 }.surface(0.02).expect("a pin"));
        assert!((pin.thinnest / 0.4 - 1.0).abs() < 0.01 && (pin.median / 0.4 - 1.0).abs() < 0.01, "{pin:?}");
        let solid = thickness(&ball(1.0));
        assert!(solid.thinnest > 1.9 && solid.median < 2.0, "{solid:?}");
    }

    #[test]
    fn a_hollow_has_a_wall_and_an_inner_shell_has_none() {
        let hollow = thickness(&joined(&[ball(1.0), inward(ball(0.9))]));
        assert!((hollow.thinnest / 0.1 - 1.0).abs() < 0.1 && (hollow.median / 0.1 - 1.0).abs() < 0.05, "{hollow:?}");
        let nested = thickness(&joined(&[ball(1.0), ball(0.9)]));
        assert!(nested.thinnest > 1.9, "{nested:?}");
    }

    #[test]
    fn a_thin_fin_on_a_cube_is_found() {
        let mut fin = block([0.02, 0.6, 0.5]);
        fin.positions.iter_mut().for_each(|point| point.y += 0.6);
        let both = thickness(&joined(&[block([1.0; 3]), fin]));
        assert!((both.thinnest - 0.02).abs() < 1e-9 && both.position.y > 0.5, "{both:?}");
        assert!((both.median - 1.0).abs() < 1e-9, "{both:?}");
    }
}
