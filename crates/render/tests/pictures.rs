//! Properties of small pictures of known scenes.

use craze_frame::{BodyFrame, Data, Frame, ObstacleFrame, ObstacleShape, Particles, Piece, Pose, Surface, names};
use craze_math::Vec3;
use craze_render::{
    Background, Camera, Coloring, Ground, Image, Legend, RenderError, Settings, Tracking, ValueRange, Wireframe,
    render_frame, silhouette,
};

const BLUE_SCREEN: [u8; 3] = [40, 60, 200];

fn small() -> Settings {
    Settings { width: 160, height: 90, samples: 16, legend: Legend::Hidden, ..Settings::default() }
}

fn floor(height: f64) -> ObstacleFrame {
    let shape = ObstacleShape::Plane { point: Vec3::new(0.0, height, 0.0), normal: Vec3::y() };
    ObstacleFrame { name: "floor".to_owned(), shape }
}

fn piece(id: u32) -> Piece {
    Piece { id, volume: 1.0, mass: 1.0, parent: None, pose: Pose::default() }
}

fn body(material: &str, surface: Surface) -> BodyFrame {
    BodyFrame { materials: vec![material.to_owned()], surface, pieces: vec![piece(0)], ..BodyFrame::default() }
}

fn cube(center: Vec3, side: f64) -> Surface {
    let positions = (0..8).map(|i| {
        center + (Vec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)).add_scalar(-0.5)) * side
    });
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Surface { positions: positions.collect(), triangles, ..Surface::default() }
}

fn ball(radius: f64) -> Frame {
    let particles = Particles { positions: vec![Vec3::new(0.0, radius, 0.0)], radius, ..Particles::default() };
    let body = BodyFrame { particles: Some(particles), ..body("plaster", Surface::default()) };
    Frame { bodies: vec![body], obstacles: vec![floor(0.0)], ..Frame::default() }
}

/// Two separate cubes, one piece each.
fn two_pieces() -> Frame {
    let mut surface = cube(Vec3::new(-1.0, 0.0, 0.0), 1.0);
    let second = cube(Vec3::new(1.0, 0.0, 0.0), 1.0);
    surface.positions.extend(second.positions);
    surface.triangles.extend(second.triangles.iter().map(|t| t.map(|vertex| vertex + 8)));
    let pieces: Vec<u32> = (0..24).map(|face| face / 12).collect();
    surface.face_attributes.set(names::PIECE, Data::Index(pieces));
    let body = BodyFrame { pieces: vec![piece(0), piece(1)], ..body("clay", surface) };
    Frame { bodies: vec![body], ..Frame::default() }
}

#[test]
fn both_sides_of_an_open_sheet_are_drawn() {
    let mut surface = cube(Vec3::zeros(), 1.0);
    surface.triangles.truncate(2);
    surface.sheet = Some(craze_frame::Sheet { thickness: 0.01 });
    let frame = Frame { bodies: vec![body("paper", surface)], ..Frame::default() };
    for z in [-3.0, 3.0] {
        let camera =
            Camera { from: Vec3::new(0.1, 0.2, z), to: Vec3::new(0.0, 0.0, -0.5), up: Vec3::y(), field_of_view: 30.0 };
        let settings = Settings { width: 64, height: 64, camera: Some(camera), ..Settings::default() };
        let image = render_frame(&frame, &settings).expect("a picture");
        let backdrop = brightness(&image, 3, 3);
        assert!((brightness(&image, 32, 32) - backdrop).abs() > 2.0, "seen from z = {z} m");
        assert_eq!(image.undrawable, 0);
    }
}

/// Mean brightness (0 to 255) of a square around a pixel.
fn brightness(image: &Image, column: u32, row: u32) -> f64 {
    let pixels = (column - 1..=column + 1).flat_map(|c| (row - 1..=row + 1).map(move |r| (c, r)));
    let sums = pixels.map(|(c, r)| image.pixel(c, r).expect("inside").iter().map(|&x| f64::from(x)).sum::<f64>());
    sums.sum::<f64>() / 27.0
}

