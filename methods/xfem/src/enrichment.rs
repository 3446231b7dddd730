//! Enrichment: parts of cut elements and the degrees of freedom of nodes.
//!
//! # Variables
//! On part r of a cut element the displacement at corner I is u_I + Σ_c ψ_cI(r)·a_I^c, (2), (5) and
//! (6) of Song et al. 2008. The unknowns here are these sums, the *side variables* (u and u ± a for
//! one crack): every part has one degree of freedom per corner, and parts share it where the sum is
//! the same. Mass and stiffness of a part then scale with its volume, and those of separated parts
//! have no entry in common (READINGS 28, 29).
//!
//! # Which degrees of freedom a node has
//! One for each connected component of the matter in the elements about the node, where two parts
//! are connected through the area that they share of a face at the node. For one crack that is the
//! node set K_nT of §3.1: a front inside the body connects both sides, so that the nodes of the
//! edges through it are not enriched (step 2). Where a crack crosses an earlier one, the four
//! quadrants about a node are four components: one and two enrichments by the later crack, once on
//! either side of the earlier one (READINGS 31). All pieces move independently by construction,
//! also parts without a node.

use crate::crack::{Crack, CutError, Growth, Side};
use crate::parts::{ElementCrack, MAX_PARTS, Part, PlacedPart, are_connected, ascending};
use craze_math::cells::{Cell, CellSplit};
use craze_math::{DisjointSets, tetrahedron};
use craze_mesh::{NodeId, TetId, TetMesh};
use std::collections::{BTreeMap, BTreeSet};

/// Largest share of an element up to which a component of matter about a node is a sliver without
/// a degree of freedom of its own.
const SLIVER: f64 = 1e-6;

/// Parts and degrees of freedom of a body.
#[derive(Clone, Debug, Default)]
pub struct Enrichment {
    /// All cracks, in the order in which they began.
    pub cracks: Vec<Crack>,
    /// Part e is in element e; further parts of cut elements follow the last element.
    pub parts: Vec<Part>,
    /// For each degree of freedom (three coordinates) its node; the first are those of the nodes.
    pub node_of: Vec<u32>,
    /// Further parts of cut elements.
    further: BTreeMap<u32, Vec<u32>>,
    /// Further degrees of freedom of enriched nodes, ascending.
    enriched: BTreeMap<u32, Vec<u32>>,
    /// Cracks of cut elements, in the order in which they cut.
    active: BTreeMap<u32, Vec<ElementCrack>>,
}

/// Matter about a node that is connected there.
struct Component {
    /// The degree of freedom with which it has moved.
    dof: u32,
    /// Rest volume (m³).
    volume: f64,
    /// Largest share of an element.
    share: f64,
    /// Parts, each with the corner of its element.
    corners: Vec<(u32, usize)>,
}

impl Enrichment {
    /// A body without cracks.
    pub fn new(mesh: &TetMesh) -> Enrichment {
        let parts = (0..).zip(mesh.elements()).map(|(element, nodes)| Part::whole(element, *nodes)).collect();
        Enrichment { parts, node_of: (0..mesh.point_count() as u32).collect(), ..Enrichment::default() }
    }

    /// Parts of an element.
    pub fn parts_of(&self, element: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::once(element).chain(self.further.get(&element).into_iter().flatten().copied())
    }

    /// Degrees of freedom of a node.
    pub fn dofs_of(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::once(node).chain(self.enriched.get(&node).into_iter().flatten().copied())
    }

    /// Cracks in an element, in the order in which they have cut it.
    pub fn cracks_in(&self, element: u32) -> &[ElementCrack] {
        self.active.get(&element).map_or(&[], Vec::as_slice)
    }

    /// Elements with cracks, ascending, with their cracks.
    pub fn cut_elements(&self) -> impl Iterator<Item = (u32, &[ElementCrack])> {
        self.active.iter().map(|(element, cracks)| (*element, cracks.as_slice()))
    }

    /// The part of an element that contains a point of it, by barycentric coordinates.
    pub fn part_at(&self, mesh: &TetMesh, element: u32, weights: &[f64; 4]) -> u32 {
        let order = ascending(&mesh.elements()[element as usize]);
        let contains = |part: &u32| {
            self.parts[*part as usize].sides.iter().all(|(crack, side)| {
                let level =
                    self.cracks_in(element).iter().find(|active| active.crack == *crack).map_or(0.0, |active| {
                        order.iter().zip(&active.levels).map(|(&corner, level)| weights[corner] * level).sum()
                    });
                (level >= 0.0) == (*side == Side::Positive)
            })
        };
        self.parts_of(element).find(contains).unwrap_or(element)
    }

    /// A part with its element.
    pub fn placed<'a>(&'a self, mesh: &'a TetMesh, part: u32) -> PlacedPart<'a> {
        let part = &self.parts[part as usize];
        PlacedPart { part, nodes: &mesh.elements()[part.element as usize], cracks: self.cracks_in(part.element) }
    }

