//! Obstacles press, and nothing of the body is ever found inside them.

use crate::cube::{Cube, energy, moving, run, world};
use craze_contact::RigidShape;
use craze_engine::{Drive, Keyframe, Motion, Obstacle, Verdict, World, WorldError};
use craze_frame::Surface;
use craze_math::{Isometry, Mat3, Vec3};

/// A box with its surface, in its own frame.
fn block(half_size: Vec3, at: Vec3, turn: Vec3, motion: Motion) -> Obstacle {
    let corner =
        |index: usize| half_size.component_mul(&Vec3::from_fn(|axis, _| 2.0 * (index >> axis & 1) as f64 - 1.0));
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Obstacle {
        name: "block".to_owned(),
        shape: RigidShape::Cuboid { half_size },
        surface: Surface { positions: (0..8).map(corner).collect(), triangles, ..Surface::default() },
        place: Isometry::new(at, turn),
        drive: Drive::Prescribed(motion),
    }
}

fn whole() -> Cube {
    Cube { splits_at: f64::INFINITY, ..Cube::new(0.0) }
}

/// A heavy ball that is free to move, with its surface inscribed.
fn ball(radius: f64, mass: f64, at: Vec3, velocity: Vec3) -> Obstacle {
    const RINGS: u32 = 24;
    let place = |ring: u32, around: u32| {
        let [polar, azimuth] = [ring, 2 * around].map(|k| std::f64::consts::PI * f64::from(k) / f64::from(RINGS));
        radius * Vec3::new(polar.sin() * azimuth.cos(), polar.cos(), polar.sin() * azimuth.sin())
    };
    let positions = (0..=RINGS).flat_map(|ring| (0..RINGS).map(move |around| place(ring, around))).collect();
    let at_grid = |ring: u32, around: u32| ring * RINGS + around % RINGS;
    let cells = (0..RINGS).flat_map(|ring| (0..RINGS).map(move |around| (ring, around)));
    let triangles = cells.flat_map(|(ring, around)| {
        let [a, b, c, d] = [(0, 0), (0, 1), (1, 1), (1, 0)].map(|(r, k)| at_grid(ring + r, around + k));
        [[a, b, c], [a, c, d]]
    });
    let mut ball = Obstacle {
        name: "ball".to_owned(),
        shape: RigidShape::Ball { radius },
        surface: Surface { positions, triangles: triangles.collect(), ..Surface::default() },
        place: Isometry::translation(at.x, at.y, at.z),
        drive: Drive::Prescribed(Motion::still()),
    };
    ball.release(mass, Vec3::zeros(), &(0.4 * mass * radius * radius * Mat3::identity()), velocity, Vec3::zeros());
    ball
}

#[test]
fn a_heavy_ball_dents_a_body_and_never_enters_it() {
    let slab = block(SLAB, Vec3::new(0.0, -0.0701, 0.0), Vec3::zeros(), Motion::still());
    let ball = ball(0.03, 10.0, Vec3::new(0.011, 0.0811, 0.007), Vec3::new(0.0, -1.0, 0.0));
    let mut world = world(whole(), vec![slab, ball], 0.3);
    run(&mut world, 3);
    assert!(energy(&world) > 0.1, "it is dented: {} J", energy(&world));
}

const SLAB: Vec3 = Vec3::new(0.2, 0.02, 0.2);

#[test]
fn a_body_that_hits_a_slab_never_enters_it() {
    for turn in [Vec3::zeros(), Vec3::new(0.3, 0.2, 0.4)] {
        let slab = block(SLAB, Vec3::new(0.0, -0.14, 0.0), turn, Motion::still());
        let mut world = world(moving(whole(), |_| Vec3::new(0.5, -4.0, 0.2)), vec![slab], 0.3);
        run(&mut world, 6);
        assert!(world.account().momentum.y > 0.0, "it has bounced");
    }
}

/// A slab under the cube and one above it that comes down by a way (m) in 0.05 s, and then goes up
/// again.
fn press(way: f64) -> World {
    let key = |time: f64, down: f64| Keyframe { time, shift: Vec3::new(0.0, -down, 0.0), turn: Vec3::zeros() };
    let motion = Motion::Keyframes(vec![key(0.0, 0.0), key(0.05, way), key(0.06, way), key(0.1, -0.05)]);
    let anvil = block(SLAB, Vec3::new(0.0, -0.0701, 0.0), Vec3::zeros(), Motion::still());
    let ram = Obstacle { name: "ram".to_owned(), ..block(SLAB, Vec3::new(0.0, 0.0701, 0.0), Vec3::zeros(), motion) };
    world(whole(), vec![anvil, ram], 0.5)
}

#[test]
fn a_press_never_enters_what_it_squeezes() {
    let mut world = press(0.02);
    run(&mut world, 5);
    assert!(energy(&world) > 0.01, "it is squeezed: {} J", energy(&world));
    run(&mut world, 6);
}

#[test]
fn an_obstacle_that_is_driven_through_a_body_is_named() {
    // There are 0.0001 m of free way and 0.1 m of cube before the anvil.
    let mut world = press(0.11);
    let mut advance = || world.advance_frame(&mut |_| Verdict::Continue);
    let error = (0..6).find_map(|_| advance().err()).expect("nothing gives way");
    let WorldError::Pressed { body, obstacle, place, .. } = &error else { panic!("{error}") };
    assert_eq!((body.as_str(), ["ram", "block"].contains(&obstacle.as_str())), ("cube", true), "{error}");
    assert!(place.norm() < 0.3, "{error}");
    assert!(error.to_string().contains("nothing gives way"), "{error}");
    assert!(world.account().kinetic.is_finite());
}
