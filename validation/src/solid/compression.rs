//! Test 15: pure compression and rigid acceleration cause no fracture.

use crate::ValidationError;
use crate::outcome::{Expected, Findings};
use crate::run::{Depth, Test};
use crate::setup::{JITTER, awake, constrain_nodes, elastic, finite_step, free_step, solid_at_rest};
use craze_engine::{Method, Step};
use craze_material::{Elasticity, Material, Strength};
use craze_math::Vec3;
use craze_mesh::kuhn_box_jittered;
use craze_methods::solid::Solid;

pub(crate) const TEST: Test = Test {
    number: 15,
    method: craze_methods::solid::KIND,
    title: "Compression at 50 times the strength, and rigid acceleration",
    source: "balance",
    conditions: "the compressed state is set, not loaded; steps are half the stable time step",
    measure,
};

const STRENGTH: f64 = 1e4;
const MU: f64 = 1e7;

fn measure(depth: Depth, findings: &mut Findings) -> Result<(), ValidationError> {
    let steps = match depth {
        Depth::Quick => 200,
        Depth::Full => 2000,
    };
    findings.compare("splits between platens", "", compressed(steps)?, Expected::Zero { limit: 0.0 });
    findings.compare("splits at 1000 g", "", accelerated(steps)?, Expected::Zero { limit: 0.0 });
    Ok(())
}

fn block() -> Result<Solid, ValidationError> {
    let mesh = kuhn_box_jittered([4, 5, 4], Vec3::new(0.4, 0.5, 0.4), JITTER)?;
    let strength = Strength { tensile: Some(STRENGTH), ..Strength::default() };
    let material = Material { strength, ..elastic(1000.0, Elasticity::from_lame(0.0, MU)) };
    solid_at_rest(mesh, material, awake())
}

/// Number of splits of a block compressed between platens along y to a nominal stress μ·(s − s³) of
/// 50 strengths.
fn compressed(steps: u32) -> Result<f64, ValidationError> {
    let mut solid = block()?;
    let mut s = 1.0;
    for _ in 0..30 {
        s -= (MU * (s * s * s - s) + 50.0 * STRENGTH) / (MU * (3.0 * s * s - 1.0));
    }
    let compress = move |position: &Vec3| Vec3::new(position.x, s * position.y, position.z);
    let rest = solid.mesh().positions().to_vec();
    let ends = (0..rest.len()).filter(|&node| rest[node].y < 1e-9 || rest[node].y > 0.5 - 1e-9);
    let (_, loads) = constrain_nodes(&mut solid, ends.collect::<Vec<_>>(), compress)?;
    let positions: Vec<Vec3> = rest.iter().map(compress).collect();
    solid.set_state(&positions, &vec![Vec3::zeros(); positions.len()]);
    let step = Step { loads: &loads, ..free_step(0.5 * finite_step(&solid)) };
    run(&mut solid, &step, steps)
}

/// Number of splits of a block in free fall under 1000 g.
fn accelerated(steps: u32) -> Result<f64, ValidationError> {
    let mut solid = block()?;
    let step = Step { gravity: Vec3::new(0.0, -9810.0, 0.0), ..free_step(0.5 * finite_step(&solid)) };
    run(&mut solid, &step, steps)
}

fn run(solid: &mut Solid, step: &Step, steps: u32) -> Result<f64, ValidationError> {
    for _ in 0..steps {
        crate::setup::take_step(solid, step)?;
    }
    Ok(solid.account(&Vec3::zeros()).split_counts.splits as f64)
}
