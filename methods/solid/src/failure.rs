//! What breaks where: O'Brien & Hodgins 1999, §4.1 and §4.2.
//!
//! At a node the separation tensor says how hard its elements pull it apart and along which direction. It costs an
//! eigenvalue problem for every element, so it is worked out only where the strains that the forces have just been computed
//! from leave room for failure.

use crate::blocks::{Block, Chunk, corners_of, velocities_of};
use crate::kernel::Report;
use crate::laws::law_of;
use crate::model::Solid;
use craze_element::{
    LEAST_SHARE, Separation, Tetrahedron, area_across, bound_of_area_across, least_area_across, tensile_part,
    tensile_parts,
};
use craze_engine::FailureMeasure;
use craze_math::{Mat3, Vec3, symmetric_eigen};
use craze_mesh::{NodeId, TetId};
use rayon::prelude::*;

/// Point attribute of a solid's mesh: what the strength of its materials is multiplied by at a node.
pub const STRENGTH: &str = "strength";

/// How hard a node is pulled apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pull {
    /// In units of what the material bears there: above one it fails.
    pub ratio: f64,
    /// Separation stress, or separation force where the material has the paper's toughness in newtons.
    pub measure: FailureMeasure,
    /// Unit normal of the plane in which it would fail, in the world.
    pub normal: Vec3,
}

/// What an element does to its nodes.
#[derive(Clone, Copy)]
struct Tension {
    /// vol·∇N of each node (m²).
    gradients: [Vec3; 4],
    /// F.
    deformation: Mat3,
    /// F·S⁺ (Pa).
    pulling: Mat3,
    /// F·S (Pa).
    total: Mat3,
    /// Volume at rest (m³).
    volume: f64,
}

impl Solid {
    /// What pulls at a node in the state; `None` for a node of unbreakable material, or one that nothing pulls at.
    ///
    /// The weakest material at the node counts. With a tensile strength the largest eigenvalue of the separation
    /// tensor (32) is divided by the node's area (READINGS 2), with a separation force it counts as it is.
    pub fn pull_at(&self, node: NodeId) -> Option<Pull> {
        self.pull_of(node, |element| self.tension_in(element), 0.0)
    }

    /// What an element does to its nodes in the state; `None` for a flat one.
    fn tension_in(&self, element: TetId) -> Option<Tension> {
        let (mut tension, stress) = self.stretch_of(element)?;
        tension.pulling = tension.deformation * tensile_part(&stress);
        Some(tension)
    }

    /// The tension in an element but for what pulls, and its stress (Pa).
    fn stretch_of(&self, element: TetId) -> Option<(Tension, Mat3)> {
        let corners = &self.mesh.elements()[element.index()];
        let rest = Tetrahedron::new(&self.mesh.corners(element))?;
        let deformation = rest.deformation(&corners_of(&self.state, corners));
        let rate = rest.deformation(&velocities_of(&self.state, corners));
        let law = law_of(self.material_of[element.index()], &rest, &self.full_heights);
        let stress = Tetrahedron::stress(&self.laws[law], &self.guards[law], &deformation, &rate);
        let tension = Tension {
            gradients: rest.gradients().map(|gradient| rest.volume * gradient),
            deformation,
            pulling: Mat3::zeros(),
            total: deformation * stress,
            volume: rest.volume,
        };
        Some((tension, stress))
    }

    /// The tensions in some elements.
    fn tensions_in(&self, elements: &[TetId]) -> Vec<Option<Tension>> {
        let stretches: Vec<_> = elements.iter().map(|&element| self.stretch_of(element)).collect();
        let mut stresses: Vec<Mat3> =
            stretches.iter().map(|stretch| stretch.as_ref().map_or_else(Mat3::zeros, |(_, stress)| *stress)).collect();
        tensile_parts(&mut stresses);
        let with_pull = |(stretch, part): (Option<(Tension, Mat3)>, &Mat3)| {
            stretch.map(|(tension, _)| Tension { pulling: tension.deformation * part, ..tension })
        };
        stretches.into_iter().zip(&stresses).map(with_pull).collect()
    }

