//! Implicit solids in contact: contact is part of their equations, for any time step.

mod common;

use common::run;
use craze_contact::ContactSurface;
use craze_engine::{Body, World};
use craze_material::{Damping, Elasticity, Material};
use craze_math::{Isometry, Vec3};
use craze_mesh::kuhn_box;
use craze_solid::{Integrator, Solid, SolidOptions};

const GRAVITY: f64 = 9.81;

/// Stiffness of the contact of a point (N/m) in a body that keeps a distance (m): the larger of a
/// hundred times its mass over Δt² and what leaves three quarters of the distance under ten times
/// its weight.
fn contact_stiffness(mass: f64, time_step: f64, kept: f64) -> f64 {
    mass * (100.0 / (time_step * time_step)).max(10.0 * GRAVITY / (0.25 * kept))
}

fn block(integrator: Integrator, density: f64, cells: [usize; 3], size: Vec3, at: Vec3, velocity: Vec3) -> Body {
    let damping = Damping { phi: 20.0, psi: 20.0, ..Damping::default() };
    let material = Material { damping, ..Material::elastic("rubber", density, Elasticity::from_young(1e6, 0.3)) };
    let corner = at - 0.5 * size;
    let placement = Isometry::translation(corner.x, corner.y, corner.z);
    let options = SolidOptions { integrator, ..SolidOptions::default() };
    let mesh = kuhn_box(cells, size).expect("a box");
    let solid = Solid::new(mesh, vec![material], options, placement, velocity, Vec3::zeros()).expect("a solid");
    Body::new("block", Box::new(solid), craze_solid::load)
}

fn world(bodies: Vec<Body>, gravity: f64, friction: f64, frames_per_second: f64) -> World {
    let obstacles = if gravity > 0.0 { vec![common::ground()] } else { Vec::new() };
    common::world(bodies, obstacles, gravity, friction, frames_per_second)
}

fn points(world: &World, body: usize) -> ContactSurface {
    world.bodies[body].method.collision_geometry().surface()
}

fn energy(world: &World) -> f64 {
    let account = world.account();
    account.kinetic + account.elastic + account.potential
}

/// Largest displacement of a body's points between two calls (m).
fn drift(before: &ContactSurface, after: &ContactSurface) -> f64 {
    let moved = before.points.iter().zip(&after.points).map(|(then, now)| (now.start - then.start).norm());
    moved.fold(0.0, f64::max)
}

/// A small block over one triangle of a large one, so that its four lowest corners are all that
/// touches.
fn one_on_another(lower: Integrator, upper: Integrator, gap: f64) -> World {
    let (large, small) = (Vec3::new(0.4, 0.1, 0.4), Vec3::repeat(0.04));
    let skins = 2.0 * gap;
    let at = Vec3::new(0.12, 0.1 + 0.5 * small.y + skins, -0.05);
    world(
        vec![
            block(lower, 1000.0, [1, 1, 1], large, Vec3::new(0.0, 0.05 + gap, 0.0), Vec3::zeros()),
            block(upper, 1000.0, [1, 1, 1], small, at, Vec3::zeros()),
        ],
        GRAVITY,
        0.5,
        100.0,
    )
}

#[test]
fn an_implicit_block_lies_on_another_as_deep_as_weight_over_stiffness() {
    let mut world = one_on_another(Integrator::Implicit, Integrator::Implicit, 0.01);
    const STEP: f64 = 0.01;
    run(&mut world, 200);
    assert!((world.last_time_step - STEP).abs() < 1e-9, "the step is as long as a frame");
    assert_eq!(world.counters.retries, 0);
    let (lower, upper) = (points(&world, 0), points(&world, 1));
    let skins: f64 = (0..2).map(|body| world.bodies[body].method.collision_geometry().triangles.skin).sum();
    let top = lower.points.iter().map(|point| point.start.y).sum::<f64>() / lower.points.len() as f64;
    let top: Vec<Vec3> = lower.points.iter().map(|point| point.start).filter(|place| place.y > top).collect();
    // The height of the triangle of the large block under a point.
    let height = |place: &Vec3| {
        let corner = |x: f64, z: f64| {
            *top.iter().find(|corner| corner.x * x > 0.0 && corner.z * z > 0.0).expect("a corner of the top")
        };
        // Kuhn's diagonal of the top goes from the corner of least x and z to that of largest; the
        // point has x > z.
        let [a, b, c] = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0)];
        let normal = (b - a).cross(&(c - a)).normalize();
        a.y - normal.dot(&Vec3::new(place.x - a.x, 0.0, place.z - a.z)) / normal.y
    };
    let middle = upper.points.iter().map(|point| point.start.y).sum::<f64>() / upper.points.len() as f64;
    let mut pushes = Vec::new();
    for point in upper.points.iter().filter(|point| point.start.y < middle) {
        let depth = skins - (point.start.y - height(&point.start));
        pushes.push(contact_stiffness(1.0 / point.inverse_mass, STEP, skins) * depth);
    }
    assert_eq!(pushes.len(), 4);
    let (push, weight) = (pushes.iter().sum::<f64>(), GRAVITY * 1000.0 * 0.04f64.powi(3));
    assert!((push / weight - 1.0).abs() < 0.01, "pushed with {push} N, weighs {weight} N");
    run(&mut world, 100);
    let [low, up] = [drift(&lower, &points(&world, 0)), drift(&upper, &points(&world, 1))];
    assert!(low < 1e-5 && up < 1e-5, "drifts by {low} m and {up} m in a second");
}

