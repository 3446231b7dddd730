//! Lips within tetrahedra of several parts, each once for both sides.

use craze_math::Vec3;

use crate::parting::{Background, Cutting, EDGES, FACES, SIDES};

/// Lips over points of their own.
#[derive(Default)]
pub(crate) struct Lips {
    pub positions: Vec<Vec3>,
    /// Counter-clockwise seen from before them.
    pub triangles: Vec<[u32; 3]>,
    /// The tetrahedron that each lies in, and its parts behind and before it.
    pub sides: Vec<(u32, [u8; 2])>,
}

/// All lips within tetrahedra of several parts.
pub(crate) fn lips(background: &Background, cutting: &Cutting<'_>) -> Lips {
    const NONE: u32 = u32::MAX;
    let mut lips = Lips::default();
    let mut on_edges = vec![NONE; background.edges().len()];
    let mut on_faces = vec![NONE; background.face_count];
    for (tetrahedron, parts) in cutting.parts.iter().enumerate().filter(|(_, parts)| **parts != [0; 4]) {
        let all = background.edges_of[tetrahedron];
        let middle = lips.positions.len() as u32;
        lips.positions.push(middle_of(cutting, tetrahedron));
        for own in 0..4 {
            let edges = SIDES[own].map(|edge| all[edge]);
            let part = |index: usize| parts[FACES[own][index]];
            let is_parted = edges.map(|edge| cutting.is_parted(edge));
            let mut on_edge = |lips: &mut Lips, edge: u32| {
                let known = &mut on_edges[edge as usize];
                if *known == NONE {
                    *known = lips.positions.len() as u32;
                    lips.positions.push(cutting.edge_place(edge));
                }
                *known
            };
            match is_parted.iter().filter(|parted| **parted).count() {
                2 => {
                    let whole = is_parted.iter().position(|parted| !*parted).unwrap_or(0);
                    let [b, c, a] = [0, 1, 2].map(|index| (index + whole) % 3);
                    if part(a) != part(b) {
                        let [near, far] = [edges[a], edges[c]].map(|edge| on_edge(&mut lips, edge));
                        lips.triangles.push([far, near, middle]);
                        lips.sides.push((tetrahedron as u32, [part(a), part(b)]));
                    }
                }
                3 => {
                    for [a, b] in [[0, 1], [1, 2], [2, 0]] {
                        if part(a) != part(b) {
                            let near = on_edge(&mut lips, edges[a]);
                            let known = &mut on_faces[background.faces_of[tetrahedron][own] as usize];
                            if *known == NONE {
                                *known = lips.positions.len() as u32;
                                let places = edges.map(|edge| cutting.edge_place(edge));
                                lips.positions.push(places.iter().sum::<Vec3>() / 3.0);
                            }
                            lips.triangles.push([*known, near, middle]);
                            lips.sides.push((tetrahedron as u32, [part(a), part(b)]));
                        }
                    }
                }
                _ => {}
            }
        }
    }
    lips
}

/// Where the lips within a tetrahedron meet (m): the mean of the places in which its parts come apart.
pub(crate) fn middle_of(cutting: &Cutting<'_>, tetrahedron: usize) -> Vec3 {
    let parts = cutting.parts[tetrahedron];
    let edges = EDGES.iter().zip(cutting.of.edges_of[tetrahedron]);
    let apart = edges.filter(|([one, other], _)| parts[*one] != parts[*other]);
    let places: Vec<Vec3> = apart.map(|(_, edge)| cutting.edge_place(edge)).collect();
    places.iter().sum::<Vec3>() / places.len().max(1) as f64
}
