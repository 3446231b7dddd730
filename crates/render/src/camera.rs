//! The eye: where it stands and where its rays go.

use craze_math::Vec3;

use crate::error::RenderError;
use crate::subject::is_finite;

/// A pinhole camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where the eye is (m).
    pub from: Vec3,
    /// What it looks at (m).
    pub to: Vec3,
    /// A direction that points up in the picture; need not be perpendicular to the view.
    pub up: Vec3,
    /// Vertical opening (degrees), between 0 and 180.
    pub field_of_view: f64,
}

/// Whether the camera of a sequence moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Tracking {
    /// It stands still.
    #[default]
    Off,
    /// It moves with the centre of the bodies, without turning.
    Bodies {
        /// This centre where the camera is as given (m).
        center: Vec3,
    },
}

impl Camera {
    /// The camera moved by a vector (m).
    pub(crate) fn moved(self, by: Vec3) -> Camera {
        Camera { from: self.from + by, to: self.to + by, ..self }
    }

    /// Names the first number that no picture can be made with.
    pub(crate) fn check(&self) -> Result<(), RenderError> {
        let refuse = |reason: String| Err(RenderError::Camera { reason });
        for (name, point) in [("from", &self.from), ("to", &self.to), ("up", &self.up)] {
            if !is_finite(point) {
                return refuse(format!("{name} is [{}, {}, {}]", point.x, point.y, point.z));
            }
        }
        if !(self.field_of_view > 0.0 && self.field_of_view < 180.0) {
            return refuse(format!("its field of view of {}° is not between 0° and 180°", self.field_of_view));
        }
        let view = self.to - self.from;
        if view.norm() == 0.0 {
            return refuse("from and to are the same point".to_owned());
        }
        let across = view.normalize().cross(&self.up.try_normalize(0.0).unwrap_or_default());
        if across.norm() < 1e-9 {
            return refuse(format!("up [{}, {}, {}] lies along the view or is zero", self.up.x, self.up.y, self.up.z));
        }
        Ok(())
    }
}

/// A camera made ready to send rays, in the coordinates of the stage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Eye {
    /// Where all rays begin.
    pub position: Vec3,
    /// Unit vector of the view.
    pub forward: Vec3,
    /// Toward the right border of the picture, as long as the border is far at unit depth.
    pub right: Vec3,
    /// Toward the upper border of the picture, as long as the border is far at unit depth.
    pub up: Vec3,
    /// Height of a pixel at unit depth.
    pub pixel: f64,
}

impl Eye {
    /// The eye of a checked camera that stands at `position` of the stage.
    pub fn new(camera: &Camera, position: Vec3, width: u32, height: u32) -> Eye {
        let forward = (camera.to - camera.from).normalize();
        let right = forward.cross(&camera.up.normalize()).normalize();
        let up = right.cross(&forward);
        let t = (camera.field_of_view / 2.0).to_radians().tan();
        let aspect = f64::from(width) / f64::from(height);
        Eye { position, forward, right: right * (t * aspect), up: up * t, pixel: 2.0 * t / f64::from(height) }
    }

    /// Unit direction through a point of the picture: −1 to 1 from left to right and from bottom to top.
    pub fn direction(&self, x: f64, y: f64) -> Vec3 {
        (self.forward + self.right * x + self.up * y).normalize()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_cameras_are_named() {
        let good = Camera { from: Vec3::z(), to: Vec3::zeros(), up: Vec3::y(), field_of_view: 30.0 };
        assert!(good.check().is_ok());
        for (bad, word) in [
            (Camera { from: Vec3::zeros(), ..good }, "same point"),
            (Camera { up: Vec3::z(), ..good }, "along the view"),
            (Camera { up: Vec3::zeros(), ..good }, "zero"),
            (Camera { field_of_view: f64::NAN, ..good }, "field of view"),
            (Camera { to: Vec3::new(f64::INFINITY, 0.0, 0.0), ..good }, "to is"),
        ] {
            let message = bad.check().unwrap_err().to_string();
            assert!(message.contains(word), "{message}");
        }
    }
}
