//! A method's description as a value.

use crate::describe::{BodyKey, Describe, Elements, Responses};
use crate::{BodyFacts, Built, Finding, Rejection, Setup};
use craze_engine::Loader;
use craze_material::MaterialUse;
use schemars::Schema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// Description of a method as a value. Options are passed as JSON: `null`, or a table as in a scene
/// file.
#[derive(Clone, Copy, Debug)]
pub struct Descriptor {
    /// Its name in scene files and checkpoints.
    pub name: &'static str,
    /// Its letter in tables of known answers.
    pub letter: char,
    /// Title: the kind of body, with the paper.
    pub summary: &'static str,
    /// Which numbers of a material it reads.
    pub material: &'static MaterialUse,
    /// Elements that fill its shapes.
    pub elements: Elements,
    /// Whether it solves for equilibria.
    pub quasi_static: bool,
    /// Whether its bodies support penalty forces.
    pub penalty: bool,
    /// Bound on Δt (s) of a body whose scene gives none.
    pub time_step: Option<f64>,
    /// Keys of a small body in TOML, without `name`, `method` and `place`.
    pub example: &'static str,
    /// The same for a body that computes all of its elements in every step.
    pub benchmark: &'static str,
    /// Loads a saved body.
    pub load: Loader,
    body_keys: &'static [BodyKey],
    schema: fn() -> Schema,
    complete: fn(&Value) -> Result<Value, String>,
    check: fn(&Value, &BodyFacts) -> Vec<Finding>,
    responses: fn(&Value, &BodyFacts) -> Responses,
    build: fn(Setup, &Value) -> Result<Built, Rejection>,
}

impl Descriptor {
    /// The description of a method.
    pub const fn of<M: Describe>() -> Descriptor {
        Descriptor {
            name: M::NAME,
            letter: M::LETTER,
            summary: M::SUMMARY,
            material: M::MATERIAL,
            elements: M::ELEMENTS,
            quasi_static: M::QUASI_STATIC,
            penalty: M::PENALTY,
            time_step: M::TIME_STEP,
            example: M::EXAMPLE,
            benchmark: M::BENCHMARK,
            load: M::load,
            body_keys: M::BODY_KEYS,
            schema: schema::<M>,
            complete: complete::<M>,
            check: |options, body| M::check_options(&read::<M>(options).unwrap_or_default(), body),
            responses: |options, body| M::responses(&read::<M>(options).unwrap_or_default(), body),
            build: |setup, options| {
                let options = read::<M>(options).map_err(|error| Rejection::new(M::NAME, error, ""))?;
                M::build(setup, &options)
            },
        }
    }

    /// Whether its bodies have this key: that of their elements, or one more that the method reads.
    pub fn reads(&self, key: BodyKey) -> bool {
        let fills = key == BodyKey::Meshing && matches!(self.elements, Elements::Tetrahedra { .. });
        fills || self.elements.key() == key || self.body_keys.contains(&key)
    }

    /// The JSON Schema of its options, with references resolved.
    pub fn schema(&self) -> Schema {
        (self.schema)()
    }

    /// Options with every default filled in.
    pub fn complete(&self, options: &Value) -> Result<Value, String> {
        (self.complete)(options)
    }

    /// Contradictions among options, and options without effect.
    pub fn check_options(&self, options: &Value, body: &BodyFacts) -> Vec<Finding> {
        (self.check)(options, body)
    }

    /// Default contact responses of a body with these options.
    pub fn responses(&self, options: &Value, body: &BodyFacts) -> Responses {
        (self.responses)(options, body)
    }

    /// Builds a body.
    pub fn build(&self, setup: Setup, options: &Value) -> Result<Built, Rejection> {
        (self.build)(setup, options)
    }
}

/// The options of a method; those that are left out have their defaults.
pub fn read<M: Describe>(options: &Value) -> Result<M::Options, String> {
    match options {
        Value::Null => Ok(M::Options::default()),
        table => serde_json::from_value(table.clone()).map_err(|error| error.to_string()),
    }
}

fn complete<M: Describe>(options: &Value) -> Result<Value, String> {
    write::<M>(&read::<M>(options)?)
}

/// The table of options as in a scene file, with every default.
pub fn write<M: Describe>(options: &M::Options) -> Result<Value, String> {
    let written = serde_json::to_value(options).map_err(|error| error.to_string())?;
    let Value::Object(written) = written else { return Err("options are a table".to_owned()) };
    // Fields that the schema skips are set by keys beside the table.
    let schema = schema::<M>();
    let is_shown = |key: &str| schema.pointer("/properties").and_then(|shown| shown.get(key)).is_some();
    Ok(Value::Object(written.into_iter().filter(|(key, _)| is_shown(key)).collect::<Map<_, _>>()))
}

fn schema<M: Describe>() -> Schema {
    let mut settings = SchemaSettings::draft07();
    settings.inline_subschemas = true;
    settings.into_generator().root_schema_for::<M::Options>()
}
