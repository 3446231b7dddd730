//! Triangle and tetrahedral meshes that can be cut, split and glued while everything on them follows.

mod attributes;
mod boundary;
mod collapse;
mod cut;
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
mod quality;
mod replace;
mod saved;
mod split;
mod validate;

pub use attributes::{AttributeError, Attributes, ElementRule, Inherit, PointRule, Rule, Values};
pub use boundary::{Rim, Surface};
pub use cut::Snap;
pub use edit::{Edit, ElementAdded, ElementRemoved, Inheritance, Moved, PointPlaced, Resized};
pub use error::{Corners, EditError, MeshError, Side};
pub use facet::Facet;
pub use id::{Id, NodeId, TetId, TriangleId, VertexId};
pub use lattice::{Jitter, LatticeError, kuhn_box, kuhn_box_jittered, kuhn_grid, kuhn_grid_jittered};
pub use measure::{Measure, doubled_area};
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
