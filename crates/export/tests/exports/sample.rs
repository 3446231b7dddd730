//! Frames with known values: a block split in two, particles, a sheet, a ball and a floor.

use std::collections::BTreeMap;

use craze_frame::{
    Attributes, BodyFrame, Data, Frame, ObstacleFrame, ObstacleShape, Particles, Piece, Pose, Sheet, Surface, Volume,
    names,
};
use craze_math::{Rotation, Vec3};

/// Edge of each half of the block (m).
pub const EDGE: f64 = 0.5;
/// Density of the block (kg/m³).
pub const DENSITY: f64 = 2500.0;
/// Time between frames (s).
pub const TIME_STEP: f64 = 0.04;
/// Volume of the ball, an octahedron of radius 0.3 m (m³).
pub const BALL_VOLUME: f64 = 4.0 / 3.0 * 0.3 * 0.3 * 0.3;

/// Volume of the pane (m³): eight squares of 0.2 m around a hole, 1 cm thick.
pub const PANE_VOLUME: f64 = 8.0 * 0.2 * 0.2 * 0.01;

/// Frame of this number: the halves of the block move apart and rotate.
pub fn frame(number: u32) -> Frame {
    let time = f64::from(number) * TIME_STEP;
    Frame {
        number,
        time,
        bodies: vec![block(time), cloud(), sheet()],
        obstacles: vec![
            ObstacleFrame {
                name: "floor".into(),
                shape: ObstacleShape::Plane { point: Vec3::zeros(), normal: Vec3::y() },
            },
            ObstacleFrame { name: "ball".into(), shape: ObstacleShape::Surface(ball()) },
        ],
    }
}

/// Two cubes, each of six tetrahedra around its diagonal, with crack faces between them.
fn block(time: f64) -> BodyFrame {
    let mut volume = Volume::default();
    let mut cell_pieces = Vec::new();
    let mut velocities = Vec::new();
    let mut pieces = Vec::new();
    for (piece, side) in [(0, -1.0), (1, 1.0)] {
        let velocity = Vec3::new(side, -0.5, 0.0);
        let turn = Rotation::new(Vec3::new(0.3, side, 0.1) * time);
        let centre = Vec3::new(0.5 * side * EDGE, 2.0, 0.0) + velocity * time;
        for corner in 0..8 {
            let along = |axis: u32| EDGE * (f64::from(corner >> axis & 1) - 0.5);
            volume.positions.push(centre + turn * Vec3::new(along(0), along(1), along(2)));
            velocities.push(velocity);
        }
        for tetrahedron in CUBE {
            volume.tetrahedra.push(tetrahedron.map(|corner| 8 * piece + corner));
            cell_pieces.push(piece);
        }
        let rotation = [turn.i, turn.j, turn.k, turn.w];
        let cube = EDGE.powi(3);
        let pose = Pose { position: centre, rotation };
        pieces.push(Piece { id: 0, volume: cube, mass: DENSITY * cube, parent: Some(0), pose });
    }
    let stress = (0..volume.tetrahedra.len()).map(|cell| 1e6 * cell as f64 - 3e6).collect();
    let mut surface = boundary(&volume);
    // Bit 0 of a corner is the x direction, along which the halves meet.
    let face_pieces: Vec<u32> = surface.triangles.iter().map(|triangle| triangle[0] / 8).collect();
    let cracks = surface.triangles.iter().zip(&face_pieces);
    let cracks = cracks.map(|(triangle, piece)| u32::from(triangle.iter().all(|vertex| vertex & 1 == 1 - piece)));
    surface.face_attributes.set(names::CRACK, Data::Index(cracks.collect()));
    surface.face_attributes.set(names::PIECE, Data::Index(face_pieces));
    surface.vertex_attributes.set(names::VELOCITY, Data::Vector(velocities.clone()));
    volume.node_attributes.set(names::VELOCITY, Data::Vector(velocities));
    volume.cell_attributes.set(names::PIECE, Data::Index(cell_pieces));
    volume.cell_attributes.set(names::STRESS, Data::Scalar(stress));
    BodyFrame {
        name: "block".into(),
        method: "solid".into(),
        materials: vec!["glass".into()],
        look: None,
        surface,
        volume: Some(volume),
        particles: None,
        pieces,
        ..BodyFrame::default()
    }
}

