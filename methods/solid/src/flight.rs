//! Rigid flight: what carries no load does not deform, so it moves as a rigid body, exactly and at no cost.
//!
//! An island falls asleep when its strains and the velocities beyond rigid motion are below what the options call rest, nothing holds,
//! loads or touches it, and its spin is too slow to strain it. Its records then stay as they were; where they have flown to is
//! worked out when somebody looks. The first impulse wakes it.

use crate::blocks::corners_of;
use crate::model::Solid;
use crate::options::Integrator;
use craze_body::Node;
use craze_element::strain;
use craze_engine::{EventKind, Failure, FailureMeasure, RigidBody, Step, Velocities};
use craze_math::{Isometry, Vec3};
use craze_spatial::Aabb;
use serde::{Deserialize, Serialize};

/// Largest turn of a flying island in one step (rad).
const LARGEST_TURN: f64 = 0.5;

/// What an island does beside deforming.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Flight {
    /// Its rigid motion, while it is asleep.
    pub rigid: Option<Rigid>,
    /// Whether something has touched it, or a hold has acted on it, since the last frame.
    pub disturbed: bool,
    /// Whether a flight has come to an obstacle in a step too long for an elastic body; short steps follow until the next frame.
    pub careful: bool,
    /// Distance of the farthest node from the centre of mass when it last stood still (m).
    pub radius: f64,
}

/// What happened to a piece.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Change {
    Slept(u32),
    Woke(u32),
    /// See [`EventKind::Split`].
    Split {
        place: Vec3,
        normal: Vec3,
        measure: FailureMeasure,
        parent: u32,
        children: Vec<u32>,
    },
}

impl From<Change> for EventKind {
    fn from(change: Change) -> EventKind {
        match change {
            Change::Slept(piece) => EventKind::Sleep { piece },
            Change::Woke(piece) => EventKind::Wake { piece },
            Change::Split { place, normal, measure, parent, children } => {
                EventKind::Split { place, normal, measure, parent, children }
            }
        }
    }
}

/// A rigid motion and its prediction.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Rigid {
    pub body: RigidBody,
    pub predicted: RigidBody,
    /// Pose of the body when the records were written.
    pub frozen: Isometry,
    /// Whether an impulse has met the prediction.
    pub woken: bool,
}

impl Rigid {
    /// How recorded positions are carried to where they are now.
    pub fn now(&self) -> Carrier {
        Carrier::new(&self.body, &self.frozen)
    }

    /// How recorded positions are carried to where they are predicted to be.
    pub fn predicted(&self) -> Carrier {
        Carrier::new(&self.predicted, &self.frozen)
    }
}

/// Carries recorded positions along with a rigid body; made once for all nodes of an island.
pub(crate) struct Carrier {
    /// From where the records were written; none if nothing has moved.
    way: Option<Isometry>,
    velocities: Velocities,
}

impl Carrier {
    fn new(body: &RigidBody, frozen: &Isometry) -> Carrier {
        let pose = body.pose();
        // What has not moved stands where it stood, to the bit.
        let way = (pose != *frozen).then(|| pose * frozen.inverse());
        Carrier { way, velocities: body.velocities() }
    }

    /// Where a recorded position (m) is, and how it moves (m/s).
    #[inline]
    pub fn carry(&self, recorded: &Vec3) -> (Vec3, Vec3) {
        let place = self.way.map_or(*recorded, |way| way.transform_point(&(*recorded).into()).coords);
        (place, self.velocities.at(&place))
    }
}

impl Flight {
    /// A box around it, state and prediction (m); empty if it is none.
    pub fn reach(&self) -> Aabb {
        self.rigid.as_ref().map_or(Aabb::EMPTY, |rigid| {
            Aabb::from_points([&rigid.body.position, &rigid.predicted.position]).grown(self.radius)
        })
    }

    /// An island that is awake.
    pub fn of(nodes: &[Node]) -> Flight {
        let mass: f64 = nodes.iter().map(Node::mass).sum();
        let center = nodes.iter().fold(Vec3::zeros(), |sum, node| sum + node.mass() * node.position()) / mass;
        let radius = nodes.iter().map(|node| (node.position() - center).norm()).fold(0.0, f64::max);
        Flight { rigid: None, disturbed: false, careful: false, radius }
    }

