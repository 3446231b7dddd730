//! A body as bytes, and back, bit for bit.

use crate::cluster::ClusterHistory;
use crate::membership::{Memberships, Share};
use crate::model::{Clusters, ParticleState, Particles, Parts};
use crate::options::Options;
use crate::packed::Packed;
use crate::parameters::Parameters;
use crate::skin::{Cut, Skin};
use craze_body::save::{decode, encode, is_finite, is_rigid_motion, is_rotation};
use craze_body::{ConstrainedRegion, ConstrainedRegions, Lineage, TrackedPoints};
use craze_engine::{HoldId, Method, SplitCounts};
use craze_math::{Isometry, Vec3};
use craze_skin::{BackgroundMesh, EmbeddedSurface};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Version of the layout of [`Saved`].
const VERSION: u32 = 7;

/// Rotation in one reference step (rad) that a body in rigid-body mode never reaches: it enters the
/// mode only while its spin strains it little.
const MAX_ROTATION_PER_STEP: f64 = 1e3;

/// Everything that determines the future of a body. What follows from it (rest shapes and fits of
/// clusters) is computed on loading, with the same bits; predictions are not saved.
#[derive(Serialize, Deserialize)]
struct Saved<'a> {
    parameters: Parameters,
    options: Options,
    #[serde(borrow)]
    rest: Packed<'a>,
    #[serde(borrow)]
    offsets: Packed<'a>,
    #[serde(borrow)]
    volumes: Packed<'a>,
    #[serde(borrow)]
    masses: Packed<'a>,
    spacing: f64,
    centre: Vec3,
    placement: Isometry,
    #[serde(borrow)]
    shares: SavedShares<'a>,
    history: Cow<'a, [ClusterHistory]>,
    lineage: Lineage,
    counts: SplitCounts,
    is_whole: bool,
    mean_mass: f64,
    /// Without particles. In rigid-body mode there are none: theirs are from before.
    state: ParticleState,
    #[serde(borrow)]
    positions: Packed<'a>,
    #[serde(borrow)]
    velocities: Packed<'a>,
    #[serde(borrow)]
    holds: Vec<SavedHold<'a>>,
    work: f64,
    tracked: TrackedPoints<u32>,
    #[serde(borrow)]
    skin: Option<SavedSkin<'a>>,
}

/// Number of shares of each particle, and all shares in sequence.
#[derive(Serialize, Deserialize)]
struct SavedShares<'a> {
    #[serde(borrow)]
    counts: Packed<'a>,
    #[serde(borrow)]
    clusters: Packed<'a>,
    #[serde(borrow)]
    weights: Packed<'a>,
}

/// A surface without what follows from other data.
#[derive(Serialize, Deserialize)]
struct SavedSkin<'a> {
    /// [`skin_bytes`].
    #[serde(borrow)]
    shape: Packed<'a>,
    #[serde(borrow)]
    owners: Packed<'a>,
    cuts: Cow<'a, [Cut]>,
}

/// Constants of a surface.
#[derive(Serialize, Deserialize)]
struct SkinShape<'a> {
    positions: Cow<'a, [Vec3]>,
    tetrahedra: Cow<'a, [[u32; 4]]>,
    sites: Cow<'a, [Vec3]>,
    drawn: Option<DrawnShape<'a>>,
}

/// A source surface as given.
#[derive(Serialize, Deserialize)]
struct DrawnShape<'a> {
    positions: Cow<'a, [Vec3]>,
    triangles: Cow<'a, [[u32; 3]]>,
    longest: f64,
}

/// Constants of a surface as bytes.
pub(crate) fn skin_bytes(background: &BackgroundMesh, drawn: Option<&EmbeddedSurface>, sites: &[Vec3]) -> Vec<u8> {
    let drawn = drawn.map(|drawn| {
        let (positions, triangles) = drawn.input();
        DrawnShape { positions: Cow::from(positions), triangles: Cow::from(triangles), longest: drawn.max_edge() }
    });
    let shape = SkinShape {
        positions: Cow::from(background.positions()),
        tetrahedra: Cow::from(background.tetrahedra()),
        sites: Cow::from(sites),
        drawn,
    };
    postcard::to_stdvec(&shape).expect("numbers and lists can always be written to memory")
}

