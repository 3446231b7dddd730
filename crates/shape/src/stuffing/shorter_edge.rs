//! Retry with a shorter edge where walls come out torn.
//!
//! Local refinement resolves a thin feature of a thick body. A wall thinner than the edge needs it
//! everywhere; cells of two sizes then meet within the wall, and angle bounds forbid some fine
//! ones. A uniformly finer lattice avoids this.

use craze_mesh::TetMesh;

use super::thin_walls::inside_missed;
use super::{Stuffing, StuffingOptions, StuffingReport, quick_estimate, stuff_in_one_lattice};
use crate::Domain;
use crate::error::ShapeError;
use crate::resolution::EDGES_PER_MESHED_WALL;
use crate::tuning::MAX_RETRY_TETRAHEDRA;

/// Tetrahedra of a retry that are allowed in any case, over those of the first mesh.
const MAX_RETRY_RATIO: f64 = 4.0;
/// Tolerated relative volume error,
const VOLUME_TOLERANCE: f64 = 0.03;
/// lost share of the surface,
const LOST_SURFACE_TOLERANCE: f64 = 0.02;
/// and number of loose pieces, above which walls count as torn.
const LOOSE_PIECE_TOLERANCE: f64 = 4.0;
/// Volume error above which meshing fails.
const MAX_VOLUME_ERROR: f64 = 0.25;
/// Largest loose piece (tetrahedra) that is removed.
const MAX_LOOSE_PIECE_TETRAHEDRA: usize = 8;

/// Fills a domain that fits into one lattice; if walls come out torn, tries a shorter edge and
/// keeps the better mesh.
pub(super) fn stuff_connected(domain: &dyn Domain, options: &StuffingOptions) -> Result<Stuffing, ShapeError> {
    let first = stuff_in_one_lattice(domain, options);
    let (wall, count) = match &first {
        Ok(stuffing) => (stuffing.report.thin.tenth_percentile, stuffing.report.tetrahedra),
        // The distance to an outlier is no wall thickness.
        Err(ShapeError::ThinSheet { thickness, .. }) if domain.far_point().is_none() => (Some(*thickness), 0),
        Err(_) => return first,
    };
    let damage = WallDamage::of(domain, &first);
    let mut best = (first, damage);
    if let Some(wall) = wall.filter(|_| best.1.severity() > 1.0 && options.refinement > 0) {
        let finer = StuffingOptions { edge: wall / EDGES_PER_MESHED_WALL, ..*options };
        let max_tetrahedra = (MAX_RETRY_TETRAHEDRA.max(MAX_RETRY_RATIO * count as f64) / domain.query_cost().max(1.0))
            .min(options.limit);
        if finer.edge < options.edge && quick_estimate(domain, &finer)?.tetrahedra <= max_tetrahedra {
            let mut second = stuff_in_one_lattice(domain, &finer);
            if let Ok(Stuffing { report: StuffingReport { thin, .. }, .. }) = &mut second {
                (thin.shortened_edge, thin.tenth_percentile) = (Some(finer.edge), Some(wall));
            }
            let damage = WallDamage::of(domain, &second);
            if damage.severity() < best.1.severity() {
                best = (second, damage);
            }
        }
    }
    let (stuffing, damage) = (best.0?, best.1);
    if damage.volume > MAX_VOLUME_ERROR {
        return Err(inside_missed(domain, options.edge, &stuffing.report.thin));
    }
    without_loose_pieces(stuffing)
}

struct WallDamage {
    volume: f64,
    surface: f64,
    loose_pieces: f64,
}

impl WallDamage {
    fn of(domain: &dyn Domain, result: &Result<Stuffing, ShapeError>) -> Self {
        let Ok(Stuffing { mesh, report, .. }) = result else {
            return Self { volume: 1.0, surface: 1.0, loose_pieces: f64::INFINITY };
        };
        if report.thin.under_resolved == 0 {
            return Self { volume: 0.0, surface: 0.0, loose_pieces: 0.0 };
        }
        let volume = domain.volume().filter(|volume| *volume > 0.0);
        Self {
            volume: volume.map_or(0.0, |volume| (mesh.total_measure() / volume - 1.0).abs()),
            surface: report.thin.lost_share,
            loose_pieces: loose_pieces(&mesh.pieces().of_element).len() as f64,
        }
    }

    /// The largest ratio of damage to tolerance.
    fn severity(&self) -> f64 {
        (self.volume / VOLUME_TOLERANCE)
            .max(self.surface / LOST_SURFACE_TOLERANCE)
            .max(self.loose_pieces / LOOSE_PIECE_TOLERANCE)
    }
}

/// The loose pieces to remove, given the piece of each tetrahedron; none if all are.
fn loose_pieces(piece_of: &[u32]) -> Vec<u32> {
    let mut sizes = vec![0; piece_of.iter().max().map_or(0, |&last| last as usize + 1)];
    piece_of.iter().for_each(|&piece| sizes[piece as usize] += 1);
    let loose_pieces: Vec<u32> =
        (0..).zip(&sizes).filter(|(_, size)| **size <= MAX_LOOSE_PIECE_TETRAHEDRA).map(|(piece, _)| piece).collect();
    if loose_pieces.len() < sizes.len() { loose_pieces } else { Vec::new() }
}

/// Removes remains of walls that are too thin, which would be debris.
fn without_loose_pieces(mut stuffing: Stuffing) -> Result<Stuffing, ShapeError> {
    if stuffing.report.thin.unresolved == 0 {
        return Ok(stuffing);
    }
    let piece_of = stuffing.mesh.pieces().of_element;
    let loose_pieces = loose_pieces(&piece_of);
    if loose_pieces.is_empty() {
        return Ok(stuffing);
    }
    let is_kept = |element: &usize| loose_pieces.binary_search(&piece_of[*element]).is_err();
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
    stuffing.report.thin.removed_pieces = loose_pieces.len();
    stuffing.report.tetrahedra = kept.len();
    Ok(stuffing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use craze_math::Vec3;
    use craze_mesh::kuhn_box;

    #[test]
    fn loose_pieces_of_lost_walls_are_removed_and_other_parts_kept() {
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
        // Where nothing was lost, small parts are intended.
        assert_eq!(without_loose_pieces(stuffing.clone()).expect("a mesh").mesh, stuffing.mesh);
        stuffing.report.thin.unresolved = 5;
        let Stuffing { mesh, regions: kept, report } = without_loose_pieces(stuffing).expect("a mesh");
        assert_eq!((mesh.point_count(), mesh.elements()), (body.point_count(), body.elements()));
        assert_eq!(
            (&kept[..], report.tetrahedra, report.thin.removed_pieces),
            (&regions[2..], body.element_count(), 2)
        );
        let warning = report.thin.warning().expect("a warning");
        assert!(warning.ends_with("2 loose pieces were removed"), "{warning}");
    }
}
