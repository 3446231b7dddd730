//! Shared set-up of tests: simple worlds, manual steps, boundary conditions per node.

use crate::ValidationError;
use craze_engine::{
    Action, Attachable, Body, Checked, CommitLog, Effect, Event, EventKind, FailureMeasure, FrameDetail, Hold, HoldId,
    Keyframe, Load, Loader, Method, Mode, Motion, PairTable, Region, Settings, Step, Verdict, World,
};
use craze_material::{Elasticity, Material};
use craze_math::{Isometry, Vec3};
use craze_mesh::{Jitter, TetMesh, kuhn_box};
use craze_methods::solid::{Solid, SolidOptions};
use std::ops::Range;

/// Irregular box meshes, with the largest jitter that a Kuhn lattice allows.
pub(crate) const JITTER: Jitter = Jitter { amount: 0.15, seed: 7 };

/// A solid at rest in the position of its mesh, of one material.
pub(crate) fn solid_at_rest(
    mesh: TetMesh,
    material: Material,
    options: SolidOptions,
) -> Result<Solid, ValidationError> {
    let still = Vec3::zeros();
    Ok(Solid::new(mesh, vec![material], options, Isometry::identity(), still, still)?)
}

/// Options of a solid with rigid-body mode disabled.
pub(crate) fn awake() -> SolidOptions {
    SolidOptions { rest_strain: 0.0, ..SolidOptions::default() }
}

pub(crate) fn elastic(density: f64, elasticity: Elasticity) -> Material {
    Material::elastic("test", density, elasticity)
}

/// A step of this length (s) without external influences.
pub(crate) fn free_step(time_step: f64) -> Step<'static> {
    Step { time: 0.0, time_step, gravity: Vec3::zeros(), loads: &[], contacts: &[] }
}

/// Predicts, checks and commits; returns the events.
pub(crate) fn take_step(body: &mut dyn Method, step: &Step) -> Result<Vec<Event>, ValidationError> {
    let mut log = CommitLog::default();
    body.predict(step)?;
    body.check()?;
    body.commit(step, &mut log);
    Ok(log.events)
}

/// Nodal forces (N) of a solid in its current state, from the change of velocity in one step, which
/// the solid takes.
pub(crate) fn forces_from_a_step(solid: &mut Solid) -> Result<Vec<Vec3>, ValidationError> {
    let (before, masses) = (solid.velocities(), solid.masses());
    let time_step = finite_step(solid);
    take_step(solid, &free_step(time_step))?;
    let change = solid.velocities().into_iter().zip(before).map(|(after, before)| (after - before) / time_step);
    Ok(change.zip(masses).map(|(acceleration, mass)| mass * acceleration).collect())
}

/// A stable step (s) of the solid; a microsecond if it has no limit.
pub(crate) fn finite_step(solid: &Solid) -> f64 {
    let limit = solid.time_step_limit();
    if limit.is_finite() { limit } else { 1e-6 }
}

/// For each node, whether it is on the surface of the mesh.
pub(crate) fn is_on_surface(mesh: &TetMesh) -> Vec<bool> {
    let mut on_surface = vec![false; mesh.point_count()];
    for node in mesh.boundary().triangles.iter().flatten() {
        on_surface[node.index()] = true;
    }
    on_surface
}

/// Constrains single nodes, each to the image of its rest position (m) under `map`. Returns the
/// constrained nodes and the loads.
pub(crate) fn constrain_nodes(
    solid: &mut Solid,
    nodes: impl IntoIterator<Item = usize>,
    map: impl Fn(&Vec3) -> Vec3,
) -> Result<(Vec<usize>, Vec<Load>), ValidationError> {
    let rest = solid.mesh().positions().to_vec();
    let (mut held, mut loads) = (Vec::new(), Vec::new());
    for node in nodes {
        let (hold, center) = (HoldId(held.len() as u32), rest[node]);
        // Smaller than any distance between nodes.
        let region = Region::Ball { center, radius: 1e-6 };
        solid.attach(hold, &region).ok_or_else(|| ValidationError::EmptyRegion(format!("{center:?}")))?;
        let shift = map(&center) - center;
        loads.push(Load { hold, effect: Effect::Place(Isometry::translation(shift.x, shift.y, shift.z)) });
        held.push(node);
    }
    Ok((held, loads))
}

