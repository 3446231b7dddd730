//! How a shape is filled with tetrahedra: pattern and orientation of the mesh, random displacement
//! of its nodes.

use craze_math::{Rotation, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::catalogue::{BuiltIn, Tetrahedra};
use crate::domain::Domain;
use crate::error::{ShapeError, check_length, check_that};
use crate::structured::extruded;
use crate::stuffing::{Stuffing, StuffingOptions, stuff};
use craze_mesh::{Jitter, TetMesh};
use craze_spatial::Aabb;

/// Pattern, orientation and jitter of a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Meshing {
    /// How nodes are arranged.
    pub pattern: Pattern,
    /// Rotation of the lattice within the shape, about the x, then the y, then the z axis of the
    /// shape; the shape itself stays. A box, plate or cylinder whose lattice turns about one axis is
    /// meshed in layers across that axis.
    #[schemars(extend("x-unit" = "deg"))]
    pub turn: [f64; 3],
    /// Random displacement of inner nodes along each axis, over their shortest edge; less where
    /// elements would become flat.
    #[schemars(extend("x-unit" = "1", "minimum" = 0, "maximum" = 0.5))]
    pub jitter: f64,
    /// Seed of random positions and displacements; the same seed gives the same mesh.
    #[schemars(extend("minimum" = 0, "maximum" = 4_294_967_295u32))]
    pub seed: u32,
}

/// How nodes are arranged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Pattern {
    /// In a lattice, with the surface of the shape cut or fitted to it.
    #[default]
    Lattice,
    /// At random, no two much nearer than the edge length, in layers across the shortest extent of a
    /// box, the thickness of a plate or the axis of a cylinder; other shapes are refused.
    Unstructured,
}

impl Meshing {
    /// Rejects values that contradict each other; the error names one.
    pub fn check(&self) -> Result<(), ShapeError> {
        for angle in self.turn {
            check_that("turn", angle, angle.is_finite(), || "a number".to_owned())?;
        }
        check_that("jitter", self.jitter, (0.0..=0.5).contains(&self.jitter), || "between 0 and 0.5".to_owned())?;
        if self.pattern == Pattern::Unstructured {
            let turned = self.turn.into_iter().find(|angle| *angle != 0.0);
            check_that("turn", turned.unwrap_or(0.0), turned.is_none(), || {
                "left out: it rotates a lattice, and an unstructured mesh has none".to_owned()
            })?;
        }
        let is_random = self.jitter > 0.0 || self.pattern == Pattern::Unstructured;
        check_that("seed", f64::from(self.seed), is_random || self.seed == 0, || {
            "left out: nothing is random without `jitter` or pattern = \"unstructured\"".to_owned()
        })
    }

    /// Fills a built-in shape with tetrahedra of about `edge` (m).
    pub fn tetrahedra(&self, shape: &dyn BuiltIn, edge: f64) -> Result<Tetrahedra, ShapeError> {
        self.check()?;
        shape.check()?;
        check_length("edge", edge)?;
        if *self == Self::default() {
            return shape.tetrahedra(edge);
        }
        let size = shape.size();
        let axes: Vec<usize> = (0..3).filter(|&axis| shape.section(axis, edge).is_some()).collect();
        let turned: Vec<usize> = (0..3).filter(|&axis| self.turn[axis] != 0.0).collect();
        let axis = match turned[..] {
            [] => axes.into_iter().min_by(|one, other| size[*one].total_cmp(&size[*other])),
            [axis] => axes.contains(&axis).then_some(axis),
            _ => None,
        };
        let Some((axis, section)) = axis.and_then(|axis| Some((axis, shape.section(axis, edge)?))) else {
            if self.pattern == Pattern::Unstructured {
                let problem = "only a box, a plate or a cylinder can have an unstructured mesh".to_owned();
                return Err(ShapeError::BadText { field: "pattern", problem });
            }
            return self.stuffed(&shape.field(), edge);
        };
        let mesh = extruded::tetrahedra(&section, axis, size[axis], edge, self)?;
        Ok(Tetrahedra { regions: vec![0; mesh.element_count()], mesh: self.jittered(mesh), report: None })
    }

