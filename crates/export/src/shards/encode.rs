//! `shards.glb`: a node per body, below it a node per shard.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use craze_frame::{Bounds, Fault, Frame, Look, WeldedSurface};
use craze_math::{Vec3, convex_hull};
use serde_json::{Value, json};

use super::sequence::materials_of;
use super::shape::Shape;
use super::{BodyShards, Paint, Shard, ShardSummary};
use crate::document::{Document, Material, Sides, TRIANGLES, relative, sides_of};
use crate::labels::Labels;
use crate::looks::{NamedMaterial, sides};
use crate::normals::{Shaded, shade};
use crate::{ExportError, Format};

/// Encodes the file and summarises its shards.
pub(super) fn encode(
    frame: &Frame,
    bodies: &[BodyShards],
    hull_vertices: usize,
) -> Result<(Vec<u8>, Vec<ShardSummary>), ExportError> {
    let mut document = Document::default();
    let Layout { roots, summaries, .. } = lay_out(&mut document, frame, bodies, hull_vertices);
    Ok((finish(document, frame, roots)?, summaries))
}

/// Nodes of the shards of a frame.
pub(super) struct Layout {
    pub roots: Vec<usize>,
    /// Nodes of shards, body by body.
    pub nodes: Vec<usize>,
    pub summaries: Vec<ShardSummary>,
}

pub(super) fn finish(document: Document, frame: &Frame, roots: Vec<usize>) -> Result<Vec<u8>, ExportError> {
    let scene = json!({ "nodes": roots, "extras": { "frame": frame.number, "time": frame.time } });
    document.finish(scene).map_err(|count| ExportError::TooLarge {
        frame: frame.number,
        count,
        what: "bytes of shards",
        format: Format::Glb,
    })
}

pub(super) fn lay_out(document: &mut Document, frame: &Frame, bodies: &[BodyShards], hull_vertices: usize) -> Layout {
    let labels = Labels::new(frame);
    let (mut summaries, mut nodes) = (Vec::new(), Vec::new());
    let mut roots = Vec::new();
    for ((body, label), BodyShards { shards, paints, inside }) in frame.bodies.iter().zip(&labels.bodies).zip(bodies) {
        if shards.is_empty() {
            continue;
        }
        let shows = sides_of(&body.surface);
        let looks = sides(body, label, inside.look(body));
        let of_side = |primitive: &NamedMaterial| document.material(&primitive.name, &primitive.look, shows);
        let sides = looks.iter().map(|[outside, crack]| [of_side(outside), of_side(crack)]).collect();
        let plain = looks[0][0].look;
        let paints = paints.iter().map(|paint| material(document, paint, &plain, shows)).collect();
        let materials = Materials { sides, paints };
        let corner = Bounds::of(shards.iter().flat_map(|shard| &shard.shape.part.positions));
        let corner = corner.map_or_else(Vec3::zeros, |bounds| bounds.low);
        let mut children = Vec::new();
        for shard in shards {
            let name = format!("{label}-shard-{}", shard.id);
            let faults = faults(&shard.shape);
            let faces = Faces { shape: &shard.shape, materials: &materials_of(body, shard), faults: &faults };
            children.push(node(document, &name, shard, &faces, &materials, &corner, hull_vertices));
            summaries.push(ShardSummary { name, volume: shard.volume, closed: shard.shape.closed, faults });
        }
        nodes.extend_from_slice(&children);
        let extras = json!({ "method": body.method, "materials": body.materials });
        roots.push(document.node(json!({ "name": label, "children": children, "extras": extras })));
    }
    Layout { roots, nodes, summaries }
}

struct Materials {
    /// For each material of the body, that of outsides without a model material and that of crack
    /// faces.
    sides: Vec<[Material; 2]>,
    /// The model's materials by index.
    paints: Vec<Material>,
}

