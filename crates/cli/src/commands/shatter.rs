//! `craze shatter`

use super::inspect::{self, Found as Named};
use super::{render, run};
use crate::Voice;
use crate::preview;
use crate::problem::{self, Problem};
use crate::progress::plural;
use crate::scene_source::{NamedScene, parse_seed};
use crate::shatter::{Axis, Blow, Detail, GRAVITY, Hit, Matter, Model, Stage, Wanted, find};
use clap::Args;
use craze_engine::Existing;
use craze_export::{Grain, Pace, ShardReport, ShardSettings};
use craze_scene::SceneDocument;
use craze_shape::number_format::{grouped, short};
use craze_shape::{ModelFile, ModelPlacement, Shape, Unit, UpAxis, read_model};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Height of the usual fall (m).
const USUAL_DROP: f64 = 1.5;
/// Size of a model that is larger or smaller than anything on a table, unless --size says (m).
const USUAL_SIZE: f64 = 0.3;
/// Sizes (m) that are taken as they are in the file.
const PLAUSIBLE: std::ops::RangeInclusive<f64> = 0.01..=10.0;
/// Share of the volume below which nothing breaks off, or this part of a shard if more are asked for than that allows,
const LEAST: f64 = 2e-3;
const LEAST_OF_SHARD: f64 = 0.1;
/// Pieces below this share of the volume go into a neighbour,
const SMALLEST: f64 = 1e-3;
/// or below this one if there are too few otherwise.
const FINEST: f64 = 1e-4;
/// Shards if nobody asks for a number: at least, in smaller ones if need be, how many then, and at most.
const FEWEST: usize = 5;
const FEW: usize = 12;
const MOST: usize = 500;
/// A model keeps its own tetrahedra if they are no more than so many times those of the asked detail.
const MOST_OWN: f64 = 2.0;
/// Tetrahedra from which on a person is told that it takes long.
const SLOW: f64 = 30_000.0;
/// Share of the volume from which on a shard is most of the model, and a person is told so.
const MOSTLY: f64 = 0.8;
/// Shards of a trial for each that is asked for, at most.
const MORE: usize = 3;
/// Shards that will do if nobody asks for a number, and what is aimed at.
const USUAL_SHARDS: (std::ops::RangeInclusive<usize>, usize) = (8..=150, 40);

