//! Obstacles: shapes, poses and what moves them.

use super::load::keyframes;
use super::{at_key, rejected};
use crate::description::{ObstacleShape, RigidMotion};
use crate::document::SceneDocument;
use crate::report::SceneError;
use craze_contact::MeshShape;
use craze_descriptor::{how_read, read_model_file};
use craze_engine::{Drive, Motion, Obstacle};
use craze_frame::Surface;
use craze_math::{Isometry, Rotation, Vec3};
use craze_shape::{BuiltIn, Cylinder, MassProperties, Repaired, Shape, TriangleSurface, repair};
use std::sync::Arc;

/// Edge length on curved obstacles, over the radius: fine enough to look round.
const ROUNDNESS: f64 = 1.0 / 12.0;

/// Makes an obstacle. Says how its model was read, and what is wrong with it, if it is one.
pub fn build(document: &SceneDocument, index: usize) -> Result<(Obstacle, Option<String>), SceneError> {
    let obstacle = &document.scene.obstacles[index];
    let path = format!("obstacle[{index}]");
    let place = &obstacle.place;
    let mut pose = Isometry::from_parts(Vec3::from(place.at).into(), place.rotation());
    let mut remarks = Vec::new();
    let (shape, surface) = match &obstacle.shape {
        ObstacleShape::Plane { plane } => {
            pose *= plane_pose(Vec3::from(plane.point), Vec3::from(plane.normal));
            (craze_contact::RigidShape::HalfSpace, TriangleSurface::default())
        }
        ObstacleShape::Solid(shape) => solid(document, &format!("{path}.shape"), shape, &mut remarks)?,
    };
    let drive = match &obstacle.motion {
        RigidMotion::Keyframes(keys) => Drive::Prescribed(Motion::Keyframes(keyframes(keys))),
        RigidMotion::Fixed | RigidMotion::Free { .. } => Drive::Prescribed(Motion::still()),
    };
    let mut built =
        Obstacle { name: obstacle.name.clone(), shape, surface: frame_surface(&surface), place: pose, drive };
    if let RigidMotion::Free { mass } = obstacle.motion {
        let mass_properties = mass_properties(document, &path, &obstacle.shape, &surface, mass)?;
        built.release(mass, mass_properties.center, &mass_properties.inertia, place.velocity.into(), place.spin.into());
    }
    let line = (!remarks.is_empty()).then(|| format!("{}: {}", built.name, remarks.join("; ")));
    Ok((built, line))
}

/// The frame with the plane's normal as its y axis.
fn plane_pose(point: Vec3, normal: Vec3) -> Isometry {
    let turn = Rotation::rotation_between(&Vec3::y(), &normal);
    // Upside down, every half turn about a level axis will do.
    let turn = turn.unwrap_or_else(|| Rotation::new(Vec3::x() * std::f64::consts::PI));
    Isometry::from_parts(point.into(), turn)
}

/// What contact and pictures see of a shape.
fn solid(
    document: &SceneDocument,
    path: &str,
    shape: &Shape,
    remarks: &mut Vec<String>,
) -> Result<(craze_contact::RigidShape, TriangleSurface), SceneError> {
    let drawn = |shape: &dyn BuiltIn, edge: f64| {
        shape.surface(edge).map_err(|error| rejected(document, path, error, "see docs/shapes.md for what is possible"))
    };
    Ok(match (shape, shape.built_in()) {
        (Shape::Sphere(sphere), _) => {
            (craze_contact::RigidShape::Ball { radius: sphere.radius }, drawn(sphere, sphere.radius * ROUNDNESS)?)
        }
        (Shape::Box(block), _) => {
            (craze_contact::RigidShape::Cuboid { half_size: 0.5 * Vec3::from(block.size) }, drawn(block, 1.0)?)
        }
        (Shape::Cylinder(cylinder), _) => {
            let Cylinder { radius, height } = *cylinder;
            let shape = craze_contact::RigidShape::Cylinder { radius, half_height: 0.5 * height };
            (shape, drawn(cylinder, radius * ROUNDNESS)?)
        }
        (_, Ok(built_in)) => {
            let surface = drawn(built_in, built_in.default_edge())?;
            (mesh(document, path, &surface)?, surface)
        }
        (_, Err(file)) => {
            let key = format!("{path}.mesh");
            let model = read_model_file(file).map_err(|error| at_key(document, &key, error))?;
            // Repair orients the triangles consistently and leaves degenerate ones out.
            let repaired = repair(&model.surface);
            let help = "mend the model in a modelling program";
            let Repaired { surface, findings, .. } =
                repaired.map_err(|error| rejected(document, &format!("{key}.file"), error, help))?;
            remarks.extend(how_read(&model).chain(findings.warnings()));
            (mesh(document, &key, &surface)?, surface)
        }
    })
}

fn mesh(
    document: &SceneDocument,
    path: &str,
    surface: &TriangleSurface,
) -> Result<craze_contact::RigidShape, SceneError> {
    let shape = MeshShape::new(&surface.positions, &surface.triangles)
        .map_err(|error| rejected(document, path, error, "repair the model in a modelling program"))?;
    Ok(craze_contact::RigidShape::Mesh(Arc::new(shape)))
}

fn frame_surface(surface: &TriangleSurface) -> Surface {
    Surface { positions: surface.positions.clone(), triangles: surface.triangles.clone(), ..Surface::default() }
}

fn mass_properties(
    document: &SceneDocument,
    path: &str,
    shape: &ObstacleShape,
    surface: &TriangleSurface,
    mass: f64,
) -> Result<MassProperties, SceneError> {
    match shape {
        // These have formulas; of others the surface is as good as what it stands for.
        ObstacleShape::Solid(Shape::Sphere(sphere)) => Ok(sphere.mass_properties(mass)),
        ObstacleShape::Solid(Shape::Cylinder(cylinder)) => Ok(cylinder.mass_properties(mass)),
        ObstacleShape::Solid(Shape::Box(block)) => Ok(block.mass_properties(mass)),
        ObstacleShape::Solid(_) => surface.mass_properties(mass).ok_or_else(|| {
            let message = "the model encloses no volume that could carry a mass";
            rejected(document, &format!("{path}.shape"), message, "close the model, or turn its faces outward")
        }),
        ObstacleShape::Plane { .. } => {
            let message = "an endless plane cannot move freely";
            Err(rejected(document, &format!("{path}.mass"), message, "leave out `mass`, or use shape.box"))
        }
    }
}
