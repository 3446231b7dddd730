//! Constants that a developer may want to change. Those that name no unit are ratios (1) or counts.

/// Share of the largest stable time step that is used, since strain may grow during the step.
pub(crate) const TIME_STEP_SAFETY: f64 = 0.95;

/// Factor of strain by which stiffness is assumed to increase. With 1.87, vibrations as fast as
/// sound gain energy from steps chosen at their least strain; with 3 none of those tried does.
pub(crate) const STRAIN_FACTOR: f64 = 3.0;

/// ω·Δt of forward Euler without damping: every vibration grows, the fastest by half a percent per
/// step.
pub(crate) const UNDAMPED_EULER_STEP: f64 = 0.1;

/// ω·Δt of the Taylor integrator without damping: the fastest vibration grows by (ω·Δt)⁴/8 = 6e-5
/// per step.
pub(crate) const UNDAMPED_TAYLOR_STEP: f64 = 0.15;

/// Share of its volume that a compressed element must keep in one step.
pub(crate) const MIN_VOLUME_KEPT: f64 = 0.2;

/// Share of the strain and stiffening of one step that bounds the next one too: the fastest
/// vibrations return to their largest strain within two steps.
pub(crate) const STRAIN_KEPT: f64 = 0.97;

/// Ratio of current to rest volume below which an element is checked again in the prediction.
pub(crate) const CHECKED_VOLUME_RATIO: f64 = 0.5;

/// Change of the deformation gradient in the step above which an element is checked again.
pub(crate) const CHECKED_DEFORMATION_CHANGE: f64 = 0.1;

/// Displacement by acceleration alone, relative to the smallest height, above which all elements
/// are checked again.
pub(crate) const CHECKED_DISPLACEMENT: f64 = 0.1;

/// Nodes per new block, at most. The others are for nodes that cracks add to its elements.
pub(crate) const NODES_PER_NEW_BLOCK: usize = 384;

/// Nodes per chunk, at most. A chunk is integrated by one task.
pub(crate) const NODES_PER_CHUNK: usize = 256;

/// Nodes, at most, that a block keeps when it has run out of slots.
pub(crate) const MAX_NODES_KEPT: usize = 640;

/// Number of groups by which constants are prefetched: enough for them to arrive from memory in
/// time.
pub(crate) const PREFETCHED_GROUPS: usize = 6;

/// Nodes of the next block prefetched per group: a block has about three for each of its groups.
pub(crate) const PREFETCHED_NODES_PER_GROUP: usize = 3;

/// Parts per task: few enough to balance the load, enough to outweigh the cost of a task.
pub(crate) const PARTS_PER_TASK: usize = 4;

/// Number of values below which the loop is sequential: pieces of debris are parts of a few nodes
/// each, hundreds of which cost less than waking another thread.
pub(crate) const MIN_PARALLEL_VALUES: usize = 1024;

/// Numbers per entry of the upper list of peaks.
pub(crate) const PEAKS_PER_CHUNK: usize = 256;
