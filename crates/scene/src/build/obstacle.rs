//! Obstacles: shapes, poses and what moves them.

use super::load::keyframes;
use super::model::Model;
use super::rejected;
use crate::description::{ObstacleShape, RigidMotion};
use crate::document::SceneDocument;
use crate::report::SceneError;
use craze_contact::MeshShape;
use craze_engine::{Drive, Motion, Obstacle};
use craze_frame::Surface;
use craze_math::{Isometry, Rotation, Vec3};
use craze_shape::{MassSpread, Shape, TriangleSurface};
use std::sync::Arc;

/// Edges on curved obstacles, as a share of the radius: fine enough to look round.
const ROUNDNESS: f64 = 1.0 / 12.0;

/// Makes an obstacle.
pub fn build(document: &SceneDocument, index: usize) -> Result<Obstacle, SceneError> {
    let obstacle = &document.scene.obstacles[index];
    let path = format!("obstacle[{index}]");
    let place = &obstacle.place;
    let mut pose = Isometry::from_parts(Vec3::from(place.at).into(), place.rotation());
    let (shape, surface) = match &obstacle.shape {
        ObstacleShape::Plane { point, normal } => {
            pose *= plane_pose(Vec3::from(*point), Vec3::from(*normal));
            (craze_contact::Shape::HalfSpace, Surface::default())
        }
        ObstacleShape::Sphere { radius } => {
            let shape = craze_contact::Shape::Ball { radius: *radius };
            (shape, drawn(document, &path, &Shape::Ball { radius: *radius }, radius * ROUNDNESS)?)
        }
        ObstacleShape::Box { size } => {
            let shape = craze_contact::Shape::Cuboid { half_size: 0.5 * Vec3::from(*size) };
            (shape, drawn(document, &path, &Shape::Box { size: *size }, 1.0)?)
        }
        ObstacleShape::Cylinder { radius, height } => {
            let shape = craze_contact::Shape::Cylinder { radius: *radius, half_height: 0.5 * height };
            let built_in = Shape::Cylinder { radius: *radius, height: *height };
            (shape, drawn(document, &path, &built_in, radius * ROUNDNESS)?)
        }
        ObstacleShape::Mesh { file, size, unit, up } => {
            let model = Model { file, size: *size, unit: *unit, up: *up };
            let key = format!("{path}.shape.mesh");
            let surface = model.read(document, &key)?;
            let shape = MeshShape::new(&surface.positions, &surface.triangles)
                .map_err(|error| rejected(document, &key, error, "repair the model in a modelling program"))?;
            (craze_contact::Shape::Mesh(Arc::new(shape)), frame_surface(surface))
        }
    };
    let drive = match &obstacle.motion {
        RigidMotion::Keyframes(keys) => Drive::Prescribed(Motion::Keyframes(keyframes(keys))),
        RigidMotion::Fixed | RigidMotion::Free { .. } => Drive::Prescribed(Motion::still()),
    };
    let mut built = Obstacle { name: obstacle.name.clone(), shape, surface, place: pose, drive };
    if let RigidMotion::Free { mass } = obstacle.motion {
        let spread = spread(document, &path, &obstacle.shape, &built.surface, mass)?;
        built.release(mass, spread.center, &spread.inertia, place.velocity.into(), place.spin.into());
    }
    Ok(built)
}

/// The frame whose y axis is the plane's normal.
fn plane_pose(point: Vec3, normal: Vec3) -> Isometry {
    let turn = Rotation::rotation_between(&Vec3::y(), &normal);
    // Upside down, every half turn about a level axis will do.
    let turn = turn.unwrap_or_else(|| Rotation::new(Vec3::x() * std::f64::consts::PI));
    Isometry::from_parts(point.into(), turn)
}

fn drawn(document: &SceneDocument, path: &str, shape: &Shape, edge: f64) -> Result<Surface, SceneError> {
    let surface = shape.surface(edge).map_err(|error| rejected(document, &format!("{path}.shape"), error, ""))?;
    Ok(frame_surface(surface))
}

fn frame_surface(surface: TriangleSurface) -> Surface {
    Surface { positions: surface.positions, triangles: surface.triangles, ..Surface::default() }
}

fn spread(
    document: &SceneDocument,
    path: &str,
    shape: &ObstacleShape,
    surface: &Surface,
    mass: f64,
) -> Result<MassSpread, SceneError> {
    match shape {
        ObstacleShape::Sphere { radius } => Ok(Shape::Ball { radius: *radius }.spread(mass)),
        ObstacleShape::Box { size } => Ok(Shape::Box { size: *size }.spread(mass)),
        ObstacleShape::Cylinder { radius, height } => {
            Ok(Shape::Cylinder { radius: *radius, height: *height }.spread(mass))
        }
        ObstacleShape::Mesh { .. } => {
            let surface =
                TriangleSurface { positions: surface.positions.clone(), triangles: surface.triangles.clone() };
            surface.spread(mass).ok_or_else(|| {
                let message = "the model encloses no volume that could carry a mass";
                rejected(document, &format!("{path}.shape"), message, "close the model, or turn its faces outward")
            })
        }
        ObstacleShape::Plane { .. } => {
            let message = "an endless plane cannot move freely";
            Err(rejected(document, &format!("{path}.mass"), message, "leave out `mass`, or use shape.box"))
        }
    }
}
