//! One step of the world, and one frame of steps.

use crate::contact::Round;
use crate::counters::Stage;
use crate::probe::Moment;
use crate::tuning::{MAX_CONTACT_ROUNDS, MAX_OBSTACLE_ROTATION, MIN_STEP_RATIO, STEPS_BETWEEN_ENERGY_CHECKS};
use crate::world::{Mode, World, WorldError};
use crate::{CommitLog, Event, EventKind, Failure, Method, Step};
use std::time::Instant;

/// What the world tells while it computes a frame.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The frame that is being computed.
    pub frame: u32,
    /// Now (s).
    pub time: f64,
    /// Length of the last step (s).
    pub time_step: f64,
}

/// Whether the world goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Go on.
    Continue,
    /// Stop before the frame is complete; the state is then between two frames.
    Stop,
}

impl World {
    /// Computes the next frame: as many steps as it takes. `tell` hears of every step and may end the run.
    ///
    /// If energy runs away on the way, the frame is started again from its saved beginning with half the step, three times at most.
    pub fn advance_frame(&mut self, tell: &mut dyn FnMut(Progress) -> Verdict) -> Result<Verdict, WorldError> {
        let beginning = self.snapshot();
        let (mut first_event, first_sample) = (self.events.len(), self.samples.len());
        let mut attempts = 0;
        loop {
            match self.try_frame(tell) {
                Err(WorldError::Runaway { body, gained, .. }) if attempts < 3 => {
                    attempts += 1;
                    let reason = format!("energy grew by {gained:.3e} J from nowhere; the frame starts again");
                    let (throttle, time_step, retries) = (self.throttle, self.last_time_step, self.counters.retries);
                    // What the forgotten attempt measured and broke has not happened.
                    self.events.truncate(first_event);
                    self.samples.truncate(first_sample);
                    self.rewind(&beginning).map_err(|error| WorldError::Reload(error.to_string()))?;
                    self.counters.retries = retries + 1;
                    self.throttle = throttle.begin_again(self.throttle);
                    self.events.push(Event { time: self.time, body, kind: EventKind::Retry { time_step, reason } });
                    first_event = self.events.len();
                }
                other => return other,
            }
        }
    }

    fn try_frame(&mut self, tell: &mut dyn FnMut(Progress) -> Verdict) -> Result<Verdict, WorldError> {
        let number = self.frame_number + 1;
        let end = f64::from(number) / self.settings.frames_per_second;
        while self.time < end || self.load_path.is_failing() {
            let moment = match self.settings.mode {
                Mode::Dynamic => {
                    self.step(end).or_else(|error| self.tell_runaway(error))?;
                    Moment::Step
                }
                Mode::QuasiStatic { steps } => self.follow_load(steps)?,
            };
            let clock = Instant::now();
            if self.counters.steps.is_multiple_of(STEPS_BETWEEN_ENERGY_CHECKS) && self.settings.mode == Mode::Dynamic {
                self.watch.look(self)?;
            }
            let is_end = self.time >= end && !self.load_path.is_failing();
            self.sample_probes(if is_end { Moment::FrameEnd } else { moment });
            self.counters.book(Stage::Observe, clock);
            let progress = Progress { frame: number, time: self.time, time_step: self.last_time_step };
            if tell(progress) == Verdict::Stop {
                return Ok(Verdict::Stop);
            }
        }
        if self.settings.mode == Mode::Dynamic {
            self.watch.look(self)?;
        }
        self.frame_number = number;
        for body in &mut self.bodies {
            body.method.settle();
        }
        self.scratch.forget_caches();
        self.load_path.forget();
        self.find_separations();
        Ok(Verdict::Continue)
    }

    /// What asks for steps without end may have come to it by energy from nowhere, before the watch looked; then that is the error.
    fn tell_runaway(&self, error: WorldError) -> Result<(), WorldError> {
        match error {
            WorldError::VanishingStep { .. } | WorldError::Stuck { .. } => self.watch.look(self).and(Err(error)),
            other => Err(other),
        }
    }

    /// One step toward `end` (s): the longest that every body bears, halved as often as a prediction fails.
    pub fn step(&mut self, end: f64) -> Result<(), WorldError> {
        loop {
            let (time_step, target) = self.choose_time_step(end)?;
            match self.try_step(time_step) {
                Ok(()) => {
                    // The last step of a frame ends on the frame to the bit.
                    self.time = if time_step == target - self.time { target } else { self.time + time_step };
                    self.last_time_step = time_step;
                    self.counters.steps += 1;
                    self.throttle.succeed();
                    return Ok(());
                }
                Err((body, failure)) => self.shorten(body, failure, time_step)?,
            }
        }
    }

    /// The stages of a step, in order. Nothing is state before `commit`.
    fn try_step(&mut self, time_step: f64) -> Result<(), (usize, Failure)> {
        let mut clock = Instant::now();
        self.gather_loads(time_step);
        self.find_contacts(time_step);
        clock = self.counters.book(Stage::Contact, clock);
        for obstacle in &mut self.obstacles {
            obstacle.predict(time_step, &self.settings.gravity);
        }
        self.begin_implicit_contacts(time_step);
        self.predict(0..self.bodies.len(), time_step)?;
        self.update_implicit_contacts();
        for round in 1..=MAX_CONTACT_ROUNDS {
            let round = if round <= MAX_CONTACT_ROUNDS / 2 { Round::Early } else { Round::Last };
            if !self.correct_contacts(time_step, round)? {
                break;
            }
        }
        clock = self.counters.book(Stage::Predict, clock);
        self.collide(time_step)?;
        clock = self.counters.book(Stage::Contact, clock);
        self.check()?;
        self.counters.book(Stage::Check, clock);
        self.commit(time_step);
        Ok(())
    }

