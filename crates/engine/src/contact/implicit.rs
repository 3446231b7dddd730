//! Contacts between implicit bodies and other bodies.
//!
//! Bodies never share a matrix. Two bodies in contact share a force, that of a spring between
//! weighted points of both, and their compliances: that of an implicit body follows from its own
//! equations, [`Method::compliance`](crate::Method::compliance), that of an explicit one from its
//! masses, Δt²/m. From these follow the forces of all contacts at once ([`solve`]). Every body then
//! predicts again with its share of them, and since bodies respond almost linearly over a step, one
//! or two such rounds are enough. In every round the forces on the two sides are opposite to the
//! bit.
//!
//! Rejected: one side after the other against a spring that knows the other side by a number. Faces
//! that touch in fifty points share rigid-body modes, which no such number describes, and stacks
//! never came to rest.

use super::Scratch;
use super::detection::CollisionDetector;
use crate::tuning::MAX_HARDENINGS;
use crate::{Body, Failure, World};
use craze_contact::collisions::features::Detection;
use craze_contact::collisions::{CollisionKey, PointSum, SideName};
use craze_contact::solvers::implicit::{Compliance, CompliantBody, ImplicitContact, ImplicitSide, solve};
use craze_contact::solvers::penalty::Response;
use craze_contact::tolerances::{
    CONTACT_DISPLACEMENT, HARDENING_FACTOR, MAX_HARDENING, MAX_SPRING_PENETRATION, RESTING_MASS_FACTOR,
};
use craze_contact::{Collision, Stencil};
use craze_math::{Mat3, Vec3};
use std::collections::{BTreeMap, BTreeSet};

/// The contacts between implicit bodies and other bodies in a step; not state.
#[derive(Default)]
pub(crate) struct ImplicitContacts {
    /// By key.
    list: Vec<ImplicitContact>,
    compliances: BTreeMap<usize, CompliantBody>,
    /// Mass of the surface points of each body (kg): of two implicit bodies the lighter one decides
    /// the stiffness of a spring.
    masses: Vec<f64>,
    /// True once contacts have been searched for in this step.
    is_searched: bool,
}

impl ImplicitContacts {
    pub fn clear(&mut self) {
        self.list.clear();
        self.compliances.clear();
        self.is_searched = false;
    }

    /// True if a collision is in the equations of a body.
    pub fn contains(&self, key: &CollisionKey) -> bool {
        self.list.binary_search_by_key(key, |contact| contact.key()).is_ok()
    }

    fn sides(&self) -> impl Iterator<Item = &ImplicitSide> {
        self.list.iter().flat_map(|contact| &contact.collision.sides)
    }

    /// The degrees of freedom of a body that have contacts, ascending.
    fn dofs(&self, body: usize) -> Vec<u32> {
        let sides = self.sides().filter(|side| side.body() == body);
        let found: BTreeSet<u32> = sides.flat_map(|side| side.stencil.as_slice()).map(|entry| entry.0).collect();
        found.into_iter().collect()
    }

    /// All bodies with contacts, ascending.
    fn bodies(&self) -> BTreeSet<usize> {
        self.sides().map(|side| side.body()).collect()
    }

    /// Solves for the forces at the present predictions. Returns for each contact the largest
    /// displacement of an implicit side (m).
    fn solve(&mut self) -> Vec<f64> {
        let ImplicitContacts { list, compliances, .. } = self;
        list.iter_mut().for_each(|contact| contact.force = contact.included);
        let mut displacements = Vec::new();
        for _ in 0..MAX_HARDENINGS {
            displacements = solve(list, compliances);
            let mut is_hard_enough = true;
            for contact in list.iter_mut() {
                let depth = contact.force.dot(&contact.collision.normal) / contact.normal_stiffness();
                let is_too_deep = depth > MAX_SPRING_PENETRATION * contact.contact_distance;
                if is_too_deep && contact.hardening < MAX_HARDENING {
                    contact.hardening *= HARDENING_FACTOR;
                    is_hard_enough = false;
                }
            }
            if is_hard_enough {
                break;
            }
        }
        let largest = |(contact, displacements): (&ImplicitContact, &[Vec3; 2])| {
            let sides = contact.collision.sides.iter().zip(displacements).filter(|(side, _)| side.is_implicit);
            sides.map(|(_, displacement)| displacement.norm()).fold(0.0, f64::max)
        };
        list.iter().zip(&displacements).map(largest).collect()
    }

