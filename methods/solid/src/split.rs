//! Splitting of nodes: O'Brien & Hodgins 1999, §4.3.
//!
//! After every step the nodes that fail are split, in descending order of their failure ratio. The
//! mesh is cut by [`SimplexMesh::cut_star`](craze_mesh::SimplexMesh::cut_star). This file chooses
//! the crack surface, updates what is stored at nodes and elements, and conserves mass and momenta.

use crate::blocks::corners_of;
use crate::criterion::FailureState;
use crate::model::Solid;
use craze_body::pieces::{Separated, component, labels};
use craze_body::tracked::Moving;
use craze_body::{Momenta, Node, PieceEvent};
use craze_element::{Tetrahedron, separation_area};
use craze_frame::names;
use craze_math::{Mat3, Vec3};
use craze_mesh::{
    CrackTip, CutSurface, Facet, NodeId, Patch, PointRule, Side, Snap, TetEdit, TetEditError, TetId, Values,
};

/// Point attribute of a solid's mesh, once it has broken: time (s) until which a node waits for a
/// crack to reach it.
const WAITS_UNTIL: &str = "waits_until";

/// Crack planes that may open at one node in one step.
const MAX_PLANES_PER_NODE: usize = 3;

/// Factors of the snapping distance and angle, tried in this order until no element is too thin.
/// The last one snaps all nodes of the star to the plane, so that the crack follows existing faces.
const SNAP_FACTORS: [f64; 5] = [1.0, 2.0, 4.0, 8.0, f64::INFINITY];

impl Solid {
    /// Splits the nodes that fail in the state at time `now` (s).
    pub(crate) fn break_apart(&mut self, now: f64) {
        let failing = self.failing_nodes();
        if failing.is_empty() {
            return;
        }
        if self.options.crack_speed > 0.0 && self.mesh.point_attributes().scalars(WAITS_UNTIL).is_none() {
            let nobody = Values::Scalars(vec![0.0; self.mesh.point_count()]);
            // Adding fails only for lists of another length.
            let _ = self.mesh.point_attributes_mut().add(WAITS_UNTIL, PointRule::Interpolate, nobody);
        }
        let budget = self.options.splits_a_step as usize;
        let mut splits = Vec::new();
        for (first, _) in failing {
            if self.waits(first, now) {
                continue;
            }
            // The copies of a node may fail along other planes.
            let (mut copies, mut family) = (vec![first], vec![first]);
            for _ in 0..MAX_PLANES_PER_NODE {
                let mut next = Vec::new();
                for node in copies {
                    if splits.len() < budget {
                        next.extend(self.split_if_failing(node, &mut splits).into_iter().flatten());
                    }
                }
                family.extend(&next);
                copies = next;
            }
            if family.len() > 1 {
                self.delay_neighbours(&family, now);
            }
            if splits.len() >= budget {
                // Between fracture checks at set times the budget limits the speed of cracks and is
                // meant to be reached.
                self.counts.over_budget += u64::from(self.options.look_every == 0.0);
                break;
            }
        }
        if !splits.is_empty() {
            let changed = self.update_after_edits();
            self.separate_pieces(splits, &changed);
        }
    }

    /// Returns true if no crack can have reached this node yet: see
    /// [`SolidOptions::crack_speed`](crate::SolidOptions).
    fn waits(&self, node: NodeId, now: f64) -> bool {
        self.mesh.point_attributes().scalars(WAITS_UNTIL).is_some_and(|until| until[node.index()] > now)
    }

    /// Delays the neighbours of the copies of a split node until a crack can have reached them, and
    /// the copies until it can have advanced.
    fn delay_neighbours(&mut self, copies: &[NodeId], now: f64) {
        if self.options.crack_speed == 0.0 {
            return;
        }
        let speed = self.options.crack_speed * self.slowest_sound();
        let (place, edge) = (self.mesh.position(copies[0]), self.edge_at(copies[0]));
        let stars = copies.iter().flat_map(|&copy| self.mesh.elements_of(copy));
        let mut around: Vec<NodeId> = stars.flat_map(|element| self.mesh.points_of(element)).collect();
        around.sort_unstable();
        around.dedup();
        let ways: Vec<f64> = around.iter().map(|&other| (self.mesh.position(other) - place).norm()).collect();
        let Some(until) = self.mesh.point_attributes_mut().scalars_mut(WAITS_UNTIL) else { return };
        for (other, way) in around.into_iter().zip(ways) {
            let way = if way > 0.0 { way } else { edge };
            until[other.index()] = until[other.index()].max(now + way / speed);
        }
    }

