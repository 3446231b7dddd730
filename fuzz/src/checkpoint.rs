//! A checkpoint file: unchanged, and as the payload of a valid file.

use craze_engine::Checkpoint;
use craze_frame::container::{self, Kind};

/// Version of the payload of checkpoints.
const VERSION: u16 = 1;

/// Reads bytes as a checkpoint in both ways; accepted if one of them is. An accepted checkpoint
/// must be written as bytes that read the same. The compression is shared with frames and tested by
/// their target.
pub fn try_bytes(bytes: &[u8]) -> Result<(), String> {
    let payload = try_file(&container::encode(Kind::CHECKPOINT, VERSION, bytes));
    let plain = try_file(bytes);
    payload.or(plain)
}

fn try_file(file: &[u8]) -> Result<(), String> {
    let checkpoint = Checkpoint::decode(file).map_err(|error| error.to_string())?;
    let written = checkpoint.encode().expect("what was read can be written");
    let again = Checkpoint::decode(&written).expect("what was written can be read");
    assert_eq!(again.encode().expect("what was read can be written"), written);
    Ok(())
}
