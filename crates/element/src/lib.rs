//! Single-element mechanics that several methods share.
//!
//! [`Tetrahedron`] is the linear element of O'Brien & Hodgins 1999 with its strain, forces and
//! stiffness, [`CorotatedLaw`] its corotated form; [`Law`] the constitutive law; [`CollapseGuard`]
//! the penalty against collapse; [`SeparationTensor`] the fracture criterion at a node. The
//! optimised kernels of the methods are tested against these functions.

mod corotated;
mod guard;
mod law;
mod separation;
mod tetrahedron;
mod voigt;

pub use corotated::{CorotatedLaw, Corotation};
pub use guard::CollapseGuard;
pub use law::Law;
pub use separation::{
    MIN_AREA_FRACTION, SeparationTensor, min_separation_area, separation_area, separation_area_bound, tensile_part,
    tensile_parts,
};
pub use tetrahedron::{Tetrahedron, strain, strain_rate};
pub use voigt::{strain_vector, stress_matrix};
