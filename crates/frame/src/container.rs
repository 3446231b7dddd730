//! Binary file container: a header that identifies the file, and a checked, compressed payload.
//!
//! Frames and checkpoints differ in their [`Kind`], version and payload. `docs/formats.md`
//! describes the bytes. Announced lengths are not trusted: memory grows with the decompressed
//! payload, and the checksum is verified before decompression.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::atomic::{WriteError, atomic_write_parts};
use crate::block;
use crate::hash::Hasher64;

/// First bytes of every file. The byte above 127 and the line ends reveal transfers in text mode.
const MAGIC: [u8; 8] = *b"\x89CRAZE\r\n";

/// Version of the container; the payload has its own.
const CONTAINER_VERSION: u16 = 1;

/// Length of the header (bytes).
const HEADER_LENGTH: usize = 40;

/// Offset of the checksum in the header (bytes); it covers all other bytes of the file.
const CHECKSUM_OFFSET: usize = 32;

/// Kind of payload: four letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind(pub [u8; 4]);

impl Kind {
    /// A frame, see [`crate::read`].
    pub const FRAME: Kind = Kind(*b"FRAM");
    /// A checkpoint of the engine.
    pub const CHECKPOINT: Kind = Kind(*b"CHKP");
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Kind::FRAME => formatter.write_str("frame"),
            Kind::CHECKPOINT => formatter.write_str("checkpoint"),
            Kind(letters) => write!(formatter, "'{}'", letters.escape_ascii()),
        }
    }
}

/// Why bytes are not a readable file of this kind.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ContainerError {
    /// Not a Craze file.
    #[error("this is not a Craze file; expected a {expected} that Craze wrote")]
    Foreign {
        /// Kind expected.
        expected: Kind,
    },
    /// Another kind of Craze file.
    #[error("this is a Craze {found}, not a {expected}; choose a {expected} file")]
    WrongKind {
        /// Kind expected.
        expected: Kind,
        /// Kind found.
        found: Kind,
    },
    /// Written by a later version.
    #[error("the file has format version {found}, this program reads up to {supported}; open it with a newer Craze")]
    Newer {
        /// Version of the file.
        found: u16,
        /// Newest version that this program reads.
        supported: u16,
    },
    /// Written by an earlier version that is no longer read.
    #[error("the file has format version {found}, this program reads {supported}; make it again with this Craze")]
    Older {
        /// Version of the file.
        found: u16,
        /// Version that this program reads.
        supported: u16,
    },
    /// The file is truncated.
    #[error(
        "the file is truncated: it has {found} of {expected} bytes, so it was not copied or written completely; copy or make it again"
    )]
    Truncated {
        /// Expected length (bytes).
        expected: u64,
        /// Actual length (bytes).
        found: u64,
    },
    /// The file is longer than announced.
    #[error("the file has {found} bytes instead of {expected}, so something was appended; copy or make it again")]
    TooLong {
        /// Expected length (bytes).
        expected: u64,
        /// Actual length (bytes).
        found: u64,
    },
    /// The checksum does not match.
    #[error("the file is damaged: its checksum is {found:016x} instead of {expected:016x}; copy or make it again")]
    Damaged {
        /// Checksum in the header.
        expected: u64,
        /// Checksum of the content.
        found: u64,
    },
    /// The checksum matches but the payload is malformed: the file was not written by Craze.
    #[error("the file is inconsistent: {reason} at byte {offset} of its payload; make it again")]
    Malformed {
        /// Bytes decompressed so far.
        offset: u64,
        /// The inconsistency.
        reason: &'static str,
    },
    /// The payload exceeds the available memory.
    #[error("the payload of {bytes} bytes does not fit into memory; open it on a larger machine")]
    OutOfMemory {
        /// Announced length (bytes).
        bytes: u64,
    },
}

/// Why a file could not be opened.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ContainerFileError {
    /// The file could not be read.
    #[error("cannot read {}: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        #[source]
        cause: io::Error,
    },
    /// The content is not valid.
    #[error("cannot open {}: {cause}", path.display())]
    Contents {
        /// The file.
        path: PathBuf,
        /// The error.
        #[source]
        cause: ContainerError,
    },
}

struct Header {
    version: u16,
    payload_length: u64,
    packed_length: u64,
    checksum: u64,
}

impl Header {
    /// Length of the file (bytes).
    fn file_length(&self) -> u64 {
        self.packed_length.saturating_add(HEADER_LENGTH as u64)
    }

