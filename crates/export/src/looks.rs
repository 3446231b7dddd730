//! How the faces of a body look in files, by its materials: outside and where cracks opened it.

use craze_frame::{BodyFrame, Look, Surface, names};
use craze_math::Vec3;

use crate::picture::Picture;
use crate::shards::{Outer, Paint};

/// Places at which a picture on a model is looked at for its mean colour, about.
const PLACES: f64 = 65_536.0;

/// A material of a file.
#[derive(Clone)]
pub(crate) struct Named {
    pub name: String,
    pub look: Look,
}

/// For each material of a body, that of its outside and that of its crack faces. `label` is the body's name in the file, `inside` how its first material looks
/// below the surface.
pub(crate) fn sides(body: &BodyFrame, label: &str, inside: Look) -> Vec<[Named; 2]> {
    let named = |(index, look): (usize, Look)| {
        let name = if index == 0 { label.to_owned() } else { format!("{label}_material_{index}") };
        let below = if index == 0 { inside } else { look };
        [Named { name: name.clone(), look }, Named { name: format!("{name}_crack"), look: below.cracked() }]
    };
    body.looks().into_iter().enumerate().map(named).collect()
}

/// Which of `count` materials a triangle is made of.
pub(crate) fn matter_of(surface: &Surface, count: usize) -> impl Fn(usize) -> usize {
    let materials = surface.face_attributes.indices(names::MATERIAL).unwrap_or(&[]);
    move |triangle| materials.get(triangle).map_or(0, |&material| material as usize % count.max(1))
}

/// How a body with a model's own materials looks inside, where the scene does not say it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Inside {
    /// As what the body is made of.
    #[default]
    AsBody,
    /// As what the body is made of, but opaque: the picture on the outside is so, and cannot be read.
    Opaque,
    /// With a colour (linear red, green, blue) that is that of the outside.
    Colored(Vec3),
}

impl Inside {
    /// As the model's material with the most area: its plain colour, or the mean of what its triangles show of its picture.
    pub fn of(model: &Outer) -> Inside {
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
        // The first of those that differ by rounding only.
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

    /// The look of a body below its surface.
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

/// Mean of the picture over a triangle with these texture coordinates that has this share of the area (1).
fn mean_light(picture: &Picture, corners: &[[f32; 2]; 3], share: f64) -> Vec3 {
    let [a, b, c] = corners.map(|corner| corner.map(f64::from));
    // The triangle is cut into side² equal ones, of which the middles are looked at.
    let side = (share * PLACES).sqrt().ceil().clamp(1.0, PLACES.sqrt()) as u32;
    let third = 1.0 / 3.0;
    let mut light = Vec3::zeros();
    for row in 0..side {
        for column in 0..side - row {
            for offset in [third, 2.0 * third].into_iter().take(1 + usize::from(column + row + 1 < side)) {
                let [along, aside] = [column, row].map(|place| (f64::from(place) + offset) / f64::from(side));
                let at = |axis: usize| a[axis] + along * (b[axis] - a[axis]) + aside * (c[axis] - a[axis]);
                light += picture.light_at([at(0), at(1)]);
            }
        }
    }
    light / f64::from(side * side)
}
