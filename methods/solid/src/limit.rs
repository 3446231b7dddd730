//! The longest stable step.
//!
//! With lumped masses, the squared frequencies of the mesh are at most the maximum over nodes of
//! Σκ/m, where κ is the largest stiffness of an element (N/m) and the sum runs over the elements of
//! the node: assign to every element parts of its nodes' masses in proportion to its stiffness, and
//! apply the element bound of Irons & Treharne 1971. On a uniform mesh it is the element bound; a
//! sliver among good elements costs far less. The same is true of viscosity.
//!
//! A step of Δt requires Δt²·K + 2Δt·D ≤ 4M. The stiffest element need not be the most viscous one
//! (thin ones have less viscosity), and not all nodes of an element need be as loaded as its worst:
//! a tip that a crack has left with one element is connected to three nodes that have others. So
//! masses are assigned in proportion to what elements require in a step of about the right length,
//! and every element is then bounded separately with its masses.

use crate::blocks::Layout;
use crate::options::Integrator;
use crate::peaks::Peaks;
use crate::tuning::{STRAIN_FACTOR, TIME_STEP_SAFETY, UNDAMPED_EULER_STEP, UNDAMPED_TAYLOR_STEP};
use craze_body::Node;
use craze_element::{Law, Tetrahedron};
use craze_material::VoigtMatrix;
use craze_mesh::{NodeId, TetMesh};
use serde::{Deserialize, Serialize};

/// Bounds of Δt.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Spectrum {
    /// Bound of the squared frequencies at rest, ω² (1/s²).
    pub stiffness: f64,
    /// Bound of the viscous rates at rest (1/s).
    pub viscosity: f64,
    /// Largest drag (1/s).
    pub drag: f64,
    /// Smallest ratio of viscous to elastic stress (s): every mode is damped at least by this times
    /// ω².
    pub least_damping: f64,
    /// Smallest height of an element at rest (m).
    pub smallest_height: f64,
    /// Inverse of the longest step of symplectic Euler at rest (1/s).
    pub quickest: f64,
    /// Largest norm of ε (1) at the last measurement.
    pub strain: f64,
    /// Largest stiffening by the collapse guard at the last measurement.
    pub stiffening: f64,
}

/// Contributions of elements and nodes to the bounds, so that an update after a crack is local.
#[derive(Debug, Default)]
pub(crate) struct Stiffnesses {
    /// Volume times the largest eigenvalues of BᵀCB and BᵀDB of each element (N/m, N·s/m).
    elements: Vec<[f64; 2]>,
    /// Largest squared gradient in each element (1/m²): the inverse square of its smallest height.
    steepest: Peaks,
    /// Sums of the first over the elements of a node, divided by its mass (1/s², 1/s).
    elastic: Peaks,
    viscous: Peaks,
    /// Length of step (s) for which masses are assigned to elements, and what all elements of a
    /// node require of its mass for it (1).
    typical: f64,
    asked: Vec<f64>,
    /// Inverse of the longest step of each element with its masses (1/s).
    quickest: Peaks,
    /// Largest drag (1/s).
    drag: f64,
    /// Smallest ratio of viscous to elastic stress of all laws so far (s).
    least_damping: f64,
}

impl Stiffnesses {
    /// The contributions in a whole body.
    pub fn of(mesh: &TetMesh, laws: &[Law], layout: &Layout, state: &[Node], drag: &[f64]) -> Stiffnesses {
        let mut all = Stiffnesses {
            drag: drag.iter().copied().fold(0.0, f64::max),
            least_damping: f64::INFINITY,
            ..Stiffnesses::default()
        };
        mesh.element_ids().for_each(|element| all.set_element(laws, layout, element.index()));
        mesh.point_ids().for_each(|node| all.set_node(mesh, state, node));
        let typical = 1.0 / rate_of(all.elastic.largest(), all.viscous.largest());
        all.give_masses(mesh, laws, layout, state, typical);
        all
    }

    /// Assigns the masses of all nodes to their elements in proportion to what these require in a
    /// step of this length (s).
    fn give_masses(&mut self, mesh: &TetMesh, laws: &[Law], layout: &Layout, state: &[Node], typical: f64) {
        self.typical = typical;
        mesh.point_ids().for_each(|node| self.set_node(mesh, state, node));
        mesh.element_ids().for_each(|element| self.set_quickest(mesh, laws, layout, element.index()));
    }

    /// The contributions that a rebuild would give, with the typical step of these.
    #[cfg(test)]
    pub fn rebuilt(&self, mesh: &TetMesh, laws: &[Law], layout: &Layout, state: &[Node], drag: &[f64]) -> Stiffnesses {
        let mut all = Stiffnesses::of(mesh, laws, layout, state, drag);
        all.give_masses(mesh, laws, layout, state, self.typical);
        all
    }

