//! Benchmarks relative to the limits of the machine.
//!
//! Absolute times differ between machines, so every kernel is reported as a fraction of its limit:
//! the longer of the times for its bytes and its arithmetic at the memory bandwidth and
//! multiply-add peak measured by [`machine`] (roofline model, Williams et al. 2009). Rounds of
//! [`machine`] and [`subjects`] are interleaved, and the best of several short repetitions counts,
//! since other programs can only slow them down.

mod machine;
mod report;
mod subjects;

use crate::problem::Problem;
use machine::Machine;
pub use report::text;
use serde::Serialize;
use subjects::{Decompositions, ElasticBody, MethodBody};

/// Duration of a benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Seconds: bodies up to 100,000 tetrahedra.
    Quick,
    /// A minute or two: bodies up to a million.
    Full,
}

/// A value on one thread and on two.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Both {
    pub one: f64,
    pub two: f64,
}

impl Both {
    /// No measurement yet, as a time (s).
    const NEVER: Both = Both { one: f64::INFINITY, two: f64::INFINITY };

    fn keep_best(&mut self, threads: usize, seconds: f64) {
        let kept = if threads == 1 { &mut self.one } else { &mut self.two };
        *kept = kept.min(seconds);
    }

    fn map(self, change: impl Fn(f64) -> f64) -> Both {
        Both { one: change(self.one), two: change(self.two) }
    }
}

#[derive(Clone, Copy, Debug, Serialize)]
pub struct Limits {
    /// Memory bandwidth (bytes/s) of `a[i] = b[i] + s·c[i]`, with the fetch of a before it is
    /// written.
    pub bandwidth: Both,
    /// Read bandwidth (bytes/s).
    pub read_bandwidth: Both,
    /// Additions and multiplications per second, as fused multiply-adds in registers.
    pub flops: Both,
}

/// Explicit elastic step with damping of one body.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ElasticStep {
    pub tetrahedra: usize,
    /// Memory per tetrahedron (bytes).
    pub bytes_held: f64,
    /// Memory traffic of a step per tetrahedron without caches (bytes).
    pub bytes_moved: f64,
    /// Additions and multiplications of a step per tetrahedron.
    pub flops: f64,
    /// Time of a step (s).
    pub seconds: Both,
    /// Lower bound of the time (s).
    pub limit: Both,
    /// The limiting resource on one thread.
    pub bound_by: &'static str,
}

/// A step of a body of one method.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct MethodStep {
    /// Name of the method.
    pub method: &'static str,
    /// What the body consists of: tetrahedra or particles.
    pub elements: &'static str,
    /// Their number.
    pub count: u64,
    /// Time of a step (s).
    pub seconds: Both,
}

#[derive(Clone, Debug, Serialize)]
pub struct Measurements {
    pub instructions: String,
    pub hardware_threads: usize,
    pub machine: Limits,
    /// Elastic steps, by size.
    pub elastic: Vec<ElasticStep>,
    /// Tetrahedra of the body in rigid-body mode.
    pub flight_tetrahedra: usize,
    /// Time of a step in rigid-body mode (s).
    pub flight_seconds: f64,
    /// A step of a body of every method.
    pub methods: Vec<MethodStep>,
    /// Time of one 3×3 SVD, polar and symmetric eigen decomposition (s), in batches on one thread.
    pub decomposition_seconds: [f64; 3],
}

/// Measures everything. `tell` receives progress messages.
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
    let mut of_methods = MethodBody::all()?;
    let mut decompositions = Decompositions::new(20_000);
    let mut times = vec![Both::NEVER; bodies.len()];
    let mut method_times = vec![Both::NEVER; of_methods.len()];
    let (mut flight, mut decomposition) = (f64::INFINITY, [f64::INFINITY; 3]);
    for round in 1..=rounds {
        tell(&format!("round {round} of {rounds}"));
        for threads in [1, 2] {
            let pool = pool(threads)?;
            for (body, time) in bodies.iter_mut().zip(&mut times) {
                // The machine is measured right before each body, under the same load by other
                // programs.
                machine.measure(&pool);
                time.keep_best(threads, pool.install(|| body.seconds_a_step())?);
            }
            for (body, time) in of_methods.iter_mut().zip(&mut method_times) {
                time.keep_best(threads, pool.install(|| body.seconds_a_step())?);
            }
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
        methods: of_methods.iter().zip(method_times).map(|(body, seconds)| body.judge(seconds)).collect(),
        decomposition_seconds: decomposition,
    })
}

fn pool(threads: usize) -> Result<rayon::ThreadPool, Problem> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| Problem::new(format!("cannot start {threads} threads: {error}"), "close some programs"))
}
