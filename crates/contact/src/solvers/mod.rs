//! Contact solvers: what keeps collisions apart.
//!
//! | module | answer | used for |
//! |---|---|---|
//! | [`impulse`] | impulses by projected Gauss–Seidel | explicit bodies and obstacles |
//! | [`spring`] | springs in the equations of one body, by an active set | implicit bodies against obstacles |
//! | [`implicit`] | forces between bodies with a compliance, by an active set and conjugate gradients | implicit bodies against others |
//! | [`penalty`] | forces in proportion to penetration | bodies of tetrahedra, on request |
//! | [`self_overlap`] | the same, of a body with itself | pieces of one solid |
//! | [`impact_zones`] | end positions without collisions | what impulses do not resolve |

pub mod impact_zones;
pub mod implicit;
pub mod impulse;
pub mod penalty;
pub mod self_overlap;
pub mod spring;
