//! Division of surfaces and particles by piece: most formats want an object per piece.

use craze_frame::{Particles, Surface, names};
use craze_math::Vec3;

/// Triangles of one piece with their own vertices.
pub(crate) struct Part {
    /// Index of the piece in the body.
    pub piece: u32,
    /// Used vertices (m), in the order of the surface.
    pub positions: Vec<Vec3>,
    /// Triangles, in the order of the surface.
    pub triangles: Vec<[u32; 3]>,
    /// True for crack faces.
    pub crack: Vec<bool>,
    /// Index of each triangle in the surface; may be empty.
    pub faces: Vec<u32>,
}

/// Pieces with triangles, ascending. A vertex shared by two pieces is duplicated.
pub(crate) fn parts(surface: &Surface) -> Vec<Part> {
    let mut order: Vec<usize> = (0..surface.triangles.len()).collect();
    order.sort_by_key(|&triangle| surface.piece_of(triangle));
    let mut local = vec![u32::MAX; surface.positions.len()];
    order
        .chunk_by(|&one, &other| surface.piece_of(one) == surface.piece_of(other))
        .map(|triangles| part(surface, triangles, &mut local))
        .collect()
}

/// Extracts some triangles. `local` is all `u32::MAX` before and after.
fn part(surface: &Surface, triangles: &[usize], local: &mut [u32]) -> Part {
    let mut used: Vec<u32> = triangles.iter().flat_map(|&triangle| surface.triangles[triangle]).collect();
    used.sort_unstable();
    used.dedup();
    for (index, &vertex) in used.iter().enumerate() {
        local[vertex as usize] = index as u32;
    }
    let corners = |&triangle: &usize| surface.triangles[triangle].map(|vertex| local[vertex as usize]);
    let part = Part {
        piece: surface.piece_of(triangles[0]),
        positions: used.iter().map(|&vertex| surface.positions[vertex as usize]).collect(),
        triangles: triangles.iter().map(corners).collect(),
        crack: triangles.iter().map(|&triangle| surface.is_crack(triangle)).collect(),
        faces: triangles.iter().map(|&triangle| triangle as u32).collect(),
    };
    for vertex in used {
        local[vertex as usize] = u32::MAX;
    }
    part
}

pub(crate) struct Cloud {
    /// Index of the piece in the body.
    pub piece: u32,
    /// Positions (m).
    pub positions: Vec<Vec3>,
}

/// Pieces with particles, ascending.
pub(crate) fn clouds(particles: &Particles) -> Vec<Cloud> {
    let pieces = particles.attributes.indices(names::PIECE);
    let piece_of = |&particle: &usize| pieces.map_or(0, |pieces| pieces[particle]);
    let mut order: Vec<usize> = (0..particles.positions.len()).collect();
    order.sort_by_key(piece_of);
    order
        .chunk_by(|one, other| piece_of(one) == piece_of(other))
        .map(|cloud| Cloud {
            piece: piece_of(&cloud[0]),
            positions: cloud.iter().map(|&particle| particles.positions[particle]).collect(),
        })
        .collect()
}
