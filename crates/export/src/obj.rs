//! Wavefront OBJ: an object a piece, materials for outside and crack faces.

use std::collections::BTreeMap;
use std::fmt::Write;

use craze_frame::{Frame, ObstacleShape};
use craze_math::Vec3;

use crate::labels::Labels;
use crate::parts::{Part, clouds, parts};
use crate::{Dressed, ExportError, Output, palette};

/// The materials that the sequence has used so far, with their colours, for the one `.mtl` file of all frames.
#[derive(Default)]
pub(crate) struct Materials {
    colours: BTreeMap<String, [f32; 3]>,
}

/// Writes the frame and notes the materials that it uses.
pub(crate) fn export(
    frame: &Frame,
    dressed: &[Option<Dressed<'_>>],
    materials: &mut Materials,
    output: &mut Output,
) -> Result<(), ExportError> {
    let text = encode(frame, dressed, &format!("{}.mtl", output.base), materials);
    output.write(&format!("{:04}.obj", frame.number), text.as_bytes())?;
    Ok(())
}

impl Materials {
    /// The text of the `.mtl` file.
    pub(crate) fn encode(&self) -> String {
        let mut text = String::from("# Craze\n");
        for (name, [red, green, blue]) in &self.colours {
            // The format's colours are taken as displayed by most programs, so they are brightened from linear light.
            let shown = [red, green, blue].map(|channel| channel.powf(1.0 / 2.2));
            append(&mut text, format_args!("newmtl {name}\nKd {:.4} {:.4} {:.4}\n", shown[0], shown[1], shown[2]));
        }
        text
    }
}

/// The text of one frame. Vertices, texture coordinates and normals count through the whole file, from 1.
struct Text {
    text: String,
    vertices: usize,
    textures: usize,
    normals: usize,
}

fn encode(frame: &Frame, dressed: &[Option<Dressed<'_>>], library: &str, materials: &mut Materials) -> String {
    let labels = Labels::of(frame);
    let mut file = Text { text: String::new(), vertices: 0, textures: 0, normals: 0 };
    let (number, time) = (frame.number, frame.time);
    append(&mut file.text, format_args!("# Craze, frame {number}, time {time:?} s, unit m, y up\nmtllib {library}\n"));
    for (index, (body, label)) in frame.bodies.iter().zip(&labels.bodies).enumerate() {
        let outside = (label.clone(), palette::outside(index));
        let crack = (format!("{label}_crack"), palette::crack(index));
        for part in parts(&body.surface) {
            let object = format!("{label}_piece_{}", part.piece);
            file.part(&object, label, &part, &[&outside, &crack], dressed[index].as_ref(), materials);
        }
        // What has a surface is shown by it.
        let bare = body.particles.iter().filter(|_| body.surface.triangles.is_empty());
        for cloud in bare.flat_map(clouds) {
            file.points(&format!("{label}_particles_{}", cloud.piece), label, &cloud.positions);
        }
    }
    for (obstacle, label) in frame.obstacles.iter().zip(&labels.obstacles) {
        if let ObstacleShape::Surface(surface) = &obstacle.shape {
            let material = (label.clone(), palette::OBSTACLE);
            for part in parts(surface) {
                file.part(label, label, &part, &[&material, &material], None, materials);
            }
        }
    }
    file.text
}

impl Text {
    /// An object with its vertices, then its faces by material: `[outside, crack]`.
    fn part(
        &mut self,
        object: &str,
        group: &str,
        part: &Part,
        sides: &[&(String, [f32; 3]); 2],
        dressed: Option<&Dressed<'_>>,
        materials: &mut Materials,
    ) {
        let first = self.vertices + 1;
        self.object(object, group, &part.positions);
        let words = dressed.map(|dressed| self.carried(part, dressed));
        for (side, (material, colour)) in [false, true].into_iter().zip(sides) {
            let faces = part.triangles.iter().zip(&part.crack).enumerate().filter(|(_, (_, crack))| **crack == side);
            for (count, (number, (triangle, _))) in faces.enumerate() {
                if count == 0 {
                    append(&mut self.text, format_args!("usemtl {material}\n"));
                    materials.colours.insert(material.clone(), *colour);
                }
                let [a, b, c] = triangle.map(|vertex| first + vertex as usize);
                match words.as_ref().map(|words| &words[number]) {
                    Some([x, y, z]) => append(&mut self.text, format_args!("f {a}{x} {b}{y} {c}{z}\n")),
                    None => append(&mut self.text, format_args!("f {a} {b} {c}\n")),
                }
            }
        }
    }

    /// Writes what the corners of a part carry, and gives for each what follows its vertex in a face: `/texture/normal`.
    fn carried(&mut self, part: &Part, dressed: &Dressed<'_>) -> Vec<[String; 3]> {
        let (mut textures, mut normals) = (BTreeMap::new(), BTreeMap::new());
        let mut words = Vec::with_capacity(part.triangles.len());
        for &face in &part.faces {
            let worn = dressed.worn[face as usize];
            words.push([0, 1, 2].map(|corner| {
                let texture = worn.texture.map(|texture| {
                    let [across, up] = texture[corner];
                    *textures.entry([across, up].map(f32::to_bits)).or_insert_with(|| {
                        append(&mut self.text, format_args!("vt {across:?} {up:?}\n"));
                        self.textures += 1;
                        self.textures
                    })
                });
                let normal = worn.normals[corner].map(|[x, y, z]| {
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
        words
    }

    /// An object of points.
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
            // The shortest decimal that reads back as the same number.
            append(&mut self.text, format_args!("v {:?} {:?} {:?}\n", position.x, position.y, position.z));
        }
        self.vertices += positions.len();
    }
}

fn append(text: &mut String, line: std::fmt::Arguments<'_>) {
    text.write_fmt(line).expect("a string takes any text");
}
