//! Colour spaces: linear RGB, sRGB and OKLab.
//!
//! Linear RGB has 1 at the white of the display. Displays use sRGB (IEC 61966-2-1); OKLab is
//! perceptually uniform (B. Ottosson, *A perceptual color space for image processing*, 2020).

use craze_math::{Mat3, Vec3};

/// Linear intensity of an sRGB value, both from 0 to 1 (IEC 61966-2-1).
pub fn linear_from_srgb(value: f64) -> f64 {
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// sRGB value of a linear intensity, both from 0 to 1 (IEC 61966-2-1).
pub fn srgb_from_linear(light: f64) -> f64 {
    if light <= 0.0031308 { 12.92 * light } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 }
}

/// Linear RGB of an 8-bit sRGB colour.
pub fn linear_from_rgb8(rgb: [u8; 3]) -> Vec3 {
    Vec3::from(rgb.map(|channel| linear_from_srgb(f64::from(channel) / 255.0)))
}

/// Relative luminance of linear RGB, with the coefficients of the sRGB primaries.
pub fn luminance(light: &Vec3) -> f64 {
    0.2126 * light.x + 0.7152 * light.y + 0.0722 * light.z
}

/// Linear RGB of an OKLab colour given as lightness (0 to 1), chroma and hue (turns). Chroma is
/// reduced to fit the sRGB gamut.
pub fn linear_from_oklch(lightness: f64, chroma: f64, hue: f64) -> Vec3 {
    let (sin, cos) = (std::f64::consts::TAU * hue).sin_cos();
    let at = |chroma: f64| linear_from_oklab(Vec3::new(lightness, chroma * cos, chroma * sin));
    let in_gamut = |light: &Vec3| light.iter().all(|&x| (-1e-6..=1.0 + 1e-6).contains(&x));
    let full = at(chroma);
    if in_gamut(&full) {
        return full.map(|x| x.clamp(0.0, 1.0));
    }
    let (mut inside, mut outside) = (0.0, chroma);
    for _ in 0..20 {
        let middle = 0.5 * (inside + outside);
        if in_gamut(&at(middle)) { inside = middle } else { outside = middle }
    }
    at(inside).map(|x| x.clamp(0.0, 1.0))
}

/// Linear RGB of an OKLab colour (Ottosson 2020: inverse of two matrices with a cube root between).
fn linear_from_oklab(lab: Vec3) -> Vec3 {
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

/// Linear RGB of a colour in the form #rrggbb; `None` for other text.
pub fn linear_from_hex(text: &str) -> Option<Vec3> {
    let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6)?;
    // `from_str_radix` accepts a sign.
    let number =
        u32::from_str_radix(digits, 16).ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    Some(linear_from_rgb8([16, 8, 0].map(|shift| (number >> shift & 0xff) as u8)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn srgb_and_linear_are_inverse() {
        for step in 0..=255u8 {
            let value = f64::from(step) / 255.0;
            assert!((srgb_from_linear(linear_from_srgb(value)) - value).abs() < 1e-6);
        }
    }

    #[test]
    fn oklab_white_is_srgb_white() {
        assert!((linear_from_oklch(1.0, 0.0, 0.0) - Vec3::repeat(1.0)).amax() < 1e-3);
    }

    #[test]
    fn colours_are_read_from_six_digits_and_nothing_else() {
        assert_eq!(linear_from_hex("#ff0000"), Some(Vec3::x()));
        assert_eq!(linear_from_hex("#C8A04b"), Some(linear_from_rgb8([200, 160, 75])));
        for text in ["", "#", "ff0000", "#ff00", "#ff00000", "#+f0000", "#gg0000", "red", "#ffé00"] {
            assert_eq!(linear_from_hex(text), None, "{text}");
        }
    }
}
