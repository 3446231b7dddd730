//! Fracture check: which nodes fail in the state, O'Brien & Hodgins 1999, §4.1 and §4.2.
//!
//! The separation tensor of a node costs an eigenvalue problem per element. So candidates are found
//! first, from bounds that the force pass leaves behind, and only they are evaluated: see
//! [`FractureCriterion`] for the bounds and the exact value, and the prefilter for many candidates.

use crate::blocks::{Block, Chunk, corners_of, velocities_of};
use crate::criterion::{FailureState, FractureCriterion};
use crate::kernel::Report;
use crate::laws::law_of;
use crate::model::Solid;
use craze_element::{
    SeparationTensor, Tetrahedron, min_separation_area, separation_area_bound, tensile_part, tensile_parts,
};
use craze_math::{Mat3, Vec3};
use craze_mesh::{NodeId, TetId};
use rayon::prelude::*;

/// Point attribute of a solid's mesh: factor by which the strengths of the materials at a node are
/// multiplied.
pub const STRENGTH: &str = "strength";

/// Contribution of an element to the separation tensors of its nodes.
#[derive(Clone, Copy)]
struct Tension {
    /// vol·∇N of each node (m²).
    gradients: [Vec3; 4],
    /// F.
    deformation: Mat3,
    /// F·S⁺ (Pa).
    tensile: Mat3,
    /// F·S (Pa).
    total: Mat3,
    /// Volume at rest (m³).
    volume: f64,
}

impl Solid {
    /// How close a node is to failure in the state; `None` for a node of unbreakable material, and
    /// for one that nothing separates. The weakest material at the node decides.
    pub fn failure_state(&self, node: NodeId) -> Option<FailureState> {
        self.evaluate_failure(node, |element| self.tension_in(element), 0.0)
    }

    /// The tension in an element in the state; `None` for a flat one.
    fn tension_in(&self, element: TetId) -> Option<Tension> {
        let (mut tension, stress) = self.stress_in(element)?;
        tension.tensile = tension.deformation * tensile_part(&stress);
        Some(tension)
    }

    /// The tension in an element without its tensile part, and its stress (Pa).
    fn stress_in(&self, element: TetId) -> Option<(Tension, Mat3)> {
        let corners = &self.mesh.elements()[element.index()];
        let rest = Tetrahedron::new(&self.mesh.corners(element))?;
        let deformation = rest.deformation(&corners_of(&self.state, corners));
        let rate = rest.deformation(&velocities_of(&self.state, corners));
        let law = law_of(self.material_of[element.index()], &rest, &self.full_heights);
        let stress = Tetrahedron::stress(&self.laws[law], &self.guards[law], &deformation, &rate);
        let tension = Tension {
            gradients: rest.gradients().map(|gradient| rest.volume * gradient),
            deformation,
            tensile: Mat3::zeros(),
            total: deformation * stress,
            volume: rest.volume,
        };
        Some((tension, stress))
    }

    /// The tensions in some elements.
    fn tensions_in(&self, elements: &[TetId]) -> Vec<Option<Tension>> {
        let computed: Vec<_> = elements.iter().map(|&element| self.stress_in(element)).collect();
        let mut stresses: Vec<Mat3> =
            computed.iter().map(|computed| computed.as_ref().map_or_else(Mat3::zeros, |(_, stress)| *stress)).collect();
        tensile_parts(&mut stresses);
        let with_tensile_part = |(computed, part): (Option<(Tension, Mat3)>, &Mat3)| {
            computed.map(|(tension, _)| Tension { tensile: tension.deformation * part, ..tension })
        };
        computed.into_iter().zip(&stresses).map(with_tensile_part).collect()
    }

    /// State of a node from the tensions of its elements; `None` also if its separation force is
    /// certainly less than `critical_force` (N).
    fn evaluate_failure(
        &self,
        node: NodeId,
        tension: impl Fn(TetId) -> Option<Tension>,
        critical_force: f64,
    ) -> Option<FailureState> {
        let mut separation = SeparationTensor::default();
        let mut gradients = Vec::with_capacity(32);
        let (mut deformation, mut volume) = (Mat3::zeros(), 0.0);
        let mut criterion = FractureCriterion::UNBREAKABLE;
        for element in self.mesh.elements_of(node) {
            let corners = &self.mesh.elements()[element.index()];
            let corner = corners.iter().position(|&corner| corner == node.0)?;
            criterion = criterion.or(&self.materials[self.material_of[element.index()] as usize].strength);
            let tension = tension(element)?;
            let gradient = tension.gradients[corner];
            let tensile = -(tension.tensile * gradient);
            let total = -(tension.total * gradient);
            separation.add(&tensile, &(total - tensile));
            gradients.push(gradient);
            deformation += tension.volume * tension.deformation;
            volume += tension.volume;
        }
        let factor = self.strength_factor(node);
        criterion.evaluate(&separation, &(deformation / volume), &gradients, factor, critical_force)
    }

