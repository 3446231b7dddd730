//! The table `clusters` of a scene, the options of a body of clusters, and their errors.

use crate::partition::Clustering;
use craze_descriptor::{Painted, Region, Sampling};
use craze_material::MaterialError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Reference step (s) of a body whose scene gives none.
pub(crate) const TIME_STEP: f64 = 1.0 / 60.0;

/// Settings of method clusters; the stiffness of a cluster is its material's `goal_stiffness`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ClustersTable {
    /// Decay rate of the non-rigid motion of clusters, in addition to the material's damping.
    #[schemars(extend("x-unit" = "1/s", "minimum" = 0))]
    pub damping: f64,
    /// Strain below which a body without contact and load counts as unstrained and moves as a rigid
    /// body; 0: never.
    #[schemars(extend("x-unit" = "1", "minimum" = 0, "maximum" = 0.1))]
    pub rest_strain: f64,
    /// How particles fill the body.
    pub sampling: Sampling,
    /// Number of clusters; one if neither this nor `reach` is given.
    #[schemars(extend("minimum" = 1, "maximum" = 1_000_000))]
    pub count: Option<u32>,
    /// Radius of the clusters, instead of their number.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub reach: Option<f64>,
    /// Mean number of clusters per particle.
    #[schemars(extend("x-unit" = "1", "minimum" = 1, "maximum" = 64))]
    pub overlap: f64,
    /// Largest distance of a particle from its goal in a cluster, in radii of the cluster; 0: no
    /// limit. About 0.1 for elastic bodies, more where they flow.
    #[schemars(extend("x-unit" = "1", "minimum" = 0, "maximum" = 10))]
    pub strain_limit: f64,
    /// Largest number of strain limiting rounds per step.
    #[schemars(extend("minimum" = 1, "maximum" = 1000))]
    pub limit_rounds: u32,
    /// Largest number of clusters that split in one step; further splits wait for the next step.
    #[schemars(extend("minimum" = 1, "maximum" = 1_000_000))]
    pub splits_a_step: u32,
    /// Relative increase of a cluster's toughness when it splits, against spray of single
    /// particles; with 0 it does not split again until it is below its toughness.
    #[schemars(extend("x-unit" = "1", "minimum" = 0))]
    pub boost: f64,
    /// Decay rate of `boost`.
    #[schemars(extend("x-unit" = "1/s", "exclusiveMinimum" = 0))]
    pub boost_decay: f64,
    /// Random variation of `cluster_toughness` − 1 from cluster to cluster, as a share of it.
    #[schemars(extend("x-unit" = "1", "minimum" = 0, "maximum" = 1))]
    pub toughness_spread: f64,
    /// Whether parts of the body that are not connected, or only distantly, have contact with each
    /// other.
    pub self_contact: bool,
    /// Whether frames have a closed surface around the particles, cut along the cracks; without it
    /// particles are shown as balls.
    pub skin: bool,
    /// Regions that are weaker or tougher than the rest; they apply to clusters with their centre
    /// inside.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seams: Vec<Seam>,
    /// `cluster_toughness` − 1 from the vertex colours of its model, an OBJ, PLY or glTF file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub painted: Option<Painted>,
}

impl Default for ClustersTable {
    fn default() -> Self {
        Self {
            damping: 0.0,
            rest_strain: 1e-4,
            sampling: Sampling::default(),
            count: None,
            reach: None,
            overlap: 3.0,
            strain_limit: 0.0,
            limit_rounds: 8,
            splits_a_step: 16,
            boost: 0.0,
            boost_decay: 10.0,
            toughness_spread: 0.0,
            self_contact: true,
            skin: true,
            seams: Vec::new(),
            painted: None,
        }
    }
}

/// A region of a body of clusters that is tougher or weaker than the rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Seam {
    /// The region, in world coordinates at t = 0.
    pub region: Region,
    /// Stretch at which its clusters split.
    #[schemars(extend("x-unit" = "1", "exclusiveMinimum" = 1))]
    pub toughness: f64,
}

/// Options of the simulation of a body of clusters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// Reference step Δt₀ (s) at which the goal stiffness α is meant; also the longest step the
    /// body takes.
    pub time_step: f64,
    /// Rate (1/s) at which motion that is not rigid motion of a cluster dies away, as
    /// e^(−damping·t). Momenta are kept.
    pub damping: f64,
    /// Strain (1) below which an untouched body counts as unstrained and flies as a rigid one,
    /// exactly, until something touches it; none: never. Judged by the energy of vibration, which
    /// must not exceed that of a uniform strain of this size, and by the stretch ω²Δt₀²/α that the
    /// spin ω would cause. A body that has flowed or split never does.
    pub rest_strain: Option<f64>,
    /// Into which clusters it is divided.
    pub clustering: Clustering,
    /// Largest distance of a member from its goal, in largest distances of members from the centre
    /// at rest (1): γ of Bargteil & Jones 2014; none: no limit.
    pub strain_limit: Option<f64>,
    /// Rounds of strain limiting in a step, at most. A round that finds nothing beyond the limit
    /// ends them.
    pub limit_rounds: u32,
    /// Splits of clusters in a step, at most; those that exceed their toughness by most go first,
    /// the others wait.
    pub splits_a_step: u32,
    /// How much tougher a cluster is right after it has split (1): τ_b of Jones et al. 2016 (16).
    /// At 0 it waits until it is below its toughness instead.
    pub boost: f64,
    /// Rate (1/s) at which that falls off: τ_f of (16).
    pub boost_decay: f64,
    /// Share by which the toughness τ − 1 of clusters varies at random (1), from 0 to 1.
    pub toughness_spread: f64,
    /// Whether parts of the body that do not are connected, or not closely, keep out of each other.
    pub self_contact: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options::of(&ClustersTable::default(), None, 0)
    }
}