fn differs(pixel: [u8; 3], color: [u8; 3]) -> bool {
    pixel.iter().zip(color).any(|(&a, b)| a.abs_diff(b) > 3)
}

fn largest_difference(a: &Image, b: &Image) -> u8 {
    a.rgb8.iter().zip(&b.rgb8).map(|(x, y)| x.abs_diff(*y)).max().unwrap_or(0)
}

#[test]
fn shadow_is_darker_than_lit_floor_and_the_lit_side_than_the_dark_side() {
    let camera =
        Camera { from: Vec3::new(0.0, 3.0, 8.0), to: Vec3::new(0.0, 0.6, 0.0), up: Vec3::y(), field_of_view: 30.0 };
    let image = render_frame(&ball(1.0), &Settings { camera: Some(camera), ..small() }).unwrap();
    // The lamp is to the left and in front: the shadow falls to the right.
    let (left_floor, right_floor) = (brightness(&image, 35, 65), brightness(&image, 101, 53));
    assert!(right_floor < 0.8 * left_floor, "floor {left_floor} shadow {right_floor}");
    let (lit, dark) = (brightness(&image, 70, 28), brightness(&image, 92, 48));
    assert!(dark < 0.8 * lit, "lit {lit} dark {dark}");
    assert!(lit < 253.0 && dark > 20.0, "neither burnt out nor black: {lit} {dark}");
    let (contact, open) = (brightness(&image, 83, 58), brightness(&image, 80, 82));
    assert!(contact < 0.75 * open, "contact {contact} open {open}");
}

#[test]
fn unshadowed_floor_and_backdrop_are_one_even_surface() {
    let camera =
        Camera { from: Vec3::new(0.0, 3.0, 8.0), to: Vec3::new(0.0, 0.6, 0.0), up: Vec3::y(), field_of_view: 30.0 };
    let settings = Settings { camera: Some(camera), ..small() };
    let with_floor = render_frame(&ball(0.01), &settings).unwrap();
    let without = render_frame(&ball(0.01), &Settings { ground: Ground::Hidden, ..settings }).unwrap();
    for (column, row) in [(5, 5), (20, 80), (150, 60), (80, 20)] {
        assert!((brightness(&with_floor, column, row) - brightness(&without, column, row)).abs() < 1.5);
    }
}

#[test]
fn pieces_have_two_distinct_hues_and_one_piece_keeps_its_material() {
    let settings = Settings { coloring: Coloring::Piece, ..small() };
    let broken = render_frame(&two_pieces(), &settings).unwrap();
    let hue = |image: &Image, column, row| {
        let [r, g, b] = image.pixel(column, row).unwrap().map(f64::from);
        (3f64.sqrt() * (g - b)).atan2(2.0 * r - g - b).to_degrees()
    };
    let turn = (hue(&broken, 45, 45) - hue(&broken, 118, 45)).rem_euclid(360.0);
    assert!((40.0..320.0).contains(&turn), "{turn}");

    let mut whole = two_pieces();
    whole.bodies[0].pieces.truncate(1);
    whole.bodies[0].surface.face_attributes.set(names::PIECE, Data::Index(vec![0; 24]));
    let by_piece = render_frame(&whole, &settings).unwrap();
    let by_material = render_frame(&whole, &small()).unwrap();
    assert_eq!(by_piece, by_material);
}

#[test]
fn one_and_two_threads_give_the_same_bits() {
    let frame = two_pieces();
    let settings = Settings { ground: Ground::UnderBodies, coloring: Coloring::Piece, ..small() };
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| render_frame(&frame, &settings).unwrap())
    };
    assert_eq!(with(1), with(2));
}

