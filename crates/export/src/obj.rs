//! Wavefront OBJ: an object a piece, materials for outside and crack faces.

use std::collections::BTreeMap;
use std::fmt::Write;

use craze_frame::{Frame, Look, ObstacleShape};
use craze_material::color::srgb_from_linear;
use craze_math::Vec3;

use crate::labels::Labels;
use crate::looks::{Named, matter_of, sides};
use crate::parts::{Part, clouds, parts};
use crate::{Dressed, ExportError, Output};

/// The materials that the sequence has used so far, with their looks, for the one `.mtl` file of all frames.
#[derive(Default)]
pub(crate) struct Materials {
    looks: BTreeMap<String, Look>,
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
        for (name, look) in &self.looks {
            append(&mut text, format_args!("newmtl {name}\n"));
            let mut color = |key: &str, light: Vec3| {
                // The format's colours are taken as displayed by most programs.
                let [red, green, blue] = <[f64; 3]>::from(light).map(srgb_from_linear);
                append(&mut text, format_args!("{key} {red:.4} {green:.4} {blue:.4}\n"));
            };
            // Many programs show nothing but this: what is clear has its colour as in pictures.
            color("Kd", look.color * (1.0 - look.metalness));
            color("Ks", Vec3::repeat(look.mirrored()).lerp(&look.color, look.metalness));
            if look.transmission > 0.0 {
                color("Tf", look.surface_color() * look.transmission);
            }
            // Phong's exponent as wide as the lobe of a microfacet surface (B. Walter and others 2007), whose width is the squared roughness.
            let exponent = (2.0 / look.roughness.max(0.045).powi(4) - 2.0).clamp(0.0, 1000.0);
            // Highlights, and refraction where light passes through.
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

/// What the faces of a body are made of.
struct Matters<'a> {
    /// For each material of the body, that of its outside and that of its crack faces.
    sides: &'a [[Named; 2]],
    /// The body's material of each triangle of its surface.
    of: &'a dyn Fn(usize) -> usize,
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
        let looks = sides(body, label, body.looks()[0]);
        let matters = Matters { sides: &looks, of: &matter_of(&body.surface, looks.len()) };
        for part in parts(&body.surface) {
            let object = format!("{label}_piece_{}", part.piece);
            file.part(&object, label, &part, &matters, dressed[index].as_ref(), materials);
        }
        // What has a surface is shown by it.
        let bare = body.particles.iter().filter(|_| body.surface.triangles.is_empty());
        for cloud in bare.flat_map(clouds) {
            file.points(&format!("{label}_particles_{}", cloud.piece), label, &cloud.positions);
        }
    }
    for (obstacle, label) in frame.obstacles.iter().zip(&labels.obstacles) {
        if let ObstacleShape::Surface(surface) = &obstacle.shape {
            let material = Named { name: label.clone(), look: Look::obstacle() };
            let sides = [[material.clone(), material]];
            for part in parts(surface) {
                file.part(label, label, &part, &Matters { sides: &sides, of: &|_| 0 }, None, materials);
            }
        }
    }
    file.text
}

impl Text {
    /// An object with its vertices, then its faces by material, those of the outside first.
    fn part(
        &mut self,
        object: &str,
        group: &str,
        part: &Part,
        matters: &Matters<'_>,
        dressed: Option<&Dressed<'_>>,
        materials: &mut Materials,
    ) {
        let first = self.vertices + 1;
        self.object(object, group, &part.positions);
        let words = dressed.map(|dressed| self.carried(part, dressed));
        let mut faces: BTreeMap<(bool, usize), Vec<usize>> = BTreeMap::new();
        for number in 0..part.triangles.len() {
            let matter = part.faces.get(number).map_or(0, |&face| (matters.of)(face as usize));
            faces.entry((part.crack[number], matter)).or_default().push(number);
        }
        for ((is_crack, matter), numbers) in faces {
            let Named { name, look } = &matters.sides[matter][usize::from(is_crack)];
            append(&mut self.text, format_args!("usemtl {name}\n"));
            materials.looks.insert(name.clone(), *look);
            for number in numbers {
                let [a, b, c] = part.triangles[number].map(|vertex| first + vertex as usize);
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
