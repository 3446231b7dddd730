//! Time of the steps of the built-in cluster scenes, whole frames without files and pictures: `cargo bench -p craze-scene -- THREADS [NAME…]`.
//!
//! What counts is the time that the processor spent on this thread (Linux tells it), so that other work on the machine disturbs it little; with
//! two threads it is the time on the clock.

use craze_engine::Verdict;
use craze_scene::{SceneDocument, build, registry};
use std::time::Instant;

const NAMES: [&str; 9] = [
    "dough-bar-tough",
    "dough-bar",
    "dough-plate-weak",
    "dough-plate-strong",
    "dough-plate-ductile",
    "hollow-ball",
    "broken-heart",
    "torn-cheese",
    "torn-figure",
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|text| text != "--bench").collect();
    let threads = arguments.first().and_then(|text| text.parse().ok()).unwrap_or(1);
    let is_chosen = |name: &&str| arguments.len() < 2 || arguments[1..].iter().any(|chosen| chosen == name);
    println!(
        "scene | nodes | clusters, start → end | pieces | steps | ms a step: mean | median | worst | set-up (s) | frame with skin (ms)"
    );
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of threads");
    for name in NAMES.into_iter().filter(is_chosen) {
        pool.install(|| measure(name, threads));
    }
}

fn measure(name: &str, threads: usize) {
    let begin = Instant::now();
    let now = || if threads == 1 { on_processor() } else { None }.unwrap_or_else(|| begin.elapsed().as_secs_f64());
    let start = now();
    let path = format!("{}/../../scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("a built-in scene");
    let document = SceneDocument::parse(&text, &path, &[]).expect("a sound scene");
    let mut world = build(&document).expect("a sound scene").world;
    let set_up = now() - start;
    let clusters = world.account().elements;
    let frames = (document.scene.world.duration * world.settings.frames_per_second).round() as u32;
    let (registry, mut steps) = (registry(), Vec::new());
    for _ in 0..frames {
        let (before, first) = (now(), world.counters.steps);
        world.advance_frame(&registry, &mut |_| Verdict::Continue).expect("a good frame");
        steps.push(1e3 * (now() - before) / (world.counters.steps - first) as f64);
    }
    let before = now();
    let frame = world.frame();
    let framing = 1e3 * (now() - before);
    let triangles: usize = frame.bodies.iter().map(|body| body.surface.triangles.len()).sum();
    let mean = steps.iter().sum::<f64>() / steps.len() as f64;
    steps.sort_by(f64::total_cmp);
    let account = world.account();
    println!(
        "{name} | {} | {clusters} → {} | {} | {} | {mean:.2} | {:.2} | {:.2} | {set_up:.2} | {framing:.0} ({triangles} triangles)",
        account.nodes,
        account.elements,
        account.pieces,
        world.counters.steps,
        steps[steps.len() / 2],
        steps[steps.len() - 1],
    );
}

/// Time (s) that the processor has spent on this thread.
fn on_processor() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse::<f64>().ok().map(|nanoseconds| 1e-9 * nanoseconds)
}
