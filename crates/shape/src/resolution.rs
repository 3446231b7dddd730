//! How fine a shape is divided if nobody says.

use crate::Domain;

/// Tetrahedra in a cube whose edges are as long as theirs,
pub const TETRAHEDRA_A_CUBE: f64 = 6.0;
/// and in a sheet that is about one of them thick, for each square of their edges, as measured on plates.
pub(crate) const TETRAHEDRA_A_SQUARE: f64 = 10.0;
/// Walls of so many edges are whole nearly without finer cells,
pub(crate) const WHOLE: f64 = 1.5;
/// and walls of so many with some.
const NEARLY_WHOLE: f64 = 1.25;

/// Tetrahedra that a shape gets if nobody says,
const USUAL: f64 = 10_000.0;
/// how many it may get for two through its thinnest wall,
const MOST_FOR_TWO: f64 = 200_000.0;
/// and how many for one.
const MOST_FOR_ONE: f64 = 1e6;

/// Edge length (m) of tetrahedra for a shape of this volume (m³), area (m²) and thinnest wall (m): about 10,000 of them, with
/// two through the thinnest wall as long as 200,000 are enough for that, or one if a million are.
///
/// What is thinner yet, a foil, cannot be held by any number that is made unasked: stuffing then says so. Never 0, whatever was
/// measured.
pub fn edge_for(volume: f64, area: f64, thinnest_wall: f64) -> f64 {
    edge_with_query_cost(volume, area, thinnest_wall, 1.0)
}

/// Edge length (m) of tetrahedra for a domain whose thinnest wall (m) was measured: as [`edge_for`], but what answers slowly gets
/// fewer for the sake of its walls. Those of a tangle are thin everywhere, and mean nothing.
pub fn edge_in(domain: &dyn Domain, volume: f64, thinnest_wall: f64) -> f64 {
    edge_with_query_cost(volume, domain.area().unwrap_or_default(), thinnest_wall, domain.query_cost().max(1.0))
}

fn edge_with_query_cost(volume: f64, area: f64, thinnest_wall: f64, query_cost: f64) -> f64 {
    let matter = Matter { volume: TETRAHEDRA_A_CUBE * volume, area: TETRAHEDRA_A_SQUARE * 0.5 * area };
    let edge = matter.resolution(thinnest_wall, USUAL, (MOST_FOR_TWO / query_cost).max(USUAL));
    let finest = matter.length((MOST_FOR_ONE / query_cost).max(USUAL));
    let holds_one = thinnest_wall > 0.0 && thinnest_wall / NEARLY_WHOLE >= finest;
    two_digits(if holds_one { edge.min(finest.max(thinnest_wall / WHOLE)) } else { edge })
}

/// Distance of particles (m) for a shape of this volume (m³), area (m²) and thinnest wall (m): about 2,000 of them, with two
/// through the thinnest wall as long as 20,000 are enough for that. Never 0.
pub fn spacing_for(volume: f64, area: f64, thinnest_wall: f64) -> f64 {
    two_digits(Matter { volume, area: 0.5 * area }.resolution(thinnest_wall, 2_000.0, 20_000.0))
}

/// How many elements of length 1 m there would be by the volume, and in one layer by the area.
struct Matter {
    volume: f64,
    area: f64,
}

impl Matter {
    /// The shortest length (m) for which there are no more than so many. Thin shapes have as many as a layer needs.
    fn length(&self, count: f64) -> f64 {
        (self.volume / count).cbrt().max((self.area / count).sqrt())
    }

    fn resolution(&self, thinnest_wall: f64, usual: f64, most: f64) -> f64 {
        // A shape without volume has walls, and one without walls an area.
        let usual = (self.volume / usual).cbrt();
        let wanted =
            [usual, thinnest_wall / 2.0].into_iter().filter(|length| *length > 0.0).fold(f64::INFINITY, f64::min);
        let length = wanted.max(self.length(most));
        if length.is_finite() && length > 0.0 { length } else { 1.0 }
    }
}

/// A length rounded to two digits, so that written scenes stay readable.
fn two_digits(length: f64) -> f64 {
    format!("{length:.1e}").parse().unwrap_or(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(x: f64, y: f64, z: f64) -> f64 {
        edge_for(x * y * z, 2.0 * (x * y + y * z + z * x), x.min(y).min(z))
    }

    #[test]
    fn resolution_follows_size_and_thinnest_wall() {
        assert_eq!(edge(1.0, 1.0, 1.0), 0.084);
        assert_eq!(edge(0.01, 0.01, 0.01), 0.00084);
        // Two elements through a plate of 1 cm, and through walls of 1 cm.
        assert_eq!(edge(0.2, 0.01, 0.2), 0.005);
        assert_eq!(edge_for(1e-3, 0.2, 0.01), 0.005);
        assert_eq!(spacing_for(0.0041887902, 0.1256637, 0.2), 0.013);
    }

    #[test]
    fn what_answers_slowly_gets_fewer_tetrahedra_for_its_walls_but_the_usual_number() {
        let edge = |query_cost: f64| edge_with_query_cost(1.0, 6.0, 1e-4, query_cost);
        let count = |query_cost: f64| TETRAHEDRA_A_CUBE / edge(query_cost).powi(3);
        assert!((count(1.0) / MOST_FOR_TWO - 1.0).abs() < 0.1, "{}", count(1.0));
        assert!((count(5.0) / (0.2 * MOST_FOR_TWO) - 1.0).abs() < 0.1, "{}", count(5.0));
        assert!((count(1e3) / USUAL - 1.0).abs() < 0.1, "{}", count(1e3));
    }

    #[test]
    fn plates_have_one_element_through_them_and_foils_no_more_than_a_layer_costs() {
        assert_eq!(edge(1.0, 0.01, 1.0), 0.0067);
        assert_eq!(edge(1.0, 0.006, 1.0), 0.004);
        for thickness in [1e-3, 1e-5, 1e-9] {
            let edge = edge(1.0, thickness, 1.0);
            assert!((0.007..0.0073).contains(&edge), "{edge}");
            let spacing = spacing_for(thickness, 2.0, thickness);
            assert!((0.007..0.008).contains(&spacing), "{spacing}");
        }
    }

    #[test]
    fn there_is_a_length_for_anything() {
        for volume in [0.0, 1e-300, 1.0, 1e300] {
            for area in [0.0, 1e-200, 1.0, 1e200] {
                for wall in [0.0, 1e-300, 1.0, 1e300, f64::INFINITY] {
                    let found = [edge_for(volume, area, wall), spacing_for(volume, area, wall)];
                    assert!(found.iter().all(|length| length.is_finite() && *length > 0.0), "{found:?}");
                }
            }
        }
    }
}
