//! Existing, foreign and damaged run folders, and changed files in them.

use crate::workshop::{BLOCK, Workshop};
use std::fs;

#[test]
fn an_existing_run_is_kept_without_force() {
    let workshop = Workshop::with_run();
    let before = fs::read(workshop.path("out/scene/run.json")).expect("a record");
    workshop.craze(&["run", "scene.toml"]).failed_with(&["out/scene exists already", "-o", "--resume", "--force"]);
    assert_eq!(fs::read(workshop.path("out/scene/run.json")).expect("a record"), before);
    workshop.write("out/scene/pictures/old.png", "of the run before");
    workshop.craze(&["run", "scene.toml", "--force", "--frames", "2"]).succeeded();
    assert_eq!(workshop.state_hashes("out/scene").len(), 3);
    assert_eq!(workshop.files("out/scene/frames"), ["0000.craze", "0001.craze", "0002.craze"]);
    assert!(!workshop.path("out/scene/pictures").exists(), "nothing of the old run is mixed with the new one");
}

#[test]
fn force_never_deletes_a_folder_that_is_not_a_run() {
    let workshop = Workshop::with_scene(BLOCK);
    workshop.write("novel/chapter-1.txt", "It was a dark and stormy night.");
    for folder in ["novel", "."] {
        let call = ["run", "scene.toml", "--force", "-o", folder];
        workshop.craze(&call).failed_with(&["is not a run folder", "choose another folder with -o"]);
    }
    assert_eq!(workshop.files("."), ["novel/chapter-1.txt", "scene.toml"]);
}

#[test]
fn an_empty_folder_may_become_a_run() {
    let workshop = Workshop::with_scene(BLOCK);
    fs::create_dir(workshop.path("mine")).expect("a folder");
    workshop.craze(&["run", "scene.toml", "-o", "mine", "--frames", "1"]).succeeded();
    assert_eq!(workshop.state_hashes("mine").len(), 2);
}

#[test]
fn an_impossible_folder_is_reported() {
    let workshop = Workshop::with_scene(BLOCK);
    for place in ["scene.toml", "scene.toml/run"] {
        workshop.craze(&["run", "scene.toml", "-o", place]).failed_with(&["scene.toml is a file, not a folder", "-o"]);
    }
    // Not even root can create a folder here.
    #[cfg(target_os = "linux")]
    workshop.craze(&["run", "scene.toml", "-o", "/proc/run"]).failed_with(&["cannot create", "/proc/run", "-o"]);
    assert_eq!(workshop.files("."), ["scene.toml"]);
}

#[test]
fn folders_that_are_not_runs_cannot_be_resumed() {
    let workshop = Workshop::with_scene(BLOCK);
    workshop.craze(&["run", "--resume"]).failed_with(&["which run", "craze run --resume"]);
    workshop.craze(&["run", "scene.toml", "--resume"]).failed_with(&["there is no run in out/scene"]);
    workshop.craze(&["run", "--resume", "."]).failed_with(&["not the folder of a run", "run.json"]);
    workshop.craze(&["run", "--resume", "scene.toml", "--force"]).misused_with(&["--resume", "--force"]);
    workshop.craze(&["run", "--resume", "scene.toml", "--frames", "9"]).misused_with(&["--resume", "--frames"]);
    workshop.write("half/run.json", "{");
    workshop.craze(&["run", "--resume", "half"]).failed_with(&["half has no scene.toml"]);
    workshop.write("half/scene.toml", BLOCK);
    workshop.craze(&["run", "--resume", "half"]).failed_with(&["half/run.json", "not a run record"]);
}

/// Keeps only the newest checkpoint of `out/scene`, modified.
fn with_checkpoint(change: impl FnOnce(&mut Vec<u8>)) -> Workshop {
    let workshop = Workshop::with_run();
    fs::remove_file(workshop.path("out/scene/checkpoint/0004.checkpoint")).expect("the one before");
    let newest = workshop.path("out/scene/checkpoint/0005.checkpoint");
    let mut bytes = fs::read(&newest).expect("the newest");
    change(&mut bytes);
    fs::write(&newest, &bytes).expect("writable");
    workshop
}

#[test]
fn a_damaged_checkpoint_is_reported_and_nothing_is_lost() {
    let damages: [fn(&mut Vec<u8>); 5] = [
        |bytes| bytes.truncate(bytes.len() / 2),
        |bytes| bytes.truncate(7),
        |bytes| bytes.clear(),
        |bytes| *bytes = b"PK\x03\x04 this is a zip file, not a checkpoint".to_vec(),
        |bytes| {
            let middle = bytes.len() / 2;
            bytes[middle] ^= 0x10;
        },
    ];
    for damage in damages {
        let workshop = with_checkpoint(damage);
        let before = workshop.lasting("out/scene");
        workshop.craze(&["run", "--resume", "out/scene"]).failed_with(&["out/scene/checkpoint/0005.checkpoint"]);
        workshop.lasting("out/scene").assert_same_as(&before, "after a resume that failed");
    }
}

#[test]
fn a_damaged_checkpoint_falls_back_to_the_previous_one_with_a_warning() {
    let workshop = Workshop::with_run();
    let before = workshop.lasting("out/scene");
    workshop.write("out/scene/checkpoint/0005.checkpoint", "not a checkpoint");
    let answer = workshop.craze(&["run", "--resume", "out/scene"]);
    assert_eq!(answer.code, Some(0), "{answer}");
    assert!(answer.stderr.contains("warning") && answer.stderr.contains("0005.checkpoint"), "{answer}");
    assert!(answer.stdout.contains("going on after frame 4"), "{answer}");
    workshop.lasting("out/scene").assert_same_as(&before, "from the checkpoint before");
}

