//! A scene together with the text it came from.

use crate::check::{idle, meaning, structure};
use crate::description::Scene;
use crate::fill::fill;
use crate::format::SceneFormat;
use crate::overrides;
use crate::problem::{LARGEST_FILE, Problem};
use crate::report::{Collector, SceneError, SceneErrors};
use crate::source::{Source, Span};
use crate::tree::Node;
use craze_descriptor::Descriptor;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

/// A checked scene that knows where each of its keys was written, so that later errors can point
/// there.
#[derive(Clone, Debug)]
pub struct SceneDocument {
    /// The scene, with defaults filled in.
    pub scene: Scene,
    tree: Node,
    format: Arc<SceneFormat>,
}

/// Reads a scene from TOML; `name` is what errors call the text.
pub fn parse(text: &str, name: &str) -> Result<Scene, SceneErrors> {
    SceneDocument::parse(text, name, &[]).map(|document| document.scene)
}

impl SceneDocument {
    /// Reads a scene from TOML and applies overrides such as `world.duration=2`,
    /// `body.bowl.edge=0.01` or `hold[0].release=1`; `name` is what errors call the text.
    pub fn parse(text: &str, name: &str, overrides: &[String]) -> Result<Self, SceneErrors> {
        Self::parse_as(SceneFormat::built_in(), text, name, overrides)
    }

    /// Reads a scene of a format.
    pub(crate) fn parse_as(
        format: Arc<SceneFormat>,
        text: &str,
        name: &str,
        overrides: &[String],
    ) -> Result<Self, SceneErrors> {
        let source = Arc::new(Source { name: name.to_owned(), text: text.to_owned() });
        let mut tree = Node::parse(&source)?;
        overrides::apply(&mut tree, &format.form, overrides)?;
        Self::check(tree, format)
    }

    /// Reads a scene file and applies overrides.
    pub fn read(path: &Path, overrides: &[String]) -> Result<Self, SceneErrors> {
        let name = path.display().to_string();
        let bytes = read_bytes(path).map_err(|problem| SceneError::of_file(&name, problem))?;
        match String::from_utf8(bytes) {
            Ok(text) => Self::parse(&text, &name, overrides),
            Err(error) => Err(not_text(&name, &error).into()),
        }
    }

    /// A scene made by a program, with its written form as the text that errors point into.
    pub fn from_scene(scene: &Scene, name: &str) -> Result<Self, SceneErrors> {
        Self::parse(&scene.to_toml(), name, &[])
    }

    /// An error at a key such as `hold[2].region`, or at the nearest key above it that is written:
    /// what went wrong in a sentence, and what to do about it.
    pub fn error_at(&self, path: &str, message: impl Into<String>, help: impl Into<String>) -> SceneError {
        let problem = Problem::Rejected { message: message.into(), help: help.into() };
        SceneError::at(&self.tree.nearest_to(path).span, path, problem)
    }

    /// The methods that the scene may name.
    pub(crate) fn methods(&self) -> &'static [Descriptor] {
        self.format.methods
    }

    fn check(tree: Node, format: Arc<SceneFormat>) -> Result<Self, SceneErrors> {
        let methods = format.methods;
        let mut errors = Collector::default();
        structure::check(&tree, &format.form, &mut errors);
        meaning::check_ramps(&tree, &mut errors);
        errors.finish(())?;
        let mut scene: Scene = serde_json::from_value(tree.to_json()).map_err(|error| {
            let problem = Problem::Rejected { message: error.to_string(), help: String::new() };
            SceneError::at(&tree.span, "", problem)
        })?;
        fill(&mut scene, methods).map_err(|(path, message)| {
            SceneError::at(&tree.nearest_to(&path).span, &path, Problem::Rejected { message, help: String::new() })
        })?;
        let mut errors = Collector::default();
        meaning::check(&scene, &tree, methods, &mut errors);
        idle::check(&scene, &tree, &mut errors);
        errors.finish(Self { scene, tree, format })
    }
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, Problem> {
    let unreadable = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => Problem::NoFile,
        io::ErrorKind::IsADirectory => Problem::Folder,
        _ => Problem::Unreadable { message: error.to_string() },
    };
    let metadata = path.metadata().map_err(unreadable)?;
    if metadata.is_dir() {
        return Err(Problem::Folder);
    }
    if metadata.len() > LARGEST_FILE {
        return Err(Problem::TooLarge { bytes: metadata.len() });
    }
    let mut bytes = Vec::new();
    // A pipe or device has no size to ask for beforehand.
    let limited = File::open(path).map_err(unreadable)?.take(LARGEST_FILE + 1).read_to_end(&mut bytes);
    let read = limited.map_err(unreadable)?;
    if read as u64 > LARGEST_FILE { Err(Problem::TooLarge { bytes: read as u64 }) } else { Ok(bytes) }
}

fn not_text(name: &str, error: &std::string::FromUtf8Error) -> SceneError {
    let byte = error.utf8_error().valid_up_to();
    let text = String::from_utf8_lossy(&error.as_bytes()[..byte]).into_owned();
    let place = Span::new(&Arc::new(Source { name: name.to_owned(), text }), byte..byte);
    SceneError::of_file(name, Problem::NotText { byte }).at_line(place.line(), place.column())
}
