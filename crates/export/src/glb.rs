//! Frames as binary glTF 2.0: a node per body, below it a node per piece with volume and mass.

use std::collections::{BTreeMap, BTreeSet};

use craze_frame::{Bounds, Frame, Look, ObstacleShape, Piece, is_closed};
use craze_math::Vec3;
use serde_json::{Value, json};

use crate::document::{Document, Material, POINTS, Sides, TRIANGLES, relative, sides_of};
use crate::labels::Labels;
use crate::looks::{Inside, NamedMaterial, material_of, sides};
use crate::normals::shade;
use crate::parts::{Cloud, Part, clouds, parts};
use crate::shards::material;
use crate::{ExportError, Format, TransferredAttributes};

pub(crate) fn encode(
    frame: &Frame,
    transferred_attributes: &[Option<TransferredAttributes>],
) -> Result<Vec<u8>, ExportError> {
    let labels = Labels::new(frame);
    let mut document = Document::default();
    let mut roots = Vec::new();
    for (index, (body, label)) in frame.bodies.iter().zip(&labels.bodies).enumerate() {
        let inside =
            transferred_attributes[index].as_ref().map_or(Inside::AsBody, |transferred| transferred.inside).look(body);
        let looks = sides(body, label, inside);
        let shows = sides_of(&body.surface);
        let materials = |sides: &[NamedMaterial; 2]| {
            [&sides[0], &sides[1]].map(|side| document.material(&side.name, &side.look, shows))
        };
        let face_materials = FaceMaterials {
            sides: looks.iter().map(materials).collect(),
            of: &material_of(&body.surface, looks.len()),
            look: looks[0][0].look,
            shows,
        };
        let mut children = Vec::new();
        for part in parts(&body.surface) {
            let piece = body.pieces.get(part.piece as usize);
            let name = format!("{label}_piece_{}", part.piece);
            children.push(match &transferred_attributes[index] {
                None => document.part(&name, &part, piece, &face_materials),
                Some(transferred) => document.part_with_attributes(&name, &part, piece, &face_materials, transferred),
            });
        }
        // Particles are shown only if there is no surface.
        let bare = body.particles.iter().filter(|_| body.surface.triangles.is_empty());
        for cloud in bare.flat_map(clouds) {
            let piece = body.pieces.get(cloud.piece as usize);
            let name = format!("{label}_particles_{}", cloud.piece);
            children.push(document.cloud(&name, &cloud, piece, &face_materials.sides[0][0]));
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
            let sides = vec![[material.clone(), material]];
            let face_materials = FaceMaterials { sides, of: &|_| 0, look, shows: sides_of(surface) };
            for part in parts(surface) {
                roots.push(document.part(label, &part, None, &face_materials));
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

/// Materials of a body's faces.
struct FaceMaterials<'a> {
    /// For each material of the body, those of outside and crack faces.
    sides: Vec<[Material; 2]>,
    /// The body's material of each triangle.
    of: &'a dyn Fn(usize) -> usize,
    /// Look of the outside of the first material.
    look: Look,
    /// Sides that are visible.
    shows: Sides,
}

impl FaceMaterials<'_> {
    /// Whether a triangle of a part is a crack face, and its material.
    fn side(&self, part: &Part, triangle: usize) -> (bool, usize) {
        (part.crack[triangle], part.faces.get(triangle).map_or(0, |&face| (self.of)(face as usize)))
    }

    fn material(&self, (is_crack, material_index): (bool, usize)) -> &Material {
        &self.sides[material_index][usize::from(is_crack)]
    }
}

impl Document {
    /// Node with the triangles of a part: a primitive per material, outside and crack faces apart.
    fn part(&mut self, name: &str, part: &Part, piece: Option<&Piece>, face_materials: &FaceMaterials<'_>) -> usize {
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
            faces.entry(face_materials.side(part, number)).or_default().extend(triangle);
        }
        for (side, indices) in faces {
            let (indices, material) = (self.indices(&indices), self.used_material(face_materials.material(side)));
            primitives.push(json!({
                "attributes": attributes, "indices": indices, "material": material, "mode": TRIANGLES,
            }));
        }
        let mut extras = piece_extras(part.piece, piece);
        extras["closed"] = json!(is_closed(&part.triangles));
        self.mesh_node(name, origin, primitives, extras)
    }

    /// Like [`part`](Self::part), with attributes transferred from a model.
    fn part_with_attributes(
        &mut self,
        name: &str,
        part: &Part,
        piece: Option<&Piece>,
        face_materials: &FaceMaterials<'_>,
        transferred: &TransferredAttributes,
    ) -> usize {
        let origin = node_origin(&part.positions, piece);
        let shaded = shade(part);
        let attributes_of = |triangle: usize| &transferred.triangles[part.faces[triangle] as usize];
        let paints = &transferred.paints;
        // Ordered with crack faces last.
        let shows = |triangle: usize| (face_materials.side(part, triangle), attributes_of(triangle).material);
        let shown: BTreeSet<((bool, usize), Option<u32>)> = (0..part.triangles.len()).map(shows).collect();
        let mut primitives = Vec::new();
        for look in shown {
            let mut buffer = VertexBuffer::default();
            for triangle in (0..part.triangles.len()).filter(|&triangle| shows(triangle) == look) {
                for corner in 0..3 {
                    let smooth = shaded.normals[shaded.triangles[triangle][corner] as usize];
                    let vertex = part.triangles[triangle][corner];
                    let normal = attributes_of(triangle).normals[corner].unwrap_or(smooth);
                    buffer.add(vertex, normal, attributes_of(triangle).texture.map(|texture| texture[corner]));
                }
            }
            let positions: Vec<[f32; 3]> = buffer
                .part_vertices
                .iter()
                .map(|&vertex| relative(&part.positions[vertex as usize], &origin))
                .collect();
            let mut attributes =
                json!({ "POSITION": self.vectors(&positions), "NORMAL": self.vectors(&buffer.normals) });
            if buffer.texture.len() == positions.len() {
                attributes["TEXCOORD_0"] = json!(self.vectors(&buffer.texture));
            }
            let (side, paint) = look;
            let paint = paint.filter(|_| !side.0).and_then(|number| paints.get(number as usize));
            let material = match paint {
                Some(paint) => material(self, paint, &face_materials.look, face_materials.shows),
                None => face_materials.material(side).clone(),
            };
            let (indices, material) = (self.indices(&buffer.indices), self.used_material(&material));
            primitives.push(json!({
                "attributes": attributes, "indices": indices, "material": material, "mode": TRIANGLES,
            }));
        }
        let mut extras = piece_extras(part.piece, piece);
        extras["closed"] = json!(is_closed(&part.triangles));
        self.mesh_node(name, origin, primitives, extras)
    }

    fn cloud(&mut self, name: &str, cloud: &Cloud, piece: Option<&Piece>, material: &Material) -> usize {
        let origin = node_origin(&cloud.positions, piece);
        let positions: Vec<[f32; 3]> = cloud.positions.iter().map(|position| relative(position, &origin)).collect();
        let (positions, material) = (self.vectors(&positions), self.used_material(material));
        let primitive = json!({ "attributes": { "POSITION": positions }, "material": material, "mode": POINTS });
        self.mesh_node(name, origin, vec![primitive], piece_extras(cloud.piece, piece))
    }
}

/// Identity of a corner: vertex, and bits of normal and texture coordinates.
type Key = (u32, [u32; 3], Option<[u32; 2]>);

/// Corners of triangles; equal ones share a vertex.
#[derive(Default)]
struct VertexBuffer {
    known: BTreeMap<Key, u32>,
    part_vertices: Vec<u32>,
    normals: Vec<[f32; 3]>,
    /// (0, 0) at the upper left as in glTF; empty if absent.
    texture: Vec<[f32; 2]>,
    indices: Vec<u32>,
}

impl VertexBuffer {
    fn add(&mut self, vertex: u32, normal: [f32; 3], texture: Option<[f32; 2]>) {
        let next = self.part_vertices.len() as u32;
        let key = (vertex, normal.map(f32::to_bits), texture.map(|texture| texture.map(f32::to_bits)));
        let index = *self.known.entry(key).or_insert(next);
        if index == next {
            self.part_vertices.push(vertex);
            self.normals.push(normal);
            self.texture.extend(texture.map(|[across, up]| [across, 1.0 - up]));
        }
        self.indices.push(index);
    }
}

/// Position of a node: the piece's centre of mass, the natural pivot; the centre of the bounding
/// box if that is outdated, hence outside the box. In single precision, so that relative positions
/// lose nothing to its rounding.
fn node_origin(positions: &[Vec3], piece: Option<&Piece>) -> [f32; 3] {
    let Some(bounds) = Bounds::of(positions) else { return [0.0; 3] };
    let centre_of_mass = piece.map(|piece| piece.pose.position).filter(|centre| bounds.contains(centre));
    centre_of_mass.unwrap_or_else(|| bounds.low + 0.5 * bounds.size()).map(|coordinate| coordinate as f32).into()
}

/// Extras for game engines. Numbers that are not finite become `null`, since JSON cannot hold them.
fn piece_extras(index: u32, piece: Option<&Piece>) -> Value {
    match piece {
        Some(piece) => {
            json!({ "piece": index, "volume": piece.volume, "mass": piece.mass, "parent": piece.parent })
        }
        None => json!({}),
    }
}
