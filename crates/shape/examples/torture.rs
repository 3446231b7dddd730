//! Spoils models at random, a hundred times each, and counts what becomes of them:
//! `cargo run --release -p craze-shape --example torture -- [--cells=40] [--verbose] MODEL…`

use std::path::Path;
use std::time::{Duration, Instant};

use craze_shape::{Reading, read_model};

#[path = "../tests/torture/mod.rs"]
mod torture;

const TIMES: usize = 100;
/// Edges along the longest side, unless said otherwise.
const CELLS: f64 = 40.0;
const LONGEST: Duration = Duration::from_secs(60);

fn main() -> std::process::ExitCode {
    let verbose = std::env::args().any(|argument| argument == "--verbose");
    let cells = std::env::args().find_map(|argument| argument.strip_prefix("--cells=")?.parse().ok()).unwrap_or(CELLS);
    let mut failed = false;
    println!(
        "{:24} {:12} {:>6} {:>8} {:>7} {:>7} {:>9}",
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
        let outcomes: Vec<(torture::Outcome, Duration)> = (0..TIMES)
            .map(|index| {
                let start = Instant::now();
                let outcome = torture::torture(&model.surface, cells, index, 1);
                let time = start.elapsed();
                if verbose {
                    println!("  {index} {:?}: {:?} in {time:.2?}", outcome.corruption, outcome.result);
                }
                (outcome, time)
            })
            .collect();
        for corruption in torture::ALL {
            let tried: Vec<_> = outcomes.iter().filter(|(outcome, _)| outcome.corruption == corruption).collect();
            let meshes = tried.iter().filter(|(outcome, _)| matches!(outcome.result, Some(Ok(_)))).count();
            let panics = tried.iter().filter(|(outcome, _)| outcome.result.is_none()).count();
            let longest = tried.iter().map(|(_, time)| *time).max().unwrap_or_default();
            failed |= panics > 0 || longest > LONGEST;
            println!(
                "{name:24} {:12} {:6} {meshes:8} {:7} {panics:7} {:7.2} s",
                format!("{corruption:?}"),
                tried.len(),
                tried.len() - meshes - panics,
                longest.as_secs_f64()
            );
        }
    }
    std::process::ExitCode::from(u8::from(failed))
}
