//! Faces without repetition: what is left when degenerate and duplicate triangles are gone.

use craze_math::{DisjointSets, Vec3};

use super::edges::Edges;

/// A triangle over welded points that stands for all its copies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Face {
    pub corners: [u32; 3],
    /// The input triangle it is.
    pub source: u32,
    /// Whether as many copies run one way as the other: then its own way says nothing.
    pub both_ways: bool,
}

/// What was taken out.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Taken {
    pub degenerate: usize,
    pub duplicate: usize,
}

/// The distinct faces of triangles over welded points, in the order of their first copies.
///
/// A triangle with a corner twice is dropped. Copies leave one, the way most of them run. Where as many run either way, the
/// face is part of a surface that was doubled to be seen from both sides, and one stays; or it is a wall between two closed
/// parts that meet there, and both go.
///
/// A polygon that is there twice may have been cut into other triangles each time, as every quadrilateral of a cube that was written for
/// both sides: these patches count as copies too.
pub(super) fn distinct(triangles: &[(u32, [u32; 3])], positions: &[Vec3]) -> (Vec<Face>, Taken) {
    let mut taken = Taken::default();
    let mut keyed: Vec<([u32; 3], u32, u32, bool)> = Vec::with_capacity(triangles.len());
    for (position, &(source, [a, b, c])) in triangles.iter().enumerate() {
        if a == b || b == c || c == a {
            taken.degenerate += 1;
            continue;
        }
        let mut key = [a, b, c];
        key.sort_unstable();
        // An odd permutation of the sorted corners runs the other way.
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
        kept.push((position, Face { corners, source, both_ways: forward == backward }));
    }
    kept.sort_unstable_by_key(|&(position, _)| position);
    let mut faces: Vec<Face> = kept.into_iter().map(|(_, face)| face).collect();
    faces = without_refilled(faces, positions);
    if faces.iter().any(|face| face.both_ways) {
        faces = without_walls(faces);
    }
    taken.duplicate = sound - faces.len();
    (faces, taken)
}

/// Patches of two faces may enclose this share of the cube of their size and still fill one quadrilateral: it need not be plane,
const QUADRILATERAL: f64 = 0.02;
/// larger ones must be.
const POLYGON: f64 = 1e-9;

/// Of patches that fill the same outline with other triangles the first stays, the way most of them run.
fn without_refilled(mut faces: Vec<Face>, positions: &[Vec3]) -> Vec<Face> {
    let corners: Vec<[u32; 3]> = faces.iter().map(|face| face.corners).collect();
    let edges = Edges::of(&corners);
    // Only edges of four faces and more can part such patches from others.
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
    // What has a rim of its own, as the pages of a book, fills no outline.
    let mut has_rim = vec![false; count];
    for sides in edges.iter().filter(|sides| sides.len() == 1) {
        has_rim[patch_of[sides[0].face as usize] as usize] = true;
    }
    let fills = |&patch: &u32| patches[patch as usize].faces.len() > 1 && !has_rim[patch as usize];
    let mut order: Vec<u32> = (0..count as u32).filter(fills).collect();
    order.retain(|&patch| !patches[patch as usize].outline.is_empty());
    patches.iter_mut().for_each(|patch| patch.outline.sort_unstable());
    let undirected = |patch: u32| patches[patch as usize].outline.iter().map(|&(low, high, _)| (low, high));
    order.sort_by(|&one, &other| undirected(one).cmp(undirected(other)));
    let mut goes = vec![false; faces.len()];
    for alike in order.chunk_by(|&one, &other| undirected(one).eq(undirected(other))) {
        // A wall and all that lies on either side of it share an outline: each is compared with all.
        let mut left = alike.to_vec();
        while let Some(&head) = left.first() {
            let first = &patches[head as usize];
            let (copies, others) = left.into_iter().partition::<Vec<u32>, _>(|&patch| {
                patch == head || first.is_filled_again_by(&patches[patch as usize], &corners, positions)
            });
            left = others;
            let runs_along = |patch: &u32| patches[*patch as usize].outline == first.outline;
            let forward = copies.iter().filter(|patch| runs_along(patch)).count();
            let both_ways = 2 * forward == copies.len();
            let kept = copies.iter().find(|patch| both_ways || runs_along(patch) == (2 * forward > copies.len()));
            for patch in &copies {
                for &face in &patches[*patch as usize].faces {
                    goes[face as usize] = Some(patch) != kept;
                    faces[face as usize].both_ways |= both_ways;
                }
            }
        }
    }
    let mut goes = goes.into_iter();
    faces.retain(|_| !goes.next().unwrap_or(false));
    faces
}

/// Faces that hang together through edges of two faces.
#[derive(Clone, Debug, Default)]
struct Patch {
    faces: Vec<u32>,
    /// Edges that it shares with more faces: their points, the smaller first, and whether it runs from the larger.
    outline: Vec<(u32, u32, bool)>,
}

impl Patch {
    /// Whether another patch of the same edges runs along them all the same way, or all the other way, and there is nothing between
    /// the two, but for rounding.
    fn is_filled_again_by(&self, other: &Self, corners: &[[u32; 3]], positions: &[Vec3]) -> bool {
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
        let share = if self.faces.len() == 2 && other.faces.len() == 2 { QUADRILATERAL } else { POLYGON };
        between.abs() <= 6.0 * share * area.max(other_area).powf(1.5)
    }
}

/// Drops patches that run both ways and end at edges of three or more faces.
fn without_walls(faces: Vec<Face>) -> Vec<Face> {
    let corners: Vec<[u32; 3]> = faces.iter().map(|face| face.corners).collect();
    let edges = Edges::of(&corners);
    let mut sets = DisjointSets::new(faces.len());
    edges.iter().filter(|sides| sides.len() == 2).for_each(|sides| sets.join(sides[0].face, sides[1].face));
    let (patch_of, count) = sets.numbered();
    let mut is_wall = vec![true; count];
    for (face, &patch) in faces.iter().zip(&patch_of) {
        is_wall[patch as usize] &= face.both_ways;
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

    fn distinct(triangles: &[(u32, [u32; 3])]) -> (Vec<Face>, Taken) {
        super::distinct(
            triangles,
            &[Vec3::x(), Vec3::y(), Vec3::z(), Vec3::repeat(1.0), Vec3::zeros(), Vec3::repeat(-1.0)],
        )
    }

    fn numbered(triangles: &[[u32; 3]]) -> Vec<(u32, [u32; 3])> {
        triangles.iter().enumerate().map(|(index, &t)| (index as u32, t)).collect()
    }

    #[test]
    fn copies_leave_the_way_most_run() {
        let (faces, taken) = distinct(&numbered(&[[0, 1, 2], [2, 1, 0], [1, 0, 2], [5, 5, 6], [3, 4, 5], [4, 5, 3]]));
        assert_eq!((taken.degenerate, taken.duplicate), (1, 3));
        assert_eq!(faces.iter().map(|face| face.source).collect::<Vec<_>>(), [1, 4]);
        assert!(faces.iter().all(|face| !face.both_ways));
    }

    #[test]
    fn a_wall_between_two_tetrahedra_goes_and_a_doubled_sheet_stays() {
        let wall = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3], [0, 1, 2], [0, 4, 1], [1, 4, 2], [2, 4, 0]];
        let (faces, _) = distinct(&numbered(&wall));
        assert_eq!(faces.len(), 6);
        let sheet = [[0, 1, 2], [0, 2, 1], [1, 3, 2], [1, 2, 3]];
        let (faces, taken) = distinct(&numbered(&sheet));
        assert_eq!((faces.len(), taken.duplicate), (2, 2));
    }
}
