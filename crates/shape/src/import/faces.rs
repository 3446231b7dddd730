//! Polygonal faces, converted to the triangles of a model.

use std::collections::HashMap;
use std::path::Path;

use craze_math::Vec3;

use super::brightness::DEFAULT_BRIGHTNESS;
use super::model::{Model, SurfaceMaterial, left_out};
use super::polygon::Triangulator;
use crate::error::ShapeError;
use crate::number_format::counted;
use crate::surface::TriangleSurface;
use crate::tuning::MAX_COORDINATE;

/// A face corner: indices of its point, texture coordinate and normal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corner {
    pub point: u32,
    pub texture: Option<u32>,
    pub normal: Option<u32>,
}

/// Faces of a file. The reader has checked all indices.
#[derive(Debug, Default)]
pub(crate) struct Faces {
    pub points: Vec<Vec3>,
    /// Brightness (1) of the first points; the others have the default.
    pub brightness: Vec<f32>,
    pub texture_coordinates: Vec<[f32; 2]>,
    pub normals: Vec<[f32; 3]>,
    pub materials: Vec<SurfaceMaterial>,
    pub remarks: Vec<String>,
    corners: Vec<Corner>,
    faces: Vec<Face>,
}

#[derive(Clone, Copy, Debug)]
struct Face {
    /// End of its corners; they start at the end of the previous face.
    end: usize,
    material: Option<u32>,
}

/// How to treat points with equal coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Welding {
    /// Keep the points of the file.
    Keep,
    /// Merge points with exactly equal coordinates: for formats that duplicate points per face, or
    /// where texture coordinates or normals differ.
    Equal,
}

impl Faces {
    /// Sets the brightness of the last point.
    pub fn set_last_brightness(&mut self, brightness: f32) {
        self.brightness.resize(self.points.len().saturating_sub(1), DEFAULT_BRIGHTNESS);
        self.brightness.push(brightness);
    }

    pub fn push(&mut self, corners: impl IntoIterator<Item = Corner>, material: Option<u32>) {
        self.corners.extend(corners);
        self.faces.push(Face { end: self.corners.len(), material });
    }

    /// Triangulates all faces and drops unused points, in file order.
    ///
    /// Left out, with a remark: faces with coordinates that are not numbers within ±1e18, faces
    /// with fewer than three distinct points, unused points. Fails if nothing is left.
    pub fn into_model(mut self, welding: Welding, path: &Path) -> Result<Model, ShapeError> {
        if self.faces.is_empty() {
            return Err(ShapeError::NoFaces { path: path.to_owned(), points: self.points.len() });
        }
        if u32::try_from(self.points.len()).is_err() {
            let problem = format!("{} points exceed 32-bit indices", self.points.len());
            return Err(ShapeError::BadPart { path: path.to_owned(), part: "points".into(), problem });
        }
        if welding == Welding::Equal {
            self.weld();
        }
        let mut remarks = std::mem::take(&mut self.remarks);
        let triangulated = self.triangulate(&mut remarks);
        if triangulated.corners.is_empty() {
            return Err(ShapeError::NoUsableFaces {
                path: path.to_owned(),
                faces: self.faces.len(),
                reason: remarks.join("; "),
            });
        }
        let mut model = Model { materials: std::mem::take(&mut self.materials), ..Model::default() };
        (model.surface, model.vertex_brightness) = self.compact(&triangulated.corners, welding, &mut remarks);
        model.material_of_triangle = materials_of(&triangulated.materials, &mut model.materials);
        model.texture_coordinates = self.textures(&triangulated.corners, &mut remarks);
        model.normals = self.unit_normals(&triangulated.corners, &model.surface, &mut remarks);
        model.remarks = remarks;
        Ok(model)
    }

