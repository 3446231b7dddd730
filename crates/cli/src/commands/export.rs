//! `craze export`

use crate::OutputMode;
use crate::choices::Exported;
use crate::problem::Problem;
use crate::progress::plural;
use crate::source_surfaces::source_surfaces;
use clap::Args;
use craze_export::{
    Pace, ShardReport, ShardSettings, ShardSummary, SourceSurface, export_animation, export_sequence, export_shards,
};
use craze_frame::{BodyFrame, Fault, Frame, describe_faults, names};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct Arguments {
    /// Folder of the run
    run: PathBuf,
    /// What to write
    #[arg(long, short, value_enum, ignore_case = true, default_value_t = Exported::Obj)]
    format: Exported,
    /// Folder for the files; "export" inside the run by default
    #[arg(long, short)]
    output: Option<PathBuf>,
    /// This frame only
    #[arg(long, value_name = "N")]
    frame: Option<u32>,
    /// Merge shards below this share of their body's volume into a neighbour
    #[arg(long, value_name = "SHARE", value_parser = share, alias = "smallest")]
    merge_below: Option<f64>,
    /// Leave crack faces smooth, without roughness
    #[arg(long, alias = "flat-cracks")]
    smooth_cracks: bool,
    /// Export sheets as closed surfaces with their thickness: two sides and a rim
    #[arg(long)]
    thick: bool,
    /// Play the animation in simulated time, stretched N times (1 is real time); without it each
    /// frame is one of 24 per second
    #[arg(long, value_name = "N", value_parser = slow, allow_negative_numbers = true)]
    slow: Option<Pace>,
}

/// Parses the stretch of an animation.
pub fn slow(text: &str) -> Result<Pace, String> {
    let pace = text.parse().ok().and_then(Pace::stretched);
    pace.ok_or_else(|| "give a number from 0.001 to 1000000: 1 is real time, 20 is twenty times as slow".to_owned())
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..1.0).contains(share));
    share.ok_or_else(|| "give a share of the volume from 0 to less than 1, as in 0.001".to_owned())
}

pub fn run(arguments: &Arguments, mode: OutputMode) -> Result<(), Problem> {
    let Some(format) = arguments.format.of_frames() else {
        let parts = if arguments.format == Exported::Animation { Parts::Moving } else { Parts::AtRest };
        if parts == Parts::AtRest && arguments.slow.is_some() {
            return Err(slow_without_animation("shards"));
        }
        return shards(arguments, parts, mode);
    };
    if arguments.slow.is_some() {
        return Err(slow_without_animation(format.name()));
    }
    if arguments.merge_below.is_some() {
        let message = format!("--merge-below merges shards, and {} has none", format.name());
        return Err(Problem::new(message, "leave it out, or export with --format shards or animation"));
    }
    if arguments.smooth_cracks {
        let message = format!("--smooth-cracks is for shards, and {} has none", format.name());
        return Err(Problem::new(message, "leave it out, or export with --format shards or animation"));
    }
    let files = super::render::frame_files(&arguments.run, arguments.frame)?;
    let folder = folder(arguments);
    let name = craze_engine::read_record(&arguments.run).map_or_else(|_| "frames".to_owned(), |record| record.scene);
    let report = export_sequence(
        files.iter().map(|file| if arguments.thick { craze_frame::read_thick(file) } else { craze_frame::read(file) }),
        &surfaces_for_sequence(&arguments.run),
        format,
        &folder,
        &name,
    )?;
    let mut stdout = std::io::stdout().lock();
    match mode {
        OutputMode::Text => {
            let frames = plural(report.frames as u64, "frame");
            let files = plural(report.files.len() as u64, "file");
            writeln!(stdout, "{frames} in {files} in {}", folder.display())?;
            for what in &report.left_out {
                writeln!(stdout, "left out: {what}")?;
            }
        }
        OutputMode::Json => {
            let text = json!({ "frames": report.frames, "files": report.files, "left_out": report.left_out });
            writeln!(stdout, "{text}")?;
        }
        OutputMode::Quiet => {}
    }
    Ok(())
}

fn slow_without_animation(format: &str) -> Problem {
    let message = format!("--slow sets the pace of an animation, and {format} has none");
    Problem::new(message, "leave it out, or export with --format animation")
}

/// Source surfaces of each body's shards; none if the first frame is missing.
fn surfaces_for_shards(run: &Path) -> Vec<Vec<SourceSurface>> {
    first_frame(run).map_or_else(Vec::new, |first| source_surfaces(run, &first))
}

