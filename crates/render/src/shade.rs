//! Shading of rays.
//!
//! A point receives light from the lamp, from the dome, and by one bounce from the floor and other
//! bodies. Surfaces are matt with a thin glossy coat, or metal.

use craze_math::Vec3;

use crate::bump_noise;
use crate::color::{ColorMap, Light, luminance};
use crate::lamp::{Studio, smooth_step};
use crate::look::Look;
use crate::paint::ElementLook;
use crate::sampling::{PixelSamples, SampleUse, cosine_direction};
use crate::settings::Wireframe;
use crate::stage::{Plane, Stage};
use crate::trace::{Hit, Item};
use crate::tuning::{BOUNCE_FACTOR, MAX_SPECULAR, SHADOW_STRENGTH};
use crate::values::ValueRange;

/// Offset of a ray's origin from the surface it leaves, in radii of the subject (1).
const RAY_OFFSET: f64 = 2e-5;
/// Walls fade to the background between these distances, in radii of the subject (1).
const WALL_FADE: (f64, f64) = (1.5, 3.5);
/// Line width of the wireframe (pixels).
const WIRE_WIDTH: f64 = 1.2;

/// A ray with unit direction.
#[derive(Clone, Copy)]
pub(crate) struct Ray {
    pub origin: Vec3,
    pub direction: Vec3,
}

/// Shading of a camera ray: light = albedo × irradiance + specular, per channel.
///
/// Separate because irradiance varies slowly along a surface and carries the noise, so it can be
/// denoised.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shading {
    /// Colour of the surface.
    pub albedo: Light,
    /// Incident diffuse light.
    pub irradiance: Light,
    /// Specular reflection, or background light.
    pub specular: Light,
    /// Normal; zero for the background.
    pub normal: Vec3,
    /// Position of the hit.
    pub position: Vec3,
}

impl Shading {
    fn backdrop(light: &Light) -> Shading {
        let zero = Vec3::zeros();
        Shading { albedo: *light, irradiance: Light::repeat(1.0), specular: zero, normal: zero, position: zero }
    }

    /// Light toward the camera.
    pub fn light(&self) -> Light {
        self.albedo.component_mul(&self.irradiance) + self.specular
    }
}

struct Point {
    position: Vec3,
    /// Unit normal of the triangle, toward the viewer.
    face: Vec3,
    /// Unit shading normal.
    normal: Vec3,
    look: Look,
}

pub(crate) struct Scene<'a> {
    pub stage: &'a Stage,
    pub studio: &'a Studio,
    pub map: &'a ColorMap,
    pub range: Option<ValueRange>,
    pub wireframe: Wireframe,
    /// Height of a pixel at unit distance.
    pub pixel: f64,
}

