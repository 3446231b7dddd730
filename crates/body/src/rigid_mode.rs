//! Rigid-body mode: an island that carries no load does not deform, so it moves as a rigid body,
//! exactly and at no cost.
//!
//! An island enters the mode when its strains and the velocities beyond rigid motion are small,
//! nothing holds, loads or touches it, and its spin is too slow to strain it. The records of its
//! nodes then stay as they were; current positions are computed on demand. The first impulse ends
//! the mode. Which strains are small is for the method to say.

use crate::Node;
use crate::save::{is_finite, is_rigid_body, is_rotation};
use craze_engine::{RigidBody, Step, Velocities};
use craze_math::{Isometry, Mat3, Rotation, Vec3};
use craze_spatial::Aabb;
use serde::{Deserialize, Serialize};

/// Largest rotation of an island in rigid-body mode in one step (rad).
const MAX_ROTATION_PER_STEP: f64 = 0.5;

/// Tolerance of the radius of a saved island (1).
const RADIUS_TOLERANCE: f64 = 1e-6;

/// How an island moves: connected nodes that are integrated, or one rigid body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IslandMotion {
    /// Its rigid motion, in rigid-body mode.
    pub rigid: Option<RigidMotion>,
    /// Whether something touched it, or a hold acted on it, since the last frame.
    pub disturbed: bool,
    /// Whether it met an obstacle in a step too long for an elastic body; short steps follow until
    /// the next frame.
    pub needs_short_steps: bool,
    /// Distance of the farthest node from the centre of mass when the island was last measured (m).
    pub radius: f64,
}

/// A rigid motion and its prediction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RigidMotion {
    /// The state.
    pub body: RigidBody,
    /// The prediction.
    pub predicted: RigidBody,
    /// Pose of the body when the nodes were recorded.
    pub recorded_pose: Isometry,
    /// Whether an impulse has met the prediction, whose nodes are then written.
    pub woken: bool,
}

/// Takes reference positions to where the rigid body is; made once for all nodes of an island.
#[derive(Clone, Copy, Debug)]
pub struct RigidMap {
    displacement: Displacement,
    velocities: Velocities,
}

/// How reference positions are displaced.
#[derive(Clone, Copy, Debug)]
enum Displacement {
    /// Not at all: what has not moved stays where it is, to the bit.
    None,
    /// Recorded positions move from the pose at which they were recorded.
    Recorded(Isometry),
    /// Offsets from the centre of mass of a rest shape are rotated and added to the centre (m).
    Offsets(Vec3, Mat3),
}

impl RigidMap {
    fn new(body: &RigidBody, recorded: &Isometry) -> RigidMap {
        let pose = body.pose();
        let displacement = match pose == *recorded {
            true => Displacement::None,
            false => Displacement::Recorded(pose * recorded.inverse()),
        };
        RigidMap { displacement, velocities: body.velocities() }
    }

    /// From offsets from the centre of mass of a rest shape (m), which is rotated by `rotation`.
    pub fn of_offsets(body: &RigidBody, rotation: &Rotation) -> RigidMap {
        let rotation = rotation.to_rotation_matrix().into_inner();
        RigidMap { displacement: Displacement::Offsets(body.position, rotation), velocities: body.velocities() }
    }

    /// Position (m) and velocity (m/s) of the node with a reference position (m).
    #[inline]
    pub fn apply(&self, reference: &Vec3) -> (Vec3, Vec3) {
        let position = match &self.displacement {
            Displacement::None => *reference,
            Displacement::Recorded(motion) => motion.transform_point(&(*reference).into()).coords,
            Displacement::Offsets(center, rotation) => {
                let arm = rotation * reference;
                return (center + arm, self.velocities.at_arm(&arm));
            }
        };
        (position, self.velocities.at(&position))
    }
}

impl RigidMotion {
    /// From recorded positions to those of the state.
    #[inline]
    pub fn map(&self) -> RigidMap {
        RigidMap::new(&self.body, &self.recorded_pose)
    }

