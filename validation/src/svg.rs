//! Draws a [`Plot`] as SVG: axes with round numbers, curves and a legend.

use crate::plot::{Mark, Plot, Scale};
use std::fmt::Write;

const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 400.0;
/// Left, right, top and bottom of the frame.
const FRAME: [f64; 4] = [84.0, 624.0, 36.0, 346.0];
const COLORS: [&str; 6] = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#555555"];

/// The SVG text of a plot. Points that cannot be drawn (not finite, or not positive on a
/// logarithmic axis) are omitted.
pub fn draw(plot: &Plot) -> String {
    let axes = [0, 1].map(|axis| Axis::of(plot, axis));
    let mut svg = String::new();
    svg.push_str(&format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
    ));
    let [left, right, top, bottom] = FRAME;
    label(&mut svg, [0.5 * (left + right), 22.0], "middle", &plot.title);
    draw_ticks(&mut svg, &axes);
    label(&mut svg, [0.5 * (left + right), HEIGHT - 12.0], "middle", plot.across);
    let middle = 0.5 * (top + bottom);
    svg.push_str(&format!(
        "<text x=\"18\" y=\"{middle}\" text-anchor=\"middle\" transform=\"rotate(-90 18 {middle})\">{}</text>\n",
        escaped(plot.up)
    ));
    for (index, line) in plot.lines.iter().enumerate() {
        let color = COLORS[index % COLORS.len()];
        let points: Vec<[f64; 2]> = line.points.iter().filter_map(|point| place(&axes, point)).collect();
        draw_line(&mut svg, &points, line.mark, color);
        let y = top + 18.0 + 17.0 * index as f64;
        draw_line(&mut svg, &[[right + 10.0, y - 4.0], [right + 36.0, y - 4.0]], line.mark, color);
        label(&mut svg, [right + 42.0, y], "start", &line.label);
    }
    svg.push_str("</svg>\n");
    svg
}

struct Axis {
    scale: Scale,
    from: f64,
    to: f64,
    /// Labelled values.
    ticks: Vec<f64>,
}

impl Axis {
    fn of(plot: &Plot, axis: usize) -> Axis {
        let scale = plot.scales[axis];
        let values = || plot.lines.iter().flat_map(|line| &line.points).filter_map(|point| scaled(scale, point[axis]));
        let (mut from, mut to) =
            values().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        if !(from <= to) {
            (from, to) = (0.0, 1.0);
        }
        if to - from < 1e-300 {
            (from, to) = (from - 0.5, to + 0.5);
        }
        let margin = if axis == 1 { 0.06 * (to - from) } else { 0.0 };
        (from, to) = (from - margin, to + margin);
        let ticks = match scale {
            Scale::Linear => multiples(round_spacing((to - from) / 6.0), from, to),
            // Less than two decades: label 2 and 5 too.
            Scale::Logarithmic if to - from < 2.0 => {
                let powers = (from.floor() as i64..=to.floor() as i64).map(|power| power as f64);
                let between = powers.flat_map(|power| [1.0f64, 2.0, 5.0].map(|digit| power + digit.log10()));
                between.filter(|tick| (from..=to).contains(tick)).collect()
            }
            Scale::Logarithmic => multiples(round_spacing((to - from) / 6.0).max(1.0).round(), from, to),
        };
        Axis { scale, from, to, ticks }
    }

    /// Position of a value between the ends of the axis, from 0 to 1.
    fn fraction(&self, value: f64) -> f64 {
        (value - self.from) / (self.to - self.from)
    }

    fn tick_text(&self, tick: f64) -> String {
        match self.scale {
            Scale::Logarithmic => {
                let power = (tick + 1e-9).floor();
                format!("{:.0}e{power:.0}", 10f64.powf(tick - power))
            }
            Scale::Linear if tick == 0.0 => "0".to_owned(),
            Scale::Linear if !(1e-3..1e5).contains(&tick.abs()) => format!("{tick:.1e}"),
            Scale::Linear => {
                // Enough digits to distinguish ticks.
                let spacing = self.ticks.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
                let digits = if spacing.is_finite() { (1.0 - spacing.log10()).floor().clamp(0.0, 6.0) } else { 3.0 };
                format!("{tick:.*}", digits as usize)
            }
        }
    }
}

fn multiples(spacing: f64, from: f64, to: f64) -> Vec<f64> {
    let (first, last) = ((from / spacing).ceil() as i64, (to / spacing).floor() as i64);
    (first..=last).map(|count| count as f64 * spacing).collect()
}

fn scaled(scale: Scale, value: f64) -> Option<f64> {
    match scale {
        Scale::Linear => value.is_finite().then_some(value),
        Scale::Logarithmic => (value.is_finite() && value > 0.0).then(|| value.log10()),
    }
}

