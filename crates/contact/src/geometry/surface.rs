//! Lists of which collision geometry consists: points, triangles, tetrahedra.

use crate::collisions::Stencil;
use crate::responses::Impulse;
use craze_math::Vec3;
use craze_spatial::Aabb;
use std::ops::Range;

/// The points of a body that can collide, filled in whenever contact asks for them.
#[derive(Clone, Debug, Default)]
pub struct ContactSurface {
    /// The points, in an order that depends on the state of the body only.
    pub points: Vec<SurfacePoint>,
    /// The degrees of freedom of points that have several; empty if each point moves with its own.
    /// A body with stencils hands over all points at once, not in runs.
    pub stencils: PointStencils,
}

impl ContactSurface {
    /// A point as a sum of degrees of freedom of its body.
    pub fn stencil(&self, point: u32) -> Stencil {
        if self.stencils.is_empty() {
            return Stencil::single(self.points[point as usize].dof);
        }
        self.stencils.of(point).iter().map(|entry| (entry.dof, entry.weight)).collect()
    }

    /// The impulses on the degrees of freedom for one on a point (N·s).
    pub fn impulses(&self, point: u32, impulse: Vec3) -> impl Iterator<Item = Impulse> {
        let several = if self.stencils.is_empty() { &[][..] } else { self.stencils.of(point) };
        let single = self.stencils.is_empty().then(|| Impulse { dof: self.points[point as usize].dof, impulse });
        let several = several.iter().map(move |entry| Impulse { dof: entry.dof, impulse: entry.weight * impulse });
        single.into_iter().chain(several)
    }

    /// Removes all points.
    pub fn clear(&mut self) {
        self.points.clear();
        self.stencils.clear();
    }
}

/// Degrees of freedom of which the points of a surface are weighted sums: those of a finer surface
/// that is embedded in tetrahedra, or of enriched elements.
#[derive(Clone, Debug, Default)]
pub struct PointStencils {
    entries: Vec<SurfaceDof>,
    /// For each point, where its entries end.
    ends: Vec<u32>,
}

/// A degree of freedom of a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceDof {
    /// Its number in the body.
    pub dof: u32,
    /// Its weight in the position of the point (1).
    pub weight: f64,
    /// Its predicted velocity at the end of the step (m/s).
    pub velocity: Vec3,
    /// One over its mass (1/kg); 0 if it is held.
    pub inverse_mass: f64,
}

impl PointStencils {
    /// Adds the degrees of freedom of the next point.
    pub fn push(&mut self, dofs: impl IntoIterator<Item = SurfaceDof>) {
        self.entries.extend(dofs);
        self.ends.push(self.entries.len() as u32);
    }

    /// True if each point moves with its own degree of freedom.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The degrees of freedom of a point; none for a point that has not been added.
    pub fn of(&self, point: u32) -> &[SurfaceDof] {
        let point = point as usize;
        let Some(&end) = self.ends.get(point) else { return &[] };
        let begin = if point > 0 { self.ends[point - 1] } else { 0 };
        &self.entries[begin as usize..end as usize]
    }

    fn clear(&mut self) {
        self.entries.clear();
        self.ends.clear();
    }
}

/// The triangles of a surface. A body of particles has none.
#[derive(Clone, Copy, Debug, Default)]
pub struct ContactTriangles<'a> {
    /// Changes whenever the triangles or the number of points have changed.
    pub version: u64,
    /// Three indices of points each; counter-clockwise seen from outside where the surface is
    /// closed.
    pub triangles: &'a [[u32; 3]],
    /// True if matter lies behind the triangles (a solid), false if it lies on neither side (a
    /// sheet).
    pub is_closed: bool,
    /// Distance (m) that the triangles keep in addition to the radii of the points.
    pub skin: f64,
    /// For each point a number that is the same for all points that a crack has made of one: faces
    /// of a closed crack coincide, and only their outward normals tell their sides. Empty where
    /// nothing has broken.
    pub origins: &'a [u32],
}

/// The tetrahedra of a body, for penalty forces.
#[derive(Clone, Copy, Debug, Default)]
pub struct ContactTetrahedra<'a> {
    /// Changes whenever the tetrahedra or the number of nodes have changed.
    pub version: u64,
    /// Four indices of nodes each.
    pub tetrahedra: &'a [[u32; 4]],
    /// Those with a face on the surface, ascending.
    pub outer: &'a [u32],
    /// Young's modulus of the stiffest material (Pa).
    pub modulus: f64,
    /// Edge of a cube of the volume of the body at rest (m).
    pub size: f64,
    /// Mean edge of its surface at rest (m).
    pub edge: f64,
    /// Largest speed of sound (m/s); 0 if unknown.
    pub sound: f64,
}

/// A run of consecutive points of a surface, and the box that they sweep in the step.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactRun {
    /// Indices of the points.
    pub points: Range<usize>,
    /// Bounding box of their positions in state and prediction (m), radii not counted.
    pub bounds: Aabb,
}

/// A point that can collide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoint {
    /// The degree of freedom with which it moves, as the body numbers them. A point with several
    /// (see [`PointStencils`]) has a number here that identifies it from step to step.
    pub dof: u32,
    /// Position at the start of the step (m).
    pub start: Vec3,
    /// Velocity at the start of the step (m/s).
    pub start_velocity: Vec3,
    /// Predicted position at the end of the step (m).
    pub end: Vec3,
    /// Predicted velocity at the end of the step (m/s).
    pub velocity: Vec3,
    /// One over its mass (1/kg), or the sum of w²/m over its degrees of freedom; 0 if it is held.
    pub inverse_mass: f64,
    /// Radius of the matter around the point (m).
    pub radius: f64,
}

impl SurfacePoint {
    /// A point that has not been filled in.
    pub const UNSET: SurfacePoint = {
        let unset = Vec3::new(f64::NAN, f64::NAN, f64::NAN);
        SurfacePoint {
            dof: 0,
            start: unset,
            start_velocity: unset,
            end: unset,
            velocity: unset,
            inverse_mass: 0.0,
            radius: 0.0,
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_several_degrees_of_freedom_keep_theirs() {
        let entry = |dof: u32| SurfaceDof { dof, weight: 0.25, velocity: Vec3::zeros(), inverse_mass: 1.0 };
        let mut stencils = PointStencils::default();
        assert!(stencils.is_empty());
        stencils.push((0..4).map(entry));
        stencils.push([entry(9)]);
        assert_eq!(stencils.of(0).iter().map(|entry| entry.dof).collect::<Vec<_>>(), [0, 1, 2, 3]);
        assert_eq!(stencils.of(1), [entry(9)]);
    }
}
