//! Explicit integrators: from forces to the prediction, node by node.

use crate::blocks::{Chunk, Layout};
use crate::forces::Forces;
use crate::model::Solid;
use crate::options::Integrator;
use crate::parallel::over_spans;
use craze_body::Node;
use craze_engine::Step;
use craze_math::Vec3;
use craze_math::lanes::{Instructions, Kernel, Lanes};
use craze_spatial::Aabb;

/// Report of a pass over a chunk of nodes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChunkReport {
    /// Bounding box of state and prediction (m); the fourth entry is padding.
    low: [f64; 4],
    high: [f64; 4],
    /// Largest squared displacement by acceleration alone in the step (m²).
    pub largest_jump: f64,
    /// A sum of everything: not finite if any number is not.
    pub witness: f64,
}

impl Default for ChunkReport {
    fn default() -> Self {
        ChunkReport { low: [f64::INFINITY; 4], high: [f64::NEG_INFINITY; 4], largest_jump: 0.0, witness: 0.0 }
    }
}

impl ChunkReport {
    /// Report of nodes that were predicted elsewhere.
    pub fn around(state: &[Node], prediction: &[Node]) -> ChunkReport {
        let mut report = ChunkReport::default();
        for Node(record) in state.iter().chain(prediction) {
            for axis in 0..3 {
                report.low[axis] = report.low[axis].min(record[axis]);
                report.high[axis] = report.high[axis].max(record[axis]);
                report.witness += record[axis] + record[axis + 4];
            }
        }
        report
    }

    /// Extends the bounding box to a position (m).
    pub fn include(&mut self, place: &Vec3) {
        for axis in 0..3 {
            self.low[axis] = self.low[axis].min(place[axis]);
            self.high[axis] = self.high[axis].max(place[axis]);
        }
    }

    pub fn reach(&self) -> Aabb {
        Aabb { min: Vec3::from_column_slice(&self.low[..3]), max: Vec3::from_column_slice(&self.high[..3]) }
    }
}

/// What all nodes of a step share. Vectors have a fourth entry, so that a node's record is two of
/// them: position and mass, velocity and inverse mass. The fourth entry of the time step is zero,
/// which leaves masses unchanged.
#[derive(Clone, Copy)]
struct Nodes<'a> {
    layout: &'a Layout,
    forces: &'a Forces,
    state: &'a [Node],
    drag: &'a [f64],
    accelerations: &'a [[f64; 4]],
    gravity: [f64; 4],
    time_step: [f64; 4],
}

impl<'a> Nodes<'a> {
    fn new(layout: &'a Layout, forces: &'a Forces, state: &'a [Node], drag: &'a [f64], step: &Step) -> Self {
        let (g, dt) = (&step.gravity, step.time_step);
        let (gravity, time_step) = ([g.x, g.y, g.z, 0.0], [dt, dt, dt, 0.0]);
        Nodes { layout, forces, state, drag, accelerations: &[], gravity, time_step }
    }

    /// Force over mass, plus a given acceleration, minus drag.
    #[inline(always)]
    fn acceleration(&self, node: usize, inverse_mass: f64, given: &[f64; 4], dragged: &[f64; 4]) -> [f64; 4] {
        let force = self.forces.of_node(self.layout, node);
        let mut a = [0.0; 4];
        for axis in 0..4 {
            a[axis] = force[axis] * inverse_mass + given[axis];
        }
        if let Some(drag) = self.drag.get(node) {
            for axis in 0..4 {
                a[axis] -= drag * dragged[axis];
            }
        }
        a
    }
}

/// How positions and velocities follow from accelerations.
trait Scheme {
    /// The acceleration at the state (m/s²).
    #[inline(always)]
    fn acceleration(nodes: &Nodes, node: usize, v: &[f64; 4]) -> [f64; 4] {
        nodes.acceleration(node, v[3], &nodes.gravity, v)
    }

    /// Moves position and velocity over the step.
    fn advance(nodes: &Nodes, node: usize, x: &mut [f64; 4], v: &mut [f64; 4], a: &[f64; 4]);
}

struct Symplectic;

impl Scheme for Symplectic {
    #[inline(always)]
    fn advance(nodes: &Nodes, _: usize, x: &mut [f64; 4], v: &mut [f64; 4], a: &[f64; 4]) {
        for axis in 0..4 {
            v[axis] += nodes.time_step[axis] * a[axis];
            x[axis] += nodes.time_step[axis] * v[axis];
        }
    }
}

struct ForwardEuler;

impl Scheme for ForwardEuler {
    #[inline(always)]
    fn advance(nodes: &Nodes, _: usize, x: &mut [f64; 4], v: &mut [f64; 4], a: &[f64; 4]) {
        for axis in 0..4 {
            x[axis] += nodes.time_step[axis] * v[axis];
            v[axis] += nodes.time_step[axis] * a[axis];
        }
    }
}

/// The second pass of the Taylor integrator: the partial sums hold rates of force, the
/// accelerations are known.
struct Taylor;

