//! Bending of a triangle of a sheet by the dihedral angles at its three edges: the tensor (3) of
//! Pfaff et al. 2014 (Gingold et al. 2004).
//!
//! A triangle is coupled to the corners across its edges: six positions in the order of
//! [`HingePositions`] below. Angles are dihedral angles minus those at rest, by edge; edge `i` is
//! opposite corner `i`.
//!
//! [`HingePositions`]: crate::HingePositions

use craze_math::{Mat2, Mat3, Vec2, Vec3};
use serde::{Deserialize, Serialize};

/// Bending law of a sheet.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BendingLaw {
    /// k_b = α·Y·h³/(12·(1 − ν²)) (N·m).
    pub rigidity: f64,
    /// Poisson's ratio ν (1).
    pub poisson: f64,
}

impl BendingLaw {
    /// The law of a sheet of Young's modulus (Pa), Poisson's ratio (1) and thickness (m). `rolling`
    /// is α: the bending stiffness relative to that of a homogeneous plate (rolled steel).
    pub fn new(young: f64, poisson: f64, thickness: f64, rolling: f64) -> BendingLaw {
        BendingLaw { rigidity: rolling * young * thickness.powi(3) / (12.0 * (1.0 - poisson * poisson)), poisson }
    }

    /// (1 − ν)·A:B + ν·tr A·tr B.
    fn product(&self, a: &Mat2, b: &Mat2) -> f64 {
        (1.0 - self.poisson) * a.dot(b) + self.poisson * a.trace() * b.trace()
    }

    /// The share of the angle between two triangles that the first one bends by: ½ for equal
    /// rigidities (N·m). The bending moment is continuous across the edge, so that the softer
    /// triangle takes the larger share.
    pub fn share_of_angle(own: f64, other: f64) -> f64 {
        let sum = own + other;
        if sum > 0.0 { other / sum } else { 0.5 }
    }
}

/// What lies across an edge of a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PlateEdge {
    /// A triangle; this one bends by a share of the dihedral angle
    /// ([`BendingLaw::share_of_angle`]).
    Hinge {
        /// The share (1).
        share: f64,
    },
    /// Nothing: the edge bears no bending moment, and the curvature across it takes the value of
    /// least energy. With an angle of zero instead, free edges would be clamped against anticlastic
    /// curvature.
    Free,
}

/// A triangle that bends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plate {
    /// Curvature per angle of each edge (1/m) as in (3): share·l/A·t·tᵀ, with t the unit normal of
    /// the edge in the plane (READINGS 6).
    basis: [Mat2; 3],
    /// The same with the curvature across free edges at its value of least energy.
    folds: [Mat2; 3],
    /// Second derivatives of the energy by the angles (N·m).
    form: Mat3,
}

impl Plate {
    /// A triangle with the plate energy k_b·A/2·[(1 − ν)·S:S + ν·(tr S)²] (READINGS 7). `rest` is
    /// its rest shape (m), counter-clockwise.
    pub fn new(rest: &[Vec2; 3], law: &BendingLaw, edges: &[PlateEdge; 3]) -> Plate {
        let area = signed_area(rest);
        let basis = std::array::from_fn(|edge| {
            let share = match edges[edge] {
                PlateEdge::Hinge { share } => share,
                PlateEdge::Free => 0.5,
            };
            share / area * edge_tensor(rest, edge)
        });
        // Gram–Schmidt in the inner product of the energy.
        let mut free: Vec<Mat2> = Vec::with_capacity(3);
        let without =
            |tensor: Mat2, free: &[Mat2]| free.iter().fold(tensor, |rest, axis| rest - law.product(axis, &rest) * axis);
        for edge in (0..3).filter(|&edge| edges[edge] == PlateEdge::Free) {
            let tensor = without(basis[edge], &free);
            free.push(tensor / law.product(&tensor, &tensor).sqrt());
        }
        let folds = std::array::from_fn(|edge| match edges[edge] {
            PlateEdge::Hinge { .. } => without(basis[edge], &free),
            PlateEdge::Free => Mat2::zeros(),
        });
        let form = Mat3::from_fn(|i, j| law.rigidity * area * law.product(&folds[i], &folds[j]));
        Plate { basis, folds, form }
    }

    /// A triangle with half of the printed energy of each of its hinges (4),
    /// k_b·l²/(8·A)·(θ − θᴿ)². `areas` are those of both triangles at each edge together (m²);
    /// `None` at the rim. It is not a plate: see READINGS 7.
    pub fn of_hinges(rest: &[Vec2; 3], law: &BendingLaw, areas: &[Option<f64>; 3]) -> Plate {
        let area = signed_area(rest);
        let basis = std::array::from_fn(|edge| 0.5 / area * edge_tensor(rest, edge));
        let folds = std::array::from_fn(|edge| if areas[edge].is_some() { basis[edge] } else { Mat2::zeros() });
        let stiffness = |edge: usize| {
            let squared = edge_vector(rest, edge).norm_squared();
            areas[edge].map_or(0.0, |areas| law.rigidity * squared / (8.0 * areas))
        };
        let form = Mat3::from_diagonal(&Vec3::new(stiffness(0), stiffness(1), stiffness(2)));
        Plate { basis, folds, form }
    }

