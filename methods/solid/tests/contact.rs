//! Contact between solids: forces, momentum, rest, and no penetration.

mod common;

use common::{ground, run};
use craze_contact::RigidShape;
use craze_engine::{Body, Drive, Keyframe, Motion, Obstacle, PairTable, Verdict, World};
use craze_material::{Damping, Elasticity, Material};
use craze_math::{Isometry, Random, Vec3};
use craze_mesh::kuhn_box;
use craze_solid::{Solid, SolidOptions};
use craze_spatial::self_intersections;

/// Rubber with some damping (Pa·s).
fn rubber(damping: f64) -> Material {
    let damping = Damping { phi: damping, psi: damping, ..Damping::default() };
    Material { damping, ..Material::elastic("rubber", 1000.0, Elasticity::from_young(1e6, 0.3)) }
}

/// A block of cells with its centre at a position (m).
fn block(name: &str, cells: [usize; 3], size: Vec3, place: Isometry, velocity: Vec3) -> Body {
    block_of(&rubber(20.0), name, cells, size, place, velocity)
}

fn block_of(material: &Material, name: &str, cells: [usize; 3], size: Vec3, place: Isometry, velocity: Vec3) -> Body {
    let mesh = kuhn_box(cells, size).expect("a box");
    let placement = place * Isometry::translation(-0.5 * size.x, -0.5 * size.y, -0.5 * size.z);
    let options = SolidOptions::default();
    let solid = Solid::new(mesh, vec![material.clone()], options, placement, velocity, Vec3::zeros()).expect("a solid");
    Body::new(name, Box::new(solid), craze_solid::load)
}

