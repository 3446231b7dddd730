//! Obstacle meshes as people have them: inside out, open, with triangles that have no area.

use craze_contact::collisions::obstacle::find_obstacle_collisions;
use craze_contact::{ContactMaterial, ContactSurface, MeshShape, RigidShape, SurfacePoint};
use craze_math::{Isometry, Vec3};
use std::sync::Arc;

/// The corners of a cube of 2 m, and its triangles, outward.
fn cube() -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let corner = |index: usize| Vec3::from_fn(|axis, _| 2.0 * (index >> axis & 1) as f64 - 1.0);
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    ((0..8).map(corner).collect(), triangles)
}

/// The normal along which a point that falls on the top of the shape is pushed, and how deep it
/// would be (m).
fn fall_on(shape: &RigidShape) -> Option<(Vec3, f64)> {
    let (start, end) = (Vec3::new(0.3, 1.2, 0.2), Vec3::new(0.3, 0.9, 0.2));
    let velocity = end - start;
    let point = SurfacePoint { dof: 0, start, start_velocity: velocity, end, velocity, inverse_mass: 1.0, radius: 0.0 };
    let mut found = Vec::new();
    let here = Isometry::identity();
    let surface = ContactSurface { points: vec![point], ..ContactSurface::default() };
    find_obstacle_collisions(&surface, shape, [&here, &here], (0.0, 1.0), ContactMaterial::default(), &mut found);
    found.first().map(|collision| (collision.normal, collision.gap_at_end))
}

fn mesh(positions: &[Vec3], triangles: &[[u32; 3]]) -> RigidShape {
    RigidShape::Mesh(Arc::new(MeshShape::new(positions, triangles).expect("a surface")))
}

#[test]
fn a_mesh_that_is_inside_out_pushes_out_all_the_same() {
    let (positions, triangles) = cube();
    let turned: Vec<[u32; 3]> = triangles.iter().map(|&[a, b, c]| [b, a, c]).collect();
    for triangles in [triangles, turned] {
        let (normal, gap) = fall_on(&mesh(&positions, &triangles)).expect("it falls in");
        assert!((normal - Vec3::y()).norm() < 1e-6 && (gap + 0.1).abs() < 1e-5, "{normal} {gap}");
    }
}

#[test]
fn a_mesh_without_its_bottom_still_stops_what_falls_on_its_top() {
    let (positions, triangles) = cube();
    // The third quad is the bottom, y = −1.
    let open: Vec<[u32; 3]> = triangles.iter().enumerate().filter(|(k, _)| k / 2 != 2).map(|(_, t)| *t).collect();
    let (normal, gap) = fall_on(&mesh(&positions, &open)).expect("it falls in");
    assert!((normal - Vec3::y()).norm() < 1e-6 && (gap + 0.1).abs() < 1e-5, "{normal} {gap}");
}

#[test]
fn triangles_without_area_change_nothing() {
    let (mut positions, mut triangles) = cube();
    positions.push(Vec3::new(0.0, 1.0, 1.0));
    triangles.extend([[0, 0, 1], [2, 2, 2], [6, 8, 7]]);
    let (normal, gap) = fall_on(&mesh(&positions, &triangles)).expect("it falls in");
    assert!((normal - Vec3::y()).norm() < 1e-6 && (gap + 0.1).abs() < 1e-5, "{normal} {gap}");
}

#[test]
fn what_is_no_surface_is_refused() {
    let (mut positions, triangles) = cube();
    assert!(MeshShape::new(&positions, &[[0, 1, 99]]).is_err());
    positions[3].x = f64::NAN;
    assert!(MeshShape::new(&positions, &triangles).is_err());
}
