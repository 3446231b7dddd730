//! Default resolution of a shape: edge length of tetrahedra and spacing of particles.

use crate::Domain;
use crate::tuning::{DEFAULT_TETRAHEDRA, MAX_TETRAHEDRA_ONE_LAYER, MAX_TETRAHEDRA_TWO_LAYERS};

/// Tetrahedra per cube of their edge length.
pub const TETRAHEDRA_PER_CUBIC_EDGE: f64 = 6.0;
/// Tetrahedra per square of their edge length in a sheet about one tetrahedron thick, measured on
/// plates.
pub(crate) const TETRAHEDRA_PER_SQUARE_EDGE: f64 = 10.0;
/// Wall thickness (edges) that is meshed without gaps nearly without refinement.
pub(crate) const EDGES_PER_MESHED_WALL: f64 = 1.5;
/// Wall thickness (edges) that is meshed without gaps with some refinement.
const EDGES_PER_REFINED_WALL: f64 = 1.25;

/// Default edge length (m) of tetrahedra for this volume (m³), area (m²) and thinnest wall (m):
/// about 10,000 tetrahedra, with two through the thinnest wall if 200,000 suffice, or one if a
/// million do. Thinner shapes get a longer edge than their thickness. Never 0.
pub fn edge_for(volume: f64, area: f64, thinnest_wall: f64) -> f64 {
    edge_with_query_cost(volume, area, thinnest_wall, 1.0)
}

/// As [`edge_for`], for a domain with a measured thinnest wall (m). Domains with slow queries get
/// fewer tetrahedra for their walls: the measured thickness of a self-intersecting surface is
/// meaningless.
pub fn edge_in(domain: &dyn Domain, volume: f64, thinnest_wall: f64) -> f64 {
    edge_with_query_cost(volume, domain.area().unwrap_or_default(), thinnest_wall, domain.query_cost().max(1.0))
}

fn edge_with_query_cost(volume: f64, area: f64, thinnest_wall: f64, query_cost: f64) -> f64 {
    let elements =
        ElementCount { volume: TETRAHEDRA_PER_CUBIC_EDGE * volume, area: TETRAHEDRA_PER_SQUARE_EDGE * 0.5 * area };
    let edge = elements.resolution(
        thinnest_wall,
        DEFAULT_TETRAHEDRA,
        (MAX_TETRAHEDRA_TWO_LAYERS / query_cost).max(DEFAULT_TETRAHEDRA),
    );
    let finest = elements.length((MAX_TETRAHEDRA_ONE_LAYER / query_cost).max(DEFAULT_TETRAHEDRA));
    let one_layer_fits = thinnest_wall > 0.0 && thinnest_wall / EDGES_PER_REFINED_WALL >= finest;
    two_digits(if one_layer_fits { edge.min(finest.max(thinnest_wall / EDGES_PER_MESHED_WALL)) } else { edge })
}

/// Default distance (m) of particles for this volume (m³), area (m²) and thinnest wall (m): about
/// 2,000 particles, with two through the thinnest wall if 20,000 suffice. Never 0.
pub fn spacing_for(volume: f64, area: f64, thinnest_wall: f64) -> f64 {
    two_digits(ElementCount { volume, area: 0.5 * area }.resolution(thinnest_wall, 2_000.0, 20_000.0))
}

/// Number of elements of edge length 1 m, by volume and, for a single layer, by area.
struct ElementCount {
    volume: f64,
    area: f64,
}

impl ElementCount {
    /// The shortest length (m) that keeps both numbers below `count`.
    fn length(&self, count: f64) -> f64 {
        (self.volume / count).cbrt().max((self.area / count).sqrt())
    }

    fn resolution(&self, thinnest_wall: f64, usual: f64, most: f64) -> f64 {
        // A shape without volume may have walls; one without walls, an area.
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
    fn slow_domains_get_fewer_tetrahedra_for_walls_but_at_least_the_default_number() {
        let edge = |query_cost: f64| edge_with_query_cost(1.0, 6.0, 1e-4, query_cost);
        let count = |query_cost: f64| TETRAHEDRA_PER_CUBIC_EDGE / edge(query_cost).powi(3);
        assert!((count(1.0) / MAX_TETRAHEDRA_TWO_LAYERS - 1.0).abs() < 0.1, "{}", count(1.0));
        assert!((count(5.0) / (0.2 * MAX_TETRAHEDRA_TWO_LAYERS) - 1.0).abs() < 0.1, "{}", count(5.0));
        assert!((count(1e3) / DEFAULT_TETRAHEDRA - 1.0).abs() < 0.1, "{}", count(1e3));
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
    fn any_arguments_give_a_positive_length() {
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
