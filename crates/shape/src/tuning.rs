//! Constants that a developer may want to tune: accuracy, validity of imported models, and limits
//! on time and memory.

/// Volume integration: least and most cells along the longest side.
pub(crate) const CELLS_ALONG_LONGEST_SIDE: [f64; 2] = [128.0, 400.0];

/// Volume integration: cells across the thinnest wall, within [`CELLS_ALONG_LONGEST_SIDE`].
pub(crate) const CELLS_ACROSS_WALL: f64 = 8.0;

/// Attempts to place each hole of a cheese before it counts as full.
pub(crate) const TRIES_PER_HOLE: usize = 1000;

/// Size limit of an imported file (bytes).
pub(crate) const MAX_FILE_BYTES: u64 = 16 << 30;

/// Limit on the total size of a model's images (bytes): views of a glTF file may overlap, and files
/// may refer to an image many times.
pub(crate) const MAX_IMAGE_BYTES: usize = 256 << 20;

/// Limit on the size of decoded VTK arrays relative to file size. Meshes compress to about a tenth,
/// but constant arrays compress a thousandfold, and pieces can share appended bytes.
pub(crate) const MAX_ARRAY_EXPANSION: usize = 100;

/// Memory for VTK arrays of any file, however small (bytes).
pub(crate) const MIN_ARRAY_MEMORY: usize = 1 << 20;

/// Polygon triangulation: search steps per corner before ear clipping stops; only polygons that
/// wind around themselves many times need more.
pub(crate) const MAX_STEPS_PER_CORNER: usize = 2000;

/// Largest valid coordinate of a model: products of three do not overflow.
pub(crate) const MAX_COORDINATE: f64 = 1e18;

/// Valid extents of models (m): their squares and cubes neither overflow nor underflow.
pub(crate) const VALID_EXTENTS: std::ops::RangeInclusive<f64> = 1e-18..=1e19;

/// Tetrahedra with less volume than this times the cube of their longest edge are omitted: rounding
/// while placing the model could invert them.
pub(crate) const MIN_RELATIVE_VOLUME: f64 = 1e-13;

/// Dihedral angle of a sliver (degrees): slivers shorten time steps and attract cracks.
pub(crate) const SLIVER_DIHEDRAL: f64 = 5.0;

/// Default number of tetrahedra of a shape.
pub(crate) const DEFAULT_TETRAHEDRA: f64 = 10_000.0;

/// Default resolution: limit of tetrahedra for two layers through the thinnest wall.
pub(crate) const MAX_TETRAHEDRA_TWO_LAYERS: f64 = 200_000.0;

/// Default resolution: limit of tetrahedra for one layer through the thinnest wall.
pub(crate) const MAX_TETRAHEDRA_ONE_LAYER: f64 = 1e6;

/// Distance (edges) between mesh and surface above which cells are refined.
pub(crate) const REFINEMENT_DISTANCE: f64 = 0.12;

/// Distance (edges) between mesh and surface above which a point counts as lost.
pub(crate) const LOST_DISTANCE: f64 = 0.3;

/// Refinement: lattice tetrahedra allowed in any case. About a fifth of them lies inside thin
/// walls.
pub(crate) const MIN_REFINEMENT_BUDGET: f64 = 2e6;

/// Refinement: allowed lattice tetrahedra over those of the unrefined mesh.
pub(crate) const REFINEMENT_BUDGET_RATIO: f64 = 8.0;

/// Limit of tetrahedra when meshing torn walls again with a shorter edge; lower for slow queries.
pub(crate) const MAX_RETRY_TETRAHEDRA: f64 = 1e6;
