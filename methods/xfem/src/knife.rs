//! A straight knife that moves through a body in a plane.
//!
//! The plane and the direction are fixed in the material; the knife is beyond a front that moves along the direction over time.
//! What it has passed stays cut when it comes back.

use crate::bridge::cut_share;
use crate::crack::CutError;
use crate::cut::{self, CutPlane};
use crate::model::{PlannedCut, Xfem};
use crate::parts::ascending;
use craze_engine::{Ramp, Region};
use craze_math::Vec3;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A knife.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Knife {
    /// The plane and where in it the knife cuts, as for a cut at once; its time is not used.
    pub cut: PlannedCut,
    /// The direction in which the knife moves, in the world as the body was placed; any length. Its
    /// part along the normal does not count.
    pub direction: Vec3,
    /// How far the edge is from the point of the plane along the direction (m), over time (s).
    pub travel: Ramp,
    /// The crack that it has begun.
    pub crack: Option<u32>,
    /// How far it has been (m).
    pub reached: f64,
}

impl Knife {
    /// A knife that has not cut yet.
    pub fn new(cut: PlannedCut, direction: Vec3, travel: Ramp) -> Knife {
        Knife { cut, direction, travel, crack: None, reached: f64::NEG_INFINITY }
    }
}

impl Xfem {
    /// Gives a knife to the body: from now on it cuts at every step.
    pub fn add_knife(&mut self, knife: Knife) {
        self.knives.push(knife);
    }

    /// Moves all knives to where they are at a time (s), and cuts.
    pub(crate) fn move_knives(&mut self, time: f64) {
        let mut knives = std::mem::take(&mut self.knives);
        for knife in &mut knives {
            let at = knife.travel.at(time);
            if at > knife.reached {
                match self.advance_knife(knife, at) {
                    Ok(()) => knife.reached = at,
                    Err(_) => self.counts.refused += 1,
                }
            }
        }
        self.knives = knives;
    }

    /// Cuts up to a travel (m). Elements that the front is inside are held by bridges.
    fn advance_knife(&mut self, knife: &mut Knife, travel: f64) -> Result<(), CutError> {
        let inverse = self.placement.inverse();
        let point = inverse.transform_point(&knife.cut.point.into()).coords;
        let plane = CutPlane::new(point, inverse.transform_vector(&knife.cut.normal))?;
        let direction = inverse.transform_vector(&knife.direction);
        let along = CutPlane::new(point, direction - plane.normal * plane.normal.dot(&direction))?;
        let ahead = |rest: &Vec3| along.normal.dot(&(rest - point)) - travel;
        let region: Region = knife.cut.region;
        let placement = self.placement;
        let inside = |center: &Vec3| region.contains(&placement.transform_point(&(*center).into()).coords);
        let mut growth = cut::planar(&self.mesh, &self.enrichment, &plane, &[], inside);
        let levels: BTreeMap<u32, f64> = growth.levels.iter().copied().collect();
        let mut shares = Vec::new();
        for &element in &growth.elements {
            let nodes = &self.mesh.elements()[element as usize];
            let corners = ascending(nodes).map(|corner| nodes[corner]);
            let positions = corners.map(|node| self.mesh.positions()[node as usize]);
            let level = corners.map(|node| levels.get(&node).copied().unwrap_or(0.0));
            let share = cut_share(&level, &positions.map(|rest| ahead(&rest)), &positions);
            // Faces in the plane are cut when the front has passed all of them.
            let is_reached = if level.iter().any(|level| *level < 0.0) && level.iter().any(|level| *level > 0.0) {
                share > 0.0
            } else {
                positions.iter().zip(&level).filter(|(_, level)| **level == 0.0).all(|(rest, _)| ahead(rest) <= 0.0)
            };
            if is_reached {
                shares.push((element, share));
            }
        }
        let crack = knife.crack.unwrap_or(growth.crack);
        let known = self.enrichment.cracks.get(crack as usize);
        let is_new = |element: u32| !self.enrichment.cracks_in(element).iter().any(|active| active.crack == crack);
        growth.crack = crack;
        growth.elements = shares.iter().map(|(element, _)| *element).filter(|&element| is_new(element)).collect();
        let nodes = growth.elements.iter().flat_map(|&element| self.mesh.elements()[element as usize]);
        let mut needed: Vec<u32> =
            nodes.filter(|node| known.is_none_or(|known| !known.levels.contains_key(node))).collect();
        needed.sort_unstable();
        needed.dedup();
        growth.levels = needed.into_iter().filter_map(|node| Some((node, *levels.get(&node)?))).collect();
        let grows = !growth.elements.is_empty();
        if grows {
            self.enrich(growth)?;
            knife.crack = Some(crack);
            self.counts.splits += 1;
        }
        let mut changes = grows;
        for (element, share) in shares {
            if share < 1.0 {
                self.fronts.insert((element, crack), share);
            } else {
                changes |= self.fronts.remove(&(element, crack)).is_some();
            }
        }
        if changes {
            self.follow_cracks();
        } else {
            self.bridges = crate::bridge::bridges(self);
        }
        Ok(())
    }

    /// Time constant of the stiffness-proportional damping of a bridge (s).
    pub(crate) fn damping_of(&self, bridge: &crate::bridge::Bridge) -> f64 {
        let element = self.enrichment.parts[bridge.parts[0] as usize].element as usize;
        self.materials[self.material_of[element] as usize].damping.time
    }
}
