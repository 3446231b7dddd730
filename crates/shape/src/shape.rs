//! The built-in shapes.

use std::f64::consts::PI;

use craze_math::Vec3;
use craze_mesh::{TetMesh, kuhn_box};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{ShapeError, check_count, check_length};
use crate::icosphere::Icosphere;
use crate::surface::TriangleSurface;
use crate::{ball, cylinder};

/// A solid centred at the origin, y up.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Shape {
    /// A box along the axes.
    Box {
        /// Lengths along x, y and z (m).
        size: [f64; 3],
    },
    /// A ball.
    Ball {
        /// Radius (m).
        radius: f64,
    },
    /// A cylinder about the y axis.
    Cylinder {
        /// Radius (m).
        radius: f64,
        /// Height (m).
        height: f64,
    },
}

impl Shape {
    /// Refuses lengths that are not positive numbers.
    pub fn check(&self) -> Result<(), ShapeError> {
        match *self {
            Self::Box { size } => size.iter().try_for_each(|&length| check_length("size", length)),
            Self::Ball { radius } => check_length("radius", radius),
            Self::Cylinder { radius, height } => {
                check_length("radius", radius)?;
                check_length("height", height)
            }
        }
    }

    /// Volume of the ideal shape (m³).
    pub fn volume(&self) -> f64 {
        match *self {
            Self::Box { size: [x, y, z] } => x * y * z,
            Self::Ball { radius } => 4.0 / 3.0 * PI * radius.powi(3),
            Self::Cylinder { radius, height } => PI * radius * radius * height,
        }
    }

    /// Lengths of the smallest box around it (m).
    pub fn size(&self) -> Vec3 {
        match *self {
            Self::Box { size } => size.into(),
            Self::Ball { radius } => Vec3::repeat(2.0 * radius),
            Self::Cylinder { radius, height } => Vec3::new(2.0 * radius, height, 2.0 * radius),
        }
    }

    /// Whether a point lies inside or on it.
    pub fn contains(&self, point: &Vec3) -> bool {
        match *self {
            Self::Box { size } => (0..3).all(|axis| point[axis].abs() <= 0.5 * size[axis]),
            Self::Ball { radius } => point.norm_squared() <= radius * radius,
            Self::Cylinder { radius, height } => point.x.hypot(point.z) <= radius && point.y.abs() <= 0.5 * height,
        }
    }

    /// Conforming positive tetrahedra with edges of about `edge` (m).
    ///
    /// A box is a Kuhn lattice whose cells are at most `edge` wide. In balls and cylinders the distance of spheres, rings and
    /// layers is at most `edge`; points of their surface lie on the ideal one, so the volume falls short by O(edge²).
    /// Dihedral angles: box of cubic cells 45°–90°; ball 36°–119°; cylinder, with layers as high as rings are wide, 34°–126°.
    pub fn tetrahedra(&self, edge: f64) -> Result<TetMesh, ShapeError> {
        self.check()?;
        check_length("edge", edge)?;
        let too_fine = |count: f64| check_count("edge", edge, "tetrahedra", count);
        match *self {
            Self::Box { size } => {
                let cells = size.map(|length| steps(length, edge));
                too_fine(6.0 * cells.iter().product::<f64>())?;
                let lattice = kuhn_box(cells.map(|count| count as usize), size.into())?;
                let half = Vec3::from(size) * 0.5;
                let positions = lattice.positions().iter().map(|point| point - half).collect();
                Ok(TetMesh::from_parts(positions, lattice.elements().to_vec())?)
            }
            Self::Ball { radius } => {
                let layers = steps(radius, edge);
                too_fine(20.0 * layers.powi(3))?;
                ball::tetrahedra(radius, layers as usize)
            }
            Self::Cylinder { radius, height } => {
                let (rings, layers) = (steps(radius, edge), steps(height, edge));
                too_fine(18.0 * rings * rings * layers)?;
                cylinder::tetrahedra(radius, height, rings as usize, layers as usize)
            }
        }
    }

    /// A closed surface, outward, for obstacles and pictures; curved parts have edges of about `edge` (m), flat ones may have
    /// longer ones.
    pub fn surface(&self, edge: f64) -> Result<TriangleSurface, ShapeError> {
        self.check()?;
        check_length("edge", edge)?;
        let too_fine = |count: f64| check_count("edge", edge, "triangles", count);
        match *self {
            Self::Box { size } => Ok(box_surface(size.into())),
            Self::Ball { radius } => {
                let frequency = steps(radius, edge);
                too_fine(20.0 * frequency * frequency)?;
                let sphere = Icosphere::new(frequency as usize);
                let positions = sphere.directions().iter().map(|direction| direction * radius).collect();
                Ok(TriangleSurface { positions, triangles: sphere.triangles() })
            }
            Self::Cylinder { radius, height } => {
                let rings = steps(radius, edge);
                too_fine(12.0 * rings * (rings + 1.0))?;
                Ok(cylinder::surface(radius, height, rings as usize))
            }
        }
    }
}

