//! Measures the program against the machine it runs on.
//!
//! Clocks differ from machine to machine, so every kernel is told as a fraction of what this machine could do: [`machine`] measures
//! memory bandwidth and multiply-add peak in the same rounds as the kernels of [`subjects`], and the limit of a kernel is the longer of the
//! times that its bytes and its arithmetic take at those speeds (the roofline of Williams et al. 2009). Every number is the best
//! of several short, interleaved repetitions: other work on the machine can only make one slower.

mod machine;
mod report;
mod subjects;

use crate::problem::Problem;
use machine::Machine;
pub use report::text;
use serde::Serialize;
use subjects::{Decompositions, ElasticBody, Particles};

/// How long a run takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Seconds: bodies up to 100 000 tetrahedra.
    Quick,
    /// A minute or two: bodies up to a million.
    Full,
}

/// A number on one thread and on two.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Both {
    /// On one thread.
    pub one: f64,
    /// On two threads.
    pub two: f64,
}

impl Both {
    /// Nothing measured yet, as a time (s).
    const NEVER: Both = Both { one: f64::INFINITY, two: f64::INFINITY };

    fn keep_best(&mut self, threads: usize, seconds: f64) {
        let kept = if threads == 1 { &mut self.one } else { &mut self.two };
        *kept = kept.min(seconds);
    }

    fn map(self, change: impl Fn(f64) -> f64) -> Both {
        Both { one: change(self.one), two: change(self.two) }
    }
}

/// What the machine can do.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Limits {
    /// Bytes a second to and from memory: `a[i] = b[i] + s·c[i]`, the fetch of a before it is written counted.
    pub bandwidth: Both,
    /// Bytes a second from memory, nothing written.
    pub read_bandwidth: Both,
    /// Additions and multiplications a second, of fused multiply-adds in registers.
    pub flops: Both,
}

/// The explicit elastic step with damping on one body.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ElasticStep {
    /// Number of tetrahedra.
    pub tetrahedra: usize,
    /// Memory of the body by tetrahedron (bytes).
    pub bytes_held: f64,
    /// Bytes that a step moves by tetrahedron where nothing fits into a cache.
    pub bytes_moved: f64,
    /// Additions and multiplications of a step by tetrahedron.
    pub flops: f64,
    /// Time of a step (s).
    pub seconds: Both,
    /// Shortest time that the machine allows (s).
    pub limit: Both,
    /// Which of the two binds on one thread.
    pub bound_by: &'static str,
}

/// Everything that was measured.
#[derive(Clone, Debug, Serialize)]
pub struct Measurements {
    /// Vector instructions that the kernels use.
    pub instructions: String,
    /// Threads that the machine has.
    pub hardware_threads: usize,
    /// What the machine can do.
    pub machine: Limits,
    /// Elastic steps, by size.
    pub elastic: Vec<ElasticStep>,
    /// Tetrahedra of the body in free flight.
    pub flight_tetrahedra: usize,
    /// Time of a step in free flight (s).
    pub flight_seconds: f64,
    /// Particles of the cluster.
    pub cluster_particles: usize,
    /// Time of a step of the cluster (s).
    pub cluster_seconds: Both,
    /// Time of one 3×3 singular value, polar and symmetric eigen decomposition (s), in batches on one thread.
    pub decomposition_seconds: [f64; 3],
}

/// Measures everything. `tell` hears what is being done.
pub fn measure(effort: Effort, tell: &mut dyn FnMut(&str)) -> Result<Measurements, Problem> {
    let (sizes, rounds): (&[[usize; 3]], usize) = match effort {
        Effort::Quick => (&[[12, 12, 12], [26, 26, 25]], 4),
        Effort::Full => (&[[12, 12, 12], [26, 26, 25], [55, 55, 55]], 12),
    };
    tell("making bodies");
    let mut machine = Machine::new();
    let mut bodies = Vec::new();
    for &cells in sizes {
        bodies.push(ElasticBody::new(cells)?);
    }
    let mut flying = ElasticBody::in_flight([26, 26, 25])?;
    let mut particles = Particles::new(46)?;
    let mut decompositions = Decompositions::new(20_000);
    let mut times = vec![Both::NEVER; bodies.len()];
    let (mut flight, mut cluster, mut decomposition) = (f64::INFINITY, Both::NEVER, [f64::INFINITY; 3]);
    for round in 1..=rounds {
        tell(&format!("round {round} of {rounds}"));
        for threads in [1, 2] {
            let pool = pool(threads)?;
            for (body, time) in bodies.iter_mut().zip(&mut times) {
                // The machine is measured right before each body, so that both have met the same neighbours.
                machine.measure(&pool);
                time.keep_best(threads, pool.install(|| body.seconds_a_step())?);
            }
            cluster.keep_best(threads, pool.install(|| particles.seconds_a_step())?);
            if threads == 1 {
                flight = flight.min(pool.install(|| flying.seconds_a_step())?);
                let now = pool.install(|| decompositions.seconds());
                decomposition = std::array::from_fn(|index| decomposition[index].min(now[index]));
            }
        }
    }
    let limits = machine.limits();
    Ok(Measurements {
        instructions: format!("{:?}", craze_math::lanes::Instructions::detect()),
        hardware_threads: std::thread::available_parallelism().map_or(1, usize::from),
        machine: limits,
        elastic: bodies.iter().zip(times).map(|(body, seconds)| body.judge(seconds, &limits)).collect(),
        flight_tetrahedra: flying.tetrahedra(),
        flight_seconds: flight,
        cluster_particles: particles.count(),
        cluster_seconds: cluster,
        decomposition_seconds: decomposition,
    })
}

fn pool(threads: usize) -> Result<rayon::ThreadPool, Problem> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| Problem::new(format!("cannot start {threads} threads: {error}"), "close some programs"))
}
