//! The types a frame is made of.

use craze_material::Look;
use craze_math::Vec3;
use serde::{Deserialize, Serialize};

/// Names of attributes that methods write and that exporters and pictures know how to show.
pub mod names {
    /// Which piece a triangle, tetrahedron or particle belongs to: index into [`BodyFrame::pieces`](super::BodyFrame::pieces).
    pub const PIECE: &str = "piece";
    /// 1 on faces that a crack opened, 0 on faces of the original surface.
    pub const CRACK: &str = "crack";
    /// Largest principal stress (Pa).
    pub const STRESS: &str = "stress";
    /// Plastic strain (dimensionless).
    pub const PLASTIC_STRAIN: &str = "plastic_strain";
    /// Thickness of a sheet (m).
    pub const THICKNESS: &str = "thickness";
    /// Velocity (m/s).
    pub const VELOCITY: &str = "velocity";
    /// Position in the body's rest shape, where it was placed at the start (m).
    pub const REST: &str = "rest";
    /// Which of the body's materials an element is made of: index into [`BodyFrame::materials`](super::BodyFrame::materials).
    pub const MATERIAL: &str = "material";
    /// Of which triangle of the imported model a triangle is a part, by its number in the repaired model; means nothing on crack faces.
    pub const SOURCE: &str = "source";
}

/// Everything there is to see at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Number of the frame; 0 is the initial state.
    pub number: u32,
    /// Simulated time (s).
    pub time: f64,
    /// The bodies that deform and break, in the order of the scene.
    pub bodies: Vec<BodyFrame>,
    /// What they meet, in the order of the scene.
    pub obstacles: Vec<ObstacleFrame>,
}

/// One body at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BodyFrame {
    /// The body's name in the scene.
    pub name: String,
    /// The method that moves it, as in the scene file.
    pub method: String,
    /// Names of its materials.
    pub materials: Vec<String>,
    /// How its first material looks, where the scene says so; otherwise names of materials say how it looks.
    pub look: Option<Look>,
    /// Its visible surface. Empty for a body that is only particles.
    pub surface: Surface,
    /// Its tetrahedra, where the method has them and the run asked for them.
    pub volume: Option<Volume>,
    /// Its particles, where the method has them: positions (m), their radius (m) and attributes.
    pub particles: Option<Particles>,
    /// What hangs together. Empty only for a body of which nothing is left.
    pub pieces: Vec<Piece>,
}

/// What people call a material that is numbers alone: its name says nothing about its look.
const NAMELESS: &str = "custom";

impl BodyFrame {
    /// How each of its materials looks, one look at least: as the scene says, or else as the table of [`Look`] has it under the material's name, or else
    /// in a colour of its own, made of the name of the material or of the body.
    pub fn looks(&self) -> Vec<Look> {
        let of_name = |name: &String| {
            let unknown = || Look::for_unknown(if name.is_empty() || name == NAMELESS { &self.name } else { name });
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

/// Triangles with attributes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Surface {
    /// Vertex positions in the world (m).
    pub positions: Vec<Vec3>,
    /// Counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
    /// One value a vertex.
    pub vertex_attributes: Attributes,
    /// One value a triangle.
    pub face_attributes: Attributes,
}

/// Tetrahedra with attributes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Volume {
    /// Node positions in the world (m).
    pub positions: Vec<Vec3>,
    /// Positively oriented.
    pub tetrahedra: Vec<[u32; 4]>,
    /// One value a node.
    pub node_attributes: Attributes,
    /// One value a tetrahedron.
    pub cell_attributes: Attributes,
}

/// Particles with attributes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Particles {
    /// Positions in the world (m).
    pub positions: Vec<Vec3>,
    /// Radius to draw and to touch with (m).
    pub radius: f64,
    /// One value a particle.
    pub attributes: Attributes,
}

/// Named arrays, in the order they were added.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Attributes(pub Vec<Attribute>);

/// One named array.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attribute {
    /// One of [`names`], or a method's own.
    pub name: String,
    /// Its values.
    pub data: Data,
}

/// The values of an attribute.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Data {
    /// Numbers.
    Scalar(Vec<f64>),
    /// Vectors.
    Vector(Vec<Vec3>),
    /// Indices and marks.
    Index(Vec<u32>),
}

impl Data {
    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            Data::Scalar(values) => values.len(),
            Data::Vector(values) => values.len(),
            Data::Index(values) => values.len(),
        }
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Attributes {
    /// Adds an array, or replaces the one of that name.
    pub fn set(&mut self, name: &str, data: Data) {
        match self.0.iter_mut().find(|attribute| attribute.name == name) {
            Some(attribute) => attribute.data = data,
            None => self.0.push(Attribute { name: name.to_owned(), data }),
        }
    }

    /// The array of that name.
    pub fn get(&self, name: &str) -> Option<&Data> {
        self.0.iter().find(|attribute| attribute.name == name).map(|attribute| &attribute.data)
    }

    /// The numbers of that name.
    pub fn scalars(&self, name: &str) -> Option<&[f64]> {
        match self.get(name) {
            Some(Data::Scalar(values)) => Some(values),
            _ => None,
        }
    }

    /// The vectors of that name.
    pub fn vectors(&self, name: &str) -> Option<&[Vec3]> {
        match self.get(name) {
            Some(Data::Vector(values)) => Some(values),
            _ => None,
        }
    }

    /// The indices of that name.
    pub fn indices(&self, name: &str) -> Option<&[u32]> {
        match self.get(name) {
            Some(Data::Index(values)) => Some(values),
            _ => None,
        }
    }
}

/// What hangs together through faces (tetrahedra) or edges (triangles).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Piece {
    /// Its number in the body's whole history: the same in every frame while it hangs together.
    pub id: u32,
    /// Rest volume (m³).
    pub volume: f64,
    /// Mass (kg).
    pub mass: f64,
    /// The piece it broke from, by its number in that history; `None` for the unbroken body.
    pub parent: Option<u32>,
    /// Where it is and how it is turned.
    pub pose: Pose,
}

/// Place and orientation of a rigid thing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pose {
    /// Centre of mass in the world (m).
    pub position: Vec3,
    /// Unit quaternion (x, y, z, w) that turns rest coordinates to the world.
    pub rotation: [f64; 4],
}

impl Default for Pose {
    fn default() -> Self {
        Pose { position: Vec3::zeros(), rotation: [0.0, 0.0, 0.0, 1.0] }
    }
}

/// An obstacle at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObstacleFrame {
    /// Its name in the scene.
    pub name: String,
    /// Its shape, in the world.
    pub shape: ObstacleShape,
}

/// The shape of an obstacle, in the world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ObstacleShape {
    /// An endless plane: a point of it (m) and its unit normal, which points to the free side.
    Plane {
        /// A point of the plane (m).
        point: Vec3,
        /// Unit normal toward the free side.
        normal: Vec3,
    },
    /// A closed or open surface.
    Surface(Surface),
}
