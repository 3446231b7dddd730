//! Surface of a solid: nodes and triangles of the boundary.

use craze_body::{CONTACT_SKIN, contact_skin};
use craze_contact::{ContactTetrahedra, ContactTriangles};
use craze_element::Law;
use craze_frame::names;
use craze_material::Material;
use craze_math::tetrahedron::volume;
use craze_mesh::{Facet, TetId, TetMesh};

/// Nodes and triangles of the boundary. They follow from the mesh alone.
#[derive(Debug, Default)]
pub(crate) struct SolidSurface {
    /// Surface nodes, ascending.
    pub nodes: Vec<u32>,
    /// Triangles as indices in the list of nodes, outward, in the order of [`TetMesh::boundary`].
    pub triangles: Vec<[u32; 3]>,
    /// Face of each triangle: four times its element, plus the corner opposite to it; ascending.
    facets: Vec<u32>,
    /// Index of each node of the body in the list of nodes, if it is on the surface.
    place_of: Vec<u32>,
    /// Elements with a boundary face, ascending.
    outer: Vec<u32>,
    /// Half of the distance between surfaces in contact (m).
    skin: f64,
    /// Young's modulus of the stiffest material (Pa).
    modulus: f64,
    /// Speed of sound in the material where it is highest (m/s).
    sound: f64,
    /// Edge of a cube as large as the mesh (m).
    size: f64,
    /// Version: the number of changes of the mesh.
    version: u64,
    /// For every surface node, the index of the first surface node that it coincided with before a
    /// crack; empty in an unbroken body.
    origins: Vec<u32>,
    /// For every node of the body, the first node that it coincided with; empty in an unbroken
    /// body.
    firsts: Vec<u32>,
    /// For each of those first nodes the lowest surface node that coincided with it; empty in an
    /// unbroken body.
    lowest: Vec<u32>,
    /// Number of boundary triangles at every node of the body.
    uses: Vec<u32>,
    scratch: Scratch,
}

/// Workspace of an update after cracks.
#[derive(Debug, Default)]
struct Scratch {
    /// Boundary faces of changed elements, ascending, and their nodes.
    fresh: Vec<(u32, [u32; 3])>,
    /// Nodes that enter or leave the surface, ascending.
    exchanged: Vec<u32>,
    /// New index of each entry of the list of nodes.
    moved: Vec<u32>,
    /// Copies of the entries behind the first change.
    numbers: Vec<u32>,
    triangles: Vec<[u32; 3]>,
}

/// Index of a node that is not on the surface.
const INSIDE: u32 = u32::MAX;

impl SolidSurface {
    pub fn of(mesh: &TetMesh, materials: &[Material], version: u64) -> Self {
        let facets = mesh.boundary_facets().map(code).collect();
        let modulus = materials.iter().map(|material| material.elasticity.young()).fold(0.0, f64::max);
        let speed = |material: &Material| (Law::from_material(material).pressure_modulus() / material.density).sqrt();
        let sound = materials.iter().map(speed).fold(0.0, f64::max);
        let size = mesh.element_ids().map(|element| volume(&mesh.corners(element)).abs()).sum::<f64>().cbrt();
        let firsts = if is_broken(mesh) { firsts(mesh) } else { Vec::new() };
        let mut surface = Self { facets, modulus, sound, size, version, firsts, ..Self::default() };
        surface.list(mesh);
        let node_of = |place: &u32| surface.nodes[*place as usize];
        surface.skin = contact_skin(mesh, surface.triangles.iter().map(|corners| corners.each_ref().map(node_of)));
        surface
    }

    /// Updates the surface around elements (ascending) that cracks have changed or whose faces they
    /// have exposed. `copies` are the new nodes that are copies, each with its original.
    pub fn follow_cracks(&mut self, mesh: &TetMesh, changed: &[u32], copies: &[[u32; 2]]) {
        if self.firsts.is_empty() {
            self.firsts = (0..self.place_of.len() as u32).collect();
        }
        let known = self.firsts.len() as u32;
        self.firsts.extend(known..mesh.point_count() as u32);
        for &[copy, of] in copies {
            self.firsts[copy as usize] = self.firsts[of as usize];
        }
        self.version += 1;
        self.count_uses(mesh, changed);
        let is_moved = self.exchange_nodes();
        self.exchange_triangles(changed, is_moved);
        if self.origins.is_empty() {
            self.find_origins();
        } else if is_moved {
            self.follow_origins();
        }
    }

