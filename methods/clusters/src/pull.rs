//! Pull toward goals: one pass over the particles, once their goals are known.

use crate::chunks::{Span, gather};
use crate::cluster::{MIN_INERTIA_RATIO, pseudo_inverse};
use crate::model::{Clusters, RoundingDrift};
use crate::survey::Lead;
use craze_body::save::is_finite;
use craze_engine::Step;
use craze_math::lanes::{Instructions, Kernel, Lanes};
use craze_math::{Mat3, Vec3};
use craze_spatial::Aabb;

/// Sums of the pass beside the prediction, relative to the anchor.
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
    /// First particle with a number that is not finite.
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
    /// v' = v + α(g − x)/Δt + Δt·gravity, x' = x + Δt·v' with α at this Δt, after damping; returns
    /// Σ m |g − x|² (kg·m²).
    ///
    /// Damping pulls velocities toward the best-fit rigid motions of the particle's clusters, which
    /// conserves momenta.
    pub(crate) fn pull_to_goals(&mut self, step: &Step) -> f64 {
        self.survey_state();
        let time_step = step.time_step;
        let strength = self.stiffness() * time_step;
        let terms = Terms {
            anchor: self.fits.anchor,
            drift: self.state.drift,
            centre: self.fits.centre(&self.rest),
            lost: if self.wants_motions() { -(-self.damping_rate() * time_step).exp_m1() } else { 0.0 },
            undragged: (-self.parameters.drag * time_step).exp(),
            strength,
            fall: time_step * step.gravity,
            time_step,
        };
        let (particles, leads, state) = (&self.particles, &self.fits.leads, &self.state);
        let pull = |span: Span| {
            let range = span.first..span.first + span.positions.len();
            Instructions::detect().run(Pull {
                terms: &terms,
                leads: &leads[range.clone()],
                masses: &particles.masses[range.clone()],
                positions: &state.positions[range.clone()],
                velocities: &state.velocities[range],
                span,
            })
        };
        let whole =
            Span { first: 0, positions: &mut self.prediction.positions, velocities: &mut self.prediction.velocities };
        let findings = gather(whole, &pull, &Findings::join);
        self.bounds = findings.bounds;
        self.broken = findings.broken;
        self.prediction.drift = self.drift(&findings, &terms);
        findings.strain
    }

    /// Rigid motion that rounding has added. Pulls should sum to zero, and so should their moments.
    fn drift(&self, findings: &Findings, terms: &Terms) -> RoundingDrift {
        let mass = self.whole.mass();
        let central = findings.second - mass * terms.centre * terms.centre.transpose();
        let inertia = Mat3::identity() * central.trace() - central;
        let moment = findings.moment - terms.centre.cross(&findings.pull);
        RoundingDrift {
            velocity: terms.strength / mass * findings.pull,
            spin: terms.strength * (pseudo_inverse(&inertia, MIN_INERTIA_RATIO).0 * moment),
        }
    }
}

/// Constants of a step.
struct Terms {
    anchor: Vec3,
    drift: RoundingDrift,
    /// Centre of mass relative to the anchor (m).
    centre: Vec3,
    /// Share of the motion within clusters that damping removes.
    lost: f64,
    undragged: f64,
    /// α·Δt/Δt₀² (1/s).
    strength: f64,
    /// m/s.
    fall: Vec3,
    time_step: f64,
}

/// Pulls the particles of a range.
struct Pull<'a> {
    terms: &'a Terms,
    leads: &'a [Lead],
    masses: &'a [f64],
    positions: &'a [Vec3],
    velocities: &'a [Vec3],
    span: Span<'a>,
}

impl Kernel for Pull<'_> {
    type Output = Findings;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Findings {
        let Pull { terms, leads, masses, positions, velocities, span } = self;
        let count = leads.len();
        let (masses, positions, velocities) = (&masses[..count], &positions[..count], &velocities[..count]);
        let new_positions = &mut span.positions[..count];
        let new_velocities = &mut span.velocities[..count];
        let (mut strain, mut pull, mut moment) = (0.0, Vec3::zeros(), Vec3::zeros());
        let mut second = [0.0; 6];
        let Aabb { mut min, mut max } = Aabb::EMPTY;
        // Zero times a number that is not finite is NaN: one test per chunk in place of one per
        // particle.
        let mut zero = Vec3::zeros();
        for index in 0..count {
            let (mass, position, mut velocity) = (masses[index], positions[index], velocities[index]);
            let arm = position - terms.anchor;
            let way = leads[index].goal - arm;
            if terms.lost > 0.0 {
                velocity -= terms.lost * leads[index].against;
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
            let slipped = terms.drift.velocity + terms.drift.spin.cross(&(arm - terms.centre));
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
        // A velocity that is not finite makes the position so, too.
        let broken = if is_finite(&zero) { None } else { new_positions.iter().position(|place| !is_finite(place)) };
        let [xx, yy, zz, xy, xz, yz] = second;
        Findings {
            strain,
            pull,
            moment,
            second: Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz),
            bounds: Aabb { min, max },
            broken: broken.map(|index| (span.first + index) as u32),
        }
    }
}
