//! Sheets from imported surfaces.

use craze_math::{Vec3, triangle};
use craze_mesh::TriMesh;
use craze_spatial::TriangleTree;
use rayon::prelude::*;

use super::error::{MAX_TRIANGLES, check_length};
use super::lines::{Original, SourceAttributes};
use super::manifold::manifold;
use super::remesh::{Remeshed, mean_edge_and_smallest_angle, remesh};
use super::{SheetError, SheetMesh, triangle_count};
use crate::error::ShapeError;
use crate::import::Model;
use crate::repair::{Findings, repair};
use crate::surface::TriangleSurface;

/// Options for making a sheet of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SheetOptions {
    /// Target edge length (m).
    pub edge: f64,
    /// Angle (rad) between neighbours above which their edge is a feature line, and between
    /// segments of a line above which it has a corner.
    pub feature_angle: f64,
}

impl SheetOptions {
    /// This edge length (m) and a feature angle of 40°.
    pub fn new(edge: f64) -> Self {
        Self { edge, feature_angle: 40f64.to_radians() }
    }
}

/// How a surface was changed to become a sheet.
#[derive(Clone, Debug, PartialEq)]
pub struct SheetReport {
    /// Defects of the surface.
    pub findings: Findings,
    /// Dropped triangles without area.
    pub flat_triangles: usize,
    /// Triangles flipped to agree with their neighbours.
    pub flipped_triangles: usize,
    /// Edges of three or more triangles; only the straightest pairs stay connected.
    pub shared_edges: usize,
    /// Position of the first of them (m).
    pub first_shared_edge: Option<Vec3>,
    /// Edges at which a non-orientable surface, such as a Möbius strip, was cut.
    pub one_sided_edges: usize,
    /// Position of the first of them (m).
    pub first_one_sided_edge: Option<Vec3>,
    /// Area before remeshing (m²).
    pub area_before: f64,
    /// Area of the sheet (m²).
    pub area: f64,
    /// Mean edge length of the sheet (m).
    pub mean_edge: f64,
    /// Smallest angle in the sheet (rad).
    pub smallest_angle: f64,
    /// Largest sampled distance between sheet and surface, in both directions (m).
    pub distance: f64,
}

impl SheetReport {
    /// Messages about the defects and how they were handled.
    pub fn remarks(&self) -> Vec<String> {
        let index =
            |at: Option<Vec3>| at.map_or(String::new(), |at| format!(" (first at {}, {}, {})", at.x, at.y, at.z));
        let counts = [
            (self.findings.merged_points, "points were merged with coincident ones".to_owned()),
            (
                self.findings.broken_triangles,
                "triangles with missing, non-finite or far too large points were dropped".to_owned(),
            ),
            (self.findings.duplicate_triangles, "triangles that repeat others were dropped".to_owned()),
            (self.flat_triangles, "triangles without area were dropped".to_owned()),
            (self.flipped_triangles, "triangles were flipped to agree with their neighbours".to_owned()),
            (
                self.shared_edges,
                format!(
                    "edges had three or more triangles: the straightest pairs stay connected, the others were separated{}",
                    index(self.first_shared_edge)
                ),
            ),
            (
                self.one_sided_edges,
                format!("edges of a non-orientable surface were cut{}", index(self.first_one_sided_edge)),
            ),
        ];
        let mut remarks: Vec<String> =
            counts.into_iter().filter(|(count, _)| *count > 0).map(|(count, text)| format!("{count} {text}")).collect();
        if self.distance > 0.25 * self.mean_edge {
            let distance = self.distance;
            remarks.push(format!(
                "details finer than the edge length were lost: up to {distance:.2e} m; use a shorter edge to keep them"
            ));
        }
        remarks
    }
}

/// Makes a sheet of a surface without texture or materials; see [`sheet_from_model`].
pub fn sheet_from_surface(
    surface: &TriangleSurface,
    options: &SheetOptions,
) -> Result<(SheetMesh, SheetReport), SheetError> {
    make(surface, &[], &[], options)
}

