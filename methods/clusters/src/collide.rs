//! Self-contact of a body of clusters: members of one cluster are pushed out of the proxy of
//! another (Jones et al. 2015).
//!
//! Clusters that share particles never collide, nor do connected ones that touch at rest. A
//! particle may penetrate a proxy as deep as at rest: clusters begin with their overlap after a
//! split.

use crate::cluster::{Plane, Rest};
use crate::flow::fraction_in;
use crate::membership::Memberships;
use crate::model::Clusters;
use crate::tuning::{PAIRS_PER_TASK, PENETRATION_REMOVED};
use craze_contact::Proxy;
use craze_engine::Step;
use craze_math::{Mat3, Vec3, svd};
use craze_spatial::Aabb;
use rayon::prelude::*;

/// Proxy of a cluster: a ball cut by half-spaces.
struct Solid {
    proxy: Proxy,
    /// From the world to rest.
    back: Mat3,
    /// Largest stretch of the map to rest (1).
    stretch: f64,
    /// Position of the cluster's centre (m).
    centre: Vec3,
    /// The planes that cut it, in the world; points in front of one of them are outside.
    planes: Vec<(Vec3, f64)>,
}

impl Solid {
    /// Returns true if a box (m) is outside of the ball around the cluster (m), or in front of a
    /// plane.
    fn is_clear_of(&self, bounds: &Aabb, radius: f64) -> bool {
        let (middle, half) = (bounds.centre(), 0.5 * bounds.size());
        let is_before = |(normal, end): &(Vec3, f64)| normal.dot(&middle) - normal.abs().dot(&half) > *end;
        let distance = (self.back * (middle - self.centre)).norm();
        distance - self.stretch * half.norm() >= radius || self.planes.iter().any(is_before)
    }

    /// The shortest way out from a position (m), if it is inside: the direction in the world, by
    /// which its length in the rest frame is divided, and minus that length (m). Planes are tested
    /// from the last one that a position was in front of, which is likely to separate the next one
    /// too.
    #[inline]
    fn way_out(&self, place: &Vec3, radius: f64, last: &mut usize) -> Option<(Vec3, f64)> {
        let mut nearest = (f64::NEG_INFINITY, Vec3::zeros());
        for index in (*last..self.planes.len()).chain(0..*last) {
            let (normal, end) = &self.planes[index];
            let distance = normal.dot(place) - end;
            if distance > 0.0 {
                *last = index;
                return None;
            }
            if distance > nearest.0 {
                nearest = (distance, *normal);
            }
        }
        let arm = self.back * (place - self.centre);
        let length = arm.norm();
        // NaN is outside.
        if !(length < radius) {
            return None;
        }
        if length - radius > nearest.0 {
            // At the centre all directions are equally short.
            let across = if length > 0.0 { arm / length } else { Vec3::y() };
            nearest = (length - radius, self.back.transpose() * across);
        }
        Some((nearest.1, nearest.0))
    }
}

/// Proxies and bounding boxes of clusters in a step.
struct Meeting {
    /// Proxies; `None` for flat clusters, or where none is needed.
    solids: Vec<Option<Solid>>,
    /// Bounding boxes of the members of clusters (m).
    boxes: Vec<Aabb>,
}

/// Penetration of a particle into a proxy.
struct Overlap {
    /// Direction out of the proxy.
    normal: Vec3,
    /// Penetration beyond that at rest (m).
    depth: f64,
}

impl Clusters {
    /// Pushes members of the prediction out of the proxies of clusters that they are not in. All
    /// are tested first; those that overlap are then pushed one after another.
    pub(crate) fn keep_apart(&mut self, step: &Step) {
        if !self.options.self_contact || self.cluster_count() < 2 {
            return;
        }
        let pairs = self.near_pairs();
        if pairs.is_empty() {
            return;
        }
        let meeting = self.meeting(&pairs);
        let directed =
            pairs.par_iter().with_min_len(PAIRS_PER_TASK).flat_map_iter(|&[one, other]| [[one, other], [other, one]]);
        let overlapping: Vec<[u32; 2]> = directed.filter(|&[of, from]| self.overlaps(of, from, &meeting)).collect();
        for [of, from] in overlapping {
            self.push_out(of, from, &meeting, step);
        }
    }

