//! Adaptive sampling and denoising.
//!
//! Every pixel gets a quarter of its samples. Pixels with noise in their neighbourhood continue:
//! those on one smooth surface to half of the samples, those with edges to all. Then irradiance and
//! specular light of smooth pixels are averaged with neighbours on the same surface, which removes
//! noise from soft shadows but keeps colours, edges and highlights (cross-bilateral filter: G.
//! Petschnigg et al. 2004, E. Eisemann & F. Durand 2004).

use craze_math::Vec3;
use rayon::prelude::*;

use crate::backdrop::Backdrop;
use crate::camera::RayCamera;
use crate::color::Light;
use crate::sampling::{PixelSamples, SampleUse};
use crate::shade::{Ray, Scene, Shading};
use crate::tuning::{DENOISE_RADIUS, FILTER_RADIUS, IRRADIANCE_STEP, NOISE_THRESHOLD, SPECULAR_STEP};

/// Radius in which a noisy pixel requests more samples (pixels).
const NOISE_RADIUS: usize = 2;

/// A picture to be rendered.
pub(crate) struct PixelSampler<'a> {
    pub scene: &'a Scene<'a>,
    pub camera: &'a RayCamera,
    pub backdrop: &'a Backdrop,
    /// Width (pixels).
    pub width: usize,
    /// Height (pixels).
    pub height: usize,
}

/// Sums over the samples of a pixel.
#[derive(Clone, Copy)]
struct Estimate {
    count: u32,
    light: Light,
    albedo: Light,
    irradiance: Light,
    specular: Light,
    normal: Vec3,
    position: Vec3,
    /// True if samples differ visibly.
    is_noisy: bool,
    /// True if all samples hit one surface of one colour.
    is_single_surface: bool,
}

impl PixelSampler<'_> {
    /// Light of every pixel.
    pub fn render(&self, samples: u32) -> Vec<Light> {
        let first = (samples / 4).max(4).min(samples);
        let half = (samples / 2).max(first);
        let start = self.each_pixel(|column, row| self.first_samples(column, row, first));
        let estimates = self.each_pixel(|column, row| {
            let mut estimate = start[row * self.width + column];
            let near = self.around(column, row, NOISE_RADIUS);
            estimate.is_noisy = near.into_iter().any(|pixel| start[pixel].is_noisy);
            if estimate.is_noisy {
                let end = if estimate.is_single_surface { half } else { samples };
                for index in first..end {
                    estimate.add(&self.sample(column, row, index));
                }
            }
            estimate
        });
        let smoothed = self.each_pixel(|column, row| self.smoothed(&estimates, column, row));
        self.each_pixel(|column, row| self.denoised(&estimates, &smoothed, column, row))
    }

    /// Computes a value per pixel in parallel; each depends on its coordinates only.
    fn each_pixel<T: Send>(&self, make: impl Fn(usize, usize) -> T + Sync) -> Vec<T> {
        let row = |row: usize| (0..self.width).map(|column| make(column, row)).collect::<Vec<T>>();
        (0..self.height).into_par_iter().flat_map_iter(row).collect()
    }

    /// Indices of the pixels at most `radius` away.
    fn around(&self, column: usize, row: usize, radius: usize) -> impl IntoIterator<Item = usize> + use<> {
        let columns = column.saturating_sub(radius)..(column + radius + 1).min(self.width);
        let width = self.width;
        let rows = row.saturating_sub(radius)..(row + radius + 1).min(self.height);
        rows.flat_map(move |row| columns.clone().map(move |column| row * width + column))
    }

    fn first_samples(&self, column: usize, row: usize, count: u32) -> Estimate {
        let first = self.sample(column, row, 0);
        let mut estimate = Estimate::new(&first);
        let tolerance = 4.0 * self.footprint(&first.position);
        let (mut low, mut high) = (first.light(), first.light());
        for index in 1..count {
            let shading = self.sample(column, row, index);
            let light = shading.light();
            (low, high) = (low.inf(&light), high.sup(&light));
            let same_side = shading.normal.dot(&first.normal) > 0.95 || shading.normal == first.normal;
            let same_plane = (shading.position - first.position).dot(&first.normal).abs() <= tolerance;
            let same_color = (shading.albedo - first.albedo).amax() < 0.1;
            estimate.is_single_surface &= same_side && same_plane && same_color;
            estimate.add(&shading);
        }
        estimate.is_noisy = (0..3).any(|k| high[k] - low[k] > NOISE_THRESHOLD * high[k]);
        estimate
    }

    /// Size of a pixel at a position.
    fn footprint(&self, position: &Vec3) -> f64 {
        self.scene.pixel * (position - self.camera.position).norm()
    }

    /// Shading of one ray through a pixel.
    fn sample(&self, column: usize, row: usize, index: u32) -> Shading {
        let pixel_samples = PixelSamples::new(column as u32, row as u32);
        let (width, height) = (self.width as f64, self.height as f64);
        let (u, v) = pixel_samples.pair(index, SampleUse::Pixel);
        let x = 2.0 * (column as f64 + 0.5 + FILTER_RADIUS * tent(u)) / width - 1.0;
        let y = 1.0 - 2.0 * (row as f64 + 0.5 + FILTER_RADIUS * tent(v)) / height;
        let ray = Ray { origin: self.camera.position, direction: self.camera.direction(x, y) };
        self.scene.shade(&ray, pixel_samples, index, &self.backdrop.at(x, y, width / height))
    }

    /// Irradiance and specular light averaged over the nearest pixels on the same surface, for
    /// comparisons.
    fn smoothed(&self, estimates: &[Estimate], column: usize, row: usize) -> (Light, Light) {
        let surface = Surface::of(self, &estimates[row * self.width + column]);
        let (mut irradiance, mut specular, mut weights) = (Light::zeros(), Light::zeros(), 0.0);
        for pixel in self.around(column, row, 1) {
            let other = &estimates[pixel];
            let weight = surface.similarity(other);
            irradiance += other.irradiance * weight;
            specular += other.specular * weight;
            weights += f64::from(other.count) * weight;
        }
        if weights > 0.0 { (irradiance / weights, specular / weights) } else { (irradiance, specular) }
    }

    /// Light of a pixel after denoising.
    fn denoised(&self, estimates: &[Estimate], smoothed: &[(Light, Light)], column: usize, row: usize) -> Light {
        let own_index = row * self.width + column;
        let own = &estimates[own_index];
        let count = f64::from(own.count);
        if !(own.is_noisy && own.is_single_surface) {
            return own.light / count;
        }
        let surface = Surface::of(self, own);
        let (mut irradiance, mut specular, mut weights) = (own.irradiance, own.specular, count);
        for pixel in self.around(column, row, DENOISE_RADIUS).into_iter().filter(|&pixel| pixel != own_index) {
            let other = &estimates[pixel];
            let similarity = surface.similarity(other);
            if similarity < 0.01 {
                continue;
            }
            let irradiance_step =
                (smoothed[pixel].0 - smoothed[own_index].0).norm_squared() / (IRRADIANCE_STEP * IRRADIANCE_STEP);
            let specular_step =
                (smoothed[pixel].1 - smoothed[own_index].1).norm_squared() / (SPECULAR_STEP * SPECULAR_STEP);
            let weight = similarity * (-irradiance_step - specular_step).exp();
            irradiance += other.irradiance * weight;
            specular += other.specular * weight;
            weights += f64::from(other.count) * weight;
        }
        own.albedo.component_mul(&(irradiance / weights)) / count + specular / weights
    }
}