    /// Updates the number of triangles at nodes of changed elements. Records the nodes that enter
    /// or leave the surface.
    fn count_uses(&mut self, mesh: &TetMesh, changed: &[u32]) {
        let Scratch { fresh, exchanged, .. } = &mut self.scratch;
        fresh.clear();
        exchanged.clear();
        self.uses.resize(mesh.point_count(), 0);
        self.place_of.resize(mesh.point_count(), INSIDE);
        let mut at = 0;
        for &element in changed {
            at += self.facets[at..].partition_point(|&facet| facet < 4 * element);
            while self.facets.get(at).is_some_and(|facet| facet / 4 == element) {
                for place in self.triangles[at] {
                    let node = self.nodes[place as usize];
                    self.uses[node as usize] -= 1;
                    if self.uses[node as usize] == 0 {
                        exchanged.push(node);
                    }
                }
                at += 1;
            }
            for corner in (0..4).filter(|&corner| mesh.neighbour(TetId(element), corner).is_none()) {
                let facet = 4 * element + corner as u32;
                let nodes = corners(mesh, facet);
                for node in nodes {
                    if self.uses[node as usize] == 0 {
                        exchanged.push(node);
                    }
                    self.uses[node as usize] += 1;
                }
                fresh.push((facet, nodes));
            }
        }
        exchanged.sort_unstable();
        exchanged.dedup();
        exchanged.retain(|&node| (self.uses[node as usize] > 0) == (self.place_of[node as usize] == INSIDE));
    }

    /// Inserts nodes that have entered the surface into the list, and removes those that have left.
    /// Returns true if there were any.
    fn exchange_nodes(&mut self) -> bool {
        let Scratch { exchanged, moved, numbers: behind, .. } = &mut self.scratch;
        let Some(first) = exchanged.first() else { return false };
        let start = self.nodes.partition_point(|node| node < first);
        moved.clear();
        moved.extend(0..start as u32);
        behind.clear();
        behind.extend(self.nodes.drain(start..));
        let mut exchanged = exchanged.iter().copied().peekable();
        for &node in behind.iter() {
            while let Some(enters) = exchanged.next_if(|&other| other < node) {
                self.place_of[enters as usize] = self.nodes.len() as u32;
                self.nodes.push(enters);
            }
            if exchanged.next_if_eq(&node).is_some() {
                self.place_of[node as usize] = INSIDE;
                moved.push(INSIDE);
                continue;
            }
            let place = self.nodes.len() as u32;
            self.place_of[node as usize] = place;
            moved.push(place);
            self.nodes.push(node);
        }
        for enters in exchanged {
            self.place_of[enters as usize] = self.nodes.len() as u32;
            self.nodes.push(enters);
        }
        true
    }

    /// Merges the new triangles with those of unchanged elements, which are renumbered.
    fn exchange_triangles(&mut self, changed: &[u32], is_moved: bool) {
        let Some(&first) = changed.first() else { return };
        let Scratch { fresh, moved, numbers: facets, triangles, .. } = &mut self.scratch;
        if is_moved {
            for place in self.triangles.iter_mut().flatten() {
                // Nodes of triangles that no longer exist may have left.
                *place = moved[*place as usize];
            }
        }
        let start = self.facets.partition_point(|&facet| facet < 4 * first);
        facets.clear();
        facets.extend(self.facets.drain(start..));
        triangles.clear();
        triangles.extend(self.triangles.drain(start..));
        let (mut from, mut fresh) = (0, fresh.iter().peekable());
        for &element in changed {
            let to = from + facets[from..].partition_point(|&facet| facet < 4 * element);
            self.facets.extend_from_slice(&facets[from..to]);
            self.triangles.extend_from_slice(&triangles[from..to]);
            from = to + facets[to..].iter().take_while(|&&facet| facet / 4 == element).count();
            while let Some((facet, nodes)) = fresh.next_if(|(facet, _)| facet / 4 == element) {
                self.facets.push(*facet);
                self.triangles.push(nodes.map(|node| self.place_of[node as usize]));
            }
        }
        self.facets.extend_from_slice(&facets[from..]);
        self.triangles.extend_from_slice(&triangles[from..]);
        let known = self.outer.partition_point(|&element| element < first);
        self.outer.truncate(known);
        for element in self.facets[start..].iter().map(|facet| facet / 4) {
            if self.outer.last() != Some(&element) {
                self.outer.push(element);
            }
        }
    }

    /// Updates origins after copies were made.
    fn follow_origins(&mut self) {
        let Scratch { exchanged, moved, numbers: before, .. } = &mut self.scratch;
        self.lowest.resize(self.firsts.len(), INSIDE);
        for &node in exchanged.iter() {
            let lowest = &mut self.lowest[self.firsts[node as usize] as usize];
            if self.uses[node as usize] == 0 || node < *lowest && *lowest != INSIDE {
                // The lowest surface node has changed for those that coincided with it.
                return self.find_origins();
            }
            *lowest = node.min(*lowest);
        }
        before.clear();
        before.append(&mut self.origins);
        self.origins.resize(self.nodes.len(), INSIDE);
        for (&origin, &place) in before.iter().zip(moved.iter()) {
            self.origins[place as usize] = moved[origin as usize];
        }
        for &node in exchanged.iter() {
            let lowest = self.lowest[self.firsts[node as usize] as usize];
            self.origins[self.place_of[node as usize] as usize] = self.place_of[lowest as usize];
        }
    }

