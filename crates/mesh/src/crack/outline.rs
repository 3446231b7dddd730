//! The shape of a flat crack: a plane and an outline in it.

use craze_math::Vec3;

/// A flat crack in the rest shape of a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct FlatCrack {
    /// Origin of the coordinates in the plane (m).
    origin: Vec3,
    /// Unit vectors: two in the plane, and its normal.
    axes: [Vec3; 3],
    outline: Outline,
}

/// The part of the plane that is cracked, in its own coordinates (m).
#[derive(Clone, Debug, PartialEq)]
enum Outline {
    /// From 0 to a length along the first axis, without end along the second.
    Strip(f64),
    /// Around the origin, with this radius.
    Disc(f64),
    /// Corners of a simple polygon.
    Polygon(Vec<[f64; 2]>),
}

/// Largest distance of a corner from the plane of a polygon, relative to the polygon's size.
const FLATNESS: f64 = 1e-6;

impl FlatCrack {
    /// A crack from one line to another (m), both in the direction `along` and without end: the
    /// crack of a plate in two dimensions. `None` if the lines coincide.
    pub fn strip(from: Vec3, to: Vec3, along: Vec3) -> Option<FlatCrack> {
        let along = along.try_normalize(f64::MIN_POSITIVE)?;
        let across = (to - from) - along * along.dot(&(to - from));
        let length = across.norm();
        let across = (length > 1e-12 * (to - from).norm()).then(|| across / length)?;
        let axes = [across, along, across.cross(&along)];
        Some(FlatCrack { origin: from, axes, outline: Outline::Strip(length) })
    }

    /// A circular crack with this radius (m). `None` if the normal has no length.
    pub fn disc(center: Vec3, normal: Vec3, radius: f64) -> Option<FlatCrack> {
        let normal = normal.try_normalize(f64::MIN_POSITIVE)?;
        let axis = normal.cross(&Vec3::ith(normal.iamin(), 1.0)).normalize();
        Some(FlatCrack { origin: center, axes: [axis, normal.cross(&axis), normal], outline: Outline::Disc(radius) })
    }

    /// A crack with these corners (m) in order. `None` if they do not lie in one plane or enclose
    /// no area.
    pub fn polygon(corners: &[Vec3]) -> Option<FlatCrack> {
        let origin = *corners.first()?;
        let pairs = || corners.iter().zip(corners.iter().cycle().skip(1));
        // Newell's normal: twice the enclosed area.
        let normal: Vec3 = pairs().map(|(one, next)| (one - origin).cross(&(next - origin))).sum();
        let size = corners.iter().map(|corner| (corner - origin).norm()).fold(0.0, f64::max);
        let normal = (normal.norm() > 1e-12 * size * size).then(|| normal.normalize())?;
        if corners.iter().any(|corner| (corner - origin).dot(&normal).abs() > FLATNESS * size) {
            return None;
        }
        let axis = normal.cross(&Vec3::ith(normal.iamin(), 1.0)).normalize();
        let axes = [axis, normal.cross(&axis), normal];
        let flat = |corner: &Vec3| [axes[0].dot(&(corner - origin)), axes[1].dot(&(corner - origin))];
        Some(FlatCrack { origin, axes, outline: Outline::Polygon(corners.iter().map(flat).collect()) })
    }

    /// Unit normal of the plane.
    pub fn normal(&self) -> Vec3 {
        self.axes[2]
    }

    /// Distance of a point (m) from the plane (m), positive on the side of the normal.
    pub fn height(&self, point: &Vec3) -> f64 {
        self.axes[2].dot(&(point - self.origin))
    }

    /// Distance (m) of a point's projection onto the plane from the crack's front, negative within
    /// the crack.
    pub fn distance(&self, point: &Vec3) -> f64 {
        let [u, v] = self.flat(point);
        match &self.outline {
            Outline::Strip(length) => (-u).max(u - length),
            Outline::Disc(radius) => u.hypot(v) - radius,
            Outline::Polygon(corners) => polygon_distance(corners, [u, v]),
        }
    }

    /// Direction in the plane in which [`Self::distance`] grows fastest; zero where it is
    /// undefined.
    pub(super) fn outward(&self, point: &Vec3) -> Vec3 {
        let [u, v] = self.flat(point);
        let [x, y] = match &self.outline {
            Outline::Strip(length) => [if -u > u - length { -1.0 } else { 1.0 }, 0.0],
            Outline::Disc(_) => [u, v],
            Outline::Polygon(corners) => {
                let [x, y] = nearest_on(corners, [u, v]);
                let sign = if contains(corners, [u, v]) { -1.0 } else { 1.0 };
                [sign * (u - x), sign * (v - y)]
            }
        };
        (x * self.axes[0] + y * self.axes[1]).try_normalize(f64::MIN_POSITIVE).unwrap_or_default()
    }