    /// Splits a node if it still fails; returns both copies of it.
    pub(crate) fn split_if_failing(&mut self, node: NodeId, splits: &mut Vec<PieceEvent>) -> Option<[NodeId; 2]> {
        let failure = self.failure_state(node).filter(|failure| failure.ratio > 1.0)?;
        if self.refused[node.index()] {
            return None;
        }
        let parent = self.mesh.elements_of(node).next().map_or(0, |element| self.pieces.number_of(&self.mesh, element));
        let place = self.state[node.index()].position();
        match self.split_node(node, &failure) {
            Ok(copy) => {
                self.counts.splits += 1;
                let FailureState { measure, normal, .. } = failure;
                splits.push(PieceEvent::Split { place, normal, measure, parent, children: Vec::new() });
                Some([node, copy])
            }
            Err(_) => {
                // Tried again only after its elements have changed.
                self.refused[node.index()] = true;
                self.counts.refused += 1;
                self.counts.refused_area += self.area_across(node, &failure.normal);
                None
            }
        }
    }

    /// Opens a crack at a node in the crack plane of its failure; returns the copy of the node
    /// behind the plane.
    pub(crate) fn split_node(&mut self, node: NodeId, failure: &FailureState) -> Result<NodeId, TetEditError> {
        let (patch, course) = self.plan_split(node, &failure.normal)?;
        let touched = self.touched_by(&patch);
        let before = Momenta::of(&self.state, &touched);
        let edit = self.replace(&patch)?;
        self.count_area(&edit, course);
        let copy = edit.points_added[0].point;
        let mut added: Vec<u32> = edit.points_added.iter().map(|placed| placed.point.0).collect();
        self.separate_point_contacts(&edit, &mut added);
        let mut changed = touched;
        changed.extend(added);
        self.changed.nodes.extend(&changed);
        self.lump_masses(&changed);
        before.restore(&mut self.state, &changed);
        for &node in &changed {
            self.refused[node as usize] = false;
        }
        Ok(copy)
    }

    /// Plans a cut whose plane snaps to nodes as little as it can without creating elements that
    /// are too thin.
    fn plan_split(&self, node: NodeId, normal: &Vec3) -> Result<(Patch<NodeId, TetId, 4>, Course), TetEditError> {
        let edge = self.edge_at(node);
        let crack = if self.options.turns_back { None } else { self.crack_with_tip_at(node, normal) };
        let tip = crack.as_ref().map(|crack| CrackTip {
            normal: crack.normal,
            backward: crack.backward,
            face_points: &crack.face_points,
        });
        let mut refused = None;
        for (level, wider) in SNAP_FACTORS.into_iter().enumerate() {
            let snap = Snap {
                distance: (self.options.snap_distance * edge * wider).min(f64::MAX),
                angle: (self.options.snap_angle * wider).min(std::f64::consts::FRAC_PI_2),
            };
            let current = |point: NodeId| self.state[point.index()].position();
            let bent = self.mesh.plan_cut(node, &CutSurface { normal: *normal, tip }, current, snap);
            // A crack may have left elements around its tip that only a whole plane separates.
            let plan = match bent {
                Err(_) if tip.is_some() => self.mesh.plan_cut(node, &CutSurface::plane(*normal), current, snap),
                plan => plan,
            };
            match plan {
                // Other planes would detach hardly more.
                Ok(patch) if self.pieces.would_detach_debris(&self.mesh, &patch) => break,
                Ok(patch) if wider.is_infinite() || self.is_thick_enough(&patch) => {
                    let course = if level == 0 { Course::Plane } else { Course::Bent };
                    return Ok((patch, course));
                }
                Ok(_) => {}
                Err(error) => refused = Some(error),
            }
        }
        // The last plan was refused, or would detach too little.
        Err(refused.unwrap_or(TetEditError::NoSuchPoint { point: node }))
    }

    /// Area (m²) of a node at rest across a plane with this normal in the world.
    fn area_across(&self, node: NodeId, normal: &Vec3) -> f64 {
        let stars = || {
            let rest = |element: TetId| Some((element, Tetrahedron::new(&self.mesh.corners(element))?));
            self.mesh.elements_of(node).filter_map(rest)
        };
        let deformed = |(element, rest): (TetId, Tetrahedron)| {
            rest.volume * rest.deformation(&corners_of(&self.state, &self.mesh.elements()[element.index()]))
        };
        let deformation: Mat3 = stars().map(deformed).sum();
        let at_rest = deformation.tr_mul(normal).try_normalize(0.0).unwrap_or(*normal);
        let gradient = |(element, rest): (TetId, Tetrahedron)| {
            let corner = self.mesh.points_of(element).iter().position(|&corner| corner == node)?;
            Some(rest.volume * rest.gradients()[corner])
        };
        separation_area(&at_rest, &stars().filter_map(gradient).collect::<Vec<_>>())
    }