    /// Fills any domain with tetrahedra of about `edge` (m), in a rotated lattice.
    pub fn stuffed(&self, domain: &dyn Domain, edge: f64) -> Result<Tetrahedra, ShapeError> {
        self.check()?;
        if self.pattern == Pattern::Unstructured {
            let problem = "only a box, a plate or a cylinder can have an unstructured mesh".to_owned();
            return Err(ShapeError::BadText { field: "pattern", problem });
        }
        let about = |axis: Vec3, degrees: f64| Rotation::new(axis * degrees.to_radians());
        let [x, y, z] = self.turn;
        let turn = about(Vec3::z(), z) * about(Vec3::y(), y) * about(Vec3::x(), x);
        let turned = Turned { domain, turn };
        let Stuffing { mesh, regions, report } = stuff(&turned, &StuffingOptions::with_edge(edge))?;
        let positions = mesh.positions().iter().map(|position| turn * position).collect();
        let mesh = TetMesh::from_parts(positions, mesh.elements().to_vec())?;
        Ok(Tetrahedra { mesh: self.jittered(mesh), regions, report: Some(report) })
    }

    fn jittered(&self, mut mesh: TetMesh) -> TetMesh {
        if self.jitter > 0.0 {
            mesh.jitter_inner_points(self.jitter_of(1), &[Vec3::x(), Vec3::y(), Vec3::z()]);
        }
        mesh
    }

    /// The jitter, with a seed of its own for each use.
    pub(crate) fn jitter_of(&self, number: u64) -> Jitter {
        Jitter { amount: self.jitter, seed: u64::from(self.seed) ^ (number << 32) }
    }
}

/// A domain as seen from the frame of a rotated lattice.
struct Turned<'a> {
    domain: &'a dyn Domain,
    /// From the lattice to the domain.
    turn: Rotation,
}

