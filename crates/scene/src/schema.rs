//! The JSON Schema of scene files, for editors and other programs.

use crate::description::Scene;
use craze_descriptor::{BodyKey, Descriptor};
use craze_material::{Key, Quantity, presets};
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

/// The JSON Schema (draft 7) of scene files, with descriptions, units (`x-unit`), limits and
/// defaults.
///
/// `x-at-most-one` and `x-exactly-one` name keys of which a table may or must have one.
pub fn json_schema() -> String {
    // The schema is made of strings, numbers and maps with string keys, which always have a JSON
    // form.
    serde_json::to_string_pretty(&schema_value(craze_methods::METHODS)).unwrap_or_default()
}

/// The schema as a value, with what the methods and the material crate know.
pub(crate) fn schema_value(methods: &[Descriptor]) -> Value {
    let mut schema = dressed::<Scene>();
    schema.insert("title".into(), "Craze scene".into());
    let mut schema = schema.to_value();
    if let Some(body) = schema.pointer_mut("/properties/body/items") {
        describe_methods(body, methods);
    }
    for path in ["material", "materials/properties/mortar", "materials/properties/regions/items/properties/material"] {
        if let Some(material) = schema.pointer_mut(&format!("/properties/body/items/properties/{path}")) {
            describe_material(material, methods);
        }
    }
    schema
}

/// The schema of a type: no references, no nulls, limits on numbers rather than on lists of them.
pub(crate) fn dressed<T: JsonSchema>() -> Schema {
    let mut settings = SchemaSettings::draft07();
    settings.inline_subschemas = true;
    let mut schema = settings.into_generator().root_schema_for::<T>();
    dress(&mut schema);
    schema
}

/// Takes nulls out of a schema, and moves limits from lists to their numbers.
fn dress(schema: &mut Schema) {
    let mut dress = RecursiveTransform(|schema: &mut Schema| {
        forget_null(schema);
        move_limits_to_items(schema);
    });
    dress.transform(schema);
}

/// Adds the names of the methods, their tables of options, and which of them read a key of a body.
fn describe_methods(body: &mut Value, methods: &[Descriptor]) {
    body["additionalProperties"] = false.into();
    let properties = &mut body["properties"];
    let name = |method: &Descriptor| json!({ "description": method.summary, "type": "string", "const": method.name });
    let description = properties["method"]["description"].take();
    properties["method"] = json!({ "description": description, "oneOf": methods.iter().map(name).collect::<Vec<_>>() });
    for key in BodyKey::ALL {
        let users = methods.iter().filter(|method| method.reads(key)).map(|method| method.name);
        if let Some(Value::String(text)) = properties[key.name()].get_mut("description") {
            *text = format!("{}; {}", text.trim_end_matches('.'), used_by(users.collect(), methods.len()));
        }
    }
    for method in methods {
        let mut options = method.schema();
        dress(&mut options);
        for key in ["$schema", "title"] {
            options.remove(key);
        }
        options.insert("additionalProperties".into(), false.into());
        properties[method.name] = options.to_value();
    }
}

/// Takes "or null" out of optional keys.
fn forget_null(schema: &mut Schema) {
    let Some(object) = schema.as_object_mut() else { return };
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".into(), only);
        }
    }
    if object.get("default") == Some(&Value::Null) {
        object.shift_remove("default");
    }
    if let Some(Value::Array(names)) = object.get_mut("enum") {
        names.retain(|name| !name.is_null());
    }
    let Some(Value::Array(options)) = object.get_mut("anyOf") else { return };
    options.retain(|option| option.get("type") != Some(&"null".into()));
    if let [Value::Object(only)] = options.as_slice() {
        let only = only.clone();
        object.shift_remove("anyOf");
        for (key, value) in only {
            object.entry(key).or_insert(value);
        }
    }
}

/// Moves limits and the unit from a list to the numbers in it, where JSON Schema reads them.
fn move_limits_to_items(schema: &mut Schema) {
    let Some(object) = schema.as_object_mut() else { return };
    if !object.contains_key("items") {
        return;
    }
    let mut moved = Map::new();
    for key in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "x-unit"] {
        if let Some(value) = object.shift_remove(key) {
            moved.insert(key.into(), value);
        }
    }
    if let Some(Value::Object(items)) = object.get_mut("items") {
        items.extend(moved);
    }
}

/// The methods that use something, in words; `count` is how many there are.
fn used_by(users: Vec<&str>, count: usize) -> String {
    match users.len() {
        0 => "used by no method yet".to_owned(),
        all if all == count => "used by every method".to_owned(),
        _ => format!("used by method {}", users.join(", ")),
    }
}

/// Adds what is known about the numbers of a material: units, allowed ranges, the methods that use
/// them and the names of presets.
fn describe_material(material: &mut Value, methods: &[Descriptor]) {
    for quantity in Quantity::ALL {
        if let Some(property) = material.pointer_mut(&format!("/properties/{}", quantity.key())) {
            let unit = if quantity.unit().is_empty() { "1" } else { quantity.unit() };
            property["x-unit"] = unit.into();
            property["x-allowed"] = quantity.allowed().into();
        }
    }
    for (matrix, unit) in [("stiffness", "Pa"), ("viscosity", "N s/m²")] {
        if let Some(entry) = material.pointer_mut(&format!("/properties/{matrix}/items/items")) {
            entry["x-unit"] = unit.into();
        }
    }
    for key in Key::all() {
        let pointer = format!("/properties/{}/description", key.name());
        if let Some(Value::String(text)) = material.pointer_mut(&pointer) {
            let users = methods.iter().filter(|method| method.material.accepts(key)).map(|method| method.name);
            *text = format!("{}; {}", text.trim_end_matches('.'), used_by(users.collect(), methods.len()));
        }
    }
    if let Some(preset) = material.pointer_mut("/properties/preset") {
        preset["enum"] = json!(presets::names().collect::<Vec<_>>());
    }
}
