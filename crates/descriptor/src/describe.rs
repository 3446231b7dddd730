//! The trait by which a method describes itself.

use crate::{BodyFacts, Built, Finding, Rejection, Response, Setup};
use craze_engine::Method;
use craze_material::MaterialUse;
use craze_mesh::TetMesh;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;

/// A fracture method that scene files can name.
pub trait Describe: Method + Sized + 'static {
    /// Its name in scene files and checkpoints, which is also that of its table of options.
    const NAME: &'static str;

    /// Its letter in tables of known answers.
    const LETTER: char;

    /// Title: the kind of body, with the paper.
    const SUMMARY: &'static str;

    /// Which numbers of a material it reads.
    const MATERIAL: &'static MaterialUse;

    /// Elements that fill its shapes.
    const ELEMENTS: Elements;

    /// Keys of a body that it reads beside those of every method.
    const BODY_KEYS: &'static [BodyKey] = &[];

    /// Whether it solves for equilibria (`world.mode = "quasi-static"`).
    const QUASI_STATIC: bool = false;

    /// Whether its bodies support penalty forces, which need tetrahedra.
    const PENALTY: bool = false;

    /// Bound on Δt (s) of a body whose scene gives none.
    const TIME_STEP: Option<f64> = None;

    /// Keys of a small body in TOML, without `name`, `method` and `place`, 0.1 m high, for fuzzing.
    const EXAMPLE: &'static str;

    /// The same for a body that computes all of its elements in every step, for `craze bench`.
    const BENCHMARK: &'static str = Self::EXAMPLE;

    /// The table of options in a scene file. Its doc comments, units and limits become the schema
    /// and the reference, its default the defaults of a scene.
    type Options: Clone + Debug + Default + PartialEq + Serialize + DeserializeOwned + JsonSchema;

    /// Contradictions among the options, and options without effect.
    fn check_options(_options: &Self::Options, _body: &BodyFacts) -> Vec<Finding> {
        Vec::new()
    }

    /// Contact response of its bodies by default.
    fn responses(_options: &Self::Options, _body: &BodyFacts) -> Responses {
        Responses::default()
    }

    /// Builds a body.
    fn build(setup: Setup, options: &Self::Options) -> Result<Built, Rejection>;

    /// Loads the bytes of [`Method::save`]; the text of the error says what is wrong with them.
    fn load(bytes: &[u8]) -> Result<Box<dyn Method>, String>;
}

/// Elements that fill a shape.
#[derive(Clone, Copy, Debug)]
pub enum Elements {
    /// Tetrahedra of the body's `edge`.
    Tetrahedra {
        /// The outward triangles of a mesh, and half of the distance (m) that the body will keep
        /// from others. Faces that lie on those of other bodies are moved inward by it before the
        /// body is built.
        contact_boundary: fn(&TetMesh) -> (Vec<[u32; 3]>, f64),
    },
    /// Particles at the body's `spacing`.
    Particles,
}

impl Elements {
    /// Their name in messages.
    pub const fn name(&self) -> &'static str {
        match self {
            Elements::Tetrahedra { .. } => "tetrahedra",
            Elements::Particles => "particles",
        }
    }

    /// The key of a body that gives their size.
    pub const fn key(&self) -> BodyKey {
        match self {
            Elements::Tetrahedra { .. } => BodyKey::Edge,
            Elements::Particles => BodyKey::Spacing,
        }
    }

    /// Their number in a cube with that edge length (1).
    pub const fn count_in_cube(&self) -> f64 {
        match self {
            Elements::Tetrahedra { .. } => craze_shape::resolution::TETRAHEDRA_PER_CUBIC_EDGE,
            Elements::Particles => 1.0,
        }
    }
}

/// A key of a body that not every method reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKey {
    /// Edge length of elements.
    Edge,
    /// Distance between particles.
    Spacing,
    /// Time integration.
    Integrator,
    /// Materials of regions.
    Materials,
    /// Pattern and orientation of the tetrahedra.
    Meshing,
}

impl BodyKey {
    /// All keys.
    pub const ALL: [BodyKey; 5] =
        [BodyKey::Edge, BodyKey::Spacing, BodyKey::Integrator, BodyKey::Materials, BodyKey::Meshing];

    /// The key in scene files.
    pub const fn name(self) -> &'static str {
        match self {
            BodyKey::Edge => "edge",
            BodyKey::Spacing => "spacing",
            BodyKey::Integrator => "integrator",
            BodyKey::Materials => "materials",
            BodyKey::Meshing => "meshing",
        }
    }
}

/// Contact responses of a body: to others with penalty forces, and between its own pieces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Responses {
    /// To other bodies; if two differ, the later in the order of [`Response`] applies.
    pub others: Response,
    /// Between its own pieces.
    pub itself: Response,
}
