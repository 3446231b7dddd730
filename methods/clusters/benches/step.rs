//! Time of a step of clusters at the particle, cluster, membership and iteration counts of the
//! paper's scenes, on blocks.
//!
//! `cargo bench -p craze-clusters -- THREADS`

use craze_clusters::{Cloud, Clustering, Clusters, Options};
use craze_engine::{CommitLog, Method, Step};
use craze_material::{Elasticity, Material};
use craze_math::{Isometry, Vec3};
use std::time::Instant;

fn main() {
    let threads = std::env::args().skip(1).find_map(|text| text.parse().ok()).unwrap_or(1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of threads");
    pool.install(|| {
        println!("name | particles | clusters | memberships | clustering (ms) | step (ms) | ns a membership and pass");
        for (name, counts, clusters, overlap) in [
            ("twisted bar", [59, 10, 9], 50, 3.0),
            ("plate", [42, 42, 3], 63, 3.23),
            ("heart", [34, 34, 17], 100, 2.37),
            ("cheese", [37, 34, 20], 63, 5.3),
            ("torn figure", [34, 34, 17], 157, 18.03),
            ("250 000 particles", [63, 63, 63], 1250, 3.0),
        ] {
            measure(name, counts, clusters, overlap);
        }
    });
}

fn measure(name: &str, counts: [usize; 3], clusters: u32, overlap: f64) {
    let [nx, ny, nz] = counts;
    let place = |n: usize| 0.01 * Vec3::new((n % nx) as f64, (n / nx % ny) as f64, (n / nx / ny) as f64);
    let positions: Vec<Vec3> = (0..nx * ny * nz).map(place).collect();
    let cloud = Cloud { volumes: vec![1e-6; positions.len()], positions, spacing: 0.01 }.along_a_curve();
    let mut material = Material::elastic("dough", 1000.0, Elasticity::from_young(1e6, 0.3));
    material.cluster.yield_strain = Some(0.05);
    material.cluster.toughness = Some(1.5);
    let options = Options {
        rest_strain: None,
        clustering: Clustering::Count { count: clusters, overlap, seed: 1 },
        strain_limit: Some(0.5),
        ..Options::default()
    };
    let (at, still) = (Isometry::identity(), Vec3::zeros());
    let clock = Instant::now();
    let mut body = Clusters::new(cloud, &material, options, &at, still, still).expect("a body");
    let clustering = clock.elapsed().as_secs_f64();
    body.set_motion(|rest| (*rest, Vec3::new(0.3 * rest.y, -0.2 * rest.x, 0.1 * rest.x))).expect("a motion");
    let (mut best, mut log) = (f64::INFINITY, CommitLog::default());
    for index in 0..60 {
        let step =
            Step { time: f64::from(index) / 60.0, time_step: 1.0 / 60.0, gravity: still, loads: &[], contacts: &[] };
        let clock = Instant::now();
        body.predict(&step).expect("a good step");
        body.commit(&step, &mut log);
        best = best.min(clock.elapsed().as_secs_f64());
    }
    let memberships = body.membership_count();
    // Two passes over the memberships: fit and survey.
    println!(
        "{name} | {} | {} | {memberships} | {:.1} | {:.3} | {:.2}",
        body.count(),
        body.cluster_count(),
        1e3 * clustering,
        1e3 * best,
        1e9 * best / memberships as f64 / 2.0
    );
}
