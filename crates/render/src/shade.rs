//! What a ray sees: light that comes back from where it ends.
//!
//! A point is lit by the lamp, by the dome, and once more by light that the floor and other bodies send on. Surfaces
//! are matt with a thin glossy coat, or metal.

use craze_math::Vec3;

use crate::color::{ColorMap, Light, luminance};
use crate::grain;
use crate::lamp::{Studio, smooth_step};
use crate::look::Look;
use crate::paint::Coat;
use crate::sampling::{PixelSamples, Use, cosine_direction};
use crate::settings::Wireframe;
use crate::stage::{Plane, Stage};
use crate::trace::{Hit, Item};
use crate::values::ValueRange;

/// How far a ray starts off the surface it leaves, in radii of the subject.
const OFFSET: f64 = 2e-5;
/// Brightest mirrored light of one ray: a lucky ray must not leave a white dot.
const BRIGHTEST: f64 = 3.0;
/// How strong shadows on the floor are.
const SHADOW: f64 = 0.93;
/// Share of the dome's light that reaches a point which another thing hides from it, for a white thing.
const BOUNCE: f64 = 0.42;
/// Walls fade to the background between these distances, in radii of the subject.
const WALL_FADE: (f64, f64) = (1.5, 3.5);
/// Width of the lines of a wireframe (pixels).
const WIRE_WIDTH: f64 = 1.2;

/// A ray with unit direction.
#[derive(Clone, Copy)]
pub(crate) struct Ray {
    pub origin: Vec3,
    pub direction: Vec3,
}

/// What a ray from the eye saw: light is base × lit + extra, channel by channel.
///
/// Kept apart because lit changes slowly along a surface and carries the grain, while base and extra may change fast.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    /// Colour of what was met.
    pub base: Light,
    /// Light that falls on it.
    pub lit: Light,
    /// Light that is mirrored or comes from behind.
    pub extra: Light,
    /// Normal of what was met; zero for the backdrop.
    pub normal: Vec3,
    /// Where it was met.
    pub place: Vec3,
}

impl Seen {
    /// Nothing but the backdrop.
    fn backdrop(light: &Light) -> Seen {
        let zero = Vec3::zeros();
        Seen { base: *light, lit: Light::repeat(1.0), extra: zero, normal: zero, place: zero }
    }

    /// The light that reaches the eye.
    pub fn light(&self) -> Light {
        self.base.component_mul(&self.lit) + self.extra
    }
}

/// A point that is to be shaded.
struct Point {
    /// Where it is.
    place: Vec3,
    /// Unit normal of the true surface, toward the viewer.
    face: Vec3,
    /// Unit normal for shading.
    normal: Vec3,
    look: Look,
}