#[derive(Serialize, Deserialize)]
struct SavedHold<'a> {
    id: HoldId,
    #[serde(borrow)]
    members: Packed<'a>,
    reaction: Vec3,
}

/// Reads a body that [`Method::save`] has written. Errors say what is wrong with the bytes.
pub fn load(bytes: &[u8]) -> Result<Box<dyn Method>, String> {
    Ok(Box::new(from_bytes(bytes)?))
}

impl Clusters {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let hold = |region: &ConstrainedRegion| SavedHold {
            id: region.id,
            members: Packed::indices(region.members.len(), region.members.iter().copied()),
            reaction: region.reaction,
        };
        let (state, flies) = (&self.state, self.is_rigid());
        let of_state = |vectors: &[Vec3]| if flies { Packed::default() } else { Packed::vectors(vectors) };
        let saved = Saved {
            parameters: self.parameters.clone(),
            options: self.options,
            rest: Packed::vectors(&self.particles.rest),
            offsets: Packed::vectors(&self.particles.offsets),
            volumes: Packed::numbers(&self.particles.volumes),
            masses: Packed::numbers(&self.particles.masses),
            spacing: self.particles.spacing,
            centre: self.particles.centre,
            placement: self.placement,
            shares: SavedShares::of(&self.memberships, self.count()),
            history: Cow::from(&self.history),
            lineage: self.lineage.clone(),
            counts: self.counts,
            is_whole: self.is_whole,
            mean_mass: self.mean_mass,
            state: ParticleState { positions: Vec::new(), velocities: Vec::new(), ..*state },
            positions: of_state(&state.positions),
            velocities: of_state(&state.velocities),
            holds: self.constraints.iter().map(hold).collect(),
            work: self.work,
            tracked: self.tracked.clone(),
            skin: self.skin.as_ref().map(|skin| SavedSkin {
                shape: Packed::bytes(&skin.saved),
                owners: Packed::indices(skin.owners.len(), skin.owners.iter().copied()),
                cuts: Cow::from(&skin.cuts),
            }),
        };
        let capacity = 160 * self.count() + 12 * self.memberships.count() + 512 * self.rest.len();
        encode(VERSION, &saved, capacity + self.skin.as_ref().map_or(0, |skin| skin.saved.len()))
    }
}

impl<'a> SavedShares<'a> {
    fn of(memberships: &Memberships, particles: usize) -> SavedShares<'a> {
        let count = (0..particles).map(|particle| memberships.of(particle).len()).sum();
        let (mut clusters, mut weights) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for particle in 0..particles {
            let shares = memberships.of(particle);
            clusters.extend(shares.iter().map(|share| share.cluster));
            weights.extend(shares.iter().map(|share| share.weight));
        }
        SavedShares {
            counts: Packed::indices(particles, (0..particles).map(|particle| memberships.of(particle).len() as u32)),
            clusters: Packed::indices(count, clusters.into_iter()),
            weights: Packed::numbers(&weights),
        }
    }

    fn to_lists(&self) -> Result<Vec<Vec<Share>>, String> {
        let (clusters, weights) = (self.clusters.to_indices()?, self.weights.to_numbers()?);
        let mut shares = clusters.into_iter().zip(weights).map(|(cluster, weight)| Share { cluster, weight });
        let counts = self.counts.to_indices()?;
        let lists: Vec<Vec<Share>> =
            counts.iter().map(|&count| shares.by_ref().take(count as usize).collect()).collect();
        let complete = lists.iter().zip(&counts).all(|(list, &count)| list.len() == count as usize);
        if complete && shares.next().is_none() {
            Ok(lists)
        } else {
            Err("its particles have more or fewer shares in clusters than there are".to_owned())
        }
    }
}

