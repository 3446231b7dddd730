//! State of a solid: nodal degrees of freedom, rest state, and workspace of a step.

use crate::blocks::{Layout, LayoutError, islands_of_nodes, order_for_speed};
use crate::forces::Forces;
use crate::implicit::Implicit;
use crate::integrate::ChunkReport;
use crate::laws::{full_heights, laws_of, laws_of_elements, smallest_height};
use crate::limit::{Spectrum, Stiffnesses};
use crate::options::{Integrator, SolidError, SolidOptions};
use crate::order::Changed;
use crate::prefilter::Prefilter;
use crate::surface::SolidSurface;
use craze_body::Node;
use craze_body::implicit::Equilibrium;
use craze_body::pieces::{Pieces, labels};
use craze_body::{ConstrainedRegions, IslandMotion, PieceEvent, TrackedPoints};
use craze_element::{CollapseGuard, Law};
use craze_engine::{MaterialPoint, SplitCounts};
use craze_frame::names;
use craze_material::Material;
use craze_math::{Isometry, Vec3};
use craze_mesh::TetMesh;
use craze_spatial::Aabb;

/// An elastic solid of linear tetrahedra (O'Brien & Hodgins 1999, §3).
pub struct Solid {
    /// Rest shape in the frame of the body, in the order of the layout. Constrained regions are
    /// point attributes.
    pub(crate) mesh: TetMesh,
    /// Index of each element's material.
    pub(crate) material_of: Vec<u32>,
    pub(crate) materials: Vec<Material>,
    pub(crate) options: SolidOptions,
    /// From the frame of the body to the world at the start.
    pub(crate) placement: Isometry,
    /// Nodes in the state. Of islands in rigid-body mode, as recorded when they entered it.
    pub(crate) state: Vec<Node>,
    /// Nodes in the prediction.
    pub(crate) prediction: Vec<Node>,
    /// Rigid-body mode of each island.
    pub(crate) motions: Vec<IslandMotion>,
    pub(crate) constraints: ConstrainedRegions,
    /// Work of holds, loads and contacts since the start (J), and in the prediction.
    pub(crate) work: f64,
    pub(crate) pending_work: f64,
    /// Events that are not reported yet.
    pub(crate) events: Vec<PieceEvent>,
    pub(crate) pieces: Pieces,
    /// Material points that probes observe.
    pub(crate) tracked: TrackedPoints<MaterialPoint>,
    /// Counts of splits since the start.
    pub(crate) counts: SplitCounts,
    /// Smallest height of an element before anything broke (m), without slivers.
    pub(crate) first_height: f64,
    /// The last equilibrium; empty before the first.
    pub(crate) equilibrium: Equilibrium,
    /// Largest strain and stiffening at the last measurement, which bound Δt.
    pub(crate) spectrum: Spectrum,
    /// Nodes that failed and could not be split since the last frame, and whose elements have not
    /// changed since.
    pub(crate) refused: Vec<bool>,
    /// Whether cracks have added nodes and elements since the last frame.
    pub(crate) disordered: bool,
    /// Edits by cracks that the layout does not yet include.
    pub(crate) changed: Changed,
    /// The island of each node.
    pub(crate) node_islands: Vec<u32>,
    /// Everything below follows from the fields above.
    pub(crate) laws: Vec<Law>,
    /// For each material the height (m) above which its elements have its full viscosity.
    pub(crate) full_heights: Vec<f64>,
    pub(crate) guards: Vec<CollapseGuard>,
    pub(crate) layout: Layout,
    /// Drag on each node (1/s), by mass of its elements' materials; empty if there is none.
    pub(crate) drag: Vec<f64>,
    pub(crate) surface: SolidSurface,
    pub(crate) stiffnesses: Stiffnesses,
    /// Smallest height of an element at rest (m).
    pub(crate) smallest_height: f64,
    /// Largest principal stress (Pa) below which no node of the body fails.
    pub(crate) critical_stress: f64,
    /// Separation force (N) from which each node can fail; empty for an unbreakable body.
    pub(crate) critical_forces: Vec<f64>,
    pub(crate) scratch: Scratch,
}

/// Workspace of a step.
#[derive(Default)]
pub(crate) struct Scratch {
    pub forces: Forces,
    pub chunk_reports: Vec<ChunkReport>,
    /// Accelerations (m/s²), for the Taylor integrator.
    pub accelerations: Vec<[f64; 4]>,
    /// Nodes that contact or prescribed positions have moved far in this step.
    pub suspects: Vec<u32>,
    /// Index of each element among those around candidates for failure; `u32::MAX` between checks.
    pub element_indices: Vec<u32>,
    /// Rejects nodes that do not fail, if there are many candidates.
    pub prefilter: Prefilter,
    /// Δt of the prediction (s).
    pub time_step: f64,
    /// Bounding box of state and prediction (m).
    pub reach: Option<Aabb>,
    /// Solver of implicit steps and of equilibrium; created when first needed.
    pub implicit: Option<Box<Implicit>>,
}

