//! Curved sheets.

use std::f64::consts::{PI, TAU};

use craze_math::{Mat3, Vec3};
use craze_mesh::TriMesh;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::check_length;
use super::{BuiltInSheet, SheetError, SheetMesh};
use crate::structured::icosphere::{FACES, Icosphere};

/// A tube along the y axis, open at both ends, facing outward.
///
/// Alternate rows are rotated by half a step, so that all triangles are congruent and material
/// coordinates keep every length. They start at the +x side.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Cylinder {
    /// Radius of the vertices.
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
            // Odd rows are shifted by half a step.
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

/// Rotation of a row of the tube, in steps.
fn shift(row: usize) -> f64 {
    if row % 2 == 1 { 0.5 } else { 0.0 }
}

/// A closed sphere, facing outward: a subdivided icosahedron.
///
/// In the material its twenty faces lie flat next to each other, with the total area of the sphere;
/// edges differ by up to 30 %.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Sphere {
    /// Radius of the vertices.
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
        // 20 n² equilateral triangles of this edge length have the sphere's area.
        let steps = (self.radius / edge * (0.8 * PI / 3f64.sqrt()).sqrt()).round().max(1.0);
        let sphere = Icosphere::new(steps as usize);
        let positions: Vec<Vec3> = sphere.directions().iter().map(|direction| direction * self.radius).collect();
        let triangles = sphere.triangles();
        let triangles_per_face = triangles.len() / FACES.len();
        let side = (0.8 * PI / 3f64.sqrt()).sqrt() * self.radius;
        let coordinates = (triangles.iter().enumerate())
            .map(|(number, corners)| {
                let face = number / triangles_per_face;
                let frame = Mat3::from_columns(&FACES[face].map(|corner| positions[corner]));
                corners.map(|corner| face_coordinates(&frame, &positions[corner as usize], face, side))
            })
            .collect();
        let mesh = TriMesh::from_parts(positions, triangles)?;
        let materials = vec![0; mesh.element_count()];
        Ok(SheetMesh::new(mesh, coordinates, materials, Vec::new()))
    }
}

/// Material coordinates of a point above a face, by its barycentric coordinates there.
fn face_coordinates(frame: &Mat3, point: &Vec3, face: usize, side: f64) -> [f64; 2] {
    // No face of the icosahedron lies in a plane through the centre.
    let weights = frame.lu().solve(point).unwrap_or(Vec3::repeat(1.0));
    let weights = weights / weights.sum();
    [side * (face as f64 + weights[1] + 0.5 * weights[2]), side * 0.75f64.sqrt() * weights[2]]
}

/// A spherical cap on its circular rim, facing outward.
///
/// Material coordinates keep lengths along every meridian.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Dome {
    /// Radius of the rim.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub radius: f64,
    /// Height above the rim; equal to the radius for a hemisphere.
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
                let distance = sphere * polar(ring);
                flat.push([distance * cos, distance * sin]);
            }
            first.push(positions.len() as u32);
        }
        let mut triangles = Vec::new();
        for ring in 1..=rings {
            triangulate_between_rings(&mut triangles, [ring - 1, ring].map(|ring| (first[ring], counts[ring], ring)));
        }
        let coordinates = triangles.iter().map(|corners| corners.map(|corner| flat[corner as usize])).collect();
        let mesh = TriMesh::from_parts(positions, triangles)?;
        let materials = vec![0; mesh.element_count()];
        Ok(SheetMesh::new(mesh, coordinates, materials, Vec::new()))
    }
}

/// Longitude of a ring's point (rad); odd rings are rotated by half a step.
fn longitude(step: usize, count: usize, ring: usize) -> f64 {
    TAU * (step as f64 + shift(ring)) / count as f64
}

/// Triangles between two rings (first vertex, count, number), by advancing on the ring whose next
/// segment's midpoint has the smaller longitude.
fn triangulate_between_rings(triangles: &mut Vec<[u32; 3]>, [inner, outer]: [(u32, usize, usize); 2]) {
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
