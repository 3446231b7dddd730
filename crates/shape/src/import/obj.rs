//! Wavefront OBJ files: points, texture coordinates, normals, faces and materials.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use craze_math::Vec3;

use super::brightness::{DEFAULT_BRIGHTNESS, brightness};
use super::external::ExternalFiles;
use super::faces::{Corner, Faces, Welding};
use super::model::{Model, SurfaceMaterial};
use super::mtl::{self, MaterialLibraries};
use super::text::{decode_text, numbers, shortened};
use crate::error::ShapeError;

/// Parses an OBJ file.
///
/// Faces may refer to later points. Rejects, with the line, missing or invalid coordinates and
/// invalid indices. Leaves out lines, single points and free-form surfaces. An unreadable material
/// library affects colours only.
pub(crate) fn parse(bytes: &[u8], path: &Path, external_files: &ExternalFiles<'_>) -> Result<Model, ShapeError> {
    let text = decode_text(bytes, path, "OBJ")?;
    let mut reader = Reader::default();
    for (line, statement) in statements(&text) {
        reader.read(line, &statement).map_err(|problem| ShapeError::BadLine {
            path: path.to_owned(),
            line,
            problem,
        })?;
    }
    let mut libraries = MaterialLibraries::default();
    for name in &reader.libraries {
        mtl::read_library(name, external_files, &mut libraries, &mut reader.remarks);
    }
    let faces = reader.into_faces(libraries, path)?;
    faces.into_model(Welding::Keep, path)
}

/// Indices of a corner, from 1; 0 if omitted.
type CornerIndices = [u64; 3];

/// What each index of a corner refers to.
const KINDS: [&str; 3] = ["point", "texture coordinate", "normal"];

#[derive(Default)]
struct Reader {
    points: Vec<Vec3>,
    /// Brightness (1) of the first points.
    brightness: Vec<f32>,
    texture_coordinates: Vec<[f32; 2]>,
    normals: Vec<[f32; 3]>,
    /// Corners of all faces; checked last, since faces may refer to later points.
    corners: Vec<CornerIndices>,
    /// Line, end of corners and material of each face.
    faces: Vec<(usize, usize, Option<u32>)>,
    materials: Vec<String>,
    number_of_material: HashMap<String, u32>,
    material: Option<u32>,
    libraries: Vec<String>,
    has_free_form: bool,
    remarks: Vec<String>,
}

impl Reader {
    fn read(&mut self, line: usize, statement: &str) -> Result<(), String> {
        let mut words = statement.split_whitespace();
        match words.next() {
            Some("v") => {
                self.points.push(Vec3::from(numbers(&mut words, "point", ["x", "y", "z"])?));
                let colour: Vec<f64> = words.map_while(|word| word.parse().ok()).collect();
                // A single extra number is a weight, which is ignored.
                if let [.., red, green, blue] = colour[..] {
                    self.brightness.resize(self.points.len() - 1, DEFAULT_BRIGHTNESS);
                    self.brightness.push(brightness([red, green, blue]));
                }
            }
            Some("vt") => {
                let [u] = numbers(&mut words, "texture coordinate", ["u"])?;
                // One-dimensional texture coordinate.
                let v = if words.clone().next().is_some() {
                    numbers(&mut words, "texture coordinate", ["v"])?[0]
                } else {
                    0.0
                };
                self.texture_coordinates.push([u as f32, v as f32]);
            }
            Some("vn") => self.normals.push(numbers(&mut words, "normal", ["x", "y", "z"])?.map(|value| value as f32)),
            // `fo` is an obsolete form of `f`.
            Some("f" | "fo") => {
                let so_far = [self.points.len(), self.texture_coordinates.len(), self.normals.len()];
                for word in words {
                    self.corners.push(parse_corner(word, so_far)?);
                }
                self.faces.push((line, self.corners.len(), self.material));
            }
            Some("usemtl") => self.material = Some(self.material_named(rest_of(statement))),
            Some("mtllib") => self.libraries.push(rest_of(statement).to_owned()),
            Some("curv" | "curv2" | "surf") => self.has_free_form = true,
            _ => {}
        }
        Ok(())
    }

    fn material_named(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.number_of_material.get(name) {
            return number;
        }
        let number = self.materials.len() as u32;
        self.materials.push(name.to_owned());
        self.number_of_material.insert(name.to_owned(), number);
        number
    }

