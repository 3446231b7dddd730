//! Edits of memberships: splits of clusters, duplicates of particles, and removal of small
//! clusters.
//!
//! Every edit keeps the sum of each particle's weights at one, and conserves mass and momentum.

use crate::cluster::{ClusterHistory, Guide, Plane, Rest};
use crate::failure::Split;
use crate::grid::Grid;
use crate::model::{Clusters, Particles, Whole};
use crate::skin::Cut;
use crate::tuning::{MIN_MASS_RATIO, MIN_MEMBERS};
use craze_body::save::is_finite;
use craze_math::{Mat3, Vec3};

/// Norm of the map from the world back to rest beyond which clusters are flattened (1).
const MAX_INVERSE_NORM: f64 = 10.0;

/// Distance to a plane, relative to the cluster's extent, below which particles count as in front
/// of it (1): rounding must not decide.
const PLANE_TOLERANCE: f64 = 1e-9;

/// A direction in the rest frame that is not perpendicular to any direction in which bodies are
/// commonly stretched.
const AHEAD_DIRECTION: Vec3 = Vec3::new(0.849, 0.432, 0.304);

impl Clusters {
    /// Splits a cluster by the plane through its centre perpendicular to its largest stretch, and
    /// duplicates particles that are in clusters on both sides (15); in world space, with U_max in
    /// place of V_max (READINGS 25). Marks clusters whose members have changed. Returns `None`
    /// without any change if all members are on one side, if there are too few for two clusters, or
    /// if springs would gain energy. Otherwise the energy (J) of the state before is recorded,
    /// unless it is known.
    pub(crate) fn split_cluster(
        &mut self,
        cluster: u32,
        now: f64,
        stale: &mut Vec<bool>,
        before: &mut Option<f64>,
    ) -> Option<Split> {
        let fit = self.fits.fits[cluster as usize];
        let across = self.history[cluster as usize].plastic.transpose() * fit.elastic.v.column(0);
        // The decomposition leaves the sign open. Which side keeps the number must not depend on
        // the rotation of the body.
        let sign = if across.dot(&AHEAD_DIRECTION) < 0.0 { -1.0 } else { 1.0 };
        let (centre, normal) = (self.fits.anchor + fit.centre, sign * fit.elastic.u.column(0));
        let ahead_from = -PLANE_TOLERANCE * self.rest[cluster as usize].extent;
        let is_ahead = |place: &Vec3| (place - centre).dot(&normal) > ahead_from;
        let places = &self.state.positions;
        let members = self.memberships.members(cluster as usize);
        let ahead = members.iter().filter(|&&member| is_ahead(&places[member as usize])).count();
        if ahead == 0 || ahead == members.len() || members.len() < 2 * MIN_MEMBERS {
            return None;
        }
        // The split waits until it does not add energy: see `parting_gain`.
        if self.parting_gain(cluster, is_ahead) > 0.0 {
            return None;
        }
        before.get_or_insert_with(|| self.energy_of(&self.state, &self.fits).total());
        let affected = members.to_vec();
        let other = self.memberships.divide_cluster(cluster, |member| is_ahead(&places[member as usize]));
        let history = &mut self.history[cluster as usize];
        (history.last_split, history.refused) = (Some(now), false);
        history.cooling = self.options.boost == 0.0;
        let mut twin = history.clone();
        if let Some(outward) = (sign * across).try_normalize(0.0) {
            let rest = &self.rest[cluster as usize];
            let end = outward.dot(&rest.centre);
            if let Some(skin) = &mut self.skin {
                let plane = Plane { normal: outward, end };
                let earlier = history.planes.clone();
                skin.cuts.push(Cut { plane, centre: rest.centre, radius: rest.extent, earlier });
            }
            history.planes.push(Plane { normal: outward, end });
            twin.planes.push(Plane { normal: -outward, end: -end });
        }
        let piece = history.piece;
        self.history.push(twin);
        self.rest.push(self.rest[cluster as usize]);
        self.fits.fits.push(fit);
        self.fits.guides.push(Guide::ZERO);
        stale.push(false);
        for part in [cluster, other] {
            self.refit_cluster(part);
            self.relax(part as usize);
        }
        for particle in affected {
            let own = is_ahead(&self.state.positions[particle as usize]);
            let is_across = |clusters: &Clusters, of: u32| {
                of != cluster
                    && of != other
                    && is_ahead(&(clusters.fits.anchor + clusters.fits.fits[of as usize].centre)) != own
            };
            let shares = self.memberships.of(particle as usize);
            if !shares.iter().any(|share| is_across(self, share.cluster)) {
                continue;
            }
            let leaving: Vec<u32> =
                shares.iter().map(|share| share.cluster).filter(|&of| is_across(self, of)).collect();
            shares.iter().for_each(|share| stale[share.cluster as usize] = true);
            self.split_particle(particle, |of| leaving.contains(&of));
        }
        Some(Split { place: centre, normal, stretch: fit.elastic.sigma.x, piece })
    }

