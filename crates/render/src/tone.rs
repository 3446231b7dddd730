//! From light to screen: a film-like curve.
//!
//! A screen ends at white; light does not. Film answers with a curve: a toe that deepens shadows a little, a straight
//! part where colours stay true, and a shoulder that rolls highlights off instead of clipping them.

use crate::color::{Light, linear_from_srgb, luminance, srgb_from_linear};

/// Light up to which the curve is straight.
const SHOULDER: f64 = 0.55;
/// Light below which the curve falls faster than straight.
const TOE: f64 = 0.04;
/// How strongly bright colours lose saturation, as on film.
const BLEACH: f64 = 0.35;

/// One channel: continuous with a continuous slope, monotone, 0 at 0 and 1 at infinity.
fn curve(light: f64) -> f64 {
    if light <= 0.0 {
        0.0
    } else if light < TOE {
        // Parabola blended so that value and slope meet the straight part at its end.
        let x = light / TOE;
        TOE * x * (0.6 + x * (0.8 - 0.4 * x))
    } else if light <= SHOULDER {
        light
    } else {
        let room = 1.0 - SHOULDER;
        let excess = (light - SHOULDER) / room;
        SHOULDER + room * (1.0 - (-excess).exp())
    }
}

/// Screen colour, each channel 0 to 1, of light.
pub(crate) fn screen(light: &Light) -> Light {
    // The brighter it is, the more of each channel comes from the luminance: highlights turn white, not yellow.
    let gray = luminance(light);
    let bleach = BLEACH * (1.0 - (-(gray - SHOULDER).max(0.0)).exp());
    light.map(|channel| srgb_from_linear(curve(channel + bleach * (gray - channel))))
}

/// The light that [`screen`] shows as this grey or nearly grey screen colour.
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
