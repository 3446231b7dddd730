//! The surfaces that shards of a run may be cut from: the model that was read, the shape drawn finely, and that of the tetrahedra.

use craze_export::{Corners, Outer, Paint, PaintPicture, part_touching, transfer};
use craze_frame::{Frame, names};
use craze_math::Vec3;
use craze_scene::{Body, SceneDocument, fault_of_triangles};
use craze_shape::{
    Domain, Model, ModelPlacement, Repaired, ShapeError, StuffingOptions, SurfaceDomain, SurfaceMaterial,
    TriangleSurface, read_model, repair, stuff,
};
use std::path::Path;

/// Triangles that a finely drawn surface has, about: enough for round things to look round, few enough for a game.
const FINE: f64 = 20_000.0;
/// Area of a triangle, in squares of its edge, about (1).
const TRIANGLE: f64 = 0.43;
/// A surface is drawn finely if that makes its edges shorter by this factor at least (1),
const FINER: f64 = 0.7;
/// and if the middles of the coarse triangles are off by this share of the edge (1): what is flat needs no finer one.
const OFF: f64 = 0.01;
/// Tetrahedra at most that are made for the sake of their surface.
const MOST_TETRAHEDRA: f64 = 1e6;

/// For every body of a run's first frame the closed surfaces that its shards may be cut from, the best first.
///
/// A model that is closed and does not pass through itself comes first. Any other, and every built-in shape, is drawn anew, finer than the tetrahedra are; at
/// last comes the surface of the tetrahedra. Texture coordinates, normals and materials go over to both, and names say why.
pub fn outers(run: &Path, first: &Frame) -> Vec<Vec<Outer>> {
    let scene = SceneDocument::read(&run.join("scene.toml"), &[]).ok().map(|document| document.scene);
    let bodies = scene.map(|scene| scene.bodies).unwrap_or_default();
    let of_body = |frame: &craze_frame::BodyFrame| {
        let surface = &frame.surface;
        let rest = surface.vertex_attributes.vectors(names::REST).filter(|_| surface.is_closed());
        let Some(rest) = rest.filter(|_| !surface.triangles.is_empty()) else { return Vec::new() };
        let mut skin = outer("the surface of the tetrahedra", rest.to_vec(), surface.triangles.clone());
        let Some(body) = bodies.iter().find(|body| body.name == frame.name) else { return vec![skin] };
        let file = match body.shape.built_in() {
            Ok(shape) => {
                let fine = drawn_finely(&skin, body, &shape.field(), |edge| shape.surface(edge));
                return fine
                    .map(|fine| outer("the shape's own surface", fine.0, fine.1))
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
        dress(&mut skin, &own);
        let Some(why) = fault_of_triangles(&repaired.findings) else { return vec![own, skin] };
        skin.name += &format!(" (of the model's own: {why})");
        let domain = SurfaceDomain::of_repaired(repaired.surface, &repaired.findings).ok();
        let fine = domain.and_then(|domain| drawn_finely(&skin, body, &domain, |edge| surface_of(&domain, edge)));
        let fine = fine.map(|(positions, triangles)| {
            let mut fine =
                outer(&format!("a fine surface of what the model encloses (of its own: {why})"), positions, triangles);
            dress(&mut fine, &own);
            fine
        });
        fine.into_iter().chain([skin]).collect()
    };
    first.bodies.iter().map(of_body).collect()
}

/// A closed surface that carries nothing yet. Parts that only touch are parted.
fn outer(name: &str, mut positions: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Outer {
    part_touching(&mut positions, &triangles);
    Outer { name: name.to_owned(), positions, triangles, ..Outer::default() }
}

/// Takes texture coordinates, normals and materials from the nearest places of another surface.
fn dress(outer: &mut Outer, own: &Outer) {
    let to = (outer.positions.as_slice(), outer.triangles.as_slice());
    if let Some(corners) = transfer((&own.positions, &own.triangles), &own.corners, to.0, to.1) {
        outer.corners = corners;
        outer.paints.clone_from(&own.paints);
    }
}

/// The surface of what a body was filled from, drawn by `draw` with edges (m) so short that it is round where that is round, and placed as the
/// body was; none where the surface of the tetrahedra, `skin`, is as good, or if it cannot be drawn.
fn drawn_finely(
    skin: &Outer,
    body: &Body,
    domain: &dyn Domain,
    draw: impl Fn(f64) -> Result<TriangleSurface, ShapeError>,
) -> Option<(Vec<Vec3>, Vec<[u32; 3]>)> {
    let (turn, at) = (body.place.rotation(), Vec3::from(body.place.at));
    let corners = |triangle: &[u32; 3]| triangle.map(|vertex| skin.positions[vertex as usize]);
    let area: f64 = skin.triangles.iter().map(corners).map(|[a, b, c]| 0.5 * (b - a).cross(&(c - a)).norm()).sum();
    let edge_for = |count: f64| (area / (TRIANGLE * count)).sqrt();
    let (coarse, edge) = (edge_for(skin.triangles.len() as f64), edge_for(FINE));
    let is_off = |triangle: &[u32; 3]| {
        let middle = corners(triangle).iter().sum::<Vec3>() / 3.0;
        domain.clearance(&(turn.inverse() * (middle - at))) > OFF * coarse
    };
    if !(edge < FINER * coarse && skin.triangles.iter().any(is_off)) {
        return None;
    }
    let drawn = draw(edge).ok().filter(|drawn| drawn.check_closed().is_ok())?;
    let positions = drawn.positions.iter().map(|position| turn * position + at).collect();
    Some((positions, drawn.triangles))
}

/// The surface of what a model encloses, with edges of about `edge` (m).
fn surface_of(domain: &SurfaceDomain, edge: f64) -> Result<TriangleSurface, ShapeError> {
    let options = StuffingOptions { limit: MOST_TETRAHEDRA, ..StuffingOptions::with_edge(edge) };
    stuff(domain, &options).map(|filled| TriangleSurface::around(&filled.mesh))
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

    /// The surfaces of the only body of a scene, and the body.
    fn surfaces_of(shape: &str) -> (Vec<Outer>, Body) {
        let text = format!(
            "[[body]]\nname = \"thing\"\nmethod = \"solid\"\nmaterial.preset = \"glass\"\n{shape}\nplace = {{ at = [1, 2, 3], turn = [20, 0, 50] }}\n"
        );
        let document = SceneDocument::parse(&text, "test", &[]).expect("a scene");
        let run = tempfile::tempdir().expect("a folder");
        std::fs::write(run.path().join("scene.toml"), &text).expect("written");
        let built = craze_scene::build(&document).expect("a world");
        let first = built.world.frame();
        let surfaces = outers(run.path(), &first).remove(0);
        (surfaces, document.scene.bodies[0].clone())
    }

    #[test]
    fn round_shapes_are_drawn_finer_than_their_tetrahedra_and_where_these_are() {
        let (surfaces, body) = surfaces_of("shape.sphere = { radius = 0.1 }\nedge = 0.03");
        let [fine, skin] = &surfaces[..] else { panic!("{} surfaces", surfaces.len()) };
        assert!(is_manifold(&fine.triangles) && fine.triangles.len() > 5 * skin.triangles.len());
        let middle = Vec3::from(body.place.at);
        let off = fine.positions.iter().map(|place| ((place - middle).norm() - 0.1).abs()).fold(0.0, f64::max);
        assert!(off < 1e-6, "{off}");
    }

    #[test]
    fn flat_shapes_stay_as_they_are() {
        let (surfaces, _) = surfaces_of("shape.box = { size = [0.3, 0.1, 0.2] }\nedge = 0.05");
        assert_eq!(surfaces.len(), 1);
        assert_eq!(surfaces[0].name, "the surface of the tetrahedra");
    }
}
