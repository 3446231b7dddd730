//! Snapping of surface points onto creases and corners.
//!
//! Where the normals at the ends of a surface edge differ, bisection along the surface locates the
//! crease. The normal must still jump there, unlike on smooth parts of high curvature. The edge
//! cuts off the crease unless one of its ends lies on it.

use craze_math::{Mat3, Vec3, symmetric_eigen};
use rayon::prelude::*;

use super::classification::CHUNK;
use super::quality::DihedralCosines;
use super::working_mesh::{AngleBounds, Edit, PointConstraint, WorkingMesh, project};

/// Limit of edges that are split one at a time with smoothing.
const MAX_SMOOTHED_SPLITS: usize = 300;

/// Result of snapping to creases and corners.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FeatureReport {
    /// Mesh points on creases.
    pub crease_points: usize,
    /// Mesh points on corners.
    pub corner_points: usize,
    /// Edges across creases that were flipped or split.
    pub edges_changed: usize,
    /// Corners that no point could be moved onto.
    pub corners_missed: usize,
    /// Surface edges that still cut off a crease.
    pub edges_cut_off: usize,
}

/// A crease point next to a surface edge.
struct Crease {
    ends: [u32; 2],
    point: Vec3,
    /// Unit normals on both sides.
    normals: [Vec3; 2],
    /// Unit tangent of the crease.
    along: Vec3,
}

impl Crease {
    /// Whether an end of the edge is fixed on this crease.
    fn is_covered(&self, working: &WorkingMesh) -> bool {
        self.ends.iter().any(|&end| {
            let offset = working.positions[end as usize] - self.point;
            let is_on = self.normals.iter().all(|normal| normal.dot(&offset).abs() < 0.1 * working.edge);
            working.constraint[end as usize] == PointConstraint::Fixed && is_on
        })
    }
}

/// Moves surface points onto creases (normals that differ by more than `angle`, rad) and corners,
/// within the angle bounds.
pub(super) fn snap_to_features(working: &mut WorkingMesh, angle: f64) -> FeatureReport {
    let triangles = surface_triangles(working);
    let points = sorted_points(&triangles);
    let normals: Vec<Option<Vec3>> = points
        .par_iter()
        .with_min_len(64)
        .map(|&point| working.domain.normal(&working.positions[point as usize]))
        .collect();
    let normal = |point: u32| points.binary_search(&point).ok().and_then(|position| normals[position]);
    let edges = surface_edges(&triangles);
    let sharp: Vec<[u32; 2]> = (edges.iter().copied())
        .filter(|&[one, other]| matches!((normal(one), normal(other)), (Some(a), Some(b)) if a.dot(&b) < angle.cos()))
        .collect();
    let cross = |&ends: &[u32; 2]| find_crease(working, ends, ends.map(|end| normal(end).unwrap_or_default()), angle);
    let creases: Vec<Crease> = sharp.par_iter().with_min_len(16).filter_map(cross).collect();
    let mut report = FeatureReport::default();
    snap_to_corners(working, &edges, &sharp, &normal, &mut report);
    snap_to_creases(working, &creases, &mut report);
    report
}

