//! Tries every committed seed of a target, in ordinary tests.

use std::fs;
use std::path::{Path, PathBuf};

/// Tries all seeds of a target. The name gives the expectation: `sound…` must be accepted, `bad…`
/// refused, all others must only not fail.
///
/// # Panics
/// If a seed contradicts its name, or there are none.
pub fn replay(target: &str, try_bytes: fn(&[u8]) -> Result<(), String>) {
    let seeds = seeds(target);
    assert!(seeds.len() > 3, "{target} has {} seeds", seeds.len());
    for path in seeds {
        // Shown if this seed makes the test fail by a panic.
        println!("{}", path.display());
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let outcome = try_bytes(&fs::read(&path).expect("readable"));
        match outcome {
            Ok(()) => assert!(!name.starts_with("bad"), "{name} was taken"),
            Err(reason) => {
                assert!(!name.starts_with("sound"), "{name} was refused: {reason}");
                assert!(!reason.is_empty(), "{name} was refused without a reason");
            }
        }
    }
}

fn seeds(target: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(target);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut seeds: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    seeds.sort();
    seeds
}
