//! Bodies of different methods meet: momentum is kept, nothing passes through anything, pairs have their own friction.

use craze_engine::{Checked, Verdict, World, WorldError};
use craze_math::Vec3;
use craze_scene::{SceneDocument, build};

fn world(text: &str) -> World {
    let document = SceneDocument::parse(text, "test.toml", &[]).unwrap_or_else(|errors| panic!("{errors}"));
    build(&document).unwrap_or_else(|errors| panic!("{errors}")).world
}

fn run(world: &mut World, frames: u32) {
    for _ in 0..frames {
        world.advance_frame(&mut |_| Verdict::Continue).expect("a frame");
        world.check_intersections().unwrap_or_else(|found| panic!("{found}"));
    }
}

fn solid(name: &str, size: [f64; 3], place: &str) -> String {
    format!(
        r#"
        [[body]]
        name = "{name}"
        method = "solid"
        shape.box = {{ size = {size:?} }}
        edge = 0.05
        material = {{ density = 1000, young = 3e5, poisson = 0.3, damping_time = 1e-4 }}
        place = {place}
        "#
    )
}

fn clay(name: &str, place: &str) -> String {
    format!(
        r#"
        [[body]]
        name = "{name}"
        method = "clusters"
        shape.sphere = {{ radius = 0.06 }}
        spacing = 0.02
        material.preset = "clay"
        time_step = 1e-3
        place = {place}
        "#
    )
}

const SPACE: &str = "
    [world]
    duration = 1
    fps = 50
    gravity = [0, 0, 0]
    [contact]
    check_intersections = \"everything\"
";

/// Lets two bodies fly at each other and looks at what is kept.
fn collide(first: &str, second: &str) {
    let mut world = world(&format!("{SPACE}{first}{second}"));
    let before = world.account();
    run(&mut world, 18);
    assert_eq!(world.intersections(), []);
    let after = world.account();
    let scale = before.mass * 2.0;
    assert!((after.momentum - before.momentum).norm() < 1e-12 * scale, "{}", after.momentum - before.momentum);
    assert!(after.kinetic + after.elastic < before.kinetic, "{} J of {} J", after.kinetic, before.kinetic);
    let speed = |body: usize| {
        let account = world.bodies[body].method.account(&Vec3::zeros());
        account.momentum.x / account.mass
    };
    assert!(speed(0) < speed(1) && speed(1) > 0.1, "they have met: {} m/s and {} m/s", speed(0), speed(1));
}

#[test]
fn clay_meets_a_solid() {
    let ball = clay("clay", "{ at = [-0.13, 0.01, 0], velocity = [2, 0, 0] }");
    collide(&ball, &solid("block", [0.1, 0.1, 0.1], "{ turn = [10, 20, 30] }"));
}

#[test]
fn a_solid_meets_clay() {
    let block = solid("block", [0.1, 0.1, 0.1], "{ at = [-0.17, 0.01, 0], turn = [0, 0, 40], velocity = [2, 0, 0] }");
    collide(&block, &clay("clay", "{ at = [0, 0, 0] }"));
}

#[test]
fn clay_meets_clay() {
    let first = clay("first", "{ at = [-0.16, 0.02, 0.01], velocity = [2, 0, 0] }");
    collide(&first, &clay("second", "{ at = [0, 0, 0] }"));
}

