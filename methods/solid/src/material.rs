//! Material keys that the method reads.

use craze_material::{Key, MaterialUse, Quantity};

/// The keys that forces, damping and the failure criterion read.
///
/// The body breaks where the largest principal stress exceeds the strength; fracture energy, yield
/// and crushing are not used.
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
