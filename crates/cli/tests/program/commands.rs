//! Behaviour of every command.

use crate::workshop::{BLOCK, Workshop};
use serde_json::Value;
use std::fs;

fn built_in_scenes(workshop: &Workshop) -> Vec<String> {
    let told = workshop.craze(&["scenes", "--json"]).succeeded();
    let name = |line: &str| {
        let scene: Value = serde_json::from_str(line).expect("JSON");
        assert!(scene["title"].as_str().is_some_and(|title| !title.is_empty()), "{line}");
        scene["name"].as_str().expect("a name").to_owned()
    };
    told.lines().map(name).collect()
}

#[test]
fn every_built_in_scene_checks_prints_and_runs() {
    let workshop = Workshop::new();
    let names = built_in_scenes(&workshop);
    assert!(names.contains(&"two-bodies".to_owned()), "{names:?}");
    let list = workshop.craze(&["scenes"]).succeeded();
    for name in &names {
        assert!(list.contains(name.as_str()), "{list}");
        let told = workshop.craze(&["check", name]).succeeded();
        assert!(told.contains("all is well"), "{told}");
        let checked = ["--set", "output.preview=false", "--set", "contact.check_intersections=bodies"];
        workshop.craze(&[&["run", name, "--frames", "1"], &checked[..]].concat()).succeeded();
        assert_eq!(workshop.state_hashes(&format!("out/{name}")).len(), 2);
        // The printed text is the same scene.
        let text = workshop.craze(&["scenes", name]).succeeded();
        workshop.write("printed.toml", text);
        let file = ["run", "printed.toml", "--force", "--frames", "1", "--set", "output.preview=false"];
        workshop.craze(&file).succeeded();
        assert_eq!(workshop.state_hashes("out/printed"), workshop.state_hashes(&format!("out/{name}")));
    }
}

#[test]
#[ignore = "whole runs of four scenes: half a minute"]
fn scenes_of_clusters_run_to_their_end() {
    let workshop = Workshop::new();
    for name in ["clay-on-jelly", "dough-bar-tough", "dough-bar", "broken-heart"] {
        workshop.craze(&["run", name, "--set", "output.preview=false"]).succeeded();
        let record = workshop.record(&format!("out/{name}"));
        assert_eq!(record["result"], "complete", "{name}");
    }
}

/// Pieces of a built-in scene after some frames, and growth of its number of elements.
fn broken(workshop: &Workshop, name: &str, frames: &str) -> (u64, f64) {
    workshop.craze(&["run", name, "--frames", frames, "--set", "output.preview=false"]).succeeded();
    let table = fs::read_to_string(workshop.path(&format!("out/{name}/stats.csv"))).expect("a table");
    let lines: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    let number = |line: &[&str], name: &str| -> u64 {
        let column = lines[0].iter().position(|&head| head == name).expect("a column");
        line[column].parse().expect("a number")
    };
    let (first, last) = (&lines[1], &lines[lines.len() - 1]);
    (number(last, "pieces"), number(last, "elements") as f64 / number(first, "elements") as f64)
}

/// Share of the picture that bodies cover in each picture that `craze render` makes of a run with
/// these options.
fn silhouettes(workshop: &Workshop, run: &str, options: &[&str]) -> Vec<f64> {
    let told = workshop.craze(&[&["render", run, "--samples", "1", "--json"], options].concat()).succeeded();
    let share = |line: &str| {
        let picture: Value = serde_json::from_str(line).expect("JSON");
        picture["silhouettes"][0].as_f64().expect("a share")
    };
    told.lines().map(share).collect()
}

/// Share of the picture that bodies cover in the middle and in the last frame of a built-in scene,
/// run to its end, in pictures of the scene's shape.
fn covered(workshop: &Workshop, name: &str) -> [f64; 2] {
    workshop.craze(&["run", name, "--no-preview"]).succeeded();
    let run = format!("out/{name}");
    let last = workshop.files(&format!("{run}/frames")).len() - 1;
    let size = if name == "torn-figure" { "36x50" } else { "64x36" };
    [last.div_ceil(2), last]
        .map(|frame| silhouettes(workshop, &run, &["--frame", &frame.to_string(), "--size", size])[0])
}

