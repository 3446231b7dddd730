//! Signed distance fields, combined by set operations.
//!
//! A [`Field`] is a tree of primitives, set operations and transforms. Its distance is negative
//! inside and **1-Lipschitz**: |f(p) − f(q)| ≤ |p − q|, so no surface lies within |f(p)| of p.
//! Meshing, sampling and integration rely on this alone. Primitives are exact; a union is exact
//! outside, an intersection inside; elsewhere |f| underestimates the distance.

mod ellipsoid;
mod path;
mod profile;
#[cfg(test)]
mod tests;
mod volume;

use std::sync::Arc;

use craze_math::{Isometry, Rotation, Vec3};
use craze_spatial::{Aabb, primitives};

use crate::domain::Domain;
pub use path::Path;
pub use profile::Profile;
use profile::corner_distance;

/// A point in the plane (m).
pub type Point2 = [f64; 2];

/// A solid given by its signed distance; see the [module](self). Clones share their nodes.
#[derive(Clone, Debug)]
pub struct Field {
    node: Arc<Node>,
    bounds: Aabb,
}

#[derive(Debug)]
enum Node {
    Ellipsoid {
        radii: Vec3,
    },
    Sphere {
        radius: f64,
    },
    /// A rounded box: half extents without the rounding, and the rounding radius.
    Block {
        half: Vec3,
        rounding: f64,
    },
    RoundCone {
        from: Vec3,
        to: Vec3,
        radii: [f64; 2],
    },
    Torus {
        ring: f64,
        tube: f64,
    },
    HalfSpace {
        normal: Vec3,
        offset: f64,
    },
    Tube {
        path: Path,
        radius: f64,
    },
    Extrusion {
        profile: Profile,
        half_depth: f64,
    },
    Revolution {
        profile: Profile,
    },
    Union(Vec<Field>),
    Intersection(Vec<Field>),
    Difference {
        whole: Field,
        part: Field,
    },
    SmoothUnion {
        one: Field,
        other: Field,
        blend: f64,
    },
    Offset {
        field: Field,
        by: f64,
    },
    Shell {
        field: Field,
        half_wall: f64,
    },
    Mirror {
        field: Field,
        axis: usize,
    },
    Transformed {
        field: Field,
        transform: Isometry,
        factor: f64,
    },
    Region {
        field: Field,
        part: Field,
        region: u16,
    },
}

/// The box of all space.
const UNBOUNDED: Aabb = Aabb {
    min: Vec3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
    max: Vec3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
};

/// Primitives. Lengths are in metres; the caller has checked that they are positive.
impl Field {
    fn new(node: Node, bounds: Aabb) -> Self {
        Self { node: Arc::new(node), bounds }
    }

    fn about_origin(node: Node, half: Vec3) -> Self {
        Self::new(node, Aabb { min: -half, max: half })
    }

    /// A ball at the origin.
    pub fn sphere(radius: f64) -> Self {
        Self::about_origin(Node::Sphere { radius }, Vec3::repeat(radius))
    }

    /// An ellipsoid at the origin with these half-axes.
    pub fn ellipsoid(radii: Vec3) -> Self {
        Self::about_origin(Node::Ellipsoid { radii }, radii)
    }

    /// A box at the origin, its edges rounded by a radius of at most half its thinnest side.
    pub fn block(size: Vec3, rounding: f64) -> Self {
        let half = 0.5 * size;
        Self::about_origin(Node::Block { half: half.add_scalar(-rounding), rounding }, half)
    }

    /// A cylinder about the y axis, centred at the origin.
    pub fn cylinder(radius: f64, height: f64) -> Self {
        Self::revolution(Profile::rectangle([2.0 * radius, height]))
    }

    /// A truncated cone about the y axis, centred at the origin.
    pub fn frustum(bottom_radius: f64, top_radius: f64, height: f64) -> Self {
        let half = 0.5 * height;
        Self::revolution(Profile::polygon(vec![
            [-bottom_radius, -half],
            [bottom_radius, -half],
            [top_radius, half],
            [-top_radius, half],
        ]))
    }

    /// All points within a radius of a segment.
    pub fn capsule(from: Vec3, to: Vec3, radius: f64) -> Self {
        Self::round_cone(from, to, [radius, radius])
    }

    /// The convex hull of two balls.
    pub fn round_cone(from: Vec3, to: Vec3, radii: [f64; 2]) -> Self {
        let ball = |centre: Vec3, radius| Aabb::from_point(&centre).grown(radius);
        let bounds = ball(from, radii[0]).union(&ball(to, radii[1]));
        Self::new(Node::RoundCone { from, to, radii }, bounds)
    }

