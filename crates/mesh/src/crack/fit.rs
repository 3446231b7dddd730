//! Makes a mesh fit cracks: their planes and fronts become faces and edges.

use super::{CrackError, FlatCrack};
use crate::facet::Facet;
use crate::id::{NodeId, TetId};
use crate::mesh::TetMesh;
use crate::quality::TETRAHEDRON_EDGES;
use crate::tuning::{CRACK_SNAP, CRACK_SNAP_CORNER, CRACK_THINNEST, SURFACE_KINK_SINE};
use craze_math::Vec3;

/// Distance (relative to the size of the mesh) within which a node is in a plane or on a front.
const ON_PLANE: f64 = 1e-10;

/// A mesh that is being fitted to cracks.
pub(super) struct Fitted {
    pub mesh: TetMesh,
    /// The original element that each element is part of.
    pub parents: Vec<u32>,
    /// Cracks in the plane of which each node lies, ascending.
    pub planes_of: Vec<Vec<u32>>,
    /// Largest distance of a node from a plane that it lies in (m).
    tolerance: f64,
}

impl Fitted {
    pub fn new(mesh: TetMesh) -> Fitted {
        let points = mesh.positions();
        let extent = points.iter().fold(Vec3::repeat(f64::NEG_INFINITY), |all, point| all.sup(point))
            - points.iter().fold(Vec3::repeat(f64::INFINITY), |all, point| all.inf(point));
        Fitted {
            parents: (0..mesh.element_count() as u32).collect(),
            planes_of: vec![Vec::new(); mesh.point_count()],
            tolerance: ON_PLANE * extent.amax(),
            mesh,
        }
    }

    /// Makes faces in the plane of a crack and edges along its front. Nodes stay in the planes of
    /// earlier cracks.
    pub fn fit(&mut self, index: usize, crack: &FlatCrack, earlier: &[FlatCrack]) -> Result<(), CrackError> {
        self.snap_to_plane(crack, earlier);
        self.mark(index, crack);
        self.split_at_plane(index, crack)?;
        self.snap_to_front(index, crack, earlier);
        self.split_at_front(index, crack)?;
        self.split_ears(index, crack)
    }

    /// Returns true if a node lies in the plane of a crack, in the part that was fitted.
    pub fn is_in_plane(&self, node: NodeId, crack: usize) -> bool {
        self.planes_of[node.index()].binary_search(&(crack as u32)).is_ok()
    }

    /// True if a crack's front is within this distance (m) of a point in its plane, or the point is
    /// within the crack.
    fn is_near(crack: &FlatCrack, point: &Vec3, distance: f64) -> bool {
        crack.distance(point) < distance
    }

    /// Elements that the plane crosses or touches near the crack.
    fn near_elements(&self, crack: &FlatCrack) -> Vec<TetId> {
        let is_hit = |element: &TetId| {
            let corners = self.mesh.corners(*element);
            let heights = corners.map(|corner| crack.height(&corner));
            let [low, high] = [
                heights.iter().copied().fold(f64::INFINITY, f64::min),
                heights.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            ];
            let longest = longest_edge(&corners);
            // A node that would be moved into the plane counts as touched.
            let near = CRACK_SNAP * longest;
            low <= near && high >= -near && corners.iter().any(|corner| Self::is_near(crack, corner, 1.5 * longest))
        };
        self.mesh.element_ids().filter(is_hit).collect()
    }

    /// Moves nodes near the plane into it, the nearest first.
    fn snap_to_plane(&mut self, crack: &FlatCrack, earlier: &[FlatCrack]) {
        let mut nodes: Vec<NodeId> =
            self.near_elements(crack).into_iter().flat_map(|element| self.mesh.points_of(element)).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let mut moves: Vec<(f64, NodeId)> = nodes
            .into_iter()
            .filter_map(|node| {
                let height = crack.height(&self.mesh.position(node)).abs();
                let share = height / self.shortest_edge(node);
                (height > self.tolerance && share < CRACK_SNAP).then_some((share, node))
            })
            .collect();
        moves.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        for (_, node) in moves {
            let position = self.mesh.position(node);
            let directions = self.constraints(node, earlier);
            if let Some(shift) = shift_along(&crack.normal(), -crack.height(&position), &directions) {
                self.move_if_sound(node, position + shift, CRACK_SNAP);
            }
        }
    }