#[test]
fn pictures_of_a_scene_without_a_camera_are_filled_by_what_falls() {
    let workshop = Workshop::new();
    let scene = |shape: &str| {
        format!(
            "[world]\nduration = 0.4\nfps = 20\n[[body]]\nname = \"thing\"\nmethod = \"clusters\"\n{shape}\n\
             material = {{ density = 1000 }}\nplace.at = [0, 0.7, 0]\n\
             [[obstacle]]\nshape.plane = {{ point = [0, 0, 0], normal = [0, 1, 0] }}\n\
             [[obstacle]]\nshape.box = {{ size = [3, 0.2, 3] }}\nplace.at = [0, -1, 0]\n\
             [[obstacle]]\nshape.sphere = {{ radius = 0.4 }}\nplace.at = [0.9, 0.3, 0]\n"
        )
    };
    let ball = "shape.sphere = { radius = 0.05 }\nspacing = 0.015";
    let rod = "shape.cylinder = { radius = 0.01, height = 0.5 }\nspacing = 0.01";
    for (name, shape, least) in [("ball", ball, 0.25), ("rod", rod, 0.015)] {
        fs::write(workshop.path(&format!("{name}.toml")), scene(shape)).expect("a scene");
        workshop.craze(&["run", &format!("{name}.toml"), "--no-preview"]).succeeded();
        let run = format!("out/{name}");
        let whole = silhouettes(&workshop, &run, &["--size", "96x54"]);
        assert!(whole.len() == 9 && whole.iter().all(|share| *share > least), "{name}: {whole:?}");
        let last = silhouettes(&workshop, &run, &["--size", "96x54", "--frame", "8"]);
        assert!(last[0] > least, "{name}: {last:?}");
    }
}

#[test]
fn bodies_cover_a_quarter_of_the_pictures_of_quick_scenes() {
    let workshop = Workshop::new();
    for name in ["bowl-1", "bowl-3", "cantilever"] {
        let covered = covered(&workshop, name);
        assert!(covered.iter().all(|share| (0.25..0.75).contains(share)), "{name}: {covered:?}");
    }
}

#[test]
#[ignore = "whole runs of all built-in scenes: half an hour"]
fn bodies_cover_a_quarter_of_the_pictures_of_every_built_in_scene() {
    let workshop = Workshop::new();
    let mut empty = Vec::new();
    for name in built_in_scenes(&workshop) {
        let covered = covered(&workshop, &name);
        if covered.iter().any(|share| *share < 0.25) {
            empty.push((name, covered));
        }
    }
    assert!(empty.is_empty(), "{empty:?}");
}

/// Validation test 33 (O'Brien & Hodgins 1999, Figures 9 to 11).
#[test]
#[ignore = "four scenes, and the first frames of two more: minutes"]
fn the_weaker_a_bowl_and_the_heavier_a_ball_the_more_pieces() {
    let workshop = Workshop::new();
    let bowls = ["bowl-1", "bowl-2", "bowl-3", "bowl-4"].map(|name| broken(&workshop, name, "12").0);
    assert!(bowls[0] > 1 && bowls.is_sorted_by(|tougher, weaker| tougher < weaker), "{bowls:?}");
    let [light, heavy] = ["adobe-wall", "adobe-wall-heavy"].map(|name| broken(&workshop, name, "4"));
    assert!(light.0 > 1 && 3 * light.0 < 2 * heavy.0, "{light:?} {heavy:?}");
    // In the paper the number of tetrahedra grows by a factor of 7.5.
    assert!([light, heavy].iter().all(|wall| (4.0..=12.0).contains(&wall.1)), "{light:?} {heavy:?}");
}

#[test]
fn a_folder_named_like_a_scene_does_not_hide_it() {
    let workshop = Workshop::new();
    fs::create_dir(workshop.path("two-bodies")).expect("a folder");
    workshop.craze(&["check", "two-bodies"]).succeeded();
}

#[test]
fn every_template_checks_and_runs() {
    let workshop = Workshop::new();
    for template in ["drop", "pull", "particles"] {
        let file = format!("{template}.toml");
        let told = workshop.craze(&["new", &file, "--template", template]).succeeded();
        assert!(told.contains(&format!("run it with: craze run {file}")), "{told}");
        workshop.craze(&["check", &file]).succeeded();
        workshop.craze(&["run", &file, "--frames", "1", "--set", "output.preview=false"]).succeeded();
        assert_eq!(workshop.record(&format!("out/{template}"))["result"], "complete");
    }
    workshop.craze(&["new", "usual.toml"]).succeeded();
    let text = |name: &str| fs::read_to_string(workshop.path(name)).expect(name);
    assert_eq!(text("usual.toml"), text("drop.toml"));
}

