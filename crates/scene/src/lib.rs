//! Scene files: TOML in, a checked description out, with errors that point at the key.
//!
//! [`parse`] gives a [`Scene`] with defaults filled in. [`SceneDocument`] is the same with its text
//! at hand, so that what is found wrong later (a region that selects nothing) can still be reported
//! with line and column. The types in this crate are the one definition of scene files:
//! [`json_schema`], docs/scenes.md and [`Scene::to_toml`] follow from them.

mod build;
mod check;
mod description;
mod document;
mod fill;
mod form;
mod format;
mod overrides;
mod problem;
mod reference;
mod report;
mod schema;
mod source;
mod template;
mod tree;
mod write;

pub use build::{Built, build};
pub use craze_descriptor::fault_of_triangles;
pub use craze_methods::METHODS;
pub use description::*;
pub use document::{SceneDocument, parse};
pub use format::SceneFormat;
pub use problem::{LARGEST_FILE, Problem};
pub use reference::{reference, shape_reference};
pub use report::{MOST_ERRORS, SceneError, SceneErrors, Style};
pub use schema::json_schema;
pub use template::Template;
