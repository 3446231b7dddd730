//! What a body shows to contact: one view of its collision geometry.

use super::{ContactRun, ContactSurface, ContactTetrahedra, ContactTriangles, SurfacePoint};
use craze_spatial::Aabb;

/// The collision geometry of a body in its present state and prediction.
///
/// All lists are borrowed from the body, and points are computed when contact asks for them, so that a
/// view costs next to nothing. A body gives what it has and leaves the rest empty:
///
/// | body | what it gives |
/// |---|---|
/// | particles | points with radii |
/// | solid | points, closed triangles with a skin, tetrahedra with their nodes, runs |
/// | sheet | points with half the thickness as radius, open triangles |
/// | layers | the same for all layers in one list of points: each point has the radius of its layer |
/// | embedded or enriched surface | points with [stencils](super::PointStencils) of several degrees of freedom, triangles |
#[derive(Clone, Copy)]
pub struct CollisionGeometry<'a> {
    /// Bounding box of state and prediction (m), radii included: the first test of the broad phase.
    pub bounds: Aabb,
    /// The points that can collide.
    pub points: &'a dyn ContactPoints,
    /// The same points in runs, so that only those near something are computed; none for a body that
    /// hands over all points at once.
    pub runs: Option<&'a dyn ContactRuns>,
    /// The triangles over those points; none for a body of particles. Where a crack or remeshing
    /// changes them, between two steps, the version changes, and points that a crack has made of one
    /// have the same [origin](ContactTriangles::origins): both crack faces then coincide, and contact
    /// neither separates them nor lets them penetrate. Degrees of freedom that stay keep their
    /// numbers, or the cached impulses of the last step are lost.
    pub triangles: ContactTriangles<'a>,
    /// Its tetrahedra, for penalty forces; empty for a body that has none.
    pub tetrahedra: ContactTetrahedra<'a>,
    /// The nodes of the tetrahedra, inner ones too.
    pub nodes: Option<&'a dyn ContactNodes>,
    /// True if parts of the body can collide with other parts of it.
    pub touches_itself: bool,
}

/// Computes the points of a body that can collide.
pub trait ContactPoints {
    /// Adds all points, with state and prediction, and their stencils if they have several degrees of
    /// freedom. Points that others can collide with are all listed, inner particles too where tearing
    /// exposes them.
    fn add_points(&self, surface: &mut ContactSurface);
}

/// Computes the same points in runs.
pub trait ContactRuns {
    /// Adds the runs: all points, in the order of the list, with boxes that include the impulses on
    /// the prediction so far.
    fn add_runs(&self, runs: &mut Vec<ContactRun>);

    /// Writes the points of one of the runs.
    fn write_run(&self, run: usize, points: &mut [SurfacePoint]);
}

/// Computes the nodes of the tetrahedra of a body.
pub trait ContactNodes {
    /// Adds all nodes, with state and prediction.
    fn add_nodes(&self, nodes: &mut ContactSurface);
}

impl<'a> CollisionGeometry<'a> {
    /// Points within a bounding box (m), without triangles, tetrahedra and contact with themselves.
    pub fn of_points(bounds: Aabb, points: &'a dyn ContactPoints) -> CollisionGeometry<'a> {
        CollisionGeometry {
            bounds,
            points,
            runs: None,
            triangles: ContactTriangles::default(),
            tetrahedra: ContactTetrahedra::default(),
            nodes: None,
            touches_itself: false,
        }
    }

    /// Bounding box of all that the body keeps others away from (m): with the skin of its triangles.
    pub fn bounds_with_skin(&self) -> Aabb {
        self.bounds.grown(self.triangles.skin)
    }

    /// The points that can collide, in a list of their own.
    pub fn surface(&self) -> ContactSurface {
        let mut surface = ContactSurface::default();
        self.points.add_points(&mut surface);
        surface
    }

    /// The nodes of the tetrahedra, in a list of their own.
    pub fn nodes(&self) -> ContactSurface {
        let mut surface = ContactSurface::default();
        if let Some(source) = self.nodes {
            source.add_nodes(&mut surface);
        }
        surface
    }
}
