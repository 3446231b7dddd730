//! Quasi-static loading breaks bodies: the fracture check reads the equilibrium that was just
//! found, whatever the integrator.

use craze_engine::{EventKind, Verdict, World};
use craze_scene::{SceneDocument, build};

/// A bar of this strength (Pa) pulled along x by 0.1 % of its length per frame: 1e4 Pa per frame, a
/// little more at its clamped ends.
fn pulled_bar(integrator: &str, strength: f64) -> World {
    let text = format!(
        r#"
        [world]
        duration = 1
        fps = 10
        mode = "quasi-static"
        gravity = [0, 0, 0]

        [[body]]
        name = "bar"
        method = "solid"
        integrator = "{integrator}"
        shape.box = {{ size = [0.4, 0.1, 0.1] }}
        edge = 0.05
        material = {{ density = 1000, young = 1e7, poisson = 0.2, tensile_strength = {strength:e} }}

        [[hold]]
        name = "left"
        body = "bar"
        region.box = {{ from = [-0.21, -1, -1], to = [-0.199, 1, 1] }}

        [[hold]]
        name = "right"
        body = "bar"
        region.box = {{ from = [0.199, -1, -1], to = [0.21, 1, 1] }}
        motion = [{{ t = 0, move = [0, 0, 0] }}, {{ t = 1, move = [0.004, 0, 0] }}]
        "#
    );
    let document = SceneDocument::parse(&text, "test.toml", &[]).unwrap_or_else(|errors| panic!("{errors}"));
    build(&document).unwrap_or_else(|errors| panic!("{errors}")).world
}

fn advance(world: &mut World, frames: u32) {
    for _ in 0..frames {
        world.advance_frame(&mut |_| Verdict::Continue).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn every_integrator_finds_the_same_splits() {
    let splits_of = |integrator: &str| {
        let mut world = pulled_bar(integrator, 2e3);
        advance(&mut world, 2);
        world.events
    };
    let expected = splits_of("implicit");
    let splits = expected.iter().filter(|event| matches!(event.kind, EventKind::Split { .. })).count();
    assert!(splits > 0, "{expected:?}");
    for integrator in ["symplectic", "euler", "taylor"] {
        assert_eq!(splits_of(integrator), expected, "{integrator}");
    }
}

#[test]
fn nothing_breaks_below_the_strength() {
    let mut world = pulled_bar("symplectic", 3e4);
    advance(&mut world, 2);
    assert_eq!(world.split_counts().splits, 0);
    advance(&mut world, 2);
    assert!(world.split_counts().splits > 0);
}

#[test]
fn a_body_in_equilibrium_neither_falls_asleep_nor_wakes_up() {
    let mut world = pulled_bar("symplectic", 3e4);
    advance(&mut world, 5);
    let rigid = |kind: &EventKind| matches!(kind, EventKind::Sleep { .. } | EventKind::Wake { .. });
    assert!(world.events.iter().all(|event| !rigid(&event.kind)), "{:?}", world.events);
}

#[test]
fn settings_of_contact_and_motion_are_refused() {
    let text = |extra: &str| {
        format!(
            r#"
            contact.separate_at_start = {}
            [world]
            duration = 1
            mode = "quasi-static"
            [[body]]
            name = "bar"
            method = "solid"
            shape.box = {{ size = [0.4, 0.1, 0.1] }}
            edge = 0.05
            material.preset = "glass"
            {extra}
            "#,
            extra.contains("separate")
        )
    };
    assert!(SceneDocument::parse(&text(""), "test.toml", &[]).is_ok());
    for key in [
        "solid.touches_itself = false",
        "solid.response = \"node-penalty\"",
        "solid.rest_strain = 1e-3",
        "solid.look_every = 1e-3",
        "# separate_at_start",
    ] {
        let errors = SceneDocument::parse(&text(key), "test.toml", &[]).expect_err(key).to_string();
        let name = key.trim_start_matches("# ").trim_start_matches("solid.").split(' ').next().unwrap_or_default();
        assert!(errors.contains(&format!("`{name}` changes nothing")), "{key}: {errors}");
    }
}
