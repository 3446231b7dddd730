//! Colour bar.

use crate::color::{ColorMap, Light, luminance};
use crate::settings::Coloring;
use crate::stroke_font::{Canvas, text_width};
use crate::tone;
use crate::values::ValueRange;

/// Smallest side of a picture with a legend (pixels).
const MIN_PICTURE_SIDE: usize = 160;

/// Draws the bar at the right border of a picture in screen colours.
pub(crate) fn draw(canvas: &mut Canvas, map: &ColorMap, coloring: Coloring, range: ValueRange, background: &Light) {
    if canvas.height < MIN_PICTURE_SIDE || canvas.width < MIN_PICTURE_SIDE {
        return;
    }
    let height = canvas.height as f64;
    let size = (0.019 * height).max(7.0);
    let ink = if luminance(background) > 0.3 { Light::repeat(0.22) } else { Light::repeat(0.85) };

    let scale = Scale::new(coloring, range);
    let ticks = scale.ticks(range);
    let widest = ticks.iter().map(|(_, label)| text_width(label, size)).fold(0.0, f64::max);
    let margin = (0.045 * height).round();
    let bar_width = (0.016 * height).round().max(5.0);
    let bar_height = (0.30 * height).round();
    let tick = (0.35 * size).round();
    let gap = (0.5 * size).round();
    let right = canvas.width as f64 - margin;
    let bar_left = (right - widest - gap - tick - bar_width).round();
    let bottom = height - margin;
    let top = bottom - bar_height;

    for row in 0..bar_height as i64 {
        let color = tone::screen(&map.at(1.0 - (row as f64 + 0.5) / bar_height));
        for column in 0..bar_width as i64 {
            canvas.blend(bar_left as i64 + column, top as i64 + row, &color, 1.0);
        }
    }
    for (fraction, label) in &ticks {
        let y = bottom - fraction * bar_height;
        let row = (y - 0.5).round().clamp(top, bottom - 1.0) as i64;
        for column in 0..tick as i64 {
            canvas.blend((bar_left + bar_width) as i64 + column, row, &ink, 0.8);
        }
        canvas.write(label, right - text_width(label, size), y + 0.5 * size, size, &ink);
    }
    canvas.write(&scale.title, right - text_width(&scale.title, size), top - 1.3 * size, size, &ink);
}

/// Title, and the factor to the displayed unit.
struct Scale {
    title: String,
    factor: f64,
}

impl Scale {
    fn new(coloring: Coloring, range: ValueRange) -> Scale {
        let (name, unit) = match coloring {
            Coloring::Stress => ("stress", "Pa"),
            Coloring::Velocity => ("speed", "m/s"),
            Coloring::PlasticStrain => ("plastic strain", ""),
            Coloring::Material | Coloring::Piece => ("", ""),
        };
        if unit.is_empty() {
            return Scale { title: name.to_owned(), factor: 1.0 };
        }
        let largest = range.low.abs().max(range.high.abs());
        const PREFIXES: [(f64, &str); 8] =
            [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n")];
        let (value, prefix) = PREFIXES.into_iter().find(|(value, _)| largest >= *value).unwrap_or((1.0, ""));
        Scale { title: format!("{name} ({prefix}{unit})"), factor: 1.0 / value }
    }

    /// Round values in the range: fraction (0 to 1) and label.
    fn ticks(&self, range: ValueRange) -> Vec<(f64, String)> {
        let (low, high) = (range.low * self.factor, range.high * self.factor);
        let rough = (high - low) / 5.0;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 2.5, 5.0, 10.0].map(|m| m * power).into_iter().find(|&s| s >= rough).unwrap_or(rough);
        let decimals = (0..7).find(|&d| {
            let scaled = step * 10f64.powi(d);
            (scaled - scaled.round()).abs() < 1e-6 * scaled
        });
        let first = (low / step - 1e-9).ceil();
        (0..12)
            .map(|k| (first + f64::from(k)) * step)
            .take_while(|value| *value <= high + 1e-9 * step)
            .map(|value| {
                // Avoids the sign of negative zero.
                let value = if value.abs() < 1e-9 * step { 0.0 } else { value };
                let label = match decimals {
                    Some(decimals) if value.abs() < 1e6 => format!("{value:.*}", decimals as usize),
                    _ => format!("{value:.2e}"),
                };
                ((value - low) / (high - low), label)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        let range = ValueRange { low: 0.0, high: 3.37e6 };
        let scale = Scale::new(Coloring::Stress, range);
        assert_eq!(scale.title, "stress (MPa)");
        let labels: Vec<String> = scale.ticks(range).into_iter().map(|(_, label)| label).collect();
        assert_eq!(labels, ["0", "1", "2", "3"]);
    }

    #[test]
    fn small_and_negative_values_have_readable_labels() {
        let range = ValueRange { low: -0.0052, high: 0.0101 };
        let scale = Scale::new(Coloring::PlasticStrain, range);
        let labels: Vec<String> = scale.ticks(range).into_iter().map(|(_, label)| label).collect();
        assert_eq!(labels, ["-0.005", "0.000", "0.005", "0.010"]);
        for (low, high) in [(1e-300, 2e-300), (-1e300, 1e300), (1e15, 1e15 + 1.0)] {
            let range = ValueRange { low, high };
            for (fraction, _) in Scale::new(Coloring::PlasticStrain, range).ticks(range) {
                assert!((-0.01..=1.01).contains(&fraction));
            }
        }
    }
}