#[test]
fn check_prints_a_summary() {
    let workshop = Workshop::with_scene(BLOCK);
    let told = workshop.craze(&["check", "scene.toml"]).succeeded();
    assert!(told.contains("block: 0.1 × 0.1 × 0.1 m, 1 kg, 48 tetrahedra"), "{told}");
    assert!(told.contains("scene: all is well (5 frames, 0.1 s at 50 fps)"), "{told}");
    assert_eq!(workshop.files("."), ["scene.toml"]);
}

#[test]
fn materials_are_listed_with_units_and_sources() {
    let workshop = Workshop::new();
    let told = workshop.craze(&["materials"]).succeeded();
    assert!(told.contains("kg/m³"), "{told}");
    let presets = [
        "glass",
        "ceramic",
        "adobe",
        "concrete",
        "paper",
        "cardboard",
        "foil",
        "steel",
        "aluminium",
        "rubber",
        "vinyl",
        "cork",
        "acrylic",
        "wood",
        "cheese",
        "clay",
    ];
    for preset in presets {
        assert!(told.lines().any(|line| line.starts_with(preset)), "no {preset} in\n{told}");
        let rows = workshop.craze(&["materials", preset, "--json"]).succeeded();
        for row in rows.lines() {
            let row: Value = serde_json::from_str(row).expect("JSON");
            assert!(row["source"].as_str().is_some_and(|source| !source.is_empty()), "{preset}: {row}");
        }
    }
    let glass = workshop.craze(&["materials", "glass"]).succeeded();
    assert!(glass.contains("density") && glass.contains("2500") && glass.contains("kg/m³"), "{glass}");
    workshop.craze(&["materials", "glas"]).failed_with(&["\"glas\"", "did you mean \"glass\"?"]);
}

#[test]
fn the_schema_is_json_and_knows_the_tables_of_a_scene() {
    let told = Workshop::new().craze(&["schema"]).succeeded();
    let schema: Value = serde_json::from_str(&told).expect("JSON");
    for table in ["world", "body", "hold", "obstacle", "probe"] {
        assert!(schema["properties"][table].is_object(), "no {table}");
    }
}

/// Width and height of a PNG.
fn png_size(bytes: &[u8]) -> (u32, u32) {
    assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"));
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    (number(16), number(20))
}

#[test]
fn render_makes_a_picture_per_frame_or_a_gif() {
    let workshop = Workshop::with_run();
    let small = ["--size", "48x27", "--samples", "1"];
    let told = workshop.craze(&[["render", "out/scene"].as_slice(), &small].concat()).succeeded();
    assert_eq!(told.lines().count(), 6, "{told}");
    assert_eq!(workshop.files("out/scene/pictures").len(), 6);
    let picture = |name: &str| fs::read(workshop.path(name)).expect(name);
    assert_eq!(png_size(&picture("out/scene/pictures/0003.png")), (48, 27));
    assert_ne!(picture("out/scene/pictures/0000.png"), picture("out/scene/pictures/0003.png"));

    for color in ["material", "piece", "stress", "velocity"] {
        let call = ["render", "out/scene", "--frame", "3", "--color", color, "--wireframe", "-o", color];
        workshop.craze(&[call.as_slice(), &small].concat()).succeeded();
        assert_eq!(workshop.files(color), ["0003.png"]);
    }
    assert_ne!(picture("material/0003.png"), picture("velocity/0003.png"));
    workshop
        .craze(&[["render", "out/scene", "--frame", "3", "--shards", "-o", "shards"].as_slice(), &small].concat())
        .succeeded();
    assert_eq!(workshop.files("shards"), ["0003.png"]);
    workshop
        .craze(&["render", "out/scene", "--shards", "--color", "stress"])
        .failed_with(&["shards", "--color material"]);

    let told = workshop.craze(&[["render", "out/scene", "--gif"].as_slice(), &small].concat()).succeeded();
    assert_eq!(told, "out/scene/animation.gif\n");
    let film = picture("out/scene/animation.gif");
    assert!(film.starts_with(b"GIF89a") && film.ends_with(b";"));
    assert_eq!(film[6..10], [48, 0, 27, 0]);
    workshop.craze(&[["render", "out/scene", "--gif", "-o", "films/one.gif"].as_slice(), &small].concat()).succeeded();
    assert_eq!(picture("films/one.gif"), film);
}

