//! Parts of a body keep out of each other: members of one cluster are pushed out of the proxy of another (Jones et al. 2015).
//!
//! Clusters that share particles never meet, nor do those that touch at rest and hang together. A particle may be as deep in a proxy as it
//! is at rest: freshly parted clusters begin from their overlap.

use crate::cluster::{Plane, Rest};
use crate::grid::Grid;
use crate::membership::Memberships;
use crate::model::Clusters;
use craze_contact::proxy::Proxy;
use craze_engine::Step;
use craze_math::{Mat3, Vec3, svd};

/// Share of the overlap that is undone in a step, at most (Bridson et al. 2002).
const UNDONE: f64 = 0.1;

/// A proxy in the world.
struct Solid {
    proxy: Proxy,
    /// From the world to rest.
    back: Mat3,
    /// Largest stretch on the way back (1).
    stretch: f64,
    /// Place of the cluster's centre (m).
    centre: Vec3,
    /// The planes that cut it, in the world: what is before one of them is outside.
    planes: Vec<(Vec3, f64)>,
}

impl Solid {
    /// The plane that a place (m) is before, if any; looked for from the last one on, which is likely to be before the next member, too.
    fn plane_behind(&self, place: &Vec3, last: usize) -> Option<usize> {
        let is_before = |&index: &usize| self.planes[index].0.dot(place) > self.planes[index].1;
        (last..self.planes.len()).find(is_before).or_else(|| (0..last).find(is_before))
    }
}

/// What clusters are to each other in a step, each made when it is first asked for.
struct Shapes {
    /// Proxies; none where there is none to be made.
    solids: Vec<Option<Option<Solid>>>,
    /// Balls around all members: centre and radius (m).
    balls: Vec<Option<(Vec3, f64)>>,
}

impl Clusters {
    /// Pushes members of the prediction out of the proxies of clusters that they have no part in.
    pub(crate) fn keep_apart(&mut self, step: &Step) {
        if !self.options.self_contact || self.cluster_count() < 2 {
            return;
        }
        let pairs = self.near_pairs();
        if pairs.is_empty() {
            return;
        }
        let mut shapes = Shapes { solids: Vec::new(), balls: vec![None; self.cluster_count()] };
        shapes.solids.resize_with(self.cluster_count(), || None);
        for [one, other] in pairs {
            self.push_out(one, other, &mut shapes, step);
            self.push_out(other, one, &mut shapes, step);
        }
    }

    /// Pairs of clusters whose balls overlap and that are not neighbours; ascending. By the state, which is near enough.
    fn near_pairs(&self) -> Vec<[u32; 2]> {
        let reach = |cluster: usize| self.fits.fits[cluster].elastic.sigma.x.min(2.0) * self.rest[cluster].extent;
        let centres: Vec<Vec3> = self.fits.fits.iter().map(|fit| fit.centre).collect();
        let widest = (0..centres.len()).map(reach).fold(0.0, f64::max);
        let grid = Grid::new(&centres, 2.0 * widest);
        let mut pairs = Vec::new();
        for one in 0..centres.len() {
            grid.near(&centres[one], 2.0 * widest, |other| {
                let other = other as usize;
                let apart = reach(one) + reach(other);
                if other > one
                    && (centres[one] - centres[other]).norm_squared() < apart * apart
                    && self.may_meet(one, other)
                {
                    pairs.push([one as u32, other as u32]);
                }
            });
        }
        pairs.sort_unstable();
        pairs
    }

    fn may_meet(&self, one: usize, other: usize) -> bool {
        if self.temper[one].piece != self.temper[other].piece {
            return true;
        }
        let [first, second] = [&self.rest[one], &self.rest[other]];
        (first.centre - second.centre).norm() > 1.2 * (first.extent + second.extent)
    }

    /// The proxy of a cluster; none where it is flat or flattened: then there is no way back to rest.
    fn solid(&self, cluster: u32) -> Option<Solid> {
        let (rest, temper) = (&self.rest[cluster as usize], &self.temper[cluster as usize]);
        let back = self.predicted_fits.fits[cluster as usize].deformation.try_inverse()?;
        // Written so that what is no number is none.
        if rest.is_flat || !(back.norm() < 10.0) {
            return None;
        }
        let mut proxy = Proxy::new(rest.centre, rest.extent);
        for plane in &temper.planes {
            let [behind, _] = proxy.cut(&(plane.end * plane.normal), &plane.normal)?;
            proxy = behind;
        }
        let centre = self.predicted_fits.anchor + self.predicted_fits.fits[cluster as usize].centre;
        let in_world = |plane: &Plane| {
            let normal = back.transpose() * plane.normal;
            (normal, plane.end - plane.normal.dot(&rest.centre) + normal.dot(&centre))
        };
        let planes = temper.planes.iter().map(in_world).collect();
        Some(Solid { proxy, stretch: svd(&back).sigma.x, back, centre, planes })
    }

