//! Frame of a body of clusters.

use crate::model::Clusters;
use craze_body::PieceMeasure;
use craze_body::measure::pose;
use craze_frame::{BodyFrame, Data, Particles, Piece, names};
use craze_math::{Mat3, Vec3};

/// Name of the attribute with the cluster in which a particle has the largest weight.
const CLUSTER: &str = "cluster";

impl Clusters {
    /// The particles with velocity, rest position, piece, cluster and, for a material that yields,
    /// plastic strain; and the surface, if there is one.
    pub(crate) fn body_frame(&self) -> BodyFrame {
        let present = self.present_pieces();
        let index = |particle: usize| {
            let piece = self.piece_of(particle);
            present.partition_point(|&number| number < piece) as u32
        };
        let pieces: Vec<u32> = (0..self.count()).map(index).collect();
        let mut particles = Particles { positions: self.positions(), radius: self.radius(), ..Particles::default() };
        let measured = self.measure_pieces(&particles.positions, &pieces, &present);
        let surface = self.skin_surface(&particles.positions, &pieces).unwrap_or_default();
        let attributes = &mut particles.attributes;
        attributes.set(names::PIECE, Data::Index(pieces));
        attributes.set(names::VELOCITY, Data::Vector(self.velocities()));
        attributes.set(names::REST, Data::Vector((0..self.count()).map(|particle| self.placed(particle)).collect()));
        if self.cluster_count() > 1 {
            attributes
                .set(CLUSTER, Data::Index((0..self.count()).map(|particle| self.main_cluster(particle)).collect()));
        }
        if self.parameters.yield_strain.is_some() {
            let strains = (0..self.count()).map(|particle| self.plastic_strain(particle)).collect();
            attributes.set(names::PLASTIC_STRAIN, Data::Scalar(strains));
        }
        BodyFrame {
            method: crate::KIND.to_owned(),
            materials: vec![self.parameters.name.clone()],
            surface,
            particles: Some(particles),
            pieces: measured,
            ..BodyFrame::default()
        }
    }

    /// Rest volume (m³).
    pub(crate) fn volume(&self) -> f64 {
        self.particles.volumes.iter().sum()
    }

    /// The cluster in which a particle has the largest weight; of several the first.
    fn main_cluster(&self, particle: usize) -> u32 {
        let shares = self.memberships.of(particle);
        let most = shares
            .iter()
            .fold((0.0, 0), |best, share| if share.weight > best.0 { (share.weight, share.cluster) } else { best });
        most.1
    }

    /// ‖F^pᵀF^p − I‖/2 of its clusters, weighted (1).
    pub(crate) fn plastic_strain(&self, particle: usize) -> f64 {
        let strain = |plastic: &Mat3| 0.5 * (plastic.transpose() * plastic - Mat3::identity()).norm();
        let shares = self.memberships.of(particle).iter();
        shares.map(|share| share.weight * strain(&self.history[share.cluster as usize].plastic)).sum()
    }

    fn measure_pieces(&self, positions: &[Vec3], pieces: &[u32], present: &[u32]) -> Vec<Piece> {
        let mut measures = vec![PieceMeasure::default(); present.len()];
        for (particle, position) in positions.iter().enumerate() {
            let sum = &mut measures[pieces[particle] as usize];
            let mass = self.particles.masses[particle];
            sum.add_matter(mass, self.particles.volumes[particle]);
            sum.add_point(mass, &self.particles.offsets[particle], position);
        }
        // Offsets are in the frame of the shape: poses begin where the body was placed.
        let placed = self.placement.rotation.inverse();
        let piece = |(sum, &id): (&PieceMeasure, &u32)| Piece {
            id,
            volume: sum.volume,
            mass: sum.mass,
            parent: self.lineage.parent(id),
            pose: pose(sum.center(), &(sum.rotation() * placed)),
        };
        let mut pieces: Vec<Piece> = measures.iter().zip(present).map(piece).collect();
        if let (true, Some(piece)) = (self.is_rigid(), pieces.first_mut()) {
            let matched = self.matched();
            piece.pose = pose(matched.center(), &(matched.orientation() * placed));
        }
        pieces
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
