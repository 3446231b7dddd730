//! Renders a few synthetic frames for inspection:
//! `cargo run --release -p craze-render --example studio [FOLDER]`.
//!
//! They cover every look and colouring of docs/pictures.md; times are printed.

use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

use craze_frame::{BodyFrame, Data, Frame, ObstacleFrame, ObstacleShape, Particles, Piece, Pose, Surface, names};
use craze_math::{Rotation, Vec3};
use craze_render::{Background, Coloring, Ground, Settings, Wireframe, render_frame, write_gif};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "target/studio".to_owned()));
    std::fs::create_dir_all(&folder)?;
    let still = Settings { samples: 48, ..Settings::default() };
    let preview = Settings::default();
    let by = |coloring: Coloring| Settings { coloring, ..still.clone() };
    let pictures = [
        ("preview_20k", bowls(), preview),
        ("materials", materials(), still.clone()),
        ("pieces", pieces(1.0), by(Coloring::Piece)),
        ("pieces_material", pieces(1.0), still.clone()),
        ("stress", bent_bar(), by(Coloring::Stress)),
        ("wireframe", bent_bar(), Settings { wireframe: Wireframe::Shown, ..still.clone() }),
        ("velocity", cloud(), by(Coloring::Velocity)),
        ("dark", cloud(), Settings { background: Background::Dark, ..by(Coloring::Material) }),
        ("floating", knot("clay"), Settings { ground: Ground::UnderBodies, ..still.clone() }),
        ("ramp", ramp(), still.clone()),
    ];
    let only = std::env::args().nth(2);
    for (name, frame, settings) in pictures {
        if only.as_ref().is_some_and(|only| only != name) {
            continue;
        }
        let start = Instant::now();
        let image = render_frame(&frame, &settings)?;
        let triangles: usize = frame.bodies.iter().map(|body| body.surface.triangles.len()).sum();
        println!("{name}: {triangles} triangles, {} samples, {:.2?}", settings.samples, start.elapsed());
        image.write_png(folder.join(format!("{name}.png")))?;
    }
    if only.as_ref().is_none_or(|only| only == "pieces_gif") {
        let frames: Vec<Frame> = (0..12).map(|step| pieces(f64::from(step) / 11.0)).collect();
        let settings = Settings { width: 480, height: 270, coloring: Coloring::Piece, ..Settings::default() };
        let settings = settings.fitted_to(&[&frames[0], &frames[6], &frames[11]]);
        let images: Result<Vec<_>, _> = frames.iter().map(|frame| render_frame(frame, &settings)).collect();
        let start = Instant::now();
        write_gif(folder.join("pieces.gif"), &images?, 0.08)?;
        println!("pieces.gif: written in {:.2?}", start.elapsed());
    }
    Ok(())
}

fn floor() -> ObstacleFrame {
    let shape = ObstacleShape::Plane { point: Vec3::zeros(), normal: Vec3::y() };
    ObstacleFrame { name: "floor".to_owned(), shape }
}

fn body(material: &str, surface: Surface) -> BodyFrame {
    let piece = Piece { id: 0, volume: 1.0, mass: 1.0, parent: None, pose: Pose::default() };
    BodyFrame {
        name: material.to_owned(),
        method: "solid".to_owned(),
        materials: vec![material.to_owned()],
        surface,
        pieces: vec![piece],
        ..BodyFrame::default()
    }
}

/// A grid on a torus-like surface, or a sphere-like one with degenerate poles.
fn grid(rows: u32, columns: u32, point: impl Fn(f64, f64) -> Vec3) -> Surface {
    let positions = (0..=rows)
        .flat_map(|i| (0..columns).map(move |j| (f64::from(i) / f64::from(rows), f64::from(j) / f64::from(columns))))
        .map(|(u, v)| point(u, v))
        .collect();
    let mut triangles = Vec::new();
    for i in 0..rows {
        for j in 0..columns {
            let next = (j + 1) % columns;
            let [a, b] = [i * columns + j, i * columns + next];
            let [c, d] = [a + columns, b + columns];
            triangles.extend([[a, b, d], [a, d, c]]);
        }
    }
    Surface { positions, triangles, ..Surface::default() }
}

fn sphere(center: Vec3, radius: f64, rows: u32) -> Surface {
    use std::f64::consts::{PI, TAU};
    grid(rows, 2 * rows, |u, v| {
        let ((s, c), (sv, cv)) = ((PI * u).sin_cos(), (TAU * v).sin_cos());
        center + Vec3::new(s * cv, c, -s * -sv) * radius
    })
}

