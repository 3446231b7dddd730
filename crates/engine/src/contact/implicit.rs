//! Implicit bodies against other bodies: forces that all of them together ask for.
//!
//! Bodies never share a matrix. What two of them share is a force, that of a spring between weighted points of both, and how much each
//! gives way to it: an implicit body tells that from its own equations, [`Method::compliance`](crate::Method::compliance), an explicit one by the masses
//! of the pushed points, Δt²/m. From both follow the forces of all contacts at once ([`joint`](craze_contact::joint)), every body predicts
//! anew with its share of them, and since bodies give way almost linearly over a step, one or two such rounds do. Forces on the two sides of a
//! contact are opposite to the bit in every round. Turned down: one side after the other against a spring that knows the other only by a number;
//! faces that touch in fifty points share rigid motions, of which no number knows, and stacks never came to rest.

use super::detection::CollisionDetector;
use super::{DEEPEST, HARDER, HARDEST, STACK, Scratch, sort};
use crate::{Body, Failure, World};
use craze_contact::ContactSpring;
use craze_contact::collisions::features::Detection;
use craze_contact::solvers::implicit::{Compliance, CompliantBody, Joint, JointSide, solve};
use craze_contact::solvers::impulse::{Contact, Identity};
use craze_contact::solvers::penalty::Response;
use craze_math::{Mat3, Vec3};
use std::collections::{BTreeMap, BTreeSet};

/// Way of a point, as a share of the distance to keep, below which nobody predicts anew.
const RESTLESS: f64 = 5e-4;

/// How often springs that use up too much of the distance to keep are made stiffer in a round.
const HARDENINGS: usize = 5;

/// One side of a implicit_contact.
#[derive(Clone, Copy)]
struct Part {
    body: usize,
    /// Places in the body's surface, and their weights.
    points: [u32; 3],
    weights: [f64; 3],
    dofs: [u32; 3],
    /// Where the weighted point is at the start and at the predicted end of the step (m).
    start: Vec3,
    place: Vec3,
    inverse_masses: [f64; 3],
    /// Speed that a unit impulse makes (1/kg).
    mobility: f64,
    /// Whether the body takes the force into its equations.
    is_implicit: bool,
}

/// Two features that an implicit body's equations hold apart.
struct ImplicitContact {
    identity: Identity,
    /// The side that is pushed along the normal, and the other one.
    parts: [Part; 2],
    normal: Vec3,
    friction: f64,
    /// Distance along the normal at which nothing pushes (m).
    kept: f64,
    /// Stiffness of the spring between them (N/m), before it is made harder.
    stiffness: f64,
    /// How much stiffer than usual the spring is (1): a hard blow must not use up the distance.
    hardness: f64,
    /// Force on the first side (N): of which the present predictions of implicit bodies know, explicit ones not yet.
    force: Vec3,
    /// Stiffness by which it holds what would slide (N/m), once that is known.
    hold: Option<f64>,
}

/// How a body of this step gives way at the dofs that are pushed.
struct Give {
    /// Ascending.
    dofs: Vec<u32>,
    yielding: CompliantBody,
}

/// What implicit bodies of this step hold apart; nothing of it is state.
#[derive(Default)]
pub(crate) struct ImplicitContacts {
    /// By identity.
    list: Vec<ImplicitContact>,
    /// How the coupled bodies give way.
    give: BTreeMap<usize, Give>,
    /// What the points of each body's surface weigh (kg): of two implicit bodies the lighter one's masses decide how stiff a spring is.
    masses: Vec<f64>,
    /// Whether anything has been looked for in this step.
    is_searched: bool,
}

impl ImplicitContacts {
    pub fn clear(&mut self) {
        self.list.clear();
        self.give.clear();
        self.is_searched = false;
    }

    /// Whether the equations of a body hold two features apart.
    pub fn hold(&self, identity: &Identity) -> bool {
        self.list.binary_search_by_key(identity, |implicit_contact| implicit_contact.identity).is_ok()
    }

    /// The dofs of a body that are pushed, ascending.
    fn dofs(&self, body: usize) -> Vec<u32> {
        let parts =
            self.list.iter().flat_map(|implicit_contact| &implicit_contact.parts).filter(|part| part.body == body);
        let dofs = parts.flat_map(|part| (0..3).filter(|&k| part.weights[k] != 0.0).map(|k| part.dofs[k]));
        let found: BTreeSet<u32> = dofs.collect();
        found.into_iter().collect()
    }

