//! What is inside of a surface, however dirty.

use craze_math::Vec3;
use craze_spatial::{Aabb, Ray, TriangleTree, WindingTree};

use super::edges::Edges;
use super::findings::{FarPoint, Findings};
use super::parts::{Parts, proves_inside};
use super::rim::Rim;
use super::{Repaired, repair};
use crate::domain::Domain;
use crate::error::ShapeError;
use crate::surface::TriangleSurface;
use crate::volume::{COARSE, COARSEST, FINE, integrated_volume};

/// Triangles behind which an inside is looked for.
const PROBES: usize = 4096;
/// Triangles in whose middle it is looked at what a winding number costs, and how much it costs there in sound models: the mean of bunny,
/// armadillo, Spot and teapot.
const EFFORTS: usize = 256;
const USUAL_LOOKS: f64 = 100.0;
/// How far (share of the size) from the middles of triangles it is asked whether holes are near, and how many times more answers it takes to
/// find the surface where they are: nothing is known beforehand, and the winding number has no jump.
const BESIDE: f64 = 0.01;
const SEARCH: f64 = 5.0;
/// How far around the middle of nearly all points, in their distance from there, the volume is looked for if another lies far off.
const AROUND_OTHERS: f64 = 2.0;
/// A point this near to a triangle, as a share of the size, lies on it.
const ON_TRIANGLE: f64 = 1e-6;

/// The part of space around which a surface winds more than half.
///
/// Overlapping, doubled and nested parts are joined, holes are closed where the winding number is ½ (Jacobson et al. 2013).
#[derive(Clone, Debug)]
pub struct SurfaceDomain {
    surface: TriangleSurface,
    winding: WindingTree,
    rim: Rim,
    parts: Parts,
    bounds: Aabb,
    size: f64,
    volume: f64,
    area: f64,
    query_cost: f64,
    far_point: Option<FarPoint>,
}

impl SurfaceDomain {
    /// Repairs a surface and finds its inside.
    ///
    /// Says in the findings what was wrong. Refuses surfaces that enclose nothing, and those that cross themselves everywhere.
    pub fn new(input: &TriangleSurface) -> Result<(Self, Findings), ShapeError> {
        let Repaired { surface, findings, .. } = repair(input)?;
        Ok((Self::of_repaired(surface, &findings)?, findings))
    }

    /// The inside of a surface that was repaired already.
    pub fn of_repaired(surface: TriangleSurface, findings: &Findings) -> Result<Self, ShapeError> {
        let triangles = surface.triangles.len();
        let no_inside = || ShapeError::NoInterior {
            triangles,
            open_edges: findings.open_edges,
            open_loops: findings.open_loops,
            one_sided: findings.one_sided_patches,
        };
        if triangles == 0 {
            return Err(no_inside());
        }
        // A search that was given up with few found, as in a large flat polygon, tells nothing.
        if !findings.intersections_complete && findings.intersections > triangles {
            return Err(ShapeError::SelfIntersecting { triangles, intersections: findings.intersections });
        }
        let mut surface = surface;
        let mut edges = Edges::of(&surface.triangles);
        let mut winding = WindingTree::new(&surface.positions, &surface.triangles)?;
        let mut parts = Parts::of(&surface, &edges, &winding)?;
        if let Some(kept) = parts.without_strays(&surface) {
            edges = Edges::of(&kept.triangles);
            winding = WindingTree::new(&kept.positions, &kept.triangles)?;
            surface = kept;
        }
        let rim = Rim::new(&surface.positions, &edges.rim())?;
        let far_point = findings.far_point.filter(|far| !far.dropped);
        let (bounds, size, area) = (surface.bounds(), parts.largest(), surface.area());
        let mut domain =
            Self { surface, winding, rim, parts, bounds, size, volume: 0.0, area, query_cost: 1.0, far_point };
        domain.query_cost = domain.mean_looks() / USUAL_LOOKS * (1.0 + SEARCH * domain.blurred_share());
        let simple = domain.rim.is_empty() && findings.intersections == 0 && findings.nested_shells == 0;
        let enclosed = if simple { domain.parts.volume(&domain.surface) } else { 0.0 };
        let certain = simple && enclosed > 0.0;
        if !certain && !domain.has_inside() {
            return Err(no_inside());
        }
        if !domain.rim.is_empty() {
            domain.widen();
        }
        domain.volume = if simple { enclosed } else { domain.measured() };
        Ok(domain)
    }

