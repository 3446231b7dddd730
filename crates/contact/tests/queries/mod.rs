//! Seeded pairs of moving primitives of every kind that has ever troubled a collision test.

use craze_math::Random;
use craze_math::{Rotation, Vec3};

/// A point in the cube [-1, 1]³.
pub fn point(random: &mut Random) -> Vec3 {
    Vec3::new(random.signed(), random.signed(), random.signed())
}

/// Ten to a power between −`decades` and 0.
fn small(random: &mut Random, decades: f64) -> f64 {
    10f64.powf(-decades * random.number())
}

/// What a query looks like.
pub const KINDS: [&str; 14] = [
    "random",
    "hitting",
    "near-coplanar",
    "in one plane",
    "parallel edges",
    "degenerate",
    "shared vertex",
    "grazing",
    "tiny",
    "huge",
    "thin sheet",
    "fast",
    "turning together",
    "at rest",
];

/// Point and triangle, or two edges: which four vertices belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pair {
    PointTriangle,
    EdgeEdge,
}

/// Four vertices at the start and at the end of a step, and the separation that counts as contact
/// (m).
#[derive(Clone, Copy, Debug)]
pub struct Query {
    pub pair: Pair,
    pub kind: usize,
    pub start: [Vec3; 4],
    pub end: [Vec3; 4],
    pub separation: f64,
}

/// The query with this number.
pub fn query(number: u64) -> Query {
    let random = &mut Random::new(number.wrapping_mul(0xd134_2543_de82_ef95));
    let kind = (number / 2) as usize % KINDS.len();
    let pair = if number.is_multiple_of(2) { Pair::PointTriangle } else { Pair::EdgeEdge };
    let separation = if random.number() < 0.25 { 10f64.powf(-1.0 - 5.0 * random.number()) } else { 0.0 };
    let mut query = Query { pair, kind, separation, start: [Vec3::zeros(); 4], end: [Vec3::zeros(); 4] };
    match KINDS[kind] {
        "random" => random_motion(&mut query, random),
        "hitting" => hitting(&mut query, random, 1.0),
        "near-coplanar" => {
            random_motion(&mut query, random);
            let flat = small(random, 16.0);
            squash(&mut query, random, flat);
        }
        "in one plane" => {
            hitting(&mut query, random, 1.0);
            for vertex in query.start.iter_mut().chain(&mut query.end) {
                vertex.z = 0.25;
            }
        }
        "parallel edges" => parallel(&mut query, random),
        "degenerate" => degenerate(&mut query, random),
        "shared vertex" => {
            random_motion(&mut query, random);
            let (one, other) = if pair == Pair::PointTriangle { (0, 1) } else { (0, 2) };
            let apart = small(random, 12.0) * 1e-3;
            query.start[one] = query.start[other] + point(random) * apart;
            query.end[one] = query.end[other] + point(random) * apart;
        }
        "grazing" => grazing(&mut query, random),
        "tiny" => {
            hitting(&mut query, random, 1.0);
            let centre = point(random) * small(random, 9.0) * 10.0;
            scale(&mut query, 1e-9, &centre);
        }
        "huge" => {
            hitting(&mut query, random, 1.0);
            let centre = point(random) * 1e7;
            scale(&mut query, 1e6, &centre);
        }
        "thin sheet" => thin_sheet(&mut query, random),
        "fast" => {
            let speed = 1.0 / small(random, 5.0);
            hitting(&mut query, random, speed);
        }
        "turning together" => turning(&mut query, random),
        _ => {
            hitting(&mut query, random, 0.0);
            let time = random.number();
            query.start = std::array::from_fn(|i| query.start[i] * (1.0 - time) + query.end[i] * time);
            query.end = query.start;
        }
    }
    query
}

fn random_motion(query: &mut Query, random: &mut Random) {
    let distance = small(random, 2.0);
    query.start = std::array::from_fn(|_| point(random));
    let common = point(random);
    query.end = query.start.map(|vertex| vertex + (common + point(random) * 0.5) * distance);
}

/// Weights of a pair of points, one on each primitive, that add up to nothing.
fn meeting_weights(pair: Pair, random: &mut Random) -> [f64; 4] {
    let (mut u, mut v) = (random.number(), random.number());
    match pair {
        Pair::PointTriangle => {
            if u + v > 1.0 {
                (u, v) = (1.0 - u, 1.0 - v);
            }
            [1.0, -(1.0 - u - v), -u, -v]
        }
        Pair::EdgeEdge => [1.0 - u, u, -(1.0 - v), -v],
    }
}

/// Two primitives that meet, or miss each other by little, at some time.
fn hitting(query: &mut Query, random: &mut Random, speed: f64) {
    hitting_shapes(query, random, speed, |_, _, _| {});
}

