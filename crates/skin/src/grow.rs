//! Cracks carried out past the surface that they are to cut.

use craze_math::{Random, Vec3};
use craze_spatial::WindingTree;

use crate::cracks::Cracks;
use crate::error::SkinError;

/// How far beyond the surface a crack ends at least, in shortest edges at the vertex.
const MARGIN: f64 = 0.2;
/// Share of that which will do: more than roughness takes away.
const ENOUGH: f64 = 0.6;
/// Growth beyond the depth that was measured, as a factor: the surface is not flat.
const BEYOND: f64 = 1.3;
/// Places along an edge of the rim that are looked at.
const PLACES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
/// Times that the rim is carried further.
const ROUNDS: usize = 6;
/// A hair (in edges) by which vertices are moved so that no four points lie in one plane.
const HAIR: f64 = 1e-7;

impl Cracks {
    /// Moves the rim outward until all of it lies outside the closed surface.
    pub(crate) fn grow(&mut self, positions: &[Vec3], triangles: &[[u32; 3]]) -> Result<(), SkinError> {
        let surface = WindingTree::new(positions, triangles).map_err(|_| SkinError::Surface)?;
        let mut further = vec![0.0_f64; self.positions.len()];
        for _ in 0..=ROUNDS {
            further.fill(0.0);
            // Also corners that only touch the surface: what lies in it is neither in nor out.
            for (vertex, way) in further.iter_mut().enumerate() {
                if self.outward[vertex] != Vec3::zeros() {
                    *way = further_from(depth(&surface, &self.positions[vertex]), self.reach[vertex]);
                }
            }
            for edge in &self.rim {
                let [from, to] = edge.map(|vertex| self.positions[vertex as usize]);
                let deepest = PLACES.map(|place| depth(&surface, &(from + place * (to - from))));
                let deepest = deepest.into_iter().fold(f64::NEG_INFINITY, f64::max);
                for &vertex in edge {
                    let way = &mut further[vertex as usize];
                    *way = way.max(further_from(deepest, self.reach[vertex as usize]));
                }
            }
            if further.iter().all(|way| *way == 0.0) {
                return Ok(());
            }
            for (vertex, &way) in further.iter().enumerate() {
                self.positions[vertex] += way * self.outward[vertex];
            }
        }
        for edge in &self.rim {
            for place in PLACES {
                let [from, to] = edge.map(|vertex| self.positions[vertex as usize]);
                let at = from + place * (to - from);
                if depth(&surface, &at) > 0.0 {
                    return Err(SkinError::RimInside { x: at.x, y: at.y, z: at.z });
                }
            }
        }
        Ok(())
    }

    /// Moves every vertex by a hair.
    pub fn unsettle(&mut self, seed: u64) {
        let mut random = Random::new(seed);
        for position in &mut self.positions {
            *position += HAIR * self.edge * random.direction();
        }
    }
}

/// How much further (m) to carry a vertex that lies so deep (m), its shortest edge being this long (m).
fn further_from(depth: f64, reach: f64) -> f64 {
    if depth > -ENOUGH * MARGIN * reach { BEYOND * depth.max(0.0) + MARGIN * reach } else { 0.0 }
}

/// How deep a point lies within a closed surface (m); negative outside.
fn depth(surface: &WindingTree, point: &Vec3) -> f64 {
    let Some(closest) = surface.triangles().closest(point) else { return f64::NEG_INFINITY };
    let distance = closest.distance_squared.sqrt();
    if surface.winding_number(point) > 0.5 { distance } else { -distance }
}
