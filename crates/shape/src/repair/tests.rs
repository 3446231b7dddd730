use std::f64::consts::PI;

use craze_math::{Random, Vec3};

use super::*;
use crate::catalogue::{Block, BuiltIn, Cylinder, Sphere};
use crate::domain::Domain;

fn cube() -> TriangleSurface {
    Block { size: [1.0; 3] }.surface(1.0).expect("a box")
}

pub(super) fn ball(radius: f64) -> TriangleSurface {
    Sphere { radius }.surface(radius / 8.0).expect("a ball")
}

fn moved(mut surface: TriangleSurface, by: Vec3) -> TriangleSurface {
    surface.positions.iter_mut().for_each(|point| *point += by);
    surface
}

pub(super) fn inward(mut surface: TriangleSurface) -> TriangleSurface {
    surface.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    surface
}

pub(super) fn joined(parts: &[TriangleSurface]) -> TriangleSurface {
    let mut all = TriangleSurface::default();
    for part in parts {
        let offset = all.positions.len() as u32;
        all.positions.extend(&part.positions);
        all.triangles.extend(part.triangles.iter().map(|t| t.map(|point| point + offset)));
    }
    all
}

fn without_seams(surface: &TriangleSurface) -> TriangleSurface {
    let positions = surface.triangles.iter().flat_map(|t| surface.corners(t)).collect();
    let triangles = (0..surface.triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    TriangleSurface { positions, triangles }
}

fn domain(surface: &TriangleSurface) -> (SurfaceDomain, Findings) {
    SurfaceDomain::new(surface).expect("an inside")
}

#[test]
fn a_clean_cube_is_left_as_it_is() {
    let repaired = repair(&cube()).expect("a cube");
    assert_eq!(repaired.surface, cube());
    assert_eq!(repaired.source_triangles, (0..12).collect::<Vec<_>>());
    let findings = &repaired.findings;
    assert!(findings.is_clean(), "{:?}", findings.warnings());
    assert!(findings.closed && findings.components == 1 && findings.intersections == 0);
    assert!((findings.volume.expect("closed") - 1.0).abs() < 1e-15 && (findings.area - 6.0).abs() < 1e-14);
    let (domain, _) = domain(&cube());
    assert_eq!(domain.volume(), findings.volume);
    assert!((domain.clearance(&Vec3::zeros()) - 0.5).abs() < 1e-15);
    assert!((domain.clearance(&Vec3::new(0.9, 0.1, 0.0)) - 0.4).abs() < 1e-15);
    assert_eq!(domain.normal(&Vec3::new(0.1, 0.49, 0.2)), Some(Vec3::y()));
}

#[test]
fn triangles_stored_apart_are_one_surface() {
    let findings = examine(&without_seams(&ball(1.0))).expect("sound");
    assert!(findings.is_clean() && findings.closed && findings.components == 1);
    assert_eq!(findings.merged_points, findings.points - ball(1.0).positions.len());
}

#[test]
fn a_cube_without_a_lid_is_open_and_still_has_an_inside() {
    let mut open = cube();
    open.triangles.truncate(10);
    let (domain, findings) = domain(&open);
    assert_eq!((findings.open_edges, findings.open_loops, findings.closed), (4, 1, false));
    let [warning] = &findings.warnings()[..] else { panic!("one warning") };
    assert!(warning.starts_with("the surface is open: 4 edges in 1 loop border one triangle only"), "{warning}");
    assert!(domain.contains(&Vec3::zeros()) && !domain.contains(&Vec3::new(0.0, 0.0, 1.0)));
    // The missing face is z = +½: across it the level falls smoothly and bulges a little.
    let volume = domain.volume().expect("measured");
    assert!((volume - 1.0).abs() < 0.25, "{volume}");
    let edge = Vec3::new(0.0, 0.0, 0.5);
    assert!(domain.normal(&edge).expect("a slope").dot(&Vec3::z()) > 0.99);
    let mut random = Random::new(5);
    for _ in 0..300 {
        let point = random.direction() * (0.9 * random.number());
        let (inside, radius) = (domain.contains(&point), domain.clearance(&point));
        for _ in 0..20 {
            let other = point + random.direction() * (radius * random.number());
            assert_eq!(domain.contains(&other), inside, "{point} {radius} {other}");
        }
    }
}

#[test]
fn a_doubled_cube_is_one_cube_whatever_the_orientation_of_the_copies() {
    for copies in [vec![cube(), cube()], vec![cube(), inward(cube())], vec![inward(cube()), cube(), cube()]] {
        let (domain, findings) = domain(&joined(&copies));
        assert_eq!(findings.duplicate_triangles, 12 * (copies.len() - 1));
        assert!(findings.closed && (domain.volume().expect("known") - 1.0).abs() < 1e-12);
        assert!((domain.winding_number(&Vec3::zeros()) - 1.0).abs() < 0.01);
    }
}

#[test]
fn a_flipped_face_is_flipped_back() {
    let mut flipped = cube();
    flipped.triangles[4].swap(0, 1);
    flipped.triangles[5].swap(0, 1);
    let repaired = repair(&flipped).expect("sound");
    assert_eq!(repaired.findings.flipped_triangles, 2);
    assert!(repaired.flipped[4] && repaired.flipped[5] && !repaired.flipped[0]);
    repaired.surface.closed_volume().expect("closed again");
    assert_eq!(repaired.findings.inside_out_shells, 0);
}

#[test]
fn an_inside_out_ball_is_flipped() {
    let (domain, findings) = domain(&inward(ball(1.0)));
    assert_eq!((findings.inside_out_shells, findings.flipped_triangles), (1, 0));
    assert!(domain.contains(&Vec3::zeros()) && findings.volume.expect("closed") > 4.0);
    assert_eq!(findings.warnings(), ["1 shell was inside out and flipped"]);
    // The same with a hole.
    let mut holed = inward(ball(1.0));
    holed.triangles.drain(0..5);
    let (domain, findings) = self::domain(&holed);
    assert!(domain.contains(&Vec3::zeros()) && findings.inside_out_shells == 1);
}

#[test]
fn two_overlapping_cubes_are_joined() {
    let both = joined(&[cube(), moved(cube(), Vec3::new(0.5, 0.25, 0.125))]);
    let (domain, findings) = domain(&both);
    assert!(findings.intersections > 0 && findings.closed && findings.components == 2);
    assert!(domain.contains(&Vec3::new(0.25, 0.1, 0.1)));
    let expected = 2.0 - 0.5 * 0.75 * 0.875;
    assert!((domain.volume().expect("measured") - expected).abs() < 0.01 * expected);
    let position = findings.first_intersection.expect("a place");
    assert!(position.amax() <= 0.5 + 1e-12, "{position}");
}

#[test]
fn a_ball_in_a_ball_is_a_cavity_or_changes_nothing() {
    let (outer, inner) = (ball(1.0), ball(0.5));
    let (solid, hollow) = (outer.volume(), outer.volume() - inner.volume());
    for (parts, volume, cavities, nested, flipped) in [
        (joined(&[outer.clone(), inward(inner.clone())]), hollow, 1, 0, 0),
        (joined(&[inner.clone(), outer.clone()]), solid, 0, 1, 0),
        (joined(&[inner.clone(), inward(outer.clone())]), hollow, 1, 0, 1),
        (joined(&[inward(outer.clone()), inward(inner.clone())]), solid, 0, 1, 1),
    ] {
        let (domain, findings) = domain(&parts);
        assert_eq!(
            (findings.cavities, findings.nested_shells, findings.inside_out_shells),
            (cavities, nested, flipped)
        );
        assert_eq!(domain.contains(&Vec3::zeros()), cavities == 0);
        assert!(domain.contains(&Vec3::new(0.75, 0.0, 0.0)));
        let measured = domain.volume().expect("known");
        assert!((measured / volume - 1.0).abs() < 0.005, "{measured} {volume}");
    }
}

#[test]
fn an_island_in_a_cavity_is_solid() {
    let parts = joined(&[ball(1.0), inward(ball(0.7)), inward(ball(0.4))]);
    let (domain, findings) = domain(&parts);
    assert_eq!((findings.cavities, findings.inside_out_shells), (1, 1));
    assert!(domain.contains(&Vec3::zeros()) && !domain.contains(&Vec3::new(0.55, 0.0, 0.0)));
}

#[test]
fn three_open_bodies_are_meshed_as_one() {
    // A pot, a lid and a spout, all open.
    let keep = |surface: TriangleSurface, test: &dyn Fn(&Vec3) -> bool| {
        let triangles = surface.triangles.iter().copied().filter(|t| surface.corners(t).iter().all(test)).collect();
        TriangleSurface { triangles, ..surface }
    };
    let pot = keep(ball(1.0), &|point| point.y < 0.8);
    let lid = moved(keep(ball(0.6), &|point| point.y > -0.3), Vec3::new(0.0, 1.2, 0.0));
    let tube = Cylinder { radius: 0.2, height: 1.0 }.surface(0.05).expect("a cylinder");
    let spout = moved(keep(tube, &|point| point.x.hypot(point.z) > 0.19), Vec3::new(1.0, 0.0, 0.0));
    let (domain, findings) = domain(&joined(&[pot, lid, spout]));
    assert_eq!((findings.components, findings.closed), (3, false));
    assert_eq!(findings.open_loops, 4);
    assert_eq!(findings.inside_out_shells, 0);
    for inside in [Vec3::zeros(), Vec3::new(0.0, 1.3, 0.0), Vec3::new(1.0, 0.1, 0.0)] {
        assert!(domain.contains(&inside), "{inside}");
    }
    assert!(!domain.contains(&Vec3::new(1.0, 1.0, 1.0)));
}

/// A strip of width 0.6 around a circle of radius 1, with half a twist.
fn moebius() -> TriangleSurface {
    let steps = 60;
    let positions: Vec<Vec3> = (0..steps)
        .flat_map(|step| {
            let angle = 2.0 * PI * f64::from(step) / f64::from(steps);
            let out = Vec3::new(angle.cos(), 0.0, angle.sin());
            let across = out * (angle / 2.0).cos() + Vec3::y() * (angle / 2.0).sin();
            [out - across * 0.3, out + across * 0.3]
        })
        .collect();
    let triangles = (0..steps as u32)
        .flat_map(|step| {
            let (a, b) = (2 * step, 2 * step + 1);
            // The last segment joins the first with opposite orientation.
            let (c, d) = if step + 1 == steps as u32 { (1, 0) } else { (a + 2, b + 2) };
            [[a, b, c], [b, d, c]]
        })
        .collect();
    TriangleSurface { positions, triangles }
}

#[test]
fn a_surface_without_an_inside_is_refused() {
    let sheet = Block { size: [1.0; 3] }.surface(1.0).expect("a box");
    let triangle = TriangleSurface { triangles: vec![sheet.triangles[0]], ..sheet.clone() };
    let square = TriangleSurface { triangles: sheet.triangles[..2].to_vec(), ..sheet };
    for (surface, open) in [(triangle, 3), (square, 4)] {
        let error = SurfaceDomain::new(&surface).expect_err("no inside");
        assert!(matches!(error, ShapeError::NoInterior { open_edges, .. } if open_edges == open), "{error}");
        assert!(error.to_string().contains("a solid needs a closed surface"), "{error}");
    }
    assert_eq!(examine(&moebius()).expect("sound").one_sided_patches, 1);
    assert!(matches!(SurfaceDomain::new(&moebius()), Err(ShapeError::NoInterior { one_sided: 1, .. })));
    assert!(matches!(
        SurfaceDomain::new(&TriangleSurface::default()),
        Err(ShapeError::NoInterior { triangles: 0, .. })
    ));
}

#[test]
fn broken_triangles_are_dropped_and_the_rest_is_kept() {
    let mut surface = ball(1.0);
    surface.positions.push(Vec3::new(f64::NAN, 0.0, 0.0));
    surface.positions.push(Vec3::new(1e300, 0.0, 0.0));
    let count = surface.positions.len() as u32;
    surface.triangles.extend([[0, 1, count - 2], [0, 1, count - 1], [0, 1, count + 7], [3, 3, 4]]);
    let (domain, findings) = domain(&surface);
    assert_eq!((findings.broken_triangles, findings.degenerate_triangles), (3, 1));
    assert!(findings.closed && domain.contains(&Vec3::zeros()));
}

#[test]
fn an_outlier_does_not_weld_other_points() {
    let mut surface = ball(1.0);
    surface.positions[7] = Vec3::new(1e15, 0.0, 0.0);
    let findings = examine(&surface).expect("sound");
    assert_eq!((findings.merged_points, findings.components), (0, 1));
}

#[test]
fn the_wall_shared_by_two_boxes_is_removed() {
    let both = joined(&[cube(), moved(cube(), Vec3::x())]);
    let (domain, findings) = domain(&both);
    assert!(findings.closed);
    assert_eq!((findings.duplicate_triangles, findings.intersections), (4, 0));
    assert!((domain.volume().expect("known") - 2.0).abs() < 1e-12);
}

#[test]
fn a_tangle_is_refused() {
    let mut random = Random::new(2);
    let positions = (0..900).map(|_| random.direction()).collect();
    let triangles = (0..2700).map(|_| [0; 3].map(|_: u32| random.below(900) as u32)).collect();
    let error = SurfaceDomain::new(&TriangleSurface { positions, triangles }).expect_err("no inside");
    assert!(matches!(error, ShapeError::SelfIntersecting { .. }), "{error}");
}

#[test]
fn a_far_stray_triangle_is_dropped_and_nothing_else_changes() {
    for distance in [10.0, 1e3, 1e9] {
        let mut stray = cube();
        stray.triangles.truncate(1);
        let (domain, findings) = domain(&joined(&[cube(), moved(stray, Vec3::new(distance, 0.0, 0.0))]));
        assert_eq!((findings.components, domain.surface()), (2, &cube()));
        assert!((domain.volume().expect("known") - 1.0).abs() < 1e-12);
        assert_eq!(domain.bounds(), cube().bounds());
        assert!((domain.thickness(0).expect("walls").median - 1.0).abs() < 1e-9);
        let [warning] = &domain.warnings()[..] else { panic!("one warning") };
        assert!(warning.starts_with("1 part that encloses nothing was dropped, up to"), "{warning}");
    }
    // A large stray that begins beside the cube.
    let mut large = cube();
    large.positions.extend([Vec3::new(0.6, 0.0, 0.0), Vec3::new(900.0, 10.0, 0.0), Vec3::new(900.0, 0.0, 500.0)]);
    let count = large.positions.len() as u32;
    large.triangles.push([count - 3, count - 2, count - 1]);
    assert_eq!(domain(&large).0.surface(), &cube());
}

#[test]
fn faces_that_enclose_a_volume_together_are_no_strays() {
    // Six disconnected squares.
    let mut loose = without_seams(&cube());
    for face in 0..6 {
        let middle = loose.positions[6 * face..6 * face + 6].iter().sum::<Vec3>() / 6.0;
        loose.positions[6 * face..6 * face + 6].iter_mut().for_each(|point| *point += (middle - *point) * 0.03);
    }
    let (domain, findings) = domain(&loose);
    assert_eq!((findings.components, domain.warnings().len()), (6, 0));
    assert_eq!(domain.surface().triangles.len(), 12);
    assert!((domain.volume().expect("measured") - 1.0).abs() < 0.1);
}

/// Two cubes at this distance (m).
fn two_cubes_at(distance: f64) -> SurfaceDomain {
    domain(&joined(&[cube(), moved(cube(), Vec3::new(distance, 0.25 * distance, 0.0))])).0
}

#[test]
#[ignore = "long: an estimate for every part"]
fn parts_far_apart_have_their_volume_and_their_tetrahedra() {
    for distance in [1e5, 1e9] {
        let domain = two_cubes_at(distance);
        assert!((domain.volume().expect("known") - 2.0).abs() < 1e-6, "{:?}", domain.volume());
        assert_eq!(domain.parts().len(), 2);
        let [warning] = &domain.warnings()[..] else { panic!("one warning") };
        assert!(warning.starts_with("2 parts of at most 1 m lie far apart, over 1"), "{warning}");
        let options = crate::StuffingOptions::with_edge(0.2);
        let estimate = crate::estimate(&domain, &options).expect("an estimate").tetrahedra;
        let crate::Stuffing { mesh, regions, report } = crate::stuff(&domain, &options).expect("a mesh");
        assert_eq!((mesh.pieces().count, regions.len()), (2, report.tetrahedra));
        assert!((mesh.total_measure() - 2.0).abs() < 0.02, "{}", mesh.total_measure());
        assert!((0.5..1.5).contains(&(estimate / report.tetrahedra as f64)), "{estimate} {}", report.tetrahedra);
    }
}

#[test]
fn parts_far_apart_are_meshed_separately() {
    let domain = two_cubes_at(1e6);
    let mesh = crate::stuff(&domain, &crate::StuffingOptions::with_edge(0.3)).expect("a mesh").mesh;
    assert_eq!((domain.parts().len(), mesh.pieces().count), (2, 2));
    assert!((mesh.total_measure() - 2.0).abs() < 0.02, "{}", mesh.total_measure());
    assert!(two_cubes_at(3.0).warnings().is_empty());
    // A single outlier, which cannot be separated as a part.
    let mut spike = cube();
    spike.positions[0] = Vec3::new(-500.0, 0.0, 0.0);
    let error = crate::stuff(&self::domain(&spike).0, &crate::StuffingOptions::with_edge(0.001)).expect_err("too long");
    assert!(error.to_string().contains("remove distant points or parts"), "{error}");
}

/// A box whose squares are split along the other diagonals.
fn other_diagonals(mut surface: TriangleSurface) -> TriangleSurface {
    for pair in surface.triangles.chunks_mut(2) {
        let [one, other] = [pair[0], pair[1]];
        let apex = *other.iter().find(|point| !one.contains(point)).expect("a square");
        let turn = (0..3).find(|&turn| !other.contains(&one[turn])).expect("a square");
        let [a, b, c] = [0, 1, 2].map(|step| one[(turn + step) % 3]);
        (pair[0], pair[1]) = ([a, b, apex], [a, apex, c]);
    }
    surface
}

#[test]
fn squares_triangulated_twice_with_different_diagonals_are_one_cube() {
    let other = other_diagonals(cube());
    assert!((other.volume() - 1.0).abs() < 1e-12 && other.triangles.iter().all(|t| !cube().triangles.contains(t)));
    for copies in
        [vec![cube(), inward(other.clone())], vec![cube(), other.clone()], vec![inward(cube()), other.clone()]]
    {
        let (domain, findings) = domain(&joined(&copies));
        assert_eq!(findings.duplicate_triangles, 12);
        assert!(findings.closed && (domain.volume().expect("known") - 1.0).abs() < 1e-12);
        assert!((domain.winding_number(&Vec3::zeros()) - 1.0).abs() < 0.01);
    }
    // Non-planar quadrilaterals of a smooth surface.
    let mut bent = cube();
    bent.positions[0] *= 1.02;
    let both = joined(&[bent.clone(), inward(other_diagonals(bent.clone()))]);
    let (domain, _) = domain(&both);
    assert!((domain.volume().expect("known") / bent.volume() - 1.0).abs() < 0.02);
    // Two boxes that share a wall, each with its own triangulation.
    let (domain, findings) = self::domain(&joined(&[cube(), moved(other, Vec3::x())]));
    assert!(findings.closed && findings.duplicate_triangles == 4, "{findings:?}");
    assert!((domain.volume().expect("known") - 2.0).abs() < 1e-12);
}

#[test]
fn damaged_surfaces_report_a_high_query_cost() {
    let sound = Sphere { radius: 0.5 }.surface(0.1).expect("a ball");
    let query_cost = |surface: &TriangleSurface| SurfaceDomain::new(surface).expect("an inside").0.query_cost();
    // Collapsed points leave long triangles across.
    let mut crossed = sound.clone();
    let count = crossed.positions.len();
    for point in (0..count).step_by(8) {
        crossed.positions[point] = crossed.positions[(point * 7 + count / 2) % count];
    }
    // Holes all over the surface, against a single hole.
    let mut perforated = sound.clone();
    let mut number = 0;
    perforated.triangles.retain(|_| {
        number += 1;
        number % 5 != 0
    });
    let mut cut = sound.clone();
    cut.triangles.retain(|triangle| sound.positions[triangle[0] as usize].y < 0.45);
    let [sound, crossed, perforated, cut] = [sound, crossed, perforated, cut].map(|surface| query_cost(&surface));
    assert!(sound < 2.0 && cut < 2.0 * sound, "{sound} {cut}");
    assert!(crossed > 3.0 * sound && perforated > 3.0 * sound, "{crossed} {perforated} {sound}");
}

/// A closed surface of revolution about y over a counterclockwise (r, y) profile; points on the axis
/// are shared.
fn lathe(profile: &[[f64; 2]], segments: u32) -> TriangleSurface {
    let mut surface = TriangleSurface::default();
    let mut rings: Vec<Vec<u32>> = Vec::new();
    for &[radius, height] in profile {
        let count = if radius == 0.0 { 1 } else { segments };
        let start = surface.positions.len() as u32;
        surface.positions.extend((0..count).map(|k| {
            let angle = 2.0 * PI * f64::from(k) / f64::from(segments);
            Vec3::new(radius * angle.cos(), height, -radius * angle.sin())
        }));
        rings.push((0..segments).map(|k| start + k % count).collect());
    }
    for (index, ring) in rings.iter().enumerate() {
        let next = &rings[(index + 1) % rings.len()];
        for k in 0..segments as usize {
            let l = (k + 1) % segments as usize;
            let quad = [[ring[k], ring[l], next[l]], [ring[k], next[l], next[k]]];
            surface.triangles.extend(quad.into_iter().filter(|[a, b, c]| a != b && b != c && c != a));
        }
    }
    surface
}

#[test]
fn a_cup_on_a_ring_that_shares_its_positions_is_their_union() {
    let cup = lathe(&[[0.0, 0.0], [0.6, 0.0], [1.0, 0.0], [1.2, 2.0], [1.1, 2.0], [0.9, 0.1], [0.0, 0.1]], 48);
    // Two circles of the ring lie on circles of the cup; the ring's top lies in the cup's base.
    let ring = lathe(&[[0.6, -0.2], [1.0, -0.2], [1.0, 0.0], [0.6, 0.0]], 48);
    // The same with a chamfer that touches the cup in one circle only.
    let chamfered = lathe(&[[0.6, -0.2], [1.0, -0.2], [1.0, 0.0], [0.6, -0.1]], 48);
    let volume = |surface: &TriangleSurface| surface.closed_volume().expect("closed");
    for ring in [ring, chamfered] {
        let expected = volume(&cup) + volume(&ring);
        let indexed = joined(&[cup.clone(), ring.clone()]);
        for surface in [&indexed, &without_seams(&indexed), &joined(&[without_seams(&cup), ring.clone()])] {
            let (domain, findings) = domain(surface);
            assert_eq!(findings.inside_out_shells, 0, "{:?}", findings.warnings());
            let measured = domain.volume().expect("known");
            assert!((measured - expected).abs() < 1e-2 * expected, "{measured} {expected}");
            for (radius, height, inside) in
                [(0.8, 0.05, true), (0.9, -0.15, true), (0.3, -0.1, false), (0.3, 1.0, false)]
            {
                assert_eq!(domain.contains(&Vec3::new(radius, height, 0.01)), inside, "{radius} {height}");
            }
        }
    }
}

#[test]
fn cubes_that_touch_in_a_point_an_edge_a_face_or_part_of_one_add_up() {
    for by in [[1.0; 3], [1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.5, 0.0], [1.0, 0.25, 0.125], [0.0, 1.0, -1.0]] {
        let both = joined(&[cube(), moved(cube(), Vec3::from(by))]);
        for surface in [&both, &without_seams(&both)] {
            let (domain, findings) = domain(surface);
            assert_eq!(findings.inside_out_shells + findings.flipped_triangles, 0, "{by:?}");
            let volume = domain.volume().expect("known");
            assert!((volume - 2.0).abs() < 0.02, "{by:?}: {volume}");
        }
    }
}

#[test]
fn a_cavity_that_touches_the_outside_stays_a_cavity() {
    // The cavity shares an edge with the outside, then a point.
    for at in [[0.25, 0.25, 0.0], [0.25, 0.25, 0.25]] {
        let small = |mut cube: TriangleSurface| {
            cube.positions.iter_mut().for_each(|point| *point *= 0.5);
            cube
        };
        let hollow = joined(&[cube(), moved(inward(small(cube())), Vec3::from(at))]);
        for surface in [&hollow, &without_seams(&hollow)] {
            let (domain, findings) = domain(surface);
            assert_eq!((findings.inside_out_shells, findings.cavities), (0, 1), "{at:?}");
            assert!(!domain.contains(&Vec3::from(at)) && domain.contains(&Vec3::new(-0.25, -0.25, 0.0)));
        }
    }
}
