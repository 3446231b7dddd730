//! Triangle and tetrahedral meshes that can be split, collapsed, flipped and cut while everything on them follows.
//!
//! # One structure, two meshes
//! A [`TetMesh`] and a [`TriMesh`] are the same structure with four and with three corners an element. *Points* are nodes
//! or vertices, *elements* are tetrahedra or triangles, *facets* are the faces of a tetrahedron or the edges of a
//! triangle; facet `i` lies opposite corner `i` and is written outward. Points and elements lie in dense arrays
//! ([`SimplexMesh::positions`], [`SimplexMesh::elements`]); beside them stand the neighbour behind each facet and the
//! sorted list of elements at each point. Both follow from the elements alone, so a saved mesh is its positions,
//! elements and attributes, and a loaded one goes on with the same bits.
//!
//! # One way to change
//! Every edit plans a [`Patch`] (these elements go, those come) on the unchanged mesh. [`SimplexMesh::replace`] checks it
//! and then changes the elements, adjacency and attributes around it, nothing else. A refused edit has changed
//! nothing; its [`EditError`] says why. The [`Edit`] that comes back is the full log: arrays kept elsewhere follow by
//! [`Edit::carry_points`] and [`Edit::carry_elements`]. Slots and ids are explained at [`Resized`].
//!
//! | edit | |
//! |---|---|
//! | [`SimplexMesh::split_edge`] | a point on an edge |
//! | [`SimplexMesh::collapse_edge`] | two points become one |
//! | [`TetMesh::flip_face`], [`TetMesh::flip_edge`], [`TetMesh::flip_to_diagonal`] | 2 to 3, 3 to 2, 4 to 4 tetrahedra |
//! | [`TriMesh::flip_edge`] | the other diagonal of two triangles |
//! | [`SimplexMesh::move_point`] | another place in the rest shape |
//! | [`SimplexMesh::duplicate_point`] | some elements at a point get a copy of it |
//! | [`SimplexMesh::cut_star`] | a crack opens in a plane through a point |
//! | [`SimplexMesh::part_at_points`], [`SimplexMesh::part_at_edge`] | what only touches lets go |
//! | [`SimplexMesh::remove_elements`] | elements go for good |
//!
//! ```
//! use craze_math::Vec3;
//! use craze_mesh::{ElementRule, NodeId, Snap, Values, kuhn_box};
//!
//! let mut mesh = kuhn_box([4, 4, 4], Vec3::repeat(1.0))?;
//! let masses = mesh.element_ids().map(|tet| 2500.0 * mesh.measure(tet)).collect();
//! mesh.element_attributes_mut().add("mass", ElementRule::Divide, Values::Scalars(masses))?;
//!
//! // The body is at rest, so current positions are rest positions; velocities are an array of our own.
//! let current = mesh.positions().to_vec();
//! let mut velocities = vec![Vec3::zeros(); mesh.point_count()];
//! let edit = mesh.cut_star(NodeId(62), Vec3::new(1.0, 0.4, 0.2), &current, Snap::PAPER)?;
//! edit.carry_points(&mut velocities, |old, blend| blend.sum(|node| old[node.index()]));
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
mod cut;
mod delaunay;
mod edit;
mod error;
mod facet;
mod flip;
mod id;
mod incidence;
mod lattice;
mod measure;
mod mesh;
mod order;
mod part;
mod patch;
mod pieces;
mod place;
mod quality;
mod replace;
mod saved;
mod split;
mod validate;

pub use attributes::{AttributeError, Attributes, ElementRule, Inherit, PointRule, Rule, Values};
pub use boundary::{Rim, Surface};
pub use cut::{CutSurface, Snap, Tail};
pub use delaunay::{
    ChainName, DelaunayError, Parted, PlaneDomain, Triangulation, edge_sides, part_along, part_except, triangulate,
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

/// What happened to a tetrahedral mesh.
pub type TetEdit = Edit<NodeId, TetId>;
/// What happened to a triangle mesh.
pub type TriEdit = Edit<VertexId, TriangleId>;
/// What is wrong with a tetrahedral mesh.
pub type TetMeshError = MeshError<NodeId, TetId>;
/// What is wrong with a triangle mesh.
pub type TriMeshError = MeshError<VertexId, TriangleId>;
/// Why an edit of a tetrahedral mesh is refused.
pub type TetEditError = EditError<NodeId, TetId>;
/// Why an edit of a triangle mesh is refused.
pub type TriEditError = EditError<VertexId, TriangleId>;
/// Facet of a tetrahedron.
pub type Face = Facet<TetId>;
/// Facet of a triangle.
pub type TriangleSide = Facet<TriangleId>;
