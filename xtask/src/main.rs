//! Chores of the project. `cargo xtask test` runs all that guards it.

mod gallery;
mod hashes;
mod judges;
mod steps;

use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask COMMAND

  test               formatting, lints, unit, property, scene and doc tests, packages, quick validation, and the judges
                     of our exports and collisions
  judges             only the judges: programs that others wrote check what we export and call a collision
  hashes             run all built-in scenes and print the state hash of each, to compare before and after a change
  gallery [NAME...]  make the pictures of docs/gallery again, from runs that `hashes` left or that are made now";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut steps = steps::Steps::new();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["test"] => {
            steps.cargo("formatting", &["fmt", "--all", "--check"]);
            steps.cargo("lints", &["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"]);
            steps.cargo("tests", &["test", "--workspace"]);
            steps.cargo("long tests", &["test", "--workspace", "--lib", "--bins", "--tests", "--", "--ignored"]);
            steps.cargo_with(
                "documentation",
                &["doc", "--workspace", "--no-deps"],
                &[("RUSTDOCFLAGS", "--deny warnings")],
            );
            // Each package is built from what it would contain, without the files around it.
            steps.cargo("packages", &["package", "--workspace", "--exclude", "xtask", "--allow-dirty", "--quiet"]);
            steps.cargo("validation", &["run", "--package", "craze", "--", "validate", "--quick"]);
            judges::judge(&mut steps);
        }
        ["judges"] => judges::judge(&mut steps),
        ["gallery", ref names @ ..] => return if gallery::make(names) { ExitCode::SUCCESS } else { ExitCode::FAILURE },
        ["hashes"] => return if hashes::print() { ExitCode::SUCCESS } else { ExitCode::FAILURE },
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    }
    steps.summary()
}
