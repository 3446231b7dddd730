//! Parts of cut elements: cells of the tetrahedron with their exact volumes and mass integrals.

use crate::crack::Side;
use craze_math::cells::{Cell, CellSide, clip_polygon, polygon_share};

/// Parts that an element may have.
pub const MAX_PARTS: usize = 64;

/// Share of a face that two parts have in common, up to which they only touch.
const TOUCHING: f64 = 1e-13;

/// A crack in an element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElementCrack {
    /// The crack.
    pub crack: u32,
    /// f (m) at the corners, in ascending order of their nodes.
    pub levels: [f64; 4],
}

/// A part of an element, or a whole one.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The element.
    pub element: u32,
    /// For each corner the degree of freedom (three coordinates) with which the part moves there.
    pub dofs: [u32; 4],
    /// Its volume as a share of the element's.
    pub share: f64,
    /// ∫N_i over the volume of the element (1).
    pub first: [f64; 4],
    /// ∫N_i·N_j over the volume of the element (1).
    pub second: [[f64; 4]; 4],
    /// Whether all four degrees of freedom are its corners' own. A sliver that shares those of its
    /// neighbour has mass but no stiffness, so that it resists no rotation.
    pub is_stiff: bool,
    /// On which sides of the cracks in its element it is, by ascending number of the crack. Cracks
    /// that are stopped before they reach it are not listed.
    pub sides: Vec<(u32, Side)>,
    /// Its shape, over the corners in ascending order of their nodes; `None` for a whole element.
    pub cell: Option<Box<Cell>>,
}

impl Part {
    /// A whole element.
    pub fn whole(element: u32, nodes: [u32; 4]) -> Part {
        let second = craze_math::tetrahedron::second_moments(1.0);
        let (sides, cell) = (Vec::new(), None);
        Part { element, dofs: nodes, share: 1.0, first: [0.25; 4], second, is_stiff: true, sides, cell }
    }

    /// The same part with another shape.
    pub fn reshaped(&self, cell: Cell, order: &[usize; 4]) -> Part {
        let moments = cell.moments();
        let mut part = Part { share: moments.measure, cell: Some(Box::new(cell)), ..self.clone() };
        for (i, &row) in order.iter().enumerate() {
            part.first[row] = moments.first[i];
            for (j, &column) in order.iter().enumerate() {
                part.second[row][column] = moments.second[i][j];
            }
        }
        part
    }

    /// The side of a crack on which the part is.
    pub fn side_of(&self, crack: u32) -> Option<Side> {
        self.sides.iter().find(|(other, _)| *other == crack).map(|(_, side)| *side)
    }

    /// The polygon of the part on the face opposite the corner with this rank in the ascending
    /// order of nodes; empty if it does not reach the face.
    fn polygon(&self, face: u8) -> Vec<[f64; 4]> {
        match &self.cell {
            None => {
                let corner = |node: usize| std::array::from_fn(|other| if other == node { 1.0 } else { 0.0 });
                (0..4).filter(|&node| node != usize::from(face)).map(corner).collect()
            }
            Some(cell) => {
                let facet = cell.facets.iter().find(|facet| facet.side == CellSide::Face(face));
                let vertices = facet.map_or(&[][..], |facet| &facet.vertices);
                vertices.iter().map(|&vertex| cell.vertices[usize::from(vertex)].weights).collect()
            }
        }
    }
}

/// The corners of an element in ascending order of their nodes.
pub fn ascending(nodes: &[u32; 4]) -> [usize; 4] {
    let mut order = [0, 1, 2, 3];
    order.sort_unstable_by_key(|&corner| nodes[corner]);
    order
}

/// A part with the nodes of its element and the cracks in it.
#[derive(Clone, Copy)]
pub struct PlacedPart<'a> {
    /// The part.
    pub part: &'a Part,
    /// Nodes of its element.
    pub nodes: &'a [u32; 4],
    /// Cracks in its element.
    pub cracks: &'a [ElementCrack],
}

/// Returns true if two parts of neighbouring elements have an area of their common face in common.
pub fn are_connected(one: PlacedPart, other: PlacedPart) -> bool {
    let separates = |(crack, side): &(u32, Side)| other.part.side_of(*crack).is_some_and(|found| found != *side);
    if one.part.sides.iter().any(separates) {
        return false;
    }
    if one.part.cell.is_none() && other.part.cell.is_none() {
        return true;
    }
    let sorted = |part: &PlacedPart| ascending(part.nodes).map(|corner| part.nodes[corner]);
    let (nodes, other_nodes) = (sorted(&one), sorted(&other));
    let Some(face) = nodes.iter().position(|node| !other_nodes.contains(node)) else { return false };
    let mut polygon = one.part.polygon(face as u8);
    for (crack, side) in &other.part.sides {
        let Some(found) = other.cracks.iter().find(|found| found.crack == *crack) else { continue };
        // The levels of the other element at the nodes of this one; the node off the face has
        // weight zero.
        let level = |node: &u32| other_nodes.iter().position(|other| other == node).map_or(0.0, |at| found.levels[at]);
        let levels = std::array::from_fn(|rank| level(&nodes[rank]));
        if polygon.len() > 2 && one.part.side_of(*crack).is_none() {
            clip_polygon(&mut polygon, &levels, side.sign());
        }
    }
    polygon.len() > 2 && polygon_share(face as u8, &polygon) > TOUCHING
}