impl Materials {
    fn of(&self, face: Face) -> &Material {
        let side = |material: u32, side: usize| &self.sides[material as usize % self.sides.len()][side];
        match face {
            Face::Crack(material) => side(material, 1),
            Face::Outside(paint, material) => {
                paint.and_then(|number| self.paints.get(number as usize)).unwrap_or(side(material, 0))
            }
        }
    }
}

/// Material of a paint; `plain` is the look without colour and picture.
pub(crate) fn material(document: &mut Document, paint: &Paint, plain: &Look, sides: Sides) -> Material {
    match (&paint.picture, paint.colour) {
        (None, None) => document.material(&paint.name, plain, sides),
        (None, Some(colour)) => document.colored(&paint.name, colour, sides),
        (Some(picture), colour) => {
            let material = document.colored(&paint.name, colour.unwrap_or([1.0; 4]), sides);
            document.with_picture(material, picture.media_type, &picture.bytes)
        }
    }
}

/// Kind of a shard's triangle; a primitive holds one kind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Face {
    /// Outside, with the model's and the body's material index.
    Outside(Option<u32>, u32),
    /// Crack face, with the body's material index.
    Crack(u32),
}

/// Triangles of a shard, and their faults.
struct Faces<'a> {
    shape: &'a Shape,
    /// The body's material by triangle; empty if there is one.
    materials: &'a [u32],
    faults: &'a [Fault],
}

impl Faces<'_> {
    fn of(&self, triangle: usize) -> Face {
        let material = self.materials.get(triangle).copied().unwrap_or(0);
        match self.shape.part.crack[triangle] {
            true => Face::Crack(material),
            false => Face::Outside(self.shape.attributes.materials.get(triangle).copied(), material),
        }
    }
}

/// Adds a shard's node: a primitive per material of its outside, and its crack faces.
fn node(
    document: &mut Document,
    name: &str,
    shard: &Shard,
    faces: &Faces<'_>,
    materials: &Materials,
    corner: &Vec3,
    hull_vertices: usize,
) -> usize {
    let part = &shard.shape.part;
    let origin = origin_of(&shard.shape);
    let shaded = shade(part);
    let mut primitives = Vec::new();
    let all: BTreeSet<Face> = (0..part.triangles.len()).map(|triangle| faces.of(triangle)).collect();
    for shown in all {
        let primitive = primitive(faces, &shaded, shown, corner);
        let positions: Vec<[f32; 3]> = primitive
            .vertices
            .iter()
            .map(|vertex| relative(&part.positions[vertex.part_vertex as usize], &origin))
            .collect();
        let normals: Vec<[f32; 3]> = primitive.vertices.iter().map(|vertex| vertex.normal).collect();
        let mut attributes = json!({ "POSITION": document.vectors(&positions), "NORMAL": document.vectors(&normals) });
        let texture: Option<Vec<[f32; 2]>> = primitive.vertices.iter().map(|vertex| vertex.texture).collect();
        if let Some(texture) = texture {
            attributes["TEXCOORD_0"] = json!(document.vectors(&texture));
        }
        let (indices, material) = (document.indices(&primitive.indices), document.used_material(materials.of(shown)));
        primitives.push(json!({
            "attributes": attributes, "indices": indices, "material": material, "mode": TRIANGLES,
        }));
    }
    document.mesh_node(name, origin, primitives, extras(shard, faces.faults, &origin, hull_vertices))
}

/// Position of a shape's node (m).
fn origin_of(shape: &Shape) -> [f32; 3] {
    shape.centre.map(|coordinate| coordinate as f32).into()
}

/// Faults of a shape at the positions of the file, which are in single precision relative to the
/// node.
fn faults(shape: &Shape) -> Vec<Fault> {
    let origin = origin_of(shape);
    let written = |vertex: u32| {
        let position = relative(&shape.part.positions[vertex as usize], &origin);
        Vec3::from([0, 1, 2].map(|axis| f64::from(position[axis])))
    };
    let mut faults = WeldedSurface::new(&shape.part.triangles, written).faults();
    for fault in &mut faults {
        (0..3).for_each(|axis| fault.at[axis] += f64::from(origin[axis]));
    }
    faults
}

