//! Known answers about motion: independence of parts, objectivity, equivalence with duplicated
//! elements.

mod equivalence;
mod fronts;

use crate::cut::{CutPlane, planar};
use crate::{MassMatrix, Xfem, XfemOptions, load};
use craze_engine::{Attachable, CommitLog, Effect, HoldId, Load, Method, QuasiStatic, Region, Step};
use craze_material::{Elasticity, Material};
use craze_math::{Isometry, Rotation, Vec3};
use craze_mesh::kuhn_box;

pub(super) const TIME_STEP: f64 = 0.01;
const YOUNG: f64 = 1e4;

pub(super) fn block(cells: usize, options: XfemOptions) -> Xfem {
    let mesh = kuhn_box([cells; 3], Vec3::repeat(1.0)).expect("a block");
    let material = Material::elastic("jelly", 1000.0, Elasticity::from_young(YOUNG, 0.3));
    Xfem::new(mesh, vec![material], options, Isometry::identity(), Vec3::zeros(), Vec3::zeros()).expect("a body")
}

pub(super) fn cut(body: &mut Xfem, point: Vec3, normal: Vec3) {
    let plane = CutPlane::new(point, normal).expect("a plane");
    let growth = planar(body.mesh(), body.enrichment(), &plane, &[], |_| true);
    body.grow(growth).expect("few parts");
}

pub(super) fn plain(loads: &[Load]) -> Step<'_> {
    Step { time: 0.0, time_step: TIME_STEP, gravity: Vec3::zeros(), loads, contacts: &[] }
}

pub(super) fn advance(body: &mut Xfem, step: &Step) {
    body.predict(step).expect("solved");
    body.check().expect("finite");
    body.commit(step, &mut CommitLog::default());
}

/// Planes close to those of validation 31: once, twice side by side, crosswise, three times.
fn families() -> Vec<Vec<[Vec3; 2]>> {
    let x = [Vec3::new(0.41, 0.5, 0.5), Vec3::new(1.0, 0.1, 0.05)];
    let beside = [Vec3::new(0.47, 0.5, 0.5), Vec3::new(1.0, 0.1, 0.05)];
    let y = [Vec3::new(0.5, 0.53, 0.5), Vec3::new(0.07, 1.0, 0.11)];
    let z = [Vec3::new(0.5, 0.5, 0.57), Vec3::new(0.13, 0.03, 1.0)];
    vec![vec![x], vec![x, beside], vec![x, y], vec![x, y, z]]
}

#[test]
fn an_impulse_on_one_part_leaves_the_others_at_rest() {
    // Validation 31.
    for mass in [MassMatrix::Consistent, MassMatrix::Diagonal] {
        for planes in families() {
            let mut body = block(4, XfemOptions { mass, ..XfemOptions::default() });
            let elements = body.mesh().element_count();
            for &[point, normal] in &planes {
                cut(&mut body, point, normal);
            }
            let numbers = body.pieces().to_vec();
            let mut pieces = numbers.clone();
            pieces.sort_unstable();
            pieces.dedup();
            let expected = [0, 2, 4, 8][planes.len()] - usize::from(planes.len() == 2 && planes[1][1] == planes[0][1]);
            assert_eq!(pieces.len(), expected);
            assert!((body.account(&Vec3::zeros()).mass - 1000.0).abs() < 1e-12 * 1000.0);
            assert_eq!(body.mesh().element_count(), elements);
            for &pushed in &pieces {
                body.set_motion(|dof, rest| {
                    let velocity =
                        if numbers[dof as usize] == pushed { Vec3::new(1.0, 2.0, -1.0) } else { Vec3::zeros() };
                    (*rest, velocity)
                });
                let before = body.account(&Vec3::zeros());
                for _ in 0..3 {
                    advance(&mut body, &plain(&[]));
                }
                let after = body.account(&Vec3::zeros());
                assert!((after.momentum - before.momentum).norm() < 1e-12 * before.momentum.norm());
                for (number, velocity) in numbers.iter().zip(body.velocities()) {
                    assert!(*number == pushed || velocity.norm() < 1e-10, "{velocity}");
                }
            }
        }
    }
}

