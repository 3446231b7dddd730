//! Quasi-static mode: fracture follows equilibrium.
//!
//! The load advances until something fails, and is found to [`MAX_OVERSHOOT`]. There the strongest
//! node of each crack front splits, and the body finds its equilibrium again under the same load,
//! until nothing fails. Only then does the load advance. So neither the peak load nor the path after
//! it depends on the length of load steps, or on how many nodes may split at a time.

use crate::probe::Moment;
use crate::world::{Body, World, WorldError};
use crate::{CommitLog, Event, EventKind, Failure, HoldId, HoldReaction, Method, Stage, Step};
use craze_math::Vec3;
use std::time::Instant;

/// Largest failure ratio of the equilibrium in which matter splits, less 1.
const MAX_OVERSHOOT: f64 = 0.01;

/// Failure ratio that the search for the load of first failure aims at.
const AIM: f64 = 1.0 + 0.5 * MAX_OVERSHOOT;

/// Share of a load step at which the search ends, because the load jumps there.
const SMALLEST_SHARE: f64 = 1e-6;

/// Trials of the search after which it bisects.
const SECANTS: usize = 6;

/// How often a load step that has no equilibrium is shortened, to look for failure before it.
const SHORTER_STEPS: usize = 3;

/// The present equilibrium on the path of loads. It is not saved: between frames nothing fails.
#[derive(Clone, Debug, Default)]
pub(crate) struct LoadPath {
    /// Largest failure ratio; none if it is not known.
    ratio: Option<f64>,
    /// What has split at this load.
    drop: Option<Drop>,
}

/// Splits at a constant load.
#[derive(Clone, Debug)]
struct Drop {
    /// Equilibria found since.
    balances: u32,
    /// Splits of each body.
    splits: Vec<u64>,
    /// Force of each hold in the equilibrium in which the first node failed (N).
    before: Vec<Vec3>,
}

impl LoadPath {
    /// Returns true if something fails in the present equilibrium.
    pub fn is_failing(&self) -> bool {
        self.ratio.is_some_and(|ratio| ratio > 1.0)
    }

    /// Forgets what a run that was loaded does not know.
    pub fn forget(&mut self) {
        *self = LoadPath::default();
    }
}

impl World {
    /// Splits what fails and finds the equilibrium again under the same load; or, if nothing
    /// fails, advances the load until something does, but not beyond the load step. `steps` is
    /// their number in a frame.
    pub(crate) fn follow_load(&mut self, steps: u32) -> Result<Moment, WorldError> {
        self.counters.steps += 1;
        if self.load_path.is_failing() {
            self.split_at_constant_load(steps)?;
            return Ok(Moment::Onset);
        }
        self.advance_load(steps)?;
        self.check_overlaps(0.0)?;
        Ok(if self.load_path.is_failing() { Moment::Onset } else { Moment::Step })
    }

    /// End of the present load step (s).
    fn end_of_load_step(&self, steps: u32) -> f64 {
        let (fps, steps) = (self.settings.frames_per_second, f64::from(steps.max(1)));
        let frame = f64::from(self.frame_number);
        // What is over is a whole number of load steps, or less than one more, up to rounding.
        let over = ((self.time * fps - frame) * steps + 1e-6).floor();
        if over + 1.0 >= steps { (frame + 1.0) / fps } else { (frame + (over + 1.0) / steps) / fps }
    }

    /// Share of gravity, and of what holds do at t = 0, that acts at a time (s): it grows from zero
    /// in the first load step.
    fn share_of_jump(&self, time: f64, steps: u32) -> f64 {
        (time * self.settings.frames_per_second * f64::from(steps.max(1))).min(1.0)
    }

    fn advance_load(&mut self, steps: u32) -> Result<(), WorldError> {
        let (start, target) = (self.time, self.end_of_load_step(steps));
        // In the state at rest before the first equilibrium nothing is loaded.
        let start_ratio = match self.load_path.ratio {
            Some(ratio) => ratio,
            None => self.failure_ratio(),
        };
        let (mut time, mut ratio) = self.balance_toward(target, steps)?;
        let (mut below, mut above) = ((start, start_ratio), (time, ratio));
        let mut trial = 0;
        while above.1 > 1.0 + MAX_OVERSHOOT && above.0 - below.0 > SMALLEST_SHARE * (target - start) {
            let share = match (AIM - below.1) / (above.1 - below.1) {
                secant if trial < SECANTS && secant.is_finite() => secant.clamp(0.01, 0.99),
                _ => 0.5,
            };
            time = below.0 + share * (above.0 - below.0);
            ratio = self.balance_at(time, steps)?;
            if ratio > 1.0 {
                above = (time, ratio)
            } else {
                below = (time, ratio)
            }
            trial += 1;
        }
        if time != above.0 {
            (time, ratio) = (above.0, self.balance_at(above.0, steps)?);
        }
        self.last_time_step = time - start;
        self.time = time;
        self.load_path.ratio = Some(ratio);
        Ok(())
    }

