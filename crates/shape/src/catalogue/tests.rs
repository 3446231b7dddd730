use super::*;
use crate::domain::Domain;
use crate::surface::TriangleSurface;
use craze_math::Vec3;
use craze_mesh::TetMesh;
use proptest::prelude::*;

/// Shapes with a structured mesh.
fn structured_shapes() -> Vec<Shape> {
    vec![
        Shape::Box(Block { size: [1.0, 0.5, 0.25] }),
        Shape::Sphere(Sphere { radius: 0.4 }),
        Shape::Cylinder(Cylinder { radius: 0.3, height: 1.1 }),
    ]
}

fn made(shape: &Shape) -> &dyn BuiltIn {
    shape.built_in().expect("a built-in shape")
}

/// Smallest and largest dihedral angle (degrees).
fn angles(mesh: &TetMesh) -> (f64, f64) {
    mesh.element_ids().map(|tet| mesh.quality(tet)).fold((180.0, 0.0), |(low, high), quality| {
        (quality.smallest_dihedral.to_degrees().min(low), quality.largest_dihedral.to_degrees().max(high))
    })
}

#[test]
fn tetrahedra_fill_the_shape_without_gap_or_overlap() {
    for shape in structured_shapes() {
        let ideal = made(&shape);
        let field = ideal.field();
        for edge in [0.2, 0.07, 0.04] {
            let mesh = ideal.tetrahedra(edge).expect("a mesh").mesh;
            mesh.validate().expect("valid");
            // Positive elements whose total equals the enclosed volume cannot overlap.
            let boundary = mesh.boundary();
            let triangles = boundary.triangles.iter().map(|t| t.map(|node| node.0)).collect();
            let surface = TriangleSurface::new(mesh.positions().to_vec(), triangles).expect("sound");
            surface.check_closed().expect("closed");
            let total = mesh.total_measure();
            assert!((surface.volume() / total - 1.0).abs() < 1e-12, "{shape:?}");
            let ratio = total / ideal.volume();
            assert!(ratio < 1.0 + 1e-12 && ratio > 1.0 - 5.0 * edge * edge, "{shape:?} at {edge}: {ratio}");
            assert!(mesh.positions().iter().all(|point| field.distance(point) < 1e-12));
        }
    }
}

#[test]
fn dihedral_angles_of_lattices_keep_their_bounds_under_refinement() {
    for n in [1, 2, 3, 5, 8, 12] {
        let edge = 1.0 / f64::from(n);
        let of = |shape: &dyn BuiltIn| angles(&shape.tetrahedra(edge).expect("a mesh").mesh);
        let (low, high) = of(&Block { size: [1.0; 3] });
        assert!(low > 44.99 && high < 90.01, "box {n}: {low} {high}");
        let (low, high) = of(&Sphere { radius: 1.0 });
        assert!(low > 36.0 && high < 119.0, "sphere {n}: {low} {high}");
        let (low, high) = of(&Cylinder { radius: 1.0, height: 1.0 });
        assert!(low > 34.0 && high < 126.0, "cylinder {n}: {low} {high}");
    }
}

#[test]
fn surfaces_of_lattices_are_closed_and_outward() {
    for shape in structured_shapes() {
        let ideal = made(&shape);
        for edge in [1.0, 0.1, 0.02] {
            let surface = ideal.surface(edge).expect("a surface");
            let volume = surface.closed_volume().expect("closed");
            let ratio = volume / ideal.volume();
            assert!(ratio < 1.0 + 1e-12 && ratio > 0.6, "{shape:?} at {edge}: {ratio}");
            if edge == 0.02 {
                assert!(ratio > 0.995, "{shape:?}: {ratio}");
            }
            assert!((surface.bounds().size().y - ideal.size().y).abs() < 0.2 * ideal.size().y);
        }
    }
}

