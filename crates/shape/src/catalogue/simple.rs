//! Box, sphere and cylinder.

use std::f64::consts::PI;

use craze_math::{Mat3, Vec3};
use craze_mesh::{PlaneDomain, TetMesh, kuhn_box};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::BuiltIn;
use crate::error::{ShapeError, check_count, check_length};
use crate::field::Field;
use crate::inertia::MassProperties;
use crate::sample::{SampledPoints, grid};
use crate::structured::icosphere::Icosphere;
use crate::structured::{ball, cylinder, extruded, steps};
use crate::surface::TriangleSurface;

/// A box centred at the origin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Block {
    /// Extents along x, y and z.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub size: [f64; 3],
}

impl Default for Block {
    fn default() -> Self {
        Self { size: [0.1; 3] }
    }
}

impl BuiltIn for Block {
    fn check(&self) -> Result<(), ShapeError> {
        self.size.iter().try_for_each(|&length| check_length("size", length))
    }

    fn size(&self) -> Vec3 {
        self.size.into()
    }

    fn field(&self) -> Field {
        Field::block(self.size(), 0.0)
    }

    fn thinnest_wall(&self) -> f64 {
        self.size().min()
    }

    fn exact_volume(&self) -> Option<f64> {
        Some(self.size.iter().product())
    }

    fn structured_mesh(&self, edge: f64) -> Option<Result<TetMesh, ShapeError>> {
        Some(self.kuhn_mesh(edge))
    }

    fn structured_surface(&self, _edge: f64) -> Option<Result<TriangleSurface, ShapeError>> {
        Some(Ok(box_surface(self.size())))
    }

    fn section(&self, axis: usize, _edge: f64) -> Option<PlaneDomain> {
        let [x, y] = [0.5 * self.size[(axis + 1) % 3], 0.5 * self.size[(axis + 2) % 3]];
        Some(PlaneDomain { outline: vec![[-x, -y], [x, -y], [x, y], [-x, y]], ..PlaneDomain::default() })
    }

    /// Cells of at most `spacing` (m) that fill the box exactly.
    fn points(&self, spacing: f64) -> Result<SampledPoints, ShapeError> {
        self.check()?;
        check_length("spacing", spacing)?;
        let cell = self.size().map(|length| length / steps(length, spacing));
        grid::sample_cells(&self.field(), &self.bounds(), cell, spacing, self.volume())
    }
}

impl Block {
    /// Mass properties for a mass (kg).
    pub fn mass_properties(&self, mass: f64) -> MassProperties {
        let [x, y, z] = self.size.map(|length| length * length / 12.0);
        centred_mass_properties(mass, Vec3::new(y + z, z + x, x + y))
    }

    fn kuhn_mesh(&self, edge: f64) -> Result<TetMesh, ShapeError> {
        let cells = self.size.map(|length| steps(length, edge));
        check_count("edge", edge, "tetrahedra", 6.0 * cells.iter().product::<f64>())?;
        let lattice = kuhn_box(cells.map(|count| count as usize), self.size())?;
        let half = 0.5 * self.size();
        let positions = lattice.positions().iter().map(|point| point - half).collect();
        Ok(TetMesh::from_parts(positions, lattice.elements().to_vec())?)
    }
}

/// A ball centred at the origin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Sphere {
    /// Radius.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub radius: f64,
}

impl Default for Sphere {
    fn default() -> Self {
        Self { radius: 0.05 }
    }
}

impl Sphere {
    /// Mass properties for a mass (kg).
    pub fn mass_properties(&self, mass: f64) -> MassProperties {
        centred_mass_properties(mass, Vec3::repeat(0.4 * self.radius * self.radius))
    }
}

impl BuiltIn for Sphere {
    fn check(&self) -> Result<(), ShapeError> {
        check_length("radius", self.radius)
    }

    fn size(&self) -> Vec3 {
        Vec3::repeat(2.0 * self.radius)
    }

    fn field(&self) -> Field {
        Field::sphere(self.radius)
    }

    fn thinnest_wall(&self) -> f64 {
        2.0 * self.radius
    }

