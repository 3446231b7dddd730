use crate::testing::{TIME_STEP, awake, block, material, plain_step};
use crate::{Clustering, Clusters, Options};
use craze_engine::{CommitLog, FrameDetail, Method, Step};
use craze_frame::{BodyFrame, is_manifold, names};
use craze_math::{DisjointSets, Isometry, Vec3};
use proptest::prelude::*;

/// Cubes of six tetrahedra around a block of particles: corner of the box, and cells along the
/// axes.
fn cubes(counts: [u32; 3]) -> (Vec<Vec3>, Vec<[u32; 4]>) {
    let number = |[x, y, z]: [u32; 3]| (z * (counts[1] + 1) + y) * (counts[0] + 1) + x;
    let (mut positions, mut tetrahedra) = (Vec::new(), Vec::new());
    for (z, y, x) in all(counts.map(|count| count + 1)) {
        positions.push(0.1 * Vec3::new(f64::from(x), f64::from(y), f64::from(z)).add_scalar(-0.5));
    }
    for (z, y, x) in all(counts) {
        for [one, two, odd] in [[0, 1, 0], [1, 0, 1], [1, 2, 0], [2, 1, 1], [2, 0, 0], [0, 2, 1]] {
            let mut way = [[x, y, z]; 4];
            way[1][one] += 1;
            way[2][one] += 1;
            way[2][two] += 1;
            way[3] = [x + 1, y + 1, z + 1];
            way.swap(2, 2 + odd);
            tetrahedra.push(way.map(number));
        }
    }
    (positions, tetrahedra)
}

fn all([nx, ny, nz]: [u32; 3]) -> impl Iterator<Item = (u32, u32, u32)> {
    (0..nz).flat_map(move |z| (0..ny).flat_map(move |y| (0..nx).map(move |x| (z, y, x))))
}

/// A bar of 13 × 5 × 5 particles that is stretched by so many of its lengths per second.
fn bar(toughness: f64, yield_strain: Option<f64>, speed: f64) -> Clusters {
    let mut material = material(0.8);
    material.cluster.toughness = Some(toughness);
    material.cluster.yield_strain = yield_strain;
    material.cluster.flow = 0.3;
    let clustering = Clustering::Count { count: 14, overlap: 3.0, seed: 1 };
    let options = Options { clustering, strain_limit: Some(0.5), ..awake() };
    let still = Vec3::zeros();
    let mut body = Clusters::new(block([13, 5, 5]), &material, options, &Isometry::identity(), still, still).unwrap();
    let (positions, tetrahedra) = cubes([13, 5, 5]);
    body.set_skin(positions, tetrahedra).unwrap();
    body.set_motion(|rest| (*rest, Vec3::new(speed * (rest.x - 0.6), 0.3 * rest.z, -0.2 * rest.y))).unwrap();
    body
}

fn steps(body: &mut dyn Method, range: std::ops::Range<u32>) {
    for index in range {
        let step = Step { time: TIME_STEP * f64::from(index), ..plain_step() };
        body.predict(&step).unwrap();
        body.commit(&step, &mut CommitLog::default());
        body.settle();
    }
}

/// The same bar in a source surface of twelve triangles.
fn drawn_bar(toughness: f64, yield_strain: Option<f64>, speed: f64) -> Clusters {
    let mut body = bar(toughness, yield_strain, speed);
    let corner = |number: u32| Vec3::new(f64::from(number & 1), f64::from(number >> 1 & 1), f64::from(number >> 2));
    let place = |number: u32| 0.1 * corner(number).component_mul(&Vec3::new(13.0, 5.0, 5.0)).add_scalar(-0.5);
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    body.set_drawn_skin((0..8).map(place).collect(), triangles).unwrap();
    body
}

/// Checks that the surface of every piece is closed and bounds one body, that no triangle joins two
/// pieces, and that rest volumes sum to the whole; returns them.
fn sound_volumes(frame: &BodyFrame) -> Vec<f64> {
    let surface = &frame.surface;
    let rest = surface.vertex_attributes.vectors(names::REST).unwrap();
    assert!(is_manifold(&surface.triangles));
    let mut sets = DisjointSets::new(rest.len());
    for &[a, b, c] in &surface.triangles {
        sets.join(a, b);
        sets.join(a, c);
    }
    let mut piece_of = vec![None; rest.len()];
    let mut shells = vec![0.0; rest.len()];
    let mut volumes = vec![0.0; frame.pieces.len()];
    for (triangle, &[a, b, c]) in surface.triangles.iter().enumerate() {
        let piece = surface.piece_of(triangle);
        let known = piece_of[sets.root(a) as usize].get_or_insert(piece);
        assert_eq!(*known, piece, "what hangs together is one piece");
        let [a, b, c] = [a, b, c].map(|vertex| rest[vertex as usize]);
        let share = a.dot(&b.cross(&c)) / 6.0;
        volumes[piece as usize] += share;
        shells[sets.root(surface.triangles[triangle][0]) as usize] += share;
    }
    let whole = 0.1 * 0.1 * 0.1 * f64::from(13 * 5 * 5);
    assert!((volumes.iter().sum::<f64>() / whole - 1.0).abs() < 1e-9);
    assert!(volumes.iter().all(|volume| *volume > 0.0), "{volumes:?}");
    // Cracks that open nowhere, and cavities, have no or negative volume.
    let mut outsides = vec![0; volumes.len()];
    for (shell, piece) in shells.iter().zip(&piece_of).filter(|(shell, _)| **shell > 1e-9 * whole) {
        outsides[piece.unwrap() as usize] += 1;
        assert!(*shell > 0.0);
    }
    assert!(outsides.iter().all(|count| *count == 1), "bodies of each piece: {outsides:?}");
    volumes
}

