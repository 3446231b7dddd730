//! `craze schema`

use crate::problem::Problem;
use std::io::Write;

pub fn run() -> Result<(), Problem> {
    writeln!(std::io::stdout().lock(), "{}", craze_scene::json_schema())?;
    Ok(())
}
