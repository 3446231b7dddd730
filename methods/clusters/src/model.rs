//! State of a body of clusters, and its construction.

use crate::cluster::{ClusterHistory, Rest, pseudo_inverse};
use crate::disturbance::Disturbance;
use crate::fits::{Fits, Shapes};
use crate::forces::{ShapeMatch, match_shape};
use crate::loads::External;
use crate::membership::{Memberships, Share};
use crate::options::{ClusterError, Options, setting};
use crate::parameters::{Parameters, toughnesses};
use crate::partition::{Clustering, morton_order, partition};
use crate::rigid_mode::View;
use crate::skin::Skin;
use crate::snapshot::Snapshot;
use craze_body::save::is_finite;
use craze_body::{ConstrainedRegions, Lineage, TrackedPoints};
use craze_engine::{Account, RigidBody, SplitCounts};
use craze_material::{Material, Quantity};
use craze_math::{Isometry, Mat3, Rotation, Vec3};
use craze_spatial::Aabb;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// Particles that sample a shape.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cloud {
    /// Rest positions in the body's own frame (m).
    pub positions: Vec<Vec3>,
    /// The volume that each particle stands for (m³).
    pub volumes: Vec<f64>,
    /// Distance between neighbours (m); a particle touches others at half of it.
    pub spacing: f64,
}

impl Cloud {
    /// The same particles along a Morton curve. Neighbours in space are then neighbours in memory,
    /// which makes large bodies faster.
    pub fn along_a_curve(self) -> Cloud {
        let order = morton_order(&self.positions);
        let positions = order.iter().map(|&particle| self.positions[particle as usize]).collect();
        let volumes = order.iter().filter_map(|&particle| self.volumes.get(particle as usize).copied()).collect();
        Cloud { positions, volumes, spacing: self.spacing }
    }
}

/// A body of particles in shape-matching clusters.
pub struct Clusters {
    pub(crate) parameters: Parameters,
    pub(crate) options: Options,
    pub(crate) particles: Particles,
    /// From the frame of the rest shape to the world at the start.
    pub(crate) placement: Isometry,
    pub(crate) memberships: Memberships,
    /// Rest shape of each cluster.
    pub(crate) rest: Vec<Rest>,
    /// Plastic deformation, hardening and splits of each cluster.
    pub(crate) history: Vec<ClusterHistory>,
    pub(crate) whole: Whole,
    /// Whether the body has neither flowed nor split. Only then it may enter rigid-body mode.
    pub(crate) is_whole: bool,
    pub(crate) state: ParticleState,
    pub(crate) prediction: ParticleState,
    /// Whether the prediction follows from the state or is left over from the last step.
    pub(crate) phase: Phase,
    /// Fits of the clusters to the state, once a step is committed; not up to date in rigid-body
    /// mode.
    pub(crate) fits: Fits,
    /// Fits of the clusters to the prediction, where they are up to date.
    pub(crate) predicted_fits: Fits,
    pub(crate) is_prediction_fitted: bool,
    /// Bounding box of state and prediction (m), without the radius of particles.
    pub(crate) bounds: Aabb,
    /// First particle of the prediction with a number that is not finite.
    pub(crate) broken: Option<u32>,
    pub(crate) constraints: ConstrainedRegions,
    /// External impulses on the prediction.
    pub(crate) external: External,
    /// External work since the start (J).
    pub(crate) work: f64,
    /// Particles that probes observe.
    pub(crate) tracked: TrackedPoints<u32>,
    pub(crate) lineage: Lineage,
    /// Counts of splits since the start.
    pub(crate) counts: SplitCounts,
    /// Mean mass of a cluster at the start (kg).
    pub(crate) mean_mass: f64,
    /// Workspace of strain limiting.
    pub(crate) limiting: crate::limit::Limiting,
    /// Energy that strain limiting and self-contact must not exceed in this step.
    pub(crate) disturbance: Disturbance,
    /// The surface that is carried along, if there is one.
    pub(crate) skin: Option<Skin>,
    /// The state at the beginning of the frame.
    pub(crate) snapshot: Snapshot,
    /// Cached ledger of the state, with the gravity (m/s²) that it is for.
    pub(crate) ledger: OnceLock<(Vec3, Account)>,
}

