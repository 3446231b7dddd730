//! Test 1: patch test. An affine displacement of the boundary gives the same affine equilibrium
//! everywhere, on any mesh.

use crate::ValidationError;
use crate::measure::largest;
use crate::outcome::{Expected, Findings};
use crate::run::{Depth, Test};
use crate::setup::{JITTER, awake, constrain_nodes, elastic, forces_from_a_step, is_on_surface, solid_at_rest};
use craze_engine::{QuasiStatic, Step};
use craze_material::Elasticity;
use craze_math::{Mat3, Vec3};
use craze_mesh::kuhn_box_jittered;

pub(crate) const TEST: Test = Test {
    number: 1,
    method: craze_methods::solid::KIND,
    title: "Patch test: affine field on the boundary, interior nodes perturbed",
    source: "Irons & Razzaque 1972",
    conditions: "the affine state is set, not loaded",
    measure,
};

const SIZE: f64 = 1.0;
const YOUNG: f64 = 1e7;
const POISSON: f64 = 0.3;

fn measure(depth: Depth, findings: &mut Findings) -> Result<(), ValidationError> {
    let cells = match depth {
        Depth::Quick => 4,
        Depth::Full => 8,
    };
    // Small strain and large strain, each with stretch, shear and rotation.
    for strain in [1e-3, 0.15] {
        let affine = Affine::from_strain(strain);
        let percent = 100.0 * strain;
        let (force, position) = (residual(cells, &affine)?, equilibrium(cells, &affine)?);
        let limit = Expected::Zero { limit: 1e-10 };
        findings.compare(format!("force on inner nodes over E·h², strain {percent} %"), "", force, limit);
        findings.compare(
            format!("distance of inner nodes from the field over the edge, strain {percent} %"),
            "",
            position,
            limit,
        );
    }
    Ok(())
}

/// x ↦ F·x + c.
struct Affine {
    gradient: Mat3,
    shift: Vec3,
}

impl Affine {
    fn from_strain(strain: f64) -> Affine {
        let gradient = Mat3::identity() + strain * Mat3::new(1.0, 0.3, -0.2, -0.5, -0.6, 0.4, 0.1, 0.7, 0.8);
        Affine { gradient, shift: Vec3::new(0.3, -0.2, 0.1) }
    }

    fn at(&self, position: &Vec3) -> Vec3 {
        self.gradient * position + self.shift
    }
}

/// Largest force on an inner node in the affine state, relative to Young's modulus times the area
/// of a cell face.
fn residual(cells: usize, affine: &Affine) -> Result<f64, ValidationError> {
    let mesh = kuhn_box_jittered([cells; 3], Vec3::repeat(SIZE), JITTER)?;
    let mut solid = solid_at_rest(mesh, elastic(1000.0, Elasticity::from_young(YOUNG, POISSON)), awake())?;
    let positions: Vec<Vec3> = solid.mesh().positions().iter().map(|rest| affine.at(rest)).collect();
    solid.set_state(&positions, &vec![Vec3::zeros(); positions.len()]);
    let forces = forces_from_a_step(&mut solid)?;
    let surface = is_on_surface(solid.mesh());
    let inner = forces.iter().zip(&surface).filter(|(_, on_surface)| !**on_surface);
    let face = (SIZE / cells as f64).powi(2);
    Ok(largest(inner.map(|(force, _)| force.norm())) / (YOUNG * face))
}

/// Largest distance of an inner node from the affine field in equilibrium, starting from
/// perturbations of up to a tenth of a cell.
fn equilibrium(cells: usize, affine: &Affine) -> Result<f64, ValidationError> {
    let mesh = kuhn_box_jittered([cells; 3], Vec3::repeat(SIZE), JITTER)?;
    let mut solid = solid_at_rest(mesh, elastic(1000.0, Elasticity::from_young(YOUNG, POISSON)), awake())?;
    let surface = is_on_surface(solid.mesh());
    let exact: Vec<Vec3> = solid.mesh().positions().iter().map(|rest| affine.at(rest)).collect();
    let on_surface = (0..surface.len()).filter(|&node| surface[node]);
    let (_, loads) = constrain_nodes(&mut solid, on_surface, |rest| affine.at(rest))?;
    let amplitude = 0.1 * SIZE / cells as f64;
    let perturbed: Vec<Vec3> = (exact.iter().enumerate())
        .map(|(node, position)| position + if surface[node] { Vec3::zeros() } else { amplitude * perturbation(node) })
        .collect();
    solid.set_state(&perturbed, &vec![Vec3::zeros(); perturbed.len()]);
    let step = Step { time: 0.0, time_step: 1.0, gravity: Vec3::zeros(), loads: &loads, contacts: &[] };
    solid.balance(&step)?;
    Ok(largest(solid.positions().iter().zip(&exact).map(|(position, exact)| (position - exact).norm())) / SIZE)
}

/// A perturbation that differs from node to node, with components between −1 and 1.
fn perturbation(node: usize) -> Vec3 {
    let part = |factor: f64| (factor * (node + 1) as f64).sin();
    Vec3::new(part(12.9898), part(78.233), part(37.719))
}
