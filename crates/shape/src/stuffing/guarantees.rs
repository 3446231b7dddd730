//! Tests of the mesher's guarantees: angles, distances, volume, and the same bits for any number of
//! threads.

use craze_math::{Rotation, Vec3};
use craze_spatial::TriangleTree;
use std::f64::consts::PI;

use super::testing::rotation;
use super::{Stuffing, StuffingOptions, stuff};
use crate::catalogue::{Block, Bowl, BuiltIn, Heart};
use crate::{Domain, SurfaceDomain, TriangleSurface, poisson_points, volume_of};

/// A surface of revolution around the y axis through these radii and heights (m).
fn revolved(profile: &[[f64; 2]], around: u32) -> TriangleSurface {
    let mut surface = TriangleSurface::default();
    for [radius, height] in profile {
        for step in 0..around {
            let angle = 2.0 * PI * f64::from(step) / f64::from(around);
            surface.positions.push(Vec3::new(radius * angle.cos(), *height, -radius * angle.sin()));
        }
    }
    for ring in 0..profile.len() as u32 - 1 {
        for step in 0..around {
            let [a, b] = [step, (step + 1) % around].map(|step| around * ring + step);
            let [c, d] = [a + around, b + around];
            surface.triangles.extend([[a, b, d], [a, d, c]]);
        }
    }
    surface
}

fn combined(parts: &[TriangleSurface]) -> TriangleSurface {
    let mut all = TriangleSurface::default();
    for part in parts {
        let offset = all.positions.len() as u32;
        all.positions.extend(&part.positions);
        all.triangles.extend(part.triangles.iter().map(|t| t.map(|point| point + offset)));
    }
    all
}

fn placed(mut surface: TriangleSurface, at: Vec3, rotation: Vec3) -> TriangleSurface {
    let rotation = Rotation::from_scaled_axis(rotation);
    surface.positions.iter_mut().for_each(|point| *point = rotation * *point + at);
    surface
}

/// A pot, its lid and its spout, all open.
fn open_pot() -> SurfaceDomain {
    let belly: Vec<[f64; 2]> = (0..=16)
        .map(|step| PI * (f64::from(step) / 16.0 * 0.8 - 0.5))
        .map(|angle| [angle.cos(), angle.sin()])
        .collect();
    let lid: Vec<[f64; 2]> = (0..=8)
        .map(|step| 0.5 * PI * f64::from(step) / 8.0)
        .map(|angle| [0.6 * angle.cos(), 0.82 + 0.3 * angle.sin()])
        .collect();
    let spout = [[0.22, 0.0], [0.2, 0.5], [0.16, 1.0]];
    let spout = placed(revolved(&spout, 24), Vec3::new(0.7, -0.1, 0.0), Vec3::new(0.0, 0.0, -0.9));
    SurfaceDomain::new(&combined(&[revolved(&belly, 40), revolved(&lid, 40), spout])).expect("an inside").0
}

/// Two intersecting rotated blocks.
fn crossing_blocks() -> SurfaceDomain {
    let block = || Block { size: [1.0, 0.5, 0.4] }.surface(1.0).expect("a block");
    let other = placed(block(), Vec3::new(0.2, 0.1, 0.0), Vec3::new(0.4, 0.9, 0.2));
    SurfaceDomain::new(&combined(&[block(), other])).expect("an inside").0
}

/// A block with creases and corners in general position.
fn rotated_block() -> SurfaceDomain {
    let mut block = Block { size: [1.0, 0.6, 0.4] }.surface(1.0).expect("a block");
    block.positions.iter_mut().for_each(|point| *point = rotation() * *point);
    SurfaceDomain::new(&block).expect("an inside").0
}

/// The largest distance (edges) between surfaces, one-sided, sampled ten times per edge.
fn largest_distance(from: &TriangleSurface, to: &TriangleSurface, edge: f64) -> f64 {
    let tree = TriangleTree::new(&to.positions, &to.triangles).expect("sound");
    let mut worst = 0.0_f64;
    for triangle in &from.triangles {
        let [a, b, c] = from.corners(triangle);
        let longest = (b - a).norm().max((c - a).norm()).max((c - b).norm());
        let steps = (10.0 * longest / edge).ceil().clamp(2.0, 200.0);
        for i in 0..=steps as usize {
            for j in 0..=steps as usize - i {
                let point = a + (b - a) * (i as f64 / steps) + (c - a) * (j as f64 / steps);
                let closest = tree.closest(&point).expect("triangles");
                worst = worst.max(closest.distance_squared.sqrt());
            }
        }
    }
    worst / edge
}

