//! Automatic camera: the bodies fit into the picture and fill it.

use craze_frame::Frame;
use craze_math::Vec3;

use crate::camera::Camera;
use crate::settings::Settings;
use crate::silhouette::Silhouette;
use crate::subject::{Content, Subject};
use crate::tuning::{
    COVERAGE_RAYS, FIELD_OF_VIEW, MARGIN, MAX_MARGIN, MIN_COVERAGE, MIN_FIRST_COVERAGE, PULL_BACK_STEPS, SMALL_MARGIN,
    TARGET_COVERAGE,
};

/// Content to fit, largest first, with the margin. Negative margins cut off the outermost parts.
const CONTENT_CANDIDATES: [(Content, f64); 7] = [
    (Content::Bodies, SMALL_MARGIN),
    (Content::Core(0.95), SMALL_MARGIN),
    (Content::Core(0.85), SMALL_MARGIN),
    (Content::Core(0.7), SMALL_MARGIN),
    (Content::Core(0.5), SMALL_MARGIN),
    (Content::Core(0.7), -0.2),
    (Content::Core(0.5), -0.4),
];
/// Fallback directions: azimuth and elevation (degrees). Those near the horizon foreshorten long
/// objects.
const DIRECTIONS: [[f64; 2]; 10] = [
    [32.0, 30.0],
    [58.0, 24.0],
    [12.0, 18.0],
    [78.0, 18.0],
    [66.0, 6.0],
    [75.0, 5.0],
    [24.0, 6.0],
    [45.0, 45.0],
    [148.0, 24.0],
    [32.0, 65.0],
];

/// View direction.
#[derive(Clone, Copy)]
struct View {
    /// Angle around the vertical, from z toward x (degrees).
    azimuth: f64,
    /// Angle above the horizon (degrees).
    elevation: f64,
}

impl Camera {
    /// A three-quarter view from above, y up, that shows the bodies of all frames and nearby
    /// obstacles.
    ///
    /// Pieces far from the rest are ignored. The view faces the broader side, from higher up if the
    /// scene is flat. If bodies cover less than a quarter of the picture in a frame after the
    /// first, other cameras are tried: without obstacles, from other directions, closer to the
    /// central pieces of each frame, and last without the first frame, in which bodies may still be
    /// approaching. If none covers a quarter, the one that covers most is taken. An empty scene
    /// gives a view of the origin.
    pub fn framing(frames: &[&Frame], width: u32, height: u32) -> Camera {
        let aspect = f64::from(width.max(1)) / f64::from(height.max(1));
        let first = Subject::of(frames, Content::WithObstacles);
        let Some((low, high)) = first.bounds() else {
            return Camera {
                from: Vec3::new(2.0, 1.5, 3.0),
                to: Vec3::zeros(),
                up: Vec3::y(),
                field_of_view: FIELD_OF_VIEW,
            };
        };
        let default_view = View::default_for(&(high - low));
        let wide = default_view.fitting(&first, aspect, MARGIN);
        let silhouettes: Result<Vec<Silhouette>, _> =
            frames.iter().map(|frame| Silhouette::new(frame, &Settings::default(), &wide)).collect();
        // Errors are reported when the picture is rendered.
        let Ok(silhouettes) = silhouettes else { return wide };
        let shares = |camera: &Camera| -> (f64, f64) {
            let share = |silhouette: &Silhouette| silhouette.share(camera, (width, height), COVERAGE_RAYS);
            let later = silhouettes.iter().skip(usize::from(frames.len() > 1)).map(share);
            (silhouettes.first().map_or(0.0, share), later.fold(f64::INFINITY, f64::min))
        };
        let (first_share, least) = shares(&wide);
        let mut best = (least, wide);
        if least == 0.0 || least >= TARGET_COVERAGE {
            return wide;
        }
        let min_first_share = MIN_FIRST_COVERAGE.min(first_share);
        let later = if frames.len() > 1 { &frames[1..] } else { frames };
        // First all frames with nothing cut off, then without the first frame.
        let whole = CONTENT_CANDIDATES.iter().filter(|(_, margin)| *margin > 0.0).map(|content| (frames, content));
        for (frames, &(content, margin)) in whole.chain(CONTENT_CANDIDATES.iter().map(|content| (later, content))) {
            if margin < 0.0 && best.0 >= MIN_COVERAGE {
                break;
            }
            let subject = Subject::of(frames, content);
            let views = DIRECTIONS.map(|[azimuth, elevation]| View { azimuth, elevation });
            for view in std::iter::once(default_view).chain(views) {
                let camera = view.fitting(&subject, aspect, margin);
                let (at_first, share) = shares(&camera);
                if at_first < min_first_share {
                    continue;
                }
                if share >= TARGET_COVERAGE {
                    return pull_back(view, &subject, aspect, margin, min_first_share, &shares);
                }
                if share > best.0 {
                    best = (share, camera);
                }
            }
        }
        best.1
    }
}

