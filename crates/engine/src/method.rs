//! What a body is made of: the one trait that all fracture methods share.

use crate::{Account, Event, HoldId, Load, Region, SplitCounts};
use craze_contact::{
    ContactRun, ContactSpring, ContactSurface, ContactTetrahedra, ContactTriangles, Impulse, SurfacePoint,
};
use craze_frame::BodyFrame;
use craze_math::{Mat3, Vec3};
use craze_spatial::Aabb;

/// What the world tells a body about the step it is to take.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// Time at the start of the step (s).
    pub time: f64,
    /// Length of the step, Δt (s).
    pub time_step: f64,
    /// Acceleration of free fall (m/s²).
    pub gravity: Vec3,
    /// What holds and loads do to this body during the step. A hold that is missing has been released.
    pub loads: &'a [Load],
    /// Contacts that an implicit body takes into its equations; explicit bodies leave them to impulses.
    pub contacts: &'a [ContactSpring],
}

/// Why a prediction cannot become the state.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Failure {
    /// A number is not finite.
    #[error("node {node} has a position or velocity that is not a number")]
    NotFinite {
        /// The node or particle.
        node: u32,
    },
    /// An element has turned inside out.
    #[error("element {element} at ({:.4}, {:.4}, {:.4}) m is crushed to {volume_ratio:.3} of its volume", place.x, place.y, place.z)]
    Inverted {
        /// The element.
        element: u32,
        /// Its centre (m).
        place: Vec3,
        /// Current over rest volume.
        volume_ratio: f64,
    },
    /// An element would deform by more than it can in one step.
    #[error("element {element} at ({:.4}, {:.4}, {:.4}) m would change its shape by {:.0} % in one step", place.x, place.y, place.z, 100.0 * change)]
    TooFast {
        /// The element.
        element: u32,
        /// Its centre (m).
        place: Vec3,
        /// Change of the deformation gradient in the step.
        change: f64,
    },
    /// Surfaces would pass through each other.
    #[error("surfaces would pass through each other at ({:.4}, {:.4}, {:.4}) m", place.x, place.y, place.z)]
    Crossing {
        /// Where (m).
        place: Vec3,
    },
    /// An obstacle would pass through the surface.
    #[error("an obstacle would pass through it at ({:.4}, {:.4}, {:.4}) m", place.x, place.y, place.z)]
    Pressed {
        /// The obstacle, as the world numbers them.
        obstacle: u32,
        /// Where (m).
        place: Vec3,
    },
    /// The equations of an implicit step were not solved.
    #[error("the implicit step did not converge: residual {residual:.3e} N after {iterations} iterations")]
    NotSolved {
        /// What was left of the force balance (N).
        residual: f64,
        /// Newton iterations.
        iterations: u32,
    },
    /// The loads cannot be in balance.
    #[error("no equilibrium beyond {:.1} % of the load step; do holds keep the body from drifting, and can it bear the load?", 100.0 * share)]
    NotBalanced {
        /// Share of the load step that was in balance.
        share: f64,
    },
    /// The body has no way to find an equilibrium.
    #[error("method \"{method}\" has no quasi-static mode")]
    NoEquilibrium {
        /// Its kind.
        method: &'static str,
    },
}

/// A material point of a body, found once and followed through all splits.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct MaterialPoint {
    /// The particle, or the number under which the body follows the point: what its method makes of it.
    pub element: u32,
    /// Weights of the element's nodes; a particle uses the first only.
    pub weights: [f64; 4],
}

/// How much of a body a frame shall hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum FrameDetail {
    /// Surfaces and pieces.
    Surface,
    /// Also the tetrahedra.
    Volume,
}

/// A deformable body that may break.
///
/// The stages are called in the order in which they stand here. A body keeps its *state* and a *prediction* apart:
/// [`predict`](Method::predict) and [`receive`](Method::receive) write the prediction only, [`commit`](Method::commit) makes it the state. To rewind a step is to call
/// `predict` again. Every method gives the same bits for any number of threads.
pub trait Method: Send + Sync {
    /// Name of the method in scene files and checkpoints.
    fn kind(&self) -> &'static str;

    /// Marks the material inside a region (in the world, as the body was placed) as held or loaded by `hold`, and
    /// says where the centre of what it found is (m); `None` if there is nothing inside.
    fn attach(&mut self, hold: HoldId, region: &Region) -> Option<Vec3>;

    /// The material point nearest to a place in the world (m, as the body was placed); the body follows it from now on.
    fn locate(&mut self, place: &Vec3) -> MaterialPoint;

    /// The longest step (s) that is stable from the present state; infinite for a body that sets no limit.
    fn time_step_limit(&self) -> f64;

