//! Crack faces inside split tetrahedra, each once for both sides.

use craze_math::Vec3;

use crate::split::{BackgroundMesh, EDGES, FACES, SIDES, Splitter};

/// Crack faces over their own points.
#[derive(Default)]
pub(crate) struct CrackFaces {
    pub positions: Vec<Vec3>,
    /// Counter-clockwise seen from the front.
    pub triangles: Vec<[u32; 3]>,
    /// The tetrahedron of each face, and the components behind and in front of it.
    pub sides: Vec<(u32, [u8; 2])>,
}

pub(crate) fn crack_faces(mesh: &BackgroundMesh, splitter: &Splitter<'_>) -> CrackFaces {
    const NONE: u32 = u32::MAX;
    let mut faces = CrackFaces::default();
    let mut on_edges = vec![NONE; mesh.edges().len()];
    let mut on_faces = vec![NONE; mesh.face_count];
    for (tetrahedron, parts) in splitter.parts.iter().enumerate().filter(|(_, parts)| **parts != [0; 4]) {
        let all = mesh.edges_of[tetrahedron];
        let middle = faces.positions.len() as u32;
        faces.positions.push(cut_centroid(splitter, tetrahedron));
        for own in 0..4 {
            let edges = SIDES[own].map(|edge| all[edge]);
            let part = |index: usize| parts[FACES[own][index]];
            let is_cut = edges.map(|edge| splitter.is_cut(edge));
            let mut on_edge = |faces: &mut CrackFaces, edge: u32| {
                let known = &mut on_edges[edge as usize];
                if *known == NONE {
                    *known = faces.positions.len() as u32;
                    faces.positions.push(splitter.cut_point(edge));
                }
                *known
            };
            match is_cut.iter().filter(|cut| **cut).count() {
                2 => {
                    let whole = is_cut.iter().position(|cut| !*cut).unwrap_or(0);
                    let [b, c, a] = [0, 1, 2].map(|index| (index + whole) % 3);
                    if part(a) != part(b) {
                        let [near, far] = [edges[a], edges[c]].map(|edge| on_edge(&mut faces, edge));
                        faces.triangles.push([far, near, middle]);
                        faces.sides.push((tetrahedron as u32, [part(a), part(b)]));
                    }
                }
                3 => {
                    for [a, b] in [[0, 1], [1, 2], [2, 0]] {
                        if part(a) != part(b) {
                            let near = on_edge(&mut faces, edges[a]);
                            let known = &mut on_faces[mesh.faces_of[tetrahedron][own] as usize];
                            if *known == NONE {
                                *known = faces.positions.len() as u32;
                                let points = edges.map(|edge| splitter.cut_point(edge));
                                faces.positions.push(points.iter().sum::<Vec3>() / 3.0);
                            }
                            faces.triangles.push([*known, near, middle]);
                            faces.sides.push((tetrahedron as u32, [part(a), part(b)]));
                        }
                    }
                }
                _ => {}
            }
        }
    }
    faces
}

/// Common point of the crack faces inside a tetrahedron (m): the mean of its cut points.
pub(crate) fn cut_centroid(splitter: &Splitter<'_>, tetrahedron: usize) -> Vec3 {
    let parts = splitter.parts[tetrahedron];
    let edges = EDGES.iter().zip(splitter.of.edges_of[tetrahedron]);
    let apart = edges.filter(|([one, other], _)| parts[*one] != parts[*other]);
    let points: Vec<Vec3> = apart.map(|(_, edge)| splitter.cut_point(edge)).collect();
    points.iter().sum::<Vec3>() / points.len().max(1) as f64
}