/// Constants of the particles. A particle that fracture duplicates keeps its rest position; its
/// mass is divided.
#[derive(Clone, Default)]
pub(crate) struct Particles {
    /// Rest positions in the frame of the rest shape (m), independent of the placement.
    pub rest: Vec<Vec3>,
    /// Rest positions relative to the centre of mass of the rest shape at the start (m).
    pub offsets: Vec<Vec3>,
    /// m³.
    pub volumes: Vec<f64>,
    /// kg.
    pub masses: Vec<f64>,
    /// m.
    pub spacing: f64,
    /// Centre of mass of the rest shape at the start (m).
    pub centre: Vec3,
}

/// The rest shape of all particles together.
#[derive(Clone)]
pub(crate) struct Whole {
    /// Σ m (r − r̄)(r − r̄)ᵀ (kg·m²).
    pub moment: Mat3,
    /// Its pseudoinverse (1/(kg·m²)).
    pub inverse_moment: Mat3,
    /// Largest |r − r̄| (m).
    pub extent: f64,
    /// The rest shape as a rigid body, at the origin.
    pub rigid: RigidBody,
    /// Rotation from the principal frame of `rigid` to rest coordinates.
    pub principal: Rotation,
}

/// Positions and velocities of the particles.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ParticleState {
    /// Positions (m). Not up to date in rigid-body mode.
    pub positions: Vec<Vec3>,
    /// Velocities (m/s). Not up to date in rigid-body mode.
    pub velocities: Vec<Vec3>,
    /// The rigid motion, in rigid-body mode.
    pub rigid: Option<RigidBody>,
    /// Whether a load or a contact acted in the step that led here.
    pub touched: bool,
    /// Length of that step (s). Velocities belong to the middle of it.
    pub time_step: f64,
    /// Rigid motion that rounding added in that step.
    pub drift: RoundingDrift,
}

/// Rigid motion that rounding errors of the goals add: about 1e-15 of the momenta per step. It is
/// known once all pulls are computed, and subtracted in the next step, so that it does not
/// accumulate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct RoundingDrift {
    /// m/s.
    pub velocity: Vec3,
    /// rad/s.
    pub spin: Vec3,
}

/// Meaning of the prediction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// None: the step is committed.
    Committed,
    /// It follows from the state.
    Predicted,
}

/// Ratio of moments below which the body has no extent in a direction.
const MIN_MOMENT_RATIO: f64 = 1e-10;

/// What a body is constructed from: all that a checkpoint contains, without motion and constraints.
pub(crate) struct Parts {
    pub parameters: Parameters,
    pub options: Options,
    pub particles: Particles,
    pub placement: Isometry,
    pub shares: Vec<Vec<Share>>,
    pub history: Vec<ClusterHistory>,
    pub lineage: Lineage,
    pub is_whole: bool,
    pub mean_mass: f64,
}

