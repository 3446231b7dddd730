//! glTF 2.0 in one binary file: a node a body, under it a node a piece with its volume and mass.

use craze_frame::{Bounds, Frame, ObstacleShape, Piece, Surface, is_closed};
use craze_math::Vec3;
use serde_json::{Value, json};

use crate::labels::Labels;
use crate::normals::shade;
use crate::parts::{Cloud, Part, clouds, parts};
use crate::{ExportError, Format, palette};

/// What the format calls the uses of a buffer, the kinds of numbers, and the kinds of primitives.
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;
const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
const POINTS: u32 = 0;
const TRIANGLES: u32 = 4;

/// The bytes of the file.
pub(crate) fn encode(frame: &Frame) -> Result<Vec<u8>, ExportError> {
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
            children.push(document.part(&name, &part, piece, &sides));
        }
        for cloud in body.particles.iter().flat_map(clouds) {
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

/// Which sides of its triangles a surface shows.
#[derive(Clone, Copy, PartialEq)]
enum Sides {
    /// A closed surface hides its inner sides.
    Outer,
    /// A sheet is seen from both.
    Both,
}

fn sides_of(surface: &Surface) -> Sides {
    if surface.is_closed() { Sides::Outer } else { Sides::Both }
}

/// A material that gets its place in the document when something uses it.
#[derive(Clone)]
struct Material(Value);

/// The document in the making.
#[derive(Default)]
struct Document {
    nodes: Vec<Value>,
    meshes: Vec<Value>,
    materials: Vec<Value>,
    accessors: Vec<Value>,
    views: Vec<Value>,
    binary: Vec<u8>,
}

impl Document {
    fn material(&self, name: &str, [red, green, blue]: [f32; 3], sides: Sides) -> Material {
        Material(json!({
            "name": name,
            "pbrMetallicRoughness": {
                "baseColorFactor": [red, green, blue, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.7,
            },
            "doubleSided": sides == Sides::Both,
        }))
    }

    /// The place of a material among those in use.
    fn used_material(&mut self, material: &Material) -> usize {
        self.materials.iter().position(|known| *known == material.0).unwrap_or_else(|| {
            self.materials.push(material.0.clone());
            self.materials.len() - 1
        })
    }

    fn node(&mut self, node: Value) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

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

    /// A node with particles as points.
    fn cloud(&mut self, name: &str, cloud: &Cloud, piece: Option<&Piece>, material: &Material) -> usize {
        let origin = node_origin(&cloud.positions, piece);
        let positions: Vec<[f32; 3]> = cloud.positions.iter().map(|position| relative(position, &origin)).collect();
        let (positions, material) = (self.vectors(&positions), self.used_material(material));
        let primitive = json!({ "attributes": { "POSITION": positions }, "material": material, "mode": POINTS });
        self.mesh_node(name, origin, vec![primitive], piece_extras(cloud.piece, piece))
    }

    fn mesh_node(&mut self, name: &str, origin: [f32; 3], primitives: Vec<Value>, extras: Value) -> usize {
        self.meshes.push(json!({ "name": name, "primitives": primitives }));
        let mesh = self.meshes.len() - 1;
        self.node(json!({ "name": name, "mesh": mesh, "translation": origin, "extras": extras }))
    }

    /// An accessor of vectors, with the bounds that the format asks for.
    fn vectors(&mut self, vectors: &[[f32; 3]]) -> usize {
        let mut low = [f32::INFINITY; 3];
        let mut high = [f32::NEG_INFINITY; 3];
        for vector in vectors {
            for axis in 0..3 {
                low[axis] = low[axis].min(vector[axis]);
                high[axis] = high[axis].max(vector[axis]);
            }
        }
        let bytes = vectors.iter().flatten().flat_map(|coordinate| coordinate.to_le_bytes());
        let view = self.view(ARRAY_BUFFER, bytes);
        self.accessors.push(json!({
            "bufferView": view, "componentType": FLOAT, "count": vectors.len(), "type": "VEC3",
            "min": low.map(f64::from), "max": high.map(f64::from),
        }));
        self.accessors.len() - 1
    }

    fn indices(&mut self, indices: &[u32]) -> usize {
        let view = self.view(ELEMENT_ARRAY_BUFFER, indices.iter().flat_map(|index| index.to_le_bytes()));
        self.accessors.push(json!({
            "bufferView": view, "componentType": UNSIGNED_INT, "count": indices.len(), "type": "SCALAR",
        }));
        self.accessors.len() - 1
    }

    /// A stretch of the buffer. All numbers have 4 bytes, so every stretch starts at a multiple of 4.
    fn view(&mut self, target: u32, bytes: impl Iterator<Item = u8>) -> usize {
        let offset = self.binary.len();
        self.binary.extend(bytes);
        self.views.push(json!({
            "buffer": 0, "byteOffset": offset, "byteLength": self.binary.len() - offset, "target": target,
        }));
        self.views.len() - 1
    }

    /// The file, or the number of bytes that would be too many.
    fn finish(self, scene: Value) -> Result<Vec<u8>, usize> {
        let generator = concat!("Craze ", env!("CARGO_PKG_VERSION"));
        let mut root = json!({ "asset": { "version": "2.0", "generator": generator }, "scene": 0, "scenes": [scene] });
        // The format forbids empty lists.
        let lists = [
            ("nodes", self.nodes),
            ("meshes", self.meshes),
            ("materials", self.materials),
            ("accessors", self.accessors),
            ("bufferViews", self.views),
        ];
        for (name, list) in lists {
            if !list.is_empty() {
                root[name] = Value::Array(list);
            }
        }
        if !self.binary.is_empty() {
            root["buffers"] = json!([{ "byteLength": self.binary.len() }]);
        }
        let mut text = root.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');

        let binary_chunk = if self.binary.is_empty() { 0 } else { 8 + self.binary.len() };
        let length = 12 + 8 + text.len() + binary_chunk;
        let length_word = u32::try_from(length).map_err(|_| length)?;
        let mut bytes = Vec::with_capacity(length);
        bytes.extend(b"glTF");
        bytes.extend(2u32.to_le_bytes());
        bytes.extend(length_word.to_le_bytes());
        // Both chunks are shorter than the whole, whose length fits.
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(b"JSON");
        bytes.extend(text);
        if !self.binary.is_empty() {
            bytes.extend((self.binary.len() as u32).to_le_bytes());
            bytes.extend(b"BIN\0");
            bytes.extend(self.binary);
        }
        Ok(bytes)
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

fn relative(position: &Vec3, origin: &[f32; 3]) -> [f32; 3] {
    [0, 1, 2].map(|axis| (position[axis] - f64::from(origin[axis])) as f32)
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
