//! What a moment of a simulation looks like: surfaces, volumes, particles, pieces, and their attributes.
//!
//! Exporters, pictures and viewers see [`Frame`]s and nothing else, so that none of them knows a fracture method.
//! The native file of a frame loses nothing; every other format is an export.

mod model;

pub use model::{
    Attribute, Attributes, BodyFrame, Data, Frame, ObstacleFrame, ObstacleShape, Particles, Piece, Pose, Surface,
    Volume, names,
};
