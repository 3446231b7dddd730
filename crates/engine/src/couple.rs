//! Implicit bodies against other bodies: forces that all of them together ask for.
//!
//! Bodies never share a matrix. What two of them share is a force, that of a spring between weighted points of both, and how much each
//! gives way to it: an implicit body tells that from its own equations, [`Method::compliance`](crate::Method::compliance), an explicit one by the masses
//! of the pushed points, Δt²/m. From both follow the forces of all contacts at once ([`joint`](craze_contact::joint)), every body predicts
//! anew with its share of them, and since bodies give way almost linearly over a step, one or two such rounds do. Forces on the two sides of a
//! contact are opposite to the bit in every round. Turned down: one side after the other against a spring that knows the other only by a number;
//! faces that touch in fifty points share rigid motions, of which no number knows, and stacks never came to rest.

use crate::collide::{DEEPEST, HARDER, HARDEST, STACK, Scratch, sort};
use crate::meet::Neighbourhood;
use crate::{Body, Failure, World};
use craze_contact::ContactStiffness;
use craze_contact::joint::{Compliance, Joint, JointSide, Yielding, solve};
use craze_contact::meeting::Look;
use craze_contact::penalty::Response;
use craze_contact::respond::{Contact, Identity};
use craze_math::{Mat3, Vec3};
use std::collections::{BTreeMap, BTreeSet};

/// Way of a point, as a share of the distance to keep, below which nobody predicts anew.
const RESTLESS: f64 = 5e-4;

/// How often springs that use up too much of the distance to keep are made stiffer in a round.
const HARDENINGS: usize = 5;

/// One side of a couple.
#[derive(Clone, Copy)]
struct Part {
    body: usize,
    /// Places in the body's surface, and their weights.
    points: [u32; 3],
    weights: [f64; 3],
    freedoms: [u32; 3],
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
struct Couple {
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

/// How a body of this step gives way at the freedoms that are pushed.
struct Give {
    /// Ascending.
    freedoms: Vec<u32>,
    yielding: Yielding,
}

/// What implicit bodies of this step hold apart; nothing of it is state.
#[derive(Default)]
pub(crate) struct Couples {
    /// By identity.
    list: Vec<Couple>,
    /// How the coupled bodies give way.
    give: BTreeMap<usize, Give>,
    /// What the points of each body's surface weigh (kg): of two implicit bodies the lighter one's masses decide how stiff a spring is.
    masses: Vec<f64>,
    /// Whether anything has been looked for in this step.
    is_searched: bool,
}

impl Couples {
    pub fn clear(&mut self) {
        self.list.clear();
        self.give.clear();
        self.is_searched = false;
    }

    /// Whether the equations of a body hold two features apart.
    pub fn hold(&self, identity: &Identity) -> bool {
        self.list.binary_search_by_key(identity, |couple| couple.identity).is_ok()
    }

    /// The freedoms of a body that are pushed, ascending.
    fn freedoms(&self, body: usize) -> Vec<u32> {
        let parts = self.list.iter().flat_map(|couple| &couple.parts).filter(|part| part.body == body);
        let freedoms = parts.flat_map(|part| (0..3).filter(|&k| part.weights[k] != 0.0).map(|k| part.freedoms[k]));
        let found: BTreeSet<u32> = freedoms.collect();
        found.into_iter().collect()
    }

    /// All bodies that are coupled, ascending.
    fn bodies(&self) -> BTreeSet<usize> {
        self.list.iter().flat_map(|couple| couple.parts.each_ref().map(|part| part.body)).collect()
    }