#[test]
fn a_cut_changes_no_momentum_and_no_energy() {
    for mass in [MassMatrix::Consistent, MassMatrix::Diagonal] {
        let mut body = block(3, XfemOptions { mass, ..XfemOptions::default() });
        body.set_motion(|_, rest| (rest + 0.05 * rest.component_mul(rest), Vec3::new(1.0, rest.x, -rest.y)));
        for planes in families() {
            for [point, normal] in planes {
                let before = body.account(&Vec3::y());
                cut(&mut body, point, normal);
                let after = body.account(&Vec3::y());
                assert!((before.momentum - after.momentum).norm() < 1e-12 * before.momentum.norm());
                assert!((before.elastic - after.elastic).abs() < 1e-5 * before.elastic);
                if mass == MassMatrix::Consistent {
                    let angular = before.angular_momentum - after.angular_momentum;
                    assert!(angular.norm() < 1e-10 * before.angular_momentum.norm(), "{}", angular.norm());
                    assert!((before.kinetic - after.kinetic).abs() < 1e-10 * before.kinetic);
                }
            }
        }
    }
}

#[test]
fn sides_that_are_rotated_differently_feel_no_force() {
    // Validation 2.
    let mut body = block(3, XfemOptions::default());
    cut(&mut body, Vec3::new(0.41, 0.5, 0.5), Vec3::new(1.0, 0.1, 0.05));
    let numbers = body.pieces().to_vec();
    let rotations =
        [Rotation::from_axis_angle(&Vec3::x_axis(), 1.57), Rotation::from_axis_angle(&Vec3::z_axis(), -1.57)];
    body.set_motion(|dof, rest| {
        let piece = numbers[dof as usize] as usize;
        (rotations[piece] * rest + piece as f64 * Vec3::repeat(3.0), Vec3::zeros())
    });
    advance(&mut body, &plain(&[]));
    let fastest = body.velocities().iter().map(|velocity| velocity.norm()).fold(0.0, f64::max);
    // A force of 1e-10·E·A would give a node of the lattice, 1000/64 kg, this speed.
    assert!(fastest < 1e-10 * YOUNG * TIME_STEP * 64.0 / 1000.0, "{fastest}");
}

#[test]
fn a_block_in_free_fall_falls_by_the_integrator() {
    let mut body = block(3, XfemOptions::default());
    cut(&mut body, Vec3::new(0.41, 0.5, 0.5), Vec3::new(1.0, 0.1, 0.05));
    let step = Step { gravity: Vec3::new(0.0, -9.81, 0.0), ..plain(&[]) };
    let start = body.positions().to_vec();
    for _ in 0..10 {
        advance(&mut body, &step);
    }
    let fallen = 9.81 * TIME_STEP * TIME_STEP * (1..=10).sum::<i32>() as f64;
    for (start, end) in start.iter().zip(body.positions()) {
        assert!((start - end - fallen * Vec3::y()).norm() < 1e-10);
    }
}

/// The lower end is held, the upper one pulled by a force (N).
fn pulled(body: &mut Xfem, force: Vec3) -> [Load; 2] {
    let low = Region::HalfSpace { point: Vec3::new(0.0, 1e-3, 0.0), normal: -Vec3::y() };
    let high = Region::HalfSpace { point: Vec3::new(0.0, 0.999, 0.0), normal: Vec3::y() };
    body.attach(HoldId(0), &low).expect("nodes below");
    body.attach(HoldId(1), &high).expect("nodes above");
    [
        Load { hold: HoldId(0), effect: Effect::Place(Isometry::identity()) },
        Load { hold: HoldId(1), effect: Effect::Force(force) },
    ]
}

#[test]
fn holds_carry_the_load_in_steps_and_in_equilibrium() {
    let mut body = block(2, XfemOptions::default());
    cut(&mut body, Vec3::new(0.41, 0.5, 0.5), Vec3::new(1.0, 0.1, 0.05));
    let loads = pulled(&mut body, Vec3::new(0.0, 50.0, 0.0));
    body.balance(&plain(&loads)).expect("equilibrium");
    assert!((body.reaction(HoldId(0)) + 50.0 * Vec3::y()).norm() < 1e-6, "{}", body.reaction(HoldId(0)));
    let account = body.account(&Vec3::zeros());
    assert!((account.work - account.elastic).abs() < 0.02 * account.elastic, "{} {}", account.work, account.elastic);
    // A step from equilibrium stays there.
    let before = body.positions().to_vec();
    advance(&mut body, &plain(&loads));
    let moved = before.iter().zip(body.positions()).map(|(one, other)| (one - other).norm()).fold(0.0, f64::max);
    assert!(moved < 1e-9, "{moved}");
    assert!((body.reaction(HoldId(0)) + 50.0 * Vec3::y()).norm() < 1e-5);
}

