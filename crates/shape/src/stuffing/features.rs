//! Creases and corners: points of the surface near them are moved onto them.
//!
//! Where the normals at the ends of a surface edge differ, the crease between them is found by bisection along the surface, and must
//! still be a jump there; a strongly curved smooth part has none. One end at least of every such edge has to lie on the crease, or
//! the edge cuts it off.

use craze_math::{Mat3, Vec3, symmetric_eigen};
use rayon::prelude::*;

use super::quality::Cosines;
use super::shaping::{Edit, Freedom, Guard, Shaping, project};
use super::survey::CHUNK;

/// Edges that are halved one at a time, with all that is around moved; each costs a pass over the mesh.
const MOST_STUBBORN: usize = 300;

/// What became of creases and corners.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FeatureReport {
    /// Points of the mesh that lie on creases.
    pub crease_points: usize,
    /// Points of the mesh that lie on corners.
    pub corner_points: usize,
    /// Edges across creases that were turned or halved.
    pub edges_changed: usize,
    /// Corners found that no point could be moved onto.
    pub corners_missed: usize,
    /// Edges of the surface that still cut off a crease.
    pub edges_cut_off: usize,
}

/// A point of a crease beside an edge of the mesh's surface.
struct Crease {
    ends: [u32; 2],
    point: Vec3,
    /// Unit normals on both sides.
    normals: [Vec3; 2],
    /// Unit vector along the crease.
    along: Vec3,
}

impl Crease {
    /// Whether an end of the edge lies on this crease; on another one does not count.
    fn is_covered(&self, shaping: &Shaping) -> bool {
        self.ends.iter().any(|&end| {
            let way = shaping.positions[end as usize] - self.point;
            let is_on = self.normals.iter().all(|normal| normal.dot(&way).abs() < 0.1 * shaping.edge);
            shaping.freedom[end as usize] == Freedom::Fixed && is_on
        })
    }
}

/// Moves surface points onto creases (normals that differ by more than `angle`, radians) and corners, where angles allow.
pub(super) fn snap_to_features(shaping: &mut Shaping, angle: f64) -> FeatureReport {
    let triangles = surface_triangles(shaping);
    let points = sorted_points(&triangles);
    let normals: Vec<Option<Vec3>> = points
        .par_iter()
        .with_min_len(64)
        .map(|&point| shaping.domain.normal(&shaping.positions[point as usize]))
        .collect();
    let normal = |point: u32| points.binary_search(&point).ok().and_then(|place| normals[place]);
    let edges = surface_edges(&triangles);
    let sharp: Vec<[u32; 2]> = (edges.iter().copied())
        .filter(|&[one, other]| matches!((normal(one), normal(other)), (Some(a), Some(b)) if a.dot(&b) < angle.cos()))
        .collect();
    let cross = |&ends: &[u32; 2]| find_crease(shaping, ends, ends.map(|end| normal(end).unwrap_or_default()), angle);
    let creases: Vec<Crease> = sharp.par_iter().with_min_len(16).filter_map(cross).collect();
    let mut report = FeatureReport::default();
    snap_to_corners(shaping, &edges, &sharp, &normal, &mut report);
    snap_to_creases(shaping, &creases, &mut report);
    report
}

