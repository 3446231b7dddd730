//! Cracks carried out past the surface that they are to cut.

use craze_math::{Random, Vec3};
use craze_spatial::WindingTree;

use crate::cracks::Cracks;
use crate::error::SkinError;

/// How far beyond the surface a crack ends at least, in shortest edges at the vertex.
const MARGIN: f64 = 0.3;
/// Share of that which will do: more than roughness takes away.
const ENOUGH: f64 = 0.7;
/// Growth beyond the depth that was measured, as a factor: the surface is not flat.
const BEYOND: f64 = 1.3;
/// Places along an edge of the rim that are looked at.
const PLACES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
/// Times that the rim is carried further,
const ROUNDS: usize = 8;
/// and how many of them along the normal.
const STRAIGHT: usize = 2;
/// A hair (in edges) by which vertices are moved so that no four points lie in one plane.
const HAIR: f64 = 1e-7;

impl Cracks {
    /// Moves the rim outward until all of it lies outside the closed surface.
    pub(crate) fn grow(&mut self, positions: &[Vec3], triangles: &[[u32; 3]]) -> Result<(), SkinError> {
        let surface = WindingTree::new(positions, triangles).map_err(|_| SkinError::Surface)?;
        for round in 0..=ROUNDS {
            let mut further = vec![Vec3::zeros(); self.positions.len()];
            let mut ask = |vertex: u32, (deep, out): (f64, Vec3)| {
                let vertex = vertex as usize;
                // Along the normal first; where that leads into another part of the surface, the shortest way out.
                let way = if round < STRAIGHT { self.outward[vertex] } else { out };
                let way = further_from(deep, self.reach[vertex]) * way;
                if way.norm() > further[vertex].norm() {
                    further[vertex] = way;
                }
            };
            // Also corners that only touch the surface: what lies in it is neither in nor out.
            for vertex in 0..self.positions.len() as u32 {
                if self.outward[vertex as usize] != Vec3::zeros() {
                    ask(vertex, depth(&surface, &self.positions[vertex as usize]));
                }
            }
            for edge in &self.rim {
                let [from, to] = edge.map(|vertex| self.positions[vertex as usize]);
                let places = PLACES.map(|place| depth(&surface, &(from + place * (to - from))));
                for place in places {
                    edge.iter().for_each(|&vertex| ask(vertex, place));
                }
            }
            if further.iter().all(|way| *way == Vec3::zeros()) {
                return Ok(());
            }
            self.positions.iter_mut().zip(&further).for_each(|(position, way)| *position += way);
        }
        for edge in &self.rim {
            for place in PLACES {
                let [from, to] = edge.map(|vertex| self.positions[vertex as usize]);
                let at = from + place * (to - from);
                if depth(&surface, &at).0 > 0.0 {
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

/// How deep a point lies within a closed surface (m), negative outside, and the shortest way out, or on from it.
fn depth(surface: &WindingTree, point: &Vec3) -> (f64, Vec3) {
    let Some(closest) = surface.triangles().closest(point) else { return (f64::NEG_INFINITY, Vec3::zeros()) };
    let distance = closest.distance_squared.sqrt();
    let toward = (closest.point - point).try_normalize(0.0).unwrap_or_else(Vec3::zeros);
    if surface.winding_number(point) > 0.5 { (distance, toward) } else { (-distance, -toward) }
}
