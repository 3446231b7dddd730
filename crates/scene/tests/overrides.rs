//! `--set key=value`.

use craze_scene::{ColorBy, SceneDocument, SceneErrors, Shape};

const SCENE: &str = r#"
[[body]]
name = "bowl"
method = "solid"
shape.sphere = { radius = 0.1 }
material.preset = "glass"

[[hold]]
body = "bowl"
region.all = {}
"#;

fn with(flags: &[&str]) -> Result<SceneDocument, SceneErrors> {
    let flags: Vec<String> = flags.iter().map(|&flag| flag.to_owned()).collect();
    SceneDocument::parse(SCENE, "scene.toml", &flags)
}

fn report(flag: &str) -> String {
    with(&[flag]).expect_err(flag).to_string()
}

#[test]
fn values_are_set_by_number_and_by_name() {
    let flags = [
        "world.duration=2",
        "body.bowl.edge=0.01",
        "body[0].shape.sphere.radius = 0.2",
        "body.bowl.material.preset=steel",
        "body.bowl.place.at=[0, 1, 0]",
        "hold[0].region.all={}",
        "picture.color=\"stress\"",
        "hold[0].release=0.5",
    ];
    let scene = with(&flags).expect("all flags hold").scene;
    assert_eq!(scene.world.duration, 2.0);
    assert_eq!(scene.bodies[0].edge, Some(0.01));
    assert_eq!(scene.bodies[0].shape, Shape::Sphere(craze_shape::Sphere { radius: 0.2 }));
    assert_eq!(scene.bodies[0].material.preset.as_deref(), Some("steel"));
    assert_eq!(scene.bodies[0].place.at, [0.0, 1.0, 0.0]);
    assert_eq!(scene.picture.color, ColorBy::Stress);
    assert_eq!(scene.holds[0].release, Some(0.5));
}

#[test]
fn the_last_of_two_flags_wins() {
    assert_eq!(with(&["world.seed=2", "world.seed=3"]).expect("both hold").scene.world.seed, 3);
}

#[test]
fn errors_point_at_the_flag() {
    for (flag, expected) in [
        (
            "world.duration",
            "--set:1:1: --set: \"world.duration\" gives no value (write key=value, such as world.duration=2)",
        ),
        (
            "world.duration=-2",
            "--set:1:16: `world.duration` = -2 s is impossible: it must be above 0 and at most 1000000",
        ),
        ("body[3].edge=1", "--set:1:1: --set: there is no number 3 (there are 1, counted from 0)"),
        ("body.bwol.edge=1", "--set:1:1: there is no body called \"bwol\" (did you mean \"bowl\"? there is only bowl)"),
        (
            "body.bowl.edge=5 mm",
            "--set:1:16: `body[0].edge` must be a number (metres), not a string (write 0.005 (metres))",
        ),
        (
            "title.x=1",
            "--set:1:1: --set: `x` cannot be found in a string (write the path of a key, such as world.duration, \
             body.NAME.edge or hold[0].release)",
        ),
        (
            "body.bowl.edge.x=1",
            "--set:1:1: --set: `x` cannot be found in a number (metres) (write the path of a key, such as world.duration, \
             body.NAME.edge or hold[0].release)",
        ),
    ] {
        assert_eq!(report(flag), expected, "{flag}");
    }
    let unknown = report("world.durration=2");
    assert!(
        unknown.starts_with("--set:1:1: unknown key `durration` (did you mean `duration`? allowed here: duration,"),
        "{unknown}"
    );
    let two = report("body.bowl.shape.box.size=[1, 1, 1]");
    assert!(two.contains("`box` beside `sphere`"), "{two}");
}
