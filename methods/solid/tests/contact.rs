//! Solids that meet each other: they push back, keep momentum, come to rest, and never pass through.

use craze_contact::Shape;
use craze_engine::{Body, Drive, FrameDetail, Mode, Motion, Obstacle, PairTable, Registry, Settings, Verdict, World};
use craze_frame::Surface;
use craze_material::{Damping, Elasticity, Material};
use craze_math::{Isometry, Vec3};
use craze_mesh::kuhn_box;
use craze_solid::{KIND, Solid, SolidOptions, load};

/// Rubber with some damping.
fn rubber() -> Material {
    let damping = Damping { phi: 20.0, psi: 20.0, ..Damping::default() };
    Material { damping, ..Material::elastic("rubber", 1000.0, Elasticity::from_young(1e6, 0.3)) }
}

/// A block of cells with its centre in a place (m).
fn block(name: &str, cells: [usize; 3], size: Vec3, place: Isometry, velocity: Vec3) -> Body {
    let mesh = kuhn_box(cells, size).expect("a box");
    let placement = place * Isometry::translation(-0.5 * size.x, -0.5 * size.y, -0.5 * size.z);
    let options = SolidOptions::default();
    let solid = Solid::new(mesh, vec![rubber()], options, placement, velocity, Vec3::zeros()).expect("a solid");
    Body { name: name.into(), method: Box::new(solid) }
}

fn ground() -> Obstacle {
    Obstacle {
        name: "ground".into(),
        shape: Shape::HalfSpace,
        surface: Surface::default(),
        place: Isometry::identity(),
        drive: Drive::Prescribed(Motion::still()),
    }
}

fn world(bodies: Vec<Body>, obstacles: Vec<Obstacle>, gravity: f64, friction: f64) -> World {
    let settings = Settings {
        gravity: Vec3::new(0.0, -gravity, 0.0),
        frames_per_second: 50.0,
        longest_time_step: f64::INFINITY,
        mode: Mode::Dynamic,
        detail: FrameDetail::Surface,
        pairs: PairTable::new(bodies.len(), obstacles.len(), friction, 0.0),
    };
    World::new(settings, bodies, obstacles)
}

fn run(world: &mut World, frames: u32) {
    let registry = Registry::new().register(KIND, load);
    for _ in 0..frames {
        world.advance_frame(&registry, &mut |_| Verdict::Continue).expect("a frame");
    }
}

fn center(world: &World, body: usize) -> Vec3 {
    let frame = world.frame();
    let positions = &frame.bodies[body].surface.positions;
    positions.iter().sum::<Vec3>() / positions.len() as f64
}

#[test]
fn two_blocks_that_collide_keep_their_momentum() {
    let size = Vec3::repeat(0.1);
    let turned = Isometry::new(Vec3::new(0.16, 0.02, 0.01), Vec3::new(0.4, 0.5, -0.3));
    let bodies = vec![
        block("left", [3; 3], size, Isometry::identity(), Vec3::new(2.0, 0.0, 0.0)),
        block("right", [3; 3], size, turned, Vec3::new(-1.0, 0.0, 0.0)),
    ];
    let mut world = world(bodies, Vec::new(), 0.0, 0.4);
    let before = world.account();
    run(&mut world, 10);
    let after = world.account();
    assert!((after.momentum - before.momentum).norm() < 1e-11 * before.mass, "{}", after.momentum - before.momentum);
    // Friction acts on both sides of a gap as wide as the skin, normal forces on one line.
    let turned = (after.angular_momentum - before.angular_momentum).norm();
    assert!(turned < 1e-4 * before.mass * 0.1 * 3.0, "{turned}");
    let energy = |account: &craze_engine::Account| account.kinetic + account.elastic;
    assert!(energy(&after) <= energy(&before), "{} J out of {} J", energy(&after), energy(&before));
    // They have bounced off each other.
    let momentum = |index: usize| world.bodies[index].method.account(&Vec3::zeros()).momentum.x;
    assert!(momentum(0) < 0.9 * momentum(1), "{} {}", momentum(0), momentum(1));
    assert!(center(&world, 0).x < center(&world, 1).x - 0.08);
}

#[test]
fn nothing_jumps_through_a_thin_plate() {
    let bodies = vec![
        block("plate", [8, 1, 8], Vec3::new(0.4, 0.002, 0.4), Isometry::identity(), Vec3::zeros()),
        block(
            "bullet",
            [1; 3],
            Vec3::repeat(0.02),
            Isometry::translation(0.013, 0.05, 0.007),
            Vec3::new(0.0, -100.0, 0.0),
        ),
    ];
    let mut world = world(bodies, Vec::new(), 0.0, 0.3);
    world.settings.frames_per_second = 2000.0;
    for _ in 0..6 {
        run(&mut world, 1);
        // The plate is pushed ahead of the bullet, wherever the two are.
        let frame = world.frame();
        let lowest =
            |body: usize| frame.bodies[body].surface.positions.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
        assert!(lowest(1) > lowest(0) - 1e-4, "{} m under {} m", lowest(1), lowest(0));
    }
    assert!(world.bodies[0].method.account(&Vec3::zeros()).momentum.y < -1e-3);
}

#[test]
fn a_block_comes_to_rest_on_another() {
    let size = Vec3::new(0.1, 0.06, 0.1);
    let bodies = vec![
        block("lower", [3, 2, 3], size, Isometry::translation(0.0, 0.0301, 0.0), Vec3::zeros()),
        block("upper", [2, 2, 2], 0.7 * size, Isometry::translation(0.01, 0.0830, 0.004), Vec3::zeros()),
    ];
    let mut world = world(bodies, vec![ground()], 9.81, 0.5);
    run(&mut world, 50);
    let places: Vec<Vec3> = (0..2).map(|body| center(&world, body)).collect();
    run(&mut world, 50);
    for (body, place) in places.iter().enumerate() {
        let drift = (center(&world, body) - place).norm();
        assert!(drift < 1e-4, "{drift} m");
    }
    let account = world.account();
    assert!(account.kinetic < 1e-5 * account.mass, "{} J", account.kinetic);
    assert!(places[1].y > 0.075, "{}", places[1].y);
}
