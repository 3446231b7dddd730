//! Fit of the rest shape of the whole body to its particles, and their best-fit rigid motion.

use crate::chunks::gather;
use crate::cluster::{MIN_INERTIA_RATIO, pseudo_inverse};
use crate::model::{Particles, Whole};
use crate::rigid_mode::orientation;
use craze_engine::RigidBody;
use craze_math::{Mat3, Rotation, Vec3, polar};

/// Fit of the rest shape to the particles, and their best-fit rigid motion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShapeMatch {
    /// Position of the first particle (m), the anchor of all positions, so that rounding is
    /// relative to the size of the body and not to its distance from the origin.
    anchor: Vec3,
    /// x̄ from the anchor (m).
    from_anchor: Vec3,
    /// F (1), Jones et al. 2016 (3).
    pub deformation: Mat3,
    /// R of F = R·S (5).
    pub rotation: Mat3,
    /// Velocity of the centre of mass (m/s).
    pub velocity: Vec3,
    /// Angular momentum about the centre of mass (kg·m²/s).
    pub angular_momentum: Vec3,
    /// Angular velocity of a rigid body with that angular momentum (rad/s).
    pub spin: Vec3,
}

impl ShapeMatch {
    /// The fit of a body in rigid-body mode, which is exact.
    pub(crate) fn of_rigid(rigid: &RigidBody, whole: &Whole) -> ShapeMatch {
        let rotation = orientation(rigid, whole).to_rotation_matrix().into_inner();
        ShapeMatch {
            anchor: rigid.position,
            from_anchor: Vec3::zeros(),
            deformation: rotation * whole.moment * whole.inverse_moment,
            rotation,
            velocity: rigid.velocity,
            angular_momentum: rigid.angular_momentum,
            spin: rigid.spin(),
        }
    }

    /// x̄ (m).
    pub(crate) fn center(&self) -> Vec3 {
        self.anchor + self.from_anchor
    }

    /// R as a quaternion.
    pub(crate) fn orientation(&self) -> Rotation {
        let column = |axis| self.rotation.column(axis).into_owned();
        Rotation::from_basis_unchecked(&[column(0), column(1), column(2)])
    }

    /// g = R(r − r̄) + x̄ (m), Jones et al. 2016 (6), for a member at `offset` r − r̄.
    pub(crate) fn goal(&self, offset: &Vec3) -> Vec3 {
        self.center() + self.rotation * offset
    }

    /// Position relative to the centre of mass (m).
    #[inline]
    pub(crate) fn arm(&self, place: &Vec3) -> Vec3 {
        (place - self.anchor) - self.from_anchor
    }

    /// Velocity (m/s) of the best-fit rigid motion at an arm from the centre of mass.
    #[inline]
    pub(crate) fn rigid_velocity(&self, arm: &Vec3) -> Vec3 {
        self.velocity + self.spin.cross(arm)
    }
}

/// Sums over particles, with d = x − anchor, u = v − velocity of the first particle and q = r − r̄.
#[derive(Clone, Copy)]
struct Sums {
    /// Σ m d.
    first: Vec3,
    /// Σ m d qᵀ.
    mixed: Mat3,
    /// Σ m d dᵀ.
    second: Mat3,
    /// Σ m u.
    momentum: Vec3,
    /// Σ m d × u.
    angular_momentum: Vec3,
}

impl Sums {
    const ZERO: Sums = Sums {
        first: Vec3::new(0.0, 0.0, 0.0),
        mixed: Mat3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        second: Mat3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        momentum: Vec3::new(0.0, 0.0, 0.0),
        angular_momentum: Vec3::new(0.0, 0.0, 0.0),
    };

    fn join(self, other: Sums) -> Sums {
        Sums {
            first: self.first + other.first,
            mixed: self.mixed + other.mixed,
            second: self.second + other.second,
            momentum: self.momentum + other.momentum,
            angular_momentum: self.angular_momentum + other.angular_momentum,
        }
    }
}

