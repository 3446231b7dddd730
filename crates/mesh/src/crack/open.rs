//! Opens the faces of cracks: doubles the nodes between them.

use super::fit::Fitted;
use super::{CrackError, Cracked, FlatCrack, OpenCrack};
use crate::facet::Facet;
use crate::id::{Id, NodeId, TetId};
use crate::mesh::TetMesh;
use craze_math::Vec3;

/// Mark of a face that stays closed.
const CLOSED: u32 = u32::MAX;

/// Opens all faces within the cracks of a fitted mesh.
pub(super) fn open(fitted: Fitted, cracks: &[FlatCrack]) -> Result<Cracked, CrackError> {
    let mut crack_of = vec![CLOSED; 4 * fitted.mesh.element_count()];
    for (index, crack) in cracks.iter().enumerate() {
        mark_faces(&fitted, index, crack, &mut crack_of);
    }
    let (positions, elements) = doubled(&fitted.mesh, &crack_of);
    let mesh = TetMesh::from_parts(positions, elements).map_err(|_| CrackError::Outside { crack: 0 })?;
    let mut facets = Vec::new();
    let mut sums = vec![(0.0, 0.0, 0); cracks.len()];
    for (facet, &crack) in crack_of.iter().enumerate().filter(|(_, crack)| **crack != CLOSED) {
        let facet = Facet::new(TetId((facet / 4) as u32), facet % 4);
        // A face with all corners on the front stays closed: no node lies between its two sides.
        if mesh.neighbour(facet.element, facet.corner as usize).is_some() {
            continue;
        }
        facets.push(facet);
        let [Some(a), Some(b), Some(c)] = mesh.facet_points(facet) else { continue };
        let [a, b, c] = [a, b, c].map(|node| mesh.position(node));
        let (area, edges, sides) = &mut sums[crack as usize];
        // Both sides of every face are in the list.
        *area += 0.25 * (b - a).cross(&(c - a)).norm();
        *edges += (b - a).norm() + (c - b).norm() + (a - c).norm();
        *sides += 3;
    }
    let mut found = Vec::with_capacity(cracks.len());
    for (index, (area, edges, sides)) in sums.into_iter().enumerate() {
        if sides == 0 {
            return Err(nothing_opened(&fitted.mesh, index, &cracks[index]));
        }
        found.push(OpenCrack { area, edge: edges / f64::from(sides) });
    }
    Ok(Cracked { mesh, parents: fitted.parents, facets, cracks: found })
}

/// Marks the inner faces that lie within a crack.
fn mark_faces(fitted: &Fitted, index: usize, crack: &FlatCrack, crack_of: &mut [u32]) {
    let mesh = &fitted.mesh;
    for element in mesh.element_ids() {
        for corner in 0..4 {
            let [Some(a), Some(b), Some(c)] = mesh.facet_points(Facet::new(element, corner)) else { continue };
            let is_inner = mesh.neighbour(element, corner).is_some();
            if is_inner && [a, b, c].iter().all(|&node| fitted.is_in_plane(node, index)) {
                let corners = [a, b, c].map(|node| mesh.position(node));
                if is_within(fitted, crack, &corners) {
                    crack_of[4 * element.index() + corner] = index as u32;
                }
            }
        }
    }
}

/// Why a crack has no faces: either nothing is there, or the elements there are larger than the
/// crack.
fn nothing_opened(mesh: &TetMesh, index: usize, crack: &FlatCrack) -> CrackError {
    match mesh.element_ids().find(|&element| crosses(crack, &mesh.corners(element))) {
        None => CrackError::Outside { crack: index },
        Some(element) => {
            let [a, b, ..] = mesh.corners(element);
            CrackError::Unresolved { crack: index, extent: crack.extent(), edge: (a - b).norm() }
        }
    }
}

/// Returns true if the plane of a crack crosses an element at a point within the crack.
fn crosses(crack: &FlatCrack, corners: &[Vec3; 4]) -> bool {
    let heights = corners.map(|corner| crack.height(&corner));
    let is_crossed = heights.iter().any(|height| *height >= 0.0) && heights.iter().any(|height| *height <= 0.0);
    let [a, b, ..] = corners;
    let centre = corners.iter().sum::<Vec3>() / 4.0;
    is_crossed && crack.distance(&centre) < (a - b).norm()
}

/// Returns true if a face in the plane of a crack is within its outline. Front edges are edges of
/// the mesh, so no face lies on both sides of the front.
fn is_within(fitted: &Fitted, crack: &FlatCrack, corners: &[Vec3; 3]) -> bool {
    let distances = corners.map(|corner| fitted.front_distance(crack, &corner));
    let lowest = distances.iter().copied().fold(f64::INFINITY, f64::min);
    let highest = distances.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let centre = corners.iter().sum::<Vec3>() / 3.0;
    match (lowest < 0.0, highest > 0.0) {
        (true, false) => true,
        (false, true) => false,
        // All corners on the front, or a corner of the outline within the face.
        _ => crack.distance(&centre) < 0.0,
    }
}

/// Positions and elements with a copy of each node for each group of its elements that open faces
/// separate from the others. The group of the lowest element keeps the node.
fn doubled(mesh: &TetMesh, crack_of: &[u32]) -> (Vec<Vec3>, Vec<[u32; 4]>) {
    let mut positions = mesh.positions().to_vec();
    let mut elements = mesh.elements().to_vec();
    let mut nodes: Vec<u32> = Vec::new();
    for (facet, _) in crack_of.iter().enumerate().filter(|(_, crack)| **crack != CLOSED) {
        let corners = mesh.facet_points(Facet::new(TetId((facet / 4) as u32), facet % 4));
        nodes.extend(corners.into_iter().flatten().map(NodeId::raw));
    }
    nodes.sort_unstable();
    nodes.dedup();
    for node in nodes {
        let star: Vec<TetId> = mesh.elements_of(NodeId(node)).collect();
        let mut is_seen = vec![false; star.len()];
        for first in 0..star.len() {
            if is_seen[first] {
                continue;
            }
            is_seen[first] = true;
            let mut group = vec![star[first]];
            let mut next = 0;
            while next < group.len() {
                let element = group[next];
                next += 1;
                let corners = mesh.points_of(element);
                for corner in (0..4).filter(|&corner| corners[corner] != NodeId(node)) {
                    let is_closed = crack_of[4 * element.index() + corner] == CLOSED;
                    let neighbour = mesh.neighbour(element, corner).filter(|_| is_closed);
                    if let Some(at) = neighbour.and_then(|other| star.iter().position(|known| *known == other))
                        && !is_seen[at]
                    {
                        is_seen[at] = true;
                        group.push(star[at]);
                    }
                }
            }
            if first == 0 {
                continue;
            }
            let copy = positions.len() as u32;
            positions.push(positions[node as usize]);
            for element in group {
                for corner in elements[element.index()].iter_mut().filter(|corner| **corner == node) {
                    *corner = copy;
                }
            }
        }
    }
    (positions, elements)
}
