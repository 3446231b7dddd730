//! Test 21: a crack branches under a sudden high load, but not under a low one.
//!
//! A plate with a slit to its centre is loaded suddenly on its long sides. The mesh is
//! mirror-symmetric, with nodes displaced at random. Nodes near a split can fail only after the
//! time in which a crack at Rayleigh wave speed could reach them ([`SolidOptions::crack_speed`]);
//! the resulting crack is slower. Contact is disabled: the crack faces do not touch during the
//! test.

use crate::ValidationError;
use crate::outcome::{Expected, Findings};
use crate::run::{Depth, Test};
use crate::setup::{awake, elastic, solid_at_rest, take_step};
use craze_engine::{Attachable, Effect, EventKind, HoldId, Load, Method, Region, Step};
use craze_material::{Elasticity, Material, Strength};
use craze_math::{Random, Vec3};
use craze_mesh::{TetMesh, kuhn_box};
use craze_methods::solid::SolidOptions;

pub(crate) const TEST: Test = Test {
    number: 21,
    method: craze_methods::solid::KIND,
    title: "Branching of a fast crack",
    source: "Song & Belytschko 2009",
    conditions: "crack_speed = 0.58; the mesh is symmetric about the slit; contact between crack faces is disabled",
    measure,
};

/// Size of the plate and end of the slit (m).
const WIDTH: f64 = 0.1;
const HALF_HEIGHT: f64 = 0.02;
const TIP: f64 = 0.05;
const EDGE: f64 = 1e-3;
/// Random displacement of nodes (edge lengths).
const JITTER: f64 = 0.2;
/// Rayleigh wave speed (2125 m/s), the upper limit of crack speed, relative to the bar wave speed
/// (1).
const CRACK_SPEED: f64 = 0.58;
/// Upper limit of the measured crack speed (m/s): 0.9 of the Rayleigh wave speed, stricter than the
/// option enforces.
const MAX_SPEED: f64 = 0.9 * 2125.0;
/// High and low load (Pa).
const HIGH_LOAD: f64 = 1e6;
const LOW_LOAD: f64 = 0.4e6;
/// Position of the tip (m) at which the test ends.
const END: f64 = 0.085;
/// Minimum height of a branch (m); a crack without branches stays on the axis.
const MIN_BRANCH_HEIGHT: f64 = 2.5 * EDGE;
/// Maximum duration (s).
const MAX_DURATION: f64 = 80e-6;
/// Number of meshes.
const MESHES: u64 = 4;

fn measure(depth: Depth, findings: &mut Findings) -> Result<(), ValidationError> {
    let seeds = match depth {
        Depth::Quick => 1,
        Depth::Full => MESHES,
    };
    let (mut lowest, mut sums, mut fastest, mut branched) = (f64::INFINITY, [0.0; 2], 0.0f64, 0.0);
    for seed in 0..seeds {
        let crack = crack_under(HIGH_LOAD, seed)?;
        fastest = fastest.max(crack.speed());
        let heights = crack.heights();
        lowest = lowest.min(heights[0]).min(heights[1]);
        sums.iter_mut().zip(heights).for_each(|(sum, height)| *sum += height);
        // Both branches continue if no late split is on the axis.
        let late: Vec<f64> =
            crack.splits.iter().filter(|(_, position)| position.x > END - 5e-3).map(|(_, p)| p.y).collect();
        branched += f64::from(u8::from(!late.is_empty() && late.iter().all(|height| height.abs() > MIN_BRANCH_HEIGHT)));
    }
    findings.compare(
        "height of the lower of two branches",
        "m",
        lowest,
        Expected::AtLeast { bound: MIN_BRANCH_HEIGHT },
    );
    // Rounding breaks the symmetry; averaged over meshes it must be restored.
    let symmetry =
        if depth == Depth::Full { Expected::Absolute { value: 1.0, tolerance: 0.25 } } else { Expected::Reported };
    findings.compare("mean height above over that below", "", sums[0] / sums[1], symmetry);
    findings.compare(format!("cracks that end in branches only, of {seeds}"), "", branched, Expected::Reported);
    findings.compare("tip speed under the high load", "m/s", fastest, Expected::Zero { limit: MAX_SPEED });
    let crack = crack_under(LOW_LOAD, 0)?;
    let [up, down] = crack.heights();
    findings.compare("height of splits under the low load", "m", up.max(down), Expected::Zero { limit: EDGE });
    findings.compare("tip speed under the low load", "m/s", crack.speed(), Expected::Zero { limit: MAX_SPEED });
    Ok(())
}

