//! Search for the strength at which the model breaks into the wanted number of shards, by trial
//! simulations.

use super::scene::ShatterScene;
use crate::problem::Problem;
use crate::tuning::{MAX_STRENGTH_TRIALS, MAX_TRIAL_STEPS, MAX_TRIAL_TRANSITS};
use craze_engine::Verdict;
use craze_scene::{SceneDocument, build};
use std::ops::RangeInclusive;

/// Exponent of the ratio of target to result by which the strength changes while one bound is
/// unknown.
const STRENGTH_EXPONENT: f64 = 0.8;
/// Smallest and largest such change, as factors.
const STRENGTH_FACTORS: (f64, f64) = (1.6, 4.0);
/// Shares of the material's strength that are tried (1).
const STRENGTH_RANGE: RangeInclusive<f64> = 1e-3..=1e3;
/// Counts of the shards per wave transit through the model.
const COUNTS_PER_TRANSIT: f64 = 2.0;
/// A trial ends after this time without splits (wave transits),
const QUIET_TRANSITS: f64 = 6.0;
/// or after this one if there are enough shards (wave transits).
const QUIET_TRANSITS_WITH_ENOUGH: f64 = 2.0;

#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// Acceptable numbers.
    pub range: RangeInclusive<usize>,
    /// Best number.
    pub aim: usize,
    /// Pieces below this share of the volume are debris and do not count (1).
    pub smallest: f64,
}