fn world(bodies: Vec<Body>, obstacles: Vec<Obstacle>, gravity: f64, friction: f64) -> World {
    common::world(bodies, obstacles, gravity, friction, 50.0)
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

/// Pairs of triangles of all bodies that pass through each other, exactly.
fn intersections(world: &World) -> usize {
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for body in world.frame().bodies {
        let first = positions.len() as u32;
        positions.extend(body.surface.positions);
        triangles.extend(body.surface.triangles.iter().map(|corners| corners.map(|corner| first + corner)));
    }
    self_intersections(&positions, &triangles, 100).expect("sound surfaces").pairs.len()
}

fn energy(world: &World) -> f64 {
    let account = world.account();
    account.kinetic + account.elastic + account.potential
}

/// Five boxes of different meshes, one on another, with a tenth of a millimetre between them.
fn stack() -> World {
    let size = Vec3::new(0.2, 0.08, 0.2);
    let box_at = |index: usize| {
        let cells = [[2, 1, 2], [3, 1, 3]][index % 2];
        let height = 0.04 + 0.0801 * index as f64;
        block(
            ["first", "second", "third", "fourth", "fifth"][index],
            cells,
            size,
            Isometry::translation(0.0, height, 0.0),
            Vec3::zeros(),
        )
    };
    let mut world = world((0..5).map(box_at).collect(), vec![ground()], 9.81, 0.5);
    world.settings.frames_per_second = 10.0;
    world
}

#[test]
fn a_stack_of_five_rests() {
    let mut world = stack();
    run(&mut world, 30);
    let before: Vec<Vec3> = (0..5).map(|body| center(&world, body)).collect();
    let mut energies = vec![energy(&world)];
    for _ in 0..10 {
        run(&mut world, 5);
        energies.push(energy(&world));
    }
    for (body, place) in before.iter().enumerate() {
        let drift = (center(&world, body) - place).norm();
        assert!(drift < 1e-4, "box {body} has gone {drift} m");
    }
    let most = energies[0].abs() * 1e-6;
    assert!(energies.windows(2).all(|pair| pair[1] <= pair[0] + most), "{energies:?}");
    assert_eq!(intersections(&world), 0);
    // Impulses stop what would come closer than the skins within a step, as springs of stiffness
    // m/Δt² would: this deep at most.
    let frame = world.frame();
    let side = |body: usize, pick: fn(f64, f64) -> f64| {
        frame.bodies[body].surface.positions.iter().map(|place| place.y).reduce(pick).expect("points")
    };
    for upper in 1..5 {
        let gap = side(upper, f64::min) - side(upper - 1, f64::max);
        let skins = 2.0 * 5e-4 * 0.12;
        assert!(gap > 0.0 && gap < skins, "{gap} m between boxes {} and {upper}", upper - 1);
    }
}

#[test]
fn a_box_slides_on_another_beyond_the_angle_of_friction_only() {
    let friction = 0.4f64;
    for (degrees, slides) in [(1.0, true), (-1.0, false)] {
        let angle = friction.atan() + f64::to_radians(degrees);
        let bodies = vec![
            block("slope", [6, 1, 3], Vec3::new(0.6, 0.06, 0.3), Isometry::translation(0.0, 0.03, 0.0), Vec3::zeros()),
            block(
                "box",
                [2, 1, 2],
                Vec3::new(0.1, 0.05, 0.1),
                Isometry::translation(-0.1, 0.0851, 0.013),
                Vec3::zeros(),
            ),
        ];
        let mut settings = world(Vec::new(), Vec::new(), 9.81, 0.0).settings;
        settings.gravity = 9.81 * Vec3::new(angle.sin(), -angle.cos(), 0.0);
        settings.pairs = PairTable::new(2, 1, 2.0, 0.0);
        settings.pairs.set(0, 1, friction, 0.0);
        let mut world = World::new(settings, bodies, vec![ground()]);
        run(&mut world, 10);
        let account = world.bodies[1].method.account(&Vec3::zeros());
        let (start, speed) = (center(&world, 1), account.momentum / account.mass);
        run(&mut world, 40);
        let way = (center(&world, 1) - start).x;
        let time = 40.0 / 50.0;
        let acceleration = if slides { 9.81 * (angle.sin() - friction * angle.cos()) } else { 0.0 };
        let expected = if slides { speed.x * time + 0.5 * acceleration * time * time } else { 0.0 };
        assert!((way - expected).abs() < 0.003, "{way} m instead of {expected} m at {degrees}° beyond");
    }
}

#[test]
fn a_box_on_an_obstacle_holds_and_slides_on_the_two_sides_of_the_friction_angle() {
    // A slope of 25° and coefficients two hundredths above and below its tangent.
    let angle = f64::to_radians(25.0);
    for (share, slides) in [(0.98, true), (1.02, false)] {
        let friction = share * angle.tan();
        let size = Vec3::new(0.12, 0.06, 0.12);
        // Damped well: what rattles slides more easily.
        let place = Isometry::translation(0.0, 0.0301, 0.0);
        let bodies = vec![block_of(&rubber(200.0), "box", [2, 1, 2], size, place, Vec3::zeros())];
        let mut settings = world(Vec::new(), Vec::new(), 9.81, 0.0).settings;
        settings.gravity = 9.81 * Vec3::new(angle.sin(), -angle.cos(), 0.0);
        settings.pairs = PairTable::new(1, 1, friction, 0.0);
        let mut world = World::new(settings, bodies, vec![ground()]);
        run(&mut world, 25);
        let account = world.bodies[0].method.account(&Vec3::zeros());
        let (start, speed) = (center(&world, 0), account.momentum / account.mass);
        run(&mut world, 50);
        let way = (center(&world, 0) - start).x;
        let expected = if slides { speed.x + 0.5 * 9.81 * (angle.sin() - friction * angle.cos()) } else { 0.0 };
        assert!((way - expected).abs() < 1e-3, "{way} m instead of {expected} m at {share} of the tangent");
    }
}

#[test]
fn the_last_of_a_row_takes_over_the_speed_of_the_first() {
    let cube = |index: usize| {
        let (place, speed) = if index == 0 { (-0.2, 1.0) } else { (0.1005 * (index - 1) as f64, 0.0) };
        let (place, velocity) = (Isometry::translation(place, 0.0, 0.0), Vec3::new(speed, 0.0, 0.0));
        block_of(&rubber(0.0), ["a", "b", "c", "d"][index], [4, 2, 2], Vec3::new(0.1, 0.04, 0.04), place, velocity)
    };
    let mut world = world((0..4).map(cube).collect(), Vec::new(), 0.0, 0.0);
    let before = world.account();
    run(&mut world, 15);
    let after = world.account();
    assert!((after.momentum - before.momentum).norm() < 1e-12 * before.mass);
    assert!(energy(&world) < before.kinetic);
    let speed = |body: usize| {
        let account = world.bodies[body].method.account(&Vec3::zeros());
        account.momentum.x / account.mass
    };
    assert!(
        speed(3) > 0.8 && (0..3).all(|body| speed(body).abs() < 0.1),
        "{} {} {} {}",
        speed(0),
        speed(1),
        speed(2),
        speed(3)
    );
}

#[test]
fn a_free_obstacle_and_a_body_push_each_other() {
    let bodies = vec![block("block", [3; 3], Vec3::repeat(0.1), Isometry::identity(), Vec3::zeros())];
    let mut hammer = Obstacle {
        name: "hammer".into(),
        shape: RigidShape::Ball { radius: 0.05 },
        place: Isometry::translation(-0.15, 0.0, 0.0),
        ..ground()
    };
    let inertia = 0.4 * 0.5 * 0.05 * 0.05 * craze_math::Mat3::identity();
    hammer.release(0.5, Vec3::zeros(), &inertia, Vec3::new(2.0, 0.0, 0.0), Vec3::zeros());
    let mut world = world(bodies, vec![hammer], 0.0, 0.3);
    run(&mut world, 10);
    let Drive::Free(free) = &world.obstacles[0].drive else { unreachable!("it was released") };
    let momentum = world.account().momentum + 0.5 * free.body.velocity;
    assert!((momentum - Vec3::new(1.0, 0.0, 0.0)).norm() < 1e-12, "{momentum}");
    assert!(
        world.account().momentum.x > 0.9,
        "the heavier block takes almost all of it: {}",
        world.account().momentum.x
    );
}

/// Slivers and chips of all sizes above the ground between four walls.
fn rubble(count: usize) -> World {
    let mut random = Random::new(7);
    let shard = |index: usize| {
        let size = Vec3::from_fn(|_, _| 0.02 + 0.03 * random.number());
        let column = Vec3::new((index % 3) as f64 - 1.0, (index / 9) as f64 + 1.0, (index / 3 % 3) as f64 - 1.0);
        let place = 0.08 * column + 0.004 * random.direction();
        let turned = Isometry::new(place, 3.0 * random.number() * random.direction());
        block(&format!("shard {index}"), [1; 3], size, turned, Vec3::new(0.0, -1.0, 0.0))
    };
    let bodies = (0..count).map(shard).collect();
    let wall = |x: f64, z: f64| Obstacle {
        name: format!("wall {x} {z}"),
        place: Isometry::translation(0.18 * x, 0.0, 0.18 * z) * rotation_to(Vec3::new(-x, 0.0, -z)),
        ..ground()
    };
    world(bodies, vec![ground(), wall(1.0, 0.0), wall(-1.0, 0.0), wall(0.0, 1.0), wall(0.0, -1.0)], 9.81, 0.4)
}

/// A rotation from the y axis to a direction.
fn rotation_to(direction: Vec3) -> Isometry {
    let turn = craze_math::Rotation::rotation_between(&Vec3::y(), &direction);
    Isometry::from_parts(Vec3::zeros().into(), turn.expect("not opposite"))
}

#[test]
fn two_hundred_shards_make_a_pile_and_none_passes_through_another() {
    let mut world = rubble(200);
    let mut highest = f64::INFINITY;
    for _ in 0..3 {
        run(&mut world, 4);
        assert_eq!(intersections(&world), 0, "at {} s", world.time);
        let now = energy(&world);
        assert!(now < highest, "{now} J after {highest} J");
        highest = now;
    }
    assert!(world.bodies.iter().all(|body| body.method.collision_geometry().bounds.min.y > -1e-4));
}

#[test]
fn a_run_that_resumes_and_any_number_of_threads_give_the_same_bits() {
    let bits = |world: &World| -> Vec<u8> { world.bodies.iter().flat_map(|body| body.method.save()).collect() };
    let with_threads = |threads: usize, resume: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let mut world = rubble(40);
            run(&mut world, 6);
            if resume {
                let saved = world.save();
                world = rubble(40);
                world.restore(&saved).expect("its own state");
            }
            run(&mut world, 4);
            bits(&world)
        })
    };
    let plain = with_threads(1, false);
    assert!(plain == with_threads(3, false), "three threads");
    assert!(plain == with_threads(2, true), "resumed");
}

