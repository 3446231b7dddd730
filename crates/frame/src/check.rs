//! Consistency check of frames.

use thiserror::Error;

use crate::model::{Attributes, BodyFrame, Data, Frame, Line, ObstacleShape, Sheet, Surface, names};

/// Why a frame is inconsistent.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum InvalidFrame {
    /// The time is not finite.
    #[error("the frame's time is {time}, which is not finite")]
    Time {
        /// Time of the frame (s).
        time: f64,
    },
    /// An element refers to a missing vertex.
    #[error("{owner}: {element} {index} uses vertex {vertex} of {count}")]
    Vertex {
        /// Body or obstacle.
        owner: String,
        /// Kind of element.
        element: &'static str,
        /// Its index.
        index: usize,
        /// The vertex index.
        vertex: u32,
        /// Number of vertices.
        count: usize,
    },
    /// An attribute does not have one value per element.
    #[error("{owner}: attribute '{attribute}' has {found} values for {expected} {elements}")]
    AttributeLength {
        /// Body or obstacle.
        owner: String,
        /// The attribute.
        attribute: String,
        /// Kind of element.
        elements: &'static str,
        /// Number of elements.
        expected: usize,
        /// Number of values.
        found: usize,
    },
    /// Two attributes of one kind of element have the same name.
    #[error("{owner}: two attributes of its {elements} are named '{attribute}'")]
    AttributeTwice {
        /// Body or obstacle.
        owner: String,
        /// The attribute.
        attribute: String,
        /// Kind of element.
        elements: &'static str,
    },
    /// An index attribute is out of range.
    #[error("{owner}: attribute '{attribute}' of its {elements} is {value} at {index}, but only {count} exist")]
    AttributeIndex {
        /// Body or obstacle.
        owner: String,
        /// The attribute: [`names::PIECE`], [`names::MATERIAL`] or [`names::SLOT`].
        attribute: &'static str,
        /// Kind of element.
        elements: &'static str,
        /// Index of the element.
        index: usize,
        /// The value.
        value: u32,
        /// Length of the list that it indexes.
        count: usize,
    },
    /// A parameter of a look is out of range.
    #[error("{owner}: a parameter of its look is out of range")]
    Look {
        /// The body.
        owner: String,
    },
    /// A line has no vertices, or refers to a missing one.
    #[error("{owner}: line {line} has no vertices, or a vertex beyond the {count} of the surface")]
    Line {
        /// Body or obstacle.
        owner: String,
        /// Index of the line.
        line: usize,
        /// Number of vertices.
        count: usize,
    },
    /// The thickness of a sheet is not a positive number.
    #[error("{owner}: the thickness of its sheet is {thickness} m; it must be above 0")]
    Thickness {
        /// Body or obstacle.
        owner: String,
        /// The thickness (m).
        thickness: f64,
    },
    /// A body has elements but no pieces.
    #[error("{owner} has elements but no pieces")]
    NoPieces {
        /// The body.
        owner: String,
    },
}

impl Frame {
    /// Checks that a frame is consistent: finite time, indices in range, one attribute value per
    /// element, unique attribute names, valid looks and thicknesses, pieces for all elements.
    /// Positions and attributes may hold any bits, so that failed frames can be inspected.
    pub fn check(&self) -> Result<(), InvalidFrame> {
        if !self.time.is_finite() {
            return Err(InvalidFrame::Time { time: self.time });
        }
        for body in &self.bodies {
            check_body(body)?;
        }
        for obstacle in &self.obstacles {
            if let ObstacleShape::Surface(surface) = &obstacle.shape {
                let owner = Owner { name: format!("obstacle '{}'", obstacle.name), lists: &[] };
                check_surface(surface, &owner)?;
            }
        }
        Ok(())
    }
}

/// A body or obstacle, and the lists that its attributes may index.
struct Owner<'frame> {
    name: String,
    lists: &'frame [(&'static str, usize)],
}

