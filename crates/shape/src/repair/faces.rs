//! Removal of degenerate and duplicate triangles.

use craze_math::{DisjointSets, Vec3};

use super::edges::Edges;

/// A triangle over welded points that represents all its copies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Face {
    pub corners: [u32; 3],
    /// Index of the input triangle.
    pub source: u32,
    /// Whether both orientations are equally frequent, so that its own is arbitrary.
    pub double_sided: bool,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RemovedCount {
    pub degenerate: usize,
    pub duplicate: usize,
}

/// The distinct faces of triangles over welded points, in the order of their first copies.
///
/// Of duplicates one remains, with the majority's orientation. If both orientations are equally
/// frequent, the face belongs to a double-sided surface, and one remains, or to a wall between two
/// closed parts, and both are removed. Different triangulations of one polygon count as duplicates
/// too.
pub(super) fn distinct(triangles: &[(u32, [u32; 3])], positions: &[Vec3]) -> (Vec<Face>, RemovedCount) {
    let mut removed = RemovedCount::default();
    let mut keyed: Vec<([u32; 3], u32, u32, bool)> = Vec::with_capacity(triangles.len());
    for (position, &(source, [a, b, c])) in triangles.iter().enumerate() {
        if a == b || b == c || c == a {
            removed.degenerate += 1;
            continue;
        }
        let mut key = [a, b, c];
        key.sort_unstable();
        // An odd permutation of the sorted corners has the other orientation.
        let backward = [a, b, c] != key && [b, c, a] != key && [c, a, b] != key;
        keyed.push((key, position as u32, source, backward));
    }
    let sound = keyed.len();
    keyed.sort_unstable();
    let mut kept: Vec<(u32, Face)> = Vec::with_capacity(sound);
    for copies in keyed.chunk_by(|one, other| one.0 == other.0) {
        let backward = copies.iter().filter(|copy| copy.3).count();
        let forward = copies.len() - backward;
        let wanted = if forward == backward { copies[0].3 } else { backward > forward };
        let Some(&(_, position, source, _)) = copies.iter().find(|copy| copy.3 == wanted) else { continue };
        let corners = triangles[position as usize].1;
        kept.push((position, Face { corners, source, double_sided: forward == backward }));
    }
    kept.sort_unstable_by_key(|&(position, _)| position);
    let mut faces: Vec<Face> = kept.into_iter().map(|(_, face)| face).collect();
    faces = without_retriangulated_copies(faces, positions);
    if faces.iter().any(|face| face.double_sided) {
        faces = without_walls(faces);
    }
    removed.duplicate = sound - faces.len();
    (faces, removed)
}

/// Largest volume between two triangulations of a quadrilateral, over its area to the power 3/2;
const QUADRILATERAL_VOLUME_TOLERANCE: f64 = 0.02;
/// of a larger polygon, which must be planar.
const POLYGON_VOLUME_TOLERANCE: f64 = 1e-9;

/// Keeps the first of several triangulations of an outline that has the majority's orientation.
fn without_retriangulated_copies(mut faces: Vec<Face>, positions: &[Vec3]) -> Vec<Face> {
    let corners: Vec<[u32; 3]> = faces.iter().map(|face| face.corners).collect();
    let edges = Edges::of(&corners);
    // Only edges of three or more faces bound such patches.
    if edges.iter().all(|sides| sides.len() < 3) {
        return faces;
    }
    let mut sets = DisjointSets::new(faces.len());
    edges.iter().filter(|sides| sides.len() == 2).for_each(|sides| sets.join(sides[0].face, sides[1].face));
    let (patch_of, count) = sets.numbered();
    let mut patches: Vec<Patch> = vec![Patch::default(); count];
    for (face, &patch) in (0..).zip(&patch_of) {
        patches[patch as usize].faces.push(face);
    }
    for sides in edges.iter().filter(|sides| sides.len() > 2) {
        for side in sides {
            patches[patch_of[side.face as usize] as usize].outline.push((side.low, side.high, side.backward));
        }
    }
    // A patch with open edges of its own, such as the pages of a book, fills no outline.
    let mut has_rim = vec![false; count];
    for sides in edges.iter().filter(|sides| sides.len() == 1) {
        has_rim[patch_of[sides[0].face as usize] as usize] = true;
    }
    let fills = |&patch: &u32| patches[patch as usize].faces.len() > 1 && !has_rim[patch as usize];
    let mut order: Vec<u32> = (0..count as u32).filter(fills).collect();
    order.retain(|&patch| !patches[patch as usize].outline.is_empty());
    patches.iter_mut().for_each(|patch| patch.outline.sort_unstable());
    // A patch on both sides of an edge, such as a closed part that touches another there, fills none.
    let is_simple =
        |outline: &[(u32, u32, bool)]| outline.windows(2).all(|pair| (pair[0].0, pair[0].1) != (pair[1].0, pair[1].1));
    order.retain(|&patch| is_simple(&patches[patch as usize].outline));
    let undirected = |patch: u32| patches[patch as usize].outline.iter().map(|&(low, high, _)| (low, high));
    order.sort_by(|&one, &other| undirected(one).cmp(undirected(other)));
    let mut is_removed = vec![false; faces.len()];
    for alike in order.chunk_by(|&one, &other| undirected(one).eq(undirected(other))) {
        // A wall and the patches beside it share an outline, so each pair is compared.
        let mut left = alike.to_vec();
        while let Some(&head) = left.first() {
            let first = &patches[head as usize];
            let (copies, others) = left.into_iter().partition::<Vec<u32>, _>(|&patch| {
                patch == head || first.is_retriangulated_by(&patches[patch as usize], &corners, positions)
            });
            left = others;
            let runs_along = |patch: &u32| patches[*patch as usize].outline == first.outline;
            let forward = copies.iter().filter(|patch| runs_along(patch)).count();
            let double_sided = 2 * forward == copies.len();
            let kept = copies.iter().find(|patch| double_sided || runs_along(patch) == (2 * forward > copies.len()));
            for patch in &copies {
                for &face in &patches[*patch as usize].faces {
                    is_removed[face as usize] = Some(patch) != kept;
                    faces[face as usize].double_sided |= double_sided;
                }
            }
        }
    }
    let mut is_removed = is_removed.into_iter();
    faces.retain(|_| !is_removed.next().unwrap_or(false));
    faces
}