#[test]
fn automatic_camera_cuts_nothing_at_the_border_and_fills_the_picture() {
    for frame in [two_pieces(), ball(3.0)] {
        for (width, height) in [(160, 90), (60, 120)] {
            let settings = Settings {
                width,
                height,
                ground: Ground::Hidden,
                background: Background::Color(BLUE_SCREEN),
                ..small()
            };
            let image = render_frame(&frame, &settings).unwrap();
            let seen = |c, r| differs(image.pixel(c, r).unwrap(), BLUE_SCREEN);
            for column in 0..width {
                assert!(!seen(column, 0) && !seen(column, height - 1));
            }
            for row in 0..height {
                assert!(!seen(0, row) && !seen(width - 1, row));
            }
            let columns = (0..width).filter(|&c| (0..height).any(|r| seen(c, r))).count() as f64 / f64::from(width);
            let rows = (0..height).filter(|&r| (0..width).any(|c| seen(c, r))).count() as f64 / f64::from(height);
            assert!(columns.max(rows) > 0.8, "{columns} {rows}");
        }
    }
}

#[test]
fn a_stray_fragment_does_not_shrink_the_rest() {
    let mut frame = two_pieces();
    let framed = Camera::framing(&[&frame], 160, 90);
    let stray = cube(Vec3::new(900.0, 50.0, 0.0), 0.01);
    let surface = &mut frame.bodies[0].surface;
    surface.positions.extend(stray.positions);
    surface.triangles.extend(stray.triangles.iter().map(|t| t.map(|vertex| vertex + 16)));
    let pieces: Vec<u32> = (0..36).map(|face| face / 12).collect();
    surface.face_attributes.set(names::PIECE, Data::Index(pieces));
    frame.bodies[0].pieces.push(piece(0));
    assert!((Camera::framing(&[&frame], 160, 90).from - framed.from).norm() < 1e-9);
}

/// A body of cubes with this side around the points, one piece each.
fn cubes(centers: &[Vec3], side: f64) -> Frame {
    let mut surface = Surface::default();
    for &center in centers {
        let first = surface.positions.len() as u32;
        let cube = cube(center, side);
        surface.positions.extend(cube.positions);
        surface.triangles.extend(cube.triangles.iter().map(|t| t.map(|vertex| first + vertex)));
    }
    let pieces = (0..12 * centers.len() as u32).map(|face| face / 12).collect();
    surface.face_attributes.set(names::PIECE, Data::Index(pieces));
    let body = BodyFrame { pieces: (0..centers.len() as u32).map(piece).collect(), ..body("clay", surface) };
    Frame { bodies: vec![body], ..Frame::default() }
}

#[test]
fn the_silhouette_of_a_sphere_is_exact_and_only_bodies_count() {
    let mut frame = ball(1.0);
    let from = Vec3::new(0.0, 1.0, 6.0);
    let camera = Camera { from, to: Vec3::new(0.0, 1.0, 0.0), up: Vec3::y(), field_of_view: 40.0 };
    let settings = Settings { camera: Some(camera), ..small() };
    // A sphere of radius 1 at distance 6 subtends a cone of half-angle tangent 1/√35.
    let radius = 1.0 / 35f64.sqrt() / 20f64.to_radians().tan();
    let expected = std::f64::consts::PI * radius * radius / 4.0 * 90.0 / 160.0;
    let share = silhouette(&frame, &settings).unwrap();
    assert!((share - expected).abs() < 0.01 * expected, "{share} {expected}");
    // A screen in front of its left half occludes it and does not count.
    let mut screen = cube(Vec3::new(-5.0, 1.0, 3.0), 1.0);
    screen
        .positions
        .iter_mut()
        .for_each(|p| *p = Vec3::new(if p.x > -5.0 { 0.0 } else { -9.0 }, 20.0 * (p.y - 1.0), p.z));
    let shape = ObstacleShape::Surface(screen);
    frame.obstacles.push(ObstacleFrame { name: "screen".to_owned(), shape });
    let half = silhouette(&frame, &settings).unwrap();
    assert!((half - 0.5 * expected).abs() < 0.02 * expected, "{half} {expected}");
    // A wall that faces the camera occludes everything.
    let shape = ObstacleShape::Plane { point: Vec3::new(0.0, 0.0, 4.0), normal: Vec3::z() };
    frame.obstacles.push(ObstacleFrame { name: "wall".to_owned(), shape });
    assert_eq!(silhouette(&frame, &settings).unwrap(), 0.0);
    assert_eq!(silhouette(&Frame::default(), &small()).unwrap(), 0.0);
    assert!(silhouette(&frame, &Settings { width: 0, ..small() }).is_err());
}