#[test]
fn invalid_lengths_are_rejected_by_name() {
    assert!(matches!(
        Block { size: [1.0, -1.0, 1.0] }.tetrahedra(0.1),
        Err(ShapeError::BadLength { field: "size", value: -1.0 })
    ));
    assert!(matches!(Sphere { radius: f64::NAN }.surface(0.1), Err(ShapeError::BadLength { field: "radius", .. })));
    let ball = Sphere { radius: 1.0 };
    assert!(matches!(ball.tetrahedra(0.0), Err(ShapeError::BadLength { field: "edge", .. })));
    assert!(matches!(ball.tetrahedra(1e-300), Err(ShapeError::TooFine { .. })));
    assert!(matches!(Block { size: [1e300; 3] }.tetrahedra(1e-10), Err(ShapeError::TooFine { field: "edge", .. })));
}

#[test]
fn incompatible_parameters_report_the_allowed_range() {
    let cases: Vec<(Shape, &str, &str)> = vec![
        (Shape::HollowSphere(HollowSphere { radius: 0.05, wall: 0.06 }), "wall", "below radius = 0.05 m"),
        (Shape::Dome(Dome { radius: 0.1, height: 0.2, wall: 0.01 }), "height", "at most radius = 0.1 m"),
        (Shape::Bowl(Bowl { height: Some(0.3), ..Bowl::default() }), "height", "half a sphere on the foot"),
        (Shape::Mug(Mug { handle: 0.05, ..Mug::default() }), "handle", "a sixth of height"),
        (Shape::Vase(Vase { neck: 0.06, ..Vase::default() }), "neck", "0.7 of radius"),
        (
            Shape::Plate(Plate {
                holes: vec![Hole::default(), Hole { at: [0.03, 0.0], radius: 0.02 }],
                ..Plate::default()
            }),
            "holes[1].radius",
            "another hole",
        ),
        (
            Shape::Plate(Plate { notch: Some(Notch { length: 0.09, width: 0.004 }), ..Plate::default() }),
            "holes[0].radius",
            "the notch",
        ),
        (Shape::Heart(Heart { width: 0.1, thickness: 0.2 }), "thickness", "half of width"),
        (Shape::Cheese(Cheese { holes: 100, ..Cheese::default() }), "holes", "for which there is room"),
        (Shape::Figure(Figure { arms: 180.0, ..Figure::default() }), "arms", "20° to 110°"),
        (Shape::Rabbit(Rabbit { ears: 0.15, ..Rabbit::default() }), "ears", "0.15 to 0.5 of the height"),
        (Shape::BrickWall(BrickWall { mortar: 0.1, ..BrickWall::default() }), "brick", "three times mortar"),
        (Shape::Letters(Letters { text: "CRÆZE".into(), ..Letters::default() }), "text", "no letter 'Æ'"),
        (Shape::Letters(Letters { text: " ".into(), ..Letters::default() }), "text", "no letters"),
    ];
    for (shape, field, words) in cases {
        let error = shape.check().expect_err(words);
        assert_eq!(error.field(), Some(field), "{error}");
        assert!(error.to_string().contains(words), "{error}");
        assert!(made(&shape).tetrahedra(0.01).is_err());
    }
}

/// Largest signed coordinate (m) inside the field along an axis, by cell subdivision to `tolerance`
/// (m).
fn max_coordinate(field: &crate::field::Field, axis: usize, sign: f64, tolerance: f64) -> f64 {
    let bounds = field.bounds();
    let mut known = f64::NEG_INFINITY;
    // The cells of this level that may exceed the known maximum.
    let mut width = bounds.size().max();
    let mut cells = vec![bounds.centre()];
    while width > 0.5 * tolerance {
        let distances: Vec<f64> = cells.iter().map(|centre| field.distance(centre)).collect();
        for (centre, &distance) in cells.iter().zip(&distances).filter(|(_, distance)| **distance < 0.0) {
            // The ball of this radius is inside as well.
            known = known.max(sign * centre[axis] - distance);
        }
        let may_hold = |centre: &Vec3, distance: f64| {
            distance <= 0.5 * 3.0_f64.sqrt() * width && sign * centre[axis] + 0.5 * width > known + tolerance
        };
        let quarter = |k: usize| Vec3::from_fn(|axis, _| if k >> axis & 1 == 1 { 0.25 } else { -0.25 }) * width;
        cells = cells
            .iter()
            .zip(distances)
            .filter(|(centre, distance)| may_hold(centre, *distance))
            .flat_map(|(centre, _)| (0..8).map(|k| centre + quarter(k)).collect::<Vec<_>>())
            .collect();
        width *= 0.5;
    }
    known
}

