//! Writes the seeds that code can make: frames, checkpoints and models.
//!
//! `cargo run --manifest-path fuzz/Cargo.toml --example seeds`, whenever the layout of those files
//! changes. The other seeds are texts and stay as they are.

mod models;
#[path = "../../../crates/shape/tests/cells/write.rs"]
mod write;

use craze_engine::{Certificate, Existing, Machine, RunFolder, RunRecord, RunResult, Verdict};
use craze_frame::container::{self, Kind};
use craze_scene::{SceneDocument, build};
use std::error::Error;
use std::fs;
use std::path::Path;
use write::{Numbers, Sample, gmsh, medit, tetgen, vtu, vtu_variants};

const SCENE: &str = r#"
[world]
fps = 100
[[body]]
name = "block"
method = "solid"
shape.box = { size = [0.1, 0.1, 0.1] }
edge = 0.05
material.preset = "rubber"
place = { at = [0, 0.0501, 0], velocity = [0, -2, 0] }
[[body]]
name = "cloud"
method = "clusters"
shape.sphere = { radius = 0.1 }
spacing = 0.08
material.preset = "rubber"
place.at = [0, 1, 0]
[[obstacle]]
shape.plane = { point = [0, 0, 0], normal = [0, 1, 0] }
[[obstacle]]
shape.box = { size = [0.1, 0.1, 0.1] }
place = { at = [0.5, 0.1, 0], velocity = [0, 1, 0] }
mass = 2
[[probe]]
name = "corner"
position = { body = "block", point = [0, 0, 0] }
[output]
volume = true
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds");
    models::write(&seeds)?;
    let home = tempfile::tempdir()?;
    let run = home.path().join("run");
    let mut world = build(&SceneDocument::parse(SCENE, "seed.toml", &[])?)?.world;
    let mut folder = RunFolder::create(&run, SCENE, record(), 1, Existing::Refuse)?;
    folder.record_frame(&mut world)?;
    world.advance_frame(&mut |_| Verdict::Continue)?;
    folder.record_frame(&mut world)?;

    // A frame's layout is public and kept; a checkpoint's may change with any version, so that
    // nothing is expected of an old one.
    write_seeds(&seeds.join("frame"), Kind::FRAME, "sound-run", &fs::read(RunFolder::frame_path(&run, 1))?)?;
    write_seeds(
        &seeds.join("checkpoint"),
        Kind::CHECKPOINT,
        "run",
        &fs::read(run.join("checkpoint/0001.checkpoint"))?,
    )?;
    write_tetrahedra(&seeds)
}

/// Writes a cube in every format and variant, and what must be refused of each.
fn write_tetrahedra(seeds: &Path) -> Result<(), Box<dyn Error>> {
    let (cube, shell) = (Sample::cube(), Sample::shell());
    for numbers in [Numbers::Text, Numbers::Little, Numbers::Big] {
        let name = format!("{numbers:?}").to_lowercase();
        for version in ["2.2", "4.0", "4.1"] {
            write_model(seeds, "gmsh", &format!("{version}-{name}"), &gmsh(&cube, version, numbers))?;
        }
        write_model(seeds, "gmsh", &format!("shell-{name}"), &gmsh(&shell, "4.1", numbers))?;
        for version in if numbers == Numbers::Text { 2..3 } else { 1..5 } {
            write_model(seeds, "medit", &format!("{version}-{name}"), &medit(&cube, version, numbers))?;
        }
        write_model(seeds, "medit", &format!("shell-{name}"), &medit(&shell, 2, numbers))?;
    }
    for first in [0, 1] {
        let (nodes, elements) = tetgen(&cube, first);
        write_model(seeds, "tetgen", &format!("from-{first}"), &[nodes, elements].join(&0))?;
    }
    for (number, variant) in (0..).zip(vtu_variants()) {
        let is_packed = variant.block.is_some_and(|block| block == 40);
        if (variant.block.is_none() || is_packed) && variant.is_big == variant.has_long_heads {
            write_model(seeds, "vtu", &format!("{number:02}"), &vtu(&cube, variant))?;
        }
    }
    Ok(fs::write(seeds.join("vtu/bad-piece-bomb"), piece_bomb())?)
}

/// Many pieces whose points are the same few bytes, which unpack to thousands of zeros each time.
fn piece_bomb() -> Vec<u8> {
    let piece = "<Piece NumberOfPoints='10000' NumberOfCells='0'>\
        <Points><DataArray type='Float32' Name='p' NumberOfComponents='3' format='appended' offset='0'/></Points>\
        <Cells><DataArray type='Int32' Name='connectivity'/><DataArray type='Int32' Name='offsets'/>\
        <DataArray type='UInt8' Name='types'/></Cells></Piece>";
    let head = "<VTKFile type='UnstructuredGrid' compressor='vtkZLibDataCompressor'><UnstructuredGrid>";
    let zeros = miniz_oxide::deflate::compress_to_vec_zlib(&[0; 120_000], 9);
    let mut bytes = format!("{head}{}<AppendedData encoding='raw'>_", piece.repeat(60)).into_bytes();
    // One block of so many bytes, none that is shorter, and its packed size.
    bytes.extend([1, 120_000, 0, zeros.len() as u32].iter().flat_map(|number: &u32| number.to_le_bytes()));
    bytes.extend(zeros);
    bytes
}

/// Writes a sound file, and half of it, which must be refused.
fn write_model(seeds: &Path, target: &str, name: &str, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
    let folder = seeds.join(target);
    fs::create_dir_all(&folder)?;
    fs::write(folder.join(format!("sound-{name}")), bytes)?;
    fs::write(folder.join(format!("bad-half-{name}")), &bytes[..bytes.len() / 2])?;
    Ok(())
}

/// Writes a file of ours, its payload, and some files that must be refused.
fn write_seeds(folder: &Path, kind: Kind, name: &str, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(folder)?;
    fs::write(folder.join(name), bytes)?;
    fs::write(folder.join(format!("{name}-payload")), container::decode(bytes, kind)?.1)?;
    fs::write(folder.join("bad-cut-off"), &bytes[..bytes.len() - 7])?;
    fs::write(folder.join("bad-header-only"), &bytes[..40])?;
    fs::write(folder.join("bad-empty"), [])?;
    fs::write(folder.join("bad-foreign"), b"glTF\x02\0\0\0not one of ours")?;
    let mut changed = bytes.to_vec();
    changed[12..16].copy_from_slice(b"NONE");
    fs::write(folder.join("bad-kind"), changed)?;
    Ok(())
}

fn record() -> RunRecord {
    RunRecord {
        craze: "seeds".into(),
        scene: "seed".into(),
        seed: 1,
        machine: Machine { platform: "any".into(), instructions: "any".into(), threads: 1 },
        result: RunResult::Running,
        frames: 2,
        frames_per_second: 100.0,
        steps: 0,
        retries: 0,
        splits: Default::default(),
        seconds: Vec::new(),
        wall_seconds: 0.0,
        preview_seconds: 0.0,
        certificate: Certificate::default(),
        broken: Vec::new(),
        state_hashes: Vec::new(),
    }
}
