//! Mutates the fuzz seeds of every model reader and checks what the fuzz targets check:
//! `cargo run --release -p craze-shape --example damage -- [--times=N] [--seconds=S] [READER …]`
//!
//! Unlike the fuzzer (docs/fuzzing.md) it ignores coverage, but needs no tools. Every input
//! is determined by its number; one that panics is written to the current folder.

use std::panic::catch_unwind;
use std::path::Path;
use std::time::{Duration, Instant};

use craze_math::Random;

#[path = "../../../fuzz/src/model.rs"]
mod model;
#[path = "../../../fuzz/src/tetrahedra.rs"]
mod tetrahedra;

type Reader = fn(&[u8]) -> Result<(), String>;

const READERS: [(&str, Reader); 9] = [
    ("obj", model::try_obj),
    ("stl", model::try_stl),
    ("ply", model::try_ply),
    ("off", model::try_off),
    ("gltf", model::try_gltf),
    ("gmsh", tetrahedra::try_gmsh),
    ("medit", tetrahedra::try_medit),
    ("vtu", tetrahedra::try_vtu),
    ("tetgen", tetrahedra::try_tetgen),
];
/// Largest seed (bytes). Longer ones are slow and are covered by the replay of seeds.
const MAX_SEED_BYTES: usize = 4096;

fn main() -> Result<std::process::ExitCode, Box<dyn std::error::Error>> {
    let number = |name: &str, otherwise: u64| {
        std::env::args().find_map(|argument| argument.strip_prefix(name)?.parse().ok()).unwrap_or(otherwise)
    };
    let (times, seconds) = (number("--times=", 1_000_000), Duration::from_secs(number("--seconds=", 300)));
    let names: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let mut failed = false;
    println!("{:8} {:>9} {:>9} {:>9} {:>7} {:>11}", "reader", "inputs", "read", "refused", "panics", "longest");
    for (name, read) in READERS.iter().filter(|(name, _)| names.is_empty() || names.iter().any(|one| one == name)) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(name);
        let mut paths =
            std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
        paths.sort();
        let mut seeds = paths.iter().map(std::fs::read).collect::<std::io::Result<Vec<_>>>()?;
        seeds.retain(|seed| !seed.is_empty() && seed.len() <= MAX_SEED_BYTES);
        let (mut done, mut read_ok, mut panics, mut longest) = (0, 0, 0, Duration::ZERO);
        let start = Instant::now();
        while done < times && start.elapsed() < seconds {
            let bytes = mutated(&seeds, done);
            let begun = Instant::now();
            match catch_unwind(|| read(&bytes)) {
                Ok(result) => read_ok += u64::from(result.is_ok()),
                Err(_) => {
                    panics += 1;
                    std::fs::write(format!("damage-{name}-{done}"), &bytes)?;
                }
            }
            longest = longest.max(begun.elapsed());
            done += 1;
        }
        failed |= panics > 0;
        let refused = done - read_ok - panics;
        println!("{name:8} {done:9} {read_ok:9} {refused:9} {panics:7} {longest:11.2?}");
    }
    Ok(std::process::ExitCode::from(u8::from(failed)))
}

/// A seed with some bytes, digits or pieces changed, repeated, removed or taken from another seed,
/// or truncated.
fn mutated(seeds: &[Vec<u8>], number: u64) -> Vec<u8> {
    let mut random = Random::new(number);
    let mut bytes = seeds[random.below(seeds.len())].clone();
    for _ in 0..1 + random.below(6) {
        let length = bytes.len();
        if length == 0 {
            break;
        }
        let place = random.below(length);
        let end = (place + 1 + random.below(40)).min(length);
        match random.below(9) {
            0 => bytes[place] = random.below(256) as u8,
            1 => bytes[place] ^= 1 << random.below(8),
            2 => bytes.truncate(place),
            3 => drop(bytes.drain(place..end)),
            4 => {
                let piece = bytes[place..end].to_vec();
                let at = random.below(length);
                bytes.splice(at..at, piece);
            }
            5 => {
                let other = &seeds[random.below(seeds.len())];
                let from = random.below(other.len());
                let piece = other[from..(from + 1 + random.below(60)).min(other.len())].to_vec();
                bytes.splice(place..end, piece);
            }
            6 => bytes[place..end].fill([0, 0x7f, 0x80, 0xff][random.below(4)]),
            // Digits are replaced by digits, so that the file parses with wrong numbers.
            _ => bytes[place..end].iter_mut().filter(|byte| byte.is_ascii_digit()).for_each(|byte| {
                *byte = b'0' + random.below(10) as u8;
            }),
        }
    }
    bytes
}