impl Options {
    /// The options that a scene gives, with the body's bound on Δt (s) and the seed of the scene.
    pub fn of(table: &ClustersTable, time_step: Option<f64>, seed: u64) -> Options {
        let overlap = table.overlap;
        let clustering = match (table.count, table.reach) {
            (None, None) => Clustering::One,
            (Some(count), _) => Clustering::Count { count, overlap, seed },
            (None, Some(radius)) => Clustering::Radius { radius, overlap, seed },
        };
        Options {
            time_step: time_step.unwrap_or(TIME_STEP),
            damping: table.damping,
            rest_strain: (table.rest_strain > 0.0).then_some(table.rest_strain),
            clustering,
            strain_limit: (table.strain_limit > 0.0).then_some(table.strain_limit),
            limit_rounds: table.limit_rounds,
            splits_a_step: table.splits_a_step,
            boost: table.boost,
            boost_decay: table.boost_decay,
            toughness_spread: table.toughness_spread,
            self_contact: table.self_contact,
        }
    }

    pub(crate) fn check(&self) -> Result<(), ClusterError> {
        let positive = "finite and above 0";
        let not_negative = "finite and at least 0";
        setting("time_step", self.time_step, self.time_step > 0.0, positive)?;
        setting("damping", self.damping, self.damping >= 0.0, not_negative)?;
        setting("boost", self.boost, self.boost >= 0.0, not_negative)?;
        setting("boost_decay", self.boost_decay, self.boost_decay > 0.0, positive)?;
        let spread = self.toughness_spread;
        setting("toughness_spread", spread, (0.0..=1.0).contains(&spread), "from 0 to 1")?;
        if let Some(limit) = self.strain_limit {
            setting("strain_limit", limit, limit > 0.0, positive)?;
        }
        match self.clustering {
            Clustering::One => {}
            Clustering::Count { count, overlap, .. } => {
                setting("count", f64::from(count), count > 0, "at least 1")?;
                setting("overlap", overlap, overlap >= 1.0, "finite and at least 1")?;
            }
            Clustering::Radius { radius, overlap, .. } => {
                setting("radius", radius, radius > 0.0, positive)?;
                setting("overlap", overlap, overlap >= 1.0, "finite and at least 1")?;
            }
        }
        match self.rest_strain {
            Some(strain) => setting("rest_strain", strain, (0.0..=1.0).contains(&strain), "from 0 to 1"),
            None => Ok(()),
        }
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
    /// Clusters that do not reach all particles.
    #[error(
        "{count} of the particles are out of reach of every cluster: choose a reach of {} m or more, more clusters, or a larger overlap",
        two_digits(*radius, f64::ceil)
    )]
    Uncovered {
        /// How many particles.
        count: usize,
        /// Radius that would reach them (m).
        radius: f64,
    },
    /// Fewer particles than the clusters need.
    #[error(
        "{particles} particles are too few for {clusters} clusters of at least four: choose {} clusters or fewer, or a spacing of {} m or less",
        (particles / 4).max(1),
        two_digits(*spacing, f64::floor)
    )]
    TooFewParticles {
        /// How many there are.
        particles: usize,
        /// How many clusters were asked for.
        clusters: usize,
        /// Distance of particles at which there are enough (m).
        spacing: f64,
    },
    /// A number of the material outside its range, the goal stiffness α among them.
    #[error(transparent)]
    Material(#[from] MaterialError),
}

/// A number that is above 0 rounded to two digits, in the way that is safe.
fn two_digits(value: f64, round: impl Fn(f64) -> f64) -> String {
    let digit = value.abs().log10().floor() - 1.0;
    let decimals = (-digit).max(0.0);
    // Written so that what has no digits is shown as it is.
    if !(decimals < 40.0) {
        return value.to_string();
    }
    format!("{:.*}", decimals as usize, round(value * 10f64.powf(-digit)) * 10f64.powf(digit))
}

pub(crate) fn setting(name: &'static str, value: f64, inside: bool, allowed: &'static str) -> Result<(), ClusterError> {
    if inside && value.is_finite() { Ok(()) } else { Err(ClusterError::Setting { name, value, allowed }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_do_is_named_on_the_safe_side() {
        let far = ClusterError::Uncovered { count: 3, radius: 0.001_234 };
        assert!(far.to_string().contains("a reach of 0.0013 m or more"), "{far}");
        let few = ClusterError::TooFewParticles { particles: 90, clusters: 400, spacing: 0.007_68 };
        assert!(few.to_string().contains("choose 22 clusters or fewer, or a spacing of 0.0076 m or less"), "{few}");
        assert_eq!(two_digits(130.0, f64::ceil), "130");
        assert_eq!(two_digits(f64::NAN, f64::ceil), "NaN");
    }
}
