//! Inner points: a hexagonal lattice where the target edge length is uniform, circumcentres
//! elsewhere.

use super::chains::Chains;
use super::error::{ChainName, DelaunayError};
use super::sizing::Sizing;
use super::{InnerPoints, Point};
use crate::mesh::TriMesh;
use crate::tuning::{
    MAX_CIRCUMRADIUS, MAX_TRIANGLES, MIN_CIRCUMCENTRE_DISTANCE, MIN_GIVEN_DISTANCE, MIN_LATTICE_DISTANCE,
};
use craze_math::Vec3;
use spade::handles::{FixedFaceHandle, InnerTag};
use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation as _};
use std::collections::BinaryHeap;

type Face = FixedFaceHandle<InnerTag>;
type Cdt = ConstrainedDelaunayTriangulation<Point2<f64>>;

pub(super) struct Filled {
    /// The triangles; slits are still closed.
    pub(super) mesh: TriMesh,
    pub(super) sizing: Sizing,
    pub(super) constraints: Vec<[u32; 2]>,
    /// The first vertices up to this number must not move.
    pub(super) fixed: usize,
}

pub(super) fn fill(chains: &Chains, inner: Option<InnerPoints>) -> Result<Filled, DelaunayError> {
    let sizing = chains.sizing();
    let mut fixed = chains.points.len();
    let mut points = chains.points.clone();
    match inner {
        Some(InnerPoints::Fixed(inner)) => {
            points.extend(well_inside(chains, inner));
            fixed = points.len();
        }
        Some(InnerPoints::Smoothed(inner)) => points.extend(well_inside(chains, inner)),
        None => points.extend(lattice(chains, &sizing)),
    }
    let unfilled = DelaunayError::Unfilled { expected: chains.area, found: 0.0 };
    // spade rejects tiny coordinates: they become zero.
    let size = points.iter().flatten().fold(0.0f64, |size, c| size.max(c.abs()));
    let flush_tiny = |c: f64| if c.abs() < 1e-30 * size { 0.0 } else { c };
    let vertices: Vec<Point2<f64>> = points.iter().map(|&[x, y]| Point2::new(flush_tiny(x), flush_tiny(y))).collect();
    let edges = chains.pieces.iter().map(|(ends, _)| ends.map(|end| end as usize)).collect();
    let mut conflicts = 0;
    let mut cdt = match Cdt::try_bulk_load_cdt(vertices, edges, |_| conflicts += 1) {
        Ok(cdt) if conflicts == 0 && cdt.num_vertices() == points.len() => cdt,
        _ => return Err(unfilled),
    };
    let constraints = chains.edges_of(|_| true);
    let closed_chains = chains.edges_of(|chain| matches!(chain, ChainName::Outline | ChainName::Hole(_)));
    if cdt.num_constraints() != constraints.len() {
        return Err(unfilled);
    }
    let to_fill = inside(&cdt, &closed_chains);
    add_circumcentres(&mut cdt, &sizing, &to_fill);
    let kept = inside(&cdt, &closed_chains);
    let triangles: Vec<[u32; 3]> = (cdt.inner_faces().zip(kept))
        .filter(|&(_, inside)| inside)
        .map(|(face, _)| face.vertices().map(|vertex| vertex.fix().index() as u32))
        .collect();
    let positions: Vec<Vec3> = cdt
        .vertices()
        .enumerate()
        .map(|(index, vertex)| match points.get(index) {
            Some(&[x, y]) => Vec3::new(x, y, 0.0),
            None => Vec3::new(vertex.position().x, vertex.position().y, 0.0),
        })
        .collect();
    Ok(Filled { mesh: TriMesh::from_parts(positions, triangles)?, sizing, constraints, fixed })
}

/// The given points that lie inside the domain, half a target length or more from its boundary and
/// lines.
fn well_inside<'a>(chains: &'a Chains, given: &'a [Point]) -> impl Iterator<Item = Point> + 'a {
    let segments: Vec<([Point; 2], bool)> = (chains.pieces.iter())
        .map(|(ends, chain)| {
            let is_boundary = matches!(chain, ChainName::Outline | ChainName::Hole(_));
            (ends.map(|end| chains.points[end as usize]), is_boundary)
        })
        .collect();
    let is_well_inside = move |&[u, v]: &Point| {
        let mut crossings = 0;
        for &([[x, y], [p, q]], is_boundary) in &segments {
            let (across, up) = (p - x, q - y);
            let share = (((u - x) * across + (v - y) * up) / (across * across + up * up)).clamp(0.0, 1.0);
            if (u - x - share * across).hypot(v - y - share * up) < MIN_GIVEN_DISTANCE * chains.edge {
                return false;
            }
            crossings += usize::from(is_boundary && (y > v) != (q > v) && u < (p - x) * (v - y) / (q - y) + x);
        }
        crossings % 2 == 1
    };
    given.iter().copied().filter(is_well_inside)
}

