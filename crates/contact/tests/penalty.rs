//! Penalty forces between bodies of tetrahedra: balanced, and the volume's the same on every mesh.

use craze_contact::collisions::overlap::OverlapRegion;
use craze_contact::solvers::penalty::{PenaltyBody, PenaltyForce, node_forces, overlap_forces};
use craze_contact::{ContactMaterial, ContactTetrahedra, Stencil, SurfacePoint, VolumeTree};
use craze_math::{Isometry, Vec3};
use craze_mesh::kuhn_box;
use proptest::prelude::*;

/// A body at rest: its tetrahedra, and where its nodes are.
struct Block {
    tetrahedra: Vec<[u32; 4]>,
    places: Vec<Vec3>,
    tree: VolumeTree,
}

impl Block {
    fn new(cells: [usize; 3], size: Vec3, place: &Isometry) -> Block {
        let mesh = kuhn_box(cells, size).expect("a box");
        let places = mesh.positions().iter().map(|point| place.transform_point(&(*point).into()).coords).collect();
        Block::of(mesh.elements().to_vec(), places)
    }

    fn of(tetrahedra: Vec<[u32; 4]>, places: Vec<Vec3>) -> Block {
        let mut tree = VolumeTree::default();
        tree.follow(&ContactTetrahedra { version: 1, tetrahedra: &tetrahedra, ..ContactTetrahedra::default() });
        tree.refresh(places.iter().copied()).expect("sound nodes");
        Block { tetrahedra, places, tree }
    }

    fn pressed(&self) -> PenaltyBody<'_> {
        let matter = ContactTetrahedra {
            version: 1,
            tetrahedra: &self.tetrahedra,
            modulus: 1e6,
            size: 0.5,
            outer: &[],
            edge: 1.0,
            sound: 0.0,
        };
        PenaltyBody { tree: &self.tree, matter }
    }

    fn points(&self, velocity: Vec3) -> Vec<SurfacePoint> {
        let point = |(dof, &start): (usize, &Vec3)| SurfacePoint {
            dof: dof as u32,
            start,
            start_velocity: velocity,
            end: start + 1e-6 * velocity,
            velocity,
            inverse_mass: 10.0,
            radius: 0.0,
        };
        self.places.iter().enumerate().map(point).collect()
    }
}

fn presses(first: &Block, second: &Block) -> [Vec<PenaltyForce>; 2] {
    presses_of(first, second, ContactMaterial { friction: 0.4, restitution: 0.5 })
}

fn presses_of(first: &Block, second: &Block, material: ContactMaterial) -> [Vec<PenaltyForce>; 2] {
    let mut found = [Vec::new(), Vec::new()];
    node_forces(&first.pressed(), &second.pressed(), material, &mut found[0]);
    overlap_forces(&first.pressed(), &second.pressed(), material, &mut found[1]);
    found
}

/// Largest net force and net moment about the origin of a press with friction, in units of the
/// press.
fn imbalance(press: &PenaltyForce, bodies: [&Block; 2]) -> f64 {
    let points = [bodies[0].points(Vec3::new(0.3, -0.2, 0.1)), bodies[1].points(Vec3::zeros())];
    let impulse = press.impulse([&points[0], &points[1]], 1e-6);
    let (mut force, mut moment) = (Vec3::zeros(), Vec3::zeros());
    for (side, sign) in [(0, 1.0), (1, -1.0)] {
        for &(node, weight) in press.collision.sides[side].as_slice() {
            force += sign * weight * impulse;
            moment += bodies[side].places[node as usize].cross(&(sign * weight * impulse));
        }
    }
    assert!(impulse.norm() > 0.0);
    force.norm().max(moment.norm()) / impulse.norm()
}

#[test]
fn net_force_and_moment_vanish() {
    let place = Isometry::new(Vec3::new(0.31, 0.83, 0.42), Vec3::new(0.2, -0.3, 0.1));
    let lower = Block::new([2; 3], Vec3::repeat(1.0), &Isometry::identity());
    let upper = Block::new([3; 3], Vec3::repeat(1.0), &place);
    let found = presses(&upper, &lower);
    assert_eq!(found[1].len(), 1);
    assert!(found[1][0].collision.normal.y > 0.5, "the upper one is pushed up, {}", found[1][0].collision.normal);
    for found in found {
        assert!(!found.is_empty());
        for press in &found {
            let left = imbalance(press, [&upper, &lower]);
            assert!(left < 1e-12, "{left:e} {press:?}");
        }
    }
}

