//! Softened materials for impacts.
//!
//! Sound runs through glass at 5 km/s, so explicit steps take a fraction of a microsecond, and
//! fragments at a few m/s would take hours. What breaks depends on the ratio of impact stress ρ·c·v
//! to strength. Dividing the stiffness by k divides c by √k; dividing strength and viscosity by √k
//! keeps the ratio, so the same points fail in the same order, √k times slower, at strains √k times
//! larger. O'Brien & Hodgins 1999 chose the parameters of their Table 1 similarly: their bowls hit
//! the ground at 1/23 of their speed of sound.

use crate::problem::Problem;
use craze_material::{Material, Overrides, nearest, presets};

/// Smallest ratio of the speed of sound to the impact speed (1), which bounds impact strains by
/// about 1/25.
const MIN_SOUND_SPEED_RATIO: f64 = 25.0;

/// Added viscosity, as a time in edges over the speed of sound (1). It damps waves shorter than an
/// element, which are mesh artefacts and would break everything.
const MESH_DAMPING: f64 = 0.05;

/// A material softened for an impact.
#[derive(Clone, Debug)]
pub struct ImpactMaterial {
    name: String,
    real: Material,
    /// Divisor of the stiffness (1).
    pub softening: f64,
}

impl ImpactMaterial {
    /// The material of a preset, softened for an impact at this speed (m/s).
    pub fn for_impact(name: &str, speed: f64) -> Result<ImpactMaterial, Problem> {
        let Some(preset) = presets::all().find(|preset| preset.name == name) else {
            let near = nearest(name, presets::names());
            let help =
                near.map_or("`craze materials` lists all".to_owned(), |near| format!("did you mean \"{near}\"?"));
            return Err(Problem::new(format!("there is no material named \"{name}\""), help));
        };
        let real = preset.material();
        if real.strength.tensile.is_none() && real.strength.separation_force.is_none() {
            let message = format!("{name} does not shatter: it has no tensile strength");
            return Err(Problem::new(message, "choose a brittle material, as in --material ceramic"));
        }
        if speed > sound(&real) {
            let message = format!("{speed:.0} m/s exceeds the speed of sound in {name}, {:.0} m/s", sound(&real));
            return Err(Problem::new(
                message,
                "give a lower height or speed: drops and hits are a few metres per second",
            ));
        }
        let slow = MIN_SOUND_SPEED_RATIO * speed;
        let softening = (sound(&real) / slow).powi(2).max(1.0);
        Ok(ImpactMaterial { name: name.to_owned(), real, softening })
    }

    /// Speed of sound in a bar of the softened material (m/s).
    pub fn sound(&self) -> f64 {
        sound(&self.real) / self.softening.sqrt()
    }

    /// Overrides of the preset in a scene, for this share of its strength and tetrahedra with this
    /// edge (m).
    pub fn overrides(&self, strength: f64, edge: f64) -> Overrides {
        let (slower, soft) = (self.softening.sqrt(), self.softening);
        let Material { elasticity, damping, .. } = &self.real;
        let mut overrides = Overrides::from_preset(&self.name);
        if soft > 1.0 {
            if elasticity.is_isotropic() {
                let (lambda, mu) = elasticity.lame();
                (overrides.lambda, overrides.mu) = (Some(lambda / soft), Some(mu / soft));
            } else {
                overrides.stiffness = Some(elasticity.stiffness().map(|row| row.map(|entry| entry / soft)));
            }
            let scaled = |value: f64| (value > 0.0).then_some(value / slower);
            (overrides.phi, overrides.psi) = (scaled(damping.phi), scaled(damping.psi));
        }
        let mesh_damping = MESH_DAMPING * edge / self.sound();
        let viscous = damping.phi > 0.0 || damping.psi > 0.0;
        let time = (damping.time * slower).max(if viscous { 0.0 } else { mesh_damping });
        overrides.damping_time = Some(time).filter(|time| *time > 0.0);
        let weaker = |value: f64| strength * value / slower;
        match self.real.strength.separation_force {
            Some(force) => overrides.separation_force = Some(weaker(force)),
            None => overrides.tensile_strength = self.real.strength.tensile.map(weaker),
        }
        overrides
    }

    /// Difference to the real material; `None` without softening.
    pub fn description(&self) -> Option<String> {
        (self.softening > 1.0).then(|| {
            format!(
                "{} is simulated {:.0} times softer and {:.0} times weaker than it is, so that steps can be longer; what breaks stays the same",
                self.name,
                self.softening,
                self.softening.sqrt()
            )
        })
    }
}

/// Speed of sound in a bar (m/s).
fn sound(material: &Material) -> f64 {
    (material.elasticity.young() / material.density).sqrt()
}
