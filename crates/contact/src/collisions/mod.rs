//! Collisions: pairs that come too close in a step.
//!
//! [`features`] follows candidates of two surfaces through the step, [`obstacle`] points against
//! signed distances, [`overlap`] finds the volumes that two bodies of tetrahedra share. [`initial`]
//! moves faces that are placed flush on each other apart before a run.
//!
//! A [`Collision`] is found between surface points ([`PointSum`]) and solved for between degrees of
//! freedom ([`Side`]).

pub mod features;
pub mod initial;
pub mod obstacle;
pub mod overlap;
mod stencil;

pub use stencil::Stencil;

use crate::friction::ContactMaterial;
use craze_math::Vec3;

/// Two sides that come too close in a step. `S` is what a side consists of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collision<S = Side> {
    /// The side that is pushed along the normal, and the one that is pushed against it.
    pub sides: [S; 2],
    /// The contact point in the world (m).
    pub point: Vec3,
    /// Unit normal from the second side to the first, in the world.
    pub normal: Vec3,
    /// What is left of the contact distance at the start of the step (m), negative where the sides
    /// are too close.
    pub gap_at_start: f64,
    /// The same at the predicted end of the step, along the normal (m).
    pub gap_at_end: f64,
    /// Friction and restitution.
    pub material: ContactMaterial,
    /// The impulse (N·s) with friction that an implicit body, the first side, already has in its
    /// own equations: the second side has still to receive it.
    pub applied: Option<Vec3>,
}

impl<S> Collision<S> {
    /// The same collision between other sides; `convert` gets each side with its number.
    pub fn map<T>(self, mut convert: impl FnMut(usize, S) -> T) -> Collision<T> {
        let Collision { sides: [first, second], point, normal, gap_at_start, gap_at_end, material, applied } = self;
        let sides = [convert(0, first), convert(1, second)];
        Collision { sides, point, normal, gap_at_start, gap_at_end, material, applied }
    }

    /// The same collision, seen from the second side.
    pub fn swapped(self) -> Collision<S> {
        let [first, second] = self.sides;
        Collision { sides: [second, first], normal: -self.normal, ..self }
    }
}

/// A weighted sum of up to three points of a surface: a vertex, a point on an edge or on a
/// triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointSum {
    /// The points, ascending; unused entries repeat the first.
    pub points: [u32; 3],
    /// Their weights, which sum to one; 0 for unused entries.
    pub weights: [f64; 3],
}

impl PointSum {
    /// No point: the side of an obstacle.
    pub const NONE: PointSum = PointSum { points: [u32::MAX; 3], weights: [0.0; 3] };

    /// A single point.
    pub fn single(point: u32) -> PointSum {
        PointSum { points: [point; 3], weights: [1.0, 0.0, 0.0] }
    }

    /// Points in ascending order, without those of weight 0: the same side reads the same, whatever
    /// feature it was found with.
    pub fn new(points: [u32; 3], weights: [f64; 3]) -> PointSum {
        let mut list = [(u32::MAX, 0.0); 3];
        for (place, entry) in points.into_iter().zip(weights).filter(|entry| entry.1 != 0.0).enumerate() {
            list[place] = entry;
        }
        list.sort_unstable_by_key(|entry| entry.0);
        let first = list[0].0;
        let points = list.map(|entry| if entry.1 == 0.0 { first } else { entry.0 });
        PointSum { points, weights: list.map(|entry| entry.1) }
    }

    /// The points with their weights, without unused entries.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (u32, f64)> + Clone + use<> {
        let PointSum { points, weights } = *self;
        (0..3).map(move |k| (points[k], weights[k])).filter(|entry| entry.1 != 0.0)
    }
}

/// A side as solvers see it.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    /// Identifies the side from step to step.
    pub name: SideName,
    /// What an impulse on it moves.
    pub parts: Parts,
}

/// What an impulse on a side moves.
#[derive(Clone, Debug, PartialEq)]
pub enum Parts {
    /// A weighted sum of entries of the list of degrees of freedom.
    Dofs(Stencil),
    /// An entry of the list of rigid bodies, at the contact point.
    Rigid(u32),
}

impl Side {
    /// The degrees of freedom, or none for a rigid body.
    pub fn stencil(&self) -> Option<&Stencil> {
        match &self.parts {
            Parts::Dofs(stencil) => Some(stencil),
            Parts::Rigid(_) => None,
        }
    }

    /// The rigid body, if it is one.
    pub fn rigid(&self) -> Option<u32> {
        match self.parts {
            Parts::Dofs(_) => None,
            Parts::Rigid(body) => Some(body),
        }
    }
}

/// Identifies a side from step to step: its owner and up to three of its points, `u32::MAX` where
/// there is none.
pub type SideName = [u32; 4];

/// Identifies a collision from step to step by the names of its sides.
pub type CollisionKey = [SideName; 2];

impl Collision {
    /// Identifies the collision from step to step.
    pub fn key(&self) -> CollisionKey {
        [self.sides[0].name, self.sides[1].name]
    }
}
