//! Defaults that depend on the rest of the scene: names, settings of a body's method, resolution from its size.

use crate::description::{MethodKind, Mode, Scene, Shape};
use std::collections::BTreeSet;

/// Tetrahedra in a cube whose edges are as long as theirs.
pub(crate) const TETRAHEDRA_A_CUBE: f64 = 6.0;

/// Fills in what the scene leaves open and can be known without reading models.
pub(crate) fn fill(scene: &mut Scene) {
    if scene.world.mode == Mode::QuasiStatic {
        scene.world.steps.get_or_insert(1);
    }
    number_names("obstacle", scene.obstacles.iter_mut().map(|obstacle| &mut obstacle.name).collect());
    number_names("hold", scene.holds.iter_mut().map(|hold| &mut hold.name).collect());
    for body in &mut scene.bodies {
        match body.method {
            MethodKind::Solid => {
                body.integrator.get_or_insert_default();
                body.solid.get_or_insert_default();
                body.edge = body.edge.or_else(|| default_edge(&body.shape));
            }
            MethodKind::Clusters => {
                body.clusters.get_or_insert_default();
                body.time_step.get_or_insert(1.0 / 60.0);
                body.spacing = body.spacing.or_else(|| default_spacing(&body.shape));
            }
        }
    }
}

/// Gives nameless things the names `hold-1`, `hold-2`, … by their place in the list; a taken name gets dashes.
fn number_names(what: &str, names: Vec<&mut String>) {
    let mut taken: BTreeSet<String> = names.iter().map(|name| (**name).clone()).collect();
    for (index, name) in names.into_iter().enumerate().filter(|(_, name)| name.is_empty()) {
        *name = format!("{what}-{}", index + 1);
        while !taken.insert(name.clone()) {
            name.push('-');
        }
    }
}

/// Edge length (m) for about 10,000 tetrahedra, with two through the thinnest side as long as 200,000 are enough
/// for that; none for a model, whose size is known once it is read.
pub fn default_edge(shape: &Shape) -> Option<f64> {
    Some(edge_for_size(shape.extents()?, shape.volume()?))
}

/// Distance of particles (m) for about 2,000 of them, with two through the thinnest side as long as 20,000 are
/// enough for that; none for a model, whose size is known once it is read.
pub fn default_spacing(shape: &Shape) -> Option<f64> {
    Some(spacing_for_size(shape.extents()?, shape.volume()?))
}

/// [`default_edge`] for a shape of these extents (m) and volume (m³).
pub fn edge_for_size(extents: [f64; 3], volume: f64) -> f64 {
    resolution(extents, TETRAHEDRA_A_CUBE * volume, 10_000.0, 200_000.0)
}

/// [`default_spacing`] for a shape of these extents (m) and volume (m³).
pub fn spacing_for_size(extents: [f64; 3], volume: f64) -> f64 {
    resolution(extents, volume, 2_000.0, 20_000.0)
}

fn resolution(extents: [f64; 3], volume: f64, usual: f64, most: f64) -> f64 {
    let thinnest = extents.into_iter().fold(f64::INFINITY, f64::min);
    let for_count = |count: f64| (volume / count).cbrt();
    two_digits(for_count(usual).min(thinnest / 2.0).max(for_count(most)))
}

/// A length rounded to two digits, so that written scenes stay readable.
fn two_digits(length: f64) -> f64 {
    format!("{length:.1e}").parse().unwrap_or(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolution_follows_size_and_thinnest_side() {
        let edge = |size| default_edge(&Shape::Box { size }).expect("a box has a size");
        assert_eq!(edge([1.0, 1.0, 1.0]), 0.084);
        assert_eq!(edge([0.01, 0.01, 0.01]), 0.00084);
        // Two elements through a plate of 1 cm.
        assert_eq!(edge([0.2, 0.01, 0.2]), 0.005);
        // A foil would need millions for that: the count decides.
        assert_eq!(edge([1.0, 0.0001, 1.0]), 0.0014);
        assert_eq!(default_spacing(&Shape::Ball { radius: 0.1 }), Some(0.013));
    }

    #[test]
    fn nameless_things_get_names_that_are_free() {
        let mut names = ["".to_owned(), "hold-1".to_owned(), "".to_owned()];
        number_names("hold", names.iter_mut().collect());
        assert_eq!(names, ["hold-1-", "hold-1", "hold-3"]);
    }
}
