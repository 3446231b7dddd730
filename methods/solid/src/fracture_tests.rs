//! Tests of fracture: invariants while a body breaks.

use crate::testing::{awake, free_step, mesh, soft};
use crate::{Integrator, Solid, SolidOptions};
use craze_engine::{Account, Attachable, CommitLog, Event, EventKind, FailureMeasure, HoldId, Method, Region, Step};
use craze_material::{Material, Strength};
use craze_math::{Isometry, Random, Vec3};
use craze_mesh::NodeId;

/// Rubber that breaks at this stress (Pa).
fn brittle(stress: f64) -> Material {
    Material { strength: Strength { tensile: Some(stress), ..Strength::default() }, ..soft() }
}

fn body(cells: [usize; 3], jitter: f64, material: Material, options: SolidOptions) -> Solid {
    let still = Vec3::zeros();
    Solid::new(mesh(cells, jitter), vec![material], options, Isometry::identity(), still, still).unwrap()
}

/// A body that spins and bursts: velocities grow outward.
fn bursting(cells: [usize; 3], stress: f64, outward: f64) -> Solid {
    let mut solid = body(cells, 0.2, brittle(stress), awake(Integrator::Symplectic));
    let places = solid.positions();
    let centre = places.iter().sum::<Vec3>() / places.len() as f64;
    let spin = Vec3::new(1.0, -2.0, 3.0);
    let velocities: Vec<Vec3> = (places.iter())
        .map(|place| Vec3::new(0.3, 0.1, -0.2) + spin.cross(&(place - centre)) + outward * (place - centre))
        .collect();
    solid.set_state(&places, &velocities);
    solid
}

/// A step of the longest stable length, halved until the prediction passes the checks, as the world
/// does.
fn advance(solid: &mut Solid) -> Step<'static> {
    let mut step = free_step(solid.time_step_limit());
    while solid.predict(&step).and_then(|()| solid.check()).is_err() {
        step.time_step *= 0.5;
        assert!(step.time_step > 1e-9, "no step is short enough");
    }
    solid.commit_motion(&step);
    step
}

fn fracture(solid: &mut Solid, step: &Step) -> Vec<Event> {
    let mut events = Vec::new();
    solid.fracture(step, &mut events);
    events
}

fn ledger(solid: &Solid) -> Account {
    solid.account(&Vec3::zeros())
}

#[test]
fn mass_volume_and_momenta_survive_thousands_of_splits() {
    let mut solid = bursting([5, 5, 5], 3e3, 6.0);
    let start = ledger(&solid);
    let size = start.angular_momentum.norm();
    let mut worst_rise = 0.0f64;
    for _ in 0..120 {
        let step = advance(&mut solid);
        let before = ledger(&solid);
        fracture(&mut solid, &step);
        let after = ledger(&solid);
        assert!((after.mass / start.mass - 1.0).abs() < 1e-12);
        assert!((after.volume / start.volume - 1.0).abs() < 1e-12);
        assert!((after.momentum - before.momentum).norm() < 1e-12 * start.momentum.norm());
        assert!((after.angular_momentum - before.angular_momentum).norm() < 1e-10 * size);
        worst_rise = worst_rise.max(after.energy() / before.energy() - 1.0);
    }
    println!(
        "{:?}, {} pieces, {} elements, energy rise {worst_rise:e}",
        solid.counts,
        ledger(&solid).pieces,
        ledger(&solid).elements
    );
    assert!(solid.counts.splits > 300 && ledger(&solid).pieces > 10);
    assert!(worst_rise < 1e-3, "{worst_rise:e}");
    solid.mesh().validate().unwrap();
    assert!(solid.time_step_limit() > 0.0);
}

