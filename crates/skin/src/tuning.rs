//! Constants that a developer may want to change.

/// Most cells of a BCC lattice.
pub(crate) const MAX_LATTICE_CELLS: f64 = 1e7;
/// Rotation (rad) and shift (cells) of a BCC lattice. Models are often axis-aligned, which would
/// make their points coplanar with lattice faces.
pub(crate) const LATTICE_ROTATION: [f64; 3] = [0.371, 0.213, -0.527];
pub(crate) const LATTICE_SHIFT: [f64; 3] = [0.137, 0.291, 0.433];
/// Distance by which the lattice of extracted cracks exceeds the surface, in edges (1): more than
/// smoothing and roughness take away.
pub(crate) const EXTRACTION_MARGIN: f64 = 1.0;
/// Smallest distance of an extracted cut point from the ends of its edge, as a fraction of the edge
/// (1); smaller ones give slivers.
pub(crate) const MIN_CUT_FRACTION: f64 = 0.1;
/// A disconnected component below this share of its fragment's lattice vertices is an island, which
/// joins its neighbour (1).
pub(crate) const MAX_ISLAND_FRACTION: f64 = 0.1;
/// Perturbation of crack vertices against coplanar points, in edges (1).
pub(crate) const CRACK_PERTURBATION: f64 = 1e-7;
/// Displacement of coincident surface vertices, in their shortest edge (1): invisible, but large
/// enough for predicates.
pub(crate) const TOUCHING_SEPARATION: f64 = 1e-6;
/// Most triangles of an embedded surface; edges are not halved beyond.
pub(crate) const MAX_EMBEDDED_TRIANGLES: usize = 4_000_000;
/// Most tries to split an embedded surface with perturbed cut points.
pub(crate) const MAX_PERTURBED_TRIES: u32 = 6;
/// Perturbation of cut points in the first try, as a fraction of the edge (1).
pub(crate) const CUT_PERTURBATION: f64 = 1e-7;
/// Growth of the perturbation from try to try (1).
pub(crate) const PERTURBATION_GROWTH: f64 = 8.0;
