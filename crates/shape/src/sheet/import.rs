//! Sheets from the user's own surfaces.

use craze_math::{Vec3, triangle};
use craze_mesh::TriMesh;
use craze_spatial::TriangleTree;
use rayon::prelude::*;

use super::error::{MOST_TRIANGLES, check_length};
use super::lines::{Carried, Original};
use super::manifold::manifold;
use super::remesh::{Remeshed, measured, remesh};
use super::{SheetError, SheetMesh, triangle_count};
use crate::error::ShapeError;
use crate::import::Model;
use crate::repair::{Findings, repair};
use crate::surface::TriangleSurface;

/// How a surface becomes a sheet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SheetOptions {
    /// Edge length to remesh to (m).
    pub edge: f64,
    /// Neighbours that enclose more than this angle (rad) have a line between them that is kept; a line that turns by more
    /// has a corner there.
    pub feature_angle: f64,
}

impl SheetOptions {
    /// Edges of this length (m), and lines where triangles enclose 40° or more.
    pub fn new(edge: f64) -> Self {
        Self { edge, feature_angle: 40f64.to_radians() }
    }
}

/// What was done to a surface to make it a sheet.
#[derive(Clone, Debug, PartialEq)]
pub struct SheetReport {
    /// What was wrong with the triangles one by one.
    pub findings: Findings,
    /// Triangles without area, which were dropped.
    pub flat_triangles: usize,
    /// Triangles that were turned to agree with their neighbours.
    pub flipped_triangles: usize,
    /// Edges that three or more triangles shared: the straightest continuation stayed joined, the others let go.
    pub shared_edges: usize,
    /// Where the first of them is (m).
    pub first_shared_edge: Option<Vec3>,
    /// Edges at which a one-sided surface, such as a Möbius strip, was cut.
    pub one_sided_edges: usize,
    /// Where the first of them is (m).
    pub first_one_sided_edge: Option<Vec3>,
    /// Area of the surface before remeshing (m²).
    pub area_before: f64,
    /// Area of the sheet (m²).
    pub area: f64,
    /// Mean edge of the sheet (m).
    pub mean_edge: f64,
    /// Smallest angle in the sheet (rad).
    pub smallest_angle: f64,
    /// Largest distance found between the sheet and the surface, both ways (m).
    pub distance: f64,
}

