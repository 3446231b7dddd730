//! Colour conversions.
//!
//! Light is linear, screens are sRGB (IEC 61966-2-1), and OKLab is perceptually uniform (B.
//! Ottosson, *A perceptual color space for image processing*, 2020).

use craze_math::Vec3;

pub(crate) use craze_material::color::{
    linear_from_oklch, linear_from_rgb8, linear_from_srgb, luminance, srgb_from_linear,
};

/// Linear red, green and blue; 1 is the white of the screen.
pub(crate) type Light = Vec3;

/// A distinct colour per index: the golden ratio keeps the hues of neighbouring indices far apart.
pub(crate) fn distinct(index: u64) -> Light {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let hue = (0.12 + GOLDEN * (index % 4096) as f64).fract();
    let lightness = [0.70, 0.80, 0.62][(index % 3) as usize];
    linear_from_oklch(lightness, 0.115, hue)
}

const MAP_SIZE: usize = 256;

/// Colour map from dark to bright. Lightness is linear, so it is readable in grey and with colour
/// blindness.
pub(crate) struct ColorMap(Vec<Light>);

impl ColorMap {
    /// Indigo, blue, teal, green, yellow.
    pub fn new() -> ColorMap {
        // (chroma, hue in degrees) at even steps.
        const CONTROL: [(f64, f64); 6] =
            [(0.130, 295.0), (0.125, 265.0), (0.100, 220.0), (0.115, 172.0), (0.150, 132.0), (0.165, 103.0)];
        let colors = (0..MAP_SIZE).map(|index| {
            let fraction = index as f64 / (MAP_SIZE - 1) as f64;
            let position = fraction * (CONTROL.len() - 1) as f64;
            let segment = (position as usize).min(CONTROL.len() - 2);
            let ((c0, h0), (c1, h1)) = (CONTROL[segment], CONTROL[segment + 1]);
            let t = position - segment as f64;
            linear_from_oklch(0.33 + 0.57 * fraction, c0 + t * (c1 - c0), (h0 + t * (h1 - h0)) / 360.0)
        });
        ColorMap(colors.collect())
    }

    /// Colour at a fraction (0 to 1) of the map.
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
