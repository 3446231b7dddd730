//! A cluster: rest shape, plastic deformation, fit to its particles.

use crate::membership::Memberships;
use crate::model::Particles;
use craze_math::lanes::WIDTH;
use craze_math::{Mat3, Svd, Vec3, polar, svd, symmetric_eigen};
use serde::{Deserialize, Serialize};

/// State of a cluster beside its members: plastic deformation, hardening and splits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ClusterHistory {
    /// F^p (1): Jones et al. 2016 (9).
    pub plastic: Mat3,
    /// α (s): Jones et al. 2016 (14), accumulated per second (READINGS 24).
    pub hardening: f64,
    /// τ₀ (1); `None`: it never splits.
    pub toughness: Option<f64>,
    /// When it last split (s).
    pub last_split: Option<f64>,
    /// Whether it must fall below its toughness before it may split again.
    pub cooling: bool,
    /// Whether it was above its toughness and could not be split, since it was last below.
    pub refused: bool,
    /// Number of its piece.
    pub piece: u32,
    /// Planes that have cut it.
    pub planes: Vec<Plane>,
}

/// A plane in the rest frame of a cluster. The cluster is behind it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Plane {
    /// Outward unit normal.
    pub normal: Vec3,
    /// Distance along the normal at which the cluster ends (m), from the origin of rest offsets.
    pub end: f64,
}

impl ClusterHistory {
    /// State of a new cluster.
    pub(crate) fn fresh(toughness: Option<f64>) -> ClusterHistory {
        ClusterHistory {
            plastic: Mat3::identity(),
            hardening: 0.0,
            toughness,
            last_split: None,
            cooling: false,
            refused: false,
            piece: 0,
            planes: Vec::new(),
        }
    }

    /// Returns true if it has not flowed.
    pub(crate) fn is_fresh(&self) -> bool {
        self.plastic == Mat3::identity()
    }
}

/// Rest shape of a cluster, computed from rest positions, masses and weights of its members.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rest {
    /// Σ w m (kg).
    pub mass: f64,
    /// r̄ (m), from the origin of rest offsets.
    pub centre: Vec3,
    /// A_rr (kg·m²), Jones et al. 2016 (3).
    pub moment: Mat3,
    /// A_rr⁺ (1/(kg·m²)).
    pub inverse_moment: Mat3,
    /// Whether it has no extent in some direction.
    pub is_flat: bool,
    /// Largest |r − r̄| (m).
    pub extent: f64,
}

/// Relative moment of inertia below which an axis has no angular velocity.
pub(crate) const MIN_INERTIA_RATIO: f64 = 1e-12;

/// Ratio of eigenvalues of A_rr below which the cluster has no extent in a direction: F would be
/// rounding noise there, and the smallest disturbance of so thin a slice a large strain.
const MIN_WIDTH_RATIO: f64 = 1e-6;

/// Members that are no farther from their centre than this share of its distance from the origin
/// coincide.
const COINCIDENT_DISTANCE_RATIO: f64 = 1e-12;

impl Rest {
    /// Rest shape of one cluster, summed in the order of its members.
    pub(crate) fn of(cluster: u32, memberships: &Memberships, particles: &Particles) -> Rest {
        let weigh = |&member: &u32| {
            let mass = memberships.weight(member, cluster) * particles.masses[member as usize];
            (mass, particles.offsets[member as usize])
        };
        // A weight is found by a search: once per member.
        let members: Vec<(f64, Vec3)> = memberships.members(cluster as usize).iter().map(weigh).collect();
        Rest::of_members(members.iter().copied())
    }

    /// Rest shapes of all clusters, summed in the order of particles, which is the order of
    /// members.
    pub(crate) fn of_all(memberships: &Memberships, particles: &Particles) -> Vec<Rest> {
        let mut sums = vec![(0.0, Vec3::zeros()); memberships.clusters()];
        let each = || particles.masses.iter().zip(&particles.offsets).enumerate();
        for (particle, (mass, offset)) in each() {
            for share in memberships.of(particle) {
                let (sum, first) = &mut sums[share.cluster as usize];
                let own = share.weight * mass;
                *sum += own;
                *first += own * offset;
            }
        }
        let mut arms: Vec<Arms> = sums.into_iter().map(|(mass, first)| Arms::about(mass, &first)).collect();
        for (particle, (mass, offset)) in each() {
            for share in memberships.of(particle) {
                arms[share.cluster as usize].add(share.weight * mass, offset);
            }
        }
        arms.iter().map(Arms::rest).collect()
    }

