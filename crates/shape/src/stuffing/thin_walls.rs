//! Detection of lattice points where mesh and surface differ too much and need finer cells.

use craze_math::Vec3;
use craze_spatial::TriangleTree;
use rayon::prelude::*;

use super::classification::{CHUNK, Classification, grown};
use super::features::surface_triangles;
use super::heights;
use super::morton::{centre, sorted};
use super::working_mesh::{WorkingMesh, project};
use crate::Domain;
use crate::error::ShapeError;
use crate::number_format::{grouped, short};
use crate::resolution::TETRAHEDRA_PER_SQUARE_EDGE;
use crate::tuning::{LOST_DISTANCE, REFINEMENT_DISTANCE};

/// Thin walls, tips and gaps that cells of the requested edge length do not resolve.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ThinReport {
    /// Points approximated worse than an eighth of an edge without refinement.
    pub under_resolved: usize,
    /// Number of cell halvings there.
    pub halvings: u32,
    /// Number of tetrahedra of the next halving, if skipped as too many.
    pub skipped_tetrahedra: Option<f64>,
    /// Points farther than 0.3 edges from the mesh: missing or filled up.
    pub unresolved: usize,
    /// Approximate share of the surface lost at these points.
    pub lost_share: f64,
    /// The thinnest wall among all points.
    pub thinnest: Option<ThinWall>,
    /// Tenth percentile of the wall thickness at the points (m).
    pub tenth_percentile: Option<f64>,
    /// The edge length (m) used instead of the requested one, which would tear such walls.
    pub shortened_edge: Option<f64>,
    /// Removed loose pieces, remains of walls thinner than the finest cells.
    pub removed_pieces: usize,
}

impl ThinReport {
    /// Describes what is lost or has a shorter edge than requested.
    pub fn warning(&self) -> Option<String> {
        let shortened = self.shortened_edge.map(|edge| {
            let wall = self.tenth_percentile.map_or_else(String::new, |wall| format!(" (about {} m)", short(wall)));
            format!("the walls are too thin{wall} for the requested edge; the edge is {} m instead", short(edge))
        });
        if self.unresolved == 0 && self.removed_pieces == 0 {
            return shortened;
        }
        let places = if self.unresolved == 1 {
            "1 place is".to_owned()
        } else {
            format!("{} places are", grouped(self.unresolved))
        };
        let what = self.thinnest.map_or_else(String::new, |ThinWall { thickness, position: [x, y, z] }| {
            let [x, y, z] = [x, y, z].map(short);
            format!(": a sheet-like part is {} m thin near ({x}, {y}, {z}) m", short(thickness))
        });
        let why = self
            .skipped_tetrahedra
            .map_or_else(String::new, |_| "; finer cells were skipped because there would be too many".to_owned());
        let removed = if self.removed_pieces == 0 {
            String::new()
        } else {
            format!("; {} loose pieces were removed", grouped(self.removed_pieces))
        };
        let lost = format!("{places} too thin for this edge, and partly missing or filled up{what}{why}{removed}");
        Some(shortened.map_or(lost.clone(), |shortened| format!("{shortened}; {lost}")))
    }
}

/// A thin wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThinWall {
    /// Distance through the material (m).
    pub thickness: f64,
    /// Position on the surface (m).
    pub position: [f64; 3],
}

/// Thickness over size below which a shape is a sheet.
const SHEET_THICKNESS_RATIO: f64 = 0.1;
/// Lost share of the surface above which meshing fails.
pub(super) const MAX_LOST_SHARE: f64 = 0.8;

/// Comparison of the mesh's surface with the domain's.
pub(super) struct Comparison {
    /// The mesh's surface.
    pub(super) triangles: Vec<[u32; 3]>,
    /// Signed distance (m) from each centroid to the domain's surface; none beyond
    /// [`LOST_DISTANCE`].
    pub(super) gaps: Vec<Option<f64>>,
    /// Points of either surface too far from the other, with their distance (edges, up to
    /// [`LOST_DISTANCE`]).
    places: Vec<(Vec3, f64)>,
    /// Sampled points on the domain's surface, and how many are lost.
    samples: [usize; 2],
    density: SampleDensity,
}