    /// Whether contact is part of the body's own equations, by [`Step::contacts`]: so it must be where Δt is long against
    /// the body's own vibrations, or a resting body would sink.
    fn takes_contact_springs(&self) -> bool {
        false
    }

    /// Computes the prediction: where the body will be after the step if nothing further touches it.
    fn predict(&mut self, step: &Step) -> Result<(), Failure>;

    /// How the prediction of an implicit body gives way (m/N): for a force on each of these dofs, one after another, by how much each of them
    /// moves, as 3×3 blocks whose columns are the directions of the force. None if the body cannot say: it is no implicit one, or parts of
    /// it that are asked for have not heard of a contact yet and fly as rigid bodies.
    fn compliance(&mut self, _freedoms: &[u32], _step: &Step) -> Option<Vec<Mat3>> {
        None
    }

    /// A box around state and prediction (m), as cheap as can be: it decides whether contact looks closer.
    fn reach(&self) -> Aabb;

    /// Fills in the points that can touch, with state and prediction. `surface` comes empty.
    fn contact_surface(&self, surface: &mut ContactSurface);

    /// Where runs of those points are, so that only those near something have to be shown: all of them, in the order of the list. `runs` comes
    /// empty, and stays so for a body that does not know; if not, it answers [`contact_run`](Method::contact_run). A box holds what impulses
    /// have done to the prediction so far.
    fn contact_runs(&self, _runs: &mut Vec<ContactRun>) {}

    /// Fills in the points of one of the runs.
    fn contact_run(&self, _run: usize, _points: &mut [SurfacePoint]) {}

    /// How those points hang together; nothing for a body of particles. Where a crack or remeshing changes them, between two steps, the version
    /// changes, and points that a crack has made of one say so by their [origins](ContactTriangles::origins): both crack_faces then lie at the
    /// same place, and contact neither pushes them apart nor lets them into each other. Freedoms that stay keep their numbers,
    /// or what contact remembers of the last step is lost.
    fn contact_triangles(&self) -> ContactTriangles<'_> {
        ContactTriangles::default()
    }

    /// Its tetrahedra, for penalty forces; nothing for a body that has none.
    fn contact_tetrahedra(&self) -> ContactTetrahedra<'_> {
        ContactTetrahedra::default()
    }

    /// Fills in the nodes of its tetrahedra, inner ones too, with state and prediction. `nodes` comes empty.
    fn contact_nodes(&self, _nodes: &mut ContactSurface) {}

    /// Whether parts of the body can come to touch other parts of it.
    fn touches_itself(&self) -> bool {
        false
    }

    /// Changes the prediction by impulses: velocities by impulse over mass, positions by that times Δt.
    fn receive(&mut self, impulses: &[Impulse], step: &Step);

    /// Looks at the prediction once more after contact.
    fn check(&self) -> Result<(), Failure>;

    /// Makes the prediction the state.
    fn commit(&mut self, step: &Step);

    /// Plastic flow.
    fn flow(&mut self, _step: &Step) {}

    /// Fails and splits; tells what broke.
    fn fracture(&mut self, _step: &Step, _events: &mut Vec<Event>) {}

    /// Refines and coarsens.
    fn adapt(&mut self, _step: &Step) {}

    /// Finds the state in which the loads at `step.time + step.time_step` are in balance (quasi-static mode).
    fn balance(&mut self, _step: &Step) -> Result<(), Failure> {
        Err(Failure::NoEquilibrium { method: self.kind() })
    }

    /// Called at every frame boundary of every run, resumed or not: caches whose order could change a later bit are
    /// rebuilt here from what [`save`](Method::save) keeps.
    fn settle(&mut self) {}

    /// Mass, momenta, energies and counts of the state.
    fn account(&self, gravity: &Vec3) -> Account;

    /// What fracture has done since the start; nothing in a body that cannot break.
    fn split_counts(&self) -> SplitCounts {
        SplitCounts::default()
    }

    /// Position (m) and velocity (m/s) of a material point in the state.
    fn observe(&self, point: &MaterialPoint) -> (Vec3, Vec3);

    /// Force (N) by which a hold acted on the body in the last committed step.
    fn reaction(&self, hold: HoldId) -> Vec3;

    /// What the body looks like. The caller fills in its name.
    fn frame(&self, detail: FrameDetail) -> BodyFrame;

    /// Keeps the state for [`go_back`](Method::go_back), in place of the one that it kept before; whether it does. Of a body that does not the world
    /// keeps what [`save`](Method::save) gives.
    fn keep(&mut self) -> bool {
        false
    }

    /// Goes back to the state that was kept last, as if it had been loaded.
    fn go_back(&mut self) {}

    /// The whole state as bytes, for the body's [`Loader`](crate::Loader).
    fn save(&self) -> Vec<u8>;
}
