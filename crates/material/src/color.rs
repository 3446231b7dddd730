//! Colours as light, as the screen has them, and as the eye sees them.
//!
//! Light is linear: red, green and blue, 1 being the white of the screen. Screens are sRGB (IEC 61966-2-1), and the eye is best described by OKLab: equal
//! steps look equal (B. Ottosson, *A perceptual color space for image processing*, 2020).

use craze_math::{Mat3, Vec3};

/// Vec3 of an sRGB value from 0 to 1 (IEC 61966-2-1).
pub fn light_of_screen(value: f64) -> f64 {
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// sRGB value from 0 to 1 of light (IEC 61966-2-1).
pub fn screen_of_light(light: f64) -> f64 {
    if light <= 0.0031308 { 12.92 * light } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 }
}

/// Vec3 of a screen colour.
pub fn light(rgb: [u8; 3]) -> Vec3 {
    Vec3::from(rgb.map(|channel| light_of_screen(f64::from(channel) / 255.0)))
}

/// How bright light looks to the eye: luminance, from the luminous efficiencies of the sRGB primaries.
pub fn luminance(light: &Vec3) -> f64 {
    0.2126 * light.x + 0.7152 * light.y + 0.0722 * light.z
}

/// Vec3 of an OKLab colour given as lightness (0 to 1), chroma and hue (turns). Chroma is lowered until the screen can
/// show it.
pub fn perceived(lightness: f64, chroma: f64, hue: f64) -> Vec3 {
    let (sin, cos) = (std::f64::consts::TAU * hue).sin_cos();
    let at = |chroma: f64| light_of_oklab(Vec3::new(lightness, chroma * cos, chroma * sin));
    let shown = |light: &Vec3| light.iter().all(|&x| (-1e-6..=1.0 + 1e-6).contains(&x));
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

/// Vec3 of an OKLab colour (Ottosson 2020; inverse of its two matrices and the cube root between them).
fn light_of_oklab(lab: Vec3) -> Vec3 {
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

/// Light of a screen colour written as #rrggbb, in hexadecimal; none for any other text.
pub fn light_of_hex(text: &str) -> Option<Vec3> {
    let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6)?;
    // A number may begin with a sign, a colour may not.
    let number =
        u32::from_str_radix(digits, 16).ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    Some(light([16, 8, 0].map(|shift| (number >> shift & 0xff) as u8)))
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
    fn colours_are_read_from_six_digits_and_nothing_else() {
        assert_eq!(light_of_hex("#ff0000"), Some(Vec3::x()));
        assert_eq!(light_of_hex("#C8A04b"), Some(light([200, 160, 75])));
        for text in ["", "#", "ff0000", "#ff00", "#ff00000", "#+f0000", "#gg0000", "red", "#ffé00"] {
            assert_eq!(light_of_hex(text), None, "{text}");
        }
    }
}
