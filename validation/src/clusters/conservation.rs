//! Test 11: a rotating body that tears in free flight conserves mass and linear momentum, and its
//! energy does not increase. The drift of angular momentum is only reported (removed remains
//! transfer mass to neighbours).

use super::{TIME_STEP, block_of};
use crate::ValidationError;
use crate::outcome::{Expected, Findings};
use crate::run::{Depth, Test};
use crate::setup::free_step;
use craze_engine::{Method, Step};
use craze_math::Vec3;
use craze_methods::clusters::{Clustering, Options};

pub(crate) const TEST: Test = Test {
    number: 11,
    method: craze_methods::clusters::KIND,
    title: "Free spinning body that tears",
    source: "conservation",
    conditions: "the angular velocity is set; contact between parts is disabled; strain_limit = 0.5",
    measure,
};

fn measure(depth: Depth, findings: &mut Findings) -> Result<(), ValidationError> {
    let steps = match depth {
        Depth::Quick => 120,
        Depth::Full => 600,
    };
    let options = Options {
        time_step: TIME_STEP,
        rest_strain: None,
        clustering: Clustering::Count { count: 24, overlap: 3.0, seed: 1 },
        strain_limit: Some(0.5),
        ..Options::default()
    };
    let mut body = block_of([18, 6, 6], options, |cluster| {
        (cluster.toughness, cluster.yield_strain, cluster.flow) = (Some(1.15), Some(0.1), 0.1);
    })?;
    let spin = Vec3::new(0.5, 5.0, 9.0);
    let middle = Vec3::new(0.85, 0.25, 0.25);
    body.set_motion(|rest| (*rest, Vec3::new(3.0, 1.0, -2.0) + spin.cross(&(rest - middle))))?;
    let start = body.account(&Vec3::zeros());
    let (mut mass, mut drift, mut across, mut angular, mut energy) = (0.0f64, 0.0f64, 0.0f64, 0.0f64, 0.0f64);
    let mut events = Vec::new();
    for index in 0..steps {
        let step = Step { time: TIME_STEP * f64::from(index), ..free_step(TIME_STEP) };
        body.predict(&step)?;
        body.check()?;
        body.commit_motion();
        body.flow(&step);
        let (before, known) = (body.account(&Vec3::zeros()), events.len());
        body.fracture(&step, &mut events);
        let now = body.account(&Vec3::zeros());
        mass = mass.max((now.mass / start.mass - 1.0).abs());
        drift = drift.max((now.momentum - start.momentum).norm() / start.momentum.norm());
        if events.len() > known {
            across = across.max((now.momentum - before.momentum).norm() / start.momentum.norm());
            let change = (now.angular_momentum - before.angular_momentum).norm();
            angular = angular.max(change / start.angular_momentum.norm());
            energy = energy.max(now.energy() / before.energy() - 1.0);
        }
    }
    findings.compare("splits", "", events.len() as f64, Expected::AtLeast { bound: 3.0 });
    let kept = Expected::Zero { limit: 1e-12 };
    findings.compare("mass, largest change", "", mass, kept);
    findings.compare("linear momentum across an event", "", across, kept);
    findings.compare("linear momentum over the run", "", drift, kept);
    findings.compare("rise of energy at an event", "", energy.max(0.0), Expected::Zero { limit: 1e-3 });
    findings.compare("angular momentum across an event, largest change", "", angular, Expected::Reported);
    let end = body.account(&Vec3::zeros());
    let angular_drift = (end.angular_momentum - start.angular_momentum).norm() / start.angular_momentum.norm();
    findings.compare("angular momentum over the run, change", "", angular_drift, Expected::Reported);
    Ok(())
}
