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
//! - R by the polar decomposition of A_xr·F^pᵀ, which has the least (1), proper also where F is inverted.
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
//! Linear and angular momentum are kept to rounding: a cube and a 4:1:1 bar that vibrate and spin for 600 steps keep both to 3e-14. That is so
//! because R lays the rest shape over the members with the least Σ m |g − x|² (1), by the polar decomposition of A_xr·F^pᵀ. The paper takes
//! that of F^e. Where S does not commute with F^p·A_rr·F^pᵀ (READINGS 26) goals then pull with a moment, and the pull is the slope of no
//! energy: that bar strays by 1.6 of its angular momentum in ten seconds, and a ball that lands and flows, α = 0.9, spins itself
//! up to 75,000 times the energy that it had. Flow and fracture read F^e = F·(F^p)⁻¹ as the paper has it.
//!
//! Energy is kept by the pull, falls by flow, strain limiting and fracture, and is accounted for as a step of this length keeps it:
//! velocities belong to the middle of a step, and so does the elastic energy that is told.
//!
//! # What it reads of a material
//! Density, the numbers of clusters (goal stiffness, yield, flow, hardening, toughness), and of the damping `time` (as the decay rate time·α/Δt₀² of motion that is not rigid) and `mass`.
//! Elastic moduli and viscosities belong to methods that know stress.

#[cfg(test)]
mod breaking;
mod chunks;
mod cluster;
mod collide;
mod disturbance;
mod energy;
mod failure;
mod fits;
mod flight;
mod flow;
mod forces;
mod frame;
mod grid;
#[cfg(test)]
mod keeping;
mod kept;
mod limit;
mod loads;
mod matter;
mod membership;
mod method;
mod model;
mod options;
mod packed;
mod partition;
mod pieces;
mod pull;
mod save;
mod skin;
mod split;
mod step;
mod survey;
#[cfg(test)]
mod testing;

pub use matter::MATERIAL;
pub use model::{Cloud, Clusters};
pub use options::{ClusterError, Options};
pub use partition::Clustering;
pub use save::load;

/// Name of the method in scene files and checkpoints.
pub const KIND: &str = "clusters";