    /// All bodies that are coupled, ascending.
    fn bodies(&self) -> BTreeSet<usize> {
        self.list.iter().flat_map(|implicit_contact| implicit_contact.parts.each_ref().map(|part| part.body)).collect()
    }

    /// What the springs between bodies ask for, as these are predicted now, if all give way as they have said; and how far that takes an
    /// implicit side of each (m).
    fn forces(&mut self) -> Vec<(Vec3, f64)> {
        let bodies: Vec<usize> = self.give.keys().copied().collect();
        let give = &self.give;
        let side = |part: &Part, force: Vec3| {
            let slot = |dof: u32| give[&part.body].dofs.binary_search(&dof).unwrap_or(0);
            JointSide {
                thing: bodies.binary_search(&part.body).unwrap_or(0),
                slots: part.dofs.map(slot),
                weights: part.weights,
                known: if part.is_implicit { force } else { Vec3::zeros() },
            }
        };
        let joint = |implicit_contact: &ImplicitContact| {
            let [first, second] = &implicit_contact.parts;
            let apart = first.place - second.place;
            Joint {
                sides: implicit_contact.parts.each_ref().map(|part| side(part, implicit_contact.force)),
                normal: implicit_contact.normal,
                gap: apart.dot(&implicit_contact.normal) - implicit_contact.kept,
                slid: apart - (first.start - second.start),
                stiffness: implicit_contact.stiffness * implicit_contact.hardness,
                friction: implicit_contact.friction,
                force: implicit_contact.force,
                hold: implicit_contact.hold,
            }
        };
        let mut joints: Vec<Joint> = self.list.iter().map(joint).collect();
        let mut things: Vec<CompliantBody> = self.give.values().map(|give| give.yielding.clone()).collect();
        for _ in 0..HARDENINGS {
            solve(&mut joints, &mut things);
            let mut is_hard_enough = true;
            for (joint, implicit_contact) in joints.iter_mut().zip(&mut self.list) {
                let depth = joint.force.dot(&implicit_contact.normal) / joint.stiffness;
                if depth > DEEPEST * implicit_contact.kept && implicit_contact.hardness < HARDEST {
                    implicit_contact.hardness *= HARDER;
                    joint.stiffness *= HARDER;
                    is_hard_enough = false;
                }
            }
            if is_hard_enough {
                break;
            }
        }
        self.list.iter_mut().zip(&joints).for_each(|(implicit_contact, joint)| implicit_contact.hold = joint.hold);
        let answer = |(joint, implicit_contact): (&Joint, &ImplicitContact)| {
            let sides = joint.sides.iter().zip(&implicit_contact.parts).filter(|(_, part)| part.is_implicit);
            (joint.force, sides.map(|(side, _)| side.way(&things).norm()).fold(0.0, f64::max))
        };
        joints.iter().zip(&self.list).map(answer).collect()
    }

    /// Takes over forces where they have changed, and tells the implicit bodies that feel it, directly or through others.
    fn take_over(&mut self, forces: &[(Vec3, f64)], restless: &mut BTreeSet<usize>) {
        for (implicit_contact, (_, way)) in self.list.iter().zip(forces) {
            if *way > RESTLESS * implicit_contact.kept {
                restless.extend(implicit_contact.parts.iter().map(|part| part.body));
            }
        }
        // Both sides of a force hear of it, or of none of its changes.
        loop {
            let known = restless.len();
            for implicit_contact in &self.list {
                if implicit_contact.parts.iter().any(|part| restless.contains(&part.body)) {
                    restless.extend(implicit_contact.parts.iter().map(|part| part.body));
                }
            }
            if restless.len() == known {
                break;
            }
        }
        for (implicit_contact, (force, _)) in self.list.iter_mut().zip(forces) {
            if restless.contains(&implicit_contact.parts[0].body) {
                implicit_contact.force = *force;
            }
        }
    }
}

impl Part {
    fn new(detector: &CollisionDetector, bodies: &[Body], body: usize, points: [u32; 3], weights: [f64; 3]) -> Part {
        let shown = points.map(|point| detector.shown(body).points[point as usize]);
        let inverse_masses = shown.map(|point| point.inverse_mass);
        let mobility = (0..3).map(|k| weights[k] * weights[k] * inverse_masses[k]).sum();
        let [start, place] = [Vec3::zeros(); 2];
        let dofs = shown.map(|point| point.dof);
        let is_implicit = bodies[body].is_implicit;
        let mut part = Part { body, points, weights, dofs, start, place, inverse_masses, mobility, is_implicit };
        part.look(detector);
        part
    }

