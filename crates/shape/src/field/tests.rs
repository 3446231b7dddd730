use std::f64::consts::PI;

use proptest::prelude::*;

use super::*;

/// Name, field and an independent membership test.
type Case = (&'static str, Field, fn(&Vec3) -> bool);

fn within(value: f64, limit: f64) -> bool {
    value.abs() <= limit
}

fn primitives() -> Vec<Case> {
    let triangle = vec![[0.0, -0.4], [0.6, 0.3], [-0.5, 0.4]];
    // The triangle is counter-clockwise: inside is to the left of each side.
    fn in_triangle(p: &Vec3) -> bool {
        let corners = [[0.0, -0.4], [0.6, 0.3], [-0.5, 0.4]];
        (0..3).all(|k| {
            let (a, b): (Point2, Point2) = (corners[k], corners[(k + 1) % 3]);
            (b[0] - a[0]) * (p.y - a[1]) - (b[1] - a[1]) * (p.x - a[0]) >= 0.0
        })
    }
    vec![
        ("sphere", Field::sphere(0.5), |p| p.norm() <= 0.5),
        ("block", Field::block(Vec3::new(1.0, 0.6, 0.4), 0.0), |p| {
            within(p.x, 0.5) && within(p.y, 0.3) && within(p.z, 0.2)
        }),
        ("rounded block", Field::block(Vec3::new(1.0, 0.6, 0.4), 0.1), |p| {
            let beyond = Vec3::new(p.x.abs() - 0.4, p.y.abs() - 0.2, p.z.abs() - 0.1).sup(&Vec3::zeros());
            beyond.norm() <= 0.1
        }),
        ("cylinder", Field::cylinder(0.4, 0.9), |p| p.x.hypot(p.z) <= 0.4 && within(p.y, 0.45)),
        ("frustum", Field::frustum(0.6, 0.2, 0.8), |p| within(p.y, 0.4) && p.x.hypot(p.z) <= 0.4 - 0.5 * p.y),
        ("ellipsoid", Field::ellipsoid(Vec3::new(0.5, 0.2, 0.7)), |p| {
            Vec3::new(p.x / 0.5, p.y / 0.2, p.z / 0.7).norm() <= 1.0
        }),
        ("capsule", Field::capsule(Vec3::new(-0.3, 0.0, 0.0), Vec3::new(0.3, 0.0, 0.0), 0.2), |p| {
            (p.x.abs() - 0.3).max(0.0).hypot(p.y.hypot(p.z)) <= 0.2
        }),
        ("round cone", Field::round_cone(Vec3::zeros(), Vec3::new(0.0, 0.6, 0.0), [0.3, 0.1]), |p| {
            // The union of balls whose radius decreases linearly.
            (0..=3000).any(|k| {
                let fraction = f64::from(k) / 3000.0;
                (p - Vec3::new(0.0, 0.6 * fraction, 0.0)).norm() <= 0.3 - 0.2 * fraction
            })
        }),
        ("torus", Field::torus(0.5, 0.15), |p| (p.x.hypot(p.z) - 0.5).powi(2) + p.y * p.y <= 0.15 * 0.15),
        ("half-space", Field::half_space(Vec3::new(0.6, 0.8, 0.0), 0.1), |p| 0.6 * p.x + 0.8 * p.y <= 0.1),
        ("tube", Field::tube(Path::new().arc([0.0, 0.0], 0.5, [0.0, 180.0]), 0.1), |p| {
            let ring = (p.x.hypot(p.y) - 0.5).hypot(p.z) <= 0.1 && p.y >= 0.0;
            ring || (p - Vec3::new(0.5, 0.0, 0.0)).norm() <= 0.1 || (p + Vec3::new(0.5, 0.0, 0.0)).norm() <= 0.1
        }),
        ("prism", Field::extrusion(Profile::polygon(triangle), 0.5), |p| within(p.z, 0.25) && in_triangle(p)),
        ("sector", Field::extrusion(Profile::sector(0.7, 80.0), 0.5), |p| {
            within(p.z, 0.25) && p.x.hypot(p.y) <= 0.7 && p.x.abs().atan2(p.y) <= 40.0_f64.to_radians()
        }),
        ("wide sector", Field::extrusion(Profile::sector(0.7, 250.0), 0.5), |p| {
            within(p.z, 0.25) && p.x.hypot(p.y) <= 0.7 && p.x.abs().atan2(p.y) <= 125.0_f64.to_radians()
        }),
        ("bead", Field::revolution(Profile::circle([0.4, 0.1], 0.2)), |p| {
            (p.x.hypot(p.z) - 0.4).hypot(p.y - 0.1) <= 0.2
        }),
    ]
}

/// Fields of each operation.
fn compounds() -> Vec<(&'static str, Field)> {
    let ball = Field::sphere(0.5);
    let bar = Field::block(Vec3::new(1.2, 0.3, 0.3), 0.05);
    let egg = Field::ellipsoid(Vec3::new(0.4, 0.6, 0.3)).translated(Vec3::new(0.2, 0.2, 0.0));
    vec![
        ("union", Field::union(vec![ball.clone(), bar.clone(), egg.clone()])),
        ("intersection", Field::intersection(vec![ball.clone(), bar.clone()])),
        ("difference", ball.clone().without(bar.clone())),
        ("blend", bar.clone().smooth_union(egg.clone(), 0.2)),
        ("offset", egg.clone().offset(0.1)),
        ("inset", egg.clone().offset(-0.1)),
        ("shell", egg.clone().shell(0.1)),
        ("mirror", egg.clone().mirrored(0)),
        (
            "placed",
            bar.clone().transformed(
                Isometry::from_parts(Vec3::new(0.1, -0.2, 0.3).into(), Rotation::new(Vec3::new(0.5, 1.0, -0.3))),
                0.7,
            ),
        ),
        ("row", Field::sphere(0.1).repeated(Vec3::new(0.25, 0.1, 0.0), 4)),
        (
            "outline",
            Field::extrusion(
                Profile::union(vec![
                    Profile::stroke(Path::new().line(&[[-0.6, 0.0], [0.0, 0.5], [0.5, -0.2]]), 0.15),
                    Profile::circle([0.6, 0.5], 0.1),
                ]),
                0.3,
            ),
        ),
        (
            "heart",
            Field::extrusion(
                Profile::rectangle([0.8, 0.4])
                    .smooth_union(Profile::circle([0.3, 0.3], 0.3), 0.2)
                    .without(Profile::circle([-0.1, 0.0], 0.1)),
                0.2,
            ),
        ),
    ]
}

fn all_fields() -> Vec<(&'static str, Field)> {
    primitives().into_iter().map(|(name, field, _)| (name, field)).chain(compounds()).collect()
}

fn point() -> impl Strategy<Value = Vec3> {
    [-1.2..1.2_f64, -1.2..1.2, -1.2..1.2].prop_map(Vec3::from)
}

fn direction() -> impl Strategy<Value = Vec3> {
    point().prop_filter_map("too short", |vector| vector.try_normalize(1e-3))
}

proptest! {
    #[test]
    fn the_distance_is_1_lipschitz(from in point(), unit in direction(), length in 1e-4..1.0_f64) {
        let to = from + length * unit;
        for (name, field) in all_fields() {
            let change = (field.distance(&to) - field.distance(&from)).abs();
            prop_assert!(change <= length * (1.0 + 1e-9), "{name}: {change} over {length}");
        }
    }

    #[test]
    fn the_sign_agrees_with_membership(point in point()) {
        for (name, field, inside) in primitives() {
            let distance = field.distance(&point);
            if distance.abs() > 1e-4 {
                prop_assert_eq!(distance < 0.0, inside(&point), "{} at {}: {}", name, point, distance);
            }
        }
    }

    #[test]
    fn no_surface_lies_within_the_clearance(point in point(), unit in direction(), fraction in 0.0..1.0_f64) {
        for (name, field) in all_fields() {
            let inside = field.contains(&point);
            let clearance = field.clearance(&point);
            if clearance > 1e-9 {
                prop_assert_eq!(field.contains(&(point + fraction * (1.0 - 1e-9) * clearance * unit)), inside, "{}", name);
            }
        }
    }

    #[test]
    fn the_bounds_contain_the_inside(point in point()) {
        for (name, field) in all_fields() {
            prop_assert!(!field.contains(&point) || field.bounds().contains(&point), "{name} at {point}");
        }
    }

    #[test]
    fn set_operations_agree_with_boolean_logic(point in point()) {
        let fields = all_fields();
        for pair in fields.windows(2) {
            let (a, b) = (pair[0].1.clone(), pair[1].1.clone());
            let (in_a, in_b) = (a.contains(&point), b.contains(&point));
            if a.clearance(&point).min(b.clearance(&point)) < 1e-9 {
                continue;
            }
            let both = |one: &Field, other: &Field| vec![one.clone(), other.clone()];
            prop_assert_eq!(Field::union(both(&a, &b)).contains(&point), in_a || in_b);
            prop_assert_eq!(Field::intersection(both(&a, &b)).contains(&point), in_a && in_b);
            prop_assert_eq!(a.clone().without(b.clone()).contains(&point), in_a && !in_b);
            // Bitwise independent of the order of parts.
            let (one, other) = (Field::union(both(&a, &b)), Field::union(both(&b, &a)));
            prop_assert_eq!(one.distance(&point), other.distance(&point));
            // A blend contains the union and exceeds it by at most a quarter of its length.
            let blend = a.clone().smooth_union(b.clone(), 0.2);
            let union = Field::union(both(&a, &b)).distance(&point);
            let lowered = union - blend.distance(&point);
            prop_assert!((-1e-12..=0.05 + 1e-12).contains(&lowered), "{lowered}");
        }
    }

    #[test]
    fn inverse_transforms_restore_the_distance(point in point(), unit in direction(), factor in 0.3..3.0_f64) {
        let turn = Rotation::new(2.0 * unit);
        for (name, field) in all_fields() {
            let there = field.clone().scaled(factor).rotated(turn).translated(unit);
            let back = there.translated(-unit).rotated(turn.inverse()).scaled(1.0 / factor);
            prop_assert!((back.distance(&point) - field.distance(&point)).abs() < 1e-12, "{name}");
        }
    }
}

#[test]
fn normals_point_outward() {
    let ball = Field::sphere(0.5);
    let unit = Vec3::new(0.6, 0.0, 0.8);
    assert!((ball.normal(&(0.5 * unit)).expect("a normal") - unit).norm() < 1e-8);
    assert_eq!(ball.normal(&Vec3::zeros()), None);
    let shell = Field::sphere(0.5).without(Field::sphere(0.4));
    assert!((shell.normal(&(0.4 * unit)).expect("a normal") + unit).norm() < 1e-8);
}

#[test]
fn integrated_volumes_agree_with_formulas() {
    let cases = [
        ("sphere", Field::sphere(0.5), 4.0 / 3.0 * PI * 0.125, 1.0),
        ("ellipsoid", Field::ellipsoid(Vec3::new(0.5, 0.2, 0.7)), 4.0 / 3.0 * PI * 0.07, 0.4),
        ("thin shell", Field::sphere(0.5).shell(0.02), PI / 6.0 * (1.02_f64.powi(3) - 0.98_f64.powi(3)), 0.02),
        ("box", Field::block(Vec3::new(1.0, 0.37, 0.011), 0.0), 0.37 * 0.011, 0.011),
        (
            "turned box",
            Field::block(Vec3::new(1.0, 0.3, 0.05), 0.0).rotated(Rotation::new(Vec3::new(0.3, 1.0, 0.5))),
            0.015,
            0.05,
        ),
        ("torus", Field::torus(0.5, 0.1), 2.0 * PI * PI * 0.5 * 0.01, 0.2),
        ("frustum", Field::frustum(0.6, 0.2, 0.8), PI * 0.8 / 3.0 * (0.36 + 0.12 + 0.04), 0.4),
        ("nothing", Field::union(Vec::new()), 0.0, 1.0),
        ("no end", Field::half_space(Vec3::y(), 0.0), 0.0, 1.0),
    ];
    for (name, field, exact, thinnest) in cases {
        let found = field.integrated_volume(thinnest);
        assert!((found - exact).abs() <= 1e-3 * exact, "{name}: {found} for {exact}");
    }
}

#[test]
fn regions_follow_transforms() {
    let bar = Field::block(Vec3::new(1.0, 0.2, 0.2), 0.0);
    let tip = Field::half_space(-Vec3::x(), -0.3);
    let painted = bar.with_region(tip, 1).translated(Vec3::new(0.0, 1.0, 0.0));
    assert_eq!(painted.region(&Vec3::new(0.4, 1.0, 0.0)), 1);
    assert_eq!(painted.region(&Vec3::new(0.2, 1.0, 0.0)), 0);
}
