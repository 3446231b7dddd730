//! Probes: what a run measures.

use crate::{HoldId, MaterialPoint, World};
use craze_math::Vec3;
use serde::{Deserialize, Serialize};

/// Something that is measured over time.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Probe {
    /// Its name: the head of its columns.
    pub name: String,
    /// What it measures.
    pub measure: Measure,
    /// Time between two samples (s); once a frame if there is none.
    pub every: Option<f64>,
}

/// What the probes measured at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// When (s).
    pub time: f64,
    /// One entry a column of each probe; none where a probe was not due.
    pub values: Vec<Option<f64>>,
}

impl World {
    /// Samples the probes that are due at the end of a step: those whose time has come, and at a frame's end those without a time
    /// of their own.
    pub(crate) fn sample_probes(&mut self, moment: Moment) {
        let is_due = |probe: &Probe, samples: u64| match probe.every {
            _ if moment == Moment::Onset => true,
            Some(every) => self.time >= samples as f64 * every * (1.0 - 1e-12),
            None => moment == Moment::FrameEnd,
        };
        let due: Vec<bool> =
            self.probes.iter().zip(&self.probe_samples).map(|(probe, samples)| is_due(probe, *samples)).collect();
        if !due.contains(&true) {
            return;
        }
        let mut values = Vec::new();
        for (probe, due) in self.probes.iter().zip(&due) {
            match due {
                true => values.extend(probe.measure(self).into_iter().map(Some)),
                false => values.extend(probe.columns().iter().map(|_| None)),
            }
        }
        for ((probe, samples), due) in self.probes.iter().zip(&mut self.probe_samples).zip(due) {
            if due {
                // The next sample is the first after now: a step longer than the interval takes one sample, not many.
                *samples = probe.every.map_or(*samples + 1, |every| (self.time * (1.0 + 1e-12) / every) as u64 + 1);
            }
        }
        self.samples.push(Sample { time: self.time, values });
    }
}

/// Whether a frame ends with the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    Step,
    /// Something fails in this equilibrium, or has just split: the load path needs every probe.
    Onset,
    FrameEnd,
}

/// What a probe measures.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Measure {
    /// Where a material point is (m).
    Position {
        /// Index of the body.
        body: usize,
        /// The material point.
        point: MaterialPoint,
    },
    /// How far a material point has moved (m).
    Displacement {
        /// Index of the body.
        body: usize,
        /// The material point.
        point: MaterialPoint,
        /// Where it started (m).
        start: Vec3,
    },
    /// How fast a material point moves (m/s).
    Velocity {
        /// Index of the body.
        body: usize,
        /// The material point.
        point: MaterialPoint,
    },
    /// Force of a hold on its body (N).
    Reaction {
        /// The hold.
        hold: HoldId,
    },
    /// Kinetic, elastic and potential energy of a body (J).
    Energy {
        /// Index of the body.
        body: usize,
    },
    /// Number of pieces of a body, and of those above [`LARGE_PIECE`](crate::LARGE_PIECE) of it.
    Pieces {
        /// Index of the body.
        body: usize,
    },
}

impl Probe {
    /// Heads of its columns.
    pub fn columns(&self) -> Vec<String> {
        let suffixes: &[&str] = match self.measure {
            Measure::Position { .. } => &["x_m", "y_m", "z_m"],
            Measure::Displacement { .. } => &["dx_m", "dy_m", "dz_m"],
            Measure::Velocity { .. } => &["vx_m_s", "vy_m_s", "vz_m_s"],
            Measure::Reaction { .. } => &["fx_N", "fy_N", "fz_N"],
            Measure::Energy { .. } => &["kinetic_J", "elastic_J", "potential_J"],
            Measure::Pieces { .. } => &["count", "large"],
        };
        suffixes.iter().map(|suffix| format!("{}.{suffix}", self.name)).collect()
    }

    /// What it measures now, one number a column.
    pub fn measure(&self, world: &World) -> Vec<f64> {
        let vector = |value: Vec3| vec![value.x, value.y, value.z];
        match &self.measure {
            Measure::Position { body, point } => vector(world.bodies[*body].method.observe(point).0),
            Measure::Displacement { body, point, start } => vector(world.bodies[*body].method.observe(point).0 - start),
            Measure::Velocity { body, point } => vector(world.bodies[*body].method.observe(point).1),
            Measure::Reaction { hold } => {
                let body = world.holds[hold.0 as usize].body;
                vector(world.bodies[body].method.reaction(*hold))
            }
            Measure::Energy { body } => {
                let account = world.bodies[*body].method.account(&world.settings.gravity);
                vec![account.kinetic, account.elastic, account.potential]
            }
            Measure::Pieces { body } => {
                let account = world.bodies[*body].method.account(&world.settings.gravity);
                vec![account.pieces as f64, account.large_pieces as f64]
            }
        }
    }
}
