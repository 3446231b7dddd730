//! Checks that a format can hold all positions.

use craze_frame::{Frame, ObstacleShape};
use craze_math::Vec3;

use crate::{ExportError, Format};

/// Checks that all positions of a frame are finite and within the format's range, before anything
/// is written.
pub(crate) fn positions(frame: &Frame, format: Format) -> Result<(), ExportError> {
    let check =
        |owner: &str, element, positions: &[Vec3]| check_points(frame.number, format, owner, element, positions);
    for body in &frame.bodies {
        let owner = format!("body '{}'", body.name);
        check(&owner, "vertex", &body.surface.positions)?;
        if let Some(volume) = &body.volume {
            check(&owner, "node", &volume.positions)?;
        }
        if let Some(particles) = &body.particles {
            check(&owner, "particle", &particles.positions)?;
        }
    }
    for obstacle in &frame.obstacles {
        if let ObstacleShape::Surface(surface) = &obstacle.shape {
            check(&format!("obstacle '{}'", obstacle.name), "vertex", &surface.positions)?;
        }
    }
    Ok(())
}

/// Checks that positions are finite and within the format's range.
pub(crate) fn check_points(
    frame: u32,
    format: Format,
    owner: &str,
    element: &'static str,
    positions: &[Vec3],
) -> Result<(), ExportError> {
    let largest = format.largest_coordinate();
    let fits = |position: &Vec3| position.iter().all(|coordinate| coordinate.abs() <= largest);
    // NaN fails every comparison.
    let Some(index) = positions.iter().position(|position| !fits(position)) else { return Ok(()) };
    let (owner, position) = (owner.to_owned(), positions[index].into());
    if positions[index].iter().all(|coordinate| coordinate.is_finite()) {
        Err(ExportError::OutOfRange { frame, owner, element, index, position, format })
    } else {
        Err(ExportError::NotFinite { frame, owner, element, index, position })
    }
}
