//! The folder that a run leaves behind.
//!
//! After every frame: the frame's file, then a row of each table, then the checkpoint, then run.json. A run that is killed
//! between any two of these goes on from the last checkpoint: what was written after it is cut off, then written again with the same bits.

use crate::checkpoint::{Checkpoint, CheckpointError, Saved};
use crate::probe::Moment;
use crate::record::{RunRecord, RunResult};
use crate::{Registry, Stage, World};
use craze_frame::{Frame, FrameFileError, WriteError, atomic_write, remove_leftovers};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

const STATS: &str = "stats.csv";
const EVENTS: &str = "events.jsonl";
const PROBES: &str = "probes.csv";
const TABLES: [&str; 3] = [STATS, EVENTS, PROBES];
const RECORD: &str = "run.json";
const SCENE: &str = "scene.toml";
const CHECKPOINTS: &str = "checkpoint";
const FRAMES: &str = "frames";

/// A run folder that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It is there already.
    #[error("{} exists already; choose another folder with -o, continue it with --resume, or replace it with --force", .0.display())]
    Exists(PathBuf),
    /// It is there and holds something that is not a run.
    #[error("{} exists and is not a run folder (it has no {RECORD}); choose another folder with -o", .0.display())]
    NotARun(PathBuf),
    /// There is nothing to resume.
    #[error("{} holds no checkpoint to resume from; start the run again with --force", .0.display())]
    NothingToResume(PathBuf),
    /// A folder or file that the system refuses.
    #[error("cannot {action} {}: {cause}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// Where.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// A file that could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A frame that could not be written.
    #[error(transparent)]
    Frame(#[from] FrameFileError),
    /// A checkpoint that cannot be used.
    #[error("{}: {cause}", path.display())]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// Why not.
        cause: CheckpointError,
    },
    /// run.json that is not one.
    #[error("{} is not a run record: {reason}", path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
}

/// What to do with a folder that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Leave it alone and report it.
    Refuse,
    /// Replace it, if it is a run.
    Replace,
}

/// A run folder that is being written.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    record: RunRecord,
    started: Instant,
    /// Frames between two checkpoints; 0 keeps none but that of an interrupted run.
    checkpoint_every: u32,
}

impl RunFolder {
    /// Makes a new folder with the scene as it will be run.
    pub fn create(
        path: &Path,
        scene: &str,
        record: RunRecord,
        checkpoint_every: u32,
        existing: Existing,
    ) -> Result<RunFolder, FolderError> {
        clear(path, existing)?;
        for folder in [path.to_owned(), path.join(FRAMES), path.join(CHECKPOINTS)] {
            fs::create_dir_all(&folder).map_err(io_error("create", &folder))?;
        }
        atomic_write(&path.join(SCENE), scene.as_bytes())?;
        for table in TABLES {
            let file = path.join(table);
            File::create(&file).map_err(io_error("create", &file))?;
        }
        let folder = RunFolder { path: path.to_owned(), record, started: Instant::now(), checkpoint_every };
        folder.write_record()?;
        Ok(folder)
    }

