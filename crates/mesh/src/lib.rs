//! Triangle and tetrahedral meshes with splits, collapses, flips and cuts that transfer all
//! attributes.
//!
//! # One structure, two meshes
//! [`TetMesh`] and [`TriMesh`] are the same structure with four and three corners per element.
//! *Points* are nodes or vertices, *elements* are tetrahedra or triangles, *facets* are the faces
//! of a tetrahedron or the edges of a triangle; facet `i` is opposite corner `i` and oriented
//! outward. Points and elements are dense arrays ([`SimplexMesh::positions`],
//! [`SimplexMesh::elements`]); stored with them are the neighbour at each facet and the sorted list
//! of elements at each point. Both depend on the elements only, so a saved mesh consists of
//! positions, elements and attributes, and a loaded mesh continues with the same bits.
//!
//! # Editing
//! Every edit plans a [`Patch`] (elements to remove and to add) on the unchanged mesh.
//! [`SimplexMesh::replace`] checks the patch and then changes elements, adjacency and attributes
//! locally. A failed edit changes nothing and returns an [`EditError`]. A successful one returns
//! the [`Edit`], its complete log: arrays stored elsewhere are updated by [`Edit::apply_to_points`]
//! and [`Edit::apply_to_elements`]. See [`Resized`] for slots and ids.
//!
//! | edit | |
//! |---|---|
//! | [`SimplexMesh::split_edge`] | new point on an edge |
//! | [`SimplexMesh::collapse_edge`] | merge two points |
//! | [`TetMesh::flip_face`] | 2–3 flip of tetrahedra |
//! | [`TetMesh::flip_edge`] | 3–2 flip of tetrahedra |
//! | [`TetMesh::flip_to_diagonal`] | 4–4 flip of tetrahedra |
//! | [`TriMesh::flip_edge`] | flip the diagonal of two triangles |
//! | [`SimplexMesh::move_point`] | new position in the rest shape |
//! | [`SimplexMesh::duplicate_point`] | a copy of a point for some of its elements |
//! | [`SimplexMesh::cut_star`] | open a crack in a plane through a point |
//! | [`SimplexMesh::separate_at_points`] | separate elements that share only points |
//! | [`SimplexMesh::separate_at_edge`] | separate elements that share only an edge |
//! | [`SimplexMesh::remove_elements`] | remove elements |
//!
//! ```
//! use craze_math::Vec3;
//! use craze_mesh::{ElementRule, NodeId, Snap, Values, kuhn_box};
//!
//! let mut mesh = kuhn_box([4, 4, 4], Vec3::repeat(1.0))?;
//! let masses = mesh.element_ids().map(|tet| 2500.0 * mesh.measure(tet)).collect();
//! mesh.element_attributes_mut().add("mass", ElementRule::Divide, Values::Scalars(masses))?;
//!
//! // The body is at rest: current positions are rest positions.
//! let current = mesh.positions().to_vec();
//! let mut velocities = vec![Vec3::zeros(); mesh.point_count()];
//! let edit = mesh.cut_star(NodeId(62), Vec3::new(1.0, 0.4, 0.2), &current, Snap::PAPER)?;
//! edit.apply_to_points(&mut velocities, |old, blend| blend.sum(|node| old[node.index()]));
//! assert_eq!(velocities.len(), mesh.point_count());
//! assert!(!edit.crack.is_empty());
//!
//! let mass: f64 = mesh.element_attributes().scalars("mass").unwrap_or(&[]).iter().sum();
//! assert!((mass - 2500.0).abs() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod attributes;
mod boundary;
mod collapse;
mod crack;
mod cut;
mod delaunay;
mod edit;
mod error;
mod facet;
mod flip;
mod id;
mod incidence;
mod jitter;
mod lattice;
mod measure;
mod mesh;
mod move_point;
mod order;
mod patch;
mod pieces;
mod quality;
mod replace;
mod saved;
mod separate;
mod split;
mod tuning;
mod validate;

pub use attributes::{AttributeError, Attributes, ElementRule, Inherit, PointRule, Rule, Values};
pub use boundary::{BoundaryEdges, Surface};
pub use crack::{CrackError, Cracked, FlatCrack, OpenCrack, open_cracks};
pub use cut::{CrackTip, CutSurface, Snap};
pub use delaunay::{
    ChainName, DelaunayError, InnerPoints, PlaneDomain, SeparatedTriangles, Triangulation, edge_sides, separate_along,
    separate_except, triangulate, triangulate_with,
};
pub use edit::{Edit, ElementAdded, ElementRemoved, Inheritance, Moved, PointPlaced, Resized};
pub use error::{Corners, EditError, MeshError, Side};
pub use facet::Facet;
pub use id::{Id, NodeId, TetId, TriangleId, VertexId};
pub use lattice::{Jitter, LatticeError, kuhn_box, kuhn_box_jittered, kuhn_grid, kuhn_grid_jittered};
pub use measure::Measure;
pub use mesh::{SimplexMesh, TetMesh, TriMesh};
pub use order::{Order, OrderError, morton_order};
pub use patch::{Blend, NewElement, Patch};
pub use quality::{TETRAHEDRON_EDGES, TetQuality, TriangleQuality, tetrahedron_quality, triangle_quality};

/// Log of an edit of a tetrahedral mesh.
pub type TetEdit = Edit<NodeId, TetId>;
/// Log of an edit of a triangle mesh.
pub type TriEdit = Edit<VertexId, TriangleId>;
/// Fault of a tetrahedral mesh.
pub type TetMeshError = MeshError<NodeId, TetId>;
/// Fault of a triangle mesh.
pub type TriMeshError = MeshError<VertexId, TriangleId>;
/// Error of an edit of a tetrahedral mesh.
pub type TetEditError = EditError<NodeId, TetId>;
/// Error of an edit of a triangle mesh.
pub type TriEditError = EditError<VertexId, TriangleId>;
/// Facet of a tetrahedron.
pub type Face = Facet<TetId>;
