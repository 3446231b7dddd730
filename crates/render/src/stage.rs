//! A frame made ready for rays: triangles, spheres and planes with looks, moved and scaled so that the subject is a ball of
//! radius 1 around the origin. One epsilon then serves a bridge and a grain of sand.

use craze_frame::{Frame, ObstacleShape, Surface};
use craze_math::Vec3;

use crate::error::RenderError;
use crate::look::Look;
use crate::paint::{Coat, Paint};
use crate::settings::{Ground, Settings};
use crate::subject::{Held, Subject, corners, is_finite};
use crate::trace::{Item, Tracer};

/// Single precision is enough for what only colours a point.
pub(crate) type Vec3f = nalgebra::Vector3<f32>;

/// How upright a plane's normal must be for the plane to count as floor.
const LEVEL: f64 = 0.985;

/// Farthest coordinate, in radii of the subject: beyond, nothing is seen.
const FARTHEST: f64 = 1e15;

/// A triangle as shading needs it.
pub(crate) struct Triangle {
    /// Unit normals at the corners.
    pub normals: [Vec3f; 3],
    /// Where the grain of crack faces is fixed, at the corners: the rest position if known.
    pub grain: Option<Box<[Vec3f; 3]>>,
    /// What it is painted with.
    pub coat: Coat,
    /// Whether it belongs to a body, not to an obstacle. Bodies are the subject, and only their edges are drawn.
    pub is_body: bool,
}

/// A plane without end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plane {
    /// Distance of the origin above the plane.
    pub height: f64,
    /// Unit normal toward the free side.
    pub normal: Vec3,
    /// Whether it is the floor of the studio.
    pub floor: bool,
}

/// Everything rays can meet.
pub(crate) struct Stage {
    /// Finds what a ray meets.
    pub tracer: Tracer,
    /// Shading of the tracer's triangles, in its order.
    pub triangles: Vec<Triangle>,
    /// Paint of the tracer's spheres, in its order.
    pub spheres: Vec<Coat>,
    /// Looks that coats point to.
    pub looks: Vec<Look>,
    /// Planes among the obstacles.
    pub planes: Vec<Plane>,
    /// Triangles, particles and planes that could not be drawn.
    pub undrawable: usize,
    /// Centre of the subject in the world (m).
    center: Vec3,
    /// Stage units a metre.
    scale: f64,
}

/// A stage while it is filled.
struct Builder<'a> {
    settings: &'a Settings,
    center: Vec3,
    scale: f64,
    corners: Vec<[Vec3; 3]>,
    triangles: Vec<Triangle>,
    balls: Vec<(Vec3, f64)>,
    spheres: Vec<Coat>,
    looks: Vec<Look>,
    undrawable: usize,
}

impl Stage {
    /// Everything in the frame that can be drawn. `view` is a point and a length (m) to scale by where there is no subject.
    pub fn new(frame: &Frame, settings: &Settings, view: (Vec3, f64)) -> Result<Stage, RenderError> {
        let (center, radius) = match Subject::of(&[frame], Held::WithObstacles).bounds() {
            Some((low, high)) if high != low => (0.5 * (low + high), 0.5 * (high - low).norm()),
            _ => view,
        };
        let scale = 1.0 / radius.clamp(1e-80, 1e80);
        let mut builder = Builder {
            settings,
            center,
            scale,
            corners: Vec::new(),
            triangles: Vec::new(),
            balls: Vec::new(),
            spheres: Vec::new(),
            looks: Vec::new(),
            undrawable: 0,
        };
        for (index, body) in frame.bodies.iter().enumerate() {
            builder.add_surface(&body.surface, &Paint::of_surface(body, index, settings.coloring), true);
            if let Some(particles) = body.particles.as_ref().filter(|_| body.surface.triangles.is_empty()) {
                let paint = Paint::of_elements(body, &particles.attributes, index, settings.coloring);
                builder.add_particles(&particles.positions, particles.radius, &paint);
            }
        }
        let mut planes = Vec::new();
        for obstacle in &frame.obstacles {
            match &obstacle.shape {
                ObstacleShape::Surface(surface) => {
                    builder.add_surface(surface, &Paint::plain(craze_frame::Look::obstacle()), false);
                }
                ObstacleShape::Plane { point, normal } => match builder.plane(point, normal) {
                    Some(plane) => planes.push(plane),
                    None => builder.undrawable += 1,
                },
            }
        }
        match settings.ground {
            Ground::FromFrame => {}
            Ground::Hidden => planes.clear(),
            Ground::UnderBodies if planes.is_empty() => planes.extend(builder.floor_below()),
            Ground::UnderBodies => {}
        }
        Ok(Stage {
            tracer: Tracer::new(builder.corners, builder.balls)?,
            triangles: builder.triangles,
            spheres: builder.spheres,
            looks: builder.looks,
            planes,
            undrawable: builder.undrawable,
            center,
            scale,
        })
    }