#[derive(Args)]
pub struct Arguments {
    /// Model file, or the name of a built-in shape
    model: PathBuf,
    /// What it is made of: a preset of `craze materials`
    #[arg(long, default_value = "glass", value_name = "PRESET")]
    material: String,
    /// Let it fall from this height in metres; 1.5 unless it is hit or pulled
    #[arg(long, value_name = "METRES", value_parser = height, allow_negative_numbers = true, conflicts_with_all = ["hit", "pull"])]
    drop: Option<f64>,
    /// Hit it at x,y,z (metres from the model's middle) with this speed in m/s, as in 0,0.1,0@8
    #[arg(long, value_name = "X,Y,Z@SPEED", allow_hyphen_values = true, conflicts_with = "pull")]
    hit: Option<Hit>,
    /// Pull its ends apart along x, y or z
    #[arg(long, value_name = "AXIS")]
    pull: Option<Axis>,
    /// About how many shards; the strength that gives them is found by trying
    #[arg(long, value_name = "N", value_parser = pieces, allow_negative_numbers = true)]
    pieces: Option<usize>,
    /// How finely it is filled with tetrahedra
    #[arg(long, value_enum, default_value_t = Detail::Normal)]
    detail: Detail,
    /// Scale the model so that its largest extent is this, in metres
    #[arg(long, value_name = "METRES", value_parser = inspect::length, allow_negative_numbers = true)]
    size: Option<f64>,
    /// Unit of the file's coordinates: m, cm, mm, um, km, in or ft
    #[arg(long, default_value = "m", value_parser = inspect::unit)]
    unit: Unit,
    /// Which axis of the file points up: y, z or x
    #[arg(long, default_value = "y", value_parser = inspect::up_axis)]
    up: UpAxis,
    /// Seed: another one lands on another side
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_seed, allow_negative_numbers = true)]
    seed: u64,
    /// Leave cracks smooth, without the roughness of broken matter
    #[arg(long)]
    flat_cracks: bool,
    /// animation.glb in simulated time, N times as long: 1 is real time. Left out, each frame of the run is one of 24 per second
    #[arg(long, value_name = "N", value_parser = super::export::slow, allow_negative_numbers = true)]
    slow: Option<Pace>,
    /// Folder for everything; out/MODEL-shards if left out
    #[arg(long, short)]
    output: Option<PathBuf>,
    /// Replace a run folder that exists
    #[arg(long)]
    force: bool,
    /// Make no preview pictures
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
pub fn run(arguments: &Arguments, voice: Voice) -> Result<(), Problem> {
    let started = Instant::now();
    let blow = match (arguments.drop, arguments.hit, arguments.pull) {
        (_, Some(hit), _) => Blow::Hit(hit),
        (_, _, Some(axis)) => Blow::Pull(axis),
        (height, _, _) => Blow::Drop(height.unwrap_or(USUAL_DROP)),
    };
    let matter = Matter::for_impact(&arguments.material, blow.speed())?;
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
    remarks.extend(matter.told());
    let least = arguments.pieces.map_or(LEAST, |asked| LEAST.min(LEAST_OF_SHARD / asked as f64));
    let set =
        |model: &Model, matter: Matter, detail: Detail| Stage::set(model, matter, blow, detail, least, arguments.seed);
    let stage = set(&model, matter.clone(), arguments.detail)?;
    check_blow(blow, &stage)?;
    if stage.parts > 1 {
        remarks.push(format!(
            "the model is {} that do not touch each other: each breaks on its own",
            plural(stage.parts, "part")
        ));
    }
    say(voice, &stage.summary)?;
    for remark in &remarks {
        say(voice, remark)?;
    }
    if stage.tetrahedra > SLOW {
        let count = grouped(stage.tetrahedra as usize);
        say(voice, &format!("its walls are so thin that it takes {count} tetrahedra: this will take many minutes"))?;
    }
    say(voice, &blow.told())?;
    let wanted = wanted(arguments.pieces, stage.parts as usize);
    // Trials are coarse: a finer model breaks at the same strength into about as many shards, and some more crumbs.
    let coarse = match arguments.detail {
        Detail::Draft => None,
        // Walls may be too thin for anything coarser.
        _ if stage.is_coarsest => None,
        Detail::Normal | Detail::Final => {
            let model = Model { has_tetrahedra: false, ..model.clone() };
            Some(set(&model, matter, Detail::Draft)?).filter(|coarse| coarse.tetrahedra < stage.tetrahedra)
        }
    };
    say(voice, "looking for the strength that gives enough shards, by a few coarse trials:")?;
    let found = find(coarse.as_ref().unwrap_or(&stage), &wanted, |found| {
        let shards = plural(found.shards as u64, "shard");
        say(voice, &format!("  at {:.3} of its strength: {shards}", found.strength))
    })?;
    if found.shards <= stage.parts as usize {
        return Err(Problem::new("nothing broke, however weak it was made", unbroken(blow)));
    }
    if !wanted.range.contains(&found.shards) {
        let (got, range) = (found.shards, &wanted.range);
        say(voice, &format!("{got} is the nearest to {} to {} that was found", range.start(), range.end()))?;
    }
    let scene = stage.scene(found.strength);
    let document = SceneDocument::from_scene(&scene, &format!("{} (made by craze shatter)", model.name))?;
    let named = NamedScene { name: format!("{}-shards", model.name), document };
    let existing = if arguments.force { Existing::Replace } else { Existing::Refuse };
    let (mut folder, presses) = run::start(named, &path, existing, voice).map_err(|problem| match problem {
        Problem::Interrupted(how) => {
            let then = format!("craze export {} --format shards", problem::quoted(&path));
            Problem::Interrupted(format!("{how}, and then: {then}"))
        }
        other => other,
    })?;
    let film = film(&path, arguments)?;
    let report = film.shards().write_shards(&path)?;
    film.shards().write_animation(arguments.slow.unwrap_or_default(), &path)?;
    let run_seconds = started.elapsed().as_secs_f64();
    if !arguments.no_preview {
        let subject = preview::Subject { path: &path, scene: &scene, film: Some(&film), run_seconds };
        folder.note_preview(preview::make(&subject, voice, &presses)?)?;
    }
    if let Some(picture) = preview::best(&path) {
        say(voice, &format!("look at {}", picture.display()))?;
    }
    tell(&report, &path, arguments.pieces, voice, started)
}

/// Finds out before all the work whether the folder can be made, and leaves nothing of it behind.
fn check_folder(path: &Path) -> Result<(), Problem> {
    if path.is_dir() {
        return Ok(());
    }
    let missing: Vec<&Path> =
        path.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists()).collect();
    let made = std::fs::create_dir_all(path);
    // A part of the way may have been made where the rest cannot be.
    missing.into_iter().filter(|folder| folder.file_name().is_some()).for_each(|folder| {
        let _ = std::fs::remove_dir(folder);
    });
    made.map_err(|error| {
        let message = format!("cannot create the folder {}: {error}", path.display());
        Problem::new(message, "choose another with -o")
    })
}