    /// What pulls at a node by the tensions of its elements; `None` also where it can be seen to be less than `least` (N).
    fn pull_of(&self, node: NodeId, tension: impl Fn(TetId) -> Option<Tension>, least: f64) -> Option<Pull> {
        let mut separation = Separation::default();
        let mut gradients = Vec::with_capacity(32);
        // The mean deformation, and the least that the materials bear.
        let (mut mean, mut volume) = (Mat3::zeros(), 0.0);
        let (mut tensile, mut force) = (f64::INFINITY, f64::INFINITY);
        for element in self.mesh.elements_of(node) {
            let corners = &self.mesh.elements()[element.index()];
            let corner = corners.iter().position(|&corner| corner == node.0)?;
            let strength = &self.materials[self.material_of[element.index()] as usize].strength;
            match (strength.separation_force, strength.tensile) {
                (Some(newtons), _) => force = force.min(newtons),
                (None, Some(stress)) => tensile = tensile.min(stress),
                (None, None) => {}
            }
            let tension = tension(element)?;
            let gradient = tension.gradients[corner];
            let pulling = -(tension.pulling * gradient);
            let total = -(tension.total * gradient);
            separation.add(&pulling, &(total - pulling));
            gradients.push(gradient);
            mean += tension.volume * tension.deformation;
            volume += tension.volume;
        }
        if !(tensile.is_finite() || force.is_finite()) || separation.bound() < least {
            return None;
        }
        let eigen = symmetric_eigen(&separation.tensor());
        let (value, normal) = (eigen.values[0], eigen.vectors.column(0).into_owned());
        if !(value > 0.0) {
            return None;
        }
        // A plane of the world was one with this normal in the body at rest.
        let at_rest = (mean / volume).tr_mul(&normal).normalize();
        let stress = value / area_across(&at_rest, &gradients);
        let factor = self.strength_factor(node);
        let (by_stress, by_force) = (stress / (factor * tensile), value / (factor * force));
        let (ratio, measure) = if by_stress >= by_force {
            (by_stress, FailureMeasure::Stress(stress))
        } else {
            (by_force, FailureMeasure::Force(value))
        };
        Some(Pull { ratio, measure, normal })
    }

    /// The tensions of all elements at some nodes, each worked out once, and those elements; `places` tells the place of each in the lists.
    fn tensions_about(&self, nodes: &[u32], places: &mut Vec<u32>) -> (Vec<Option<Tension>>, Vec<TetId>) {
        places.resize(self.mesh.element_count(), u32::MAX);
        let mut elements = Vec::new();
        for element in nodes.iter().flat_map(|&node| self.mesh.elements_of(NodeId(node))) {
            if places[element.index()] == u32::MAX {
                places[element.index()] = elements.len() as u32;
                elements.push(element);
            }
        }
        let tensions: Vec<Vec<Option<Tension>>> =
            elements.par_chunks(64).with_min_len(4).map(|elements| self.tensions_in(elements)).collect();
        (tensions.concat(), elements)
    }

    /// All nodes that fail in the state, hardest pulled first, and how hard.
    pub(crate) fn failing_nodes(&mut self) -> Vec<(NodeId, Pull)> {
        if self.least_stress == f64::INFINITY {
            return Vec::new();
        }
        let mut nodes = self.suspected_nodes();
        nodes.retain(|&node| !self.refused[node as usize]);
        self.sift(&mut nodes);
        if nodes.is_empty() {
            return Vec::new();
        }
        // Kept from look to look: to clear a list of all elements costs more than a few nodes do.
        let mut places = std::mem::take(&mut self.scratch.places);
        let (tensions, elements) = self.tensions_about(&nodes, &mut places);
        let fails = |&node: &u32| {
            let least = self.least_pulls[node as usize];
            let pull = self.pull_of(NodeId(node), |element| tensions[places[element.index()] as usize], least)?;
            (pull.ratio > 1.0).then_some((NodeId(node), pull))
        };
        let mut failing: Vec<(NodeId, Pull)> = nodes.par_iter().with_min_len(64).filter_map(fails).collect();
        failing.sort_by(|(one, pull), (other, harder)| harder.ratio.total_cmp(&pull.ratio).then(one.cmp(other)));
        elements.iter().for_each(|element| places[element.index()] = u32::MAX);
        self.scratch.places = places;
        failing
    }

