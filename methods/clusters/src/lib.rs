//! Bodies of particles that are drawn to matching rest shapes, flow and tear: Jones et al. 2016.
//!
//! A cloud of particles is held together by overlapping clusters. Every step the rest shape of each is laid over its members as well as a
//! turn and a shift can, and every particle is pulled to the mean of its places in them ([`Clusters::goals`]). A cluster that is strained
//! beyond its yield flows; one that is stretched beyond its toughness splits, and particles on its border part.
//!
//! # What it computes
//! With masses m, rest positions r, positions x and bars for centres of mass:
//! - F = A_xr·A_rr⁺, A_xr = Σ m (x − x̄)(r − r̄)ᵀ, A_rr likewise (2)–(4). The pseudoinverse drops directions in which
//!   the cloud has no width: flat, straight and single-particle clouds are welcome.
//! - F = R·S by polar decomposition (5), R proper also where F is inverted.
//! - F^e = F·(F^p)⁻¹ (9) takes the place of F where a cluster has flowed, and goals are g = Σ w (R·F^p·(r − r̄) + x̄) (6), (8), READINGS 23.
//! - symplectic Euler: v' = v + α(g − x)/Δt + Δt·gravity, x' = x + Δt·v'.
//!
//! A breathing mode then has cos(ωΔt) = 1 − α/2: its period is 6 Δt at α = 1 and 12.433 Δt at α = 0.25.
//!
//! # Stiffness and the time step
//! α ([`Cluster::goal_stiffness`](craze_material::Cluster::goal_stiffness)) is meant at the body's own reference step Δt₀
//! ([`Options::time_step`]). Where the world takes a smaller Δt because another body asks for it, the pull is α·(Δt/Δt₀)², so that
//! the springs keep their stiffness α·m/Δt₀² (N/m).
//!
//! # What is kept
//! Linear momentum is kept to rounding, and so is angular momentum where S commutes with A_rr: in a cube, a ball, any cloud whose A_rr is
//! a multiple of the identity. A cube that vibrates and spins for 600 steps keeps the first to 2e-14 and the second to 3e-14.
//! Elsewhere the pull has a moment, the axial vector of R(A_rr·S − S·A_rr)Rᵀ (READINGS 26). It belongs to the paper's choice of
//! F over A_xr and is left in place. It is not small in a long body that spins about an axis that is no axis of its own: the
//! stretch by the spin is enough for a moment that turns the angular momentum along. In ten seconds of a 4:1:1 bar at
//! 2.3 rad/s about an oblique axis, α = 1, angular momentum strays by up to 1.07 of itself at a shear of 1 % and by 1.60 at 10 %.
//! A body in rigid flight ([`Options::rest_strain`]) keeps both momenta exactly.
//!
//! # What it reads of a material
//! Density, the numbers of clusters (goal stiffness, yield, flow, hardening, toughness), and of the damping `time` (as the decay rate time·α/Δt₀² of motion that is not rigid) and `mass`.
//! Elastic moduli and viscosities belong to methods that know stress.

#[cfg(test)]
mod breaking;
mod chunks;
mod cluster;
mod collide;
mod failure;
mod fits;
mod flight;
mod flow;
mod forces;
mod frame;
mod grid;
mod limit;
mod loads;
mod membership;
mod method;
mod model;
mod options;
mod partition;
mod pieces;
mod save;
mod split;
mod step;
#[cfg(test)]
mod testing;

pub use model::{Cloud, Clusters};
pub use options::{ClusterError, Options};
pub use partition::Clustering;
pub use save::load;

/// Name of the method in scene files and checkpoints.
pub const KIND: &str = "clusters";
