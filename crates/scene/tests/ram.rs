//! Obstacles that are driven through bodies. They push; where nothing can give way the run stops
//! and names the two, the force is bounded, and bodies gain no more energy than obstacles do work.

use craze_engine::{Account, Verdict, World};
use craze_scene::{SceneDocument, build};

fn world(text: &str) -> World {
    let document = SceneDocument::parse(text, "test.toml", &[]).unwrap_or_else(|errors| panic!("{errors}"));
    build(&document).unwrap_or_else(|errors| panic!("{errors}")).world
}

fn head(gravity: f64, contact: &str) -> String {
    format!(
        "
        [world]
        duration = 1
        fps = 100
        gravity = [0, {gravity}, 0]
        [contact]
        check_intersections = \"everything\"
        friction = 0.5
        {contact}
        "
    )
}

const GROUND: &str = "
    [[obstacle]]
    name = \"ground\"
    shape.plane = { point = [0, 0, 0], normal = [0, 1, 0] }
";

const SHAPES: [&str; 5] = [
    "shape.plane = { point = [0, 0.11, 0], normal = [0, -1, 0] }",
    "shape.sphere = { radius = 0.06 }\nplace.at = [0.01, 0.17, 0.005]",
    "shape.box = { size = [0.3, 0.03, 0.3] }\nplace.at = [0, 0.13, 0]",
    "shape.cylinder = { radius = 0.02, height = 0.1 }\nplace.at = [0.01, 0.16, 0.005]",
    // A mesh: of the others contact knows the formula.
    "shape.heart = { width = 0.1 }\nplace.at = [0.01, 0.17, 0.005]",
];

/// An obstacle above the block that comes down by 0.2 m at 1 m/s.
fn ram(shape: &str) -> String {
    format!("[[obstacle]]\nname = \"ram\"\n{shape}\nmotion = [{{ t = 0 }}, {{ t = 0.2, move = [0, -0.2, 0] }}]\n")
}

const KINDS: [&str; 3] = ["symplectic", "implicit", "clusters"];

/// A block of this height (m), with its lower face at another (m).
fn block(name: &str, kind: &str, young: f64, height: f64, bottom: f64) -> String {
    let elasticity = if kind == "clusters" { String::new() } else { format!("young = {young}, poisson = 0.3, ") };
    let material = format!("material = {{ density = 1000, {elasticity}damping_time = 1e-4 }}");
    let method = match kind {
        "clusters" => "method = \"clusters\"\nspacing = 0.02\nclusters.damping = 6\ntime_step = 1e-3".to_owned(),
        integrator => format!("method = \"solid\"\nintegrator = \"{integrator}\"\nedge = 0.05"),
    };
    let at = bottom + 0.5 * height;
    format!(
        "[[body]]\nname = \"{name}\"\n{method}\n{material}\nshape.box = {{ size = [0.1, {height}, 0.1] }}\nplace.at = [0, {at}, 0]\n"
    )
}

fn plug(kind: &str, young: f64) -> String {
    block("plug", kind, young, 0.1, 1e-4)
}

const CLAMP: &str = "[[hold]]\nbody = \"plug\"\nregion.box = { from = [-1, 0, -1], to = [1, 0.03, 1] }\n";

/// What came of it.
#[derive(Debug)]
struct Outcome {
    /// Why the run stopped, if it did.
    error: Option<String>,
    /// Energy that the bodies gained (J), and work that the obstacles did (J).
    gained: f64,
    work: f64,
    /// Largest mean force of the ram over a hundredth of a second (N).
    force: f64,
}

/// Goes on for 0.22 s, or until the run stops.
fn drive(world: &mut World) -> Outcome {
    let start = world.account().energy();
    let mut outcome = Outcome { error: None, gained: 0.0, work: 0.0, force: 0.0 };
    'run: for frame in 1..=22 {
        let end = f64::from(frame) / world.settings.frames_per_second;
        let mut pushed = 0.0;
        while world.time < end {
            if let Err(error) = world.step(end) {
                outcome.error = Some(error.to_string());
                break 'run;
            }
            outcome.work += world.obstacle_impulses().iter().map(|push| push.work).sum::<f64>();
            let of_ram = world.obstacle_impulses().iter().filter(|push| world.obstacles[push.obstacle].name == "ram");
            pushed += of_ram.map(|push| push.impulse.norm()).sum::<f64>();
        }
        world.check_intersections().unwrap_or_else(|found| panic!("{found}"));
        outcome.force = outcome.force.max(pushed * world.settings.frames_per_second);
    }
    outcome.gained = world.account().energy() - start;
    outcome
}

