//! How large, how many, closed or not.

use craze_math::Vec3;

use crate::model::{BodyFrame, Frame, ObstacleShape, Surface, names};

/// The smallest box along the axes that holds some points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Lowest coordinates (m).
    pub low: Vec3,
    /// Highest coordinates (m).
    pub high: Vec3,
}

impl Bounds {
    /// The box of the points, or `None` if there are none. Points that are not finite are left out.
    pub fn of<'points>(points: impl IntoIterator<Item = &'points Vec3>) -> Option<Bounds> {
        points.into_iter().filter(|point| point.iter().all(|coordinate| coordinate.is_finite())).fold(
            None,
            |bounds, point| {
                let point_bounds = Bounds { low: *point, high: *point };
                Some(bounds.map_or(point_bounds, |bounds: Bounds| bounds.union(&point_bounds)))
            },
        )
    }

    /// The box of both.
    pub fn union(&self, other: &Bounds) -> Bounds {
        Bounds { low: self.low.inf(&other.low), high: self.high.sup(&other.high) }
    }

    /// The same box, larger by `margin` (m) on every side.
    pub fn grown(&self, margin: f64) -> Bounds {
        Bounds { low: self.low.add_scalar(-margin), high: self.high.add_scalar(margin) }
    }

    /// The middle (m).
    pub fn centre(&self) -> Vec3 {
        0.5 * (self.low + self.high)
    }

    /// The edge lengths (m).
    pub fn size(&self) -> Vec3 {
        self.high - self.low
    }

    /// Whether the point lies in the box or on its border.
    pub fn contains(&self, point: &Vec3) -> bool {
        (0..3).all(|axis| self.low[axis] <= point[axis] && point[axis] <= self.high[axis])
    }
}

impl Frame {
    /// The box of all bodies (m); obstacles, which may be far larger, are left out. `None` if nothing is there.
    pub fn bounds(&self) -> Option<Bounds> {
        self.bodies.iter().filter_map(BodyFrame::bounds).reduce(|all, body| all.union(&body))
    }

    /// The box of all obstacles that end (m); planes are left out. `None` if there are none.
    pub fn obstacle_bounds(&self) -> Option<Bounds> {
        let surfaces = self.obstacles.iter().filter_map(|obstacle| match &obstacle.shape {
            ObstacleShape::Surface(surface) => Some(surface),
            ObstacleShape::Plane { .. } => None,
        });
        Bounds::of(surfaces.flat_map(|surface| &surface.positions))
    }

    /// Triangles of all bodies.
    pub fn triangle_count(&self) -> usize {
        self.bodies.iter().map(|body| body.surface.triangles.len()).sum()
    }

    /// Tetrahedra of all bodies.
    pub fn tetrahedron_count(&self) -> usize {
        self.bodies.iter().filter_map(|body| body.volume.as_ref()).map(|volume| volume.tetrahedra.len()).sum()
    }

    /// Particles of all bodies.
    pub fn particle_count(&self) -> usize {
        self.bodies.iter().filter_map(|body| body.particles.as_ref()).map(|cloud| cloud.positions.len()).sum()
    }

    /// Pieces of all bodies.
    pub fn piece_count(&self) -> usize {
        self.bodies.iter().map(|body| body.pieces.len()).sum()
    }
}

impl BodyFrame {
    /// The box of its surface (with the vertices that no triangle uses), volume, and particles with their radius (m).
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
    /// Volume that the surface encloses (m³), by the divergence theorem; negative if it is inside out. Means nothing for
    /// an open surface.
    pub fn enclosed_volume(&self) -> f64 {
        // Measured from a vertex of its own, so that a small body far from the origin loses no digits.
        let Some(origin) = self.positions.first() else { return 0.0 };
        let corner = |vertex: u32| self.positions[vertex as usize] - origin;
        self.triangles.iter().map(|&[a, b, c]| corner(a).dot(&corner(b).cross(&corner(c))) / 6.0).sum()
    }

    /// Whether the surface has no border, see [`is_closed`].
    pub fn is_closed(&self) -> bool {
        is_closed(&self.triangles)
    }

    /// The piece of a triangle; 0 where the surface does not say.
    pub fn piece_of(&self, triangle: usize) -> u32 {
        self.face_attributes.indices(names::PIECE).map_or(0, |pieces| pieces[triangle])
    }

    /// Whether a crack opened the triangle; no where the surface does not say.
    pub fn is_crack(&self, triangle: usize) -> bool {
        self.face_attributes.indices(names::CRACK).is_some_and(|cracks| cracks[triangle] != 0)
    }
}

/// Whether every edge of the triangles is passed as often in one direction as in the other, so that they have no border.
/// Vertices count as different even where they lie in one place. No triangles are closed.
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
        assert_eq!(frame.particle_count(), 3);
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
