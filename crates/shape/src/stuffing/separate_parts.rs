//! Meshing of parts too far apart for one lattice, each with its own.

use craze_mesh::TetMesh;
use craze_spatial::Aabb;

use super::thin_walls::ThinReport;
use super::{FeatureReport, Stuffing, StuffingOptions, StuffingReport, shorter_edge};
use crate::domain::{Domain, Part};
use crate::error::ShapeError;

/// Meshes the parts in turn within one limit. Parts too small for the edge are omitted, unless all
/// are.
pub(super) fn stuff_separate_parts(
    domain: &dyn Domain,
    parts: &[Aabb],
    options: &StuffingOptions,
) -> Result<Stuffing, ShapeError> {
    let (mut positions, mut tetrahedra, mut regions) = (Vec::new(), Vec::new(), Vec::new());
    let mut report = StuffingReport::default();
    let mut last_error = None;
    for bounds in parts {
        let left = StuffingOptions { limit: options.limit - report.tetrahedra as f64, ..*options };
        match shorter_edge::stuff_connected(&Part { domain, bounds: *bounds }, &left) {
            Ok(stuffing) => {
                let offset = positions.len() as u32;
                positions.extend(stuffing.mesh.positions());
                let corners = stuffing.mesh.elements().iter().map(|corners| corners.map(|corner| corner + offset));
                tetrahedra.extend(corners);
                regions.extend(stuffing.regions);
                report = combined(report, stuffing.report);
            }
            Err(error @ (ShapeError::InteriorMissed { .. } | ShapeError::ThinSheet { .. })) => {
                report.thin.unresolved += 1;
                last_error = Some(error);
            }
            Err(error) => return Err(error),
        }
    }
    match last_error {
        Some(error) if tetrahedra.is_empty() => Err(error),
        _ => Ok(Stuffing { mesh: TetMesh::from_parts(positions, tetrahedra)?, regions, report }),
    }
}

fn combined(one: StuffingReport, other: StuffingReport) -> StuffingReport {
    let tetrahedra = one.tetrahedra + other.tetrahedra;
    let share = other.tetrahedra as f64 / tetrahedra.max(1) as f64;
    let thinnest = [one.thin.thinnest, other.thin.thinnest].into_iter().flatten();
    StuffingReport {
        tetrahedra,
        dihedral: one.dihedral.combined(other.dihedral),
        snapped: one.snapped + other.snapped,
        snapped_dihedral: one.snapped_dihedral.combined(other.snapped_dihedral),
        features: FeatureReport {
            crease_points: one.features.crease_points + other.features.crease_points,
            corner_points: one.features.corner_points + other.features.corner_points,
            edges_changed: one.features.edges_changed + other.features.edges_changed,
            corners_missed: one.features.corners_missed + other.features.corners_missed,
            edges_cut_off: one.features.edges_cut_off + other.features.edges_cut_off,
        },
        thin: ThinReport {
            under_resolved: one.thin.under_resolved + other.thin.under_resolved,
            halvings: one.thin.halvings.max(other.thin.halvings),
            skipped_tetrahedra: one.thin.skipped_tetrahedra.or(other.thin.skipped_tetrahedra),
            unresolved: one.thin.unresolved + other.thin.unresolved,
            lost_share: one.thin.lost_share + share * (other.thin.lost_share - one.thin.lost_share),
            tenth_percentile: shortest([one.thin.tenth_percentile, other.thin.tenth_percentile]),
            shortened_edge: shortest([one.thin.shortened_edge, other.thin.shortened_edge]),
            removed_pieces: one.thin.removed_pieces + other.thin.removed_pieces,
            thinnest: thinnest.min_by(|one, other| one.thickness.total_cmp(&other.thickness)),
        },
        bad_angles: one.bad_angles + other.bad_angles,
        separated: one.separated + other.separated,
        surface_edge: one.surface_edge + share * (other.surface_edge - one.surface_edge),
        smallest_height: one.smallest_height.min(other.smallest_height),
    }
}

fn shortest(lengths: [Option<f64>; 2]) -> Option<f64> {
    lengths.into_iter().flatten().min_by(f64::total_cmp)
}
