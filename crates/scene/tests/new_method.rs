//! A fracture method from nothing: particles with springs that break. docs/new-method.md quotes this file.
//!
//! `CRAZE_BLESS=1 cargo test -p craze-scene --test new_method` brings the page up to date.

use craze_contact::{CollisionGeometry, ContactPoints, ContactSurface, Impulse, SurfacePoint};
use craze_descriptor::{BodyFacts, Built, Describe, Descriptor, Elements, Finding, Rejection, Sampling, Setup, Skin};
use craze_engine::{
    Account, Attachable, CommitLog, Effect, Failure, FrameDetail, HoldId, MaterialPoint, Method, Region, Step, Verdict,
    World,
};
use craze_frame::{BodyFrame, Particles, Piece, Pose};
use craze_material::{Key, MaterialUse, Quantity};
use craze_math::Vec3;
use craze_scene::{SceneFormat, build};
use craze_spatial::Aabb;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

// [model]
/// Particles of one mass, joined to their neighbours by springs.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Springs {
    /// Mass of a particle (kg), its volume (m³) and its radius (m).
    particle: [f64; 3],
    /// Stiffness of every spring (N/m), its damping (N·s/m) and the strain at which it breaks.
    law: [f64; 3],
    springs: Vec<Spring>,
    state: Vec<Node>,
    prediction: Vec<Node>,
    /// The hold of each particle, and where the particle was when it was attached (m).
    holds: Vec<Option<(HoldId, Vec3)>>,
    /// Whether a hold places the particle in this step.
    is_placed: Vec<bool>,
}

/// A spring between two particles, with its length at rest (m).
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Spring {
    ends: [usize; 2],
    length: f64,
}

/// Position (m) and velocity (m/s) of a particle.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Node {
    position: Vec3,
    velocity: Vec3,
}
// [end]

// [forces]
impl Springs {
    /// Forces on all particles in the state (N): Hooke's law and damping along each spring.
    fn forces(&self) -> Vec<Vec3> {
        let [stiffness, damping, _] = self.law;
        let mut forces = vec![Vec3::zeros(); self.state.len()];
        for Spring { ends: [a, b], length } in &self.springs {
            let (one, other) = (&self.state[*a], &self.state[*b]);
            let offset = other.position - one.position;
            let direction = offset / offset.norm();
            let rate = (other.velocity - one.velocity).dot(&direction);
            let force = (stiffness * (offset.norm() - length) + damping * rate) * direction;
            forces[*a] += force;
            forces[*b] -= force;
        }
        forces
    }

    /// Length of a spring now over its length at rest, minus 1.
    fn strain(&self, spring: &Spring) -> f64 {
        let [a, b] = spring.ends.map(|end| self.state[end].position);
        (b - a).norm() / spring.length - 1.0
    }

    /// The piece of each particle: the first particle to which springs connect it.
    fn pieces(&self) -> Vec<usize> {
        let mut first: Vec<usize> = (0..self.state.len()).collect();
        let root = |first: &[usize], mut particle: usize| {
            while first[particle] != particle {
                particle = first[particle];
            }
            particle
        };
        for spring in &self.springs {
            let [a, b] = spring.ends.map(|end| root(&first, end));
            first[a.max(b)] = a.min(b);
        }
        (0..first.len()).map(|particle| root(&first, particle)).collect()
    }
}
// [end]

// [attachable]
impl Attachable for Springs {
    fn attach(&mut self, hold: HoldId, region: &Region) -> Option<Vec3> {
        let mut held = Vec::new();
        for (node, slot) in self.state.iter().zip(&mut self.holds) {
            if region.contains(&node.position) {
                *slot = Some((hold, node.position));
                held.push(node.position);
            }
        }
        (!held.is_empty()).then(|| held.iter().sum::<Vec3>() / held.len() as f64)
    }

    fn locate(&mut self, place: &Vec3) -> MaterialPoint {
        let distance = |node: &Node| (node.position - place).norm_squared();
        let nearest =
            (0..self.state.len()).min_by(|a, b| distance(&self.state[*a]).total_cmp(&distance(&self.state[*b])));
        MaterialPoint { element: nearest.unwrap_or_default() as u32, weights: [1.0, 0.0, 0.0, 0.0] }
    }