    /// Updates elements that have changed, and the nodes that they have or had.
    pub fn follow(
        &mut self,
        mesh: &TetMesh,
        laws: &[Law],
        layout: &Layout,
        state: &[Node],
        [elements, nodes]: [&[u32]; 2],
    ) {
        elements.iter().for_each(|&element| self.set_element(laws, layout, element as usize));
        nodes.iter().for_each(|&node| self.set_node(mesh, state, NodeId(node)));
        let around = nodes.iter().flat_map(|&node| mesh.elements_of(NodeId(node)));
        let mut around: Vec<usize> = around.map(|element| element.index()).collect();
        around.sort_unstable();
        around.dedup();
        around.into_iter().for_each(|element| self.set_quickest(mesh, laws, layout, element));
    }

    fn set_element(&mut self, laws: &[Law], layout: &Layout, element: usize) {
        let block = layout.block_of(element);
        let (rest, law) = (layout.rest(block, element), &laws[layout.law(block, element)]);
        if self.elements.len() <= element {
            self.elements.resize(element + 1, [0.0; 2]);
        }
        self.elements[element] = bounds(&rest, law).map(|bound| rest.volume * bound);
        self.least_damping = self.least_damping.min(least_damping(law));
        let gradients = rest.gradients();
        self.steepest.set(element, gradients.iter().map(|gradient| gradient.norm_squared()).fold(0.0, f64::max));
    }

    fn set_node(&mut self, mesh: &TetMesh, state: &[Node], node: NodeId) {
        let mut sum = [0.0; 2];
        for element in mesh.elements_of(node) {
            let [elastic, viscous] = self.elements[element.index()];
            sum = [sum[0] + elastic, sum[1] + viscous];
        }
        let mass = state[node.index()].mass();
        self.elastic.set(node.index(), sum[0] / mass);
        self.viscous.set(node.index(), sum[1] / mass);
        if self.asked.len() <= node.index() {
            self.asked.resize(node.index() + 1, 0.0);
        }
        self.asked[node.index()] = self.asked_of(&sum) / mass;
    }

    /// Mass that an element of these stiffnesses requires of its nodes in a step of typical length
    /// (kg).
    fn asked_of(&self, [elastic, viscous]: &[f64; 2]) -> f64 {
        self.typical * (self.typical * elastic + 2.0 * viscous)
    }

    /// Bounds an element by its masses: of each of its nodes the share of what all elements of the
    /// node require.
    fn set_quickest(&mut self, mesh: &TetMesh, laws: &[Law], layout: &Layout, element: usize) {
        let block = layout.block_of(element);
        let (rest, law) = (layout.rest(block, element), &laws[layout.law(block, element)]);
        let asked = mesh.elements()[element].map(|node| self.asked[node as usize]);
        let own = self.asked_of(&self.elements[element]);
        let [elastic, viscous] = weighted_bounds(&rest, law, &asked).map(|bound| rest.volume * bound / own);
        self.quickest.set(element, rate_of(elastic, viscous + self.drag));
    }

    /// The bounds at rest.
    pub fn spectrum(&self) -> Spectrum {
        Spectrum {
            stiffness: self.elastic.largest(),
            viscosity: self.viscous.largest(),
            drag: self.drag,
            least_damping: self.least_damping,
            smallest_height: 1.0 / self.steepest.largest().sqrt(),
            quickest: self.quickest.largest(),
            strain: 0.0,
            stiffening: 0.0,
        }
    }

    /// Memory (bytes).
    pub fn bytes(&self) -> usize {
        let peaks = [&self.steepest, &self.elastic, &self.viscous, &self.quickest];
        self.elements.capacity() * 16 + self.asked.capacity() * 8 + peaks.into_iter().map(Peaks::bytes).sum::<usize>()
    }
}

