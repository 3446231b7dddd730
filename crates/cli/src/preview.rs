//! `preview.png` and `preview.gif` of a run, in a fifth of the run's own time.
//!
//! Two small pictures of the last frame calibrate the cost: a constant part per picture, such as
//! building hierarchies, and a part proportional to the rays. The largest size, samples and number
//! of pictures that fit into the time are chosen; the GIF may be omitted.

use crate::OutputMode;
use crate::commands::render::{self, ShardFrames};
use crate::problem::{self, Problem};
use crate::progress;
use crate::tuning::{MAX_FULLY_SAMPLED, MIN_PICTURE_TIME, MIN_PREVIEW_TIME, PREVIEW_TIME_SHARE};
use craze_export::ShardSettings;
use craze_frame::{BodyFrame, Frame};
use craze_methods::{Elements, method};
use craze_render::{Camera, Coloring, Image, Settings, Tracking, render_frame, write_gif};
use craze_scene::Scene;
use craze_shape::Shape;
use indicatif::ProgressBar;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// File names of the still and the GIF.
pub const STILL: &str = "preview.png";
pub const GIF: &str = "preview.gif";

/// Share of the time used for planning, since estimates are inexact (1).
const PLANNED_SHARE: f64 = 0.8;
/// Share of the time for cutting shards, and share of the rest for the still (1).
const SHARD_SHARE: f64 = 0.4;
const STILL_SHARE: f64 = 0.4;
/// Upper bounds of the time to cut shards per triangle of the last frame (s): for flat shapes, and
/// for those that need a fine surface.
const FLAT_TRIANGLE_TIME: f64 = 2e-3;
const ROUND_TRIANGLE_TIME: f64 = 1.1e-2;
/// Widths (pixels) and rays per pixel of the calibration pictures.
const TRIAL_WIDTHS: [f64; 2] = [80.0, 160.0];
const TRIAL_SAMPLES: u32 = 4;
/// Stills in order of preference: share of the scene's width and height, most rays per pixel.
const STILLS: [(f64, u32); 8] =
    [(1.0, u32::MAX), (0.75, u32::MAX), (0.75, 9), (0.5, 16), (0.5, 9), (0.5, 4), (0.375, 4), (0.25, 4)];
/// GIFs in order of preference: width for the default aspect (pixels), most rays per pixel, number
/// of pictures. The number is odd, so that every second picture also spans the whole run.
const GIFS: [(f64, u32, usize); 14] = [
    (480.0, 9, 23),
    (480.0, 9, 17),
    (480.0, 4, 23),
    (480.0, 4, 17),
    (480.0, 4, 11),
    (320.0, 4, 17),
    (320.0, 4, 11),
    (240.0, 4, 11),
    (240.0, 4, 7),
    (160.0, 4, 11),
    (160.0, 4, 7),
    (160.0, 4, 5),
    (160.0, 2, 7),
    (160.0, 2, 5),
];

/// The run to be previewed.
pub struct Subject<'a> {
    pub path: &'a Path,
    pub scene: &'a Scene,
    /// Its shards, if already cut.
    pub shard_frames: Option<&'a ShardFrames>,
    /// Duration of the run (s).
    pub run_seconds: f64,
}

/// Renders the preview; returns the time it took (s).
pub fn make(subject: &Subject, mode: OutputMode, presses: &AtomicU32) -> Result<f64, Problem> {
    let files = render::frame_files(subject.path, None)?;
    let clock =
        Clock { started: Instant::now(), time: (PREVIEW_TIME_SHARE * subject.run_seconds).max(MIN_PREVIEW_TIME) };
    let bar = progress::pictures(mode, 1);
    let made = PreviewMaker { subject, files: &files, clock: &clock, presses, bar: &bar }.make();
    bar.finish_and_clear();
    made?;
    Ok(clock.started.elapsed().as_secs_f64())
}

/// The preview in a run's folder: the GIF if there is one, else the still.
pub fn best(path: &Path) -> Option<PathBuf> {
    [GIF, STILL].into_iter().map(|name| path.join(name)).find(|file| file.is_file())
}

/// Time budget.
struct Clock {
    started: Instant,
    /// Total (s).
    time: f64,
}

impl Clock {
    /// Remaining planned time (s).
    fn left(&self) -> f64 {
        (PLANNED_SHARE * self.time - self.started.elapsed().as_secs_f64()).max(0.0)
    }
}

/// Cost model of a picture: constant time (s), and time per ray (s).
#[derive(Clone, Copy, Debug)]
struct Cost {
    picture: f64,
    ray: f64,
}

impl Cost {
    /// Fits two pictures by their numbers of rays and times.
    fn of([few, many]: [f64; 2], [short, long]: [Duration; 2]) -> Cost {
        let (short, long) = (short.as_secs_f64(), long.as_secs_f64());
        // Timing is noisy: bound the cost per ray from below.
        let ray = ((long - short) / (many - few)).clamp(0.3 * long / many, long / many);
        Cost { picture: (long - ray * many).max(0.0), ray }
    }

