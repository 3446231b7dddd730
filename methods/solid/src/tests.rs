//! Tests of a solid through the trait [`Method`].

use crate::testing::{anisotropic, awake, damped, free_step, half_space, loaded_step, run, shake, soft, solid};
use crate::{Integrator, Solid, SolidOptions, load};
use craze_contact::{ContactSurface, Impulse};
use craze_engine::{
    Attachable, CommitLog, Effect, Event, EventKind, Failure, FrameDetail, HoldId, Load, Method, Region, Step,
};
use craze_frame::names;
use craze_material::{Damping, Elasticity, Material};
use craze_math::{Isometry, Random, Rotation, Vec3};

const ALL: [Integrator; 4] = [Integrator::Symplectic, Integrator::Euler, Integrator::Taylor, Integrator::Implicit];
const EXPLICIT: [Integrator; 3] = [Integrator::Symplectic, Integrator::Euler, Integrator::Taylor];

fn bits(solid: &Solid) -> Vec<u64> {
    let vectors = solid.positions().into_iter().chain(solid.velocities());
    vectors.flat_map(|vector| [vector.x, vector.y, vector.z].map(f64::to_bits)).collect()
}

#[test]
fn both_momenta_are_kept() {
    for integrator in EXPLICIT {
        let mut body = solid([3, 4, 3], 0.1, damped(), awake(integrator));
        shake(&mut body, 0.1, 0.3, 1);
        let before = body.account(&Vec3::zeros());
        let step = free_step(body.time_step_limit());
        run(&mut body, &step, 200);
        let after = body.account(&Vec3::zeros());
        assert!((after.momentum - before.momentum).norm() < 1e-12 * before.mass);
        assert_eq!(after.mass, before.mass);
        if integrator == Integrator::Symplectic {
            let drift = (after.angular_momentum - before.angular_momentum).norm() / before.angular_momentum.norm();
            assert!(drift < 1e-12, "{drift}");
        }
    }
}

#[test]
fn undamped_vibration_keeps_its_energy_and_damping_takes_it_out() {
    let ratio = |material: Material| {
        let mut body = solid([3, 3, 3], 0.1, material, awake(Integrator::Symplectic));
        shake(&mut body, 0.05, 0.1, 2);
        let before = body.account(&Vec3::zeros());
        let step = free_step(0.5 * body.time_step_limit());
        run(&mut body, &step, 2000);
        let after = body.account(&Vec3::zeros());
        let rigid = before.momentum.norm_squared() / (2.0 * before.mass);
        (after.energy() - rigid) / (before.energy() - rigid)
    };
    assert!((ratio(soft()) - 1.0).abs() < 0.05, "{}", ratio(soft()));
    assert!(ratio(damped()) < 0.5, "{}", ratio(damped()));
}

#[test]
fn affine_fields_leave_inner_nodes_in_balance() {
    // VALIDATION 1: no inner force in a uniformly strained body, whatever its mesh.
    let mut body = solid([4, 4, 4], 0.15, anisotropic(), awake(Integrator::Symplectic));
    let inner: Vec<bool> = body.positions().iter().map(|p| p.iter().all(|x| *x > 1e-9 && *x < 0.4 - 1e-9)).collect();
    let affine = craze_math::Mat3::new(1.1, 0.05, 0.0, -0.1, 0.95, 0.08, 0.02, 0.0, 1.05);
    let moved: Vec<Vec3> = body.positions().iter().map(|place| affine * place).collect();
    body.set_state(&moved, &vec![Vec3::zeros(); moved.len()]);
    body.sum_forces().unwrap();
    let force = |node| Vec3::from_column_slice(&body.scratch.forces.of_node(&body.layout, node)[..3]).norm();
    let largest = (0..moved.len()).map(force).fold(0.0, f64::max);
    assert!(largest > 1.0);
    assert!((0..moved.len()).filter(|&node| inner[node]).map(force).all(|force| force < 1e-12 * largest));
}

