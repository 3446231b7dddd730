//! Test 6: cantilever with an end load, on three meshes, as for solids; and the same beam cut in
//! half along its length, whose halves bend as two beams.

use super::cut_body;
use crate::ValidationError;
use crate::measure::extrapolate;
use crate::outcome::{Expected, Findings};
use crate::run::{Depth, Test};
use crate::setup::{run_frames, world_of};
use craze_engine::{Action, Hold, Mode, Motion, Ramp, Region};
use craze_material::Elasticity;
use craze_math::Vec3;
use craze_mesh::kuhn_box;

pub(crate) const TEST: Test = Test {
    number: 6,
    method: craze_methods::xfem::KIND,
    title: "Cantilever 1×0.1×0.1, E = 1e7, ν = 0, tip load 1 N; whole, and cut in two along its length",
    source: "Timoshenko",
    conditions: "",
    measure,
};

/// Length and thickness (m).
const LENGTH: f64 = 1.0;
const THICKNESS: f64 = 0.1;
/// End load (N).
const LOAD: f64 = 1.0;
/// Deflection of the whole beam (mm): PL³/(3EI) + PL/(κGA).
const WHOLE: f64 = 4.024;

fn measure(depth: Depth, findings: &mut Findings) -> Result<(), ValidationError> {
    let divisions = match depth {
        Depth::Quick => [2, 4, 8],
        Depth::Full => [4, 8, 16],
    };
    let mut stiffnesses = [0.0; 3];
    for (stiffness, cells) in stiffnesses.iter_mut().zip(divisions) {
        *stiffness = 1.0 / (1e3 * tip_deflection(cells, &[])?);
    }
    let (order, limit) = extrapolate(stiffnesses);
    let known = Expected::Relative { value: WHOLE, tolerance: 0.02 };
    findings.compare("deflection by the extrapolated stiffness", "mm", 1.0 / limit, known);
    findings.compare("order of convergence of the stiffness", "", order, Expected::AtLeast { bound: 1.6 });
    // The halves have a quarter of the bending stiffness of the whole. On this mesh they are too
    // stiff, but alike whether the cut follows faces or divides elements.
    let cut = [Vec3::new(0.0, 0.5 * THICKNESS, 0.0), Vec3::y()];
    let off = [Vec3::new(0.0, 0.5 * THICKNESS + 1e-4, 0.0), Vec3::y()];
    let cells = divisions[2];
    let through_nodes = 1e3 * tip_deflection(cells, &[cut])?;
    let inside = 1e3 * tip_deflection(cells, &[off])?;
    findings.compare("cut through nodes", "mm", through_nodes, Expected::Reported);
    let same = Expected::Relative { value: through_nodes, tolerance: 0.02 };
    findings.compare("cut 0.1 mm beside the nodes", "mm", inside, same);
    Ok(())
}

/// Deflection (m) of the centre of the lower half of the end face.
fn tip_deflection(cells: usize, cuts: &[[Vec3; 2]]) -> Result<f64, ValidationError> {
    let mesh = kuhn_box([10 * cells, cells, cells], Vec3::new(LENGTH, THICKNESS, THICKNESS))?;
    let beam = cut_body(mesh, Elasticity::from_young(1e7, 0.0), cuts)?;
    let mut world = world_of(beam, craze_methods::xfem::load, 1.0, Mode::QuasiStatic { steps: 1 });
    let face = |x: f64| Region::Box { from: Vec3::new(x, 0.0, 0.0), to: Vec3::new(x, THICKNESS, THICKNESS) };
    let traction = Vec3::new(0.0, -LOAD / (THICKNESS * THICKNESS), 0.0);
    for (name, region, action) in [
        ("clamp", face(0.0), Action::Move(Motion::still())),
        ("load", face(LENGTH), Action::Traction { traction, ramp: Ramp::default() }),
    ] {
        let hold = Hold { name: name.to_owned(), body: 0, region, action, release: None };
        world.add_hold(hold).ok_or_else(|| ValidationError::EmptyRegion(format!("the {name}")))?;
    }
    let middle = Vec3::new(LENGTH, 0.25 * THICKNESS, 0.5 * THICKNESS);
    let point = world.bodies[0].method.locate(&middle);
    run_frames(&mut world, 1)?;
    Ok(middle.y - world.bodies[0].method.observe(&point).0.y)
}
