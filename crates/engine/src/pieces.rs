//! What a run proves about the pieces that it ends with: each closed, manifold, and as large as its matter.

use craze_frame::{BodyFrame, Frame, Surface, fans, is_closed, is_manifold, names};
use craze_math::Vec3;
use serde::{Deserialize, Serialize};

/// The pieces of a body that broke, looked at in their rest shape at the end of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BrokenBody {
    /// The body's name.
    pub body: String,
    /// Rest volume of the whole body in the first frame (m³); `None` if that frame is not there any more.
    pub volume_at_start: Option<f64>,
    /// Sum of what the pieces' surfaces enclose (m³).
    pub volume: f64,
    /// How many are not closed, or not manifold.
    pub open: usize,
    /// Every piece.
    pub pieces: Vec<CertifiedPiece>,
}

/// A piece in its rest shape.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CertifiedPiece {
    /// Its number in the body's history.
    pub id: u32,
    /// What its surface encloses (m³).
    pub volume: f64,
    /// Whether every edge is passed as often in one direction as in the other.
    pub closed: bool,
    /// Whether every edge is passed once in each direction, with a vertex for each fan of triangles where only a corner or an edge
    /// hangs together.
    pub manifold: bool,
}

/// The bodies of a frame that have come apart and whose rest shape is known. `start` is the first frame of the run.
pub(crate) fn broken_bodies(frame: &Frame, start: Option<&Frame>) -> Vec<BrokenBody> {
    let broken = frame.bodies.iter().filter(|body| body.pieces.len() > 1);
    broken.filter_map(|body| broken_body(body, start)).collect()
}

fn broken_body(body: &BodyFrame, start: Option<&Frame>) -> Option<BrokenBody> {
    let surface = &body.surface;
    let rest = surface.vertex_attributes.vectors(names::REST).filter(|_| !surface.triangles.is_empty())?;
    let mut triangles = vec![Vec::new(); body.pieces.len()];
    for (index, corners) in surface.triangles.iter().enumerate() {
        triangles.get_mut(surface.piece_of(index) as usize)?.push(*corners);
    }
    let pieces: Vec<CertifiedPiece> =
        body.pieces.iter().zip(&triangles).map(|(piece, triangles)| certify(piece.id, triangles, rest)).collect();
    let whole = start.and_then(|frame| frame.bodies.iter().find(|other| other.name == body.name));
    Some(BrokenBody {
        body: body.name.clone(),
        volume_at_start: whole.map(|body| body.pieces.iter().map(|piece| piece.volume).sum()),
        volume: pieces.iter().map(|piece| piece.volume).sum(),
        open: pieces.iter().filter(|piece| !(piece.closed && piece.manifold)).count(),
        pieces,
    })
}

fn certify(id: u32, triangles: &[[u32; 3]], rest: &[Vec3]) -> CertifiedPiece {
    let corners = fans(triangles, |vertex| rest[vertex as usize]);
    let parted: Vec<[u32; 3]> = corners.chunks_exact(3).map(|fan| [fan[0], fan[1], fan[2]]).collect();
    let closed = !triangles.is_empty() && is_closed(triangles);
    let own = Surface {
        // From the piece's own place, so that a small piece far from the origin loses no digits.
        positions: triangles.iter().flatten().map(|&vertex| rest[vertex as usize]).collect(),
        triangles: (0..triangles.len() as u32).map(|triangle| [0, 1, 2].map(|corner| 3 * triangle + corner)).collect(),
        ..Surface::default()
    };
    CertifiedPiece { id, volume: own.enclosed_volume(), closed, manifold: closed && is_manifold(&parted) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use craze_frame::{Data, Piece, Pose};

    /// Two tetrahedra of 1/6 m³ that share one vertex, moved far from where they were at rest.
    fn halves() -> Frame {
        let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Vec3::from);
        let far = corners.map(|corner| corner + Vec3::repeat(1e3));
        let rest: Vec<Vec3> = corners.into_iter().chain(far).collect();
        let faces = |first: u32| [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]].map(|face| face.map(|v| v + first));
        let mut surface = Surface {
            positions: vec![Vec3::zeros(); 8],
            triangles: faces(0).into_iter().chain(faces(4)).collect(),
            ..Surface::default()
        };
        surface.vertex_attributes.set(names::REST, Data::Vector(rest));
        surface.face_attributes.set(names::PIECE, Data::Index([[0; 4], [1; 4]].concat()));
        let piece = |id| Piece { id, volume: 1.0 / 6.0, mass: 1.0, parent: None, pose: Pose::default() };
        let body = BodyFrame { name: "slab".into(), surface, pieces: vec![piece(3), piece(8)], ..BodyFrame::default() };
        Frame { bodies: vec![body], ..Frame::default() }
    }

    #[test]
    fn pieces_are_closed_and_their_volumes_sum_to_the_body() {
        let frame = halves();
        let [broken] = broken_bodies(&frame, Some(&frame)).try_into().expect("one body");
        assert_eq!((broken.body.as_str(), broken.open), ("slab", 0));
        assert_eq!(broken.pieces.iter().map(|piece| piece.id).collect::<Vec<_>>(), [3, 8]);
        assert!(broken.pieces.iter().all(|piece| piece.closed && piece.manifold));
        assert!((broken.volume - 1.0 / 3.0).abs() < 1e-12);
        assert!((broken.volume_at_start.expect("a first frame") - 1.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn an_open_piece_is_named() {
        let mut frame = halves();
        frame.bodies[0].surface.triangles[5].swap(0, 1);
        let [broken] = broken_bodies(&frame, None).try_into().expect("one body");
        assert_eq!((broken.open, broken.volume_at_start), (1, None));
        assert_eq!(broken.pieces.iter().map(|piece| piece.closed).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn whole_bodies_and_bodies_without_rest_shape_are_left_out() {
        let mut whole = halves();
        whole.bodies[0].pieces.truncate(1);
        assert_eq!(broken_bodies(&whole, None), []);
        let mut flowing = halves();
        flowing.bodies[0].surface.vertex_attributes = Default::default();
        assert_eq!(broken_bodies(&flowing, None), []);
    }
}
