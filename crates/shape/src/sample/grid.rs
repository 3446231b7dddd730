//! Sample points at the centres of grid cells.

use craze_math::Vec3;
use craze_spatial::Aabb;
use rayon::prelude::*;

use super::{SampledPoints, with_equal_shares};
use crate::domain::Domain;
use crate::error::{MAX_ELEMENTS, ShapeError, check_count, check_length};
use crate::volume::volume_of;

/// Most halvings of the spacing when suggesting one that finds points.
const MAX_SUGGESTED_HALVINGS: i32 = 6;

/// Centres of cubic cells of width `spacing` (m) in a domain, with equal shares of its volume. The
/// grid is symmetric about the centre of the domain's box; parts too far apart have a grid each.
pub fn grid_points(domain: &dyn Domain, spacing: f64) -> Result<SampledPoints, ShapeError> {
    check_length("spacing", spacing)?;
    let cell = Vec3::repeat(spacing);
    let parts = domain.parts();
    if parts.len() < 2 || cells_in(&domain.bounds(), &cell).product() <= MAX_ELEMENTS {
        return sample_cells(domain, &domain.bounds(), cell, spacing, volume_of(domain));
    }
    check_count("spacing", spacing, "points", parts.iter().map(|part| cells_in(part, &cell).product()).sum())?;
    let positions: Vec<Vec<Vec3>> =
        parts.iter().map(|part| cell_centres(domain, part, cell, spacing)).collect::<Result<_, _>>()?;
    let positions = positions.concat();
    if positions.is_empty() {
        return Err(ShapeError::NoPoints { spacing, enough: None });
    }
    Ok(with_equal_shares(domain, positions, cell))
}

fn cells_in(bounds: &Aabb, cell: &Vec3) -> Vec3 {
    bounds.size().component_div(cell).map(|count| (count - 1e-9).ceil().max(1.0))
}

/// Centres of grid cells in a domain, with equal shares of its volume (m³), symmetric about the
/// centre of `bounds`.
pub(crate) fn sample_cells(
    domain: &dyn Domain,
    bounds: &Aabb,
    cell: Vec3,
    spacing: f64,
    volume: f64,
) -> Result<SampledPoints, ShapeError> {
    let positions = cell_centres(domain, bounds, cell, spacing)?;
    if positions.is_empty() {
        let finds_points =
            |factor: &f64| cell_centres(domain, bounds, cell * *factor, spacing * factor).is_ok_and(|p| !p.is_empty());
        let enough = (1..=MAX_SUGGESTED_HALVINGS).map(|halvings| 0.5_f64.powi(halvings)).find(finds_points);
        return Err(ShapeError::NoPoints { spacing, enough: enough.map(|factor| factor * spacing) });
    }
    let volume = volume / positions.len() as f64;
    Ok(SampledPoints { positions, volume, spacing: cell })
}

fn cell_centres(domain: &dyn Domain, bounds: &Aabb, cell: Vec3, spacing: f64) -> Result<Vec<Vec3>, ShapeError> {
    let counts = cells_in(bounds, &cell);
    check_count("spacing", spacing, "points", counts.product())?;
    let [nx, ny, nz] = [counts.x, counts.y, counts.z].map(|count| count as usize);
    let first = bounds.centre() - (counts.add_scalar(-1.0) * 0.5).component_mul(&cell);
    let row = |row: usize| {
        let (j, k) = (row % ny, row / ny);
        let at = move |i: usize| first + Vec3::new(i as f64, j as f64, k as f64).component_mul(&cell);
        (0..nx).map(at).filter(|point| domain.contains(point)).collect::<Vec<Vec3>>()
    };
    Ok((0..ny * nz).into_par_iter().map(row).collect::<Vec<_>>().concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::{Block, BuiltIn, Cylinder, Sphere};
    use crate::repair::SurfaceDomain;
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
        let (ideal, meshed) = (
            shape.points(0.09).expect("points"),
            grid_points(&SurfaceDomain::new(&surface).expect("an inside").0, 0.09).expect("points"),
        );
        let difference = ideal.positions.len().abs_diff(meshed.positions.len());
        assert!(difference * 100 < ideal.positions.len(), "{difference}");
        assert!((meshed.total_volume() / surface.volume() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_grid_that_misses_or_is_too_fine_is_refused() {
        // A cell so large that its neighbours' centres lie outside the ball.
        let ball = Sphere { radius: 0.5 };
        assert!(matches!(ball.points(0.9), Err(ShapeError::NoPoints { .. })));
        assert!(matches!(ball.points(1e-9), Err(ShapeError::TooFine { .. })));
        let error = ball.points(0.9).expect_err("missed");
        assert!(error.to_string().ends_with("a spacing of 0.45 m is enough"), "{error}");
    }

    #[test]
    fn parts_far_apart_have_points_each() {
        let mut both = Block { size: [1.0, 0.5, 0.3] }.surface(1.0).expect("a block");
        let offset = both.positions.len() as u32;
        both.positions.extend(both.positions.clone().iter().map(|point| point.add_scalar(1e6)));
        both.triangles.extend(both.triangles.clone().iter().map(|t| t.map(|point| point + offset)));
        let (domain, _) = SurfaceDomain::new(&both).expect("an inside");
        let grid = grid_points(&domain, 0.1).expect("points");
        assert_eq!(grid.positions.len(), 300);
        assert!((grid.volume - 0.001).abs() < 1e-9);
        let poisson = crate::sample::poisson_points(&domain, 0.1, 3).expect("points");
        let first = poisson.positions.iter().filter(|point| point.x < 10.0).count();
        let one = crate::sample::poisson_points(&Block { size: [1.0, 0.5, 0.3] }.field(), 0.1, 3).expect("points");
        for count in [first, poisson.positions.len() - first] {
            assert!(count.abs_diff(one.positions.len()) * 8 < count, "{count} {}", one.positions.len());
        }
        let error = grid_points(&domain, 1e-4).expect_err("too fine").to_string();
        assert!(error.contains("3.000e11 points"), "{error}");
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
