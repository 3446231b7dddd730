//! Bitwise reproducibility for any number of threads, and from the saved scene.

use crate::workshop::{MEDLEY, Workshop};

#[test]
fn one_thread_and_two_give_the_same_bits() {
    let workshop = Workshop::with_scene(MEDLEY);
    for threads in ["1", "2", "5"] {
        workshop.craze(&["run", "scene.toml", "--threads", threads, "-o", threads]).succeeded();
    }
    let alone = workshop.lasting("1");
    assert_eq!(alone.state_hashes.len(), 21);
    let mut distinct = alone.state_hashes.clone();
    distinct.dedup();
    assert_eq!(distinct.len(), 21, "something moves in every frame");
    workshop.lasting("2").assert_same_as(&alone, "two threads");
    workshop.lasting("5").assert_same_as(&alone, "more threads than processors");
}

#[test]
fn the_saved_scene_gives_the_same_bits() {
    let workshop = Workshop::with_scene(MEDLEY);
    let changes = ["--frames", "5", "--seed", "7", "--set", "body.brick.material.young=3e6"];
    workshop.craze(&[["run", "scene.toml", "-o", "first"].as_slice(), &changes].concat()).succeeded();
    workshop.craze(&["run", "first/scene.toml", "-o", "again"]).succeeded();
    workshop.lasting("again").assert_same_as(&workshop.lasting("first"), "from the scene as run");
    let texts =
        ["first", "again"].map(|run| std::fs::read_to_string(workshop.path(run).join("scene.toml")).expect("text"));
    assert_eq!(texts[0], texts[1]);
    workshop.craze(&["run", "scene.toml", "-o", "unchanged", "--frames", "5"]).succeeded();
    assert_ne!(workshop.state_hashes("unchanged"), workshop.state_hashes("first"), "the change mattered");
}

#[test]
fn the_conserved_quantities_of_the_medley_are_consistent() {
    let workshop = Workshop::with_scene(MEDLEY);
    workshop.craze(&["run", "scene.toml", "-o", "run"]).succeeded();
    let certificate = workshop.record("run")["certificate"].clone();
    let mass = |moment: &str| certificate[moment]["mass"].as_f64().expect("a number");
    assert!((mass("start") - mass("now")).abs() <= 1e-12 * mass("start"), "{certificate}");
    for closed in certificate["watertight"].as_array().expect("a list") {
        assert_eq!(closed[1], true, "{certificate}");
    }
    // The scene covers its purpose: a hold pulls and releases, and the ball falls onto the bar.
    let probes = std::fs::read_to_string(workshop.path("run/probes.csv")).expect("text");
    let head = probes.lines().next().expect("a head");
    assert!(head.contains("tip.dx_m") && head.contains("pull.fx_N"), "{head}");
    assert!(probes.lines().count() > 100, "a probe has a rhythm of its own: {} rows", probes.lines().count());
}
