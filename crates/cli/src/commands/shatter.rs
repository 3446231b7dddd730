//! `craze shatter`

use super::inspect::{self, Found as Named};
use super::{render, run};
use crate::preview;
use crate::problem::{self, Problem};
use crate::progress::plural;
use crate::scene_source::{NamedScene, parse_seed};
use crate::shatter::{Axis, Detail, GRAVITY, Hit, ImpactMaterial, Load, Model, ShatterScene, Target, find};
use crate::tuning::{DEFAULT_DROP, DEFAULT_MODEL_SIZE, DEFAULT_SHARDS, DOMINANT_SHARD, MAX_SHARDS, SLOW_TETRAHEDRA};
use crate::{OutputMode, choices};
use clap::Args;
use craze_engine::Existing;
use craze_export::{CrackDetail, Pace, ShardReport, ShardSettings};
use craze_scene::SceneDocument;
use craze_shape::number_format::{grouped, short};
use craze_shape::{ModelFile, ModelPlacement, Shape, Unit, UpAxis, read_model};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Plausible sizes (m), which are kept.
const PLAUSIBLE_SIZES: std::ops::RangeInclusive<f64> = 0.01..=10.0;
/// Smallest share of the volume that may split off (1),
const MIN_SPLIT_FRACTION: f64 = 2e-3;
/// or this share of the average shard, if that is less (1).
const MIN_SHARD_FRACTION: f64 = 0.1;
/// Pieces below this share of the volume are merged (1),
const MIN_VOLUME_FRACTION: f64 = 1e-3;
/// or below this one if there were too few otherwise (1).
const FINEST_VOLUME_FRACTION: f64 = 1e-4;
/// Without --pieces: below the first number smaller pieces are kept, up to the second.
const FEW_SHARDS: usize = 5;
const FEW_SHARDS_MAX: usize = 12;
/// A model keeps its own tetrahedra up to this multiple of the requested detail (1).
const MAX_OWN_TETRAHEDRA_RATIO: f64 = 2.0;
/// Most shards of a trial per requested shard.
const MAX_EXCESS: usize = 3;

#[derive(Args)]
pub struct Arguments {
    /// Model file, or the name of a built-in shape
    model: PathBuf,
    /// Material: a preset of `craze materials`
    #[arg(long, default_value = "glass", value_name = "PRESET")]
    material: String,
    /// Drop it from this height in metres; 1.5 unless it is hit or pulled
    #[arg(long, value_name = "METRES", value_parser = height, allow_negative_numbers = true, conflicts_with_all = ["hit", "pull"])]
    drop: Option<f64>,
    /// Hit it at x,y,z (metres from the model's centre) at this speed in m/s, as in 0,0.1,0@8
    #[arg(long, value_name = "X,Y,Z@SPEED", allow_hyphen_values = true, conflicts_with = "pull")]
    hit: Option<Hit>,
    /// Pull its ends apart along x, y or z
    #[arg(long, value_name = "AXIS")]
    pull: Option<Axis>,
    /// Approximate number of shards; trials find the strength that gives them
    #[arg(long, value_name = "N", value_parser = pieces, allow_negative_numbers = true)]
    pieces: Option<usize>,
    /// Resolution of the mesh
    #[arg(long, value_enum, default_value_t = Detail::Normal)]
    detail: Detail,
    /// Scale the model so that its largest extent is this, in metres
    #[arg(long, value_name = "METRES", value_parser = inspect::length, allow_negative_numbers = true)]
    size: Option<f64>,
    /// Unit of the file's coordinates
    #[arg(long, default_value = "m", value_parser = choices::unit())]
    unit: Unit,
    /// Which axis of the file points up: y, z or x
    #[arg(long, default_value = "y", value_parser = choices::up_axis())]
    up: UpAxis,
    /// Seed; it changes the side on which the model lands
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_seed, allow_negative_numbers = true)]
    seed: u64,
    /// Leave crack faces smooth, without roughness
    #[arg(long, alias = "flat-cracks")]
    smooth_cracks: bool,
    /// Play animation.glb in simulated time, stretched N times (1 is real time); without it each
    /// frame is one of 24 per second
    #[arg(long, value_name = "N", value_parser = super::export::slow, allow_negative_numbers = true)]
    slow: Option<Pace>,
    /// Folder of the run; out/MODEL-shards by default
    #[arg(long, short)]
    output: Option<PathBuf>,
    /// Replace an existing run folder
    #[arg(long)]
    force: bool,
    /// Skip the preview
    #[arg(long)]
    no_preview: bool,
}

