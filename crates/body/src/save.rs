//! Header and checks of saved bodies.
//!
//! The bytes of a body are a version number and what the method writes after it, in the postcard
//! format. Bytes from elsewhere are refused with a reason.

use craze_engine::RigidBody;
use craze_math::{Isometry, Rotation, Vec3};
use serde::{Deserialize, Serialize};

/// Largest deviation of the squared norm of a rotation's quaternion from 1.
const ROTATION_TOLERANCE: f64 = 1e-6;

/// The bytes of a body saved as this version of its method. `capacity` is the expected number of
/// bytes.
pub fn encode<Body: Serialize>(version: u32, body: &Body, capacity: usize) -> Vec<u8> {
    // Writing to memory fails only for types without a length, which saved bodies do not contain.
    postcard::to_io(&(version, body), Vec::with_capacity(capacity)).unwrap_or_default()
}

/// The body that [`encode`] wrote. Other versions, foreign bytes and trailing bytes are refused.
pub fn decode<'a, Body: Deserialize<'a>>(version: u32, bytes: &'a [u8]) -> Result<Body, String> {
    let (found, bytes) = postcard::take_from_bytes::<u32>(bytes).map_err(|error| error.to_string())?;
    if found != version {
        return Err(format!("it was saved as version {found} of its method, and this program reads version {version}"));
    }
    let (body, left) = postcard::take_from_bytes::<Body>(bytes).map_err(|error| error.to_string())?;
    match left.len() {
        0 => Ok(body),
        count => Err(format!("{count} bytes follow its end")),
    }
}

/// Returns true if no component is NaN or infinite.
#[inline]
pub fn is_finite(vector: &Vec3) -> bool {
    vector.iter().all(|component| component.is_finite())
}

/// Returns true for a unit quaternion.
pub fn is_rotation(rotation: &Rotation) -> bool {
    // NaN fails the comparison.
    (rotation.coords.norm_squared() - 1.0).abs() < ROTATION_TOLERANCE
}

/// Returns true for a rotation and a finite translation.
pub fn is_rigid_motion(motion: &Isometry) -> bool {
    is_rotation(&motion.rotation) && is_finite(&motion.translation.vector)
}

/// Returns true if a rigid body has a positive finite mass, a rotation for orientation, and finite
/// vectors.
pub fn is_rigid_body(body: &RigidBody) -> bool {
    [body.inertia, body.position, body.velocity, body.angular_momentum].iter().all(is_finite)
        && is_rotation(&body.orientation)
        && body.mass > 0.0
        && body.mass.is_finite()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_read_back_and_other_bytes_are_refused() {
        let body = (vec![1.5, -2.0], "shard".to_owned());
        let bytes = encode(3, &body, 64);
        assert_eq!(decode::<(Vec<f64>, String)>(3, &bytes), Ok(body));
        let read = |version, bytes: &[u8]| decode::<(Vec<f64>, String)>(version, bytes).unwrap_err();
        let refusal = read(4, &bytes);
        assert!(refusal.contains("version 3") && refusal.contains("version 4"), "{refusal}");
        assert!(read(3, &[bytes.as_slice(), &[0]].concat()).starts_with("1 bytes"));
        for length in 0..bytes.len() {
            read(3, &bytes[..length]);
        }
    }

    #[test]
    fn what_is_not_rigid_is_recognised() {
        let (mut body, _) =
            RigidBody::new(2.0, &craze_math::Mat3::identity(), &Isometry::identity(), Vec3::zeros(), Vec3::x());
        assert!(is_rigid_body(&body));
        body.velocity.y = f64::NAN;
        assert!(!is_rigid_body(&body));
        let stretched = Rotation::new_unchecked(craze_math::Quaternion::new(1.1, 0.0, 0.0, 0.0));
        assert!(!is_rigid_motion(&Isometry::from_parts(Vec3::zeros().into(), stretched)));
        assert!(!is_rigid_motion(&Isometry::translation(0.0, f64::INFINITY, 0.0)));
        assert!(is_rigid_motion(&Isometry::rotation(Vec3::z())));
    }
}
