//! Material law of each element: that of its material, with less viscosity where the element is
//! thin.
//!
//! Viscosity bounds Δt by the square of an element's height (READINGS 4). Two kinds of elements are
//! too thin for theirs: those that a crack has left thinner than any of the unbroken body; and,
//! with [`SolidOptions::most_damping`], those whose own vibration would be overdamped: where only
//! thin elements are, the difference is invisible, but they would set the step of the whole body.
//! An element of half the full height gets a quarter of the viscosity of its material, and so on:
//! the viscous bound of Δt is then as before, and the elastic one decides. Stiffness, mass and the
//! rigid motion of pieces do not change.

use crate::options::{Integrator, SolidOptions};
use crate::split::height;
use craze_element::{Law, Tetrahedron};
use craze_material::Material;
use craze_mesh::{TetId, TetMesh};

/// Laws per material: full viscosity, a quarter, a sixteenth, a sixty-fourth.
pub(crate) const THINNESSES: usize = 4;

/// The laws of all materials, in their order.
pub(crate) fn laws_of(materials: &[Material]) -> Vec<Law> {
    let of_material = |material: &Material| {
        let law = Law::from_material(material);
        (0..THINNESSES as i32).map(move |thinness| law.with_scaled_viscosity(0.25f64.powi(thinness)))
    };
    materials.iter().flat_map(of_material).collect()
}

/// For each material the height (m) above which its elements have its full viscosity, in a body
/// nearly all of whose elements were at least `first_height` (m) high before it broke.
pub(crate) fn full_heights(materials: &[Material], options: &SolidOptions, first_height: f64) -> Vec<f64> {
    let of_material = |material: &Material| {
        if options.integrator == Integrator::Implicit || options.most_damping == 0.0 {
            return first_height;
        }
        // A row of elements of height h vibrates at ω = 2c/h at most. A viscous stress of `delay`
        // times the rate of the elastic one damps it by ½·ω·delay of critical damping.
        let law = Law::from_material(material);
        let elastic = law.pressure_modulus();
        let delay = law.pressure_viscosity() / elastic;
        let speed = (elastic / material.density).sqrt();
        first_height.max(speed * delay / options.most_damping)
    };
    materials.iter().map(of_material).collect()
}

/// The law of an element with this rest shape, see [`full_heights`].
pub(crate) fn law_of(material: u32, rest: &Tetrahedron, full_heights: &[f64]) -> usize {
    let (height, full) = (height(rest), full_heights[material as usize]);
    // A relative difference of 0.001 from the full height is rounding.
    let thinness = [0.999, 0.5, 0.25].iter().filter(|&&share| height < share * full).count();
    material as usize * THINNESSES + thinness
}

/// The law of an element of a mesh. A degenerate one gets the first of its material: it is refused
/// elsewhere.
pub(crate) fn law_at(mesh: &TetMesh, material_of: &[u32], full_heights: &[f64], element: usize) -> u32 {
    let material = material_of[element];
    match Tetrahedron::new(&mesh.corners(TetId(element as u32))) {
        Some(rest) => law_of(material, &rest, full_heights) as u32,
        None => material * THINNESSES as u32,
    }
}

/// The law of every element.
pub(crate) fn laws_of_elements(mesh: &TetMesh, material_of: &[u32], full_heights: &[f64]) -> Vec<u32> {
    (0..mesh.element_count()).map(|element| law_at(mesh, material_of, full_heights, element)).collect()
}

/// Smallest height of an element of a mesh (m) without the thinnest twentieth: imported meshes have
/// a few slivers, which cost nothing among good elements but would set the smallest height that
/// cracks may create.
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
        let laws = laws_of(&[crate::testing::damped(), crate::testing::anisotropic()]);
        let corner =
            |size: f64| Tetrahedron::new(&[Vec3::zeros(), size * Vec3::x(), size * Vec3::y(), size * Vec3::z()]);
        let first = height(&corner(0.5).unwrap());
        let of = |size: f64| law_of(0, &corner(size).unwrap(), &[first]);
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

    #[test]
    fn what_would_be_overdamped_has_less_viscosity() {
        // c = √(E/ρ) with λ = 0 and 2μ = E: 100 m/s. The viscous stress lags by 1e-4 s: critical at
        // a height of a centimetre.
        let elasticity = craze_material::Elasticity::from_lame(0.0, 5e6);
        let mut material = Material::elastic("jelly", 1000.0, elasticity);
        material.damping.psi = 500.0;
        let materials = [material];
        let heights = |options: &SolidOptions, first: f64| full_heights(&materials, options, first)[0];
        let options = SolidOptions { most_damping: 1.0, ..SolidOptions::default() };
        assert!((heights(&options, 1e-3) - 0.01).abs() < 1e-12);
        assert!((heights(&SolidOptions { most_damping: 4.0, ..options }, 1e-3) - 0.0025).abs() < 1e-12);
        // The paper; a body whose elements are all high enough; steps that viscosity does not
        // bound.
        assert_eq!(heights(&SolidOptions { most_damping: 0.0, ..options }, 1e-3), 1e-3);
        assert_eq!(heights(&options, 0.02), 0.02);
        assert_eq!(heights(&SolidOptions { integrator: Integrator::Implicit, ..options }, 1e-3), 1e-3);
    }
}
