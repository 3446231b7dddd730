//! How strong the model must be to break into as many shards as are wanted: found by trying.

use super::stage::Stage;
use crate::problem::Problem;
use craze_engine::Verdict;
use craze_scene::{SceneDocument, build};
use std::ops::RangeInclusive;

/// Trials at most.
const TRIALS: usize = 6;
/// Power of the ratio of what is aimed at to what came out by which the strength changes while only one side is known,
const STEEPNESS: f64 = 0.8;
/// and the least and largest such change, as factors.
const STRIDES: (f64, f64) = (1.6, 4.0);
/// Weakest and strongest share of the material's strength that is tried.
const SHARES: RangeInclusive<f64> = 1e-3..=1e3;
/// A trial is looked at so often while a wave crosses the model,
const LOOKS: f64 = 2.0;
/// lasts for so many crossings at most,
const LONGEST: f64 = 25.0;
/// and ends when nothing has parted for so many,
const QUIET: f64 = 6.0;
/// or for so many if there are as many shards as are wanted: more do no harm.
const QUIET_WITH_ENOUGH: f64 = 2.0;
/// Steps of one trial at most: what has not broken by then is left to the run itself.
const STEPS: u64 = 5_000;

/// How many shards are wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// What will do.
    pub range: RangeInclusive<usize>,
    /// What is aimed at.
    pub aim: usize,
    /// Pieces below this share of the volume are dust and do not count.
    pub smallest: f64,
}

impl Wanted {
    /// How far a count is from what is wanted. Too many are better than too few: shards can be joined afterwards.
    fn off(&self, count: usize) -> (bool, f64) {
        (count < *self.range.start(), distance(count, self.aim))
    }
}

/// A strength and what it gives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// Share of the material's strength.
    pub strength: f64,
    /// Shards in the trial.
    pub shards: usize,
}

/// Tries strengths from that of the material on until the number of shards will do, or gives the nearest. `told` hears of every
/// trial and may end the search.
pub fn find(
    stage: &Stage,
    wanted: &Wanted,
    mut told: impl FnMut(&Found) -> Result<(), Problem>,
) -> Result<Found, Problem> {
    search(wanted, |strength| {
        let shards = trial(stage, strength, wanted)?;
        told(&Found { strength, shards })?;
        Ok(shards)
    })
}

/// The search with `trial` as what a strength gives.
fn search(wanted: &Wanted, mut trial: impl FnMut(f64) -> Result<usize, Problem>) -> Result<Found, Problem> {
    let mut best: Option<Found> = None;
    // Strengths that are known to be too low and too high.
    let (mut weak, mut strong) = (None, None);
    let mut strength = 1.0;
    for _ in 0..TRIALS {
        let found = Found { strength, shards: trial(strength)? };
        if best.is_none_or(|best| wanted.off(found.shards) < wanted.off(best.shards)) {
            best = Some(found);
        }
        if wanted.range.contains(&found.shards) {
            break;
        }
        if found.shards > wanted.aim {
            weak = Some(strength);
        } else {
            strong = Some(strength);
        }
        let stride = (STEEPNESS * distance(found.shards, wanted.aim)).exp().clamp(STRIDES.0, STRIDES.1);
        strength = match (weak, strong) {
            (Some(weak), Some(strong)) => f64::sqrt(weak * strong),
            (Some(weak), None) => weak * stride,
            (None, Some(strong)) => strong / stride,
            (None, None) => strength,
        };
        if !SHARES.contains(&strength) {
            break;
        }
    }
    Ok(best.unwrap_or(Found { strength, shards: 0 }))
}

/// How far a count is from another, as the logarithm of their ratio.
fn distance(count: usize, aim: usize) -> f64 {
    ((count.max(1) as f64) / (aim.max(1) as f64)).ln().abs()
}

/// Shards that the model breaks into at this share of its strength.
fn trial(stage: &Stage, strength: f64, wanted: &Wanted) -> Result<usize, Problem> {
    let mut scene = stage.trial(strength);
    scene.world.fps = LOOKS / stage.transit();
    scene.world.duration = LONGEST * stage.transit();
    let mut world = build(&SceneDocument::from_scene(&scene, "a trial")?)?.world;
    let (mut shards, mut last_change) = (1, 0);
    let looks = (LONGEST * LOOKS) as u32;
    let mut steps = 0;
    for look in 1..=looks {
        let advanced = world.advance_frame(&mut |_| {
            steps += 1;
            if steps > STEPS { Verdict::Stop } else { Verdict::Continue }
        });
        // A world that cannot go on has broken as far as it will.
        let goes_on = matches!(advanced, Ok(Verdict::Continue));
        world.events.clear();
        let now = count(&world.frame(), wanted.smallest);
        if now != shards {
            (shards, last_change) = (now, look);
        }
        let quiet = f64::from(look - last_change) / LOOKS;
        let is_enough = shards >= *wanted.range.start();
        let longest = if is_enough { QUIET_WITH_ENOUGH } else { QUIET };
        if !goes_on || quiet >= longest || shards > 2 * wanted.range.end() {
            break;
        }
    }
    Ok(shards)
}

/// Pieces of a frame that are no dust.
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

    fn wanted(aim: usize) -> Wanted {
        let slack = aim / 4;
        Wanted { range: aim - slack..=aim + slack, aim, smallest: 0.0 }
    }

    /// A body that breaks into ten pieces at full strength, more when it is weaker.
    fn shards(strength: f64) -> usize {
        (10.0 / strength).round() as usize
    }

    #[test]
    fn the_search_ends_within_the_range() {
        for aim in [4, 10, 37, 200] {
            let mut trials = 0;
            let found = search(&wanted(aim), |strength| {
                trials += 1;
                Ok(shards(strength))
            });
            let found = found.unwrap_or_else(|problem| panic!("{problem}"));
            assert!(wanted(aim).range.contains(&found.shards), "{found:?}");
            assert!(trials <= TRIALS);
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
            search(&Wanted { range: aim..=3 * aim, aim: 17 * aim / 10, smallest: 0.0 }, count)
                .unwrap_or_else(|problem| panic!("{problem}"));
            trials
        };
        assert_eq!([trials(5), trials(10), trials(20), trials(150)], [1, 1, 2, 3]);
    }

    #[test]
    fn what_cannot_be_reached_is_answered_by_the_nearest() {
        // It stays whole, or falls into a hundred at once.
        let jump = |strength: f64| Ok(if strength < 0.3 { 100 } else { 1 });
        let found = search(&wanted(20), jump).unwrap_or_else(|problem| panic!("{problem}"));
        assert_eq!(found.shards, 100);
        let never = search(&wanted(20), |_| Ok(1)).unwrap_or_else(|problem| panic!("{problem}"));
        assert_eq!(never.shards, 1);
        // Thirty can be joined to five, one cannot be parted.
        let burst = |strength: f64| Ok(if strength < 0.3 { 30 } else { 1 });
        let found = search(&wanted(5), burst).unwrap_or_else(|problem| panic!("{problem}"));
        assert_eq!(found.shards, 30);
    }
}
