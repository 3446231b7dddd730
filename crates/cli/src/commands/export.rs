//! `craze export`

use crate::Voice;
use crate::problem::Problem;
use crate::progress::plural;
use clap::Args;
use craze_export::{Format, export_sequence};
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;

#[derive(Args)]
pub struct Arguments {
    /// Folder of the run
    run: PathBuf,
    /// Format: obj, ply, stl, glb or vtk
    #[arg(long, short, default_value = "obj")]
    format: String,
    /// Folder for the files; "export" inside the run if left out
    #[arg(long, short)]
    output: Option<PathBuf>,
    /// Only this frame
    #[arg(long, value_name = "N")]
    frame: Option<u32>,
}

/// Writes the frames of a run in another format.
pub fn run(arguments: &Arguments, voice: Voice) -> Result<(), Problem> {
    let format = Format::from_name(&arguments.format)?;
    let files = super::render::frame_files(&arguments.run, arguments.frame)?;
    let folder = arguments.output.clone().unwrap_or_else(|| arguments.run.join("export"));
    let name = craze_engine::read_record(&arguments.run).map_or_else(|_| "frames".to_owned(), |record| record.scene);
    let report = export_sequence(files.iter().map(|file| craze_frame::read(file)), format, &folder, &name)?;
    let mut stdout = std::io::stdout().lock();
    match voice {
        Voice::Person => {
            let frames = plural(report.frames as u64, "frame");
            let files = plural(report.files.len() as u64, "file");
            writeln!(stdout, "{frames} in {files} in {}", folder.display())?;
            for what in &report.left_out {
                writeln!(stdout, "left out: {what}")?;
            }
        }
        Voice::Program => {
            let text = json!({ "frames": report.frames, "files": report.files, "left_out": report.left_out });
            writeln!(stdout, "{text}")?;
        }
        Voice::Silent => {}
    }
    Ok(())
}
