//! Tests of fracture: invariants whatever breaks.

use crate::testing::{TIME_STEP, awake, block, material, plain_step};
use crate::{Cloud, Clustering, Clusters, Options};
use craze_engine::{Attachable, CommitLog, Event, EventKind, HoldId, Method, Region, Rewind, Step};
use craze_material::Material;
use craze_math::{Isometry, Vec3};
use proptest::prelude::*;

fn dough(toughness: f64) -> Material {
    let mut material = material(0.8);
    material.cluster.toughness = Some(toughness);
    material.cluster.yield_strain = Some(0.05);
    material.cluster.flow = 0.3;
    material
}

fn torn(cloud: Cloud, options: Options, toughness: f64) -> Clusters {
    let still = Vec3::zeros();
    Clusters::new(cloud, &dough(toughness), options, &Isometry::identity(), still, still).expect("a sound body")
}

fn many(count: u32, seed: u64) -> Options {
    Options {
        clustering: Clustering::Count { count, overlap: 3.0, seed },
        strain_limit: Some(0.5),
        splits_a_step: 100,
        ..awake()
    }
}

/// A step; returns the energies (J) before and after flow and fracture at its end.
fn step(body: &mut Clusters, time: f64, events: &mut Vec<Event>) -> [f64; 2] {
    let step = Step { time, ..plain_step() };
    body.predict(&step).expect("a good step");
    body.check().expect("a good step");
    body.commit_motion();
    let moved = body.account(&Vec3::zeros()).energy();
    body.flow(&step);
    body.fracture(&step, events);
    [moved, body.account(&Vec3::zeros()).energy()]
}

/// Drives the ends of a bar apart.
fn pull_apart(body: &mut Clusters, speed: f64) {
    body.set_motion(|rest| (*rest, Vec3::new(speed * (rest.x - 0.6), 0.3 * rest.z, -0.2 * rest.y))).unwrap();
}

fn assert_sound(body: &Clusters) {
    let mut members = vec![Vec::new(); body.cluster_count()];
    for particle in 0..body.count() {
        let shares = body.memberships.of(particle);
        assert!(!shares.is_empty(), "particle {particle} is in no cluster");
        assert!((shares.iter().map(|share| share.weight).sum::<f64>() - 1.0).abs() < 1e-13);
        for share in shares {
            assert!(share.weight > 0.0);
            members[share.cluster as usize].push(particle as u32);
        }
        let pieces: Vec<u32> = shares.iter().map(|share| body.history[share.cluster as usize].piece).collect();
        assert!(pieces.iter().all(|piece| *piece == pieces[0]), "a particle holds its clusters together");
    }
    for (cluster, known) in members.iter().enumerate() {
        assert_eq!(body.memberships.members(cluster), known);
        let piece = body.history[cluster].piece;
        let is_last = body.history.iter().filter(|history| history.piece == piece).count() == 1;
        assert!(known.len() >= 4 || is_last, "cluster {cluster} of {}", known.len());
    }
    assert!(body.particles.masses.iter().all(|mass| *mass > 0.0));
    assert_eq!(body.particles.rest.len(), body.state.positions.len());
    assert_eq!(body.particles.rest.len(), body.prediction.positions.len());
}

#[test]
fn a_bar_pulled_apart_breaks_into_pieces_that_know_their_parent() {
    let mut body = torn(block([13, 5, 5]), many(14, 1), 1.1);
    pull_apart(&mut body, 8.0);
    let mut events = Vec::new();
    for index in 0..60 {
        step(&mut body, TIME_STEP * f64::from(index), &mut events);
        assert_sound(&body);
    }
    let account = body.account(&Vec3::zeros());
    assert!(account.pieces > 1, "{} pieces", account.pieces);
    let mut pieces = std::collections::BTreeSet::from([0]);
    for event in &events {
        let EventKind::Split { parent, children, normal, measure, .. } = &event.kind else { panic!("{event:?}") };
        // A piece that was removed has given all its mass to others.
        assert!(pieces.contains(parent), "{parent} of {pieces:?}");
        assert!((normal.norm() - 1.0).abs() < 1e-12 && measure.value() > 1.1);
        if children.as_slice() != [*parent] {
            pieces.extend(children);
        }
    }
    let frame = body.body_frame();
    assert_eq!(frame.pieces.len() as u64, account.pieces);
    for piece in &frame.pieces {
        assert!(pieces.contains(&piece.id) && piece.parent.map_or(piece.id == 0, |parent| pieces.contains(&parent)));
    }
    let mass: f64 = frame.pieces.iter().map(|piece| piece.mass).sum();
    assert!((mass / account.mass - 1.0).abs() < 1e-12);
    let frame = craze_frame::Frame { bodies: vec![frame], ..craze_frame::Frame::default() };
    assert_eq!(frame.check(), Ok(()));
}