/// Triangles of one kind with their own vertices.
#[derive(Default)]
struct Primitive {
    vertices: Vec<Vertex>,
    indices: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Vertex {
    part_vertex: u32,
    normal: [f32; 3],
    /// Texture coordinates, (0, 0) at the upper left as in glTF.
    texture: Option<[f32; 2]>,
}

impl Vertex {
    /// Equal for vertices that can be shared.
    fn key(&self) -> (u32, [u32; 3], Option<[u32; 2]>) {
        (self.part_vertex, self.normal.map(f32::to_bits), self.texture.map(|uv| uv.map(f32::to_bits)))
    }
}

/// Collects the triangles of one kind. `origin` (m) is the origin of the crack faces' texture
/// coordinates.
fn primitive(faces: &Faces<'_>, shaded: &Shaded, shown: Face, origin: &Vec3) -> Primitive {
    let mut primitive = Primitive::default();
    let mut known = BTreeMap::new();
    let Shape { part, attributes, .. } = faces.shape;
    let triangles = part.triangles.iter().enumerate().filter(|(triangle, _)| faces.of(*triangle) == shown);
    for (triangle, vertices) in triangles {
        let axis = matches!(shown, Face::Crack(_))
            .then(|| dominant_axis(vertices.map(|vertex| part.positions[vertex as usize])));
        for corner in 0..3 {
            let smooth = shaded.normals[shaded.triangles[triangle][corner] as usize];
            let own = attributes.normals.get(triangle).and_then(|normals| normals[corner]);
            let texture = match axis {
                Some(axis) => Some(texture_coordinates(&(part.positions[vertices[corner] as usize] - origin), axis)),
                None => attributes.texture.get(triangle).map(|texture| [texture[corner][0], 1.0 - texture[corner][1]]),
            };
            let vertex = Vertex { part_vertex: vertices[corner], normal: own.unwrap_or(smooth), texture };
            let index = *known.entry(vertex.key()).or_insert_with(|| {
                primitive.vertices.push(vertex);
                primitive.vertices.len() as u32 - 1
            });
            primitive.indices.push(index);
        }
    }
    primitive
}

/// Largest component of a triangle's normal. Sorting the corners makes both sides of a crack face
/// agree.
fn dominant_axis(mut corners: [Vec3; 3]) -> usize {
    corners.sort_by(|one, other| one.iter().partial_cmp(other.iter()).unwrap_or(Ordering::Equal));
    let [a, b, c] = corners;
    (b - a).cross(&(c - a)).iamax()
}

/// Texture coordinates (m) of a rest position, projected along an axis.
fn texture_coordinates(position: &Vec3, axis: usize) -> [f32; 2] {
    [position[(axis + 1) % 3] as f32, position[(axis + 2) % 3] as f32]
}

/// Extras for game engines. Numbers that are not finite become `null`, since JSON cannot hold them.
fn extras(shard: &Shard, faults: &[Fault], origin: &[f32; 3], hull_vertices: usize) -> Value {
    let neighbours: Vec<Value> = shard.neighbours.iter().map(|(id, area)| json!({ "id": id, "area": area })).collect();
    let mut extras = json!({
        "id": shard.id,
        "parent": shard.parent,
        "volume": shard.volume,
        "mass": shard.mass,
        "centre_of_mass": shard.shape.centre.as_slice(),
        "closed": shard.shape.closed,
        "neighbours": neighbours,
    });
    if !faults.is_empty() {
        extras["faults"] = json!(faults);
    }
    if !shard.merged.is_empty() {
        extras["merged"] = json!(shard.merged);
    }
    let positions = &shard.shape.part.positions;
    if let Some(hull) = convex_hull(positions, hull_vertices) {
        let points: Vec<[f32; 3]> =
            hull.vertices.iter().map(|&vertex| relative(&positions[vertex as usize], origin)).collect();
        extras["hull"] = json!({ "points": points, "beyond": hull.beyond });
    }
    extras
}
