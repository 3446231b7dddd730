//! Test 31: the parts of a block that was cut once, twice and crosswise move independently.

use super::cut_body;
use crate::ValidationError;
use crate::outcome::{Expected, Findings};
use crate::run::{Depth, Test};
use crate::setup::{run_frames, world_of};
use craze_engine::Mode;
use craze_material::Elasticity;
use craze_math::Vec3;
use craze_mesh::kuhn_box;

pub(crate) const TEST: Test = Test {
    number: 31,
    method: craze_methods::xfem::KIND,
    title: "Block cut once, twice, crosswise; impulse on one part",
    source: "READINGS 28–31",
    conditions: "the velocity of one part is prescribed at the start",
    measure,
};

fn measure(depth: Depth, findings: &mut Findings) -> Result<(), ValidationError> {
    let cells = match depth {
        Depth::Quick => 4,
        Depth::Full => 8,
    };
    let first = [Vec3::new(0.41, 0.5, 0.5), Vec3::new(1.0, 0.1, 0.05)];
    let beside = [Vec3::new(0.47, 0.5, 0.5), Vec3::new(1.0, 0.1, 0.05)];
    let across = [Vec3::new(0.5, 0.53, 0.5), Vec3::new(0.07, 1.0, 0.11)];
    let cases: [(&str, &[[Vec3; 2]], f64); 3] =
        [("once", &[first], 2.0), ("twice", &[first, beside], 3.0), ("crosswise", &[first, across], 4.0)];
    for (name, planes, pieces) in cases {
        let mesh = kuhn_box([cells; 3], Vec3::repeat(1.0))?;
        let elements = mesh.element_count() as f64;
        let mut body = cut_body(mesh, Elasticity::from_young(1e4, 0.3), planes)?;
        let of_dof = body.pieces().to_vec();
        body.set_motion(|dof, rest| (*rest, if of_dof[dof as usize] == 0 { Vec3::x() } else { Vec3::zeros() }));
        let mut world = world_of(body, craze_methods::xfem::load, 60.0, Mode::Dynamic);
        let start = world.account();
        run_frames(&mut world, 10)?;
        let (end, frame) = (world.account(), world.frame());
        let surface = &frame.bodies[0].surface;
        let velocities = surface.vertex_attributes.vectors(craze_frame::names::VELOCITY).unwrap_or(&[]);
        let pieces_of = surface.face_attributes.indices(craze_frame::names::PIECE).unwrap_or(&[]);
        let mut fastest: f64 = 0.0;
        for (triangle, &piece) in surface.triangles.iter().zip(pieces_of) {
            if frame.bodies[0].pieces[piece as usize].id != 0 {
                fastest = triangle.iter().map(|&vertex| velocities[vertex as usize].norm()).fold(fastest, f64::max);
            }
        }
        findings.compare(
            format!("pieces, cut {name}"),
            "",
            end.pieces as f64,
            Expected::Absolute { value: pieces, tolerance: 0.0 },
        );
        findings.compare(
            format!("speed of the other parts, cut {name}"),
            "m/s",
            fastest,
            Expected::Zero { limit: 1e-10 },
        );
        let mass = Expected::Relative { value: 1000.0, tolerance: 1e-12 };
        findings.compare(format!("mass, cut {name}"), "kg", end.mass, mass);
        let count = Expected::Absolute { value: elements, tolerance: 0.0 };
        findings.compare(format!("elements, cut {name}"), "", end.elements as f64, count);
        let change = (end.momentum - start.momentum).norm() / start.momentum.norm();
        findings.compare(format!("change of momentum, cut {name}"), "", change, Expected::Zero { limit: 1e-12 });
        let dofs = 3.0 * end.nodes as f64;
        findings.compare(format!("degrees of freedom, cut {name}"), "", dofs, Expected::Reported);
    }
    Ok(())
}
