//! What has an inside: the one question that tetrahedra, samples and pictures ask of a shape.

use craze_math::Vec3;
use craze_spatial::Aabb;

use crate::repair::FarPoint;

/// A part of space. Built-in shapes answer from their signed distance, imported surfaces from their winding number.
///
/// Every answer depends on the point alone, so that a mesh does not depend on the order in which points were asked for.
pub trait Domain: Sync {
    /// A box that holds all of the inside.
    fn bounds(&self) -> Aabb;

    /// Boxes that hold all of the inside, no two of which touch: one for each of the parts that lie far apart.
    fn parts(&self) -> Vec<Aabb> {
        vec![self.bounds()]
    }

    /// Positive inside, negative outside, its zero is the surface. It may jump there (a winding number does), and its unit
    /// is the domain's own: only the sign, and where it changes, mean something to others.
    fn level(&self, point: &Vec3) -> f64;

    /// Radius (m) of a ball around the point in which the level keeps its sign; never too large, 0 where nothing is known.
    fn clearance(&self, point: &Vec3) -> f64;

    /// Outward unit normal of the surface near a point of it; none where it has no direction.
    fn normal(&self, point: &Vec3) -> Option<Vec3>;

    /// The first share of a segment beyond `from` (both 0 to 1) at which the level may jump. Only a guess that saves questions: none
    /// where nothing is known.
    fn jump(&self, _ends: &[Vec3; 2], _from: f64) -> Option<f64> {
        None
    }

    /// Which matter a point inside is made of, from 0.
    fn region(&self, _point: &Vec3) -> u16 {
        0
    }

    /// Volume (m³), if it is known better than by counting small boxes.
    fn volume(&self) -> Option<f64> {
        None
    }

    /// Area (m²) of the surface, if it is known; inner faces may count.
    fn area(&self) -> Option<f64> {
        None
    }

    /// How long an answer takes (1), over what one of a sound model takes; not much below 1. Damaged surfaces answer up to a hundred times
    /// more slowly, so that less may be asked of them.
    fn query_cost(&self) -> f64 {
        1.0
    }

    /// A point of a model that lies far from nearly all others: the likely reason if there is no mesh.
    fn far_point(&self) -> Option<FarPoint> {
        None
    }

    /// Whether a point lies inside.
    fn contains(&self, point: &Vec3) -> bool {
        self.level(point) > 0.0
    }
}

/// A domain within one of its parts.
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
