//! Polygons into triangles.

use craze_math::Vec3;

/// Cuts a polygon of numbered points into triangles of the same turning, by clipping ears in the plane it fits best.
///
/// Points that repeat their neighbour are left out; what is left of less than three gives none. A polygon that crosses itself
/// has no right answer: the remaining points are then joined as a fan, which keeps its rim. Only inward corners can lie in an
/// ear, and the search goes on where the last ear was, so that a round face of many thousand corners takes no time.
pub(crate) fn triangulate(polygon: &[u32], positions: &[Vec3]) -> Vec<[u32; 3]> {
    let mut points = polygon.to_vec();
    points.dedup();
    while points.len() > 1 && points.first() == points.last() {
        points.pop();
    }
    let mut left = points.len();
    if left < 3 {
        return Vec::new();
    }
    let mut triangles = Vec::with_capacity(left - 2);
    let mut ring = Ring::new(&points, positions);
    let mut start = 0;
    while left > 3 {
        let Some(ear) = ring.walk(start).take(left).find(|&corner| ring.is_ear(corner)) else { break };
        triangles.push(ring.triangle(ear));
        start = ring.clip(ear);
        left -= 1;
    }
    let rest: Vec<u32> = ring.walk(start).take(left).map(|corner| points[corner]).collect();
    triangles.extend((1..left - 1).map(|k| [rest[0], rest[k], rest[k + 1]]));
    triangles
}

/// What is left of a polygon while ears are clipped. Corners are places in its list of points.
struct Ring<'p> {
    points: &'p [u32],
    positions: &'p [Vec3],
    normal: Vec3,
    next: Vec<usize>,
    previous: Vec<usize>,
    /// Corners that turn inward or not at all.
    inward: Vec<usize>,
}

impl<'p> Ring<'p> {
    fn new(points: &'p [u32], positions: &'p [Vec3]) -> Self {
        let count = points.len();
        let mut ring = Self {
            points,
            positions,
            normal: newell_normal(points, positions),
            next: (0..count).map(|corner| (corner + 1) % count).collect(),
            previous: (0..count).map(|corner| (corner + count - 1) % count).collect(),
            inward: Vec::new(),
        };
        ring.inward = (0..count).filter(|&corner| !ring.turns_outward(corner)).collect();
        ring
    }

    /// Round the ring without end.
    fn walk(&self, start: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(start), |&corner| Some(self.next[corner]))
    }

    /// The point of a corner between those of its neighbours.
    fn triangle(&self, corner: usize) -> [u32; 3] {
        [self.previous[corner], corner, self.next[corner]].map(|corner| self.points[corner])
    }

    /// Which way a point lies of a line, as a multiple of its distance; positive to the left.
    fn side(&self, from: u32, to: u32, point: u32) -> f64 {
        let [from, to, point] = [from, to, point].map(|point| self.positions[point as usize]);
        (to - from).cross(&(point - from)).dot(&self.normal)
    }

    fn turns_outward(&self, corner: usize) -> bool {
        let [a, b, c] = self.triangle(corner);
        self.side(a, b, c) > 0.0
    }

    /// Whether a corner turns outward and no other point of the ring lies in its triangle.
    fn is_ear(&self, corner: usize) -> bool {
        let triangle = self.triangle(corner);
        let [a, b, c] = triangle;
        let is_outside = |p: u32| self.side(a, b, p) < 0.0 || self.side(b, c, p) < 0.0 || self.side(c, a, p) < 0.0;
        let mut others = self.inward.iter().map(|&corner| self.points[corner]);
        self.turns_outward(corner) && others.all(|point| triangle.contains(&point) || is_outside(point))
    }

    /// Takes a corner out, which changes how its neighbours turn; gives back the one before it.
    fn clip(&mut self, corner: usize) -> usize {
        let (before, after) = (self.previous[corner], self.next[corner]);
        self.next[before] = after;
        self.previous[after] = before;
        for neighbour in [before, after] {
            self.inward.retain(|&other| other != neighbour);
            if !self.turns_outward(neighbour) {
                self.inward.push(neighbour);
            }
        }
        before
    }
}

/// Normal of the best plane, as long as twice the area (Newell).
fn newell_normal(ring: &[u32], positions: &[Vec3]) -> Vec3 {
    let Some(&first) = ring.first() else { return Vec3::zeros() };
    let origin = positions[first as usize];
    let arm = |k: usize| positions[ring[k % ring.len()] as usize] - origin;
    (0..ring.len()).map(|k| arm(k).cross(&arm(k + 1))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(triangles: &[[u32; 3]], positions: &[Vec3]) -> f64 {
        let signed = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|p| positions[p as usize]);
            (b - a).cross(&(c - a)).z * 0.5
        };
        assert!(triangles.iter().all(|t| signed(t) > 0.0), "all turn the same way");
        triangles.iter().map(signed).sum()
    }

    #[test]
    fn concave_polygons_keep_their_area() {
        // An L, starting at a corner from which a fan would leave the polygon.
        let places = [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, -1.0], [2.0, -1.0], [2.0, 0.0]];
        let positions: Vec<Vec3> = places.iter().map(|[x, y]| Vec3::new(*x, *y, 0.5 * x)).collect();
        let triangles = triangulate(&[0, 1, 2, 3, 4, 5], &positions);
        assert_eq!(triangles.len(), 4);
        assert!((area(&triangles, &positions) - 3.0).abs() < 1e-14);
    }

    #[test]
    fn repeated_points_are_left_out() {
        let positions = [Vec3::zeros(), Vec3::x(), Vec3::y()];
        assert_eq!(triangulate(&[0, 0, 1, 2, 2, 0], &positions), [[0, 1, 2]]);
        assert!(triangulate(&[0, 1, 1, 0], &positions).is_empty());
        assert!(triangulate(&[], &positions).is_empty());
    }

    #[test]
    fn a_bow_tie_still_ends() {
        let positions = [Vec3::zeros(), Vec3::new(1.0, 1.0, 0.0), Vec3::x(), Vec3::y()];
        assert_eq!(triangulate(&[0, 1, 2, 3], &positions).len(), 2);
    }

    #[test]
    fn a_face_of_many_corners_is_cut_in_no_time() {
        let count = 100_000;
        let round = |k: u32| {
            let angle = std::f64::consts::TAU * f64::from(k) / f64::from(count);
            Vec3::new(angle.cos(), angle.sin(), 0.0)
        };
        let positions: Vec<Vec3> = (0..count).map(round).collect();
        let start = std::time::Instant::now();
        let triangles = triangulate(&(0..count).collect::<Vec<u32>>(), &positions);
        assert!(start.elapsed().as_secs_f64() < 5.0, "{:?}", start.elapsed());
        assert_eq!(triangles.len(), 99_998);
        assert!((area(&triangles, &positions) - std::f64::consts::PI).abs() < 1e-6);
    }
}
