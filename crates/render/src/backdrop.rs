//! Background of a picture.

use crate::color::Light;
use crate::settings::Background;
use crate::tone;

pub(crate) struct Backdrop {
    /// Light at the centre of the picture.
    pub middle: Light,
    /// Fraction of light lost in the corners (1).
    falloff: f64,
}

impl Backdrop {
    /// Background that is displayed as the requested colour.
    pub fn new(background: Background) -> Backdrop {
        match background {
            Background::Studio => Backdrop { middle: tone::light_shown_as([236, 233, 228]), falloff: 0.30 },
            Background::Dark => Backdrop { middle: tone::light_shown_as([42, 42, 45]), falloff: 0.45 },
            Background::Color(color) => Backdrop { middle: tone::light_shown_as(color), falloff: 0.0 },
        }
    }

    /// Light at a point of the picture, −1 to 1 on both axes.
    pub fn at(&self, x: f64, y: f64, aspect: f64) -> Light {
        let (x, y) = (x * aspect, y + 0.12);
        let distance = (x * x + y * y) / (1.0 + aspect * aspect);
        self.middle * (1.0 - self.falloff * distance.min(1.2))
    }
}