    /// A torus about the y axis with centre-line radius `ring` and tube radius `tube`.
    pub fn torus(ring: f64, tube: f64) -> Self {
        Self::about_origin(Node::Torus { ring, tube }, Vec3::new(ring + tube, tube, ring + tube))
    }

    /// All points p with normal · p < `offset`; the normal has length 1.
    pub fn half_space(normal: Vec3, offset: f64) -> Self {
        let mut bounds = UNBOUNDED;
        for axis in 0..3 {
            if normal[axis] == 1.0 {
                bounds.max[axis] = offset;
            } else if normal[axis] == -1.0 {
                bounds.min[axis] = -offset;
            }
        }
        Self::new(Node::HalfSpace { normal, offset }, bounds)
    }

    /// All points within a radius of a path in the plane z = 0.
    pub fn tube(path: Path, radius: f64) -> Self {
        let [low, high] = path.bounds();
        let bounds = Aabb { min: Vec3::new(low[0], low[1], 0.0), max: Vec3::new(high[0], high[1], 0.0) };
        Self::new(Node::Tube { path, radius }, bounds.grown(radius))
    }

    /// A profile of the x–y plane extruded along z, half of `depth` to each side.
    pub fn extrusion(profile: Profile, depth: f64) -> Self {
        let [low, high] = profile.bounds();
        let half_depth = 0.5 * depth;
        let bounds = Aabb { min: Vec3::new(low[0], low[1], -half_depth), max: Vec3::new(high[0], high[1], half_depth) };
        Self::new(Node::Extrusion { profile, half_depth }, bounds)
    }

    /// A profile of the x–y plane revolved about the y axis; only its part at x ≥ 0 counts.
    pub fn revolution(profile: Profile) -> Self {
        let [low, high] = profile.bounds();
        let radius = high[0].max(0.0);
        let bounds = Aabb { min: Vec3::new(-radius, low[1], -radius), max: Vec3::new(radius, high[1], radius) };
        Self::new(Node::Revolution { profile }, bounds)
    }
}

/// Operations.
impl Field {
    /// The union of the parts; empty without parts.
    pub fn union(parts: Vec<Self>) -> Self {
        let bounds = parts.iter().fold(Aabb::EMPTY, |all, part| all.union(&part.bounds));
        Self::new(Node::Union(parts), bounds)
    }

    /// The intersection of the parts; all space without parts.
    pub fn intersection(parts: Vec<Self>) -> Self {
        let bounds = parts.iter().fold(UNBOUNDED, |all, part| Aabb {
            min: all.min.sup(&part.bounds.min),
            max: all.max.inf(&part.bounds.max),
        });
        Self::new(Node::Intersection(parts), bounds)
    }

    /// Set difference.
    pub fn without(self, part: Self) -> Self {
        let bounds = self.bounds;
        Self::new(Node::Difference { whole: self, part }, bounds)
    }

    /// Union with a quadratic blend of length `blend` (m) along the seam.
    pub fn smooth_union(self, other: Self, blend: f64) -> Self {
        // The blend bulges by at most a quarter of its length.
        let bounds = self.bounds.union(&other.bounds).grown(0.25 * blend);
        Self::new(Node::SmoothUnion { one: self, other, blend }, bounds)
    }

    /// Offset surface at a distance (m), outward if positive.
    pub fn offset(self, by: f64) -> Self {
        let bounds = self.bounds.grown(by);
        Self::new(Node::Offset { field: self, by }, bounds)
    }

    /// A wall of this thickness (m), centred on the surface.
    pub fn shell(self, wall: f64) -> Self {
        let bounds = self.bounds.grown(0.5 * wall);
        Self::new(Node::Shell { field: self, half_wall: 0.5 * wall }, bounds)
    }

    /// The part on the positive side of an axis (0 is x) and its mirror image.
    pub fn mirrored(self, axis: usize) -> Self {
        let mut bounds = self.bounds;
        bounds.min[axis] = -bounds.max[axis];
        Self::new(Node::Mirror { field: self, axis }, bounds)
    }

    /// Translates by a vector (m).
    pub fn translated(self, by: Vec3) -> Self {
        self.transformed(Isometry::from_parts(by.into(), Rotation::identity()), 1.0)
    }

