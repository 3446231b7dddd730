//! Test 2: objectivity. A rotation by 90° and a translation cause no force.

use crate::ValidationError;
use crate::measure::largest;
use crate::outcome::{Expected, Findings};
use crate::run::{Depth, Test};
use crate::setup::{JITTER, awake, elastic, forces_from_a_step, solid_at_rest};
use craze_engine::Method;
use craze_material::{Damping, Elasticity, Material};
use craze_math::{Isometry, Vec3};
use craze_mesh::kuhn_box_jittered;
use craze_methods::solid::{Integrator, Solid, SolidOptions};
use std::f64::consts::FRAC_PI_2;

pub(crate) const TEST: Test = Test {
    number: 2,
    method: craze_methods::solid::KIND,
    title: "Rigid rotation by 90° and translation",
    source: "objectivity",
    conditions: "",
    measure,
};

const SIZE: f64 = 1.0;
const CELLS: usize = 4;
const YOUNG: f64 = 2e8;

fn measure(_: Depth, findings: &mut Findings) -> Result<(), ValidationError> {
    let area = (SIZE / CELLS as f64).powi(2) / 2.0;
    let limit = Expected::Zero { limit: 1e-10 };
    let isotropic = elastic(2500.0, Elasticity::from_young(YOUNG, 0.3));
    for (name, integrator) in [
        ("symplectic", Integrator::Symplectic),
        ("forward Euler", Integrator::Euler),
        ("Taylor", Integrator::Taylor),
        ("implicit", Integrator::Implicit),
    ] {
        let mut solid = rotated(isotropic.clone(), integrator)?;
        let force = largest_force(&mut solid)? / (YOUNG * area);
        findings.compare(format!("largest nodal force over E·A, {name}"), "", force, limit);
    }
    let mut solid = rotated(anisotropic(), Integrator::default())?;
    findings.compare(
        "largest nodal force over E·A, anisotropic stiffness",
        "",
        largest_force(&mut solid)? / (YOUNG * area),
        limit,
    );
    let solid = rotated(isotropic.clone(), Integrator::default())?;
    let energy = solid.account(&Vec3::zeros()).elastic / (YOUNG * SIZE.powi(3));
    findings.compare("elastic energy over E·V", "", energy, limit);
    findings.compare("viscous force of a rigid rotation over D·A·ω", "", viscous_force_of_spin(area)?, limit);
    Ok(())
}

/// A cube rotated by 90° about an oblique axis and translated.
fn rotated(material: Material, integrator: Integrator) -> Result<Solid, ValidationError> {
    let mesh = kuhn_box_jittered([CELLS; 3], Vec3::repeat(SIZE), JITTER)?;
    let mut solid = solid_at_rest(mesh, material, SolidOptions { integrator, ..awake() })?;
    let axis = Vec3::new(1.0, 2.0, -2.0) / 3.0;
    let motion = Isometry::new(Vec3::new(3.0, -2.0, 1.0), FRAC_PI_2 * axis);
    let positions: Vec<Vec3> =
        solid.mesh().positions().iter().map(|rest| motion.transform_point(&(*rest).into()).coords).collect();
    solid.set_state(&positions, &vec![Vec3::zeros(); positions.len()]);
    Ok(solid)
}

fn largest_force(solid: &mut Solid) -> Result<f64, ValidationError> {
    Ok(largest(forces_from_a_step(solid)?.iter().map(Vec3::norm)))
}

/// Stiff along x, with modified shear: an isotropic law would miss errors in the axes.
fn anisotropic() -> Material {
    let mut stiffness = Elasticity::from_young(YOUNG, 0.3).stiffness();
    stiffness[0][0] *= 3.0;
    stiffness[5][5] *= 0.5;
    elastic(2500.0, Elasticity::Anisotropic { stiffness })
}

/// Largest force on a node of a rotated cube with rigid-body rotation. The cube is undeformed at
/// the first instant, so only a spurious strain rate could cause viscous stress.
fn viscous_force_of_spin(area: f64) -> Result<f64, ValidationError> {
    let (phi, psi) = (3e4, 2e4);
    let mut material = elastic(2500.0, Elasticity::from_young(YOUNG, 0.3));
    material.damping = Damping { phi, psi, ..Damping::default() };
    let mut solid = rotated(material, Integrator::Symplectic)?;
    let spin = Vec3::new(2.0, -3.0, 5.0);
    let positions = solid.positions();
    let velocities: Vec<Vec3> = positions.iter().map(|position| spin.cross(position)).collect();
    solid.set_state(&positions, &velocities);
    Ok(largest_force(&mut solid)? / ((phi + 2.0 * psi) * area * spin.norm()))
}
