//! Facets: the faces of a tetrahedron, the edges of a triangle.
//!
//! Facet `i` is opposite corner `i` and oriented outward: the face of a positive tetrahedron is
//! counterclockwise from outside, and the edge of a triangle has the direction of the triangle. Two
//! elements that share a facet list it in opposite directions.

use crate::id::{Id, NONE};

const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];
const EDGES: [[usize; 2]; 3] = [[1, 2], [2, 0], [0, 1]];

/// A facet of an element.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Facet<E> {
    /// The element.
    pub element: E,
    /// The opposite corner: 0–3 in a tetrahedron, 0–2 in a triangle.
    pub corner: u8,
}

impl<E: Id> Facet<E> {
    /// The facet of `element` opposite `corner`.
    pub fn new(element: E, corner: usize) -> Self {
        Self { element, corner: corner as u8 }
    }
}

/// The points of the facet opposite `corner`, outward; the third entry of an edge is `NONE`.
#[inline]
pub(crate) fn facet_points<const N: usize>(element: &[u32; N], corner: usize) -> [u32; 3] {
    if N == 4 {
        let [a, b, c] = FACES[corner];
        [element[a], element[b], element[c]]
    } else {
        let [a, b] = EDGES[corner];
        [element[a], element[b], NONE]
    }
}

/// The points of a facet in ascending order, and its direction relative to that order.
#[inline]
pub(crate) fn facet_key([mut a, mut b, mut c]: [u32; 3]) -> ([u32; 3], Winding) {
    let mut odd = false;
    if a > b {
        (a, b) = (b, a);
        odd = !odd;
    }
    if b > c {
        (b, c) = (c, b);
        odd = !odd;
    }
    if a > b {
        (a, b) = (b, a);
        odd = !odd;
    }
    ([a, b, c], if odd { Winding::Backward } else { Winding::Forward })
}

/// Direction of a facet relative to its points in ascending order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Winding {
    Forward,
    Backward,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FacetFault {
    Shared { facet: [u32; 3], elements: [u32; 3] },
    SameWinding { facet: [u32; 3], elements: [u32; 2] },
    Duplicate { elements: [u32; 2] },
}

impl FacetFault {
    fn first_element(&self) -> u32 {
        match self {
            Self::Shared { elements, .. } => elements[0],
            Self::SameWinding { elements, .. } | Self::Duplicate { elements } => elements[0],
        }
    }
}

/// Neighbours of all elements: facets are bucketed by their lowest point and sorted within buckets,
/// in time linear in the number of elements. Returns the fault with the lowest element.
pub(crate) fn build_neighbours<const N: usize>(
    points: usize,
    elements: &[[u32; N]],
) -> Result<Vec<[u32; N]>, FacetFault> {
    let mut starts = vec![0u32; points + 1];
    for element in elements {
        for corner in 0..N {
            starts[facet_key(facet_points(element, corner)).0[0] as usize + 1] += 1;
        }
    }
    for point in 0..points {
        starts[point + 1] += starts[point];
    }
    let mut records = vec![[0u32; 3]; elements.len() * N];
    let mut next = starts.clone();
    for (index, element) in elements.iter().enumerate() {
        for corner in 0..N {
            let key = facet_key(facet_points(element, corner)).0;
            let slot = &mut next[key[0] as usize];
            records[*slot as usize] = [key[1], key[2], (index * N + corner) as u32];
            *slot += 1;
        }
    }
    let mut neighbours = vec![[NONE; N]; elements.len()];
    let mut fault: Option<FacetFault> = None;
    for point in 0..points {
        let bucket = &mut records[starts[point] as usize..starts[point + 1] as usize];
        bucket.sort_unstable();
        let mut rest: &[[u32; 3]] = bucket;
        while let Some(first) = rest.first() {
            let length = rest.iter().take_while(|other| other[..2] == first[..2]).count();
            let (run, tail) = rest.split_at(length);
            rest = tail;
            if length > 1
                && let Some(found) = join(elements, &mut neighbours, [point as u32, first[0], first[1]], run)
                && fault.is_none_or(|known| found.first_element() < known.first_element())
            {
                fault = Some(found);
            }
        }
    }
    match fault {
        Some(fault) => Err(fault),
        None => Ok(neighbours),
    }
}

