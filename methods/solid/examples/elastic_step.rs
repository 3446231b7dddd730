//! Measures the explicit elastic step: `cargo run --release -p craze-solid --example elastic_step`.

use craze_engine::{Method, Step};
use craze_material::{Damping, Elasticity, Material};
use craze_math::{Isometry, Vec3};
use craze_mesh::kuhn_box;
use craze_solid::{Solid, SolidOptions, elastic_step_cost};
use std::time::Instant;

fn solid(cells: [usize; 3], rest_strain: f64, spin: Vec3) -> Result<Solid, Box<dyn std::error::Error>> {
    let size = Vec3::new(cells[0] as f64, cells[1] as f64, cells[2] as f64) * 0.01;
    let mut material = Material::elastic("clay", 1013.0, Elasticity::from_lame(2.65e6, 3.97e6));
    material.damping = Damping { phi: 264.0, psi: 397.0, ..Damping::default() };
    let options = SolidOptions { rest_strain, ..SolidOptions::default() };
    let mesh = kuhn_box(cells, size)?;
    Ok(Solid::new(mesh, vec![material], options, Isometry::identity(), Vec3::zeros(), spin)?)
}

/// Processor time of this thread (s), where the system reports it; other work on the machine does
/// not count.
fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split_whitespace().next()?.parse::<f64>().ok()? * 1e-9)
}

/// Wall-clock time of the fastest of many steps, and mean processor time of this thread (s).
fn seconds_per_step(solid: &mut Solid, steps: usize) -> (f64, f64) {
    let time_step = solid.time_step_limit();
    let step = Step { time: 0.0, time_step, gravity: Vec3::new(0.0, -9.81, 0.0), loads: &[], contacts: &[] };
    let mut fastest = f64::INFINITY;
    let before = processor_seconds();
    for _ in 0..steps {
        let start = Instant::now();
        if let Err(failure) = solid.predict(&step) {
            eprintln!("{failure}");
        }
        solid.commit_motion(&step);
        fastest = fastest.min(start.elapsed().as_secs_f64());
    }
    let busy = processor_seconds().zip(before).map_or(f64::NAN, |(after, before)| after - before);
    (fastest, busy / steps as f64)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for (cells, steps) in [([26, 26, 25], 400), ([55, 55, 55], 50)] {
        let start = Instant::now();
        let mut solid = solid(cells, 0.0, Vec3::new(0.0, 1.0, 0.2))?;
        let made = start.elapsed().as_secs_f64();
        let elements = solid.mesh().element_count() as f64;
        let cost = elastic_step_cost(&solid);
        println!(
            "{elements} tetrahedra: made in {made:.2} s, {:.0} bytes each; a step takes {:.0} flops and {:.0} bytes each",
            solid.bytes() as f64 / elements,
            cost.flops_per_element,
            cost.bytes_per_element
        );
        let mut single = 0.0;
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
            let (time, busy) = pool.install(|| seconds_per_step(&mut solid, steps));
            if threads == 1 {
                single = time;
                println!("  one thread: {:.1} ns each of processor time", busy / elements * 1e9);
            }
            println!(
                "  {threads} thread(s): {:6.1} M element-steps/s, {:5.1} ns each, {:5.1} GFlop/s, {:5.1} GB/s, {:.2} times one",
                elements / time * 1e-6,
                time / elements * 1e9,
                cost.flops_per_element * elements / time * 1e-9,
                cost.bytes_per_element * elements / time * 1e-9,
                single / time
            );
        }
    }
    let mut sleeper = solid([26, 26, 25], 1e-6, Vec3::zeros())?;
    let step = Step { time: 0.0, time_step: 1e-5, gravity: Vec3::new(0.0, -9.81, 0.0), loads: &[], contacts: &[] };
    let (start, count) = (Instant::now(), 100_000);
    for _ in 0..count {
        sleeper.predict(&step)?;
        sleeper.collision_geometry();
        sleeper.check()?;
        sleeper.commit_motion(&step);
    }
    println!(
        "rigid-body mode of 101400 tetrahedra: {:.2} µs a step",
        start.elapsed().as_secs_f64() / f64::from(count) * 1e6
    );
    Ok(())
}
