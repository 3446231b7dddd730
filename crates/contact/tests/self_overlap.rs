//! A body's own pieces against each other.

use craze_contact::{ContactMaterial, ContactTetrahedra, SelfOverlaps, SurfacePoint};
use craze_math::tetrahedron::volume;
use craze_math::{Rotation, Vec3, overlap};
use proptest::prelude::*;

/// Without friction, elastic.
const SMOOTH: ContactMaterial = ContactMaterial { friction: 0.0, restitution: 1.0 };

const TIME_STEP: f64 = 1e-6;
const MODULUS: f64 = 1e6;

/// A body of which every tetrahedron is outer.
#[derive(Clone, Debug)]
struct Matter {
    nodes: Vec<SurfacePoint>,
    tetrahedra: Vec<[u32; 4]>,
    version: u64,
}

impl Matter {
    fn new(places: &[Vec3], tetrahedra: Vec<[u32; 4]>) -> Matter {
        let still = Vec3::zeros();
        let node = |(dof, &start): (usize, &Vec3)| SurfacePoint {
            dof: dof as u32,
            start,
            start_velocity: still,
            end: start,
            velocity: still,
            inverse_mass: 1.0,
            radius: 0.0,
        };
        Matter { nodes: places.iter().enumerate().map(node).collect(), tetrahedra, version: 1 }
    }

    /// Impulses on all nodes (N·s), with what the search remembers.
    fn press(&self, own: &mut SelfOverlaps) -> Vec<Vec3> {
        let outer: Vec<u32> = (0..self.tetrahedra.len() as u32).collect();
        let (tetrahedra, outer) = (self.tetrahedra.as_slice(), outer.as_slice());
        let matter = ContactTetrahedra {
            version: self.version,
            tetrahedra,
            outer,
            modulus: MODULUS,
            size: 1.0,
            edge: 1.0,
            sound: 0.0,
        };
        let mut impulses = vec![Vec3::zeros(); self.nodes.len()];
        own.press(&matter, &self.nodes, TIME_STEP, SMOOTH, |node, impulse| impulses[node as usize] += impulse);
        impulses
    }

    /// Cuts a tetrahedron across its first edge into two that share no node.
    fn cut(&mut self, tetrahedron: usize) {
        let [p, q, r, s] = self.tetrahedra[tetrahedron];
        let copy = |nodes: &mut Vec<SurfacePoint>, start: Vec3, of: u32| {
            nodes.push(SurfacePoint { dof: nodes.len() as u32, start, ..nodes[of as usize] });
            nodes.len() as u32 - 1
        };
        let [at_p, at_q, at_r, at_s] = [p, q, r, s].map(|node| self.nodes[node as usize].start);
        let middle = 0.5 * (at_p + at_q);
        let nodes = &mut self.nodes;
        let [here, there] = [copy(nodes, middle, p), copy(nodes, middle, q)];
        let [other_r, other_s] = [copy(nodes, at_r, r), copy(nodes, at_s, s)];
        self.tetrahedra[tetrahedron] = [p, here, r, s];
        self.tetrahedra.push([there, q, other_r, other_s]);
        self.version += 1;
    }

    fn fresh(&self) -> Vec<Vec3> {
        self.press(&mut SelfOverlaps::default())
    }
}

/// Two tetrahedra with a face each that lie on each other: a crack that has just gone between them.
/// The upper one is shifted.
fn crack_faces(shift: Vec3) -> Matter {
    let base = [Vec3::zeros(), Vec3::x(), Vec3::z()];
    let mut places = base.to_vec();
    places.push(Vec3::new(0.3, -1.0, 0.3));
    places.extend(base.map(|place| place + shift));
    places.push(Vec3::new(0.3, 1.0, 0.3) + shift);
    Matter::new(&places, vec![[0, 1, 2, 3], [4, 6, 5, 7]])
}

#[test]
fn lips_that_lie_on_each_other_do_not_press() {
    for shift in [Vec3::zeros(), Vec3::new(0.1, 0.0, -0.05), 1e-3 * Vec3::y()] {
        assert!(crack_faces(shift).fresh().iter().all(|impulse| *impulse == Vec3::zeros()));
    }
}

