//! Materials of exported body faces: outside and crack faces.

use craze_frame::{BodyFrame, Look, Surface, names};
use craze_math::Vec3;

use crate::shards::Paint;

#[derive(Clone)]
pub(crate) struct NamedMaterial {
    pub name: String,
    pub look: Look,
}

/// For each material of a body the materials of its outside and its crack faces. `label`: name of
/// the body in the file; `inside`: look of its first material below the surface.
pub(crate) fn sides(body: &BodyFrame, label: &str, inside: Look) -> Vec<[NamedMaterial; 2]> {
    let named = |(index, look): (usize, Look)| {
        let name = if index == 0 { label.to_owned() } else { format!("{label}_material_{index}") };
        let below = if index == 0 { inside } else { look };
        [
            NamedMaterial { name: name.clone(), look },
            NamedMaterial { name: format!("{name}_crack"), look: below.cracked() },
        ]
    };
    body.looks().into_iter().enumerate().map(named).collect()
}

/// Returns the material index, below `count`, of a triangle.
pub(crate) fn material_of(surface: &Surface, count: usize) -> impl Fn(usize) -> usize {
    let materials = surface.face_attributes.indices(names::MATERIAL).unwrap_or(&[]);
    move |triangle| materials.get(triangle).map_or(0, |&material| material as usize % count.max(1))
}

/// Look of the crack faces of a body with a model's own materials: that of the scene; else the
/// model's material with the largest area if it is a plain colour; else that of the body's
/// material, opaque because the outside has a picture. `outer_triangles` yields corners (m) and
/// material.
pub(crate) fn inside(
    body: &BodyFrame,
    paints: &[Paint],
    outer_triangles: impl Iterator<Item = ([Vec3; 3], Option<u32>)>,
) -> Look {
    let own = body.looks()[0];
    if body.look.is_some() || paints.is_empty() {
        return own;
    }
    let mut areas = vec![0.0; paints.len()];
    for ([a, b, c], paint) in outer_triangles {
        if let Some(area) = paint.and_then(|paint| areas.get_mut(paint as usize)) {
            *area += (b - a).cross(&(c - a)).norm();
        }
    }
    let largest = paints.iter().zip(&areas).max_by(|one, other| one.1.total_cmp(other.1)).map(|(paint, _)| paint);
    match largest {
        Some(Paint { picture: Some(_), .. }) => own.opaque(),
        Some(Paint { colour: Some([red, green, blue, _]), .. }) => {
            let color = Vec3::new(f64::from(*red), f64::from(*green), f64::from(*blue));
            Look { color: color.map(|share| share.clamp(0.0, 1.0)), metalness: 0.0, ..own.opaque() }
        }
        _ => own,
    }
}
