//! The linear system of a step: step 4 of §6 of Song et al. 2008,
//! (M + Δt·C + Δt²·K)·Δv = Δt·(f_ext − C·v − f − Δt·K·v), with the internal forces f and the warped
//! stiffness K of (7) at the positions of the state (READINGS 30), one rotation per part.

use crate::model::{Motion, Xfem};
use crate::parts::Part;
use craze_contact::ContactSpring;
use craze_element::Corotation;
use craze_engine::{Failure, Step};
use craze_math::{Mat3, Vec3};
use craze_solve::{
    BlockMatrix, Cholesky, Constraints, LinearSolver, Pattern, PatternBuilder, PcgSettings, SolveError, Symbolic,
};
use rayon::prelude::*;
use std::sync::Arc;

/// Systems up to this many degrees of freedom (three coordinates each) are solved by factorisation.
const MAX_DOFS_FACTORED: usize = 1000;

/// Iterations of conjugate gradients.
const MAX_ITERATIONS: usize = 5000;

/// What a part contributes: blocks of the matrix, row by row, and of the right-hand side (N·s).
#[derive(Clone, Debug)]
struct PartTerms {
    blocks: [[Mat3; 4]; 4],
    right: [Vec3; 4],
}

/// The system of a body, with its memory. Valid until a crack grows.
pub(crate) struct System {
    matrix: BlockMatrix,
    solver: LinearSolver,
    terms: Vec<PartTerms>,
    blocks: Vec<Mat3>,
    right: Vec<Vec3>,
    /// Increments that are prescribed (m/s), zero elsewhere.
    prescribed: Vec<Vec3>,
    constraints: Constraints,
    /// Factors of the matrix at the last prediction for which the compliance was asked.
    factors: Option<Box<Cholesky>>,
    /// Force (N) by which each prescribed degree of freedom was moved in the last solution.
    pub reactions: Vec<Vec3>,
}

impl System {
    pub fn new(body: &Xfem) -> Result<System, SolveError> {
        let count = body.enrichment.node_of.len();
        let pattern = pattern(body)?;
        let parts = body.enrichment.parts.len();
        let settings = PcgSettings { tolerance: body.options.tolerance, max_iterations: MAX_ITERATIONS };
        let solver = if count <= MAX_DOFS_FACTORED {
            LinearSolver::cholesky()
        } else {
            LinearSolver::conjugate_gradients(settings)
        };
        let zero = vec![Vec3::zeros(); count];
        Ok(System {
            matrix: BlockMatrix::zeros(pattern),
            solver,
            terms: vec![PartTerms { blocks: [[Mat3::zeros(); 4]; 4], right: [Vec3::zeros(); 4] }; parts],
            blocks: vec![Mat3::zeros(); 16 * parts + 64 * body.bridges.len()],
            right: zero.clone(),
            prescribed: zero.clone(),
            constraints: Constraints::none(count),
            factors: None,
            reactions: zero,
        })
    }

    /// Assembles the system for the state of a body. Loads and prescribed motion are added after.
    pub fn assemble(&mut self, body: &Xfem, step: &Step) -> Result<(), SolveError> {
        let parts = &body.enrichment.parts;
        self.terms.par_iter_mut().zip(parts).for_each(|(terms, part)| *terms = terms_of(body, part, step));
        self.right.fill(Vec3::zeros());
        for (part, terms) in parts.iter().zip(&self.terms) {
            for (dof, right) in part.dofs.iter().zip(&terms.right) {
                self.right[*dof as usize] += right;
            }
        }
        let (of_parts, of_bridges) = self.blocks.split_at_mut(16 * parts.len());
        of_parts.par_chunks_mut(16).zip(&self.terms).for_each(|(blocks, terms)| {
            blocks.copy_from_slice(terms.blocks.as_flattened());
        });
        for (bridge, blocks) in body.bridges.iter().zip(of_bridges.chunks_mut(64)) {
            // Stiffness-proportional damping as in the parts, so that a front damps alike.
            let dofs = bridge.dofs(parts);
            let delay = step.time_step * (step.time_step + body.damping_of(bridge));
            let forces = bridge.forces(&bridge.corners(body, &body.state.positions));
            for row in 0..8 {
                let right = &mut self.right[dofs[row] as usize];
                *right += step.time_step * forces[row];
                for column in 0..8 {
                    let entry = delay * bridge.entry(row, column);
                    *right -= entry * body.state.velocities[dofs[column] as usize];
                    blocks[8 * row + column] = Mat3::from_diagonal_element(entry);
                }
            }
        }
        self.matrix.assemble(&self.blocks)?;
        self.constraints = Constraints::none(self.right.len());
        self.prescribed.fill(Vec3::zeros());
        Ok(())
    }

