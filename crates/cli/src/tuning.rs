//! Constants that a developer may want to change. Those that name no unit are ratios (1).

/// Share of the run's time for its preview (1).
pub(crate) const PREVIEW_TIME_SHARE: f64 = 0.2;

/// Time that a preview may always take (s).
pub(crate) const MIN_PREVIEW_TIME: f64 = 0.1;

/// Largest share of the pixels of a preview that get all samples.
pub(crate) const MAX_FULLY_SAMPLED: f64 = 0.5;

/// Shortest time per picture of the GIF (s): impacts of milliseconds are shown in slow motion.
pub(crate) const MIN_PICTURE_TIME: f64 = 0.04;

/// Approximate number of triangles of a fine surface: smooth to the eye, few enough for a game.
pub(crate) const FINE_SURFACE_TRIANGLES: f64 = 20_000.0;

/// Most tetrahedra of a mesh made only for its surface.
pub(crate) const MAX_SURFACE_TETRAHEDRA: f64 = 1e6;

/// Most trials of `craze shatter` for the strength that gives the wanted number of shards.
pub(crate) const MAX_STRENGTH_TRIALS: usize = 6;

/// Longest trial (wave transits).
pub(crate) const MAX_TRIAL_TRANSITS: f64 = 25.0;

/// Most steps of a trial.
pub(crate) const MAX_TRIAL_STEPS: u64 = 5_000;

/// Tilt of a dropped model (degrees), so that it lands on an edge or a corner.
pub(crate) const DROP_TILT: f64 = 25.0;

/// Distance in edges, and angle (rad), within which cracks snap to nodes: less debris, longer
/// steps.
pub(crate) const CRACK_SNAP: f64 = 0.3;

/// Strain below which a piece moves as a rigid body (1): a tenth of the failure strain.
pub(crate) const SLEEP_STRAIN: f64 = 2e-3;

/// Default drop height (m).
pub(crate) const DEFAULT_DROP: f64 = 1.5;

/// Default size of models of implausible size (m).
pub(crate) const DEFAULT_MODEL_SIZE: f64 = 0.3;

/// Most shards without --pieces.
pub(crate) const MAX_SHARDS: usize = 500;

/// Acceptable and best number of shards without --pieces.
pub(crate) const DEFAULT_SHARDS: (std::ops::RangeInclusive<usize>, usize) = (8..=150, 40);

/// Share of the volume above which a single large shard is reported (1).
pub(crate) const DOMINANT_SHARD: f64 = 0.8;

/// Number of tetrahedra above which a long run is announced.
pub(crate) const SLOW_TETRAHEDRA: f64 = 30_000.0;

/// Most tetrahedra made for a report: about 15 s.
pub(crate) const MAX_REPORT_TETRAHEDRA: f64 = 5e5;
