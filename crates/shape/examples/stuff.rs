//! Meshes shapes and models and prints a table of quality measures:
//! `cargo run --release -p craze-shape --example stuff -- [CELLS] [SHAPE or FILE …] [--out OBJ]`
//!
//! CELLS is the size over the edge length (40). Without names all built-in shapes are meshed.

use std::io::Write;
use std::time::Instant;

use craze_math::Vec3;
use craze_mesh::TetMesh;
use craze_shape::{
    Domain, ModelPlacement, Shape, StuffingOptions, SurfaceDomain, TriangleSurface, estimate, read_model, stuff,
    volume_of,
};
use craze_spatial::TriangleTree;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    let out =
        names.iter().position(|name| name == "--out").map(|place| names.drain(place..).nth(1).unwrap_or_default());
    let mut cells = 40.0;
    if let Some(found) = names.first().and_then(|name| name.parse().ok()) {
        cells = found;
        names.remove(0);
    }
    if names.is_empty() {
        names = Shape::all().iter().map(|shape| shape.name().to_owned()).collect();
    }
    println!(
        "model          tetrahedra     s  M/min  dihedral      snapped        volume  distances     cut off  thin      bad split  pieces estimate lowest"
    );
    for name in names {
        if let Some(shape) = Shape::all().iter().find(|shape| shape.name() == name) {
            let field = shape.built_in().map_err(|_| "a model")?.field();
            // The nodes of a mesh three times as fine represent the surface with its creases.
            let edge = field.bounds().size().max() / cells;
            let fine = stuff(&field, &StuffingOptions::with_edge(edge / 3.0))?.mesh;
            let samples: Vec<Vec3> =
                fine.boundary().triangles.iter().flatten().map(|&node| fine.position(node)).collect();
            row(&name, &field, cells, &samples, &|point| field.distance(point).abs(), out.as_deref())?;
        } else {
            let model = read_model(name.as_ref(), &ModelPlacement::default())?;
            let (domain, findings) = SurfaceDomain::new(&model.surface)?;
            let mut surface = domain.surface().clone();
            if !findings.closed {
                // For an open model, a finer mesh represents the surface that the winding number
                // defines.
                let edge = domain.bounds().size().max() / cells / 3.0;
                surface = TriangleSurface::around(&stuff(&domain, &StuffingOptions::with_edge(edge))?.mesh);
            }
            let given = TriangleTree::new(&surface.positions, &surface.triangles)?;
            let edge = domain.bounds().size().max() / cells;
            let samples = samples(&surface.positions, &surface.triangles, edge);
            let distance = |point: &Vec3| given.closest(point).map_or(0.0, |closest| closest.distance_squared.sqrt());
            row(&name, &domain, cells, &samples, &distance, out.as_deref())?;
        }
    }
    Ok(())
}

/// Prints one row of the table.
fn row(
    name: &str,
    domain: &dyn Domain,
    cells: f64,
    surface: &[Vec3],
    distance: &dyn Fn(&Vec3) -> f64,
    out: Option<&str>,
) -> Result<(), Failure> {
    let edge = domain.bounds().size().max() / cells;
    let start = Instant::now();
    let stuffing = stuff(domain, &StuffingOptions::with_edge(edge))?;
    let seconds = start.elapsed().as_secs_f64();
    let peak = peak_memory();
    let (mesh, report) = (&stuffing.mesh, &stuffing.report);
    let triangles: Vec<[u32; 3]> = mesh.boundary().triangles.iter().map(|t| t.map(|node| node.0)).collect();
    let meshed = TriangleTree::new(mesh.positions(), &triangles)?;
    let out_distance = largest_distance(&samples(mesh.positions(), &triangles, edge), distance);
    let back_distance = largest_distance(surface, &|point| {
        meshed.closest(point).map_or(0.0, |closest| closest.distance_squared.sqrt())
    });
    println!(
        "{:14} {:10} {seconds:5.1} {:6.2}  {:4.1}–{:5.1}  {:6} {:4.1}–{:5.1} {:+6.2} %  {:.3}  {:.3}  {:4}/{:4}  {}→{}/{} {:4} {:4} {:4}  {:.2}  {:.3}",
        name.rsplit('/').next().unwrap_or(name),
        report.tetrahedra,
        report.tetrahedra as f64 / seconds * 60e-6,
        report.dihedral.smallest,
        report.dihedral.largest,
        report.snapped,
        report.snapped_dihedral.smallest,
        report.snapped_dihedral.largest,
        100.0 * (mesh.total_measure() / volume_of(domain) - 1.0),
        out_distance.0 / edge,
        back_distance.0 / edge,
        report.features.edges_cut_off,
        report.features.corners_missed,
        report.thin.under_resolved,
        report.thin.unresolved,
        report.thin.halvings,
        report.bad_angles,
        report.separated,
        mesh.pieces().count,
        estimate(domain, &StuffingOptions::with_edge(edge))?.tetrahedra / report.tetrahedra as f64,
        report.smallest_height / edge,
    );
    if std::env::var_os("WHERE").is_some() {
        println!("    {:?} {:?} {:?}", out_distance.1.as_slice(), back_distance.1.as_slice(), report.thin.thinnest);
    }
    if let Some(peak) = peak {
        println!(
            "    at most {:.0} MB in use so far, {:.0} bytes for each of these tetrahedra",
            peak / 1e6,
            peak / report.tetrahedra as f64
        );
    }
    if let Some(out) = out {
        write(out, mesh, &triangles)?;
    }
    Ok(())
}

/// Peak memory (bytes) of the process, on Linux if MEMORY is set. It includes all previous rows, so
/// mesh one model at a time.
fn peak_memory() -> Option<f64> {
    std::env::var_os("MEMORY")?;
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(1024.0 * line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok()?)
}

/// A grid of sample points on the triangles.
fn samples(positions: &[Vec3], triangles: &[[u32; 3]], edge: f64) -> Vec<Vec3> {
    let mut found = Vec::new();
    for triangle in triangles {
        let [a, b, c] = triangle.map(|point| positions[point as usize]);
        let longest = (b - a).norm().max((c - a).norm()).max((c - b).norm());
        let steps = ((longest / edge * 6.0).ceil() as i32).clamp(4, 400);
        for i in 0..=steps {
            for j in 0..=steps - i {
                found.push(
                    a + (b - a) * (f64::from(i) / f64::from(steps)) + (c - a) * (f64::from(j) / f64::from(steps)),
                );
            }
        }
    }
    found
}

/// The largest distance (m) and its position.
fn largest_distance(samples: &[Vec3], distance: &dyn Fn(&Vec3) -> f64) -> (f64, Vec3) {
    let farther = |worst: (f64, Vec3), sample: &Vec3| {
        let distance = distance(sample);
        if distance > worst.0 { (distance, *sample) } else { worst }
    };
    samples.iter().fold((0.0, Vec3::zeros()), farther)
}

fn write(out: &str, mesh: &TetMesh, triangles: &[[u32; 3]]) -> std::io::Result<()> {
    let mut file = std::io::BufWriter::new(std::fs::File::create(out)?);
    for position in mesh.positions() {
        writeln!(file, "v {} {} {}", position.x, position.y, position.z)?;
    }
    for triangle in triangles {
        writeln!(file, "f {} {} {}", triangle[0] + 1, triangle[1] + 1, triangle[2] + 1)?;
    }
    Ok(())
}
