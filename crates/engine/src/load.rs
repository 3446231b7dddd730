//! Holds and loads: what is done to a region of a body, and when.

use crate::{Motion, Region};
use craze_math::{Isometry, Vec3};
use serde::{Deserialize, Serialize};

/// Number of a hold in the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct HoldId(pub u32);

/// A region of a body that is held, moved, pushed or pulled.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Hold {
    /// Its name, for probes and messages.
    pub name: String,
    /// Index of the body.
    pub body: usize,
    /// What it takes hold of, as the body was placed.
    pub region: Region,
    /// What it does.
    pub action: Action,
    /// When it lets go (s).
    pub release: Option<f64>,
}

/// What a hold does.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Action {
    /// Moves its region as one rigid thing. Standing still is a motion, too.
    Move(Motion),
    /// Pushes with a total force (N), spread over the region by mass, times a factor.
    Force {
        /// Total force (N).
        force: Vec3,
        /// Its factor over time.
        ramp: Ramp,
    },
    /// Pushes on the region's part of the surface with a force per rest area (Pa), times a factor.
    Traction {
        /// Force per area (Pa).
        traction: Vec3,
        /// Its factor over time.
        ramp: Ramp,
    },
}

/// A factor over time: straight between its keys, constant before the first and after the last; 1 if there is none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ramp {
    /// Times (s), increasing, with factors.
    pub keys: Vec<(f64, f64)>,
}

impl Ramp {
    /// The factor at a time (s).
    pub fn at(&self, time: f64) -> f64 {
        let Some((first, last)) = self.keys.first().zip(self.keys.last()) else { return 1.0 };
        if time <= first.0 {
            return first.1;
        }
        for pair in self.keys.windows(2) {
            let ((start, from), (end, to)) = (pair[0], pair[1]);
            if time < end {
                return from + (to - from) * (time - start) / (end - start);
            }
        }
        last.1
    }
}

/// What a hold does to its body during one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// Which hold.
    pub hold: HoldId,
    /// What it does.
    pub effect: Effect,
}

/// What a hold does during one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Effect {
    /// At the end of the step the region stands where this takes its placed rest position.
    Place(Isometry),
    /// Total force (N), spread by mass.
    Force(Vec3),
    /// Force per rest area (Pa) on the region's surface.
    Traction(Vec3),
}

impl Effect {
    /// This effect, with only a share of what it jumped by at the start. `jump` is the effect at the
    /// start.
    pub(crate) fn after_jump(&self, jump: &Effect, share: f64) -> Effect {
        let missing = 1.0 - share;
        match (self, jump) {
            (Effect::Place(now), Effect::Place(start)) => {
                let part = Isometry::from_parts((share * start.translation.vector).into(), start.rotation.powf(share));
                Effect::Place(now * start.inverse() * part)
            }
            (Effect::Force(now), Effect::Force(start)) => Effect::Force(now - missing * start),
            (Effect::Traction(now), Effect::Traction(start)) => Effect::Traction(now - missing * start),
            _ => *self,
        }
    }
}

impl Hold {
    /// What the hold does in a step that ends at `end` (s); nothing once it has let go. `center` is the middle of the region as
    /// [`attach`](crate::Attachable::attach) found it: turns of a motion go about it.
    pub fn load(&self, id: HoldId, center: &Vec3, end: f64) -> Option<Load> {
        if self.release.is_some_and(|release| end > release) {
            return None;
        }
        let effect = match &self.action {
            Action::Move(motion) => Effect::Place(motion.at(end, center)),
            Action::Force { force, ramp } => Effect::Force(force * ramp.at(end)),
            Action::Traction { traction, ramp } => Effect::Traction(traction * ramp.at(end)),
        };
        Some(Load { hold: id, effect })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ramp_is_straight_between_keys_and_constant_outside() {
        let ramp = Ramp { keys: vec![(1.0, 0.0), (2.0, 1.0), (4.0, 0.5)] };
        for (time, factor) in [(0.0, 0.0), (1.0, 0.0), (1.25, 0.25), (2.0, 1.0), (3.0, 0.75), (9.0, 0.5)] {
            assert_eq!(ramp.at(time), factor);
        }
        assert_eq!(Ramp::default().at(3.0), 1.0);
    }

    #[test]
    fn a_released_hold_does_nothing() {
        let hold = Hold {
            name: "grip".into(),
            body: 0,
            region: Region::All,
            action: Action::Force { force: Vec3::x(), ramp: Ramp::default() },
            release: Some(0.5),
        };
        assert!(hold.load(HoldId(0), &Vec3::zeros(), 0.5).is_some());
        assert!(hold.load(HoldId(0), &Vec3::zeros(), 0.51).is_none());
    }
}
