//! The energy that this method keeps.
//!
//! A step is v' = v + Δt·a(x), x' = x + Δt·v': velocities belong to the middle of the step that led to a position. Kinetic energy in the
//! middle and elastic energy at the end do not add up to anything that stays: at α = 1 the sum swings by half of itself in every
//! vibration, and what a contact does to it depends on the moment. What stays is the energy in the middle, ½ m v² + ½ k d·d₋, with d the way
//! from the goal at the end of the step and d₋ = d − Δt·v that at its beginning:
//!
//! E = Σ ½ m v² + Σ ½ k w m |x − g|² − Σ ½ Δt k w m v·(x − g), k = α/Δt₀².
//!
//! For springs with fixed goals a step changes it by exactly ½ (v + v')·J, J the impulses from outside, which is how the work of loads and contacts
//! is booked; with none it is kept to rounding. It is positive while α < 4. The potential in the field of gravity is told at the end of the
//! step, ½ Δt·m·v·gravity off, which does not add up.

use crate::cluster::{Fit, Guide, Record, Rest, Temper};
use crate::fits::{Fits, place_products};
use crate::model::{Clusters, Moment};
use craze_math::Vec3;

/// How often motion is taken out in a step, at most: each time as much as the direction of steepest descent gives.
const CALMING_ROUNDS: usize = 16;

/// Share of an excess that is taken beyond it, so that rounding leaves nothing of it.
const ROUNDING: f64 = 1e-9;

/// Share of all motion, squared, below which motion of clusters against themselves is rounding.
const NO_MOTION: f64 = 1e-20;

/// Share of an excess that is left when there is hardly anything to take any more.
const EXHAUSTED: f64 = 0.95;

/// Energies of a moment (J).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Energy {
    pub kinetic: f64,
    /// In the middle of the step; may be below zero where the body swings through its rest shape.
    pub elastic: f64,
}

impl Energy {
    pub(crate) fn total(&self) -> f64 {
        self.kinetic + self.elastic
    }
}

impl Clusters {
    /// Energy of particles that are not in flight, with the clusters that lie over them.
    pub(crate) fn energy_of(&self, moment: &Moment, fits: &Fits) -> Energy {
        if fits.is_seen && !fits.is_calmed {
            return fits.seen.energy(self.stiffness());
        }
        fits.look(&self.shapes(), moment, &mut []).energy(self.stiffness())
    }

    /// Takes energy (J) out of the clusters that are involved, and if that is not enough out of all: see [`Clusters::take_out`].
    pub(crate) fn calm(&self, excess: f64, moment: &mut Moment, fits: &mut Fits, is_involved: &[bool]) {
        if !(fits.has_motions && fits.is_surveyed) {
            fits.fit(&self.shapes(), &moment.positions, Some(&moment.velocities));
            fits.survey(&self.shapes(), moment);
        }
        let mut ways = self.ways_of(is_involved, moment, fits);
        let mut excess = excess;
        for round in 0..CALMING_ROUNDS {
            let left = self.take_out(excess, moment, fits, &mut ways);
            // Written so that what is no number ends it.
            if !(left > ROUNDING * excess) || (round > 0 && left > EXHAUSTED * excess) {
                return;
            }
            excess = left;
            if round == 0 {
                ways = self.all_ways(moment, fits);
            }
        }
    }