    /// Notes which nodes lie in the plane, near the crack.
    fn mark(&mut self, index: usize, crack: &FlatCrack) {
        for element in self.near_elements(crack) {
            for node in self.mesh.points_of(element) {
                let is_new =
                    crack.height(&self.mesh.position(node)).abs() <= self.tolerance && !self.is_in_plane(node, index);
                if is_new {
                    self.planes_of[node.index()].push(index as u32);
                }
            }
        }
    }

    /// Splits the edges that cross the plane near the crack.
    fn split_at_plane(&mut self, index: usize, crack: &FlatCrack) -> Result<(), CrackError> {
        let mut crossing = Vec::new();
        for element in self.near_elements(crack) {
            let corners = self.mesh.corners(element);
            let points = self.mesh.points_of(element);
            let height = |corner: usize| {
                if self.is_in_plane(points[corner], index) { 0.0 } else { crack.height(&corners[corner]) }
            };
            let cut = |[a, b]: [usize; 2]| {
                let (a, b, start, end) = (height(a), height(b), corners[a], corners[b]);
                (a * b < 0.0).then(|| start + (end - start) * (a / (a - b)))
            };
            let cuts = TETRAHEDRON_EDGES.map(|edge| (edge, cut(edge)));
            let longest = longest_edge(&corners);
            let in_plane = (0..4).filter(|&corner| height(corner) == 0.0).map(|corner| corners[corner]);
            let mut hits = cuts.iter().filter_map(|(_, cut)| *cut).chain(in_plane);
            if !hits.any(|hit| Self::is_near(crack, &hit, longest)) {
                continue;
            }
            for ([a, b], cut) in cuts {
                if cut.is_some() {
                    crossing
                        .push(([points[a].min(points[b]), points[a].max(points[b])], (corners[a] - corners[b]).norm()));
                }
            }
        }
        self.split(index, crossing, |mesh, [a, b]| {
            let (a, b) = (crack.height(&mesh.position(a)), crack.height(&mesh.position(b)));
            a / (a - b)
        })
    }

    /// Moves nodes of the plane near the front onto it, the nearest first; corners of the outline
    /// before.
    fn snap_to_front(&mut self, index: usize, crack: &FlatCrack, earlier: &[FlatCrack]) {
        let nodes: Vec<NodeId> = self.mesh.point_ids().filter(|&node| self.is_in_plane(node, index)).collect();
        let mut constrained_by = earlier.to_vec();
        constrained_by.push(crack.clone());
        for corner in crack.corners() {
            let distance = |node: &NodeId| (self.mesh.position(*node) - corner).norm();
            let Some(&node) = nodes.iter().min_by(|one, other| distance(one).total_cmp(&distance(other))) else {
                continue;
            };
            let position = self.mesh.position(node);
            let directions = self.constraints(node, &constrained_by);
            let shift = corner - position;
            let is_free = directions.iter().all(|direction| direction.dot(&shift).abs() <= self.tolerance);
            if is_free {
                self.move_if_sound(node, corner, CRACK_SNAP_CORNER);
            }
        }
        let mut moves: Vec<(f64, NodeId)> = nodes
            .into_iter()
            .filter_map(|node| {
                let distance = crack.distance(&self.mesh.position(node)).abs();
                let share = distance / self.shortest_edge(node);
                (distance > self.tolerance && share < CRACK_SNAP).then_some((share, node))
            })
            .collect();
        moves.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        for (_, node) in moves {
            let directions = self.constraints(node, &constrained_by);
            let mut position = self.mesh.position(node);
            // The front may be curved: Newton's method.
            for _ in 0..4 {
                let Some(shift) = shift_along(&crack.outward(&position), -crack.distance(&position), &directions)
                else {
                    break;
                };
                position += shift;
            }
            if crack.distance(&position).abs() <= self.tolerance {
                self.move_if_sound(node, position, 1.5 * CRACK_SNAP);
            }
        }
    }