#[test]
fn a_bar_with_separating_halves_breaks_between_them() {
    let mut solid = body([20, 2, 2], 0.15, brittle(3e3), awake(Integrator::Symplectic));
    let whole = solid.positions();
    // The stress between the halves is ρ·c·v = 3.6 kPa.
    let velocities: Vec<Vec3> = whole.iter().map(|place| Vec3::new(0.5 * (place.x - 1.0).signum(), 0.0, 0.0)).collect();
    solid.set_state(&whole, &velocities);
    let mut first = None;
    for _ in 0..2000 {
        let step = advance(&mut solid);
        for event in fracture(&mut solid, &step) {
            if let EventKind::Split { place, normal, measure, children, .. } = event.kind {
                assert!(matches!(measure, FailureMeasure::Stress(stress) if stress > 3e3) && !children.is_empty());
                first.get_or_insert((place, normal));
            }
        }
        let mut volumes: Vec<f64> =
            solid.frame(craze_engine::FrameDetail::Surface).pieces.iter().map(|piece| piece.volume).collect();
        volumes.sort_by(f64::total_cmp);
        if let [.., second, largest] = volumes[..]
            && second > 0.4 * 0.08
            && largest < 0.6 * 0.08
        {
            let (place, normal) = first.unwrap();
            assert!(normal.x.abs() > 0.9 && (place.x - 1.0).abs() < 0.15, "{place:?} {normal:?}");
            return;
        }
    }
    panic!("it did not break in two: {} pieces", ledger(&solid).pieces);
}

#[test]
fn a_settled_body_is_the_one_that_a_checkpoint_brings_back() {
    let mut solid = bursting([4, 4, 3], 3e3, 6.0);
    let mut twin: Option<Box<dyn Method>> = None;
    for turn in 0..120 {
        if turn % 20 == 0 {
            solid.settle();
            twin = Some(crate::load(&solid.save()).unwrap());
        }
        let twin = twin.as_mut().unwrap();
        assert_eq!(solid.time_step_limit(), twin.time_step_limit());
        let step = advance(&mut solid);
        let events = fracture(&mut solid, &step);
        twin.predict(&step).unwrap();
        twin.check().unwrap();
        let mut log = CommitLog::default();
        twin.commit(&step, &mut log);
        assert_eq!(events, log.events);
    }
    assert!(solid.counts.splits > 50);
    solid.settle();
    let mut twin = twin.unwrap();
    twin.settle();
    assert!(solid.save() == twin.save());
}

#[test]
fn the_same_splits_on_any_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut solid = bursting([6, 5, 5], 3e3, 6.0);
            for _ in 0..60 {
                let step = advance(&mut solid);
                fracture(&mut solid, &step);
            }
            solid.settle();
            solid.save()
        })
    };
    let one = run(1);
    assert!(one == run(2) && one == run(3));
}

#[test]
fn observed_points_stay_in_the_material() {
    let mut solid = bursting([4, 4, 4], 3e3, 6.0);
    let mut random = Random::new(3);
    let places: Vec<Vec3> = (0..40).map(|_| Vec3::repeat(0.2) + 0.19 * random.vector()).collect();
    let points: Vec<_> = places.iter().map(|place| solid.locate(place)).collect();
    for turn in 0..100 {
        let step = advance(&mut solid);
        let before: Vec<_> = points.iter().map(|point| solid.observe(point)).collect();
        fracture(&mut solid, &step);
        if turn % 30 == 0 {
            solid.settle();
        }
        for (point, (place, _)) in points.iter().zip(before) {
            // Elements are subdivided without displacement: positions stay.
            assert!((solid.observe(point).0 - place).norm() < 1e-12);
        }
    }
    assert!(solid.counts.splits > 50);
    for (place, tracked) in places.iter().zip(solid.tracked.iter()) {
        let corners = solid.mesh().corners(craze_mesh::TetId(tracked.element));
        let rest: Vec3 = corners.iter().zip(&tracked.weights).map(|(corner, weight)| *weight * corner).sum();
        assert!((rest - place).norm() < 1e-10);
    }
}