impl Scene<'_> {
    /// Shades a camera ray; `backdrop` is the background light.
    pub fn shade(&self, ray: &Ray, samples: PixelSamples, index: u32, backdrop: &Light) -> Shading {
        let hit = self.stage.tracer.nearest(&ray.origin, &ray.direction, f64::INFINITY);
        let reach = hit.map_or(f64::INFINITY, |hit| hit.distance);
        match (self.nearest_plane(ray, reach), hit) {
            (Some((distance, plane)), _) => {
                let position = ray.origin + ray.direction * distance;
                if plane.floor {
                    self.on_floor(position, plane, samples, index, backdrop)
                } else {
                    self.on_wall(ray, position, plane, samples, index, backdrop)
                }
            }
            (None, Some(hit)) => self.shade_point(&self.point(ray, &hit), &-ray.direction, samples, index),
            (None, None) => Shading::backdrop(backdrop),
        }
    }

    fn nearest_plane(&self, ray: &Ray, limit: f64) -> Option<(f64, &Plane)> {
        self.stage.nearest_plane(&ray.origin, &ray.direction, limit)
    }

    /// Walls are grey and fade to the background.
    fn on_wall(
        &self,
        ray: &Ray,
        position: Vec3,
        plane: &Plane,
        samples: PixelSamples,
        index: u32,
        backdrop: &Light,
    ) -> Shading {
        let share = 1.0 - smooth_step(WALL_FADE.0, WALL_FADE.1, position.norm());
        if share <= 0.0 {
            return Shading::backdrop(backdrop);
        }
        let look = Look { color: Light::repeat(0.42), ..craze_frame::Look::obstacle().into() };
        let point = Point { position, face: plane.normal, normal: plane.normal, look };
        let shading = self.shade_point(&point, &-ray.direction, samples, index);
        Shading { albedo: shading.albedo * share, specular: backdrop.lerp(&shading.specular, share), ..shading }
    }

    /// Floors have the colour of the background, darkened by shadows, so that both merge.
    fn on_floor(&self, position: Vec3, plane: &Plane, samples: PixelSamples, index: u32, backdrop: &Light) -> Shading {
        let start = position + plane.normal * RAY_OFFSET;
        let lamp_share = self.studio.lamp_light * self.studio.lamp_cosine(&plane.normal);
        let dome_share = self.studio.dome(&Vec3::new(0.0, 0.6, 0.0));
        let to_lamp = self.studio.to_lamp(samples.pair(index, SampleUse::Lamp));
        let mut received = Light::zeros();
        if self.stage.tracer.any(&start, &to_lamp, f64::INFINITY).is_none() {
            received += lamp_share;
        }
        let to_dome = cosine_direction(&plane.normal, samples.pair(index, SampleUse::Sky));
        received += match self.stage.tracer.any(&start, &to_dome, f64::INFINITY) {
            None => dome_share,
            Some(hit) => dome_share.component_mul(&self.color_at(&hit)) * BOUNCE_FACTOR,
        };
        let ratio = received.component_div(&(lamp_share + dome_share));
        let irradiance = ratio.map(|r| 1.0 - SHADOW_STRENGTH * (1.0 - r));
        Shading { albedo: *backdrop, irradiance, specular: Light::zeros(), normal: plane.normal, position }
    }

    /// Diffuse colour at a hit.
    fn color_at(&self, hit: &Hit) -> Light {
        let (element_look, shares) = match hit.item {
            Item::Triangle(index, u, v) => (&self.stage.triangles[index].element_look, [1.0 - u - v, u, v]),
            Item::Sphere(index) => (&self.stage.spheres[index], [1.0, 0.0, 0.0]),
        };
        self.look_of(element_look, shares).color
    }

    fn look_of(&self, element_look: &ElementLook, shares: [f64; 3]) -> Look {
        let look = self.stage.looks[element_look.look as usize];
        let Some(range) = self.range else { return look };
        let value: f64 = element_look.values.iter().zip(shares).map(|(&value, share)| share * f64::from(value)).sum();
        if value.is_finite() { look.in_color(self.map.at(range.fraction(value))) } else { look }
    }

    /// The point that a camera ray hits.
    fn point(&self, ray: &Ray, hit: &Hit) -> Point {
        let position = ray.origin + ray.direction * hit.distance;
        match hit.item {
            Item::Sphere(index) => {
                let (center, _) = self.stage.tracer.ball(index);
                let outward = (position - center).normalize();
                let face = if outward.dot(&ray.direction) > 0.0 { -outward } else { outward };
                let look = self.look_of(&self.stage.spheres[index], [1.0, 0.0, 0.0]);
                Point { position, face, normal: face, look }
            }
            Item::Triangle(index, u, v) => {
                self.point_of_triangle(ray, position, hit.distance, index, [1.0 - u - v, u, v])
            }
        }
    }

    fn point_of_triangle(&self, ray: &Ray, position: Vec3, distance: f64, index: usize, shares: [f64; 3]) -> Point {
        let triangle = &self.stage.triangles[index];
        let corners = self.stage.tracer.corners(index);
        let outward = (corners[1] - corners[0]).cross(&(corners[2] - corners[0])).normalize();
        let side = if outward.dot(&ray.direction) > 0.0 { -1.0 } else { 1.0 };
        let face = outward * side;
        let normals = triangle.normals.map(|normal| normal.cast::<f64>() * side);
        let mut normal = Vec3::zeros();
        // Shadow rays start on the smooth surface implied by the normals, which avoids facets along
        // the shadow terminator (J. Hanika, Hacking the shadow terminator, 2021).
        let mut lifted = position;
        for k in 0..3 {
            normal += normals[k] * shares[k];
            let below = (position - corners[k]).dot(&normals[k]).min(0.0);
            lifted -= normals[k] * (shares[k] * below);
        }
        let mut normal = normal.try_normalize(1e-9).unwrap_or(face);
        if let Some(positions) = &triangle.noise_positions {
            let [a, b, c] = shares.map(|share| share as f32);
            normal = bump_noise::perturbed_normal(&normal, &(positions[0] * a + positions[1] * b + positions[2] * c));
        }
        // Shading normals that face away from the camera are bent back until grazing.
        let toward = -normal.dot(&ray.direction);
        if toward < 0.02 {
            normal = (normal - ray.direction * (0.02 - toward)).normalize();
        }
        let mut look = self.look_of(&triangle.element_look, shares);
        if self.wireframe == Wireframe::Shown && triangle.is_body {
            let edge = distance_to_edge(corners, shares);
            if edge < 0.5 * WIRE_WIDTH * self.pixel * distance {
                let color = if luminance(&look.color) > 0.1 { look.color * 0.12 } else { Light::repeat(0.4) };
                look = Look { color, mirror: 0.0, metal: 0.0, ..look };
            }
        }
        Point { position: lifted, face, normal, look }
    }

    /// Shades a point toward the viewer.
    fn shade_point(&self, point: &Point, viewer: &Vec3, samples: PixelSamples, index: u32) -> Shading {
        let start = point.position + point.face * RAY_OFFSET;
        let look = &point.look;
        let straight = Light::repeat(look.mirror * (1.0 - look.metal)) + look.color * look.metal;
        let facing = point.normal.dot(viewer).clamp(0.0, 1.0);
        let (mut irradiance, mut specular) = (Light::zeros(), Light::zeros());

        let to_lamp = self.studio.to_lamp(samples.pair(index, SampleUse::Lamp));
        let cosine = point.normal.dot(&to_lamp);
        if cosine > 0.0 && self.stage.tracer.any(&start, &to_lamp, f64::INFINITY).is_none() {
            let reflection = specular_reflection(&point.normal, viewer, &to_lamp, look.roughness, &straight);
            irradiance += self.studio.lamp_light * cosine;
            specular += self.studio.lamp_light.component_mul(&reflection) * cosine;
        }

        let to_dome = to_front(cosine_direction(&point.normal, samples.pair(index, SampleUse::Sky)), &point.face);
        let from_dome = self.incident_light(&start, &to_dome, samples, index);
        irradiance += from_dome;

        // The coat reflects the dome; the ray just cast estimates its visibility.
        let grazing = (1.0 - facing).powi(5) * (1.0 - look.roughness).powi(2);
        let mirrored = straight + (Light::repeat(1.0) - straight) * grazing;
        let reflected = point.normal * (2.0 * facing) - viewer;
        if look.metal > 0.0 {
            let blur = look.roughness * look.roughness;
            let around = cosine_direction(&reflected, samples.pair(index, SampleUse::Mirror));
            let direction = to_front((reflected * (1.0 - blur) + around * blur).normalize(), &point.face);
            specular += mirrored.component_mul(&self.mirror_reflection(&start, &direction, samples, index));
        } else {
            let free = (luminance(&from_dome) / luminance(&self.studio.dome(&to_dome))).min(1.0);
            specular += mirrored.component_mul(&self.studio.mirrored(&reflected)) * free;
        }
        let specular = specular.map(|channel| channel.min(MAX_SPECULAR));
        Shading {
            albedo: look.color * (1.0 - look.metal),
            irradiance,
            specular,
            normal: point.normal,
            position: point.position,
        }
    }

    /// Incident light from the dome, the floor or another object.
    fn incident_light(&self, start: &Vec3, direction: &Vec3, samples: PixelSamples, index: u32) -> Light {
        let ray = Ray { origin: *start, direction: *direction };
        let plane = self.nearest_plane(&ray, f64::INFINITY);
        let reach = plane.map_or(f64::INFINITY, |(distance, _)| distance);
        if let Some(hit) = self.stage.tracer.any(start, direction, reach) {
            return self.color_at(&hit).component_mul(&self.studio.dome(&Vec3::y())) * BOUNCE_FACTOR;
        }
        let Some((distance, plane)) = plane else { return self.studio.dome(direction) };
        let position = start + direction * distance + plane.normal * RAY_OFFSET;
        let mut received = self.studio.dome(&Vec3::y()) * 0.6;
        let to_lamp = self.studio.to_lamp(samples.pair(index, SampleUse::Bounce));
        let cosine = self.studio.lamp_cosine(&plane.normal);
        if cosine > 0.0 && self.stage.tracer.any(&position, &to_lamp, f64::INFINITY).is_none() {
            received += self.studio.lamp_light * cosine;
        }
        received * BOUNCE_FACTOR
    }

    /// Light that a metal reflects from a direction.
    fn mirror_reflection(&self, start: &Vec3, direction: &Vec3, samples: PixelSamples, index: u32) -> Light {
        let ray = Ray { origin: *start, direction: *direction };
        let hit = self.stage.tracer.nearest(start, direction, f64::INFINITY);
        let plane = self.nearest_plane(&ray, hit.map_or(f64::INFINITY, |hit| hit.distance));
        match (plane, hit) {
            (None, None) => self.studio.mirrored(direction),
            (None, Some(hit)) => {
                let point = self.point(&ray, &hit);
                let irradiance = self.studio.lamp_light * self.studio.lamp_cosine(&point.normal) * 0.6;
                point.look.color.component_mul(&(irradiance + self.studio.dome(&point.normal) * 0.7))
            }
            (Some(_), _) => self.incident_light(start, direction, samples, index) * 1.3,
        }
    }
}

