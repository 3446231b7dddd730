//! Tolerances of contact, for this crate and for the engine.
//!
//! The *contact distance* of a pair is what it keeps: the sum of both skins and radii (m). Most
//! tolerances are shares of it.

/// Distance below which two surfaces touch, as a share of the contact distance: the line between
/// them then does not tell their sides.
pub const TOUCHING_DISTANCE: f64 = 1e-6;

/// Share of the distance at the start that must be left throughout a step.
pub const MIN_DISTANCE_LEFT: f64 = 0.1;

/// Distance, as a share of the contact distance, below which [`MIN_DISTANCE_LEFT_WHEN_CLOSE`]
/// holds: without it, pairs that are pressed together would come ten times closer in every step,
/// until the line between them told no side.
pub const CLOSE_DISTANCE: f64 = 0.02;

/// Share of the distance at the start that must be left where surfaces are close.
pub const MIN_DISTANCE_LEFT_WHEN_CLOSE: f64 = 0.9;

/// Share of the distance above the minimum that a crossing pair does not get: an impulse stops the
/// points that met first, others of features that rotate come a little closer, and without this
/// reserve each round would find another such point.
pub const CROSSING_RESERVE: f64 = 0.3;

/// Tangential motion in a step, as a share of the contact distance, up to which the line between
/// two features stays a valid normal.
pub const MAX_TANGENTIAL_MOTION: f64 = 0.5;

/// Share of the skins that features which approach from afar may use up.
pub const FAST_APPROACH_SKIN_SHARE: f64 = 0.5;

/// Rounding of a distance to an obstacle, as a share of the contact distance.
pub const OBSTACLE_DISTANCE_ROUNDING: f64 = 1e-9;

/// Rounding of a position after an impulse, as a share of its largest coordinate.
pub const POSITION_ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Relative rounding of the height of a point above a half-space.
pub const HEIGHT_ROUNDING: f64 = 1e-9;

/// Squared difference of two unit normals below which they are the same.
pub const SAME_NORMAL_SQUARED: f64 = 1e-4;

/// Weight from which a single point stands for a side.
pub const SINGLE_POINT_WEIGHT: f64 = 0.99;

/// Squared sine of the angle below which two edges are parallel: their ends keep them apart then.
pub const PARALLEL_EDGES_SINE_SQUARED: f64 = 1e-4;

/// Relative difference from which one distance counts as shorter than another.
pub const SHORTER_DISTANCE: f64 = 1e-6;

/// Penetration of crack faces that is allowed, in skins: what has just broken lies on itself and is
/// pressed together harder than impulses can separate in one step. With the skin of solids this is
/// a hundredth of an edge, which is not visible.
pub const MAX_CRACK_FACE_PENETRATION: f64 = 20.0;

/// Penetration of crack faces at the end of a step, as a share of the allowed one: their normals
/// then push them apart.
pub const CRACK_FACE_PENETRATION_LEFT: f64 = 0.5;

/// Distance, as a share of the contact distance, up to which a crack is closed: only the outward
/// normals tell the sides of its faces.
pub const CLOSED_CRACK_DISTANCE: f64 = 0.01;

/// Cosine of the angle to the outward direction below which the line between two edges of crack
/// faces tells no side.
pub const MIN_COSINE_TO_OUTWARD: f64 = 0.3;

/// Cosine between the normals of two triangles below which they face each other.
pub const FACING_COSINE: f64 = -0.5;

/// Candidates are kept up to this share of the margins, since sums of margins are rounded.
pub const CANDIDATE_DISTANCE_ROUNDING: f64 = 1.0 + 1e-9;

/// Approach speed (m/s) below which an impact does not bounce, and separation speed from which a
/// penalty force has lost what restitution takes. Without it a body at rest would never come to
/// rest.
pub const MIN_BOUNCE_SPEED: f64 = 0.02;

/// Largest share of a penetration at the start that is undone per step: bodies that start in each
/// other separate slowly (Bridson et al. 2002, §7.1).
pub const MAX_PENETRATION_UNDONE: f64 = 0.1;

/// Time (s) over which a penetration at the start is undone where steps are short: a tenth per
/// microsecond would be an explosion.
pub const PENETRATION_UNDONE_TIME: f64 = 0.05;