    fn look(&mut self, detector: &CollisionDetector) {
        let shown = self.points.map(|point| detector.shown(self.body).points[point as usize]);
        self.start = (0..3).map(|k| self.weights[k] * shown[k].start).sum();
        self.place = (0..3).map(|k| self.weights[k] * shown[k].end).sum();
    }
}

impl World {
    /// Finds what implicit bodies hold apart from the start: what lies in the distance to keep, as it moves on by itself, pushes as its depth
    /// says.
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

    /// Looks at the first predictions of all bodies.
    pub(crate) fn update_implicit_contacts(&mut self) {
        for body in 0..self.bodies.len() {
            self.follow_implicit_contacts(body);
        }
    }

    /// Adds what comes too close to an implicit body, as all are predicted now.
    pub(crate) fn find_implicit_contacts(&mut self, time_step: f64) {
        if !self.scratch.implicit_contacts.is_searched {
            return;
        }
        self.scratch.contacts.clear();
        self.find_poses(time_step);
        self.detect_between_surfaces(Detection::Proximity);
        let contacts = std::mem::take(&mut self.scratch.contacts);
        let fresh: Vec<ImplicitContact> =
            contacts.iter().filter_map(|contact| self.implicit_contact(contact, time_step)).collect();
        self.scratch.contacts = contacts;
        self.scratch.detector.forget_points();
        let list = &mut self.scratch.implicit_contacts.list;
        list.extend(fresh);
        list.sort_by_key(|implicit_contact| implicit_contact.identity);
    }

    /// The implicit_contact of a contact that an implicit body can hold, if it is new.
    fn implicit_contact(&self, contact: &Contact, time_step: f64) -> Option<ImplicitContact> {
        let detector = &self.scratch.detector;
        let [one, other] = contact.sides.map(|side| detector.points_of(&side));
        let (one, other) = (one?, other?);
        let is_apart = one.0 != other.0 && self.settings.pairs.response(one.0, other.0) == Response::Impulses;
        if !is_apart || self.scratch.implicit_contacts.hold(&contact.identity) {
            return None;
        }
        let parts =
            [one, other].map(|(body, points, weights)| Part::new(detector, &self.bodies, body, points, weights));
        let [first, second] = &parts;
        let masses = &self.scratch.implicit_contacts.masses;
        let leads = |part: &&Part| part.is_implicit && part.mobility > 0.0;
        let lighter = |one: &&Part, other: &&Part| masses[one.body].total_cmp(&masses[other.body]);
        let leader = parts.iter().filter(leads).min_by(lighter)?;
        let kept = (first.place - second.place).dot(&contact.normal) - contact.gap_at_end;
        let stiffness = self.contact_stiffness(leader.mobility, time_step, kept);
        // What comes from a blow may be far deeper than it will be at rest, and pushes no harder than a stack weighs before more is known.
        let most = STACK * self.settings.gravity.norm() / leader.mobility;
        let force = (stiffness * (-contact.gap_at_start).max(0.0)).min(most) * contact.normal;
        let Contact { identity, normal, friction, .. } = *contact;
        Some(ImplicitContact { identity, parts, normal, friction, kept, stiffness, hardness: 1.0, force, hold: None })
    }

    /// Finds the forces between bodies that their present predictions ask for, and adds the bodies that have to predict anew to the restless
    /// ones. Those that obstacles have made so are among them already.
    pub(crate) fn correct_implicit_contacts(
        &mut self,
        restless: &mut BTreeSet<usize>,
        time_step: f64,
    ) -> Result<(), (usize, Failure)> {
        if self.scratch.implicit_contacts.list.is_empty() {
            return Ok(());
        }
        for body in self.scratch.implicit_contacts.bodies() {
            self.find_give(body, restless.contains(&body), time_step)?;
        }
        let forces = self.scratch.implicit_contacts.forces();
        self.scratch.implicit_contacts.take_over(&forces, restless);
        let coupled = self.scratch.implicit_contacts.bodies();
        for &body in restless.iter().filter(|body| coupled.contains(body)) {
            self.set_implicit_contacts(body);
        }
        Ok(())
    }

