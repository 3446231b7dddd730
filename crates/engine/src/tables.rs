//! The tables of a run, which grow by rows: stats.csv, events.jsonl and probes.csv.
//!
//! Their lengths are part of every checkpoint: a run that goes on cuts off what was written after it.

use crate::probe::Moment;
use crate::{Event, FolderError, SplitCounts, Stage, World};
use craze_frame::WriteError;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

const STATS: &str = "stats.csv";
const EVENTS: &str = "events.jsonl";
const PROBES: &str = "probes.csv";
const TABLES: [&str; 3] = [STATS, EVENTS, PROBES];

/// Lengths of the three tables (bytes).
pub(crate) type Lengths = [u64; 3];

/// Makes empty tables.
pub(crate) fn create(folder: &Path) -> Result<(), FolderError> {
    for table in TABLES {
        let path = folder.join(table);
        File::create(&path).map_err(|cause| WriteError::new(&path, cause))?;
    }
    Ok(())
}

/// Adds the present moment, with what happened and what was measured since the last; that is taken out of the world.
pub(crate) fn append(folder: &Path, world: &mut World) -> Result<(), FolderError> {
    let first = world.frame_number == 0;
    let mut stats = String::new();
    if first {
        stats.push_str(&stats_head());
    }
    stats.push_str(&stats_row(world));
    append_text(&folder.join(STATS), &stats)?;

    append_events(folder, &world.events)?;
    world.events.clear();

    let mut probes = String::new();
    if first && !world.probes.is_empty() {
        // Nothing has stepped yet: the first row is the initial state.
        world.sample_probes(Moment::FrameEnd);
        let columns: Vec<String> = world.probes.iter().flat_map(|probe| probe.columns()).collect();
        probes.push_str(&format!("time_s,{}\n", columns.join(",")));
    }
    for sample in world.samples.drain(..) {
        let values = sample.values.iter().map(|value| value.map_or(String::new(), number));
        probes.push_str(&format!("{},{}\n", number(sample.time), values.collect::<Vec<_>>().join(",")));
    }
    append_text(&folder.join(PROBES), &probes)
}

/// Appends events to their table.
pub(crate) fn append_events(folder: &Path, events: &[Event]) -> Result<(), FolderError> {
    let mut lines = String::new();
    for event in events {
        // An event is made of numbers and text: it always has a JSON form.
        lines.push_str(&serde_json::to_string(event).unwrap_or_default());
        lines.push('\n');
    }
    append_text(&folder.join(EVENTS), &lines)
}

/// How long the tables are, once all of them has reached the disk: no checkpoint may count on rows that a power failure takes away.
pub(crate) fn lengths(folder: &Path) -> Result<Lengths, FolderError> {
    let mut lengths = [0; 3];
    for (length, table) in lengths.iter_mut().zip(TABLES) {
        let path = folder.join(table);
        let measure = || -> io::Result<u64> {
            let file = File::open(&path)?;
            file.sync_all()?;
            Ok(file.metadata()?.len())
        };
        *length = measure().map_err(|cause| FolderError::Io { action: "read", path: path.clone(), cause })?;
    }
    Ok(lengths)
}

/// The first table that lacks rows which a checkpoint counts on, in words.
pub(crate) fn missing_rows(folder: &Path, lengths: &Lengths) -> Option<String> {
    lengths.iter().zip(TABLES).find_map(|(expected, table)| match folder.join(table).metadata() {
        Ok(metadata) if metadata.len() >= *expected => None,
        Ok(metadata) => Some(format!("{table} has {} bytes where it counts on {expected}", metadata.len())),
        Err(error) => Some(format!("{table} cannot be read: {error}")),
    })
}

/// Cuts off what is beyond these lengths.
pub(crate) fn cut(folder: &Path, lengths: &Lengths) -> Result<(), FolderError> {
    for (length, table) in lengths.iter().zip(TABLES) {
        let path = folder.join(table);
        let cut = || OpenOptions::new().write(true).open(&path)?.set_len(*length);
        cut().map_err(|cause| FolderError::Io { action: "cut", path: path.clone(), cause })?;
    }
    Ok(())
}

