//! Implicit bodies against other bodies: a spring in the equations of the one that leads, the opposite force on the one that follows.
//!
//! Bodies never share a matrix. What they share is a force f: the leader's equations hold a spring of stiffness k against the place x
//! of the follower's point, and the follower feels −f, in its own equations if it has some, as an impulse over the step if
//! not. A follower gives way as it is pushed, by c a newton, x(f) = x − c·(f − f₀) if it is at x under f₀: the leader sees
//! both springs in a row, 1/(1/k + c). With c = 0 a light follower would be thrown farther at every round. First c is taken to be what the
//! masses of the pushed points alone allow, with all couples of a point together, Δt²·Σw·(Σw)/m: more than it ever is, so that rounds approach the
//! answer from one side for certain. Then it is measured from how far the follower has given way, with which two or three rounds do.

use crate::collide::{DEEPEST, HARDER, HARDEST, RESTLESS_FRICTION, Round, Scratch, sort};
use crate::meet::Neighbourhood;
use crate::{Body, World};
use craze_contact::ContactStiffness;
use craze_contact::meeting::Look;
use craze_contact::penalty::Response;
use craze_contact::respond::{Contact, Identity};
use craze_math::{Mat3, Vec3};
use std::collections::BTreeMap;

/// Change of a force, as a share of the largest, below which nobody predicts anew.
const RESTLESS: f64 = 1e-3;

/// Least share by which an implicit body is taken to give way, of what its pushed nodes alone would.
const LEAST_GIVE: f64 = 0.01;

/// How much more than measured an implicit body is taken to give way: forces then come from below, and never push too hard.
const CAUTION: f64 = 1.5;

/// Share of the forces that may be told for the first time when it is measured.
const MOST_FRESH: f64 = 0.5;

/// Depth that a point would reach freely, in units of the distance to keep, above which its spring is made stiffer from the start.
const MANY: f64 = 20.0;

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
    /// Speed that unit impulses on all couples of its points make (1/kg): what a unit impulse on one makes is less.
    mobility: f64,
}

/// Two features that an implicit body's equations hold apart.
struct Couple {
    identity: Identity,
    leader: Part,
    follower: Part,
    /// Distance along the normal at which nothing pushes (m).
    kept: f64,
    /// How much of it was used up at the start of the step (m); negative where they were farther apart.
    depth_at_start: f64,
    /// How much stiffer than usual the spring is (1): a hard blow must not use up the distance.
    hardness: f64,
    /// And how stiff that is (N/m).
    stiffness: f64,
    /// What the leader's equations hold; its normal goes from the follower to the leader.
    spring: ContactStiffness,
    /// Force on the leader in its present prediction (N); none before it has predicted with the spring.
    force: Option<Vec3>,
    /// Force on the leader of which the follower's present prediction knows (N).
    given: Vec3,
    /// Where the follower's point was, and of which force it knew, before it last gave way.
    before: Option<(Vec3, Vec3)>,
    /// Where the follower's point is if nothing pushes it (m), for an explicit one.
    free: Vec3,
}

/// What implicit bodies of this step hold apart; nothing of it is state.
#[derive(Default)]
pub(crate) struct Couples {
    /// By identity.
    list: Vec<Couple>,
    /// How much followers give way, of what their pushed nodes alone would.
    give: BTreeMap<usize, f64>,
    /// Bodies of which a couple has been dropped since they predicted.
    bereft: Vec<usize>,
    /// What the points of each body's surface weigh (kg): of two implicit bodies the lighter one leads, since it gives way more.
    masses: Vec<f64>,
    /// Whether anything has been looked for in this step.
    is_searched: bool,
}

impl Couples {
    pub fn clear(&mut self) {
        self.list.clear();
        self.give.clear();
        self.bereft.clear();
        self.is_searched = false;
    }

    /// Whether the equations of a body hold two features apart.
    pub fn hold(&self, identity: &Identity) -> bool {
        self.list.binary_search_by_key(identity, |couple| couple.identity).is_ok()
    }

    /// Implicit bodies, those that lead before those that follow them.
    pub fn order(&self, bodies: &[Body]) -> Vec<usize> {
        let mut order: Vec<usize> =
            (0..bodies.len()).filter(|&body| bodies[body].method.takes_contact_stiffness()).collect();
        let mass = |body: usize| self.masses.get(body).copied().unwrap_or(0.0);
        order.sort_by(|&one, &other| mass(one).total_cmp(&mass(other)).then(one.cmp(&other)));
        order
    }

