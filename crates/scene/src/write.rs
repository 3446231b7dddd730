//! A scene written as TOML, with every default.

use crate::check::units::in_digits;
use crate::description::Scene;
use crate::form::{Form, KeyForm, TableForm};
use serde_json::{Map, Value};
use std::fmt::Write;

/// Longest line that a table may fill before it is written key by key.
const WIDEST: usize = 110;

impl Scene {
    /// The scene as TOML with defaults filled in and units beside the numbers; reading it gives the
    /// same scene.
    pub fn to_toml(&self) -> String {
        write(self, Form::scene())
    }
}

/// A scene as TOML.
pub(crate) fn write(scene: &Scene, form: &TableForm) -> String {
    // Keys of the description are strings, so that its JSON always exists.
    let json = serde_json::to_value(scene).unwrap_or_default();
    let mut text = String::new();
    for key in &form.keys {
        let value = &json[&key.name];
        match (&key.form, value) {
            (Form::Table(table), Value::Object(entries)) => {
                let _ = writeln!(text, "\n[{}]", key.name);
                write_entries(&mut text, "", table, entries);
            }
            (Form::List { item, .. }, Value::Array(items)) => {
                let Form::Table(table) = &**item else { continue };
                for entries in items.iter().filter_map(Value::as_object) {
                    let _ = writeln!(text, "\n[[{}]]", key.name);
                    write_entries(&mut text, "", table, entries);
                }
            }
            _ => write_entry(&mut text, "", key, value),
        }
    }
    text.trim_start().to_owned()
}

fn write_entries(text: &mut String, prefix: &str, form: &TableForm, entries: &Map<String, Value>) {
    for key in &form.keys {
        write_entry(text, prefix, key, entries.get(&key.name).unwrap_or(&Value::Null));
    }
}

fn write_entry(text: &mut String, prefix: &str, key: &KeyForm, value: &Value) {
    let path = format!("{prefix}{}", key.name);
    match (&key.form, value) {
        (_, Value::Null) => {}
        (Form::List { .. }, Value::Array(items)) if items.is_empty() => {
            // An empty list is written where the default is not empty.
            if key.default.as_ref().and_then(Value::as_array).is_some_and(|default| !default.is_empty()) {
                let _ = writeln!(text, "{path} = []");
            }
        }
        (Form::Table(table), Value::Object(entries)) => {
            let is_tag = table.choice.as_ref().is_some_and(|choice| choice.is_tag);
            let line = format!("{path} = {}", inline(value));
            if !is_tag && line.len() <= WIDEST && !line.ends_with("{}") {
                let _ = writeln!(text, "{line}");
            } else if is_tag || has_entry(entries) {
                write_entries(text, &format!("{path}."), table, entries);
            } else {
                let _ = writeln!(text, "{path} = {{}}");
            }
        }
        (Form::List { item, .. }, Value::Array(items)) if !matches!(**item, Form::Number(_) | Form::Text { .. }) => {
            let _ = writeln!(text, "{path} = [");
            for item in items {
                let _ = writeln!(text, "  {},", inline(item));
            }
            let _ = writeln!(text, "]");
        }
        (form, _) => {
            let _ = match unit(form) {
                Some(unit) => writeln!(text, "{path} = {} # {unit}", inline(value)),
                None => writeln!(text, "{path} = {}", inline(value)),
            };
        }
    }
}

/// Whether a table has any value.
fn has_entry(entries: &Map<String, Value>) -> bool {
    entries.values().any(|value| !value.is_null())
}

/// The unit worth a comment.
fn unit(form: &Form) -> Option<&str> {
    match form {
        Form::Number(number) => Some(number.unit.as_str()).filter(|unit| !matches!(*unit, "" | "1")),
        Form::List { item, .. } => unit(item),
        _ => None,
    }
}

/// A value on one line.
fn inline(value: &Value) -> String {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() => with_point(float),
            _ => number.to_string(),
        },
        Value::String(string) => quoted(string),
        Value::Array(items) => format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", ")),
        Value::Object(entries) => {
            let said = entries.iter().filter(|(_, value)| !matches!(value, Value::Null));
            let entries: Vec<String> = said.map(|(key, value)| format!("{key} = {}", inline(value))).collect();
            if entries.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", entries.join(", ")) }
        }
        Value::Bool(switch) => switch.to_string(),
        Value::Null => String::new(),
    }
}

/// A number that TOML reads as a float.
fn with_point(float: f64) -> String {
    let digits = in_digits(float);
    if digits.contains(['.', 'e']) { digits } else { format!("{digits}.0") }
}

/// A string in double quotes, everything that could end or change it escaped.
fn quoted(string: &str) -> String {
    let mut text = String::from("\"");
    for character in string.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            control if control.is_control() => {
                let _ = write!(text, "\\u{:04X}", u32::from(control));
            }
            other => text.push(other),
        }
    }
    text.push('"');
    text
}
