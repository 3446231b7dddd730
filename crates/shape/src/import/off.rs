//! OFF files (Geomview): plain, with normals (NOFF), colours (COFF) or texture coordinates (STOFF).

use std::path::Path;

use craze_math::Vec3;

use super::faces::{Corner, Faces, Welding};
use super::model::Model;
use super::text::{decode_text, numbers, shortened};
use crate::error::ShapeError;

/// Attributes of points, from the file's first word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Variant {
    has_texture: bool,
    has_colour: bool,
    has_normal: bool,
    has_four_coordinates: bool,
    has_any_coordinates: bool,
}

/// The variant of a first word such as `OFF` or `STCNOFF`; `None` for other words.
pub(crate) fn variant_of(word: &str) -> Option<Variant> {
    let mut rest = word.strip_suffix("OFF")?;
    let mut take = |prefix: &str| match rest.strip_prefix(prefix) {
        Some(after) => {
            rest = after;
            true
        }
        None => false,
    };
    let variant = Variant {
        has_texture: take("ST"),
        has_colour: take("C"),
        has_normal: take("N"),
        has_four_coordinates: take("4"),
        has_any_coordinates: take("n"),
    };
    rest.is_empty().then_some(variant)
}

/// Parses an OFF file: one point per line, faces over one or more lines; the first word is optional.
/// Colours are ignored.
pub(crate) fn parse(bytes: &[u8], path: &Path) -> Result<Model, ShapeError> {
    if let Some(what) = binary_variant(bytes) {
        let help = "save it as text, or as PLY";
        return Err(ShapeError::UnsupportedFeature { path: path.to_owned(), what, help });
    }
    let text = decode_text(bytes, path, "OFF")?;
    let mut lines = Lines { path, lines: text.lines().enumerate(), last: 0 };
    let (variant, counts) = header(&mut lines)?;
    let [points, count_of_faces] = counts;
    // Shortest lines: "0 0 0" for a point, "0" for a face.
    for (count, what, least) in [(points, "points", 5), (count_of_faces, "faces", 1)] {
        if count > bytes.len() as u64 / least {
            return Err(lines.bad(format!("{count} {what} are declared, but the file has only {} bytes", bytes.len())));
        }
    }
    let mut faces = Faces::default();
    let mut has_colours = variant.has_colour;
    for number in 0..points {
        let statement = lines.next(|| format!("the file ends before point {number} of {points}"))?;
        has_colours |= read_point(statement, variant, &mut faces).map_err(|problem| lines.bad(problem))?;
    }
    for number in 0..count_of_faces {
        let statement = lines.next(|| format!("the file ends before face {number} of {count_of_faces}"))?;
        has_colours |= read_face(statement, &mut lines, variant, &mut faces)?;
    }
    if has_colours {
        faces.remarks.push("colours were left out".into());
    }
    // Points are duplicated where texture coordinates or normals differ.
    let welding = if variant.has_texture || variant.has_normal { Welding::Equal } else { Welding::Keep };
    faces.into_model(welding, path)
}

/// The first words of a binary file.
fn binary_variant(bytes: &[u8]) -> Option<String> {
    let line = bytes.split(|&byte| byte == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?;
    let mut words = line.split_whitespace();
    let word = words.next().filter(|word| variant_of(word).is_some())?;
    (words.next() == Some("BINARY")).then(|| format!("{word} BINARY"))
}

/// Lines with content and their numbers for errors.
struct Lines<'t, L> {
    path: &'t Path,
    lines: L,
    /// Number of the last line read, from 1.
    last: usize,
}

impl<'t, L: Iterator<Item = (usize, &'t str)>> Lines<'t, L> {
    fn bad(&self, problem: String) -> ShapeError {
        ShapeError::BadLine { path: self.path.to_owned(), line: self.last, problem }
    }

    /// The next line that is not blank or a comment.
    fn next(&mut self, if_none: impl Fn() -> String) -> Result<&'t str, ShapeError> {
        for (index, line) in self.lines.by_ref() {
            self.last = index + 1;
            let content = line.split('#').next().unwrap_or_default().trim();
            if !content.is_empty() {
                return Ok(content);
            }
        }
        Err(self.bad(if_none()))
    }
}

