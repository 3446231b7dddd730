//! Particles, their cluster, and how a body of them begins.

use crate::flight::View;
use crate::forces::{ShapeMatch, match_shape, pseudo_inverse};
use crate::loads::{External, Hold};
use craze_engine::RigidBody;
use craze_material::{Material, MaterialError, Quantity};
use craze_math::{Isometry, Mat3, Rotation, Vec3};
use craze_spatial::Aabb;
use serde::{Deserialize, Serialize};

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

/// How a body of clusters is computed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// Reference step Δt₀ (s) at which the goal stiffness α is meant; also the longest step the body takes.
    pub time_step: f64,
    /// Rate (1/s) at which motion that is not rigid dies away, as e^(−damping·t). Momenta are kept.
    pub damping: f64,
    /// Strain (1) below which an untouched body counts as unstrained and flies as a rigid one, exactly, until something touches it;
    /// none: never. Judged by the energy of vibration, which must not exceed that of a uniform strain of this size, and by
    /// the stretch ω²Δt₀²/α that the spin ω would cause.
    pub rest_strain: Option<f64>,
}

impl Default for Options {
    fn default() -> Options {
        Options { time_step: 1.0 / 60.0, damping: 0.0, rest_strain: Some(1e-4) }
    }
}

/// What cannot become a body.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ClusterError {
    /// Nothing to make a body of.
    #[error("there are no particles: the shape may be thinner than their spacing")]
    NoParticles,
    /// Not one volume a particle.
    #[error("there are {positions} particles but {volumes} volumes")]
    Lengths {
        /// Number of positions.
        positions: usize,
        /// Number of volumes.
        volumes: usize,
    },
    /// A position or velocity that is no number.
    #[error("particle {particle} has a position or velocity that is not a finite number")]
    NotFinite {
        /// Which particle.
        particle: usize,
    },
    /// A particle that weighs nothing, or whose weight is no number.
    #[error("particle {particle} has a mass of {mass} kg (volume {volume} m³): it must be finite and above 0")]
    Mass {
        /// Which particle.
        particle: usize,
        /// Its volume (m³).
        volume: f64,
        /// Its mass (kg).
        mass: f64,
    },
    /// Sizes or masses beyond what numbers can hold.
    #[error(
        "the cloud is too large, too small, too heavy or too light to compute with: its moment of {moment} kg·m² or the inverse of that is not a finite number"
    )]
    Scale {
        /// Trace of A_rr (kg·m²).
        moment: f64,
    },
    /// A setting outside its range.
    #[error("{name} = {value} is impossible: it must be {allowed}")]
    Setting {
        /// Its name.
        name: &'static str,
        /// Its value.
        value: f64,
        /// The allowed range in words.
        allowed: &'static str,
    },
    /// A number of the material outside its range, the goal stiffness α among them.
    #[error(transparent)]
    Material(#[from] MaterialError),
}

/// A body of particles in one shape-matching cluster.
pub struct Clusters {
    pub(crate) matter: Matter,
    pub(crate) options: Options,
    pub(crate) particles: Particles,
    pub(crate) cluster: Cluster,
    pub(crate) state: Moment,
    pub(crate) prediction: Moment,
    /// Whether the prediction follows from the state or is left over from the last step.
    pub(crate) phase: Phase,
    /// Box around state and prediction (m), without the particles' radius.
    pub(crate) bounds: Aabb,
    /// First particle of the prediction that is no number.
    pub(crate) broken: Option<u32>,
    /// By increasing number.
    pub(crate) holds: Vec<Hold>,
    /// What acts on the prediction from outside.
    pub(crate) external: External,
    /// Work done from outside since the start (J).
    pub(crate) work: f64,
}

/// What the method reads of a material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Matter {
    pub name: String,
    /// kg/m³.
    pub density: f64,
    /// α (1).
    pub goal_stiffness: f64,
    /// s.
    pub damping_time: f64,
    /// 1/s.
    pub drag: f64,
}

/// What particles keep for life.
pub(crate) struct Particles {
    /// Rest positions in the world, where the body was placed (m).
    pub rest: Vec<Vec3>,
    /// m³.
    pub volumes: Vec<f64>,
    /// kg.
    pub masses: Vec<f64>,
    /// m.
    pub spacing: f64,
}

