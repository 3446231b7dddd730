//! What a body is made of: the one trait that all fracture methods share.

use crate::{Account, CommitLog, HoldId, Load, Region};
use craze_contact::{CollisionGeometry, ContactSpring, Impulse};
use craze_frame::BodyFrame;
use craze_math::{Mat3, Vec3};

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

/// A deformable body that may break: what every method implements.
///
/// The stages are called in the order in which they stand here. A body keeps its *state* and a *prediction* apart:
/// [`predict`](Method::predict) and [`receive`](Method::receive) write the prediction only, [`commit`](Method::commit) makes it the
/// state. To repeat a step is to call `predict` again. Results are the same bits for any number of threads.
///
/// What only some methods can do stands in traits of its own, which a method offers by [`implicit`](Method::implicit),
/// [`quasi_static`](Method::quasi_static) and [`rewind`](Method::rewind).
pub trait Method: Attachable + Send + Sync {
    /// Name of the method in scene files and checkpoints.
    fn kind(&self) -> &'static str;

    /// The longest step (s) that is stable from the present state; infinite for a body that sets no limit.
    fn time_step_limit(&self) -> f64;

    /// Computes the prediction: where the body will be after the step if nothing further touches it.
    fn predict(&mut self, step: &Step) -> Result<(), Failure>;

    /// What of the body can collide, in state and prediction. Contact asks many times per step: the view borrows what the body has,
    /// and its bounding box is known beforehand.
    fn collision_geometry(&self) -> CollisionGeometry<'_>;

    /// Changes the prediction by impulses: velocities by impulse over mass, positions by that times Δt.
    fn receive(&mut self, impulses: &[Impulse], step: &Step);

    /// Looks at the prediction once more after contact.
    fn check(&self) -> Result<(), Failure>;

    /// Makes the prediction the state, then changes the body: plastic flow, fracture, remeshing. Events and
    /// the time of each stage go into `log`.
    fn commit(&mut self, step: &Step, log: &mut CommitLog);

    /// Called at every frame boundary of every run, resumed or not: caches whose order could change a later bit are
    /// rebuilt here from what [`save`](Method::save) keeps.
    fn settle(&mut self) {}

    /// Mass, momenta, energies and counts of the state, and what fracture has done since the start.
    fn account(&self, gravity: &Vec3) -> Account;

    /// What the body looks like. The caller fills in its name.
    fn frame(&self, detail: FrameDetail) -> BodyFrame;

    /// The whole state as bytes, for the body's [`Loader`](crate::Loader).
    fn save(&self) -> Vec<u8>;

    /// The body as one that has contact in its own equations; none for a body that leaves contact to impulses. Asked once, before the run.
    fn implicit(&mut self) -> Option<&mut dyn Implicit> {
        None
    }

    /// The body as one that finds equilibria; none if its method has no quasi-static mode.
    fn quasi_static(&mut self) -> Option<&mut dyn QuasiStatic> {
        None
    }

    /// The body as one that takes snapshots of itself. For others the world keeps what [`save`](Method::save) returns.
    fn rewind(&mut self) -> Option<&mut dyn Rewind> {
        None
    }
}

/// Holds, loads and probes refer to the material of a body, which they find once and which then stays the same through all splits.
pub trait Attachable {
    /// Marks the material inside a region (in the world, as the body was placed) as held or loaded by `hold`, and returns the
    /// centre of what it found (m); `None` if there is nothing inside.
    fn attach(&mut self, hold: HoldId, region: &Region) -> Option<Vec3>;

    /// Force (N) by which a hold acted on the body in the last committed step.
    fn reaction(&self, hold: HoldId) -> Vec3;

    /// The material point nearest to a position in the world (m, as the body was placed); the body tracks it from now on.
    fn locate(&mut self, position: &Vec3) -> MaterialPoint;

    /// Position (m) and velocity (m/s) of a material point in the state.
    fn observe(&self, point: &MaterialPoint) -> (Vec3, Vec3);
}

/// A body that has contact in its own equations, by [`Step::contacts`]: necessary where Δt is long compared with the body's own
/// vibrations, since a resting body would sink otherwise.
pub trait Implicit {
    /// Compliance of the prediction (m/N): for a unit force on each of these degrees of freedom in turn, the displacement of all of
    /// them, as 3×3 blocks whose columns are the directions of the force. None if some of them are in rigid-body mode, because they
    /// have no contact in their equations yet.
    fn compliance(&mut self, dofs: &[u32], step: &Step) -> Option<Vec<Mat3>>;
}

/// A body that finds equilibria and breaks in them. The world advances the load to the first failure, and asks for splits and
/// equilibria under the same load until nothing fails.
pub trait QuasiStatic {
    /// Moves the state to the equilibrium of the loads at `step.time + step.time_step`. Nothing breaks. A step of length 0 means
    /// the same load as before, after splits.
    fn balance(&mut self, step: &Step) -> Result<(), Failure>;

    /// The largest failure measure in the state over its limit: above 1, something fails and can be split.
    fn failure_ratio(&mut self) -> f64;

    /// Splits the strongest of the nodes that fail at each crack front; returns the number of splits. Whatever cannot be split
    /// fails no more.
    fn split_fronts(&mut self, step: &Step, log: &mut CommitLog) -> u64;
}

/// A body that takes snapshots of itself, faster than by [`Method::save`].
pub trait Rewind {
    /// Takes a snapshot of the state, in place of the one before.
    fn snapshot(&mut self);

    /// Restores the state of the last snapshot, as if it had been loaded.
    fn restore(&mut self);
}
