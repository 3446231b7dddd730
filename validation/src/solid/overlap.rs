//! Test 29: overlap volume of two tetrahedra, and the resulting force.

use crate::ValidationError;
use crate::outcome::{Expected, Findings};
use crate::run::{Depth, Test};
use craze_contact::collisions::overlap::OverlapRegion;
use craze_contact::solvers::penalty::{PenaltyBody, PenaltyForce, overlap_forces};
use craze_contact::{ContactMaterial, ContactTetrahedra, VolumeTree};
use craze_math::Vec3;
use craze_mesh::{TetMesh, kuhn_box};

pub(crate) const TEST: Test = Test {
    number: 29,
    method: craze_methods::solid::KIND,
    title: "Overlap of a corner tetrahedron with itself shifted by 0.5, and its force",
    source: "geometry; O'Brien & Hodgins 1999, §3.3",
    conditions: "",
    measure,
};

/// Young's modulus of both bodies (Pa); their size is that of a cube of 1 m.
const MODULUS: f64 = 1e6;

fn measure(depth: Depth, findings: &mut Findings) -> Result<(), ValidationError> {
    let corner = vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
    let shifted: Vec<Vec3> = corner.iter().map(|node| node + 0.5 * Vec3::x()).collect();
    let bodies = [Body::new(vec![[0, 1, 2, 3]], corner)?, Body::new(vec![[0, 1, 2, 3]], shifted)?];
    let regions = OverlapRegion::between(&bodies[0].tree, &bodies[1].tree);
    let region = regions.first().ok_or(ValidationError::NothingMeasured("the overlap"))?;
    let exact = |value| Expected::Relative { value, tolerance: 1e-12 };
    findings.compare("volume", "m³", region.volume, exact(1.0 / 48.0));
    let distance = (region.centroid - Vec3::new(0.625, 0.125, 0.125)).norm();
    findings.compare(
        "distance of the centroid from (0.625, 0.125, 0.125)",
        "m",
        distance,
        Expected::Zero { limit: 1e-12 },
    );

    let (force, moment) = net(&only_force(&bodies)?, &bodies);
    findings.compare("net force of both over the force", "", force, Expected::Zero { limit: 1e-12 });
    findings.compare("net moment of both over the force", "m", moment, Expected::Zero { limit: 1e-12 });

    let finest = match depth {
        Depth::Quick => 4,
        Depth::Full => 10,
    };
    let coarse = box_against_box(1, 1)?;
    for cells in 2..=finest {
        let fine = box_against_box(cells, cells + 1)?;
        let change = (fine.spring.force * fine.collision.normal - coarse.spring.force * coarse.collision.normal).norm()
            / coarse.spring.force;
        let what = format!("change of the force between boxes of {cells} and {} cells per edge", cells + 1);
        findings.compare(what, "", change, Expected::Zero { limit: 1e-9 });
    }
    Ok(())
}

/// Tetrahedra with positions.
struct Body {
    tetrahedra: Vec<[u32; 4]>,
    positions: Vec<Vec3>,
    tree: VolumeTree,
}

impl Body {
    fn new(tetrahedra: Vec<[u32; 4]>, positions: Vec<Vec3>) -> Result<Body, ValidationError> {
        let mut tree = VolumeTree::default();
        tree.follow(&ContactTetrahedra { tetrahedra: &tetrahedra, ..ContactTetrahedra::default() });
        tree.refresh(positions.iter().copied())?;
        Ok(Body { tetrahedra, positions, tree })
    }

    fn of(mesh: &TetMesh, shift: Vec3) -> Result<Body, ValidationError> {
        Body::new(mesh.elements().to_vec(), mesh.positions().iter().map(|position| position + shift).collect())
    }
}

/// The only penalty force between two bodies.
fn only_force(bodies: &[Body; 2]) -> Result<PenaltyForce, ValidationError> {
    let [first, second] = [0, 1].map(|side: usize| {
        let Body { tetrahedra, tree, .. } = &bodies[side];
        PenaltyBody {
            tree,
            matter: ContactTetrahedra {
                outer: &[],
                edge: 1.0,
                version: 0,
                tetrahedra,
                modulus: MODULUS,
                size: 1.0,
                sound: 0.0,
            },
        }
    });
    let mut found = Vec::new();
    overlap_forces(&first, &second, ContactMaterial { friction: 0.0, restitution: 0.0 }, &mut found);
    found.pop().filter(|_| found.is_empty()).ok_or(ValidationError::NothingMeasured("the overlap"))
}

/// Net force and net moment about the origin of all nodal forces, relative to the contact force.
fn net(press: &PenaltyForce, bodies: &[Body; 2]) -> (f64, f64) {
    let (mut force, mut moment) = (Vec3::zeros(), Vec3::zeros());
    for (side, sign) in [(0, 1.0), (1, -1.0)] {
        for &(node, weight) in press.collision.sides[side].as_slice() {
            let push = sign * weight * press.collision.normal;
            force += push;
            moment += bodies[side].positions[node as usize].cross(&push);
        }
    }
    (force.norm(), moment.norm())
}

/// A box at the corner of another, both with this number of cells per edge. Shifts are no multiples
/// of a cell: where an inner face of one lies in the surface of the other, the gradient of the
/// volume is undefined.
fn box_against_box(cells: usize, other_cells: usize) -> Result<PenaltyForce, ValidationError> {
    let lower = Body::of(&kuhn_box([cells; 3], Vec3::repeat(1.0))?, Vec3::zeros())?;
    let upper = Body::of(&kuhn_box([other_cells; 3], Vec3::repeat(1.0))?, Vec3::new(0.3137, 0.8291, 0.4173))?;
    only_force(&[upper, lower])
}