    /// Asks a body how it gives way, unless it has said so for all that is pushed and nothing has changed about it.
    fn find_give(&mut self, body: usize, has_changed: bool, time_step: f64) -> Result<(), (usize, Failure)> {
        let dofs = self.scratch.implicit_contacts.dofs(body);
        let known = self.scratch.implicit_contacts.give.get(&body);
        if !has_changed && known.is_some_and(|give| give.dofs == dofs) {
            return Ok(());
        }
        let mut found = None;
        if self.bodies[body].is_implicit {
            found = self.compliance(body, &dofs, time_step);
            if found.is_none() {
                // What flies as a rigid body wakes when it hears of its contacts.
                self.set_implicit_contacts(body);
                self.predict([body], time_step)?;
                self.follow_implicit_contacts(body);
                found = self.compliance(body, &dofs, time_step);
            }
        }
        let compliance = found.map_or_else(
            || Compliance::Single(self.scratch.implicit_contacts.free_give(body, &dofs, time_step)),
            Compliance::Coupled,
        );
        let yielding = CompliantBody::new(compliance, dofs.len());
        self.scratch.implicit_contacts.give.insert(body, Give { dofs, yielding });
        Ok(())
    }

    fn compliance(&mut self, body: usize, dofs: &[u32], time_step: f64) -> Option<Vec<Mat3>> {
        let step = self.scratch.step(body, self.time, time_step, self.settings.gravity);
        self.bodies[body].method.implicit()?.compliance(dofs, &step)
    }

    /// Puts what an implicit body's equations are to know of its implicit_contacts among its contacts.
    fn set_implicit_contacts(&mut self, body: usize) {
        let Scratch { implicit_contacts, stiffness, .. } = &mut self.scratch;
        if !self.bodies[body].is_implicit {
            return;
        }
        let held = &mut stiffness[body];
        held.retain(|contact| contact.obstacle.is_some());
        for implicit_contact in &implicit_contacts.list {
            for (part, sign) in implicit_contact.parts.iter().zip([1.0, -1.0]).filter(|(part, _)| part.body == body) {
                held.push(ContactSpring {
                    dofs: part.dofs,
                    weights: part.weights,
                    obstacle: None,
                    force: sign * implicit_contact.force,
                    anchor: part.place,
                    normal: sign * implicit_contact.normal,
                    stiffness: Mat3::zeros(),
                    friction: implicit_contact.friction,
                });
            }
        }
        sort(held);
    }

    /// Looks at the new prediction of a body.
    pub(crate) fn follow_implicit_contacts(&mut self, body: usize) {
        if !self.scratch.implicit_contacts.is_searched {
            return;
        }
        let Scratch { implicit_contacts, detector, .. } = &mut self.scratch;
        detector.changed(body);
        detector.show(body, &self.bodies[body]);
        let parts = implicit_contacts.list.iter_mut().flat_map(|implicit_contact| &mut implicit_contact.parts);
        parts.filter(|part| part.body == body).for_each(|part| part.look(detector));
    }

    /// Lets explicit bodies feel what their predictions do not know of.
    pub(crate) fn finish_implicit_contacts(&mut self, time_step: f64) {
        let mut shares = Vec::new();
        for implicit_contact in &self.scratch.implicit_contacts.list {
            let explicit =
                implicit_contact.parts.iter().zip([time_step, -time_step]).filter(|(part, _)| !part.is_implicit);
            for (part, signed) in explicit {
                let bearers = part.dofs.into_iter().zip(part.weights);
                let bearers = bearers.filter(|(_, weight)| *weight != 0.0 && implicit_contact.force != Vec3::zeros());
                let share = |(dof, weight)| (part.body as u32, dof, weight * signed * implicit_contact.force);
                shares.extend(bearers.map(share));
            }
        }
        self.hand_out(&mut shares, time_step);
    }
}

impl ImplicitContacts {
    /// How the dofs of a body give way by themselves (m/N): Δt²/m.
    fn free_give(&self, body: usize, dofs: &[u32], time_step: f64) -> Vec<f64> {
        let mut give = vec![0.0; dofs.len()];
        for part in
            self.list.iter().flat_map(|implicit_contact| &implicit_contact.parts).filter(|part| part.body == body)
        {
            for (dof, inverse_mass) in part.dofs.iter().zip(part.inverse_masses) {
                if let Ok(slot) = dofs.binary_search(dof) {
                    give[slot] = time_step * time_step * inverse_mass;
                }
            }
        }
        give
    }
}