    /// Applies solved forces where points would move by them, and adds the bodies that feel it,
    /// directly or through others, to the changed ones.
    fn apply(&mut self, displacements: &[f64], changed: &mut BTreeSet<usize>) {
        for (contact, displacement) in self.list.iter().zip(displacements) {
            if *displacement > CONTACT_DISPLACEMENT * contact.contact_distance {
                changed.extend(contact.collision.sides.iter().map(|side| side.body()));
            }
        }
        // Both sides get a new force, or neither does.
        loop {
            let known = changed.len();
            for contact in &self.list {
                if contact.collision.sides.iter().any(|side| changed.contains(&side.body())) {
                    changed.extend(contact.collision.sides.iter().map(|side| side.body()));
                }
            }
            if changed.len() == known {
                break;
            }
        }
        for contact in &mut self.list {
            if changed.contains(&contact.collision.sides[0].body()) {
                contact.included = contact.force;
            }
        }
    }

    /// Compliance of the degrees of freedom of a free body (m/N): Δt²/m.
    fn free_compliance(&self, body: usize, dofs: &[u32], time_step: f64) -> Vec<f64> {
        let mut compliance = vec![0.0; dofs.len()];
        for side in self.sides().filter(|side| side.body() == body) {
            for ((dof, _), inverse_mass) in side.stencil.as_slice().iter().zip(&side.inverse_masses) {
                if let Ok(slot) = dofs.binary_search(dof) {
                    compliance[slot] = time_step * time_step * inverse_mass;
                }
            }
        }
        compliance
    }
}

/// A side of a contact, from points of a body's surface.
fn side_of(detector: &CollisionDetector, bodies: &[Body], name: SideName, points: PointSum) -> ImplicitSide {
    let body = name[0] as usize;
    let surface = detector.surface(body);
    let stencil: Stencil = points
        .iter()
        .flat_map(|(point, weight)| {
            let of_point = surface.stencil(point);
            of_point.as_slice().iter().map(|&(dof, own)| (dof, weight * own)).collect::<Vec<_>>()
        })
        .collect();
    let inverse_mass = |dof: u32| {
        let of_point = |(point, _): (u32, f64)| match surface.stencils.is_empty() {
            true => {
                Some(surface.points[point as usize]).filter(|point| point.dof == dof).map(|point| point.inverse_mass)
            }
            false => surface.stencils.of(point).iter().find(|entry| entry.dof == dof).map(|entry| entry.inverse_mass),
        };
        points.iter().find_map(of_point).unwrap_or(0.0)
    };
    let inverse_masses = stencil.as_slice().iter().map(|&(dof, _)| inverse_mass(dof)).collect();
    let [start, end] = [Vec3::zeros(); 2];
    let is_implicit = bodies[body].is_implicit;
    let mut side = ImplicitSide { name, points, stencil, inverse_masses, start, end, is_implicit };
    follow(&mut side, detector);
    side
}

/// Moves a side to the present prediction of its body.
fn follow(side: &mut ImplicitSide, detector: &CollisionDetector) {
    let points = &detector.surface(side.body()).points;
    side.start = side.points.iter().map(|(point, weight)| weight * points[point as usize].start).sum();
    side.end = side.points.iter().map(|(point, weight)| weight * points[point as usize].end).sum();
}

