//! Corner attributes of triangles: a surface's own, or transferred texture coordinates, normals and
//! materials of an imported model for a surface built from its triangles, in any frame.

use craze_frame::{Surface, names};
use craze_math::{Mat3, Vec3};

use crate::shards::SourceSurface;
use crate::tuning::MAX_SOURCE_DISTANCE;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct TriangleAttributes {
    /// Texture coordinates (1), (0, 0) at the lower left.
    pub texture: Option<[[f32; 2]; 3]>,
    /// Unit normals; `None` where they cancel.
    pub normals: [Option<[f32; 3]>; 3],
    /// Material index.
    pub material: Option<u32>,
}

/// Configuration that normals are transformed to.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Pose {
    Rest,
    /// Deformed shape of the frame.
    Frame,
}

/// Attributes of every triangle from the model triangle that the frame names as its source. `None`
/// if the frame names no sources or they belong to another model. Crack faces have none.
pub(crate) fn transferred(surface: &Surface, model: &SourceSurface, pose: Pose) -> Option<Vec<TriangleAttributes>> {
    let sources = surface.face_attributes.indices(names::SOURCE)?;
    let rest = surface.vertex_attributes.vectors(names::REST)?;
    let normal_transforms =
        (pose == Pose::Frame && !model.corners.normals.is_empty()).then(|| normal_transforms(surface, rest));
    let transfer = |(triangle, corners): (usize, &[u32; 3])| {
        if surface.is_crack(triangle) {
            return Some(TriangleAttributes::default());
        }
        let source = sources[triangle];
        let own = model.triangles.get(source as usize)?.map(|vertex| model.positions[vertex as usize]);
        let weights = corners.map(|vertex| barycentric(&own, &rest[vertex as usize]));
        let [a, b, c] = [weights[0]?, weights[1]?, weights[2]?];
        let texture = |weights| model.corners.texture_at(source, weights);
        let textures = [texture(&a), texture(&b), texture(&c)];
        let mut normals = [a, b, c].map(|weights| model.corners.normal_at(source, &weights));
        if let Some(normal_transforms) = &normal_transforms {
            for (normal, &vertex) in normals.iter_mut().zip(corners) {
                let rotated =
                    normal.map(|normal| normal_transforms[vertex as usize] * Vec3::from(normal.map(f64::from)));
                *normal = rotated.and_then(|normal| Some(normal.try_normalize(0.0)?.map(|part| part as f32).into()));
            }
        }
        let texture = if let [Some(a), Some(b), Some(c)] = textures { Some([a, b, c]) } else { None };
        Some(TriangleAttributes { texture, normals, material: model.corners.materials.get(source as usize).copied() })
    };
    surface.triangles.iter().enumerate().map(transfer).collect()
}

/// Attributes of every triangle from the corner attributes and material slots of the surface
/// itself; `None` if it has none of them.
pub(crate) fn own(surface: &Surface) -> Option<Vec<TriangleAttributes>> {
    let texture = surface.corner_attributes.pairs(names::UV);
    let normals = surface.corner_attributes.vectors(names::NORMAL);
    let slots = surface.face_attributes.indices(names::SLOT);
    if texture.is_none() && normals.is_none() && slots.is_none() {
        return None;
    }
    let of_triangle = |triangle: usize| {
        let corners = [0, 1, 2].map(|corner| 3 * triangle + corner);
        let normal = |corner: usize| {
            let unit = normals?[corner].try_normalize(0.0)?;
            Some(<[f32; 3]>::from(unit.map(|part| part as f32)))
        };
        TriangleAttributes {
            texture: texture.map(|texture| corners.map(|corner| texture[corner].map(|part| part as f32))),
            normals: corners.map(normal),
            material: slots.map(|slots| slots[triangle]),
        }
    };
    Some((0..surface.triangles.len()).map(of_triangle).collect())
}

