//! Share of a picture that bodies cover.

use craze_frame::Frame;
use rayon::prelude::*;

use crate::camera::{Camera, RayCamera};
use crate::error::RenderError;
use crate::settings::Settings;
use crate::stage::Stage;

/// Rays per measurement; the error is about one percent.
const SILHOUETTE_RAYS: f64 = 14_400.0;

/// Share of the picture (0 to 1) covered by bodies, by a ray through the centre of each cell of a
/// regular grid. Obstacles and planes occlude but do not count. An empty frame gives 0.
///
/// # Errors
/// Invalid settings; colours are not checked.
pub fn silhouette(frame: &Frame, settings: &Settings) -> Result<f64, RenderError> {
    settings.check()?;
    let (width, height) = (settings.width, settings.height);
    let camera = settings.camera.unwrap_or_else(|| Camera::framing(&[frame], width, height));
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
        let aspect = f64::from(width.max(1)) / f64::from(height.max(1));
        let columns = (rays * aspect).sqrt().round().clamp(1.0, rays) as usize;
        let rows = (rays / columns as f64).round().max(1.0) as usize;
        let camera_rays = RayCamera::new(camera, self.stage.to_stage(&camera.from), width.max(1), height.max(1));
        let middle = |cell: usize, cells: usize| 2.0 * (cell as f64 + 0.5) / cells as f64 - 1.0;
        let shown_in_row = |row: usize| {
            let shows_body = |column: &usize| {
                let direction = camera_rays.direction(middle(*column, columns), middle(row, rows));
                self.stage.shows_body(&camera_rays.position, &direction)
            };
            (0..columns).filter(shows_body).count()
        };
        let shown: usize = (0..rows).into_par_iter().map(shown_in_row).sum();
        shown as f64 / (columns * rows) as f64
    }
}
