//! `craze run`

use crate::OutputMode;
use crate::preview;
use crate::problem::{self, Problem};
use crate::progress::{Meter, Moment, counts, plural, seconds};
use crate::scene_source::{self, Changes, NamedScene};
use crate::signals;
use clap::Args;
use craze_engine::{
    Certificate, Existing, FolderError, Machine, RunFolder, RunRecord, RunResult, Verdict, World, WorldError,
};
use craze_math::lanes::Instructions;
use craze_scene::{Built, Scene, SceneDocument, build};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

#[derive(Args)]
pub struct Arguments {
    /// Name of a built-in scene, or path of a scene file
    #[arg(required_unless_present = "resume")]
    scene: Option<String>,
    /// Folder of the run; out/NAME by default
    #[arg(long, short)]
    output: Option<PathBuf>,
    #[command(flatten)]
    changes: Changes,
    /// Continue an interrupted run
    #[arg(long, conflicts_with_all = ["force", "frames", "seed", "set"])]
    resume: bool,
    /// Replace an existing run folder
    #[arg(long)]
    force: bool,
    /// Skip the preview
    #[arg(long)]
    no_preview: bool,
}

/// Runs a scene to its end and writes a run folder.
pub fn run(arguments: &Arguments, mode: OutputMode) -> Result<(), Problem> {
    let presses = count_interrupts(mode);
    let pictures = if arguments.no_preview { Pictures::None } else { Pictures::AsInScene };
    run_to_end(begin(arguments, mode)?, pictures, mode, &presses).map(|_| ())
}

/// Runs a generated scene in its own folder. The caller makes the preview while it holds the
/// folder.
pub fn start(
    scene: NamedScene,
    path: &Path,
    existing: Existing,
    mode: OutputMode,
) -> Result<(RunFolder, Arc<AtomicU32>), Problem> {
    let presses = count_interrupts(mode);
    let folder = run_to_end(open(scene, path, existing, Summary::Skip, mode)?, Pictures::None, mode, &presses)?;
    Ok((folder, presses))
}

#[derive(Clone, Copy, PartialEq)]
enum Pictures {
    AsInScene,
    None,
}

/// Runs from the current state to the end. Returns the folder, which stays locked until it is
/// dropped.
fn run_to_end(
    started_run: StartedRun,
    pictures: Pictures,
    mode: OutputMode,
    presses: &AtomicU32,
) -> Result<RunFolder, Problem> {
    let started = Instant::now();
    let StartedRun { mut folder, mut world, scene } = started_run;
    // Time of an earlier process, if only pictures are left to do.
    let earlier = folder.earlier_seconds();
    let frames = frame_count(&scene).max(folder.record().frames);
    let mut meter = Meter::new(mode, frames, world.frame_number);
    let first = world.frame_number;
    if let Err(error) = world.check_intersections() {
        return failed(&mut folder, &world, &meter, error);
    }
    while world.frame_number < frames {
        if presses.load(Ordering::Relaxed) > 0 {
            return interrupted(&mut folder, &world, &meter);
        }
        let account = world.account();
        let counts = counts(account.elements, account.pieces);
        let advanced = world.advance_frame(&mut |progress| {
            meter.step(&Moment { time: progress.time, time_step: progress.time_step }, &counts);
            // The first interrupt ends after the frame, the second at once.
            if presses.load(Ordering::Relaxed) > 1 { Verdict::Stop } else { Verdict::Continue }
        });
        match advanced {
            Ok(Verdict::Continue) => {}
            Ok(Verdict::Stop) => return interrupted(&mut folder, &world, &meter),
            Err(error) => return failed(&mut folder, &world, &meter, error),
        }
        folder.record_frame(&mut world).map_err(|error| {
            meter.finish();
            stopped(folder.path())(error)
        })?;
        if let Err(error) = world.check_intersections() {
            return failed(&mut folder, &world, &meter, error);
        }
        let account = world.account();
        let moment = Moment { time: world.time, time_step: world.last_time_step };
        if let Err(error) = meter.frame(world.frame_number, &moment, account.elements, account.pieces) {
            // Standard output is closed, possibly with the terminal; the results are kept.
            let kept = interrupted(&mut folder, &world, &meter);
            return if presses.load(Ordering::Relaxed) > 0 { kept } else { Err(error.into()) };
        }
    }
    meter.finish();
    // A finished run that was resumed keeps its record.
    if folder.record().result != RunResult::Complete {
        folder.finish(&world, RunResult::Complete).map_err(stopped(folder.path()))?;
    }
    let run_seconds = started.elapsed().as_secs_f64();
    let is_wanted = scene.output.preview && pictures == Pictures::AsInScene;
    if is_wanted && (world.frame_number > first || !folder.path().join(preview::STILL).is_file()) {
        let run_seconds = if world.frame_number > first { run_seconds } else { earlier };
        let subject = preview::Subject { path: folder.path(), scene: &scene, shard_frames: None, run_seconds };
        let seconds = preview::make(&subject, mode, presses)?;
        folder.note_preview(seconds).map_err(stopped(folder.path()))?;
    }
    print_result(&folder, &world, mode, run_seconds)?;
    Ok(folder)
}