    /// Bending strain S (1/m) in the frame of the triangle (3).
    pub fn curvature(&self, angles: &Vec3) -> Mat2 {
        (0..3).map(|edge| angles[edge] * self.folds[edge]).sum()
    }

    /// The angles (rad) at which the triangle has a bending strain (1/m): those of a plastic
    /// curvature S_p are subtracted from the dihedral angles.
    pub fn angles_of(&self, curvature: &Mat2) -> Vec3 {
        let entries = |tensor: &Mat2| Vec3::new(tensor[(0, 0)], tensor[(1, 1)], tensor[(0, 1)]);
        // The normals of three edges have independent squares.
        let basis = Mat3::from_columns(&self.basis.map(|tensor| entries(&tensor)));
        basis.try_inverse().map_or(Vec3::zeros(), |inverse| inverse * entries(curvature))
    }

    /// Energy (J).
    #[inline]
    pub fn energy(&self, angles: &Vec3) -> f64 {
        0.5 * angles.dot(&(self.form * angles))
    }

    /// Moments (N·m) that resist the angles: derivatives of the energy.
    #[inline]
    pub fn moments(&self, angles: &Vec3) -> Vec3 {
        self.form * angles
    }

    /// Stiffness (N/m) as 3×3 blocks by position, from the gradients of the angles by the six
    /// positions: column `i` of entry `v` is that of angle `i` by position `v`. The second
    /// derivatives of the angles are left out, which makes it positive semidefinite; where the
    /// triangle carries no moment it is exact. Blocks below the diagonal follow by symmetry and are
    /// not computed.
    #[inline]
    pub fn upper_stiffness(&self, gradients: &[Mat3; 6]) -> [[Mat3; 6]; 6] {
        let mut blocks = [[Mat3::zeros(); 6]; 6];
        for (row, blocks) in blocks.iter_mut().enumerate() {
            let moment_rates = gradients[row] * self.form;
            for column in row..6 {
                blocks[column] = moment_rates * gradients[column].transpose();
            }
        }
        blocks
    }
}

fn edge_vector(rest: &[Vec2; 3], edge: usize) -> Vec2 {
    rest[(edge + 2) % 3] - rest[(edge + 1) % 3]
}

/// l·t·tᵀ (m) of an edge.
fn edge_tensor(rest: &[Vec2; 3], edge: usize) -> Mat2 {
    let along = edge_vector(rest, edge);
    let normal = Vec2::new(along.y, -along.x);
    normal * normal.transpose() / along.norm()
}

