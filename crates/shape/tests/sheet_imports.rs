//! Sheets from imported surfaces: kept features, repairs and reports.

use std::f64::consts::{PI, TAU};

use craze_math::Vec3;
use craze_mesh::{TriMesh, VertexId};
use craze_shape::sheet::{SheetError, SheetMesh, SheetOptions, SheetReport, sheet_from_model, sheet_from_surface};
use craze_shape::{Block, BuiltIn, Cylinder, Model, Sphere, TriangleSurface};
use proptest::prelude::*;

/// A grid of n × m squares over [0, 1]², each in two triangles, at positions `place`.
fn grid(counts: [u32; 2], place: impl Fn(f64, f64) -> Vec3) -> TriangleSurface {
    let [n, m] = counts;
    let mut surface = TriangleSurface::default();
    for row in 0..=m {
        for column in 0..=n {
            surface.positions.push(place(f64::from(column) / f64::from(n), f64::from(row) / f64::from(m)));
        }
    }
    let at = |column: u32, row: u32| row * (n + 1) + column;
    for row in 0..m {
        for column in 0..n {
            let [a, b, c, d] = [at(column, row), at(column + 1, row), at(column + 1, row + 1), at(column, row + 1)];
            surface.triangles.extend(if (row + column) % 2 == 0 {
                [[a, b, c], [a, c, d]]
            } else {
                [[a, b, d], [b, c, d]]
            });
        }
    }
    surface
}

fn flat(x: f64, y: f64) -> Vec3 {
    Vec3::new(x, 0.0, -y)
}

fn remeshed(surface: &TriangleSurface, edge: f64) -> (SheetMesh, SheetReport) {
    let (sheet, report) =
        sheet_from_surface(surface, &SheetOptions::new(edge)).unwrap_or_else(|error| panic!("{error}"));
    sheet.mesh.validate().expect("a mesh");
    assert_eq!(sheet.material_coordinates.len(), sheet.mesh.element_count());
    assert_eq!(sheet.materials.len(), sheet.mesh.element_count());
    (sheet, report)
}

fn euler(mesh: &TriMesh) -> i64 {
    mesh.point_count() as i64 - mesh.edges().len() as i64 + mesh.element_count() as i64
}

fn length(mesh: &TriMesh, edges: &[[VertexId; 2]]) -> f64 {
    edges.iter().map(|ends| (mesh.position(ends[0]) - mesh.position(ends[1])).norm()).sum()
}

fn assert_good(report: &SheetReport, edge: f64) {
    assert!((report.mean_edge / edge - 1.0).abs() < 0.1, "mean edge {} of {edge}", report.mean_edge);
    assert!(report.smallest_angle.to_degrees() > 20.0, "{}°", report.smallest_angle.to_degrees());
    assert!(report.distance < 0.1 * edge, "{} edges away", report.distance / edge);
    assert!((report.area / report.area_before - 1.0).abs() < 0.005, "area {} of {}", report.area, report.area_before);
}

#[test]
fn a_square_of_two_triangles_becomes_many_with_the_same_rim() {
    for edge in [0.2, 0.1, 0.05, 0.02] {
        let (sheet, report) = remeshed(&grid([1, 1], flat), edge);
        assert_good(&report, edge);
        assert!((report.area - 1.0).abs() < 1e-12 && report.distance < 1e-12);
        assert_eq!((euler(&sheet.mesh), sheet.boundary.len(), sheet.feature_edges.len()), (1, 1, 0));
        for vertex in &sheet.boundary[0] {
            let at = sheet.mesh.position(*vertex);
            let off = [at.x.abs(), (at.x - 1.0).abs(), at.z.abs(), (at.z + 1.0).abs()];
            assert!(off.into_iter().fold(1.0, f64::min) < 1e-12);
        }
        // Without texture the material coordinates are the plane itself.
        for (triangle, laid) in sheet.mesh.element_ids().zip(&sheet.material_coordinates) {
            for (corner, flat) in sheet.mesh.corners(triangle).iter().zip(laid) {
                assert!((corner.x - flat[0]).abs() < 1e-12 && (-corner.z - flat[1]).abs() < 1e-12);
            }
        }
    }
}

