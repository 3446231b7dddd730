//! The fail-safe is complete: whatever is thrown at whatever, every step that is taken ends with nothing inside anything, or the run says that it cannot go on.

use craze_engine::World;
use craze_math::Random;
use craze_scene::{SceneDocument, build};

/// Steps after which a case has been looked at long enough.
const MOST_STEPS: u64 = 150;

/// Obstacles that stand or are driven, one of each kind, at random places around the middle.
fn obstacles(random: &mut Random, count: usize) -> String {
    let mut text = String::new();
    for index in 0..count {
        let shape = [
            "box = { size = [0.12, 0.02, 0.08] }",
            "sphere = { radius = 0.04 }",
            "cylinder = { radius = 0.02, height = 0.1 }",
            "heart = { width = 0.1 }",
        ][(random.number() * 4.0) as usize];
        let mut three = |scale: f64| [0; 3].map(|_| scale * (2.0 * random.number() - 1.0));
        let [x, y, z] = three(0.06);
        let side = if index % 2 == 0 { 0.16 } else { -0.16 };
        let [turn, way] = [three(180.0), three(0.05)];
        // Every other one comes at the middle.
        let motion =
            format!("motion = [{{ t = 0 }}, {{ t = 0.02, move = [{}, {}, {}] }}]", way[0], -1.2 * side, way[2]);
        text += &format!(
            "[[obstacle]]\nname = \"obstacle {index}\"\nshape.{shape}\nplace = {{ at = [{x}, {}, {z}], turn = {turn:?} }}\n{}\n",
            side + y,
            if index < 2 { motion } else { String::new() },
        );
    }
    text + "[[obstacle]]\nname = \"ground\"\nshape.plane = { point = [0, -0.3, 0], normal = [0.1, 1, 0.05] }\n"
}

/// A body that flies at the middle.
fn body(random: &mut Random, name: &str, side: f64) -> String {
    const ELASTIC: &str = "young = 1e6, poisson = 0.3, ";
    let (kind, elasticity) = [
        ("method = \"solid\"\nedge = 0.03\nshape.box = { size = [0.08, 0.004, 0.08] }", ELASTIC),
        (
            "method = \"solid\"\nedge = 0.03\nintegrator = \"implicit\"\nshape.box = { size = [0.06, 0.03, 0.06] }",
            ELASTIC,
        ),
        ("method = \"solid\"\nedge = 0.025\nshape.sphere = { radius = 0.03 }", ELASTIC),
        ("method = \"clusters\"\nspacing = 0.015\ntime_step = 1e-3\nshape.sphere = { radius = 0.03 }", ""),
    ][(random.number() * 4.0) as usize];
    let speed = 10f64.powf(2.0 * random.number()) * -side.signum();
    let turn = [0; 3].map(|_| 360.0 * random.number());
    format!(
        "[[body]]\nname = \"{name}\"\n{kind}\nmaterial = {{ density = 1000, {elasticity}damping_time = 1e-4 }}\nplace = {{ at = [{side}, 0, 0], turn = {turn:?}, velocity = [{speed}, 0, 0] }}\n"
    )
}

/// The deepest point of a body within an obstacle (m), radii of particles not counted: they may be squeezed.
fn deepest(world: &World) -> (f64, String) {
    let mut deepest = (f64::NEG_INFINITY, String::new());
    for body in &world.bodies {
        let surface = body.method.collision_geometry().surface();
        for obstacle in &world.obstacles {
            let pose = obstacle.pose(world.time);
            for point in &surface.points {
                let place = pose.inverse_transform_point(&point.start.into()).coords;
                let depth = -obstacle.shape.signed_distance(&place).distance;
                assert!(depth.is_finite(), "a place that is not a number");
                if depth > deepest.0 {
                    deepest = (depth, format!("\"{}\" in \"{}\"", body.name, obstacle.name));
                }
            }
        }
    }
    deepest
}

/// Throws things at each other. Says how many steps were taken, how many were rewound, and whether the run had to stop.
fn throw(seed: u64) -> Option<(u64, u64, bool)> {
    let mut random = Random::new(seed);
    let head =
        "[world]\nduration = 1\nfps = 500\ngravity = [0, -9.81, 0]\n[contact]\ncheck_intersections = \"everything\"\n";
    let text = [
        head.to_owned(),
        body(&mut random, "left", -0.12),
        body(&mut random, "right", 0.12),
        obstacles(&mut random, 4),
    ];
    let document = SceneDocument::parse(&text.concat(), "test.toml", &[]).unwrap_or_else(|errors| panic!("{errors}"));
    // What starts inside each other is refused: another case.
    let mut world = build(&document).ok()?.world;
    let size = 0.1;
    for frame in 1..=8 {
        let end = f64::from(frame) / world.settings.frames_per_second;
        while world.time < end && world.counters.steps < MOST_STEPS {
            if let Err(error) = world.step(end) {
                assert!(error.to_string().contains("body \""), "seed {seed}: {error}");
                return Some((world.counters.steps, world.counters.retries, true));
            }
            world.check_intersections().unwrap_or_else(|found| panic!("seed {seed}: {found}"));
            let (depth, who) = deepest(&world);
            assert!(depth <= 1e-9 * size, "seed {seed}, t = {} s: {who} by {depth} m", world.time);
        }
    }
    Some((world.counters.steps, world.counters.retries, false))
}

#[test]
fn every_step_ends_with_nothing_inside_anything() {
    let (mut steps, mut retries, mut stops, mut thrown) = (0, 0, 0, 0);
    for seed in 0..seeds() {
        let Some((taken, rewound, stopped)) = throw(seed) else { continue };
        (steps, retries) = (steps + taken, retries + rewound);
        stops += u32::from(stopped);
        thrown += 1;
    }
    println!("{thrown} cases, {steps} steps, {retries} rewound, {stops} stopped");
    assert!(thrown > 3 && retries > 0 && stops <= thrown / 4, "{thrown} cases, {retries} rewound, {stops} stopped");
}

/// Number of cases; `CRAZE_CASES` asks for more.
fn seeds() -> u64 {
    std::env::var("CRAZE_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(8)
}
