//! The stages of one step.

use crate::chunks::{Span, gather};
use crate::flight::{land, take_off, write_particles};
use crate::forces::{ShapeMatch, match_shape};
use crate::model::{Clusters, Phase, Slip, is_finite};
use craze_contact::Impulse;
use craze_engine::{Failure, RigidBody, Step};
use craze_math::Vec3;
use craze_spatial::Aabb;

/// Velocities of a rigid motion differ from it by rounding, up to this share of the speed.
const ROUNDING: f64 = 1e-14;

/// What one pass over the particles finds beside the prediction.
struct Findings {
    /// Σ m (α/Δt₀²·|g − x|² + |v − rigid v|²), twice the energy of vibration (J).
    vibration: f64,
    /// Σ m (g − x) (kg·m).
    pull: Vec3,
    /// Σ m (x − x̄) × (g − x) (kg·m²).
    moment: Vec3,
    /// Box around state and prediction (m).
    bounds: Aabb,
    /// First particle that is no number.
    broken: Option<u32>,
}

impl Findings {
    fn join(self, other: Findings) -> Findings {
        Findings {
            vibration: self.vibration + other.vibration,
            pull: self.pull + other.pull,
            moment: self.moment + other.moment,
            bounds: self.bounds.union(&other.bounds),
            broken: self.broken.or(other.broken),
        }
    }
}

impl Clusters {
    /// Shape matching, pull to the goals, loads; or rigid flight where nothing strains the body.
    pub(crate) fn predict_step(&mut self, step: &Step) -> Result<(), Failure> {
        self.forget_prediction();
        let loaded = self.is_loaded(step);
        if let Some(flight) = self.state.flight
            && !loaded
        {
            self.fly(flight, step);
            return self.check_prediction();
        }
        write_particles(&mut self.state, &self.cluster);
        let matched = match_shape(&self.particles, &self.cluster, &self.state.positions, &self.state.velocities);
        let vibration = self.pull_to_goals(&matched, step);
        if !loaded && self.is_unstrained(&matched, vibration) {
            self.fly(take_off(&self.cluster, &matched), step);
        } else {
            self.prediction.touched = loaded;
            self.apply_loads(step);
        }
        self.check_prediction()
    }

    fn forget_prediction(&mut self) {
        self.phase = Phase::Predicted;
        self.broken = None;
        self.external.clear();
        for hold in &mut self.holds {
            hold.predicted_reaction = Vec3::zeros();
        }
        self.prediction.flight = None;
        self.prediction.touched = false;
        self.prediction.slip = Slip::default();
    }

    /// Moves a body in flight to the end of the step.
    fn fly(&mut self, mut flight: RigidBody, step: &Step) {
        let start = flight.position;
        flight.advance(step.time_step, &step.gravity, self.matter.drag);
        self.bounds = Aabb::around([&start, &flight.position]).grown(self.cluster.extent);
        let finite = is_finite(&flight.position) && is_finite(&flight.velocity) && is_finite(&flight.angular_momentum);
        self.broken = (!finite).then_some(0);
        self.prediction.flight = Some(flight);
        self.prediction.slip = Slip::default();
    }

