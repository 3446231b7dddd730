//! Impact zones: the fail-safe that leaves no collision in a step (Harmon et al. 2008, "Robust
//! treatment of simultaneous collisions").
//!
//! Points of features that collide on their straight path from start to end form a zone. Its end
//! positions are those closest to the predicted ones, in the norm of kinetic energy, at which no
//! colliding pair has approached along its normal. The result is checked again: new collisions join
//! the constraints, and zones that share points merge. Zones that do not converge move as rigid
//! bodies, by a velocity field u(x) = v + ω×(x − c): on the path from x to x + u(x) no two points
//! of such a zone approach, since |y + t ω×y| ≥ |y|. Both conserve linear and angular momentum
//! about the start positions, except for held points.

use crate::tolerances::{CLOSED_CRACK_DISTANCE, MAX_ZONE_ROTATION, ZONE_DISTANCE_LEFT};
use crate::{Candidates, ContactTriangles, SurfacePoint, SurfaceTree};
use crate::{ccd, distance};
use craze_math::{DisjointSets, Mat3, Vec3};

/// Rounds in which zones may deform.
const MAX_DEFORMING_ROUNDS: usize = 12;

/// Most rounds: every rigid round enlarges a zone, and zones that grow for so long need a shorter
/// step.
const MAX_ROUNDS: usize = 60;

/// Most Gauss–Seidel iterations over the constraints of all zones in a round.
const MAX_ITERATIONS: usize = 200;

/// Change of a displacement at which iterations end, as a share of the largest displacement.
const DISPLACEMENT_TOLERANCE: f64 = 1e-10;

/// Why a step has to be shorter.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ZoneError {
    /// Zones grew and still collided.
    #[error("surfaces still collide at ({:.4}, {:.4}, {:.4}) m after {MAX_ROUNDS} rounds of impact zones", place.x, place.y, place.z)]
    Unresolved {
        /// Where (m).
        place: Vec3,
    },
    /// Held points are driven through each other, or a rigid zone contains several that move
    /// differently.
    #[error("held points are driven through each other at ({:.4}, {:.4}, {:.4}) m", place.x, place.y, place.z)]
    Held {
        /// Where (m).
        place: Vec3,
    },
    /// A rigid zone would rotate too far in one step.
    #[error("an impact zone at ({:.4}, {:.4}, {:.4}) m would turn by {angle:.2} rad in one step", place.x, place.y, place.z)]
    Turning {
        /// Its centre (m).
        place: Vec3,
        /// The angle (rad).
        angle: f64,
    },
    /// A position is not a number, or too large for one.
    #[error("positions of the surface are not finite")]
    NotFinite,
}

/// Size of the solution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ZoneReport {
    /// Rounds with collisions.
    pub rounds: usize,
    /// Points in zones.
    pub points: usize,
    /// Points in zones that moved as rigid bodies.
    pub rigid_points: usize,
}

/// A pair of features that must not approach along a normal.
#[derive(Clone, Copy, Debug)]
struct Constraint {
    points: [u32; 4],
    /// Sum to zero.
    weights: [f64; 4],
    normal: Vec3,
}

/// Zones as a union-find over points.
struct Zones {
    sets: DisjointSets,
    is_rigid: Vec<bool>,
}

impl Zones {
    fn new(points: usize) -> Zones {
        Zones { sets: DisjointSets::new(points), is_rigid: vec![false; points] }
    }

    /// The smallest point of the zone.
    fn root(&self, point: u32) -> u32 {
        self.sets.root(point)
    }

    fn join(&mut self, one: u32, other: u32) {
        let is_rigid = [one, other].iter().any(|&point| self.is_rigid[self.root(point) as usize]);
        self.sets.join(one, other);
        let root = self.root(one);
        self.is_rigid[root as usize] = is_rigid;
    }

    /// True if a pair lies in one rigid zone, where nothing approaches.
    fn is_safe(&self, points: &[u32; 4]) -> bool {
        let root = self.root(points[0]);
        self.is_rigid[root as usize] && points[1..].iter().all(|&point| self.root(point) == root)
    }

    /// The points of every zone of more than one, in order.
    fn members(&self) -> Vec<Vec<u32>> {
        let mut all: Vec<(u32, u32)> = (0..self.is_rigid.len() as u32).map(|point| (self.root(point), point)).collect();
        all.sort_unstable();
        let zones = all.chunk_by(|one, other| one.0 == other.0).filter(|zone| zone.len() > 1);
        zones.map(|zone| zone.iter().map(|entry| entry.1).collect()).collect()
    }
}

