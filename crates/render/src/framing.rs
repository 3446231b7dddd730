//! A camera that finds its place by itself: near enough that the bodies fill the picture, far enough that they fit.

use craze_frame::Frame;
use craze_math::Vec3;

use crate::camera::Camera;
use crate::settings::Settings;
use crate::silhouette::Silhouette;
use crate::subject::{Held, Subject};

/// Share of the picture (1) that bodies are to cover: a quarter, and somewhat more because frames between those that are looked at differ.
const COVERED: f64 = 0.29;
/// Share of the picture (1) with which nothing is cut off for the sake of more: a quarter, and what measuring by few rays may be off.
const ENOUGH: f64 = 0.26;
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
/// What is held where the picture would be too empty otherwise, the most first, and the margin: at last what reaches farthest is cut off.
const HELD: [(Held, f64); 7] = [
    (Held::Bodies, SMALL_MARGIN),
    (Held::Core(0.95), SMALL_MARGIN),
    (Held::Core(0.85), SMALL_MARGIN),
    (Held::Core(0.7), SMALL_MARGIN),
    (Held::Core(0.5), SMALL_MARGIN),
    (Held::Core(0.7), -0.2),
    (Held::Core(0.5), -0.4),
];
/// Vertical opening of a camera that frames by itself (degrees): long enough a lens that verticals stay calm.
const FIELD_OF_VIEW: f64 = 28.0;
/// Directions that are tried if the usual one leaves the picture too empty: azimuth and elevation (degrees).
/// Those near the horizon foreshorten what is long.
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

/// From where the eye looks at the subject.
#[derive(Clone, Copy)]
struct View {
    /// Angle around the vertical, from z toward x (degrees).
    azimuth: f64,
    /// Angle above the horizon (degrees).
    elevation: f64,
}

impl Camera {
    /// A three-quarter view from above, y up, that holds the bodies of all these frames and the obstacles near them.
    ///
    /// Pieces that flew far from the rest are left out. Looks at the broader side; from higher up if things lie flat. If bodies then cover less than a
    /// quarter of the picture in a frame after the first, the camera comes nearer: first to the bodies without obstacles, then from directions in which
    /// they look larger, then to the pieces in the middle of each frame, and at last without regard to the first frame, in which bodies may yet be on their way.
    /// Where no such camera covers a quarter, the one that covers most is taken. Nothing to see gives a view of the origin.
    pub fn framing(frames: &[&Frame], width: u32, height: u32) -> Camera {
        let aspect = f64::from(width.max(1)) / f64::from(height.max(1));
        let first = Subject::of(frames, Held::WithObstacles);
        let Some((low, high)) = first.bounds() else {
            return Camera {
                from: Vec3::new(2.0, 1.5, 3.0),
                to: Vec3::zeros(),
                up: Vec3::y(),
                field_of_view: FIELD_OF_VIEW,
            };
        };
        let usual = View::usual(&(high - low));
        let wide = usual.holding(&first, aspect, MARGIN);
        let silhouettes: Result<Vec<Silhouette>, _> =
            frames.iter().map(|frame| Silhouette::new(frame, &Settings::default(), &wide)).collect();
        // What cannot be drawn is refused when the picture is made.
        let Ok(silhouettes) = silhouettes else { return wide };
        let shares = |camera: &Camera| -> (f64, f64) {
            let share = |silhouette: &Silhouette| silhouette.share(camera, (width, height), RAYS);
            let later = silhouettes.iter().skip(usize::from(frames.len() > 1)).map(share);
            (silhouettes.first().map_or(0.0, share), later.fold(f64::INFINITY, f64::min))
        };
        let (shown_at_first, least) = shares(&wide);
        let mut best = (least, wide);
        if least == 0.0 || least >= COVERED {
            return wide;
        }
        let needed_at_first = AT_FIRST.min(shown_at_first);
        let later = if frames.len() > 1 { &frames[1..] } else { frames };
        // First all frames, with nothing cut off; then without the first.
        let whole = HELD.iter().filter(|(_, margin)| *margin > 0.0).map(|held| (frames, held));
        for (frames, &(held, margin)) in whole.chain(HELD.iter().map(|held| (later, held))) {
            if margin < 0.0 && best.0 >= ENOUGH {
                break;
            }
            let subject = Subject::of(frames, held);
            let views = DIRECTIONS.map(|[azimuth, elevation]| View { azimuth, elevation });
            for view in std::iter::once(usual).chain(views) {
                let camera = view.holding(&subject, aspect, margin);
                let (at_first, share) = shares(&camera);
                if at_first < needed_at_first {
                    continue;
                }
                if share >= COVERED {
                    return pulled_back(view, &subject, aspect, margin, needed_at_first, &shares);
                }
                if share > best.0 {
                    best = (share, camera);
                }
            }
        }
        best.1
    }
}

/// The camera that covers just enough of the picture along this view: one that holds the middle of the bodies closely
/// enough to cover [`COVERED`] may cut off more at the borders than is needed.
fn pulled_back(
    view: View,
    subject: &Subject,
    aspect: f64,
    margin: f64,
    needed_at_first: f64,
    shares: &dyn Fn(&Camera) -> (f64, f64),
) -> Camera {
    let (mut near, mut far) = (margin, FARTHEST_MARGIN);
    for _ in 0..PULL_BACK_STEPS {
        let middle = 0.5 * (near + far);
        let (at_first, share) = shares(&view.holding(subject, aspect, middle));
        if share >= COVERED && at_first >= needed_at_first { near = middle } else { far = middle }
    }
    view.holding(subject, aspect, near)
}

impl View {
    /// The view at things of this size (m).
    fn usual(size: &Vec3) -> View {
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
