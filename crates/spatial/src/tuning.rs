//! Constants a developer may want to tune. Most trade construction time for query time; they also
//! determine the order in which a tree reports primitives.

/// Bins of the surface area heuristic along the longest axis.
pub(crate) const BINS: usize = 16;

/// Larger sets of primitives are always split.
pub(crate) const MAX_LEAF_PRIMITIVES: usize = 8;

/// Cost of visiting two child boxes relative to testing one primitive.
pub(crate) const TRAVERSAL_COST: f64 = 1.0;

/// Number of primitives above which both sides of a split are built in parallel.
pub(crate) const MIN_PARALLEL_BUILD: usize = 8192;

/// Trees with fewer primitives are searched for pairs by one thread.
pub(crate) const MIN_PARALLEL_PAIRS: usize = 2048;

/// Tasks of a parallel pair search: many more than threads, as their costs differ, and independent
/// of the number of threads.
pub(crate) const PARALLEL_TASKS: usize = 256;

/// Nodes that one thread refits at a time.
pub(crate) const REFIT_CHUNK_NODES: usize = 4096;

/// Growth of the children's total area, relative to their parent's, above which a subtree is
/// rebuilt.
pub(crate) const MAX_AREA_RATIO_GROWTH: f32 = 0.25;

/// Fraction of new primitives above which the whole tree is rebuilt.
pub(crate) const REBUILD_FRACTION: f64 = 0.25;

/// Pairs of overlapping boxes tested per triangle, on average, before a search for
/// self-intersections stops. A clean surface has about ten.
pub(crate) const MAX_CANDIDATES_PER_TRIANGLE: usize = 1000;

/// Lower limit of the number of pairs tested, for small surfaces.
pub(crate) const MIN_CANDIDATE_LIMIT: usize = 10_000_000;

/// Distance in radii beyond which a cluster of triangles is expanded in multipoles (β of Barill et
/// al. 2018 §3).
pub(crate) const FAR_RADII: f64 = 2.0;
