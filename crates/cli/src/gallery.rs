//! Scenes that are compiled into the program.

/// A built-in scene.
pub struct BuiltIn {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its scene file.
    pub text: &'static str,
}

macro_rules! gallery {
    ($($name:literal),* $(,)?) => {
        &[$(BuiltIn { name: $name, text: include_str!(concat!("../../../scenes/", $name, ".toml")) }),*]
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
];

/// The built-in scene of a name.
pub fn find(name: &str) -> Option<&'static BuiltIn> {
    GALLERY.iter().find(|scene| scene.name == name)
}
