//! The world that solids meet in.

use craze_contact::RigidShape;
use craze_engine::{Body, Checked, Drive, FrameDetail, Mode, Motion, Obstacle, PairTable, Settings, Verdict, World};
use craze_frame::Surface;
use craze_math::{Isometry, Vec3};

/// The ground, at height 0.
pub fn ground() -> Obstacle {
    Obstacle {
        name: "ground".into(),
        shape: RigidShape::HalfSpace,
        surface: Surface::default(),
        place: Isometry::identity(),
        drive: Drive::Prescribed(Motion::still()),
    }
}

/// A world without restitution that is searched for crossings after every frame.
pub fn world(
    bodies: Vec<Body>,
    obstacles: Vec<Obstacle>,
    gravity: f64,
    friction: f64,
    frames_per_second: f64,
) -> World {
    let settings = Settings {
        gravity: Vec3::new(0.0, -gravity, 0.0),
        frames_per_second,
        longest_time_step: f64::INFINITY,
        mode: Mode::Dynamic,
        detail: FrameDetail::Surface,
        pairs: PairTable::new(bodies.len(), obstacles.len(), friction, 0.0),
        check_intersections: Checked::Bodies,
    };
    World::new(settings, bodies, obstacles)
}

/// Advances by whole frames.
pub fn run(world: &mut World, frames: u32) {
    for _ in 0..frames {
        world.advance_frame(&mut |_| Verdict::Continue).expect("a frame");
    }
}