    fn seconds(&self, settings: &Settings) -> f64 {
        self.picture + self.ray * rays(settings)
    }
}

/// Approximate rays of a picture: a quarter of the samples (at least four) for all pixels, the rest
/// for pixels with edges or shadows.
fn rays(settings: &Settings) -> f64 {
    let all = f64::from(settings.samples);
    let first = (0.25 * all).max(4.0).min(all);
    f64::from(settings.width) * f64::from(settings.height) * (first + MAX_FULLY_SAMPLED * (all - first))
}

/// Settings with both sides scaled and limited rays per pixel.
fn scaled(settings: &Settings, scale: f64, samples: u32) -> Settings {
    let side = |side: u32| ((f64::from(side) * scale).round() as u32).max(1);
    Settings {
        width: side(settings.width),
        height: side(settings.height),
        samples: settings.samples.min(samples),
        ..settings.clone()
    }
}

/// Scale at which a picture has the area of one with this width (pixels) and the default aspect; at
/// most 1.
fn scale_to(settings: &Settings, width: f64) -> f64 {
    let area = f64::from(settings.width) * f64::from(settings.height);
    (width * width * 9.0 / 16.0 / area).sqrt().min(1.0)
}

/// Indices of `pictures` of `count` frames, evenly spaced from first to last.
fn evenly(count: usize, pictures: usize) -> Vec<usize> {
    let pictures = pictures.min(count);
    if pictures < 2 {
        return (0..count).rev().take(pictures).collect();
    }
    (0..pictures).map(|picture| (picture * (count - 1) + (pictures - 1) / 2) / (pictures - 1)).collect()
}

struct PreviewMaker<'a> {
    subject: &'a Subject<'a>,
    files: &'a [PathBuf],
    clock: &'a Clock,
    presses: &'a AtomicU32,
    bar: &'a ProgressBar,
}

