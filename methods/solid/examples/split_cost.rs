//! Measures the cost of a split in a small and in a large body, and of a fracture check without
//! splits compared with an elastic step: `cargo run --release -p craze-solid --example split_cost`,
//! or one case with `split CELLS` or `look SHARE`.
//!
//! A corner is torn out of a cube; the same elements fail in all. Then a cube is stretched
//! uniformly to shares of its strength. One thread.

use craze_engine::{Method, Step};
use craze_material::{Elasticity, Material, Strength};
use craze_math::{Isometry, Vec3};
use craze_mesh::{Jitter, kuhn_box_jittered};
use craze_solid::{Solid, SolidOptions};
use std::time::Instant;

const EDGE: f64 = 0.01;
const STEPS: usize = 120;
const ROUNDS: usize = 5;

/// A cube with so many cells per side, one corner of which flies off.
fn torn(cells: usize) -> Result<Solid, Box<dyn std::error::Error>> {
    let mut material = Material::elastic("clay", 1013.0, Elasticity::from_lame(2.65e6, 3.97e6));
    material.strength = Strength { tensile: Some(3e4), ..Strength::default() };
    let mesh = kuhn_box_jittered([cells; 3], Vec3::repeat(cells as f64 * EDGE), Jitter { amount: 0.1, seed: 3 })?;
    let still = Vec3::zeros();
    let options = SolidOptions { rest_strain: 0.0, ..SolidOptions::default() };
    let mut solid = Solid::new(mesh, vec![material], options, Isometry::identity(), still, still)?;
    let places = solid.positions();
    let speed = |place: &Vec3| if place.norm() < 3.5 * EDGE { Vec3::repeat(-2.0) } else { Vec3::zeros() };
    let speeds: Vec<Vec3> = places.iter().map(speed).collect();
    solid.set_state(&places, &speeds);
    Ok(solid)
}

/// Time of every fracture check of a run (s), and its number of splits.
fn checks(cells: usize) -> Result<Vec<(f64, u64)>, Box<dyn std::error::Error>> {
    let mut solid = torn(cells)?;
    let mut looks = Vec::new();
    for _ in 0..STEPS {
        let time_step = solid.time_step_limit();
        let step = Step { time: 0.0, time_step, gravity: Vec3::zeros(), loads: &[], contacts: &[] };
        solid.predict(&step).map_err(|failure| failure.to_string())?;
        solid.commit_motion(&step);
        let splits = solid.account(&Vec3::zeros()).split_counts.splits;
        let start = Instant::now();
        solid.fracture(&step, &mut Vec::new());
        looks.push((start.elapsed().as_secs_f64(), solid.account(&Vec3::zeros()).split_counts.splits - splits));
    }
    Ok(looks)
}

/// Time of the fracture checks with splits and of one without (median; s), and the numbers of
/// splits and checks. All rounds do the same; of each check the fastest counts, since other work on
/// the machine only slows it down.
fn measure(cells: usize) -> Result<(f64, f64, u64, usize), Box<dyn std::error::Error>> {
    let mut best = checks(cells)?;
    for _ in 1..ROUNDS {
        for (best, again) in best.iter_mut().zip(checks(cells)?) {
            assert_eq!(best.1, again.1, "every round is the same");
            best.0 = best.0.min(again.0);
        }
    }
    let with: Vec<f64> = best.iter().filter(|look| look.1 > 0).map(|look| look.0).collect();
    let mut without: Vec<f64> = best.iter().filter(|look| look.1 == 0).map(|look| look.0).collect();
    without.sort_unstable_by(f64::total_cmp);
    let idle = without.get(without.len() / 2).copied().unwrap_or(0.0);
    Ok((with.iter().sum(), idle, best.iter().map(|look| look.1).sum(), with.len()))
}

/// Time (s; the best of many) of an elastic step and of the fracture check after it, in a cube that
/// is uniformly stretched to this share of its strength.
fn measure_check(cells: usize, share: f64) -> Result<[f64; 2], Box<dyn std::error::Error>> {
    let (young, strength) = (9.3e6, 3e4);
    let mut material = Material::elastic("clay", 1013.0, Elasticity::from_young(young, 0.0));
    material.strength = Strength { tensile: Some(strength), ..Strength::default() };
    let mesh = kuhn_box_jittered([cells; 3], Vec3::repeat(cells as f64 * EDGE), Jitter { amount: 0.1, seed: 3 })?;
    let still = Vec3::zeros();
    let options = SolidOptions { rest_strain: 0.0, ..SolidOptions::default() };
    let mut solid = Solid::new(mesh, vec![material], options, Isometry::identity(), still, still)?;
    let strain = share * strength / young;
    let places: Vec<Vec3> =
        solid.positions().iter().map(|place| place + strain * Vec3::new(place.x, 0.0, 0.0)).collect();
    let mut times: [Vec<f64>; 2] = Default::default();
    for _ in 0..40 {
        solid.set_state(&places, &vec![still; places.len()]);
        // So short that the stretch does not change.
        let time_step = 1e-6 * solid.time_step_limit();
        let step = Step { time: 0.0, time_step, gravity: still, loads: &[], contacts: &[] };
        let start = Instant::now();
        solid.predict(&step).map_err(|failure| failure.to_string())?;
        solid.commit_motion(&step);
        times[0].push(start.elapsed().as_secs_f64());
        let start = Instant::now();
        solid.fracture(&step, &mut Vec::new());
        times[1].push(start.elapsed().as_secs_f64());
    }
    assert_eq!(solid.account(&Vec3::zeros()).split_counts.splits, 0, "below its strength it stays whole");
    Ok(times.map(|mut list| {
        list.sort_unstable_by(f64::total_cmp);
        list[0]
    }))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut asked = std::env::args().skip(1);
    let (cells, shares): (Vec<usize>, Vec<f64>) = match (asked.next().as_deref(), asked.next()) {
        (Some("split"), Some(cells)) => (vec![cells.parse()?], Vec::new()),
        (Some("look"), Some(share)) => (Vec::new(), vec![share.parse()?]),
        _ => (vec![7, 15, 32], vec![0.0, 0.2, 0.5, 0.8]),
    };
    for cells in cells {
        let (with, idle, splits, looks) = pool.install(|| measure(cells).map_err(|error| error.to_string()))?;
        println!(
            "{} tetrahedra: {splits} splits at {looks} looks, {:.1} µs a split; a look at which nothing splits takes {:.1} µs",
            6 * cells.pow(3),
            1e6 * (with - looks as f64 * idle) / splits as f64,
            1e6 * idle,
        );
    }
    for share in shares {
        let [step, look] = pool.install(|| measure_check(26, share).map_err(|error| error.to_string()))?;
        println!(
            "{} tetrahedra at {share} of their strength: a look takes {:.2} of an elastic step of {:.0} µs",
            6 * 26usize.pow(3),
            look / step,
            1e6 * step
        );
    }
    Ok(())
}