/// A run at a frame.
struct StartedRun {
    folder: RunFolder,
    world: World,
    scene: Scene,
}

fn begin(arguments: &Arguments, mode: OutputMode) -> Result<StartedRun, Problem> {
    if arguments.resume {
        return resume(arguments, mode);
    }
    let name = arguments.scene.as_deref().unwrap_or_default();
    let scene = scene_source::read(name, &arguments.changes)?;
    let path = arguments.output.clone().unwrap_or_else(|| Path::new("out").join(&scene.name));
    let existing = if arguments.force { Existing::Replace } else { Existing::Refuse };
    open(scene, &path, existing, Summary::Print, mode)
}

/// Whether to print how the bodies were read.
#[derive(Clone, Copy, PartialEq)]
enum Summary {
    Print,
    Skip,
}

/// Builds the world of a scene and creates the folder of its run.
fn open(
    scene: NamedScene,
    path: &Path,
    existing: Existing,
    printing: Summary,
    mode: OutputMode,
) -> Result<StartedRun, Problem> {
    let NamedScene { name, document } = scene;
    let Built { mut world, summary, .. } = build(&document)?;
    let scene = document.scene;
    let record = RunRecord {
        craze: env!("CARGO_PKG_VERSION").to_owned(),
        scene: name,
        seed: scene.world.seed,
        machine: machine(),
        result: RunResult::Running,
        frames: frame_count(&scene),
        frames_per_second: scene.world.fps,
        steps: 0,
        retries: 0,
        splits: Default::default(),
        seconds: Vec::new(),
        wall_seconds: 0.0,
        preview_seconds: 0.0,
        certificate: Certificate::default(),
        broken: Vec::new(),
        state_hashes: Vec::new(),
    };
    let mut folder = RunFolder::create(path, &scene.to_toml(), record, scene.output.checkpoint_every, existing)?;
    if mode == OutputMode::Text && printing == Summary::Print {
        let mut stdout = std::io::stdout().lock();
        for line in &summary {
            writeln!(stdout, "{line}")?;
        }
    }
    folder.record_frame(&mut world).map_err(stopped(folder.path()))?;
    Ok(StartedRun { folder, world, scene })
}

fn resume(arguments: &Arguments, mode: OutputMode) -> Result<StartedRun, Problem> {
    let path = match (&arguments.output, &arguments.scene) {
        (Some(path), _) => path.clone(),
        // The argument is the run's folder, or its scene.
        (None, Some(name)) if RunFolder::record_path(Path::new(name)).is_file() => PathBuf::from(name),
        (None, Some(name)) => {
            let of_scene = Path::new("out").join(Path::new(name).file_stem().unwrap_or_default());
            if Path::new(name).is_dir() && !of_scene.is_dir() { PathBuf::from(name) } else { of_scene }
        }
        (None, None) => {
            return Err(Problem::new(
                "which run shall be resumed?",
                "name its folder, as in: craze run --resume out/two-bodies",
            ));
        }
    };
    if !path.is_dir() {
        return Err(Problem::new(format!("there is no run in {}", path.display()), "start it without --resume"));
    }
    if !RunFolder::record_path(&path).is_file() {
        let help = "name the folder of a run, as in: craze run --resume out/two-bodies";
        return Err(Problem::new(format!("{} is not the folder of a run: it has no run.json", path.display()), help));
    }
    if !RunFolder::scene_path(&path).is_file() {
        let help = "start it again with --force";
        return Err(Problem::new(format!("{} has no scene.toml, so that nothing can go on", path.display()), help));
    }
    let document = SceneDocument::read(&RunFolder::scene_path(&path), &[])?;
    let mut world = build(&document)?.world;
    let scene = document.scene;
    let folder = RunFolder::resume(&path, &mut world, scene.output.checkpoint_every)?;
    for problem in folder.passed_over() {
        print_note(&format!("warning: {problem}; going on from the checkpoint before it"), mode);
    }
    if mode == OutputMode::Text {
        let reached = world.frame_number;
        let words = if reached >= frame_count(&scene) {
            format!("all {reached} frames are there already")
        } else {
            format!("going on after frame {reached}")
        };
        writeln!(std::io::stdout().lock(), "{}: {words}", path.display())?;
    }
    Ok(StartedRun { folder, world, scene })
}