#[test]
fn fine_and_coarse_smooth_surfaces_keep_shape_area_and_rim() {
    let hill = |x: f64, y: f64| Vec3::new(x, 0.15 * (PI * x).sin() * (PI * y).cos(), -y);
    for (counts, edge) in [([60, 60], 0.08), ([20, 20], 0.03), ([100, 7], 0.05)] {
        let (sheet, report) = remeshed(&grid(counts, hill), edge);
        assert_good(&report, edge);
        assert_eq!((euler(&sheet.mesh), sheet.boundary.len()), (1, 1));
    }
    let ball = Sphere { radius: 0.5 }.surface(0.02).expect("a ball");
    // A sphere of chords lacks about (edge / radius)² / 5 of its area: an edge of a seventh of the
    // radius just keeps it within 0.5 %.
    for edge in [0.07, 0.05] {
        let (sheet, report) = remeshed(&ball, edge);
        assert_good(&report, edge);
        assert_eq!((euler(&sheet.mesh), sheet.boundary.len(), sheet.feature_edges.len()), (2, 0, 0));
    }
    let tube = grid([80, 40], |x, y| Vec3::new(0.3 * (TAU * x).cos(), y, 0.3 * (TAU * x).sin()));
    let (sheet, report) = remeshed(&tube, 0.06);
    assert_good(&report, 0.06);
    assert_eq!((euler(&sheet.mesh), sheet.boundary.len()), (0, 2));
    assert_eq!(report.findings.merged_points, 41);
}

#[test]
fn folds_and_corners_of_a_box_are_kept_to_rounding() {
    let surface = Block { size: [1.0, 0.7, 0.4] }.surface(1.0).expect("a box");
    for edge in [0.15, 0.06] {
        let (sheet, report) = remeshed(&surface, edge);
        assert_good(&report, edge);
        assert!((length(&sheet.mesh, &sheet.feature_edges) - 4.0 * 2.1).abs() < 1e-9);
        assert!((report.area - 2.0 * (0.7 + 0.4 + 0.28)).abs() < 1e-9 && report.distance < 1e-9);
        for ends in &sheet.feature_edges {
            for end in ends {
                let at = sheet.mesh.position(*end);
                let on = [at.x.abs() - 0.5, at.y.abs() - 0.35, at.z.abs() - 0.2];
                assert!(on.iter().filter(|off| off.abs() < 1e-12).count() >= 2);
            }
        }
        assert_eq!(euler(&sheet.mesh), 2);
    }
}

#[test]
fn curved_folds_keep_their_shape() {
    let surface = Cylinder { radius: 0.3, height: 0.5 }.surface(0.02).expect("a cylinder");
    let (sheet, report) = remeshed(&surface, 0.05);
    assert_good(&report, 0.05);
    let ring = length(&sheet.mesh, &sheet.feature_edges) / 2.0;
    assert!((ring / (TAU * 0.3) - 1.0).abs() < 0.01, "{ring}");
    for ends in &sheet.feature_edges {
        let at = sheet.mesh.position(ends[0]);
        assert!((at.y.abs() - 0.25).abs() < 1e-12 && (at.x.hypot(at.z) - 0.3).abs() < 1e-3);
    }
}

#[test]
fn materials_and_texture_are_transferred_and_their_borders_kept() {
    let surface = grid([10, 6], |x, y| Vec3::new(2.0 * x, 0.1 * (2.0 * x).sin(), -y));
    // Materials meet at x = 1; the texture is discontinuous there, and at y = ½ within each
    // material.
    let mut model = Model { surface, ..Model::default() };
    for corners in &model.surface.triangles {
        let nodes = model.surface.corners(corners);
        let middle = (nodes[0] + nodes[1] + nodes[2]) / 3.0;
        let right = middle.x > 1.0;
        let shift = if right { 5.0 } else { 0.0 } + if middle.z < -0.5 { 20.0 } else { 0.0 };
        model.material_of_triangle.push(if right { 7 } else { 3 });
        model.texture_coordinates.push(nodes.map(|node| [(node.x + shift) as f32, (0.5 * node.z) as f32]));
    }
    let (sheet, report) = sheet_from_model(&model, &SheetOptions::new(0.07)).expect("a sheet");
    assert_good(&report, 0.07);
    sheet.mesh.validate().expect("a mesh");
    for (triangle, (material, texture)) in
        sheet.mesh.element_ids().zip(sheet.materials.iter().zip(&sheet.material_coordinates))
    {
        let nodes = sheet.mesh.corners(triangle);
        let right = *material == 7;
        let above = nodes.iter().any(|node| node.z < -0.5 - 1e-9);
        for (node, known) in nodes.iter().zip(texture) {
            assert!(if right { node.x > 1.0 - 1e-9 } else { node.x < 1.0 + 1e-9 });
            let shift = if right { 5.0 } else { 0.0 } + if above { 20.0 } else { 0.0 };
            assert!(
                (known[0] - node.x - shift).abs() < 1e-4 && (known[1] - 0.5 * node.z).abs() < 1e-4,
                "{known:?} {node}"
            );
        }
    }
    // The border at x = 1 is straight, the seam at y = ½ follows the wave.
    let border: Vec<[VertexId; 2]> = (sheet.feature_edges.iter().copied())
        .filter(|ends| ends.iter().all(|end| (sheet.mesh.position(*end).x - 1.0).abs() < 1e-9))
        .collect();
    assert!((length(&sheet.mesh, &border) - 1.0).abs() < 1e-9);
    assert!(length(&sheet.mesh, &sheet.feature_edges) > 2.99);
}

