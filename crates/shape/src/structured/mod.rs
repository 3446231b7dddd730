//! Tetrahedra of shapes that have a lattice of their own, better than anything cut from a background.

pub(crate) mod ball;
pub(crate) mod bricks;
pub(crate) mod cap;
pub(crate) mod cylinder;
pub(crate) mod icosphere;

/// How many steps of at most `edge` a length takes; a hair too many for rounding is not counted.
pub(crate) fn steps(length: f64, edge: f64) -> f64 {
    (length / edge - 1e-9).ceil().max(1.0)
}
