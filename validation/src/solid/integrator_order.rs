//! Test 5: order of the integrators, for an oscillator with known solution under halving of Δt, and
//! for free fall.
//!
//! The oscillator is a breathing regular tetrahedron. By symmetry, breathing is a mode: for the
//! deformation (1 + e)·I, circumradius R and lumped masses, ë = −ω²·e − γ·ė with ω² = (9λ +
//! 6μ)/(ρR²) and γ = (9φ + 6ψ)/(ρR²), up to second order in e.

use crate::ValidationError;
use crate::measure::{largest, order};
use crate::outcome::{Expected, Findings};
use crate::plot::{Line, Mark, Plot, Scale};
use crate::run::{Depth, Test};
use crate::setup::{awake, elastic, finite_step, free_step, solid_at_rest, take_step};
use craze_engine::Step;
use craze_material::{Damping, Elasticity, Material};
use craze_math::Vec3;
use craze_mesh::{TetMesh, kuhn_box};
use craze_methods::solid::{Integrator, SolidOptions};

pub(crate) const TEST: Test = Test {
    number: 5,
    method: craze_methods::solid::KIND,
    title: "Oscillator under Δt halving; free fall",
    source: "Taylor expansion",
    conditions: "",
    measure,
};

/// Initial strain of the oscillator: second-order terms stay below the errors of the integrators.
const AMPLITUDE: f64 = 1e-7;
/// The implicit integrator solves its equations to strains of 1e-12: a larger amplitude shows its
/// order better.
const IMPLICIT_AMPLITUDE: f64 = 1e-4;
/// Phase of the comparison (rad): a little more than one period, at no special point.
const PHASE: f64 = 7.0;
/// Distance of the corners from the centre (m).
const RADIUS: f64 = 0.5;
const DENSITY: f64 = 1000.0;
const LAMBDA: f64 = 2e6;
const MU: f64 = 3e6;

fn measure(depth: Depth, findings: &mut Findings) -> Result<(), ValidationError> {
    let coarsest = match depth {
        Depth::Quick => 128,
        Depth::Full => 256,
    };
    let mut lines = Vec::new();
    for (name, integrator, fraction, known) in [
        ("forward Euler", Integrator::Euler, 0.0, 1.0),
        ("Taylor", Integrator::Taylor, 0.0, 2.0),
        ("Taylor, damped", Integrator::Taylor, 0.2, 2.0),
        ("symplectic", Integrator::Symplectic, 0.0, 1.0),
        ("implicit", Integrator::Implicit, 0.0, 1.0),
        ("implicit, damped", Integrator::Implicit, 0.2, 1.0),
    ] {
        let oscillator = Oscillator { integrator, fraction };
        let mut errors = Vec::new();
        for halving in 0..4 {
            let steps = coarsest << halving;
            errors.push([PHASE / f64::from(steps), oscillator.error(steps)?]);
        }
        let measured = order(errors[2][1], errors[3][1]);
        findings.compare(format!("order, {name}"), "", measured, Expected::Absolute { value: known, tolerance: 0.1 });
        lines.push(Line { label: name.to_owned(), mark: Mark::Dots, points: errors });
    }
    findings.plots.push(Plot {
        name: "integrator-order",
        title: "Oscillator: error after 7 rad".to_owned(),
        across: "ω·Δt",
        up: "error over amplitude",
        scales: [Scale::Logarithmic; 2],
        lines,
    });
    let fall = free_fall_error(Integrator::Taylor)?;
    findings.compare("free fall over 1 s, Taylor, error over the distance", "", fall, Expected::Zero { limit: 1e-12 });
    let fall = free_fall_error(Integrator::Symplectic)?;
    findings.compare("free fall over 1 s, symplectic, error over the distance", "", fall, Expected::Reported);
    Ok(())
}

/// ω (rad/s) of the undamped oscillator.
fn angular_frequency() -> f64 {
    ((9.0 * LAMBDA + 6.0 * MU) / (DENSITY * RADIUS * RADIUS)).sqrt()
}

/// The breathing tetrahedron.
struct Oscillator {
    integrator: Integrator,
    /// Damping ratio.
    fraction: f64,
}

