//! A frame file: unchanged, with corrected length and checksum, and as the payload of a valid file.

use craze_frame::container::{self, Kind};
use craze_frame::{FRAME_VERSION, Hasher64, OLDEST_FRAME_VERSION, decode_frame, encode_frame};

/// Bytes of a file's header: the packed length is at 24, the checksum at 32 (docs/formats.md).
const HEADER_LENGTH: usize = 40;

/// Reads bytes as a frame in three ways, as a payload of every version; accepted if one of them is. An accepted frame must keep
/// every bit when written again.
pub fn try_bytes(bytes: &[u8]) -> Result<(), String> {
    let plain = try_file(bytes);
    let mended = mended(bytes).map_or(Err(String::new()), |file| try_file(&file));
    let of_version = |version| try_file(&container::encode(Kind::FRAME, version, bytes));
    let payloads = (OLDEST_FRAME_VERSION..=FRAME_VERSION).map(of_version);
    let payload = payloads.reduce(Result::or).unwrap_or(Err(String::new()));
    mended.or(payload).or(plain)
}

fn try_file(file: &[u8]) -> Result<(), String> {
    let frame = decode_frame(file).map_err(|error| error.to_string())?;
    frame.check().expect("only sound frames are read");
    let again = decode_frame(&encode_frame(&frame)).expect("what was read can be written and read");
    assert_eq!(again.state_hash(), frame.state_hash());
    Ok(())
}

/// The file with the correct length and checksum, which random bytes would never have.
pub fn mended(file: &[u8]) -> Option<Vec<u8>> {
    let packed_length = file.len().checked_sub(HEADER_LENGTH)?;
    let mut file = file.to_vec();
    file[24..32].copy_from_slice(&(packed_length as u64).to_le_bytes());
    let mut hasher = Hasher64::new();
    hasher.update(&file[..32]);
    hasher.update(&file[HEADER_LENGTH..]);
    file[32..HEADER_LENGTH].copy_from_slice(&hasher.finish().to_le_bytes());
    Some(file)
}
