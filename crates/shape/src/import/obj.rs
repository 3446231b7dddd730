//! Models in Wavefront OBJ files: points and faces; everything else (colours, textures, groups) is left out.
//!
//! Read here rather than by a library, so that every error can say its line.

use std::path::Path;

use craze_math::Vec3;

use super::polygon::triangulate;
use crate::error::ShapeError;
use crate::surface::TriangleSurface;

/// A model and how it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedModel {
    /// Its triangles over the points that they use, in the order of the file.
    pub surface: TriangleSurface,
    /// Faces in the file, which may have any number of corners.
    pub faces: usize,
    /// Faces left out since fewer than three of their corners differ.
    pub degenerate_faces: usize,
    /// Points left out since no face uses them.
    pub unused_points: usize,
}

/// A face as it stands in the file.
struct Face {
    line: usize,
    /// Points from 1; they may follow the face in the file, so they are checked last.
    points: Vec<u64>,
}

/// Reads an OBJ file; see [`parse_obj`].
pub fn read_obj(path: &Path) -> Result<ImportedModel, ShapeError> {
    let bytes = std::fs::read(path).map_err(|source| ShapeError::Read { path: path.to_owned(), source })?;
    let text = std::str::from_utf8(&bytes)
        .map_err(|error| ShapeError::NotText { path: path.to_owned(), byte: error.valid_up_to() })?;
    parse_obj(text, path)
}

/// Reads the text of an OBJ file; `path` is what errors call it.
///
/// Polygons are cut into triangles. Refuses, with the line: coordinates that are missing, not numbers or beyond ±1e18,
/// points that do not exist, faces of less than three corners; and models without faces.
pub fn parse_obj(text: &str, path: &Path) -> Result<ImportedModel, ShapeError> {
    let bad = |line: usize, problem: String| ShapeError::BadLine { path: path.to_owned(), line, problem };
    let mut points: Vec<Vec3> = Vec::new();
    let mut faces: Vec<Face> = Vec::new();
    for (line, statement) in statements(text) {
        let mut words = statement.split_whitespace();
        match words.next() {
            Some("v") => points.push(parse_point(words).map_err(|problem| bad(line, problem))?),
            Some("f") => {
                let corners: Result<Vec<u64>, String> = words.map(|word| parse_corner(word, points.len())).collect();
                let corners = corners.map_err(|problem| bad(line, problem))?;
                if corners.len() < 3 {
                    return Err(bad(line, format!("a face needs at least 3 corners, this one has {}", corners.len())));
                }
                faces.push(Face { line, points: corners });
            }
            _ => {}
        }
    }
    if faces.is_empty() {
        return Err(ShapeError::NoFaces { path: path.to_owned(), points: points.len() });
    }
    for face in &faces {
        if let Some(&point) = face.points.iter().find(|&&point| point > points.len() as u64) {
            return Err(bad(face.line, format!("the face uses point {point}, but the file has only {}", points.len())));
        }
    }
    assemble(points, &faces)
}

/// Triangles over the points that faces use.
fn assemble(points: Vec<Vec3>, faces: &[Face]) -> Result<ImportedModel, ShapeError> {
    let mut triangles = Vec::with_capacity(faces.len());
    let mut degenerate_faces = 0;
    for face in faces {
        // Points are at most as many as the bytes of the file, and numbered from 1.
        let polygon: Vec<u32> = face.points.iter().map(|&point| (point - 1) as u32).collect();
        let pieces = triangulate(&polygon, &points);
        degenerate_faces += usize::from(pieces.is_empty());
        triangles.extend(pieces);
    }
    let mut number = vec![u32::MAX; points.len()];
    for &point in triangles.iter().flatten() {
        number[point as usize] = 0;
    }
    let mut positions = Vec::with_capacity(points.len());
    for (point, number) in points.iter().zip(&mut number) {
        if *number == 0 {
            *number = positions.len() as u32;
            positions.push(*point);
        }
    }
    let unused_points = points.len() - positions.len();
    let triangles = triangles.iter().map(|t| t.map(|point| number[point as usize])).collect();
    let surface = TriangleSurface::new(positions, triangles)?;
    Ok(ImportedModel { surface, faces: faces.len(), degenerate_faces, unused_points })
}

/// Statements with the line on which they start: comments cut off, lines that end in a backslash joined with the next.
fn statements(text: &str) -> Vec<(usize, String)> {
    let mut statements = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (index, line) in text.lines().enumerate() {
        let content = line.split('#').next().unwrap_or_default().trim();
        let (content, goes_on) = match content.strip_suffix('\\') {
            Some(content) => (content, true),
            None => (content, false),
        };
        let (start, mut statement) = open.take().unwrap_or((index + 1, String::new()));
        statement.push_str(content);
        if goes_on {
            statement.push(' ');
            open = Some((start, statement));
        } else if !statement.is_empty() {
            statements.push((start, statement));
        }
    }
    statements.extend(open);
    statements
}

