//! [`Domain`]: the inside/outside query behind meshing, sampling and rendering.

use craze_math::Vec3;
use craze_spatial::Aabb;

use crate::repair::FarPoint;

/// A solid region of space. Built-in shapes answer from their signed distance, imported surfaces
/// from their winding number.
///
/// Each answer depends on the point alone, so meshes do not depend on the order of queries.
pub trait Domain: Sync {
    /// A box that contains the inside.
    fn bounds(&self) -> Aabb;

    /// Disjoint boxes that contain the inside: one for each group of distant parts.
    fn parts(&self) -> Vec<Aabb> {
        vec![self.bounds()]
    }

    /// Level-set value: positive inside, negative outside, zero on the surface. It may jump at the
    /// surface (a winding number does). Only its sign has a common meaning; its unit depends on the
    /// domain.
    fn level(&self, point: &Vec3) -> f64;

    /// Radius (m) of a ball around the point in which the level keeps its sign: a lower bound, 0 if
    /// unknown.
    fn clearance(&self, point: &Vec3) -> f64;

    /// Outward unit normal of the surface near the point; `None` where it is undefined.
    fn normal(&self, point: &Vec3) -> Option<Vec3>;

    /// The first parameter on a segment after `from` (both 0 to 1) at which the level may jump. A
    /// hint that saves queries; `None` if unknown.
    fn jump(&self, _ends: &[Vec3; 2], _from: f64) -> Option<f64> {
        None
    }

    /// Material region of a point inside, from 0.
    fn region(&self, _point: &Vec3) -> u16 {
        0
    }

    /// Volume (m³), if known more accurately than by counting cells.
    fn volume(&self) -> Option<f64> {
        None
    }

    /// Area (m²) of the surface, if known; may include inner faces.
    fn area(&self) -> Option<f64> {
        None
    }

    /// Time per query relative to a sound model (1), about 1 or more. Damaged surfaces cost up to
    /// 100 times more, so callers reduce the number of queries.
    fn query_cost(&self) -> f64 {
        1.0
    }

    /// An outlying point of a model: the likely reason if meshing fails.
    fn far_point(&self) -> Option<FarPoint> {
        None
    }

    /// Returns true if the point is inside.
    fn contains(&self, point: &Vec3) -> bool {
        self.level(point) > 0.0
    }
}

/// A domain restricted to one of its parts.
pub(crate) struct Part<'a> {
    pub(crate) domain: &'a dyn Domain,
    pub(crate) bounds: Aabb,
}

impl Domain for Part<'_> {
    fn bounds(&self) -> Aabb {
        self.bounds
    }

    fn level(&self, point: &Vec3) -> f64 {
        self.domain.level(point)
    }

    fn clearance(&self, point: &Vec3) -> f64 {
        self.domain.clearance(point)
    }

    fn normal(&self, point: &Vec3) -> Option<Vec3> {
        self.domain.normal(point)
    }

    fn jump(&self, ends: &[Vec3; 2], from: f64) -> Option<f64> {
        self.domain.jump(ends, from)
    }

    fn region(&self, point: &Vec3) -> u16 {
        self.domain.region(point)
    }

    fn query_cost(&self) -> f64 {
        self.domain.query_cost()
    }
}
