//! Mass properties of homogeneous solids.

use craze_math::{Mat3, Vec3};

use crate::surface::TriangleSurface;

/// Centre of mass and inertia of a homogeneous solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Centre of mass (m).
    pub center: Vec3,
    /// Inertia about the centre of mass (kg·m²).
    pub inertia: Mat3,
}

impl TriangleSurface {
    /// Mass properties of a closed surface filled with a mass (kg); `None` if it encloses no
    /// volume.
    pub fn mass_properties(&self, mass: f64) -> Option<MassProperties> {
        let middle = if self.positions.is_empty() { Vec3::zeros() } else { self.bounds().centre() };
        // Sum over signed tetrahedra from the box centre to each triangle. For a tetrahedron with
        // one corner at the origin, ∫ x xᵀ = volume/20 · (Σ c cᵀ + s sᵀ), with corners c and their
        // sum s.
        let (mut volume, mut moment, mut second) = (0.0, Vec3::zeros(), Mat3::zeros());
        for triangle in &self.triangles {
            let corners = self.corners(triangle).map(|corner| corner - middle);
            let [a, b, c] = corners;
            let part = a.dot(&b.cross(&c)) / 6.0;
            let sum = a + b + c;
            volume += part;
            moment += part / 4.0 * sum;
            let outer = corners.iter().fold(sum * sum.transpose(), |total, corner| total + corner * corner.transpose());
            second += part / 20.0 * outer;
        }
        if !(volume > 0.0) {
            return None;
        }
        let offset = moment / volume;
        let spread = (second / volume - offset * offset.transpose()) * mass;
        Some(MassProperties { center: middle + offset, inertia: Mat3::identity() * spread.trace() - spread })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::{Block, BuiltIn, Cylinder, Sphere};

    #[test]
    fn a_surface_integral_agrees_with_the_formulas() {
        let (block, sphere, cylinder) =
            (Block { size: [0.3, 0.5, 0.7] }, Sphere { radius: 0.4 }, Cylinder { radius: 0.2, height: 0.9 });
        let shapes: [(&dyn BuiltIn, MassProperties, f64); 3] = [
            (&block, block.mass_properties(2.0), 1e-12),
            (&sphere, sphere.mass_properties(2.0), 0.02),
            (&cylinder, cylinder.mass_properties(2.0), 0.02),
        ];
        for (shape, exact, tolerance) in shapes {
            let mut surface = shape.surface(0.03).unwrap();
            let shift = Vec3::new(5.0, -3.0, 2.0);
            surface.positions.iter_mut().for_each(|position| *position += shift);
            let found = surface.mass_properties(2.0).unwrap();
            assert!((found.center - shift).norm() < 1e-9, "{}", shape.size());
            let error = (found.inertia - exact.inertia).norm() / exact.inertia.norm();
            assert!(error < tolerance, "{}: {error}", shape.size());
        }
    }

    #[test]
    fn an_inside_out_surface_has_no_mass() {
        let mut surface = Sphere { radius: 1.0 }.surface(0.5).unwrap();
        surface.triangles.iter_mut().for_each(|triangle| triangle.swap(0, 1));
        assert_eq!(surface.mass_properties(1.0), None);
    }
}
