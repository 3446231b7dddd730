//! Tests of clustered shape matching: Jones et al. 2016.

mod breathing;
mod conservation;
mod flow;
mod momentum;
mod objectivity;

use crate::{Test, ValidationError};
use craze_material::{Cluster, Elasticity, Material};
use craze_math::{Isometry, Vec3};
use craze_methods::clusters::{Cloud, ClusterError, Clusters, Options};

/// Its tests, by number.
pub const TESTS: &[Test] = &[objectivity::TEST, conservation::TEST, momentum::TEST, breathing::TEST, flow::TEST];

impl From<ClusterError> for ValidationError {
    fn from(error: ClusterError) -> ValidationError {
        ValidationError::Body(error.to_string())
    }
}

pub(crate) const TIME_STEP: f64 = 1.0 / 60.0;

/// Particle spacing (m).
const SPACING: f64 = 0.1;

/// A block of particles at rest in one cluster, with rigid-body mode disabled.
pub(crate) fn block(counts: [usize; 3], goal_stiffness: f64) -> Result<Clusters, ValidationError> {
    let options = Options { time_step: TIME_STEP, rest_strain: None, ..Options::default() };
    block_of(counts, options, |cluster| cluster.goal_stiffness = goal_stiffness)
}

/// A block of particles at rest with cluster parameters set by `change`.
pub(crate) fn block_of(
    counts: [usize; 3],
    options: Options,
    change: impl FnOnce(&mut Cluster),
) -> Result<Clusters, ValidationError> {
    let mut positions = Vec::new();
    for x in 0..counts[0] {
        for y in 0..counts[1] {
            for z in 0..counts[2] {
                positions.push(SPACING * Vec3::new(x as f64, y as f64, z as f64));
            }
        }
    }
    let cloud = Cloud { volumes: vec![SPACING.powi(3); positions.len()], positions, spacing: SPACING };
    let mut material = Material::elastic("test", 1000.0, Elasticity::from_young(1e6, 0.3));
    change(&mut material.cluster);
    let still = Vec3::zeros();
    Ok(Clusters::new(cloud, &material, options, &Isometry::identity(), still, still)?)
}
