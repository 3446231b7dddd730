//! A box of bars with panes between them.

use std::collections::BTreeMap;

use craze_math::Vec3;
use craze_mesh::{PlaneDomain, TriMesh, VertexId, triangulate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::{check_below, check_length};
use super::{BuiltInSheet, SheetError, SheetMesh};

/// A box with bars along all edges and a pane in the middle of each side, as in Pfaff et al. 2014,
/// figure 2 (an aluminium frame with glass panes). Faces outward.
///
/// Material 0 is the frame, 1 the panes. Edges of the box and borders of the panes are feature
/// lines. Material coordinates keep every length.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BoxFrame {
    /// Lengths along x, y and z.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub size: [f64; 3],
    /// Width of the bars on each side.
    #[schemars(extend("x-unit" = "m", "exclusiveMinimum" = 0))]
    pub bar: f64,
}

impl Default for BoxFrame {
    fn default() -> Self {
        Self { size: [0.3, 0.2, 0.2], bar: 0.02 }
    }
}

/// The axes of each side; their cross product is the outward normal. Cyclic order means the side at
/// +½ of the third axis.
const SIDES: [[usize; 2]; 6] = [[1, 2], [2, 1], [2, 0], [0, 2], [0, 1], [1, 0]];

/// Key of a vertex on the edges of the box: its steps along each axis.
type EdgeKey = [usize; 3];

impl BuiltInSheet for BoxFrame {
    fn check(&self) -> Result<(), SheetError> {
        self.size.iter().try_for_each(|&length| check_length("size", length))?;
        let least = self.size.iter().copied().fold(f64::INFINITY, f64::min);
        // Narrower panes would be divided differently from the edges of the box.
        check_below("bar", self.bar, least / 3.9, "about a quarter of the shortest side")
    }

    fn area(&self) -> f64 {
        let [x, y, z] = self.size;
        2.0 * (x * y + y * z + z * x)
    }

    fn size(&self) -> Vec3 {
        self.size.into()
    }

    fn materials(&self) -> &'static [&'static str] {
        &["frame", "pane"]
    }

    fn mesh(&self, edge: f64) -> Result<SheetMesh, SheetError> {
        let mut box_mesh = Assembly::default();
        // Bars at least one triangle wide; both sides of a box edge divided alike.
        let step = edge.min(self.bar);
        let steps = self.size.map(|length| (length / step).round().max(1.0) as usize);
        let mut offset = 0.0;
        for [along, across] in SIDES {
            self.add_side(&mut box_mesh, [along, across], steps, edge, offset)?;
            offset += self.size[along] + edge;
        }
        let mesh = TriMesh::from_parts(box_mesh.positions, box_mesh.triangles)?;
        Ok(SheetMesh::new(mesh, box_mesh.coordinates, box_mesh.materials, box_mesh.features))
    }
}

#[derive(Default)]
struct Assembly {
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    coordinates: Vec<[[f64; 2]; 3]>,
    materials: Vec<u32>,
    features: Vec<[VertexId; 2]>,
    /// Vertices on the edges of the box, shared by two or three sides.
    shared: BTreeMap<EdgeKey, u32>,
}

impl BoxFrame {
    fn add_side(
        &self,
        assembly: &mut Assembly,
        [along, across]: [usize; 2],
        steps: [usize; 3],
        edge: f64,
        offset: f64,
    ) -> Result<(), SheetError> {
        let third = 3 - along - across;
        let outward = (along + 1) % 3 == across;
        let [length, width] = [self.size[along], self.size[across]];
        // Outline as keys in the plane of the side.
        let mut rim: Vec<[usize; 2]> = Vec::new();
        rim.extend((0..steps[along]).map(|k| [k, 0]));
        rim.extend((0..steps[across]).map(|k| [steps[along], k]));
        rim.extend((1..=steps[along]).rev().map(|k| [k, steps[across]]));
        rim.extend((1..=steps[across]).rev().map(|k| [0, k]));
        let position_of = |[u, v]: [usize; 2]| {
            [length * (u as f64 / steps[along] as f64 - 0.5), width * (v as f64 / steps[across] as f64 - 0.5)]
        };
        let outline: Vec<[f64; 2]> = rim.iter().map(|&point| position_of(point)).collect();
        let [x, y] = [0.5 * length - self.bar, 0.5 * width - self.bar];
        let pane = vec![[-x, -y], [x, -y], [x, y], [-x, y], [-x, -y]];
        let made =
            triangulate(&PlaneDomain { outline: outline.clone(), lines: vec![pane], ..Default::default() }, edge)?;
        let keys: BTreeMap<[u64; 2], [usize; 2]> =
            outline.iter().zip(&rim).map(|(at, &key)| (at.map(bits), key)).collect();
        let vertices: Vec<u32> = (made.mesh.positions().iter())
            .map(|at| {
                let mut position = Vec3::zeros();
                position[along] = at.x;
                position[across] = at.y;
                position[third] = if outward { 0.5 } else { -0.5 } * self.size[third];
                let new = assembly.positions.len() as u32;
                let vertex = match keys.get(&[at.x, at.y].map(bits)) {
                    None => new,
                    Some(&[u, v]) => {
                        let mut key = [0; 3];
                        (key[along], key[across]) = (u, v);
                        key[third] = if outward { steps[third] } else { 0 };
                        *assembly.shared.entry(key).or_insert(new)
                    }
                };
                if vertex == new {
                    assembly.positions.push(position);
                }
                vertex
            })
            .collect();
        let flat = |vertex: u32| [made.mesh.positions()[vertex as usize].x, made.mesh.positions()[vertex as usize].y];
        for corners in made.mesh.elements() {
            assembly.triangles.push(corners.map(|corner| vertices[corner as usize]));
            assembly.coordinates.push(corners.map(|corner| [flat(corner)[0] + offset, flat(corner)[1]]));
            let middle: [f64; 2] =
                [0, 1].map(|axis| corners.iter().map(|&corner| flat(corner)[axis]).sum::<f64>() / 3.0);
            assembly.materials.push(u32::from(middle[0].abs() < x && middle[1].abs() < y));
        }
        let lines = made.lines.iter().copied().chain(made.mesh.boundary().edges);
        assembly.features.extend(lines.map(|ends| ends.map(|end| VertexId(vertices[end.index()]))));
        Ok(())
    }
}

/// Maps −0 to 0.
fn bits(coordinate: f64) -> u64 {
    (coordinate + 0.0).to_bits()
}
