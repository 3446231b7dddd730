//! Tetrahedra by isosurface stuffing (Labelle & Shewchuk 2007): anything with an inside becomes a mesh without bad angles.
//!
//! A body-centred cubic lattice lies on an octree, fine along the surface and coarser inside. Signs of the level are asked for at its
//! points, edges with two signs are crossed by the surface, points too near to a crossing are moved onto it, and stencils fill what
//! is inside. Nothing but the sign of the level decides what is inside, so open, overlapping and doubled models have a
//! mesh wherever their winding number finds an inside.

mod apart;
mod background;
mod crossing;
mod estimate;
mod features;
mod heights;
mod key;
mod manifold;
mod octree;
#[cfg(test)]
mod promises;
mod quality;
mod shaping;
mod stencil;
mod survey;
#[cfg(test)]
mod testing;
mod thin;
mod volume;
mod warp;
mod whole;
mod window;

use craze_math::Vec3;
use craze_mesh::{TetMesh, morton_order};
use rayon::prelude::*;

use crate::Domain;
use crate::error::{MAX_ELEMENTS, ShapeError};
use background::Background;
use octree::Octree;
use quality::Cosines;
use shaping::{Guard, Shaping};
use survey::{CHUNK, Survey};
use thin::{Comparison, Density};

pub use estimate::{StuffingEstimate, estimate, quick_estimate};
pub use features::FeatureReport;
pub use quality::DihedralRange;
#[cfg(test)]
pub(crate) use shaping::project;
pub use thin::{ThinPlace, ThinReport};

/// What tetrahedra are asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StuffingOptions {
    /// Mean edge length (m) of the tetrahedra at the surface.
    pub edge: f64,
    /// How many times tetrahedra may double their size toward the inside; 0 makes them all alike.
    pub grading: u32,
    /// Normals that differ by more than this (degrees) make a crease, which is kept as well as angles allow; 180 keeps none.
    pub feature_angle: f64,
    /// How many times cells may be halved where walls are thinner than the edge.
    pub refinement: u32,
    /// More tetrahedra than this are refused.
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

    /// Refuses counts above the limit, and what is not a number.
    fn check_count(&self, count: f64) -> Result<(), ShapeError> {
        if count <= self.limit { Ok(()) } else { Err(self.too_fine(count)) }
    }

    fn too_fine(&self, count: f64) -> ShapeError {
        ShapeError::TooFine { field: "edge", value: self.edge, what: "tetrahedra", count, limit: self.limit }
    }
}

/// Tetrahedra of a domain.
#[derive(Clone, Debug)]
pub struct Stuffing {
    /// The mesh, numbered along a Morton curve.
    pub mesh: TetMesh,
    /// The domain's region at the centroid of each tetrahedron.
    pub regions: Vec<u16>,
    /// What came of it.
    pub report: StuffingReport,
}

/// What came of stuffing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StuffingReport {
    /// How many tetrahedra there are.
    pub tetrahedra: usize,
    /// Smallest and largest dihedral angle (degrees) of all but snapped tetrahedra.
    pub dihedral: DihedralRange,
    /// How many tetrahedra have a point on a crease or corner.
    pub snapped: usize,
    /// Smallest and largest dihedral angle (degrees) of those.
    pub snapped_dihedral: DihedralRange,
    /// What became of creases and corners.
    pub features: FeatureReport,
    /// Thin walls, tips and gaps.
    pub thin: ThinReport,
    /// Tetrahedra beyond 10° to 165° that neither touch a feature nor could be mended; only places of finer cells may have any.
    pub bad: usize,
    /// Points and edges in which parts only touched, and were parted.
    pub parted: usize,
    /// Mean edge length (m) of the surface's triangles.
    pub surface_edge: f64,
    /// Smallest height (m) of a tetrahedron, which explicit steps are in proportion to.
    pub lowest: f64,
}

