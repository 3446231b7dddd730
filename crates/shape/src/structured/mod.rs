//! Meshes of shapes with a lattice of their own, better than any cut from a background lattice.

pub(crate) mod ball;
pub(crate) mod bricks;
pub(crate) mod cap;
pub(crate) mod cylinder;
pub(crate) mod extruded;
pub(crate) mod icosphere;

/// The three tetrahedra of a prism between layers with these first indices. Side diagonals rise
/// from the triangle's earlier point: neighbours conform if they order points alike.
pub(crate) fn prism(lower: u32, upper: u32, [a, b, c]: [u32; 3]) -> [[u32; 4]; 3] {
    [
        [lower + a, lower + b, lower + c, upper + c],
        [lower + a, lower + b, upper + b, upper + c],
        [lower + a, upper + a, upper + b, upper + c],
    ]
}

/// Number of steps of at most `edge` in a length, tolerating rounding.
pub(crate) fn steps(length: f64, edge: f64) -> f64 {
    (length / edge - 1e-9).ceil().max(1.0)
}
