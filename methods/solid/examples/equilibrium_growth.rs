//! Time of one nearly linear quasi-static step against the number of tetrahedra: docs/performance.md.
//!
//! `cargo run --release -p craze-solid --example equilibrium_growth [cells…]`

use craze_engine::{Attachable, Effect, HoldId, Load, QuasiStatic, Region, Step};
use craze_material::{Elasticity, Material};
use craze_math::{Isometry, Vec3};
use craze_mesh::{Jitter, kuhn_box_jittered};
use craze_solid::{Integrator, Solid, SolidOptions};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut sizes: Vec<usize> = std::env::args().skip(1).map(|cells| cells.parse()).collect::<Result<_, _>>()?;
    if sizes.is_empty() {
        sizes = vec![8, 13, 26, 33];
    }
    println!("tetrahedra    nodes  wall (s)  processor (s)  exponent");
    let mut last: Option<(f64, f64)> = None;
    for cells in sizes {
        let mesh = kuhn_box_jittered([cells; 3], Vec3::repeat(1.0), Jitter { amount: 0.15, seed: 3 })?;
        let (elements, nodes) = (mesh.element_count(), mesh.point_count());
        let steel = Material::elastic("steel", 7800.0, Elasticity::from_young(2e11, 0.3));
        let options = SolidOptions { integrator: Integrator::Symplectic, rest_strain: 0.0, ..SolidOptions::default() };
        let still = Vec3::zeros();
        let mut solid = Solid::new(mesh, vec![steel], options, Isometry::identity(), still, still)?;
        let edge = 0.5 / cells as f64;
        let (bottom, top) = (HoldId(0), HoldId(1));
        let side = |normal: Vec3, height: f64| Region::HalfSpace { point: Vec3::new(0.0, height, 0.0), normal };
        let low = solid.mesh().positions().iter().map(|position| position.y).fold(f64::INFINITY, f64::min);
        solid.attach(bottom, &side(-Vec3::y(), low + edge)).ok_or("nothing at the bottom")?;
        solid.attach(top, &side(Vec3::y(), low + 1.0 - edge)).ok_or("nothing at the top")?;
        let load =
            |hold, shift: f64| Load { hold, effect: Effect::Place(Isometry::translation(0.3 * shift, shift, 0.0)) };
        let loads = [load(bottom, 0.0), load(top, 1e-4)];
        let step = Step { time: 0.0, time_step: 1.0, gravity: Vec3::zeros(), loads: &loads, contacts: &[] };
        let (clock, before) = (Instant::now(), processor_time());
        solid.balance(&step)?;
        let (wall, spent) = (clock.elapsed().as_secs_f64(), processor_time() - before);
        let exponent = last.map_or(String::new(), |(size, time)| {
            format!("{:.2}", (spent / time).ln() / (elements as f64 / size).ln())
        });
        println!("{elements:>10} {nodes:>8} {wall:>9.2} {spent:>14.2}  {exponent}");
        last = Some((elements as f64, spent));
    }
    Ok(())
}

/// Processor time of all threads so far (s), by Linux' count of hundredths; not a number elsewhere.
fn processor_time() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |index: usize| fields.get(index).and_then(|field| field.parse::<f64>().ok()).unwrap_or(f64::NAN);
    (ticks(11) + ticks(12)) / 100.0
}