#[test]
fn a_checkpoint_of_another_run_is_refused() {
    let workshop = Workshop::with_run();
    let other = BLOCK.replace("edge = 0.05", "edge = 0.04");
    workshop.write("other.toml", other);
    workshop.craze(&["run", "other.toml"]).succeeded();
    for name in ["0004.checkpoint", "0005.checkpoint"] {
        let foreign = workshop.path("out/other/checkpoint").join(name);
        fs::copy(foreign, workshop.path("out/scene/checkpoint").join(name)).expect("copied");
    }
    workshop.craze(&["run", "--resume", "out/scene"]).failed_with(&["0005.checkpoint", "another scene", "--force"]);
    // Nor is a frame a checkpoint.
    let frame = fs::read(workshop.path("out/scene/frames/0001.craze")).expect("a frame");
    for name in ["0004.checkpoint", "0005.checkpoint"] {
        fs::write(workshop.path("out/scene/checkpoint").join(name), &frame).expect("writable");
    }
    workshop.craze(&["run", "--resume", "out/scene"]).failed_with(&["0005.checkpoint", "frame"]);
}

#[test]
fn a_scene_edited_since_is_not_resumed() {
    let workshop = Workshop::with_run();
    let scene = fs::read_to_string(workshop.path("out/scene/scene.toml")).expect("the scene as run");
    workshop.write("out/scene/scene.toml", scene.replace("density = 1000", "density = 2000"));
    workshop.craze(&["run", "--resume", "out/scene"]).failed_with(&["another scene than the scene.toml beside it"]);
    workshop.write("out/scene/scene.toml", scene);
    workshop.craze(&["run", "--resume", "out/scene"]).succeeded();
}

#[test]
fn a_damaged_frame_is_reported_and_gives_no_picture_and_no_export() {
    let workshop = Workshop::with_run();
    let frame = "out/scene/frames/0002.craze";
    let whole = fs::read(workshop.path(frame)).expect("a frame");
    let damaged: [(&[u8], &str); 4] = [
        (&whole[..whole.len() / 2], "0002.craze"),
        (b"", "0002.craze"),
        (b"\x89PNG\r\n\x1a\n, really a picture", "not a Craze file"),
        (&fs::read(workshop.path("out/scene/checkpoint/0005.checkpoint")).expect("a checkpoint"), "not a frame"),
    ];
    for (bytes, words) in damaged {
        workshop.write(frame, bytes);
        let small = ["render", "out/scene", "--size", "32x18", "--samples", "1", "--frame", "2", "-o", "pictures"];
        workshop.craze(&small).failed_with(&[frame, words]);
        for format in ["obj", "ply", "stl", "glb", "vtk"] {
            let call = ["export", "out/scene", "--frame", "2", "-f", format, "-o", "export"];
            workshop.craze(&call).failed_with(&[frame, words]);
        }
        for folder in ["pictures", "export"] {
            assert!(!workshop.path(folder).exists() || workshop.files(folder).is_empty(), "{folder}");
        }
    }
}

#[test]
fn folders_that_are_not_runs_have_no_pictures_and_no_exports() {
    let workshop = Workshop::with_run();
    for command in ["render", "export"] {
        workshop.craze(&[command, "nowhere"]).failed_with(&["there is no folder nowhere"]);
        workshop.craze(&[command, "."]).failed_with(&["not the folder of a run"]);
        workshop.craze(&[command, "scene.toml"]).failed_with(&["scene.toml", "not the folder of a run"]);
        workshop.craze(&[command, "out/scene", "--frame", "99"]).failed_with(&["no frame 99", "0000 to 0005"]);
        workshop.craze(&[command, "out/scene", "-o", "scene.toml"]).failed_with(&["scene.toml"]);
    }
    workshop
        .craze(&["export", "out/scene", "-f", "fbx"])
        .misused_with(&["'fbx'", "obj, ply, stl, glb, vtk, shards, animation"]);
    workshop.craze(&["render", "out/scene", "--color", "blue"]).misused_with(&["'blue'", "stress"]);
    workshop.craze(&["render", "out/scene", "--size", "0x9"]).failed_with(&["0 × 9"]);
    workshop.craze(&["render", "out/scene", "--size", "big"]).misused_with(&["1920x1080"]);
    workshop.craze(&["render", "out/scene", "--samples", "0"]).failed_with(&["0 samples"]);
}

#[test]
fn a_file_that_exists_is_not_replaced_by_a_new_scene() {
    let workshop = Workshop::with_scene("precious");
    workshop.craze(&["new", "scene.toml"]).failed_with(&["scene.toml exists already", "--force"]);
    assert_eq!(fs::read_to_string(workshop.path("scene.toml")).expect("text"), "precious");
    workshop.craze(&["new", "scene.toml", "--force"]).succeeded();
    workshop.craze(&["check", "scene.toml"]).succeeded();
    workshop.craze(&["new", "no/where.toml"]).failed_with(&["no/where.toml", "create it first"]);
    workshop.craze(&["new", "x.toml", "--template", "dorp"]).misused_with(&["'dorp'", "similar value exists: 'drop'"]);
    assert_eq!(workshop.files("."), ["scene.toml"]);
}
