//! Replays the seeds of the fuzz targets (docs/fuzzing.md).

#[path = "../../../fuzz/src/frame.rs"]
mod frame;
#[path = "../../../fuzz/src/replay.rs"]
mod replay;

#[test]
fn seeds_of_frame_files_are_read_or_refused() {
    replay::replay("frame", frame::try_bytes);
}
