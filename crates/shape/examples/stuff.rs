//! Fills a model with tetrahedra and prints how well: `cargo run --release --example stuff -- MODEL [CELLS] [OUT.obj]`.
//!
//! CELLS is the size of the model over the edge length (40).

use std::io::Write;
use std::time::Instant;

use craze_math::Vec3;
use craze_shape::{Domain, Reading, StuffingOptions, SurfaceDomain, read_model, stuff, volume_of};
use craze_spatial::TriangleTree;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("which model?")?;
    let cells: f64 = arguments.next().map_or(Ok(40.0), |text| text.parse())?;
    let out = arguments.next();
    let model = read_model(path.as_ref(), &Reading::default())?;
    let (domain, findings) = SurfaceDomain::new(&model.surface)?;
    let surface = domain.surface();
    println!("closed: {}, volume {:?}", findings.closed, findings.volume);
    let edge = domain.bounds().size().max() / cells;
    let start = Instant::now();
    let stuffing = stuff(&domain, &StuffingOptions::with_edge(edge))?;
    let seconds = start.elapsed().as_secs_f64();
    let report = &stuffing.report;
    println!(
        "{} tetrahedra in {seconds:.2} s: {:.2} million a minute",
        report.tetrahedra,
        report.tetrahedra as f64 / seconds * 60e-6
    );
    println!("{report:?}");
    println!("surface edge over asked edge: {:.3}", report.surface_edge / edge);
    let mesh = &stuffing.mesh;
    let volume = mesh.total_measure();
    println!(
        "volume {volume:.6}, of the model {:.6} ({:+.3} %)",
        volume_of(&domain),
        100.0 * (volume / volume_of(&domain) - 1.0)
    );
    println!("pieces: {}", mesh.pieces().count);
    let boundary = mesh.boundary();
    let triangles: Vec<[u32; 3]> = boundary.triangles.iter().map(|t| t.map(|node| node.0)).collect();
    let meshed = TriangleTree::new(mesh.positions(), &triangles)?;
    let given = TriangleTree::new(&surface.positions, &surface.triangles)?;
    let out_distance = farthest(mesh.positions(), &triangles, &given, edge);
    let back_distance = farthest(&surface.positions, &surface.triangles, &meshed, edge);
    println!("distance mesh to model {:.3} edges at {:?}", out_distance.0 / edge, out_distance.1.as_slice());
    println!("distance model to mesh {:.3} edges at {:?}", back_distance.0 / edge, back_distance.1.as_slice());
    if let Some(out) = out {
        let mut file = std::io::BufWriter::new(std::fs::File::create(out)?);
        for position in mesh.positions() {
            writeln!(file, "v {} {} {}", position.x, position.y, position.z)?;
        }
        for triangle in &triangles {
            writeln!(file, "f {} {} {}", triangle[0] + 1, triangle[1] + 1, triangle[2] + 1)?;
        }
    }
    Ok(())
}

/// The farthest that samples of the triangles (corners, middles and more) are from the other surface (m), and where.
fn farthest(positions: &[Vec3], triangles: &[[u32; 3]], from: &TriangleTree, edge: f64) -> (f64, Vec3) {
    let mut worst = (0.0, Vec3::zeros());
    for triangle in triangles {
        let [a, b, c] = triangle.map(|point| positions[point as usize]);
        let longest = (b - a).norm().max((c - a).norm()).max((c - b).norm());
        let steps = ((longest / edge * 6.0).ceil() as i32).clamp(4, 400);
        for i in 0..=steps {
            for j in 0..=steps - i {
                let sample =
                    a + (b - a) * (f64::from(i) / f64::from(steps)) + (c - a) * (f64::from(j) / f64::from(steps));
                let distance = from.closest(&sample).map_or(0.0, |closest| closest.distance_squared.sqrt());
                if distance > worst.0 {
                    worst = (distance, sample);
                }
            }
        }
    }
    worst
}
