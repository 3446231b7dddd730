//! The built-in scenes: scene files of this folder, compiled into the program so that it needs no
//! files beside it.

/// A built-in scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltIn {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its scene file.
    pub text: &'static str,
}

macro_rules! gallery {
    ($($name:literal),* $(,)?) => {
        &[$(BuiltIn { name: $name, text: include_str!(concat!($name, ".toml")) }),*]
    };
}

/// All built-in scenes; the first is the one to begin with.
pub const GALLERY: &[BuiltIn] = gallery![
    "two-bodies",
    "glass-slab",
    "adobe-wall",
    "adobe-wall-heavy",
    "bowl-1",
    "bowl-2",
    "bowl-3",
    "bowl-4",
    "comparison-bowl",
    "the-end",
    "rubble",
    "cradle",
    "stack",
    "heavy-ball",
    "clay-on-jelly",
    "twisted-bar",
    "press",
    "slope",
    "cantilever",
    "steel-drop",
    "broken-heart",
    "dough-bar-tough",
    "dough-bar",
    "dough-plate-weak",
    "dough-plate-strong",
    "dough-plate-ductile",
    "hollow-ball",
    "torn-cheese",
    "torn-figure",
    "cut-block",
    "crossing-cuts",
    "knife",
];

/// The built-in scene of a name.
pub fn find(name: &str) -> Option<&'static BuiltIn> {
    GALLERY.iter().find(|scene| scene.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_scene_file_of_the_folder_is_built_in() {
        let files = std::fs::read_dir(env!("CARGO_MANIFEST_DIR")).unwrap().map(|entry| entry.unwrap().path());
        let scenes = files.filter(|path| path.extension().is_some_and(|extension| extension == "toml"));
        let mut names: BTreeSet<String> =
            scenes.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
        assert!(names.remove("Cargo"));
        assert_eq!(names, GALLERY.iter().map(|scene| scene.name.to_owned()).collect());
    }
}
