//! The longest stable step.
//!
//! With masses lumped at the nodes, the squared frequencies of the whole mesh are at most max over nodes of Σκ/m, where κ is the largest
//! stiffness of an element (N/m) and the sum runs over the node's elements: give every element the part of its nodes' masses that its
//! stiffness asks for, and apply the element bound of Irons & Treharne 1971. On a uniform mesh it is the element bound itself; a
//! sliver among good elements costs far less. The same holds for viscosity.

use crate::blocks::Layout;
use crate::options::Integrator;
use craze_element::{Law, Tetrahedron};
use craze_material::VoigtMatrix;
use craze_mesh::TetMesh;
use serde::{Deserialize, Serialize};

/// Share of the bound that is used: strain may grow during the step.
const SAFETY: f64 = 0.95;

/// ω·Δt of forward Euler where nothing damps: every vibration then grows, the fastest by half a percent a step.
const UNDAMPED_EULER: f64 = 0.1;

/// ω·Δt of the Taylor integrator where nothing damps: the fastest vibration grows by (ω·Δt)⁴/8 = 6e-5 a step.
const UNDAMPED_TAYLOR: f64 = 0.15;

/// What bounds Δt.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Spectrum {
    /// Bound of the squared frequencies at rest, ω² (1/s²).
    pub stiffness: f64,
    /// Bound of the viscous rates at rest (1/s).
    pub viscosity: f64,
    /// Largest drag (1/s).
    pub drag: f64,
    /// Least viscous per elastic stress (s): every mode is damped at least by this times ω².
    pub least_damping: f64,
    /// Smallest height of an element at rest (m).
    pub smallest_height: f64,
    /// Largest norm of ε (1) at the last look.
    pub strain: f64,
    /// How much the collapse guard stiffened an element, at most, at the last look.
    pub stiffening: f64,
}

impl Spectrum {
    /// The bounds of a body at rest.
    pub fn of(mesh: &TetMesh, laws: &[Law], layout: &Layout, masses: &[f64], drag: &[f64]) -> Spectrum {
        let mut stiffness = vec![0.0; masses.len()];
        let mut viscosity = vec![0.0; masses.len()];
        let mut sharpest = 0.0f64;
        for block in &layout.blocks {
            for element in block.elements.clone() {
                let rest = layout.rest(block, element);
                let [elastic, viscous] = bounds(&rest, &laws[block.law]);
                for &corner in &mesh.elements()[element] {
                    stiffness[corner as usize] += rest.volume * elastic;
                    viscosity[corner as usize] += rest.volume * viscous;
                }
                let steepest = rest.gradients().iter().map(|gradient| gradient.norm_squared()).fold(0.0, f64::max);
                sharpest = sharpest.max(steepest);
            }
        }
        let largest = |sums: &[f64]| sums.iter().zip(masses).map(|(sum, mass)| sum / mass).fold(0.0, f64::max);
        Spectrum {
            stiffness: largest(&stiffness),
            viscosity: largest(&viscosity),
            drag: drag.iter().copied().fold(0.0, f64::max),
            least_damping: layout
                .blocks
                .iter()
                .map(|block| least_damping(&laws[block.law]))
                .fold(f64::INFINITY, f64::min),
            smallest_height: 1.0 / sharpest.sqrt(),
            strain: 0.0,
            stiffening: 0.0,
        }
    }

    /// The longest stable step (s) of an explicit integrator at the last seen strain; infinite for the implicit one.
    ///
    /// Stretching by F multiplies an element's stiffness by σ₁(F)² ≤ 1 + |ε| at most; stress adds its geometric part, at most
    /// 0.87·|ε| of the elastic.
    pub fn limit(&self, integrator: Integrator) -> f64 {
        let omega = (self.stiffness * (1.0 + 1.87 * self.strain + self.stiffening)).sqrt();
        let damping = self.viscosity * (1.0 + self.strain) + self.drag;
        // Fraction of critical damping of the fastest vibration, and the rate at which the fastest motion dies if it does not swing.
        let zeta = 0.5 * damping / omega;
        let decay = omega * (zeta + (zeta * zeta - 1.0).max(0.0).sqrt());
        SAFETY
            * match integrator {
                // Stable while ω²Δt² + 2c·Δt < 4.
                Integrator::SymplecticEuler => (2.0 / omega) * ((zeta * zeta + 1.0).sqrt() - zeta),
                // |1 + z| < 1 with z = s·Δt for both roots s of s² + c·s + ω²: Δt < c/ω² while it swings, Δt < 2/|s| when it does not.
                Integrator::ForwardEuler => self.least_damping.max(UNDAMPED_EULER / omega).min(2.0 / decay),
                // |1 + z + z²/2| < 1: (ωΔt)³ < 8ζ near the imaginary axis, Δt < 2/|s| on the real one.
                Integrator::Taylor => {
                    let swinging = (4.0 * self.least_damping / (omega * omega)).cbrt();
                    swinging.max(UNDAMPED_TAYLOR / omega).min(2.0 / decay)
                }
                Integrator::Implicit => f64::INFINITY,
            }
    }
}

