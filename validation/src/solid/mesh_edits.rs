//! Test 28: random cuts, splits, flips and collapses keep the mesh valid and its volume, and the
//! thresholds of snapping are exact.

use crate::ValidationError;
use crate::outcome::{Expected, Findings};
use crate::run::{Depth, Test};
use crate::setup::JITTER;
use craze_math::{Random, Vec3};
use craze_mesh::{NodeId, Snap, TetId, TetMesh, kuhn_box, kuhn_box_jittered};

pub(crate) const TEST: Test = Test {
    number: 28,
    method: craze_methods::solid::KIND,
    title: "Random splits, flips, collapses and fractures; thresholds of snapping",
    source: "definition",
    conditions: "",
    measure,
};

fn measure(depth: Depth, findings: &mut Findings) -> Result<(), ValidationError> {
    let wanted = match depth {
        Depth::Quick => 1200,
        Depth::Full => 10_000,
    };
    random_edits(wanted, findings)?;
    // Edges of 30 mm: 5 mm are 0.17 rad, above the angle threshold. Edges of 1 m: 0.1 rad are 100
    // mm, above the distance threshold.
    for (what, edge, height, snaps) in [
        ("the crack passes a node 4.9 mm off the plane", 0.03, 0.0049, 1.0),
        ("the crack passes a node 5.1 mm off the plane", 0.03, 0.0051, 0.0),
        ("the crack passes a node 0.099 rad off the plane", 1.0, 0.099f64.sin(), 1.0),
        ("the crack passes a node 0.101 rad off the plane", 1.0, 0.101f64.sin(), 0.0),
    ] {
        let passes = passes_neighbour(edge, height)?;
        findings.compare(what, "", f64::from(u8::from(passes)), Expected::Absolute { value: snaps, tolerance: 0.0 });
    }
    Ok(())
}

fn random_edits(wanted: u32, findings: &mut Findings) -> Result<(), ValidationError> {
    let mut mesh = kuhn_box_jittered([5, 5, 5], Vec3::repeat(1.0), JITTER)?;
    let start = mesh.total_measure();
    let mut random = Random::new(28);
    let (mut done, mut cuts, mut drift, mut invalid) = (0, 0, 0.0f64, 0u32);
    for _ in 0..100 * wanted {
        let kind = random.below(8);
        let is_done = edit(&mut mesh, kind, &mut random);
        if !is_done {
            continue;
        }
        done += 1;
        cuts += u32::from(kind >= 4);
        drift = drift.max((mesh.total_measure() / start - 1.0).abs());
        if done % 50 == 0 {
            invalid += u32::from(mesh.validate().is_err());
        }
        if done >= wanted {
            break;
        }
    }
    invalid += u32::from(mesh.validate().is_err());
    let least = mesh.element_ids().map(|element| mesh.measure(element)).fold(f64::INFINITY, f64::min);
    findings.compare("edits", "", f64::from(done), Expected::AtLeast { bound: f64::from(wanted) });
    findings.compare("of these fractures", "", f64::from(cuts), Expected::AtLeast { bound: 100.0 });
    findings.compare("rest volume", "", drift, Expected::Zero { limit: 1e-9 });
    findings.compare(
        "invalid meshes (not manifold, not oriented, elements not positive or duplicate)",
        "",
        f64::from(invalid),
        Expected::Zero { limit: 0.0 },
    );
    findings.compare("volume of the smallest element", "m³", least, Expected::AtLeast { bound: f64::MIN_POSITIVE });
    Ok(())
}

fn edit(mesh: &mut TetMesh, kind: usize, random: &mut Random) -> bool {
    let element = TetId(random.below(mesh.element_count()) as u32);
    let corners = mesh.points_of(element);
    let first = random.below(4);
    let (node, other) = (corners[first], corners[(first + 1 + random.below(3)) % 4]);
    match kind {
        0 => mesh.split_edge(node, other, 0.2 + 0.6 * random.number()).is_ok(),
        1 => mesh.flip_face(element, first).is_ok(),
        2 => mesh.flip_edge(node, other).is_ok(),
        3 => mesh.collapse_edge(node, other, 0.0, 1e-12).is_ok(),
        _ => {
            let positions = mesh.positions().to_vec();
            let Ok(crack) = mesh.cut_star(node, random.direction(), &positions, Snap { distance: 0.02, angle: 0.1 })
            else {
                return false;
            };
            // Separates elements connected by a node only, as after every split of a solid.
            let points = mesh.crack_points(&crack);
            mesh.separate_at_points(&points).is_ok()
        }
    }
}

/// True if a crack at the centre of a lattice with this edge (m) passes through the next node along
/// x, at this height above the plane (m), with the paper's thresholds.
fn passes_neighbour(edge: f64, height: f64) -> Result<bool, ValidationError> {
    let mut mesh = kuhn_box([4, 4, 4], Vec3::repeat(4.0 * edge))?;
    let at = |position: Vec3| {
        let is_there = |node: &NodeId| (mesh.position(*node) - position).norm() < 1e-6 * edge;
        mesh.point_ids().find(is_there).ok_or(ValidationError::NothingMeasured("the snapping"))
    };
    let middle = Vec3::repeat(2.0 * edge);
    let (node, next) = (at(middle)?, at(middle + edge * Vec3::x())?);
    let lean = height / edge;
    let normal = Vec3::new(lean, (1.0 - lean * lean).sqrt(), 0.0);
    let positions = mesh.positions().to_vec();
    let crack = mesh
        .cut_star(node, normal, &positions, Snap::PAPER)
        .map_err(|_| ValidationError::NothingMeasured("the snapping"))?;
    Ok(mesh.crack_points(&crack).contains(&next))
}