/// Six tetrahedra around the diagonal from corner 0 to corner 7; bit k of a corner is its side
/// along axis k.
const CUBE: [[u32; 4]; 6] = [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]];

/// Outward boundary faces.
fn boundary(volume: &Volume) -> Surface {
    let mut faces: BTreeMap<[u32; 3], Vec<[u32; 3]>> = BTreeMap::new();
    for &[a, b, c, d] in &volume.tetrahedra {
        for face in [[a, c, b], [a, b, d], [a, d, c], [b, c, d]] {
            let mut key = face;
            key.sort_unstable();
            faces.entry(key).or_default().push(face);
        }
    }
    let triangles = faces.into_values().filter(|faces| faces.len() == 1).flatten().collect();
    Surface { positions: volume.positions.clone(), triangles, ..Surface::default() }
}

/// Five particles in two pieces.
fn cloud() -> BodyFrame {
    let mut attributes = Attributes::default();
    attributes.set(names::PIECE, Data::Index(vec![1, 0, 0, 1, 0]));
    attributes.set(names::VELOCITY, Data::Vector((0..5).map(|index| Vec3::new(0.0, f64::from(index), 0.0)).collect()));
    let positions = (0..5).map(|index| Vec3::new(1.0 + 0.1 * f64::from(index), 1.0, 0.25)).collect();
    let piece = Piece { id: 0, volume: 0.001, mass: 1.0, parent: None, pose: Pose::default() };
    BodyFrame {
        name: "cloud of dust".into(),
        method: "clusters".into(),
        materials: vec!["clay".into()],
        look: None,
        particles: Some(Particles { positions, radius: 0.05, attributes }),
        pieces: vec![piece, piece],
        ..BodyFrame::default()
    }
}

/// A square with a custom attribute and without pieces.
fn sheet() -> BodyFrame {
    let positions = vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::new(1.0, 1.0, 0.0)];
    let mut surface = Surface { positions, triangles: vec![[0, 1, 2], [1, 3, 2]], ..Surface::default() };
    surface.vertex_attributes.set(names::THICKNESS, Data::Scalar(vec![1e-3, 2e-3, f64::NAN, 4e-3]));
    let piece = Piece { id: 0, volume: 1e-3, mass: 0.9, parent: None, pose: Pose::default() };
    BodyFrame {
        name: "sheet".into(),
        method: "sheet".into(),
        materials: vec!["paper".into()],
        look: None,
        surface,
        pieces: vec![piece],
        ..BodyFrame::default()
    }
}

/// An octahedron.
fn ball() -> Surface {
    let centre = Vec3::new(-2.0, 0.3, 0.0);
    let corners = [Vec3::x(), Vec3::y(), Vec3::z(), -Vec3::x(), -Vec3::y(), -Vec3::z()];
    let triangles = vec![[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]];
    Surface { positions: corners.map(|corner| centre + 0.3 * corner).to_vec(), triangles, ..Surface::default() }
}

/// The thick surface of a flat sheet with a hole, in one piece.
pub fn pane() -> BodyFrame {
    let vertex = |i: usize, j: usize| (4 * i + j) as u32;
    let squares = (0..9).map(|square| [square / 3, square % 3]).filter(|square| *square != [1, 1]);
    let triangles = squares.flat_map(|[i, j]| {
        let [a, b, c, d] = [vertex(i, j), vertex(i, j + 1), vertex(i + 1, j + 1), vertex(i + 1, j)];
        [[a, b, c], [a, c, d]]
    });
    let mut sheet = Surface {
        positions: (0..16).map(|v| Vec3::new(0.2 * f64::from(v / 4), 4.0, 0.2 * f64::from(v % 4))).collect(),
        triangles: triangles.collect(),
        sheet: Some(Sheet { thickness: 0.01 }),
        ..Surface::default()
    };
    let uv = sheet.triangles.iter().flatten().map(|&v| [f64::from(v / 4) / 3.0, f64::from(v % 4) / 3.0]).collect();
    sheet.corner_attributes.set(names::UV, Data::Pair(uv));
    let piece = Piece { id: 0, volume: PANE_VOLUME, mass: 1.0, parent: None, pose: Pose::default() };
    let surface = sheet.thick().expect("a sheet");
    BodyFrame { name: "pane".into(), method: "sheet".into(), surface, pieces: vec![piece], ..BodyFrame::default() }
}
