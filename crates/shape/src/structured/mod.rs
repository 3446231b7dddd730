//! Tetrahedra of shapes that have a lattice of their own, better than anything cut from a background.

pub(crate) mod ball;
pub(crate) mod bricks;
pub(crate) mod cap;
pub(crate) mod cylinder;
pub(crate) mod icosphere;

/// The three tetrahedra of a prism between two layers, whose points are numbered from these on. On every upright side the diagonal rises
/// from the earlier point of the triangle: neighbours agree if they order their points alike.
pub(crate) fn prism(lower: u32, upper: u32, [a, b, c]: [u32; 3]) -> [[u32; 4]; 3] {
    [
        [lower + a, lower + b, lower + c, upper + c],
        [lower + a, lower + b, upper + b, upper + c],
        [lower + a, upper + a, upper + b, upper + c],
    ]
}

/// How many steps of at most `edge` a length takes; a hair too many for rounding is not counted.
pub(crate) fn steps(length: f64, edge: f64) -> f64 {
    (length / edge - 1e-9).ceil().max(1.0)
}