#[test]
fn the_first_split_goes_through_the_middle_across_the_pull() {
    let mut body = torn(block([11, 5, 5]), awake(), 1.1);
    body.set_motion(|rest| (Vec3::new(1.3 * rest.x, rest.y, rest.z), Vec3::zeros())).unwrap();
    // Rotated by a quarter turn, so that a plane of the rest frame would be the wrong one (READINGS
    // 25).
    let turn = Isometry::rotation(Vec3::z() * std::f64::consts::FRAC_PI_2);
    body.state.positions.iter_mut().for_each(|place| *place = turn * *place);
    body.fit_state();
    let mut events = Vec::new();
    body.fracture(&plain_step(), &mut events);
    let EventKind::Split { place, normal, measure, .. } = &events[0].kind else { panic!("{events:?}") };
    let craze_engine::FailureMeasure::Stretch(stretch) = measure else { panic!("{measure:?}") };
    assert!((place - turn * Vec3::new(0.65, 0.2, 0.2)).norm() < 1e-12, "{place}");
    assert!((normal.y.abs() - 1.0).abs() < 1e-12 && (stretch - 1.3).abs() < 1e-12, "{normal} {stretch}");
    let plane = body.history[0].planes[0];
    assert!((plane.normal.x.abs() - 1.0).abs() < 1e-12 && plane.end.abs() < 1e-12, "{plane:?}");
    assert_eq!(body.piece_count(), 2);
}

#[test]
fn without_toughness_nothing_breaks_and_a_budget_bounds_what_does() {
    let mut tough = torn(block([13, 5, 5]), many(14, 1), 50.0);
    pull_apart(&mut tough, 8.0);
    let mut events = Vec::new();
    (0..20).for_each(|index| {
        step(&mut tough, TIME_STEP * f64::from(index), &mut events);
    });
    assert!(events.is_empty());

    let mut weak = torn(block([13, 5, 5]), Options { splits_a_step: 2, ..many(14, 1) }, 1.02);
    pull_apart(&mut weak, 8.0);
    for index in 0..20 {
        let before = events.len();
        step(&mut weak, TIME_STEP * f64::from(index), &mut events);
        assert!(events.len() <= before + 2);
    }
    assert!(events.len() > 4);
}

#[test]
fn a_cluster_that_has_split_waits_or_is_tougher() {
    let splits = |options: Options| {
        let mut body = torn(block([13, 5, 5]), options, 1.05);
        pull_apart(&mut body, 6.0);
        let mut events = Vec::new();
        // Before too little is left to split.
        (0..6).for_each(|index| {
            step(&mut body, TIME_STEP * f64::from(index), &mut events);
        });
        events.len()
    };
    let waiting = splits(many(14, 1));
    let boosted = splits(Options { boost: 1.0, boost_decay: 1.0, ..many(14, 1) });
    let spraying = splits(Options { boost: 1e-9, boost_decay: 100.0, ..many(14, 1) });
    assert!(waiting < spraying && boosted < spraying, "{waiting} and {boosted} of {spraying}");
}

#[test]
fn toughness_varies_randomly_and_by_position() {
    let mut body = torn(block([13, 5, 5]), Options { toughness_spread: 0.5, ..many(14, 1) }, 1.2);
    let values = |body: &Clusters| body.history.iter().map(|history| history.toughness.unwrap()).collect::<Vec<_>>();
    let varied = values(&body);
    assert!(varied.iter().all(|value| (1.1..=1.3).contains(value)));
    assert!(varied.iter().any(|value| *value > 1.22) && varied.iter().any(|value| *value < 1.18));
    body.set_toughness(|place, own| if place.x > 0.6 { Some(1.01) } else { own }).unwrap();
    assert!(values(&body).iter().zip(&body.rest).all(|(value, rest)| (*value == 1.01) == (rest.centre.x > 0.0)));
    assert!(body.set_toughness(|_, _| Some(0.9)).is_err());
}

