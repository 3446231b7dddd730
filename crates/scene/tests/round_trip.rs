//! A written scene reads back as the same scene, and no text makes the reader panic.

use craze_clusters::{Clusters, ClustersTable};
use craze_scene::*;
use craze_shape::{Block, Cylinder, ModelFile, Plate, Sphere, Unit, UpAxis};
use craze_solid::{Solid, SolidOptions, SolidTable};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>().prop_filter("finite", |number| number.is_finite()),
        -10.0..10.0,
        (-1000_i32..1000).prop_map(f64::from)
    ]
}

fn positive() -> impl Strategy<Value = f64> {
    0.01_f64..100.0
}

fn vector() -> impl Strategy<Value = [f64; 3]> {
    [number(), number(), number()]
}

fn direction() -> impl Strategy<Value = [f64; 3]> {
    [0.1..1.0, -1.0..1.0, -1.0..1.0]
}

fn times<T: Clone + std::fmt::Debug>(
    keyframe: impl Strategy<Value = T>,
    set_time: impl Fn(&mut T, f64) + 'static,
) -> impl Strategy<Value = Vec<T>> {
    vec((keyframe, 0.001_f64..10.0), 1..4).prop_map(move |keyframes| {
        let mut time = 0.0;
        keyframes
            .into_iter()
            .map(|(mut keyframe, later)| {
                time += later;
                set_time(&mut keyframe, time);
                keyframe
            })
            .collect()
    })
}

fn keyframes() -> impl Strategy<Value = Vec<Keyframe>> {
    let keyframe = (vector(), vector()).prop_map(|(shift, turn)| Keyframe { t: 0.0, shift, turn });
    times(keyframe, |keyframe, t| keyframe.t = t)
}

fn ramp() -> impl Strategy<Value = Vec<LoadKeyframe>> {
    let ramp = times(number().prop_map(|factor| LoadKeyframe { t: 0.0, factor }), |keyframe, t| keyframe.t = t);
    prop_oneof![Just(Vec::new()), ramp]
}

fn place() -> impl Strategy<Value = Place> {
    (vector(), vector(), vector(), vector()).prop_map(|(at, turn, velocity, spin)| Place { at, turn, velocity, spin })
}

fn shape() -> impl Strategy<Value = Shape> {
    let extent = || 0.1_f64..5.0;
    prop_oneof![
        [extent(), extent(), extent()].prop_map(|size| Shape::Box(Block { size })),
        extent().prop_map(|radius| Shape::Sphere(Sphere { radius })),
        (extent(), extent()).prop_map(|(radius, height)| Shape::Cylinder(Cylinder { radius, height })),
        (".{1,12}", of(positive())).prop_map(|(file, size)| Shape::Mesh(ModelFile {
            file,
            size,
            unit: Unit::Inch,
            up: UpAxis::Z
        })),
        Just(Shape::Plate(Plate { holes: Vec::new(), ..Plate::default() })),
        proptest::sample::select(Shape::all()),
    ]
}

fn material() -> impl Strategy<Value = craze_material::Overrides> {
    let mut stiffness = [[0.0; 6]; 6];
    for (axis, row) in stiffness.iter_mut().enumerate() {
        row[axis] = 1.5e6;
    }
    let general = craze_material::Overrides {
        density: Some(1e3),
        stiffness: Some(stiffness),
        tensile_strength: Some(1e4),
        ..Default::default()
    };
    prop_oneof![
        (of(positive()), of(positive())).prop_map(|(density, friction)| craze_material::Overrides {
            density,
            friction,
            ..craze_material::Overrides::from_preset("glass")
        }),
        Just(general),
    ]
}

fn body() -> impl Strategy<Value = Body> {
    let settings = (of(0.05_f64..0.1), of(positive()), 0.0_f64..0.99);
    (any::<bool>(), shape(), material(), place(), settings).prop_map(
        |(is_solid, shape, material, place, (resolution, time_step, share))| {
            let solid = Body {
                name: String::new(),
                method: "solid".to_owned(),
                shape,
                edge: resolution,
                meshing: Some(Meshing { turn: [0.0, 0.0, 30.0], jitter: 0.2, seed: 3, ..Meshing::default() }),
                spacing: None,
                material,
                materials: None,
                look: is_solid.then(|| LookSettings { color: Some("#c0ffee".to_owned()), ..LookSettings::default() }),
                place,
                integrator: Some(Integrator::Taylor),
                time_step,
                tables: Tables::of::<Solid>(&SolidTable {
                    options: SolidOptions {
                        collapse_guard: share,
                        rest_strain: 0.0,
                        thinnest: share,
                        most_damping: share,
                        ..SolidOptions::default()
                    },
                    response: Response::NodePenalty,
                    ..SolidTable::default()
                }),
            };
            if is_solid {
                return solid;
            }
            // Stiffness is nothing to particles, and toughness varies where there is some.
            let material = craze_material::Overrides {
                stiffness: None,
                tensile_strength: None,
                cluster_toughness: Some(1.0 + share.max(0.01)),
                ..solid.material.clone()
            };
            let sampling = if share < 0.5 { Sampling::Grid } else { Sampling::Poisson };
            let tables = Tables::of::<Clusters>(&ClustersTable {
                damping: share,
                rest_strain: share / 10.0,
                sampling,
                count: (share < 0.5).then_some(7),
                toughness_spread: share,
                ..ClustersTable::default()
            });
            let method = "clusters".to_owned();
            Body { method, material, edge: None, meshing: None, spacing: resolution, integrator: None, tables, ..solid }
        },
    )
}