    /// Lists nodes, triangles and outer elements from the boundary facets.
    fn list(&mut self, mesh: &TetMesh) {
        self.uses.clear();
        self.uses.resize(mesh.point_count(), 0);
        for node in self.facets.iter().flat_map(|&facet| corners(mesh, facet)) {
            self.uses[node as usize] += 1;
        }
        self.place_of.clear();
        self.place_of.resize(mesh.point_count(), INSIDE);
        self.nodes.clear();
        for (node, place) in self.place_of.iter_mut().enumerate().filter(|(node, _)| self.uses[*node] > 0) {
            *place = self.nodes.len() as u32;
            self.nodes.push(node as u32);
        }
        let places = |&facet: &u32| corners(mesh, facet).map(|node| self.place_of[node as usize]);
        self.triangles.clear();
        self.triangles.extend(self.facets.iter().map(places));
        self.outer.clear();
        self.outer.extend(self.facets.iter().map(|facet| facet / 4));
        self.outer.dedup();
        self.find_origins();
    }

    /// Computes for every surface node the first surface node that it coincided with.
    fn find_origins(&mut self) {
        self.origins.clear();
        self.lowest.clear();
        self.lowest.resize(self.firsts.len(), INSIDE);
        if self.firsts.is_empty() {
            return;
        }
        // The first one on the surface: an inner node has no copies.
        for &node in &self.nodes {
            let lowest = &mut self.lowest[self.firsts[node as usize] as usize];
            if *lowest == INSIDE {
                *lowest = node;
            }
            self.origins.push(self.place_of[*lowest as usize]);
        }
    }

    pub fn contact_triangles(&self) -> ContactTriangles<'_> {
        ContactTriangles {
            version: self.version,
            triangles: &self.triangles,
            is_closed: true,
            skin: self.skin,
            origins: &self.origins,
        }
    }

    /// Number of changes of the mesh.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Makes this the surface after the one of version `version`.
    pub fn follow(&mut self, version: u64) {
        self.version = version + 1;
    }

    pub fn contact_tetrahedra<'a>(&'a self, mesh: &'a TetMesh) -> ContactTetrahedra<'a> {
        let Self { version, modulus, sound, size, skin, .. } = *self;
        let edge = skin / CONTACT_SKIN;
        ContactTetrahedra { version, tetrahedra: mesh.elements(), outer: &self.outer, modulus, size, edge, sound }
    }

    /// Memory (bytes).
    pub fn bytes(&self) -> usize {
        let lists = [&self.nodes, &self.facets, &self.place_of, &self.outer, &self.origins, &self.firsts];
        let others = [&self.lowest, &self.uses, &self.scratch.exchanged, &self.scratch.moved, &self.scratch.numbers];
        let words: usize = lists.iter().chain(&others).map(|words| words.capacity()).sum();
        let triangles = self.triangles.capacity() + self.scratch.triangles.capacity();
        4 * words + 12 * triangles + 16 * self.scratch.fresh.capacity()
    }
}

fn is_broken(mesh: &TetMesh) -> bool {
    mesh.facet_attributes().labels(names::CRACK).is_some_and(|marks| marks.contains(&1))
}

/// The nodes of a face, outward.
fn corners(mesh: &TetMesh, facet: u32) -> [u32; 3] {
    let [a, b, c] = mesh.facet_points(Facet::new(TetId(facet / 4), (facet % 4) as usize));
    [a, b, c].map(|node| node.map_or(0, |node| node.0))
}

fn code(facet: Facet<TetId>) -> u32 {
    4 * facet.element.0 + u32::from(facet.corner)
}

/// Nodes that coincided have the same rest position, to the bit: a crack copies it.
fn firsts(mesh: &TetMesh) -> Vec<u32> {
    let place = |node: u32| mesh.positions()[node as usize].map(f64::to_bits);
    let mut sorted: Vec<([u64; 3], u32)> =
        (0..mesh.point_count() as u32).map(|node| (place(node).into(), node)).collect();
    sorted.sort_unstable();
    let mut firsts = vec![0; sorted.len()];
    for together in sorted.chunk_by(|one, other| one.0 == other.0) {
        for (_, node) in together {
            firsts[*node as usize] = together[0].1;
        }
    }
    firsts
}