impl SheetReport {
    /// What was wrong and what was done about it, a sentence each.
    pub fn remarks(&self) -> Vec<String> {
        let place =
            |at: Option<Vec3>| at.map_or(String::new(), |at| format!(" (first at {}, {}, {})", at.x, at.y, at.z));
        let counts = [
            (self.findings.merged_points, "points were joined with others in the same place".to_owned()),
            (
                self.findings.broken_triangles,
                "triangles with points that are no numbers or missing were dropped".to_owned(),
            ),
            (self.findings.duplicate_triangles, "triangles that repeat others were dropped".to_owned()),
            (self.flat_triangles, "triangles without area were dropped".to_owned()),
            (self.flipped_triangles, "triangles were flipped to agree with their neighbours".to_owned()),
            (
                self.shared_edges,
                format!(
                    "edges had three or more triangles: the straightest continuation stayed joined, the rest let go{}",
                    place(self.first_shared_edge)
                ),
            ),
            (
                self.one_sided_edges,
                format!(
                    "edges of a one-sided surface were cut, for a sheet has two sides{}",
                    place(self.first_one_sided_edge)
                ),
            ),
        ];
        let mut remarks: Vec<String> =
            counts.into_iter().filter(|(count, _)| *count > 0).map(|(count, text)| format!("{count} {text}")).collect();
        if self.distance > 0.25 * self.mean_edge {
            let distance = self.distance;
            remarks.push(format!(
                "details finer than the edge length were lost: up to {distance:.2e} m; take a shorter edge to keep them"
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

/// Makes a sheet of a model's surface: repairs it, and remeshes it to the asked edge length.
///
/// Points in the same place are joined, triangles that are none or repeat others dropped, neighbours turned to agree;
/// edges with three and more triangles and one-sided surfaces are parted (see [`SheetReport`]). The rim, lines where the
/// surface bends by more than the feature angle, borders of materials and seams of the texture are kept; their corners
/// stay in place. Materials and texture coordinates come along, the latter as material coordinates in the file's unit.
/// Without texture each triangle lies flat in the material by itself, with its true lengths, turned so that the first
/// direction is the one nearest to x, or to −z where the surface faces along x.
///
/// Refused, by name: no triangle with an area, an edge length that is none, needs more than ten million triangles or is
/// more than half the surface's size, data for another number of triangles.
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
    let sound = Sound::new(surface)?;
    check_edge(&sound.surface, options.edge)?;
    let parted = manifold(&sound.surface)?;
    let carried = sound.carried(&parted.turned, texture, materials);
    let original = Original::new(&parted.mesh, &carried, options.feature_angle, 3.0 * options.edge)?;
    let made = remesh(parted.mesh.clone(), &original, options.edge)?;
    let (mean_edge, smallest_angle) = measured(&made.mesh);
    let report = SheetReport {
        flat_triangles: sound.flat_triangles,
        flipped_triangles: (0..parted.turned.len()).filter(|&place| sound.is_turned(place, &parted.turned)).count(),
        findings: sound.findings,
        shared_edges: parted.shared_edges,
        first_shared_edge: parted.first_shared,
        one_sided_edges: parted.one_sided_edges,
        first_one_sided_edge: parted.first_one_sided,
        area_before: parted.mesh.total_measure(),
        area: made.mesh.total_measure(),
        mean_edge,
        smallest_angle,
        distance: distance(&parted.mesh, &made.mesh)?,
    };
    let mut material_of_patch = vec![0; original.patch_count()];
    for (&patch, &material) in original.patch_of.iter().zip(&carried.materials) {
        material_of_patch[patch as usize] = material;
    }
    let numbers = made.patch_of.iter().map(|&patch| material_of_patch[patch as usize]).collect();
    let coordinates = material_coordinates(&made, &original, &carried);
    let lines = made.inner_lines();
    Ok((SheetMesh::new(made.mesh, coordinates, numbers, lines), report))
}

/// The distinct triangles with an area of a surface.
struct Sound {
    surface: TriangleSurface,
    /// The input triangle that each was.
    sources: Vec<u32>,
    /// Whether each was turned already.
    turned: Vec<bool>,
    flat_triangles: usize,
    findings: Findings,
}

impl Sound {
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
            turned: kept.iter().map(|&t| repaired.flipped[t]).collect(),
            flat_triangles: all - kept.len(),
            findings: repaired.findings,
            surface: TriangleSurface {
                triangles: kept.iter().map(|&t| repaired.surface.triangles[t]).collect(),
                positions: repaired.surface.positions,
            },
        })
    }

    /// Whether a triangle was turned, by the repair or now, but not by both.
    fn is_turned(&self, place: usize, now: &[bool]) -> bool {
        self.turned[place] != now[place]
    }

    /// What the input says of each triangle, where it says anything.
    fn carried(&self, now: &[bool], texture: &[[[f32; 2]; 3]], materials: &[u32]) -> Carried {
        // Lengths have been checked: there is an entry for every source, or none at all.
        let corners = |place: usize| {
            let known = texture.get(self.sources[place] as usize)?;
            let order = if self.is_turned(place, now) { [0, 2, 1] } else { [0, 1, 2] };
            Some(order.map(|corner| known[corner].map(f64::from)))
        };
        Carried {
            texture: (0..self.sources.len()).filter_map(corners).collect(),
            materials: self.sources.iter().filter_map(|&source| materials.get(source as usize).copied()).collect(),
        }
    }
}

/// Refuses edge lengths that would take too many triangles or leave nothing of the surface.
fn check_edge(surface: &TriangleSurface, edge: f64) -> Result<(), SheetError> {
    let size = surface.bounds().size().norm();
    if edge > 0.5 * size {
        return Err(SheetError::TooCoarse { edge, size });
    }
    let count = triangle_count(surface.area(), edge) + size / edge;
    if count <= MOST_TRIANGLES { Ok(()) } else { Err(SheetError::TooFine { edge, count, limit: MOST_TRIANGLES }) }
}

/// The largest distance (m) of corners, edges' and triangles' middles of each mesh from the other.
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
        // A maximum does not depend on the order.
        Ok(from.elements().par_iter().map(samples).reduce(|| 0.0, f64::max).sqrt())
    };
    Ok(farthest(one, other)?.max(farthest(other, one)?))
}

/// Texture coordinates of the remeshed triangles' corners, or each triangle laid flat by itself.
fn material_coordinates(made: &Remeshed, original: &Original, carried: &Carried) -> Vec<[[f64; 2]; 3]> {
    let laid = |(triangle, corners): (usize, &[u32; 3])| {
        let nodes = corners.map(|corner| made.mesh.positions()[corner as usize]);
        let middle = triangle::centroid(&nodes);
        if carried.texture.is_empty() {
            return lay_flat(&nodes);
        }
        nodes.map(|node| {
            // A hair inside the triangle, so that a seam is seen from its side.
            let place = node + (middle - node) * 1e-6;
            let Some(closest) = original.on_patch(made.patch_of[triangle], &place, f64::INFINITY) else {
                return [0.0; 2];
            };
            let known = &carried.texture[closest.triangle as usize];
            [0, 1].map(|axis| (0..3).map(|corner| closest.barycentric[corner] * known[corner][axis]).sum())
        })
    };
    made.mesh.elements().par_iter().enumerate().map(laid).collect()
}

/// A triangle in its own plane, turned so that the first direction is the one nearest to x, or to −z where it faces along x.
fn lay_flat(nodes: &[Vec3; 3]) -> [[f64; 2]; 3] {
    let normal = triangle::normal(nodes).unwrap_or(Vec3::y());
    let guide = if normal.x.abs() > 0.9 { -Vec3::z() } else { Vec3::x() };
    let first = (guide - normal * guide.dot(&normal)).normalize();
    let second = normal.cross(&first);
    nodes.map(|node| [node.dot(&first), node.dot(&second)])
}