impl Clusters {
    /// A body at rest in its shape, placed in the world. Its centre of mass moves with `velocity`
    /// (m/s), and it rotates about that with `spin` (rad/s).
    pub fn new(
        cloud: Cloud,
        material: &Material,
        options: Options,
        placement: &Isometry,
        velocity: Vec3,
        spin: Vec3,
    ) -> Result<Clusters, ClusterError> {
        material.check()?;
        options.check()?;
        let parameters = Parameters::of(material);
        parameters.check()?;
        let masses: Vec<f64> = cloud.volumes.iter().map(|volume| volume * parameters.density).collect();
        let particles = Particles::new(cloud.positions, cloud.volumes, masses, cloud.spacing, None)?;
        if let Clustering::Count { count, .. } = options.clustering
            && count > 1
            && particles.rest.len() < 4 * count as usize
        {
            let (particles, clusters) = (particles.rest.len(), count as usize);
            // A tenth more than needed, since the number of particles that fit in is only
            // estimated.
            let spacing = cloud.spacing * (particles as f64 / (4.4 * clusters as f64)).cbrt();
            return Err(ClusterError::TooFewParticles { particles, clusters, spacing });
        }
        let found = partition(&particles.offsets, &particles.masses, &options.clustering)
            .map_err(|far| ClusterError::Uncovered { count: far.count, radius: far.radius })?;
        let mean_mass = particles.masses.iter().sum::<f64>() / found.clusters as f64;
        let history =
            toughnesses(&parameters, &options, found.clusters).into_iter().map(ClusterHistory::fresh).collect();
        let parts = Parts {
            parameters,
            options,
            particles,
            placement: *placement,
            shares: found.shares,
            history,
            lineage: Lineage::new(1),
            is_whole: true,
            mean_mass,
        };
        let mut body = Clusters::assemble(parts)?;
        // Clusters that share no particle are pieces from the start.
        body.name_pieces(&body.components(), &mut []);
        let center = body.rest_center();
        body.set_motion(|rest| (*rest, velocity + spin.cross(&(rest - center))))?;
        Ok(body)
    }

    /// Checks the parts and assembles a body at rest at its placement.
    pub(crate) fn assemble(parts: Parts) -> Result<Clusters, ClusterError> {
        let Parts { parameters, options, particles, placement, shares, history, lineage, is_whole, mean_mass } = parts;
        parameters.check()?;
        options.check()?;
        let whole = Whole::new(&particles)?;
        let count = particles.rest.len();
        let memberships = Memberships::new(shares, history.len());
        let state = ParticleState {
            positions: particles.rest.iter().map(|rest| to_world(&placement, rest)).collect(),
            velocities: vec![Vec3::zeros(); count],
            rigid: None,
            touched: false,
            time_step: options.time_step,
            drift: RoundingDrift::default(),
        };
        let rest = Rest::of_all(&memberships, &particles);
        let mut body = Clusters {
            prediction: state.clone(),
            state,
            parameters,
            options,
            particles,
            placement,
            memberships,
            rest,
            history,
            whole,
            is_whole,
            phase: Phase::Committed,
            fits: Fits::default(),
            predicted_fits: Fits::default(),
            is_prediction_fitted: false,
            bounds: Aabb::EMPTY,
            broken: None,
            constraints: ConstrainedRegions::default(),
            external: External::new(count),
            work: 0.0,
            tracked: TrackedPoints::default(),
            lineage,
            counts: SplitCounts::default(),
            mean_mass,
            limiting: Default::default(),
            disturbance: Disturbance::default(),
            skin: None,
            snapshot: Snapshot::default(),
            ledger: OnceLock::new(),
        };
        body.bounds = body.bounds_of_state();
        body.fit_state();
        Ok(body)
    }

    /// Sets positions (m) and velocities (m/s) of the particles as a function of the placed rest
    /// position (m).
    pub fn set_motion(&mut self, motion: impl Fn(&Vec3) -> (Vec3, Vec3)) -> Result<(), ClusterError> {
        let moved: Vec<(Vec3, Vec3)> = (0..self.count()).map(|particle| motion(&self.placed(particle))).collect();
        if let Some(particle) = moved.iter().position(|(x, v)| !is_finite(x) || !is_finite(v)) {
            return Err(ClusterError::NotFinite { particle });
        }
        self.ledger.take();
        (self.state.positions, self.state.velocities) = moved.into_iter().unzip();
        self.state.rigid = None;
        self.state.touched = false;
        self.state.time_step = self.options.time_step;
        self.state.drift = RoundingDrift::default();
        self.phase = Phase::Committed;
        self.bounds = self.bounds_of_state();
        self.fit_state();
        Ok(())
    }

