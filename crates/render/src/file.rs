//! Atomic file writes.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::error::RenderError;

/// Writes to a temporary file beside `path`, which is renamed when it is complete and synced.
pub(crate) fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), RenderError> {
    let refuse = |source: io::Error| RenderError::File { path: path.to_owned(), source };
    let Some(name) = path.file_name() else {
        return Err(refuse(io::Error::new(io::ErrorKind::InvalidInput, "the path does not name a file")));
    };
    let mut partial_name = std::ffi::OsString::from(".");
    partial_name.push(name);
    partial_name.push(format!(".{}.partial", std::process::id()));
    let partial = path.with_file_name(partial_name);
    let attempt = || -> io::Result<()> {
        let mut writer = BufWriter::new(File::create(&partial)?);
        write(&mut writer)?;
        writer.flush()?;
        writer.get_ref().sync_all()?;
        fs::rename(&partial, path)
    };
    attempt().map_err(|error| {
        // Report the first error; a leftover temporary file is harmless.
        let _ = fs::remove_file(&partial);
        refuse(error)
    })
}