#[test]
fn lips_that_are_pressed_together_part_with_the_pressure_of_their_depth() {
    let depth = 0.01;
    let matter = crack_faces(-depth * Vec3::y());
    let impulses = matter.fresh();
    let upper: Vec3 = impulses[4..].iter().sum();
    // Each is a bed as thick as an edge; they overlap in a prism, up to the second order of the
    // depth.
    let expected = 0.5 * MODULUS * (0.5 * depth) * TIME_STEP;
    assert!((upper.y / expected - 1.0).abs() < 0.05, "{} instead of {expected}", upper.y);
    assert!(upper.x.abs() + upper.z.abs() < 0.1 * upper.y);
}

#[test]
fn between_measurements_the_push_follows_the_depth() {
    let mut own = SelfOverlaps::default();
    for step in 0..40 {
        let matter = crack_faces(Vec3::new(1e-4, -1e-4, 0.0) * f64::from(step) - 0.02 * Vec3::y());
        let [followed, fresh] = [matter.press(&mut own), matter.fresh()].map(|all| all[4..].iter().sum::<Vec3>());
        // The normal is that of the last measurement.
        assert!((followed.y / fresh.y - 1.0).abs() < 0.01, "{followed:?} instead of {fresh:?}");
    }
}

#[test]
fn pushes_turn_with_what_turns() {
    let (mut own, crack_faces) = (SelfOverlaps::default(), crack_faces(-0.02 * Vec3::y()));
    for step in 0..40 {
        let turn = Rotation::from_axis_angle(&Vec3::z_axis(), 0.02 * f64::from(step));
        let places: Vec<Vec3> = crack_faces.nodes.iter().map(|node| turn * node.start).collect();
        let turned = Matter::new(&places, crack_faces.tetrahedra.clone());
        let [followed, fresh] = [turned.press(&mut own), turned.fresh()].map(|all| all[4..].iter().sum::<Vec3>());
        assert!((followed - fresh).norm() < 0.01 * fresh.norm(), "step {step}: {followed:?} instead of {fresh:?}");
    }
}

#[test]
fn pushes_have_no_net_force_and_no_net_moment() {
    let matter = crack_faces(Vec3::new(0.07, -0.02, 0.03));
    let impulses = matter.fresh();
    let size: f64 = impulses.iter().map(|impulse| impulse.norm()).sum();
    assert!(size > 0.0);
    let moment: Vec3 = matter.nodes.iter().zip(&impulses).map(|(node, impulse)| node.start.cross(impulse)).sum();
    assert!(impulses.iter().sum::<Vec3>().norm() < 1e-12 * size && moment.norm() < 1e-12 * size);
}

#[test]
fn neighbours_that_share_a_node_are_left_alone() {
    let mut matter = crack_faces(-0.1 * Vec3::y());
    matter.tetrahedra[1][0] = 0;
    assert!(matter.fresh().iter().all(|impulse| *impulse == Vec3::zeros()));
}

#[test]
fn places_that_are_no_numbers_and_nodes_that_do_not_exist_do_nothing() {
    let mut matter = crack_faces(-0.1 * Vec3::y());
    matter.nodes[2].start.x = f64::NAN;
    assert!(matter.fresh().iter().all(|impulse| *impulse == Vec3::zeros()));
    let mut matter = crack_faces(-0.1 * Vec3::y());
    matter.tetrahedra[0][1] = 99;
    assert!(matter.fresh().iter().all(|impulse| *impulse == Vec3::zeros()));
    assert!(Matter::new(&[], Vec::new()).fresh().is_empty());
}

/// Tetrahedra of about one metre in a box, none of which shares a node with another.
fn clouds() -> impl Strategy<Value = Matter> {
    let place = || prop::array::uniform3(-1.0..1.0f64).prop_map(Vec3::from);
    let tetrahedron = (place(), prop::array::uniform4(place()));
    prop::collection::vec(tetrahedron, 2..24).prop_map(|all| {
        let sound = all.iter().map(|(at, [p, q, r, s])| {
            // None is inside out.
            let corners = if volume(&[*p, *q, *r, *s]) < 0.0 { [q, p, r, s] } else { [p, q, r, s] };
            corners.map(|corner| 2.0 * at + corner)
        });
        let places: Vec<Vec3> = sound.flatten().collect();
        let tetrahedra = (0..all.len() as u32).map(|k| [4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3]).collect();
        Matter::new(&places, tetrahedra)
    })
}