/// Particles that are matched to their rest shape together. Its members are all particles, in order, each with weight one.
pub(crate) struct Cluster {
    /// r − r̄ of each member (m).
    pub offsets: Vec<Vec3>,
    /// A_rr (kg·m²), Jones et al. 2016 (3).
    pub moment: Mat3,
    /// A_rr⁺ (1/(kg·m²)).
    pub inverse_moment: Mat3,
    /// Largest |r − r̄| (m).
    pub extent: f64,
    /// The rest shape as a rigid body, at the origin.
    pub rigid: RigidBody,
    /// Turns the principal frame of `rigid` to rest coordinates.
    pub principal: Rotation,
}

/// Where the particles are and how they move.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Moment {
    /// m. Stale while there is a flight.
    pub positions: Vec<Vec3>,
    /// m/s. Stale while there is a flight.
    pub velocities: Vec<Vec3>,
    /// The body as a rigid one, while it is one.
    pub flight: Option<RigidBody>,
    /// Whether a load or a contact acted in the step that led here.
    pub touched: bool,
    /// What rounding added to the motion in that step.
    pub slip: Slip,
}

/// Rigid motion that a body gave to itself because goals are rounded numbers: about 1e-15 of the momenta a step. It is known once
/// all pulls are, and taken back in the next step, so that it does not add up over a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Slip {
    /// m/s.
    pub velocity: Vec3,
    /// rad/s.
    pub spin: Vec3,
}

/// What the prediction is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Nothing: the step is done.
    Committed,
    /// It follows from the state.
    Predicted,
}

/// Directions in which A_rr has less than this share of its largest eigenvalue have no width: F could not be told from rounding.
const NO_WIDTH: f64 = 1e-10;

impl Clusters {
    /// A body at rest in its shape, placed in the world, whose centre of mass moves with `velocity` (m/s) and which spins about it
    /// with `spin` (rad/s).
    pub fn new(
        cloud: Cloud,
        material: &Material,
        options: Options,
        placement: &Isometry,
        velocity: Vec3,
        spin: Vec3,
    ) -> Result<Clusters, ClusterError> {
        material.check()?;
        let matter = Matter {
            name: material.name.clone(),
            density: material.density,
            goal_stiffness: material.cluster.goal_stiffness,
            damping_time: material.damping.time,
            drag: material.damping.mass,
        };
        let mut rest = cloud.positions;
        for position in &mut rest {
            *position = placement.transform_point(&(*position).into()).coords;
        }
        let mut body = Clusters::assemble(matter, options, rest, cloud.volumes, cloud.spacing)?;
        let center = body.rest_center();
        body.set_motion(|rest| (*rest, velocity + spin.cross(&(rest - center))))?;
        Ok(body)
    }

    /// Checks what a body is made of and puts it together, at rest where it was placed.
    pub(crate) fn assemble(
        matter: Matter,
        options: Options,
        rest: Vec<Vec3>,
        volumes: Vec<f64>,
        spacing: f64,
    ) -> Result<Clusters, ClusterError> {
        matter.check()?;
        options.check()?;
        let particles = Particles::new(rest, volumes, spacing, matter.density)?;
        let cluster = Cluster::new(&particles)?;
        let count = particles.rest.len();
        let state = Moment {
            positions: particles.rest.clone(),
            velocities: vec![Vec3::zeros(); count],
            flight: None,
            touched: false,
            slip: Slip::default(),
        };
        let mut body = Clusters {
            prediction: state.clone(),
            state,
            matter,
            options,
            particles,
            cluster,
            phase: Phase::Committed,
            bounds: Aabb::EMPTY,
            broken: None,
            holds: Vec::new(),
            external: External::new(count),
            work: 0.0,
        };
        body.bounds = body.bounds_of_state();
        Ok(body)
    }

    /// Gives every particle a position (m) and a velocity (m/s) by its rest position in the world (m), for bodies that do not begin at
    /// rest in their shape.
    pub fn set_motion(&mut self, motion: impl Fn(&Vec3) -> (Vec3, Vec3)) -> Result<(), ClusterError> {
        let moved: Vec<(Vec3, Vec3)> = self.particles.rest.iter().map(motion).collect();
        if let Some(particle) = moved.iter().position(|(x, v)| !is_finite(x) || !is_finite(v)) {
            return Err(ClusterError::NotFinite { particle });
        }
        (self.state.positions, self.state.velocities) = moved.into_iter().unzip();
        self.state.flight = None;
        self.state.touched = false;
        self.state.slip = Slip::default();
        self.phase = Phase::Committed;
        self.bounds = self.bounds_of_state();
        Ok(())
    }

