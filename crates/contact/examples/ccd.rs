//! Continuous collision queries of every kind: written out for an independent judge, or timed.
//!
//! ```text
//! cargo run --release -p craze-contact --example ccd -- write FIRST COUNT > queries.bin
//! cargo run --release -p craze-contact --example ccd -- time
//! ```
//!
//! A record is 29 little-endian doubles: 0 for point and triangle or 1 for two edges, the kind's
//! number, the separation, four vertices at the start, four at the end, our time of impact (−1 for
//! none) and our distance at that time.

#[path = "../tests/queries/mod.rs"]
mod queries;

use craze_contact::{
    ccd::{self, Impact},
    distance,
};
use craze_math::{Vec3, overlap};
use queries::{KINDS, Pair, Query, query};
use std::hint::black_box;
use std::io::Write;
use std::time::Instant;

fn ask(query: &Query) -> Option<Impact> {
    match query.pair {
        Pair::PointTriangle => ccd::point_triangle(&query.start, &query.end, query.separation),
        Pair::EdgeEdge => ccd::edge_edge(&query.start, &query.end, query.separation),
    }
}

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |text: &String| text.parse::<u64>().ok();
    match &arguments[..] {
        [command, first, count] if command == "write" => match (number(first), number(count)) {
            (Some(first), Some(count)) => write(first, count),
            _ => usage(),
        },
        [command] if command == "kinds" => {
            println!("{}", KINDS.join("\n"));
            Ok(())
        }
        [command] if command == "time" => {
            time();
            Ok(())
        }
        _ => usage(),
    }
}

fn usage() -> std::io::Result<()> {
    eprintln!("usage: ccd write FIRST COUNT | ccd kinds | ccd time");
    std::process::exit(2);
}

fn write(first: u64, count: u64) -> std::io::Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for number in first..first + count {
        let query = query(number);
        let impact = ask(&query);
        let head = [f64::from(query.pair == Pair::EdgeEdge), query.kind as f64, query.separation];
        let vertices = query.start.iter().chain(&query.end).flat_map(|vertex| [vertex.x, vertex.y, vertex.z]);
        let answer = impact.map_or([-1.0, -1.0], |impact| [impact.time, impact.distance]);
        for value in head.into_iter().chain(vertices).chain(answer) {
            out.write_all(&value.to_le_bytes())?;
        }
    }
    out.flush()
}

/// Nanoseconds a call: the best of several rounds for each few hundred queries, since other work on
/// the machine can only make one slower.
fn best<T>(queries: &[Query], ask: impl Fn(&Query) -> T) -> f64 {
    let mut sum = 0.0;
    for few in queries.chunks(500) {
        let mut least = f64::INFINITY;
        for _ in 0..40 {
            let start = Instant::now();
            for query in few {
                black_box(ask(black_box(query)));
            }
            least = least.min(start.elapsed().as_secs_f64());
        }
        sum += least;
    }
    sum * 1e9 / queries.len() as f64
}

fn time() {
    println!("kind, pair: ns a query without impact, with impact (share of impacts)");
    for (kind, name) in KINDS.iter().enumerate() {
        for pair in [Pair::PointTriangle, Pair::EdgeEdge] {
            let all: Vec<Query> = (0..100_000).map(query).filter(|q| q.kind == kind && q.pair == pair).collect();
            let (hits, misses): (Vec<Query>, Vec<Query>) = all.iter().partition(|query| ask(query).is_some());
            let share = 100.0 * hits.len() as f64 / all.len() as f64;
            println!("{name:>17} {pair:?}: {:6.0} {:6.0} ({share:.0} %)", best(&misses, ask), best(&hits, ask));
        }
    }
    let all: Vec<Query> = (0..20_000).map(query).filter(|query| KINDS[query.kind] == "random").collect();
    let apart: Vec<Query> = all
        .iter()
        .map(|query| {
            let mut moved = *query;
            let first = if query.pair == Pair::PointTriangle { 1 } else { 2 };
            for vertex in moved.start[..first].iter_mut().chain(&mut moved.end[..first]) {
                vertex.x += 4.0;
            }
            moved
        })
        .collect();
    println!("boxes that do not meet: {:.1}", best(&apart, ask));
    println!(
        "distances, point and triangle: {:.1}",
        best(&all, |q| { distance::point_triangle(&q.start[0], &[q.start[1], q.start[2], q.start[3]]) })
    );
    println!(
        "distances, edges: {:.1}",
        best(&all, |q| { distance::edge_edge(&[q.start[0], q.start[1]], &[q.start[2], q.start[3]]) })
    );
    let tetrahedra: Vec<Query> =
        all.iter().filter(|q| overlap::tetrahedra(&q.start, &q.end).is_some()).copied().collect();
    println!("overlap of tetrahedra: {:.0}", best(&tetrahedra, |q| overlap::tetrahedra(&q.start, &q.end)));
    println!(
        "tetrahedra that are apart: {:.0}",
        best(&apart, |q| { overlap::tetrahedra(&q.start, &q.start.map(|vertex| vertex + Vec3::new(0.0, 3.0, 0.0))) })
    );
}
