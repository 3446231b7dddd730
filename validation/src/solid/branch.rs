//! Test 21: a crack under a sudden load branches, and under a small one it does not.
//!
//! A plate with a slit to its middle, pulled at its long sides from one moment on. The mesh is the mirror image of itself, as the problem is, with nodes moved at
//! random. Nodes about a split one wait until a crack at the speed of Rayleigh waves can have come to them ([`SolidOptions::crack_speed`]); what comes out is
//! slower. Contact is left out: lips do not meet while it runs.

use crate::ValidationError;
use crate::outcome::{Expected, Findings};
use crate::run::{Depth, MethodLetter, Test};
use crate::setup::{awake, elastic, solid_at_rest, take_step};
use craze_engine::{Effect, EventKind, HoldId, Load, Method, Region, Step};
use craze_material::{Elasticity, Material, Strength};
use craze_math::{Random, Vec3};
use craze_mesh::{TetMesh, kuhn_box};
use craze_solid::SolidOptions;

pub(crate) const TEST: Test = Test {
    number: 21,
    method: MethodLetter::Solid,
    title: "Branching of a fast crack",
    source: "Song & Belytschko 2009",
    conditions: "crack_speed = 0.58; the mesh is symmetric about the slit; contact between crack faces is left out",
    measure,
};

/// Size of the plate and end of the slit (m).
const WIDTH: f64 = 0.1;
const HALF_HEIGHT: f64 = 0.02;
const TIP: f64 = 0.05;
const EDGE: f64 = 1e-3;
/// How far nodes are moved at random (edges).
const JITTER: f64 = 0.2;
/// Speed of Rayleigh waves (2125 m/s), above which no crack runs, in speeds of sound along a bar (1): nodes wait by it.
const CRACK_SPEED: f64 = 0.58;
/// What cracks must stay below (m/s): nine tenths of it, which the wait alone would not see to.
const LIMIT: f64 = 0.9 * 2125.0;
/// Sudden and small load (Pa).
const SUDDEN: f64 = 1e6;
const SMALL: f64 = 0.4e6;
/// Where a crack has come (m) when it is over.
const OVER: f64 = 0.085;
/// Least height of a branch (m); a crack that does not branch stays on the axis.
const BRANCH: f64 = 2.5 * EDGE;
/// Longest time (s).
const LONGEST: f64 = 80e-6;
/// Meshes.
const SEEDS: u64 = 4;

fn measure(depth: Depth, findings: &mut Findings) -> Result<(), ValidationError> {
    let seeds = match depth {
        Depth::Quick => 1,
        Depth::Full => SEEDS,
    };
    let (mut lowest, mut sums, mut fastest, mut gone_on) = (f64::INFINITY, [0.0; 2], 0.0f64, 0.0);
    for seed in 0..seeds {
        let crack = crack_under(SUDDEN, seed)?;
        fastest = fastest.max(crack.speed());
        let heights = crack.heights();
        lowest = lowest.min(heights[0]).min(heights[1]);
        sums.iter_mut().zip(heights).for_each(|(sum, height)| *sum += height);
        // Both have gone on if nothing near the far end lies on the axis.
        let late: Vec<f64> = crack.splits.iter().filter(|(_, place)| place.x > OVER - 5e-3).map(|(_, p)| p.y).collect();
        gone_on += f64::from(u8::from(!late.is_empty() && late.iter().all(|height| height.abs() > BRANCH)));
    }
    findings.compare("height of the lower of two branches", "m", lowest, Expected::AtLeast { bound: BRANCH });
    // Rounding parts what is a mirror image at first; over several meshes it must even out.
    let evenness =
        if depth == Depth::Full { Expected::Absolute { value: 1.0, tolerance: 0.25 } } else { Expected::Told };
    findings.compare("mean height above over that below", "", sums[0] / sums[1], evenness);
    findings.compare(format!("of {seeds} cracks, those that end in branches alone"), "", gone_on, Expected::Told);
    findings.compare("speed of the tip under a sudden load", "m/s", fastest, Expected::Zero { limit: LIMIT });
    let crack = crack_under(SMALL, 0)?;
    let [up, down] = crack.heights();
    findings.compare("height of what splits under a small load", "m", up.max(down), Expected::Zero { limit: EDGE });
    findings.compare("speed of the tip under a small load", "m/s", crack.speed(), Expected::Zero { limit: LIMIT });
    Ok(())
}