    /// What the springs between bodies ask for, as these are predicted now, if all give way as they have said; and how far that takes an
    /// implicit side of each (m).
    fn forces(&mut self) -> Vec<(Vec3, f64)> {
        let bodies: Vec<usize> = self.give.keys().copied().collect();
        let give = &self.give;
        let side = |part: &Part, force: Vec3| {
            let slot = |freedom: u32| give[&part.body].freedoms.binary_search(&freedom).unwrap_or(0);
            JointSide {
                thing: bodies.binary_search(&part.body).unwrap_or(0),
                slots: part.freedoms.map(slot),
                weights: part.weights,
                known: if part.is_implicit { force } else { Vec3::zeros() },
            }
        };
        let joint = |couple: &Couple| {
            let [first, second] = &couple.parts;
            let apart = first.place - second.place;
            Joint {
                sides: couple.parts.each_ref().map(|part| side(part, couple.force)),
                normal: couple.normal,
                gap: apart.dot(&couple.normal) - couple.kept,
                slid: apart - (first.start - second.start),
                stiffness: couple.stiffness * couple.hardness,
                friction: couple.friction,
                force: couple.force,
                hold: couple.hold,
            }
        };
        let mut joints: Vec<Joint> = self.list.iter().map(joint).collect();
        let mut things: Vec<Yielding> = self.give.values().map(|give| give.yielding.clone()).collect();
        for _ in 0..HARDENINGS {
            solve(&mut joints, &mut things);
            let mut is_hard_enough = true;
            for (joint, couple) in joints.iter_mut().zip(&mut self.list) {
                let depth = joint.force.dot(&couple.normal) / joint.stiffness;
                if depth > DEEPEST * couple.kept && couple.hardness < HARDEST {
                    couple.hardness *= HARDER;
                    joint.stiffness *= HARDER;
                    is_hard_enough = false;
                }
            }
            if is_hard_enough {
                break;
            }
        }
        self.list.iter_mut().zip(&joints).for_each(|(couple, joint)| couple.hold = joint.hold);
        let answer = |(joint, couple): (&Joint, &Couple)| {
            let sides = joint.sides.iter().zip(&couple.parts).filter(|(_, part)| part.is_implicit);
            (joint.force, sides.map(|(side, _)| side.way(&things).norm()).fold(0.0, f64::max))
        };
        joints.iter().zip(&self.list).map(answer).collect()
    }

    /// Takes over forces where they have changed, and tells the implicit bodies that feel it, directly or through others.
    fn take_over(&mut self, forces: &[(Vec3, f64)], restless: &mut BTreeSet<usize>) {
        for (couple, (_, way)) in self.list.iter().zip(forces) {
            if *way > RESTLESS * couple.kept {
                restless.extend(couple.parts.iter().map(|part| part.body));
            }
        }
        // Both sides of a force hear of it, or of none of its changes.
        loop {
            let known = restless.len();
            for couple in &self.list {
                if couple.parts.iter().any(|part| restless.contains(&part.body)) {
                    restless.extend(couple.parts.iter().map(|part| part.body));
                }
            }
            if restless.len() == known {
                break;
            }
        }
        for (couple, (force, _)) in self.list.iter_mut().zip(forces) {
            if restless.contains(&couple.parts[0].body) {
                couple.force = *force;
            }
        }
    }
}

impl Part {
    fn new(neighbourhood: &Neighbourhood, bodies: &[Body], body: usize, points: [u32; 3], weights: [f64; 3]) -> Part {
        let shown = points.map(|point| neighbourhood.shown(body).points[point as usize]);
        let inverse_masses = shown.map(|point| point.inverse_mass);
        let mobility = (0..3).map(|k| weights[k] * weights[k] * inverse_masses[k]).sum();
        let [start, place] = [Vec3::zeros(); 2];
        let freedoms = shown.map(|point| point.freedom);
        let is_implicit = bodies[body].method.takes_contact_stiffness();
        let mut part = Part { body, points, weights, freedoms, start, place, inverse_masses, mobility, is_implicit };
        part.look(neighbourhood);
        part
    }

    fn look(&mut self, neighbourhood: &Neighbourhood) {
        let shown = self.points.map(|point| neighbourhood.shown(self.body).points[point as usize]);
        self.start = (0..3).map(|k| self.weights[k] * shown[k].start).sum();
        self.place = (0..3).map(|k| self.weights[k] * shown[k].end).sum();
    }
}

impl World {
    /// Finds what implicit bodies hold apart from the start: what lies in the distance to keep, as it moves on by itself, pushes as its depth
    /// says.
    pub(crate) fn begin_couples(&mut self, time_step: f64) {
        let is_implicit = |body: &Body| body.method.takes_contact_stiffness();
        if self.bodies.len() < 2 || !self.bodies.iter().any(is_implicit) {
            return;
        }
        self.scratch.neighbourhood.begin(self.bodies.len(), self.obstacles.len());
        let Scratch { couples, neighbourhood, .. } = &mut self.scratch;
        couples.is_searched = true;
        couples.masses.clear();
        for (index, body) in self.bodies.iter().enumerate() {
            let points = neighbourhood.extrapolate(index, body, time_step);
            let masses = points.iter().filter(|point| point.inverse_mass > 0.0).map(|point| 1.0 / point.inverse_mass);
            couples.masses.push(masses.sum());
        }
        self.find_couples(time_step);
        for body in self.scratch.couples.bodies() {
            self.tell_couples(body);
        }
    }