    fn observe(&self, point: &MaterialPoint) -> (Vec3, Vec3) {
        let node = self.state[point.element as usize];
        (node.position, node.velocity)
    }

    fn reaction(&self, _hold: HoldId) -> Vec3 {
        Vec3::zeros()
    }
}
// [end]

// [method]
impl ContactPoints for Springs {
    fn add_points(&self, surface: &mut ContactSurface) {
        let [mass, _, radius] = self.particle;
        let nodes = self.state.iter().zip(&self.prediction).enumerate();
        surface.points.extend(nodes.map(|(index, (start, end))| SurfacePoint {
            dof: index as u32,
            start: start.position,
            start_velocity: start.velocity,
            end: end.position,
            velocity: end.velocity,
            inverse_mass: if self.is_placed[index] { 0.0 } else { 1.0 / mass },
            radius,
        }));
    }
}

impl Method for Springs {
    fn kind(&self) -> &'static str {
        Springs::NAME
    }

    fn time_step_limit(&self) -> f64 {
        // No vibration is faster than one particle between 18 springs of a lattice, whose ω² is at most 2·18·k/m.
        let ([mass, ..], [stiffness, ..]) = (self.particle, self.law);
        1.0 / (36.0 * stiffness / mass).sqrt()
    }

    fn predict(&mut self, step: &Step) -> Result<(), Failure> {
        let forces = self.forces();
        let [mass, ..] = self.particle;
        for (index, force) in forces.into_iter().enumerate() {
            let mut node = self.state[index];
            node.velocity += step.time_step * (force / mass + step.gravity);
            node.position += step.time_step * node.velocity;
            let load = self.holds[index].and_then(|(hold, start)| {
                let load = step.loads.iter().find(|load| load.hold == hold)?;
                Some((load.effect, start))
            });
            self.is_placed[index] = false;
            if let Some((Effect::Place(motion), start)) = load {
                node.position = motion.transform_point(&start.into()).coords;
                node.velocity = (node.position - self.state[index].position) / step.time_step;
                self.is_placed[index] = true;
            }
            self.prediction[index] = node;
        }
        Ok(())
    }

    fn collision_geometry(&self) -> CollisionGeometry<'_> {
        let all = self.state.iter().chain(&self.prediction);
        CollisionGeometry::of_points(Aabb::from_points(all.map(|node| &node.position)).grown(self.particle[2]), self)
    }

    fn receive(&mut self, impulses: &[Impulse], step: &Step) {
        for impulse in impulses {
            let node = &mut self.prediction[impulse.dof as usize];
            let gain = impulse.impulse / self.particle[0];
            node.velocity += gain;
            node.position += step.time_step * gain;
        }
    }

    fn check(&self) -> Result<(), Failure> {
        let is_finite = |node: &Node| node.position.iter().chain(&node.velocity).all(|number| number.is_finite());
        match self.prediction.iter().position(|node| !is_finite(node)) {
            Some(node) => Err(Failure::NotFinite { node: node as u32 }),
            None => Ok(()),
        }
    }

    fn commit(&mut self, _step: &Step, _log: &mut CommitLog) {
        self.state.clone_from(&self.prediction);
        let limit = self.law[2];
        let mut springs = std::mem::take(&mut self.springs);
        springs.retain(|spring| self.strain(spring) <= limit);
        self.springs = springs;
    }

    fn account(&self, gravity: &Vec3) -> Account {
        let [mass, volume, _] = self.particle;
        let count = self.state.len();
        let pieces = self.pieces().iter().enumerate().filter(|(particle, first)| particle == *first).count();
        let mut account = Account {
            mass: mass * count as f64,
            volume: volume * count as f64,
            elements: self.springs.len() as u64,
            nodes: count as u64,
            pieces: pieces as u64,
            ..Account::default()
        };
        for Node { position, velocity } in &self.state {
            account.momentum += mass * velocity;
            account.angular_momentum += mass * position.cross(velocity);
            account.kinetic += 0.5 * mass * velocity.norm_squared();
            account.potential -= mass * gravity.dot(position);
        }
        let energy = |spring: &Spring| 0.5 * self.law[0] * (self.strain(spring) * spring.length).powi(2);
        account.elastic = self.springs.iter().map(energy).sum();
        account
    }

    fn frame(&self, _detail: FrameDetail) -> BodyFrame {
        let [mass, volume, radius] = self.particle;
        let firsts = self.pieces();
        let piece = |first: usize| {
            let members: Vec<Vec3> = (firsts.iter().zip(&self.state))
                .filter(|(other, _)| **other == first)
                .map(|(_, node)| node.position)
                .collect();
            let count = members.len() as f64;
            let pose = Pose { position: members.iter().sum::<Vec3>() / count, ..Pose::default() };
            Piece { id: first as u32, volume: count * volume, mass: count * mass, parent: None, pose }
        };
        let positions = self.state.iter().map(|node| node.position).collect();
        BodyFrame {
            method: Springs::NAME.to_owned(),
            particles: Some(Particles { positions, radius, ..Particles::default() }),
            pieces: (0..firsts.len()).filter(|first| firsts[*first] == *first).map(piece).collect(),
            ..BodyFrame::default()
        }
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_stdvec(self).unwrap_or_default()
    }
}
// [end]

