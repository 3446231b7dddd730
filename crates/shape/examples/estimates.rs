//! Compares estimated numbers of tetrahedra with the meshes:
//! `cargo run --release -p craze-shape --example estimates -- [CELLS …] [SHAPE or FILE …]`
//!
//! CELLS are sizes over the edge length (10, 20 and 40). Without names all built-in shapes are run.

use craze_shape::{
    Domain, ModelPlacement, Shape, StuffingOptions, SurfaceDomain, estimate, quick_estimate, read_model, stuff,
};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let (mut cells, mut names) = (Vec::new(), Vec::new());
    for argument in std::env::args().skip(1) {
        match argument.parse::<f64>() {
            Ok(count) => cells.push(count),
            Err(_) => names.push(argument),
        }
    }
    if cells.is_empty() {
        cells = vec![10.0, 20.0, 40.0];
    }
    if names.is_empty() {
        names = Shape::all().iter().map(|shape| shape.name().to_owned()).collect();
    }
    println!("model           cells       made  estimated  quickly");
    for name in names {
        let shape = Shape::all().into_iter().find(|shape| shape.name() == name);
        let domain: Box<dyn Domain> = match &shape {
            Some(shape) => Box::new(shape.built_in().map_err(|_| "a model")?.field()),
            None => Box::new(SurfaceDomain::new(&read_model(name.as_ref(), &ModelPlacement::default())?.surface)?.0),
        };
        for &cells in &cells {
            let options = StuffingOptions::with_edge(domain.bounds().size().max() / cells);
            let made = match stuff(&*domain, &options) {
                Ok(stuffing) => stuffing.report.tetrahedra as f64,
                Err(error) => {
                    println!("{name:14} {cells:6} {error}");
                    continue;
                }
            };
            let [full, quick] = [estimate, quick_estimate]
                .map(|estimator| estimator(&*domain, &options).map(|found| found.tetrahedra / made));
            let name = name.rsplit('/').next().unwrap_or(&name);
            println!("{name:14} {cells:6} {made:10} {:10.2} {:8.2}", full?, quick?);
        }
    }
    Ok(())
}
