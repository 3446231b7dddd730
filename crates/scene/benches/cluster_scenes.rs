//! Time of the steps of the built-in cluster scenes, whole frames without files and pictures:
//! `cargo bench -p craze-scene -- THREADS [NAME…]`.
//!
//! What counts is the time that the processor spent on this thread (Linux reports it), so that
//! other work on the machine disturbs it little; with two threads it is the time on the clock.
//! Steps of different scenes differ in length, so that times are also given per simulated second
//! and per published frame: Table 1 of Jones et al. 2016 is in milliseconds per frame, taken to be
//! 1/60 s of simulated time.

use craze_engine::Verdict;
use craze_scene::{SceneDocument, build};
use std::time::Instant;

/// The scenes, each with the total of its row in Table 1 of the paper (ms per frame, 2.4 GHz i5),
/// if it has one.
const SCENES: [(&str, Option<f64>); 9] = [
    ("dough-bar-tough", Some(7.0)),
    ("dough-bar", Some(9.0)),
    ("dough-plate-weak", None),
    ("dough-plate-strong", None),
    ("dough-plate-ductile", Some(27.0)),
    ("hollow-ball", None),
    ("broken-heart", Some(31.0)),
    ("torn-cheese", Some(39.0)),
    ("torn-figure", Some(24.0)),
];

/// Simulated time (s) of a published frame.
const FRAME: f64 = 1.0 / 60.0;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|text| text != "--bench").collect();
    let threads = arguments.first().and_then(|text| text.parse().ok()).unwrap_or(1);
    let is_chosen =
        |(name, _): &(&str, Option<f64>)| arguments.len() < 2 || arguments[1..].iter().any(|chosen| chosen == name);
    println!(
        "scene | nodes | clusters, start → end | pieces | steps | Δt (ms) | ms per step: mean | median | worst | \
         s per simulated s | ms per 1/60 s: mean | paper (ms per frame) | set-up (s) | frame with skin (ms)"
    );
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of threads");
    for (name, published) in SCENES.into_iter().filter(is_chosen) {
        pool.install(|| measure(name, published, threads));
    }
}

fn measure(name: &str, published: Option<f64>, threads: usize) {
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
    let (mut steps, mut spent) = (Vec::new(), 0.0);
    for _ in 0..frames {
        let (before, first) = (now(), world.counters.steps);
        world.advance_frame(&mut |_| Verdict::Continue).expect("a good frame");
        let time = now() - before;
        spent += time;
        steps.push(1e3 * time / (world.counters.steps - first) as f64);
    }
    let before = now();
    let frame = world.frame();
    let framing = 1e3 * (now() - before);
    let triangles: usize = frame.bodies.iter().map(|body| body.surface.triangles.len()).sum();
    let mean = steps.iter().sum::<f64>() / steps.len() as f64;
    let (simulated, count) = (world.time, world.counters.steps);
    let rate = spent / simulated;
    steps.sort_by(f64::total_cmp);
    let account = world.account();
    println!(
        "{name} | {} | {clusters} → {} | {} | {count} | {:.2} | {mean:.2} | {:.2} | {:.2} | {rate:.3} | {:.2} | {} | {set_up:.2} | {framing:.0} ({triangles} triangles)",
        account.nodes,
        account.elements,
        account.pieces,
        1e3 * simulated / count as f64,
        steps[steps.len() / 2],
        steps[steps.len() - 1],
        1e3 * rate * FRAME,
        published.map_or("–".to_owned(), |time| format!("{time}")),
    );
}

/// Time (s) that the processor has spent on this thread.
fn on_processor() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse::<f64>().ok().map(|nanoseconds| 1e-9 * nanoseconds)
}