// [options]
/// Settings of method springs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct SpringsTable {
    /// Damping of each spring, as a share of what would stop its vibration.
    #[schemars(extend("x-unit" = "1", "minimum" = 0, "maximum" = 1))]
    damping: f64,
    /// Strain at which a spring breaks; never if left out.
    #[schemars(extend("x-unit" = "1", "exclusiveMinimum" = 0))]
    break_strain: Option<f64>,
}

impl Default for SpringsTable {
    fn default() -> Self {
        SpringsTable { damping: 0.1, break_strain: None }
    }
}
// [end]

// [describe]
impl Describe for Springs {
    const NAME: &'static str = "springs";
    const LETTER: char = 'P';
    const SUMMARY: &'static str = "Particles joined by springs that break.";
    const MATERIAL: &'static MaterialUse = &MaterialUse {
        method: "springs",
        // A lattice of springs has ν = 0.25; a material gives Poisson's ratio beside Young's modulus.
        reads: &[Key::Number(Quantity::Density), Key::Number(Quantity::Young), Key::Number(Quantity::Poisson)],
        instead: &[],
    };
    const ELEMENTS: Elements = Elements::Particles;
    const EXAMPLE: &'static str = "shape.box = { size = [0.1, 0.1, 0.2] }\nspacing = 0.025\nmaterial = { density = 1000, young = 1e5, poisson = 0.25 }\n";
    type Options = SpringsTable;

    fn check_options(table: &SpringsTable, _body: &BodyFacts) -> Vec<Finding> {
        let reason = "springs that break at so small a strain do not vibrate";
        let is_idle = table.damping > 0.0 && table.break_strain.is_some_and(|strain| strain < 1e-9);
        Finding::idle(Springs::NAME, reason, "remove it, or raise `break_strain`", [("damping", is_idle)]).collect()
    }

    fn build(setup: Setup, table: &SpringsTable) -> Result<Built, Rejection> {
        let points = setup.points(Sampling::Grid, Skin::Without)?;
        let (sampled, material) = (points.sampled, setup.material()?);
        let spacing = sampled.spacing.min();
        let mass = material.density * sampled.volume;
        let stiffness = material.elasticity.young() * spacing;
        let damping = 2.0 * table.damping * (stiffness * mass).sqrt();
        let mut springs = Vec::new();
        for (a, one) in sampled.positions.iter().enumerate() {
            for (b, other) in sampled.positions.iter().enumerate().skip(a + 1) {
                let length = (other - one).norm();
                // Neighbours along edges and diagonals of faces of the lattice: 18 within it.
                if length < 1.5 * spacing {
                    springs.push(Spring { ends: [a, b], length });
                }
            }
        }
        let place = |rest: &Vec3| Node {
            position: setup.placement.transform_point(&(*rest).into()).coords,
            velocity: setup.velocity + setup.spin.cross(&(setup.placement.rotation * rest)),
        };
        let state: Vec<Node> = sampled.positions.iter().map(place).collect();
        let elements = format!("{} particles with {} springs", state.len(), springs.len());
        let springs = Springs {
            particle: [mass, sampled.volume, 0.5 * spacing],
            law: [stiffness, damping, table.break_strain.unwrap_or(f64::INFINITY)],
            springs,
            prediction: state.clone(),
            holds: vec![None; state.len()],
            is_placed: vec![false; state.len()],
            state,
        };
        Ok(Built { method: Box::new(springs), elements, remarks: points.remarks })
    }

    fn load(bytes: &[u8]) -> Result<Box<dyn Method>, String> {
        let springs: Springs = postcard::from_bytes(bytes).map_err(|error| error.to_string())?;
        let count = springs.state.len();
        let is_sound = springs.prediction.len() == count
            && springs.holds.len() == count
            && springs.is_placed.len() == count
            && springs.springs.iter().flat_map(|spring| spring.ends).all(|end| end < count);
        if is_sound { Ok(Box::new(springs)) } else { Err("its lists do not fit each other".to_owned()) }
    }
}

