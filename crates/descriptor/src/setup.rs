//! Input from which a method builds a body.

use crate::{Integrator, Painted, Points, Rejection, Sampling, Skin, Source};
use craze_engine::Method;
use craze_material::Material;
use craze_math::{Isometry, Vec3};
use craze_mesh::TetMesh;

/// A body's shape, material and start as the scene gives them.
pub struct Setup<'a> {
    /// The shape.
    pub source: &'a Source<'a>,
    /// The shape filled with tetrahedra, for methods that have them. Elements of regions with their
    /// own material have its index as the label `craze_frame::names::MATERIAL`.
    pub mesh: Option<TetMesh>,
    /// Materials: that of the body, then those of its regions.
    pub materials: Vec<Material>,
    /// Distance between particles (m), if the scene gives it.
    pub spacing: Option<f64>,
    /// Time integration.
    pub integrator: Integrator,
    /// Upper bound on the body's Δt (s), if the scene gives it.
    pub time_step: Option<f64>,
    /// From the frame of the shape to the world at t = 0.
    pub placement: Isometry,
    /// Velocity of the centre of mass (m/s).
    pub velocity: Vec3,
    /// Angular velocity about the centre of mass (rad/s).
    pub spin: Vec3,
    /// Acceleration of free fall (m/s²).
    pub gravity: Vec3,
    /// The seed of the scene.
    pub seed: u64,
}

/// A body, with notes about how it was built.
pub struct Built {
    /// The body.
    pub method: Box<dyn Method>,
    /// Its elements: "18,400 tetrahedra".
    pub elements: String,
    /// Notes for the user.
    pub remarks: Vec<String>,
}

/// Factor of a quantity at a point (m) of a shape.
pub type Factor<'source> = Box<dyn Fn(&Vec3) -> f64 + 'source>;

impl<'a> Setup<'a> {
    /// The material of the body.
    pub fn material(&self) -> Result<&Material, Rejection> {
        self.materials.first().ok_or_else(|| Rejection::new("material", "the body has no material", ""))
    }

    /// The shape filled with particles.
    pub fn points(&self, sampling: Sampling, skin: Skin) -> Result<Points, Rejection> {
        self.source.points(self.spacing, sampling, skin, self.seed)
    }

    /// Factor of a quantity that depends on the vertex colours of the model; none without
    /// `settings`. `key` is the key for errors.
    pub fn painted(&self, settings: Option<Painted>, key: &str) -> Result<Option<Factor<'a>>, Rejection> {
        let Some(settings) = settings else { return Ok(None) };
        let brightness = self.source.brightness(key)?;
        Ok(Some(Box::new(move |point| settings.factor(brightness.at(point)))))
    }
}
