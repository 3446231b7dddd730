//! Data types of a frame.

use craze_material::Look;
use craze_math::Vec3;

use crate::hash::Hasher64;
use serde::{Deserialize, Serialize};

/// Names of attributes that methods write and that exporters and pictures interpret.
pub mod names {
    /// Piece of a triangle, tetrahedron or particle: index into
    /// [`BodyFrame::pieces`](super::BodyFrame::pieces).
    pub const PIECE: &str = "piece";
    /// 1 on crack faces, 0 on the original surface.
    pub const CRACK: &str = "crack";
    /// Largest principal stress (Pa).
    pub const STRESS: &str = "stress";
    /// Plastic strain (dimensionless).
    pub const PLASTIC_STRAIN: &str = "plastic_strain";
    /// Thickness of a sheet (m), by vertex or by triangle.
    pub const THICKNESS: &str = "thickness";
    /// Velocity (m/s).
    pub const VELOCITY: &str = "velocity";
    /// Position in the rest shape, placed as at the start (m).
    pub const REST: &str = "rest";
    /// Material of an element: index into [`BodyFrame::materials`](super::BodyFrame::materials).
    pub const MATERIAL: &str = "material";
    /// Source triangle in the repaired imported model; undefined on crack faces.
    pub const SOURCE: &str = "source";
    /// Full Cauchy stress (Pa), a [`Data::Tensor`](super::Data::Tensor).
    pub const STRESS_TENSOR: &str = "stress_tensor";
    /// Texture coordinates (1) of corners, (0, 0) at the lower left: a
    /// [`Data::Pair`](super::Data::Pair). They differ between the triangles at a seam.
    pub const UV: &str = "uv";
    /// Unit normals of corners. They differ between the triangles at a crease.
    pub const NORMAL: &str = "normal";
    /// Layer of a triangle of a laminate, from 0 at the bottom.
    pub const LAYER: &str = "layer";
    /// Material slot of a triangle: index into [`Surface::slots`](super::Surface::slots).
    pub const SLOT: &str = "slot";
    /// Side of a triangle of a thick surface: 0 top, 1 bottom, 2 rim, see
    /// [`Surface::thick`](super::Surface::thick).
    pub const SIDE: &str = "side";
}

/// State of a scene at one moment, as far as it is visible.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Frame number; 0 is the initial state.
    pub number: u32,
    /// Simulated time (s).
    pub time: f64,
    /// Deformable bodies, in the order of the scene.
    pub bodies: Vec<BodyFrame>,
    /// Obstacles, in the order of the scene.
    pub obstacles: Vec<ObstacleFrame>,
}

/// One body in a frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BodyFrame {
    /// Name in the scene.
    pub name: String,
    /// Name of its method in the scene file.
    pub method: String,
    /// Names of its materials.
    pub materials: Vec<String>,
    /// Look of its first material if the scene sets one; otherwise looks follow from material
    /// names.
    pub look: Option<Look>,
    /// Visible surface; empty for a body of particles only.
    pub surface: Surface,
    /// Tetrahedra, if the method has them and the run requested them.
    pub volume: Option<Volume>,
    /// Particles, if the method has them.
    pub particles: Option<Particles>,
    /// Connected components. Empty only if nothing of the body is left.
    pub pieces: Vec<Piece>,
    /// Hash of the connectivity, see [`mark_topology`](Self::mark_topology). Two frames of a body
    /// have the same vertices in the same order unless it differs. 0 in frames of earlier versions.
    pub topology: u64,
}

/// Name of a material given by numbers alone, which implies no look.
const CUSTOM_MATERIAL: &str = "custom";

impl BodyFrame {
    /// Sets [`topology`](Self::topology) from the numbers of points, triangles, tetrahedra and
    /// lines.
    pub fn mark_topology(&mut self) {
        let mut hasher = Hasher64::new();
        hasher.update_u64(self.surface.positions.len() as u64);
        hasher.update_u64(self.surface.triangles.len() as u64);
        for &vertex in self.surface.triangles.iter().flatten() {
            hasher.update_u64(u64::from(vertex));
        }
        for line in &self.surface.lines {
            hasher.update_u64(line.vertices.len() as u64);
            line.vertices.iter().for_each(|&vertex| hasher.update_u64(u64::from(vertex)));
        }
        let volume = self.volume.iter().flat_map(|volume| &volume.tetrahedra);
        for &node in volume.flatten() {
            hasher.update_u64(u64::from(node));
        }
        hasher.update_u64(self.particles.as_ref().map_or(0, |particles| particles.positions.len() as u64));
        self.topology = hasher.finish();
    }