/// What stands in the list of crates/methods/src/lib.rs for a method of Craze.
static METHODS: [Descriptor; 1] = [Descriptor::of::<Springs>()];
// [end]

/// The world of a scene that may name springs.
fn world(text: &str) -> World {
    let document = SceneFormat::of(&METHODS).parse(text, "springs.toml", &[]);
    let document = document.unwrap_or_else(|errors| panic!("{errors}"));
    build(&document).unwrap_or_else(|errors| panic!("{errors}")).world
}

fn advance(world: &mut World, frames: u32) {
    for _ in 0..frames {
        world.advance_frame(&mut |_| Verdict::Continue).unwrap_or_else(|error| panic!("{error}"));
    }
}

// [run]
/// A block that falls from this height (m) onto the ground; its springs break at this strain.
fn falling_block(height: f64, break_strain: f64) -> World {
    world(&format!(
        r#"
        [world]
        fps = 100
        [[body]]
        name = "block"
        method = "springs"
        shape.box = {{ size = [0.1, 0.1, 0.1] }}
        spacing = 0.025
        material = {{ density = 1000, young = 1e5, poisson = 0.25 }}
        springs = {{ damping = 0.2, break_strain = {break_strain} }}
        place.at = [0, {height}, 0]
        [[obstacle]]
        shape.plane = {{ point = [0, 0, 0], normal = [0, 1, 0] }}
        "#
    ))
}

#[test]
fn a_block_falls_as_everything_falls() {
    let mut world = falling_block(10.0, 0.5);
    let height = |world: &World| {
        let account = world.account();
        account.potential / (9.81 * account.mass)
    };
    let start = height(&world);
    advance(&mut world, 50);
    // ½·g·t² after half a second; symplectic Euler falls by g·t·Δt/2 further.
    let fallen = start - height(&world);
    assert!((fallen - 0.5 * 9.81 * 0.25).abs() < 0.02, "{fallen} m");
    assert!(world.account().elastic < 1e-9, "it falls without strain");
}

#[test]
fn a_tough_block_stays_whole_on_the_ground_and_a_brittle_one_breaks() {
    let mut tough = falling_block(0.3, 10.0);
    let mut brittle = falling_block(0.3, 0.01);
    advance(&mut tough, 60);
    advance(&mut brittle, 60);
    assert_eq!(tough.account().pieces, 1);
    assert!(brittle.account().pieces > 1, "{} pieces", brittle.account().pieces);
    let lowest = |world: &World| world.bodies[0].method.collision_geometry().bounds.min.y;
    assert!(lowest(&tough) > -0.01 && lowest(&brittle) > -0.01, "{} {}", lowest(&tough), lowest(&brittle));
}
// [end]