    /// Rotates about the origin.
    pub fn rotated(self, by: Rotation) -> Self {
        self.transformed(Isometry::from_parts(Vec3::zeros().into(), by), 1.0)
    }

    /// Scales about the origin.
    pub fn scaled(self, factor: f64) -> Self {
        self.transformed(Isometry::identity(), factor)
    }

    /// Scales about the origin, then applies a rigid transform.
    pub fn transformed(self, transform: Isometry, factor: f64) -> Self {
        let bounds = if transform.rotation == Rotation::identity() {
            let shift = transform.translation.vector;
            Aabb { min: factor * self.bounds.min + shift, max: factor * self.bounds.max + shift }
        } else if self.bounds.size().iter().all(|length| length.is_finite()) {
            let corner = |k: usize| {
                Vec3::from_fn(|axis, _| if k >> axis & 1 == 1 { self.bounds.max[axis] } else { self.bounds.min[axis] })
            };
            let corners: Vec<Vec3> =
                (0..8).map(|k| transform.rotation * (factor * corner(k)) + transform.translation.vector).collect();
            Aabb::from_points(&corners)
        } else {
            UNBOUNDED
        };
        Self::new(Node::Transformed { field: self, transform, factor }, bounds)
    }

    /// `count` copies, each translated by `step` (m) from the previous one.
    pub fn repeated(self, step: Vec3, count: usize) -> Self {
        Self::union((0..count).map(|k| self.clone().translated(k as f64 * step)).collect())
    }

    /// Assigns a region number to the part inside another solid.
    pub fn with_region(self, part: Self, region: u16) -> Self {
        let bounds = self.bounds;
        Self::new(Node::Region { field: self, part, region }, bounds)
    }
}

/// Queries.
impl Field {
    /// Signed distance (m), negative inside: a 1-Lipschitz lower bound of the true distance.
    pub fn distance(&self, point: &Vec3) -> f64 {
        match &*self.node {
            Node::Sphere { radius } => primitives::ball_distance(point, *radius),
            Node::Ellipsoid { radii } => ellipsoid::distance(point, radii),
            Node::Block { half, rounding } => primitives::cuboid_distance(point, half) - rounding,
            Node::RoundCone { from, to, radii } => round_cone(&(point - from), &(to - from), *radii),
            Node::Torus { ring, tube } => hypotenuse(hypotenuse(point.x, point.z) - ring, point.y) - tube,
            Node::HalfSpace { normal, offset } => normal.dot(point) - offset,
            Node::Tube { path, radius } => hypotenuse(path.distance([point.x, point.y]), point.z) - radius,
            Node::Extrusion { profile, half_depth } => {
                corner_distance(profile.distance([point.x, point.y]), point.z.abs() - half_depth)
            }
            Node::Revolution { profile } => profile.distance([hypotenuse(point.x, point.z), point.y]),
            Node::Union(parts) => parts.iter().fold(f64::INFINITY, |nearest, part| {
                // A part whose box is farther than the nearest part cannot be nearer; most are
                // skipped.
                let away = part.outside_box(point);
                if away > nearest.max(0.0) { nearest } else { nearest.min(part.bounded_distance(point, away)) }
            }),
            Node::Intersection(parts) => {
                parts.iter().map(|part| part.distance(point)).fold(f64::NEG_INFINITY, f64::max)
            }
            Node::Difference { whole, part } => whole.distance(point).max(-part.distance(point)),
            Node::SmoothUnion { one, other, blend } => {
                let bounded_distance = |part: &Field| part.bounded_distance(point, part.outside_box(point));
                smooth_minimum(bounded_distance(one), bounded_distance(other), *blend)
            }
            Node::Offset { field, by } => field.distance(point) - by,
            Node::Shell { field, half_wall } => field.distance(point).abs() - half_wall,
            Node::Mirror { field, axis } => field.distance(&reflected(point, *axis)),
            Node::Transformed { field, transform, factor } => {
                factor * field.distance(&inverse_transformed(transform, *factor, point))
            }
            Node::Region { field, .. } => field.distance(point),
        }
    }

    /// Volume (m³) by cell integration, accurate to about 1e-3 for walls of `thinnest` (m) ≥ 1/100
    /// of the size; 0 if unbounded.
    pub fn integrated_volume(&self, thinnest: f64) -> f64 {
        volume::volume(self, thinnest)
    }

    /// Distance to the bounding box (m), 0 inside.
    fn outside_box(&self, point: &Vec3) -> f64 {
        self.bounds.distance_squared(point).sqrt()
    }

