//! glTF 2.0 in one binary file: a node a body, under it a node a piece with its volume and mass.

use std::collections::{BTreeMap, BTreeSet};

use craze_frame::{Bounds, Frame, ObstacleShape, Piece, is_closed};
use craze_math::Vec3;
use serde_json::{Value, json};

use crate::document::{Document, Material, POINTS, Sides, TRIANGLES, relative, sides_of};
use crate::labels::Labels;
use crate::normals::shade;
use crate::parts::{Cloud, Part, clouds, parts};
use crate::shards::material;
use crate::{Dressed, ExportError, Format, palette};

/// The bytes of the file.
pub(crate) fn encode(frame: &Frame, dressed: &[Option<Dressed<'_>>]) -> Result<Vec<u8>, ExportError> {
    let labels = Labels::of(frame);
    let mut document = Document::default();
    let mut roots = Vec::new();
    for (index, (body, label)) in frame.bodies.iter().zip(&labels.bodies).enumerate() {
        let sides = [
            document.material(label, palette::outside(index), sides_of(&body.surface)),
            document.material(&format!("{label}_crack"), palette::crack(index), sides_of(&body.surface)),
        ];
        let mut children = Vec::new();
        for part in parts(&body.surface) {
            let piece = body.pieces.get(part.piece as usize);
            let name = format!("{label}_piece_{}", part.piece);
            children.push(match &dressed[index] {
                None => document.part(&name, &part, piece, &sides),
                Some(dressed) => document.dressed_part(&name, &part, piece, &sides, dressed, index),
            });
        }
        // What has a surface is shown by it.
        let bare = body.particles.iter().filter(|_| body.surface.triangles.is_empty());
        for cloud in bare.flat_map(clouds) {
            let piece = body.pieces.get(cloud.piece as usize);
            let name = format!("{label}_particles_{}", cloud.piece);
            children.push(document.cloud(&name, &cloud, piece, &sides[0]));
        }
        let mut node = json!({ "name": label, "extras": { "method": body.method, "materials": body.materials } });
        if !children.is_empty() {
            node["children"] = json!(children);
        }
        roots.push(document.node(node));
    }
    for (obstacle, label) in frame.obstacles.iter().zip(&labels.obstacles) {
        if let ObstacleShape::Surface(surface) = &obstacle.shape {
            let material = document.material(label, palette::OBSTACLE, sides_of(surface));
            for part in parts(surface) {
                roots.push(document.part(label, &part, None, &[material.clone(), material.clone()]));
            }
        }
    }
    let scene_extras = json!({ "frame": frame.number, "time": frame.time });
    let mut scene = json!({ "extras": scene_extras });
    if !roots.is_empty() {
        scene["nodes"] = json!(roots);
    }
    document.finish(scene).map_err(|count| ExportError::TooLarge {
        frame: frame.number,
        count,
        what: "bytes",
        format: Format::Glb,
    })
}

impl Document {
    /// A node with the triangles of a part: those of the original surface and those that cracks opened apart, each with
    /// its material in `sides`.
    fn part(&mut self, name: &str, part: &Part, piece: Option<&Piece>, sides: &[Material; 2]) -> usize {
        let origin = node_origin(&part.positions, piece);
        let shaded = shade(part);
        let positions = shaded.sources.iter().map(|&source| relative(&part.positions[source as usize], &origin));
        let attributes = json!({
            "POSITION": self.vectors(&positions.collect::<Vec<_>>()),
            "NORMAL": self.vectors(&shaded.normals),
        });
        let mut primitives = Vec::new();
        for (side, material) in [false, true].into_iter().zip(sides) {
            let faces = shaded.triangles.iter().zip(&part.crack).filter(|(_, crack)| **crack == side);
            let indices: Vec<u32> = faces.flat_map(|(triangle, _)| *triangle).collect();
            if !indices.is_empty() {
                let (indices, material) = (self.indices(&indices), self.used_material(material));
                primitives.push(json!({
                    "attributes": attributes, "indices": indices, "material": material, "mode": TRIANGLES,
                }));
            }
        }
        let mut extras = piece_extras(part.piece, piece);
        extras["closed"] = json!(is_closed(&part.triangles));
        self.mesh_node(name, origin, primitives, extras)
    }

    /// A node with the triangles of a part that carry something: outsides by their materials, and those that cracks opened.
    fn dressed_part(
        &mut self,
        name: &str,
        part: &Part,
        piece: Option<&Piece>,
        sides: &[Material; 2],
        dressed: &Dressed<'_>,
        body: usize,
    ) -> usize {
        let origin = node_origin(&part.positions, piece);
        let shaded = shade(part);
        let worn = |triangle: usize| &dressed.worn[part.faces[triangle] as usize];
        let paints = dressed.model.usable_paints();
        // Cracks last.
        let shows = |triangle: usize| (part.crack[triangle], worn(triangle).material);
        let shown: BTreeSet<(bool, Option<u32>)> = (0..part.triangles.len()).map(shows).collect();
        let mut primitives = Vec::new();
        for look in shown {
            let mut side = Corners::default();
            for triangle in (0..part.triangles.len()).filter(|&triangle| shows(triangle) == look) {
                for corner in 0..3 {
                    let smooth = shaded.normals[shaded.triangles[triangle][corner] as usize];
                    let place = part.triangles[triangle][corner];
                    let normal = worn(triangle).normals[corner].unwrap_or(smooth);
                    side.add(place, normal, worn(triangle).texture.map(|texture| texture[corner]));
                }
            }
            let positions: Vec<[f32; 3]> =
                side.places.iter().map(|&place| relative(&part.positions[place as usize], &origin)).collect();
            let mut attributes = json!({ "POSITION": self.vectors(&positions), "NORMAL": self.vectors(&side.normals) });
            if side.texture.len() == positions.len() {
                attributes["TEXCOORD_0"] = json!(self.vectors(&side.texture));
            }
            let paint = look.1.filter(|_| !look.0).and_then(|number| paints.get(number as usize));
            let material = match paint {
                Some(paint) => material(self, paint, palette::outside(body), Sides::Outer),
                None => sides[usize::from(look.0)].clone(),
            };
            let (indices, material) = (self.indices(&side.indices), self.used_material(&material));
            primitives.push(json!({
                "attributes": attributes, "indices": indices, "material": material, "mode": TRIANGLES,
            }));
        }
        let mut extras = piece_extras(part.piece, piece);
        extras["closed"] = json!(is_closed(&part.triangles));
        self.mesh_node(name, origin, primitives, extras)
    }

    /// A node with particles as points.
    fn cloud(&mut self, name: &str, cloud: &Cloud, piece: Option<&Piece>, material: &Material) -> usize {
        let origin = node_origin(&cloud.positions, piece);
        let positions: Vec<[f32; 3]> = cloud.positions.iter().map(|position| relative(position, &origin)).collect();
        let (positions, material) = (self.vectors(&positions), self.used_material(material));
        let primitive = json!({ "attributes": { "POSITION": positions }, "material": material, "mode": POINTS });
        self.mesh_node(name, origin, vec![primitive], piece_extras(cloud.piece, piece))
    }
}

/// What tells corners apart: place, and the bits of normal and texture coordinates.
type Key = (u32, [u32; 3], Option<[u32; 2]>);

/// Corners of triangles, of which those that carry the same are one vertex.
#[derive(Default)]
struct Corners {
    known: BTreeMap<Key, u32>,
    places: Vec<u32>,
    normals: Vec<[f32; 3]>,
    /// (0, 0) at the upper left, as glTF has them; empty where there are none.
    texture: Vec<[f32; 2]>,
    indices: Vec<u32>,
}

impl Corners {
    fn add(&mut self, place: u32, normal: [f32; 3], texture: Option<[f32; 2]>) {
        let next = self.places.len() as u32;
        let key = (place, normal.map(f32::to_bits), texture.map(|texture| texture.map(f32::to_bits)));
        let index = *self.known.entry(key).or_insert(next);
        if index == next {
            self.places.push(place);
            self.normals.push(normal);
            self.texture.extend(texture.map(|[across, up]| [across, 1.0 - up]));
        }
        self.indices.push(index);
    }
}

/// Where a node stands: at the piece's centre of mass, the natural pivot. A centre of mass outside the box of the piece
/// was not kept up to date; then it is the middle of the box. Single precision, so that positions relative to it lose
/// nothing to the rounding of the translation.
fn node_origin(positions: &[Vec3], piece: Option<&Piece>) -> [f32; 3] {
    let Some(bounds) = Bounds::of(positions) else { return [0.0; 3] };
    let centre_of_mass = piece.map(|piece| piece.pose.position).filter(|centre| bounds.contains(centre));
    centre_of_mass.unwrap_or_else(|| bounds.low + 0.5 * bounds.size()).map(|coordinate| coordinate as f32).into()
}

/// What a game engine wants to know of a piece. Numbers that are not finite become `null`, JSON having no word for them.
fn piece_extras(index: u32, piece: Option<&Piece>) -> Value {
    match piece {
        Some(piece) => {
            json!({ "piece": index, "volume": piece.volume, "mass": piece.mass, "parent": piece.parent })
        }
        None => json!({}),
    }
}