impl Oscillator {
    fn amplitude(&self) -> f64 {
        if self.integrator == Integrator::Implicit { IMPLICIT_AMPLITUDE } else { AMPLITUDE }
    }

    fn material(&self) -> Material {
        let mut material = elastic(DENSITY, Elasticity::from_lame(LAMBDA, MU));
        let time = 2.0 * self.fraction / angular_frequency();
        // Bulk and shear viscosity in proportion to the stiffness: γ = time·ω².
        material.damping = Damping { phi: time * LAMBDA, psi: time * MU, ..Damping::default() };
        material
    }

    /// Strain and its rate (1/s) at a time (s) after release from rest: e = A·exp(−ζωt)·(cos ω't +
    /// ζω/ω'·sin ω't), ė = −A·exp(−ζωt)·ω²/ω'·sin ω't.
    fn known(&self, time: f64) -> [f64; 2] {
        let (omega, fraction) = (angular_frequency(), self.fraction);
        let damped = omega * (1.0 - fraction * fraction).sqrt();
        let decayed = self.amplitude() * (-fraction * omega * time).exp();
        let (sine, cosine) = (damped * time).sin_cos();
        [decayed * (cosine + fraction * omega / damped * sine), -decayed * omega * omega / damped * sine]
    }

    /// Distance from the known solution in the plane of strain and rate/ω, relative to the
    /// amplitude, after [`PHASE`] in `steps` steps.
    fn error(&self, steps: u32) -> Result<f64, ValidationError> {
        let options = SolidOptions { integrator: self.integrator, ..awake() };
        let mut solid = solid_at_rest(regular_tetrahedron()?, self.material(), options)?;
        let corner = solid.mesh().positions()[0];
        let positions: Vec<Vec3> =
            solid.mesh().positions().iter().map(|rest| (1.0 + self.amplitude()) * rest).collect();
        solid.set_state(&positions, &[Vec3::zeros(); 4]);
        let omega = angular_frequency();
        let end = PHASE / omega;
        let step = free_step(end / f64::from(steps));
        for _ in 0..steps {
            take_step(&mut solid, &step)?;
        }
        let outward = corner.normalize();
        let stretch = (solid.positions()[0] - corner).dot(&outward) / RADIUS;
        let rate = solid.velocities()[0].dot(&outward) / RADIUS;
        let [known_stretch, known_rate] = self.known(end);
        Ok((stretch - known_stretch).hypot((rate - known_rate) / omega) / self.amplitude())
    }
}

fn regular_tetrahedron() -> Result<TetMesh, ValidationError> {
    let corner = RADIUS / 3.0f64.sqrt();
    let positions = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, -1.0, 1.0], [-1.0, 1.0, -1.0]];
    Ok(TetMesh::from_parts(positions.map(|position| corner * Vec3::from(position)).to_vec(), vec![[0, 1, 2, 3]])?)
}

/// Largest distance of a node from x + v·t + g·t²/2 after one second of free fall, relative to the
/// distance fallen.
fn free_fall_error(integrator: Integrator) -> Result<f64, ValidationError> {
    let mesh = kuhn_box([3, 3, 3], Vec3::repeat(0.3))?;
    let material = elastic(DENSITY, Elasticity::from_lame(LAMBDA, MU));
    let mut solid = solid_at_rest(mesh, material, SolidOptions { integrator, ..awake() })?;
    let (start, velocity) = (solid.positions(), Vec3::new(2.0, 3.0, -1.0));
    solid.set_state(&start, &vec![velocity; start.len()]);
    let steps = (1.0 / finite_step(&solid)).ceil();
    let gravity = Vec3::new(0.0, -9.81, 0.0);
    let step = Step { gravity, ..free_step(1.0 / steps) };
    for _ in 0..steps as u64 {
        take_step(&mut solid, &step)?;
    }
    let path = velocity + 0.5 * gravity;
    let errors = solid.positions().into_iter().zip(start).map(|(position, start)| (position - start - path).norm());
    Ok(largest(errors) / path.norm())
}