    /// v' = v + α(g − x)/Δt + Δt·gravity, x' = x + Δt·v' with α at this Δt, after damping; twice the energy of vibration (J).
    ///
    /// Damping draws velocities toward the nearest rigid motion, which has the same momenta.
    fn pull_to_goals(&mut self, matched: &ShapeMatch, step: &Step) -> f64 {
        let time_step = step.time_step;
        let stiffness = self.stiffness();
        let kept = (-self.damping_rate() * time_step).exp();
        let undragged = (-self.matter.drag * time_step).exp();
        let strength = stiffness * time_step;
        let fall = time_step * step.gravity;
        let (masses, offsets, state) = (&self.particles.masses, &self.cluster.offsets, &self.state);
        let pull = |span: Span| {
            let range = span.first..span.first + span.positions.len();
            let particles = state.positions[range.clone()]
                .iter()
                .zip(&state.velocities[range.clone()])
                .zip(&masses[range.clone()])
                .zip(&offsets[range])
                .zip(span.positions.iter_mut().zip(span.velocities.iter_mut()));
            let (mut total, mut pull, mut moment) = (0.0, Vec3::zeros(), Vec3::zeros());
            let Aabb { mut min, mut max } = Aabb::EMPTY;
            // Zero times anything but a finite number is no number: one test a chunk in place of one a particle.
            let mut zero = Vec3::zeros();
            for ((((position, velocity), mass), offset), (new_position, new_velocity)) in particles {
                let way = matched.way_to_goal(offset, position);
                let arm = matched.arm(position);
                let rigid = matched.rigid_velocity(&arm);
                let vibration = velocity - rigid;
                total += mass * (stiffness * way.norm_squared() + vibration.norm_squared());
                pull += *mass * way;
                moment += *mass * arm.cross(&way);
                let damped = if kept < 1.0 { rigid + kept * vibration } else { *velocity };
                let slipped = state.slip.velocity + state.slip.spin.cross(&arm);
                *new_velocity = undragged * (damped - slipped) + (strength * way + fall);
                *new_position = position + time_step * *new_velocity;
                zero += 0.0 * *new_position;
                min = min.zip_map(position, f64::min).zip_map(new_position, f64::min);
                max = max.zip_map(position, f64::max).zip_map(new_position, f64::max);
            }
            // A velocity that is no number makes the position none, too.
            let broken =
                if is_finite(&zero) { None } else { span.positions.iter().position(|place| !is_finite(place)) };
            Findings {
                vibration: total,
                pull,
                moment,
                bounds: Aabb { min, max },
                broken: broken.map(|index| (span.first + index) as u32),
            }
        };
        let whole =
            Span { first: 0, positions: &mut self.prediction.positions, velocities: &mut self.prediction.velocities };
        let findings = gather(whole, &pull, &Findings::join);
        self.bounds = findings.bounds;
        self.broken = findings.broken;
        self.prediction.slip = matched.slip(&self.cluster, strength, (findings.pull, findings.moment));
        findings.vibration
    }

    /// Whether the state may go on as a rigid body: see [`Options::rest_strain`](crate::Options::rest_strain).
    fn is_unstrained(&self, matched: &ShapeMatch, vibration: f64) -> bool {
        let Some(strain) = self.options.rest_strain else { return false };
        let stiffness = self.stiffness();
        let allowed = stiffness * strain * strain * self.cluster.moment.trace()
            + ROUNDING * ROUNDING * self.cluster.mass() * matched.velocity.norm_squared();
        !self.state.touched && vibration <= allowed && matched.spin.norm_squared() <= strain * stiffness
    }

    /// Gives impulses of contacts to the prediction. A flight ends; a placed particle passes them on to its hold.
    pub(crate) fn receive_impulses(&mut self, impulses: &[Impulse], step: &Step) {
        if impulses.is_empty() {
            return;
        }
        land(&mut self.prediction, &self.cluster);
        self.prediction.touched = true;
        for Impulse { freedom, impulse } in impulses {
            let particle = *freedom as usize;
            match self.external.placed_by(particle) {
                Some(hold) => self.holds[hold as usize].predicted_reaction -= impulse / step.time_step,
                None => self.push(particle, impulse, step.time_step),
            }
        }
    }

    /// Keeps box and check up to date with one changed particle of the prediction.
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

