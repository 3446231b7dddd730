//! A cube that breaks in two between two steps: its crack_faces lie on each other and are told
//! apart by their sides.

use crate::cube::{Cube, HALF, MIDDLE, energy, half, moving, observed, run, work, world};
use craze_engine::World;
use craze_math::Vec3;

#[test]
fn lips_at_rest_feel_nothing() {
    for roughness in [0.0, 0.02] {
        let mut world = world(Cube::new(roughness), Vec::new(), 0.5);
        run(&mut world, 5);
        let seen = observed(&world);
        assert_eq!(seen.y, f64::from(4 * MIDDLE), "it has split");
        assert_eq!((seen.x, seen.z), (0.0, 0.0), "no impulse, no gap");
        assert_eq!(energy(&world), 0.0);
    }
}

#[test]
fn lips_that_only_move_along_or_open_feel_nothing() {
    let fields: [fn(&Vec3) -> Vec3; 3] = [
        |_| Vec3::new(3.0, 1.0, -2.0),
        |place| Vec3::new(0.0, 5.0, 0.0).cross(place),
        |place| Vec3::new(5.0, 0.0, 0.0).cross(place),
    ];
    for (field, roughness) in fields.into_iter().zip([0.02, 0.0, 0.02]) {
        let mut world = world(moving(Cube::new(roughness), field), Vec::new(), 0.5);
        let before = world.account();
        run(&mut world, 10);
        let (after, seen) = (world.account(), observed(&world));
        assert_eq!(seen.y, f64::from(4 * MIDDLE), "it has split");
        let (scale, turns) = (before.mass * 3.0, before.angular_momentum.norm() > 1e-3);
        // A body that turns is strained by it, and vibrates.
        assert!(seen.x < if turns { 1e-2 } else { 1e-10 } * scale, "{} N·s", seen.x);
        assert!((after.momentum - before.momentum).norm() < 1e-12 * scale);
        let gained = after.kinetic + after.elastic - before.kinetic;
        assert!(gained < 1e-4 * before.kinetic, "{gained} J of {} J", before.kinetic);
        assert!(work(&world).1 < 1e-7 * before.kinetic, "contacts have done {} J", work(&world).1);
    }
}

/// Runs a cube that forces push together, and looks at every frame that it stays whole and gains
/// nothing.
fn pushed(roughness: f64, pushes: Vec<(Vec3, f64, f64)>, friction: f64, frames: u32) -> World {
    let mut world = world(Cube { pushes, ..Cube::new(roughness) }, Vec::new(), friction);
    for _ in 0..frames {
        run(&mut world, 1);
        let (account, (outside, contacts)) = (world.account(), work(&world));
        let gained = energy(&world) - outside;
        assert!(gained < 0.05 * outside.abs() + 1e-9, "{gained} J from nowhere at {} s", world.time);
        assert!(contacts < 1e-4 * outside.abs() + 1e-12, "contacts have done {contacts} J of {outside} J");
        assert!(account.momentum.norm() < 1e-12, "{account:?}");
    }
    world
}

#[test]
fn lips_that_are_pressed_together_stay_together() {
    for roughness in [0.0, 0.02] {
        let world = pushed(roughness, vec![(Vec3::new(0.0, -0.2, 0.0), 0.02, 0.3)], 0.5, 8);
        let seen = observed(&world);
        assert!(seen.x > 0.1 && seen.z.abs() < 1e-4, "{seen}");
    }
}

#[test]
fn lips_that_are_pressed_and_sheared_do_not_pass() {
    let push = Vec3::new(0.15, -0.2, 0.05);
    let slid = pushed(0.0, vec![(push, 0.02, 0.2)], 0.0, 8);
    assert!(observed(&slid).x > 0.1);
    pushed(0.02, vec![(push, 0.02, 0.2)], 0.2, 8);
}

#[test]
fn halves_that_have_parted_collide() {
    for push in [Vec3::new(0.0, 0.2, 0.0), Vec3::new(0.05, 0.2, 0.02)] {
        let pushes = vec![(push, 0.02, 0.04), (-2.0 * Vec3::new(0.0, push.y, 0.0), 0.04, 0.3)];
        let world = pushed(0.01, pushes, 0.3, 11);
        assert!(observed(&world).x > 0.1, "they have met");
    }
}

#[test]
fn broken_halves_give_the_same_bits_after_a_restart() {
    let cube = || Cube { pushes: vec![(Vec3::new(0.1, -0.2, 0.0), 0.02, 0.3)], ..Cube::new(0.01) };
    let bits = |restart: bool| {
        let mut here = world(cube(), Vec::new(), 0.3);
        run(&mut here, 4);
        if restart {
            let saved = here.save();
            here = world(cube(), Vec::new(), 0.3);
            here.restore(&saved).expect("its own state");
        }
        run(&mut here, 2);
        here.bodies[0].method.save()
    };
    assert!(bits(false) == bits(true));
}

#[test]
fn halves_are_closed_and_face_outward() {
    for (triangles, pieces) in [
        (half(0, MIDDLE, true, true), 1),
        ([half(0, MIDDLE, true, false), half(MIDDLE, 2 * MIDDLE, false, false)].concat(), 2),
    ] {
        let cube = Cube::new(0.02);
        let six_volumes = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|corner| cube.positions[corner as usize]);
            a.dot(&b.cross(&c))
        };
        let volume = triangles.iter().map(six_volumes).sum::<f64>() / 6.0;
        let expected = f64::from(pieces) * 4.0 * HALF.powi(3);
        assert!((volume - expected).abs() < 0.3 * expected, "{volume} m³");
        let mut edges: Vec<[u32; 2]> = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
        edges.sort_unstable();
        assert!(edges.iter().all(|&[from, to]| edges.binary_search(&[to, from]).is_ok()), "it is open");
    }
}