    /// Number of particles.
    pub fn count(&self) -> usize {
        self.particles.rest.len()
    }

    /// Positions of the particles (m).
    pub fn positions(&self) -> Vec<Vec3> {
        let view = self.view(&self.state);
        (0..self.count()).map(|particle| view.position(particle)).collect()
    }

    /// Velocities of the particles (m/s).
    pub fn velocities(&self) -> Vec<Vec3> {
        let view = self.view(&self.state);
        (0..self.count()).map(|particle| view.velocity(particle)).collect()
    }

    /// Where the particles are drawn to (m): Jones et al. 2016 (6).
    pub fn goals(&self) -> Vec<Vec3> {
        let matched = self.matched();
        self.cluster.offsets.iter().map(|offset| matched.goal(offset)).collect()
    }

    /// Best-fit deformation gradient F (1): Jones et al. 2016 (3). Zero in directions in which the rest shape has no width.
    pub fn deformation(&self) -> Mat3 {
        self.matched().deformation
    }

    /// Whether the body flies as a rigid one.
    pub fn is_flying(&self) -> bool {
        self.state.flight.is_some()
    }

    /// Stiffness of the springs to the goals by mass, α/Δt₀² (1/s²).
    pub(crate) fn stiffness(&self) -> f64 {
        self.matter.goal_stiffness / (self.options.time_step * self.options.time_step)
    }

    /// Rate (1/s) at which motion that is not rigid dies away.
    pub(crate) fn damping_rate(&self) -> f64 {
        self.options.damping + self.matter.damping_time * self.stiffness()
    }

    /// How far matter reaches around a particle (m).
    pub(crate) fn radius(&self) -> f64 {
        0.5 * self.particles.spacing
    }

    /// Centre of mass of the rest shape in the world (m).
    pub(crate) fn rest_center(&self) -> Vec3 {
        self.particles.rest[0] - self.cluster.offsets[0]
    }

    /// Positions and velocities at a moment.
    pub(crate) fn view<'a>(&'a self, moment: &'a Moment) -> View<'a> {
        View::new(moment, &self.cluster)
    }

    /// The rest shape laid over the state.
    pub(crate) fn matched(&self) -> ShapeMatch {
        match &self.state.flight {
            Some(flight) => ShapeMatch::of_flight(flight, &self.cluster),
            None => match_shape(&self.particles, &self.cluster, &self.state.positions, &self.state.velocities),
        }
    }

    pub(crate) fn bounds_of_state(&self) -> Aabb {
        let view = self.view(&self.state);
        (0..self.count()).fold(Aabb::EMPTY, |bounds, particle| bounds.with(&view.position(particle)))
    }
}

impl Matter {
    fn check(&self) -> Result<(), MaterialError> {
        Quantity::Density.check(self.density)?;
        Quantity::GoalStiffness.check(self.goal_stiffness)?;
        Quantity::DampingTime.check(self.damping_time)?;
        Quantity::MassDamping.check(self.drag)
    }
}

impl Options {
    fn check(&self) -> Result<(), ClusterError> {
        let positive = "finite and above 0";
        setting("time_step", self.time_step, self.time_step > 0.0, positive)?;
        setting("damping", self.damping, self.damping >= 0.0, "finite and at least 0")?;
        match self.rest_strain {
            Some(strain) => setting("rest_strain", strain, (0.0..=1.0).contains(&strain), "from 0 to 1"),
            None => Ok(()),
        }
    }
}

fn setting(name: &'static str, value: f64, inside: bool, allowed: &'static str) -> Result<(), ClusterError> {
    if inside && value.is_finite() { Ok(()) } else { Err(ClusterError::Setting { name, value, allowed }) }
}