/// The smallest of 1, 2 and 5 times a power of ten that is not below `least`.
fn round_spacing(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|spacing| *spacing >= least).unwrap_or(least)
}

fn place([across, up]: &[Axis; 2], point: &[f64; 2]) -> Option<[f64; 2]> {
    let [left, right, top, bottom] = FRAME;
    let x = across.fraction(scaled(across.scale, point[0])?);
    let y = up.fraction(scaled(up.scale, point[1])?);
    Some([left + x * (right - left), bottom - y * (bottom - top)])
}

fn draw_ticks(svg: &mut String, [across, up]: &[Axis; 2]) {
    let [left, right, top, bottom] = FRAME;
    let mut grid = String::new();
    for &tick in &across.ticks {
        let x = left + across.fraction(tick) * (right - left);
        let _ = write!(grid, "M{x:.1} {top}V{bottom}");
        label(svg, [x, bottom + 18.0], "middle", &across.tick_text(tick));
    }
    for &tick in &up.ticks {
        let y = bottom - up.fraction(tick) * (bottom - top);
        let _ = write!(grid, "M{left} {y:.1}H{right}");
        label(svg, [left - 6.0, y + 4.0], "end", &up.tick_text(tick));
    }
    svg.push_str(&format!("<path d=\"{grid}\" stroke=\"#dddddd\" fill=\"none\"/>\n"));
    svg.push_str(&format!("<path d=\"M{left} {top}H{right}V{bottom}H{left}Z\" stroke=\"#333333\" fill=\"none\"/>\n"));
}

fn draw_line(svg: &mut String, points: &[[f64; 2]], mark: Mark, color: &str) {
    if mark != Mark::Points {
        let mut path = String::new();
        for (index, [x, y]) in points.iter().enumerate() {
            let _ = write!(path, "{}{x:.1} {y:.1}", if index == 0 { 'M' } else { 'L' });
        }
        let dashes = if mark == Mark::Dashes { " stroke-dasharray=\"6 4\"" } else { "" };
        svg.push_str(&format!("<path d=\"{path}\" stroke=\"{color}\" stroke-width=\"1.6\" fill=\"none\"{dashes}/>\n"));
    }
    if matches!(mark, Mark::Dots | Mark::Points) {
        for [x, y] in points {
            svg.push_str(&format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{color}\"/>\n"));
        }
    }
}

fn label(svg: &mut String, [x, y]: [f64; 2], anchor: &str, text: &str) {
    svg.push_str(&format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>\n", escaped(text)));
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::Line;

    fn plot(scale: Scale, points: &[[f64; 2]]) -> Plot {
        Plot {
            name: "test",
            title: "a < b & c".to_owned(),
            across: "x (m)",
            up: "y",
            scales: [scale; 2],
            lines: vec![Line { label: "line".to_owned(), mark: Mark::Dots, points: points.to_vec() }],
        }
    }

    #[test]
    fn points_lie_inside_the_frame_in_their_order() {
        let svg = draw(&plot(Scale::Linear, &[[0.0, -1.0], [1.0, 2.0], [2.0, 1.0]]));
        let numbers = |key: &str| -> Vec<f64> {
            let circles = svg.lines().filter(|line| line.starts_with("<circle"));
            // Three of the curve and two of its legend.
            circles.filter_map(|line| line.split(key).nth(1)?.split('"').nth(1)?.parse().ok()).collect()
        };
        let (xs, ys) = (numbers("cx="), numbers("cy="));
        assert_eq!(xs.len(), 5);
        assert!(xs[0] < xs[1] && xs[1] < xs[2] && ys[1] < ys[2] && ys[2] < ys[0], "{svg}");
        assert!(xs[..3].iter().all(|x| (FRAME[0]..=FRAME[1]).contains(x)));
        assert!(ys[..3].iter().all(|y| (FRAME[2]..=FRAME[3]).contains(y)));
        assert!(svg.contains("a &lt; b &amp; c"));
    }

    #[test]
    fn undrawable_points_are_omitted() {
        let svg = draw(&plot(Scale::Logarithmic, &[[1.0, 1e-3], [-1.0, 1.0], [10.0, f64::NAN], [100.0, 1e-1]]));
        assert_eq!(svg.matches("<circle").count(), 2 + 2);
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        let empty = draw(&plot(Scale::Linear, &[]));
        assert!(!empty.contains("NaN") && empty.ends_with("</svg>\n"));
    }

    #[test]
    fn axes_have_round_numbers() {
        assert_eq!(round_spacing(0.13), 0.2);
        assert_eq!(round_spacing(3.0), 5.0);
        assert_eq!(round_spacing(70.0), 100.0);
    }
}