#[test]
fn an_implicit_block_that_falls_on_another_stays_on_it() {
    let size = Vec3::new(0.1, 0.06, 0.1);
    let block = |cells, at| block(Integrator::Implicit, 1000.0, cells, size, at, Vec3::zeros());
    let bodies = vec![block([2, 1, 2], Vec3::new(0.0, 0.04, 0.0)), block([3, 1, 3], Vec3::new(0.007, 0.12, 0.004))];
    let mut world = world(bodies, GRAVITY, 0.5, 50.0);
    let before = energy(&world);
    run(&mut world, 25);
    let rest: Vec<ContactSurface> = (0..2).map(|body| points(&world, body)).collect();
    run(&mut world, 10);
    for (body, before) in rest.iter().enumerate() {
        let moved = drift(before, &points(&world, body));
        assert!(moved < 1e-5, "block {body} moves by {moved} m");
    }
    assert!(energy(&world) < before, "{} J of {before} J", energy(&world));
    assert!(world.intersections().is_empty());
    assert!(points(&world, 1).points.iter().all(|point| point.start.y > 0.059));
}

#[test]
fn an_implicit_block_and_any_other_keep_their_momentum() {
    for (one, other) in [
        (Integrator::Implicit, Integrator::Implicit),
        (Integrator::Implicit, Integrator::Symplectic),
        (Integrator::Symplectic, Integrator::Implicit),
    ] {
        // The light one hits the heavy one, and the other way round: in either order, none is
        // thrown off.
        for (light, heavy) in [(100.0, 3000.0), (3000.0, 100.0)] {
            let size = Vec3::repeat(0.1);
            let bodies = vec![
                block(one, light, [2; 3], size, Vec3::zeros(), Vec3::new(2.0, 0.0, 0.0)),
                block(other, heavy, [3; 3], size, Vec3::new(0.13, 0.02, 0.01), Vec3::new(-1.0, 0.0, 0.0)),
            ];
            let mut world = world(bodies, 0.0, 0.3, 50.0);
            let before = world.account();
            run(&mut world, 10);
            let after = world.account();
            let lost = (after.momentum - before.momentum).norm();
            assert!(lost < 1e-9 * before.mass, "{one:?} and {other:?} lose {lost} N·s");
            let energy = |account: &craze_engine::Account| account.kinetic + account.elastic;
            assert!(energy(&after) <= energy(&before), "{} J out of {} J", energy(&after), energy(&before));
            let speed = |body: usize| {
                let account = world.bodies[body].method.account(&Vec3::zeros());
                account.momentum.x / account.mass
            };
            assert!(speed(0) <= speed(1) + 0.3, "{one:?} and {other:?} have met: {} {} m/s", speed(0), speed(1));
        }
    }
}

#[test]
fn a_stack_of_implicit_blocks_with_many_contacts_comes_to_rest() {
    let size = Vec3::new(0.2, 0.08, 0.2);
    let storey = |storey: usize| {
        // Every other one is shifted and has a finer mesh: a hundred pairs of points and edges hold
        // two blocks apart.
        let (odd, cells) = ((storey % 2) as f64, 3 + storey % 2);
        let at = Vec3::new(0.007 * odd, 0.041 + 0.084 * storey as f64, 0.0035 * odd);
        block(Integrator::Implicit, 1000.0, [cells, 2, cells], size, at, Vec3::zeros())
    };
    let mut world = world((0..3).map(storey).collect(), GRAVITY, 0.5, 50.0);
    // They fall on each other within three frames.
    run(&mut world, 6);
    let mut before = energy(&world);
    for frame in 6..30 {
        run(&mut world, 1);
        let after = energy(&world);
        assert!(after <= before + 1e-9 * before, "frame {frame} brings {} J", after - before);
        before = after;
    }
    assert!(world.account().kinetic < 1e-7, "{} J still move", world.account().kinetic);
    let rest: Vec<ContactSurface> = (0..3).map(|body| points(&world, body)).collect();
    run(&mut world, 10);
    for (body, before) in rest.iter().enumerate() {
        let moved = drift(before, &points(&world, body));
        // The lowest one spreads on the ground, whose friction holds it by springs.
        assert!(moved < 2e-5, "block {body} moves by {moved} m in a fifth of a second");
    }
    assert!(world.intersections().is_empty());
}
