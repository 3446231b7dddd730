//! How a picture is to look.

use std::str::FromStr;

use craze_frame::{Frame, names};

use crate::camera::{Camera, Tracking};
use crate::error::RenderError;
use crate::subject::{center, is_finite};
use crate::values::ValueRange;

/// Longest side of a picture (pixels).
const SIDE_LIMIT: u32 = 16_384;
/// Most samples a pixel: beyond, the eye sees no difference.
const SAMPLES_LIMIT: u32 = 4_096;

/// How a picture is to look. The default is a quiet studio: light warm grey, one large lamp, a soft shadow.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Width of the picture (pixels).
    pub width: u32,
    /// Height of the picture (pixels).
    pub height: u32,
    /// Rays a pixel: 16 for a preview, 64 and more for a still. Time grows in proportion.
    pub samples: u32,
    /// What the colours mean.
    pub coloring: Coloring,
    /// Values of the first and last colour of the map; `None` takes them from the frame.
    pub range: Option<ValueRange>,
    /// The eye; `None` frames what is in the frame.
    pub camera: Option<Camera>,
    /// Whether the eye moves with the bodies, if `camera` is set.
    pub tracking: Tracking,
    /// What is behind everything.
    pub background: Background,
    /// What things stand on.
    pub ground: Ground,
    /// Whether edges of triangles are drawn.
    pub wireframe: Wireframe,
    /// Whether a bar explains the colours, where they stand for values.
    pub legend: Legend,
    /// Neighbouring triangles that meet at less than this angle are shaded as one smooth surface (degrees); 0 shades
    /// every triangle flat.
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
    /// These settings with the camera and the range of colours, where they are open, fixed for a whole sequence.
    ///
    /// Pass the first, some between and the last frame: the camera then holds all of these, fragments that flew far away left
    /// out, and colours mean the same in every picture. The camera stands still if bodies then cover a quarter of the picture, and
    /// moves with them otherwise, if they cover more then.
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

    /// The camera for a frame.
    pub(crate) fn camera_for(&self, frame: &Frame) -> Camera {
        let Some(camera) = self.camera else { return Camera::framing(&[frame], self.width, self.height) };
        match (self.tracking, center(frame)) {
            (Tracking::Bodies { center: start }, Some(center)) => camera.moved(center - start),
            _ => camera,
        }
    }

    /// Names the first setting that no picture can be made with.
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

/// What the colours of bodies mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coloring {
    /// Each material has its colour.
    #[default]
    Material,
    /// Each piece that breaks off a body gets a colour by its number and keeps it; what keeps the
    /// number 0, the largest part at every break, keeps its material's.
    Piece,
    /// Largest principal stress (Pa) through a colour map.
    Stress,
    /// Speed (m/s) through a colour map.
    Velocity,
    /// Plastic strain through a colour map.
    PlasticStrain,
}

impl Coloring {
    /// The attribute that is shown through the colour map; `None` where colours do not stand for values.
    pub(crate) fn attribute(self) -> Option<&'static str> {
        match self {
            Coloring::Material | Coloring::Piece => None,
            Coloring::Stress => Some(names::STRESS),
            Coloring::Velocity => Some(names::VELOCITY),
            Coloring::PlasticStrain => Some(names::PLASTIC_STRAIN),
        }
    }
}

impl FromStr for Coloring {
    type Err = RenderError;

    fn from_str(name: &str) -> Result<Self, RenderError> {
        match name {
            "material" => Ok(Coloring::Material),
            "piece" => Ok(Coloring::Piece),
            "stress" => Ok(Coloring::Stress),
            "velocity" => Ok(Coloring::Velocity),
            "plastic-strain" | "plastic_strain" => Ok(Coloring::PlasticStrain),
            _ => Err(RenderError::UnknownColoring { name: name.to_owned() }),
        }
    }
}

/// What is behind everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Background {
    /// Light warm grey, a little darker toward the corners.
    #[default]
    Studio,
    /// Near black, for slides.
    Dark,
    /// One colour: red, green, blue (sRGB).
    Color([u8; 3]),
}

/// What things stand on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ground {
    /// The planes among the frame's obstacles.
    #[default]
    FromFrame,
    /// The planes among the frame's obstacles; where there are none, a level floor that the lowest point touches.
    /// In a sequence it follows that point.
    UnderBodies,
    /// No plane is drawn.
    Hidden,
}

/// Whether edges of triangles are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wireframe {
    /// Surfaces only.
    #[default]
    Hidden,
    /// Thin dark lines along the edges of every triangle of a body.
    Shown,
}

/// Whether a bar explains the colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Legend {
    /// A bar at the right border, where colours stand for values.
    #[default]
    Shown,
    /// No bar.
    Hidden,
}
