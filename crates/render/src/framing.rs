//! A camera that finds its place by itself: near enough that the bodies fill the picture, far enough that they fit.

use craze_frame::Frame;
use craze_math::Vec3;

use crate::camera::{Camera, Tracking};
use crate::settings::Settings;
use crate::silhouette::Silhouette;
use crate::subject::{Ball, Held, Subject, center};

/// Share of the picture (1) that bodies are to cover: a quarter, and somewhat more because frames between those that are looked at differ.
const COVERED: f64 = 0.29;
/// Share of the picture (1) with which the camera stays where it is: a quarter, and the error of measuring it with few rays.
const ENOUGH: f64 = 0.26;
/// Where a quarter cannot be covered, the camera tracks the bodies if they then cover this many times as much (1).
const TRACKING_GAIN: f64 = 1.25;
/// Share of the first frame's picture (1) that bodies cover in any case, or as much as they do if everything is held.
const AT_FIRST: f64 = 0.04;
/// Rays from which a candidate's silhouette is measured.
const RAYS: f64 = 900.0;
/// Share of the picture's half width and height that stays free around the subject, if the picture is well covered then,
const MARGIN: f64 = 0.14;
/// and otherwise.
const SMALL_MARGIN: f64 = 0.04;
/// Largest margin that a camera is pulled back to, and by how many halvings it is found.
const FARTHEST_MARGIN: f64 = 0.7;
const PULL_BACK_STEPS: usize = 6;
/// What is held where the picture would be too empty otherwise, the most first. A single piece is never cut.
const HELD: [Held; 4] = [Held::Bodies, Held::Core(0.95), Held::Core(0.85), Held::Core(0.7)];
/// Vertical opening of a camera that frames by itself (degrees): long enough a lens that verticals stay calm.
const FIELD_OF_VIEW: f64 = 28.0;
/// Directions that are tried if the usual one leaves the picture too empty: azimuth and elevation (degrees).
/// Those near the horizon foreshorten what is long. None looks from behind, where letters are mirrored.
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

/// From where the eye looks at the subject.
#[derive(Clone, Copy)]
struct View {
    /// Angle around the vertical, from z toward x (degrees).
    azimuth: f64,
    /// Angle above the horizon (degrees).
    elevation: f64,
}

impl Camera {
    /// A three-quarter view from above, y up, that holds the bodies of all these frames and the obstacles near them, and stands still.
    ///
    /// Pieces that flew far from the rest are left out. Looks at the broader side; from higher up if things lie flat. If bodies then cover less than a
    /// quarter of the picture in a frame after the first, the camera comes nearer: first to the bodies without obstacles, then from directions in which
    /// they look larger, then to the pieces in the middle of each frame. Where no such camera covers a quarter, the one that covers most is taken.
    /// Nothing to see gives a view of the origin.
    pub fn framing(frames: &[&Frame], width: u32, height: u32) -> Camera {
        Search::new(frames, width, height).map_or_else(of_nothing, |search| search.still().camera)
    }

    /// The camera of [`Camera::framing`], or one that moves with the bodies if they cover more of the picture then: what falls ten times its own height
    /// would be a tenth of the picture high for a camera that stands still.
    pub(crate) fn tracking(frames: &[&Frame], width: u32, height: u32) -> (Camera, Tracking) {
        let Some(search) = Search::new(frames, width, height) else { return (of_nothing(), Tracking::Off) };
        let still = search.still();
        if still.share >= ENOUGH || still.share == 0.0 {
            return (still.camera, Tracking::Off);
        }
        let Some((search, center)) = search.centered() else { return (still.camera, Tracking::Off) };
        match search.closer(Candidate { share: TRACKING_GAIN * still.share, ..still }) {
            Some(tracking) => (tracking.camera, Tracking::Bodies { center }),
            None => (still.camera, Tracking::Off),
        }
    }
}

/// The camera for frames without anything to see.
fn of_nothing() -> Camera {
    Camera { from: Vec3::new(2.0, 1.5, 3.0), to: Vec3::zeros(), up: Vec3::y(), field_of_view: FIELD_OF_VIEW }
}

/// A camera and the least share of the picture (1) that bodies cover in the frames after the first.
#[derive(Clone, Copy)]
struct Candidate {
    camera: Camera,
    share: f64,
}

/// Cameras for some frames are compared by their silhouettes.
struct Search<'a> {
    frames: Vec<Shown<'a>>,
    /// Sides of the picture (pixels).
    size: (u32, u32),
}

/// A frame, and how far a camera that tracks the bodies has moved in it.
struct Shown<'a> {
    frame: &'a Frame,
    /// From the first frame (m).
    moved: Vec3,
    /// `None` if the frame cannot be drawn, which is refused when the picture is made.
    silhouette: Option<Silhouette>,
}

