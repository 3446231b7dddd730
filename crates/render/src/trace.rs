//! Which triangle or sphere a ray meets.

use craze_math::Vec3;

/// What a ray met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hit {
    /// Distance along the ray.
    pub distance: f64,
    /// What it is.
    pub item: Item,
}

/// A thing that rays can meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Item {
    /// Index of a triangle and the shares of its second and third corner.
    Triangle(usize, f64, f64),
    /// Index of a sphere.
    Sphere(usize),
}

/// Triangles and spheres in a hierarchy of boxes.
pub(crate) struct Tracer {
    corners: Vec<[Vec3; 3]>,
    balls: Vec<(Vec3, f64)>,
}

impl Tracer {
    pub fn new(corners: Vec<[Vec3; 3]>, balls: Vec<(Vec3, f64)>) -> Tracer {
        Tracer { corners, balls }
    }

    /// The corners of a triangle.
    pub fn corners(&self, triangle: usize) -> &[Vec3; 3] {
        &self.corners[triangle]
    }

    /// Centre and radius of a sphere.
    pub fn ball(&self, sphere: usize) -> &(Vec3, f64) {
        &self.balls[sphere]
    }

    /// The nearest thing along a ray with unit direction.
    pub fn nearest(&self, origin: &Vec3, direction: &Vec3, limit: f64) -> Option<Hit> {
        let mut best: Option<Hit> = None;
        for item in 0..self.corners.len() + self.balls.len() {
            let reach = best.map_or(limit, |hit| hit.distance);
            if let Some(hit) = self.meet(item, origin, direction, reach) {
                best = Some(hit);
            }
        }
        best
    }

    /// Anything along a ray with unit direction, not necessarily the nearest.
    pub fn any(&self, origin: &Vec3, direction: &Vec3, limit: f64) -> Option<Hit> {
        self.nearest(origin, direction, limit)
    }

    fn meet(&self, item: usize, origin: &Vec3, direction: &Vec3, limit: f64) -> Option<Hit> {
        match item.checked_sub(self.corners.len()) {
            None => meet_triangle(&self.corners[item], origin, direction, limit)
                .map(|(distance, u, v)| Hit { distance, item: Item::Triangle(item, u, v) }),
            Some(sphere) => meet_ball(&self.balls[sphere], origin, direction, limit)
                .map(|distance| Hit { distance, item: Item::Sphere(sphere) }),
        }
    }
}

/// Distance and the shares of the second and third corner (T. Möller & B. Trumbore 1997).
fn meet_triangle(corners: &[Vec3; 3], origin: &Vec3, direction: &Vec3, limit: f64) -> Option<(f64, f64, f64)> {
    let (first, second) = (corners[1] - corners[0], corners[2] - corners[0]);
    let p = direction.cross(&second);
    let inverse = 1.0 / first.dot(&p);
    let offset = origin - corners[0];
    let u = offset.dot(&p) * inverse;
    let q = offset.cross(&first);
    let v = direction.dot(&q) * inverse;
    let distance = second.dot(&q) * inverse;
    // A ray in the plane of the triangle makes these NaN or infinite, and every comparison false.
    let inside = u >= 0.0 && v >= 0.0 && u + v <= 1.0 && distance > 0.0 && distance < limit;
    inside.then_some((distance, u, v))
}

/// Distance to where a ray enters a ball, or leaves it if it starts inside.
fn meet_ball(&(center, radius): &(Vec3, f64), origin: &Vec3, direction: &Vec3, limit: f64) -> Option<f64> {
    let offset = center - origin;
    let along = offset.dot(direction);
    // The squared distance of the ray's line from the centre, without cancellation for far balls.
    let across = (offset - direction * along).norm_squared();
    let half = (radius * radius - across).sqrt();
    [along - half, along + half].into_iter().find(|&distance| distance > 0.0 && distance < limit)
}