impl Target {
    /// Error of a count. Too many is better than too few, since shards can be merged afterwards.
    fn off(&self, count: usize) -> (bool, f64) {
        (count < *self.range.start(), distance(count, self.aim))
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trial {
    /// Share of the material's strength.
    pub strength: f64,
    pub shards: usize,
}

/// Tries strengths, starting with that of the material, until the number of shards is acceptable;
/// otherwise returns the nearest. `report` is called after every trial and may end the search.
pub fn find(
    scene: &ShatterScene,
    target: &Target,
    mut report: impl FnMut(&Trial) -> Result<(), Problem>,
) -> Result<Trial, Problem> {
    search(target, |strength| {
        let shards = run_trial(scene, strength, target)?;
        report(&Trial { strength, shards })?;
        Ok(shards)
    })
}

/// The search for any `trial` function.
fn search(target: &Target, mut trial: impl FnMut(f64) -> Result<usize, Problem>) -> Result<Trial, Problem> {
    let mut best: Option<Trial> = None;
    // Strengths known to be too low and too high.
    let (mut weak, mut strong) = (None, None);
    let mut strength = 1.0;
    for _ in 0..MAX_STRENGTH_TRIALS {
        let found = Trial { strength, shards: trial(strength)? };
        if best.is_none_or(|best| target.off(found.shards) < target.off(best.shards)) {
            best = Some(found);
        }
        if target.range.contains(&found.shards) {
            break;
        }
        if found.shards > target.aim {
            weak = Some(strength);
        } else {
            strong = Some(strength);
        }
        let stride = (STRENGTH_EXPONENT * distance(found.shards, target.aim))
            .exp()
            .clamp(STRENGTH_FACTORS.0, STRENGTH_FACTORS.1);
        strength = match (weak, strong) {
            (Some(weak), Some(strong)) => f64::sqrt(weak * strong),
            (Some(weak), None) => weak * stride,
            (None, Some(strong)) => strong / stride,
            (None, None) => strength,
        };
        if !STRENGTH_RANGE.contains(&strength) {
            break;
        }
    }
    Ok(best.unwrap_or(Trial { strength, shards: 0 }))
}

/// Distance of two counts: logarithm of their ratio.
fn distance(count: usize, aim: usize) -> f64 {
    ((count.max(1) as f64) / (aim.max(1) as f64)).ln().abs()
}

/// Number of shards at this share of the material's strength.
fn run_trial(scene: &ShatterScene, strength: f64, target: &Target) -> Result<usize, Problem> {
    let mut trial = scene.trial(strength);
    trial.world.fps = COUNTS_PER_TRANSIT / scene.transit();
    trial.world.duration = MAX_TRIAL_TRANSITS * scene.transit();
    let mut world = build(&SceneDocument::from_scene(&trial, "a trial")?)?.world;
    let (mut shards, mut last_change) = (1, 0);
    let counts = (MAX_TRIAL_TRANSITS * COUNTS_PER_TRANSIT) as u32;
    let mut steps = 0;
    for index in 1..=counts {
        let advanced = world.advance_frame(&mut |_| {
            steps += 1;
            if steps > MAX_TRIAL_STEPS { Verdict::Stop } else { Verdict::Continue }
        });
        // A world that fails has broken as far as it will.
        let goes_on = matches!(advanced, Ok(Verdict::Continue));
        world.events.clear();
        let now = count(&world.frame(), target.smallest);
        if now != shards {
            (shards, last_change) = (now, index);
        }
        let quiet = f64::from(index - last_change) / COUNTS_PER_TRANSIT;
        let is_enough = shards >= *target.range.start();
        let longest = if is_enough { QUIET_TRANSITS_WITH_ENOUGH } else { QUIET_TRANSITS };
        if !goes_on || quiet >= longest || shards > 2 * target.range.end() {
            break;
        }
    }
    Ok(shards)
}

/// Number of pieces that are not debris.
pub fn count(frame: &craze_frame::Frame, smallest: f64) -> usize {
    let count = |body: &craze_frame::BodyFrame| {
        let volume: f64 = body.pieces.iter().map(|piece| piece.volume).sum();
        body.pieces.iter().filter(|piece| piece.volume >= smallest * volume).count()
    };
    frame.bodies.iter().map(count).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(aim: usize) -> Target {
        let slack = aim / 4;
        Target { range: aim - slack..=aim + slack, aim, smallest: 0.0 }
    }

    /// A body of ten pieces at full strength, more if weaker.
    fn shards(strength: f64) -> usize {
        (10.0 / strength).round() as usize
    }

    #[test]
    fn the_search_ends_within_the_range() {
        for aim in [4, 10, 37, 200] {
            let mut trials = 0;
            let found = search(&target(aim), |strength| {
                trials += 1;
                Ok(shards(strength))
            });
            let found = found.unwrap_or_else(|problem| panic!("{problem}"));
            assert!(target(aim).range.contains(&found.shards), "{found:?}");
            assert!(trials <= MAX_STRENGTH_TRIALS);
        }
    }

    #[test]
    fn a_far_aim_takes_three_trials_at_most() {
        let trials = |aim: usize| {
            let mut trials = 0;
            let count = |strength| {
                trials += 1;
                Ok(shards(strength))
            };
            search(&Target { range: aim..=3 * aim, aim: 17 * aim / 10, smallest: 0.0 }, count)
                .unwrap_or_else(|problem| panic!("{problem}"));
            trials
        };
        assert_eq!([trials(5), trials(10), trials(20), trials(150)], [1, 1, 2, 3]);
    }

    #[test]
    fn unreachable_counts_give_the_nearest() {
        // It stays whole, or breaks into a hundred at once.
        let jump = |strength: f64| Ok(if strength < 0.3 { 100 } else { 1 });
        let found = search(&target(20), jump).unwrap_or_else(|problem| panic!("{problem}"));
        assert_eq!(found.shards, 100);
        let never = search(&target(20), |_| Ok(1)).unwrap_or_else(|problem| panic!("{problem}"));
        assert_eq!(never.shards, 1);
        // Thirty shards can be merged to five, but one cannot be split.
        let burst = |strength: f64| Ok(if strength < 0.3 { 30 } else { 1 });
        let found = search(&target(5), burst).unwrap_or_else(|problem| panic!("{problem}"));
        assert_eq!(found.shards, 30);
    }
}
