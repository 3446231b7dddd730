//! Curved sheets.

use std::f64::consts::{PI, TAU};

use craze_math::{Mat3, Vec3};
use craze_mesh::TriMesh;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::check_length;
use super::{BuiltInSheet, SheetError, SheetMesh};
use crate::structured::icosphere::{FACES, Icosphere};

/// A tube about the y axis, open at both ends, facing outward.
///
/// Its rows of vertices are turned against each other by half a step. All triangles are congruent then, and half of their
/// angles meet in each vertex from above and from below: the tube can be unrolled, and its material coordinates keep
/// every length. They begin anew at the +x side.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Cylinder {
    /// Radius; vertices lie on it.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub radius: f64,
    /// Height along y.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub height: f64,
}

impl Default for Cylinder {
    fn default() -> Self {
        Self { radius: 0.05, height: 0.2 }
    }
}

impl BuiltInSheet for Cylinder {
    fn check(&self) -> Result<(), SheetError> {
        check_length("radius", self.radius)?;
        check_length("height", self.height)
    }

    fn area(&self) -> f64 {
        TAU * self.radius * self.height
    }

    fn size(&self) -> Vec3 {
        Vec3::new(2.0 * self.radius, self.height, 2.0 * self.radius)
    }

    fn mesh(&self, edge: f64) -> Result<SheetMesh, SheetError> {
        let columns = (TAU * self.radius / edge).round().max(3.0) as usize;
        let rows = (self.height / (0.75f64.sqrt() * edge)).round().max(1.0) as usize;
        let rise = self.height / rows as f64;
        // A triangle's base is the chord of a step, its other sides rise over half a step.
        let base = 2.0 * self.radius * (PI / columns as f64).sin();
        let side = rise.hypot(2.0 * self.radius * (0.5 * PI / columns as f64).sin());
        let altitude = (side * side - 0.25 * base * base).sqrt();
        let mut positions = Vec::with_capacity((rows + 1) * columns);
        for row in 0..=rows {
            for column in 0..columns {
                let angle = TAU * (column as f64 + shift(row)) / columns as f64;
                let y = rise * row as f64 - 0.5 * self.height;
                positions.push(Vec3::new(self.radius * angle.cos(), y, -self.radius * angle.sin()));
            }
        }
        let mut triangles = Vec::with_capacity(2 * rows * columns);
        let mut coordinates = Vec::with_capacity(2 * rows * columns);
        let mut add = |corners: [(usize, usize); 3]| {
            triangles.push(corners.map(|(row, column)| (row * columns + column % columns) as u32));
            coordinates.push(corners.map(|(row, column)| {
                [base * (column as f64 + shift(row)), altitude * (row as f64 - 0.5 * rows as f64)]
            }));
        };
        for row in 0..rows {
            // The vertex above the step from `column` on: rows that are turned lie half a step further.
            let ahead = row % 2;
            for column in 0..columns {
                add([(row, column), (row, column + 1), (row + 1, column + ahead)]);
                add([(row, column + 1 - ahead), (row + 1, column + 1), (row + 1, column)]);
            }
        }
        let mesh = TriMesh::from_parts(positions, triangles)?;
        let materials = vec![0; mesh.element_count()];
        Ok(SheetMesh::new(mesh, coordinates, materials, Vec::new()))
    }
}

/// By which part of a step a row of the tube is turned.
fn shift(row: usize) -> f64 {
    if row % 2 == 1 { 0.5 } else { 0.0 }
}

/// A hollow ball without a rim, facing outward: a divided icosahedron.
///
/// In the material the icosahedron's twenty faces lie flat beside each other, with the area of the sphere; edges are up to
/// three tenths longer or shorter there.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Sphere {
    /// Radius; vertices lie on it.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub radius: f64,
}

impl Default for Sphere {
    fn default() -> Self {
        Self { radius: 0.1 }
    }
}

impl BuiltInSheet for Sphere {
    fn check(&self) -> Result<(), SheetError> {
        check_length("radius", self.radius)
    }

    fn area(&self) -> f64 {
        4.0 * PI * self.radius * self.radius
    }

    fn size(&self) -> Vec3 {
        Vec3::repeat(2.0 * self.radius)
    }

    fn mesh(&self, edge: f64) -> Result<SheetMesh, SheetError> {
        // 20 n² equilateral triangles with edges of the asked length have the sphere's area.
        let steps = (self.radius / edge * (0.8 * PI / 3f64.sqrt()).sqrt()).round().max(1.0);
        let sphere = Icosphere::new(steps as usize);
        let positions: Vec<Vec3> = sphere.directions().iter().map(|direction| direction * self.radius).collect();
        let triangles = sphere.triangles();
        // Triangles come face by face.
        let a_face = triangles.len() / FACES.len();
        let side = (0.8 * PI / 3f64.sqrt()).sqrt() * self.radius;
        let coordinates = (triangles.iter().enumerate())
            .map(|(number, corners)| {
                let face = number / a_face;
                let frame = Mat3::from_columns(&FACES[face].map(|corner| positions[corner]));
                corners.map(|corner| on_face(&frame, &positions[corner as usize], face, side))
            })
            .collect();
        let mesh = TriMesh::from_parts(positions, triangles)?;
        let materials = vec![0; mesh.element_count()];
        Ok(SheetMesh::new(mesh, coordinates, materials, Vec::new()))
    }
}

