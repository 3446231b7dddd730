//! Test 3: stretch of a laterally constrained column. St Venant–Kirchhoff: nominal stress (λ +
//! 2μ)/2·(s³ − s).

use crate::ValidationError;
use crate::outcome::{Expected, Findings};
use crate::plot::{Line, Mark, Plot, Scale};
use crate::run::{Depth, Test};
use crate::setup::{JITTER, awake, constrain_nodes, elastic, is_on_surface, solid_at_rest};
use craze_engine::{Attachable, QuasiStatic, Step};
use craze_material::Elasticity;
use craze_math::Vec3;
use craze_mesh::kuhn_box_jittered;

pub(crate) const TEST: Test = Test {
    number: 3,
    method: craze_methods::solid::KIND,
    title: "Laterally constrained column, λ = μ = 1.04e8",
    source: "St Venant–Kirchhoff",
    conditions: "the equilibrium iteration starts from the stretched state",
    measure,
};

/// λ and μ (Pa).
const LAME: f64 = 1.04e8;
/// Stretches at which the stress is compared (1).
const STRETCHES: [f64; 7] = [0.7, 0.9, 0.99, 1.01, 1.1, 1.5, 2.0];
const SIZE: [f64; 3] = [0.2, 0.6, 0.3];

fn measure(depth: Depth, findings: &mut Findings) -> Result<(), ValidationError> {
    let cells = match depth {
        Depth::Quick => [2, 6, 3],
        Depth::Full => [4, 12, 6],
    };
    let mut measured = Vec::new();
    for stretch in STRETCHES {
        let stress = nominal_stress(cells, stretch)?;
        let expected = Expected::Relative { value: known(stretch), tolerance: 1e-9 };
        findings.compare(format!("nominal stress at s = {stretch}"), "Pa", stress, expected);
        measured.push([stretch, stress * 1e-6]);
    }
    let analytic = (0..=56).map(|n| 0.65 + 0.025 * f64::from(n)).map(|stretch| [stretch, known(stretch) * 1e-6]);
    findings.plots.push(Plot {
        name: "column",
        title: "Constrained column: nominal stress".to_owned(),
        across: "stretch s",
        up: "nominal stress (MPa)",
        scales: [Scale::Linear; 2],
        lines: vec![
            Line { label: "1.56e8·(s³ − s)".to_owned(), mark: Mark::Dashes, points: analytic.collect() },
            Line { label: "measured".to_owned(), mark: Mark::Points, points: measured },
        ],
    });
    Ok(())
}

/// (λ + 2μ)/2·(s³ − s) (Pa).
fn known(stretch: f64) -> f64 {
    1.5 * LAME * (stretch.powi(3) - stretch)
}

/// Force on the top over its rest area (Pa), with the surface displaced by a stretch along y and
/// the interior in equilibrium.
fn nominal_stress(cells: [usize; 3], stretch: f64) -> Result<f64, ValidationError> {
    let mesh = kuhn_box_jittered(cells, Vec3::from(SIZE), JITTER)?;
    let mut solid = solid_at_rest(mesh, elastic(2588.0, Elasticity::from_lame(LAME, LAME)), awake())?;
    let stretched = |rest: &Vec3| Vec3::new(rest.x, stretch * rest.y, rest.z);
    let positions: Vec<Vec3> = solid.mesh().positions().iter().map(stretched).collect();
    let surface = is_on_surface(solid.mesh());
    let (held, loads) = constrain_nodes(&mut solid, (0..surface.len()).filter(|&node| surface[node]), stretched)?;
    solid.set_state(&positions, &vec![Vec3::zeros(); positions.len()]);
    let step = Step { time: 0.0, time_step: 1.0, gravity: Vec3::zeros(), loads: &loads, contacts: &[] };
    solid.balance(&step)?;
    let on_top = |node: usize| solid.mesh().positions()[node].y > SIZE[1] * (1.0 - 1e-9);
    let top = held.iter().zip(&loads).filter(|(node, _)| on_top(**node));
    let force: Vec3 = top.map(|(_, load)| solid.reaction(load.hold)).sum();
    Ok(force.y / (SIZE[0] * SIZE[2]))
}
