//! Tests of cutting without remeshing: Song et al. 2008.

mod cantilever;
mod independence;
mod objectivity;

use crate::{Test, ValidationError};
use craze_material::Elasticity;
use craze_math::{Isometry, Vec3};
use craze_mesh::TetMesh;
use craze_methods::xfem::{CutError, PlannedCut, Xfem, XfemError, XfemOptions};

/// Its tests, by number.
pub const TESTS: &[Test] = &[objectivity::TEST, cantilever::TEST, independence::TEST];

impl From<XfemError> for ValidationError {
    fn from(error: XfemError) -> ValidationError {
        ValidationError::Body(error.to_string())
    }
}

impl From<CutError> for ValidationError {
    fn from(error: CutError) -> ValidationError {
        ValidationError::Body(error.to_string())
    }
}

/// A body at rest in the position of its mesh, cut along planes given by a point and a normal.
pub(crate) fn cut_body(mesh: TetMesh, elasticity: Elasticity, planes: &[[Vec3; 2]]) -> Result<Xfem, ValidationError> {
    let material = crate::setup::elastic(1000.0, elasticity);
    let still = Vec3::zeros();
    let mut body = Xfem::new(mesh, vec![material], XfemOptions::default(), Isometry::identity(), still, still)?;
    for &[point, normal] in planes {
        body.cut(&PlannedCut { time: 0.0, point, normal, region: craze_engine::Region::All })?;
    }
    Ok(body)
}
