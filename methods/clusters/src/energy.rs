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

use crate::chunks::gather;
use crate::cluster::apply;
use crate::fits::Fits;
use crate::model::{Clusters, Moment};
use craze_math::Vec3;

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
        let (kinetic, elastic) = gather(
            0..self.count(),
            &|range| {
                let mut twice = (0.0, 0.0);
                for particle in range {
                    let (mass, velocity) = (self.particles.masses[particle], moment.velocities[particle]);
                    twice.0 += mass * velocity.norm_squared();
                    twice.1 += mass * self.springs(particle, moment, fits);
                }
                twice
            },
            &|first: (f64, f64), second: (f64, f64)| (first.0 + second.0, first.1 + second.1),
        );
        Energy { kinetic: 0.5 * kinetic, elastic: 0.5 * self.stiffness() * elastic }
    }

    /// Takes energy (J) that was not there before out of the motion of clusters against themselves: of velocities v a share of
    /// Σ w (v − u) goes, u those of the rigid motion with the momenta of a cluster. Momenta stay, and so do positions. At most all
    /// of that motion goes.
    ///
    /// Tearing and strain limiting change goals and positions at one moment. What that gives to the springs, or to velocities, is no work that
    /// anything has done: it comes out of the vibration of the clusters that it happened to.
    pub(crate) fn take_out(&self, excess: f64, moment: &mut Moment, fits: &Fits, is_involved: &[bool]) {
        let shares = |particle: usize| {
            let own = self.memberships.of(particle).iter();
            own.filter(|share| is_involved[share.cluster as usize])
        };
        let against = |particle: usize, moment: &Moment| {
            let (arm, velocity) = (moment.positions[particle] - fits.anchor, moment.velocities[particle]);
            let ways = shares(particle).map(|share| {
                let [x, y, z, turn @ ..] = fits.motions[share.cluster as usize];
                share.weight * (velocity - Vec3::new(x, y, z) - Vec3::from(turn).cross(&arm))
            });
            ways.sum::<Vec3>()
        };
        // E falls by first·s − ½·second·s².
        let (mut first, mut second) = (0.0, 0.0);
        let lag = 0.5 * moment.time_step * self.stiffness();
        let is_free = |particle: &usize| self.external.placed_by(*particle).is_none();
        for particle in (0..self.count()).filter(is_free) {
            let way = against(particle, moment);
            let drawn = self.way_to_goal(particle, moment, fits);
            let mass = self.particles.masses[particle];
            first += mass * way.dot(&(moment.velocities[particle] + lag * drawn));
            second += mass * way.norm_squared();
        }
        // Written so that numbers that are none take nothing.
        if !(first > 0.0 && second > 0.0) {
            return;
        }
        let root = (first * first - 2.0 * second * excess).max(0.0).sqrt();
        let share = ((first - root) / second).min(1.0);
        for particle in (0..self.count()).filter(is_free) {
            let way = against(particle, moment);
            moment.velocities[particle] -= share * way;
        }
    }

    /// Σ w (g − x) over the clusters of a particle (m).
    fn way_to_goal(&self, particle: usize, moment: &Moment, fits: &Fits) -> Vec3 {
        let goals =
            self.memberships.of(particle).iter().map(|share| {
                share.weight * apply(&fits.maps[share.cluster as usize], &self.particles.offsets[particle])
            });
        goals.sum::<Vec3>() - (moment.positions[particle] - fits.anchor)
    }

    /// Σ w d·(d − Δt·v) over the clusters of a particle (m²), d = x − g.
    fn springs(&self, particle: usize, moment: &Moment, fits: &Fits) -> f64 {
        let arm = moment.positions[particle] - fits.anchor;
        let moved: Vec3 = moment.time_step * moment.velocities[particle];
        let mut sum = 0.0;
        for share in self.memberships.of(particle) {
            let way = arm - apply(&fits.maps[share.cluster as usize], &self.particles.offsets[particle]);
            sum += share.weight * way.dot(&(way - moved));
        }
        sum
    }
}
