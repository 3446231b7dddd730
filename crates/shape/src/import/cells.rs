//! Cells of volume meshes: converted to the tetrahedra of a model, or to its triangles.

use std::path::Path;

use craze_math::Vec3;
use craze_spatial::WindingTree;
use rayon::prelude::*;

use super::cursor::ParseError;
use super::faces::{Corner, Faces, Welding};
use super::model::Model;
use super::volume::volume_model;
use crate::error::ShapeError;
use crate::number_format::counted;

/// Index of a node that an element refers to and the file lacks.
pub(crate) const MISSING_NODE: u32 = u32::MAX;

/// Kind of a cell of any order; corner nodes come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CellKind {
    /// Cells without area; ignored.
    PointOrLine,
    /// A polygon with this number of corners.
    Face(usize),
    Tetrahedron,
    Hexahedron,
    Prism,
    Pyramid,
    /// A polyhedron, or a cell whose format is underspecified.
    Other,
}

/// Points and cells of a file. The reader has checked that each index is valid or [`MISSING_NODE`].
#[derive(Debug, Default)]
pub(crate) struct Cells {
    pub points: Vec<Vec3>,
    /// Corner nodes, not validated yet.
    pub tetrahedra: Vec<[u32; 4]>,
    /// The file's region of each tetrahedron, or empty.
    pub regions: Vec<i64>,
    pub remarks: Vec<String>,
    faces: Faces,
    complete_faces: usize,
    incomplete_faces: usize,
    /// Tetrahedra and faces with nodes other than corners.
    higher_order: usize,
    hexahedra: usize,
    prisms: usize,
    pyramids: usize,
    others: usize,
}

impl Cells {
    /// Adds a cell; `nodes` starts with its corners.
    pub fn push(&mut self, kind: CellKind, nodes: &[u32]) {
        match (kind, nodes) {
            (CellKind::PointOrLine, _) => {}
            (CellKind::Tetrahedron, &[a, b, c, d, ref rest @ ..]) => {
                self.tetrahedra.push([a, b, c, d]);
                self.higher_order += usize::from(!rest.is_empty());
            }
            (CellKind::Face(corners), nodes) if nodes.len() >= corners => {
                self.higher_order += usize::from(nodes.len() > corners);
                let corners = &nodes[..corners];
                if corners.contains(&MISSING_NODE) {
                    self.incomplete_faces += 1;
                } else {
                    let corners = corners.iter().map(|&point| Corner { point, texture: None, normal: None });
                    self.faces.push(corners, None);
                    self.complete_faces += 1;
                }
            }
            (CellKind::Hexahedron, _) => self.hexahedra += 1,
            (CellKind::Prism, _) => self.prisms += 1,
            (CellKind::Pyramid, _) => self.pyramids += 1,
            (CellKind::Other | CellKind::Tetrahedron | CellKind::Face(_), _) => self.others += 1,
        }
    }

    /// Converts the tetrahedra to a volume, or, if there are none, the faces to a surface.
    pub fn into_model(mut self, path: &Path) -> Result<Model, ShapeError> {
        let solids = self.other_solids();
        if self.tetrahedra.is_empty() && self.complete_faces == 0 {
            let error = match (solids.as_str(), self.incomplete_faces) {
                ("", 0) => ParseError::in_part("cells", "there are neither tetrahedra nor triangles"),
                ("", faces) => ParseError::in_part(
                    "cells",
                    format!("{} left out: missing nodes, and there is nothing else", counted(faces, "face")),
                ),
                (solids, _) => ParseError::unsupported(solids, "cut them into tetrahedra, such as with Gmsh"),
            };
            return Err(error.in_file(path));
        }
        if self.higher_order > 0 {
            let cells = counted(self.higher_order, "cell");
            self.remarks.push(format!("{cells} of higher order reduced to corner nodes"));
        }
        if !solids.is_empty() {
            self.remarks.push(format!("{solids} left out: only tetrahedra and triangles are supported"));
        }
        if self.tetrahedra.is_empty() {
            if self.incomplete_faces > 0 {
                let faces = counted(self.incomplete_faces, "face");
                self.remarks.push(format!("{faces} left out: missing nodes"));
            }
            self.faces.points = self.points;
            self.faces.remarks = self.remarks;
            return self.faces.into_model(Welding::Keep, path);
        }
        let faces = self.complete_faces + self.incomplete_faces;
        let mut outside = Vec::new();
        if faces > 0 {
            outside = self.cells_outside_faces(path).unwrap_or_default();
            let remark = match outside.iter().filter(|is| **is).count() {
                0 => "left out: the surface is the boundary of the tetrahedra".to_owned(),
                count => {
                    let left_out = counted(count, "tetrahedron");
                    format!("enclose only part of the tetrahedra: {left_out} outside left out")
                }
            };
            self.remarks.push(format!("{} {remark}", counted(faces, "face")));
        }
        volume_model(self.points, &self.tetrahedra, &outside, &self.regions, self.remarks, path)
    }

