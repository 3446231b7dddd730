//! Consistent orientation of neighbouring faces.

use super::edges::{Edges, Side};
use super::faces::Face;
use craze_math::{DisjointSets, Vec3};

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

/// Joins patches across edges of four or more faces that are traversed equally often in both
/// directions, as where two closed parts of a triangle soup touch along an edge.
///
/// Around such an edge, each face where the solid begins is paired with the face where it ends, like
/// parentheses, so that two touching parts become two closed shells and not a number of open patches.
pub(super) fn join_at_balanced_edges(patches: &mut Patches, faces: &[[u32; 3]], positions: &[Vec3]) {
    let mut sets = DisjointSets::new(patches.count);
    let mut around = Vec::new();
    for sides in Edges::of(faces).iter().filter(|sides| sides.len() >= 4) {
        let backward = sides.iter().filter(|side| side.backward).count();
        if 2 * backward != sides.len() || !sort_around_edge(sides, faces, positions, &mut around) {
            continue;
        }
        // Start where the fewest solids overlap, so that every parenthesis closes.
        let step = |side: &Side| if side.backward { -1 } else { 1 };
        let mut depth = 0;
        let mut lowest = (0, 0);
        for (index, (_, side)) in around.iter().enumerate() {
            depth += step(side);
            lowest = lowest.min((depth, index + 1));
        }
        let start = lowest.1 % around.len();
        around.rotate_left(start);
        let mut begun: Vec<u32> = Vec::new();
        for (_, side) in &around {
            if !side.backward {
                begun.push(side.face);
            } else if let Some(other) = begun.pop() {
                sets.join(patches.of_face[side.face as usize], patches.of_face[other as usize]);
            }
        }
    }
    let (number, count) = sets.numbered();
    patches.of_face.iter_mut().for_each(|patch| *patch = number[*patch as usize]);
    patches.count = count;
}

/// Sorts the sides of an edge by decreasing angle of their faces about the axis from `low` to `high`,
/// so that the solid of a face that runs forward follows it. Returns false for an edge or a face
/// without area.
fn sort_around_edge(sides: &[Side], faces: &[[u32; 3]], positions: &[Vec3], sorted: &mut Vec<(f64, Side)>) -> bool {
    let at = |point: u32| positions[point as usize];
    let (low, high) = (sides[0].low, sides[0].high);
    let Some(axis) = (at(high) - at(low)).try_normalize(0.0) else { return false };
    sorted.clear();
    let mut frame = None;
    for side in sides {
        let opposite = faces[side.face as usize].into_iter().find(|&point| point != low && point != high);
        let Some(opposite) = opposite else { return false };
        let arm = at(opposite) - at(low);
        let Some(arm) = (arm - axis * axis.dot(&arm)).try_normalize(0.0) else { return false };
        let (across, up) = *frame.get_or_insert((arm, axis.cross(&arm)));
        sorted.push((-up.dot(&arm).atan2(across.dot(&arm)), *side));
    }
    sorted.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    true
}
