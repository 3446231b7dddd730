//! Test 16: a plate with a hole in tension begins to fail at the hole, at ±90° to the load.

use crate::ValidationError;
use crate::outcome::{Expected, Findings};
use crate::run::{Depth, Test};
use crate::setup::{awake, constrain_positions, elastic, run_to_split, solid_at_rest, world_of};
use craze_engine::Mode;
use craze_material::{Elasticity, Material, Strength};
use craze_math::Vec3;
use craze_mesh::{NodeId, TetMesh, kuhn_box};
use std::f64::consts::TAU;

pub(crate) const TEST: Test = Test {
    number: 16,
    method: craze_methods::solid::KIND,
    title: "Hole of a tenth of the width in tension",
    source: "Kirsch; Heywood",
    conditions: "the displacement of every boundary node is prescribed",
    measure,
};

/// Radius of the hole and of the plate (m).
const HOLE_RADIUS: f64 = 0.05;
const PLATE_RADIUS: f64 = 0.5;
const THICKNESS: f64 = 0.02;
const YOUNG: f64 = 1e7;
const POISSON: f64 = 0.3;
/// Remote strain along x.
const STRAIN: f64 = 1e-4;
/// Half of what the hole bears at this strain (Pa).
const STRENGTH: f64 = 1.5 * YOUNG * STRAIN;

fn measure(depth: Depth, findings: &mut Findings) -> Result<(), ValidationError> {
    let (around, outward) = match depth {
        Depth::Quick => (48, 12),
        Depth::Full => (96, 24),
    };
    let (position, strain) = first_split_under_tension(plate(around, outward)?)?;
    findings.compare("strength over remote stress at failure", "", STRENGTH / (YOUNG * strain), Expected::Reported);
    let from_axis = (90.0 - position.y.abs().atan2(position.x.abs()).to_degrees()).abs();
    findings.compare("deviation of the first split from ±90°", "°", from_axis, Expected::Zero { limit: 5.0 });
    Ok(())
}

/// A round plate with a central hole: a block bent to a ring, with cells growing outward.
fn plate(around: usize, outward: usize) -> Result<TetMesh, ValidationError> {
    let block = kuhn_box([around, outward, 2], Vec3::new(1.0, 1.0, 1.0))?;
    let ring = |position: &Vec3| {
        let radius = HOLE_RADIUS * (PLATE_RADIUS / HOLE_RADIUS).powf(position.y);
        // Reversed, to keep the orientation of tetrahedra.
        let angle = -TAU * position.x;
        Vec3::new(radius * angle.cos(), radius * angle.sin(), THICKNESS * (position.z - 0.5))
    };
    // Nodes at the end of the block are identified with those at its start.
    let first_of = |node: u32| {
        let position = block.position(NodeId(node));
        let start = Vec3::new(0.0, position.y, position.z);
        let is_start = |other: &NodeId| (block.position(*other) - start).norm() < 1e-9;
        if position.x > 1.0 - 1e-9 { block.point_ids().find(is_start).map_or(node, |other| other.0) } else { node }
    };
    let firsts: Vec<u32> = (0..block.point_count() as u32).map(first_of).collect();
    let mut kept: Vec<u32> = firsts.clone();
    kept.sort_unstable();
    kept.dedup();
    let number = |node: u32| kept.partition_point(|&other| other < firsts[node as usize]) as u32;
    let positions = kept.iter().map(|&node| ring(&block.position(NodeId(node)))).collect();
    let elements = block.elements().iter().map(|corners| corners.map(number)).collect();
    Ok(TetMesh::from_parts(positions, elements)?)
}

/// Position of the first split (m), and the remote strain at which it happens, when the boundary of
/// a plate is stretched along x.
fn first_split_under_tension(mesh: TetMesh) -> Result<(Vec3, f64), ValidationError> {
    let strength = Strength { tensile: Some(STRENGTH), ..Strength::default() };
    let material = Material { strength, ..elastic(1000.0, Elasticity::from_young(YOUNG, POISSON)) };
    let solid = solid_at_rest(mesh, material, awake())?;
    let is_rim = |position: &&Vec3| position.xy().norm() > (1.0 - 1e-9) * PLATE_RADIUS;
    let rim: Vec<Vec3> = solid.mesh().positions().iter().filter(is_rim).copied().collect();
    let stretched =
        |position: &Vec3| position + STRAIN * Vec3::new(position.x, -POISSON * position.y, -POISSON * position.z);
    // The displacement grows from zero to this in the first load step, a second long.
    let mut world = world_of(solid, craze_methods::solid::load, 1.0, Mode::QuasiStatic { steps: 1 });
    constrain_positions(&mut world, rim, stretched)?;
    let splits = run_to_split(&mut world)?;
    let (position, _) = splits.first().ok_or(ValidationError::NothingMeasured("the first split"))?;
    Ok((*position, STRAIN * world.time))
}