#[test]
fn a_pair_of_bodies_has_its_own_friction() {
    // Gravity leans by 20°, whose tangent is 0.36.
    let lower = solid("lower", [0.4, 0.05, 0.2], "{ at = [0, 0.025, 0] }");
    let upper = solid("upper", [0.1, 0.05, 0.1], "{ at = [-0.05, 0.0751, 0] }");
    let ground = "
        [[obstacle]]
        name = \"ground\"
        shape.plane = { point = [0, 0, 0], normal = [0, 1, 0] }
    ";
    let slid = |friction: f64, settling: u32| {
        let contact = format!(
            "
            [world]
            duration = 2
            fps = 50
            gravity = [3.355, -9.218, 0]
            [contact]
            friction = 1
            check_intersections = \"everything\"
            [[contact.pair]]
            between = [\"upper\", \"lower\"]
            friction = {friction}
            "
        );
        let mut world = world(&format!("{contact}{lower}{upper}{ground}"));
        let place = |world: &World| {
            world.bodies[1].method.collision_geometry().bounds.centre().x
                - world.bodies[0].method.collision_geometry().bounds.centre().x
        };
        // It bounces before it rests.
        run(&mut world, settling);
        let start = place(&world);
        run(&mut world, 15);
        place(&world) - start
    };
    assert!(slid(0.45, 35).abs() < 1e-4, "{} m", slid(0.45, 35));
    // From 0.2 s to 0.5 s at g sin 20° − 0.2·g cos 20°.
    let expected = 0.5 * (3.355 - 0.2 * 9.218) * (0.5f64.powi(2) - 0.2f64.powi(2));
    assert!((slid(0.2, 10) - expected).abs() < 0.05 * expected, "{} m instead of {expected} m", slid(0.2, 10));
}

#[test]
fn methods_that_meet_give_the_same_bits_for_any_threads_and_after_a_restart() {
    let text = format!(
        "{SPACE}{}{}{}",
        clay("clay", "{ at = [-0.13, 0.01, 0], velocity = [2, 0, 0] }"),
        solid("block", [0.1, 0.1, 0.1], "{ turn = [10, 20, 30] }"),
        clay("second clay", "{ at = [0.14, 0.02, 0], velocity = [-2, 0, 0] }"),
    );
    let bits = |threads: usize, restart: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let mut here = world(&text);
            run(&mut here, 3);
            if restart {
                let saved = here.save();
                here = world(&text);
                here.restore(&saved).expect("its own state");
            }
            run(&mut here, 5);
            here.bodies.iter().flat_map(|body| body.method.save()).collect::<Vec<u8>>()
        })
    };
    let plain = bits(1, false);
    assert!(plain == bits(2, true) && plain == bits(3, false));
}

/// Two blocks, of which a hold pushes one into the other; nothing meets in quasi-static mode.
fn pushed_into_each_other() -> World {
    let blocks = [
        solid("still", [0.1, 0.1, 0.1], "{ at = [0, 0, 0] }"),
        solid("moving", [0.1, 0.1, 0.1], "{ at = [0.13, 0.02, 0.01] }"),
    ];
    world(&format!(
        r#"
        [world]
        duration = 1
        fps = 4
        mode = "quasi-static"
        gravity = [0, 0, 0]
        [contact]
        check_intersections = "bodies"
        {}
        [[hold]]
        name = "wall"
        body = "still"
        region.half_space = {{ point = [-0.049, 0, 0], normal = [-1, 0, 0] }}
        [[hold]]
        name = "grip"
        body = "moving"
        region.half_space = {{ point = [0.179, 0, 0], normal = [1, 0, 0] }}
        motion = [{{ t = 0, move = [0, 0, 0] }}, {{ t = 1, move = [-0.08, 0, 0] }}]
        "#,
        blocks.concat()
    ))
}

#[test]
fn a_run_that_is_asked_to_finds_what_passes_through() {
    let advance = |world: &mut World| world.advance_frame(&mut |_| Verdict::Continue).expect("a frame");
    let mut world = pushed_into_each_other();
    assert_eq!(world.check_intersections(), Ok(()));
    advance(&mut world);
    assert_eq!(world.check_intersections(), Ok(()), "0.01 m apart");
    advance(&mut world);
    let found = world.check_intersections().expect_err("0.01 m deep");
    let WorldError::Intersection { things, place, frame: 2 } = &found else { panic!("{found}") };
    let mut names = things.clone();
    names.sort();
    assert_eq!(names, ["moving", "still"]);
    assert!((place.x - 0.045).abs() < 0.05 && place.y.abs() < 0.08 && place.z.abs() < 0.08, "{place}");
    let words = found.to_string();
    assert!(words.contains("in frame 2, ") && words.contains("pass through each other near ("), "{words}");
    world.settings.check_intersections = Checked::Nothing;
    assert_eq!(world.check_intersections(), Ok(()), "nobody asked");
}

#[test]
fn obstacles_count_but_not_among_each_other() {
    let block = |name: &str, x: f64| {
        format!(
            "[[obstacle]]\nname = \"{name}\"\nshape.box = {{ size = [0.1, 0.1, 0.1] }}\nplace.at = [{x}, 0.01, 0.02]\n"
        )
    };
    let body = solid("body", [0.1, 0.1, 0.1], "{ at = [0, 0, 0] }");
    let at = |x: f64| {
        let both = [block("one", 0.2), block("other", x)].concat();
        world(&format!("{SPACE}{body}{both}")).check_intersections()
    };
    assert_eq!(at(0.25), Ok(()), "only the obstacles overlap");
    let found = at(0.0995).expect_err("the obstacle is inside the body");
    let WorldError::Intersection { mut things, frame: 0, .. } = found else { panic!("{found}") };
    things.sort();
    assert_eq!(things, ["body", "other"]);
}