fn join<const N: usize>(
    elements: &[[u32; N]],
    neighbours: &mut [[u32; N]],
    facet: [u32; 3],
    run: &[[u32; 3]],
) -> Option<FacetFault> {
    let owner = |record: [u32; 3]| ((record[2] as usize) / N, (record[2] as usize) % N);
    if let Some(elements) = same_points(elements, run) {
        return Some(FacetFault::Duplicate { elements });
    }
    let (first, first_corner) = owner(run[0]);
    let (second, second_corner) = owner(run[1]);
    if run.len() > 2 {
        let third = owner(run[2]).0;
        return Some(FacetFault::Shared { facet, elements: [first as u32, second as u32, third as u32] });
    }
    let winding = |element: usize, corner| facet_key(facet_points(&elements[element], corner)).1;
    if winding(first, first_corner) == winding(second, second_corner) {
        return Some(FacetFault::SameWinding { facet, elements: [first as u32, second as u32] });
    }
    neighbours[first][first_corner] = second as u32;
    neighbours[second][second_corner] = first as u32;
    None
}

/// Two owners of one facet with the same points: their opposite corners are equal.
fn same_points<const N: usize>(elements: &[[u32; N]], run: &[[u32; 3]]) -> Option<[u32; 2]> {
    let opposite = |record: &[u32; 3]| {
        let (element, corner) = ((record[2] as usize) / N, (record[2] as usize) % N);
        (elements[element][corner], element as u32)
    };
    if let [one, other] = run {
        let (one, other) = (opposite(one), opposite(other));
        return (one.0 == other.0).then_some([one.1, other.1]);
    }
    // Sorted: the number of elements at a facet of a bad file is unbounded.
    let mut owners: Vec<(u32, u32)> = run.iter().map(opposite).collect();
    owners.sort_unstable();
    owners.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| [pair[0].1, pair[1].1]).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_list_their_facet_in_opposite_directions() {
        let neighbours = build_neighbours(5, &[[0u32, 1, 2, 3], [1, 2, 3, 4]]).unwrap();
        assert_eq!(neighbours, [[1, NONE, NONE, NONE], [NONE, NONE, NONE, 0]]);
    }

    #[test]
    fn the_fault_of_the_lowest_element_is_named() {
        let mirrored = build_neighbours(5, &[[0u32, 1, 2, 3], [1, 3, 2, 4]]);
        assert_eq!(mirrored, Err(FacetFault::SameWinding { facet: [1, 2, 3], elements: [0, 1] }));
        let three = build_neighbours(5, &[[0u32, 1, 2], [1, 0, 3], [0, 1, 4]]);
        assert_eq!(three, Err(FacetFault::Shared { facet: [0, 1, NONE], elements: [0, 1, 2] }));
        let twice = build_neighbours(4, &[[0u32, 1, 2, 3], [1, 2, 0, 3]]);
        assert_eq!(twice, Err(FacetFault::Duplicate { elements: [0, 1] }));
    }

    #[test]
    fn a_facet_of_very_many_elements_is_reported_quickly() {
        let fan: Vec<[u32; 4]> = (0..200_000).map(|k| [0, 1, 2, 3 + k]).collect();
        let fault = build_neighbours(200_003, &fan);
        assert_eq!(fault, Err(FacetFault::Shared { facet: [0, 1, 2], elements: [0, 1, 2] }));
        let mut doubled = fan;
        doubled[7] = doubled[5];
        assert_eq!(build_neighbours(200_003, &doubled), Err(FacetFault::Duplicate { elements: [5, 7] }));
    }
}
