//! Ray casting against triangles and spheres.

use craze_math::Vec3;
use craze_spatial::{Aabb, Bvh, Ray, SpatialError, TriangleTree};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hit {
    pub distance: f64,
    pub item: Item,
}

/// An object that rays can hit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Item {
    /// Index of a triangle and the barycentric weights of its second and third corner.
    Triangle(usize, f64, f64),
    Sphere(usize),
}

/// Triangles and spheres in bounding volume hierarchies.
pub(crate) struct Tracer {
    corners: Vec<[Vec3; 3]>,
    triangles: TriangleTree,
    balls: Vec<(Vec3, f64)>,
    spheres: Bvh,
}

impl Tracer {
    /// Builds from corners of triangles, and centres and radii of spheres, all within ±1e18.
    pub fn new(corners: Vec<[Vec3; 3]>, balls: Vec<(Vec3, f64)>) -> Result<Tracer, SpatialError> {
        let positions = corners.as_flattened();
        let numbers: Vec<[u32; 3]> = (0..corners.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        let triangles = TriangleTree::new(positions, &numbers)?;
        let around = |(center, radius): &(Vec3, f64)| Aabb {
            min: center.add_scalar(-radius), //
            max: center.add_scalar(*radius),
        };
        let spheres = Bvh::build(&balls.iter().map(around).collect::<Vec<Aabb>>())?;
        Ok(Tracer { corners, triangles, balls, spheres })
    }

    pub fn corners(&self, triangle: usize) -> &[Vec3; 3] {
        &self.corners[triangle]
    }

    /// Centre and radius of a sphere.
    pub fn ball(&self, sphere: usize) -> &(Vec3, f64) {
        &self.balls[sphere]
    }

    /// The nearest hit along a ray with unit direction.
    pub fn nearest(&self, origin: &Vec3, direction: &Vec3, limit: f64) -> Option<Hit> {
        let mut ray = Ray { far: limit, ..Ray::new(*origin, *direction) };
        let triangle = self.triangles.cast(&ray).map(Hit::of_triangle);
        if let Some(hit) = triangle {
            ray.far = hit.distance;
        }
        let sphere =
            self.spheres.cast(&ray, |sphere, far| ball_distance(&self.balls[sphere as usize], origin, direction, far));
        sphere.map(Hit::of_sphere).or(triangle)
    }

    /// Any hit along a ray with unit direction.
    pub fn any(&self, origin: &Vec3, direction: &Vec3, limit: f64) -> Option<Hit> {
        let ray = Ray { far: limit, ..Ray::new(*origin, *direction) };
        self.triangles.cast_any(&ray).map(Hit::of_triangle).or_else(|| {
            let meet = |sphere: u32, far: f64| ball_distance(&self.balls[sphere as usize], origin, direction, far);
            self.spheres.cast_any(&ray, meet).map(Hit::of_sphere)
        })
    }
}

impl Hit {
    fn of_triangle(hit: craze_spatial::Hit) -> Hit {
        let [_, u, v] = hit.barycentric;
        Hit { distance: hit.distance, item: Item::Triangle(hit.triangle as usize, u, v) }
    }

    fn of_sphere((sphere, distance): (u32, f64)) -> Hit {
        Hit { distance, item: Item::Sphere(sphere as usize) }
    }
}

/// Distance to where a ray enters a ball, or leaves it if it starts inside.
fn ball_distance(&(center, radius): &(Vec3, f64), origin: &Vec3, direction: &Vec3, limit: f64) -> Option<f64> {
    let offset = center - origin;
    let along = offset.dot(direction);
    // Squared distance of the line from the centre, without cancellation for distant balls.
    let across = (offset - direction * along).norm_squared();
    let half = (radius * radius - across).sqrt();
    [along - half, along + half].into_iter().find(|&distance| distance > 0.0 && distance < limit)
}