#[test]
fn a_resumed_run_has_the_same_bits() {
    let mut straight = falling_block(0.2, 0.02);
    advance(&mut straight, 20);
    let saved = straight.save();
    advance(&mut straight, 20);
    let mut resumed = falling_block(0.2, 0.02);
    resumed.restore(&saved).expect("its own state");
    advance(&mut resumed, 20);
    assert_eq!(straight.save().hash(), resumed.save().hash());
    assert!((METHODS[0].load)(b"not springs").is_err());
}

#[test]
fn its_keys_are_checked_as_those_of_every_method_are() {
    let refusal = |keys: &str| {
        let text = format!(
            "[[body]]\nname = \"block\"\nmethod = \"springs\"\nshape.box = {{ size = [0.1, 0.1, 0.1] }}\n\
             material = {{ density = 1000, young = 1e5, poisson = 0.25 }}\n{keys}\n"
        );
        SceneFormat::of(&METHODS).parse(&text, "springs.toml", &[]).expect_err("refused").to_string()
    };
    for (keys, expected) in [
        ("springs.dampin = 0.1", "unknown key `dampin` in `body[0].springs` (did you mean `damping`?"),
        ("springs.damping = 2", "`body[0].springs.damping` = 2 is impossible: it must be at least 0 and at most 1"),
        ("springs.damping = \"0.1\"", "`body[0].springs.damping`"),
        ("edge = 0.01", "but this body's method is springs (particles have a `spacing`)"),
        ("springs.break_strain = 1e-12", "`damping` changes nothing"),
        ("solid = {}", "unknown key `solid`"),
    ] {
        let found = refusal(
            &format!("springs.damping = 0.2\n{keys}").replace("springs.damping = 0.2\nsprings.damp", "springs.damp"),
        );
        assert!(found.contains(expected), "{keys}: {found}");
    }
    let named =
        "[[body]]\nname = \"a\"\nmethod = \"spring\"\nshape.sphere = { radius = 1 }\nmaterial.preset = \"glass\"\n";
    let found = SceneFormat::of(&METHODS).parse(named, "a.toml", &[]).expect_err("refused").to_string();
    assert!(found.contains("did you mean \"springs\"?"), "{found}");
}

#[test]
fn a_written_scene_has_its_options_with_defaults() {
    let text = "[[body]]\nname = \"a\"\nmethod = \"springs\"\nshape.sphere = { radius = 1 }\nmaterial = { density = 1, young = 1, poisson = 0.25 }\n";
    let format = SceneFormat::of(&METHODS);
    let scene = format.parse(text, "a.toml", &[]).expect("a scene").scene;
    let written = format.write(&scene);
    assert!(written.contains("springs = { damping = 0.1 }"), "{written}");
    assert_eq!(format.parse(&written, "written.toml", &[]).expect("a scene").scene, scene);
}

#[test]
fn the_page_quotes_this_file() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/new-method.md");
    let text = std::fs::read_to_string(&page).expect("the page exists");
    let quoted = quote(&text, include_str!("new_method.rs"));
    if std::env::var_os("CRAZE_BLESS").is_some() {
        std::fs::write(&page, quoted).expect("writable");
    } else {
        assert!(text == quoted, "run CRAZE_BLESS=1 cargo test -p craze-scene --test new_method");
    }
}

/// The page with the code below each mark `<!-- new_method.rs: NAME -->` replaced by what stands between `// [NAME]` and `// [end]`.
fn quote(page: &str, source: &str) -> String {
    let mut parts = page.split("<!-- new_method.rs: ");
    let mut quoted = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once(" -->\n```rust\n").expect("code follows the mark");
        let (_, after) = rest.split_once("```\n").expect("the code ends");
        let (_, code) = source.split_once(&format!("\n// [{name}]\n")).expect("a marked part of the file");
        let (code, _) = code.split_once("// [end]\n").expect("the part ends");
        quoted += &format!("<!-- new_method.rs: {name} -->\n```rust\n{code}```\n{after}");
    }
    quoted
}