/// How many steps of at most `edge` a length takes; a hair too many for rounding is not counted.
fn steps(length: f64, edge: f64) -> f64 {
    (length / edge - 1e-9).ceil().max(1.0)
}

/// The twelve triangles of a box centred at the origin.
fn box_surface(size: Vec3) -> TriangleSurface {
    let corner = |k: usize| Vec3::from_fn(|axis, _| if k >> axis & 1 == 1 { 0.5 } else { -0.5 }).component_mul(&size);
    // Four corners a side, counter-clockwise seen from outside; bit 0 of a number is x, bit 1 y, bit 2 z.
    const SIDES: [[u32; 4]; 6] = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = SIDES.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    TriangleSurface { positions: (0..8).map(corner).collect(), triangles }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPES: [Shape; 3] = [
        Shape::Box { size: [1.0, 0.5, 0.25] },
        Shape::Ball { radius: 0.4 },
        Shape::Cylinder { radius: 0.3, height: 1.1 },
    ];

    /// Smallest and largest dihedral angle in degrees.
    fn angles(mesh: &TetMesh) -> (f64, f64) {
        mesh.element_ids().map(|tet| mesh.quality(tet)).fold((180.0, 0.0), |(low, high), quality| {
            (quality.smallest_dihedral.to_degrees().min(low), quality.largest_dihedral.to_degrees().max(high))
        })
    }

    #[test]
    fn tetrahedra_fill_the_shape_without_gap_or_overlap() {
        for shape in SHAPES {
            for edge in [0.2, 0.07, 0.04] {
                let mesh = shape.tetrahedra(edge).expect("a mesh");
                mesh.validate().expect("valid");
                // Positive elements whose sum is what their boundary encloses cannot overlap.
                let boundary = mesh.boundary();
                let triangles = boundary.triangles.iter().map(|t| t.map(|node| node.0)).collect();
                let surface = TriangleSurface::new(mesh.positions().to_vec(), triangles).expect("sound");
                surface.check_closed().expect("closed");
                let total = mesh.total_measure();
                assert!((surface.volume() / total - 1.0).abs() < 1e-12, "{shape:?}");
                let ratio = total / shape.volume();
                assert!(ratio < 1.0 + 1e-12 && ratio > 1.0 - 5.0 * edge * edge, "{shape:?} at {edge}: {ratio}");
                assert!(mesh.positions().iter().all(|point| shape.contains(&(point * (1.0 - 1e-12)))));
            }
        }
    }

    #[test]
    fn dihedral_angles_keep_their_bounds_under_refinement() {
        for n in [1, 2, 3, 5, 8, 12] {
            let edge = 1.0 / f64::from(n);
            let (low, high) = angles(&Shape::Box { size: [1.0; 3] }.tetrahedra(edge).expect("a box"));
            assert!(low > 44.99 && high < 90.01, "box {n}: {low} {high}");
            let (low, high) = angles(&Shape::Ball { radius: 1.0 }.tetrahedra(edge).expect("a ball"));
            assert!(low > 36.0 && high < 119.0, "ball {n}: {low} {high}");
            let (low, high) =
                angles(&Shape::Cylinder { radius: 1.0, height: 1.0 }.tetrahedra(edge).expect("a cylinder"));
            assert!(low > 34.0 && high < 126.0, "cylinder {n}: {low} {high}");
        }
    }

    #[test]
    fn surfaces_are_closed_and_outward() {
        for shape in SHAPES {
            for edge in [1.0, 0.1, 0.02] {
                let surface = shape.surface(edge).expect("a surface");
                let volume = surface.closed_volume().expect("closed");
                let ratio = volume / shape.volume();
                assert!(ratio < 1.0 + 1e-12 && ratio > 0.6, "{shape:?} at {edge}: {ratio}");
                if edge == 0.02 {
                    assert!(ratio > 0.995, "{shape:?}: {ratio}");
                }
                assert!((surface.bounds().size().y - shape.size().y).abs() < 0.2 * shape.size().y);
            }
        }
    }

    #[test]
    fn impossible_lengths_are_named() {
        assert!(matches!(
            Shape::Box { size: [1.0, -1.0, 1.0] }.tetrahedra(0.1),
            Err(ShapeError::BadLength { field: "size", value: -1.0 })
        ));
        assert!(matches!(
            Shape::Ball { radius: f64::NAN }.surface(0.1),
            Err(ShapeError::BadLength { field: "radius", .. })
        ));
        assert!(matches!(
            Shape::Ball { radius: 1.0 }.tetrahedra(0.0),
            Err(ShapeError::BadLength { field: "edge", .. })
        ));
        assert!(matches!(Shape::Ball { radius: 1.0 }.tetrahedra(1e-300), Err(ShapeError::TooFine { .. })));
        assert!(matches!(
            Shape::Box { size: [1e300; 3] }.tetrahedra(1e-10),
            Err(ShapeError::TooFine { field: "edge", .. })
        ));
    }
}
