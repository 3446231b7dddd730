//! Contacts with obstacles in the equations of implicit bodies.

use super::{is_near_shape, point_names};
use crate::{Body, Failure, World};
use craze_contact::CollisionGeometry;
use craze_contact::collisions::obstacle::find_obstacle_collisions;
use craze_contact::solvers::spring::SpringContact;
use craze_contact::tolerances::{MAX_RESTING_PENETRATION, RESTING_MASS_FACTOR, SPRING_STIFFNESS_FACTOR};
use craze_spatial::Aabb;
use std::collections::BTreeSet;

/// Whether contacts may be dropped in this round of corrections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Round {
    Early,
    Last,
}

impl World {
    /// Finds the contacts with obstacles for the equations of implicit bodies: points that would
    /// end inside one in free flight.
    pub(crate) fn find_contacts(&mut self, time_step: f64) {
        self.scratch.implicit_contacts.clear();
        for index in 0..self.bodies.len() {
            self.scratch.equations[index].clear();
            // A body that moves by more than its own size in a step is found when its prediction is
            // checked.
            let far = |reach: Aabb| reach.grown(reach.size().norm());
            if !self.may_touch(index, far, time_step) {
                continue;
            }
            let surface = &mut self.scratch.surface;
            surface.clear();
            self.bodies[index].method.collision_geometry().points.add_points(surface);
            let fall = 0.5 * time_step * self.settings.gravity;
            for point in &mut surface.points {
                point.end = point.start + time_step * (point.start_velocity + fall);
            }
            let contacts = self.obstacle_contacts(index, time_step);
            self.scratch.equations[index].set_obstacles(contacts);
        }
    }

    /// Corrects the contacts of implicit bodies by their predictions: contacts with obstacles that
    /// pull are dropped, unless it is the last round, and points that ended inside an obstacle or
    /// too close to another body get contacts. Friction follows from normal force and slip, and so
    /// do the forces between bodies. Bodies with changes predict again. Returns true if there are
    /// any.
    pub(crate) fn correct_contacts(&mut self, time_step: f64, round: Round) -> Result<bool, (usize, Failure)> {
        self.find_implicit_contacts(time_step);
        let mut changed = BTreeSet::new();
        for index in 0..self.bodies.len() {
            if self.correct_obstacle_contacts(index, time_step, round) {
                changed.insert(index);
            }
        }
        self.correct_implicit_contacts(&mut changed, time_step)?;
        let is_implicit = |index: &&usize| self.bodies[**index].is_implicit;
        let implicit: Vec<usize> = changed.iter().filter(is_implicit).copied().collect();
        for &index in &implicit {
            self.predict([index], time_step)?;
            self.follow_implicit_contacts(index);
        }
        Ok(!implicit.is_empty())
    }

    /// The same for the contacts of one body with obstacles. Returns true if it has to predict
    /// again.
    fn correct_obstacle_contacts(&mut self, index: usize, time_step: f64, round: Round) -> bool {
        if !self.may_touch(index, |reach| reach, time_step) {
            return false;
        }
        self.scratch.surface.clear();
        self.bodies[index].method.collision_geometry().points.add_points(&mut self.scratch.surface);
        let found = self.obstacle_contacts(index, time_step);
        let skin = self.bodies[index].method.collision_geometry().triangles.skin;
        let mut contacts = self.scratch.equations[index].take_obstacles();
        let usual = |mobility: f64, distance: f64| self.contact_stiffness(mobility, time_step, distance);
        let mut has_changed = false;
        // Both lists are in the order of degrees of freedom.
        let mut listed = self.scratch.surface.points.iter().peekable();
        contacts.retain_mut(|contact| {
            let dof = contact.collision.sides[0][1];
            while listed.next_if(|point| point.dof < dof).is_some() {}
            let Some(point) = listed.peek().filter(|point| point.dof == dof) else { return true };
            let keep = contact.normal_force(&point.end) >= 0.0 || round == Round::Last;
            let distance = skin + point.radius;
            has_changed |= contact.correct(&point.end, distance, usual(point.inverse_mass, distance)) || !keep;
            keep
        });
        let kept = contacts.len();
        for contact in found {
            if contacts[..kept].binary_search_by_key(&contact.key(), SpringContact::key).is_err() {
                contacts.push(contact);
            }
        }
        has_changed |= contacts.len() > kept;
        self.scratch.equations[index].set_obstacles(contacts);
        has_changed
    }

    /// True if a body takes contacts into its equations and something in its bounding box, as
    /// `grown`, could touch an obstacle.
    fn may_touch(&self, body: usize, grown: impl Fn(Aabb) -> Aabb, time_step: f64) -> bool {
        let Body { method, is_implicit, .. } = &self.bodies[body];
        if !is_implicit || self.obstacles.is_empty() {
            return false;
        }
        let CollisionGeometry { bounds, triangles, .. } = method.collision_geometry();
        let reach = grown(bounds).grown(triangles.skin);
        self.obstacles.iter().any(|obstacle| {
            let poses = (obstacle.pose(self.time), obstacle.predicted_pose(self.time + time_step));
            is_near_shape(&obstacle.shape, &poses, &reach)
        })
    }

    /// The contacts of the surface in the scratch memory with obstacles.
    fn obstacle_contacts(&self, body: usize, time_step: f64) -> Vec<SpringContact> {
        let (surface, mut found, mut contacts) = (&self.scratch.surface, Vec::new(), Vec::new());
        let skin = self.bodies[body].method.collision_geometry().triangles.skin;
        for (index, obstacle) in self.obstacles.iter().enumerate() {
            let (start, end) = (obstacle.pose(self.time), obstacle.predicted_pose(self.time + time_step));
            let thing = self.bodies.len() + index;
            let material = self.settings.pairs.get(body, thing);
            found.clear();
            find_obstacle_collisions(surface, &obstacle.shape, [&start, &end], (skin, 1.0), material, &mut found);
            contacts.extend(found.iter().filter_map(|collision| {
                let number = collision.sides[0].points[0];
                let point = &surface.points[number as usize];
                let normal = collision.normal;
                // Where the point would be if it stuck to the obstacle, and from there straight to
                // the surface.
                let stuck = end.transform_point(&start.inverse_transform_point(&point.start.into())).coords;
                let on_surface = point.end - collision.gap_at_end * normal;
                let anchor = stuck + (on_surface - stuck).dot(&normal) * normal;
                let stiffness = self.contact_stiffness(point.inverse_mass, time_step, skin + point.radius);
                let named = collision.map(|side, _| point_names(body, point.dof, thing)[side]);
                let contact = || SpringContact::new(named, surface.stencil(number), anchor, stiffness);
                (point.inverse_mass > 0.0).then(contact)
            }));
        }
        contacts
    }

    /// Stiffness (N/m) of the contact of a point of a mobility (1/kg) in an implicit body with a
    /// contact distance (m): [`SPRING_STIFFNESS_FACTOR`], or as stiff as leaves most of the
    /// distance under a resting mass. Δt is that of a step which nothing has halved: a point that
    /// rests as deep as bears its weight in a long step would be shot out by the springs of a short
    /// one.
    pub(crate) fn contact_stiffness(&self, mobility: f64, time_step: f64, distance: f64) -> f64 {
        let longest = time_step * self.throttle.divisor();
        let by_inertia = SPRING_STIFFNESS_FACTOR / (longest * longest);
        let weight = RESTING_MASS_FACTOR * self.settings.gravity.norm();
        let by_weight = if distance > 0.0 { weight / (MAX_RESTING_PENETRATION * distance) } else { 0.0 };
        by_inertia.max(by_weight) / mobility
    }
}
