//! Convex hulls, optionally with a limited number of vertices.
//!
//! The point farthest outside is added first, as in quickhull (Barber, Dobkin & Huhdanpaa 1996), so
//! a hull with few vertices is already a good approximation. The faces visible from a point are
//! determined exactly. A face coplanar with the point counts as visible, which avoids triangles
//! without area and removes vertices inside a flat face.

use crate::Vec3;
use crate::predicates::orient3d;

/// Relative tolerance below which two distances tie; the last point in lexicographic order is then
/// chosen, which is a corner.
const DISTANCE_TIE_TOLERANCE: f64 = 1e-9;

/// A convex polyhedron.
#[derive(Clone, Debug, PartialEq)]
pub struct Hull {
    /// Its vertices as indices into the points, ascending.
    pub vertices: Vec<u32>,
    /// Its faces as indices into the points, counterclockwise from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Largest distance of a point outside the hull (m, from the planes of its faces); 0 for a
    /// complete hull.
    pub beyond: f64,
}

struct Face {
    corners: [u32; 3],
    /// Unit normal, outward.
    normal: Vec3,
}

/// The face that a point is farthest outside of, and the distance (m). Distances set the order;
/// exact signs decide visibility.
#[derive(Clone, Copy)]
struct Outside {
    face: usize,
    distance: f64,
}

/// The convex hull of the points with at most `limit` vertices (at least 4). `None` if the points
/// are coplanar or not all finite.
pub fn convex_hull(points: &[Vec3], limit: usize) -> Option<Hull> {
    if !points.iter().flatten().all(|coordinate| coordinate.is_finite()) {
        return None;
    }
    let mut faces: Vec<Option<Face>> = Vec::new();
    let [a, b, c, d] = first_tetrahedron(points)?;
    for corners in [[a, c, b], [a, b, d], [a, d, c], [b, c, d]] {
        faces.push(Some(face(points, corners)));
    }
    let mut outside: Vec<Option<Outside>> = points.iter().map(|point| farthest(points, &faces, 0, point)).collect();
    // Euler: a closed polyhedron of F triangles has F/2 + 2 vertices.
    while faces.iter().flatten().count() / 2 + 2 < limit {
        let Some(apex) = next(points, &outside) else { break };
        let first_new = faces.len();
        add(points, &mut faces, apex);
        for (known, point) in outside.iter_mut().zip(points) {
            let Some(before) = *known else { continue };
            *known = if faces[before.face].is_none() {
                farthest(points, &faces, 0, point)
            } else {
                let new = farthest(points, &faces, first_new, point);
                Some(new.filter(|new| new.distance > before.distance).unwrap_or(before))
            };
        }
    }
    let triangles: Vec<[u32; 3]> = faces.into_iter().flatten().map(|face| face.corners).collect();
    let mut vertices = triangles.concat();
    vertices.sort_unstable();
    vertices.dedup();
    let beyond = outside.iter().flatten().map(|outside| outside.distance).fold(0.0, f64::max);
    Some(Hull { vertices, triangles, beyond })
}

