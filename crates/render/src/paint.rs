//! Looks and values of the faces and particles of a body.

use craze_frame::{Attributes, BodyFrame, Data, Look as Matter, names};

use crate::color::distinct;
use crate::look::Look;
use crate::settings::Coloring;
use crate::values::numbers;

/// Offset of colour indices between bodies.
const COLORS_PER_BODY: u64 = 37;

/// Smallest roughness of pieces coloured by index: reflections would hide the colour.
const MIN_PIECE_ROUGHNESS: f64 = 0.45;

/// Looks of outer faces and crack faces.
fn pair(matter: Matter) -> [Look; 2] {
    [matter, matter.cracked()].map(Look::from)
}

/// Look and values of a face or particle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ElementLook {
    /// Index into the looks.
    pub look: u32,
    /// Corner values for the colour map; NaN uses the look's own colour.
    pub values: [f32; 3],
}

/// Looks of one body, in pairs: outer faces, crack faces.
pub(crate) struct Paint {
    /// For each material or piece the look of outer faces, then of crack faces. Never empty.
    pub looks: Vec<Look>,
    /// Pair of looks per element; missing entries are 0.
    kinds: Vec<u32>,
    /// Crack flag per element; missing entries are false.
    cracks: Vec<bool>,
    values: Values,
}

enum Values {
    None,
    Vertex(Vec<f64>),
    Element(Vec<f64>),
}

impl Paint {
    /// One look everywhere.
    pub fn plain(matter: Matter) -> Paint {
        Paint { looks: pair(matter).to_vec(), kinds: Vec::new(), cracks: Vec::new(), values: Values::None }
    }

    /// Looks of the body's triangles.
    pub fn of_surface(body: &BodyFrame, body_index: usize, coloring: Coloring) -> Paint {
        let surface = &body.surface;
        let mut paint = Paint::of_elements(body, &surface.face_attributes, body_index, coloring);
        if let Some(values) = coloring.attribute().and_then(|name| numbers(&surface.vertex_attributes, name)) {
            paint.values = Values::Vertex(values);
        }
        paint
    }

    /// Looks of elements, triangles or particles, with these attributes.
    pub fn of_elements(body: &BodyFrame, attributes: &Attributes, body_index: usize, coloring: Coloring) -> Paint {
        let pieces = attributes.indices(names::PIECE).unwrap_or(&[]);
        let materials = attributes.indices(names::MATERIAL).unwrap_or(&[]);
        let own_looks = || -> Vec<[Look; 2]> { body.looks().into_iter().map(pair).collect() };
        let (looks, kinds): (Vec<[Look; 2]>, Vec<u32>) = match coloring {
            // The colour depends only on the piece's number, which is constant over frames. The
            // largest part keeps number 0 at a split, and with it the look of its material.
            Coloring::Piece if !pieces.is_empty() => {
                let mut looks = own_looks();
                let own = looks.len() as u32;
                let roughness = body.looks()[0].roughness.max(MIN_PIECE_ROUGHNESS);
                let in_color = |color| Matter { color, roughness, metalness: 0.0, transmission: 0.0, ior: 1.5 };
                let count = pieces.iter().max().map_or(0, |&last| last as usize + 1).max(body.pieces.len());
                let number = |piece: usize| body.pieces.get(piece).map_or(piece as u32, |piece| piece.id);
                let first = COLORS_PER_BODY * body_index as u64;
                looks.extend((0..count).map(|piece| pair(in_color(distinct(first + u64::from(number(piece)))))));
                let kind = |(element, &piece): (usize, &u32)| match number(piece as usize) {
                    0 => materials.get(element).copied().unwrap_or(0) % own,
                    _ => own + piece,
                };
                (looks, pieces.iter().enumerate().map(kind).collect())
            }
            Coloring::Material | Coloring::Piece => (own_looks(), materials.to_vec()),
            Coloring::Stress | Coloring::Velocity | Coloring::PlasticStrain => {
                (vec![[Look::without_value(); 2]], Vec::new())
            }
        };
        let values = coloring.attribute().and_then(|name| numbers(attributes, name));
        Paint {
            kinds: kinds.into_iter().map(|kind| kind % looks.len() as u32).collect(),
            looks: looks.concat(),
            cracks: cracks(attributes),
            values: values.map_or(Values::None, Values::Element),
        }
    }

