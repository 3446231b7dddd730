//! Reading of scenes: built-in, or from a file.

use crate::problem::{self, Problem};
use clap::Args;
use craze_material::nearest;
use craze_scene::SceneDocument;
use craze_shape::Format;
use std::path::Path;

/// Changes to a scene from the command line.
#[derive(Args, Clone, Debug, Default)]
pub struct Changes {
    /// Number of frames after the initial one; sets world.duration
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), allow_negative_numbers = true)]
    pub frames: Option<u32>,
    /// Seed of all random numbers
    #[arg(long, value_name = "N", value_parser = parse_seed, allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Set a key of the scene, as in world.duration=2 or body.bowl.edge=0.01; repeatable
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

/// Parses a seed that fits a scene file.
pub fn parse_seed(text: &str) -> Result<u64, String> {
    let most = i64::MAX as u64;
    let seed = text.parse().ok().filter(|seed| *seed <= most);
    seed.ok_or_else(|| format!("a seed is an integer from 0 to {most}"))
}

pub struct NamedScene {
    pub name: String,
    pub document: SceneDocument,
}

/// Reads a built-in scene or a scene file, with changes; model paths are relative to the scene
/// file.
pub fn read(name: &str, changes: &Changes) -> Result<NamedScene, Problem> {
    let path = Path::new(name);
    let mut overrides = changes.set.clone();
    if let Some(seed) = changes.seed {
        overrides.push(format!("world.seed={seed}"));
    }
    let mut named = match craze_scenes::find(name) {
        // A folder may have the name of a scene, such as that of its run.
        Some(scene) if !path.exists() || path.is_dir() => {
            let document = SceneDocument::parse(scene.text, &format!("{name} (built in)"), &overrides)?;
            NamedScene { name: name.to_owned(), document }
        }
        _ if Format::of_path(path).is_ok() && !path.is_dir() => {
            let help = format!(
                "`craze inspect {}` reports on it; a body of a scene refers to it by shape.mesh.file",
                problem::quoted(path)
            );
            return Err(Problem::new(format!("{name} is a model, not a scene"), help));
        }
        _ if path.exists() || name.ends_with(".toml") || name.contains('/') => {
            let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
            let mut document = SceneDocument::read(path, &overrides)?;
            // Absolute paths keep the saved scene valid in other folders.
            if let Some(folder) = std::path::absolute(path).ok().as_deref().and_then(Path::parent) {
                document.scene.resolve_files(folder);
            }
            NamedScene { name: stem.unwrap_or_else(|| "scene".to_owned()), document }
        }
        _ => return Err(unknown(name)),
    };
    if let Some(frames) = changes.frames {
        let scene = &mut named.document.scene;
        scene.world.duration = f64::from(frames) / scene.world.fps;
        // Check the duration, which the saved scene must allow.
        craze_scene::parse(&scene.to_toml(), &format!("--frames {frames}"))?;
    }
    Ok(named)
}

fn unknown(name: &str) -> Problem {
    let names = craze_scenes::GALLERY.iter().map(|scene| scene.name);
    let help = match nearest(name, names) {
        Some(near) => format!("did you mean \"{near}\"? `craze scenes` lists all"),
        None => "`craze scenes` lists the built-in scenes; scene files end in .toml".to_owned(),
    };
    Problem::new(format!("there is no built-in scene and no file named \"{name}\""), help)
}
