//! The native, lossless file of a frame: a [`container`](crate::container) with postcard encoding.

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::atomic::WriteError;
use crate::check::InvalidFrame;
use crate::container::{self, ContainerError, ContainerFileError, Kind};
use crate::hash::hash64;
use crate::model::{Frame, ObstacleShape, Surface};
use crate::thick::ThickError;
use crate::version3;

/// Version of the payload of frame files. Version 3 added looks of bodies; version 4 is frame
/// format 2: attributes of corners, pairs and tensors, sheets, lines, material slots and topology
/// marks.
pub const FRAME_VERSION: u16 = 4;

/// Oldest version that is read.
pub const OLDEST_FRAME_VERSION: u16 = version3::VERSION;

/// Why bytes are not a valid frame.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FrameError {
    /// The container is not valid.
    #[error(transparent)]
    Container(#[from] ContainerError),
    /// The checksum matches but the payload is not a frame: the file was not written by Craze.
    #[error("the file contains no frame ({reason}); make it again")]
    Malformed {
        /// The inconsistency.
        reason: String,
    },
    /// The frame is inconsistent.
    #[error("the frame is not consistent: {0}")]
    Invalid(#[from] InvalidFrame),
    /// A sheet has no closed thick surface.
    #[error("the sheet of {owner} has no closed surface: {cause}")]
    Sheet {
        /// Body or obstacle.
        owner: String,
        /// The reason.
        #[source]
        cause: ThickError,
    },
}

/// Why a frame file could not be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FrameFileError {
    /// The file could not be read.
    #[error("cannot read {}: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        #[source]
        cause: std::io::Error,
    },
    /// The content is not a frame.
    #[error("cannot open {}: {cause}", path.display())]
    Contents {
        /// The file.
        path: PathBuf,
        /// The error.
        #[source]
        cause: FrameError,
    },
    /// The frame to be written is inconsistent; nothing was written.
    #[error("will not write {}: the frame is not consistent: {cause}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The inconsistency.
        #[source]
        cause: InvalidFrame,
    },
    /// The file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Checks a frame and writes it atomically.
pub fn write(path: &Path, frame: &Frame) -> Result<(), FrameFileError> {
    frame.check().map_err(|cause| FrameFileError::Invalid { path: path.to_owned(), cause })?;
    Ok(container::write(path, Kind::FRAME, FRAME_VERSION, &payload(frame))?)
}

/// Reads and checks a frame, see [`Frame::check`].
pub fn read(path: &Path) -> Result<Frame, FrameFileError> {
    let contents_error = |cause| FrameFileError::Contents { path: path.to_owned(), cause };
    let (version, payload) = container::read(path, Kind::FRAME).map_err(|error| match error {
        ContainerFileError::Read { path, cause } => FrameFileError::Read { path, cause },
        ContainerFileError::Contents { path, cause } => FrameFileError::Contents { path, cause: cause.into() },
    })?;
    from_payload(version, &payload).map_err(contents_error)
}

/// Reads and checks a frame, and replaces its sheets by closed surfaces, see [`Frame::thickened`].
pub fn read_thick(path: &Path) -> Result<Frame, FrameFileError> {
    read(path)?.thickened().map_err(|cause| FrameFileError::Contents { path: path.to_owned(), cause })
}

/// Encodes a frame file.
pub fn encode_frame(frame: &Frame) -> Vec<u8> {
    container::encode(Kind::FRAME, FRAME_VERSION, &payload(frame))
}

/// Decodes a frame file from any bytes, as [`read`] does.
pub fn decode_frame(bytes: &[u8]) -> Result<Frame, FrameError> {
    let (version, payload) = container::decode(bytes, Kind::FRAME)?;
    from_payload(version, &payload)
}

fn payload(frame: &Frame) -> Vec<u8> {
    // Postcard can encode all types of a frame.
    postcard::to_stdvec(frame).expect("a frame can be encoded")
}

fn from_payload(version: u16, payload: &[u8]) -> Result<Frame, FrameError> {
    if version > FRAME_VERSION {
        return Err(ContainerError::Newer { found: version, supported: FRAME_VERSION }.into());
    }
    if version < OLDEST_FRAME_VERSION {
        return Err(ContainerError::Older { found: version, supported: FRAME_VERSION }.into());
    }
    // Serde reserves at most 1 MiB for an announced length, so a corrupt length cannot exhaust
    // memory.
    let decoded = if version == version3::VERSION {
        postcard::take_from_bytes::<version3::Frame>(payload).map(|(frame, rest)| (Frame::from(frame), rest))
    } else {
        postcard::take_from_bytes::<Frame>(payload)
    };
    let (frame, rest) = decoded.map_err(|error| FrameError::Malformed { reason: error.to_string() })?;
    if !rest.is_empty() {
        return Err(FrameError::Malformed { reason: format!("{} bytes follow it", rest.len()) });
    }
    frame.check()?;
    Ok(frame)
}

impl Frame {
    /// The frame with the closed [thick surface](crate::Surface::thick) of every sheet in place of
    /// the sheet. Other surfaces are unchanged.
    pub fn thickened(mut self) -> Result<Frame, FrameError> {
        let thicken = |surface: &mut Surface, owner: String| {
            if surface.sheet.is_some() {
                *surface = surface.thick().map_err(|cause| FrameError::Sheet { owner, cause })?;
            }
            Ok::<(), FrameError>(())
        };
        for body in &mut self.bodies {
            thicken(&mut body.surface, format!("body '{}'", body.name))?;
        }
        for obstacle in &mut self.obstacles {
            if let ObstacleShape::Surface(surface) = &mut obstacle.shape {
                thicken(surface, format!("obstacle '{}'", obstacle.name))?;
            }
        }
        Ok(self)
    }

