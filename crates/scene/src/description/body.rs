//! `[[body]]`: bodies that deform and break.

use super::{LookSettings, Mode};
use craze_descriptor::{BodyFacts, Describe, Descriptor, Integrator, read_options, write_options};
use craze_material::Overrides;
use craze_math::{Rotation, Vec3};
use craze_shape::{Meshing, Shape};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A body that deforms and breaks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Body {
    /// Name by which holds, probes and pairs refer to the body; unique in the scene.
    #[schemars(length(min = 1))]
    pub name: String,
    /// The published method that moves and breaks the body.
    pub method: String,
    /// The body's shape before it is placed.
    pub shape: Shape,
    /// Edge length of tetrahedra; from the shape's size if left out. A model with tetrahedra of its
    /// own keeps them if it is left out.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub edge: Option<f64>,
    /// Pattern and orientation of the tetrahedra; a lattice along the axes of the shape if left out.
    pub meshing: Option<Meshing>,
    /// Distance between particles; from the shape's size if left out.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub spacing: Option<f64>,
    /// Material of the body: a preset, single numbers, or a preset with numbers changed.
    pub material: Overrides,
    /// Materials of named regions of the shape, where they differ from `material`.
    pub materials: Option<RegionMaterials>,
    /// Appearance in pictures and exports; that of its material if left out. Regions with a
    /// material of their own have its appearance.
    pub look: Option<LookSettings>,
    /// Position, rotation and velocities at t = 0.
    #[serde(default)]
    pub place: Place,
    /// How the body is advanced in time; "symplectic" if left out.
    pub integrator: Option<Integrator>,
    /// Upper bound on this body's time step; without it stability decides. Of method clusters also
    /// the step for which the material's `goal_stiffness` and `cluster_flow` are given, 1/60 s if
    /// left out.
    #[schemars(extend("x-unit" = "s", "exclusiveMinimum" = 0))]
    pub time_step: Option<f64>,
    /// The options of its method, in a table of the method's name.
    #[serde(flatten)]
    #[schemars(skip)]
    pub tables: Tables,
}

impl Body {
    /// What its method may have to know beside its options.
    pub(crate) fn facts(&self, method: &Descriptor, mode: Mode) -> BodyFacts {
        let regions = self.materials.iter().flat_map(|materials| {
            materials.mortar.iter().chain(materials.regions.iter().map(|region| &region.material))
        });
        BodyFacts {
            is_quasi_static: mode == Mode::QuasiStatic,
            integrator: self.integrator.unwrap_or_default(),
            material: self.material.resolve_for(method.material).ok(),
            region_materials: regions.filter_map(|material| material.resolve_for(method.material).ok()).collect(),
        }
    }
}

/// Tables of options, each under the name of its method. A checked body has the one of its own
/// method, with defaults filled in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Tables(pub(crate) Map<String, Value>);

impl Tables {
    /// The table of one method.
    pub fn of<M: Describe>(options: &M::Options) -> Tables {
        // Options are structs of numbers, words and lists, which always have a JSON form.
        let table = write_options::<M>(options).unwrap_or_default();
        Tables(Map::from_iter([(M::NAME.to_owned(), table)]))
    }

    /// The options of a method; those that are left out have their defaults.
    pub fn get<M: Describe>(&self) -> Result<M::Options, String> {
        read_options::<M>(self.table(M::NAME))
    }

    /// The table of a method as JSON; null if there is none.
    pub(crate) fn table(&self, method: &str) -> &Value {
        self.0.get(method).unwrap_or(&Value::Null)
    }
}

/// Materials of regions of a body, where they differ from its `material`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RegionMaterials {
    /// The joints of shape.brick_wall; as the bricks if left out.
    pub mortar: Option<Overrides>,
    /// Regions of a model that brings its own tetrahedra, by their numbers in the file; `craze
    /// inspect` lists them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub regions: Vec<RegionMaterial>,
}

/// Material of a numbered region of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RegionMaterial {
    /// The region's number in the file.
    #[schemars(extend("minimum" = -2_147_483_648i64, "maximum" = 2_147_483_647i64))]
    pub number: i32,
    /// Its material.
    pub material: Overrides,
}

impl RegionMaterials {
    /// The material of a built-in region of this name, if the scene gives one.
    pub fn of(&self, region: &str) -> Option<&Overrides> {
        match region {
            "mortar" => self.mortar.as_ref(),
            _ => None,
        }
    }
}

/// Position, rotation and velocities at t = 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Place {
    /// Position of the shape's origin.
    #[schemars(extend("x-unit" = "m"))]
    pub at: [f64; 3],
    /// Rotation about the x axis, then the y axis, then the z axis of the world, through the
    /// shape's origin.
    #[schemars(extend("x-unit" = "deg"))]
    pub turn: [f64; 3],
    /// Velocity.
    #[schemars(extend("x-unit" = "m/s"))]
    pub velocity: [f64; 3],
    /// Angular velocity about the centre of mass.
    #[schemars(extend("x-unit" = "rad/s"))]
    pub spin: [f64; 3],
}

impl Place {
    /// The rotation: about x first, then y, then z, all world axes.
    pub fn rotation(&self) -> Rotation {
        rotation_from_degrees(self.turn)
    }
}

/// The rotation by `turn` (degrees) about the x axis, then the y axis, then the z axis of the
/// world.
pub(crate) fn rotation_from_degrees(turn: [f64; 3]) -> Rotation {
    let about = |axis: Vec3, degrees: f64| Rotation::new(axis * degrees.to_radians());
    about(Vec3::z(), turn[2]) * about(Vec3::y(), turn[1]) * about(Vec3::x(), turn[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_go_about_x_then_y_then_z_of_the_world() {
        let turned = rotation_from_degrees([90.0, 0.0, 90.0]) * Vec3::y();
        // About x: y becomes z. About z: z stays.
        assert!((turned - Vec3::z()).norm() < 1e-15, "{turned}");
        let turned = rotation_from_degrees([0.0, 90.0, 90.0]) * Vec3::z();
        // About y: z becomes x. About z: x becomes y.
        assert!((turned - Vec3::y()).norm() < 1e-15, "{turned}");
    }
}