/// What splits, in order of time.
struct Crack {
    /// Moment (s) and place (m).
    splits: Vec<(f64, Vec3)>,
}

impl Crack {
    /// Greatest heights (m) of splits above and below the axis.
    fn heights(&self) -> [f64; 2] {
        [1.0, -1.0].map(|way| self.splits.iter().map(|(_, place)| way * place.y).fold(0.0, f64::max))
    }

    /// Mean speed (m/s) of the tip, from the first split on.
    fn speed(&self) -> f64 {
        let farthest =
            |(time, x): (f64, f64), (now, place): &(f64, Vec3)| if place.x > x { (*now, place.x) } else { (time, x) };
        let Some((first, start)) = self.splits.first() else { return 0.0 };
        let (last, x) = self.splits.iter().fold((*first, start.x), farthest);
        if last > *first { (x - start.x) / (last - first) } else { 0.0 }
    }
}

fn crack_under(load: f64, seed: u64) -> Result<Crack, ValidationError> {
    let strength = Strength { tensile: Some(3.08e6), ..Strength::default() };
    let material = Material { strength, ..elastic(2450.0, Elasticity::from_young(32e9, 0.2)) };
    let mut solid = solid_at_rest(plate(seed)?, material, SolidOptions { crack_speed: CRACK_SPEED, ..awake() })?;
    let mut loads = Vec::new();
    for (number, way) in [(0, 1.0), (1, -1.0)] {
        let hold = HoldId(number);
        let side = way * HALF_HEIGHT;
        let region = Region::Box { from: Vec3::new(-1.0, side - 1e-6, -1.0), to: Vec3::new(1.0, side + 1e-6, 1.0) };
        solid.attach(hold, &region).ok_or_else(|| ValidationError::EmptyRegion("a long side".to_owned()))?;
        loads.push(Load { hold, effect: Effect::Traction(Vec3::new(0.0, way * load, 0.0)) });
    }
    let (mut time, mut splits) = (0.0, Vec::new());
    while time < LONGEST && splits.last().is_none_or(|(_, place): &(f64, Vec3)| place.x < OVER) {
        let step =
            Step { time, time_step: solid.time_step_limit(), gravity: Vec3::zeros(), loads: &loads, contacts: &[] };
        let events = take_step(&mut solid, &step)?;
        time += step.time_step;
        for event in events {
            if let EventKind::Split { place, .. } = event.kind {
                splits.push((time, place));
            }
        }
    }
    if splits.is_empty() { Err(ValidationError::NothingMeasured("a crack")) } else { Ok(Crack { splits }) }
}

/// The upper half of the plate and its mirror image, joined ahead of the slit.
fn plate(seed: u64) -> Result<TetMesh, ValidationError> {
    let cells = [(WIDTH / EDGE).round() as usize, (HALF_HEIGHT / EDGE).round() as usize, 1];
    let upper = kuhn_box(cells, Vec3::new(WIDTH, HALF_HEIGHT, EDGE))?;
    let mut random = Random::new(seed);
    // Both nodes over each other are moved alike, so that the plate stays a layer of columns.
    let shifts: Vec<[f64; 2]> =
        (0..(cells[0] + 1) * (cells[1] + 1)).map(|_| [random.signed(), random.signed()]).collect();
    let moved = |place: &Vec3| {
        let at = [place.x, place.y].map(|length| (length / EDGE).round() as usize);
        let is_free = at[0] > 0 && at[0] < cells[0] && at[1] > 0 && at[1] < cells[1];
        let [x, y] = shifts[at[0] * (cells[1] + 1) + at[1]].map(|share| JITTER * EDGE * share);
        if is_free { place + Vec3::new(x, y, 0.0) } else { *place }
    };
    let mut positions: Vec<Vec3> = upper.positions().iter().map(moved).collect();
    let count = positions.len();
    let mut image: Vec<u32> = Vec::with_capacity(count);
    for node in 0..count {
        let place = positions[node];
        if place.y.abs() < 1e-9 && place.x > TIP - 1e-9 {
            image.push(node as u32);
        } else {
            image.push(positions.len() as u32);
            positions.push(Vec3::new(place.x, -place.y, place.z));
        }
    }
    let mut elements = upper.elements().to_vec();
    // A mirror turns tetrahedra inside out.
    let mirrored = |&[a, b, c, d]: &[u32; 4]| [b, a, c, d].map(|node| image[node as usize]);
    elements.extend(upper.elements().iter().map(mirrored));
    Ok(TetMesh::from_parts(positions, elements)?)
}