#[test]
fn export_writes_every_format() {
    let workshop = Workshop::with_run();
    // Per format: first bytes, and name of the third frame.
    let formats: [(&str, &str, &[u8]); 4] = [
        ("obj", "scene.0002.obj", b"#"),
        ("ply", "scene.0002.ply", b"ply\n"),
        ("glb", "scene.0002.glb", b"glTF"),
        ("stl", "scene.0002.stl", b""),
    ];
    for (format, name, start) in formats {
        let told = workshop.craze(&["export", "out/scene", "-f", format, "-o", format]).succeeded();
        assert!(told.contains("6 frames in"), "{told}");
        let bytes = fs::read(workshop.path(format).join(name)).expect(name);
        assert!(bytes.starts_with(start) && bytes.len() > 500, "{name} has {} bytes", bytes.len());
        let ending = format!(".{format}");
        assert_eq!(workshop.files(format).iter().filter(|file| file.ends_with(&ending)).count(), 6);
    }
    workshop.craze(&["export", "out/scene", "-f", "vtk", "-o", "vtk"]).succeeded();
    let files = workshop.files("vtk");
    assert!(
        files.iter().any(|file| file.ends_with(".pvd")) && files.iter().any(|file| file.ends_with(".vtp")),
        "{files:?}"
    );
    workshop.craze(&["export", "out/scene", "--frame", "4", "-o", "one"]).succeeded();
    assert!(workshop.path("one/scene.0004.obj").is_file(), "{:?}", workshop.files("one"));
    // By default it goes into the run folder.
    workshop.craze(&["export", "out/scene"]).succeeded();
    assert!(workshop.path("out/scene/export/scene.0000.obj").is_file());
}

#[test]
fn export_writes_shards_of_the_last_frame() {
    let workshop = Workshop::with_run();
    let told =
        workshop.craze(&["export", "out/scene", "-f", "shards", "-o", "parts", "--merge-below", "0.01"]).succeeded();
    assert!(told.contains("1 shard in parts/shards.glb") && told.contains("all closed and manifold"), "{told}");
    assert!(told.contains("block-shard-0 of 1.000e-3 m³"), "{told}");
    assert!(fs::read(workshop.path("parts/shards.glb")).unwrap().starts_with(b"glTF"));
    let told = workshop.craze(&["export", "out/scene", "-f", "shards", "--json"]).succeeded();
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["frame"], 5);
    assert_eq!(told["shards"][0]["closed"], true);
    workshop.craze(&["export", "out/scene", "--merge-below", "0.1"]).failed_with(&["--merge-below", "--format shards"]);
    for share in ["-0.1", "1", "nan"] {
        let answer = workshop.craze(&["export", "out/scene", "-f", "shards", &format!("--merge-below={share}")]);
        assert_eq!(answer.code, Some(2), "{answer}");
    }
}

#[test]
fn export_of_thick_sheets_leaves_solids_unchanged() {
    let workshop = Workshop::with_run();
    for (folder, thick) in [("open", false), ("thick", true)] {
        let mut arguments = vec!["export", "out/scene", "-f", "stl", "-o", folder];
        arguments.extend(thick.then_some("--thick"));
        workshop.craze(&arguments).succeeded();
    }
    let [open, thick] = ["open", "thick"].map(|folder| fs::read(workshop.path(&format!("{folder}/scene.0005.stl"))));
    assert_eq!(open.unwrap(), thick.unwrap());
}

#[test]
fn earlier_names_of_options_are_accepted_with_a_note() {
    let workshop = Workshop::with_run();
    let answer = workshop.craze(&["export", "out/scene", "-f", "shards", "--smallest=0.01", "--flat-cracks"]);
    assert_eq!(answer.code, Some(0), "{answer}");
    for note in ["--smallest is --merge-below now", "--flat-cracks is --smooth-cracks now"] {
        assert!(answer.stderr.contains(note), "{answer}");
    }
    let answer = workshop.craze(&["export", "out/scene", "-f", "shards", "--merge-below=0.01", "--smooth-cracks"]);
    assert!(answer.code == Some(0) && !answer.stderr.contains("note:"), "{answer}");
}

/// A ring of eight cubes of 0.1 m around a hole, as a model.
fn ring() -> String {
    let cells: Vec<[i32; 2]> = (0..9).map(|k| [k % 3, k / 3]).filter(|cell| *cell != [1, 1]).collect();
    let (mut vertices, mut faces) = (String::new(), String::new());
    let mut count = 0;
    for &[x, z] in &cells {
        for (axis, side) in [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)] {
            let step = 2 * side - 1;
            let next = [x + if axis == 0 { step } else { 0 }, z + if axis == 2 { step } else { 0 }];
            if axis != 1 && cells.contains(&next) {
                continue;
            }
            let order = if side == 1 { [[0, 0], [1, 0], [1, 1], [0, 1]] } else { [[0, 0], [0, 1], [1, 1], [1, 0]] };
            for [u, v] in order {
                let mut corner = [x, 0, z];
                corner[axis] += side;
                corner[(axis + 1) % 3] += u;
                corner[(axis + 2) % 3] += v;
                let [x, y, z] = corner.map(|k| 0.1 * f64::from(k));
                vertices += &format!("v {x} {y} {z}\n");
            }
            faces += &format!("f {} {} {} {}\n", count + 1, count + 2, count + 3, count + 4);
            count += 4;
        }
    }
    vertices + &faces
}

