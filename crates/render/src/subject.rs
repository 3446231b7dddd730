//! Subject of a picture: the points that the camera must show, without stray fragments.

use craze_frame::{BodyFrame, Frame, ObstacleShape, names};
use craze_math::Vec3;

/// Share of the bodies' area in the core, whose radius defines strays (1).
const CORE_SHARE: f64 = 0.9;
/// Distance beyond which pieces are strays, in radii of the core (1).
const STRAY_DISTANCE: f64 = 2.5;
/// Obstacles count within the bodies' bounds, widened by this share of their diagonal (1).
const OBSTACLE_MARGIN: f64 = 0.25;

/// A ball that the camera must show.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ball {
    /// Centre (m).
    pub center: Vec3,
    /// Radius (m); 0 for a vertex.
    pub radius: f64,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Subject {
    /// Vertices and particles.
    pub balls: Vec<Ball>,
}

/// One piece of one body.
#[derive(Clone, Default)]
struct Cluster {
    balls: Vec<Ball>,
    /// Sum of weight × position.
    moment: Vec3,
    /// Area of triangles, or of discs for particles (m²).
    weight: f64,
}

/// Content that a picture must show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Content {
    /// All pieces but strays, and nearby obstacles.
    WithObstacles,
    /// All pieces but strays.
    Bodies,
    /// The innermost pieces of each frame with this share (0 to 1) of the bodies' area.
    Core(f64),
}

impl Subject {
    /// Subject of several frames.
    pub fn of(frames: &[&Frame], content: Content) -> Subject {
        let mut balls: Vec<Ball> = frames.iter().flat_map(|frame| core_balls(frame, content)).collect();
        let nothing_else = balls.is_empty();
        if content == Content::WithObstacles || nothing_else {
            let (low, high) = bounds(&balls).unwrap_or((Vec3::zeros(), Vec3::zeros()));
            let reach = OBSTACLE_MARGIN * (high - low).norm();
            for obstacle in frames.iter().flat_map(|frame| &frame.obstacles) {
                let ObstacleShape::Surface(surface) = &obstacle.shape else { continue };
                for &center in surface.positions.iter().filter(|p| is_finite(p)) {
                    let near = center.sup(&low.add_scalar(-reach)).inf(&high.add_scalar(reach));
                    balls.push(Ball { center: if nothing_else { center } else { near }, radius: 0.0 });
                }
            }
        }
        Subject { balls }
    }

    /// Axis-aligned bounds (m); `None` if empty.
    pub fn bounds(&self) -> Option<(Vec3, Vec3)> {
        bounds(&self.balls)
    }
}

/// Centre of the bodies (m): area-weighted mean of their surfaces without crack faces, so that it
/// does not jump when cracks open; of particles if there is no surface. `None` without area.
pub(crate) fn center(frame: &Frame) -> Option<Vec3> {
    let (mut moment, mut weight) = (Vec3::zeros(), 0.0);
    for body in &frame.bodies {
        let surface = &body.surface;
        let cracks = surface.face_attributes.indices(names::CRACK).unwrap_or(&[]);
        let outer = |index: usize| cracks.get(index).is_none_or(|&crack| crack == 0);
        for (_, triangle) in surface.triangles.iter().enumerate().filter(|(index, _)| outer(*index)) {
            let Some([a, b, c]) = corners(&surface.positions, triangle) else { continue };
            let area = 0.5 * (b - a).cross(&(c - a)).norm();
            moment += (a + b + c) / 3.0 * area;
            weight += area;
        }
        let particles = body.particles.as_ref().filter(|_| surface.triangles.is_empty());
        for center in particles.iter().flat_map(|particles| &particles.positions).filter(|p| is_finite(p)) {
            let radius = particles.map_or(0.0, |particles| particles.radius);
            let area = std::f64::consts::PI * radius * radius;
            moment += center * area;
            weight += area;
        }
    }
    (weight > 0.0).then(|| moment / weight).filter(is_finite)
}

/// Returns true if all coordinates are finite, with room for squares and cubes of lengths.
pub(crate) fn is_finite(point: &Vec3) -> bool {
    point.iter().all(|x| x.abs() < 1e90)
}

fn bounds(balls: &[Ball]) -> Option<(Vec3, Vec3)> {
    let first = balls.first()?;
    Some(balls.iter().fold((first.center, first.center), |(low, high), ball| {
        (low.inf(&ball.center.add_scalar(-ball.radius)), high.sup(&ball.center.add_scalar(ball.radius)))
    }))
}

