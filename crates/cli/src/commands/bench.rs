//! `craze bench`

use crate::Voice;
use crate::bench::{Effort, measure, text};
use crate::problem::Problem;
use clap::Args;
use serde_json::json;
use std::io::Write;

#[derive(Args)]
pub struct Arguments {
    /// Smaller bodies and fewer repetitions
    #[arg(long)]
    quick: bool,
}

/// Measures the program against the machine and prints what came out.
pub fn run(arguments: &Arguments, voice: Voice) -> Result<(), Problem> {
    let effort = if arguments.quick { Effort::Quick } else { Effort::Full };
    let measured = measure(effort, &mut |doing| {
        if voice == Voice::Person {
            eprintln!("{doing}");
        }
    })?;
    let mut stdout = std::io::stdout().lock();
    match voice {
        Voice::Person => write!(stdout, "{}", text(&measured))?,
        Voice::Program => writeln!(stdout, "{}", json!(measured))?,
        Voice::Silent => {}
    }
    Ok(())
}
