//! Pinhole camera and its rays.

use craze_math::Vec3;

use crate::error::RenderError;
use crate::subject::is_finite;

/// A pinhole camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Position (m).
    pub from: Vec3,
    /// Point that it looks at (m).
    pub to: Vec3,
    /// Up direction in the picture; need not be perpendicular to the view.
    pub up: Vec3,
    /// Vertical field of view (degrees), between 0 and 180.
    pub field_of_view: f64,
}

/// Motion of the camera over a sequence.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Tracking {
    /// The camera stands still.
    #[default]
    Off,
    /// The camera moves with the centre of the bodies, without rotation.
    Bodies {
        /// Centre of the bodies for which the camera is given (m).
        center: Vec3,
    },
}

impl Camera {
    /// The camera translated by a vector (m).
    pub(crate) fn translated(self, by: Vec3) -> Camera {
        Camera { from: self.from + by, to: self.to + by, ..self }
    }

    /// Checks that the camera defines a view.
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

/// A camera in stage coordinates, ready to cast rays.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RayCamera {
    /// Origin of all rays.
    pub position: Vec3,
    /// Unit view vector.
    pub forward: Vec3,
    /// Half the picture width at unit depth, as a vector to the right.
    pub right: Vec3,
    /// Half the picture height at unit depth, as a vector up.
    pub up: Vec3,
    /// Height of a pixel at unit depth.
    pub pixel: f64,
}

impl RayCamera {
    /// Builds from a checked camera at `position` in the stage.
    pub fn new(camera: &Camera, position: Vec3, width: u32, height: u32) -> RayCamera {
        let forward = (camera.to - camera.from).normalize();
        let right = forward.cross(&camera.up.normalize()).normalize();
        let up = right.cross(&forward);
        let t = (camera.field_of_view / 2.0).to_radians().tan();
        let aspect = f64::from(width) / f64::from(height);
        RayCamera { position, forward, right: right * (t * aspect), up: up * t, pixel: 2.0 * t / f64::from(height) }
    }

    /// Unit direction through a point of the picture, −1 to 1 from left to right and from bottom to
    /// top.
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
