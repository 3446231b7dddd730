//! From forces to the prediction: what every explicit integrator does at a node.

use crate::blocks::{Chunk, Layout};
use crate::forces::Forces;
use crate::model::Solid;
use crate::node::Node;
use crate::options::Integrator;
use crate::parallel::over_spans;
use craze_engine::Step;
use craze_math::Vec3;
use craze_math::lanes::{Instructions, Kernel, Lanes};
use craze_spatial::Aabb;

/// What a pass over a chunk of nodes noticed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChunkReport {
    /// Box around state and prediction (m); the fourth entry is padding.
    low: [f64; 4],
    high: [f64; 4],
    /// Largest way that acceleration alone carries a node in the step (m), squared.
    pub largest_jump: f64,
    /// A sum of everything: not finite if anything was not.
    pub witness: f64,
}

impl Default for ChunkReport {
    fn default() -> Self {
        ChunkReport { low: [f64::INFINITY; 4], high: [f64::NEG_INFINITY; 4], largest_jump: 0.0, witness: 0.0 }
    }
}

impl ChunkReport {
    /// The report of nodes that somebody else has predicted.
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

    pub fn reach(&self) -> Aabb {
        Aabb { min: Vec3::from_column_slice(&self.low[..3]), max: Vec3::from_column_slice(&self.high[..3]) }
    }
}

/// What all nodes of a step share.
#[derive(Clone, Copy)]
struct Nodes<'a> {
    layout: &'a Layout,
    forces: &'a Forces,
    state: &'a [Node],
    drag: &'a [f64],
    accelerations: &'a [[f64; 4]],
    gravity: [f64; 4],
    time_step: f64,
}

/// How positions and velocities follow from accelerations.
trait Scheme {
    /// Position and velocity after the step, from those before, the acceleration, and what the scheme keeps of the node.
    fn advance(nodes: &Nodes, node: usize, x: [f64; 4], v: [f64; 4], a: [f64; 4]) -> ([f64; 4], [f64; 4]);

    /// The acceleration at the state (m/s²).
    #[inline(always)]
    fn acceleration(nodes: &Nodes, node: usize, record: &[f64; 8]) -> [f64; 4] {
        acceleration(nodes, node, record, &nodes.gravity, &[record[4], record[5], record[6], 0.0])
    }
}

/// Force over mass, gravity, and drag against a rate of the node.
#[inline(always)]
fn acceleration(nodes: &Nodes, node: usize, record: &[f64; 8], gravity: &[f64; 4], dragged: &[f64; 4]) -> [f64; 4] {
    let force = nodes.forces.of_node(nodes.layout, node);
    let drag = if nodes.drag.is_empty() { 0.0 } else { nodes.drag[node] };
    let mut a = [0.0; 4];
    for axis in 0..4 {
        a[axis] = force[axis] * record[7] + gravity[axis] - drag * dragged[axis];
    }
    a
}

struct Symplectic;

impl Scheme for Symplectic {
    #[inline(always)]
    fn advance(nodes: &Nodes, _: usize, mut x: [f64; 4], mut v: [f64; 4], a: [f64; 4]) -> ([f64; 4], [f64; 4]) {
        for axis in 0..4 {
            v[axis] += nodes.time_step * a[axis];
            x[axis] += nodes.time_step * v[axis];
        }
        (x, v)
    }
}

struct ForwardEuler;

impl Scheme for ForwardEuler {
    #[inline(always)]
    fn advance(nodes: &Nodes, _: usize, mut x: [f64; 4], mut v: [f64; 4], a: [f64; 4]) -> ([f64; 4], [f64; 4]) {
        for axis in 0..4 {
            x[axis] += nodes.time_step * v[axis];
            v[axis] += nodes.time_step * a[axis];
        }
        (x, v)
    }
}

/// The second pass of the Taylor integrator: the partial sums hold rates of force, the accelerations are known.
struct Taylor;

impl Scheme for Taylor {
    #[inline(always)]
    fn acceleration(nodes: &Nodes, node: usize, _: &[f64; 8]) -> [f64; 4] {
        nodes.accelerations[node]
    }