/// The surface of a box of `cells` cubes per side, deformed by `place`.
fn lattice(cells: [u32; 3], place: impl Fn(Vec3) -> Vec3) -> Surface {
    let mut surface = Surface::default();
    let size = Vec3::from(cells.map(f64::from));
    for axis in 0..3 {
        for end in 0..2u32 {
            let (first, second) = ((axis + 1) % 3, (axis + 2) % 3);
            let start = surface.positions.len() as u32;
            let (n, m) = (cells[first], cells[second]);
            for i in 0..=n {
                for j in 0..=m {
                    let mut p = Vec3::zeros();
                    p[axis] = f64::from(end * cells[axis]);
                    p[first] = f64::from(i);
                    p[second] = f64::from(j);
                    surface.positions.push(place(p.component_div(&size)));
                }
            }
            for i in 0..n {
                for j in 0..m {
                    let a = start + i * (m + 1) + j;
                    let [b, c, d] = [a + m + 1, a + m + 2, a + 1];
                    let quad = if end == 1 { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] };
                    surface.triangles.extend(quad);
                }
            }
        }
    }
    surface
}

/// Three bowls and a ball: 20,000 triangles.
fn bowls() -> Frame {
    use std::f64::consts::{PI, TAU};
    let bowl = |center: Vec3, radius: f64| {
        grid(60, 60, |u, v| {
            // Up the outside and down the inside of the wall.
            let (angle, r) = if u < 0.5 { (u * PI, radius) } else { ((1.0 - u) * PI, 0.88 * radius) };
            let (s, c) = angle.sin_cos();
            let (sv, cv) = (TAU * v).sin_cos();
            center + Vec3::new(r * s * cv, radius - r * c, r * s * sv)
        })
    };
    let bodies = vec![
        body("ceramic", bowl(Vec3::new(0.0, 0.0, 0.0), 0.1)),
        body("clay", bowl(Vec3::new(0.2, 0.0, -0.06), 0.08)),
        body("glass", bowl(Vec3::new(-0.19, 0.0, 0.02), 0.07)),
        body("steel", sphere(Vec3::new(0.12, 0.03, 0.12), 0.03, 20)),
    ];
    Frame { bodies, obstacles: vec![floor()], ..Frame::default() }
}

/// A ball of each material.
fn materials() -> Frame {
    let names = [
        "glass",
        "ceramic",
        "adobe",
        "concrete",
        "paper",
        "cardboard",
        "foil",
        "steel",
        "aluminium",
        "rubber",
        "vinyl",
        "cork",
        "acrylic",
        "wood",
        "cheese",
        "clay",
        "something else",
        "another",
    ];
    let bodies = names.iter().enumerate().map(|(index, name)| {
        let (row, column) = (index / 6, index % 6);
        let center = Vec3::new(column as f64 * 2.4, 1.0, row as f64 * 2.4);
        body(name, sphere(center, 1.0, 24))
    });
    Frame { bodies: bodies.collect(), obstacles: vec![floor()], ..Frame::default() }
}

/// A cube of cubes hit by a grey ball; `progress` from 0 to 1.
fn pieces(progress: f64) -> Frame {
    let mut surface = Surface::default();
    let (mut piece_of_face, mut crack, mut rest) = (Vec::new(), Vec::new(), Vec::new());
    let mut pieces = Vec::new();
    let n = 5;
    for index in 0..n * n * n {
        let cell = [index % n, index / n % n, index / n / n];
        let center = Vec3::from(cell.map(|k| f64::from(k) - 2.0));
        let turn =
            Vec3::new(f64::from(index * 7 % 11) - 5.0, f64::from(index * 5 % 13) - 6.0, f64::from(index * 3 % 7) - 3.0);
        let near = (-(center - Vec3::new(-1.5, 0.5, 1.5)).norm_squared() / 3.5).exp();
        let rotation = Rotation::from_scaled_axis(turn * (0.16 * near * progress));
        let push = (center - Vec3::new(-3.0, -0.5, 3.0)) * (0.45 * near * progress);
        let lift = Vec3::y() * (2.5 + push.y.abs());
        let cube = lattice([3, 3, 3], |p| p - Vec3::repeat(0.5));
        let start = surface.positions.len() as u32;
        for local in &cube.positions {
            rest.push(center + local);
            surface.positions.push(center + rotation * local + Vec3::new(push.x, 0.0, push.z) + lift);
        }
        for triangle in &cube.triangles {
            let corners = triangle.map(|vertex| center + cube.positions[vertex as usize]);
            let outer = (0..3).any(|axis| corners.iter().all(|corner| corner[axis].abs() > 2.499));
            crack.push(u32::from(!outer));
            piece_of_face.push(index as u32);
            surface.triangles.push(triangle.map(|vertex| start + vertex));
        }
        pieces.push(Piece { id: index as u32, volume: 1.0, mass: 1.0, parent: None, pose: Pose::default() });
    }
    surface.face_attributes.set(names::PIECE, Data::Index(piece_of_face));
    surface.face_attributes.set(names::CRACK, Data::Index(crack));
    surface.vertex_attributes.set(names::REST, Data::Vector(rest));
    let block = BodyFrame { pieces, ..body("adobe", surface) };
    let ball = sphere(Vec3::new(-5.6 + 1.4 * progress, 2.6, 4.4 - 1.2 * progress), 0.9, 24);
    let ball = ObstacleFrame { name: "ball".to_owned(), shape: ObstacleShape::Surface(ball) };
    Frame { bodies: vec![block], obstacles: vec![floor(), ball], ..Frame::default() }
}

