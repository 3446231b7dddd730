//! Materials of exported body faces: outside and crack faces.

use craze_frame::{BodyFrame, Look, Surface, names};
use craze_math::Vec3;

use crate::picture::Picture;
use crate::shards::{Paint, SourceSurface};

/// Samples of a picture for its mean colour, about.
const PICTURE_SAMPLES: f64 = 65_536.0;

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

/// Look of the crack faces of a body with a model's own materials, unless the scene sets one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Inside {
    /// That of the body's material.
    #[default]
    AsBody,
    /// That of the body's material, opaque like the picture outside, which cannot be decoded.
    Opaque,
    /// A linear colour that matches the outside.
    Colored(Vec3),
}

impl Inside {
    /// From the model's material with the largest area: its plain colour, or the mean of its
    /// picture over the triangles that show it.
    pub fn of(model: &SourceSurface) -> Inside {
        let paints = model.usable_paints();
        let area = |triangle: usize| {
            let [a, b, c] = model.triangles[triangle].map(|vertex| model.positions[vertex as usize]);
            (b - a).cross(&(c - a)).norm()
        };
        let mut areas = vec![0.0; paints.len()];
        for (triangle, &paint) in model.corners.materials.iter().enumerate().take(model.triangles.len()) {
            if let Some(sum) = areas.get_mut(paint as usize) {
                *sum += area(triangle);
            }
        }
        // The first of equal ones, up to rounding.
        let larger = |most: (usize, f64), next: (usize, f64)| if next.1 > most.1 * (1.0 + 1e-9) { next } else { most };
        let Some((number, whole)) = areas.into_iter().enumerate().reduce(larger) else { return Inside::AsBody };
        let Paint { colour, picture, .. } = &paints[number];
        let factor = colour
            .map_or_else(|| Vec3::repeat(1.0), |[red, green, blue, _]| Vec3::from([red, green, blue].map(f64::from)));
        let picture = match picture {
            None if colour.is_none() => return Inside::AsBody,
            None => return Inside::Colored(factor),
            Some(picture) => Picture::read(picture),
        };
        let Some(picture) = picture else { return Inside::Opaque };
        let (mut light, mut weight) = (Vec3::zeros(), 0.0);
        for (triangle, corners) in model.corners.texture.iter().enumerate().take(model.triangles.len()) {
            if model.corners.materials.get(triangle) == Some(&(number as u32)) {
                let area = area(triangle);
                light += area * mean_light(&picture, corners, area / whole);
                weight += area;
            }
        }
        if weight > 0.0 { Inside::Colored((light / weight).component_mul(&factor)) } else { Inside::Opaque }
    }

    /// Look of a body below its surface.
    pub fn look(self, body: &BodyFrame) -> Look {
        let own = body.looks()[0];
        match self {
            _ if body.look.is_some() => own,
            Inside::AsBody => own,
            Inside::Opaque => own.opaque(),
            Inside::Colored(color) => {
                Look { color: color.map(|share| share.clamp(0.0, 1.0)), metalness: 0.0, ..own.opaque() }
            }
        }
    }
}

/// Mean of the picture over a triangle with these texture coordinates and this share of the area
/// (1).
fn mean_light(picture: &Picture, corners: &[[f32; 2]; 3], share: f64) -> Vec3 {
    let [a, b, c] = corners.map(|corner| corner.map(f64::from));
    // Samples at the centroids of side² equal triangles.
    let side = (share * PICTURE_SAMPLES).sqrt().ceil().clamp(1.0, PICTURE_SAMPLES.sqrt()) as u32;
    let third = 1.0 / 3.0;
    let mut light = Vec3::zeros();
    for row in 0..side {
        for column in 0..side - row {
            for offset in [third, 2.0 * third].into_iter().take(1 + usize::from(column + row + 1 < side)) {
                let [along, aside] = [column, row].map(|texel| (f64::from(texel) + offset) / f64::from(side));
                let at = |axis: usize| a[axis] + along * (b[axis] - a[axis]) + aside * (c[axis] - a[axis]);
                light += picture.light_at([at(0), at(1)]);
            }
        }
    }
    light / f64::from(side * side)
}
