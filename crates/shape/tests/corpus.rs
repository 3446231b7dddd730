//! Seeds of the fuzz targets (docs/fuzzing.md), tried as the fuzzer tries them.

#[path = "../../../fuzz/src/model.rs"]
mod model;
#[path = "../../../fuzz/src/replay.rs"]
mod replay;

#[test]
fn seeds_of_obj_files_are_read_or_refused() {
    replay::replay("obj", model::try_obj);
}
