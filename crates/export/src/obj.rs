//! Wavefront OBJ: an object per piece, materials for outside and crack faces.

use std::collections::BTreeMap;
use std::fmt::Write;

use craze_frame::{Frame, Line, LineKind, Look, ObstacleShape, Surface, names};
use craze_material::color::srgb_from_linear;
use craze_math::Vec3;

use crate::labels::Labels;
use crate::looks::{NamedMaterial, material_of, sides};
use crate::parts::{Part, clouds, parts};
use crate::{ExportError, Output, TransferredAttributes};

/// Materials used so far, for the sequence's `.mtl` file.
#[derive(Default)]
pub(crate) struct Materials {
    looks: BTreeMap<String, Look>,
}

/// Writes a frame and records its materials.
pub(crate) fn export(
    frame: &Frame,
    transferred_attributes: &[Option<TransferredAttributes>],
    materials: &mut Materials,
    output: &mut Output,
) -> Result<(), ExportError> {
    let text = encode(frame, transferred_attributes, &format!("{}.mtl", output.base), materials);
    output.write(&format!("{:04}.obj", frame.number), text.as_bytes())?;
    Ok(())
}

impl Materials {
    pub(crate) fn encode(&self) -> String {
        let mut text = String::from("# Craze\n");
        for (name, look) in &self.looks {
            append(&mut text, format_args!("newmtl {name}\n"));
            let mut color = |key: &str, light: Vec3| {
                // Most programs take the format's colours as display values.
                let [red, green, blue] = <[f64; 3]>::from(light).map(srgb_from_linear);
                append(&mut text, format_args!("{key} {red:.4} {green:.4} {blue:.4}\n"));
            };
            // Many programs use this alone, so transparent materials get their colour as in
            // pictures.
            color("Kd", look.color * (1.0 - look.metalness));
            color("Ks", Vec3::repeat(look.mirrored()).lerp(&look.color, look.metalness));
            if look.transmission > 0.0 {
                color("Tf", look.surface_color() * look.transmission);
            }
            // Phong exponent equivalent to the microfacet lobe (Walter et al. 2007), whose width is
            // roughness².
            let exponent = (2.0 / look.roughness.max(0.045).powi(4) - 2.0).clamp(0.0, 1000.0);
            // 6: refraction; 2: highlights.
            let model = if look.transmission > 0.0 { 6 } else { 2 };
            let (roughness, metalness, ior) = (look.roughness, look.metalness, look.ior);
            append(
                &mut text,
                format_args!("Ns {exponent:.2}\nNi {ior:.3}\nillum {model}\nPr {roughness:.3}\nPm {metalness:.3}\n"),
            );
        }
        text
    }
}

/// Materials of a body's faces.
struct FaceMaterials<'a> {
    /// For each material of the body, those of outside and crack faces.
    sides: &'a [[NamedMaterial; 2]],
    /// The body's material of each triangle.
    of: &'a dyn Fn(usize) -> usize,
    /// Material slot of each triangle of the surface, and the names of the slots.
    slots: Option<&'a [u32]>,
    slot_names: &'a [String],
}

/// Text of a frame. Vertices, texture coordinates and normals are counted through the file, from 1.
struct Text {
    text: String,
    vertices: usize,
    textures: usize,
    normals: usize,
}

fn encode(
    frame: &Frame,
    transferred_attributes: &[Option<TransferredAttributes>],
    library: &str,
    materials: &mut Materials,
) -> String {
    let labels = Labels::new(frame);
    let mut file = Text { text: String::new(), vertices: 0, textures: 0, normals: 0 };
    let (number, time) = (frame.number, frame.time);
    append(&mut file.text, format_args!("# Craze, frame {number}, time {time:?} s, unit m, y up\nmtllib {library}\n"));
    for (index, (body, label)) in frame.bodies.iter().zip(&labels.bodies).enumerate() {
        let looks = sides(body, label, body.looks()[0]);
        let face_materials = FaceMaterials {
            sides: &looks,
            of: &material_of(&body.surface, looks.len()),
            slots: body.surface.face_attributes.indices(names::SLOT),
            slot_names: &body.surface.slots,
        };
        for part in parts(&body.surface) {
            let object = format!("{label}_piece_{}", part.piece);
            file.part(&object, label, &part, &face_materials, transferred_attributes[index].as_ref(), materials);
        }
        file.lines(label, &body.surface);
        // Particles are shown only if there is no surface.
        let bare = body.particles.iter().filter(|_| body.surface.triangles.is_empty());
        for cloud in bare.flat_map(clouds) {
            file.points(&format!("{label}_particles_{}", cloud.piece), label, &cloud.positions);
        }
    }
    for (obstacle, label) in frame.obstacles.iter().zip(&labels.obstacles) {
        if let ObstacleShape::Surface(surface) = &obstacle.shape {
            let material = NamedMaterial { name: label.clone(), look: Look::obstacle() };
            let sides = [[material.clone(), material]];
            for part in parts(surface) {
                let face_materials = FaceMaterials { sides: &sides, of: &|_| 0, slots: None, slot_names: &[] };
                file.part(label, label, &part, &face_materials, None, materials);
            }
        }
    }
    file.text
}