#[test]
fn a_finer_mesh_feels_the_same_force_of_the_volume() {
    let force = |cells: usize, other: usize| {
        let lower = Block::new([cells; 3], Vec3::repeat(1.0), &Isometry::identity());
        let upper = Block::new([other; 3], Vec3::repeat(1.0), &Isometry::translation(0.3137, 0.8291, 0.4173));
        let [_, found] = presses(&upper, &lower);
        assert_eq!(found.len(), 1, "one region");
        found[0].clone()
    };
    let coarse = force(1, 1);
    for cells in 2..5 {
        let fine = force(cells, cells + 1);
        assert!((fine.spring.force / coarse.spring.force - 1.0).abs() < 1e-9);
        assert!((fine.spring.stiffness / coarse.spring.stiffness - 1.0).abs() < 1e-9);
        assert!(
            (fine.collision.normal - coarse.collision.normal).norm() < 1e-9
                && (fine.collision.point - coarse.collision.point).norm() < 1e-9
        );
    }
}

#[test]
fn a_clamp_presses_on_both_sides() {
    // Two jaws of one body, 10 mm apart, around a plate of 12 mm.
    let jaw = |height: f64| {
        let mesh = kuhn_box([2, 1, 2], Vec3::new(0.1, 0.02, 0.1)).expect("a box");
        let places: Vec<Vec3> = mesh.positions().iter().map(|p| p + Vec3::new(0.003, height, 0.007)).collect();
        (mesh.elements().to_vec(), places)
    };
    let ((mut tetrahedra, mut places), (others, more)) = (jaw(0.01), jaw(-0.02));
    let shift = places.len() as u32;
    tetrahedra.extend(others.iter().map(|nodes| nodes.map(|node| node + shift)));
    places.extend(more);
    let clamp = Block::of(tetrahedra, places);
    // One tetrahedron spans the plate from face to face.
    let plate = Block::new([1; 3], Vec3::new(0.1, 0.012, 0.1), &Isometry::translation(0.0, -0.001, 0.0));
    let regions = OverlapRegion::between(&plate.tree, &clamp.tree);
    assert_eq!(regions.len(), 2);
    let ways: Vec<f64> = regions.iter().map(|region| region.separation_normal().expect("a way").y).collect();
    assert!(ways[0] * ways[1] < -0.5, "{ways:?}");
    assert!((regions[0].volume / regions[1].volume - 1.0).abs() < 1e-9, "1 mm above and below");
}

#[test]
fn a_node_is_pushed_by_its_depth_along_the_normal_of_the_face() {
    let lower = Block::new([2, 2, 2], Vec3::repeat(1.0), &Isometry::identity());
    let tip = [Vec3::new(0.4, 0.99, 0.3), Vec3::new(0.3, 1.5, 0.2), Vec3::new(0.6, 1.5, 0.2), Vec3::new(0.4, 1.5, 0.6)];
    let upper = Block::of(vec![[0, 1, 2, 3]], tip.to_vec());
    let [found, _] = presses(&upper, &lower);
    assert_eq!(found.len(), 1);
    let press = &found[0];
    assert_eq!(press.collision.sides[0].as_slice(), [(0, 1.0)]);
    assert!((press.collision.normal - Vec3::y()).norm() < 1e-12);
    assert!(
        (press.spring.force - 0.01 * press.spring.stiffness).abs() < 1e-9 * press.spring.force,
        "a centimetre deep"
    );
    let place: Vec3 =
        press.collision.sides[1].as_slice().iter().map(|&(node, weight)| weight * lower.places[node as usize]).sum();
    assert!((place - tip[0]).norm() < 1e-14);
}