/// Repairs a model's surface and remeshes it to the target edge length.
///
/// Edges of three or more triangles and non-orientable surfaces are cut (see [`SheetReport`]). The
/// rim, edges sharper than the feature angle, material borders and texture seams are kept; their
/// corners do not move. Materials are kept; texture coordinates become material coordinates in the
/// file's unit. Without texture each triangle is laid flat by itself with true lengths, its first
/// direction nearest to x, or to −z where the surface faces along x.
///
/// Fails if no triangle has an area, if the edge is invalid, needs more than ten million triangles
/// or exceeds half the surface's size, and if per-triangle data have the wrong length.
pub fn sheet_from_model(model: &Model, options: &SheetOptions) -> Result<(SheetMesh, SheetReport), SheetError> {
    make(&model.surface, &model.texture_coordinates, &model.material_of_triangle, options)
}

fn make(
    surface: &TriangleSurface,
    texture: &[[[f32; 2]; 3]],
    materials: &[u32],
    options: &SheetOptions,
) -> Result<(SheetMesh, SheetReport), SheetError> {
    check_length("edge", options.edge)?;
    if !(0.0..=std::f64::consts::PI).contains(&options.feature_angle) {
        let allowed = "between 0 and π rad".to_owned();
        return Err(SheetError::Misfit { field: "feature_angle", value: options.feature_angle, allowed });
    }
    let expected = surface.triangles.len();
    for (what, found) in [("texture coordinates", texture.len()), ("materials", materials.len())] {
        if found != 0 && found != expected {
            return Err(SheetError::Count { what, expected, found });
        }
    }
    let clean = CleanSurface::new(surface)?;
    check_edge(&clean.surface, options.edge)?;
    let manifold_mesh = manifold(&clean.surface)?;
    let attributes = clean.attributes(&manifold_mesh.flipped, texture, materials);
    let original = Original::new(&manifold_mesh.mesh, &attributes, options.feature_angle, 3.0 * options.edge)?;
    let made = remesh(manifold_mesh.mesh.clone(), &original, options.edge)?;
    let (mean_edge, smallest_angle) = mean_edge_and_smallest_angle(&made.mesh);
    let report = SheetReport {
        flat_triangles: clean.flat_triangles,
        flipped_triangles: (0..manifold_mesh.flipped.len())
            .filter(|&index| clean.is_flipped(index, &manifold_mesh.flipped))
            .count(),
        findings: clean.findings,
        shared_edges: manifold_mesh.shared_edges,
        first_shared_edge: manifold_mesh.first_shared,
        one_sided_edges: manifold_mesh.one_sided_edges,
        first_one_sided_edge: manifold_mesh.first_one_sided,
        area_before: manifold_mesh.mesh.total_measure(),
        area: made.mesh.total_measure(),
        mean_edge,
        smallest_angle,
        distance: distance(&manifold_mesh.mesh, &made.mesh)?,
    };
    let mut material_of_patch = vec![0; original.patch_count()];
    for (&patch, &material) in original.patch_of.iter().zip(&attributes.materials) {
        material_of_patch[patch as usize] = material;
    }
    let numbers = made.patch_of.iter().map(|&patch| material_of_patch[patch as usize]).collect();
    let coordinates = material_coordinates(&made, &original, &attributes);
    let lines = made.inner_lines();
    Ok((SheetMesh::new(made.mesh, coordinates, numbers, lines), report))
}

struct CleanSurface {
    surface: TriangleSurface,
    /// The input triangle of each.
    sources: Vec<u32>,
    /// Whether the repair flipped each.
    flipped: Vec<bool>,
    flat_triangles: usize,
    findings: Findings,
}

impl CleanSurface {
    fn new(surface: &TriangleSurface) -> Result<Self, SheetError> {
        let repaired = repair(surface)?;
        let has_area = |corners: &[u32; 3]| {
            let nodes = repaired.surface.corners(corners);
            let longest = (0..3).map(|k| (nodes[(k + 1) % 3] - nodes[k]).norm_squared()).fold(0.0, f64::max);
            triangle::area(&nodes) > 1e-12 * longest
        };
        let all = repaired.surface.triangles.len();
        let kept: Vec<usize> = (0..all).filter(|&t| has_area(&repaired.surface.triangles[t])).collect();
        if kept.is_empty() {
            return Err(SheetError::Empty { triangles: surface.triangles.len() });
        }
        Ok(Self {
            sources: kept.iter().map(|&t| repaired.source_triangles[t]).collect(),
            flipped: kept.iter().map(|&t| repaired.flipped[t]).collect(),
            flat_triangles: all - kept.len(),
            findings: repaired.findings,
            surface: TriangleSurface {
                triangles: kept.iter().map(|&t| repaired.surface.triangles[t]).collect(),
                positions: repaired.surface.positions,
            },
        })
    }