#[test]
fn a_loaded_body_goes_on_with_the_same_bits() {
    let mut body = block(2, XfemOptions::default());
    cut(&mut body, Vec3::new(0.41, 0.5, 0.5), Vec3::new(1.0, 0.1, 0.05));
    cut(&mut body, Vec3::new(0.5, 0.53, 0.5), Vec3::new(0.07, 1.0, 0.11));
    let loads = pulled(&mut body, Vec3::new(3.0, 5.0, 0.0));
    let point = body.locate(&Vec3::repeat(0.7));
    let step = Step { gravity: Vec3::new(0.0, -9.81, 0.0), ..plain(&loads) };
    for _ in 0..3 {
        advance(&mut body, &step);
    }
    let bytes = body.save();
    let mut copy = load(&bytes).expect("sound");
    assert_eq!(copy.save(), bytes);
    for _ in 0..3 {
        advance(&mut body, &step);
        copy.predict(&step).expect("solved");
        copy.commit(&step, &mut CommitLog::default());
    }
    assert_eq!(copy.save(), body.save());
    assert_eq!(copy.account(&step.gravity), body.account(&step.gravity));
    assert_eq!(copy.observe(&point), body.observe(&point));
    assert_eq!(copy.frame(craze_engine::FrameDetail::Volume), body.frame(craze_engine::FrameDetail::Volume));
    for length in [0, 1, 10, bytes.len() / 2, bytes.len() - 1] {
        assert!(load(&bytes[..length]).is_err());
    }
}

#[test]
fn the_surface_of_every_part_is_closed() {
    for planes in families() {
        let mut body = block(3, XfemOptions::default());
        for &[point, normal] in &planes {
            cut(&mut body, point, normal);
        }
        check_closed(&body);
    }
    // Through nodes, edges and faces; with a front inside the body; a partial cut across another.
    let mut body = block(4, XfemOptions::default());
    cut(&mut body, Vec3::repeat(0.5), Vec3::x());
    cut(&mut body, Vec3::repeat(0.5), Vec3::new(1.0, 1.0, 0.0));
    check_closed(&body);
    let mut body = block(4, XfemOptions::default());
    for (normal, front) in [(Vec3::new(1.0, 0.1, 0.05), 0.6), (Vec3::new(0.1, 0.3, 1.0), 0.7)] {
        let plane = CutPlane::new(Vec3::repeat(0.47), normal).expect("a plane");
        let growth = planar(body.mesh(), body.enrichment(), &plane, &[], |center| center.y < front);
        body.grow(growth).expect("few parts");
        check_closed(&body);
    }
}

/// Edges of the surface that do not have a triangle on either side.
pub(super) fn open_edges(body: &Xfem) -> usize {
    let surface = body.frame(craze_engine::FrameDetail::Surface).surface;
    let edges = |[a, b, c]: &[u32; 3]| [[*a, *b], [*b, *c], [*c, *a]];
    let mut edges: Vec<[u32; 2]> = surface.triangles.iter().flat_map(edges).collect();
    let mut reversed: Vec<[u32; 2]> = edges.iter().map(|[from, to]| [*to, *from]).collect();
    edges.sort_unstable();
    reversed.sort_unstable();
    edges.iter().zip(&reversed).filter(|(edge, reversed)| edge != reversed).count()
}

fn check_closed(body: &Xfem) {
    let frame = body.frame(craze_engine::FrameDetail::Surface);
    let surface = &frame.surface;
    assert_eq!(open_edges(body), 0);
    let (mut volume, mut shares) = (0.0, std::collections::BTreeMap::new());
    let pieces = surface.face_attributes.indices(craze_frame::names::PIECE).expect("pieces");
    for (triangle, piece) in surface.triangles.iter().zip(pieces) {
        let [a, b, c] = triangle.map(|vertex| surface.positions[vertex as usize]);
        let own = a.dot(&b.cross(&c)) / 6.0;
        volume += own;
        *shares.entry(*piece).or_insert(0.0) += own;
    }
    assert!((volume - 1.0).abs() < 1e-9, "{volume}");
    for (piece, share) in shares {
        assert!((frame.pieces[piece as usize].volume - share).abs() < 1e-9, "piece {piece}");
    }
}