/// The same with shapes of their own: `shape` changes places and, in the same way, velocities
/// before the two are brought together.
fn hitting_shapes(
    query: &mut Query,
    random: &mut Random,
    speed: f64,
    shape: impl Fn(&mut [Vec3; 4], &mut Random, f64),
) {
    let weights = meeting_weights(query.pair, random);
    let mut middle: [Vec3; 4] = std::array::from_fn(|_| point(random));
    let mut velocities: [Vec3; 4] = std::array::from_fn(|_| point(random) * 0.5);
    let choice = random.number();
    shape(&mut middle, random, choice);
    shape(&mut velocities, random, choice);
    let off: Vec3 = (0..4).map(|i| middle[i] * weights[i]).sum();
    let first = if query.pair == Pair::PointTriangle { 1 } else { 2 };
    let miss = if random.number() < 0.5 { Vec3::zeros() } else { point(random) * small(random, 8.0) };
    let share = random.number();
    let common = point(random) * speed;
    for i in 0..4 {
        let (place, velocity) = match i < first {
            true => (middle[i] - off - miss, velocities[i] + common),
            false => (middle[i], velocities[i] - common),
        };
        query.start[i] = place - velocity * share;
        query.end[i] = place + velocity * (1.0 - share);
    }
}

fn squash(query: &mut Query, random: &mut Random, height: f64) {
    let normal = point(random).normalize();
    for vertex in query.start.iter_mut().chain(&mut query.end) {
        *vertex -= normal * (normal.dot(vertex) * (1.0 - height));
    }
}

fn parallel(query: &mut Query, random: &mut Random) {
    let noise = if random.number() < 0.3 { 0.0 } else { small(random, 16.0) };
    hitting_shapes(query, random, 1.0, |vertices, random, choice| {
        vertices[3] = vertices[2] + (vertices[1] - vertices[0]) * (choice * 4.0 - 2.0) + point(random) * noise;
    });
}

fn degenerate(query: &mut Query, random: &mut Random) {
    let height = if random.number() < 0.5 { 0.0 } else { small(random, 14.0) };
    let pair = query.pair;
    hitting_shapes(query, random, 1.0, |vertices, random, choice| {
        let lift = point(random) * height;
        match (pair, (choice * 6.0) as u32) {
            (Pair::PointTriangle, 0) => (vertices[2], vertices[3]) = (vertices[1], vertices[1] + lift),
            (Pair::PointTriangle, 1) => vertices[3] = vertices[2] + lift,
            (Pair::PointTriangle, _) => vertices[3] = vertices[1] + (vertices[2] - vertices[1]) * choice + lift,
            (Pair::EdgeEdge, 0) => (vertices[1], vertices[3]) = (vertices[0], vertices[2] + lift),
            (Pair::EdgeEdge, 1) => vertices[1] = vertices[0] + lift,
            (Pair::EdgeEdge, _) => vertices[3] = vertices[2] + lift,
        }
    });
}

/// One primitive glides past the other at a small distance, or along its rim.
fn grazing(query: &mut Query, random: &mut Random) {
    query.start = std::array::from_fn(|_| point(random));
    let [a, b, c, d] = query.start;
    let (normal, first) = match query.pair {
        Pair::PointTriangle => ((c - b).cross(&(d - b)).normalize(), 1),
        Pair::EdgeEdge => ((b - a).cross(&(d - c)).normalize(), 2),
    };
    let weights = meeting_weights(query.pair, random);
    let off: Vec3 = (0..4).map(|i| query.start[i] * weights[i]).sum();
    let gap = if random.number() < 0.2 { 0.0 } else { small(random, 9.0) * 0.1 };
    let mut way = point(random);
    way -= normal * normal.dot(&way);
    let bend = small(random, 12.0);
    for i in 0..4 {
        query.end[i] = query.start[i] + point(random) * bend * 0.1;
    }
    for i in 0..first {
        let place = query.start[i] - off + normal * (gap + query.separation);
        query.start[i] = place - way;
        query.end[i] = place + way + point(random) * bend * 0.1;
    }
}

fn scale(query: &mut Query, factor: f64, centre: &Vec3) {
    for vertex in query.start.iter_mut().chain(&mut query.end) {
        *vertex = *vertex * factor + centre;
    }
    query.separation *= factor;
}

/// A large triangle or edge of a sheet, and something that goes through it (or its thickness) at
/// once.
fn thin_sheet(query: &mut Query, random: &mut Random) {
    hitting(query, random, 1.0);
    query.separation = 1e-4;
    let first = if query.pair == Pair::PointTriangle { 1 } else { 2 };
    for i in first..4 {
        query.start[i].y = 0.0;
        query.end[i].y = small(random, 6.0) * 1e-3;
    }
    for i in 0..first {
        query.start[i].y = random.number() * 0.5;
        query.end[i].y = query.start[i].y - random.number();
    }
}

/// Both turn and move as one rigid body (as far as straight paths can), close to each other.
fn turning(query: &mut Query, random: &mut Random) {
    query.start = std::array::from_fn(|_| point(random));
    let weights = meeting_weights(query.pair, random);
    let off: Vec3 = (0..4).map(|i| query.start[i] * weights[i]).sum();
    let gap = off * small(random, 9.0) + off * query.separation;
    let first = if query.pair == Pair::PointTriangle { 1 } else { 2 };
    for vertex in &mut query.start[..first] {
        *vertex += gap - off;
    }
    let turn = Rotation::new(point(random) * small(random, 3.0));
    let shift = point(random) * 10.0;
    query.end = query.start.map(|vertex| turn * vertex + shift);
}
