//! Contents of a run folder, and the flags that change it.

use crate::workshop::{BLOCK, Workshop};
use serde_json::Value;
use std::fs;

/// Settings of a fast picture.
const SMALL_PICTURE: &str = "\n[picture]\nsize = [32, 18]\nsamples = 1\n";

#[test]
fn a_run_folder_has_the_documented_files() {
    let workshop = Workshop::with_scene(&(BLOCK.replace("preview = false", "preview = true") + SMALL_PICTURE));
    let told = workshop.craze(&["run", "scene.toml"]).succeeded();
    assert!(told.contains("block: 0.1 × 0.1 × 0.1 m, 1 kg, 48 tetrahedra"), "{told}");
    assert!(told.contains("out/scene: 5 frames, 0.1 s simulated"), "{told}");
    let expected = [
        "checkpoint/0004.checkpoint",
        "checkpoint/0005.checkpoint",
        "checkpoint/lock",
        "events.jsonl",
        "frames/0000.craze",
        "frames/0001.craze",
        "frames/0002.craze",
        "frames/0003.craze",
        "frames/0004.craze",
        "frames/0005.craze",
        "preview.png",
        "probes.csv",
        "run.json",
        "scene.toml",
        "stats.csv",
    ];
    let mut files = workshop.files("out/scene");
    // A very short run may have no time for a GIF.
    files.retain(|name| name != "preview.gif");
    assert_eq!(files, expected);
    let read = |name: &str| fs::read(workshop.path("out/scene").join(name)).expect(name);
    assert!(read("preview.png").starts_with(b"\x89PNG\r\n\x1a\n"));
}

#[test]
fn previews_take_a_fifth_of_the_run_and_are_timed_separately() {
    let workshop = Workshop::new();
    let run = ["run", "two-bodies", "-o", "run"];
    let told = workshop.craze(&run).succeeded();
    assert!(told.contains("; preview in "), "{told}");
    let record = workshop.record("run");
    let [run_seconds, preview] = ["wall_seconds", "preview_seconds"].map(|name| record[name].as_f64().expect("a time"));
    // A quarter, since other tests run at the same time.
    assert!(preview > 0.0 && preview < 0.25 * run_seconds, "{preview} s of {run_seconds} s");
    let read = |name: &str| fs::read(workshop.path("run").join(name)).expect(name);
    assert!(read("preview.png").starts_with(b"\x89PNG\r\n\x1a\n"));
    assert!(read("preview.gif").starts_with(b"GIF89a"));
    // Without a preview the state is the same, and the earlier picture is removed.
    let hashes = workshop.state_hashes("run");
    let told = workshop.craze(&[&run[..], &["--no-preview", "--force", "--json"]].concat()).succeeded();
    let last: Value = serde_json::from_str(told.lines().last().expect("a line")).expect("JSON");
    assert_eq!((&last["result"], &last["preview_seconds"]), (&"complete".into(), &0.0.into()), "{last}");
    assert_eq!(workshop.state_hashes("run"), hashes);
    assert!(!workshop.files("run").iter().any(|name| name.starts_with("preview")));
}

#[test]
fn splits_are_counted_and_a_small_budget_is_reported() {
    let workshop = Workshop::new();
    let scene = workshop.craze(&["scenes", "glass-slab"]).succeeded();
    workshop.write("slab.toml", scene.replace("edge = 0.1", "edge = 0.1\nsolid.splits_a_step = 1"));
    let told = workshop.craze(&["run", "slab.toml", "--frames", "1", "--set", "output.preview=false"]).succeeded();
    assert!(told.contains("raise the body's solid.splits_a_step"), "{told}");
    let text = fs::read_to_string(workshop.path("out/slab/stats.csv")).expect("stats");
    let rows: Vec<Vec<&str>> = text.lines().map(|row| row.split(',').collect()).collect();
    let last = |name: &str| -> u64 {
        let column = rows[0].iter().position(|head| *head == name).expect(name);
        assert_eq!(rows[1][column], "0");
        rows[2][column].parse().expect("a count")
    };
    assert!(last("splits") >= last("bent_splits") && last("splits") > 0 && last("steps_over_budget") > 0);
}

