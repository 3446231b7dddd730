//! A glTF 2.0 document under construction, and its binary encoding.

use std::sync::Arc;

use craze_frame::{Look, Surface};
use craze_math::Vec3;
use serde_json::{Value, json};

/// Buffer targets, component types and primitive modes of glTF.
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;
const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
/// Material extensions of glTF.
const TRANSMISSION: &str = "KHR_materials_transmission";
const IOR: &str = "KHR_materials_ior";
pub(crate) const POINTS: u32 = 0;
pub(crate) const TRIANGLES: u32 = 4;

/// Visible sides of a surface.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Sides {
    /// Closed surfaces show their outer side only.
    Outer,
    /// Open surfaces show both.
    Both,
}

/// Visible sides: the outer one if the surface is closed.
pub(crate) fn sides_of(surface: &Surface) -> Sides {
    if surface.is_closed() { Sides::Outer } else { Sides::Both }
}

/// A material, added to the document when it is first used.
#[derive(Clone)]
pub(crate) struct Material(Value);

pub(crate) struct Track {
    pub node: usize,
    /// Positions (m), one per key.
    pub positions: Vec<[f32; 3]>,
    /// Rotations as quaternions x, y, z, w.
    pub rotations: Vec<[f32; 4]>,
}

#[derive(Default)]
pub(crate) struct Document {
    nodes: Vec<Value>,
    meshes: Vec<Value>,
    materials: Vec<Value>,
    accessors: Vec<Value>,
    views: Vec<Value>,
    animations: Vec<Value>,
    textures: Vec<Value>,
    images: Vec<Value>,
    /// Bytes of the images, for deduplication.
    pictures: Vec<Arc<[u8]>>,
    binary: Vec<u8>,
}

impl Document {
    pub(crate) fn material(&self, name: &str, look: &Look, sides: Sides) -> Material {
        let color = look.surface_color();
        let mut material = json!({
            "name": name,
            "pbrMetallicRoughness": {
                "baseColorFactor": [color.x as f32, color.y as f32, color.z as f32, 1.0],
                "metallicFactor": look.metalness as f32, "roughnessFactor": look.roughness as f32,
            },
            "doubleSided": sides == Sides::Both,
        });
        if look.transmission > 0.0 {
            material["extensions"][TRANSMISSION] = json!({ "transmissionFactor": look.transmission as f32 });
        }
        // Metals reflect by their colour, without an index of refraction.
        if look.metalness < 1.0 {
            material["extensions"][IOR] = json!({ "ior": look.ior as f32 });
        }
        Material(material)
    }

    /// Material of a colour (linear RGB in 0…1) and opacity.
    pub(crate) fn colored(&self, name: &str, [red, green, blue, opacity]: [f32; 4], sides: Sides) -> Material {
        let mut material = json!({
            "name": name,
            "pbrMetallicRoughness": {
                "baseColorFactor": [red, green, blue, opacity], "metallicFactor": 0.0, "roughnessFactor": 0.7,
            },
            "doubleSided": sides == Sides::Both,
        });
        if opacity < 1.0 {
            material["alphaMode"] = json!("BLEND");
        }
        Material(material)
    }

    /// The material with a picture, which is embedded once.
    pub(crate) fn with_picture(&mut self, mut material: Material, media_type: &str, bytes: &Arc<[u8]>) -> Material {
        let number = self.pictures.iter().position(|known| known == bytes).unwrap_or_else(|| {
            let view = self.view(None, bytes.iter().copied());
            // Numbers that follow are aligned to 4 bytes.
            self.binary.resize(self.binary.len().next_multiple_of(4), 0);
            self.images.push(json!({ "bufferView": view, "mimeType": media_type }));
            self.textures.push(json!({ "source": self.images.len() - 1 }));
            self.pictures.push(bytes.clone());
            self.pictures.len() - 1
        });
        material.0["pbrMetallicRoughness"]["baseColorTexture"] = json!({ "index": number });
        material
    }

    /// Index of a material; adds it if it is new.
    pub(crate) fn used_material(&mut self, material: &Material) -> usize {
        self.materials.iter().position(|known| *known == material.0).unwrap_or_else(|| {
            self.materials.push(material.0.clone());
            self.materials.len() - 1
        })
    }

    /// Adds a node; returns its index.
    pub(crate) fn node(&mut self, node: Value) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Adds a node with its own mesh at `origin` (m).
    pub(crate) fn mesh_node(&mut self, name: &str, origin: [f32; 3], primitives: Vec<Value>, extras: Value) -> usize {
        self.meshes.push(json!({ "name": name, "primitives": primitives }));
        let mesh = self.meshes.len() - 1;
        self.node(json!({ "name": name, "mesh": mesh, "translation": origin, "extras": extras }))
    }