/// Largest eigenvalues of BᵀCB and BᵀDB at rest.
fn bounds(rest: &Tetrahedron, law: &Law) -> [f64; 2] {
    match law {
        Law::Isotropic { lambda, mu, phi, psi } => {
            let elastic = rest.sharpest_stiffness(*lambda, *mu);
            if *phi == 0.0 && *psi == 0.0 {
                return [elastic, 0.0];
            }
            [elastic, rest.sharpest_stiffness(*phi, *psi)]
        }
        Law::Directional { stiffness, viscosity } => {
            let steepest = rest.squared_gradients()[0];
            [steepest * largest_eigenvalue(stiffness), steepest * largest_eigenvalue(viscosity)]
        }
    }
}

/// A bound of the largest eigenvalue of a 6×6 law in the norm of tensors (Gershgorin 1931).
fn largest_eigenvalue(law: &VoigtMatrix) -> f64 {
    let scale = |i: usize| if i < 3 { 1.0 } else { std::f64::consts::SQRT_2 };
    (0..6).map(|i| (0..6).map(|j| (law[i][j] * scale(i) * scale(j)).abs()).sum()).fold(0.0, f64::max)
}

/// The least ratio of viscous to elastic stress (s): of dilation or of shear, whichever is less.
fn least_damping(law: &Law) -> f64 {
    match law {
        Law::Isotropic { lambda, mu, phi, psi } => (psi / mu).min((3.0 * phi + 2.0 * psi) / (3.0 * lambda + 2.0 * mu)),
        // Not worth an eigenvalue problem: directional laws get the step of an undamped body.
        Law::Directional { .. } => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use crate::options::Integrator;
    use crate::testing::{awake, damped, directional, free_step, shake, soft, solid};
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
            solid.commit(&step);
        }
        energy(&solid) < 3.0 * start
    }

    #[test]
    fn the_limit_is_safe_and_within_twice_the_true_one() {
        let very_viscous = Material { damping: Damping { phi: 200.0, psi: 300.0, ..Damping::default() }, ..soft() };
        let dragged = Material { damping: Damping { mass: 400.0, ..Damping::default() }, ..soft() };
        for material in [soft(), damped(), very_viscous, dragged, directional()] {
            for (cells, jitter) in [([1, 1, 1], 0.0), ([3, 3, 3], 0.0), ([4, 3, 3], 0.15), ([9, 1, 1], 0.0)] {
                let stable = |factor| is_stable(&material, cells, jitter, Integrator::SymplecticEuler, factor);
                assert!(stable(1.0), "{} {cells:?} blows up at its limit", material.name);
                assert!(!stable(2.0), "{} {cells:?} is stable at twice its limit", material.name);
            }
        }
    }

    #[test]
    fn damped_bodies_are_stable_under_the_other_integrators() {
        for integrator in [Integrator::ForwardEuler, Integrator::Taylor] {
            for material in
                [damped(), Material { damping: Damping { phi: 200.0, psi: 300.0, ..Damping::default() }, ..soft() }]
            {
                assert!(is_stable(&material, [4, 3, 3], 0.15, integrator, 1.0), "{integrator:?}");
            }
        }
    }

    #[test]
    fn viscosity_bounds_the_step_of_the_second_wall() {
        // READINGS 4: the wall of O'Brien & Hodgins' Table 1 at 5 mm: 0.8 µs by viscosity, 13 µs by sound.
        let wall = craze_material::Elasticity::from_lame(0.0, 1.81e8);
        let mut material = Material::elastic("wall", 2309.0, wall);
        let limit = |material: &Material| {
            let mesh = craze_mesh::kuhn_box([6, 6, 6], Vec3::repeat(0.03)).unwrap();
            let still = Vec3::zeros();
            let options = awake(Integrator::SymplecticEuler);
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
        let mut body = solid([3, 3, 3], 0.0, soft(), awake(Integrator::SymplecticEuler));
        let rest = body.time_step_limit();
        let stretched: Vec<Vec3> =
            body.positions().iter().map(|place| Vec3::new(1.5 * place.x, place.y, place.z)).collect();
        body.set_state(&stretched, &vec![Vec3::zeros(); stretched.len()]);
        assert!(body.time_step_limit() < rest / 1.5);
    }
}
