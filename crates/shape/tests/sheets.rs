//! Built-in sheets: known areas, topology, isometry, open slits, quality, refusals.

use std::f64::consts::{PI, TAU};

use craze_math::Vec3;
use craze_mesh::VertexId;
use craze_shape::sheet::{
    BoxFrame, Cylinder, Disc, Dome, HoledSquare, NotchedSquare, Sheet, SheetError, SheetMesh, Sphere, Square, Strip,
    Trouser,
};

fn checked(sheet: Sheet, edge: f64) -> SheetMesh {
    let made = sheet.mesh(edge).unwrap_or_else(|error| panic!("{error} for {sheet:?} at {edge}"));
    made.mesh.validate().expect("a mesh");
    assert_eq!(made.material_coordinates.len(), made.mesh.element_count());
    assert_eq!(made.materials.len(), made.mesh.element_count());
    assert!(made.materials.iter().all(|&material| (material as usize) < sheet.materials().len()));
    let (low, high) = made
        .mesh
        .positions()
        .iter()
        .fold((Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY)), |(low, high), at| {
            (low.inf(at), high.sup(at))
        });
    let size = sheet.size();
    assert!((high - low - size).amax() < edge * 0.6, "{sheet:?} is {} large, not {size}", high - low);
    assert!((high + low).amax() < edge * 0.6, "{sheet:?} is not in the middle");
    let on_rim: usize = made.boundary.iter().map(Vec::len).sum();
    assert_eq!(on_rim, made.mesh.boundary().edges.len());
    made
}

fn euler(made: &SheetMesh) -> i64 {
    made.mesh.point_count() as i64 - made.mesh.edges().len() as i64 + made.mesh.element_count() as i64
}

fn smallest_angle(made: &SheetMesh) -> f64 {
    made.mesh.element_ids().map(|t| made.mesh.quality(t).smallest_angle.to_degrees()).fold(90.0, f64::min)
}

fn mean_edge(made: &SheetMesh) -> f64 {
    let edges = made.mesh.edges();
    let length = |ends: &[VertexId; 2]| (made.mesh.position(ends[0]) - made.mesh.position(ends[1])).norm();
    edges.iter().map(length).sum::<f64>() / edges.len() as f64
}

/// Largest relative change of edge length from space to the material.
fn distortion(made: &SheetMesh) -> f64 {
    let mut worst = 0.0f64;
    for (triangle, flat) in made.mesh.element_ids().zip(&made.material_coordinates) {
        let corners = made.mesh.corners(triangle);
        for k in 0..3 {
            let next = (k + 1) % 3;
            let space = (corners[next] - corners[k]).norm();
            let material = (flat[next][0] - flat[k][0]).hypot(flat[next][1] - flat[k][1]);
            worst = worst.max((material / space - 1.0).abs());
        }
        let [a, b, c] = *flat;
        let turn = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        assert!(turn > 0.0, "a triangle lies face down in the material");
    }
    worst
}

#[test]
fn every_sheet_has_its_area_quality_and_edge_length() {
    for sheet in Sheet::all() {
        for part in [2.0, 1.0, 0.5] {
            let edge = part * sheet.default_edge();
            let made = checked(sheet, edge);
            let (angle, mean) = (smallest_angle(&made), mean_edge(&made));
            assert!(angle > 28.0, "{} at {edge}: {angle}°", sheet.name());
            assert!((mean / edge - 1.0).abs() < 0.1, "{} at {edge}: mean edge {mean}", sheet.name());
            let ratio = made.mesh.total_measure() / sheet.area();
            // Only chords of curved sheets and round rims reduce the area.
            let straight = matches!(
                sheet,
                Sheet::Square(_) | Sheet::Strip(_) | Sheet::Trouser(_) | Sheet::NotchedSquare(_) | Sheet::BoxFrame(_)
            );
            let most = if straight { 1e-12 } else { 0.012 * part * part };
            assert!((ratio - 1.0).abs() < most, "{} at {edge}: area {ratio}", sheet.name());
        }
    }
}

#[test]
fn every_sheet_has_its_topology() {
    for sheet in Sheet::all() {
        let made = checked(sheet, sheet.default_edge());
        let (expected_euler, loops) = match sheet {
            Sheet::HoledSquare(holed) => (1 - i64::from(holed.holes[0] * holed.holes[1]), 5),
            Sheet::Cylinder(_) => (0, 2),
            Sheet::Sphere(_) | Sheet::BoxFrame(_) => (2, 0),
            _ => (1, 1),
        };
        assert_eq!((euler(&made), made.boundary.len()), (expected_euler, loops), "{}", sheet.name());
    }
}

