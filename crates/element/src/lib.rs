//! Single-element mechanics that several methods share.
//!
//! [`Tetrahedron`] is the linear element of O'Brien & Hodgins 1999 with its strain, forces and
//! stiffness, [`CorotatedLaw`] its corotated form; [`Law`] the constitutive law; [`CollapseGuard`]
//! the penalty against collapse; [`SeparationTensor`] the fracture criterion at a node. The
//! optimised kernels of the methods are tested against these functions.
//!
//! Sheets: [`Membrane`] stretches and [`Plate`] bends by the angles of [`hinge`] (Pfaff et al.
//! 2014); [`QuadraticBending`] and [`CorotatedTriangle`] are the cheaper elements of layers.

mod corotated;
mod corotated_triangle;
mod guard;
pub mod hinge;
mod law;
pub mod membrane;
pub mod plate;
mod quadratic_bending;
mod separation;
#[cfg(test)]
mod testing;
mod tetrahedron;
mod voigt;

pub use corotated::{CorotatedLaw, Corotation};
pub use corotated_triangle::{CorotatedTriangle, polar_decomposition};
pub use guard::CollapseGuard;
pub use hinge::{HingePositions, dihedral_angle, dihedral_gradient};
pub use law::Law;
pub use membrane::{Membrane, PlaneStress, green_strain, plane_axes, plane_coordinates};
pub use plate::{BendingLaw, Plate, PlateEdge};
pub use quadratic_bending::QuadraticBending;
pub use separation::{
    MIN_AREA_FRACTION, SeparationTensor, min_separation_area, separation_area, separation_area_bound, tensile_part,
    tensile_parts,
};
pub use tetrahedron::{Tetrahedron, strain, strain_rate};
pub use voigt::{strain_vector, stress_matrix};
