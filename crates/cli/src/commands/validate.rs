//! `craze validate`

use crate::problem::Problem;
use crate::{OutputMode, choices};
use clap::Args;
use craze_frame::{WriteError, atomic_write};
use craze_validation::{Depth, Outcome, Selection, report, svg, tests};
use serde_json::json;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct Arguments {
    /// Coarse setups: seconds instead of minutes
    #[arg(long)]
    quick: bool,
    /// Tests of these numbers only, as in 4,6
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',')]
    only: Vec<u32>,
    /// Tests of this method only
    #[arg(long, value_name = "METHOD", value_parser = choices::method())]
    method: Option<&'static str>,
    /// Folder for validation.md, validation.csv and a plot of every curve
    #[arg(long, short)]
    output: Option<PathBuf>,
}

/// Runs the validation tests, prints the results, and fails if one is out of tolerance.
pub fn run(arguments: &Arguments, mode: OutputMode) -> Result<(), Problem> {
    let selection = selection(arguments)?;
    let depth = if arguments.quick { Depth::Quick } else { Depth::Full };
    let mut printed = Ok(());
    let outcomes = craze_validation::run(&selection, depth, &mut |outcome| {
        if printed.is_ok() {
            printed = print_outcome(outcome, mode);
        }
    });
    printed?;
    if let Some(folder) = &arguments.output {
        write(folder, &outcomes)?;
    }
    conclude(&outcomes, mode)
}

fn selection(arguments: &Arguments) -> Result<Selection, Problem> {
    let method = arguments.method;
    let selection = Selection { numbers: arguments.only.clone(), method };
    let missing = arguments.only.iter().find(|number| {
        let alone = Selection { numbers: vec![**number], method };
        alone.tests().next().is_none()
    });
    if let Some(number) = missing {
        let mut numbers: Vec<u32> =
            tests().filter(|test| method.is_none_or(|method| method == test.method)).map(|test| test.number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
        let there = format!("there are {}", numbers.join(", "));
        return Err(Problem::new(format!("there is no test {number}"), there));
    }
    Ok(selection)
}

fn print_outcome(outcome: &Outcome, mode: OutputMode) -> Result<(), io::Error> {
    let mut stdout = io::stdout().lock();
    match mode {
        OutputMode::Text => writeln!(stdout, "{}", report::text(outcome)),
        OutputMode::Json => writeln!(stdout, "{}", report::to_json(outcome)),
        OutputMode::Quiet => Ok(()),
    }
}

fn write(folder: &Path, outcomes: &[Outcome]) -> Result<(), Problem> {
    std::fs::create_dir_all(folder).map_err(|cause| WriteError::new(folder, cause))?;
    atomic_write(&folder.join("validation.md"), report::markdown(outcomes).as_bytes())?;
    atomic_write(&folder.join("validation.csv"), report::csv(outcomes).as_bytes())?;
    for plot in outcomes.iter().flat_map(|outcome| &outcome.findings.plots) {
        atomic_write(&folder.join(format!("{}.svg", plot.name)), svg::draw(plot).as_bytes())?;
    }
    Ok(())
}

/// Prints the summary; an error if any test failed.
fn conclude(outcomes: &[Outcome], mode: OutputMode) -> Result<(), Problem> {
    let failed: Vec<String> = outcomes
        .iter()
        .filter(|outcome| !outcome.passed())
        .map(|outcome| format!("{}{}", outcome.test.letter(), outcome.test.number))
        .collect();
    let numbers: usize = outcomes.iter().map(|outcome| outcome.findings.rows.len()).sum();
    let seconds: f64 = outcomes.iter().map(|outcome| outcome.seconds).sum();
    let mut stdout = io::stdout().lock();
    match mode {
        OutputMode::Text => {
            writeln!(
                stdout,
                "tests: {}, numbers: {numbers}, failed: {}, {seconds:.1} s",
                outcomes.len(),
                failed.len()
            )?;
        }
        OutputMode::Json => {
            let summary = json!({ "tests": outcomes.len(), "numbers": numbers, "seconds": seconds, "failed": failed });
            writeln!(stdout, "{summary}")?;
        }
        OutputMode::Quiet => {}
    }
    if failed.is_empty() {
        return Ok(());
    }
    Err(Problem::new(
        format!("out of tolerance: {}", failed.join(", ")),
        "a changed method or a changed machine; the table above says which numbers",
    ))
}
