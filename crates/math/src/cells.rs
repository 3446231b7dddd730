//! Convex cells of a tetrahedron that is cut by any number of linear functions, one after the other.
//!
//! A cell knows its vertices in barycentric coordinates and the combinatorial origin of each: the
//! faces of the tetrahedron that it lies on, and the cuts through it. Two tetrahedra with a common
//! face therefore agree on every vertex of that face, to the bit, if both list their nodes in the
//! same global order: a coordinate that belongs to a face is exactly zero there, and interpolation
//! does not depend on the direction of an edge.

use crate::cut::Part;

/// Value of a cut at a vertex, as a share of its largest value at the nodes about the vertex, up to
/// which the vertex lies on the cut: rounding of nested interpolation.
const ON_CUT: f64 = 1e-12;

/// Cuts that can meet in one vertex.
const MAX_CUTS_AT_VERTEX: usize = 3;

/// A vertex of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellVertex {
    /// Barycentric coordinates; exactly zero for the nodes opposite `faces`.
    pub weights: [f64; 4],
    /// Bit i: the vertex lies on the face opposite node i.
    pub faces: u8,
    /// The cuts that made it, ascending, without a repetition; the rest are `u32::MAX`. Cuts that
    /// pass through an existing vertex are not listed.
    pub cuts: [u32; MAX_CUTS_AT_VERTEX],
}

/// What bounds a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellSide {
    /// The face of the tetrahedron opposite a node.
    Face(u8),
    /// A cut.
    Cut(u32),
}

/// A facet of a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct CellFacet {
    /// What it lies on.
    pub side: CellSide,
    /// Vertices, counter-clockwise from outside if the nodes of the tetrahedron are positively
    /// oriented.
    pub vertices: Vec<u16>,
}

/// A convex cell of a tetrahedron.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Vertices.
    pub vertices: Vec<CellVertex>,
    /// Facets.
    pub facets: Vec<CellFacet>,
}

/// What a cut does to a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum CellSplit {
    /// The whole cell is on the positive side, or touches the cut from there.
    Positive,
    /// The whole cell is on the negative side.
    Negative,
    /// The parts on the positive and on the negative side.
    Both(Cell, Cell),
}

impl CellVertex {
    /// The value at the vertex of the linear function with these values at the nodes.
    fn value(&self, levels: &[f64; 4]) -> f64 {
        let mut largest: f64 = 0.0;
        let mut value = 0.0;
        for (node, (weight, level)) in self.weights.iter().zip(levels).enumerate() {
            if self.faces >> node & 1 == 0 {
                largest = largest.max(level.abs());
                value += weight * level;
            }
        }
        if value.abs() <= ON_CUT * largest { 0.0 } else { value }
    }

    /// The vertex where a cut crosses the edge to another vertex. The values have different signs.
    fn crossing(&self, value: f64, other: &CellVertex, other_value: f64, cut: u32) -> CellVertex {
        let (near, far) = (value.abs(), other_value.abs());
        let total = near + far;
        let weights = std::array::from_fn(|node| {
            // The sum of the two products is the same for both directions.
            (self.weights[node] * far + other.weights[node] * near) / total
        });
        let mut cuts = [u32::MAX; MAX_CUTS_AT_VERTEX];
        let common = self.cuts.iter().filter(|cut| **cut != u32::MAX && other.cuts.contains(cut));
        for (slot, cut) in cuts.iter_mut().zip(common.chain([&cut])) {
            *slot = *cut;
        }
        cuts.sort_unstable();
        CellVertex { weights, faces: self.faces & other.faces, cuts }
    }
}