impl Scheme for Taylor {
    #[inline(always)]
    fn acceleration(nodes: &Nodes, node: usize, _: &[f64; 4]) -> [f64; 4] {
        nodes.accelerations[node]
    }

    #[inline(always)]
    fn advance(nodes: &Nodes, node: usize, x: &mut [f64; 4], v: &mut [f64; 4], a: &[f64; 4]) {
        let jerk = nodes.acceleration(node, v[3], &[0.0; 4], a);
        for axis in 0..4 {
            let half = 0.5 * nodes.time_step[axis];
            x[axis] += nodes.time_step[axis] * (v[axis] + half * a[axis]);
            v[axis] += nodes.time_step[axis] * (a[axis] + half * jerk[axis]);
        }
    }
}

/// Applies a scheme to a chunk.
struct Advance<'a, S> {
    nodes: Nodes<'a>,
    first: usize,
    prediction: &'a mut [Node],
    scheme: std::marker::PhantomData<S>,
}

impl<S: Scheme> Kernel for Advance<'_, S> {
    type Output = ChunkReport;
    #[inline(always)]
    fn run<L: Lanes>(self) -> ChunkReport {
        let mut report = ChunkReport::default();
        let (mut largest, mut witness) = ([0.0; 4], [0.0; 4]);
        let state = &self.nodes.state[self.first..self.first + self.prediction.len()];
        for (offset, (Node(predicted), Node(record))) in self.prediction.iter_mut().zip(state).enumerate() {
            let node = self.first + offset;
            let (mut x, mut v) = ([0.0; 4], [0.0; 4]);
            x.copy_from_slice(&record[..4]);
            v.copy_from_slice(&record[4..]);
            let a = S::acceleration(&self.nodes, node, &v);
            for axis in 0..4 {
                report.low[axis] = least(report.low[axis], x[axis]);
                report.high[axis] = most(report.high[axis], x[axis]);
            }
            S::advance(&self.nodes, node, &mut x, &mut v, &a);
            for axis in 0..4 {
                report.low[axis] = least(report.low[axis], x[axis]);
                report.high[axis] = most(report.high[axis], x[axis]);
                largest[axis] = most(largest[axis], a[axis] * a[axis]);
                witness[axis] += a[axis] * a[axis];
            }
            predicted[..4].copy_from_slice(&x);
            predicted[4..].copy_from_slice(&v);
        }
        // The sum of the largest squares along the axes bounds the largest square.
        report.largest_jump = (largest[0] + largest[1] + largest[2]) * self.nodes.time_step[0].powi(4);
        report.witness = witness[0] + witness[1] + witness[2];
        report
    }
}

#[inline(always)]
fn least(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}

#[inline(always)]
fn most(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

impl Solid {
    /// Predicts all nodes outside of rigid-body mode from the partial sums.
    pub(crate) fn integrate(&mut self, step: &Step) {
        match self.options.integrator {
            Integrator::Symplectic => self.advance::<Symplectic>(step),
            Integrator::Euler => self.advance::<ForwardEuler>(step),
            Integrator::Taylor => {
                self.keep_accelerations(step);
                self.sum_force_rates();
                self.advance::<Taylor>(step);
            }
            Integrator::Implicit => {}
        }
    }

    fn advance<S: Scheme + Sync>(&mut self, step: &Step) {
        let Solid { layout, state, prediction, motions, drag, scratch, .. } = self;
        let mut nodes = Nodes::new(layout, &scratch.forces, state, drag, step);
        nodes.accelerations = &scratch.accelerations;
        over_spans(
            &layout.chunks,
            prediction,
            &mut scratch.chunk_reports,
            &|chunk: &Chunk, prediction: &mut [Node], report: &mut ChunkReport| {
                *report = ChunkReport::default();
                if !motions[chunk.island].is_asleep() {
                    let scheme = std::marker::PhantomData::<S>;
                    let advance = Advance { nodes, first: chunk.nodes.start, prediction, scheme };
                    *report = Instructions::detect().run(advance);
                }
            },
        );
    }

    /// Accelerations at the state, for the jerk; at nodes with prescribed positions those of the
    /// motion.
    fn keep_accelerations(&mut self, step: &Step) {
        let Solid { layout, state, motions, drag, scratch, .. } = self;
        let nodes = Nodes::new(layout, &scratch.forces, state, drag, step);
        over_spans(
            &layout.chunks,
            &mut scratch.accelerations,
            &mut scratch.chunk_reports,
            &|chunk: &Chunk, accelerations: &mut [[f64; 4]], _: &mut ChunkReport| {
                if motions[chunk.island].is_asleep() {
                    return;
                }
                for (node, kept) in chunk.nodes.clone().zip(accelerations) {
                    let [_, _, _, _, vx, vy, vz, inverse_mass] = state[node].0;
                    *kept = Symplectic::acceleration(&nodes, node, &[vx, vy, vz, inverse_mass]);
                }
            },
        );
        self.accelerate_placed_nodes(step);
    }
}
