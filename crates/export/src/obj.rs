//! Wavefront OBJ: an object a piece, materials for outside and crack faces.

use std::collections::BTreeMap;
use std::fmt::Write;

use craze_frame::{Frame, ObstacleShape};
use craze_math::Vec3;

use crate::labels::Labels;
use crate::parts::{Part, clouds, parts};
use crate::{ExportError, Output, palette};

/// The materials that the sequence has used so far, with their colours, for the one `.mtl` file of all frames.
#[derive(Default)]
pub(crate) struct Materials {
    colours: BTreeMap<String, [f32; 3]>,
}

/// Writes the frame and notes the materials that it uses.
pub(crate) fn export(frame: &Frame, materials: &mut Materials, output: &mut Output) -> Result<(), ExportError> {
    let text = encode(frame, &format!("{}.mtl", output.base), materials);
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

/// The text of one frame. Vertices count through the whole file, from 1.
struct Text {
    text: String,
    vertices: usize,
}

fn encode(frame: &Frame, library: &str, materials: &mut Materials) -> String {
    let labels = Labels::of(frame);
    let mut file = Text { text: String::new(), vertices: 0 };
    let (number, time) = (frame.number, frame.time);
    append(&mut file.text, format_args!("# Craze, frame {number}, time {time:?} s, unit m, y up\nmtllib {library}\n"));
    for (index, (body, label)) in frame.bodies.iter().zip(&labels.bodies).enumerate() {
        let outside = (label.clone(), palette::outside(index));
        let crack = (format!("{label}_crack"), palette::crack(index));
        for part in parts(&body.surface) {
            let object = format!("{label}_piece_{}", part.piece);
            file.part(&object, label, &part, &[&outside, &crack], materials);
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
                file.part(label, label, &part, &[&material, &material], materials);
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
        materials: &mut Materials,
    ) {
        let first = self.vertices + 1;
        self.object(object, group, &part.positions);
        for (side, (material, colour)) in [false, true].into_iter().zip(sides) {
            let faces = part.triangles.iter().zip(&part.crack).filter(|(_, crack)| **crack == side);
            for (count, (triangle, _)) in faces.enumerate() {
                if count == 0 {
                    append(&mut self.text, format_args!("usemtl {material}\n"));
                    materials.colours.insert(material.clone(), *colour);
                }
                let [a, b, c] = triangle.map(|vertex| first + vertex as usize);
                append(&mut self.text, format_args!("f {a} {b} {c}\n"));
            }
        }
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
