//! Parts of a domain that lie too far apart for one lattice: each has its own.

use craze_mesh::TetMesh;
use craze_spatial::Aabb;

use super::thin::ThinReport;
use super::{FeatureReport, Stuffing, StuffingOptions, StuffingReport, whole};
use crate::domain::{Domain, Part};
use crate::error::ShapeError;

/// Fills the parts one after the other, within one limit. A part that is too small for the edge is left out, unless all are.
pub(super) fn stuff_apart(
    domain: &dyn Domain,
    parts: &[Aabb],
    options: &StuffingOptions,
) -> Result<Stuffing, ShapeError> {
    let (mut positions, mut tetrahedra, mut regions) = (Vec::new(), Vec::new(), Vec::new());
    let mut report = StuffingReport::default();
    let mut missed = None;
    for bounds in parts {
        let left = StuffingOptions { limit: options.limit - report.tetrahedra as f64, ..*options };
        match whole::stuff_whole(&Part { domain, bounds: *bounds }, &left) {
            Ok(stuffing) => {
                let offset = positions.len() as u32;
                positions.extend(stuffing.mesh.positions());
                let corners = stuffing.mesh.elements().iter().map(|corners| corners.map(|corner| corner + offset));
                tetrahedra.extend(corners);
                regions.extend(stuffing.regions);
                report = joined(report, stuffing.report);
            }
            Err(error @ (ShapeError::InteriorMissed { .. } | ShapeError::ThinSheet { .. })) => {
                report.thin.left += 1;
                missed = Some(error);
            }
            Err(error) => return Err(error),
        }
    }
    match missed {
        Some(error) if tetrahedra.is_empty() => Err(error),
        _ => Ok(Stuffing { mesh: TetMesh::from_parts(positions, tetrahedra)?, regions, report }),
    }
}

fn joined(one: StuffingReport, other: StuffingReport) -> StuffingReport {
    let tetrahedra = one.tetrahedra + other.tetrahedra;
    let share = other.tetrahedra as f64 / tetrahedra.max(1) as f64;
    let thinnest = [one.thin.thinnest, other.thin.thinnest].into_iter().flatten();
    StuffingReport {
        tetrahedra,
        dihedral: one.dihedral.joined(other.dihedral),
        snapped: one.snapped + other.snapped,
        snapped_dihedral: one.snapped_dihedral.joined(other.snapped_dihedral),
        features: FeatureReport {
            crease_points: one.features.crease_points + other.features.crease_points,
            corner_points: one.features.corner_points + other.features.corner_points,
            edges_changed: one.features.edges_changed + other.features.edges_changed,
            corners_missed: one.features.corners_missed + other.features.corners_missed,
            edges_cut_off: one.features.edges_cut_off + other.features.edges_cut_off,
        },
        thin: ThinReport {
            found: one.thin.found + other.thin.found,
            halvings: one.thin.halvings.max(other.thin.halvings),
            spared: one.thin.spared.or(other.thin.spared),
            left: one.thin.left + other.thin.left,
            lost_share: one.thin.lost_share + share * (other.thin.lost_share - one.thin.lost_share),
            typical: shortest([one.thin.typical, other.thin.typical]),
            shortened: shortest([one.thin.shortened, other.thin.shortened]),
            crumbs: one.thin.crumbs + other.thin.crumbs,
            thinnest: thinnest.min_by(|one, other| one.thickness.total_cmp(&other.thickness)),
        },
        bad: one.bad + other.bad,
        parted: one.parted + other.parted,
        surface_edge: one.surface_edge + share * (other.surface_edge - one.surface_edge),
        lowest: one.lowest.min(other.lowest),
    }
}

fn shortest(lengths: [Option<f64>; 2]) -> Option<f64> {
    lengths.into_iter().flatten().min_by(f64::total_cmp)
}
