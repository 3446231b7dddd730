//! A scene that is read, built and run for a few steps.

use craze_engine::{Verdict, World};
use craze_scene::{ObstacleShape, Scene, SceneDocument, Shape, build};

/// Scenes with more cells than this are skipped: they would test the machine only.
const MOST_CELLS: f64 = 300.0;

/// Number of steps.
const STEPS: usize = 4;

/// Reads bytes as [`crate::scene`] does, builds the world if it is small and reads no files, and
/// takes a few steps. Its frame must be consistent.
pub fn try_bytes(bytes: &[u8]) -> Result<(), String> {
    let scene = crate::scene::read(bytes)?;
    if !is_small(&scene) {
        return Err("the scene is too large to be tried".to_owned());
    }
    let document = SceneDocument::from_scene(&scene, "fuzzed.toml").expect("what was read can be written and read");
    let mut world = build(&document).map_err(|errors| errors.to_string())?.world;
    take_steps(&mut world)
}

/// Takes a few steps and checks the last frame.
pub fn take_steps(world: &mut World) -> Result<(), String> {
    let mut steps = 0;
    let outcome = world.advance_frame(&mut |_| {
        steps += 1;
        if steps < STEPS { Verdict::Continue } else { Verdict::Stop }
    });
    world.account();
    for probe in world.probes() {
        assert_eq!(probe.measure(world).len(), probe.columns().len());
    }
    world.frame().check().expect("a world makes sound frames");
    outcome.map(|_| ()).map_err(|error| error.to_string())
}

fn is_small(scene: &Scene) -> bool {
    let cells = |body: &craze_scene::Body| -> Option<f64> {
        let cell = body.edge.or(body.spacing)?;
        Some(body.shape.built_in().ok()?.size().iter().map(|extent| (extent / cell).ceil()).product())
    };
    let all: Option<f64> = scene.bodies.iter().map(cells).sum();
    // Others are read from files, or meshed finely.
    let is_quick = |shape: &ObstacleShape| match shape {
        ObstacleShape::Plane { .. } => true,
        ObstacleShape::Solid(shape) => matches!(shape, Shape::Box(_) | Shape::Sphere(_) | Shape::Cylinder(_)),
    };
    let quick_obstacles = scene.obstacles.iter().all(|obstacle| is_quick(&obstacle.shape));
    all.is_some_and(|count| count <= MOST_CELLS) && quick_obstacles
}
