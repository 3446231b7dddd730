//! The surfaces that shards of a run may be cut from: the model that was read, and that of the tetrahedra.

use craze_export::{Corners, Outer, Paint, PaintPicture, part_touching, transfer};
use craze_frame::{Frame, names};
use craze_math::Vec3;
use craze_scene::{Body, SceneDocument, fault_of_triangles};
use craze_shape::{Model, Reading, Repaired, Shape, SurfaceMaterial, read_model, repair};
use std::path::Path;

/// For every body of a run's first frame the closed surfaces that its shards may be cut from, the best first.
///
/// A model that is closed and does not pass through itself comes first. Of any other, texture coordinates, normals and materials go over to the
/// surface of the tetrahedra, whose name says why.
pub fn outers(run: &Path, first: &Frame) -> Vec<Vec<Outer>> {
    let scene = SceneDocument::read(&run.join("scene.toml"), &[]).ok().map(|document| document.scene);
    let bodies = scene.map(|scene| scene.bodies).unwrap_or_default();
    let of_body = |frame: &craze_frame::BodyFrame| {
        let surface = &frame.surface;
        let rest = surface.vertex_attributes.vectors(names::REST).filter(|_| surface.is_closed());
        let Some(rest) = rest.filter(|_| !surface.triangles.is_empty()) else { return Vec::new() };
        let mut skin = Outer {
            name: "the surface of the tetrahedra".to_owned(),
            positions: rest.to_vec(),
            triangles: surface.triangles.clone(),
            ..Outer::default()
        };
        part_touching(&mut skin.positions, &skin.triangles);
        let Some(body) = bodies.iter().find(|body| body.name == frame.name) else { return vec![skin] };
        let Shape::Mesh(file) = &body.shape else { return vec![skin] };
        let reading = Reading { size: file.size, unit: file.unit, up: file.up };
        let model = match read_model(Path::new(&file.file), &reading) {
            Ok(model) => model,
            Err(error) => {
                skin.name += &format!(" ({error})");
                return vec![skin];
            }
        };
        let Ok(repaired) = repair(&model.surface) else { return vec![skin] };
        let own = of_model(&model, &repaired, body);
        if let Some(corners) = transfer((&own.positions, &own.triangles), &own.corners, rest, &surface.triangles) {
            skin.corners = corners;
            skin.paints.clone_from(&own.paints);
        }
        match fault_of_triangles(&repaired.findings) {
            None => vec![own, skin],
            Some(why) => {
                skin.name += &format!(" (of the model: {why})");
                vec![skin]
            }
        }
    };
    first.bodies.iter().map(of_body).collect()
}

/// The model where the body was placed.
fn of_model(model: &Model, repaired: &Repaired, body: &Body) -> Outer {
    let (turn, at) = (body.place.rotation(), Vec3::from(body.place.at));
    let turned_normal = |normal: [f32; 3]| (turn * Vec3::from(normal.map(f64::from))).map(|part| part as f32).into();
    Outer {
        name: "the model's own triangles".to_owned(),
        positions: repaired.surface.positions.iter().map(|position| turn * position + at).collect(),
        triangles: repaired.surface.triangles.clone(),
        corners: Corners {
            texture: carried(&model.texture_coordinates, repaired),
            normals: carried(&model.normals, repaired)
                .into_iter()
                .map(|corners: [[f32; 3]; 3]| corners.map(turned_normal))
                .collect(),
            materials: repaired
                .source_triangles
                .iter()
                .map_while(|&source| model.material_of_triangle.get(source as usize).copied())
                .collect(),
        },
        paints: model.materials.iter().map(paint).collect(),
    }
}

/// How a material of the model looks.
fn paint(material: &SurfaceMaterial) -> Paint {
    let picture = material.picture.as_ref();
    Paint {
        name: material.name.clone(),
        colour: material.colour,
        picture: picture
            .map(|picture| PaintPicture { media_type: picture.media_type(), bytes: picture.bytes().clone() }),
    }
}

/// What the corners of the repaired triangles carried in the file.
fn carried<T: Copy>(values: &[[T; 3]], repaired: &Repaired) -> Vec<[T; 3]> {
    let of_triangle = |(&source, &turned): (&u32, &bool)| {
        let &[a, b, c] = values.get(source as usize)?;
        Some(if turned { [a, c, b] } else { [a, b, c] })
    };
    repaired.source_triangles.iter().zip(&repaired.turned).map_while(of_triangle).collect()
}
