//! Constants a developer may want to tune.

/// Smallest kink (sine of the angle) at which the plane ahead of a crack tip could cut the crack's
/// own faces.
pub(crate) const MIN_KINK_SINE: f64 = 0.2;

/// Smallest cosine between the crack and the line perpendicular to the hinge: a crack that is only
/// twisted has no side behind the tip.
pub(crate) const MIN_BACKWARD_COSINE: f64 = 0.7;

/// Growth unit of an incidence list (entries).
pub(crate) const INCIDENCE_BLOCK: u32 = 8;

/// Maximum number of triangles of a triangulation.
pub(crate) const MAX_TRIANGLES: f64 = 1e7;

/// Added before rounding the number of divisions of a segment, so that it is divided from 1.3
/// target lengths on instead of 1.5: inner points keep their distance from the ends of an edge, and
/// at the middle of a long edge that would leave flat triangles.
pub(crate) const DIVISION_ROUNDING: f64 = 0.2;

/// Growth of the target edge length with the distance from finer input (m/m).
pub(crate) const SIZE_GROWTH: f64 = 0.3;

/// The target edge length counts as uniform if its minimum is above this fraction of the requested
/// length.
pub(crate) const UNIFORM_SIZE_RATIO: f64 = 0.7;

/// Points in a leaf of the sizing tree.
pub(crate) const MAX_SIZING_LEAF: usize = 8;

/// Minimum distance of lattice points from the chains, relative to the target length.
pub(crate) const MIN_LATTICE_DISTANCE: f64 = 0.8;

/// Minimum distance of given inner points from the chains, relative to the target length.
pub(crate) const MIN_GIVEN_DISTANCE: f64 = 0.5;

/// Minimum distance of inserted circumcentres from other points, relative to the target length.
pub(crate) const MIN_CIRCUMCENTRE_DISTANCE: f64 = 0.6;

/// Circumradius relative to the target length above which a triangle gets a point at its
/// circumcentre; an equilateral triangle has 0.577.
pub(crate) const MAX_CIRCUMRADIUS: f64 = 0.75;

/// Rounds of smoothing and flipping.
pub(crate) const SMOOTHING_ROUNDS: usize = 8;

/// A move may reduce the smallest angle at a vertex as long as it stays above this (rad).
pub(crate) const GOOD_ANGLE: f64 = 0.61;

/// Distance from the plane or the front of a crack, relative to the shortest edge at a node, within
/// which the node is moved onto it. Edges are cut no nearer to their ends.
pub(crate) const CRACK_SNAP: f64 = 0.4;

/// The same for a corner of a crack's outline, which is cut off if no node is moved there.
pub(crate) const CRACK_SNAP_CORNER: f64 = 0.7;

/// A node is not moved onto a crack if an element would keep less than this share of its height.
pub(crate) const CRACK_THINNEST: f64 = 0.3;

/// Sine of the angle between faces of the surface from which on a node at their edge stays on it.
pub(crate) const SURFACE_KINK_SINE: f64 = 0.35;
