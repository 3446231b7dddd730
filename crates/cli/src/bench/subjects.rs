//! Benchmark subjects: bodies to step, and small matrices to decompose.

use super::machine::seconds;
use super::{Both, ElasticStep, Limits, MethodStep};
use crate::problem::Problem;
use craze_engine::{CommitLog, Failure, Method, Step};
use craze_material::{Damping, Elasticity, Material};
use craze_math::batch::{polar_batch, svd_batch, symmetric_eigen_batch};
use craze_math::{Eigen, Isometry, Mat3, Polar, Svd, Vec3};
use craze_mesh::kuhn_box;
use craze_methods::solid::{Solid, SolidOptions, elastic_step_cost};
use craze_methods::{Descriptor, Elements, METHODS};
use craze_scene::{SceneDocument, build};
use std::hint::black_box;

/// Approximate duration of a repetition (s): short enough to fit between time slices of other
/// programs.
const REPETITION_TIME: f64 = 0.02;

const GRAVITY: Vec3 = Vec3::new(0.0, -9.81, 0.0);

fn refused(error: impl std::fmt::Display) -> Problem {
    Problem::new(format!("a body for the measurement could not be made or moved: {error}"), "")
}

/// Shortest time of a step (s) within one repetition.
fn shortest_step(body: &mut dyn Method, time_step: f64) -> Result<f64, Problem> {
    let step = Step { time: 0.0, time_step, gravity: GRAVITY, loads: &[], contacts: &[] };
    let (mut shortest, mut total, mut log) = (f64::INFINITY, 0.0, CommitLog::default());
    while total < REPETITION_TIME {
        let mut result: Result<(), Failure> = Ok(());
        let time = seconds(|| {
            result = body.predict(&step).and_then(|()| body.check());
            body.commit(&step, &mut log);
        });
        result.map_err(refused)?;
        shortest = shortest.min(time);
        total += time;
    }
    Ok(shortest)
}

/// A block of soft, damped material.
pub struct ElasticBody {
    solid: Solid,
}

impl ElasticBody {
    /// A slowly rotating block that computes all its elements in every step.
    pub fn new(cells: [usize; 3]) -> Result<ElasticBody, Problem> {
        ElasticBody::with(cells, SolidOptions { rest_strain: 0.0, ..SolidOptions::default() }, Vec3::new(0.0, 1.0, 0.2))
    }

    /// A block in free fall.
    pub fn in_flight(cells: [usize; 3]) -> Result<ElasticBody, Problem> {
        ElasticBody::with(cells, SolidOptions::default(), Vec3::zeros())
    }

    fn with(cells: [usize; 3], options: SolidOptions, spin: Vec3) -> Result<ElasticBody, Problem> {
        let size = Vec3::new(cells[0] as f64, cells[1] as f64, cells[2] as f64) * 0.01;
        let mut material = Material::elastic("clay", 1013.0, Elasticity::from_lame(2.65e6, 3.97e6));
        material.damping = Damping { phi: 264.0, psi: 397.0, ..Damping::default() };
        let mesh = kuhn_box(cells, size).map_err(refused)?;
        let solid = Solid::new(mesh, vec![material], options, Isometry::identity(), Vec3::zeros(), spin);
        Ok(ElasticBody { solid: solid.map_err(refused)? })
    }

    pub fn tetrahedra(&self) -> usize {
        self.solid.mesh().element_count()
    }

    pub fn seconds_a_step(&mut self) -> Result<f64, Problem> {
        // Rigid-body mode at rest allows any step.
        let time_step = self.solid.time_step_limit().min(1e-3);
        shortest_step(&mut self.solid, time_step)
    }

