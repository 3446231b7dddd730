//! The stages of one step.

use crate::chunks::gather;
use crate::forces::{ShapeMatch, match_shape};
use crate::model::{Clusters, Phase, RoundingDrift};
use crate::rigid_mode::{enter_rigid_mode, leave_rigid_mode, write_particles};
use craze_body::save::is_finite;
use craze_contact::Impulse;
use craze_engine::{Failure, RigidBody, Step};
use craze_spatial::Aabb;

/// Deviation of velocities from a rigid motion that is rounding, as a share of the speed.
const VELOCITY_ROUNDING: f64 = 1e-14;

impl Clusters {
    /// Pull toward goals, loads, strain limiting and self-contact; or rigid-body mode where the
    /// body is unstrained.
    pub(crate) fn predict_step(&mut self, step: &Step) -> Result<(), Failure> {
        self.forget_prediction(step);
        let loaded = self.is_loaded(step);
        if let Some(rigid) = self.state.rigid {
            if !loaded {
                self.predict_rigid(rigid, step);
                return self.check_prediction();
            }
            write_particles(&mut self.state, &self.particles, &self.whole);
            self.fit_state();
        }
        let strain = self.pull_to_goals(step);
        if !loaded && let Some(matched) = self.unstrained_match(strain) {
            self.predict_rigid(enter_rigid_mode(&self.whole, &matched), step);
        } else {
            self.prediction.touched = loaded;
            self.apply_loads(step);
            self.fit_prediction(false);
            self.limit_strain(step);
            self.keep_apart(step);
        }
        self.check_prediction()
    }

    fn forget_prediction(&mut self, step: &Step) {
        self.phase = Phase::Predicted;
        self.broken = None;
        self.is_prediction_fitted = false;
        self.external.clear();
        self.disturbance.clear();
        self.constraints.begin(step.loads, self.count());
        self.prediction.rigid = None;
        self.prediction.touched = false;
        self.prediction.time_step = step.time_step;
        self.prediction.drift = RoundingDrift::default();
    }

    /// Predicts a body in rigid-body mode.
    fn predict_rigid(&mut self, mut rigid: RigidBody, step: &Step) {
        let start = rigid.position;
        rigid.advance(step.time_step, &step.gravity, self.parameters.drag);
        self.bounds = Aabb::from_points([&start, &rigid.position]).grown(self.whole.extent);
        let finite = is_finite(&rigid.position) && is_finite(&rigid.velocity) && is_finite(&rigid.angular_momentum);
        self.broken = (!finite).then_some(0);
        self.prediction.rigid = Some(rigid);
        self.prediction.drift = RoundingDrift::default();
    }

    /// Fit of the rest shape if the state is unstrained, so that the body may enter rigid-body
    /// mode: see [`Options::rest_strain`](crate::Options::rest_strain). `strain` is Σ m |g − x|²
    /// (kg·m²).
    fn unstrained_match(&self, strain: f64) -> Option<ShapeMatch> {
        let limit = self.options.rest_strain.filter(|_| self.is_whole && !self.state.touched)?;
        let stiffness = self.stiffness();
        let elastic = stiffness * limit * limit * self.whole.moment.trace();
        if stiffness * strain > elastic {
            return None;
        }
        let state = &self.state;
        let matched = match_shape(&self.particles, &self.whole, &state.positions, &state.velocities);
        let allowed =
            elastic + VELOCITY_ROUNDING * VELOCITY_ROUNDING * self.whole.mass() * matched.velocity.norm_squared();
        let kinetic = gather(
            0..self.count(),
            &|range| {
                let mut twice = 0.0;
                for particle in range {
                    let rigid = matched.rigid_velocity(&matched.arm(&state.positions[particle]));
                    twice += self.particles.masses[particle] * (state.velocities[particle] - rigid).norm_squared();
                }
                twice
            },
            &|first, second| first + second,
        );
        // Every cluster may be unstrained while the body is bent.
        let goals = gather(
            0..self.count(),
            &|range| {
                let mut sum = 0.0;
                for particle in range {
                    let goal = matched.goal(&self.particles.offsets[particle]);
                    sum += self.particles.masses[particle] * (goal - state.positions[particle]).norm_squared();
                }
                sum
            },
            &|first, second| first + second,
        );
        let is_still = stiffness * goals + kinetic <= allowed && matched.spin.norm_squared() <= limit * stiffness;
        is_still.then_some(matched)
    }

    /// Adds impulses of contacts to the prediction. This ends rigid-body mode; the impulse on a
    /// particle whose position is prescribed is a reaction of its hold.
    pub(crate) fn receive_impulses(&mut self, impulses: &[Impulse], step: &Step) {
        if impulses.is_empty() {
            return;
        }
        leave_rigid_mode(&mut self.prediction, &self.particles, &self.whole);
        self.prediction.touched = true;
        self.is_prediction_fitted = false;
        for Impulse { dof, impulse } in impulses {
            let particle = *dof as usize;
            match self.constraints.owner(particle) {
                Some(hold) => self.constraints.add_reaction(hold, &(-impulse / step.time_step)),
                None => self.push(particle, impulse, step.time_step),
            }
        }
    }