#[test]
fn flat_and_developable_sheets_keep_every_length_in_the_material() {
    for sheet in Sheet::all() {
        for part in [3.0, 1.0] {
            let worst = distortion(&checked(sheet, part * sheet.default_edge()));
            match sheet {
                // Edges are shortest at the icosahedron's corners, where they are 1.3 times as long
                // in the material.
                Sheet::Sphere(_) => assert!(worst < 0.3, "{worst}"),
                // Rings shrink by sin θ / θ; θ at the rim of the default dome is 67°.
                Sheet::Dome(_) => assert!(worst < 0.3, "{worst}"),
                _ => assert!(worst < 1e-12, "{}: {worst}", sheet.name()),
            }
        }
    }
}

#[test]
fn flat_sheets_lie_face_up_in_the_plane() {
    for sheet in Sheet::all().into_iter().filter(|sheet| sheet.size().y == 0.0) {
        let made = checked(sheet, sheet.default_edge());
        for triangle in made.mesh.element_ids() {
            let [a, b, c] = made.mesh.corners(triangle);
            assert!(a.y == 0.0 && (b - a).cross(&(c - a)).y > 0.0);
        }
    }
}

#[test]
fn curved_sheets_face_outward_and_lie_on_their_surface() {
    for sheet in [Sheet::Cylinder(Cylinder::default()), Sheet::Sphere(Sphere::default()), Sheet::Dome(Dome::default())]
    {
        let made = checked(sheet, sheet.default_edge());
        let centre = |at: Vec3| match sheet {
            Sheet::Cylinder(_) => Vec3::new(0.0, at.y, 0.0),
            Sheet::Dome(dome) => {
                let sphere = 0.5 * (dome.radius * dome.radius / dome.height + dome.height);
                Vec3::new(0.0, 0.5 * dome.height - sphere, 0.0)
            }
            _ => Vec3::zeros(),
        };
        let radius = (made.mesh.positions()[0] - centre(made.mesh.positions()[0])).norm();
        for &at in made.mesh.positions() {
            assert!(((at - centre(at)).norm() / radius - 1.0).abs() < 1e-12);
        }
        for triangle in made.mesh.element_ids() {
            let [a, b, c] = made.mesh.corners(triangle);
            let middle = (a + b + c) / 3.0;
            assert!((b - a).cross(&(c - a)).dot(&(middle - centre(middle))) > 0.0, "{}", sheet.name());
        }
    }
}

#[test]
fn slits_are_open_and_share_only_their_tip() {
    for (sheet, end, tip) in [
        (Sheet::Trouser(Trouser { length: 0.15, width: 0.06, slit: 0.05 }), -0.075, -0.025),
        (Sheet::NotchedSquare(NotchedSquare { size: 0.2, notch: 0.05, mouth: 0.0 }), -0.1, -0.05),
    ] {
        let made = checked(sheet, 0.005);
        let on_slit: Vec<Vec3> =
            made.mesh.positions().iter().copied().filter(|at| at.z == 0.0 && at.x < tip + 1e-9).collect();
        let at = |x: f64| on_slit.iter().filter(|point| (point.x - x).abs() < 1e-9).count();
        assert_eq!((at(end), at(0.5 * (end + tip)), at(tip)), (2, 2, 1), "{}", sheet.name());
        // The rim is a single loop that includes both sides of the slit.
        let length: f64 = (0..made.boundary[0].len())
            .map(|k| {
                let [a, b] = [k, (k + 1) % made.boundary[0].len()].map(|k| made.mesh.position(made.boundary[0][k]));
                (b - a).norm()
            })
            .sum();
        let size = sheet.size();
        assert!((length - 2.0 * (size.x + size.z + tip - end)).abs() < 1e-12);
    }
}

#[test]
fn a_v_notch_removes_its_triangle() {
    let notch = NotchedSquare { size: 0.2, notch: 0.08, mouth: 0.01 };
    let made = checked(Sheet::NotchedSquare(notch), 0.005);
    assert!((made.mesh.total_measure() - (0.04 - 0.0004)).abs() < 1e-14);
    assert!(made.mesh.positions().iter().any(|at| (at - Vec3::new(-0.02, 0.0, 0.0)).norm() < 1e-14));
}

