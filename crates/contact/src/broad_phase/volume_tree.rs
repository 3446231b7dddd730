//! Bounding volume hierarchy of tetrahedra: which of them contain a point, where their surface is,
//! and which of two bodies' overlap.

use crate::ContactTetrahedra;
use craze_math::Vec3;
use craze_math::tetrahedron::weights_inside;
use craze_spatial::{Aabb, Bvh, Closest, SpatialError, TriangleTree};

/// The tetrahedra of a body at their present positions.
#[derive(Debug, Default)]
pub struct VolumeTree {
    version: Option<u64>,
    tetrahedra: Vec<[u32; 4]>,
    /// Faces that only one tetrahedron has, seen counter-clockwise from outside in an uninverted
    /// mesh.
    outside: Vec<[u32; 3]>,
    outer_nodes: Vec<u32>,
    places: Vec<Vec3>,
    boxes: Vec<Aabb>,
    tree: Bvh,
    shell: TriangleTree,
}

/// Corners of the four faces of a tetrahedron, seen counter-clockwise from outside.
const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

impl VolumeTree {
    /// Updates the tetrahedra if they have changed.
    pub fn follow(&mut self, tetrahedra: &ContactTetrahedra) {
        if self.version == Some(tetrahedra.version) {
            return;
        }
        self.version = Some(tetrahedra.version);
        self.tetrahedra.clear();
        self.tetrahedra.extend_from_slice(tetrahedra.tetrahedra);
        let corners = |tetrahedron: &[u32; 4], face: [usize; 3]| face.map(|corner| tetrahedron[corner]);
        let faces = self.tetrahedra.iter().flat_map(|tetrahedron| FACES.map(|face| corners(tetrahedron, face)));
        let mut faces: Vec<([u32; 3], [u32; 3])> = faces
            .map(|face| {
                let mut key = face;
                key.sort_unstable();
                (key, face)
            })
            .collect();
        faces.sort_unstable();
        self.outside =
            faces.chunk_by(|one, other| one.0 == other.0).filter(|run| run.len() == 1).map(|run| run[0].1).collect();
        self.outer_nodes = self.outside.iter().flatten().copied().collect();
        self.outer_nodes.sort_unstable();
        self.outer_nodes.dedup();
        (self.tree, self.shell) = (Bvh::default(), TriangleTree::default());
    }

    /// Updates the positions of the nodes (m).
    pub fn refresh(&mut self, places: impl Iterator<Item = Vec3>) -> Result<(), SpatialError> {
        self.places.clear();
        self.places.extend(places);
        let count = self.places.len();
        for (number, nodes) in self.tetrahedra.iter().enumerate() {
            if let Some(&point) = nodes.iter().find(|&&node| node as usize >= count) {
                return Err(SpatialError::BadIndex { triangle: number, point, count });
            }
        }
        self.boxes.clear();
        self.boxes.extend(
            self.tetrahedra
                .iter()
                .map(|nodes| Aabb::from_points(nodes.iter().map(|&node| &self.places[node as usize]))),
        );
        if self.tree.len() == self.boxes.len() {
            self.tree.refit(&self.boxes)?;
            self.shell.refit(&self.places)
        } else {
            self.tree = Bvh::build(&self.boxes)?;
            self.shell = TriangleTree::new(&self.places, &self.outside)?;
            Ok(())
        }
    }

    /// Nodes of the surface, ascending.
    pub fn outer_nodes(&self) -> &[u32] {
        &self.outer_nodes
    }

    /// The nodes of a tetrahedron.
    pub fn nodes(&self, tetrahedron: u32) -> [u32; 4] {
        self.tetrahedra[tetrahedron as usize]
    }

    /// Positions of the nodes of a tetrahedron (m).
    pub fn corners(&self, tetrahedron: u32) -> [Vec3; 4] {
        self.nodes(tetrahedron).map(|node| self.places[node as usize])
    }

    /// Position of a node (m).
    pub fn place(&self, node: u32) -> Vec3 {
        self.places[node as usize]
    }

    /// Bounding box.
    pub fn bounds(&self) -> Aabb {
        self.tree.bounds()
    }

    /// The tetrahedron that contains a point (m), the first of several, and the weights of its
    /// nodes there.
    pub fn holding(&self, place: &Vec3) -> Option<(u32, [f64; 4])> {
        let mut held: Option<(u32, [f64; 4])> = None;
        self.tree.overlapping(&Aabb::from_point(place), &self.boxes, |tetrahedron| {
            if held.is_none_or(|(first, _)| tetrahedron < first)
                && let Some(weights) = weights_inside(&self.corners(tetrahedron), place)
            {
                held = Some((tetrahedron, weights));
            }
        });
        held
    }

    /// The nearest point of the surface (m), and the outward unit normal of its triangle; none for
    /// a body without tetrahedra or a triangle without area.
    pub fn nearest_outside(&self, place: &Vec3) -> Option<(Closest, Vec3)> {
        let closest = self.shell.closest(place)?;
        let [a, b, c] = self.outside[closest.triangle as usize].map(|corner| self.places[corner as usize]);
        let outward = (b - a).cross(&(c - a)).try_normalize(0.0)?;
        Some((closest, outward))
    }

    /// Pairs of tetrahedra of two bodies whose boxes overlap, ascending.
    pub fn pairs(&self, other: &VolumeTree, pairs: &mut Vec<[u32; 2]>) {
        pairs.clear();
        self.tree.pairs(&self.boxes, &other.tree, &other.boxes, |one, two| pairs.push([one, two]));
        // Sums over them must not depend on the trees.
        pairs.sort_unstable();
    }
}
