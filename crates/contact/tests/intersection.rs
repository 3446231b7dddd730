//! What counts as a intersection, and what only touches.

use craze_contact::ContactTriangles;
use craze_contact::intersection::{PosedSurface, between, within};
use craze_math::{Isometry, Vec3};

/// The triangles of a box of a size about a place, outward.
fn cuboid(size: Vec3, place: &Isometry) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let corner = |index: usize| {
        let side = |axis: usize| size[axis] * ((index >> axis & 1) as f64 - 0.5);
        place.transform_point(&Vec3::from_fn(|axis, _| side(axis)).into()).coords
    };
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    ((0..8).map(corner).collect(), triangles)
}

fn intersection(first: &(Vec<Vec3>, Vec<[u32; 3]>), second: &(Vec<Vec3>, Vec<[u32; 3]>)) -> Option<Vec3> {
    let moment = |thing: &'_ (Vec<Vec3>, Vec<[u32; 3]>)| -> ContactTriangles<'static> {
        ContactTriangles { version: 0, triangles: Vec::leak(thing.1.clone()), is_closed: true, skin: 0.0, origins: &[] }
    };
    let [a, b] = [first, second].map(|thing| PosedSurface { positions: &thing.0, triangles: moment(thing) });
    let there = between(&a, &b).expect("numbers");
    assert_eq!(there.is_some(), between(&b, &a).expect("numbers").is_some());
    there
}

#[test]
fn boxes_that_overlap_tangle_and_boxes_that_touch_do_not() {
    let block = cuboid(Vec3::repeat(1.0), &Isometry::identity());
    for (shift, tangled) in [(1.0, false), (1.001, false), (0.999, true), (0.5, true)] {
        let other = cuboid(Vec3::repeat(1.0), &Isometry::translation(0.1, shift, 0.2));
        assert_eq!(intersection(&block, &other).is_some(), tangled, "{shift}");
        let aligned = cuboid(Vec3::repeat(1.0), &Isometry::translation(0.0, shift, 0.0));
        assert_eq!(intersection(&block, &aligned).is_some(), tangled, "{shift}, aligned");
    }
}

#[test]
fn bars_that_cross_tangle_where_they_cross() {
    let bar = cuboid(Vec3::new(2.0, 0.1, 0.1), &Isometry::identity());
    let other = cuboid(Vec3::new(0.2, 2.0, 0.3), &Isometry::translation(0.3, 0.0, 0.0));
    let place = intersection(&bar, &other).expect("they cross");
    assert!((place.x - 0.3).abs() < 0.11 && place.y.abs() < 0.06, "{place}");
}

#[test]
fn one_inside_the_other_is_a_tangle() {
    let shell = cuboid(Vec3::repeat(2.0), &Isometry::identity());
    let kernel = cuboid(Vec3::repeat(0.1), &Isometry::new(Vec3::new(0.3, 0.2, 0.1), Vec3::new(0.3, 0.1, 0.7)));
    assert!(intersection(&shell, &kernel).is_some());
    let particles = (vec![Vec3::new(3.0, 0.0, 0.0), Vec3::new(0.5, 0.5, 0.5)], Vec::new());
    assert_eq!(intersection(&particles, &shell), Some(Vec3::new(0.5, 0.5, 0.5)));
}

#[test]
fn a_surface_that_passes_through_itself_is_found() {
    let (mut positions, mut triangles) = cuboid(Vec3::repeat(1.0), &Isometry::identity());
    let check = |positions: &[Vec3], triangles: &[[u32; 3]]| {
        let triangles = ContactTriangles { version: 0, triangles, is_closed: true, skin: 0.0, origins: &[] };
        within(&PosedSurface { positions, triangles }).expect("numbers").is_some()
    };
    assert!(!check(&positions, &triangles));
    let (other, more) = cuboid(Vec3::repeat(0.8), &Isometry::translation(0.5, 0.1, 0.2));
    triangles.extend(more.iter().map(|corners| corners.map(|corner| corner + 8)));
    positions.extend(other);
    assert!(check(&positions, &triangles));
}