/// Corners first: they are few, and creases run into them.
fn snap_to_corners(
    shaping: &mut Shaping,
    edges: &[[u32; 2]],
    sharp: &[[u32; 2]],
    normal: &(dyn Fn(u32) -> Option<Vec3> + Sync),
    report: &mut FeatureReport,
) {
    let mut ring: Vec<[u32; 2]> = edges.iter().flat_map(|&[one, other]| [[one, other], [other, one]]).collect();
    ring.sort_unstable();
    let near: Vec<u32> = {
        let mut near: Vec<u32> = sharp.iter().flatten().copied().collect();
        near.sort_unstable();
        near.dedup();
        near
    };
    let neighbours = |point: u32| {
        let start = ring.partition_point(|&[one, _]| one < point);
        ring[start..].iter().take_while(move |&&[one, _]| one == point).map(|&[_, other]| other)
    };
    let look = |&point: &u32| {
        let here = shaping.positions[point as usize];
        let planes = |points: &[u32]| -> Vec<(Vec3, Vec3)> {
            points.iter().filter_map(|&other| Some((shaping.positions[other as usize], normal(other)?))).collect()
        };
        let first: Vec<u32> = neighbours(point).chain([point]).collect();
        // A ring may miss one of the faces that meet; two rings may see a face too many.
        let corner = find_corner(shaping, &here, &planes(&first)).or_else(|| {
            let mut second: Vec<u32> = first.iter().flat_map(|&other| neighbours(other)).collect();
            second.sort_unstable();
            second.dedup();
            find_corner(shaping, &here, &planes(&second))
        });
        corner.map(|corner| ((corner - here).norm(), point, corner))
    };
    let mut found: Vec<(f64, u32, Vec3)> = near.par_iter().with_min_len(16).filter_map(look).collect();
    found.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    let mut done: Vec<Vec3> = Vec::new();
    let mut missed: Vec<Vec3> = Vec::new();
    let close = |list: &[Vec3], corner: &Vec3, edge: f64| list.iter().any(|other| (other - corner).norm() < 0.4 * edge);
    for guard in [Guard::STRONG, Guard::WEAK] {
        missed.clear();
        for &(_, point, corner) in &found {
            if close(&done, &corner, shaping.edge) || shaping.freedom[point as usize] == Freedom::Fixed {
                continue;
            }
            if shaping.snap(point, corner, guard) {
                done.push(corner);
            } else if !close(&missed, &corner, shaping.edge) {
                missed.push(corner);
            }
        }
    }
    // Where all points are too far, a tetrahedron on the triangle that cuts the corner off brings a new one.
    for corner in std::mem::take(&mut missed) {
        if !close(&done, &corner, shaping.edge) {
            if cap(shaping, &corner) { done.push(corner) } else { missed.push(corner) }
        }
    }
    report.corner_points = done.len();
    report.corners_missed = missed.iter().filter(|corner| !close(&done, corner, shaping.edge)).count();
}

/// Adds the best tetrahedron between a corner and a triangle that cuts it off; false where none keeps the weak guard.
fn cap(shaping: &mut Shaping, corner: &Vec3) -> bool {
    let triangles = surface_triangles(shaping);
    let quality = |triangle: &&[u32; 3]| {
        let [a, b, c] = triangle.map(|point| shaping.positions[point as usize]);
        let cosines = Cosines::of(&[a, b, c, *corner]);
        let is_near = (corner - a).norm() < 2.0 * shaping.edge;
        (is_near && Guard::WEAK.holds(cosines)).then_some((cosines.of_smallest, **triangle))
    };
    let best =
        triangles.iter().filter_map(|triangle| quality(&triangle)).min_by(|one, other| one.0.total_cmp(&other.0));
    let Some((_, [a, b, c])) = best else { return false };
    let mut edit = Edit::default();
    edit.change(&[a, b, c], &[], &[[a, b, c, shaping.positions.len() as u32]]);
    edit.points.push(*corner);
    shaping.replace(edit);
    true
}

