//! Thin places: parts of the surface that the mesh misses by too much, so that finer cells are needed there.

use craze_math::Vec3;
use craze_spatial::TriangleTree;
use rayon::prelude::*;

use super::features::surface_triangles;
use super::heights;
use super::key::{centre, sorted};
use super::shaping::{Shaping, project};
use super::survey::{CHUNK, Survey, grown};
use crate::Domain;
use crate::error::ShapeError;
use crate::resolution::TETRAHEDRA_A_SQUARE;
use crate::words::{grouped, short};

/// Thin walls, tips and gaps that cells of the asked edge length do not resolve.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ThinReport {
    /// Places where cells of the asked edge length come no nearer to the surface than an eighth of it.
    pub found: usize,
    /// How many times cells were halved there.
    pub halvings: u32,
    /// How many tetrahedra the next halving would have made, if it was left out because of that.
    pub spared: Option<f64>,
    /// Places that are farther than 0.3 edges from it still: what is there is missing from the mesh, or filled although it is outside.
    pub left: usize,
    /// Share of the surface that these are, about.
    pub lost_share: f64,
    /// The thinnest wall among all places found, if one was met.
    pub thinnest: Option<ThinPlace>,
    /// The wall that nine tenths of them are thicker than (m).
    pub typical: Option<f64>,
    /// The edge length (m) that was taken in place of the asked one, because tetrahedra of that do not hold together in walls this thin.
    pub shortened: Option<f64>,
    /// Loose pieces of a few tetrahedra that were left out: what is left of a wall that is thinner than the finest of them.
    pub crumbs: usize,
}

impl ThinReport {
    /// What is lost, or was made finer than asked, in words, if anything is.
    pub fn warning(&self) -> Option<String> {
        let shortened = self.shortened.map(|edge| {
            let wall = self.typical.map_or_else(String::new, |wall| format!(", about {} m", short(wall)));
            format!("the walls are too thin{wall}, for the asked edge: {} m was taken for all of it", short(edge))
        });
        if self.left == 0 && self.crumbs == 0 {
            return shortened;
        }
        let places =
            if self.left == 1 { "1 place is".to_owned() } else { format!("{} places are", grouped(self.left)) };
        let what = self.thinnest.map_or_else(String::new, |ThinPlace { thickness, place: [x, y, z] }| {
            let [x, y, z] = [x, y, z].map(short);
            format!(": a sheet-like part is {} m thin near ({x}, {y}, {z}) m", short(thickness))
        });
        let why =
            self.spared.map_or_else(String::new, |_| "; finer ones were spared, there would be too many".to_owned());
        let crumbs = if self.crumbs == 0 {
            String::new()
        } else {
            format!("; {} loose crumbs of it were left out", grouped(self.crumbs))
        };
        let lost = format!(
            "{places} too thin for tetrahedra of this edge, and partly missing or filled up{what}{why}{crumbs}"
        );
        Some(shortened.map_or(lost.clone(), |shortened| format!("{shortened}; {lost}")))
    }
}

/// A thin wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThinPlace {
    /// Distance through the matter (m).
    pub thickness: f64,
    /// Where on the surface (m).
    pub place: [f64; 3],
}

/// Distances (edges) between the two surfaces from which finer cells are asked for,
const TOLERANCE: f64 = 0.12;
/// and from which a place counts as lost.
const LOST: f64 = 0.3;
/// What is thinner than this share of its size is like a sheet.
const SHEET: f64 = 0.1;
/// Share of the surface whose loss leaves nothing worth having.
pub(super) const ALL_LOST: f64 = 0.8;

/// How the mesh's surface and the domain's lie to each other.
pub(super) struct Comparison {
    /// The mesh's surface.
    pub(super) triangles: Vec<[u32; 3]>,
    /// How far (m) the domain's surface is beyond the middle of each triangle; none if it is farther than a place may be.
    pub(super) gaps: Vec<Option<f64>>,
    /// Points of either surface that are too far from the other, with their distance over the edge length; at most [`LOST`] where it
    /// was not looked for any farther.
    places: Vec<(Vec3, f64)>,
    /// In how many places a point of the domain's surface was found, and how many of these the mesh has lost.
    looks: [usize; 2],
    density: Density,
}

/// Where the domain's surface is looked for in an octant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Density {
    /// Near the middles of its eighths: what finer cells are decided by.
    Eighths,
    /// Near its own middle, which is enough to count what is lost in the end.
    Middles,
}