    /// The tensions of all elements at some nodes, each computed once, and those elements. Sets
    /// `indices` of an element to its index in both lists.
    fn tensions_around(&self, nodes: &[u32], indices: &mut Vec<u32>) -> (Vec<Option<Tension>>, Vec<TetId>) {
        indices.resize(self.mesh.element_count(), u32::MAX);
        let mut elements = Vec::new();
        for element in nodes.iter().flat_map(|&node| self.mesh.elements_of(NodeId(node))) {
            if indices[element.index()] == u32::MAX {
                indices[element.index()] = elements.len() as u32;
                elements.push(element);
            }
        }
        let tensions: Vec<Vec<Option<Tension>>> =
            elements.par_chunks(64).with_min_len(4).map(|elements| self.tensions_in(elements)).collect();
        (tensions.concat(), elements)
    }

    /// All nodes that fail in the state and how far they are beyond failure, highest ratio first.
    pub(crate) fn failing_nodes(&mut self) -> Vec<(NodeId, FailureState)> {
        if self.critical_stress == f64::INFINITY {
            return Vec::new();
        }
        let mut nodes = self.candidate_nodes();
        nodes.retain(|&node| !self.refused[node as usize]);
        self.prefilter(&mut nodes);
        if nodes.is_empty() {
            return Vec::new();
        }
        // Kept between checks: clearing a list of all elements costs more than evaluating a few
        // nodes.
        let mut indices = std::mem::take(&mut self.scratch.element_indices);
        let (tensions, elements) = self.tensions_around(&nodes, &mut indices);
        let fails = |&node: &u32| {
            let critical = self.critical_forces[node as usize];
            let tension = |element: TetId| tensions[indices[element.index()] as usize];
            let state = self.evaluate_failure(NodeId(node), tension, critical)?;
            (state.ratio > 1.0).then_some((NodeId(node), state))
        };
        let mut failing: Vec<(NodeId, FailureState)> = nodes.par_iter().with_min_len(64).filter_map(fails).collect();
        failing.sort_by(|(one, state), (other, worse)| worse.ratio.total_cmp(&state.ratio).then(one.cmp(other)));
        elements.iter().for_each(|element| indices[element.index()] = u32::MAX);
        self.scratch.element_indices = indices;
        failing
    }

    /// Candidates for failure, ascending.
    ///
    /// The separation force of a node is at most ½·Σ vol·|F·S⁺·∇N| over its elements, and |S⁺·∇N| ≤
    /// |S·∇N|, since S⁺ has the eigenvectors of S and no eigenvalue that is larger. So it is at
    /// most the largest stretch times half the sum that the force pass leaves behind; in uniaxial
    /// tension it is that, except for the stretch. After an equilibrium or an implicit step there
    /// is no such sum, and every node of an awake island is a candidate.
    fn candidate_nodes(&self) -> Vec<u32> {
        if !self.scratch.forces.has_pulls() {
            let awake = self.layout.chunks.iter().filter(|chunk| !self.motions[chunk.island].is_asleep());
            return awake.flat_map(|chunk| chunk.nodes.clone()).map(|node| node as u32).collect();
        }
        let forces = &self.scratch.forces;
        let reports = || self.layout.blocks.iter().zip(&forces.reports);
        if !reports().any(|(block, report)| self.may_fail(block, report)) {
            return Vec::new();
        }
        // The margin covers the norms, which are accurate to single precision.
        let stretch = (1.0 + self.spectrum.strain).sqrt() * (1.0 + 1e-6);
        let candidates = |chunk: &Chunk| {
            if self.motions[chunk.island].is_asleep() {
                return Vec::new();
            }
            let reaches =
                |node: &usize| !(0.5 * stretch * forces.of_node(&self.layout, *node)[3] < self.critical_forces[*node]);
            chunk.nodes.clone().filter(reaches).map(|node| node as u32).collect()
        };
        let chunks = self.layout.chunks.par_iter().with_min_len(32);
        let by_chunk: Vec<Vec<u32>> = chunks.map(candidates).collect();
        by_chunk.concat()
    }

    /// Factor by which the strengths of the materials at a node are multiplied.
    pub(crate) fn strength_factor(&self, node: NodeId) -> f64 {
        self.mesh.point_attributes().scalars(STRENGTH).map_or(1.0, |factors| factors[node.index()])
    }