/// Balls of the selected pieces of a frame.
fn core_balls(frame: &Frame, content: Content) -> Vec<Ball> {
    let clusters: Vec<Cluster> =
        frame.bodies.iter().flat_map(clusters).filter(|cluster| !cluster.balls.is_empty()).collect();
    let total: f64 = clusters.iter().map(|cluster| cluster.weight).sum();
    if total.is_nan() || total <= 0.0 {
        return clusters.into_iter().flat_map(|cluster| cluster.balls).collect();
    }
    let centers: Vec<Vec3> = clusters.iter().map(Cluster::center).collect();
    let middle = Vec3::from_fn(|axis, _| {
        weighted_quantile(clusters.iter().zip(&centers).map(|(c, center)| (center[axis], c.weight)), 0.5 * total)
    });
    let extents: Vec<f64> = clusters.iter().map(|cluster| cluster.extent(&middle)).collect();
    let quantile =
        |share: f64| weighted_quantile(clusters.iter().zip(&extents).map(|(c, &e)| (e, c.weight)), share * total);
    let farthest = match content {
        Content::WithObstacles | Content::Bodies => STRAY_DISTANCE * quantile(CORE_SHARE),
        Content::Core(share) => quantile(share),
    };
    let kept = clusters.into_iter().zip(extents).filter(|(_, extent)| *extent <= farthest);
    kept.flat_map(|(cluster, _)| cluster.balls).collect()
}

impl Cluster {
    fn center(&self) -> Vec3 {
        if self.weight > 0.0 {
            self.moment / self.weight
        } else {
            self.balls.first().map_or(Vec3::zeros(), |b| b.center)
        }
    }

    /// Distance from a point to the farthest point of the piece (m).
    fn extent(&self, point: &Vec3) -> f64 {
        self.balls.iter().map(|ball| (ball.center - point).norm() + ball.radius).fold(0.0, f64::max)
    }
}

fn weighted_quantile(values: impl Iterator<Item = (f64, f64)>, weight: f64) -> f64 {
    let mut values: Vec<(f64, f64)> = values.collect();
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut sum = 0.0;
    for &(value, share) in &values {
        sum += share;
        if sum >= weight {
            return value;
        }
    }
    values.last().map_or(0.0, |&(value, _)| value)
}

/// Pieces of a body by their attribute; one without it.
fn clusters(body: &BodyFrame) -> Vec<Cluster> {
    let mut clusters = vec![Cluster::default(); body.pieces.len().max(1)];
    let last = clusters.len() - 1;
    let surface = &body.surface;
    let pieces = surface.face_attributes.indices(names::PIECE).unwrap_or(&[]);
    let mut seen = vec![false; surface.positions.len()];
    for (index, triangle) in surface.triangles.iter().enumerate() {
        let Some([a, b, c]) = corners(&surface.positions, triangle) else { continue };
        let cluster = &mut clusters[pieces.get(index).map_or(0, |&piece| piece as usize).min(last)];
        for (&vertex, center) in triangle.iter().zip([a, b, c]) {
            if !std::mem::replace(&mut seen[vertex as usize], true) {
                cluster.balls.push(Ball { center, radius: 0.0 });
            }
        }
        let area = 0.5 * (b - a).cross(&(c - a)).norm();
        cluster.weight += area;
        cluster.moment += (a + b + c) / 3.0 * area;
    }
    let particles = body.particles.as_ref().filter(|_| surface.triangles.is_empty());
    if let Some(particles) = particles.filter(|particles| particles.radius.is_finite()) {
        let radius = particles.radius.max(0.0);
        let pieces = particles.attributes.indices(names::PIECE).unwrap_or(&[]);
        for (index, &center) in particles.positions.iter().enumerate().filter(|(_, p)| is_finite(p)) {
            let cluster = &mut clusters[pieces.get(index).map_or(0, |&piece| piece as usize).min(last)];
            cluster.balls.push(Ball { center, radius });
            let area = std::f64::consts::PI * radius * radius;
            cluster.weight += area;
            cluster.moment += center * area;
        }
    }
    clusters
}

/// Corners of a triangle, if all indices and coordinates are valid.
pub(crate) fn corners(positions: &[Vec3], triangle: &[u32; 3]) -> Option<[Vec3; 3]> {
    let corner = |index: u32| positions.get(index as usize).copied().filter(is_finite);
    Some([corner(triangle[0])?, corner(triangle[1])?, corner(triangle[2])?])
}
