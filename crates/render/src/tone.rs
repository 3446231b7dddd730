//! Filmic tone mapping: a toe that deepens shadows slightly, a linear part with true colours, and a
//! shoulder that compresses highlights instead of clipping them.

use crate::color::{Light, linear_from_srgb, luminance, srgb_from_linear};

/// Upper end of the linear part.
const SHOULDER_START: f64 = 0.55;
/// Lower end of the linear part.
const TOE_END: f64 = 0.04;
/// Desaturation of bright colours, as on film (1).
const HIGHLIGHT_DESATURATION: f64 = 0.35;

/// Tone curve of a channel: C¹, monotone, 0 at 0 and 1 at infinity.
fn curve(light: f64) -> f64 {
    if light <= 0.0 {
        0.0
    } else if light < TOE_END {
        // Parabola that matches value and slope of the linear part.
        let x = light / TOE_END;
        TOE_END * x * (0.6 + x * (0.8 - 0.4 * x))
    } else if light <= SHOULDER_START {
        light
    } else {
        let room = 1.0 - SHOULDER_START;
        let excess = (light - SHOULDER_START) / room;
        SHOULDER_START + room * (1.0 - (-excess).exp())
    }
}

/// Screen colour of light, each channel 0 to 1.
pub(crate) fn screen(light: &Light) -> Light {
    // Highlights blend toward their luminance, so they turn white, not yellow.
    let gray = luminance(light);
    let desaturation = HIGHLIGHT_DESATURATION * (1.0 - (-(gray - SHOULDER_START).max(0.0)).exp());
    light.map(|channel| srgb_from_linear(curve(channel + desaturation * (gray - channel))))
}

/// Light displayed by [`screen`] as this grey or nearly grey colour.
pub(crate) fn light_shown_as(screen: [u8; 3]) -> Light {
    Light::from(screen.map(|channel| {
        let wanted = linear_from_srgb(f64::from(channel.min(254)) / 255.0);
        let (mut low, mut high) = (0.0, 16.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if curve(middle) < wanted { low = middle } else { high = middle }
        }
        low
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curve_is_monotone_without_steps() {
        let values: Vec<f64> = (0..4000).map(|i| curve(f64::from(i) * 1e-3)).collect();
        for pair in values.windows(2) {
            let rise = pair[1] - pair[0];
            assert!(rise > 0.0 && rise < 1.5e-3, "{rise}");
        }
        assert!(curve(1e9) <= 1.0);
    }

    #[test]
    fn a_wanted_gray_is_shown() {
        for gray in [10u8, 60, 128, 200, 240] {
            let shown = screen(&light_shown_as([gray; 3])).x * 255.0;
            assert!((shown - f64::from(gray)).abs() < 0.5, "{gray} {shown}");
        }
    }
}
