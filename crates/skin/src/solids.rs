//! Separation of a closed surface into its solids.

use craze_math::{DisjointSets, Vec3};
use craze_spatial::WindingTree;

/// The solids that a closed surface bounds, as ascending triangle indices. A cavity belongs to the
/// smallest solid around it.
///
/// An ambiguous surface, such as a cavity outside all solids, is returned as one solid.
pub fn solids(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Vec<u32>> {
    let all = || vec![(0..triangles.len() as u32).collect()];
    let shells = shells(positions.len(), triangles);
    let (mut solids, mut cavities) = (Vec::new(), Vec::new());
    for shell in shells {
        let volume = volume(positions, triangles, &shell);
        if volume > 0.0 { solids.push((volume, shell)) } else { cavities.push(shell) }
    }
    if solids.len() < 2 {
        return all();
    }
    // Ascending by volume, so that the first solid around a cavity is the smallest.
    solids.sort_by(|one, other| one.0.total_cmp(&other.0));
    let surround = |shell: &[u32]| {
        let own: Vec<[u32; 3]> = shell.iter().map(|&triangle| triangles[triangle as usize]).collect();
        WindingTree::new(positions, &own).ok()
    };
    if !cavities.is_empty() {
        let trees: Vec<Option<WindingTree>> = solids.iter().map(|(_, shell)| surround(shell)).collect();
        for cavity in cavities {
            let [first, ..] = cavity[..] else { return all() };
            let point = positions[triangles[first as usize][0] as usize];
            let is_around =
                |tree: &Option<WindingTree>| tree.as_ref().is_some_and(|tree| tree.winding_number(&point) > 0.5);
            let Some(solid) = trees.iter().position(is_around) else { return all() };
            solids[solid].1.extend(cavity);
        }
    }
    let mut solids: Vec<Vec<u32>> = solids.into_iter().map(|(_, shell)| shell).collect();
    solids.iter_mut().for_each(|shell| shell.sort_unstable());
    solids.sort_unstable();
    solids
}

/// Connected components by shared vertices.
fn shells(vertices: usize, triangles: &[[u32; 3]]) -> Vec<Vec<u32>> {
    let mut sets = DisjointSets::new(vertices);
    for &[a, b, c] in triangles {
        sets.join(a, b);
        sets.join(b, c);
    }
    sets.flatten();
    let mut order: Vec<(u32, u32)> =
        triangles.iter().zip(0..).map(|(corners, triangle)| (sets.root(corners[0]), triangle)).collect();
    order.sort_unstable();
    order
        .chunk_by(|one, other| one.0 == other.0)
        .map(|shell| shell.iter().map(|(_, triangle)| *triangle).collect())
        .collect()
}

/// Enclosed volume (m³); negative for a cavity.
fn volume(positions: &[Vec3], triangles: &[[u32; 3]], shell: &[u32]) -> f64 {
    let Some(&first) = shell.first() else { return 0.0 };
    let origin = positions[triangles[first as usize][0] as usize];
    let six_times = |&triangle: &u32| {
        let [a, b, c] = triangles[triangle as usize].map(|vertex| positions[vertex as usize] - origin);
        a.dot(&b.cross(&c))
    };
    shell.iter().map(six_times).sum::<f64>() / 6.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tetrahedron with a corner at `at`; inverted if it is a cavity.
    fn put(positions: &mut Vec<Vec3>, triangles: &mut Vec<[u32; 3]>, at: f64, size: f64, is_cavity: bool) {
        let first = positions.len() as u32;
        positions
            .extend([Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()].map(|corner| corner * size + Vec3::repeat(at)));
        for [a, b, c] in [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] {
            triangles
                .push([a, if is_cavity { c } else { b }, if is_cavity { b } else { c }].map(|corner| first + corner));
        }
    }

    #[test]
    fn cavities_belong_to_the_solid_around_them() {
        let (mut positions, mut triangles) = (Vec::new(), Vec::new());
        put(&mut positions, &mut triangles, 1.1, 1.0, true);
        put(&mut positions, &mut triangles, 20.0, 1.0, false);
        put(&mut positions, &mut triangles, 0.0, 10.0, false);
        put(&mut positions, &mut triangles, 1.2, 0.3, false);
        assert_eq!(
            solids(&positions, &triangles),
            [(0..4).chain(8..12).collect::<Vec<_>>(), (4..8).collect(), (12..16).collect()]
        );
        assert_eq!(solids(&positions, &triangles[4..8]), [vec![0, 1, 2, 3]]);
    }

    #[test]
    fn ambiguous_surfaces_stay_one_solid() {
        let (mut positions, mut triangles) = (Vec::new(), Vec::new());
        put(&mut positions, &mut triangles, 0.0, 1.0, false);
        put(&mut positions, &mut triangles, 5.0, 1.0, false);
        put(&mut positions, &mut triangles, 9.0, 1.0, true);
        assert_eq!(solids(&positions, &triangles).len(), 1);
        assert_eq!(solids(&[], &[]), [Vec::<u32>::new()]);
    }
}