    fn to_bytes(&self, kind: Kind) -> [u8; HEADER_LENGTH] {
        let mut bytes = [0; HEADER_LENGTH];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..10].copy_from_slice(&CONTAINER_VERSION.to_le_bytes());
        bytes[10..12].copy_from_slice(&self.version.to_le_bytes());
        bytes[12..16].copy_from_slice(&kind.0);
        bytes[16..24].copy_from_slice(&self.payload_length.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.packed_length.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.checksum.to_le_bytes());
        bytes
    }

    /// Parses the start of a file of `file_length` bytes. Kind and version are checked before the
    /// length, since their errors are more helpful.
    fn parse(start: &[u8], file_length: u64, expected: Kind) -> Result<Self, ContainerError> {
        let magic_there = start.len().min(MAGIC.len());
        if start.is_empty() || start[..magic_there] != MAGIC[..magic_there] {
            return Err(ContainerError::Foreign { expected });
        }
        let Some(bytes) = start.first_chunk::<HEADER_LENGTH>() else {
            return Err(ContainerError::Truncated { expected: HEADER_LENGTH as u64, found: file_length });
        };
        let u16_at = |offset: usize| u16::from_le_bytes([bytes[offset], bytes[offset + 1]]);
        let u64_at = |offset: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&bytes[offset..offset + 8]);
            u64::from_le_bytes(word)
        };
        let container_version = u16_at(8);
        if container_version > CONTAINER_VERSION {
            return Err(ContainerError::Newer { found: container_version, supported: CONTAINER_VERSION });
        }
        let found = Kind([bytes[12], bytes[13], bytes[14], bytes[15]]);
        if found != expected {
            return Err(ContainerError::WrongKind { expected, found });
        }
        let header = Header {
            version: u16_at(10),
            payload_length: u64_at(16),
            packed_length: u64_at(24),
            checksum: u64_at(CHECKSUM_OFFSET),
        };
        let expected = header.file_length();
        match file_length.cmp(&expected) {
            std::cmp::Ordering::Less => Err(ContainerError::Truncated { expected, found: file_length }),
            std::cmp::Ordering::Greater => Err(ContainerError::TooLong { expected, found: file_length }),
            std::cmp::Ordering::Equal => Ok(header),
        }
    }
}

/// Checksum of the header up to the checksum, and of everything after it.
fn checksum(header: &[u8], packed: &[u8]) -> u64 {
    let mut hasher = Hasher64::new();
    hasher.update(&header[..CHECKSUM_OFFSET]);
    hasher.update(packed);
    hasher.finish()
}

/// Header and compressed payload.
fn pack(kind: Kind, version: u16, payload: &[u8]) -> ([u8; HEADER_LENGTH], Vec<u8>) {
    let packed = block::pack(payload);
    let mut header =
        Header { version, payload_length: payload.len() as u64, packed_length: packed.len() as u64, checksum: 0 };
    header.checksum = checksum(&header.to_bytes(kind), &packed);
    (header.to_bytes(kind), packed)
}

/// Encodes a file.
pub fn encode(kind: Kind, version: u16, payload: &[u8]) -> Vec<u8> {
    let (header, packed) = pack(kind, version, payload);
    [&header[..], &packed].concat()
}

/// Decodes a file: version of the payload, and payload.
pub fn decode(bytes: &[u8], kind: Kind) -> Result<(u16, Vec<u8>), ContainerError> {
    let header = Header::parse(bytes, bytes.len() as u64, kind)?;
    let (start, packed) = bytes.split_at(HEADER_LENGTH);
    unpack(&header, start, packed)
}

fn unpack(header: &Header, start: &[u8], packed: &[u8]) -> Result<(u16, Vec<u8>), ContainerError> {
    let found = checksum(start, packed);
    if found != header.checksum {
        return Err(ContainerError::Damaged { expected: header.checksum, found });
    }
    Ok((header.version, block::unpack(packed, header.payload_length)?))
}

/// Writes a file atomically, see [`crate::atomic_write`].
pub fn write(path: &Path, kind: Kind, version: u16, payload: &[u8]) -> Result<(), WriteError> {
    let (header, packed) = pack(kind, version, payload);
    atomic_write_parts(path, &[&header, &packed])
}

