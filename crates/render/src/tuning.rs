//! Constants that a developer may want to change.

/// Half width of the tent filter over a pixel's samples (pixels): slightly beyond the pixel, for
/// smooth edges.
pub(crate) const FILTER_RADIUS: f64 = 0.8;
/// Relative difference between samples of a pixel above which it gets more samples (1).
pub(crate) const NOISE_THRESHOLD: f64 = 0.01;
/// Radius of denoising (pixels).
pub(crate) const DENOISE_RADIUS: usize = 3;
/// Width of the denoising filter in irradiance (1): preserves the edges of shadows.
pub(crate) const IRRADIANCE_STEP: f64 = 0.16;
/// Width of the denoising filter in specular light (1): preserves reflections.
pub(crate) const SPECULAR_STEP: f64 = 0.08;
/// Largest specular light of one ray (1): suppresses white dots.
pub(crate) const MAX_SPECULAR: f64 = 3.0;
/// Strength of shadows on the floor (1).
pub(crate) const SHADOW_STRENGTH: f64 = 0.93;
/// Share of the dome's light that a white occluder sends on (1).
pub(crate) const BOUNCE_FACTOR: f64 = 0.42;
/// Tangent of half the lamp's angular size: softness of shadows.
pub(crate) const LAMP_RADIUS: f64 = 0.13;
/// Share of the picture that bodies should cover (1): a quarter, and a reserve for frames in
/// between.
pub(crate) const TARGET_COVERAGE: f64 = 0.29;
/// Share of the picture with which a fixed camera is kept (1).
pub(crate) const MIN_COVERAGE: f64 = 0.26;
/// Smallest share of the first frame's picture that bodies cover, unless they cover less anyway
/// (1).
pub(crate) const MIN_FIRST_COVERAGE: f64 = 0.04;
/// Gain of coverage for which a camera tracks the bodies (1).
pub(crate) const MIN_TRACKING_GAIN: f64 = 1.25;
/// Rays for the coverage of a candidate camera.
pub(crate) const COVERAGE_RAYS: f64 = 900.0;
/// Free share of the picture's half width and height around the subject, if coverage allows (1).
pub(crate) const MARGIN: f64 = 0.14;
/// The same if it does not (1).
pub(crate) const SMALL_MARGIN: f64 = 0.04;
/// Largest margin when moving the camera back (1).
pub(crate) const MAX_MARGIN: f64 = 0.7;
/// Bisection steps of that margin.
pub(crate) const PULL_BACK_STEPS: usize = 6;
/// Vertical field of view of automatic cameras (degrees): a long lens avoids converging verticals.
pub(crate) const FIELD_OF_VIEW: f64 = 28.0;
