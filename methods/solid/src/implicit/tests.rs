//! Implicit steps and equilibrium, as the world sees them.

use crate::testing::{anisotropic, awake, damped, free_step, half_space, loaded_step, run, shake, soft, solid};
use crate::{Integrator, SolidOptions};
use craze_engine::{Attachable, Effect, HoldId, Implicit, Load, Method, QuasiStatic, Step};
use craze_material::{Elasticity, Material};
use craze_math::{Isometry, Mat3, Random, Rotation, Vec3};

#[test]
fn implicit_steps_keep_momentum_and_lose_energy_only_to_damping() {
    let mut body = solid([3, 3, 3], 0.1, soft(), awake(Integrator::Implicit));
    shake(&mut body, 0.1, 0.3, 1);
    let before = body.account(&Vec3::zeros());
    assert_eq!(body.time_step_limit(), f64::INFINITY);
    let step = free_step(20.0 * body.spectrum.limit(Integrator::Symplectic));
    run(&mut body, &step, 10);
    let after = body.account(&Vec3::zeros());
    assert!((after.momentum - before.momentum).norm() < 1e-7 * before.momentum.norm());
    assert!(after.energy() < before.energy());
}

#[test]
fn implicit_steps_agree_with_explicit_ones_where_both_are_short() {
    let end = |integrator, time_step: f64, steps| {
        let mut body = solid([2, 2, 2], 0.1, damped(), awake(integrator));
        shake(&mut body, 0.1, 0.1, 1);
        run(&mut body, &free_step(time_step), steps);
        body.positions()
    };
    let exact = end(Integrator::Taylor, 1e-5, 2000);
    let error = |steps: usize| {
        let found = end(Integrator::Implicit, 0.02 / steps as f64, steps);
        found.iter().zip(&exact).map(|(a, b)| (a - b).norm_squared()).sum::<f64>().sqrt()
    };
    let (coarse, fine) = (error(100), error(200));
    assert!((coarse / fine).log2() > 0.85, "{coarse:e} {fine:e}");
}

#[test]
fn an_implicit_body_recovers_from_being_crushed() {
    let mut body = solid([3, 3, 3], 0.1, soft(), awake(Integrator::Implicit));
    let crushed: Vec<Vec3> = body.positions().iter().map(|place| Vec3::new(place.x, 0.15 * place.y, place.z)).collect();
    body.set_state(&crushed, &vec![Vec3::zeros(); crushed.len()]);
    let before = body.account(&Vec3::zeros()).elastic;
    run(&mut body, &free_step(0.05), 100);
    let after = body.account(&Vec3::zeros()).elastic;
    assert!(after < 1e-6 * before, "{before} {after}");
}

#[test]
fn implicit_contact_carries_the_weight() {
    let mut body =
        solid([2, 2, 2], 0.0, damped(), SolidOptions { integrator: Integrator::Implicit, ..SolidOptions::default() });
    assert!(body.implicit().is_some() && !body.is_awake());
    let surface = body.collision_geometry().surface();
    let stiffness = 1e6 * Vec3::y() * Vec3::y().transpose();
    let contacts: Vec<craze_contact::ContactSpring> = surface
        .points
        .iter()
        .filter(|point| point.start.y < 1e-9)
        .map(|point| craze_contact::ContactSpring {
            stencil: craze_contact::Stencil::single(point.dof),
            force: Vec3::zeros(),
            anchor: point.start,
            stiffness,
        })
        .collect();
    let gravity = Vec3::new(0.0, -9.81, 0.0);
    let step = Step { gravity, contacts: &contacts, ..free_step(0.01) };
    run(&mut body, &step, 300);
    let sum: f64 = body.positions().iter().zip(&body.velocities()).map(|(_, v)| v.norm()).fold(0.0, f64::max);
    assert!(body.is_awake() && sum < 1e-6, "{sum}");
    let weight = body.account(&gravity).mass * 9.81;
    let positions = body.positions();
    let push: f64 =
        contacts.iter().map(|contact| -1e6 * (contact.position(|node| positions[node]).y - contact.anchor.y)).sum();
    assert!((push / weight - 1.0).abs() < 1e-6);
}

#[test]
fn a_body_gives_way_as_it_says() {
    let mut body = solid([2, 2, 2], 0.0, damped(), awake(Integrator::Implicit));
    let nodes = [0, 5, 13];
    let push = |node: u32, force: Vec3| craze_contact::ContactSpring {
        stencil: craze_contact::Stencil::single(node),
        force,
        anchor: Vec3::zeros(),
        stiffness: Mat3::zeros(),
    };
    let mut end_of = |force: Vec3| {
        let contacts = nodes.map(|node| push(node, if node == 5 { force } else { Vec3::zeros() }));
        let step = Step { contacts: &contacts, ..free_step(0.01) };
        body.predict(&step).expect("a prediction");
        let blocks = body.compliance(&nodes, &step).expect("awake");
        (nodes.map(|node| body.prediction[node as usize].position()), blocks)
    };
    let (still, blocks) = end_of(Vec3::zeros());
    let force = Vec3::new(1e-3, -2e-3, 0.5e-3);
    let (pushed, _) = end_of(force);
    for (row, (then, now)) in still.iter().zip(&pushed).enumerate() {
        let (way, said) = (now - then, blocks[3 + row] * force);
        assert!((way - said).norm() < 1e-3 * said.norm(), "node {row} moves by {way}, said {said}");
    }
}

