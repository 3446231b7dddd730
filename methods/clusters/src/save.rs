//! A body as bytes, and back, bit for bit.

use crate::loads::Hold;
use crate::model::{Clusters, Matter, Moment, Options, is_finite};
use craze_engine::{HoldId, Method};
use craze_math::Vec3;
use serde::{Deserialize, Serialize};

/// Version of the layout of [`Saved`].
const VERSION: u32 = 1;

/// Turns in one reference step (rad) that no flight reaches: it takes off only while its spin strains the body little.
const IMPOSSIBLE_TURN: f64 = 1e3;

/// Everything that decides how a body goes on. What follows from it (masses, the cluster's rest properties) is computed again, which gives
/// the same bits; a prediction is never saved.
#[derive(Serialize, Deserialize)]
struct Saved {
    version: u32,
    matter: Matter,
    options: Options,
    rest: Vec<Vec3>,
    volumes: Vec<f64>,
    spacing: f64,
    state: Moment,
    holds: Vec<SavedHold>,
    work: f64,
}

#[derive(Serialize, Deserialize)]
struct SavedHold {
    id: HoldId,
    members: Vec<u32>,
    reaction: Vec3,
}

/// Loads a body of this method from the bytes that [`Method::save`] gave. The text of an error says what is wrong with them.
pub fn load(bytes: &[u8]) -> Result<Box<dyn Method>, String> {
    Ok(Box::new(from_bytes(bytes)?))
}

impl Clusters {
    /// The state without particles that a flight carries: theirs are left over from before it began.
    fn saved_state(&self) -> Moment {
        match self.state.flight {
            Some(_) => Moment { positions: Vec::new(), velocities: Vec::new(), ..self.state },
            None => self.state.clone(),
        }
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let hold = |hold: &Hold| SavedHold { id: hold.id, members: hold.members.clone(), reaction: hold.reaction };
        let saved = Saved {
            version: VERSION,
            matter: self.matter.clone(),
            options: self.options,
            rest: self.particles.rest.clone(),
            volumes: self.particles.volumes.clone(),
            spacing: self.particles.spacing,
            state: self.saved_state(),
            holds: self.holds.iter().map(hold).collect(),
            work: self.work,
        };
        postcard::to_stdvec(&saved).expect("numbers, lists and text can always be written to memory")
    }
}

fn from_bytes(bytes: &[u8]) -> Result<Clusters, String> {
    let (version, _) = postcard::take_from_bytes::<u32>(bytes).map_err(|error| error.to_string())?;
    if version != VERSION {
        return Err(format!("it has version {version} of this method; this program reads version {VERSION}"));
    }
    let (saved, left) = postcard::take_from_bytes::<Saved>(bytes).map_err(|error| error.to_string())?;
    if !left.is_empty() {
        return Err(format!("{} bytes are left over", left.len()));
    }
    let mut body = Clusters::assemble(saved.matter, saved.options, saved.rest, saved.volumes, saved.spacing)
        .map_err(|error| error.to_string())?;
    check_state(&body, &saved.state)?;
    body.holds = load_holds(saved.holds, body.count())?;
    if !saved.work.is_finite() {
        return Err("its work is not a finite number".to_owned());
    }
    body.work = saved.work;
    let own = std::mem::replace(&mut body.state, saved.state);
    if body.is_flying() {
        (body.state.positions, body.state.velocities) = (own.positions, own.velocities);
    }
    body.bounds = body.bounds_of_state();
    Ok(body)
}

fn check_state(body: &Clusters, state: &Moment) -> Result<(), String> {
    let count = if state.flight.is_some() { 0 } else { body.count() };
    if state.positions.len() != count || state.velocities.len() != count {
        return Err(format!(
            "it has {} positions and {} velocities in place of {count}",
            state.positions.len(),
            state.velocities.len()
        ));
    }
    if let Some(particle) =
        state.positions.iter().zip(&state.velocities).position(|(x, v)| !(is_finite(x) && is_finite(v)))
    {
        return Err(format!("particle {particle} has a position or velocity that is not a finite number"));
    }
    if !(is_finite(&state.slip.velocity) && is_finite(&state.slip.spin)) {
        return Err("what rounding added to its motion is not a finite number".to_owned());
    }
    let Some(flight) = &state.flight else { return Ok(()) };
    let rigid = &body.cluster.rigid;
    if flight.mass != rigid.mass || flight.inertia != rigid.inertia {
        return Err("it flies with the mass or inertia of another body".to_owned());
    }
    let turned = (flight.orientation.as_vector().norm() - 1.0).abs() < 1e-6;
    let turn = flight.spin().norm() * body.options.time_step;
    // Written so that NaN fails, too.
    let possible = is_finite(&flight.position) && is_finite(&flight.velocity) && turned && turn < IMPOSSIBLE_TURN;
    if possible { Ok(()) } else { Err("it flies in a way that no body can".to_owned()) }
}

