//! Impulses that keep collisions apart, with Coulomb friction and restitution, by projected
//! Gauss–Seidel (sequential impulses, Catto 2005).
//!
//! A side is a weighted sum of degrees of freedom or a point on a rigid body: a node against the
//! ground, a vertex against a triangle and an edge against an edge are the same here. Collisions
//! are solved in the order in which they come, that of bodies and their points: the same bits for
//! any number of threads.

use crate::collisions::{Collision, CollisionKey, Parts, Side};
use crate::friction::project_tangential;
use crate::tolerances::{MAX_PENETRATION_UNDONE, MIN_BOUNCE_SPEED, PENETRATION_UNDONE_TIME};
use craze_math::{Mat3, Vec3};

/// Most Gauss–Seidel iterations.
const MAX_ITERATIONS: usize = 20;

/// Changes of speed (m/s) at which iterations end.
const SPEED_TOLERANCE: f64 = 1e-9;

/// The same as a share of the largest change.
const RELATIVE_SPEED_TOLERANCE: f64 = 1e-6;

/// A rigid body as the solver moves it: inverse mass and inertia are zero for one that nothing can
/// move.
#[derive(Clone, Copy, Debug)]
pub struct RigidSolverBody {
    /// Centre of mass (m).
    pub center: Vec3,
    /// Velocity of the centre over the step (m/s).
    pub velocity: Vec3,
    /// Angular velocity over the step (rad/s).
    pub angular_velocity: Vec3,
    /// One over the mass (1/kg).
    pub inverse_mass: f64,
    /// Inverse inertia in the world (1/(kg·m²)).
    pub inverse_inertia: Mat3,
}

impl RigidSolverBody {
    /// Velocity at a point in the world (m/s).
    pub fn velocity_at(&self, point: &Vec3) -> Vec3 {
        self.velocity + self.angular_velocity.cross(&(point - self.center))
    }

    /// True if nothing can move it.
    fn is_fixed(&self) -> bool {
        self.inverse_mass == 0.0 && self.inverse_inertia == Mat3::zeros()
    }

    fn apply(&mut self, point: &Vec3, impulse: &Vec3) {
        self.velocity += self.inverse_mass * impulse;
        self.angular_velocity += self.inverse_inertia * (point - self.center).cross(impulse);
    }

    /// Velocity along `direction` at `point` per unit of impulse along it (1/kg).
    fn mobility(&self, point: &Vec3, direction: &Vec3) -> f64 {
        let arm = (point - self.center).cross(direction);
        self.inverse_mass + arm.dot(&(self.inverse_inertia * arm))
    }
}

/// A degree of freedom as the solver moves it.
#[derive(Clone, Copy, Debug)]
pub struct SolverDof {
    /// Its body.
    pub body: u32,
    /// Its number in the body.
    pub dof: u32,
    /// Velocity (m/s).
    pub velocity: Vec3,
    /// One over its mass (1/kg).
    pub inverse_mass: f64,
    /// Sum of the impulses on it (N·s): the result.
    pub impulse: Vec3,
}

impl SolverDof {
    fn apply(&mut self, impulse: &Vec3, weight: f64) {
        self.velocity += weight * self.inverse_mass * impulse;
        self.impulse += weight * impulse;
    }

    fn key(&self) -> [u32; 2] {
        [self.body, self.dof]
    }
}

/// Finds impulses that keep collisions apart.
///
/// Iterations start from the cached impulses of the last step (warm start): what they leave
/// unsolved would be work from nowhere, and a stack of many layers needs more iterations than there
/// are in one step.
#[derive(Debug, Default)]
pub struct ContactSolver {
    states: Vec<State>,
    /// Mean forces of the last step (N) by collision.
    cached_forces: Vec<(CollisionKey, Vec3)>,
    /// Degrees of freedom that a fixed body supports in this step, by body and number, ascending.
    supported: Vec<[u32; 2]>,
}

