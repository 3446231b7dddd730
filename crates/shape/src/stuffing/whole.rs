//! What is thin all over: if tetrahedra of the asked edge leave its walls in tatters, all of it gets shorter ones.
//!
//! Finer cells where a wall was missed mend a thin place of a thick body. A plate or a shell thinner than its edge is such a place
//! everywhere; there cells of two sizes stand side by side within the wall, and angles forbid some of the finer ones again. One finer
//! lattice for all of it has no such seams.

use craze_mesh::TetMesh;

use super::thin::missed;
use super::{Stuffing, StuffingOptions, StuffingReport, quick_estimate, stuff_together};
use crate::Domain;
use crate::error::ShapeError;
use crate::resolution::WHOLE;

/// More tetrahedra than this are not made for the sake of thin walls (fewer of damaged models, which answer slowly),
const MOST: f64 = 1e6;
/// unless there are a part of so many anyway.
const MOST_TIMES: f64 = 4.0;
/// Share of the volume that may be missing or too much,
const VOLUME: f64 = 0.03;
/// share of the surface that may be lost,
const LOST: f64 = 0.02;
/// and loose crumbs that there may be before walls count as torn.
const CRUMBS: f64 = 4.0;
/// Share of the volume whose loss leaves nothing worth having.
const MOST_VOLUME: f64 = 0.25;
/// A loose piece of no more tetrahedra is a crumb.
const CRUMB: usize = 8;

/// Fills a domain that fits into one lattice, with shorter edges than asked for if its walls come out torn and that mends them.
pub(super) fn stuff_whole(domain: &dyn Domain, options: &StuffingOptions) -> Result<Stuffing, ShapeError> {
    let first = stuff_together(domain, options);
    let (wall, count) = match &first {
        Ok(stuffing) => (stuffing.report.thin.typical, stuffing.report.tetrahedra),
        // The way to a point far off is no wall, and not worth a million tetrahedra.
        Err(ShapeError::ThinSheet { thickness, .. }) if domain.far_point().is_none() => (Some(*thickness), 0),
        Err(_) => return first,
    };
    let harm = Harm::of(domain, &first);
    let mut best = (first, harm);
    if let Some(wall) = wall.filter(|_| best.1.tears() > 1.0 && options.refinement > 0) {
        let finer = StuffingOptions { edge: wall / WHOLE, ..*options };
        let most = (MOST.max(MOST_TIMES * count as f64) / domain.query_cost().max(1.0)).min(options.limit);
        if finer.edge < options.edge && quick_estimate(domain, &finer)?.tetrahedra <= most {
            let mut second = stuff_together(domain, &finer);
            if let Ok(Stuffing { report: StuffingReport { thin, .. }, .. }) = &mut second {
                (thin.shortened, thin.typical) = (Some(finer.edge), Some(wall));
            }
            let harm = Harm::of(domain, &second);
            if harm.tears() < best.1.tears() {
                best = (second, harm);
            }
        }
    }
    let (stuffing, harm) = (best.0?, best.1);
    if harm.volume > MOST_VOLUME {
        return Err(missed(domain, options.edge, &stuffing.report.thin));
    }
    without_crumbs(stuffing)
}

/// What thin walls have done to a mesh.
struct Harm {
    /// Share of the volume that is missing or too much.
    volume: f64,
    /// Share of the surface that is lost.
    surface: f64,
    crumbs: f64,
}

impl Harm {
    fn of(domain: &dyn Domain, result: &Result<Stuffing, ShapeError>) -> Self {
        let Ok(Stuffing { mesh, report, .. }) = result else {
            return Self { volume: 1.0, surface: 1.0, crumbs: f64::INFINITY };
        };
        if report.thin.found == 0 {
            return Self { volume: 0.0, surface: 0.0, crumbs: 0.0 };
        }
        let volume = domain.volume().filter(|volume| *volume > 0.0);
        Self {
            volume: volume.map_or(0.0, |volume| (mesh.total_measure() / volume - 1.0).abs()),
            surface: report.thin.lost_share,
            crumbs: crumbs(&mesh.pieces().of_element).len() as f64,
        }
    }

