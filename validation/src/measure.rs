//! Evaluation of curves: orders of convergence, limits, arrival times, frequencies.

/// Order of convergence from the errors with a step and with half of it.
pub(crate) fn order(coarse_error: f64, fine_error: f64) -> f64 {
    (coarse_error / fine_error).log2()
}

/// Order and limit of values at a spacing, half and a quarter of it, for convergence like c·hᵖ
/// (Richardson 1911).
pub(crate) fn extrapolate([coarse, middle, fine]: [f64; 3]) -> (f64, f64) {
    let order = ((middle - coarse) / (fine - middle)).log2();
    (order, fine + (fine - middle) / (order.exp2() - 1.0))
}

/// Time of the maximum of a curve of (time, value): vertex of the parabola through the largest
/// sample and its neighbours.
pub(crate) fn time_of_peak(samples: &[[f64; 2]]) -> Option<f64> {
    let top = (1..samples.len().checked_sub(1)?).max_by(|&a, &b| samples[a][1].total_cmp(&samples[b][1]))?;
    let [before, at, after] = [samples[top - 1], samples[top], samples[top + 1]];
    let left = (at[1] - before[1]) / (at[0] - before[0]);
    let right = (after[1] - at[1]) / (after[0] - at[0]);
    // Slopes are at the midpoints of the two intervals; the vertex is where the interpolated slope
    // vanishes.
    let (start, end) = (0.5 * (before[0] + at[0]), 0.5 * (at[0] + after[0]));
    (left > right).then(|| start + (end - start) * left / (left - right))
}

/// Frequency (Hz) of a curve of (time in s, value) that oscillates about zero, from its first to
/// its last upward crossing.
pub(crate) fn frequency(samples: &[[f64; 2]]) -> Option<f64> {
    let crossing = |pair: &[[f64; 2]]| {
        let ([start, from], [end, to]) = (pair[0], pair[1]);
        (from < 0.0 && to >= 0.0).then(|| start + (end - start) * from / (from - to))
    };
    let crossings: Vec<f64> = samples.windows(2).filter_map(crossing).collect();
    let (first, last) = (crossings.first()?, crossings.last()?);
    (last > first).then(|| (crossings.len() - 1) as f64 / (last - first))
}

/// Largest absolute value; NaN if any value is NaN.
pub(crate) fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values
        .into_iter()
        .fold(0.0, |most: f64, value| if value.abs() <= most || most.is_nan() { most } else { value.abs() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    #[test]
    fn order_and_limit_of_a_power_law_are_found_exactly() {
        let value = |spacing: f64| 4.0 - 0.3 * spacing.powf(1.7);
        let (order, limit) = extrapolate([value(1.0), value(0.5), value(0.25)]);
        assert!((order - 1.7).abs() < 1e-12 && (limit - 4.0).abs() < 1e-12);
        assert!((super::order(0.4, 0.1) - 2.0).abs() < 1e-15);
    }

    #[test]
    fn frequency_and_peak_are_read_between_samples() {
        let wave: Vec<[f64; 2]> =
            (0..1000).map(|n| f64::from(n) * 1e-3).map(|t| [t, (TAU * 7.3 * t + 0.4).sin()]).collect();
        assert!((frequency(&wave).unwrap() - 7.3).abs() < 1e-4);
        let bump: Vec<[f64; 2]> =
            (0..40).map(|n| f64::from(n) * 0.1).map(|t| [t, 3.0 - (t - 1.234) * (t - 1.234)]).collect();
        assert!((time_of_peak(&bump).unwrap() - 1.234).abs() < 1e-12);
    }

    #[test]
    fn a_curve_that_shows_nothing_gives_nothing() {
        assert_eq!(frequency(&[[0.0, 1.0], [1.0, 2.0]]), None);
        assert_eq!(time_of_peak(&[[0.0, 1.0]]), None);
        assert_eq!(time_of_peak(&[]), None);
    }

    #[test]
    fn the_largest_value_does_not_hide_nan() {
        assert_eq!(largest([1.0, -3.0, 2.0]), 3.0);
        assert!(largest([1.0, f64::NAN, 2.0]).is_nan());
    }
}
