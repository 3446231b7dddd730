//! The fail-safe of contact: where impulses find no way out, everything that is near what collides is resolved at once.

use super::detection::CollisionDetector;
use crate::{Event, EventKind, World};
use craze_contact::solvers::impact_zones::resolve;
use craze_contact::solvers::impulse::{Contact, Side};
use craze_contact::{ContactTriangles, Impulse, SurfacePoint};

/// The surfaces of several things as one.
#[derive(Default)]
pub(crate) struct MergedSurface {
    points: Vec<SurfacePoint>,
    triangles: Vec<[u32; 3]>,
    origins: Vec<u32>,
    /// A body and its first point, in order; obstacles come last and are nobody's.
    bodies: Vec<(usize, usize)>,
    /// For every point the thing that it is of.
    owners: Vec<u32>,
    /// The smallest distance that one of them keeps (m).
    skin: f64,
}

impl MergedSurface {
    /// Adds a thing's surface, of a body if told so.
    fn add(&mut self, thing: u32, points: &[SurfacePoint], surface: &ContactTriangles, body: Option<usize>) {
        let first = self.points.len() as u32;
        self.owners.extend(points.iter().map(|_| thing));
        self.bodies.extend(body.map(|body| (body, self.points.len())));
        self.points.extend_from_slice(points);
        self.triangles.extend(surface.triangles.iter().map(|corners| corners.map(|corner| first + corner)));
        // A point's origin becomes the first point that has it: those of different bodies must not be the same.
        let mut known: Vec<(u32, u32)> = surface.origins.iter().copied().zip(0..).collect();
        known.sort_unstable();
        let origin = |point: u32| {
            let Some(own) = surface.origins.get(point as usize) else { return point };
            known.get(known.partition_point(|entry| entry.0 < *own)).map_or(point, |entry| entry.1)
        };
        self.origins.extend((0..points.len() as u32).map(|point| first + origin(point)));
        if surface.skin > 0.0 && !(self.skin > 0.0 && self.skin < surface.skin) {
            self.skin = surface.skin;
        }
    }
}

impl CollisionDetector {
    /// Everything that hangs together, through bodies that are near each other, with one of those that collide; ascending.
    pub(crate) fn around(&self, colliding: impl IntoIterator<Item = u32>) -> Vec<u32> {
        let mut found: Vec<u32> = colliding.into_iter().collect();
        found.sort_unstable();
        found.dedup();
        loop {
            let is_in = |thing: &u32| found.binary_search(thing).is_ok();
            // Who rests on the same ground has nothing to do with each other.
            let spreads = |thing: &u32| (*thing as usize) < self.bodies() && is_in(thing);
            let joined = self.near().iter().filter(|pair| pair.iter().any(spreads)).flatten();
            let fresh: Vec<u32> = joined.copied().filter(|thing| !is_in(thing)).collect();
            if fresh.is_empty() {
                return found;
            }
            found.extend(fresh);
            found.sort_unstable();
            found.dedup();
        }
    }
}

impl World {
    /// Whether a contact is one that impact zones know: they see triangles, not planes, balls and particles.
    pub(crate) fn zones_see(&self, contact: &Contact) -> bool {
        contact.sides.iter().all(|side| match side {
            Side::Rigid(obstacle) => !self.obstacles[*obstacle as usize].contact_triangles().triangles.is_empty(),
            Side::Points { .. } => {
                let owner = self.scratch.detector.owner_of(side);
                owner.is_some_and(|owner| {
                    !self.bodies[owner.body as usize].method.contact_triangles().triangles.is_empty()
                })
            }
        })
    }

    /// Moves what collides, and all that is near it, by impact zones. Says whether that went well; if not, the predictions are as they were.
    pub(crate) fn resolve_by_zones(&mut self, time_step: f64) -> bool {
        let mut all = MergedSurface::default();
        let colliding = self.scratch.colliding(self.bodies.len());
        // All of a body of which only points near an obstacle have been looked at.
        for &body in colliding.iter().filter(|&&thing| (thing as usize) < self.bodies.len()) {
            self.scratch.detector.show(body as usize, &self.bodies[body as usize]);
        }
        let things = self.scratch.detector.around(colliding);
        for thing in things.into_iter().filter(|&thing| self.scratch.detector.is_shown(thing as usize)) {
            let (index, body) = (thing as usize, self.bodies.get(thing as usize));
            let points = self.scratch.detector.shown(index).points.as_slice();
            match body {
                Some(body) => all.add(thing, points, &body.method.contact_triangles(), Some(index)),
                None => all.add(thing, points, &self.obstacles[index - self.bodies.len()].contact_triangles(), None),
            }
        }
        let MergedSurface { mut points, triangles, origins, bodies, owners, skin } = all;
        // Who is kept apart by other means, or not at all, may lie in each other: nothing that zones could resolve.
        let meet = |one: u32, other: u32| {
            let [one, other] = [one, other].map(|point| owners[point as usize]);
            self.scratch.detector.near().binary_search(&[one.min(other), one.max(other)]).is_ok()
        };
        let surface = ContactTriangles { version: 0, triangles: &triangles, is_closed: true, skin, origins: &origins };
        let before = points.clone();
        let Ok(report) = resolve(&mut points, &surface, skin, meet) else { return false };
        if report.points == 0 {
            return false;
        }
        let ends: Vec<usize> =
            bodies[1.min(bodies.len())..].iter().map(|entry| entry.1).chain([points.len()]).collect();
        for (&(body, first), end) in bodies.iter().zip(ends) {
            let moved = points[first..end].iter().zip(&before[first..end]);
            let moved = moved.filter(|(now, then)| now.end != then.end && now.inverse_mass > 0.0);
            let push = |(now, then): (&SurfacePoint, &SurfacePoint)| Impulse {
                dof: now.dof,
                impulse: (now.end - then.end) / (time_step * now.inverse_mass),
            };
            let mut impulses: Vec<Impulse> = moved.map(push).collect();
            impulses.sort_by_key(|impulse| impulse.dof);
            if impulses.is_empty() {
                continue;
            }
            let step = self.scratch.step(body, self.time, time_step, self.settings.gravity);
            self.bodies[body].method.receive(&impulses, &step);
            self.scratch.detector.changed(body);
        }
        if let Some(&(body, _)) = bodies.first() {
            let kind = EventKind::Zones { points: report.points as u64, rigid_points: report.rigid_points as u64 };
            self.events.push(Event { time: self.time, body: self.bodies[body].name.clone(), kind });
        }
        true
    }
}
