//! The inside of a surface, possibly damaged, by its winding number.

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
use crate::volume::{DEFAULT_LEVELS, MIN_LEVELS, OPEN_SURFACE_LEVELS, integrated_volume};

/// Triangles behind which an inside is searched for.
const MAX_INSIDE_PROBES: usize = 4096;
/// Triangles at whose centroids the cost of a winding number is measured,
const MAX_COST_SAMPLES: usize = 256;
/// and that cost (triangles and clusters visited) in sound models: mean of bunny, armadillo,
/// Spot and teapot.
const REFERENCE_VISITS: f64 = 100.0;
/// Distance from triangle centroids (share of the size) at which the clearance is tested.
const CLEARANCE_TEST_OFFSET: f64 = 0.01;
/// Factor by which finding the surface costs more near holes: no clearance helps there, and the
/// winding number has no jump.
const RIM_SEARCH_COST: f64 = 5.0;
/// Radius of the second volume measurement, in multiples of [`FarPoint::others`].
const FAR_POINT_WINDOW: f64 = 2.0;
/// A point this near a triangle (share of the size) counts as on it.
const ON_TRIANGLE_TOLERANCE: f64 = 1e-6;

/// The region around which a surface has a winding number above ½.
///
/// Overlapping, doubled and nested parts are joined; holes are closed where the winding number is ½
/// (Jacobson et al. 2013).
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
    /// Repairs a surface and finds its inside. Fails for surfaces that enclose nothing or intersect
    /// themselves everywhere.
    pub fn new(input: &TriangleSurface) -> Result<(Self, Findings), ShapeError> {
        let Repaired { surface, findings, .. } = repair(input)?;
        Ok((Self::of_repaired(surface, &findings)?, findings))
    }

    /// The inside of an already repaired surface.
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
        // An incomplete search with few hits, as in a large flat polygon, proves nothing.
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
        domain.query_cost =
            domain.mean_visits() / REFERENCE_VISITS * (1.0 + RIM_SEARCH_COST * domain.reduced_clearance_share());
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

    /// The repaired surface, without stray parts.
    pub fn surface(&self) -> &TriangleSurface {
        &self.surface
    }

    /// Messages about omitted stray parts and distant parts.
    pub fn warnings(&self) -> Vec<String> {
        self.parts.warnings()
    }

    /// Winding number of the surface around a point (1).
    pub fn winding_number(&self, point: &Vec3) -> f64 {
        self.winding.winding_number(point)
    }

    pub(super) fn size(&self) -> f64 {
        self.size
    }

    pub(super) fn tree(&self) -> &TriangleTree {
        self.winding.triangles()
    }

    fn has_inside(&self) -> bool {
        let triangles = &self.surface.triangles;
        let step = triangles.len().div_ceil(MAX_INSIDE_PROBES).max(1);
        let mut probes = triangles.iter().step_by(step);
        probes.any(|triangle| proves_inside(&self.winding, &self.surface.corners(triangle), self.size))
    }

    /// Mean number of triangles and clusters visited by a winding number query near the surface.
    fn mean_visits(&self) -> f64 {
        let triangles = &self.surface.triangles;
        let step = triangles.len().div_ceil(MAX_COST_SAMPLES).max(1);
        let visits = triangles.iter().step_by(step).map(|triangle| {
            let middle = self.surface.corners(triangle).iter().sum::<Vec3>() / 3.0;
            self.winding.evaluation_count(&middle)
        });
        visits.sum::<usize>() as f64 / triangles.len().div_ceil(step).max(1) as f64
    }

    /// Share of the surface where holes reduce the clearance below half the distance.
    fn reduced_clearance_share(&self) -> f64 {
        if self.rim.is_empty() {
            return 0.0;
        }
        let triangles = &self.surface.triangles;
        let step = triangles.len().div_ceil(MAX_COST_SAMPLES).max(1);
        let positions = triangles.iter().step_by(step).flat_map(|triangle| {
            let [a, b, c] = self.surface.corners(triangle);
            let beside =
                (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_default() * (CLEARANCE_TEST_OFFSET * self.size);
            [1.0, -1.0].map(|side| (a + b + c) / 3.0 + beside * side)
        });
        let (mut all, mut reduced) = (0usize, 0usize);
        for position in positions {
            let distance =
                self.winding.triangles().closest(&position).map_or(0.0, |found| found.distance_squared.sqrt());
            all += 1;
            reduced += usize::from(self.clearance(&position) < 0.5 * distance);
        }
        reduced as f64 / all.max(1) as f64
    }

    /// Volume (m³) by octree subdivision. Open surfaces and many parts get fewer levels, to limit
    /// the cost.
    fn measured(&self) -> f64 {
        let levels = if self.rim.is_empty() { DEFAULT_LEVELS } else { OPEN_SURFACE_LEVELS };
        let shared = self.parts.boxes.len().ilog2() / 2;
        let by_part = levels.saturating_sub(shared).max(MIN_LEVELS);
        let whole = self.parts.boxes.iter().map(|part| integrated_volume(self, part, by_part)).sum::<f64>();
        let Some(far) = self.far_point.filter(|_| self.parts.boxes.len() == 1) else { return whole };
        // A grid over a far point is too coarse for the rest; one without it may miss a coarse
        // part. Neither overestimates.
        let around = Aabb { min: far.middle, max: far.middle }.grown(FAR_POINT_WINDOW * far.others);
        whole.max(integrated_volume(self, &around, levels))
    }

    /// Grows all boxes until no point of a grid on their sides is inside: the ½ level of an open
    /// surface may bulge out.
    fn widen(&mut self) {
        let boxes = std::mem::take(&mut self.parts.boxes);
        let max_rounds = 8 / boxes.len();
        let wide = boxes.iter().map(|part| self.widened(*part, max_rounds)).collect();
        self.parts.boxes = wide;
        self.bounds = self.parts.boxes.iter().fold(self.bounds, |all, part| all.union(part));
    }

    fn widened(&self, mut part: Aabb, max_rounds: usize) -> Aabb {
        const GRID: usize = 24;
        let own = part.size().max();
        for _ in 0..max_rounds {
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

    /// The winding number minus ½ (1).
    fn level(&self, point: &Vec3) -> f64 {
        self.winding.winding_number(point) - 0.5
    }

    /// Distance to the nearest triangle; for an open surface also bounded by the variation of its
    /// winding number.
    fn clearance(&self, point: &Vec3) -> f64 {
        // Subtract the error of the level at both ends.
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

    /// Normal of the nearest triangle; within a hole, the direction of steepest decrease.
    fn normal(&self, point: &Vec3) -> Option<Vec3> {
        let closest = self.winding.triangles().closest(point)?;
        let falling = || (-self.rim.gradient(point)).try_normalize(0.0);
        if !self.rim.is_empty() && closest.distance_squared.sqrt() > ON_TRIANGLE_TOLERANCE * self.size {
            return falling();
        }
        let [a, b, c] = self.surface.corners(&self.surface.triangles[closest.triangle as usize]);
        (b - a).cross(&(c - a)).try_normalize(0.0).or_else(falling)
    }

    /// The next triangle along the segment.
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