    /// How many times more it is than what may be.
    fn tears(&self) -> f64 {
        (self.volume / VOLUME).max(self.surface / LOST).max(self.crumbs / CRUMBS)
    }
}

/// The pieces that are crumbs, given the piece of each tetrahedron; none in a mesh that is nothing else.
fn crumbs(piece_of: &[u32]) -> Vec<u32> {
    let mut sizes = vec![0; piece_of.iter().max().map_or(0, |&last| last as usize + 1)];
    piece_of.iter().for_each(|&piece| sizes[piece as usize] += 1);
    let crumbs: Vec<u32> = (0..).zip(&sizes).filter(|(_, size)| **size <= CRUMB).map(|(piece, _)| piece).collect();
    if crumbs.len() < sizes.len() { crumbs } else { Vec::new() }
}

/// Leaves out what is left of walls that are too thin: as bodies of their own these would be dust.
fn without_crumbs(mut stuffing: Stuffing) -> Result<Stuffing, ShapeError> {
    if stuffing.report.thin.left == 0 {
        return Ok(stuffing);
    }
    let piece_of = stuffing.mesh.pieces().of_element;
    let crumbs = crumbs(&piece_of);
    if crumbs.is_empty() {
        return Ok(stuffing);
    }
    let is_kept = |element: &usize| crumbs.binary_search(&piece_of[*element]).is_err();
    let kept: Vec<usize> = (0..stuffing.mesh.element_count()).filter(is_kept).collect();
    let mut number = vec![u32::MAX; stuffing.mesh.point_count()];
    kept.iter().for_each(|&element| {
        stuffing.mesh.elements()[element].iter().for_each(|&corner| number[corner as usize] = 0);
    });
    let mut positions = Vec::new();
    for (number, position) in number.iter_mut().zip(stuffing.mesh.positions()).filter(|(number, _)| **number == 0) {
        *number = positions.len() as u32;
        positions.push(*position);
    }
    let corners = kept.iter().map(|&element| stuffing.mesh.elements()[element].map(|corner| number[corner as usize]));
    stuffing.mesh = TetMesh::from_parts(positions, corners.collect())?;
    stuffing.regions = kept.iter().map(|&element| stuffing.regions[element]).collect();
    stuffing.report.thin.crumbs = crumbs.len();
    stuffing.report.tetrahedra = kept.len();
    Ok(stuffing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use craze_math::Vec3;
    use craze_mesh::kuhn_box;

    #[test]
    fn crumbs_of_what_was_lost_go_and_whole_parts_stay() {
        let body = kuhn_box([2, 2, 2], Vec3::repeat(1.0)).expect("a box");
        let (mut positions, mut elements) = (body.positions().to_vec(), body.elements().to_vec());
        for place in [2.0, 4.0] {
            let first = positions.len() as u32;
            positions.extend([Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()].map(|corner| corner.add_scalar(place)));
            elements.insert(0, [first, first + 1, first + 2, first + 3]);
        }
        let regions: Vec<u16> = (0..elements.len() as u16).collect();
        let mesh = TetMesh::from_parts(positions, elements).expect("a mesh");
        let mut stuffing = Stuffing { mesh, regions: regions.clone(), report: StuffingReport::default() };
        // Where nothing was lost small parts are meant.
        assert_eq!(without_crumbs(stuffing.clone()).expect("a mesh").mesh, stuffing.mesh);
        stuffing.report.thin.left = 5;
        let Stuffing { mesh, regions: kept, report } = without_crumbs(stuffing).expect("a mesh");
        assert_eq!((mesh.point_count(), mesh.elements()), (body.point_count(), body.elements()));
        assert_eq!((&kept[..], report.tetrahedra, report.thin.crumbs), (&regions[2..], body.element_count(), 2));
        let warning = report.thin.warning().expect("a warning");
        assert!(warning.ends_with("2 loose crumbs of it were left out"), "{warning}");
    }
}
