//! Steps that pass, fail or are skipped, with a summary.

use std::process::{Command, ExitCode};
use std::time::Instant;

/// Result of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Success.
    Passed,
    /// Failure, with the reason.
    Failed(String),
    /// Not possible; the text is the command that makes it possible.
    Skipped(String),
}

/// The steps so far.
pub struct Steps {
    done: Vec<(String, Outcome, f64)>,
}

impl Steps {
    /// No steps.
    pub fn new() -> Steps {
        Steps { done: Vec::new() }
    }

    /// Runs cargo as a step.
    pub fn cargo(&mut self, name: &str, arguments: &[&str]) {
        self.cargo_with(name, arguments, &[]);
    }

    /// Runs cargo with environment variables as a step.
    pub fn cargo_with(&mut self, name: &str, arguments: &[&str], variables: &[(&str, &str)]) {
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
        self.step(name, || {
            let mut command = Command::new(cargo);
            command.args(arguments).envs(variables.iter().copied());
            run(&mut command)
        });
    }

    /// Runs a step unless an earlier one failed. Returns true if it passed.
    pub fn step(&mut self, name: &str, work: impl FnOnce() -> Outcome) -> bool {
        if self.failed() {
            return false;
        }
        println!("== {name}");
        let start = Instant::now();
        let outcome = work();
        let seconds = start.elapsed().as_secs_f64();
        // With CI=true a skipped step would go unnoticed.
        let outcome = match outcome {
            Outcome::Skipped(line) if std::env::var("CI").is_ok_and(|value| value == "true") => {
                Outcome::Failed(format!("skipped, which CI=true does not allow: {line}"))
            }
            other => other,
        };
        match &outcome {
            Outcome::Passed => println!("== {name}: passed in {seconds:.0} s"),
            Outcome::Failed(reason) => println!("== {name}: FAILED: {reason}"),
            Outcome::Skipped(line) => println!("== {name}: SKIPPED; to run it, type: {line}"),
        }
        let passed = outcome == Outcome::Passed;
        self.done.push((name.to_owned(), outcome, seconds));
        passed
    }

    /// True if a step failed.
    pub fn failed(&self) -> bool {
        self.done.iter().any(|(_, outcome, _)| matches!(outcome, Outcome::Failed(_)))
    }

    /// Prints all steps and returns the exit code.
    pub fn summary(&self) -> ExitCode {
        println!();
        for (name, outcome, seconds) in &self.done {
            let word = match outcome {
                Outcome::Passed => "passed",
                Outcome::Failed(_) => "FAILED",
                Outcome::Skipped(_) => "SKIPPED",
            };
            println!("{name:>16}: {word} ({seconds:.0} s)");
        }
        let count = |wanted: fn(&Outcome) -> bool| self.done.iter().filter(|(_, outcome, _)| wanted(outcome)).count();
        let passed = count(|outcome| *outcome == Outcome::Passed);
        let failed = count(|outcome| matches!(outcome, Outcome::Failed(_)));
        let skipped = count(|outcome| matches!(outcome, Outcome::Skipped(_)));
        println!("{passed} passed, {failed} failed, {skipped} skipped");
        if failed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
    }
}

/// Runs a command.
pub fn run(command: &mut Command) -> Outcome {
    match command.status() {
        Ok(status) if status.success() => Outcome::Passed,
        Ok(status) => Outcome::Failed(format!("{} ended with {status}", command.get_program().display())),
        Err(error) => Outcome::Failed(format!("cannot run {}: {error}", command.get_program().display())),
    }
}
