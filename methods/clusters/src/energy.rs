//! The energy that the method conserves.
//!
//! A step is v' = v + Δt·a(x), x' = x + Δt·v': velocities belong to the middle of the step that led
//! to a position. Kinetic energy in the middle plus elastic energy at the end of a step is not
//! conserved: at α = 1 the sum varies by half of itself in every vibration, and a contact changes
//! it depending on its phase. The energy in the middle, ½ m v² + ½ k d·d₋, is conserved; d is the
//! displacement from the goal at the end of the step and d₋ = d − Δt·v that at its beginning:
//!
//! E = Σ ½ m v² + Σ ½ k w m |x − g|² − Σ ½ Δt k w m v·(x − g), k = α/Δt₀².
//!
//! For springs with fixed goals a step changes it by exactly ½ (v + v')·J, J the external impulses,
//! which is how the work of loads and contacts is recorded; without them it is conserved to
//! rounding. It is positive for α < 4. The potential energy in gravity is that at the end of the
//! step, off by ½ Δt·m·v·gravity, which does not accumulate.

use crate::cluster::{ClusterHistory, Fit, Guide, Record, Rest};
use crate::fits::{Fits, position_products};
use crate::model::{Clusters, ParticleState};
use crate::tuning::MAX_ENERGY_ROUNDS;
use craze_math::Vec3;

/// Relative excess that is removed in addition, so that rounding leaves none.
const EXCESS_MARGIN: f64 = 1e-9;

/// Squared relative motion within clusters below which it is rounding.
const MIN_MOTION_RATIO_SQUARED: f64 = 1e-20;

/// Relative excess at which the removal ends.
const MAX_EXCESS_LEFT: f64 = 0.95;

/// Energies of a state (J).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Energy {
    pub kinetic: f64,
    /// In the middle of the step; negative where the body passes through its rest shape.
    pub elastic: f64,
}

impl Energy {
    pub(crate) fn total(&self) -> f64 {
        self.kinetic + self.elastic
    }
}

impl Clusters {
    /// Energy of integrated particles, with the clusters fitted to them.
    pub(crate) fn energy_of(&self, state: &ParticleState, fits: &Fits) -> Energy {
        if fits.has_survey_result && !fits.is_calmed {
            return fits.survey_result.energy(self.stiffness());
        }
        fits.survey_members(&self.shapes(), state, &mut []).energy(self.stiffness())
    }

    /// Removes energy (J) from the involved clusters, and if that is not enough from all: see
    /// [`Clusters::take_out`].
    pub(crate) fn calm(&self, excess: f64, state: &mut ParticleState, fits: &mut Fits, is_involved: &[bool]) {
        if !(fits.has_motions && fits.is_surveyed) {
            fits.fit(&self.shapes(), &state.positions, Some(&state.velocities));
            fits.survey(&self.shapes(), state);
        }
        let mut ways = self.ways_of(is_involved, state, fits);
        let mut excess = excess;
        for round in 0..MAX_ENERGY_ROUNDS {
            let left = self.take_out(excess, state, fits, &mut ways);
            // NaN ends it.
            if !(left > EXCESS_MARGIN * excess) || (round > 0 && left > MAX_EXCESS_LEFT * excess) {
                return;
            }
            excess = left;
            if round == 0 {
                ways = self.all_ways(state, fits);
            }
        }
    }

    /// Directions of descent for the members of the involved clusters, as far as they belong to
    /// these.
    fn ways_of(&self, is_involved: &[bool], state: &ParticleState, fits: &Fits) -> Vec<Way> {
        let mut is_listed = vec![false; self.count()];
        let mut ways = Vec::new();
        for cluster in (0..is_involved.len()).filter(|&cluster| is_involved[cluster]) {
            for &member in self.memberships.members(cluster) {
                let particle = member as usize;
                if std::mem::replace(&mut is_listed[particle], true) || self.constraints.is_placed(particle) {
                    continue;
                }
                let (arm, velocity) = (state.positions[particle] - fits.anchor, state.velocities[particle]);
                let offset = &self.particles.offsets[particle];
                let mut way = Way { particle, against: Vec3::zeros(), drawn: Vec3::zeros() };
                for share in self.memberships.of(particle).iter().filter(|share| is_involved[share.cluster as usize]) {
                    let guide = &fits.guides[share.cluster as usize];
                    way.against += share.weight * (velocity - guide.velocity(&arm));
                    way.drawn += share.weight * (guide.goal(offset) - arm);
                }
                ways.push(way);
            }
        }
        ways
    }

    /// Directions of descent for all particles.
    fn all_ways(&self, state: &ParticleState, fits: &Fits) -> Vec<Way> {
        let is_free = |particle: &usize| !self.constraints.is_placed(*particle);
        let way = |particle: usize| {
            let lead = &fits.leads[particle];
            Way { particle, against: lead.against, drawn: lead.goal - (state.positions[particle] - fits.anchor) }
        };
        (0..self.count()).filter(is_free).map(way).collect()
    }

