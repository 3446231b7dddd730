//! From a frame to a picture.

use craze_frame::Frame;
use craze_math::Vec3;
use rayon::prelude::*;

use crate::camera::{Camera, Eye};
use crate::color::{ColorMap, Light};
use crate::error::RenderError;
use crate::image::Image;
use crate::lamp::Studio;
use crate::legend;
use crate::sampling::{PixelSamples, Use};
use crate::settings::{Background, Legend, Settings};
use crate::shade::{Ray, Scene};
use crate::stage::Stage;
use crate::stroke_font::Canvas;
use crate::tone;
use crate::values::{ValueRange, attribute_names};

/// Half width of the tent that samples of a pixel are spread over (pixels): a little beyond the pixel, so that edges are
/// smooth.
const FILTER_RADIUS: f64 = 0.8;

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
    let camera = settings.camera.unwrap_or_else(|| Camera::framing(&[frame], width, height));
    let range = value_range(frame, settings)?;
    let stage = Stage::new(frame, settings, (camera.to, (camera.to - camera.from).norm()))?;
    let eye = Eye::new(&camera, stage.place(&camera.from), width, height);
    let studio = Studio::new(&eye.forward);
    let map = ColorMap::new();
    let backdrop = Backdrop::new(settings.background);
    let scene =
        Scene { stage: &stage, studio: &studio, map: &map, range, wireframe: settings.wireframe, pixel: eye.pixel };

    let mut pixels = vec![Vec3::zeros(); width as usize * height as usize];
    pixels.par_chunks_mut(width as usize).enumerate().for_each(|(row, pixels)| {
        for (column, pixel) in pixels.iter_mut().enumerate() {
            *pixel = render_pixel(&scene, &eye, &backdrop, settings, (column as u32, row as u32));
        }
    });
    if let (Some(range), Legend::Shown) = (range, settings.legend) {
        let mut canvas = Canvas { width: width as usize, height: height as usize, pixels: &mut pixels };
        legend::draw(&mut canvas, &map, settings.coloring, range, &backdrop.middle);
    }
    let rgb8 = pixels.iter().flat_map(|pixel| pixel.iter().map(|&x| (255.0 * x).round() as u8).collect::<Vec<u8>>());
    Ok(Image { width, height, rgb8: rgb8.collect(), undrawable: stage.undrawable })
}

/// The mean over the samples of a pixel, as a screen colour.
fn render_pixel(
    scene: &Scene,
    eye: &Eye,
    backdrop: &Backdrop,
    settings: &Settings,
    (column, row): (u32, u32),
) -> Light {
    let samples = PixelSamples::new(column, row);
    let (width, height) = (f64::from(settings.width), f64::from(settings.height));
    let mut sum = Light::zeros();
    for index in 0..settings.samples {
        let (u, v) = samples.pair(index, Use::Pixel);
        let x = (2.0 * (f64::from(column) + 0.5 + FILTER_RADIUS * tent(u))) / width - 1.0;
        let y = 1.0 - (2.0 * (f64::from(row) + 0.5 + FILTER_RADIUS * tent(v))) / height;
        let ray = Ray { origin: eye.position, direction: eye.direction(x, y) };
        sum += scene.seen(&ray, samples, index, &backdrop.at(x, y, width / height));
    }
    tone::screen(&(sum / f64::from(settings.samples)))
}

/// A number from 0 to 1 spread over −1 to 1 as under a tent.
fn tent(u: f64) -> f64 {
    if u < 0.5 { (2.0 * u).sqrt() - 1.0 } else { 1.0 - (2.0 - 2.0 * u).sqrt() }
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

/// What is behind everything.
struct Backdrop {
    middle: Light,
    /// Share of light that is lost in the corners.
    falloff: f64,
}

impl Backdrop {
    fn new(background: Background) -> Backdrop {
        match background {
            Background::Studio => Backdrop { middle: tone::light_shown_as([236, 233, 228]), falloff: 0.30 },
            Background::Dark => Backdrop { middle: tone::light_shown_as([42, 42, 45]), falloff: 0.45 },
            Background::Color(color) => Backdrop { middle: tone::light_shown_as(color), falloff: 0.0 },
        }
    }

    /// Light at a point of the picture, −1 to 1 on both axes.
    fn at(&self, x: f64, y: f64, aspect: f64) -> Light {
        let (x, y) = (x * aspect, y + 0.12);
        let distance = (x * x + y * y) / (1.0 + aspect * aspect);
        self.middle * (1.0 - self.falloff * distance.min(1.2))
    }
}