/// Fills a domain with tetrahedra.
///
/// Refuses an edge that is too coarse to find any inside, and one that would make more tetrahedra than the limit. Results are the
/// same bits for any number of threads.
pub fn stuff(domain: &dyn Domain, options: &StuffingOptions) -> Result<Stuffing, ShapeError> {
    let parts = domain.parts();
    let result = if parts.len() > 1 && !survey::holds_all(&domain.bounds(), options) {
        apart::stuff_apart(domain, &parts, options)
    } else {
        whole::stuff_whole(domain, options)
    };
    // A needle looks like a sheet, but what is to be done about it is something else.
    result.map_err(|error| match (error, domain.far_point()) {
        (ShapeError::ThinSheet { edge, .. } | ShapeError::InteriorMissed { edge, .. }, Some(far)) => {
            ShapeError::OutlierPoint { edge, far }
        }
        (error, _) => error,
    })
}

/// Fills a domain that fits into one lattice.
fn stuff_together(domain: &dyn Domain, options: &StuffingOptions) -> Result<Stuffing, ShapeError> {
    let mut survey = Survey::new(domain, options)?;
    let base = survey.frame.base;
    let mut refined = vec![Vec::new(); base as usize];
    let (mut shaping, mut features) = shape(domain, options, &mut survey, &mut refined)?;
    // What thin places may cost: much for a small mesh, a few times as much for a large one, less where answers take long.
    let most = MOST_REFINED.max(MOST_TIMES_REFINED * shaping.tetrahedra.len() as f64);
    let most = (most / domain.query_cost().max(1.0)).min(options.limit);
    let sparing = StuffingOptions { limit: most, ..*options };
    let mut compared = Comparison::new(&survey, &shaping, base, &survey.candidates, Density::Eighths);
    let mut thin = compared.report(domain, options.edge);
    let looks = compared.looks();
    // How often the cells are halved that were looked at last.
    let mut depth = 0;
    for level in (1..=base).rev() {
        let cells = compared.finer_cells(&survey, level);
        if cells.is_empty() {
            break;
        }
        refined[level as usize - 1] = cells;
        let asked = refined[level as usize - 1].clone();
        match shape(domain, &sparing, &mut survey, &mut refined) {
            Ok(finer) => (shaping, features) = finer,
            Err(ShapeError::TooFine { count, .. }) => {
                thin.spared = Some(count);
                break;
            }
            Err(error) => return Err(error),
        }
        depth += 1;
        // What was to be finer is looked at again, also if that was given up: it may be lost all the same.
        let finer = &refined[level as usize - 1];
        let is_last = level == 1 || finer.is_empty();
        let density = if is_last { Density::Middles } else { Density::Eighths };
        let within = if finer.is_empty() { &asked } else { finer };
        compared = Comparison::new(&survey, &shaping, level - 1, within, density);
        if finer.is_empty() {
            break;
        }
        thin.halvings += 1;
    }
    thin.left = compared.lost();
    thin.lost_share = compared.lost_share(looks, depth);
    if shaping.tetrahedra.is_empty() || thin.lost_share > thin::ALL_LOST {
        return Err(thin::missed(domain, options.edge, &thin));
    }
    let before = heights::thicken(&mut shaping);
    compared.follow(&mut shaping, &before);
    volume::keep_volume(&mut shaping, &compared.triangles, &compared.gaps);
    let (snapped, others): (Vec<u32>, Vec<u32>) =
        (0..shaping.tetrahedra.len() as u32).partition(|&index| shaping.is_snapped(index));
    let dihedral = [&others, &snapped].map(|list| {
        let list = list.par_iter().with_min_len(CHUNK).map(|&index| Cosines::of(&shaping.corners(index)).range());
        list.reduce(DihedralRange::default, DihedralRange::joined)
    });
    let bad = others.iter().filter(|&&index| !Guard::PROMISED.holds(Cosines::of(&shaping.corners(index)))).count();
    let Shaping { positions, tetrahedra, .. } = shaping;
    let order = morton_order(&positions, &tetrahedra);
    let mut new_number = vec![0; order.points.len()];
    order.points.iter().zip(0..).for_each(|(&old, new)| new_number[old as usize] = new);
    let positions = order.points.iter().map(|&old| positions[old as usize]).collect();
    let tetrahedra =
        order.elements.iter().map(|&old| tetrahedra[old as usize].map(|corner| new_number[corner as usize])).collect();
    let mut mesh = TetMesh::from_parts(positions, tetrahedra)?;
    let parted = manifold::part(&mut mesh)?;

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
        bad,
        parted,
        surface_edge: quality::mean_surface_edge(&mesh),
        lowest: quality::lowest_height(&mesh),
    };
    Ok(Stuffing { mesh, regions, report })
}

