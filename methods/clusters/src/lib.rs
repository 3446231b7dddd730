//! Clustered shape matching: Jones et al. 2016, "Ductile Fracture for Clustered Shape Matching".
//!
//! A body is a cloud of particles with overlapping clusters. In every step the rest shape of each
//! cluster is fitted to its particles by a rotation and a translation, and every particle is pulled
//! toward the mean of its goal positions ([`Clusters::goals`]). A cluster that is strained beyond
//! its yield strain flows; one that is stretched beyond its toughness splits, and particles on the
//! plane of the split are duplicated.
//!
//! # What it computes
//! With masses m, rest positions r, positions x and bars for centres of mass:
//! - F = A_xr·A_rr⁺, A_xr = Σ m (x − x̄)(r − r̄)ᵀ, A_rr likewise (2)–(4). The pseudoinverse drops
//!   directions in which the cloud has no width: flat, straight and single-particle clouds are
//!   welcome.
//! - R by the polar decomposition of A_xr·F^pᵀ, which has the least (1), proper also where F is
//!   inverted.
//! - F^e = F·(F^p)⁻¹ (9) takes the place of F where a cluster has flowed, and goals are g = Σ w
//!   (R·F^p·(r − r̄) + x̄) (6), (8), READINGS 23.
//! - symplectic Euler: v' = v + α(g − x)/Δt + Δt·gravity, x' = x + Δt·v'.
//!
//! A breathing mode then has cos(ωΔt) = 1 − α/2: its period is 6 Δt at α = 1 and 12.433 Δt at α =
//! 0.25.
//!
//! # Stiffness and the time step
//! α ([`Cluster::goal_stiffness`](craze_material::Cluster::goal_stiffness)) is meant at the body's
//! own reference step Δt₀ ([`Options::time_step`]). Where the world takes a smaller Δt because
//! another body asks for it, the pull is α·(Δt/Δt₀)², so that the springs keep their stiffness
//! α·m/Δt₀² (N/m).
//!
//! # Conserved quantities
//! Linear and angular momentum are conserved to rounding: a cube and a 4:1:1 bar that vibrate and
//! spin for 600 steps conserve both to 3e-14. The reason is that R minimises Σ m |g − x|² (1), by
//! the polar decomposition of A_xr·F^pᵀ. The paper takes the rotation of F^e. Where S does not
//! commute with F^p·A_rr·F^pᵀ (READINGS 26) its goals exert a moment and derive from no potential:
//! the bar's angular momentum drifts by a factor of 1.6 in ten seconds, and a ball that lands and
//! flows, α = 0.9, gains up to 75,000 times its energy. Flow and fracture use F^e = F·(F^p)⁻¹ as
//! the paper does.
//!
//! The springs conserve energy; flow, strain limiting and fracture decrease it. The energy in the
//! ledger is the one that a step of this length conserves: velocities belong to the middle of a
//! step, and so does the elastic energy.
//!
//! # Material parameters
//! Density; goal stiffness, yield strain, flow rate, hardening and toughness of clusters; and of
//! the damping `time` (a decay rate of time·α/Δt₀² for motion that is not rigid) and `mass`.
//! Elastic moduli and viscosities are for methods that compute stress.

mod chunks;
mod cluster;
mod collide;
#[cfg(test)]
mod conservation_tests;
mod describe;
mod disturbance;
mod energy;
mod failure;
mod fits;
mod flow;
mod forces;
#[cfg(test)]
mod fracture_tests;
mod frame;
mod grid;
mod limit;
mod loads;
mod membership;
mod method;
mod model;
mod options;
mod packed;
mod parameters;
mod partition;
mod pieces;
mod pull;
mod rigid_mode;
mod save;
mod skin;
mod snapshot;
mod split;
mod step;
mod survey;
#[cfg(test)]
mod testing;
mod tuning;

pub use model::{Cloud, Clusters};
pub use options::{ClusterError, ClustersTable, Options, Seam};
pub use parameters::MATERIAL;
pub use partition::Clustering;
pub use save::load;

/// Name of the method in scene files and checkpoints.
pub const KIND: &str = "clusters";
