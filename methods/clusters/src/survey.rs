//! Survey: one pass over all memberships of a state for goals, motion within clusters, spring
//! energy, and members close to the strain limit.

use crate::chunks::{Divide, gather};
use crate::cluster::Guide;
use crate::energy::Energy;
use crate::fits::{Fits, Shapes};
use crate::membership::Share;
use crate::model::ParticleState;
use crate::tuning::NEAR_LIMIT_SQUARED;
use craze_math::Vec3;
use craze_math::lanes::{Instructions, Kernel, Lanes, WIDTH};

/// Weighted sums over the clusters of a particle.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lead {
    /// Goal (m, relative to the anchor): Jones et al. 2016 (8).
    pub goal: Vec3,
    /// Velocity relative to the rigid motions of its clusters (m/s), where motions were asked for.
    pub against: Vec3,
}

/// Results of a survey.
#[derive(Clone, Default)]
pub(crate) struct SurveyResult {
    /// Σ m v² (kg·m²/s²).
    kinetic: f64,
    /// Σ w m d·(d − Δt·v) (kg·m²), d = x − g.
    springs: f64,
    /// Memberships beyond the strain limit or close to it (see [`NEAR_LIMIT_SQUARED`]), by ascending particles.
    pub near: Vec<Near>,
    /// Whether any is beyond it.
    pub is_beyond: bool,
}

/// A membership that is close to the strain limit.
#[derive(Clone, Copy)]
pub(crate) struct Near {
    pub particle: u32,
    pub share: Share,
}

impl SurveyResult {
    fn join(mut self, mut other: SurveyResult) -> SurveyResult {
        self.kinetic += other.kinetic;
        self.springs += other.springs;
        self.near.append(&mut other.near);
        self.is_beyond |= other.is_beyond;
        self
    }

    /// Tests a particle that may be close to the limit of one of its clusters.
    #[cold]
    fn note_near(&mut self, particle: u32, shares: &[Share], guides: &[Guide], arm: &Vec3, offset: &Vec3) {
        for share in shares {
            let guide = &guides[share.cluster as usize];
            let square = (guide.goal(offset) - arm).norm_squared();
            if square > NEAR_LIMIT_SQUARED * guide.limit() {
                self.near.push(Near { particle, share: *share });
                self.is_beyond |= square > guide.limit();
            }
        }
    }

    /// The energy, with springs of a stiffness per mass (1/s²): see `energy.rs`.
    pub(crate) fn energy(&self, stiffness: f64) -> Energy {
        Energy { kinetic: 0.5 * self.kinetic, elastic: 0.5 * stiffness * self.springs }
    }
}

impl Fits {
    /// Surveys the memberships of the state to which the clusters are fitted, and stores results
    /// and sums per particle.
    pub(crate) fn survey(&mut self, shapes: &Shapes, state: &ParticleState) {
        let mut leads = std::mem::take(&mut self.leads);
        leads.resize(state.positions.len(), Lead::default());
        self.survey_result = self.survey_members(shapes, state, &mut leads);
        self.leads = leads;
        (self.is_surveyed, self.has_survey_result) = (true, true);
    }

    /// The same without the sums per particle, which are half of the memory traffic.
    pub(crate) fn glance(&mut self, shapes: &Shapes, state: &ParticleState) {
        self.survey_result = self.survey_members(shapes, state, &mut []);
        self.has_survey_result = true;
    }

    /// Surveys all memberships; sums per particle are written to `leads` if that is not empty.
    pub(crate) fn survey_members(&self, shapes: &Shapes, state: &ParticleState, leads: &mut [Lead]) -> SurveyResult {
        let look = |part: Part| {
            let range = part.first..part.first + part.count;
            let (shares, ranges) = shapes.memberships.stream(range.clone());
            Instructions::detect().run(Look {
                shares,
                ranges,
                guides: &self.guides,
                anchor: self.anchor,
                time_step: state.time_step,
                offsets: &shapes.particles.offsets[range.clone()],
                masses: &shapes.particles.masses[range.clone()],
                positions: &state.positions[range.clone()],
                velocities: &state.velocities[range],
                part,
            })
        };
        gather(Part { first: 0, count: state.positions.len(), leads }, &look, &SurveyResult::join)
    }
}

/// A range of particles, and their sums if these are to be stored.
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

/// Surveys the memberships of a range.
struct Look<'a> {
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

impl Kernel for Look<'_> {
    type Output = SurveyResult;

    #[inline(always)]
    fn run<L: Lanes>(self) -> SurveyResult {
        let Look { shares, ranges, guides, anchor, time_step, offsets, masses, positions, velocities, part } = self;
        let count = ranges.len();
        let (offsets, masses) = (&offsets[..count], &masses[..count]);
        let (positions, velocities) = (&positions[..count], &velocities[..count]);
        let mut result = SurveyResult::default();
        // A vector is no longer than the root of a square if no component squared exceeds a third
        // of it.
        let share_of_limit = L::splat(-NEAR_LIMIT_SQUARED / 3.0);
        let along_x = L::new([1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let along_y = L::new([0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let along_z = L::new([0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        // The second half of a guide is for motions.
        let is_motion = L::splat(0.0).less_than(L::new([0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]));
        for index in 0..count {
            let (arm, offset, velocity) = (positions[index] - anchor, offsets[index], velocities[index]);
            let (arm_x, arm_y, arm_z) = (L::splat(arm.x), L::splat(arm.y), L::splat(arm.z));
            let by_x = L::select(is_motion, arm_x, L::splat(offset.x));
            let by_y = L::select(is_motion, arm_y, L::splat(offset.y));
            let by_z = L::select(is_motion, arm_z, L::splat(offset.z));
            let from = arm_z.mul_add(along_z, arm_y.mul_add(along_y, arm_x * along_x));
            let (mut lead, mut squares, mut excess) = (L::splat(0.0), L::splat(0.0), L::splat(f64::MIN));
            let [start, length] = ranges[index];
            let own = &shares[start as usize..(start + length) as usize];
            for share in own {
                let weight = L::splat(share.weight);
                let guide = &guides[share.cluster as usize];
                let (map, _) = guide.0.as_chunks::<WIDTH>();
                let place = L::new(map[2]).mul_add(by_z, L::new(map[3]));
                let place = L::new(map[0]).mul_add(by_x, L::new(map[1]).mul_add(by_y, place));
                lead = weight.mul_add(place, lead);
                let way = place - from;
                let square = way * way;
                squares = weight.mul_add(square, squares);
                excess = L::splat(guide.limit()).mul_add(share_of_limit, square).max(excess);
            }
            let [x, y, z, ..] = excess.to_array();
            if x > 0.0 || y > 0.0 || z > 0.0 {
                result.note_near((part.first + index) as u32, own, guides, &arm, &offset);
            }
            let [x, y, z, _, u, v, w, _] = lead.to_array();
            let goal = Vec3::new(x, y, z);
            let [x, y, z, ..] = squares.to_array();
            result.kinetic += masses[index] * velocity.norm_squared();
            result.springs += masses[index] * ((x + y + z) - time_step * velocity.dot(&(arm - goal)));
            if let Some(lead) = part.leads.get_mut(index) {
                *lead = Lead { goal, against: velocity - Vec3::new(u, v, w) };
            }
        }
        result
    }
}