impl Cell {
    /// The whole tetrahedron.
    pub fn tetrahedron() -> Cell {
        let vertex = |node: usize| {
            let mut weights = [0.0; 4];
            weights[node] = 1.0;
            CellVertex { weights, faces: 0b1111 & !(1 << node), cuts: [u32::MAX; MAX_CUTS_AT_VERTEX] }
        };
        let facets = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];
        let facet = |(face, loop_): (u8, [u16; 3])| CellFacet { side: CellSide::Face(face), vertices: loop_.to_vec() };
        Cell { vertices: (0..4).map(vertex).collect(), facets: (0..).zip(facets).map(facet).collect() }
    }

    /// Cuts the cell by the linear function with these values at the nodes (any unit). Vertices with
    /// value zero belong to both parts.
    pub fn split(&self, cut: u32, levels: &[f64; 4]) -> CellSplit {
        let values: Vec<f64> = self.vertices.iter().map(|vertex| vertex.value(levels)).collect();
        if values.iter().all(|value| *value >= 0.0) {
            return CellSplit::Positive;
        }
        if values.iter().all(|value| *value <= 0.0) {
            return CellSplit::Negative;
        }
        let mut vertices = self.vertices.clone();
        let mut crossings: Vec<([u16; 2], u16)> = Vec::new();
        let mut sides: [Vec<CellFacet>; 2] = Default::default();
        for facet in &self.facets {
            let mut loops: [Vec<u16>; 2] = Default::default();
            for (index, &from) in facet.vertices.iter().enumerate() {
                let to = facet.vertices[(index + 1) % facet.vertices.len()];
                let (value, next) = (values[usize::from(from)], values[usize::from(to)]);
                if value >= 0.0 {
                    loops[0].push(from);
                }
                if value <= 0.0 {
                    loops[1].push(from);
                }
                if value * next < 0.0 {
                    let edge = [from.min(to), from.max(to)];
                    let known = crossings.iter().find(|(other, _)| *other == edge).map(|(_, vertex)| *vertex);
                    let crossing = known.unwrap_or_else(|| {
                        let [one, other] = edge.map(usize::from);
                        let vertex =
                            self.vertices[one].crossing(values[one], &self.vertices[other], values[other], cut);
                        vertices.push(vertex);
                        let number = vertices.len() as u16 - 1;
                        crossings.push((edge, number));
                        number
                    });
                    loops.iter_mut().for_each(|side| side.push(crossing));
                }
            }
            for (side, vertices) in sides.iter_mut().zip(loops) {
                if vertices.len() > 2 {
                    side.push(CellFacet { side: facet.side, vertices });
                }
            }
        }
        let [positive, negative] = sides.map(|facets| close(&vertices, facets, cut));
        CellSplit::Both(positive, negative)
    }

    /// Volume and integrals of shape functions over the cell, for a tetrahedron of volume one.
    pub fn moments(&self) -> Part<4> {
        let mut part = Part::EMPTY;
        for facet in self.facets.iter().filter(|facet| !facet.vertices.contains(&0)) {
            for pair in facet.vertices[1..].windows(2) {
                let corners = [0, facet.vertices[0], pair[0], pair[1]];
                let corners = corners.map(|corner| self.vertices[usize::from(corner)].weights);
                part.add(volume_share(&corners), corners);
            }
        }
        part
    }

    /// Area of a facet on a face of the tetrahedron, as a share of that face.
    pub fn face_share(&self, facet: &CellFacet) -> f64 {
        let CellSide::Face(face) = facet.side else { return 0.0 };
        let weights: Vec<[f64; 4]> =
            facet.vertices.iter().map(|&vertex| self.vertices[usize::from(vertex)].weights).collect();
        polygon_share(face, &weights)
    }
}

/// Area of a convex polygon on the face opposite node `face`, as a share of the face.
pub fn polygon_share(face: u8, weights: &[[f64; 4]]) -> f64 {
    let axes = [0u8, 1, 2, 3].into_iter().filter(|&node| node != face).take(2);
    let [a, b] = { axes.map(usize::from).collect::<Vec<_>>() }[..] else { return 0.0 };
    let Some(first) = weights.first() else { return 0.0 };
    let mut sum = 0.0;
    for pair in weights.windows(2) {
        let edge = |point: &[f64; 4]| [point[a] - first[a], point[b] - first[b]];
        let (one, other) = (edge(&pair[0]), edge(&pair[1]));
        sum += one[0] * other[1] - one[1] * other[0];
    }
    sum.abs()
}

/// Clips a convex polygon on a face of the tetrahedron to the side of a cut on which the linear
/// function with these values at the nodes is positive, or to the other side.
pub fn clip_polygon(weights: &mut Vec<[f64; 4]>, levels: &[f64; 4], sign: f64) {
    let value = |point: &[f64; 4]| sign * point.iter().zip(levels).map(|(weight, level)| weight * level).sum::<f64>();
    let mut clipped = Vec::with_capacity(weights.len() + 1);
    for (index, point) in weights.iter().enumerate() {
        let next = &weights[(index + 1) % weights.len()];
        let (here, there) = (value(point), value(next));
        if here >= 0.0 {
            clipped.push(*point);
        }
        if here * there < 0.0 {
            let share = here / (here - there);
            clipped.push(std::array::from_fn(|node| point[node] + share * (next[node] - point[node])));
        }
    }
    *weights = clipped;
}