fn parse_point<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<Vec3, String> {
    let mut point = Vec3::zeros();
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
        let word = words.next().ok_or_else(|| format!("the point has no {name}"))?;
        let value: f64 =
            word.parse().map_err(|_| format!("{name} of the point is \"{word}\", which is not a number"))?;
        // NaN fails the comparison.
        if !matches!(value.abs().partial_cmp(&1e18), Some(std::cmp::Ordering::Less | std::cmp::Ordering::Equal)) {
            return Err(format!("{name} of the point is {word}: coordinates must be numbers within ±1e18"));
        }
        point[axis] = value;
    }
    Ok(point)
}

/// The point of a corner such as `7`, `7/1`, `7//2` or `-1` (the last point so far), numbered from 1.
fn parse_corner(word: &str, so_far: usize) -> Result<u64, String> {
    let number = word.split('/').next().unwrap_or_default();
    let value: i64 = number.parse().map_err(|_| format!("\"{word}\" is not the number of a point"))?;
    match value {
        1.. => Ok(value.unsigned_abs()),
        0 => Err("points are numbered from 1, but the face uses point 0".to_owned()),
        _ => (so_far as u64 + 1)
            .checked_sub(value.unsigned_abs())
            .filter(|&point| point > 0)
            .ok_or_else(|| format!("the face uses point {value}, but only {so_far} points stand before it")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(text: &str) -> Result<ImportedModel, ShapeError> {
        parse_obj(text, Path::new("model.obj"))
    }

    const CUBE: &str = "# a cube of quads\nmtllib none.mtl\no cube\n\
        v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1 0.5 0.5 0.5\nv 1 1 1\nv -1 1 1\nv 9 9 9\n\
        vt 0 0\nvn 0 0 1\nusemtl none\ns off\n\
        f 4/1/1 3/1/1 2/1/1 1/1/1\nf 5//1 6//1 7//1 8//1\nf 1 2 6 5\nf 2 3 \\\n 7 6\nf 3 4 8 7\nf -2 -6 -9 -5 # left\n";

    #[test]
    fn a_cube_of_quads_is_read_whole() {
        let model = parse(CUBE).expect("a cube");
        assert_eq!((model.faces, model.degenerate_faces, model.unused_points), (6, 0, 1));
        assert_eq!((model.surface.positions.len(), model.surface.triangles.len()), (8, 12));
        assert!((model.surface.closed_volume().expect("closed") - 8.0).abs() < 1e-12);
    }

    #[test]
    fn faults_are_named_with_file_and_line() {
        let three = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
        for (text, message) in [
            (format!("{three}f 1 2 4\n"), "model.obj:4: the face uses point 4, but the file has only 3"),
            (format!("{three}f 1 2 0\n"), "model.obj:4: points are numbered from 1, but the face uses point 0"),
            (format!("{three}f 1 2 -4\n"), "model.obj:4: the face uses point -4, but only 3 points stand before it"),
            (format!("{three}\nf 1 2\n"), "model.obj:5: a face needs at least 3 corners, this one has 2"),
            (format!("{three}f 1 2 x\n"), "model.obj:4: \"x\" is not the number of a point"),
            ("v 0 nan 0\n".to_owned(), "model.obj:1: y of the point is nan: coordinates must be numbers within ±1e18"),
            (
                "\nv 0 0 1e300\n".to_owned(),
                "model.obj:2: z of the point is 1e300: coordinates must be numbers within ±1e18",
            ),
            ("v 0 0\n".to_owned(), "model.obj:1: the point has no z"),
            ("v 0 0 z\n".to_owned(), "model.obj:1: z of the point is \"z\", which is not a number"),
            (three.to_owned(), "model.obj has no faces (3 points were found)"),
            (String::new(), "model.obj has no faces (0 points were found)"),
        ] {
            assert_eq!(parse(&text).expect_err(message).to_string(), message);
        }
    }

    #[test]
    fn faces_without_area_are_counted() {
        let model = parse("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 1\n").expect("a triangle");
        assert_eq!((model.surface.triangles.len(), model.degenerate_faces), (1, 1));
    }

    #[test]
    fn files_that_are_missing_or_binary_are_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("model.obj");
        assert!(matches!(read_obj(&path), Err(ShapeError::Read { .. })));
        std::fs::write(&path, [b'v', b' ', 0xff, 0xfe]).expect("written");
        assert!(matches!(read_obj(&path), Err(ShapeError::NotText { byte: 2, .. })));
        std::fs::write(&path, CUBE).expect("written");
        assert_eq!(read_obj(&path).expect("a cube").faces, 6);
        assert!(matches!(read_obj(folder.path()), Err(ShapeError::Read { .. })));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "([vf#\\\\ /\\-0-9.e\n]|nan){0,120}") {
            let _ = parse(&text);
        }
    }
}