fn check_body(body: &BodyFrame) -> Result<(), InvalidFrame> {
    let lists = [(names::PIECE, body.pieces.len()), (names::MATERIAL, body.materials.len())];
    let owner = Owner { name: format!("body '{}'", body.name), lists: &lists };
    if body.look.is_some_and(|look| !look.is_possible()) {
        return Err(InvalidFrame::Look { owner: owner.name });
    }
    check_surface(&body.surface, &owner)?;
    let mut elements = body.surface.triangles.len();
    if let Some(volume) = &body.volume {
        check_vertices("tetrahedron", &volume.tetrahedra, volume.positions.len(), &owner)?;
        check_attributes("nodes", volume.positions.len(), &volume.node_attributes, &owner)?;
        check_attributes("tetrahedra", volume.tetrahedra.len(), &volume.cell_attributes, &owner)?;
        elements += volume.tetrahedra.len();
    }
    if let Some(particles) = &body.particles {
        check_attributes("particles", particles.positions.len(), &particles.attributes, &owner)?;
        elements += particles.positions.len();
    }
    if elements > 0 && body.pieces.is_empty() {
        return Err(InvalidFrame::NoPieces { owner: owner.name });
    }
    Ok(())
}

fn check_surface(surface: &Surface, owner: &Owner<'_>) -> Result<(), InvalidFrame> {
    let lists = [owner.lists, &[(names::SLOT, surface.slots.len())]].concat();
    let owner = &Owner { name: owner.name.clone(), lists: &lists };
    check_vertices("triangle", &surface.triangles, surface.positions.len(), owner)?;
    check_attributes("vertices", surface.positions.len(), &surface.vertex_attributes, owner)?;
    check_attributes("triangles", surface.triangles.len(), &surface.face_attributes, owner)?;
    check_attributes("corners", 3 * surface.triangles.len(), &surface.corner_attributes, owner)?;
    let count = surface.positions.len();
    for (line, Line { vertices, .. }) in surface.lines.iter().enumerate() {
        if vertices.is_empty() || vertices.iter().any(|&vertex| vertex as usize >= count) {
            return Err(InvalidFrame::Line { owner: owner.name.clone(), line, count });
        }
    }
    match surface.sheet {
        Some(Sheet { thickness }) if !(thickness > 0.0 && thickness.is_finite()) => {
            Err(InvalidFrame::Thickness { owner: owner.name.clone(), thickness })
        }
        _ => Ok(()),
    }
}

fn check_vertices<const CORNERS: usize>(
    element: &'static str,
    elements: &[[u32; CORNERS]],
    count: usize,
    owner: &Owner<'_>,
) -> Result<(), InvalidFrame> {
    for (index, corners) in elements.iter().enumerate() {
        if let Some(&vertex) = corners.iter().find(|&&vertex| vertex as usize >= count) {
            return Err(InvalidFrame::Vertex { owner: owner.name.clone(), element, index, vertex, count });
        }
    }
    Ok(())
}