    fn exact_volume(&self) -> Option<f64> {
        Some(4.0 / 3.0 * PI * self.radius.powi(3))
    }

    fn structured_mesh(&self, edge: f64) -> Option<Result<TetMesh, ShapeError>> {
        let layers = steps(self.radius, edge);
        let count = check_count("edge", edge, "tetrahedra", 20.0 * layers.powi(3));
        Some(count.and_then(|()| ball::tetrahedra(self.radius, layers as usize)))
    }

    fn structured_surface(&self, edge: f64) -> Option<Result<TriangleSurface, ShapeError>> {
        let frequency = steps(self.radius, edge);
        let count = check_count("edge", edge, "triangles", 20.0 * frequency * frequency);
        Some(count.map(|()| {
            let sphere = Icosphere::new(frequency as usize);
            let positions = sphere.directions().iter().map(|direction| direction * self.radius).collect();
            TriangleSurface { positions, triangles: sphere.triangles() }
        }))
    }
}

/// A cylinder along y, centred at the origin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Cylinder {
    /// Radius.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub radius: f64,
    /// Extent along y.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub height: f64,
}

impl Default for Cylinder {
    fn default() -> Self {
        Self { radius: 0.05, height: 0.1 }
    }
}

impl Cylinder {
    /// Mass properties for a mass (kg).
    pub fn mass_properties(&self, mass: f64) -> MassProperties {
        let square = self.radius * self.radius;
        let across = square / 4.0 + self.height * self.height / 12.0;
        centred_mass_properties(mass, Vec3::new(across, square / 2.0, across))
    }
}

impl BuiltIn for Cylinder {
    fn check(&self) -> Result<(), ShapeError> {
        check_length("radius", self.radius)?;
        check_length("height", self.height)
    }

    fn size(&self) -> Vec3 {
        Vec3::new(2.0 * self.radius, self.height, 2.0 * self.radius)
    }

    fn field(&self) -> Field {
        Field::cylinder(self.radius, self.height)
    }

    fn thinnest_wall(&self) -> f64 {
        self.size().min()
    }

    fn exact_volume(&self) -> Option<f64> {
        Some(PI * self.radius * self.radius * self.height)
    }

    fn section(&self, axis: usize, edge: f64) -> Option<PlaneDomain> {
        let outline = || extruded::circle([0.0; 2], self.radius, edge);
        (axis == 1).then(|| PlaneDomain { outline: outline(), ..PlaneDomain::default() })
    }

    fn structured_mesh(&self, edge: f64) -> Option<Result<TetMesh, ShapeError>> {
        let (rings, layers) = (steps(self.radius, edge), steps(self.height, edge));
        let count = check_count("edge", edge, "tetrahedra", 18.0 * rings * rings * layers);
        Some(count.and_then(|()| cylinder::tetrahedra(self.radius, self.height, rings as usize, layers as usize)))
    }

    fn structured_surface(&self, edge: f64) -> Option<Result<TriangleSurface, ShapeError>> {
        let rings = steps(self.radius, edge);
        let count = check_count("edge", edge, "triangles", 12.0 * rings * (rings + 1.0));
        Some(count.map(|()| cylinder::surface(self.radius, self.height, rings as usize)))
    }
}

/// Mass properties from a mass (kg) and principal moments of inertia per mass (m²) about the
/// origin.
fn centred_mass_properties(mass: f64, moments: Vec3) -> MassProperties {
    MassProperties { center: Vec3::zeros(), inertia: Mat3::from_diagonal(&(mass * moments)) }
}

/// The twelve triangles of a box centred at the origin.
pub(crate) fn box_surface(size: Vec3) -> TriangleSurface {
    let corner = |k: usize| Vec3::from_fn(|axis, _| if k >> axis & 1 == 1 { 0.5 } else { -0.5 }).component_mul(&size);
    // Corners of each side, counter-clockwise from outside; bits 0, 1, 2 of an index are x, y, z.
    const SIDES: [[u32; 4]; 6] = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = SIDES.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    TriangleSurface { positions: (0..8).map(corner).collect(), triangles }
}
