//! `shards.glb`: a node a body, under it a node a shard.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use craze_frame::{Bounds, Fault, Frame, Look, Welded};
use craze_math::{Vec3, convex_hull};
use serde_json::{Value, json};

use super::film::materials_of;
use super::shape::Shape;
use super::{Broken, Paint, Shard, ShardSummary};
use crate::document::{Document, Material, Sides, TRIANGLES, relative, sides_of};
use crate::labels::Labels;
use crate::looks::{Named, inside, sides};
use crate::normals::{Shaded, shade};
use crate::{ExportError, Format};

/// The bytes of the file, and what its shards are.
pub(super) fn encode(
    frame: &Frame,
    bodies: &[Broken],
    hull_vertices: usize,
) -> Result<(Vec<u8>, Vec<ShardSummary>), ExportError> {
    let mut document = Document::default();
    let Laid { roots, summaries, .. } = lay_out(&mut document, frame, bodies, hull_vertices);
    Ok((finish(document, frame, roots)?, summaries))
}

/// The shards of a frame in a document.
pub(super) struct Laid {
    /// Nodes of bodies.
    pub roots: Vec<usize>,
    /// Nodes of shards, body by body.
    pub nodes: Vec<usize>,
    pub summaries: Vec<ShardSummary>,
}

/// The file of a document.
pub(super) fn finish(document: Document, frame: &Frame, roots: Vec<usize>) -> Result<Vec<u8>, ExportError> {
    let scene = json!({ "nodes": roots, "extras": { "frame": frame.number, "time": frame.time } });
    document.finish(scene).map_err(|count| ExportError::TooLarge {
        frame: frame.number,
        count,
        what: "bytes of shards",
        format: Format::Glb,
    })
}

/// Puts all shards into a document.
pub(super) fn lay_out(document: &mut Document, frame: &Frame, bodies: &[Broken], hull_vertices: usize) -> Laid {
    let labels = Labels::of(frame);
    let (mut summaries, mut nodes) = (Vec::new(), Vec::new());
    let mut roots = Vec::new();
    for ((body, label), Broken { shards, paints }) in frame.bodies.iter().zip(&labels.bodies).zip(bodies) {
        if shards.is_empty() {
            continue;
        }
        let shows = sides_of(&body.surface);
        let outer = shards.iter().flat_map(|shard| outer_triangles(&shard.shape));
        let looks = sides(body, label, inside(body, paints, outer));
        let of_side = |side: &Named| document.material(&side.name, &side.look, shows);
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
            let faces = Faces { shape: &shard.shape, matters: &materials_of(body, shard), faults: &faults };
            children.push(node(document, &name, shard, &faces, &materials, &corner, hull_vertices));
            summaries.push(ShardSummary { name, volume: shard.volume, closed: shard.shape.closed, faults });
        }
        nodes.extend_from_slice(&children);
        let extras = json!({ "method": body.method, "materials": body.materials });
        roots.push(document.node(json!({ "name": label, "children": children, "extras": extras })));
    }
    Laid { roots, nodes, summaries }
}

/// Corner positions (m) and paint of the outer triangles of a shape.
fn outer_triangles(shape: &Shape) -> impl Iterator<Item = ([Vec3; 3], Option<u32>)> {
    let part = &shape.part;
    let outer = part.triangles.iter().enumerate().filter(|(triangle, _)| !part.crack[*triangle]);
    outer.map(|(triangle, corners)| {
        (corners.map(|corner| part.positions[corner as usize]), shape.look.materials.get(triangle).copied())
    })
}

/// Materials of a body's shards.
struct Materials {
    /// For each material of the body, that of an outside that the model has no material for, and that of crack faces.
    sides: Vec<[Material; 2]>,
    /// Those that came with the model, by number.
    paints: Vec<Material>,
}

impl Materials {
    fn of(&self, face: Face) -> &Material {
        let side = |matter: u32, side: usize| &self.sides[matter as usize % self.sides.len()][side];
        match face {
            Face::Crack(matter) => side(matter, 1),
            Face::Outside(paint, matter) => {
                paint.and_then(|number| self.paints.get(number as usize)).unwrap_or(side(matter, 0))
            }
        }
    }
}

/// The material of a paint; `plain` is how one looks that has neither colour nor picture.
pub(crate) fn material(document: &mut Document, paint: &Paint, plain: &Look, sides: Sides) -> Material {
    match (&paint.picture, paint.colour) {
        (None, None) => document.material(&paint.name, plain, sides),
        (None, Some(colour)) => document.painted(&paint.name, colour, sides),
        (Some(picture), colour) => {
            let material = document.painted(&paint.name, colour.unwrap_or([1.0; 4]), sides);
            document.with_picture(material, picture.media_type, &picture.bytes)
        }
    }
}

/// What a triangle of a shard shows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Face {
    /// The surface of the body, with the number of the model's material and of the body's.
    Outside(Option<u32>, u32),
    /// A face that a crack opened, with the number of the body's material.
    Crack(u32),
}

/// The triangles of a shard, and what is wrong with them.
struct Faces<'a> {
    shape: &'a Shape,
    /// Materials of the body, by triangle; empty where there is one.
    matters: &'a [u32],
    faults: &'a [Fault],
}