#[test]
fn sizes_match_the_fields_which_are_centred_at_the_origin() {
    for shape in Shape::all() {
        let ideal = made(&shape);
        let half = 0.5 * ideal.size();
        let field = ideal.field();
        let tolerance = 2e-3 * ideal.size().max();
        for axis in 0..3 {
            for sign in [-1.0, 1.0] {
                let found = max_coordinate(&field, axis, sign, tolerance);
                let name = shape.name();
                assert!((found - half[axis]).abs() < 2.0 * tolerance, "{name} {axis} {sign}: {found} {}", half[axis]);
            }
        }
    }
}

#[test]
fn exact_volumes_agree_with_integrated_volumes() {
    let shapes = [
        Shape::Bowl(Bowl { foot: Some(0.0), height: Some(0.05), ..Bowl::default() }),
        Shape::Bowl(Bowl { radius: 0.1, height: Some(0.105), wall: 0.01, foot: Some(0.0) }),
        Shape::Dome(Dome { radius: 0.1, height: 0.1, wall: 0.02 }),
        Shape::HollowSphere(HollowSphere { radius: 0.1, wall: 0.04 }),
        Shape::Plate(Plate {
            holes: vec![Hole { at: [0.05, 0.02], radius: 0.01 }, Hole { at: [0.0, -0.02], radius: 0.02 }],
            notch: Some(Notch { length: 0.04, width: 0.01 }),
            ..Plate::default()
        }),
    ];
    for shape in Shape::all().into_iter().chain(shapes) {
        let ideal = made(&shape);
        let Some(exact) = ideal.exact_volume() else { continue };
        let added = ideal.field().integrated_volume(ideal.thinnest_wall());
        assert!((added / exact - 1.0).abs() < 1e-3, "{shape:?}: {added} for {exact}");
    }
    // Half a hollow sphere in closed form.
    let dome = Dome { radius: 0.1, height: 0.1, wall: 0.02 };
    let half = 2.0 / 3.0 * std::f64::consts::PI * (0.1_f64.powi(3) - 0.08_f64.powi(3));
    assert!((dome.volume() / half - 1.0).abs() < 1e-12);
}

#[test]
fn defaults_are_valid_and_have_a_sensible_resolution() {
    for shape in Shape::all() {
        shape.check().unwrap_or_else(|error| panic!("{}: {error}", shape.name()));
        let ideal = made(&shape);
        let edge = ideal.default_edge();
        let count = crate::resolution::TETRAHEDRA_PER_CUBIC_EDGE * ideal.volume() / edge.powi(3);
        assert!((5_000.0..220_000.0).contains(&count), "{}: {count}", shape.name());
        // Two elements fit through every wall.
        assert!(ideal.thinnest_wall() >= 1.95 * edge, "{}", shape.name());
    }
}

/// Checks dihedral angles, volume and the distance of the surface from the field.
fn check_tetrahedra(shape: &Shape, edge: f64) {
    let (ideal, name) = (made(shape), shape.name());
    let Tetrahedra { mesh, report, .. } = ideal.tetrahedra(edge).unwrap_or_else(|error| panic!("{name}: {error}"));
    // Tetrahedra snapped to features have a separate, weaker bound.
    let (lowest, highest) = angles(&mesh);
    let (low, high) =
        report.as_ref().map_or((lowest, highest), |report| (report.dihedral.smallest, report.dihedral.largest));
    assert!(low > 10.0 && high < 165.0, "{name}: {low}° to {high}°");
    assert!(lowest > 5.0 && highest < 172.0, "{name}: {lowest}° to {highest}° with snapped ones");
    let volume = TriangleSurface::around(&mesh).closed_volume().unwrap_or_else(|error| panic!("{name}: {error}"));
    // Structured meshes are inscribed.
    let slack = if report.is_some() { 0.01 } else { 0.03 };
    assert!((volume / ideal.volume() - 1.0).abs() < slack, "{name}: {volume} for {}", ideal.volume());
    let field = ideal.field();
    for triangle in mesh.boundary().triangles {
        let [a, b, c] = triangle.map(|node| mesh.position(node));
        for point in [a, (a + b) * 0.5, (b + c) * 0.5, (c + a) * 0.5, (a + b + c) / 3.0] {
            let distance = field.distance(&point).abs();
            assert!(distance < 0.3 * edge, "{name}: {} edges at {point:?}", distance / edge);
        }
    }
}

