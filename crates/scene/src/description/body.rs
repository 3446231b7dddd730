//! `[[body]]`: things that deform and break.

use super::{LookSettings, Region, Response};
use craze_material::{MaterialUse, Overrides};
use craze_math::{Rotation, Vec3};
use craze_shape::Shape;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A thing that deforms and breaks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Name by which holds, probes and pairs refer to the body; unique in the scene.
    #[schemars(length(min = 1))]
    pub name: String,
    /// The published method that moves and breaks the body.
    pub method: MethodKind,
    /// The body's shape before it is placed.
    pub shape: Shape,
    /// Edge length of tetrahedra (method solid); from the shape's size if left out. A model with tetrahedra of its own keeps them if it is left out.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub edge: Option<f64>,
    /// Distance between particles (method clusters); from the shape's size if left out.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub spacing: Option<f64>,
    /// What the body is made of: a preset, single numbers, or a preset with numbers changed.
    pub material: Overrides,
    /// Other matter in named regions of the shape (method solid).
    pub materials: Option<RegionMaterials>,
    /// How the body looks in pictures and exports, if not as its material; in regions of other matter it looks as that.
    pub look: Option<LookSettings>,
    /// Where the body is and how it moves at t = 0.
    #[serde(default)]
    pub place: Place,
    /// How the body is advanced in time (method solid); "symplectic" if left out.
    pub integrator: Option<Integrator>,
    /// Upper bound on this body's time step; without it stability decides. Of method clusters also the step for which the
    /// material's `goal_stiffness` and `cluster_flow` are given, 1/60 s if left out.
    #[schemars(extend("x-unit" = "s", "exclusiveMinimum" = 0))]
    pub time_step: Option<f64>,
    /// Settings of method solid.
    pub solid: Option<SolidSettings>,
    /// Settings of method clusters.
    pub clusters: Option<ClustersSettings>,
}

impl Body {
    /// Whether some of its matter breaks, as method solid breaks.
    pub(crate) fn can_break(&self) -> bool {
        let regions = self.materials.iter().flat_map(|materials| {
            materials.mortar.iter().chain(materials.regions.iter().map(|region| &region.material))
        });
        let breaks = |matter: &Overrides| {
            let material = matter.resolve_for(self.method.material_use()).ok();
            material.is_some_and(|material| {
                material.strength.tensile.is_some() || material.strength.separation_force.is_some()
            })
        };
        self.solid.as_ref().is_none_or(|settings| settings.breaks)
            && std::iter::once(&self.material).chain(regions).any(breaks)
    }
}

/// A published method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MethodKind {
    /// Tetrahedra with a separation tensor (O'Brien and Hodgins 1999).
    Solid,
    /// Particles in clusters matched to shapes (Jones et al. 2016).
    Clusters,
}

impl MethodKind {
    /// The method's name in scene files.
    pub fn name(self) -> &'static str {
        match self {
            MethodKind::Solid => "solid",
            MethodKind::Clusters => "clusters",
        }
    }

    /// All methods.
    pub const ALL: [MethodKind; 2] = [MethodKind::Solid, MethodKind::Clusters];

    /// Which numbers of a material the method reads, as the method itself says.
    pub fn material_use(self) -> &'static MaterialUse {
        match self {
            MethodKind::Solid => &craze_solid::MATERIAL,
            MethodKind::Clusters => &craze_clusters::MATERIAL,
        }
    }
}

/// What the regions of a body are made of, where they differ from its `material`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RegionMaterials {
    /// The joints of shape.brick_wall; as the bricks if left out.
    pub mortar: Option<Overrides>,
    /// Regions of a model that brings its own tetrahedra, by their numbers in the file; `craze inspect` lists them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub regions: Vec<RegionMaterial>,
}

/// What a numbered region of a model is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RegionMaterial {
    /// The region's number in the file.
    #[schemars(extend("minimum" = -2_147_483_648i64, "maximum" = 2_147_483_647i64))]
    pub number: i32,
    /// What it is made of.
    pub material: Overrides,
}

impl RegionMaterials {
    /// What a built-in region of this name is made of, if that is said.
    pub fn of(&self, region: &str) -> Option<&Overrides> {
        match region {
            "mortar" => self.mortar.as_ref(),
            _ => None,
        }
    }
}

/// Where something is and how it moves at t = 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Place {
    /// Where the shape's origin goes.
    #[schemars(extend("x-unit" = "m"))]
    pub at: [f64; 3],
    /// Turn about the x axis, then the y axis, then the z axis of the world, through the shape's origin.
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
    /// The turn as a rotation: about x first, then y, then z, all world axes.
    pub fn rotation(&self) -> Rotation {
        rotation_from_degrees(self.turn)
    }
}

/// The rotation by `turn` (degrees) about the x axis, then the y axis, then the z axis of the world.
pub(crate) fn rotation_from_degrees(turn: [f64; 3]) -> Rotation {
    let about = |axis: Vec3, degrees: f64| Rotation::new(axis * degrees.to_radians());
    about(Vec3::z(), turn[2]) * about(Vec3::y(), turn[1]) * about(Vec3::x(), turn[0])
}