#[test]
fn held_and_tracked_particles_stay_so() {
    let mut body = torn(block([13, 5, 5]), many(14, 1), 1.05);
    body.attach(HoldId(0), &Region::HalfSpace { point: Vec3::new(0.25, 0.0, 0.0), normal: -Vec3::x() }).unwrap();
    let end = body.locate(&Vec3::new(1.2, 0.2, 0.2));
    pull_apart(&mut body, 9.0);
    let mut events = Vec::new();
    for index in 0..60 {
        step(&mut body, TIME_STEP * f64::from(index), &mut events);
    }
    assert!(events.len() > 3);
    let is_held = |particle: usize| body.constraints.at(0).contains(particle as u32);
    let in_region = |particle: usize| body.particles.rest[particle].x < 0.26;
    assert!((0..body.count()).all(|particle| is_held(particle) == in_region(particle)));
    assert!(body.observe(&end).0.x > 1.3, "it went with the other end: {}", body.observe(&end).0);
}

/// Increases of energy (J) by flow and by fracture in a second, summed; and the energy at the end
/// relative to that at the start.
fn gains(mut body: Clusters) -> [f64; 3] {
    let energy = |body: &Clusters| body.account(&Vec3::zeros()).energy();
    let start = energy(&body);
    let (mut by_flow, mut by_fracture) = (0.0, 0.0);
    let mut events = Vec::new();
    for index in 0..60 {
        let step = Step { time: TIME_STEP * f64::from(index), ..plain_step() };
        body.predict(&step).unwrap();
        body.commit_motion();
        let committed = energy(&body);
        body.flow(&step);
        let flowed = energy(&body);
        body.fracture(&step, &mut events);
        by_flow += (flowed - committed).max(0.0);
        by_fracture += (energy(&body) - flowed).max(0.0);
    }
    assert!(events.len() > 10, "{} splits", events.len());
    [by_flow / start, by_fracture / start, energy(&body) / start]
}

#[test]
fn restored_and_loaded_bodies_continue_with_the_same_bits() {
    let mut body = torn(block([16, 6, 6]), Options { damping: 3.0, ..many(20, 4) }, 1.08);
    pull_apart(&mut body, 9.0);
    let advance = |body: &mut dyn Method, frame: u32| {
        let mut events = Vec::new();
        for index in 0..3 {
            let step = Step { time: TIME_STEP * f64::from(3 * frame + index), ..plain_step() };
            body.predict(&step).unwrap();
            let mut log = CommitLog::default();
            body.commit(&step, &mut log);
            events.extend(log.events);
        }
        body.settle();
        (body.save(), events)
    };
    let mut has_split = false;
    for frame in 0..8 {
        let mut loaded = crate::load(&body.save()).unwrap();
        body.snapshot();
        let first = advance(&mut body, frame);
        has_split |= !first.1.is_empty();
        assert!(first == advance(loaded.as_mut(), frame), "loaded, frame {frame}");
        body.restore();
        assert!(first == advance(&mut body, frame), "gone back, frame {frame}");
    }
    assert!(has_split);
}

#[test]
fn flow_and_fracture_add_no_energy() {
    for (count, speed, toughness, yield_strain, limit) in [
        (14, 8.0, 1.1, Some(0.05), None),
        (14, 8.0, 1.1, Some(0.05), Some(0.5)),
        (14, 8.0, 1.05, None, Some(0.3)),
        (8, 20.0, 1.05, None, Some(0.1)),
        (20, 30.0, 1.02, Some(0.05), Some(0.8)),
    ] {
        let mut material = dough(toughness);
        material.cluster.yield_strain = yield_strain;
        let (place, still) = (Isometry::identity(), Vec3::zeros());
        let options = Options { strain_limit: limit, ..many(count, 3) };
        let mut body = Clusters::new(block([13, 5, 5]), &material, options, &place, still, still).unwrap();
        pull_apart(&mut body, speed);
        let [by_flow, by_fracture, left] = gains(body);
        assert!(by_flow < 1e-12 && by_fracture < 1e-12 && left < 1.0, "{by_flow:e}, {by_fracture:e}, {left} is left");
    }
}