fn height(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value > 0.0 => Ok(value),
        Ok(value) => Err(format!("nothing falls from {value} m: give a height above 0")),
        Err(_) => Err("write a height in metres, as in 1.5".to_owned()),
    }
}

fn pieces(text: &str) -> Result<usize, String> {
    match text.parse::<i64>() {
        Ok(2..=10_000) => text.parse().map_err(|_| "write a whole number, as in 50".to_owned()),
        Ok(1) => Err("one piece is the model itself: ask for 2 or more".to_owned()),
        Ok(count) if count > 10_000 => Err("more than 10000 shards are too many for one model".to_owned()),
        Ok(count) => Err(format!("{count} pieces cannot be: ask for 2 or more")),
        Err(_) => Err("write a whole number, as in 50".to_owned()),
    }
}

/// Shatters a model: finds a strength, runs the scene and writes shards.
pub fn run(arguments: &Arguments, mode: OutputMode) -> Result<(), Problem> {
    let started = Instant::now();
    let load = match (arguments.drop, arguments.hit, arguments.pull) {
        (_, Some(hit), _) => Load::Hit(hit),
        (_, _, Some(axis)) => Load::Pull(axis),
        (height, _, _) => Load::Drop(height.unwrap_or(DEFAULT_DROP)),
    };
    let material = ImpactMaterial::for_impact(&arguments.material, load.speed())?;
    let (model, mut remarks) = model(arguments)?;
    let path = arguments.output.clone().unwrap_or_else(|| Path::new("out").join(format!("{}-shards", model.name)));
    if !arguments.force && path.exists() {
        let message = format!("{} exists already", path.display());
        return Err(Problem::new(message, "choose another folder with -o, or replace it with --force"));
    }
    if path.is_dir() && craze_engine::read_record(&path).is_err() {
        let message = format!("{} exists and is not a run folder", path.display());
        return Err(Problem::new(message, "choose another folder with -o"));
    }
    check_folder(&path)?;
    remarks.extend(material.description());
    let least =
        arguments.pieces.map_or(MIN_SPLIT_FRACTION, |asked| MIN_SPLIT_FRACTION.min(MIN_SHARD_FRACTION / asked as f64));
    let set = |model: &Model, material: ImpactMaterial, detail: Detail| {
        ShatterScene::set(model, material, load, detail, least, arguments.seed)
    };
    let scene_setup = set(&model, material.clone(), arguments.detail)?;
    check_load(load, &scene_setup)?;
    if scene_setup.parts > 1 {
        remarks.push(format!(
            "the model is {} that do not touch each other: each breaks on its own",
            plural(scene_setup.parts, "part")
        ));
    }
    print_line(mode, &scene_setup.summary)?;
    for remark in &remarks {
        print_line(mode, remark)?;
    }
    if scene_setup.tetrahedra > SLOW_TETRAHEDRA {
        let count = grouped(scene_setup.tetrahedra as usize);
        print_line(mode, &format!("its thin walls need {count} tetrahedra: this will take many minutes"))?;
    }
    print_line(mode, &load.description())?;
    let target = target(arguments.pieces, scene_setup.parts as usize);
    // Trials are coarse: a finer mesh gives about as many shards at the same strength, and more
    // debris.
    let coarse = match arguments.detail {
        Detail::Draft => None,
        // Thin walls may allow no coarser mesh.
        _ if scene_setup.is_coarsest => None,
        Detail::Normal | Detail::Final => {
            let model = Model { has_tetrahedra: false, ..model.clone() };
            Some(set(&model, material, Detail::Draft)?).filter(|coarse| coarse.tetrahedra < scene_setup.tetrahedra)
        }
    };
    print_line(mode, "searching for the strength that gives enough shards, by a few coarse trials:")?;
    let found = find(coarse.as_ref().unwrap_or(&scene_setup), &target, |found| {
        let shards = plural(found.shards as u64, "shard");
        print_line(mode, &format!("  at {:.3} of its strength: {shards}", found.strength))
    })?;
    if found.shards <= scene_setup.parts as usize {
        return Err(Problem::new("nothing broke, however weak it was made", unbroken(load)));
    }
    if !target.range.contains(&found.shards) {
        let (got, range) = (found.shards, &target.range);
        print_line(mode, &format!("{got} is the nearest to {} to {} found", range.start(), range.end()))?;
    }
    let scene = scene_setup.scene(found.strength);
    let document = SceneDocument::from_scene(&scene, &format!("{} (made by craze shatter)", model.name))?;
    let named = NamedScene { name: format!("{}-shards", model.name), document };
    let existing = if arguments.force { Existing::Replace } else { Existing::Refuse };
    let (mut folder, presses) = run::start(named, &path, existing, mode).map_err(|problem| match problem {
        Problem::Interrupted(how) => {
            let then = format!("craze export {} --format shards", problem::quoted(&path));
            Problem::Interrupted(format!("{how}, and then: {then}"))
        }
        other => other,
    })?;
    let shard_frames = shard_frames(&path, arguments)?;
    let report = shard_frames.shards().write_shards(&path)?;
    shard_frames.shards().write_animation(arguments.slow.unwrap_or_default(), &path)?;
    let run_seconds = started.elapsed().as_secs_f64();
    if !arguments.no_preview {
        let subject = preview::Subject { path: &path, scene: &scene, shard_frames: Some(&shard_frames), run_seconds };
        folder.note_preview(preview::make(&subject, mode, &presses)?)?;
    }
    if let Some(picture) = preview::best(&path) {
        print_line(mode, &format!("look at {}", picture.display()))?;
    }
    print_result(&report, &path, arguments.pieces, mode, started)
}

