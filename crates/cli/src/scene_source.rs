//! Where a scene comes from: its name in the gallery, or a file.

use crate::problem::{self, Problem};
use clap::Args;
use craze_material::nearest;
use craze_scene::SceneDocument;
use craze_shape::Format;
use std::path::Path;

/// Changes to a scene from the command line.
#[derive(Args, Clone, Debug, Default)]
pub struct Changes {
    /// Number of frames after the initial one; changes world.duration
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), allow_negative_numbers = true)]
    pub frames: Option<u32>,
    /// Seed of everything random
    #[arg(long, value_name = "N", value_parser = parse_seed, allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Change a key of the scene, as in world.duration=2 or body.bowl.edge=0.01 (may be repeated)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

/// A seed that a scene file can hold.
pub fn parse_seed(text: &str) -> Result<u64, String> {
    let most = i64::MAX as u64;
    let seed = text.parse().ok().filter(|seed| *seed <= most);
    seed.ok_or_else(|| format!("a seed is a whole number from 0 to {most}"))
}

/// A scene with its name.
pub struct NamedScene {
    /// What to call the run.
    pub name: String,
    /// The scene.
    pub document: SceneDocument,
}

/// Reads a built-in scene or a scene file, with changes; paths of models count from the scene file.
pub fn read(name: &str, changes: &Changes) -> Result<NamedScene, Problem> {
    let path = Path::new(name);
    let mut overrides = changes.set.clone();
    if let Some(seed) = changes.seed {
        overrides.push(format!("world.seed={seed}"));
    }
    let mut named = match craze_scenes::find(name) {
        // A folder may have the name of a scene: that of its run, for one.
        Some(scene) if !path.exists() || path.is_dir() => {
            let document = SceneDocument::parse(scene.text, &format!("{name} (built in)"), &overrides)?;
            NamedScene { name: name.to_owned(), document }
        }
        _ if Format::of_path(path).is_ok() && !path.is_dir() => {
            let help = format!(
                "`craze inspect {}` looks at it; a body of a scene takes it as shape.mesh.file",
                problem::quoted(path)
            );
            return Err(Problem::new(format!("{name} is a model, not a scene"), help));
        }
        _ if path.exists() || name.ends_with(".toml") || name.contains('/') => {
            let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
            let mut document = SceneDocument::read(path, &overrides)?;
            // Absolute, so that the scene as run means the same models wherever it lies and whoever resumes it.
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
        // A duration that no scene file may have could not be resumed.
        craze_scene::parse(&scene.to_toml(), &format!("--frames {frames}"))?;
    }
    Ok(named)
}

fn unknown(name: &str) -> Problem {
    let names = craze_scenes::GALLERY.iter().map(|scene| scene.name);
    let help = match nearest(name, names) {
        Some(near) => format!("did you mean \"{near}\"? `craze scenes` lists all"),
        None => "`craze scenes` lists the built-in scenes; a scene file ends in .toml".to_owned(),
    };
    Problem::new(format!("there is no built-in scene and no file called \"{name}\""), help)
}
