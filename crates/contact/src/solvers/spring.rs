//! Springs in the equations of one implicit body: an active set with hardening, and Coulomb friction
//! as a secant stiffness that lags by one prediction.

use crate::collisions::{Collision, CollisionKey, SideName, Stencil};
use crate::friction::secant_stiffness;
use crate::responses::ContactSpring;
use crate::tolerances::{FRICTION_CHANGE, HARDENING_FACTOR, MAX_HARDENING, MAX_SPRING_PENETRATION};
use craze_math::{Mat3, Vec3};

/// A collision that a spring in the equations of a body, the first side, keeps from happening.
#[derive(Clone, Debug, PartialEq)]
pub struct SpringContact {
    /// The collision as it was found.
    pub collision: Collision<SideName>,
    /// The spring as the body receives it.
    pub spring: ContactSpring,
}

impl SpringContact {
    /// A spring along the normal (N/m) that is at rest at a position of the contact point (m), without
    /// friction so far.
    pub fn new(collision: Collision<SideName>, stencil: Stencil, anchor: Vec3, stiffness: f64) -> SpringContact {
        let normal = &collision.normal;
        let stiffness = stiffness * normal * normal.transpose();
        SpringContact { collision, spring: ContactSpring { stencil, force: Vec3::zeros(), anchor, stiffness } }
    }

    /// Identifies the contact from step to step.
    pub fn key(&self) -> CollisionKey {
        self.collision.sides
    }

    /// Normal force (N) at a position of the contact point (m); negative if the contact pulls.
    pub fn normal_force(&self, position: &Vec3) -> f64 {
        self.spring.force(position).dot(&self.collision.normal)
    }

    /// Stiffness along the normal (N/m).
    pub fn normal_stiffness(&self) -> f64 {
        self.collision.normal.dot(&(self.spring.stiffness * self.collision.normal))
    }

    /// Corrects the spring by a prediction of the contact point (m). It is hardened, up to a multiple
    /// of the usual stiffness (N/m), where it has used up too much of the contact distance (m):
    /// what then passes the surface would have to be pushed out again. Friction follows from normal
    /// force and slip. Returns true if the body has to predict again.
    pub fn correct(&mut self, position: &Vec3, contact_distance: f64, usual_stiffness: f64) -> bool {
        let depth = (self.spring.anchor - position).dot(&self.collision.normal);
        let is_too_deep = depth > MAX_SPRING_PENETRATION * contact_distance;
        let hardens = is_too_deep && self.normal_stiffness() < MAX_HARDENING * usual_stiffness;
        if hardens {
            self.spring.stiffness *= HARDENING_FACTOR;
        }
        self.update_friction(position) > FRICTION_CHANGE || hardens
    }

    /// Sets the tangential stiffness to that of Coulomb friction at a position of the contact point
    /// (m): the secant stiffness of a spring that is as stiff as the normal one until it slips.
    /// Returns the relative change of the tangential stiffness; 0 without friction.
    pub fn update_friction(&mut self, position: &Vec3) -> f64 {
        let Collision { normal, material, .. } = &self.collision;
        let across = normal * normal.transpose();
        let along = Mat3::identity() - across;
        let stiffness = self.normal_stiffness();
        let former = 0.5 * (self.spring.stiffness.trace() - stiffness);
        let slid = (along * (position - self.spring.anchor)).norm();
        let normal_force = self.normal_force(position).max(0.0);
        let tangential = secant_stiffness(material.friction, normal_force, stiffness, slid);
        self.spring.stiffness = stiffness * across + tangential * along;
        let larger = tangential.max(former);
        if larger > 0.0 { (tangential - former).abs() / larger } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::friction::ContactMaterial;

    fn pressed() -> SpringContact {
        let collision = Collision {
            sides: [[0, 0, u32::MAX, u32::MAX], [1, u32::MAX, u32::MAX, u32::MAX]],
            point: Vec3::zeros(),
            normal: Vec3::y(),
            gap_at_start: 0.0,
            gap_at_end: -0.1,
            material: ContactMaterial { friction: 0.5, restitution: 0.0 },
            applied: None,
        };
        SpringContact::new(collision, Stencil::single(0), Vec3::zeros(), 100.0)
    }

    #[test]
    fn friction_drags_with_its_share_of_the_push() {
        let mut contact = pressed();
        let position = Vec3::new(0.3, -0.1, 0.4); // pushed with 10 N, slid by 0.5 m
        assert_eq!(contact.update_friction(&position), 1.0);
        assert!((contact.spring.force(&position) - Vec3::new(-3.0, 10.0, -4.0)).norm() < 1e-12);
        assert_eq!(contact.update_friction(&position), 0.0, "it has found its answer");
    }

    #[test]
    fn friction_holds_what_would_slide_less_than_the_contact_gives() {
        let mut contact = pressed();
        let position = Vec3::new(0.01, -0.1, 0.0);
        contact.update_friction(&position);
        let force = contact.spring.force(&position);
        assert!((force - Vec3::new(-1.0, 10.0, 0.0)).norm() < 1e-12, "stiff, and less than 5 N");
        contact.update_friction(&Vec3::new(0.01, 0.1, 0.0));
        let force = contact.spring.force(&position);
        assert!((force - Vec3::new(0.0, 10.0, 0.0)).norm() < 1e-12, "nothing presses: nothing drags");
    }

    #[test]
    fn a_spring_hardens_only_where_it_uses_up_the_contact_distance() {
        let mut contact = pressed();
        contact.collision.material.friction = 0.0;
        let distance = 0.1;
        let shallow = Vec3::new(0.0, -0.5 * MAX_SPRING_PENETRATION * distance, 0.0);
        assert!(!contact.correct(&shallow, distance, 100.0), "nothing to correct");
        assert_eq!(contact.normal_stiffness(), 100.0);
        let deep = Vec3::new(0.0, -2.0 * MAX_SPRING_PENETRATION * distance, 0.0);
        assert!(contact.correct(&deep, distance, 100.0));
        assert_eq!(contact.normal_stiffness(), 100.0 * HARDENING_FACTOR);
        let corrections = (0..100).take_while(|_| contact.correct(&deep, distance, 100.0)).count();
        assert!(corrections < 100, "the stiffness has a limit");
        assert!(contact.normal_stiffness() >= MAX_HARDENING * 100.0);
    }
}
