//! Polygons into triangles.

use craze_math::Vec3;

/// Cuts a polygon of numbered points into triangles of the same turning, by clipping ears in the plane it fits best.
///
/// Points that repeat their neighbour are left out; what is left of less than three gives none. A polygon that crosses itself
/// has no right answer: the remaining points are then joined as a fan, which keeps its rim.
pub(crate) fn triangulate(polygon: &[u32], positions: &[Vec3]) -> Vec<[u32; 3]> {
    let mut ring = polygon.to_vec();
    ring.dedup();
    while ring.len() > 1 && ring.first() == ring.last() {
        ring.pop();
    }
    let mut triangles = Vec::with_capacity(ring.len().saturating_sub(2));
    let normal = newell_normal(&ring, positions);
    let place = |point: u32| positions[point as usize];
    while ring.len() > 3 {
        let count = ring.len();
        let ear = (0..count).find(|&k| is_ear(&ring, k, &normal, place));
        let Some(ear) = ear else {
            triangles.extend((1..count - 1).map(|k| [ring[0], ring[k], ring[k + 1]]));
            return triangles;
        };
        triangles.push([ring[(ear + count - 1) % count], ring[ear], ring[(ear + 1) % count]]);
        ring.remove(ear);
    }
    if let [a, b, c] = ring[..] {
        triangles.push([a, b, c]);
    }
    triangles
}

/// Normal of the best plane, as long as twice the area (Newell).
fn newell_normal(ring: &[u32], positions: &[Vec3]) -> Vec3 {
    let Some(&first) = ring.first() else { return Vec3::zeros() };
    let origin = positions[first as usize];
    let arm = |k: usize| positions[ring[k % ring.len()] as usize] - origin;
    (0..ring.len()).map(|k| arm(k).cross(&arm(k + 1))).sum()
}

/// Whether a corner turns outward and no other point of the ring lies in its triangle.
fn is_ear(ring: &[u32], k: usize, normal: &Vec3, place: impl Fn(u32) -> Vec3) -> bool {
    let count = ring.len();
    let corners = [ring[(k + count - 1) % count], ring[k], ring[(k + 1) % count]];
    let [a, b, c] = corners.map(&place);
    let turn = |from: &Vec3, to: &Vec3, point: &Vec3| (to - from).cross(&(point - from)).dot(normal);
    if turn(&a, &b, &c) <= 0.0 {
        return false;
    }
    ring.iter().filter(|point| !corners.contains(point)).all(|&point| {
        let p = place(point);
        turn(&a, &b, &p) < 0.0 || turn(&b, &c, &p) < 0.0 || turn(&c, &a, &p) < 0.0
    })
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
}