/// Sampling of the domain's surface in an octant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SampleDensity {
    /// Near the centres of its children, to decide about refinement.
    EightPerOctant,
    /// Near its centre, to count what is lost.
    OnePerOctant,
}

impl Comparison {
    /// Samples the domain's surface in the octants `within` (of `level`), and the mesh's.
    pub(super) fn new(
        classification: &Classification,
        working: &WorkingMesh,
        level: u32,
        within: &[u64],
        density: SampleDensity,
    ) -> Self {
        let (domain, edge) = (working.domain, working.edge);
        let triangles = surface_triangles(working);
        // Valid triangles cannot fail.
        let tree = TriangleTree::new(&working.positions, &triangles).unwrap_or_default();
        let quarter = 0.25 * classification.frame.width(level);
        let (count, radius) = match density {
            SampleDensity::EightPerOctant => (8, 3f64.sqrt() * quarter),
            SampleDensity::OnePerOctant => (1, 2.0 * 3f64.sqrt() * quarter),
        };
        let inside_missed = within.par_iter().with_min_len(CHUNK / 8).flat_map_iter(|&octant| {
            let centroid = classification.frame.position(centre(level, octant));
            let offset = if count == 1 { 0.0 } else { quarter };
            (0..count).map(move |child| {
                centroid + Vec3::from_fn(|axis, _| if child >> axis & 1 == 1 { offset } else { -offset })
            })
        });
        let inside_missed = inside_missed.filter_map(|centroid| nearest_surface(domain, &centroid, radius));
        let inside_missed = inside_missed.map(|position| {
            let distance = tree
                .closest_within(&position, LOST_DISTANCE * edge)
                .map_or(LOST_DISTANCE, |closest| closest.distance_squared.sqrt() / edge);
            (position, distance)
        });
        let mut places: Vec<(Vec3, f64)> = inside_missed.collect();
        let lost = places.iter().filter(|(_, distance)| *distance >= LOST_DISTANCE).count();
        let counts = [places.len(), lost];
        places.retain(|(_, distance)| *distance >= REFINEMENT_DISTANCE);
        let samples: Vec<(Vec3, Option<f64>)> = triangles
            .par_iter()
            .with_min_len(CHUNK / 8)
            .map(|triangle| (centroid(working, triangle), gap(working, triangle)))
            .collect();
        let apart = |&(centroid, gap): &(Vec3, Option<f64>)| {
            let distance = gap.map_or(LOST_DISTANCE, |gap| gap.abs() / edge);
            (distance >= REFINEMENT_DISTANCE).then_some((centroid, distance))
        };
        places.extend(samples.iter().filter_map(apart));
        Self { triangles, gaps: samples.into_iter().map(|(_, gap)| gap).collect(), places, samples: counts, density }
    }

    /// Measures triangles with moved points again. Points of those that now bridge a gap or cut off
    /// a ridge return to `before` (m).
    pub(super) fn restore_worsened(&mut self, working: &mut WorkingMesh, before: &[Option<Vec3>]) {
        let old = self.gaps.clone();
        self.remeasure(working, before);
        let absolute = |gap: Option<f64>| gap.map_or(f64::INFINITY, f64::abs);
        let least = 0.5 * REFINEMENT_DISTANCE * working.edge;
        let pairs = self.triangles.iter().zip(old.iter().zip(&self.gaps));
        let worse =
            pairs.filter(|(_, (old, new))| absolute(**new) > absolute(**old).max(least)).map(|(triangle, _)| *triangle);
        let worse: Vec<[u32; 3]> = worse.collect();
        for point in worse.iter().flatten() {
            if let Some(position) = before[*point as usize] {
                heights::move_back(working, *point, position);
            }
        }
        if !worse.is_empty() {
            self.remeasure(working, before);
        }
    }

    fn remeasure(&mut self, working: &WorkingMesh, before: &[Option<Vec3>]) {
        let triangles = self.triangles.par_iter().zip(&mut self.gaps).with_min_len(CHUNK / 8);
        triangles
            .filter(|(triangle, _)| triangle.iter().any(|&point| before[point as usize].is_some()))
            .for_each(|(triangle, known)| *known = gap(working, triangle));
    }