impl Particles {
    fn new(rest: Vec<Vec3>, volumes: Vec<f64>, spacing: f64, density: f64) -> Result<Particles, ClusterError> {
        if rest.is_empty() {
            return Err(ClusterError::NoParticles);
        }
        if rest.len() != volumes.len() {
            return Err(ClusterError::Lengths { positions: rest.len(), volumes: volumes.len() });
        }
        setting("spacing", spacing, spacing > 0.0, "finite and above 0")?;
        if let Some(particle) = rest.iter().position(|position| !is_finite(position)) {
            return Err(ClusterError::NotFinite { particle });
        }
        let masses: Vec<f64> = volumes.iter().map(|volume| volume * density).collect();
        if let Some(particle) = masses.iter().position(|mass| !(mass.is_finite() && *mass > 0.0)) {
            return Err(ClusterError::Mass { particle, volume: volumes[particle], mass: masses[particle] });
        }
        Ok(Particles { rest, volumes, masses, spacing })
    }
}

impl Cluster {
    /// Rest properties. Sums go about the first particle, so that they do not lose digits far from the origin.
    fn new(particles: &Particles) -> Result<Cluster, ClusterError> {
        let anchor = particles.rest[0];
        let members = || particles.rest.iter().zip(&particles.masses);
        let mass: f64 = particles.masses.iter().sum();
        let first_moment: Vec3 = members().map(|(rest, mass)| *mass * (rest - anchor)).sum();
        let center = first_moment / mass;
        let offsets: Vec<Vec3> = particles.rest.iter().map(|rest| (rest - anchor) - center).collect();
        let moment: Mat3 =
            offsets.iter().zip(&particles.masses).map(|(offset, mass)| *mass * offset * offset.transpose()).sum();
        let inverse_moment = pseudo_inverse(&moment, NO_WIDTH);
        if !(mass.is_finite() && moment.iter().chain(&inverse_moment).all(|entry| entry.is_finite())) {
            return Err(ClusterError::Scale { moment: moment.trace() });
        }
        let inertia = Mat3::identity() * moment.trace() - moment;
        let (rigid, principal) = RigidBody::new(mass, &inertia, &Isometry::identity(), Vec3::zeros(), Vec3::zeros());
        let extent = offsets.iter().fold(0.0f64, |largest, offset| largest.max(offset.norm()));
        Ok(Cluster { offsets, moment, inverse_moment, extent, rigid, principal })
    }

    /// Mass (kg).
    pub(crate) fn mass(&self) -> f64 {
        self.rigid.mass
    }
}

pub(crate) fn is_finite(vector: &Vec3) -> bool {
    vector.iter().all(|entry| entry.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{block, matter};
    use craze_engine::Method;

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
            refusal(cloud, &matter(1.0), options)
        };
        assert!(refusal(Cloud { spacing: 0.1, ..Cloud::default() }, &matter(1.0), options).contains("no particles"));
        assert!(cloud(|cloud| cloud.positions[3].y = f64::NAN).starts_with("particle 3 has a position"));
        assert!(cloud(|cloud| cloud.volumes[5] = 0.0).starts_with("particle 5 has a mass of 0 kg"));
        assert!(cloud(|cloud| cloud.volumes[5] = f64::INFINITY).contains("mass of inf"));
        assert!(cloud(|cloud| cloud.volumes[5] = 1e-326).contains("mass of 0"));
        assert!(cloud(|cloud| cloud.volumes.truncate(3)).contains("8 particles but 3 volumes"));
        assert!(cloud(|cloud| cloud.positions[1].x = 1e200).contains("too large"));
        assert!(cloud(|cloud| cloud.spacing = -0.1).starts_with("spacing = -0.1"));
        for alpha in [0.0, -1.0, 1.01, f64::NAN] {
            assert!(refusal(block([2, 2, 2]), &matter(alpha), options).starts_with("goal_stiffness"));
        }
        for (options, text) in [
            (Options { time_step: 0.0, ..options }, "time_step = 0"),
            (Options { damping: f64::NAN, ..options }, "damping = NaN"),
            (Options { rest_strain: Some(-1.0), ..options }, "rest_strain = -1"),
        ] {
            assert!(refusal(block([2, 2, 2]), &matter(1.0), options).starts_with(text));
        }
    }

    #[test]
    fn a_body_begins_where_it_is_placed_and_moves_as_told() {
        let placement = Isometry::new(Vec3::new(0.0, 5.0, 0.0), Vec3::new(0.0, 0.0, 1.0));
        let (velocity, spin) = (Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.0, 4.0, 0.0));
        let mut body =
            Clusters::new(block([5, 3, 3]), &matter(1.0), Options::default(), &placement, velocity, spin).unwrap();
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
