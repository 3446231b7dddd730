//! The fuzz targets.
//!
//! Every module has one `try_bytes`: it passes bytes to a reader, checks its guarantees, and
//! returns whether they were accepted or why they were refused. Ordinary tests include the same
//! files and try the committed seeds.

pub mod body;
pub mod checkpoint;
pub mod frame;
pub mod model;
pub mod scene;
pub mod tetrahedra;
pub mod world;