    /// A point of the world (m) in the coordinates of the stage.
    pub fn place(&self, point: &Vec3) -> Vec3 {
        (point - self.center) * self.scale
    }

    /// The nearest plane that a ray meets from its free side before `limit`, and the distance. Seen from behind, planes
    /// are not there.
    pub fn nearest_plane(&self, origin: &Vec3, direction: &Vec3, limit: f64) -> Option<(f64, &Plane)> {
        let mut nearest: Option<(f64, &Plane)> = None;
        for plane in &self.planes {
            let approach = -direction.dot(&plane.normal);
            let distance = (origin.dot(&plane.normal) + plane.height) / approach;
            if approach > 0.0 && distance > 0.0 && distance < nearest.map_or(limit, |(d, _)| d) {
                nearest = Some((distance, plane));
            }
        }
        nearest
    }

    /// Whether the first thing that a ray meets is part of a body.
    pub fn shows_body(&self, origin: &Vec3, direction: &Vec3) -> bool {
        let Some(hit) = self.tracer.nearest(origin, direction, f64::INFINITY) else { return false };
        let is_body = match hit.item {
            Item::Triangle(triangle, ..) => self.triangles[triangle].is_body,
            Item::Sphere(_) => true,
        };
        is_body && self.nearest_plane(origin, direction, hit.distance).is_none()
    }
}

/// Whether a point of the stage is a number and near enough to be seen.
fn is_near(point: &Vec3) -> bool {
    point.iter().all(|x| x.abs() < FARTHEST)
}

impl Builder<'_> {
    fn place(&self, point: &Vec3) -> Vec3 {
        (point - self.center) * self.scale
    }

    fn add_surface(&mut self, surface: &Surface, paint: &Paint, is_body: bool) {
        let positions: Vec<Vec3> =
            surface.positions.iter().map(|p| if is_finite(p) { self.place(p) } else { Vec3::zeros() }).collect();
        let has_area = |triangle: &[u32; 3]| {
            corners(&surface.positions, triangle).is_some() && {
                let [a, b, c] = triangle.map(|vertex| positions[vertex as usize]);
                [a, b, c].iter().all(is_near) && (b - a).cross(&(c - a)).norm() > 0.0
            }
        };
        let kept: Vec<usize> = (0..surface.triangles.len()).filter(|&t| has_area(&surface.triangles[t])).collect();
        self.undrawable += surface.triangles.len() - kept.len();
        let triangles: Vec<[u32; 3]> = kept.iter().map(|&t| surface.triangles[t]).collect();
        let groups: Vec<u8> = kept.iter().map(|&t| u8::from(paint.is_crack(t))).collect();
        let crease = self.settings.crease_angle.clamp(0.0, 180.0).to_radians().cos();
        let normals = craze_frame::corner_normals(&positions, &triangles, &groups, crease);
        let rest = surface.vertex_attributes.vectors(craze_frame::names::REST).unwrap_or(&[]);
        let first_look = self.looks.len();
        for ((&element, triangle), normals) in kept.iter().zip(&triangles).zip(normals) {
            let grain = paint.is_crack(element).then(|| {
                Box::new(triangle.map(|vertex| {
                    let at_rest = rest.get(vertex as usize).filter(|p| is_finite(p));
                    at_rest.map_or(positions[vertex as usize], |p| p * self.scale).cast()
                }))
            });
            self.corners.push(triangle.map(|vertex| positions[vertex as usize]));
            self.triangles.push(Triangle {
                normals: normals.map(|normal| normal.cast()),
                grain,
                coat: paint.coat(element, *triangle, first_look),
                is_body,
            });
        }
        self.looks.extend(&paint.looks);
    }

    fn add_particles(&mut self, positions: &[Vec3], radius: f64, paint: &Paint) {
        let radius = radius * self.scale;
        for (index, position) in positions.iter().enumerate() {
            let center = self.place(position);
            if is_near(&center) && radius > 0.0 && radius < FARTHEST {
                self.balls.push((center, radius));
                self.spheres.push(paint.coat(index, [0; 3], self.looks.len()));
            } else {
                self.undrawable += 1;
            }
        }
        self.looks.extend(&paint.looks);
    }

    fn plane(&self, point: &Vec3, normal: &Vec3) -> Option<Plane> {
        let normal = normal.try_normalize(0.0).filter(is_finite)?;
        let height = -self.place(point).dot(&normal);
        (is_finite(point) && height.abs() < FARTHEST).then_some(Plane { height, normal, floor: normal.y > LEVEL })
    }

    /// A floor that the lowest point touches.
    fn floor_below(&self) -> Option<Plane> {
        let lowest_corner = self.corners.iter().flatten().map(|corner| corner.y);
        let lowest_ball = self.balls.iter().map(|(center, radius)| center.y - radius);
        let lowest = lowest_corner.chain(lowest_ball).fold(f64::INFINITY, f64::min);
        lowest.is_finite().then_some(Plane { height: -lowest, normal: Vec3::y(), floor: true })
    }
}
