//! Bodies that lie flush on each other, or on an obstacle, may start with a relative velocity.

use craze_engine::{Drive, Verdict, World};
use craze_math::Vec3;
use craze_scene::{SceneDocument, build};

/// A flyer plate of 10 mm that starts in full contact with a target of 20 mm. Sound takes 2 µs
/// through the flyer.
fn impact(velocity: [f64; 3], poisson: f64, flyer_width: f64) -> World {
    let text = format!(
        r#"
        [world]
        duration = 2e-5
        fps = 1e6
        gravity = [0, 0, 0]
        [contact]
        check_intersections = "everything"

        [[body]]
        name = "flyer"
        method = "solid"
        shape.box = {{ size = [0.01, {flyer_width}, 0.02] }}
        edge = 0.005
        material = {{ density = 2500, young = 7e10, poisson = {poisson} }}
        place = {{ at = [-0.005, 0, 0], velocity = {velocity:?} }}

        [[body]]
        name = "target"
        method = "solid"
        shape.box = {{ size = [0.02, 0.02, 0.02] }}
        edge = 0.005
        material = {{ density = 2500, young = 7e10, poisson = {poisson} }}
        place = {{ at = [0.01, 0, 0] }}
        "#
    );
    let document = SceneDocument::parse(&text, "test.toml", &[]).unwrap_or_else(|errors| panic!("{errors}"));
    build(&document).unwrap_or_else(|errors| panic!("{errors}")).world
}

fn velocity(world: &World, body: usize) -> Vec3 {
    let account = world.bodies[body].method.account(&Vec3::zeros());
    account.momentum / account.mass
}

#[test]
fn a_flush_flyer_hands_its_momentum_to_the_target() {
    for (velocity_at_start, poisson, width) in [
        ([20.0, 0.0, 0.0], 0.0, 0.02),
        ([20.0, 0.0, 0.0], 0.3, 0.02),
        ([20.0, 5.0, 3.0], 0.3, 0.02),
        ([20.0, 0.0, 0.0], 0.3, 0.012),
    ] {
        let mut world = impact(velocity_at_start, poisson, width);
        let (before, energy) = (world.account().momentum, world.account().energy());
        for _ in 0..20 {
            world.advance_frame(&mut |_| Verdict::Continue).unwrap_or_else(|error| panic!("{error}"));
            world.check_intersections().unwrap_or_else(|found| panic!("{found}"));
        }
        let after = world.account();
        assert!((after.momentum - before).norm() < 1e-10 * before.norm(), "{velocity_at_start:?} {poisson} {width}");
        assert!(after.energy() < 1.001 * energy);
        // In one dimension, plates of one material of which the target is the thicker: the flyer
        // stops. Two elements across it let it rebound a little, a narrow one more.
        let speed = velocity(&world, 0).x;
        assert!(speed.abs() < 0.15 * 20.0, "{velocity_at_start:?} {poisson} {width}: {speed}");
        assert!(speed < velocity(&world, 1).x);
        // Nothing moves across the impact that did not before.
        if velocity_at_start[1] == 0.0 {
            assert!(velocity(&world, 1).yz().norm() < 0.1, "{}", velocity(&world, 1));
        }
    }
}

/// Two blocks of 0.1 m, the second where `at` says, both rotated by `turn` (°) about the origin.
fn blocks(turn: [f64; 3], at: Vec3, velocity: [f64; 3]) -> World {
    let rotation = craze_math::Rotation::from_euler_angles(0.0, 0.0, turn[2].to_radians());
    let at = rotation * at;
    let text = format!(
        r#"
        [world]
        duration = 1
        fps = 100
        gravity = [0, 0, 0]
        [contact]
        check_intersections = "everything"

        [[body]]
        name = "first"
        method = "solid"
        shape.box = {{ size = [0.1, 0.1, 0.1] }}
        edge = 0.05
        material = {{ density = 1000, young = 1e6, poisson = 0.3 }}
        place = {{ turn = {turn:?} }}

        [[body]]
        name = "second"
        method = "solid"
        shape.box = {{ size = [0.1, 0.1, 0.1] }}
        edge = 0.05
        material = {{ density = 1000, young = 1e6, poisson = 0.3 }}
        place = {{ at = [{}, {}, {}], turn = {turn:?}, velocity = {velocity:?} }}
        "#,
        at.x, at.y, at.z
    );
    let document = SceneDocument::parse(&text, "test.toml", &[]).unwrap_or_else(|errors| panic!("{errors}"));
    build(&document).unwrap_or_else(|errors| panic!("{errors}")).world
}

