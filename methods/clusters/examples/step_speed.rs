//! Time of a step by particle, elastic and in flight, on one thread and on two.

use craze_clusters::{Cloud, Clusters, Options};
use craze_engine::{Method, Step};
use craze_material::{Elasticity, Material};
use craze_math::{Isometry, Vec3};
use std::time::Instant;

fn main() {
    let material = Material::elastic("dough", 1000.0, Elasticity::from_young(1e6, 0.3));
    let step =
        Step { time: 0.0, time_step: 1.0 / 60.0, gravity: Vec3::new(0.0, -9.81, 0.0), loads: &[], contacts: &[] };
    println!("particles  threads  mode      ns a particle  steps a second");
    for side in [10usize, 27, 63] {
        for threads in [1, 2] {
            for (mode, rest_strain) in [("elastic", None), ("flight", Some(1e-4))] {
                let places = (0..side.pow(3))
                    .map(|n| Vec3::new((n % side) as f64, (n / side % side) as f64, (n / side / side) as f64));
                let positions: Vec<Vec3> = places.map(|place| 0.01 * place).collect();
                let count = positions.len();
                let cloud = Cloud { volumes: vec![1e-6; count], positions, spacing: 0.01 };
                let (place, still) = (Isometry::identity(), Vec3::zeros());
                let options = Options { rest_strain, ..Options::default() };
                let mut body =
                    Clusters::new(cloud, &material, options, &place, still, still).expect("a block is a sound body");
                let pool =
                    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
                let steps = 10_000_000 / count;
                let seconds = pool.install(|| {
                    let clock = Instant::now();
                    for _ in 0..steps {
                        body.predict(&step).expect("a good step");
                        body.commit(&step);
                    }
                    clock.elapsed().as_secs_f64()
                });
                let by_step = seconds / steps as f64;
                println!(
                    "{count:9}  {threads:7}  {mode:8}  {:13.2}  {:14.0}",
                    1e9 * by_step / count as f64,
                    1.0 / by_step
                );
            }
        }
    }
}