    /// Makes the prediction the state; nothing happens without one.
    pub(crate) fn commit_prediction(&mut self) {
        if self.phase == Phase::Committed {
            return;
        }
        self.work += self.external_work();
        for hold in &mut self.holds {
            hold.reaction = hold.predicted_reaction;
        }
        std::mem::swap(&mut self.state, &mut self.prediction);
        self.phase = Phase::Committed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{TIME_STEP, advance, awake, block, body, crooked, matter, plain_step};
    use crate::{Cloud, Options};
    use craze_engine::Method;
    use craze_math::{Isometry, Mat3};
    use std::f64::consts::TAU;

    /// Period (in steps) of a stretch along x, from the phase after 2000 steps.
    fn breathing_period(goal_stiffness: f64, counts: [usize; 3]) -> f64 {
        let mut body = body(block(counts), goal_stiffness, awake());
        let center = body.rest_center().x;
        body.set_motion(|rest| (Vec3::new(rest.x + 0.01 * (rest.x - center), rest.y, rest.z), Vec3::zeros())).unwrap();
        let stretch = |body: &Clusters| body.positions()[0].x - body.particles.rest[0].x;
        let mut stretches = vec![stretch(&body)];
        for _ in 0..2000 {
            advance(&mut body, &plain_step());
            stretches.push(stretch(&body));
        }
        // Where the sampled cosine crosses zero upward, by the cosine through the two samples around it.
        let angle = (1.0 - goal_stiffness / 2.0).acos();
        let crossing = |index: usize| {
            let (before, after) = (stretches[index], stretches[index + 1]);
            index as f64 + (-before * angle.sin()).atan2(after - before * angle.cos()).abs() / angle
        };
        // Rounding decides on which side of an exact zero a sample lies.
        let small = 1e-9 * stretches[0].abs();
        let upward = (0..2000).filter(|&n| stretches[n] < -small && stretches[n + 1] >= -small);
        let crossings: Vec<f64> = upward.map(crossing).collect();
        (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64
    }

    #[test]
    fn breathing_has_the_period_of_its_goal_stiffness() {
        // VALIDATION 13: cos ωΔt = 1 − α/2.
        for counts in [[4, 4, 4], [6, 2, 2], [5, 1, 1]] {
            assert!((breathing_period(1.0, counts) - 6.0).abs() < 1e-6, "{}", breathing_period(1.0, counts));
            let quarter = breathing_period(0.25, counts);
            assert!((quarter - TAU / 0.875f64.acos()).abs() < 1e-6 && (quarter - 12.433).abs() < 1e-3, "{quarter}");
        }
    }

    #[test]
    fn a_shorter_step_of_the_world_leaves_the_stiffness_as_it_is() {
        // After a quarter of the period 2π·Δt₀/√α of the springs, the stretch is gone.
        let mut body = body(block([3, 3, 3]), 0.25, awake());
        body.set_motion(|rest| (1.01 * rest, Vec3::zeros())).unwrap();
        let steps = 4000;
        let step = Step { time_step: 0.25 * TAU * TIME_STEP / 0.5 / f64::from(steps), ..plain_step() };
        for _ in 0..steps {
            advance(&mut body, &step);
        }
        assert!((body.deformation() - Mat3::identity()).norm() < 2e-3 * 0.01 * 3.0);
    }

    /// Largest relative change of linear and angular momentum over 600 steps of a sheared body that spins at 2.3 rad/s.
    fn momentum_changes(counts: [usize; 3], shear: f64) -> (f64, f64) {
        let mut body = body(block(counts), 1.0, awake());
        let (center, spin) = (body.rest_center(), Vec3::new(0.5, 2.0, 1.0));
        let deform = Mat3::new(1.05, shear, 0.0, 0.0, 0.97, 0.02, 0.0, 0.0, 1.0);
        body.set_motion(|rest| {
            let arm = deform * (rest - center);
            (Vec3::new(5.0, 1.0, -3.0) + arm, Vec3::new(0.3, -1.0, 2.0) + spin.cross(&arm))
        })
        .unwrap();
        let start = body.account(&Vec3::zeros());
        let about_center = body.matched().angular_momentum;
        let mut largest = (0.0f64, 0.0f64);
        for _ in 0..600 {
            advance(&mut body, &plain_step());
            let now = body.account(&Vec3::zeros());
            largest.0 = largest.0.max((now.momentum - start.momentum).norm() / start.momentum.norm());
            let turning = body.matched().angular_momentum - about_center;
            largest.1 = largest.1.max(turning.norm() / about_center.norm());
        }
        largest
    }

    #[test]
    fn a_cube_keeps_both_momenta() {
        // VALIDATION 12: A_rr is a multiple of the identity.
        let (linear, angular) = momentum_changes([5, 5, 5], 0.1);
        assert!(linear < 1e-12 && angular < 1e-12, "linear {linear:e}, angular {angular:e}");
    }

    #[test]
    fn angular_momentum_of_a_long_bar_drifts_as_documented() {
        // VALIDATION 12, READINGS 26: 4:1:1. The crate's documentation gives these figures.
        for (shear, expected) in [(0.1, 1.603), (0.01, 1.067)] {
            let (linear, angular) = momentum_changes([16, 4, 4], shear);
            assert!(linear < 1e-12, "linear {linear:e}");
            assert!((angular - expected).abs() < 1e-3, "angular {angular:e} at a shear of {shear}");
        }
    }

    #[test]
    fn a_vibrating_body_falls_as_symplectic_euler_does() {
        let mut body = body(block([4, 3, 2]), 1.0, awake());
        body.set_motion(|rest| (crooked(rest), Vec3::new(1.0, 2.0, 3.0))).unwrap();
        let step = Step { gravity: Vec3::new(0.0, -9.81, 0.0), ..plain_step() };
        let start = body.matched();
        let (mut center, mut velocity) = (start.center(), start.velocity);
        for _ in 0..240 {
            advance(&mut body, &step);
            velocity += TIME_STEP * step.gravity;
            center += TIME_STEP * velocity;
        }
        let end = body.matched();
        assert!((end.velocity - velocity).norm() < 1e-12 * velocity.norm());
        assert!((end.center() - center).norm() < 1e-12 * center.norm());
    }

    #[test]
    fn damping_ends_vibration_and_keeps_momenta() {
        let options = Options { damping: 20.0, ..awake() };
        let mut body = body(block([4, 4, 4]), 0.5, options);
        let spin = Vec3::new(0.0, 0.1, 0.0);
        body.set_motion(|rest| (crooked(rest), Vec3::x() + spin.cross(rest))).unwrap();
        let start = body.account(&Vec3::zeros());
        for _ in 0..600 {
            advance(&mut body, &plain_step());
        }
        let end = body.account(&Vec3::zeros());
        assert!((end.momentum - start.momentum).norm() < 1e-12 * start.momentum.norm());
        assert!((end.angular_momentum - start.angular_momentum).norm() < 1e-11 * start.angular_momentum.norm());
        // What is left is the stretch of the spin: (ω²/k)² of the moment.
        assert!(end.elastic < 1e-8 * start.elastic, "{:e} of {:e}", end.elastic, start.elastic);
    }

    #[test]
    fn drag_slows_flight_and_vibration_alike() {
        for options in [awake(), Options { time_step: TIME_STEP, ..Options::default() }] {
            let mut material = matter(1.0);
            material.damping.mass = 2.0;
            let place = Isometry::identity();
            let mut body =
                Clusters::new(block([3, 3, 3]), &material, options, &place, Vec3::x(), Vec3::zeros()).unwrap();
            for _ in 0..30 {
                advance(&mut body, &plain_step());
            }
            assert!((body.account(&Vec3::zeros()).momentum.x / 27.0 - (-1.0f64).exp()).abs() < 1e-9);
        }
    }

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
                body.contact_surface(surface);
                // What a step that is thrown away has received must not show in the next.
                body.receive(&[Impulse { freedom: 3, impulse: Vec3::new(1.0, 2.0, 3.0) }], &step);
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
    fn an_unstrained_body_flies_on_an_exact_parabola_and_wakes_when_touched() {
        let options = Options { time_step: TIME_STEP, ..Options::default() };
        let spin = Vec3::new(0.1, 0.3, -0.2);
        let placement = Isometry::new(Vec3::new(0.0, 2.0, 0.0), Vec3::new(0.3, 0.2, 3.0));
        let velocity = Vec3::new(1.0, 4.0, 0.0);
        let mut body = Clusters::new(block([8, 4, 2]), &matter(1.0), options, &placement, velocity, spin).unwrap();
        let (start, center) = (body.account(&Vec3::zeros()), body.rest_center());
        let step = Step { gravity: Vec3::new(0.0, -9.81, 0.0), ..plain_step() };
        let no_gravity = plain_step();
        for _ in 0..30 {
            advance(&mut body, &step);
        }
        assert!(body.is_flying());
        let matched = body.matched();
        let parabola = center + 0.5 * velocity + 0.125 * step.gravity;
        assert!((matched.center() - parabola).norm() < 1e-12);
        let turned = (0.0..0.3).contains(&(matched.angular_momentum.norm() / start.kinetic));
        assert!(turned && largest_stretch(&body) < 1e-13, "it keeps its shape");
        let flying = body.positions();

        // Predicted in flight, touched, and thrown away: it still flies.
        body.predict(&no_gravity).unwrap();
        body.receive(&[Impulse { freedom: 0, impulse: Vec3::new(0.0, 1.0, 0.0) }], &no_gravity);
        assert!(body.is_flying());
        assert_eq!(body.positions(), flying);
        body.predict(&no_gravity).unwrap();
        let untouched = body.view(&body.prediction).position(7);

        body.receive(&[Impulse { freedom: 0, impulse: Vec3::new(0.0, 1.0, 0.0) }], &no_gravity);
        assert_eq!(body.view(&body.prediction).position(7), untouched);
        let before = body.account(&Vec3::zeros());
        body.commit(&no_gravity);
        assert!(!body.is_flying());
        let after = body.account(&Vec3::zeros());
        assert!((after.momentum - before.momentum - Vec3::y()).norm() < 1e-12 * before.momentum.norm());
        // The particle turned with the body for a step, which the mean of its velocities sees.
        assert!((after.work - (after.kinetic - before.kinetic)).abs() < 1e-3, "{before:?} {after:?}");
        advance(&mut body, &no_gravity);
        assert!(!body.is_flying() && body.account(&Vec3::zeros()).elastic > 0.0);
    }

    fn largest_stretch(body: &Clusters) -> f64 {
        let stretch = body.deformation().transpose() * body.deformation() - Mat3::identity();
        stretch.amax()
    }

    #[test]
    fn a_damped_body_falls_asleep_and_keeps_its_momenta() {
        let options = Options { time_step: TIME_STEP, damping: 10.0, rest_strain: Some(1e-4) };
        let mut body = body(block([4, 4, 4]), 1.0, options);
        let spin = Vec3::new(0.0, 0.0, 0.2);
        body.set_motion(|rest| (crooked(rest), Vec3::x() + spin.cross(rest))).unwrap();
        let start = body.account(&Vec3::zeros());
        let mut steps = 0;
        while !body.is_flying() && steps < 1000 {
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
                Clusters::new(block([3, 3, 3]), &matter(1.0), options, &place, still, Vec3::z() * spin).unwrap();
            advance(&mut body, &plain_step());
            body.is_flying()
        };
        // ω²Δt₀²/α = 1e-4 at 0.6 rad/s.
        assert!(spun(0.59) && !spun(0.61));
    }

    #[test]
    fn a_lone_particle_flies_even_when_fast() {
        let cloud = Cloud { positions: vec![Vec3::new(1.0, 2.0, 3.0)], volumes: vec![1e-3], spacing: 0.1 };
        let mut body = body(cloud, 1.0, Options::default());
        body.set_motion(|rest| (*rest, Vec3::new(1e3, 0.1, 7.0))).unwrap();
        advance(&mut body, &plain_step());
        assert!(body.is_flying());
    }

    #[test]
    fn a_prediction_that_is_no_number_is_refused_with_its_particle() {
        let mut body = body(block([3, 3, 3]), 1.0, awake());
        body.predict(&plain_step()).unwrap();
        body.receive(&[Impulse { freedom: 5, impulse: Vec3::new(f64::NAN, 0.0, 0.0) }], &plain_step());
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
                body.receive(&[Impulse { freedom: 1, impulse: Vec3::new(40.0, 0.0, 0.0) }], &step);
            }
            let mut surface = craze_contact::ContactSurface::default();
            body.contact_surface(&mut surface);
            let reach = body.reach();
            for point in &surface.points {
                let ball = Aabb::around([&point.start, &point.end]).grown(point.radius - 1e-12);
                assert_eq!(reach.union(&ball), reach);
            }
            body.commit(&step);
        }
    }
}
