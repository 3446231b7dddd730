//! Turning neighbours the same way.

use super::edges::Edges;
use super::faces::Face;
use craze_math::DisjointSets;

/// Faces that hang together through edges of two faces each, all turned the same way.
pub(super) struct Patches {
    /// The patch of each face.
    pub of_face: Vec<u32>,
    /// How many there are.
    pub count: usize,
    /// How many cannot be turned the same way, like a Möbius strip.
    pub one_sided: usize,
}

/// Turns faces so that neighbours agree; each patch as most of its area was. Marks the turned faces in `turned`.
pub(super) fn agree(faces: &[Face], areas: &[f64], turned: &mut [bool]) -> Patches {
    let corners: Vec<[u32; 3]> = faces.iter().map(|face| face.corners).collect();
    let edges = Edges::of(&corners);
    let mut sets = DisjointSets::new(faces.len());
    // Neighbours and whether they run along their edge the same way, which they should not.
    let mut neighbours: Vec<(u32, u32, bool)> = Vec::with_capacity(3 * faces.len());
    for sides in edges.iter().filter(|sides| sides.len() == 2) {
        let (one, other) = (sides[0], sides[1]);
        let clash = one.backward == other.backward;
        sets.join(one.face, other.face);
        neighbours.extend([(one.face, other.face, clash), (other.face, one.face, clash)]);
    }
    neighbours.sort_unstable();
    let around = |face: u32| {
        let start = neighbours.partition_point(|n| n.0 < face);
        neighbours[start..].iter().take_while(move |n| n.0 == face)
    };
    let (of_face, count) = sets.numbered();
    let mut one_sided = vec![false; count];
    let mut seen = vec![false; faces.len()];
    let mut members: Vec<u32> = Vec::new();
    for start in 0..faces.len() as u32 {
        if seen[start as usize] {
            continue;
        }
        members.clear();
        members.push(start);
        seen[start as usize] = true;
        let mut next = 0;
        while let Some(&face) = members.get(next) {
            next += 1;
            for &(_, other, clash) in around(face) {
                let wanted = turned[face as usize] ^ clash;
                if !seen[other as usize] {
                    seen[other as usize] = true;
                    turned[other as usize] = wanted;
                    members.push(other);
                } else if turned[other as usize] != wanted {
                    one_sided[of_face[start as usize] as usize] = true;
                }
            }
        }
        let area = |way: bool| -> f64 {
            let counts = |&&face: &&u32| turned[face as usize] == way && !faces[face as usize].both_ways;
            members.iter().filter(counts).map(|&face| areas[face as usize]).sum()
        };
        if area(true) > area(false) {
            members.iter().for_each(|&face| turned[face as usize] ^= true);
        }
    }
    Patches { of_face, count, one_sided: one_sided.iter().filter(|&&is| is).count() }
}
