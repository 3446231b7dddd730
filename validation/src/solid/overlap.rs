//! Test 29: the volume that two tetrahedra share, and the force that follows from it.

use crate::ValidationError;
use crate::outcome::{Expected, Findings};
use crate::run::{Depth, MethodLetter, Test};
use craze_contact::overlap::OverlapRegion;
use craze_math::Vec3;
use craze_mesh::{TetMesh, kuhn_box};

pub(crate) const TEST: Test = Test {
    number: 29,
    method: MethodLetter::Solid,
    title: "Overlap of a corner tetrahedron with itself shifted by 0.5, and its force",
    source: "geometry; O'Brien & Hodgins 1999, §3.3",
    measure,
};

/// Force a shared volume (N/m³).
const STIFFNESS: f64 = 1e6;

fn measure(depth: Depth, findings: &mut Findings) -> Result<(), ValidationError> {
    let corner = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
    let shifted = corner.map(|node| node + 0.5 * Vec3::x());
    let region = region(&[corner], &[shifted])?;
    let exact = |value| Expected::Relative { value, tolerance: 1e-12 };
    findings.compare("volume", "m³", region.volume, exact(1.0 / 48.0));
    let away = (region.centroid - Vec3::new(0.625, 0.125, 0.125)).norm();
    findings.compare("distance of the centroid from (0.625, 0.125, 0.125)", "m", away, Expected::Zero { limit: 1e-12 });

    let (force, moment) = net(&region, [&[corner], &[shifted]]);
    findings.compare("net force of both over the force", "", force, Expected::Zero { limit: 1e-12 });
    findings.compare("net moment of both over the force", "m", moment, Expected::Zero { limit: 1e-12 });

    let finest = match depth {
        Depth::Quick => 4,
        Depth::Full => 10,
    };
    let coarse = box_against_box(1, 1)?;
    for cells in 2..=finest {
        let fine = box_against_box(cells, cells + 1)?;
        let change = (fine.force(STIFFNESS) - coarse.force(STIFFNESS)).norm() / coarse.force(STIFFNESS).norm();
        let what = format!("change of the force of two boxes of {cells} and {} cells an edge", cells + 1);
        findings.compare(what, "", change, Expected::Zero { limit: 1e-9 });
    }
    Ok(())
}

fn region(first: &[[Vec3; 4]], second: &[[Vec3; 4]]) -> Result<OverlapRegion, ValidationError> {
    OverlapRegion::between(first, second)?.ok_or(ValidationError::NothingMeasured("the overlap"))
}

/// Net force and net moment about the origin of all forces on nodes, over the force of the region.
fn net(region: &OverlapRegion, groups: [&[[Vec3; 4]]; 2]) -> (f64, f64) {
    let (mut force, mut moment) = (Vec3::zeros(), Vec3::zeros());
    region.distribute(STIFFNESS, groups, |group, tetrahedron, node, push| {
        force += push;
        moment += groups[group][tetrahedron as usize][node].cross(&push);
    });
    let scale = region.force(STIFFNESS).norm();
    (force.norm() / scale, moment.norm() / scale)
}

/// A box on the corner of another, both of so many cells an edge. Shifts are no fractions of an edge: where an inner face of one lies in the
/// surface of the other, the way in which the volume grows has no single answer.
fn box_against_box(cells: usize, other_cells: usize) -> Result<OverlapRegion, ValidationError> {
    let lower = tetrahedra(&kuhn_box([cells; 3], Vec3::repeat(1.0))?, Vec3::zeros());
    let upper = tetrahedra(&kuhn_box([other_cells; 3], Vec3::repeat(1.0))?, Vec3::new(0.3137, 0.8291, 0.4173));
    region(&upper, &lower)
}

fn tetrahedra(mesh: &TetMesh, shift: Vec3) -> Vec<[Vec3; 4]> {
    mesh.element_ids().map(|element| mesh.corners(element).map(|corner| corner + shift)).collect()
}
