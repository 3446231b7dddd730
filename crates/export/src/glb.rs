//! glTF 2.0 in one binary file: a node a body, under it a node a piece with its volume and mass.

use std::collections::{BTreeMap, BTreeSet};

use craze_frame::{Bounds, Frame, Look, ObstacleShape, Piece, is_closed};
use craze_math::Vec3;
use serde_json::{Value, json};

use crate::document::{Document, Material, POINTS, Sides, TRIANGLES, relative, sides_of};
use crate::labels::Labels;
use crate::looks::{Named, inside, matter_of, sides};
use crate::normals::shade;
use crate::parts::{Cloud, Part, clouds, parts};
use crate::shards::material;
use crate::{Dressed, ExportError, Format};

/// The bytes of the file.
pub(crate) fn encode(frame: &Frame, dressed: &[Option<Dressed<'_>>]) -> Result<Vec<u8>, ExportError> {
    let labels = Labels::of(frame);
    let mut document = Document::default();
    let mut roots = Vec::new();
    for (index, (body, label)) in frame.bodies.iter().zip(&labels.bodies).enumerate() {
        let shown = |triangle: &usize| !body.surface.is_crack(*triangle);
        let inside = match &dressed[index] {
            None => body.looks()[0],
            Some(dressed) => {
                let outer = (0..body.surface.triangles.len()).filter(shown);
                let corners = |triangle: usize| {
                    body.surface.triangles[triangle].map(|vertex| body.surface.positions[vertex as usize])
                };
                let outer = outer.map(|triangle| (corners(triangle), dressed.worn[triangle].material));
                inside(body, &dressed.model.usable_paints(), outer)
            }
        };
        let looks = sides(body, label, inside);
        let shows = sides_of(&body.surface);
        let materials =
            |sides: &[Named; 2]| [&sides[0], &sides[1]].map(|side| document.material(&side.name, &side.look, shows));
        let matters = Matters {
            sides: looks.iter().map(materials).collect(),
            of: &matter_of(&body.surface, looks.len()),
            look: looks[0][0].look,
        };
        let mut children = Vec::new();
        for part in parts(&body.surface) {
            let piece = body.pieces.get(part.piece as usize);
            let name = format!("{label}_piece_{}", part.piece);
            children.push(match &dressed[index] {
                None => document.part(&name, &part, piece, &matters),
                Some(dressed) => document.dressed_part(&name, &part, piece, &matters, dressed),
            });
        }
        // What has a surface is shown by it.
        let bare = body.particles.iter().filter(|_| body.surface.triangles.is_empty());
        for cloud in bare.flat_map(clouds) {
            let piece = body.pieces.get(cloud.piece as usize);
            let name = format!("{label}_particles_{}", cloud.piece);
            children.push(document.cloud(&name, &cloud, piece, &matters.sides[0][0]));
        }
        let mut node = json!({ "name": label, "extras": { "method": body.method, "materials": body.materials } });
        if !children.is_empty() {
            node["children"] = json!(children);
        }
        roots.push(document.node(node));
    }
    for (obstacle, label) in frame.obstacles.iter().zip(&labels.obstacles) {
        if let ObstacleShape::Surface(surface) = &obstacle.shape {
            let look = Look::obstacle();
            let material = document.material(label, &look, sides_of(surface));
            let matters = Matters { sides: vec![[material.clone(), material]], of: &|_| 0, look };
            for part in parts(surface) {
                roots.push(document.part(label, &part, None, &matters));
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

/// What the faces of a body are made of.
struct Matters<'a> {
    /// For each material of the body, that of its outside and that of its crack faces.
    sides: Vec<[Material; 2]>,
    /// The body's material of each triangle of its surface.
    of: &'a dyn Fn(usize) -> usize,
    /// How the outside of the first looks.
    look: Look,
}

impl Matters<'_> {
    /// Whether a crack opened a triangle of a part, and what it is made of.
    fn side(&self, part: &Part, triangle: usize) -> (bool, usize) {
        (part.crack[triangle], part.faces.get(triangle).map_or(0, |&face| (self.of)(face as usize)))
    }

    fn material(&self, (is_crack, matter): (bool, usize)) -> &Material {
        &self.sides[matter][usize::from(is_crack)]
    }
}

impl Document {
    /// A node with the triangles of a part: those of the original surface and those that cracks opened apart, each with
    /// its material.
    fn part(&mut self, name: &str, part: &Part, piece: Option<&Piece>, matters: &Matters<'_>) -> usize {
        let origin = node_origin(&part.positions, piece);
        let shaded = shade(part);
        let positions = shaded.sources.iter().map(|&source| relative(&part.positions[source as usize], &origin));
        let attributes = json!({
            "POSITION": self.vectors(&positions.collect::<Vec<_>>()),
            "NORMAL": self.vectors(&shaded.normals),
        });
        let mut primitives = Vec::new();
        let mut faces: BTreeMap<(bool, usize), Vec<u32>> = BTreeMap::new();
        for (number, triangle) in shaded.triangles.iter().enumerate() {
            faces.entry(matters.side(part, number)).or_default().extend(triangle);
        }
        for (side, indices) in faces {
            let (indices, material) = (self.indices(&indices), self.used_material(matters.material(side)));
            primitives.push(json!({
                "attributes": attributes, "indices": indices, "material": material, "mode": TRIANGLES,
            }));
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
        matters: &Matters<'_>,
        dressed: &Dressed<'_>,
    ) -> usize {
        let origin = node_origin(&part.positions, piece);
        let shaded = shade(part);
        let worn = |triangle: usize| &dressed.worn[part.faces[triangle] as usize];
        let paints = dressed.model.usable_paints();
        // Cracks last.
        let shows = |triangle: usize| (matters.side(part, triangle), worn(triangle).material);
        let shown: BTreeSet<((bool, usize), Option<u32>)> = (0..part.triangles.len()).map(shows).collect();
        let mut primitives = Vec::new();
        for look in shown {
            let mut corners = CornerAttributes::default();
            for triangle in (0..part.triangles.len()).filter(|&triangle| shows(triangle) == look) {
                for corner in 0..3 {
                    let smooth = shaded.normals[shaded.triangles[triangle][corner] as usize];
                    let place = part.triangles[triangle][corner];
                    let normal = worn(triangle).normals[corner].unwrap_or(smooth);
                    corners.add(place, normal, worn(triangle).texture.map(|texture| texture[corner]));
                }
            }
            let positions: Vec<[f32; 3]> =
                corners.places.iter().map(|&place| relative(&part.positions[place as usize], &origin)).collect();
            let mut attributes =
                json!({ "POSITION": self.vectors(&positions), "NORMAL": self.vectors(&corners.normals) });
            if corners.texture.len() == positions.len() {
                attributes["TEXCOORD_0"] = json!(self.vectors(&corners.texture));
            }
            let (side, paint) = look;
            let paint = paint.filter(|_| !side.0).and_then(|number| paints.get(number as usize));
            let material = match paint {
                Some(paint) => material(self, paint, &matters.look, Sides::Outer),
                None => matters.material(side).clone(),
            };
            let (indices, material) = (self.indices(&corners.indices), self.used_material(&material));
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
struct CornerAttributes {
    known: BTreeMap<Key, u32>,
    places: Vec<u32>,
    normals: Vec<[f32; 3]>,
    /// (0, 0) at the upper left, as glTF has them; empty where there are none.
    texture: Vec<[f32; 2]>,
    indices: Vec<u32>,
}

impl CornerAttributes {
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