#[test]
fn pieces_know_what_they_broke_from() {
    let mut solid = bursting([4, 4, 4], 2e3, 6.0);
    for _ in 0..200 {
        let step = advance(&mut solid);
        for event in fracture(&mut solid, &step) {
            if let EventKind::Split { parent, children, .. } = event.kind {
                let born =
                    children.iter().all(|&child| child == parent || solid.pieces.lineage.parent(child) == Some(parent));
                assert!(born, "{parent} {children:?}");
            }
        }
    }
    let frame = solid.frame(craze_engine::FrameDetail::Surface);
    assert!(frame.pieces.len() > 5 && frame.pieces.len() == solid.mesh().pieces().count);
    // The first piece of all is the parent of others, and of none itself.
    let (first, others) = frame.pieces.split_first().unwrap();
    assert_eq!((first.id, first.parent), (0, None));
    assert!(others.iter().all(|piece| piece.parent.is_some_and(|parent| parent < piece.id)));
    let mass: f64 = frame.pieces.iter().map(|piece| piece.mass).sum();
    assert!((mass / ledger(&solid).mass - 1.0).abs() < 1e-12);
    let cracks = frame.surface.face_attributes.indices(craze_frame::names::CRACK).unwrap();
    assert!(cracks.contains(&1) && cracks.contains(&0));
}

#[test]
fn updates_after_cracks_equal_a_rebuild() {
    let mut solid = bursting([5, 5, 5], 3e3, 4.0);
    // Slivers have another law, and blocks run out of slots.
    solid.options.thinnest = 0.1;
    solid.options.splits_a_step = 20;
    let mut splits = 0;
    for turn in 0..40 {
        let step = advance(&mut solid);
        fracture(&mut solid, &step);
        if std::mem::replace(&mut splits, solid.counts.splits) == solid.counts.splits {
            continue;
        }
        if turn % 20 == 19 {
            solid.settle();
        }
        let laws = crate::laws::laws_of_elements(&solid.mesh, &solid.material_of, &solid.full_heights);
        for (element, &law) in laws.iter().enumerate() {
            let block = solid.layout.block_of(element);
            let rest = craze_element::Tetrahedron::new(&solid.mesh.corners(craze_mesh::TetId(element as u32))).unwrap();
            assert_eq!(solid.layout.law(block, element), law as usize);
            assert_eq!(solid.layout.rest(block, element).inverse_edges, rest.inverse_edges);
        }
        let anew = solid.stiffnesses.rebuilt(&solid.mesh, &solid.laws, &solid.layout, &solid.state, &solid.drag);
        let spectrum = anew.spectrum();
        assert_eq!(spectrum.quickest, solid.spectrum.quickest);
        assert_eq!(spectrum.stiffness, solid.spectrum.stiffness);
        assert_eq!(spectrum.smallest_height, solid.spectrum.smallest_height);
        let surface = crate::surface::SolidSurface::of(&solid.mesh, &solid.materials, 0);
        assert!(surface.nodes == solid.surface.nodes && surface.triangles == solid.surface.triangles);
        // A rebuilt surface identifies all nodes at one position, also those of cracks that met
        // there by chance.
        let origins = [surface.contact_triangles().origins, solid.surface.contact_triangles().origins];
        assert!(origins[1].iter().enumerate().all(|(at, &first)| origins[0][at] == origins[0][first as usize]));
        let outer = [&surface, &solid.surface].map(|surface| surface.contact_tetrahedra(&solid.mesh).outer);
        assert!(outer[0] == outer[1]);
        let followed = solid.critical_forces.clone();
        solid.compute_critical_loads();
        // Quick bounds do not exceed exact ones beyond rounding, and are not far below.
        let is_near =
            |(&quick, &exact): (&f64, &f64)| quick == exact || quick <= (1.0 + 1e-12) * exact && exact < 10.0 * quick;
        assert!(followed.iter().zip(&solid.critical_forces).all(is_near));
        solid.sum_forces().unwrap();
        let forces = |solid: &Solid| -> Vec<[f64; 4]> {
            (0..solid.state.len()).map(|node| solid.scratch.forces.of_node(&solid.layout, node)).collect()
        };
        let followed = forces(&solid);
        let largest = followed.iter().flatten().fold(0.0f64, |largest, part| largest.max(part.abs()));
        solid.layout = crate::blocks::Layout::build(
            &solid.mesh,
            &laws,
            &solid.node_islands,
            craze_body::pieces::labels(&solid.mesh),
        )
        .unwrap();
        solid.scratch.forces = crate::forces::Forces::of(&solid.layout);
        solid.scratch.chunk_reports = vec![Default::default(); solid.layout.chunks.len()];
        solid.sum_forces().unwrap();
        for (one, other) in followed.iter().flatten().zip(forces(&solid).iter().flatten()) {
            assert!((one - other).abs() < 1e-12 * largest);
        }
        let (present, of_element) = solid.pieces.present(&solid.mesh);
        let pieces = solid.mesh.pieces();
        assert_eq!(present.len(), pieces.count);
        let mut number_of = vec![u32::MAX; pieces.count];
        for (&piece, &number) in pieces.of_element.iter().zip(&of_element) {
            let known = &mut number_of[piece as usize];
            assert!(*known == u32::MAX || *known == number);
            *known = number;
        }
    }
    assert!(splits > 300, "{splits}");
}