#[test]
fn restitution_friction_and_short_steps_bound_the_impulse() {
    // The lower one reaches beyond the upper one on all sides: the normal is straight.
    let lower = Block::new([2; 3], Vec3::new(2.0, 1.0, 2.0), &Isometry::identity());
    let upper = Block::new([2; 3], Vec3::repeat(1.0), &Isometry::translation(0.313, 0.99, 0.417));
    let [_, found] = presses(&upper, &lower);
    let press = &found[0];
    let below = lower.points(Vec3::zeros());
    let impulse = |velocity: Vec3, time_step: f64, friction: f64, restitution: f64| {
        let [_, found] = presses_of(&upper, &lower, ContactMaterial { friction, restitution });
        found[0].impulse([&upper.points(velocity), &below], time_step)
    };
    let entering = impulse(Vec3::new(0.0, -1.0, 0.0), 1e-6, 0.0, 0.5);
    let leaving = impulse(Vec3::new(0.0, 1.0, 0.0), 1e-6, 0.0, 0.5);
    assert!((entering - 1e-6 * press.spring.force * press.collision.normal).norm() < 1e-12 * entering.norm());
    assert!((leaving - 0.25 * entering).norm() < 1e-12 * entering.norm());
    let sliding = impulse(Vec3::new(2.0, 0.0, 0.0), 1e-6, 0.3, 0.0);
    assert!((sliding.x + 0.3 * sliding.y).abs() < 1e-9 * sliding.norm(), "{sliding}");
    let crawling = impulse(Vec3::new(1e-9, 0.0, 0.0), 1e-6, 0.3, 0.0);
    assert!(crawling.x.abs() < 0.1 * crawling.y, "friction stops, and does not turn round");
    let long = impulse(Vec3::zeros(), 1.0, 0.0, 0.0);
    let mobility: f64 =
        press.collision.sides.iter().flat_map(Stencil::as_slice).map(|(_, weight)| 10.0 * weight * weight).sum();
    let depth = press.spring.force / press.spring.stiffness;
    assert!(long.norm() * mobility <= 0.3 * depth, "a long step takes it no farther than a quarter of the way out");
}

#[test]
fn bodies_that_only_touch_or_are_apart_do_not_press() {
    let lower = Block::new([2; 3], Vec3::repeat(1.0), &Isometry::identity());
    for height in [1.0, 1.5] {
        let upper = Block::new([2; 3], Vec3::repeat(1.0), &Isometry::translation(0.3, height, 0.1));
        let [by_nodes, by_volume] = presses(&upper, &lower);
        assert!(by_volume.is_empty());
        assert!(by_nodes.iter().all(|press| press.spring.force < 1e-9), "nothing but rounding");
    }
    let empty = Block::of(Vec::new(), Vec::new());
    assert!(presses(&empty, &lower).iter().all(Vec::is_empty));
}

#[test]
fn nodes_that_do_not_exist_or_are_no_numbers_are_refused() {
    let mut tree = VolumeTree::default();
    tree.follow(&ContactTetrahedra { version: 1, tetrahedra: &[[0, 1, 2, 7]], ..ContactTetrahedra::default() });
    assert!(tree.refresh([Vec3::zeros(); 4].into_iter()).is_err());
    tree.follow(&ContactTetrahedra { version: 2, tetrahedra: &[[0, 1, 2, 3]], ..ContactTetrahedra::default() });
    assert!(tree.refresh([Vec3::repeat(f64::NAN); 4].into_iter()).is_err());
}

proptest! {
    #[test]
    fn a_place_is_held_where_brute_force_finds_it(x in -0.1..1.1f64, y in -0.1..1.1f64, z in -0.1..1.1f64) {
        let block = Block::new([3; 3], Vec3::repeat(1.0), &Isometry::identity());
        let place = Vec3::new(x, y, z);
        let inside = (0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&y) && (0.0..=1.0).contains(&z);
        let held = block.tree.holding(&place);
        prop_assert_eq!(held.is_some(), inside);
        if let Some((tetrahedron, weights)) = held {
            let corners = block.tree.corners(tetrahedron);
            let back: Vec3 = (0..4).map(|k| weights[k] * corners[k]).sum();
            prop_assert!((back - place).norm() < 1e-12);
            let (nearest, _) = block.tree.nearest_outside(&place).expect("a surface");
            let depth = x.min(1.0 - x).min(y.min(1.0 - y)).min(z.min(1.0 - z));
            prop_assert!((nearest.distance_squared.sqrt() - depth).abs() < 1e-12);
        }
    }
}
