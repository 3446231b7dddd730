//! Bodies that start inside each other part slowly, and then feel each other.

use crate::cube::{Cube, HALF, energy, world_of};
use craze_engine::{Verdict, World};
use craze_math::Vec3;

/// Two cubes, the second 0.01 m deep in the top of the first.
fn tangled() -> World {
    let whole = || Cube { splits_at: f64::INFINITY, ..Cube::new(0.0) };
    let mut upper = whole();
    for place in upper.positions.iter_mut().chain(&mut upper.ends) {
        *place += Vec3::new(0.013, 2.0 * HALF - 0.01, 0.007);
    }
    world_of(vec![whole(), upper], Vec::new(), 0.3)
}

fn advance(world: &mut World, frames: u32) {
    for _ in 0..frames {
        world.advance_frame(&mut |_| Verdict::Continue).expect("a frame");
        world.check_intersections().unwrap_or_else(|found| panic!("{found}"));
    }
}

#[test]
fn bodies_that_start_inside_each_other_part_at_a_bounded_speed() {
    let mut world = tangled();
    world.check_intersections().expect_err("nobody has asked for them to part");
    let found = world.separate_intersecting_bodies();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].bodies, [0, 1]);
    advance(&mut world, 35);
    assert_eq!(world.intersections(), []);
    let speed = |body: usize| {
        let account = world.bodies[body].method.account(&Vec3::zeros());
        account.momentum / account.mass
    };
    let leaving = speed(1) - speed(0);
    assert!(leaving.y > 0.01 && leaving.norm() < 0.06, "{leaving} m/s");
    assert!(world.account().momentum.norm() < 1e-12 && energy(&world) < 1e-3, "{} J", energy(&world));
}

#[test]
fn parting_gives_the_same_bits_after_a_restart() {
    let bits = |restart: bool| {
        let mut here = tangled();
        here.separate_intersecting_bodies();
        advance(&mut here, 3);
        if restart {
            let saved = here.save();
            here = tangled();
            here.separate_intersecting_bodies();
            here.restore(&saved).expect("its own state");
        }
        advance(&mut here, 3);
        here.bodies.iter().flat_map(|body| body.method.save()).collect::<Vec<u8>>()
    };
    assert!(bits(false) == bits(true));
}