    /// Duplicates a particle: the copy gets the clusters for which `leaves` is true, and mass by
    /// its weight in them. The paper divides mass by the number of clusters (§3.3); by weight every
    /// cluster keeps its mass, rest shape and fit, and energy is conserved.
    pub(crate) fn split_particle(&mut self, particle: u32, leaves: impl Fn(u32) -> bool) {
        let shares = self.memberships.of(particle as usize).iter();
        let gone: f64 = shares.filter(|share| leaves(share.cluster)).map(|share| share.weight).sum();
        let new = self.memberships.split_particle(particle, leaves);
        let old = particle as usize;
        self.particles.part(old, gone);
        for state in [&mut self.state, &mut self.prediction] {
            let (position, velocity) = (state.positions[old], state.velocities[old]);
            state.positions.push(position);
            state.velocities.push(velocity);
        }
        self.constraints.add_copy(particle, new);
    }

    /// Updates rest shape and fit of one cluster after a change of its members.
    pub(crate) fn refit_cluster(&mut self, cluster: u32) {
        self.rest[cluster as usize] = Rest::of(cluster, &self.memberships, &self.particles);
        let mut fits = std::mem::take(&mut self.fits);
        fits.refit(&self.shapes(), cluster as usize, &self.state.positions);
        self.fits = fits;
    }

    /// Removes clusters that are too light or have too few members. Mass and momentum of particles
    /// that are then in no cluster go to the closest particles of their piece that are in one. The
    /// last cluster of a piece stays, however small: moving its mass across empty space would move
    /// the centre of mass.
    ///
    /// Members of a removed cluster have larger weights in their other clusters, and particles that
    /// receive mass have more of it. Each gets the rest position at which its goal is its present
    /// position: stretching springs by the change would add energy.
    ///
    /// Returns the [components](Clusters::components) afterwards.
    pub(crate) fn remove_remains(&mut self) -> Vec<u32> {
        let clusters = self.history.len();
        let piece_of = self.components();
        let mut left = vec![0u32; clusters];
        piece_of.iter().for_each(|&piece| left[piece as usize] += 1);
        // Duplicating particles by weight conserves the masses of clusters as measured when these
        // were split.
        let is_small = |body: &Clusters, cluster: u32| {
            let members = body.memberships.members(cluster as usize).len();
            members < MIN_MEMBERS || body.rest[cluster as usize].mass < MIN_MASS_RATIO * body.mean_mass
        };
        let may_go = |cluster: u32| left[piece_of[cluster as usize] as usize] > 1 && is_small(self, cluster);
        if !(0..clusters as u32).any(may_go) {
            return piece_of;
        }
        // Fits of all clusters are needed where rest positions are moved.
        self.remeasure();
        let (mut is_gone, mut orphans) = (vec![false; clusters], Vec::new());
        for cluster in 0..clusters as u32 {
            let piece = piece_of[cluster as usize];
            if left[piece as usize] > 1 && is_small(self, cluster) {
                let members = self.memberships.members(cluster as usize).to_vec();
                let alone = self.memberships.empty_cluster(cluster);
                members.into_iter().for_each(|member| self.settle_particle(member));
                orphans.extend(alone.into_iter().map(|orphan| (orphan, piece)));
                is_gone[cluster as usize] = true;
                left[piece as usize] -= 1;
            }
        }
        let heirs = self.hand_on(orphans, &piece_of);
        self.renumber(&heirs, &is_gone);
        self.components()
    }

    /// Adds mass and momentum of orphans to the closest particles of their piece that have a
    /// cluster. Returns for every orphan the particle that received its mass.
    fn hand_on(&mut self, mut orphans: Vec<(u32, u32)>, piece_of: &[u32]) -> Vec<Option<u32>> {
        let mut heirs = vec![None; self.count()];
        if orphans.is_empty() {
            return heirs;
        }
        orphans.sort_unstable();
        let piece = |particle: u32| {
            let share = self.memberships.of(particle as usize).first()?;
            Some((particle, piece_of[share.cluster as usize]))
        };
        let living: Vec<(u32, u32)> = (0..self.count() as u32).filter_map(piece).collect();
        let places: Vec<Vec3> = living.iter().map(|&(particle, _)| self.state.positions[particle as usize]).collect();
        let grid = Grid::new(&places, 2.0 * self.particles.spacing);
        for (orphan, piece) in orphans {
            let place = self.state.positions[orphan as usize];
            let mut nearest = grid.nearest(&place).0 as usize;
            if living[nearest].1 != piece {
                let own = (0..living.len()).filter(|&index| living[index].1 == piece);
                let distance = |index: &usize| (places[*index] - place).norm_squared();
                nearest = own.min_by(|one, other| distance(one).total_cmp(&distance(other))).unwrap_or(nearest);
            }
            let heir = living[nearest].0;
            heirs[orphan as usize] = Some(heir);
            let (from, to) = (orphan as usize, heir as usize);
            let masses = &mut self.particles.masses;
            let together = masses[from] + masses[to];
            let velocities = &mut self.state.velocities;
            velocities[to] = (masses[from] * velocities[from] + masses[to] * velocities[to]) / together;
            masses[to] = together;
            self.particles.volumes[to] += self.particles.volumes[from];
            self.settle_particle(heir);
        }
        heirs
    }