#[test]
fn rigid_motion_makes_no_force() {
    // VALIDATION 2.
    let mut body = solid([3, 3, 3], 0.1, anisotropic(), awake(Integrator::Symplectic));
    let turn = Rotation::from_axis_angle(&Vec3::z_axis(), std::f64::consts::FRAC_PI_2);
    let spin = Vec3::new(1.0, 2.0, 3.0);
    let moved: Vec<Vec3> = body.positions().iter().map(|place| turn * place + Vec3::new(1.0, -2.0, 0.5)).collect();
    let velocities: Vec<Vec3> = moved.iter().map(|place| spin.cross(place)).collect();
    body.set_state(&moved, &velocities);
    body.sum_forces().unwrap();
    for node in 0..moved.len() {
        let force = body.scratch.forces.of_node(&body.layout, node);
        assert!(Vec3::from_column_slice(&force[..3]).norm() < 1e-10 * 9e4 * 0.09);
    }
}

#[test]
fn a_constrained_column_carries_the_stress_of_st_venant_and_kirchhoff() {
    // VALIDATION 3: 1.56e8·(s³ − s).
    let material = Material::elastic("column", 1000.0, Elasticity::from_lame(1.04e8, 1.04e8));
    let mut body = solid([2, 5, 2], 0.1, material, awake(Integrator::Symplectic));
    let stretch: f64 = 1.1;
    let top = HoldId(0);
    body.attach(top, &half_space(Vec3::new(0.0, 0.5, 0.0), Vec3::y())).unwrap();
    let moved: Vec<Vec3> = body.positions().iter().map(|p| Vec3::new(p.x, stretch * p.y, p.z)).collect();
    body.set_state(&moved, &vec![Vec3::zeros(); moved.len()]);
    let lifted = Isometry::translation(0.0, (stretch - 1.0) * 0.5, 0.0);
    let loads = [Load { hold: top, effect: Effect::Place(lifted) }];
    let step = loaded_step(1e-9, &loads);
    run(&mut body, &step, 1);
    let nominal = body.reaction(top).y / (0.2 * 0.2);
    let expected = 1.56e8 * (stretch.powi(3) - stretch);
    assert!((expected - 3.604e7).abs() < 1e4);
    assert!((nominal / expected - 1.0).abs() < 1e-7, "{nominal} {expected}");
    // The true second Piola–Kirchhoff stress is the nominal one over the stretch, READINGS 1.
    let stress = body.principal_stresses();
    assert!(stress.iter().all(|stress| (stress * stretch / expected - 1.0).abs() < 1e-9));
}

#[test]
fn integrators_have_their_order() {
    // VALIDATION 5, against a run with very short steps.
    let end = |integrator, steps: usize| {
        let mut body = solid([1, 1, 1], 0.0, damped(), awake(integrator));
        shake(&mut body, 0.2, 0.2, 4);
        run(&mut body, &free_step(0.01 / steps as f64), steps);
        body.positions()
    };
    let exact = end(Integrator::Taylor, 64_000);
    let error = |integrator, steps| {
        let found = end(integrator, steps);
        found.iter().zip(&exact).map(|(a, b)| (a - b).norm_squared()).sum::<f64>().sqrt()
    };
    for (integrator, order) in [(Integrator::Euler, 1.0), (Integrator::Symplectic, 1.0), (Integrator::Taylor, 2.0)] {
        let measured = (error(integrator, 1000) / error(integrator, 2000)).log2();
        assert!((measured - order).abs() < 0.1, "{integrator:?}: {measured}");
    }
}