impl ContactSolver {
    /// Finds impulses so that no collision ends deeper than allowed, and applies them to `dofs` and
    /// `bodies`.
    ///
    /// Sides that are apart may end touching; sides that start in each other are separated gently.
    /// A collision of which neither side can move is left alone.
    pub fn solve(
        &mut self,
        collisions: &[Collision],
        dofs: &mut [SolverDof],
        bodies: &mut [RigidSolverBody],
        time_step: f64,
    ) {
        let mut system = System { dofs, bodies };
        for collision in collisions {
            if let Some(applied) = collision.applied {
                system.apply_to_side(&collision.sides[1], &collision.point, &-applied);
            }
        }
        system.begin_all(collisions, time_step, &mut self.states);
        for (collision, state) in collisions.iter().zip(&mut self.states) {
            let cached = self.cached_forces.binary_search_by_key(&collision.key(), |entry| entry.0);
            if let Ok(place) = cached {
                system.warm_start(collision, state, time_step * self.cached_forces[place].1);
            }
        }
        system.iterate(collisions, &mut self.states);
        self.cached_forces.clear();
        let impulses =
            collisions.iter().zip(&self.states).map(|(collision, state)| (collision, state.found(collision)));
        self.cached_forces.extend(impulses.map(|(collision, impulse)| (collision.key(), impulse / time_step)));
        self.cached_forces.sort_unstable_by_key(|entry| entry.0);
        self.supported.clear();
        let pressed = collisions.iter().zip(&self.states).filter(|(_, state)| state.normal_impulse > 0.0);
        let supported = pressed.flat_map(|(collision, _)| system.supported_by_fixed(collision));
        self.supported.extend(supported);
    }

    /// The same for what would still cross after [`solve`](Self::solve). These collisions come and
    /// go: there is no warm start. A rigid body on a degree of freedom that is supported rests on
    /// its support. Otherwise a node of grams between the ground and a ball of tons would pass the
    /// impulse on only after as many iterations as the ratio of the masses.
    pub fn solve_crossings(
        &mut self,
        collisions: &[Collision],
        dofs: &mut [SolverDof],
        bodies: &mut [RigidSolverBody],
        time_step: f64,
    ) {
        let mut system = System { dofs, bodies };
        system.begin_all(collisions, time_step, &mut self.states);
        self.supported.extend(collisions.iter().flat_map(|collision| system.supported_by_fixed(collision)));
        self.supported.sort_unstable();
        self.supported.dedup();
        system.stop_on_supports(collisions, &self.states, &self.supported);
        system.iterate(collisions, &mut self.states);
    }

    /// The impulses on the first sides (N·s) of these collisions, which the last call solved, with
    /// those that equations have applied.
    pub fn impulses<'a>(&'a self, collisions: &'a [Collision]) -> impl Iterator<Item = (&'a Collision, Vec3)> {
        let impulse = |collision: &Collision, state: &State| collision.applied.unwrap_or(state.found(collision));
        collisions.iter().zip(&self.states).map(move |(collision, state)| (collision, impulse(collision, state)))
    }
}

/// The iterate of a collision.
#[derive(Debug)]
struct State {
    /// Speed along the normal at the end (m/s).
    target_speed: f64,
    /// Speed along the normal per unit of impulse (1/kg).
    mobility: f64,
    /// True if the mobility is the same along all directions: where no rigid body rotates.
    is_isotropic: bool,
    normal_impulse: f64,
    friction_impulse: Vec3,
}

impl State {
    /// The impulse on the first side (N·s).
    fn found(&self, collision: &Collision) -> Vec3 {
        self.normal_impulse * collision.normal + self.friction_impulse
    }
}

struct System<'a> {
    dofs: &'a mut [SolverDof],
    bodies: &'a mut [RigidSolverBody],
}

