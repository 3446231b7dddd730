//! Test 14: separation tensor of a body in uniform tension.

use crate::ValidationError;
use crate::measure::largest;
use crate::outcome::{Expected, Findings};
use crate::run::{Depth, Test};
use crate::setup::{JITTER, awake, elastic, is_on_surface, solid_at_rest};
use craze_material::{Elasticity, Material, Strength};
use craze_math::{Rotation, Vec3};
use craze_mesh::{TetMesh, kuhn_box, kuhn_box_jittered};

pub(crate) const TEST: Test = Test {
    number: 14,
    method: craze_methods::solid::KIND,
    title: "Separation tensor in uniform tension",
    source: "READINGS 2",
    conditions: "the state of uniform tension is set, not loaded",
    measure,
};

/// Nominal stress (Pa) and shear modulus (Pa); with λ = 0 there is no lateral contraction.
const STRESS: f64 = 1e5;
const MU: f64 = 1e7;

const SPACING: f64 = 0.05;
const CELLS: usize = 4;

fn measure(_: Depth, findings: &mut Findings) -> Result<(), ValidationError> {
    for (name, spacing, expected) in [("h = 0.05", SPACING, 250.0), ("h = 0.025", 0.5 * SPACING, 62.5)] {
        let lattice = kuhn_box([CELLS; 3], Vec3::repeat(CELLS as f64 * spacing))?;
        for (axis, direction) in [("x", Vec3::x()), ("y", Vec3::y()), ("z", Vec3::z())] {
            let force = worst(&lattice, force_criterion(), &direction, expected)?;
            let limit = Expected::Relative { value: expected, tolerance: 1e-4 };
            findings.compare(format!("the paper's criterion, {name}, along {axis}"), "N", force, limit);
        }
    }
    let lattice = kuhn_box([CELLS; 3], Vec3::repeat(CELLS as f64 * SPACING))?;
    let jittered = kuhn_box_jittered([CELLS; 3], Vec3::repeat(CELLS as f64 * SPACING), JITTER)?;
    let limit = Expected::Relative { value: STRESS, tolerance: 1e-6 };
    for (name, mesh) in [("lattice", &lattice), ("irregular mesh", &jittered)] {
        for (direction_name, direction) in [("an axis", Vec3::z()), ("an oblique direction", Vec3::new(0.3, -1.0, 0.7))]
        {
            let stress = worst(mesh, stress_criterion(), &direction, STRESS)?;
            findings.compare(format!("strength by area, {name}, along {direction_name}"), "Pa", stress, limit);
        }
    }
    Ok(())
}

fn force_criterion() -> Strength {
    Strength { separation_force: Some(1.0), ..Strength::default() }
}

fn stress_criterion() -> Strength {
    Strength { tensile: Some(1.0), ..Strength::default() }
}

/// The value at an interior node that deviates most from `expected`. The body is also rotated
/// rigidly.
fn worst(mesh: &TetMesh, strength: Strength, direction: &Vec3, expected: f64) -> Result<f64, ValidationError> {
    let material = Material { strength, ..elastic(1000.0, Elasticity::from_lame(0.0, MU)) };
    let mut solid = solid_at_rest(mesh.clone(), material, awake())?;
    let (stretch, axis) = (stretch(), direction.normalize());
    let rotation = Rotation::from_euler_angles(0.5, 1.2, -2.0);
    let positions: Vec<Vec3> = (solid.positions().iter())
        .map(|position| rotation * (position + (stretch - 1.0) * axis * axis.dot(position)))
        .collect();
    solid.set_state(&positions, &vec![Vec3::zeros(); positions.len()]);
    let on_surface = is_on_surface(solid.mesh());
    let interior = solid.mesh().point_ids().filter(|node| !on_surface[node.index()]);
    let values: Vec<f64> =
        interior.map(|node| solid.failure_state(node).map_or(0.0, |state| state.measure.value())).collect();
    let off = largest(values.iter().map(|value| value - expected));
    Ok(values.into_iter().find(|value| (value - expected).abs() == off.abs()).unwrap_or(f64::NAN))
}

/// The stretch s with nominal stress μ·(s³ − s) = [`STRESS`] (Newton's method).
fn stretch() -> f64 {
    let mut s = 1.0;
    for _ in 0..20 {
        s -= (MU * (s * s * s - s) - STRESS) / (MU * (3.0 * s * s - 1.0));
    }
    s
}
