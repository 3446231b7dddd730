//! Images of built-in scenes for docs/gallery.

use crate::hashes;
use crate::steps::{Outcome, run};
use std::path::Path;
use std::process::Command;

const FOLDER: &str = "target/gallery";

/// An image of the gallery: frames of scenes, side by side.
struct Picture {
    name: &'static str,
    /// Size of each part in pixels, as for `craze render --size`.
    size: &'static str,
    parts: &'static [Part],
}

/// A frame of a built-in scene.
struct Part {
    scene: &'static str,
    frame: u32,
    /// More options of `craze render`.
    options: &'static [&'static str],
}

const fn part(scene: &'static str, frame: u32, options: &'static [&'static str]) -> Part {
    Part { scene, frame, options }
}

const LARGE: &str = "960x540";
const SMALL: &str = "640x400";
const SHARDS: &[&str] = &["--shards"];
const TOGETHER: &[&str] = &["--reassembled"];

const fn picture(name: &'static str, size: &'static str, parts: &'static [Part]) -> Picture {
    Picture { name, size, parts }
}

const PICTURES: &[Picture] = &[
    picture("glass-slab", LARGE, &[part("glass-slab", 11, SHARDS)]),
    picture("adobe-wall", LARGE, &[part("adobe-wall", 36, SHARDS)]),
    picture("adobe-wall-heavy", LARGE, &[part("adobe-wall-heavy", 20, SHARDS)]),
    picture("the-end", LARGE, &[part("the-end", 24, SHARDS)]),
    picture(
        "comparison-bowl",
        "426x400",
        &[part("comparison-bowl", 2, SHARDS), part("comparison-bowl", 6, SHARDS), part("comparison-bowl", 12, SHARDS)],
    ),
    picture(
        "bowls",
        "400x300",
        &[part("bowl-1", 4, SHARDS), part("bowl-2", 4, SHARDS), part("bowl-3", 4, SHARDS), part("bowl-4", 4, SHARDS)],
    ),
    picture("reassembled", "640x360", &[part("adobe-wall-heavy", 36, TOGETHER), part("glass-slab", 15, TOGETHER)]),
    picture("twisted-bar", LARGE, &[part("twisted-bar", 50, &[])]),
    picture("cantilever", LARGE, &[part("cantilever", 25, &[])]),
    picture("press", LARGE, &[part("press", 20, &[])]),
    picture("heavy-ball", LARGE, &[part("heavy-ball", 30, &[])]),
    picture("rubble", LARGE, &[part("rubble", 50, &[])]),
    picture("slope", LARGE, &[part("slope", 30, &[])]),
    picture("steel-drop", LARGE, &[part("steel-drop", 15, &[])]),
    picture("two-bodies", LARGE, &[part("two-bodies", 30, &[])]),
    picture("torn-figure", "432x600", &[part("torn-figure", 40, &[])]),
    picture("broken-heart", SMALL, &[part("broken-heart", 45, &[])]),
    picture("torn-cheese", SMALL, &[part("torn-cheese", 60, &[])]),
    picture("hollow-ball", SMALL, &[part("hollow-ball", 48, &[])]),
    picture("dough-plate-ductile", SMALL, &[part("dough-plate-ductile", 24, &[])]),
    picture("dough-plate-weak", SMALL, &[part("dough-plate-weak", 24, &[])]),
    picture("dough-plate-strong", SMALL, &[part("dough-plate-strong", 24, &[])]),
    picture("dough-bar", SMALL, &[part("dough-bar", 90, &[])]),
    picture("dough-bar-tough", SMALL, &[part("dough-bar-tough", 90, &[])]),
    picture("cut-block", SMALL, &[part("cut-block", 40, &[])]),
    picture("crossing-cuts", SMALL, &[part("crossing-cuts", 58, &[])]),
    picture("knife", SMALL, &[part("knife", 32, &[])]),
];

/// Renders the named images, or all without names, from runs of `cargo xtask hashes` or new ones.
/// Returns false if one failed.
pub fn make(names: &[&str]) -> bool {
    let known = |name: &&str| PICTURES.iter().any(|picture| picture.name == *name);
    if let Some(unknown) = names.iter().find(|name| !known(name)) {
        let all: Vec<&str> = PICTURES.iter().map(|picture| picture.name).collect();
        eprintln!("there is no image \"{unknown}\" in docs/gallery; available: {}", all.join(", "));
        return false;
    }
    let Some(program) = hashes::build_program() else { return false };
    let wanted = PICTURES.iter().filter(|picture| names.is_empty() || names.contains(&picture.name));
    let mut complete = true;
    for picture in wanted {
        match make_picture(&program, picture) {
            Outcome::Passed => println!("docs/gallery/{}.png", picture.name),
            Outcome::Failed(reason) | Outcome::Skipped(reason) => {
                println!("{} FAILED: {reason}", picture.name);
                complete = false;
            }
        }
    }
    complete
}

fn make_picture(program: &Path, picture: &Picture) -> Outcome {
    let mut parts = Vec::new();
    for (index, part) in picture.parts.iter().enumerate() {
        let run_folder = hashes::run_folder(part.scene);
        if !Path::new(&run_folder).join("run.json").exists()
            && let Err(reason) = hashes::run_scene(program, part.scene)
        {
            return Outcome::Failed(reason);
        }
        let (frame, folder) = (part.frame.to_string(), format!("{FOLDER}/{}-{index}", picture.name));
        let mut command = Command::new(program);
        command.args(["render", &run_folder, "--quiet", "--samples", "64", "--size", picture.size]);
        let outcome = run(command.args(["--frame", &frame, "-o", &folder]).args(part.options));
        if outcome != Outcome::Passed {
            return outcome;
        }
        parts.push(format!("{folder}/{:04}.png", part.frame));
    }
    let target = format!("docs/gallery/{}.png", picture.name);
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    run(Command::new(cargo)
        .args(["run", "--release", "--quiet", "--package", "craze-render", "--example", "strip", "--", &target])
        .args(&parts))
}