/// Source surfaces for a sequence, needed only for surfaces built from a model's triangles.
fn surfaces_for_sequence(run: &Path) -> Vec<Vec<SourceSurface>> {
    let has_sources = |body: &BodyFrame| body.surface.face_attributes.get(names::SOURCE).is_some();
    let first = first_frame(run).filter(|first| first.bodies.iter().any(has_sources));
    first.map_or_else(Vec::new, |first| source_surfaces(run, &first))
}

fn first_frame(run: &Path) -> Option<Frame> {
    let files = super::render::frame_files(run, Some(0)).ok()?;
    craze_frame::read(files.last()?).ok()
}

fn folder(arguments: &Arguments) -> PathBuf {
    arguments.output.clone().unwrap_or_else(|| arguments.run.join("export"))
}

/// Variants of shard files.
#[derive(Clone, Copy, PartialEq)]
enum Parts {
    AtRest,
    Moving,
}

/// Writes the shards of the last or the requested frame: at rest, or moving up to that frame.
fn shards(arguments: &Arguments, parts: Parts, mode: OutputMode) -> Result<(), Problem> {
    let files = super::render::frame_files(&arguments.run, arguments.frame)?;
    let frame = craze_frame::read(files.last().map_or(Path::new(""), PathBuf::as_path))?;
    let defaults = ShardSettings::default();
    let crack_detail = defaults.crack_detail.filter(|_| !arguments.smooth_cracks);
    let min_volume_fraction = arguments.merge_below.unwrap_or(defaults.min_volume_fraction);
    let settings = ShardSettings { min_volume_fraction, crack_detail, ..defaults };
    let sources = surfaces_for_shards(&arguments.run);
    let report = match parts {
        Parts::AtRest => export_shards(&frame, &sources, &settings, &folder(arguments))?,
        Parts::Moving => {
            let all = super::render::frame_files(&arguments.run, None)?;
            let until = all.into_iter().filter(|file| Some(file) <= files.last());
            let frames: Vec<PathBuf> = until.collect();
            let frames = frames.iter().map(|file| craze_frame::read(file));
            let pace = arguments.slow.unwrap_or_default();
            export_animation(frames, &sources, &settings, pace, &folder(arguments))?
        }
    };
    let mut stdout = std::io::stdout().lock();
    match mode {
        OutputMode::Text => {
            for line in summary(&report) {
                writeln!(stdout, "{line}")?;
            }
        }
        OutputMode::Json => {
            let shards = report
                .shards
                .iter()
                .map(|shard| json!({ "name": shard.name, "volume": shard.volume, "closed": shard.closed, "manifold": shard.is_manifold(),
                    "faults": shard.faults }));
            let text = json!({
                "file": report.file, "frame": frame.number, "shards": shards.collect::<Vec<_>>(),
                "length": report.length, "merged": report.merged, "skins": report.outside_notes, "left_out": report.left_out,
            });
            writeln!(stdout, "{text}")?;
        }
        OutputMode::Quiet => {}
    }
    Ok(())
}

/// Summary of the shards for a person.
pub fn summary(report: &ShardReport) -> Vec<String> {
    let closed = report.shards.iter().filter(|shard| shard.is_manifold()).count();
    let count = plural(report.shards.len() as u64, "shard");
    let mut lines = vec![format!("{count} in {}", report.file.display())];
    let by_volume = |one: &&ShardSummary, other: &&ShardSummary| one.volume.total_cmp(&other.volume);
    if let (Some(largest), Some(smallest)) =
        (report.shards.iter().max_by(by_volume), report.shards.iter().min_by(by_volume))
    {
        lines.push(format!(
            "largest {} of {:.3e} m³, smallest {} of {:.3e} m³",
            largest.name, largest.volume, smallest.name, smallest.volume
        ));
    }
    lines.push(match report.shards.len() - closed {
        0 => "all closed and manifold".to_owned(),
        open => format!("{closed} closed and manifold, {open} not"),
    });
    let faults: Vec<(String, &[Fault])> =
        report.shards.iter().map(|shard| (shard.name.clone(), shard.faults.as_slice())).collect();
    lines.extend(describe_faults(&faults).into_iter().map(|(_, line)| line));
    lines.extend(report.length.map(|length| format!("{length:.2} s long")));
    if report.merged > 0 {
        lines.push(format!("{} merged into neighbours", plural(report.merged as u64, "smaller piece")));
    }
    lines.extend(report.outside_notes.iter().cloned());
    lines.extend(report.left_out.iter().map(|what| format!("left out: {what}")));
    lines
}