/// Compares the mesh of a domain with a surface that represents it.
fn check(name: &str, domain: &dyn Domain, edge: f64, surface: &TriangleSurface) {
    let Stuffing { mesh, report, .. } = stuff(domain, &StuffingOptions::with_edge(edge)).expect("a mesh");
    assert!(
        report.bad_angles == 0 && report.dihedral.smallest > 10.0 && report.dihedral.largest < 165.0,
        "{name}: {report:?}"
    );
    let own = TriangleSurface::around(&mesh);
    own.check_closed().expect("closed");
    let [out, back] = [largest_distance(&own, surface, edge), largest_distance(surface, &own, edge)];
    assert!(out <= 0.3 && back <= 0.3, "{name}: {out} edges off, {back} back; {report:?}");
    let share = mesh.total_measure() / volume_of(domain);
    assert!((share - 1.0).abs() < 0.01, "{name}: {share}");
}

/// Compares a mesh with one of a third of the edge.
fn check_against_finer(name: &str, domain: &dyn Domain, cells: f64) {
    let edge = domain.bounds().size().max() / cells;
    let fine = stuff(domain, &StuffingOptions::with_edge(edge / 3.0)).expect("a mesh").mesh;
    check(name, domain, edge, &TriangleSurface::around(&fine));
}

#[test]
fn meshes_of_built_in_shapes_are_close_to_them() {
    check_against_finer("heart", &Heart::default().field(), 24.0);
}

#[test]
fn meshes_of_models_are_close_to_them() {
    let block = rotated_block();
    check("block", &block, 0.05, block.surface());
}

#[test]
fn meshes_of_intersecting_models_are_close_to_their_inside() {
    check_against_finer("blocks", &crossing_blocks(), 10.0);
}

#[test]
#[ignore = "long: thin walls, and finer meshes of models that answer slowly"]
fn meshes_of_thin_open_and_intersecting_models_are_close_to_their_inside() {
    check_against_finer("bowl", &Bowl::default().field(), 24.0);
    check_against_finer("pot", &open_pot(), 24.0);
    check_against_finer("blocks", &crossing_blocks(), 20.0);
}

/// Meshes and samples of all kinds of domains, with edges scaled by `coarser`.
fn made_with_threads(threads: usize, coarser: f64) -> impl PartialEq {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    pool.install(|| {
        let (creased, open, crossing) = (rotated_block(), open_pot(), crossing_blocks());
        let bowl = Bowl::default();
        let refined = bowl.field();
        // Walls of the bowl are thinner than this.
        let thin = 1.6 * bowl.thinnest_wall();
        let domains: [(&dyn Domain, f64); 4] = [
            (&creased, 0.06 * coarser),
            (&refined, thin * coarser),
            (&open, 0.12 * coarser),
            (&crossing, 0.06 * coarser),
        ];
        let meshes = domains.map(|(domain, edge)| stuff(domain, &StuffingOptions::with_edge(edge)).expect("a mesh"));
        assert!(meshes[0].report.snapped > 0 && meshes[1].report.thin.halvings > 0, "{:?}", meshes[1].report);
        let points = [&creased as &dyn Domain, &open].map(|domain| poisson_points(domain, 0.12, 3).expect("points"));
        (meshes.map(|stuffing| (stuffing.mesh, stuffing.report)), points.map(|points| points.positions))
    })
}

#[test]
fn any_number_of_threads_makes_the_same_bits_of_all_kinds_of_domains() {
    assert!(made_with_threads(1, 2.0) == made_with_threads(3, 2.0));
}

#[test]
#[ignore = "long: finer meshes of models that answer slowly"]
fn any_number_of_threads_makes_the_same_bits_of_finer_meshes() {
    let one = made_with_threads(1, 1.0);
    assert!(one == made_with_threads(2, 1.0) && one == made_with_threads(3, 1.0));
}