#[test]
fn flipped_doubled_flat_and_broken_triangles_are_repaired() {
    let clean = grid([12, 12], flat);
    let mut dirty = clean.clone();
    for k in (0..dirty.triangles.len()).step_by(5) {
        dirty.triangles[k].swap(0, 1);
    }
    let flipped = dirty.triangles.len().div_ceil(5);
    dirty.triangles.extend([[0, 1, 14], [14, 1, 0], [4, 4, 5]]);
    dirty.positions.extend([Vec3::new(f64::NAN, 0.0, 0.0), Vec3::new(0.5, 0.0, 0.0), Vec3::new(9.0, 9.0, 9.0)]);
    let bad = clean.positions.len() as u32;
    dirty.triangles.extend([[0, 1, bad], [2, 3, bad + 70]]);
    let (sheet, report) = remeshed(&dirty, 0.1);
    assert!((report.area - 1.0).abs() < 1e-12);
    assert_eq!((report.flipped_triangles, report.findings.broken_triangles), (flipped, 2));
    assert!(report.findings.duplicate_triangles >= 2);
    assert_eq!((euler(&sheet.mesh), sheet.boundary.len()), (1, 1));
    for triangle in sheet.mesh.element_ids() {
        let [a, b, c] = sheet.mesh.corners(triangle);
        assert!((b - a).cross(&(c - a)).y > 0.0);
    }
    assert!(report.remarks().iter().any(|remark| remark.contains("were flipped")), "{:?}", report.remarks());
}

#[test]
fn a_book_is_separated_into_a_sheet_and_a_page() {
    // Two pages are flat, the third stands on their common edge.
    let mut book = grid([8, 4], |x, y| Vec3::new(2.0 * x - 1.0, 0.0, -y));
    let page = grid([4, 4], |x, y| Vec3::new(0.0, x, -y));
    let first = book.positions.len() as u32;
    book.positions.extend(page.positions);
    book.triangles.extend(page.triangles.iter().map(|corners| corners.map(|corner| corner + first)));
    let (sheet, report) = remeshed(&book, 0.1);
    assert_eq!((report.shared_edges, report.one_sided_edges), (4, 0));
    assert!((report.first_shared_edge.expect("a place").x).abs() < 1e-12);
    assert!((report.area - 3.0).abs() < 1e-9);
    assert_eq!((euler(&sheet.mesh), sheet.boundary.len()), (2, 2));
    assert!(report.remarks()[1].starts_with("4 edges had three or more triangles"), "{:?}", report.remarks());
}

#[test]
fn crossing_sheets_stay_unconnected() {
    let mut cross = grid([4, 4], |x, y| Vec3::new(2.0 * x - 1.0, 0.0, -y));
    let other = grid([4, 4], |x, y| Vec3::new(0.0, 2.0 * x - 1.0, -y));
    let first = cross.positions.len() as u32;
    cross.positions.extend(other.positions);
    cross.triangles.extend(other.triangles.iter().map(|corners| corners.map(|corner| corner + first)));
    let (sheet, report) = remeshed(&cross, 0.1);
    assert_eq!((report.shared_edges, sheet.boundary.len(), euler(&sheet.mesh)), (4, 2, 2));
    assert!((report.area - 4.0).abs() < 1e-9);
}

#[test]
fn a_non_orientable_strip_is_cut_and_reported() {
    let strip = |x: f64, y: f64| {
        let (turn, across) = (TAU * x, 0.3 * (y - 0.5));
        let radius = 1.0 + across * (0.5 * turn).cos();
        Vec3::new(radius * turn.cos(), across * (0.5 * turn).sin(), radius * turn.sin())
    };
    let (sheet, report) = remeshed(&grid([120, 6], strip), 0.05);
    assert!(report.one_sided_edges > 0 && report.first_one_sided_edge.is_some());
    assert!((report.area / report.area_before - 1.0).abs() < 0.005);
    // Once cut, it is an ordinary strip.
    assert_eq!((euler(&sheet.mesh), sheet.boundary.len()), (1, 1));
    assert!(report.remarks().iter().any(|remark| remark.contains("non-orientable")));
}

#[test]
fn parts_connected_through_a_point_are_separated() {
    let mut two = grid([2, 2], flat);
    let other = grid([2, 2], |x, y| Vec3::new(1.0 + x, 0.0, -1.0 - y));
    let first = two.positions.len() as u32;
    two.positions.extend(other.positions);
    two.triangles.extend(other.triangles.iter().map(|corners| corners.map(|corner| corner + first)));
    let (sheet, _) = remeshed(&two, 0.1);
    assert_eq!((euler(&sheet.mesh), sheet.boundary.len()), (2, 2));
}