    /// Proxies and bounding boxes for these pairs.
    fn meeting(&self, pairs: &[[u32; 2]]) -> Meeting {
        let mut is_asked = vec![false; self.cluster_count()];
        pairs.iter().flatten().for_each(|&cluster| is_asked[cluster as usize] = true);
        let meet = |(cluster, is_asked): (usize, &bool)| match is_asked {
            true => (self.solid(cluster), self.box_of(cluster)),
            false => (None, Aabb::EMPTY),
        };
        let (solids, boxes) = is_asked.par_iter().enumerate().with_min_len(PAIRS_PER_TASK).map(meet).unzip();
        Meeting { solids, boxes }
    }

    /// Pairs of clusters whose balls overlap and that are not neighbours; ascending. From the
    /// state, which is close enough to the prediction.
    fn near_pairs(&self) -> Vec<[u32; 2]> {
        let ball = |cluster: usize| {
            let (fit, rest) = (&self.fits.fits[cluster], &self.rest[cluster]);
            (fit.centre, fit.elastic.sigma.x.min(2.0) * rest.extent, cluster as u32)
        };
        let mut balls: Vec<(Vec3, f64, u32)> = (0..self.cluster_count()).map(ball).collect();
        let axis = Aabb::from_points(balls.iter().map(|(centre, ..)| centre)).size().imax();
        // Sweep along the longest axis: balls that begin after the end of another do not overlap
        // it.
        let begin = |(centre, reach, _): &(Vec3, f64, u32)| centre[axis] - reach;
        balls.sort_unstable_by(|one, other| begin(one).total_cmp(&begin(other)).then(one.2.cmp(&other.2)));
        let mut pairs = Vec::new();
        for (index, (centre, reach, one)) in balls.iter().enumerate() {
            let end = centre[axis] + reach;
            for (other_centre, other_reach, other) in balls[index + 1..].iter().take_while(|ball| begin(ball) < end) {
                let apart = reach + other_reach;
                if (centre - other_centre).norm_squared() < apart * apart && self.may_meet(*one, *other) {
                    pairs.push([*one.min(other), *one.max(other)]);
                }
            }
        }
        pairs.sort_unstable();
        pairs
    }

    fn may_meet(&self, one: u32, other: u32) -> bool {
        let [one, other] = [one as usize, other as usize];
        if self.history[one].piece != self.history[other].piece {
            return true;
        }
        let [first, second] = [&self.rest[one], &self.rest[other]];
        (first.centre - second.centre).norm() > 1.2 * (first.extent + second.extent)
    }

    /// The proxy of a cluster; `None` if it is flat or flattened, so that the map to rest does not
    /// exist.
    fn solid(&self, cluster: usize) -> Option<Solid> {
        let (rest, history, fit) = (&self.rest[cluster], &self.history[cluster], &self.predicted_fits.fits[cluster]);
        let back = fit.deformation.try_inverse()?;
        // NaN gives none.
        if rest.is_flat || !(back.norm() < 10.0) {
            return None;
        }
        let planes = history.planes.iter().map(|plane| (plane.normal, plane.end)).collect();
        let proxy = Proxy::within(rest.centre, rest.extent, planes);
        let centre = self.predicted_fits.anchor + fit.centre;
        let in_world = |plane: &Plane| {
            let normal = back.transpose() * plane.normal;
            (normal, plane.end - plane.normal.dot(&rest.centre) + normal.dot(&centre))
        };
        let planes = history.planes.iter().map(in_world).collect();
        Some(Solid { proxy, stretch: svd(&back).sigma.x, back, centre, planes })
    }

    /// Bounding box of the members of a cluster (m).
    fn box_of(&self, cluster: usize) -> Aabb {
        Aabb::from_points(
            self.memberships.members(cluster).iter().map(|&member| &self.prediction.positions[member as usize]),
        )
    }

