//! Automatic camera: the bodies fit into the picture and fill it.

use craze_frame::Frame;
use craze_math::Vec3;

use crate::camera::{Camera, Tracking};
use crate::settings::Settings;
use crate::silhouette::Silhouette;
use crate::subject::{Ball, Content, Subject, center};
use crate::tuning::{
    COVERAGE_RAYS, FIELD_OF_VIEW, MARGIN, MAX_MARGIN, MIN_COVERAGE, MIN_FIRST_COVERAGE, MIN_TRACKING_GAIN,
    PULL_BACK_STEPS, SMALL_MARGIN, TARGET_COVERAGE,
};

/// Content to fit, largest first. Pieces outside of it may be cut at the border.
const CONTENT_CANDIDATES: [Content; 4] =
    [Content::Bodies, Content::Core(0.95), Content::Core(0.85), Content::Core(0.7)];
/// Fallback directions: azimuth and elevation (degrees). Those near the horizon foreshorten long
/// objects. None looks from behind, where letters are mirrored.
const DIRECTIONS: [[f64; 2]; 10] = [
    [32.0, 30.0],
    [58.0, 24.0],
    [12.0, 18.0],
    [78.0, 18.0],
    [66.0, 6.0],
    [75.0, 5.0],
    [24.0, 6.0],
    [45.0, 45.0],
    [-58.0, 24.0],
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
    /// obstacles, and stands still.
    ///
    /// Pieces far from the rest are ignored. The view faces the broader side, from higher up if the
    /// scene is flat. If bodies cover less than a quarter of the picture in a frame after the
    /// first, other cameras are tried: without obstacles, from other directions, closer to the
    /// central pieces of each frame. If none covers a quarter, the one that covers most is taken.
    /// No piece in the centre is cut at the border. An empty scene gives a view of the origin.
    pub fn framing(frames: &[&Frame], width: u32, height: u32) -> Camera {
        Search::new(frames, width, height).map_or_else(default_camera, |search| search.still().camera)
    }

    /// The camera of [`Camera::framing`], or one that tracks the bodies if they travel so far that
    /// they would be small for a camera that stands still.
    pub(crate) fn tracking(frames: &[&Frame], width: u32, height: u32) -> (Camera, Tracking) {
        let Some(search) = Search::new(frames, width, height) else { return (default_camera(), Tracking::Off) };
        let still = search.still();
        if still.share >= MIN_COVERAGE || still.share == 0.0 {
            return (still.camera, Tracking::Off);
        }
        let Some((search, center)) = search.centered() else { return (still.camera, Tracking::Off) };
        match search.closer(Candidate { share: MIN_TRACKING_GAIN * still.share, ..still }) {
            Some(tracking) => (tracking.camera, Tracking::Bodies { center }),
            None => (still.camera, Tracking::Off),
        }
    }
}

/// Camera for an empty scene.
fn default_camera() -> Camera {
    Camera { from: Vec3::new(2.0, 1.5, 3.0), to: Vec3::zeros(), up: Vec3::y(), field_of_view: FIELD_OF_VIEW }
}

/// A camera and the smallest coverage (1) of the frames after the first.
#[derive(Clone, Copy)]
struct Candidate {
    camera: Camera,
    share: f64,
}

/// Search for the camera with the best coverage.
struct Search<'a> {
    frames: Vec<Shown<'a>>,
    /// Sides of the picture (pixels).
    size: (u32, u32),
}

/// A frame and the displacement of the camera in it.
struct Shown<'a> {
    frame: &'a Frame,
    /// Displacement since the first frame (m).
    moved: Vec3,
    /// `None` if the frame cannot be drawn; the error is reported when the picture is rendered.
    silhouette: Option<Silhouette>,
}