/// Checks that the folder can be created, without leaving anything behind.
fn check_folder(path: &Path) -> Result<(), Problem> {
    if path.is_dir() {
        return Ok(());
    }
    let missing: Vec<&Path> =
        path.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists()).collect();
    let made = std::fs::create_dir_all(path);
    // Parents may have been created where the folder cannot be.
    missing.into_iter().filter(|folder| folder.file_name().is_some()).for_each(|folder| {
        let _ = std::fs::remove_dir(folder);
    });
    made.map_err(|error| {
        let message = format!("cannot create the folder {}: {error}", path.display());
        Problem::new(message, "choose another with -o")
    })
}

/// Refuses loads that are weaker than the model's own weight.
fn check_load(load: Load, scene_setup: &ShatterScene) -> Result<(), Problem> {
    if !scene_setup.is_too_slow(load) {
        return Ok(());
    }
    // A margin against rounding.
    let (size, least) = (short(scene_setup.size), 1.01 * scene_setup.slowest());
    let help = match load {
        Load::Drop(_) => format!("let it fall from {} m or more", short(least * least / (2.0 * GRAVITY))),
        Load::Hit(_) => format!("hit it at {} m/s or more", short(least)),
        Load::Pull(_) => "make it smaller, as in --size 0.3".to_owned(),
    };
    Err(Problem::new(format!("{} m/s is too slow to break a model of {size} m", short(load.speed())), help))
}

fn unbroken(load: Load) -> &'static str {
    match load {
        Load::Drop(_) => "let it fall from higher, as in --drop 5",
        Load::Hit(_) => "the ball may have missed it: hit another place, or faster",
        Load::Pull(_) => "pull along another axis",
    }
}

fn target(pieces: Option<usize>, parts: usize) -> Target {
    let (range, aim) = match pieces {
        // Shards can be merged afterwards but not split, so prefer too many.
        Some(asked) => (asked..=MAX_EXCESS * asked, (MAX_EXCESS * asked * asked).isqrt()),
        None => {
            (DEFAULT_SHARDS.0.start() + parts - 1..=DEFAULT_SHARDS.0.end() + parts - 1, DEFAULT_SHARDS.1 + parts - 1)
        }
    };
    Target { range, aim, smallest: pieces.map_or(MIN_VOLUME_FRACTION, |_| FINEST_VOLUME_FRACTION) }
}

