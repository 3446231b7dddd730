//! A body of enriched tetrahedra.

use crate::bridge::{Bridge, bridges};
use crate::crack::{CutError, Growth};
use crate::cut::{self, CutPlane};
use crate::enrichment::Enrichment;
use crate::knife::Knife;
use crate::options::{MassMatrix, XfemError, XfemOptions};
use crate::parts::Part;
use crate::pieces::DofPieces;
use crate::surface::BodySurface;
use crate::system::System;
use craze_body::implicit::Equilibrium;
use craze_body::{ConstrainedRegions, TrackedPoints};
use craze_element::{CorotatedLaw, Tetrahedron};
use craze_engine::{MaterialPoint, Region, SplitCounts};
use craze_material::Material;
use craze_math::{Isometry, Vec3};
use craze_mesh::TetMesh;
use craze_spatial::Aabb;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Positions and velocities of all degrees of freedom.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Motion {
    /// Positions (m).
    pub positions: Vec<Vec3>,
    /// Velocities (m/s).
    pub velocities: Vec<Vec3>,
}

/// A cut by a plane that a scene asks for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedCut {
    /// When (s).
    pub time: f64,
    /// A point of the plane in the world, as the body was placed (m).
    pub point: Vec3,
    /// Its normal there.
    pub normal: Vec3,
    /// Where it cuts, likewise.
    pub region: Region,
}

/// A body of tetrahedra whose nodes gain degrees of freedom where cracks pass.
pub struct Xfem {
    pub(crate) mesh: TetMesh,
    pub(crate) rest: Vec<Tetrahedron>,
    pub(crate) material_of: Vec<u32>,
    pub(crate) materials: Vec<Material>,
    pub(crate) laws: Vec<CorotatedLaw>,
    pub(crate) options: XfemOptions,
    pub(crate) placement: Isometry,
    pub(crate) enrichment: Enrichment,
    /// How the cracks have grown, from which a loaded body rebuilds its parts.
    pub(crate) history: Vec<Growth>,
    /// Cuts that are still to come, by time.
    pub(crate) planned: Vec<PlannedCut>,
    /// Knives that move through the body.
    pub(crate) knives: Vec<Knife>,
    /// Elements with a front inside, each with the crack: the cut share of its polygon, below 1.
    pub(crate) fronts: BTreeMap<(u32, u32), f64>,
    pub(crate) bridges: Vec<Bridge>,
    pub(crate) state: Motion,
    pub(crate) prediction: Motion,
    /// Change of velocity in the last step (m/s), from which the next solution starts.
    pub(crate) increments: Vec<Vec3>,
    /// Mass that moves with each degree of freedom (kg).
    pub(crate) masses: Vec<f64>,
    pub(crate) pieces: DofPieces,
    pub(crate) surface: BodySurface,
    pub(crate) constraints: ConstrainedRegions,
    pub(crate) tracked: TrackedPoints<MaterialPoint>,
    pub(crate) counts: SplitCounts,
    /// Work of loads, holds and contacts (J).
    pub(crate) work: f64,
    pub(crate) pending_work: f64,
    pub(crate) equilibrium: Equilibrium,
    /// Bounding box of state and prediction (m).
    pub(crate) bounds: Aabb,
    pub(crate) system: Option<Box<System>>,
}

impl Xfem {
    /// A body at rest in its mesh, which `placement` takes to the world; it moves with a velocity
    /// (m/s) and spins (rad/s) about its centre of mass.
    pub fn new(
        mesh: TetMesh,
        materials: Vec<Material>,
        options: XfemOptions,
        placement: Isometry,
        velocity: Vec3,
        spin: Vec3,
    ) -> Result<Xfem, XfemError> {
        let material_of = mesh.element_attributes().labels(craze_frame::names::MATERIAL);
        let material_of = material_of.map_or_else(|| vec![0; mesh.element_count()], <[u32]>::to_vec);
        let mut body = Xfem::at_rest(mesh, material_of, materials, options, placement)?;
        if !(craze_body::save::is_finite(&velocity) && craze_body::save::is_finite(&spin)) {
            return Err(XfemError::NotFinite { what: "velocity" });
        }
        let total: f64 = body.masses.iter().sum();
        let moment: Vec3 = body.masses.iter().zip(&body.state.positions).map(|(mass, at)| *mass * at).sum();
        let center = moment / total;
        for (slot, position) in body.state.velocities.iter_mut().zip(&body.state.positions) {
            *slot = velocity + spin.cross(&(position - center));
        }
        body.prediction = body.state.clone();
        Ok(body)
    }

