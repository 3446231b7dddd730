//! Test 13: breathing mode of one cluster. With goal stiffness α, cos ωΔt = 1 − α/2.

use super::{TIME_STEP, block};
use crate::ValidationError;
use crate::outcome::{Expected, Findings};
use crate::plot::{Line, Mark, Plot, Scale};
use crate::run::{Depth, Test};
use crate::setup::{free_step, take_step};
use craze_math::Vec3;
use std::f64::consts::TAU;

pub(crate) const TEST: Test = Test {
    number: 13,
    method: craze_methods::clusters::KIND,
    title: "1-D breathing with goal stiffness α",
    source: "cos ωΔt = 1 − α/2",
    conditions: "",
    measure,
};

/// Initial strain.
const AMPLITUDE: f64 = 0.01;

fn measure(depth: Depth, findings: &mut Findings) -> Result<(), ValidationError> {
    let steps = match depth {
        Depth::Quick => 2000,
        Depth::Full => 20000,
    };
    for goal_stiffness in [1.0, 0.25] {
        // To double precision; the list of known answers has 6 and 12.433.
        let known = TAU / f64::acos(1.0 - goal_stiffness / 2.0);
        let record = breathe(goal_stiffness, steps)?;
        let measured = period(&record).ok_or(ValidationError::NothingMeasured("the period"))?;
        let expected = Expected::Absolute { value: known, tolerance: 1e-6 };
        findings.compare(format!("period at α = {goal_stiffness}"), "Δt", measured, expected);
        let points = record.iter().take(60).enumerate().map(|(step, stretch)| [step as f64, *stretch]);
        let curve =
            (0..=590).map(|n| 0.1 * f64::from(n)).map(|t| [t, AMPLITUDE * phase(t, known).cos() / wave_top(known)]);
        findings.plots.push(Plot {
            name: if goal_stiffness == 1.0 { "breathing-1" } else { "breathing-0.25" },
            title: format!("Breathing at α = {goal_stiffness}"),
            across: "steps",
            up: "stretch − 1",
            scales: [Scale::Linear; 2],
            lines: vec![
                Line { label: format!("period {known:.3} Δt"), mark: Mark::Dashes, points: curve.collect() },
                Line { label: "measured".to_owned(), mark: Mark::Points, points: points.collect() },
            ],
        });
    }
    Ok(())
}

/// Phase of the known solution after `time` (Δt): symplectic steps from rest follow a cosine with
/// its maximum half a step before the start.
fn phase(time: f64, period: f64) -> f64 {
    (time + 0.5) * TAU / period
}

/// The known solution at the start, relative to its maximum.
fn wave_top(period: f64) -> f64 {
    phase(0.0, period).cos()
}

/// Strain along x before each of `steps` steps of a block released from a stretched state.
fn breathe(goal_stiffness: f64, steps: usize) -> Result<Vec<f64>, ValidationError> {
    let mut body = block([5, 3, 3], goal_stiffness)?;
    let rest = body.positions();
    let (first, last) = (rest[0].x, rest[rest.len() - 1].x);
    let center = 0.5 * (first + last);
    body.set_motion(|rest| (rest + Vec3::new(AMPLITUDE * (rest.x - center), 0.0, 0.0), Vec3::zeros()))?;
    let mut record = Vec::with_capacity(steps);
    for _ in 0..steps {
        let positions = body.positions();
        record.push((positions[positions.len() - 1].x - positions[0].x) / (last - first) - 1.0);
        take_step(&mut body, &free_step(TIME_STEP))?;
    }
    Ok(record)
}

/// Period, in steps, of a sampled cosine, from the phase between its first and last sample.
///
/// Samples s, s' of a cosine satisfy s' = s·cos θ − q·sin θ with the corresponding sine q. θ is
/// estimated from triples of neighbours by least squares, then corrected by the phase error over
/// the whole record.
fn period(record: &[f64]) -> Option<f64> {
    let (mut product, mut square) = (0.0, 0.0);
    for three in record.windows(3) {
        product += three[1] * (three[0] + three[2]);
        square += 2.0 * three[1] * three[1];
    }
    let estimate = (product / square).acos();
    let angle_at = |index: usize| {
        let (now, next) = (record[index], record[index + 1]);
        f64::atan2(now * estimate.cos() - next, now * estimate.sin())
    };
    let last = record.len().checked_sub(2)?;
    let whole = last as f64 * estimate;
    // Difference between the phase at the end and the estimate, modulo a full turn.
    let error = (angle_at(last) - angle_at(0) - whole + TAU / 2.0).rem_euclid(TAU) - TAU / 2.0;
    let angle = (whole + error) / last as f64;
    (angle > 0.0).then(|| TAU / angle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_period_of_a_sampled_cosine_is_found_to_a_billionth() {
        for known in [6.0, 12.433, 7.1, 40.0] {
            let record: Vec<f64> = (0..3000).map(|n| 0.3 * (TAU * f64::from(n) / known + 0.7).cos()).collect();
            assert!((period(&record).unwrap() - known).abs() < 1e-9, "{known}");
        }
    }
}
