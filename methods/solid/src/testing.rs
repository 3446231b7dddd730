//! Builders shared by tests.

use crate::{Integrator, Solid, SolidOptions};
use craze_engine::{Load, Method, Region, Step};
use craze_material::{Damping, Elasticity, Material};
use craze_math::{Isometry, Random, Vec3};
use craze_mesh::{Jitter, TetMesh, kuhn_box_jittered};

/// Soft and undamped: waves of a few metres per second, so that steps are long.
pub fn soft() -> Material {
    Material::elastic("soft", 1000.0, Elasticity::from_lame(3e4, 2e4))
}

/// The same with viscosity.
pub fn damped() -> Material {
    Material { damping: Damping { phi: 3.0, psi: 2.0, ..Damping::default() }, ..soft() }
}

/// Directional in stiffness and viscosity.
pub fn anisotropic() -> Material {
    let young = [9e4, 5e4, 3e4];
    let elasticity = Elasticity::Orthotropic { young, shear: [1e4, 2e4, 1.5e4], poisson: [0.2, 0.1, 0.3] };
    Material { damping: Damping { time: 1e-4, ..Damping::default() }, ..Material::elastic("wood", 1000.0, elasticity) }
}

/// A jittered box of cells of 0.1 m.
pub fn mesh(cells: [usize; 3], jitter: f64) -> TetMesh {
    let size = Vec3::new(cells[0] as f64, cells[1] as f64, cells[2] as f64) * 0.1;
    kuhn_box_jittered(cells, size, Jitter { amount: jitter, seed: 7 }).unwrap()
}

/// Options of a body that never enters rigid-body mode.
pub fn awake(integrator: Integrator) -> SolidOptions {
    SolidOptions { integrator, rest_strain: 0.0, ..SolidOptions::default() }
}

/// A box at rest, at the origin.
pub fn solid(cells: [usize; 3], jitter: f64, material: Material, options: SolidOptions) -> Solid {
    let still = Vec3::zeros();
    Solid::new(mesh(cells, jitter), vec![material], options, Isometry::identity(), still, still).unwrap()
}

/// A smooth deformation of about `amount` and velocities of about `speed` (m/s), the same for the
/// same seed.
pub fn shake(solid: &mut Solid, amount: f64, speed: f64, seed: u64) {
    let mut random = Random::new(seed);
    let shift = Vec3::new(random.signed(), random.signed(), random.signed());
    let wave = |place: &Vec3, k: f64| {
        let q = 9.0 * place + k * shift;
        Vec3::new((q.y + q.z).sin(), (q.x - 0.5 * q.z).cos(), (q.x + 1.3 * q.y).sin())
    };
    let places = solid.positions();
    let moved: Vec<Vec3> =
        places.iter().map(|place| place + 0.1 * amount * wave(place, 3.0) + 0.02 * amount * random.vector()).collect();
    let velocities: Vec<Vec3> = places.iter().map(|place| speed * (wave(place, 5.0) + 0.3 * random.vector())).collect();
    solid.set_state(&moved, &velocities);
}

/// A step without gravity, loads or contacts.
pub fn free_step(time_step: f64) -> Step<'static> {
    Step { time: 0.0, time_step, gravity: Vec3::zeros(), loads: &[], contacts: &[] }
}

/// The same with loads.
pub fn loaded_step(time_step: f64, loads: &[Load]) -> Step<'_> {
    Step { loads, ..free_step(time_step) }
}

/// Steps that must all succeed.
pub fn run(solid: &mut Solid, step: &Step, count: usize) {
    for _ in 0..count {
        solid.predict(step).unwrap();
        solid.check().unwrap();
        solid.commit_motion(step);
    }
}

/// The half-space on one side of a plane.
pub fn half_space(point: Vec3, normal: Vec3) -> Region {
    Region::HalfSpace { point, normal }
}