#[test]
fn taylor_falls_exactly() {
    let mut body = solid([2, 2, 2], 0.1, soft(), awake(Integrator::Taylor));
    let start = body.positions();
    let step = Step { gravity: Vec3::new(0.0, -9.81, 0.0), ..free_step(1e-3) };
    run(&mut body, &step, 500);
    for (now, start) in body.positions().iter().zip(&start) {
        assert!((now - start - Vec3::new(0.0, -0.5 * 9.81 * 0.25, 0.0)).norm() < 1e-12);
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let run_on = |threads: usize, integrator| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut body = solid([11, 10, 12], 0.1, damped(), awake(integrator));
            shake(&mut body, 0.1, 0.3, 1);
            let step = free_step(body.time_step_limit().min(1e-2));
            run(&mut body, &step, if integrator == Integrator::Implicit { 2 } else { 20 });
            (bits(&body), body.account(&Vec3::y()))
        })
    };
    for integrator in ALL {
        let single = run_on(1, integrator);
        assert!(single == run_on(2, integrator) && single == run_on(5, integrator));
    }
}

#[test]
fn predicting_again_gives_the_same_bits() {
    for integrator in ALL {
        let mut body = solid([4, 4, 4], 0.1, damped(), awake(integrator));
        shake(&mut body, 0.1, 0.3, 1);
        let (long, short) =
            (free_step(0.9 * body.time_step_limit().min(1e-2)), free_step(0.4 * body.time_step_limit().min(1e-2)));
        let mut twin = solid([4, 4, 4], 0.1, damped(), awake(integrator));
        shake(&mut twin, 0.1, 0.3, 1);
        body.predict(&long).unwrap();
        body.receive(&[Impulse { dof: 3, impulse: Vec3::new(1.0, 0.0, 0.0) }], &long);
        body.predict(&short).unwrap();
        body.commit_motion(&short);
        twin.predict(&short).unwrap();
        twin.commit_motion(&short);
        assert_eq!(bits(&body), bits(&twin));
    }
}

#[test]
fn a_resumed_run_has_the_same_bits() {
    for integrator in ALL {
        let mut body = solid([4, 4, 4], 0.1, damped(), awake(integrator));
        shake(&mut body, 0.1, 0.3, 1);
        body.attach(HoldId(0), &half_space(Vec3::new(0.0, 0.01, 0.0), -Vec3::y())).unwrap();
        body.attach(HoldId(33), &half_space(Vec3::new(0.0, 0.39, 0.0), Vec3::y())).unwrap();
        let loads = [
            Load { hold: HoldId(0), effect: Effect::Place(Isometry::identity()) },
            Load { hold: HoldId(33), effect: Effect::Traction(Vec3::new(0.0, 50.0, 10.0)) },
        ];
        let step = loaded_step(0.5 * body.time_step_limit().min(1e-2), &loads);
        run(&mut body, &step, 10);
        body.settle();
        let bytes = body.save();
        let mut resumed = load(&bytes).unwrap();
        assert_eq!(resumed.save(), bytes);
        for _ in 0..15 {
            for method in [&mut body as &mut dyn Method, resumed.as_mut()] {
                let step = Step { time_step: method.time_step_limit().min(1e-2), ..step };
                method.predict(&step).unwrap();
                method.commit(&step, &mut CommitLog::default());
            }
        }
        assert_eq!(resumed.save(), body.save());
        assert_eq!(resumed.reaction(HoldId(0)), body.reaction(HoldId(0)));
    }
}

#[test]
fn foreign_bytes_are_refused() {
    let body = solid([2, 2, 2], 0.1, damped(), SolidOptions::default());
    let bytes = body.save();
    assert!(load(&[]).is_err() && load(b"not a solid at all").is_err());
    for cut in [1, bytes.len() / 3, bytes.len() - 1] {
        assert!(load(&bytes[..cut]).is_err());
    }
    // Changed bytes are loaded or refused, without panics and without unbounded work.
    let mut random = Random::new(1);
    for _ in 0..3000 {
        let mut changed = bytes.clone();
        let place = ((random.signed().abs()) * (bytes.len() - 1) as f64) as usize;
        changed[place] ^= 1 << ((random.signed().abs() * 8.0) as u32 % 8);
        if let Ok(mut body) = load(&changed) {
            let step = free_step(1e-6);
            let _ = body.predict(&step);
            let _ = body.frame(FrameDetail::Volume);
        }
    }
}

