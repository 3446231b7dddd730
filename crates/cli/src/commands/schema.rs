//! `craze schema`

use crate::problem::Problem;
use std::io::Write;

/// Prints the JSON Schema of scene files.
pub fn run() -> Result<(), Problem> {
    writeln!(std::io::stdout().lock(), "{}", craze_scene::json_schema())?;
    Ok(())
}
