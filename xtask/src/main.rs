//! Project tasks. `cargo xtask test` runs all checks.

mod gallery;
mod hashes;
mod judges;
mod steps;

use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask COMMAND

  test               formatting, lints, unit, property, scene and doc tests, packages, quick validation, and the judges
                     of exports and collisions
  judges             only the judges: third-party programs check our exports and collision queries
  hashes             run all built-in scenes and print their state hashes, to compare before and after a change
  gallery [NAME...]  render the images of docs/gallery, from runs of `hashes` or new ones";

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
            // Builds each package from its packaged files only.
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