    /// Adds the area that a split has opened to the counts.
    fn count_area(&mut self, edit: &TetEdit, course: Course) {
        let area = |facet: Facet<TetId>| {
            let [a, b, c] = self.mesh.facet_points(facet).map(|point| point.map(|point| self.mesh.position(point)));
            Some(0.5 * (b? - a?).cross(&(c? - a?)).norm())
        };
        let area: f64 = edit.crack.iter().filter_map(|[facet, _]| area(*facet)).sum();
        self.counts.area += area;
        if course == Course::Bent {
            self.counts.bent += 1;
            self.counts.bent_area += area;
        }
    }

    /// The crack with its tip at a node where a plane with normal `ahead` is to open. `None` if
    /// there is none, or if the node is on one crack face only.
    fn crack_with_tip_at(&self, node: NodeId, ahead: &Vec3) -> Option<CrackAtTip> {
        let marks = self.mesh.facet_attributes().labels(names::CRACK)?;
        let position = |point: NodeId| self.state[point.index()].position();
        let centre = position(node);
        let (mut normal, mut backward) = (Vec3::zeros(), Vec3::zeros());
        let mut face_points: Vec<(NodeId, Side)> = Vec::new();
        for element in self.mesh.elements_of(node) {
            let corners = self.mesh.points_of(element);
            for corner in (0..4).filter(|&corner| marks[4 * element.index() + corner] != 0 && corners[corner] != node) {
                let [Some(a), Some(b), Some(c)] = self.mesh.facet_points(Facet::new(element, corner)) else { continue };
                let outward = (position(b) - position(a)).cross(&(position(c) - position(a)));
                // A crack face points away from its own side.
                let side = if outward.dot(ahead) > 0.0 { Side::Negative } else { Side::Positive };
                normal += if side == Side::Negative { outward } else { -outward };
                backward += outward.norm() * ((position(a) + position(b) + position(c)) / 3.0 - centre);
                face_points.extend([a, b, c].into_iter().filter(|&point| point != node).map(|point| (point, side)));
            }
        }
        let has = |side: Side| face_points.iter().any(|point| point.1 == side);
        if !(has(Side::Positive) && has(Side::Negative)) {
            return None;
        }
        face_points.sort_unstable_by_key(|&(point, side)| (point, side == Side::Positive));
        face_points.dedup();
        // A point of both crack faces is on the crack front.
        let face_points = face_points
            .chunk_by(|one, other| one.0 == other.0)
            .filter(|sides| sides.len() == 1)
            .map(|sides| sides[0])
            .collect();
        Some(CrackAtTip { normal, backward, face_points })
    }

    /// Mean distance (m) of a node from its neighbours at rest.
    fn edge_at(&self, node: NodeId) -> f64 {
        let (mut sum, mut count) = (0.0, 0.0);
        for element in self.mesh.elements_of(node) {
            for other in self.mesh.points_of(element).into_iter().filter(|&other| other != node) {
                sum += (self.mesh.position(other) - self.mesh.position(node)).norm();
                count += 1.0;
            }
        }
        sum / count
    }

    /// Returns true if no element of the patch is thinner than the bound for Δt, or than the
    /// element that it is part of.
    fn is_thick_enough(&self, patch: &Patch<NodeId, TetId, 4>) -> bool {
        let floor = self.options.thinnest * self.first_height;
        patch.added.iter().all(|added| {
            let places = added.points.map(|point| self.mesh.planned_position(patch, point));
            let Some(rest) = Tetrahedron::new(&places) else { return false };
            height(&rest) >= floor.min(Tetrahedron::new(&self.mesh.corners(added.parent)).as_ref().map_or(0.0, height))
        })
    }