impl System<'_> {
    fn begin_all(&self, collisions: &[Collision], time_step: f64, states: &mut Vec<State>) {
        states.clear();
        states.extend(collisions.iter().map(|collision| self.begin(collision, time_step)));
    }

    fn begin(&self, collision: &Collision, time_step: f64) -> State {
        let mobility = if collision.applied.is_some() { 0.0 } else { self.mobility(collision, &collision.normal) };
        let target_speed = self.target_speed(collision, time_step);
        let rotates = |side: &Side| match side.parts {
            Parts::Dofs(_) => false,
            Parts::Rigid(body) => self.bodies[body as usize].inverse_inertia != Mat3::zeros(),
        };
        let is_isotropic = !collision.sides.iter().any(rotates);
        State { target_speed, mobility, is_isotropic, normal_impulse: 0.0, friction_impulse: Vec3::zeros() }
    }

    fn target_speed(&self, collision: &Collision, time_step: f64) -> f64 {
        let speed = self.relative_velocity(collision).dot(&collision.normal);
        let undone = MAX_PENETRATION_UNDONE.min(time_step / PENETRATION_UNDONE_TIME);
        let allowed_gap = ((1.0 - undone) * collision.gap_at_start).min(0.0);
        let stop = speed + (allowed_gap - collision.gap_at_end) / time_step;
        let restitution = collision.material.restitution;
        let bounces = restitution > 0.0 && speed < -MIN_BOUNCE_SPEED && collision.gap_at_start >= 0.0;
        if bounces { stop.max(-restitution * speed) } else { stop }
    }

    /// Gauss–Seidel iterations until nothing changes.
    fn iterate(&mut self, collisions: &[Collision], states: &mut [State]) {
        let mut first_change = 0.0f64;
        for _ in 0..MAX_ITERATIONS {
            let mut largest_change = 0.0f64;
            for (collision, state) in collisions.iter().zip(&mut *states) {
                largest_change = largest_change.max(self.relax(collision, state));
            }
            first_change = first_change.max(largest_change);
            if largest_change <= SPEED_TOLERANCE.max(RELATIVE_SPEED_TOLERANCE * first_change) {
                break;
            }
        }
    }

    /// The degrees of freedom of a collision with a fixed body, as [`ContactSolver::supported`] has
    /// them.
    fn supported_by_fixed<'a>(&'a self, collision: &'a Collision) -> impl Iterator<Item = [u32; 2]> + 'a {
        let is_fixed = |side: &Side| side.rigid().is_some_and(|body| self.bodies[body as usize].is_fixed());
        let support = collision.sides.iter().position(is_fixed);
        let stencil = support.and_then(|support| collision.sides[1 - support].stencil());
        let entries = stencil.map_or(&[][..], |stencil| stencil.as_slice());
        entries.iter().map(move |&(dof, _)| self.dofs[dof as usize].key())
    }

    /// Stops rigid bodies that come down on supported degrees of freedom, as if these could not
    /// move.
    fn stop_on_supports(&mut self, collisions: &[Collision], states: &[State], supported: &[[u32; 2]]) {
        for _ in 0..MAX_ITERATIONS {
            let mut largest_change = 0.0f64;
            for (collision, state) in collisions.iter().zip(states) {
                largest_change = largest_change.max(self.stop_on_support(collision, state.target_speed, supported));
            }
            if largest_change <= SPEED_TOLERANCE {
                break;
            }
        }
    }

    /// Stops one rigid body on degrees of freedom of which some are supported. Returns the change
    /// of speed (m/s).
    fn stop_on_support(&mut self, collision: &Collision, target_speed: f64, supported: &[[u32; 2]]) -> f64 {
        let Some(above) = collision.sides.iter().position(|side| side.rigid().is_some()) else { return 0.0 };
        let (Some(body), Some(stencil)) = (collision.sides[above].rigid(), collision.sides[1 - above].stencil()) else {
            return 0.0;
        };
        let body = body as usize;
        let is_supported = |dof: u32| supported.binary_search(&self.dofs[dof as usize].key()).is_ok();
        let has_support = stencil.as_slice().iter().any(|&(dof, _)| is_supported(dof));
        if self.bodies[body].is_fixed() || collision.applied.is_some() || !has_support {
            return 0.0;
        }
        let missing = target_speed - self.relative_velocity(collision).dot(&collision.normal);
        let moving: Vec<(u32, f64)> =
            stencil.as_slice().iter().copied().filter(|&(dof, _)| !is_supported(dof)).collect();
        let of_dofs = moving.iter().map(|&(dof, weight)| weight.powi(2) * self.dofs[dof as usize].inverse_mass);
        let mobility = of_dofs.sum::<f64>() + self.bodies[body].mobility(&collision.point, &collision.normal);
        if !(missing > 0.0 && mobility > 0.0) {
            return 0.0;
        }
        let impulse = missing / mobility * collision.normal;
        let (on_dofs, on_body) = if above == 1 { (impulse, -impulse) } else { (-impulse, impulse) };
        self.bodies[body].apply(&collision.point, &on_body);
        for (dof, weight) in moving {
            self.dofs[dof as usize].apply(&on_dofs, weight);
        }
        missing
    }

    /// Starts a collision with a cached impulse (N·s), as far as friction bears it.
    fn warm_start(&mut self, collision: &Collision, state: &mut State, impulse: Vec3) {
        if !(state.mobility > 0.0) {
            return;
        }
        let normal = impulse.dot(&collision.normal);
        state.normal_impulse = normal.max(0.0);
        let tangential = impulse - normal * collision.normal;
        state.friction_impulse = project_tangential(collision.material.friction, state.normal_impulse, tangential);
        self.apply(collision, &state.found(collision));
    }

    /// Solves one collision as if it were the only one. Returns the change of speed (m/s).
    fn relax(&mut self, collision: &Collision, state: &mut State) -> f64 {
        if !(state.mobility > 0.0) {
            return 0.0;
        }
        let normal = collision.normal;
        let missing = state.target_speed - self.relative_velocity(collision).dot(&normal);
        let impulse = (state.normal_impulse + missing / state.mobility).max(0.0);
        let change = impulse - state.normal_impulse;
        state.normal_impulse = impulse;
        self.apply(collision, &(change * normal));
        let changed = (change * state.mobility).abs();

        let velocity = self.relative_velocity(collision);
        let sliding = velocity - velocity.dot(&normal) * normal;
        let speed = sliding.norm();
        let friction = collision.material.friction;
        if !(speed > 0.0 && friction > 0.0) {
            return changed;
        }
        let mobility = if state.is_isotropic { state.mobility } else { self.mobility(collision, &(sliding / speed)) };
        let total = project_tangential(friction, impulse, state.friction_impulse - sliding / mobility);
        let change = total - state.friction_impulse;
        state.friction_impulse = total;
        self.apply(collision, &change);
        changed.max(change.norm() * mobility)
    }

    fn relative_velocity(&self, collision: &Collision) -> Vec3 {
        let [first, second] = &collision.sides;
        self.velocity(first, &collision.point) - self.velocity(second, &collision.point)
    }

    fn velocity(&self, side: &Side, point: &Vec3) -> Vec3 {
        match &side.parts {
            Parts::Dofs(stencil) => stencil.sum(|dof| self.dofs[dof].velocity),
            Parts::Rigid(body) => self.bodies[*body as usize].velocity_at(point),
        }
    }

    fn mobility(&self, collision: &Collision, direction: &Vec3) -> f64 {
        let of_side = |side: &Side| match &side.parts {
            Parts::Dofs(stencil) => stencil.sum_of_squares(|dof| self.dofs[dof].inverse_mass),
            Parts::Rigid(body) => self.bodies[*body as usize].mobility(&collision.point, direction),
        };
        of_side(&collision.sides[0]) + of_side(&collision.sides[1])
    }

    fn apply(&mut self, collision: &Collision, impulse: &Vec3) {
        self.apply_to_side(&collision.sides[0], &collision.point, impulse);
        self.apply_to_side(&collision.sides[1], &collision.point, &-impulse);
    }

    fn apply_to_side(&mut self, side: &Side, point: &Vec3, impulse: &Vec3) {
        match &side.parts {
            Parts::Dofs(stencil) => {
                for &(dof, weight) in stencil.as_slice() {
                    self.dofs[dof as usize].apply(impulse, weight);
                }
            }
            Parts::Rigid(body) => self.bodies[*body as usize].apply(point, impulse),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collisions::Stencil;
    use crate::friction::ContactMaterial;

    fn solve(contacts: &[Collision], dofs: &mut [SolverDof], bodies: &mut [RigidSolverBody], time_step: f64) {
        ContactSolver::default().solve(contacts, dofs, bodies, time_step);
    }

    const FIXED: RigidSolverBody = RigidSolverBody {
        center: Vec3::new(0.0, 0.0, 0.0),
        velocity: Vec3::new(0.0, 0.0, 0.0),
        angular_velocity: Vec3::new(0.0, 0.0, 0.0),
        inverse_mass: 0.0,
        inverse_inertia: Mat3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    };

    fn on_dof(dof: u32) -> Side {
        Side { name: [0, dof, 0, 0], parts: Parts::Dofs(Stencil::single(dof)) }
    }

    fn on_rigid(body: u32) -> Side {
        Side { name: [body + 1, 0, 0, 0], parts: Parts::Rigid(body) }
    }

    fn ground_contact(gap_at_start: f64, gap_at_end: f64, friction: f64, restitution: f64) -> Collision {
        let material = ContactMaterial { friction, restitution };
        let (sides, point) = ([on_dof(0), on_rigid(0)], Vec3::zeros());
        Collision { sides, point, normal: Vec3::y(), gap_at_start, gap_at_end, material, applied: None }
    }

    fn dof(velocity: Vec3) -> SolverDof {
        SolverDof { body: 0, dof: 0, velocity, inverse_mass: 0.5, impulse: Vec3::zeros() }
    }

    #[test]
    fn a_point_ends_on_the_ground() {
        let mut dofs = [dof(Vec3::new(0.0, -3.0, 0.0))];
        solve(&[ground_contact(0.01, -0.02, 0.0, 0.0)], &mut dofs, &mut [FIXED], 0.01);
        assert!((dofs[0].velocity.y + 1.0).abs() < 1e-12, "it may still close its gap of 0.01 m in 0.01 s");
        assert!((dofs[0].impulse.y - 4.0).abs() < 1e-12);
    }

    #[test]
    fn a_point_that_starts_inside_comes_out_gently_whatever_the_step() {
        for time_step in [1e-2, 1e-5] {
            let mut dofs = [dof(Vec3::zeros())];
            solve(&[ground_contact(-0.02, -0.02, 0.0, 0.0)], &mut dofs, &mut [FIXED], time_step);
            let speed = dofs[0].velocity.y;
            assert!(speed > 0.0 && speed < 0.5, "{speed} m/s out of 2 cm with steps of {time_step} s");
        }
    }

    #[test]
    fn friction_stops_or_brakes_as_coulomb_says() {
        for (slide, expected) in [(0.5, 0.0), (2.0, 2.0 - 0.5 * 3.0)] {
            let mut dofs = [dof(Vec3::new(slide, -3.0, 0.0))];
            solve(&[ground_contact(0.0, -0.03, 0.5, 0.0)], &mut dofs, &mut [FIXED], 0.01);
            assert!((dofs[0].velocity.x - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn restitution_gives_back_its_share() {
        let mut dofs = [dof(Vec3::new(0.0, -3.0, 0.0))];
        solve(&[ground_contact(0.0, -0.03, 0.0, 0.6)], &mut dofs, &mut [FIXED], 0.01);
        assert!((dofs[0].velocity.y - 1.8).abs() < 1e-12);
    }

    #[test]
    fn a_free_shape_takes_the_opposite_momentum() {
        let mut dofs = [dof(Vec3::new(0.3, -3.0, 0.0))];
        let mut shapes = [RigidSolverBody { inverse_mass: 0.1, inverse_inertia: Mat3::identity() * 4.0, ..FIXED }];
        let mut pair = ground_contact(0.0, -0.03, 0.4, 0.0);
        pair.point = Vec3::new(0.2, 0.1, -0.1);
        solve(std::slice::from_ref(&pair), &mut dofs, &mut shapes, 0.01);
        let momentum = dofs[0].velocity / 0.5 + shapes[0].velocity / 0.1;
        assert!((momentum - Vec3::new(0.6, -6.0, 0.0)).norm() < 1e-12);
        let relative = dofs[0].velocity - shapes[0].velocity_at(&pair.point);
        assert!(relative.y.abs() < 1e-6);
    }

    #[test]
    fn a_contact_that_equations_hold_moves_only_the_shape() {
        let mut dofs = [dof(Vec3::new(2.0, -3.0, 0.0))];
        let mut shapes = [RigidSolverBody { inverse_mass: 0.1, ..FIXED }];
        let pair = Collision { applied: Some(Vec3::new(-1.0, 4.0, 0.0)), ..ground_contact(0.0, -0.03, 0.5, 0.0) };
        solve(&[pair], &mut dofs, &mut shapes, 0.01);
        assert_eq!(dofs[0].velocity, Vec3::new(2.0, -3.0, 0.0));
        assert!((shapes[0].velocity - Vec3::new(0.1, -0.4, 0.0)).norm() < 1e-12);
    }

    #[test]
    fn two_held_things_are_left_alone() {
        let mut dofs = [SolverDof { inverse_mass: 0.0, ..dof(Vec3::zeros()) }];
        solve(&[ground_contact(0.0, -0.03, 0.4, 0.0)], &mut dofs, &mut [FIXED], 0.01);
        assert_eq!(dofs[0].impulse, Vec3::zeros());
    }

    #[test]
    fn a_heavy_shape_rests_on_a_light_point_that_the_ground_bears() {
        // A node of a gram on the ground, and on it a ball of 15 t that comes down at 2 m/s.
        let ball = RigidSolverBody { inverse_mass: 1.0 / 15_000.0, velocity: Vec3::new(0.0, -2.0, 0.0), ..FIXED };
        let mut dofs = [SolverDof { dof: 7, inverse_mass: 1e3, ..dof(Vec3::zeros()) }];
        let mut shapes = [FIXED, ball];
        let on_ground = ground_contact(0.0, 0.0, 0.0, 0.0);
        let under_ball =
            Collision { sides: [on_dof(0), on_rigid(1)], normal: -Vec3::y(), ..ground_contact(0.0, -2e-5, 0.0, 0.0) };
        let mut solver = ContactSolver::default();
        solver.solve_crossings(std::slice::from_ref(&on_ground), &mut dofs, &mut shapes, 1e-5);
        // What crosses next is the ball alone: the ground has been put right.
        solver.solve_crossings(std::slice::from_ref(&under_ball), &mut dofs, &mut shapes, 1e-5);
        assert!(shapes[1].velocity.y.abs() < 1e-9, "{} m/s", shapes[1].velocity.y);
        assert!(dofs[0].velocity.norm() < 1e-9, "{} m/s", dofs[0].velocity);
        // Borne by nothing, the node has to go with the ball.
        let (mut dofs, mut shapes) = (dofs.map(|it| SolverDof { velocity: Vec3::zeros(), ..it }), [FIXED, ball]);
        ContactSolver::default().solve_crossings(std::slice::from_ref(&under_ball), &mut dofs, &mut shapes, 1e-5);
        assert!(shapes[1].velocity.y < -1.99 && dofs[0].velocity.y < -1.99);
    }

    #[test]
    fn a_step_like_the_last_one_needs_no_search() {
        // A tower of points, each on the one below: one sweep carries a weight one storey down, and
        // there are more storeys than sweeps.
        let storeys = 2 * MAX_ITERATIONS as u32;
        let on = |below: u32| Collision {
            sides: [on_dof(below + 1), on_dof(below)],
            ..ground_contact(0.0, -1e-3, 0.0, 0.0)
        };
        let ground = ground_contact(0.0, -1e-3, 0.0, 0.0);
        let contacts: Vec<Collision> = (0..storeys).rev().map(on).chain([ground]).collect();
        let mut solver = ContactSolver::default();
        let mut fastest = Vec::new();
        for _ in 0..200 {
            let mut dofs = vec![dof(Vec3::new(0.0, -0.1, 0.0)); storeys as usize + 1];
            // Relative to each other nothing moves, but all of them fall.
            let still: Vec<Collision> = contacts
                .iter()
                .map(|contact| match contact.sides[1].parts {
                    Parts::Rigid(_) => contact.clone(),
                    Parts::Dofs(_) => Collision { gap_at_end: 0.0, ..contact.clone() },
                })
                .collect();
            solver.solve(&still, &mut dofs, &mut [FIXED], 0.01);
            fastest.push(dofs.iter().map(|dof| dof.velocity.norm()).fold(0.0, f64::max));
        }
        assert!(fastest[0] > 0.05 && fastest[199] < 0.01 * fastest[0], "{} {}", fastest[0], fastest[199]);
    }

    #[test]
    fn a_vertex_and_a_triangle_share_the_impulse_by_weight() {
        let weights = [0.2, 0.3, 0.5];
        let triangle = Parts::Dofs((1..4).zip(weights).collect());
        let sides = [on_dof(0), Side { name: [0, 1, 2, 3], parts: triangle }];
        let contact = Collision { sides, ..ground_contact(0.0, -0.03, 0.4, 0.0) };
        let mut dofs = [dof(Vec3::new(1.0, -3.0, 0.0)), dof(Vec3::zeros()), dof(Vec3::zeros()), dof(Vec3::zeros())];
        solve(&[contact], &mut dofs, &mut [], 0.01);
        let momentum: Vec3 = dofs.iter().map(|dof| dof.velocity / dof.inverse_mass).sum();
        assert!((momentum - Vec3::new(2.0, -6.0, 0.0)).norm() < 1e-12);
        for (k, weight) in weights.into_iter().enumerate() {
            assert!((dofs[k + 1].impulse + weight * dofs[0].impulse).norm() < 1e-12);
        }
        let under: Vec3 = (0..3).map(|k| weights[k] * dofs[k + 1].velocity).sum();
        assert!((dofs[0].velocity - under).y.abs() < 1e-9, "they go on together");
    }

    #[test]
    fn a_point_of_five_degrees_of_freedom_ends_on_the_ground_and_shares_the_impulse_by_weight() {
        let weights = [0.1, 0.2, 0.3, 0.25, 0.15];
        let embedded = Side { name: [0, 0, 0, 0], parts: Parts::Dofs((0..5).zip(weights).collect()) };
        let contact = Collision { sides: [embedded, on_rigid(0)], ..ground_contact(0.0, -0.03, 0.0, 0.0) };
        let mut dofs = [dof(Vec3::new(0.0, -3.0, 0.0)); 5];
        solve(&[contact], &mut dofs, &mut [FIXED], 0.01);
        let velocity: f64 = dofs.iter().zip(weights).map(|(dof, weight)| weight * dof.velocity.y).sum();
        assert!(velocity.abs() < 1e-9, "{velocity} m/s");
        for (dof, weight) in dofs.iter().zip(weights) {
            assert!((dof.impulse / weight - dofs[0].impulse / weights[0]).norm() < 1e-12);
        }
    }
}
