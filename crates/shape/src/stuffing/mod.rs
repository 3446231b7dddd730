//! Tetrahedral meshing by isosurface stuffing (Labelle & Shewchuk 2007), with bounded dihedral
//! angles.
//!
//! A body-centred cubic lattice on an octree is fine along the surface. The level's sign is
//! evaluated at lattice points; edges with two signs cross the surface. Points too close to a
//! crossing are warped onto it, and stencils fill the inside. Since only signs matter, open,
//! intersecting and doubled models have a mesh wherever their winding number defines an inside.

mod background;
mod classification;
mod crossing;
mod estimate;
mod features;
#[cfg(test)]
mod guarantees;
mod heights;
mod manifold;
mod morton;
mod octree;
mod quality;
mod separate_parts;
mod shorter_edge;
mod stencil;
#[cfg(test)]
mod testing;
mod thin_walls;
mod volume;
mod warp;
mod window;
mod working_mesh;

use craze_math::Vec3;
use craze_mesh::{TetMesh, morton_order};
use rayon::prelude::*;

use crate::Domain;
use crate::error::{MAX_ELEMENTS, ShapeError};
use crate::tuning::{MIN_REFINEMENT_BUDGET, REFINEMENT_BUDGET_RATIO};
use background::Background;
use classification::{CHUNK, Classification};
use octree::Octree;
use quality::DihedralCosines;
use thin_walls::{Comparison, SampleDensity};
use working_mesh::{AngleBounds, WorkingMesh};

pub use estimate::{StuffingEstimate, estimate, quick_estimate};
pub use features::FeatureReport;
pub use quality::DihedralRange;
pub use thin_walls::{ThinReport, ThinWall};
#[cfg(test)]
pub(crate) use working_mesh::project;

/// Options of the mesher.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StuffingOptions {
    /// Mean edge length (m) of the tetrahedra at the surface.
    pub edge: f64,
    /// How often cells may double in size toward the inside; 0 for uniform cells.
    pub grading: u32,
    /// Angle between normals (degrees) above which a crease is kept, within the angle bounds; 180
    /// keeps none.
    pub feature_angle: f64,
    /// How often cells may be halved where walls are thinner than the edge.
    pub refinement: u32,
    /// Largest number of tetrahedra; more are refused.
    pub limit: f64,
}

impl Default for StuffingOptions {
    fn default() -> Self {
        Self { edge: 0.05, grading: 2, feature_angle: 40.0, refinement: 2, limit: MAX_ELEMENTS }
    }
}

impl StuffingOptions {
    /// The defaults with this edge length (m).
    pub fn with_edge(edge: f64) -> Self {
        Self { edge, ..Self::default() }
    }

    /// Fails for counts above the limit and NaN.
    fn check_count(&self, count: f64) -> Result<(), ShapeError> {
        if count <= self.limit { Ok(()) } else { Err(self.too_fine(count)) }
    }

    fn too_fine(&self, count: f64) -> ShapeError {
        ShapeError::TooFine { field: "edge", value: self.edge, what: "tetrahedra", count, limit: self.limit }
    }
}

/// A tetrahedral mesh of a domain.
#[derive(Clone, Debug)]
pub struct Stuffing {
    /// The mesh, in Morton order.
    pub mesh: TetMesh,
    /// The domain's region at the centroid of each tetrahedron.
    pub regions: Vec<u16>,
    /// Quality and defects of the mesh.
    pub report: StuffingReport,
}

/// Quality and defects of a mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StuffingReport {
    /// Number of tetrahedra.
    pub tetrahedra: usize,
    /// Dihedral angles of tetrahedra that touch no feature.
    pub dihedral: DihedralRange,
    /// Number of tetrahedra with a point on a crease or corner.
    pub snapped: usize,
    /// Dihedral angles of these.
    pub snapped_dihedral: DihedralRange,
    /// Result of snapping to creases and corners.
    pub features: FeatureReport,
    /// Thin walls, tips and gaps.
    pub thin: ThinReport,
    /// Tetrahedra beyond 10° to 165° that touch no feature; only next to refined cells.
    pub bad_angles: usize,
    /// Points and edges at which parts were separated.
    pub separated: usize,
    /// Mean edge length (m) of the surface triangles.
    pub surface_edge: f64,
    /// Smallest height (m) of a tetrahedron, proportional to the explicit time step.
    pub smallest_height: f64,
}

