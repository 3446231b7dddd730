//! The closed thick surface of random sheets with holes and several components.

use craze_frame::{Data, FaultKind, Line, LineKind, Sheet, Surface, ThickError, WeldedSurface, is_manifold, names};
use craze_math::Vec3;
use proptest::prelude::*;

/// A wavy grid of `cells` × `cells` unit squares, some of them missing.
fn grid(cells: usize, is_missing: &[bool], wave: f64) -> Surface {
    let stride = cells + 1;
    let vertex = |i: usize, j: usize| (i * stride + j) as u32;
    let position = |index: usize| {
        let (x, z) = ((index / stride) as f64, (index % stride) as f64);
        Vec3::new(x, wave * (0.9 * x + 0.4 * z).sin(), z)
    };
    let mut triangles = Vec::new();
    for (i, j) in (0..cells).flat_map(|i| (0..cells).map(move |j| (i, j))) {
        if !is_missing[i * cells + j] {
            let [a, b, c, d] = [vertex(i, j), vertex(i, j + 1), vertex(i + 1, j + 1), vertex(i + 1, j)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    let sheet = Some(Sheet { thickness: 0.1 });
    Surface { positions: (0..stride * stride).map(position).collect(), triangles, sheet, ..Surface::default() }
}

fn area(surface: &Surface) -> f64 {
    let area = |corners: &[u32; 3]| {
        let [a, b, c] = corners.map(|vertex| surface.positions[vertex as usize]);
        0.5 * (b - a).cross(&(c - a)).norm()
    };
    surface.triangles.iter().map(area).sum()
}

/// Faults other than tunnels, which holes of the sheet make, and separate bodies.
fn faults(surface: &Surface) -> Vec<craze_frame::Fault> {
    let welded = WeldedSurface::new(&surface.triangles, |vertex| surface.positions[vertex as usize]);
    welded.faults().into_iter().filter(|fault| fault.kind.is_not_manifold()).collect()
}

proptest! {
    #[test]
    fn every_sheet_with_holes_and_components_becomes_closed_and_manifold(
        is_missing in prop::collection::vec(prop::bool::weighted(0.35), 36),
        wave in 0.0..0.3,
        thickness in 0.01..0.2,
    ) {
        let mut sheet = grid(6, &is_missing, wave);
        sheet.sheet = Some(Sheet { thickness });
        let thick = sheet.thick().unwrap();
        prop_assert!(is_manifold(&thick.triangles));
        prop_assert_eq!(faults(&thick), vec![]);
        prop_assert!(thick.sheet.is_none());
        let volume = thick.enclosed_volume();
        let expected = thickness * area(&sheet);
        // Bends and the gaps between touching parts change the volume slightly.
        prop_assert!((volume - expected).abs() <= 0.03 * expected, "{} m³ for {} m³", volume, expected);
    }

    #[test]
    fn a_flat_sheet_has_exactly_its_volume(is_missing in prop::collection::vec(prop::bool::weighted(0.2), 16)) {
        // Two parts that only touch in a vertex are moved apart, which changes the volume.
        let mut sheet = grid(4, &is_missing, 0.0);
        sheet.vertex_attributes.set(names::REST, Data::Vector(sheet.positions.clone()));
        let thick = sheet.thick().unwrap();
        let expected = 0.1 * area(&sheet);
        prop_assert!((thick.enclosed_volume() - expected).abs() <= 2e-3 * expected + 1e-12);
        prop_assert_eq!(thick.vertex_attributes.vectors(names::REST).unwrap(), &thick.positions[..]);
    }
}

#[test]
fn a_single_triangle_becomes_a_prism_of_its_thickness() {
    let sheet = Surface {
        positions: vec![Vec3::zeros(), Vec3::x(), Vec3::y()],
        triangles: vec![[0, 1, 2]],
        sheet: Some(Sheet { thickness: 0.25 }),
        ..Surface::default()
    };
    let thick = sheet.thick().unwrap();
    assert_eq!((thick.positions.len(), thick.triangles.len()), (6, 8));
    assert!((thick.enclosed_volume() - 0.125).abs() < 1e-15);
    let sides = thick.face_attributes.indices(names::SIDE).unwrap();
    assert_eq!(sides, [0, 1, 2, 2, 2, 2, 2, 2]);
    let heights: Vec<f64> = thick.positions.iter().map(|position| position.z).collect();
    assert_eq!(heights, [0.125, 0.125, 0.125, -0.125, -0.125, -0.125]);
}

#[test]
fn a_closed_sheet_becomes_a_shell_with_an_outer_and_an_inner_surface() {
    let corners = [Vec3::x(), Vec3::y(), Vec3::z(), -Vec3::x(), -Vec3::y(), -Vec3::z()];
    let triangles = [[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]];
    let sheet = Surface {
        positions: corners.to_vec(),
        triangles: triangles.to_vec(),
        sheet: Some(Sheet { thickness: 0.1 }),
        ..Surface::default()
    };
    let thick = sheet.thick().unwrap();
    assert_eq!(thick.triangles.len(), 16);
    assert!(is_manifold(&thick.triangles));
    // Distance of the two parallel faces of a side of the octahedron.
    let [top, bottom] = [0, 8].map(|triangle: usize| {
        let corners = thick.triangles[triangle].map(|vertex| thick.positions[vertex as usize]);
        let normal = Vec3::repeat(1.0).normalize();
        normal.dot(&corners[0])
    });
    assert!((top - bottom - 0.1).abs() < 1e-12, "{}", top - bottom);
    let cavities = WeldedSurface::new(&thick.triangles, |vertex| thick.positions[vertex as usize]).faults();
    assert!(cavities.iter().all(|fault| fault.kind != FaultKind::SeparateBody), "{cavities:?}");
}

#[test]
fn attributes_follow_their_triangles_and_cracks_mark_the_rim() {
    let mut sheet = grid(1, &[false], 0.0);
    sheet.corner_attributes.set(names::UV, Data::Pair((0..6).map(|corner| [f64::from(corner), 0.5]).collect()));
    sheet.corner_attributes.set(names::NORMAL, Data::Vector(vec![Vec3::y(); 6]));
    sheet.face_attributes.set(names::PIECE, Data::Index(vec![0, 1]));
    sheet.vertex_attributes.set(names::THICKNESS, Data::Scalar(vec![0.1, 0.2, 0.3, 0.4]));
    let [a, b, _] = sheet.triangles[0];
    sheet.lines.push(Line { kind: LineKind::Crack, vertices: vec![a, b] });
    let thick = sheet.thick().unwrap();
    let uv = thick.corner_attributes.pairs(names::UV).unwrap();
    assert_eq!(uv[..6], [[0.0, 0.5], [1.0, 0.5], [2.0, 0.5], [3.0, 0.5], [4.0, 0.5], [5.0, 0.5]]);
    assert_eq!(uv[6..9], [[0.0, 0.5], [2.0, 0.5], [1.0, 0.5]]);
    let normals = thick.corner_attributes.vectors(names::NORMAL).unwrap();
    assert_eq!((normals[0], normals[6]), (Vec3::y(), -Vec3::y()));
    assert!(normals[12..].iter().all(|normal| normal.y.abs() < 1e-12 && (normal.norm() - 1.0).abs() < 1e-12));
    let pieces = thick.face_attributes.indices(names::PIECE).unwrap();
    assert_eq!(pieces[..4], [0, 1, 0, 1]);
    let cracks = thick.face_attributes.indices(names::CRACK).unwrap();
    assert_eq!(cracks.iter().sum::<u32>(), 2, "{cracks:?}");
    let height = |vertex: usize| thick.positions[vertex].y - thick.positions[vertex + 4].y;
    let of_fans = thick.vertex_attributes.scalars(names::THICKNESS).unwrap();
    for vertex in 0..4 {
        assert!((height(vertex) - of_fans[vertex]).abs() < 1e-12);
    }
}

#[test]
fn a_side_with_a_triangle_too_many_and_a_thickness_of_zero_are_refused_by_name() {
    let mut fin = grid(1, &[false], 0.0);
    let [a, _, c] = fin.triangles[0];
    fin.positions.push(Vec3::y());
    fin.triangles.push([a, 4, c]);
    match fin.thick() {
        // Either the parts let go of each other, or the edge is named.
        Ok(thick) => assert!(is_manifold(&thick.triangles)),
        Err(error) => assert_eq!(error, ThickError::NotManifold { edge: [a.min(c), a.max(c)] }),
    }
    let mut thin = grid(1, &[false], 0.0);
    thin.vertex_attributes.set(names::THICKNESS, Data::Scalar(vec![0.1, 0.0, 0.1, 0.1]));
    assert_eq!(thin.thick(), Err(ThickError::Thickness { vertex: 1, thickness: 0.0 }));
    assert_eq!(Surface::default().thick(), Err(ThickError::NoSheet));
}

#[test]
fn a_crack_that_ends_in_the_sheet_counts_as_closed_at_rest() {
    for wave in [0.0, 0.2] {
        let mut sheet = grid(4, &[false; 16], wave);
        // Between the second and third row of squares, from the border to the middle: vertices 10
        // and 11 get a copy for the squares beyond, vertex 12 is the tip.
        let first = sheet.positions.len() as u32;
        sheet.positions.extend([sheet.positions[10], sheet.positions[11]]);
        for corner in sheet.triangles[16..].iter_mut().flatten() {
            *corner = if (10..12).contains(corner) { first + *corner - 10 } else { *corner };
        }
        sheet.lines.push(Line { kind: LineKind::Crack, vertices: vec![10, 11, 12] });
        sheet.lines.push(Line { kind: LineKind::Crack, vertices: vec![first, first + 1, 12] });
        let thick = sheet.thick().unwrap();
        assert!(is_manifold(&thick.triangles));
        let cracks = thick.face_attributes.indices(names::CRACK).unwrap();
        assert_eq!(cracks.iter().sum::<u32>(), 8, "two edges on two sides, two triangles each");
        let welded = WeldedSurface::new(&thick.triangles, |vertex| thick.positions[vertex as usize]);
        let faults = welded.without_closed_cracks().faults();
        assert!(!faults.iter().any(|fault| fault.kind.is_not_manifold()), "{faults:?}");
        assert!((thick.enclosed_volume() - 0.1 * area(&sheet)).abs() < 0.003 * area(&sheet));
    }
}
