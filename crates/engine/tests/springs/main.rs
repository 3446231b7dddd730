//! Contact of bodies made of springs: with themselves after a crack, with obstacles, and where
//! impulses find no way out.

mod crack_faces;
mod cube;
mod leaves;
mod obstacles;
mod separation;