/// A cover of all crease edges by points on the crease, the nearest first.
fn snap_to_creases(shaping: &mut Shaping, creases: &[Crease], report: &mut FeatureReport) {
    let mut at_points: Vec<(u32, u32)> =
        creases.iter().zip(0..).flat_map(|(crease, index)| crease.ends.map(|end| (end, index))).collect();
    at_points.sort_unstable();
    for guard in [Guard::STRONG, Guard::STRONG, Guard::WEAK, Guard::WEAK] {
        change_edges(shaping, creases, Change::Bridge, report);
        let mut tries: Vec<(f64, u32, Vec3)> = Vec::new();
        for run in at_points.chunk_by(|one, other| one.0 == other.0) {
            let point = run[0].0;
            if shaping.freedom[point as usize] == Freedom::Fixed {
                continue;
            }
            let here = shaping.positions[point as usize];
            let open =
                run.iter().map(|&(_, index)| &creases[index as usize]).filter(|crease| !crease.is_covered(shaping));
            // The foot on the nearest crease's tangent.
            let nearest = open
                .map(|crease| {
                    crease.point
                        + crease.along
                            * (here - crease.point).dot(&crease.along).clamp(-0.5 * shaping.edge, 0.5 * shaping.edge)
                })
                .min_by(|one, other| (one - here).norm().total_cmp(&(other - here).norm()));
            if let Some(place) = nearest {
                tries.push(((place - here).norm(), point, place));
            }
        }
        tries.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        for (_, point, place) in tries {
            let start = at_points.partition_point(|&(other, _)| other < point);
            let run = at_points[start..].iter().take_while(|&&(other, _)| other == point);
            let is_open = run.map(|&(_, index)| &creases[index as usize]).any(|crease| !crease.is_covered(shaping));
            let is_free = shaping.freedom[point as usize] != Freedom::Fixed;
            if is_open && is_free && shaping.snap(point, place, guard) {
                report.crease_points += 1;
            }
        }
    }
    for change in [Change::Bridge, Change::Split, Change::Split] {
        change_edges(shaping, creases, change, report);
    }
    let is_cut_off = |shaping: &Shaping, edges: &[[u32; 2]], crease: &Crease| {
        !crease.is_covered(shaping) && edges.binary_search(&crease.ends).is_ok()
    };
    let edges = surface_edges(&surface_triangles(shaping));
    let stubborn: Vec<&Crease> = creases.iter().filter(|crease| is_cut_off(shaping, &edges, crease)).collect();
    for crease in stubborn.into_iter().take(MOST_STUBBORN) {
        let slides = [0.0, 0.2, -0.2, 0.4, -0.4].map(|slide| crease.point + crease.along * (slide * shaping.edge));
        report.edges_changed += usize::from(slides.iter().any(|place| shaping.split_and_smooth(crease.ends, *place)));
    }
    let edges = surface_edges(&surface_triangles(shaping));
    report.edges_cut_off = creases.iter().filter(|crease| is_cut_off(shaping, &edges, crease)).count();
}

/// How an edge across a crease is changed when none of its ends can be moved.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    /// Where both triangles beside the edge end on the crease, one tetrahedron more (at a convex crease) or one less (at a concave
    /// one) puts an edge along the crease into its place.
    Bridge,
    /// A new point on the crease halves the edge.
    Split,
}

/// Changes edges that still cut off a crease, where the new tetrahedra keep the weak guard.
fn change_edges(shaping: &mut Shaping, creases: &[Crease], change: Change, report: &mut FeatureReport) {
    let triangles = surface_triangles(shaping);
    let mut sides: Vec<([u32; 2], u32)> =
        triangles.iter().flat_map(|&[a, b, c]| [([a, b], c), ([b, c], a), ([c, a], b)]).collect();
    sides.par_sort_unstable();
    let opposite = |edge: [u32; 2]| {
        let start = sides.partition_point(|(other, _)| *other < edge);
        let mut run = sides[start..].iter().take_while(|(other, _)| *other == edge).map(|&(_, point)| point);
        run.next().filter(|_| run.next().is_none())
    };
    let mut edit = Edit::default();
    for crease in creases {
        let [one, other] = crease.ends;
        let (Some(left), Some(right)) = (opposite([one, other]), opposite([other, one])) else { continue };
        let is_fixed = |point: u32| shaping.freedom[point as usize] == Freedom::Fixed;
        if crease.is_covered(shaping) {
            continue;
        }
        match change {
            Change::Bridge if is_fixed(left) && is_fixed(right) => bridge(shaping, crease, [left, right], &mut edit),
            Change::Bridge => {}
            Change::Split => split(shaping, crease, &mut edit),
        }
    }
    report.edges_changed += edit.changes;
    if edit.changes > 0 {
        shaping.replace(edit);
    }
}