/// Mirrors a direction to the front of a face.
fn to_front(direction: Vec3, face: &Vec3) -> Vec3 {
    let depth = direction.dot(face);
    if depth < 0.0 { direction - face * (2.0 * depth) } else { direction }
}

/// Specular reflection of a lamp relative to white (B. Walter et al., *Microfacet models for
/// refraction through rough surfaces*, 2007, eq. 33 and 34; Fresnel term of C. Schlick 1994).
fn specular_reflection(normal: &Vec3, viewer: &Vec3, lamp: &Vec3, roughness: f64, straight: &Light) -> Light {
    let half = (viewer + lamp).normalize();
    let (to_lamp, to_viewer) = (normal.dot(lamp), normal.dot(viewer).max(1e-3));
    // The lamp is large: a narrower lobe would be noisy.
    let width = (roughness * roughness).max(0.06).powi(2);
    let cosine = normal.dot(&half).clamp(0.0, 1.0);
    let denominator = cosine * cosine * (width - 1.0) + 1.0;
    let facets = width / (denominator * denominator);
    let shadowing = |c: f64| 2.0 * c / (c + (width + (1.0 - width) * c * c).sqrt());
    let grazing = (1.0 - viewer.dot(&half).clamp(0.0, 1.0)).powi(5) * (1.0 - roughness);
    let fresnel = straight + (Light::repeat(1.0) - straight) * grazing;
    fresnel * (facets * shadowing(to_lamp) * shadowing(to_viewer) / (4.0 * to_lamp.max(1e-3) * to_viewer))
}

/// Distance from a point of a triangle (barycentric) to the nearest edge.
fn distance_to_edge(corners: &[Vec3; 3], shares: [f64; 3]) -> f64 {
    let area = (corners[1] - corners[0]).cross(&(corners[2] - corners[0])).norm();
    (0..3)
        .map(|k| shares[k] * area / (corners[(k + 2) % 3] - corners[(k + 1) % 3]).norm())
        .fold(f64::INFINITY, f64::min)
}