    /// The signed distance, at least the distance to the bounding box. Skipping a part by its box
    /// then changes nothing, and a blend stays within its box.
    fn bounded_distance(&self, point: &Vec3, away: f64) -> f64 {
        let distance = self.distance(point);
        if away > 0.0 { distance.max(away) } else { distance }
    }
}

impl Domain for Field {
    fn bounds(&self) -> Aabb {
        self.bounds
    }

    fn level(&self, point: &Vec3) -> f64 {
        -self.distance(point)
    }

    fn clearance(&self, point: &Vec3) -> f64 {
        self.distance(point).abs()
    }

    /// Central differences with a step of 1e-5 of the size.
    fn normal(&self, point: &Vec3) -> Option<Vec3> {
        let size = self.bounds.size().max();
        let step = 1e-5 * if size.is_finite() { size } else { 1.0 };
        let gradient = Vec3::from_fn(|axis, _| {
            let mut offset = Vec3::zeros();
            offset[axis] = step;
            (self.distance(&(point + offset)) - self.distance(&(point - offset))) / (2.0 * step)
        });
        // The gradient is shorter than 1 on edges and vanishes on medial surfaces.
        gradient.try_normalize(1e-2)
    }

    fn volume(&self) -> Option<f64> {
        Some(self.integrated_volume(self.bounds.size().min()))
    }

    fn region(&self, point: &Vec3) -> u16 {
        match &*self.node {
            Node::Region { field, part, region } => {
                if part.distance(point) <= 0.0 {
                    *region
                } else {
                    field.region(point)
                }
            }
            Node::Union(parts) => parts.iter().find(|part| part.contains(point)).map_or(0, |part| part.region(point)),
            Node::Intersection(parts) => parts.first().map_or(0, |part| part.region(point)),
            Node::SmoothUnion { one, other, .. } => {
                if one.distance(point) <= other.distance(point) {
                    one.region(point)
                } else {
                    other.region(point)
                }
            }
            Node::Difference { whole: field, .. } | Node::Offset { field, .. } | Node::Shell { field, .. } => {
                field.region(point)
            }
            Node::Mirror { field, axis } => field.region(&reflected(point, *axis)),
            Node::Transformed { field, transform, factor } => {
                field.region(&inverse_transformed(transform, *factor, point))
            }
            _ => 0,
        }
    }
}

/// Replaces a negative coordinate by its absolute value.
fn reflected(point: &Vec3, axis: usize) -> Vec3 {
    let mut image = *point;
    image[axis] = image[axis].abs();
    image
}

/// The point in the coordinates before the transform.
fn inverse_transformed(transform: &Isometry, factor: f64, point: &Vec3) -> Vec3 {
    let moved = point - transform.translation.vector;
    // Skips the quaternion product of an identity rotation, which costs more than a sphere's
    // distance.
    let turned = if transform.rotation == Rotation::identity() { moved } else { transform.rotation.inverse() * moved };
    turned / factor
}

/// √(x² + y²). Lengths of models are far from overflow, and `hypot` took a quarter of the time of
/// meshing a mug.
fn hypotenuse(x: f64, y: f64) -> f64 {
    (x * x + y * y).sqrt()
}

/// Smooth minimum: lowered by at most `blend`/4 where the two differ by less than `blend`. Its
/// partial derivatives are non-negative and add to 1, so it stays 1-Lipschitz.
fn smooth_minimum(one: f64, other: f64, blend: f64) -> f64 {
    let near = (blend - (one - other).abs()).max(0.0);
    let lowered = if blend > 0.0 { near * near / (4.0 * blend) } else { 0.0 };
    one.min(other) - lowered
}

/// Signed distance of the convex hull of two balls at the origin and at `axis`.
fn round_cone(point: &Vec3, axis: &Vec3, [first, second]: [f64; 2]) -> f64 {
    let length = axis.norm();
    let slope = (first - second) / length;
    if !(slope.abs() < 1.0) {
        // One ball contains the other.
        return if first >= second { point.norm() - first } else { (point - axis).norm() - second };
    }
    let along = point.dot(axis) / length;
    let across = (point - axis * (along / length)).norm();
    // Cosine of the cone's half-angle. Points project onto its side along the side's normal.
    let lean = (1.0 - slope * slope).sqrt();
    let height = lean * along - slope * across;
    if height <= 0.0 {
        point.norm() - first
    } else if height >= lean * length {
        (point - axis).norm() - second
    } else {
        lean * across + slope * along - first
    }
}