    /// Nodes that could fail, ascending.
    ///
    /// What pulls at a node is at most ½·Σ vol·|F·S⁺·∇N| over its elements, and |S⁺·∇N| ≤ |S·∇N|, since S⁺ has the eigenvectors of S
    /// and no eigenvalue that is larger. So it is at most half the sum that comes with the forces times the largest stretch; in
    /// uniaxial tension it is that, but for the stretch. After an equilibrium or an implicit step there is no such sum, and every node that is
    /// awake goes on to the next test.
    fn suspected_nodes(&self) -> Vec<u32> {
        if !self.scratch.forces.has_pulls() {
            let awake = self.layout.chunks.iter().filter(|chunk| !self.flights[chunk.island].is_asleep());
            return awake.flat_map(|chunk| chunk.nodes.clone()).map(|node| node as u32).collect();
        }
        let forces = &self.scratch.forces;
        let reports = || self.layout.blocks.iter().zip(&forces.reports);
        if !reports().any(|(block, report)| self.may_fail(block, report)) {
            return Vec::new();
        }
        // A hair more, since the norms are good to single precision.
        let stretch = (1.0 + self.spectrum.strain).sqrt() * (1.0 + 1e-6);
        let suspected = |chunk: &Chunk| {
            if self.flights[chunk.island].is_asleep() {
                return Vec::new();
            }
            let fails =
                |node: &usize| !(0.5 * stretch * forces.of_node(&self.layout, *node)[3] < self.least_pulls[*node]);
            chunk.nodes.clone().filter(fails).map(|node| node as u32).collect()
        };
        let chunks = self.layout.chunks.par_iter().with_min_len(32);
        let by_chunk: Vec<Vec<u32>> = chunks.map(suspected).collect();
        by_chunk.concat()
    }

    /// What the strengths of the materials are multiplied by at a node.
    pub(crate) fn strength_factor(&self, node: NodeId) -> f64 {
        self.mesh.point_attributes().scalars(STRENGTH).map_or(1.0, |factors| factors[node.index()])
    }