    /// Takes up a run where its newest usable checkpoint left it, and puts the world into that state.
    pub fn resume(
        path: &Path,
        world: &mut World,
        registry: &Registry,
        checkpoint_every: u32,
    ) -> Result<RunFolder, FolderError> {
        let record = read_record(path)?;
        for folder in [path.to_owned(), path.join(FRAMES), path.join(CHECKPOINTS)] {
            remove_leftovers(&folder).map_err(io_error("clean up", &folder))?;
        }
        let mut first_problem = None;
        for file in checkpoints(path)?.into_iter().rev() {
            match load_checkpoint(&file, world, registry) {
                Ok(reached) => {
                    let mut folder =
                        RunFolder { path: path.to_owned(), record, started: Instant::now(), checkpoint_every };
                    folder.cut_back(&reached, world)?;
                    folder.record.result = RunResult::Running;
                    folder.write_record()?;
                    return Ok(folder);
                }
                Err(cause) => {
                    first_problem.get_or_insert(FolderError::Checkpoint { path: file, cause });
                }
            }
        }
        Err(first_problem.unwrap_or_else(|| FolderError::NothingToResume(path.to_owned())))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What run.json says.
    pub fn record(&self) -> &RunRecord {
        &self.record
    }

    /// The file of a frame.
    pub fn frame_path(path: &Path, number: u32) -> PathBuf {
        path.join(FRAMES).join(format!("{number:04}.craze"))
    }

    /// The scene file of a run, as run.
    pub fn scene_path(path: &Path) -> PathBuf {
        path.join(SCENE)
    }

    /// Files of all frames, in order.
    pub fn frame_files(path: &Path) -> Result<Vec<PathBuf>, FolderError> {
        files(&path.join(FRAMES), "craze")
    }

    /// Writes the present moment: frame, tables, checkpoint, record. Gives back the frame.
    pub fn record_frame(&mut self, world: &mut World) -> Result<Frame, FolderError> {
        let frame = world.frame();
        craze_frame::write(&RunFolder::frame_path(&self.path, world.frame_number), &frame)?;
        self.append_tables(world)?;
        let saved = world.save();
        self.record.state_hashes.push(format!("{:016x}", saved.hash()));
        self.certify(world, &frame);
        let last = world.frame_number >= self.record.frames;
        if self.checkpoint_every > 0 && (last || world.frame_number.is_multiple_of(self.checkpoint_every)) {
            self.write_checkpoint(world.frame_number, saved)?;
        }
        self.record.book(&world.counters);
        self.write_record()?;
        Ok(frame)
    }

    /// Closes the record. A run that was interrupted at a frame's end keeps a checkpoint there.
    pub fn finish(&mut self, world: &World, result: RunResult) -> Result<(), FolderError> {
        let at_frame_end = self.record.state_hashes.len() == world.frame_number as usize + 1
            && world.time == f64::from(world.frame_number) / world.settings.frames_per_second;
        if result == RunResult::Interrupted && at_frame_end {
            self.write_checkpoint(world.frame_number, world.save())?;
        }
        self.record.result = result;
        self.record.book(&world.counters);
        self.write_record()
    }

    fn certify(&mut self, world: &World, frame: &Frame) {
        let account = world.account();
        let certificate = &mut self.record.certificate;
        if world.frame_number == 0 {
            certificate.start = account;
            let surfaces = frame.bodies.iter().filter(|body| !body.surface.triangles.is_empty());
            certificate.watertight = surfaces.map(|body| (body.name.clone(), true)).collect();
        }
        certificate.now = account;
        for (name, closed) in &mut certificate.watertight {
            let body = frame.bodies.iter().find(|body| body.name == *name);
            *closed &= body.is_some_and(|body| body.surface.is_closed());
        }
    }

    fn append_tables(&self, world: &mut World) -> Result<(), FolderError> {
        let first = world.frame_number == 0;
        let mut stats = String::new();
        if first {
            stats.push_str(&stats_head());
        }
        stats.push_str(&stats_row(world));
        self.append(STATS, &stats)?;

        let mut events = String::new();
        for event in world.events.drain(..) {
            // An event is made of numbers and text: it always has a JSON form.
            events.push_str(&serde_json::to_string(&event).unwrap_or_default());
            events.push('\n');
        }
        self.append(EVENTS, &events)?;

        if first {
            // Nothing has stepped yet: the first row is the initial state.
            world.sample_probes(Moment::FrameEnd);
        }
        let mut probes = String::new();
        if first && !world.probes.is_empty() {
            let columns: Vec<String> = world.probes.iter().flat_map(|probe| probe.columns()).collect();
            probes.push_str(&format!("time_s,{}\n", columns.join(",")));
        }
        for sample in world.samples.drain(..) {
            let values = sample.values.iter().map(|value| value.map_or(String::new(), |value| value.to_string()));
            probes.push_str(&format!("{},{}\n", sample.time, values.collect::<Vec<_>>().join(",")));
        }
        self.append(PROBES, &probes)?;
        Ok(())
    }

    fn append(&self, table: &str, text: &str) -> Result<(), FolderError> {
        let path = self.path.join(table);
        let mut file = OpenOptions::new().append(true).create(true).open(&path).map_err(io_error("open", &path))?;
        file.write_all(text.as_bytes()).map_err(io_error("write", &path))
    }

    fn write_checkpoint(&self, number: u32, saved: Saved) -> Result<(), FolderError> {
        let mut table_lengths = [0; 3];
        for (length, table) in table_lengths.iter_mut().zip(TABLES) {
            let path = self.path.join(table);
            *length = fs::metadata(&path).map_err(io_error("read", &path))?.len();
        }
        let checkpoint = Checkpoint {
            table_lengths,
            state_hashes: self.record.state_hashes.clone(),
            certificate: self.record.certificate.clone(),
            saved,
        };
        let path = self.path.join(CHECKPOINTS).join(format!("{number:04}.checkpoint"));
        let bytes = checkpoint.encode().map_err(|cause| FolderError::Checkpoint { path: path.clone(), cause })?;
        atomic_write(&path, &bytes)?;
        // The one before is kept in case this one is damaged; older ones have done their duty.
        let old = checkpoints(&self.path)?;
        for path in old.iter().rev().skip(2) {
            fs::remove_file(path).map_err(io_error("remove", path))?;
        }
        Ok(())
    }

    fn write_record(&self) -> Result<(), FolderError> {
        let mut record = self.record.clone();
        record.wall_seconds = self.started.elapsed().as_secs_f64();
        let path = self.path.join(RECORD);
        let text = serde_json::to_string_pretty(&record)
            .map_err(|error| FolderError::Record { path: path.clone(), reason: error.to_string() })?;
        atomic_write(&path, text.as_bytes())?;
        Ok(())
    }

    /// Makes the folder what it was at a checkpoint.
    fn cut_back(&mut self, checkpoint: &Checkpoint, world: &World) -> Result<(), FolderError> {
        for (length, table) in checkpoint.table_lengths.iter().zip(TABLES) {
            let path = self.path.join(table);
            let file = OpenOptions::new().write(true).open(&path).map_err(io_error("open", &path))?;
            file.set_len(*length).map_err(io_error("cut", &path))?;
        }
        for path in RunFolder::frame_files(&self.path)? {
            let number = path.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| stem.parse::<u32>().ok());
            if number.is_some_and(|number| number > world.frame_number) {
                fs::remove_file(&path).map_err(io_error("remove", &path))?;
            }
        }
        self.record.state_hashes.clone_from(&checkpoint.state_hashes);
        self.record.certificate = checkpoint.certificate.clone();
        Ok(())
    }
}

