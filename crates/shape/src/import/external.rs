//! Files that a model refers to.

use std::io;
use std::path::{Component, Path, PathBuf};

use crate::tuning::MAX_FILE_BYTES;

/// Returns the bytes of a file by its path relative to the model's folder.
pub type ExternalFiles<'a> = dyn Fn(&Path) -> io::Result<Vec<u8>> + 'a;

/// Reads a regular file. Rejects pipes and devices, which may block or never end.
pub(crate) fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let about = std::fs::metadata(path)?;
    if !about.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    if about.len() > MAX_FILE_BYTES {
        return Err(io::Error::other(format!("it has {} bytes, more than {MAX_FILE_BYTES}", about.len())));
    }
    std::fs::read(path)
}

/// Access to the files in the model's folder and below; rejects links out of it.
pub(crate) fn files_beside(model: &Path) -> impl Fn(&Path) -> io::Result<Vec<u8>> {
    let folder = match model.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    move |name| {
        let path = folder.join(name).canonicalize()?;
        if !path.starts_with(folder.canonicalize()?) {
            return Err(io::Error::other("it is a link that leaves the model's folder"));
        }
        read_file(&path)
    }
}

/// The normalised path, relative to the model's folder, of a file name in a model; `None` if it
/// leaves the folder.
///
/// Names are treated alike on all systems: a backslash separates folders, a colon belongs to a
/// drive or a URI scheme.
pub(crate) fn path_within(name: &str) -> Option<PathBuf> {
    let name = name.replace('\\', "/");
    if name.is_empty() || name.contains([':', '\0']) {
        return None;
    }
    let mut path = PathBuf::new();
    for component in Path::new(&name).components() {
        match component {
            Component::Normal(part) => path.push(part),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    (!path.as_os_str().is_empty()).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_leave_the_folder_have_no_path() {
        for name in ["", ".", "/etc/passwd", "../a", "a/../../b", "a/../b", "C:\\a", "\\\\host\\a", "file:///a", "a\0b"]
        {
            assert_eq!(path_within(name), None, "{name:?}");
        }
        for (name, path) in [("a.bin", "a.bin"), ("./a b.bin", "a b.bin"), ("sub\\a", "sub/a"), ("x//y/./z", "x/y/z")] {
            assert_eq!(path_within(name), Some(PathBuf::from(path)));
        }
    }

    #[test]
    fn only_regular_files_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("sub")).expect("made");
        std::fs::write(folder.path().join("a.bin"), [1, 2]).expect("written");
        let model = folder.path().join("model.obj");
        let files = files_beside(&model);
        assert_eq!(files(Path::new("a.bin")).expect("read"), [1, 2]);
        assert!(files(Path::new("sub")).is_err() && files(Path::new("b.bin")).is_err());
        assert!(read_file(folder.path()).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_that_leave_the_folder_and_devices_are_not_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let inner = folder.path().join("inner");
        std::fs::create_dir(&inner).expect("made");
        std::fs::write(folder.path().join("secret"), [1]).expect("written");
        std::fs::write(inner.join("own"), [2]).expect("written");
        for (name, target) in [("out", "../secret"), ("in", "own"), ("zero", "/dev/zero")] {
            std::os::unix::fs::symlink(target, inner.join(name)).expect("linked");
        }
        let model = inner.join("model.gltf");
        let files = files_beside(&model);
        assert_eq!(files(Path::new("in")).expect("read"), [2]);
        assert!(files(Path::new("out")).expect_err("outside").to_string().contains("leaves"));
        assert!(files(Path::new("zero")).is_err());
        assert!(read_file(&inner.join("zero")).expect_err("a device").to_string().contains("not a file"));
    }
}
