//! docs/scenes.md and docs/shapes.md agree with the schema, and the examples are scenes.
//!
//! `CRAZE_BLESS=1 cargo test -p craze-scene` rewrites the references in them.

use craze_scene::{json_schema, parse, reference, shape_reference};
use std::fs;
use std::path::{Path, PathBuf};

const START: &str = "<!-- reference: made from the schema -->\n";
const END: &str = "<!-- end of reference -->";

fn docs() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

fn page() -> PathBuf {
    docs().join("scenes.md")
}

/// Compares the part of a page between the marks with the expected text, or rewrites it.
fn check_page(page: &Path, expected: &str) {
    let text = fs::read_to_string(page).expect("the page exists");
    let (before, rest) = text.split_once(START).expect("the reference has a start");
    let (written, after) = rest.split_once(END).expect("the reference has an end");
    if std::env::var_os("CRAZE_BLESS").is_some() {
        fs::write(page, format!("{before}{START}{expected}{END}{after}")).expect("writable");
    } else {
        assert_eq!(written, expected);
    }
}

#[test]
fn the_reference_in_the_docs_is_the_schema() {
    check_page(&page(), &reference());
}

#[test]
fn every_shape_is_in_the_gallery_with_its_keys_and_its_picture() {
    let gallery = shape_reference();
    check_page(&docs().join("shapes.md"), &gallery);
    let pictures: Vec<&str> =
        gallery.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|x| x.0).collect();
    assert!(pictures.len() >= 25, "{pictures:?}");
    for picture in pictures {
        assert!(
            docs().join(picture).is_file(),
            "{picture} is missing: cargo run --release -p craze-render --example shapes"
        );
    }
}

#[test]
fn the_reference_has_every_key_of_the_schema() {
    fn walk(schema: &serde_json::Value, keys: &mut Vec<String>) {
        match schema {
            serde_json::Value::Object(map) => {
                for (name, value) in map {
                    if let ("properties", Some(properties)) = (name.as_str(), value.as_object()) {
                        keys.extend(properties.keys().cloned());
                    }
                    if name != "default" {
                        walk(value, keys);
                    }
                }
            }
            serde_json::Value::Array(items) => items.iter().for_each(|item| walk(item, keys)),
            _ => {}
        }
    }
    let schema: serde_json::Value = serde_json::from_str(&json_schema()).expect("JSON");
    let mut keys = Vec::new();
    walk(&schema, &mut keys);
    assert!(keys.len() > 100, "{} keys", keys.len());
    let text = reference();
    for key in keys {
        let alone = format!("| `{key}` |");
        let below = format!(".{key}` |");
        let section = [format!("### `[{key}]`"), format!("### `[[{key}]]`")];
        let found =
            text.contains(&alone) || text.contains(&below) || section.iter().any(|header| text.contains(header));
        assert!(found, "{key} is not in the reference");
    }
}

#[test]
fn every_example_in_the_docs_is_a_scene() {
    let text = fs::read_to_string(page()).expect("docs/scenes.md exists");
    let examples: Vec<&str> =
        text.split("```toml\n").skip(1).filter_map(|rest| rest.split_once("```")).map(|(example, _)| example).collect();
    assert!(examples.len() >= 5, "{} examples", examples.len());
    // Examples without a body are about the bowl of the first one.
    let bowl = "[[body]]\nname = \"bowl\"\nmethod = \"solid\"\nshape.sphere = { radius = 0.1 }\nmaterial.preset = \"ceramic\"\n";
    for example in examples {
        let text = if example.contains("[[body]]") { example.to_owned() } else { format!("{bowl}{example}") };
        let scene = parse(&text, "example.toml");
        assert!(scene.is_ok(), "{}\n{text}", scene.unwrap_err());
    }
}
