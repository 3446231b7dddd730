//! Test 11: a free body that spins and vibrates keeps mass and momenta, whole and ([`bursting`](super::bursting)) while it breaks.

use crate::ValidationError;
use crate::measure::largest;
use crate::outcome::{Expected, Findings};
use crate::plot::{Line, Mark, Plot, Scale};
use crate::run::{Depth, MethodLetter, Test};
use crate::setup::{JITTER, awake, elastic, free_step, take_step};
use craze_engine::{Account, Method};
use craze_material::Elasticity;
use craze_math::{Isometry, Vec3};
use craze_mesh::kuhn_box_jittered;
use craze_solid::{Integrator, Solid, SolidOptions};

pub(crate) const TEST: Test = Test {
    number: 11,
    method: MethodLetter::Solid,
    title: "Free spinning body, no damping, whole and breaking",
    source: "conservation",
    conditions: "of the part that breaks, the velocities of the burst are set and contact between its pieces is left out",
    measure,
};

/// Velocity of the centre (m/s) and spin (rad/s): fast enough to stretch the block by about a percent.
const VELOCITY: [f64; 3] = [1.0, 2.0, -0.5];
const SPIN: [f64; 3] = [9.0, 4.0, -12.0];

fn measure(depth: Depth, findings: &mut Findings) -> Result<(), ValidationError> {
    let duration = match depth {
        Depth::Quick => 1.0,
        Depth::Full => 10.0,
    };
    let symplectic = Drift::of(Integrator::SymplecticEuler, duration)?;
    findings.compare("mass, symplectic", "", symplectic.mass, Expected::Zero { limit: 1e-12 });
    findings.compare("linear momentum, symplectic", "", symplectic.momentum, Expected::Zero { limit: 1e-12 });
    findings.compare("angular momentum, symplectic", "", symplectic.angular_momentum, Expected::Zero { limit: 1e-6 });
    findings.compare("energy, symplectic, largest change", "", symplectic.energy, Expected::Told);
    let mut lines = vec![Line { label: "symplectic".to_owned(), mark: Mark::Stroke, points: symplectic.energies }];
    for (name, integrator) in [("Taylor", Integrator::Taylor), ("implicit", Integrator::Implicit)] {
        let drift = Drift::of(integrator, 0.1 * duration)?;
        findings.compare(format!("linear momentum, {name}"), "", drift.momentum, Expected::Zero { limit: 1e-12 });
        findings.compare(
            format!("angular momentum, {name}, a tenth of the run"),
            "",
            drift.angular_momentum,
            Expected::Told,
        );
        findings.compare(format!("energy, {name}, a tenth of the run"), "", drift.energy, Expected::Told);
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
    super::bursting::measure(depth, findings)
}

/// Largest change of each account during a run, as a share of its size at the start.
struct Drift {
    mass: f64,
    momentum: f64,
    angular_momentum: f64,
    energy: f64,
    /// Change of energy (1) over time (s).
    energies: Vec<[f64; 2]>,
}

/// Times at which the accounts are taken.
const LOOKS: u32 = 200;

impl Drift {
    fn of(integrator: Integrator, duration: f64) -> Result<Drift, ValidationError> {
        let mut block = spinning_block(integrator)?;
        let start = block.account(&Vec3::zeros());
        let mut accounts = Vec::new();
        let interval = duration / f64::from(LOOKS);
        // A margin for strains that are yet to come; the implicit integrator has no limit of its own.
        let steps = (interval / (0.9 * block.time_step_limit()).min(1e-3)).ceil();
        for look in 1..=LOOKS {
            for _ in 0..steps as u64 {
                take_step(&mut block, &free_step(interval / steps))?;
            }
            accounts.push((f64::from(look) * interval, block.account(&Vec3::zeros())));
        }
        let most = |change: &dyn Fn(&Account) -> f64| largest(accounts.iter().map(|(_, account)| change(account)));
        let energy = |account: &Account| account.energy() / start.energy() - 1.0;
        Ok(Drift {
            mass: most(&|account| account.mass / start.mass - 1.0),
            momentum: most(&|account| (account.momentum - start.momentum).norm() / start.momentum.norm()),
            angular_momentum: most(&|account| {
                (account.angular_momentum - start.angular_momentum).norm() / start.angular_momentum.norm()
            }),
            energy: most(&energy),
            energies: accounts.iter().map(|(time, account)| [*time, energy(account)]).collect(),
        })
    }
}

/// A block with three different axes that spins about none of them, sheared so that it vibrates.
fn spinning_block(integrator: Integrator) -> Result<Solid, ValidationError> {
    let mesh = kuhn_box_jittered([3, 6, 4], Vec3::new(0.3, 0.6, 0.4), JITTER)?;
    let material = elastic(1000.0, Elasticity::from_young(1e6, 0.3));
    let options = SolidOptions { integrator, ..awake() };
    let mut block = Solid::new(mesh, vec![material], options, Isometry::identity(), VELOCITY.into(), SPIN.into())?;
    let places: Vec<Vec3> =
        block.positions().iter().map(|place| place + 0.02 * Vec3::new(place.y, -place.x, 0.5 * place.z)).collect();
    let velocities = block.velocities();
    block.set_state(&places, &velocities);
    Ok(block)
}