    /// The report before any refinement.
    pub(super) fn report(&self, domain: &dyn Domain, edge: f64) -> ThinReport {
        let rough: Vec<Vec3> = self.places.iter().map(|(position, _)| *position).collect();
        let walls = walls(domain, edge, &rough);
        let tenth_percentile = walls.get(walls.len() / 10).map(|wall| wall.thickness);
        ThinReport {
            under_resolved: rough.len(),
            thinnest: walls.first().copied(),
            tenth_percentile,
            ..ThinReport::default()
        }
    }

    /// Cells below `level` where the surfaces differ: all lost points, and inaccurate ones unless
    /// they are most of the surface, as for a noisy model.
    pub(super) fn finer_cells(&self, classification: &Classification, level: u32) -> Vec<u64> {
        let most = 12 * classification.candidates.len();
        let cells = |tolerance: f64| {
            let apart = self.places.iter().filter(|(_, distance)| *distance >= tolerance);
            cells_around(classification, level, &apart.map(|(position, _)| *position).collect::<Vec<_>>())
        };
        [REFINEMENT_DISTANCE, 0.5 * (REFINEMENT_DISTANCE + LOST_DISTANCE)]
            .into_iter()
            .map(cells)
            .find(|cells| cells.len() <= most)
            .unwrap_or_else(|| cells(LOST_DISTANCE))
    }

    pub(super) fn samples(&self) -> usize {
        self.samples[0]
    }

    /// Lost share of the domain's surface, given the samples before refinement and the number of
    /// halvings.
    pub(super) fn lost_share(&self, samples: usize, halvings: u32) -> f64 {
        // A halving gives four times as many samples; so does eight per octant instead of one.
        let fewer = i32::from(self.density == SampleDensity::OnePerOctant);
        self.samples[1] as f64 / 4f64.powi(halvings as i32 - fewer) / samples.max(1) as f64
    }

    pub(super) fn lost(&self) -> usize {
        self.places.iter().filter(|(_, distance)| *distance >= LOST_DISTANCE).count()
    }
}

fn centroid(working: &WorkingMesh, triangle: &[u32; 3]) -> Vec3 {
    triangle.iter().map(|&point| working.positions[point as usize]).sum::<Vec3>() / 3.0
}

