//! From a frame to a picture.

use craze_frame::Frame;
use rayon::prelude::*;

use crate::camera::{Camera, Eye};
use crate::color::{ColorMap, Light};
use crate::error::RenderError;
use crate::image::Image;
use crate::lamp::Studio;
use crate::legend;
use crate::sampling::{PixelSamples, Use, hash};
use crate::settings::{Background, Legend, Settings};
use crate::shade::{Ray, Scene};
use crate::stage::Stage;
use crate::stroke_font::Canvas;
use crate::tone;
use crate::values::{ValueRange, attribute_names};

/// Half width of the tent that samples of a pixel are spread over (pixels): a little beyond the pixel, so that edges are
/// smooth.
const FILTER_RADIUS: f64 = 0.8;
/// Samples of a pixel that differ by more than this share call for more samples.
const UNEVEN: f64 = 0.01;
/// How far an uneven pixel calls for more samples around it (pixels).
const NEAR: usize = 2;

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

    let picture = Picture { scene: &scene, eye: &eye, backdrop: &backdrop, width, height };
    let mut pixels = picture.pixels(settings.samples);
    if let (Some(range), Legend::Shown) = (range, settings.legend) {
        let mut canvas = Canvas { width: width as usize, height: height as usize, pixels: &mut pixels };
        legend::draw(&mut canvas, &map, settings.coloring, range, &backdrop.middle);
    }
    let rgb8 = pixels.iter().enumerate().flat_map(|(place, pixel)| [pixel.x, pixel.y, pixel.z].map(|x| byte(x, place)));
    Ok(Image { width, height, rgb8: rgb8.collect(), undrawable: stage.undrawable })
}

/// What pixels are made from.
struct Picture<'a> {
    scene: &'a Scene<'a>,
    eye: &'a Eye,
    backdrop: &'a Backdrop,
    width: u32,
    height: u32,
}

/// What is known of a pixel so far.
#[derive(Clone, Copy)]
struct Estimate {
    /// Sum over its samples.
    sum: Light,
    /// Whether its samples differ so that the eye would see more of them.
    uneven: bool,
}

impl Picture<'_> {
    /// Screen colours of all pixels.
    ///
    /// Every pixel gets a quarter of its samples; then those get the rest that show any difference among their own or
    /// near pixels' samples. What is even, mostly floor and backdrop, is done.
    fn pixels(&self, samples: u32) -> Vec<Light> {
        let first = (samples / 4).max(4).min(samples);
        let width = self.width as usize;
        let mut estimates = vec![Estimate { sum: Light::zeros(), uneven: false }; width * self.height as usize];
        estimates.par_chunks_mut(width).enumerate().for_each(|(row, estimates)| {
            for (column, estimate) in estimates.iter_mut().enumerate() {
                *estimate = self.first_samples(column as u32, row as u32, first);
            }
        });
        let mut pixels = vec![Light::zeros(); estimates.len()];
        pixels.par_chunks_mut(width).enumerate().for_each(|(row, pixels)| {
            for (column, pixel) in pixels.iter_mut().enumerate() {
                let (mut sum, mut count) = (estimates[row * width + column].sum, first);
                if self.is_uneven_around(&estimates, column, row) {
                    let pixel_samples = PixelSamples::new(column as u32, row as u32);
                    sum += (first..samples)
                        .map(|i| self.sample(column as u32, row as u32, pixel_samples, i))
                        .sum::<Light>();
                    count = samples;
                }
                *pixel = tone::screen(&(sum / f64::from(count)));
            }
        });
        pixels
    }

    fn first_samples(&self, column: u32, row: u32, count: u32) -> Estimate {
        let pixel_samples = PixelSamples::new(column, row);
        let mut sum = Light::zeros();
        let (mut low, mut high) = (Light::repeat(f64::INFINITY), Light::zeros());
        for index in 0..count {
            let light = self.sample(column, row, pixel_samples, index);
            sum += light;
            (low, high) = (low.inf(&light), high.sup(&light));
        }
        Estimate { sum, uneven: (0..3).any(|k| high[k] - low[k] > UNEVEN * high[k]) }
    }

    fn is_uneven_around(&self, estimates: &[Estimate], column: usize, row: usize) -> bool {
        let (width, height) = (self.width as usize, self.height as usize);
        let columns = column.saturating_sub(NEAR)..(column + NEAR + 1).min(width);
        (row.saturating_sub(NEAR)..(row + NEAR + 1).min(height))
            .any(|row| estimates[row * width + columns.start..row * width + columns.end].iter().any(|e| e.uneven))
    }

    /// Light along one ray through a pixel.
    fn sample(&self, column: u32, row: u32, pixel_samples: PixelSamples, index: u32) -> Light {
        let (width, height) = (f64::from(self.width), f64::from(self.height));
        let (u, v) = pixel_samples.pair(index, Use::Pixel);
        let x = (2.0 * (f64::from(column) + 0.5 + FILTER_RADIUS * tent(u))) / width - 1.0;
        let y = 1.0 - (2.0 * (f64::from(row) + 0.5 + FILTER_RADIUS * tent(v))) / height;
        let ray = Ray { origin: self.eye.position, direction: self.eye.direction(x, y) };
        self.scene.seen(&ray, pixel_samples, index, &self.backdrop.at(x, y, width / height))
    }
}

/// The nearest byte of a screen value, after a shift of less than one step that differs from pixel to pixel: soft
/// gradients then show no bands.
fn byte(value: f64, place: usize) -> u8 {
    let shift = f64::from(hash(place as u32)) / f64::from(u32::MAX) - 0.5;
    // The cast saturates.
    (255.0 * value + 0.8 * shift).round() as u8
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
