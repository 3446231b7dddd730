//! Frame of a body: the surface of all its parts.

use crate::KIND;
use crate::model::Xfem;
use craze_body::PieceMeasure;
use craze_body::measure::pose;
use craze_element::Corotation;
use craze_engine::FrameDetail;
use craze_frame::{BodyFrame, Data, Piece, Surface, Volume, names};
use craze_math::{Mat3, Vec3, symmetric_eigen};
use rayon::prelude::*;

impl Xfem {
    pub(crate) fn body_frame(&self, detail: FrameDetail) -> BodyFrame {
        let present = self.pieces.present();
        let index = |piece: u32| present.partition_point(|&other| other < piece) as u32;
        let of_part: Vec<u32> = self.enrichment.parts.iter().map(|part| index(self.pieces.of(part))).collect();
        BodyFrame {
            name: String::new(),
            method: KIND.to_owned(),
            materials: self.materials.iter().map(|material| material.name.clone()).collect(),
            look: None,
            surface: self.frame_surface(&of_part),
            volume: (detail == FrameDetail::Volume).then(|| self.frame_volume(&of_part)),
            particles: None,
            pieces: self.frame_pieces(&of_part, &present),
            ..BodyFrame::default()
        }
    }

    /// Stress of a part in the world (Pa).
    pub(crate) fn stress_of(&self, part: u32) -> Mat3 {
        let part = &self.enrichment.parts[part as usize];
        if !part.is_stiff {
            return Mat3::zeros();
        }
        let element = part.element as usize;
        let corotation = Corotation::of(&self.rest[element].deformation(&self.corners(part, &self.state.positions)));
        let stress = self.laws[self.material_of[element] as usize].stress(&corotation.strain);
        corotation.rotation * stress * corotation.rotation.transpose()
    }

    /// Largest principal stress of every part (Pa).
    pub fn principal_stresses(&self) -> Vec<f64> {
        let of_part = |part: u32| symmetric_eigen(&self.stress_of(part)).values[0];
        (0..self.enrichment.parts.len() as u32).into_par_iter().map(of_part).collect()
    }

    fn frame_surface(&self, of_part: &[u32]) -> Surface {
        let own = &self.surface;
        let stresses = self.principal_stresses();
        let mut at_vertices = vec![(0.0, 0u32); own.vertices.len()];
        for (triangle, source) in own.triangles.iter().zip(&own.sources) {
            for &vertex in triangle {
                let sum = &mut at_vertices[vertex as usize];
                *sum = (sum.0 + stresses[source.part as usize], sum.1 + 1);
            }
        }
        let mut surface = Surface {
            positions: own.vertices.iter().map(|vertex| vertex.position(&self.state.positions)).collect(),
            triangles: own.triangles.clone(),
            ..Surface::default()
        };
        let vertices = &mut surface.vertex_attributes;
        let velocities = own.vertices.iter().map(|vertex| vertex.velocity(&self.state)).collect();
        vertices.set(names::VELOCITY, Data::Vector(velocities));
        vertices.set(names::REST, Data::Vector(own.vertices.iter().map(|vertex| vertex.rest).collect()));
        let mean = |(sum, count): &(f64, u32)| if *count > 0 { sum / f64::from(*count) } else { 0.0 };
        vertices.set(names::STRESS, Data::Scalar(at_vertices.iter().map(mean).collect()));
        let faces = &mut surface.face_attributes;
        let pieces = own.sources.iter().map(|source| of_part[source.part as usize]).collect();
        faces.set(names::PIECE, Data::Index(pieces));
        let cracks = own.sources.iter().map(|source| u32::from(source.is_crack)).collect();
        faces.set(names::CRACK, Data::Index(cracks));
        surface
    }

    /// The tetrahedra of all parts: cut elements appear once for each part, whole.
    fn frame_volume(&self, of_part: &[u32]) -> Volume {
        let parts = &self.enrichment.parts;
        let mut volume = Volume {
            positions: self.state.positions.clone(),
            tetrahedra: parts.iter().map(|part| part.dofs).collect(),
            ..Volume::default()
        };
        let materials = parts.iter().map(|part| self.material_of[part.element as usize]).collect();
        volume.node_attributes.set(names::VELOCITY, Data::Vector(self.state.velocities.clone()));
        volume.cell_attributes.set(names::STRESS, Data::Scalar(self.principal_stresses()));
        volume.cell_attributes.set(names::PIECE, Data::Index(of_part.to_vec()));
        volume.cell_attributes.set(names::MATERIAL, Data::Index(materials));
        volume
    }

    fn frame_pieces(&self, of_part: &[u32], present: &[u32]) -> Vec<Piece> {
        let mut measures = vec![PieceMeasure::default(); present.len()];
        for (part, &piece) in self.enrichment.parts.iter().zip(of_part) {
            let measure = &mut measures[piece as usize];
            let mass = self.mass_of_element(part.element);
            measure.add_matter(mass * part.share, self.rest[part.element as usize].volume * part.share);
            let nodes = &self.mesh.elements()[part.element as usize];
            let corners = self.corners(part, &self.state.positions);
            let mean = |of: &dyn Fn(usize) -> Vec3| {
                (0..4).map(|corner| part.first[corner] / part.share * of(corner)).sum::<Vec3>()
            };
            if part.share > 0.0 {
                let rest = mean(&|corner| self.placed(&self.mesh.positions()[nodes[corner] as usize]));
                measure.add_point(mass * part.share, &rest, &mean(&|corner| corners[corner]));
            }
        }
        let piece = |(measure, &id): (&PieceMeasure, &u32)| Piece {
            id,
            volume: measure.volume,
            mass: measure.mass,
            parent: self.pieces.lineage.parent(id),
            pose: pose(measure.center(), &measure.rotation()),
        };
        measures.iter().zip(present).map(piece).collect()
    }
}
