//! Exported files are read by the tests' own readers and compared with the frame.

mod certificate;
mod glb;
mod looks;
mod obj;
mod ply;
mod sample;
mod sequence;
mod shards;
mod sheets;
mod stl;
mod transferred_attributes;
mod vtk;

use std::path::Path;

use craze_export::{Format, Report, export_sequence};
use craze_frame::Frame;
use craze_math::Vec3;

/// Exports one frame into a temporary folder.
fn exported(frame: Frame, format: Format) -> (tempfile::TempDir, Report) {
    let folder = tempfile::tempdir().unwrap();
    let report = export_sequence([Ok(frame)], &[], format, folder.path(), "scene").unwrap();
    (folder, report)
}

fn bytes_of(folder: &Path, name: &str) -> Vec<u8> {
    std::fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn text_of(folder: &Path, name: &str) -> String {
    String::from_utf8(bytes_of(folder, name)).unwrap()
}

/// Volume (m³) enclosed by triangles, by the divergence theorem.
fn volume_inside(triangles: impl IntoIterator<Item = [Vec3; 3]>) -> f64 {
    triangles.into_iter().map(|[a, b, c]| a.dot(&b.cross(&c)) / 6.0).sum()
}

/// Reads numbers from bytes.
struct Reader<'bytes>(&'bytes [u8]);

impl Reader<'_> {
    fn take<const COUNT: usize>(&mut self) -> [u8; COUNT] {
        let (taken, rest) = self.0.split_first_chunk::<COUNT>().expect("bytes are missing");
        self.0 = rest;
        *taken
    }

    fn u8(&mut self) -> u8 {
        self.take::<1>()[0]
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    fn f32(&mut self) -> f32 {
        f32::from_le_bytes(self.take())
    }

    fn f64(&mut self) -> f64 {
        f64::from_le_bytes(self.take())
    }
}
