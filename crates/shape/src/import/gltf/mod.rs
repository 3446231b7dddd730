//! glTF 2.0 files: JSON with external or embedded buffers, and GLB.
//!
//! Read: the meshes of all scenes with node transforms, as triangles, strips and fans, with
//! normals, base-colour texture coordinates, materials, sparse and quantised accessors. Left out,
//! with a remark: skins, morph targets, animations, points and lines. Rejected: compressed meshes
//! and other unsupported required extensions.

mod access;
mod container;
mod document;
mod nodes;
#[cfg(test)]
mod tests;
mod uri;

use std::collections::BTreeMap;
use std::path::Path;

use craze_math::Vec3;
use serde::Deserialize;

use self::access::AccessorReader;
use self::document::{Asset, Document, Image, Material, Primitive, TextureInfo};
use self::nodes::{Transform, placed_meshes};
use super::brightness::{DEFAULT_BRIGHTNESS, brightness};
use super::external::ExternalFiles;
use super::faces::{Corner, Faces, Welding};
use super::image;
use super::model::{Model, SurfaceMaterial};
use super::text::shortened;
use crate::error::{MAX_ELEMENTS, ShapeError};

/// Primitive modes of triangles in the specification.
const TRIANGLES: u32 = 4;
const TRIANGLE_STRIP: u32 = 5;
const TRIANGLE_FAN: u32 = 6;

pub(crate) fn parse(bytes: &[u8], path: &Path, external_files: &ExternalFiles<'_>) -> Result<Model, ShapeError> {
    let (json, chunk) = if bytes.starts_with(b"glTF") {
        let chunks = container::split(bytes, path)?;
        (chunks.json, chunks.binary)
    } else {
        let json = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        if json.trim_ascii_start().first() != Some(&b'{') {
            let problem = "a glTF file begins with \"glTF\" if it is binary, and with { if it is text".to_owned();
            return Err(ShapeError::BadByte { path: path.to_owned(), byte: 0, problem });
        }
        (json, None)
    };
    let document = parse_json(json, path)?;
    check_required(&document, path)?;
    let placed = placed_meshes(&document, path)?;
    let access = AccessorReader {
        document: &document,
        path,
        external_files,
        chunk: chunk.map(Into::into),
        buffers: BTreeMap::new(),
        files: BTreeMap::new(),
    };
    let mut reader = Reader { access, faces: Faces::default(), elements_to_read: 0.0, has_other_primitives: false };
    reader.faces.materials = document.materials.iter().map(|material| surface_material(material, &document)).collect();
    // Counts before reading, so that oversized models are rejected early.
    for (mesh, _) in &placed {
        reader.count_elements(*mesh)?;
    }
    for (mesh, transform) in placed {
        reader.read_mesh(mesh, &transform)?;
    }
    let mut faces = reader.faces;
    faces.remarks = remarks(&document, reader.has_other_primitives);
    let mut model = faces.into_model(Welding::Equal, path)?;
    let mut access = reader.access;
    let number_of = |number: usize, _: &_| Some(image_of(document.materials.get(number)?, &document)?.0);
    image::find(&mut model, number_of, |&image| access.image(image).map_err(|error| error.to_string()));
    Ok(model)
}

fn parse_json(json: &[u8], path: &Path) -> Result<Document, ShapeError> {
    #[derive(Deserialize)]
    struct Versioned {
        asset: Asset,
    }
    let bad = |error: serde_json::Error| {
        let (part, problem) = (format!("JSON, line {}", error.line()), error.to_string());
        ShapeError::BadPart { path: path.to_owned(), part, problem }
    };
    // Parsed on its own, since other versions may have another schema.
    let version = serde_json::from_slice::<Versioned>(json).map_err(bad)?.asset.version;
    if version != "2" && !version.starts_with("2.") {
        let (path, what) = (path.to_owned(), format!("version {} of glTF", shortened(&version)));
        return Err(ShapeError::UnsupportedFeature { path, what, help: "save it as glTF 2.0" });
    }
    serde_json::from_slice(json).map_err(bad)
}