    /// A whole number of steps to `end`, or to the next keyframe of an obstacle before it, none longer than anyone bears; and where they end.
    fn choose_time_step(&self, end: f64) -> Result<(f64, f64), WorldError> {
        let keys = self.obstacles.iter().filter_map(|obstacle| obstacle.next_key(self.time));
        let target = keys.fold(end, f64::min);
        let left = target - self.time;
        let mut limit = self.settings.longest_time_step;
        for (index, body) in self.bodies.iter().enumerate() {
            let asked = body.method.time_step_limit();
            if !(asked > MIN_STEP_RATIO / self.settings.frames_per_second) {
                let (body, squeezed_by) = (body.name.clone(), self.squeezing(index));
                return Err(WorldError::VanishingStep { body, time_step: asked, time: self.time, squeezed_by });
            }
            self.refuse_crushed(index, asked)?;
            limit = limit.min(asked);
        }
        for obstacle in &self.obstacles {
            limit = limit.min(MAX_OBSTACLE_ROTATION / obstacle.turn_rate(self.time));
        }
        // Where nobody sets a limit, what is halved is the frame.
        limit = limit.min(1.0 / self.settings.frames_per_second) / self.throttle.divisor();
        // A rounding error must not cost a step of its own.
        let count = (left / limit - 1e-9).ceil().max(1.0);
        Ok((left / count, target))
    }

    fn shorten(&mut self, body: usize, failure: Failure, time_step: f64) -> Result<(), WorldError> {
        let name = self.bodies[body].name.clone();
        if self.throttle.is_exhausted() {
            let time = self.time;
            return Err(match failure {
                // A squeezed body may be found to pass a fixed obstacle first: the driven one squeezes it.
                Failure::Pressed { obstacle, place }
                    if self.driven_against(body).is_some() || self.is_driven(obstacle as usize) =>
                {
                    let obstacle = self.driven_against(body).unwrap_or(obstacle as usize);
                    let obstacle = self.obstacles[obstacle].name.clone();
                    WorldError::Pressed { body: name, obstacle, time, time_step, place }
                }
                failure => {
                    let squeezed_by = self.squeezing(body);
                    WorldError::Stuck { body: name, time, time_step, failure, squeezed_by }
                }
            });
        }
        self.counters.retries += 1;
        self.throttle.fail();
        let kind = EventKind::Retry { time_step, reason: failure.to_string() };
        self.events.push(Event { time: self.time, body: name, kind });
        Ok(())
    }

    /// Calls `work` for every body in order, until one fails, and takes over what they log.
    pub(crate) fn for_bodies(
        &mut self,
        time_step: f64,
        mut work: impl FnMut(&mut dyn Method, &Step, &mut CommitLog) -> Result<(), Failure>,
    ) -> Result<(), (usize, Failure)> {
        self.commit_log.start();
        let mut outcome = Ok(());
        for (index, body) in self.bodies.iter_mut().enumerate() {
            let step = self.scratch.step(index, self.time, time_step, self.settings.gravity);
            outcome = work(body.method.as_mut(), &step, &mut self.commit_log).map_err(|failure| (index, failure));
            let named = self.commit_log.events.drain(..).map(|event| Event { body: body.name.clone(), ..event });
            self.events.extend(named);
            if outcome.is_err() {
                break;
            }
        }
        self.commit_log.drain_times(&mut self.counters);
        outcome
    }

    /// What every hold does in this step, by body.
    pub(crate) fn gather_loads(&mut self, time_step: f64) {
        let end = self.time + time_step;
        self.scratch.loads.resize_with(self.bodies.len(), Vec::new);
        self.scratch.equations.resize_with(self.bodies.len(), Default::default);
        self.scratch.loads.iter_mut().for_each(Vec::clear);
        for (index, (hold, center)) in self.holds.iter().zip(&self.hold_centers).enumerate() {
            let load = hold.load(crate::HoldId(index as u32), center, end);
            self.scratch.loads[hold.body].extend(load);
        }
    }

    pub(crate) fn predict(
        &mut self,
        bodies: impl IntoIterator<Item = usize>,
        time_step: f64,
    ) -> Result<(), (usize, Failure)> {
        for index in bodies {
            let step = self.scratch.step(index, self.time, time_step, self.settings.gravity);
            self.bodies[index].method.predict(&step).map_err(|failure| (index, failure))?;
        }
        Ok(())
    }

    fn check(&self) -> Result<(), (usize, Failure)> {
        for (index, body) in self.bodies.iter().enumerate() {
            body.method.check().map_err(|failure| (index, failure))?;
        }
        Ok(())
    }

    fn commit(&mut self, time_step: f64) {
        let committed = self.for_bodies(time_step, |method, step, log| {
            method.commit(step, log);
            Ok(())
        });
        debug_assert!(committed.is_ok(), "no body can refuse to commit");
        for obstacle in &mut self.obstacles {
            obstacle.commit();
        }
    }
}
