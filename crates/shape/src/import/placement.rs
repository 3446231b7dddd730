//! Transform from a file's unit and axes to metres with y up.

use std::fmt;
use std::path::Path;

use craze_math::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::model::Model;
use crate::error::{ShapeError, check_length};
use crate::number_format::short;
use crate::tuning::VALID_EXTENTS;

/// How a model's coordinates are converted to metres with y up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ModelPlacement {
    /// Largest extent after scaling; unscaled if left out.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub size: Option<f64>,
    /// Unit of the model's coordinates.
    pub unit: Unit,
    /// Up axis of the model.
    pub up: UpAxis,
}

impl ModelPlacement {
    /// Rotates, scales and centres a model: y up, in metres, its bounding box centred at the
    /// origin.
    pub(crate) fn apply(&self, model: &mut Model, path: &Path) -> Result<(), ShapeError> {
        if let Some(size) = self.size {
            check_length("size", size)?;
        }
        let bounds = model.surface.bounds();
        let largest = bounds.size().max();
        // False for NaN: a model without points has no box.
        if !(largest > 0.0 && largest.is_finite()) {
            return Err(ShapeError::NoExtent { path: path.to_owned() });
        }
        let scale = self.size.map_or(self.unit.in_metres(), |size| size / largest);
        for (extent, unit) in [(largest, "units"), (scale * largest, "m")] {
            if !VALID_EXTENTS.contains(&extent) {
                return Err(ShapeError::OutOfScale { path: path.to_owned(), extent, unit });
            }
        }
        let middle = bounds.centre();
        let nodes = model.volume.iter_mut().flat_map(|volume| &mut volume.nodes);
        for position in model.surface.positions.iter_mut().chain(nodes) {
            *position = scale * self.up.to_y_up(*position - middle);
        }
        for normal in model.normals.iter_mut().flatten() {
            let turned = self.up.to_y_up(Vec3::from(normal.map(f64::from)));
            *normal = [turned.x as f32, turned.y as f32, turned.z as f32];
        }
        let extent = scale * largest;
        if self.size.is_none() && !(1e-3..=1e3).contains(&extent) {
            model.remarks.push(format!(
                "the model is {} m large with the unit {}: set its unit or its size if this is wrong",
                short(extent),
                self.unit
            ));
        }
        model.placement = Some(*self);
        Ok(())
    }
}

impl fmt::Display for ModelPlacement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.size {
            Some(size) => write!(formatter, "scaled to {size} m, {} up", self.up),
            None => write!(formatter, "unit {}, {} up", self.unit, self.up),
        }
    }
}

/// Unit of a model's coordinates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Unit {
    /// Metre.
    #[default]
    #[serde(rename = "m")]
    Metre,
    /// Centimetre.
    #[serde(rename = "cm")]
    Centimetre,
    /// Millimetre.
    #[serde(rename = "mm")]
    Millimetre,
    /// Micrometre.
    #[serde(rename = "um")]
    Micrometre,
    /// Kilometre.
    #[serde(rename = "km")]
    Kilometre,
    /// Inch.
    #[serde(rename = "in")]
    Inch,
    /// Foot.
    #[serde(rename = "ft")]
    Foot,
}

impl Unit {
    /// Every unit.
    pub const ALL: [Self; 7] =
        [Self::Metre, Self::Centimetre, Self::Millimetre, Self::Micrometre, Self::Kilometre, Self::Inch, Self::Foot];

    /// Length of the unit (m).
    pub fn in_metres(self) -> f64 {
        match self {
            Unit::Metre => 1.0,
            Unit::Centimetre => 0.01,
            Unit::Millimetre => 0.001,
            Unit::Micrometre => 1e-6,
            Unit::Kilometre => 1000.0,
            Unit::Inch => 0.0254,
            Unit::Foot => 0.3048,
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Unit::Metre => "m",
            Unit::Centimetre => "cm",
            Unit::Millimetre => "mm",
            Unit::Micrometre => "um",
            Unit::Kilometre => "km",
            Unit::Inch => "in",
            Unit::Foot => "ft",
        })
    }
}

/// The axis of a model that points up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum UpAxis {
    /// As in Craze.
    #[default]
    Y,
    /// As in Blender and most CAD programs.
    Z,
    /// As in some programs for ships and machines.
    X,
}

impl UpAxis {
    /// Every axis.
    pub const ALL: [Self; 3] = [Self::Y, Self::Z, Self::X];

    /// Rotates a direction of the model to y up.
    fn to_y_up(self, direction: Vec3) -> Vec3 {
        match self {
            UpAxis::Y => direction,
            UpAxis::Z => Vec3::new(direction.x, direction.z, -direction.y),
            UpAxis::X => Vec3::new(-direction.y, direction.x, direction.z),
        }
    }
}

impl fmt::Display for UpAxis {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            UpAxis::Y => "y",
            UpAxis::Z => "z",
            UpAxis::X => "x",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::TriangleSurface;