impl Text {
    /// Writes an object: vertices, then faces by material, crack faces last.
    fn part(
        &mut self,
        object: &str,
        group: &str,
        part: &Part,
        face_materials: &FaceMaterials<'_>,
        transferred: Option<&TransferredAttributes>,
        materials: &mut Materials,
    ) {
        let first = self.vertices + 1;
        self.object(object, group, &part.positions);
        let suffixes = transferred.map(|transferred| self.corner_attributes(part, transferred));
        // By side, material of the body, and material slot of the surface.
        let mut faces: BTreeMap<(bool, usize, Option<u32>), Vec<usize>> = BTreeMap::new();
        for number in 0..part.triangles.len() {
            let is_crack = part.crack[number];
            let face = part.faces.get(number).map(|&face| face as usize);
            let material_index = face.map_or(0, face_materials.of);
            let slot = face.filter(|_| !is_crack).and_then(|face| face_materials.slots?.get(face).copied());
            faces.entry((is_crack, material_index, slot)).or_default().push(number);
        }
        for ((is_crack, material_index, slot), numbers) in faces {
            let NamedMaterial { name, look } = &face_materials.sides[material_index][usize::from(is_crack)];
            let slot_name = slot.and_then(|slot| face_materials.slot_names.get(slot as usize));
            let name = slot_name.map_or_else(|| name.clone(), |slot| format!("{name}_{}", crate::labels::label(slot)));
            append(&mut self.text, format_args!("usemtl {name}\n"));
            materials.looks.insert(name, *look);
            for number in numbers {
                let [a, b, c] = part.triangles[number].map(|vertex| first + vertex as usize);
                match suffixes.as_ref().map(|suffixes| &suffixes[number]) {
                    Some([x, y, z]) => append(&mut self.text, format_args!("f {a}{x} {b}{y} {c}{z}\n")),
                    None => append(&mut self.text, format_args!("f {a} {b} {c}\n")),
                }
            }
        }
    }

    /// Writes the attributes of a part's corners; returns the suffix of each face vertex:
    /// `/texture/normal`.
    fn corner_attributes(&mut self, part: &Part, transferred: &TransferredAttributes) -> Vec<[String; 3]> {
        let (mut textures, mut normals) = (BTreeMap::new(), BTreeMap::new());
        let mut suffixes = Vec::with_capacity(part.triangles.len());
        for &face in &part.faces {
            let attributes = transferred.triangles[face as usize];
            suffixes.push([0, 1, 2].map(|corner| {
                let texture = attributes.texture.map(|texture| {
                    let [across, up] = texture[corner];
                    *textures.entry([across, up].map(f32::to_bits)).or_insert_with(|| {
                        append(&mut self.text, format_args!("vt {across:?} {up:?}\n"));
                        self.textures += 1;
                        self.textures
                    })
                });
                let normal = attributes.normals[corner].map(|[x, y, z]| {
                    *normals.entry([x, y, z].map(f32::to_bits)).or_insert_with(|| {
                        append(&mut self.text, format_args!("vn {x:?} {y:?} {z:?}\n"));
                        self.normals += 1;
                        self.normals
                    })
                });
                match (texture, normal) {
                    (Some(texture), Some(normal)) => format!("/{texture}/{normal}"),
                    (Some(texture), None) => format!("/{texture}"),
                    (None, Some(normal)) => format!("//{normal}"),
                    (None, None) => String::new(),
                }
            }));
        }
        suffixes
    }

    /// Writes the seams and the crack paths of a surface, an object for each kind.
    fn lines(&mut self, label: &str, surface: &Surface) {
        for (kind, name) in [(LineKind::Seam, "seams"), (LineKind::Crack, "cracks")] {
            let lines: Vec<&Line> = surface.lines.iter().filter(|line| line.kind == kind).collect();
            if lines.is_empty() {
                continue;
            }
            let vertices = lines.iter().flat_map(|line| &line.vertices);
            let positions: Vec<Vec3> = vertices.map(|&vertex| surface.positions[vertex as usize]).collect();
            let mut next = self.vertices + 1;
            self.object(&format!("{label}_{name}"), label, &positions);
            for line in lines {
                append(&mut self.text, format_args!("l"));
                for _ in &line.vertices {
                    append(&mut self.text, format_args!(" {next}"));
                    next += 1;
                }
                append(&mut self.text, format_args!("\n"));
            }
        }
    }

    fn points(&mut self, object: &str, group: &str, positions: &[Vec3]) {
        let first = self.vertices + 1;
        self.object(object, group, positions);
        for index in 0..positions.len() {
            append(&mut self.text, format_args!("p {}\n", first + index));
        }
    }

    fn object(&mut self, object: &str, group: &str, positions: &[Vec3]) {
        append(&mut self.text, format_args!("o {object}\ng {group}\n"));
        for position in positions {
            // Shortest decimal that reads back as the same number.
            append(&mut self.text, format_args!("v {:?} {:?} {:?}\n", position.x, position.y, position.z));
        }
        self.vertices += positions.len();
    }
}

fn append(text: &mut String, line: std::fmt::Arguments<'_>) {
    text.write_fmt(line).expect("a string takes any text");
}