    /// Splits edges in the plane that cross the front.
    fn split_at_front(&mut self, index: usize, crack: &FlatCrack) -> Result<(), CrackError> {
        let mut crossing = Vec::new();
        for element in self.mesh.element_ids() {
            let points = self.mesh.points_of(element);
            for [a, b] in TETRAHEDRON_EDGES {
                let ends = [points[a].min(points[b]), points[a].max(points[b])];
                if ends.iter().any(|&node| !self.is_in_plane(node, index)) {
                    continue;
                }
                let [a, b] = ends.map(|node| self.front_distance(crack, &self.mesh.position(node)));
                if a * b < 0.0 {
                    let length = (self.mesh.position(ends[0]) - self.mesh.position(ends[1])).norm();
                    crossing.push((ends, length));
                }
            }
        }
        self.split(index, crossing, |mesh, ends| {
            let [start, end] = ends.map(|node| mesh.position(node));
            let is_inside = |share: f64| crack.distance(&(start + share * (end - start))) < 0.0;
            let (mut low, mut high) = (0.0, 1.0);
            let first = is_inside(0.0);
            for _ in 0..52 {
                let middle = 0.5 * (low + high);
                if is_inside(middle) == first { low = middle } else { high = middle }
            }
            0.5 * (low + high)
        })
    }

    /// Splits the inner edge of faces with all corners on the front: without a node within the
    /// crack they could not open.
    fn split_ears(&mut self, index: usize, crack: &FlatCrack) -> Result<(), CrackError> {
        let mut inner = Vec::new();
        for element in self.mesh.element_ids() {
            for corner in (0..4).filter(|&corner| self.mesh.neighbour(element, corner).is_some()) {
                let [Some(a), Some(b), Some(c)] = self.mesh.facet_points(Facet::new(element, corner)) else { continue };
                let is_on_front = |node: &NodeId| {
                    self.is_in_plane(*node, index) && self.front_distance(crack, &self.mesh.position(*node)) == 0.0
                };
                if ![a, b, c].iter().all(is_on_front) {
                    continue;
                }
                let edges = [[a, b], [b, c], [c, a]].map(|[start, end]| {
                    let [from, to] = [start, end].map(|node| self.mesh.position(node));
                    let depth = -crack.distance(&(0.5 * (from + to)));
                    (depth, [start.min(end), start.max(end)], (to - from).norm())
                });
                let deepest = edges.into_iter().max_by(|one, other| one.0.total_cmp(&other.0));
                // A chord of a curved front is hardly deeper than the front.
                let deepest = deepest.filter(|(depth, _, length)| *depth > 0.1 * length);
                inner.extend(deepest.map(|(_, ends, length)| (ends, length)));
            }
        }
        self.split(index, inner, |_, _| 0.5)
    }

    /// Distance from the front (m), 0 on it.
    pub fn front_distance(&self, crack: &FlatCrack, point: &Vec3) -> f64 {
        let distance = crack.distance(point);
        if distance.abs() <= self.tolerance { 0.0 } else { distance }
    }

    /// Splits edges at a share of their length, the longest first.
    fn split(
        &mut self,
        index: usize,
        mut edges: Vec<([NodeId; 2], f64)>,
        share: impl Fn(&TetMesh, [NodeId; 2]) -> f64,
    ) -> Result<(), CrackError> {
        edges.sort_unstable_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        edges.dedup_by_key(|edge| edge.0);
        for ([start, end], _) in edges {
            let share = share(&self.mesh, [start, end]);
            let edit =
                (self.mesh.split_edge(start, end, share)).map_err(|error| CrackError::Edit { crack: index, error })?;
            edit.apply_to_elements(&mut self.parents, |old, added| old[added.parent.index()]);
            // The new point lies in every plane that has the edge.
            let both = |planes: &[Vec<u32>]| {
                let has = |plane: &&u32| planes[end.index()].contains(plane);
                let mut common: Vec<u32> = planes[start.index()].iter().filter(has).copied().collect();
                if !common.contains(&(index as u32)) {
                    common.push(index as u32);
                }
                common
            };
            edit.apply_to_points(&mut self.planes_of, |old, _| both(old));
        }
        Ok(())
    }

