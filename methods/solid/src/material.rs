//! Which numbers of a material the method reads.

use craze_material::{Key, MaterialUse, Quantity};

/// The numbers that forces, damping and the failure criterion read.
///
/// It breaks where the largest principal stress exceeds the strength; no crack grows by its energy, nothing flows and nothing crushes.
pub const MATERIAL: MaterialUse = MaterialUse {
    method: crate::KIND,
    reads: &[
        Key::Number(Quantity::Density),
        Key::Number(Quantity::Young),
        Key::Number(Quantity::Poisson),
        Key::Number(Quantity::Lambda),
        Key::Number(Quantity::Mu),
        Key::Stiffness,
        Key::Number(Quantity::Phi),
        Key::Number(Quantity::Psi),
        Key::Viscosity,
        Key::Number(Quantity::DampingTime),
        Key::Number(Quantity::MassDamping),
        Key::Number(Quantity::TensileStrength),
        Key::Number(Quantity::SeparationForce),
    ],
    instead: &[
        (Key::Number(Quantity::Toughness), Quantity::TensileStrength),
        (Key::Number(Quantity::FractureEnergy), Quantity::TensileStrength),
        (Key::Number(Quantity::ClusterToughness), Quantity::TensileStrength),
        (Key::Number(Quantity::GoalStiffness), Quantity::Young),
    ],
};