    /// Removes excess energy (J) from the motion within clusters. Momenta and positions stay.
    /// Returns the rest that could not be removed.
    ///
    /// As a function of velocities the energy is Σ ½ m |q|², q = v + ½ Δt·k·Σ w (g − x). The part
    /// of q that is no rigid motion of a cluster, Σ w (v − u + ½ Δt·k·(g − x)) with u the rigid
    /// motion with the momenta of the cluster, is subtracted from v by a share: springs exert no
    /// moment, so this part has no momenta, and it is a direction of descent. The motion within
    /// clusters decreases by the same share of itself: neither the next iteration nor the damping
    /// of the next step needs new fits.
    ///
    /// Tearing and strain limiting change goals and positions in an instant. The energy that
    /// springs or velocities gain by it is no external work: it is removed from the vibration of
    /// the clusters involved.
    fn take_out(&self, excess: f64, state: &mut ParticleState, fits: &mut Fits, ways: &mut [Way]) -> f64 {
        let lag = 0.5 * state.time_step * self.stiffness();
        // E decreases by first·s − ½·second·s².
        let (mut first, mut second, mut whole) = (0.0, 0.0, 0.0);
        for Way { particle, against, drawn } in ways.iter() {
            let to_goal = fits.leads[*particle].goal - (state.positions[*particle] - fits.anchor);
            let (way, mass) = (against + lag * drawn, self.particles.masses[*particle]);
            let motion = state.velocities[*particle] + lag * to_goal;
            first += mass * way.dot(&motion);
            second += mass * way.norm_squared();
            whole += mass * motion.norm_squared();
        }
        // What remains of rigid motions is rounding and has a momentum. NaN fails the comparison.
        if !(first > 0.0 && second > MIN_MOTION_RATIO_SQUARED * whole) {
            return excess;
        }
        let asked = (1.0 + EXCESS_MARGIN) * excess;
        let square = first * first - 2.0 * second * asked;
        let share = if square > 0.0 { 2.0 * asked / (first + square.sqrt()) } else { first / second };
        for Way { particle, against, drawn } in ways {
            state.velocities[*particle] -= share * (*against + lag * *drawn);
            fits.leads[*particle].against -= share * *against;
            *against *= 1.0 - share;
        }
        fits.is_calmed = true;
        excess - share * (first - 0.5 * second * share)
    }

    /// Energy that the springs of a cluster would gain if it were split in two (J), each part
    /// fitted separately.
    ///
    /// Springs of the parts are shorter at the end of the step. Where members pass through their
    /// goals within it, the energy of springs in the middle of the step is negative, and releasing
    /// them adds energy.
    pub(crate) fn parting_gain(&self, cluster: u32, is_ahead: impl Fn(&Vec3) -> bool) -> f64 {
        let guide = self.fits.guides[cluster as usize];
        let mut parts = [Vec::new(), Vec::new()];
        let mut before = 0.0;
        for &member in self.memberships.members(cluster as usize) {
            let weight = self.memberships.weight(member, cluster);
            let member = member as usize;
            let (place, moved) = (&self.state.positions[member], self.state.time_step * self.state.velocities[member]);
            let mass = weight * self.particles.masses[member];
            let pulled = Pulled { mass, offset: self.particles.offsets[member], arm: place - self.fits.anchor, moved };
            before += pulled.springs(&guide);
            parts[usize::from(is_ahead(place))].push(pulled);
        }
        let after: f64 = parts.iter().map(|part| springs_alone(part, &self.history[cluster as usize])).sum();
        0.5 * self.stiffness() * (after - before)
    }
}

/// Direction of descent for a particle, as far as it belongs to some of its clusters.
struct Way {
    particle: usize,
    /// Σ w (v − u), with u the rigid motions of clusters (m/s).
    against: Vec3,
    /// Σ w (g − x) (m).
    drawn: Vec3,
}

/// A member of a cluster.
struct Pulled {
    /// w m (kg).
    mass: f64,
    /// m.
    offset: Vec3,
    /// m, from the anchor.
    arm: Vec3,
    /// Displacement in the last step (m).
    moved: Vec3,
}

impl Pulled {
    /// w m d·(d − Δt·v) (kg·m²).
    fn springs(&self, guide: &Guide) -> f64 {
        let way = self.arm - guide.goal(&self.offset);
        self.mass * way.dot(&(way - self.moved))
    }
}

/// Spring energy of members that are fitted as one cluster (kg·m²).
fn springs_alone(members: &[Pulled], history: &ClusterHistory) -> f64 {
    let rest = Rest::of_members(members.iter().map(|member| (member.mass, member.offset)));
    let history = if rest.is_flat { ClusterHistory::fresh(None) } else { history.clone() };
    let mut sums = Record::ZERO;
    for member in members {
        let products = position_products(member.mass, &member.arm, &member.offset);
        for entry in 0..products.0.len() {
            sums.0[entry] += products.0[entry];
        }
    }
    let (mut fit, mut guide) = (Fit::NONE, Guide::ZERO);
    fit.measure(&sums, &rest);
    fit.decompose(&rest, &history);
    fit.guide(&rest, &history, 1.0, &mut guide);
    members.iter().map(|member| member.springs(&guide)).sum()
}
