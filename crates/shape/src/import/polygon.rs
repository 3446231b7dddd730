//! Polygon triangulation by ear clipping.

mod corner_grid;

use craze_math::Vec3;

use crate::tuning::MAX_STEPS_PER_CORNER;
use corner_grid::CornerGrid;

/// Triangulates polygons and reuses its buffer.
#[derive(Default)]
pub(crate) struct Triangulator {
    triangles: Vec<[u32; 3]>,
    gave_up: bool,
}

impl Triangulator {
    /// Triangulates a polygon in its best-fit plane by ear clipping, keeping its orientation. The
    /// triangles index the corners of `polygon`, so that corner attributes can be found.
    ///
    /// Repeated neighbours are dropped; fewer than three remaining corners give no triangles. If no
    /// ear is found (a self-intersecting polygon), the remaining corners become a fan.
    ///
    /// After an ear, the next one but one is tried, so that each round clips every second convex corner
    /// and most triangles are short: a fan of long ones would be slow in every later search. Only
    /// reflex corners near an ear are tested against it, from a grid: n corners take O(n log n) unless
    /// the polygon winds around itself many times.
    pub fn triangulate(&mut self, polygon: &[u32], positions: &[Vec3]) -> &[[u32; 3]] {
        self.triangles.clear();
        self.gave_up = false;
        if let &[a, b, c] = polygon {
            if a != b && b != c && c != a {
                self.triangles.push([0, 1, 2]);
            }
            return &self.triangles;
        }
        let point = |index: &u32| polygon[*index as usize];
        let mut kept: Vec<u32> = (0..polygon.len() as u32).collect();
        kept.dedup_by_key(|index| point(index));
        while kept.len() > 1 && kept.first().map(point) == kept.last().map(point) {
            kept.pop();
        }
        let mut left = kept.len();
        if left < 3 {
            return &self.triangles;
        }
        let mut ring = Ring::new(kept.iter().map(point).collect(), positions);
        let mut start = 0;
        while left > 3 {
            let Some(ear) = ring.find_ear(start, left) else {
                self.gave_up = true;
                break;
            };
            self.triangles.push(ring.triangle(ear).map(|corner| kept[corner]));
            start = ring.clip(ear);
            left -= 1;
        }
        let rest: Vec<u32> = ring.walk(start).take(left).map(|corner| kept[corner]).collect();
        self.triangles.extend((1..left - 1).map(|k| [rest[0], rest[k], rest[k + 1]]));
        // Ears of a polygon that touches itself may repeat a point.
        self.triangles.retain(|triangle| {
            let [a, b, c] = triangle.each_ref().map(point);
            a != b && b != c && c != a
        });
        &self.triangles
    }

    /// Returns true if no ear was found in the last polygon, since it intersects itself.
    pub fn gave_up(&self) -> bool {
        self.gave_up
    }
}

/// The remaining polygon; corners are indices into `points`.
struct Ring<'p> {
    points: Vec<u32>,
    positions: &'p [Vec3],
    normal: Vec3,
    next: Vec<usize>,
    previous: Vec<usize>,
    /// Whether each corner remains and is reflex or straight.
    is_reflex: Vec<bool>,
    /// The corners that were reflex or straight at the start,
    grid: CornerGrid,
    /// and those that became so, in polygons that intersect themselves or by rounding.
    late_reflex: Vec<usize>,
    steps_left: usize,
}

impl<'p> Ring<'p> {
    fn new(points: Vec<u32>, positions: &'p [Vec3]) -> Self {
        let count = points.len();
        let mut ring = Self {
            normal: newell_normal(&points, positions),
            points,
            positions,
            next: (0..count).map(|corner| (corner + 1) % count).collect(),
            previous: (0..count).map(|corner| (corner + count - 1) % count).collect(),
            is_reflex: vec![false; count],
            grid: CornerGrid::default(),
            late_reflex: Vec::new(),
            steps_left: MAX_STEPS_PER_CORNER.saturating_mul(count),
        };
        ring.is_reflex = (0..count).map(|corner| !ring.is_convex(corner)).collect();
        let reflex: Vec<usize> = (0..count).filter(|&corner| ring.is_reflex[corner]).collect();
        let position = |corner: usize| ring.positions[ring.points[corner] as usize];
        ring.grid = CornerGrid::new(reflex, position, &ring.normal);
        ring
    }

