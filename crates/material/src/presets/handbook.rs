//! Everyday materials.
//!
//! Values are typical: real specimens vary by tens of percent, strengths of brittle materials by a
//! factor of two.

use std::f64::consts::PI;

use super::references::*;
use super::{Entry, Grain, Preset, Reference, entry};
use crate::quantity::Quantity::*;

/// Stiffness-proportional damping with this loss factor at 1 kHz.
const fn loss_factor(value: f64, reference: Reference, note: &'static str) -> Entry {
    entry(DampingTime, value / (2000.0 * PI), reference, note)
}

const fn friction(value: f64) -> Entry {
    entry(Friction, value, ESTIMATE, "dry, against itself")
}

const fn restitution(value: f64) -> Entry {
    entry(Restitution, value, ESTIMATE, "at about 1 m/s against a hard floor")
}

const fn goal_stiffness(value: f64) -> Entry {
    entry(GoalStiffness, value, SETTING, "")
}

const fn cluster_toughness(value: f64) -> Entry {
    entry(ClusterToughness, value, SETTING, "")
}

const fn flow_rate(value: f64) -> Entry {
    entry(FlowRate, value, ESTIMATE, "fast relative to the motions of a scene")
}

const fn preset(name: &'static str, summary: &'static str, entries: &'static [Entry]) -> Preset {
    Preset { name, summary, entries, grain: None }
}