    #[inline(always)]
    pub fn is_asleep(&self) -> bool {
        self.rigid.is_some()
    }
}

impl Solid {
    /// Position and velocity of a node in the state (m, m/s).
    pub(crate) fn node_now(&self, node: usize) -> (Vec3, Vec3) {
        let record = &self.state[node];
        match &self.flights[self.layout.island_of_node(node)].rigid {
            Some(rigid) => rigid.now().carry(&record.position()),
            None => (record.position(), record.velocity()),
        }
    }

    /// Puts every island to sleep that has come to rest in itself.
    pub(crate) fn fall_asleep(&mut self) {
        for island in 0..self.layout.islands.len() {
            let Some(body) = self.rest_motion(island) else { continue };
            let nodes = self.layout.islands[island].nodes.clone();
            let places = self.state[nodes.clone()].iter().map(|node| (node.position() - body.position).norm());
            let flight = &mut self.flights[island];
            flight.radius = places.fold(0.0, f64::max);
            flight.rigid = Some(Rigid { body, predicted: body, frozen: body.pose(), woken: false });
            // Both buffers hold the records, so that commit may swap them.
            let (state, prediction) = (&self.state[nodes.clone()], &mut self.prediction[nodes]);
            prediction.copy_from_slice(state);
            self.happened.push(Change::Slept(self.pieces.number(self.layout.islands[island].piece)));
        }
        // What bounds a step fades with the steps that strain the body, and there will be none.
        if !self.is_awake() && !self.happened.is_empty() {
            self.measure();
        }
        self.scratch.reach = None;
    }

    /// The rigid motion of an island that is awake and at rest in itself; `None` if it is not.
    fn rest_motion(&self, island: usize) -> Option<RigidBody> {
        let rest = self.options.rest_strain;
        let flight = &self.flights[island];
        if rest == 0.0 || flight.disturbed || flight.is_asleep() {
            return None;
        }
        let range = &self.layout.islands[island];
        if !self.drag.is_empty() {
            let first = self.drag[range.nodes.start];
            if self.drag[range.nodes.clone()].iter().any(|&drag| drag != first) {
                return None;
            }
        }
        let nodes = &self.state[range.nodes.clone()];
        if !nodes.iter().all(Node::is_finite) {
            return None;
        }
        let body = RigidBody::from_masses(nodes.iter().map(|node| (node.mass(), node.position(), node.velocity())))?;
        let speed = self.slowest_sound();
        let turning = body.spin().norm() * flight.radius / speed;
        let velocities = body.velocities();
        let beyond = |node: &Node| (node.velocity() - velocities.at(&node.position())).norm();
        if !(turning * turning < rest && nodes.iter().all(|node| beyond(node) < rest * speed)) {
            return None;
        }
        for block in self.layout.blocks.iter().filter(|block| block.island == island) {
            for element in block.elements.clone() {
                let places = corners_of(&self.state, &self.mesh.elements()[element]);
                let strain = strain(&self.layout.rest(block, element).deformation(&places));
                // Half of the paper's ε is the true strain.
                if !(0.5 * strain.norm() < rest) {
                    return None;
                }
            }
        }
        Some(body)
    }

    /// Speed of sound along a thin bar, √(E/ρ), in the slowest of the materials (m/s): a velocity over it is a strain.
    pub(crate) fn slowest_sound(&self) -> f64 {
        let squares = self.materials.iter().map(|material| material.elasticity.young() / material.density);
        squares.fold(f64::INFINITY, f64::min).sqrt()
    }

    /// Predicts all flights.
    pub(crate) fn fly(&mut self, step: &Step) {
        for (flight, island) in self.flights.iter_mut().zip(&self.layout.islands) {
            let Some(rigid) = &mut flight.rigid else { continue };
            if rigid.woken {
                // The prediction that was hit has been thrown away.
                rigid.woken = false;
                self.prediction[island.nodes.clone()].copy_from_slice(&self.state[island.nodes.clone()]);
            }
            let drag = self.drag.get(island.nodes.start).copied().unwrap_or(0.0);
            rigid.predicted = rigid.body;
            rigid.predicted.advance(step.time_step, &step.gravity, drag);
        }
    }