/// Moves the camera back along the view as far as bodies still cover [`TARGET_COVERAGE`].
fn pull_back(
    view: View,
    subject: &Subject,
    aspect: f64,
    margin: f64,
    min_first_share: f64,
    shares: &dyn Fn(&Camera) -> (f64, f64),
) -> Camera {
    let (mut near, mut far) = (margin, MAX_MARGIN);
    for _ in 0..PULL_BACK_STEPS {
        let middle = 0.5 * (near + far);
        let (at_first, share) = shares(&view.fitting(subject, aspect, middle));
        if share >= TARGET_COVERAGE && at_first >= min_first_share { near = middle } else { far = middle }
    }
    view.fitting(subject, aspect, near)
}

impl View {
    /// Default view for a bounding box of this size (m).
    fn default_for(size: &Vec3) -> View {
        let flatness = 1.0 - (size.y / size.x.max(size.z).max(f64::MIN_POSITIVE)).min(1.0);
        View { azimuth: if size.z > 1.3 * size.x { 58.0 } else { 32.0 }, elevation: 16.0 + 16.0 * flatness }
    }

    /// The closest camera that shows the subject, which is not empty, with this margin.
    fn fitting(self, subject: &Subject, aspect: f64, margin: f64) -> Camera {
        let (azimuth, elevation) = (self.azimuth.to_radians(), self.elevation.to_radians());
        let backward = Vec3::new(
            azimuth.sin() * elevation.cos(), //
            elevation.sin(),
            azimuth.cos() * elevation.cos(),
        );
        let right = Vec3::y().cross(&backward).normalize();
        let up = backward.cross(&right);

        // In camera axes, with t the tangent of half the field of view, a point (x, y, z) is left
        // of the right border if x − eₓ ≤ t (e_z − z). Each border bounds the camera position e
        // linearly; the tightest bounds determine e.
        let t_up = (FIELD_OF_VIEW / 2.0).to_radians().tan() * (1.0 - margin);
        let t_right = t_up * aspect;
        let (low, high) = subject.bounds().unwrap_or_default();
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
        // A single point has no size: keep a small distance.
        let smallest = 1e-9 * (1.0 + middle.amax());
        let depth = depth_for_width.max(depth_for_height).max(smallest);
        let across = right * (0.5 * (border[0] - border[1])) + up * (0.5 * (border[2] - border[3]));
        let from = middle + across + backward * depth;
        Camera { from, to: middle + across, up: Vec3::y(), field_of_view: FIELD_OF_VIEW }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::RayCamera;
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
        let eye = RayCamera::new(&camera, camera.from, 320, 180);
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
    fn nothing_to_see_still_gives_a_camera() {
        Camera::framing(&[], 10, 10).check().unwrap();
        Camera::framing(&[&cloud(vec![Vec3::repeat(f64::NAN)], 1.0)], 10, 10).check().unwrap();
        Camera::framing(&[&cloud(vec![Vec3::repeat(5.0)], 0.0)], 10, 10).check().unwrap();
    }
}
