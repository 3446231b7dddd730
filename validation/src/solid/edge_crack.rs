//! Test 17: strength of a plate against the length of an edge crack.
//!
//! The stress at the tip depends on the element size there, which is the same for all lengths. So
//! the product of failure stress, geometry factor and square root of the length is constant.

use crate::ValidationError;
use crate::outcome::{Expected, Findings};
use crate::plot::{Line, Mark, Plot, Scale};
use crate::run::{Depth, Test};
use crate::setup::{awake, elastic, slit_plate, solid_at_rest};
use craze_engine::{Attachable, Effect, HoldId, Load, QuasiStatic, Region, Step};
use craze_material::{Elasticity, Material, Strength};
use craze_math::{Isometry, Vec3};
use craze_mesh::TetMesh;

pub(crate) const TEST: Test = Test {
    number: 17,
    method: craze_methods::solid::KIND,
    title: "Edge cracks of five lengths in a plate 0.5 m wide",
    source: "Griffith; Irwin",
    conditions: "nothing fails: the failure stress is scaled from the stress at the tip under a smaller load",
    measure,
};

/// Crack lengths (m).
const CRACK_LENGTHS: [f64; 5] = [0.010, 0.014, 0.020, 0.028, 0.040];
const WIDTH: f64 = 0.5;
const HALF_HEIGHT: f64 = 0.75;
/// Edge length of the elements at the crack (m).
const EDGE: f64 = 0.001;
const YOUNG: f64 = 1e7;
const STRENGTH: f64 = 1e4;
/// Remote stress along y (Pa).
const STRESS: f64 = 100.0;

fn measure(_: Depth, findings: &mut Findings) -> Result<(), ValidationError> {
    let mut points = Vec::new();
    for length in CRACK_LENGTHS {
        let breaks_at = breaking_stress(length)?;
        findings.compare(format!("failure stress, {} mm", 1e3 * length), "Pa", breaks_at, Expected::Reported);
        points.push([length, breaks_at * geometry_factor(length / WIDTH)]);
    }
    let slope = slope(&points);
    findings.compare("slope of σ·F over the length", "", slope, Expected::Absolute { value: -0.5, tolerance: 0.05 });
    let root: Vec<[f64; 2]> =
        points.iter().map(|[length, _]| [*length, points[2][1] * (length / points[2][0]).powf(-0.5)]).collect();
    findings.plots.push(Plot {
        name: "edge-crack",
        title: "Edge cracks: failure stress times geometry factor".to_owned(),
        across: "length (m)",
        up: "stress (Pa)",
        scales: [Scale::Logarithmic; 2],
        lines: vec![
            Line { label: "measured".to_owned(), mark: Mark::Dots, points },
            Line { label: "slope −1/2".to_owned(), mark: Mark::Dashes, points: root },
        ],
    });
    Ok(())
}

/// F of an edge crack in tension, accurate to 0.5 % (Tada, Paris & Irwin, The Stress Analysis of
/// Cracks Handbook).
fn geometry_factor(relative_length: f64) -> f64 {
    1.12 - 0.231 * relative_length + 10.55 * relative_length.powi(2) - 21.72 * relative_length.powi(3)
        + 30.39 * relative_length.powi(4)
}

/// Least-squares slope in logarithmic coordinates.
fn slope(points: &[[f64; 2]]) -> f64 {
    let count = points.len() as f64;
    let logs = || points.iter().map(|point| point.map(f64::ln));
    let [x, y] = [0, 1].map(|k: usize| logs().map(|point| point[k]).sum::<f64>() / count);
    let across: f64 = logs().map(|point| (point[0] - x).powi(2)).sum();
    logs().map(|point| (point[0] - x) * (point[1] - y)).sum::<f64>() / across
}

/// Remote stress (Pa) at which the tip of a crack of this length (m) fails.
fn breaking_stress(length: f64) -> Result<f64, ValidationError> {
    let strength = Strength { tensile: Some(STRENGTH), ..Strength::default() };
    let material = Material { strength, ..elastic(1000.0, Elasticity::from_young(YOUNG, 0.0)) };
    let mut solid = solid_at_rest(plate(length)?, material, awake())?;
    // Clamped at one end only, so that the plate can bend at the crack.
    let mut loads = Vec::new();
    for (number, end, effect) in
        [(0, -1.0, Effect::Place(Isometry::identity())), (1, 1.0, Effect::Traction(STRESS * Vec3::y()))]
    {
        let region = Region::HalfSpace { point: (1.0 - 1e-9) * end * HALF_HEIGHT * Vec3::y(), normal: end * Vec3::y() };
        let hold = HoldId(number);
        solid.attach(hold, &region).ok_or(ValidationError::NothingMeasured("the ends"))?;
        loads.push(Load { hold, effect });
    }
    let step = Step { time: 0.0, time_step: 1.0, gravity: Vec3::zeros(), loads: &loads, contacts: &[] };
    solid.balance(&step)?;
    let states = solid.mesh().point_ids().filter_map(|node| solid.failure_state(node).map(|state| (node, state)));
    let largest = states.max_by(|one, other| one.1.ratio.total_cmp(&other.1.ratio));
    let (node, state) = largest.ok_or(ValidationError::NothingMeasured("the tip"))?;
    let tip = Vec3::new(length, 0.0, solid.mesh().position(node).z);
    if (solid.mesh().position(node) - tip).norm() > 1e-6 {
        return Err(ValidationError::NothingMeasured("the tip"));
    }
    Ok(STRESS / state.ratio)
}

/// Positions of grid lines from 0 to `to` (m): uniform up to `fine` (m), then growing.
fn lines(fine: f64, to: f64) -> Vec<f64> {
    let cells = (fine / EDGE).round() as usize;
    let mut all: Vec<f64> = (0..=cells).map(|cell| cell as f64 * EDGE).collect();
    let mut step = EDGE;
    while let Some(last) = all.last().copied().filter(|last| *last < to) {
        step *= 1.35;
        let next = last + step;
        // The last cell takes the remainder.
        all.push(if next + 0.7 * step > to { to } else { next });
    }
    all
}

fn plate(length: f64) -> Result<TetMesh, ValidationError> {
    let upper = lines(0.008, HALF_HEIGHT);
    let up: Vec<f64> = upper.iter().skip(1).rev().map(|y| -y).chain(upper.iter().copied()).collect();
    slit_plate(&lines(0.05, WIDTH), &up, EDGE, f64::NEG_INFINITY..length)
}
