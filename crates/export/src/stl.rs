//! Binary STL: triangles only.

use craze_frame::{Frame, ObstacleShape, Surface};

/// Length of the header (bytes). It may not start with `solid`, which marks the text form.
const HEADER_LENGTH: usize = 80;

/// Encodes the triangles of all bodies and obstacles.
pub(crate) fn encode(frame: &Frame) -> Vec<u8> {
    let bodies = frame.bodies.iter().map(|body| &body.surface);
    let obstacles = frame.obstacles.iter().filter_map(|obstacle| match &obstacle.shape {
        ObstacleShape::Surface(surface) => Some(surface),
        ObstacleShape::Plane { .. } => None,
    });
    let surfaces: Vec<&Surface> = bodies.chain(obstacles).collect();
    let count: usize = surfaces.iter().map(|surface| surface.triangles.len()).sum();

    let mut bytes = format!("Craze, frame {}, time {:?} s, unit m", frame.number, frame.time).into_bytes();
    bytes.resize(HEADER_LENGTH, b' ');
    bytes.extend((count as u32).to_le_bytes());
    for surface in surfaces {
        for triangle in &surface.triangles {
            let [a, b, c] = triangle.map(|vertex| surface.positions[vertex as usize]);
            // A degenerate triangle has a zero normal; readers recompute it.
            let normal = (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_default();
            for vector in [normal, a, b, c] {
                bytes.extend(vector.iter().flat_map(|&coordinate| (coordinate as f32).to_le_bytes()));
            }
            bytes.extend([0, 0]);
        }
    }
    bytes
}