    #[inline(always)]
    fn advance(nodes: &Nodes, node: usize, mut x: [f64; 4], mut v: [f64; 4], a: [f64; 4]) -> ([f64; 4], [f64; 4]) {
        let jerk = acceleration(nodes, node, &nodes.state[node].0, &[0.0; 4], &a);
        let half = 0.5 * nodes.time_step;
        for axis in 0..4 {
            x[axis] += nodes.time_step * (v[axis] + half * a[axis]);
            v[axis] += nodes.time_step * (a[axis] + half * jerk[axis]);
        }
        (x, v)
    }
}

/// Runs a scheme over a chunk.
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
        let state = &self.nodes.state[self.first..self.first + self.prediction.len()];
        for (offset, (predicted, Node(record))) in self.prediction.iter_mut().zip(state).enumerate() {
            let node = self.first + offset;
            let a = S::acceleration(&self.nodes, node, record);
            let (x, v) = ([record[0], record[1], record[2], 0.0], [record[4], record[5], record[6], 0.0]);
            let (end, velocity) = S::advance(&self.nodes, node, x, v, a);
            predicted.0 = [end[0], end[1], end[2], record[3], velocity[0], velocity[1], velocity[2], record[7]];
            let mut size = 0.0;
            for axis in 0..4 {
                report.low[axis] = least(report.low[axis], least(x[axis], end[axis]));
                report.high[axis] = most(report.high[axis], most(x[axis], end[axis]));
                size += a[axis] * a[axis];
            }
            report.largest_jump = most(report.largest_jump, size);
            report.witness += size;
        }
        report.largest_jump *= self.nodes.time_step.powi(4);
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
    /// Predicts all awake nodes from the forces in the partial sums.
    pub(crate) fn integrate(&mut self, step: &Step) {
        match self.options.integrator {
            Integrator::SymplecticEuler => self.advance::<Symplectic>(step),
            Integrator::ForwardEuler => self.advance::<ForwardEuler>(step),
            Integrator::Taylor => {
                self.keep_accelerations(step);
                self.sum_force_rates();
                self.advance::<Taylor>(step);
            }
            Integrator::Implicit => {}
        }
    }

    fn advance<S: Scheme + Sync>(&mut self, step: &Step) {
        let Solid { layout, state, prediction, flights, drag, scratch, .. } = self;
        let nodes = Nodes {
            layout,
            forces: &scratch.forces,
            state,
            drag,
            accelerations: &scratch.accelerations,
            gravity: [step.gravity.x, step.gravity.y, step.gravity.z, 0.0],
            time_step: step.time_step,
        };
        over_spans(
            &layout.chunks,
            prediction,
            &mut scratch.chunk_reports,
            &|chunk: &Chunk, prediction: &mut [Node], report: &mut ChunkReport| {
                *report = ChunkReport::default();
                if !flights[chunk.island].is_asleep() {
                    let scheme = std::marker::PhantomData::<S>;
                    let advance = Advance { nodes, first: chunk.nodes.start, prediction, scheme };
                    *report = Instructions::detect().run(advance);
                }
            },
        );
    }

    /// Accelerations at the state, for the jerk; a held node has that of its hold.
    fn keep_accelerations(&mut self, step: &Step) {
        let gravity = [step.gravity.x, step.gravity.y, step.gravity.z, 0.0];
        let mut accelerations = std::mem::take(&mut self.scratch.accelerations);
        let mut reports = std::mem::take(&mut self.scratch.chunk_reports);
        let nodes = Nodes {
            layout: &self.layout,
            forces: &self.scratch.forces,
            state: &self.state,
            drag: &self.drag,
            accelerations: &[],
            gravity,
            time_step: step.time_step,
        };
        let flights = &self.flights;
        over_spans(
            &self.layout.chunks,
            &mut accelerations,
            &mut reports,
            &|chunk: &Chunk, accelerations: &mut [[f64; 4]], _: &mut ChunkReport| {
                if flights[chunk.island].is_asleep() {
                    return;
                }
                for (node, kept) in chunk.nodes.clone().zip(accelerations) {
                    *kept = Symplectic::acceleration(&nodes, node, &nodes.state[node].0);
                }
            },
        );
        self.scratch.accelerations = accelerations;
        self.scratch.chunk_reports = reports;
        self.accelerate_held(step);
    }
}