fn load_checkpoint(path: &Path, world: &mut World, registry: &Registry) -> Result<Checkpoint, CheckpointError> {
    let bytes = fs::read(path).map_err(|error| CheckpointError::Damaged(error.to_string()))?;
    let checkpoint = Checkpoint::decode(&bytes)?;
    world.restore(&checkpoint.saved, registry)?;
    Ok(checkpoint)
}

/// Reads run.json of a folder.
pub fn read_record(path: &Path) -> Result<RunRecord, FolderError> {
    let file = path.join(RECORD);
    let text = fs::read_to_string(&file).map_err(io_error("read", &file))?;
    serde_json::from_str(&text).map_err(|error| FolderError::Record { path: file, reason: error.to_string() })
}

fn clear(path: &Path, existing: Existing) -> Result<(), FolderError> {
    let is_empty = match fs::read_dir(path) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => true,
        Err(cause) => return Err(io_error("open", path)(cause)),
    };
    if is_empty {
        return Ok(());
    }
    if !path.join(RECORD).is_file() {
        return Err(FolderError::NotARun(path.to_owned()));
    }
    match existing {
        Existing::Refuse => Err(FolderError::Exists(path.to_owned())),
        Existing::Replace => fs::remove_dir_all(path).map_err(io_error("remove", path)),
    }
}

fn checkpoints(path: &Path) -> Result<Vec<PathBuf>, FolderError> {
    files(&path.join(CHECKPOINTS), "checkpoint")
}

/// Files with an ending, ordered by the number that is their name.
fn files(folder: &Path, ending: &str) -> Result<Vec<PathBuf>, FolderError> {
    let mut numbered = Vec::new();
    for entry in fs::read_dir(folder).map_err(io_error("open", folder))? {
        let path = entry.map_err(io_error("read", folder))?.path();
        let number = path.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| stem.parse::<u32>().ok());
        if let (Some(number), true) = (number, path.extension().is_some_and(|found| found == ending)) {
            numbered.push((number, path));
        }
    }
    numbered.sort();
    Ok(numbered.into_iter().map(|(_, path)| path).collect())
}

fn io_error(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> FolderError {
    let path = path.to_owned();
    move |cause| FolderError::Io { action, path, cause }
}

fn stats_head() -> String {
    let stages: Vec<String> = Stage::ALL.iter().map(|stage| format!("{}_s", stage.name())).collect();
    format!(
        "frame,time_s,time_step_s,steps,retries,mass_kg,volume_m3,momentum_x,momentum_y,momentum_z,\
         angular_momentum_x,angular_momentum_y,angular_momentum_z,kinetic_J,elastic_J,potential_J,work_J,\
         elements,nodes,pieces,{}\n",
        stages.join(",")
    )
}

fn stats_row(world: &World) -> String {
    let account = world.account();
    let (momentum, spin) = (account.momentum, account.angular_momentum);
    let stages: Vec<String> =
        Stage::ALL.iter().map(|stage| format!("{:.6}", world.counters.spent(*stage).as_secs_f64())).collect();
    format!(
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
        world.frame_number,
        world.time,
        world.last_time_step,
        world.counters.steps,
        world.counters.retries,
        account.mass,
        account.volume,
        momentum.x,
        momentum.y,
        momentum.z,
        spin.x,
        spin.y,
        spin.z,
        account.kinetic,
        account.elastic,
        account.potential,
        account.work,
        account.elements,
        account.nodes,
        account.pieces,
        stages.join(",")
    )
}
