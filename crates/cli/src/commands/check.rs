//! `craze check`

use crate::OutputMode;
use crate::problem::Problem;
use crate::progress::plural;
use crate::scene_source::{self, Changes};
use clap::Args;
use craze_scene::build;
use serde_json::json;
use std::io::Write;

#[derive(Args)]
pub struct Arguments {
    /// Name of a built-in scene, or path of a scene file
    scene: String,
    #[command(flatten)]
    changes: Changes,
}

/// Reads a scene, builds its world and prints a summary.
pub fn run(arguments: &Arguments, mode: OutputMode) -> Result<(), Problem> {
    let scene = scene_source::read(&arguments.scene, &arguments.changes)?;
    let built = build(&scene.document)?;
    let world = &scene.document.scene.world;
    let mut stdout = std::io::stdout().lock();
    match mode {
        OutputMode::Text => {
            for line in &built.summary {
                writeln!(stdout, "{line}")?;
            }
            let frames = world.frames();
            writeln!(
                stdout,
                "{}: all is well ({}, {} s at {} fps)",
                scene.name,
                plural(frames, "frame"),
                world.duration,
                world.fps
            )?;
        }
        OutputMode::Json => {
            let text = json!({ "scene": scene.name, "frames": world.frames(), "bodies": built.summary });
            writeln!(stdout, "{text}")?;
        }
        OutputMode::Quiet => {}
    }
    Ok(())
}