impl PreviewMaker<'_> {
    fn make(&self) -> Result<(), Problem> {
        let Subject { path, scene, .. } = *self.subject;
        let Some(last_file) = self.files.last() else { return Ok(()) };
        let settings = render::fitted(render::settings(scene), self.files, self.files)?;
        let mut shown: Vec<PathBuf> =
            evenly(self.files.len(), GIFS[0].2).into_iter().map(|number| self.files[number].clone()).collect();
        let own_film = match self.subject.shard_frames {
            Some(_) => None,
            None => self.shards(&settings, &shown)?,
        };
        let film = self.subject.shard_frames.or(own_film.as_ref());
        let frame = |file: &PathBuf| film.map_or_else(|| Ok(craze_frame::read(file)?), |film| film.frame(file));
        let last = frame(last_file)?;
        let mut still = settings.clone();
        // The still shows the last frame, not the path that led to it.
        if scene.camera.is_none() {
            still.camera = Some(Camera::framing(&[&last], still.width, still.height));
            still.tracking = Tracking::Off;
        }
        let (cost, trial, trial_rays) = self.cost(&last, &still)?;
        // Reading a frame is part of each picture's cost.
        let began = Instant::now();
        drop(frame(&shown[0])?);
        let reading = began.elapsed().as_secs_f64();
        let film_seconds = |(settings, pictures): &(Settings, usize)| {
            (*pictures).min(self.files.len()) as f64 * (reading + cost.seconds(settings))
        };
        let films =
            GIFS.map(|(width, samples, pictures)| (scaled(&settings, scale_to(&settings, width), samples), pictures));
        let left = self.clock.left();
        let has_film = films.iter().any(|film| film_seconds(film) <= (1.0 - STILL_SHARE) * left);
        let time = if has_film { STILL_SHARE * left } else { left };
        let stills = STILLS.iter().map(|&(scale, samples)| scaled(&still, scale, samples));
        let better = stills.into_iter().find(|still| cost.seconds(still) <= time);
        let picture = match better.filter(|still| rays(still) > trial_rays) {
            Some(still) => self.picture(&last, &still)?,
            None => trial,
        };
        picture.write_png(path.join(STILL))?;
        self.bar.inc(1);

        let time = self.clock.left();
        let Some((small, pictures)) = films.into_iter().find(|film| has_film && film_seconds(film) <= time) else {
            // A GIF of an earlier part of the run would be outdated.
            let _ = std::fs::remove_file(path.join(GIF));
            return Ok(());
        };
        let numbers = evenly(shown.len(), pictures);
        shown = numbers.into_iter().map(|number| shown[number].clone()).collect();
        self.bar.set_length(1 + shown.len() as u64);
        let mut images: Vec<Option<Image>> = vec![None; shown.len()];
        let began = Instant::now();
        for place in (0..shown.len()).step_by(2) {
            images[place] = Some(self.picture(&frame(&shown[place])?, &small)?);
            self.bar.inc(1);
        }
        // The pictures in between are rendered only if the plan holds.
        if began.elapsed().as_secs_f64() <= self.clock.left() || shown.len().is_multiple_of(2) {
            for place in (1..shown.len()).step_by(2) {
                images[place] = Some(self.picture(&frame(&shown[place])?, &small)?);
                self.bar.inc(1);
            }
        }
        let images: Vec<Image> = images.into_iter().flatten().collect();
        let seconds = (self.files.len() - 1).max(1) as f64 / (images.len() - 1).max(1) as f64 / scene.world.fps;
        write_gif(path.join(GIF), &images, seconds.max(MIN_PICTURE_TIME))?;
        Ok(())
    }

    /// Renders a picture unless interrupted.
    fn picture(&self, frame: &Frame, settings: &Settings) -> Result<Image, Problem> {
        self.check_presses()?;
        Ok(render_frame(frame, settings)?)
    }

    fn check_presses(&self) -> Result<(), Problem> {
        if self.presses.load(Ordering::Relaxed) == 0 {
            return Ok(());
        }
        let run = problem::quoted(self.subject.path);
        Err(Problem::Interrupted(format!("all frames are there; make pictures with: craze render {run}")))
    }

    /// Cost of pictures of a frame, and the larger calibration picture with its rays.
    fn cost(&self, frame: &Frame, settings: &Settings) -> Result<(Cost, Image, f64), Problem> {
        let trial = |width: f64| {
            let settings = scaled(settings, scale_to(settings, width), TRIAL_SAMPLES);
            let began = Instant::now();
            let image = self.picture(frame, &settings)?;
            Ok::<_, Problem>((rays(&settings), began.elapsed(), image))
        };
        let [small, large] = TRIAL_WIDTHS;
        let (small, large) = (trial(small)?, trial(large)?);
        if large.0 <= small.0 {
            let whole = Cost { picture: 0.0, ray: large.1.as_secs_f64() / large.0 };
            return Ok((whole, large.2, large.0));
        }
        Ok((Cost::of([small.0, large.0], [small.1, large.1]), large.2, large.0))
    }

    /// Shards of the solids that broke, if there are any, the colouring supports them and time
    /// allows.
    fn shards(&self, settings: &Settings, shown: &[PathBuf]) -> Result<Option<ShardFrames>, Problem> {
        let Some(last) = shown.last() else { return Ok(None) };
        if !matches!(settings.coloring, Coloring::Material | Coloring::Piece) {
            return Ok(None);
        }
        let last = craze_frame::read(last)?;
        let broken = |body: &BodyFrame| {
            let of_scene = self.subject.scene.bodies.iter().find(|other| other.name == body.name);
            // Surfaces of particles show bending, which rigid shards would hide.
            let has_tetrahedra =
                |name: &str| method(name).is_some_and(|method| matches!(method.elements, Elements::Tetrahedra { .. }));
            of_scene.filter(|other| body.pieces.len() > 1 && has_tetrahedra(&other.method))
        };
        let seconds = |body: &BodyFrame| {
            let triangle = match broken(body)?.shape {
                Shape::Box(_) => FLAT_TRIANGLE_TIME,
                _ => ROUND_TRIANGLE_TIME,
            };
            Some(triangle * body.surface.triangles.len() as f64)
        };
        let needed: Vec<f64> = last.bodies.iter().filter_map(seconds).collect();
        if needed.is_empty() || needed.iter().sum::<f64>() > SHARD_SHARE * self.clock.left() {
            return Ok(None);
        }
        self.check_presses()?;
        let names: Vec<String> =
            last.bodies.iter().filter(|body| broken(body).is_some()).map(|body| body.name.clone()).collect();
        ShardFrames::of_bodies(self.subject.path, shown.to_vec(), &names, &ShardSettings::default()).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn films_run_evenly_from_the_first_frame_to_the_last() {
        assert_eq!(evenly(31, 4), [0, 10, 20, 30]);
        assert_eq!(evenly(3, 24), [0, 1, 2]);
        assert_eq!((evenly(9, 1), evenly(0, 5)), (vec![8], vec![]));
    }

    #[test]
    fn the_cost_of_a_ray_follows_from_two_pictures() {
        let cost = Cost::of([100.0, 400.0], [Duration::from_millis(300), Duration::from_millis(600)]);
        assert!((cost.picture - 0.2).abs() < 1e-9 && (cost.ray - 1e-3).abs() < 1e-9, "{cost:?}");
        // A disturbed trial gives positive costs.
        for times in [[500, 400], [1, 4000]] {
            let cost = Cost::of([100.0, 400.0], times.map(Duration::from_millis));
            assert!(cost.picture >= 0.0 && cost.ray > 0.0, "{cost:?}");
        }
    }

    #[test]
    fn small_pictures_keep_the_shape_of_the_scene_s() {
        let tall = Settings { width: 600, height: 1200, ..Settings::default() };
        let small = scaled(&tall, scale_to(&tall, 480.0), 9);
        assert!(small.height.abs_diff(2 * small.width) <= 1 && small.samples == 9, "{small:?}");
        let area = f64::from(small.width * small.height);
        assert!((area / (480.0 * 270.0) - 1.0).abs() < 0.01, "{small:?}");
        let tiny = Settings { width: 32, height: 18, samples: 1, ..Settings::default() };
        assert_eq!(scaled(&tiny, scale_to(&tiny, 480.0), 9), tiny);
    }
}
