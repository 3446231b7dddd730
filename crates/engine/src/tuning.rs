//! Constants that a developer may want to change. Those that name no unit are ratios (1) or counts.

/// Times that a step is halved before the run gives up.
pub(crate) const MAX_STEP_HALVINGS: u32 = 12;

/// Accepted steps after which a step that was halved is doubled again.
pub(crate) const STEPS_TO_RECOVER: u32 = 64;

/// Consecutive failures that count at most: each after the first doubles [`STEPS_TO_RECOVER`].
pub(crate) const MAX_COUNTED_FAILURES: u32 = 2;

/// Steps between two checks of the energies.
pub(crate) const STEPS_BETWEEN_ENERGY_CHECKS: u64 = 256;

/// A rise of energy above this share of the largest energy so far is a runaway, not an error of the
/// integrator.
pub(crate) const RUNAWAY_ENERGY_RATIO: f64 = 0.5;

/// Energy per mass that counts as none (J/kg).
pub(crate) const NEGLIGIBLE_ENERGY: f64 = 1e-6;

/// Steps shorter than this share of a frame are an error in the input.
pub(crate) const MIN_STEP_RATIO: f64 = 1e-9;

/// Largest rotation of an obstacle in one step (rad).
pub(crate) const MAX_OBSTACLE_ROTATION: f64 = 0.5;

/// Most corrections of the contacts of an implicit body within a step.
pub(crate) const MAX_CONTACT_ROUNDS: usize = 16;

/// Largest rotation in one stage of the integrator of rigid bodies (rad): its error of fourth order
/// is then below rounding over a frame.
pub(crate) const MAX_STAGE_ROTATION: f64 = 0.02;

/// Most stages of that integrator in one step: 32 rotations. Faster bodies rotate further in a stage,
/// which still conserves angular momentum; so the cost of a step is bounded for any angular velocity.
pub(crate) const MAX_STAGES: f64 = 10_000.0;

/// Most rounds in which crossings are solved before the step is given up.
pub(crate) const MAX_CROSSING_ROUNDS: usize = 16;

/// Most times that springs are hardened in a round.
pub(crate) const MAX_HARDENINGS: usize = 5;

/// Speed at which bodies that overlap at the start separate, in sizes of the smaller per second (1/s).
pub(crate) const SEPARATION_SPEED: f64 = 0.25;

/// Time in which they reach it (s).
pub(crate) const SEPARATION_ACCELERATION_TIME: f64 = 0.05;

/// Additional acceleration, in units of gravity: a body in another one must not sink deeper, and
/// only its surface is pushed, which has a part of its mass.
pub(crate) const SEPARATION_GRAVITY_FACTOR: f64 = 8.0;

/// Time step limit of a crushed body, in times that sound takes through a mean edge: its elements
/// are then compressed to about a fiftieth, where no elastic law is valid and forces grow without
/// bound.
pub(crate) const CRUSHED_TIME_STEP: f64 = 1e-3;

/// Time step limit of an element of an explicit body, in times that sound takes through its
/// smallest height.
pub(crate) const EXPLICIT_TIME_STEP: f64 = 0.3;
