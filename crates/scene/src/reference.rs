//! The tables of docs/scenes.md and docs/shapes.md, made from the schema.

use crate::check::units::in_digits;
use crate::form::{Form, KeyForm, TableForm};
use serde_json::Value;
use std::fmt::Write;

/// A Markdown table of keys for each section of a scene file, with type, unit, default and meaning.
pub fn reference() -> String {
    let scene = Form::scene();
    let mut text = String::new();
    let mut options = Vec::new();
    let plain: Vec<&KeyForm> = scene.keys.iter().filter(|key| section(key).is_none()).collect();
    let _ = write!(text, "### Top of the file\n\n{HEADER}");
    for key in plain {
        write_rows(&mut text, "", key, &mut options);
    }
    for key in &scene.keys {
        let Some((header, table)) = section(key) else { continue };
        let _ = write!(text, "\n### {header}\n\n{}.\n\n{HEADER}", key.meaning);
        for key in &table.keys {
            write_rows(&mut text, "", key, &mut options);
        }
        if let Some(choice) = &table.choice {
            let keys: Vec<String> = choice.keys.iter().map(|key| format!("`{key}`")).collect();
            let count = if choice.required { "Exactly" } else { "At most" };
            let _ = writeln!(text, "\n{count} one of {} is given.", keys.join(", "));
        }
    }
    text
}

/// The sections of docs/shapes.md: for each built-in shape and sheet its picture and a table of its
/// keys.
pub fn shape_reference() -> String {
    let mut text = String::new();
    for (title, form, folder) in [
        ("Solids", Form::of::<craze_shape::Shape>(), "shapes"),
        ("Sheets", Form::of::<craze_shape::sheet::Sheet>(), "shapes/sheets"),
    ] {
        let Form::Table(table) = form else { continue };
        let _ = writeln!(text, "\n## {title}");
        for key in &table.keys {
            let Form::Table(keys) = &key.form else { continue };
            let (name, meaning) = (&key.name, &key.meaning);
            let _ = write!(text, "\n### `{name}`\n\n{meaning}.\n\n");
            // A model has no picture of its own.
            if name != "mesh" {
                let _ = write!(text, "![{meaning}]({folder}/{name}.png)\n\n");
            }
            text.push_str(HEADER);
            for key in &keys.keys {
                write_rows(&mut text, "", key, &mut Vec::new());
            }
        }
    }
    text
}

const HEADER: &str = "| key | type | unit | default | meaning |\n|---|---|---|---|---|\n";

/// The header and keys of a section; none for a plain key at the top.
fn section(key: &KeyForm) -> Option<(String, &TableForm)> {
    match &key.form {
        Form::Table(table) => Some((format!("`[{}]`", key.name), table)),
        Form::List { item, .. } => match &**item {
            Form::Table(table) => Some((format!("`[[{}]]`", key.name), table)),
            _ => None,
        },
        _ => None,
    }
}

/// A row for a key, and one for each key below it, unless it is one of the options that have been
/// described before.
fn write_rows<'form>(text: &mut String, prefix: &str, key: &'form KeyForm, options: &mut Vec<&'form KeyForm>) {
    let path = format!("{prefix}{}", key.name);
    let (kind, unit, limits) = describe(&key.form);
    let default = match &key.default {
        _ if key.required => "required".to_owned(),
        Some(default) if !matches!(default, Value::Object(_)) => format!("`{}`", plain(default)),
        _ => String::new(),
    };
    // The unit has a column of its own.
    let mut meaning = key.meaning.replace(&format!(" ({unit})"), "").replace(" (1)", "");
    if let Some(limits) = limits {
        let _ = write!(meaning, " ({limits})");
    }
    if let Form::Names(names) = &key.form {
        for (name, what) in names.iter().filter(|(_, what)| !what.is_empty()) {
            let _ = write!(meaning, "<br>`\"{name}\"`: {what}");
        }
    }
    if let Some((_, table)) = section(key)
        && let Some(choice) = &table.choice
    {
        let keys: Vec<String> = choice.keys.iter().map(|key| format!("`{key}`")).collect();
        let _ = write!(meaning, "; one of {}", keys.join(", "));
    }
    let is_known = matches!(key.form, Form::Table(_)) && options.contains(&key);
    if is_known {
        meaning.push_str("; its keys are listed above");
    }
    let _ = writeln!(text, "| `{path}` | {kind} | {unit} | {default} | {meaning} |");
    if is_known {
        return;
    }
    if let Some((_, table)) = section(key) {
        let prefix = match key.form {
            Form::List { .. } => format!("{path}[]."),
            _ => format!("{path}."),
        };
        for key in &table.keys {
            write_rows(text, &prefix, key, options);
        }
        if table.choice.as_ref().is_some_and(|choice| choice.is_tag) {
            options.extend(&table.keys);
        }
    }
}

/// Type, unit and limits of a form.
fn describe(form: &Form) -> (String, String, Option<String>) {
    match form {
        Form::Table(_) => ("table".into(), String::new(), None),
        Form::Number(number) => {
            let kind = if number.integer { "whole number" } else { "number" };
            (kind.into(), if number.unit == "1" { String::new() } else { number.unit.clone() }, number.limits())
        }
        Form::Text { .. } => ("string".into(), String::new(), None),
        Form::Names(_) => ("name".into(), String::new(), None),
        Form::Switch => ("true or false".into(), String::new(), None),
        Form::List { item, least, most } => {
            let (kind, unit, limits) = describe(item);
            let kind = match &**item {
                Form::List { .. } => format!("{least} × {kind}"),
                _ if least == most => format!("{least} {kind}s"),
                _ => format!("list of {kind}s"),
            };
            (kind, unit, limits.map(|limits| format!("each {limits}")))
        }
    }
}

/// A default as TOML has it, whole numbers without a point.
fn plain(default: &Value) -> String {
    match default {
        Value::Array(items) => format!("[{}]", items.iter().map(plain).collect::<Vec<_>>().join(", ")),
        Value::Object(entries) => {
            let entries: Vec<String> = entries.iter().map(|(key, value)| format!("{key} = {}", plain(value))).collect();
            format!("{{ {} }}", entries.join(", "))
        }
        Value::Number(number) => number.as_f64().map_or(number.to_string(), in_digits),
        other => other.to_string(),
    }
}