#[test]
fn rigid_body_mode_is_an_exact_parabola_with_free_rotation() {
    let material = Material::elastic("steel", 7800.0, Elasticity::from_young(2e11, 0.3));
    let (velocity, spin) = (Vec3::new(1.0, 5.0, 0.0), Vec3::repeat(3.0f64.sqrt()));
    let mesh = crate::testing::mesh([3, 3, 3], 0.0);
    let mut body =
        Solid::new(mesh, vec![material], SolidOptions::default(), Isometry::identity(), velocity, spin).unwrap();
    assert!(!body.is_awake());
    let before = body.account(&Vec3::zeros());
    let center = |body: &Solid| body.frame(FrameDetail::Surface).pieces[0].pose;
    let start = center(&body);
    let step = Step { gravity: Vec3::new(0.0, -9.81, 0.0), ..free_step(0.01) };
    run(&mut body, &step, 50);
    let time = 0.5;
    let expected = start.position + time * velocity + 0.5 * time * time * step.gravity;
    assert!((center(&body).position - expected).norm() < 1e-12);
    // Turned by 1.5 rad about the diagonal, which is the axis of a Kuhn cube's lumped masses.
    let [x, y, z, w] = center(&body).rotation;
    let share = 0.75f64.sin() / 3.0f64.sqrt();
    assert!([x, y, z].iter().all(|part| (part - share).abs() < 1e-9) && (w - 0.75f64.cos()).abs() < 1e-9);
    let after = body.account(&Vec3::zeros());
    assert!((after.momentum - before.momentum - time * before.mass * step.gravity).norm() < 1e-10 * before.mass);
    assert!(after.elastic < 1e-9 * before.kinetic);
}

#[test]
fn an_impulse_wakes_a_sleeper_and_is_felt_once() {
    let mut body = solid([3, 3, 3], 0.1, soft(), SolidOptions::default());
    assert!(!body.is_awake());
    let short = free_step(0.5 * body.spectrum.limit(Integrator::Symplectic));
    let mut surface = ContactSurface::default();
    body.predict(&short).unwrap();
    body.collision_geometry().points.add_points(&mut surface);
    let hit = Impulse { dof: surface.points[5].dof, impulse: Vec3::new(0.0, 0.01, 0.0) };
    body.receive(&[hit], &short);
    body.check().unwrap();
    body.commit_motion(&short);
    assert!(body.is_awake());
    let account = body.account(&Vec3::zeros());
    assert!((account.momentum - hit.impulse).norm() < 1e-15);
    assert!((account.kinetic - account.work).abs() < 1e-12 * account.work);
    let mut events: Vec<Event> = Vec::new();
    body.fracture(&short, &mut events);
    assert_eq!(events.last().map(|event| event.kind.clone()), Some(EventKind::Wake { piece: 0 }));
    // It is disturbed, then enters rigid-body mode again once the vibration has decayed.
    run(&mut body, &short, 3);
    body.settle();
    assert!(body.is_awake());
}

#[test]
fn a_sleeper_that_is_hit_in_a_long_step_asks_for_short_ones() {
    let mut body = solid([3, 3, 3], 0.1, soft(), SolidOptions::default());
    let elastic = body.spectrum.limit(Integrator::Symplectic);
    assert!(body.time_step_limit() > 100.0 * elastic);
    let long = free_step(100.0 * elastic);
    body.predict(&long).unwrap();
    body.receive(&[Impulse { dof: 0, impulse: Vec3::new(0.0, 1e-3, 0.0) }], &long);
    assert!(matches!(body.check(), Err(Failure::TooFast { .. })));
    assert_eq!(body.time_step_limit(), elastic);
    // Discarded: it is still in rigid-body mode, and has not moved.
    let short = free_step(elastic);
    body.predict(&short).unwrap();
    body.check().unwrap();
    body.commit_motion(&short);
    assert!(!body.is_awake() && body.account(&Vec3::zeros()).kinetic == 0.0);
}