    /// True if vertices or triangles are not those of an earlier frame of the body. Frames without
    /// a mark always differ.
    pub fn topology_changed(&self, earlier: &BodyFrame) -> bool {
        self.topology == 0 || self.topology != earlier.topology
    }

    /// Look of each material, at least one: from the scene, else from the table of [`Look`] by
    /// material name, else a colour derived from the name of the material or the body.
    pub fn looks(&self) -> Vec<Look> {
        let of_name = |name: &String| {
            let unknown =
                || Look::for_unknown(if name.is_empty() || name == CUSTOM_MATERIAL { &self.name } else { name });
            Look::for_material(name).unwrap_or_else(unknown)
        };
        let mut looks: Vec<Look> = self.materials.iter().map(of_name).collect();
        if looks.is_empty() {
            looks.push(of_name(&String::new()));
        }
        looks[0] = self.look.unwrap_or(looks[0]);
        looks
    }
}

/// A triangle mesh with attributes: the boundary of a solid, or an open sheet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Surface {
    /// Vertex positions in the world (m).
    pub positions: Vec<Vec3>,
    /// Counter-clockwise from outside, or from the top of a sheet.
    pub triangles: Vec<[u32; 3]>,
    /// One value per vertex.
    pub vertex_attributes: Attributes,
    /// One value per triangle.
    pub face_attributes: Attributes,
    /// One value per corner; corner k of triangle t has index 3 t + k.
    pub corner_attributes: Attributes,
    /// Seams and crack paths.
    pub lines: Vec<Line>,
    /// Names of the material slots of an imported model, see [`names::SLOT`].
    pub slots: Vec<String>,
    /// Set if the surface is the middle surface of a sheet, which may be open; `None` for the
    /// boundary of a solid.
    pub sheet: Option<Sheet>,
}

/// Properties of an open sheet.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sheet {
    /// Thickness (m) where no attribute [`names::THICKNESS`] gives another.
    pub thickness: f64,
}

/// A polyline over vertices of a surface.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Its meaning.
    pub kind: LineKind,
    /// Successive vertices; a closed line ends with its first vertex.
    pub vertices: Vec<u32>,
}

/// Meanings of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LineKind {
    /// A seam of a garment or of texture coordinates.
    Seam,
    /// One side of a crack.
    Crack,
}

/// A tetrahedral mesh with attributes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Volume {
    /// Node positions in the world (m).
    pub positions: Vec<Vec3>,
    /// Positively oriented.
    pub tetrahedra: Vec<[u32; 4]>,
    /// One value per node.
    pub node_attributes: Attributes,
    /// One value per tetrahedron.
    pub cell_attributes: Attributes,
}

/// Particles with attributes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Particles {
    /// Positions in the world (m).
    pub positions: Vec<Vec3>,
    /// Radius for display and contact (m).
    pub radius: f64,
    /// One value per particle.
    pub attributes: Attributes,
}

/// Named arrays, in insertion order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Attributes(pub Vec<Attribute>);

/// One named array.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attribute {
    /// One of [`names`], or a method's own.
    pub name: String,
    /// The values.
    pub data: Data,
}

/// Values of an attribute.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Data {
    /// Floating-point numbers.
    Scalar(Vec<f64>),
    /// Vectors.
    Vector(Vec<Vec3>),
    /// Indices and flags.
    Index(Vec<u32>),
    /// Pairs, such as texture coordinates.
    Pair(Vec<[f64; 2]>),
    /// Symmetric tensors: xx, yy, zz, xy, yz, xz.
    Tensor(Vec<[f64; 6]>),
}