/// Corners come first, since creases end in them.
fn snap_to_corners(
    working: &mut WorkingMesh,
    edges: &[[u32; 2]],
    sharp: &[[u32; 2]],
    normal: &(dyn Fn(u32) -> Option<Vec3> + Sync),
    report: &mut FeatureReport,
) {
    let mut ring: Vec<[u32; 2]> = edges.iter().flat_map(|&[one, other]| [[one, other], [other, one]]).collect();
    ring.sort_unstable();
    let sharp_ends: Vec<u32> = {
        let mut sharp_ends: Vec<u32> = sharp.iter().flatten().copied().collect();
        sharp_ends.sort_unstable();
        sharp_ends.dedup();
        sharp_ends
    };
    let neighbours = |point: u32| {
        let start = ring.partition_point(|&[one, _]| one < point);
        ring[start..].iter().take_while(move |&&[one, _]| one == point).map(|&[_, other]| other)
    };
    let corner_near = |&point: &u32| {
        let here = working.positions[point as usize];
        let planes = |points: &[u32]| -> Vec<(Vec3, Vec3)> {
            points.iter().filter_map(|&other| Some((working.positions[other as usize], normal(other)?))).collect()
        };
        let first: Vec<u32> = neighbours(point).chain([point]).collect();
        // One ring may miss a face; two may include one too many.
        let corner = find_corner(working, &here, &planes(&first)).or_else(|| {
            let mut second: Vec<u32> = first.iter().flat_map(|&other| neighbours(other)).collect();
            second.sort_unstable();
            second.dedup();
            find_corner(working, &here, &planes(&second))
        });
        corner.map(|corner| ((corner - here).norm(), point, corner))
    };
    let mut found: Vec<(f64, u32, Vec3)> = sharp_ends.par_iter().with_min_len(16).filter_map(corner_near).collect();
    found.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    let mut done: Vec<Vec3> = Vec::new();
    let mut missed: Vec<Vec3> = Vec::new();
    let close = |list: &[Vec3], corner: &Vec3, edge: f64| list.iter().any(|other| (other - corner).norm() < 0.4 * edge);
    for angle_bounds in [AngleBounds::REGULAR, AngleBounds::AT_FEATURES] {
        missed.clear();
        for &(_, point, corner) in &found {
            if close(&done, &corner, working.edge) || working.constraint[point as usize] == PointConstraint::Fixed {
                continue;
            }
            if working.snap(point, corner, angle_bounds) {
                done.push(corner);
            } else if !close(&missed, &corner, working.edge) {
                missed.push(corner);
            }
        }
    }
    // If all points are too far, a new tetrahedron adds one.
    for corner in std::mem::take(&mut missed) {
        if !close(&done, &corner, working.edge) {
            if add_cap(working, &corner) { done.push(corner) } else { missed.push(corner) }
        }
    }
    report.corner_points = done.len();
    report.corners_missed = missed.iter().filter(|corner| !close(&done, corner, working.edge)).count();
}

/// Adds the best tetrahedron between a corner and a triangle that cuts it off; false if none keeps
/// the bounds.
fn add_cap(working: &mut WorkingMesh, corner: &Vec3) -> bool {
    let triangles = surface_triangles(working);
    let quality = |triangle: &&[u32; 3]| {
        let [a, b, c] = triangle.map(|point| working.positions[point as usize]);
        let cosines = DihedralCosines::of(&[a, b, c, *corner]);
        let is_near = (corner - a).norm() < 2.0 * working.edge;
        (is_near && AngleBounds::AT_FEATURES.contain(cosines)).then_some((cosines.of_smallest, **triangle))
    };
    let best =
        triangles.iter().filter_map(|triangle| quality(&triangle)).min_by(|one, other| one.0.total_cmp(&other.0));
    let Some((_, [a, b, c])) = best else { return false };
    let mut edit = Edit::default();
    edit.change(&[a, b, c], &[], &[[a, b, c, working.positions.len() as u32]]);
    edit.points.push(*corner);
    working.replace(edit);
    true
}