    pub(crate) fn at_rest(
        mesh: TetMesh,
        material_of: Vec<u32>,
        materials: Vec<Material>,
        options: XfemOptions,
        placement: Isometry,
    ) -> Result<Xfem, XfemError> {
        options.check()?;
        if mesh.element_count() == 0 {
            return Err(XfemError::Empty);
        }
        for material in &materials {
            material.check().map_err(|error| XfemError::Material { name: material.name.clone(), error })?;
            if !material.elasticity.is_isotropic() {
                return Err(XfemError::Anisotropic { name: material.name.clone() });
            }
        }
        let wrong = material_of.iter().position(|&index| index as usize >= materials.len());
        if let Some(element) = wrong.or((material_of.len() != mesh.element_count()).then_some(0)) {
            return Err(XfemError::NoMaterial { element: element as u32 });
        }
        let rest: Vec<Option<Tetrahedron>> =
            mesh.element_ids().map(|element| Tetrahedron::new(&mesh.corners(element))).collect();
        if let Some(element) = rest.iter().position(Option::is_none) {
            let place = craze_math::tetrahedron::centroid(&mesh.corners(craze_mesh::TetId(element as u32)));
            return Err(XfemError::Flat { element: element as u32, place });
        }
        let law = |material: &Material| {
            let (lambda, mu) = material.elasticity.lame();
            CorotatedLaw { lambda, mu }
        };
        let laws = materials.iter().map(law).collect();
        let positions: Vec<Vec3> =
            mesh.positions().iter().map(|rest| placement.transform_point(&(*rest).into()).coords).collect();
        let count = positions.len();
        let state = Motion { positions, velocities: vec![Vec3::zeros(); count] };
        let enrichment = Enrichment::new(&mesh);
        let mut body = Xfem {
            rest: rest.into_iter().flatten().collect(),
            material_of,
            materials,
            laws,
            options,
            placement,
            enrichment,
            history: Vec::new(),
            planned: Vec::new(),
            knives: Vec::new(),
            fronts: BTreeMap::new(),
            bridges: Vec::new(),
            prediction: state.clone(),
            state,
            increments: vec![Vec3::zeros(); count],
            masses: Vec::new(),
            pieces: DofPieces::default(),
            surface: BodySurface::default(),
            constraints: ConstrainedRegions::default(),
            tracked: TrackedPoints::default(),
            counts: SplitCounts::default(),
            work: 0.0,
            pending_work: 0.0,
            equilibrium: Equilibrium::default(),
            bounds: Aabb::EMPTY,
            system: None,
            mesh,
        };
        body.bound();
        body.pieces = DofPieces::first(&body);
        body.rebuild();
        Ok(body)
    }

    /// Lets a crack grow: new degrees of freedom start with the position and velocity of those from
    /// which they separate, so that no momentum and no energy changes.
    pub fn grow(&mut self, growth: Growth) -> Result<(), CutError> {
        if growth.elements.is_empty() {
            return Ok(());
        }
        self.enrich(growth)?;
        self.counts.splits += 1;
        self.follow_cracks();
        Ok(())
    }

    /// Adds the parts and degrees of freedom of a growth. What follows from them is out of date
    /// until [`follow_cracks`](Self::follow_cracks).
    pub(crate) fn enrich(&mut self, growth: Growth) -> Result<(), CutError> {
        let sources = self.enrichment.grow(&self.mesh, &growth)?;
        for &source in &sources {
            for motion in [&mut self.state, &mut self.prediction] {
                motion.positions.push(motion.positions[source as usize]);
                motion.velocities.push(motion.velocities[source as usize]);
            }
            self.increments.push(self.increments[source as usize]);
            self.pieces.add(source);
        }
        if !sources.is_empty() {
            // The load on a node is divided by mass when the next equilibrium is sought.
            self.equilibrium = Equilibrium::default();
        }
        self.history.push(growth);
        Ok(())
    }

    /// Cuts along a plane in the world, as the body was placed.
    pub fn cut(&mut self, cut: &PlannedCut) -> Result<(), CutError> {
        let inverse = self.placement.inverse();
        let point = inverse.transform_point(&cut.point.into()).coords;
        let plane = CutPlane::new(point, inverse.transform_vector(&cut.normal))?;
        let inside = |center: &Vec3| cut.region.contains(&self.placement.transform_point(&(*center).into()).coords);
        let growth = cut::planar(&self.mesh, &self.enrichment, &plane, &[], inside);
        self.grow(growth)
    }

