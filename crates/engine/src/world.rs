//! The world: everything that takes part, and the present moment.

use crate::contact::Scratch;
use crate::contact::Separation;
use crate::counters::CommitLog;
use crate::load_path::LoadPath;
use crate::throttle::Throttle;
use crate::watch::Watch;
use crate::{
    Account, Counters, Event, Failure, FrameDetail, Hold, HoldId, Method, Obstacle, Probe, Sample, SplitCounts,
};
use craze_contact::ContactMaterial;
use craze_contact::solvers::penalty::Response;
use craze_frame::{Frame, Look};
use craze_math::Vec3;
use serde::{Deserialize, Serialize};

/// A body with what the world knows of it.
pub struct Body {
    /// Its name.
    pub name: String,
    /// What it is made of.
    pub method: Box<dyn Method>,
    /// Loads what the method has saved.
    pub load: Loader,
    /// Whether it has contact in its own equations ([`Method::implicit`]).
    pub(crate) is_implicit: bool,
}

impl Body {
    /// A body with its name, and the loader of what its method saves.
    pub fn new(name: impl Into<String>, mut method: Box<dyn Method>, load: Loader) -> Body {
        let is_implicit = method.implicit().is_some();
        Body { name: name.into(), method, load, is_implicit }
    }
}

/// Turns the bytes of [`Method::save`] into a body. The text of the error says what is wrong with them.
pub type Loader = fn(&[u8]) -> Result<Box<dyn Method>, String>;

/// How the world moves from one moment to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mode {
    /// Newton's law.
    Dynamic,
    /// Loads are marched slowly and every body is in balance at the end of each load step.
    QuasiStatic {
        /// Load steps a frame.
        steps: u32,
    },
}

/// What holds for the whole world.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Acceleration of free fall (m/s²).
    pub gravity: Vec3,
    /// Frames a second of simulated time.
    pub frames_per_second: f64,
    /// The longest step anyone may take (s).
    pub longest_time_step: f64,
    /// Dynamic or quasi-static.
    pub mode: Mode,
    /// What frames hold.
    pub detail: FrameDetail,
    /// Friction and restitution of every pair.
    pub pairs: PairTable,
    /// What [`World::check_intersections`] looks at.
    pub check_intersections: Checked,
}

/// Whose triangles are searched for intersections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checked {
    /// Nobody's.
    Nothing,
    /// Those of bodies.
    Bodies,
    /// Those of bodies and obstacles.
    Everything,
}

/// Friction and restitution of every pair of bodies and obstacles, themselves included, and what keeps bodies apart.
#[derive(Clone, Debug, Default)]
pub struct PairTable {
    things: usize,
    values: Vec<ContactMaterial>,
    /// Pairs of bodies that are kept apart by something else than impulses, the smaller first, ascending.
    pressed: Vec<([usize; 2], Response)>,
}

impl PairTable {
    /// A table for bodies, then obstacles, all alike.
    pub fn new(bodies: usize, obstacles: usize, friction: f64, restitution: f64) -> PairTable {
        let things = bodies + obstacles;
        PairTable {
            things,
            values: vec![ContactMaterial { friction, restitution }; things * things],
            pressed: Vec::new(),
        }
    }

    /// Sets a pair, both ways round; bodies are counted first, then obstacles.
    pub fn set(&mut self, one: usize, other: usize, friction: f64, restitution: f64) {
        self.values[one * self.things + other] = ContactMaterial { friction, restitution };
        self.values[other * self.things + one] = ContactMaterial { friction, restitution };
    }

    /// Sets what keeps two bodies apart, or the parts of one. Penalty forces act between bodies that have tetrahedra only, and those
    /// within a body are of volumes.
    pub fn set_response(&mut self, one: usize, other: usize, response: Response) {
        let pair = [one.min(other), one.max(other)];
        self.pressed.retain(|entry| entry.0 != pair);
        if response != Response::Impulses {
            self.pressed.insert(self.pressed.partition_point(|entry| entry.0 < pair), (pair, response));
        }
    }

    /// What keeps two things apart.
    pub fn response(&self, one: usize, other: usize) -> Response {
        let pair = [one.min(other), one.max(other)];
        let place = self.pressed.binary_search_by_key(&pair, |entry| entry.0);
        place.map_or(Response::Impulses, |place| self.pressed[place].1)
    }

    /// Whether impulses keep everything apart.
    pub fn all_by_impulses(&self) -> bool {
        self.pressed.is_empty()
    }

    /// Friction and restitution of a pair; bodies are counted first, then obstacles. None of either for things beyond the table.
    pub fn get(&self, one: usize, other: usize) -> ContactMaterial {
        let value = if other < self.things { self.values.get(one * self.things + other) } else { None };
        value.copied().unwrap_or_default()
    }
}

