//! The words of every error: tests/bad holds wrong scenes and, beside each, the report that it must
//! give.
//!
//! `CRAZE_BLESS=1 cargo test -p craze-scene` rewrites the reports; read what changed before you
//! commit it.

use craze_scene::{SceneDocument, Style, parse};
use std::fs;
use std::path::{Path, PathBuf};

fn bad_scenes() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad");
    let mut scenes: Vec<PathBuf> = fs::read_dir(folder)
        .expect("tests/bad exists")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    scenes.sort();
    scenes
}

#[test]
fn every_bad_scene_gets_its_report() {
    let scenes = bad_scenes();
    assert!(scenes.len() >= 20, "{} scenes", scenes.len());
    let mut wrong = Vec::new();
    for path in scenes {
        let text = fs::read_to_string(&path).expect("readable");
        let name = path.file_name().expect("a file").to_string_lossy();
        let report = match parse(&text, &name) {
            Ok(scene) => panic!("{name} passes as {scene:?}"),
            Err(errors) => errors.render(Style::Plain) + "\n",
        };
        let expected = path.with_extension("txt");
        if std::env::var_os("CRAZE_BLESS").is_some() {
            fs::write(&expected, &report).expect("writable");
        } else if fs::read_to_string(&expected).unwrap_or_default() != report {
            wrong.push(format!("{name} gives\n{report}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_error_has_a_file_a_line_and_a_column() {
    for path in bad_scenes() {
        let text = fs::read_to_string(&path).expect("readable");
        let errors = parse(&text, "bad.toml").expect_err("bad");
        let json = errors.to_json();
        for error in json["errors"].as_array().expect("a list") {
            assert_eq!(error["file"], "bad.toml");
            assert!(error["line"].as_u64().is_some_and(|line| line >= 1), "{error}");
            assert!(error["column"].as_u64().is_some_and(|column| column >= 1), "{error}");
            assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{error}");
        }
    }
}

#[test]
fn files_that_are_no_scenes_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let report = |path: &Path| {
        let errors = SceneDocument::read(path, &[]).expect_err("no scene");
        errors.to_string().replace(&*folder.path().to_string_lossy(), "DIR")
    };
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).expect("writable");
        path
    };
    assert_eq!(report(folder.path()), "DIR: this is a folder, not a scene file (name the scene file in it)");
    assert_eq!(
        report(&folder.path().join("none.toml")),
        "DIR/none.toml: there is no such file (`craze scenes` lists the built-in scenes, `craze new` writes a file)"
    );
    assert_eq!(
        report(&file("binary.toml", b"[world]\n\xff\xfe\0")),
        "DIR/binary.toml:2:1: this is not a text file: byte 8 is not UTF-8 \
         (a scene is a TOML text; a model goes into one as `shape.mesh`)"
    );
    assert_eq!(
        report(&file("large.toml", &vec![b'#'; (16 << 20) + 1])),
        "DIR/large.toml: the file has 16777217 bytes; a scene has at most 16777216 \
         (models belong into their own files, named by `shape.mesh`)"
    );
    assert!(report(&file("model.glb", b"glTF\x02\0\0\0")).contains("not valid TOML"));
}

#[test]
fn later_errors_point_at_their_key() {
    let text = "[[body]]\nname = \"a\"\nmethod = \"solid\"\nshape.sphere = { radius = 1 }\nmaterial.preset = \"glass\"\n\n\
                [[hold]]\nbody = \"a\"\nregion.sphere = { center = [9, 9, 9], radius = 1 }\n";
    let document = SceneDocument::parse(text, "scene.toml", &[]).expect("a scene");
    let error = document.error_at("hold[0].region.sphere", "the region selects nothing", "the body is elsewhere");
    assert_eq!(error.to_string(), "scene.toml:9:17: the region selects nothing (the body is elsewhere)");
    let error = document.error_at("hold[0].release", "too late", "");
    assert_eq!(error.to_string(), "scene.toml:7:1: too late");
}