/// Where a point over a face of the icosahedron lies in the material. The point is a sum of the face's corners, up to its
/// length; the face lies flat as an equilateral triangle.
fn on_face(frame: &Mat3, point: &Vec3, face: usize, side: f64) -> [f64; 2] {
    // The corners of a face are no plane through the centre.
    let weights = frame.lu().solve(point).unwrap_or(Vec3::repeat(1.0));
    let weights = weights / weights.sum();
    [side * (face as f64 + weights[1] + 0.5 * weights[2]), side * 0.75f64.sqrt() * weights[2]]
}

/// A part of a sphere that stands on its circular rim, facing outward.
///
/// Material coordinates are true along every line from the top to the rim, which is where it would be cut to lay it flat.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Dome {
    /// Radius of the rim.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub radius: f64,
    /// Height of the top above the rim; the radius makes half a sphere, more of it closes it further.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub height: f64,
}

impl Default for Dome {
    fn default() -> Self {
        Self { radius: 0.15, height: 0.1 }
    }
}

impl Dome {
    /// Radius of the sphere (m).
    fn curvature_radius(&self) -> f64 {
        0.5 * (self.radius * (self.radius / self.height) + self.height)
    }
}

impl BuiltInSheet for Dome {
    fn check(&self) -> Result<(), SheetError> {
        check_length("radius", self.radius)?;
        check_length("height", self.height)?;
        for (field, value, other) in [("radius", self.radius, self.height), ("height", self.height, self.radius)] {
            if value > 100.0 * other {
                let allowed = format!("at most a hundred times the other, {} m", 100.0 * other);
                return Err(SheetError::Misfit { field, value, allowed });
            }
        }
        Ok(())
    }

    fn area(&self) -> f64 {
        PI * (self.radius * self.radius + self.height * self.height)
    }

    fn size(&self) -> Vec3 {
        let widest = if self.height > self.radius { self.curvature_radius() } else { self.radius };
        Vec3::new(2.0 * widest, self.height, 2.0 * widest)
    }

    fn mesh(&self, edge: f64) -> Result<SheetMesh, SheetError> {
        let sphere = self.curvature_radius();
        // The angle at the sphere's centre from the top to the rim.
        let opening = self.radius.atan2(sphere - self.height);
        let rings = (sphere * opening / (0.9 * edge)).round().max(1.0) as usize;
        let polar = |ring: usize| opening * ring as f64 / rings as f64;
        let counts: Vec<usize> = (0..=rings)
            .map(|ring| match ring {
                0 => 1,
                _ => ((TAU * sphere * polar(ring).sin() / edge).round() as usize).max(6),
            })
            .collect();
        let mut positions = Vec::new();
        let mut flat = Vec::new();
        let mut first = vec![0u32];
        for (ring, &count) in counts.iter().enumerate() {
            let (sine, cosine) = polar(ring).sin_cos();
            for step in 0..count {
                let (sin, cos) = longitude(step, count, ring).sin_cos();
                let y = sphere * cosine - (sphere - self.height) - 0.5 * self.height;
                positions.push(Vec3::new(sphere * sine * cos, y, -sphere * sine * sin));
                let way = sphere * polar(ring);
                flat.push([way * cos, way * sin]);
            }
            first.push(positions.len() as u32);
        }
        let mut triangles = Vec::new();
        for ring in 1..=rings {
            zip_rings(&mut triangles, [ring - 1, ring].map(|ring| (first[ring], counts[ring], ring)));
        }
        let coordinates = triangles.iter().map(|corners| corners.map(|corner| flat[corner as usize])).collect();
        let mesh = TriMesh::from_parts(positions, triangles)?;
        let materials = vec![0; mesh.element_count()];
        Ok(SheetMesh::new(mesh, coordinates, materials, Vec::new()))
    }
}

/// Where a point of a ring lies (rad); every second ring is turned by half a step.
fn longitude(step: usize, count: usize, ring: usize) -> f64 {
    TAU * (step as f64 + shift(ring)) / count as f64
}

/// Triangles between two rings, each with its first vertex, count and number: the next point is taken from the ring whose
/// next step has its middle first.
fn zip_rings(triangles: &mut Vec<[u32; 3]>, [inner, outer]: [(u32, usize, usize); 2]) {
    let name = |(first, count, _): (u32, usize, usize), step: usize| first + (step % count) as u32;
    if inner.1 == 1 {
        triangles.extend((0..outer.1).map(|step| [inner.0, name(outer, step), name(outer, step + 1)]));
        return;
    }
    let middle =
        |(_, count, ring): (u32, usize, usize), step: usize| longitude(step, count, ring) + 0.5 * TAU / count as f64;
    let (mut from_inner, mut from_outer) = (0, 0);
    while from_inner < inner.1 || from_outer < outer.1 {
        let advance_inner =
            from_outer == outer.1 || (from_inner < inner.1 && middle(inner, from_inner) < middle(outer, from_outer));
        let ends = [name(inner, from_inner), name(outer, from_outer)];
        if advance_inner {
            from_inner += 1;
            triangles.push([ends[0], ends[1], name(inner, from_inner)]);
        } else {
            from_outer += 1;
            triangles.push([ends[0], ends[1], name(outer, from_outer)]);
        }
    }
}
