//! A broken body put together again, so that one sees its cracks (O'Brien & Hodgins 1999, Figure 10).

use crate::model::{BodyFrame, Frame, names};
use craze_math::{Mat3, Vec3, polar};
use std::collections::BTreeMap;

/// How much smaller pieces are drawn than they are: cracks become gaps of this share of the pieces' size.
const GAP: f64 = 0.01;

impl Frame {
    /// This frame with all pieces back in the unbroken body, which stands where it stood in `first`. Obstacles that have
    /// moved since are left out: they would hide what they have broken. Bodies that do not say where they were at rest stay as they are.
    pub fn reassembled(&self, first: &Frame) -> Frame {
        let mut frame = self.clone();
        frame.obstacles.retain(|obstacle| first.obstacles.contains(obstacle));
        for body in &mut frame.bodies {
            let placement = first.bodies.iter().find(|former| former.name == body.name).and_then(placement);
            if let Some(placement) = placement {
                put_back(body, placement);
            }
        }
        frame
    }
}

/// Rotation and shift (m) from rest to where an unbroken body stands; the rigid motion nearest to how its surface lies.
fn placement(body: &BodyFrame) -> Option<(Mat3, Vec3)> {
    let (now, rest) = (&body.surface.positions, body.surface.vertex_attributes.vectors(names::REST)?);
    if now.is_empty() || now.len() != rest.len() {
        return None;
    }
    let mean = |places: &[Vec3]| places.iter().sum::<Vec3>() / places.len() as f64;
    let (here, there) = (mean(now), mean(rest));
    let spread: Mat3 = now.iter().zip(rest).map(|(now, rest)| (now - here) * (rest - there).transpose()).sum();
    let rotation = polar(&spread).rotation;
    Some((rotation, here - rotation * there))
}

fn put_back(body: &mut BodyFrame, (rotation, shift): (Mat3, Vec3)) {
    let surface = &mut body.surface;
    let Some(rest) = surface.vertex_attributes.vectors(names::REST) else { return };
    if rest.len() != surface.positions.len() {
        return;
    }
    let pieces = surface.face_attributes.indices(names::PIECE).unwrap_or(&[]);
    // A piece shrinks about the middle of its surface's corners.
    let mut sums: BTreeMap<u32, (Vec3, f64)> = BTreeMap::new();
    let mut piece_of = vec![None; rest.len()];
    for (triangle, &piece) in surface.triangles.iter().zip(pieces) {
        for corner in triangle.iter().map(|&corner| corner as usize).filter(|&corner| corner < rest.len()) {
            let sum = sums.entry(piece).or_insert((Vec3::zeros(), 0.0));
            *sum = (sum.0 + rest[corner], sum.1 + 1.0);
            piece_of[corner] = Some(piece);
        }
    }
    let place = |(vertex, rest): (usize, &Vec3)| {
        let middle = piece_of[vertex].map_or(*rest, |piece| sums[&piece].0 / sums[&piece].1);
        rotation * (rest + GAP * (middle - rest)) + shift
    };
    let positions = rest.iter().enumerate().map(place).collect();
    surface.positions = positions;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Data, ObstacleFrame, ObstacleShape, Surface};

    /// A triangle for each piece.
    fn body(places: &[Vec3], rest: &[Vec3]) -> BodyFrame {
        let mut surface = Surface {
            positions: places.to_vec(),
            triangles: (0..places.len() as u32 / 3).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect(),
            ..Surface::default()
        };
        surface.vertex_attributes.set(names::REST, Data::Vector(rest.to_vec()));
        let pieces = (0..places.len() as u32 / 3).collect();
        surface.face_attributes.set(names::PIECE, Data::Index(pieces));
        BodyFrame { name: "plate".to_owned(), surface, ..BodyFrame::default() }
    }

    #[test]
    fn pieces_come_back_to_where_the_body_stood_but_for_a_hair() {
        let rest =
            [[0.0, 0.0, 0.1], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.3], [0.0, 1.0, 0.0]]
                .map(Vec3::from);
        let turn = *craze_math::Rotation::from_euler_angles(0.4, -1.1, 2.0).to_rotation_matrix().matrix();
        let stood = rest.map(|place| turn * place + Vec3::new(3.0, 1.0, -2.0));
        // The second triangle has flown off.
        let mut flown = stood;
        flown[3..].iter_mut().for_each(|place| *place += Vec3::new(0.0, 5.0, 9.0));
        let [first, last] =
            [stood, flown].map(|places| Frame { bodies: vec![body(&places, &rest)], ..Frame::default() });
        let back = last.reassembled(&first);
        for (place, stood) in back.bodies[0].surface.positions.iter().zip(&stood) {
            let off = (place - stood).norm();
            assert!(off < 0.01 && off > 1e-4, "{off} m");
        }
        // A ball that came and a wall that stood.
        let obstacle = |name: &str, height: f64| ObstacleFrame {
            name: name.to_owned(),
            shape: ObstacleShape::Plane { point: Vec3::new(0.0, height, 0.0), normal: Vec3::y() },
        };
        let with = |frame: &Frame, height: f64| Frame {
            obstacles: vec![obstacle("ball", height), obstacle("wall", 0.0)],
            ..frame.clone()
        };
        assert_eq!(with(&last, 1.0).reassembled(&with(&first, 2.0)).obstacles, [obstacle("wall", 0.0)]);
        // Without a body of that name, and without places at rest, nothing moves.
        assert_eq!(last.reassembled(&Frame::default()), last);
    }
}