/// Moves the end positions of points such that no features of the surface collide on their paths;
/// `thickness` (m) is the contact distance. Only features for which `collides` returns true for
/// their first points can collide; these must not intersect at the start. Points without inverse
/// mass keep their end positions. On failure the end positions are unchanged.
pub fn resolve(
    points: &mut [SurfacePoint],
    triangles: &ContactTriangles,
    thickness: f64,
    collides: impl Fn(u32, u32) -> bool,
) -> Result<ZoneReport, ZoneError> {
    // Boxes ignore positions that are not numbers.
    if points.iter().any(|point| !(point.start + point.end).iter().all(|value| value.is_finite())) {
        return Err(ZoneError::NotFinite);
    }
    let predicted: Vec<Vec3> = points.iter().map(|point| point.end).collect();
    let result = grow(points, &predicted, triangles, thickness, &collides);
    if result.is_err() {
        points.iter_mut().zip(&predicted).for_each(|(point, end)| point.end = *end);
    }
    result
}

fn grow(
    points: &mut [SurfacePoint],
    predicted: &[Vec3],
    triangles: &ContactTriangles,
    thickness: f64,
    collides: &impl Fn(u32, u32) -> bool,
) -> Result<ZoneReport, ZoneError> {
    let (mut zones, mut constraints) = (Zones::new(points.len()), Vec::<Constraint>::new());
    let mut tree = SurfaceTree::default();
    tree.follow(triangles, points.len());
    let mut place = Vec3::zeros();
    for round in 0..=MAX_ROUNDS {
        let found = collisions(points, &mut tree, &zones, thickness, collides)?;
        if found.is_empty() {
            return Ok(report(&zones, round));
        }
        place = points[found[0].points[0] as usize].start;
        for constraint in &found {
            let [first, rest @ ..] = constraint.points;
            rest.iter().for_each(|&point| zones.join(first, point));
            if round >= MAX_DEFORMING_ROUNDS {
                let root = zones.root(first);
                zones.is_rigid[root as usize] = true;
            }
        }
        constraints.extend(found);
        points.iter_mut().zip(predicted).for_each(|(point, end)| point.end = *end);
        project(points, &constraints, &zones)?;
        for zone in zones.members() {
            if zones.is_rigid[zone[0] as usize] {
                move_rigidly(points, predicted, &zone)?;
            } else {
                restore_spin(points, predicted, &zone);
            }
        }
    }
    Err(ZoneError::Unresolved { place })
}

fn report(zones: &Zones, rounds: usize) -> ZoneReport {
    let members = zones.members();
    let size = |zone: &Vec<u32>| zone.len();
    let rigid = members.iter().filter(|zone| zones.is_rigid[zone[0] as usize]);
    ZoneReport { rounds, points: members.iter().map(size).sum(), rigid_points: rigid.map(size).sum() }
}

/// All pairs that come closer than allowed on their present paths, in the order of their points.
fn collisions(
    points: &[SurfacePoint],
    tree: &mut SurfaceTree,
    zones: &Zones,
    thickness: f64,
    collides: &impl Fn(u32, u32) -> bool,
) -> Result<Vec<Constraint>, ZoneError> {
    tree.sweep(points, thickness).map_err(|_| ZoneError::NotFinite)?;
    let mut candidates = Candidates::default();
    candidates.within(tree);
    let (triangles, edges) = (&tree.features.triangles, &tree.features.edges);
    let mut found = Vec::new();
    let mut test = |corners: [u32; 4], is_edges: bool| {
        if !collides(corners[0], corners[3]) || zones.is_safe(&corners) {
            return;
        }
        let [start, end] = [|point: &SurfacePoint| point.start, |point: &SurfacePoint| point.end]
            .map(|at| corners.map(|k| at(&points[k as usize])));
        let ([p, q, r, s], (first, second)) = (start, corners.split_at(if is_edges { 2 } else { 1 }));
        let distance = if is_edges {
            distance::edge_edge(&[p, q], &[r, s]).distance
        } else {
            distance::point_triangle(&p, &[q, r, s]).distance
        };
        // Faces of a closed crack have no distance that could be kept.
        if distance <= CLOSED_CRACK_DISTANCE * thickness && tree.features.crack_faces.share_origin(first, second) {
            return;
        }
        let kept = ZONE_DISTANCE_LEFT * distance.min(thickness);
        let impact =
            if is_edges { ccd::edge_edge(&start, &end, kept) } else { ccd::point_triangle(&start, &end, kept) };
        found.extend(impact.map(|impact| Constraint {
            points: corners,
            weights: impact.weights,
            normal: impact.normal,
        }));
    };
    for candidate in &candidates.point_triangle {
        let [point, triangle] = candidate.features;
        let [a, b, c] = triangles[triangle as usize];
        test([point, a, b, c], false);
    }
    for candidate in &candidates.edge_edge {
        let [[p, q], [r, s]] = candidate.features.map(|edge| edges[edge as usize]);
        test([p, q, r, s], true);
    }
    found.sort_by_key(|constraint| constraint.points);
    Ok(found)
}