/// A bent bar with the stress of beam theory.
fn bent_bar() -> Frame {
    let bend = |p: Vec3| {
        let x = 2.0 * p.x - 1.0;
        let (sin, cos) = (0.8 * x).sin_cos();
        let radius = 1.25 + 0.32 * (0.5 - p.y);
        Vec3::new(radius * sin, 0.6 - radius * (1.0 - cos) + 0.32 * (p.y - 0.5), 0.4 * (p.z - 0.5))
    };
    let mut surface = lattice([48, 10, 12], bend);
    let shape = lattice([48, 10, 12], |p| p);
    let stress = shape.positions.iter().map(|p| 4.2e6 * (p.y - 0.3) * (1.0 - (2.0 * p.x - 1.0).powi(2)));
    surface.vertex_attributes.set(names::STRESS, Data::Scalar(stress.collect()));
    Frame { bodies: vec![body("rubber", surface)], obstacles: vec![floor()], ..Frame::default() }
}

/// A heap of particles in the wind.
fn cloud() -> Frame {
    let mut particles = Particles { radius: 0.045, ..Particles::default() };
    let mut velocities = Vec::new();
    for index in 0..2600u32 {
        let [a, b, c] = [0.754_877_666, 0.569_840_291, 0.430_159_709].map(|step| (f64::from(index) * step).fract());
        let (s, t) = (std::f64::consts::TAU * a).sin_cos();
        let r = 0.9 * b.sqrt() * (1.0 - 0.75 * c);
        let wind = (c * c) * (1.0 + 0.5 * t);
        particles.positions.push(Vec3::new(r * t + 1.2 * wind * c, 0.045 + 1.1 * c, r * s + 0.2 * wind));
        velocities.push(Vec3::new(6.0 * wind, -0.5 * c, 0.8 * s * c));
    }
    particles.attributes.set(names::VELOCITY, Data::Vector(velocities));
    let body = BodyFrame { particles: Some(particles), ..body("cheese", Surface::default()) };
    Frame { bodies: vec![body], obstacles: vec![floor()], ..Frame::default() }
}

/// A closed knotted tube, without a floor of its own.
fn knot(material: &str) -> Frame {
    use std::f64::consts::TAU;
    let curve = |t: f64| {
        let (s2, c2) = (2.0 * TAU * t).sin_cos();
        let (s3, c3) = (3.0 * TAU * t).sin_cos();
        Vec3::new((2.0 + c3) * c2, s3 * 1.1, (2.0 + c3) * s2)
    };
    let surface = grid(240, 28, |u, v| {
        let tangent = (curve(u + 1e-4) - curve(u - 1e-4)).normalize();
        let side = tangent.cross(&Vec3::new(0.2, 1.0, 0.1)).normalize();
        let (s, c) = (TAU * v).sin_cos();
        curve(u) + (side * c + tangent.cross(&side) * s) * 0.5
    });
    Frame { bodies: vec![body(material, surface)], ..Frame::default() }
}

/// A box that slides down a ramp onto the floor.
fn ramp() -> Frame {
    let turn = Rotation::from_axis_angle(&Vec3::z_axis(), 0.45);
    let cube = lattice([4, 4, 4], |p| turn * (p + Vec3::new(0.8, 0.0, -0.5)));
    let incline = ObstacleShape::Plane { point: Vec3::zeros(), normal: turn * Vec3::y() };
    let incline = ObstacleFrame { name: "ramp".to_owned(), shape: incline };
    Frame { bodies: vec![body("wood", cube)], obstacles: vec![floor(), incline], ..Frame::default() }
}
