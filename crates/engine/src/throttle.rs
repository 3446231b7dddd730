//! How much shorter steps are than bodies ask for.

use crate::tuning::{MAX_COUNTED_FAILURES, MAX_STEP_HALVINGS, STEPS_TO_RECOVER};
use serde::{Deserialize, Serialize};

/// Steps are halved after a failure, and doubled again after some that went well. What fails time
/// and again is given longer: a step that fails costs far more than a good one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Throttle {
    /// The step is what the bodies ask for, over two to this power.
    level: u32,
    /// Steps since the level last changed.
    good_steps: u32,
    /// Failures that are remembered: none after a long time without.
    patience: u32,
    /// Level below which a frame that ran away is not to be tried again.
    floor: u32,
}

impl Throttle {
    /// What bodies ask for over the length of the step (1).
    pub fn divisor(&self) -> f64 {
        2f64.powi(self.level.min(1000) as i32)
    }

    /// Whether steps have been halved as often as they may.
    pub fn is_exhausted(&self) -> bool {
        self.level >= MAX_STEP_HALVINGS.saturating_add(self.floor)
    }

    /// Halves steps after one that failed.
    pub fn fail(&mut self) {
        self.level = self.level.saturating_add(1);
        self.good_steps = 0;
        self.patience = self.patience.saturating_add(1).min(MAX_COUNTED_FAILURES);
    }

    /// Counts a step that went well.
    pub fn succeed(&mut self) {
        if self.level == self.floor && self.patience == 0 {
            return;
        }
        self.good_steps = self.good_steps.saturating_add(1);
        if self.good_steps >= STEPS_TO_RECOVER << (self.patience.clamp(1, MAX_COUNTED_FAILURES) - 1) {
            self.good_steps = 0;
            match self.level > self.floor {
                true => self.level -= 1,
                false => self.patience = 0,
            }
        }
    }

    /// This throttle, as a frame has left it that ran away and begins again from `beginning`: steps
    /// are half as long as the longest that it tried.
    pub fn begin_again(self, beginning: Throttle) -> Throttle {
        let floor = self.floor.saturating_add(1);
        Throttle { floor, level: beginning.level.max(floor), ..beginning }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps that go well until they are as long as this again.
    fn steps_until(throttle: &mut Throttle, divisor: f64) -> u32 {
        (1..10_000)
            .find(|_| {
                throttle.succeed();
                throttle.divisor() == divisor
            })
            .expect("they grow")
    }

    #[test]
    fn what_fails_again_waits_longer_and_forgets_it_in_time() {
        let mut throttle = Throttle::default();
        let mut waited = Vec::new();
        for _ in 0..3 {
            throttle.fail();
            assert_eq!(throttle.divisor(), 2.0);
            waited.push(steps_until(&mut throttle, 1.0));
        }
        assert_eq!(waited, [64, 128, 128]);
        (0..128).for_each(|_| throttle.succeed());
        assert_eq!(throttle, Throttle::default());
    }

    #[test]
    fn a_frame_that_ran_away_never_takes_as_long_steps_again() {
        let beginning = Throttle::default();
        let mut throttle = beginning.begin_again(beginning);
        (0..1000).for_each(|_| throttle.succeed());
        assert_eq!(throttle.divisor(), 2.0);
        assert_eq!(throttle.begin_again(beginning).divisor(), 4.0);
        (0..11).for_each(|_| throttle.fail());
        assert!(!throttle.is_exhausted());
        throttle.fail();
        assert!(throttle.is_exhausted());
    }
}