/// Moves points onto all uncovered creases, the nearest first.
fn snap_to_creases(working: &mut WorkingMesh, creases: &[Crease], report: &mut FeatureReport) {
    let mut at_points: Vec<(u32, u32)> =
        creases.iter().zip(0..).flat_map(|(crease, index)| crease.ends.map(|end| (end, index))).collect();
    at_points.sort_unstable();
    for angle_bounds in [AngleBounds::REGULAR, AngleBounds::REGULAR, AngleBounds::AT_FEATURES, AngleBounds::AT_FEATURES]
    {
        change_edges(working, creases, Change::Bridge, report);
        let mut moves: Vec<(f64, u32, Vec3)> = Vec::new();
        for run in at_points.chunk_by(|one, other| one.0 == other.0) {
            let point = run[0].0;
            if working.constraint[point as usize] == PointConstraint::Fixed {
                continue;
            }
            let here = working.positions[point as usize];
            let open =
                run.iter().map(|&(_, index)| &creases[index as usize]).filter(|crease| !crease.is_covered(working));
            let nearest = open
                .map(|crease| {
                    crease.point
                        + crease.along
                            * (here - crease.point).dot(&crease.along).clamp(-0.5 * working.edge, 0.5 * working.edge)
                })
                .min_by(|one, other| (one - here).norm().total_cmp(&(other - here).norm()));
            if let Some(position) = nearest {
                moves.push(((position - here).norm(), point, position));
            }
        }
        moves.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        for (_, point, position) in moves {
            let start = at_points.partition_point(|&(other, _)| other < point);
            let run = at_points[start..].iter().take_while(|&&(other, _)| other == point);
            let is_open = run.map(|&(_, index)| &creases[index as usize]).any(|crease| !crease.is_covered(working));
            let is_free = working.constraint[point as usize] != PointConstraint::Fixed;
            if is_open && is_free && working.snap(point, position, angle_bounds) {
                report.crease_points += 1;
            }
        }
    }
    for change in [Change::Bridge, Change::Split, Change::Split] {
        change_edges(working, creases, change, report);
    }
    let is_cut_off = |working: &WorkingMesh, edges: &[[u32; 2]], crease: &Crease| {
        !crease.is_covered(working) && edges.binary_search(&crease.ends).is_ok()
    };
    let edges = surface_edges(&surface_triangles(working));
    let uncovered: Vec<&Crease> = creases.iter().filter(|crease| is_cut_off(working, &edges, crease)).collect();
    for crease in uncovered.into_iter().take(MAX_SMOOTHED_SPLITS) {
        let shifts = [0.0, 0.2, -0.2, 0.4, -0.4].map(|shift| crease.point + crease.along * (shift * working.edge));
        report.edges_changed +=
            usize::from(shifts.iter().any(|position| working.split_and_smooth(crease.ends, *position)));
    }
    let edges = surface_edges(&surface_triangles(working));
    report.edges_cut_off = creases.iter().filter(|crease| is_cut_off(working, &edges, crease)).count();
}

/// Topological change of an edge that cuts off a crease.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    /// If both opposite points lie on the crease, adds (convex) or removes (concave) a tetrahedron,
    /// which puts an edge there.
    Bridge,
    Split,
}

/// Changes edges that still cut off a crease, within the angle bounds.
fn change_edges(working: &mut WorkingMesh, creases: &[Crease], change: Change, report: &mut FeatureReport) {
    let triangles = surface_triangles(working);
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
        let is_fixed = |point: u32| working.constraint[point as usize] == PointConstraint::Fixed;
        if crease.is_covered(working) {
            continue;
        }
        match change {
            Change::Bridge if is_fixed(left) && is_fixed(right) => bridge(working, crease, [left, right], &mut edit),
            Change::Bridge => {}
            Change::Split => split(working, crease, &mut edit),
        }
    }
    report.edges_changed += edit.changes;
    if edit.changes > 0 {
        working.replace(edit);
    }
}

/// Plans the tetrahedron to add or remove.
fn bridge(working: &WorkingMesh, crease: &Crease, beside: [u32; 2], edit: &mut Edit) {
    let four = [crease.ends[0], crease.ends[1], beside[0], beside[1]];
    let corners = four.map(|point| working.positions[point as usize]);
    // The new edge must lie on the surface, with the outside just beyond.
    let middles = [(corners[0] + corners[1]) * 0.5, (corners[2] + corners[3]) * 0.5];
    let Some(offset) = (middles[1] - middles[0]).try_normalize(0.0) else { return };
    if !edit.is_free(&four) || project(working.domain, &middles[1], &offset, 0.1 * working.edge).is_none() {
        return;
    }
    if craze_math::tetrahedron::volume(&corners) > 0.0 {
        if AngleBounds::AT_FEATURES.contain(DihedralCosines::of(&corners)) && working.common(beside).is_empty() {
            edit.change(&four, &[], &[four]);
        }
    } else if let [single] = working.common(crease.ends)[..]
        && four.iter().all(|point| working.tetrahedra[single as usize].contains(point))
        // A separate tetrahedron would leave unused points.
        && four.iter().all(|&point| working.star(point).len() > 1)
    {
        edit.change(&four, &[single], &[]);
    }
}

