//! What a body shows to contact, and what it gets back.

use craze_math::{Mat3, Vec3};
use craze_spatial::Aabb;
use std::ops::Range;

/// The points of a body that can touch something, filled anew whenever contact looks at the body.
#[derive(Clone, Debug, Default)]
pub struct ContactSurface {
    /// The points, in an order that the body's state alone decides.
    pub points: Vec<SurfacePoint>,
}

/// How the points of a surface hang together. A body of particles has no triangles.
#[derive(Clone, Copy, Debug, Default)]
pub struct ContactTriangles<'a> {
    /// Another number whenever the triangles or the number of points have changed.
    pub version: u64,
    /// Three places in the list of points each; counter-clockwise seen from outside where the surface is closed.
    pub triangles: &'a [[u32; 3]],
    /// Whether matter lies behind the triangles (a solid) or on neither side of them (a sheet).
    pub is_closed: bool,
    /// Distance (m) that is kept from the triangles on top of the points' radii.
    pub skin: f64,
    /// For every point a number that is the same for all points that were one before a crack went through it, and no other's: the
    /// crack_faces of the crack lie on each other and are told apart by their outsides. Empty where nothing has broken.
    pub origins: &'a [u32],
}

/// The tetrahedra that a body consists of. Only bodies that are pushed apart by penalty forces are asked for them.
#[derive(Clone, Copy, Debug, Default)]
pub struct ContactTetrahedra<'a> {
    /// Another number whenever the tetrahedra or the number of nodes have changed.
    pub version: u64,
    /// Four places in the list of nodes each.
    pub tetrahedra: &'a [[u32; 4]],
    /// Those with a face on the surface, ascending.
    pub outer: &'a [u32],
    /// Pressure that resists a compression by all of its length (Pa): Young's modulus, of the stiffest material.
    pub modulus: f64,
    /// Edge of a cube as large as the body at rest (m).
    pub size: f64,
    /// Mean edge of its surface at rest (m).
    pub edge: f64,
    /// Speed of sound in it (m/s), in the quickest material; 0 if unknown.
    pub sound: f64,
}

/// Points of a surface that follow each other in its list, and a box around their whole way in the step.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactRun {
    /// Places in the list of points.
    pub points: Range<usize>,
    /// Around their middles, from state to prediction (m).
    pub bounds: Aabb,
}

/// One point that can touch. It moves with one dof of its body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoint {
    /// The dof, as the body numbers it; impulses come back under this number.
    pub dof: u32,
    /// Where it is at the start of the step (m).
    pub start: Vec3,
    /// Velocity at the start of the step (m/s).
    pub start_velocity: Vec3,
    /// Where it is predicted to be at the end of the step (m).
    pub end: Vec3,
    /// Predicted velocity at the end of the step (m/s).
    pub velocity: Vec3,
    /// One over its mass (1/kg); 0 for a point that is held.
    pub inverse_mass: f64,
    /// How far matter reaches around the point (m).
    pub radius: f64,
}

impl SurfacePoint {
    /// A point that nobody has shown yet.
    pub const NOWHERE: SurfacePoint = {
        let nowhere = Vec3::new(f64::NAN, f64::NAN, f64::NAN);
        SurfacePoint {
            dof: 0,
            start: nowhere,
            start_velocity: nowhere,
            end: nowhere,
            velocity: nowhere,
            inverse_mass: 0.0,
            radius: 0.0,
        }
    };
}

/// A push on one dof over a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impulse {
    /// The dof, as the body numbered it in its surface.
    pub dof: u32,
    /// The impulse (N·s).
    pub impulse: Vec3,
}

/// A contact as an implicit body wants it: a force at the predicted place and how it changes as the point moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSpring {
    /// The dofs, as the body numbered them in its surface, of which the point is a weighted sum. They are those of one node, edge or
    /// face.
    pub dofs: [u32; 3],
    /// Their weights; unused places have weight 0.
    pub weights: [f64; 3],
    /// The obstacle that is touched, as the world numbers them; none for another body.
    pub obstacle: Option<u32>,
    /// A force (N) that is there wherever the point is.
    pub force: Vec3,
    /// Where the stiffness adds nothing to it (m).
    pub anchor: Vec3,
    /// Unit normal out of the thing that is touched: a contact may push along it, never pull.
    pub normal: Vec3,
    /// Force a metre away from the anchor, symmetric positive semidefinite (N/m).
    pub stiffness: Mat3,
    /// Coulomb's coefficient.
    pub friction: f64,
}