fn load_holds(saved: Vec<SavedHold>, count: usize) -> Result<Vec<Hold>, String> {
    let increasing = saved.windows(2).all(|pair| pair[0].id < pair[1].id);
    let sound = |hold: &SavedHold| {
        hold.members.windows(2).all(|pair| pair[0] < pair[1])
            && hold.members.last().is_some_and(|&last| (last as usize) < count)
            && is_finite(&hold.reaction)
    };
    if let Some(hold) = saved.iter().find(|hold| !sound(hold)) {
        return Err(format!("hold {} names particles that are not there, or its force is not finite", hold.id.0));
    }
    if !increasing {
        return Err("its holds are out of order".to_owned());
    }
    let load = |hold: SavedHold| Hold {
        id: hold.id,
        members: hold.members,
        reaction: hold.reaction,
        predicted_reaction: Vec3::zeros(),
    };
    Ok(saved.into_iter().map(load).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{awake, block, body, crooked, plain_step};
    use craze_engine::{Effect, Load, Region, Step};
    use craze_math::Isometry;
    use proptest::prelude::*;

    fn two_kinds() -> [Clusters; 2] {
        let mut flying = body(block([4, 3, 2]), 0.5, Options::default());
        flying.predict(&plain_step()).unwrap();
        flying.commit(&plain_step());
        assert!(flying.is_flying());
        let mut held = body(block([4, 3, 2]), 0.5, Options { damping: 0.3, ..awake() });
        held.set_motion(|rest| (crooked(rest), Vec3::zeros())).unwrap();
        held.attach(HoldId(2), &Region::HalfSpace { point: Vec3::zeros(), normal: -Vec3::x() }).unwrap();
        [flying, held]
    }

    #[test]
    fn a_loaded_body_goes_on_with_the_same_bits() {
        for mut original in two_kinds() {
            let loads = [Load { hold: HoldId(2), effect: Effect::Place(Isometry::translation(0.01, 0.0, 0.0)) }];
            let step = Step { gravity: Vec3::new(0.0, -9.81, 0.0), loads: &loads, ..plain_step() };
            for round in 0..3 {
                let mut copy = load(&original.save()).unwrap();
                assert_eq!(copy.save(), original.save());
                for _ in 0..5 {
                    for body in [&mut original as &mut dyn Method, copy.as_mut()] {
                        body.predict(&step).unwrap();
                        body.commit(&step);
                    }
                }
                assert_eq!(copy.save(), original.save(), "round {round}");
                assert_eq!(copy.account(&step.gravity), original.account(&step.gravity));
                assert_eq!(copy.reaction(HoldId(2)), original.reaction(HoldId(2)));
            }
        }
    }

    #[test]
    fn truncated_and_foreign_bytes_are_refused() {
        for body in two_kinds() {
            let bytes = body.save();
            for length in 0..bytes.len() {
                assert!(load(&bytes[..length]).is_err());
            }
            let mut longer = bytes.clone();
            longer.push(0);
            assert!(load(&longer).is_err());
            let mut newer = bytes;
            newer[0] += 1;
            assert!(load(&newer).err().unwrap().contains("version 2"));
        }
    }

    proptest! {
        #[test]
        fn damaged_bytes_never_panic(kind in 0usize..2, changes in prop::collection::vec((0usize..4000, any::<u8>()), 1..8)) {
            let mut bytes = two_kinds()[kind].save();
            let length = bytes.len();
            for (place, value) in changes {
                bytes[place % length] = value;
            }
            if let Ok(mut body) = load(&bytes) {
                for _ in 0..3 {
                    let _ = body.predict(&plain_step());
                    body.commit(&plain_step());
                }
                body.frame(craze_engine::FrameDetail::Surface);
                body.account(&Vec3::zeros());
            }
        }

        #[test]
        fn any_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let mut bytes = bytes;
            if let Some(first) = bytes.first_mut() {
                *first = 1;
            }
            let _ = load(&bytes);
        }
    }
}
