//! From a checked description to a world: the one place that knows all methods.

mod body;
mod filling;
mod flush;
mod load;
mod model;
mod obstacle;
mod strength;

pub use filling::fault_of_triangles;

use crate::description::{Checked, Mode, Response, Scene};
use crate::document::SceneDocument;
use crate::report::{SceneError, SceneErrors};
use craze_engine::{FrameDetail, PairTable, Settings, World};
use craze_math::Vec3;

/// Depth in an obstacle, in units of the body's size, that nobody sees and contact brings out of in no time.
const VISIBLE_DEPTH: f64 = 1e-2;

/// A world and what was found out while it was made.
pub struct Built {
    /// The world at t = 0.
    pub world: World,
    /// How each body was read: "bowl: 0.31 m wide, 2.1 kg of glass, 18,400 tetrahedra"; and every model of an obstacle.
    pub summary: Vec<String>,
    /// Places where bodies are too thin for their tetrahedra, and partly missing or filled up.
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
    let mut world = World::new(settings(scene), bodies, obstacles);
    for (body, look) in looks.into_iter().enumerate() {
        if let Some(look) = look {
            world.set_look(body, look);
        }
    }
    if scene.contact.separate_at_start {
        world.separate_intersecting_bodies();
    } else {
        refuse_intersections(document, &world)?;
        refuse_sunk(document, &world)?;
    }
    for index in 0..scene.holds.len() {
        load::add_hold(document, index, &mut world)?;
    }
    for probe in &scene.probes {
        load::add_probe(scene, probe, &mut world);
    }
    Ok(Built { world, summary, lost })
}

/// Bodies must not start inside each other: nobody knows which way leads out.
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

/// Bodies must not start in obstacles, but for what is out of sight.
fn refuse_sunk(document: &SceneDocument, world: &World) -> Result<(), SceneError> {
    let is_seen = |sunk: &craze_engine::Penetration| sunk.depth > VISIBLE_DEPTH * sunk.size;
    let Some(sunk) = world.obstacle_penetrations(0.0).into_iter().find(is_seen) else { return Ok(()) };
    let (body, obstacle) = (&world.bodies[sunk.body].name, &world.obstacles[sunk.obstacle].name);
    let [x, y, z] = [sunk.place.x, sunk.place.y, sunk.place.z];
    let depth = sunk.depth;
    let message =
        format!("body \"{body}\" starts {depth:.4} m deep in obstacle \"{obstacle}\", at ({x:.4}, {y:.4}, {z:.4}) m");
    let help = "move them apart (they may touch), or let them part slowly with contact.separate_at_start = true";
    Err(document.error_at(&format!("body[{}].place", sunk.body), message, help))
}

fn settings(scene: &Scene) -> Settings {
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
        pairs: pairs(scene),
        check_intersections: match scene.contact.check_intersections {
            Checked::Nothing => craze_engine::Checked::Nothing,
            Checked::Bodies => craze_engine::Checked::Bodies,
            Checked::Everything => craze_engine::Checked::Everything,
        },
    }
}

fn pairs(scene: &Scene) -> PairTable {
    let bodies = scene.bodies.iter().map(|body| body.name.as_str());
    let things: Vec<&str> = bodies.chain(scene.obstacles.iter().map(|obstacle| obstacle.name.as_str())).collect();
    let mut table = PairTable::new(scene.bodies.len(), scene.obstacles.len(), 0.0, 0.0);
    for (one, first) in things.iter().enumerate() {
        for (other, second) in things.iter().enumerate().skip(one) {
            let touch = scene.touch(first, second);
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

/// An error of a library at a key.
fn rejected(document: &SceneDocument, path: &str, message: impl ToString, help: &str) -> SceneError {
    document.error_at(path, message.to_string(), help)
}
