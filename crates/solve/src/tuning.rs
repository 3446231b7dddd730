//! Constants a developer may want to tune. All are dimensionless.

/// Rows per parallel chunk. The result of a row never depends on its chunk.
pub(crate) const ROWS_PER_CHUNK: usize = 256;

/// Nodes per partial sum of a dot product. Partial sums are added in order, so the bits depend on
/// this number but not on the number of threads.
pub(crate) const NODES_PER_SUM: usize = 512;

/// A Cholesky pivot below this fraction of its diagonal entry is rounding error: the matrix counts
/// as singular.
pub(crate) const MIN_RELATIVE_PIVOT: f64 = 64.0 * f64::EPSILON;

/// Supernodes are merged while explicit zeros stay below this fraction of the merged blocks: fewer
/// and larger dense matrices are faster.
pub(crate) const MAX_ZERO_FRACTION: f64 = 0.2;

/// [`MAX_ZERO_FRACTION`] for supernodes of at most [`NARROW_SUPERNODE`] columns.
pub(crate) const MAX_ZERO_FRACTION_NARROW: f64 = 0.5;

/// Width in block columns up to which [`MAX_ZERO_FRACTION_NARROW`] applies.
pub(crate) const NARROW_SUPERNODE: usize = 8;

/// Nested dissection does not split sets of at most this many nodes.
pub(crate) const MAX_DISSECTION_LEAF: usize = 32;

/// Pivot nodes per set; every pair defines one candidate separator.
pub(crate) const PIVOTS: usize = 7;

/// Refinement passes over a separator.
pub(crate) const SEPARATOR_REFINEMENTS: usize = 8;

/// Sufficient decrease of the line search (Nocedal & Wright 2006, eq. 3.4).
pub(crate) const ARMIJO_CONSTANT: f64 = 1e-4;

/// Curvature condition of the line search: largest ratio of final to initial slope (Nocedal &
/// Wright 2006, eq. 3.5).
pub(crate) const WOLFE_CONSTANT: f64 = 0.9;

/// Relative difference below which two energies count as equal and the slope decides.
pub(crate) const ENERGY_ROUNDING: f64 = 1e-10;

/// Step halvings before the line search fails.
pub(crate) const MAX_STEP_HALVINGS: usize = 50;

/// First diagonal shift of a matrix that is not positive definite, relative to its largest diagonal
/// entry.
pub(crate) const INITIAL_RELATIVE_SHIFT: f64 = 1e-8;

/// Growth of the shift with each attempt.
pub(crate) const SHIFT_GROWTH: f64 = 100.0;

/// Shifts tried before the solve fails.
pub(crate) const MAX_SHIFTS: usize = 6;

/// Growth of the load step after an easy solve.
pub(crate) const STEP_GROWTH: f64 = 1.5;

/// Coupling of two nodes, relative to the geometric mean of their diagonal blocks, from which they
/// belong into one aggregate of the finest level; half of it on each coarser level (Vaněk, Mandel &
/// Brezina 1996).
pub(crate) const STRONG_COUPLING: f64 = 0.02;

/// Damping ω of the prolongation's smoothing over the inverse largest eigenvalue (same).
pub(crate) const PROLONGATION_DAMPING: f64 = 4.0 / 3.0;

/// Iterations that estimate the largest eigenvalue from below, and the margin to a bound.
pub(crate) const POWER_ITERATIONS: usize = 8;
pub(crate) const EIGENVALUE_MARGIN: f64 = 1.2;

/// Degree of the smoothing polynomial, and ratio of the eigenvalues between which it damps.
pub(crate) const SMOOTHER_DEGREE: usize = 2;
pub(crate) const SMOOTHED_RANGE: f64 = 10.0;

/// Aggregates over nodes above which a coarser level would hardly be smaller.
pub(crate) const MAX_COARSENING_RATIO: f64 = 0.5;

/// Nodes of a level that is factorised as a dense matrix.
pub(crate) const MAX_BOTTOM_NODES: usize = 80;

/// Floating-point operations of a factorisation per node above which multigrid is cheaper.
pub(crate) const DIRECT_OPERATIONS_PER_NODE: f64 = 1e6;

/// Numbers in the largest factor that replaces multigrid where that does not converge: 4 GB.
pub(crate) const MAX_FACTOR_NUMBERS: usize = 500_000_000;
