//! Atomic file writes.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use thiserror::Error;

const TEMPORARY_SUFFIX: &str = ".craze.tmp";

/// A file could not be written; its previous content is unchanged.
#[derive(Debug, Error)]
#[error("cannot write {}: {}", path.display(), explain(cause))]
pub struct WriteError {
    /// The file.
    pub path: PathBuf,
    /// Error of the operating system.
    #[source]
    pub cause: io::Error,
}

impl WriteError {
    /// Failure to write `path`.
    pub fn new(path: &Path, cause: io::Error) -> Self {
        WriteError { path: path.to_owned(), cause }
    }
}

/// The system's message with advice.
fn explain(cause: &io::Error) -> String {
    let advice = match cause.kind() {
        io::ErrorKind::StorageFull => "; the disk is full: free some space, then run this again",
        io::ErrorKind::QuotaExceeded => "; your disk quota is used up: free some space, then run this again",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "; choose a folder that you may write to"
        }
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => "; its folder does not exist: create it first",
        io::ErrorKind::IsADirectory => "; a folder of that name is in the way",
        _ => "",
    };
    format!("{cause}{advice}")
}

/// Writes `bytes` to `path` atomically: to a temporary file in the same folder, synced to disk,
/// then renamed. A reader sees the old content or all of the new.
///
/// A symbolic link at `path` is replaced, not followed. On failure the temporary file is removed.
pub fn atomic_write(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    atomic_write_parts(path, &[bytes])
}

/// [`atomic_write`] of concatenated slices.
pub fn atomic_write_parts(path: &Path, parts: &[&[u8]]) -> Result<(), WriteError> {
    let fail = |cause| WriteError::new(path, cause);
    let temporary = temporary_path(path).ok_or_else(|| fail(io::Error::other("the path does not name a file")))?;
    write_and_rename(path, &temporary, parts).map_err(|cause| {
        // Report the first failure; the temporary file may not exist.
        let _ = fs::remove_file(&temporary);
        fail(cause)
    })
}

fn write_and_rename(path: &Path, temporary: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let mut file = File::create(temporary)?;
    for part in parts {
        file.write_all(part)?;
    }
    file.sync_all()?;
    drop(file);
    fs::rename(temporary, path)?;
    sync_folder(path);
    Ok(())
}

/// Requests that the rename is durable. Errors are ignored: the file is complete, and some file
/// systems cannot sync folders.
fn sync_folder(path: &Path) {
    if cfg!(unix)
        && let Some(folder) = path.parent()
    {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
}

/// A unique name beside `path`: by process, and by count within it.
fn temporary_path(path: &Path) -> Option<PathBuf> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let mut name = OsString::from(".");
    name.push(path.file_name()?);
    name.push(format!(".{}-{}{TEMPORARY_SUFFIX}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
    Some(path.with_file_name(name))
}

/// Returns true for names of our temporary files.
pub fn is_temporary(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.starts_with('.') && name.ends_with(TEMPORARY_SUFFIX)
}

/// Removes temporary files of killed processes from `folder`. No other process may be writing
/// there.
pub fn remove_leftovers(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if is_temporary(&name) && entry.file_type()?.is_file() {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_written_file_replaces_the_old_one_and_leaves_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        atomic_write(&path, b"old").unwrap();
        atomic_write_parts(&path, &[b"new", b"er"]).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"newer");
        assert_eq!(names(folder.path()), ["run.json"]);
    }

    #[test]
    fn a_missing_folder_is_named_with_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("missing").join("run.json");
        let message = atomic_write(&path, b"x").unwrap_err().to_string();
        assert!(message.contains("missing/run.json"), "{message}");
        assert!(message.contains("create it first"), "{message}");
    }

    #[test]
    fn a_folder_in_the_way_is_an_error_and_no_temporary_file_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("0001.craze");
        fs::create_dir(&path).unwrap();
        fs::write(path.join("kept"), b"x").unwrap();
        let message = atomic_write(&path, b"x").unwrap_err().to_string();
        assert!(message.contains("0001.craze"), "{message}");
        assert_eq!(names(folder.path()), ["0001.craze"]);
        assert_eq!(names(&path), ["kept"]);
    }

    #[test]
    fn a_path_without_a_file_name_is_an_error() {
        assert!(atomic_write(Path::new("/"), b"x").is_err());
        assert!(atomic_write(Path::new(".."), b"x").is_err());
    }

    #[test]
    fn a_full_disk_says_so() {
        let error = WriteError::new(Path::new("a/b"), io::Error::from(io::ErrorKind::StorageFull));
        assert!(error.to_string().contains("the disk is full: free some space"), "{error}");
    }

    /// `/dev/full` opens and refuses every byte, like a full disk.
    #[cfg(target_os = "linux")]
    #[test]
    fn the_system_error_of_a_full_disk_is_recognised() {
        let mut full = File::options().write(true).open("/dev/full").unwrap();
        let cause = full.write_all(b"x").unwrap_err();
        assert!(explain(&cause).contains("the disk is full"), "{cause}");
    }

    #[test]
    fn leftovers_go_and_other_files_stay() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(".0001.craze.77-3.craze.tmp"), b"half").unwrap();
        fs::write(folder.path().join("notes.tmp"), b"mine").unwrap();
        fs::write(folder.path().join("0001.craze"), b"whole").unwrap();
        remove_leftovers(folder.path()).unwrap();
        assert_eq!(names(folder.path()), ["0001.craze", "notes.tmp"]);
    }
}