    /// From recorded positions to those of the prediction.
    #[inline]
    pub fn predicted_map(&self) -> RigidMap {
        RigidMap::new(&self.predicted, &self.recorded_pose)
    }
}

impl IslandMotion {
    /// An island whose nodes are integrated.
    pub fn awake(nodes: &[Node]) -> IslandMotion {
        let mass: f64 = nodes.iter().map(Node::mass).sum();
        let center = nodes.iter().fold(Vec3::zeros(), |sum, node| sum + node.mass() * node.position()) / mass;
        let radius = radius_about(&center, nodes);
        IslandMotion { rigid: None, disturbed: false, needs_short_steps: false, radius }
    }

    /// Returns true in rigid-body mode.
    #[inline(always)]
    pub fn is_asleep(&self) -> bool {
        self.rigid.is_some()
    }

    /// Bounding box of state and prediction in rigid-body mode (m); empty otherwise.
    #[inline]
    pub fn bounds(&self) -> Aabb {
        self.rigid.as_ref().map_or(Aabb::EMPTY, |rigid| {
            Aabb::from_points([&rigid.body.position, &rigid.predicted.position]).grown(self.radius)
        })
    }

    /// The rigid motion of an awake island whose nodes move as one: `None` if it was disturbed,
    /// spins so fast that it is strained, nodes move against each other, or feel different drag. A
    /// velocity over `sound_speed` (m/s) is a strain, and `rest_strain` (1) is what counts as none.
    /// `drag` (1/s) is by node, or empty. Strains of elements are for the caller to check.
    pub fn coherent_motion(
        &self,
        nodes: &[Node],
        drag: &[f64],
        rest_strain: f64,
        sound_speed: f64,
    ) -> Option<RigidBody> {
        let is_candidate = rest_strain != 0.0 && !self.disturbed && !self.is_asleep();
        let same_drag = drag.windows(2).all(|pair| pair[0] == pair[1]);
        if !(is_candidate && same_drag && nodes.iter().all(Node::is_finite)) {
            return None;
        }
        let body = RigidBody::from_masses(nodes.iter().map(|node| (node.mass(), node.position(), node.velocity())))?;
        let rim = body.spin().norm() * self.radius / sound_speed;
        let velocities = body.velocities();
        let beyond = |node: &Node| (node.velocity() - velocities.at(&node.position())).norm();
        let moves_as_one = rim * rim < rest_strain && nodes.iter().all(|node| beyond(node) < rest_strain * sound_speed);
        moves_as_one.then_some(body)
    }

    /// Enters rigid-body mode with a motion.
    pub fn sleep(&mut self, body: RigidBody, state: &[Node], prediction: &mut [Node]) {
        self.radius = radius_about(&body.position, state);
        self.rigid = Some(RigidMotion { body, predicted: body, recorded_pose: body.pose(), woken: false });
        // Both buffers hold the records, so that commit may swap them.
        prediction.copy_from_slice(state);
    }

    /// Predicts the rigid motion, if there is one. `drag` in 1/s.
    pub fn predict(&mut self, step: &Step, drag: f64, state: &[Node], prediction: &mut [Node]) {
        let Some(rigid) = &mut self.rigid else { return };
        if rigid.woken {
            // The prediction that was hit has been thrown away.
            rigid.woken = false;
            prediction.copy_from_slice(state);
        }
        rigid.predicted = rigid.body;
        rigid.predicted.advance(step.time_step, &step.gravity, drag);
    }

    /// Writes the nodes of state and prediction, since an impulse is about to meet the prediction.
    /// [`commit`](IslandMotion::commit) ends the mode. `is_short` says whether an elastic body
    /// bears the step.
    pub fn wake_prediction(&mut self, is_short: bool, state: &mut [Node], prediction: &mut [Node]) {
        let Some(rigid) = self.rigid.as_mut().filter(|rigid| !rigid.woken) else { return };
        rigid.woken = true;
        self.needs_short_steps |= !is_short;
        let (now, then) = (rigid.map(), rigid.predicted_map());
        for (record, predicted) in state.iter_mut().zip(prediction) {
            let recorded = record.position();
            let (end, end_velocity) = then.apply(&recorded);
            predicted.set_position(&end);
            predicted.set_velocity(&end_velocity);
            let (position, velocity) = now.apply(&recorded);
            record.set_position(&position);
            record.set_velocity(&velocity);
        }
        rigid.recorded_pose = rigid.body.pose();
    }

