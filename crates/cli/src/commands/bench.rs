//! `craze bench`

use crate::OutputMode;
use crate::bench::{Effort, measure, text};
use crate::problem::Problem;
use clap::Args;
use serde_json::json;
use std::io::Write;

#[derive(Args)]
pub struct Arguments {
    /// Smaller bodies, fewer repetitions
    #[arg(long)]
    quick: bool,
}

pub fn run(arguments: &Arguments, mode: OutputMode) -> Result<(), Problem> {
    let effort = if arguments.quick { Effort::Quick } else { Effort::Full };
    let measured = measure(effort, &mut |doing| {
        if mode == OutputMode::Text {
            eprintln!("{doing}");
        }
    })?;
    let mut stdout = std::io::stdout().lock();
    match mode {
        OutputMode::Text => write!(stdout, "{}", text(&measured))?,
        OutputMode::Json => writeln!(stdout, "{}", json!(measured))?,
        OutputMode::Quiet => {}
    }
    Ok(())
}