/// Fits the rest shape to the particles: Jones et al. 2016 (1)–(5).
///
/// R is unique for a flat cloud; for a straight one the rotation about its line is arbitrary, and
/// for a single particle all of R. R is then one of the best, and goals are the same for all of
/// them. Numbers that are not finite give NaN.
pub(crate) fn match_shape(particles: &Particles, whole: &Whole, positions: &[Vec3], velocities: &[Vec3]) -> ShapeMatch {
    let (anchor, anchor_velocity) = (positions[0], velocities[0]);
    let sums = gather(
        0..positions.len(),
        &|range| {
            let mut sums = Sums::ZERO;
            let members = positions[range.clone()]
                .iter()
                .zip(&velocities[range.clone()])
                .zip(&particles.masses[range.clone()])
                .zip(&particles.offsets[range]);
            for (((position, velocity), mass), offset) in members {
                let arm = position - anchor;
                let velocity = velocity - anchor_velocity;
                let weighted = *mass * arm;
                sums.first += weighted;
                sums.mixed += weighted * offset.transpose();
                sums.second += weighted * arm.transpose();
                sums.momentum += *mass * velocity;
                sums.angular_momentum += weighted.cross(&velocity);
            }
            sums
        },
        &Sums::join,
    );
    let mass = whole.mass();
    let from_anchor = sums.first / mass;
    // Σ m q vanishes, so that A_xr about the anchor is A_xr about the centre.
    let deformation = sums.mixed * whole.inverse_moment;
    let polar = polar(&sums.mixed);
    let central = sums.second - mass * from_anchor * from_anchor.transpose();
    let inertia = Mat3::identity() * central.trace() - central;
    let inverse_inertia = pseudo_inverse(&inertia, MIN_INERTIA_RATIO).0;
    let angular_momentum = sums.angular_momentum - from_anchor.cross(&sums.momentum);
    ShapeMatch {
        anchor,
        from_anchor,
        deformation,
        rotation: polar.rotation,
        velocity: anchor_velocity + sums.momentum / mass,
        angular_momentum,
        spin: inverse_inertia * angular_momentum,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{advance, awake, block, body, crooked, plain_step};
    use crate::{Cloud, Clusters};
    use craze_engine::Method;
    use craze_math::Isometry;
    use proptest::prelude::*;
    use std::f64::consts::FRAC_PI_2;

    fn largest_way(body: &Clusters) -> f64 {
        let ways = body.goals().into_iter().zip(body.positions()).map(|(goal, position)| (goal - position).norm());
        ways.fold(0.0, f64::max)
    }

    fn moved(mut body: Clusters, motion: &Isometry) -> Clusters {
        body.set_motion(|rest| (motion.transform_point(&(*rest).into()).coords, Vec3::zeros())).unwrap();
        body
    }

    #[test]
    fn goals_follow_a_rotation_and_translation_exactly() {
        // VALIDATION 2.
        let motion = Isometry::new(Vec3::new(3.0, -2.0, 1.0), Vec3::new(0.0, 0.0, FRAC_PI_2));
        for counts in [[4, 4, 4], [8, 2, 2], [1, 1, 1], [2, 1, 1], [5, 1, 1], [3, 4, 1]] {
            let body = moved(body(block(counts), 1.0, awake()), &motion);
            assert!(largest_way(&body) < 1e-14, "{counts:?}: {:e}", largest_way(&body));
        }
    }

    #[test]
    fn a_flat_or_straight_cloud_is_drawn_back_to_its_shape() {
        for counts in [[4, 3, 1], [1, 5, 4], [6, 1, 1], [1, 1, 2]] {
            let options = crate::Options { damping: 10.0, ..awake() };
            let mut body = moved(body(block(counts), 0.5, options), &Isometry::rotation(Vec3::new(0.4, 1.0, -0.7)));
            let turned = body.positions();
            let center = turned.iter().sum::<Vec3>() / turned.len() as f64;
            let mut bent = turned.iter().map(|place| center + 1.3 * (place - center));
            let bent: Vec<Vec3> = bent.by_ref().collect();
            let mut next = bent.iter();
            body.state.positions.iter_mut().for_each(|position| *position = *next.next().unwrap());
            for _ in 0..300 {
                advance(&mut body, &plain_step());
            }
            let worst = body.positions().iter().zip(&turned).map(|(now, then)| (now - then).norm()).fold(0.0, f64::max);
            assert!(worst < 1e-9, "{counts:?}: {worst:e}");
        }
    }

    #[test]
    fn a_mirrored_body_gets_its_handedness_back() {
        let options = crate::Options { damping: 5.0, ..awake() };
        let mut body = body(block([4, 5, 6]), 0.8, options);
        body.set_motion(|rest| (Vec3::new(rest.x, rest.y, -0.6 * rest.z), Vec3::zeros())).unwrap();
        assert!(body.deformation().determinant() < 0.0);
        for _ in 0..600 {
            advance(&mut body, &plain_step());
            assert!((body.matched().rotation.determinant() - 1.0).abs() < 1e-12);
        }
        assert!((body.deformation().determinant() - 1.0).abs() < 1e-9);
        assert!(largest_way(&body) < 1e-9);
    }

    #[test]
    fn a_point_like_or_collapsed_body_stays_finite() {
        let mut body = body(block([3, 3, 3]), 1.0, awake());
        body.set_motion(|_| (Vec3::new(1.0, 2.0, 3.0), Vec3::zeros())).unwrap();
        for _ in 0..60 {
            advance(&mut body, &plain_step());
        }
        assert!(body.positions().iter().all(|position| position.iter().all(|entry| entry.is_finite())));
        assert!(largest_way(&body) < 0.5);
    }

    #[test]
    fn the_elastic_energy_is_that_of_the_springs() {
        let mut body = body(block([2, 1, 1]), 0.25, awake());
        body.set_motion(|rest| (1.5 * rest, Vec3::zeros())).unwrap();
        // Two masses of 1 kg, each 0.025 m from its goal.
        let expected = 0.5 * (0.25 * 60.0f64.powi(2)) * 2.0 * 0.025f64.powi(2);
        assert!((body.account(&Vec3::zeros()).elastic / expected - 1.0).abs() < 1e-12);
    }

    /// Whether every axis of a cloud is clearly long or clearly nothing: rounding grows with one
    /// over the square of what is between.
    fn is_flat_or_is_not(positions: &[Vec3]) -> bool {
        let centre = positions.iter().sum::<Vec3>() / positions.len() as f64;
        let spread: craze_math::Mat3 =
            positions.iter().map(|place| (place - centre) * (place - centre).transpose()).sum();
        let squares = craze_math::symmetric_eigen(&spread).values;
        squares.iter().all(|square| *square > 1e-3 * squares[0] || *square < 1e-12 * squares[0].max(1e-300))
    }

    proptest! {
        #[test]
        fn any_cloud_moved_rigidly_is_at_its_goals(
            places in prop::collection::vec(prop::array::uniform3(-1.0f64..1.0), 1..40),
            turn in prop::array::uniform3(-6.0f64..6.0),
            shift in prop::array::uniform3(-10.0f64..10.0),
        ) {
            let positions: Vec<Vec3> = places.into_iter().map(Vec3::from).collect();
            prop_assume!(is_flat_or_is_not(&positions));
            let volumes = (0..positions.len()).map(|index| 1e-3 * (1.0 + (index % 3) as f64)).collect();
            let body = body(Cloud { positions, volumes, spacing: 0.1 }, 1.0, awake());
            let body = moved(body, &Isometry::new(shift.into(), turn.into()));
            prop_assert!(largest_way(&body) < 1e-10, "{:e}", largest_way(&body));
        }

        #[test]
        fn goals_rotate_with_the_particles(turn in prop::array::uniform3(-6.0f64..6.0)) {
            let motion = Isometry::rotation(turn.into());
            let mut straight = body(block([4, 3, 2]), 1.0, awake());
            straight.set_motion(|rest| (crooked(rest), Vec3::zeros())).unwrap();
            let mut turned = body(block([4, 3, 2]), 1.0, awake());
            turned.set_motion(|rest| (motion.transform_point(&crooked(rest).into()).coords, Vec3::zeros())).unwrap();
            for (goal, turned_goal) in straight.goals().iter().zip(turned.goals()) {
                prop_assert!((motion.transform_point(&(*goal).into()).coords - turned_goal).norm() < 1e-12);
            }
        }
    }
}