fn region() -> impl Strategy<Value = Region> {
    prop_oneof![
        vector().prop_map(|from| Region::Box { from, to: from }),
        (vector(), positive()).prop_map(|(center, radius)| Region::Sphere { center, radius }),
        (vector(), direction()).prop_map(|(point, normal)| Region::HalfSpace { point, normal }),
        Just(Region::All {}),
    ]
}

fn action() -> impl Strategy<Value = Action> {
    let angles = times(number().prop_map(|angle| AngleKeyframe { t: 0.0, angle }), |keyframe, t| keyframe.t = t);
    let turning = prop_oneof![number().prop_map(Turning::Rate), angles.prop_map(Turning::Keyframes)];
    prop_oneof![
        Just(Action::Fixed),
        keyframes().prop_map(Action::Motion),
        (direction(), vector(), turning).prop_map(|(axis, through, turning)| Action::Twist(Twist {
            axis,
            through,
            turning
        })),
        (vector(), ramp()).prop_map(|(total, ramp)| Action::Force { total, ramp }),
        (vector(), ramp()).prop_map(|(per_area, ramp)| Action::Traction { per_area, ramp }),
    ]
}

fn obstacle() -> impl Strategy<Value = Obstacle> {
    let shape = prop_oneof![
        shape().prop_map(ObstacleShape::Solid),
        positive().prop_map(|radius| ObstacleShape::Solid(Shape::Sphere(Sphere { radius }))),
    ];
    let motion = prop_oneof![
        Just(RigidMotion::Fixed),
        keyframes().prop_map(RigidMotion::Keyframes),
        positive().prop_map(|mass| RigidMotion::Free { mass }),
    ];
    (shape, place(), motion, of(positive())).prop_map(|(shape, place, motion, friction)| {
        let is_free = matches!(motion, RigidMotion::Free { .. });
        let place = if is_free { place } else { Place { velocity: [0.0; 3], spin: [0.0; 3], ..place } };
        Obstacle { name: String::new(), shape, place, motion, friction, restitution: friction.map(|_| 0.5) }
    })
}

/// Scenes with two bodies, whatever acts on them, and probes of every kind.
fn scene() -> impl Strategy<Value = Scene> {
    let holds = vec((region(), action(), of(positive())), 0..4);
    let world = (positive(), vector(), any::<u32>(), of(positive()), any::<bool>());
    let things = ([body(), body()], holds, vec(obstacle(), 0..3));
    (world, things, of(".{0,20}"), vector(), any::<bool>()).prop_map(
        |((duration, gravity, seed, time_step, is_slow), (bodies, holds, obstacles), title, point, switch)| {
            // Quasi-static mode takes solids and obstacles that stand still.
            let is_still = bodies.iter().all(|body| body.method == "solid")
                && obstacles.iter().all(|obstacle| obstacle.motion == RigidMotion::Fixed);
            let (mode, steps) = if is_slow && is_still { (Mode::QuasiStatic, Some(7)) } else { (Mode::Dynamic, None) };
            let body = || "body 0".to_owned();
            let mut quantities = vec![
                Quantity::Displacement(BodyPoint { body: body(), point }),
                Quantity::Velocity(BodyPoint { body: body(), point }),
                Quantity::Position(BodyPoint { body: body(), point }),
                Quantity::Energy(BodyName { body: body() }),
                Quantity::Pieces(BodyName { body: body() }),
            ];
            if !holds.is_empty() {
                quantities.push(Quantity::Reaction(HoldName { hold: "hold 0".into() }));
            }
            let named = |what: &str, index: usize| format!("{what} {index}");
            let pair = ContactPair {
                between: [body(), body()],
                friction: Some(0.1),
                restitution: None,
                response: Some(Response::Impulses),
            };
            let has_cracks = bodies[0].method == "solid";
            let shapes = [
                CrackShape::Strip(Strip { from: point, to: [1.0, 2.0, 3.0], along: [0.0, 1.0, 0.0] }),
                CrackShape::Disc(Disc { center: point, normal: [1.0, 0.0, 0.0], radius: 0.1 }),
                CrackShape::Polygon(Polygon { points: vec![point, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]] }),
            ];
            let cracks = shapes.into_iter().enumerate().filter(|_| has_cracks);
            let cracks = cracks.map(|(i, shape)| Crack { name: named("crack", i), body: body(), shape });
            let scene = Scene {
                title,
                description: switch.then(|| "Two\nlines, \"quoted\" \\ and \u{1}".to_owned()),
                world: WorldSettings {
                    duration,
                    gravity,
                    seed: seed.into(),
                    time_step,
                    mode,
                    steps,
                    ..Default::default()
                },
                contact: ContactSettings { pairs: vec![pair], ..Default::default() },
                bodies: (0..).zip(bodies).map(|(i, body)| Body { name: named("body", i), ..body }).collect(),
                cracks: cracks.collect(),
                holds: (0..)
                    .zip(holds)
                    .map(|(i, (region, action, release))| Hold {
                        name: named("hold", i),
                        body: body(),
                        region,
                        action,
                        release,
                    })
                    .collect(),
                obstacles: (0..).zip(obstacles).map(|(i, o)| Obstacle { name: named("obstacle", i), ..o }).collect(),
                probes: (0..)
                    .zip(quantities)
                    .map(|(i, quantity)| Probe { name: named("probe", i), quantity, every: time_step })
                    .collect(),
                camera: switch.then_some(Camera { from: [1.0, 2.0, 3.0], to: [0.0; 3], field_of_view: 60.0 }),
                picture: Picture { size: [64, 32], color: ColorBy::Piece, samples: 3 },
                output: Output { volume: switch, preview: !switch, checkpoint_every: 0 },
            };
            if mode == Mode::QuasiStatic { at_rest(scene) } else { scene }
        },
    )
}