/// Plans the tetrahedron more or less that replaces the edge by the one between `beside`.
fn bridge(shaping: &Shaping, crease: &Crease, beside: [u32; 2], edit: &mut Edit) {
    let four = [crease.ends[0], crease.ends[1], beside[0], beside[1]];
    let corners = four.map(|point| shaping.positions[point as usize]);
    // The new edge must be where the surface is: just beyond it lies the other side.
    let middles = [(corners[0] + corners[1]) * 0.5, (corners[2] + corners[3]) * 0.5];
    let Some(way) = (middles[1] - middles[0]).try_normalize(0.0) else { return };
    if !edit.is_free(&four) || project(shaping.domain, &middles[1], &way, 0.1 * shaping.edge).is_none() {
        return;
    }
    if craze_math::tetrahedron::volume(&corners) > 0.0 {
        if Guard::WEAK.holds(Cosines::of(&corners)) && shaping.common(beside).is_empty() {
            edit.change(&four, &[], &[four]);
        }
    } else if let [single] = shaping.common(crease.ends)[..]
        && four.iter().all(|point| shaping.tetrahedra[single as usize].contains(point))
        // A crumb of one tetrahedron would leave points that belong to nothing.
        && four.iter().all(|&point| shaping.star(point).len() > 1)
    {
        edit.change(&four, &[single], &[]);
    }
}

/// Plans a new point on the crease in the edge's middle.
fn split(shaping: &Shaping, crease: &Crease, edit: &mut Edit) {
    let around = shaping.common(crease.ends);
    let points: Vec<u32> = around.iter().flat_map(|&index| shaping.tetrahedra[index as usize]).collect();
    if !edit.is_free(&points) {
        return;
    }
    for slide in [0.0, 0.15, -0.15, 0.3, -0.3] {
        let place = crease.point + crease.along * (slide * shaping.edge);
        let halves = around.iter().flat_map(|&index| {
            let corners = shaping.tetrahedra[index as usize];
            crease.ends.map(|end| {
                let places =
                    corners.map(|corner| if corner == end { place } else { shaping.positions[corner as usize] });
                Guard::WEAK.holds(Cosines::of(&places))
            })
        });
        if halves.clone().all(|holds| holds) {
            let middle = (shaping.positions.len() + edit.points.len()) as u32;
            let halved = around.iter().flat_map(|&index| {
                let corners = shaping.tetrahedra[index as usize];
                crease.ends.map(|end| corners.map(|corner| if corner == end { middle } else { corner }))
            });
            let halved: Vec<[u32; 4]> = halved.collect();
            edit.change(&points, &around, &halved);
            edit.points.push(place);
            return;
        }
    }
}

/// The crease that the surface has between the ends of an edge, if the normal still jumps there once it is found.
fn find_crease(shaping: &Shaping, ends: [u32; 2], normals: [Vec3; 2], angle: f64) -> Option<Crease> {
    let [start, end] = ends.map(|end| shaping.positions[end as usize]);
    let outward = (normals[0] + normals[1]).try_normalize(0.1)?;
    let reach = (end - start).norm();
    let mut low = (0.0, start, normals[0]);
    let mut high = (1.0, end, normals[1]);
    for _ in 0..7 {
        let share = 0.5 * (low.0 + high.0);
        let place = project(shaping.domain, &(start + (end - start) * share), &outward, reach)?;
        let normal = shaping.domain.normal(&place)?;
        if normal.dot(&normals[0]) > normal.dot(&normals[1]) {
            low = (share, place, normal);
        } else {
            high = (share, place, normal);
        }
    }
    let cosine = low.2.dot(&high.2);
    if !(cosine < angle.cos()) {
        return None;
    }
    // Where the two tangent planes meet, nearest to the middle.
    let middle = (low.1 + high.1) * 0.5;
    let [one, other] = [low.2.dot(&(low.1 - middle)), high.2.dot(&(high.1 - middle))];
    let scale = 1.0 / (1.0 - cosine * cosine);
    let point = middle + low.2 * ((one - cosine * other) * scale) + high.2 * ((other - cosine * one) * scale);
    let along = low.2.cross(&high.2).try_normalize(1e-6)?;
    ((point - middle).norm() < 0.25 * shaping.edge).then_some(Crease { ends, point, normals: [low.2, high.2], along })
}