    /// Finds the equilibrium at a time (s), or at an earlier one if a body has none there: returns
    /// the time and the largest failure ratio.
    fn balance_toward(&mut self, target: f64, steps: u32) -> Result<(f64, f64), WorldError> {
        let mut time = target;
        for attempt in 0.. {
            match self.balance_at(time, steps) {
                Ok(ratio) => return Ok((time, ratio)),
                Err(WorldError::Stuck { failure: Failure::NotBalanced { share }, .. })
                    if attempt < SHORTER_STEPS && share > 1e-3 =>
                {
                    time = self.time + 0.9 * share * (time - self.time);
                }
                Err(error) => return Err(error),
            }
        }
        unreachable!("the last attempt returns")
    }

    /// Moves all bodies to their equilibrium at a time (s), and returns the largest failure ratio.
    fn balance_at(&mut self, time: f64, steps: u32) -> Result<f64, WorldError> {
        self.gather_quasi_static_loads(time, steps);
        for body in 0..self.bodies.len() {
            self.balance_body(body, time, steps)?;
        }
        Ok(self.failure_ratio())
    }

    /// Loads at a time (s).
    fn gather_quasi_static_loads(&mut self, time: f64, steps: u32) {
        self.gather_loads(time - self.time);
        self.scratch.equations.iter_mut().for_each(|contacts| contacts.clear());
        let share = self.share_of_jump(time, steps);
        if share == 1.0 {
            return;
        }
        for load in self.scratch.loads.iter_mut().flatten() {
            let index = load.hold.0 as usize;
            if let Some(jump) = self.holds[index].load(load.hold, &self.hold_centers[index], 0.0) {
                load.effect = load.effect.after_jump(&jump.effect, share);
            }
        }
    }

    fn balance_body(&mut self, body: usize, time: f64, steps: u32) -> Result<(), WorldError> {
        let clock = Instant::now();
        let time_step = time - self.time;
        let gravity = self.share_of_jump(time, steps) * self.settings.gravity;
        let step = self.scratch.step(body, self.time, time_step, gravity);
        let Body { name, method, .. } = &mut self.bodies[body];
        let kind = method.kind();
        let outcome = match method.quasi_static() {
            Some(body) => body.balance(&step),
            None => Err(Failure::NoEquilibrium { method: kind }),
        };
        self.counters.book(Stage::Predict, clock);
        outcome.map_err(|failure| WorldError::Stuck {
            body: name.clone(),
            time,
            time_step,
            failure,
            squeezed_by: Vec::new(),
        })
    }

    /// Largest failure ratio of all bodies.
    fn failure_ratio(&mut self) -> f64 {
        let clock = Instant::now();
        let bodies = self.bodies.iter_mut().filter_map(|body| body.method.quasi_static());
        let ratio = bodies.map(|body| body.failure_ratio()).fold(0.0, f64::max);
        self.counters.book(Stage::Fracture, clock);
        ratio
    }

    fn split_at_constant_load(&mut self, steps: u32) -> Result<(), WorldError> {
        let before = self.hold_reactions();
        self.gather_quasi_static_loads(self.time, steps);
        let mut splits = Vec::with_capacity(self.bodies.len());
        let split = |method: &mut dyn Method, step: &Step, log: &mut CommitLog| {
            splits.push(method.quasi_static().map_or(0, |body| body.split_fronts(step, log)));
            log.end_stage(Stage::Fracture);
            Ok(())
        };
        let outcome = self.for_bodies(0.0, split);
        debug_assert!(outcome.is_ok(), "no body refuses to split");
        for body in (0..self.bodies.len()).filter(|&body| splits[body] > 0) {
            self.balance_body(body, self.time, steps)?;
        }
        let nothing = || Drop { balances: 0, splits: vec![0; splits.len()], before };
        let drop = self.load_path.drop.get_or_insert_with(nothing);
        drop.balances += 1;
        drop.splits.iter_mut().zip(&splits).for_each(|(sum, splits)| *sum += splits);
        let ratio = self.failure_ratio();
        self.load_path.ratio = Some(ratio);
        if ratio <= 1.0 {
            self.report_drop();
        }
        Ok(())
    }

    /// Force of each hold in the last equilibrium (N).
    fn hold_reactions(&self) -> Vec<Vec3> {
        let reaction =
            |(index, hold): (usize, &crate::Hold)| self.bodies[hold.body].method.reaction(HoldId(index as u32));
        self.holds.iter().enumerate().map(reaction).collect()
    }

    /// Adds an event for each body that has split at this load.
    fn report_drop(&mut self) {
        let Some(drop) = self.load_path.drop.take() else { return };
        let after = self.hold_reactions();
        for (index, &splits) in drop.splits.iter().enumerate().filter(|(_, splits)| **splits > 0) {
            let holds = self.holds.iter().zip(drop.before.iter().zip(&after));
            let holds = holds.filter(|(hold, _)| hold.body == index).map(|(hold, (before, after))| HoldReaction {
                hold: hold.name.clone(),
                before: *before,
                after: *after,
            });
            let kind = EventKind::LoadDrop { splits, balances: drop.balances, holds: holds.collect() };
            self.events.push(Event { time: self.time, body: self.bodies[index].name.clone(), kind });
        }
    }
}