    /// Ends rigid-body mode in state and prediction; returns true if the island was in it.
    pub fn wake(&mut self, state: &mut [Node], prediction: &mut [Node]) -> bool {
        let Some(rigid) = self.rigid.take() else { return false };
        let now = rigid.map();
        for (record, predicted) in state.iter_mut().zip(prediction) {
            let (position, velocity) = now.apply(&record.position());
            record.set_position(&position);
            record.set_velocity(&velocity);
            *predicted = *record;
        }
        true
    }

    /// Makes the prediction the state; returns true if it was hit, which ends the mode. Comes
    /// before the nodes of state and prediction are swapped.
    pub fn commit(&mut self) -> bool {
        match &mut self.rigid {
            Some(rigid) if rigid.woken => {
                self.rigid = None;
                self.disturbed = true;
                true
            }
            Some(rigid) => {
                rigid.body = rigid.predicted;
                false
            }
            None => false,
        }
    }

    /// The longest step (s): in rigid-body mode no farther than the island's radius, and no more
    /// than half a radian; otherwise, or after it met an obstacle, `elastic`.
    #[inline]
    pub fn time_step_limit(&self, elastic: f64) -> f64 {
        match &self.rigid {
            Some(rigid) if !self.needs_short_steps => {
                let crossing = self.radius / rigid.body.velocity.norm();
                crossing.min(MAX_ROTATION_PER_STEP / rigid.body.spin().norm())
            }
            _ => elastic,
        }
    }

    /// Returns true if this can be the motion of these nodes: its radius is theirs, its numbers are
    /// those of rigid bodies, and it spins no faster than at `rim_speed` (m/s). A motion from a
    /// file may be anything.
    pub fn is_sound(&self, nodes: &[Node], rim_speed: f64) -> bool {
        let Some(rigid) = &self.rigid else { return self.radius.is_finite() };
        let radius = radius_about(&rigid.recorded_pose.translation.vector, nodes);
        is_rigid_body(&rigid.body)
            && is_rigid_body(&rigid.predicted)
            && is_rotation(&rigid.recorded_pose.rotation)
            && is_finite(&rigid.recorded_pose.translation.vector)
            && (self.radius - radius).abs() <= RADIUS_TOLERANCE * radius
            && rigid.body.spin().norm() * radius <= rim_speed
    }
}

