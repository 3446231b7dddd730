//! Rigid-body mode: an unstrained body moves as a rigid body, and positions of its particles are
//! computed on demand. Unlike [`craze_body::rigid_mode`] it maps the rest shape, since an
//! unstrained body of clusters is its rest shape.

use crate::forces::ShapeMatch;
use crate::model::{ParticleState, Particles, Whole};
use craze_body::rigid_mode::RigidMap;
use craze_engine::RigidBody;
use craze_math::{Rotation, Vec3};

/// Positions and velocities of a state, in rigid-body mode or not.
pub(crate) struct View<'a> {
    state: &'a ParticleState,
    offsets: &'a [Vec3],
    map: Option<RigidMap>,
}

impl<'a> View<'a> {
    pub(crate) fn new(state: &'a ParticleState, particles: &'a Particles, whole: &Whole) -> View<'a> {
        let map = state.rigid.as_ref().map(|rigid| RigidMap::of_offsets(rigid, &orientation(rigid, whole)));
        View { state, offsets: &particles.offsets, map }
    }

    /// Position (m) and velocity (m/s) of a particle.
    #[inline]
    pub(crate) fn at(&self, particle: usize) -> (Vec3, Vec3) {
        match &self.map {
            None => (self.state.positions[particle], self.state.velocities[particle]),
            Some(map) => map.apply(&self.offsets[particle]),
        }
    }
}

/// Rotation from rest coordinates to the world.
pub(crate) fn orientation(rigid: &RigidBody, whole: &Whole) -> Rotation {
    rigid.orientation * whole.principal.inverse()
}

/// Rigid motion with the centre of mass and the momenta of the particles.
pub(crate) fn enter_rigid_mode(whole: &Whole, matched: &ShapeMatch) -> RigidBody {
    RigidBody {
        position: matched.center(),
        orientation: matched.orientation() * whole.principal,
        velocity: matched.velocity,
        angular_momentum: matched.angular_momentum,
        ..whole.rigid
    }
}

/// Ends rigid-body mode and writes the particles. Nothing happens outside of rigid-body mode.
pub(crate) fn leave_rigid_mode(state: &mut ParticleState, particles: &Particles, whole: &Whole) {
    write_particles(state, particles, whole);
    state.rigid = None;
}