#[test]
fn splits_of_clusters_are_counted_in_the_table_the_record_and_the_events() {
    let workshop = Workshop::new();
    let flags = ["--frames", "4", "--set", "output.preview=false", "--set", "body.plate.clusters.splits_a_step=1"];
    let told = workshop.craze(&[&["run", "dough-plate-weak"], &flags[..]].concat()).succeeded();
    assert!(told.contains("raise the body's clusters.splits_a_step"), "{told}");
    let text = fs::read_to_string(workshop.path("out/dough-plate-weak/stats.csv")).expect("stats");
    let rows: Vec<Vec<&str>> = text.lines().map(|row| row.split(',').collect()).collect();
    let last = |name: &str| -> u64 {
        let column = rows[0].iter().position(|head| *head == name).expect(name);
        assert_eq!(rows[1][column], "0");
        rows[5][column].parse().expect("a count")
    };
    let events = fs::read_to_string(workshop.path("out/dough-plate-weak/events.jsonl")).expect("events");
    let splits = events.lines().filter(|line| line.contains("\"split\"")).count() as u64;
    assert!(splits > 10 && last("steps_over_budget") > 0);
    let known = workshop.record("out/dough-plate-weak")["splits"].clone();
    for (column, key) in [("splits", "splits"), ("refused_splits", "refused"), ("steps_over_budget", "over_budget")] {
        assert_eq!(known[key], last(column), "{key}");
    }
    assert_eq!(last("splits"), splits);
}

#[test]
fn the_tables_have_a_row_per_frame_and_a_number_per_cell() {
    let workshop = Workshop::with_run();
    for (table, columns) in [("stats.csv", 35), ("probes.csv", 4)] {
        let text = fs::read_to_string(workshop.path("out/scene").join(table)).expect(table);
        let rows: Vec<Vec<&str>> = text.lines().map(|row| row.split(',').collect()).collect();
        assert_eq!(rows.len(), 1 + 6, "{text}");
        assert!(rows.iter().all(|row| row.len() == columns), "{text}");
        for cell in rows[1..].iter().flatten() {
            assert!(cell.parse::<f64>().is_ok_and(f64::is_finite), "{cell} in {table}");
        }
        let times: Vec<&str> = rows[1..].iter().map(|row| row[usize::from(table == "stats.csv")]).collect();
        assert_eq!(times, ["0", "0.02", "0.04", "0.06", "0.08", "0.1"]);
    }
    let events = fs::read_to_string(workshop.path("out/scene/events.jsonl")).expect("events");
    for line in events.lines() {
        let event: Value = serde_json::from_str(line).expect("an object a line");
        assert!(event["time"].is_number() && event["body"].is_string() && event["event"].is_string(), "{event}");
    }
}

#[test]
fn the_record_describes_the_run() {
    let workshop = Workshop::with_run();
    let record = workshop.record("out/scene");
    assert_eq!(record["craze"], env!("CARGO_PKG_VERSION"));
    assert_eq!(record["scene"], "scene");
    assert_eq!((&record["seed"], &record["frames"], &record["result"]), (&1.into(), &5.into(), &"complete".into()));
    assert!(record["steps"].as_u64().is_some_and(|steps| steps >= 5), "{record}");
    assert_eq!(record["state_hashes"].as_array().map(Vec::len), Some(6));
    assert_eq!(record["certificate"]["watertight"][0][1], true);
    assert!((record["certificate"]["now"]["mass"].as_f64().expect("a mass") - 1.0).abs() < 1e-12);
}

#[test]
fn flags_change_the_scene_as_run() {
    let workshop = Workshop::with_scene(BLOCK);
    let flags = ["--frames", "2", "--seed", "42", "--set", "body.block.edge=0.1", "--set", "world.gravity=[0,0,0]"];
    workshop.craze(&[["run", "scene.toml", "-o", "runs/one"].as_slice(), &flags].concat()).succeeded();
    let record = workshop.record("runs/one");
    assert_eq!((&record["seed"], &record["frames"]), (&42.into(), &2.into()));
    assert_eq!(record["certificate"]["start"]["elements"], 6);
    let scene = fs::read_to_string(workshop.path("runs/one/scene.toml")).expect("the scene as run");
    for line in ["seed = 42", "duration = 0.04", "gravity = [0.0, 0.0, 0.0]", "edge = 0.1"] {
        assert!(scene.contains(line), "no `{line}` in\n{scene}");
    }
    assert!(!workshop.path("out").exists());
}

