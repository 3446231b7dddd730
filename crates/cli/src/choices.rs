//! Flags whose values are names from a list: help, errors and completion of a shell show them.

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use craze_export::Format;
use craze_methods::METHODS;
use craze_render::Coloring;
use craze_scene::Template;
use craze_shape::{Unit, UpAxis};

/// What `craze export` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Exported {
    /// Wavefront OBJ, a file for each frame
    Obj,
    /// Stanford PLY, a file for each frame
    Ply,
    /// STL, a file for each frame
    Stl,
    /// glTF, a file for each frame
    Glb,
    /// VTK XML files with a ParaView collection
    Vtk,
    /// One file with the pieces of the last frame in their rest shape
    Shards,
    /// One file with those pieces moving
    Animation,
}

impl Exported {
    /// The format of a sequence of frames; none for shards.
    pub fn of_frames(self) -> Option<Format> {
        match self {
            Exported::Obj => Some(Format::Obj),
            Exported::Ply => Some(Format::Ply),
            Exported::Stl => Some(Format::Stl),
            Exported::Glb => Some(Format::Glb),
            Exported::Vtk => Some(Format::Vtk),
            Exported::Shards | Exported::Animation => None,
        }
    }
}

/// What colours of pictures show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shown {
    /// What a body is made of
    Material,
    /// A colour for each piece
    Piece,
    /// Largest principal stress
    Stress,
    /// Speed
    Velocity,
    /// Plastic strain
    #[value(alias = "plastic_strain")]
    PlasticStrain,
}

impl From<Shown> for Coloring {
    fn from(shown: Shown) -> Coloring {
        match shown {
            Shown::Material => Coloring::Material,
            Shown::Piece => Coloring::Piece,
            Shown::Stress => Coloring::Stress,
            Shown::Velocity => Coloring::Velocity,
            Shown::PlasticStrain => Coloring::PlasticStrain,
        }
    }
}

/// A value of `all` by its name.
fn one_of<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    name: impl Fn(T) -> String + Clone + Send + Sync + 'static,
) -> impl TypedValueParser<Value = T> {
    let names: Vec<String> = all.iter().map(|value| name(*value)).collect();
    PossibleValuesParser::new(names).try_map(move |text| {
        all.iter().copied().find(|value| name(*value) == text).ok_or_else(|| format!("there is no {text}"))
    })
}

/// A unit of length.
pub fn unit() -> impl TypedValueParser<Value = Unit> {
    one_of(&Unit::ALL, |unit| unit.to_string())
}

/// The axis of a model that points upward.
pub fn up_axis() -> impl TypedValueParser<Value = UpAxis> {
    one_of(&UpAxis::ALL, |axis| axis.to_string())
}

/// A scene to start from.
pub fn template() -> impl TypedValueParser<Value = Template> {
    one_of(&Template::ALL, |template| template.name().to_owned())
}

/// The name of a fracture method.
pub fn method() -> impl TypedValueParser<Value = &'static str> {
    let names = METHODS.iter().map(|method| method.name);
    PossibleValuesParser::new(names).try_map(|text| {
        craze_methods::method(&text).map(|method| method.name).ok_or_else(|| format!("there is no method {text}"))
    })
}