    /// Nodes of the elements that a patch removes, ascending.
    fn touched_by(&self, patch: &Patch<NodeId, TetId, 4>) -> Vec<u32> {
        let mut nodes: Vec<u32> =
            patch.removed.iter().flat_map(|&element| self.mesh.elements()[element.index()]).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// Applies a patch to the mesh, and updates what is stored at nodes and elements.
    fn replace(&mut self, patch: &Patch<NodeId, TetId, 4>) -> Result<TetEdit, TetEditError> {
        let moving = self.tracked.leaving(&self.mesh, &patch.removed);
        let edit = self.mesh.replace(patch)?;
        self.follow(&edit, &moving);
        Ok(edit)
    }

    /// Updates arrays and tracked points after an edit that only adds nodes and elements.
    fn follow(&mut self, edit: &TetEdit, moving: &Moving) {
        self.changed.note(&self.mesh, edit);
        edit.apply_to_points(&mut self.state, |old, blend| {
            let position = blend.sum(|node| old[node.index()].position());
            let velocity = blend.sum(|node| old[node.index()].velocity());
            // Masses are lumped after the patch.
            Node::new(position, velocity, 1.0)
        });
        edit.apply_to_points(&mut self.node_islands, |old, blend| old[blend.heaviest().index()]);
        edit.apply_to_points(&mut self.refused, |_, _| false);
        if !self.drag.is_empty() {
            edit.apply_to_points(&mut self.drag, |old, blend| blend.sum(|node| old[node.index()]));
        }
        edit.apply_to_elements(&mut self.material_of, |old, added| old[added.parent.index()]);
        self.tracked.enter(&self.mesh, edit, moving);
        if let Some(marks) = self.mesh.facet_attributes_mut().labels_mut(names::CRACK) {
            for facet in edit.crack.iter().flatten() {
                marks[4 * facet.element.index() + facet.corner as usize] = 1;
            }
        }
    }

    /// Separates elements that a crack has left connected in a node or an edge only. Appends the
    /// nodes that this adds.
    fn separate_point_contacts(&mut self, crack: &TetEdit, added: &mut Vec<u32>) {
        let mut points = self.mesh.crack_points(crack);
        loop {
            let edits = self.mesh.separate_at_points(&points).unwrap_or_default();
            for edit in &edits {
                // Elements keep their shape: tracked points stay in theirs.
                self.follow(edit, &Moving::new());
                added.extend(edit.points_added.iter().map(|placed| placed.point.0));
            }
            let pinched =
                points.iter().find_map(|&point| self.mesh.pinched_edges(point).first().map(|&other| (point, other)));
            let Some((start, end)) = pinched else { break };
            let Some(edit) = self.separate_edge(start, end) else { break };
            added.extend(edit.points_added.iter().map(|placed| placed.point.0));
            points.extend(edit.points_added.iter().map(|placed| placed.point));
        }
    }

    fn separate_edge(&mut self, start: NodeId, end: NodeId) -> Option<TetEdit> {
        let around = self.mesh.elements_at_edge(start, end);
        let moving = self.tracked.leaving(&self.mesh, &around);
        let edit = self.mesh.separate_at_edge(start, end).ok()?;
        self.follow(&edit, &moving);
        Some(edit)
    }

    /// Lumps the masses of these nodes, ρ·vol/4 of each of their elements.
    fn lump_masses(&mut self, nodes: &[u32]) {
        for &node in nodes {
            let mut mass = 0.0;
            for element in self.mesh.elements_of(NodeId(node)) {
                let density = self.materials[self.material_of[element.index()] as usize].density;
                mass += density * self.mesh.measure(element) / 4.0;
            }
            let record = &mut self.state[node as usize];
            *record = Node::new(record.position(), record.velocity(), mass);
        }
    }

    /// Labels the pieces that splits have separated, and records the splits as events. `changed`
    /// are the elements on both sides of all separated facets.
    pub(crate) fn separate_pieces(&mut self, mut splits: Vec<PieceEvent>, changed: &[u32]) {
        let Separated { born, changed } = self.pieces.separate(&mut self.mesh, changed);
        for (label, elements) in changed {
            if self.pieces.is_debris(label) {
                let elements = component(&self.mesh, &elements);
                let corners = elements.iter().flat_map(|&element| self.mesh.elements()[element as usize]);
                let mut nodes: Vec<u32> = corners.collect();
                nodes.sort_unstable();
                nodes.dedup();
                self.update_critical_loads(&nodes);
            }
        }
        for split in &mut splits {
            if let PieceEvent::Split { parent, children, .. } = split {
                children.push(*parent);
                children.extend(born.iter().filter(|[from, _]| from == parent).map(|[_, number]| *number));
            }
        }
        self.events.append(&mut splits);
    }

    /// Returns true if a node belongs to a piece that is too small to break.
    pub(crate) fn is_debris(&self, node: NodeId) -> bool {
        let label = self.mesh.elements_of(node).next().map(|element| labels(&self.mesh)[element.index()]);
        label.is_some_and(|label| self.pieces.is_debris(label))
    }
}

/// Whether a split follows its plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Course {
    /// Within the snapping distance and angle of the options.
    Plane,
    /// Bent to nodes that are farther away.
    Bent,
}

/// A crack as seen from a node on its front.
struct CrackAtTip {
    /// Its normal, on the side of the normal of the plane ahead; of any length.
    normal: Vec3,
    /// Direction from the tip back into the crack; of any length.
    backward: Vec3,
    /// Points of its faces, ascending, and the side of each.
    face_points: Vec<(NodeId, Side)>,
}

/// Smallest height of an element at rest (m).
pub(crate) fn height(rest: &Tetrahedron) -> f64 {
    1.0 / rest.gradients().iter().map(|gradient| gradient.norm_squared()).fold(0.0, f64::max).sqrt()
}
