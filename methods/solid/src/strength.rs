//! How the strength of a solid varies within it: at random from grain to grain, in seams, and as
//! its model is painted.

use crate::options::SolidTable;
use craze_engine::Region;
use craze_math::random::Random;
use craze_math::{Isometry, Vec3};

/// What the strength is multiplied by at every node; none where it is the same everywhere. Of
/// several seams that hold a node the last counts. `paint` tells what a place (m) of the shape is
/// multiplied by as it is painted.
pub fn factors(
    table: &SolidTable,
    places: &[Vec3],
    placement: &Isometry,
    seed: u64,
    paint: Option<&dyn Fn(&Vec3) -> f64>,
) -> Option<Vec<f64>> {
    if table.strength_spread == 0.0 && table.seams.is_empty() && paint.is_none() {
        return None;
    }
    let corners = || places.iter();
    let size = corners().fold(Vec3::repeat(f64::NEG_INFINITY), |all, place| all.sup(place))
        - corners().fold(Vec3::repeat(f64::INFINITY), |all, place| all.inf(place));
    let grains = Grains { size: table.strength_grain.unwrap_or(0.1 * size.max()), seed };
    let seams: Vec<(Region, f64)> =
        table.seams.iter().map(|seam| (Region::from(&seam.region), seam.strength)).collect();
    let factor = |place: &Vec3| {
        let placed = placement.transform_point(&(*place).into()).coords;
        let seam = seams.iter().rev().find(|(region, _)| region.contains(&placed));
        let painted = paint.map_or(1.0, |paint| paint(place));
        (1.0 + table.strength_spread * grains.at(place)) * seam.map_or(1.0, |(_, strength)| *strength) * painted
    };
    Some(corners().map(factor).collect())
}

/// Numbers at random between −1 and 1, one at each corner of a lattice, and a smooth course in
/// between.
struct Grains {
    /// Distance of the corners (m).
    size: f64,
    seed: u64,
}

impl Grains {
    fn at(&self, place: &Vec3) -> f64 {
        let scaled = place / self.size;
        let corner = scaled.map(f64::floor);
        let inner = scaled - corner;
        // Flat at the corners, so that grains have no creases.
        let blend = inner.map(|share| share * share * (3.0 - 2.0 * share));
        let mut sum = 0.0;
        for k in 0..8 {
            let upper = |axis: usize| k >> axis & 1 == 1;
            let weight = |axis: usize| if upper(axis) { blend[axis] } else { 1.0 - blend[axis] };
            let at = |axis: usize| corner[axis] as i64 + i64::from(upper(axis));
            sum += weight(0) * weight(1) * weight(2) * self.number([at(0), at(1), at(2)]);
        }
        // Corners lie below one in absolute value and so does what is between; 0.95 leaves the
        // weakest grain some strength.
        0.95 * sum
    }

    fn number(&self, corner: [i64; 3]) -> f64 {
        let mut mixed = self.seed;
        for part in corner {
            mixed = Random::new(mixed ^ (part as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)).bits();
        }
        Random::new(mixed).signed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Seam;

    fn block() -> Vec<Vec3> {
        (0..4000).map(|k| Vec3::new((k % 20) as f64, (k / 20 % 20) as f64, (k / 400) as f64) * 0.05).collect()
    }

    fn spread(spread: f64, seed: u64) -> Vec<f64> {
        let table = SolidTable { strength_spread: spread, strength_grain: Some(0.2), ..SolidTable::default() };
        factors(&table, &block(), &Isometry::identity(), seed, None).expect("a field")
    }

    #[test]
    fn the_spread_bounds_the_factors_and_the_seed_chooses_them() {
        let all = spread(0.5, 1);
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        assert!(all.iter().all(|factor| (0.5..=1.5).contains(factor)) && (mean - 1.0).abs() < 0.05, "{mean}");
        let [least, most] = [f64::min, f64::max].map(|pick| all.iter().copied().reduce(pick).expect("some"));
        assert!(least < 0.8 && most > 1.2, "{least} {most}");
        assert!(all == spread(0.5, 1) && all != spread(0.5, 2));
        assert!(spread(1.0, 3).iter().all(|factor| *factor > 0.0), "nothing is without strength");
    }

    #[test]
    fn neighbours_closer_than_a_grain_are_alike() {
        let all = spread(0.5, 4);
        let differences = |step: usize| {
            let pairs = all.iter().zip(&all[step..]).map(|(one, other)| (one - other).abs());
            pairs.sum::<f64>() / (all.len() - step) as f64
        };
        // 0.05 m along x, and 0.5 m.
        assert!(differences(1) < 0.6 * differences(10), "{} {}", differences(1), differences(10));
    }

    #[test]
    fn seams_are_where_the_body_is_placed() {
        let region = craze_descriptor::Region::HalfSpace { point: [10.0, 0.0, 0.0], normal: [-1.0, 0.0, 0.0] };
        let seams = vec![Seam { region, strength: 0.25 }];
        let table = SolidTable { seams, ..SolidTable::default() };
        let places = block();
        assert_eq!(factors(&SolidTable::default(), &places, &Isometry::identity(), 0, None), None);
        let far = factors(&table, &places, &Isometry::identity(), 0, None).expect("a field");
        let near = factors(&table, &places, &Isometry::translation(20.0, 0.0, 0.0), 0, None).expect("a field");
        assert!(far.iter().all(|factor| *factor == far[0]) && near.iter().all(|factor| *factor == near[0]));
        assert_eq!((far[0] * near[0], far[0] != near[0]), (0.25, true));
    }
}
