//! A body-centred cubic (BCC) lattice of tetrahedra around a closed surface.

use craze_math::{Rotation, Vec3};
use craze_spatial::{Aabb, WindingTree};

use crate::error::SkinError;
use crate::tuning::{LATTICE_ROTATION, LATTICE_SHIFT, MAX_LATTICE_CELLS};

/// Cell width over the wanted edge (1): edges are 1 and √3/2 cells long.
const CELL_PER_EDGE: f64 = 1.15;
/// Circumradius of a tetrahedron, in cells (1): √5/4.
const CIRCUMRADIUS: f64 = 0.56;

/// BCC tetrahedra with edges of about `edge` (m) that contain every point inside the surface or
/// within `margin` (m) of it. Returns positions (m) and positively oriented tetrahedra.
pub fn bcc_tetrahedra(
    surface: &WindingTree,
    bounds: &Aabb,
    edge: f64,
    margin: f64,
) -> Result<(Vec<Vec3>, Vec<[u32; 4]>), SkinError> {
    let cell = CELL_PER_EDGE * edge;
    let rotation = Rotation::new(Vec3::from(LATTICE_ROTATION));
    let origin = bounds.centre();
    // The lattice is rotated, so half the diagonal bounds its extent in every direction.
    let half = (0.5 * bounds.size().norm() + margin) / cell + 2.0;
    if !(half.is_finite() && (2.0 * half).powi(3) < MAX_LATTICE_CELLS && edge > 0.0 && margin >= 0.0) {
        return Err(SkinError::InvalidSurface);
    }
    let count = half.ceil() as i32;
    let position = |[x, y, z]: [i32; 3]| {
        // In half cells: cell corners are even, cell centres odd.
        origin
            + rotation
                * (cell * (0.5 * Vec3::new(f64::from(x), f64::from(y), f64::from(z)) + Vec3::from(LATTICE_SHIFT)))
    };
    let mut kept: Vec<[[i32; 3]; 4]> = Vec::new();
    for (x, y, z) in
        (-count..count).flat_map(|x| (-count..count).flat_map(move |y| (-count..count).map(move |z| (x, y, z))))
    {
        let middle = [2 * x + 1, 2 * y + 1, 2 * z + 1];
        if !intersects(surface, &position(middle), 1.1 * cell + margin) {
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
                let centre = corners.map(position).iter().sum::<Vec3>() / 4.0;
                if intersects(surface, &centre, CIRCUMRADIUS * cell + margin) {
                    kept.push(corners);
                }
            }
        }
    }
    let mut points: Vec<[i32; 3]> = kept.iter().flatten().copied().collect();
    points.sort_unstable();
    points.dedup();
    let number = |corner: [i32; 3]| points.partition_point(|other| *other < corner) as u32;
    let tetrahedra = kept.iter().map(|corners| corners.map(number)).collect();
    Ok((points.iter().map(|&corner| position(corner)).collect(), tetrahedra))
}

/// Returns true if a ball intersects the inside of the surface.
fn intersects(surface: &WindingTree, centre: &Vec3, radius: f64) -> bool {
    surface.triangles().closest_within(centre, radius).is_some() || surface.winding_number(centre) > 0.5
}
