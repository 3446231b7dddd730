//! Impact zones: where impulses find no solution, everything near a collision is resolved at once.

use super::detection::CollisionDetector;
use crate::{Event, EventKind, World};
use craze_contact::solvers::impact_zones::resolve;
use craze_contact::{Collision, ContactTriangles, Impulse, SurfacePoint};

/// The surfaces of several bodies and obstacles as one.
#[derive(Default)]
pub(crate) struct MergedSurface {
    points: Vec<SurfacePoint>,
    triangles: Vec<[u32; 3]>,
    origins: Vec<u32>,
    /// Each body and its first point, in order; obstacles come last.
    bodies: Vec<(usize, usize)>,
    /// The body or obstacle of each point.
    owners: Vec<u32>,
    /// The smallest skin (m).
    skin: f64,
}

impl MergedSurface {
    /// Adds the surface of a body or an obstacle.
    fn add(&mut self, thing: u32, points: &[SurfacePoint], surface: &ContactTriangles, body: Option<usize>) {
        let first = self.points.len() as u32;
        self.owners.extend(points.iter().map(|_| thing));
        self.bodies.extend(body.map(|body| (body, self.points.len())));
        self.points.extend_from_slice(points);
        self.triangles.extend(surface.triangles.iter().map(|corners| corners.map(|corner| first + corner)));
        // The origin of a point becomes the first point that has it: origins of different bodies
        // must differ.
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
    /// Everything that is connected to one of these, through bodies that are near each other;
    /// ascending.
    pub(crate) fn around(&self, colliding: impl IntoIterator<Item = u32>) -> Vec<u32> {
        let mut found: Vec<u32> = colliding.into_iter().collect();
        found.sort_unstable();
        found.dedup();
        loop {
            let is_in = |thing: &u32| found.binary_search(thing).is_ok();
            // Bodies that rest on the same ground are not connected by it.
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
    /// True if impact zones see both sides of a collision: they see triangles, not planes, balls
    /// and particles.
    pub(crate) fn zones_see(&self, collision: &Collision) -> bool {
        collision.sides.iter().all(|side| match side.rigid() {
            Some(obstacle) => !self.obstacles[obstacle as usize].contact_triangles().triangles.is_empty(),
            None => {
                let body = self.scratch.detector.body_of(side);
                body.is_some_and(|body| !self.bodies[body].method.collision_geometry().triangles.triangles.is_empty())
            }
        })
    }

    /// Resolves what collides, and all that is near it, by impact zones. Returns false if that
    /// fails: then the predictions are unchanged.
    pub(crate) fn resolve_by_zones(&mut self, time_step: f64) -> bool {
        let mut all = MergedSurface::default();
        let colliding = self.scratch.colliding(self.bodies.len());
        // Only points near obstacles may be current so far.
        for &body in colliding.iter().filter(|&&thing| (thing as usize) < self.bodies.len()) {
            self.scratch.detector.show(body as usize, &self.bodies[body as usize]);
        }
        let things = self.scratch.detector.around(colliding);
        for thing in things.into_iter().filter(|&thing| self.scratch.detector.is_current(thing as usize)) {
            let (index, body) = (thing as usize, self.bodies.get(thing as usize));
            let points = self.scratch.detector.surface(index).points.as_slice();
            match body {
                Some(body) => all.add(thing, points, &body.method.collision_geometry().triangles, Some(index)),
                None => all.add(thing, points, &self.obstacles[index - self.bodies.len()].contact_triangles(), None),
            }
        }
        let MergedSurface { mut points, triangles, origins, bodies, owners, skin } = all;
        // Pairs that are kept apart by other means may penetrate each other: zones could not
        // resolve that.
        let collides = |one: u32, other: u32| {
            let [one, other] = [one, other].map(|point| owners[point as usize]);
            self.scratch.detector.near().binary_search(&[one.min(other), one.max(other)]).is_ok()
        };
        let surface = ContactTriangles { version: 0, triangles: &triangles, is_closed: true, skin, origins: &origins };
        let before = points.clone();
        let Ok(report) = resolve(&mut points, &surface, skin, collides) else { return false };
        if report.points == 0 {
            return false;
        }
        let ends: Vec<usize> =
            bodies[1.min(bodies.len())..].iter().map(|entry| entry.1).chain([points.len()]).collect();
        for (&(body, first), end) in bodies.iter().zip(ends) {
            let moved = points[first..end].iter().zip(&before[first..end]).zip(0..);
            let moved = moved.filter(|((now, then), _)| now.end != then.end && now.inverse_mass > 0.0);
            let surface = self.scratch.detector.surface(body);
            let on_dofs = |((now, then), point): ((&SurfacePoint, &SurfacePoint), u32)| {
                surface.impulses(point, (now.end - then.end) / (time_step * now.inverse_mass))
            };
            let mut impulses: Vec<Impulse> = moved.flat_map(on_dofs).collect();
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
