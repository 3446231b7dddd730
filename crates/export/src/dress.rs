//! What the outside of a body carries that is made of the triangles of an imported model: texture coordinates, normals and materials, in any frame.

use craze_frame::{Surface, names};
use craze_math::{Mat3, Vec3};

use crate::shards::Outer;

/// How far from the triangle that it is a part of a corner may lie, as a share of that triangle's longest edge: beyond that the model is another.
const FIT: f64 = 1e-6;

/// What a triangle and its corners carry.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Worn {
    /// Texture coordinates (1), (0, 0) at the lower left.
    pub texture: Option<[[f32; 2]; 3]>,
    /// Unit normals; `None` where they cancel.
    pub normals: [Option<[f32; 3]>; 3],
    /// Number of the material.
    pub material: Option<u32>,
}

/// Where a surface is looked at.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum At {
    /// In its rest shape.
    Rest,
    /// Where it is in the frame.
    Frame,
}

/// What every triangle of a surface carries, by the model that its frames say they are parts of; `None` where they say nothing, or mean another model.
/// Crack faces carry nothing.
pub(crate) fn dress(surface: &Surface, model: &Outer, at: At) -> Option<Vec<Worn>> {
    let sources = surface.face_attributes.indices(names::SOURCE)?;
    let rest = surface.vertex_attributes.vectors(names::REST)?;
    let turns = (at == At::Frame && !model.corners.normals.is_empty()).then(|| turns(surface, rest));
    let wear = |(triangle, corners): (usize, &[u32; 3])| {
        if surface.is_crack(triangle) {
            return Some(Worn::default());
        }
        let source = sources[triangle];
        let own = model.triangles.get(source as usize)?.map(|vertex| model.positions[vertex as usize]);
        let weights = corners.map(|vertex| weights(&own, &rest[vertex as usize]));
        let [a, b, c] = [weights[0]?, weights[1]?, weights[2]?];
        let texture = |weights| model.corners.texture_at(source, weights);
        let textures = [texture(&a), texture(&b), texture(&c)];
        let mut normals = [a, b, c].map(|weights| model.corners.normal_at(source, &weights));
        if let Some(turns) = &turns {
            for (normal, &vertex) in normals.iter_mut().zip(corners) {
                let turned = normal.map(|normal| turns[vertex as usize] * Vec3::from(normal.map(f64::from)));
                *normal = turned.and_then(|normal| Some(normal.try_normalize(0.0)?.map(|part| part as f32).into()));
            }
        }
        let texture = if let [Some(a), Some(b), Some(c)] = textures { Some([a, b, c]) } else { None };
        Some(Worn { texture, normals, material: model.corners.materials.get(source as usize).copied() })
    };
    surface.triangles.iter().enumerate().map(wear).collect()
}

/// Weights of a triangle's corners at a place (m) on it; `None` off it.
fn weights(&[a, b, c]: &[Vec3; 3], place: &Vec3) -> Option<[f64; 3]> {
    let normal = (b - a).cross(&(c - a));
    let longest = (b - a).norm().max((c - b).norm()).max((a - c).norm());
    let height = normal.dot(&(place - a)).abs();
    // Written so that what is no number is off.
    if !(height <= FIT * longest * normal.norm()) {
        return None;
    }
    let share = |from: Vec3, to: Vec3| (from - place).cross(&(to - place)).dot(&normal) / normal.norm_squared();
    let shares = [share(b, c), share(c, a), share(a, b)];
    let is_on = shares.iter().all(|share| *share > -1e-3);
    let [first, second, _] = shares.map(|share| share.clamp(0.0, 1.0));
    is_on.then_some([first, second, (1.0 - first - second).max(0.0)])
}

/// For every vertex what takes normals of the rest shape to the frame: the cofactors of the deformation of the faces around it, by area.
fn turns(surface: &Surface, rest: &[Vec3]) -> Vec<Mat3> {
    let mut turns = vec![Mat3::zeros(); rest.len()];
    for (_, corners) in surface.triangles.iter().enumerate().filter(|(triangle, _)| !surface.is_crack(*triangle)) {
        let basis = |places: [Vec3; 3]| {
            let [along, aside] = [places[1] - places[0], places[2] - places[0]];
            let normal = along.cross(&aside);
            (Mat3::from_columns(&[along, aside, normal.try_normalize(0.0).unwrap_or_else(Vec3::zeros)]), normal.norm())
        };
        let (then, area) = basis(corners.map(|vertex| rest[vertex as usize]));
        let (now, _) = basis(corners.map(|vertex| surface.positions[vertex as usize]));
        let Some(inverse) = then.try_inverse() else { continue };
        let deformation = now * inverse;
        let [x, y, z] = [0, 1, 2].map(|axis| deformation.column(axis).into_owned());
        let cofactors = Mat3::from_columns(&[y.cross(&z), z.cross(&x), x.cross(&y)]);
        corners.iter().for_each(|&vertex| turns[vertex as usize] += area * cofactors);
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::*;
    use craze_frame::Data;
    use craze_skin::CornerAttributes;

    /// A triangle with texture coordinates and a normal that leans, of which the surface is the half with the first corner, turned by a right angle about x.
    fn half() -> (Surface, Outer) {
        let model = Outer {
            positions: vec![Vec3::zeros(), Vec3::x(), Vec3::y()],
            triangles: vec![[0, 1, 2]],
            corners: CornerAttributes {
                texture: vec![[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]],
                normals: vec![[[0.6, 0.0, 0.8]; 3]],
                materials: vec![3],
            },
            ..Outer::default()
        };
        let mut surface = Surface {
            positions: vec![Vec3::zeros(), Vec3::x(), Vec3::new(0.5, 0.0, 0.5)],
            triangles: vec![[0, 1, 2]],
            ..Surface::default()
        };
        let rest = vec![Vec3::zeros(), Vec3::x(), Vec3::new(0.5, 0.5, 0.0)];
        surface.vertex_attributes.set(names::REST, Data::Vector(rest));
        surface.face_attributes.set(names::SOURCE, Data::Index(vec![0]));
        (surface, model)
    }

    #[test]
    fn a_part_of_a_triangle_carries_what_the_triangle_has_there() {
        let (surface, model) = half();
        let worn = dress(&surface, &model, At::Rest).unwrap()[0];
        assert_eq!(worn.texture, Some([[0.0, 0.0], [1.0, 0.0], [0.5, 0.5]]));
        assert_eq!(worn.normals, [Some([0.6, 0.0, 0.8]); 3]);
        assert_eq!(worn.material, Some(3));
    }

    #[test]
    fn normals_turn_with_the_surface() {
        let (surface, model) = half();
        let worn = dress(&surface, &model, At::Frame).unwrap()[0];
        for normal in worn.normals.map(Option::unwrap) {
            assert!((Vec3::from(normal.map(f64::from)) - Vec3::new(0.6, -0.8, 0.0)).norm() < 1e-6);
        }
    }

    #[test]
    fn another_model_and_crack_faces_give_nothing() {
        let (mut surface, mut model) = half();
        model.positions[2].z = 0.1;
        assert_eq!(dress(&surface, &model, At::Rest), None);
        surface.face_attributes.set(names::CRACK, Data::Index(vec![1]));
        assert_eq!(dress(&surface, &model, At::Rest), Some(vec![Worn::default()]));
    }
}