impl Data {
    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            Data::Scalar(values) => values.len(),
            Data::Vector(values) => values.len(),
            Data::Index(values) => values.len(),
            Data::Pair(values) => values.len(),
            Data::Tensor(values) => values.len(),
        }
    }

    /// The values at some indices.
    ///
    /// # Panics
    /// If an index is out of range.
    pub fn select(&self, indices: &[usize]) -> Data {
        fn chosen<Value: Copy>(values: &[Value], indices: &[usize]) -> Vec<Value> {
            indices.iter().map(|&index| values[index]).collect()
        }
        match self {
            Data::Scalar(values) => Data::Scalar(chosen(values, indices)),
            Data::Vector(values) => Data::Vector(chosen(values, indices)),
            Data::Index(values) => Data::Index(chosen(values, indices)),
            Data::Pair(values) => Data::Pair(chosen(values, indices)),
            Data::Tensor(values) => Data::Tensor(chosen(values, indices)),
        }
    }

    /// Names of the components, to append to the name of the attribute; one empty name for numbers.
    pub fn component_names(&self) -> &'static [&'static str] {
        match self {
            Data::Scalar(_) | Data::Index(_) => &[""],
            Data::Pair(_) => &["_u", "_v"],
            Data::Vector(_) => &["_x", "_y", "_z"],
            Data::Tensor(_) => &["_xx", "_yy", "_zz", "_xy", "_yz", "_xz"],
        }
    }

    /// A component of a value. Indices become numbers.
    ///
    /// # Panics
    /// If the index or the component is out of range.
    pub fn component(&self, index: usize, component: usize) -> f64 {
        match self {
            Data::Scalar(values) => values[index],
            Data::Vector(values) => values[index][component],
            Data::Index(values) => f64::from(values[index]),
            Data::Pair(values) => values[index][component],
            Data::Tensor(values) => values[index][component],
        }
    }

    /// Returns true without values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Attributes {
    /// Adds an array, or replaces the one with this name.
    pub fn set(&mut self, name: &str, data: Data) {
        match self.0.iter_mut().find(|attribute| attribute.name == name) {
            Some(attribute) => attribute.data = data,
            None => self.0.push(Attribute { name: name.to_owned(), data }),
        }
    }

    /// The array with this name.
    pub fn get(&self, name: &str) -> Option<&Data> {
        self.0.iter().find(|attribute| attribute.name == name).map(|attribute| &attribute.data)
    }

    /// The scalar array with this name.
    pub fn scalars(&self, name: &str) -> Option<&[f64]> {
        match self.get(name) {
            Some(Data::Scalar(values)) => Some(values),
            _ => None,
        }
    }

    /// The vector array with this name.
    pub fn vectors(&self, name: &str) -> Option<&[Vec3]> {
        match self.get(name) {
            Some(Data::Vector(values)) => Some(values),
            _ => None,
        }
    }

    /// The array of pairs with this name.
    pub fn pairs(&self, name: &str) -> Option<&[[f64; 2]]> {
        match self.get(name) {
            Some(Data::Pair(values)) => Some(values),
            _ => None,
        }
    }

    /// The array of symmetric tensors with this name.
    pub fn tensors(&self, name: &str) -> Option<&[[f64; 6]]> {
        match self.get(name) {
            Some(Data::Tensor(values)) => Some(values),
            _ => None,
        }
    }

    /// The index array with this name.
    pub fn indices(&self, name: &str) -> Option<&[u32]> {
        match self.get(name) {
            Some(Data::Index(values)) => Some(values),
            _ => None,
        }
    }
}

/// A connected component, through faces (tetrahedra) or edges (triangles).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Piece {
    /// Number in the body's history, constant while the piece stays connected.
    pub id: u32,
    /// Rest volume (m³).
    pub volume: f64,
    /// Mass (kg).
    pub mass: f64,
    /// Number of the piece that it split from; `None` for the unbroken body.
    pub parent: Option<u32>,
    /// Position and rotation.
    pub pose: Pose,
}

/// Pose of a rigid body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pose {
    /// Centre of mass in the world (m).
    pub position: Vec3,
    /// Unit quaternion (x, y, z, w) from rest coordinates to the world.
    pub rotation: [f64; 4],
}

impl Default for Pose {
    fn default() -> Self {
        Pose { position: Vec3::zeros(), rotation: [0.0, 0.0, 0.0, 1.0] }
    }
}

/// An obstacle in a frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObstacleFrame {
    /// Name in the scene.
    pub name: String,
    /// Shape in the world.
    pub shape: ObstacleShape,
}

/// Shape of an obstacle in the world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ObstacleShape {
    /// An infinite plane.
    Plane {
        /// A point of the plane (m).
        point: Vec3,
        /// Unit normal toward the free side.
        normal: Vec3,
    },
    /// A triangle mesh, closed or open.
    Surface(Surface),
}
