//! Bounds, counts, volumes and closedness.

use craze_math::Vec3;

use crate::model::{BodyFrame, Frame, Surface, names};

/// Axis-aligned bounding box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Lowest coordinates (m).
    pub low: Vec3,
    /// Highest coordinates (m).
    pub high: Vec3,
}

impl Bounds {
    /// Bounding box of the finite points; `None` without any.
    pub fn of<'points>(points: impl IntoIterator<Item = &'points Vec3>) -> Option<Bounds> {
        points.into_iter().filter(|point| point.iter().all(|coordinate| coordinate.is_finite())).fold(
            None,
            |bounds, point| {
                let point_bounds = Bounds { low: *point, high: *point };
                Some(bounds.map_or(point_bounds, |bounds: Bounds| bounds.union(&point_bounds)))
            },
        )
    }

    /// Box around both boxes.
    pub fn union(&self, other: &Bounds) -> Bounds {
        Bounds { low: self.low.inf(&other.low), high: self.high.sup(&other.high) }
    }

    /// Box grown by `margin` (m) on every side.
    pub fn grown(&self, margin: f64) -> Bounds {
        Bounds { low: self.low.add_scalar(-margin), high: self.high.add_scalar(margin) }
    }

    /// Centre (m).
    pub fn centre(&self) -> Vec3 {
        0.5 * (self.low + self.high)
    }

    /// Edge lengths (m).
    pub fn size(&self) -> Vec3 {
        self.high - self.low
    }

    /// Returns true if the point is in the box or on its boundary.
    pub fn contains(&self, point: &Vec3) -> bool {
        (0..3).all(|axis| self.low[axis] <= point[axis] && point[axis] <= self.high[axis])
    }
}

impl Frame {
    /// Box of all bodies (m), without obstacles, which may be far larger.
    pub fn bounds(&self) -> Option<Bounds> {
        self.bodies.iter().filter_map(BodyFrame::bounds).reduce(|all, body| all.union(&body))
    }

    /// Number of triangles of all bodies.
    pub fn triangle_count(&self) -> usize {
        self.bodies.iter().map(|body| body.surface.triangles.len()).sum()
    }

    /// Number of tetrahedra of all bodies.
    pub fn tetrahedron_count(&self) -> usize {
        self.bodies.iter().filter_map(|body| body.volume.as_ref()).map(|volume| volume.tetrahedra.len()).sum()
    }

    /// Number of pieces of all bodies.
    pub fn piece_count(&self) -> usize {
        self.bodies.iter().map(|body| body.pieces.len()).sum()
    }
}

impl BodyFrame {
    /// Box of surface (with unused vertices), volume, and particles with their radius (m).
    pub fn bounds(&self) -> Option<Bounds> {
        let volume = self.volume.iter().flat_map(|volume| &volume.positions);
        let solid = Bounds::of(self.surface.positions.iter().chain(volume));
        let cloud = self.particles.as_ref().and_then(|particles| {
            let radius = if particles.radius.is_finite() { particles.radius.max(0.0) } else { 0.0 };
            Some(Bounds::of(&particles.positions)?.grown(radius))
        });
        match (solid, cloud) {
            (Some(solid), Some(cloud)) => Some(solid.union(&cloud)),
            (solid, cloud) => solid.or(cloud),
        }
    }
}

impl Surface {
    /// Enclosed volume (m³) by the divergence theorem; negative if inside out, undefined if open.
    pub fn enclosed_volume(&self) -> f64 {
        // Relative to a vertex, which avoids cancellation far from the origin.
        let Some(origin) = self.positions.first() else { return 0.0 };
        let corner = |vertex: u32| self.positions[vertex as usize] - origin;
        self.triangles.iter().map(|&[a, b, c]| corner(a).dot(&corner(b).cross(&corner(c))) / 6.0).sum()
    }

    /// Returns true if the surface has no boundary, see [`is_closed`].
    pub fn is_closed(&self) -> bool {
        is_closed(&self.triangles)
    }

    /// Piece of a triangle; 0 without the attribute.
    pub fn piece_of(&self, triangle: usize) -> u32 {
        self.face_attributes.indices(names::PIECE).map_or(0, |pieces| pieces[triangle])
    }

    /// Returns true for crack faces.
    pub fn is_crack(&self, triangle: usize) -> bool {
        self.face_attributes.indices(names::CRACK).is_some_and(|cracks| cracks[triangle] != 0)
    }
}

/// Returns true if every edge is traversed as often in one direction as in the other. Coincident
/// vertices are distinct. No triangles are closed.
pub fn is_closed(triangles: &[[u32; 3]]) -> bool {
    let mut edges: Vec<(u32, u32, bool)> = Vec::with_capacity(3 * triangles.len());
    for &[a, b, c] in triangles {
        edges.extend([(a, b), (b, c), (c, a)].map(|(from, to)| (from.min(to), from.max(to), from < to)));
    }
    edges.sort_unstable();
    edges.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)).all(|edge| {
        let forward = edge.iter().filter(|passage| passage.2).count();
        2 * forward == edge.len()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::frame_of_everything;

    #[test]
    fn bounds_hold_bodies_and_particle_radii_but_no_obstacles() {
        let bounds = frame_of_everything().bounds().unwrap();
        assert_eq!(bounds, Bounds { low: Vec3::new(0.0, 0.0, -0.3), high: Vec3::new(3.0, 1.1, 1.0) });
        let mut cloud = frame_of_everything();
        cloud.bodies.remove(0);
        assert_eq!(cloud.bounds().unwrap().size().map(|edge| (edge * 1e9).round() / 1e9), Vec3::repeat(0.1));
    }

    #[test]
    fn bounds_ignore_points_that_are_not_finite() {
        let mut frame = frame_of_everything();
        let before = frame.bounds();
        frame.bodies[0].surface.positions.push(Vec3::new(f64::NAN, 1e9, 0.0));
        assert_eq!(frame.bounds(), before);
        assert_eq!(Frame::default().bounds(), None);
    }

    #[test]
    fn counts_add_up_over_bodies() {
        let frame = frame_of_everything();
        assert_eq!(frame.triangle_count(), 8);
        assert_eq!(frame.tetrahedron_count(), 2);
        assert_eq!(frame.piece_count(), 3);
    }

    #[test]
    fn two_tetrahedra_enclose_their_volumes_and_are_closed() {
        let mut surface = frame_of_everything().bodies[0].surface.clone();
        assert!((surface.enclosed_volume() - 1.0 / 3.0).abs() < 1e-15);
        assert!(surface.is_closed());
        surface.triangles.pop();
        assert!(!surface.is_closed());
    }

    #[test]
    fn a_flipped_triangle_opens_a_surface() {
        let mut surface = frame_of_everything().bodies[0].surface.clone();
        surface.triangles[0].swap(0, 1);
        assert!(!surface.is_closed());
    }
}
