use super::*;
use crate::lattice::{Jitter, kuhn_box_jittered};
use craze_math::Vec3;

fn block(jitter: f64) -> TetMesh {
    kuhn_box_jittered([10, 10, 4], Vec3::new(1.0, 1.0, 0.4), Jitter { amount: jitter, seed: 3 }).unwrap()
}

fn check(cracked: &Cracked, volume: f64) {
    cracked.mesh.validate().unwrap();
    assert!((cracked.mesh.total_measure() - volume).abs() < 1e-12);
    assert_eq!(cracked.parents.len(), cracked.mesh.element_count());
    for facet in &cracked.facets {
        assert!(cracked.mesh.neighbour(facet.element, facet.corner as usize).is_none());
    }
    let thinnest = cracked.mesh.element_ids().map(|tet| cracked.mesh.quality(tet).shortest_altitude);
    let thinnest = thinnest.fold(f64::INFINITY, f64::min);
    assert!(thinnest > 0.005, "{thinnest}");
}

#[test]
fn a_strip_between_grid_lines_only_doubles_nodes() {
    let crack = FlatCrack::strip(Vec3::new(-1.0, 0.5, 0.0), Vec3::new(0.4, 0.5, 0.0), Vec3::z()).unwrap();
    let cracked = open_cracks(block(0.0), &[crack]).unwrap();
    check(&cracked, 0.4);
    assert!((cracked.cracks[0].area - 0.16).abs() < 1e-12, "{:?}", cracked.cracks);
    assert_eq!(cracked.mesh.element_count(), block(0.0).element_count());
    // Four columns of five nodes; the fifth column is the front.
    assert_eq!(cracked.mesh.point_count(), block(0.0).point_count() + 20);
}

#[test]
fn inclined_strips_discs_and_polygons_have_their_area_and_front() {
    let turned = |degrees: f64| Vec3::new(degrees.to_radians().cos(), degrees.to_radians().sin(), 0.0);
    let middle = Vec3::new(0.5, 0.5, 0.2);
    for jitter in [0.0, 0.15] {
        for degrees in [0.0, 13.0, 34.0, 45.0, 62.0, 90.0] {
            let half = 0.23 * turned(degrees);
            let strip = FlatCrack::strip(middle - half, middle + half, Vec3::z()).unwrap();
            let cracked = open_cracks(block(jitter), std::slice::from_ref(&strip)).unwrap();
            check(&cracked, 0.4);
            assert!((cracked.cracks[0].area - 0.46 * 0.4).abs() < 1e-9, "{degrees}° {jitter}: {:?}", cracked.cracks);
            let is_front = |point: &&Vec3| strip.height(point).abs() < 1e-9 && strip.distance(point).abs() < 1e-9;
            assert!(cracked.mesh.positions().iter().filter(is_front).count() >= 10, "{degrees}° {jitter}");
        }
        let disc = FlatCrack::disc(middle, Vec3::new(0.3, 1.0, 0.2), 0.15).unwrap();
        let cracked = open_cracks(block(jitter), &[disc]).unwrap();
        check(&cracked, 0.4);
        let area = std::f64::consts::PI * 0.15 * 0.15;
        assert!((cracked.cracks[0].area / area - 1.0).abs() < 0.12, "{:?}", cracked.cracks);
        let corners = [[0.25, 0.05], [0.75, 0.1], [0.6, 0.35]].map(|[x, z]| Vec3::new(x, 0.52, z));
        let polygon = FlatCrack::polygon(&corners).unwrap();
        let cracked = open_cracks(block(jitter), &[polygon]).unwrap();
        check(&cracked, 0.4);
        let area = 0.5 * (0.5 * 0.3 - 0.05 * 0.35);
        // Three elements high: corners without a node of their own are cut off.
        assert!((cracked.cracks[0].area / area - 1.0).abs() < 0.1, "{area} {:?}", cracked.cracks);
    }
}

#[test]
fn cracks_may_cross_and_the_body_may_fall_apart() {
    let line = |from: [f64; 2], to: [f64; 2]| {
        FlatCrack::strip(Vec3::new(from[0], from[1], 0.0), Vec3::new(to[0], to[1], 0.0), Vec3::z()).unwrap()
    };
    let cracks = [line([0.2, 0.3], [0.8, 0.71]), line([0.3, 0.8], [0.7, 0.2]), line([-1.0, 0.93], [2.0, 0.88])];
    let cracked = open_cracks(block(0.1), &cracks).unwrap();
    check(&cracked, 0.4);
    for (crack, area) in
        cracked.cracks.iter().zip([0.4 * 0.6f64.hypot(0.41), 0.4 * 0.4f64.hypot(0.6), 0.4 * 1f64.hypot(0.05 / 3.0)])
    {
        assert!((crack.area / area - 1.0).abs() < 1e-6, "{crack:?} {area}");
    }
    assert_eq!(cracked.mesh.pieces().count, 2);
    // Coincident nodes have the same position to the bit: at the crossing four of them.
    let mut bits: Vec<[u64; 3]> = cracked.mesh.positions().iter().map(|point| point.map(f64::to_bits).into()).collect();
    bits.sort_unstable();
    assert!(bits.chunk_by(|one, other| one == other).any(|same| same.len() == 4));
}

#[test]
fn cracks_outside_or_too_small_are_refused() {
    let outside = FlatCrack::disc(Vec3::new(3.0, 0.5, 0.2), Vec3::y(), 0.2).unwrap();
    assert_eq!(open_cracks(block(0.0), &[outside]), Err(CrackError::Outside { crack: 0 }));
    let speck = FlatCrack::disc(Vec3::new(0.533, 0.541, 0.23), Vec3::y(), 0.002).unwrap();
    let refused = open_cracks(block(0.0), &[speck]);
    assert!(matches!(refused, Err(CrackError::Unresolved { crack: 0, .. })), "{refused:?}");
}
