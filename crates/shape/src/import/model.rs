//! The imported model.

use craze_math::Vec3;

use super::format::Format;
use super::image::TextureImage;
use super::placement::ModelPlacement;
use crate::number_format::{counted, short};
use crate::surface::TriangleSurface;

/// Content of a model file, in the file's unit and axes until [`ModelPlacement`] is applied.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// File name.
    pub file: String,
    /// File format.
    pub format: Option<Format>,
    /// The placement that was applied, if any.
    pub placement: Option<ModelPlacement>,
    /// Its triangles; for tetrahedra their boundary, oriented outward.
    pub surface: TriangleSurface,
    /// Texture coordinates (1) of each triangle's corners, (0, 0) at the lower left of the image;
    /// empty if the file has none.
    pub texture_coordinates: Vec<[[f32; 2]; 3]>,
    /// Unit normals of each triangle's corners; empty if the file has none.
    pub normals: Vec<[[f32; 3]; 3]>,
    /// Appearance of the surface; the scene defines the physical material.
    pub materials: Vec<SurfaceMaterial>,
    /// Index of each triangle's material; empty if the file has none.
    pub material_of_triangle: Vec<u32>,
    /// Brightness of each point's colour (1): 0 is black, 1 white; empty if the file has no vertex
    /// colours.
    pub vertex_brightness: Vec<f32>,
    /// Nodes (m) and tetrahedra, if any.
    pub volume: Option<ModelVolume>,
    /// What was omitted or repaired, one sentence each.
    pub remarks: Vec<String>,
}

/// Tetrahedra of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelVolume {
    /// Node positions (m).
    pub nodes: Vec<Vec3>,
    /// Node indices, oriented so that each volume is positive.
    pub tetrahedra: Vec<[u32; 4]>,
    /// Region number (physical group, reference or cell attribute) of each tetrahedron; empty if
    /// the file has none.
    pub regions: Vec<i32>,
}

/// Appearance of a part of a surface.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceMaterial {
    /// Its name in the file.
    pub name: String,
    /// Base colour: linear red, green, blue and opacity (1).
    pub colour: Option<[f32; 4]>,
    /// Path or name of its colour texture in the file.
    pub texture: Option<String>,
    /// That texture, if it was found and is PNG or JPEG.
    pub image: Option<TextureImage>,
}

impl Model {
    /// A one-line summary, such as "bunny.obj: OBJ, 6,598 triangles over 3,301 points, 0.155 ×
    /// 0.154 × 0.12 m (unit m, y up)".
    pub fn summary(&self) -> String {
        let format = self.format.map_or("model", Format::name);
        let mut line = format!("{}: {format}, ", self.file);
        if let Some(volume) = &self.volume {
            let (tetrahedra, nodes) = (volume.tetrahedra.len(), volume.nodes.len());
            line += &format!("{} over {}, ", counted(tetrahedra, "tetrahedron"), counted(nodes, "node"));
        }
        let (triangles, points) = (self.surface.triangles.len(), self.surface.positions.len());
        line += &format!("{} over {}, ", counted(triangles, "triangle"), counted(points, "point"));
        if !self.texture_coordinates.is_empty() {
            line += "texture coordinates, ";
        }
        if !self.normals.is_empty() {
            line += "normals, ";
        }
        if !self.vertex_brightness.is_empty() {
            line += "vertex colours, ";
        }
        if !self.materials.is_empty() {
            line += &format!("{}, ", counted(self.materials.len(), "material"));
        }
        let extent = if points == 0 { Vec3::zeros() } else { self.surface.bounds().size() };
        let [width, height, depth] = [extent.x, extent.y, extent.z].map(short);
        line += &format!("{width} × {height} × {depth}");
        match &self.placement {
            Some(placement) => line + &format!(" m ({placement})"),
            None => line,
        }
    }
}

/// A remark on omitted items: "1 point that no triangle uses was left out".
pub(crate) fn left_out(count: usize, noun: &str, which: &str) -> String {
    let were = if count == 1 { "was" } else { "were" };
    format!("{} {which} {were} left out", counted(count, noun))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_says_how_the_file_was_read() {
        let model = Model {
            file: "sail.obj".into(),
            format: Some(Format::Obj),
            placement: Some(ModelPlacement { size: Some(0.2), ..ModelPlacement::default() }),
            surface: TriangleSurface {
                positions: vec![Vec3::zeros(), Vec3::new(0.2, 0.0, 0.0), Vec3::new(0.0, 0.123_456, 0.0)],
                triangles: vec![[0, 1, 2]],
            },
            ..Model::default()
        };
        let line = "sail.obj: OBJ, 1 triangle over 3 points, 0.2 × 0.123 × 0 m (scaled to 0.2 m, y up)";
        assert_eq!(model.summary(), line);
    }
}