pub(super) const PRESETS: &[Preset] = &[
    preset(
        "acrylic",
        "Cast polymethyl methacrylate sheet (PMMA)",
        &[
            entry(Density, 1190.0, CALLISTER, "1170–1200"),
            entry(Young, 2.8e9, CALLISTER, "2.24–3.24 GPa"),
            entry(Poisson, 0.37, ASHBY, "0.37–0.40"),
            loss_factor(0.03, CREMER, "loss factor 0.02–0.04"),
            entry(TensileStrength, 60e6, CALLISTER, "48–72 MPa"),
            entry(Toughness, 1.2e6, CALLISTER, "0.7–1.6 MPa √m"),
            friction(0.5),
            restitution(0.6),
            goal_stiffness(0.9),
            cluster_toughness(1.08),
        ],
    ),
    preset(
        "adobe",
        "Sun-dried earth brick of standard grade",
        &[
            entry(Density, 1800.0, NZS4297, "1500–2000"),
            entry(Young, 1.5e8, NZS4297, "300 times the design strength 0.5 MPa; single bricks reach 1 GPa"),
            entry(Poisson, 0.2, ESTIMATE, "0.15–0.25"),
            loss_factor(0.02, CREMER, "as masonry, loss factor 0.01–0.02"),
            entry(TensileStrength, 0.1e6, NZS4297, "flexural design strength 0.1 MPa; single bricks reach 0.4 MPa"),
            entry(CompressiveStrength, 1.3e6, NZS4297, "least mean strength of tested samples; 0.5–2.5 MPa"),
            entry(FractureEnergy, 5.0, ESTIMATE, "typical value 3–15 J/m²"),
            friction(0.7),
            restitution(0.1),
            goal_stiffness(0.8),
            cluster_toughness(1.04),
        ],
    ),
    preset(
        "aluminium",
        "Aluminium alloy 6061-T6",
        &[
            entry(Density, 2700.0, CALLISTER, ""),
            entry(Young, 69e9, CALLISTER, ""),
            entry(Poisson, 0.33, CALLISTER, ""),
            loss_factor(1e-4, CREMER, "loss factor about 1e-4, more in joined structures"),
            entry(YieldStress, 276e6, CALLISTER, ""),
            flow_rate(1000.0),
            entry(Hardening, 0.3e9, DERIVED, "(tensile − yield)/(elongation 0.12), rounded"),
            entry(TensileStrength, 310e6, CALLISTER, ""),
            entry(Toughness, 29e6, ASM, "6061-T651; 26–33 MPa √m"),
            friction(1.0),
            restitution(0.5),
            goal_stiffness(0.95),
            entry(ClusterYield, 0.02, SETTING, ""),
            entry(ClusterFlow, 0.5, SETTING, ""),
            entry(ClusterHardening, 0.1, SETTING, ""),
            cluster_toughness(1.35),
        ],
    ),
    preset(
        "cardboard",
        "Solid paperboard, about 0.5 mm, taken as isotropic",
        &[
            entry(Density, 700.0, NISKANEN, "600–850"),
            entry(Young, 3e9, NISKANEN, "1.5–6 GPa, two to three times stiffer along the machine than across"),
            entry(Poisson, 0.3, NISKANEN, "0.1–0.45 by direction"),
            loss_factor(0.02, ESTIMATE, "typical value of paper 0.02–0.1"),
            entry(YieldStress, 15e6, NISKANEN, "10–25 MPa"),
            entry(YieldCurvature, 18.2, DERIVED, "2 (1 − ν²) yield_stress / (young · 0.5 mm)"),
            flow_rate(500.0),
            entry(TensileStrength, 30e6, NISKANEN, "15–50 MPa"),
            entry(FractureEnergy, 8e3, NISKANEN, "5–15 kJ/m²"),
            friction(0.4),
            restitution(0.2),
            goal_stiffness(0.6),
            entry(ClusterYield, 0.05, SETTING, ""),
            entry(ClusterFlow, 0.3, SETTING, ""),
            cluster_toughness(1.15),
        ],
    ),
    preset(
        "ceramic",
        "Glazed siliceous porcelain, as of tableware",
        &[
            entry(Density, 2400.0, CARTY, "2200–2500"),
            entry(Young, 70e9, CARTY, "60–80 GPa"),
            entry(Poisson, 0.2, ESTIMATE, "0.17–0.22"),
            loss_factor(0.002, ESTIMATE, "between glass and masonry"),
            entry(TensileStrength, 60e6, IEC60672, "least flexural strength, glazed; up to 110 MPa"),
            entry(Toughness, 1.1e6, CARTY, "0.9–1.3 MPa √m"),
            friction(0.4),
            restitution(0.4),
            goal_stiffness(1.0),
            cluster_toughness(1.04),
        ],
    ),
    preset(
        "cheese",
        "Mild Cheddar or young Gouda at room temperature",
        &[
            entry(Density, 1080.0, ESTIMATE, "1060–1100"),
            entry(Young, 2.5e5, CHARALAMBIDES, "0.1–0.6 MPa by age and strain rate"),
            entry(Poisson, 0.45, ESTIMATE, "nearly 0.5; lowered, since linear elements lock as it nears 0.5"),
            loss_factor(0.4, ESTIMATE, "typical value of soft viscoelastic food 0.3–0.5"),
            entry(YieldStress, 2e4, CHARALAMBIDES, "10–40 kPa"),
            flow_rate(50.0),
            entry(TensileStrength, 4e4, CHARALAMBIDES, "20–60 kPa"),
            entry(FractureEnergy, 15.0, CHARALAMBIDES, "5–20 J/m²"),
            friction(0.6),
            restitution(0.05),
            goal_stiffness(0.15),
            entry(ClusterYield, 0.08, SETTING, ""),
            entry(ClusterFlow, 0.2, SETTING, ""),
            cluster_toughness(1.25),
        ],
    ),
    preset(
        "clay",
        "Wet firm clay, undrained, as of a potter",
        &[
            entry(Density, 1900.0, BOWLES, "1700–2000"),
            entry(Young, 5e6, BOWLES, "2–25 MPa from very soft to medium"),
            entry(Poisson, 0.45, BOWLES, "0.4–0.5"),
            loss_factor(0.3, ESTIMATE, "typical value of wet soil"),
            entry(YieldStress, 6e4, BOWLES, "twice the undrained shear strength of 25–50 kPa"),
            flow_rate(200.0),
            entry(TensileStrength, 3e4, WANG, "10–60 kPa by water content"),
            entry(Toughness, 2e4, WANG, "5–35 kPa √m by water content"),
            friction(0.6),
            restitution(0.0),
            goal_stiffness(0.1),
            entry(ClusterYield, 0.03, SETTING, ""),
            entry(ClusterFlow, 0.5, SETTING, ""),
            cluster_toughness(1.4),
        ],
    ),
    preset(
        "concrete",
        "Concrete of class C30/37 at 28 days",
        &[
            entry(Density, 2400.0, EN1991, "24 kN/m³, plain"),
            entry(Young, 33e9, EN1992, "secant modulus"),
            entry(Poisson, 0.2, EN1992, "uncracked"),
            loss_factor(0.006, CREMER, "loss factor 0.004–0.008"),
            entry(TensileStrength, 2.9e6, EN1992, "mean"),
            entry(CompressiveStrength, 38e6, EN1992, "mean"),
            entry(FractureEnergy, 140.0, FIB, "73 · 38^0.18"),
            friction(0.7),
            restitution(0.2),
            goal_stiffness(1.0),
            cluster_toughness(1.04),
        ],
    ),
    preset(
        "cork",
        "Natural cork, taken as isotropic",
        &[
            entry(Density, 170.0, GIBSON, "120–240"),
            entry(Young, 18e6, GIBSON, "13–20 MPa by direction"),
            entry(Poisson, 0.1, GIBSON, "0–0.25 by direction"),
            loss_factor(0.15, CREMER, "loss factor 0.13–0.17"),
            entry(TensileStrength, 1.0e6, ROSA, "0.8–1.1 MPa"),
            entry(Toughness, 0.1e6, ROSA, "0.06–0.13 MPa √m"),
            friction(0.7),
            restitution(0.5),
            goal_stiffness(0.3),
            cluster_toughness(1.1),
        ],
    ),
    preset(
        "foil",
        "Soft household aluminium foil, 16 µm",
        &[
            entry(Density, 2710.0, ASM, "alloys 1235 and 8011"),
            entry(Young, 69e9, ASM, ""),
            entry(Poisson, 0.33, ASM, ""),
            loss_factor(1e-3, CREMER, "loss factor of sheet metal 1e-4–1e-3"),
            entry(YieldStress, 40e6, ASM, "30–50 MPa, temper O"),
            entry(YieldCurvature, 64.6, DERIVED, "2 (1 − ν²) yield_stress / (young · 16 µm)"),
            flow_rate(1000.0),
            entry(TensileStrength, 80e6, ASM, "60–100 MPa, temper O"),
            entry(FractureEnergy, 1e4, ESTIMATE, "typical value of thin ductile foil 5–20 kJ/m², grows with thickness"),
            friction(0.8),
            restitution(0.1),
            goal_stiffness(0.9),
            entry(ClusterYield, 0.01, SETTING, ""),
            entry(ClusterFlow, 0.8, SETTING, ""),
            cluster_toughness(1.1),
        ],
    ),
    preset(
        "glass",
        "Annealed soda-lime float glass",
        &[
            entry(Density, 2500.0, EN572, ""),
            entry(Young, 70e9, EN572, ""),
            entry(Poisson, 0.22, ESTIMATE, "EN 572-1 says 0.2, Callister 0.23"),
            loss_factor(1e-3, CREMER, "loss factor 0.0006–0.002"),
            entry(TensileStrength, 45e6, EN572, "characteristic bending strength; 30–100 MPa by surface flaws"),
            entry(Toughness, 0.75e6, CALLISTER, ""),
            friction(0.4),
            restitution(0.6),
            goal_stiffness(1.0),
            cluster_toughness(1.02),
        ],
    ),
    preset(
        "paper",
        "Copy paper, 80 g/m² and 0.1 mm, taken as isotropic",
        &[
            entry(Density, 800.0, ALAVA, "700–900"),
            entry(Young, 4e9, ALAVA, "2–8 GPa, two to three times stiffer along the machine than across"),
            entry(Poisson, 0.3, ALAVA, "0.1–0.45 by direction"),
            loss_factor(0.02, ESTIMATE, "typical value 0.02–0.1"),
            entry(YieldStress, 20e6, ALAVA, "15–30 MPa"),
            entry(YieldCurvature, 91.0, DERIVED, "2 (1 − ν²) yield_stress / (young · 0.1 mm)"),
            flow_rate(500.0),
            entry(TensileStrength, 40e6, ALAVA, "20–70 MPa"),
            entry(FractureEnergy, 6e3, SETH, "4–12 kJ/m²"),
            friction(0.4),
            restitution(0.1),
            goal_stiffness(0.6),
            entry(ClusterYield, 0.05, SETTING, ""),
            entry(ClusterFlow, 0.3, SETTING, ""),
            cluster_toughness(1.1),
        ],
    ),
    preset(
        "rubber",
        "Vulcanised natural rubber, unfilled",
        &[
            entry(Density, 930.0, ASHBY, "920–930"),
            entry(Young, 2e6, ASHBY, "1.5–2.5 MPa"),
            entry(Poisson, 0.48, ASHBY, "0.499–0.5; lowered, since linear elements lock as it nears 0.5"),
            loss_factor(0.1, CREMER, "loss factor 0.05–0.3"),
            entry(TensileStrength, 25e6, ASHBY, "22–32 MPa"),
            entry(FractureEnergy, 1e4, RIVLIN, "1–20 kJ/m² by speed"),
            friction(1.0),
            restitution(0.75),
            goal_stiffness(0.1),
            cluster_toughness(3.0),
        ],
    ),
    preset(
        "steel",
        "Structural steel S235",
        &[
            entry(Density, 7850.0, EN1991, "77–78.5 kN/m³"),
            entry(Young, 210e9, EN1993, ""),
            entry(Poisson, 0.3, EN1993, ""),
            loss_factor(2e-4, CREMER, "loss factor about 1e-4, more in joined structures"),
            entry(YieldStress, 235e6, EN1993, "nominal, up to 40 mm"),
            flow_rate(1000.0),
            entry(Hardening, 0.5e9, DERIVED, "(tensile − yield)/(elongation 0.25), rounded"),
            entry(TensileStrength, 360e6, EN1993, "nominal"),
            entry(Toughness, 140e6, ASHBY, "mild steel; 40–140 MPa √m by temperature and grade"),
            friction(0.7),
            restitution(0.6),
            goal_stiffness(1.0),
            entry(ClusterYield, 0.02, SETTING, ""),
            entry(ClusterFlow, 0.4, SETTING, ""),
            entry(ClusterHardening, 0.2, SETTING, ""),
            cluster_toughness(1.4),
        ],
    ),
    preset(
        "vinyl",
        "Soft PVC film with plasticiser",
        &[
            entry(Density, 1300.0, ASHBY, "1200–1400"),
            entry(Young, 2e7, ESTIMATE, "typical value 5–50 MPa by share of plasticiser"),
            entry(Poisson, 0.45, ESTIMATE, "0.45–0.48"),
            loss_factor(0.3, ESTIMATE, "typical value near its glass transition 0.2–0.8"),
            entry(YieldStress, 8e6, ESTIMATE, "typical value 5–12 MPa"),
            flow_rate(20.0),
            entry(TensileStrength, 18e6, ESTIMATE, "typical value 10–25 MPa"),
            entry(FractureEnergy, 1e4, ESTIMATE, "typical value of tear 5–30 kJ/m²"),
            friction(0.6),
            restitution(0.3),
            goal_stiffness(0.2),
            entry(ClusterYield, 0.2, SETTING, ""),
            entry(ClusterFlow, 0.1, SETTING, ""),
            cluster_toughness(1.8),
        ],
    ),
    Preset {
        name: "wood",
        summary: "Sitka spruce at 12 % moisture, grain along x, growth rings across y",
        entries: &[
            entry(Density, 450.0, WOOD, "specific gravity 0.40 on dry mass, plus 12 % water"),
            loss_factor(0.01, CREMER, "loss factor 0.008–0.013"),
            entry(TensileStrength, 2.6e6, WOOD, "across the grain, the weakest direction; along it about 75 MPa"),
            entry(CompressiveStrength, 38.7e6, WOOD, "along the grain; across it 4.0 MPa"),
            entry(FractureEnergy, 200.0, ESTIMATE, "typical value along the grain 100–300 J/m²"),
            friction(0.4),
            restitution(0.4),
            goal_stiffness(0.9),
            cluster_toughness(1.05),
        ],
        grain: Some(Grain {
            young: [10.9e9, 10.9e9 * 0.078, 10.9e9 * 0.043],
            shear: [10.9e9 * 0.003, 10.9e9 * 0.061, 10.9e9 * 0.064],
            poisson: [0.435, 0.467, 0.372],
            reference: WOOD,
            note: "x = L, y = R, z = T; E_L = 1.1 × 9.9 GPa of bending, ratios of Tables 5-1 and 5-2",
        }),
    },
];
