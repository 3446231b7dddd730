//! A ball lands on a block and is kept out of it by each of the responses that a scene can ask for.

use craze_engine::{Account, Verdict, World};
use craze_math::Vec3;
use craze_scene::{SceneDocument, build};

fn world(contact: &str, of_ball: &str) -> World {
    let text = format!(
        r#"
        [world]
        duration = 1
        fps = 100
        [contact]
        friction = 0.3
        {contact}
        [[body]]
        name = "block"
        method = "solid"
        shape.box = {{ size = [0.2, 0.1, 0.2] }}
        edge = 0.05
        material = {{ density = 1000, young = 3e5, poisson = 0.3, damping_time = 3e-3 }}
        [[body]]
        name = "ball"
        method = "solid"
        shape.sphere = {{ radius = 0.05 }}
        edge = 0.025
        material = {{ density = 1000, young = 3e5, poisson = 0.3, damping_time = 3e-3 }}
        place = {{ at = [0.01, 0.103, 0.007], velocity = [0, -1, 0] }}
        {of_ball}
        [[hold]]
        name = "table"
        body = "block"
        region.box = {{ from = [-1, -0.06, -1], to = [1, -0.049, 1] }}
        motion = [{{ t = 0 }}]
        "#
    );
    let document = SceneDocument::parse(&text, "test.toml", &[]).unwrap_or_else(|errors| panic!("{errors}"));
    build(&document).unwrap_or_else(|errors| panic!("{errors}")).world
}

fn run(world: &mut World, frames: u32) {
    for _ in 0..frames {
        world.advance_frame(&mut |_| Verdict::Continue).expect("a frame");
        world.check_intersections().unwrap_or_else(|found| panic!("{found}"));
    }
}

fn ball(world: &World) -> Account {
    world.bodies[1].method.account(&world.settings.gravity)
}

/// Lowest height of the ball (m).
fn lowest(world: &World) -> f64 {
    world.frame().bodies[1].surface.positions.iter().map(|place| place.y).fold(f64::INFINITY, f64::min)
}

/// Drops the ball; gives the upward speed with which it leaves, and the height of its lowest point
/// at the deepest moment.
fn drop(contact: &str, of_ball: &str, frames: u32) -> (f64, f64) {
    let mut world = world(contact, of_ball);
    // Of both bodies, in the air and on each other; what presses stores some of it.
    let energy = |world: &World| {
        let account = world.account();
        account.kinetic + account.elastic + account.potential
    };
    let (start, kinetic, mass) = (energy(&world), world.account().kinetic, ball(&world).mass);
    let (mut fastest, mut deepest) = (f64::NEG_INFINITY, f64::INFINITY);
    for _ in 0..frames {
        run(&mut world, 1);
        fastest = fastest.max(ball(&world).momentum.y / mass);
        deepest = deepest.min(lowest(&world));
        let gained = energy(&world) - start;
        assert!(gained < 1e-3 * kinetic, "{gained} J gained, of {kinetic} J");
    }
    (fastest, deepest)
}

#[test]
fn a_ball_bounces_off_with_every_response() {
    let pair = |response: &str| {
        format!(r#"pair = [{{ between = ["ball", "block"], restitution = 0.8, response = "{response}" }}]"#)
    };
    for response in ["impulses", "node-penalty", "overlap-penalty"] {
        let (fastest, deepest) = drop(&pair(response), "", 8);
        assert!(fastest > 0.2 && fastest < 1.0, "{response}: leaves with {fastest} m/s");
        assert!(deepest > 0.0, "{response}: {deepest} m, and the block begins at 0.05 m");
    }
}

#[test]
fn what_a_body_asks_for_is_what_a_pair_asks_for() {
    for response in ["node-penalty", "overlap-penalty"] {
        let by_pair = drop(&format!(r#"pair = [{{ between = ["block", "ball"], response = "{response}" }}]"#), "", 3);
        let by_body = drop("", &format!("solid.response = \"{response}\""), 3);
        assert_eq!(by_pair, by_body);
        assert_ne!(by_pair, drop("", "", 3));
    }
}

#[test]
fn a_ball_rests_in_a_block_as_deep_as_its_weight_presses() {
    for response in ["node-penalty", "overlap-penalty"] {
        let mut world = world(&format!(r#"pair = [{{ between = ["ball", "block"], response = "{response}" }}]"#), "");
        run(&mut world, 80);
        // It came with 1 m/s. A ball of facets may still roll.
        let speed = ball(&world).momentum.y / ball(&world).mass;
        assert!(speed.abs() < 0.01, "{response}: {speed} m/s");
        let sunk = 0.05 - lowest(&world);
        assert!(sunk > 0.0 && sunk < 0.02, "{response}: {sunk} m");
    }
}

#[test]
fn momentum_is_kept() {
    for response in ["node-penalty", "overlap-penalty"] {
        let text = format!(r#"pair = [{{ between = ["ball", "block"], response = "{response}" }}]"#);
        let mut world = world(&text, "");
        world.holds.clear();
        world.settings.gravity = Vec3::zeros();
        let before = world.account();
        run(&mut world, 8);
        let after = world.account();
        assert!((after.momentum - before.momentum).norm() < 1e-11, "{response}");
        assert!((after.angular_momentum - before.angular_momentum).norm() < 1e-9, "{response}");
        let passed = world.bodies[0].method.account(&Vec3::zeros()).momentum.y;
        assert!(passed < -0.1, "{response}: the block has taken {passed} N·s");
    }
}
