//! Seeds of the fuzz targets (docs/fuzzing.md), tried as the fuzzer tries them. Bodies and worlds
//! are tried here, since scenes know all methods.

#[path = "../../../fuzz/src/body.rs"]
mod body;
#[path = "../../../fuzz/src/replay.rs"]
mod replay;
#[path = "../../../fuzz/src/scene.rs"]
mod scene;
#[path = "../../../fuzz/src/world.rs"]
mod world;

#[test]
fn seeds_of_scenes_are_read_or_refused() {
    replay::replay("scene", scene::try_bytes);
}

#[test]
fn seeds_of_worlds_move_or_are_refused() {
    replay::replay("world", world::try_bytes);
}

#[test]
fn damaged_bodies_and_worlds_move_or_are_refused() {
    replay::replay("body", body::try_bytes);
}
