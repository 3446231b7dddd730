//! What a body owns: mass, momenta, energies, counts.

use craze_math::Vec3;
use serde::{Deserialize, Serialize};

/// Share of a body's volume or mass above which a piece counts as large.
pub const LARGE_PIECE: f64 = 0.01;

/// The books of a body, or of the whole world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Account {
    /// Mass (kg).
    pub mass: f64,
    /// Rest volume (m³).
    pub volume: f64,
    /// Linear momentum (kg·m/s).
    pub momentum: Vec3,
    /// Angular momentum about the origin of the world (kg·m²/s).
    pub angular_momentum: Vec3,
    /// Kinetic energy (J).
    pub kinetic: f64,
    /// Elastic energy (J).
    pub elastic: f64,
    /// Energy in the field of gravity (J), zero at the origin.
    pub potential: f64,
    /// Work done on the body by holds, loads and contacts since the start, gravity not counted (J).
    pub work: f64,
    /// Elements: tetrahedra, triangles or clusters.
    pub elements: u64,
    /// Nodes or particles.
    pub nodes: u64,
    /// Pieces.
    pub pieces: u64,
    /// Pieces larger than [`LARGE_PIECE`] of their body: debris does not change this count.
    #[serde(default)]
    pub large_pieces: u64,
    /// What fracture has done since the start. Bodies save it themselves.
    #[serde(skip)]
    pub split_counts: SplitCounts,
}

impl Account {
    /// Kinetic, elastic and potential energy together (J).
    pub fn energy(&self) -> f64 {
        self.kinetic + self.elastic + self.potential
    }

    /// Adds another body's books.
    pub fn add(&mut self, other: &Account) {
        self.mass += other.mass;
        self.volume += other.volume;
        self.momentum += other.momentum;
        self.angular_momentum += other.angular_momentum;
        self.kinetic += other.kinetic;
        self.elastic += other.elastic;
        self.potential += other.potential;
        self.work += other.work;
        self.elements += other.elements;
        self.nodes += other.nodes;
        self.pieces += other.pieces;
        self.large_pieces += other.large_pieces;
        self.split_counts.add(&other.split_counts);
    }
}

/// What fracture has done to a body, or to the whole world, since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SplitCounts {
    /// Nodes or clusters that were split, and particles that broke off: as many as there are split
    /// events.
    pub splits: u64,
    /// Splits whose plane was bent to nodes farther than the options ask, so that no element became too thin.
    pub bent: u64,
    /// What failed and could not be split.
    pub refused: u64,
    /// Steps in which more failed than the budget allows.
    pub over_budget: u64,
    /// Area of the cracks that splits have opened, one face, at rest (m²).
    #[serde(default)]
    pub area: f64,
    /// The part of it that bent splits have opened (m²).
    #[serde(default)]
    pub bent_area: f64,
    /// Area that refused splits would have opened (m²): that of each node across its plane.
    #[serde(default)]
    pub refused_area: f64,
}

impl SplitCounts {
    /// Adds another body's.
    pub fn add(&mut self, other: &SplitCounts) {
        self.splits += other.splits;
        self.bent += other.bent;
        self.refused += other.refused;
        self.over_budget += other.over_budget;
        self.area += other.area;
        self.bent_area += other.bent_area;
        self.refused_area += other.refused_area;
    }

    /// Share of the crack area that does not follow the planes of failure: bent to mesh nodes, or
    /// refused. Zero without cracks.
    pub fn bent_share(&self) -> f64 {
        let all = self.area + self.refused_area;
        if all > 0.0 { (self.bent_area + self.refused_area) / all } else { 0.0 }
    }
}