    /// Maps each corner to the first point with the same coordinates.
    fn weld(&mut self) {
        let mut first_at: HashMap<[u64; 3], u32> = HashMap::with_capacity(self.points.len());
        let same: Vec<u32> = (0u32..)
            .zip(&self.points)
            .map(|(number, point)| {
                // Maps −0 to 0.
                let key = [point.x, point.y, point.z].map(|value| (value + 0.0).to_bits());
                *first_at.entry(key).or_insert(number)
            })
            .collect();
        for corner in &mut self.corners {
            corner.point = same[corner.point as usize];
        }
    }

    fn triangulate(&self, remarks: &mut Vec<String>) -> TriangulatedFaces {
        // False for NaN.
        let is_usable: Vec<bool> =
            self.points.iter().map(|point| point.iter().all(|value| value.abs() <= MAX_COORDINATE)).collect();
        let mut triangulated =
            TriangulatedFaces { corners: Vec::with_capacity(self.faces.len()), materials: Vec::new() };
        triangulated.materials.reserve(self.faces.len());
        let (mut unusable, mut degenerate, mut crossing) = (0, 0, 0);
        let mut triangulator = Triangulator::default();
        let mut polygon = Vec::new();
        let mut start = 0;
        for face in &self.faces {
            let corners = &self.corners[start..face.end];
            start = face.end;
            if !corners.iter().all(|corner| is_usable[corner.point as usize]) {
                unusable += corners.len().saturating_sub(2).max(1);
                continue;
            }
            polygon.clear();
            polygon.extend(corners.iter().map(|corner| corner.point));
            let triangles = triangulator.triangulate(&polygon, &self.points);
            triangulated
                .corners
                .extend(triangles.iter().map(|triangle| triangle.map(|corner| corners[corner as usize])));
            triangulated.materials.extend(triangles.iter().map(|_| face.material));
            degenerate += usize::from(triangles.is_empty());
            crossing += usize::from(triangulator.gave_up());
        }
        if unusable > 0 {
            remarks.push(left_out(unusable, "triangle", "with points that are not numbers within ±1e18"));
        }
        if degenerate > 0 {
            remarks.push(left_out(degenerate, "face", "with fewer than three distinct points"));
        }
        if crossing > 0 {
            let faces = counted(crossing, "face");
            remarks.push(format!("{faces} with self-intersections: the triangulation is approximate"));
        }
        triangulated
    }

    /// The used points in file order, the triangles over them, and the brightness of the points.
    fn compact(
        &self,
        corners: &[[Corner; 3]],
        welding: Welding,
        remarks: &mut Vec<String>,
    ) -> (TriangleSurface, Vec<f32>) {
        let mut number = vec![u32::MAX; self.points.len()];
        for corner in corners.iter().flatten() {
            number[corner.point as usize] = 0;
        }
        let mut positions = Vec::with_capacity(self.points.len());
        let (mut brightness, has_brightness) = (Vec::new(), !self.brightness.is_empty());
        for (index, (point, number)) in self.points.iter().zip(&mut number).enumerate() {
            if *number == 0 {
                *number = positions.len() as u32;
                positions.push(*point);
                brightness
                    .extend(has_brightness.then(|| self.brightness.get(index).copied().unwrap_or(DEFAULT_BRIGHTNESS)));
            }
        }
        let unused = self.points.len() - positions.len();
        // Welding leaves duplicates unused, which needs no remark.
        if unused > 0 && welding == Welding::Keep {
            remarks.push(left_out(unused, "point", "that no triangle uses"));
        }
        let triangles = corners.iter().map(|triangle| triangle.map(|corner| number[corner.point as usize])).collect();
        (TriangleSurface { positions, triangles }, brightness)
    }

    fn textures(&self, corners: &[[Corner; 3]], remarks: &mut Vec<String>) -> Vec<[[f32; 2]; 3]> {
        if corners.iter().flatten().all(|corner| corner.texture.is_none()) {
            return Vec::new();
        }
        let mut missing = 0;
        let mut texture = |corner: &Corner| {
            let found = corner.texture.map(|number| self.texture_coordinates[number as usize]);
            found.filter(|pair| pair.iter().all(|value| value.is_finite())).unwrap_or_else(|| {
                missing += 1;
                [0.0; 2]
            })
        };
        let textures = corners.iter().map(|triangle| triangle.each_ref().map(&mut texture)).collect();
        if missing > 0 {
            remarks.push(format!("{} without texture coordinates got (0, 0)", counted(missing, "corner")));
        }
        textures
    }