    /// Finds how much a follower that has been told of other forces has given way to them. What is told for the first time says nothing: it may
    /// have woken the body.
    fn measure(&mut self, follower: usize, time_step: f64) {
        // The force times the way, and times the way without resistance.
        let (mut measured, mut free, mut all, mut fresh) = (0.0, 0.0, 0.0, 0.0);
        for couple in self.list.iter_mut().filter(|couple| couple.follower.body == follower) {
            if let Some((place, given)) = couple.before.take() {
                let (way, force) = (place - couple.follower.place, couple.given - given);
                measured += force.dot(&way);
                free += couple.follower.mobility * time_step * time_step * force.norm_squared();
                all += couple.given.norm();
                fresh += if given == Vec3::zeros() { couple.given.norm() } else { 0.0 };
            }
        }
        if fresh < MOST_FRESH * all && free > 0.0 {
            self.give.insert(follower, (CAUTION * measured / free).clamp(LEAST_GIVE, 1.0));
        }
    }

    /// The largest force (N).
    fn strongest(&self) -> f64 {
        self.list.iter().filter_map(|couple| couple.force).map(|force| force.norm()).fold(0.0, f64::max)
    }

    fn give(&self, couple: &Couple) -> f64 {
        self.give.get(&couple.follower.body).copied().unwrap_or(1.0)
    }
}

impl Part {
    fn new(neighbourhood: &Neighbourhood, body: usize, points: [u32; 3], weights: [f64; 3]) -> Part {
        let shown = points.map(|point| neighbourhood.shown(body).points[point as usize]);
        let inverse_masses = shown.map(|point| point.inverse_mass);
        let mobility = (0..3).map(|k| weights[k] * weights[k] * inverse_masses[k]).sum();
        let [start, place] = [Vec3::zeros(); 2];
        let freedoms = shown.map(|point| point.freedom);
        let mut part = Part { body, points, weights, freedoms, start, place, inverse_masses, mobility };
        part.look(neighbourhood);
        part
    }

    fn look(&mut self, neighbourhood: &Neighbourhood) {
        let shown = self.points.map(|point| neighbourhood.shown(self.body).points[point as usize]);
        self.start = (0..3).map(|k| self.weights[k] * shown[k].start).sum();
        self.place = (0..3).map(|k| self.weights[k] * shown[k].end).sum();
    }
}

/// Sums over the couples of every point of every body, for those points that are in a couple.
struct Sums<T>(BTreeMap<(usize, u32), T>);

impl<T: Copy + Default + std::ops::AddAssign> Sums<T> {
    /// Adds what `share` says for each part, times its points' weights.
    fn over<'a>(parts: impl Iterator<Item = (&'a Part, T)>, times: impl Fn(f64, T) -> T) -> Self {
        let mut sums: BTreeMap<(usize, u32), T> = BTreeMap::new();
        for (part, share) in parts {
            for (&point, &weight) in part.points.iter().zip(&part.weights).filter(|(_, weight)| **weight != 0.0) {
                *sums.entry((part.body, point)).or_default() += times(weight, share);
            }
        }
        Sums(sums)
    }

    /// The sums of a part's points, each with the point's weight over its mass (1/kg).
    fn of<'a>(&'a self, part: &'a Part) -> impl Iterator<Item = (T, f64)> + 'a {
        let sum = |point: u32| self.0.get(&(part.body, point)).copied().unwrap_or_default();
        (0..3).map(move |k| (sum(part.points[k]), part.weights[k] * part.inverse_masses[k]))
    }
}

impl Couple {
    /// Lets the follower know of the force.
    fn tell(&mut self) {
        self.before = Some((self.follower.place, self.given));
        self.given = self.force.unwrap_or_else(Vec3::zeros);
    }

    /// Makes the spring stiffer if it uses up too much of the distance to keep. Says whether it does.
    fn harden(&mut self) -> bool {
        let depth = self.kept - (self.leader.place - self.follower.place).dot(&self.spring.normal);
        let is_too_deep = self.force.is_some() && depth > DEEPEST * self.kept && self.hardness < HARDEST;
        if is_too_deep {
            (self.hardness, self.stiffness) = (HARDER * self.hardness, HARDER * self.stiffness);
        }
        is_too_deep
    }

    fn parts(&mut self) -> [&mut Part; 2] {
        [&mut self.leader, &mut self.follower]
    }

    /// Lets the spring follow the follower's prediction. `give` is how much that gives way, `strongest` the largest force of all (N). Says whether the leader has to predict anew.
    fn refresh(&mut self, give: f64, time_step: f64, strongest: f64) -> bool {
        let (leader, follower, normal) = (&self.leader, &self.follower, self.spring.normal);
        let before = self.spring.force(&leader.place);
        let squared = time_step * time_step;
        let compliance = 1.0 / self.stiffness + give * follower.mobility * squared;
        let across = normal * normal.transpose();
        let dragged = 0.5 * (self.spring.stiffness.trace() - normal.dot(&(self.spring.stiffness * normal)));
        self.spring.stiffness = across / compliance + dragged.min(1.0 / compliance) * (Mat3::identity() - across);
        // Where the follower would be if nothing pushed it.
        let pushed = follower.place + give * follower.mobility * squared * self.given;
        let stuck = leader.start + pushed - follower.start;
        self.spring.anchor = stuck + ((pushed - stuck).dot(&normal) + self.kept) * normal;
        let friction = self.spring.drag(&leader.place) > RESTLESS_FRICTION;
        let after = self.spring.force(&leader.place);
        self.force.is_none() || friction || (after - before).norm() > RESTLESS * strongest
    }
}

