//! From a checked description to a world.

mod body;
mod crack;
mod flush;
mod load;
mod obstacle;

use crate::description::{Checked, Mode, Response};
use crate::document::SceneDocument;
use crate::report::{SceneError, SceneErrors};
use craze_descriptor::Rejection;
use craze_engine::{FrameDetail, PairTable, Settings, World};
use craze_math::Vec3;

/// Penetration of an obstacle at t = 0 up to which a body is accepted, over the body's size: contact resolves it in a few steps.
const VISIBLE_DEPTH: f64 = 1e-2;

/// A world and what was found out while it was made.
pub struct Built {
    /// The world at t = 0.
    pub world: World,
    /// How each body was read: "bowl: 0.31 m wide, 2.1 kg of glass, 18,400 tetrahedra"; and every model of an obstacle.
    pub summary: Vec<String>,
    /// Number of regions where bodies are too thin for their tetrahedra, and partly missing or filled up.
    pub lost: usize,
}

/// Makes the world of a scene. What only shows now (a region that selects nothing, a model that cannot be read) is
/// reported at its key.
pub fn build(document: &SceneDocument) -> Result<Built, SceneErrors> {
    let scene = &document.scene;
    let mut summary = Vec::new();
    let mut bodies = Vec::new();
    let mut looks = Vec::new();
    let mut lost = 0;
    let mut filled = Vec::new();
    for index in 0..scene.bodies.len() {
        filled.push(body::Filled::read(document, index)?);
    }
    let (mut obstacles, mut obstacle_lines) = (Vec::new(), Vec::new());
    for index in 0..scene.obstacles.len() {
        let (obstacle, line) = obstacle::build(document, index)?;
        obstacles.push(obstacle);
        obstacle_lines.extend(line);
    }
    flush::separate_flush_faces(document, &mut filled, &obstacles)?;
    for body in filled {
        let read = body::build(document, body)?;
        bodies.push(read.body);
        looks.push(read.look);
        summary.push(read.line);
        lost += read.lost;
    }
    summary.extend(obstacle_lines);
    let mut world = World::new(settings(document), bodies, obstacles);
    for (body, look) in looks.into_iter().enumerate() {
        if let Some(look) = look {
            world.set_look(body, look);
        }
    }
    if scene.contact.separate_at_start {
        world.separate_intersecting_bodies();
    } else {
        refuse_intersections(document, &world)?;
        refuse_penetrations(document, &world)?;
    }
    for index in 0..scene.holds.len() {
        load::add_hold(document, index, &mut world)?;
    }
    for probe in &scene.probes {
        load::add_probe(scene, probe, &mut world);
    }
    Ok(Built { world, summary, lost })
}

/// Refuses bodies that intersect at t = 0: the direction in which to separate them is unknown.
fn refuse_intersections(document: &SceneDocument, world: &World) -> Result<(), SceneError> {
    let intersections = world.intersections();
    let Some(intersection) = intersections.iter().find(|intersection| intersection.bodies[0] != intersection.bodies[1])
    else {
        return Ok(());
    };
    let ([first, second], place) = (intersection.bodies, intersection.place);
    let [one, other] = [first, second].map(|body| &world.bodies[body].name);
    let [x, y, z] = [place.x, place.y, place.z];
    let message = format!("body \"{other}\" starts inside body \"{one}\", at ({x:.4}, {y:.4}, {z:.4}) m");
    let help = "move them apart (they may touch), or let them part slowly with contact.separate_at_start = true";
    Err(document.error_at(&format!("body[{second}].place"), message, help))
}

/// Refuses bodies that start in obstacles, deeper than [`VISIBLE_DEPTH`].
fn refuse_penetrations(document: &SceneDocument, world: &World) -> Result<(), SceneError> {
    let is_seen = |penetration: &craze_engine::Penetration| penetration.depth > VISIBLE_DEPTH * penetration.size;
    let Some(penetration) = world.obstacle_penetrations(0.0).into_iter().find(is_seen) else { return Ok(()) };
    let (body, obstacle) = (&world.bodies[penetration.body].name, &world.obstacles[penetration.obstacle].name);
    let [x, y, z] = [penetration.place.x, penetration.place.y, penetration.place.z];
    let depth = penetration.depth;
    let message =
        format!("body \"{body}\" starts {depth:.4} m deep in obstacle \"{obstacle}\", at ({x:.4}, {y:.4}, {z:.4}) m");
    let help = "move them apart (they may touch), or let them part slowly with contact.separate_at_start = true";
    Err(document.error_at(&format!("body[{}].place", penetration.body), message, help))
}

fn settings(document: &SceneDocument) -> Settings {
    let scene = &document.scene;
    let world = &scene.world;
    Settings {
        gravity: Vec3::from(world.gravity),
        frames_per_second: world.fps,
        longest_time_step: world.time_step.unwrap_or(f64::INFINITY),
        mode: match world.mode {
            Mode::Dynamic => craze_engine::Mode::Dynamic,
            Mode::QuasiStatic => craze_engine::Mode::QuasiStatic { steps: world.steps.unwrap_or(1) },
        },
        detail: if scene.output.volume { FrameDetail::Volume } else { FrameDetail::Surface },
        pairs: pairs(document),
        check_intersections: match scene.contact.check_intersections {
            Checked::Nothing => craze_engine::Checked::Nothing,
            Checked::Bodies => craze_engine::Checked::Bodies,
            Checked::Everything => craze_engine::Checked::Everything,
        },
    }
}

fn pairs(document: &SceneDocument) -> PairTable {
    let scene = &document.scene;
    let bodies = scene.bodies.iter().map(|body| body.name.as_str());
    let things: Vec<&str> = bodies.chain(scene.obstacles.iter().map(|obstacle| obstacle.name.as_str())).collect();
    let mut table = PairTable::new(scene.bodies.len(), scene.obstacles.len(), 0.0, 0.0);
    for (one, first) in things.iter().enumerate() {
        for (other, second) in things.iter().enumerate().skip(one) {
            let touch = scene.touch(document.methods(), first, second);
            table.set(one, other, touch.friction, touch.restitution);
            let response = match touch.response {
                Response::Impulses => craze_contact::solvers::penalty::Response::Impulses,
                Response::NodePenalty => craze_contact::solvers::penalty::Response::NodePenalty,
                Response::OverlapPenalty => craze_contact::solvers::penalty::Response::OverlapPenalty,
            };
            table.set_response(one, other, response);
        }
    }
    table
}

/// What is wrong at a key of the table `path`.
fn at_key(document: &SceneDocument, path: &str, error: Rejection) -> SceneError {
    let Rejection { key, message, help } = error.below(path);
    document.error_at(&key, message, help)
}

/// An error of a library at a key.
fn rejected(document: &SceneDocument, path: &str, message: impl ToString, help: &str) -> SceneError {
    document.error_at(path, message.to_string(), help)
}
