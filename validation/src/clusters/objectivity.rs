//! Test 2: objectivity. After a rotation by 90° and a translation, every particle is at its goal.

use super::{block, block_of};
use crate::ValidationError;
use crate::measure::largest;
use crate::outcome::{Expected, Findings};
use crate::run::{Depth, Test};
use craze_math::{Isometry, Vec3};
use craze_methods::clusters::{Clustering, Options};
use std::f64::consts::FRAC_PI_2;

pub(crate) const TEST: Test = Test {
    number: 2,
    method: craze_methods::clusters::KIND,
    title: "Rigid rotation by 90° and translation",
    source: "objectivity",
    conditions: "",
    measure,
};

fn measure(_: Depth, findings: &mut Findings) -> Result<(), ValidationError> {
    let axis = Vec3::new(1.0, 2.0, -2.0) / 3.0;
    let motion = Isometry::new(Vec3::new(3.0, -2.0, 1.0), FRAC_PI_2 * axis);
    for (name, counts) in [("cube", [5, 5, 5]), ("bar", [8, 2, 2]), ("plate", [6, 6, 1]), ("rod", [6, 1, 1])] {
        let mut body = block(counts, 1.0)?;
        body.set_motion(|rest| (motion.transform_point(&(*rest).into()).coords, Vec3::zeros()))?;
        let distances = body.goals().into_iter().zip(body.positions()).map(|(goal, position)| (goal - position).norm());
        findings.compare(
            format!("distance of particles from their goals, {name}"),
            "m",
            largest(distances),
            Expected::Zero { limit: 1e-10 },
        );
    }
    let clustering = Clustering::Count { count: 20, overlap: 3.0, seed: 1 };
    let mut body = block_of([16, 6, 6], Options { clustering, ..Options::default() }, |_| {})?;
    body.set_motion(|rest| (motion.transform_point(&(*rest).into()).coords, Vec3::zeros()))?;
    let distances = body.goals().into_iter().zip(body.positions()).map(|(goal, position)| (goal - position).norm());
    let what = "distance of particles from their goals, bar of 20 clusters";
    findings.compare(what, "m", largest(distances), Expected::Zero { limit: 1e-10 });
    Ok(())
}
