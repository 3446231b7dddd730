//! Source surfaces that the shards of a run may be cut from: the imported model, a fine surface of
//! the shape, and that of the tetrahedra.

use crate::tuning::{FINE_SURFACE_TRIANGLES, MAX_SURFACE_TETRAHEDRA};
use craze_export::{CornerAttributes, Paint, PaintPicture, SourceSurface, separate_touching, transfer_attributes};
use craze_frame::{Frame, names};
use craze_math::Vec3;
use craze_scene::{Body, SceneDocument, fault_of_triangles};
use craze_shape::{
    Domain, Model, ModelPlacement, Repaired, ShapeError, StuffingOptions, SurfaceDomain, SurfaceMaterial,
    TriangleSurface, read_model, repair, stuff,
};
use std::path::Path;

/// Approximate area of a triangle, in squares of its edge (1).
const TRIANGLE_AREA: f64 = 0.43;
/// Largest ratio of fine to coarse edges for which a fine surface is made (1).
const MAX_EDGE_RATIO: f64 = 0.7;
/// Distance of coarse centroids from the shape, in edges, above which a fine surface is made (1):
/// flat shapes need none.
const MAX_COARSE_DISTANCE: f64 = 0.01;

/// Closed source surfaces for every body of a run's first frame, in order of preference.
///
/// First a model that is closed and without self-intersections; otherwise, and for built-in shapes,
/// a fine surface; last the surface of the tetrahedra. Both get the attributes of the model. Names
/// state the reason.
pub fn source_surfaces(run: &Path, first: &Frame) -> Vec<Vec<SourceSurface>> {
    let scene = SceneDocument::read(&run.join("scene.toml"), &[]).ok().map(|document| document.scene);
    let bodies = scene.map(|scene| scene.bodies).unwrap_or_default();
    let of_body = |frame: &craze_frame::BodyFrame| {
        let surface = &frame.surface;
        let rest = surface.vertex_attributes.vectors(names::REST).filter(|_| surface.is_closed());
        let Some(rest) = rest.filter(|_| !surface.triangles.is_empty()) else { return Vec::new() };
        let mut skin = bare_surface("the surface of the tetrahedra", rest.to_vec(), surface.triangles.clone());
        let Some(body) = bodies.iter().find(|body| body.name == frame.name) else { return vec![skin] };
        let file = match body.shape.built_in() {
            Ok(shape) => {
                let fine = fine_surface(&skin, body, &shape.field(), |edge| shape.surface(edge));
                return fine
                    .map(|fine| bare_surface("the shape's own surface", fine.0, fine.1))
                    .into_iter()
                    .chain([skin])
                    .collect();
            }
            Err(file) => file,
        };
        let reading = ModelPlacement { size: file.size, unit: file.unit, up: file.up };
        let model = match read_model(Path::new(&file.file), &reading) {
            Ok(model) => model,
            Err(error) => {
                skin.name += &format!(" ({error})");
                return vec![skin];
            }
        };
        let Ok(repaired) = repair(&model.surface) else { return vec![skin] };
        let own = of_model(&model, &repaired, body);
        copy_attributes(&mut skin, &own);
        let Some(why) = fault_of_triangles(&repaired.findings) else { return vec![own, skin] };
        skin.name += &format!(" (of the model's own: {why})");
        let domain = SurfaceDomain::of_repaired(repaired.surface, &repaired.findings).ok();
        let fine = domain.and_then(|domain| fine_surface(&skin, body, &domain, |edge| surface_of(&domain, edge)));
        let fine = fine.map(|(positions, triangles)| {
            let mut fine = bare_surface(
                &format!("a fine surface of what the model encloses (of its own: {why})"),
                positions,
                triangles,
            );
            copy_attributes(&mut fine, &own);
            fine
        });
        fine.into_iter().chain([skin]).collect()
    };
    first.bodies.iter().map(of_body).collect()
}

