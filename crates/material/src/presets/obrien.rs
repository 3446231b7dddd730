//! The nine materials of Table 1 of O'Brien & Hodgins 1999.
//!
//! As the paper states, they are far softer than real materials, to allow larger explicit steps. τ
//! is entered as a nodal force (READINGS 2).

use super::references::{ESTIMATE, OBRIEN};
use super::{Entry, Preset, entry};
use crate::quantity::Quantity;

macro_rules! table_row {
    ($name:literal, $summary:literal, $lambda:literal, $mu:literal, $phi:literal, $psi:literal, $rho:literal, $tau:literal) => {
        Preset {
            name: $name,
            summary: $summary,
            entries: &[
                table_entry(Quantity::Density, $rho),
                table_entry(Quantity::Lambda, $lambda),
                table_entry(Quantity::Mu, $mu),
                table_entry(Quantity::Phi, $phi),
                table_entry(Quantity::Psi, $psi),
                entry(Quantity::SeparationForce, $tau, OBRIEN, "printed as N/m², is a force; depends on the mesh"),
                entry(Quantity::Friction, 0.5, ESTIMATE, "not in the paper"),
            ],
            grain: None,
        }
    };
}
const fn table_entry(quantity: Quantity, value: f64) -> Entry {
    entry(quantity, value, OBRIEN, "")
}

pub(super) const PRESETS: &[Preset] = &[
    table_row!("obrien-glass", "Glass plate under a weight, Fig. 1", 1.04e8, 1.04e8, 0.0, 6760.0, 2588.0, 10140.0),
    table_row!("obrien-wall-1", "Adobe wall, light ball, Fig. 9 a", 6.03e8, 1.21e8, 3015.0, 6030.0, 2309.0, 6030.0),
    table_row!("obrien-wall-2", "Adobe wall, heavy ball, Fig. 9 b", 0.0, 1.81e8, 0.0, 18090.0, 2309.0, 6030.0),
    table_row!("obrien-bowl-1", "Bowl, the toughest, Fig. 11 a", 2.65e6, 3.97e6, 264.0, 397.0, 1013.0, 52.9),
    table_row!("obrien-bowl-2", "Bowl, Fig. 11 b", 2.65e6, 3.97e6, 264.0, 397.0, 1013.0, 39.6),
    table_row!("obrien-bowl-3", "Bowl, Fig. 11 c", 2.65e6, 3.97e6, 264.0, 397.0, 1013.0, 33.1),
    table_row!("obrien-bowl-4", "Bowl, the weakest, Fig. 11 d", 2.65e6, 3.97e6, 264.0, 397.0, 1013.0, 13.2),
    table_row!("obrien-comparison-bowl", "Bowl beside the filmed one, Fig. 13", 0.0, 5.29e7, 0.0, 198.0, 1013.0, 106.0),
    table_row!("obrien-the-end", "Letters that fall, Fig. 14", 0.0, 9.21e6, 0.0, 9.2, 705.0, 73.6),
];
