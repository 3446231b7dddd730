//! Proxies: the collision geometry of a cluster of particles (Jones et al. 2015, "Clustering and
//! collision detection for clustered shape matching").
//!
//! A proxy is a ball around the centre of the cluster, cut by the planes of its splits. Ball and
//! planes are fixed in the rest frame and move with the affine map that fits the particles
//! ([`Fit`]). A point of the cluster is a weighted sum of its particles, the same in every
//! deformation, and an impulse acts on them by the same weights: momentum and angular momentum are
//! conserved to rounding.

use craze_math::{Mat3, Vec3};
use craze_spatial::primitives::{self, DistanceAndNormal};

/// A ball, cut by planes, in the rest frame of a cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Proxy {
    /// Centre of the ball (m).
    centre: Vec3,
    /// Its radius (m).
    radius: f64,
    /// Outward unit normals of the planes, and their offsets along these (m).
    planes: Vec<(Vec3, f64)>,
}

impl Proxy {
    /// A whole ball (m).
    pub fn new(centre: Vec3, radius: f64) -> Proxy {
        Proxy { centre, radius, planes: Vec::new() }
    }

    /// A ball (m) that is cut by planes: their outward unit normals and offsets (m).
    pub fn within(centre: Vec3, radius: f64, planes: Vec<(Vec3, f64)>) -> Proxy {
        Proxy { centre, radius, planes }
    }

    /// The two parts of it behind and in front of a plane through a point (m). None if the normal
    /// has no direction.
    pub fn cut(&self, point: &Vec3, normal: &Vec3) -> Option<[Proxy; 2]> {
        let normal = normal.try_normalize(0.0).filter(|normal| normal.iter().all(|value| value.is_finite()))?;
        Some([normal, -normal].map(|outward| {
            let mut part = self.clone();
            part.planes.push((outward, outward.dot(point)));
            part
        }))
    }

    /// True if a point of the rest frame (m) is inside.
    pub fn contains(&self, place: &Vec3) -> bool {
        self.signed_distance(place).distance <= 0.0
    }

    /// Signed distance at a point of the rest frame (m). Inside it is exact, since ball and
    /// half-spaces are convex; outside it is a lower bound: the largest distance to one of them.
    pub fn signed_distance(&self, place: &Vec3) -> DistanceAndNormal {
        let ball = primitives::ball(&(place - self.centre), self.radius);
        let planes = self
            .planes
            .iter()
            .map(|(normal, end)| DistanceAndNormal { distance: normal.dot(place) - end, normal: *normal });
        planes.fold(ball, |most, next| if next.distance > most.distance { next } else { most })
    }
}

/// The affine map that fits the motion of the particles of a cluster, weighted by mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    mass: f64,
    rest_centre: Vec3,
    centre: Vec3,
    /// Inverse of Σ m·r·rᵀ of the rest positions about their centre (1/(kg·m²)).
    inverse_moment: Mat3,
    /// From the rest frame to the world, and back.
    map: Mat3,
    back: Mat3,
}

/// A point inside a proxy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProxyTouch {
    /// The point in the rest frame of the cluster (m), for [`Fit::weight`].
    pub rest: Vec3,
    /// Unit vector out of the cluster, in the world.
    pub normal: Vec3,
    /// Depth along it (m).
    pub depth: f64,
}

impl Fit {
    /// Fits the map to particles: rest positions (m), present positions (m) and masses (kg). None
    /// if they lie in a plane at rest or now: then the map has no inverse.
    pub fn new(rest: &[Vec3], now: &[Vec3], masses: &[f64]) -> Option<Fit> {
        let mass: f64 = masses.iter().sum();
        let mean = |places: &[Vec3]| places.iter().zip(masses).map(|(place, mass)| *mass * place).sum::<Vec3>() / mass;
        let (rest_centre, centre) = (mean(rest), mean(now));
        let (mut moment, mut moved) = (Mat3::zeros(), Mat3::zeros());
        for ((rest, now), mass) in rest.iter().zip(now).zip(masses) {
            let (r, x) = (rest - rest_centre, now - centre);
            moment += *mass * r * r.transpose();
            moved += *mass * x * r.transpose();
        }
        let inverse_moment = moment.try_inverse()?;
        let map = moved * inverse_moment;
        let back = map.try_inverse()?;
        let fit = Fit { mass, rest_centre, centre, inverse_moment, map, back };
        [inverse_moment, map, back].iter().all(|matrix| matrix.iter().all(|value| value.is_finite())).then_some(fit)
    }

