//! Axis-aligned bounding boxes.

use craze_math::Vec3;

/// An axis-aligned bounding box, boundary included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Minimum coordinates (m).
    pub min: Vec3,
    /// Maximum coordinates (m).
    pub max: Vec3,
}

impl Aabb {
    /// The empty box: the neutral element of [`union`](Self::union).
    pub const EMPTY: Self = Self {
        min: Vec3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
        max: Vec3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
    };

    /// The bounding box of the points; empty without points.
    pub fn from_points<'a>(points: impl IntoIterator<Item = &'a Vec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |all, point| all.with(point))
    }

    /// The box of one point.
    pub fn from_point(point: &Vec3) -> Self {
        Self { min: *point, max: *point }
    }

    /// The bounding box of this box and a point.
    #[inline]
    pub fn with(&self, point: &Vec3) -> Self {
        Self { min: lower(&self.min, point), max: upper(&self.max, point) }
    }

    /// The bounding box of both.
    pub fn union(&self, other: &Self) -> Self {
        Self { min: lower(&self.min, &other.min), max: upper(&self.max, &other.max) }
    }

    /// The box with each side moved outward by `margin` (m).
    pub fn grown(&self, margin: f64) -> Self {
        Self { min: self.min.add_scalar(-margin), max: self.max.add_scalar(margin) }
    }

    /// True if both share a point; touching counts.
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..3).all(|axis| self.min[axis] <= other.max[axis] && other.min[axis] <= self.max[axis])
    }

    /// True if the point is inside or on the box.
    pub fn contains(&self, point: &Vec3) -> bool {
        (0..3).all(|axis| self.min[axis] <= point[axis] && point[axis] <= self.max[axis])
    }

    /// True if the box contains no point.
    pub fn is_empty(&self) -> bool {
        (0..3).any(|axis| self.min[axis] > self.max[axis])
    }

    /// The midpoint; NaN for the empty box.
    pub fn centre(&self) -> Vec3 {
        (self.min + self.max) * 0.5
    }

    /// Side lengths (m).
    pub fn size(&self) -> Vec3 {
        self.max - self.min
    }

    /// Half the surface area (m²), the measure of the surface area heuristic; 0 for the empty box.
    pub fn half_area(&self) -> f64 {
        if self.is_empty() {
            return 0.0;
        }
        let size = self.size();
        size.x * size.y + size.y * size.z + size.z * size.x
    }

    /// Squared distance to a point (m²), 0 inside.
    pub fn distance_squared(&self, point: &Vec3) -> f64 {
        (0..3).map(|axis| (self.min[axis] - point[axis]).max(point[axis] - self.max[axis]).max(0.0).powi(2)).sum()
    }
}

/// Component-wise minimum; `first` where `second` is NaN. One comparison each, where `f64::min`
/// needs several.
#[inline(always)]
fn lower(first: &Vec3, second: &Vec3) -> Vec3 {
    first.zip_map(second, |one, other| if other < one { other } else { one })
}

/// Component-wise maximum; `first` where `second` is NaN.
#[inline(always)]
fn upper(first: &Vec3, second: &Vec3) -> Vec3 {
    first.zip_map(second, |one, other| if other > one { other } else { one })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_box_is_neutral() {
        let unit = Aabb { min: Vec3::zeros(), max: Vec3::repeat(1.0) };
        assert_eq!(Aabb::EMPTY.union(&unit), unit);
        assert!(Aabb::EMPTY.is_empty() && !unit.is_empty());
        assert!(!Aabb::EMPTY.overlaps(&unit));
        assert_eq!(Aabb::EMPTY.half_area(), 0.0);
        assert!(Aabb::from_points([]).is_empty());
    }

    #[test]
    fn touching_boxes_overlap() {
        let unit = Aabb { min: Vec3::zeros(), max: Vec3::repeat(1.0) };
        let beside = Aabb { min: Vec3::new(1.0, 0.0, 0.0), max: Vec3::new(2.0, 1.0, 1.0) };
        assert!(unit.overlaps(&beside));
        assert!(!unit.overlaps(&Aabb { min: Vec3::new(1.1, 0.0, 0.0), ..beside }));
    }

    #[test]
    fn distance_is_zero_inside_and_straight_outside() {
        let unit = Aabb { min: Vec3::zeros(), max: Vec3::repeat(1.0) };
        assert_eq!(unit.distance_squared(&Vec3::new(0.5, 0.2, 1.0)), 0.0);
        assert_eq!(unit.distance_squared(&Vec3::new(3.0, 0.5, -1.0)), 5.0);
    }
}
