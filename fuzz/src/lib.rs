//! What the fuzz targets do with their bytes.
//!
//! Every module has one `try_bytes`: it hands bytes to a reader, holds it to its promises, and says whether they were taken
//! or why they were refused. Ordinary tests include the same files and try the committed seeds.

pub mod body;
pub mod checkpoint;
pub mod frame;
pub mod model;
pub mod scene;
pub mod tetrahedra;
pub mod world;
