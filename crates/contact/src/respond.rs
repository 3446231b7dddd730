//! Impulses that keep points out of shapes, with Coulomb friction and restitution.
//!
//! Every contact is one point against one rigid shape. The impulses are found by projected Gauss–Seidel in the order of the
//! contacts, which is the order of bodies and their points: the same bits for any number of threads.

use crate::detect::Contact;
use craze_math::{Mat3, Vec3};

/// Largest share of an old overlap that is undone in a step, so that bodies which start tangled part gently
/// (Bridson et al. 2002, §7.1).
const UNDONE_PER_STEP: f64 = 0.1;

/// Time (s) over which an old overlap is undone where steps are short: a tenth in each microsecond would be an explosion.
const TIME_TO_PART: f64 = 0.05;

/// Slower impacts than this (m/s) do not bounce, or a body at rest would never lie still.
const SLOWEST_BOUNCE: f64 = 0.02;

/// Sweeps over all contacts.
const SWEEPS: usize = 12;

/// How a rigid shape answers to impulses: all zeros for one that nothing can move.
#[derive(Clone, Copy, Debug)]
pub struct RigidResponse {
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

impl RigidResponse {
    fn velocity_at(&self, place: &Vec3) -> Vec3 {
        self.velocity + self.spin.cross(&(place - self.center))
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

/// What pushes against the shape.
#[derive(Clone, Copy, Debug)]
pub enum Pusher {
    /// Entry of the list of moving points.
    Point(u32),
    /// Entry of the list of rigid shapes.
    Rigid(u32),
}

/// A point of a body as the response moves it.
#[derive(Clone, Copy, Debug)]
pub struct MovingPoint {
    /// Velocity (m/s).
    pub velocity: Vec3,
    /// One over its mass (1/kg).
    pub inverse_mass: f64,
    /// Sum of the impulses on it (N·s); the answer.
    pub impulse: Vec3,
}

/// One contact with those who take part in it.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// The geometry.
    pub contact: Contact,
    /// Who touches.
    pub pusher: Pusher,
    /// Which rigid shape is touched.
    pub shape: u32,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// Share of the approach speed that comes back.
    pub restitution: f64,
    /// The impulse (N·s) that the body's own equations have already brought up against the shape, friction and all: what is left is that
    /// the shape feels it.
    pub carried: Option<Vec3>,
}

/// Finds impulses so that no point ends deeper than allowed, and applies them to `points` and `shapes`.
///
/// A point outside may end on the surface; one that starts inside is brought out gently. Friction opposes
/// sliding with at most `friction` times the normal impulse. Zero inverse masses on both sides leave the contact alone.
pub fn respond(pairs: &[Pair], points: &mut [MovingPoint], shapes: &mut [RigidResponse], time_step: f64) {
    // Impulses so far, and the velocity along the normal that each contact asks for.
    let mut normal_impulses = vec![0.0; pairs.len()];
    let mut friction_impulses = vec![Vec3::zeros(); pairs.len()];
    // What a body's equations have pushed with, the shape has still to feel.
    for pair in pairs {
        if let Some(carried) = pair.carried {
            shapes[pair.shape as usize].push(&pair.contact.place, &-carried);
        }
    }
    let wanted: Vec<f64> = pairs.iter().map(|pair| wanted_speed(pair, points, shapes, time_step)).collect();
    for _ in 0..SWEEPS {
        let mut largest_change = 0.0f64;
        for (index, pair) in pairs.iter().enumerate() {
            let normal = pair.contact.normal;
            let mobility = mobility(pair, points, shapes, &normal);
            if mobility <= 0.0 || pair.carried.is_some() {
                continue;
            }
            let missing = wanted[index] - relative_velocity(pair, points, shapes).dot(&normal);
            let impulse = (normal_impulses[index] + missing / mobility).max(0.0);
            let change = impulse - normal_impulses[index];
            normal_impulses[index] = impulse;
            push(pair, points, shapes, &(change * normal));
            largest_change = largest_change.max((change * mobility).abs());

            let velocity = relative_velocity(pair, points, shapes);
            let sliding = velocity - velocity.dot(&normal) * normal;
            let speed = sliding.norm();
            if speed > 0.0 && pair.friction > 0.0 {
                let mobility = self::mobility(pair, points, shapes, &(sliding / speed));
                let mut total = friction_impulses[index] - sliding / mobility;
                let limit = pair.friction * impulse;
                if total.norm() > limit {
                    total *= limit / total.norm();
                }
                let change = total - friction_impulses[index];
                friction_impulses[index] = total;
                push(pair, points, shapes, &change);
                largest_change = largest_change.max(change.norm() * mobility);
            }
        }
        // Below a nanometre a second nothing moves that anybody could see.
        if largest_change < 1e-9 {
            break;
        }
    }
}

/// Speed along the normal (m/s) with which the pair must leave the step.
fn wanted_speed(pair: &Pair, points: &[MovingPoint], shapes: &[RigidResponse], time_step: f64) -> f64 {
    let contact = &pair.contact;
    let speed = relative_velocity(pair, points, shapes).dot(&contact.normal);
    let undone = UNDONE_PER_STEP.min(time_step / TIME_TO_PART);
    let allowed_gap = ((1.0 - undone) * contact.gap_at_start).min(0.0);
    let stop = speed + (allowed_gap - contact.gap_at_end) / time_step;
    let bounces = pair.restitution > 0.0 && speed < -SLOWEST_BOUNCE && contact.gap_at_start >= 0.0;
    if bounces { stop.max(-pair.restitution * speed) } else { stop }
}

fn relative_velocity(pair: &Pair, points: &[MovingPoint], shapes: &[RigidResponse]) -> Vec3 {
    let place = &pair.contact.place;
    let pusher = match pair.pusher {
        Pusher::Point(point) => points[point as usize].velocity,
        Pusher::Rigid(shape) => shapes[shape as usize].velocity_at(place),
    };
    pusher - shapes[pair.shape as usize].velocity_at(place)
}

fn mobility(pair: &Pair, points: &[MovingPoint], shapes: &[RigidResponse], direction: &Vec3) -> f64 {
    let place = &pair.contact.place;
    let pusher = match pair.pusher {
        Pusher::Point(point) => points[point as usize].inverse_mass,
        Pusher::Rigid(shape) => shapes[shape as usize].mobility(place, direction),
    };
    pusher + shapes[pair.shape as usize].mobility(place, direction)
}

fn push(pair: &Pair, points: &mut [MovingPoint], shapes: &mut [RigidResponse], impulse: &Vec3) {
    let place = &pair.contact.place;
    match pair.pusher {
        Pusher::Point(point) => {
            let point = &mut points[point as usize];
            point.velocity += point.inverse_mass * impulse;
            point.impulse += impulse;
        }
        Pusher::Rigid(shape) => shapes[shape as usize].push(place, impulse),
    }
    shapes[pair.shape as usize].push(place, &-impulse);
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIXED: RigidResponse = RigidResponse {
        center: Vec3::new(0.0, 0.0, 0.0),
        velocity: Vec3::new(0.0, 0.0, 0.0),
        spin: Vec3::new(0.0, 0.0, 0.0),
        inverse_mass: 0.0,
        inverse_inertia: Mat3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    };

    fn ground_contact(gap_at_start: f64, gap_at_end: f64, friction: f64, restitution: f64) -> Pair {
        let contact = Contact { point: 0, place: Vec3::zeros(), normal: Vec3::y(), gap_at_start, gap_at_end };
        Pair { contact, pusher: Pusher::Point(0), shape: 0, friction, restitution, carried: None }
    }

    fn point(velocity: Vec3) -> MovingPoint {
        MovingPoint { velocity, inverse_mass: 0.5, impulse: Vec3::zeros() }
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
        let mut shapes = [RigidResponse { inverse_mass: 0.1, inverse_inertia: Mat3::identity() * 4.0, ..FIXED }];
        let mut pair = ground_contact(0.0, -0.03, 0.4, 0.0);
        pair.contact.place = Vec3::new(0.2, 0.1, -0.1);
        respond(&[pair], &mut points, &mut shapes, 0.01);
        let momentum = points[0].velocity / 0.5 + shapes[0].velocity / 0.1;
        assert!((momentum - Vec3::new(0.6, -6.0, 0.0)).norm() < 1e-12);
        let relative = points[0].velocity - shapes[0].velocity_at(&pair.contact.place);
        assert!(relative.y.abs() < 1e-6);
    }

    #[test]
    fn a_carried_contact_moves_only_the_shape() {
        let mut points = [point(Vec3::new(2.0, -3.0, 0.0))];
        let mut shapes = [RigidResponse { inverse_mass: 0.1, ..FIXED }];
        let pair = Pair { carried: Some(Vec3::new(-1.0, 4.0, 0.0)), ..ground_contact(0.0, -0.03, 0.5, 0.0) };
        respond(&[pair], &mut points, &mut shapes, 0.01);
        assert_eq!(points[0].velocity, Vec3::new(2.0, -3.0, 0.0));
        assert!((shapes[0].velocity - Vec3::new(0.1, -0.4, 0.0)).norm() < 1e-12);
    }

    #[test]
    fn two_held_things_are_left_alone() {
        let mut points = [MovingPoint { velocity: Vec3::zeros(), inverse_mass: 0.0, impulse: Vec3::zeros() }];
        respond(&[ground_contact(0.0, -0.03, 0.4, 0.0)], &mut points, &mut [FIXED], 0.01);
        assert_eq!(points[0].impulse, Vec3::zeros());
    }
}
