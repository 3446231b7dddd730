//! Impulses that keep things apart, with Coulomb friction and restitution.
//!
//! Every contact has two sides, and a side is a weighted sum of points that move or a place on a rigid shape: a node against the
//! ground, a vertex against a triangle, an edge against an edge, all are the same here. The impulses are found by
//! projected Gauss–Seidel in the order of the contacts, which is the order of bodies and their points: the same bits
//! for any number of threads.

use craze_math::{Mat3, Vec3};

/// Largest share of an old overlap that is undone in a step, so that bodies which start tangled part gently
/// (Bridson et al. 2002, §7.1).
const UNDONE_PER_STEP: f64 = 0.1;

/// Time (s) over which an old overlap is undone where steps are short: a tenth in each microsecond would be an explosion.
const TIME_TO_PART: f64 = 0.05;

/// Slower impacts than this (m/s) do not bounce, or a body at rest would never lie still.
const SLOWEST_BOUNCE: f64 = 0.02;

/// Sweeps over all contacts.
const SWEEPS: usize = 20;

/// Changes of speed (m/s) at which sweeps end: a nanometre a second is nothing that anybody could see.
const SLOWEST_CHANGE: f64 = 1e-9;

/// The same as a share of the largest change.
const LEAST_CHANGE: f64 = 1e-6;

/// How a rigid shape answers to impulses: all zeros for one that nothing can move.
#[derive(Clone, Copy, Debug)]
pub struct RigidSolverBody {
    /// Centre of mass (m).
    pub center: Vec3,
    /// Velocity of the centre over the step (m/s).
    pub velocity: Vec3,
    /// Angular velocity over the step (rad/s).
    pub spin: Vec3,
    /// One over the mass (1/kg).
    pub inverse_mass: f64,
    /// Inverse inertia in the world (1/(kg·m²)).
    pub inverse_inertia: Mat3,
}

impl RigidSolverBody {
    /// Velocity at a place in the world (m/s).
    pub fn velocity_at(&self, place: &Vec3) -> Vec3 {
        self.velocity + self.spin.cross(&(place - self.center))
    }

    /// Whether nothing can move it.
    fn is_fixed(&self) -> bool {
        self.inverse_mass == 0.0 && self.inverse_inertia == Mat3::zeros()
    }

    fn push(&mut self, place: &Vec3, impulse: &Vec3) {
        self.velocity += self.inverse_mass * impulse;
        self.spin += self.inverse_inertia * (place - self.center).cross(impulse);
    }

    /// Velocity along `direction` at `place` that a unit impulse along it makes (1/kg).
    fn mobility(&self, place: &Vec3, direction: &Vec3) -> f64 {
        let arm = (place - self.center).cross(direction);
        self.inverse_mass + arm.dot(&(self.inverse_inertia * arm))
    }
}

/// A point of a body as the response moves it.
#[derive(Clone, Copy, Debug)]
pub struct SolverPoint {
    /// Velocity (m/s).
    pub velocity: Vec3,
    /// One over its mass (1/kg).
    pub inverse_mass: f64,
    /// Sum of the impulses on it (N·s); the answer.
    pub impulse: Vec3,
}

/// Who touches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Side {
    /// A weighted sum of entries of the list of moving points; the weights sum to one, unused places have weight 0.
    Points {
        /// The entries.
        points: [u32; 3],
        /// Their weights (1).
        weights: [f64; 3],
    },
    /// An entry of the list of rigid shapes, at the place of the contact.
    Rigid(u32),
}

impl Side {
    /// A single moving point.
    pub fn point(point: u32) -> Side {
        Side::Points { points: [point; 3], weights: [1.0, 0.0, 0.0] }
    }
}

/// Who touches whom, the same from step to step: for each side its owner and up to three of its points, `u32::MAX` where there is none.
pub type Identity = [[u32; 4]; 2];

