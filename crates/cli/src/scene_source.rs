//! Where a scene comes from: its name in the gallery, or a file.

use crate::gallery;
use crate::problem::Problem;
use clap::Args;
use craze_material::nearest;
use craze_scene::SceneDocument;
use std::path::{Path, PathBuf};

/// Changes to a scene from the command line.
#[derive(Args, Clone, Debug, Default)]
pub struct Changes {
    /// Number of frames after the initial one; changes world.duration
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub frames: Option<u32>,
    /// Seed of everything random
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Change a key of the scene, as in world.gravity=[0,0,0] or body.bowl.edge=0.01 (may be repeated)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

/// A scene with its name.
pub struct NamedScene {
    /// What to call the run.
    pub name: String,
    /// The scene.
    pub document: SceneDocument,
}

/// Reads a built-in scene or a scene file, with changes; paths of models become relative to the scene file.
pub fn read(name: &str, changes: &Changes) -> Result<NamedScene, Problem> {
    let path = Path::new(name);
    let mut overrides = changes.set.clone();
    if let Some(seed) = changes.seed {
        overrides.push(format!("world.seed={seed}"));
    }
    let (run_name, mut document, folder) = match gallery::find(name) {
        Some(scene) if !path.exists() => {
            (name.to_owned(), SceneDocument::parse(scene.text, &format!("{name} (built in)"), &overrides)?, None)
        }
        _ if path.exists() || name.ends_with(".toml") || name.contains('/') => {
            let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
            let document = SceneDocument::read(path, &overrides)?;
            (stem.unwrap_or_else(|| "scene".to_owned()), document, path.parent().map(PathBuf::from))
        }
        _ => return Err(unknown(name)),
    };
    if let Some(frames) = changes.frames {
        document.scene.world.duration = f64::from(frames) / document.scene.world.fps;
    }
    if let Some(folder) = folder {
        document.scene.resolve_files(&folder);
    }
    Ok(NamedScene { name: run_name, document })
}

fn unknown(name: &str) -> Problem {
    let names = gallery::GALLERY.iter().map(|scene| scene.name);
    let help = match nearest(name, names) {
        Some(near) => format!("did you mean \"{near}\"? `craze scenes` lists all"),
        None => "`craze scenes` lists the built-in scenes; a scene file ends in .toml".to_owned(),
    };
    Problem::new(format!("there is no built-in scene and no file called \"{name}\""), help)
}