/// Adds a text to a file, or leaves the file as it was.
fn append_text(path: &Path, text: &str) -> Result<(), FolderError> {
    let append = || -> io::Result<()> {
        let mut file = OpenOptions::new().append(true).create(true).open(path)?;
        let length = file.metadata()?.len();
        file.write_all(text.as_bytes()).inspect_err(|_| {
            // Half a row would mislead whoever reads the table; the first failure is the one to report.
            let _ = file.set_len(length);
        })
    };
    append().map_err(|cause| WriteError::new(path, cause).into())
}

fn stats_head() -> String {
    let stages: Vec<String> = Stage::ALL.iter().map(|stage| format!("{}_s", stage.name())).collect();
    format!(
        "frame,time_s,time_step_s,steps,retries,mass_kg,volume_m3,momentum_x,momentum_y,momentum_z,\
         angular_momentum_x,angular_momentum_y,angular_momentum_z,kinetic_J,elastic_J,potential_J,work_J,\
         elements,nodes,pieces,large_pieces,splits,bent_splits,refused_splits,steps_over_budget,crack_area_m2,bent_share,{}\n",
        stages.join(",")
    )
}

fn stats_row(world: &World) -> String {
    let account = world.account();
    let (momentum, spin) = (account.momentum, account.angular_momentum);
    let counters = &world.counters;
    let mut cells = vec![world.frame_number.to_string(), number(world.time), number(world.last_time_step)];
    cells.extend([counters.steps, counters.retries].map(|count| count.to_string()));
    cells.extend([account.mass, account.volume].map(number));
    cells.extend([momentum.x, momentum.y, momentum.z, spin.x, spin.y, spin.z].map(number));
    cells.extend([account.kinetic, account.elastic, account.potential, account.work].map(number));
    cells
        .extend([account.elements, account.nodes, account.pieces, account.large_pieces].map(|count| count.to_string()));
    let counts = account.split_counts;
    let SplitCounts { splits, bent, refused, over_budget, area, .. } = counts;
    cells.extend([splits, bent, refused, over_budget].map(|count| count.to_string()));
    cells.extend([area, counts.bent_share()].map(number));
    cells.extend(Stage::ALL.iter().map(|stage| format!("{:.6}", counters.spent(*stage).as_secs_f64())));
    cells.join(",") + "\n"
}

/// A number with all its digits, and with an exponent where it is tiny or huge.
fn number(value: f64) -> String {
    // Zero has no sign that a reader of tables cares about.
    if value == 0.0 { "0".to_owned() } else { format!("{value:?}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_every_digit_and_stay_short() {
        for value in [0.1 + 0.2, 1e-25, -3.5e300, 1.0, f64::MIN_POSITIVE] {
            let text = number(value);
            assert!(text.len() < 26, "{text}");
            assert_eq!(text.parse(), Ok(value));
        }
        assert_eq!(number(-0.0), "0");
    }

    #[test]
    fn what_cannot_be_added_leaves_the_table_alone() {
        let home = tempfile::tempdir().expect("a folder");
        let error = append_text(&home.path().join("none").join(STATS), "row\n").expect_err("no folder");
        assert!(error.to_string().contains(STATS), "{error}");
        create(home.path()).expect("writable");
        append_text(&home.path().join(STATS), "row\n").expect("writable");
        append_text(&home.path().join(STATS), "another\n").expect("writable");
        assert_eq!(lengths(home.path()).expect("readable"), [12, 0, 0]);
        assert_eq!(missing_rows(home.path(), &[12, 0, 0]), None);
        assert!(missing_rows(home.path(), &[13, 0, 0]).is_some_and(|words| words.contains("12 bytes")));
        cut(home.path(), &[4, 0, 0]).expect("writable");
        assert_eq!(std::fs::read_to_string(home.path().join(STATS)).expect("text"), "row\n");
    }
}