    /// Wakes an island in the prediction: an impulse is about to meet it. [`commit`](craze_engine::Method::commit) makes it so.
    pub(crate) fn wake_prediction(&mut self, island: usize, time_step: f64) {
        let bears_it = self.bears_a_blow(time_step);
        let nodes = self.layout.islands[island].nodes.clone();
        let flight = &mut self.flights[island];
        let Some(rigid) = &mut flight.rigid else { return };
        if rigid.woken {
            return;
        }
        rigid.woken = true;
        flight.careful |= !bears_it;
        let (now, then) = (rigid.now(), rigid.predicted());
        for (record, predicted) in self.state[nodes.clone()].iter_mut().zip(&mut self.prediction[nodes]) {
            let recorded = record.position();
            let (end, end_velocity) = then.carry(&recorded);
            predicted.set_position(&end);
            predicted.set_velocity(&end_velocity);
            let (place, velocity) = now.carry(&recorded);
            record.set_position(&place);
            record.set_velocity(&velocity);
        }
        rigid.frozen = rigid.body.pose();
    }

    /// Wakes an island in state and prediction.
    pub(crate) fn wake(&mut self, island: usize) {
        let nodes = self.layout.islands[island].nodes.clone();
        let Some(rigid) = self.flights[island].rigid.take() else { return };
        let now = rigid.now();
        for (record, predicted) in self.state[nodes.clone()].iter_mut().zip(&mut self.prediction[nodes]) {
            let (place, velocity) = now.carry(&record.position());
            record.set_position(&place);
            record.set_velocity(&velocity);
            *predicted = *record;
        }
        self.happened.push(Change::Woke(self.pieces.number(self.layout.islands[island].piece)));
        self.scratch.reach = None;
    }

    pub(crate) fn wake_all(&mut self) {
        for island in 0..self.layout.islands.len() {
            self.wake(island);
        }
    }

    /// Makes predicted flights the state, and ends those that were hit. Comes before the records are swapped.
    pub(crate) fn commit_flights(&mut self) {
        for (number, (flight, island)) in self.flights.iter_mut().zip(&self.layout.islands).enumerate() {
            match &mut flight.rigid {
                Some(rigid) if rigid.woken => {
                    flight.rigid = None;
                    flight.disturbed = true;
                    self.happened.push(Change::Woke(self.pieces.number(island.piece)));
                    self.scratch.forces.suspect(&self.layout, number);
                }
                Some(rigid) => rigid.body = rigid.predicted,
                None => {}
            }
        }
    }

    /// Whether an impulse may meet a sleeper in a step of this length (s). An explicit body must meet it in steps that it can bear; an
    /// implicit one takes it into its equations, awake.
    fn bears_a_blow(&self, time_step: f64) -> bool {
        self.options.integrator != Integrator::Implicit && time_step <= self.spectrum.limit(self.options.integrator)
    }

    /// Refuses a step in which a flight was hit although an elastic body could not have taken it.
    pub(crate) fn check_flights(&self) -> Result<(), Failure> {
        for (flight, island) in self.flights.iter().zip(&self.layout.islands) {
            if let Some(rigid) = &flight.rigid
                && rigid.woken
                && !self.bears_a_blow(self.scratch.time_step)
            {
                let change = self.scratch.time_step * rigid.predicted.velocity.norm() / self.smallest_height;
                return Err(Failure::TooFast {
                    element: island.elements.start as u32,
                    place: rigid.body.position,
                    change,
                });
            }
        }
        Ok(())
    }

    /// The longest step (s) that flights bear: no farther than their own radius, no more than half a radian. A careful one takes
    /// the steps of an elastic body.
    pub(crate) fn flight_limit(&self) -> f64 {
        let elastic = self.spectrum.limit(self.options.integrator);
        let limit = |flight: &Flight| match &flight.rigid {
            Some(_) if flight.careful => elastic,
            Some(rigid) => {
                let way = flight.radius / rigid.body.velocity.norm();
                way.min(LARGEST_TURN / rigid.body.spin().norm())
            }
            None => elastic,
        };
        self.flights.iter().map(limit).fold(f64::INFINITY, f64::min)
    }

    /// Boxes around the flights, state and prediction (m).
    pub(crate) fn flight_reach(&self) -> Aabb {
        self.flights.iter().map(Flight::reach).fold(Aabb::EMPTY, |all, one| all.union(&one))
    }
}