    /// Corners of the outline (m).
    pub(super) fn corners(&self) -> Vec<Vec3> {
        let Outline::Polygon(corners) = &self.outline else { return Vec::new() };
        corners.iter().map(|[u, v]| self.origin + *u * self.axes[0] + *v * self.axes[1]).collect()
    }

    /// Length that a mesh has to resolve (m): of a strip from front to front, of a disc the
    /// diameter, of a polygon twice its area over its half perimeter.
    pub fn extent(&self) -> f64 {
        match &self.outline {
            Outline::Strip(length) => *length,
            Outline::Disc(radius) => 2.0 * radius,
            Outline::Polygon(corners) => {
                let (mut area, mut perimeter) = (0.0, 0.0);
                for ([x, y], [p, q]) in sides(corners) {
                    area += 0.5 * (x * q - p * y);
                    perimeter += (p - x).hypot(q - y);
                }
                4.0 * area.abs() / perimeter
            }
        }
    }

    fn flat(&self, point: &Vec3) -> [f64; 2] {
        let from = point - self.origin;
        [self.axes[0].dot(&from), self.axes[1].dot(&from)]
    }
}

fn sides(corners: &[[f64; 2]]) -> impl Iterator<Item = ([f64; 2], [f64; 2])> {
    corners.iter().copied().zip(corners.iter().copied().cycle().skip(1))
}

fn polygon_distance(corners: &[[f64; 2]], point: [f64; 2]) -> f64 {
    let [x, y] = nearest_on(corners, point);
    let distance = (point[0] - x).hypot(point[1] - y);
    if contains(corners, point) { -distance } else { distance }
}

/// The nearest point on the sides of a polygon.
fn nearest_on(corners: &[[f64; 2]], [u, v]: [f64; 2]) -> [f64; 2] {
    let mut best = (f64::INFINITY, [u, v]);
    for ([x, y], [p, q]) in sides(corners) {
        let (across, up) = (p - x, q - y);
        let square = across * across + up * up;
        let share = if square > 0.0 { (((u - x) * across + (v - y) * up) / square).clamp(0.0, 1.0) } else { 0.0 };
        let nearest = [x + share * across, y + share * up];
        let distance = (u - nearest[0]).hypot(v - nearest[1]);
        if distance < best.0 {
            best = (distance, nearest);
        }
    }
    best.1
}

/// Returns true if a polygon contains a point (crossing number).
fn contains(corners: &[[f64; 2]], [u, v]: [f64; 2]) -> bool {
    let crosses = |&([x, y], [p, q]): &([f64; 2], [f64; 2])| (y > v) != (q > v) && u < (p - x) * (v - y) / (q - y) + x;
    sides(corners).filter(crosses).count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_from_the_front_are_negative_within_the_crack() {
        let strip = FlatCrack::strip(Vec3::zeros(), Vec3::new(2.0, 0.0, 5.0), Vec3::z()).unwrap();
        assert_eq!(strip.extent(), 2.0);
        assert_eq!(strip.distance(&Vec3::new(0.5, 3.0, -9.0)), -0.5);
        assert_eq!(strip.height(&Vec3::new(0.5, 3.0, -9.0)).abs(), 3.0);
        let disc = FlatCrack::disc(Vec3::x(), Vec3::new(0.0, 2.0, 0.0), 3.0).unwrap();
        assert!((disc.distance(&Vec3::new(6.0, 7.0, 0.0)) - 2.0).abs() < 1e-12);
        // An L without its upper right quarter.
        let ell = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
        let polygon = FlatCrack::polygon(&ell.map(|[x, z]| Vec3::new(x, 4.0, z))).unwrap();
        assert!((polygon.distance(&Vec3::new(1.5, 0.0, 1.5)) - 0.5).abs() < 1e-12);
        assert!((polygon.distance(&Vec3::new(0.5, 0.0, 0.5)) + 0.5).abs() < 1e-12);
        assert!((polygon.outward(&Vec3::new(1.5, 0.0, 0.9)) - Vec3::z()).norm() < 1e-12);
        assert!((polygon.extent() - 1.5).abs() < 1e-12);
    }

    #[test]
    fn outlines_without_an_area_are_refused() {
        assert!(FlatCrack::strip(Vec3::zeros(), Vec3::z(), Vec3::z()).is_none());
        assert!(FlatCrack::disc(Vec3::zeros(), Vec3::zeros(), 1.0).is_none());
        assert!(FlatCrack::polygon(&[Vec3::zeros(), Vec3::x(), 2.0 * Vec3::x()]).is_none());
        let bent = [Vec3::zeros(), Vec3::x(), Vec3::new(1.0, 1.0, 0.1), Vec3::y()];
        assert!(FlatCrack::polygon(&bent).is_none());
    }
}