/// Surface of a pixel that shows only one.
struct Surface {
    position: Vec3,
    normal: Vec3,
    /// Distance from the surface at which another one begins.
    tolerance: f64,
}

impl Surface {
    fn of(sampler: &PixelSampler, estimate: &Estimate) -> Surface {
        let position = estimate.position / f64::from(estimate.count);
        let normal = estimate.normal.try_normalize(0.0).unwrap_or_default();
        Surface { position, normal, tolerance: 1.5 * sampler.footprint(&position) }
    }

    /// Similarity (0 to 1) of another pixel's surface.
    fn similarity(&self, other: &Estimate) -> f64 {
        if !other.is_single_surface {
            return 0.0;
        }
        let count = f64::from(other.count);
        let lean = self.normal.dot(&other.normal) / count;
        let rise = (other.position / count - self.position).dot(&self.normal) / self.tolerance;
        lean.max(0.0).powi(32) / (1.0 + rise.powi(4))
    }
}

impl Estimate {
    fn new(shading: &Shading) -> Estimate {
        let zero = Vec3::zeros();
        let mut estimate = Estimate {
            count: 0,
            light: zero,
            albedo: zero,
            irradiance: zero,
            specular: zero,
            normal: zero,
            position: zero,
            is_noisy: false,
            is_single_surface: true,
        };
        estimate.add(shading);
        estimate
    }

    fn add(&mut self, shading: &Shading) {
        self.count += 1;
        self.light += shading.light();
        self.albedo += shading.albedo;
        self.irradiance += shading.irradiance;
        self.specular += shading.specular;
        self.normal += shading.normal;
        self.position += shading.position;
    }
}

/// Maps a uniform number in 0…1 to a tent distribution over −1…1.
fn tent(u: f64) -> f64 {
    if u < 0.5 { (2.0 * u).sqrt() - 1.0 } else { 1.0 - (2.0 - 2.0 * u).sqrt() }
}
