//! Saved bodies and worlds that were damaged after saving, as a forger or a faulty program could
//! write them with a valid checksum.
//!
//! The first byte selects the saved state, independent of the number of methods; records of eleven bytes describe the damage: an action,
//! a position (2 bytes), and 8 bytes to write. Seeds therefore stay valid when the layout of saved
//! bodies changes.

use crate::world::take_steps;
use craze_engine::{Saved, World};
use craze_scene::{METHODS, SceneDocument, build};
use std::sync::OnceLock;

/// Largest number of records applied.
const MOST_CHANGES: usize = 8;

/// Bytes of a record.
const RECORD_LENGTH: usize = 11;

/// The worlds: a tumbling body, one with boundary conditions and forces, and one that lands among
/// obstacles.
const SCENES: [&str; 3] = [
    r#"
    place = { at = [0, 1, 0], velocity = [1, 0, 0], spin = [0, 3, 2] }
    [[probe]]
    name = "corner"
    position = { body = "thing", point = [0, 1, 0] }
    "#,
    r#"
    [[hold]]
    body = "thing"
    region.half_space = { point = [0, -0.02, 0], normal = [0, -1, 0] }
    motion = [{ t = 0, move = [0, 0, 0] }, { t = 1, move = [0.1, 0, 0] }]
    [[hold]]
    name = "pull"
    body = "thing"
    region.half_space = { point = [0, 0.02, 0], normal = [0, 1, 0] }
    force = [10, 0, 0]
    [[probe]]
    name = "force"
    reaction = { hold = "pull" }
    "#,
    r#"
    place = { at = [0, 0.0501, 0], velocity = [0, -2, 0] }
    [[obstacle]]
    shape.plane = { point = [0, 0, 0], normal = [0, 1, 0] }
    [[obstacle]]
    shape.sphere = { radius = 0.1 }
    place = { at = [0.5, 0.1, 0], velocity = [0, 1, 0] }
    mass = 2
    "#,
];

/// Ways to damage a state.
const DAMAGES: usize = 4;

/// A world after a few steps, with its saved states. Worlds have a body of every method, one for
/// each of [`SCENES`].
struct Sound {
    /// Its body.
    body: Vec<u8>,
    /// All of the world.
    world: Vec<u8>,
}

/// Damages a saved body, or the saved state of a world, and loads it. A refusal needs a reason; a
/// loaded state must be saved as bytes that load the same, and run for some steps without a panic
/// or an inconsistent frame.
pub fn try_bytes(bytes: &[u8]) -> Result<(), String> {
    let Some((&choice, changes)) = bytes.split_first() else { return Err("nothing was chosen".to_owned()) };
    // Seeds stay valid when a method is added at the end of the list.
    let (scene, rest) = (usize::from(choice) % SCENES.len(), usize::from(choice) / SCENES.len());
    let (damage, method) = (rest % DAMAGES, rest / DAMAGES % METHODS.len());
    let number = method * SCENES.len() + scene;
    let sound = &sound_ones()[number];
    match damage {
        0 => try_world(number, &damaged(&sound.world, changes)),
        1 => try_raw(changes),
        _ => try_body(number, &damaged(&sound.body, changes)),
    }
}

fn try_world(number: usize, saved: &[u8]) -> Result<(), String> {
    let saved: Saved = postcard::from_bytes(saved).map_err(|error| error.to_string())?;
    let mut world = world(number);
    world.restore(&saved).map_err(|error| error.to_string())?;
    take_steps(&mut world)
}

/// Arbitrary bytes.
fn try_raw(bytes: &[u8]) -> Result<(), String> {
    let refusals: Vec<String> = METHODS.iter().filter_map(|method| (method.load)(bytes).err()).collect();
    if refusals.len() < METHODS.len() { Ok(()) } else { Err(refusals.join("; ")) }
}

fn try_body(number: usize, saved: &[u8]) -> Result<(), String> {
    let mut world = world(number);
    let load = world.bodies[0].load;
    let body = load(saved)?;
    let again = load(&body.save()).expect("what was loaded can be saved and loaded");
    assert_eq!(again.save(), body.save());
    world.bodies[0].method = body;
    take_steps(&mut world)
}

fn world(number: usize) -> World {
    let (method, scene) = (&METHODS[number / SCENES.len()], SCENES[number % SCENES.len()]);
    let (name, example) = (method.name, method.example);
    let text = format!("[[body]]\nname = \"thing\"\nmethod = \"{name}\"\n{example}{scene}");
    let document = SceneDocument::parse(&text, "seed.toml", &[]).expect("a sound scene");
    build(&document).expect("a world").world
}

fn sound_ones() -> &'static [Sound] {
    static SOUND: OnceLock<Vec<Sound>> = OnceLock::new();
    SOUND.get_or_init(|| {
        let save = |number| {
            let mut world = world(number);
            take_steps(&mut world).expect("a sound world moves");
            Sound {
                body: world.bodies[0].method.save(),
                world: postcard::to_stdvec(&world.save()).expect("a state can be written"),
            }
        };
        (0..METHODS.len() * SCENES.len()).map(save).collect()
    })
}

/// The bytes after the changes of the records. A truncated last record is ignored.
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
