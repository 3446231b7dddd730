//! Ray-traced pictures of [`Frame`](craze_frame::Frame)s on the CPU: no GPU, no display.
//!
//! [`render_frame`] makes an [`Image`] by [`Settings`]; [`Image::write_png`] and [`write_gif`]
//! write files atomically. For a sequence, [`Settings::fitted_to`] fixes camera and colour range
//! once.
//!
//! Data flow: a frame becomes a stage (triangles, spheres and planes, scaled to unit size); the
//! camera casts rays into it; hits are shaded; tone mapping converts to screen colours; the legend
//! is drawn on top. Random numbers of a pixel depend on its coordinates only, so pictures are
//! bitwise equal for any number of threads.

mod adaptive_sampling;
mod backdrop;
mod bump_noise;
mod camera;
mod color;
mod error;
mod file;
mod framing;
mod gif;
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
mod tuning;
mod values;

pub use camera::{Camera, Tracking};
pub use error::RenderError;
pub use gif::write_gif;
pub use image::Image;
pub use render::render_frame;
pub use settings::{Background, Coloring, Ground, Legend, Settings, Wireframe};
pub use silhouette::silhouette;
pub use values::ValueRange;
