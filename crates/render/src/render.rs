//! Rendering of a frame.

use craze_frame::Frame;
use rayon::prelude::*;

use crate::adaptive_sampling::PixelSampler;
use crate::backdrop::Backdrop;
use crate::camera::RayCamera;
use crate::color::{ColorMap, Light};
use crate::error::RenderError;
use crate::image::Image;
use crate::lamp::Studio;
use crate::legend;
use crate::sampling::hash;
use crate::settings::{Legend, Settings};
use crate::shade::Scene;
use crate::stage::Stage;
use crate::stroke_font::Canvas;
use crate::tone;
use crate::values::{ValueRange, attribute_names};

/// Renders a picture of a frame.
///
/// Uses all threads of the current rayon pool; the result does not depend on their number. Elements
/// that cannot be drawn are left out and counted ([`Image::undrawable`]).
///
/// # Errors
/// Invalid settings, and a colouring by an attribute that no body has.
pub fn render_frame(frame: &Frame, settings: &Settings) -> Result<Image, RenderError> {
    settings.check()?;
    let (width, height) = (settings.width, settings.height);
    let camera = settings.camera_for(frame);
    let range = value_range(frame, settings)?;
    let stage = Stage::new(frame, settings, (camera.to, (camera.to - camera.from).norm()))?;
    let ray_camera = RayCamera::new(&camera, stage.to_stage(&camera.from), width, height);
    let studio = Studio::new(&ray_camera.forward);
    let map = ColorMap::new();
    let backdrop = Backdrop::new(settings.background);
    let scene = Scene {
        stage: &stage,
        studio: &studio,
        map: &map,
        range,
        wireframe: settings.wireframe,
        pixel: ray_camera.pixel,
    };

    let sampler = PixelSampler {
        scene: &scene,
        camera: &ray_camera,
        backdrop: &backdrop,
        width: width as usize,
        height: height as usize,
    };
    let mut pixels: Vec<Light> = sampler.render(settings.samples).par_iter().map(tone::screen).collect();
    if let (Some(range), Legend::Shown) = (range, settings.legend) {
        let mut canvas = Canvas { width: width as usize, height: height as usize, pixels: &mut pixels };
        legend::draw(&mut canvas, &map, settings.coloring, range, &backdrop.middle);
    }
    let rgb8 = pixels.iter().enumerate().flat_map(|(index, pixel)| [pixel.x, pixel.y, pixel.z].map(|x| byte(x, index)));
    Ok(Image { width, height, rgb8: rgb8.collect(), undrawable: stage.undrawable })
}

/// Rounds a screen value after adding less than one step of noise per pixel, which avoids banding
/// in gradients.
fn byte(value: f64, index: usize) -> u8 {
    let shift = f64::from(hash(index as u32)) / f64::from(u32::MAX) - 0.5;
    // The cast saturates.
    (255.0 * value + 0.8 * shift).round() as u8
}

/// Range of the colour map; `None` if colours do not represent values.
fn value_range(frame: &Frame, settings: &Settings) -> Result<Option<ValueRange>, RenderError> {
    let Some(attribute) = settings.coloring.attribute() else { return Ok(None) };
    let own = ValueRange::of(&[frame], settings.coloring);
    if own.is_none() && settings.range.is_none() && !frame.bodies.is_empty() {
        return Err(RenderError::AttributeMissing {
            frame: frame.number,
            attribute,
            available: attribute_names(frame),
        });
    }
    Ok(settings.range.or(own))
}