#[test]
fn a_spinning_rubber_body_stays_awake() {
    let mesh = crate::testing::mesh([3, 3, 3], 0.0);
    let spin = Vec3::new(0.0, 30.0, 0.0);
    let body =
        Solid::new(mesh, vec![soft()], SolidOptions::default(), Isometry::identity(), Vec3::zeros(), spin).unwrap();
    assert!(body.is_awake());
}

#[test]
fn loads_add_momentum_and_are_recorded() {
    let mut body = solid([2, 4, 2], 0.0, damped(), SolidOptions::default());
    let (all, end) = (HoldId(4), HoldId(7));
    body.attach(all, &Region::All).unwrap();
    let center = body.attach(end, &half_space(Vec3::new(0.0, 0.4, 0.0), Vec3::y())).unwrap();
    assert!((center - Vec3::new(0.1, 0.4, 0.1)).norm() < 1e-12);
    assert!(body.attach(HoldId(9), &half_space(Vec3::new(0.0, 1.0, 0.0), Vec3::y())).is_none());
    let force = Vec3::new(0.0, 0.0, 0.5);
    let traction = Vec3::new(0.0, 10.0, 0.0);
    let loads =
        [Load { hold: all, effect: Effect::Force(force) }, Load { hold: end, effect: Effect::Traction(traction) }];
    let time_step = 0.5 * body.spectrum.limit(Integrator::Symplectic);
    run(&mut body, &loaded_step(time_step, &loads), 400);
    let account = body.account(&Vec3::zeros());
    let total = force + 0.04 * traction;
    assert!((account.momentum - 400.0 * time_step * total).norm() < 1e-12);
    assert!((body.reaction(end) - 0.04 * traction).norm() < 1e-15 && body.reaction(all) == force);
    // Work goes into motion, strain and heat.
    assert!(account.work > account.energy() && account.work < 1.2 * account.energy());
}

#[test]
fn a_hold_carries_its_region_and_feels_the_weight() {
    let mut body = solid(
        [2, 4, 2],
        0.0,
        Material { damping: Damping { mass: 30.0, ..damped().damping }, ..damped() },
        SolidOptions::default(),
    );
    let top = HoldId(0);
    body.attach(top, &half_space(Vec3::new(0.0, 0.4, 0.0), Vec3::y())).unwrap();
    let lifted = Isometry::translation(0.0, 0.05, 0.0);
    let loads = [Load { hold: top, effect: Effect::Place(lifted) }];
    let gravity = Vec3::new(0.0, -9.81, 0.0);
    let step = Step { gravity, ..loaded_step(0.9 * body.time_step_limit().min(1e-2), &loads) };
    let step = Step { time_step: step.time_step.min(body.spectrum.limit(Integrator::Symplectic) * 0.5), ..step };
    for _ in 0..20_000 {
        body.predict(&step).unwrap();
        body.commit_motion(&step);
    }
    let weight = body.account(&gravity).mass * 9.81;
    assert!((body.reaction(top).y / weight - 1.0).abs() < 1e-3, "{}", body.reaction(top));
    let surface = body.collision_geometry().surface();
    let held = surface.points.iter().filter(|point| point.inverse_mass == 0.0);
    assert_eq!(held.clone().count(), 9);
    assert!(held.into_iter().all(|point| (point.start.y - 0.45).abs() < 1e-15));
    // Released, it falls.
    let falling = Step { loads: &[], ..step };
    run(&mut body, &falling, 1);
    assert_eq!(body.reaction(top), Vec3::zeros());
}