/// Tetrahedra of the lattice that thin places may lead to in any case, and times as many as the mesh had without finer cells. Where
/// walls are thin about a fifth of the lattice lies inside.
const MOST_REFINED: f64 = 2e6;
const MOST_TIMES_REFINED: f64 = 8.0;

/// Tetrahedra with features, on a lattice with finer cells where asked; more of them are refined, or fewer, where angles need it.
fn shape<'a>(
    domain: &'a dyn Domain,
    options: &StuffingOptions,
    survey: &mut Survey,
    refined: &mut [Vec<u64>],
) -> Result<(Shaping<'a>, FeatureReport), ShapeError> {
    let mut shaping = warped(domain, options, survey, refined)?;
    let mut growths = 0;
    while let Some(finest) = refined.iter().position(|list| !list.is_empty()) {
        let bad = shaping.mend();
        let places: Vec<Vec3> = bad.iter().map(|&index| shaping.corners(index).iter().sum::<Vec3>() * 0.25).collect();
        if bad.is_empty() {
            break;
        }
        if growths < MOST_GROWTHS {
            // Where cells change their size elsewhere, other tetrahedra meet the surface.
            growths += 1;
            for (level, list) in (1..).zip(refined.iter_mut()).skip(finest) {
                list.extend(thin::cells_around(survey, level, &places));
                list.sort_unstable();
                list.dedup();
            }
        } else if bad.iter().any(|&index| shaping.is_flat(index)) {
            refined[finest].clear();
            growths = 0;
        } else {
            break;
        }
        shaping = warped(domain, options, survey, refined)?;
    }
    let mut features = FeatureReport::default();
    if options.feature_angle < 180.0 {
        features = features::snap_to_features(&mut shaping, options.feature_angle.to_radians());
    }
    Ok((shaping, features))
}

/// How often the finer places may grow before one level of them is given up.
const MOST_GROWTHS: u32 = 4;

/// Tetrahedra of a lattice with finer cells where asked, cut by the surface.
fn warped<'a>(
    domain: &'a dyn Domain,
    options: &StuffingOptions,
    survey: &mut Survey,
    refined: &[Vec<u64>],
) -> Result<Shaping<'a>, ShapeError> {
    let octree = Octree::new(survey, refined, options)?;
    for (level, leaves) in (0..survey.frame.base).zip(&octree.leaves) {
        survey.ask(domain, level, leaves);
    }
    let background = Background::new(survey, &octree);
    let crossings = crossing::crossings(domain, &survey.frame, &background);
    let warped = warp::warp(&survey.frame, &background, &crossings);
    // Flat ones under a smooth surface are no wall.
    let is_wall = |corners: &[Vec3; 4]| {
        Guard::STRONG.holds(Cosines::of(corners)) && domain.contains(&(corners.iter().sum::<Vec3>() * 0.25))
    };
    Ok(Shaping::new(domain, options.edge, stencil::fill(&background, &warped, is_wall)))
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
            // Points stand off by what chords of this length cut off: at most edge²/4 of a triangle's height.
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
    fn size_and_place_do_not_matter() {
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

    /// Knows no clearance anywhere, as models with holes do.
    struct Blind<D>(D);

    impl<D: Domain> Domain for Blind<D> {
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
        let blind = stuff(&Blind(ball(1.0)), &options).expect("a mesh").mesh;
        assert_eq!(seeing.element_count(), blind.element_count());
        let apart = |(one, other): (&Vec3, &Vec3)| (one - other).norm();
        assert!(seeing.positions().iter().zip(blind.positions()).map(apart).fold(0.0, f64::max) < 1e-6);
    }

    #[test]
    fn what_cannot_be_meshed_is_refused_by_name() {
        let few = StuffingOptions { limit: 1e6, ..StuffingOptions::with_edge(1e-4) };
        assert!(matches!(stuff(&ball(1.0), &few), Err(ShapeError::TooFine { .. })));
        // One that knows nothing of its clearance has to be followed until there are too many.
        assert!(matches!(stuff(&Blind(ball(1.0)), &few), Err(ShapeError::TooFine { .. })));
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
