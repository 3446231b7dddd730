//! A body as bytes, and back. Parts and degrees of freedom follow from the mesh and the history of
//! its cracks, bit for bit.

use crate::crack::Growth;
use crate::knife::Knife;
use crate::model::{Motion, PlannedCut, Xfem};
use crate::options::XfemOptions;
use crate::pieces::DofPieces;
use craze_body::TrackedPoints;
use craze_body::implicit::Equilibrium;
use craze_body::save::{decode, encode, is_finite, is_rigid_motion};
use craze_engine::{HoldId, MaterialPoint, Method, SplitCounts};
use craze_material::Material;
use craze_math::{Isometry, Vec3};
use craze_mesh::TetMesh;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Changes with the meaning of the bytes.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Saved<'a> {
    mesh: Cow<'a, TetMesh>,
    material_of: Cow<'a, [u32]>,
    materials: Cow<'a, [Material]>,
    options: XfemOptions,
    placement: Isometry,
    history: Cow<'a, [Growth]>,
    planned: Cow<'a, [PlannedCut]>,
    knives: Cow<'a, [Knife]>,
    fronts: Cow<'a, BTreeMap<(u32, u32), f64>>,
    state: Cow<'a, Motion>,
    increments: Cow<'a, [Vec3]>,
    reactions: Vec<(HoldId, Vec3)>,
    pieces: Cow<'a, DofPieces>,
    tracked: Cow<'a, TrackedPoints<MaterialPoint>>,
    counts: SplitCounts,
    work: f64,
    equilibrium: Cow<'a, Equilibrium>,
}

impl Xfem {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let saved = Saved {
            mesh: Cow::Borrowed(&self.mesh),
            material_of: Cow::from(&self.material_of),
            materials: Cow::from(&self.materials),
            options: self.options,
            placement: self.placement,
            history: Cow::from(&self.history),
            planned: Cow::from(&self.planned),
            knives: Cow::from(&self.knives),
            fronts: Cow::Borrowed(&self.fronts),
            state: Cow::Borrowed(&self.state),
            increments: Cow::from(&self.increments),
            reactions: self.constraints.reactions(),
            pieces: Cow::Borrowed(&self.pieces),
            tracked: Cow::Borrowed(&self.tracked),
            counts: self.counts,
            work: self.work,
            equilibrium: Cow::Borrowed(&self.equilibrium),
        };
        encode(VERSION, &saved, 120 * self.state.positions.len() + 64 * self.mesh.element_count())
    }

    fn from_saved(saved: Saved) -> Result<Xfem, String> {
        if !is_rigid_motion(&saved.placement) {
            return Err("its placement is not a rotation and a translation".to_owned());
        }
        let mut body = Xfem::at_rest(
            saved.mesh.into_owned(),
            saved.material_of.into_owned(),
            saved.materials.into_owned(),
            saved.options,
            saved.placement,
        )
        .map_err(|error| error.to_string())?;
        for growth in saved.history.into_owned() {
            body.enrich(growth).map_err(|error| error.to_string())?;
        }
        let is_front = |(&(element, crack), share): (&(u32, u32), &f64)| {
            let is_there = body.enrichment.cracks_in(element).iter().any(|active| active.crack == crack);
            is_there && (0.0..1.0).contains(share)
        };
        if !saved.fronts.iter().all(is_front) {
            return Err("it has a front in an element that is not cut".to_owned());
        }
        body.fronts = saved.fronts.into_owned();
        let count = body.enrichment.node_of.len();
        let Motion { positions, velocities } = &*saved.state;
        for list in [positions, velocities, &saved.increments.to_vec()] {
            if list.len() != count || !list.iter().all(is_finite) {
                return Err(format!(
                    "it does not have a finite position and velocity for each of {count} degrees of freedom"
                ));
            }
        }
        for list in [&saved.equilibrium.external, &saved.equilibrium.reactions] {
            if !(list.is_empty() || list.len() == count) || !list.iter().all(is_finite) {
                return Err("its last equilibrium does not fit its degrees of freedom".to_owned());
            }
        }
        if !saved.work.is_finite() || !saved.reactions.iter().all(|(_, force)| is_finite(force)) {
            return Err("it holds numbers that are not finite".to_owned());
        }
        if !saved.tracked.is_sound(body.mesh.element_count()) {
            return Err("it tracks a point of an element that it does not have".to_owned());
        }
        body.state = saved.state.into_owned();
        body.prediction = body.state.clone();
        body.increments = saved.increments.into_owned();
        body.planned = saved.planned.into_owned();
        if !saved.pieces.is_sound(count) {
            return Err("its pieces do not fit their history".to_owned());
        }
        body.pieces = saved.pieces.into_owned();
        body.knives = saved.knives.into_owned();
        body.rebuild();
        body.tracked = saved.tracked.into_owned();
        (body.counts, body.work) = (saved.counts, saved.work);
        body.equilibrium = saved.equilibrium.into_owned();
        body.constraints.read(&body.mesh, |_| 0);
        body.constraints.set_reactions(&saved.reactions);
        body.bound();
        Ok(body)
    }
}

/// Loads the bytes of [`Method::save`].
pub fn load(bytes: &[u8]) -> Result<Box<dyn Method>, String> {
    let saved: Saved = decode(VERSION, bytes)?;
    Ok(Box::new(Xfem::from_saved(saved)?))
}