#[test]
fn crushed_elements_are_named_before_they_become_state() {
    let mut body = solid([2, 2, 2], 0.0, soft(), awake(Integrator::Symplectic));
    let places = body.positions();
    let inward: Vec<Vec3> = places.iter().map(|place| -2000.0 * (place - Vec3::repeat(0.1))).collect();
    body.set_state(&places, &inward);
    let step = free_step(body.time_step_limit());
    body.predict(&step).unwrap();
    assert!(matches!(body.check(), Err(Failure::Inverted { volume_ratio, .. }) if volume_ratio <= 0.0));
    let short = free_step(1e-5);
    body.predict(&short).unwrap();
    body.check().unwrap();
    // A position that is not finite is reported, too.
    let mut broken = places.clone();
    broken[3].x = f64::NAN;
    body.set_state(&broken, &inward);
    assert_eq!(body.predict(&short), Err(Failure::NotFinite { node: 3 }));
}

#[test]
fn the_guard_stops_a_crushing_blow() {
    // Compressed between two walls at a speed that would invert elements with the paper's law.
    let crush = |collapse_guard| {
        let options = SolidOptions { collapse_guard, ..awake(Integrator::Symplectic) };
        let mut body = solid([2, 4, 2], 0.1, damped(), options);
        let places = body.positions();
        let velocities: Vec<Vec3> = places.iter().map(|place| Vec3::new(0.0, -60.0 * (place.y - 0.2), 0.0)).collect();
        body.set_state(&places, &velocities);
        for _ in 0..3000 {
            let step = free_step(0.5 * body.time_step_limit());
            if body.predict(&step).and_then(|()| body.check()).is_err() {
                return false;
            }
            body.commit_motion(&step);
        }
        true
    };
    assert!(crush(0.5));
    assert!(!crush(0.0));
}

#[test]
fn a_frame_shows_surface_pieces_and_their_pose() {
    let turn = Isometry::from_parts(Vec3::new(1.0, 2.0, 3.0).into(), Rotation::from_euler_angles(0.1, 0.2, 0.3));
    let mesh = crate::testing::mesh([3, 2, 2], 0.0);
    let mut body = Solid::new(mesh, vec![soft()], SolidOptions::default(), turn, Vec3::zeros(), Vec3::zeros()).unwrap();
    let frame = body.frame(FrameDetail::Volume);
    assert_eq!(frame.surface.triangles.len(), 4 * (3 * 2 + 3 * 2 + 2 * 2));
    assert_eq!(frame.surface.positions, frame.surface.vertex_attributes.vectors(names::REST).unwrap());
    assert_eq!(frame.volume.as_ref().unwrap().tetrahedra.len(), 72);
    assert_eq!(frame.surface.face_attributes.indices(names::CRACK).unwrap(), vec![0; frame.surface.triangles.len()]);
    let piece = &frame.pieces[0];
    assert!((piece.volume - 0.012).abs() < 1e-15 && (piece.mass - 12.0).abs() < 1e-12);
    assert!((piece.pose.position - turn * Vec3::new(0.15, 0.1, 0.1) - turn.translation.vector).norm() < 1e-12);
    assert!((piece.pose.rotation[3] - 1.0).abs() < 1e-12);
    // Pulled uniformly, every vertex shows the same stress.
    let pulled: Vec<Vec3> = body.positions().iter().map(|place| 1.01 * place).collect();
    body.set_state(&pulled, &vec![Vec3::zeros(); pulled.len()]);
    let frame = body.frame(FrameDetail::Surface);
    let expected = (3.0 * 3e4 + 2.0 * 2e4) * 0.5 * (1.01f64.powi(2) - 1.0);
    let stresses = frame.surface.vertex_attributes.scalars(names::STRESS).unwrap();
    assert!(stresses.iter().all(|stress| (stress / expected - 1.0).abs() < 1e-9));
    assert!(frame.volume.is_none());
}

