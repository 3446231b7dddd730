//! Test 2: a body whose two sides of a cut are rotated differently has no internal forces.

use super::cut_body;
use crate::ValidationError;
use crate::outcome::{Expected, Findings};
use crate::run::{Depth, Test};
use crate::setup::{free_step, take_step};
use craze_engine::Method;
use craze_material::Elasticity;
use craze_math::{Rotation, Vec3};
use craze_mesh::{Jitter, kuhn_box_jittered};

pub(crate) const TEST: Test = Test {
    number: 2,
    method: craze_methods::xfem::KIND,
    title: "Both sides of a cut rotated by 90° about different axes, and shifted",
    source: "objectivity",
    conditions: "positions are prescribed; the force is that of the change of momentum of each side in one step",
    measure,
};

const YOUNG: f64 = 1e6;

fn measure(_depth: Depth, findings: &mut Findings) -> Result<(), ValidationError> {
    let jitter = Jitter { amount: 0.15, seed: 7 };
    let mesh = kuhn_box_jittered([3; 3], Vec3::repeat(1.0), jitter)?;
    let plane = [Vec3::new(0.41, 0.5, 0.5), Vec3::new(1.0, 0.1, 0.05)];
    let mut body = cut_body(mesh, Elasticity::from_young(YOUNG, 0.3), &[plane])?;
    let of_dof = body.pieces().to_vec();
    let right = std::f64::consts::FRAC_PI_2;
    let rotations =
        [Rotation::from_axis_angle(&Vec3::x_axis(), right), Rotation::from_axis_angle(&Vec3::z_axis(), -right)];
    body.set_motion(|dof, rest| {
        let piece = of_dof[dof as usize];
        (rotations[piece as usize] * rest + f64::from(piece) * Vec3::repeat(3.0), Vec3::zeros())
    });
    let time_step = 1e-3;
    take_step(&mut body, &free_step(time_step))?;
    // The kinetic energy bounds the force on every degree of freedom: p²/2m with the mass of all.
    let account = body.account(&Vec3::zeros());
    let force = (2.0 * account.mass * account.kinetic).sqrt() / time_step;
    findings.compare("internal force over E·A", "", force / YOUNG, Expected::Zero { limit: 1e-10 });
    Ok(())
}