#[test]
fn flush_bodies_at_rest_stay_at_rest() {
    // A rotation rounds positions, so that faces overlap by the last digits.
    for turn in [[0.0, 0.0, 0.0], [0.0, 0.0, 30.0]] {
        let mut world = blocks(turn, Vec3::new(0.1, 0.02, 0.0), [0.0; 3]);
        for _ in 0..10 {
            world.advance_frame(&mut |_| Verdict::Continue).unwrap_or_else(|error| panic!("{error}"));
        }
        assert!(velocity(&world, 0).norm() < 1e-12 && velocity(&world, 1).norm() < 1e-12, "{turn:?}");
    }
}

#[test]
fn a_flush_body_slides_off_and_parts_freely() {
    for (velocity_at_start, turn) in [([0.0, 1.0, 0.0], 0.0), ([1.0, 0.0, 0.0], 0.0), ([0.0, 0.5, 0.5], 0.0)] {
        let mut world = blocks([0.0, 0.0, turn], Vec3::new(0.1, 0.0, 0.0), velocity_at_start);
        for _ in 0..20 {
            world.advance_frame(&mut |_| Verdict::Continue).unwrap_or_else(|error| panic!("{error}"));
            world.check_intersections().unwrap_or_else(|found| panic!("{found}"));
        }
        // Without friction nothing holds it back.
        assert!((velocity(&world, 1) - Vec3::from(velocity_at_start)).norm() < 1e-6, "{velocity_at_start:?}");
        assert!(velocity(&world, 0).norm() < 1e-6);
    }
}

/// A cube of 0.1 m and an obstacle that touches its lower face.
fn on_obstacle(cube_velocity: f64, obstacle: &str) -> World {
    let text = format!(
        r#"
        [world]
        duration = 1e-4
        fps = 1e5
        gravity = [0, 0, 0]
        [contact]
        check_intersections = "everything"

        [[body]]
        name = "cube"
        method = "solid"
        shape.box = {{ size = [0.1, 0.1, 0.1] }}
        edge = 0.02
        material = {{ density = 2500, young = 5e10, poisson = 0.2 }}
        place = {{ at = [0, 0.05, 0], velocity = [0, {cube_velocity}, 0] }}

        [[obstacle]]
        name = "obstacle"
        {obstacle}
        "#
    );
    let document = SceneDocument::parse(&text, "test.toml", &[]).unwrap_or_else(|errors| panic!("{errors}"));
    build(&document).unwrap_or_else(|errors| panic!("{errors}")).world
}

fn advance(world: &mut World, frames: usize) {
    for _ in 0..frames {
        world.advance_frame(&mut |_| Verdict::Continue).unwrap_or_else(|error| panic!("{error}"));
        world.check_intersections().unwrap_or_else(|found| panic!("{found}"));
    }
}

#[test]
fn a_cube_rebounds_from_a_flush_obstacle_of_any_width_as_from_a_distant_one() {
    let momentum = |obstacle: &str| {
        let mut world = on_obstacle(-10.0, obstacle);
        advance(&mut world, 10);
        world.account().momentum.y
    };
    let apart = momentum("shape.box = { size = [0.3, 0.1, 0.3] }\nplace.at = [0, -0.0501, 0]");
    assert!(apart > 18.0, "{apart}");
    for obstacle in [
        "shape.plane = { point = [0, 0, 0], normal = [0, 1, 0] }",
        "shape.box = { size = [0.3, 0.1, 0.3] }\nplace.at = [0, -0.05, 0]",
        "shape.box = { size = [0.1, 0.1, 0.1] }\nplace.at = [0, -0.05, 0]",
        "shape.cylinder = { radius = 0.08, height = 0.1 }\nplace.at = [0, -0.05, 0]",
    ] {
        let flush = momentum(obstacle);
        assert!((flush / apart - 1.0).abs() < 0.02, "{obstacle}: {flush} instead of {apart}");
    }
}

#[test]
fn a_free_obstacle_that_starts_flush_hands_its_momentum_over() {
    for shape in [
        "shape.box = { size = [0.1, 0.1, 0.1] }",
        "shape.box = { size = [0.06, 0.1, 0.06] }",
        "shape.cylinder = { radius = 0.04, height = 0.1 }",
    ] {
        for speed in [2.0, 100.0] {
            let place = format!("place = {{ at = [0, -0.05, 0], velocity = [0, {speed}, 0] }}\nmass = 2");
            let mut world = on_obstacle(0.0, &format!("{shape}\n{place}"));
            advance(&mut world, 5);
            let Drive::Free(free) = &world.obstacles[0].drive else { panic!("it is free") };
            let (body, obstacle) = (world.account().momentum, 2.0 * free.body.velocity);
            assert!(body.y > 0.2 * 2.0 * speed, "{shape}, {speed} m/s: {body}");
            let total = body + obstacle;
            assert!((total - Vec3::new(0.0, 2.0 * speed, 0.0)).norm() < 1e-9 * speed, "{shape}, {speed} m/s: {total}");
        }
    }
}
