//! How bright a model is painted: the weights that people draw on its points.

use craze_math::Vec3;
use craze_spatial::TriangleTree;

use super::model::Model;

/// Brightness of points that have no colour of their own (1).
pub(crate) const UNPAINTED: f32 = 1.0;

/// Brightness (1) of a colour: the mean of red, green and blue, whatever curve they follow in the file. What is no number counts as not painted.
pub(crate) fn brightness(colour: [f64; 3]) -> f32 {
    let mean = (colour[0] + colour[1] + colour[2]) / 3.0;
    if mean.is_finite() { mean.clamp(0.0, 1.0) as f32 } else { UNPAINTED }
}

/// The brightness of a painted model everywhere.
#[derive(Debug)]
pub struct Paint<'m> {
    model: &'m Model,
    tree: TriangleTree,
}

impl Paint<'_> {
    /// The paint of a model; none where its file has no colours of points.
    pub fn of(model: &Model) -> Option<Paint<'_>> {
        let surface = &model.surface;
        let tree = TriangleTree::new(&surface.positions, &surface.triangles).ok();
        tree.filter(|_| model.paint.len() == surface.positions.len()).map(|tree| Paint { model, tree })
    }

    /// Brightness (1) of the nearest place of the surface to a point (m): 0 is black, 1 white.
    pub fn at(&self, point: &Vec3) -> f64 {
        let Some(near) = self.tree.closest(point) else { return f64::from(UNPAINTED) };
        let corners = self.model.surface.triangles[near.triangle as usize];
        let weighted = |(&corner, weight): (&u32, f64)| weight * f64::from(self.model.paint[corner as usize]);
        corners.iter().zip(near.barycentric).map(weighted).sum()
    }
}