    /// Lets a crack grow. Returns, for each new degree of freedom, the one from which it takes
    /// position and velocity. Refuses without a change.
    pub fn grow(&mut self, mesh: &TetMesh, growth: &Growth) -> Result<Vec<u32>, CutError> {
        let cracks = self.planned_cracks(mesh, growth)?;
        let mut planned = Vec::with_capacity(growth.elements.len());
        for (&element, crack) in growth.elements.iter().zip(&cracks) {
            planned.push(self.plan_element(mesh, element, crack, &growth.stops)?);
        }
        if growth.crack as usize == self.cracks.len() {
            self.cracks.push(Crack { stops: growth.stops.clone(), ..Crack::default() });
        }
        let crack = &mut self.cracks[growth.crack as usize];
        crack.levels.extend(growth.levels.iter().copied());
        crack.elements.extend(&growth.elements);
        for ((&element, active), parts) in growth.elements.iter().zip(cracks).zip(planned) {
            self.active.entry(element).or_default().push(active);
            let numbers: Vec<u32> = self.parts_of(element).collect();
            for (index, part) in parts.into_iter().enumerate() {
                match numbers.get(index) {
                    Some(&number) => self.parts[number as usize] = part,
                    None => {
                        self.further.entry(element).or_default().push(self.parts.len() as u32);
                        self.parts.push(part);
                    }
                }
            }
        }
        Ok(self.assign_dofs(mesh, &growth.elements))
    }

    /// The crack as each of its new elements sees it.
    fn planned_cracks(&self, mesh: &TetMesh, growth: &Growth) -> Result<Vec<ElementCrack>, CutError> {
        let crack = growth.crack;
        let unsound = CutError::Unsound { crack };
        let known = match self.cracks.get(crack as usize) {
            Some(known) if growth.stops.is_empty() || growth.stops == known.stops => Some(known),
            None if crack as usize == self.cracks.len() => None,
            _ => return Err(unsound),
        };
        let new: BTreeMap<u32, f64> = growth.levels.iter().copied().collect();
        let level = |node: &u32| known.and_then(|known| known.levels.get(node)).or_else(|| new.get(node)).copied();
        let is_sound = growth.elements.windows(2).all(|pair| pair[0] < pair[1])
            && new.values().all(|level| level.is_finite())
            && known.is_none_or(|known| !new.keys().any(|node| known.levels.contains_key(node)))
            && growth.stops.iter().all(|(stop, _)| *stop < crack);
        if !is_sound {
            return Err(unsound);
        }
        let see = |&element: &u32| {
            let nodes = mesh.elements().get(element as usize)?;
            let is_new = !self.cracks_in(element).iter().any(|active| active.crack == crack);
            let mut levels = [0.0; 4];
            for (slot, corner) in levels.iter_mut().zip(ascending(nodes)) {
                *slot = level(&nodes[corner])?;
            }
            is_new.then_some(ElementCrack { crack, levels })
        };
        growth.elements.iter().map(|element| see(element).ok_or_else(|| unsound.clone())).collect()
    }

    /// The parts of an element after a further crack.
    fn plan_element(
        &self,
        mesh: &TetMesh,
        element: u32,
        active: &ElementCrack,
        stops: &[(u32, Side)],
    ) -> Result<Vec<Part>, CutError> {
        let order = ascending(&mesh.elements()[element as usize]);
        let (mut kept, mut added) = (Vec::new(), Vec::new());
        for number in self.parts_of(element) {
            let part = &self.parts[number as usize];
            let mut part = part.clone();
            if stops.iter().any(|(stop, side)| part.side_of(*stop).is_some_and(|found| found != *side)) {
                kept.push(part);
                continue;
            }
            let cell = part.cell.take().map_or_else(Cell::tetrahedron, |cell| *cell);
            let is_whole = cell.facets.len() == 4 && part.share == 1.0;
            match cell.split(active.crack, &active.levels) {
                CellSplit::Both(positive, negative) => {
                    let mut negative = part.reshaped(negative, &order);
                    let mut positive = part.reshaped(positive, &order);
                    positive.sides.push((active.crack, Side::Positive));
                    negative.sides.push((active.crack, Side::Negative));
                    kept.push(positive);
                    added.push(negative);
                }
                touching => {
                    let side = if touching == CellSplit::Positive { Side::Positive } else { Side::Negative };
                    part.sides.push((active.crack, side));
                    part.cell = (!is_whole).then(|| Box::new(cell));
                    kept.push(part);
                }
            }
        }
        kept.append(&mut added);
        if kept.len() > MAX_PARTS {
            let center = tetrahedron::centroid(&mesh.corners(TetId(element)));
            return Err(CutError::TooManyParts { element, center, parts: kept.len(), limit: MAX_PARTS });
        }
        Ok(kept)
    }