impl<'a> Search<'a> {
    /// `None` if the scene is empty.
    fn new(frames: &[&'a Frame], width: u32, height: u32) -> Option<Search<'a>> {
        Subject::of(frames, Content::WithObstacles).bounds()?;
        let frames = frames.iter().map(|&frame| {
            let silhouette = Silhouette::new(frame, &Settings::default(), &default_camera()).ok();
            Shown { frame, moved: Vec3::zeros(), silhouette }
        });
        Some(Search { frames: frames.collect(), size: (width, height) })
    }

    /// The search for a camera that tracks the bodies, and their centre in the first frame (m).
    /// `None` if a frame has no body.
    fn centered(mut self) -> Option<(Search<'a>, Vec3)> {
        let first = center(self.frames.first()?.frame)?;
        for shown in &mut self.frames {
            shown.moved = center(shown.frame)? - first;
        }
        Some((self, first))
    }

    /// Best camera that stands still.
    fn still(&self) -> Candidate {
        let frames: Vec<&Frame> = self.frames.iter().map(|shown| shown.frame).collect();
        let subject = Subject::of(&frames, Content::WithObstacles);
        let camera = View::default_for(&subject).fitting(&subject, self.aspect(), MARGIN);
        let (_, share) = self.shares(&camera, 0.0);
        let wide = Candidate { camera, share };
        if share == 0.0 || share >= TARGET_COVERAGE { wide } else { self.closer(wide).unwrap_or(wide) }
    }

    /// The first camera that reaches [`TARGET_COVERAGE`], or else the one with the largest
    /// coverage, if it is better than `than`.
    fn closer(&self, than: Candidate) -> Option<Candidate> {
        let min_first_share = self.share_of(self.frames.first()?, &than.camera).min(MIN_FIRST_COVERAGE);
        let mut best = None;
        let mut best_share = than.share;
        for content in CONTENT_CANDIDATES {
            let balls = self.frames.iter().flat_map(|shown| {
                let balls = Subject::of(&[shown.frame], content).balls;
                balls.into_iter().map(|ball| Ball { center: ball.center - shown.moved, ..ball })
            });
            let subject = Subject { balls: balls.collect() };
            let views = DIRECTIONS.map(|[azimuth, elevation]| View { azimuth, elevation });
            for view in std::iter::once(View::default_for(&subject)).chain(views) {
                let camera = view.fitting(&subject, self.aspect(), SMALL_MARGIN);
                let (at_first, share) = self.shares(&camera, best_share);
                if share <= best_share || at_first < min_first_share {
                    continue;
                }
                if share >= TARGET_COVERAGE {
                    let camera = self.pull_back(view, &subject, min_first_share);
                    return Some(Candidate { camera, share });
                }
                best_share = share;
                best = Some(Candidate { camera, share });
            }
        }
        best
    }

    /// Moves the camera back along the view as far as bodies still cover [`TARGET_COVERAGE`].
    fn pull_back(&self, view: View, subject: &Subject, min_first_share: f64) -> Camera {
        let (mut near, mut far) = (SMALL_MARGIN, MAX_MARGIN);
        for _ in 0..PULL_BACK_STEPS {
            let middle = 0.5 * (near + far);
            let (at_first, share) = self.shares(&view.fitting(subject, self.aspect(), middle), TARGET_COVERAGE);
            if share >= TARGET_COVERAGE && at_first >= min_first_share { near = middle } else { far = middle }
        }
        view.fitting(subject, self.aspect(), near)
    }

    /// Coverage (1) of the first frame, and the smallest of the later ones, or of the only one.
    /// Stops at the first below `least`.
    fn shares(&self, camera: &Camera, least: f64) -> (f64, f64) {
        let Some((first, later)) = self.frames.split_first() else { return (0.0, 0.0) };
        let at_first = self.share_of(first, camera);
        let mut share = if later.is_empty() { at_first } else { f64::INFINITY };
        for shown in later.iter().rev() {
            share = share.min(self.share_of(shown, camera));
            if share < least {
                break;
            }
        }
        (at_first, share)
    }

    fn share_of(&self, shown: &Shown, camera: &Camera) -> f64 {
        shown
            .silhouette
            .as_ref()
            .map_or(0.0, |silhouette| silhouette.share(&camera.translated(shown.moved), self.size, COVERAGE_RAYS))
    }

    /// Width over height of the picture.
    fn aspect(&self) -> f64 {
        f64::from(self.size.0.max(1)) / f64::from(self.size.1.max(1))
    }
}

impl View {
    /// Default view of a subject.
    fn default_for(subject: &Subject) -> View {
        let (low, high) = subject.bounds().unwrap_or_default();
        let size = high - low;
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
