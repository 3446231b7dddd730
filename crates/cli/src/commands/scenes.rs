//! `craze scenes`

use crate::OutputMode;
use crate::problem::Problem;
use clap::Args;
use craze_material::nearest;
use craze_scenes::GALLERY;
use serde_json::json;
use std::io::Write;

#[derive(Args)]
pub struct Arguments {
    /// Print this scene file instead of the list
    name: Option<String>,
}

pub fn run(arguments: &Arguments, mode: OutputMode) -> Result<(), Problem> {
    let mut stdout = std::io::stdout().lock();
    if let Some(name) = &arguments.name {
        let scene = craze_scenes::find(name).ok_or_else(|| {
            let near = nearest(name, GALLERY.iter().map(|scene| scene.name));
            let help = near.map_or("`craze scenes` lists all".to_owned(), |near| format!("did you mean \"{near}\"?"));
            Problem::new(format!("there is no built-in scene named \"{name}\""), help)
        })?;
        write!(stdout, "{}", scene.text)?;
        return Ok(());
    }
    let width = GALLERY.iter().map(|scene| scene.name.len()).max().unwrap_or(0);
    for scene in GALLERY {
        let title = craze_scene::parse(scene.text, scene.name)?.title.unwrap_or_default();
        match mode {
            OutputMode::Json => writeln!(stdout, "{}", json!({ "name": scene.name, "title": title }))?,
            OutputMode::Text | OutputMode::Quiet => writeln!(stdout, "{:width$}  {title}", scene.name)?,
        }
    }
    Ok(())
}