#[test]
fn a_jiggled_patch_finds_its_affine_balance() {
    // VALIDATION 1.
    let mut body = solid([4, 4, 4], 0.15, anisotropic(), awake(Integrator::Symplectic));
    let rest = body.positions();
    let shell = HoldId(0);
    // The boundary is held by its own region; inner nodes are free.
    for (id, point, normal) in [
        (0, Vec3::zeros(), -Vec3::x()),
        (1, Vec3::zeros(), -Vec3::y()),
        (2, Vec3::zeros(), -Vec3::z()),
        (3, Vec3::repeat(0.4), Vec3::x()),
        (4, Vec3::repeat(0.4), Vec3::y()),
        (5, Vec3::repeat(0.4), Vec3::z()),
    ] {
        body.attach(HoldId(shell.0 + id), &half_space(point, normal)).unwrap();
    }
    let turn = Isometry::from_parts(Vec3::new(0.1, 0.2, 0.3).into(), Rotation::from_euler_angles(0.4, 0.2, -0.3));
    let loads: Vec<Load> = (0..6).map(|id| Load { hold: HoldId(id), effect: Effect::Place(turn) }).collect();
    let mut random = Random::new(3);
    let jiggled: Vec<Vec3> = rest.iter().map(|place| place + 0.01 * random.vector()).collect();
    body.set_state(&jiggled, &vec![Vec3::zeros(); rest.len()]);
    body.balance(&loaded_step(1.0, &loads)).unwrap();
    for (now, rest) in body.positions().iter().zip(&rest) {
        assert!((now - turn.transform_point(&(*rest).into()).coords).norm() < 1e-10);
    }
}

#[test]
fn equilibrium_stretches_a_bar_by_the_law_and_records_its_work() {
    // A bar without contraction under a nominal stress P: P = E·(s³ − s)/2.
    let material = Material::elastic("bar", 1000.0, Elasticity::from_young(1e5, 0.0));
    let mut body = solid([2, 6, 2], 0.1, material, SolidOptions::default());
    let (bottom, top) = (HoldId(0), HoldId(1));
    body.attach(bottom, &half_space(Vec3::zeros(), -Vec3::y())).unwrap();
    body.attach(top, &half_space(Vec3::new(0.0, 0.6, 0.0), Vec3::y())).unwrap();
    let place = Load { hold: bottom, effect: Effect::Place(Isometry::identity()) };
    for share in 1..=10 {
        let pull = Effect::Traction(Vec3::new(0.0, 3000.0 * f64::from(share), 0.0));
        body.balance(&loaded_step(0.1, &[place, Load { hold: top, effect: pull }])).unwrap();
    }
    let stretch = body.positions().iter().map(|place| place.y).fold(0.0, f64::max) / 0.6;
    assert!((0.5e5 * (stretch.powi(3) - stretch) / 3e4 - 1.0).abs() < 1e-9, "{stretch}");
    assert!((body.reaction(bottom) + Vec3::new(0.0, 3e4 * 0.04, 0.0)).norm() < 1e-6);
    let account = body.account(&Vec3::zeros());
    assert!((account.work / account.elastic - 1.0).abs() < 5e-3, "{} {}", account.work, account.elastic);
}

#[test]
fn a_slender_bar_bends_far_under_balance() {
    let material = Material::elastic("bar", 1000.0, Elasticity::from_young(1e7, 0.0));
    let mut body = solid([16, 1, 1], 0.0, material, SolidOptions::default());
    body.attach(HoldId(0), &half_space(Vec3::zeros(), -Vec3::x())).unwrap();
    body.attach(HoldId(1), &half_space(Vec3::new(1.6, 0.0, 0.0), Vec3::x())).unwrap();
    let loads = [
        Load { hold: HoldId(0), effect: Effect::Place(Isometry::identity()) },
        Load { hold: HoldId(1), effect: Effect::Force(Vec3::new(0.0, -120.0, 0.0)) },
    ];
    body.balance(&loaded_step(1.0, &loads)).unwrap();
    let lowest = body.positions().iter().map(|place| place.y).fold(f64::INFINITY, f64::min);
    assert!(lowest < -0.05, "{lowest}");
    assert!((body.reaction(HoldId(0)) - Vec3::new(0.0, 120.0, 0.0)).norm() < 1e-5);
}
