//! Spoils models at random, a hundred times each and twenty times as files, and counts what becomes of them:
//! `cargo run --release -p craze-shape --example torture -- [--cells=40] [--verbose] MODEL…`
//!
//! Every other round takes the default edge instead of so many along the longest side.

use std::path::Path;
use std::time::{Duration, Instant};

use craze_shape::{Reading, read_model};

#[path = "../tests/torture/mod.rs"]
mod torture;

use torture::{Corruption, Fineness, Outcome, torture_file};

const TIMES: usize = 100;
const TIMES_AS_FILE: usize = 20;
const GIVEN: [Corruption; 2] = [Corruption::GivenCutOff, Corruption::GivenScribbled];
/// Edges along the longest side, unless said otherwise.
const CELLS: f64 = 40.0;
const LONGEST: Duration = Duration::from_secs(60);

fn main() -> std::process::ExitCode {
    let verbose = std::env::args().any(|argument| argument == "--verbose");
    let cells = std::env::args().find_map(|argument| argument.strip_prefix("--cells=")?.parse().ok()).unwrap_or(CELLS);
    let mut failed = false;
    println!(
        "{:16} {:14} {:>6} {:>8} {:>7} {:>7} {:>9}",
        "model", "spoilt by", "tries", "meshes", "reasons", "panics", "longest"
    );
    for file in std::env::args().skip(1).filter(|argument| !argument.starts_with("--")) {
        let model = match read_model(Path::new(&file), &Reading::default()) {
            Ok(model) => model,
            Err(error) => {
                println!("{file}: {error}");
                failed = true;
                continue;
            }
        };
        let name = Path::new(&file).file_name().unwrap_or_default().to_string_lossy().into_owned();
        let fineness = |round: usize| if round.is_multiple_of(2) { Fineness::Cells(cells) } else { Fineness::Default };
        let mut outcomes: Vec<(Outcome, Duration)> = Vec::new();
        let mut take = |number: usize, try_it: &dyn Fn() -> Outcome| {
            let start = Instant::now();
            let outcome = try_it();
            let time = start.elapsed();
            if verbose {
                println!("  {number} {:?}: {:?} in {time:.2?}", outcome.corruption, outcome.result);
            }
            outcomes.push((outcome, time));
        };
        for index in 0..TIMES {
            take(index, &|| torture::torture(&model.surface, fineness(index / torture::ALL.len()), index, 1));
        }
        let bytes = std::fs::read(&file).unwrap_or_else(|_| torture::as_obj(&model.surface));
        for index in 0..TIMES_AS_FILE {
            let corruption = GIVEN[index % 2];
            take(index, &|| torture_file(&bytes, Path::new(&name), fineness(index / 2), corruption, index as u64));
        }
        for corruption in torture::ALL.into_iter().chain(GIVEN) {
            let tried: Vec<_> = outcomes.iter().filter(|(outcome, _)| outcome.corruption == corruption).collect();
            let meshes = tried.iter().filter(|(outcome, _)| matches!(outcome.result, Some(Ok(_)))).count();
            let panics = tried.iter().filter(|(outcome, _)| outcome.result.is_none()).count();
            let longest = tried.iter().map(|(_, time)| *time).max().unwrap_or_default();
            failed |= panics > 0 || longest > LONGEST;
            println!(
                "{name:16} {:14} {:6} {meshes:8} {:7} {panics:7} {:7.2} s",
                format!("{corruption:?}"),
                tried.len(),
                tried.len() - meshes - panics,
                longest.as_secs_f64()
            );
        }
    }
    std::process::ExitCode::from(u8::from(failed))
}
