//! Faults of a surface: open edges, pinches, tunnels, separate bodies.

use std::collections::HashMap;

use craze_math::{DisjointSets, Vec3};
use serde::{Deserialize, Serialize};

use crate::manifold::{HalfEdge, fans, half_edges, is_manifold};
use crate::measure::Bounds;

/// Kinds of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// An edge traversed more often in one direction than in the other: the border of a hole, or a
    /// flipped triangle.
    OpenEdge,
    /// An edge with more than two triangles.
    PinchedEdge,
    /// A vertex with more than one fan of triangles that lies on no pinched edge.
    PinchPoint,
    /// A tunnel through the solid; the count is the genus.
    Tunnel,
    /// A connected component that is not a cavity of another; counted if there are at least two.
    SeparateBody,
}

impl FaultKind {
    /// All kinds.
    pub const ALL: [FaultKind; 5] = [
        FaultKind::OpenEdge,
        FaultKind::PinchedEdge,
        FaultKind::PinchPoint,
        FaultKind::Tunnel,
        FaultKind::SeparateBody,
    ];

    /// Name in the plural.
    pub fn plural_name(self) -> &'static str {
        match self {
            FaultKind::OpenEdge => "open edges",
            FaultKind::PinchedEdge => "pinched edges",
            FaultKind::PinchPoint => "pinch points",
            FaultKind::Tunnel => "tunnels",
            FaultKind::SeparateBody => "separate bodies",
        }
    }

    /// Returns true if a surface with this fault is not a closed manifold.
    pub fn is_not_manifold(self) -> bool {
        matches!(self, FaultKind::OpenEdge | FaultKind::PinchedEdge | FaultKind::PinchPoint)
    }
}

/// Faults of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fault {
    /// The kind.
    pub kind: FaultKind,
    /// Number of faults.
    pub count: u32,
    /// Position of one of them (m): an end of the edge, the vertex, the centre of the bounding box
    /// of the surface with the tunnel, a vertex of the smallest body.
    pub at: [f64; 3],
}

/// One line per kind for the faults of several named surfaces.
pub fn describe_faults(surfaces: &[(String, &[Fault])]) -> Vec<(FaultKind, String)> {
    let of_kind = |kind: FaultKind| {
        let found =
            surfaces.iter().filter_map(|(name, faults)| Some((name, faults.iter().find(|it| it.kind == kind)?)));
        let found: Vec<(&String, &Fault)> = found.collect();
        let (first, fault) = found.first()?;
        let count: u32 = found.iter().map(|(_, fault)| fault.count).sum();
        let among = match found.len() {
            1 => format!("in {first}"),
            many => format!("in {many} of {}, first in {first}", surfaces.len()),
        };
        // Seven decimals are precise enough and short.
        let [x, y, z] = fault.at.map(|coordinate| (coordinate * 1e7).round() / 1e7 + 0.0);
        Some((kind, format!("{}: {count}, {among}, as at ({x}, {y}, {z}) m", kind.plural_name())))
    };
    FaultKind::ALL.into_iter().filter_map(of_kind).collect()
}

/// A surface with coincident vertices merged.
#[derive(Clone, Debug, PartialEq)]
pub struct WeldedSurface {
    /// Distinct positions (m).
    pub positions: Vec<Vec3>,
    /// Triangles with three different corners.
    pub triangles: Vec<[u32; 3]>,
    coincident_faces: CoincidentFaces,
}

/// Interpretation of coincident triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CoincidentFaces {
    /// Separate sheets of the surface.
    Separate,
    /// Sides of a closed crack, across which the solid is connected.
    ClosedCrack,
}

/// Volumes below this share of the largest are zero within rounding (1).
const ZERO_VOLUME_RATIO: f64 = 1e-12;

/// Angle (rad) below which triangles at an edge or vertex coincide: far above rounding, far below
/// mesh angles.
const COINCIDENCE_ANGLE: f64 = 1e-6;

impl WeldedSurface {
    /// Merges coincident vertices. Degenerate triangles are dropped.
    pub fn new(triangles: &[[u32; 3]], position: impl Fn(u32) -> Vec3) -> WeldedSurface {
        let mut numbers: HashMap<[u64; 3], u32> = HashMap::new();
        let mut positions = Vec::new();
        let mut number = |vertex: u32| {
            let at = position(vertex);
            // −0 equals 0.
            let bits = [at.x, at.y, at.z].map(|coordinate| (coordinate + 0.0).to_bits());
            *numbers.entry(bits).or_insert_with(|| {
                positions.push(at);
                positions.len() as u32 - 1
            })
        };
        let welded = triangles.iter().map(|corners| corners.map(&mut number));
        let triangles = welded.filter(|[a, b, c]| a != b && b != c && c != a).collect();
        WeldedSurface { positions, triangles, coincident_faces: CoincidentFaces::Separate }
    }