    /// Rest shape from the mass in the cluster (kg) and the rest offset (m) of each member.
    pub(crate) fn of_members(members: impl Iterator<Item = (f64, Vec3)> + Clone) -> Rest {
        let (mut mass, mut first) = (0.0, Vec3::zeros());
        for (own, offset) in members.clone() {
            mass += own;
            first += own * offset;
        }
        let mut arms = Arms::about(mass, &first);
        for (own, offset) in members {
            arms.add(own, &offset);
        }
        arms.rest()
    }
}

/// Sums over the members of a cluster about its centre.
struct Arms {
    mass: f64,
    centre: Vec3,
    moment: Mat3,
    /// Largest |r − r̄|² (m²).
    square: f64,
}

impl Arms {
    /// About the centre of members with a mass (kg) and a first moment (kg·m).
    fn about(mass: f64, first: &Vec3) -> Arms {
        let centre = if mass > 0.0 { first / mass } else { Vec3::zeros() };
        Arms { mass, centre, moment: Mat3::zeros(), square: 0.0 }
    }

    /// Adds a member by its mass in the cluster (kg) and its rest offset (m).
    #[inline(always)]
    fn add(&mut self, own: f64, offset: &Vec3) {
        let arm = offset - self.centre;
        self.moment += own * arm * arm.transpose();
        self.square = self.square.max(arm.norm_squared());
    }

    fn rest(&self) -> Rest {
        let Arms { mass, centre, moment, square } = *self;
        // Duplicates of one particle coincide: their arms are rounding.
        let is_point = square.sqrt() <= COINCIDENT_DISTANCE_RATIO * centre.norm();
        let (inverse_moment, is_flat) =
            if is_point { (Mat3::zeros(), true) } else { pseudo_inverse(&moment, MIN_WIDTH_RATIO) };
        Rest { mass, centre, moment, inverse_moment, is_flat, extent: square.sqrt() }
    }
}

/// Pseudoinverse of a symmetric positive semidefinite matrix: eigenvalues below `threshold` times
/// the largest are dropped. The second value says whether there are such.
pub(crate) fn pseudo_inverse(matrix: &Mat3, threshold: f64) -> (Mat3, bool) {
    let eigen = symmetric_eigen(matrix);
    let smallest = threshold * eigen.values.amax();
    let inverse = eigen.values.map(|value| if value > smallest { 1.0 / value } else { 0.0 });
    let is_flat = inverse.iter().any(|value| *value == 0.0);
    (eigen.vectors * Mat3::from_diagonal(&inverse) * eigen.vectors.transpose(), is_flat)
}

/// Fit of the rest shape of a cluster to its particles: Jones et al. 2016 (1)–(5), with F^e =
/// F·(F^p)⁻¹ (9) in place of F.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fit {
    /// x̄ from the anchor (m).
    pub centre: Vec3,
    /// F (1).
    pub deformation: Mat3,
    /// F^e = U·Σ·Vᵀ.
    pub elastic: Svd,
    /// R (1): see [`Fit::decompose`].
    pub rotation: Mat3,
}

/// Sums over the members of a cluster: twenty-four numbers as three vectors of eight lanes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
pub(crate) struct Record(pub [f64; 24]);

impl Record {
    pub(crate) const ZERO: Record = Record([0.0; 24]);
}

/// What members need of a cluster, as four vectors of eight lanes: in the first halves the affine
/// map from rest offsets to goals as columns of four, in the second halves that from arms to
/// velocities of its rigid motion (m, m/s; positions and arms are relative to the anchor). The last
/// number is the square of the largest distance from a goal that the strain limit allows (m²).
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
pub(crate) struct Guide(pub [f64; 4 * WIDTH]);

impl Guide {
    pub(crate) const ZERO: Guide = Guide([0.0; 4 * WIDTH]);

    /// A column of the map to goals.
    #[inline(always)]
    fn column(&self, index: usize) -> Vec3 {
        let start = WIDTH * index;
        Vec3::new(self.0[start], self.0[start + 1], self.0[start + 2])
    }

    /// A column of the map to velocities.
    #[inline(always)]
    fn moving_column(&self, index: usize) -> Vec3 {
        let start = WIDTH * index + 4;
        Vec3::new(self.0[start], self.0[start + 1], self.0[start + 2])
    }

    /// Goal position of a rest offset (m, relative to the anchor).
    #[inline(always)]
    pub(crate) fn goal(&self, offset: &Vec3) -> Vec3 {
        self.column(0) * offset.x + self.column(1) * offset.y + self.column(2) * offset.z + self.column(3)
    }

