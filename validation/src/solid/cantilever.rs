//! Test 6: cantilever with an end load, on three meshes. Timoshenko: PL³/(3EI) + PL/(κGA).
//!
//! Linear tetrahedra are too stiff in bending by a factor of about 1 + c·h², so the stiffness
//! load/deflection reaches its asymptotic order on coarser meshes than the deflection. Both are
//! extrapolated. With 2, 4 and 8 cells through the thickness the deflection is far from its
//! asymptotic order (1.14), and only the stiffness is compared.

use crate::ValidationError;
use crate::measure::extrapolate;
use crate::outcome::{Expected, Findings};
use crate::plot::{Line, Mark, Plot, Scale};
use crate::run::{Depth, Test};
use crate::setup::{awake, elastic, run_frames, solid_at_rest, world_of};
use craze_engine::{Action, Hold, Mode, Motion, Ramp, Region};
use craze_material::Elasticity;
use craze_math::Vec3;
use craze_mesh::kuhn_box;

pub(crate) const TEST: Test = Test {
    number: 6,
    method: craze_methods::solid::KIND,
    title: "Cantilever 1×0.1×0.1, E = 1e7, ν = 0, tip load 1 N",
    source: "Timoshenko",
    conditions: "",
    measure,
};

/// Length and thickness (m).
const LENGTH: f64 = 1.0;
const THICKNESS: f64 = 0.1;
/// End load (N).
const LOAD: f64 = 1.0;
/// Analytic deflection (mm).
const ANALYTIC_DEFLECTION: f64 = 4.024;

fn measure(depth: Depth, findings: &mut Findings) -> Result<(), ValidationError> {
    let divisions = match depth {
        Depth::Quick => [2, 4, 8],
        Depth::Full => [4, 8, 16],
    };
    let mut deflections = [0.0; 3];
    for (deflection, cells) in deflections.iter_mut().zip(divisions) {
        *deflection = 1e3 * tip_deflection(cells)?;
        findings.compare(
            format!("deflection, {cells} elements through the thickness"),
            "mm",
            *deflection,
            Expected::Reported,
        );
    }
    let (known, second_order) =
        (Expected::Relative { value: ANALYTIC_DEFLECTION, tolerance: 0.02 }, Expected::AtLeast { bound: 1.6 });
    let of_deflection = match depth {
        Depth::Quick => [Expected::Reported; 2],
        Depth::Full => [known, second_order],
    };
    let (order, limit) = extrapolate(deflections);
    findings.compare("deflection, extrapolated", "mm", limit, of_deflection[0]);
    findings.compare("its order of convergence", "", order, of_deflection[1]);
    let (order, limit) = extrapolate(deflections.map(|deflection| LOAD / deflection));
    findings.compare("deflection by the extrapolated stiffness", "mm", LOAD / limit, known);
    findings.compare("order of convergence of the stiffness", "", order, second_order);
    let error = |(cells, deflection): (usize, f64)| {
        [THICKNESS / cells as f64, (ANALYTIC_DEFLECTION - deflection).abs() / ANALYTIC_DEFLECTION]
    };
    let errors: Vec<[f64; 2]> = divisions.into_iter().zip(deflections).map(error).collect();
    let second: Vec<[f64; 2]> = errors.iter().map(|[h, _]| [*h, errors[2][1] * (h / errors[2][0]).powi(2)]).collect();
    findings.plots.push(Plot {
        name: "cantilever",
        title: "Cantilever: error of the tip deflection".to_owned(),
        across: "edge (m)",
        up: "error over 4.024 mm",
        scales: [Scale::Logarithmic; 2],
        lines: vec![
            Line { label: "measured".to_owned(), mark: Mark::Dots, points: errors },
            Line { label: "second order".to_owned(), mark: Mark::Dashes, points: second },
        ],
    });
    Ok(())
}

/// Deflection (m) of the centre of the end face with `cells` cells through the thickness.
fn tip_deflection(cells: usize) -> Result<f64, ValidationError> {
    let mesh = kuhn_box([10 * cells, cells, cells], Vec3::new(LENGTH, THICKNESS, THICKNESS))?;
    let beam = solid_at_rest(mesh, elastic(1000.0, Elasticity::from_young(1e7, 0.0)), awake())?;
    let mut world = world_of(beam, craze_methods::solid::load, 1.0, Mode::QuasiStatic { steps: 1 });
    let face = |x: f64| Region::Box { from: Vec3::new(x, 0.0, 0.0), to: Vec3::new(x, THICKNESS, THICKNESS) };
    let traction = Vec3::new(0.0, -LOAD / (THICKNESS * THICKNESS), 0.0);
    for (name, region, action) in [
        ("clamp", face(0.0), Action::Move(Motion::still())),
        ("load", face(LENGTH), Action::Traction { traction, ramp: Ramp::default() }),
    ] {
        let hold = Hold { name: name.to_owned(), body: 0, region, action, release: None };
        world.add_hold(hold).ok_or_else(|| ValidationError::EmptyRegion(format!("the {name}")))?;
    }
    let middle = Vec3::new(LENGTH, 0.5 * THICKNESS, 0.5 * THICKNESS);
    let point = world.bodies[0].method.locate(&middle);
    run_frames(&mut world, 1)?;
    Ok(middle.y - world.bodies[0].method.observe(&point).0.y)
}