#[test]
fn bodies_cover_a_quarter_of_the_picture() {
    // A slender beam, and scattered debris around a heap.
    let mut beam = cubes(&[Vec3::zeros()], 1.0);
    beam.bodies[0].surface.positions.iter_mut().for_each(|p| *p = p.component_mul(&Vec3::new(1.0, 0.1, 0.1)));
    let heap: Vec<Vec3> =
        (0..40).map(|i| Vec3::new(f64::from(i % 5), f64::from(i / 20), f64::from(i / 5 % 4))).collect();
    let apart: Vec<Vec3> = heap
        .iter()
        .enumerate()
        .map(|(i, p)| if i % 3 == 0 { (p - Vec3::new(2.0, 0.0, 1.5)) * 4.0 } else { *p })
        .collect();
    let (first, last) = (cubes(&heap, 0.9), cubes(&apart, 0.9));
    for frames in [vec![&beam], vec![&first, &last]] {
        let settings = small().fitted_to(&frames);
        let shares: Vec<f64> = frames.iter().map(|frame| silhouette(frame, &settings).unwrap()).collect();
        // In the first of several frames bodies may still be approaching.
        assert!(shares[0] > 0.04 && (0.25..0.8).contains(&shares[frames.len() - 1]), "{shares:?}");
    }
}

/// A body with this surface that falls freely for half a second and then lies on a floor, at even
/// times.
fn falling(surface: &Surface, height: f64) -> Vec<Frame> {
    let at = |number: u32| {
        let time = f64::from(number) / 20.0;
        let mut surface = surface.clone();
        let drop = (0.5 * 9.81 * time * time).min(height);
        surface.positions.iter_mut().for_each(|position| position.y += height - drop);
        let obstacles = vec![floor(0.0)];
        Frame { number, time, bodies: vec![body("clay", surface)], obstacles }
    };
    (0..=10).map(at).collect()
}

/// The share of the picture that is covered in each frame, none of which is cut at the border.
fn shares_of_whole(frames: &[Frame], settings: &Settings) -> Vec<f64> {
    let share = |frame: &Frame| {
        let settings =
            Settings { ground: Ground::Hidden, background: Background::Color(BLUE_SCREEN), ..settings.clone() };
        let image = render_frame(frame, &settings).unwrap();
        let (width, height) = (image.width, image.height);
        let sides = (0..width).flat_map(|column| [(column, 0), (column, height - 1)]);
        let mut border = sides.chain((0..height).flat_map(|row| [(0, row), (width - 1, row)]));
        assert!(
            !border.any(|(c, r)| differs(image.pixel(c, r).unwrap(), BLUE_SCREEN)),
            "frame {} is cut",
            frame.number
        );
        silhouette(frame, &settings).unwrap()
    };
    frames.iter().map(share).collect()
}

#[test]
fn a_body_that_falls_many_times_its_height_is_tracked_and_covers_a_quarter_of_every_picture() {
    let frames = falling(&cube(Vec3::new(3.0, 0.05, -2.0), 0.1), 1.0);
    let settings = small().fitted_to(&[&frames[0], &frames[5], &frames[10]]);
    assert!(matches!(settings.tracking, Tracking::Bodies { .. }), "{settings:?}");
    let shares = shares_of_whole(&frames, &settings);
    assert!(shares.iter().all(|share| (0.25..0.5).contains(share)), "{shares:?}");
    // The camera neither turns nor comes nearer: the body looks the same everywhere.
    let spread = shares.iter().fold(0.0, |most: f64, share| most.max((share - shares[0]).abs()));
    assert!(spread < 0.02, "{shares:?}");
    // Bodies that hardly move get a fixed camera.
    let still = small().fitted_to(&[&frames[9], &frames[10]]);
    assert_eq!(still.tracking, Tracking::Off);
}

