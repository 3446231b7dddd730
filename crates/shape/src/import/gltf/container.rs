//! GLB container: a JSON chunk and an optional binary chunk.

use std::path::Path;

use crate::error::ShapeError;

/// Chunk types: "JSON" and "BIN\0".
const JSON: u32 = 0x4E4F_534A;
const BINARY: u32 = 0x004E_4942;

pub(super) struct Chunks<'b> {
    pub json: &'b [u8],
    pub binary: Option<&'b [u8]>,
}

pub(super) fn split<'b>(bytes: &'b [u8], path: &Path) -> Result<Chunks<'b>, ShapeError> {
    let bad = |byte: usize, problem: String| ShapeError::BadByte { path: path.to_owned(), byte, problem };
    let word = |offset: usize| {
        let found = bytes.get(offset..).and_then(|rest| rest.first_chunk::<4>());
        found.map(|word| u32::from_le_bytes(*word)).ok_or_else(|| bad(bytes.len(), "the file ends in a header".into()))
    };
    if !bytes.starts_with(b"glTF") {
        return Err(bad(0, "a GLB file begins with \"glTF\"".into()));
    }
    let version = word(4)?;
    if version != 2 {
        let (path, what) = (path.to_owned(), format!("version {version} of glTF"));
        return Err(ShapeError::UnsupportedFeature { path, what, help: "save it as glTF 2.0" });
    }
    let length = word(8)? as usize;
    if length > bytes.len() {
        return Err(bad(8, format!("the file should have {length} bytes, but has {}", bytes.len())));
    }
    let (mut json, mut binary) = (None, None);
    let mut offset = 12;
    while offset < length {
        let (size, kind) = (word(offset)? as usize, word(offset + 4)?);
        let start = offset + 8;
        let Some(chunk) = bytes[..length].get(start..).and_then(|rest| rest.get(..size)) else {
            let left = length.saturating_sub(start);
            return Err(bad(offset, format!("a chunk of {size} bytes begins, but only {left} are left")));
        };
        match kind {
            JSON if json.is_none() => json = Some(chunk),
            BINARY if binary.is_none() => binary = Some(chunk),
            _ => {}
        }
        offset = start + size;
    }
    let json = json.ok_or_else(|| bad(12, "the file has no JSON chunk".into()))?;
    Ok(Chunks { json, binary })
}