impl Domain for Turned<'_> {
    fn bounds(&self) -> Aabb {
        let Aabb { min, max } = self.domain.bounds();
        let corner = |index: usize| Vec3::from_fn(|axis, _| if index >> axis & 1 == 0 { min[axis] } else { max[axis] });
        (0..8).fold(Aabb::EMPTY, |all, index| all.with(&(self.turn.inverse() * corner(index))))
    }

    fn level(&self, point: &Vec3) -> f64 {
        self.domain.level(&(self.turn * point))
    }

    fn clearance(&self, point: &Vec3) -> f64 {
        self.domain.clearance(&(self.turn * point))
    }

    fn normal(&self, point: &Vec3) -> Option<Vec3> {
        Some(self.turn.inverse() * self.domain.normal(&(self.turn * point))?)
    }

    fn jump(&self, ends: &[Vec3; 2], from: f64) -> Option<f64> {
        self.domain.jump(&ends.map(|end| self.turn * end), from)
    }

    fn region(&self, point: &Vec3) -> u16 {
        self.domain.region(&(self.turn * point))
    }

    fn volume(&self) -> Option<f64> {
        self.domain.volume()
    }

    fn area(&self) -> Option<f64> {
        self.domain.area()
    }

    fn query_cost(&self) -> f64 {
        self.domain.query_cost()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::{Block, Cylinder, Hole, Notch, Plate, Sphere};

    fn check(shape: &dyn BuiltIn, meshing: Meshing, edge: f64, tolerance: f64) -> TetMesh {
        let mesh = meshing.tetrahedra(shape, edge).unwrap_or_else(|error| panic!("{meshing:?}: {error}")).mesh;
        mesh.validate().unwrap();
        let volume = mesh.total_measure() / shape.volume() - 1.0;
        assert!(volume.abs() < tolerance, "{meshing:?}: volume off by {volume:e}");
        let thinnest = mesh.element_ids().map(|tet| mesh.quality(tet).shortest_altitude).fold(f64::INFINITY, f64::min);
        assert!(thinnest > 0.05 * edge, "{meshing:?}: {thinnest}");
        // A background lattice cuts curved surfaces and edges to its own accuracy.
        let beyond = if tolerance > 0.02 { 0.1 * edge } else { 1e-9 };
        let half = 0.5 * shape.size() + Vec3::repeat(beyond);
        assert!(mesh.positions().iter().all(|point| (0..3).all(|axis| point[axis].abs() <= half[axis])));
        mesh
    }

    #[test]
    fn lattices_turn_within_boxes_plates_and_cylinders() {
        let block = Block { size: [0.2, 0.1, 0.01] };
        let notch = Some(Notch { length: 0.05, width: 0.01 });
        let plate =
            Plate { size: [0.2, 0.1], thickness: 0.01, holes: vec![Hole { at: [0.04, 0.0], radius: 0.02 }], notch };
        let cylinder = Cylinder { radius: 0.05, height: 0.02 };
        for degrees in [0.0, 15.0, 30.0, 45.0] {
            for jitter in [0.0, 0.25] {
                let seed = if jitter > 0.0 { 7 } else { 0 };
                let turned =
                    |axis: usize| Meshing { turn: Vec3::ith(axis, degrees).into(), jitter, seed, ..Meshing::default() };
                let mesh = check(&block, turned(2), 0.01, 1e-12);
                if jitter == 0.0 && degrees > 0.0 {
                    // Most inner edges have the directions of the lattice.
                    let along = Vec3::new(degrees.to_radians().cos(), degrees.to_radians().sin(), 0.0);
                    let is_along = |[a, b]: &[craze_mesh::NodeId; 2]| {
                        let edge = mesh.position(*b) - mesh.position(*a);
                        edge.z.abs() < 1e-9 && edge.normalize().dot(&along).abs() > 0.9999
                    };
                    let edges = mesh.edges();
                    let share = edges.iter().filter(|edge| is_along(edge)).count() as f64 / edges.len() as f64;
                    assert!(share > 0.1, "{degrees}°: {share}");
                }
                check(&plate, turned(2), 0.008, 0.01);
                check(&cylinder, turned(1), 0.01, 0.02);
            }
        }
        check(&Block { size: [0.1; 3] }, Meshing { turn: [20.0, 30.0, 10.0], ..Meshing::default() }, 0.02, 0.05);
        check(&Sphere { radius: 0.05 }, Meshing { jitter: 0.2, seed: 1, ..Meshing::default() }, 0.012, 0.1);
    }

    #[test]
    fn unstructured_meshes_follow_their_seed() {
        let block = Block { size: [0.02, 0.1, 0.2] };
        let of = |seed| Meshing { pattern: Pattern::Unstructured, seed, ..Meshing::default() };
        let mesh = check(&block, of(1), 0.01, 1e-12);
        assert_eq!(mesh, check(&block, of(1), 0.01, 1e-12));
        assert_ne!(mesh, check(&block, of(2), 0.01, 1e-12));
        // Layers across the shortest extent.
        assert!(mesh.positions().iter().all(|point| [-0.01, 0.0, 0.01].iter().any(|x| (point.x - x).abs() < 1e-12)));
    }

    #[test]
    fn what_means_nothing_is_refused() {
        let fails = |meshing: Meshing| meshing.check().unwrap_err().to_string();
        assert!(fails(Meshing { seed: 3, ..Meshing::default() }).contains("nothing is random"));
        let both = Meshing { pattern: Pattern::Unstructured, turn: [0.0, 0.0, 9.0], ..Meshing::default() };
        assert!(fails(both).contains("it rotates a lattice"));
        let ball =
            Meshing { pattern: Pattern::Unstructured, ..Meshing::default() }.tetrahedra(&Sphere::default(), 0.01);
        assert!(ball.unwrap_err().to_string().contains("only a box, a plate or a cylinder"));
    }
}
