//! What several tests build: plain worlds, steps by hand, boundaries held node by node.

use crate::ValidationError;
use craze_engine::{
    Action, Body, Checked, CommitLog, Effect, Event, EventKind, FailureMeasure, FrameDetail, Hold, HoldId, Keyframe,
    Load, Loader, Method, Mode, Motion, PairTable, Region, Settings, Step, Verdict, World,
};
use craze_material::{Elasticity, Material};
use craze_math::{Isometry, Vec3};
use craze_mesh::{Jitter, TetMesh, kuhn_box};
use craze_solid::{Solid, SolidOptions};
use std::ops::Range;

/// Irregular meshes of boxes: as crooked as a Kuhn lattice may be.
pub(crate) const JITTER: Jitter = Jitter { amount: 0.15, seed: 7 };

/// A solid at rest where its mesh is, of an undamped material, that never flies as a rigid body unless `options` say so.
pub(crate) fn solid_at_rest(
    mesh: TetMesh,
    material: Material,
    options: SolidOptions,
) -> Result<Solid, ValidationError> {
    let still = Vec3::zeros();
    Ok(Solid::new(mesh, vec![material], options, Isometry::identity(), still, still)?)
}

/// Options of a solid that computes its elements whatever happens.
pub(crate) fn awake() -> SolidOptions {
    SolidOptions { rest_strain: 0.0, ..SolidOptions::default() }
}

/// A material that is nothing but elastic.
pub(crate) fn elastic(density: f64, elasticity: Elasticity) -> Material {
    Material::elastic("test", density, elasticity)
}

/// A step of this length (s) in which nothing acts but what the body does itself.
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

/// Forces (N) that act on the nodes of a solid in its present state, read from what one step does to the velocities. The solid
/// takes that step.
pub(crate) fn forces_from_a_step(solid: &mut Solid) -> Result<Vec<Vec3>, ValidationError> {
    let (before, masses) = (solid.velocities(), solid.masses());
    let time_step = finite_step(solid);
    take_step(solid, &free_step(time_step))?;
    let change = solid.velocities().into_iter().zip(before).map(|(after, before)| (after - before) / time_step);
    Ok(change.zip(masses).map(|(acceleration, mass)| mass * acceleration).collect())
}

/// A step (s) that the solid bears; a microsecond where it sets no limit.
pub(crate) fn finite_step(solid: &Solid) -> f64 {
    let limit = solid.time_step_limit();
    if limit.is_finite() { limit } else { 1e-6 }
}

/// Whether each node lies on the surface of a mesh.
pub(crate) fn is_on_surface(mesh: &TetMesh) -> Vec<bool> {
    let mut on_surface = vec![false; mesh.point_count()];
    for node in mesh.boundary().triangles.iter().flatten() {
        on_surface[node.index()] = true;
    }
    on_surface
}

/// Takes hold of single nodes and places each where `place` takes its rest position (m). Gives the loads that do so, with the node each
/// of them holds.
pub(crate) fn hold_nodes(
    solid: &mut Solid,
    nodes: impl IntoIterator<Item = usize>,
    place: impl Fn(&Vec3) -> Vec3,
) -> Result<(Vec<usize>, Vec<Load>), ValidationError> {
    let rest = solid.mesh().positions().to_vec();
    let (mut held, mut loads) = (Vec::new(), Vec::new());
    for node in nodes {
        let (hold, center) = (HoldId(held.len() as u32), rest[node]);
        // No two nodes are as near as this.
        let region = Region::Ball { center, radius: 1e-6 };
        solid.attach(hold, &region).ok_or_else(|| ValidationError::EmptyRegion(format!("{center:?}")))?;
        let shift = place(&center) - center;
        loads.push(Load { hold, effect: Effect::Place(Isometry::translation(shift.x, shift.y, shift.z)) });
        held.push(node);
    }
    Ok((held, loads))
}

/// A plate with grid lines at these places (m), one element thick (m), and with a slit along y = 0 between these two x (m), through the edge where
/// they lie beyond it; y = 0 is a grid line, and so are ends within the plate.
pub(crate) fn slit_plate(
    across: &[f64],
    up: &[f64],
    thickness: f64,
    slit: Range<f64>,
) -> Result<TetMesh, ValidationError> {
    let cells = [across.len() - 1, up.len() - 1, 1];
    let grid = kuhn_box(cells, Vec3::new(cells[0] as f64, cells[1] as f64, 1.0))?;
    let placed = |place: &Vec3| {
        Vec3::new(across[place.x.round() as usize], up[place.y.round() as usize], thickness * place.z.round())
    };
    let mut positions: Vec<Vec3> = grid.positions().iter().map(placed).collect();
    let count = positions.len();
    // Nodes of the slit, and the copy of each for what lies below it.
    let is_slit = |place: &Vec3| place.y == 0.0 && place.x > slit.start + 1e-9 && place.x < slit.end - 1e-9;
    let slit: Vec<usize> = (0..count).filter(|&node| is_slit(&positions[node])).collect();
    for &node in &slit {
        positions.push(positions[node]);
    }
    let copied = |corner: u32| match slit.binary_search(&(corner as usize)) {
        Ok(place) => (count + place) as u32,
        Err(_) => corner,
    };
    let is_below = |corners: &[u32; 4]| corners.iter().map(|&corner| positions[corner as usize].y).sum::<f64>() < 0.0;
    let cut = |corners: &[u32; 4]| if is_below(corners) { corners.map(copied) } else { *corners };
    let elements = grid.elements().iter().map(cut).collect();
    Ok(TetMesh::from_parts(positions.clone(), elements)?)
}

/// A world of one body, without gravity and obstacles.
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
    World::new(settings, vec![Body { name: "specimen".to_owned(), method: Box::new(body), load }], Vec::new())
}

/// Lets a world of one body hold single nodes at these rest positions (m) and place each where `place` takes it, from the first step on.
pub(crate) fn hold_places(
    world: &mut World,
    rest: impl IntoIterator<Item = Vec3>,
    place: impl Fn(&Vec3) -> Vec3,
) -> Result<(), ValidationError> {
    for center in rest {
        let key = Keyframe { time: 0.0, shift: place(&center) - center, turn: Vec3::zeros() };
        // No two nodes are as near as this.
        let region = Region::Ball { center, radius: 1e-6 };
        let action = Action::Move(Motion::Keyframes(vec![key]));
        let hold = Hold { name: format!("{center:?}"), body: 0, region, action, release: None };
        world.add_hold(hold).ok_or_else(|| ValidationError::EmptyRegion(format!("{center:?}")))?;
    }
    Ok(())
}

/// What a world has split since this was last asked for: where, and what exceeded its limit there.
pub(crate) fn take_splits(world: &mut World) -> Vec<(Vec3, FailureMeasure)> {
    let events = std::mem::take(&mut world.events).into_iter();
    events
        .filter_map(|event| match event.kind {
            EventKind::Split { place, measure, .. } => Some((place, measure)),
            _ => None,
        })
        .collect()
}

/// Lets the world run for some frames.
pub(crate) fn run_frames(world: &mut World, frames: u32) -> Result<(), ValidationError> {
    for _ in 0..frames {
        world.advance_frame(&mut |_| Verdict::Continue)?;
        world.check_intersections()?;
    }
    Ok(())
}