    /// The ways of members of the clusters that are involved, as far as they are theirs.
    fn ways_of(&self, is_involved: &[bool], moment: &Moment, fits: &Fits) -> Vec<Way> {
        let mut is_listed = vec![false; self.count()];
        let mut ways = Vec::new();
        for cluster in (0..is_involved.len()).filter(|&cluster| is_involved[cluster]) {
            for &member in self.memberships.members(cluster) {
                let particle = member as usize;
                if std::mem::replace(&mut is_listed[particle], true) || self.external.placed_by(particle).is_some() {
                    continue;
                }
                let (arm, velocity) = (moment.positions[particle] - fits.anchor, moment.velocities[particle]);
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

    /// The ways of all particles.
    fn all_ways(&self, moment: &Moment, fits: &Fits) -> Vec<Way> {
        let is_free = |particle: &usize| self.external.placed_by(*particle).is_none();
        let way = |particle: usize| {
            let lead = &fits.leads[particle];
            Way { particle, against: lead.against, drawn: lead.goal - (moment.positions[particle] - fits.anchor) }
        };
        (0..self.count()).filter(is_free).map(way).collect()
    }

    /// Takes energy (J) that was not there before out of the motion of clusters against themselves. Momenta stay, and so do positions.
    /// Gives back what could not be taken: less than nothing is left of no motion.
    ///
    /// As far as velocities go the energy is Σ ½ m |q|², q = v + ½ Δt·k·Σ w (g − x). What of q is no rigid motion of a cluster, Σ w (v − u + ½ Δt·k·(g − x)) with
    /// u the rigid motion that has the momenta of the cluster, is taken from v by a share: springs pull without a moment, so that this has
    /// no momenta, and it leads downhill. Motions against clusters become less by the same share of themselves, which has no momenta either:
    /// neither the next round nor the damping of the next step needs the clusters laid over the new velocities.
    ///
    /// Tearing and strain limiting change goals and positions at one moment. What that gives to the springs, or to velocities, is no work that
    /// anything has done: it comes out of the vibration of the clusters that it happened to.
    fn take_out(&self, excess: f64, moment: &mut Moment, fits: &mut Fits, ways: &mut [Way]) -> f64 {
        let lag = 0.5 * moment.time_step * self.stiffness();
        // E falls by first·s − ½·second·s².
        let (mut first, mut second, mut whole) = (0.0, 0.0, 0.0);
        for Way { particle, against, drawn } in ways.iter() {
            let to_goal = fits.leads[*particle].goal - (moment.positions[*particle] - fits.anchor);
            let (way, mass) = (against + lag * drawn, self.particles.masses[*particle]);
            let motion = moment.velocities[*particle] + lag * to_goal;
            first += mass * way.dot(&motion);
            second += mass * way.norm_squared();
            whole += mass * motion.norm_squared();
        }
        // What is left of rigid motions is rounding, with a momentum of its own. Written so that numbers that are none take nothing.
        if !(first > 0.0 && second > NO_MOTION * whole) {
            return excess;
        }
        let asked = (1.0 + ROUNDING) * excess;
        let square = first * first - 2.0 * second * asked;
        let share = if square > 0.0 { 2.0 * asked / (first + square.sqrt()) } else { first / second };
        for Way { particle, against, drawn } in ways {
            moment.velocities[*particle] -= share * (*against + lag * *drawn);
            fits.leads[*particle].against -= share * *against;
            *against *= 1.0 - share;
        }
        fits.is_calmed = true;
        excess - share * (first - 0.5 * second * share)
    }

    /// What the springs of a cluster would gain, were it parted in two (J), each part fitted by itself.
    ///
    /// Parted springs are shorter at the end of the step; but where members swing through their goals within it, springs hold less than nothing
    /// in its middle, and to let go of them gives energy.
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
        let after: f64 = parts.iter().map(|part| springs_alone(part, &self.temper[cluster as usize])).sum();
        0.5 * self.stiffness() * (after - before)
    }
}

/// What may be taken out of the motion of a particle, as far as it belongs to some of its clusters.
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
    /// Way in the last step (m).
    moved: Vec3,
}

impl Pulled {
    /// w m d·(d − Δt·v) (kg·m²).
    fn springs(&self, guide: &Guide) -> f64 {
        let way = self.arm - guide.goal(&self.offset);
        self.mass * way.dot(&(way - self.moved))
    }
}

/// Sum of the springs of members that are a cluster by themselves (kg·m²).
fn springs_alone(members: &[Pulled], temper: &Temper) -> f64 {
    let rest = Rest::of_members(members.iter().map(|member| (member.mass, member.offset)));
    let temper = if rest.is_flat { Temper::fresh(None) } else { temper.clone() };
    let mut sums = Record::ZERO;
    for member in members {
        let products = place_products(member.mass, &member.arm, &member.offset);
        for entry in 0..products.0.len() {
            sums.0[entry] += products.0[entry];
        }
    }
    let (mut fit, mut guide) = (Fit::NONE, Guide::ZERO);
    fit.measure(&sums, &rest);
    fit.decompose(&rest, &temper);
    fit.guide(&rest, &temper, 1.0, &mut guide);
    members.iter().map(|member| member.springs(&guide)).sum()
}