impl<'a> Search<'a> {
    /// `None` if there is nothing to see.
    fn new(frames: &[&'a Frame], width: u32, height: u32) -> Option<Search<'a>> {
        Subject::of(frames, Held::WithObstacles).bounds()?;
        let frames = frames.iter().map(|&frame| {
            let silhouette = Silhouette::new(frame, &Settings::default(), &of_nothing()).ok();
            Shown { frame, moved: Vec3::zeros(), silhouette }
        });
        Some(Search { frames: frames.collect(), size: (width, height) })
    }

    /// The search for a camera that moves with the centre of the bodies, and this centre in the first frame (m). `None` if a frame has no body.
    fn centered(mut self) -> Option<(Search<'a>, Vec3)> {
        let first = center(self.frames.first()?.frame)?;
        for shown in &mut self.frames {
            shown.moved = center(shown.frame)? - first;
        }
        Some((self, first))
    }

    /// The camera that stands still.
    fn still(&self) -> Candidate {
        let frames: Vec<&Frame> = self.frames.iter().map(|shown| shown.frame).collect();
        let subject = Subject::of(&frames, Held::WithObstacles);
        let camera = View::usual(&subject).holding(&subject, self.aspect(), MARGIN);
        let (_, share) = self.shares(&camera, 0.0);
        let wide = Candidate { camera, share };
        if share == 0.0 || share >= COVERED { wide } else { self.closer(wide).unwrap_or(wide) }
    }

    /// The first camera that covers enough, or else the one that covers most, if it covers more than this one.
    fn closer(&self, than: Candidate) -> Option<Candidate> {
        let needed_at_first = self.share_of(self.frames.first()?, &than.camera).min(AT_FIRST);
        let mut best = None;
        let mut best_share = than.share;
        for held in HELD {
            let balls = self.frames.iter().flat_map(|shown| {
                let balls = Subject::of(&[shown.frame], held).balls;
                balls.into_iter().map(|ball| Ball { center: ball.center - shown.moved, ..ball })
            });
            let subject = Subject { balls: balls.collect() };
            let views = DIRECTIONS.map(|[azimuth, elevation]| View { azimuth, elevation });
            for view in std::iter::once(View::usual(&subject)).chain(views) {
                let camera = view.holding(&subject, self.aspect(), SMALL_MARGIN);
                let (at_first, share) = self.shares(&camera, best_share);
                if share <= best_share || at_first < needed_at_first {
                    continue;
                }
                if share >= COVERED {
                    let camera = self.pulled_back(view, &subject, needed_at_first);
                    return Some(Candidate { camera, share });
                }
                best_share = share;
                best = Some(Candidate { camera, share });
            }
        }
        best
    }

    /// The camera that covers just enough of the picture along this view: one that holds the middle of the bodies closely
    /// enough to cover [`COVERED`] may cut off more at the borders than is needed.
    fn pulled_back(&self, view: View, subject: &Subject, needed_at_first: f64) -> Camera {
        let (mut near, mut far) = (SMALL_MARGIN, FARTHEST_MARGIN);
        for _ in 0..PULL_BACK_STEPS {
            let middle = 0.5 * (near + far);
            let (at_first, share) = self.shares(&view.holding(subject, self.aspect(), middle), COVERED);
            if share >= COVERED && at_first >= needed_at_first { near = middle } else { far = middle }
        }
        view.holding(subject, self.aspect(), near)
    }

    /// Shares of the picture (1) that bodies cover in the first frame, and the least in those after it, or in the only one. Frames are left out if there is one below `least`.
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
            .map_or(0.0, |silhouette| silhouette.share(&camera.moved(shown.moved), self.size, RAYS))
    }

    /// Width over height of the picture.
    fn aspect(&self) -> f64 {
        f64::from(self.size.0.max(1)) / f64::from(self.size.1.max(1))
    }
}

impl View {
    /// The view at the broader side of the subject, from higher up the flatter it is.
    fn usual(subject: &Subject) -> View {
        let (low, high) = subject.bounds().unwrap_or_default();
        let size = high - low;
        let flatness = 1.0 - (size.y / size.x.max(size.z).max(f64::MIN_POSITIVE)).min(1.0);
        View { azimuth: if size.z > 1.3 * size.x { 58.0 } else { 32.0 }, elevation: 16.0 + 16.0 * flatness }
    }

    /// The camera that is as near as it can be while the subject stays inside the picture with this margin. The subject is not empty.
    fn holding(self, subject: &Subject, aspect: f64, margin: f64) -> Camera {
        let (azimuth, elevation) = (self.azimuth.to_radians(), self.elevation.to_radians());
        let backward = Vec3::new(
            azimuth.sin() * elevation.cos(), //
            elevation.sin(),
            azimuth.cos() * elevation.cos(),
        );
        let right = Vec3::y().cross(&backward).normalize();
        let up = backward.cross(&right);

        // In the eye's axes, with t the tangent of half the opening, a point (x, y, z) is left of the right border if
        // x − eₓ ≤ t (e_z − z). Each border is one linear bound on the eye's place e; the tightest of each gives e.
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
        // A single point has no size: stand a little off it.
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
    use crate::camera::Eye;
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
    fn nothing_to_see_still_gives_a_camera() {
        Camera::framing(&[], 10, 10).check().unwrap();
        Camera::framing(&[&cloud(vec![Vec3::repeat(f64::NAN)], 1.0)], 10, 10).check().unwrap();
        Camera::framing(&[&cloud(vec![Vec3::repeat(5.0)], 0.0)], 10, 10).check().unwrap();
    }
}