    /// Updates bounding box and check after a change of one particle of the prediction.
    #[inline]
    pub(crate) fn note_change(&mut self, particle: usize) {
        let (position, velocity) = (self.prediction.positions[particle], self.prediction.velocities[particle]);
        self.bounds = self.bounds.with(&position);
        if !(is_finite(&position) && is_finite(&velocity)) {
            self.broken.get_or_insert(particle as u32);
        }
    }

    pub(crate) fn check_prediction(&self) -> Result<(), Failure> {
        match self.broken {
            Some(node) => Err(Failure::NotFinite { node }),
            None => Ok(()),
        }
    }

    /// Makes the prediction the state and fits the clusters to it; nothing happens without a
    /// prediction.
    pub(crate) fn commit_prediction(&mut self) {
        if self.phase == Phase::Committed {
            return;
        }
        let work = self.external_work();
        self.work += work;
        self.disturbance.commit(work);
        self.constraints.commit();
        std::mem::swap(&mut self.state, &mut self.prediction);
        self.phase = Phase::Committed;
        if self.state.rigid.is_some() {
            return;
        }
        if self.is_prediction_fitted {
            std::mem::swap(&mut self.fits, &mut self.predicted_fits);
        } else {
            self.fit_state();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use crate::testing::{advance, awake, block, body, crooked, plain_step};
    use craze_engine::Method;
    use craze_math::Vec3;

    #[test]
    fn predicting_twice_gives_the_same_bits() {
        let mut body = body(block([5, 4, 3]), 0.7, Options::default());
        let step = Step { gravity: Vec3::new(0.0, -9.81, 0.0), ..plain_step() };
        for state in 0..2 {
            if state == 1 {
                body.set_motion(|rest| (crooked(rest), Vec3::zeros())).unwrap();
            }
            let mut surfaces = [craze_contact::ContactSurface::default(), craze_contact::ContactSurface::default()];
            for surface in &mut surfaces {
                body.predict(&step).unwrap();
                body.collision_geometry().points.add_points(surface);
                // What a step that is thrown away has received must not show in the next.
                body.receive(&[Impulse { dof: 3, impulse: Vec3::new(1.0, 2.0, 3.0) }], &step);
            }
            assert_eq!(surfaces[0].points, surfaces[1].points);
            assert_ne!(surfaces[0].points[3].start, surfaces[0].points[3].end);
        }
    }

    #[test]
    fn one_thread_and_two_give_the_same_bits() {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut body = body(block([40, 30, 20]), 0.6, Options { damping: 0.5, ..awake() });
                body.set_motion(|rest| (crooked(rest), 0.3 * crooked(rest))).unwrap();
                let step = Step { gravity: Vec3::new(0.0, -9.81, 0.0), ..plain_step() };
                for _ in 0..20 {
                    advance(&mut body, &step);
                }
                (body.save(), body.account(&step.gravity))
            })
        };
        let one = run(1);
        assert!(one == run(2) && one == run(3));
    }

    #[test]
    fn a_prediction_that_is_no_number_is_refused_with_its_particle() {
        let mut body = body(block([3, 3, 3]), 1.0, awake());
        body.predict(&plain_step()).unwrap();
        body.receive(&[Impulse { dof: 5, impulse: Vec3::new(f64::NAN, 0.0, 0.0) }], &plain_step());
        assert_eq!(body.check(), Err(Failure::NotFinite { node: 5 }));
        let step = Step { gravity: Vec3::new(0.0, f64::INFINITY, 0.0), ..plain_step() };
        assert_eq!(body.predict(&step), Err(Failure::NotFinite { node: 0 }));
        assert_eq!(body.predict(&plain_step()), Ok(()));
    }

    #[test]
    fn reach_holds_all_particles_of_state_and_prediction() {
        let mut body = body(block([4, 3, 2]), 1.0, Options::default());
        let step = Step { gravity: Vec3::new(0.0, -900.0, 0.0), ..plain_step() };
        for push in 0..3 {
            body.predict(&step).unwrap();
            if push > 0 {
                body.receive(&[Impulse { dof: 1, impulse: Vec3::new(40.0, 0.0, 0.0) }], &step);
            }
            let mut surface = craze_contact::ContactSurface::default();
            body.collision_geometry().points.add_points(&mut surface);
            let reach = body.collision_geometry().bounds;
            for point in &surface.points {
                let ball = Aabb::from_points([&point.start, &point.end]).grown(point.radius - 1e-12);
                assert_eq!(reach.union(&ball), reach);
            }
            body.commit_motion();
        }
    }
}
