//! The format of scene files for a list of methods.

use crate::description::Scene;
use crate::document::SceneDocument;
use crate::form::{Form, TableForm};
use crate::report::SceneErrors;
use craze_descriptor::Descriptor;
use craze_methods::METHODS;
use std::sync::{Arc, OnceLock};

/// Scene files with a list of methods: names of bodies' methods, and tables of their options.
#[derive(Debug)]
pub struct SceneFormat {
    pub(crate) methods: &'static [Descriptor],
    pub(crate) form: TableForm,
}

impl SceneFormat {
    /// The format with the methods of Craze.
    pub fn built_in() -> Arc<SceneFormat> {
        static FORMAT: OnceLock<Arc<SceneFormat>> = OnceLock::new();
        Arc::clone(FORMAT.get_or_init(|| SceneFormat::of(METHODS)))
    }

    /// The format with other methods, for programs that bring their own.
    pub fn of(methods: &'static [Descriptor]) -> Arc<SceneFormat> {
        Arc::new(SceneFormat { methods, form: Form::scene_of(methods) })
    }

    /// Reads a scene from TOML and applies overrides; `name` is what errors call the text.
    pub fn parse(self: &Arc<Self>, text: &str, name: &str, overrides: &[String]) -> Result<SceneDocument, SceneErrors> {
        SceneDocument::parse_as(Arc::clone(self), text, name, overrides)
    }

    /// The scene as TOML with defaults filled in and units beside the numbers; reading it gives the
    /// same scene.
    pub fn write(&self, scene: &Scene) -> String {
        crate::write::write(scene, &self.form)
    }
}