/// A block on the ground under a ram that moves down by a displacement (m) in a tenth of a second.
fn press(way: f64) -> World {
    let bodies =
        vec![block("block", [2; 3], Vec3::repeat(0.1), Isometry::translation(0.0, 0.0501, 0.0), Vec3::zeros())];
    let key = |time: f64, way: f64| Keyframe { time, shift: Vec3::new(0.0, -way, 0.0), turn: Vec3::zeros() };
    let ram = Obstacle {
        name: "ram".into(),
        shape: RigidShape::Cuboid { half_size: Vec3::new(0.2, 0.05, 0.2) },
        place: Isometry::translation(0.0, 0.16, 0.0),
        drive: Drive::Prescribed(Motion::Keyframes(vec![key(0.0, 0.0), key(0.1, way)])),
        ..ground()
    };
    world(bodies, vec![ground(), ram], 0.0, 0.3)
}

#[test]
fn a_keyframed_obstacle_pushes_and_says_so_where_it_cannot() {
    let mut world = press(0.04);
    run(&mut world, 5);
    let highest = world.bodies[0].method.collision_geometry().bounds.max.y;
    assert!(highest < 0.071 && highest > 0.06, "squeezed to {highest} m");
    let mut world = press(0.2);
    let error = (0..6).find_map(|_| world.advance_frame(&mut |_| Verdict::Continue).err());
    let message = error.expect("nothing fits between ram and ground").to_string();
    assert!(message.contains("\"ram\" crushes body \"block\""), "{message}");
    assert!(world.account().kinetic.is_finite());
}

#[test]
fn two_solids_of_the_world_tangle_or_do_not() {
    let cube = |name: &str, height: f64| {
        block(name, [2; 3], Vec3::repeat(0.1), Isometry::translation(0.0, height, 0.0), Vec3::zeros())
    };
    let at = |height: f64| world(vec![cube("lower", 0.0), cube("upper", height)], Vec::new(), 0.0, 0.0).intersections();
    assert_eq!(at(0.1), [], "they touch");
    assert_eq!(at(0.15), []);
    let intersections = at(0.09);
    assert_eq!(intersections.len(), 1);
    assert_eq!(intersections[0].bodies, [0, 1]);
    assert!((intersections[0].place.y - 0.045).abs() < 0.0051, "{}", intersections[0].place);
}
