//! What a body of clusters looks like.

use crate::flight::orientation;
use crate::model::Clusters;
use craze_frame::{BodyFrame, Data, Particles, Piece, Pose, names};

impl Clusters {
    /// The particles with velocity, rest position and piece. There is one piece as long as nothing breaks.
    pub(crate) fn body_frame(&self) -> BodyFrame {
        let mut particles = Particles { positions: self.positions(), radius: self.radius(), ..Particles::default() };
        let attributes = &mut particles.attributes;
        attributes.set(names::PIECE, Data::Index(vec![0; self.count()]));
        attributes.set(names::VELOCITY, Data::Vector(self.velocities()));
        attributes.set(names::REST, Data::Vector(self.particles.rest.clone()));
        BodyFrame {
            method: crate::KIND.to_owned(),
            materials: vec![self.matter.name.clone()],
            particles: Some(particles),
            pieces: vec![Piece {
                id: 0,
                volume: self.volume(),
                mass: self.cluster.mass(),
                parent: None,
                pose: self.pose(),
            }],
            ..BodyFrame::default()
        }
    }

    /// Rest volume (m³).
    pub(crate) fn volume(&self) -> f64 {
        self.particles.volumes.iter().sum()
    }

    fn pose(&self) -> Pose {
        let (position, rotation) = match &self.state.flight {
            Some(flight) => (flight.position, orientation(flight, &self.cluster)),
            None => {
                let matched = self.matched();
                (matched.center(), matched.orientation())
            }
        };
        Pose { position, rotation: [rotation.i, rotation.j, rotation.k, rotation.w] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use crate::testing::{advance, awake, block, body, plain_step};
    use craze_frame::Frame;
    use craze_math::{Isometry, Rotation, Vec3};

    #[test]
    fn a_frame_is_sound_and_its_pose_carries_rest_to_particles() {
        let motion = Isometry::new(Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.0, 3.0, 0.5));
        for options in [awake(), Options::default()] {
            let mut body = body(block([4, 3, 2]), 1.0, options);
            body.set_motion(|rest| (motion.transform_point(&(*rest).into()).coords, Vec3::zeros())).unwrap();
            advance(&mut body, &plain_step());
            let frame = body.body_frame();
            let rest_center = body.rest_center();
            let piece = &frame.pieces[0];
            assert!((piece.mass - 24.0).abs() < 1e-12 && (piece.volume - 0.024).abs() < 1e-15);
            let [x, y, z, w] = piece.pose.rotation;
            let rotation = Rotation::from_quaternion([x, y, z, w].into());
            let particles = frame.particles.as_ref().unwrap();
            assert_eq!(particles.radius, 0.05);
            for (rest, position) in particles.attributes.vectors(names::REST).unwrap().iter().zip(&particles.positions)
            {
                assert!((piece.pose.position + rotation * (rest - rest_center) - position).norm() < 1e-12);
            }
            assert_eq!(Frame { bodies: vec![frame], ..Frame::default() }.check(), Ok(()));
        }
    }
}