/// Whether impulses are the same, but for the order in which they were summed and for how places
/// were rounded since volumes were measured.
fn are_the_same(one: &[Vec3], other: &[Vec3]) -> bool {
    let size: f64 = other.iter().map(|impulse| impulse.norm()).sum();
    // One metre deep is half a newton second.
    one.iter().zip(other).all(|(one, other)| (one - other).norm() <= 1e-9 * size + 1e-15)
}

proptest! {
    /// What is found depends on where the nodes are, not on when pairs were searched for.
    #[test]
    fn a_search_of_long_ago_finds_what_a_fresh_one_finds(
        matter in clouds(),
        ways in prop::collection::vec(prop::array::uniform3(0.03..0.05f64), 96),
        drift in prop::array::uniform3(-3.0..3.0f64),
    ) {
        let mut matter = matter;
        let mut own = SelfOverlaps::default();
        for _ in 0..5 {
            prop_assert!(are_the_same(&matter.press(&mut own), &matter.fresh()));
            for (place, (node, way)) in matter.nodes.iter_mut().zip(&ways).enumerate() {
                // Neighbours move apart by more than what volumes are followed over.
                let turn = if place % 2 == 0 { 1.0 } else { -1.0 };
                node.start += turn * Vec3::from(*way) + Vec3::from(drift);
            }
        }
    }

    /// Nor on how the mesh became what it is.
    #[test]
    fn a_search_about_cracks_finds_what_a_fresh_one_finds(
        matter in clouds(),
        way in prop::array::uniform3(0.02..0.04f64),
        cuts in prop::collection::vec(prop::collection::vec(any::<prop::sample::Index>(), 0..4), 8),
    ) {
        let mut matter = matter;
        let mut own = SelfOverlaps::default();
        // Each moves as a whole, and so do its parts: one half of them against the other.
        let mut families: Vec<usize> = (0..matter.nodes.len()).map(|node| node / 4).collect();
        for cuts in cuts {
            prop_assert!(are_the_same(&matter.press(&mut own), &matter.fresh()));
            for (node, &family) in matter.nodes.iter_mut().zip(&families) {
                let turn = if family % 2 == 0 { 1.0 } else { -1.0 };
                node.start += turn * Vec3::from(way);
            }
            // Volumes are measured before the cracks.
            matter.press(&mut own);
            for cut in cuts {
                let tetrahedron = cut.index(matter.tetrahedra.len());
                families.extend([families[matter.tetrahedra[tetrahedron][0] as usize]; 4]);
                matter.cut(tetrahedron);
            }
        }
    }

    /// No overlap worth mentioning goes unseen.
    #[test]
    fn whatever_overlaps_is_pressed(matter in clouds()) {
        let impulses = matter.fresh();
        for (k, one) in matter.tetrahedra.iter().enumerate() {
            let corners = |nodes: &[u32; 4]| nodes.map(|node| matter.nodes[node as usize].start);
            let is_met = |other: &[u32; 4]| {
                overlap::tetrahedra(&corners(one), &corners(other))
                    .is_some_and(|common| common.volume > 1e-3 && common.area_normal.norm() > 0.01)
            };
            let mut others = matter.tetrahedra.iter().enumerate().filter(|(other, _)| *other != k);
            if others.any(|(_, other)| is_met(other)) {
                prop_assert!(one.iter().any(|&node| impulses[node as usize] != Vec3::zeros()));
            }
        }
    }
}

#[test]
fn pushes_act_as_long_as_time_goes_by() {
    let matter = ContactTetrahedra { edge: 0.02, sound: 100.0, ..ContactTetrahedra::default() };
    let interval = 0.5 * 0.02 / 100.0;
    // Steps far shorter than the interval, of odd lengths; then some that are longer.
    for time_step in [0.013 * interval, 0.31 * interval, 0.77 * interval, 1.0 * interval, 2.3 * interval] {
        let (mut time, mut pushed, mut pushes) = (0.0, 0.0, 0);
        for _ in 0..2000 {
            let pulse = SelfOverlaps::pulse(&matter, time, time_step);
            assert!(pulse.is_none_or(|pulse| pulse >= interval.min(time_step)));
            pushes += usize::from(pulse.is_some());
            pushed += pulse.unwrap_or(0.0);
            time += time_step;
        }
        assert!((pushed - time).abs() <= interval, "{pushed} {time}");
        assert!(pushes as f64 <= time / interval + 2.0);
    }
    let silent = ContactTetrahedra { sound: 0.0, ..matter };
    assert_eq!(SelfOverlaps::pulse(&silent, 0.1, 1e-9), Some(1e-9));
}
