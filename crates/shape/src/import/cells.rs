//! What all readers of cells end in: cells of many kinds become the tetrahedra of a model, or else its triangles.

use std::path::Path;

use craze_math::Vec3;

use super::cursor::Fault;
use super::faces::{Corner, Faces, Welding};
use super::model::{Model, counted};
use super::volume::into_volume;
use crate::error::ShapeError;

/// The number of a node that an element names and the file does not have.
pub(crate) const MISSING: u32 = u32::MAX;

/// What a cell is, whatever its order: its corners come first among its nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CellKind {
    /// Points, lines and others without a surface; they mean nothing here.
    Thin,
    /// A polygon of this many corners.
    Face(usize),
    Tetrahedron,
    Hexahedron,
    Prism,
    Pyramid,
    /// A solid of many corners, or one of which the format's description says too little.
    Other,
}

/// Points and cells as they stand in a file. Whoever fills it has checked that every number exists or is [`MISSING`].
#[derive(Debug, Default)]
pub(crate) struct Cells {
    pub points: Vec<Vec3>,
    /// Four corners each, not judged yet.
    pub tetrahedra: Vec<[u32; 4]>,
    /// The file's region of every tetrahedron, or empty.
    pub regions: Vec<i64>,
    pub remarks: Vec<String>,
    faces: Faces,
    complete_faces: usize,
    incomplete_faces: usize,
    /// Tetrahedra and faces with nodes beside their corners.
    higher_order: usize,
    hexahedra: usize,
    prisms: usize,
    pyramids: usize,
    others: usize,
}

impl Cells {
    /// Adds a cell by all of its nodes, corners first.
    pub fn push(&mut self, kind: CellKind, nodes: &[u32]) {
        match (kind, nodes) {
            (CellKind::Thin, _) => {}
            (CellKind::Tetrahedron, &[a, b, c, d, ref rest @ ..]) => {
                self.tetrahedra.push([a, b, c, d]);
                self.higher_order += usize::from(!rest.is_empty());
            }
            (CellKind::Face(corners), nodes) if nodes.len() >= corners => {
                self.higher_order += usize::from(nodes.len() > corners);
                let corners = &nodes[..corners];
                if corners.contains(&MISSING) {
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

    /// The tetrahedra as a model's volume; or, of a file without any, its faces as a surface.
    pub fn into_model(mut self, path: &Path) -> Result<Model, ShapeError> {
        let solids = self.other_solids();
        if self.tetrahedra.is_empty() && self.complete_faces == 0 {
            let fault = match (solids.as_str(), self.incomplete_faces) {
                ("", 0) => Fault::in_part("cells", "there are neither tetrahedra nor triangles"),
                ("", faces) => Fault::in_part(
                    "cells",
                    format!(
                        "{} left out for nodes that are missing, and there is nothing else",
                        counted(faces, "face")
                    ),
                ),
                (solids, _) => Fault::not_supported(solids, "cut them into tetrahedra, such as with Gmsh"),
            };
            return Err(fault.in_file(path));
        }
        if self.higher_order > 0 {
            let cells = counted(self.higher_order, "cell");
            self.remarks.push(format!("{cells} of higher order taken by the corners, other nodes left out"));
        }
        if !solids.is_empty() {
            self.remarks.push(format!("{solids} left out: only tetrahedra and triangles are read"));
        }
        if self.tetrahedra.is_empty() {
            if self.incomplete_faces > 0 {
                let faces = counted(self.incomplete_faces, "face");
                self.remarks.push(format!("{faces} left out for nodes that are missing"));
            }
            self.faces.points = self.points;
            self.faces.remarks = self.remarks;
            return self.faces.into_model(Welding::Keep, path);
        }
        let faces = self.complete_faces + self.incomplete_faces;
        if faces > 0 {
            let faces = counted(faces, "face");
            self.remarks.push(format!("{faces} beside the tetrahedra left out: the surface is their boundary"));
        }
        into_volume(self.points, self.tetrahedra, &self.regions, self.remarks, path)
    }

    /// Cells that are not read, such as "2 hexahedra and 1 prism"; nothing if there are none.
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
    fn other_solids_are_counted_and_left_out() {
        let mut cells = Cells { points: corners_of_a_cube(), ..Cells::default() };
        cells.push(CellKind::Tetrahedron, &[0, 1, 2, 4, 3, 5]);
        cells.push(CellKind::Hexahedron, &[0; 8]);
        cells.push(CellKind::Hexahedron, &[0; 8]);
        cells.push(CellKind::Prism, &[0; 6]);
        cells.push(CellKind::Other, &[0; 9]);
        cells.push(CellKind::Thin, &[0; 2]);
        cells.push(CellKind::Face(3), &[0, 1, 2]);
        let model = cells.into_model(Path::new("mixed.msh")).expect("one tetrahedron");
        assert_eq!(model.volume.expect("a volume").tetrahedra, [[0, 1, 2, 3]]);
        assert_eq!(
            model.remarks,
            [
                "1 cell of higher order taken by the corners, other nodes left out",
                "2 hexahedra, 1 prism and 1 cell of another kind left out: only tetrahedra and triangles are read",
                "1 face beside the tetrahedra left out: the surface is their boundary",
                "4 nodes left out, used by no tetrahedron",
            ]
        );
    }

    #[test]
    fn faces_alone_make_a_surface_and_nothing_makes_an_error() {
        let mut cells = Cells { points: corners_of_a_cube(), ..Cells::default() };
        cells.push(CellKind::Face(4), &[0, 1, 3, 2]);
        cells.push(CellKind::Face(3), &[0, MISSING, 2]);
        let model = cells.into_model(Path::new("square.msh")).expect("a square");
        assert!(model.volume.is_none() && model.surface.triangles.len() == 2);
        assert_eq!(model.remarks[0], "1 face left out for nodes that are missing");

        let error = |cells: Cells| cells.into_model(Path::new("a.msh")).expect_err("no model").to_string();
        let mut cells = Cells::default();
        assert_eq!(error(Cells::default()), "a.msh, cells: there are neither tetrahedra nor triangles");
        cells.push(CellKind::Pyramid, &[0; 5]);
        let message = "a.msh uses 1 pyramid, which is not read: cut them into tetrahedra, such as with Gmsh";
        assert_eq!(error(cells), message);
        let mut cells = Cells::default();
        cells.push(CellKind::Face(3), &[MISSING; 3]);
        assert!(error(cells).contains("1 face left out for nodes that are missing"));
    }
}
