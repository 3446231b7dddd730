//! Corrupts models at random, a hundred times each and twenty times as files, and counts the
//! outcomes: `cargo run --release -p craze-shape --example torture -- [OPTION …] MODEL…`
//!
//! Options are `--cells=40`, `--verbose` and `--only=FIRST..LAST`. The last round of each kind uses
//! the default edge instead of `--cells` along the longest side. Times are CPU times of all threads
//! where available, independent of other load.

use std::path::Path;
use std::time::{Duration, Instant};

use craze_shape::{ModelPlacement, read_model};

#[path = "../tests/torture/mod.rs"]
mod torture;

use torture::{Corruption, Fineness, Outcome, torture_file};

const CORRUPTIONS_PER_MODEL: usize = 100;
const CORRUPTIONS_PER_FILE: usize = 20;
const FILE_CORRUPTIONS: [Corruption; 2] = [Corruption::GivenCutOff, Corruption::GivenScribbled];
/// Edges along the longest side, without `--cells`.
const DEFAULT_CELLS: f64 = 40.0;
const MAX_CPU_TIME: Duration = Duration::from_secs(60);

fn main() -> std::process::ExitCode {
    let verbose = std::env::args().any(|argument| argument == "--verbose");
    let cells =
        std::env::args().find_map(|argument| argument.strip_prefix("--cells=")?.parse().ok()).unwrap_or(DEFAULT_CELLS);
    let only = std::env::args().find_map(|argument| {
        let (first, last) = argument.strip_prefix("--only=")?.split_once("..")?;
        Some(first.parse::<usize>().ok()?..last.parse().ok()?)
    });
    let mut failed = false;
    println!(
        "{:16} {:14} {:>6} {:>8} {:>7} {:>7} {:>9}",
        "model", "corruption", "tries", "meshes", "reasons", "panics", "longest"
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
        for index in 0..CORRUPTIONS_PER_MODEL {
            take(index, &|| {
                torture::torture(
                    &model.surface,
                    fineness(index + torture::ALL.len() >= CORRUPTIONS_PER_MODEL),
                    index,
                    1,
                )
            });
        }
        let bytes = std::fs::read(&file).unwrap_or_else(|_| torture::as_obj(&model.surface));
        for index in 0..CORRUPTIONS_PER_FILE {
            let corruption = FILE_CORRUPTIONS[index % 2];
            take(CORRUPTIONS_PER_MODEL + index, &|| {
                torture_file(
                    &bytes,
                    Path::new(&name),
                    fineness(index + FILE_CORRUPTIONS.len() >= CORRUPTIONS_PER_FILE),
                    corruption,
                    index as u64,
                )
            });
        }
        for corruption in torture::ALL.into_iter().chain(FILE_CORRUPTIONS) {
            let tried: Vec<_> = outcomes.iter().filter(|(outcome, _)| outcome.corruption == corruption).collect();
            let meshes = tried.iter().filter(|(outcome, _)| matches!(outcome.result, Some(Ok(_)))).count();
            let panics = tried.iter().filter(|(outcome, _)| outcome.result.is_none()).count();
            let longest = tried.iter().map(|(_, time)| *time).max().unwrap_or_default();
            failed |= panics > 0 || longest > MAX_CPU_TIME;
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

/// CPU time of this process so far, which Linux counts in hundredths of a second.
fn processor_time() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // After the name in parentheses, user and system time are fields 14 and 15.
    let ticks = stat.rsplit(')').next()?.split_whitespace().skip(11).take(2).map(|word| word.parse::<u64>());
    Some(Duration::from_millis(10 * ticks.sum::<Result<u64, _>>().ok()?))
}