    /// Looks at the first predictions of all bodies.
    pub(crate) fn meet_couples(&mut self) {
        for body in 0..self.bodies.len() {
            self.follow_couples(body);
        }
    }

    /// Adds what comes too close to an implicit body, as all are predicted now.
    pub(crate) fn find_couples(&mut self, time_step: f64) {
        if !self.scratch.couples.is_searched {
            return;
        }
        self.scratch.contacts.clear();
        self.find_poses(time_step);
        self.meet_neighbours(Look::Ahead);
        let contacts = std::mem::take(&mut self.scratch.contacts);
        let fresh: Vec<Couple> = contacts.iter().filter_map(|contact| self.couple(contact, time_step)).collect();
        self.scratch.contacts = contacts;
        self.scratch.neighbourhood.forget_points();
        let list = &mut self.scratch.couples.list;
        list.extend(fresh);
        list.sort_by_key(|couple| couple.identity);
    }

    /// The couple of a contact that an implicit body can hold, if it is new.
    fn couple(&self, contact: &Contact, time_step: f64) -> Option<Couple> {
        let neighbourhood = &self.scratch.neighbourhood;
        let [one, other] = contact.sides.map(|side| neighbourhood.points_of(&side));
        let (one, other) = (one?, other?);
        let is_apart = one.0 != other.0 && self.settings.pairs.response(one.0, other.0) == Response::Impulses;
        if !is_apart || self.scratch.couples.hold(&contact.identity) {
            return None;
        }
        let parts =
            [one, other].map(|(body, points, weights)| Part::new(neighbourhood, &self.bodies, body, points, weights));
        let [first, second] = &parts;
        let masses = &self.scratch.couples.masses;
        let leads = |part: &&Part| part.is_implicit && part.mobility > 0.0;
        let lighter = |one: &&Part, other: &&Part| masses[one.body].total_cmp(&masses[other.body]);
        let leader = parts.iter().filter(leads).min_by(lighter)?;
        let kept = (first.place - second.place).dot(&contact.normal) - contact.gap_at_end;
        let stiffness = self.contact_stiffness(leader.mobility, time_step, kept);
        // What comes from a blow may be far deeper than it will be at rest, and pushes no harder than a stack weighs before more is known.
        let most = STACK * self.settings.gravity.norm() / leader.mobility;
        let force = (stiffness * (-contact.gap_at_start).max(0.0)).min(most) * contact.normal;
        let Contact { identity, normal, friction, .. } = *contact;
        Some(Couple { identity, parts, normal, friction, kept, stiffness, hardness: 1.0, force, hold: None })
    }

    /// Finds the forces between bodies that their present predictions ask for, and adds the bodies that have to predict anew to the restless
    /// ones. Those that obstacles have made so are among them already.
    pub(crate) fn correct_couples(
        &mut self,
        restless: &mut BTreeSet<usize>,
        time_step: f64,
    ) -> Result<(), (usize, Failure)> {
        if self.scratch.couples.list.is_empty() {
            return Ok(());
        }
        for body in self.scratch.couples.bodies() {
            self.find_give(body, restless.contains(&body), time_step)?;
        }
        let forces = self.scratch.couples.forces();
        self.scratch.couples.take_over(&forces, restless);
        let coupled = self.scratch.couples.bodies();
        for &body in restless.iter().filter(|body| coupled.contains(body)) {
            self.tell_couples(body);
        }
        Ok(())
    }

