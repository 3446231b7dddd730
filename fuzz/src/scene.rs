//! A scene file, and after its first zero byte `--set` flags, one per line.

use craze_scene::{Scene, SceneDocument, SceneErrors, Style, parse};

/// Reads bytes as a scene. An accepted scene must be written and read back as the same scene; a
/// refusal needs a message and a position.
pub fn try_bytes(bytes: &[u8]) -> Result<(), String> {
    read(bytes).map(|_| ())
}

/// The scene in the bytes.
pub fn read(bytes: &[u8]) -> Result<Scene, String> {
    let text = String::from_utf8_lossy(bytes);
    let (text, flags) = text.split_once('\0').unwrap_or((&text, ""));
    let flags: Vec<String> = flags.lines().map(str::to_owned).collect();
    let document = SceneDocument::parse(text, "fuzzed.toml", &flags).map_err(|errors| shown(&errors))?;
    let written = document.scene.to_toml();
    let again =
        parse(&written, "written.toml").unwrap_or_else(|errors| panic!("{errors}\nin what was written:\n{written}"));
    assert_eq!(again, document.scene, "what was written reads differently:\n{written}");
    let later = document.error_at("hold[0].region", "the region selects nothing", "").render(Style::Plain);
    assert!(!later.is_empty());
    Ok(document.scene)
}

/// The report, after a check of its guarantees.
fn shown(errors: &SceneErrors) -> String {
    assert!(!errors.errors.is_empty(), "refused without a reason");
    for error in &errors.errors {
        assert!(!error.message().is_empty());
        assert!(error.line.is_some_and(|line| line > 0) && error.column.is_some_and(|column| column > 0), "{error:?}");
    }
    assert!(errors.to_json()["errors"].is_array());
    errors.render(Style::Plain)
}