/// Where tangent planes around a point meet, if they do in one point of the surface not far away.
fn find_corner(shaping: &Shaping, here: &Vec3, around: &[(Vec3, Vec3)]) -> Option<Vec3> {
    // Least squares over the planes (the quadric error of Garland & Heckbert 1997), from the middle of the points; parallel
    // planes count once, or a face with one point would not weigh anything beside one with ten.
    let middle = around.iter().map(|(place, _)| place).sum::<Vec3>() / around.len() as f64;
    let mut matrix = Mat3::zeros();
    let mut right = Vec3::zeros();
    let mut distinct: Vec<(Vec3, Vec3)> = Vec::new();
    for &(place, normal) in around {
        if distinct.iter().all(|(_, other)| other.dot(&normal) < 0.97) {
            distinct.push((place, normal));
        }
    }
    for (place, normal) in &distinct {
        matrix += normal * normal.transpose();
        right += normal * normal.dot(&(place - middle));
    }
    let eigen = symmetric_eigen(&matrix);
    let (least, most) = (eigen.values.min(), eigen.values.max());
    if !(least > 0.06 * most) {
        return None;
    }
    let corner = middle + matrix.try_inverse()? * right;
    let edge = shaping.edge;
    let worst = around.iter().map(|(place, normal)| normal.dot(&(corner - place)).abs()).fold(0.0, f64::max);
    if !((corner - here).norm() < 1.6 * edge) || worst > 0.03 * edge {
        return None;
    }
    // It must lie on the surface: a small ball around it has both sides. What is inside of a sharp corner lies against its normals.
    let sum = distinct.iter().map(|(_, normal)| normal).sum::<Vec3>().try_normalize(1e-3).unwrap_or_default();
    let ways = distinct.iter().map(|&(_, normal)| normal).chain([sum, Vec3::x(), Vec3::y(), Vec3::z()]);
    let probes: Vec<bool> =
        ways.flat_map(|way| [way, -way]).map(|way| shaping.domain.contains(&(corner + way * (0.04 * edge)))).collect();
    (probes.contains(&true) && probes.contains(&false)).then_some(corner)
}

/// Faces with all corners on the surface that have one tetrahedron only, outward.
pub(super) fn surface_triangles(shaping: &Shaping) -> Vec<[u32; 3]> {
    let is_on = |point: &u32| shaping.freedom[*point as usize] != Freedom::Inner;
    let faces = shaping.tetrahedra.par_iter().with_min_len(CHUNK).flat_map_iter(|&[a, b, c, d]| {
        let faces = [[b, c, d], [a, d, c], [a, b, d], [a, c, b]];
        faces.into_iter().filter(|face| face.iter().all(is_on)).map(|face| {
            let mut key = face;
            key.sort_unstable();
            (key, face)
        })
    });
    let mut faces: Vec<([u32; 3], [u32; 3])> = faces.collect();
    faces.par_sort_unstable();
    faces.chunk_by(|one, other| one.0 == other.0).filter(|run| run.len() == 1).map(|run| run[0].1).collect()
}

/// Edges of the triangles, each once, the lower end first.
fn surface_edges(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let mut edges: Vec<[u32; 2]> =
        triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).map(|[a, b]| [a.min(b), a.max(b)]).collect();
    edges.par_sort_unstable();
    edges.dedup();
    edges
}

fn sorted_points(triangles: &[[u32; 3]]) -> Vec<u32> {
    let mut points = triangles.as_flattened().to_vec();
    points.par_sort_unstable();
    points.dedup();
    points
}