impl Faces<'_> {
    /// What a triangle shows.
    fn of(&self, triangle: usize) -> Face {
        let matter = self.matters.get(triangle).copied().unwrap_or(0);
        match self.shape.part.crack[triangle] {
            true => Face::Crack(matter),
            false => Face::Outside(self.shape.look.materials.get(triangle).copied(), matter),
        }
    }
}

/// A node with the shard's outside, material by material, and its crack faces.
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
        let side = side(faces, &shaded, shown, corner);
        let positions: Vec<[f32; 3]> =
            side.vertices.iter().map(|vertex| relative(&part.positions[vertex.place as usize], &origin)).collect();
        let normals: Vec<[f32; 3]> = side.vertices.iter().map(|vertex| vertex.normal).collect();
        let mut attributes = json!({ "POSITION": document.vectors(&positions), "NORMAL": document.vectors(&normals) });
        let texture: Option<Vec<[f32; 2]>> = side.vertices.iter().map(|vertex| vertex.texture).collect();
        if let Some(texture) = texture {
            attributes["TEXCOORD_0"] = json!(document.vectors(&texture));
        }
        let (indices, material) = (document.indices(&side.indices), document.used_material(materials.of(shown)));
        primitives.push(json!({
            "attributes": attributes, "indices": indices, "material": material, "mode": TRIANGLES,
        }));
    }
    document.mesh_node(name, origin, primitives, extras(shard, faces.faults, &origin, hull_vertices))
}

/// Where the node of a shape stands (m).
fn origin_of(shape: &Shape) -> [f32; 3] {
    shape.centre.map(|coordinate| coordinate as f32).into()
}

/// Faults of a shape with the positions that the file has, in single precision from the node on.
fn faults(shape: &Shape) -> Vec<Fault> {
    let origin = origin_of(shape);
    let written = |vertex: u32| {
        let position = relative(&shape.part.positions[vertex as usize], &origin);
        Vec3::from([0, 1, 2].map(|axis| f64::from(position[axis])))
    };
    let mut faults = Welded::new(&shape.part.triangles, written).faults();
    for fault in &mut faults {
        (0..3).for_each(|axis| fault.at[axis] += f64::from(origin[axis]));
    }
    faults
}

/// The triangles of an outside of one material or of the crack, with vertices of their own.
#[derive(Default)]
struct Side {
    vertices: Vec<Vertex>,
    indices: Vec<u32>,
}

/// A vertex of a side.
#[derive(Clone, Copy)]
struct Vertex {
    /// Vertex of the part.
    place: u32,
    normal: [f32; 3],
    /// Texture coordinates, (0, 0) at the upper left, as glTF has them.
    texture: Option<[f32; 2]>,
}

impl Vertex {
    /// The same for vertices that are one.
    fn key(&self) -> (u32, [u32; 3], Option<[u32; 2]>) {
        (self.place, self.normal.map(f32::to_bits), self.texture.map(|place| place.map(f32::to_bits)))
    }
}

/// The triangles of a shape that show the same. `origin` (m) is where the texture of cracks begins.
fn side(faces: &Faces<'_>, shaded: &Shaded, shown: Face, origin: &Vec3) -> Side {
    let mut side = Side::default();
    let mut known = BTreeMap::new();
    let Shape { part, look, .. } = faces.shape;
    let triangles = part.triangles.iter().enumerate().filter(|(triangle, _)| faces.of(*triangle) == shown);
    for (triangle, places) in triangles {
        let axis =
            matches!(shown, Face::Crack(_)).then(|| dominant_axis(places.map(|place| part.positions[place as usize])));
        for corner in 0..3 {
            let smooth = shaded.normals[shaded.triangles[triangle][corner] as usize];
            let own = look.normals.get(triangle).and_then(|normals| normals[corner]);
            let texture = match axis {
                Some(axis) => Some(texture_place(&(part.positions[places[corner] as usize] - origin), axis)),
                None => look.texture.get(triangle).map(|texture| [texture[corner][0], 1.0 - texture[corner][1]]),
            };
            let vertex = Vertex { place: places[corner], normal: own.unwrap_or(smooth), texture };
            let index = *known.entry(vertex.key()).or_insert_with(|| {
                side.vertices.push(vertex);
                side.vertices.len() as u32 - 1
            });
            side.indices.push(index);
        }
    }
    side
}

/// The axis that a triangle faces most. Both sides of a crack face give the same one, wherever they start and whichever way they go.
fn dominant_axis(mut corners: [Vec3; 3]) -> usize {
    corners.sort_by(|one, other| one.iter().partial_cmp(other.iter()).unwrap_or(Ordering::Equal));
    let [a, b, c] = corners;
    (b - a).cross(&(c - a)).iamax()
}

/// Texture coordinates (m) of a place in the rest shape, seen along an axis.
fn texture_place(place: &Vec3, axis: usize) -> [f32; 2] {
    [place[(axis + 1) % 3] as f32, place[(axis + 2) % 3] as f32]
}

/// What a game engine wants to know of a shard. Numbers that are not finite become `null`, JSON having no word for them.
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