impl Solid {
    /// A solid in its rest shape at `placement`. Its centre of mass moves with `velocity` (m/s),
    /// and it rotates about that with `spin` (rad/s).
    ///
    /// Elements are of the first material, or of those named by the mesh's element labels
    /// [`names::MATERIAL`]. Nodes and elements are renumbered along a Morton curve.
    pub fn new(
        mut mesh: TetMesh,
        materials: Vec<Material>,
        options: SolidOptions,
        placement: Isometry,
        velocity: Vec3,
        spin: Vec3,
    ) -> Result<Solid, SolidError> {
        let placed = placement.to_homogeneous();
        for (what, finite) in [
            ("placement", placed.iter().all(|number| number.is_finite())),
            ("velocity", velocity.iter().all(|number| number.is_finite())),
            ("spin", spin.iter().all(|number| number.is_finite())),
        ] {
            if !finite {
                return Err(SolidError::NotFinite { what });
            }
        }
        if mesh.element_count() == 0 {
            return Err(SolidError::Empty);
        }
        // Pieces are numbered from here; an imported attribute by that name has another meaning.
        mesh.element_attributes_mut().remove(names::PIECE);
        let labels = mesh.element_attributes().labels(names::MATERIAL);
        let mut material_of = labels.map_or_else(|| vec![0; mesh.element_count()], <[u32]>::to_vec);
        let first_height = smallest_height(&mesh);
        order_for_speed(&mut mesh, &mut material_of).map_err(SolidError::Order)?;
        let mut solid = Solid::at_rest(mesh, material_of, materials, options, placement, first_height)?;
        let (mut mass, mut moment) = (0.0, Vec3::zeros());
        for node in &solid.state {
            mass += node.mass();
            moment += node.mass() * node.position();
        }
        let center = moment / mass;
        for node in &mut solid.state {
            let place = node.position();
            node.set_velocity(&(velocity + spin.cross(&(place - center))));
        }
        solid.prediction.clone_from(&solid.state);
        solid.measure();
        solid.enter_rigid_mode();
        Ok(solid)
    }

    /// A body at rest at its placement, of a mesh in order. Everything that follows from other
    /// fields is computed here. `first_height` is the smallest height of an element (m) before
    /// anything broke.
    pub(crate) fn at_rest(
        mut mesh: TetMesh,
        material_of: Vec<u32>,
        materials: Vec<Material>,
        options: SolidOptions,
        placement: Isometry,
        first_height: f64,
    ) -> Result<Solid, SolidError> {
        options.check()?;
        if materials.is_empty() {
            return Err(SolidError::NoMaterial);
        }
        for material in &materials {
            material.check().map_err(|error| SolidError::Material { name: material.name.clone(), error })?;
        }
        if let Some(element) = material_of.iter().position(|&index| index as usize >= materials.len()) {
            let (index, count) = (material_of[element], materials.len());
            return Err(SolidError::UnknownMaterial { element: element as u32, index, count });
        }
        let pieces = Pieces::of(&mut mesh, options.smallest_piece);
        let node_islands = islands_of_nodes(&mesh);
        let full_heights = full_heights(&materials, &options, first_height);
        let layout =
            Layout::build(&mesh, &laws_of_elements(&mesh, &material_of, &full_heights), &node_islands, labels(&mesh))
                .map_err(|error| match error {
                LayoutError::Flat { element, place } => SolidError::Flat { element, place },
                LayoutError::NotOrdered => SolidError::Order("elements do not stand by islands".to_owned()),
            })?;
        let laws = laws_of(&materials);
        let guard = |law: &Law| CollapseGuard { threshold: options.collapse_guard, stiffness: law.pressure_modulus() };
        let guards = laws.iter().map(guard).collect();
        let (masses, drag) = lump(&mesh, &material_of, &materials);
        let place = |rest: &Vec3| placement.transform_point(&(*rest).into()).coords;
        let state: Vec<Node> = (mesh.positions().iter().zip(&masses))
            .map(|(rest, mass)| Node::new(place(rest), Vec3::zeros(), *mass))
            .collect();
        let surface = SolidSurface::of(&mesh, &materials, 0);
        let motions = (layout.islands.iter()).map(|island| IslandMotion::awake(&state[island.nodes.clone()])).collect();
        let stiffnesses = Stiffnesses::of(&mesh, &laws, &layout, &state, &drag);
        let spectrum = stiffnesses.spectrum();
        let scratch = Scratch {
            forces: Forces::of(&layout),
            chunk_reports: vec![ChunkReport::default(); layout.chunks.len()],
            accelerations: match options.integrator {
                Integrator::Taylor => vec![[0.0; 4]; state.len()],
                _ => Vec::new(),
            },
            ..Scratch::default()
        };
        let mut solid = Solid {
            pieces,
            changed: Changed::default(),
            stiffnesses,
            tracked: TrackedPoints::default(),
            counts: SplitCounts::default(),
            first_height,
            full_heights,
            refused: vec![false; state.len()],
            disordered: false,
            node_islands,
            critical_stress: f64::INFINITY,
            critical_forces: Vec::new(),
            smallest_height: spectrum.smallest_height,
            prediction: state.clone(),
            constraints: ConstrainedRegions::default(),
            work: 0.0,
            pending_work: 0.0,
            events: Vec::new(),
            equilibrium: Equilibrium::default(),
            mesh,
            material_of,
            materials,
            options,
            placement,
            state,
            motions,
            spectrum,
            laws,
            guards,
            layout,
            drag,
            surface,
            scratch,
        };
        solid.compute_critical_loads();
        Ok(solid)
    }

