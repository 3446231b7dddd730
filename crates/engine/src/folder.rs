//! The folder that a run leaves behind.
//!
//! After every frame: the frame's file, then a row of each table, then the checkpoint, then
//! run.json. A run that is killed between any two of these goes on from the last checkpoint: what
//! was written after it is cut off, then written again with the same bits.
//!
//! One process at a time writes to a folder: it holds an exclusive lock on the file
//! `checkpoint/lock`, which the system releases when the process ends in whatever way. The lock is
//! taken before anything else is written or removed, and what the folder holds is looked at again
//! once it is taken, because another run may have begun or ended meanwhile. The lock file itself
//! stays as long as the folder does. Rejected: a file that is there while somebody writes, because
//! it would survive `kill -9`.

use crate::checkpoint::{Checkpoint, CheckpointError, Saved};
use crate::pieces::broken_bodies;
use crate::record::{RunRecord, RunResult};
use crate::{World, tables};
use craze_frame::{Frame, FrameFileError, WriteError, atomic_write, hash64, is_temporary, remove_leftovers};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

const RECORD: &str = "run.json";
const SCENE: &str = "scene.toml";
const CHECKPOINTS: &str = "checkpoint";
const FRAMES: &str = "frames";
/// Locked by the process that writes the folder; beside the checkpoints because they are what two
/// writers would ruin.
const LOCK: &str = "lock";