#[test]
fn the_skin_of_a_whole_body_is_its_outside_and_moves_with_it() {
    let mut body = bar(50.0, None, 0.0);
    let motion = Isometry::new(Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.0, 3.0, 0.5));
    body.set_motion(|rest| (motion.transform_point(&(*rest).into()).coords, Vec3::zeros())).unwrap();
    let frame = body.frame(FrameDetail::Surface);
    assert_eq!(frame.surface.triangles.len(), 2 * (2 * 13 * 5 + 2 * 13 * 5 + 2 * 5 * 5));
    assert_eq!(sound_volumes(&frame).len(), 1);
    let rest = frame.surface.vertex_attributes.vectors(names::REST).unwrap();
    for (rest, position) in rest.iter().zip(&frame.surface.positions) {
        assert!((motion.transform_point(&(*rest).into()).coords - position).norm() < 1e-12);
    }
    assert_eq!(craze_frame::Frame { bodies: vec![frame], ..Default::default() }.check(), Ok(()));
}

#[test]
fn one_split_cuts_the_skin_along_its_plane() {
    let mut material = material(0.8);
    material.cluster.toughness = Some(1.1);
    let (place, still) = (Isometry::identity(), Vec3::zeros());
    let mut whole = Clusters::new(block([13, 5, 5]), &material, awake(), &place, still, still).unwrap();
    let turn = Isometry::rotation(Vec3::z());
    let (positions, tetrahedra) = cubes([13, 5, 5]);
    whole.set_skin(positions, tetrahedra).unwrap();
    let stretched = |rest: &Vec3| turn * Vec3::new(1.3 * rest.x, rest.y, rest.z);
    whole.set_motion(|rest| (stretched(rest), Vec3::zeros())).unwrap();
    whole.fracture(&plain_step(), &mut Vec::new());
    let frame = whole.frame(FrameDetail::Surface);
    assert_eq!(sound_volumes(&frame).len(), 2);
    let rest = frame.surface.vertex_attributes.vectors(names::REST).unwrap();
    for (triangle, corners) in
        frame.surface.triangles.iter().enumerate().filter(|(one, _)| frame.surface.is_crack(*one))
    {
        assert!(corners.iter().all(|&vertex| (rest[vertex as usize].x - 0.6).abs() < 0.03), "{triangle}");
    }
    assert!((0..frame.surface.triangles.len()).any(|triangle| frame.surface.is_crack(triangle)));
}

#[test]
fn whatever_tears_and_flows_every_piece_has_a_closed_surface() {
    for (toughness, yield_strain, speed) in [(1.1, Some(0.05), 8.0), (1.05, None, 12.0), (1.02, Some(0.02), 20.0)] {
        let mut body = bar(toughness, yield_strain, speed);
        for round in 0..6 {
            steps(&mut body, 8 * round..8 * round + 8);
            sound_volumes(&body.frame(FrameDetail::Surface));
        }
        assert!(body.piece_count() > 2);
    }
}

#[test]
fn the_skin_has_the_same_bits_on_any_threads_and_after_a_restart() {
    let run = |threads: usize, restart: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut body: Box<dyn Method> = Box::new(bar(1.05, Some(0.05), 10.0));
            steps(&mut *body, 0..12);
            if restart {
                body = crate::load(&body.save()).unwrap();
            }
            steps(&mut *body, 12..24);
            body.frame(FrameDetail::Surface)
        })
    };
    let one = run(1, false);
    assert!(one.pieces.len() > 1);
    assert!(one == run(2, true) && one == run(3, false));
}

#[test]
fn whatever_tears_a_drawn_surface_is_cut_and_keeps_its_triangles() {
    for (toughness, yield_strain, speed) in [(1.1, Some(0.05), 8.0), (1.05, None, 12.0), (1.02, Some(0.02), 20.0)] {
        let mut body = drawn_bar(toughness, yield_strain, speed);
        for round in 0..6 {
            steps(&mut body, 8 * round..8 * round + 8);
            let frame = body.frame(FrameDetail::Surface);
            sound_volumes(&frame);
            let surface = &frame.surface;
            let rest = surface.vertex_attributes.vectors(names::REST).unwrap();
            let sources = surface.face_attributes.indices(names::SOURCE).unwrap();
            for (triangle, corners) in surface.triangles.iter().enumerate() {
                // Two triangles per face of the box: the first two have the least z.
                if !surface.is_crack(triangle) && sources[triangle] < 2 {
                    assert!(corners.iter().all(|&vertex| (rest[vertex as usize].z + 0.05).abs() < 1e-12));
                }
            }
        }
        assert!(body.piece_count() > 2);
    }
}

#[test]
fn a_drawn_skin_has_the_same_bits_on_any_threads_and_after_a_restart() {
    let run = |threads: usize, restart: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut body: Box<dyn Method> = Box::new(drawn_bar(1.05, Some(0.05), 10.0));
            steps(&mut *body, 0..12);
            if restart {
                body = crate::load(&body.save()).unwrap();
            }
            steps(&mut *body, 12..24);
            body.frame(FrameDetail::Surface)
        })
    };
    let one = run(1, false);
    assert!(one.pieces.len() > 1);
    assert!(one == run(2, true));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn each_piece_of_the_skin_of_random_bars_is_one_body(
        toughness in 1.01f64..1.3, flows in any::<bool>(), speed in 3.0f64..30.0, rounds in 1u32..5,
    ) {
        let mut body = bar(toughness, flows.then_some(0.03), speed);
        for round in 0..rounds {
            steps(&mut body, 6 * round..6 * round + 6);
            sound_volumes(&body.frame(FrameDetail::Surface));
        }
    }
}