#[test]
fn debris_is_not_detached_and_does_not_break() {
    let least = 0.02;
    let burst = |smallest_piece: f64| {
        let mut solid = bursting([5, 5, 5], 1e3, 6.0);
        solid.options.smallest_piece = smallest_piece;
        solid.pieces.smallest = smallest_piece * solid.mesh().total_measure();
        let mut volumes = std::collections::BTreeMap::new();
        for turn in 0..100 {
            let step = advance(&mut solid);
            for piece in solid.frame(craze_engine::FrameDetail::Surface).pieces {
                volumes.insert(piece.id, piece.volume);
            }
            for event in fracture(&mut solid, &step) {
                let EventKind::Split { parent, .. } = event.kind else { continue };
                assert!(volumes[&parent] > 0.999 * solid.pieces.smallest, "{parent}");
            }
            if turn % 30 == 29 {
                solid.settle();
            }
            let spared =
                |solid: &Solid| solid.critical_forces.iter().map(|pull| pull.is_infinite()).collect::<Vec<_>>();
            let followed = spared(&solid);
            solid.compute_critical_loads();
            assert!(followed == spared(&solid));
        }
        // What was connected in an edge only is separated afterwards, and may be smaller.
        let pieces = solid.frame(craze_engine::FrameDetail::Surface).pieces;
        let small = pieces.iter().filter(|piece| piece.volume < 0.999 * solid.pieces.smallest).count();
        println!("{} pieces, {small} of them small", pieces.len());
        assert!(smallest_piece == 0.0 || 10 * small <= pieces.len(), "{small} of {}", pieces.len());
        pieces.len()
    };
    let (all, few) = (burst(0.0), burst(least));
    assert!(few > 5 && 3 * few < all, "{few} of {all}");
}

#[test]
fn held_nodes_stay_held_through_splits() {
    let mut solid = body([4, 4, 4], 0.1, brittle(500.0), awake(Integrator::Symplectic));
    let region = Region::Box { from: Vec3::new(-1.0, -0.01, -1.0), to: Vec3::new(1.0, 0.01, 1.0) };
    solid.attach(HoldId(0), &region).unwrap();
    let held = solid.constraints.at(0).members.len();
    let normal = Vec3::new(1.0, 0.1, 0.0);
    let middle = |&&node: &&u32| (solid.mesh().position(NodeId(node)) - Vec3::new(0.2, 0.0, 0.2)).norm() < 0.08;
    let node = NodeId(*solid.constraints.at(0).members.iter().find(middle).unwrap());
    let pull = crate::FailureState { ratio: 2.0, measure: FailureMeasure::Stress(1e3), normal };
    solid.split_node(node, &pull).unwrap();
    solid.update_after_edits();
    assert!(solid.constraints.at(0).members.len() > held);
    let on_ground = |&node: &u32| solid.mesh().position(NodeId(node)).y.abs() < 1e-12;
    assert!(solid.constraints.at(0).members.iter().all(on_ground));
    let mut read = craze_body::ConstrainedRegions::default();
    read.read(&solid.mesh, |node| solid.layout.island_of_node(node as usize));
    let lists = |regions: &craze_body::ConstrainedRegions| (regions.at(0).members.clone(), regions.at(0).areas.clone());
    assert_eq!(lists(&solid.constraints), lists(&read));
}

