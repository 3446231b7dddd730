//! Studio lighting: one large lamp and a soft dome.

use craze_math::Vec3;

use crate::color::Light;
use crate::sampling::{disc, tangents};
use crate::tuning::LAMP_RADIUS;

pub(crate) struct Studio {
    /// Unit vector toward the centre of the lamp.
    lamp: Vec3,
    /// Two unit vectors across the lamp.
    across: (Vec3, Vec3),
    /// Reflection of a white surface facing the lamp.
    pub lamp_light: Light,
    /// Direction of a second, large and weak lamp that appears in reflections only.
    rim: Vec3,
}

impl Studio {
    /// Lighting for a camera that looks along `forward`: the lamp is behind its left shoulder, so
    /// that shadows fall to the right and away.
    pub fn new(forward: &Vec3) -> Studio {
        let level = Vec3::new(forward.x, 0.0, forward.z).try_normalize(1e-6).unwrap_or(-Vec3::z());
        let right = level.cross(&Vec3::y());
        let lamp = (Vec3::y() * 1.0 - right * 0.62 - level * 0.34).normalize();
        let rim = (Vec3::y() * 0.35 + right * 0.9 + level * 0.3).normalize();
        Studio { lamp, across: tangents(&lamp), lamp_light: Light::new(0.82, 0.785, 0.735), rim }
    }

    /// Unit direction to a point of the lamp.
    pub fn to_lamp(&self, pair: (f64, f64)) -> Vec3 {
        let (x, y) = disc(pair);
        (self.lamp + (self.across.0 * x + self.across.1 * y) * LAMP_RADIUS).normalize()
    }

    /// Cosine between the lamp's centre and a normal; 0 from behind.
    pub fn lamp_cosine(&self, normal: &Vec3) -> f64 {
        self.lamp.dot(normal).max(0.0)
    }

    /// Light of the dome: cool and brighter above, warm at the horizon.
    pub fn dome(&self, direction: &Vec3) -> Light {
        let height = direction.y.clamp(-1.0, 1.0);
        let horizon = Light::new(0.40, 0.395, 0.385);
        if height < 0.0 {
            // Below the horizon: light reflected by a floor, also if none is drawn.
            return horizon.lerp(&Light::new(0.26, 0.25, 0.24), (-3.0 * height).min(1.0));
        }
        horizon.lerp(&Light::new(0.50, 0.52, 0.55), height)
    }

    /// Reflection of the studio: the dome, the lamp as a large softbox, and a rim light.
    pub fn mirrored(&self, direction: &Vec3) -> Light {
        let softbox = smooth_step(0.80, 0.97, direction.dot(&self.lamp));
        let rim = smooth_step(0.78, 0.98, direction.dot(&self.rim));
        self.dome(direction) + Light::new(1.05, 1.02, 0.98) * softbox + Light::new(0.45, 0.48, 0.52) * rim
    }
}

/// Smooth step from 0 at `low` to 1 at `high`.
pub(crate) fn smooth_step(low: f64, high: f64, value: f64) -> f64 {
    let t = ((value - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}