fn split(working: &WorkingMesh, crease: &Crease, edit: &mut Edit) {
    let around = working.common(crease.ends);
    let points: Vec<u32> = around.iter().flat_map(|&index| working.tetrahedra[index as usize]).collect();
    if !edit.is_free(&points) {
        return;
    }
    for shift in [0.0, 0.15, -0.15, 0.3, -0.3] {
        let position = crease.point + crease.along * (shift * working.edge);
        let halves = around.iter().flat_map(|&index| {
            let corners = working.tetrahedra[index as usize];
            crease.ends.map(|end| {
                let corner_positions =
                    corners.map(|corner| if corner == end { position } else { working.positions[corner as usize] });
                AngleBounds::AT_FEATURES.contain(DihedralCosines::of(&corner_positions))
            })
        });
        if halves.clone().all(|holds| holds) {
            let middle = (working.positions.len() + edit.points.len()) as u32;
            let halved = around.iter().flat_map(|&index| {
                let corners = working.tetrahedra[index as usize];
                crease.ends.map(|end| corners.map(|corner| if corner == end { middle } else { corner }))
            });
            let halved: Vec<[u32; 4]> = halved.collect();
            edit.change(&points, &around, &halved);
            edit.points.push(position);
            return;
        }
    }
}

/// The crease between the ends of an edge, if the normal still jumps there after bisection.
fn find_crease(working: &WorkingMesh, ends: [u32; 2], normals: [Vec3; 2], angle: f64) -> Option<Crease> {
    let [start, end] = ends.map(|end| working.positions[end as usize]);
    let outward = (normals[0] + normals[1]).try_normalize(0.1)?;
    let distance = (end - start).norm();
    let mut low = (0.0, start, normals[0]);
    let mut high = (1.0, end, normals[1]);
    for _ in 0..7 {
        let share = 0.5 * (low.0 + high.0);
        let position = project(working.domain, &(start + (end - start) * share), &outward, distance)?;
        let normal = working.domain.normal(&position)?;
        if normal.dot(&normals[0]) > normal.dot(&normals[1]) {
            low = (share, position, normal);
        } else {
            high = (share, position, normal);
        }
    }
    let cosine = low.2.dot(&high.2);
    if !(cosine < angle.cos()) {
        return None;
    }
    // The point on both tangent planes nearest to the middle.
    let middle = (low.1 + high.1) * 0.5;
    let [one, other] = [low.2.dot(&(low.1 - middle)), high.2.dot(&(high.1 - middle))];
    let scale = 1.0 / (1.0 - cosine * cosine);
    let point = middle + low.2 * ((one - cosine * other) * scale) + high.2 * ((other - cosine * one) * scale);
    let along = low.2.cross(&high.2).try_normalize(1e-6)?;
    ((point - middle).norm() < 0.25 * working.edge).then_some(Crease { ends, point, normals: [low.2, high.2], along })
}

