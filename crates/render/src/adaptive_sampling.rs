//! Exposing a picture: where samples go, and how neighbouring pixels share what they learnt of light.
//!
//! Every pixel gets a quarter of its samples. Pixels that show any difference, among their own samples or near ones, go on:
//! those on one even surface to half of the samples, those with edges in them to all. Then pixels on even surfaces
//! average the light that falls on them with neighbours on the same surface, which takes the grain out of soft shadows
//! and leaves colours, edges and highlights alone (a cross-bilateral filter: G. Petschnigg et al. 2004, E. Eisemann &
//! F. Durand 2004).

use craze_math::Vec3;
use rayon::prelude::*;

use crate::backdrop::Backdrop;
use crate::camera::Eye;
use crate::color::Light;
use crate::sampling::{PixelSamples, Use};
use crate::shade::{Ray, Scene, Seen};

/// Half width of the tent that samples of a pixel are spread over (pixels): a little beyond the pixel, so that edges are
/// smooth.
const FILTER_RADIUS: f64 = 0.8;
/// Samples of a pixel that differ by more than this share call for more samples.
const UNEVEN: f64 = 0.01;
/// How far an uneven pixel calls for more samples around it (pixels).
const NEAR: usize = 2;
/// How far light is shared (pixels).
const SHARED: usize = 3;
/// Difference of falling light across which hardly any is shared, so that the edges of shadows stay.
const LIT_STEP: f64 = 0.16;
/// Difference of mirrored light across which hardly any is shared, so that reflections stay.
const EXTRA_STEP: f64 = 0.08;

/// What a picture is exposed to.
pub(crate) struct Film<'a> {
    pub scene: &'a Scene<'a>,
    pub eye: &'a Eye,
    pub backdrop: &'a Backdrop,
    /// Width (pixels).
    pub width: usize,
    /// Height (pixels).
    pub height: usize,
}

/// What is known of a pixel: sums over its samples.
#[derive(Clone, Copy)]
struct Estimate {
    count: u32,
    light: Light,
    base: Light,
    lit: Light,
    extra: Light,
    normal: Vec3,
    place: Vec3,
    /// Whether samples differ so that the eye would see more of them.
    uneven: bool,
    /// Whether all samples met one surface of one colour.
    plain: bool,
}

