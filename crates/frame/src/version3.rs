//! Frames of payload version 3, before frame format 2: no corner attributes, sheets, lines, slots
//! and topology marks.

use craze_material::Look;
use craze_math::Vec3;
use serde::Deserialize;

use crate::model::{self, Attributes, Particles, Piece, Volume};

/// Version of the payload.
pub(crate) const VERSION: u16 = 3;

#[derive(Deserialize)]
pub(crate) struct Frame {
    number: u32,
    time: f64,
    bodies: Vec<BodyFrame>,
    obstacles: Vec<ObstacleFrame>,
}

#[derive(Deserialize)]
struct BodyFrame {
    name: String,
    method: String,
    materials: Vec<String>,
    look: Option<Look>,
    surface: Surface,
    volume: Option<Volume>,
    particles: Option<Particles>,
    pieces: Vec<Piece>,
}

#[derive(Deserialize)]
struct Surface {
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    vertex_attributes: Attributes,
    face_attributes: Attributes,
}

#[derive(Deserialize)]
struct ObstacleFrame {
    name: String,
    shape: ObstacleShape,
}

#[derive(Deserialize)]
enum ObstacleShape {
    Plane { point: Vec3, normal: Vec3 },
    Surface(Surface),
}

impl From<Frame> for model::Frame {
    fn from(frame: Frame) -> Self {
        let Frame { number, time, bodies, obstacles } = frame;
        let bodies = bodies.into_iter().map(model::BodyFrame::from).collect();
        let obstacles = obstacles.into_iter().map(|ObstacleFrame { name, shape }| {
            let shape = match shape {
                ObstacleShape::Plane { point, normal } => model::ObstacleShape::Plane { point, normal },
                ObstacleShape::Surface(surface) => model::ObstacleShape::Surface(surface.into()),
            };
            model::ObstacleFrame { name, shape }
        });
        model::Frame { number, time, bodies, obstacles: obstacles.collect() }
    }
}

impl From<BodyFrame> for model::BodyFrame {
    fn from(body: BodyFrame) -> Self {
        let BodyFrame { name, method, materials, look, surface, volume, particles, pieces } = body;
        let surface = surface.into();
        model::BodyFrame { name, method, materials, look, surface, volume, particles, pieces, topology: 0 }
    }
}

impl From<Surface> for model::Surface {
    fn from(surface: Surface) -> Self {
        let Surface { positions, triangles, vertex_attributes, face_attributes } = surface;
        model::Surface { positions, triangles, vertex_attributes, face_attributes, ..model::Surface::default() }
    }
}