/// Fills a domain with tetrahedra.
///
/// Fails if the edge is too long to find any inside, or gives more tetrahedra than the limit. The
/// same bits for any number of threads.
pub fn stuff(domain: &dyn Domain, options: &StuffingOptions) -> Result<Stuffing, ShapeError> {
    let parts = domain.parts();
    let result = if parts.len() > 1 && !classification::fits_one_lattice(&domain.bounds(), options) {
        separate_parts::stuff_separate_parts(domain, &parts, options)
    } else {
        shorter_edge::stuff_connected(domain, options)
    };
    // An outlier fails like a thin sheet, but needs different advice.
    result.map_err(|error| match (error, domain.far_point()) {
        (ShapeError::ThinSheet { edge, .. } | ShapeError::InteriorMissed { edge, .. }, Some(far)) => {
            ShapeError::OutlierPoint { edge, far }
        }
        (error, _) => error,
    })
}

/// Fills a domain that fits into one lattice.
fn stuff_in_one_lattice(domain: &dyn Domain, options: &StuffingOptions) -> Result<Stuffing, ShapeError> {
    let mut classification = Classification::new(domain, options)?;
    let base = classification.frame.base;
    let mut refined = vec![Vec::new(); base as usize];
    let (mut working, mut features) = improved_mesh(domain, options, &mut classification, &mut refined)?;
    // Budget of refinement; smaller for slow queries.
    let budget = MIN_REFINEMENT_BUDGET.max(REFINEMENT_BUDGET_RATIO * working.tetrahedra.len() as f64);
    let budget = (budget / domain.query_cost().max(1.0)).min(options.limit);
    let within_budget = StuffingOptions { limit: budget, ..*options };
    let mut compared =
        Comparison::new(&classification, &working, base, &classification.candidates, SampleDensity::EightPerOctant);
    let mut thin = compared.report(domain, options.edge);
    let samples = compared.samples();
    let mut depth = 0;
    for level in (1..=base).rev() {
        let cells = compared.finer_cells(&classification, level);
        if cells.is_empty() {
            break;
        }
        refined[level as usize - 1] = cells;
        let requested = refined[level as usize - 1].clone();
        match improved_mesh(domain, &within_budget, &mut classification, &mut refined) {
            Ok(finer) => (working, features) = finer,
            Err(ShapeError::TooFine { count, .. }) => {
                thin.skipped_tetrahedra = Some(count);
                break;
            }
            Err(error) => return Err(error),
        }
        depth += 1;
        // Compared again even if refinement was skipped, to count what is lost.
        let finer = &refined[level as usize - 1];
        let is_last = level == 1 || finer.is_empty();
        let density = if is_last { SampleDensity::OnePerOctant } else { SampleDensity::EightPerOctant };
        let within = if finer.is_empty() { &requested } else { finer };
        compared = Comparison::new(&classification, &working, level - 1, within, density);
        if finer.is_empty() {
            break;
        }
        thin.halvings += 1;
    }
    thin.unresolved = compared.lost();
    thin.lost_share = compared.lost_share(samples, depth);
    if working.tetrahedra.is_empty() || thin.lost_share > thin_walls::MAX_LOST_SHARE {
        return Err(thin_walls::inside_missed(domain, options.edge, &thin));
    }
    let before = heights::increase_heights(&mut working);
    compared.restore_worsened(&mut working, &before);
    volume::compensate_volume(&mut working, &compared.triangles, &compared.gaps);
    let (snapped, others): (Vec<u32>, Vec<u32>) =
        (0..working.tetrahedra.len() as u32).partition(|&index| working.is_snapped(index));
    let dihedral = [&others, &snapped].map(|list| {
        let list =
            list.par_iter().with_min_len(CHUNK).map(|&index| DihedralCosines::of(&working.corners(index)).range());
        list.reduce(DihedralRange::default, DihedralRange::combined)
    });
    let bad_angles = others
        .iter()
        .filter(|&&index| !AngleBounds::GUARANTEED.contain(DihedralCosines::of(&working.corners(index))))
        .count();
    let WorkingMesh { positions, tetrahedra, .. } = working;
    let order = morton_order(&positions, &tetrahedra);
    let mut new_index = vec![0; order.points.len()];
    order.points.iter().zip(0..).for_each(|(&old, new)| new_index[old as usize] = new);
    let positions = order.points.iter().map(|&old| positions[old as usize]).collect();
    let tetrahedra =
        order.elements.iter().map(|&old| tetrahedra[old as usize].map(|corner| new_index[corner as usize])).collect();
    let mut mesh = TetMesh::from_parts(positions, tetrahedra)?;
    let separated = manifold::separate(&mut mesh)?;

    let centroids = mesh.elements().par_iter().with_min_len(CHUNK);
    let regions = centroids.map(|corners| {
        let sum = corners.iter().map(|&corner| mesh.positions()[corner as usize]).sum::<Vec3>();
        domain.region(&(sum * 0.25))
    });
    let regions = regions.collect();
    let report = StuffingReport {
        tetrahedra: mesh.element_count(),
        dihedral: dihedral[0],
        snapped: snapped.len(),
        snapped_dihedral: dihedral[1],
        features,
        thin,
        bad_angles,
        separated,
        surface_edge: quality::mean_surface_edge(&mesh),
        smallest_height: quality::smallest_height_of_all(&mesh),
    };
    Ok(Stuffing { mesh, regions, report })
}