    /// Asks a body how it gives way, unless it has said so for all that is pushed and nothing has changed about it.
    fn find_give(&mut self, body: usize, has_changed: bool, time_step: f64) -> Result<(), (usize, Failure)> {
        let freedoms = self.scratch.couples.freedoms(body);
        let known = self.scratch.couples.give.get(&body);
        if !has_changed && known.is_some_and(|give| give.freedoms == freedoms) {
            return Ok(());
        }
        let mut found = None;
        if self.bodies[body].method.takes_contact_stiffness() {
            found = self.compliance(body, &freedoms, time_step);
            if found.is_none() {
                // What flies as a rigid body wakes when it hears of its contacts.
                self.tell_couples(body);
                self.predict([body], time_step)?;
                self.follow_couples(body);
                found = self.compliance(body, &freedoms, time_step);
            }
        }
        let compliance = found.map_or_else(
            || Compliance::Single(self.scratch.couples.free_give(body, &freedoms, time_step)),
            Compliance::Coupled,
        );
        let yielding = Yielding::new(compliance, freedoms.len());
        self.scratch.couples.give.insert(body, Give { freedoms, yielding });
        Ok(())
    }

    fn compliance(&mut self, body: usize, freedoms: &[u32], time_step: f64) -> Option<Vec<Mat3>> {
        let step = self.scratch.step(body, self.time, time_step, self.settings.gravity);
        self.bodies[body].method.compliance(freedoms, &step)
    }

    /// Puts what an implicit body's equations are to know of its couples among its contacts.
    fn tell_couples(&mut self, body: usize) {
        let Scratch { couples, stiffness, .. } = &mut self.scratch;
        if !self.bodies[body].method.takes_contact_stiffness() {
            return;
        }
        let held = &mut stiffness[body];
        held.retain(|contact| contact.obstacle.is_some());
        for couple in &couples.list {
            for (part, sign) in couple.parts.iter().zip([1.0, -1.0]).filter(|(part, _)| part.body == body) {
                held.push(ContactStiffness {
                    freedoms: part.freedoms,
                    weights: part.weights,
                    obstacle: None,
                    force: sign * couple.force,
                    anchor: part.place,
                    normal: sign * couple.normal,
                    stiffness: Mat3::zeros(),
                    friction: couple.friction,
                });
            }
        }
        sort(held);
    }

    /// Looks at the new prediction of a body.
    pub(crate) fn follow_couples(&mut self, body: usize) {
        if !self.scratch.couples.is_searched {
            return;
        }
        let Scratch { couples, neighbourhood, .. } = &mut self.scratch;
        neighbourhood.changed(body);
        neighbourhood.show(body, &self.bodies[body]);
        let parts = couples.list.iter_mut().flat_map(|couple| &mut couple.parts);
        parts.filter(|part| part.body == body).for_each(|part| part.look(neighbourhood));
    }

    /// Lets explicit bodies feel what their predictions do not know of.
    pub(crate) fn finish_couples(&mut self, time_step: f64) {
        let mut shares = Vec::new();
        for couple in &self.scratch.couples.list {
            let explicit = couple.parts.iter().zip([time_step, -time_step]).filter(|(part, _)| !part.is_implicit);
            for (part, signed) in explicit {
                let bearers = part.freedoms.into_iter().zip(part.weights);
                let bearers = bearers.filter(|(_, weight)| *weight != 0.0 && couple.force != Vec3::zeros());
                let share = |(freedom, weight)| (part.body as u32, freedom, weight * signed * couple.force);
                shares.extend(bearers.map(share));
            }
        }
        self.hand_out(&mut shares, time_step);
    }
}

impl Couples {
    /// How the freedoms of a body give way by themselves (m/N): Δt²/m.
    fn free_give(&self, body: usize, freedoms: &[u32], time_step: f64) -> Vec<f64> {
        let mut give = vec![0.0; freedoms.len()];
        for part in self.list.iter().flat_map(|couple| &couple.parts).filter(|part| part.body == body) {
            for (freedom, inverse_mass) in part.freedoms.iter().zip(part.inverse_masses) {
                if let Ok(slot) = freedoms.binary_search(freedom) {
                    give[slot] = time_step * time_step * inverse_mass;
                }
            }
        }
        give
    }
}