/// Points of a hexagonal lattice inside the domain, where the target length is uniform and the
/// chains are far enough.
fn lattice(chains: &Chains, sizing: &Sizing) -> Vec<Point> {
    let edge = chains.edge;
    let mut low = [f64::INFINITY; 2];
    let mut high = [f64::NEG_INFINITY; 2];
    for point in &chains.points {
        for axis in 0..2 {
            low[axis] = low[axis].min(point[axis]);
            high[axis] = high[axis].max(point[axis]);
        }
    }
    let closed_chains: Vec<[Point; 2]> = (chains.pieces.iter())
        .filter(|(_, chain)| matches!(chain, ChainName::Outline | ChainName::Hole(_)))
        .map(|(ends, _)| {
            let [a, b] = ends.map(|end| chains.points[end as usize]);
            if a[1] <= b[1] { [a, b] } else { [b, a] }
        })
        .collect();
    // Rows and columns divide the bounding box evenly, close to the target length, so that the
    // lattice fits opposite sides alike.
    let rows = ((high[1] - low[1]) / (edge * 0.75f64.sqrt())).round().max(1.0);
    let height = (high[1] - low[1]) / rows;
    let steps = ((high[0] - low[0]) / edge).round().max(1.0);
    let width = (high[0] - low[0]) / steps;
    let mut crossings: Vec<Vec<f64>> = vec![Vec::new(); rows as usize + 1];
    for [a, b] in closed_chains {
        let first = ((a[1] - low[1]) / height).ceil().max(0.0) as usize;
        for (row, row_crossings) in crossings.iter_mut().enumerate().skip(first) {
            let y = low[1] + row as f64 * height;
            if y >= b[1] {
                break;
            }
            if y >= a[1] {
                row_crossings.push(a[0] + (b[0] - a[0]) * (y - a[1]) / (b[1] - a[1]));
            }
        }
    }
    let mut points = Vec::new();
    for (row, row_crossings) in crossings.iter_mut().enumerate() {
        row_crossings.sort_by(f64::total_cmp);
        let start = low[0] + if row % 2 == 1 { 0.5 * width } else { 0.0 };
        for pair in row_crossings.chunks_exact(2) {
            let first = ((pair[0] - start) / width).ceil().max(0.0) as usize;
            for step in first.. {
                let point = [start + step as f64 * width, low[1] + row as f64 * height];
                if !(point[0] < pair[1]) {
                    break;
                }
                if sizing.distance(point, edge) >= MIN_LATTICE_DISTANCE * edge && sizing.at(point) > 0.97 * edge {
                    points.push(point);
                }
            }
        }
    }
    points
}

/// For each inner face, whether it is inside the domain: starting from the outside, each closed
/// chain changes the side.
fn inside(cdt: &Cdt, closed_chains: &[[u32; 2]]) -> Vec<bool> {
    // Face 0 is the outer face.
    let mut side: Vec<Option<bool>> = vec![None; cdt.num_all_faces()];
    side[0] = Some(false);
    let mut queue = vec![];
    let is_boundary = |ends: [usize; 2]| {
        let [a, b] = ends.map(|end| end as u32);
        closed_chains.binary_search(&[a.min(b), a.max(b)]).is_ok()
    };
    for edge in cdt.convex_hull() {
        queue.push((edge.rev().face().fix(), is_boundary([edge.from().fix().index(), edge.to().fix().index()])));
    }
    while let Some((face, inside)) = queue.pop() {
        if side[face.index()].is_some() {
            continue;
        }
        side[face.index()] = Some(inside);
        let Some(face) = cdt.face(face).as_inner() else { continue };
        for edge in face.adjacent_edges() {
            let behind = edge.rev().face().fix();
            if side[behind.index()].is_none() {
                let crosses = is_boundary([edge.from().fix().index(), edge.to().fix().index()]);
                queue.push((behind, inside != crosses));
            }
        }
    }
    cdt.fixed_inner_faces().map(|face| side[face.index()] == Some(true)).collect()
}

#[derive(PartialEq)]
struct Candidate {
    excess: f64,
    face: Face,
    vertices: [usize; 3],
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.excess.total_cmp(&other.excess).then(other.vertices.cmp(&self.vertices))
    }
}

/// Inserts circumcentres of triangles that are too large for the local target length. No other
/// point is in the circumcircle, which keeps a minimum distance between points.
fn add_circumcentres(cdt: &mut Cdt, sizing: &Sizing, inside: &[bool]) {
    let candidate = |cdt: &Cdt, face: Face| {
        let inner = cdt.face(face);
        let (centre, square) = inner.circumcircle();
        let excess = square.sqrt() / sizing.at([centre.x, centre.y]);
        let vertices = inner.vertices().map(|vertex| vertex.fix().index());
        (excess > MAX_CIRCUMRADIUS).then_some(Candidate { excess, face, vertices })
    };
    let mut queue: BinaryHeap<Candidate> = (cdt.fixed_inner_faces().zip(inside))
        .filter(|(_, inside)| **inside)
        .filter_map(|(face, _)| candidate(cdt, face))
        .collect();
    let mut remaining = MAX_TRIANGLES as usize;
    while let Some(next) = queue.pop() {
        // Insertion never removes faces, but a face may have other vertices now.
        let face = cdt.face(next.face);
        if face.vertices().map(|vertex| vertex.fix().index()) != next.vertices {
            continue;
        }
        let (centre, middle) = (face.circumcenter(), face.center());
        let target = sizing.at([centre.x, centre.y]);
        if sizing.distance([centre.x, centre.y], target) < MIN_CIRCUMCENTRE_DISTANCE * target
            || cdt.intersects_constraint(middle, centre)
        {
            continue;
        }
        let before = cdt.num_vertices();
        let Ok(vertex) = cdt.insert(centre) else { continue };
        remaining -= 1;
        if cdt.num_vertices() == before || remaining == 0 {
            continue;
        }
        let around = cdt.vertex(vertex).out_edges().filter_map(|edge| Some(edge.face().as_inner()?.fix()));
        queue.extend(around.filter_map(|face| candidate(cdt, face)));
    }
}
