//! Test 12: one elastic cluster conserves linear and angular momentum, also where S does not
//! commute with A_rr (READINGS 26): rotations are those of least energy.

use super::{TIME_STEP, block};
use crate::ValidationError;
use crate::outcome::{Expected, Findings};
use crate::plot::{Line, Mark, Plot, Scale};
use crate::run::{Depth, Test};
use crate::setup::{run_frames, world_of};
use craze_engine::Mode;
use craze_math::Vec3;

pub(crate) const TEST: Test = Test {
    number: 12,
    method: craze_methods::clusters::KIND,
    title: "One elastic cluster with isotropic A_rr; one 4:1:1",
    source: "Jones et al. 2016, (3)–(6)",
    conditions: "",
    measure,
};

fn measure(depth: Depth, findings: &mut Findings) -> Result<(), ValidationError> {
    let seconds = match depth {
        Depth::Quick => 10,
        Depth::Full => 30,
    };
    let kept = Expected::Zero { limit: 1e-12 };
    let cube = Drift::of([4, 4, 4], seconds)?;
    findings.compare("linear momentum, cube", "", cube.linear, kept);
    findings.compare("angular momentum, cube", "", cube.angular, kept);
    let bar = Drift::of([8, 2, 2], seconds)?;
    findings.compare("linear momentum, 4:1:1", "", bar.linear, kept);
    findings.compare("angular momentum, 4:1:1", "", bar.angular, kept);
    findings.plots.push(Plot {
        name: "cluster-angular-momentum",
        title: "One cluster: change of angular momentum".to_owned(),
        across: "time (s)",
        up: "change over the start",
        scales: [Scale::Linear; 2],
        lines: vec![
            Line { label: "cube".to_owned(), mark: Mark::Stroke, points: cube.record },
            Line { label: "4:1:1".to_owned(), mark: Mark::Stroke, points: bar.record },
        ],
    });
    Ok(())
}

/// Largest change of the momenta during a run, relative to the start.
struct Drift {
    linear: f64,
    angular: f64,
    /// Change of angular momentum (1) over time (s).
    record: Vec<[f64; 2]>,
}

impl Drift {
    /// A flying block that rotates about an oblique axis and vibrates in all modes that keep its
    /// centre.
    fn of(counts: [usize; 3], seconds: u32) -> Result<Drift, ValidationError> {
        let mut body = block(counts, 0.5)?;
        body.set_motion(|rest| {
            let position = 1.05 * rest + 0.04 * Vec3::new(rest.y, -0.5 * rest.z, rest.x);
            (position, Vec3::new(3.0, 1.0, -2.0) + Vec3::new(1.0, 2.0, -0.5).cross(rest))
        })?;
        let mut world = world_of(body, craze_methods::clusters::load, 1.0 / TIME_STEP, Mode::Dynamic);
        let start = world.account();
        let mut drift = Drift { linear: 0.0, angular: 0.0, record: Vec::new() };
        for _ in 0..seconds * 60 {
            run_frames(&mut world, 1)?;
            let now = world.account();
            let linear = (now.momentum - start.momentum).norm() / start.momentum.norm();
            let angular = (now.angular_momentum - start.angular_momentum).norm() / start.angular_momentum.norm();
            drift.record.push([world.time, angular]);
            drift.linear = drift.linear.max(linear);
            drift.angular = drift.angular.max(angular);
        }
        Ok(drift)
    }
}
