//! Polar decomposition: the rotation nearest to a deformation, and what remains.

use crate::Mat3;
use crate::lane_matrix::{Mat3Lanes, Vec3Lanes};
use crate::lanes::{Arithmetic, Separate};
use crate::svd::svd_lanes;

/// F = R·S with a proper rotation R and a symmetric stretch S.
///
/// R is the rotation nearest to F among those with determinant +1 (Kabsch 1976), so that S has a negative eigenvalue where F is
/// inverted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Polar {
    /// R, a rotation (determinant +1, whatever F is).
    pub rotation: Mat3,
    /// S, symmetric to the last bit, in the unit of F.
    pub stretch: Mat3,
}

/// [`Polar`] of `N` matrices side by side.
#[derive(Clone, Copy, Debug)]
pub struct PolarLanes<A: Arithmetic, const N: usize> {
    /// R, rotations.
    pub rotation: Mat3Lanes<A, N>,
    /// S, symmetric, in the unit of F.
    pub stretch: Mat3Lanes<A, N>,
}

/// The polar decomposition of any matrix, by [`svd`](crate::svd::svd): R = U·Vᵀ, S = V·diag(σ)·Vᵀ.
///
/// Right to about 1e-15 relative to the largest entry. The zero matrix gives R = 1; where F has lost rank, R is one of the many
/// nearest rotations. Infinite or NaN entries give NaN.
pub fn polar(f: &Mat3) -> Polar {
    polar_lanes(&Mat3Lanes::<Separate, 1>::from_fn(|_| *f)).get(0)
}

impl<A: Arithmetic, const N: usize> PolarLanes<A, N> {
    /// The decomposition in one lane.
    #[inline(always)]
    pub fn get(&self, lane: usize) -> Polar {
        Polar { rotation: self.rotation.get(lane), stretch: self.stretch.get(lane) }
    }
}

/// [`polar`] of `N` matrices side by side, for kernels written in lanes; the same bits as one by one.
#[inline(always)]
pub fn polar_lanes<A: Arithmetic, const N: usize>(f: &Mat3Lanes<A, N>) -> PolarLanes<A, N> {
    let svd = svd_lanes(f);
    let v = svd.v.0;
    let scaled = [0, 1, 2].map(|k| v[k] * svd.sigma.0[k]);
    let entry =
        |i: usize, j: usize| scaled[0].0[i] * v[0].0[j] + scaled[1].0[i] * v[1].0[j] + scaled[2].0[i] * v[2].0[j];
    let (xy, xz, yz) = (entry(0, 1), entry(0, 2), entry(1, 2));
    let stretch = Mat3Lanes([
        Vec3Lanes([entry(0, 0), xy, xz]),
        Vec3Lanes([xy, entry(1, 1), yz]),
        Vec3Lanes([xz, yz, entry(2, 2)]),
    ]);
    PolarLanes { rotation: svd.u.mul_transpose(&svd.v), stretch }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Matrices, largest_entry};
    use crate::{Rotation, Vec3};

    #[test]
    fn a_million_matrices_of_every_kind_are_rotation_times_stretch() {
        for f in Matrices::new(2).take(1_000_000) {
            let Polar { rotation, stretch } = polar(&f);
            assert!(largest_entry(&(rotation * stretch - f)) <= 1e-13 * largest_entry(&f), "reconstruction of {f:?}");
            assert!((rotation.determinant() - 1.0).abs() <= 1e-14, "determinant for {f:?}");
            assert!(largest_entry(&(rotation.transpose() * rotation - Mat3::identity())) <= 1e-14, "{f:?}");
            assert_eq!(stretch, stretch.transpose());
        }
    }

    #[test]
    fn rotation_and_stretch_are_told_apart() {
        let rotation = Rotation::new(Vec3::new(0.9, -0.4, 1.3)).to_rotation_matrix().into_inner();
        let stretch = Mat3::new(2.0, 0.3, -0.1, 0.3, 1.5, 0.2, -0.1, 0.2, 0.7);
        let result = polar(&(rotation * stretch));
        assert!(largest_entry(&(result.rotation - rotation)) < 1e-15 * 4.0);
        assert!(largest_entry(&(result.stretch - stretch)) < 1e-15 * 8.0);
    }

    #[test]
    fn inversion_flips_the_thinnest_direction_only() {
        let squashed_through = Mat3::from_diagonal(&Vec3::new(1.0, -0.1, 1.2));
        let result = polar(&squashed_through);
        assert!(largest_entry(&(result.rotation - Mat3::identity())) < 1e-15);
        assert!(largest_entry(&(result.stretch - squashed_through)) < 1e-15);
    }
}
