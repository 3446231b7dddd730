//! Looking at every membership of a moment once: where particles are drawn to, how they are carried along, what the springs hold, and who is beyond
//! the strain limit.

use crate::chunks::{Divide, gather};
use crate::cluster::Guide;
use crate::energy::Energy;
use crate::fits::{Fits, MOTIONS, PLACES, Shapes};
use crate::membership::Share;
use crate::model::Moment;
use craze_math::Vec3;
use craze_math::lanes::{Instructions, Kernel, Lanes, WIDTH};

/// What a particle takes from its clusters, by weight.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lead {
    /// Where it is drawn to (m from the anchor): Jones et al. 2016 (8).
    pub goal: Vec3,
    /// Velocity of the clusters' rigid motions at its place (m/s), where motions were asked for.
    pub velocity: Vec3,
}

/// What a look at all memberships finds.
#[derive(Default)]
pub(crate) struct Seen {
    /// Σ m v² (kg·m²/s²).
    kinetic: f64,
    /// Σ w m d·(d − Δt·v) (kg·m²), d = x − g.
    springs: f64,
    /// Particles that are beyond the strain limit of a cluster, ascending.
    pub beyond: Vec<u32>,
}

impl Seen {
    fn join(mut self, mut other: Seen) -> Seen {
        self.kinetic += other.kinetic;
        self.springs += other.springs;
        self.beyond.append(&mut other.beyond);
        self
    }

    /// The energy, with springs of a stiffness by mass (1/s²): see `energy.rs`.
    pub(crate) fn energy(&self, stiffness: f64) -> Energy {
        Energy { kinetic: 0.5 * self.kinetic, elastic: 0.5 * stiffness * self.springs }
    }
}

impl Fits {
    /// Looks at all memberships of the moment that the clusters lie over, and keeps what particles take from them.
    pub(crate) fn survey(&mut self, shapes: &Shapes, moment: &Moment) -> Seen {
        let mut leads = std::mem::take(&mut self.leads);
        leads.resize(moment.positions.len(), Lead::default());
        let seen = self.look(shapes, moment, &mut leads);
        self.leads = leads;
        self.is_surveyed = true;
        seen
    }

    /// Particles that are beyond the strain limit of a cluster, ascending, and nothing else.
    pub(crate) fn beyond(&self, shapes: &Shapes, moment: &Moment) -> Vec<u32> {
        self.pass::<GOALS>(shapes, moment, &mut []).beyond
    }

    /// The same as [`Fits::survey`]; what particles take is written to `leads` if that has room.
    pub(crate) fn look(&self, shapes: &Shapes, moment: &Moment, leads: &mut [Lead]) -> Seen {
        match self.has_motions {
            true => self.pass::<MOTIONS>(shapes, moment, leads),
            false => self.pass::<PLACES>(shapes, moment, leads),
        }
    }

    fn pass<const N: usize>(&self, shapes: &Shapes, moment: &Moment, leads: &mut [Lead]) -> Seen {
        let look = |part: Part| {
            let range = part.first..part.first + part.count;
            let (shares, ranges) = shapes.memberships.stream(range.clone());
            let of = Of {
                shares,
                ranges,
                guides: &self.guides,
                anchor: self.anchor,
                time_step: moment.time_step,
                offsets: &shapes.particles.offsets[range.clone()],
                masses: &shapes.particles.masses[range.clone()],
                positions: &moment.positions[range.clone()],
                velocities: &moment.velocities[range],
                part,
            };
            Instructions::detect().run(Look::<N>(of))
        };
        gather(Part { first: 0, count: moment.positions.len(), leads }, &look, &Seen::join)
    }
}

/// Neighbouring particles, and what they take, if that is to be kept.
struct Part<'a> {
    first: usize,
    count: usize,
    leads: &'a mut [Lead],
}

impl Divide for Part<'_> {
    fn count(&self) -> usize {
        self.count
    }

    fn divide(self, at: usize) -> (Self, Self) {
        let (leads, later) = self.leads.split_at_mut(at.min(self.leads.len()));
        (
            Part { first: self.first, count: at, leads },
            Part { first: self.first + at, count: self.count - at, leads: later },
        )
    }
}

/// Particles and their clusters.
struct Of<'a> {
    shares: &'a [Share],
    ranges: &'a [[u32; 2]],
    guides: &'a [Guide],
    anchor: Vec3,
    time_step: f64,
    offsets: &'a [Vec3],
    masses: &'a [f64],
    positions: &'a [Vec3],
    velocities: &'a [Vec3],
    part: Part<'a>,
}

/// Only distances from goals are asked for.
const GOALS: usize = 0;

/// Looks at the memberships of a part, by what is asked for: [`GOALS`], [`PLACES`] or [`MOTIONS`].
struct Look<'a, const N: usize>(Of<'a>);

impl<const N: usize> Kernel for Look<'_, N> {
    type Output = Seen;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Seen {
        let Of { shares, ranges, guides, anchor, time_step, offsets, masses, positions, velocities, part } = self.0;
        let count = ranges.len();
        let (offsets, masses) = (&offsets[..count], &masses[..count]);
        let (positions, velocities) = (&positions[..count], &velocities[..count]);
        let mut seen = Seen::default();
        for index in 0..count {
            let (arm, offset, velocity) = (positions[index] - anchor, offsets[index], velocities[index]);
            let [x, y, z] = [offset.x, offset.y, offset.z];
            let first = L::new([x, x, x, x, y, y, y, y]);
            let second = L::new([z, z, z, z, 1.0, 1.0, 1.0, 1.0]);
            let (mut goal, mut motion) = (L::splat(0.0), L::splat(0.0));
            let (mut squares, mut is_beyond) = (0.0, false);
            let [start, length] = ranges[index];
            for share in &shares[start as usize..(start + length) as usize] {
                let weight = L::splat(share.weight);
                let (own, _) = guides[share.cluster as usize].0.as_chunks::<WIDTH>();
                let place = L::new(own[1]).mul_add(second, L::new(own[0]) * first);
                if N != GOALS {
                    goal = weight.mul_add(place, goal);
                }
                let place = place.to_array();
                let x = place[0] + place[4] - arm.x;
                let y = place[1] + place[5] - arm.y;
                let z = place[2] + place[6] - arm.z;
                let square = x * x + y * y + z * z;
                if N != GOALS {
                    squares += share.weight * square;
                }
                is_beyond |= square > place[3] + place[7];
                if N == MOTIONS {
                    motion = weight.mul_add(L::new(own[2]), motion);
                }
            }
            if is_beyond {
                seen.beyond.push((part.first + index) as u32);
            }
            if N == GOALS {
                continue;
            }
            let goal = goal.to_array();
            let goal = Vec3::new(goal[0] + goal[4], goal[1] + goal[5], goal[2] + goal[6]);
            seen.kinetic += masses[index] * velocity.norm_squared();
            seen.springs += masses[index] * (squares - time_step * velocity.dot(&(arm - goal)));
            if let Some(lead) = part.leads.get_mut(index) {
                let motion = motion.to_array();
                let turning = Vec3::new(motion[4], motion[5], motion[6]).cross(&arm);
                *lead = Lead { goal, velocity: Vec3::new(motion[0], motion[1], motion[2]) + turning };
            }
        }
        seen
    }
}
