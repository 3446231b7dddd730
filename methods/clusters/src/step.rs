//! The stages of one step.

use crate::chunks::{Span, gather};
use crate::cluster::{Rows, apply, pseudo_inverse};
use crate::flight::{land, take_off, write_particles};
use crate::forces::{ShapeMatch, match_shape};
use crate::membership::Share;
use crate::model::{Clusters, Phase, Slip, is_finite};
use craze_contact::Impulse;
use craze_engine::{Failure, RigidBody, Step};
use craze_math::lanes::{Instructions, Kernel, Lanes};
use craze_math::{Mat3, Vec3};
use craze_spatial::Aabb;

/// Velocities of a rigid motion differ from it by rounding, up to this share of the speed.
const ROUNDING: f64 = 1e-14;

/// Moments of inertia below this share of the largest take no spin.
const NO_INERTIA: f64 = 1e-12;

/// What one pass over the particles finds beside the prediction; places are reckoned from the anchor.
struct Findings {
    /// Σ m |g − x|² (kg·m²).
    strain: f64,
    /// Σ m (g − x) (kg·m).
    pull: Vec3,
    /// Σ m u × (g − x) (kg·m²).
    moment: Vec3,
    /// Σ m u uᵀ (kg·m²).
    second: Mat3,
    /// Box around state and prediction (m).
    bounds: Aabb,
    /// First particle that is no number.
    broken: Option<u32>,
}

impl Findings {
    fn join(self, other: Findings) -> Findings {
        Findings {
            strain: self.strain + other.strain,
            pull: self.pull + other.pull,
            moment: self.moment + other.moment,
            second: self.second + other.second,
            bounds: self.bounds.union(&other.bounds),
            broken: self.broken.or(other.broken),
        }
    }
}

impl Clusters {
    /// Pull to the goals, loads, strain limiting, self-contact; or rigid flight where nothing strains the body.
    pub(crate) fn predict_step(&mut self, step: &Step) -> Result<(), Failure> {
        self.forget_prediction();
        let loaded = self.is_loaded(step);
        if let Some(flight) = self.state.flight {
            if !loaded {
                self.fly(flight, step);
                return self.check_prediction();
            }
            write_particles(&mut self.state, &self.particles, &self.whole);
            self.fit_state();
        }
        let strain = self.pull_to_goals(step);
        if !loaded && let Some(matched) = self.unstrained_match(strain) {
            self.fly(take_off(&self.whole, &matched), step);
        } else {
            self.prediction.touched = loaded;
            self.apply_loads(step);
            self.limit_strain(step);
            self.keep_apart(step);
        }
        self.check_prediction()
    }

    fn forget_prediction(&mut self) {
        self.phase = Phase::Predicted;
        self.broken = None;
        self.is_prediction_fitted = false;
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
        self.bounds = Aabb::around([&start, &flight.position]).grown(self.whole.extent);
        let finite = is_finite(&flight.position) && is_finite(&flight.velocity) && is_finite(&flight.angular_momentum);
        self.broken = (!finite).then_some(0);
        self.prediction.flight = Some(flight);
        self.prediction.slip = Slip::default();
    }

    /// v' = v + α(g − x)/Δt + Δt·gravity, x' = x + Δt·v' with α at this Δt, after damping; Σ m |g − x|² (kg·m²).
    ///
    /// Damping draws velocities toward the rigid motions nearest to those of the particle's clusters, which have the same momenta.
    fn pull_to_goals(&mut self, step: &Step) -> f64 {
        let time_step = step.time_step;
        let strength = self.stiffness() * time_step;
        let terms = Terms {
            anchor: self.fits.anchor,
            slip: self.state.slip,
            centre: self.fits.centre(&self.rest),
            lost: if self.wants_motions() { -(-self.damping_rate() * time_step).exp_m1() } else { 0.0 },
            undragged: (-self.matter.drag * time_step).exp(),
            strength,
            fall: time_step * step.gravity,
            time_step,
        };
        let (particles, memberships, state) = (&self.particles, &self.memberships, &self.state);
        let (maps, motions) = (&self.fits.maps[..], &self.fits.motions[..]);
        let pull = |span: Span| {
            let range = span.first..span.first + span.positions.len();
            let (shares, ranges) = memberships.stream(range.clone());
            let pull = Pull {
                terms: &terms,
                shares,
                ranges,
                maps,
                motions,
                offsets: &particles.offsets[range.clone()],
                masses: &particles.masses[range.clone()],
                positions: &state.positions[range.clone()],
                velocities: &state.velocities[range],
                span,
            };
            Instructions::detect().run(pull)
        };
        let whole =
            Span { first: 0, positions: &mut self.prediction.positions, velocities: &mut self.prediction.velocities };
        let findings = gather(whole, &pull, &Findings::join);
        self.bounds = findings.bounds;
        self.broken = findings.broken;
        self.prediction.slip = self.slip(&findings, &terms);
        findings.strain
    }

    /// What rounding has added to the rigid motion. Pulls should sum to nothing, and their moments to what the clusters mean to have.
    fn slip(&self, findings: &Findings, terms: &Terms) -> Slip {
        let mass = self.whole.mass();
        let mut meant = Vec3::zeros();
        for ((fit, rest), temper) in self.fits.fits.iter().zip(&self.rest).zip(&self.temper) {
            meant += fit.twist(rest, temper);
        }
        let central = findings.second - mass * terms.centre * terms.centre.transpose();
        let inertia = Mat3::identity() * central.trace() - central;
        let moment = findings.moment - terms.centre.cross(&findings.pull) - meant;
        Slip {
            velocity: terms.strength / mass * findings.pull,
            spin: terms.strength * (pseudo_inverse(&inertia, NO_INERTIA).0 * moment),
        }
    }

