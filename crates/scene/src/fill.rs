//! Defaults that depend on the rest of the scene: names, settings of a body's method, resolution from its size.

use crate::description::{Mode, Scene, Shape};
use craze_descriptor::{BodyKey, Descriptor};
use craze_shape::BuiltIn;
use std::collections::BTreeSet;

/// Fills in what the scene leaves open and can be known without reading models. The error names a body whose options are not what
/// its method has a schema for, and what is wrong.
pub(crate) fn fill(scene: &mut Scene, methods: &[Descriptor]) -> Result<(), (String, String)> {
    if scene.world.mode == Mode::QuasiStatic {
        scene.world.steps.get_or_insert(1);
    }
    number_names("obstacle", scene.obstacles.iter_mut().map(|obstacle| &mut obstacle.name).collect());
    number_names("hold", scene.holds.iter_mut().map(|hold| &mut hold.name).collect());
    number_names("crack", scene.cracks.iter_mut().map(|crack| &mut crack.name).collect());
    for (index, body) in scene.bodies.iter_mut().enumerate() {
        let Some(method) = methods.iter().find(|method| method.name == body.method) else { continue };
        let table = method.complete(body.tables.table(method.name));
        let table = table.map_err(|message| (format!("body[{index}].{}", method.name), message))?;
        body.tables.0.insert(method.name.to_owned(), table);
        body.time_step = body.time_step.or(method.time_step);
        if method.reads(BodyKey::Integrator) {
            body.integrator.get_or_insert_default();
        }
        if method.reads(BodyKey::Edge) {
            body.edge = body.edge.or_else(|| sound(&body.shape).map(BuiltIn::default_edge));
        }
        if method.reads(BodyKey::Spacing) {
            body.spacing = body.spacing.or_else(|| sound(&body.shape).map(BuiltIn::default_spacing));
        }
    }
    Ok(())
}

/// Numbers holds, cracks or obstacles without a name: `hold-1`, `hold-2`, … by index; a name that is taken gets dashes.
fn number_names(what: &str, names: Vec<&mut String>) {
    let mut taken: BTreeSet<String> = names.iter().map(|name| (**name).clone()).collect();
    for (index, name) in names.into_iter().enumerate().filter(|(_, name)| name.is_empty()) {
        *name = format!("{what}-{}", index + 1);
        while !taken.insert(name.clone()) {
            name.push('-');
        }
    }
}

/// A built-in shape with possible parameters; none for a model, whose size is known once it is read.
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