    /// Returns true if a member of one cluster overlaps the proxy of another.
    fn overlaps(&self, of: u32, from: u32, meeting: &Meeting) -> bool {
        let Some(solid) = &meeting.solids[from as usize] else { return false };
        // Most close pairs are separated by a plane that has cut one of them: no member need be
        // tested.
        if solid.is_clear_of(&meeting.boxes[of as usize], self.rest[from as usize].extent) {
            return false;
        }
        let mut last = 0;
        let members = self.memberships.members(of as usize).iter();
        members.copied().any(|member| self.overlap(member as usize, from, solid, &mut last).is_some())
    }

    /// Penetration of a free particle into the proxy of a cluster that it is not in. `last` is the
    /// plane that the previous particle was in front of.
    #[inline]
    fn overlap(&self, particle: usize, from: u32, solid: &Solid, last: &mut usize) -> Option<Overlap> {
        let radius = self.rest[from as usize].extent;
        let (across, distance) = solid.way_out(&self.prediction.positions[particle], radius, last)?;
        let allowed = solid.proxy.signed_distance(&self.particles.offsets[particle]).distance.min(0.0);
        let is_member = || self.memberships.weight(particle as u32, from) > 0.0;
        if distance >= allowed || is_member() || self.constraints.is_placed(particle) {
            return None;
        }
        let length = across.norm();
        Some(Overlap { normal: across / length, depth: (allowed - distance) / length })
    }

    /// Pushes members of one cluster out of the proxy of another, one after another, each as an
    /// inelastic collision of two points: the other cluster moves on with its impulse before the
    /// next member is tested, so that many members do not add up on a light cluster.
    fn push_out(&mut self, of: u32, from: u32, meeting: &Meeting, step: &Step) {
        let Some(solid) = &meeting.solids[from as usize] else { return };
        let rest = self.rest[from as usize];
        self.begin_disturbance();
        let (masses, velocities) = (&self.particles.masses, &self.prediction.velocities);
        let mut velocity = mean_velocity(from, &rest, &self.memberships, masses, velocities);
        let (mut given, mut last) = (Vec3::zeros(), 0);
        let removed = fraction_in(PENETRATION_REMOVED, step.time_step / self.options.time_step);
        for index in 0..self.memberships.members(of as usize).len() {
            let member = self.memberships.members(of as usize)[index] as usize;
            let Some(Overlap { normal, depth }) = self.overlap(member, from, solid, &mut last) else { continue };
            let mass = self.particles.masses[member];
            let approach = (self.prediction.velocities[member] - velocity).dot(&normal);
            let change = (removed * depth / step.time_step - approach).max(0.0) * rest.mass / (mass + rest.mass);
            let impulse = mass * change * normal;
            given += impulse;
            velocity -= impulse / rest.mass;
            self.shove(member, &(change * normal), step);
        }
        if given == Vec3::zeros() {
            return;
        }
        self.disturb(of);
        self.disturb(from);
        self.prediction.touched = true;
        let back = given / rest.mass;
        for index in 0..self.memberships.members(from as usize).len() {
            let member = self.memberships.members(from as usize)[index];
            let change = -self.memberships.weight(member, from) * back;
            if !self.constraints.is_placed(member as usize) {
                self.shove(member as usize, &change, step);
            }
        }
    }

    /// Changes the predicted velocity of a particle (m/s), and its position accordingly.
    fn shove(&mut self, particle: usize, change: &Vec3, step: &Step) {
        self.prediction.velocities[particle] += change;
        self.prediction.positions[particle] += step.time_step * change;
        self.note_change(particle);
    }
}

/// Velocity of a cluster's centre of mass (m/s).
fn mean_velocity(cluster: u32, rest: &Rest, memberships: &Memberships, masses: &[f64], velocities: &[Vec3]) -> Vec3 {
    let momenta = memberships
        .members(cluster as usize)
        .iter()
        .map(|&member| memberships.weight(member, cluster) * masses[member as usize] * velocities[member as usize]);
    momenta.sum::<Vec3>() / rest.mass
}

