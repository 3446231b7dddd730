//! Consistent orientation of neighbouring faces.

use super::edges::Edges;
use super::faces::Face;
use craze_math::DisjointSets;

/// Faces connected through edges of exactly two faces, consistently oriented.
pub(super) struct Patches {
    /// The patch of each face.
    pub of_face: Vec<u32>,
    pub count: usize,
    /// Number of non-orientable patches.
    pub one_sided: usize,
}

/// Flips faces so that neighbours agree; each patch keeps the orientation of most of its area.
/// Marks flipped faces in `flipped`.
pub(super) fn orient(faces: &[Face], areas: &[f64], flipped: &mut [bool]) -> Patches {
    let corners: Vec<[u32; 3]> = faces.iter().map(|face| face.corners).collect();
    let edges = Edges::of(&corners);
    let mut sets = DisjointSets::new(faces.len());
    // Neighbours, and whether they traverse their edge in the same direction, a conflict.
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
                let wanted = flipped[face as usize] ^ clash;
                if !seen[other as usize] {
                    seen[other as usize] = true;
                    flipped[other as usize] = wanted;
                    members.push(other);
                } else if flipped[other as usize] != wanted {
                    one_sided[of_face[start as usize] as usize] = true;
                }
            }
        }
        let area = |is_flipped: bool| -> f64 {
            let counts = |&&face: &&u32| flipped[face as usize] == is_flipped && !faces[face as usize].double_sided;
            members.iter().filter(counts).map(|&face| areas[face as usize]).sum()
        };
        if area(true) > area(false) {
            members.iter().for_each(|&face| flipped[face as usize] ^= true);
        }
    }
    Patches { of_face, count, one_sided: one_sided.iter().filter(|&&is| is).count() }
}