fn signed_area(rest: &[Vec2; 3]) -> f64 {
    0.5 * (rest[1] - rest[0]).perp(&(rest[2] - rest[0]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hinge::{dihedral_angle, dihedral_gradient};
    use crate::membrane::plane_coordinates;
    use crate::testing::{Positions, check_stiffness, gradient_error};

    const HINGE: PlateEdge = PlateEdge::Hinge { share: 0.5 };

    /// A triangle with its three neighbours, flat in z = 0.
    fn flat() -> [Vec3; 6] {
        [[0.0, 0.0], [1.0, 0.1], [0.3, 0.9], [1.1, 1.0], [-0.7, 0.6], [0.6, -0.8]].map(|[x, y]| Vec3::new(x, y, 0.0))
    }

    fn hinge(positions: &[Vec3; 6], edge: usize) -> ([usize; 4], [Vec3; 4]) {
        let corners = [(edge + 1) % 3, (edge + 2) % 3, edge, 3 + edge];
        (corners, corners.map(|corner| positions[corner]))
    }

    fn angles(positions: &[Vec3; 6]) -> Vec3 {
        Vec3::from_fn(|edge, _| dihedral_angle(&hinge(positions, edge).1))
    }

    fn gradients(positions: &[Vec3; 6]) -> [Mat3; 6] {
        let mut gradients = [Mat3::zeros(); 6];
        for edge in 0..3 {
            let (corners, positions) = hinge(positions, edge);
            let (_, rates) = dihedral_gradient(&positions);
            for (corner, rate) in corners.into_iter().zip(rates) {
                gradients[corner].set_column(edge, &rate);
            }
        }
        gradients
    }

    fn plate(edges: [PlateEdge; 3]) -> Plate {
        let [a, b, c, ..] = flat();
        let rest = plane_coordinates(&[a, b, c]).unwrap();
        Plate::new(&rest, &BendingLaw { rigidity: 3.0, poisson: 0.3 }, &edges)
    }

    #[test]
    fn forces_are_the_gradient_of_energy_and_the_stiffness_that_of_forces() {
        for edges in [[HINGE; 3], [HINGE, PlateEdge::Free, HINGE], [PlateEdge::Free, PlateEdge::Free, HINGE]] {
            let plate = plate(edges);
            let forces = |x: &[Vec3; 6]| {
                let moments = plate.moments(&angles(x));
                gradients(x).map(|gradient| -gradient * moments)
            };
            for positions in Positions::around(flat(), 0.2, 3).take(30) {
                let error = gradient_error(&positions, |x| plate.energy(&angles(x)), forces);
                assert!(error < 1e-6, "{error}");
                let upper = plate.upper_stiffness(&gradients(&positions));
                check_stiffness::<6>(&std::array::from_fn(|i| {
                    std::array::from_fn(|j| if i <= j { upper[i][j] } else { upper[j][i].transpose() })
                }));
            }
            // Where there is no moment, the stiffness is exact.
            let upper = plate.upper_stiffness(&gradients(&flat()));
            for j in 0..6 {
                for axis in 0..3 {
                    let shifted = |shift: f64| {
                        let mut moved = flat();
                        moved[j][axis] += shift;
                        forces(&moved)
                    };
                    let (after, before) = (shifted(1e-5), shifted(-1e-5));
                    for i in 0..=j {
                        let slope = (before[i] - after[i]) / 2e-5;
                        assert!((slope - upper[i][j].column(axis)).norm() < 1e-6 * (1.0 + slope.norm()));
                    }
                }
            }
        }
    }

    #[test]
    fn a_regular_lattice_rolled_up_has_the_curvature_of_the_cylinder() {
        // One triangle of an equilateral lattice with its neighbours, on a cylinder of curvature κ.
        let (kappa, edge) = (0.01, 1.0);
        let height = 0.75f64.sqrt();
        let lattice = [[0.0, 0.0], [edge, 0.0], [0.5, height], [1.5, height], [-0.5, height], [0.5, -height]];
        for turn in [0.0f64, 0.4, 1.1] {
            let rotated = lattice.map(|[x, y]| [x * turn.cos() - y * turn.sin(), x * turn.sin() + y * turn.cos()]);
            let rolled =
                rotated.map(|[x, y]| Vec3::new((kappa * x).sin() / kappa, y, ((kappa * x).cos() - 1.0) / kappa));
            let rest = [0, 1, 2].map(|corner| Vec2::from(lattice[corner]));
            let plate = Plate::new(&rest, &BendingLaw { rigidity: 1.0, poisson: 0.0 }, &[HINGE; 3]);
            let curvature = plate.curvature(&angles(&rolled));
            // Turned back into the frame of the triangle.
            let axis = Vec2::new(turn.cos(), -turn.sin());
            let expected = kappa * axis * axis.transpose();
            assert!((curvature - expected).norm() < 2e-4 * kappa, "{curvature} {expected}");
        }
    }

    #[test]
    fn plastic_angles_have_their_curvature_and_free_edges_no_moment() {
        let curvature = Mat2::new(1.0, -0.4, -0.4, 0.3);
        let closed = plate([HINGE; 3]);
        assert!((closed.curvature(&closed.angles_of(&curvature)) - curvature).norm() < 1e-12);
        let open = plate([HINGE, PlateEdge::Free, HINGE]);
        let angles = Vec3::new(0.2, 5.0, -0.1);
        assert_eq!(open.moments(&angles)[1], 0.0);
        // The free angle takes the value of least energy.
        let energies = (-400..400).map(|step| closed.energy(&Vec3::new(0.2, f64::from(step) * 1e-3, -0.1)));
        let least = energies.fold(f64::INFINITY, f64::min);
        assert!(open.energy(&angles) <= least && least < open.energy(&angles) * (1.0 + 1e-4));
    }

    #[test]
    fn the_share_of_an_angle_keeps_the_moment_continuous() {
        let [soft, stiff] = [1.0, 10.0];
        let share = BendingLaw::share_of_angle(soft, stiff);
        assert!((share * soft - BendingLaw::share_of_angle(stiff, soft) * stiff).abs() < 1e-15);
        assert_eq!(BendingLaw::share_of_angle(2.0, 2.0), 0.5);
    }

    #[test]
    fn printed_hinges_have_the_printed_energy() {
        let [a, b, c, ..] = flat();
        let rest = plane_coordinates(&[a, b, c]).unwrap();
        let law = BendingLaw { rigidity: 3.0, poisson: 0.3 };
        let hinges = Plate::of_hinges(&rest, &law, &[Some(2.0), None, Some(0.7)]);
        let squared = |edge: usize| edge_vector(&rest, edge).norm_squared();
        // The other half is that of the neighbour.
        let expected = 0.5 * 3.0 * (squared(0) * 0.04 / 16.0 + squared(2) * 0.09 / 5.6);
        assert!((hinges.energy(&Vec3::new(0.2, 9.0, 0.3)) - expected).abs() < 1e-15);
    }
}