    /// Bitwise hash of the whole frame: equal if and only if the payloads are, up to collisions of
    /// probability 2⁻⁶⁴.
    pub fn state_hash(&self) -> u64 {
        hash64(&payload(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::frame_of_everything;

    fn refusal(bytes: &[u8]) -> String {
        decode_frame(bytes).expect_err("these bytes are no frame").to_string()
    }

    /// A payload with a valid header and checksum that Craze would not write.
    fn forged(payload: &[u8]) -> Vec<u8> {
        container::encode(Kind::FRAME, FRAME_VERSION, payload)
    }

    #[test]
    fn a_written_frame_reads_back_bit_for_bit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("0007.craze");
        let frame = frame_of_everything();
        write(&path, &frame).unwrap();
        let again = read(&path).unwrap();
        assert_eq!(encode_frame(&again), encode_frame(&frame));
        assert_eq!(again.state_hash(), frame.state_hash());
    }

    #[test]
    fn an_inconsistent_frame_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("0007.craze");
        let mut frame = frame_of_everything();
        frame.bodies[0].surface.triangles[0][0] = 8;
        let message = write(&path, &frame).unwrap_err().to_string();
        assert!(message.contains("0007.craze") && message.contains("triangle 0 uses vertex 8"), "{message}");
        assert!(!path.exists());
    }

    #[test]
    fn an_inconsistent_frame_is_not_read() {
        let mut frame = frame_of_everything();
        frame.time = f64::NAN;
        assert!(refusal(&encode_frame(&frame)).contains("the frame's time is NaN"));
    }

    #[test]
    fn reading_names_the_file_and_the_cause() {
        let folder = tempfile::tempdir().unwrap();
        let missing = read(&folder.path().join("0001.craze")).unwrap_err();
        assert!(matches!(missing, FrameFileError::Read { .. }), "{missing}");
        assert!(missing.to_string().contains("0001.craze"), "{missing}");
        let directory = read(folder.path()).unwrap_err();
        assert!(matches!(directory, FrameFileError::Read { .. }), "{directory}");
        let picture = folder.path().join("preview.png");
        std::fs::write(&picture, b"\x89PNG\r\n\x1a\n and so on").unwrap();
        let foreign = read(&picture).unwrap_err().to_string();
        assert!(foreign.contains("preview.png") && foreign.contains("not a Craze file"), "{foreign}");
    }

    #[test]
    fn a_newer_payload_is_named() {
        let newer = container::encode(Kind::FRAME, FRAME_VERSION + 1, b"");
        assert!(refusal(&newer).contains("newer Craze"));
    }

    #[test]
    fn a_checkpoint_is_not_a_frame() {
        let checkpoint = container::encode(Kind::CHECKPOINT, FRAME_VERSION, &payload(&frame_of_everything()));
        assert_eq!(refusal(&checkpoint), "this is a Craze checkpoint, not a frame; choose a frame file");
    }

    #[test]
    fn announced_elements_that_are_not_there_take_no_memory() {
        // number 0, time 0, then 2⁶⁰ bodies.
        let mut payload = vec![0; 9];
        payload.extend([0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10]);
        assert!(refusal(&forged(&payload)).contains("contains no frame"));
        // One body whose name announces 2⁶⁰ letters.
        payload.insert(9, 1);
        assert!(refusal(&forged(&payload)).contains("contains no frame"));
    }

    #[test]
    fn the_topology_mark_follows_connectivity_and_nothing_else() {
        let marked = |change: fn(&mut crate::model::BodyFrame)| {
            let mut body = frame_of_everything().bodies[0].clone();
            change(&mut body);
            body.mark_topology();
            body
        };
        let body = marked(|_| ());
        assert!(!marked(|body| body.surface.positions[3].x += 1.0).topology_changed(&body));
        assert!(marked(|body| body.surface.triangles[0].swap(0, 1)).topology_changed(&body));
        assert!(marked(|body| body.surface.positions.push(Default::default())).topology_changed(&body));
        assert!(marked(|body| body.surface.lines.clear()).topology_changed(&body));
        assert!(marked(|body| body.volume.as_mut().unwrap().tetrahedra.truncate(1)).topology_changed(&body));
        let mut unmarked = body.clone();
        unmarked.topology = 0;
        assert!(unmarked.topology_changed(&unmarked.clone()));
    }

    #[test]
    fn bytes_after_the_frame_are_refused() {
        let mut payload = payload(&frame_of_everything());
        payload.push(0);
        assert!(refusal(&forged(&payload)).contains("1 bytes follow it"));
    }

    #[test]
    fn every_bit_of_the_state_counts_in_its_hash() {
        let frame = frame_of_everything();
        let changed = |change: fn(&mut Frame)| {
            let mut frame = frame.clone();
            change(&mut frame);
            frame.state_hash()
        };
        let hashes = [
            frame.state_hash(),
            changed(|frame| frame.time = frame.time.next_up()),
            changed(|frame| frame.bodies[0].surface.positions[0].x = -0.0),
            changed(|frame| frame.bodies[0].pieces[0].parent = None),
            changed(|frame| frame.bodies[0].name.push(' ')),
            changed(|frame| frame.obstacles.truncate(1)),
        ];
        for (index, hash) in hashes.iter().enumerate() {
            assert!(!hashes[..index].contains(hash), "change {index}");
        }
    }
}
