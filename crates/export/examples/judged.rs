//! Exports frames with known values to every format, for checks by other programs:
//!
//! ```text
//! cargo run -p craze-export --example judged -- FOLDER
//! python3 crates/export/judges/check.py FOLDER
//! ```

use std::error::Error;
use std::path::PathBuf;

use craze_export::{Format, export_sequence};
use serde_json::json;

#[path = "../tests/exports/sample.rs"]
mod sample;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).map(PathBuf::from).ok_or("usage: judged FOLDER")?;
    let numbers = 1..=3;
    for format in Format::ALL {
        let frames = numbers.clone().map(|number| {
            let mut frame = sample::frame(number);
            frame.bodies.push(sample::pane());
            Ok(frame)
        });
        let report = export_sequence(frames, &[], format, &folder, "judged")?;
        println!("{}: {} files", format.name(), report.files.len());
    }
    let cube = sample::EDGE.powi(3);
    let known = json!({
        "times": numbers.map(|number| f64::from(number) * sample::TIME_STEP).collect::<Vec<_>>(),
        "volumes": {
            "block_piece_0": cube, "block_piece_1": cube, "block": 2.0 * cube, "block.volume": 2.0 * cube,
            "ball": sample::BALL_VOLUME, "pane": sample::PANE_VOLUME, "pane_piece_0": sample::PANE_VOLUME,
        },
        "points": { "cloud_of_dust_particles_0": 3, "cloud_of_dust_particles_1": 2, "cloud_of_dust.particles": 5 },
        "open": ["sheet", "sheet_piece_0"],
        "masses": { "block_piece_0": sample::DENSITY * cube, "block_piece_1": sample::DENSITY * cube },
    });
    craze_frame::atomic_write(&folder.join("known.json"), serde_json::to_string_pretty(&known)?.as_bytes())?;
    Ok(())
}