    /// Marks tetrahedra outside the closed surface of the file's own faces, such as those that fill
    /// a convex hull. `None` if the faces enclose none of them, or if the faces only separate
    /// regions with different numbers: then all tetrahedra are kept.
    fn cells_outside_faces(&mut self, path: &Path) -> Option<Vec<bool>> {
        let mut faces = std::mem::take(&mut self.faces);
        if self.incomplete_faces > 0 {
            return None;
        }
        faces.points.clone_from(&self.points);
        let surface = faces.into_model(Welding::Keep, path).ok()?.surface;
        surface.check_closed().ok()?;
        let winding = WindingTree::new(&surface.positions, &surface.triangles).ok()?;
        let is_inside = |nodes: &[u32; 4]| {
            let corners = nodes.iter().filter_map(|&node| self.points.get(node as usize));
            // Negative if all faces are oriented inward.
            winding.winding_number(&(corners.sum::<Vec3>() * 0.25)).abs() > 0.5
        };
        let outside: Vec<bool> = self.tetrahedra.par_iter().with_min_len(1024).map(|nodes| !is_inside(nodes)).collect();
        let count = outside.iter().filter(|is| **is).count();
        let mut sides: Vec<(i64, bool)> = self.regions.iter().copied().zip(outside.iter().copied()).collect();
        sides.sort_unstable();
        sides.dedup();
        let faces_separate_regions = sides.len() > 1 && sides.windows(2).all(|pair| pair[0].0 != pair[1].0);
        let keep_all = count == outside.len() || (count > 0 && faces_separate_regions);
        (!keep_all).then_some(outside)
    }

