//! A cluster: rest shape, plastic deformation, and what fracture knows of it.

use crate::membership::Memberships;
use crate::model::Particles;
use craze_math::{Mat3, Svd, Vec3, polar, svd, symmetric_eigen};
use serde::{Deserialize, Serialize};

/// What a cluster keeps from step to step beside its members.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Temper {
    /// F^p (1): Jones et al. 2016 (9).
    pub plastic: Mat3,
    /// α (s): Jones et al. 2016 (14), gathered per second (READINGS 24).
    pub hardening: f64,
    /// τ₀ (1); none: it never splits.
    pub toughness: Option<f64>,
    /// When it last split (s).
    pub last_split: Option<f64>,
    /// Whether it has to fall below its toughness before it may split again.
    pub cooling: bool,
    /// Its piece, by its number in the body's history.
    pub piece: u32,
    /// Planes that have cut it.
    pub planes: Vec<Plane>,
}

/// A plane in the rest frame of a cluster; matter lies behind it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Plane {
    /// Outward unit normal.
    pub normal: Vec3,
    /// How far along it matter ends (m), from the origin of rest offsets.
    pub end: f64,
}

impl Temper {
    /// Of a cluster that nothing has happened to.
    pub(crate) fn fresh(toughness: Option<f64>) -> Temper {
        Temper {
            plastic: Mat3::identity(),
            hardening: 0.0,
            toughness,
            last_split: None,
            cooling: false,
            piece: 0,
            planes: Vec::new(),
        }
    }
}

/// The rest shape of a cluster: follows from its members' rest places, masses and weights.
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
    /// Whether a direction has no width.
    pub is_flat: bool,
    /// Largest |r − r̄| (m).
    pub extent: f64,
}

/// Directions in which A_rr has less than this share of its largest eigenvalue have no width: F could not be told from rounding, and
/// a slice as thin as that would turn the smallest disturbance into a large strain.
const NO_WIDTH: f64 = 1e-6;

impl Rest {
    /// Measures a cluster, member by member in their order.
    pub(crate) fn of(cluster: u32, memberships: &Memberships, particles: &Particles) -> Rest {
        let members = memberships.members(cluster as usize);
        let weighed = || {
            members.iter().map(|&member| {
                let mass = memberships.weight(member, cluster) * particles.masses[member as usize];
                (mass, particles.offsets[member as usize])
            })
        };
        let (mut mass, mut first) = (0.0, Vec3::zeros());
        for (own, offset) in weighed() {
            mass += own;
            first += own * offset;
        }
        let centre = if mass > 0.0 { first / mass } else { Vec3::zeros() };
        let (mut moment, mut square) = (Mat3::zeros(), 0.0f64);
        for (own, offset) in weighed() {
            let arm = offset - centre;
            moment += own * arm * arm.transpose();
            square = square.max(arm.norm_squared());
        }
        let (inverse_moment, is_flat) = pseudo_inverse(&moment, NO_WIDTH);
        Rest { mass, centre, moment, inverse_moment, is_flat, extent: square.sqrt() }
    }
}

/// Inverse of a symmetric positive semidefinite matrix in the directions whose eigenvalue is above `threshold` times the largest,
/// zero in the others; and whether there are such.
pub(crate) fn pseudo_inverse(matrix: &Mat3, threshold: f64) -> (Mat3, bool) {
    let eigen = symmetric_eigen(matrix);
    let smallest = threshold * eigen.values.amax();
    let inverse = eigen.values.map(|value| if value > smallest { 1.0 / value } else { 0.0 });
    let is_flat = inverse.iter().any(|value| *value == 0.0);
    (eigen.vectors * Mat3::from_diagonal(&inverse) * eigen.vectors.transpose(), is_flat)
}

/// Where the rest shape of a cluster fits best: Jones et al. 2016 (1)–(5), with F^e = F·(F^p)⁻¹ (9) in place of F.
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

/// An affine map as rows of four: place from the anchor = rows · (offset, 1).
pub(crate) type Rows = [f64; 12];

impl Fit {
    /// A cluster that nothing is known of yet.
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

    /// From Σ w m u (o, 1)ᵀ, rows of four, with u = x − anchor and o the rest offset.
    pub(crate) fn new(sums: &Rows, rest: &Rest, temper: &Temper) -> Fit {
        let [a, b, c, x, d, e, f, y, g, h, i, z] = *sums;
        let total = Vec3::new(x, y, z);
        let mixed = Mat3::new(a, b, c, d, e, f, g, h, i) - total * rest.centre.transpose();
        let deformation = mixed * rest.inverse_moment;
        let mut fit = Fit { centre: total / rest.mass, deformation, ..Fit::NONE };
        fit.decompose(rest, temper);
        fit
    }

    /// Brings Σ and V of F^e (9), and R, up to date with F^p.
    ///
    /// R is the rotation that lays the plastic shape F^p·r over the members with the least Σ w m |R·F^p·(r − r̄) − (x − x̄)|² (1): that
    /// of the polar decomposition of A_xr·F^pᵀ, proper also where F is inverted. The paper takes that of F^e, which is the same where S
    /// commutes with P = F^p·A_rr·F^pᵀ (READINGS 26) and near it elsewhere; but goals so turned pull with a moment on the cluster that
    /// nothing holds up, and a cluster that has flowed spins itself up until it flies apart.
    pub(crate) fn decompose(&mut self, rest: &Rest, temper: &Temper) {
        let is_fresh = temper.plastic == Mat3::identity();
        let back = if is_fresh { None } else { temper.plastic.try_inverse() };
        self.elastic = svd(&back.map_or(self.deformation, |back| self.deformation * back));
        let laid = self.deformation * rest.moment;
        self.rotation = polar(&if is_fresh { laid } else { laid * temper.plastic.transpose() }).rotation;
    }

    /// Where rest offsets are drawn to: R·F^p (READINGS 23) about the centres.
    pub(crate) fn goal_map(&self, rest: &Rest, temper: &Temper) -> Rows {
        let map = if temper.plastic == Mat3::identity() { self.rotation } else { self.rotation * temper.plastic };
        let shift = self.centre - map * rest.centre;
        let row = |axis: usize| [map[(axis, 0)], map[(axis, 1)], map[(axis, 2)], shift[axis]];
        let [[a, b, c, d], [e, f, g, h], [i, j, k, l]] = [row(0), row(1), row(2)];
        [a, b, c, d, e, f, g, h, i, j, k, l]
    }
}

/// Where an affine map takes a rest offset (m from the anchor).
#[inline(always)]
pub(crate) fn apply(rows: &Rows, offset: &Vec3) -> Vec3 {
    let [x, y, z] = (*offset).into();
    Vec3::new(
        rows[0] * x + rows[1] * y + rows[2] * z + rows[3],
        rows[4] * x + rows[5] * y + rows[6] * z + rows[7],
        rows[8] * x + rows[9] * y + rows[10] * z + rows[11],
    )
}