#[test]
fn the_box_frame_has_bars_and_panes_with_lines_between() {
    let sheet = Sheet::BoxFrame(BoxFrame { size: [0.4, 0.2, 0.3], bar: 0.02 });
    for edge in [0.05, 0.02, 0.007] {
        let made = checked(sheet, edge);
        let pane: f64 = (made.mesh.element_ids().zip(&made.materials))
            .filter(|&(_, &material)| material == 1)
            .map(|(triangle, _)| made.mesh.measure(triangle))
            .sum();
        let expected = 2.0 * (0.36 * 0.16 + 0.16 * 0.26 + 0.36 * 0.26);
        assert!((pane / expected - 1.0).abs() < 1e-12);
        let length: f64 = (made.feature_edges.iter())
            .map(|ends| (made.mesh.position(ends[0]) - made.mesh.position(ends[1])).norm())
            .sum();
        // Twelve edges of the box, and the borders of six panes.
        let expected = 4.0 * 0.9 + 4.0 * (0.36 + 0.16 + 0.16 + 0.26 + 0.26 + 0.36);
        assert!((length / expected - 1.0).abs() < 1e-12, "{length} of {expected}");
        assert!(smallest_angle(&made) > 28.0);
    }
}

#[test]
fn areas_of_curved_sheets_converge_with_the_square_of_the_edge() {
    let sheets = [
        (Sheet::Disc(Disc { radius: 0.5 }), PI / 4.0),
        (Sheet::Cylinder(Cylinder { radius: 0.2, height: 1.0 }), TAU * 0.2),
        (Sheet::Sphere(Sphere { radius: 0.3 }), 4.0 * PI * 0.09),
        (Sheet::Dome(Dome { radius: 0.5, height: 0.5 }), PI / 2.0),
    ];
    for (sheet, area) in sheets {
        let missing = |edge: f64| 1.0 - checked(sheet, edge).mesh.total_measure() / area;
        let (coarse, fine) = (missing(0.04), missing(0.02));
        assert!(coarse > 0.0 && fine > 0.0 && (coarse / fine / 4.0 - 1.0).abs() < 0.15, "{coarse} {fine}");
    }
}

#[test]
fn the_same_sheet_has_the_same_bits() {
    for sheet in Sheet::all() {
        let edge = 2.0 * sheet.default_edge();
        assert_eq!(checked(sheet, edge), checked(sheet, edge));
    }
}

#[test]
fn coarse_meshes_exist_and_absurd_ones_are_refused() {
    for sheet in Sheet::all() {
        let made = sheet.mesh(1e12).unwrap_or_else(|error| panic!("{}: {error}", sheet.name()));
        made.mesh.validate().expect("a mesh");
        assert!(matches!(sheet.mesh(1e-12), Err(SheetError::TooFine { .. })));
        for edge in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(sheet.mesh(edge), Err(SheetError::BadLength { field: "edge", .. })));
        }
    }
}

#[test]
fn sizes_that_do_not_fit_are_refused() {
    let field = |sheet: Sheet| match sheet.check() {
        Err(SheetError::BadLength { field, .. } | SheetError::Misfit { field, .. }) => field,
        other => panic!("{other:?} for {sheet:?}"),
    };
    assert_eq!(field(Sheet::Square(Square { size: f64::NAN })), "size");
    assert_eq!(field(Sheet::Strip(Strip { length: 1.0, width: -1.0 })), "width");
    assert_eq!(field(Sheet::Disc(Disc { radius: f64::INFINITY })), "radius");
    assert_eq!(field(Sheet::Trouser(Trouser { slit: 0.2, ..Default::default() })), "slit");
    assert_eq!(field(Sheet::NotchedSquare(NotchedSquare { mouth: 0.3, ..Default::default() })), "mouth");
    assert_eq!(field(Sheet::HoledSquare(HoledSquare { hole_radius: 0.1, ..Default::default() })), "hole_radius");
    assert_eq!(field(Sheet::HoledSquare(HoledSquare { holes: [0, 2], ..Default::default() })), "holes");
    assert_eq!(field(Sheet::HoledSquare(HoledSquare { holes: [2, 1_000_000], ..Default::default() })), "holes");
    assert_eq!(field(Sheet::Cylinder(Cylinder { height: 0.0, ..Default::default() })), "height");
    assert_eq!(field(Sheet::Dome(Dome { radius: 1.0, height: 1e-9 })), "radius");
    assert_eq!(field(Sheet::BoxFrame(BoxFrame { bar: 0.1, ..Default::default() })), "bar");
}