    /// Moves the rest position of a particle so that its goal, by the last fits of its clusters, is
    /// its present position, or as close to it as their extent allows. Nothing happens to a
    /// particle without clusters, or where the map of its clusters cannot be inverted.
    fn settle_particle(&mut self, particle: u32) {
        let particle = particle as usize;
        let (mut map, mut shift) = (Mat3::zeros(), Vec3::zeros());
        for share in self.memberships.of(particle) {
            let guide = &self.fits.guides[share.cluster as usize];
            map += share.weight * guide.map();
            shift += share.weight * guide.goal(&Vec3::zeros());
        }
        let Some(back) = map.try_inverse().filter(|back| back.norm() < MAX_INVERSE_NORM) else { return };
        let mut offset = back * (self.state.positions[particle] - self.fits.anchor - shift);
        for share in self.memberships.of(particle) {
            let rest = &self.rest[share.cluster as usize];
            let arm = offset - rest.centre;
            // No cluster grows by it.
            if arm.norm() > rest.extent {
                offset = rest.centre + arm * (rest.extent / arm.norm());
            }
        }
        if is_finite(&offset) {
            self.particles.offsets[particle] = offset;
        }
    }

    /// Closes the gaps in the numbers of particles and clusters that were removed.
    fn renumber(&mut self, heirs: &[Option<u32>], is_gone: &[bool]) {
        let number = |gone: &mut dyn Iterator<Item = bool>| {
            let mut next = 0;
            let mut give = |gone: bool| (!gone).then(|| (next, next += 1).0);
            gone.map(&mut give).collect::<Vec<Option<u32>>>()
        };
        let particles = number(&mut heirs.iter().map(Option::is_some));
        let clusters = number(&mut is_gone.iter().copied());
        self.memberships.renumber(&particles, &clusters);
        keep(&mut self.history, &clusters);
        keep(&mut self.rest, &clusters);
        if heirs.iter().all(Option::is_none) {
            return;
        }
        self.particles.keep(&particles);
        if let Some(skin) = &mut self.skin {
            skin.renumber(heirs, &particles);
        }
        for state in [&mut self.state, &mut self.prediction] {
            keep(&mut state.positions, &particles);
            keep(&mut state.velocities, &particles);
        }
        self.constraints.renumber(&particles);
        for tracked in self.tracked.iter_mut() {
            let heir = heirs[*tracked as usize].unwrap_or(*tracked);
            *tracked = particles[heir as usize].unwrap_or(0);
        }
    }

    /// Updates rest shapes, fits and workspace after a change of topology.
    pub(crate) fn remeasure(&mut self) {
        self.rest = Rest::of_all(&self.memberships, &self.particles);
        for (history, rest) in self.history.iter_mut().zip(&self.rest) {
            forget_flat(history, rest);
        }
        // As loading does, so that both have the same bits.
        if let Ok(whole) = Whole::new(&self.particles) {
            self.whole = whole;
        }
        self.forget_loads();
        self.fit_state();
    }
}

/// Resets plastic deformation of a cluster without extent in some direction: Jones et al. 2016
/// §3.3.
fn forget_flat(history: &mut ClusterHistory, rest: &Rest) {
    if rest.is_flat {
        history.plastic = Mat3::identity();
    }
}

impl Particles {
    /// Adds a copy of a particle with a share of its mass and volume.
    fn part(&mut self, particle: usize, share: f64) {
        for amounts in [&mut self.masses, &mut self.volumes] {
            let gone = share * amounts[particle];
            amounts[particle] -= gone;
            amounts.push(gone);
        }
        self.rest.push(self.rest[particle]);
        self.offsets.push(self.offsets[particle]);
    }

    fn keep(&mut self, numbers: &[Option<u32>]) {
        keep(&mut self.rest, numbers);
        keep(&mut self.offsets, numbers);
        keep(&mut self.masses, numbers);
        keep(&mut self.volumes, numbers);
    }
}

/// Removes entries without a new number.
fn keep<T>(values: &mut Vec<T>, numbers: &[Option<u32>]) {
    let mut of = numbers.iter();
    values.retain(|_| of.next().is_some_and(Option::is_some));
}