    fn unit_normals(
        &self,
        corners: &[[Corner; 3]],
        surface: &TriangleSurface,
        remarks: &mut Vec<String>,
    ) -> Vec<[[f32; 3]; 3]> {
        if corners.iter().flatten().all(|corner| corner.normal.is_none()) {
            return Vec::new();
        }
        let mut missing = 0;
        let mut normal = |corner: &Corner, triangle: &[u32; 3]| {
            let found = corner.normal.map(|number| Vec3::from(self.normals[number as usize].map(f64::from)));
            let unit = found.and_then(unit).unwrap_or_else(|| {
                missing += 1;
                let [a, b, c] = surface.corners(triangle);
                let turned = unit(b - a).zip(unit(c - a)).and_then(|(along, across)| unit(along.cross(&across)));
                turned.unwrap_or(Vec3::y())
            });
            [unit.x as f32, unit.y as f32, unit.z as f32]
        };
        let normals = corners
            .iter()
            .zip(&surface.triangles)
            .map(|(corners, triangle)| corners.each_ref().map(|corner| normal(corner, triangle)))
            .collect();
        if missing > 0 {
            remarks.push(format!("{} without normals got those of their triangles", counted(missing, "corner")));
        }
        normals
    }
}

/// Triangles by their face corners, and their materials.
struct TriangulatedFaces {
    corners: Vec<[Corner; 3]>,
    materials: Vec<Option<u32>>,
}

/// The unit vector; `None` for zero, infinite and NaN vectors.
fn unit(vector: Vec3) -> Option<Vec3> {
    // Scaling avoids underflow and overflow of squares; NaN and infinity fail the test below.
    let vector = vector / vector.amax();
    let length = vector.norm();
    length.is_finite().then(|| vector / length)
}