/// The nearby surface point in which the tangent planes around a point intersect.
fn find_corner(working: &WorkingMesh, here: &Vec3, around: &[(Vec3, Vec3)]) -> Option<Vec3> {
    // Least squares (quadric error, Garland & Heckbert 1997) relative to the mean point; parallel
    // planes count once.
    let middle = around.iter().map(|(position, _)| position).sum::<Vec3>() / around.len() as f64;
    let mut matrix = Mat3::zeros();
    let mut right = Vec3::zeros();
    let mut distinct: Vec<(Vec3, Vec3)> = Vec::new();
    for &(position, normal) in around {
        if distinct.iter().all(|(_, other)| other.dot(&normal) < 0.97) {
            distinct.push((position, normal));
        }
    }
    for (position, normal) in &distinct {
        matrix += normal * normal.transpose();
        right += normal * normal.dot(&(position - middle));
    }
    let eigen = symmetric_eigen(&matrix);
    let (least, most) = (eigen.values.min(), eigen.values.max());
    if !(least > 0.06 * most) {
        return None;
    }
    let corner = middle + matrix.try_inverse()? * right;
    let edge = working.edge;
    let worst = around.iter().map(|(position, normal)| normal.dot(&(corner - position)).abs()).fold(0.0, f64::max);
    if !((corner - here).norm() < 1.6 * edge) || worst > 0.03 * edge {
        return None;
    }
    // A small ball around a surface point contains both sides; inside a sharp corner is opposite
    // its normals.
    let sum = distinct.iter().map(|(_, normal)| normal).sum::<Vec3>().try_normalize(1e-3).unwrap_or_default();
    let directions = distinct.iter().map(|&(_, normal)| normal).chain([sum, Vec3::x(), Vec3::y(), Vec3::z()]);
    let probes: Vec<bool> = directions
        .flat_map(|offset| [offset, -offset])
        .map(|offset| working.domain.contains(&(corner + offset * (0.04 * edge))))
        .collect();
    (probes.contains(&true) && probes.contains(&false)).then_some(corner)
}

/// Outward faces of a single tetrahedron with all corners on the surface.
pub(super) fn surface_triangles(working: &WorkingMesh) -> Vec<[u32; 3]> {
    let is_on = |point: &u32| working.constraint[*point as usize] != PointConstraint::Interior;
    let faces = working.tetrahedra.par_iter().with_min_len(CHUNK).flat_map_iter(|&[a, b, c, d]| {
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

/// The distinct edges, lower end first.
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
    use crate::stuffing::testing::{ball, edge_uses, rotated_cube, rotated_cylinder, rotation};
    use crate::stuffing::{Stuffing, StuffingOptions, stuff};
    use craze_math::Vec3;
    use craze_spatial::TriangleTree;

    /// Largest distances (m) from the mesh's surface to the domain's and back.
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
    fn edges_and_corners_of_a_rotated_cube_are_kept() {
        let mut samples = Vec::new();
        for i in -40..=40 {
            for j in -40..=40 {
                for axis in 0..3 {
                    for side in [-1.0, 1.0] {
                        let mut sample = Vec3::repeat(side);
                        sample[(axis + 1) % 3] = f64::from(i) / 40.0;
                        sample[(axis + 2) % 3] = f64::from(j) / 40.0;
                        samples.push(rotation() * sample);
                    }
                }
            }
        }
        for edge in [0.31, 0.2] {
            let cube = rotated_cube(1.0);
            let stuffing = stuff(&cube, &StuffingOptions::with_edge(edge)).expect("a mesh");
            assert_eq!(stuffing.report.features.corner_points, 8);
            check(&stuffing, edge, distances(&stuffing.mesh, &|point| cube.level(point), &samples));
            assert!((stuffing.mesh.total_measure() / 8.0 - 1.0).abs() < 0.005);
        }
    }

    #[test]
    fn rims_of_a_rotated_cylinder_are_kept() {
        let mut samples = Vec::new();
        for i in 0..200 {
            let angle = f64::from(i) * std::f64::consts::TAU / 200.0;
            for along in -10..=10 {
                samples.push(rotation() * Vec3::new(angle.cos(), angle.sin(), 0.06 * f64::from(along)));
            }
        }
        let cylinder = rotated_cylinder(1.0, 0.6);
        let stuffing = stuff(&cylinder, &StuffingOptions::with_edge(0.15)).expect("a mesh");
        check(&stuffing, 0.15, distances(&stuffing.mesh, &|point| cylinder.level(point), &samples));
    }

    #[test]
    fn a_coarse_ball_has_no_features() {
        for edge in [0.5, 0.3, 0.1] {
            let report = stuff(&ball(1.0), &StuffingOptions::with_edge(edge)).expect("a mesh").report;
            assert_eq!((report.features, report.snapped), (super::FeatureReport::default(), 0));
        }
    }
}
