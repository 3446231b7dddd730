//! Cracks that bodies have from the start, opened in their tetrahedra.

use super::rejected;
use crate::description::{Crack, CrackShape, Disc, Polygon, Strip};
use crate::document::SceneDocument;
use crate::report::SceneError;
use craze_frame::names;
use craze_math::{Isometry, Vec3};
use craze_mesh::{CrackError, FlatCrack, Inherit, TetMesh, Values, open_cracks};
use craze_shape::number_format::short;

/// Edges along a crack below which its stress field is not resolved.
const RESOLVED: f64 = 4.0;

/// A mesh with its cracks, the original element of each of its elements, and remarks.
pub struct Opened {
    pub mesh: TetMesh,
    pub parents: Vec<u32>,
    pub remarks: Vec<String>,
}

/// Opens the cracks of a body in its mesh, which is `placement` away from the world. None if it has
/// no cracks.
pub fn open(
    document: &SceneDocument,
    body: &str,
    mesh: &TetMesh,
    placement: &Isometry,
) -> Result<Option<Opened>, SceneError> {
    let all = document.scene.cracks.iter().enumerate();
    let cracks: Vec<(usize, &Crack)> = all.filter(|(_, crack)| crack.body == body).collect();
    if cracks.is_empty() {
        return Ok(None);
    }
    let mut flat = Vec::with_capacity(cracks.len());
    for &(index, crack) in &cracks {
        let key = format!("crack[{index}].{}", crack.shape.name());
        let help = "see docs/scenes.md for the shapes of cracks";
        let found = crack.shape.at_rest(placement);
        flat.push(
            found.ok_or_else(|| rejected(document, &key, "the crack has no area, or does not lie in a plane", help))?,
        );
    }
    let cracked = open_cracks(mesh.clone(), &flat).map_err(|error| {
        let (CrackError::Outside { crack } | CrackError::Unresolved { crack, .. } | CrackError::Edit { crack, .. }) =
            error;
        let (index, crack) = cracks[crack];
        let key = format!("crack[{index}].{}", crack.shape.name());
        let message = format!("crack \"{}\" cannot be opened in body \"{body}\": {error}", crack.name);
        rejected(document, &key, message, help_for(&error))
    })?;
    let mut remarks = Vec::new();
    for ((flat, open), (_, crack)) in flat.iter().zip(&cracked.cracks).zip(&cracks) {
        let (name, area, extent, edge) = (&crack.name, short(open.area), flat.extent(), open.edge);
        remarks.push(if extent < RESOLVED * edge {
            let (extent, edge) = (short(extent), short(edge));
            format!("crack \"{name}\" of {area} m² is {extent} m long, which elements with edges of {edge} m do not resolve: refine `edge`")
        } else {
            format!("crack \"{name}\" of {area} m²")
        });
    }
    let (before, after) = (mesh.pieces().count, cracked.mesh.pieces().count);
    if after > before {
        remarks.push(format!("its cracks divide it into {after} pieces"));
    }
    let mut mesh = cracked.mesh;
    let mut marks = vec![0; 4 * mesh.element_count()];
    for facet in &cracked.facets {
        marks[4 * facet.element.index() + facet.corner as usize] = 1;
    }
    (mesh.facet_attributes_mut().add(names::CRACK, Inherit, Values::Labels(marks)))
        .map_err(|error| rejected(document, "crack", error, ""))?;
    Ok(Some(Opened { mesh, parents: cracked.parents, remarks }))
}

fn help_for(error: &CrackError) -> &'static str {
    match error {
        CrackError::Outside { .. } => {
            "cracks are in world coordinates, where the body stands at t = 0: move or enlarge the crack"
        }
        CrackError::Unresolved { .. } => "give the body a smaller `edge`, or make the crack longer",
        CrackError::Edit { .. } => "move the crack a little, or choose another `edge`",
    }
}

impl CrackShape {
    /// The key of the file.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            CrackShape::Strip(_) => "strip",
            CrackShape::Disc(_) => "disc",
            CrackShape::Polygon(_) => "polygon",
        }
    }

    /// The crack in the frame of a body's rest shape.
    fn at_rest(&self, placement: &Isometry) -> Option<FlatCrack> {
        let point = |point: &[f64; 3]| placement.inverse_transform_point(&Vec3::from(*point).into()).coords;
        let direction = |direction: &[f64; 3]| placement.inverse_transform_vector(&Vec3::from(*direction));
        match self {
            CrackShape::Strip(Strip { from, to, along }) => FlatCrack::strip(point(from), point(to), direction(along)),
            CrackShape::Disc(Disc { center, normal, radius }) => {
                FlatCrack::disc(point(center), direction(normal), *radius)
            }
            CrackShape::Polygon(Polygon { points }) => {
                FlatCrack::polygon(&points.iter().map(point).collect::<Vec<Vec3>>())
            }
        }
    }
}