    /// The repaired surface, without what lies far off and encloses nothing.
    pub fn surface(&self) -> &TriangleSurface {
        &self.surface
    }

    /// What was left out because it lies far off and encloses nothing, and what lies far apart, a sentence each.
    pub fn warnings(&self) -> Vec<String> {
        self.parts.warnings()
    }

    /// How often the surface winds around a point (1).
    pub fn winding_number(&self, point: &Vec3) -> f64 {
        self.winding.winding_number(point)
    }

    /// Longest side (m) of the box around the surface.
    pub(super) fn size(&self) -> f64 {
        self.size
    }

    /// The tree of the triangles.
    pub(super) fn tree(&self) -> &TriangleTree {
        self.winding.triangles()
    }

    /// Whether the surface winds clearly more than half around something: behind triangles spread over it.
    fn has_inside(&self) -> bool {
        let triangles = &self.surface.triangles;
        let step = triangles.len().div_ceil(PROBES).max(1);
        let mut looks = triangles.iter().step_by(step);
        looks.any(|triangle| proves_inside(&self.winding, &self.surface.corners(triangle), self.size))
    }

    /// How many triangles and clusters of them a winding number near the surface looks at, on average.
    fn mean_looks(&self) -> f64 {
        let triangles = &self.surface.triangles;
        let step = triangles.len().div_ceil(EFFORTS).max(1);
        let looks = triangles.iter().step_by(step).map(|triangle| {
            let middle = self.surface.corners(triangle).iter().sum::<Vec3>() / 3.0;
            self.winding.looks(&middle)
        });
        looks.sum::<usize>() as f64 / triangles.len().div_ceil(step).max(1) as f64
    }

    /// The share of the surface near which holes hide where it is: places there know less than half of the way to it for clear.
    fn blurred_share(&self) -> f64 {
        if self.rim.is_empty() {
            return 0.0;
        }
        let triangles = &self.surface.triangles;
        let step = triangles.len().div_ceil(EFFORTS).max(1);
        let places = triangles.iter().step_by(step).flat_map(|triangle| {
            let [a, b, c] = self.surface.corners(triangle);
            let beside = (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_default() * (BESIDE * self.size);
            [1.0, -1.0].map(|side| (a + b + c) / 3.0 + beside * side)
        });
        let (mut all, mut blurred) = (0usize, 0usize);
        for place in places {
            let distance = self.winding.triangles().closest(&place).map_or(0.0, |found| found.distance_squared.sqrt());
            all += 1;
            blurred += usize::from(self.clearance(&place) < 0.5 * distance);
        }
        blurred as f64 / all.max(1) as f64
    }

    /// Volume (m³) by halving boxes, part by part. Where the surface is open they are seldom known to lie on one side, so fewer are
    /// looked at; many parts share the query_cost of one.
    fn measured(&self) -> f64 {
        let levels = if self.rim.is_empty() { FINE } else { COARSE };
        let shared = self.parts.boxes.len().ilog2() / 2;
        let by_part = levels.saturating_sub(shared).max(COARSEST);
        let whole = self.parts.boxes.iter().map(|part| integrated_volume(self, part, by_part)).sum::<f64>();
        let Some(far) = self.far_point.filter(|_| self.parts.boxes.len() == 1) else { return whole };
        // Boxes as large as a point far off makes them miss all others; those around the others miss a plain part that is far larger than what is drawn
        // finely on it. Neither finds what is not there.
        let around = Aabb { min: far.middle, max: far.middle }.grown(AROUND_OTHERS * far.others);
        whole.max(integrated_volume(self, &around, levels))
    }

    /// Grows the boxes of all parts until no point of a grid on their sides is inside: the ½ level of an open surface may bulge out.
    fn widen(&mut self) {
        let boxes = std::mem::take(&mut self.parts.boxes);
        // Many small ones together look no more often than one.
        let looks = 8 / boxes.len();
        let wide = boxes.iter().map(|part| self.widened(*part, looks)).collect();
        self.parts.boxes = wide;
        self.bounds = self.parts.boxes.iter().fold(self.bounds, |all, part| all.union(part));
    }

    fn widened(&self, mut part: Aabb, looks: usize) -> Aabb {
        const GRID: usize = 24;
        let own = part.size().max();
        for _ in 0..looks {
            part = part.grown(0.02 * own);
            let (min, size) = (part.min, part.size());
            let is_inside = |axis: usize, side: f64, i: usize, j: usize| {
                let mut share = Vec3::repeat(side);
                share[(axis + 1) % 3] = (i as f64 + 0.5) / GRID as f64;
                share[(axis + 2) % 3] = (j as f64 + 0.5) / GRID as f64;
                self.contains(&(min + share.component_mul(&size)))
            };
            let bulges = (0..3).any(|axis| {
                [0.0, 1.0].iter().any(|&side| (0..GRID).any(|i| (0..GRID).any(|j| is_inside(axis, side, i, j))))
            });
            if !bulges {
                return part;
            }
            part = part.grown(0.1 * own);
        }
        part.grown(0.1 * own)
    }
}

impl Domain for SurfaceDomain {
    fn bounds(&self) -> Aabb {
        self.bounds
    }