#[test]
fn a_strong_body_is_left_alone() {
    let mut solid = bursting([3, 3, 3], 1e9, 3.0);
    for _ in 0..50 {
        let step = advance(&mut solid);
        assert!(fracture(&mut solid, &step).is_empty());
    }
    assert_eq!((solid.counts.splits, ledger(&solid).pieces), (0, 1));
}

#[test]
fn a_budget_bounds_the_splits_of_a_step() {
    let mut solid = bursting([4, 4, 4], 1e3, 6.0);
    solid.options.splits_a_step = 7;
    for _ in 0..30 {
        let step = advance(&mut solid);
        let splits = fracture(&mut solid, &step).len();
        assert!(splits <= 7);
    }
    assert!(solid.counts.over_budget > 3);
}

#[test]
fn nothing_breaks_between_fracture_checks() {
    let mut solid = bursting([4, 4, 4], 1e3, 6.0);
    solid.options.look_every = 1e-2;
    let mut time = 0.0;
    let mut broken_at = Vec::new();
    for _ in 0..200 {
        let mut step = advance(&mut solid);
        step.time = time;
        if !fracture(&mut solid, &step).is_empty() {
            broken_at.push(time + step.time_step);
        }
        time += step.time_step;
    }
    assert!(broken_at.len() > 1, "{broken_at:?} of {time}");
    // A fracture check happens in the first step that ends beyond a multiple of the interval.
    let looks: Vec<u64> = broken_at.iter().map(|time| (time / 1e-2) as u64).collect();
    assert!(looks.windows(2).all(|pair| pair[0] < pair[1]), "{broken_at:?}");
}

#[test]
fn around_a_crack_nothing_breaks_before_it_can_have_come_there() {
    // The whole body is overloaded at its first fracture check.
    let overloaded = |crack_speed: f64| {
        let mut solid = bursting([5, 5, 5], 1e3, 6.0);
        solid.options.crack_speed = crack_speed;
        let mut time = 0.0;
        while time < 5e-3 {
            time += advance(&mut solid).time_step;
        }
        (solid, time)
    };
    let look = |solid: &mut Solid, time: &mut f64| {
        let step = Step { time: *time, ..advance(solid) };
        *time += step.time_step;
        let split = |event: &Event| matches!(event.kind, EventKind::Split { .. });
        fracture(solid, &step).iter().filter(|event| split(event)).count()
    };
    let (mut paper, mut time) = overloaded(0.0);
    let all_at_once = look(&mut paper, &mut time);
    let (mut solid, mut time) = overloaded(0.5);
    let first = look(&mut solid, &mut time);
    assert!(first > 0 && 2 * first < all_at_once, "{first} of {all_at_once}");
    // All nodes wait until the shortest edge has been crossed.
    let edges = solid
        .mesh
        .elements()
        .iter()
        .flat_map(|corners| [(0, 1), (1, 2), (2, 3)].map(|(a, b)| [corners[a], corners[b]]));
    let lengths = edges.map(|ends| ends.map(|end| solid.mesh.position(NodeId(end)))).map(|[a, b]| (b - a).norm());
    let shortest = lengths.filter(|length| *length > 0.0).fold(f64::INFINITY, f64::min);
    let waits_until = time + 0.99 * shortest / (0.5 * solid.slowest_sound());
    let mut early = 0;
    while time + solid.time_step_limit() < waits_until {
        early += look(&mut solid, &mut time);
    }
    assert!(4 * early < first, "{early} after {first}");
}

#[test]
fn a_body_may_be_told_to_pass_through_itself() {
    let told = |touches_itself: bool| {
        let options = SolidOptions { touches_itself, ..awake(Integrator::Symplectic) };
        body([2, 2, 2], 0.0, brittle(1e3), options).collision_geometry().touches_itself
    };
    assert_eq!((told(true), told(false)), (true, false));
}