    fn into_faces(mut self, libraries: MaterialLibraries, path: &Path) -> Result<Faces, ShapeError> {
        if self.has_free_form {
            self.remarks.push("free-form curves and surfaces were left out".into());
        }
        let counts = [self.points.len(), self.texture_coordinates.len(), self.normals.len()];
        let material = |name: String| {
            libraries.find(&name).cloned().unwrap_or(SurfaceMaterial { name, ..SurfaceMaterial::default() })
        };
        let mut faces = Faces::default();
        faces.points = self.points;
        faces.brightness = self.brightness;
        faces.texture_coordinates = self.texture_coordinates;
        faces.normals = self.normals;
        faces.materials = self.materials.into_iter().map(material).collect();
        faces.remarks = self.remarks;
        let mut start = 0;
        for (line, end, material) in self.faces {
            let corners = &self.corners[start..end];
            start = end;
            let missing = |numbers: &CornerIndices| (0..3).find(|&kind| numbers[kind] > counts[kind] as u64);
            if let Some((numbers, kind)) = corners.iter().find_map(|numbers| Some((numbers, missing(numbers)?))) {
                let (number, name, count) = (numbers[kind], KINDS[kind], counts[kind]);
                let problem = format!("the face uses {name} {number}, but the file has only {count}");
                return Err(ShapeError::BadLine { path: path.to_owned(), line, problem });
            }
            // Indices are bounded by the file size; more points than u32 are rejected later.
            let index = |number: u64| number.checked_sub(1).map(|index| index as u32);
            let corner = |numbers: &CornerIndices| Corner {
                point: (numbers[0] - 1) as u32,
                texture: index(numbers[1]),
                normal: index(numbers[2]),
            };
            faces.push(corners.iter().map(corner), material);
        }
        Ok(faces)
    }
}

/// The rest of a statement after its keyword; names may contain blanks.
fn rest_of(statement: &str) -> &str {
    statement.trim_start().split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim())
}

/// The indices of a corner such as `7`, `7/1`, `7//2` or `-1` (the last point so far).
fn parse_corner(word: &str, so_far: [usize; 3]) -> Result<CornerIndices, String> {
    let mut numbers = [0; 3];
    for (index, number) in word.split('/').take(3).enumerate() {
        // Only the point is required.
        if !(number.is_empty() && index > 0) {
            numbers[index] = parse_number(number, word, KINDS[index], so_far[index])?;
        }
    }
    Ok(numbers)
}

fn parse_number(number: &str, word: &str, kind: &str, so_far: usize) -> Result<u64, String> {
    let value: i64 = number.parse().map_err(|_| format!("\"{}\" is not the number of a {kind}", shortened(word)))?;
    match value {
        1.. => Ok(value.unsigned_abs()),
        0 => Err(format!("{kind}s are numbered from 1, but the face uses {kind} 0")),
        _ => (so_far as u64 + 1)
            .checked_sub(value.unsigned_abs())
            .filter(|&number| number > 0)
            .ok_or_else(|| format!("the face uses {kind} {value}, but only {so_far} {kind}s precede it")),
    }
}

