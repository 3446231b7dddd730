//! A stroke font with the characters of a legend.

use crate::color::Light;

/// Height of a capital in glyph units.
const CAPITAL: f64 = 6.0;
/// Space between letters in glyph units.
const SPACING: f64 = 1.3;
/// Width of a space in glyph units.
const BLANK: f64 = 2.2;

type Point = (f64, f64);

enum Stroke {
    /// Polyline; a single point is a dot.
    Line(&'static [Point]),
    /// Smooth curve through all points; closed if the last equals the first.
    Curve(&'static [Point]),
}
use Stroke::{Curve, Line};

/// Width and strokes of a letter; x to the right, y up from the baseline.
type Glyph = (f64, &'static [Stroke]);

/// A canvas of screen colours, each channel 0 to 1.
pub(crate) struct Canvas<'a> {
    /// Width (pixels).
    pub width: usize,
    /// Height (pixels).
    pub height: usize,
    /// Pixels, rows from top to bottom.
    pub pixels: &'a mut [Light],
}

impl Canvas<'_> {
    /// Blends a colour into a pixel by `share`; ignores pixels outside.
    pub fn blend(&mut self, column: i64, row: i64, color: &Light, share: f64) {
        let inside = (0..self.width as i64).contains(&column) && (0..self.height as i64).contains(&row);
        if inside && share > 0.0 {
            let pixel = &mut self.pixels[row as usize * self.width + column as usize];
            *pixel = pixel.lerp(color, share.min(1.0));
        }
    }

    /// Writes text with its baseline from (x, y) (pixels from the upper left), capitals `size`
    /// pixels high.
    pub fn write(&mut self, text: &str, x: f64, y: f64, size: f64, color: &Light) {
        let scale = size / CAPITAL;
        let half_pen = (0.075 * size).max(0.5);
        let mut pen = x;
        for letter in text.chars() {
            let (advance, strokes) = glyph(letter);
            let to_picture = |&(px, py): &Point| (pen + scale * px, y - scale * py);
            let mut segments: Vec<(Point, Point)> = Vec::new();
            for stroke in strokes {
                let points: Vec<Point> = match stroke {
                    Line(points) => points.iter().map(to_picture).collect(),
                    Curve(points) => smooth(points).iter().map(to_picture).collect(),
                };
                match points[..] {
                    [dot] => segments.push((dot, dot)),
                    _ => segments.extend(points.windows(2).map(|pair| (pair[0], pair[1]))),
                }
            }
            let top = (y - 7.5 * scale - 2.0).floor() as i64;
            let bottom = (y + 2.5 * scale + 2.0).ceil() as i64;
            let left = (pen - 2.0).floor() as i64;
            let right = (pen + advance * scale + 2.0).ceil() as i64;
            for row in top..=bottom {
                for column in left..=right {
                    let center = (column as f64 + 0.5, row as f64 + 0.5);
                    let nearest = segments.iter().map(|s| distance(center, *s)).fold(f64::INFINITY, f64::min);
                    self.blend(column, row, color, (half_pen + 0.5 - nearest).clamp(0.0, 1.0));
                }
            }
            pen += (advance + SPACING) * scale;
        }
    }
}

/// Width of a text with capitals of `size` pixels (pixels).
pub(crate) fn text_width(text: &str, size: f64) -> f64 {
    let units: f64 = text.chars().map(|letter| glyph(letter).0 + SPACING).sum();
    (units - SPACING).max(0.0) * size / CAPITAL
}

fn distance(point: Point, (from, to): (Point, Point)) -> f64 {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let (px, py) = (point.0 - from.0, point.1 - from.1);
    let length = dx * dx + dy * dy;
    let t = if length > 0.0 { ((px * dx + py * dy) / length).clamp(0.0, 1.0) } else { 0.0 };
    (px - t * dx).hypot(py - t * dy)
}

/// Points on a Catmull–Rom spline (Catmull & Rom 1974).
fn smooth(points: &[Point]) -> Vec<Point> {
    const STEPS: usize = 6;
    let count = points.len();
    let closed = points.first() == points.last();
    let at = |index: isize| -> Point {
        let last = count as isize - 1;
        let index = if closed { index.rem_euclid(last) } else { index.clamp(0, last) };
        points[index as usize]
    };
    let mut result = Vec::with_capacity(STEPS * count);
    for index in 0..count as isize - 1 {
        let p: [Point; 4] = std::array::from_fn(|k| at(index - 1 + k as isize));
        let cubic = |a: f64, b: f64, c: f64, d: f64, t: f64| {
            b + 0.5 * t * (c - a + t * (2.0 * a - 5.0 * b + 4.0 * c - d + t * (3.0 * (b - c) + d - a)))
        };
        for step in 0..STEPS {
            let t = step as f64 / STEPS as f64;
            result.push((cubic(p[0].0, p[1].0, p[2].0, p[3].0, t), cubic(p[0].1, p[1].1, p[2].1, p[3].1, t)));
        }
    }
    result.extend(points.last());
    result
}

/// Glyph of a letter; unsupported letters are blank.
#[rustfmt::skip]
fn glyph(letter: char) -> Glyph {
    match letter {
        '0' => (4.0, &[Curve(&[(2.0, 6.0), (0.4, 4.5), (0.4, 1.5), (2.0, 0.0), (3.6, 1.5), (3.6, 4.5), (2.0, 6.0)])]),
        '1' => (4.0, &[Line(&[(0.9, 4.7), (2.3, 6.0), (2.3, 0.0)])]),
        '2' => (4.0, &[Curve(&[(0.4, 4.6), (0.9, 5.6), (2.0, 6.0), (3.2, 5.5), (3.5, 4.4), (2.8, 3.0), (0.3, 0.0)]),
                       Line(&[(0.3, 0.0), (3.8, 0.0)])]),
        '3' => (4.0, &[Curve(&[(0.4, 5.2), (1.9, 6.0), (3.4, 5.2), (3.2, 3.8), (1.7, 3.2)]),
                       Curve(&[(1.7, 3.2), (3.4, 2.6), (3.7, 1.4), (2.9, 0.3), (1.7, 0.0), (0.3, 0.8)])]),
        '4' => (4.0, &[Line(&[(2.9, 0.0), (2.9, 6.0), (0.2, 1.8), (3.9, 1.8)])]),
        '5' => (4.0, &[Line(&[(3.4, 6.0), (0.9, 6.0), (0.6, 3.3)]),
                       Curve(&[(0.6, 3.3), (2.0, 3.8), (3.4, 3.1), (3.7, 1.8), (2.8, 0.3), (1.5, 0.0), (0.3, 0.7)])]),
        '6' => (4.0, &[Curve(&[(3.2, 5.6), (2.1, 6.0), (0.8, 4.6), (0.35, 2.1), (0.9, 0.5), (2.0, 0.0), (3.3, 0.6),
                               (3.65, 1.9), (3.1, 3.2), (2.0, 3.7), (0.9, 3.1), (0.35, 2.1)])]),
        '7' => (4.0, &[Line(&[(0.3, 6.0), (3.7, 6.0), (1.5, 0.0)])]),
        '8' => (4.0, &[Curve(&[(2.0, 3.2), (0.7, 3.9), (0.6, 5.2), (2.0, 6.0), (3.4, 5.2), (3.3, 3.9), (2.0, 3.2)]),
                       Curve(&[(2.0, 3.2), (0.5, 2.3), (0.4, 0.9), (2.0, 0.0), (3.6, 0.9), (3.5, 2.3), (2.0, 3.2)])]),
        '9' => (4.0, &[Curve(&[(0.8, 0.4), (1.9, 0.0), (3.2, 1.4), (3.65, 3.9), (3.1, 5.5), (2.0, 6.0), (0.7, 5.4),
                               (0.35, 4.1), (0.9, 2.8), (2.0, 2.3), (3.1, 2.9), (3.65, 3.9)])]),
        '-' => (3.4, &[Line(&[(0.2, 2.9), (3.2, 2.9)])]),
        '.' => (0.8, &[Line(&[(0.4, 0.1)])]),
        '/' => (2.8, &[Line(&[(0.1, -0.8), (2.7, 6.6)])]),
        '(' => (1.6, &[Curve(&[(1.4, 7.0), (0.4, 4.8), (0.4, 1.2), (1.4, -1.0)])]),
        ')' => (1.6, &[Curve(&[(0.2, 7.0), (1.2, 4.8), (1.2, 1.2), (0.2, -1.0)])]),
        'a' => (3.3, &[Curve(&[(3.2, 2.0), (2.7, 3.5), (1.6, 4.0), (0.6, 3.4), (0.2, 2.0), (0.6, 0.6), (1.6, 0.0), (2.7, 0.5),
                               (3.2, 2.0)]),
                       Line(&[(3.2, 4.0), (3.2, 0.0)])]),
        'c' => (3.1, &[Curve(&[(3.0, 3.3), (1.8, 4.0), (0.6, 3.4), (0.2, 2.0), (0.6, 0.6), (1.8, 0.0), (3.0, 0.7)])]),
        'd' => (3.3, &[Curve(&[(3.2, 2.0), (2.7, 3.5), (1.6, 4.0), (0.6, 3.4), (0.2, 2.0), (0.6, 0.6), (1.6, 0.0), (2.7, 0.5),
                               (3.2, 2.0)]),
                       Line(&[(3.2, 6.4), (3.2, 0.0)])]),
        'e' => (3.3, &[Line(&[(0.2, 2.1), (3.2, 2.1)]),
                       Curve(&[(3.2, 2.1), (2.8, 3.5), (1.7, 4.0), (0.6, 3.4), (0.2, 2.0), (0.6, 0.6), (1.8, 0.0), (3.0, 0.7)])]),
        'i' => (0.8, &[Line(&[(0.4, 4.0), (0.4, 0.0)]), Line(&[(0.4, 5.7)])]),
        'k' => (3.1, &[Line(&[(0.3, 6.4), (0.3, 0.0)]), Line(&[(2.9, 4.0), (0.3, 1.5)]), Line(&[(1.3, 2.5), (3.1, 0.0)])]),
        'l' => (0.8, &[Line(&[(0.4, 6.4), (0.4, 0.0)])]),
        'm' => (5.0, &[Line(&[(0.3, 4.0), (0.3, 0.0)]),
                       Curve(&[(0.3, 2.7), (1.0, 3.8), (1.9, 3.9), (2.5, 2.8), (2.5, 0.0)]),
                       Curve(&[(2.5, 2.7), (3.2, 3.8), (4.1, 3.9), (4.7, 2.8), (4.7, 0.0)])]),
        'n' => (3.3, &[Line(&[(0.3, 4.0), (0.3, 0.0)]), Curve(&[(0.3, 2.6), (1.1, 3.8), (2.3, 3.9), (3.0, 2.8), (3.0, 0.0)])]),
        'p' => (3.5, &[Line(&[(0.3, 4.0), (0.3, -2.0)]),
                       Curve(&[(0.3, 2.0), (0.8, 3.5), (1.9, 4.0), (2.9, 3.4), (3.3, 2.0), (2.9, 0.6), (1.9, 0.0), (0.8, 0.5),
                               (0.3, 2.0)])]),
        'r' => (2.1, &[Line(&[(0.3, 4.0), (0.3, 0.0)]), Curve(&[(0.3, 2.4), (0.9, 3.6), (2.1, 4.0)])]),
        's' => (3.0, &[Curve(&[(2.7, 3.4), (1.6, 4.0), (0.5, 3.4), (0.6, 2.5), (1.6, 2.05), (2.6, 1.5), (2.7, 0.6), (1.6, 0.0),
                               (0.3, 0.6)])]),
        't' => (2.2, &[Curve(&[(0.9, 5.6), (0.9, 3.0), (0.95, 1.0), (1.3, 0.2), (2.2, 0.1)]), Line(&[(0.0, 4.0), (2.0, 4.0)])]),
        'G' => (4.3, &[Curve(&[(4.0, 5.0), (2.6, 6.0), (1.0, 5.3), (0.2, 3.0), (1.0, 0.7), (2.6, 0.0), (4.1, 1.0)]),
                       Line(&[(4.1, 1.0), (4.1, 2.7), (2.6, 2.7)])]),
        'M' => (5.2, &[Line(&[(0.3, 0.0), (0.3, 6.0), (2.6, 1.6), (4.9, 6.0), (4.9, 0.0)])]),
        'P' => (3.8, &[Line(&[(0.3, 0.0), (0.3, 6.0), (2.0, 6.0)]),
                       Curve(&[(2.0, 6.0), (3.3, 5.5), (3.6, 4.4), (3.3, 3.3), (2.0, 2.8)]), Line(&[(2.0, 2.8), (0.3, 2.8)])]),
        'T' => (4.0, &[Line(&[(0.0, 6.0), (4.0, 6.0)]), Line(&[(2.0, 6.0), (2.0, 0.0)])]),
        'µ' => (3.4, &[Line(&[(0.3, 4.0), (0.3, -2.0)]), Curve(&[(0.3, 1.6), (0.9, 0.3), (2.0, 0.1), (3.1, 1.5)]),
                       Line(&[(3.1, 4.0), (3.1, 0.0)])]),
        _ => (BLANK, &[]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_leaves_ink_inside_its_width() {
        for letter in "0123456789-./()acdeiklmnprstGMPTµ".chars() {
            let mut pixels = vec![Light::zeros(); 40 * 40];
            let mut canvas = Canvas { width: 40, height: 40, pixels: &mut pixels };
            canvas.write(&letter.to_string(), 10.0, 28.0, 12.0, &Light::repeat(1.0));
            let ink: f64 = pixels.iter().map(|pixel| pixel.x).sum();
            assert!(ink > 1.5, "{letter} {ink}");
            let end = 10.0 + text_width(&letter.to_string(), 12.0) + 2.5;
            let stray: f64 = pixels.iter().enumerate().filter(|(i, _)| (i % 40) as f64 > end).map(|(_, p)| p.x).sum();
            assert_eq!(stray, 0.0, "{letter}");
        }
    }

    #[test]
    fn writing_beyond_the_border_does_nothing() {
        let mut pixels = vec![Light::zeros(); 4];
        let mut canvas = Canvas { width: 2, height: 2, pixels: &mut pixels };
        canvas.write("88", -100.0, 500.0, 12.0, &Light::repeat(1.0));
        assert!(pixels.iter().all(|pixel| pixel.x == 0.0));
    }
}