    /// Adds an external impulse (N·s).
    pub fn push(&mut self, dof: u32, impulse: &Vec3) {
        self.right[dof as usize] += impulse;
    }

    /// Adds contact springs, at the positions at which the body would be without a change of
    /// velocity. Their degrees of freedom are those of one part.
    pub fn add_contacts(&mut self, contacts: &[ContactSpring], state: &Motion, time_step: f64) {
        for contact in contacts {
            let ahead = |dof: usize| state.positions[dof] + time_step * state.velocities[dof];
            let force = contact.force(&contact.position(ahead));
            for (row, weight) in contact.dofs() {
                self.right[row] += time_step * weight * force;
                for (column, other) in contact.dofs() {
                    if let Some(block) = self.matrix.block_mut(row, column) {
                        *block += time_step * time_step * weight * other * contact.stiffness;
                    }
                }
            }
        }
    }

    /// Prescribes the change of velocity of a degree of freedom (m/s).
    pub fn prescribe(&mut self, dof: u32, increment: Vec3) {
        self.prescribed[dof as usize] = increment;
        self.constraints.fix(dof as usize);
    }

    /// Solves for the changes of velocity (m/s). Conjugate gradients start from the given ones.
    pub fn solve(&mut self, body: &Xfem, increments: &mut [Vec3], time_step: f64) -> Result<(), SolveError> {
        let (parts, bridges) = (&body.enrichment.parts, &body.bridges);
        let is_free = self.constraints.is_empty();
        let applied = self.right.clone();
        if !is_free {
            let mut product = vec![Vec3::zeros(); self.right.len()];
            self.matrix.multiply(&self.prescribed, &mut product)?;
            self.right.iter_mut().zip(&product).for_each(|(right, known)| *right -= known);
            self.constraints.project(&mut self.right);
            self.constraints.project(increments);
            self.matrix.constrain(&self.constraints)?;
        }
        self.solver.solve(&self.matrix, &body.state.positions, &self.right, increments)?;
        if is_free {
            return Ok(());
        }
        increments.iter_mut().zip(&self.prescribed).for_each(|(found, known)| *found += known);
        // What the system lacks at prescribed degrees of freedom is the impulse of their hold.
        self.reactions.iter_mut().zip(&applied).for_each(|(reaction, applied)| *reaction = -applied);
        for (part, terms) in parts.iter().zip(&self.terms) {
            for (dof, row) in part.dofs.iter().zip(&terms.blocks) {
                let sum: Vec3 =
                    row.iter().zip(&part.dofs).map(|(block, &other)| block * increments[other as usize]).sum();
                self.reactions[*dof as usize] += sum;
            }
        }
        for (bridge, blocks) in bridges.iter().zip(self.blocks[16 * parts.len()..].chunks(64)) {
            let dofs = bridge.dofs(parts);
            for (&dof, row) in dofs.iter().zip(blocks.chunks(8)) {
                let sum: Vec3 = row.iter().zip(&dofs).map(|(block, &other)| block * increments[other as usize]).sum();
                self.reactions[dof as usize] += sum;
            }
        }
        self.reactions.iter_mut().for_each(|reaction| *reaction /= time_step);
        Ok(())
    }

