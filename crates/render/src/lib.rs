//! Pictures of [`Frame`](craze_frame::Frame)s by ray tracing on the processor: no graphics card, no display.
//!
//! A [`Settings`] says how a picture looks; [`render_frame`] makes an [`Image`]; [`Image::write_png`] and [`write_gif`]
//! write files that appear whole or not at all. For a sequence, [`Settings::fitted_to`] fixes the camera and the range
//! of colours once, so that both stay still from frame to frame.
//!
//! Data flows in this order: a frame becomes a stage (triangles, spheres and planes with looks, scaled to unit size); the
//! camera sends rays into the stage; light shades what they hit; tone mapping makes it fit a screen; the legend is drawn on
//! top. Every pixel draws its random numbers from its own coordinates, so that a picture is the same, to the last bit,
//! for any number of threads.

mod backdrop;
mod camera;
mod color;
mod error;
mod file;
mod film;
mod framing;
mod gif;
mod grain;
mod image;
mod lamp;
mod legend;
mod look;
mod paint;
mod palette;
mod render;
mod sampling;
mod settings;
mod shade;
mod silhouette;
mod stage;
mod stroke_font;
mod subject;
mod tone;
mod trace;
mod values;

pub use camera::Camera;
pub use error::RenderError;
pub use gif::write_gif;
pub use image::Image;
pub use render::render_frame;
pub use settings::{Background, Coloring, Ground, Legend, Settings, Wireframe};
pub use silhouette::silhouette;
pub use values::ValueRange;
