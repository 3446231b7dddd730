//! Truncated or mutated files are read or refused, never a panic.

use craze_shape::{Model, ShapeError};
use proptest::prelude::*;

use crate::write::{Numbers, Sample, Storage, Vtu, gmsh, medit, tetgen, vtu};
use crate::{check_invariants, parse};

/// A small file of every kind with its name.
fn samples() -> Vec<(&'static str, Vec<u8>)> {
    let cube = Sample::cube();
    let mut samples = Vec::new();
    for version in ["2.2", "4.0", "4.1"] {
        for numbers in [Numbers::Text, Numbers::Little, Numbers::Big] {
            samples.push(("cube.msh", gmsh(&cube, version, numbers)));
        }
    }
    samples.push(("cube.mesh", medit(&cube, 2, Numbers::Text)));
    for version in 1..=4 {
        samples.push(("cube.meshb", medit(&cube, version, Numbers::Little)));
    }
    for storage in [Storage::Text, Storage::Inline { head_alone: false }, Storage::Raw, Storage::AppendedBase64] {
        for block in [None, Some(40)] {
            samples.push(("cube.vtu", vtu(&cube, Vtu { storage, has_long_heads: false, is_big: false, block })));
        }
    }
    let (nodes, elements) = tetgen(&cube, 1);
    samples.push(("cube.node", [nodes, elements].join(&0)));
    samples
}

/// Reads a sample; the two TetGen files are concatenated with a zero between them.
fn try_bytes(bytes: &[u8], name: &str) -> Result<Model, ShapeError> {
    let outcome = if name.ends_with(".node") {
        let zero = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
        crate::tetgen::parse_pair(&bytes[..zero], bytes.get(zero + 1..).unwrap_or_default())
    } else {
        parse(bytes, name)
    };
    match &outcome {
        Ok(model) => check_invariants(model),
        Err(error) => assert!(error.to_string().contains('.'), "{error} names no file"),
    }
    outcome
}

#[test]
fn files_cut_at_any_byte_are_refused_until_all_cells_are_there() {
    for (name, bytes) in samples() {
        let whole = try_bytes(&bytes, name).unwrap_or_else(|error| panic!("{name}: {error}"));
        for length in 0..bytes.len() {
            let outcome = try_bytes(&bytes[..length], name);
            if let (Ok(model), Some(volume)) = (outcome, &whole.volume) {
                let found = model.volume.map_or(0, |volume| volume.tetrahedra.len());
                assert!(
                    found == volume.tetrahedra.len() || name != "cube.msh",
                    "{name}: {found} of a file cut at {length}"
                );
                assert!(length * 2 > bytes.len(), "{name} was taken with {length} of {} bytes", bytes.len());
            }
        }
    }
}

/// A change to a file: position (share of its length), inserted bytes, and number of replaced
/// bytes.
type Change = (f64, Vec<u8>, usize);

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let words = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..8),
        proptest::sample::select(vec!["-1", "0", "nan", "1e300", "99999999999", "\n", "$End", "<", "\"", "#", "=="])
            .prop_map(|word| word.as_bytes().to_vec()),
    ];
    proptest::collection::vec((0.0..1.0, words, 0usize..12), 1..4)
}

fn apply(mut bytes: Vec<u8>, changes: &[Change]) -> Vec<u8> {
    for (place, new, replaced) in changes {
        let start = (place * bytes.len() as f64) as usize;
        let end = (start + replaced).min(bytes.len());
        bytes.splice(start..end, new.iter().copied());
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn changed_files_are_read_or_refused(changes in changes()) {
        for (name, bytes) in samples() {
            let _ = try_bytes(&apply(bytes, &changes), name);
        }
    }
}