/// Inelastic projection: Gauss–Seidel on n·Σ wᵢ(endᵢ − startᵢ) = 0 for all constraints of zones
/// that deform.
fn project(points: &mut [SurfacePoint], constraints: &[Constraint], zones: &Zones) -> Result<(), ZoneError> {
    let way = |point: &SurfacePoint| (point.end - point.start).norm();
    let enough = DISPLACEMENT_TOLERANCE * points.iter().map(way).fold(0.0, f64::max);
    let deforms = |constraint: &&Constraint| !zones.is_rigid[zones.root(constraint.points[0]) as usize];
    let constraints: Vec<&Constraint> = constraints.iter().filter(deforms).collect();
    for _ in 0..MAX_ITERATIONS {
        let mut largest = 0.0f64;
        for Constraint { points: corners, weights, normal } in &constraints {
            let sum = |of: &dyn Fn(&SurfacePoint, f64) -> f64| -> f64 {
                corners.iter().zip(weights).map(|(&corner, &weight)| of(&points[corner as usize], weight)).sum()
            };
            let approach = sum(&|point, weight| weight * (point.end - point.start).dot(normal));
            let mobility = sum(&|point, weight| weight * weight * point.inverse_mass);
            if !(mobility > 0.0) {
                return Err(ZoneError::Held { place: points[corners[0] as usize].start });
            }
            for (&corner, &weight) in corners.iter().zip(weights) {
                let point = &mut points[corner as usize];
                let change = -approach / mobility * point.inverse_mass * weight;
                point.end += change * normal;
                largest = largest.max(change.abs());
            }
        }
        if !(largest > enough) {
            break;
        }
    }
    Ok(())
}

/// Mass (kg), centre (m) and inertia about it (kg·m²) of the points of a zone at the start; none if
/// one of them is held.
fn inertia(points: &[SurfacePoint], zone: &[u32]) -> Option<(f64, Vec3, Mat3)> {
    let all = || zone.iter().map(|&point| &points[point as usize]);
    if all().any(|point| !(point.inverse_mass > 0.0)) {
        return None;
    }
    let mass: f64 = all().map(|point| 1.0 / point.inverse_mass).sum();
    let centre = all().map(|point| point.start / point.inverse_mass).sum::<Vec3>() / mass;
    let part = |point: &SurfacePoint| {
        let arm = point.start - centre;
        (Mat3::identity() * arm.norm_squared() - arm * arm.transpose()) / point.inverse_mass
    };
    Some((mass, centre, all().map(part).sum()))
}

/// Rotation (rad) that has an angular momentum over the step (kg·m²); zero about an axis without
/// inertia.
fn turn(inertia: &Mat3, momentum: &Vec3) -> Vec3 {
    let (least, eigen) = (1e-12 * inertia.trace(), inertia.symmetric_eigen());
    eigen.eigenvalues.iter().zip(eigen.eigenvectors.column_iter()).fold(Vec3::zeros(), |turn, (&value, axis)| {
        if value > least { turn + axis * (axis.dot(momentum) / value) } else { turn }
    })
}

/// Restores the angular momentum of a zone, which corrections along normals of a later moment have
/// changed.
fn restore_spin(points: &mut [SurfacePoint], predicted: &[Vec3], zone: &[u32]) {
    let Some((_, centre, inertia)) = inertia(points, zone) else { return };
    let lost = |&point: &u32| {
        let at = &points[point as usize];
        (at.start - centre).cross(&(predicted[point as usize] - at.end)) / at.inverse_mass
    };
    let turn = turn(&inertia, &zone.iter().map(lost).sum());
    for &point in zone {
        let at = &mut points[point as usize];
        at.end += turn.cross(&(at.start - centre));
    }
}

