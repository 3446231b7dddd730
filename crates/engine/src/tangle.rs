//! Whether bodies pass through each other: before a run, and whenever somebody asks.

use crate::World;
use craze_contact::ContactSurface;
use craze_contact::tangle::{Moment, between, within};
use craze_math::Vec3;
use craze_spatial::Aabb;

/// Two bodies that pass through each other, or one through itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tangle {
    /// The two, as the world numbers them; the same twice for one that passes through itself.
    pub bodies: [usize; 2],
    /// Where (m).
    pub place: Vec3,
}

impl World {
    /// All pairs of bodies that pass through each other in the present state, each with one place, up to a millionth of an edge. Bodies that only
    /// touch do not. Bodies whose places are not numbers are left out: no step accepts them.
    pub fn tangles(&self) -> Vec<Tangle> {
        let places: Vec<Vec<Vec3>> = self
            .bodies
            .iter()
            .map(|body| {
                let mut surface = ContactSurface::default();
                body.method.contact_surface(&mut surface);
                surface.points.iter().map(|point| point.start).collect()
            })
            .collect();
        let boxes: Vec<Aabb> = places.iter().map(Aabb::around).collect();
        let moment =
            |body: usize| Moment { places: &places[body], triangles: self.bodies[body].method.contact_triangles() };
        let mut found = Vec::new();
        for first in 0..self.bodies.len() {
            if let Ok(Some(place)) = within(&moment(first)) {
                found.push(Tangle { bodies: [first, first], place });
            }
            for second in (first + 1..self.bodies.len()).filter(|&second| boxes[first].overlaps(&boxes[second])) {
                if let Ok(Some(place)) = between(&moment(first), &moment(second)) {
                    found.push(Tangle { bodies: [first, second], place });
                }
            }
        }
        found
    }
}