/// Signed distance (m) from a triangle's centroid to the domain's surface; none beyond
/// [`LOST_DISTANCE`].
pub(super) fn gap(working: &WorkingMesh, triangle: &[u32; 3]) -> Option<f64> {
    let [a, b, c] = triangle.map(|point| working.positions[point as usize]);
    let centroid = centroid(working, triangle);
    let normal = (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_default();
    // Beyond a thin wall or gap the sign is the same again, so shorter distances are tried too.
    let reaches = [1.0, 0.3, 0.1].map(|share| share * LOST_DISTANCE * working.edge);
    let found = reaches.iter().find_map(|reach| project(working.domain, &centroid, &normal, *reach));
    found.map(|found| (found - centroid).dot(&normal))
}

/// The error for a failed mesh, with the cause.
pub(super) fn inside_missed(domain: &dyn Domain, edge: f64, thin: &ThinReport) -> ShapeError {
    let size = domain.bounds().size();
    // Mean thickness of a sheet.
    let mean = domain.volume().zip(domain.area()).map(|(volume, area)| 2.0 * volume / area).filter(|mean| *mean > 0.0);
    let thinnest = thin.thinnest.map(|position| position.thickness).or(mean).unwrap_or(size.min());
    if !(thinnest < edge && thinnest < SHEET_THICKNESS_RATIO * size.max()) {
        return ShapeError::InteriorMissed { edge, thinnest };
    }
    let volume = domain.volume().unwrap_or_else(|| size.product().min(0.5 * thinnest * size.norm_squared()));
    let count = TETRAHEDRA_PER_SQUARE_EDGE * volume / thinnest.powi(3);
    ShapeError::ThinSheet { edge, thickness: thinnest, position: thin.thinnest.map(|wall| wall.position), count }
}

/// A surface point within `reach` (m).
fn nearest_surface(domain: &dyn Domain, position: &Vec3, reach: f64) -> Option<Vec3> {
    let clearance = domain.clearance(position);
    if clearance > reach {
        return None;
    }
    let normal = domain.normal(position)?;
    let toward = if domain.contains(position) { normal } else { -normal };
    // The sign must change, unlike at inner triangles of a model.
    project(domain, &(position + toward * clearance), &normal, 0.02 * reach)
        .or_else(|| project(domain, position, &normal, reach))
}

/// Children of the octants of `level` within half a width of a point; sorted.
pub(super) fn cells_around(classification: &Classification, level: u32, places: &[Vec3]) -> Vec<u64> {
    let holding =
        sorted(places.iter().filter_map(|position| classification.frame.octant(level - 1, position)).collect());
    let parents = sorted(grown(&holding).iter().map(|octant| octant >> 3).collect());
    parents.iter().flat_map(|&octant| (0..8).map(move |child| octant << 3 | child)).collect()
}

/// Most points at which wall thickness is measured.
const MAX_WALL_SAMPLES: usize = 512;

/// Walls up to two edges thick behind surface points; the thinnest first.
fn walls(domain: &dyn Domain, edge: f64, places: &[Vec3]) -> Vec<ThinWall> {
    let thickness = |position: &Vec3| {
        let inward = -domain.normal(position)?;
        let is_inside = |depth: f64| domain.contains(&(position + inward * depth));
        let mut depth = 1e-3 * edge;
        if domain.contains(&(position - inward * depth)) || !is_inside(depth) {
            return None;
        }
        while is_inside(1.15 * depth) {
            depth *= 1.15;
            if depth > 2.0 * edge {
                return None;
            }
        }
        let through = project(domain, &(position + inward * (1.075 * depth)), &inward, 0.075 * depth)?;
        Some(ThinWall { thickness: (through - position).norm(), position: (*position).into() })
    };
    let samples: Vec<&Vec3> = places.iter().step_by(places.len().div_ceil(MAX_WALL_SAMPLES).max(1)).collect();
    let mut found: Vec<ThinWall> =
        samples.par_iter().with_min_len(16).filter_map(|position| thickness(position)).collect();
    found.sort_by(|one, other| one.thickness.total_cmp(&other.thickness));
    found
}

#[cfg(test)]
mod tests {
    use crate::catalogue::{Block, BuiltIn};
    use crate::resolution::edge_for;
    use crate::stuffing::testing::{Distance, edge_uses, rotation};
    use crate::stuffing::{Stuffing, StuffingOptions, stuff};
    use crate::{Domain, ShapeError, SurfaceDomain};
    use craze_math::Vec3;
    use craze_spatial::Aabb;
    use std::f64::consts::PI;

    /// The wall of a ball of radius 1.
    fn shell(wall: f64) -> Distance<impl Fn(&Vec3) -> f64 + Sync> {
        let distance = move |point: &Vec3| (point.norm() - 1.0 + 0.5 * wall).abs() - 0.5 * wall;
        Distance { distance, bounds: Aabb { min: Vec3::repeat(-1.0), max: Vec3::repeat(1.0) } }
    }

    #[test]
    fn walls_thinner_than_the_edge_are_complete() {
        let edge = 0.16;
        for wall in [1.3, 0.9, 0.5] {
            let wall = wall * edge;
            let Stuffing { mesh, report, .. } = stuff(&shell(wall), &StuffingOptions::with_edge(edge)).expect("a mesh");
            mesh.validate().expect("valid");
            let surface = mesh.boundary().triangles;
            assert!(edge_uses(&surface).all(|uses| uses == (1, 1)));
            assert_eq!(mesh.pieces().count, 1);
            // Two spheres without a hole: V − E + F = 4, where E = 3/2 F.
            let mut nodes: Vec<_> = surface.iter().flatten().copied().collect();
            nodes.sort_unstable();
            nodes.dedup();
            assert_eq!(2 * nodes.len(), surface.len() + 8, "{report:?}");
            let volume = 4.0 / 3.0 * PI * (1.0 - (1.0 - wall).powi(3));
            assert!((mesh.total_measure() / volume - 1.0).abs() < 0.01, "{}", mesh.total_measure() / volume);
            assert!(report.dihedral.smallest > 10.0 && report.dihedral.largest < 165.0, "{report:?}");
            assert!(report.thin.unresolved == 0, "{report:?}");
            let Some(thinnest) = report.thin.thinnest else {
                assert!(wall > edge, "found a thin wall");
                continue;
            };
            assert!((thinnest.thickness / wall - 1.0).abs() < 0.15, "{thinnest:?}");
            assert!((Vec3::from(thinnest.position).norm() - 1.0 + 0.5 * wall).abs() < 0.6 * wall, "{thinnest:?}");
        }
    }

    #[test]
    fn walls_too_thin_for_the_finest_cells_are_reported() {
        let options = StuffingOptions::with_edge(0.2);
        match stuff(&shell(0.004), &options) {
            Ok(Stuffing { report, .. }) => assert!(report.thin.unresolved > 0, "{report:?}"),
            Err(ShapeError::ThinSheet { thickness, .. }) => assert!(thickness < 0.01, "{thickness}"),
            Err(other) => panic!("{other}"),
        }
        // Two plates, one thick; what remains of the thin one is reported.
        let distance = |point: &Vec3| {
            let plate = |at: f64, half: f64| {
                let beyond = (point - Vec3::new(0.0, at, 0.0)).abs() - Vec3::new(1.0, half, 1.0);
                beyond.map(|c| c.max(0.0)).norm() + beyond.max().min(0.0)
            };
            plate(0.5, 0.3).min(plate(-0.5, 0.004))
        };
        let bounds = Aabb { min: Vec3::new(-1.0, -0.51, -1.0), max: Vec3::new(1.0, 0.8, 1.0) };
        let report = stuff(&Distance { distance, bounds }, &options).expect("a mesh").report;
        assert!(report.thin.unresolved > 0, "{report:?}");
        let thinnest = report.thin.thinnest.expect("a wall");
        assert!(
            (thinnest.thickness - 0.008).abs() < 0.005 && (thinnest.position[1] + 0.5).abs() < 0.01,
            "{thinnest:?}"
        );
    }

    #[test]
    fn refinement_can_be_turned_off() {
        let options = StuffingOptions { refinement: 0, ..StuffingOptions::with_edge(0.16) };
        let report = stuff(&shell(0.1), &options).expect("a mesh").report;
        assert_eq!(report.thin.halvings, 0);
        assert!(report.thin.unresolved > 0);
        assert!((report.thin.thinnest.expect("a wall").thickness - 0.1).abs() < 0.001);
    }

    fn plate(width: f64, thickness: f64, rotated: bool) -> SurfaceDomain {
        let mut surface = Block { size: [width, thickness, width] }.surface(1.0).expect("a plate");
        if rotated {
            surface.positions.iter_mut().for_each(|point| *point = rotation() * *point);
        }
        SurfaceDomain::new(&surface).expect("an inside").0
    }

    #[test]
    fn plates_at_their_default_edge_are_meshed_or_refused_quickly() {
        check_default_edges(&[(1e-2, true), (1e-3, false), (1e-5, true)]);
    }

    /// Meshes plates of these thicknesses (m) with their default edge.
    fn check_default_edges(plates: &[(f64, bool)]) {
        for &(thickness, rotated) in plates {
            let domain = plate(if thickness < 5e-3 { 1.0 } else { 0.25 }, thickness, rotated);
            let wall = domain.thickness(0).expect("a wall").fifth_percentile;
            let (volume, area) = (domain.volume().expect("known"), domain.area().expect("known"));
            let edge = edge_for(volume, area, wall);
            match stuff(&domain, &StuffingOptions::with_edge(edge)) {
                Ok(Stuffing { mesh, report, .. }) => {
                    assert!(thickness > 5e-3 && report.tetrahedra < 400_000, "{thickness} {report:?}");
                    assert!(
                        (mesh.total_measure() / volume - 1.0).abs() < 0.01 && report.thin.unresolved == 0,
                        "{report:?}"
                    );
                    assert_eq!((report.thin.warning(), mesh.pieces().count), (None, 1));
                }
                Err(error @ ShapeError::ThinSheet { thickness: found, .. }) => {
                    assert!(thickness < 5e-3 && (found / thickness - 1.0).abs() < 0.15, "{error}");
                    let text = error.to_string();
                    assert!(
                        text.starts_with("the shape is like a sheet, 0.00") && text.contains("Model it as a sheet"),
                        "{text}"
                    );
                }
                Err(error) => panic!("{error}"),
            }
        }
    }

    /// Sizes and requested edges (m).
    const THIN: [([f64; 3], f64); 4] = [
        ([0.005, 0.005, 0.3], 0.025),
        ([0.15, 0.01, 0.15], 0.03),
        ([0.2, 0.01, 0.2], 0.025),
        ([0.1, 0.005, 0.1], 0.025),
    ];

    fn check_thin(rotated: bool, sizes: &[([f64; 3], f64)]) {
        for &(size, edge) in sizes {
            let mut surface = Block { size }.surface(1.0).expect("a block");
            if rotated {
                surface.positions.iter_mut().for_each(|point| *point = rotation() * *point);
            }
            let domain = SurfaceDomain::new(&surface).expect("an inside").0;
            let Stuffing { mesh, report, .. } = stuff(&domain, &StuffingOptions::with_edge(edge)).expect("a mesh");
            let volume = size.iter().product::<f64>();
            assert_eq!(mesh.pieces().count, 1, "{size:?} {rotated} {report:?}");
            assert!((mesh.total_measure() / volume - 1.0).abs() < 0.03, "{size:?} {rotated} {report:?}");
            assert!(report.bad_angles == 0 && report.thin.lost_share < 0.02, "{report:?}");
            if let Some(edge) = report.thin.shortened_edge {
                let warning = report.thin.warning().expect("a warning");
                assert!(
                    warning.contains(&format!("the edge is {} m instead", crate::number_format::short(edge))),
                    "{warning}"
                );
            }
        }
    }

    #[test]
    fn rotated_plates_and_rods_thinner_than_the_requested_edge_are_connected() {
        check_thin(true, &THIN[..2]);
    }

    #[test]
    #[ignore = "long: more of them, and such that lie along the cells"]
    fn plates_and_rods_thinner_than_the_requested_edge_are_connected() {
        check_thin(true, &THIN[2..]);
        check_thin(false, &THIN);
        check_default_edges(&[(1e-2, false), (1e-3, true)]);
    }

    #[test]
    fn an_edge_too_long_for_a_block_does_not_make_it_a_sheet() {
        let block = Block { size: [1.0, 0.5, 0.7] }.surface(1.0).expect("a block");
        let (domain, _) = SurfaceDomain::new(&block).expect("an inside");
        let error = stuff(&domain, &StuffingOptions::with_edge(1e6)).expect_err("too long");
        assert!(matches!(error, ShapeError::InteriorMissed { .. }), "{error}");
    }

    #[test]
    fn refinement_that_costs_too_much_is_skipped_and_reported() {
        // A cube surrounded by a fin.
        let mut both = Block { size: [1.0; 3] }.surface(1.0).expect("a block");
        let fin = Block { size: [2.0, 0.01, 2.0] }.surface(1.0).expect("a fin");
        let offset = both.positions.len() as u32;
        both.positions.extend(&fin.positions);
        both.triangles.extend(fin.triangles.iter().map(|t| t.map(|point| point + offset)));
        let (domain, _) = SurfaceDomain::new(&both).expect("an inside");
        let options = StuffingOptions { limit: 2e5, ..StuffingOptions::with_edge(0.08) };
        let Stuffing { mesh, report, .. } = stuff(&domain, &options).expect("a mesh");
        assert!(report.thin.skipped_tetrahedra > Some(2e5) && report.thin.unresolved > 0, "{report:?}");
        assert!((mesh.total_measure() - 1.0).abs() < 0.04, "{}", mesh.total_measure());
        let warning = report.thin.warning().expect("a warning");
        assert!(warning.contains("a sheet-like part is 0.01 m thin near"), "{warning}");
        assert!(warning.ends_with("finer cells were skipped because there would be too many"), "{warning}");
    }
}
