//! End-to-end tests of `craze validate`.

use std::process::{Command, Output};

fn validate(arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_craze");
    Command::new(program).arg("validate").args(arguments).output().expect("the program can be started")
}

#[test]
fn a_test_prints_its_table_and_writes_table_and_plots() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("new/validation");
    let output = validate(&["--quick", "--only", "13", "-o", path.to_str().expect("a plain path")]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("period at α = 0.25") && text.contains("tests: 1, numbers: 2, failed: 0"), "{text}");
    for name in ["validation.md", "validation.csv", "breathing-1.svg", "breathing-0.25.svg"] {
        assert!(path.join(name).is_file(), "{name}");
    }
}

#[test]
fn json_has_an_object_per_test_and_a_summary() {
    let output = validate(&["--quick", "--only", "2", "--json"]);
    assert!(output.status.success());
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    assert_eq!(lines.len(), 4);
    let names = ["S2", "C2", "X2"];
    assert!(lines.iter().zip(names).all(|(line, name)| line["test"] == name), "{text}");
    assert!(lines[0]["rows"][0]["measured"].is_f64());
    assert_eq!(lines[3]["failed"], serde_json::json!([]));
}

#[test]
fn unknown_numbers_and_methods_are_refused_with_the_known_ones() {
    for (arguments, code, message) in [
        (vec!["--only", "999"], 1, "there are 1, 2, 3"),
        (vec!["--only", "4", "--method", "clusters"], 1, "there are 2, 11, 12, 13, 27"),
        (vec!["--method", "solids"], 2, "solid, clusters"),
    ] {
        let output = validate(&arguments);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        assert!(text.contains(message), "{text}");
        assert!(output.stdout.is_empty());
    }
}
