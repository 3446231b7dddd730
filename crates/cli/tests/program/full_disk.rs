//! Full disks and closed outputs.
#![cfg(unix)]

use crate::workshop::{BLOCK, MEDLEY, Workshop};
use std::fs;

/// A shell line that limits files to `kilobytes`; larger writes fail as on a full disk.
fn limited(kilobytes: u32, arguments: &str) -> String {
    // POSIX counts in blocks of 512 bytes. The signal would kill the program, so it is ignored.
    format!("trap '' XFSZ; ulimit -f {}; exec \"$CRAZE\" {arguments}", kilobytes * 2)
}

#[test]
fn files_are_written_completely_or_not_at_all() {
    let workshop = Workshop::with_scene(MEDLEY);
    workshop.craze(&["run", "scene.toml", "--frames", "4", "-o", "undisturbed"]).succeeded();
    let size = |name: &str| fs::metadata(workshop.path("undisturbed").join(name)).expect(name).len();
    // Deformed bodies compress less: the first frame fits, the last does not.
    let limit = size("frames/0000.craze").div_ceil(1024).max(size("checkpoint/0003.checkpoint").div_ceil(1024));
    let kilobytes = limit.min(size("frames/0004.craze") / 1024);
    let call = limited(kilobytes as u32, "run scene.toml --frames 4 -o cut");
    workshop.shell(&call).failed_with(&["cannot write cut/", "continue with: craze run --resume cut"]);
    let files = workshop.files("cut");
    assert!(files.iter().all(|name| !name.ends_with(".tmp")), "{files:?}");
    assert!(!files.contains(&"frames/0004.craze".to_owned()), "{files:?}");
    // There is space again.
    workshop.craze(&["run", "--resume", "cut"]).succeeded();
    workshop.lasting("cut").assert_same_as(&workshop.lasting("undisturbed"), "after a full disk");
}

#[test]
fn a_run_that_did_not_start_leaves_nothing() {
    let workshop = Workshop::with_scene(BLOCK);
    workshop.shell(&limited(0, "run scene.toml")).failed_with(&["out/scene/run.json"]);
    assert_eq!(workshop.files("."), ["scene.toml"]);
    workshop.shell(&limited(0, "new other.toml")).failed_with(&["other.toml"]);
    assert_eq!(workshop.files("."), ["scene.toml"]);
}

#[test]
fn pictures_and_exports_are_complete_or_missing() {
    let workshop = Workshop::with_run();
    workshop.shell(&limited(1, "render out/scene --frame 1 --size 64x64 -o pictures")).failed_with(&["0001.png"]);
    workshop
        .shell(&limited(1, "render out/scene --gif --size 64x64 --samples 1 -o film.gif"))
        .failed_with(&["film.gif"]);
    for format in ["obj", "ply", "stl", "glb", "vtk"] {
        let call = limited(1, &format!("export out/scene --frame 1 -f {format} -o export"));
        workshop.shell(&call).failed_with(&["export/"]);
        let small = |name: &String| name.ends_with(".mtl") || name.ends_with(".pvd");
        assert!(workshop.files("export").iter().all(small), "{format}: {:?}", workshop.files("export"));
    }
    assert!(workshop.files("pictures").is_empty() && !workshop.path("film.gif").exists());
}

/// A full file system in its own mount namespace, which ends with the shell.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported_and_the_run_resumes_with_space() {
    let workshop = Workshop::with_scene(MEDLEY);
    if workshop.shell("unshare -rm mount -t tmpfs none .").code != Some(0) {
        eprintln!("SKIPPED: this system lets nobody mount a small disk; the limit on file sizes stands in for it");
        return;
    }
    fs::create_dir(workshop.path("disk")).expect("a folder");
    workshop.craze(&["run", "scene.toml", "--frames", "6", "-o", "undisturbed"]).succeeded();
    let inside = "mount -t tmpfs -o size=400k none disk
        \"$CRAZE\" run scene.toml --frames 6 -o disk/run; echo \"exit $?\"
        find disk -name '*.tmp'; for frame in disk/run/frames/*; do echo frame; done
        mount -o remount,size=64m disk
        \"$CRAZE\" export disk/run -q -o whole || echo \"a frame is not whole\"
        \"$CRAZE\" run --resume disk/run && cp -r disk/run resumed";
    let answer = workshop.shell(&format!("unshare -rm sh -c '{inside}'"));
    assert!(answer.stdout.contains("exit 1"), "{answer}");
    let frames = answer.stdout.lines().filter(|line| *line == "frame").count();
    assert!((1..7).contains(&frames), "{frames} frames before the disk was full: {answer}");
    assert!(!answer.stdout.contains(".tmp") && !answer.stdout.contains("not whole"), "{answer}");
    for words in ["the disk is full: free some space", "continue with: craze run --resume disk/run"] {
        assert!(answer.stderr.contains(words), "{answer}");
    }
    workshop.lasting("resumed").assert_same_as(&workshop.lasting("undisturbed"), "after a full disk");
}

#[test]
fn a_closed_output_does_not_crash() {
    let workshop = Workshop::with_scene(BLOCK);
    for call in ["schema", "materials", "scenes two-bodies", "check scene.toml", "run scene.toml --json --force"] {
        let answer = workshop.shell(&format!("\"$CRAZE\" {call} | true"));
        assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{answer}");
    }
    #[cfg(target_os = "linux")]
    for call in ["schema", "materials", "scenes", "check scene.toml", "run scene.toml --force"] {
        workshop.shell(&format!("\"$CRAZE\" {call} > /dev/full")).failed_with(&["cannot write to standard output"]);
    }
}