/// Why the world cannot go on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WorldError {
    /// A step failed however short it was.
    #[error(
        "body \"{body}\" cannot go on at t = {time:.6} s, even with a step of {time_step:.2e} s: {failure}{}",
        squeezed(squeezed_by)
    )]
    Stuck {
        /// The body.
        body: String,
        /// When (s).
        time: f64,
        /// The shortest step tried (s).
        time_step: f64,
        /// What went wrong.
        failure: Failure,
        /// Obstacles that touch the body.
        squeezed_by: Vec<String>,
    },
    /// An obstacle is driven through a body that cannot give way.
    #[error(
        "obstacle \"{obstacle}\" is driven through body \"{body}\" at t = {time:.6} s, near ({:.4}, {:.4}, {:.4}) m, and nothing gives way, even with a step of {time_step:.2e} s: stop it earlier, leave room behind the body, or let the obstacle be free with a mass",
        place.x, place.y, place.z
    )]
    Pressed {
        /// The body.
        body: String,
        /// The obstacle.
        obstacle: String,
        /// When (s).
        time: f64,
        /// The shortest step tried (s).
        time_step: f64,
        /// Where (m).
        place: Vec3,
    },
    /// An obstacle is driven so far into a body that its elements are next to nothing.
    #[error(
        "obstacle \"{obstacle}\" crushes body \"{body}\" at t = {time:.6} s: its thinnest element asks for steps of {time_step:.2e} s, where sound takes {:.2e} s through a whole one; stop the obstacle earlier, leave room behind the body, or let the obstacle be free with a mass",
        through_edge
    )]
    Crushed {
        /// The body.
        body: String,
        /// The obstacle.
        obstacle: String,
        /// When (s).
        time: f64,
        /// What it asks for (s).
        time_step: f64,
        /// Time that sound takes through a mean edge (s).
        through_edge: f64,
    },
    /// Energy appeared from nowhere.
    #[error(
        "body \"{body}\" has gained {gained:.3e} J from nowhere by t = {time:.6} s, though steps were shortened; give it a smaller time_step{}",
        squeezed(squeezed_by)
    )]
    Runaway {
        /// The body.
        body: String,
        /// When (s).
        time: f64,
        /// Energy that no work accounts for (J).
        gained: f64,
        /// Obstacles that touch the body.
        squeezed_by: Vec<String>,
    },
    /// A body in equilibrium stands inside an obstacle, which quasi-static mode cannot push away.
    #[error(
        "at t = {time:.6} s, body \"{body}\" in balance reaches {depth:.2e} m into obstacle \"{obstacle}\": quasi-static mode has no contact; use dynamic mode, or move the obstacle away"
    )]
    Overlap {
        /// The body.
        body: String,
        /// The obstacle.
        obstacle: String,
        /// When (s).
        time: f64,
        /// How deep (m).
        depth: f64,
    },
    /// Two things pass through each other.
    #[error(
        "in frame {frame}, {} near ({:.4}, {:.4}, {:.4}) m; the frame is kept, so that you can look at it",
        pass_through(things), place.x, place.y, place.z
    )]
    Intersection {
        /// Names of a body and of another body or an obstacle; the same twice for a body that passes through itself.
        things: [String; 2],
        /// Where, within the size of a triangle (m).
        place: Vec3,
        /// The frame.
        frame: u32,
    },
    /// A place is not a number.
    #[error(
        "in frame {frame}, \"{thing}\" has a position that is not a number; the frame is kept, so that you can look at it"
    )]
    NotFinite {
        /// Name of the body or obstacle.
        thing: String,
        /// The frame.
        frame: u32,
    },
    /// A body asks for steps so short that the run would never end.
    #[error(
        "body \"{body}\" asks for steps of {time_step:.2e} s at t = {time:.6} s: check its material, the sizes of its elements, and what squeezes it{}",
        squeezed(squeezed_by)
    )]
    VanishingStep {
        /// The body.
        body: String,
        /// What it asks for (s).
        time_step: f64,
        /// When (s).
        time: f64,
        /// Obstacles that touch the body.
        squeezed_by: Vec<String>,
    },
    /// A body that cannot be reloaded from its own bytes.
    #[error("the frame could not be started again: {0}")]
    Reload(String),
}

fn squeezed(by: &[String]) -> String {
    let names: Vec<String> = by.iter().map(|name| format!("obstacle \"{name}\"")).collect();
    if names.is_empty() { String::new() } else { format!("; {} presses on it", names.join(", and so does ")) }
}

