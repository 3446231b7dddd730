//! Constants that a developer may want to change.

/// Frames per second of an animation with one key per frame: the default of most animation
/// programs.
pub(crate) const FRAMES_PER_SECOND: f64 = 24.0;
/// Weight of the piece's rotation in the fit of a shard, whose own vertices may be collinear (1).
pub(crate) const PIECE_ROTATION_WEIGHT: f64 = 0.05;
/// Deviation of a shard from the motion of its piece, over its size (1): below the first value it
/// moves with the piece, above the second independently. Weakly connected parts of a piece may move
/// apart long before they separate.
pub(crate) const DEVIATION_RANGE: [f64; 2] = [0.05, 0.15];
/// Most times that shards are cut again because some came out too small.
pub(crate) const MAX_RECUTS: usize = 3;
/// Most tries of a cut with perturbed cracks.
pub(crate) const MAX_CUT_TRIES: u64 = 3;
/// Lattice edge of extracted cracks over the mean edge of the crack faces (1), which are small
/// parts of tetrahedra.
pub(crate) const LATTICE_EDGE_RATIO: f64 = 2.0;
/// A shard below this share of its volume asks for a finer lattice (1).
pub(crate) const MIN_VOLUME_RATIO: f64 = 0.5;
/// Most refinements of the lattice.
pub(crate) const MAX_REFINEMENTS: i32 = 4;
/// Ratio of lattice edges from one refinement to the next (1).
pub(crate) const REFINEMENT_FACTOR: f64 = 0.7;
/// A solid stands alone if its own pieces have more than this share of the area at it (1).
pub(crate) const MIN_OWN_AREA_RATIO: f64 = 0.5;
/// Distance of a corner from its source triangle over that triangle's longest edge (1), beyond
/// which the source is another model.
pub(crate) const MAX_SOURCE_DISTANCE: f64 = 1e-6;
/// Smallest cosine of the angle between faces that are shaded smoothly: cos 30°.
pub(crate) const MIN_SMOOTH_COSINE: f64 = 0.866_025_403_784_438_6;