    /// Sets the toughness τ₀ (1), above 1, of every cluster as a function of the placed centre of
    /// its rest shape (m) and its present toughness. `None`: it never splits.
    pub fn set_toughness(&mut self, toughness: impl Fn(&Vec3, Option<f64>) -> Option<f64>) -> Result<(), ClusterError> {
        for (history, rest) in self.history.iter_mut().zip(&self.rest) {
            let centre = to_world(&self.placement, &(self.particles.centre + rest.centre));
            let chosen = toughness(&centre, history.toughness);
            if let Some(value) = chosen {
                Quantity::ClusterToughness.check(value)?;
            }
            history.toughness = chosen;
        }
        Ok(())
    }

    /// Number of particles.
    pub fn count(&self) -> usize {
        self.particles.rest.len()
    }

    /// Number of clusters.
    pub fn cluster_count(&self) -> usize {
        self.rest.len()
    }

    /// Number of memberships: pairs of a particle and a cluster that it is in.
    pub fn membership_count(&self) -> usize {
        self.memberships.count()
    }

    /// Plastic deformation F^p of a cluster (1), in the frame of the rest shape; `None` if there is
    /// no such cluster.
    pub fn plastic_deformation(&self, cluster: usize) -> Option<Mat3> {
        self.history.get(cluster).map(|history| history.plastic)
    }

    /// Positions of the particles (m).
    pub fn positions(&self) -> Vec<Vec3> {
        let view = self.view(&self.state);
        (0..self.count()).map(|particle| view.at(particle).0).collect()
    }

    /// Velocities of the particles (m/s).
    pub fn velocities(&self) -> Vec<Vec3> {
        let view = self.view(&self.state);
        (0..self.count()).map(|particle| view.at(particle).1).collect()
    }

    /// Masses of the particles (kg).
    pub fn masses(&self) -> &[f64] {
        &self.particles.masses
    }

    /// Goal positions of the particles (m): Jones et al. 2016 (8).
    pub fn goals(&self) -> Vec<Vec3> {
        if let Some(rigid) = &self.state.rigid {
            let matched = ShapeMatch::of_rigid(rigid, &self.whole);
            return self.particles.offsets.iter().map(|offset| matched.goal(offset)).collect();
        }
        (0..self.count()).map(|particle| self.goal(particle)).collect()
    }

    /// Goal position of a particle in the state (m).
    pub(crate) fn goal(&self, particle: usize) -> Vec3 {
        let shares = self.memberships.of(particle).iter();
        let offset = &self.particles.offsets[particle];
        let goals = shares.map(|share| share.weight * self.fits.guides[share.cluster as usize].goal(offset));
        self.fits.anchor + goals.sum::<Vec3>()
    }

    /// Best-fit deformation gradient F of the whole body (1) relative to its placement: Jones et
    /// al. 2016 (3). Zero in directions in which the rest shape has no extent.
    pub fn deformation(&self) -> Mat3 {
        self.matched().deformation * self.placement.rotation.to_rotation_matrix().into_inner().transpose()
    }

    /// Returns true in rigid-body mode.
    pub fn is_rigid(&self) -> bool {
        self.state.rigid.is_some()
    }

    /// Stiffness of the springs to the goals by mass, α/Δt₀² (1/s²).
    pub(crate) fn stiffness(&self) -> f64 {
        self.parameters.goal_stiffness / (self.options.time_step * self.options.time_step)
    }

    /// Decay rate of motion that is not rigid (1/s).
    pub(crate) fn damping_rate(&self) -> f64 {
        self.options.damping + self.parameters.damping_time * self.stiffness()
    }

    /// Radius of a particle (m).
    pub(crate) fn radius(&self) -> f64 {
        0.5 * self.particles.spacing
    }

    /// Centre of mass of the rest shape in the world (m).
    pub(crate) fn rest_center(&self) -> Vec3 {
        to_world(&self.placement, &self.particles.centre)
    }

    /// Rest position of a particle in the world, where the body was placed (m).
    pub(crate) fn placed(&self, particle: usize) -> Vec3 {
        to_world(&self.placement, &self.particles.rest[particle])
    }

    /// Positions and velocities of a state.
    pub(crate) fn view<'a>(&'a self, state: &'a ParticleState) -> View<'a> {
        View::new(state, &self.particles, &self.whole)
    }