/// Reads version and payload. A file of another kind is recognised by its first bytes, however
/// large it is.
pub fn read(path: &Path, kind: Kind) -> Result<(u16, Vec<u8>), ContainerFileError> {
    let read_error = |cause| ContainerFileError::Read { path: path.to_owned(), cause };
    let contents_error = |cause| ContainerFileError::Contents { path: path.to_owned(), cause };

    let mut file = File::open(path).map_err(read_error)?;
    let metadata = file.metadata().map_err(read_error)?;
    if metadata.is_dir() {
        return Err(read_error(io::Error::from(io::ErrorKind::IsADirectory)));
    }
    let mut start = Vec::with_capacity(HEADER_LENGTH);
    file.by_ref().take(HEADER_LENGTH as u64).read_to_end(&mut start).map_err(read_error)?;
    let header = Header::parse(&start, metadata.len(), kind).map_err(contents_error)?;
    let mut packed = Vec::new();
    file.take(header.packed_length).read_to_end(&mut packed).map_err(read_error)?;
    if packed.len() as u64 != header.packed_length {
        // The file was truncated while it was read.
        let found = (HEADER_LENGTH + packed.len()) as u64;
        return Err(contents_error(ContainerError::Truncated { expected: header.file_length(), found }));
    }
    unpack(&header, &start, &packed).map_err(contents_error)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAYLOAD: &[u8] = b"some payload, some payload, some payload, and the rest";

    #[test]
    fn what_is_encoded_is_decoded() {
        let bytes = encode(Kind::CHECKPOINT, 3, PAYLOAD);
        assert_eq!(decode(&bytes, Kind::CHECKPOINT), Ok((3, PAYLOAD.to_vec())));
    }

    #[test]
    fn what_is_written_is_read_and_is_what_is_encoded() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        write(&path, Kind::CHECKPOINT, 3, PAYLOAD).unwrap();
        assert_eq!(read(&path, Kind::CHECKPOINT).unwrap(), (3, PAYLOAD.to_vec()));
        assert_eq!(std::fs::read(&path).unwrap(), encode(Kind::CHECKPOINT, 3, PAYLOAD));
    }

    #[test]
    fn every_truncation_is_named_as_one() {
        let bytes = encode(Kind::FRAME, 1, PAYLOAD);
        for length in 1..bytes.len() {
            let error = decode(&bytes[..length], Kind::FRAME).unwrap_err();
            assert!(matches!(error, ContainerError::Truncated { found, .. } if found == length as u64), "{error}");
        }
        assert!(matches!(decode(&[], Kind::FRAME), Err(ContainerError::Foreign { .. })));
    }

    #[test]
    fn every_changed_byte_is_an_error() {
        let bytes = encode(Kind::FRAME, 1, PAYLOAD);
        for position in 0..bytes.len() {
            for change in 1..=255 {
                let mut changed = bytes.clone();
                changed[position] ^= change;
                let error = decode(&changed, Kind::FRAME).unwrap_err();
                if position >= CHECKSUM_OFFSET {
                    assert!(matches!(error, ContainerError::Damaged { .. }), "byte {position}: {error}");
                }
            }
        }
    }

    #[test]
    fn appended_bytes_are_named() {
        let mut bytes = encode(Kind::FRAME, 1, PAYLOAD);
        bytes.push(b'\n');
        assert!(matches!(decode(&bytes, Kind::FRAME), Err(ContainerError::TooLong { .. })));
    }

    #[test]
    fn another_kind_and_a_newer_container_are_named() {
        let mut bytes = encode(Kind(*b"CAKE"), 1, PAYLOAD);
        let error = decode(&bytes, Kind::FRAME).unwrap_err();
        assert_eq!(error.to_string(), "this is a Craze 'CAKE', not a frame; choose a frame file");
        bytes[8] = 2;
        let error = decode(&bytes, Kind::FRAME).unwrap_err();
        assert_eq!(error, ContainerError::Newer { found: 2, supported: 1 });
    }

    #[test]
    fn an_endless_foreign_file_is_recognised_by_its_start() {
        if cfg!(target_os = "linux") {
            let error = read(Path::new("/dev/zero"), Kind::FRAME).unwrap_err().to_string();
            assert!(error.contains("/dev/zero") && error.contains("not a Craze file"), "{error}");
        }
    }

    /// The bytes of docs/formats.md: future versions must open today's files.
    #[test]
    fn the_header_is_as_documented() {
        let bytes = encode(Kind::FRAME, 258, &[]);
        assert_eq!(&bytes[..16], b"\x89CRAZE\r\n\x01\x00\x02\x01FRAM");
        assert_eq!(&bytes[16..32], &[0; 16]);
        assert_eq!(bytes.len(), HEADER_LENGTH);
        assert_eq!(bytes[32..], checksum(&bytes, &[]).to_le_bytes());
    }
}