impl Spectrum {
    /// The longest stable step (s) of an explicit integrator at the last measured strain; infinite
    /// for the implicit one.
    ///
    /// Stretching by F multiplies an element's stiffness by σ₁(F)² ≤ 1 + |ε| at most; stress adds
    /// its geometric part, at most 0.87·|ε| of the elastic: 1.87·|ε| for the present strain. Strain
    /// grows during a step, so [`STRAIN_FACTOR`] is more.
    pub fn limit(&self, integrator: Integrator) -> f64 {
        let omega = (self.stiffness * (1.0 + STRAIN_FACTOR * self.strain + self.stiffening)).sqrt();
        let damping = self.viscosity * (1.0 + self.strain) + self.drag;
        // Fraction of critical damping of the fastest vibration, and decay rate of the fastest
        // motion if it is overdamped.
        let zeta = 0.5 * damping / omega;
        let decay = omega * (zeta + (zeta * zeta - 1.0).max(0.0).sqrt());
        TIME_STEP_SAFETY
            * match integrator {
                // Stable while ω²Δt² + 2c·Δt < 4: with the largest ω and c of all, or with those of
                // every element. Strain may increase the first by the root of its factor and the
                // second by the factor.
                Integrator::Symplectic => {
                    let by_strain = (omega * omega / self.stiffness).sqrt().max(1.0 + self.strain);
                    ((2.0 / omega) * ((zeta * zeta + 1.0).sqrt() - zeta)).max(1.0 / (self.quickest * by_strain))
                }
                // |1 + z| < 1 with z = s·Δt for both roots s of s² + c·s + ω²: Δt < c/ω² if
                // underdamped, Δt < 2/|s| otherwise.
                Integrator::Euler => self.least_damping.max(UNDAMPED_EULER_STEP / omega).min(2.0 / decay),
                // |1 + z + z²/2| < 1: (ωΔt)³ < 8ζ near the imaginary axis, Δt < 2/|s| on the real one.
                Integrator::Taylor => {
                    let swinging = (4.0 * self.least_damping / (omega * omega)).cbrt();
                    swinging.max(UNDAMPED_TAYLOR_STEP / omega).min(2.0 / decay)
                }
                Integrator::Implicit => f64::INFINITY,
            }
    }
}

/// Inverse of the Δt for which ω²Δt² + 2c·Δt = 4 (1/s).
fn rate_of(squared_frequency: f64, damping: f64) -> f64 {
    0.25 * (damping + (damping * damping + 4.0 * squared_frequency).sqrt())
}

/// The same as [`bounds`] with the contribution of each corner multiplied by the root of a weight.
fn weighted_bounds(rest: &Tetrahedron, law: &Law, weights: &[f64; 4]) -> [f64; 2] {
    match law {
        Law::Isotropic { lambda, mu, phi, psi } => {
            rest.weighted_stiffness_eigenvalues(weights, [[*lambda, *mu], [*phi, *psi]])
        }
        Law::Anisotropic { .. } => {
            let largest = weights.iter().copied().fold(0.0, f64::max);
            bounds(rest, law).map(|bound| largest * bound)
        }
    }
}

/// Largest eigenvalues of BᵀCB and BᵀDB at rest.
fn bounds(rest: &Tetrahedron, law: &Law) -> [f64; 2] {
    match law {
        Law::Isotropic { lambda, mu, phi, psi } => {
            let elastic = rest.max_stiffness_eigenvalue(*lambda, *mu);
            if *phi == 0.0 && *psi == 0.0 {
                return [elastic, 0.0];
            }
            [elastic, rest.max_stiffness_eigenvalue(*phi, *psi)]
        }
        Law::Anisotropic { stiffness, viscosity } => {
            let steepest = rest.squared_gradients()[0];
            [steepest * largest_eigenvalue(stiffness), steepest * largest_eigenvalue(viscosity)]
        }
    }
}

/// Bound of the largest eigenvalue of a 6×6 law in the norm of tensors (Gershgorin 1931).
fn largest_eigenvalue(law: &VoigtMatrix) -> f64 {
    let scale = |i: usize| if i < 3 { 1.0 } else { std::f64::consts::SQRT_2 };
    (0..6).map(|i| (0..6).map(|j| (law[i][j] * scale(i) * scale(j)).abs()).sum()).fold(0.0, f64::max)
}