    /// Treats coincident triangles that face each other as sides of a closed crack, across which
    /// the solid is connected. Pairs with equal corners are removed.
    pub fn without_closed_cracks(mut self) -> WeldedSurface {
        self.coincident_faces = CoincidentFaces::ClosedCrack;
        let key = |corners: &[u32; 3]| {
            let mut sorted = *corners;
            sorted.sort_unstable();
            sorted
        };
        // Parity of the corners relative to their sorted order.
        let is_even = |&[a, b, c]: &[u32; 3]| (a < b) ^ (b < c) ^ (a < c);
        let mut order: Vec<usize> = (0..self.triangles.len()).collect();
        order.sort_by_key(|&triangle| key(&self.triangles[triangle]));
        let mut is_kept = vec![true; self.triangles.len()];
        for same in order.chunk_by(|&one, &other| key(&self.triangles[one]) == key(&self.triangles[other])) {
            let (even, odd): (Vec<usize>, Vec<usize>) =
                same.iter().partition(|&&triangle| is_even(&self.triangles[triangle]));
            for (one, other) in even.into_iter().zip(odd) {
                (is_kept[one], is_kept[other]) = (false, false);
            }
        }
        let mut kept = is_kept.into_iter();
        self.triangles.retain(|_| kept.next().unwrap_or(true));
        self
    }

    /// All faults by kind. A solid without tunnels has none, with or without cavities. Tunnels are
    /// counted only for closed surfaces.
    pub fn faults(&self) -> Vec<Fault> {
        let mut found = FaultCounts::default();
        let mut is_on_pinched_edge = vec![false; self.positions.len()];
        for edge in half_edges(&self.triangles).chunk_by(|one, other| one.edge == other.edge) {
            let kind = if !is_balanced(edge) {
                FaultKind::OpenEdge
            } else if edge.len() > 2 && !self.is_closed_crack(edge) {
                edge[0].edge.iter().for_each(|&vertex| is_on_pinched_edge[vertex as usize] = true);
                FaultKind::PinchedEdge
            } else {
                continue;
            };
            found.add(kind, 1, || self.positions[edge[0].edge[0] as usize]);
        }
        let fans = fans(&self.triangles, |vertex| self.positions[vertex as usize]);
        let fans_of_corners: Vec<[u32; 3]> = fans.chunks_exact(3).map(|fan| [fan[0], fan[1], fan[2]]).collect();
        if !found.has(FaultKind::OpenEdge) {
            let mut corners: Vec<(u32, u32)> = self.triangles.iter().flatten().copied().zip(fans).collect();
            corners.sort_unstable();
            corners.dedup();
            for fans in corners.chunk_by(|one, other| one.0 == other.0) {
                let vertex = fans[0].0 as usize;
                if fans.len() > 1 && !is_on_pinched_edge[vertex] && !self.closed_cracks_connect(fans, &fans_of_corners)
                {
                    found.add(FaultKind::PinchPoint, 1, || self.positions[vertex]);
                }
            }
        }
        if is_manifold(&fans_of_corners) {
            for shell in self.components(&fans_of_corners) {
                let genus = genus(shell.iter().map(|&triangle| &fans_of_corners[triangle]));
                found.add(FaultKind::Tunnel, genus, || {
                    let corners = shell.iter().flat_map(|&triangle| self.corners(triangle));
                    Bounds::of(&corners.collect::<Vec<_>>()).map_or_else(Vec3::zeros, |bounds| bounds.centre())
                });
            }
        }
        self.find_bodies(&mut found);
        found.0
    }

