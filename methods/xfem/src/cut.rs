//! Cuts by planes: which elements they divide, and the level set of the crack that they make.

use crate::crack::{CutError, Growth, Side};
use crate::enrichment::Enrichment;
use craze_math::Vec3;
use craze_mesh::{TetId, TetMesh};
use std::collections::BTreeMap;

/// Distance of a node from a plane, as a share of the mean edge, up to which the plane passes
/// through the node.
const ON_PLANE: f64 = 1e-6;

/// A plane through the rest configuration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CutPlane {
    /// A point of it (m).
    pub point: Vec3,
    /// Its normal, toward the positive side.
    pub normal: Vec3,
}

impl CutPlane {
    /// A plane through a point (m) with a normal of any length.
    pub fn new(point: Vec3, normal: Vec3) -> Result<CutPlane, CutError> {
        let length = normal.norm();
        let is_sound = length.is_finite() && length > 0.0 && point.iter().all(|number| number.is_finite());
        if is_sound { Ok(CutPlane { point, normal: normal / length }) } else { Err(CutError::NoPlane) }
    }

    fn distance(&self, position: &Vec3) -> f64 {
        self.normal.dot(&(position - self.point))
    }
}

/// The growth of a new crack in a plane, within the elements whose part of the plane `is_inside`
/// accepts, by the centre of that part at rest (m). No elements if the plane misses the body.
/// `stops` are earlier cracks at which it ends.
pub fn planar(
    mesh: &TetMesh,
    enrichment: &Enrichment,
    plane: &CutPlane,
    stops: &[(u32, Side)],
    is_inside: impl Fn(&Vec3) -> bool,
) -> Growth {
    let tolerance = ON_PLANE * mean_edge(mesh);
    let level = |node: u32| {
        let distance = plane.distance(&mesh.positions()[node as usize]);
        if distance.abs() <= tolerance { 0.0 } else { distance }
    };
    let (mut elements, mut levels) = (Vec::new(), BTreeMap::new());
    for (element, nodes) in (0..).zip(mesh.elements()) {
        let at = nodes.map(level);
        let corners = mesh.corners(TetId(element));
        let Some(center) = center_of_cut(&at, &corners) else { continue };
        if is_inside(&center) && !is_behind(enrichment, element, &at, stops) {
            elements.push(element);
            levels.extend(nodes.iter().copied().zip(at));
        }
    }
    Growth {
        crack: enrichment.cracks.len() as u32,
        stops: stops.to_vec(),
        levels: levels.into_iter().collect(),
        elements,
    }
}

/// True if all of an element lies behind a crack that stops the cut.
fn is_behind(enrichment: &Enrichment, element: u32, _levels: &[f64; 4], stops: &[(u32, Side)]) -> bool {
    let is_wrong = |part: u32| {
        let part = &enrichment.parts[part as usize];
        stops.iter().any(|(stop, side)| part.side_of(*stop).is_some_and(|found| found != *side))
    };
    enrichment.parts_of(element).all(is_wrong)
}

/// Centre of the corners of the polygon in which f = 0 meets a tetrahedron; `None` where it touches
/// an edge or a node only. A face counts as met from both sides.
fn center_of_cut(levels: &[f64; 4], corners: &[Vec3; 4]) -> Option<Vec3> {
    let (mut sum, mut count) = (Vec3::zeros(), 0);
    for (i, &level) in levels.iter().enumerate() {
        if level == 0.0 {
            sum += corners[i];
            count += 1;
        }
        for j in 0..i {
            if level * levels[j] < 0.0 {
                let share = level / (level - levels[j]);
                sum += corners[i] + share * (corners[j] - corners[i]);
                count += 1;
            }
        }
    }
    (count > 2).then(|| sum / f64::from(count))
}

fn mean_edge(mesh: &TetMesh) -> f64 {
    // A regular tetrahedron of edge a has the volume a³/(6√2).
    let volume = mesh.total_measure() / mesh.element_count().max(1) as f64;
    (6.0 * std::f64::consts::SQRT_2 * volume).cbrt()
}