impl Comparison {
    /// Looks at the domain's surface nearest to middles of the octants `within` (of `level`), and at all triangles of the mesh.
    pub(super) fn new(survey: &Survey, shaping: &Shaping, level: u32, within: &[u64], density: Density) -> Self {
        let (domain, edge) = (shaping.domain, shaping.edge);
        let triangles = surface_triangles(shaping);
        // A tree of sound triangles cannot fail.
        let tree = TriangleTree::new(&shaping.positions, &triangles).unwrap_or_default();
        let quarter = 0.25 * survey.frame.width(level);
        let (count, radius) = match density {
            Density::Eighths => (8, 3f64.sqrt() * quarter),
            Density::Middles => (1, 2.0 * 3f64.sqrt() * quarter),
        };
        let missed = within.par_iter().with_min_len(CHUNK / 8).flat_map_iter(|&octant| {
            let middle = survey.frame.position(centre(level, octant));
            let off = if count == 1 { 0.0 } else { quarter };
            (0..count)
                .map(move |child| middle + Vec3::from_fn(|axis, _| if child >> axis & 1 == 1 { off } else { -off }))
        });
        let missed = missed.filter_map(|middle| nearest_surface(domain, &middle, radius));
        let missed = missed.map(|place| {
            let distance =
                tree.closest_within(&place, LOST * edge).map_or(LOST, |closest| closest.distance_squared.sqrt() / edge);
            (place, distance)
        });
        let mut places: Vec<(Vec3, f64)> = missed.collect();
        let lost = places.iter().filter(|(_, distance)| *distance >= LOST).count();
        let met = [places.len(), lost];
        places.retain(|(_, distance)| *distance >= TOLERANCE);
        let looks: Vec<(Vec3, Option<f64>)> = triangles
            .par_iter()
            .with_min_len(CHUNK / 8)
            .map(|triangle| (middle(shaping, triangle), gap(shaping, triangle)))
            .collect();
        let apart = |&(middle, gap): &(Vec3, Option<f64>)| {
            let distance = gap.map_or(LOST, |gap| gap.abs() / edge);
            (distance >= TOLERANCE).then_some((middle, distance))
        };
        places.extend(looks.iter().filter_map(apart));
        Self { triangles, gaps: looks.into_iter().map(|(_, gap)| gap).collect(), places, looks: met, density }
    }

    /// Looks again at triangles of which a point has moved, from where it was `before` (m). Those that now bridge a hollow or cut a ridge have their points
    /// put back.
    pub(super) fn follow(&mut self, shaping: &mut Shaping, before: &[Option<Vec3>]) {
        let old = self.gaps.clone();
        self.look_again(shaping, before);
        let far = |gap: Option<f64>| gap.map_or(f64::INFINITY, f64::abs);
        let least = 0.5 * TOLERANCE * shaping.edge;
        let pairs = self.triangles.iter().zip(old.iter().zip(&self.gaps));
        let worse = pairs.filter(|(_, (old, new))| far(**new) > far(**old).max(least)).map(|(triangle, _)| *triangle);
        let worse: Vec<[u32; 3]> = worse.collect();
        for point in worse.iter().flatten() {
            if let Some(place) = before[*point as usize] {
                heights::put_back(shaping, *point, place);
            }
        }
        if !worse.is_empty() {
            self.look_again(shaping, before);
        }
    }

    fn look_again(&mut self, shaping: &Shaping, before: &[Option<Vec3>]) {
        let triangles = self.triangles.par_iter().zip(&mut self.gaps).with_min_len(CHUNK / 8);
        triangles
            .filter(|(triangle, _)| triangle.iter().any(|&point| before[point as usize].is_some()))
            .for_each(|(triangle, known)| *known = gap(shaping, triangle));
    }

    /// What is to be told before any cell is halved.
    pub(super) fn report(&self, domain: &dyn Domain, edge: f64) -> ThinReport {
        let rough: Vec<Vec3> = self.places.iter().map(|(place, _)| *place).collect();
        let walls = walls(domain, edge, &rough);
        let typical = walls.get(walls.len() / 10).map(|wall| wall.thickness);
        ThinReport { found: rough.len(), thinnest: walls.first().copied(), typical, ..ThinReport::default() }
    }

    /// Cells below `level` to be had where the surfaces are too far apart: all that is lost, and what is only rough unless it is
    /// most of the surface; a noisy model is not worth many times the tetrahedra.
    pub(super) fn finer_cells(&self, survey: &Survey, level: u32) -> Vec<u64> {
        let most = 12 * survey.candidates.len();
        let cells = |tolerance: f64| {
            let apart = self.places.iter().filter(|(_, distance)| *distance >= tolerance);
            cells_around(survey, level, &apart.map(|(place, _)| *place).collect::<Vec<_>>())
        };
        [TOLERANCE, 0.5 * (TOLERANCE + LOST)]
            .into_iter()
            .map(cells)
            .find(|cells| cells.len() <= most)
            .unwrap_or_else(|| cells(LOST))
    }