    /// Returns true if all but two triangles at an edge coincide in pairs.
    fn is_closed_crack(&self, edge: &[HalfEdge]) -> bool {
        if self.coincident_faces == CoincidentFaces::Separate {
            return false;
        }
        let [low, high] = edge[0].edge.map(|vertex| self.positions[vertex as usize]);
        let along = (high - low).normalize();
        let outward = |half_edge: &HalfEdge| {
            let third = self.triangles[half_edge.corners[2] as usize / 3][half_edge.corners[2] as usize % 3];
            along.cross(&(self.positions[third as usize] - low)).normalize()
        };
        let mut left: Vec<(Vec3, bool)> =
            edge.iter().map(|half_edge| (outward(half_edge), half_edge.is_forward)).collect();
        let pair = |left: &[(Vec3, bool)]| {
            let pairs = (0..left.len()).flat_map(|one| (0..one).map(move |other| [other, one]));
            let mut lying = pairs.filter(|&[one, other]| {
                left[one].1 != left[other].1 && (left[one].0 - left[other].0).norm() < COINCIDENCE_ANGLE
            });
            lying.next()
        };
        while let Some([one, other]) = pair(&left) {
            left.remove(other);
            left.remove(one);
        }
        left.len() <= 2
    }

    /// Returns true if the fans at a vertex are separated only by closed cracks. `fans`: the vertex
    /// with each fan; `fans_of_corners`: the fans of all corners.
    fn closed_cracks_connect(&self, fans: &[(u32, u32)], fans_of_corners: &[[u32; 3]]) -> bool {
        if self.coincident_faces == CoincidentFaces::Separate {
            return false;
        }
        // For each fan the two directions from the vertex along each triangle, counter-clockwise.
        let mut sectors: Vec<(usize, [Vec3; 2])> = Vec::new();
        for (number, &(vertex, fan)) in fans.iter().enumerate() {
            let at = self.positions[vertex as usize];
            for (triangle, corners) in fans_of_corners.iter().enumerate() {
                if let Some(corner) = corners.iter().position(|&corner| corner == fan) {
                    let points = self.corners(triangle);
                    let toward = |step: usize| (points[(corner + step) % 3] - at).normalize();
                    sectors.push((number, [toward(1), toward(2)]));
                }
            }
        }
        let mut joined = DisjointSets::new(fans.len());
        for (one, first) in &sectors {
            for (other, second) in &sectors {
                if one < other && sectors_coincide(first, second) {
                    joined.join(*one as u32, *other as u32);
                }
            }
        }
        (0..fans.len() as u32).all(|fan| joined.root(fan) == 0)
    }

    fn find_bodies(&self, found: &mut FaultCounts) {
        let parts = self.components(&self.triangles);
        let volumes: Vec<f64> = parts.iter().map(|part| self.volume(part)).collect();
        // A crack entirely inside the solid encloses zero volume.
        let least = ZERO_VOLUME_RATIO * volumes.iter().copied().fold(0.0, f64::max);
        let is_cavity = |number: usize| {
            let Some(&first) = parts[number].first() else { return false };
            let point = self.corners(first)[0];
            let around = (0..parts.len()).filter(|&other| other != number && volumes[other] > 0.0);
            volumes[number] < least && around.into_iter().any(|other| self.winding(&parts[other], &point) > 0.5)
        };
        let bodies: Vec<usize> = (0..parts.len()).filter(|&number| !is_cavity(number)).collect();
        if bodies.len() < 2 {
            return;
        }
        let smallest = bodies.iter().min_by(|&&one, &&other| volumes[one].abs().total_cmp(&volumes[other].abs()));
        let at = smallest.map_or_else(Vec3::zeros, |&number| self.corners(parts[number][0])[0]);
        found.add(FaultKind::SeparateBody, bodies.len() as u32, || at);
    }

    /// Corners of a triangle (m).
    fn corners(&self, triangle: usize) -> [Vec3; 3] {
        self.triangles[triangle].map(|vertex| self.positions[vertex as usize])
    }

    /// Connected components over shared vertices of `triangles`, which correspond to those of this
    /// surface.
    fn components(&self, triangles: &[[u32; 3]]) -> Vec<Vec<usize>> {
        let count = triangles.iter().flatten().max().map_or(0, |&last| last as usize + 1);
        let mut sets = DisjointSets::new(count);
        for [a, b, c] in triangles {
            sets.join(*a, *b);
            sets.join(*b, *c);
        }
        sets.flatten();
        let mut order: Vec<(u32, usize)> =
            triangles.iter().enumerate().map(|(number, corners)| (sets.root(corners[0]), number)).collect();
        order.sort_unstable();
        let parts = order.chunk_by(|one, other| one.0 == other.0);
        parts.map(|part| part.iter().map(|&(_, triangle)| triangle).collect()).collect()
    }