    /// R·F^p (1).
    pub(crate) fn map(&self) -> Mat3 {
        Mat3::from_columns(&[self.column(0), self.column(1), self.column(2)])
    }

    /// Velocity of the rigid motion of the cluster (m/s) at an arm from the anchor (m).
    #[inline(always)]
    pub(crate) fn velocity(&self, arm: &Vec3) -> Vec3 {
        self.moving_column(0) * arm.x
            + self.moving_column(1) * arm.y
            + self.moving_column(2) * arm.z
            + self.moving_column(3)
    }

    /// Square of the largest distance from a goal that the strain limit allows (m²).
    #[inline(always)]
    pub(crate) fn limit(&self) -> f64 {
        self.0[4 * WIDTH - 1]
    }

    /// Sets velocity at the anchor (m/s) and spin (rad/s).
    pub(crate) fn set_motion(&mut self, velocity: &Vec3, spin: &Vec3) {
        let columns = [spin.cross(&Vec3::x()), spin.cross(&Vec3::y()), spin.cross(&Vec3::z()), *velocity];
        for (index, column) in columns.iter().enumerate() {
            let start = WIDTH * index + 4;
            self.0[start..start + 3].copy_from_slice(column.as_slice());
        }
    }
}

impl Fit {
    /// A fit that has not been computed.
    pub(crate) const NONE: Fit = Fit {
        centre: Vec3::new(0.0, 0.0, 0.0),
        deformation: Mat3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
        elastic: Svd {
            u: Mat3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
            sigma: Vec3::new(1.0, 1.0, 1.0),
            v: Mat3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
        },
        rotation: Mat3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
    };

    /// Computes x̄ and F from Σ w m u (o, 1)ᵀ, columns of four, with u = x − anchor and o the rest
    /// offset.
    pub(crate) fn measure(&mut self, sums: &Record, rest: &Rest) {
        let [a, b, c, _, d, e, f, _, g, h, i, _, x, y, z, _, ..] = sums.0;
        let total = Vec3::new(x, y, z);
        let mixed = Mat3::new(a, d, g, b, e, h, c, f, i) - total * rest.centre.transpose();
        self.centre = total / rest.mass;
        self.deformation = mixed * rest.inverse_moment;
    }

    /// F^e (9).
    pub(crate) fn elastic_deformation(&self, history: &ClusterHistory) -> Mat3 {
        let back = if history.is_fresh() { None } else { history.plastic.try_inverse() };
        back.map_or(self.deformation, |back| self.deformation * back)
    }

    /// A_xr·F^pᵀ (kg·m²). Its rotation fits the plastic shape to the members: see
    /// [`Fit::decompose`].
    pub(crate) fn laid(&self, rest: &Rest, history: &ClusterHistory) -> Mat3 {
        let laid = self.deformation * rest.moment;
        if history.is_fresh() { laid } else { laid * history.plastic.transpose() }
    }

    /// Updates Σ and V of F^e (9), and R, to F^p.
    ///
    /// R is the rotation with the least Σ w m |R·F^p·(r − r̄) − (x − x̄)|² (1): that of the polar
    /// decomposition of A_xr·F^pᵀ, proper also where F is inverted. The paper takes that of F^e,
    /// which is the same where S commutes with P = F^p·A_rr·F^pᵀ (READINGS 26) and close to it
    /// elsewhere. Rejected: goals with that rotation exert a moment on the cluster that nothing
    /// balances, and a cluster that has flowed gains angular momentum until it bursts.
    pub(crate) fn decompose(&mut self, rest: &Rest, history: &ClusterHistory) {
        self.elastic = svd(&self.elastic_deformation(history));
        self.rotation = polar(&self.laid(rest, history)).rotation;
    }

    /// Writes the map from rest offsets to goals, R·F^p (READINGS 23) about the centres, and the
    /// largest distance from goals, `limit` in extents (1).
    pub(crate) fn guide(&self, rest: &Rest, history: &ClusterHistory, limit: f64, guide: &mut Guide) {
        let map = if history.is_fresh() { self.rotation } else { self.rotation * history.plastic };
        let shift = self.centre - map * rest.centre;
        for axis in 0..3 {
            guide.0[WIDTH * axis..WIDTH * axis + 3].copy_from_slice(map.column(axis).as_slice());
        }
        guide.0[3 * WIDTH..3 * WIDTH + 3].copy_from_slice(shift.as_slice());
        guide.0[4 * WIDTH - 1] = (limit * rest.extent).powi(2);
    }
}