/// The mesh with features; grows or drops refined regions until the angle bounds hold.
fn improved_mesh<'a>(
    domain: &'a dyn Domain,
    options: &StuffingOptions,
    classification: &mut Classification,
    refined: &mut [Vec<u64>],
) -> Result<(WorkingMesh<'a>, FeatureReport), ShapeError> {
    let mut working = cut_lattice(domain, options, classification, refined)?;
    let mut growths = 0;
    while let Some(finest) = refined.iter().position(|list| !list.is_empty()) {
        let bad = working.smooth_bad();
        let centroids: Vec<Vec3> =
            bad.iter().map(|&index| working.corners(index).iter().sum::<Vec3>() * 0.25).collect();
        if bad.is_empty() {
            break;
        }
        if growths < MAX_GROWTHS {
            // Cells then change size elsewhere, and different tetrahedra meet the surface.
            growths += 1;
            for (level, list) in (1..).zip(refined.iter_mut()).skip(finest) {
                list.extend(thin_walls::cells_around(classification, level, &centroids));
                list.sort_unstable();
                list.dedup();
            }
        } else if bad.iter().any(|&index| working.is_flat(index)) {
            refined[finest].clear();
            growths = 0;
        } else {
            break;
        }
        working = cut_lattice(domain, options, classification, refined)?;
    }
    let mut features = FeatureReport::default();
    if options.feature_angle < 180.0 {
        features = features::snap_to_features(&mut working, options.feature_angle.to_radians());
    }
    Ok((working, features))
}

/// Growths of refined regions before their finest level is dropped.
const MAX_GROWTHS: u32 = 4;