#[test]
fn a_slender_rod_fills_the_picture_from_border_to_border_and_is_not_cut() {
    let mut rod = cube(Vec3::new(0.0, 0.5, 0.0), 1.0);
    rod.positions.iter_mut().for_each(|p| *p = p.component_mul(&Vec3::new(0.02, 0.5, 0.02)));
    let frames = falling(&rod, 1.0);
    for shown in [&frames[..], &frames[10..]] {
        let settings = small().fitted_to(&shown.iter().collect::<Vec<_>>());
        let shares = shares_of_whole(shown, &settings);
        // Upright, from one border to the other with a margin of 5 %, it covers 0.95² · (0.02 /
        // 0.5) · (9 / 16) of the picture.
        assert!(shares.iter().all(|share| *share > 0.02), "{shares:?}");
    }
}

#[test]
fn a_centre_that_is_not_a_number_is_refused() {
    let frame = two_pieces();
    let settings = small().fitted_to(&[&frame]);
    let tracking = Tracking::Bodies { center: Vec3::new(f64::NAN, 0.0, 0.0) };
    let error = render_frame(&frame, &Settings { tracking, ..settings }).unwrap_err();
    assert!(error.to_string().contains("tracks"), "{error}");
}

#[test]
fn scenes_of_any_scale_look_alike() {
    let model = render_frame(&ball(1.0), &small()).unwrap();
    for scale in [1e-9, 1e12] {
        let mut frame = ball(scale);
        frame.obstacles = vec![floor(0.0)];
        let image = render_frame(&frame, &small()).unwrap();
        // Rounding may affect single rays, hence few pixels.
        let far_off = image.rgb8.iter().zip(&model.rgb8).filter(|(a, b)| a.abs_diff(**b) > 6).count();
        assert!(far_off < image.rgb8.len() / 500, "{scale}: {far_off}");
    }
}

#[test]
fn invalid_elements_are_left_out_and_counted() {
    let empty = render_frame(&Frame::default(), &small()).unwrap();
    assert_eq!(empty.undrawable, 0);

    let mut frame = two_pieces();
    let good = render_frame(&frame, &small()).unwrap();
    let surface = &mut frame.bodies[0].surface;
    surface.positions.extend([Vec3::repeat(f64::NAN), Vec3::repeat(f64::INFINITY), Vec3::repeat(1e300)]);
    surface.triangles.extend([[0, 1, 16], [0, 1, 17], [0, 18, 1], [0, 0, 1], [0, 1, 4_000_000_000]]);
    frame.bodies.push(BodyFrame {
        particles: Some(Particles { positions: vec![Vec3::zeros(); 2], radius: f64::NAN, ..Particles::default() }),
        ..BodyFrame::default()
    });
    let shape = ObstacleShape::Plane { point: Vec3::zeros(), normal: Vec3::zeros() };
    frame.obstacles.push(ObstacleFrame { name: "no plane".to_owned(), shape });
    let image = render_frame(&frame, &small()).unwrap();
    assert_eq!(image.undrawable, 5 + 2 + 1);
    assert_eq!(largest_difference(&image, &good), 0);
}

#[test]
fn impossible_settings_are_named() {
    let frame = two_pieces();
    let refuse = |settings: Settings| render_frame(&frame, &settings).unwrap_err();
    assert!(matches!(refuse(Settings { width: 0, ..small() }), RenderError::Size { width: 0, height: 90, .. }));
    assert!(matches!(refuse(Settings { height: 1_000_000, ..small() }), RenderError::Size { .. }));
    assert!(matches!(refuse(Settings { samples: 0, ..small() }), RenderError::Samples { samples: 0, .. }));
    let range = Some(ValueRange { low: 1.0, high: 1.0 });
    assert!(matches!(refuse(Settings { range, ..small() }), RenderError::Range { .. }));
    let message = refuse(Settings { coloring: Coloring::Stress, ..small() }).to_string();
    assert!(message.contains("\"stress\"") && message.contains("piece"), "{message}");
}

