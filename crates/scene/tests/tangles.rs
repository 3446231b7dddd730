//! Bodies that start inside each other are refused, with the position; bodies that touch are not.

use craze_engine::Verdict;
use craze_math::Vec3;
use craze_scene::{SceneDocument, Style, build};

fn scene(second: &str) -> String {
    format!(
        r#"
        [world]
        duration = 0.1
        gravity = [0, 0, 0]

        [[body]]
        name = "lower"
        method = "solid"
        shape.box = {{ size = [0.2, 0.1, 0.2] }}
        edge = 0.05
        material = {{ density = 1000, young = 1e6, poisson = 0.3 }}

        [[body]]
        name = "upper"
        {second}
        "#
    )
}

fn built(second: &str) -> Result<(), String> {
    let document = SceneDocument::parse(&scene(second), "test.toml", &[]).expect("a good scene");
    build(&document).map(|_| ()).map_err(|errors| errors.render(Style::Plain))
}

const BOX: &str = r#"
    method = "solid"
    shape.box = { size = [0.1, 0.1, 0.1] }
    edge = 0.05
    material = { density = 1000, young = 1e6, poisson = 0.3 }
"#;

#[test]
fn solids_that_start_inside_each_other_are_refused_with_the_place() {
    let report = built(&format!("{BOX}    place.at = [0.02, 0.09, 0]")).expect_err("they overlap");
    assert!(report.contains("body \"upper\" starts inside body \"lower\", at ("), "{report}");
    assert!(report.contains("test.toml:") && report.contains("separate_at_start"), "{report}");
    assert_eq!(built(&format!("{BOX}    place.at = [0.02, 0.1, 0]")), Ok(()), "they touch");
    assert_eq!(built(&format!("{BOX}    place.at = [0.02, 0.2, 0]")), Ok(()));
}

#[test]
fn particles_that_start_inside_a_solid_are_refused() {
    let ball = r#"
        method = "clusters"
        shape.sphere = { radius = 0.04 }
        spacing = 0.02
        material.preset = "clay"
        time_step = 1e-3
    "#;
    let report = built(&format!("{ball}    place.at = [0, 0.06, 0]")).expect_err("they overlap");
    assert!(report.contains("starts inside"), "{report}");
    assert_eq!(built(&format!("{ball}    place.at = [0, 0.12, 0]")), Ok(()));
}

#[test]
fn bodies_that_start_inside_each_other_part_slowly_where_that_is_asked_for() {
    let contact = "[contact]\nseparate_at_start = true\ncheck_intersections = \"everything\"\n";
    let text = format!("{contact}{}", scene(&format!("{BOX}    place.at = [0.02, 0.095, 0]")));
    let document = SceneDocument::parse(&text, "test.toml", &[]).expect("a good scene");
    let mut world = build(&document).unwrap_or_else(|errors| panic!("{errors}")).world;
    assert_eq!(world.intersections().len(), 1);
    for _ in 0..12 {
        world.advance_frame(&mut |_| Verdict::Continue).expect("a frame");
        world.check_intersections().unwrap_or_else(|found| panic!("{found}"));
    }
    assert_eq!(world.intersections(), []);
    let speed = world.bodies[1].method.account(&Vec3::zeros()).momentum.norm()
        / world.bodies[1].method.account(&Vec3::zeros()).mass;
    assert!(speed < 0.1, "{speed} m/s");
}