/// Writes the particles in rigid-body mode to where they are.
pub(crate) fn write_particles(state: &mut ParticleState, particles: &Particles, whole: &Whole) {
    let Some(map) = View::new(state, particles, whole).map else { return };
    let moving = state.positions.iter_mut().zip(&mut state.velocities);
    for ((position, velocity), offset) in moving.zip(&particles.offsets) {
        (*position, *velocity) = map.apply(offset);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{TIME_STEP, advance, awake, block, body, crooked, material, plain_step};
    use crate::{Cloud, Clusters, Options};
    use craze_contact::Impulse;
    use craze_engine::{Method, Step};
    use craze_math::{Isometry, Mat3, Vec3};

    #[test]
    fn rigid_body_mode_is_an_exact_parabola_and_ends_at_contact() {
        let options = Options { time_step: TIME_STEP, ..Options::default() };
        let spin = Vec3::new(0.1, 0.3, -0.2);
        let placement = Isometry::new(Vec3::new(0.0, 2.0, 0.0), Vec3::new(0.3, 0.2, 3.0));
        let velocity = Vec3::new(1.0, 4.0, 0.0);
        let mut body = Clusters::new(block([8, 4, 2]), &material(1.0), options, &placement, velocity, spin).unwrap();
        let (start, center) = (body.account(&Vec3::zeros()), body.rest_center());
        let step = Step { gravity: Vec3::new(0.0, -9.81, 0.0), ..plain_step() };
        let no_gravity = plain_step();
        for _ in 0..30 {
            advance(&mut body, &step);
        }
        assert!(body.is_rigid());
        let matched = body.matched();
        let parabola = center + 0.5 * velocity + 0.125 * step.gravity;
        assert!((matched.center() - parabola).norm() < 1e-12);
        let turned = (0.0..0.3).contains(&(matched.angular_momentum.norm() / start.kinetic));
        assert!(turned && largest_stretch(&body) < 1e-13, "it keeps its shape");
        let flying = body.positions();

        // Predicted in rigid-body mode, touched, and thrown away: it still flies.
        body.predict(&no_gravity).unwrap();
        body.receive(&[Impulse { dof: 0, impulse: Vec3::new(0.0, 1.0, 0.0) }], &no_gravity);
        assert!(body.is_rigid());
        assert_eq!(body.positions(), flying);
        body.predict(&no_gravity).unwrap();
        let untouched = body.view(&body.prediction).at(7).0;

        body.receive(&[Impulse { dof: 0, impulse: Vec3::new(0.0, 1.0, 0.0) }], &no_gravity);
        assert_eq!(body.view(&body.prediction).at(7).0, untouched);
        let before = body.account(&Vec3::zeros());
        body.commit_motion();
        assert!(!body.is_rigid());
        let after = body.account(&Vec3::zeros());
        assert!((after.momentum - before.momentum - Vec3::y()).norm() < 1e-12 * before.momentum.norm());
        // The particle turned with the body for a step, which the mean of its velocities sees.
        assert!((after.work - (after.kinetic - before.kinetic)).abs() < 1e-3, "{before:?} {after:?}");
        advance(&mut body, &no_gravity);
        assert!(!body.is_rigid() && body.account(&Vec3::zeros()).elastic > 0.0);
    }

    fn largest_stretch(body: &Clusters) -> f64 {
        let stretch = body.deformation().transpose() * body.deformation() - Mat3::identity();
        stretch.amax()
    }

    #[test]
    fn a_damped_body_falls_asleep_and_keeps_its_momenta() {
        let options = Options { time_step: TIME_STEP, damping: 10.0, ..Options::default() };
        let mut body = body(block([4, 4, 4]), 1.0, options);
        let spin = Vec3::new(0.0, 0.0, 0.2);
        body.set_motion(|rest| (crooked(rest), Vec3::x() + spin.cross(rest))).unwrap();
        let start = body.account(&Vec3::zeros());
        let mut steps = 0;
        while !body.is_rigid() && steps < 1000 {
            advance(&mut body, &plain_step());
            steps += 1;
        }
        assert!((10..1000).contains(&steps), "fell asleep after {steps} steps");
        let end = body.account(&Vec3::zeros());
        assert!((end.momentum - start.momentum).norm() < 1e-12 * start.momentum.norm());
        assert!((end.angular_momentum - start.angular_momentum).norm() < 1e-11 * start.angular_momentum.norm());
        let points = body.positions();
        let about_origin: Vec3 = points.iter().zip(body.velocities()).map(|(x, v)| x.cross(&v)).sum();
        assert!((about_origin - end.angular_momentum).norm() < 1e-11 * end.angular_momentum.norm());
    }

    #[test]
    fn a_fast_spin_strains_a_body_and_keeps_it_awake() {
        let spun = |spin: f64| {
            let (place, still) = (Isometry::identity(), Vec3::zeros());
            let options = Options { rest_strain: Some(1e-4), ..awake() };
            let mut body =
                Clusters::new(block([3, 3, 3]), &material(1.0), options, &place, still, Vec3::z() * spin).unwrap();
            advance(&mut body, &plain_step());
            body.is_rigid()
        };
        // ω²Δt₀²/α = 1e-4 at 0.6 rad/s.
        assert!(spun(0.59) && !spun(0.61));
    }

    #[test]
    fn a_single_particle_enters_rigid_body_mode_at_any_speed() {
        let cloud = Cloud { positions: vec![Vec3::new(1.0, 2.0, 3.0)], volumes: vec![1e-3], spacing: 0.1 };
        let mut body = body(cloud, 1.0, Options::default());
        body.set_motion(|rest| (*rest, Vec3::new(1e3, 0.1, 7.0))).unwrap();
        advance(&mut body, &plain_step());
        assert!(body.is_rigid());
    }
}
