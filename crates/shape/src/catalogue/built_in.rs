//! What every built-in shape offers.

use craze_math::Vec3;
use craze_mesh::TetMesh;
use craze_spatial::Aabb;

use crate::domain::Domain;
use crate::error::{ShapeError, check_length};
use crate::field::Field;
use crate::resolution;
use crate::sample::{SampledPoints, grid};
use crate::stuffing::{Stuffing, StuffingOptions, StuffingReport, stuff};
use crate::surface::TriangleSurface;

/// Tetrahedra of a shape.
#[derive(Clone, Debug)]
pub struct Tetrahedra {
    /// The mesh: conforming, positive.
    pub mesh: TetMesh,
    /// Region of each tetrahedron; see [`BuiltIn::regions`].
    pub regions: Vec<u16>,
    /// What came of cutting them from a background; none where the shape has a lattice of its own.
    pub report: Option<StuffingReport>,
}

/// A shape that Craze makes itself: the middle of its box is the origin, y is up.
///
/// A shape that has not been [checked](Self::check) may answer with nonsense, but not with a panic.
pub trait BuiltIn: Sync {
    /// Refuses parameters that are no sizes, or do not fit together; the error names one.
    fn check(&self) -> Result<(), ShapeError>;

    /// Lengths of the smallest box around it (m).
    fn size(&self) -> Vec3;

    /// Its signed distance.
    fn field(&self) -> Field;

    /// The thinnest part or gap that a mesh should resolve (m).
    fn thinnest_wall(&self) -> f64;

    /// Volume (m³) where there is a formula.
    fn exact_volume(&self) -> Option<f64> {
        None
    }

    /// Names of its regions, which may be of different matter; the first is region 0.
    fn regions(&self) -> &'static [&'static str] {
        &["all"]
    }

    /// Tetrahedra from the shape's own lattice, if it has one.
    fn structured_mesh(&self, _edge: f64) -> Option<Result<TetMesh, ShapeError>> {
        None
    }

    /// A surface from a lattice of its own, if it has one.
    fn structured_surface(&self, _edge: f64) -> Option<Result<TriangleSurface, ShapeError>> {
        None
    }

    /// The smallest box around it.
    fn bounds(&self) -> Aabb {
        let half = 0.5 * self.size();
        Aabb { min: -half, max: half }
    }

    /// Volume (m³): by formula, or added up to about a thousandth.
    fn volume(&self) -> f64 {
        self.exact_volume().unwrap_or_else(|| self.field().integrated_volume(self.thinnest_wall()))
    }

    /// Edge length (m) for about 10,000 tetrahedra, shorter where thin walls need it.
    fn default_edge(&self) -> f64 {
        let (volume, wall) = (self.volume(), self.thinnest_wall());
        // No shape whose walls are all at least so thick has more area than this.
        resolution::edge_for(volume, 2.0 * volume / wall, wall)
    }

    /// Distance of particles (m) for about 2,000 of them, shorter where thin walls need it.
    fn default_spacing(&self) -> f64 {
        let (volume, wall) = (self.volume(), self.thinnest_wall());
        resolution::spacing_for(volume, 2.0 * volume / wall, wall)
    }

    /// Conforming positive tetrahedra with edges of about `edge` (m).
    ///
    /// Most shapes are cut from a background by [`stuff`]. A box is a Kuhn lattice whose cells are at most `edge` wide. In spheres and cylinders the distance of spheres, rings
    /// and layers is at most `edge`; points of their surface lie on the ideal one, so the volume falls short by O(edge²).
    /// Dihedral angles: box of cubic cells 45°–90°; sphere 36°–119°; cylinder, with layers as high as rings are wide,
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

    /// A closed surface, outward, for obstacles and pictures; curved parts have edges of about `edge` (m), flat ones may have
    /// longer ones.
    fn surface(&self, edge: f64) -> Result<TriangleSurface, ShapeError> {
        self.check()?;
        check_length("edge", edge)?;
        self.structured_surface(edge).unwrap_or_else(|| Ok(TriangleSurface::around(&self.tetrahedra(edge)?.mesh)))
    }

    /// Points in the middles of grid cells inside the shape; see [`SampledPoints`].
    fn points(&self, spacing: f64) -> Result<SampledPoints, ShapeError> {
        self.check()?;
        check_length("spacing", spacing)?;
        grid::inside(&self.field(), &self.bounds(), Vec3::repeat(spacing), spacing, self.volume())
    }
}