    /// Lists the unsupported cells, such as "2 hexahedra and 1 prism"; empty if there are none.
    fn other_solids(&self) -> String {
        let kinds = [
            (self.hexahedra, "hexahedron"),
            (self.prisms, "prism"),
            (self.pyramids, "pyramid"),
            (self.others, "cell of another kind"),
        ];
        let listed: Vec<String> = kinds
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|&(count, noun)| match noun.split_once(' ') {
                Some((noun, rest)) => format!("{} {rest}", counted(count, noun)),
                None => counted(count, noun),
            })
            .collect();
        match listed.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
            _ => listed.concat(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corners_of_a_cube() -> Vec<Vec3> {
        let bit = |k: u32, axis: u32| f64::from(k >> axis & 1);
        (0..8).map(|k| Vec3::new(bit(k, 0), bit(k, 1), bit(k, 2))).collect()
    }

    #[test]
    fn unsupported_cells_are_counted_and_left_out() {
        let mut cells = Cells { points: corners_of_a_cube(), ..Cells::default() };
        cells.push(CellKind::Tetrahedron, &[0, 1, 2, 4, 3, 5]);
        cells.push(CellKind::Hexahedron, &[0; 8]);
        cells.push(CellKind::Hexahedron, &[0; 8]);
        cells.push(CellKind::Prism, &[0; 6]);
        cells.push(CellKind::Other, &[0; 9]);
        cells.push(CellKind::PointOrLine, &[0; 2]);
        cells.push(CellKind::Face(3), &[0, 1, 2]);
        let model = cells.into_model(Path::new("mixed.msh")).expect("one tetrahedron");
        assert_eq!(model.volume.expect("a volume").tetrahedra, [[0, 1, 2, 3]]);
        assert_eq!(
            model.remarks,
            [
                "1 cell of higher order reduced to corner nodes",
                "2 hexahedra, 1 prism and 1 cell of another kind left out: only tetrahedra and triangles are supported",
                "1 face left out: the surface is the boundary of the tetrahedra",
                "4 nodes left out, used by no tetrahedron",
            ]
        );
    }

    #[test]
    fn faces_alone_make_a_surface_and_an_empty_file_an_error() {
        let mut cells = Cells { points: corners_of_a_cube(), ..Cells::default() };
        cells.push(CellKind::Face(4), &[0, 1, 3, 2]);
        cells.push(CellKind::Face(3), &[0, MISSING_NODE, 2]);
        let model = cells.into_model(Path::new("square.msh")).expect("a square");
        assert!(model.volume.is_none() && model.surface.triangles.len() == 2);
        assert_eq!(model.remarks[0], "1 face left out: missing nodes");

        let error = |cells: Cells| cells.into_model(Path::new("a.msh")).expect_err("no model").to_string();
        let mut cells = Cells::default();
        assert_eq!(error(Cells::default()), "a.msh, cells: there are neither tetrahedra nor triangles");
        cells.push(CellKind::Pyramid, &[0; 5]);
        let message = "a.msh uses 1 pyramid, which is not supported: cut them into tetrahedra, such as with Gmsh";
        assert_eq!(error(cells), message);
        let mut cells = Cells::default();
        cells.push(CellKind::Face(3), &[MISSING_NODE; 3]);
        assert!(error(cells).contains("1 face left out: missing nodes"));
    }

    /// The cube [0, 2]³ as eight unit cubes of six tetrahedra each, and the faces of the unit cube
    /// at 0.
    fn filled_hull(regions: impl Fn(bool) -> i64) -> Cells {
        let mut cells = Cells::default();
        let number = |[x, y, z]: [u32; 3]| 9 * z + 3 * y + x;
        for index in 0..27u32 {
            cells.points.push(Vec3::new(f64::from(index % 3), f64::from(index / 3 % 3), f64::from(index / 9)));
        }
        for cube in 0..8u32 {
            let low = [cube & 1, cube >> 1 & 1, cube >> 2];
            for order in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [1, 0, 2], [0, 2, 1], [2, 1, 0]] {
                let mut coordinates = low;
                let mut nodes = vec![number(coordinates)];
                for axis in order {
                    coordinates[axis] += 1;
                    nodes.push(number(coordinates));
                }
                cells.push(CellKind::Tetrahedron, &nodes);
                cells.regions.push(regions(cube == 0));
            }
        }
        for axis in 0..3 {
            for side in 0..2 {
                let corner = |a: u32, b: u32| {
                    let mut coordinates = [side; 3];
                    (coordinates[(axis + 1) % 3], coordinates[(axis + 2) % 3]) = (a, b);
                    number(coordinates)
                };
                let mut square = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                if side == 0 {
                    square.reverse();
                }
                cells.push(CellKind::Face(4), &square);
            }
        }
        cells
    }

    #[test]
    fn tetrahedra_outside_closed_faces_are_left_out_unless_regions_differ() {
        let model = filled_hull(|_| 7).into_model(Path::new("hull.mesh")).expect("a model");
        let volume = model.volume.expect("tetrahedra");
        assert_eq!((volume.tetrahedra.len(), volume.regions), (6, vec![7; 6]));
        assert!((model.surface.closed_volume().expect("closed") - 1.0).abs() < 1e-12);
        let remark = "6 faces enclose only part of the tetrahedra: 42 tetrahedra outside left out";
        assert_eq!(model.remarks[0], remark);

        // Errors count the omitted tetrahedra as well.
        let mut overlapping = filled_hull(|_| 7);
        overlapping.tetrahedra.rotate_left(6);
        let [a, b, c, d] = overlapping.tetrahedra[47];
        overlapping.points.push((overlapping.points[a as usize] + overlapping.points[d as usize]) * 0.4);
        overlapping.tetrahedra.push([a, b, c, 27]);
        overlapping.regions.push(7);
        let error = overlapping.into_model(Path::new("hull.mesh")).expect_err("an overlap").to_string();
        assert!(error.contains("48") && error.contains("49"), "{error} {d}");

        let inclusion = filled_hull(i64::from).into_model(Path::new("inclusion.mesh")).expect("a model");
        assert_eq!(inclusion.volume.expect("tetrahedra").tetrahedra.len(), 48);

        let mut open = filled_hull(|_| 7);
        open.incomplete_faces += 1;
        assert_eq!(open.into_model(Path::new("open.mesh")).expect("a model").volume.expect("all").tetrahedra.len(), 48);
    }
}
