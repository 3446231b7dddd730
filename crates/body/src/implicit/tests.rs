//! A chain of nodes with springs between neighbours as the simplest elastic body.

use super::*;
use craze_math::Isometry;
use craze_solve::PcgSettings;

/// Stiffness of each spring (N/m), along all axes.
const STIFFNESS: f64 = 200.0;

struct Chain {
    nodes: usize,
}

impl ElasticModel for Chain {
    fn energy(&mut self, x: &[Vec3], _: Option<&TimeStep>) -> f64 {
        (1..self.nodes).map(|node| 0.5 * STIFFNESS * (x[node] - x[node - 1] - Vec3::x()).norm_squared()).sum()
    }

    fn subtract_forces(&mut self, x: &[Vec3], _: Option<&TimeStep>, gradient: &mut [Vec3]) {
        for node in 1..self.nodes {
            let force = STIFFNESS * (x[node] - x[node - 1] - Vec3::x());
            gradient[node] += force;
            gradient[node - 1] -= force;
        }
    }

    fn assemble(&mut self, _: &[Vec3], _: Option<&TimeStep>, stiffness: &mut BlockMatrix) {
        let block = STIFFNESS * Mat3::identity();
        let blocks: Vec<Mat3> = (1..self.nodes).flat_map(|_| [block, -block, -block, block]).collect();
        stiffness.assemble(&blocks).unwrap();
    }

    fn awake_nodes(&self) -> impl Iterator<Item = Range<usize>> {
        std::iter::once(0..self.nodes)
    }
}

fn chain(nodes: usize) -> (Vec<Node>, ImplicitSolver) {
    let state: Vec<Node> = (0..nodes).map(|node| Node::new(node as f64 * Vec3::x(), Vec3::zeros(), 2.0)).collect();
    let springs: Vec<[u32; 2]> = (1..nodes as u32).map(|node| [node - 1, node]).collect();
    let settings = NewtonSettings { residual: 1e-10, step: 1e-14, max_iterations: 20 };
    let cg = LinearSolver::conjugate_gradients(PcgSettings { tolerance: 1e-13, ..PcgSettings::default() });
    let mut solver = ImplicitSolver::new(nodes, &springs, settings, cg).unwrap();
    solver.begin(&state);
    (state, solver)
}

const GRAVITY: Vec3 = Vec3::new(0.0, -10.0, 0.0);

#[test]
fn a_free_body_falls_by_backward_euler() {
    let (state, mut solver) = chain(4);
    let step = Some(TimeStep { length: 0.1, gravity: GRAVITY });
    let drag = [0.5; 4];
    solver.minimise(Chain { nodes: 4 }, Surroundings { start: &state, drag: &drag, contacts: &[], step }).unwrap();
    let mut prediction = state.clone();
    solver.write_prediction(0..4, 0.1, &state, &mut prediction);
    // (v − 0)/Δt = g − d·v.
    let velocity = 0.1 * GRAVITY / 1.05;
    for (start, end) in state.iter().zip(&prediction) {
        assert!((end.velocity() - velocity).norm() < 1e-9);
        assert!((end.position() - start.position() - 0.1 * velocity).norm() < 1e-10);
    }
}

#[test]
fn equilibrium_carries_the_weight_and_work_is_that_of_the_loads() {
    let nodes = 5;
    let (state, mut solver) = chain(nodes);
    solver.constraints.fix(0);
    let weight: Vec<Vec3> = state.iter().map(|node| node.mass() * GRAVITY).collect();
    let mut loads = weight.clone();
    loads[nodes - 1] += Vec3::new(7.0, 0.0, 0.0);
    let mut before = Equilibrium::default();
    before.resize(nodes);
    let end = Isometry::translation(0.0, 0.0, 0.3).transform_point(&state[0].position().into()).coords;
    let surroundings = Surroundings { start: &state, drag: &[], contacts: &[], step: None };
    let minimise = |solver: &mut ImplicitSolver| solver.minimise(Chain { nodes }, surroundings);
    let after = solver.march(&before, loads, &[(0, end)], minimise).unwrap();
    // The prescribed node carries all weight and the pull.
    let expected = -(10.0 * GRAVITY + Vec3::new(7.0, 0.0, 0.0));
    assert!((after.reactions[0] - expected).norm() < 1e-8, "{:?}", after.reactions[0]);
    for node in 1..nodes {
        let below = (node..nodes).map(|other| weight[other]).sum::<Vec3>() + Vec3::new(7.0, 0.0, 0.0);
        let stretch = solver.positions[node] - solver.positions[node - 1] - Vec3::x();
        assert!((stretch - below / STIFFNESS).norm() < 1e-10);
    }
    // Without gravity the work is stored in the springs: linear forces, so the trapezoidal rule is
    // exact.
    let (state, mut solver) = chain(2);
    solver.constraints.fix(0);
    let mut before = Equilibrium::default();
    before.resize(2);
    let pull = vec![Vec3::zeros(), Vec3::new(5.0, 0.0, 0.0)];
    let surroundings = Surroundings { start: &state, drag: &[], contacts: &[], step: None };
    let after = solver
        .march(&before, pull, &[(0, Vec3::zeros())], |solver| solver.minimise(Chain { nodes: 2 }, surroundings))
        .unwrap();
    let mut work = 0.0;
    after.add_work(&before, &state, &solver.positions, &Vec3::zeros(), &mut work);
    assert!((work - Chain { nodes: 2 }.energy(&solver.positions, None)).abs() < 1e-12 && work > 0.06);
}

#[test]
fn a_body_that_nothing_holds_has_no_equilibrium() {
    let (state, mut solver) = chain(3);
    let mut before = Equilibrium::default();
    before.resize(3);
    let surroundings = Surroundings { start: &state, drag: &[], contacts: &[], step: None };
    let loads = vec![Vec3::x(); 3];
    let outcome = solver.march(&before, loads, &[], |solver| solver.minimise(Chain { nodes: 3 }, surroundings));
    assert!(matches!(failure(&outcome.unwrap_err()), Failure::NotBalanced { .. } | Failure::NotSolved { .. }));
}

#[test]
fn compliance_is_the_inverse_of_the_stiffness() {
    let (state, mut solver) = chain(3);
    solver.constraints.fix(0);
    let surroundings = Surroundings { start: &state, drag: &[], contacts: &[], step: None };
    let blocks = solver.compliance(Chain { nodes: 3 }, surroundings, &[1, 2]).unwrap();
    // Springs in a row: the end gives way twice as much as the middle.
    for (block, factor) in blocks.iter().zip([1.0, 1.0, 1.0, 2.0]) {
        assert!((block - factor / STIFFNESS * Mat3::identity()).norm() < 1e-12);
    }
}
