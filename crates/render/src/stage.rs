//! A frame prepared for ray tracing: triangles, spheres and planes, translated and scaled so that
//! the subject is a unit ball around the origin and tolerances are absolute.

use craze_frame::{Frame, ObstacleShape, Surface};
use craze_math::Vec3;

use crate::error::RenderError;
use crate::look::Look;
use crate::paint::{ElementLook, Paint};
use crate::settings::{Ground, Settings};
use crate::subject::{Content, Subject, corners, is_finite};
use crate::trace::{Item, Tracer};

/// Single precision suffices for colours.
pub(crate) type Vec3f = nalgebra::Vector3<f32>;

/// Smallest vertical component of a floor's normal (1).
const MIN_FLOOR_NORMAL: f64 = 0.985;

/// Largest coordinate, in radii of the subject (1).
const MAX_COORDINATE: f64 = 1e15;

/// Shading data of a triangle.
pub(crate) struct Triangle {
    /// Unit normals at the corners.
    pub normals: [Vec3f; 3],
    /// Corner positions for the noise of crack faces: rest positions if known.
    pub noise_positions: Option<Box<[Vec3f; 3]>>,
    /// Look and values.
    pub element_look: ElementLook,
    /// True for bodies, which are the subject and may have a wireframe; false for obstacles.
    pub is_body: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Plane {
    /// Height of the origin above the plane.
    pub height: f64,
    /// Unit normal toward the free side.
    pub normal: Vec3,
    /// True for the floor of the studio.
    pub floor: bool,
}

/// Everything that rays can hit.
pub(crate) struct Stage {
    /// Ray casting.
    pub tracer: Tracer,
    /// Shading data of the tracer's triangles.
    pub triangles: Vec<Triangle>,
    /// Looks of the tracer's spheres.
    pub spheres: Vec<ElementLook>,
    /// Looks, by index.
    pub looks: Vec<Look>,
    /// Planes among the obstacles.
    pub planes: Vec<Plane>,
    /// Number of triangles, particles and planes left out.
    pub undrawable: usize,
    /// Centre of the subject in the world (m).
    center: Vec3,
    /// Stage units per metre.
    scale: f64,
}

struct Builder<'a> {
    settings: &'a Settings,
    center: Vec3,
    scale: f64,
    corners: Vec<[Vec3; 3]>,
    triangles: Vec<Triangle>,
    balls: Vec<(Vec3, f64)>,
    spheres: Vec<ElementLook>,
    looks: Vec<Look>,
    undrawable: usize,
}

impl Stage {
    /// Builds from everything drawable in the frame. Without a subject, `view` (point and length,
    /// m) gives the scale.
    pub fn new(frame: &Frame, settings: &Settings, view: (Vec3, f64)) -> Result<Stage, RenderError> {
        let (center, radius) = match Subject::of(&[frame], Content::WithObstacles).bounds() {
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

    /// World position (m) to stage coordinates.
    pub fn to_stage(&self, point: &Vec3) -> Vec3 {
        (point - self.center) * self.scale
    }

    /// The nearest plane that a ray hits from its free side before `limit`, with the distance.
    /// Planes are invisible from behind.
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

    /// Returns true if a ray first hits a body.
    pub fn shows_body(&self, origin: &Vec3, direction: &Vec3) -> bool {
        let Some(hit) = self.tracer.nearest(origin, direction, f64::INFINITY) else { return false };
        let is_body = match hit.item {
            Item::Triangle(triangle, ..) => self.triangles[triangle].is_body,
            Item::Sphere(_) => true,
        };
        is_body && self.nearest_plane(origin, direction, hit.distance).is_none()
    }
}

/// Returns true if a point is finite and within range.
fn is_in_range(point: &Vec3) -> bool {
    point.iter().all(|x| x.abs() < MAX_COORDINATE)
}

impl Builder<'_> {
    fn to_stage(&self, point: &Vec3) -> Vec3 {
        (point - self.center) * self.scale
    }

    fn add_surface(&mut self, surface: &Surface, paint: &Paint, is_body: bool) {
        let positions: Vec<Vec3> =
            surface.positions.iter().map(|p| if is_finite(p) { self.to_stage(p) } else { Vec3::zeros() }).collect();
        let has_area = |triangle: &[u32; 3]| {
            corners(&surface.positions, triangle).is_some() && {
                let [a, b, c] = triangle.map(|vertex| positions[vertex as usize]);
                [a, b, c].iter().all(is_in_range) && (b - a).cross(&(c - a)).norm() > 0.0
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
            let noise_positions = paint.is_crack(element).then(|| {
                Box::new(triangle.map(|vertex| {
                    let at_rest = rest.get(vertex as usize).filter(|p| is_finite(p));
                    at_rest.map_or(positions[vertex as usize], |p| p * self.scale).cast()
                }))
            });
            self.corners.push(triangle.map(|vertex| positions[vertex as usize]));
            self.triangles.push(Triangle {
                normals: normals.map(|normal| normal.cast()),
                noise_positions,
                element_look: paint.element_look(element, *triangle, first_look),
                is_body,
            });
        }
        self.looks.extend(&paint.looks);
    }

    fn add_particles(&mut self, positions: &[Vec3], radius: f64, paint: &Paint) {
        let radius = radius * self.scale;
        for (index, position) in positions.iter().enumerate() {
            let center = self.to_stage(position);
            if is_in_range(&center) && radius > 0.0 && radius < MAX_COORDINATE {
                self.balls.push((center, radius));
                self.spheres.push(paint.element_look(index, [0; 3], self.looks.len()));
            } else {
                self.undrawable += 1;
            }
        }
        self.looks.extend(&paint.looks);
    }

    fn plane(&self, point: &Vec3, normal: &Vec3) -> Option<Plane> {
        let normal = normal.try_normalize(0.0).filter(is_finite)?;
        let height = -self.to_stage(point).dot(&normal);
        (is_finite(point) && height.abs() < MAX_COORDINATE).then_some(Plane {
            height,
            normal,
            floor: normal.y > MIN_FLOOR_NORMAL,
        })
    }

    /// A floor below the lowest point.
    fn floor_below(&self) -> Option<Plane> {
        let lowest_corner = self.corners.iter().flatten().map(|corner| corner.y);
        let lowest_ball = self.balls.iter().map(|(center, radius)| center.y - radius);
        let lowest = lowest_corner.chain(lowest_ball).fold(f64::INFINITY, f64::min);
        lowest.is_finite().then_some(Plane { height: -lowest, normal: Vec3::y(), floor: true })
    }
}