    /// Iterates around the ring endlessly.
    fn walk(&self, start: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(start), |&corner| Some(self.next[corner]))
    }

    fn triangle(&self, corner: usize) -> [usize; 3] {
        [self.previous[corner], corner, self.next[corner]]
    }

    /// Signed area of the triangle (from, to, corner), scaled; positive to the left.
    fn side(&self, from: usize, to: usize, corner: usize) -> f64 {
        let [from, to, point] = [from, to, corner].map(|corner| self.positions[self.points[corner] as usize]);
        (to - from).cross(&(point - from)).dot(&self.normal)
    }

    fn is_convex(&self, corner: usize) -> bool {
        let [a, b, c] = self.triangle(corner);
        self.side(a, b, c) > 0.0
    }

    /// The next ear; `None` if there is none or the step limit is reached.
    fn find_ear(&mut self, start: usize, left: usize) -> Option<usize> {
        let mut corner = start;
        for _ in 0..left {
            let (is_ear, steps) = self.is_ear(corner);
            if is_ear {
                return Some(corner);
            }
            self.steps_left = self.steps_left.checked_sub(steps)?;
            corner = self.next[corner];
        }
        None
    }

    /// Returns whether a corner is an ear (convex, without other corners in its triangle), and the
    /// steps taken. Where the polygon touches itself, an edge that is left there and back is one too.
    fn is_ear(&self, corner: usize) -> (bool, usize) {
        let [a, b, c] = self.triangle(corner);
        let points = [a, b, c].map(|corner| self.points[corner]);
        if points[0] == points[1] || points[1] == points[2] || points[2] == points[0] {
            return (true, 1);
        }
        if !self.is_convex(corner) {
            return (false, 1);
        }
        let is_outside = |p: usize| self.side(a, b, p) < 0.0 || self.side(b, c, p) < 0.0 || self.side(c, a, p) < 0.0;
        let is_apart =
            |other: usize| !self.is_reflex[other] || points.contains(&self.points[other]) || is_outside(other);
        let corners = points.map(|point| self.positions[point as usize]);
        let (mut near, mut steps) = (false, 1);
        self.grid.visit_near(&corners, |entries| {
            steps += 1 + entries.len();
            near = !entries.iter().all(|&other| is_apart(other));
            !near
        });
        near |= !self.late_reflex.iter().all(|&other| is_apart(other));
        (!near, steps + self.late_reflex.len())
    }

    /// Notes whether a remaining corner is reflex.
    fn update_reflex(&mut self, corner: usize) {
        let is_reflex = !self.is_convex(corner);
        if is_reflex && !self.is_reflex[corner] {
            self.late_reflex.push(corner);
        }
        self.is_reflex[corner] = is_reflex;
    }

    /// Removes a corner and updates its neighbours; returns the corner after the next.
    fn clip(&mut self, corner: usize) -> usize {
        let (before, after) = (self.previous[corner], self.next[corner]);
        self.next[before] = after;
        self.previous[after] = before;
        self.is_reflex[corner] = false;
        self.update_reflex(before);
        self.update_reflex(after);
        self.next[after]
    }
}

