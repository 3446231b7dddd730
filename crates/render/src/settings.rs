//! Settings of a picture.

use craze_frame::{Frame, names};

use crate::camera::{Camera, Tracking};
use crate::error::RenderError;
use crate::subject::{center, is_finite};
use crate::values::ValueRange;

/// Largest side of a picture (pixels).
const SIDE_LIMIT: u32 = 16_384;
/// Most samples per pixel; more make no visible difference.
const SAMPLES_LIMIT: u32 = 4_096;

/// Settings of a picture. Default: a studio with warm light grey background, one large lamp and
/// soft shadows.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Width (pixels).
    pub width: u32,
    /// Height (pixels).
    pub height: u32,
    /// Rays per pixel: 16 for a preview, 64 and more for a still. Time is proportional.
    pub samples: u32,
    /// Meaning of colours.
    pub coloring: Coloring,
    /// Values of the first and last colour; `None`: from the frame.
    pub range: Option<ValueRange>,
    /// Camera; `None`: automatic.
    pub camera: Option<Camera>,
    /// Motion of the camera, if one is set.
    pub tracking: Tracking,
    /// Background.
    pub background: Background,
    /// Ground.
    pub ground: Ground,
    /// Wireframe.
    pub wireframe: Wireframe,
    /// Colour bar, if colours represent values.
    pub legend: Legend,
    /// Crease angle (degrees): triangles that meet at less are shaded smoothly; 0 is flat shading.
    pub crease_angle: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            width: 960,
            height: 540,
            samples: 16,
            coloring: Coloring::Material,
            range: None,
            camera: None,
            tracking: Tracking::Off,
            background: Background::Studio,
            ground: Ground::FromFrame,
            wireframe: Wireframe::Hidden,
            legend: Legend::Shown,
            crease_angle: 32.0,
        }
    }
}

impl Settings {
    /// Fixes camera and colour range, where open, for a sequence.
    ///
    /// Pass the first, some middle and the last frame: the camera then shows all of these, without
    /// fragments that flew far away. It stands still if bodies then cover a quarter of the picture,
    /// and otherwise tracks them if they cover more that way.
    pub fn fitted_to(mut self, frames: &[&Frame]) -> Settings {
        if self.camera.is_none() {
            let (camera, tracking) = Camera::tracking(frames, self.width, self.height);
            (self.camera, self.tracking) = (Some(camera), tracking);
        }
        if self.range.is_none() {
            self.range = ValueRange::of(frames, self.coloring);
        }
        self
    }

    /// Camera for a frame.
    pub(crate) fn camera_for(&self, frame: &Frame) -> Camera {
        let Some(camera) = self.camera else { return Camera::framing(&[frame], self.width, self.height) };
        match (self.tracking, center(frame)) {
            (Tracking::Bodies { center: start }, Some(center)) => camera.translated(center - start),
            _ => camera,
        }
    }

    /// Checks that the settings are valid.
    pub(crate) fn check(&self) -> Result<(), RenderError> {
        let (width, height, samples) = (self.width, self.height, self.samples);
        if !(1..=SIDE_LIMIT).contains(&width) || !(1..=SIDE_LIMIT).contains(&height) {
            return Err(RenderError::Size { width, height, limit: SIDE_LIMIT });
        }
        if !(1..=SAMPLES_LIMIT).contains(&samples) {
            return Err(RenderError::Samples { samples, limit: SAMPLES_LIMIT });
        }
        if let Some(range) = self.range {
            range.check()?;
        }
        match self.tracking {
            Tracking::Bodies { center } if !is_finite(&center) => Err(RenderError::Camera {
                reason: format!("the centre that it tracks is [{}, {}, {}]", center.x, center.y, center.z),
            }),
            _ => self.camera.as_ref().map_or(Ok(()), Camera::check),
        }
    }
}

/// Meaning of the colours of bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coloring {
    /// Colour of the material.
    #[default]
    Material,
    /// Pieces that split off get a constant colour by their number; number 0, which the largest
    /// part keeps at every split, keeps its material's.
    Piece,
    /// Largest principal stress (Pa), by colour map.
    Stress,
    /// Speed (m/s), by colour map.
    Velocity,
    /// Plastic strain, by colour map.
    PlasticStrain,
}

impl Coloring {
    /// Attribute of the colour map; `None` if colours do not represent values.
    pub(crate) fn attribute(self) -> Option<&'static str> {
        match self {
            Coloring::Material | Coloring::Piece => None,
            Coloring::Stress => Some(names::STRESS),
            Coloring::Velocity => Some(names::VELOCITY),
            Coloring::PlasticStrain => Some(names::PLASTIC_STRAIN),
        }
    }
}

/// Background.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Background {
    /// Warm light grey, slightly darker toward the corners.
    #[default]
    Studio,
    /// Near black, for slides.
    Dark,
    /// One sRGB colour.
    Color([u8; 3]),
}

/// Ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ground {
    /// The planes among the frame's obstacles.
    #[default]
    FromFrame,
    /// The planes among the frame's obstacles, or without any a level floor below the lowest point
    /// of each frame.
    UnderBodies,
    /// No planes.
    Hidden,
}

/// Visibility of triangle edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wireframe {
    /// Surfaces only.
    #[default]
    Hidden,
    /// Thin dark lines along the edges of bodies' triangles.
    Shown,
}

/// Visibility of the colour bar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Legend {
    /// At the right border, if colours represent values.
    #[default]
    Shown,
    /// No bar.
    Hidden,
}
