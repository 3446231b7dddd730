//! Brightness of vertex colours: a scalar field that users paint on a model.

use craze_math::Vec3;
use craze_spatial::TriangleTree;

use super::model::Model;

/// Brightness of points without a colour (1).
pub(crate) const DEFAULT_BRIGHTNESS: f32 = 1.0;

/// Brightness (1) of a colour: the mean of red, green and blue as stored in the file, whatever its
/// transfer function. Invalid colours get [`DEFAULT_BRIGHTNESS`].
pub(crate) fn brightness(colour: [f64; 3]) -> f32 {
    let mean = (colour[0] + colour[1] + colour[2]) / 3.0;
    if mean.is_finite() { mean.clamp(0.0, 1.0) as f32 } else { DEFAULT_BRIGHTNESS }
}

/// Brightness interpolated over the surface of a model.
#[derive(Debug)]
pub struct BrightnessMap<'m> {
    model: &'m Model,
    tree: TriangleTree,
}

impl BrightnessMap<'_> {
    /// The map of a model; `None` if its file has no vertex colours.
    pub fn of(model: &Model) -> Option<BrightnessMap<'_>> {
        let surface = &model.surface;
        let tree = TriangleTree::new(&surface.positions, &surface.triangles).ok();
        tree.filter(|_| model.vertex_brightness.len() == surface.positions.len())
            .map(|tree| BrightnessMap { model, tree })
    }

    /// Brightness (1) at the surface point closest to a point (m): 0 is black, 1 white.
    pub fn at(&self, point: &Vec3) -> f64 {
        let Some(near) = self.tree.closest(point) else { return f64::from(DEFAULT_BRIGHTNESS) };
        let corners = self.model.surface.triangles[near.triangle as usize];
        let weighted =
            |(&corner, weight): (&u32, f64)| weight * f64::from(self.model.vertex_brightness[corner as usize]);
        corners.iter().zip(near.barycentric).map(weighted).sum()
    }
}