/// The scene without what quasi-static mode refuses: it has no contact, no velocities and no time
/// steps.
fn at_rest(mut scene: Scene) -> Scene {
    scene.world.time_step = None;
    scene.contact.pairs.clear();
    scene.contact.separate_at_start = false;
    for obstacle in &mut scene.obstacles {
        (obstacle.friction, obstacle.restitution) = (None, None);
    }
    for body in &mut scene.bodies {
        (body.time_step, body.material.friction) = (None, None);
        (body.place.velocity, body.place.spin) = ([0.0; 3], [0.0; 3]);
        let mut table = body.tables.get::<Solid>().expect("options");
        let usual = SolidTable::default();
        (table.options.touches_itself, table.response) = (usual.options.touches_itself, usual.response);
        (table.options.rest_strain, table.options.look_every) = (usual.options.rest_strain, usual.options.look_every);
        body.tables = Tables::of::<Solid>(&table);
    }
    scene
}

/// Scenes that were read have defaults filled in; a model's resolution stays open.
fn has_resolution(scene: &Scene) -> bool {
    scene.bodies.iter().all(|body| body.edge.or(body.spacing).is_some() || matches!(body.shape, Shape::Mesh(_)))
}

proptest! {
    #[test]
    fn written_scenes_read_back_the_same(mut scene in scene()) {
        let text = scene.to_toml();
        let read = parse(&text, "written.toml");
        prop_assert!(read.is_ok(), "{}\n{text}", read.unwrap_err());
        let read = read.expect("just checked");
        prop_assert!(has_resolution(&read));
        for (body, filled) in scene.bodies.iter_mut().zip(&read.bodies) {
            body.edge = body.edge.or(filled.edge);
            body.spacing = body.spacing.or(filled.spacing);
            body.time_step = body.time_step.or(filled.time_step);
        }
        prop_assert_eq!(&read, &scene);
        prop_assert_eq!(parse(&read.to_toml(), "again.toml").expect("written twice"), read);
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in any::<String>(), flag in any::<String>()) {
        if let Err(errors) = SceneDocument::parse(&text, "any.toml", &[flag]) {
            prop_assert!(!errors.errors.is_empty());
            errors.render(Style::Color);
        }
    }

    #[test]
    fn no_damaged_scene_makes_the_reader_panic(
        which in 0..3_usize,
        cuts in vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), ".{0,3}"), 1..6),
    ) {
        let mut text: Vec<char> = Template::ALL[which].text().chars().collect();
        for (start, length, replacement) in cuts {
            let start = start.index(text.len() + 1);
            let end = (start + length.index(8)).min(text.len());
            text.splice(start..end, replacement.chars());
        }
        let text: String = text.into_iter().collect();
        if let Err(errors) = parse(&text, "damaged.toml") {
            prop_assert!(!errors.errors.is_empty());
            errors.render(Style::Plain);
        }
    }
}

#[test]
fn a_written_scene_is_pleasant_to_read() {
    let scene = parse(Template::Pull.text(), "pull.toml").expect("a scene");
    let expected = include_str!("written/pull.toml");
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/written/pull.toml");
    if std::env::var_os("CRAZE_BLESS").is_some() {
        std::fs::write(path, scene.to_toml()).expect("writable");
    } else {
        assert_eq!(scene.to_toml(), expected);
    }
}

#[test]
fn large_bad_files_are_refused_quickly() {
    let text = "[[body]]\nname = 3\n".repeat(200_000);
    let started = std::time::Instant::now();
    let errors = parse(&text, "large.toml").expect_err("no body is complete");
    assert_eq!(errors.errors.len(), MOST_ERRORS);
    assert!(errors.left_out > 200_000);
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}