    /// Whether exactly one of repair and manifold step flipped a triangle.
    fn is_flipped(&self, index: usize, now: &[bool]) -> bool {
        self.flipped[index] != now[index]
    }

    fn attributes(&self, now: &[bool], texture: &[[[f32; 2]; 3]], materials: &[u32]) -> SourceAttributes {
        // Checked lengths: an entry for every source, or none.
        let corners = |index: usize| {
            let known = texture.get(self.sources[index] as usize)?;
            let order = if self.is_flipped(index, now) { [0, 2, 1] } else { [0, 1, 2] };
            Some(order.map(|corner| known[corner].map(f64::from)))
        };
        SourceAttributes {
            texture: (0..self.sources.len()).filter_map(corners).collect(),
            materials: self.sources.iter().filter_map(|&source| materials.get(source as usize).copied()).collect(),
        }
    }
}

fn check_edge(surface: &TriangleSurface, edge: f64) -> Result<(), SheetError> {
    let size = surface.bounds().size().norm();
    if edge > 0.5 * size {
        return Err(SheetError::TooCoarse { edge, size });
    }
    let count = triangle_count(surface.area(), edge) + size / edge;
    if count <= MAX_TRIANGLES { Ok(()) } else { Err(SheetError::TooFine { edge, count, limit: MAX_TRIANGLES }) }
}

/// The largest distance (m) between the meshes, sampled at corners, edge midpoints and centroids.
fn distance(one: &TriMesh, other: &TriMesh) -> Result<f64, SheetError> {
    let farthest = |from: &TriMesh, to: &TriMesh| -> Result<f64, SheetError> {
        let tree = TriangleTree::new(to.positions(), to.elements()).map_err(ShapeError::from)?;
        let far = |point: Vec3| tree.closest(&point).map_or(0.0, |closest| closest.distance_squared);
        let samples = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|corner| from.positions()[corner as usize]);
            [a, b, c, (a + b) * 0.5, (b + c) * 0.5, (c + a) * 0.5, (a + b + c) / 3.0]
                .map(far)
                .into_iter()
                .fold(0.0, f64::max)
        };
        Ok(from.elements().par_iter().map(samples).reduce(|| 0.0, f64::max).sqrt())
    };
    Ok(farthest(one, other)?.max(farthest(other, one)?))
}

/// Interpolated texture coordinates of the corners, or each triangle laid flat.
fn material_coordinates(made: &Remeshed, original: &Original, attributes: &SourceAttributes) -> Vec<[[f64; 2]; 3]> {
    let corner_coordinates = |(triangle, corners): (usize, &[u32; 3])| {
        let nodes = corners.map(|corner| made.mesh.positions()[corner as usize]);
        let middle = triangle::centroid(&nodes);
        if attributes.texture.is_empty() {
            return lay_flat(&nodes);
        }
        nodes.map(|node| {
            // Slightly inside the triangle, for the right side of a seam.
            let index = node + (middle - node) * 1e-6;
            let Some(closest) = original.closest_on_patch(made.patch_of[triangle], &index, f64::INFINITY) else {
                return [0.0; 2];
            };
            let known = &attributes.texture[closest.triangle as usize];
            [0, 1].map(|axis| (0..3).map(|corner| closest.barycentric[corner] * known[corner][axis]).sum())
        })
    };
    made.mesh.elements().par_iter().enumerate().map(corner_coordinates).collect()
}

/// A triangle in its own plane; the first axis is nearest to x, or to −z if it faces along x.
fn lay_flat(nodes: &[Vec3; 3]) -> [[f64; 2]; 3] {
    let normal = triangle::normal(nodes).unwrap_or(Vec3::y());
    let guide = if normal.x.abs() > 0.9 { -Vec3::z() } else { Vec3::x() };
    let first = (guide - normal * guide.dot(&normal)).normalize();
    let second = normal.cross(&first);
    nodes.map(|node| [node.dot(&first), node.dot(&second)])
}
