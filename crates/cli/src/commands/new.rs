//! `craze new`

use crate::problem::{Problem, quoted};
use crate::{OutputMode, choices};
use clap::Args;
use craze_scene::Template;
use std::io::Write;
use std::path::PathBuf;

#[derive(Args)]
pub struct Arguments {
    /// Path of the scene file
    file: PathBuf,
    /// Template
    #[arg(long, value_name = "NAME", default_value = "drop", value_parser = choices::template())]
    template: Template,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

pub fn run(arguments: &Arguments, mode: OutputMode) -> Result<(), Problem> {
    let template = arguments.template;
    let file = arguments.file.display();
    // A dangling link counts as existing.
    if arguments.file.symlink_metadata().is_ok() && !arguments.force {
        return Err(Problem::new(format!("{file} exists already"), "replace it with --force"));
    }
    craze_frame::atomic_write(&arguments.file, template.text().as_bytes())?;
    if mode == OutputMode::Text {
        writeln!(
            std::io::stdout().lock(),
            "wrote {file} ({}); run it with: craze run {}",
            template.summary(),
            quoted(&arguments.file)
        )?;
    }
    Ok(())
}
