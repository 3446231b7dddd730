//! Test 11, with fracture: a free rotating body that bursts conserves mass and momentum across
//! every split.

use crate::ValidationError;
use crate::outcome::{Expected, Findings};
use crate::run::Depth;
use crate::setup::{JITTER, awake, elastic, free_step};
use craze_engine::Method;
use craze_material::{Elasticity, Material, Strength};
use craze_math::{Isometry, Vec3};
use craze_mesh::kuhn_box_jittered;
use craze_methods::solid::Solid;

/// Adds its findings to those of the body without fracture.
pub(crate) fn measure(depth: Depth, findings: &mut Findings) -> Result<(), ValidationError> {
    let steps = match depth {
        Depth::Quick => 80,
        Depth::Full => 400,
    };
    let mut block = block()?;
    let gravity = Vec3::zeros();
    let start = block.account(&gravity);
    let (mut linear, mut angular, mut rise) = (0.0f64, 0.0f64, 0.0f64);
    let mut events = Vec::new();
    for _ in 0..steps {
        let mut step = free_step(block.time_step_limit());
        // As in the world: the step is halved until the prediction is accepted.
        while let Err(failure) = block.predict(&step).and_then(|()| block.check()) {
            step.time_step *= 0.5;
            if step.time_step < 1e-9 {
                return Err(failure.into());
            }
        }
        block.commit_motion(&step);
        let before = block.account(&gravity);
        block.fracture(&step, &mut events);
        let after = block.account(&gravity);
        linear = linear.max((after.momentum - before.momentum).norm() / start.momentum.norm());
        let change = after.angular_momentum - before.angular_momentum;
        angular = angular.max(change.norm() / start.angular_momentum.norm());
        rise = rise.max(after.energy() / before.energy() - 1.0);
    }
    let end = block.account(&gravity);
    let all = block.account(&Vec3::zeros()).split_counts;
    findings.compare("splits, breaking", "", all.splits as f64, Expected::AtLeast { bound: 100.0 });
    findings.compare("pieces at the end, breaking", "", end.pieces as f64, Expected::AtLeast { bound: 2.0 });
    findings.compare("mass, breaking", "", end.mass / start.mass - 1.0, Expected::Zero { limit: 1e-12 });
    findings.compare("rest volume, breaking", "", end.volume / start.volume - 1.0, Expected::Zero { limit: 1e-12 });
    findings.compare("linear momentum across a step's splits", "", linear, Expected::Zero { limit: 1e-12 });
    findings.compare("angular momentum across a step's splits", "", angular, Expected::Zero { limit: 1e-10 });
    findings.compare("rise of energy at a step's splits", "", rise, Expected::Zero { limit: 1e-3 });
    Ok(())
}

fn block() -> Result<Solid, ValidationError> {
    let size = Vec3::new(0.5, 0.4, 0.3);
    let mesh = kuhn_box_jittered([5, 4, 3], size, JITTER)?;
    let strength = Strength { tensile: Some(3e3), ..Strength::default() };
    let material = Material { strength, ..elastic(1000.0, Elasticity::from_lame(3e4, 2e4)) };
    let (velocity, spin) = (Vec3::new(0.3, 0.1, -0.2), Vec3::new(1.0, -2.0, 3.0));
    let mut block = Solid::new(mesh, vec![material], awake(), Isometry::identity(), velocity, spin)?;
    let positions = block.positions();
    let velocities: Vec<Vec3> = (block.velocities().iter().zip(&positions))
        .map(|(velocity, position)| velocity + 6.0 * (position - 0.5 * size))
        .collect();
    block.set_state(&positions, &velocities);
    Ok(block)
}
