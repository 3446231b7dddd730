//! Holds, loads and probes.

use super::rejected;
use crate::description::{self, Action, AngleKeyframe, LoadKeyframe, Quantity, Scene, Turning};
use crate::document::SceneDocument;
use crate::report::SceneError;
use craze_engine::{Hold, HoldId, Keyframe, Measure, Motion, Probe, Ramp, Region, World};
use craze_math::Vec3;

/// Adds a hold; one that takes hold of nothing is an error at its region.
pub fn add_hold(document: &SceneDocument, index: usize, world: &mut World) -> Result<(), SceneError> {
    let scene = &document.scene;
    let hold = &scene.holds[index];
    let built = Hold {
        name: hold.name.clone(),
        body: body_index(scene, &hold.body),
        region: Region::from(&hold.region),
        action: action(&hold.action),
        release: hold.release,
    };
    let what = if matches!(hold.action, Action::Traction { .. }) { "surface" } else { "part" };
    world.add_hold(built).map(|_| ()).ok_or_else(|| {
        let message = format!("no {what} of body \"{}\" lies in this region", hold.body);
        let help = "regions are in world coordinates, where the body stands at t = 0: move or enlarge the region";
        rejected(document, &format!("hold[{index}].region"), message, help)
    })
}

/// Adds a probe.
pub fn add_probe(scene: &Scene, probe: &description::Probe, world: &mut World) {
    let mut locate = |point: &description::BodyPoint| {
        let body = body_index(scene, &point.body);
        let found = world.bodies[body].method.locate(&Vec3::from(point.point));
        (body, found)
    };
    let measure = match &probe.quantity {
        Quantity::Displacement(place) => {
            let (body, point) = locate(place);
            let start = world.bodies[body].method.observe(&point).0;
            Measure::Displacement { body, point, start }
        }
        Quantity::Velocity(place) => {
            let (body, point) = locate(place);
            Measure::Velocity { body, point }
        }
        Quantity::Position(place) => {
            let (body, point) = locate(place);
            Measure::Position { body, point }
        }
        Quantity::Reaction(name) => Measure::Reaction { hold: hold_id(scene, &name.hold) },
        Quantity::Energy(name) => Measure::Energy { body: body_index(scene, &name.body) },
        Quantity::Pieces(name) => Measure::Pieces { body: body_index(scene, &name.body) },
    };
    world.add_probe(Probe { name: probe.name.clone(), measure, every: probe.every });
}

/// Keyframes of the engine.
pub fn keyframes(keys: &[description::Keyframe]) -> Vec<Keyframe> {
    let keyframe = |key: &description::Keyframe| Keyframe {
        time: key.t,
        shift: Vec3::from(key.shift),
        turn: Vec3::from(key.turn).map(f64::to_radians),
    };
    keys.iter().map(keyframe).collect()
}

fn action(action: &Action) -> craze_engine::Action {
    match action {
        Action::Fixed => craze_engine::Action::Move(Motion::still()),
        Action::Motion(keys) => craze_engine::Action::Move(Motion::Keyframes(keyframes(keys))),
        Action::Twist(twist) => craze_engine::Action::Move(Motion::Twist {
            through: Vec3::from(twist.through),
            axis: Vec3::from(twist.axis),
            turning: match &twist.turning {
                Turning::Rate(rate) => craze_engine::Turning::Rate(rate.to_radians()),
                Turning::Keyframes(keys) => craze_engine::Turning::Keys(angles(keys)),
            },
        }),
        Action::Force { total, ramp } => craze_engine::Action::Force { force: Vec3::from(*total), ramp: factors(ramp) },
        Action::Traction { per_area, ramp } => {
            craze_engine::Action::Traction { traction: Vec3::from(*per_area), ramp: factors(ramp) }
        }
    }
}

fn angles(keys: &[AngleKeyframe]) -> Ramp {
    Ramp { keys: keys.iter().map(|key| (key.t, key.angle.to_radians())).collect() }
}

fn factors(keys: &[LoadKeyframe]) -> Ramp {
    Ramp { keys: keys.iter().map(|key| (key.t, key.factor)).collect() }
}

// The checks of the scene have made sure that every name exists.
fn body_index(scene: &Scene, name: &str) -> usize {
    scene.bodies.iter().position(|body| body.name == name).unwrap_or_default()
}

fn hold_id(scene: &Scene, name: &str) -> HoldId {
    HoldId(scene.holds.iter().position(|hold| hold.name == name).unwrap_or_default() as u32)
}