/// Statements with their first line number, without comments, continuation lines joined.
fn statements(text: &str) -> impl Iterator<Item = (usize, Cow<'_, str>)> {
    let content = |line| str::split(line, '#').next().unwrap_or_default().trim();
    let mut lines = text.lines().enumerate();
    std::iter::from_fn(move || {
        let (index, line) = lines.next()?;
        let mut statement = Cow::Borrowed(content(line));
        while statement.ends_with('\\') {
            let joined = statement.to_mut();
            joined.pop();
            joined.push(' ');
            joined.push_str(lines.next().map_or("", |(_, line)| content(line)));
        }
        Some((index + 1, statement))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse_with(text: &str, library: &'static str) -> Result<Model, ShapeError> {
        let files = |_: &Path| match library {
            "" => Err(std::io::Error::other("it is not there")),
            text => Ok(text.as_bytes().to_vec()),
        };
        parse(text.as_bytes(), Path::new("model.obj"), &files)
    }

    const CUBE: &str = "# a cube of quads\nmtllib look.mtl\no cube\n\
        v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1 0.5 0.5 0.5\nv 1 1 1\nv -1 1 1\nv 9 9 9\n\
        vt 0 0\nvt 1 0\nvt 1 1 0\nvt 0.25\nvn 0 0 2\nusemtl red paint\ns off\n\
        f 4/1/1 3/2/1 2/3/1 1/4/1\nf 5//1 6//1 7//1 8//1\nusemtl other\nf 1 2 6 5\nf 2 3 \\\n 7 6\nf 3 4 8 7\nf -2 -6 -9 -5 # left\n";

    #[test]
    fn a_cube_of_quads_is_read_whole() {
        let model = parse_with(CUBE, "newmtl red paint\nKd 1 0 0\nmap_Kd a.png\n").expect("a cube");
        assert_eq!((model.surface.positions.len(), model.surface.triangles.len()), (8, 12));
        assert!((model.surface.closed_volume().expect("closed") - 8.0).abs() < 1e-12);

        let uv_of_point = |point: u32| [[0.0, 0.25], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]][point as usize];
        for (triangle, uvs) in model.surface.triangles.iter().zip(&model.texture_coordinates).take(2) {
            let want = triangle.map(|point| if point == 0 { [0.25, 0.0] } else { uv_of_point(point) });
            assert_eq!(*uvs, want);
        }
        assert_eq!(model.normals[0], [[0.0, 0.0, 1.0]; 3]);
        assert_eq!(model.normals[5][0].map(f32::abs).iter().sum::<f32>(), 1.0, "a face without normals has its own");

        assert_eq!(model.vertex_brightness, [1.0, 1.0, 1.0, 1.0, 1.0, 0.5, 1.0, 1.0]);
        assert_eq!(model.material_of_triangle, [0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]);
        assert_eq!(model.materials[0].colour, Some([1.0, 0.0, 0.0, 1.0]));
        assert_eq!(model.materials[0].texture.as_deref(), Some("a.png"));
        assert_eq!(model.materials[1], SurfaceMaterial { name: "other".into(), ..SurfaceMaterial::default() });
        assert!(
            model.remarks.contains(&"1 point that no triangle uses was left out".to_owned()),
            "{:?}",
            model.remarks
        );
    }

    #[test]
    fn a_missing_library_affects_appearance_only() {
        let model = parse_with(CUBE, "").expect("a cube");
        assert_eq!(model.materials[0], SurfaceMaterial { name: "red paint".into(), ..SurfaceMaterial::default() });
        assert_eq!(model.remarks[0], "the material library \"look.mtl\" was not read: it is not there");
    }

    #[test]
    fn errors_report_file_and_line() {
        let three = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
        for (text, message) in [
            (format!("{three}f 1 2 4\n"), "model.obj:4: the face uses point 4, but the file has only 3"),
            (format!("{three}f 1 2 0\n"), "model.obj:4: points are numbered from 1, but the face uses point 0"),
            (format!("{three}f 1 2 -4\n"), "model.obj:4: the face uses point -4, but only 3 points precede it"),
            (format!("{three}f 1 2 3/1\n"), "model.obj:4: the face uses texture coordinate 1, but the file has only 0"),
            (
                format!("{three}vn 1 0 0\nf 1//2 2//1 3//1"),
                "model.obj:5: the face uses normal 2, but the file has only 1",
            ),
            (format!("{three}f 1 2 x\n"), "model.obj:4: \"x\" is not the number of a point"),
            (
                format!("{three}f 1 2 99999999999999999999\n"),
                "model.obj:4: \"99999999999999999999\" is not the number of a point",
            ),
            ("v 0 0\n".to_owned(), "model.obj:1: the point has no z"),
            ("\nv 0 0 z\n".to_owned(), "model.obj:2: z of the point is \"z\", which is not a number"),
            ("vt\n".to_owned(), "model.obj:1: the texture coordinate has no u"),
            (three.to_owned(), "model.obj has no faces (3 points found)"),
            (String::new(), "model.obj has no faces (0 points found)"),
            (
                format!("{three}f 1 2\n"),
                "model.obj has no usable faces among its 1: 1 face with fewer than three distinct points was left out",
            ),
            ("v \0".to_owned(), "model.obj is not a valid OBJ file: byte 2 is not text"),
        ] {
            assert_eq!(parse_with(&text, "").expect_err(message).to_string(), message);
        }
    }

    #[test]
    fn triangles_with_invalid_coordinates_are_left_out() {
        let model =
            parse_with("v 0 0 0\nv 1 0 0\nv 0 1 0\nv nan 0 0\nv 0 1e300 -inf\nf 1 2 3\nf 1 2 4\nf 1 5 3 2\n", "");
        let model = model.expect("a triangle");
        assert_eq!(model.surface.triangles, [[0, 1, 2]]);
        assert_eq!(model.remarks[0], "3 triangles with points that are not numbers within ±1e18 were left out");
    }

    #[test]
    fn a_backslash_continues_a_statement() {
        let text = "a\\\nb # c \\\n\\\nd\\";
        let got: Vec<(usize, String)> = statements(text).map(|(line, text)| (line, text.into_owned())).collect();
        assert_eq!(got, [(1, "a b".to_owned()), (3, " d ".to_owned())]);
    }

    proptest! {
        #[test]
        fn random_text_never_panics(text in "([vtnf#\\\\ /\\-0-9.e\n]|nan|usemtl a){0,120}") {
            let _ = parse_with(&text, "newmtl a");
        }
    }
}