/// Moves a zone by the rigid velocity field with its momenta, or with its held points.
fn move_rigidly(points: &mut [SurfacePoint], predicted: &[Vec3], zone: &[u32]) -> Result<(), ZoneError> {
    let way = |point: u32| predicted[point as usize] - points[point as usize].start;
    let Some((mass, centre, inertia)) = inertia(points, zone) else {
        let mut held = zone.iter().filter(|&&point| !(points[point as usize].inverse_mass > 0.0));
        let along = held.next().map_or(Vec3::zeros(), |&point| way(point));
        if let Some(&other) = held.find(|&&point| way(point) != along) {
            return Err(ZoneError::Held { place: points[other as usize].start });
        }
        zone.iter().for_each(|&point| points[point as usize].end = points[point as usize].start + along);
        return Ok(());
    };
    let weighed = |&point: &u32| way(point) / points[point as usize].inverse_mass;
    let shift = zone.iter().map(weighed).sum::<Vec3>() / mass;
    let moment = |point: &u32| (points[*point as usize].start - centre).cross(&weighed(point));
    let turn = turn(&inertia, &zone.iter().map(moment).sum());
    if !(turn.norm() <= MAX_ZONE_ROTATION) {
        return Err(ZoneError::Turning { place: centre, angle: turn.norm() });
    }
    for &point in zone {
        let at = &mut points[point as usize];
        at.end = at.start + shift + turn.cross(&(at.start - centre));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points on a helix with different masses and displacements.
    fn screw(speed: f64) -> Vec<SurfacePoint> {
        let point = |index: u32| {
            let angle = f64::from(index);
            let start = Vec3::new(angle.cos(), 0.2 * angle, angle.sin());
            let way = speed * Vec3::new((3.0 * angle).sin(), (5.0 * angle).cos(), start.x);
            let (end, inverse_mass) = (start + way, 1.0 / (1.0 + angle));
            SurfacePoint { dof: 0, start, start_velocity: way, end, velocity: way, inverse_mass, radius: 0.0 }
        };
        (0..8).map(point).collect()
    }

    fn momenta(points: &[SurfacePoint]) -> [Vec3; 2] {
        let way = |point: &SurfacePoint| (point.end - point.start) / point.inverse_mass;
        [points.iter().map(way).sum(), points.iter().map(|point| point.start.cross(&way(point))).sum()]
    }

    fn ends(points: &[SurfacePoint]) -> Vec<Vec3> {
        points.iter().map(|point| point.end).collect()
    }

    const ALL: [u32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

    #[test]
    fn a_rigid_zone_keeps_momenta_and_no_two_of_its_points_come_nearer() {
        let mut points = screw(0.3);
        let before = momenta(&points);
        let predicted = ends(&points);
        move_rigidly(&mut points, &predicted, &ALL).expect("a small turn");
        for (now, then) in momenta(&points).iter().zip(before) {
            assert!((now - then).norm() < 1e-12, "{now} instead of {then}");
        }
        for (one, other) in points.iter().flat_map(|one| points.iter().map(move |other| (one, other))) {
            let apart = (one.start - other.start).norm();
            for share in [0.25, 0.5, 0.75, 1.0] {
                let at = |point: &SurfacePoint| point.start + share * (point.end - point.start);
                assert!((at(one) - at(other)).norm() >= apart - 1e-12);
            }
        }
    }

    #[test]
    fn a_rigid_zone_follows_what_is_held_and_refuses_what_it_cannot_do() {
        let mut points = screw(0.3);
        points[2].inverse_mass = 0.0;
        let along = points[2].end - points[2].start;
        let predicted = ends(&points);
        move_rigidly(&mut points, &predicted, &ALL).expect("one is held");
        assert!(points.iter().all(|point| (point.end - point.start - along).norm() < 1e-12));
        points[5].inverse_mass = 0.0;
        let refused = move_rigidly(&mut points, &predicted, &ALL);
        assert_eq!(refused, Err(ZoneError::Held { place: points[5].start }));
        let mut fast = screw(30.0);
        let predicted = ends(&fast);
        assert!(matches!(move_rigidly(&mut fast, &predicted, &ALL), Err(ZoneError::Turning { .. })));
    }

    #[test]
    fn points_on_a_line_do_not_turn_about_it() {
        let inertia = Mat3::from_diagonal(&Vec3::new(0.0, 2.0, 2.0));
        assert_eq!(turn(&inertia, &Vec3::new(1.0, 4.0, 0.0)), Vec3::new(0.0, 2.0, 0.0));
    }
}
