//! What a body is made of when it is shattered: softer than life, and by how much is said.
//!
//! Waves run through glass at 5 km/s; steps that follow them take a fraction of a microsecond, and pieces that fly apart at a few
//! metres a second would take hours. What breaks is decided by the stress of the impact, ρ·c·v, beside the strength. Dividing the
//! stiffness by k divides c by √k; dividing strength and viscosity by √k as well keeps the ratio, so that the same places fail in the
//! same order, √k times slower, at strains √k times larger. O'Brien & Hodgins 1999 chose the numbers of their Table 1 in the same
//! spirit: their bowls hit the ground at 1/23 of their speed of sound.

use crate::problem::Problem;
use craze_material::{Material, Overrides, nearest, presets};

/// Speed of sound in speeds of impact, at least: strains of an impact then stay near a twenty-fifth.
const MACH: f64 = 25.0;

/// Viscosity that is added, as the time (in edges of a tetrahedron over the speed of sound) within which it acts: waves shorter than an
/// element are made by the mesh and would break it everywhere.
const SMOOTHING: f64 = 0.05;

/// A material for an impact.
#[derive(Clone, Debug)]
pub struct Matter {
    name: String,
    real: Material,
    /// What stiffness is divided by.
    pub softening: f64,
}

impl Matter {
    /// The material of a preset, softened for an impact of this speed (m/s).
    pub fn for_impact(name: &str, speed: f64) -> Result<Matter, Problem> {
        let Some(preset) = presets::all().find(|preset| preset.name == name) else {
            let near = nearest(name, presets::names());
            let help =
                near.map_or("`craze materials` lists all".to_owned(), |near| format!("did you mean \"{near}\"?"));
            return Err(Problem::new(format!("there is no material called \"{name}\""), help));
        };
        let real = preset.material();
        if real.strength.tensile.is_none() && real.strength.separation_force.is_none() {
            let message = format!("{name} does not shatter: it has no tensile strength");
            return Err(Problem::new(message, "choose a brittle material, as in --material ceramic"));
        }
        if speed > sound(&real) {
            let message = format!("{speed:.0} m/s is faster than sound runs through {name}, {:.0} m/s", sound(&real));
            return Err(Problem::new(
                message,
                "give a lower height or speed: falls and hits are a few metres a second",
            ));
        }
        let slow = MACH * speed;
        let softening = (sound(&real) / slow).powi(2).max(1.0);
        Ok(Matter { name: name.to_owned(), real, softening })
    }

    /// Speed of sound in a bar of it, as it is computed with (m/s).
    pub fn sound(&self) -> f64 {
        sound(&self.real) / self.softening.sqrt()
    }

    /// Its numbers in a scene: a preset with what softening changes, at this share of its strength, for tetrahedra of this edge (m).
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
        let smoothing = SMOOTHING * edge / self.sound();
        let viscous = damping.phi > 0.0 || damping.psi > 0.0;
        let time = (damping.time * slower).max(if viscous { 0.0 } else { smoothing });
        overrides.damping_time = Some(time).filter(|time| *time > 0.0);
        let weaker = |value: f64| strength * value / slower;
        match self.real.strength.separation_force {
            Some(force) => overrides.separation_force = Some(weaker(force)),
            None => overrides.tensile_strength = self.real.strength.tensile.map(weaker),
        }
        overrides
    }

    /// How it differs from the real thing, in words; `None` where it does not.
    pub fn told(&self) -> Option<String> {
        (self.softening > 1.0).then(|| {
            format!(
                "{} is computed {:.0} times softer than life and {:.0} times weaker, so that steps can be longer; what breaks stays the same",
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