/// Barycentric weights of a point (m) on a triangle; `None` if it is off the triangle.
fn barycentric(&[a, b, c]: &[Vec3; 3], point: &Vec3) -> Option<[f64; 3]> {
    let normal = (b - a).cross(&(c - a));
    let longest = (b - a).norm().max((c - b).norm()).max((a - c).norm());
    let height = normal.dot(&(point - a)).abs();
    // Negated so that NaN is off.
    if !(height <= MAX_SOURCE_DISTANCE * longest * normal.norm()) {
        return None;
    }
    let share = |from: Vec3, to: Vec3| (from - point).cross(&(to - point)).dot(&normal) / normal.norm_squared();
    let shares = [share(b, c), share(c, a), share(a, b)];
    let is_on = shares.iter().all(|share| *share > -1e-3);
    let [first, second, _] = shares.map(|share| share.clamp(0.0, 1.0));
    is_on.then_some([first, second, (1.0 - first - second).max(0.0)])
}

/// For every vertex the transformation of rest normals to the frame: area-weighted sum of the
/// cofactor matrices of the deformation gradients of adjacent faces.
fn normal_transforms(surface: &Surface, rest: &[Vec3]) -> Vec<Mat3> {
    let mut normal_transforms = vec![Mat3::zeros(); rest.len()];
    for (_, corners) in surface.triangles.iter().enumerate().filter(|(triangle, _)| !surface.is_crack(*triangle)) {
        let basis = |points: [Vec3; 3]| {
            let [along, aside] = [points[1] - points[0], points[2] - points[0]];
            let normal = along.cross(&aside);
            (Mat3::from_columns(&[along, aside, normal.try_normalize(0.0).unwrap_or_else(Vec3::zeros)]), normal.norm())
        };
        let (then, area) = basis(corners.map(|vertex| rest[vertex as usize]));
        let (now, _) = basis(corners.map(|vertex| surface.positions[vertex as usize]));
        let Some(inverse) = then.try_inverse() else { continue };
        let deformation = now * inverse;
        let [x, y, z] = [0, 1, 2].map(|axis| deformation.column(axis).into_owned());
        let cofactors = Mat3::from_columns(&[y.cross(&z), z.cross(&x), x.cross(&y)]);
        corners.iter().for_each(|&vertex| normal_transforms[vertex as usize] += area * cofactors);
    }
    normal_transforms
}

#[cfg(test)]
mod tests {
    use super::*;
    use craze_frame::Data;
    use craze_skin::CornerAttributes;

    /// The half of a textured triangle with an oblique normal, rotated by a right angle about x.
    fn half() -> (Surface, SourceSurface) {
        let model = SourceSurface {
            positions: vec![Vec3::zeros(), Vec3::x(), Vec3::y()],
            triangles: vec![[0, 1, 2]],
            corners: CornerAttributes {
                texture: vec![[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]],
                normals: vec![[[0.6, 0.0, 0.8]; 3]],
                materials: vec![3],
            },
            ..SourceSurface::default()
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
    fn a_part_of_a_triangle_has_the_attributes_of_that_part() {
        let (surface, model) = half();
        let attributes = transferred(&surface, &model, Pose::Rest).unwrap()[0];
        assert_eq!(attributes.texture, Some([[0.0, 0.0], [1.0, 0.0], [0.5, 0.5]]));
        assert_eq!(attributes.normals, [Some([0.6, 0.0, 0.8]); 3]);
        assert_eq!(attributes.material, Some(3));
    }

    #[test]
    fn normals_rotate_with_the_surface() {
        let (surface, model) = half();
        let attributes = transferred(&surface, &model, Pose::Frame).unwrap()[0];
        for normal in attributes.normals.map(Option::unwrap) {
            assert!((Vec3::from(normal.map(f64::from)) - Vec3::new(0.6, -0.8, 0.0)).norm() < 1e-6);
        }
    }

    #[test]
    fn another_model_and_crack_faces_give_no_attributes() {
        let (mut surface, mut model) = half();
        model.positions[2].z = 0.1;
        assert_eq!(transferred(&surface, &model, Pose::Rest), None);
        surface.face_attributes.set(names::CRACK, Data::Index(vec![1]));
        assert_eq!(transferred(&surface, &model, Pose::Rest), Some(vec![TriangleAttributes::default()]));
    }
}
