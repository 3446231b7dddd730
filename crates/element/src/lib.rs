//! Physics that methods share, one element at a time.
//!
//! [`Tetrahedron`] is the linear element of O'Brien & Hodgins 1999 with its strain, forces and stiffness, [`Law`] the
//! stress that a material answers with, [`CollapseGuard`] what keeps an element from being crushed to nothing,
//! [`Separation`] what pulls a node apart. The fast kernels of the methods are tested against what stands here.

mod guard;
mod law;
mod separation;
mod tetrahedron;
mod voigt;

pub use guard::CollapseGuard;
pub use law::Law;
pub use separation::{
    LEAST_SHARE, Separation, area_across, bound_of_area_across, least_area_across, tensile_part, tensile_parts,
};
pub use tetrahedron::{Tetrahedron, strain, strain_rate};
pub use voigt::{strain_vector, stress_matrix};
