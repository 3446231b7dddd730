//! Edges of faces and connected components through them.

use craze_math::DisjointSets;

/// One side of a face: its edge, with the lower point first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Side {
    pub low: u32,
    pub high: u32,
    pub face: u32,
    pub backward: bool,
}

/// All sides of all faces, grouped by edge.
pub(super) struct Edges {
    sides: Vec<Side>,
}

impl Edges {
    pub fn of(faces: &[[u32; 3]]) -> Self {
        let mut sides = Vec::with_capacity(3 * faces.len());
        for (face, &[a, b, c]) in faces.iter().enumerate() {
            for (from, to) in [(a, b), (b, c), (c, a)] {
                sides.push(Side { low: from.min(to), high: from.max(to), face: face as u32, backward: from > to });
            }
        }
        sides.sort_unstable();
        Self { sides }
    }

    pub fn iter(&self) -> impl Iterator<Item = &[Side]> {
        self.sides.chunk_by(|one, other| (one.low, one.high) == (other.low, other.high))
    }

    /// Sides of open edges.
    pub fn open_sides(&self) -> impl Iterator<Item = &Side> {
        let is_open = |sides: &&[Side]| sides.len() != 2 * sides.iter().filter(|side| side.backward).count();
        self.iter().filter(is_open).flatten()
    }

    /// Edges not traversed equally often in both directions, with the surplus. They bound the
    /// surface as a chain.
    pub fn rim(&self) -> Vec<RimEdge> {
        let mut rim = Vec::new();
        for sides in self.iter() {
            let backward = sides.iter().filter(|side| side.backward).count() as i32;
            let surplus = sides.len() as i32 - 2 * backward;
            let (from, to) = if surplus > 0 { (sides[0].low, sides[0].high) } else { (sides[0].high, sides[0].low) };
            if surplus != 0 {
                rim.push(RimEdge { from, to, times: surplus.unsigned_abs() });
            }
        }
        rim
    }
}

/// A rim edge, directed as its faces traverse it; `times` is its multiplicity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RimEdge {
    pub from: u32,
    pub to: u32,
    pub times: u32,
}

/// The loop index of each rim edge, and the number of loops.
pub(super) fn loops(rim: &[RimEdge], points: usize) -> (Vec<u32>, usize) {
    let mut sets = DisjointSets::new(points);
    rim.iter().for_each(|edge| sets.join(edge.from, edge.to));
    let mut numbers = vec![u32::MAX; points];
    let mut count = 0;
    let mut of_edges = Vec::with_capacity(rim.len());
    for edge in rim {
        let root = sets.root(edge.from) as usize;
        if numbers[root] == u32::MAX {
            numbers[root] = count;
            count += 1;
        }
        of_edges.push(numbers[root]);
    }
    (of_edges, count as usize)
}