/// All that shading needs to know.
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
    /// The light that comes along a ray from the eye; `backdrop` is what is behind everything.
    pub fn seen(&self, ray: &Ray, samples: PixelSamples, index: u32, backdrop: &Light) -> Seen {
        let hit = self.stage.tracer.nearest(&ray.origin, &ray.direction, f64::INFINITY);
        let reach = hit.map_or(f64::INFINITY, |hit| hit.distance);
        match (self.nearest_plane(ray, reach), hit) {
            (Some((distance, plane)), _) => {
                let place = ray.origin + ray.direction * distance;
                if plane.floor {
                    self.on_floor(place, plane, samples, index, backdrop)
                } else {
                    self.on_wall(ray, place, plane, samples, index, backdrop)
                }
            }
            (None, Some(hit)) => self.shaded(&self.point(ray, &hit), &-ray.direction, samples, index),
            (None, None) => Seen::backdrop(backdrop),
        }
    }

    fn nearest_plane(&self, ray: &Ray, limit: f64) -> Option<(f64, &Plane)> {
        self.stage.nearest_plane(&ray.origin, &ray.direction, limit)
    }

    /// Walls are grey and fade to the backdrop.
    fn on_wall(
        &self,
        ray: &Ray,
        place: Vec3,
        plane: &Plane,
        samples: PixelSamples,
        index: u32,
        backdrop: &Light,
    ) -> Seen {
        let share = 1.0 - smooth_step(WALL_FADE.0, WALL_FADE.1, place.norm());
        if share <= 0.0 {
            return Seen::backdrop(backdrop);
        }
        let look = Look { color: Light::repeat(0.42), ..craze_frame::Look::obstacle().into() };
        let point = Point { place, face: plane.normal, normal: plane.normal, look };
        let seen = self.shaded(&point, &-ray.direction, samples, index);
        Seen { base: seen.base * share, extra: backdrop.lerp(&seen.extra, share), ..seen }
    }

    /// Floors take the colour of the backdrop, darkened where things stand in the way of light, so that floor and
    /// backdrop are one.
    fn on_floor(&self, place: Vec3, plane: &Plane, samples: PixelSamples, index: u32, backdrop: &Light) -> Seen {
        let start = place + plane.normal * OFFSET;
        let lamp_share = self.studio.lamp_light * self.studio.lamp_cosine(&plane.normal);
        let dome_share = self.studio.dome(&Vec3::new(0.0, 0.6, 0.0));
        let to_lamp = self.studio.to_lamp(samples.pair(index, Use::Lamp));
        let mut received = Light::zeros();
        if self.stage.tracer.any(&start, &to_lamp, f64::INFINITY).is_none() {
            received += lamp_share;
        }
        let to_dome = cosine_direction(&plane.normal, samples.pair(index, Use::Sky));
        received += match self.stage.tracer.any(&start, &to_dome, f64::INFINITY) {
            None => dome_share,
            Some(hit) => dome_share.component_mul(&self.color_at(&hit)) * BOUNCE,
        };
        let ratio = received.component_div(&(lamp_share + dome_share));
        let lit = ratio.map(|r| 1.0 - SHADOW * (1.0 - r));
        Seen { base: *backdrop, lit, extra: Light::zeros(), normal: plane.normal, place }
    }

    /// The colour of a thing, without light.
    fn color_at(&self, hit: &Hit) -> Light {
        let (coat, shares) = match hit.item {
            Item::Triangle(index, u, v) => (&self.stage.triangles[index].coat, [1.0 - u - v, u, v]),
            Item::Sphere(index) => (&self.stage.spheres[index], [1.0, 0.0, 0.0]),
        };
        self.look_of(coat, shares).color
    }

    fn look_of(&self, coat: &Coat, shares: [f64; 3]) -> Look {
        let look = self.stage.looks[coat.look as usize];
        let Some(range) = self.range else { return look };
        let value: f64 = coat.values.iter().zip(shares).map(|(&value, share)| share * f64::from(value)).sum();
        if value.is_finite() { look.painted(self.map.at(range.fraction(value))) } else { look }
    }

    /// The point where a ray from the eye ends.
    fn point(&self, ray: &Ray, hit: &Hit) -> Point {
        let place = ray.origin + ray.direction * hit.distance;
        match hit.item {
            Item::Sphere(index) => {
                let (center, _) = self.stage.tracer.ball(index);
                let outward = (place - center).normalize();
                let face = if outward.dot(&ray.direction) > 0.0 { -outward } else { outward };
                let look = self.look_of(&self.stage.spheres[index], [1.0, 0.0, 0.0]);
                Point { place, face, normal: face, look }
            }
            Item::Triangle(index, u, v) => self.point_of_triangle(ray, place, hit.distance, index, [1.0 - u - v, u, v]),
        }
    }

    fn point_of_triangle(&self, ray: &Ray, place: Vec3, distance: f64, index: usize, shares: [f64; 3]) -> Point {
        let triangle = &self.stage.triangles[index];
        let corners = self.stage.tracer.corners(index);
        let outward = (corners[1] - corners[0]).cross(&(corners[2] - corners[0])).normalize();
        let side = if outward.dot(&ray.direction) > 0.0 { -1.0 } else { 1.0 };
        let face = outward * side;
        let normals = triangle.normals.map(|normal| normal.cast::<f64>() * side);
        let mut normal = Vec3::zeros();
        // Shadow rays start on the smooth surface that the normals pretend, not on the flat triangle, or the flat ones
        // would show along the border of light and dark (J. Hanika, Hacking the shadow terminator, 2021).
        let mut lifted = place;
        for k in 0..3 {
            normal += normals[k] * shares[k];
            let below = (place - corners[k]).dot(&normals[k]).min(0.0);
            lifted -= normals[k] * (shares[k] * below);
        }
        let mut normal = normal.try_normalize(1e-9).unwrap_or(face);
        if let Some(grain) = &triangle.grain {
            let [a, b, c] = shares.map(|share| share as f32);
            normal = grain::tilted(&normal, &(grain[0] * a + grain[1] * b + grain[2] * c));
        }
        // Where the pretended surface turns away from the eye, bend it back until it is seen edge-on.
        let toward = -normal.dot(&ray.direction);
        if toward < 0.02 {
            normal = (normal - ray.direction * (0.02 - toward)).normalize();
        }
        let mut look = self.look_of(&triangle.coat, shares);
        if self.wireframe == Wireframe::Shown && triangle.is_body {
            let edge = distance_to_edge(corners, shares);
            if edge < 0.5 * WIRE_WIDTH * self.pixel * distance {
                let color = if luminance(&look.color) > 0.1 { look.color * 0.12 } else { Light::repeat(0.4) };
                look = Look { color, mirror: 0.0, metal: 0.0, ..look };
            }
        }
        Point { place: lifted, face, normal, look }
    }

    /// The light that a point sends to the viewer.
    fn shaded(&self, point: &Point, viewer: &Vec3, samples: PixelSamples, index: u32) -> Seen {
        let start = point.place + point.face * OFFSET;
        let look = &point.look;
        let straight = Light::repeat(look.mirror * (1.0 - look.metal)) + look.color * look.metal;
        let facing = point.normal.dot(viewer).clamp(0.0, 1.0);
        let (mut lit, mut extra) = (Light::zeros(), Light::zeros());

        let to_lamp = self.studio.to_lamp(samples.pair(index, Use::Lamp));
        let cosine = point.normal.dot(&to_lamp);
        if cosine > 0.0 && self.stage.tracer.any(&start, &to_lamp, f64::INFINITY).is_none() {
            let gloss = gloss(&point.normal, viewer, &to_lamp, look.roughness, &straight);
            lit += self.studio.lamp_light * cosine;
            extra += self.studio.lamp_light.component_mul(&gloss) * cosine;
        }

        let to_dome = above(cosine_direction(&point.normal, samples.pair(index, Use::Sky)), &point.face);
        let from_dome = self.arriving(&start, &to_dome, samples, index);
        lit += from_dome;

        // The glossy coat mirrors the dome; how much of it is free is known from the ray just sent.
        let grazing = (1.0 - facing).powi(5) * (1.0 - look.roughness).powi(2);
        let mirrored = straight + (Light::repeat(1.0) - straight) * grazing;
        let reflected = point.normal * (2.0 * facing) - viewer;
        if look.metal > 0.0 {
            let blur = look.roughness * look.roughness;
            let around = cosine_direction(&reflected, samples.pair(index, Use::Mirror));
            let direction = above((reflected * (1.0 - blur) + around * blur).normalize(), &point.face);
            extra += mirrored.component_mul(&self.in_mirror(&start, &direction, samples, index));
        } else {
            let free = (luminance(&from_dome) / luminance(&self.studio.dome(&to_dome))).min(1.0);
            extra += mirrored.component_mul(&self.studio.mirrored(&reflected)) * free;
        }
        let extra = extra.map(|channel| channel.min(BRIGHTEST));
        Seen { base: look.color * (1.0 - look.metal), lit, extra, normal: point.normal, place: point.place }
    }

    /// Light that arrives from the dome, the floor or another thing along a ray that left a surface.
    fn arriving(&self, start: &Vec3, direction: &Vec3, samples: PixelSamples, index: u32) -> Light {
        let ray = Ray { origin: *start, direction: *direction };
        let plane = self.nearest_plane(&ray, f64::INFINITY);
        let reach = plane.map_or(f64::INFINITY, |(distance, _)| distance);
        if let Some(hit) = self.stage.tracer.any(start, direction, reach) {
            return self.color_at(&hit).component_mul(&self.studio.dome(&Vec3::y())) * BOUNCE;
        }
        let Some((distance, plane)) = plane else { return self.studio.dome(direction) };
        let place = start + direction * distance + plane.normal * OFFSET;
        let mut received = self.studio.dome(&Vec3::y()) * 0.6;
        let to_lamp = self.studio.to_lamp(samples.pair(index, Use::Bounce));
        let cosine = self.studio.lamp_cosine(&plane.normal);
        if cosine > 0.0 && self.stage.tracer.any(&place, &to_lamp, f64::INFINITY).is_none() {
            received += self.studio.lamp_light * cosine;
        }
        received * BOUNCE
    }

    /// Light that a metal shows from a direction.
    fn in_mirror(&self, start: &Vec3, direction: &Vec3, samples: PixelSamples, index: u32) -> Light {
        let ray = Ray { origin: *start, direction: *direction };
        let hit = self.stage.tracer.nearest(start, direction, f64::INFINITY);
        let plane = self.nearest_plane(&ray, hit.map_or(f64::INFINITY, |hit| hit.distance));
        match (plane, hit) {
            (None, None) => self.studio.mirrored(direction),
            (None, Some(hit)) => {
                let point = self.point(&ray, &hit);
                let lit = self.studio.lamp_light * self.studio.lamp_cosine(&point.normal) * 0.6;
                point.look.color.component_mul(&(lit + self.studio.dome(&point.normal) * 0.7))
            }
            (Some(_), _) => self.arriving(start, direction, samples, index) * 1.3,
        }
    }
}

