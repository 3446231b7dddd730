//! How much of a picture its subject covers.

use craze_frame::Frame;
use rayon::prelude::*;

use crate::camera::{Camera, Eye};
use crate::error::RenderError;
use crate::settings::Settings;
use crate::stage::Stage;

/// Rays from which the silhouette of a picture is measured: the share is then right to about one percent.
const RAYS: f64 = 14_400.0;
/// Distance of one ray from the next across the picture, in its width (1): no two rays lie above each other then, so that what is thin and upright is met by its share of them.
const GOLDEN_RATIO: f64 = 0.618_033_988_749_894_9;

/// Share of the picture (0 to 1) in which a body is seen, found by casting rays through points that are
/// spread evenly. Obstacles and planes do not count, and hide what is behind them. An empty frame gives 0.
///
/// # Errors
/// Impossible settings. Colours do not matter.
pub fn silhouette(frame: &Frame, settings: &Settings) -> Result<f64, RenderError> {
    settings.check()?;
    let (width, height) = (settings.width, settings.height);
    let camera = settings.camera_for(frame);
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
        let count = rays.max(1.0) as usize;
        let eye = Eye::new(camera, self.stage.place(&camera.from), width.max(1), height.max(1));
        let shows_body = |&number: &usize| {
            let across = (number as f64 * GOLDEN_RATIO).fract();
            let up = (number as f64 + 0.5) / count as f64;
            self.stage.shows_body(&eye.position, &eye.direction(2.0 * across - 1.0, 2.0 * up - 1.0))
        };
        (0..count).into_par_iter().filter(shows_body).count() as f64 / count as f64
    }
}