impl World {
    /// Finds the contacts of implicit bodies with others before the first prediction, from
    /// velocities. What is within the contact distance pushes by its depth.
    pub(crate) fn begin_implicit_contacts(&mut self, time_step: f64) {
        let is_implicit = |body: &Body| body.is_implicit;
        if self.bodies.len() < 2 || !self.bodies.iter().any(is_implicit) {
            return;
        }
        self.scratch.detector.begin(self.bodies.len(), self.obstacles.len());
        let Scratch { implicit_contacts, detector, .. } = &mut self.scratch;
        implicit_contacts.is_searched = true;
        implicit_contacts.masses.clear();
        for (index, body) in self.bodies.iter().enumerate() {
            let points = detector.extrapolate(index, body, time_step);
            let masses = points.iter().filter(|point| point.inverse_mass > 0.0).map(|point| 1.0 / point.inverse_mass);
            implicit_contacts.masses.push(masses.sum());
        }
        self.find_implicit_contacts(time_step);
        for body in self.scratch.implicit_contacts.bodies() {
            self.set_implicit_contacts(body);
        }
    }

    /// Updates the contacts by the first predictions of all bodies.
    pub(crate) fn update_implicit_contacts(&mut self) {
        for body in 0..self.bodies.len() {
            self.follow_implicit_contacts(body);
        }
    }

    /// Adds the collisions of implicit bodies with others at the present predictions.
    pub(crate) fn find_implicit_contacts(&mut self, time_step: f64) {
        if !self.scratch.implicit_contacts.is_searched {
            return;
        }
        self.find_poses(time_step);
        self.find_surface_collisions(Detection::Proximity);
        let collisions = std::mem::take(&mut self.scratch.surface_collisions);
        let contact =
            |(pair, collision): &([u32; 2], Collision<PointSum>)| self.implicit_contact(*pair, collision, time_step);
        let found: Vec<ImplicitContact> = collisions.iter().filter_map(contact).collect();
        self.scratch.surface_collisions = collisions;
        let list = &mut self.scratch.implicit_contacts.list;
        list.extend(found);
        list.sort_by_key(|contact| contact.key());
    }

    /// The contact of a collision that the equations of an implicit body can prevent, if it is new.
    fn implicit_contact(
        &self,
        pair: [u32; 2],
        collision: &Collision<PointSum>,
        time_step: f64,
    ) -> Option<ImplicitContact> {
        let detector = &self.scratch.detector;
        let [one, other] = pair.map(|thing| thing as usize);
        let is_between_bodies =
            one != other && other < self.bodies.len() && self.settings.pairs.response(one, other) == Response::Impulses;
        let key = [0, 1].map(|side| detector.name(pair[side], collision.sides[side].points));
        if !is_between_bodies || self.scratch.implicit_contacts.contains(&key) {
            return None;
        }
        let collision = collision.map(|side, sum| side_of(detector, &self.bodies, key[side], sum));
        let [first, second] = &collision.sides;
        let masses = &self.scratch.implicit_contacts.masses;
        let leads = |side: &&ImplicitSide| side.is_implicit && side.mobility() > 0.0;
        let lighter = |one: &&ImplicitSide, other: &&ImplicitSide| masses[one.body()].total_cmp(&masses[other.body()]);
        let mobility = collision.sides.iter().filter(leads).min_by(lighter)?.mobility();
        let normal = collision.normal;
        let contact_distance = (first.end - second.end).dot(&normal) - collision.gap_at_end;
        let stiffness = self.contact_stiffness(mobility, time_step, contact_distance);
        // An impact may be far deeper than it will be at rest, and pushes no harder than a resting
        // mass before more is known.
        let most = RESTING_MASS_FACTOR * self.settings.gravity.norm() / mobility;
        let force = (stiffness * (-collision.gap_at_start).max(0.0)).min(most) * normal;
        Some(ImplicitContact {
            collision,
            contact_distance,
            stiffness,
            hardening: 1.0,
            included: force,
            force,
            friction_stiffness: None,
        })
    }

