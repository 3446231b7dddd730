//! Attribute values for the colour map.

use craze_frame::{Attributes, Data, Frame};

use crate::error::RenderError;
use crate::settings::Coloring;

/// Most numbers sorted for a range; longer arrays are subsampled.
const SAMPLE_LIMIT: usize = 200_000;
/// Fraction of outliers cut off at each end (1).
const OUTLIER_FRACTION: f64 = 0.02;

/// Values of the first and last colour, in the attribute's unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueRange {
    /// Value of the first colour.
    pub low: f64,
    /// Value of the last colour.
    pub high: f64,
}

impl ValueRange {
    /// Range of the coloured attribute over these frames, without two percent of outliers at each
    /// end.
    ///
    /// It starts at 0 if values are positive and begin near it. `None` if colours do not represent
    /// values or no body has the attribute.
    pub fn of(frames: &[&Frame], coloring: Coloring) -> Option<ValueRange> {
        let name = coloring.attribute()?;
        let arrays: Vec<Vec<f64>> = frames.iter().flat_map(|frame| frame_arrays(frame, name)).collect();
        let total: usize = arrays.iter().map(Vec::len).sum();
        let stride = total.div_ceil(SAMPLE_LIMIT).max(1);
        let mut values: Vec<f64> = arrays.into_iter().flatten().step_by(stride).filter(|v| v.is_finite()).collect();
        if values.is_empty() {
            return None;
        }
        values.sort_by(f64::total_cmp);
        let cut = (OUTLIER_FRACTION * values.len() as f64) as usize;
        let (mut low, high) = (values[cut], values[values.len() - 1 - cut]);
        if low > 0.0 && low < 0.3 * high {
            low = 0.0;
        }
        // A constant field is shown in the first colour of a range of its own magnitude.
        let spread = if high > low { high - low } else { high.abs().max(1.0) };
        let range = ValueRange { low, high: low + spread };
        range.check().ok().map(|()| range)
    }

    /// Position of a value in the range, clamped to 0…1.
    pub(crate) fn fraction(self, value: f64) -> f64 {
        ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    /// Checks that the range is not empty and finite.
    pub(crate) fn check(self) -> Result<(), RenderError> {
        // NaN fails, and so does a range whose size or reciprocal overflows.
        let spread = self.high - self.low;
        if spread > 0.0 && spread.is_finite() && spread.recip().is_finite() {
            Ok(())
        } else {
            Err(RenderError::Range { low: self.low, high: self.high })
        }
    }
}

/// Norm of a symmetric tensor: √(σ : σ).
fn frobenius_norm(&[xx, yy, zz, xy, yz, xz]: &[f64; 6]) -> f64 {
    (xx * xx + yy * yy + zz * zz + 2.0 * (xy * xy + yz * yz + xz * xz)).sqrt()
}

/// An attribute as scalars: norms of vectors, pairs and tensors.
pub(crate) fn numbers(attributes: &Attributes, name: &str) -> Option<Vec<f64>> {
    match attributes.get(name)? {
        Data::Scalar(values) => Some(values.clone()),
        Data::Vector(values) => Some(values.iter().map(|v| v.norm()).collect()),
        Data::Index(values) => Some(values.iter().map(|&v| f64::from(v)).collect()),
        Data::Pair(values) => Some(values.iter().map(|&[u, v]| u.hypot(v)).collect()),
        Data::Tensor(values) => Some(values.iter().map(frobenius_norm).collect()),
    }
}

/// All arrays of this name in a frame.
fn frame_arrays(frame: &Frame, name: &str) -> Vec<Vec<f64>> {
    let mut arrays = Vec::new();
    for body in &frame.bodies {
        let surface = &body.surface;
        arrays.extend(numbers(&surface.vertex_attributes, name).or_else(|| numbers(&surface.face_attributes, name)));
        if surface.triangles.is_empty() {
            arrays.extend(body.particles.as_ref().and_then(|particles| numbers(&particles.attributes, name)));
        }
    }
    arrays
}

/// Names of all attributes of a frame's bodies, separated by commas.
pub(crate) fn attribute_names(frame: &Frame) -> String {
    let mut names: Vec<&str> = Vec::new();
    for body in &frame.bodies {
        let particles = body.particles.as_ref().map(|particles| &particles.attributes);
        let lists = [Some(&body.surface.vertex_attributes), Some(&body.surface.face_attributes), particles];
        for attribute in lists.into_iter().flatten().flat_map(|attributes| &attributes.0) {
            if !names.contains(&attribute.name.as_str()) {
                names.push(&attribute.name);
            }
        }
    }
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use craze_frame::{BodyFrame, names};

    fn frame_with(values: Vec<f64>) -> Frame {
        let mut body = BodyFrame::default();
        body.surface.vertex_attributes.set(names::STRESS, Data::Scalar(values));
        Frame { bodies: vec![body], ..Frame::default() }
    }

    #[test]
    fn one_spike_does_not_stretch_the_range() {
        let mut values: Vec<f64> = (0..1000).map(f64::from).collect();
        values.push(1e12);
        values.push(f64::NAN);
        let range = ValueRange::of(&[&frame_with(values)], Coloring::Stress).unwrap();
        assert_eq!(range.low, 0.0);
        assert!(range.high > 900.0 && range.high < 1000.0, "{range:?}");
    }

    #[test]
    fn constant_and_missing_values_still_give_an_answer() {
        let range = ValueRange::of(&[&frame_with(vec![0.0; 5])], Coloring::Stress).unwrap();
        assert_eq!(range, ValueRange { low: 0.0, high: 1.0 });
        assert_eq!(ValueRange::of(&[&frame_with(vec![0.0; 5])], Coloring::Velocity), None);
        assert_eq!(ValueRange::of(&[&frame_with(vec![f64::NAN])], Coloring::Stress), None);
    }

    #[test]
    fn range_spans_all_frames_of_a_sequence() {
        let (first, last) = (frame_with(vec![-5.0; 50]), frame_with(vec![5.0; 50]));
        let range = ValueRange::of(&[&first, &last], Coloring::Stress).unwrap();
        assert_eq!(range, ValueRange { low: -5.0, high: 5.0 });
    }
}