fn header<'t>(
    lines: &mut Lines<'t, impl Iterator<Item = (usize, &'t str)>>,
) -> Result<(Variant, [u64; 2]), ShapeError> {
    let no_counts = || "the file ends before its numbers of points and faces".to_owned();
    let mut first = lines.next(no_counts)?;
    let mut variant = Variant::default();
    let (word, rest) = first.split_once(char::is_whitespace).unwrap_or((first, ""));
    if let Some(named) = variant_of(word) {
        if named.has_four_coordinates || named.has_any_coordinates {
            let (path, what) = (lines.path.to_owned(), format!("{word}, points of other than three coordinates"));
            return Err(ShapeError::UnsupportedFeature { path, what, help: "save it with three" });
        }
        variant = named;
        first = rest.trim();
        if first.is_empty() {
            first = lines.next(no_counts)?;
        }
    }
    let mut words = first.split_whitespace();
    let mut count = |what: &str| {
        let word = words.next().unwrap_or_default();
        word.parse().map_err(|_| format!("\"{}\" is not a number of {what}", shortened(word)))
    };
    let counts =
        count("points").and_then(|points| Ok([points, count("faces")?])).map_err(|problem| lines.bad(problem))?;
    Ok((variant, counts))
}

/// Reads a line `x y z [nx ny nz] [colour] [s t]`; returns true if it has a colour.
fn read_point(statement: &str, variant: Variant, faces: &mut Faces) -> Result<bool, String> {
    let mut words = statement.split_whitespace();
    faces.points.push(Vec3::from(numbers(&mut words, "point", ["x", "y", "z"])?));
    if variant.has_normal {
        let normal = numbers(&mut words, "normal", ["x", "y", "z"])?;
        faces.normals.push(normal.map(|value| value as f32));
    }
    let mut left = words.clone().count();
    if variant.has_texture {
        // Skips a colour of unknown length.
        let skipped = if variant.has_colour { left.saturating_sub(2) } else { 0 };
        let mut words = words.skip(skipped);
        let texture = numbers(&mut words, "texture coordinate", ["s", "t"])?;
        faces.texture_coordinates.push(texture.map(|value| value as f32));
        left -= 2;
    }
    Ok(left > 0)
}

