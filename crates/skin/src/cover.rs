//! Tetrahedra that cover what a closed surface encloses, and a little more.

use craze_math::{Rotation, Vec3};
use craze_spatial::{Aabb, WindingTree};

use crate::error::SkinError;

/// Width of the cells in wanted edges (1): edges of the tetrahedra are 1 and √3/2 cells long.
const CELL: f64 = 1.15;
/// Farthest that a point of such a tetrahedron is from its middle, in cells (1): √5/4.
const REACH: f64 = 0.56;
/// Cells at most.
const MOST_CELLS: f64 = 1e7;
/// How the lattice is turned (rad) and moved (in cells): people build along axes, and four points in one plane cannot be told apart.
const TURN: [f64; 3] = [0.371, 0.213, -0.527];
const SHIFT: [f64; 3] = [0.137, 0.291, 0.433];

/// Tetrahedra of a body-centred cubic lattice, with edges of about `edge` (m), that together hold all that lies within the surface or no farther
/// than `margin` (m) from it. Gives positions (m) and positively oriented tetrahedra.
pub fn cover(
    surface: &WindingTree,
    bounds: &Aabb,
    edge: f64,
    margin: f64,
) -> Result<(Vec<Vec3>, Vec<[u32; 4]>), SkinError> {
    let cell = CELL * edge;
    let turn = Rotation::new(Vec3::from(TURN));
    let origin = bounds.centre();
    // The box around all, as the lattice sees it.
    let half = (0.5 * bounds.size().norm() + margin) / cell + 2.0;
    if !(half.is_finite() && (2.0 * half).powi(3) < MOST_CELLS && edge > 0.0 && margin >= 0.0) {
        return Err(SkinError::Surface);
    }
    let count = half.ceil() as i32;
    let place = |[x, y, z]: [i32; 3]| {
        // In half cells, so that corners (even) and middles (odd) are on one lattice.
        origin + turn * (cell * (0.5 * Vec3::new(f64::from(x), f64::from(y), f64::from(z)) + Vec3::from(SHIFT)))
    };
    let mut kept: Vec<[[i32; 3]; 4]> = Vec::new();
    for (x, y, z) in
        (-count..count).flat_map(|x| (-count..count).flat_map(move |y| (-count..count).map(move |z| (x, y, z))))
    {
        let middle = [2 * x + 1, 2 * y + 1, 2 * z + 1];
        if !touches(surface, &place(middle), 1.1 * cell + margin) {
            continue;
        }
        for axis in 0..3 {
            let shifted =
                |from: [i32; 3], by: [i32; 3]| [0, 1, 2].map(|one: usize| from[one] + by[(one + 3 - axis) % 3]);
            let next = shifted(middle, [2, 0, 0]);
            // Corners of the face between the two cells, counter-clockwise seen from the next.
            let ring = [[1, -1, -1], [1, 1, -1], [1, 1, 1], [1, -1, 1]].map(|by| shifted(middle, by));
            for side in 0..4 {
                let corners = [middle, ring[side], ring[(side + 1) % 4], next];
                let centre = corners.map(place).iter().sum::<Vec3>() / 4.0;
                if touches(surface, &centre, REACH * cell + margin) {
                    kept.push(corners);
                }
            }
        }
    }
    let mut places: Vec<[i32; 3]> = kept.iter().flatten().copied().collect();
    places.sort_unstable();
    places.dedup();
    let number = |corner: [i32; 3]| places.partition_point(|other| *other < corner) as u32;
    let tetrahedra = kept.iter().map(|corners| corners.map(number)).collect();
    Ok((places.iter().map(|&corner| place(corner)).collect(), tetrahedra))
}

/// Whether a ball around a point reaches the inside of the surface.
fn touches(surface: &WindingTree, centre: &Vec3, radius: f64) -> bool {
    surface.triangles().closest_within(centre, radius).is_some() || surface.winding_number(centre) > 0.5
}
