//! Seeds of the fuzz targets (docs/fuzzing.md), tried as the fuzzer tries them.

#[path = "../../../fuzz/src/checkpoint.rs"]
mod checkpoint;
#[path = "../../../fuzz/src/replay.rs"]
mod replay;

#[test]
fn seeds_of_checkpoints_are_read_or_refused() {
    replay::replay("checkpoint", checkpoint::try_bytes);
}
