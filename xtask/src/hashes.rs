//! State hashes of all built-in scenes, to detect changed results.

use crate::steps::{Outcome, run};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::Instant;

const FOLDER: &str = "target/hashes";

/// Runs every built-in scene, two at a time on one thread each (results do not depend on the number
/// of threads), and prints for each: name, last frame, its state hash, seconds. Returns false if a
/// scene failed.
pub fn print() -> bool {
    let Some(program) = build_program() else { return false };
    let listed = match Command::new(&program).args(["scenes", "--json"]).output() {
        Ok(output) => String::from_utf8_lossy(&output.stdout).into_owned(),
        Err(error) => {
            eprintln!("{}: {error}", program.display());
            return false;
        }
    };
    let names: Vec<&str> = listed.lines().filter_map(|line| line.split('"').nth(3)).collect();
    let lines: Vec<Mutex<Result<String, String>>> =
        names.iter().map(|_| Mutex::new(Err("not run".to_owned()))).collect();
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    let Some(name) = names.get(index) else { return };
                    if let Ok(mut line) = lines[index].lock() {
                        *line = run_scene(&program, name);
                    }
                }
            });
        }
    });
    let mut complete = !names.is_empty();
    println!("{:<24} {:>6} {:<16} {:>9}", "scene", "frame", "state hash", "seconds");
    for (name, line) in names.iter().zip(lines) {
        match line.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()) {
            Ok(line) => println!("{name:<24} {line}"),
            Err(reason) => {
                println!("{name:<24} FAILED: {reason}");
                complete = false;
            }
        }
    }
    complete
}

/// Builds the program and returns its path.
pub fn build_program() -> Option<PathBuf> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let build = run(Command::new(cargo).args(["build", "--release", "--quiet", "--package", "craze"]));
    (build == Outcome::Passed).then(|| PathBuf::from("target/release/craze"))
}

/// Folder of the run of a built-in scene.
pub fn run_folder(name: &str) -> String {
    format!("{FOLDER}/{name}")
}

/// Runs a built-in scene; returns its last frame, the state hash of that frame and the duration in
/// seconds.
pub fn run_scene(program: &Path, name: &str) -> Result<String, String> {
    let folder = run_folder(name);
    let started = Instant::now();
    let output = Command::new(program)
        .args(["run", name, "-o", &folder, "--force", "--quiet", "--threads", "1", "--set", "output.preview=false"])
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    let record = std::fs::read_to_string(format!("{folder}/run.json")).map_err(|error| error.to_string())?;
    let hashes = state_hashes(&record);
    let last = hashes.last().ok_or("run.json has no state hashes")?;
    Ok(format!("{:>6} {last:<16} {:>9.1}", hashes.len() - 1, started.elapsed().as_secs_f64()))
}

/// The state hashes in a run.json, one per frame from 0.
fn state_hashes(record: &str) -> Vec<&str> {
    let list = record.split_once("\"state_hashes\": [").map_or("", |(_, rest)| rest);
    list.split(']').next().unwrap_or("").split('"').skip(1).step_by(2).collect()
}

#[cfg(test)]
mod tests {
    use super::state_hashes;

    #[test]
    fn hashes_are_read_in_the_order_of_frames() {
        let record = "{ \"steps\": 3, \"state_hashes\": [\n \"ab\",\n \"cd\"\n ], \"other\": [\"no\"] }";
        assert_eq!(state_hashes(record), ["ab", "cd"]);
        assert!(state_hashes("{}").is_empty());
    }
}