    /// Constants of the clusters, for their fits.
    pub(crate) fn shapes(&self) -> Shapes<'_> {
        Shapes {
            particles: &self.particles,
            memberships: &self.memberships,
            rest: &self.rest,
            history: &self.history,
            limit: self.options.strain_limit.unwrap_or(f64::INFINITY),
        }
    }

    /// Fits the clusters to the state.
    pub(crate) fn fit_state(&mut self) {
        let mut fits = std::mem::take(&mut self.fits);
        let velocities = self.wants_motions().then_some(&self.state.velocities[..]);
        fits.fit(&self.shapes(), &self.state.positions, velocities);
        self.fits = fits;
    }

    /// Returns true if the rigid motions of clusters are needed.
    pub(crate) fn wants_motions(&self) -> bool {
        self.damping_rate() > 0.0
    }

    /// Fits the rest shape of the whole body to the state.
    pub(crate) fn matched(&self) -> ShapeMatch {
        match &self.state.rigid {
            Some(rigid) => ShapeMatch::of_rigid(rigid, &self.whole),
            None => match_shape(&self.particles, &self.whole, &self.state.positions, &self.state.velocities),
        }
    }

    pub(crate) fn bounds_of_state(&self) -> Aabb {
        let view = self.view(&self.state);
        (0..self.count()).fold(Aabb::EMPTY, |bounds, particle| bounds.with(&view.at(particle).0))
    }
}

/// Transforms a position (m) to the world.
pub(crate) fn to_world(placement: &Isometry, position: &Vec3) -> Vec3 {
    placement.transform_point(&(*position).into()).coords
}

impl Particles {
    /// Checks the particles. `centred` are the centre of mass of the rest shape at the start and
    /// the offsets from it (m), where they are known.
    pub(crate) fn new(
        rest: Vec<Vec3>,
        volumes: Vec<f64>,
        masses: Vec<f64>,
        spacing: f64,
        centred: Option<(Vec3, Vec<Vec3>)>,
    ) -> Result<Particles, ClusterError> {
        if rest.is_empty() {
            return Err(ClusterError::NoParticles);
        }
        if rest.len() != volumes.len() || rest.len() != masses.len() {
            return Err(ClusterError::Lengths { positions: rest.len(), volumes: volumes.len().min(masses.len()) });
        }
        setting("spacing", spacing, spacing > 0.0, "finite and above 0")?;
        if let Some(particle) = rest.iter().position(|position| !is_finite(position)) {
            return Err(ClusterError::NotFinite { particle });
        }
        if let Some(particle) = masses.iter().position(|mass| !(mass.is_finite() && *mass > 0.0)) {
            return Err(ClusterError::Mass { particle, volume: volumes[particle], mass: masses[particle] });
        }
        // Sums are taken about the first particle, so that no digits are lost far from the origin.
        let anchor = rest[0];
        let moments = rest.iter().zip(&masses).map(|(rest, mass)| *mass * (rest - anchor));
        let from_anchor = moments.sum::<Vec3>() / masses.iter().sum::<f64>();
        let (centre, offsets) = centred
            .unwrap_or_else(|| (anchor + from_anchor, rest.iter().map(|rest| (rest - anchor) - from_anchor).collect()));
        Ok(Particles { rest, offsets, volumes, masses, spacing, centre })
    }
}

impl Whole {
    pub(crate) fn new(particles: &Particles) -> Result<Whole, ClusterError> {
        let (offsets, masses) = (&particles.offsets, &particles.masses);
        let mass: f64 = masses.iter().sum();
        let moment: Mat3 = offsets.iter().zip(masses).map(|(offset, mass)| *mass * offset * offset.transpose()).sum();
        let (inverse_moment, _) = pseudo_inverse(&moment, MIN_MOMENT_RATIO);
        if !(mass.is_finite() && moment.iter().chain(&inverse_moment).all(|entry| entry.is_finite())) {
            return Err(ClusterError::Scale { moment: moment.trace() });
        }
        let inertia = Mat3::identity() * moment.trace() - moment;
        let (rigid, principal) = RigidBody::new(mass, &inertia, &Isometry::identity(), Vec3::zeros(), Vec3::zeros());
        let extent = offsets.iter().fold(0.0f64, |largest, offset| largest.max(offset.norm()));
        Ok(Whole { moment, inverse_moment, extent, rigid, principal })
    }

