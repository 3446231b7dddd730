//! The interface of built-in shapes.

use craze_math::Vec3;
use craze_mesh::{PlaneDomain, TetMesh};
use craze_spatial::Aabb;

use crate::domain::Domain;
use crate::error::{ShapeError, check_length};
use crate::field::Field;
use crate::resolution;
use crate::sample::{SampledPoints, grid};
use crate::stuffing::{Stuffing, StuffingOptions, StuffingReport, stuff};
use crate::surface::TriangleSurface;

/// Tetrahedral mesh of a shape.
#[derive(Clone, Debug)]
pub struct Tetrahedra {
    /// The mesh: conforming, with positive volumes.
    pub mesh: TetMesh,
    /// Region of each tetrahedron; see [`BuiltIn::regions`].
    pub regions: Vec<u16>,
    /// Report of the stuffing; `None` for structured meshes.
    pub report: Option<StuffingReport>,
}

/// A built-in shape, y up, its bounding box centred at the origin.
///
/// Without a [check](Self::check) results may be meaningless, but nothing panics.
pub trait BuiltIn: Sync {
    /// Rejects invalid or incompatible parameters; the error names one.
    fn check(&self) -> Result<(), ShapeError>;

    /// Extents of the bounding box (m).
    fn size(&self) -> Vec3;

    /// The signed distance field.
    fn field(&self) -> Field;

    /// The thinnest wall or gap that a mesh should resolve (m).
    fn thinnest_wall(&self) -> f64;

    /// Volume (m³) in closed form, if there is one.
    fn exact_volume(&self) -> Option<f64> {
        None
    }

    /// Names of its material regions, starting with region 0.
    fn regions(&self) -> &'static [&'static str] {
        &["all"]
    }

    /// A structured tetrahedral mesh, if the shape has one.
    fn structured_mesh(&self, _edge: f64) -> Option<Result<TetMesh, ShapeError>> {
        None
    }

    /// A structured surface mesh, if the shape has one.
    fn structured_surface(&self, _edge: f64) -> Option<Result<TriangleSurface, ShapeError>> {
        None
    }

    /// For a prism along an axis (0–2): its section, in the coordinates of the next two axes in
    /// cyclic order, with curves in segments of at most `edge` (m).
    fn section(&self, _axis: usize, _edge: f64) -> Option<PlaneDomain> {
        None
    }

    /// The bounding box.
    fn bounds(&self) -> Aabb {
        let half = 0.5 * self.size();
        Aabb { min: -half, max: half }
    }

    /// Volume (m³): in closed form, or integrated to about 1e-3.
    fn volume(&self) -> f64 {
        self.exact_volume().unwrap_or_else(|| self.field().integrated_volume(self.thinnest_wall()))
    }

    /// Edge length (m) for about 10,000 tetrahedra, shorter where thin walls need it.
    fn default_edge(&self) -> f64 {
        let (volume, wall) = (self.volume(), self.thinnest_wall());
        // An upper bound of the area if no wall is thinner.
        resolution::edge_for(volume, 2.0 * volume / wall, wall)
    }

    /// Particle spacing (m) for about 2,000 particles, shorter where thin walls need it.
    fn default_spacing(&self) -> f64 {
        let (volume, wall) = (self.volume(), self.thinnest_wall());
        resolution::spacing_for(volume, 2.0 * volume / wall, wall)
    }

    /// A conforming mesh of positive tetrahedra with edges of about `edge` (m).
    ///
    /// Most shapes are meshed by [`stuff`]. A box is a Kuhn lattice of cells at most `edge` wide.
    /// In spheres and cylinders, shells, rings and layers are at most `edge` apart; their surface
    /// nodes lie on the true surface, so the volume is too small by O(edge²). Dihedral angles: box
    /// of cubic cells 45°–90°; sphere 36°–119°; cylinder with layers as high as rings are wide
    /// 34°–126°; brick wall 14°–90°.
    fn tetrahedra(&self, edge: f64) -> Result<Tetrahedra, ShapeError> {
        self.check()?;
        check_length("edge", edge)?;
        let Some(mesh) = self.structured_mesh(edge) else {
            let Stuffing { mesh, regions, report } = stuff(&self.field(), &StuffingOptions::with_edge(edge))?;
            return Ok(Tetrahedra { mesh, regions, report: Some(report) });
        };
        let mesh = mesh?;
        let regions = if self.regions().len() == 1 {
            vec![0; mesh.element_count()]
        } else {
            let field = self.field();
            mesh.element_ids().map(|tet| field.region(&(mesh.corners(tet).iter().sum::<Vec3>() / 4.0))).collect()
        };
        Ok(Tetrahedra { mesh, regions, report: None })
    }

    /// A closed outward-oriented surface for obstacles and rendering; edges of about `edge` (m)
    /// where it is curved, possibly longer where it is flat.
    fn surface(&self, edge: f64) -> Result<TriangleSurface, ShapeError> {
        self.check()?;
        check_length("edge", edge)?;
        self.structured_surface(edge).unwrap_or_else(|| Ok(TriangleSurface::around(&self.tetrahedra(edge)?.mesh)))
    }

    /// Centres of grid cells inside the shape; see [`SampledPoints`].
    fn points(&self, spacing: f64) -> Result<SampledPoints, ShapeError> {
        self.check()?;
        check_length("spacing", spacing)?;
        grid::sample_cells(&self.field(), &self.bounds(), Vec3::repeat(spacing), spacing, self.volume())
    }
}
