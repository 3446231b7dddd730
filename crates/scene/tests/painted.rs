//! Bodies break where their models are painted black.

use craze_engine::{EventKind, Verdict};
use craze_scene::{SceneDocument, build};
use std::fmt::Write as _;
use std::path::Path;

/// Where bars are dark (m), and how far to both sides.
const DARK: [f64; 2] = [-0.07, 0.07];
const HALF: f64 = 0.02;

/// A bar along x, 0.4 m long, of rings 1 cm apart; dark ones around a position (m) if it is
/// painted.
fn bar(folder: &Path, dark: Option<f64>) {
    let mut text = String::new();
    for ring in 0..=40 {
        let x = 0.01 * f64::from(ring) - 0.2;
        let paint = dark.map_or(String::new(), |dark| {
            let brightness = u8::from((x - dark).abs() > HALF);
            format!(" {brightness} {brightness} {brightness}")
        });
        for [y, z] in [[-0.04, -0.04], [-0.04, 0.04], [0.04, 0.04], [0.04, -0.04]] {
            writeln!(text, "v {x} {y} {z}{paint}").expect("a line");
        }
    }
    for ring in 0..40 {
        for side in 0..4 {
            let [a, b] = [side, (side + 1) % 4].map(|corner| 4 * ring + corner + 1);
            writeln!(text, "f {a} {} {} {b}", a + 4, b + 4).expect("a line");
        }
    }
    text += "f 1 2 3 4\nf 164 163 162 161\n";
    std::fs::write(folder.join("bar.obj"), text).expect("a file");
}

/// The bar as a shape of a scene.
fn mesh(folder: &Path) -> String {
    format!("mesh = {{ file = {:?} }}", folder.join("bar.obj"))
}

fn scene(folder: &Path, shape: &str, rest: &str) -> Result<craze_scene::Built, String> {
    let hold = |name: &str, way: f64| {
        let [from, to] = if way > 0.0 { [0.17, 1.0] } else { [-1.0, -0.17] };
        format!(
            "[[hold]]\nname = \"{name}\"\nbody = \"bar\"\nregion.box = {{ from = [{from}, -1, -1], to = [{to}, 1, 1] }}\n\
             motion = [{{ t = 0 }}, {{ t = 1, move = [{}, 0, 0] }}]\n",
            0.05 * way
        )
    };
    let text = format!(
        "[world]\nduration = 1\nfps = 50\ngravity = [0, 0, 0]\n[[body]]\nname = \"bar\"\nshape.{shape}\n{rest}\n{}{}",
        hold("left", -1.0),
        hold("right", 1.0)
    );
    let path = folder.join("scene.toml");
    std::fs::write(&path, text).expect("a file");
    let document = SceneDocument::read(&path, &[]).map_err(|errors| errors.to_string())?;
    build(&document).map_err(|errors| errors.to_string())
}

/// Where the bar has split first (m along x).
fn first_split(folder: &Path, rest: &str) -> f64 {
    let mut world = scene(folder, &mesh(folder), rest).expect("a scene").world;
    let mut places = Vec::new();
    for _ in 0..50 {
        world.advance_frame(&mut |_| Verdict::Continue).expect("a frame");
        for event in std::mem::take(&mut world.events) {
            if let EventKind::Split { place, .. } = event.kind {
                places.push(place.x);
            }
        }
        if let Some(place) = places.first() {
            return *place;
        }
    }
    panic!("it did not break");
}

const SOLID: &str = "method = \"solid\"\nedge = 0.02\n\
    material = { density = 1000, young = 1e5, poisson = 0.3, tensile_strength = 1e4, damping_time = 1e-3 }";
const CLUSTERS: &str =
    "method = \"clusters\"\nspacing = 0.01\nmaterial = { preset = \"clay\", cluster_toughness = 1.2 }";

/// Whether bars break where they are dark, wherever that is.
fn check(rest: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    for dark in DARK {
        bar(folder.path(), Some(dark));
        let place = first_split(folder.path(), rest);
        assert!((place - dark).abs() < HALF + 0.04, "{place} instead of {dark}");
    }
}

#[test]
fn solids_break_where_they_are_painted_black() {
    check(&format!("{SOLID}\nsolid.painted = {{ black = 0.3 }}"));
}

#[test]
fn clusters_split_where_they_are_painted_black() {
    check(&format!("{CLUSTERS}\nclusters = {{ count = 24, overlap = 2, painted = {{ black = 0.2 }} }}"));
}

#[test]
fn what_is_not_painted_is_refused_at_its_key() {
    let folder = tempfile::tempdir().expect("a folder");
    bar(folder.path(), None);
    let painted = format!("{SOLID}\nsolid.painted = {{ black = 0.3 }}");
    for (shape, what) in [
        (mesh(folder.path()), "bar.obj has no colours"),
        ("sphere = { radius = 0.2 }".to_owned(), "built-in shape has no"),
    ] {
        let report = scene(folder.path(), &shape, &painted).err().expect("it is refused");
        assert!(report.contains(what) && report.contains("scene.toml:11:17"), "{report}");
    }
    bar(folder.path(), Some(0.0));
    let report = scene(folder.path(), &mesh(folder.path()), &format!("{SOLID}\nsolid.painted = {{ black = 0 }}"));
    assert!(report.err().expect("it is refused").contains("above 0"));
}