#[test]
fn values_run_through_the_color_map_with_a_legend() {
    let mut frame = two_pieces();
    let speeds = (0..16).map(|vertex| Vec3::new(if vertex < 8 { 0.0 } else { 5.0 }, 0.0, 0.0)).collect();
    frame.bodies[0].surface.vertex_attributes.set(names::VELOCITY, Data::Vector(speeds));
    let settings = Settings { width: 320, height: 180, coloring: Coloring::Velocity, ..small() };
    let plain = render_frame(&frame, &settings).unwrap();
    assert!(brightness(&plain, 235, 90) > 1.5 * brightness(&plain, 90, 90), "fast is brighter than slow");
    let explained = render_frame(&frame, &Settings { legend: Legend::Shown, ..settings }).unwrap();
    let changed = |column: u32| (0..180).any(|row| explained.pixel(column, row) != plain.pixel(column, row));
    assert!((290..316).any(changed) && !(0..250).any(changed));
}

#[test]
fn crack_faces_are_lighter_and_wires_are_dark() {
    let frame = two_pieces();
    let plain = render_frame(&frame, &small()).unwrap();
    let mut cracked = frame.clone();
    cracked.bodies[0].surface.face_attributes.set(names::CRACK, Data::Index(vec![1; 24]));
    let cracked = render_frame(&cracked, &small()).unwrap();
    assert!(brightness(&cracked, 45, 45) > brightness(&plain, 45, 45) + 5.0);

    let wired = render_frame(&frame, &Settings { wireframe: Wireframe::Shown, ..small() }).unwrap();
    let sum = |image: &Image| image.rgb8.iter().map(|&x| u64::from(x)).sum::<u64>();
    assert!(sum(&wired) + 20_000 < sum(&plain));
}

#[test]
fn fitted_settings_are_constant_over_a_sequence() {
    let (first, mut last) = (two_pieces(), two_pieces());
    for position in &mut last.bodies[0].surface.positions {
        position.y += 5.0;
    }
    let settings = small().fitted_to(&[&first, &last]);
    let camera = settings.camera.unwrap();
    for frame in [&first, &last] {
        let settings = Settings { background: Background::Color(BLUE_SCREEN), ..settings.clone() };
        let image = render_frame(frame, &settings).unwrap();
        let seen = image.rgb8.chunks_exact(3).filter(|p| differs([p[0], p[1], p[2]], BLUE_SCREEN)).count();
        assert!(seen > 300, "{seen}");
    }
    assert_eq!(settings.fitted_to(&[&first]).camera, Some(camera), "what is set is kept");
}

/// Mean colours of 4 × 3 equal parts of a picture.
fn coarse(image: &Image) -> Vec<[u8; 3]> {
    let (columns, rows) = (image.width / 4, image.height / 3);
    let mean = |left: u32, top: u32| {
        let mut sum = [0u32; 3];
        for (column, row) in (left..left + columns).flat_map(|c| (top..top + rows).map(move |r| (c, r))) {
            let pixel = image.pixel(column, row).unwrap();
            (0..3).for_each(|k| sum[k] += u32::from(pixel[k]));
        }
        sum.map(|s| (s / (columns * rows)) as u8)
    };
    (0..3).flat_map(|r| (0..4).map(move |c| (c, r))).map(|(c, r)| mean(c * columns, r * rows)).collect()
}

#[test]
fn the_studio_matches_its_reference_colours() {
    let mut frame = two_pieces();
    frame.obstacles.push(floor(-0.5));
    let image = render_frame(&frame, &small()).unwrap();
    #[rustfmt::skip]
    let expected = [
        [210, 180, 166], [192, 156, 141], [224, 198, 187], [220, 206, 197],
        [208, 179, 166], [162, 128, 114], [182, 109, 83], [186, 153, 139],
        [225, 220, 214], [230, 226, 221], [202, 161, 144], [188, 172, 162],
    ];
    let shown = coarse(&image);
    let near = |(a, b): (&[u8; 3], &[u8; 3])| a.iter().zip(b).all(|(x, y)| x.abs_diff(*y) <= 4);
    assert!(shown.len() == expected.len() && shown.iter().zip(&expected).all(near), "{shown:?}");
}