fn frame_count(scene: &Scene) -> u32 {
    u32::try_from(scene.world.frames()).unwrap_or(u32::MAX)
}

fn machine() -> Machine {
    Machine {
        platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        instructions: format!("{:?}", Instructions::detect()),
        threads: rayon::current_num_threads(),
    }
}

/// Counts interrupts: Ctrl-C, SIGTERM, SIGHUP.
fn count_interrupts(mode: OutputMode) -> Arc<AtomicU32> {
    let presses = Arc::new(AtomicU32::new(0));
    let counter = presses.clone();
    signals::on_interrupt(move || match counter.fetch_add(1, Ordering::Relaxed) {
        0 => print_note("finishing the frame; press Ctrl-C again to stop at once", mode),
        1 => {}
        // Leave even a long step or picture: files are written atomically.
        _ => std::process::exit(i32::from(problem::INTERRUPTED)),
    });
    presses
}

/// Prints a message to standard error in text mode.
fn print_note(text: &str, mode: OutputMode) {
    if mode == OutputMode::Text {
        // A closed terminal is not an error.
        let _ = writeln!(std::io::stderr().lock(), "{text}");
    }
}

fn resume_line(path: &Path) -> String {
    format!("craze run --resume {}", problem::quoted(path))
}

/// A run whose folder could not be written, with the command to continue.
fn stopped(path: &Path) -> impl FnOnce(FolderError) -> Problem {
    let resume = resume_line(path);
    move |cause| Problem::Stopped { cause: Box::new(cause), resume }
}

fn failed(folder: &mut RunFolder, world: &World, meter: &Meter, error: WorldError) -> Result<RunFolder, Problem> {
    meter.finish();
    folder.finish(world, RunResult::Failed(error.to_string())).map_err(stopped(folder.path()))?;
    Err(error.into())
}

fn interrupted(folder: &mut RunFolder, world: &World, meter: &Meter) -> Result<RunFolder, Problem> {
    meter.finish();
    folder.finish(world, RunResult::Interrupted).map_err(stopped(folder.path()))?;
    Err(Problem::Interrupted(format!("continue with: {}", resume_line(folder.path()))))
}

fn print_result(folder: &RunFolder, world: &World, mode: OutputMode, wall: f64) -> Result<(), Problem> {
    let mut stdout = std::io::stdout().lock();
    let account = world.account();
    let preview_seconds = folder.record().preview_seconds;
    match mode {
        OutputMode::Text => {
            write!(
                stdout,
                "{}: {}, {} s simulated in {wall:.1} s; {}",
                folder.path().display(),
                plural(u64::from(world.frame_number), "frame"),
                // Four decimals.
                (1e4 * world.time).round() / 1e4,
                counts(account.elements, account.pieces)
            )?;
            // A finished run that was resumed took no step.
            if world.last_time_step > 0.0 {
                write!(stdout, "; last Δt {}", seconds(world.last_time_step))?;
            }
            if preview_seconds > 0.0 {
                write!(stdout, "; preview in {preview_seconds:.1} s")?;
            }
            writeln!(stdout)?;
            for body in &world.bodies {
                let over_budget = body.method.account(&world.settings.gravity).split_counts.over_budget;
                if over_budget > 0 {
                    writeln!(
                        stdout,
                        "{}: in {} more failed than may be split at once: it breaks somewhat later than it should; raise the \
                         body's {}.splits_a_step if that matters",
                        body.name,
                        plural(over_budget, "step"),
                        body.method.kind()
                    )?;
                }
            }
            for broken in folder.record().broken.iter().filter(|broken| broken.open > 0) {
                let (open, count) = (broken.open, plural(broken.pieces.len() as u64, "piece"));
                writeln!(stdout, "{}: {open} of {count} not closed and manifold, see run.json", broken.body)?;
            }
            for broken in &folder.record().broken {
                for finding in broken.findings() {
                    writeln!(stdout, "{}: {finding}", broken.body)?;
                }
            }
            if let Some(picture) = preview::best(folder.path()) {
                writeln!(stdout, "look at {}", picture.display())?;
            }
        }
        OutputMode::Json => writeln!(
            stdout,
            "{}",
            json!({
                "run": folder.path(), "frames": world.frame_number, "seconds": wall, "preview_seconds": preview_seconds,
                "result": "complete"
            })
        )?,
        OutputMode::Quiet => {}
    }
    Ok(())
}