fn from_bytes(bytes: &[u8]) -> Result<Clusters, String> {
    let saved: Saved = decode(VERSION, bytes)?;
    let spacing = saved.spacing;
    let centred = Some((saved.centre, saved.offsets.to_vectors()?));
    let (rest, volumes, masses) = (saved.rest.to_vectors()?, saved.volumes.to_numbers()?, saved.masses.to_numbers()?);
    let particles = Particles::new(rest, volumes, masses, spacing, centred);
    let particles = particles.map_err(|error| error.to_string())?;
    let shares = saved.shares.to_lists()?;
    check_clusters(&particles, &shares, &saved.history, &saved.lineage)?;
    if !is_rigid_motion(&saved.placement) {
        return Err("where it was placed is not a rigid motion".to_owned());
    }
    if !(saved.mean_mass.is_finite() && saved.mean_mass > 0.0) {
        return Err("the mean mass of its clusters is not a finite number above 0".to_owned());
    }
    if saved.tracked.iter().any(|&particle| particle as usize >= particles.rest.len()) {
        return Err("it tracks a particle that it does not have".to_owned());
    }
    let parts = Parts {
        parameters: saved.parameters,
        options: saved.options,
        particles,
        placement: saved.placement,
        shares,
        history: saved.history.into_owned(),
        lineage: saved.lineage,
        is_whole: saved.is_whole,
        mean_mass: saved.mean_mass,
    };
    let mut body = Clusters::assemble(parts).map_err(|error| error.to_string())?;
    body.counts = saved.counts;
    body.tracked = saved.tracked;
    body.skin = saved.skin.map(|skin| load_skin(skin, body.count())).transpose()?;
    let mut state = saved.state;
    (state.positions, state.velocities) = (saved.positions.to_vectors()?, saved.velocities.to_vectors()?);
    check_state(&body, &state)?;
    body.constraints = load_constraints(saved.holds, body.count())?;
    if !saved.work.is_finite() {
        return Err("its work is not a finite number".to_owned());
    }
    body.work = saved.work;
    let own = std::mem::replace(&mut body.state, state);
    if body.is_rigid() {
        (body.state.positions, body.state.velocities) = (own.positions, own.velocities);
    }
    body.bounds = body.bounds_of_state();
    if !body.is_rigid() {
        body.fit_state();
    }
    Ok(body)
}

fn load_skin(saved: SavedSkin, particles: usize) -> Result<Skin, String> {
    let shape: SkinShape = postcard::from_bytes(saved.shape.as_bytes()).map_err(|error| error.to_string())?;
    let background = BackgroundMesh::new(shape.positions.into_owned(), shape.tetrahedra.into_owned());
    let background = background.map_err(|error| error.to_string())?;
    let draw = |drawn: DrawnShape| {
        let DrawnShape { positions, triangles, longest } = drawn;
        EmbeddedSurface::new(&background, positions.into_owned(), triangles.into_owned(), longest)
    };
    let drawn = shape.drawn.map(draw).transpose().map_err(|error| error.to_string())?;
    let mut skin = Skin::new(background, drawn, shape.sites.into_owned());
    (skin.owners, skin.cuts) = (saved.owners.to_indices()?, saved.cuts.into_owned());
    skin.check(particles)?;
    Ok(skin)
}