    /// Orthonormal directions in which a node must not move, so that the surface of the body and
    /// the planes of these cracks keep their shape.
    fn constraints(&self, node: NodeId, cracks: &[FlatCrack]) -> Vec<Vec3> {
        let mut directions: Vec<Vec3> = Vec::new();
        let mut forbid = |normal: Vec3| {
            let rest = directions.iter().fold(normal, |rest, known| rest - *known * known.dot(&rest));
            if rest.norm() > SURFACE_KINK_SINE {
                directions.push(rest.normalize());
            }
        };
        for &plane in &self.planes_of[node.index()] {
            if let Some(crack) = cracks.get(plane as usize) {
                forbid(crack.normal());
            }
        }
        for element in self.mesh.elements_of(node) {
            let points = self.mesh.points_of(element);
            for corner in (0..4).filter(|&corner| points[corner] != node) {
                if self.mesh.neighbour(element, corner).is_some() {
                    continue;
                }
                let [Some(a), Some(b), Some(c)] = self.mesh.facet_points(Facet::new(element, corner)) else { continue };
                let [a, b, c] = [a, b, c].map(|point| self.mesh.position(point));
                forbid((b - a).cross(&(c - a)).try_normalize(f64::MIN_POSITIVE).unwrap_or_default());
            }
        }
        directions
    }

    fn shortest_edge(&self, node: NodeId) -> f64 {
        let around = self.mesh.elements_of(node).flat_map(|element| self.mesh.points_of(element));
        let place = self.mesh.position(node);
        around
            .filter(|&other| other != node)
            .map(|other| (self.mesh.position(other) - place).norm())
            .fold(f64::INFINITY, f64::min)
    }

    /// Moves a node unless an element would become too thin, or the node would move further than
    /// this share of its shortest edge.
    fn move_if_sound(&mut self, node: NodeId, position: Vec3, most: f64) {
        let before = self.mesh.position(node);
        if (position - before).norm() > most * self.shortest_edge(node) {
            return;
        }
        let is_sound = self.mesh.elements_of(node).all(|element| {
            let old = self.mesh.corners(element);
            let points = self.mesh.points_of(element);
            let new: [Vec3; 4] =
                std::array::from_fn(|corner| if points[corner] == node { position } else { old[corner] });
            height(&new) >= CRACK_THINNEST * height(&old)
        });
        if is_sound {
            // A node that would invert an element stays where it is; the plane then cuts the
            // element.
            let _ = self.mesh.move_point(node, position);
        }
    }
}

/// The shortest displacement perpendicular to `fixed` (orthonormal) that moves a point by
/// `distance` (m) along `normal`.
/// `None` if it would have to be more than three times as long.
fn shift_along(normal: &Vec3, distance: f64, fixed: &[Vec3]) -> Option<Vec3> {
    let free = fixed.iter().fold(*normal, |free, direction| free - *direction * direction.dot(&free));
    let square = free.norm_squared();
    (square > 0.1).then(|| free * (distance / square))
}

fn longest_edge(corners: &[Vec3; 4]) -> f64 {
    TETRAHEDRON_EDGES.iter().map(|&[a, b]| (corners[a] - corners[b]).norm()).fold(0.0, f64::max)
}

/// Smallest height of a tetrahedron (m), negative if it is inverted.
fn height(corners: &[Vec3; 4]) -> f64 {
    let [a, b, c, d] = corners;
    let faces = [(c - b).cross(&(d - b)), (c - a).cross(&(d - a)), (b - a).cross(&(d - a)), (b - a).cross(&(c - a))];
    let largest = faces.iter().map(Vec3::norm).fold(0.0, f64::max);
    6.0 * craze_math::tetrahedron::volume(corners) / largest
}
