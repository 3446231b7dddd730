//! Builders shared by tests.

use crate::{Cloud, Clusters, Options};
use craze_engine::{Load, Method, Step};
use craze_material::{Elasticity, Material};
use craze_math::{Isometry, Vec3};

/// Reference step of test bodies (s).
pub const TIME_STEP: f64 = 1.0 / 60.0;

/// A block of particles 0.1 m apart, its corner at the origin.
pub fn block(counts: [usize; 3]) -> Cloud {
    let spacing = 0.1;
    let mut positions = Vec::new();
    for x in 0..counts[0] {
        for y in 0..counts[1] {
            for z in 0..counts[2] {
                positions.push(spacing * Vec3::new(x as f64, y as f64, z as f64));
            }
        }
    }
    let volumes = vec![spacing.powi(3); positions.len()];
    Cloud { positions, volumes, spacing }
}

/// 1000 kg/m³, with the given goal stiffness.
pub fn material(goal_stiffness: f64) -> Material {
    let mut material = Material::elastic("dough", 1000.0, Elasticity::from_young(1e6, 0.3));
    material.cluster.goal_stiffness = goal_stiffness;
    material
}

/// Options of a body that never enters rigid-body mode.
pub fn awake() -> Options {
    Options { time_step: TIME_STEP, rest_strain: None, ..Options::default() }
}

/// A body at rest where its cloud is.
pub fn body(cloud: Cloud, goal_stiffness: f64, options: Options) -> Clusters {
    Clusters::new(cloud, &material(goal_stiffness), options, &Isometry::identity(), Vec3::zeros(), Vec3::zeros())
        .expect("a sound body")
}

/// A step without gravity, loads and contacts.
pub fn plain_step() -> Step<'static> {
    Step { time: 0.0, time_step: TIME_STEP, gravity: Vec3::zeros(), loads: &[], contacts: &[] }
}

/// A step with loads.
pub fn loaded_step(loads: &[Load]) -> Step<'_> {
    Step { loads, ..plain_step() }
}

/// Predicts and commits.
pub fn advance(body: &mut Clusters, step: &Step) {
    body.predict(step).expect("a good step");
    body.check().expect("a good step");
    body.commit_motion();
}

/// A smooth irregular deformation: bent, twisted and stretched by about a tenth.
pub fn crooked(place: &Vec3) -> Vec3 {
    place
        + 0.1
            * Vec3::new((7.0 * place.y).sin() * 0.2 + place.x, (5.0 * place.z).cos() * 0.1, place.x * place.y - place.z)
}