fn check_clusters(
    particles: &Particles,
    shares: &[Vec<Share>],
    history: &[ClusterHistory],
    lineage: &Lineage,
) -> Result<(), String> {
    let count = particles.rest.len();
    if shares.len() != count || particles.offsets.len() != count {
        return Err(format!("it has {count} particles but the clusters of {}", shares.len()));
    }
    if !particles.offsets.iter().all(is_finite) || !particles.volumes.iter().all(|volume| volume.is_finite()) {
        return Err("a rest place or volume is not a finite number".to_owned());
    }
    let mut members = vec![0u32; history.len()];
    for (particle, own) in shares.iter().enumerate() {
        let sum: f64 = own.iter().map(|share| share.weight).sum();
        let sound = |share: &Share| (share.cluster as usize) < history.len() && share.weight > 0.0;
        let mut clusters: Vec<u32> = own.iter().map(|share| share.cluster).collect();
        clusters.sort_unstable();
        // NaN fails the comparison.
        if !((sum - 1.0).abs() < 1e-6) || !own.iter().all(sound) || clusters.windows(2).any(|two| two[0] == two[1]) {
            return Err(format!("particle {particle} is in clusters that are not there, or by weights that are none"));
        }
        clusters.iter().for_each(|&cluster| members[cluster as usize] += 1);
    }
    if let Some(cluster) = members.iter().position(|&count| count == 0) {
        return Err(format!("cluster {cluster} has no members"));
    }
    if !lineage.is_sound() {
        return Err("its pieces have no sound history".to_owned());
    }
    for (cluster, history) in history.iter().enumerate() {
        let finite = history.plastic.iter().chain([&history.hardening]).all(|entry| entry.is_finite());
        let tough = history.toughness.is_none_or(|value| value.is_finite() && value > 1.0);
        let planes = history.planes.iter().all(|plane| is_finite(&plane.normal) && plane.end.is_finite());
        let timed = history.last_split.is_none_or(f64::is_finite);
        if !(finite && tough && planes && timed && (history.piece as usize) < lineage.len()) {
            return Err(format!("cluster {cluster} has numbers that no cluster has"));
        }
    }
    Ok(())
}

fn check_state(body: &Clusters, state: &ParticleState) -> Result<(), String> {
    let count = if state.rigid.is_some() { 0 } else { body.count() };
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
    if !(is_finite(&state.drift.velocity) && is_finite(&state.drift.spin)) {
        return Err("what rounding added to its motion is not a finite number".to_owned());
    }
    if !(state.time_step.is_finite() && state.time_step > 0.0) {
        return Err("its last step took no time".to_owned());
    }
    let Some(rigid) = &state.rigid else { return Ok(()) };
    let rest = &body.whole.rigid;
    if rigid.mass != rest.mass || rigid.inertia != rest.inertia {
        return Err("its rigid motion has the mass or inertia of another body".to_owned());
    }
    let rotation = rigid.spin().norm() * body.options.time_step;
    // NaN fails the comparison.
    let is_possible = is_finite(&rigid.position)
        && is_finite(&rigid.velocity)
        && is_rotation(&rigid.orientation)
        && rotation < MAX_ROTATION_PER_STEP;
    if is_possible { Ok(()) } else { Err("its rigid motion is one that no body can have".to_owned()) }
}

fn load_constraints(saved: Vec<SavedHold>, count: usize) -> Result<ConstrainedRegions, String> {
    let mut constraints = ConstrainedRegions::default();
    let mut last = None;
    for SavedHold { id, members, reaction } in saved {
        let members = members.to_indices()?;
        let is_sound = members.windows(2).all(|pair| pair[0] < pair[1])
            && members.last().is_some_and(|&last| (last as usize) < count)
            && is_finite(&reaction);
        if !is_sound {
            return Err(format!("hold {} names particles that are not there, or its force is not finite", id.0));
        }
        if last.is_some_and(|last| last >= id) {
            return Err("its holds are out of order".to_owned());
        }
        last = Some(id);
        constraints.set(ConstrainedRegion { reaction, ..ConstrainedRegion::of_particles(id, members) });
    }
    Ok(constraints)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{awake, block, body, crooked, plain_step};
    use craze_engine::{Attachable, CommitLog, Effect, Load, Region, Step};
    use craze_math::Isometry;
    use proptest::prelude::*;

    fn two_kinds() -> [Clusters; 2] {
        let mut flying = body(block([4, 3, 2]), 0.5, Options::default());
        flying.predict(&plain_step()).unwrap();
        flying.commit_motion();
        assert!(flying.is_rigid());
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
                        body.commit(&step, &mut CommitLog::default());
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
            assert!(load(&newer).err().unwrap().contains(&format!("version {}", VERSION + 1)));
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
                    body.commit(&plain_step(), &mut CommitLog::default());
                }
                body.frame(craze_engine::FrameDetail::Surface);
                body.account(&Vec3::zeros());
            }
        }

        #[test]
        fn any_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let mut bytes = bytes;
            if let Some(first) = bytes.first_mut() {
                *first = VERSION as u8;
            }
            let _ = load(&bytes);
        }
    }
}