fn pass_through([one, other]: &[String; 2]) -> String {
    if one == other {
        format!("\"{one}\" passes through itself")
    } else {
        format!("\"{one}\" and \"{other}\" pass through each other")
    }
}

/// Bodies, obstacles, holds and probes at one moment.
pub struct World {
    /// What holds for all.
    pub settings: Settings,
    /// The bodies, in the order of the scene.
    pub bodies: Vec<Body>,
    /// The obstacles, in the order of the scene.
    pub obstacles: Vec<Obstacle>,
    /// The holds, in the order of the scene.
    pub holds: Vec<Hold>,
    /// Centre of what each hold took hold of (m).
    pub(crate) hold_centers: Vec<Vec3>,
    /// How bodies look, by their numbers, where somebody said so.
    looks: Vec<(usize, Look)>,
    /// The probes, in the order of the scene.
    pub(crate) probes: Vec<Probe>,
    /// How many samples each probe has had time for.
    pub(crate) probe_samples: Vec<u64>,
    /// What the probes measured since somebody last took it.
    pub samples: Vec<Sample>,
    /// Now (s).
    pub time: f64,
    /// Number of the last frame that was reached.
    pub frame_number: u32,
    /// How often the step is halved at present, and how many good steps since.
    pub(crate) throttle: Throttle,
    /// Watch over energies.
    pub(crate) watch: Watch,
    /// What happened since somebody last took it.
    pub events: Vec<Event>,
    /// Where the time went.
    pub counters: Counters,
    /// What bodies report in the present step.
    pub(crate) commit_log: CommitLog,
    /// Length of the last step (s).
    pub last_time_step: f64,
    /// Whether bodies that start inside each other part slowly, and who still does.
    pub(crate) separates: bool,
    pub(crate) separations: Vec<Separation>,
    pub(crate) load_path: LoadPath,
    pub(crate) scratch: Scratch,
}

impl World {
    /// A world of bodies and obstacles at t = 0. Holds and probes are added afterwards.
    pub fn new(settings: Settings, bodies: Vec<Body>, obstacles: Vec<Obstacle>) -> World {
        let mut world = World {
            settings,
            bodies,
            obstacles,
            holds: Vec::new(),
            hold_centers: Vec::new(),
            looks: Vec::new(),
            probes: Vec::new(),
            probe_samples: Vec::new(),
            samples: Vec::new(),
            time: 0.0,
            frame_number: 0,
            throttle: Throttle::default(),
            watch: Watch::default(),
            events: Vec::new(),
            counters: Counters::default(),
            commit_log: CommitLog::default(),
            last_time_step: 0.0,
            separates: false,
            separations: Vec::new(),
            load_path: LoadPath::default(),
            scratch: Scratch::default(),
        };
        world.watch = Watch::new(&world);
        world
    }

    /// Adds a hold. `None` if its region holds nothing of its body.
    pub fn add_hold(&mut self, hold: Hold) -> Option<HoldId> {
        let id = HoldId(self.holds.len() as u32);
        let center = self.bodies[hold.body].method.attach(id, &hold.region)?;
        self.holds.push(hold);
        self.hold_centers.push(center);
        Some(id)
    }

    /// Says how a body looks in frames, by its number; what it is made of does not change.
    pub fn set_look(&mut self, body: usize, look: Look) {
        self.looks.retain(|(other, _)| *other != body);
        self.looks.push((body, look));
    }

    /// Adds a probe.
    pub fn add_probe(&mut self, probe: Probe) {
        self.probes.push(probe);
        self.probe_samples.push(0);
    }

    /// The probes, in the order of the scene.
    pub fn probes(&self) -> &[Probe] {
        &self.probes
    }

    /// Mass, momenta, energies and counts of all bodies.
    pub fn account(&self) -> Account {
        let mut total = Account::default();
        for body in &self.bodies {
            total.add(&body.method.account(&self.settings.gravity));
        }
        total
    }

    /// What fracture has done to all bodies since the start.
    pub fn split_counts(&self) -> SplitCounts {
        self.account().split_counts
    }

    /// What the present moment looks like.
    pub fn frame(&self) -> Frame {
        let bodies = self.bodies.iter().enumerate().map(|(number, body)| {
            let mut frame = body.method.frame(self.settings.detail);
            frame.look = self.looks.iter().find(|(other, _)| *other == number).map(|(_, look)| *look);
            frame.name = body.name.clone();
            frame.method = body.method.kind().to_owned();
            frame.mark_topology();
            frame
        });
        Frame {
            number: self.frame_number,
            time: self.time,
            bodies: bodies.collect(),
            obstacles: self.obstacles.iter().map(|obstacle| obstacle.frame(self.time)).collect(),
        }
    }
}
