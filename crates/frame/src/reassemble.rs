//! Reassembly of a broken body, which shows its cracks (O'Brien & Hodgins 1999, Figure 10).

use crate::model::{BodyFrame, Frame, names};
use craze_math::{Mat3, Vec3, polar};
use std::collections::BTreeMap;

/// Shrinkage of pieces (1): cracks become gaps of this share of a piece's size.
const GAP_FRACTION: f64 = 0.01;

impl Frame {
    /// This frame with all pieces at their rest positions in the unbroken body, which is placed as
    /// in `first`. Obstacles that have moved are left out, since they would hide the body. Bodies
    /// without rest positions are unchanged.
    pub fn reassembled(&self, first: &Frame) -> Frame {
        let mut frame = self.clone();
        frame.obstacles.retain(|obstacle| first.obstacles.contains(obstacle));
        for body in &mut frame.bodies {
            let placement = first.bodies.iter().find(|former| former.name == body.name).and_then(placement);
            if let Some(placement) = placement {
                reassemble_body(body, placement);
            }
        }
        frame
    }
}

/// Rotation and shift (m) of the rigid motion nearest to an unbroken body's surface.
fn placement(body: &BodyFrame) -> Option<(Mat3, Vec3)> {
    let (now, rest) = (&body.surface.positions, body.surface.vertex_attributes.vectors(names::REST)?);
    if now.is_empty() || now.len() != rest.len() {
        return None;
    }
    let mean = |points: &[Vec3]| points.iter().sum::<Vec3>() / points.len() as f64;
    let (here, there) = (mean(now), mean(rest));
    let covariance: Mat3 = now.iter().zip(rest).map(|(now, rest)| (now - here) * (rest - there).transpose()).sum();
    let rotation = polar(&covariance).rotation;
    Some((rotation, here - rotation * there))
}

fn reassemble_body(body: &mut BodyFrame, (rotation, shift): (Mat3, Vec3)) {
    let surface = &mut body.surface;
    let Some(rest) = surface.vertex_attributes.vectors(names::REST) else { return };
    if rest.len() != surface.positions.len() {
        return;
    }
    let pieces = surface.face_attributes.indices(names::PIECE).unwrap_or(&[]);
    // A piece shrinks about the mean of its triangle corners.
    let mut sums: BTreeMap<u32, (Vec3, f64)> = BTreeMap::new();
    let mut piece_of = vec![None; rest.len()];
    for (triangle, &piece) in surface.triangles.iter().zip(pieces) {
        for corner in triangle.iter().map(|&corner| corner as usize).filter(|&corner| corner < rest.len()) {
            let sum = sums.entry(piece).or_insert((Vec3::zeros(), 0.0));
            *sum = (sum.0 + rest[corner], sum.1 + 1.0);
            piece_of[corner] = Some(piece);
        }
    }
    let point = |(vertex, rest): (usize, &Vec3)| {
        let middle = piece_of[vertex].map_or(*rest, |piece| sums[&piece].0 / sums[&piece].1);
        rotation * (rest + GAP_FRACTION * (middle - rest)) + shift
    };
    let positions = rest.iter().enumerate().map(point).collect();
    surface.positions = positions;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Data, ObstacleFrame, ObstacleShape, Surface};

    /// One triangle per piece.
    fn body(points: &[Vec3], rest: &[Vec3]) -> BodyFrame {
        let mut surface = Surface {
            positions: points.to_vec(),
            triangles: (0..points.len() as u32 / 3).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect(),
            ..Surface::default()
        };
        surface.vertex_attributes.set(names::REST, Data::Vector(rest.to_vec()));
        let pieces = (0..points.len() as u32 / 3).collect();
        surface.face_attributes.set(names::PIECE, Data::Index(pieces));
        BodyFrame { name: "plate".to_owned(), surface, ..BodyFrame::default() }
    }

    #[test]
    fn pieces_return_to_the_body_except_for_the_gaps() {
        let rest =
            [[0.0, 0.0, 0.1], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.3], [0.0, 1.0, 0.0]]
                .map(Vec3::from);
        let rotation = *craze_math::Rotation::from_euler_angles(0.4, -1.1, 2.0).to_rotation_matrix().matrix();
        let placed = rest.map(|point| rotation * point + Vec3::new(3.0, 1.0, -2.0));
        // The second triangle has moved away.
        let mut moved = placed;
        moved[3..].iter_mut().for_each(|point| *point += Vec3::new(0.0, 5.0, 9.0));
        let [first, last] =
            [placed, moved].map(|points| Frame { bodies: vec![body(&points, &rest)], ..Frame::default() });
        let back = last.reassembled(&first);
        for (point, placed) in back.bodies[0].surface.positions.iter().zip(&placed) {
            let off = (point - placed).norm();
            assert!(off < 0.01 && off > 1e-4, "{off} m");
        }
        // An obstacle that moved and one that did not.
        let obstacle = |name: &str, height: f64| ObstacleFrame {
            name: name.to_owned(),
            shape: ObstacleShape::Plane { point: Vec3::new(0.0, height, 0.0), normal: Vec3::y() },
        };
        let with = |frame: &Frame, height: f64| Frame {
            obstacles: vec![obstacle("ball", height), obstacle("wall", 0.0)],
            ..frame.clone()
        };
        assert_eq!(with(&last, 1.0).reassembled(&with(&first, 2.0)).obstacles, [obstacle("wall", 0.0)]);
        // Without a body of that name or rest positions nothing moves.
        assert_eq!(last.reassembled(&Frame::default()), last);
    }
}
