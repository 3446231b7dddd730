//! Fills a ball with Poisson disk samples and prints the time:
//! `cargo run --release -p craze-shape --example samples`

use std::time::Instant;

use craze_shape::{BuiltIn, Sphere, poisson_points};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let field = Sphere { radius: 0.5 }.field();
    println!("    points      s  million a minute");
    for distance in [0.04, 0.02, 0.01, 0.0075] {
        let start = Instant::now();
        let count = poisson_points(&field, distance, 1)?.positions.len();
        let seconds = start.elapsed().as_secs_f64();
        println!("{count:10} {seconds:6.2}  {:.2}", count as f64 / seconds * 60e-6);
    }
    Ok(())
}
