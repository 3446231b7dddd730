//! Rigid flight: a body that nothing strains moves as one thing, and its particles are computed when somebody looks.

use crate::forces::ShapeMatch;
use crate::model::{Moment, Particles, Whole};
use craze_engine::RigidBody;
use craze_math::{Mat3, Rotation, Vec3};

/// Positions and velocities at a moment, whether particles or a flight carry them.
pub(crate) enum View<'a> {
    /// Every particle by itself.
    Particles(&'a Moment),
    /// All by one rigid motion.
    Flight(Carrier<'a>),
}

/// A rigid motion of the rest shape.
pub(crate) struct Carrier<'a> {
    offsets: &'a [Vec3],
    center: Vec3,
    rotation: Mat3,
    velocity: Vec3,
    spin: Vec3,
}

impl<'a> View<'a> {
    pub(crate) fn new(moment: &'a Moment, particles: &'a Particles, whole: &Whole) -> View<'a> {
        match &moment.flight {
            None => View::Particles(moment),
            Some(flight) => View::Flight(Carrier {
                offsets: &particles.offsets,
                center: flight.position,
                rotation: orientation(flight, whole).to_rotation_matrix().into_inner(),
                velocity: flight.velocity,
                spin: flight.spin(),
            }),
        }
    }

    /// Position of a particle (m).
    #[inline]
    pub(crate) fn position(&self, particle: usize) -> Vec3 {
        match self {
            View::Particles(moment) => moment.positions[particle],
            View::Flight(carrier) => carrier.center + carrier.rotation * carrier.offsets[particle],
        }
    }

    /// Velocity of a particle (m/s).
    #[inline]
    pub(crate) fn velocity(&self, particle: usize) -> Vec3 {
        match self {
            View::Particles(moment) => moment.velocities[particle],
            View::Flight(carrier) => {
                carrier.velocity + carrier.spin.cross(&(carrier.rotation * carrier.offsets[particle]))
            }
        }
    }
}

/// Turns rest coordinates to the world.
pub(crate) fn orientation(flight: &RigidBody, whole: &Whole) -> Rotation {
    flight.orientation * whole.principal.inverse()
}

/// The rest shape in flight, with the place and the momenta that particles have together.
pub(crate) fn take_off(whole: &Whole, matched: &ShapeMatch) -> RigidBody {
    RigidBody {
        position: matched.center(),
        orientation: matched.orientation() * whole.principal,
        velocity: matched.velocity,
        angular_momentum: matched.angular_momentum,
        ..whole.rigid
    }
}

/// Writes the particles of a moment in flight and lets them go. Nothing happens to one that is not in flight.
pub(crate) fn land(moment: &mut Moment, particles: &Particles, whole: &Whole) {
    write_particles(moment, particles, whole);
    moment.flight = None;
}

/// Brings the particles of a moment up to date with its flight.
pub(crate) fn write_particles(moment: &mut Moment, particles: &Particles, whole: &Whole) {
    let (mut positions, mut velocities) =
        (std::mem::take(&mut moment.positions), std::mem::take(&mut moment.velocities));
    if let View::Flight(carrier) = View::new(moment, particles, whole) {
        for ((position, velocity), offset) in positions.iter_mut().zip(&mut velocities).zip(carrier.offsets) {
            let arm = carrier.rotation * offset;
            *position = carrier.center + arm;
            *velocity = carrier.velocity + carrier.spin.cross(&arm);
        }
    }
    (moment.positions, moment.velocities) = (positions, velocities);
}