    /// A triangle with z up, 2 wide and 4 high, its normal along −y.
    fn standing() -> Model {
        let surface = TriangleSurface {
            positions: vec![Vec3::new(1.0, 5.0, 1.0), Vec3::new(3.0, 5.0, 1.0), Vec3::new(2.0, 5.0, 5.0)],
            triangles: vec![[0, 1, 2]],
        };
        Model { surface, normals: vec![[[0.0, -1.0, 0.0]; 3]], ..Model::default() }
    }

    #[test]
    fn a_model_is_rotated_scaled_and_centred() {
        let mut model = standing();
        let placement = ModelPlacement { unit: Unit::Centimetre, up: UpAxis::Z, size: None };
        placement.apply(&mut model, Path::new("sail.obj")).expect("placed");
        let want = [Vec3::new(-0.01, -0.02, 0.0), Vec3::new(0.01, -0.02, 0.0), Vec3::new(0.0, 0.02, 0.0)];
        for (got, want) in model.surface.positions.iter().zip(want) {
            assert!((got - want).norm() < 1e-15, "{got} {want}");
        }
        assert_eq!(model.normals[0][0], [0.0, 0.0, 1.0]);
        assert!(model.remarks.is_empty() && model.placement == Some(placement));
    }

    #[test]
    fn every_up_axis_is_a_rotation() {
        for (up, axis) in [(UpAxis::X, Vec3::x()), (UpAxis::Y, Vec3::y()), (UpAxis::Z, Vec3::z())] {
            assert_eq!(up.to_y_up(axis), Vec3::y(), "{up}");
            let [x, y, z] = [Vec3::x(), Vec3::y(), Vec3::z()].map(|axis| up.to_y_up(axis));
            assert_eq!(x.cross(&y), z, "{up}");
        }
    }

    #[test]
    fn units_have_their_lengths() {
        let lengths = Unit::ALL.map(|unit| (unit.to_string(), unit.in_metres()));
        let want = [("m", 1.0), ("cm", 1e-2), ("mm", 1e-3), ("um", 1e-6), ("km", 1e3), ("in", 0.0254), ("ft", 0.3048)];
        assert_eq!(lengths, want.map(|(name, length)| (name.to_owned(), length)));
    }

    #[test]
    fn a_size_is_the_largest_extent_whatever_the_unit() {
        let mut model = standing();
        let placement = ModelPlacement { unit: Unit::Inch, size: Some(0.2), ..ModelPlacement::default() };
        placement.apply(&mut model, Path::new("sail.obj")).expect("placed");
        assert!((model.surface.bounds().size().max() - 0.2).abs() < 1e-15);
    }

    #[test]
    fn models_without_extent_and_invalid_sizes_are_rejected() {
        let path = Path::new("dot.obj");
        let mut dot = standing();
        dot.surface.positions = vec![Vec3::x(); 3];
        assert!(matches!(ModelPlacement::default().apply(&mut dot, path), Err(ShapeError::NoExtent { .. })));
        assert!(matches!(
            ModelPlacement::default().apply(&mut Model::default(), path),
            Err(ShapeError::NoExtent { .. })
        ));
        for size in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let placement = ModelPlacement { size: Some(size), ..ModelPlacement::default() };
            assert!(matches!(placement.apply(&mut standing(), path), Err(ShapeError::BadLength { .. })));
        }
    }

    #[test]
    fn models_outside_the_valid_extents_are_rejected() {
        let path = Path::new("sail.obj");
        let refused = |factor: f64, placement: ModelPlacement| {
            let mut model = standing();
            model.surface.positions.iter_mut().for_each(|position| *position *= factor);
            placement.apply(&mut model, path).expect_err("refused").to_string()
        };
        let tiny = refused(1e-200, ModelPlacement::default());
        assert_eq!(
            tiny,
            "sail.obj is 4.00e-200 units large: extents from 1e-18 to 1e19 are supported; set another unit or size, or scale it"
        );
        // A size does not help: coordinates are read first.
        assert!(
            refused(1e-200, ModelPlacement { size: Some(1.0), ..ModelPlacement::default() })
                .contains("4.00e-200 units")
        );
        assert!(
            refused(1.0, ModelPlacement { size: Some(1e-30), ..ModelPlacement::default() })
                .contains("1.00e-30 m large")
        );
        assert!(
            refused(1.0, ModelPlacement { size: Some(1e300), ..ModelPlacement::default() })
                .contains("1.00e300 m large")
        );
        assert!(
            refused(1e-15, ModelPlacement { unit: Unit::Micrometre, ..ModelPlacement::default() })
                .contains("4.00e-21 m large")
        );
    }

    #[test]
    fn a_model_of_unlikely_size_gets_a_remark() {
        for factor in [1e6, 1e-6] {
            let mut model = standing();
            model.surface.positions.iter_mut().for_each(|position| *position *= factor);
            ModelPlacement::default().apply(&mut model, Path::new("sail.obj")).expect("placed");
            assert_eq!(model.remarks.len(), 1, "{:?}", model.remarks);
            assert!(model.remarks[0].contains("set its unit or its size"), "{:?}", model.remarks);
        }
    }
}