    /// Centre (m) and radius (m) of a ball around the members of a cluster.
    fn ball(&self, cluster: u32) -> (Vec3, f64) {
        let centre = self.predicted_fits.anchor + self.predicted_fits.fits[cluster as usize].centre;
        let places = self.memberships.members(cluster as usize).iter();
        let square = places.map(|&member| (self.prediction.positions[member as usize] - centre).norm_squared());
        (centre, square.fold(0.0, f64::max).sqrt())
    }

    /// Pushes members of one cluster out of the proxy of another, one after the other, each as if the two were points that stick together: the other
    /// moves on with what it has been given before the next is looked at, so that many members do not throw a light cluster away.
    fn push_out(&mut self, of: u32, from: u32, shapes: &mut Shapes, step: &Step) {
        let Some(solid) = shapes.solids[from as usize].get_or_insert_with(|| self.solid(from)) else { return };
        let rest = self.rest[from as usize];
        // Most pairs that are near are parted by a plane that has cut one of them: then no member need be looked at.
        let (middle, radius) = *shapes.balls[of as usize].get_or_insert_with(|| self.ball(of));
        let middle = rest.centre + solid.back * (middle - solid.centre);
        if solid.proxy.sample(&middle).distance >= solid.stretch * radius {
            return;
        }
        let mut given = Vec3::zeros();
        let mut velocity = None;
        let mut last = 0;
        for index in 0..self.memberships.members(of as usize).len() {
            let member = self.memberships.members(of as usize)[index] as usize;
            if let Some(plane) = solid.plane_behind(&self.prediction.positions[member], last) {
                last = plane;
                continue;
            }
            let place = rest.centre + solid.back * (self.prediction.positions[member] - solid.centre);
            if !((place - rest.centre).norm_squared() < rest.extent * rest.extent) {
                continue;
            }
            let sample = solid.proxy.sample(&place);
            if sample.distance >= 0.0 {
                continue;
            }
            let allowed = solid.proxy.sample(&self.particles.offsets[member]).distance.min(0.0);
            let is_member = self.memberships.weight(member as u32, from) > 0.0;
            if sample.distance >= allowed || is_member || self.external.placed_by(member).is_some() {
                continue;
            }
            let across = solid.back.transpose() * sample.normal;
            let length = across.norm();
            let (normal, depth) = (across / length, (allowed - sample.distance) / length);
            let mass = self.particles.masses[member];
            let velocity = velocity.get_or_insert_with(|| {
                self.begin_disturbance();
                self.disturb(of);
                self.disturb(from);
                mean_velocity(from, &rest, &self.memberships, &self.particles.masses, &self.prediction.velocities)
            });
            let approach = (self.prediction.velocities[member] - *velocity).dot(&normal);
            let change = (UNDONE * depth / step.time_step - approach).max(0.0) * rest.mass / (mass + rest.mass);
            let impulse = mass * change * normal;
            given += impulse;
            *velocity -= impulse / rest.mass;
            self.prediction.velocities[member] += change * normal;
            self.prediction.positions[member] += step.time_step * change * normal;
            self.note_change(member);
        }
        if given == Vec3::zeros() {
            return;
        }
        self.prediction.touched = true;
        let back = given / rest.mass;
        for index in 0..self.memberships.members(from as usize).len() {
            let member = self.memberships.members(from as usize)[index];
            let change = -self.memberships.weight(member, from) * back;
            let member = member as usize;
            if self.external.placed_by(member).is_none() {
                self.prediction.velocities[member] += change;
                self.prediction.positions[member] += step.time_step * change;
                self.note_change(member);
            }
        }
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
    use crate::testing::{awake, block, matter, plain_step};
    use crate::{Cloud, Clustering, Clusters, Options};
    use craze_engine::Method;
    use craze_math::{Isometry, Vec3};

    /// Two blocks that share no cluster, one flying into the other at 1 m/s; how far their middles are apart at the closest (m), and
    /// the largest change of momentum in a step.
    fn closest(self_contact: bool) -> (f64, f64) {
        let (left, right) = (block([6, 6, 6]), block([6, 6, 6]));
        let positions = left.positions.iter().copied().chain(right.positions.iter().map(|place| place + Vec3::x()));
        let positions: Vec<Vec3> = positions.collect();
        let cloud = Cloud { volumes: vec![1e-3; positions.len()], positions, spacing: 0.1 };
        let clustering = Clustering::Count { count: 2, overlap: 1.0, seed: 1 };
        let options = Options { clustering, self_contact, damping: 2.0, ..awake() };
        let still = Vec3::zeros();
        let mut body = Clusters::new(cloud, &matter(1.0), options, &Isometry::identity(), still, still).unwrap();
        assert_eq!(body.piece_count(), 2);
        body.set_motion(|rest| (*rest, if rest.x < 0.75 { Vec3::x() } else { Vec3::zeros() })).unwrap();
        let (mut nearest, mut drift) = (f64::INFINITY, 0.0f64);
        for _ in 0..90 {
            let before = body.account(&still).momentum;
            body.predict(&plain_step()).unwrap();
            body.commit(&plain_step());
            drift = drift.max((body.account(&still).momentum - before).norm() / before.norm());
            let frame = body.body_frame();
            nearest = nearest.min((frame.pieces[1].pose.position - frame.pieces[0].pose.position).norm());
        }
        (nearest, drift)
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
