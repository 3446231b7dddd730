//! Constants that a developer may want to change. Those that name no unit are ratios (1).

/// Particles per chunk: enough to outweigh the cost of a task, few enough to fit in the
/// second-level cache.
pub(crate) const PARTICLES_PER_CHUNK: usize = 2048;

/// Clusters per task: some whole batches of decompositions.
pub(crate) const CLUSTERS_PER_FIT_TASK: usize = 32;

/// Clusters per task of plastic flow.
pub(crate) const CLUSTERS_PER_FLOW_TASK: usize = 8;

/// Pairs of clusters per task of self-contact.
pub(crate) const PAIRS_PER_TASK: usize = 64;

/// Ranges of particles with separate sums, at most: enough for many threads, and few enough that
/// empty sums cost little.
pub(crate) const MAX_PARTIAL_SUMS: usize = 16;

/// Iterations of k-means.
pub(crate) const KMEANS_ITERATIONS: usize = 8;

/// Most iterations of weighted means that place clusters.
pub(crate) const MAX_MEAN_ITERATIONS: usize = 12;

/// Number of members below which a cluster is removed: Jones et al. 2016 §3.3.
pub(crate) const MIN_MEMBERS: usize = 4;

/// Mass relative to the mean cluster at the start below which a cluster is removed (1).
pub(crate) const MIN_MASS_RATIO: f64 = 0.01;

/// Distance from its cluster's centre, relative to the largest at rest, beyond which a member is an
/// outlier (1).
pub(crate) const MAX_MEMBER_DISTANCE: f64 = 2.0;

/// Halvings of a flow that would increase the energy, before the cluster is left as it is.
pub(crate) const MAX_FLOW_HALVINGS: u32 = 6;

/// Squared distance from the goal, relative to the squared strain limit, above which members are
/// close to the limit (1): 90 % of it.
pub(crate) const NEAR_LIMIT_SQUARED: f64 = 0.81;

/// Iterations of energy removal per step, each along the direction of steepest descent.
pub(crate) const MAX_ENERGY_ROUNDS: usize = 16;

/// Fraction of a penetration that is removed in a reference step, at most (Bridson et al. 2002 use
/// 0.1 per step). A fixed fraction in every step would separate parts at a velocity of 1/Δt.
pub(crate) const PENETRATION_REMOVED: f64 = 0.1;

/// Distance in spacings within which sites may anchor a vertex of the surface.
pub(crate) const ANCHOR_DISTANCE: f64 = 1.75;

/// Distance in spacings within which particles move a vertex of the surface.
pub(crate) const CARRYING_DISTANCE: f64 = 1.7;

/// Longest edge of a source surface in spacings.
pub(crate) const MAX_DRAWN_EDGE: f64 = 1.5;

/// Distance of connected particles relative to that at rest, without plastic flow, beyond which the
/// edge between them is cut (1).
pub(crate) const MAX_CONNECTED_STRETCH: f64 = 2.5;

/// Distance of particles relative to that at rest up to which parts of one piece are joined again
/// (1): a crack that has not opened.
pub(crate) const CLOSED_CRACK_STRETCH: f64 = 1.1;