#[cfg(test)]
mod tests {
    use crate::testing::{awake, block, material, plain_step};
    use crate::{Cloud, Clustering, Clusters, Options};
    use craze_engine::{Method, Step};
    use craze_math::{Isometry, Vec3};

    /// Two blocks that share no cluster, one flying into the other at 1 m/s; how far their middles
    /// are apart at the closest (m), and the largest change of momentum in a step.
    fn closest(self_contact: bool) -> (f64, f64) {
        let (left, right) = (block([6, 6, 6]), block([6, 6, 6]));
        let positions = left.positions.iter().copied().chain(right.positions.iter().map(|place| place + Vec3::x()));
        let positions: Vec<Vec3> = positions.collect();
        let cloud = Cloud { volumes: vec![1e-3; positions.len()], positions, spacing: 0.1 };
        let clustering = Clustering::Count { count: 2, overlap: 1.0, seed: 1 };
        let options = Options { clustering, self_contact, damping: 2.0, ..awake() };
        let still = Vec3::zeros();
        let mut body = Clusters::new(cloud, &material(1.0), options, &Isometry::identity(), still, still).unwrap();
        assert_eq!(body.piece_count(), 2);
        body.set_motion(|rest| (*rest, if rest.x < 0.75 { Vec3::x() } else { Vec3::zeros() })).unwrap();
        let (mut nearest, mut drift) = (f64::INFINITY, 0.0f64);
        for _ in 0..90 {
            let before = body.account(&still).momentum;
            body.predict(&plain_step()).unwrap();
            body.commit_motion();
            drift = drift.max((body.account(&still).momentum - before).norm() / before.norm());
            let frame = body.body_frame();
            nearest = nearest.min((frame.pieces[1].pose.position - frame.pieces[0].pose.position).norm());
        }
        (nearest, drift)
    }

    #[test]
    fn overlapping_parts_separate_as_slowly_in_short_steps() {
        // Two blocks that overlap by more than at rest, since one has been moved into the other.
        let speed = |parts: u32| {
            let (left, right) = (block([6, 6, 6]), block([6, 6, 6]));
            let positions = left.positions.iter().copied().chain(right.positions.iter().map(|at| at + Vec3::x()));
            let positions: Vec<Vec3> = positions.collect();
            let cloud = Cloud { volumes: vec![1e-3; positions.len()], positions, spacing: 0.1 };
            let clustering = Clustering::Count { count: 2, overlap: 1.0, seed: 1 };
            let options = Options { clustering, damping: 2.0, ..awake() };
            let still = Vec3::zeros();
            let mut body = Clusters::new(cloud, &material(1.0), options, &Isometry::identity(), still, still).unwrap();
            body.set_motion(|rest| (rest - Vec3::x() * if rest.x < 0.75 { 0.0 } else { 0.65 }, still)).unwrap();
            let whole = plain_step();
            let step = Step { time_step: whole.time_step / f64::from(parts), ..whole };
            for _ in 0..parts {
                body.predict(&step).unwrap();
                body.commit_motion();
            }
            let kinetic = body.account(&still).kinetic;
            assert!(kinetic > 0.0, "the blocks push each other away");
            (2.0 * kinetic / 432.0).sqrt()
        };
        let whole = speed(1);
        for parts in [10, 100, 1000] {
            let ratio = speed(parts) / whole;
            assert!((0.3..3.0).contains(&ratio), "{parts} steps: {ratio} times the speed of one step");
        }
    }

    #[test]
    fn parts_that_fly_into_each_other_bounce_and_keep_their_momentum() {
        let (through, _) = closest(false);
        assert!(through < 0.2, "without contact they pass: {through}");
        let (kept, drift) = closest(true);
        assert!(kept > 0.45, "{kept}");
        assert!(drift < 1e-12, "{drift:e}");
    }
}