#[test]
fn tunnels_of_shards_and_pieces_are_reported() {
    let workshop = Workshop::new();
    // A separate block makes two pieces.
    let block = "v 1 0 0\nv 1.1 0 0\nv 1.1 0 0.1\nv 1 0 0.1\nv 1 0.1 0\nv 1.1 0.1 0\nv 1.1 0.1 0.1\nv 1 0.1 0.1\n\
                 f -8 -7 -6 -5\nf -4 -1 -2 -3\nf -8 -4 -3 -7\nf -7 -3 -2 -6\nf -6 -2 -1 -5\nf -5 -1 -4 -8\n";
    workshop.write("ring.obj", &(ring() + block));
    workshop.write(
        "scene.toml",
        "[world]\nduration = 0.01\nfps = 100\n[[body]]\nname = \"ring\"\nmethod = \"solid\"\nshape.mesh = { file = \"ring.obj\" }\n\
         edge = 0.05\nmaterial = { density = 1000, young = 1e5, poisson = 0.3 }\n[output]\npreview = false\n",
    );
    let told = workshop.craze(&["run", "scene.toml", "-o", "run"]).succeeded();
    assert!(told.contains("ring: tunnels: 1, in piece") && told.contains("unbroken it had 1"), "{told}");
    let broken = &workshop.record("run")["broken"][0];
    assert_eq!((&broken["open"], &broken["tunnels_at_start"]), (&0.into(), &1.into()), "{broken}");
    let pieces = broken["pieces"].as_array().expect("pieces");
    let faults: Vec<usize> = pieces.iter().map(|piece| piece["faults"].as_array().expect("faults").len()).collect();
    assert_eq!((faults.len(), faults.iter().sum::<usize>()), (2, 1), "{broken}");
    let fault = pieces.iter().find_map(|piece| piece["faults"].get(0)).expect("a fault");
    assert_eq!((&fault["kind"], &fault["count"]), (&"tunnel".into(), &1.into()));
    let told = workshop.craze(&["export", "run", "-f", "shards", "-o", "parts"]).succeeded();
    assert!(told.contains("all closed and manifold") && told.contains("tunnels: 1, in ring-shard-"), "{told}");
}

#[test]
fn animations_have_a_pace() {
    let workshop = Workshop::with_run();
    let told = workshop.craze(&["export", "out/scene", "-f", "animation", "-o", "moving"]).succeeded();
    // Five frames after the first at 24 per second; in the run they are 0.02 s apart.
    assert!(told.contains("0.21 s long"), "{told}");
    let told = workshop.craze(&["export", "out/scene", "-f", "animation", "-o", "moving", "--slow", "10"]).succeeded();
    assert!(told.contains("1.00 s long"), "{told}");
    for slow in ["0", "-1", "nan", "inf", "x"] {
        let answer = workshop.craze(&["export", "out/scene", "-f", "animation", &format!("--slow={slow}")]);
        assert!(answer.code == Some(2) && format!("{answer}").contains("1 is real time"), "{answer}");
    }
    for format in ["glb", "shards"] {
        workshop
            .craze(&["export", "out/scene", "-f", format, "--slow", "2"])
            .failed_with(&["--slow", "--format animation"]);
    }
}

#[test]
fn help_and_version_are_there() {
    let workshop = Workshop::new();
    let help = workshop.craze(&["--help"]).succeeded();
    let commands = ["run", "check", "scenes", "new", "materials", "schema", "render", "export", "validate", "bench"];
    for command in commands {
        assert!(help.contains(command), "{help}");
        assert!(workshop.craze(&[command, "--help"]).succeeded().contains("Usage:"));
    }
    assert_eq!(workshop.craze(&["--version"]).succeeded(), format!("craze {}\n", env!("CARGO_PKG_VERSION")));
    let answer = workshop.craze(&[]);
    assert_eq!(answer.code, Some(2), "{answer}");
}