/// A direction brought to the free side of a face.
fn above(direction: Vec3, face: &Vec3) -> Vec3 {
    let depth = direction.dot(face);
    if depth < 0.0 { direction - face * (2.0 * depth) } else { direction }
}

/// Glossy reflection of a lamp, over the reflection of white (microfacets of B. Walter et al., *Microfacet models for
/// refraction through rough surfaces*, 2007, eq. 33 and 34; edges after C. Schlick 1994).
fn gloss(normal: &Vec3, viewer: &Vec3, lamp: &Vec3, roughness: f64, straight: &Light) -> Light {
    let half = (viewer + lamp).normalize();
    let (to_lamp, to_viewer) = (normal.dot(lamp), normal.dot(viewer).max(1e-3));
    // The lamp is large: a narrower lobe would only show its grain.
    let width = (roughness * roughness).max(0.06).powi(2);
    let cosine = normal.dot(&half).clamp(0.0, 1.0);
    let denominator = cosine * cosine * (width - 1.0) + 1.0;
    let facets = width / (denominator * denominator);
    let shadowing = |c: f64| 2.0 * c / (c + (width + (1.0 - width) * c * c).sqrt());
    let grazing = (1.0 - viewer.dot(&half).clamp(0.0, 1.0)).powi(5) * (1.0 - roughness);
    let fresnel = straight + (Light::repeat(1.0) - straight) * grazing;
    fresnel * (facets * shadowing(to_lamp) * shadowing(to_viewer) / (4.0 * to_lamp.max(1e-3) * to_viewer))
}

/// Distance from a point of a triangle, given by its shares of the corners, to the nearest edge.
fn distance_to_edge(corners: &[Vec3; 3], shares: [f64; 3]) -> f64 {
    let area = (corners[1] - corners[0]).cross(&(corners[2] - corners[0])).norm();
    (0..3)
        .map(|k| shares[k] * area / (corners[(k + 2) % 3] - corners[(k + 1) % 3]).norm())
        .fold(f64::INFINITY, f64::min)
}