/// Normal of the best-fit plane, twice the area long (Newell).
fn newell_normal(ring: &[u32], positions: &[Vec3]) -> Vec3 {
    let Some(&first) = ring.first() else { return Vec3::zeros() };
    let origin = positions[first as usize];
    let arm = |k: usize| positions[ring[k % ring.len()] as usize] - origin;
    (0..ring.len()).map(|k| arm(k).cross(&arm(k + 1))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triangulate(polygon: &[u32], positions: &[Vec3]) -> Vec<[u32; 3]> {
        let mut triangulator = Triangulator::default();
        triangulator.triangulate(polygon, positions).iter().map(|t| t.map(|index| polygon[index as usize])).collect()
    }

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
        // An L that starts at a corner whose fan would leave the polygon.
        let points = [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, -1.0], [2.0, -1.0], [2.0, 0.0]];
        let positions: Vec<Vec3> = points.iter().map(|[x, y]| Vec3::new(*x, *y, 0.5 * x)).collect();
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
    fn a_self_intersecting_quad_becomes_a_fan() {
        let positions = [Vec3::zeros(), Vec3::new(1.0, 1.0, 0.0), Vec3::x(), Vec3::y()];
        assert_eq!(triangulate(&[0, 1, 2, 3], &positions).len(), 2);
    }

    #[test]
    fn corners_that_share_a_point_stay_distinct() {
        // Two squares that share point 0.
        let points = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [-1.0, 0.0], [-1.0, -1.0], [0.0, -1.0]];
        let positions: Vec<Vec3> = points.iter().map(|&[x, y]| Vec3::new(x, y, 0.0)).collect();
        let polygon = [0, 1, 2, 3, 0, 4, 5, 6];
        let mut triangulator = Triangulator::default();
        let triangles = triangulator.triangulate(&polygon, &positions).to_vec();
        assert!(triangles.iter().flatten().all(|&index| index < 8));
        assert!((area(&triangulate(&polygon, &positions), &positions) - 2.0).abs() < 1e-14);
    }

    /// Corners on a circle, alternate ones at an inner radius.
    fn star(count: u32, inner: f64) -> Vec<Vec3> {
        let round = |k: u32| {
            let angle = std::f64::consts::TAU * f64::from(k) / f64::from(count);
            Vec3::new(angle.cos(), angle.sin(), 0.0) * if k.is_multiple_of(2) { 1.0 } else { inner }
        };
        (0..count).map(round).collect()
    }

    #[test]
    fn a_convex_face_of_100_000_corners_takes_linear_time() {
        let count = 100_000;
        let positions = star(count, 1.0);
        let triangles = triangulate(&(0..count).collect::<Vec<u32>>(), &positions);
        assert_eq!(triangles.len(), 99_998);
        assert!((area(&triangles, &positions) - std::f64::consts::PI).abs() < 1e-6);
    }

    #[test]
    fn ear_clipping_stops_at_the_step_limit() {
        // A spiral of 100,000 corners out and back; without the limit this takes hours.
        let count: u32 = 100_000;
        let there_and_back = |k: u32| {
            let angle = 2.4 * f64::from(k);
            let radius = 1.0 + f64::from(k.min(count - k)) * 1e-5;
            Vec3::new(angle.cos(), angle.sin(), 0.0) * radius
        };
        let positions: Vec<Vec3> = (0..count).map(there_and_back).collect();
        let mut triangulator = Triangulator::default();
        let polygon: Vec<u32> = (0..count).collect();
        assert_eq!(triangulator.triangulate(&polygon, &positions).len(), 99_998);
    }

    #[test]
    fn a_star_of_many_rays_keeps_its_area() {
        for count in [2_000, 300_000] {
            let positions = star(count, 0.5);
            let triangles = triangulate(&(0..count).collect::<Vec<u32>>(), &positions);
            let exact = 0.5 * 0.5 * f64::from(count) * (std::f64::consts::TAU / f64::from(count)).sin();
            assert!((area(&triangles, &positions) - exact).abs() < 1e-9);
        }
    }

    #[test]
    fn a_comb_of_many_teeth_keeps_its_area() {
        // The gaps between the teeth reach down to the spine: every tooth is long and thin.
        let count = 20_000;
        let mut positions = vec![Vec3::new(1.0, -0.1, 0.0), Vec3::new(1.0, 1.0, 0.0)];
        let step = 1.0 / f64::from(count);
        for k in (0..count).rev() {
            let x = f64::from(k) * step;
            positions.extend(
                [0.75, 0.5, 0.25]
                    .map(|share| Vec3::new(x + share * step, share.mul_add(-4.0, 3.0).clamp(0.0, 1.0), 0.0)),
            );
            positions.push(Vec3::new(x, if k == 0 { -0.1 } else { 1.0 }, 0.0));
        }
        let polygon: Vec<u32> = (0..positions.len() as u32).collect();
        let exact = newell_normal(&polygon, &positions).z * 0.5;
        let mut triangulator = Triangulator::default();
        let triangles = triangulator.triangulate(&polygon, &positions).to_vec();
        assert!(!triangulator.gave_up());
        assert!((area(&triangles, &positions) - exact).abs() < 1e-9);
    }

    #[test]
    fn triangles_of_a_convex_face_are_short() {
        let count: u32 = 4096;
        let positions = star(count, 1.0);
        let triangles = triangulate(&(0..count).collect::<Vec<u32>>(), &positions);
        let span = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|p| positions[p as usize]);
            (b - a).norm().max((c - b).norm()).max((a - c).norm())
        };
        let long = triangles.iter().filter(|t| span(t) > 0.1).count();
        assert!(long < triangles.len() / 20, "{long}");
    }
}