/// The material of each triangle; adds a material for triangles without one if others have one.
fn materials_of(of_triangle: &[Option<u32>], materials: &mut Vec<SurfaceMaterial>) -> Vec<u32> {
    if of_triangle.iter().all(Option::is_none) {
        materials.clear();
        return Vec::new();
    }
    let none = materials.len() as u32;
    if of_triangle.iter().any(Option::is_none) {
        materials.push(SurfaceMaterial { name: "none".into(), ..SurfaceMaterial::default() });
    }
    of_triangle.iter().map(|material| material.unwrap_or(none)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corner(point: u32) -> Corner {
        Corner { point, texture: Some(point), normal: Some(point) }
    }

    /// A unit square with texture coordinates and a normal per point.
    fn square() -> Faces {
        let corners_of_square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        Faces {
            points: corners_of_square.iter().map(|&[x, y]| Vec3::new(x, y, 0.0)).collect(),
            texture_coordinates: corners_of_square.iter().map(|&[x, y]| [x as f32, y as f32]).collect(),
            normals: vec![[0.0, 0.0, 2.0]; 4],
            ..Faces::default()
        }
    }

    fn model(faces: Faces) -> Model {
        faces.into_model(Welding::Keep, Path::new("square.obj")).expect("a model")
    }

    #[test]
    fn attributes_stay_with_their_corners() {
        let mut faces = square();
        faces.push([0, 1, 2, 3].map(corner), None);
        let model = model(faces);
        assert_eq!(model.surface.triangles.len(), 2);
        for (triangle, textures) in model.surface.triangles.iter().zip(&model.texture_coordinates) {
            for (&point, texture) in triangle.iter().zip(textures) {
                let position = model.surface.positions[point as usize];
                assert_eq!([position.x as f32, position.y as f32], *texture);
            }
        }
        assert!(model.normals.iter().flatten().all(|normal| *normal == [0.0, 0.0, 1.0]), "made unit");
        assert!(model.remarks.is_empty(), "{:?}", model.remarks);
    }

    #[test]
    fn unusable_triangles_are_left_out_and_counted() {
        let mut faces = square();
        faces.points.push(Vec3::new(f64::NAN, 0.0, 0.0));
        faces.points.push(Vec3::new(0.0, -1.1e18, 0.0));
        let bare = |point| Corner { point, texture: None, normal: None };
        faces.push([0, 1, 2].map(bare), None);
        faces.push([0, 1, 2, 3, 4].map(bare), None);
        faces.push([0, 5, 2].map(bare), None);
        faces.push([0, 1, 0].map(bare), None);
        let model = model(faces);
        assert_eq!((model.surface.triangles.len(), model.surface.positions.len()), (1, 3));
        assert!(model.normals.is_empty() && model.texture_coordinates.is_empty());
        assert_eq!(
            model.remarks,
            [
                "4 triangles with points that are not numbers within ±1e18 were left out",
                "1 face with fewer than three distinct points was left out",
                "3 points that no triangle uses were left out"
            ]
        );
    }

    #[test]
    fn a_model_without_usable_faces_is_rejected_with_the_reason() {
        let mut faces = square();
        faces.points[0].x = f64::INFINITY;
        faces.push([0, 1, 2].map(corner), None);
        let error = faces.into_model(Welding::Keep, Path::new("a.obj")).expect_err("nothing is left").to_string();
        let reason = "1 triangle with points that are not numbers within ±1e18 was left out";
        assert_eq!(error, format!("a.obj has no usable faces among its 1: {reason}"));
        let error = square().into_model(Welding::Keep, Path::new("a.obj")).expect_err("no faces").to_string();
        assert_eq!(error, "a.obj has no faces (4 points found)");
    }

    #[test]
    fn missing_attributes_are_filled() {
        let mut faces = square();
        faces.normals[1] = [0.0; 3];
        faces.texture_coordinates[2] = [f32::NAN, 0.0];
        faces.materials = vec![SurfaceMaterial { name: "paint".into(), ..SurfaceMaterial::default() }];
        faces.push([0, 1, 2].map(corner), Some(0));
        faces.push([0, 2, 3].map(|point| Corner { point, texture: None, normal: None }), None);
        let model = model(faces);
        assert!(model.normals.iter().flatten().all(|normal| *normal == [0.0, 0.0, 1.0]));
        assert_eq!(model.texture_coordinates[0], [[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]]);
        assert_eq!(model.material_of_triangle, [0, 1]);
        assert_eq!(model.materials.iter().map(|material| &material.name[..]).collect::<Vec<_>>(), ["paint", "none"]);
        assert_eq!(model.remarks.len(), 2, "{:?}", model.remarks);
    }

    #[test]
    fn welded_points_keep_their_corner_attributes() {
        let mut faces = square();
        faces.points.extend([Vec3::new(-0.0, 0.0, 0.0), Vec3::new(1.0, 1.0, -0.0)]);
        faces.texture_coordinates.extend([[7.0, 7.0], [8.0, 8.0]]);
        faces.normals.extend([[0.0, 0.0, 1.0]; 2]);
        faces.push([0, 1, 2].map(corner), None);
        faces.push([4, 5, 3].map(corner), None);
        faces.push([0, 4, 1].map(corner), None);
        let model = faces.into_model(Welding::Equal, Path::new("a.stl")).expect("a model");
        assert_eq!(model.surface.triangles, [[0, 1, 2], [0, 2, 3]]);
        assert_eq!(model.texture_coordinates[1], [[7.0, 7.0], [8.0, 8.0], [0.0, 1.0]]);
        assert_eq!(model.remarks, ["1 face with fewer than three distinct points was left out"]);
    }
}
