//! From a frame to a picture.

use craze_frame::Frame;
use rayon::prelude::*;

use crate::backdrop::Backdrop;
use crate::camera::Eye;
use crate::color::{ColorMap, Light};
use crate::error::RenderError;
use crate::film::Film;
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

/// Makes a picture of a frame.
///
/// Uses all threads of the current rayon pool; the picture does not depend on how many. What cannot be drawn (see
/// [`Image::undrawable`]) is left out and counted.
///
/// # Errors
/// Impossible settings, and a colouring by an attribute that no body of a frame with bodies has.
pub fn render_frame(frame: &Frame, settings: &Settings) -> Result<Image, RenderError> {
    settings.check()?;
    let (width, height) = (settings.width, settings.height);
    let camera = settings.camera_for(frame);
    let range = value_range(frame, settings)?;
    let stage = Stage::new(frame, settings, (camera.to, (camera.to - camera.from).norm()))?;
    let eye = Eye::new(&camera, stage.place(&camera.from), width, height);
    let studio = Studio::new(&eye.forward);
    let map = ColorMap::new();
    let backdrop = Backdrop::new(settings.background);
    let scene =
        Scene { stage: &stage, studio: &studio, map: &map, range, wireframe: settings.wireframe, pixel: eye.pixel };

    let film = Film { scene: &scene, eye: &eye, backdrop: &backdrop, width: width as usize, height: height as usize };
    let mut pixels: Vec<Light> = film.exposed(settings.samples).par_iter().map(tone::screen).collect();
    if let (Some(range), Legend::Shown) = (range, settings.legend) {
        let mut canvas = Canvas { width: width as usize, height: height as usize, pixels: &mut pixels };
        legend::draw(&mut canvas, &map, settings.coloring, range, &backdrop.middle);
    }
    let rgb8 = pixels.iter().enumerate().flat_map(|(place, pixel)| [pixel.x, pixel.y, pixel.z].map(|x| byte(x, place)));
    Ok(Image { width, height, rgb8: rgb8.collect(), undrawable: stage.undrawable })
}

/// The nearest byte of a screen value, after a shift of less than one step that differs from pixel to pixel: soft
/// gradients then show no bands.
fn byte(value: f64, place: usize) -> u8 {
    let shift = f64::from(hash(place as u32)) / f64::from(u32::MAX) - 0.5;
    // The cast saturates.
    (255.0 * value + 0.8 * shift).round() as u8
}

/// The range of the colour map; `None` where colours do not stand for values.
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