/// Two sides that would come too close in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Whose they are: the answer to the last step's contact of the same identity is the first guess.
    pub identity: Identity,
    /// The side that is pushed along the normal, and the one that is pushed against it.
    pub sides: [Side; 2],
    /// Where they touch, in the world (m).
    pub place: Vec3,
    /// Unit normal from the second side to the first, in the world.
    pub normal: Vec3,
    /// Distance at the start of the step (m), negative inside.
    pub gap_at_start: f64,
    /// Predicted distance at the end of the step along the normal (m), negative inside.
    pub gap_at_end: f64,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// Share of the approach speed that comes back.
    pub restitution: f64,
    /// The impulse (N·s) that the equations of the first side's body have already brought up against the second, friction and
    /// all: what is left is that the second feels it.
    pub carried: Option<Vec3>,
}

/// Finds impulses that keep things apart.
///
/// Sweeps start from the impulses of the last step, or a stack would have to find out anew at every step who carries whom: what
/// sweeps leave undone would be work from nowhere.
#[derive(Debug, Default)]
pub struct ContactSolver {
    states: Vec<State>,
    /// Mean forces of the last step's contacts (N), by their identity.
    remembered: Vec<(Identity, Vec3)>,
    /// Points that something which nothing can move has borne in this step, as their owner and number in an [`Identity`], ascending.
    borne: Vec<[u32; 2]>,
}

impl ContactSolver {
    /// Finds impulses so that no contact ends deeper than allowed, and applies them to `points` and `shapes`.
    ///
    /// What is apart may end touching; what starts with an overlap is brought apart gently. Friction opposes sliding with at most
    /// `friction` times the normal impulse. A contact of which neither side can move is left alone.
    pub fn respond(
        &mut self,
        contacts: &[Contact],
        points: &mut [SolverPoint],
        shapes: &mut [RigidSolverBody],
        time_step: f64,
    ) {
        let mut parties = Parties { points, shapes };
        // What a body's equations have pushed with, the other side has still to feel.
        for contact in contacts {
            if let Some(carried) = contact.carried {
                parties.push_side(&contact.sides[1], &contact.place, &-carried);
            }
        }
        parties.begin_all(contacts, time_step, &mut self.states);
        for (contact, state) in contacts.iter().zip(&mut self.states) {
            let known = self.remembered.binary_search_by_key(&contact.identity, |entry| entry.0);
            if let Ok(place) = known {
                parties.guess(contact, state, time_step * self.remembered[place].1);
            }
        }
        parties.sweep(contacts, &mut self.states);
        self.remembered.clear();
        let pushed = |state: &State, contact: &Contact| state.normal_impulse * contact.normal + state.friction_impulse;
        let forces = contacts.iter().zip(&self.states).map(|(contact, state)| (contact, pushed(state, contact)));
        self.remembered.extend(forces.map(|(contact, impulse)| (contact.identity, impulse / time_step)));
        self.remembered.sort_unstable_by_key(|entry| entry.0);
        self.borne.clear();
        let pressed = contacts.iter().zip(&self.states).filter(|(_, state)| state.normal_impulse > 0.0);
        let borne = pressed.flat_map(|(contact, _)| parties.borne_in(contact));
        self.borne.extend(borne);
    }

    /// The same for what would still pass through each other after [`respond`](Self::respond): these contacts come and go, so that nothing is
    /// guessed and nothing remembered. A shape on a point that cannot give way rests on what bears the point: a node of grams between the ground and a ball of
    /// tons would tell the ball of the ground only after as many sweeps as the one is heavier than the other.
    pub fn correct(
        &mut self,
        contacts: &[Contact],
        points: &mut [SolverPoint],
        shapes: &mut [RigidSolverBody],
        time_step: f64,
    ) {
        let mut parties = Parties { points, shapes };
        parties.begin_all(contacts, time_step, &mut self.states);
        self.borne.extend(contacts.iter().flat_map(|contact| parties.borne_in(contact)));
        self.borne.sort_unstable();
        self.borne.dedup();
        parties.bear(contacts, &self.states, &self.borne);
        parties.sweep(contacts, &mut self.states);
    }
}

