//! Prescribed motion: keyframes, and turning about an axis.

use crate::Ramp;
use craze_math::{Isometry, Rotation, Vec3};
use serde::{Deserialize, Serialize};

/// A rigid motion over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Motion {
    /// Straight between keyframes, constant before the first and after the last. No keyframe: it
    /// stands still.
    Keyframes(Vec<Keyframe>),
    /// Turns about a line.
    Twist {
        /// A point of the line (m).
        through: Vec3,
        /// Direction of the line, of any length.
        axis: Vec3,
        /// How far it has turned when.
        turning: Turning,
    },
}

/// An angle over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Turning {
    /// Growing at a constant rate (rad/s).
    Rate(f64),
    /// Along keys of angles (rad).
    Keys(Ramp),
}

/// A moment of a motion.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Keyframe {
    /// When (s).
    pub time: f64,
    /// How far it has moved (m).
    pub shift: Vec3,
    /// How far it has turned about x, y and z, in this order (rad). More than a full turn is more
    /// than a full turn.
    pub turn: Vec3,
}

impl Motion {
    /// Standing still.
    pub fn still() -> Motion {
        Motion::Keyframes(Vec::new())
    }

    /// The first keyframe after a time (s).
    pub fn next_key(&self, time: f64) -> Option<f64> {
        match self {
            Motion::Keyframes(keys) => keys.iter().map(|key| key.time).find(|key| *key > time),
            Motion::Twist { .. } => None,
        }
    }

    /// How fast it turns (rad/s) between the keyframes around a time (s), at most.
    pub fn turn_rate(&self, time: f64) -> f64 {
        let Motion::Keyframes(keys) = self else { return 0.0 };
        let around = keys.windows(2).find(|pair| pair[0].time <= time && time < pair[1].time);
        around.map_or(0.0, |pair| (pair[1].turn - pair[0].turn).norm() / (pair[1].time - pair[0].time))
    }

    /// Where the motion has taken things at a time (s). Turns of keyframes go about `center` (m).
    pub fn at(&self, time: f64, center: &Vec3) -> Isometry {
        match self {
            Motion::Keyframes(keys) => {
                let (shift, turn) = interpolate(keys, time);
                about(center, turned(&turn), shift)
            }
            Motion::Twist { through, axis, turning } => {
                let angle = match turning {
                    Turning::Rate(rate) => rate * time,
                    Turning::Keys(keys) => keys.at(time),
                };
                let turn = axis.try_normalize(0.0).map_or(Vec3::zeros(), |axis| axis * angle);
                about(through, Rotation::from_scaled_axis(turn), Vec3::zeros())
            }
        }
    }
}

/// The rotation about x, then y, then z (rad).
pub fn turned(angles: &Vec3) -> Rotation {
    Rotation::from_euler_angles(angles.x, angles.y, angles.z)
}

fn about(center: &Vec3, rotation: Rotation, shift: Vec3) -> Isometry {
    Isometry::from_parts((center - rotation * center + shift).into(), rotation)
}

fn interpolate(keys: &[Keyframe], time: f64) -> (Vec3, Vec3) {
    let Some((first, last)) = keys.first().zip(keys.last()) else { return (Vec3::zeros(), Vec3::zeros()) };
    if time <= first.time {
        return (first.shift, first.turn);
    }
    for pair in keys.windows(2) {
        if time < pair[1].time {
            let share = (time - pair[0].time) / (pair[1].time - pair[0].time);
            return (pair[0].shift.lerp(&pair[1].shift, share), pair[0].turn.lerp(&pair[1].turn, share));
        }
    }
    (last.shift, last.turn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{FRAC_PI_2, PI};

    #[test]
    fn keyframes_turn_about_the_centre_and_shift() {
        let key = |time, shift, turn| Keyframe { time, shift, turn };
        let motion = Motion::Keyframes(vec![
            key(0.0, Vec3::zeros(), Vec3::zeros()),
            key(2.0, Vec3::new(0.0, 4.0, 0.0), Vec3::new(0.0, PI, 0.0)),
        ]);
        let half_way = motion.at(1.0, &Vec3::x());
        let moved = carry(&half_way, Vec3::new(2.0, 0.0, 0.0));
        assert!((moved - Vec3::new(1.0, 2.0, -1.0)).norm() < 1e-12);
    }

    #[test]
    fn a_twist_leaves_its_axis_where_it_is() {
        let motion = Motion::Twist {
            through: Vec3::new(1.0, 0.0, 0.0),
            axis: Vec3::y() * 3.0,
            turning: Turning::Rate(FRAC_PI_2),
        };
        let there = motion.at(1.0, &Vec3::zeros());
        assert!((carry(&there, Vec3::new(1.0, 5.0, 0.0)) - Vec3::new(1.0, 5.0, 0.0)).norm() < 1e-12);
        assert!((carry(&there, Vec3::new(2.0, 0.0, 0.0)) - Vec3::new(1.0, 0.0, -1.0)).norm() < 1e-12);
    }

    fn carry(motion: &Isometry, place: Vec3) -> Vec3 {
        motion.transform_point(&place.into()).coords
    }
}
