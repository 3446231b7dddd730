//! Share of a picture that bodies cover.

use craze_frame::Frame;
use rayon::prelude::*;

use crate::camera::{Camera, RayCamera};
use crate::error::RenderError;
use crate::settings::Settings;
use crate::stage::Stage;

/// Rays per measurement; the error is about one percent.
const SILHOUETTE_RAYS: f64 = 14_400.0;
/// Horizontal step from ray to ray, in picture widths (1). No two rays lie in one column, so that
/// thin upright objects are measured as well as others.
const GOLDEN_RATIO: f64 = 0.618_033_988_749_894_9;

/// Share of the picture (0 to 1) covered by bodies, by rays through points of a golden-ratio
/// lattice. Obstacles and planes occlude but do not count. An empty frame gives 0.
///
/// # Errors
/// Invalid settings; colours are not checked.
pub fn silhouette(frame: &Frame, settings: &Settings) -> Result<f64, RenderError> {
    settings.check()?;
    let (width, height) = (settings.width, settings.height);
    let camera = settings.camera_for(frame);
    Ok(Silhouette::new(frame, settings, &camera)?.share(&camera, (width, height), SILHOUETTE_RAYS))
}

/// A frame prepared for several measurements.
pub(crate) struct Silhouette {
    stage: Stage,
}

impl Silhouette {
    /// Builds the stage; `camera` gives the scale if there are no bodies.
    pub fn new(frame: &Frame, settings: &Settings, camera: &Camera) -> Result<Silhouette, RenderError> {
        // Flat shading skips the computation of normals.
        let settings = Settings { crease_angle: 0.0, ..settings.clone() };
        Ok(Silhouette { stage: Stage::new(frame, &settings, (camera.to, (camera.to - camera.from).norm()))? })
    }

    /// Share for a picture of this size (pixels), by about `rays` rays.
    pub fn share(&self, camera: &Camera, (width, height): (u32, u32), rays: f64) -> f64 {
        let count = rays.max(1.0) as usize;
        let camera_rays = RayCamera::new(camera, self.stage.to_stage(&camera.from), width.max(1), height.max(1));
        let shows_body = |&number: &usize| {
            let across = (number as f64 * GOLDEN_RATIO).fract();
            let up = (number as f64 + 0.5) / count as f64;
            self.stage.shows_body(&camera_rays.position, &camera_rays.direction(2.0 * across - 1.0, 2.0 * up - 1.0))
        };
        (0..count).into_par_iter().filter(shows_body).count() as f64 / count as f64
    }
}