    /// Enclosed volume (m³), relative to the first corner to avoid cancellation far from the
    /// origin.
    fn volume(&self, part: &[usize]) -> f64 {
        let origin = part.first().map_or_else(Vec3::zeros, |&first| self.corners(first)[0]);
        let tetrahedron = |&triangle: &usize| {
            let [a, b, c] = self.corners(triangle).map(|corner| corner - origin);
            a.dot(&b.cross(&c)) / 6.0
        };
        part.iter().map(tetrahedron).sum()
    }

    /// Winding number of triangles around a point (Van Oosterom & Strackee 1983).
    fn winding(&self, part: &[usize], point: &Vec3) -> f64 {
        let solid_angle = |&triangle: &usize| {
            let [a, b, c] = self.corners(triangle).map(|corner| corner - point);
            let [la, lb, lc] = [a.norm(), b.norm(), c.norm()];
            let below = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
            2.0 * a.dot(&b.cross(&c)).atan2(below)
        };
        part.iter().map(solid_angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
    }
}

/// Returns true if an edge is traversed as often in one direction as in the other.
fn is_balanced(edge: &[HalfEdge]) -> bool {
    2 * edge.iter().filter(|half_edge| half_edge.is_forward).count() == edge.len()
}

/// Returns true if two coplanar sectors, each between two unit directions, face each other and
/// overlap.
fn sectors_coincide([a, b]: &[Vec3; 2], [c, d]: &[Vec3; 2]) -> bool {
    let (normal, other) = (a.cross(b).normalize(), c.cross(d).normalize());
    if !((normal + other).norm() < COINCIDENCE_ANGLE) {
        return false;
    }
    // Angles from a toward b; the other sector runs back from c to d.
    let angle = |direction: &Vec3| normal.dot(&a.cross(direction)).atan2(a.dot(direction));
    let (width, start, end) = (angle(b), angle(d), angle(c));
    let overlap = |start: f64, end: f64| end.min(width) - start.max(0.0);
    let turn = std::f64::consts::TAU;
    let end = if end < start { end + turn } else { end };
    overlap(start, end).max(overlap(start + turn, end + turn)).max(overlap(start - turn, end - turn))
        > COINCIDENCE_ANGLE
}

/// Genus of a closed, connected manifold by Euler's formula V − E + F = 2 − 2 g with E = 3 F / 2.
fn genus<'a>(triangles: impl Iterator<Item = &'a [u32; 3]>) -> u32 {
    let corners: Vec<[u32; 3]> = triangles.copied().collect();
    let mut vertices = corners.concat();
    vertices.sort_unstable();
    vertices.dedup();
    let euler = vertices.len() as i64 - corners.len() as i64 / 2;
    u32::try_from((2 - euler) / 2).unwrap_or(0)
}

/// Faults by kind, in the order in which they were found.
#[derive(Default)]
struct FaultCounts(Vec<Fault>);

impl FaultCounts {
    fn has(&self, kind: FaultKind) -> bool {
        self.0.iter().any(|fault| fault.kind == kind)
    }

