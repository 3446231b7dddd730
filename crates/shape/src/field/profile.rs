//! Plane areas given by signed distance, for extrusion and revolution.

use super::path::Path;
use super::{Point2, hypotenuse, smooth_minimum};

/// An area of the plane. Its signed distance (m) is negative inside and 1-Lipschitz; it is exact
/// outside primitives.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    kind: Kind,
    low: Point2,
    high: Point2,
}

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Circle { centre: Point2, radius: f64 },
    Rectangle { half: Point2 },
    Sector { radius: f64, half: Point2 },
    Polygon(Vec<Point2>),
    Stroke { path: Path, half_width: f64 },
    Union(Vec<Profile>),
    SmoothUnion { parts: Box<[Profile; 2]>, blend: f64 },
    Difference(Box<[Profile; 2]>),
}

impl Profile {
    /// A disc (m).
    pub fn circle(centre: Point2, radius: f64) -> Self {
        let [x, y] = centre;
        Self { kind: Kind::Circle { centre, radius }, low: [x - radius, y - radius], high: [x + radius, y + radius] }
    }

    /// A rectangle about the origin (m).
    pub fn rectangle(size: Point2) -> Self {
        let half = size.map(|length| 0.5 * length);
        Self { kind: Kind::Rectangle { half }, low: half.map(|length| -length), high: half }
    }

    /// The part of a disc at the origin (radius in m) within `degrees` / 2 of the y axis.
    pub fn sector(radius: f64, degrees: f64) -> Self {
        let angle = (0.5 * degrees).clamp(0.0, 180.0).to_radians();
        let half = [angle.sin(), angle.cos()];
        let width = if angle < std::f64::consts::FRAC_PI_2 { radius * half[0] } else { radius };
        Self { kind: Kind::Sector { radius, half }, low: [-width, (radius * half[1]).min(0.0)], high: [width, radius] }
    }

    /// The inside of a simple polygon (m) of either orientation.
    pub fn polygon(corners: Vec<Point2>) -> Self {
        let fold = |start: f64, pick: fn(f64, f64) -> f64| {
            [0, 1].map(|axis| corners.iter().map(|corner| corner[axis]).fold(start, pick))
        };
        let (low, high) = (fold(f64::INFINITY, f64::min), fold(f64::NEG_INFINITY, f64::max));
        Self { kind: Kind::Polygon(corners), low, high }
    }

    /// All points within half a width (m) of a path, with round caps and corners.
    pub fn stroke(path: Path, width: f64) -> Self {
        let half_width = 0.5 * width;
        let [low, high] = path.bounds();
        Self {
            kind: Kind::Stroke { path, half_width },
            low: low.map(|x| x - half_width),
            high: high.map(|x| x + half_width),
        }
    }

    /// The union of the parts.
    pub fn union(parts: Vec<Self>) -> Self {
        let low = [0, 1].map(|axis| parts.iter().map(|part| part.low[axis]).fold(f64::INFINITY, f64::min));
        let high = [0, 1].map(|axis| parts.iter().map(|part| part.high[axis]).fold(f64::NEG_INFINITY, f64::max));
        Self { kind: Kind::Union(parts), low, high }
    }

    /// Union with a quadratic blend of length `blend` (m) along the seam.
    pub fn smooth_union(self, other: Self, blend: f64) -> Self {
        // The blend bulges by at most a quarter of its length.
        let bulge = 0.25 * blend;
        let low = [0, 1].map(|axis| self.low[axis].min(other.low[axis]) - bulge);
        let high = [0, 1].map(|axis| self.high[axis].max(other.high[axis]) + bulge);
        Self { kind: Kind::SmoothUnion { parts: Box::new([self, other]), blend }, low, high }
    }

    /// Set difference.
    pub fn without(self, other: Self) -> Self {
        let (low, high) = (self.low, self.high);
        Self { kind: Kind::Difference(Box::new([self, other])), low, high }
    }

    /// Bounding box: lowest and highest coordinates (m).
    pub fn bounds(&self) -> [Point2; 2] {
        [self.low, self.high]
    }

    /// Signed distance (m), negative inside.
    pub fn distance(&self, point: Point2) -> f64 {
        let [x, y] = point;
        match &self.kind {
            Kind::Circle { centre, radius } => hypotenuse(x - centre[0], y - centre[1]) - radius,
            Kind::Rectangle { half } => corner_distance(x.abs() - half[0], y.abs() - half[1]),
            Kind::Sector { radius, half } => {
                let x = x.abs();
                let to_arc = hypotenuse(x, y) - radius;
                // Closest point of the straight side.
                let along = (x * half[0] + y * half[1]).clamp(0.0, *radius);
                let side = hypotenuse(x - along * half[0], y - along * half[1]);
                let beyond = x * half[1] - y * half[0];
                to_arc.max(side * beyond.signum())
            }
            Kind::Polygon(corners) => polygon_distance(corners, point),
            Kind::Stroke { path, half_width } => path.distance(point) - half_width,
            Kind::Union(parts) => parts.iter().fold(f64::INFINITY, |nearest, part| {
                // A part whose box is farther than the nearest part cannot be nearer; most are
                // skipped.
                let away = part.outside_box(point);
                if away > nearest.max(0.0) { nearest } else { nearest.min(part.bounded_distance(point, away)) }
            }),
            Kind::SmoothUnion { parts, blend } => {
                let [one, other] = &**parts;
                let bounded_distance = |part: &Profile| part.bounded_distance(point, part.outside_box(point));
                smooth_minimum(bounded_distance(one), bounded_distance(other), *blend)
            }
            Kind::Difference(parts) => parts[0].distance(point).max(-parts[1].distance(point)),
        }
    }

    /// Distance to the bounding box (m), 0 inside.
    fn outside_box(&self, [x, y]: Point2) -> f64 {
        let beyond = |value: f64, axis: usize| (self.low[axis] - value).max(value - self.high[axis]).max(0.0);
        hypotenuse(beyond(x, 0), beyond(y, 1))
    }

    /// The signed distance, at least the distance to the bounding box.
    fn bounded_distance(&self, point: Point2, away: f64) -> f64 {
        let distance = self.distance(point);
        if away > 0.0 { distance.max(away) } else { distance }
    }
}

/// Signed distance of the quadrant x < 0, y < 0.
pub(super) fn corner_distance(x: f64, y: f64) -> f64 {
    hypotenuse(x.max(0.0), y.max(0.0)) + x.max(y).min(0.0)
}

/// Signed distance (m) of a polygon; inside by crossing parity.
fn polygon_distance(corners: &[Point2], [x, y]: Point2) -> f64 {
    let mut nearest = f64::INFINITY;
    let mut inside = false;
    for (index, &[to_x, to_y]) in corners.iter().enumerate() {
        let [from_x, from_y] = corners[(index + corners.len() - 1) % corners.len()];
        let (along_x, along_y) = (to_x - from_x, to_y - from_y);
        let (away_x, away_y) = (x - from_x, y - from_y);
        let fraction = (along_x * away_x + along_y * away_y) / (along_x * along_x + along_y * along_y);
        let fraction = if fraction.is_nan() { 0.0 } else { fraction.clamp(0.0, 1.0) };
        nearest = nearest.min(hypotenuse(away_x - fraction * along_x, away_y - fraction * along_y));
        if (from_y > y) != (to_y > y) && x < from_x + along_x * (y - from_y) / along_y {
            inside = !inside;
        }
    }
    if inside { -nearest } else { nearest }
}
