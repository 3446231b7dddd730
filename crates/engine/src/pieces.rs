//! What a run proves about the pieces that it ends with: each closed, manifold, one body, and as
//! large as its matter.

use craze_frame::{BodyFrame, Fault, FaultKind, Frame, Surface, WeldedSurface, is_closed, names};
use craze_math::Vec3;
use serde::{Deserialize, Serialize};

/// The pieces of a body that broke, looked at in their rest shape at the end of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BrokenBody {
    /// The body's name.
    pub body: String,
    /// Rest volume of the whole body in the first frame (m³); `None` if that frame is not there any
    /// more.
    pub volume_at_start: Option<f64>,
    /// Sum of what the pieces' surfaces enclose (m³).
    pub volume: f64,
    /// Tunnels that the whole body had in the first frame, such as the hole of a handle; `None` if
    /// that frame is not there any more.
    #[serde(default)]
    pub tunnels_at_start: Option<u32>,
    /// How many are not closed, or not manifold.
    pub open: usize,
    /// Every piece.
    pub pieces: Vec<CertifiedPiece>,
}

/// A piece in its rest shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CertifiedPiece {
    /// Its number in the body's history.
    pub id: u32,
    /// What its surface encloses (m³).
    pub volume: f64,
    /// Whether every edge is passed as often in one direction as in the other.
    pub closed: bool,
    /// Whether it is closed and its vertices, those at equal positions being one, make a manifold:
    /// two triangles at every edge, one fan of triangles at every vertex. Cracks within the piece
    /// count as closed, since their two sides lie on each other at rest.
    pub manifold: bool,
    /// What is wrong with it, kind by kind; tunnels may be those of the model.
    #[serde(default)]
    pub faults: Vec<Fault>,
}

/// The bodies of a frame that have come apart and whose rest shape is known. `start` is the first
/// frame of the run.
pub(crate) fn broken_bodies(frame: &Frame, start: Option<&Frame>) -> Vec<BrokenBody> {
    let broken = frame.bodies.iter().filter(|body| body.pieces.len() > 1);
    broken.filter_map(|body| broken_body(body, start)).collect()
}

fn broken_body(body: &BodyFrame, start: Option<&Frame>) -> Option<BrokenBody> {
    let surface = &surface_at_rest(body)?;
    let rest = &surface.positions;
    if surface.triangles.is_empty() {
        return None;
    }
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
        tunnels_at_start: whole.and_then(tunnels),
        volume: pieces.iter().map(|piece| piece.volume).sum(),
        open: pieces.iter().filter(|piece| !(piece.closed && piece.manifold)).count(),
        pieces,
    })
}

/// The closed surface of a body at rest, that of a sheet with its thickness. A sheet without one
/// stays open, and its pieces are reported so. `None` if the rest shape is unknown.
fn surface_at_rest(body: &BodyFrame) -> Option<Surface> {
    let positions = body.surface.vertex_attributes.vectors(names::REST)?.to_vec();
    let surface = Surface { positions, ..body.surface.clone() };
    Some(match surface.sheet {
        Some(_) => surface.thick().unwrap_or(surface),
        None => surface,
    })
}

/// Tunnels of a body at rest.
fn tunnels(body: &BodyFrame) -> Option<u32> {
    let surface = surface_at_rest(body)?;
    let faults = faults(&surface.triangles, &surface.positions);
    Some(faults.iter().find(|fault| fault.kind == FaultKind::Tunnel).map_or(0, |fault| fault.count))
}

/// Faults of triangles at rest, with closed cracks.
fn faults(triangles: &[[u32; 3]], rest: &[Vec3]) -> Vec<Fault> {
    WeldedSurface::new(triangles, |vertex| rest[vertex as usize]).without_closed_cracks().faults()
}

fn certify(id: u32, triangles: &[[u32; 3]], rest: &[Vec3]) -> CertifiedPiece {
    let faults = faults(triangles, rest);
    let closed = !triangles.is_empty() && is_closed(triangles);
    let own = Surface {
        // From the piece's own place, so that a small piece far from the origin loses no digits.
        positions: triangles.iter().flatten().map(|&vertex| rest[vertex as usize]).collect(),
        triangles: (0..triangles.len() as u32).map(|triangle| [0, 1, 2].map(|corner| 3 * triangle + corner)).collect(),
        ..Surface::default()
    };
    let manifold = closed && !faults.iter().any(|fault| fault.kind.is_not_manifold());
    CertifiedPiece { id, volume: own.enclosed_volume(), closed, manifold, faults }
}

impl BrokenBody {
    /// What is wrong with its pieces, a line for each kind, for a person.
    pub fn findings(&self) -> Vec<String> {
        let own = self.tunnels_at_start.filter(|&count| count > 0);
        let faults: Vec<(String, &[Fault])> =
            self.pieces.iter().map(|piece| (format!("piece {}", piece.id), piece.faults.as_slice())).collect();
        let lines = craze_frame::describe_faults(&faults).into_iter();
        let lines = lines.map(|(kind, line)| match own.filter(|_| kind == FaultKind::Tunnel) {
            Some(own) => format!("{line}; unbroken it had {own}"),
            None => line,
        });
        lines.collect()
    }
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
    fn pieces_of_a_sheet_are_closed_with_their_thickness() {
        // Two squares of 1 m that lie side by side at rest.
        let square = |first: u32| [[0, 1, 2], [0, 2, 3]].map(|face| face.map(|vertex| vertex + first));
        let corners = |x: f64| [[x, 0.0, 0.0], [x, 0.0, 1.0], [x + 1.0, 0.0, 1.0], [x + 1.0, 0.0, 0.0]].map(Vec3::from);
        let mut surface = Surface {
            positions: vec![Vec3::zeros(); 8],
            triangles: square(0).into_iter().chain(square(4)).collect(),
            sheet: Some(craze_frame::Sheet { thickness: 0.01 }),
            ..Surface::default()
        };
        surface.vertex_attributes.set(names::REST, Data::Vector([corners(0.0), corners(1.0)].concat()));
        surface.face_attributes.set(names::PIECE, Data::Index(vec![0, 0, 1, 1]));
        let piece = |id| Piece { id, volume: 0.01, mass: 1.0, parent: None, pose: Pose::default() };
        let body = BodyFrame { name: "pane".into(), surface, pieces: vec![piece(0), piece(1)], ..BodyFrame::default() };
        let mut frame = Frame { bodies: vec![body], ..Frame::default() };
        let [broken] = broken_bodies(&frame, Some(&frame)).try_into().expect("one body");
        assert_eq!(broken.open, 0, "{:?}", broken.findings());
        assert!(broken.pieces.iter().all(|piece| (piece.volume - 0.01).abs() < 1e-12));
        // Without the mark the same triangles are an open surface of a solid.
        frame.bodies[0].surface.sheet = None;
        let [broken] = broken_bodies(&frame, None).try_into().expect("one body");
        assert_eq!(broken.open, 2);
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
