//! The eye: where it stands, and how it finds its place by itself.

use craze_frame::Frame;
use craze_math::Vec3;

use crate::error::RenderError;
use crate::subject::{Subject, is_finite};

/// Share of the picture's half width and height that stays free around the subject.
const MARGIN: f64 = 0.14;
/// Vertical opening of a camera that frames by itself (degrees): long enough a lens that verticals stay calm.
const FIELD_OF_VIEW: f64 = 28.0;

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

impl Camera {
    /// A three-quarter view from above, y up, that holds the bodies of all these frames and the obstacles near them.
    ///
    /// Pieces that flew far from the rest are left out. Looks at the broader side; from higher up if things lie flat.
    /// Nothing to see gives a view of the origin.
    pub fn framing(frames: &[&Frame], width: u32, height: u32) -> Camera {
        let subject = Subject::of(frames);
        let Some((low, high)) = subject.bounds() else {
            return Camera {
                from: Vec3::new(2.0, 1.5, 3.0),
                to: Vec3::zeros(),
                up: Vec3::y(),
                field_of_view: FIELD_OF_VIEW,
            };
        };
        let size = high - low;
        let azimuth: f64 = if size.z > 1.3 * size.x { 58.0 } else { 32.0 };
        let flatness = 1.0 - (size.y / size.x.max(size.z).max(f64::MIN_POSITIVE)).min(1.0);
        let elevation: f64 = 16.0 + 16.0 * flatness;
        let (azimuth, elevation) = (azimuth.to_radians(), elevation.to_radians());
        let backward = Vec3::new(
            azimuth.sin() * elevation.cos(), //
            elevation.sin(),
            azimuth.cos() * elevation.cos(),
        );
        let right = Vec3::y().cross(&backward).normalize();
        let up = backward.cross(&right);

        // In the eye's axes, with t the tangent of half the opening, a point (x, y, z) is left of the right border if
        // x − eₓ ≤ t (e_z − z). Each border is one linear bound on the eye's place e; the tightest of each gives e.
        let t_up = (FIELD_OF_VIEW / 2.0).to_radians().tan() * (1.0 - MARGIN);
        let t_right = t_up * f64::from(width.max(1)) / f64::from(height.max(1));
        let middle = 0.5 * (low + high);
        let mut border = [f64::NEG_INFINITY; 4];
        for ball in &subject.balls {
            let point = ball.center - middle;
            let (x, y, z) = (point.dot(&right), point.dot(&up), point.dot(&backward));
            let sides = [(x, t_right), (-x, t_right), (y, t_up), (-y, t_up)];
            for (bound, (offset, t)) in border.iter_mut().zip(sides) {
                *bound = bound.max(offset + t * z + ball.radius * (1.0 + t * t).sqrt());
            }
        }
        let depth_for_width = (border[0] + border[1]) / (2.0 * t_right);
        let depth_for_height = (border[2] + border[3]) / (2.0 * t_up);
        // A single point has no size: stand a little off it.
        let smallest = 1e-9 * (1.0 + middle.amax());
        let depth = depth_for_width.max(depth_for_height).max(smallest);
        let across = right * (0.5 * (border[0] - border[1])) + up * (0.5 * (border[2] - border[3]));
        let from = middle + across + backward * depth;
        Camera { from, to: middle + across, up: Vec3::y(), field_of_view: FIELD_OF_VIEW }
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
    right: Vec3,
    /// Toward the upper border of the picture, as long as the border is far at unit depth.
    up: Vec3,
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
    use craze_frame::{BodyFrame, Particles};

    fn cloud(positions: Vec<Vec3>, radius: f64) -> Frame {
        let particles = Particles { positions, radius, ..Particles::default() };
        let body = BodyFrame { particles: Some(particles), ..BodyFrame::default() };
        Frame { bodies: vec![body], ..Frame::default() }
    }

    #[test]
    fn everything_lies_inside_the_borders_and_touches_one() {
        let corners: Vec<Vec3> = (0..8)
            .map(|i| Vec3::new(f64::from(i & 1), 3.0 * f64::from(i >> 1 & 1), f64::from(i >> 2)) * 1e-3)
            .collect();
        let camera = Camera::framing(&[&cloud(corners.clone(), 0.0)], 320, 180);
        camera.check().unwrap();
        let eye = Eye::new(&camera, camera.from, 320, 180);
        let mut farthest: f64 = 0.0;
        for corner in corners {
            let ray = corner - eye.position;
            let depth = ray.dot(&eye.forward);
            assert!(depth > 0.0);
            let x = ray.dot(&eye.right) / eye.right.norm_squared() / depth;
            let y = ray.dot(&eye.up) / eye.up.norm_squared() / depth;
            farthest = farthest.max(x.abs()).max(y.abs());
        }
        assert!((farthest - (1.0 - MARGIN)).abs() < 1e-9, "{farthest}");
    }

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

    #[test]
    fn nothing_to_see_still_gives_a_camera() {
        Camera::framing(&[], 10, 10).check().unwrap();
        Camera::framing(&[&cloud(vec![Vec3::repeat(f64::NAN)], 1.0)], 10, 10).check().unwrap();
        Camera::framing(&[&cloud(vec![Vec3::repeat(5.0)], 0.0)], 10, 10).check().unwrap();
    }
}