    /// Whether a node of the block could fail, by what the last sweep saw: at most one step ago, so that no failure is
    /// found more than one step late.
    fn may_fail(&self, block: &Block, report: &Report) -> bool {
        if self.flights[block.island].is_asleep() {
            return false;
        }
        if report.stiffening > 0.0 {
            return true;
        }
        // |F| ≤ √(1 + |ε|), |ν| ≤ 2·|F|·|Ḟ|.
        let strain = report.largest_strain.sqrt();
        let stretch = (1.0 + strain).sqrt();
        let rate = 2.0 * stretch * report.fastest_change.sqrt();
        !(stretch * self.laws[block.law].largest_stress(strain, rate) < self.least_stress)
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

    /// Works out what the bounds need: the least pull at which each node could fail, and the least stress of an element at which
    /// any could.
    ///
    /// The eigenvalue at a node is at most its whole area ½·Σ vol·|∇N| times the largest stress about it, and is divided by
    /// at least [`LEAST_SHARE`] of that area.
    pub(crate) fn find_bounds_of_failure(&mut self) {
        self.least_pulls.clear();
        self.least_stress = f64::INFINITY;
        let (stress, force) = self.weakest();
        if !self.options.breaks || stress.min(force) == f64::INFINITY {
            return;
        }
        let bounds: Vec<(f64, f64)> = (0..self.mesh.point_count() as u32)
            .into_par_iter()
            .map(|node| self.bounds_at(NodeId(node), least_area_across))
            .collect();
        self.least_pulls = bounds.iter().map(|(pull, _)| *pull).collect();
        self.least_stress = bounds.iter().map(|(_, stress)| *stress).fold(f64::INFINITY, f64::min);
    }

    /// Brings the bounds up to date at nodes whose elements have changed, by a quick bound on their areas: what it suspects in vain costs less
    /// than the exact one. The least stress only falls. Until all is worked out anew.
    pub(crate) fn follow_bounds_of_failure(&mut self, nodes: &[u32]) {
        if self.least_pulls.is_empty() {
            return;
        }
        self.least_pulls.resize(self.mesh.point_count(), f64::INFINITY);
        for &node in nodes {
            let (pull, stress) = self.bounds_at(NodeId(node), bound_of_area_across);
            self.least_pulls[node as usize] = pull;
            self.least_stress = self.least_stress.min(stress);
        }
    }

    /// The least strengths of the materials: stress (Pa) and force (N).
    pub(crate) fn weakest(&self) -> (f64, f64) {
        let mut weakest = (f64::INFINITY, f64::INFINITY);
        for strength in self.materials.iter().map(|material| &material.strength) {
            match (strength.separation_force, strength.tensile) {
                (Some(force), _) => weakest.1 = weakest.1.min(force),
                (None, Some(stress)) => weakest.0 = weakest.0.min(stress),
                (None, None) => {}
            }
        }
        weakest
    }

    /// The least pull at which a node could fail (N), and the least stress about it at which it could (Pa).
    fn bounds_at(&self, node: NodeId, least_area: impl Fn(&[Vec3]) -> f64) -> (f64, f64) {
        // A node of a single element has nothing to be parted from.
        if self.mesh.elements_of(node).len() < 2 || self.is_dust(node) {
            return (f64::INFINITY, f64::INFINITY);
        }
        let (stress, force) = self.weakest();
        let gradients = self.gradients_at(node);
        let whole = 0.5 * gradients.iter().map(|gradient| gradient.norm()).sum::<f64>();
        let factor = self.strength_factor(node);
        (factor * force.min(stress * least_area(&gradients)), factor * (LEAST_SHARE * stress).min(force / whole))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Integrator;
    use crate::testing::{awake, directional, mesh, shake, soft, solid};
    use craze_material::{Material, Strength};
    use craze_math::Isometry;

    /// A material that breaks at this stress (Pa).
    fn strong(stress: f64) -> Material {
        Material { strength: Strength { tensile: Some(stress), ..Strength::default() }, ..soft() }
    }

    fn paper(force: f64) -> Material {
        Material { strength: Strength { separation_force: Some(force), ..Strength::default() }, ..soft() }
    }

    /// A box with a uniform nominal stress (Pa) along a direction, by the stretch along it that a laterally constrained
    /// column has: S = (λ/2 + μ)·(s³ − s).
    fn pulled(material: Material, cells: [usize; 3], jitter: f64, direction: Vec3, scale: f64) -> (Solid, f64) {
        let mesh = mesh(cells, jitter);
        let positions: Vec<Vec3> = mesh.positions().iter().map(|place| scale * place).collect();
        let mesh = craze_mesh::TetMesh::from_parts(positions, mesh.elements().to_vec()).unwrap();
        let stretch = 1.05;
        // No lateral stress: λ = 0.
        let elasticity = craze_material::Elasticity::from_lame(0.0, 2e4);
        let material = Material { elasticity, ..material };
        let still = Vec3::zeros();
        let options = awake(Integrator::SymplecticEuler);
        let mut solid = Solid::new(mesh, vec![material], options, Isometry::identity(), still, still).unwrap();
        let axis = direction.normalize();
        let turn = craze_math::Rotation::from_euler_angles(0.4, -0.7, 1.9);
        let places: Vec<Vec3> =
            (solid.positions().iter()).map(|place| turn * (place + (stretch - 1.0) * axis * axis.dot(place))).collect();
        solid.set_state(&places, &vec![still; places.len()]);
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
                let pull = solid.pull_at(node).unwrap();
                assert!(
                    (pull.measure.value() / stress - 1.0).abs() < 1e-9,
                    "{} instead of {stress}",
                    pull.measure.value()
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
                let pull = solid.pull_at(node).unwrap();
                assert!((pull.measure.value() / (stress * spacing * spacing) - 1.0).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn compression_and_rigid_acceleration_break_nothing() {
        let mut solid = solid([4, 3, 3], 0.2, strong(10.0), awake(Integrator::SymplecticEuler));
        let squeezed: Vec<Vec3> = solid.positions().iter().map(|place| 0.9 * place).collect();
        let still = vec![Vec3::zeros(); squeezed.len()];
        solid.set_state(&squeezed, &still);
        for node in solid.mesh.point_ids() {
            assert!(solid.pull_at(node).is_none_or(|pull| pull.ratio < 1e-6));
        }
    }

    #[test]
    fn what_the_bound_leaves_out_never_fails() {
        for material in [strong(4e3), Material { strength: strong(4e3).strength, ..directional() }, paper(30.0)] {
            for amount in [0.02, 0.1, 0.3] {
                let mut solid = solid([4, 4, 3], 0.2, material.clone(), awake(Integrator::SymplecticEuler));
                shake(&mut solid, amount, 0.0, 5);
                solid.sum_forces().unwrap();
                let listed: Vec<NodeId> = solid.failing_nodes().into_iter().map(|(node, _)| node).collect();
                let failing =
                    solid.mesh.point_ids().filter(|&node| solid.pull_at(node).is_some_and(|pull| pull.ratio > 1.0));
                let mut sorted = listed.clone();
                sorted.sort_unstable();
                assert_eq!(sorted, failing.collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn a_pull_turns_with_the_body_and_grows_with_weakness() {
        let (mut solid, _) = pulled(strong(1e5), [3, 3, 3], 0.2, Vec3::new(0.2, 1.0, 0.1), 1.0);
        let node = interior(&solid)[0];
        let before = solid.pull_at(node).unwrap();
        let count = solid.mesh.point_count();
        let halves = craze_mesh::Values::Scalars(vec![0.5; count]);
        solid.mesh.point_attributes_mut().add(STRENGTH, craze_mesh::PointRule::Interpolate, halves).unwrap();
        let after = solid.pull_at(node).unwrap();
        assert!((after.ratio / before.ratio - 2.0).abs() < 1e-12);
    }
}