/// Faces connected through edges of exactly two faces.
#[derive(Clone, Debug, Default)]
struct Patch {
    faces: Vec<u32>,
    /// Edges shared with further faces: low point, high point, backward.
    outline: Vec<(u32, u32, bool)>,
}

impl Patch {
    /// Whether a patch with the same outline encloses no volume with this one.
    fn is_retriangulated_by(&self, other: &Self, corners: &[[u32; 3]], positions: &[Vec3]) -> bool {
        let opposite = self.outline.iter().zip(&other.outline).all(|(one, two)| one.2 != two.2);
        if !opposite && self.outline != other.outline {
            return false;
        }
        let at = |face: u32| corners[face as usize].map(|point| positions[point as usize]);
        let origin = at(self.faces[0])[0];
        let measure = |patch: &Self| {
            patch.faces.iter().fold((0.0, 0.0), |(sixfold, area), &face| {
                let [a, b, c] = at(face).map(|corner| corner - origin);
                (sixfold + a.dot(&b.cross(&c)), area + (b - a).cross(&(c - a)).norm())
            })
        };
        let ((one, area), (two, other_area)) = (measure(self), measure(other));
        let between = if opposite { one + two } else { one - two };
        let share = if self.faces.len() == 2 && other.faces.len() == 2 {
            QUADRILATERAL_VOLUME_TOLERANCE
        } else {
            POLYGON_VOLUME_TOLERANCE
        };
        between.abs() <= 6.0 * share * area.max(other_area).powf(1.5)
    }
}

/// Drops double-sided patches that end at edges of three or more faces.
fn without_walls(faces: Vec<Face>) -> Vec<Face> {
    let corners: Vec<[u32; 3]> = faces.iter().map(|face| face.corners).collect();
    let edges = Edges::of(&corners);
    let mut sets = DisjointSets::new(faces.len());
    edges.iter().filter(|sides| sides.len() == 2).for_each(|sides| sets.join(sides[0].face, sides[1].face));
    let (patch_of, count) = sets.numbered();
    let mut is_wall = vec![true; count];
    for (face, &patch) in faces.iter().zip(&patch_of) {
        is_wall[patch as usize] &= face.double_sided;
    }
    let (mut open, mut meeting) = (vec![0_usize; count], vec![0_usize; count]);
    for sides in edges.iter() {
        for side in sides {
            let patch = patch_of[side.face as usize] as usize;
            open[patch] += usize::from(sides.len() == 1);
            meeting[patch] += usize::from(sides.len() > 2);
        }
    }
    let is_wall = |patch: usize| is_wall[patch] && meeting[patch] > open[patch];
    faces.into_iter().zip(patch_of).filter(|&(_, patch)| !is_wall(patch as usize)).map(|(face, _)| face).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distinct(triangles: &[(u32, [u32; 3])]) -> (Vec<Face>, RemovedCount) {
        super::distinct(
            triangles,
            &[Vec3::x(), Vec3::y(), Vec3::z(), Vec3::repeat(1.0), Vec3::zeros(), Vec3::repeat(-1.0)],
        )
    }

    fn numbered(triangles: &[[u32; 3]]) -> Vec<(u32, [u32; 3])> {
        triangles.iter().enumerate().map(|(index, &t)| (index as u32, t)).collect()
    }

    #[test]
    fn copies_leave_one_with_the_orientation_of_most() {
        let (faces, removed) = distinct(&numbered(&[[0, 1, 2], [2, 1, 0], [1, 0, 2], [5, 5, 6], [3, 4, 5], [4, 5, 3]]));
        assert_eq!((removed.degenerate, removed.duplicate), (1, 3));
        assert_eq!(faces.iter().map(|face| face.source).collect::<Vec<_>>(), [1, 4]);
        assert!(faces.iter().all(|face| !face.double_sided));
    }

    #[test]
    fn a_wall_between_two_tetrahedra_is_removed_and_a_doubled_sheet_stays() {
        let wall = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3], [0, 1, 2], [0, 4, 1], [1, 4, 2], [2, 4, 0]];
        let (faces, _) = distinct(&numbered(&wall));
        assert_eq!(faces.len(), 6);
        let sheet = [[0, 1, 2], [0, 2, 1], [1, 3, 2], [1, 2, 3]];
        let (faces, removed) = distinct(&numbered(&sheet));
        assert_eq!((faces.len(), removed.duplicate), (2, 2));
    }
}