/// A plate with grid lines at these positions (m), one element thick (m), with a slit along y = 0
/// in this range of x (m), through the boundary if the range exceeds the plate. y = 0 and slit ends
/// inside the plate must be grid lines.
pub(crate) fn slit_plate(
    across: &[f64],
    up: &[f64],
    thickness: f64,
    slit: Range<f64>,
) -> Result<TetMesh, ValidationError> {
    let cells = [across.len() - 1, up.len() - 1, 1];
    let grid = kuhn_box(cells, Vec3::new(cells[0] as f64, cells[1] as f64, 1.0))?;
    let to_grid = |position: &Vec3| {
        Vec3::new(across[position.x.round() as usize], up[position.y.round() as usize], thickness * position.z.round())
    };
    let mut positions: Vec<Vec3> = grid.positions().iter().map(to_grid).collect();
    let count = positions.len();
    // Nodes of the slit, with a copy of each for the elements below.
    let is_slit = |position: &Vec3| position.y == 0.0 && position.x > slit.start + 1e-9 && position.x < slit.end - 1e-9;
    let slit: Vec<usize> = (0..count).filter(|&node| is_slit(&positions[node])).collect();
    for &node in &slit {
        positions.push(positions[node]);
    }
    let copied = |corner: u32| match slit.binary_search(&(corner as usize)) {
        Ok(index) => (count + index) as u32,
        Err(_) => corner,
    };
    let is_below = |corners: &[u32; 4]| corners.iter().map(|&corner| positions[corner as usize].y).sum::<f64>() < 0.0;
    let cut = |corners: &[u32; 4]| if is_below(corners) { corners.map(copied) } else { *corners };
    let elements = grid.elements().iter().map(cut).collect();
    Ok(TetMesh::from_parts(positions.clone(), elements)?)
}

/// A world with one body, without gravity or obstacles.
pub(crate) fn world_of(body: impl Method + 'static, load: Loader, frames_per_second: f64, mode: Mode) -> World {
    let settings = Settings {
        gravity: Vec3::zeros(),
        frames_per_second,
        longest_time_step: f64::INFINITY,
        mode,
        detail: FrameDetail::Surface,
        pairs: PairTable::default(),
        check_intersections: Checked::Nothing,
    };
    World::new(settings, vec![Body::new("specimen", Box::new(body), load)], Vec::new())
}

/// Constrains the nodes of a world with one body at these rest positions (m), each to its image
/// under `map`.
pub(crate) fn constrain_positions(
    world: &mut World,
    rest: impl IntoIterator<Item = Vec3>,
    map: impl Fn(&Vec3) -> Vec3,
) -> Result<(), ValidationError> {
    for center in rest {
        let key = Keyframe { time: 0.0, shift: map(&center) - center, turn: Vec3::zeros() };
        // Smaller than any distance between nodes.
        let region = Region::Ball { center, radius: 1e-6 };
        let action = Action::Move(Motion::Keyframes(vec![key]));
        let hold = Hold { name: format!("{center:?}"), body: 0, region, action, release: None };
        world.add_hold(hold).ok_or_else(|| ValidationError::EmptyRegion(format!("{center:?}")))?;
    }
    Ok(())
}

/// Splits since the last call: position and failure measure.
pub(crate) fn take_splits(world: &mut World) -> Vec<(Vec3, FailureMeasure)> {
    let events = std::mem::take(&mut world.events).into_iter();
    events
        .filter_map(|event| match event.kind {
            EventKind::Split { place, measure, .. } => Some((place, measure)),
            _ => None,
        })
        .collect()
}

/// Advances a quasi-static world until something splits, or to the end of the frame; returns the
/// splits.
pub(crate) fn run_to_split(world: &mut World) -> Result<Vec<(Vec3, FailureMeasure)>, ValidationError> {
    loop {
        let verdict = world.advance_frame(&mut |_| Verdict::Stop)?;
        let splits = take_splits(world);
        if !splits.is_empty() || verdict == Verdict::Continue {
            return Ok(splits);
        }
    }
}

pub(crate) fn run_frames(world: &mut World, frames: u32) -> Result<(), ValidationError> {
    for _ in 0..frames {
        world.advance_frame(&mut |_| Verdict::Continue)?;
        world.check_intersections()?;
    }
    Ok(())
}