/// A plate between two held rims, whose middle is struck, breaks into debris that press on each
/// other: contacts of light parts with heavy ones.
#[test]
fn a_shattered_plate_whose_parts_meet_gains_no_energy() {
    let mut material = material(0.9);
    material.cluster.toughness = Some(1.012);
    let clustering = Clustering::Count { count: 40, overlap: 3.2, seed: 1 };
    let options = Options { clustering, strain_limit: Some(1.0), toughness_spread: 0.3, damping: 0.25, ..awake() };
    let (place, still) = (Isometry::identity(), Vec3::zeros());
    let mut body = Clusters::new(block([36, 36, 3]), &material, options, &place, still, still).unwrap();
    for (hold, side) in [(HoldId(0), -1.0), (HoldId(1), 1.0)] {
        let region = Region::HalfSpace { point: Vec3::new(0.0, 1.75 + 1.7 * side, 0.0), normal: side * Vec3::y() };
        body.attach(hold, &region).unwrap();
    }
    let struck = |rest: &Vec3| (rest.x - 1.8).hypot(rest.y - 1.9) < 0.5;
    body.set_motion(|rest| (*rest, if struck(rest) { Vec3::new(0.0, 0.0, -6.5) } else { still })).unwrap();
    let mut least = body.account(&still).energy();
    let mut events = Vec::new();
    for index in 0..56 {
        let [_, left] = step(&mut body, TIME_STEP * f64::from(index), &mut events);
        // The variation of a step does not accumulate.
        assert!(left < 1.01 * least, "{} of the least so far in step {index}", left / least);
        least = least.min(left);
    }
    assert!(events.len() > 200, "{} splits", events.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn whatever_breaks_mass_and_momentum_stay(
        seed in 0u64..1000,
        count in 2u32..20,
        speed in 2.0f64..30.0,
        toughness in 1.01f64..1.3,
        boost in prop::sample::select(vec![0.0, 1e-6, 0.5]),
        limit in prop::sample::select(vec![None, Some(0.1), Some(0.8)]),
    ) {
        let options = Options { boost, strain_limit: limit, ..many(count, seed) };
        let mut body = torn(block([9, 5, 4]), options, toughness);
        pull_apart(&mut body, speed);
        let start = body.account(&Vec3::zeros());
        let mut events = Vec::new();
        for index in 0..25 {
            let before = body.account(&Vec3::zeros());
            let [moved, torn] = step(&mut body, TIME_STEP * f64::from(index), &mut events);
            assert_sound(&body);
            let now = body.account(&Vec3::zeros());
            prop_assert!((now.mass / start.mass - 1.0).abs() < 1e-12);
            prop_assert!((now.volume / start.volume - 1.0).abs() < 1e-12);
            let moving: f64 = body.velocities().iter().zip(body.masses()).map(|(v, m)| m * v.norm()).sum();
            let change = (now.momentum - before.momentum).norm();
            prop_assert!(change <= 1e-12 * moving, "{change:e} of {moving:e} in step {index}");
            let rise = torn / moved - 1.0;
            prop_assert!(rise <= 1e-12, "the energy rises by {rise:e} of {moved} J in step {index}");
        }
    }

    #[test]
    fn threads_and_restarts_change_no_bit(seed in 0u64..1000, speed in 5.0f64..20.0) {
        let run = |threads: usize, restart: Option<u32>| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut body = torn(block([26, 20, 9]), many(30, seed), 1.08);
                pull_apart(&mut body, speed);
                let mut body: Box<dyn Method> = Box::new(body);
                let mut events = Vec::new();
                for index in 0..14 {
                    if restart == Some(index) {
                        body = crate::load(&body.save()).unwrap();
                    }
                    let step = Step { time: TIME_STEP * f64::from(index), ..plain_step() };
                    body.predict(&step).unwrap();
                    let mut log = CommitLog::default();
                    body.commit(&step, &mut log);
                    events.extend(log.events);
                    body.settle();
                }
                (body.save(), events)
            })
        };
        let one = run(1, None);
        prop_assert!(!one.1.is_empty());
        prop_assert!(one == run(2, Some(7)) && one == run(3, Some(11)));
    }
}