impl World {
    /// Finds what implicit bodies hold apart from the start: what lies in the distance to keep, as it moves on by itself, pushes as its depth
    /// says. A body at rest then stays where it is, and no round is needed.
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
        for couple in &mut self.scratch.couples.list {
            couple.given = couple.stiffness * couple.depth_at_start.max(0.0) * couple.spring.normal;
            couple.force = Some(couple.given);
        }
        for body in self.scratch.couples.order(&self.bodies) {
            self.correct_couples(body, time_step, Round::Last);
            self.tell_couples(body);
        }
    }

    /// Looks at the first predictions of all bodies.
    pub(crate) fn meet_couples(&mut self, time_step: f64) {
        for body in 0..self.bodies.len() {
            self.follow_couples(body, time_step);
        }
        let bodies = &self.bodies;
        for couple in &mut self.scratch.couples.list {
            couple.before = None;
            if !bodies[couple.follower.body].method.takes_contact_stiffness() {
                couple.free = couple.follower.place;
            }
        }
        self.yield_explicit(time_step);
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
        let fresh: Vec<Couple> = contacts.iter().filter_map(|contact| self.couple(contact)).collect();
        self.scratch.contacts = contacts;
        self.scratch.neighbourhood.forget_points();
        let list = &mut self.scratch.couples.list;
        list.extend(fresh);
        list.sort_by_key(|couple| couple.identity);
        let parts = list.iter().flat_map(|couple| [(&couple.leader, 1.0), (&couple.follower, 1.0)]);
        let weights = Sums::over(parts, |weight, one| weight * one);
        for part in list.iter_mut().flat_map(Couple::parts) {
            part.mobility = weights.of(part).map(|(sum, inverse_mass)| sum * inverse_mass).sum();
        }
        let mut list = std::mem::take(list);
        for couple in &mut list {
            let usual = self.contact_stiffness(couple.leader.mobility, time_step, couple.kept);
            couple.stiffness = usual * couple.hardness;
        }
        self.scratch.couples.list = list;
    }

    /// Moves the points of explicit followers by what they will feel: their predictions know nothing of it before the end.
    pub(crate) fn yield_explicit(&mut self, time_step: f64) {
        let list = &mut self.scratch.couples.list;
        let bodies = &self.bodies;
        let is_explicit = |couple: &&mut Couple| !bodies[couple.follower.body].method.takes_contact_stiffness();
        for couple in list.iter_mut().filter(is_explicit) {
            couple.tell();
        }
        let forces = list.iter().map(|couple| (&couple.follower, couple.given));
        let forces = Sums::over(forces, |weight, force| weight * force);
        for couple in list.iter_mut().filter(is_explicit) {
            let way: Vec3 = forces.of(&couple.follower).map(|(force, inverse_mass)| inverse_mass * force).sum();
            couple.follower.place = couple.free - time_step * time_step * way;
        }
        self.scratch.couples.list.iter_mut().filter(is_explicit).for_each(|couple| couple.before = None);
    }

    /// The couple of a contact that an implicit body can hold, if it is new.
    fn couple(&self, contact: &Contact) -> Option<Couple> {
        let neighbourhood = &self.scratch.neighbourhood;
        let [one, other] = contact.sides.map(|side| neighbourhood.points_of(&side));
        let (one, other) = (one?, other?);
        let is_apart = one.0 != other.0 && self.settings.pairs.response(one.0, other.0) == Response::Impulses;
        if !is_apart || self.scratch.couples.hold(&contact.identity) {
            return None;
        }
        let [one, other] = [one, other].map(|(body, points, weights)| Part::new(neighbourhood, body, points, weights));
        let leads = |part: &Part| self.bodies[part.body].method.takes_contact_stiffness() && part.mobility > 0.0;
        let masses = &self.scratch.couples.masses;
        let is_lighter = masses[one.body].total_cmp(&masses[other.body]).then(one.body.cmp(&other.body)).is_lt();
        let (leader, follower, normal) = match (leads(&one), leads(&other)) {
            (false, false) => return None,
            (true, true) if is_lighter => (one, other, contact.normal),
            (true, false) => (one, other, contact.normal),
            _ => (other, one, -contact.normal),
        };
        let spring = ContactStiffness {
            freedoms: leader.freedoms,
            weights: leader.weights,
            obstacle: None,
            force: Vec3::zeros(),
            anchor: leader.place,
            normal,
            stiffness: Mat3::zeros(),
            friction: contact.friction,
        };
        let kept = (leader.place - follower.place).dot(&normal) - contact.gap_at_end;
        // From what would be reached freely: a point that stops has more than its own mass behind it.
        let depth_at_start = -contact.gap_at_start;
        let blow = if depth_at_start < 0.0 { -contact.gap_at_end } else { 0.0 };
        let hardness = (blow / (MANY * kept)).clamp(1.0, HARDEST);
        let (identity, force, given, before, free) = (contact.identity, None, Vec3::zeros(), None, follower.place);
        Some(Couple {
            identity,
            leader,
            follower,
            kept,
            depth_at_start,
            hardness,
            stiffness: 0.0,
            spring,
            force,
            given,
            before,
            free,
        })
    }

    /// Brings what an implicit body's equations know of its couples up to date. Says whether it has to predict anew.
    pub(crate) fn correct_couples(&mut self, body: usize, time_step: f64, round: Round) -> bool {
        let couples = &mut self.scratch.couples;
        let mut restless = couples.bereft.contains(&body);
        couples.bereft.retain(|&other| other != body);
        let (mut bereft, strongest) = (Vec::new(), couples.strongest());
        couples.list.retain(|couple| {
            // What hardly pulls may push again in the next round.
            let pulls = couple.force.is_some_and(|force| force.dot(&couple.spring.normal) < -RESTLESS * strongest);
            let drops = couple.leader.body == body && pulls && round == Round::Early;
            restless |= drops;
            if drops && couple.given != Vec3::zeros() {
                bereft.push(couple.follower.body);
            }
            !drops
        });
        couples.bereft.extend(bereft);
        let strongest = couples.strongest();
        for index in 0..couples.list.len() {
            let give = couples.give(&couples.list[index]);
            let couple = &mut couples.list[index];
            if couple.leader.body == body {
                restless |= couple.harden();
                restless |= couple.refresh(give, time_step, strongest);
            } else if let Some(force) = couple.force.filter(|_| couple.follower.body == body) {
                let change = (force - couple.given).norm();
                restless |= change > RESTLESS * strongest;
                couple.tell();
            }
        }
        if !restless {
            // What is not told is not known.
            let own = couples.list.iter_mut().filter(|couple| couple.follower.body == body);
            own.for_each(|couple| couple.given = couple.before.take().map_or(couple.given, |(_, given)| given));
            return false;
        }
        self.tell_couples(body);
        true
    }

    /// Puts what a body's equations are to know of its couples among its contacts.
    fn tell_couples(&mut self, body: usize) {
        let Scratch { couples, stiffness, .. } = &mut self.scratch;
        let held = &mut stiffness[body];
        held.retain(|contact| contact.obstacle.is_some());
        for couple in &couples.list {
            if couple.leader.body == body {
                held.push(couple.spring);
            } else if couple.follower.body == body && couple.given != Vec3::zeros() {
                let Part { freedoms, weights, .. } = couple.follower;
                let (force, stiffness) = (-couple.given, Mat3::zeros());
                held.push(ContactStiffness { freedoms, weights, force, stiffness, ..couple.spring });
            }
        }
        sort(held);
    }

    /// Looks at the new prediction of a body.
    pub(crate) fn follow_couples(&mut self, body: usize, time_step: f64) {
        if !self.scratch.couples.is_searched {
            return;
        }
        let Scratch { couples, neighbourhood, .. } = &mut self.scratch;
        neighbourhood.changed(body);
        neighbourhood.show(body, &self.bodies[body]);
        for couple in &mut couples.list {
            if couple.leader.body == body {
                couple.leader.look(neighbourhood);
                couple.force = Some(couple.spring.force(&couple.leader.place));
            } else if couple.follower.body == body {
                couple.follower.look(neighbourhood);
            }
        }
        couples.measure(body, time_step);
    }

    /// Lets followers feel what their predictions do not know of yet.
    pub(crate) fn finish_couples(&mut self, time_step: f64) {
        let mut shares = Vec::new();
        for couple in &self.scratch.couples.list {
            let Part { body, freedoms, weights, .. } = couple.follower;
            let is_told = self.bodies[body].method.takes_contact_stiffness();
            let told = if is_told { couple.given } else { Vec3::zeros() };
            let rest = time_step * (told - couple.force.unwrap_or_else(Vec3::zeros));
            let bearers =
                freedoms.into_iter().zip(weights).filter(|(_, weight)| *weight != 0.0 && rest != Vec3::zeros());
            shares.extend(bearers.map(|(freedom, weight)| (body as u32, freedom, weight * rest)));
        }
        self.hand_out(&mut shares, time_step);
    }
}