#[test]
fn a_volume_frame_has_rest_positions_and_the_cauchy_stress_in_the_world() {
    let still = Vec3::zeros();
    let mesh = crate::testing::mesh([2, 2, 2], 0.1);
    let mut body = Solid::new(mesh, vec![soft()], SolidOptions::default(), Isometry::identity(), still, still).unwrap();
    let rest = body.positions();
    // Stretched by 2 % along x, then rotated by a right angle about z: the stress is along y.
    let stretch = 1.02;
    let moved: Vec<Vec3> = rest.iter().map(|at| Vec3::new(-at.y, stretch * at.x, at.z)).collect();
    body.set_state(&moved, &vec![still; moved.len()]);
    let volume = body.frame(FrameDetail::Volume).volume.unwrap();
    assert_eq!(volume.node_attributes.vectors(names::REST).unwrap(), rest);
    // S = λ tr(E) 1 + 2 μ E with E = (s² − 1)/2 along x; σ = F S Fᵀ / s.
    let strain = 0.5 * (stretch * stretch - 1.0);
    let (along, across) = ((3e4 + 2.0 * 2e4) * strain * stretch, 3e4 * strain / stretch);
    for stress in volume.cell_attributes.tensors(names::STRESS_TENSOR).unwrap() {
        for (value, expected) in stress.iter().zip([across, along, across, 0.0, 0.0, 0.0]) {
            assert!((value - expected).abs() < 1e-8 * along, "{stress:?}");
        }
    }
}

#[test]
fn reach_holds_state_and_prediction() {
    for options in [SolidOptions::default(), awake(Integrator::Symplectic)] {
        let mesh = crate::testing::mesh([3, 3, 3], 0.1);
        let velocity = Vec3::new(0.0, -3.0, 0.0);
        let mut body = Solid::new(mesh, vec![soft()], options, Isometry::identity(), velocity, Vec3::zeros()).unwrap();
        for _ in 0..3 {
            let reach = body.collision_geometry().bounds;
            assert!(body.positions().iter().all(|place| reach.contains(place)));
            let step = Step { gravity: Vec3::new(0.0, -9.81, 0.0), ..free_step(1e-3) };
            body.predict(&step).unwrap();
            let surface = body.collision_geometry().surface();
            let reach = body.collision_geometry().bounds;
            assert!(surface.points.iter().all(|point| reach.contains(&point.start) && reach.contains(&point.end)));
            body.commit_motion(&step);
        }
    }
}

#[test]
fn bodies_of_two_materials_have_two_laws() {
    let mut mesh = crate::testing::mesh([2, 2, 2], 0.0);
    let labels = (0..mesh.element_count() as u32).map(|element| element % 2).collect();
    let rule = craze_mesh::ElementRule::Copy;
    mesh.element_attributes_mut().add(names::MATERIAL, rule, craze_mesh::Values::Labels(labels)).unwrap();
    let heavy = Material { density: 3000.0, ..soft() };
    let still = Vec3::zeros();
    let options = SolidOptions::default();
    let make = |mesh, materials| Solid::new(mesh, materials, options, Isometry::identity(), still, still);
    let body = make(mesh.clone(), vec![soft(), heavy]).unwrap();
    assert!((body.account(&still).mass - 0.5 * (1000.0 + 3000.0) * 0.008).abs() < 1e-12);
    assert!(body.layout.blocks.len() == 2);
    let error = make(mesh.clone(), vec![soft()]).err().unwrap();
    assert!(matches!(error, crate::SolidError::UnknownMaterial { index: 1, count: 1, .. }));
    assert!(matches!(make(mesh.clone(), Vec::new()).err().unwrap(), crate::SolidError::NoMaterial));
    let bad = Material { density: -1.0, ..soft() };
    assert!(make(mesh, vec![bad, soft()]).err().unwrap().to_string().contains("density"));
}
