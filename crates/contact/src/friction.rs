//! Coulomb's law of friction: the one definition that all solvers use.
//!
//! The tangential force (or impulse) of a contact is at most μ times the normal one. Below that
//! limit the contact sticks; at the limit it slips, and friction opposes the sliding.

use craze_math::Vec3;

/// How two surfaces answer to contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactMaterial {
    /// Friction coefficient μ (1).
    pub friction: f64,
    /// Share of the approach speed that comes back (1).
    pub restitution: f64,
}

/// The tangential state of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Friction {
    /// The contact bears the tangential force.
    Stick,
    /// The tangential force is larger than the contact bears.
    Slip {
        /// The largest one that it bears, in the unit of the force.
        limit: f64,
    },
}

/// Coulomb's law: whether a contact with a friction coefficient (1) and a normal force bears a
/// tangential force. Forces may be impulses, both in the same unit and not negative.
#[inline]
pub fn coulomb(coefficient: f64, normal: f64, tangential: f64) -> Friction {
    let limit = coefficient * normal;
    if tangential > limit { Friction::Slip { limit } } else { Friction::Stick }
}

/// The share (1) of a tangential force that a contact bears.
#[inline]
pub fn borne_share(coefficient: f64, normal: f64, tangential: f64) -> f64 {
    match coulomb(coefficient, normal, tangential) {
        Friction::Stick => 1.0,
        Friction::Slip { limit } => limit / tangential,
    }
}

/// Projects a tangential force onto the disc of radius μ times the normal force.
#[inline]
pub fn project_tangential(coefficient: f64, normal: f64, tangential: Vec3) -> Vec3 {
    let size = tangential.norm();
    match coulomb(coefficient, normal, size) {
        Friction::Stick => tangential,
        Friction::Slip { limit } => tangential * (limit / size),
    }
}

/// Projects a force onto the friction cone about a unit normal by limiting its parts: no tension,
/// then no more friction than the normal part bears.
#[inline]
pub fn project(coefficient: f64, normal: &Vec3, force: &Vec3) -> Vec3 {
    let along = force.dot(normal);
    let pressure = along.max(0.0);
    pressure * normal + project_tangential(coefficient, pressure, force - along * normal)
}

/// Secant stiffness (N/m) of friction as a tangential spring that has slid by a distance (m):
/// `stiffness` (N/m) while it sticks, and the limit over the distance while it slips; 0 without
/// friction, also before anything has slid.
#[inline]
pub fn secant_stiffness(coefficient: f64, normal: f64, stiffness: f64, slid: f64) -> f64 {
    if coefficient == 0.0 {
        return 0.0;
    }
    match coulomb(coefficient, normal, stiffness * slid) {
        Friction::Stick => stiffness,
        Friction::Slip { limit } => limit / slid,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contact_sticks_up_to_the_limit_and_slips_beyond_it() {
        assert_eq!(coulomb(0.5, 4.0, 2.0), Friction::Stick);
        assert_eq!(coulomb(0.5, 4.0, 2.1), Friction::Slip { limit: 2.0 });
        assert_eq!(coulomb(0.5, 0.0, 1e-9), Friction::Slip { limit: 0.0 });
        assert_eq!(borne_share(0.5, 4.0, 4.0), 0.5);
    }

    #[test]
    fn projection_keeps_direction_and_removes_tension() {
        let force = Vec3::new(3.0, 10.0, 4.0);
        assert_eq!(project(0.5, &Vec3::y(), &force), force, "5 N are just borne");
        let slipping = project(0.1, &Vec3::y(), &force);
        assert!((slipping - Vec3::new(0.6, 10.0, 0.8)).norm() < 1e-12, "{slipping}");
        assert_eq!(project(0.5, &Vec3::y(), &-force), Vec3::zeros());
    }

    #[test]
    fn the_secant_spring_never_exceeds_the_limit() {
        assert_eq!(secant_stiffness(0.5, 10.0, 100.0, 0.04), 100.0);
        let slipping = secant_stiffness(0.5, 10.0, 100.0, 0.2);
        assert!((slipping * 0.2 - 5.0).abs() < 1e-12, "{slipping}");
        assert_eq!(secant_stiffness(0.5, 0.0, 100.0, 0.2), 0.0);
    }
}