    /// Mass (kg).
    pub(crate) fn mass(&self) -> f64 {
        self.rigid.mass
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use crate::testing::{block, material};
    use craze_engine::{Attachable, Method};

    fn refusal(cloud: Cloud, material: &Material, options: Options) -> String {
        let still = Vec3::zeros();
        match Clusters::new(cloud, material, options, &Isometry::identity(), still, still) {
            Ok(_) => panic!("accepted"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn what_cannot_be_a_body_is_refused_by_name() {
        let options = Options::default();
        let cloud = |spoil: fn(&mut Cloud)| {
            let mut cloud = block([2, 2, 2]);
            spoil(&mut cloud);
            refusal(cloud, &material(1.0), options)
        };
        assert!(refusal(Cloud { spacing: 0.1, ..Cloud::default() }, &material(1.0), options).contains("no particles"));
        assert!(cloud(|cloud| cloud.positions[3].y = f64::NAN).starts_with("particle 3 has a position"));
        assert!(cloud(|cloud| cloud.volumes[5] = 0.0).starts_with("particle 5 has a mass of 0 kg"));
        assert!(cloud(|cloud| cloud.volumes[5] = f64::INFINITY).contains("mass of inf"));
        assert!(cloud(|cloud| cloud.volumes[5] = 1e-326).contains("mass of 0"));
        assert!(cloud(|cloud| cloud.volumes.truncate(3)).contains("8 particles but 3 volumes"));
        assert!(cloud(|cloud| cloud.positions[1].x = 1e200).contains("too large"));
        assert!(cloud(|cloud| cloud.spacing = -0.1).starts_with("spacing = -0.1"));
        for alpha in [0.0, -1.0, 1.01, f64::NAN] {
            assert!(refusal(block([2, 2, 2]), &material(alpha), options).starts_with("goal_stiffness"));
        }
        for (options, text) in [
            (Options { time_step: 0.0, ..options }, "time_step = 0"),
            (Options { damping: f64::NAN, ..options }, "damping = NaN"),
            (Options { rest_strain: Some(-1.0), ..options }, "rest_strain = -1"),
        ] {
            assert!(refusal(block([2, 2, 2]), &material(1.0), options).starts_with(text));
        }
    }

    #[test]
    fn a_body_begins_at_its_placement_with_its_velocity_and_spin() {
        let placement = Isometry::new(Vec3::new(0.0, 5.0, 0.0), Vec3::new(0.0, 0.0, 1.0));
        let (velocity, spin) = (Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.0, 4.0, 0.0));
        let mut body =
            Clusters::new(block([5, 3, 3]), &material(1.0), Options::default(), &placement, velocity, spin).unwrap();
        let place = placement.transform_point(&Vec3::new(0.4, 0.2, 0.2).into()).coords;
        let point = body.locate(&(place + Vec3::new(0.01, 0.0, 0.0)));
        let (position, its_velocity) = body.observe(&point);
        assert!((position - place).norm() < 1e-14);
        let center = placement.transform_point(&Vec3::new(0.2, 0.1, 0.1).into()).coords;
        assert!((its_velocity - velocity - spin.cross(&(place - center))).norm() < 1e-12);
        let account = body.account(&Vec3::new(0.0, -10.0, 0.0));
        assert!((account.momentum - 45.0 * velocity).norm() < 1e-10);
        assert!((account.potential - 450.0 * center.y).abs() < 1e-9);
        assert_eq!((account.nodes, account.elements, account.pieces), (45, 1, 1));
        assert!(body.set_motion(|_| (Vec3::repeat(f64::NAN), Vec3::zeros())).is_err());
    }
}