    /// Displacements (m) of some degrees of freedom per force (N) on each of them in turn.
    pub fn compliance(&mut self, dofs: &[u32], time_step: f64) -> Option<Vec<Mat3>> {
        let count = self.right.len();
        let pattern = self.matrix.pattern();
        let factors = self.factors.get_or_insert_with(|| Box::new(Cholesky::new(Arc::new(Symbolic::analyse(pattern)))));
        factors.factorise(&self.matrix).ok()?;
        let mut blocks = Vec::with_capacity(dofs.len() * dofs.len());
        let (mut force, mut found) = (vec![Vec3::zeros(); count], vec![Vec3::zeros(); count]);
        for &dof in dofs {
            let first = blocks.len();
            blocks.resize(first + dofs.len(), Mat3::zeros());
            for axis in 0..3 {
                force.fill(Vec3::zeros());
                force.get_mut(dof as usize)?[axis] = time_step * time_step;
                self.constraints.project(&mut force);
                factors.solve(&force, &mut found).ok()?;
                for (block, &other) in blocks[first..].iter_mut().zip(dofs) {
                    block.set_column(axis, found.get(other as usize)?);
                }
            }
        }
        Some(blocks)
    }
}

/// The pattern of the matrix: parts, then bridges.
pub(crate) fn pattern(body: &Xfem) -> Result<Arc<Pattern>, SolveError> {
    let parts = &body.enrichment.parts;
    let of_parts: Vec<[u32; 4]> = parts.iter().map(|part| part.dofs).collect();
    let of_bridges: Vec<[u32; 8]> = body.bridges.iter().map(|bridge| bridge.dofs(parts)).collect();
    let builder = PatternBuilder::new(body.enrichment.node_of.len()).with_elements(&of_parts)?;
    Ok(Arc::new(builder.with_elements(&of_bridges)?.build()))
}

/// Terms of one part: mass and damping act on velocities, warped stiffness and elastic forces at
/// the positions of the state.
fn terms_of(body: &Xfem, part: &Part, step: &Step) -> PartTerms {
    let time_step = step.time_step;
    let element = part.element as usize;
    let material = &body.materials[body.material_of[element] as usize];
    let mass = body.mass_of_element(part.element);
    let velocities = part.dofs.map(|dof| body.state.velocities[dof as usize]);
    let mut terms = PartTerms { blocks: [[Mat3::zeros(); 4]; 4], right: [Vec3::zeros(); 4] };
    if part.is_stiff {
        let (rest, law) = (&body.rest[element], &body.laws[body.material_of[element] as usize]);
        let corotation = Corotation::of(&rest.deformation(&body.corners(part, &body.state.positions)));
        let forces = rest.corotated_forces(law, &corotation);
        let stiffness = rest.warped_stiffness(law, &corotation.rotation);
        // Stiffness-proportional damping: C = time·K.
        let delay = time_step * (time_step + material.damping.time);
        for i in 0..4 {
            terms.right[i] += time_step * part.share * forces[i];
            for j in 0..4 {
                let block = part.share * delay * stiffness[i][j];
                terms.right[i] -= block * velocities[j];
                terms.blocks[i][j] = block;
            }
        }
    }
    for i in 0..4 {
        terms.right[i] += mass * part.first[i] * time_step * step.gravity;
        for j in 0..4 {
            let share = mass * body.mass_share(part, i, j);
            let drag = time_step * material.damping.mass * share;
            terms.right[i] -= drag * velocities[j];
            terms.blocks[i][j] += Mat3::from_diagonal_element(share + drag);
        }
    }
    terms
}

/// Why a step was not solved.
pub(crate) fn failure(error: &SolveError) -> Failure {
    craze_body::implicit::failure(error)
}