    /// In how many places of its own the domain's surface was looked at.
    pub(super) fn looks(&self) -> usize {
        self.looks[0]
    }

    /// The share of the domain's surface that is lost, after so many halvings of the cells in which it was looked at so often.
    pub(super) fn lost_share(&self, looks: usize, halvings: u32) -> f64 {
        // Halved cells have four times as many looks where they are, and none elsewhere; an octant has four times as many as its middle.
        let fewer = i32::from(self.density == Density::Middles);
        self.looks[1] as f64 / 4f64.powi(halvings as i32 - fewer) / looks.max(1) as f64
    }

    /// In how many places the surface is lost.
    pub(super) fn lost(&self) -> usize {
        self.places.iter().filter(|(_, distance)| *distance >= LOST).count()
    }
}

fn middle(shaping: &Shaping, triangle: &[u32; 3]) -> Vec3 {
    triangle.iter().map(|&point| shaping.positions[point as usize]).sum::<Vec3>() / 3.0
}

/// How far (m) the domain's surface is beyond the middle of a triangle of the mesh's; none if it is farther than a place may be.
pub(super) fn gap(shaping: &Shaping, triangle: &[u32; 3]) -> Option<f64> {
    let [a, b, c] = triangle.map(|point| shaping.positions[point as usize]);
    let middle = middle(shaping, triangle);
    let normal = (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_default();
    // Beyond a thin wall or gap the sign is the same again.
    let reaches = [1.0, 0.3, 0.1].map(|share| share * LOST * shaping.edge);
    let found = reaches.iter().find_map(|reach| project(shaping.domain, &middle, &normal, *reach));
    found.map(|found| (found - middle).dot(&normal))
}

/// Why there is no mesh: what is too thin for it, and what it would take.
pub(super) fn missed(domain: &dyn Domain, edge: f64, thin: &ThinReport) -> ShapeError {
    let size = domain.bounds().size();
    // All of it is as thin as this on average, if it is a sheet.
    let mean = domain.volume().zip(domain.area()).map(|(volume, area)| 2.0 * volume / area).filter(|mean| *mean > 0.0);
    let thinnest = thin.thinnest.map(|place| place.thickness).or(mean).unwrap_or(size.min());
    if !(thinnest < edge && thinnest < SHEET * size.max()) {
        return ShapeError::InteriorMissed { edge, thinnest };
    }
    let volume = domain.volume().unwrap_or_else(|| size.product().min(0.5 * thinnest * size.norm_squared()));
    let count = TETRAHEDRA_A_SQUARE * volume / thinnest.powi(3);
    ShapeError::ThinSheet { edge, thickness: thinnest, position: thin.thinnest.map(|place| place.place), count }
}

/// A point of the surface near a place, no farther than `reach` (m).
fn nearest_surface(domain: &dyn Domain, place: &Vec3, reach: f64) -> Option<Vec3> {
    let clearance = domain.clearance(place);
    if clearance > reach {
        return None;
    }
    let normal = domain.normal(place)?;
    let toward = if domain.contains(place) { normal } else { -normal };
    // Triangles inside of a model are no surface: the sign must change.
    project(domain, &(place + toward * clearance), &normal, 0.02 * reach)
        .or_else(|| project(domain, place, &normal, reach))
}

/// Children of the octants of `level` that hold the places or are not farther from one than half their width; sorted.
pub(super) fn cells_around(survey: &Survey, level: u32, places: &[Vec3]) -> Vec<u64> {
    let holding = sorted(places.iter().filter_map(|place| survey.frame.octant(level - 1, place)).collect());
    let parents = sorted(grown(&holding).iter().map(|octant| octant >> 3).collect());
    parents.iter().flat_map(|&octant| (0..8).map(move |child| octant << 3 | child)).collect()
}

/// Points behind which the thinnest wall is looked for.
const MOST_LOOKS: usize = 512;

/// The walls behind some points on the surface (others among them do not count), looked for as deep as two edges; the thinnest first.
fn walls(domain: &dyn Domain, edge: f64, places: &[Vec3]) -> Vec<ThinPlace> {
    let thickness = |place: &Vec3| {
        let inward = -domain.normal(place)?;
        let is_inside = |depth: f64| domain.contains(&(place + inward * depth));
        let mut depth = 1e-3 * edge;
        if domain.contains(&(place - inward * depth)) || !is_inside(depth) {
            return None;
        }
        while is_inside(1.15 * depth) {
            depth *= 1.15;
            if depth > 2.0 * edge {
                return None;
            }
        }
        let through = project(domain, &(place + inward * (1.075 * depth)), &inward, 0.075 * depth)?;
        Some(ThinPlace { thickness: (through - place).norm(), place: (*place).into() })
    };
    let looks: Vec<&Vec3> = places.iter().step_by(places.len().div_ceil(MOST_LOOKS).max(1)).collect();
    let mut found: Vec<ThinPlace> = looks.par_iter().with_min_len(16).filter_map(|place| thickness(place)).collect();
    found.sort_by(|one, other| one.thickness.total_cmp(&other.thickness));
    found
}

#[cfg(test)]
mod tests {
    use crate::catalogue::{Block, BuiltIn};
    use crate::resolution::edge_for;
    use crate::stuffing::testing::{Distance, edge_uses, turn};
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
    fn walls_thinner_than_the_edge_are_whole() {
        let edge = 0.16;
        for wall in [1.3, 0.9, 0.5] {
            let wall = wall * edge;
            let Stuffing { mesh, report, .. } = stuff(&shell(wall), &StuffingOptions::with_edge(edge)).expect("a mesh");
            mesh.validate().expect("valid");
            let surface = mesh.boundary().triangles;
            assert!(edge_uses(&surface).all(|uses| uses == (1, 1)));
            assert_eq!(mesh.pieces().count, 1);
            // An outer and an inner sphere without a hole: V − E + F = 4, where E = 3/2 F.
            let mut nodes: Vec<_> = surface.iter().flatten().copied().collect();
            nodes.sort_unstable();
            nodes.dedup();
            assert_eq!(2 * nodes.len(), surface.len() + 8, "{report:?}");
            let volume = 4.0 / 3.0 * PI * (1.0 - (1.0 - wall).powi(3));
            assert!((mesh.total_measure() / volume - 1.0).abs() < 0.01, "{}", mesh.total_measure() / volume);
            assert!(report.dihedral.smallest > 10.0 && report.dihedral.largest < 165.0, "{report:?}");
            assert!(report.thin.left == 0, "{report:?}");
            let Some(thinnest) = report.thin.thinnest else {
                assert!(wall > edge, "found a thin wall");
                continue;
            };
            assert!((thinnest.thickness / wall - 1.0).abs() < 0.15, "{thinnest:?}");
            assert!((Vec3::from(thinnest.place).norm() - 1.0 + 0.5 * wall).abs() < 0.6 * wall, "{thinnest:?}");
        }
    }

    #[test]
    fn what_is_too_thin_for_the_finest_cells_is_named() {
        let options = StuffingOptions::with_edge(0.2);
        match stuff(&shell(0.004), &options) {
            Ok(Stuffing { report, .. }) => assert!(report.thin.left > 0, "{report:?}"),
            Err(ShapeError::ThinSheet { thickness, .. }) => assert!(thickness < 0.01, "{thickness}"),
            Err(other) => panic!("{other}"),
        }
        // Two plates, one of them thick: what is left of the other is named.
        let distance = |point: &Vec3| {
            let plate = |at: f64, half: f64| {
                let beyond = (point - Vec3::new(0.0, at, 0.0)).abs() - Vec3::new(1.0, half, 1.0);
                beyond.map(|c| c.max(0.0)).norm() + beyond.max().min(0.0)
            };
            plate(0.5, 0.3).min(plate(-0.5, 0.004))
        };
        let bounds = Aabb { min: Vec3::new(-1.0, -0.51, -1.0), max: Vec3::new(1.0, 0.8, 1.0) };
        let report = stuff(&Distance { distance, bounds }, &options).expect("a mesh").report;
        assert!(report.thin.left > 0, "{report:?}");
        let thinnest = report.thin.thinnest.expect("a wall");
        assert!((thinnest.thickness - 0.008).abs() < 0.005 && (thinnest.place[1] + 0.5).abs() < 0.01, "{thinnest:?}");
    }

    #[test]
    fn no_refinement_can_be_asked_for() {
        let options = StuffingOptions { refinement: 0, ..StuffingOptions::with_edge(0.16) };
        let report = stuff(&shell(0.1), &options).expect("a mesh").report;
        assert_eq!(report.thin.halvings, 0);
        assert!(report.thin.left > 0);
        assert!((report.thin.thinnest.expect("a wall").thickness - 0.1).abs() < 0.001);
    }

    /// A plate of a width and thickness (m), as triangles, flat or turned by odd angles.
    fn plate(width: f64, thickness: f64, turned: bool) -> SurfaceDomain {
        let mut surface = Block { size: [width, thickness, width] }.surface(1.0).expect("a plate");
        if turned {
            surface.positions.iter_mut().for_each(|point| *point = turn() * *point);
        }
        SurfaceDomain::new(&surface).expect("an inside").0
    }

    #[test]
    fn plates_at_their_default_edge_are_filled_or_named_at_little_cost() {
        check_default_edges(&[(1e-2, true), (1e-3, false), (1e-5, true)]);
    }

    /// Fills plates of these thicknesses (m), turned or not, at their default edge.
    fn check_default_edges(plates: &[(f64, bool)]) {
        for &(thickness, turned) in plates {
            let domain = plate(if thickness < 5e-3 { 1.0 } else { 0.25 }, thickness, turned);
            let wall = domain.thickness(0).expect("a wall").fifth_percentile;
            let (volume, area) = (domain.volume().expect("known"), domain.area().expect("known"));
            let edge = edge_for(volume, area, wall);
            match stuff(&domain, &StuffingOptions::with_edge(edge)) {
                Ok(Stuffing { mesh, report, .. }) => {
                    assert!(thickness > 5e-3 && report.tetrahedra < 400_000, "{thickness} {report:?}");
                    assert!((mesh.total_measure() / volume - 1.0).abs() < 0.01 && report.thin.left == 0, "{report:?}");
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

    /// Sizes and asked edges (m) of rods and plates that are thinner than the edge.
    const THIN: [([f64; 3], f64); 4] = [
        ([0.005, 0.005, 0.3], 0.025),
        ([0.15, 0.01, 0.15], 0.03),
        ([0.2, 0.01, 0.2], 0.025),
        ([0.1, 0.005, 0.1], 0.025),
    ];

    /// Fills plates and rods that are thinner than the asked edge.
    fn check_thin(turned: bool, sizes: &[([f64; 3], f64)]) {
        for &(size, edge) in sizes {
            let mut surface = Block { size }.surface(1.0).expect("a block");
            if turned {
                surface.positions.iter_mut().for_each(|point| *point = turn() * *point);
            }
            let domain = SurfaceDomain::new(&surface).expect("an inside").0;
            let Stuffing { mesh, report, .. } = stuff(&domain, &StuffingOptions::with_edge(edge)).expect("a mesh");
            let volume = size.iter().product::<f64>();
            assert_eq!(mesh.pieces().count, 1, "{size:?} {turned} {report:?}");
            assert!((mesh.total_measure() / volume - 1.0).abs() < 0.03, "{size:?} {turned} {report:?}");
            assert!(report.bad == 0 && report.thin.lost_share < 0.02, "{report:?}");
            if let Some(edge) = report.thin.shortened {
                let warning = report.thin.warning().expect("a warning");
                assert!(
                    warning.contains(&format!("{} m was taken for all of it", crate::words::short(edge))),
                    "{warning}"
                );
            }
        }
    }

    #[test]
    fn turned_plates_and_rods_thinner_than_the_asked_edge_are_whole() {
        check_thin(true, &THIN[..2]);
    }

    #[test]
    #[ignore = "long: more of them, and such that lie along the cells"]
    fn plates_and_rods_thinner_than_the_asked_edge_are_whole() {
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
    fn what_finer_cells_would_cost_too_much_is_spared_and_said() {
        // A cube with a fin around it.
        let mut both = Block { size: [1.0; 3] }.surface(1.0).expect("a block");
        let fin = Block { size: [2.0, 0.01, 2.0] }.surface(1.0).expect("a fin");
        let offset = both.positions.len() as u32;
        both.positions.extend(&fin.positions);
        both.triangles.extend(fin.triangles.iter().map(|t| t.map(|point| point + offset)));
        let (domain, _) = SurfaceDomain::new(&both).expect("an inside");
        let options = StuffingOptions { limit: 2e5, ..StuffingOptions::with_edge(0.08) };
        let Stuffing { mesh, report, .. } = stuff(&domain, &options).expect("a mesh");
        assert!(report.thin.spared > Some(2e5) && report.thin.left > 0, "{report:?}");
        assert!((mesh.total_measure() - 1.0).abs() < 0.04, "{}", mesh.total_measure());
        let warning = report.thin.warning().expect("a warning");
        assert!(warning.contains("a sheet-like part is 0.01 m thin near"), "{warning}");
        assert!(warning.ends_with("finer ones were spared, there would be too many"), "{warning}");
    }
}