    fn parts(&self) -> Vec<Aabb> {
        self.parts.boxes.clone()
    }

    /// The winding number less ½ (1).
    fn level(&self, point: &Vec3) -> f64 {
        self.winding.winding_number(point) - 0.5
    }

    /// The distance to the nearest triangle: up to there a closed surface winds equally often around all points. Around an
    /// open one the winding number changes, by no more than its rim allows.
    fn clearance(&self, point: &Vec3) -> f64 {
        // What the level at both ends may be wrong by does not count.
        let margin = || self.level(point).abs() - 2.0 * WindingTree::ERROR;
        let steady = if self.rim.is_empty() { f64::INFINITY } else { self.rim.steady_radius(point, margin()) };
        if steady == 0.0 {
            return 0.0;
        }
        self.winding
            .triangles()
            .closest_within(point, steady)
            .map_or(if steady.is_finite() { steady } else { 0.0 }, |closest| closest.distance_squared.sqrt())
    }

    /// That of the nearest triangle; in a hole the way in which the winding number falls.
    fn normal(&self, point: &Vec3) -> Option<Vec3> {
        let closest = self.winding.triangles().closest(point)?;
        let falling = || (-self.rim.gradient(point)).try_normalize(0.0);
        if !self.rim.is_empty() && closest.distance_squared.sqrt() > ON_TRIANGLE * self.size {
            return falling();
        }
        let [a, b, c] = self.surface.corners(&self.surface.triangles[closest.triangle as usize]);
        (b - a).cross(&(c - a)).try_normalize(0.0).or_else(falling)
    }

    /// The next triangle on the way.
    fn jump(&self, ends: &[Vec3; 2], from: f64) -> Option<f64> {
        let ray = Ray { near: from, far: 1.0, ..Ray::new(ends[0], ends[1] - ends[0]) };
        self.winding.triangles().cast(&ray).map(|hit| hit.distance)
    }

    fn volume(&self) -> Option<f64> {
        Some(self.volume)
    }

    fn area(&self) -> Option<f64> {
        Some(self.area)
    }

    fn query_cost(&self) -> f64 {
        self.query_cost
    }

    fn far_point(&self) -> Option<FarPoint> {
        self.far_point
    }
}
