//! Times the search for contacts on a crumpled sheet of more and more triangles, on one thread and
//! on two.
//!
//! ```text
//! cargo run --release -p craze-contact --example crumple [TRIANGLES…]
//! ```
//!
//! The sheet is folded like an accordion, sixteen edges a fold, the layers as far apart as an edge
//! is long, all of it shaken, and half of its points move by a tenth of an edge in the step: the
//! neighbourhood of a point is the same for every size. Other work on the machine can only slow
//! things down, so of several rounds the best counts.

use craze_contact::collisions::features::{CollisionMesh, Detection, find_collisions};
use craze_contact::{Candidates, ContactMaterial, ContactSurface, ContactTriangles, SurfacePoint, SurfaceTree};
use craze_math::{Random, Vec3};
use craze_spatial::{Aabb, Bvh};
use std::time::Instant;

/// Edges a fold.
const FOLD: usize = 16;

/// Rounds of which the best counts.
const ROUNDS: usize = 7;

struct Sheet {
    edge: f64,
    surface: ContactSurface,
    triangles: Vec<[u32; 3]>,
}

fn crumpled(count: usize) -> Sheet {
    let cells = ((count as f64 / 2.0).sqrt().round() as usize).max(1);
    let edge = 1.0 / cells as f64;
    let mut random = Random::new(7);
    let mut shake = |size: f64| {
        let mut number = || 2.0 * random.number() - 1.0;
        size * edge * Vec3::new(number(), number(), number())
    };
    let mut points = Vec::with_capacity((cells + 1) * (cells + 1));
    for k in 0..=cells {
        for i in 0..=cells {
            let (fold, along) = (i / FOLD, i % FOLD);
            let across = if fold % 2 == 0 { along } else { FOLD - along };
            let height = fold as f64 + along as f64 / FOLD as f64;
            let start = edge * Vec3::new(across as f64, height, k as f64) + shake(0.2);
            let velocity = if (i + k) % 2 == 0 { shake(0.1) } else { Vec3::zeros() };
            let dof = points.len() as u32;
            let end = start + velocity;
            points.push(SurfacePoint {
                dof,
                start,
                start_velocity: velocity,
                end,
                velocity,
                inverse_mass: 1.0,
                radius: 0.0,
            });
        }
    }
    let corner = |i: usize, k: usize| (k * (cells + 1) + i) as u32;
    let triangles = (0..cells * cells).flat_map(|cell| {
        let (i, k) = (cell % cells, cell / cells);
        let [a, b, c, d] = [corner(i, k), corner(i + 1, k), corner(i + 1, k + 1), corner(i, k + 1)];
        [[a, c, b], [a, d, c]]
    });
    Sheet { edge, surface: ContactSurface { points, ..ContactSurface::default() }, triangles: triangles.collect() }
}

/// Seconds of the best round.
fn best(mut work: impl FnMut()) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        work();
        least = least.min(start.elapsed().as_secs_f64());
    }
    least
}

/// Nanoseconds a triangle of each stage.
struct Times {
    build: f64,
    follow: f64,
    candidates: f64,
    meetings: f64,
    /// A node.
    refit: f64,
    /// Candidates and meetings a triangle.
    found: [f64; 2],
}

fn measure(sheet: &Sheet) -> Times {
    let Sheet { edge, surface, triangles } = sheet;
    let shown = ContactTriangles { version: 1, triangles, ..ContactTriangles::default() };
    let (skin, margin) = (0.05 * edge, 0.25 * edge);
    let each = 1e9 / triangles.len() as f64;
    let bounds = |way: f64| -> Vec<Aabb> {
        let place = |corner: &u32| {
            let point = &surface.points[*corner as usize];
            point.start + way * point.velocity
        };
        triangles.iter().map(|corners| Aabb::from_points(&corners.each_ref().map(place))).collect()
    };
    let (boxes, moved) = (bounds(0.0), bounds(1.0));
    let mut tree = Bvh::build(&boxes).expect("sound boxes");
    let build = best(|| tree = Bvh::build(&boxes).expect("sound boxes")) * each;
    let refit = best(|| tree.refit(&moved).expect("sound boxes")) * 1e9 / tree.node_count() as f64;

    let mut surface_tree = SurfaceTree::default();
    surface_tree.follow(&shown, surface.points.len());
    let mut refresh = || surface_tree.refresh(&surface.points, skin, margin).expect("sound points");
    refresh();
    let follow = best(refresh) * each;
    let mut candidates = Candidates::default();
    let searching = best(|| candidates.within(&surface_tree)) * each;
    let participant = CollisionMesh { surface, tree: &surface_tree, is_closed: false, skin };
    let mut found = Vec::new();
    let meetings = best(|| {
        found.clear();
        let (meshes, material) = ([&participant, &participant], ContactMaterial::default());
        find_collisions(meshes, &candidates, 0.35 * edge, Detection::Proximity, material, &mut found);
    }) * each;
    let share = |count: usize| count as f64 / triangles.len() as f64;
    let pairs = candidates.point_triangle.len() + candidates.edge_edge.len();
    Times { build, follow, candidates: searching, meetings, refit, found: [share(pairs), share(found.len())] }
}

fn main() {
    let asked: Vec<usize> = std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    let sizes = if asked.is_empty() { vec![1000, 10_000, 100_000, 1_000_000] } else { asked };
    println!("nanoseconds a triangle, of refit a node");
    println!("triangles threads  build follow candidates meetings  refit  (candidates, meetings a triangle)");
    for size in sizes {
        let sheet = crumpled(size);
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            let Times { build, follow, candidates, meetings, refit, found: [near, met] } =
                pool.install(|| measure(&sheet));
            println!(
                "{:>9} {threads:>7} {build:>6.0} {follow:>6.0} {candidates:>10.0} {meetings:>8.0} {refit:>6.1}  ({near:.1}, {met:.2})",
                sheet.triangles.len()
            );
        }
    }
}