#[test]
#[ignore = "long: every shape at its default edge"]
fn every_shape_has_good_tetrahedra_at_its_default_edge() {
    Shape::all().iter().for_each(|shape| check_tetrahedra(shape, made(shape).default_edge()));
}

#[test]
#[ignore = "long: a million tetrahedra"]
fn every_shape_has_good_tetrahedra_at_all_edge_lengths() {
    for shape in Shape::all() {
        for cells in [20.0, 27.0, 40.0, 63.0] {
            check_tetrahedra(&shape, made(&shape).size().max() / cells);
        }
    }
}

#[test]
fn letters_are_separate_pieces() {
    // The exclamation mark has two pieces.
    for (text, count) in [("CRAZE", 5), ("Hi 8!", 5), ("Q", 1)] {
        let letters = Letters { text: text.to_owned(), ..Letters::default() };
        // Coarser than the default, which is harder.
        let mesh = letters.tetrahedra(1.5 * letters.default_edge()).expect("letters").mesh;
        assert_eq!(mesh.pieces().count, count, "{text}");
    }
}

#[test]
fn names_match_the_scene_keys() {
    let text = serde_json::to_value(Shape::all()).expect("JSON");
    for (shape, written) in Shape::all().iter().zip(text.as_array().expect("a list")) {
        assert_eq!(written.as_object().expect("a table").keys().collect::<Vec<_>>(), [shape.name()]);
        // Every parameter is optional.
        let bare: Shape = serde_json::from_value(serde_json::json!({ shape.name(): {} })).expect("defaults");
        assert_eq!(&bare, shape);
    }
}

#[test]
fn a_brick_wall_has_its_bricks_and_joints() {
    let wall = BrickWall { bricks: [3, 4], ..BrickWall::default() };
    let bricks = wall.bricks();
    // Two courses of three bricks, and two courses of two with half bricks at both ends.
    assert_eq!(bricks.len(), 2 * 3 + 2 * 4);
    let exact: f64 = bricks.iter().map(|(_, size)| size.product()).sum();
    for edge in [0.1, 0.03, 0.008] {
        let Tetrahedra { mesh, regions, .. } = wall.tetrahedra(edge).expect("a wall");
        let (low, high) = angles(&mesh);
        assert!(low > 13.9 && high < 90.01, "{low} {high}");
        let volume = |region: u16| -> f64 {
            mesh.element_ids().filter(|tet| regions[tet.index()] == region).map(|tet| mesh.measure(tet)).sum()
        };
        assert!((volume(0) / exact - 1.0).abs() < 1e-9, "{}", volume(0));
        assert!(((volume(0) + volume(1)) / wall.volume() - 1.0).abs() < 1e-9);
    }
}

#[test]
fn the_seed_determines_the_holes_of_a_cheese() {
    let point = |seed: u32| {
        let field = Cheese { seed, ..Cheese::default() }.field();
        (0..50).map(|k| field.distance(&Vec3::new(0.0, 0.0, 0.002 * f64::from(k - 25)))).collect::<Vec<f64>>()
    };
    assert_eq!(point(7), point(7));
    assert_ne!(point(7), point(8));
}

proptest! {
    #[test]
    fn the_distance_of_every_shape_is_1_lipschitz(
        from in [-0.6..0.6_f64, -0.6..0.6, -0.6..0.6],
        direction in [-1.0..1.0_f64, -1.0..1.0, -1.0..1.0],
        length in 1e-4..0.5_f64,
    ) {
        let Some(direction) = Vec3::from(direction).try_normalize(1e-3) else { return Ok(()) };
        for shape in Shape::all() {
            let size = made(&shape).size();
            let field = made(&shape).field();
            let start = Vec3::from(from).component_mul(&size);
            let step = length * size.max();
            let change = (field.distance(&(start + step * direction)) - field.distance(&start)).abs();
            prop_assert!(change <= step * (1.0 + 1e-9), "{}: {change} over {step}", shape.name());
        }
    }
}
