//! The schema as the checker, the writer and the reference need it: tables with keys, lists,
//! numbers with limits.

use crate::schema::{dressed, schema_value};
use craze_descriptor::Descriptor;
use craze_methods::METHODS;
use schemars::JsonSchema;
use serde_json::Value;
use std::sync::OnceLock;

/// The values that a key admits.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Form {
    Table(TableForm),
    List {
        item: Box<Form>,
        least: usize,
        most: usize,
    },
    Number(NumberForm),
    /// A string of at least that many characters.
    Text {
        least: usize,
    },
    /// One of several words, each with its meaning.
    Names(Vec<(String, String)>),
    Switch,
}

/// A table and its keys.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TableForm {
    pub keys: Vec<KeyForm>,
    pub choice: Option<Choice>,
}

/// Keys that exclude each other.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Choice {
    pub keys: Vec<String>,
    /// Whether one of them must be there.
    pub required: bool,
    /// Whether the table is nothing but the choice, as in `shape.box`.
    pub is_tag: bool,
}

/// A key of a table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct KeyForm {
    pub name: String,
    pub meaning: String,
    pub required: bool,
    pub default: Option<Value>,
    pub form: Form,
}

/// A number with its unit and limits.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct NumberForm {
    pub integer: bool,
    /// Empty where the number counts something; "1" for ratios.
    pub unit: String,
    pub minimum: Option<f64>,
    pub maximum: Option<f64>,
    pub above: Option<f64>,
    pub below: Option<f64>,
    /// Limits in words that the material crate checks.
    pub allowed: Option<String>,
}

impl NumberForm {
    /// Whether the limits admit a number.
    pub fn admits(&self, number: f64) -> bool {
        self.minimum.is_none_or(|limit| number >= limit)
            && self.maximum.is_none_or(|limit| number <= limit)
            && self.above.is_none_or(|limit| number > limit)
            && self.below.is_none_or(|limit| number < limit)
    }

    /// The limits in words; none where every number is fine.
    pub fn limits(&self) -> Option<String> {
        let limit = |words: &str, limit: Option<f64>| limit.map(|limit| format!("{words} {limit}"));
        let low = limit("above", self.above).or(limit("at least", self.minimum));
        let high = limit("below", self.below).or(limit("at most", self.maximum));
        match (low, high) {
            (Some(low), Some(high)) => Some(format!("{low} and {high}")),
            (Some(one), None) | (None, Some(one)) => Some(one),
            (None, None) => self.allowed.clone(),
        }
    }
}

impl Form {
    /// The form of a whole scene with the methods of Craze.
    pub fn scene() -> &'static TableForm {
        static FORM: OnceLock<TableForm> = OnceLock::new();
        FORM.get_or_init(|| Form::scene_of(METHODS))
    }

    /// The form of a whole scene with these methods.
    pub fn scene_of(methods: &[Descriptor]) -> TableForm {
        match Form::read(&schema_value(methods)) {
            Form::Table(table) => table,
            _ => TableForm::default(),
        }
    }

    /// The form of a type with a schema.
    pub fn of<T: JsonSchema>() -> Self {
        Self::read(&dressed::<T>().to_value())
    }

    fn read(schema: &Value) -> Self {
        if let Some(form) = Self::read_names(schema).or_else(|| Self::read_tags(schema)) {
            return form;
        }
        let count = |key: &str| schema[key].as_u64().map(|count| count as usize);
        match schema["type"].as_str() {
            Some("object") => Form::Table(read_table(schema)),
            Some("array") => Form::List {
                item: Box::new(Self::read(&schema["items"])),
                least: count("minItems").unwrap_or(0),
                most: count("maxItems").unwrap_or(usize::MAX),
            },
            Some("number") => Form::Number(read_number(schema, false)),
            Some("integer") => Form::Number(read_number(schema, true)),
            Some("boolean") => Form::Switch,
            _ => Form::Text { least: count("minLength").unwrap_or(0) },
        }
    }

    /// Words: `enum` or `oneOf` of constants.
    fn read_names(schema: &Value) -> Option<Self> {
        let plain = schema["enum"].as_array().into_iter().flatten().map(|name| (name, ""));
        let described = schema["oneOf"].as_array().into_iter().flatten().flat_map(|option| {
            let meaning = option["description"].as_str().unwrap_or_default();
            let constant = option.get("const").into_iter();
            constant.chain(option["enum"].as_array().into_iter().flatten()).map(move |name| (name, meaning))
        });
        let names: Vec<(String, String)> = plain
            .chain(described)
            .filter_map(|(name, meaning)| Some((name.as_str()?.to_owned(), sentence(meaning))))
            .collect();
        (!names.is_empty()).then_some(Form::Names(names))
    }

    /// External tags: `oneOf` of tables with one required key each.
    fn read_tags(schema: &Value) -> Option<Self> {
        let mut keys = Vec::new();
        for option in schema["oneOf"].as_array()? {
            let table = read_table(option);
            keys.extend(table.keys.into_iter().map(|key| KeyForm {
                meaning: option["description"].as_str().map_or(key.meaning.clone(), sentence),
                required: false,
                ..key
            }));
        }
        let choice = Choice { keys: keys.iter().map(|key| key.name.clone()).collect(), required: true, is_tag: true };
        Some(Form::Table(TableForm { keys, choice: Some(choice) }))
    }
}

