//! Partial cuts: a front inside an element.
//!
//! An element that a front has entered has the parts and degrees of freedom of a cut one. The uncut
//! share of the cut polygon is held by a cohesive bridge between both sides, of stiffness
//! (E/h)·(1 − s)/s per area with the cut share s of the polygon: rigid when the front enters the
//! element and zero when it leaves, continuous in its position, symmetric positive semidefinite, and
//! without degrees of freedom of its own. A jump that is zero stays zero under rotation, so that it
//! needs none.

use crate::crack::Side;
use crate::model::Xfem;
use crate::parts::{Part, ascending};
use craze_math::Vec3;
use craze_math::cells::{Cell, CellSide, CellSplit};

/// Least cut share that counts: the stiffest bridge is a million times as stiff as the element.
const LEAST_SHARE: f64 = 1e-6;

/// A bridge between two parts of an element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bridge {
    /// The part on the positive side, and that on the negative side.
    pub parts: [u32; 2],
    /// ∫k·N_i·N_j over the area between them (N/m), k the stiffness per area.
    pub stiffness: [[f64; 4]; 4],
}

impl Bridge {
    /// The degrees of freedom of both parts.
    pub fn dofs(&self, parts: &[Part]) -> [u32; 8] {
        let [positive, negative] = self.parts.map(|part| parts[part as usize].dofs);
        std::array::from_fn(|index| if index < 4 { positive[index] } else { negative[index - 4] })
    }

    /// Entry of the stiffness matrix (N/m) between two of the eight corners: the jump is the
    /// difference of both sides.
    pub fn entry(&self, row: usize, column: usize) -> f64 {
        let stiffness = self.stiffness[row % 4][column % 4];
        if (row < 4) == (column < 4) { stiffness } else { -stiffness }
    }

    /// Positions of the eight corners (m).
    pub fn corners(&self, body: &Xfem, positions: &[Vec3]) -> [Vec3; 8] {
        let [positive, negative] =
            self.parts.map(|part| body.corners(&body.enrichment.parts[part as usize], positions));
        std::array::from_fn(|index| if index < 4 { positive[index] } else { negative[index - 4] })
    }

    /// Forces on the eight corners (N).
    pub fn forces(&self, corners: &[Vec3; 8]) -> [Vec3; 8] {
        std::array::from_fn(|row| -(0..8).map(|column| self.entry(row, column) * corners[column]).sum::<Vec3>())
    }

    /// Energy stored (J).
    pub fn energy(&self, corners: &[Vec3; 8]) -> f64 {
        let forces = self.forces(corners);
        -0.5 * forces.iter().zip(corners).map(|(force, corner)| force.dot(corner)).sum::<f64>()
    }
}

/// Cut share of the polygon in which a crack divides an element, for a cut that lies where `ahead`
/// (m, linear, at the corners in ascending order of their nodes) is negative. One where the crack
/// does not divide the element.
pub(crate) fn cut_share(levels: &[f64; 4], ahead: &[f64; 4], corners: &[Vec3; 4]) -> f64 {
    let CellSplit::Both(positive, _) = Cell::tetrahedron().split(0, levels) else { return 1.0 };
    let polygon = polygon(&positive, 0);
    let area = |polygon: &[[f64; 4]]| area_of(&points(polygon, corners));
    let mut behind = polygon.clone();
    craze_math::cells::clip_polygon(&mut behind, ahead, -1.0);
    let whole = area(&polygon);
    if whole > 0.0 { (area(&behind) / whole).min(1.0) } else { 1.0 }
}

fn polygon(cell: &Cell, crack: u32) -> Vec<[f64; 4]> {
    let facet = cell.facets.iter().find(|facet| facet.side == CellSide::Cut(crack));
    let vertices = facet.map_or(&[][..], |facet| &facet.vertices);
    vertices.iter().map(|&vertex| cell.vertices[usize::from(vertex)].weights).collect()
}

fn points(polygon: &[[f64; 4]], corners: &[Vec3; 4]) -> Vec<Vec3> {
    polygon.iter().map(|weights| weights.iter().zip(corners).map(|(weight, corner)| *weight * corner).sum()).collect()
}

fn area_of(points: &[Vec3]) -> f64 {
    let Some(first) = points.first() else { return 0.0 };
    0.5 * points.windows(2).map(|pair| (pair[0] - first).cross(&(pair[1] - first))).sum::<Vec3>().norm()
}

/// All bridges of a body, by ascending element and crack.
pub(crate) fn bridges(body: &Xfem) -> Vec<Bridge> {
    let mut bridges = Vec::new();
    for (&(element, crack), &share) in &body.fronts {
        let nodes = &body.mesh.elements()[element as usize];
        let order = ascending(nodes);
        let corners = order.map(|corner| body.mesh.positions()[nodes[corner] as usize]);
        let volume = body.rest[element as usize].volume;
        // A regular tetrahedron of edge h has the volume h³/(6√2).
        let edge = (6.0 * std::f64::consts::SQRT_2 * volume).cbrt();
        let young = body.materials[body.material_of[element as usize] as usize].elasticity.young();
        let share = share.max(LEAST_SHARE);
        let per_area = young / edge * (1.0 - share) / share;
        let of_element: Vec<u32> = body.enrichment.parts_of(element).collect();
        for &one in &of_element {
            let part = &body.enrichment.parts[one as usize];
            let (Some(Side::Positive), Some(cell)) = (part.side_of(crack), &part.cell) else { continue };
            let polygon = polygon(cell, crack);
            // The part across the crack is on the same side of all others.
            let is_across = |other: &&u32| {
                let other = &body.enrichment.parts[**other as usize];
                other.side_of(crack) == Some(Side::Negative)
                    && other.sides.len() == part.sides.len()
                    && other.sides.iter().filter(|side| side.0 != crack).all(|side| part.sides.contains(side))
            };
            let Some(&other) = of_element.iter().find(is_across) else { continue };
            let mut stiffness = [[0.0; 4]; 4];
            for pair in polygon.windows(2).skip(1) {
                let triangle = [polygon[0], pair[0], pair[1]];
                let area = area_of(&points(&triangle, &corners));
                for (i, &row) in order.iter().enumerate() {
                    for (j, &column) in order.iter().enumerate() {
                        let mixed: f64 = triangle.iter().map(|weights| weights[i] * weights[j]).sum();
                        let sum = |rank: usize| triangle.iter().map(|weights| weights[rank]).sum::<f64>();
                        stiffness[row][column] += per_area * area / 12.0 * (mixed + sum(i) * sum(j));
                    }
                }
            }
            bridges.push(Bridge { parts: [one, other], stiffness });
        }
    }
    bridges
}