/// That a run stopped because a ram crushes one of these bodies, and that nothing came from
/// nowhere.
fn assert_stopped(outcome: &Outcome, bodies: &[&str], case: &str) {
    let Outcome { error, gained, work, .. } = outcome;
    let error = error.as_ref().unwrap_or_else(|| panic!("{case}: nothing gives way"));
    let names = |body: &&str| error.contains(&format!("body \"{body}\""));
    assert!(error.contains("obstacle \"ram\"") && bodies.iter().any(names), "{case}: {error}");
    assert!(*gained <= 1.05 * work, "{case}: {gained} J gained, {work} J done");
}

#[test]
fn what_cannot_give_way_stops_the_run_with_a_bounded_force() {
    for kind in KINDS {
        // Equations of implicit bodies know obstacles that meet their points, as these do.
        let shapes = if kind == "implicit" { &[SHAPES[0], SHAPES[2]] } else { SHAPES.as_slice() };
        for shape in shapes {
            let outcome = drive(&mut world(&(head(-9.81, "") + GROUND + &ram(shape) + &plug(kind, 3e4))));
            let case = format!("{kind}, {shape}");
            assert_stopped(&outcome, &["plug"], &case);
            // Young's modulus times the area of a face is what it takes to squeeze a linear body to
            // nothing; clusters are stiffer than that here.
            let linear = if kind == "clusters" { 6e3 } else { 3e4 * 0.1 * 0.1 };
            assert!(outcome.force <= 25.0 * linear, "{case}: {} N", outcome.force);
        }
    }
}

#[test]
fn so_does_what_is_stiff_or_held() {
    for kind in KINDS {
        for (young, hold) in [(3e4, CLAMP), (3e6, ""), (3e6, CLAMP)] {
            // Steps of stiff implicit bodies are halved often.
            if (kind, young, hold) == ("implicit", 3e6, CLAMP) {
                continue;
            }
            let mut world = world(&(head(-9.81, "") + GROUND + &ram(SHAPES[2]) + &plug(kind, young) + hold));
            assert_stopped(&drive(&mut world), &["plug"], &format!("{kind}, {young} Pa, {hold}"));
        }
    }
}

#[test]
fn what_can_get_away_is_pushed_ahead() {
    for kind in KINDS {
        for shape in SHAPES {
            let mut world = world(&(head(0.0, "") + &ram(shape) + &plug(kind, 3e5)));
            let Outcome { error, gained, work, .. } = drive(&mut world);
            let case = format!("{kind}, {shape}");
            assert_eq!(error, None, "{case}");
            assert!(gained <= 1.05 * work, "{case}: {gained} J gained, {work} J done");
            let Account { momentum, mass, .. } = world.account();
            assert!(momentum.y / mass < -0.5, "{case}: {} m/s", momentum.y / mass);
        }
    }
}

#[test]
fn two_bodies_are_crushed_whatever_keeps_them_apart() {
    for (response, kind) in [
        ("impulses", "symplectic"),
        ("node-penalty", "symplectic"),
        ("overlap-penalty", "symplectic"),
        ("impulses", "implicit"),
    ] {
        let pair = format!("pair = [{{ between = [\"upper\", \"lower\"], response = \"{response}\" }}]");
        let bodies = block("lower", kind, 3e4, 0.05, 1e-4) + &block("upper", kind, 3e4, 0.045, 0.0502);
        let outcome = drive(&mut world(&(head(-9.81, &pair) + GROUND + &ram(SHAPES[2]) + &bodies)));
        assert_stopped(&outcome, &["upper", "lower"], &format!("{response}, {kind}"));
    }
}

#[test]
fn a_whole_run_ends_with_that_message() {
    let mut world = world(&(head(-9.81, "") + GROUND + &ram(SHAPES[0]) + &plug("clusters", 3e4)));
    let mut advance = || world.advance_frame(&mut |_| Verdict::Continue);
    let error = (0..22).find_map(|_| advance().err()).expect("nothing gives way").to_string();
    assert!(error.contains("\"ram\" is driven through body \"plug\"") && error.contains("stop it earlier"), "{error}");
}