    /// The position in the rest frame (m) of a point in the world (m).
    pub fn in_rest_frame(&self, place: &Vec3) -> Vec3 {
        self.rest_centre + self.back * (place - self.centre)
    }

    /// The position in the world (m) of a point of the rest frame (m).
    pub fn in_world(&self, rest: &Vec3) -> Vec3 {
        self.centre + self.map * (rest - self.rest_centre)
    }

    /// Weight of a particle of a mass (kg) and rest position (m) at a point of the rest frame (m).
    /// Weights sum to one, and the weighted sum of the particles is where the map takes the point,
    /// wherever they are.
    pub fn weight(&self, at: &Vec3, mass: f64, rest: &Vec3) -> f64 {
        let across = self.inverse_moment * (at - self.rest_centre);
        mass * (1.0 / self.mass + across.dot(&(rest - self.rest_centre)))
    }

    /// How a ball in the world (m) penetrates the proxy of a cluster; none if it does not.
    pub fn touch(&self, proxy: &Proxy, place: &Vec3, radius: f64) -> Option<ProxyTouch> {
        let rest = self.in_rest_frame(place);
        let sample = proxy.signed_distance(&rest);
        // A plane n·X = o of the rest frame is (B⁻ᵀn)·(x − …) = o in the world.
        let across = self.back.transpose() * sample.normal;
        let length = across.norm();
        let depth = radius - sample.distance / length;
        (depth > 0.0 && depth.is_finite()).then(|| ProxyTouch { rest, normal: across / length, depth })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use craze_math::{Random, Rotation};
    use proptest::prelude::*;

    /// A cloud of particles: rest positions and masses.
    fn cloud(seed: u64) -> (Vec<Vec3>, Vec<f64>) {
        let mut random = Random::new(seed);
        let mut number = || 2.0 * random.number() - 1.0;
        let places = (0..30).map(|_| Vec3::new(number(), number(), number()));
        let places: Vec<Vec3> = places.collect();
        (places, (0..30).map(|_| 1.5 + number()).collect())
    }

    #[test]
    fn inside_is_in_the_ball_and_behind_all_planes() {
        let ball = Proxy::new(Vec3::new(1.0, 0.0, 0.0), 0.5);
        assert!(ball.contains(&Vec3::new(1.4, 0.0, 0.0)) && !ball.contains(&Vec3::new(1.6, 0.0, 0.0)));
        let [left, right] = ball.cut(&Vec3::new(1.1, 0.0, 0.0), &Vec3::new(2.0, 0.0, 0.0)).expect("a plane");
        let place = Vec3::new(1.0, 0.1, 0.0);
        assert!(left.contains(&place) && !right.contains(&place));
        let sample = left.signed_distance(&place);
        assert_eq!(sample.normal, Vec3::x());
        assert!((sample.distance + 0.1).abs() < 1e-15);
        assert!((right.signed_distance(&place).distance - 0.1).abs() < 1e-15);
        assert!(ball.cut(&place, &Vec3::zeros()).is_none());
    }

    proptest! {
        #[test]
        fn the_way_out_is_the_shortest(seed in 0_u64..1000) {
            let mut random = Random::new(seed);
            let mut number = || 2.0 * random.number() - 1.0;
            let mut proxy = Proxy::new(Vec3::zeros(), 1.0);
            for _ in 0..3 {
                let (point, normal) = (0.5 * Vec3::new(number(), number(), number()), Vec3::new(number(), number(), number()));
                // The part that holds the origin.
                let [behind, front] = proxy.cut(&point, &normal).expect("a plane");
                proxy = if behind.contains(&Vec3::zeros()) { behind } else { front };
            }
            let place = 0.2 * Vec3::new(number(), number(), number());
            let sample = proxy.signed_distance(&place);
            prop_assume!(sample.distance < 0.0);
            let out = place - 1.0001 * sample.distance * sample.normal;
            prop_assert!(!proxy.contains(&out), "along the normal it leaves");
            for _ in 0..200 {
                let way = Vec3::new(number(), number(), number());
                let Some(way) = way.try_normalize(1e-6) else { continue };
                prop_assert!(proxy.contains(&(place - 0.9999 * sample.distance * way)), "and on no way sooner");
            }
        }

        #[test]
        fn a_place_is_the_weighted_sum_of_particles_and_a_push_keeps_momenta(seed in 0_u64..1000) {
            let (rest, masses) = cloud(seed);
            let mut random = Random::new(seed + 5);
            let mut number = || 2.0 * random.number() - 1.0;
            let turn = Rotation::new(Vec3::new(number(), number(), number()));
            // Rotated, stretched and perturbed.
            let now: Vec<Vec3> = rest
                .iter()
                .map(|r| turn * Vec3::new(1.3 * r.x, 0.8 * r.y, r.z) + 0.05 * Vec3::new(number(), number(), number()))
                .collect();
            let fit = Fit::new(&rest, &now, &masses).expect("a cluster with volume");
            let place = Vec3::new(number(), number(), number());
            let at = fit.in_rest_frame(&place);
            prop_assert!((fit.in_world(&at) - place).norm() < 1e-12);
            let weights: Vec<f64> = rest.iter().zip(&masses).map(|(rest, mass)| fit.weight(&at, *mass, rest)).collect();
            let sum: Vec3 = now.iter().zip(&weights).map(|(now, weight)| *weight * now).sum();
            prop_assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            prop_assert!((sum - place).norm() < 1e-12, "{}", (sum - place).norm());
            let push = Vec3::new(number(), number(), number());
            let moment: Vec3 = now.iter().zip(&weights).map(|(now, weight)| now.cross(&(*weight * push))).sum();
            prop_assert!((moment - place.cross(&push)).norm() < 1e-12);
        }
    }

    #[test]
    fn a_stretched_cluster_reaches_as_far_as_its_particles() {
        let (rest, masses) = cloud(3);
        let now: Vec<Vec3> = rest.iter().map(|r| Vec3::new(2.0 * r.x + 5.0, r.y, r.z)).collect();
        let fit = Fit::new(&rest, &now, &masses).expect("a cluster with volume");
        let [proxy, _] = Proxy::new(Vec3::zeros(), 10.0).cut(&Vec3::new(0.5, 0.0, 0.0), &Vec3::x()).expect("a plane");
        // The plane is at x = 6 in the world now.
        let touch = fit.touch(&proxy, &Vec3::new(5.9, 0.2, 0.1), 0.25).expect("inside");
        assert!((touch.normal - Vec3::x()).norm() < 1e-12 && (touch.depth - 0.35).abs() < 1e-12, "{touch:?}");
        assert!(fit.touch(&proxy, &Vec3::new(6.2, 0.2, 0.1), 0.25).is_some());
        assert!(fit.touch(&proxy, &Vec3::new(6.3, 0.2, 0.1), 0.25).is_none());
    }

    #[test]
    fn flat_clusters_and_bad_numbers_have_no_fit() {
        let (rest, masses) = cloud(4);
        let flat: Vec<Vec3> = rest.iter().map(|r| Vec3::new(r.x, 0.0, r.z)).collect();
        assert!(Fit::new(&flat, &rest, &masses).is_none());
        assert!(Fit::new(&rest, &flat, &masses).is_none());
        assert!(Fit::new(&rest, &vec![Vec3::repeat(f64::NAN); 30], &masses).is_none());
        assert!(Fit::new(&[], &[], &[]).is_none());
    }
}