/// A run folder that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It is there already.
    #[error("{} exists already; choose another folder with -o, continue it with --resume, or replace it with --force", .0.display())]
    Exists(PathBuf),
    /// It is there and holds something that is not a run.
    #[error("{} exists and is not a run folder (it has no {RECORD}); choose another folder with -o", .0.display())]
    NotARun(PathBuf),
    /// It cannot be made.
    #[error("cannot create the folder {}: {cause}; choose another with -o", path.display())]
    Create {
        /// Where it was to be.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// A file is where it is to be, or where a folder around it is to be.
    #[error("{} is a file, not a folder; choose another place with -o", .0.display())]
    File(PathBuf),
    /// Another process writes it.
    #[error("another run is writing to {}; wait until it ends, or choose another folder with -o", .0.display())]
    InUse(PathBuf),
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
    #[error("cannot resume from {}: {cause}", path.display())]
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
    /// Hash of the scene's text: a checkpoint belongs to one scene.
    scene_hash: u64,
    /// What run.json said of the process before this one (s).
    earlier_seconds: f64,
    /// Newer checkpoints that could not be used.
    passed_over: Vec<FolderError>,
    /// Free for others when this is dropped, or when the process ends in whatever way.
    _lock: File,
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
        // An empty path would be the present folder, whatever it holds.
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let lock = claim(path, existing)?;
        let make = || {
            // The record comes first: by it a folder is known as a run, however early it was
            // killed.
            write_record(path, &record)?;
            let folder = RunFolder {
                path: path.to_owned(),
                record,
                started: Instant::now(),
                checkpoint_every,
                scene_hash: hash64(scene.as_bytes()),
                earlier_seconds: 0.0,
                passed_over: Vec::new(),
                _lock: lock,
            };
            atomic_write(&path.join(SCENE), scene.as_bytes())?;
            tables::create(path)?;
            Ok(folder)
        };
        make().inspect_err(|_| {
            // Nothing of a run that never began is kept.
            let _ = fs::remove_dir_all(path);
        })
    }

    /// Takes up a run where its newest usable checkpoint left it, and puts the world into that
    /// state. A run that was stopped before its first checkpoint begins from the start, with the
    /// world as it was built. The record of a finished run is left unchanged.
    pub fn resume(path: &Path, world: &mut World, checkpoint_every: u32) -> Result<RunFolder, FolderError> {
        // Only what is a run is written to.
        read_record(path)?;
        make_folders(path)?;
        let lock = lock(path)?;
        // Another process may have gone on with it until now.
        let record = read_record(path)?;
        for folder in [path.to_owned(), path.join(FRAMES), path.join(CHECKPOINTS)] {
            remove_leftovers(&folder).map_err(io_error("clean up", &folder))?;
        }
        let scene_path = path.join(SCENE);
        let scene = fs::read(&scene_path).map_err(io_error("read", &scene_path))?;
        let finished = (record.result == RunResult::Complete).then(|| record.clone());
        let mut folder = RunFolder {
            path: path.to_owned(),
            earlier_seconds: record.wall_seconds,
            record,
            started: Instant::now(),
            checkpoint_every,
            scene_hash: hash64(&scene),
            passed_over: Vec::new(),
            _lock: lock,
        };
        folder.record.result = RunResult::Running;
        folder.record.preview_seconds = 0.0;
        let checkpoints = checkpoints(path)?;
        for file in checkpoints.iter().rev() {
            match folder.load_checkpoint(file, world) {
                // A finished run has nothing left to do: its record stays as it is.
                Ok(_) if finished.as_ref().is_some_and(|record| world.frame_number >= record.frames) => {
                    folder.record = finished.unwrap_or(folder.record);
                    return Ok(folder);
                }
                Ok(reached) => {
                    folder.cut_back(&reached, world)?;
                    return Ok(folder);
                }
                Err(cause) => folder.passed_over.push(FolderError::Checkpoint { path: file.clone(), cause }),
            }
        }
        if !folder.passed_over.is_empty() {
            return Err(folder.passed_over.swap_remove(0));
        }
        folder.begin_anew(world)?;
        Ok(folder)
    }

    /// Checkpoints newer than the one that was resumed from, and why they could not be used.
    pub fn passed_over(&self) -> &[FolderError] {
        &self.passed_over
    }

    /// Time (s) that the process before this one worked on the run, as run.json had it; 0 for a new
    /// run.
    pub fn earlier_seconds(&self) -> f64 {
        self.earlier_seconds
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

    /// The file by which a folder is known as a run.
    pub fn record_path(path: &Path) -> PathBuf {
        path.join(RECORD)
    }

    /// Files of all frames, in order.
    pub fn frame_files(path: &Path) -> Result<Vec<PathBuf>, FolderError> {
        files(&path.join(FRAMES), "craze")
    }

    /// Writes the present moment: frame, tables, checkpoint, record. Gives back the frame.
    pub fn record_frame(&mut self, world: &mut World) -> Result<Frame, FolderError> {
        let frame = world.frame();
        craze_frame::write(&RunFolder::frame_path(&self.path, world.frame_number), &frame)?;
        tables::append(&self.path, world)?;
        let saved = world.save();
        self.record.state_hashes.push(format!("{:016x}", saved.hash()));
        self.certify(world, &frame);
        let last = world.frame_number >= self.record.frames;
        if self.checkpoint_every > 0 && (last || world.frame_number.is_multiple_of(self.checkpoint_every)) {
            self.write_checkpoint(world.frame_number, saved)?;
        }
        self.record.book(world);
        self.write_record()?;
        Ok(frame)
    }

    /// Closes the record. A run that was interrupted at a frame's end keeps a checkpoint there; one
    /// that ends within a frame keeps the events of that frame, which show what went wrong.
    pub fn finish(&mut self, world: &World, result: RunResult) -> Result<(), FolderError> {
        tables::append_events(&self.path, &world.events)?;
        let at_frame_end = self.record.state_hashes.len() == world.frame_number as usize + 1
            && world.time == f64::from(world.frame_number) / world.settings.frames_per_second;
        if result == RunResult::Interrupted && at_frame_end {
            self.write_checkpoint(world.frame_number, world.save())?;
        }
        let start = craze_frame::read(&RunFolder::frame_path(&self.path, 0)).ok();
        self.record.broken = broken_bodies(&world.frame(), start.as_ref());
        self.record.result = result;
        self.record.book(world);
        self.write_record()
    }

    /// Notes how long preview pictures took (s), which is no part of the run's own time.
    pub fn note_preview(&mut self, seconds: f64) -> Result<(), FolderError> {
        self.record.preview_seconds = seconds;
        write_record(&self.path, &self.record)
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
            // The thick surface of a sheet is closed and manifold, or there is none.
            *closed &= body.is_some_and(|body| match body.surface.sheet {
                Some(_) => body.surface.thick().is_ok(),
                None => body.surface.is_closed(),
            });
        }
    }

    fn write_checkpoint(&self, number: u32, saved: Saved) -> Result<(), FolderError> {
        let checkpoint = Checkpoint {
            scene_hash: self.scene_hash,
            table_lengths: tables::lengths(&self.path)?,
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

    fn write_record(&mut self) -> Result<(), FolderError> {
        self.record.wall_seconds = self.started.elapsed().as_secs_f64();
        write_record(&self.path, &self.record)
    }

    fn load_checkpoint(&self, path: &Path, world: &mut World) -> Result<Checkpoint, CheckpointError> {
        let bytes = fs::read(path).map_err(|error| CheckpointError::Damaged(error.to_string()))?;
        let checkpoint = Checkpoint::decode(&bytes)?;
        if checkpoint.scene_hash != self.scene_hash {
            return Err(CheckpointError::ChangedScene);
        }
        if let Some(missing) = tables::missing_rows(&self.path, &checkpoint.table_lengths) {
            return Err(CheckpointError::MissingRows(missing));
        }
        world.restore(&checkpoint.saved)?;
        Ok(checkpoint)
    }

    /// Makes the folder what it was at a checkpoint.
    fn cut_back(&mut self, checkpoint: &Checkpoint, world: &World) -> Result<(), FolderError> {
        tables::cut(&self.path, &checkpoint.table_lengths)?;
        for path in RunFolder::frame_files(&self.path)? {
            let number = path.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| stem.parse::<u32>().ok());
            if number.is_some_and(|number| number > world.frame_number) {
                fs::remove_file(&path).map_err(io_error("remove", &path))?;
            }
        }
        self.record.state_hashes.clone_from(&checkpoint.state_hashes);
        self.record.certificate = checkpoint.certificate.clone();
        self.write_record()
    }

    /// Makes the folder what it was before the first frame, and records that frame.
    fn begin_anew(&mut self, world: &mut World) -> Result<(), FolderError> {
        for path in RunFolder::frame_files(&self.path)? {
            fs::remove_file(&path).map_err(io_error("remove", &path))?;
        }
        tables::create(&self.path)?;
        self.record.state_hashes.clear();
        self.record_frame(world)?;
        Ok(())
    }
}