/// The model to be shattered, with remarks.
fn model(arguments: &Arguments) -> Result<(Model, Vec<String>), Problem> {
    let path = &arguments.model;
    match inspect::built_in(path)? {
        Some(Named::Shape(shape)) => {
            if arguments.size.is_some() || arguments.unit != Unit::Metre || arguments.up != UpAxis::Y {
                let help = "--size, --unit and --up are for model files; a scene sets the sizes of built-in shapes";
                return Err(Problem::new(format!("\"{}\" is built in, at its default size", path.display()), help));
            }
            Ok((Model { name: shape.name().to_owned(), shape, has_tetrahedra: false }, Vec::new()))
        }
        Some(Named::Sheet(sheet)) => {
            let message = format!("the sheet \"{}\" has no thickness to shatter", sheet.name());
            Err(Problem::new(message, "choose a solid shape, as in: craze shatter bowl"))
        }
        None => {
            let reading = ModelPlacement { size: arguments.size, unit: arguments.unit, up: arguments.up };
            let read = read_model(path, &reading)?;
            let extent = read.surface.bounds().size().max();
            let mut remarks = Vec::new();
            let mut size = arguments.size;
            if size.is_none() && !PLAUSIBLE_SIZES.contains(&extent) {
                size = Some(DEFAULT_MODEL_SIZE);
                remarks.push(format!(
                    "the file's size of {extent:.3} m is taken as {DEFAULT_MODEL_SIZE} m; --size or --unit says otherwise"
                ));
            }
            let file = std::path::absolute(path).unwrap_or_else(|_| path.clone()).to_string_lossy().into_owned();
            let name = path.file_stem().map_or("model".to_owned(), |stem| stem.to_string_lossy().into_owned());
            let shape = Shape::Mesh(ModelFile { file, size, unit: arguments.unit, up: arguments.up });
            let most = MAX_OWN_TETRAHEDRA_RATIO * arguments.detail.tetrahedra();
            let has_tetrahedra = read.volume.is_some_and(|own| own.tetrahedra.len() as f64 <= most);
            Ok((Model { name, shape, has_tetrahedra }, remarks))
        }
    }
}

fn shard_frames(path: &Path, arguments: &Arguments) -> Result<render::ShardFrames, Problem> {
    let defaults = ShardSettings::default();
    let crack_detail = defaults
        .crack_detail
        .filter(|_| !arguments.smooth_cracks)
        .map(|detail| CrackDetail { seed: arguments.seed, ..detail });
    // The run's finer mesh gives another number of shards than the trials; merging corrects it.
    let (min_volume_fraction, max_shards) =
        arguments.pieces.map_or((MIN_VOLUME_FRACTION, MAX_SHARDS), |asked| (FINEST_VOLUME_FRACTION, asked));
    let settings = ShardSettings { min_volume_fraction, max_shards, crack_detail, ..defaults };
    let shard_frames = render::ShardFrames::of(path, &settings)?;
    if arguments.pieces.is_none() && shard_frames.shards().count() < FEW_SHARDS {
        return render::ShardFrames::of(
            path,
            &ShardSettings { min_volume_fraction: FINEST_VOLUME_FRACTION, max_shards: FEW_SHARDS_MAX, ..settings },
        );
    }
    Ok(shard_frames)
}

fn print_line(mode: OutputMode, line: &str) -> Result<(), Problem> {
    if mode == OutputMode::Text {
        writeln!(std::io::stdout().lock(), "{line}")?;
    }
    Ok(())
}

fn print_result(
    report: &ShardReport,
    path: &Path,
    asked: Option<usize>,
    mode: OutputMode,
    started: Instant,
) -> Result<(), Problem> {
    let count = report.shards.len();
    let open = report.shards.iter().filter(|shard| !shard.is_manifold()).count();
    let seconds = started.elapsed().as_secs_f64();
    match mode {
        OutputMode::Text => {
            for line in super::export::summary(report) {
                print_line(mode, &line)?;
            }
            if let Some(asked) = asked.filter(|asked| count.abs_diff(*asked) * 4 > *asked) {
                print_line(mode, &format!("{asked} requested: {count} is the nearest found"))?;
            }
            let volumes = report.shards.iter().map(|shard| shard.volume);
            let largest = volumes.clone().fold(0.0, f64::max) / volumes.sum::<f64>();
            if largest > DOMINANT_SHARD {
                let percent = 100.0 * largest;
                print_line(mode, &format!("{percent:.0} % of it stayed in one shard: ask for more with --pieces"))?;
            }
            print_line(mode, &format!("all in {} after {seconds:.0} s", problem::quoted(path)))
        }
        OutputMode::Json => {
            let text = json!({
                "shards": count, "open": open, "asked": asked, "file": report.file, "run": path, "seconds": seconds,
            });
            Ok(writeln!(std::io::stdout().lock(), "{text}")?)
        }
        OutputMode::Quiet => Ok(()),
    }
}
