//! Grid points inside a shape, each with its share of the volume, for bodies of particles.

use craze_math::Vec3;
use craze_spatial::{Aabb, SurfaceDistance};

use crate::domain::Domain;
use crate::error::{ShapeError, check_count, check_length};
use crate::surface::TriangleSurface;

/// Points of a body and what each stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct SampledPoints {
    /// Where they are (m); x runs fastest, then y, then z.
    pub positions: Vec<Vec3>,
    /// Volume of each (m³); the sum is the shape's volume.
    pub volume: f64,
    /// Distance of neighbours along the axes (m).
    pub spacing: Vec3,
}

impl SampledPoints {
    /// Volume of all points together (m³).
    pub fn total_volume(&self) -> f64 {
        self.volume * self.positions.len() as f64
    }
}

/// Points in the middles of the cells of a grid that lie in a domain, each with an equal share of its volume (m³). The grid
/// is symmetric about the middle of `bounds`.
pub(crate) fn inside(
    domain: &dyn Domain,
    bounds: &Aabb,
    cell: Vec3,
    spacing: f64,
    volume: f64,
) -> Result<SampledPoints, ShapeError> {
    sample(bounds, cell, spacing, volume, |point| domain.contains(point))
}

impl TriangleSurface {
    /// Points in the middles of cubes of width `spacing` (m) that lie inside a closed surface, each with an equal share of the
    /// enclosed volume. The grid is symmetric about the middle of the surface's box.
    pub fn points(&self, spacing: f64) -> Result<SampledPoints, ShapeError> {
        check_length("spacing", spacing)?;
        let distance = SurfaceDistance::new(&self.positions, &self.triangles)?;
        let volume = self.closed_volume()?;
        sample(&self.bounds(), Vec3::repeat(spacing), spacing, volume, |point| distance.is_inside(point))
    }
}

fn sample(
    bounds: &Aabb,
    cell: Vec3,
    spacing: f64,
    volume: f64,
    is_inside: impl Fn(&Vec3) -> bool,
) -> Result<SampledPoints, ShapeError> {
    let size = bounds.size();
    let counts = size.component_div(&cell).map(|count| (count - 1e-9).ceil().max(1.0));
    check_count("spacing", spacing, "points", counts.product())?;
    let [nx, ny, nz] = [counts.x, counts.y, counts.z].map(|count| count as usize);
    let first = bounds.centre() - (counts.add_scalar(-1.0) * 0.5).component_mul(&cell);
    let mut positions = Vec::new();
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                let point = first + Vec3::new(i as f64, j as f64, k as f64).component_mul(&cell);
                if is_inside(&point) {
                    positions.push(point);
                }
            }
        }
    }
    if positions.is_empty() {
        return Err(ShapeError::NoPoints { spacing, thinnest: size.min() });
    }
    let volume = volume / positions.len() as f64;
    Ok(SampledPoints { positions, volume, spacing: cell })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::{Block, BuiltIn, Cylinder, Sphere};
    use proptest::prelude::*;

    #[test]
    fn a_box_is_filled_exactly() {
        let sampled = Block { size: [1.0, 0.5, 0.3] }.points(0.1).expect("points");
        assert_eq!(sampled.positions.len(), 10 * 5 * 3);
        assert!((sampled.volume - 0.001).abs() < 1e-15);
        let middle: Vec3 = sampled.positions.iter().sum::<Vec3>() / 150.0;
        assert!(middle.norm() < 1e-15);
    }

    #[test]
    fn points_of_an_imported_surface_are_those_of_its_shape() {
        let shape = Cylinder { radius: 0.5, height: 1.0 };
        let surface = shape.surface(0.01).expect("a surface");
        let (ideal, meshed) = (shape.points(0.09).expect("points"), surface.points(0.09).expect("points"));
        let difference = ideal.positions.len().abs_diff(meshed.positions.len());
        assert!(difference * 100 < ideal.positions.len(), "{difference}");
        assert!((meshed.total_volume() / surface.volume() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_grid_that_misses_and_a_surface_with_a_hole_are_refused() {
        // A cell so large that the two middles along each axis lie outside of the ball.
        let ball = Sphere { radius: 0.5 };
        assert!(matches!(ball.points(0.9), Err(ShapeError::NoPoints { .. })));
        assert!(matches!(ball.points(1e-9), Err(ShapeError::TooFine { .. })));
        let mut holed = ball.surface(0.2).expect("a surface");
        holed.triangles.pop();
        assert!(matches!(holed.points(0.1), Err(ShapeError::NotClosed { .. })));
        assert!(TriangleSurface::default().points(0.1).is_err());
    }

    proptest! {
        #[test]
        fn shares_sum_to_the_volume(which in 0..3, size in 0.1..10.0_f64, fineness in 3.0..12.0_f64) {
            let shape: &dyn BuiltIn = match which {
                0 => &Block { size: [size, 0.7 * size, 1.3 * size] },
                1 => &Sphere { radius: size },
                _ => &Cylinder { radius: size, height: 0.8 * size },
            };
            let field = shape.field();
            let sampled = shape.points(size / fineness).expect("points");
            prop_assert!((sampled.total_volume() / shape.volume() - 1.0).abs() < 1e-12);
            prop_assert!(sampled.positions.iter().all(|point| field.contains(point)));
        }
    }
}
