//! Files that appear whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::error::RenderError;

/// Writes a file beside `path` and gives it its name only when it is complete and on disk.
pub(crate) fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), RenderError> {
    let refuse = |source: io::Error| RenderError::File { path: path.to_owned(), source };
    let Some(name) = path.file_name() else {
        return Err(refuse(io::Error::new(io::ErrorKind::InvalidInput, "this is no name of a file")));
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
        // The first error is the one to tell; a partial file that cannot be removed does no harm.
        let _ = fs::remove_file(&partial);
        refuse(error)
    })
}