/// A closed surface without attributes; touching parts are separated.
fn bare_surface(name: &str, mut positions: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> SourceSurface {
    separate_touching(&mut positions, &triangles);
    SourceSurface { name: name.to_owned(), positions, triangles, ..SourceSurface::default() }
}

/// Transfers texture coordinates, normals and materials from another surface.
fn copy_attributes(target: &mut SourceSurface, own: &SourceSurface) {
    let to = (target.positions.as_slice(), target.triangles.as_slice());
    if let Some(corners) = transfer_attributes((&own.positions, &own.triangles), &own.corners, to.0, to.1) {
        target.corners = corners;
        target.paints.clone_from(&own.paints);
    }
}

/// A fine surface of the body's domain, made by `draw` with an edge (m) and placed like the body.
/// `None` if the surface of the tetrahedra, `skin`, is as good, or on failure.
fn fine_surface(
    skin: &SourceSurface,
    body: &Body,
    domain: &dyn Domain,
    mesh_surface: impl Fn(f64) -> Result<TriangleSurface, ShapeError>,
) -> Option<(Vec<Vec3>, Vec<[u32; 3]>)> {
    let (rotation, at) = (body.place.rotation(), Vec3::from(body.place.at));
    let corners = |triangle: &[u32; 3]| triangle.map(|vertex| skin.positions[vertex as usize]);
    let area: f64 = skin.triangles.iter().map(corners).map(|[a, b, c]| 0.5 * (b - a).cross(&(c - a)).norm()).sum();
    let edge_for = |count: f64| (area / (TRIANGLE_AREA * count)).sqrt();
    let (coarse, edge) = (edge_for(skin.triangles.len() as f64), edge_for(FINE_SURFACE_TRIANGLES));
    let is_off = |triangle: &[u32; 3]| {
        let middle = corners(triangle).iter().sum::<Vec3>() / 3.0;
        domain.clearance(&(rotation.inverse() * (middle - at))) > MAX_COARSE_DISTANCE * coarse
    };
    if !(edge < MAX_EDGE_RATIO * coarse && skin.triangles.iter().any(is_off)) {
        return None;
    }
    let meshed = mesh_surface(edge).ok().filter(|meshed| meshed.check_closed().is_ok())?;
    let positions = meshed.positions.iter().map(|position| rotation * position + at).collect();
    Some((positions, meshed.triangles))
}

/// Surface of a model's inside with edges of about `edge` (m).
fn surface_of(domain: &SurfaceDomain, edge: f64) -> Result<TriangleSurface, ShapeError> {
    let options = StuffingOptions { limit: MAX_SURFACE_TETRAHEDRA, ..StuffingOptions::with_edge(edge) };
    stuff(domain, &options).map(|filled| TriangleSurface::around(&filled.mesh))
}

/// The model, placed like the body.
fn of_model(model: &Model, repaired: &Repaired, body: &Body) -> SourceSurface {
    let (rotation, at) = (body.place.rotation(), Vec3::from(body.place.at));
    let rotated_normal =
        |normal: [f32; 3]| (rotation * Vec3::from(normal.map(f64::from))).map(|part| part as f32).into();
    SourceSurface {
        name: "the model's own triangles".to_owned(),
        positions: repaired.surface.positions.iter().map(|position| rotation * position + at).collect(),
        triangles: repaired.surface.triangles.clone(),
        corners: CornerAttributes {
            texture: corner_values(&model.texture_coordinates, repaired),
            normals: corner_values(&model.normals, repaired)
                .into_iter()
                .map(|corners: [[f32; 3]; 3]| corners.map(rotated_normal))
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

/// Look of a model's material.
fn paint(material: &SurfaceMaterial) -> Paint {
    let picture = material.image.as_ref();
    Paint {
        name: material.name.clone(),
        colour: material.colour,
        picture: picture
            .map(|picture| PaintPicture { media_type: picture.media_type(), bytes: picture.bytes().clone() }),
    }
}

/// Corner attributes of the repaired triangles.
fn corner_values<T: Copy>(values: &[[T; 3]], repaired: &Repaired) -> Vec<[T; 3]> {
    let of_triangle = |(&source, &flipped): (&u32, &bool)| {
        let &[a, b, c] = values.get(source as usize)?;
        Some(if flipped { [a, c, b] } else { [a, b, c] })
    };
    repaired.source_triangles.iter().zip(&repaired.flipped).map_while(of_triangle).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use craze_frame::is_manifold;

    /// Surfaces of the only body of a scene, and the body.
    fn surfaces_of(shape: &str) -> (Vec<SourceSurface>, Body) {
        let text = format!(
            "[[body]]\nname = \"thing\"\nmethod = \"solid\"\nmaterial.preset = \"glass\"\n{shape}\nplace = {{ at = [1, 2, 3], turn = [20, 0, 50] }}\n"
        );
        let document = SceneDocument::parse(&text, "test", &[]).expect("a scene");
        let run = tempfile::tempdir().expect("a folder");
        std::fs::write(run.path().join("scene.toml"), &text).expect("written");
        let built = craze_scene::build(&document).expect("a world");
        let first = built.world.frame();
        let surfaces = source_surfaces(run.path(), &first).remove(0);
        (surfaces, document.scene.bodies[0].clone())
    }

    #[test]
    fn round_shapes_get_finer_surfaces_in_their_place() {
        let (surfaces, body) = surfaces_of("shape.sphere = { radius = 0.1 }\nedge = 0.03");
        let [fine, skin] = &surfaces[..] else { panic!("{} surfaces", surfaces.len()) };
        assert!(is_manifold(&fine.triangles) && fine.triangles.len() > 5 * skin.triangles.len());
        let middle = Vec3::from(body.place.at);
        let error = fine.positions.iter().map(|point| ((point - middle).norm() - 0.1).abs()).fold(0.0, f64::max);
        assert!(error < 1e-6, "{error}");
    }

    #[test]
    fn flat_shapes_keep_the_surface_of_their_tetrahedra() {
        let (surfaces, _) = surfaces_of("shape.box = { size = [0.3, 0.1, 0.2] }\nedge = 0.05");
        assert_eq!(surfaces.len(), 1);
        assert_eq!(surfaces[0].name, "the surface of the tetrahedra");
    }
}
