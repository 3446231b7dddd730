//! Quasi-static fracture follows equilibrium: peak load and path depend neither on load steps nor on the split budget.

use craze_engine::{EventKind, Verdict, World};
use craze_scene::{SceneDocument, build};
use std::f64::consts::PI;

/// Runs all frames of a scene.
fn run(text: &str, frames: u32) -> World {
    let document = SceneDocument::parse(text, "test.toml", &[]).unwrap_or_else(|errors| panic!("{errors}"));
    let mut world = build(&document).unwrap_or_else(|errors| panic!("{errors}")).world;
    for _ in 0..frames {
        world.advance_frame(&mut |_| Verdict::Continue).unwrap_or_else(|error| panic!("{error}"));
    }
    world
}

/// Largest absolute value of a probe's column.
fn peak(world: &World, column: usize) -> f64 {
    world.samples.iter().filter_map(|sample| sample.values[column]).map(f64::abs).fold(0.0, f64::max)
}

fn splits(world: &World) -> Vec<EventKind> {
    let kinds = world.events.iter().map(|event| event.kind.clone());
    kinds.filter(|kind| matches!(kind, EventKind::Split { .. })).collect()
}

/// A beam on two supports, pressed down at its centre until well after its peak load.
fn bent_beam(integrator: &str, steps: u32, budget: u32) -> World {
    let text = format!(
        r#"
        [world]
        duration = 1
        fps = 2
        mode = "quasi-static"
        steps = {steps}
        gravity = [0, 0, 0]

        [[body]]
        name = "beam"
        method = "solid"
        integrator = "{integrator}"
        shape.box = {{ size = [0.4, 0.1, 0.05] }}
        edge = 0.025
        material = {{ density = 1000, young = 1e9, poisson = 0.2, tensile_strength = 1e6 }}
        solid.splits_a_step = {budget}

        [[hold]]
        name = "left"
        body = "beam"
        region.box = {{ from = [-0.21, -0.06, -1], to = [-0.17, -0.049, 1] }}

        [[hold]]
        name = "right"
        body = "beam"
        region.box = {{ from = [0.17, -0.06, -1], to = [0.21, -0.049, 1] }}

        [[hold]]
        name = "press"
        body = "beam"
        region.box = {{ from = [-0.02, 0.049, -1], to = [0.02, 0.06, 1] }}
        motion = [{{ t = 0, move = [0, 0, 0] }}, {{ t = 1, move = [0, -6e-4, 0] }}]

        [[probe]]
        name = "press"
        reaction = {{ hold = "press" }}
        "#
    );
    run(&text, 2)
}

#[test]
fn the_peak_load_depends_neither_on_load_steps_nor_on_the_budget() {
    let reference = bent_beam("implicit", 16, 10_000);
    let expected = peak(&reference, 1);
    assert!(splits(&reference).len() > 3, "{:?}", reference.events);
    for (steps, budget) in [(1, 10_000), (4, 10_000), (1, 1), (16, 1)] {
        let world = bent_beam("implicit", steps, budget);
        let found = peak(&world, 1);
        println!("{steps} load steps, budget {budget}: {found} N, {} splits", splits(&world).len());
        assert!((found / expected - 1.0).abs() < 0.03, "{found} N, {expected} N");
    }
}

#[test]
fn every_integrator_splits_the_same() {
    let expected = splits(&bent_beam("implicit", 2, 10_000));
    for integrator in ["symplectic", "euler", "taylor"] {
        assert_eq!(splits(&bent_beam(integrator, 2, 10_000)), expected, "{integrator}");
    }
}

#[test]
fn forces_before_and_after_a_drop_are_recorded() {
    let world = bent_beam("implicit", 1, 10_000);
    let drops = world.events.iter().filter_map(|event| match &event.kind {
        EventKind::LoadDrop { splits, balances, holds } => Some((*splits, *balances, holds.clone())),
        _ => None,
    });
    let drops: Vec<_> = drops.collect();
    let (_, balances, holds) = &drops[0];
    let press = holds.iter().find(|entry| entry.hold == "press").expect("a hold of the body");
    assert!(*balances > 0 && press.after.y.abs() < press.before.y.abs(), "{drops:?}");
    assert_eq!(drops.iter().map(|drop| drop.0).sum::<u64>(), world.split_counts().splits);
    // Forces are in balance before and after.
    for force in [holds.iter().map(|hold| hold.before.y).sum::<f64>(), holds.iter().map(|hold| hold.after.y).sum()] {
        assert!(force.abs() < 1e-6 * press.before.y.abs(), "{force}");
    }
}

/// A disc of diameter 0.1 m and thickness 0.02 m between two strips that are pressed together.
fn disc(steps: u32, budget: u32) -> World {
    let text = format!(
        r#"
        [world]
        duration = 1
        fps = 1
        mode = "quasi-static"
        steps = {steps}
        gravity = [0, 0, 0]

        [[body]]
        name = "disc"
        method = "solid"
        shape.cylinder = {{ radius = 0.05, height = 0.02 }}
        edge = 0.008
        material = {{ density = 2500, young = 2e10, poisson = 0.2, tensile_strength = 5e6 }}
        solid.splits_a_step = {budget}

        [[hold]]
        name = "bottom"
        body = "disc"
        region.box = {{ from = [-0.0075, -1, -0.06], to = [0.0075, 1, -0.0478] }}

        [[hold]]
        name = "top"
        body = "disc"
        region.box = {{ from = [-0.0075, -1, 0.0478], to = [0.0075, 1, 0.06] }}
        motion = [{{ t = 0, move = [0, 0, 0] }}, {{ t = 1, move = [0, 0, -1.45e-4] }}]

        [[probe]]
        name = "top"
        reaction = {{ hold = "top" }}
        "#
    );
    run(&text, 1)
}

#[test]
fn a_disc_splits_at_the_load_of_the_brazilian_test() {
    // 2P/(πDt)·k, for a load on strips of half-angle α: k = sin 2α/α − 1 at the centre (Hondros 1959).
    let alpha = (0.0075f64 / 0.05).asin();
    let expected = 5e6 * PI * 0.1 * 0.02 / 2.0 / ((2.0 * alpha).sin() / alpha - 1.0);
    for (steps, budget) in [(1, 10_000), (7, 1)] {
        let world = disc(steps, budget);
        let found = peak(&world, 2);
        let first = world.events.iter().find_map(|event| match &event.kind {
            EventKind::Split { place, .. } => Some(*place),
            _ => None,
        });
        let first = first.expect("the disc splits");
        println!("{steps} load steps, budget {budget}: {found} N, expected {expected} N, first split at {first:?}");
        assert!((found / expected - 1.0).abs() < 0.06, "{found} N, {expected} N");
        assert!(first.x.hypot(first.z) < 0.01, "{first:?}");
    }
}