#[cfg(test)]
mod tests {
    use crate::Domain;
    use crate::stuffing::testing::{ball, edge_uses, turn, turned_cube, turned_cylinder};
    use crate::stuffing::{Stuffing, StuffingOptions, stuff};
    use craze_math::Vec3;
    use craze_spatial::TriangleTree;

    /// The farthest that the mesh's surface is from the domain's, and samples of the domain's from the mesh's (m).
    fn distances(mesh: &craze_mesh::TetMesh, distance: &dyn Fn(&Vec3) -> f64, samples: &[Vec3]) -> [f64; 2] {
        let triangles: Vec<[u32; 3]> = mesh.boundary().triangles.iter().map(|t| t.map(|node| node.0)).collect();
        let tree = TriangleTree::new(mesh.positions(), &triangles).expect("a tree");
        let middles = triangles.iter().flat_map(|t| {
            let [a, b, c] = t.map(|point| mesh.positions()[point as usize]);
            [(a + b + c) / 3.0, (a + b) * 0.5, (b + c) * 0.5, (c + a) * 0.5]
        });
        let there = middles.map(|middle| distance(&middle).abs()).fold(0.0, f64::max);
        let back = samples.iter().map(|sample| tree.closest(sample).expect("a triangle").distance_squared.sqrt());
        [there, back.fold(0.0, f64::max)]
    }

    fn check(stuffing: &Stuffing, edge: f64, distances: [f64; 2]) {
        let Stuffing { mesh, report, .. } = stuffing;
        mesh.validate().expect("valid");
        assert!(edge_uses(&mesh.boundary().triangles).all(|uses| uses == (1, 1)));
        assert!(distances.iter().all(|&distance| distance <= 0.3 * edge), "{:?} of {edge}", distances);
        assert!(report.dihedral.smallest > 10.0 && report.dihedral.largest < 165.0, "{report:?}");
        assert!(report.snapped_dihedral.smallest > 5.0 && report.snapped_dihedral.largest < 172.0, "{report:?}");
    }

    #[test]
    fn edges_and_corners_of_a_turned_cube_are_kept() {
        let mut samples = Vec::new();
        for i in -40..=40 {
            for j in -40..=40 {
                for axis in 0..3 {
                    for side in [-1.0, 1.0] {
                        let mut sample = Vec3::repeat(side);
                        sample[(axis + 1) % 3] = f64::from(i) / 40.0;
                        sample[(axis + 2) % 3] = f64::from(j) / 40.0;
                        samples.push(turn() * sample);
                    }
                }
            }
        }
        for edge in [0.31, 0.2] {
            let cube = turned_cube(1.0);
            let stuffing = stuff(&cube, &StuffingOptions::with_edge(edge)).expect("a mesh");
            assert_eq!(stuffing.report.features.corner_points, 8);
            check(&stuffing, edge, distances(&stuffing.mesh, &|point| cube.level(point), &samples));
            assert!((stuffing.mesh.total_measure() / 8.0 - 1.0).abs() < 0.005);
        }
    }

    #[test]
    fn rims_of_a_turned_cylinder_are_kept() {
        let mut samples = Vec::new();
        for i in 0..200 {
            let angle = f64::from(i) * std::f64::consts::TAU / 200.0;
            for along in -10..=10 {
                samples.push(turn() * Vec3::new(angle.cos(), angle.sin(), 0.06 * f64::from(along)));
            }
        }
        let cylinder = turned_cylinder(1.0, 0.6);
        let stuffing = stuff(&cylinder, &StuffingOptions::with_edge(0.15)).expect("a mesh");
        check(&stuffing, 0.15, distances(&stuffing.mesh, &|point| cylinder.level(point), &samples));
    }

    #[test]
    fn a_ball_has_no_features_however_coarse() {
        for edge in [0.5, 0.3, 0.1] {
            let report = stuff(&ball(1.0), &StuffingOptions::with_edge(edge)).expect("a mesh").report;
            assert_eq!((report.features, report.snapped), (super::FeatureReport::default(), 0));
        }
    }
}
