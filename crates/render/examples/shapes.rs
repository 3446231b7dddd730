//! Renders the pictures of docs/shapes.md:
//! `cargo run --release -p craze-render --example shapes [FOLDER [NAME]]`.
//!
//! Every built-in shape is meshed with its default edge. A quarter is cut out of shapes with hidden
//! walls. Sheets are shown as they are, with the legs of trousers bent apart.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

use craze_frame::{BodyFrame, Data, Frame, Piece, Pose, Surface, names};
use craze_math::Vec3;
use craze_render::{Ground, Settings, render_frame};
use craze_shape::sheet::{Sheet, SheetMesh};
use craze_shape::{BuiltIn, Field, Shape, ShapeError, Stuffing, StuffingOptions, Tetrahedra, TriangleSurface, stuff};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "docs/shapes".to_owned()));
    let only = std::env::args().nth(2);
    for shape in Shape::all() {
        let name = shape.name();
        if only.as_ref().is_some_and(|only| only != name) {
            continue;
        }
        let Ok(built_in) = shape.built_in() else { continue };
        let start = Instant::now();
        let edge = built_in.default_edge();
        let tetrahedra = match shape {
            Shape::HollowSphere(_) | Shape::Dome(_) => cut_open(built_in, edge)?,
            _ => built_in.tetrahedra(edge)?,
        };
        let (count, meshed) = (tetrahedra.mesh.element_count(), start.elapsed());
        draw(body(&shape, tetrahedra), Ground::UnderBodies, &folder, name)?;
        println!(
            "{name}: edge {edge} m, {count} tetrahedra in {meshed:.2?}, picture in {:.2?}",
            start.elapsed() - meshed
        );
    }
    for sheet in Sheet::all() {
        let name = sheet.name();
        if only.as_ref().is_none_or(|only| *only == format!("sheets/{name}")) {
            // A flat sheet would coincide with the ground.
            draw(sheet_body(&sheet, sheet.mesh(sheet.default_edge())?), Ground::Hidden, &folder.join("sheets"), name)?;
            println!("sheets/{name}");
        }
    }
    Ok(())
}

fn draw(body: BodyFrame, ground: Ground, folder: &Path, name: &str) -> Result<(), Box<dyn Error>> {
    std::fs::create_dir_all(folder)?;
    let frame = Frame { bodies: vec![body], ..Frame::default() };
    let settings = Settings { width: 480, height: 360, samples: 64, ground, ..Settings::default() };
    Ok(render_frame(&frame, &settings)?.write_png(folder.join(format!("{name}.png")))?)
}

/// A shape without the quarter that faces the camera.
fn cut_open(shape: &dyn BuiltIn, edge: f64) -> Result<Tetrahedra, ShapeError> {
    let size = shape.size();
    let quarter = Field::block(2.0 * size, 0.0).translated(Vec3::new(size.x, 0.0, size.z));
    let Stuffing { mesh, regions, report } = stuff(&shape.field().without(quarter), &StuffingOptions::with_edge(edge))?;
    Ok(Tetrahedra { mesh, regions, report: Some(report) })
}

/// Bends the legs of a trouser specimen apart, the nearer one down, to show the slit.
fn bend_legs(SheetMesh { mesh, .. }: &SheetMesh, slit: f64) -> Vec<Vec3> {
    let mut positions = mesh.positions().to_vec();
    // Both sides of the slit coincide: only the triangles distinguish them.
    let mut side = vec![0.0; positions.len()];
    for corners in mesh.elements() {
        let middle = corners.iter().map(|&corner| mesh.positions()[corner as usize].z).sum::<f64>();
        corners.iter().for_each(|&corner| side[corner as usize] = middle.signum());
    }
    let end = positions.iter().map(|position| position.x).fold(f64::INFINITY, f64::min);
    for (position, side) in positions.iter_mut().zip(side) {
        let along = ((end + slit - position.x) / slit).max(0.0);
        position.y -= 0.3 * slit * side * along * along;
    }
    positions
}

/// A sheet coloured by material.
fn sheet_body(sheet: &Sheet, made: SheetMesh) -> BodyFrame {
    let positions = match sheet {
        Sheet::Trouser(trouser) => bend_legs(&made, trouser.slit),
        _ => made.mesh.positions().to_vec(),
    };
    let mut surface = Surface { positions, triangles: made.mesh.elements().to_vec(), ..Surface::default() };
    surface.face_attributes.set(names::MATERIAL, Data::Index(made.materials));
    let matter = ["cardboard", "glass"].iter().take(sheet.materials().len()).map(|&name| name.to_owned()).collect();
    drawn(sheet.name(), "sheet", matter, surface)
}

/// The surface of a shape's tetrahedra, one material per region.
fn body(shape: &Shape, Tetrahedra { mesh, regions, .. }: Tetrahedra) -> BodyFrame {
    let materials: &[&str] = match shape {
        Shape::Box(_) | Shape::Cylinder(_) => &["concrete"],
        Shape::Sphere(_) | Shape::HollowSphere(_) => &["glass"],
        Shape::Cheese(_) => &["cheese"],
        Shape::Plate(_) => &["steel"],
        Shape::BrickWall(_) => &["brick", "concrete"],
        Shape::Figure(_) => &["wood"],
        _ => &["ceramic"],
    };
    let facets = mesh.boundary().facets;
    let region = facets.iter().map(|facet| u32::from(regions[facet.element.index()])).collect();
    let TriangleSurface { positions, triangles } = TriangleSurface::around(&mesh);
    let mut surface = Surface { positions, triangles, ..Surface::default() };
    surface.face_attributes.set(names::MATERIAL, Data::Index(region));
    let matter = materials.iter().map(|&material| material.to_owned()).collect();
    drawn(shape.name(), "solid", matter, surface)
}

fn drawn(name: &str, method: &str, materials: Vec<String>, surface: Surface) -> BodyFrame {
    BodyFrame {
        name: name.to_owned(),
        method: method.to_owned(),
        materials,
        surface,
        pieces: vec![Piece { id: 0, volume: 1.0, mass: 1.0, parent: None, pose: Pose::default() }],
        ..BodyFrame::default()
    }
}
