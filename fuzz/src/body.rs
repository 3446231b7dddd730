//! Saved bodies and worlds that were damaged after they were saved: what the checksum of a file keeps out, and what a
//! malicious or mistaken program could still put in.
//!
//! The first byte chooses what is damaged, records of eleven bytes say how: an action, a place (2 bytes), and 8 bytes to put
//! there. Seeds thus stay good when the layout of saved bodies changes.

use crate::world::take_steps;
use craze_engine::{Loader, Saved, World};
use craze_scene::{SceneDocument, build};
use std::sync::OnceLock;

/// Most records that are followed.
const MOST_CHANGES: usize = 8;

/// Bytes of a record.
const RECORD_LENGTH: usize = 11;

/// Small worlds that have moved: bodies in flight, held, and touching.
const SCENES: [&str; 4] = [
    r#"
    [[body]]
    name = "tumbling"
    method = "solid"
    shape.box = { size = [0.1, 0.1, 0.2] }
    edge = 0.1
    material.preset = "rubber"
    place = { at = [0, 1, 0], velocity = [1, 0, 0], spin = [0, 0, 2] }
    [[probe]]
    name = "corner"
    position = { body = "tumbling", point = [0, 1, 0] }
    "#,
    r#"
    [[body]]
    name = "bar"
    method = "solid"
    shape.box = { size = [0.3, 0.1, 0.1] }
    edge = 0.1
    material = { density = 1000, young = 1e6, poisson = 0.3, psi = 10, mass_damping = 1 }
    [[hold]]
    body = "bar"
    region.half_space = { point = [-0.1, 0, 0], normal = [-1, 0, 0] }
    [[hold]]
    name = "pull"
    body = "bar"
    region.half_space = { point = [0.1, 0, 0], normal = [1, 0, 0] }
    force = [100, 0, 0]
    [[probe]]
    name = "force"
    reaction = { hold = "pull" }
    "#,
    r#"
    [[body]]
    name = "cloud"
    method = "clusters"
    shape.sphere = { radius = 0.1 }
    spacing = 0.08
    material.preset = "rubber"
    place = { at = [0, 1, 0], spin = [0, 3, 0] }
    [[body]]
    name = "hanging"
    method = "clusters"
    shape.box = { size = [0.1, 0.2, 0.1] }
    spacing = 0.05
    material.preset = "rubber"
    [[hold]]
    body = "hanging"
    region.half_space = { point = [0, 0.05, 0], normal = [0, 1, 0] }
    motion = [{ t = 0, move = [0, 0, 0] }, { t = 1, move = [0.1, 0, 0] }]
    "#,
    r#"
    [[body]]
    name = "block"
    method = "solid"
    shape.box = { size = [0.1, 0.1, 0.1] }
    edge = 0.05
    material.preset = "rubber"
    place = { at = [0, 0.0501, 0], velocity = [0, -2, 0] }
    [[obstacle]]
    shape.plane = { point = [0, 0, 0], normal = [0, 1, 0] }
    [[obstacle]]
    shape.sphere = { radius = 0.1 }
    place = { at = [0.5, 0.1, 0], velocity = [0, 1, 0] }
    mass = 2
    "#,
];

/// A world after a few steps, and what it saved.
struct Sound {
    /// What loads each body, and its bytes.
    bodies: Vec<(Loader, Vec<u8>)>,
    /// All of the world.
    world: Vec<u8>,
}

/// Damages a saved body, or the saved state of a world, and loads it. What is refused needs a reason; what is taken must
/// save itself as bytes that load the same, and go on for some steps without a panic or an unsound frame.
pub fn try_bytes(bytes: &[u8]) -> Result<(), String> {
    let Some((&choice, changes)) = bytes.split_first() else { return Err("nothing was chosen".to_owned()) };
    let number = usize::from(choice) % SCENES.len();
    let sound = &sound_ones()[number];
    match usize::from(choice) / SCENES.len() % 4 {
        0 => try_world(number, &damaged(&sound.world, changes)),
        1 => try_raw(changes),
        which => {
            let index = which % sound.bodies.len();
            let (load, saved) = &sound.bodies[index];
            try_body(number, index, *load, &damaged(saved, changes))
        }
    }
}

fn try_world(number: usize, saved: &[u8]) -> Result<(), String> {
    let saved: Saved = postcard::from_bytes(saved).map_err(|error| error.to_string())?;
    let mut world = world(number);
    world.restore(&saved).map_err(|error| error.to_string())?;
    take_steps(&mut world)
}

/// Bytes that no program of ours wrote.
fn try_raw(bytes: &[u8]) -> Result<(), String> {
    let mut refusal = String::new();
    for load in sound_ones().iter().flat_map(|sound| sound.bodies.iter().map(|(load, _)| load)) {
        match load(bytes) {
            Ok(_) => return Ok(()),
            Err(reason) => refusal = reason,
        }
    }
    Err(refusal)
}

fn try_body(number: usize, index: usize, load: Loader, saved: &[u8]) -> Result<(), String> {
    let body = load(saved)?;
    let again = load(&body.save()).expect("what was loaded can be saved and loaded");
    assert_eq!(again.save(), body.save());
    let mut world = world(number);
    world.bodies[index].method = body;
    take_steps(&mut world)
}

fn world(number: usize) -> World {
    let document = SceneDocument::parse(SCENES[number], "seed.toml", &[]).expect("a sound scene");
    build(&document).expect("a world").world
}

fn sound_ones() -> &'static [Sound] {
    static SOUND: OnceLock<Vec<Sound>> = OnceLock::new();
    SOUND.get_or_init(|| {
        let save = |number| {
            let mut world = world(number);
            take_steps(&mut world).expect("a sound world moves");
            let bodies = world.bodies.iter().map(|body| (body.load, body.method.save())).collect();
            Sound { bodies, world: postcard::to_stdvec(&world.save()).expect("a state can be written") }
        };
        (0..SCENES.len()).map(save).collect()
    })
}

/// The bytes after the changes that the records ask for. A last record that is cut short is left out.
fn damaged(sound: &[u8], changes: &[u8]) -> Vec<u8> {
    let mut bytes = sound.to_vec();
    let (records, _) = changes.as_chunks::<RECORD_LENGTH>();
    for &[action, low, high, ref value @ ..] in records.iter().take(MOST_CHANGES) {
        let place = usize::from(u16::from_le_bytes([low, high])) % (bytes.len() + 1);
        match action % 5 {
            0 => bytes.iter_mut().skip(place).zip(value).for_each(|(byte, new)| *byte = *new),
            1 => bytes.iter_mut().skip(place).take(1).for_each(|byte| *byte = value[0]),
            2 => bytes.insert(place, value[0]),
            3 => drop(bytes.drain(place..(place + 1).min(bytes.len()))),
            _ => bytes.truncate(place),
        }
    }
    bytes
}