impl ContactSolver {
    /// The impulses on the first sides (N·s) that the last answer found for these very contacts, those that equations have carried among them.
    pub fn exerted<'a>(&'a self, contacts: &'a [Contact]) -> impl Iterator<Item = (&'a Contact, Vec3)> {
        contacts.iter().zip(&self.states).map(|(contact, state)| (contact, state.exerted(contact)))
    }
}

/// What a contact has exerted so far.
#[derive(Debug)]
struct State {
    /// Speed along the normal that the contact asks for (m/s).
    wanted: f64,
    /// Speed that a unit impulse along the normal makes (1/kg).
    mobility: f64,
    /// Whether an impulse along any other direction makes the same: so it does where no shape can turn.
    is_isotropic: bool,
    normal_impulse: f64,
    friction_impulse: Vec3,
}

impl State {
    fn exerted(&self, contact: &Contact) -> Vec3 {
        contact.carried.unwrap_or(self.normal_impulse * contact.normal + self.friction_impulse)
    }
}

struct Parties<'a> {
    points: &'a mut [SolverPoint],
    shapes: &'a mut [RigidSolverBody],
}

impl Parties<'_> {
    /// Starts all contacts of a step.
    fn begin_all(&self, contacts: &[Contact], time_step: f64, states: &mut Vec<State>) {
        states.clear();
        states.extend(contacts.iter().map(|contact| self.begin(contact, time_step)));
    }

    fn begin(&self, contact: &Contact, time_step: f64) -> State {
        let mobility = if contact.carried.is_some() { 0.0 } else { self.mobility(contact, &contact.normal) };
        let wanted = self.wanted_speed(contact, time_step);
        let turns = |side: &Side| match side {
            Side::Points { .. } => false,
            Side::Rigid(shape) => self.shapes[*shape as usize].inverse_inertia != Mat3::zeros(),
        };
        let is_isotropic = !contact.sides.iter().any(turns);
        State { wanted, mobility, is_isotropic, normal_impulse: 0.0, friction_impulse: Vec3::zeros() }
    }

    /// Speed along the normal (m/s) with which the sides must leave the step.
    fn wanted_speed(&self, contact: &Contact, time_step: f64) -> f64 {
        let speed = self.relative_velocity(contact).dot(&contact.normal);
        let undone = UNDONE_PER_STEP.min(time_step / TIME_TO_PART);
        let allowed_gap = ((1.0 - undone) * contact.gap_at_start).min(0.0);
        let stop = speed + (allowed_gap - contact.gap_at_end) / time_step;
        let bounces = contact.restitution > 0.0 && speed < -SLOWEST_BOUNCE && contact.gap_at_start >= 0.0;
        if bounces { stop.max(-contact.restitution * speed) } else { stop }
    }

    /// Puts all contacts right, one after another, until nothing changes.
    fn sweep(&mut self, contacts: &[Contact], states: &mut [State]) {
        let mut first_change = 0.0f64;
        for _ in 0..SWEEPS {
            let mut largest_change = 0.0f64;
            for (contact, state) in contacts.iter().zip(&mut *states) {
                largest_change = largest_change.max(self.relax(contact, state));
            }
            first_change = first_change.max(largest_change);
            if largest_change <= SLOWEST_CHANGE.max(LEAST_CHANGE * first_change) {
                break;
            }
        }
    }

    /// The points of a contact with a shape that nothing can move, as [`ContactSolver::borne`] has them.
    fn borne_in(&self, contact: &Contact) -> impl Iterator<Item = [u32; 2]> + use<> {
        let is_fixed = |side: &Side| match side {
            Side::Points { .. } => false,
            Side::Rigid(shape) => self.shapes[*shape as usize].is_fixed(),
        };
        let bearer = contact.sides.iter().position(is_fixed);
        let borne = bearer.map(|bearer| (contact.sides[1 - bearer], contact.identity[1 - bearer]));
        borne.into_iter().flat_map(|(side, [owner, numbers @ ..])| {
            let weights = if let Side::Points { weights, .. } = side { weights } else { [0.0; 3] };
            (0..3).filter(move |&k| weights[k] != 0.0).map(move |k| [owner, numbers[k]])
        })
    }

    /// Stops shapes that come down on points which are borne, as if these could not move at all: whatever bears them takes up the impulse.
    fn bear(&mut self, contacts: &[Contact], states: &[State], borne: &[[u32; 2]]) {
        for _ in 0..SWEEPS {
            let mut largest_change = 0.0f64;
            for (contact, state) in contacts.iter().zip(states) {
                largest_change = largest_change.max(self.rest(contact, state.wanted, borne));
            }
            if largest_change <= SLOWEST_CHANGE {
                break;
            }
        }
    }

    /// Stops one shape on points of which some are borne. Says by how much (m/s).
    fn rest(&mut self, contact: &Contact, wanted: f64, borne: &[[u32; 2]]) -> f64 {
        let Some(above) = contact.sides.iter().position(|side| matches!(side, Side::Rigid(_))) else { return 0.0 };
        let (Side::Rigid(shape), Side::Points { points, weights }) = (contact.sides[above], contact.sides[1 - above])
        else {
            return 0.0;
        };
        let [owner, numbers @ ..] = contact.identity[1 - above];
        let is_borne = [0, 1, 2].map(|k| weights[k] != 0.0 && borne.binary_search(&[owner, numbers[k]]).is_ok());
        if self.shapes[shape as usize].is_fixed() || contact.carried.is_some() || !is_borne.contains(&true) {
            return 0.0;
        }
        let missing = wanted - self.relative_velocity(contact).dot(&contact.normal);
        let gives_way = |k: &usize| !is_borne[*k] && weights[*k] != 0.0;
        let free = (0..3).filter(gives_way).map(|k| weights[k].powi(2) * self.points[points[k] as usize].inverse_mass);
        let mobility = free.sum::<f64>() + self.shapes[shape as usize].mobility(&contact.place, &contact.normal);
        if !(missing > 0.0 && mobility > 0.0) {
            return 0.0;
        }
        let impulse = missing / mobility * contact.normal;
        let (on_points, on_shape) = if above == 1 { (impulse, -impulse) } else { (-impulse, impulse) };
        self.shapes[shape as usize].push(&contact.place, &on_shape);
        for k in (0..3).filter(gives_way) {
            let point = &mut self.points[points[k] as usize];
            point.velocity += weights[k] * point.inverse_mass * on_points;
            point.impulse += weights[k] * on_points;
        }
        missing
    }

    /// Starts a contact with an impulse (N·s), as far as friction allows.
    fn guess(&mut self, contact: &Contact, state: &mut State, impulse: Vec3) {
        if !(state.mobility > 0.0) {
            return;
        }
        let normal = impulse.dot(&contact.normal);
        state.normal_impulse = normal.max(0.0);
        let along = impulse - normal * contact.normal;
        let limit = contact.friction * state.normal_impulse;
        state.friction_impulse = if along.norm() > limit { along * (limit / along.norm()) } else { along };
        self.push(contact, &(state.normal_impulse * contact.normal + state.friction_impulse));
    }

    /// Puts one contact right as if it were the only one. Says how much speed that changed (m/s).
    fn relax(&mut self, contact: &Contact, state: &mut State) -> f64 {
        if !(state.mobility > 0.0) {
            return 0.0;
        }
        let normal = contact.normal;
        let missing = state.wanted - self.relative_velocity(contact).dot(&normal);
        let impulse = (state.normal_impulse + missing / state.mobility).max(0.0);
        let change = impulse - state.normal_impulse;
        state.normal_impulse = impulse;
        self.push(contact, &(change * normal));
        let changed = (change * state.mobility).abs();

        let velocity = self.relative_velocity(contact);
        let sliding = velocity - velocity.dot(&normal) * normal;
        let speed = sliding.norm();
        if !(speed > 0.0 && contact.friction > 0.0) {
            return changed;
        }
        let mobility = if state.is_isotropic { state.mobility } else { self.mobility(contact, &(sliding / speed)) };
        let mut total = state.friction_impulse - sliding / mobility;
        let limit = contact.friction * impulse;
        if total.norm() > limit {
            total *= limit / total.norm();
        }
        let change = total - state.friction_impulse;
        state.friction_impulse = total;
        self.push(contact, &change);
        changed.max(change.norm() * mobility)
    }

    fn relative_velocity(&self, contact: &Contact) -> Vec3 {
        let [first, second] = contact.sides.map(|side| self.velocity(&side, &contact.place));
        first - second
    }

    fn velocity(&self, side: &Side, place: &Vec3) -> Vec3 {
        match side {
            Side::Points { points, weights } => {
                let sum = |k: usize| weights[k] * self.points[points[k] as usize].velocity;
                sum(0) + sum(1) + sum(2)
            }
            Side::Rigid(shape) => self.shapes[*shape as usize].velocity_at(place),
        }
    }

    fn mobility(&self, contact: &Contact, direction: &Vec3) -> f64 {
        let [first, second] = contact.sides.map(|side| match side {
            Side::Points { points, weights } => {
                (0..3).map(|k| weights[k] * weights[k] * self.points[points[k] as usize].inverse_mass).sum()
            }
            Side::Rigid(shape) => self.shapes[shape as usize].mobility(&contact.place, direction),
        });
        first + second
    }

    fn push(&mut self, contact: &Contact, impulse: &Vec3) {
        self.push_side(&contact.sides[0], &contact.place, impulse);
        self.push_side(&contact.sides[1], &contact.place, &-impulse);
    }

    fn push_side(&mut self, side: &Side, place: &Vec3, impulse: &Vec3) {
        match side {
            Side::Points { points, weights } => {
                for (&point, &weight) in points.iter().zip(weights).filter(|(_, weight)| **weight != 0.0) {
                    let point = &mut self.points[point as usize];
                    point.velocity += weight * point.inverse_mass * impulse;
                    point.impulse += weight * impulse;
                }
            }
            Side::Rigid(shape) => self.shapes[*shape as usize].push(place, impulse),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn respond(contacts: &[Contact], points: &mut [SolverPoint], shapes: &mut [RigidSolverBody], time_step: f64) {
        ContactSolver::default().respond(contacts, points, shapes, time_step);
    }

    const FIXED: RigidSolverBody = RigidSolverBody {
        center: Vec3::new(0.0, 0.0, 0.0),
        velocity: Vec3::new(0.0, 0.0, 0.0),
        spin: Vec3::new(0.0, 0.0, 0.0),
        inverse_mass: 0.0,
        inverse_inertia: Mat3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    };

    fn ground_contact(gap_at_start: f64, gap_at_end: f64, friction: f64, restitution: f64) -> Contact {
        let sides = [Side::point(0), Side::Rigid(0)];
        let (place, normal) = (Vec3::zeros(), Vec3::y());
        let identity = [[0; 4]; 2];
        Contact { identity, sides, place, normal, gap_at_start, gap_at_end, friction, restitution, carried: None }
    }

    fn point(velocity: Vec3) -> SolverPoint {
        SolverPoint { velocity, inverse_mass: 0.5, impulse: Vec3::zeros() }
    }

    #[test]
    fn a_point_ends_on_the_ground() {
        let mut points = [point(Vec3::new(0.0, -3.0, 0.0))];
        respond(&[ground_contact(0.01, -0.02, 0.0, 0.0)], &mut points, &mut [FIXED], 0.01);
        assert!((points[0].velocity.y + 1.0).abs() < 1e-12, "it may still close its gap of 0.01 m in 0.01 s");
        assert!((points[0].impulse.y - 4.0).abs() < 1e-12);
    }

    #[test]
    fn a_point_that_starts_inside_comes_out_gently_whatever_the_step() {
        for time_step in [1e-2, 1e-5] {
            let mut points = [point(Vec3::zeros())];
            respond(&[ground_contact(-0.02, -0.02, 0.0, 0.0)], &mut points, &mut [FIXED], time_step);
            let speed = points[0].velocity.y;
            assert!(speed > 0.0 && speed < 0.5, "{speed} m/s out of 2 cm with steps of {time_step} s");
        }
    }

    #[test]
    fn friction_stops_or_brakes_as_coulomb_says() {
        for (slide, expected) in [(0.5, 0.0), (2.0, 2.0 - 0.5 * 3.0)] {
            let mut points = [point(Vec3::new(slide, -3.0, 0.0))];
            respond(&[ground_contact(0.0, -0.03, 0.5, 0.0)], &mut points, &mut [FIXED], 0.01);
            assert!((points[0].velocity.x - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn restitution_gives_back_its_share() {
        let mut points = [point(Vec3::new(0.0, -3.0, 0.0))];
        respond(&[ground_contact(0.0, -0.03, 0.0, 0.6)], &mut points, &mut [FIXED], 0.01);
        assert!((points[0].velocity.y - 1.8).abs() < 1e-12);
    }

    #[test]
    fn a_free_shape_takes_the_opposite_momentum() {
        let mut points = [point(Vec3::new(0.3, -3.0, 0.0))];
        let mut shapes = [RigidSolverBody { inverse_mass: 0.1, inverse_inertia: Mat3::identity() * 4.0, ..FIXED }];
        let mut pair = ground_contact(0.0, -0.03, 0.4, 0.0);
        pair.place = Vec3::new(0.2, 0.1, -0.1);
        respond(&[pair], &mut points, &mut shapes, 0.01);
        let momentum = points[0].velocity / 0.5 + shapes[0].velocity / 0.1;
        assert!((momentum - Vec3::new(0.6, -6.0, 0.0)).norm() < 1e-12);
        let relative = points[0].velocity - shapes[0].velocity_at(&pair.place);
        assert!(relative.y.abs() < 1e-6);
    }

    #[test]
    fn a_carried_contact_moves_only_the_shape() {
        let mut points = [point(Vec3::new(2.0, -3.0, 0.0))];
        let mut shapes = [RigidSolverBody { inverse_mass: 0.1, ..FIXED }];
        let pair = Contact { carried: Some(Vec3::new(-1.0, 4.0, 0.0)), ..ground_contact(0.0, -0.03, 0.5, 0.0) };
        respond(&[pair], &mut points, &mut shapes, 0.01);
        assert_eq!(points[0].velocity, Vec3::new(2.0, -3.0, 0.0));
        assert!((shapes[0].velocity - Vec3::new(0.1, -0.4, 0.0)).norm() < 1e-12);
    }

    #[test]
    fn two_held_things_are_left_alone() {
        let mut points = [SolverPoint { velocity: Vec3::zeros(), inverse_mass: 0.0, impulse: Vec3::zeros() }];
        respond(&[ground_contact(0.0, -0.03, 0.4, 0.0)], &mut points, &mut [FIXED], 0.01);
        assert_eq!(points[0].impulse, Vec3::zeros());
    }

    #[test]
    fn a_heavy_shape_rests_on_a_light_point_that_the_ground_bears() {
        // A node of a gram on the ground, and on it a ball of 15 t that comes down at 2 m/s.
        let ball = RigidSolverBody { inverse_mass: 1.0 / 15_000.0, velocity: Vec3::new(0.0, -2.0, 0.0), ..FIXED };
        let mut points = [SolverPoint { velocity: Vec3::zeros(), inverse_mass: 1e3, impulse: Vec3::zeros() }];
        let mut shapes = [FIXED, ball];
        let on_ground = Contact { identity: [[0, 7, 0, 0], [1, 0, 0, 0]], ..ground_contact(0.0, 0.0, 0.0, 0.0) };
        let under_ball = Contact {
            identity: [[0, 7, 0, 0], [2, 0, 0, 0]],
            sides: [Side::point(0), Side::Rigid(1)],
            normal: -Vec3::y(),
            ..ground_contact(0.0, -2e-5, 0.0, 0.0)
        };
        let mut responder = ContactSolver::default();
        responder.correct(&[on_ground], &mut points, &mut shapes, 1e-5);
        // What crosses next is the ball alone: the ground has been put right.
        responder.correct(&[under_ball], &mut points, &mut shapes, 1e-5);
        assert!(shapes[1].velocity.y.abs() < 1e-9, "{} m/s", shapes[1].velocity.y);
        assert!(points[0].velocity.norm() < 1e-9, "{} m/s", points[0].velocity);
        // Borne by nothing, the node has to go with the ball.
        let (mut points, mut shapes) = (points.map(|it| SolverPoint { velocity: Vec3::zeros(), ..it }), [FIXED, ball]);
        ContactSolver::default().correct(&[under_ball], &mut points, &mut shapes, 1e-5);
        assert!(shapes[1].velocity.y < -1.99 && points[0].velocity.y < -1.99);
    }

    #[test]
    fn a_step_like_the_last_one_needs_no_search() {
        // A tower of points, each on the one below: one sweep carries a weight one storey down, and there are more storeys than sweeps.
        let storeys = 2 * SWEEPS as u32;
        let on = |below: u32| {
            let identity = [[0, below + 1, 0, 0], [0, below, 0, 0]];
            let sides = [Side::point(below + 1), Side::point(below)];
            Contact { identity, sides, ..ground_contact(0.0, -1e-3, 0.0, 0.0) }
        };
        let ground = Contact { identity: [[0; 4], [1, 0, 0, 0]], ..ground_contact(0.0, -1e-3, 0.0, 0.0) };
        let contacts: Vec<Contact> = (0..storeys).rev().map(on).chain([ground]).collect();
        let mut responder = ContactSolver::default();
        let mut fastest = Vec::new();
        for _ in 0..200 {
            let mut points = vec![point(Vec3::new(0.0, -0.1, 0.0)); storeys as usize + 1];
            // Relative to each other nothing moves, but all of them fall.
            let still: Vec<Contact> = contacts
                .iter()
                .map(|contact| match contact.sides[1] {
                    Side::Rigid(_) => *contact,
                    Side::Points { .. } => Contact { gap_at_end: 0.0, ..*contact },
                })
                .collect();
            responder.respond(&still, &mut points, &mut [FIXED], 0.01);
            fastest.push(points.iter().map(|point| point.velocity.norm()).fold(0.0, f64::max));
        }
        assert!(fastest[0] > 0.05 && fastest[199] < 0.01 * fastest[0], "{} {}", fastest[0], fastest[199]);
    }

    #[test]
    fn a_vertex_and_a_triangle_share_the_impulse_by_weight() {
        let weights = [0.2, 0.3, 0.5];
        let sides = [Side::point(0), Side::Points { points: [1, 2, 3], weights }];
        let contact = Contact { sides, ..ground_contact(0.0, -0.03, 0.4, 0.0) };
        let mut points =
            [point(Vec3::new(1.0, -3.0, 0.0)), point(Vec3::zeros()), point(Vec3::zeros()), point(Vec3::zeros())];
        respond(&[contact], &mut points, &mut [], 0.01);
        let momentum: Vec3 = points.iter().map(|point| point.velocity / point.inverse_mass).sum();
        assert!((momentum - Vec3::new(2.0, -6.0, 0.0)).norm() < 1e-12);
        for (k, weight) in weights.into_iter().enumerate() {
            assert!((points[k + 1].impulse + weight * points[0].impulse).norm() < 1e-12);
        }
        let under: Vec3 = (0..3).map(|k| weights[k] * points[k + 1].velocity).sum();
        assert!((points[0].velocity - under).y.abs() < 1e-9, "they go on together");
    }
}
