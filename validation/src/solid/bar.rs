//! Test 4: a bar with free ends. The wave speed is √(E/ρ), and the first mode has half of that over
//! its length as frequency.

use crate::ValidationError;
use crate::measure::{frequency, time_of_peak};
use crate::outcome::{Expected, Findings};
use crate::plot::{Line, Mark, Plot, Scale};
use crate::run::{Depth, Test};
use crate::setup::{awake, elastic, solid_at_rest, world_of};
use craze_engine::{MaterialPoint, Mode, World};
use craze_material::Elasticity;
use craze_math::Vec3;
use craze_mesh::kuhn_box;
use std::f64::consts::PI;

pub(crate) const TEST: Test = Test {
    number: 4,
    method: craze_methods::solid::KIND,
    title: "Bar 1×0.05×0.05, λ = 0, μ = 1.3e8, ρ = 2588, both ends free",
    source: "√(E/ρ)",
    conditions: "",
    measure,
};

/// Length and width (m).
const LENGTH: f64 = 1.0;
const WIDTH: f64 = 0.05;
/// Analytic wave speed (m/s) and first mode (Hz).
const WAVE_SPEED: f64 = 316.96;
const FIRST_MODE: f64 = 158.5;
/// Amplitude of the displacement (m), small enough for linear theory.
const AMPLITUDE: f64 = 1e-6;
/// Centre and width of the initial pulse (m), and the stations of the time measurement (m).
const PULSE: [f64; 2] = [0.25, 0.05];
const STATIONS: [f64; 2] = [0.45, 0.7];

fn measure(depth: Depth, findings: &mut Findings) -> Result<(), ValidationError> {
    // A short wave needs finer cells than the first mode.
    let (wave_cells, mode_cells) = match depth {
        Depth::Quick => ([80, 4, 4], [40, 2, 2]),
        Depth::Full => ([160, 8, 8], [80, 4, 4]),
    };
    let expect = |value| Expected::Relative { value, tolerance: 0.02 };
    let speed = wave_speed(wave_cells, findings)?;
    findings.compare("wave speed", "m/s", speed, expect(WAVE_SPEED));
    findings.compare("first mode", "Hz", first_mode(mode_cells)?, expect(FIRST_MODE));
    Ok(())
}

/// The bar in a world, with cross-sections displaced along it by `shift` of their position (m).
fn released_bar(cells: [usize; 3], shift: impl Fn(f64) -> f64) -> Result<World, ValidationError> {
    let mesh = kuhn_box(cells, Vec3::new(LENGTH, WIDTH, WIDTH))?;
    let mut bar = solid_at_rest(mesh, elastic(2588.0, Elasticity::from_lame(0.0, 1.3e8)), awake())?;
    let positions: Vec<Vec3> =
        bar.mesh().positions().iter().map(|rest| rest + Vec3::new(shift(rest.x), 0.0, 0.0)).collect();
    bar.set_state(&positions, &vec![Vec3::zeros(); positions.len()]);
    Ok(world_of(bar, craze_methods::solid::load, 1000.0, Mode::Dynamic))
}

fn point_of_axis(world: &mut World, x: f64) -> MaterialPoint {
    world.bodies[0].method.locate(&Vec3::new(x, 0.5 * WIDTH, 0.5 * WIDTH))
}

/// Speed (m/s) between the stations of the half of the pulse that moves to the right.
fn wave_speed(cells: [usize; 3], findings: &mut Findings) -> Result<f64, ValidationError> {
    let pulse = |x: f64| AMPLITUDE * (-((x - PULSE[0]) / PULSE[1]).powi(2)).exp();
    let mut world = released_bar(cells, pulse)?;
    let points = STATIONS.map(|x| point_of_axis(&mut world, x));
    let mut records = [Vec::new(), Vec::new()];
    // The reflection of the other half arrives later than this.
    let end = 0.6 * LENGTH / WAVE_SPEED;
    while world.time < end {
        world.step(end)?;
        for ((record, point), x) in records.iter_mut().zip(&points).zip(STATIONS) {
            let (position, _) = world.bodies[0].method.observe(point);
            record.push([world.time, position.x - x]);
        }
    }
    let arrivals = records.each_ref().map(|record| time_of_peak(record));
    let line = |record: &Vec<[f64; 2]>, x: f64| Line {
        label: format!("at {x} m"),
        mark: Mark::Stroke,
        points: record.iter().map(|[time, displacement]| [1e3 * time, 1e6 * displacement]).collect(),
    };
    let known = STATIONS.map(|x| (x - PULSE[0]) / WAVE_SPEED * 1e3).map(|arrival| Line {
        label: format!("√(E/ρ): {arrival:.4} ms"),
        mark: Mark::Dashes,
        points: vec![[arrival, 0.0], [arrival, 0.55 * AMPLITUDE * 1e6]],
    });
    findings.plots.push(Plot {
        name: "bar-wave",
        title: "Bar: wave at two stations".to_owned(),
        across: "time (ms)",
        up: "displacement (µm)",
        scales: [Scale::Linear; 2],
        lines: records.iter().zip(STATIONS).map(|(record, x)| line(record, x)).chain(known).collect(),
    });
    match arrivals {
        [Some(first), Some(second)] if second > first => Ok((STATIONS[1] - STATIONS[0]) / (second - first)),
        _ => Err(ValidationError::NothingMeasured("the wave speed")),
    }
}

/// Frequency (Hz) of the end of the bar, released in the shape of its first mode.
fn first_mode(cells: [usize; 3]) -> Result<f64, ValidationError> {
    let mut world = released_bar(cells, |x| AMPLITUDE * (PI * x / LENGTH).cos())?;
    let point = point_of_axis(&mut world, 0.0);
    let mut record = Vec::new();
    let end = 8.0 / FIRST_MODE;
    while world.time < end {
        world.step(end)?;
        record.push([world.time, world.bodies[0].method.observe(&point).0.x]);
    }
    frequency(&record).ok_or(ValidationError::NothingMeasured("the first mode"))
}
