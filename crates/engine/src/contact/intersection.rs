//! The exact test for intersections of bodies: before a run, and on request.

use crate::world::{Body, Checked, World, WorldError};
use craze_contact::intersection::{PosedSurface, between, depth, within};
use craze_contact::solvers::penalty::Response;
use craze_contact::tolerances::MAX_CRACK_FACE_PENETRATION;
use craze_contact::{CrackFaces, RigidShape};
use craze_math::Vec3;
use craze_spatial::{Aabb, first_crossing};

/// Two bodies that intersect, or one that intersects itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Intersection {
    /// The two, as the world numbers them; the same twice for one that intersects itself.
    pub bodies: [usize; 2],
    /// Where (m).
    pub place: Vec3,
}

impl World {
    /// All pairs of bodies that intersect in the present state, with one point each, with a
    /// tolerance of a millionth of an edge. Bodies that only touch do not intersect. Bodies with
    /// positions that are not numbers are skipped: no step accepts them.
    pub fn intersections(&self) -> Vec<Intersection> {
        let places: Vec<Vec<Vec3>> = self.bodies.iter().map(places).collect();
        let boxes: Vec<Aabb> = places.iter().map(Aabb::from_points).collect();
        let moment = |body: usize| PosedSurface {
            positions: &places[body],
            triangles: self.bodies[body].method.collision_geometry().triangles,
        };
        let mut found = Vec::new();
        for first in 0..self.bodies.len() {
            if let Ok(Some(place)) = within(&moment(first)) {
                found.push(Intersection { bodies: [first, first], place });
            }
            // Penalty forces act on bodies that overlap.
            let is_apart = |second: &usize| self.settings.pairs.response(first, *second) == Response::Impulses;
            let near = (first + 1..self.bodies.len()).filter(|&second| boxes[first].overlaps(&boxes[second]));
            for second in near.filter(is_apart) {
                if let Ok(Some(place)) = between(&moment(first), &moment(second)) {
                    found.push(Intersection { bodies: [first, second], place });
                }
            }
        }
        found
    }

    /// As far as the settings ask: fails if any triangle of a body crosses another triangle of a
    /// body or an obstacle in the present state, exactly and without tolerance. Touching triangles
    /// do not cross. Crack faces may penetrate by [`MAX_CRACK_FACE_PENETRATION`]. Bodies that still
    /// separate from their start and pairs with penalty forces are skipped. Planes and particles
    /// have no triangles, and obstacles may intersect each other.
    pub fn check_intersections(&self) -> Result<(), WorldError> {
        if self.settings.check_intersections == Checked::Nothing {
            return Ok(());
        }
        let (mut all, mut crack_faces) = (AllTriangles::default(), Vec::new());
        for body in &self.bodies {
            let (places, surface) = (places(body), body.method.collision_geometry().triangles);
            crack_faces.push((CrackFaces::new(surface.triangles, surface.origins, places.len()), surface.skin));
            all.add(places, surface.triangles);
        }
        let with_obstacles = self.settings.check_intersections == Checked::Everything;
        for obstacle in self.obstacles.iter().filter(|_| with_obstacles) {
            let pose = obstacle.pose(self.time);
            let places = obstacle.surface.positions.iter().map(|place| pose.transform_point(&(*place).into()).coords);
            // The surface of a half-space is for display only.
            let triangles: &[_] =
                if matches!(obstacle.shape, RigidShape::HalfSpace) { &[] } else { &obstacle.surface.triangles };
            all.add(places.collect(), triangles);
        }
        let AllTriangles { positions, triangles, owners, firsts } = all;
        let corners = |triangle: u32| triangles[triangle as usize].map(|corner| positions[corner as usize]);
        let counts = |p: u32, q: u32| {
            let [one, other] = [p, q].map(|triangle| owners[triangle as usize]);
            let Some((crack_faces, skin)) = crack_faces.get(one.min(other)) else { return false };
            if self.settings.pairs.response(one, other) != Response::Impulses {
                return false;
            }
            let points = |triangle: u32| triangles[triangle as usize].map(|corner| corner - firsts[one]);
            let pair = [one.min(other) as u32, one.max(other) as u32];
            if self.separations.iter().any(|separation| separation.bodies == pair) {
                return false;
            }
            one != other
                || !crack_faces.are_crack_faces(&points(p), &points(q))
                || depth(&corners(p), &corners(q)) > MAX_CRACK_FACE_PENETRATION * skin
        };
        let name = |thing: usize| match thing.checked_sub(self.bodies.len()) {
            None => self.bodies[thing].name.clone(),
            Some(obstacle) => self.obstacles[obstacle].name.clone(),
        };
        if let Some(point) = positions.iter().position(|place| !place.iter().all(|value| value.is_finite())) {
            let owner = firsts.partition_point(|&first| first as usize <= point) - 1;
            return Err(WorldError::NotFinite { thing: name(owner), frame: self.frame_number });
        }
        // Triangles refer to points of their own surface: there is nothing that could be refused.
        let Ok(Some(pair)) = first_crossing(&positions, &triangles, counts) else { return Ok(()) };
        let boxes = pair.map(|triangle| {
            Aabb::from_points(triangles[triangle as usize].iter().map(|&corner| &positions[corner as usize]))
        });
        let place = 0.5 * (boxes[0].min.sup(&boxes[1].min) + boxes[0].max.inf(&boxes[1].max));
        let things = pair.map(|triangle| name(owners[triangle as usize]));
        Err(WorldError::Intersection { things, place, frame: self.frame_number })
    }
}

/// Positions of the points of a body (m).
pub(crate) fn places(body: &Body) -> Vec<Vec3> {
    let surface = body.method.collision_geometry().surface();
    surface.points.iter().map(|point| point.start).collect()
}

/// Triangles of bodies and obstacles, and the owner of each.
#[derive(Default)]
struct AllTriangles {
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    owners: Vec<usize>,
    /// The first position of each.
    firsts: Vec<u32>,
}

impl AllTriangles {
    fn add(&mut self, places: Vec<Vec3>, triangles: &[[u32; 3]]) {
        let (first, owner) = (self.positions.len() as u32, self.firsts.len());
        self.firsts.push(first);
        self.positions.extend(places);
        self.triangles.extend(triangles.iter().map(|triangle| triangle.map(|corner| first + corner)));
        self.owners.resize(self.triangles.len(), owner);
    }
}