    /// Placed position of a point of the rest shape (m).
    pub(crate) fn placed(&self, rest: &Vec3) -> Vec3 {
        self.placement.transform_point(&(*rest).into()).coords
    }

    /// The tetrahedra and their rest shape, in the frame and order of the body.
    pub fn mesh(&self) -> &TetMesh {
        &self.mesh
    }

    /// Its materials.
    pub fn materials(&self) -> &[Material] {
        &self.materials
    }

    /// Its options.
    pub fn options(&self) -> &SolidOptions {
        &self.options
    }

    /// Positions of the nodes (m), in the order of [`mesh`](Solid::mesh).
    pub fn positions(&self) -> Vec<Vec3> {
        (0..self.state.len()).map(|node| self.node_now(node).0).collect()
    }

    /// Velocities of the nodes (m/s), in the order of [`mesh`](Solid::mesh).
    pub fn velocities(&self) -> Vec<Vec3> {
        (0..self.state.len()).map(|node| self.node_now(node).1).collect()
    }

    /// Lumped masses of the nodes (kg), in the order of [`mesh`](Solid::mesh).
    pub fn masses(&self) -> Vec<f64> {
        self.state.iter().map(Node::mass).collect()
    }

    /// Sets positions (m) and velocities (m/s) of nodes, in the order of [`mesh`](Solid::mesh), up
    /// to the end of the shorter list. For initial states that a placement cannot express. Wakes
    /// all islands.
    pub fn set_state(&mut self, positions: &[Vec3], velocities: &[Vec3]) {
        self.wake_all();
        for ((node, position), velocity) in self.state.iter_mut().zip(positions).zip(velocities) {
            node.set_position(position);
            node.set_velocity(velocity);
        }
        self.prediction.clone_from(&self.state);
        self.scratch.reach = None;
        self.measure();
    }

    /// Memory of state, constants and workspace (bytes), materials not counted.
    pub fn bytes(&self) -> usize {
        (self.state.capacity() + self.prediction.capacity()) * size_of::<Node>()
            + self.mesh.bytes()
            + self.layout.bytes()
            + self.scratch.forces.bytes()
            + self.material_of.capacity() * 4
            + self.surface.bytes()
            + self.stiffnesses.bytes()
            + self.scratch.prefilter.bytes()
            + self.drag.capacity() * 8
            + self.scratch.accelerations.capacity() * 32
            + self.scratch.chunk_reports.capacity() * size_of::<ChunkReport>()
    }
}

/// Lumped masses ρ·vol/4 (kg) and the drag on each node (1/s), weighted by mass; no entries if
/// nothing drags.
fn lump(mesh: &TetMesh, material_of: &[u32], materials: &[Material]) -> (Vec<f64>, Vec<f64>) {
    let mut masses = vec![0.0; mesh.point_count()];
    let mut drag = vec![0.0; mesh.point_count()];
    for (element, corners) in mesh.element_ids().zip(mesh.elements()) {
        let material = &materials[material_of[element.index()] as usize];
        let part = material.density * mesh.measure(element) / 4.0;
        for &corner in corners {
            masses[corner as usize] += part;
            drag[corner as usize] += part * material.damping.mass;
        }
    }
    if materials.iter().all(|material| material.damping.mass == 0.0) {
        return (masses, Vec::new());
    }
    // A uniform drag keeps its exact value: rigid-body mode requires equal drag at all nodes.
    let uniform = materials.windows(2).all(|pair| pair[0].damping.mass == pair[1].damping.mass);
    for (drag, mass) in drag.iter_mut().zip(&masses) {
        *drag = if uniform { materials[0].damping.mass } else { *drag / mass };
    }
    (masses, drag)
}