impl ContactSpring {
    /// The dofs with their weights, unused places left out.
    pub fn bearers(&self) -> impl Iterator<Item = (usize, f64)> + Clone + use<> {
        let (dofs, weights) = (self.dofs, self.weights);
        (0..3).map(move |k| (dofs[k] as usize, weights[k])).filter(|(_, weight)| *weight != 0.0)
    }

    /// Where the point is (m) when its dofs are at these places (m).
    pub fn place(&self, places: impl Fn(usize) -> Vec3) -> Vec3 {
        self.bearers().map(|(dof, weight)| weight * places(dof)).sum()
    }

    /// Energy (J) of the contact at a place (m), up to a constant: its slope is the force, turned round.
    pub fn energy(&self, place: &Vec3) -> f64 {
        let away = place - self.anchor;
        0.5 * away.dot(&(self.stiffness * away)) - self.force.dot(place)
    }

    /// Force (N) on a point that is at `place` (m).
    pub fn force(&self, place: &Vec3) -> Vec3 {
        self.force + self.stiffness * (self.anchor - place)
    }

    /// Force along the normal (N) on a point that is at `place` (m); negative if the contact pulls.
    pub fn push(&self, place: &Vec3) -> f64 {
        self.force(place).dot(&self.normal)
    }

    /// Makes the contact drag along its plane as friction does on a point that is at `place` (m): with the coefficient times the
    /// push, opposite to the way it has slid, or less where a spring as stiff as the contact itself already holds it.
    /// Says by what share of itself the drag changed; 0 where there is no friction.
    pub fn drag(&mut self, place: &Vec3) -> f64 {
        let across = self.normal * self.normal.transpose();
        let along = Mat3::identity() - across;
        let stiffness = self.normal.dot(&(self.stiffness * self.normal));
        let dragged = 0.5 * (self.stiffness.trace() - stiffness);
        let slid = (along * (place - self.anchor)).norm();
        let most = self.friction * self.push(place).max(0.0);
        let wanted = if stiffness * slid > most { most / slid } else { stiffness };
        self.stiffness = stiffness * across + wanted * along;
        let larger = wanted.max(dragged);
        if larger > 0.0 { (wanted - dragged).abs() / larger } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pressed() -> ContactSpring {
        let stiffness = 100.0 * Vec3::y() * Vec3::y().transpose();
        ContactSpring {
            dofs: [0; 3],
            weights: [1.0, 0.0, 0.0],
            obstacle: Some(0),
            force: Vec3::zeros(),
            anchor: Vec3::zeros(),
            normal: Vec3::y(),
            stiffness,
            friction: 0.5,
        }
    }

    #[test]
    fn friction_drags_with_its_share_of_the_push() {
        let mut contact = pressed();
        let place = Vec3::new(0.3, -0.1, 0.4); // pushed with 10 N, slid by 0.5 m
        assert_eq!(contact.drag(&place), 1.0);
        assert!((contact.force(&place) - Vec3::new(-3.0, 10.0, -4.0)).norm() < 1e-12);
        assert_eq!(contact.drag(&place), 0.0, "it has found its answer");
    }

    #[test]
    fn friction_holds_what_would_slide_less_than_the_contact_gives() {
        let mut contact = pressed();
        let place = Vec3::new(0.01, -0.1, 0.0);
        contact.drag(&place);
        assert!((contact.force(&place) - Vec3::new(-1.0, 10.0, 0.0)).norm() < 1e-12, "stiff, and less than 5 N");
        contact.drag(&Vec3::new(0.01, 0.1, 0.0));
        assert!((contact.force(&place) - Vec3::new(0.0, 10.0, 0.0)).norm() < 1e-12, "nothing presses: nothing drags");
    }
}