    /// Rebuilds what follows from parts, degrees of freedom and fronts.
    pub(crate) fn follow_cracks(&mut self) {
        self.bridges = bridges(self);
        let volume = |part: &Part| self.rest[part.element as usize].volume * part.share;
        self.pieces.separate(&self.enrichment, &self.bridges, volume);
        self.rebuild();
    }

    /// Rebuilds all but the pieces.
    pub(crate) fn rebuild(&mut self) {
        self.bridges = bridges(self);
        self.masses = self.masses_of_dofs();
        self.surface = BodySurface::of(self);
        self.system = None;
    }

    fn masses_of_dofs(&self) -> Vec<f64> {
        let mut masses = vec![0.0; self.enrichment.node_of.len()];
        for part in &self.enrichment.parts {
            let mass = self.mass_of_element(part.element);
            for (dof, first) in part.dofs.iter().zip(&part.first) {
                masses[*dof as usize] += mass * first;
            }
        }
        masses
    }

    /// Mass of an element at rest (kg).
    pub(crate) fn mass_of_element(&self, element: u32) -> f64 {
        let element = element as usize;
        self.materials[self.material_of[element] as usize].density * self.rest[element].volume
    }

    /// Mass between two corners of a part, as a share of the mass of its element: ∫N_i·N_j, or the
    /// sum of its row on the diagonal.
    #[inline]
    pub(crate) fn mass_share(&self, part: &Part, i: usize, j: usize) -> f64 {
        match self.options.mass {
            MassMatrix::Consistent => part.second[i][j],
            MassMatrix::Diagonal if i == j => part.first[i],
            MassMatrix::Diagonal => 0.0,
        }
    }

    /// Position at which a point of the rest configuration was placed (m).
    pub(crate) fn placed(&self, rest: &Vec3) -> Vec3 {
        self.placement.transform_point(&(*rest).into()).coords
    }

    /// From the node of the degree of freedom with which a part moves at a corner to that corner
    /// (m): zero but for slivers.
    pub(crate) fn offset(&self, part: &Part, corner: usize) -> Vec3 {
        let node = self.mesh.elements()[part.element as usize][corner];
        let own = self.enrichment.node_of[part.dofs[corner] as usize];
        if node == own {
            return Vec3::zeros();
        }
        let positions = self.mesh.positions();
        self.placement.rotation * (positions[node as usize] - positions[own as usize])
    }

    /// Positions of the corners of a part (m).
    pub(crate) fn corners(&self, part: &Part, positions: &[Vec3]) -> [Vec3; 4] {
        let corners = part.dofs.map(|dof| positions[dof as usize]);
        if part.is_stiff {
            return corners;
        }
        std::array::from_fn(|corner| corners[corner] + self.offset(part, corner))
    }

    /// Parts and degrees of freedom.
    pub fn enrichment(&self) -> &Enrichment {
        &self.enrichment
    }

    /// The tetrahedra at rest, which never change.
    pub fn mesh(&self) -> &TetMesh {
        &self.mesh
    }

    /// Positions of all degrees of freedom (m).
    pub fn positions(&self) -> &[Vec3] {
        &self.state.positions
    }

    /// Velocities of all degrees of freedom (m/s).
    pub fn velocities(&self) -> &[Vec3] {
        &self.state.velocities
    }

    /// The piece of every degree of freedom.
    pub fn pieces(&self) -> &[u32] {
        self.pieces.numbers()
    }

    /// Sets positions (m) and velocities (m/s) of all degrees of freedom, from their rest positions
    /// as placed and their numbers.
    pub fn set_motion(&mut self, motion: impl Fn(u32, &Vec3) -> (Vec3, Vec3)) {
        for dof in 0..self.enrichment.node_of.len() {
            let rest = self.placed(&self.mesh.positions()[self.enrichment.node_of[dof] as usize]);
            let (position, velocity) = motion(dof as u32, &rest);
            (self.state.positions[dof], self.state.velocities[dof]) = (position, velocity);
        }
        self.prediction = self.state.clone();
        self.bound();
    }

    /// Updates the bounding box.
    pub(crate) fn bound(&mut self) {
        self.bounds = Aabb::from_points(self.state.positions.iter().chain(&self.prediction.positions));
    }
}