/// Volume of the simplex with these barycentric corners, as a share of the tetrahedron.
fn volume_share(corners: &[[f64; 4]; 4]) -> f64 {
    let [a, b, c, d] = corners;
    let row = |point: &[f64; 4]| [point[1] - a[1], point[2] - a[2], point[3] - a[3]];
    let (b, c, d) = (row(b), row(c), row(d));
    let determinant =
        b[0] * (c[1] * d[2] - c[2] * d[1]) - b[1] * (c[0] * d[2] - c[2] * d[0]) + b[2] * (c[0] * d[1] - c[1] * d[0]);
    determinant.abs()
}

/// Adds the facet on the cut to the facets of one side, and leaves out vertices of the other.
fn close(vertices: &[CellVertex], mut facets: Vec<CellFacet>, cut: u32) -> Cell {
    let edges = |facet: &CellFacet| {
        let count = facet.vertices.len();
        let vertices = facet.vertices.clone();
        (0..count).map(move |index| [vertices[index], vertices[(index + 1) % count]])
    };
    let all: Vec<[u16; 2]> = facets.iter().flat_map(edges).collect();
    let mut open: Vec<[u16; 2]> =
        all.iter().filter(|[from, to]| !all.contains(&[*to, *from])).map(|&[from, to]| [to, from]).collect();
    let mut around = Vec::with_capacity(open.len());
    if let Some([first, mut next]) = open.pop() {
        around.push(first);
        while next != first {
            around.push(next);
            let Some(index) = open.iter().position(|[from, _]| *from == next) else { break };
            next = open.swap_remove(index)[1];
        }
    }
    if around.len() > 2 {
        facets.push(CellFacet { side: CellSide::Cut(cut), vertices: around });
    }
    let mut numbers = vec![u16::MAX; vertices.len()];
    let mut kept = Vec::new();
    for vertex in facets.iter_mut().flat_map(|facet| &mut facet.vertices) {
        let number = &mut numbers[usize::from(*vertex)];
        if *number == u16::MAX {
            *number = kept.len() as u16;
            kept.push(vertices[usize::from(*vertex)]);
        }
        *vertex = *number;
    }
    Cell { vertices: kept, facets }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cut::cut_tetrahedron;
    use crate::testing::Matrices;
    use crate::tetrahedron;

    fn levels(numbers: &mut Matrices) -> [f64; 4] {
        [(); 4].map(|()| numbers.number())
    }

    fn cut_all(cells: Vec<Cell>, cut: u32, levels: &[f64; 4]) -> Vec<Cell> {
        let split = |cell: Cell| match cell.split(cut, levels) {
            CellSplit::Both(positive, negative) => vec![positive, negative],
            _ => vec![cell],
        };
        cells.into_iter().flat_map(split).collect()
    }

    fn is_closed(cell: &Cell) -> bool {
        let edge = |facet: &CellFacet| {
            let loop_ = facet.vertices.clone();
            (0..loop_.len()).map(move |index| [loop_[index], loop_[(index + 1) % loop_.len()]])
        };
        let edges: Vec<[u16; 2]> = cell.facets.iter().flat_map(edge).collect();
        edges.iter().all(|[from, to]| edges.iter().filter(|edge| **edge == [*to, *from]).count() == 1)
            && cell.vertices.len() + cell.facets.len() == edges.len() / 2 + 2
    }

    #[test]
    fn one_cut_agrees_with_the_closed_form() {
        let mut numbers = Matrices::new(31);
        for _ in 0..2000 {
            let levels = levels(&mut numbers);
            let CellSplit::Both(positive, negative) = Cell::tetrahedron().split(0, &levels) else { continue };
            let expected = cut_tetrahedron(1.0, &levels);
            for (cell, part) in [(&positive, &expected.positive), (&negative, &expected.negative)] {
                let moments = cell.moments();
                assert!((moments.measure - part.measure).abs() < 1e-14);
                for (found, expected) in moments.second.iter().flatten().zip(part.second.iter().flatten()) {
                    assert!((found - expected).abs() < 1e-14, "{levels:?}");
                }
            }
        }
    }

    #[test]
    fn many_cuts_leave_closed_cells_that_fill_the_tetrahedron() {
        let mut numbers = Matrices::new(32);
        let whole = tetrahedron::second_moments(1.0);
        let mut most = 0;
        for _ in 0..200 {
            let mut cells = vec![Cell::tetrahedron()];
            for cut in 0..6 {
                cells = cut_all(cells, cut, &levels(&mut numbers));
            }
            most = most.max(cells.len());
            assert!(cells.iter().all(is_closed));
            for i in 0..4 {
                for j in 0..4 {
                    let sum: f64 = cells.iter().map(|cell| cell.moments().second[i][j]).sum();
                    assert!((sum - whole[i][j]).abs() < 1e-14);
                }
            }
        }
        assert!(most > 15, "{most}");
    }

    #[test]
    fn cuts_through_nodes_edges_and_each_other_stay_closed() {
        // Through a node; through an edge; the second through the line in which the first meets a
        // face; three through one line.
        let families: [&[[f64; 4]]; 4] = [
            &[[0.0, -1.0, -2.0, 3.0]],
            &[[0.0, 0.0, -1.0, 1.0], [1.0, -1.0, 0.0, 0.0]],
            &[[1.0, -1.0, -1.0, 1.0], [1.0, -1.0, -1.0, -1.0]],
            &[[1.0, -1.0, 1.0, -1.0], [1.0, -1.0, -1.0, 1.0], [2.0, -2.0, 0.0, 0.0]],
        ];
        for family in families {
            let mut cells = vec![Cell::tetrahedron()];
            for (cut, levels) in (0..).zip(family) {
                cells = cut_all(cells, cut, levels);
            }
            assert!(cells.len() > family.len() && cells.iter().all(is_closed), "{family:?}: {}", cells.len());
            let volume: f64 = cells.iter().map(|cell| cell.moments().measure).sum();
            assert!((volume - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn a_coincident_cut_and_one_that_only_touches_do_not_split() {
        let levels = [0.3, -0.7, 0.2, -0.1];
        let cells = cut_all(vec![Cell::tetrahedron()], 0, &levels);
        assert_eq!(cut_all(cells.clone(), 1, &levels.map(|level| -3.0 * level)).len(), 2);
        assert_eq!(Cell::tetrahedron().split(0, &[0.0, 0.0, 0.0, 1.0]), CellSplit::Positive);
        assert_eq!(Cell::tetrahedron().split(0, &[0.0, -1.0, 0.0, -1.0]), CellSplit::Negative);
    }

    #[test]
    fn slivers_keep_their_relative_accuracy() {
        for size in [1e-3, 1e-5, 1e-7] {
            // The corner at node 0 is cut off at this share of each edge.
            let levels = [size, size - 1.0, size - 1.0, size - 1.0];
            let CellSplit::Both(corner, _) = Cell::tetrahedron().split(0, &levels) else { panic!("it cuts") };
            let share = corner.moments().measure / size.powi(3);
            assert!((share - 1.0).abs() < 1e-9, "{share}");
        }
    }

    #[test]
    fn tetrahedra_with_a_common_face_agree_on_its_vertices_to_the_bit() {
        let mut numbers = Matrices::new(33);
        for _ in 0..100 {
            let cuts: Vec<[f64; 4]> = (0..4).map(|_| levels(&mut numbers)).collect();
            // The face of nodes 0, 1, 2; the fourth node has other values on the other side.
            let on_face = |last: f64| {
                let mut cells = vec![Cell::tetrahedron()];
                for (cut, levels) in (0..).zip(&cuts) {
                    cells = cut_all(cells, cut, &[levels[0], levels[1], levels[2], last * levels[3]]);
                }
                let mut found: Vec<[u64; 4]> = Vec::new();
                for vertex in cells.iter().flat_map(|cell| &cell.vertices).filter(|vertex| vertex.faces >> 3 & 1 == 1) {
                    found.push(vertex.weights.map(f64::to_bits));
                }
                found.sort_unstable();
                found.dedup();
                found
            };
            assert_eq!(on_face(1.0), on_face(-0.4));
        }
    }

    #[test]
    fn polygons_are_clipped_to_their_share_of_a_face() {
        let mut polygon = vec![[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
        assert_eq!(polygon_share(3, &polygon), 1.0);
        clip_polygon(&mut polygon, &[0.25, -0.75, -0.75, 9.0], 1.0);
        assert!((polygon_share(3, &polygon) - 1.0 / 16.0).abs() < 1e-15);
        clip_polygon(&mut polygon, &[1.0, 1.0, 1.0, 1.0], -1.0);
        assert!(polygon.is_empty());
    }
}
