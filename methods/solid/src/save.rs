//! A solid as bytes, and back.
//!
//! What is written is what cannot be rebuilt; blocks, lists and constants follow from it, bit for
//! bit. Reading checks everything: foreign bytes are refused with a reason.

use crate::model::Solid;
use crate::options::SolidOptions;
use craze_body::implicit::Equilibrium;
use craze_body::save::{decode, encode, is_finite, is_rigid_motion};
use craze_body::{IslandMotion, Lineage, Node, PieceEvent, TrackedPoints};
use craze_engine::{HoldId, MaterialPoint, Method, SplitCounts};
use craze_material::Material;
use craze_math::{Isometry, Vec3};
use craze_mesh::TetMesh;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Changes with the meaning of the bytes.
const VERSION: u32 = 5;

#[derive(Serialize, Deserialize)]
struct Saved<'a> {
    mesh: Cow<'a, TetMesh>,
    material_of: Cow<'a, [u32]>,
    materials: Cow<'a, [Material]>,
    options: SolidOptions,
    placement: Isometry,
    /// Positions (m) and velocities (m/s).
    nodes: Vec<[f64; 6]>,
    motions: Cow<'a, [IslandMotion]>,
    reactions: Vec<(HoldId, Vec3)>,
    work: f64,
    strain: f64,
    stiffening: f64,
    events: Cow<'a, [PieceEvent]>,
    lineage: Cow<'a, Lineage>,
    tracked: Cow<'a, TrackedPoints<MaterialPoint>>,
    counts: SplitCounts,
    first_height: f64,
    equilibrium: Cow<'a, Equilibrium>,
}

impl Solid {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let record = |node: &Node| {
            let [x, y, z, _, vx, vy, vz, _] = node.0;
            [x, y, z, vx, vy, vz]
        };
        let saved = Saved {
            mesh: Cow::Borrowed(&self.mesh),
            material_of: Cow::from(&self.material_of),
            materials: Cow::from(&self.materials),
            options: self.options,
            placement: self.placement,
            nodes: self.state.iter().map(record).collect(),
            motions: Cow::from(&self.motions),
            reactions: self.constraints.reactions(),
            work: self.work,
            strain: self.spectrum.strain,
            stiffening: self.spectrum.stiffening,
            events: Cow::from(&self.events),
            lineage: Cow::Borrowed(&self.pieces.lineage),
            tracked: Cow::Borrowed(&self.tracked),
            counts: self.counts,
            first_height: self.first_height,
            equilibrium: Cow::Borrowed(&self.equilibrium),
        };
        let capacity = 100 * self.state.len() + 32 * self.mesh.element_count();
        encode(VERSION, &saved, capacity)
    }

    fn from_saved(saved: Saved) -> Result<Solid, String> {
        let (nodes, elements) = (saved.mesh.point_count(), saved.mesh.element_count());
        for (what, found, expected) in
            [("nodes", saved.nodes.len(), nodes), ("materials of elements", saved.material_of.len(), elements)]
        {
            if found != expected {
                return Err(format!("it has {found} {what}, but its mesh asks for {expected}"));
            }
        }
        for list in [&saved.equilibrium.external, &saved.equilibrium.reactions] {
            if !(list.is_empty() || list.len() == nodes) || !list.iter().all(is_finite) {
                return Err("its last equilibrium does not fit its nodes".to_owned());
            }
        }
        if elements == 0 {
            return Err("it has no elements".to_owned());
        }
        let numbers = [saved.work, saved.strain, saved.stiffening];
        let are_finite = saved.nodes.iter().flatten().chain(&numbers).all(|number| number.is_finite())
            && saved.reactions.iter().all(|(_, force)| is_finite(force));
        if !are_finite || saved.strain < 0.0 || saved.stiffening < 0.0 {
            return Err("it holds numbers that are not finite".to_owned());
        }
        if !is_rigid_motion(&saved.placement) {
            return Err("its placement is not a rotation and a translation".to_owned());
        }
        if !(saved.first_height > 0.0 && saved.first_height.is_finite()) {
            return Err("its first elements had no height".to_owned());
        }
        let mut solid = Solid::at_rest(
            saved.mesh.into_owned(),
            saved.material_of.into_owned(),
            saved.materials.into_owned(),
            saved.options,
            saved.placement,
            saved.first_height,
        )
        .map_err(|error| error.to_string())?;
        if saved.motions.len() != solid.layout.islands.len() {
            return Err("its rigid motions do not fit its islands".to_owned());
        }
        for (node, [x, y, z, vx, vy, vz]) in solid.state.iter_mut().zip(saved.nodes) {
            node.set_position(&Vec3::new(x, y, z));
            node.set_velocity(&Vec3::new(vx, vy, vz));
        }
        solid.prediction.clone_from(&solid.state);
        solid.motions = saved.motions.into_owned();
        let rim_speed = solid.largest_rim_speed();
        for (number, (motion, island)) in solid.motions.iter().zip(&solid.layout.islands).enumerate() {
            if !motion.is_sound(&solid.state[island.nodes.clone()], rim_speed) {
                return Err(format!("the rigid motion of its island {number} does not fit its nodes"));
            }
        }
        solid.read_constraints();
        solid.constraints.set_reactions(&saved.reactions);
        solid.work = saved.work;
        solid.spectrum.strain = saved.strain;
        solid.spectrum.stiffening = saved.stiffening;
        solid.events = saved.events.into_owned();
        solid.pieces.set_lineage(saved.lineage.into_owned())?;
        if !saved.tracked.is_sound(elements) {
            return Err("it tracks a point of an element that it does not have".to_owned());
        }
        solid.tracked = saved.tracked.into_owned();
        solid.counts = saved.counts;
        solid.equilibrium = saved.equilibrium.into_owned();
        Ok(solid)
    }
}

/// Turns what [`Method::save`] gave back into a solid. Foreign bytes are refused with a reason.
pub fn load(bytes: &[u8]) -> Result<Box<dyn Method>, String> {
    Ok(Box::new(Solid::from_saved(decode(VERSION, bytes)?)?))
}