fn check_attributes(
    elements: &'static str,
    expected: usize,
    attributes: &Attributes,
    owner: &Owner<'_>,
) -> Result<(), InvalidFrame> {
    for (position, attribute) in attributes.0.iter().enumerate() {
        let found = attribute.data.len();
        if found != expected {
            let attribute = attribute.name.clone();
            return Err(InvalidFrame::AttributeLength {
                owner: owner.name.clone(),
                attribute,
                elements,
                expected,
                found,
            });
        }
        if attributes.0[..position].iter().any(|earlier| earlier.name == attribute.name) {
            let attribute = attribute.name.clone();
            return Err(InvalidFrame::AttributeTwice { owner: owner.name.clone(), attribute, elements });
        }
        if let Data::Index(values) = &attribute.data
            && let Some(&(name, count)) = owner.lists.iter().find(|(name, _)| *name == attribute.name)
            && let Some(index) = values.iter().position(|&value| value as usize >= count)
        {
            return Err(InvalidFrame::AttributeIndex {
                owner: owner.name.clone(),
                attribute: name,
                elements,
                index,
                value: values[index],
                count,
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::frame_of_everything;

    /// The result of `check` for the frame after `change`.
    fn after(change: impl FnOnce(&mut Frame)) -> Result<(), InvalidFrame> {
        let mut frame = frame_of_everything();
        change(&mut frame);
        frame.check()
    }

    #[test]
    fn a_consistent_frame_passes() {
        assert_eq!(after(|_| ()), Ok(()));
        assert_eq!(Frame::default().check(), Ok(()));
    }

    #[test]
    fn a_time_that_is_no_number_is_refused() {
        assert!(matches!(after(|frame| frame.time = f64::NAN), Err(InvalidFrame::Time { .. })));
        assert!(matches!(after(|frame| frame.time = f64::INFINITY), Err(InvalidFrame::Time { .. })));
    }

    #[test]
    fn a_vertex_that_is_not_there_is_named() {
        let error = after(|frame| frame.bodies[0].surface.triangles[1][2] = 99).unwrap_err();
        assert_eq!(error.to_string(), "body 'pair': triangle 1 uses vertex 99 of 8");
        let error = after(|frame| frame.bodies[0].volume.as_mut().unwrap().tetrahedra[0][0] = 8).unwrap_err();
        assert_eq!(error.to_string(), "body 'pair': tetrahedron 0 uses vertex 8 of 8");
    }

    #[test]
    fn a_short_attribute_is_named() {
        let error = after(|frame| frame.bodies[1].particles.as_mut().unwrap().positions.truncate(1)).unwrap_err();
        assert_eq!(error.to_string(), "body 'cloud': attribute 'velocity' has 3 values for 1 particles");
    }

    #[test]
    fn an_attribute_given_twice_is_named() {
        let error = after(|frame| {
            let attributes = &mut frame.bodies[0].surface.face_attributes.0;
            attributes.push(attributes[0].clone());
        })
        .unwrap_err();
        assert_eq!(error.to_string(), "body 'pair': two attributes of its triangles are named 'piece'");
    }

    #[test]
    fn corners_slots_lines_and_thickness_are_checked() {
        let error = after(|frame| frame.bodies[0].surface.slots.truncate(1)).unwrap_err();
        assert_eq!(error.to_string(), "body 'pair': attribute 'slot' of its triangles is 1 at 0, but only 1 exist");
        let error = after(|frame| {
            frame.bodies[0].surface.corner_attributes.set(names::UV, Data::Pair(vec![[0.0; 2]; 8]));
        });
        let error = error.unwrap_err().to_string();
        assert_eq!(error, "body 'pair': attribute 'uv' has 8 values for 24 corners");
        for vertices in [vec![], vec![0, 8]] {
            let error = after(|frame| frame.bodies[0].surface.lines[0].vertices = vertices).unwrap_err();
            assert!(matches!(error, InvalidFrame::Line { line: 0, count: 8, .. }), "{error}");
        }
        for thickness in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let error = after(|frame| frame.bodies[0].surface.sheet = Some(Sheet { thickness })).unwrap_err();
            assert!(matches!(error, InvalidFrame::Thickness { .. }), "{error}");
        }
    }

    #[test]
    fn a_piece_that_is_not_there_is_named() {
        let error = after(|frame| frame.bodies[0].pieces.truncate(1)).unwrap_err();
        assert_eq!(error.to_string(), "body 'pair': attribute 'piece' of its triangles is 1 at 4, but only 1 exist");
    }

    #[test]
    fn elements_without_pieces_are_refused() {
        let result = after(|frame| {
            let body = &mut frame.bodies[0];
            body.pieces.clear();
            body.surface.face_attributes.0.clear();
            body.volume = None;
        });
        assert!(matches!(result, Err(InvalidFrame::NoPieces { .. })));
    }

    #[test]
    fn obstacles_are_checked_too() {
        let error = after(|frame| {
            let ObstacleShape::Surface(surface) = &mut frame.obstacles[1].shape else { panic!("a surface") };
            surface.triangles[0][0] = 7;
        })
        .unwrap_err();
        assert_eq!(error.to_string(), "obstacle 'ramp': triangle 0 uses vertex 7 of 3");
    }
}