    /// How the whole body matches its rest shape, if the state may go on as a rigid body: see
    /// [`Options::rest_strain`](crate::Options::rest_strain). `strain` is Σ m |g − x|² (kg·m²).
    fn unstrained_match(&self, strain: f64) -> Option<ShapeMatch> {
        let limit = self.options.rest_strain.filter(|_| self.is_whole && !self.state.touched)?;
        let stiffness = self.stiffness();
        let elastic = stiffness * limit * limit * self.whole.moment.trace();
        if stiffness * strain > elastic {
            return None;
        }
        let state = &self.state;
        let matched = match_shape(&self.particles, &self.whole, &state.positions, &state.velocities);
        let allowed = elastic + ROUNDING * ROUNDING * self.whole.mass() * matched.velocity.norm_squared();
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
        // Clusters may all be at rest in themselves while the body is bent.
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

    /// Gives impulses of contacts to the prediction. A flight ends; a placed particle passes them on to its hold.
    pub(crate) fn receive_impulses(&mut self, impulses: &[Impulse], step: &Step) {
        if impulses.is_empty() {
            return;
        }
        land(&mut self.prediction, &self.particles, &self.whole);
        self.prediction.touched = true;
        self.is_prediction_fitted = false;
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

    /// Makes the prediction the state and lays the clusters over it; nothing happens without one.
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
        if self.state.flight.is_some() {
            return;
        }
        if self.is_prediction_fitted && !self.wants_motions() {
            std::mem::swap(&mut self.fits, &mut self.predicted_fits);
        } else {
            self.fit_state();
        }
    }
}

/// What is the same for all particles of a step.
struct Terms {
    anchor: Vec3,
    slip: Slip,
    /// Centre of mass from the anchor (m).
    centre: Vec3,
    /// Share of the motion against the clusters that damping takes.
    lost: f64,
    undragged: f64,
    /// α·Δt/Δt₀² (1/s).
    strength: f64,
    /// m/s.
    fall: Vec3,
    time_step: f64,
}

/// The pull on the particles of a span: goals are their rest places under the blend of their clusters' maps, (8).
struct Pull<'a> {
    terms: &'a Terms,
    shares: &'a [Share],
    ranges: &'a [[u32; 2]],
    maps: &'a [Rows],
    motions: &'a [[f64; 6]],
    offsets: &'a [Vec3],
    masses: &'a [f64],
    positions: &'a [Vec3],
    velocities: &'a [Vec3],
    span: Span<'a>,
}

impl Kernel for Pull<'_> {
    type Output = Findings;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Findings {
        let count = self.ranges.len();
        let terms = self.terms;
        let (offsets, masses) = (&self.offsets[..count], &self.masses[..count]);
        let (positions, velocities) = (&self.positions[..count], &self.velocities[..count]);
        let new_positions = &mut self.span.positions[..count];
        let new_velocities = &mut self.span.velocities[..count];
        let (mut strain, mut pull, mut moment) = (0.0, Vec3::zeros(), Vec3::zeros());
        let mut second = [0.0; 6];
        let Aabb { mut min, mut max } = Aabb::EMPTY;
        // Zero times anything but a finite number is no number: one test a chunk in place of one a particle.
        let mut zero = Vec3::zeros();
        for index in 0..count {
            let [start, length] = self.ranges[index];
            let shares = &self.shares[start as usize..(start + length) as usize];
            let mut map = [0.0; 12];
            for share in shares {
                let own = &self.maps[share.cluster as usize];
                for entry in 0..12 {
                    map[entry] += share.weight * own[entry];
                }
            }
            let (mass, position, mut velocity) = (masses[index], positions[index], velocities[index]);
            let arm = position - terms.anchor;
            let way = apply(&map, &offsets[index]) - arm;
            if terms.lost > 0.0 {
                let mut motion = [0.0; 6];
                for share in shares {
                    let own = &self.motions[share.cluster as usize];
                    for entry in 0..6 {
                        motion[entry] += share.weight * own[entry];
                    }
                }
                let spin = Vec3::new(motion[3], motion[4], motion[5]);
                let rigid = Vec3::new(motion[0], motion[1], motion[2]) + spin.cross(&arm);
                velocity -= terms.lost * (velocity - rigid);
            }
            strain += mass * way.norm_squared();
            pull += mass * way;
            moment += mass * arm.cross(&way);
            let weighted = mass * arm;
            second[0] += weighted.x * arm.x;
            second[1] += weighted.y * arm.y;
            second[2] += weighted.z * arm.z;
            second[3] += weighted.x * arm.y;
            second[4] += weighted.x * arm.z;
            second[5] += weighted.y * arm.z;
            let slipped = terms.slip.velocity + terms.slip.spin.cross(&(arm - terms.centre));
            let new_velocity = terms.undragged * (velocity - slipped) + (terms.strength * way + terms.fall);
            let new_position = position + terms.time_step * new_velocity;
            new_velocities[index] = new_velocity;
            new_positions[index] = new_position;
            zero += 0.0 * new_position;
            for axis in 0..3 {
                min[axis] = min[axis].min(position[axis]).min(new_position[axis]);
                max[axis] = max[axis].max(position[axis]).max(new_position[axis]);
            }
        }
        // A velocity that is no number makes the position none, too.
        let broken = if is_finite(&zero) { None } else { new_positions.iter().position(|place| !is_finite(place)) };
        let [xx, yy, zz, xy, xz, yz] = second;
        Findings {
            strain,
            pull,
            moment,
            second: Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz),
            bounds: Aabb { min, max },
            broken: broken.map(|index| (self.span.first + index) as u32),
        }
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
        let options = Options { time_step: TIME_STEP, damping: 10.0, ..Options::default() };
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
