//! Frame of a solid.

use crate::KIND;
use crate::blocks::{corners_of, velocities_of};
use crate::model::Solid;
use craze_body::PieceMeasure;
use craze_body::measure::pose;
use craze_element::Tetrahedron;
use craze_engine::FrameDetail;
use craze_frame::{BodyFrame, Data, Piece, Surface, Volume, names};
use craze_math::{Mat3, Vec3, symmetric_eigen};
use rayon::prelude::*;

impl Solid {
    pub(crate) fn picture(&self, detail: FrameDetail) -> BodyFrame {
        let (pieces, of_element) = self.pieces.present(&self.mesh);
        let (positions, velocities) = (self.positions(), self.velocities());
        let stresses = self.principal_stresses();
        BodyFrame {
            name: String::new(),
            method: KIND.to_owned(),
            materials: self.materials.iter().map(|material| material.name.clone()).collect(),
            look: None,
            surface: self.surface(&positions, &velocities, &stresses, &of_element),
            volume: (detail == FrameDetail::Volume)
                .then(|| self.volume(&positions, &velocities, &stresses, &of_element)),
            particles: None,
            pieces: self.measure_pieces(&positions, &of_element, &pieces),
            ..BodyFrame::default()
        }
    }

    /// Largest principal value of the true stress σ/2 (READINGS 1) of every element (Pa).
    pub fn principal_stresses(&self) -> Vec<f64> {
        (0..self.mesh.element_count()).into_par_iter().map(|element| self.principal_stress(element)).collect()
    }

    fn principal_stress(&self, element: usize) -> f64 {
        symmetric_eigen(&self.stress(element).1).values[0]
    }

    /// Cauchy stress σ = F·S·Fᵀ/det F of every element (Pa): xx, yy, zz, xy, yz, xz. Not a number
    /// in elements without volume.
    fn cauchy_stresses(&self) -> Vec<[f64; 6]> {
        let cauchy = |element: usize| {
            let (deformation, stress) = self.stress(element);
            let cauchy = deformation * stress * deformation.transpose() / deformation.determinant();
            [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)].map(|entry| cauchy[entry])
        };
        (0..self.mesh.element_count()).into_par_iter().map(cauchy).collect()
    }

    /// Deformation gradient and true second Piola–Kirchhoff stress σ/2 (READINGS 1) of an element
    /// (Pa).
    fn stress(&self, element: usize) -> (Mat3, Mat3) {
        let block = self.layout.block_of(element);
        let (rest, corners) = (self.layout.rest(block, element), &self.mesh.elements()[element]);
        let deformation = rest.deformation(&corners_of(&self.state, corners));
        let rate = match self.motions[block.island].is_asleep() {
            true => Mat3::zeros(),
            false => rest.deformation(&velocities_of(&self.state, corners)),
        };
        let (law, guard) = (&self.laws[self.layout.law(block, element)], &self.guards[block.law]);
        let stress = Tetrahedron::stress(law, guard, &deformation, &rate);
        (deformation, stress)
    }

    fn surface(&self, positions: &[Vec3], velocities: &[Vec3], stresses: &[f64], pieces: &[u32]) -> Surface {
        let boundary = self.mesh.boundary();
        let nodes = &self.surface.nodes;
        let gather = |values: &[Vec3]| nodes.iter().map(|&node| values[node as usize]).collect::<Vec<_>>();
        let rest: Vec<Vec3> = nodes.iter().map(|&node| self.placed(&self.mesh.positions()[node as usize])).collect();
        let at_nodes = self.average_to_nodes(stresses);
        let mut surface =
            Surface { positions: gather(positions), triangles: self.surface.triangles.clone(), ..Surface::default() };
        let vertices = &mut surface.vertex_attributes;
        vertices.set(names::VELOCITY, Data::Vector(gather(velocities)));
        vertices.set(names::REST, Data::Vector(rest));
        let stress = nodes.iter().map(|&node| at_nodes[node as usize]).collect();
        vertices.set(names::STRESS, Data::Scalar(stress));
        let faces = &mut surface.face_attributes;
        let piece = boundary.facets.iter().map(|facet| pieces[facet.element.index()]).collect();
        faces.set(names::PIECE, Data::Index(piece));
        let cracks = self.mesh.facet_attributes().labels(names::CRACK);
        let crack = |facet: &craze_mesh::Face| {
            cracks.map_or(0, |marks| marks[4 * facet.element.index() + facet.corner as usize])
        };
        faces.set(names::CRACK, Data::Index(boundary.facets.iter().map(crack).collect()));
        surface
    }

    fn volume(&self, positions: &[Vec3], velocities: &[Vec3], stresses: &[f64], pieces: &[u32]) -> Volume {
        let mut volume =
            Volume { positions: positions.to_vec(), tetrahedra: self.mesh.elements().to_vec(), ..Volume::default() };
        volume.node_attributes.set(names::VELOCITY, Data::Vector(velocities.to_vec()));
        let rest = self.mesh.positions().iter().map(|position| self.placed(position)).collect();
        volume.node_attributes.set(names::REST, Data::Vector(rest));
        volume.cell_attributes.set(names::STRESS, Data::Scalar(stresses.to_vec()));
        volume.cell_attributes.set(names::STRESS_TENSOR, Data::Tensor(self.cauchy_stresses()));
        volume.cell_attributes.set(names::PIECE, Data::Index(pieces.to_vec()));
        volume.cell_attributes.set(names::MATERIAL, Data::Index(self.material_of.clone()));
        volume
    }

    /// Means over the elements at each node, weighted by rest volume.
    fn average_to_nodes(&self, values: &[f64]) -> Vec<f64> {
        let (mut sums, mut weights) = (vec![0.0; self.state.len()], vec![0.0; self.state.len()]);
        for ((element, corners), value) in self.mesh.element_ids().zip(self.mesh.elements()).zip(values) {
            let volume = self.mesh.measure(element);
            for &corner in corners {
                sums[corner as usize] += volume * value;
                weights[corner as usize] += volume;
            }
        }
        sums.iter().zip(&weights).map(|(sum, weight)| sum / weight).collect()
    }

    /// Mass, volume and pose of every piece.
    fn measure_pieces(&self, positions: &[Vec3], piece_of: &[u32], numbers: &[u32]) -> Vec<Piece> {
        let mut measures = vec![PieceMeasure::default(); numbers.len()];
        for (element, corners) in self.mesh.element_ids().zip(self.mesh.elements()) {
            let (sum, volume) = (&mut measures[piece_of[element.index()] as usize], self.mesh.measure(element));
            let mass = volume * self.materials[self.material_of[element.index()] as usize].density;
            sum.add_matter(mass, volume);
            for &corner in corners {
                let rest = self.placed(&self.mesh.positions()[corner as usize]);
                sum.add_point(0.25 * mass, &rest, &positions[corner as usize]);
            }
        }
        let piece = |(sum, &id): (&PieceMeasure, &u32)| Piece {
            id,
            volume: sum.volume,
            mass: sum.mass,
            parent: self.pieces.lineage.parent(id),
            pose: pose(sum.center(), &sum.rotation()),
        };
        measures.iter().zip(numbers).map(piece).collect()
    }
}
