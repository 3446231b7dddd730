//! The surface of a solid: which nodes lie on it and how they hang together.

use craze_contact::{ContactTetrahedra, ContactTriangles};
use craze_element::Law;
use craze_frame::names;
use craze_material::Material;
use craze_math::tetrahedron::volume;
use craze_mesh::{Facet, TetId, TetMesh};

/// Distance that surfaces keep from each other, as a share of their mean edge: out of sight, and far above rounding.
const SKIN: f64 = 5e-4;

/// Nodes and triangles of the boundary. It follows from the mesh alone.
#[derive(Debug, Default)]
pub(crate) struct SolidSurface {
    /// Nodes on it, ascending.
    pub nodes: Vec<u32>,
    /// Places in the list of nodes, outward, in the order of [`TetMesh::boundary`].
    pub triangles: Vec<[u32; 3]>,
    /// The face that each triangle is: four times its element, and the corner opposite to it; ascending.
    facets: Vec<u32>,
    /// The place of each node of the body in the list of nodes, if it is there.
    place_of: Vec<u32>,
    /// Elements with a face on it, ascending.
    outer: Vec<u32>,
    /// Distance that contact keeps from it (m).
    skin: f64,
    /// Young's modulus of the stiffest material (Pa).
    modulus: f64,
    /// Speed of sound in the quickest material (m/s).
    sound: f64,
    /// Edge of a cube as large as the mesh (m).
    size: f64,
    /// Counts the changes of the mesh.
    version: u64,
    /// For every node of it, the place of the first that was one with it before a crack went through; empty in an unbroken body.
    origins: Vec<u32>,
    /// For every node of the body, the first that was one with it; empty in an unbroken body.
    firsts: Vec<u32>,
}

/// A node that is not on the surface.
const INSIDE: u32 = u32::MAX;

impl SolidSurface {
    pub fn of(mesh: &TetMesh, materials: &[Material], version: u64) -> Self {
        let facets = mesh.boundary_facets().map(code).collect();
        let modulus = materials.iter().map(|material| material.elasticity.young()).fold(0.0, f64::max);
        let speed = |material: &Material| (Law::of(material).pressure_modulus() / material.density).sqrt();
        let sound = materials.iter().map(speed).fold(0.0, f64::max);
        let size = mesh.element_ids().map(|element| volume(&mesh.corners(element)).abs()).sum::<f64>().cbrt();
        let firsts = if is_broken(mesh) { firsts(mesh) } else { Vec::new() };
        let mut surface = Self { facets, modulus, sound, size, version, firsts, ..Self::default() };
        surface.list(mesh);
        let position = |place: u32| mesh.positions()[surface.nodes[place as usize] as usize];
        let around = |&[a, b, c]: &[u32; 3]| {
            [[a, b], [b, c], [c, a]].into_iter().map(|[from, to]| (position(to) - position(from)).norm()).sum::<f64>()
        };
        let total: f64 = surface.triangles.iter().map(around).sum();
        surface.skin = SKIN * total / (3 * surface.triangles.len().max(1)) as f64;
        surface
    }

    /// Follows cracks that have changed these elements, or bared faces of them (ascending), and made these nodes of others: copies, each with what
    /// it is a copy of. The skin stays as it is until everything is made anew.
    pub fn follow_cracks(&mut self, mesh: &TetMesh, changed: &[u32], copies: &[[u32; 2]]) {
        if self.firsts.is_empty() {
            self.firsts = (0..self.place_of.len() as u32).collect();
        }
        let known = self.firsts.len() as u32;
        self.firsts.extend(known..mesh.point_count() as u32);
        for &[copy, of] in copies {
            self.firsts[copy as usize] = self.firsts[of as usize];
        }
        let bare = |&element: &u32| {
            let is_bare = move |corner: &usize| mesh.neighbour(TetId(element), *corner).is_none();
            (0..4).filter(is_bare).map(move |corner| 4 * element + corner as u32)
        };
        let mut fresh = changed.iter().flat_map(bare).peekable();
        let mut rest = changed.iter().copied().peekable();
        let mut facets = Vec::with_capacity(self.facets.len() + 4 * changed.len());
        for &facet in &self.facets {
            let element = facet / 4;
            while rest.next_if(|&other| other < element).is_some() {}
            if rest.peek() == Some(&element) {
                continue;
            }
            while let Some(earlier) = fresh.next_if(|&other| other < facet) {
                facets.push(earlier);
            }
            facets.push(facet);
        }
        facets.extend(fresh);
        self.facets = facets;
        self.version += 1;
        self.list(mesh);
    }

    /// Lists nodes, triangles and outer elements by the facets.
    fn list(&mut self, mesh: &TetMesh) {
        let corners = |facet: &u32| {
            let [a, b, c] = mesh.facet_points(Facet::new(TetId(facet / 4), (facet % 4) as usize));
            [a, b, c].map(|node| node.map_or(0, |node| node.0))
        };
        self.place_of.clear();
        self.place_of.resize(mesh.point_count(), INSIDE);
        for node in self.facets.iter().flat_map(corners) {
            self.place_of[node as usize] = 0;
        }
        self.nodes.clear();
        for (node, place) in self.place_of.iter_mut().enumerate().filter(|(_, place)| **place != INSIDE) {
            *place = self.nodes.len() as u32;
            self.nodes.push(node as u32);
        }
        self.triangles.clear();
        self.triangles.extend(self.facets.iter().map(|facet| corners(facet).map(|node| self.place_of[node as usize])));
        self.outer.clear();
        self.outer.extend(self.facets.iter().map(|facet| facet / 4));
        self.outer.dedup();
        self.origins.clear();
        if self.firsts.is_empty() {
            return;
        }
        // The first on the surface: one within has no copies.
        let mut place_of_first = vec![INSIDE; self.firsts.len()];
        for (place, &node) in self.nodes.iter().enumerate() {
            let origin = &mut place_of_first[self.firsts[node as usize] as usize];
            if *origin == INSIDE {
                *origin = place as u32;
            }
            self.origins.push(*origin);
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

    /// How often the mesh has changed.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Makes this the surface that comes after the one of this version.
    pub fn follow(&mut self, version: u64) {
        self.version = version + 1;
    }

    pub fn contact_tetrahedra<'a>(&'a self, mesh: &'a TetMesh) -> ContactTetrahedra<'a> {
        let Self { version, modulus, sound, size, skin, .. } = *self;
        let edge = skin / SKIN;
        ContactTetrahedra { version, tetrahedra: mesh.elements(), outer: &self.outer, modulus, size, edge, sound }
    }

    /// Memory (bytes).
    pub fn bytes(&self) -> usize {
        let words = [&self.nodes, &self.facets, &self.place_of, &self.outer, &self.origins, &self.firsts];
        words.iter().map(|words| words.capacity() * 4).sum::<usize>() + self.triangles.capacity() * 12
    }
}

fn is_broken(mesh: &TetMesh) -> bool {
    mesh.facet_attributes().labels(names::CRACK).is_some_and(|marks| marks.contains(&1))
}

fn code(facet: Facet<TetId>) -> u32 {
    4 * facet.element.0 + u32::from(facet.corner)
}

/// Nodes that were one lie at the same place of the rest shape, to the bit: a crack copies it.
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