fn read_table(schema: &Value) -> TableForm {
    let required = strings(&schema["required"]);
    let keys = schema["properties"].as_object().into_iter().flatten().map(|(name, property)| KeyForm {
        name: name.clone(),
        meaning: sentence(property["description"].as_str().unwrap_or_default()),
        required: required.contains(name),
        default: property.get("default").cloned(),
        form: Form::read(property),
    });
    let choice = |key: &str, required| {
        let keys = strings(&schema[key]);
        (!keys.is_empty()).then_some(Choice { keys, required, is_tag: false })
    };
    TableForm { keys: keys.collect(), choice: choice("x-exactly-one", true).or_else(|| choice("x-at-most-one", false)) }
}

fn read_number(schema: &Value, integer: bool) -> NumberForm {
    let text = |key: &str| schema[key].as_str().map(str::to_owned);
    NumberForm {
        integer,
        unit: text("x-unit").unwrap_or_default(),
        minimum: schema["minimum"].as_f64(),
        maximum: schema["maximum"].as_f64(),
        above: schema["exclusiveMinimum"].as_f64(),
        below: schema["exclusiveMaximum"].as_f64(),
        allowed: text("x-allowed"),
    }
}

fn strings(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

/// A description on one line, without the full stop that a sentence in a table does not need.
fn sentence(description: &str) -> String {
    let line = description.split_whitespace().collect::<Vec<_>>().join(" ");
    line.strip_suffix('.').unwrap_or(&line).to_owned()
}

impl TableForm {
    /// The key of this name.
    pub fn key(&self, name: &str) -> Option<&KeyForm> {
        self.keys.iter().find(|key| key.name == name)
    }

    /// Names of all keys, in order.
    pub fn names(&self) -> Vec<String> {
        self.keys.iter().map(|key| key.name.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_read_without_loss() {
        let scene = Form::scene();
        let body = scene.key("body").expect("body");
        let Form::List { item, .. } = &body.form else { panic!("body is a list") };
        let Form::Table(body) = &**item else { panic!("of tables") };
        assert!(body.key("name").is_some_and(|key| key.required));
        assert!(matches!(&body.key("method").expect("method").form, Form::Names(names) if names[0].0 == "solid"));
        let Form::Table(shape) = &body.key("shape").expect("shape").form else { panic!("shape is a table") };
        assert_eq!(shape.names()[..3], ["box", "sphere", "cylinder"]);
        assert!(shape.choice.as_ref().is_some_and(|choice| choice.required && choice.is_tag));
        let Form::Table(block) = &shape.key("box").expect("box").form else { panic!("box is a table") };
        let Form::List { item, least: 3, most: 3 } = &block.key("size").expect("size").form else {
            panic!("size has three numbers")
        };
        let metres = NumberForm { unit: "m".into(), above: Some(0.0), ..NumberForm::default() };
        assert_eq!(**item, Form::Number(metres));
        let Form::Number(edge) = &body.key("edge").expect("edge").form else { panic!("edge is a number") };
        assert_eq!((edge.unit.as_str(), edge.above), ("m", Some(0.0)));
        assert!(matches!(&body.key("integrator").expect("integrator").form, Form::Names(names) if names.len() == 4));
    }

    #[test]
    fn every_number_has_a_unit_or_counts_something() {
        fn walk(path: &str, form: &Form) {
            match form {
                Form::Table(table) => {
                    table.keys.iter().for_each(|key| walk(&format!("{path}.{}", key.name), &key.form))
                }
                Form::List { item, .. } => walk(path, item),
                Form::Number(number) => assert!(number.integer || !number.unit.is_empty(), "{path} has no unit"),
                _ => {}
            }
        }
        walk("", &Form::Table(Form::scene().clone()));
    }

    #[test]
    fn every_integer_has_a_limit_within_its_type() {
        fn walk(path: &str, form: &Form) {
            match form {
                Form::Table(table) => {
                    table.keys.iter().for_each(|key| walk(&format!("{path}.{}", key.name), &key.form))
                }
                Form::List { item, .. } => walk(path, item),
                // The seed has 64 bits; larger integers are refused as such.
                Form::Number(number) if number.integer && path != ".world.seed" => {
                    assert!(number.maximum.is_some_and(|maximum| maximum <= f64::from(u32::MAX)), "{path}");
                    // Files number their regions as they like; everything else counts from zero.
                    let least = if path.ends_with(".regions.number") { f64::from(i32::MIN) } else { 0.0 };
                    assert!(number.minimum.is_some_and(|minimum| minimum >= least), "{path}");
                }
                _ => {}
            }
        }
        walk("", &Form::Table(Form::scene().clone()));
    }

    #[test]
    fn every_key_says_what_it_means() {
        fn walk(path: &str, table: &TableForm) {
            for key in &table.keys {
                let path = format!("{path}.{}", key.name);
                assert!(!key.meaning.is_empty(), "{path}");
                match &key.form {
                    Form::Table(table) => walk(&path, table),
                    Form::List { item, .. } => {
                        if let Form::Table(table) = &**item {
                            walk(&path, table)
                        }
                    }
                    _ => {}
                }
            }
        }
        walk("", Form::scene());
    }
}