/// Splits in temporal order.
struct Crack {
    /// Time (s) and position (m).
    splits: Vec<(f64, Vec3)>,
}

impl Crack {
    /// Largest heights (m) of splits above and below the axis.
    fn heights(&self) -> [f64; 2] {
        [1.0, -1.0].map(|sign| self.splits.iter().map(|(_, position)| sign * position.y).fold(0.0, f64::max))
    }

    /// Mean speed (m/s) of the tip since the first split.
    fn speed(&self) -> f64 {
        let farthest = |(time, x): (f64, f64), (now, position): &(f64, Vec3)| {
            if position.x > x { (*now, position.x) } else { (time, x) }
        };
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
    for (number, sign) in [(0, 1.0), (1, -1.0)] {
        let hold = HoldId(number);
        let side = sign * HALF_HEIGHT;
        let region = Region::Box { from: Vec3::new(-1.0, side - 1e-6, -1.0), to: Vec3::new(1.0, side + 1e-6, 1.0) };
        solid.attach(hold, &region).ok_or_else(|| ValidationError::EmptyRegion("a long side".to_owned()))?;
        loads.push(Load { hold, effect: Effect::Traction(Vec3::new(0.0, sign * load, 0.0)) });
    }
    let (mut time, mut splits) = (0.0, Vec::new());
    while time < MAX_DURATION && splits.last().is_none_or(|(_, position): &(f64, Vec3)| position.x < END) {
        let step =
            Step { time, time_step: solid.time_step_limit(), gravity: Vec3::zeros(), loads: &loads, contacts: &[] };
        let events = take_step(&mut solid, &step)?;
        time += step.time_step;
        for event in events {
            if let EventKind::Split { place: position, .. } = event.kind {
                splits.push((time, position));
            }
        }
    }
    if splits.is_empty() { Err(ValidationError::NothingMeasured("a crack")) } else { Ok(Crack { splits }) }
}

/// The upper half of the plate and its mirror image, connected ahead of the slit.
fn plate(seed: u64) -> Result<TetMesh, ValidationError> {
    let cells = [(WIDTH / EDGE).round() as usize, (HALF_HEIGHT / EDGE).round() as usize, 1];
    let upper = kuhn_box(cells, Vec3::new(WIDTH, HALF_HEIGHT, EDGE))?;
    let mut random = Random::new(seed);
    // Nodes at the same x and y move together, so that the plate remains one layer of cells.
    let shifts: Vec<[f64; 2]> =
        (0..(cells[0] + 1) * (cells[1] + 1)).map(|_| [random.signed(), random.signed()]).collect();
    let moved = |position: &Vec3| {
        let at = [position.x, position.y].map(|length| (length / EDGE).round() as usize);
        let is_free = at[0] > 0 && at[0] < cells[0] && at[1] > 0 && at[1] < cells[1];
        let [x, y] = shifts[at[0] * (cells[1] + 1) + at[1]].map(|share| JITTER * EDGE * share);
        if is_free { position + Vec3::new(x, y, 0.0) } else { *position }
    };
    let mut positions: Vec<Vec3> = upper.positions().iter().map(moved).collect();
    let count = positions.len();
    let mut image: Vec<u32> = Vec::with_capacity(count);
    for node in 0..count {
        let position = positions[node];
        if position.y.abs() < 1e-9 && position.x > TIP - 1e-9 {
            image.push(node as u32);
        } else {
            image.push(positions.len() as u32);
            positions.push(Vec3::new(position.x, -position.y, position.z));
        }
    }
    let mut elements = upper.elements().to_vec();
    // Mirroring reverses tetrahedra.
    let mirrored = |&[a, b, c, d]: &[u32; 4]| [b, a, c, d].map(|node| image[node as usize]);
    elements.extend(upper.elements().iter().map(mirrored));
    Ok(TetMesh::from_parts(positions, elements)?)
}
