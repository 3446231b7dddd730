//! Colours that tell bodies apart.

/// Colour of obstacles, linear RGB in 0…1.
pub(crate) const OBSTACLE: [f32; 3] = [0.35, 0.35, 0.35];

/// Colour of a body's original surface by its place in the scene, linear RGB in 0…1.
///
/// Hues follow the golden ratio, which keeps any number of neighbours apart.
pub(crate) fn outside(body: usize) -> [f32; 3] {
    let hue = (0.58 + body as f32 * 0.618_034).fract();
    [0.0, 1.0 / 3.0, 2.0 / 3.0].map(|shift| {
        let wave = 0.5 + 0.5 * (std::f32::consts::TAU * (hue - shift)).cos();
        0.15 + 0.55 * wave
    })
}

/// Colour of the faces that cracks opened: the outside's, halfway to white, as a fresh break is paler than a worn surface.
pub(crate) fn crack(body: usize) -> [f32; 3] {
    outside(body).map(|channel| 0.5 * (channel + 1.0))
}