/// Refuses what is no blow beside the model's own weight.
fn check_blow(blow: Blow, stage: &Stage) -> Result<(), Problem> {
    if !stage.sags(blow) {
        return Ok(());
    }
    // A hair more, so that rounding does not make it too slow again.
    let (size, least) = (short(stage.size), 1.01 * stage.slowest());
    let help = match blow {
        Blow::Drop(_) => format!("let it fall from {} m or more", short(least * least / (2.0 * GRAVITY))),
        Blow::Hit(_) => format!("hit it at {} m/s or more", short(least)),
        Blow::Pull(_) => "make it smaller, as in --size 0.3".to_owned(),
    };
    Err(Problem::new(format!("{} m/s is too slow to break a model of {size} m", short(blow.speed())), help))
}

/// What to do if nothing broke.
fn unbroken(blow: Blow) -> &'static str {
    match blow {
        Blow::Drop(_) => "let it fall from higher, as in --drop 5",
        Blow::Hit(_) => "the ball may have missed it: hit another place, or faster",
        Blow::Pull(_) => "pull along another axis",
    }
}

/// What is wanted if a person asks for so many, or for nothing.
fn wanted(pieces: Option<usize>, parts: usize) -> Wanted {
    let (range, aim) = match pieces {
        // Shards can be joined afterwards, not parted: rather too many, and the finer mesh of the run may give fewer.
        Some(asked) => (asked..=MORE * asked, (MORE * asked * asked).isqrt()),
        None => (USUAL_SHARDS.0.start() + parts - 1..=USUAL_SHARDS.0.end() + parts - 1, USUAL_SHARDS.1 + parts - 1),
    };
    Wanted { range, aim, smallest: pieces.map_or(SMALLEST, |_| FINEST) }
}

/// What is to be shattered, and what there is to say about it.
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
            if size.is_none() && !PLAUSIBLE.contains(&extent) {
                size = Some(USUAL_SIZE);
                remarks.push(format!(
                    "the file's size of {extent:.3} m is taken as {USUAL_SIZE} m; --size or --unit says otherwise"
                ));
            }
            let file = std::path::absolute(path).unwrap_or_else(|_| path.clone()).to_string_lossy().into_owned();
            let name = path.file_stem().map_or("model".to_owned(), |stem| stem.to_string_lossy().into_owned());
            let shape = Shape::Mesh(ModelFile { file, size, unit: arguments.unit, up: arguments.up });
            let most = MOST_OWN * arguments.detail.tetrahedra();
            let has_tetrahedra = read.volume.is_some_and(|own| own.tetrahedra.len() as f64 <= most);
            Ok((Model { name, shape, has_tetrahedra }, remarks))
        }
    }
}

/// The shards of the last frame, as asked for.
fn film(path: &Path, arguments: &Arguments) -> Result<render::Film, Problem> {
    let defaults = ShardSettings::default();
    let grain = defaults.grain.filter(|_| !arguments.flat_cracks).map(|grain| Grain { seed: arguments.seed, ..grain });
    // The finer mesh of the run breaks into another number than that of the trials: the smallest shards make up for it.
    let (smallest, most) = arguments.pieces.map_or((SMALLEST, MOST), |asked| (FINEST, asked));
    let settings = ShardSettings { smallest, most, grain, ..defaults };
    let film = render::Film::of(path, &settings)?;
    if arguments.pieces.is_none() && film.shards().count() < FEWEST {
        return render::Film::of(path, &ShardSettings { smallest: FINEST, most: FEW, ..settings });
    }
    Ok(film)
}

fn say(voice: Voice, line: &str) -> Result<(), Problem> {
    if voice == Voice::Person {
        writeln!(std::io::stdout().lock(), "{line}")?;
    }
    Ok(())
}

fn tell(
    report: &ShardReport,
    path: &Path,
    asked: Option<usize>,
    voice: Voice,
    started: Instant,
) -> Result<(), Problem> {
    let count = report.shards.len();
    let open = report.shards.iter().filter(|shard| !shard.is_manifold()).count();
    let seconds = started.elapsed().as_secs_f64();
    match voice {
        Voice::Person => {
            for line in super::export::told(report) {
                say(voice, &line)?;
            }
            if let Some(asked) = asked.filter(|asked| count.abs_diff(*asked) * 4 > *asked) {
                say(voice, &format!("{asked} were asked for: {count} is the nearest that was found"))?;
            }
            let volumes = report.shards.iter().map(|shard| shard.volume);
            let largest = volumes.clone().fold(0.0, f64::max) / volumes.sum::<f64>();
            if largest > MOSTLY {
                let percent = 100.0 * largest;
                say(voice, &format!("{percent:.0} % of it stayed in one shard: ask for more with --pieces"))?;
            }
            say(voice, &format!("all in {} after {seconds:.0} s", problem::quoted(path)))
        }
        Voice::Program => {
            let text = json!({
                "shards": count, "open": open, "asked": asked, "file": report.file, "run": path, "seconds": seconds,
            });
            Ok(writeln!(std::io::stdout().lock(), "{text}")?)
        }
        Voice::Silent => Ok(()),
    }
}
