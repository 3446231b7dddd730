//! Axis-aligned boxes.

use craze_math::Vec3;

/// A box along the axes. The empty box has `low` above `high` and joins with anything to give that thing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Lowest corner (m).
    pub low: Vec3,
    /// Highest corner (m).
    pub high: Vec3,
}

impl Aabb {
    /// The box that holds nothing.
    pub const EMPTY: Aabb = Aabb {
        low: Vec3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
        high: Vec3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
    };

    /// The smallest box around all points.
    pub fn around(points: impl IntoIterator<Item = Vec3>) -> Aabb {
        points.into_iter().fold(Aabb::EMPTY, |all, point| all.with(point))
    }

    /// The smallest box around this one and a point.
    #[inline]
    pub fn with(self, point: Vec3) -> Aabb {
        Aabb { low: self.low.inf(&point), high: self.high.sup(&point) }
    }

    /// The smallest box around both.
    #[inline]
    pub fn join(self, other: Aabb) -> Aabb {
        Aabb { low: self.low.inf(&other.low), high: self.high.sup(&other.high) }
    }

    /// The box grown by `margin` (m) on all sides.
    #[inline]
    pub fn grown(self, margin: f64) -> Aabb {
        Aabb { low: self.low.add_scalar(-margin), high: self.high.add_scalar(margin) }
    }

    /// Whether the two share a point; boxes that touch do.
    #[inline]
    pub fn overlaps(&self, other: &Aabb) -> bool {
        (0..3).all(|axis| self.low[axis] <= other.high[axis] && other.low[axis] <= self.high[axis])
    }

    /// Whether the point lies inside or on the box.
    #[inline]
    pub fn contains(&self, point: &Vec3) -> bool {
        (0..3).all(|axis| self.low[axis] <= point[axis] && point[axis] <= self.high[axis])
    }

    /// Whether the box holds nothing.
    pub fn is_empty(&self) -> bool {
        (0..3).any(|axis| self.low[axis] > self.high[axis])
    }

    /// Its middle (m).
    #[inline]
    pub fn center(&self) -> Vec3 {
        0.5 * (self.low + self.high)
    }

    /// Its extent along each axis (m).
    #[inline]
    pub fn size(&self) -> Vec3 {
        self.high - self.low
    }

    /// Distance from the point to the box (m); 0 inside.
    #[inline]
    pub fn distance(&self, point: &Vec3) -> f64 {
        (self.low - point).sup(&(point - self.high)).sup(&Vec3::zeros()).norm()
    }
}
