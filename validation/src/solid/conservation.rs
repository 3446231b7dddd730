//! Test 11: a free rotating and vibrating body conserves mass and momentum, without fracture and
//! ([`fracture_conservation`](super::fracture_conservation)) with it.

use crate::ValidationError;
use crate::measure::largest;
use crate::outcome::{Expected, Findings};
use crate::plot::{Line, Mark, Plot, Scale};
use crate::run::{Depth, Test};
use crate::setup::{JITTER, awake, elastic, free_step, take_step};
use craze_engine::{Account, Method};
use craze_material::Elasticity;
use craze_math::{Isometry, Vec3};
use craze_mesh::kuhn_box_jittered;
use craze_methods::solid::{Integrator, Solid, SolidOptions};

pub(crate) const TEST: Test = Test {
    number: 11,
    method: craze_methods::solid::KIND,
    title: "Free spinning body, no damping, whole and breaking",
    source: "conservation",
    conditions: "with fracture, the velocities of the burst are set, and contact between pieces is disabled",
    measure,
};

/// Velocity of the centre (m/s) and angular velocity (rad/s): fast enough for strains of about a
/// percent.
const VELOCITY: [f64; 3] = [1.0, 2.0, -0.5];
const SPIN: [f64; 3] = [9.0, 4.0, -12.0];

fn measure(depth: Depth, findings: &mut Findings) -> Result<(), ValidationError> {
    let duration = match depth {
        Depth::Quick => 1.0,
        Depth::Full => 10.0,
    };
    let symplectic = Drift::of(Integrator::Symplectic, duration)?;
    findings.compare("mass, symplectic", "", symplectic.mass, Expected::Zero { limit: 1e-12 });
    findings.compare("linear momentum, symplectic", "", symplectic.momentum, Expected::Zero { limit: 1e-12 });
    findings.compare("angular momentum, symplectic", "", symplectic.angular_momentum, Expected::Zero { limit: 1e-6 });
    findings.compare("energy, symplectic, largest change", "", symplectic.energy, Expected::Reported);
    let mut lines = vec![Line { label: "symplectic".to_owned(), mark: Mark::Stroke, points: symplectic.energies }];
    for (name, integrator) in [("Taylor", Integrator::Taylor), ("implicit", Integrator::Implicit)] {
        let drift = Drift::of(integrator, 0.1 * duration)?;
        findings.compare(format!("linear momentum, {name}"), "", drift.momentum, Expected::Zero { limit: 1e-12 });
        findings.compare(
            format!("angular momentum, {name}, a tenth of the run"),
            "",
            drift.angular_momentum,
            Expected::Reported,
        );
        findings.compare(format!("energy, {name}, a tenth of the run"), "", drift.energy, Expected::Reported);
        lines.push(Line { label: name.to_owned(), mark: Mark::Stroke, points: drift.energies });
    }
    findings.plots.push(Plot {
        name: "spinning-energy",
        title: "Free spinning block: change of energy".to_owned(),
        across: "time (s)",
        up: "change over the start",
        scales: [Scale::Linear; 2],
        lines,
    });
    super::fracture_conservation::measure(depth, findings)
}

/// Largest change of each conserved quantity during a run, relative to the start.
struct Drift {
    mass: f64,
    momentum: f64,
    angular_momentum: f64,
    energy: f64,
    /// Change of energy (1) over time (s).
    energies: Vec<[f64; 2]>,
}

const SAMPLES: u32 = 200;

impl Drift {
    fn of(integrator: Integrator, duration: f64) -> Result<Drift, ValidationError> {
        let mut block = spinning_block(integrator)?;
        let start = block.account(&Vec3::zeros());
        let mut accounts = Vec::new();
        let interval = duration / f64::from(SAMPLES);
        // A margin for later strains; the implicit integrator has no limit of its own.
        let steps = (interval / (0.9 * block.time_step_limit()).min(1e-3)).ceil();
        for sample in 1..=SAMPLES {
            for _ in 0..steps as u64 {
                take_step(&mut block, &free_step(interval / steps))?;
            }
            accounts.push((f64::from(sample) * interval, block.account(&Vec3::zeros())));
        }
        let largest_change =
            |change: &dyn Fn(&Account) -> f64| largest(accounts.iter().map(|(_, account)| change(account)));
        let energy = |account: &Account| account.energy() / start.energy() - 1.0;
        Ok(Drift {
            mass: largest_change(&|account| account.mass / start.mass - 1.0),
            momentum: largest_change(&|account| (account.momentum - start.momentum).norm() / start.momentum.norm()),
            angular_momentum: largest_change(&|account| {
                (account.angular_momentum - start.angular_momentum).norm() / start.angular_momentum.norm()
            }),
            energy: largest_change(&energy),
            energies: accounts.iter().map(|(time, account)| [*time, energy(account)]).collect(),
        })
    }
}

/// A block with three different axes, rotating about none of them, and sheared so that it vibrates.
fn spinning_block(integrator: Integrator) -> Result<Solid, ValidationError> {
    let mesh = kuhn_box_jittered([3, 6, 4], Vec3::new(0.3, 0.6, 0.4), JITTER)?;
    let material = elastic(1000.0, Elasticity::from_young(1e6, 0.3));
    let options = SolidOptions { integrator, ..awake() };
    let mut block = Solid::new(mesh, vec![material], options, Isometry::identity(), VELOCITY.into(), SPIN.into())?;
    let positions: Vec<Vec3> = block
        .positions()
        .iter()
        .map(|position| position + 0.02 * Vec3::new(position.y, -position.x, 0.5 * position.z))
        .collect();
    let velocities = block.velocities();
    block.set_state(&positions, &velocities);
    Ok(block)
}