#[test]
fn json_is_an_object_per_line() {
    let workshop = Workshop::with_scene(BLOCK);
    let calls: [&[&str]; 6] = [
        &["run", "scene.toml", "--json"],
        &["check", "scene.toml", "--json"],
        &["scenes", "--json"],
        &["materials", "--json"],
        &["materials", "glass", "--json"],
        &["export", "out/scene", "--json"],
    ];
    for call in calls {
        let told = workshop.craze(call).succeeded();
        assert!(!told.is_empty());
        for line in told.lines() {
            let object: Value = serde_json::from_str(line).expect(line);
            assert!(object.is_object(), "{line}");
        }
    }
    let told = workshop.craze(&["run", "scene.toml", "--json", "--force"]).succeeded();
    let lines: Vec<Value> = told.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let frames: Vec<u64> = lines.iter().filter_map(|line| line["frame"].as_u64()).collect();
    assert_eq!(frames, [1, 2, 3, 4, 5]);
    assert_eq!(lines.last().expect("a last line")["result"], "complete");
}

#[test]
fn quiet_prints_nothing() {
    let workshop = Workshop::with_scene(BLOCK);
    let calls: [&[&str]; 5] = [
        &["run", "scene.toml", "--quiet"],
        &["check", "scene.toml", "-q"],
        &["new", "new.toml", "-q"],
        &["export", "out/scene", "-q"],
        &["render", "out/scene", "-q", "--size", "16x16", "--samples", "1"],
    ];
    for call in calls {
        assert_eq!(workshop.craze(call).succeeded(), "", "{call:?}");
    }
    assert_eq!(workshop.record("out/scene")["result"], "complete");
}

#[test]
fn a_run_with_a_model_can_be_repeated_and_resumed_from_anywhere() {
    let workshop = Workshop::new();
    let tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    workshop.write("work/models/wedge.obj", tetrahedron);
    let shape = "shape.mesh = { file = \"models/wedge.obj\", size = 0.1 }\nspacing = 0.02";
    let scene = BLOCK.replace("\"solid\"", "\"clusters\"");
    let scene = scene.replace("young = 1e5, poisson = 0.3", "goal_stiffness = 0.5");
    let scene = scene.replace("shape.box = { size = [0.1, 0.1, 0.1] }\nedge = 0.05", shape);
    workshop.write("work/wedge.toml", scene);
    workshop.craze(&["run", "work/wedge.toml"]).succeeded();
    workshop.craze(&["run", "out/wedge/scene.toml", "-o", "again"]).succeeded();
    workshop.lasting("again").assert_same_as(&workshop.lasting("out/wedge"), "from the scene as run");
    let run = workshop.path("out/wedge").display().to_string();
    let elsewhere = Workshop::new();
    elsewhere.craze(&["run", "--resume", &run]).succeeded();
}

#[test]
fn a_run_that_checks_intersections_keeps_the_frame_and_stops() {
    // Quasi-static mode has no contact: the hold pushes the block into the wall.
    let scene = r#"
        [world]
        duration = 1
        fps = 4
        mode = "quasi-static"
        gravity = [0, 0, 0]
        [contact]
        check_intersections = "bodies"
        [[body]]
        name = "block"
        method = "solid"
        shape.box = { size = [0.1, 0.1, 0.1] }
        edge = 0.1
        material = { density = 1000, young = 1e6, poisson = 0.3 }
        [[body]]
        name = "wall"
        method = "solid"
        shape.box = { size = [0.1, 0.3, 0.3] }
        edge = 0.1
        material = { density = 1000, young = 1e6, poisson = 0.3 }
        place.at = [0.13, 0.01, 0.02]
        [[hold]]
        name = "grip"
        body = "block"
        region.half_space = { point = [-0.049, 0, 0], normal = [-1, 0, 0] }
        motion = [{ t = 0, move = [0, 0, 0] }, { t = 1, move = [0.08, 0, 0] }]
        [[hold]]
        name = "foot"
        body = "wall"
        region.half_space = { point = [0.179, 0, 0], normal = [1, 0, 0] }
        [output]
        preview = false
    "#;
    let workshop = Workshop::with_scene(scene);
    workshop.craze(&["run", "scene.toml"]).failed_with(&["in frame 2, ", "\"block\"", "\"wall\"", "pass through"]);
    let files = workshop.files("out/scene");
    assert!(files.iter().any(|file| file == "frames/0002.craze"), "{files:?}");
    assert!(!files.iter().any(|file| file == "frames/0003.craze"), "{files:?}");
    let record = fs::read_to_string(workshop.path("out/scene/run.json")).expect("a record");
    assert!(record.contains("pass through each other"), "{record}");
}