/// Rejects unsupported required extensions. Those on appearance, lights and metadata are ignored.
fn check_required(document: &Document, path: &Path) -> Result<(), ShapeError> {
    let is_harmless = |name: &str| {
        let kinds = [
            "KHR_materials_",
            "KHR_texture_",
            "EXT_texture_",
            "MSFT_texture_",
            "KHR_lights_",
            "KHR_xmp",
            "KHR_animation_",
        ];
        name == "KHR_mesh_quantization" || kinds.iter().any(|kind| name.starts_with(kind))
    };
    match document.extensions_required.iter().find(|name| !is_harmless(name)) {
        Some(name) => Err(unsupported_extension(path, name)),
        None => Ok(()),
    }
}

fn unsupported_extension(path: &Path, extension: &str) -> ShapeError {
    let help = if extension.contains("compression") {
        "save it without compression"
    } else {
        "save it without that extension"
    };
    ShapeError::UnsupportedFeature {
        path: path.to_owned(),
        what: format!("the extension {}", shortened(extension)),
        help,
    }
}

fn remarks(document: &Document, has_other_primitives: bool) -> Vec<String> {
    let primitives = || document.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let textures = document.materials.iter().filter_map(base_texture);
    let mut remarks = Vec::new();
    for (is_there, what) in [
        (!document.skins.is_empty(), "skins were left out: meshes keep their node transforms"),
        (primitives().any(|primitive| !primitive.targets.is_empty()), "morph targets were left out"),
        (!document.animations.is_empty(), "animations were left out"),
        (has_other_primitives, "points and lines were left out"),
        (
            textures.into_iter().any(|texture| texture.extensions.contains_key("KHR_texture_transform")),
            "transforms of textures were left out",
        ),
        (
            document.nodes.iter().any(|node| node.extensions.contains_key("EXT_mesh_gpu_instancing")),
            "instances by EXT_mesh_gpu_instancing were left out",
        ),
    ] {
        if is_there {
            remarks.push(what.to_owned());
        }
    }
    remarks
}

fn base_texture(material: &Material) -> Option<&TextureInfo> {
    material.pbr_metallic_roughness.as_ref()?.base_color_texture.as_ref()
}

/// The base-colour image of a material, and its index.
fn image_of<'d>(material: &Material, document: &'d Document) -> Option<(usize, &'d Image)> {
    let source = document.textures.get(base_texture(material)?.index)?.source?;
    Some((source, document.images.get(source)?))
}

/// A material's colour, and the file or name of its image.
fn surface_material(material: &Material, document: &Document) -> SurfaceMaterial {
    let factor = material.pbr_metallic_roughness.as_ref().and_then(|roughness| roughness.base_color_factor);
    let texture = image_of(material, document).map(|(number, image)| match (&image.uri, &image.name) {
        (Some(uri), _) if !uri.starts_with("data:") => uri.clone(),
        (_, Some(name)) => name.clone(),
        _ => format!("images[{number}]"),
    });
    SurfaceMaterial { name: material.name.clone(), colour: Some(factor.unwrap_or([1.0; 4])), texture, image: None }
}

/// The position accessor of a triangle primitive; `None` for points and lines.
fn position_of(primitive: &Primitive) -> Option<usize> {
    let is_surface = (TRIANGLES..=TRIANGLE_FAN).contains(&primitive.mode.unwrap_or(TRIANGLES));
    primitive.attributes.get("POSITION").copied().filter(|_| is_surface)
}

struct Reader<'f> {
    access: AccessorReader<'f>,
    faces: Faces,
    /// Points and corners to read; limited, since nodes can instantiate a mesh any number of times.
    elements_to_read: f64,
    has_other_primitives: bool,
}