#[test]
fn invalid_sheets_are_refused_with_the_reason() {
    let square = grid([2, 2], flat);
    let refused = |surface: &TriangleSurface, edge: f64| sheet_from_surface(surface, &SheetOptions::new(edge)).err();
    for edge in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(refused(&square, edge), Some(SheetError::BadLength { field: "edge", .. })));
    }
    assert!(matches!(refused(&square, 1e-12), Some(SheetError::TooFine { .. })));
    assert!(matches!(refused(&square, 1e12), Some(SheetError::TooCoarse { .. })));
    let empty = TriangleSurface::default();
    assert!(matches!(refused(&empty, 0.1), Some(SheetError::Empty { triangles: 0 })));
    let line =
        TriangleSurface { positions: vec![Vec3::zeros(), Vec3::x(), 2.0 * Vec3::x()], triangles: vec![[0, 1, 2]] };
    assert!(matches!(refused(&line, 0.1), Some(SheetError::Empty { triangles: 1 })));
    let nowhere = TriangleSurface { positions: vec![Vec3::repeat(f64::NAN); 3], triangles: vec![[0, 1, 2]] };
    assert!(matches!(refused(&nowhere, 0.1), Some(SheetError::Empty { triangles: 1 })));
    let options = SheetOptions { feature_angle: f64::NAN, ..SheetOptions::new(0.1) };
    assert!(matches!(sheet_from_surface(&square, &options), Err(SheetError::Misfit { field: "feature_angle", .. })));
    let model = Model { surface: square, material_of_triangle: vec![1, 2], ..Model::default() };
    let counted = sheet_from_model(&model, &SheetOptions::new(0.1));
    assert!(matches!(counted, Err(SheetError::Count { what: "materials", expected: 8, found: 2 })));
}

#[test]
fn very_large_and_small_sheets_are_as_good() {
    for scale in [1e-6, 1e6] {
        let surface = grid([10, 10], |x, y| Vec3::new(x, 0.1 * (3.0 * x * y).sin(), -y) * scale);
        let (_, report) = remeshed(&surface, 0.05 * scale);
        assert_good(&report, 0.05 * scale);
    }
}

#[test]
fn the_same_bits_for_every_number_of_threads() {
    let hill = grid([30, 30], |x, y| Vec3::new(x, 0.2 * (4.0 * x * y).sin(), -y));
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| remeshed(&hill, 0.015))
    };
    assert_eq!(with(1), with(3));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn torn_and_dirty_patches_become_sheets(
        seeds in proptest::collection::vec(0u32..10_000, 40),
        wave in 0.0f64..0.15,
        edge in 0.04f64..0.2,
    ) {
        let mut surface = grid([14, 14], |x, y| Vec3::new(x, wave * (5.0 * x).sin() * (4.0 * y).cos(), -y));
        let all = surface.triangles.len();
        let mut gone: Vec<usize> = seeds[..20].iter().map(|&seed| seed as usize % all).collect();
        gone.sort_unstable();
        gone.dedup();
        for &triangle in gone.iter().rev() {
            surface.triangles.remove(triangle);
        }
        let area = surface.area();
        let count = surface.triangles.len();
        for &seed in &seeds[20..30] {
            surface.triangles[seed as usize % count].swap(1, 2);
        }
        for &seed in &seeds[30..] {
            surface.triangles.push(surface.triangles[seed as usize % count]);
        }
        let (sheet, report) = remeshed(&surface, edge);
        prop_assert!((report.area_before / area - 1.0).abs() < 1e-9);
        // Holes have corners everywhere that must be kept, with little space between them.
        prop_assert!((report.area / area - 1.0).abs() < 0.03, "{} of {area}", report.area);
        prop_assert_eq!(report.one_sided_edges, 0);
        for vertex in sheet.mesh.point_ids() {
            let rim = sheet.boundary.iter().flatten().filter(|&&other| other == vertex).count();
            prop_assert!(rim <= 1, "the rim touches itself");
        }
    }

    #[test]
    fn no_readable_surface_makes_it_panic(
        points in proptest::collection::vec(prop_oneof![
            8 => proptest::array::uniform3(-1.0f64..1.0),
            1 => Just([0.0; 3]),
            1 => Just([f64::NAN, 1.0, 2.0]),
            1 => Just([1e300, 0.0, 0.0]),
        ], 1..20),
        triangles in proptest::collection::vec(proptest::array::uniform3(0u32..22), 0..60),
    ) {
        let surface = TriangleSurface { positions: points.into_iter().map(Vec3::from).collect(), triangles };
        match sheet_from_surface(&surface, &SheetOptions::new(0.2)) {
            Ok((sheet, _)) => sheet.mesh.validate().expect("a mesh"),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}