    /// Time of a step relative to the machine's limits.
    pub fn judge(&self, seconds: Both, limits: &Limits) -> ElasticStep {
        let (cost, tetrahedra) = (elastic_step_cost(&self.solid), self.tetrahedra());
        let count = tetrahedra as f64;
        let moving = limits.bandwidth.map(|rate| count * cost.bytes_per_element / rate);
        let computing = limits.flops.map(|rate| count * cost.flops_per_element / rate);
        ElasticStep {
            tetrahedra,
            bytes_held: self.solid.bytes() as f64 / count,
            bytes_moved: cost.bytes_per_element,
            flops: cost.flops_per_element,
            seconds,
            limit: Both { one: moving.one.max(computing.one), two: moving.two.max(computing.two) },
            bound_by: if moving.one > computing.one { "memory" } else { "arithmetic" },
        }
    }
}

/// A body of a method, as the method's benchmark says, that turns slowly.
pub struct MethodBody {
    body: Box<dyn Method>,
    name: &'static str,
    elements: &'static str,
    count: u64,
}

impl MethodBody {
    /// A body of every method.
    pub fn all() -> Result<Vec<MethodBody>, Problem> {
        METHODS.iter().map(MethodBody::new).collect()
    }

    fn new(method: &Descriptor) -> Result<MethodBody, Problem> {
        let Descriptor { name, benchmark, .. } = method;
        let text = format!("[[body]]\nname = \"body\"\nmethod = \"{name}\"\nplace.spin = [0, 1, 0.2]\n{benchmark}");
        let mut bodies = build(&SceneDocument::parse(&text, name, &[])?)?.world.bodies;
        let body = bodies.pop().ok_or_else(|| refused("it has no body"))?.method;
        let account = body.account(&GRAVITY);
        let count = match method.elements {
            Elements::Tetrahedra { .. } => account.elements,
            Elements::Particles => account.nodes,
        };
        Ok(MethodBody { body, name, elements: method.elements.name(), count })
    }

    pub fn seconds_a_step(&mut self) -> Result<f64, Problem> {
        let time_step = self.body.time_step_limit().min(1.0 / 60.0);
        shortest_step(&mut *self.body, time_step)
    }

    /// The time of a step.
    pub fn judge(&self, seconds: Both) -> MethodStep {
        MethodStep { method: self.name, elements: self.elements, count: self.count, seconds }
    }
}

pub struct Decompositions {
    matrices: Vec<Mat3>,
    symmetric: Vec<Mat3>,
    svds: Vec<Svd>,
    polars: Vec<Polar>,
    eigens: Vec<Eigen>,
}

impl Decompositions {
    /// Distinct matrices near rotations, like deformation gradients.
    pub fn new(count: usize) -> Decompositions {
        let turned = |n: usize| {
            let angle = 0.37 * n as f64;
            let turn = Isometry::rotation(Vec3::new(angle.sin(), (1.3 * angle).cos(), 0.2)).rotation;
            turn.to_rotation_matrix().into_inner() * (Mat3::identity() + 0.2 * strain(n))
        };
        let zero = Mat3::zeros();
        Decompositions {
            matrices: (0..count).map(turned).collect(),
            symmetric: (0..count).map(strain).collect(),
            svds: vec![Svd { u: zero, sigma: Vec3::zeros(), v: zero }; count],
            polars: vec![Polar { rotation: zero, stretch: zero }; count],
            eigens: vec![Eigen { values: Vec3::zeros(), vectors: zero }; count],
        }
    }

    /// Time of one SVD, polar and symmetric eigen decomposition (s).
    pub fn seconds(&mut self) -> [f64; 3] {
        let times = [
            seconds(|| svd_batch(black_box(&self.matrices), &mut self.svds)),
            seconds(|| polar_batch(black_box(&self.matrices), &mut self.polars)),
            seconds(|| symmetric_eigen_batch(black_box(&self.symmetric), &mut self.eigens)),
        ];
        black_box((&self.svds, &self.polars, &self.eigens));
        times.map(|time| time / self.matrices.len() as f64)
    }
}

/// A deterministic symmetric matrix with entries in −1…1.
fn strain(n: usize) -> Mat3 {
    let part = |factor: f64| (factor * (n + 1) as f64).sin();
    let (a, b, c) = (part(12.9898), part(78.233), part(37.719));
    Mat3::new(part(3.1), a, b, a, part(7.7), c, b, c, part(5.3))
}
