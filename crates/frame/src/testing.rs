//! Frames for the tests of this crate.

use craze_math::Vec3;

use crate::model::*;

/// Corners of a tetrahedron of volume 1/6 m³ with its right angle at `corner` (m).
fn corner_tetrahedron(corner: Vec3) -> [Vec3; 4] {
    [corner, corner + Vec3::x(), corner + Vec3::y(), corner + Vec3::z()]
}

/// Outward triangles of a positively oriented tetrahedron whose first node is `first`.
fn tetrahedron_faces(first: u32) -> [[u32; 3]; 4] {
    [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]].map(|face| face.map(|corner| first + corner))
}

/// Two pieces with surface and volume, particles, an empty body, a plane and a ramp, with
/// attributes of every kind.
pub(crate) fn frame_of_everything() -> Frame {
    let positions: Vec<Vec3> =
        [corner_tetrahedron(Vec3::zeros()), corner_tetrahedron(Vec3::new(2.0, 0.1, -0.3))].concat();
    let mut surface = Surface {
        positions: positions.clone(),
        triangles: [tetrahedron_faces(0), tetrahedron_faces(4)].concat(),
        ..Surface::default()
    };
    surface.face_attributes.set(names::PIECE, Data::Index(vec![0, 0, 0, 0, 1, 1, 1, 1]));
    surface.face_attributes.set(names::CRACK, Data::Index(vec![0, 0, 1, 0, 0, 1, 0, 0]));
    surface
        .vertex_attributes
        .set(names::STRESS, Data::Scalar(vec![1e6, f64::NAN, -0.0, f64::INFINITY, 1e-310, 0.0, 1.0, 2.0]));
    surface.vertex_attributes.set(names::VELOCITY, Data::Vector(vec![Vec3::new(0.0, -1.5, 0.25); 8]));
    let mut volume = Volume { positions, tetrahedra: vec![[0, 1, 2, 3], [4, 5, 6, 7]], ..Volume::default() };
    volume.cell_attributes.set(names::PIECE, Data::Index(vec![0, 1]));
    volume.cell_attributes.set(names::STRESS_TENSOR, Data::Tensor(vec![[1e6, -0.0, 0.5, 2.0, 3.0, f64::NAN]; 2]));
    surface.corner_attributes.set(names::UV, Data::Pair(vec![[0.25, 0.75]; 24]));
    surface.face_attributes.set(names::SLOT, Data::Index(vec![1; 8]));
    surface.slots = vec!["felt".into(), "trim".into()];
    surface.lines.push(Line { kind: LineKind::Crack, vertices: vec![0, 1, 7] });
    let piece = |parent| Piece { id: 0, volume: 1.0 / 6.0, mass: 400.0, parent, pose: Pose::default() };
    let pair = BodyFrame {
        name: "pair".into(),
        method: "solid".into(),
        materials: vec!["glass".into()],
        look: craze_material::Look::named("glass"),
        surface,
        volume: Some(volume),
        particles: None,
        pieces: vec![piece(Some(0)), piece(Some(0))],
        topology: 5,
    };
    let mut particles =
        Particles { positions: vec![Vec3::new(0.1, 0.2, 0.3); 3], radius: 0.05, attributes: Attributes::default() };
    particles.attributes.set(names::VELOCITY, Data::Vector(vec![Vec3::zeros(); 3]));
    let cloud = BodyFrame {
        name: "cloud".into(),
        method: "clusters".into(),
        particles: Some(particles),
        pieces: vec![piece(None)],
        ..BodyFrame::default()
    };
    let ramp = Surface {
        positions: vec![Vec3::zeros(), Vec3::x(), Vec3::z()],
        triangles: vec![[0, 2, 1]],
        sheet: Some(Sheet { thickness: 0.002 }),
        ..Surface::default()
    };
    Frame {
        number: 7,
        time: 0.28,
        bodies: vec![pair, cloud, BodyFrame { name: "dust".into(), ..BodyFrame::default() }],
        obstacles: vec![
            ObstacleFrame {
                name: "floor".into(),
                shape: ObstacleShape::Plane { point: Vec3::zeros(), normal: Vec3::y() },
            },
            ObstacleFrame { name: "ramp".into(), shape: ObstacleShape::Surface(ramp) },
        ],
    }
}
