//! How much of a picture its subject covers.

use craze_frame::Frame;
use rayon::prelude::*;

use crate::camera::{Camera, Eye};
use crate::error::RenderError;
use crate::settings::Settings;
use crate::stage::Stage;

/// Rays from which the silhouette of a picture is measured: the share is then right to about one percent.
const RAYS: f64 = 14_400.0;

/// Share of the picture (0 to 1) in which a body is seen, found by casting a ray through the middle of each cell of an even
/// grid. Obstacles and planes do not count, and hide what is behind them. An empty frame gives 0.
///
/// # Errors
/// Impossible settings. Colours do not matter.
pub fn silhouette(frame: &Frame, settings: &Settings) -> Result<f64, RenderError> {
    settings.check()?;
    let (width, height) = (settings.width, settings.height);
    let camera = settings.camera.unwrap_or_else(|| Camera::framing(&[frame], width, height));
    Ok(Silhouette::new(frame, settings, &camera)?.share(&camera, (width, height), RAYS))
}

/// A frame whose silhouette can be measured from many places.
pub(crate) struct Silhouette {
    stage: Stage,
}

impl Silhouette {
    /// The stage of the frame; `camera` gives the scale where there is no body.
    pub fn new(frame: &Frame, settings: &Settings, camera: &Camera) -> Result<Silhouette, RenderError> {
        // No picture is made: flat triangles save the normals.
        let settings = Settings { crease_angle: 0.0, ..settings.clone() };
        Ok(Silhouette { stage: Stage::new(frame, &settings, (camera.to, (camera.to - camera.from).norm()))? })
    }

    /// The share for a picture of these sides (pixels), by about so many rays.
    pub fn share(&self, camera: &Camera, (width, height): (u32, u32), rays: f64) -> f64 {
        let aspect = f64::from(width.max(1)) / f64::from(height.max(1));
        let columns = (rays * aspect).sqrt().round().clamp(1.0, rays) as usize;
        let rows = (rays / columns as f64).round().max(1.0) as usize;
        let eye = Eye::new(camera, self.stage.place(&camera.from), width.max(1), height.max(1));
        let middle = |cell: usize, cells: usize| 2.0 * (cell as f64 + 0.5) / cells as f64 - 1.0;
        let shown_in_row = |row: usize| {
            let shows_body = |column: &usize| {
                let direction = eye.direction(middle(*column, columns), middle(row, rows));
                self.stage.shows_body(&eye.position, &direction)
            };
            (0..columns).filter(shows_body).count()
        };
        let shown: usize = (0..rows).into_par_iter().map(shown_in_row).sum();
        shown as f64 / (columns * rows) as f64
    }
}