/// How a solid is advanced in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Integrator {
    /// Velocity first, then position with the new velocity: first order, keeps energy bounded.
    #[default]
    Symplectic,
    /// Forward Euler: first order, gains energy; for comparison.
    Euler,
    /// Taylor series with the jerk term: second order.
    Taylor,
    /// Backward Euler by Newton's method: large steps, loses energy.
    Implicit,
}

/// Settings of method solid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SolidSettings {
    /// Share of its rest volume below which a tetrahedron resists collapse; 0 is the law of the paper.
    #[schemars(extend("x-unit" = "1", "minimum" = 0, "exclusiveMaximum" = 1))]
    pub collapse_guard: f64,
    /// Strain below which a free piece counts as unstrained and flies as a rigid body; 0: never.
    #[schemars(extend("x-unit" = "1", "minimum" = 0, "maximum" = 0.1))]
    pub rest_strain: f64,
    /// Whether it breaks where its material says so (`tensile_strength` or `separation_force`).
    pub breaks: bool,
    /// Distance from a crack plane up to which a node counts as lying in it, in mean edges about the crack.
    #[schemars(extend("x-unit" = "1", "minimum" = 0, "maximum" = 1))]
    pub snap_distance: f64,
    /// Angle to the plane likewise, seen from the node that breaks.
    #[schemars(extend("x-unit" = "rad", "minimum" = 0, "maximum" = 1.5))]
    pub snap_angle: f64,
    /// Smallest height of a tetrahedron that a crack may make, in smallest heights of the unbroken body. Thinner ones ask for
    /// shorter time steps.
    #[schemars(extend("x-unit" = "1", "minimum" = 0, "maximum" = 1))]
    pub thinnest: f64,
    /// Share of critical damping that the fastest vibration of a single tetrahedron may have; thin ones that would have more have less
    /// viscosity, so that they do not shorten the time step. 0: all have what their material has, as in the paper. Use it where only thin
    /// tetrahedra are damped that much: otherwise the whole body is damped less.
    #[schemars(extend("x-unit" = "1", "minimum" = 0))]
    pub most_damping: f64,
    /// Whether a crack that turns sharply may also cut what lies behind its tip, as in the paper.
    pub turns_back: bool,
    /// Splits that are done in one step at most; what else fails waits for the next.
    #[schemars(extend("minimum" = 1, "maximum" = 1_000_000))]
    pub splits_a_step: u32,
    /// Time from one look at what fails to the next; 0: after every step. It bounds how fast cracks run: by `splits_a_step` in this
    /// time at most, however short the steps are.
    #[schemars(extend("x-unit" = "s", "minimum" = 0))]
    pub look_every: f64,
    /// Speed of cracks at most, in speeds of sound along a thin bar (√(E/ρ)); 0: none, as in the paper. Around a node that has split the others wait
    /// for a crack to come to them, and what it has unloaded by then does not fail: cracks stay thin instead of becoming bands of crumbs. Matter has 0.3 to 0.6.
    #[schemars(extend("x-unit" = "1", "minimum" = 0))]
    pub crack_speed: f64,
    /// Share of the body's volume below which nothing breaks off; 0: anything may, as in the paper. It makes shards instead of dust, which takes
    /// longer to compute than all the rest.
    #[schemars(extend("x-unit" = "1", "minimum" = 0, "exclusiveMaximum" = 1))]
    pub smallest_piece: f64,
    /// Whether its parts keep each other apart. Without, shards pass through each other, and steps are quicker.
    pub touches_itself: bool,
    /// Share by which its strength varies at random from place to place; the world's seed decides.
    #[schemars(extend("x-unit" = "1", "minimum" = 0, "maximum" = 1))]
    pub strength_spread: f64,
    /// Distance over which that changes; a tenth of the body's largest extent if left out.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub strength_grain: Option<f64>,
    /// Parts of the body that are weaker or stronger than the rest, as the joint of a handle.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seams: Vec<SolidSeam>,
    /// How its strength follows the paint on its model: colours of points in an OBJ, PLY or glTF file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub painted: Option<Painted>,
    /// What keeps it apart from other bodies of this method, unless a pair of `[contact]` says; of two that differ the later of
    /// these counts. Penalty forces let bodies lie in each other by the depth that bears their load.
    pub response: Response,
}

impl Default for SolidSettings {
    fn default() -> Self {
        Self {
            collapse_guard: 0.5,
            rest_strain: 1e-6,
            breaks: true,
            snap_distance: 0.1,
            snap_angle: 0.1,
            thinnest: 0.3,
            most_damping: 0.0,
            turns_back: false,
            splits_a_step: 10_000,
            look_every: 0.0,
            crack_speed: 0.0,
            smallest_piece: 0.0,
            touches_itself: true,
            strength_spread: 0.0,
            strength_grain: None,
            seams: Vec::new(),
            painted: None,
            response: Response::Impulses,
        }
    }
}