    /// Divides the matter about the nodes of some elements into components, each with a degree of
    /// freedom of its own. Returns the source of each new one.
    fn assign_dofs(&mut self, mesh: &TetMesh, elements: &[u32]) -> Vec<u32> {
        let nodes: BTreeSet<u32> = elements.iter().flat_map(|&element| mesh.elements()[element as usize]).collect();
        let links = self.links(mesh, &nodes);
        let mut links = links.as_slice();
        let (mut slivers, mut sources) = (Vec::new(), Vec::new());
        for &node in &nodes {
            let (own, rest) = links.split_at(links.partition_point(|link| link.0 == node));
            links = rest;
            let mut components = self.components(mesh, node, own);
            // Largest first, the first of equal ones: it keeps the degree of freedom.
            components.sort_by(|one, other| one.dof.cmp(&other.dof).then(other.volume.total_cmp(&one.volume)));
            let mut last = None;
            for component in components {
                let is_first = last.replace(component.dof) != Some(component.dof);
                if self.node_of[component.dof as usize] == node && is_first {
                    continue;
                }
                if component.share < SLIVER {
                    slivers.push((node, component));
                    continue;
                }
                let dof = self.node_of.len() as u32;
                self.node_of.push(node);
                self.enriched.entry(node).or_default().push(dof);
                sources.push(component.dof);
                for (part, corner) in component.corners {
                    self.parts[part as usize].dofs[corner] = dof;
                }
            }
        }
        self.share_slivers(mesh, &slivers);
        sources
    }

    /// Pairs of connected parts about some nodes: node and both parts, by ascending node.
    fn links(&self, mesh: &TetMesh, nodes: &BTreeSet<u32>) -> Vec<(u32, u32, u32)> {
        let about: BTreeSet<u32> =
            nodes.iter().flat_map(|&node| mesh.elements_of(NodeId(node)).map(|element| element.0)).collect();
        let mut links = Vec::new();
        for &element in &about {
            let corners = mesh.elements()[element as usize];
            for corner in 0..4 {
                let Some(neighbour) = mesh.neighbour(TetId(element), corner).filter(|other| other.0 > element) else {
                    continue;
                };
                for one in self.parts_of(element) {
                    for other in self.parts_of(neighbour.0) {
                        if are_connected(self.placed(mesh, one), self.placed(mesh, other)) {
                            let face = (0..4).filter(|&other| other != corner).map(|other| corners[other]);
                            links.extend(face.filter(|node| nodes.contains(node)).map(|node| (node, one, other)));
                        }
                    }
                }
            }
        }
        links.sort_unstable();
        links
    }

    /// Connected components of the matter about a node.
    fn components(&self, mesh: &TetMesh, node: u32, links: &[(u32, u32, u32)]) -> Vec<Component> {
        let mut about: Vec<u32> = mesh.elements_of(NodeId(node)).flat_map(|element| self.parts_of(element.0)).collect();
        about.sort_unstable();
        let index = |part: u32| about.partition_point(|&other| other < part) as u32;
        let mut sets = DisjointSets::new(about.len());
        for &(_, one, other) in links {
            sets.join(index(one), index(other));
        }
        let (numbers, count) = sets.numbered();
        let mut components: Vec<Component> = Vec::with_capacity(count);
        for (&number, &part) in numbers.iter().zip(&about) {
            let of_part = &self.parts[part as usize];
            let corners = &mesh.elements()[of_part.element as usize];
            let Some(corner) = corners.iter().position(|&other| other == node) else { continue };
            if number as usize == components.len() {
                let dof = of_part.dofs[corner];
                components.push(Component { dof, volume: 0.0, share: 0.0, corners: Vec::new() });
            }
            let component = &mut components[number as usize];
            component.volume += of_part.share * mesh.measure(TetId(of_part.element));
            component.share = component.share.max(of_part.share);
            component.corners.push((part, corner));
        }
        components
    }

    /// Lets slivers move with a degree of freedom that is there: that of another corner of the same
    /// part, or if none is its own, that from which it was cut off.
    fn share_slivers(&mut self, mesh: &TetMesh, slivers: &[(u32, Component)]) {
        for &(part, corner) in slivers.iter().flat_map(|(_, component)| &component.corners) {
            self.parts[part as usize].dofs[corner] = u32::MAX;
        }
        let target = |component: &Component| {
            let mut best = (0.0, component.dof);
            for &(part, _) in &component.corners {
                let part = &self.parts[part as usize];
                let nodes = &mesh.elements()[part.element as usize];
                for (corner, &dof) in part.dofs.iter().enumerate() {
                    let is_own = dof != u32::MAX && self.node_of[dof as usize] == nodes[corner];
                    if is_own && part.first[corner] > best.0 {
                        best = (part.first[corner], dof);
                    }
                }
            }
            best.1
        };
        let targets: Vec<u32> = slivers.iter().map(|(_, component)| target(component)).collect();
        for ((_, component), target) in slivers.iter().zip(targets) {
            for &(part, corner) in &component.corners {
                self.parts[part as usize].dofs[corner] = target;
            }
        }
        for (part, _) in slivers.iter().flat_map(|(_, component)| component.corners.iter().copied()) {
            let part = &mut self.parts[part as usize];
            let nodes = &mesh.elements()[part.element as usize];
            part.is_stiff = (0..4).all(|corner| self.node_of[part.dofs[corner] as usize] == nodes[corner]);
        }
    }
}

#[cfg(test)]
mod tests;