    fn add(&mut self, kind: FaultKind, count: u32, at: impl Fn() -> Vec3) {
        match self.0.iter_mut().find(|fault| fault.kind == kind) {
            _ if count == 0 => {}
            Some(fault) => fault.count += count,
            None => self.0.push(Fault { kind, count, at: at().into() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TETRAHEDRON: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    const CORNERS: [[f64; 3]; 4] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

    fn tetrahedra(corners: &[[[f64; 3]; 4]]) -> WeldedSurface {
        let positions: Vec<Vec3> = corners.iter().flatten().copied().map(Vec3::from).collect();
        let faces = |first: u32| TETRAHEDRON.map(|face| face.map(|corner| 4 * first + corner));
        let triangles: Vec<[u32; 3]> = (0..corners.len() as u32).flat_map(faces).collect();
        WeldedSurface::new(&triangles, |vertex| positions[vertex as usize])
    }

    fn moved(by: [f64; 3], scale: f64) -> [[f64; 3]; 4] {
        CORNERS.map(|corner| [0, 1, 2].map(|axis| scale * corner[axis] + by[axis]))
    }

    fn found(welded: &WeldedSurface) -> Vec<(FaultKind, u32)> {
        welded.faults().iter().map(|fault| (fault.kind, fault.count)).collect()
    }

    /// Unit cubes on a 3 × 3 × 3 grid, except those that `is_gone` selects.
    fn cubes(is_gone: impl Fn([i32; 3]) -> bool) -> WeldedSurface {
        let is_there = |at: [i32; 3]| at.iter().all(|k| (0..3).contains(k)) && !is_gone(at);
        let mut positions = Vec::new();
        let mut triangles = Vec::new();
        let cells = (0..27).map(|k| [k % 3, k / 3 % 3, k / 9]).filter(|&at| is_there(at));
        for at in cells {
            for (axis, side) in [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)] {
                let mut next = at;
                next[axis] += 2 * side - 1;
                if is_there(next) {
                    continue;
                }
                let corner = |u: i32, v: i32| {
                    let mut corner = at;
                    corner[axis] += side;
                    corner[(axis + 1) % 3] += u;
                    corner[(axis + 2) % 3] += v;
                    Vec3::from(corner.map(f64::from))
                };
                let first = positions.len() as u32;
                positions.extend([corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)]);
                let flipped = |face: [u32; 3]| if side == 1 { face } else { [face[0], face[2], face[1]] };
                triangles.extend([flipped([first, first + 1, first + 2]), flipped([first, first + 2, first + 3])]);
            }
        }
        WeldedSurface::new(&triangles, |vertex| positions[vertex as usize])
    }

    #[test]
    fn a_tetrahedron_and_a_block_have_no_faults() {
        assert_eq!(found(&tetrahedra(&[CORNERS])), []);
        assert_eq!(found(&cubes(|_| false)), []);
    }

    #[test]
    fn two_tetrahedra_that_share_a_vertex_have_a_pinch_point_there() {
        let mirrored = CORNERS.map(|[x, y, z]| [-y, -x, -z]);
        // A mirrored tetrahedron is inverted; swapping two corners corrects that.
        let [o, x, y, z] = mirrored;
        let pair = tetrahedra(&[moved([5.0, 0.0, -0.0], 1.0), [o, x, z, y].map(|[a, b, c]| [a + 5.0, b, c])]);
        let faults = pair.faults();
        assert_eq!(found(&pair), [(FaultKind::PinchPoint, 1)], "{faults:?}");
        assert_eq!(faults[0].at, [5.0, 0.0, 0.0]);
    }

    #[test]
    fn two_tetrahedra_that_share_an_edge_have_a_pinched_edge_and_no_pinch_point() {
        let [o, x, y, z] = CORNERS;
        let far = |[a, b, c]: [f64; 3]| [-a, -b, c];
        let pair = tetrahedra(&[[o, x, y, z], [o, far(x), far(y), z]]);
        assert_eq!(found(&pair), [(FaultKind::PinchedEdge, 1)]);
    }

    #[test]
    fn missing_and_flipped_triangles_leave_open_edges() {
        let mut open = tetrahedra(&[CORNERS]);
        open.triangles.pop();
        assert_eq!(found(&open), [(FaultKind::OpenEdge, 3)]);
        let mut flipped = tetrahedra(&[CORNERS]);
        flipped.triangles[1].swap(0, 1);
        assert_eq!(found(&flipped), [(FaultKind::OpenEdge, 3)]);
    }

    #[test]
    fn a_ring_has_a_tunnel_and_two_crossing_shafts_have_more() {
        assert_eq!(found(&cubes(|[x, y, _]| [x, y] == [1, 1])), [(FaultKind::Tunnel, 1)]);
        // Three shafts that meet in the centre have six openings and genus five.
        let shafts = cubes(|at| at.iter().filter(|&&k| k == 1).count() >= 2);
        assert_eq!(found(&shafts), [(FaultKind::Tunnel, 5)]);
    }

    #[test]
    fn two_bodies_are_counted_and_a_cavity_is_not() {
        let apart = tetrahedra(&[CORNERS, moved([3.0, 0.0, 0.0], 0.5)]);
        let faults = apart.faults();
        assert_eq!(found(&apart), [(FaultKind::SeparateBody, 2)]);
        assert_eq!(faults[0].at, [3.0, 0.0, 0.0], "the smaller one is shown");
        assert_eq!(found(&cubes(|at| at == [1, 1, 1])), []);
    }

    #[test]
    fn a_body_in_a_cavity_and_an_inverted_one_are_bodies() {
        let mut inside = cubes(|at| at == [1, 1, 1]);
        let first = inside.positions.len() as u32;
        let small = tetrahedra(&[moved([1.3, 1.3, 1.3], 0.2)]);
        inside.positions.extend(small.positions);
        inside.triangles.extend(small.triangles.iter().map(|face| face.map(|corner| first + corner)));
        assert_eq!(found(&inside), [(FaultKind::SeparateBody, 2)]);
        let mut flipped = tetrahedra(&[CORNERS, moved([3.0, 0.0, 0.0], 1.0)]);
        flipped.triangles[4..].iter_mut().for_each(|face| face.swap(0, 1));
        assert_eq!(found(&flipped), [(FaultKind::SeparateBody, 2)]);
    }

    #[test]
    fn closed_cracks_are_no_pinches() {
        let [o, x, y, z] = CORNERS;
        let pair = tetrahedra(&[[o, x, y, z], [o, y, x, [0.0, 0.0, -1.0]]]);
        assert_eq!(found(&pair), [(FaultKind::PinchedEdge, 3)]);
        let closed = pair.without_closed_cracks();
        assert_eq!((closed.triangles.len(), found(&closed)), (6, vec![]));
    }

    /// A block of 3 m with a flat square crack inside; the square's centre is a vertex of both
    /// sides. The upper side has four triangles around it, the lower side those that `lower` makes
    /// of the centre (0), the corners of the square (1 to 4) and the centroids of the four
    /// triangles (5 to 8).
    fn cracked_block(lower: impl Fn(u32) -> Vec<[u32; 3]>) -> WeldedSurface {
        let at = |x: f64, z: f64| Vec3::new(x, 1.5, z);
        let mut points = vec![at(1.5, 1.5), at(1.0, 1.0), at(1.0, 2.0), at(2.0, 2.0), at(2.0, 1.0)];
        points.extend([1, 2, 3, 4].map(|k| (points[0] + points[k] + points[k % 4 + 1]) / 3.0));
        let mut block = cubes(|_| false);
        let first = block.positions.len() as u32;
        // Normals point out of the solid: the solid above has its surface facing down.
        let upper = (0..4).map(|k| [0, (k + 1) % 4 + 1, k + 1]);
        let crack = upper.chain((0..4).flat_map(lower));
        block.triangles.extend(crack.map(|corners| corners.map(|corner| first + corner)));
        block.positions.extend(points);
        block
    }

    #[test]
    fn the_sides_of_a_closed_crack_need_not_have_the_same_triangles() {
        let divided = |k: u32| {
            let [this, next, middle] = [k + 1, (k + 1) % 4 + 1, k + 5];
            vec![[0, this, middle], [this, next, middle], [next, 0, middle]]
        };
        let edges = cracked_block(divided);
        assert_eq!(found(&edges), [(FaultKind::PinchedEdge, 4)]);
        assert_eq!(found(&edges.without_closed_cracks()), []);
        let flipped = |k: u32| {
            let [this, next, middle, after] = [k + 1, (k + 1) % 4 + 1, k + 5, (k + 1) % 4 + 5];
            vec![[0, middle, after], [middle, next, after], [middle, this, next]]
        };
        let vertex = cracked_block(flipped);
        assert_eq!(found(&vertex), [(FaultKind::PinchPoint, 1)]);
        assert_eq!(found(&vertex.without_closed_cracks()), []);
    }

    #[test]
    fn a_pinch_beside_a_closed_crack_stays_a_pinch() {
        let [o, x, y, z] = CORNERS;
        let far = |[a, b, c]: [f64; 3]| [-a, -b, c];
        let pair = tetrahedra(&[[o, x, y, z], [o, far(x), far(y), z]]).without_closed_cracks();
        assert_eq!(found(&pair), [(FaultKind::PinchedEdge, 1)]);
        let touching = tetrahedra(&[CORNERS, [[-1.0, 0.0, 0.0], o, [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]]]);
        assert_eq!(found(&touching.without_closed_cracks()), [(FaultKind::PinchPoint, 1)]);
    }

    #[test]
    fn empty_surfaces_have_no_faults_and_degenerate_triangles_are_dropped() {
        assert_eq!(found(&WeldedSurface::new(&[], |_| Vec3::zeros())), []);
        let sliver = WeldedSurface::new(&[[0, 1, 2]], |vertex| Vec3::repeat(f64::from(vertex / 2)));
        assert_eq!(sliver.triangles, [] as [[u32; 3]; 0]);
    }
}
