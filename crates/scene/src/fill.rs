//! Defaults that depend on the rest of the scene: names, settings of a body's method, resolution from its size.

use crate::description::{MethodKind, Mode, Scene, Shape};
use craze_shape::BuiltIn;
use std::collections::BTreeSet;

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
                body.edge = body.edge.or_else(|| sound(&body.shape).map(BuiltIn::default_edge));
            }
            MethodKind::Clusters => {
                body.clusters.get_or_insert_default();
                body.time_step.get_or_insert(1.0 / 60.0);
                body.spacing = body.spacing.or_else(|| sound(&body.shape).map(BuiltIn::default_spacing));
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

/// A built-in shape whose parameters fit; none for a model, whose size is known once it is read.
fn sound(shape: &Shape) -> Option<&dyn BuiltIn> {
    shape.built_in().ok().filter(|shape| shape.check().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nameless_things_get_names_that_are_free() {
        let mut names = ["".to_owned(), "hold-1".to_owned(), "".to_owned()];
        number_names("hold", names.iter_mut().collect());
        assert_eq!(names, ["hold-1-", "hold-1", "hold-3"]);
    }
}