/// The mesh of a refined lattice, cut by the surface.
fn cut_lattice<'a>(
    domain: &'a dyn Domain,
    options: &StuffingOptions,
    classification: &mut Classification,
    refined: &[Vec<u64>],
) -> Result<WorkingMesh<'a>, ShapeError> {
    let octree = Octree::new(classification, refined, options)?;
    for (level, leaves) in (0..classification.frame.base).zip(&octree.leaves) {
        classification.sample_signs(domain, level, leaves);
    }
    let background = Background::new(classification, &octree);
    let crossings = crossing::crossings(domain, &classification.frame, &background);
    let cut_lattice = warp::warp(&classification.frame, &background, &crossings);
    // Flat ones on a smooth surface are no wall.
    let is_wall = |corners: &[Vec3; 4]| {
        AngleBounds::REGULAR.contain(DihedralCosines::of(corners))
            && domain.contains(&(corners.iter().sum::<Vec3>() * 0.25))
    };
    Ok(WorkingMesh::new(domain, options.edge, stencil::fill(&background, &cut_lattice, is_wall)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use craze_spatial::Aabb;
    use std::f64::consts::PI;
    use testing::{Distance, ball, edge_uses};

    #[test]
    fn a_ball_has_its_volume_good_angles_and_a_closed_surface() {
        for grading in [0, 2] {
            let options = StuffingOptions { grading, ..StuffingOptions::with_edge(0.1) };
            let Stuffing { mesh, regions, report } = stuff(&ball(1.0), &options).expect("a mesh");
            mesh.validate().expect("valid");
            assert_eq!((regions.len(), report.tetrahedra), (mesh.element_count(), mesh.element_count()));
            assert!(report.dihedral.smallest > 10.0 && report.dihedral.largest < 165.0, "{report:?}");
            assert!((mesh.total_measure() / (4.0 / 3.0 * PI) - 1.0).abs() < 0.01);
            let surface = mesh.boundary().triangles;
            assert!(edge_uses(&surface).all(|uses| uses == (1, 1)));
            // A chord deviates by at most edge²/4 of a triangle's height.
            assert!(surface.iter().flatten().all(|node| (mesh.position(*node).norm() - 1.0).abs() < 0.0025));
            assert!((report.surface_edge / 0.1 - 1.0).abs() < 0.15, "{report:?}");
        }
    }

    #[test]
    fn grading_saves_tetrahedra_and_keeps_the_surface() {
        let count = |grading| {
            let stuffing =
                stuff(&ball(1.0), &StuffingOptions { grading, ..StuffingOptions::with_edge(0.06) }).expect("a mesh");
            (stuffing.mesh.element_count(), stuffing.mesh.boundary().triangles.len())
        };
        let ([even, even_surface], [graded, graded_surface]) =
            (<[usize; 2]>::from(count(0)), <[usize; 2]>::from(count(2)));
        assert!(3 * graded < 2 * even && even_surface == graded_surface, "{graded} of {even}");
    }

    #[test]
    fn any_number_of_threads_makes_the_same_bits() {
        let with_threads = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| stuff(&ball(0.7), &StuffingOptions::with_edge(0.05)).expect("a mesh"))
        };
        let (one, three) = (with_threads(1), with_threads(3));
        assert!(one.mesh == three.mesh && one.report == three.report);
    }

    #[test]
    fn size_and_position_do_not_matter() {
        let count = |size: f64, at: Vec3| {
            let bounds = Aabb { min: at.add_scalar(-size), max: at.add_scalar(size) };
            let domain = Distance { distance: move |point: &Vec3| (point - at).norm() - size, bounds };
            let stuffing = stuff(&domain, &StuffingOptions::with_edge(0.1 * size)).expect("a mesh");
            assert!(stuffing.report.dihedral.smallest > 10.0);
            stuffing.mesh.element_count() as f64
        };
        let plain = count(1.0, Vec3::zeros());
        for (size, at) in [(1e-6, Vec3::zeros()), (1e6, Vec3::zeros()), (1e-3, Vec3::new(1e3, -2e3, 5e2))] {
            assert!((count(size, at) / plain - 1.0).abs() < 0.02, "{size}");
        }
    }

    /// A domain without clearance, like models with holes.
    struct WithoutClearance<D>(D);

    impl<D: Domain> Domain for WithoutClearance<D> {
        fn bounds(&self) -> Aabb {
            self.0.bounds()
        }
        fn level(&self, point: &Vec3) -> f64 {
            if self.0.level(point) > 0.0 { 0.5 } else { -0.5 }
        }
        fn clearance(&self, _: &Vec3) -> f64 {
            0.0
        }
        fn normal(&self, point: &Vec3) -> Option<Vec3> {
            self.0.normal(point)
        }
    }

    #[test]
    fn a_domain_that_knows_no_clearance_gives_the_same_tetrahedra() {
        let options = StuffingOptions::with_edge(0.1);
        let seeing = stuff(&ball(1.0), &options).expect("a mesh").mesh;
        let blind = stuff(&WithoutClearance(ball(1.0)), &options).expect("a mesh").mesh;
        assert_eq!(seeing.element_count(), blind.element_count());
        let apart = |(one, other): (&Vec3, &Vec3)| (one - other).norm();
        assert!(seeing.positions().iter().zip(blind.positions()).map(apart).fold(0.0, f64::max) < 1e-6);
    }

    #[test]
    fn what_cannot_be_meshed_is_refused_with_the_reason() {
        let few = StuffingOptions { limit: 1e6, ..StuffingOptions::with_edge(1e-4) };
        assert!(matches!(stuff(&ball(1.0), &few), Err(ShapeError::TooFine { .. })));
        // Without clearance, octants are subdivided up to the limit.
        assert!(matches!(stuff(&WithoutClearance(ball(1.0)), &few), Err(ShapeError::TooFine { .. })));
        assert!(matches!(stuff(&ball(1.0), &StuffingOptions::with_edge(1e-9)), Err(ShapeError::TooLong { .. })));
        assert!(matches!(stuff(&ball(1.0), &StuffingOptions::with_edge(-1.0)), Err(ShapeError::BadLength { .. })));
        assert!(matches!(stuff(&ball(f64::NAN), &StuffingOptions::with_edge(0.1)), Err(ShapeError::BadLength { .. })));
        let bounds = Aabb { min: Vec3::zeros(), max: Vec3::repeat(1.0) };
        let empty = Distance { distance: |_: &Vec3| 1.0, bounds };
        assert!(matches!(stuff(&empty, &StuffingOptions::with_edge(0.1)), Err(ShapeError::InteriorMissed { .. })));
        let lost = Distance { distance: |_: &Vec3| f64::NAN, bounds };
        assert!(matches!(stuff(&lost, &StuffingOptions::with_edge(0.1)), Err(ShapeError::InteriorMissed { .. })));
    }
}