fn write_record(path: &Path, record: &RunRecord) -> Result<(), FolderError> {
    let path = path.join(RECORD);
    let mut text = serde_json::to_string_pretty(record)
        .map_err(|error| FolderError::Record { path: path.clone(), reason: error.to_string() })?;
    text.push('\n');
    Ok(atomic_write(&path, text.as_bytes())?)
}

/// Reads run.json of a folder.
pub fn read_record(path: &Path) -> Result<RunRecord, FolderError> {
    let file = path.join(RECORD);
    let text = fs::read_to_string(&file).map_err(io_error("read", &file))?;
    serde_json::from_str(&text).map_err(|error| FolderError::Record { path: file, reason: error.to_string() })
}

/// What a folder holds.
#[derive(Clone, Copy, PartialEq)]
enum Contents {
    /// Nothing, or what a run that was killed in its first moment leaves.
    Nothing,
    Run,
    Foreign,
}

fn contents(path: &Path) -> Result<Contents, FolderError> {
    if path.join(RECORD).is_file() {
        return Ok(Contents::Run);
    }
    let is_ours = |folder: &Path, known: &[&str]| -> Result<bool, FolderError> {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
            Err(error) => return Err(io_error("open", folder)(error)),
        };
        for entry in entries {
            let name = entry.map_err(io_error("read", folder))?.file_name();
            if !is_temporary(&name) && !known.iter().any(|known| name.to_str() == Some(*known)) {
                return Ok(false);
            }
        }
        Ok(true)
    };
    let only_ours = is_ours(path, &[CHECKPOINTS, FRAMES])?
        && is_ours(&path.join(CHECKPOINTS), &[LOCK])?
        && is_ours(&path.join(FRAMES), &[])?;
    // A record that came while the folders were looked through explains whatever else is there.
    let is_run = path.join(RECORD).is_file();
    Ok(if is_run {
        Contents::Run
    } else if only_ours {
        Contents::Nothing
    } else {
        Contents::Foreign
    })
}