/// Reads a face `n p₁ … pₙ [colour]` that begins with `statement` and may go on in the next lines;
/// returns true if it has a colour.
fn read_face<'t>(
    statement: &'t str,
    lines: &mut Lines<'t, impl Iterator<Item = (usize, &'t str)>>,
    variant: Variant,
    faces: &mut Faces,
) -> Result<bool, ShapeError> {
    let mut words = statement.split_whitespace();
    let word = words.next().unwrap_or_default();
    let corners: usize =
        word.parse().map_err(|_| lines.bad(format!("\"{}\" is not a number of corners", shortened(word))))?;
    let count = faces.points.len();
    let mut polygon = Vec::new();
    for corner in 0..corners {
        let word = loop {
            match words.next() {
                Some(word) => break word,
                None => {
                    words = lines.next(|| format!("the face has {corner} of its {corners} corners"))?.split_whitespace()
                }
            }
        };
        let point: u64 =
            word.parse().map_err(|_| lines.bad(format!("\"{}\" is not the number of a point", shortened(word))))?;
        if point >= count as u64 {
            let problem = format!("the face uses point {point}, but points are numbered from 0 and there are {count}");
            return Err(lines.bad(problem));
        }
        let point = point as u32;
        let (texture, normal) = (variant.has_texture.then_some(point), variant.has_normal.then_some(point));
        polygon.push(Corner { point, texture, normal });
    }
    faces.push(polygon, None);
    Ok(words.next().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<Model, ShapeError> {
        parse(text.as_bytes(), Path::new("cube.off"))
    }

    /// A cube of quads, with extra words after each point and face.
    fn cube(header: &str, behind_point: impl Fn(usize) -> String, behind_face: &str) -> String {
        let mut text = format!("{header}\n");
        let corner = |k: usize, axis: usize| if k >> axis & 1 == 1 { 1 } else { -1 };
        for k in 0..8 {
            text += &format!("{} {} {} {}\n", corner(k, 0), corner(k, 1), corner(k, 2), behind_point(k));
        }
        for face in ["0 2 3 1", "4 5 7 6", "0 1 5 4", "2 6 7 3", "0 4 6 2", "1 3 7 5"] {
            text += &format!("4 {face} {behind_face}\n");
        }
        text
    }

    #[test]
    fn all_variants_of_a_cube_are_read() {
        let nothing = |_| String::new();
        let plain = cube("OFF\n# a comment\n\n8 6 0", nothing, "");
        let beside = cube("OFF 8 6 12 # beside", nothing, "255 0 0");
        let bare = cube("8 6 12", nothing, "");
        let coloured = cube("COFF\n8 6 0", |k| format!("0.5 0.{k} 0 1"), "3 0.1 0.2 0.3");
        let normal = cube("NOFF\n8 6 0", |_| "0 2 0".into(), "");
        let texture = cube("STOFF\n8 6 0", |k| format!("0.5 {k}"), "");
        let all = cube("STCNOFF\n8 6 0", |k| format!("0 3 0 255 0 0 0.5 {k}"), "");
        for (text, remarks, has_normals, has_textures) in [
            (plain, 0, false, false),
            (beside, 1, false, false),
            (bare, 0, false, false),
            (coloured, 1, false, false),
            (normal, 0, true, false),
            (texture, 0, false, true),
            (all, 1, true, true),
        ] {
            let model = read(&text).expect(&text);
            assert_eq!((model.surface.positions.len(), model.surface.triangles.len()), (8, 12));
            assert!((model.surface.closed_volume().expect("closed") - 8.0).abs() < 1e-12, "{text}");
            assert_eq!(model.remarks.len(), remarks, "{text} {:?}", model.remarks);
            assert_eq!((!model.normals.is_empty(), !model.texture_coordinates.is_empty()), (has_normals, has_textures));
            assert!(model.normals.iter().flatten().all(|normal| *normal == [0.0, 1.0, 0.0]));
            for (triangle, textures) in model.surface.triangles.iter().zip(&model.texture_coordinates) {
                assert_eq!(*textures, triangle.map(|point| [0.5, point as f32]));
            }
        }
    }

    #[test]
    fn errors_report_the_line() {
        let three = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n";
        for (text, message) in [
            ("".to_owned(), "cube.off:0: the file ends before its numbers of points and faces"),
            ("OFF\n".to_owned(), "cube.off:1: the file ends before its numbers of points and faces"),
            ("OFF\n3\n".to_owned(), "cube.off:2: \"\" is not a number of faces"),
            ("OFF\n-3 1 0\n".to_owned(), "cube.off:2: \"-3\" is not a number of points"),
            (
                "OFF\n1000000000 1 0\n0 0 0\n".to_owned(),
                "cube.off:2: 1000000000 points are declared, but the file has only 25 bytes",
            ),
            (
                "OFF\n1 99999999 0\n0 0 0\n".to_owned(),
                "cube.off:2: 99999999 faces are declared, but the file has only 23 bytes",
            ),
            ("OFF\n2 1 0\n0 0 0\n\n".to_owned(), "cube.off:4: the file ends before point 1 of 2"),
            (three.to_owned(), "cube.off:5: the file ends before face 0 of 1"),
            (
                format!("{three}3 0 1 3"),
                "cube.off:6: the face uses point 3, but points are numbered from 0 and there are 3",
            ),
            (format!("{three}3 0 1 -1"), "cube.off:6: \"-1\" is not the number of a point"),
            (format!("{three}3 0 1"), "cube.off:6: the face has 2 of its 3 corners"),
            (format!("{three}x 0 1"), "cube.off:6: \"x\" is not a number of corners"),
            ("OFF\n1 0 0\n0 x 0".to_owned(), "cube.off:3: y of the point is \"x\", which is not a number"),
            ("OFF\n1 0 0\n0 0 0".to_owned(), "cube.off has no faces (1 point found)"),
            (
                "4OFF\n1 0 0\n".to_owned(),
                "cube.off uses 4OFF, points of other than three coordinates, which is not supported: save it with three",
            ),
            (
                "OFF BINARY\n\0\0\0".to_owned(),
                "cube.off uses OFF BINARY, which is not supported: save it as text, or as PLY",
            ),
        ] {
            assert_eq!(read(&text).expect_err(message).to_string(), message);
        }
    }

    #[test]
    fn a_face_may_go_on_in_the_next_lines() {
        let split = cube("OFF\n8 6 0", |_| String::new(), "").replace("4 0 2 3 1", "4 0 2 # two more\n\n3\n1");
        let model = read(&split).expect("a cube");
        assert!((model.surface.closed_volume().expect("closed") - 8.0).abs() < 1e-12);
        // A face that is too short takes the next one's words, which is noticed at the end.
        let short = cube("OFF\n8 6 0", |_| String::new(), "").replace("4 0 2 3 1", "4 0 2 3");
        assert!(read(&short).expect_err("one face less").to_string().contains("the file ends before face 5 of 6"));
    }

    #[test]
    fn truncated_files_are_read_or_rejected() {
        let text = cube("STCNOFF\n8 6 0", |k| format!("0 3 0 255 0 0 0.5 {k}"), "");
        for end in 0..text.len() {
            let _ = read(&text[..end]);
        }
    }

    proptest! {
        #[test]
        fn random_text_never_panics(start in "(OFF|STOFF|CNOFF)?\n[0-3] [0-3] 0\n", text in "[-0-4.e #\n]{0,80}") {
            let _ = read(&(start + &text));
        }
    }
}
