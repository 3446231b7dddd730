//! Material keys that the method reads.

use craze_material::{Key, MaterialUse, Quantity};

/// The keys that forces and damping read.
pub const MATERIAL: MaterialUse = MaterialUse {
    method: crate::KIND,
    reads: &[
        Key::Number(Quantity::Density),
        Key::Number(Quantity::Young),
        Key::Number(Quantity::Poisson),
        Key::Number(Quantity::Lambda),
        Key::Number(Quantity::Mu),
        Key::Number(Quantity::DampingTime),
        Key::Number(Quantity::MassDamping),
    ],
    instead: &[(Key::Number(Quantity::GoalStiffness), Quantity::Young)],
};