impl Reader<'_> {
    fn bad(&self, part: String, problem: impl Into<String>) -> ShapeError {
        ShapeError::BadPart { path: self.access.path.to_owned(), part, problem: problem.into() }
    }

    fn read_mesh(&mut self, number: usize, transform: &Transform) -> Result<(), ShapeError> {
        let part = format!("meshes[{number}]");
        let Some(mesh) = self.access.document.meshes.get(number) else {
            return Err(self.bad(part, "a node refers to it, but it does not exist"));
        };
        for (index, primitive) in mesh.primitives.iter().enumerate() {
            self.read_primitive(&format!("{part}.primitives[{index}]"), primitive, transform)?;
        }
        Ok(())
    }

    fn read_primitive(&mut self, part: &str, primitive: &Primitive, transform: &Transform) -> Result<(), ShapeError> {
        let document = self.access.document;
        let mode = primitive.mode.unwrap_or(TRIANGLES);
        let Some(position) = position_of(primitive) else {
            self.has_other_primitives = true;
            return Ok(());
        };
        let has_bytes =
            |number: usize| document.accessors.get(number).is_some_and(|accessor| accessor.buffer_view.is_some());
        if primitive.extensions.contains_key("KHR_draco_mesh_compression") && !has_bytes(position) {
            return Err(unsupported_extension(self.access.path, "KHR_draco_mesh_compression"));
        }
        let material = match primitive.material.map(|number| (number, document.materials.get(number))) {
            None => None,
            Some((number, Some(material))) => Some((number, material)),
            Some((number, None)) => {
                return Err(self.bad(part.to_owned(), format!("materials[{number}] does not exist")));
            }
        };
        let positions: Vec<[f64; 3]> = self.access.vectors(position, "VEC3")?;
        let count = positions.len();
        let first_point = self.faces.points.len();
        self.faces.points.extend(positions.into_iter().map(|point| transform.apply(Vec3::from(point))));
        if let Some(&colour) = primitive.attributes.get("COLOR_0") {
            self.read_colours(part, colour, count)?;
        }
        let first_normal = match primitive.attributes.get("NORMAL") {
            Some(&normal) => Some(self.read_normals(part, normal, count, transform)?),
            None => None,
        };
        let set = material.and_then(|(_, material)| base_texture(material)).map_or(0, |texture| texture.tex_coord);
        let texture = primitive.attributes.get(&format!("TEXCOORD_{set}"));
        let first_texture = match texture.or_else(|| primitive.attributes.get("TEXCOORD_0")) {
            Some(&texture) => Some(self.read_textures(part, texture, count)?),
            None => None,
        };
        let indices = match primitive.indices {
            Some(indices) => self.access.indices(indices)?,
            // More points than u32 are rejected later.
            None => (0..count as u32).collect(),
        };
        if let Some(index) = indices.iter().find(|&&index| index as usize >= count) {
            return Err(self.bad(part.to_owned(), format!("it uses point {index}, but has only {count}")));
        }
        if mode == TRIANGLES && !indices.len().is_multiple_of(3) {
            return Err(self.bad(part.to_owned(), format!("{} corners are not a multiple of 3", indices.len())));
        }
        let corner = |index: u32| Corner {
            point: (first_point + index as usize) as u32,
            normal: first_normal.map(|first| (first + index as usize) as u32),
            texture: first_texture.map(|first| (first + index as usize) as u32),
        };
        let material = material.map(|(number, _)| number as u32);
        for [a, b, c] in triangles_of(mode, &indices) {
            // Strips contain degenerate triangles as restarts.
            if mode == TRIANGLE_STRIP && (a == b || b == c || c == a) {
                continue;
            }
            let triangle = if transform.mirrors() { [a, c, b] } else { [a, b, c] };
            self.faces.push(triangle.map(corner), material);
        }
        Ok(())
    }

    /// Counts the points and corners of a mesh instance.
    fn count_elements(&mut self, mesh: usize) -> Result<(), ShapeError> {
        let primitives = self.access.document.meshes.get(mesh).map_or(&[][..], |mesh| &mesh.primitives);
        for primitive in primitives {
            let Some(position) = position_of(primitive) else { continue };
            self.elements_to_read += self.access.count(position)? as f64;
            if let Some(indices) = primitive.indices {
                self.elements_to_read += self.access.count(indices)? as f64;
            }
        }
        if self.elements_to_read > MAX_ELEMENTS {
            let problem = format!("its nodes reference more than {MAX_ELEMENTS:e} points and corners, the limit");
            return Err(self.bad("nodes".into(), problem));
        }
        Ok(())
    }

    fn check_count(&self, part: &str, name: &str, found: usize, count: usize) -> Result<(), ShapeError> {
        if found == count {
            return Ok(());
        }
        Err(self.bad(part.to_owned(), format!("it has {found} {name} values for its {count} points")))
    }

    fn read_normals(
        &mut self,
        part: &str,
        accessor: usize,
        count: usize,
        transform: &Transform,
    ) -> Result<usize, ShapeError> {
        let normals: Vec<[f64; 3]> = self.access.vectors(accessor, "VEC3")?;
        self.check_count(part, "NORMAL", normals.len(), count)?;
        let first = self.faces.normals.len();
        let matrix = transform.normal_matrix();
        self.faces.normals.extend(normals.into_iter().map(|normal| {
            let turned = matrix * Vec3::from(normal);
            // Scaled before rounding to f32, so that tiny node scales keep their normals.
            let turned = turned / turned.amax();
            [turned.x as f32, turned.y as f32, turned.z as f32]
        }));
        Ok(first)
    }

    /// Reads the colours of the last points.
    fn read_colours(&mut self, part: &str, accessor: usize, count: usize) -> Result<(), ShapeError> {
        let has_opacity = self.access.document.accessors.get(accessor).is_some_and(|accessor| accessor.kind == "VEC4");
        let colours: Vec<[f64; 3]> = if has_opacity {
            self.access.vectors(accessor, "VEC4")?.into_iter().map(|[red, green, blue, _]| [red, green, blue]).collect()
        } else {
            self.access.vectors(accessor, "VEC3")?
        };
        self.check_count(part, "COLOR_0", colours.len(), count)?;
        self.faces.brightness.resize(self.faces.points.len() - count, DEFAULT_BRIGHTNESS);
        self.faces.brightness.extend(colours.into_iter().map(brightness));
        Ok(())
    }

    fn read_textures(&mut self, part: &str, accessor: usize, count: usize) -> Result<usize, ShapeError> {
        let textures: Vec<[f64; 2]> = self.access.vectors(accessor, "VEC2")?;
        self.check_count(part, "TEXCOORD", textures.len(), count)?;
        let first = self.faces.texture_coordinates.len();
        // glTF has v = 0 at the top of the image.
        self.faces.texture_coordinates.extend(textures.into_iter().map(|[u, v]| [u as f32, (1.0 - v) as f32]));
        Ok(first)
    }
}

/// Triangles of a list, a strip (alternating orientation) or a fan (specification, section
/// 3.7.2.1).
fn triangles_of(mode: u32, indices: &[u32]) -> Vec<[u32; 3]> {
    let triple = |window: &[u32]| [window[0], window[1], window[2]];
    match mode {
        TRIANGLE_STRIP => {
            let turned = |(k, window): (usize, &[u32])| {
                let [a, b, c] = triple(window);
                if k.is_multiple_of(2) { [a, b, c] } else { [a, c, b] }
            };
            indices.windows(3).enumerate().map(turned).collect()
        }
        TRIANGLE_FAN => {
            let rim = indices.get(1..).unwrap_or_default();
            rim.windows(2).map(|pair| [pair[0], pair[1], indices[0]]).collect()
        }
        _ => indices.chunks_exact(3).map(triple).collect(),
    }
}