/// Gap or penetration of two surfaces up to which they count as flush when they are placed, as a
/// share of the contact distance.
pub const FLUSH_DISTANCE: f64 = 0.1;

/// Difference of unit vectors below which two directions of flush faces are the same.
pub const SAME_DIRECTION: f64 = 1e-3;

/// Depth from which two triangles intersect, in units of the smaller one's size.
pub const MIN_INTERSECTION_DEPTH: f64 = 1e-6;

/// Depth of a point just below a triangle, in units of the triangle's size.
pub const INSIDE_PROBE_DEPTH: f64 = 1e-3;

/// Winding number from which a point is inside: on a face it is a half, on a concave edge three
/// quarters.
pub const INSIDE_WINDING_NUMBER: f64 = 0.9;

/// Share of the distance at the start that impact zones leave throughout a step.
pub const ZONE_DISTANCE_LEFT: f64 = 0.5;

/// Largest rotation of a rigid zone in a step (rad): the field stretches by √(1 + angle²).
pub const MAX_ZONE_ROTATION: f64 = 0.5;

/// Displacement of nodes after which overlapping pairs of tetrahedra are searched for again, in
/// mean edges of the surface.
pub const OVERLAP_SEARCH_MARGIN: f64 = 0.1;

/// Depth up to which two tetrahedra only touch, in edges: after a split whole faces lie on each
/// other and barely press.
pub const OVERLAP_TOUCHING_DEPTH: f64 = 3e-4;

/// Relative displacement of the nodes of two tetrahedra after which their volume is measured again,
/// in edges. Until then it follows from their separation to first order.
pub const OVERLAP_MOTION: f64 = 1e-2;

/// The same in penetration depths, for deep pairs: the error is of the order of its square.
pub const OVERLAP_MOTION_DEPTHS: f64 = 0.1;

/// Largest such displacement of deep pairs, in those of pairs that barely touch.
pub const MAX_OVERLAP_MOTION_FACTOR: f64 = 3.0;

/// Margin of the search for candidates, as a share of the mean edge (1).
pub const CANDIDATE_MARGIN_EDGES: f64 = 0.25;

/// Margin of the search for candidates, in units of the largest displacement in the present step.
pub const CANDIDATE_MARGIN_STEPS: f64 = 8.0;

/// Penetration into an obstacle that an equilibrium may have, as a share of the size of the body:
/// standing on the ground is no overlap, nor is rounding.
pub const MAX_STATIC_PENETRATION: f64 = 1e-6;

/// Penetration into an obstacle, in contact distances, up to which an impulse corrects the
/// equations of an implicit body.
pub const MAX_CORRECTED_PENETRATION: f64 = 2.0;

/// Stiffness of a contact in the equations of an implicit body, in effective masses over Δt²: a
/// point then ends at a hundredth of the depth that it would reach without contact.
pub const SPRING_STIFFNESS_FACTOR: f64 = 100.0;

/// Mass that may rest on a contact point, in masses of the point.
pub const RESTING_MASS_FACTOR: f64 = 10.0;

/// Share of the contact distance that such a mass at rest may use up.
pub const MAX_RESTING_PENETRATION: f64 = 0.25;

/// Share of the contact distance that contact springs may use up before they are hardened.
pub const MAX_SPRING_PENETRATION: f64 = 0.5;

/// Factor by which contact springs are hardened at once.
pub const HARDENING_FACTOR: f64 = 4.0;

/// Largest factor by which contact springs are hardened. A heavy, stiff body that lands on one
/// corner presses with all of its mass on the contact of a single node: 256 let a steel cylinder
/// through.
pub const MAX_HARDENING: f64 = 65_536.0;

/// Relative change of friction above which an implicit body predicts again.
pub const FRICTION_CHANGE: f64 = 0.1;

/// Displacement of a contact point, as a share of the contact distance, above which implicit bodies
/// predict again.
pub const CONTACT_DISPLACEMENT: f64 = 5e-4;

/// The distance (m) that must be left throughout a step, of a distance at its start (m) and the
/// contact distance (m).
#[inline]
pub fn min_distance_left(distance: f64, contact_distance: f64) -> f64 {
    let is_close = distance < CLOSE_DISTANCE * contact_distance;
    let share = if is_close { MIN_DISTANCE_LEFT_WHEN_CLOSE } else { MIN_DISTANCE_LEFT };
    share * distance.min(contact_distance)
}
