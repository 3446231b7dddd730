//! Spoils models at random, a hundred times each and twenty times as files, and counts what becomes of them:
//! `cargo run --release -p craze-shape --example torture -- [--cells=40] [--verbose] [--only=FIRST..LAST] MODEL…`
//!
//! The last round of all kinds takes the default edge instead of so many along the longest side. Times are the processor's where the system tells
//! them, of all threads together, so that what else the machine does is left out.

use std::path::Path;
use std::time::{Duration, Instant};

use craze_shape::{ModelPlacement, read_model};

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
    let only = std::env::args().find_map(|argument| {
        let (first, last) = argument.strip_prefix("--only=")?.split_once("..")?;
        Some(first.parse::<usize>().ok()?..last.parse().ok()?)
    });
    let mut failed = false;
    println!(
        "{:16} {:14} {:>6} {:>8} {:>7} {:>7} {:>9}",
        "model", "spoilt by", "tries", "meshes", "reasons", "panics", "longest"
    );
    for file in std::env::args().skip(1).filter(|argument| !argument.starts_with("--")) {
        let model = match read_model(Path::new(&file), &ModelPlacement::default()) {
            Ok(model) => model,
            Err(error) => {
                println!("{file}: {error}");
                failed = true;
                continue;
            }
        };
        let name = Path::new(&file).file_name().unwrap_or_default().to_string_lossy().into_owned();
        let fineness = |is_last: bool| if is_last { Fineness::Default } else { Fineness::Cells(cells) };
        let mut outcomes: Vec<(Outcome, Duration)> = Vec::new();
        let mut take = |number: usize, try_it: &dyn Fn() -> Outcome| {
            if only.as_ref().is_some_and(|only| !only.contains(&number)) {
                return;
            }
            let (start, spent) = (Instant::now(), processor_time());
            let outcome = try_it();
            let time = processor_time().zip(spent).map_or(start.elapsed(), |(now, before)| now.saturating_sub(before));
            if verbose {
                println!("  {number} {:?}: {:?} in {time:.2?}", outcome.corruption, outcome.result);
            }
            outcomes.push((outcome, time));
        };
        for index in 0..TIMES {
            take(index, &|| torture::torture(&model.surface, fineness(index + torture::ALL.len() >= TIMES), index, 1));
        }
        let bytes = std::fs::read(&file).unwrap_or_else(|_| torture::as_obj(&model.surface));
        for index in 0..TIMES_AS_FILE {
            let corruption = GIVEN[index % 2];
            take(TIMES + index, &|| {
                torture_file(
                    &bytes,
                    Path::new(&name),
                    fineness(index + GIVEN.len() >= TIMES_AS_FILE),
                    corruption,
                    index as u64,
                )
            });
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

/// What this program has had of all processors so far, as Linux counts it in hundredths of a second.
fn processor_time() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // Behind the name in brackets: user and system time are the 14th and 15th word of the line.
    let ticks = stat.rsplit(')').next()?.split_whitespace().skip(11).take(2).map(|word| word.parse::<u64>());
    Some(Duration::from_millis(10 * ticks.sum::<Result<u64, _>>().ok()?))
}