    /// Returns true if a node of the block could fail by the extremes of the last force pass. These
    /// are at most one step old, so that no failure is found more than one step late.
    fn may_fail(&self, block: &Block, report: &Report) -> bool {
        if self.motions[block.island].is_asleep() {
            return false;
        }
        if report.stiffening > 0.0 {
            return true;
        }
        // |F| ≤ √(1 + |ε|), |ν| ≤ 2·|F|·|Ḟ|.
        let strain = report.largest_strain.sqrt();
        let stretch = (1.0 + strain).sqrt();
        let rate = 2.0 * stretch * report.fastest_change.sqrt();
        !(stretch * self.laws[block.law].stress_norm_bound(strain, rate) < self.critical_stress)
    }

    /// vol·∇N of a node in each of its elements (m²).
    fn gradients_at(&self, node: NodeId) -> Vec<Vec3> {
        let gradient = |element: TetId| {
            let corner = self.mesh.points_of(element).iter().position(|&corner| corner == node).unwrap_or(0);
            let rest = self.layout.rest(self.layout.block_of(element.index()), element.index());
            rest.volume * rest.gradients()[corner]
        };
        self.mesh.elements_of(node).map(gradient).collect()
    }

    /// Computes the critical loads of all nodes: the separation force from which each could fail,
    /// and the smallest stress of an element from which any could.
    pub(crate) fn compute_critical_loads(&mut self) {
        self.critical_forces.clear();
        self.critical_stress = f64::INFINITY;
        if !self.options.breaks || !self.weakest_criterion().is_breakable() {
            return;
        }
        let loads: Vec<(f64, f64)> = (0..self.mesh.point_count() as u32)
            .into_par_iter()
            .map(|node| self.critical_loads_at(NodeId(node), min_separation_area))
            .collect();
        self.critical_forces = loads.iter().map(|(force, _)| *force).collect();
        self.critical_stress = loads.iter().map(|(_, stress)| *stress).fold(f64::INFINITY, f64::min);
    }

    /// Updates the critical loads of nodes whose elements have changed, with a quick lower bound of
    /// their areas: the candidates that it adds cost less than the exact area. The critical stress
    /// only decreases until all loads are computed again.
    pub(crate) fn update_critical_loads(&mut self, nodes: &[u32]) {
        if self.critical_forces.is_empty() {
            return;
        }
        self.critical_forces.resize(self.mesh.point_count(), f64::INFINITY);
        for &node in nodes {
            let (force, stress) = self.critical_loads_at(NodeId(node), separation_area_bound);
            self.critical_forces[node as usize] = force;
            self.critical_stress = self.critical_stress.min(stress);
        }
    }

    /// The criterion of the weakest of the materials.
    pub(crate) fn weakest_criterion(&self) -> FractureCriterion {
        let strengths = self.materials.iter().map(|material| &material.strength);
        strengths.fold(FractureCriterion::UNBREAKABLE, FractureCriterion::or)
    }

