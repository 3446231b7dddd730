//! Size and speed of the native file of a large frame: `cargo run --release -p craze-frame
//! --example file_speed`.
//!
//! The frame is a deformed block of about 200,000 tetrahedra with noise in the last digits, as in a
//! simulation.

use std::time::Instant;

use craze_frame::{BodyFrame, Data, Frame, Piece, Pose, Surface, Volume, decode_frame, encode_frame, hash64, names};
use craze_math::{Random, Vec3};

/// Cells along the edges of the block.
const CELLS: [usize; 3] = [40, 40, 25];

fn node(x: usize, y: usize, z: usize) -> u32 {
    ((z * (CELLS[1] + 1) + y) * (CELLS[0] + 1) + x) as u32
}

fn large_frame() -> Frame {
    let mut noise = Random::new(0);
    let mut positions = Vec::new();
    let mut velocities = Vec::new();
    for z in 0..=CELLS[2] {
        for y in 0..=CELLS[1] {
            for x in 0..=CELLS[0] {
                let rest = Vec3::new(x as f64, y as f64, z as f64) * 0.005;
                positions.push(rest + Vec3::new(0.0, 0.01 * (20.0 * rest.x).sin(), 0.0) + 1e-4 * noise.vector());
                velocities.push(Vec3::new(0.0, -3.0 + rest.x, 0.0) + 0.01 * noise.vector());
            }
        }
    }
    let mut tetrahedra = Vec::new();
    let mut triangles = Vec::new();
    for z in 0..CELLS[2] {
        for y in 0..CELLS[1] {
            for x in 0..CELLS[0] {
                let [a, b, c, d] = [node(x, y, z), node(x + 1, y, z), node(x, y + 1, z), node(x + 1, y + 1, z)];
                let [e, f, g, h] =
                    [node(x, y, z + 1), node(x + 1, y, z + 1), node(x, y + 1, z + 1), node(x + 1, y + 1, z + 1)];
                tetrahedra.extend([[a, b, c, e], [b, d, c, h], [b, f, e, h], [c, e, g, h], [b, c, e, h]]);
                if z == 0 {
                    triangles.extend([[a, c, b], [b, c, d]]);
                }
                if z + 1 == CELLS[2] {
                    triangles.extend([[e, f, g], [f, h, g]]);
                }
            }
        }
    }
    let mut surface = Surface { positions: positions.clone(), triangles, ..Surface::default() };
    surface.vertex_attributes.set(names::VELOCITY, Data::Vector(velocities.clone()));
    surface.face_attributes.set(names::PIECE, Data::Index(vec![0; surface.triangles.len()]));
    surface.face_attributes.set(names::CRACK, Data::Index(vec![0; surface.triangles.len()]));
    let mut volume = Volume { positions, tetrahedra, ..Volume::default() };
    volume.node_attributes.set(names::VELOCITY, Data::Vector(velocities));
    let stress = volume.tetrahedra.iter().map(|_| 1e6 * noise.signed()).collect();
    volume.cell_attributes.set(names::STRESS, Data::Scalar(stress));
    volume.cell_attributes.set(names::PIECE, Data::Index(vec![0; volume.tetrahedra.len()]));
    let body = BodyFrame {
        name: "block".into(),
        method: "solid".into(),
        materials: vec!["glass".into()],
        look: None,
        surface,
        volume: Some(volume),
        particles: None,
        pieces: vec![Piece { id: 0, volume: 0.005, mass: 12.5, parent: None, pose: Pose::default() }],
        ..BodyFrame::default()
    };
    Frame { number: 1, time: 0.04, bodies: vec![body], obstacles: Vec::new() }
}

/// Shortest time of some repetitions (s), and the last result.
fn shortest<Output>(mut work: impl FnMut() -> Output) -> (f64, Output) {
    let mut best = f64::INFINITY;
    let mut output = work();
    for _ in 0..7 {
        let start = Instant::now();
        output = work();
        best = best.min(start.elapsed().as_secs_f64());
    }
    (best, output)
}

fn main() {
    let frame = large_frame();
    let payload = postcard::to_stdvec(&frame).expect("a frame can be encoded");
    let megabytes = payload.len() as f64 / 1e6;
    let report =
        |what: &str, seconds: f64| println!("{what:<22} {:8.1} ms {:8.0} MB/s", 1e3 * seconds, megabytes / seconds);

    let (seconds, file) = shortest(|| encode_frame(&frame));
    println!("{} tetrahedra, {megabytes:.1} MB of numbers", frame.tetrahedron_count());
    println!("file {:.1} MB, {:.0} %", file.len() as f64 / 1e6, 100.0 * file.len() as f64 / payload.len() as f64);
    report("encode", seconds);
    let (seconds, decoded) = shortest(|| decode_frame(&file).expect("what was encoded can be decoded"));
    report("decode", seconds);
    assert_eq!(decoded, frame);
    report("hash of bytes", shortest(|| hash64(&payload)).0);
    report("hash of frame", shortest(|| frame.state_hash()).0);
    report("postcard only", shortest(|| postcard::to_stdvec(&frame)).0);
    report("postcard decode only", shortest(|| postcard::from_bytes::<Frame>(&payload)).0);
}
