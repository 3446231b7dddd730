//! What a file holds.

use craze_math::Vec3;

use super::format::Format;
use super::picture::Picture;
use super::placement::ModelPlacement;
use crate::surface::TriangleSurface;
use crate::words::{counted, short};

/// What a file holds, in the file's own unit and axes until it is placed by [`ModelPlacement`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// Name of the file.
    pub file: String,
    /// What kind of file it is.
    pub format: Option<Format>,
    /// How its coordinates became metres, once it is placed.
    pub placement: Option<ModelPlacement>,
    /// Its triangles; of a file of tetrahedra those of their boundary, outward.
    pub surface: TriangleSurface,
    /// Texture coordinates (1) of every triangle's corners, (0, 0) at the lower left of the picture; empty where the file has
    /// none.
    pub texture_coordinates: Vec<[[f32; 2]; 3]>,
    /// Unit normals of every triangle's corners; empty where the file has none.
    pub normals: Vec<[[f32; 3]; 3]>,
    /// Materials of the surface by name and look; what matter a body is made of is the scene's business.
    pub materials: Vec<SurfaceMaterial>,
    /// Number of every triangle's material; empty where the file has none.
    pub material_of_triangle: Vec<u32>,
    /// How bright every point of the surface is painted (1): 0 is black, 1 white; empty where the file has no colours of points.
    pub vertex_brightness: Vec<f32>,
    /// Nodes (m) and tetrahedra, if the file has any.
    pub volume: Option<ModelVolume>,
    /// What was left out or put right while placement, each a sentence.
    pub remarks: Vec<String>,
}

/// Tetrahedra of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelVolume {
    /// Where the nodes are.
    pub nodes: Vec<Vec3>,
    /// Four nodes each, turned so that every volume is positive.
    pub tetrahedra: Vec<[u32; 4]>,
    /// The file's number of the region (physical group, reference, cell attribute) of every tetrahedron; empty where the
    /// file has none.
    pub regions: Vec<i32>,
}

/// How a part of a surface looks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceMaterial {
    /// Its name in the file.
    pub name: String,
    /// Base colour, linear red, green, blue and opacity (1).
    pub colour: Option<[f32; 4]>,
    /// Path or name of its colour texture as it stands in the file.
    pub texture: Option<String>,
    /// That texture, if it was found and glTF knows its format.
    pub picture: Option<Picture>,
}

impl Model {
    /// A line that says how the file was read, such as "bunny.obj: OBJ, 6,598 triangles over 3,301 points,
    /// 0.155 × 0.154 × 0.12 m (unit m, y up)".
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

/// A remark on what is missing: "1 point that no triangle uses was left out".
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