/// Takes a folder for a new run: makes it if need be, locks it and empties it.
fn claim(path: &Path, existing: Existing) -> Result<File, FolderError> {
    if let Some(file) = path.ancestors().find(|ancestor| ancestor.is_file()) {
        return Err(FolderError::File(file.to_owned()));
    }
    let check = || match (contents(path)?, existing) {
        (Contents::Foreign, _) => Err(FolderError::NotARun(path.to_owned())),
        (Contents::Run, Existing::Refuse) => Err(FolderError::Exists(path.to_owned())),
        (Contents::Run, Existing::Replace) | (Contents::Nothing, _) => Ok(()),
    };
    check().map_err(|error| match error {
        FolderError::Exists(path) if is_locked(&path) => FolderError::InUse(path),
        error => error,
    })?;
    make_folders(path)?;
    let lock = lock(path).inspect_err(|error| {
        if !matches!(error, FolderError::InUse(_)) {
            // Folders that hold nothing are not kept; others stay, because only empty ones can be
            // removed so.
            for folder in [path.join(CHECKPOINTS), path.join(FRAMES), path.to_owned()] {
                let _ = fs::remove_dir(folder);
            }
        }
    })?;
    check()?;
    empty(path)?;
    make_folders(path)?;
    Ok(lock)
}

/// Removes all that is in a folder but the lock, which the caller holds. The record goes last: by
/// it the folder is known as a run, if this is interrupted.
fn empty(path: &Path) -> Result<(), FolderError> {
    let lock = path.join(CHECKPOINTS).join(LOCK);
    for folder in [path.join(CHECKPOINTS), path.to_owned()] {
        for entry in fs::read_dir(&folder).map_err(io_error("open", &folder))? {
            let entry = entry.map_err(io_error("read", &folder))?;
            let found = entry.path();
            if found == lock || found == path.join(CHECKPOINTS) || found == path.join(RECORD) {
                continue;
            }
            let is_folder = entry.file_type().map_err(io_error("read", &found))?.is_dir();
            let removed = if is_folder { fs::remove_dir_all(&found) } else { fs::remove_file(&found) };
            removed.map_err(io_error("remove", &found))?;
        }
    }
    match fs::remove_file(path.join(RECORD)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(io_error("remove", &path.join(RECORD))(error)),
        _ => Ok(()),
    }
}

fn make_folders(path: &Path) -> Result<(), FolderError> {
    for folder in [path.to_owned(), path.join(FRAMES), path.join(CHECKPOINTS)] {
        fs::create_dir_all(&folder).map_err(|cause| FolderError::Create { path: folder.clone(), cause })?;
    }
    Ok(())
}

/// Takes the folder for this process, for as long as the file is open.
fn lock(path: &Path) -> Result<File, FolderError> {
    let file_path = path.join(CHECKPOINTS).join(LOCK);
    let file = File::create(&file_path).map_err(|cause| WriteError::new(&file_path, cause))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(FolderError::InUse(path.to_owned())),
        // A run that could not begin has removed its folder, and with it the file that was locked
        // here.
        Ok(()) if !is_at(&file, &file_path) => Err(FolderError::InUse(path.to_owned())),
        // Some file systems have no locks; the run must not fail for that.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

/// Whether another process holds the lock of a run. Writes nothing.
fn is_locked(path: &Path) -> bool {
    let file = File::options().write(true).open(path.join(CHECKPOINTS).join(LOCK));
    file.is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

/// Whether a file that was opened is still the one at its path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |data: fs::Metadata| (data.dev(), data.ino());
    match (file.metadata(), fs::metadata(path)) {
        (Ok(opened), Ok(there)) => identity(opened) == identity(there),
        _ => false,
    }
}

/// Elsewhere a file that is open is not removed.
#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.is_file()
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
