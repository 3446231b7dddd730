//! Cracks that bodies have from the start: from the scene file to the first split.

use craze_engine::{EventKind, Verdict, World};
use craze_math::Vec3;
use craze_scene::{Built, SceneDocument, build};

fn built(text: &str) -> Built {
    let document = SceneDocument::parse(text, "cracked.toml", &[]).unwrap_or_else(|errors| panic!("{errors}"));
    build(&document).unwrap_or_else(|errors| panic!("{errors}"))
}

fn refusal(text: &str) -> String {
    let document = SceneDocument::parse(text, "cracked.toml", &[]).unwrap_or_else(|errors| panic!("{errors}"));
    match build(&document) {
        Ok(_) => panic!("accepted"),
        Err(errors) => errors.to_string(),
    }
}

/// A plate 0.2 × 0.2 × 0.02 m with these cracks.
fn plate(place: &str, cracks: &str) -> String {
    format!(
        r#"
        [world]
        duration = 1
        gravity = [0, 0, 0]

        [[body]]
        name = "plate"
        method = "solid"
        shape.box = {{ size = [0.2, 0.2, 0.02] }}
        edge = 0.01
        solid.rest_strain = 0
        material = {{ density = 1000, young = 1e7, poisson = 0.2, tensile_strength = 1e4 }}
        place = {{ {place} }}
        {cracks}
        "#
    )
}

fn advance(world: &mut World, frames: u32) {
    for _ in 0..frames {
        world.advance_frame(&mut |_| Verdict::Continue).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn a_closed_crack_stays_at_rest_without_contact_forces() {
    let cracks = "[[crack]]\nbody = \"plate\"\nstrip = { from = [0.03, -0.04, 0], to = [-0.02, 0.06, 0] }\n\
                  [[crack]]\nbody = \"plate\"\ndisc = { center = [0.06, -0.05, 0], normal = [1, 2, 3], radius = 0.03 }\n";
    for (what, own) in [
        ("its own default", ""),
        ("impulses", "[contact]\npair = [{ between = [\"plate\", \"plate\"], response = \"impulses\" }]\n"),
    ] {
        let text = format!("{}{own}", plate("", cracks)).replace("duration = 1", "duration = 0.1\nfps = 100");
        let mut world = built(&text).world;
        advance(&mut world, 1);
        let account = world.bodies[0].method.account(&Vec3::zeros());
        assert!(account.kinetic < 1e-20, "{what}: {account:?}");
        assert_eq!(world.split_counts().splits, 0, "{what}");
    }
}

#[test]
fn inclined_cracks_start_at_their_tips_wherever_the_body_stands() {
    for place in ["", "at = [3, -1, 2], turn = [0, 0, 90]"] {
        let document =
            SceneDocument::parse(&plate(place, ""), "plate.toml", &[]).unwrap_or_else(|errors| panic!("{errors}"));
        let body = &document.scene.bodies[0].place;
        let (turn, at) = (body.rotation(), Vec3::from(body.at));
        let put = |point: Vec3| -> [f64; 3] { (turn * point + at).into() };
        let half = 0.04 * Vec3::new(0.82, 0.57, 0.0).normalize();
        let crack = |middle: Vec3| {
            let (from, to) = (put(middle - half), put(middle + half));
            format!("[[crack]]\nbody = \"plate\"\nstrip = {{ from = {from:?}, to = {to:?} }}\n")
        };
        let end = |sign: f64| {
            let (point, normal) = (put(Vec3::new(0.0, 0.0999 * sign, 0.0)), turn * Vec3::new(0.0, sign, 0.0));
            let normal: [f64; 3] = normal.into();
            format!("region.half_space = {{ point = {point:?}, normal = {normal:?} }}\n")
        };
        let pull: [f64; 3] = (turn * Vec3::new(0.0, 0.0004, 0.0)).into();
        let middles = [Vec3::new(-0.04, 0.03, 0.0), Vec3::new(0.04, -0.03, 0.0)];
        let text = plate(place, &format!("{}{}", crack(middles[0]), crack(middles[1])));
        let text = text
            .replace("duration = 1", "duration = 0.04\nmode = \"quasi-static\"")
            .replace("solid.rest_strain = 0\n", "");
        let text = format!(
            "{text}\n[[hold]]\nbody = \"plate\"\n{}\n[[hold]]\nbody = \"plate\"\n{}motion = [{{ t = 0.04, move = {pull:?} }}]\n",
            end(-1.0),
            end(1.0)
        );
        let built = built(&text);
        let mut world = built.world;
        assert!(built.summary[0].contains("crack \"crack-2\" of 0.0016 m²"), "{:?}", built.summary);
        advance(&mut world, 1);
        let first = world.events.iter().find_map(|event| match event.kind {
            EventKind::Split { place, .. } => Some(turn.inverse() * (place - at)),
            _ => None,
        });
        let first = first.unwrap_or_else(|| panic!("{:?}", world.events));
        let tips = middles.iter().flat_map(|middle| [middle - half, middle + half]);
        let nearest = tips.map(|tip| (tip - first).xy().norm()).fold(f64::INFINITY, f64::min);
        assert!(nearest < 1e-3, "first split at {first:?}, {nearest} m from the nearest tip");
    }
}

#[test]
fn cracks_outside_or_too_small_are_refused_and_short_ones_named() {
    let crack = |shape: &str| plate("", &format!("[[crack]]\nname = \"slit\"\nbody = \"plate\"\n{shape}\n"));
    let outside = refusal(&crack("strip = { from = [0.3, 0, 0], to = [0.4, 0, 0] }"));
    assert!(
        outside.contains("crack \"slit\" cannot be opened in body \"plate\": no part of the body lies in the crack"),
        "{outside}"
    );
    assert!(outside.contains("cracked.toml:17") && outside.contains("world coordinates"), "{outside}");
    let speck = refusal(&crack("disc = { center = [0.0033, 0.0041, 0.001], normal = [1, 2, 3], radius = 1e-5 }"));
    assert!(speck.contains("2.000e-5 m long, too short for elements with edges of"), "{speck}");
    let bent = refusal(&crack("polygon = { points = [[0, 0, 0], [0.05, 0, 0], [0.05, 0.05, 0], [0, 0.05, 0.01]] }"));
    assert!(bent.contains("has no area, or does not lie in a plane"), "{bent}");
    let short = built(&crack("strip = { from = [0, 0, 0], to = [0.02, 0, 0] }"));
    assert!(
        short.summary[0].contains("is 0.02 m long, which elements with edges of 0.0114 m do not resolve"),
        "{:?}",
        short.summary
    );
    let through = built(&crack("strip = { from = [-0.2, 0.013, 0], to = [0.2, 0.013, 0] }"));
    assert!(through.summary[0].contains("its cracks divide it into 2 pieces"), "{:?}", through.summary);
}