/// Smallest ratio of viscous to elastic stress (s), of dilation and shear.
fn least_damping(law: &Law) -> f64 {
    match law {
        Law::Isotropic { lambda, mu, phi, psi } => (psi / mu).min((3.0 * phi + 2.0 * psi) / (3.0 * lambda + 2.0 * mu)),
        // Directional laws get the step of an undamped body, which saves an eigenvalue problem.
        Law::Anisotropic { .. } => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use crate::options::Integrator;
    use crate::testing::{anisotropic, awake, damped, free_step, shake, soft, solid};
    use craze_engine::Method;
    use craze_material::{Damping, Material};
    use craze_math::Vec3;

    /// Whether tiny vibrations stay tiny over many steps of `factor` times the limit.
    fn is_stable(material: &Material, cells: [usize; 3], jitter: f64, integrator: Integrator, factor: f64) -> bool {
        let mut solid = solid(cells, jitter, material.clone(), awake(integrator));
        shake(&mut solid, 0.0, 1e-6, 11);
        let step = free_step(factor * solid.time_step_limit());
        let energy = |solid: &crate::Solid| solid.account(&Vec3::zeros()).energy();
        let start = energy(&solid);
        for _ in 0..600 {
            if solid.predict(&step).is_err() {
                return false;
            }
            solid.commit_motion(&step);
        }
        energy(&solid) < 3.0 * start
    }

    #[test]
    fn the_limit_is_safe_and_within_twice_the_true_one() {
        let very_viscous = Material { damping: Damping { phi: 200.0, psi: 300.0, ..Damping::default() }, ..soft() };
        let dragged = Material { damping: Damping { mass: 400.0, ..Damping::default() }, ..soft() };
        for material in [soft(), damped(), very_viscous, dragged, anisotropic()] {
            for (cells, jitter) in [([1, 1, 1], 0.0), ([3, 3, 3], 0.0), ([4, 3, 3], 0.15), ([9, 1, 1], 0.0)] {
                let stable = |factor| is_stable(&material, cells, jitter, Integrator::Symplectic, factor);
                assert!(stable(1.0), "{} {cells:?} blows up at its limit", material.name);
                assert!(!stable(2.0), "{} {cells:?} is stable at twice its limit", material.name);
            }
        }
    }

    #[test]
    fn damped_bodies_are_stable_under_the_other_integrators() {
        for integrator in [Integrator::Euler, Integrator::Taylor] {
            for material in
                [damped(), Material { damping: Damping { phi: 200.0, psi: 300.0, ..Damping::default() }, ..soft() }]
            {
                assert!(is_stable(&material, [4, 3, 3], 0.15, integrator, 1.0), "{integrator:?}");
            }
        }
    }

    #[test]
    fn viscosity_bounds_the_step_of_the_second_wall() {
        // READINGS 4: the wall of O'Brien & Hodgins' Table 1 at 5 mm: 0.8 µs by viscosity, 13 µs by
        // sound.
        let wall = craze_material::Elasticity::from_lame(0.0, 1.81e8);
        let mut material = Material::elastic("wall", 2309.0, wall);
        let limit = |material: &Material| {
            let mesh = craze_mesh::kuhn_box([6, 6, 6], Vec3::repeat(0.03)).unwrap();
            let still = Vec3::zeros();
            let options = awake(Integrator::Symplectic);
            crate::Solid::new(mesh, vec![material.clone()], options, craze_math::Isometry::identity(), still, still)
                .unwrap()
                .time_step_limit()
        };
        let sound = limit(&material);
        material.damping = Damping { psi: 18090.0, ..Damping::default() };
        let viscous = limit(&material);
        println!("{sound:e} {viscous:e}");
        assert!(sound > 2e-6 && sound < 14e-6 && viscous < 0.8e-6 && viscous > 0.05e-6);
    }

    #[test]
    fn stretched_bodies_ask_for_shorter_steps() {
        let mut body = solid([3, 3, 3], 0.0, soft(), awake(Integrator::Symplectic));
        let rest = body.time_step_limit();
        let stretched: Vec<Vec3> =
            body.positions().iter().map(|place| Vec3::new(1.5 * place.x, place.y, place.z)).collect();
        body.set_state(&stretched, &vec![Vec3::zeros(); stretched.len()]);
        assert!(body.time_step_limit() < rest / 1.5);
    }

    #[test]
    fn large_vibrations_of_crumbs_do_not_grow() {
        let energy = |solid: &crate::Solid| solid.account(&Vec3::zeros()).energy();
        for seed in 0..40 {
            let mut random = craze_math::Random::new(seed);
            let corners = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
            let places = corners.map(|corner| 0.1 * corner + 0.02 * random.vector()).to_vec();
            let mesh = craze_mesh::TetMesh::from_parts(places, vec![[0, 1, 2, 3]]).unwrap();
            let (options, still) = (awake(Integrator::Symplectic), Vec3::zeros());
            let mut crumb =
                crate::Solid::new(mesh, vec![soft()], options, craze_math::Isometry::identity(), still, still).unwrap();
            // A few metres a second: as fast as its sound.
            let velocities: Vec<Vec3> = (0..4).map(|_| 2.0 * random.vector()).collect();
            let places = crumb.positions();
            crumb.set_state(&places, &velocities);
            // At the limit the energy of the fastest vibration swings from step to step: means are
            // compared.
            let (mut first, mut last) = (0.0, 0.0);
            for count in 0..3000 {
                let mut step = free_step(crumb.time_step_limit());
                while crumb.predict(&step).and_then(|()| crumb.check()).is_err() {
                    step.time_step *= 0.5;
                    assert!(step.time_step > 1e-9, "crumb {seed} is stuck after {count} steps");
                }
                crumb.commit_motion(&step);
                match count {
                    0..500 => first += energy(&crumb),
                    2500.. => last += energy(&crumb),
                    _ => {}
                }
            }
            assert!(last < 1.5 * first, "crumb {seed}: {first:e} became {last:e}");
        }
    }
}