    /// Adds an accessor of vectors of 2 or 3 numbers, with the bounds that glTF requires.
    pub(crate) fn vectors<const SIZE: usize>(&mut self, vectors: &[[f32; SIZE]]) -> usize {
        let mut low = [f32::INFINITY; SIZE];
        let mut high = [f32::NEG_INFINITY; SIZE];
        for vector in vectors {
            for axis in 0..SIZE {
                low[axis] = low[axis].min(vector[axis]);
                high[axis] = high[axis].max(vector[axis]);
            }
        }
        let bytes = vectors.iter().flatten().flat_map(|coordinate| coordinate.to_le_bytes());
        let view = self.view(Some(ARRAY_BUFFER), bytes);
        self.accessors.push(json!({
            "bufferView": view, "componentType": FLOAT, "count": vectors.len(),
            "type": format!("VEC{SIZE}"), "min": low.map(f64::from).to_vec(), "max": high.map(f64::from).to_vec(),
        }));
        self.accessors.len() - 1
    }

    /// Adds an accessor of keyed values of 3 or 4 numbers.
    fn track<const SIZE: usize>(&mut self, values: &[[f32; SIZE]]) -> usize {
        let view = self.view(None, values.iter().flatten().flat_map(|number| number.to_le_bytes()));
        self.accessors.push(json!({
            "bufferView": view, "componentType": FLOAT, "count": values.len(), "type": format!("VEC{SIZE}"),
        }));
        self.accessors.len() - 1
    }

    /// Adds an animation with keys at `times` (s, ascending).
    pub(crate) fn animate(&mut self, times: &[f32], tracks: &[Track]) {
        let view = self.view(None, times.iter().flat_map(|time| time.to_le_bytes()));
        let bound = |value: Option<&f32>| [f64::from(value.copied().unwrap_or(0.0))];
        self.accessors.push(json!({
            "bufferView": view, "componentType": FLOAT, "count": times.len(), "type": "SCALAR",
            "min": bound(times.first()), "max": bound(times.last()),
        }));
        let input = self.accessors.len() - 1;
        let (mut samplers, mut channels) = (Vec::new(), Vec::new());
        for track in tracks {
            let outputs = [("translation", self.track(&track.positions)), ("rotation", self.track(&track.rotations))];
            for (path, output) in outputs {
                channels.push(json!({ "sampler": samplers.len(), "target": { "node": track.node, "path": path } }));
                samplers.push(json!({ "input": input, "output": output, "interpolation": "LINEAR" }));
            }
        }
        self.animations.push(json!({ "name": "shatter", "samplers": samplers, "channels": channels }));
    }

    /// Adds an accessor of vertex indices.
    pub(crate) fn indices(&mut self, indices: &[u32]) -> usize {
        let view = self.view(Some(ELEMENT_ARRAY_BUFFER), indices.iter().flat_map(|index| index.to_le_bytes()));
        self.accessors.push(json!({
            "bufferView": view, "componentType": UNSIGNED_INT, "count": indices.len(), "type": "SCALAR",
        }));
        self.accessors.len() - 1
    }

    /// Adds a buffer view. Numbers have 4 bytes and pictures are padded, so every view is aligned
    /// to 4 bytes.
    fn view(&mut self, target: Option<u32>, bytes: impl Iterator<Item = u8>) -> usize {
        let offset = self.binary.len();
        self.binary.extend(bytes);
        let mut view = json!({ "buffer": 0, "byteOffset": offset, "byteLength": self.binary.len() - offset });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.views.push(view);
        self.views.len() - 1
    }

    /// Encodes the file; the error is its size if it exceeds the format (bytes).
    pub(crate) fn finish(self, scene: Value) -> Result<Vec<u8>, usize> {
        let generator = concat!("Craze ", env!("CARGO_PKG_VERSION"));
        let mut root = json!({ "asset": { "version": "2.0", "generator": generator }, "scene": 0, "scenes": [scene] });
        let is_used = |name: &&str| self.materials.iter().any(|material| material["extensions"].get(name).is_some());
        let extensions: Vec<&str> = [TRANSMISSION, IOR].into_iter().filter(is_used).collect();
        if !extensions.is_empty() {
            root["extensionsUsed"] = json!(extensions);
        }
        // glTF forbids empty lists.
        let lists = [
            ("nodes", self.nodes),
            ("meshes", self.meshes),
            ("materials", self.materials),
            ("accessors", self.accessors),
            ("bufferViews", self.views),
            ("animations", self.animations),
            ("textures", self.textures),
            ("images", self.images),
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
        // Both chunks are shorter than the file, whose length fits.
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

/// A position (m) relative to a node's origin.
pub(crate) fn relative(position: &Vec3, origin: &[f32; 3]) -> [f32; 3] {
    [0, 1, 2].map(|axis| (position[axis] - f64::from(origin[axis])) as f32)
}