    /// Separation force (N) from which a node could fail, and stress of its elements (Pa) from
    /// which it could.
    fn critical_loads_at(&self, node: NodeId, least_area: impl Fn(&[Vec3]) -> f64) -> (f64, f64) {
        // The node of a single element has nothing to be separated from.
        if self.mesh.elements_of(node).len() < 2 || self.is_debris(node) {
            return (f64::INFINITY, f64::INFINITY);
        }
        let criterion = self.weakest_criterion();
        let gradients = self.gradients_at(node);
        let whole = 0.5 * gradients.iter().map(|gradient| gradient.norm()).sum::<f64>();
        let factor = self.strength_factor(node);
        (criterion.critical_force(least_area(&gradients), factor), criterion.critical_stress(whole, factor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Integrator;
    use crate::testing::{anisotropic, awake, mesh, shake, soft, solid};
    use craze_material::{Material, Strength};
    use craze_math::Isometry;

    /// A material that breaks at this stress (Pa).
    fn strong(stress: f64) -> Material {
        Material { strength: Strength { tensile: Some(stress), ..Strength::default() }, ..soft() }
    }

    fn paper(force: f64) -> Material {
        Material { strength: Strength { separation_force: Some(force), ..Strength::default() }, ..soft() }
    }

    /// A box with a uniform nominal stress (Pa) along a direction, by the stretch along it that a
    /// laterally constrained column has: S = (λ/2 + μ)·(s³ − s).
    fn pulled(material: Material, cells: [usize; 3], jitter: f64, direction: Vec3, scale: f64) -> (Solid, f64) {
        let mesh = mesh(cells, jitter);
        let positions: Vec<Vec3> = mesh.positions().iter().map(|position| scale * position).collect();
        let mesh = craze_mesh::TetMesh::from_parts(positions, mesh.elements().to_vec()).unwrap();
        let stretch = 1.05;
        // No lateral stress: λ = 0.
        let elasticity = craze_material::Elasticity::from_lame(0.0, 2e4);
        let material = Material { elasticity, ..material };
        let still = Vec3::zeros();
        let options = awake(Integrator::Symplectic);
        let mut solid = Solid::new(mesh, vec![material], options, Isometry::identity(), still, still).unwrap();
        let axis = direction.normalize();
        let rotation = craze_math::Rotation::from_euler_angles(0.4, -0.7, 1.9);
        let positions: Vec<Vec3> = (solid.positions().iter())
            .map(|position| rotation * (position + (stretch - 1.0) * axis * axis.dot(position)))
            .collect();
        solid.set_state(&positions, &vec![still; positions.len()]);
        (solid, 2e4 * (stretch * stretch * stretch - stretch))
    }

    fn interior(solid: &Solid) -> Vec<NodeId> {
        let on_surface = &solid.surface.nodes;
        solid.mesh.point_ids().filter(|node| on_surface.binary_search(&node.0).is_err()).collect()
    }

    #[test]
    fn uniform_tension_is_the_strength_on_any_mesh_in_any_direction() {
        for (jitter, direction) in
            [(0.0, Vec3::x()), (0.0, Vec3::new(1.0, 2.0, -0.5)), (0.25, Vec3::new(-0.3, 1.0, 0.8))]
        {
            let (solid, stress) = pulled(strong(1e5), [4, 4, 4], jitter, direction, 1.0);
            for node in interior(&solid) {
                let state = solid.failure_state(node).unwrap();
                assert!(
                    (state.measure.value() / stress - 1.0).abs() < 1e-9,
                    "{} instead of {stress}",
                    state.measure.value()
                );
            }
        }
    }

    #[test]
    fn the_papers_criterion_is_stress_times_the_square_of_the_spacing() {
        for scale in [0.5, 0.25] {
            let (solid, stress) = pulled(paper(1e3), [4, 4, 4], 0.0, Vec3::y(), scale);
            let spacing = 0.1 * scale;
            for node in interior(&solid) {
                let state = solid.failure_state(node).unwrap();
                assert!((state.measure.value() / (stress * spacing * spacing) - 1.0).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn compression_and_rigid_acceleration_break_nothing() {
        let mut solid = solid([4, 3, 3], 0.2, strong(10.0), awake(Integrator::Symplectic));
        let squeezed: Vec<Vec3> = solid.positions().iter().map(|position| 0.9 * position).collect();
        let still = vec![Vec3::zeros(); squeezed.len()];
        solid.set_state(&squeezed, &still);
        for node in solid.mesh.point_ids() {
            assert!(solid.failure_state(node).is_none_or(|state| state.ratio < 1e-6));
        }
    }

    #[test]
    fn nodes_that_are_not_candidates_never_fail() {
        for material in [strong(4e3), Material { strength: strong(4e3).strength, ..anisotropic() }, paper(30.0)] {
            for amount in [0.02, 0.1, 0.3] {
                let mut solid = solid([4, 4, 3], 0.2, material.clone(), awake(Integrator::Symplectic));
                shake(&mut solid, amount, 0.0, 5);
                solid.sum_forces().unwrap();
                let listed: Vec<NodeId> = solid.failing_nodes().into_iter().map(|(node, _)| node).collect();
                let failing = solid
                    .mesh
                    .point_ids()
                    .filter(|&node| solid.failure_state(node).is_some_and(|state| state.ratio > 1.0));
                let mut sorted = listed.clone();
                sorted.sort_unstable();
                assert_eq!(sorted, failing.collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn the_ratio_to_failure_grows_as_the_strength_falls() {
        let (mut solid, _) = pulled(strong(1e5), [3, 3, 3], 0.2, Vec3::new(0.2, 1.0, 0.1), 1.0);
        let node = interior(&solid)[0];
        let before = solid.failure_state(node).unwrap();
        let count = solid.mesh.point_count();
        let halves = craze_mesh::Values::Scalars(vec![0.5; count]);
        solid.mesh.point_attributes_mut().add(STRENGTH, craze_mesh::PointRule::Interpolate, halves).unwrap();
        let after = solid.failure_state(node).unwrap();
        assert!((after.ratio / before.ratio - 2.0).abs() < 1e-12);
    }
}
