//! Colours: between screens, light and the eye.
//!
//! Light is linear, screens are sRGB (IEC 61966-2-1), and the eye is best described by OKLab: equal steps look equal
//! (B. Ottosson, *A perceptual color space for image processing*, 2020).

use craze_math::{Mat3, Vec3};

/// Red, green and blue, proportional to light; 1 is the white of the screen.
pub(crate) type Light = Vec3;

/// Light of an sRGB value from 0 to 1 (IEC 61966-2-1).
pub(crate) fn light_of_screen(value: f64) -> f64 {
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// sRGB value from 0 to 1 of light (IEC 61966-2-1).
pub(crate) fn screen_of_light(light: f64) -> f64 {
    if light <= 0.0031308 { 12.92 * light } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 }
}

/// Light of a screen colour.
pub(crate) fn light(rgb: [u8; 3]) -> Light {
    Vec3::from(rgb.map(|channel| light_of_screen(f64::from(channel) / 255.0)))
}

/// How bright light looks to the eye: luminance, from the luminous efficiencies of the sRGB primaries.
pub(crate) fn luminance(light: &Light) -> f64 {
    0.2126 * light.x + 0.7152 * light.y + 0.0722 * light.z
}

/// Light of an OKLab colour given as lightness (0 to 1), chroma and hue (turns). Chroma is lowered until the screen can
/// show it.
pub(crate) fn perceived(lightness: f64, chroma: f64, hue: f64) -> Light {
    let (sin, cos) = (std::f64::consts::TAU * hue).sin_cos();
    let at = |chroma: f64| light_of_oklab(Vec3::new(lightness, chroma * cos, chroma * sin));
    let shown = |light: &Light| light.iter().all(|&x| (-1e-6..=1.0 + 1e-6).contains(&x));
    let full = at(chroma);
    if shown(&full) {
        return full.map(|x| x.clamp(0.0, 1.0));
    }
    let (mut inside, mut outside) = (0.0, chroma);
    for _ in 0..20 {
        let middle = 0.5 * (inside + outside);
        if shown(&at(middle)) { inside = middle } else { outside = middle }
    }
    at(inside).map(|x| x.clamp(0.0, 1.0))
}

/// Light of an OKLab colour (Ottosson 2020; inverse of its two matrices and the cube root between them).
fn light_of_oklab(lab: Vec3) -> Light {
    #[rustfmt::skip]
    let cones_of_lab = Mat3::new(
        1.0,  0.3963377774,  0.2158037573,
        1.0, -0.1055613458, -0.0638541728,
        1.0, -0.0894841775, -1.2914855480,
    );
    #[rustfmt::skip]
    let light_of_cones = Mat3::new(
         4.0767416621, -3.3077115913,  0.2309699292,
        -1.2684380046,  2.6097574011, -0.3413193965,
        -0.0041960863, -0.7034186147,  1.7076147010,
    );
    light_of_cones * (cones_of_lab * lab).map(|x| x * x * x)
}

/// A pleasant colour for the n-th of many things: neighbours in number are far apart in hue, since the golden ratio is
/// the hardest to approximate by fractions.
pub(crate) fn distinct(index: u64) -> Light {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let hue = (0.12 + GOLDEN * (index % 4096) as f64).fract();
    let lightness = [0.70, 0.80, 0.62][(index % 3) as usize];
    perceived(lightness, 0.115, hue)
}

/// Number of colours in a map.
const MAP_SIZE: usize = 256;

/// Colours for values, dark to bright: lightness rises evenly, so that order is seen without reading the legend, also in
/// grey print and by eyes that mix up red and green.
pub(crate) struct ColorMap(Vec<Light>);

impl ColorMap {
    /// Indigo, blue, teal, green, yellow.
    pub fn new() -> ColorMap {
        // (chroma, hue in degrees) at even steps; lightness is linear.
        const CONTROL: [(f64, f64); 6] =
            [(0.130, 295.0), (0.125, 265.0), (0.100, 220.0), (0.115, 172.0), (0.150, 132.0), (0.165, 103.0)];
        let colors = (0..MAP_SIZE).map(|index| {
            let fraction = index as f64 / (MAP_SIZE - 1) as f64;
            let position = fraction * (CONTROL.len() - 1) as f64;
            let segment = (position as usize).min(CONTROL.len() - 2);
            let ((c0, h0), (c1, h1)) = (CONTROL[segment], CONTROL[segment + 1]);
            let t = position - segment as f64;
            perceived(0.33 + 0.57 * fraction, c0 + t * (c1 - c0), (h0 + t * (h1 - h0)) / 360.0)
        });
        ColorMap(colors.collect())
    }

    /// The colour at a fraction from 0 to 1 of the map.
    pub fn at(&self, fraction: f64) -> Light {
        let position = fraction.clamp(0.0, 1.0) * (MAP_SIZE - 1) as f64;
        let index = (position as usize).min(MAP_SIZE - 2);
        self.0[index].lerp(&self.0[index + 1], position - index as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn screen_and_light_are_inverse() {
        for step in 0..=255u8 {
            let value = f64::from(step) / 255.0;
            assert!((screen_of_light(light_of_screen(value)) - value).abs() < 1e-6);
        }
    }

    #[test]
    fn white_of_the_eye_is_white_of_the_screen() {
        assert!((perceived(1.0, 0.0, 0.0) - Vec3::repeat(1.0)).amax() < 1e-3);
    }

    #[test]
    fn color_map_rises_in_luminance() {
        let map = ColorMap::new();
        let brightness: Vec<f64> = (0..=100).map(|i| luminance(&map.at(f64::from(i) / 100.0))).collect();
        assert!(brightness.windows(2).all(|pair| pair[1] > pair[0]));
        assert!(brightness[100] > 8.0 * brightness[0]);
    }

    #[test]
    fn first_fifty_distinct_colors_are_distinct() {
        let colors: Vec<Light> = (0..50).map(distinct).collect();
        for (i, a) in colors.iter().enumerate() {
            for b in &colors[..i] {
                assert!((a - b).amax() > 0.01, "{a} {b}");
            }
        }
    }
}
