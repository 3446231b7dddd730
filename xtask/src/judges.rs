//! Judges: third-party programs that check our exports and collision queries.
//!
//! Their scripts install packages from registries under target/judges. Python and Node.js come from
//! the system: where apt-get can install them (as root), the user at the terminal is asked first;
//! with CI=true they are installed without asking. Otherwise the step is skipped with the command
//! to run.

use crate::steps::{Outcome, Steps, run};
use std::io::{BufRead, IsTerminal, Write};
use std::process::{Command, Stdio};

const FOLDER: &str = "target/judges";

/// Checks collision queries of every kind, and a short run exported in every format.
pub fn judge(steps: &mut Steps) {
    let may_begin = || missing_from_system().map_or(Outcome::Passed, Outcome::Skipped);
    if !steps.step("judges: system", may_begin) {
        return;
    }
    steps.step("judges: collisions", || run(Command::new("python3").arg("crates/contact/judges/ccd.py")));
    if !steps.step("judges: export", export) {
        return;
    }
    steps.step("judges: verdict", || {
        run(Command::new("python3").arg("crates/export/judges/check.py").arg(format!("{FOLDER}/exports")))
    });
}

/// The command that installs missing system packages, if any are still missing.
fn missing_from_system() -> Option<String> {
    let lacks = |program: &str, arguments: &[&str]| {
        let tried = Command::new(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
        !tried.is_ok_and(|status| status.success())
    };
    let wanted = || {
        let mut packages = Vec::new();
        if lacks("python3", &["-c", "import venv, ensurepip"]) {
            packages.push("python3-venv");
        }
        if lacks("npm", &["--version"]) {
            packages.push("npm");
        }
        packages
    };
    let packages = wanted();
    if packages.is_empty() {
        return None;
    }
    let has_apt = !lacks("apt-get", &["--version"]);
    let line = match has_apt {
        true => format!("apt-get install --yes {}", packages.join(" ")),
        false => format!("install {} with your system's package manager", packages.join(" and ")),
    };
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.starts_with(b"0\n"));
    if is_root && has_apt && may_install(&line) {
        let update = run(Command::new("apt-get").args(["update", "--quiet"]));
        let install = run(Command::new("apt-get").args(["install", "--yes", "--quiet"]).args(&packages));
        if update == Outcome::Passed && install == Outcome::Passed && wanted().is_empty() {
            return None;
        }
    }
    Some(line)
}

/// True if this command may install system packages: always with CI=true, otherwise if the user at
/// the terminal agrees.
fn may_install(line: &str) -> bool {
    if std::env::var("CI").is_ok_and(|value| value == "true") {
        return true;
    }
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        return false;
    }
    print!("the judges need system packages; run `{line}` now? [y/N] ");
    let mut answer = String::new();
    std::io::stdout().flush().is_ok() && stdin.lock().read_line(&mut answer).is_ok() && is_yes(&answer)
}

fn is_yes(answer: &str) -> bool {
    matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}

fn export() -> Outcome {
    let craze = |arguments: &[&str]| {
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
        run(Command::new(cargo).args(["run", "--quiet", "--package", "craze", "--"]).args(arguments))
    };
    let run_folder = format!("{FOLDER}/run");
    let exports = format!("{FOLDER}/exports");
    if let Err(error) = std::fs::remove_dir_all(&exports)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        return Outcome::Failed(format!("cannot remove {exports}: {error}"));
    }
    let mut commands = vec![vec![
        "run",
        "two-bodies",
        "--frames",
        "4",
        "--set",
        "output.volume=true",
        "--set",
        "output.preview=false",
        "--quiet",
        "--force",
        "-o",
        &run_folder,
    ]];
    for format in ["obj", "ply", "stl", "glb", "vtk"] {
        commands.push(vec!["export", &run_folder, "--format", format, "-o", &exports]);
    }
    for command in commands {
        let outcome = craze(&command);
        if outcome != Outcome::Passed {
            return outcome;
        }
    }
    Outcome::Passed
}

#[cfg(test)]
mod tests {
    use super::is_yes;

    #[test]
    fn only_a_clear_yes_installs_packages() {
        assert!(["y\n", "Yes\n", " YES "].into_iter().all(is_yes));
        assert!(["", "\n", "n\n", "yep\n", "no, yes"].into_iter().all(|answer| !is_yes(answer)));
    }
}
