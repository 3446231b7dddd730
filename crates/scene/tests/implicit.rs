//! Implicit solids meet bodies of particles: momentum is kept, nothing passes through anything, and what lies on the other slows down; what crushes a body
//! is named.

use craze_engine::{Verdict, World, WorldError};
use craze_math::Vec3;
use craze_scene::{SceneDocument, build};

fn world(text: &str) -> World {
    let document = SceneDocument::parse(text, "test.toml", &[]).unwrap_or_else(|errors| panic!("{errors}"));
    build(&document).unwrap_or_else(|errors| panic!("{errors}")).world
}

fn advance(world: &mut World, frames: u32) -> Result<(), WorldError> {
    for _ in 0..frames {
        world.advance_frame(&mut |_| Verdict::Continue)?;
        world.check_intersections().unwrap_or_else(|found| panic!("{found}"));
    }
    Ok(())
}

fn block(size: [f64; 3], place: &str) -> String {
    format!(
        r#"
        [[body]]
        name = "block"
        method = "solid"
        integrator = "implicit"
        shape.box = {{ size = {size:?} }}
        edge = 0.05
        material = {{ density = 1000, young = 3e5, poisson = 0.3, damping_time = 1e-4 }}
        place = {place}
        "#
    )
}

fn clay(shape: &str, place: &str) -> String {
    format!(
        r#"
        [[body]]
        name = "clay"
        method = "clusters"
        shape.{shape}
        spacing = 0.02
        material.preset = "clay"
        clusters.damping = 6
        time_step = 1e-3
        place = {place}
        "#
    )
}

fn head(gravity: f64) -> String {
    format!(
        "
    [world]
    duration = 2
    fps = 50
    gravity = [0, {gravity}, 0]
    [contact]
    check_intersections = \"everything\"
    friction = 0.5
    "
    )
}

const GROUND: &str = "
    [[obstacle]]
    name = \"ground\"
    shape.plane = { point = [0, 0, 0], normal = [0, 1, 0] }
";

fn velocity(world: &World, body: usize) -> Vec3 {
    let account = world.bodies[body].method.account(&Vec3::zeros());
    account.momentum / account.mass
}

#[test]
fn an_implicit_block_and_clay_fly_at_each_other_and_keep_their_momentum() {
    let ball = "sphere = { radius = 0.06 }";
    for bodies in [
        [
            clay(ball, "{ at = [-0.13, 0.01, 0], velocity = [2, 0, 0] }"),
            block([0.1, 0.1, 0.1], "{ turn = [10, 20, 30] }"),
        ],
        [
            block([0.1, 0.1, 0.1], "{ at = [-0.17, 0.01, 0], turn = [0, 0, 40], velocity = [2, 0, 0] }"),
            clay(ball, "{ at = [0, 0, 0] }"),
        ],
    ] {
        let mut world = world(&(head(0.0) + &bodies.concat()));
        let before = world.account();
        advance(&mut world, 18).expect("frames");
        let after = world.account();
        let lost = (after.momentum - before.momentum).norm();
        assert!(lost < 1e-9 * before.mass, "{lost} N·s");
        assert!(after.kinetic + after.elastic < before.kinetic, "{} J of {} J", after.kinetic, before.kinetic);
        let [first, second] = [0, 1].map(|body| velocity(&world, body).x);
        assert!(first < second && second > 0.1, "they have met: {first} m/s and {second} m/s");
    }
}

#[test]
fn an_implicit_block_and_clay_lie_on_each_other_and_slow_down() {
    let plate = "box = { size = [0.2, 0.06, 0.2] }";
    // Clay under a block swings for longer than it does on one (m/s).
    for (slow, bodies) in [
        (1.5e-2, [clay(plate, "{ at = [0, 0.032, 0] }"), block([0.1, 0.06, 0.1], "{ at = [0.01, 0.10, 0.004] }")]),
        (1.5e-3, [block([0.2, 0.06, 0.2], "{ at = [0, 0.032, 0] }"), clay(plate, "{ at = [0.01, 0.10, 0.004] }")]),
    ] {
        let mut world = world(&(head(-9.81) + GROUND + &bodies.concat()));
        let energy = |world: &World| {
            let account = world.account();
            account.kinetic + account.elastic + account.potential
        };
        let before = energy(&world);
        advance(&mut world, 40).expect("frames");
        assert!(energy(&world) < before);
        for body in [0, 1] {
            let speed = velocity(&world, body).norm();
            assert!(speed < slow, "\"{}\" still moves at {speed} m/s", world.bodies[body].name);
        }
        // The upper one is where it fell to.
        let reach = [0, 1].map(|body| world.bodies[body].method.collision_geometry().bounds);
        assert!(reach[1].min.y > 0.045, "it lies at {} m", reach[1].min.y);
    }
}

#[test]
fn clay_under_a_block_swings_and_does_not_creep() {
    let plate = "box = { size = [0.2, 0.06, 0.2] }";
    let bodies = [clay(plate, "{ at = [0, 0.032, 0] }"), block([0.1, 0.06, 0.1], "{ at = [0.01, 0.10, 0.004] }")];
    let mut world = world(&(head(-9.81) + GROUND + &bodies.concat()));
    advance(&mut world, 45).expect("frames");
    // It moves at some mm/s still, up as well as down.
    let height = |world: &World| world.bodies[1].method.collision_geometry().bounds.centre().y;
    let (before, mut farthest) = (height(&world), 0.0f64);
    for _ in 0..25 {
        advance(&mut world, 1).expect("a frame");
        farthest = farthest.max((height(&world) - before).abs());
    }
    assert!(farthest < 2e-4, "it has gone {farthest} m in half a second");
}

#[test]
fn an_obstacle_that_crushes_a_body_is_named() {
    let ram = r#"
        [[obstacle]]
        name = "ram"
        shape.box = { size = [0.3, 0.03, 0.3] }
        place.at = [0, 0.12, 0]
        motion = [{ t = 0 }, { t = 0.3, move = [0, -0.2, 0] }]
    "#;
    for integrator in ["symplectic", "implicit"] {
        let plug = block([0.1, 0.1, 0.1], "{ at = [0, 0.0501, 0] }").replace("implicit", integrator);
        let mut world = world(&(head(-9.81) + GROUND + ram + &plug));
        let error = advance(&mut world, 20).expect_err("nothing can give way").to_string();
        assert!(error.contains("\"ram\"") && error.contains("\"block\""), "{error}");
    }
}

#[test]
fn a_steel_cylinder_that_lands_on_its_rim_gains_no_energy() {
    let text = format!(
        r#"{}
        {GROUND}
        [[body]]
        name = "cylinder"
        method = "solid"
        integrator = "implicit"
        shape.cylinder = {{ radius = 0.05, height = 0.2 }}
        edge = 0.02
        time_step = 5e-4
        material.preset = "steel"
        place = {{ at = [0, 0.12, 0], turn = [0, 0, 50], velocity = [0, -1.5, 0] }}
        "#,
        head(-9.81)
    );
    let mut world = world(&text);
    let energy = |world: &World| world.bodies[0].method.account(&world.settings.gravity).energy();
    let start = energy(&world);
    for frame in 1..=2 {
        advance(&mut world, 1).unwrap_or_else(|error| panic!("{error}"));
        let now = energy(&world);
        assert!(now <= start + 1e-6 * start.abs(), "frame {frame}: {now} J of {start} J");
    }
    assert!(world.counters.retries == 0, "{} steps were tried again", world.counters.retries);
}