/// A part of a solid that bears more or less than the rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SolidSeam {
    /// Which part, in the world at t = 0.
    pub region: Region,
    /// What its strength is multiplied by.
    #[schemars(extend("x-unit" = "1", "exclusiveMinimum" = 0))]
    pub strength: f64,
}

/// Settings of method clusters; how stiffly a cluster holds together is its material's `goal_stiffness`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ClustersSettings {
    /// Rate at which motion that is not rigid dies away, beside the material's damping.
    #[schemars(extend("x-unit" = "1/s", "minimum" = 0))]
    pub damping: f64,
    /// Strain below which an untouched body counts as unstrained and flies as a rigid body; 0: never.
    #[schemars(extend("x-unit" = "1", "minimum" = 0, "maximum" = 0.1))]
    pub rest_strain: f64,
    /// How particles fill the body.
    pub sampling: Sampling,
    /// Number of clusters; one if neither this nor `reach` is given.
    #[schemars(extend("minimum" = 1, "maximum" = 1_000_000))]
    pub count: Option<u32>,
    /// How far from its centre a cluster reaches, in place of their number.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub reach: Option<f64>,
    /// In how many clusters a particle is, in the mean.
    #[schemars(extend("x-unit" = "1", "minimum" = 1, "maximum" = 64))]
    pub overlap: f64,
    /// Largest distance of a particle from its goal in a cluster, in radii of the cluster; 0: no limit. About 0.1 for elastic bodies,
    /// more where they flow.
    #[schemars(extend("x-unit" = "1", "minimum" = 0, "maximum" = 10))]
    pub strain_limit: f64,
    /// Rounds in a step that draw particles back to that limit, at most.
    #[schemars(extend("minimum" = 1, "maximum" = 1000))]
    pub limit_rounds: u32,
    /// Clusters that split in one step, at most; what else is stretched beyond its toughness waits for the next.
    #[schemars(extend("minimum" = 1, "maximum" = 1_000_000))]
    pub splits_a_step: u32,
    /// By how much of itself a cluster's toughness is raised when it splits, against spray of single particles; at 0 it waits until it is
    /// below its toughness instead.
    #[schemars(extend("x-unit" = "1", "minimum" = 0))]
    pub boost: f64,
    /// Rate at which that falls off.
    #[schemars(extend("x-unit" = "1/s", "exclusiveMinimum" = 0))]
    pub boost_decay: f64,
    /// Share by which `cluster_toughness` − 1 varies at random from cluster to cluster.
    #[schemars(extend("x-unit" = "1", "minimum" = 0, "maximum" = 1))]
    pub toughness_spread: f64,
    /// Whether parts of the body that do not hang together, or not closely, keep out of each other.
    pub self_contact: bool,
    /// Whether frames have a closed surface around the particles, cut where they part; without it they are shown as balls.
    pub skin: bool,
    /// Parts of the body that are weaker or tougher than the rest: clusters whose centre is inside.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seams: Vec<Seam>,
    /// How `cluster_toughness` − 1 follows the paint on its model: colours of points in an OBJ, PLY or glTF file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub painted: Option<Painted>,
}

impl Default for ClustersSettings {
    fn default() -> Self {
        Self {
            damping: 0.0,
            rest_strain: 1e-4,
            sampling: Sampling::default(),
            count: None,
            reach: None,
            overlap: 3.0,
            strain_limit: 0.0,
            limit_rounds: 8,
            splits_a_step: 16,
            boost: 0.0,
            boost_decay: 10.0,
            toughness_spread: 0.0,
            self_contact: true,
            skin: true,
            seams: Vec::new(),
            painted: None,
        }
    }
}

/// How what a body bears follows the brightness of the paint on its model, the mean of red, green and blue at the nearest place of its surface.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Painted {
    /// What it is multiplied by where the model is black.
    #[schemars(extend("x-unit" = "1", "exclusiveMinimum" = 0))]
    pub black: f64,
    /// What it is multiplied by where the model is white or not painted.
    #[serde(default = "Painted::white")]
    #[schemars(extend("x-unit" = "1", "exclusiveMinimum" = 0))]
    pub white: f64,
}

impl Painted {
    fn white() -> f64 {
        1.0
    }

    /// The factor at a brightness (1).
    pub fn factor(&self, brightness: f64) -> f64 {
        self.black + brightness * (self.white - self.black)
    }
}

/// A part of a body of clusters that bears more or less than the rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Seam {
    /// Which part, in the world at t = 0.
    pub region: Region,
    /// Largest stretch that its clusters bear.
    #[schemars(extend("x-unit" = "1", "exclusiveMinimum" = 1))]
    pub toughness: f64,
}

/// How particles fill a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Sampling {
    /// In the middles of cubes `spacing` wide, along the axes of the shape.
    #[default]
    Grid,
    /// At random, no two nearer than `spacing` (Bridson 2007); the world's seed decides. No direction is preferred.
    Poisson,
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
