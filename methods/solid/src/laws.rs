//! Which law an element follows: that of its material, with less viscosity where a crack has left it thin.
//!
//! Viscosity bounds Δt by the square of an element's height (READINGS 4). An element that is half as high as the thinnest of the unbroken
//! body gets a quarter of its material's viscosity, and so on: what damps is then as slow as before, and a crack costs
//! no more steps than sound asks for. Stiffness, mass and the motion of a piece as a whole are not touched.

use crate::split::height;
use craze_element::{Law, Tetrahedron};
use craze_material::Material;
use craze_mesh::{TetId, TetMesh};

/// Laws of a material: full viscosity, a quarter, a sixteenth, a sixty-fourth.
pub(crate) const THINNESSES: usize = 4;

/// The laws of all materials, one material after another.
pub(crate) fn laws_of(materials: &[Material]) -> Vec<Law> {
    let of_material = |material: &Material| {
        let law = Law::of(material);
        (0..THINNESSES as i32).map(move |thinness| law.with_viscosity_times(0.25f64.powi(thinness)))
    };
    materials.iter().flat_map(of_material).collect()
}

/// The law of an element of this rest shape, in a body nearly all of whose elements were at least `first_height` (m) high before it broke.
pub(crate) fn law_of(material: u32, rest: &Tetrahedron, first_height: f64) -> usize {
    let halvings = (first_height / height(rest)).log2().ceil();
    // A hair below the first height is rounding, not thinness.
    let thinness = if height(rest) > 0.999 * first_height { 0 } else { (halvings as usize).min(THINNESSES - 1) };
    material as usize * THINNESSES + thinness
}

/// The law of an element of a mesh. One without a shape has the first of its material: it is refused elsewhere.
pub(crate) fn law_at(mesh: &TetMesh, material_of: &[u32], first_height: f64, element: usize) -> u32 {
    let material = material_of[element];
    match Tetrahedron::new(&mesh.corners(TetId(element as u32))) {
        Some(rest) => law_of(material, &rest, first_height) as u32,
        None => material * THINNESSES as u32,
    }
}

/// The law of every element.
pub(crate) fn laws_of_elements(mesh: &TetMesh, material_of: &[u32], first_height: f64) -> Vec<u32> {
    (0..mesh.element_count()).map(|element| law_at(mesh, material_of, first_height, element)).collect()
}

/// Smallest height of an element of a mesh (m), leaving aside the thinnest twentieth: meshes of models have a few slivers, which
/// cost nothing among good elements but would be the measure of all that cracks make.
pub(crate) fn smallest_height(mesh: &TetMesh) -> f64 {
    let elements = mesh.element_ids().filter_map(|element| Tetrahedron::new(&mesh.corners(element)));
    let mut heights: Vec<f64> = elements.map(|rest| height(&rest)).collect();
    heights.sort_unstable_by(f64::total_cmp);
    heights.get(heights.len() / 20).copied().unwrap_or(f64::INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use craze_math::Vec3;

    #[test]
    fn thin_elements_have_less_viscosity_and_the_same_stiffness() {
        let laws = laws_of(&[crate::testing::damped(), crate::testing::directional()]);
        let corner =
            |size: f64| Tetrahedron::new(&[Vec3::zeros(), size * Vec3::x(), size * Vec3::y(), size * Vec3::z()]);
        let first = height(&corner(0.5).unwrap());
        let of = |size: f64| law_of(0, &corner(size).unwrap(), first);
        assert_eq!([of(0.5), of(0.49), of(0.26), of(0.24), of(0.01)], [0, 1, 1, 2, 3]);
        for material in 0..2 {
            for thinness in 0..THINNESSES {
                let (full, thin) = (&laws[material * THINNESSES], &laws[material * THINNESSES + thinness]);
                assert_eq!(full.stiffness(), thin.stiffness());
                let ratio = thin.viscosity()[0][0] / full.viscosity()[0][0];
                assert!((ratio - 0.25f64.powi(thinness as i32)).abs() < 1e-15);
            }
        }
    }
}
