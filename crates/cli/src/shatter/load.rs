//! The load that breaks the model: a drop, a hit or a pull.

use std::str::FromStr;

/// Acceleration of gravity (m/s²).
pub const GRAVITY: f64 = 9.81;

/// Speed of each end in a pull (m/s).
const PULL_SPEED: f64 = 2.0;

/// Load on the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Load {
    /// Drop from this height (m) to the ground.
    Drop(f64),
    Hit(Hit),
    Pull(Axis),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Position relative to the centre of the model's bounding box (m).
    pub place: [f64; 3],
    /// Speed (m/s).
    pub speed: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    X,
    Y,
    Z,
}

impl Axis {
    /// 0 for x, 1 for y, 2 for z.
    pub fn index(self) -> usize {
        self as usize
    }
}

impl Load {
    /// Impact speed (m/s).
    pub fn speed(self) -> f64 {
        match self {
            Load::Drop(height) => (2.0 * GRAVITY * height).sqrt(),
            Load::Hit(Hit { speed, .. }) => speed,
            Load::Pull(_) => PULL_SPEED,
        }
    }

    pub fn description(self) -> String {
        match self {
            Load::Drop(height) => format!("it falls from {height} m and lands at {:.1} m/s", self.speed()),
            Load::Hit(Hit { place: [x, y, z], speed }) => {
                format!("a ball of its mass hits ({x}, {y}, {z}) m at {speed} m/s")
            }
            Load::Pull(axis) => {
                format!("its ends along {} are pulled apart at {PULL_SPEED} m/s each", ["x", "y", "z"][axis.index()])
            }
        }
    }
}

impl FromStr for Hit {
    type Err = String;

    fn from_str(text: &str) -> Result<Hit, String> {
        let help = "write a position in metres from the model's centre and a speed in m/s, as in 0,0.1,0@8";
        let (place, speed) = text.split_once('@').ok_or(help)?;
        let numbers: Option<Vec<f64>> = place.split(',').map(|number| number.trim().parse().ok()).collect();
        let Some(&[x, y, z]) = numbers.as_deref() else { return Err(help.to_owned()) };
        let speed: f64 = speed.trim().parse().map_err(|_| help)?;
        if ![x, y, z].iter().all(|coordinate| coordinate.is_finite()) {
            return Err(help.to_owned());
        }
        if x == 0.0 && y == 0.0 && z == 0.0 {
            return Err(
                "the centre of the model gives no direction to hit from; name a position toward its surface".to_owned()
            );
        }
        if !(speed.is_finite() && speed > 0.0) {
            return Err(format!("a speed of {speed} m/s is not possible: give one above 0"));
        }
        Ok(Hit { place: [x, y, z], speed })
    }
}

impl FromStr for Axis {
    type Err = String;

    fn from_str(text: &str) -> Result<Axis, String> {
        match text {
            "x" => Ok(Axis::X),
            "y" => Ok(Axis::Y),
            "z" => Ok(Axis::Z),
            _ => Err("write the axis of the pull: x, y or z".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fall_ends_at_the_speed_of_its_height() {
        assert!((Load::Drop(1.5).speed() - 5.4249).abs() < 1e-4);
    }

    #[test]
    fn hits_have_a_position_and_a_speed() {
        assert_eq!("0,0.1,-2@8".parse::<Hit>(), Ok(Hit { place: [0.0, 0.1, -2.0], speed: 8.0 }));
        for bad in ["", "0,1@3", "0,1,2", "a,b,c@3", "0,0,0@3", "0,1,0@0", "0,1,0@-3", "0,nan,0@3", "0,1,0@inf"] {
            assert!(bad.parse::<Hit>().is_err(), "{bad}");
        }
    }
}
