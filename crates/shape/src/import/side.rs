//! Files that a model names beside itself.

use std::io;
use std::path::{Component, Path, PathBuf};

/// Gives the bytes of a file beside a model, by its path relative to the model's folder.
pub type SideFiles<'a> = dyn Fn(&Path) -> io::Result<Vec<u8>> + 'a;

/// The files in a model's folder and in those below.
pub(crate) fn beside(model: &Path) -> impl Fn(&Path) -> io::Result<Vec<u8>> {
    let folder = model.parent().unwrap_or(Path::new(""));
    move |name| {
        let path = folder.join(name);
        // A pipe would wait for ever.
        if !std::fs::metadata(&path)?.is_file() {
            return Err(io::Error::other("it is not a file"));
        }
        std::fs::read(path)
    }
}

/// The path of a file that a model names, relative to the model's folder and without detours; none if it leaves that folder.
///
/// Names are read alike on every system: a backslash parts folders, a colon belongs to a drive or a scheme.
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
    fn what_is_no_file_is_not_read() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("sub")).expect("made");
        std::fs::write(folder.path().join("a.bin"), [1, 2]).expect("written");
        let model = folder.path().join("model.obj");
        let files = beside(&model);
        assert_eq!(files(Path::new("a.bin")).expect("read"), [1, 2]);
        assert!(files(Path::new("sub")).is_err() && files(Path::new("b.bin")).is_err());
    }
}