    /// Solves for the forces between bodies at their present predictions, and adds the bodies that
    /// have to predict again to the changed ones. Those with changes in their contacts with
    /// obstacles are among them already.
    pub(crate) fn correct_implicit_contacts(
        &mut self,
        changed: &mut BTreeSet<usize>,
        time_step: f64,
    ) -> Result<(), (usize, Failure)> {
        if self.scratch.implicit_contacts.list.is_empty() {
            return Ok(());
        }
        for body in self.scratch.implicit_contacts.bodies() {
            self.find_compliance(body, changed.contains(&body), time_step)?;
        }
        let displacements = self.scratch.implicit_contacts.solve();
        self.scratch.implicit_contacts.apply(&displacements, changed);
        let in_contact = self.scratch.implicit_contacts.bodies();
        for &body in changed.iter().filter(|body| in_contact.contains(body)) {
            self.set_implicit_contacts(body);
        }
        Ok(())
    }

    /// Finds the compliance of a body, unless it is known for all degrees of freedom with contacts
    /// and nothing has changed about the body.
    fn find_compliance(&mut self, body: usize, has_changed: bool, time_step: f64) -> Result<(), (usize, Failure)> {
        let dofs = self.scratch.implicit_contacts.dofs(body);
        let known = self.scratch.implicit_contacts.compliances.get(&body);
        if !has_changed && known.is_some_and(|known| known.dofs() == dofs) {
            return Ok(());
        }
        let mut found = None;
        if self.bodies[body].is_implicit {
            found = self.compliance(body, &dofs, time_step);
            if found.is_none() {
                // A sleeping piece wakes when it gets its contacts.
                self.set_implicit_contacts(body);
                self.predict([body], time_step)?;
                self.follow_implicit_contacts(body);
                found = self.compliance(body, &dofs, time_step);
            }
        }
        let compliance = found.map_or_else(
            || Compliance::Diagonal(self.scratch.implicit_contacts.free_compliance(body, &dofs, time_step)),
            Compliance::Coupled,
        );
        self.scratch.implicit_contacts.compliances.insert(body, CompliantBody::new(dofs, compliance));
        Ok(())
    }

    fn compliance(&mut self, body: usize, dofs: &[u32], time_step: f64) -> Option<Vec<Mat3>> {
        let step = self.scratch.step(body, self.time, time_step, self.settings.gravity);
        self.bodies[body].method.implicit()?.compliance(dofs, &step)
    }

    /// Puts the forces of its contacts with other bodies into the equations of an implicit body.
    fn set_implicit_contacts(&mut self, body: usize) {
        if !self.bodies[body].is_implicit {
            return;
        }
        let Scratch { implicit_contacts, equations, .. } = &mut self.scratch;
        let springs = implicit_contacts.list.iter().flat_map(|contact| {
            let own = (0..2).filter(move |&side| contact.collision.sides[side].body() == body);
            own.map(|side| (contact.collision.sides[side].name[1], contact.spring(side)))
        });
        equations[body].set_bodies(springs);
    }

    /// Moves the contacts of a body to its new prediction.
    pub(crate) fn follow_implicit_contacts(&mut self, body: usize) {
        if !self.scratch.implicit_contacts.is_searched {
            return;
        }
        let Scratch { implicit_contacts, detector, .. } = &mut self.scratch;
        detector.changed(body);
        detector.show(body, &self.bodies[body]);
        let sides = implicit_contacts.list.iter_mut().flat_map(|contact| &mut contact.collision.sides);
        sides.filter(|side| side.body() == body).for_each(|side| follow(side, detector));
    }

    /// Applies the forces to explicit bodies, of which the predictions do not include them.
    pub(crate) fn finish_implicit_contacts(&mut self, time_step: f64) {
        let mut shares = Vec::new();
        for contact in self.scratch.implicit_contacts.list.iter().filter(|contact| contact.included != Vec3::zeros()) {
            let sides = contact.collision.sides.iter().zip([time_step, -time_step]);
            for (side, signed) in sides.filter(|(side, _)| !side.is_implicit) {
                let share = |&(dof, weight): &(u32, f64)| (side.body() as u32, dof, weight * signed * contact.included);
                shares.extend(side.stencil.as_slice().iter().map(share));
            }
        }
        self.hand_out(&mut shares, time_step);
    }
}