impl Film<'_> {
    /// The light of every pixel.
    pub fn exposed(&self, samples: u32) -> Vec<Light> {
        let first = (samples / 4).max(4).min(samples);
        let half = (samples / 2).max(first);
        let start = self.each_pixel(|column, row| self.first_samples(column, row, first));
        let estimates = self.each_pixel(|column, row| {
            let mut estimate = start[row * self.width + column];
            let near = self.around(column, row, NEAR);
            estimate.uneven = near.into_iter().any(|place| start[place].uneven);
            if estimate.uneven {
                let end = if estimate.plain { half } else { samples };
                for index in first..end {
                    estimate.add(&self.sample(column, row, index));
                }
            }
            estimate
        });
        let calm = self.each_pixel(|column, row| self.calm(&estimates, column, row));
        self.each_pixel(|column, row| self.shared(&estimates, &calm, column, row))
    }

    /// A value for each pixel, made in parallel; each depends on its place only.
    fn each_pixel<T: Send>(&self, make: impl Fn(usize, usize) -> T + Sync) -> Vec<T> {
        let row = |row: usize| (0..self.width).map(|column| make(column, row)).collect::<Vec<T>>();
        (0..self.height).into_par_iter().flat_map_iter(row).collect()
    }

    /// Places of the pixels at most `radius` away.
    fn around(&self, column: usize, row: usize, radius: usize) -> impl IntoIterator<Item = usize> + use<> {
        let columns = column.saturating_sub(radius)..(column + radius + 1).min(self.width);
        let width = self.width;
        let rows = row.saturating_sub(radius)..(row + radius + 1).min(self.height);
        rows.flat_map(move |row| columns.clone().map(move |column| row * width + column))
    }

    fn first_samples(&self, column: usize, row: usize, count: u32) -> Estimate {
        let first = self.sample(column, row, 0);
        let mut estimate = Estimate::new(&first);
        let reach = 4.0 * self.footprint(&first.place);
        let (mut low, mut high) = (first.light(), first.light());
        for index in 1..count {
            let seen = self.sample(column, row, index);
            let light = seen.light();
            (low, high) = (low.inf(&light), high.sup(&light));
            let same_side = seen.normal.dot(&first.normal) > 0.95 || seen.normal == first.normal;
            let same_plane = (seen.place - first.place).dot(&first.normal).abs() <= reach;
            let same_color = (seen.base - first.base).amax() < 0.1;
            estimate.plain &= same_side && same_plane && same_color;
            estimate.add(&seen);
        }
        estimate.uneven = (0..3).any(|k| high[k] - low[k] > UNEVEN * high[k]);
        estimate
    }

    /// Size of a pixel at a place.
    fn footprint(&self, place: &Vec3) -> f64 {
        self.scene.pixel * (place - self.eye.position).norm()
    }

    /// What one ray through a pixel sees.
    fn sample(&self, column: usize, row: usize, index: u32) -> Seen {
        let pixel_samples = PixelSamples::new(column as u32, row as u32);
        let (width, height) = (self.width as f64, self.height as f64);
        let (u, v) = pixel_samples.pair(index, Use::Pixel);
        let x = 2.0 * (column as f64 + 0.5 + FILTER_RADIUS * tent(u)) / width - 1.0;
        let y = 1.0 - 2.0 * (row as f64 + 0.5 + FILTER_RADIUS * tent(v)) / height;
        let ray = Ray { origin: self.eye.position, direction: self.eye.direction(x, y) };
        self.scene.seen(&ray, pixel_samples, index, &self.backdrop.at(x, y, width / height))
    }

    /// Falling and mirrored light averaged over the nearest pixels on the same surface: calm enough to compare.
    fn calm(&self, estimates: &[Estimate], column: usize, row: usize) -> (Light, Light) {
        let surface = Surface::of(self, &estimates[row * self.width + column]);
        let (mut lit, mut extra, mut weights) = (Light::zeros(), Light::zeros(), 0.0);
        for place in self.around(column, row, 1) {
            let other = &estimates[place];
            let weight = surface.likeness(other);
            lit += other.lit * weight;
            extra += other.extra * weight;
            weights += f64::from(other.count) * weight;
        }
        if weights > 0.0 { (lit / weights, extra / weights) } else { (lit, extra) }
    }

    /// The light of a pixel, its falling and mirrored light averaged with neighbours on the same surface.
    fn shared(&self, estimates: &[Estimate], calm: &[(Light, Light)], column: usize, row: usize) -> Light {
        let own_place = row * self.width + column;
        let own = &estimates[own_place];
        let count = f64::from(own.count);
        if !(own.uneven && own.plain) {
            return own.light / count;
        }
        let surface = Surface::of(self, own);
        let (mut lit, mut extra, mut weights) = (own.lit, own.extra, count);
        for place in self.around(column, row, SHARED).into_iter().filter(|&place| place != own_place) {
            let other = &estimates[place];
            let likeness = surface.likeness(other);
            if likeness < 0.01 {
                continue;
            }
            let lit_step = (calm[place].0 - calm[own_place].0).norm_squared() / (LIT_STEP * LIT_STEP);
            let extra_step = (calm[place].1 - calm[own_place].1).norm_squared() / (EXTRA_STEP * EXTRA_STEP);
            let weight = likeness * (-lit_step - extra_step).exp();
            lit += other.lit * weight;
            extra += other.extra * weight;
            weights += f64::from(other.count) * weight;
        }
        own.base.component_mul(&(lit / weights)) / count + extra / weights
    }
}

/// The surface that a pixel shows, if it shows only one.
struct Surface {
    place: Vec3,
    normal: Vec3,
    /// Height off the surface at which another surface begins.
    reach: f64,
}

impl Surface {
    fn of(film: &Film, estimate: &Estimate) -> Surface {
        let place = estimate.place / f64::from(estimate.count);
        let normal = estimate.normal.try_normalize(0.0).unwrap_or_default();
        Surface { place, normal, reach: 1.5 * film.footprint(&place) }
    }

    /// From 0 to 1, how likely another pixel shows the same surface.
    fn likeness(&self, other: &Estimate) -> f64 {
        if !other.plain {
            return 0.0;
        }
        let count = f64::from(other.count);
        let lean = self.normal.dot(&other.normal) / count;
        let rise = (other.place / count - self.place).dot(&self.normal) / self.reach;
        lean.max(0.0).powi(32) / (1.0 + rise.powi(4))
    }
}

impl Estimate {
    fn new(seen: &Seen) -> Estimate {
        let zero = Vec3::zeros();
        let mut estimate = Estimate {
            count: 0,
            light: zero,
            base: zero,
            lit: zero,
            extra: zero,
            normal: zero,
            place: zero,
            uneven: false,
            plain: true,
        };
        estimate.add(seen);
        estimate
    }

    fn add(&mut self, seen: &Seen) {
        self.count += 1;
        self.light += seen.light();
        self.base += seen.base;
        self.lit += seen.lit;
        self.extra += seen.extra;
        self.normal += seen.normal;
        self.place += seen.place;
    }
}

/// A number from 0 to 1 spread over −1 to 1 as under a tent.
fn tent(u: f64) -> f64 {
    if u < 0.5 { (2.0 * u).sqrt() - 1.0 } else { 1.0 - (2.0 - 2.0 * u).sqrt() }
}
