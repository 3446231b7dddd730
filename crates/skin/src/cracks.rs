//! The faces between shards, each once for both sides.

use craze_math::Vec3;
use craze_spatial::{Aabb, Bvh, closest_on_segment};

use crate::contacts::{Cell, Contacts, NOBODY};
use crate::error::SkinError;

/// The cracks of a body at rest: triangles with a shard on each side. They end at the surface of the body and nowhere else.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cracks {
    /// Where the vertices are (m).
    pub positions: Vec<Vec3>,
    /// Counterclockwise seen from before them.
    pub triangles: Vec<[u32; 3]>,
    /// The shards behind and before each triangle; [`NOBODY`] where matter was taken out.
    pub sides: Vec<[u32; 2]>,
    /// Unit vectors out of the body at its surface; zero within.
    pub(crate) outward: Vec<Vec3>,
    /// Length of the shortest edge at each vertex, at most the mean edge (m).
    pub(crate) reach: Vec<f64>,
    /// Edges at the surface, where the cracks end.
    pub(crate) rim: Vec<[u32; 2]>,
    /// Mean edge of the tetrahedra at cracks (m).
    pub(crate) edge: f64,
}

impl Cracks {
    /// The cracks between shards, `owners` being the shard that every piece counts to.
    pub fn between(contacts: &Contacts, owners: &[u32]) -> Result<Cracks, SkinError> {
        if contacts.uncovered > 0 {
            return Err(SkinError::Uncovered { faces: contacts.uncovered });
        }
        let owner = |piece: u32| owners.get(piece as usize).copied().unwrap_or(NOBODY);
        let parting = contacts.cells.iter().filter(|cell| owner(cell.sides[0]) != owner(cell.sides[1]));
        let cells: Vec<&Cell> = parting.collect();
        let on_edges = on_edges(contacts, &cells);
        let mut cracks = Cracks { edge: contacts.edge, ..Cracks::default() };
        let mut numbers = vec![u32::MAX; contacts.positions.len()];
        for cell in cells {
            let mut border = Vec::new();
            for (index, &from) in cell.corners.iter().enumerate() {
                let to = cell.corners[(index + 1) % cell.corners.len()];
                border.push(from);
                let first = on_edges.partition_point(|on| on.edge < [from.min(to), from.max(to)]);
                let between = on_edges[first..].iter().take_while(|on| on.edge == [from.min(to), from.max(to)]);
                let between = between.map(|on| on.vertex);
                if from < to {
                    border.extend(between);
                } else {
                    border.extend(between.collect::<Vec<_>>().into_iter().rev());
                }
            }
            let border: Vec<u32> =
                border.into_iter().map(|vertex| cracks.number(&mut numbers, contacts, vertex)).collect();
            cracks.fill(&border, cell.sides.map(owner));
        }
        cracks.find_rim()?;
        cracks.measure();
        Ok(cracks)
    }

    fn measure(&mut self) {
        self.reach = vec![self.edge; self.positions.len()];
        for &[a, b, c] in &self.triangles {
            for [from, to] in [[a, b], [b, c], [c, a]].map(|edge| edge.map(|vertex| vertex as usize)) {
                let length = (self.positions[to] - self.positions[from]).norm();
                self.reach[from] = self.reach[from].min(length);
                self.reach[to] = self.reach[to].min(length);
            }
        }
    }

    fn number(&mut self, numbers: &mut [u32], contacts: &Contacts, vertex: u32) -> u32 {
        let number = &mut numbers[vertex as usize];
        if *number == u32::MAX {
            *number = self.positions.len() as u32;
            self.positions.push(contacts.positions[vertex as usize]);
            let outward = contacts.outward[vertex as usize];
            self.outward.push(outward.try_normalize(0.0).unwrap_or_else(Vec3::zeros));
        }
        *number
    }

    /// Adds a convex polygon that may have vertices within its sides: these would give triangles without area, so a point of its own is put
    /// into its middle.
    fn fill(&mut self, border: &[u32], sides: [u32; 2]) {
        if let &[a, b, c] = border {
            self.triangles.push([a, b, c]);
            self.sides.push(sides);
            return;
        }
        let middle = self.positions.len() as u32;
        let sum: Vec3 = border.iter().map(|&vertex| self.positions[vertex as usize]).sum();
        self.positions.push(sum / border.len() as f64);
        self.outward.push(Vec3::zeros());
        for (index, &from) in border.iter().enumerate() {
            self.triangles.push([from, border[(index + 1) % border.len()], middle]);
            self.sides.push(sides);
        }
    }

    /// Finds the edges at which shards are not closed by cracks alone; they must lie at the surface.
    fn find_rim(&mut self) -> Result<(), SkinError> {
        let mut passages: Vec<([u32; 2], u32, i32)> = Vec::with_capacity(6 * self.triangles.len());
        for (&[a, b, c], &[behind, before]) in self.triangles.iter().zip(&self.sides) {
            for [from, to] in [[a, b], [b, c], [c, a]] {
                let (edge, way) = ([from.min(to), from.max(to)], if from < to { 1 } else { -1 });
                passages.extend([(edge, behind, way), (edge, before, -way)]);
            }
        }
        passages.sort_unstable();
        self.rim.clear();
        for shard in passages.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
            if shard.iter().map(|passage| passage.2).sum::<i32>() != 0 {
                self.rim.push(shard[0].0);
            }
        }
        self.rim.dedup();
        let is_inner = |vertex: &u32| self.outward[*vertex as usize] == Vec3::zeros();
        match self.rim.iter().filter(|edge| edge.iter().any(is_inner)).count() {
            0 => Ok(()),
            edges => Err(SkinError::OpenCracks { edges }),
        }
    }
}

/// A vertex within an edge.
#[derive(Clone, Copy, PartialEq)]
struct OnEdge {
    /// The edge, its lower vertex first.
    edge: [u32; 2],
    /// How far along it (1).
    along: f64,
    vertex: u32,
}

/// All vertices of the cells that lie within edges of others, by edges and along them.
fn on_edges(contacts: &Contacts, cells: &[&Cell]) -> Vec<OnEdge> {
    let mut edges: Vec<[u32; 2]> = Vec::new();
    for cell in cells {
        let next = cell.corners.iter().cycle().skip(1);
        edges.extend(cell.corners.iter().zip(next).map(|(&from, &to)| [from.min(to), from.max(to)]));
    }
    edges.sort_unstable();
    edges.dedup();
    let mut vertices: Vec<u32> = edges.iter().flatten().copied().collect();
    vertices.sort_unstable();
    vertices.dedup();
    let position = |vertex: u32| contacts.positions[vertex as usize];
    let tolerance = 2.0 * contacts.tolerance;
    let boxes: Vec<Aabb> = edges.iter().map(|edge| Aabb::around(&edge.map(position)).grown(tolerance)).collect();
    let Ok(tree) = Bvh::build(&boxes) else { return Vec::new() };
    let mut found = Vec::new();
    for vertex in vertices {
        let point = position(vertex);
        tree.within(&point, tolerance, &boxes, |index| {
            let edge = edges[index as usize];
            let [from, to] = edge.map(position);
            let (nearest, along) = closest_on_segment(&point, &from, &to);
            if !edge.contains(&vertex) && (nearest - point).norm() <= tolerance {
                found.push(OnEdge { edge, along, vertex });
            }
        });
    }
    found.sort_by(|one, other| one.edge.cmp(&other.edge).then(one.along.total_cmp(&other.along)));
    found
}
