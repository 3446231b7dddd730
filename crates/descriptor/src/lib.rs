//! Self-description of fracture methods: scene files, validation, benchmarks and fuzzing do not
//! refer to a method by name.
//!
//! A method implements [`Describe`] for its body type: its name, the keys of its table in a scene
//! file, what fills its shapes, and how a body is built and loaded. [`Descriptor::of`] makes a
//! value of this, and a program knows the methods that its list of descriptors has.

mod check;
mod describe;
mod descriptor;
mod keys;
mod rejection;
mod setup;
mod source;

pub use check::{BodyFacts, Finding};
pub use describe::{BodyKey, Describe, Elements, Responses};
pub use descriptor::{Descriptor, read as read_options, write as write_options};
pub use keys::{Integrator, Painted, Region, Response, Sampling, check_direction};
pub use rejection::Rejection;
pub use setup::{Built, Factor, Setup};
pub use source::{Points, Regions, Skin, SkinSource, Solids, Source, fault_of_triangles, how_read, read_model_file};