fn face(points: &[Vec3], corners: [u32; 3]) -> Face {
    let [a, b, c] = corners.map(|corner| points[corner as usize]);
    Face { corners, normal: (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_else(Vec3::zeros) }
}

/// Positive if the point is outside the face, zero if coplanar.
fn side(points: &[Vec3], face: &Face, point: &Vec3) -> f64 {
    let [a, b, c] = face.corners.map(|corner| points[corner as usize]);
    orient3d(&a, &b, &c, point)
}

/// Four points far from each other and not coplanar, positively oriented.
fn first_tetrahedron(points: &[Vec3]) -> Option<[u32; 4]> {
    let a = farthest_by(points, |point| -point.x)?;
    let from = points[a as usize];
    let b = farthest_by(points, |point| (point - from).norm_squared())?;
    let along = points[b as usize] - from;
    let c = farthest_by(points, |point| along.cross(&(point - from)).norm_squared())?;
    let normal = along.cross(&(points[c as usize] - from));
    let d = farthest_by(points, |point| normal.dot(&(point - from)).abs())?;
    let volume = orient3d(&from, &points[b as usize], &points[c as usize], &points[d as usize]);
    if volume > 0.0 {
        Some([a, b, c, d])
    } else if volume < 0.0 {
        Some([a, c, b, d])
    } else {
        None
    }
}

/// The point with the largest measure; among equals the last in lexicographic order.
fn farthest_by(points: &[Vec3], measure: impl Fn(&Vec3) -> f64) -> Option<u32> {
    let ranked = |index: usize| (measure(&points[index]), points[index]);
    let best = (0..points.len()).reduce(|best, index| {
        let ((best_measure, best_point), (measure, point)) = (ranked(best), ranked(index));
        let further = measure > best_measure || (measure == best_measure && after(&point, &best_point));
        if further { index } else { best }
    })?;
    Some(best as u32)
}

fn after(one: &Vec3, other: &Vec3) -> bool {
    [one.x, one.y, one.z] > [other.x, other.y, other.z]
}

/// The face with index `first` or above that the point is farthest outside of.
fn farthest(points: &[Vec3], faces: &[Option<Face>], first: usize, point: &Vec3) -> Option<Outside> {
    let mut best: Option<Outside> = None;
    for (number, face) in faces.iter().enumerate().skip(first) {
        let Some(face) = face else { continue };
        let distance = face.normal.dot(&(point - points[face.corners[0] as usize])).max(0.0);
        if best.is_none_or(|best| distance > best.distance) && side(points, face, point) > 0.0 {
            best = Some(Outside { face: number, distance });
        }
    }
    best
}

/// The next point to add: the farthest; among ties the last in lexicographic order.
fn next(points: &[Vec3], outside: &[Option<Outside>]) -> Option<u32> {
    let largest = outside.iter().flatten().map(|outside| outside.distance).reduce(f64::max)?;
    let near = largest * (1.0 - DISTANCE_TIE_TOLERANCE);
    let far = |index: &usize| outside[*index].is_some_and(|outside| outside.distance >= near);
    let last = |best: usize, index: usize| if after(&points[index], &points[best]) { index } else { best };
    (0..points.len()).filter(far).reduce(last).map(|index| index as u32)
}

/// Replaces the faces visible from `apex` by triangles from `apex` to the horizon.
fn add(points: &[Vec3], faces: &mut Vec<Option<Face>>, apex: u32) {
    let point = points[apex as usize];
    let mut edges = Vec::new();
    for slot in faces.iter_mut() {
        if slot.as_ref().is_some_and(|face| side(points, face, &point) >= 0.0)
            && let Some(Face { corners: [a, b, c], .. }) = slot.take()
        {
            edges.extend([[a, b], [b, c], [c, a]]);
        }
    }
    // Edges between two visible faces occur in both directions; the others form the horizon.
    let mut directed = edges.clone();
    directed.sort_unstable();
    edges.retain(|&[from, to]| directed.binary_search(&[to, from]).is_err());
    for [from, to] in edges {
        faces.push(Some(face(points, [from, to, apex])));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Invariants of any hull: convex, closed, vertices equal those of the triangles, Euler's
    /// formula.
    fn check(points: &[Vec3], hull: &Hull) {
        let mut used: Vec<u32> = hull.triangles.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        assert_eq!(used, hull.vertices);
        assert_eq!(hull.triangles.len(), 2 * hull.vertices.len() - 4);
        let edges = || hull.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let mut directed: Vec<[u32; 2]> = edges().collect();
        directed.sort_unstable();
        assert!(directed.windows(2).all(|pair| pair[0] != pair[1]), "an edge is passed twice in one direction");
        assert!(edges().all(|[from, to]| directed.binary_search(&[to, from]).is_ok()), "a border");
        for &corners in &hull.triangles {
            let face = face(points, corners);
            assert!(hull.vertices.iter().all(|&vertex| side(points, &face, &points[vertex as usize]) <= 0.0));
        }
    }

    fn contains(points: &[Vec3], hull: &Hull, point: &Vec3) -> bool {
        hull.triangles.iter().all(|&corners| side(points, &face(points, corners), point) <= 0.0)
    }

    fn grid(count: u32) -> Vec<Vec3> {
        let numbers = || (0..count).map(f64::from);
        numbers().flat_map(|x| numbers().flat_map(move |y| numbers().map(move |z| Vec3::new(x, y, z)))).collect()
    }

    #[test]
    fn the_hull_of_a_grid_has_its_corners_only() {
        let points = grid(5);
        let hull = convex_hull(&points, usize::MAX).unwrap();
        check(&points, &hull);
        assert_eq!(hull.vertices.len(), 8);
        assert_eq!(hull.beyond, 0.0);
        assert!(points.iter().all(|point| contains(&points, &hull, point)));
    }

    #[test]
    fn coplanar_too_few_or_infinite_points_have_no_hull() {
        assert_eq!(convex_hull(&[], 8), None);
        assert_eq!(convex_hull(&[Vec3::zeros(); 9], 8), None);
        assert_eq!(convex_hull(&[Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::new(0.3, 0.3, 0.0)], 8), None);
        let mut points = grid(2);
        points[3].y = f64::NAN;
        assert_eq!(convex_hull(&points, 8), None);
    }

    #[test]
    fn a_limit_keeps_the_far_points_and_reports_the_distance_outside() {
        let mut points = grid(2);
        points.push(Vec3::new(0.5, 0.5, 1.01));
        let hull = convex_hull(&points, 8).unwrap();
        check(&points, &hull);
        assert_eq!(hull.vertices, [0, 1, 2, 3, 4, 5, 6, 7]);
        assert!((hull.beyond - 0.01).abs() < 1e-12);
        assert_eq!(convex_hull(&points, 9).unwrap().beyond, 0.0);
        assert_eq!(convex_hull(&points, 0).unwrap().vertices.len(), 4);
    }

    proptest! {
        #[test]
        fn all_points_are_inside(points in prop::collection::vec(prop::array::uniform3(-1.0..1.0), 0..80)) {
            let points: Vec<Vec3> = points.into_iter().map(Vec3::from).collect();
            if let Some(hull) = convex_hull(&points, usize::MAX) {
                check(&points, &hull);
                prop_assert!(points.iter().all(|point| contains(&points, &hull, point)));
            } else {
                prop_assert!(points.len() < 4);
            }
        }

        /// Coordinates with few values: many coplanar, collinear and coincident points.
        #[test]
        fn all_points_are_inside_where_many_are_in_one_plane(points in prop::collection::vec(prop::array::uniform3(0..4), 0..60)) {
            let points: Vec<Vec3> = points.into_iter().map(|point| Vec3::from(point.map(f64::from))).collect();
            if let Some(hull) = convex_hull(&points, usize::MAX) {
                check(&points, &hull);
                prop_assert!(points.iter().all(|point| contains(&points, &hull, point)));
            }
        }

        #[test]
        fn a_limit_is_kept(points in prop::collection::vec(prop::array::uniform3(0..5), 8..80), limit in 4_usize..20) {
            let points: Vec<Vec3> = points.into_iter().map(|point| Vec3::from(point.map(f64::from))).collect();
            if let Some(hull) = convex_hull(&points, limit) {
                check(&points, &hull);
                prop_assert!(hull.vertices.len() <= limit);
                let is_outside = points.iter().any(|point| !contains(&points, &hull, point));
                prop_assert_eq!(is_outside, hull.beyond > 0.0);
            }
        }
    }
}