/// Distance of the farthest node from a point (m).
fn radius_about(center: &Vec3, nodes: &[Node]) -> f64 {
    nodes.iter().map(|node| (node.position() - center).norm()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use craze_math::Random;

    const REST: f64 = 1e-6;
    const SOUND: f64 = 100.0;

    fn rigid_nodes(spin: &Vec3) -> Vec<Node> {
        let (mut random, velocity) = (Random::new(4), Vec3::new(1.0, 2.0, -3.0));
        (0..12)
            .map(|_| {
                let position = random.vector();
                Node::new(position, velocity + spin.cross(&position), 1.5 + random.signed())
            })
            .collect()
    }

    fn step() -> Step<'static> {
        Step { time: 0.0, time_step: 0.01, gravity: Vec3::new(0.0, -9.81, 0.0), loads: &[], contacts: &[] }
    }

    #[test]
    fn only_coherent_undisturbed_islands_enter_the_mode() {
        let nodes = rigid_nodes(&Vec3::new(0.01, 0.0, 0.02));
        let island = IslandMotion::awake(&nodes);
        let motion = |island: &IslandMotion, nodes: &[Node], drag: &[f64]| {
            island.coherent_motion(nodes, drag, REST, SOUND).is_some()
        };
        assert!(motion(&island, &nodes, &[]) && motion(&island, &nodes, &[0.3; 12]));
        assert!(!motion(&IslandMotion { disturbed: true, ..island.clone() }, &nodes, &[]));
        assert!(!motion(&island, &nodes, &[0.3, 0.2]));
        assert!(!motion(&island, &rigid_nodes(&Vec3::new(0.0, 9.0, 0.0)), &[]), "it would be strained by its spin");
        let mut vibrating = nodes.clone();
        vibrating[3].set_velocity(&(nodes[3].velocity() + Vec3::new(0.01, 0.0, 0.0)));
        assert!(!motion(&island, &vibrating, &[]));
        vibrating[3].set_velocity(&Vec3::repeat(f64::NAN));
        assert!(!motion(&island, &vibrating, &[]));
    }

    #[test]
    fn an_island_moves_rigidly_and_an_impulse_ends_the_mode() {
        let mut state = rigid_nodes(&Vec3::new(0.01, 0.0, 0.02));
        let mut prediction = state.clone();
        let mut island = IslandMotion::awake(&state);
        let body = island.coherent_motion(&state, &[], REST, SOUND).unwrap();
        island.sleep(body, &state, &mut prediction);
        assert!(island.is_asleep() && island.is_sound(&state, 1.0));
        for _ in 0..20 {
            island.predict(&step(), 0.0, &state, &mut prediction);
            assert!(!island.commit());
        }
        let expected: Vec<(Vec3, Vec3)> =
            state.iter().map(|node| island.rigid.unwrap().map().apply(&node.position())).collect();
        let center = |nodes: &[(f64, Vec3)]| {
            let mass: f64 = nodes.iter().map(|node| node.0).sum();
            nodes.iter().map(|node| node.0 * node.1).sum::<Vec3>() / mass
        };
        let then: Vec<(f64, Vec3)> = state.iter().zip(&expected).map(|(node, now)| (node.mass(), now.0)).collect();
        let parabola = body.position + 0.2 * body.velocity + 0.02 * step().gravity;
        assert!((center(&then) - parabola).norm() < 1e-13);

        // Hit, thrown away, predicted again: still in the mode, and where it was.
        island.predict(&step(), 0.0, &state, &mut prediction);
        island.wake_prediction(false, &mut state, &mut prediction);
        assert!(island.needs_short_steps && island.time_step_limit(1e-4) == 1e-4);
        island.predict(&step(), 0.0, &state, &mut prediction);
        assert!(!island.commit() && island.is_asleep());
        assert_eq!(state, prediction);
        for (node, (position, velocity)) in state.iter().zip(&expected) {
            assert!((node.position() - position).norm() < 1e-13 && (node.velocity() - velocity).norm() < 1e-13);
        }
        island.predict(&step(), 0.0, &state, &mut prediction);
        island.wake_prediction(true, &mut state, &mut prediction);
        assert!(island.commit() && !island.is_asleep() && island.disturbed);
    }

    #[test]
    fn a_motion_that_does_not_fit_its_nodes_is_refused() {
        let state = rigid_nodes(&Vec3::zeros());
        let (mut island, mut prediction) = (IslandMotion::awake(&state), state.clone());
        let body = island.coherent_motion(&state, &[], REST, SOUND).unwrap();
        island.sleep(body, &state, &mut prediction);
        let spoil = |spoil: &dyn Fn(&mut IslandMotion)| {
            let mut spoilt = island.clone();
            spoil(&mut spoilt);
            spoilt.is_sound(&state, 1.0)
        };
        assert!(spoil(&|_| {}));
        assert!(!spoil(&|island| island.radius *= 1.1));
        assert!(!spoil(&|island| island.radius = f64::NAN));
        assert!(!spoil(&|island| island.rigid.as_mut().unwrap().body.angular_momentum = Vec3::repeat(1e3)));
        assert!(!spoil(&|island| island.rigid.as_mut().unwrap().predicted.mass = -1.0));
    }
}