    /// Returns true for crack faces.
    pub fn is_crack(&self, element: usize) -> bool {
        self.cracks.get(element).copied().unwrap_or(false)
    }

    /// Look and values of an element with these corners; `first_look` is the stage's index of this
    /// body's looks.
    pub fn element_look(&self, element: usize, corners: [u32; 3], first_look: usize) -> ElementLook {
        let kind = self.kinds.get(element).copied().unwrap_or(0);
        let values = match &self.values {
            Values::None => [f32::NAN; 3],
            Values::Vertex(values) => corners.map(|c| values.get(c as usize).map_or(f32::NAN, |&v| v as f32)),
            Values::Element(values) => [values.get(element).map_or(f32::NAN, |&v| v as f32); 3],
        };
        ElementLook { look: first_look as u32 + 2 * kind + u32::from(self.is_crack(element)), values }
    }
}

/// Crack flags, stored as indices or as numbers.
fn cracks(attributes: &Attributes) -> Vec<bool> {
    match attributes.get(names::CRACK) {
        Some(Data::Index(marks)) => marks.iter().map(|&mark| mark == 1).collect(),
        Some(Data::Scalar(marks)) => marks.iter().map(|&mark| mark > 0.5).collect(),
        Some(Data::Vector(_) | Data::Pair(_) | Data::Tensor(_)) | None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use craze_frame::Piece;

    fn body(pieces: usize) -> BodyFrame {
        body_of(&(0..pieces as u32).collect::<Vec<u32>>())
    }

    /// A body of pieces with these numbers; its four faces belong to them in turn.
    fn body_of(numbers: &[u32]) -> BodyFrame {
        let piece = |&id: &u32| Piece { id, volume: 1.0, mass: 1.0, parent: None, pose: Default::default() };
        let pieces = numbers.iter().map(piece).collect();
        let mut body = BodyFrame { materials: vec!["clay".to_owned()], pieces, ..Default::default() };
        let faces: Vec<u32> = (0..4).map(|face| face % numbers.len() as u32).collect();
        body.surface.face_attributes.set(names::PIECE, Data::Index(faces));
        body.surface.face_attributes.set(names::CRACK, Data::Index(vec![0, 0, 0, 1]));
        body
    }

    #[test]
    fn one_piece_keeps_its_material_and_two_have_two_colors() {
        let whole = Paint::of_surface(&body(1), 0, Coloring::Piece);
        assert_eq!(
            whole.looks[whole.element_look(0, [0; 3], 0).look as usize],
            Look::from(Matter::named("clay").unwrap())
        );
        let broken = Paint::of_surface(&body(2), 0, Coloring::Piece);
        let color = |face| broken.looks[broken.element_look(face, [0; 3], 0).look as usize].color;
        assert_eq!(color(0), color(2));
        assert!((color(0) - color(1)).amax() > 0.1);
        assert_ne!(color(1), color(3), "a crack face is lighter than the outer face of its piece");
    }

    #[test]
    fn a_piece_keeps_its_color_whichever_others_there_are() {
        let color = |numbers: &[u32], face: usize| {
            let paint = Paint::of_surface(&body_of(numbers), 3, Coloring::Piece);
            paint.looks[paint.element_look(face, [0; 3], 0).look as usize].color
        };
        assert_eq!(color(&[0], 0), Matter::named("clay").unwrap().color);
        assert_eq!(color(&[0, 4, 9], 0), Matter::named("clay").unwrap().color);
        assert_eq!(color(&[0, 4, 9], 1), color(&[4, 7], 0));
        assert_eq!(color(&[0, 4, 9], 2), color(&[9], 2));
        assert_ne!(color(&[0, 4, 9], 1), color(&[0, 4, 9], 2));
        // Also after thousands of pieces.
        assert_ne!(color(&[5000], 0), color(&[5001], 0));
    }

    #[test]
    fn values_too_large_for_a_picture_are_missing_values() {
        let mut body = body(1);
        body.surface.vertex_attributes.set(names::STRESS, Data::Scalar(vec![2.0, f64::NAN]));
        let element_look = Paint::of_surface(&body, 0, Coloring::Stress).element_look(0, [0, 1, 7], 0);
        assert_eq!(element_look.values[0], 2.0);
        assert!(element_look.values[1].is_nan() && element_look.values[2].is_nan());
    }
}
