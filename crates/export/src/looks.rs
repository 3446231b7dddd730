//! How the faces of a body look in files, by its materials: outside and where cracks opened it.

use craze_frame::{BodyFrame, Look, Surface, names};
use craze_math::Vec3;

use crate::shards::Paint;

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

/// How a body with a model's own materials looks inside: as the scene says; or else as the material with the most area, if that is a plain colour; or else as
/// what the body is made of, but opaque, as a picture on the outside is. `shown` has corners (m) and material of outer triangles.
pub(crate) fn inside(
    body: &BodyFrame,
    paints: &[Paint],
    shown: impl Iterator<Item = ([Vec3; 3], Option<u32>)>,
) -> Look {
    let own = body.looks()[0];
    if body.look.is_some() || paints.is_empty() {
        return own;
    }
    let mut areas = vec![0.0; paints.len()];
    for ([a, b, c], paint) in shown {
        if let Some(area) = paint.and_then(|paint| areas.get_mut(paint as usize)) {
            *area += (b - a).cross(&(c - a)).norm();
        }
    }
    let most = paints.iter().zip(&areas).max_by(|one, other| one.1.total_cmp(other.1)).map(|(paint, _)| paint);
    match most {
        Some(Paint { picture: Some(_), .. }) => own.opaque(),
        Some(Paint { colour: Some([red, green, blue, _]), .. }) => {
            let color = Vec3::new(f64::from(*red), f64::from(*green), f64::from(*blue));
            Look { color: color.map(|share| share.clamp(0.0, 1.0)), metalness: 0.0, ..own.opaque() }
        }
        _ => own,
    }
}
