//! Forces between bodies that respond linearly, implicit ones among them: those of all contacts at
//! once.
//!
//! Each body states its compliance C (m/N): by how much its degrees of freedom move per force on
//! each of them. W = Σ J·C·Jᵀ is the compliance between contact points (the Delassus operator of
//! multibody dynamics). With contact stiffness k, the forces λ satisfy λₙ ≥ 0, gap + W·λ + λₙ/k ≥
//! 0, one of them zero, and Coulomb's law.
//!
//! An active set is updated until it no longer changes: contacts that pull leave it, contacts that
//! would penetrate join it, and friction is a spring of the secant stiffness of Coulomb's law. For
//! each set the forces follow from a symmetric system by conjugate gradients. Where sets cycle,
//! accelerated projected gradients (Mazhar et al. 2015) improve the forces: they are slower, but
//! leave no contact that pulls.
//!
//! Rejected: projected Gauss–Seidel, which needs thousands of iterations where a hundred points
//! share the weight of a block.

use crate::collisions::{Collision, CollisionKey, PointSum, SideName, Stencil};
use crate::friction::{project, secant_stiffness};
use crate::responses::ContactSpring;
use craze_math::{Mat3, Vec3};
use std::collections::BTreeMap;

/// Most updates of the active set.
const MAX_SET_UPDATES: usize = 10;

/// Most iterations of conjugate gradients per active set.
const MAX_CG_ITERATIONS: usize = 200;

/// Residual at which they end, as a share of the first one.
const CG_TOLERANCE: f64 = 1e-8;

/// Change of a gap between active sets, as a share of the largest penetration, at which the set is
/// final.
const GAP_TOLERANCE: f64 = 5e-3;

/// Sum of pulling forces that the last set may leave, as a share of the sum of pushing ones: these
/// would be too large by as much.
const MAX_PULLING_SHARE: f64 = 0.01;

/// Most iterations of projected gradients.
const MAX_GRADIENT_ITERATIONS: usize = 300;

/// Relative change of the forces at which they end.
const GRADIENT_TOLERANCE: f64 = 1e-4;

/// Tangential over normal stiffness of a contact that sticks: a body on a slope creeps by its load
/// over this stiffness in each step.
const STICKING_STIFFNESS_FACTOR: f64 = 30.0;

/// How a body responds to forces.
#[derive(Clone, Debug)]
pub enum Compliance {
    /// Displacements (m/N) of all degrees of freedom for a force on each, one column of blocks
    /// after another.
    Coupled(Vec<Mat3>),
    /// Each degree of freedom by itself (m/N).
    Diagonal(Vec<f64>),
}

impl Compliance {
    fn block(&self, row: usize, column: usize, count: usize) -> Mat3 {
        match self {
            Compliance::Coupled(blocks) => blocks[column * count + row],
            Compliance::Diagonal(each) if row == column => Mat3::from_diagonal_element(each[row]),
            Compliance::Diagonal(_) => Mat3::zeros(),
        }
    }
}

/// A body with a compliance.
#[derive(Clone, Debug)]
pub struct CompliantBody {
    /// Its degrees of freedom that have contacts, ascending.
    dofs: Vec<u32>,
    compliance: Compliance,
    /// Forces on them (N), and their displacements (m).
    forces: Vec<Vec3>,
    displacements: Vec<Vec3>,
}

impl CompliantBody {
    /// A body with these degrees of freedom, ascending; a compliance of another size counts as
    /// zero.
    pub fn new(dofs: Vec<u32>, compliance: Compliance) -> CompliantBody {
        let count = dofs.len();
        let fits = match &compliance {
            Compliance::Coupled(blocks) => blocks.len() == count * count,
            Compliance::Diagonal(each) => each.len() == count,
        };
        let compliance = if fits { compliance } else { Compliance::Diagonal(vec![0.0; count]) };
        let zeros = vec![Vec3::zeros(); count];
        CompliantBody { dofs, compliance, forces: zeros.clone(), displacements: zeros }
    }

    /// Its degrees of freedom that have contacts, ascending.
    pub fn dofs(&self) -> &[u32] {
        &self.dofs
    }

    fn find_displacements(&mut self) {
        match &self.compliance {
            Compliance::Coupled(blocks) => {
                self.displacements.fill(Vec3::zeros());
                for (column, force) in blocks.chunks_exact(self.forces.len().max(1)).zip(&self.forces) {
                    for (displacement, block) in self.displacements.iter_mut().zip(column) {
                        *displacement += block * force;
                    }
                }
            }
            Compliance::Diagonal(each) => {
                for ((displacement, force), compliance) in self.displacements.iter_mut().zip(&self.forces).zip(each) {
                    *displacement = *compliance * force;
                }
            }
        }
    }
}

/// A side of an implicit contact.
#[derive(Clone, Debug, PartialEq)]
pub struct ImplicitSide {
    /// Identifies the side from step to step; the first number is the body.
    pub name: SideName,
    /// The contact point as a sum of points of its surface.
    pub points: PointSum,
    /// The same as a sum of its degrees of freedom.
    pub stencil: Stencil,
    /// Inverse masses of these (1/kg).
    pub inverse_masses: Vec<f64>,
    /// Position of the contact point at the start and at the predicted end of the step (m).
    pub start: Vec3,
    /// See [`start`](Self::start).
    pub end: Vec3,
    /// True if the body has the force in its equations, so that its prediction includes it.
    pub is_implicit: bool,
}

impl ImplicitSide {
    /// The body.
    pub fn body(&self) -> usize {
        self.name[0] as usize
    }

    /// Speed per unit of impulse on the contact point (1/kg).
    pub fn mobility(&self) -> f64 {
        let weights = self.stencil.as_slice().iter().zip(&self.inverse_masses);
        weights.map(|((_, weight), inverse_mass)| weight * weight * inverse_mass).sum()
    }
}

/// A contact of an implicit body with another body: a spring between two contact points.
#[derive(Clone, Debug, PartialEq)]
pub struct ImplicitContact {
    /// The collision as it was found. Its sides follow the predictions.
    pub collision: Collision<ImplicitSide>,
    /// Distance along the normal at which the spring is at rest (m).
    pub contact_distance: f64,
    /// Stiffness of the spring along the normal (N/m) before it is hardened.
    pub stiffness: f64,
    /// Factor by which it is stiffer (1): a hard impact must not use up the contact distance.
    pub hardening: f64,
    /// Force on the first side (N) that the predictions of implicit bodies include.
    pub included: Vec3,
    /// Force on the first side (N) as it was solved for.
    pub force: Vec3,
    /// Tangential stiffness of friction (N/m); none before the first solution and where the contact
    /// does not push.
    pub friction_stiffness: Option<f64>,
}

impl ImplicitContact {
    /// Identifies the collision from step to step.
    pub fn key(&self) -> CollisionKey {
        self.collision.sides.each_ref().map(|side| side.name)
    }

    /// The contact as a side's body receives it: the force that was found, which its equations include.
    pub fn spring(&self, side: usize) -> ContactSpring {
        let (ImplicitSide { stencil, end, .. }, sign) = (&self.collision.sides[side], [1.0, -1.0][side]);
        let (stencil, force) = (stencil.clone(), sign * self.included);
        ContactSpring { stencil, force, anchor: *end, stiffness: Mat3::zeros() }
    }

    /// Stiffness along the normal (N/m).
    pub fn normal_stiffness(&self) -> f64 {
        self.stiffness * self.hardening
    }

    fn friction(&self) -> f64 {
        self.collision.material.friction
    }

    /// What is left of the contact distance (m), negative in contact; and the displacement of the
    /// first side against the second since the start of the step (m).
    fn gap_and_slip(&self) -> (f64, Vec3) {
        let [first, second] = &self.collision.sides;
        let between = first.end - second.end;
        (between.dot(&self.collision.normal) - self.contact_distance, between - (first.start - second.start))
    }

    /// The force that the prediction of a side includes (N).
    fn known(&self, side: &ImplicitSide) -> Vec3 {
        if side.is_implicit { self.included } else { Vec3::zeros() }
    }

    /// The force (N) that the contact can bear.
    fn projected(&self, force: &Vec3) -> Vec3 {
        project(self.friction(), &self.collision.normal, force)
    }
}

/// Finds the forces of all contacts, from those that they have. Returns the displacements of the
/// sides (m) from where they are predicted. Contacts between bodies without compliance push by
/// their stiffness alone.
pub fn solve(contacts: &mut [ImplicitContact], bodies: &mut BTreeMap<usize, CompliantBody>) -> Vec<[Vec3; 2]> {
    let mut system = Delassus::new(contacts, bodies);
    let known: Vec<[Vec3; 2]> =
        contacts.iter().map(|contact| contact.collision.sides.each_ref().map(|side| contact.known(side))).collect();
    let gaps: Vec<(f64, Vec3)> = contacts.iter().map(ImplicitContact::gap_and_slip).collect();
    // Vectors between the two points of each contact without any force.
    let mut free: Vec<Vec3> = system.apply(|contact| known[contact]);
    for ((free, contact), (gap, slip)) in free.iter_mut().zip(&*contacts).zip(&gaps) {
        let normal = &contact.collision.normal;
        *free = *gap * normal + (slip - slip.dot(normal) * normal) - *free;
    }
    let compliances: Vec<Mat3> = (0..contacts.len()).map(|contact| system.compliance(contact)).collect();
    let mut forces: Vec<Vec3> = contacts.iter().map(|contact| contact.force).collect();
    let mut active: Vec<Activity> =
        contacts.iter().zip(&gaps).map(|(contact, (gap, _))| Activity::new(contact, *gap)).collect();
    let first = forces.clone();
    let mut moved = system.apply(|contact| [forces[contact]; 2]);
    for _ in 0..MAX_SET_UPDATES {
        let before = std::mem::take(&mut moved);
        let set = ActiveSet { contacts, active: &active, compliances: &compliances };
        set.solve(&free, &mut system, &mut forces);
        moved = system.apply(|contact| [forces[contact]; 2]);
        let depth = |contact: usize| forces[contact].norm() / contacts[contact].normal_stiffness();
        let deepest = (0..contacts.len()).map(depth).fold(0.0, f64::max);
        let farthest = moved.iter().zip(&before).map(|(now, then)| (now - then).norm()).fold(0.0, f64::max);
        let mut is_final = !(farthest > GAP_TOLERANCE * deepest);
        for (index, activity) in active.iter_mut().enumerate() {
            is_final &= !activity.update(&contacts[index], &forces[index], &(free[index] + moved[index]));
        }
        if is_final {
            break;
        }
    }
    let along = |contact: usize| forces[contact].dot(&contacts[contact].collision.normal);
    let (pushing, pulling) = (0..contacts.len())
        .map(along)
        .fold((0.0, 0.0), |(pushing, pulling), force| (pushing + force.max(0.0), pulling - force.min(0.0)));
    let are_finite = forces.iter().all(|force| force.iter().all(|part| part.is_finite()));
    if !are_finite || pulling > MAX_PULLING_SHARE * pushing {
        forces = first;
        project_gradients(contacts, &compliances, &free, &mut system, &mut forces);
        let moved = system.apply(|contact| [forces[contact]; 2]);
        for (index, activity) in active.iter_mut().enumerate() {
            activity.update(&contacts[index], &forces[index], &(free[index] + moved[index]));
        }
    }
    for ((contact, force), activity) in contacts.iter_mut().zip(&forces).zip(&active) {
        contact.friction_stiffness = activity.pushes.then_some(activity.friction_stiffness);
        contact.force = contact.projected(force);
    }
    // How far the forces move the points from where they are predicted.
    system.apply(|contact| known[contact].map(|known| contacts[contact].force - known));
    (0..contacts.len()).map(|contact| [0, 1].map(|side| system.displacement(contact, side))).collect()
}

/// The compliance between contact points.
struct Delassus<'a> {
    bodies: Vec<&'a mut CompliantBody>,
    /// For each contact the places of both bodies in the list, and the places of the degrees of
    /// freedom in theirs.
    sides: Vec<[(usize, Stencil); 2]>,
}

impl<'a> Delassus<'a> {
    fn new(contacts: &[ImplicitContact], bodies: &'a mut BTreeMap<usize, CompliantBody>) -> Delassus<'a> {
        let numbers: Vec<usize> = bodies.keys().copied().collect();
        let bodies: Vec<&mut CompliantBody> = bodies.values_mut().collect();
        let place = |side: &ImplicitSide| {
            let body = numbers.binary_search(&side.body()).unwrap_or(0);
            let slot = |dof: u32| bodies[body].dofs.binary_search(&dof).unwrap_or(0) as u32;
            (body, side.stencil.as_slice().iter().map(|&(dof, weight)| (slot(dof), weight)).collect())
        };
        let sides = contacts.iter().map(|contact| contact.collision.sides.each_ref().map(place)).collect();
        Delassus { bodies, sides }
    }

    /// Displacements of the first sides against the second ones (m) under forces on the first side
    /// (N), as each of the two feels them.
    fn apply(&mut self, forces: impl Fn(usize) -> [Vec3; 2]) -> Vec<Vec3> {
        self.bodies.iter_mut().for_each(|body| body.forces.fill(Vec3::zeros()));
        for (index, sides) in self.sides.iter().enumerate() {
            let [first, second] = forces(index);
            for ((body, stencil), force) in sides.iter().zip([first, -second]) {
                for &(slot, weight) in stencil.as_slice() {
                    self.bodies[*body].forces[slot as usize] += weight * force;
                }
            }
        }
        self.bodies.iter_mut().for_each(|body| body.find_displacements());
        (0..self.sides.len()).map(|contact| self.displacement(contact, 0) - self.displacement(contact, 1)).collect()
    }

    /// Displacement of a side (m) under the forces that were applied last.
    fn displacement(&self, contact: usize, side: usize) -> Vec3 {
        let (body, stencil) = &self.sides[contact][side];
        let displacements = &self.bodies[*body].displacements;
        stencil.as_slice().iter().map(|&(slot, weight)| weight * displacements[slot as usize]).sum()
    }

    /// Displacement of the first side against the second per force between them (m/N).
    fn compliance(&self, contact: usize) -> Mat3 {
        let mut sum = Mat3::zeros();
        for (body, stencil) in &self.sides[contact] {
            let CompliantBody { compliance, displacements, .. } = &*self.bodies[*body];
            for &(row, one) in stencil.as_slice() {
                for &(column, other) in stencil.as_slice() {
                    sum += one * other * compliance.block(row as usize, column as usize, displacements.len());
                }
            }
        }
        sum
    }
}

/// Improves forces (N) by accelerated projected gradients: the minimum of ½λ·(W + 1/k)λ + free·λ
/// among those that contacts can bear.
fn project_gradients(
    contacts: &[ImplicitContact],
    compliances: &[Mat3],
    free: &[Vec3],
    system: &mut Delassus,
    forces: &mut [Vec3],
) {
    let count = contacts.len();
    let springs = |contact: usize, force: &Vec3| {
        let (normal, stiffness) = (&contacts[contact].collision.normal, contacts[contact].normal_stiffness());
        let along = force.dot(normal) * normal;
        (along + (force - along) / STICKING_STIFFNESS_FACTOR) / stiffness
    };
    // Each contact is scaled by its own compliance.
    let scales: Vec<f64> =
        (0..count).map(|i| 1.0 / (compliances[i].trace() / 3.0 + 1.0 / contacts[i].normal_stiffness())).collect();
    let mut times = |forces: &[Vec3]| -> Vec<Vec3> {
        let moved = system.apply(|contact| [forces[contact]; 2]);
        moved.iter().enumerate().map(|(contact, moved)| moved + springs(contact, &forces[contact])).collect()
    };
    let projected = |contact: usize, force: &Vec3| {
        if force.iter().all(|x| x.is_finite()) { contacts[contact].projected(force) } else { Vec3::zeros() }
    };
    for (contact, force) in forces.iter_mut().enumerate() {
        *force = projected(contact, force);
    }
    let (mut ahead, mut momentum, mut step) = (forces.to_vec(), 1.0f64, 1.0f64);
    for _ in 0..MAX_GRADIENT_ITERATIONS {
        let product = times(&ahead);
        let gradient: Vec<Vec3> = (0..count).map(|i| product[i] + free[i]).collect();
        // The step is short enough if the parabola that it assumes lies above the objective.
        let next = loop {
            let next: Vec<Vec3> =
                (0..count).map(|i| projected(i, &(ahead[i] - step * scales[i] * gradient[i]))).collect();
            let change: Vec<Vec3> = (0..count).map(|i| next[i] - ahead[i]).collect();
            let curvature: f64 = times(&change).iter().zip(&change).map(|(a, b)| a.dot(b)).sum();
            let bound: f64 = (0..count).map(|i| change[i].norm_squared() / scales[i]).sum::<f64>() / step;
            if !(curvature > bound) || step < 1e-9 {
                break next;
            }
            step *= 0.5;
        };
        let ascent: f64 = (0..count).map(|i| gradient[i].dot(&(next[i] - forces[i]))).sum();
        let faster = 0.5 * (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt());
        // The momentum restarts where it leads uphill (O'Donoghue & Candès 2015).
        let carry = if ascent > 0.0 { 0.0 } else { (momentum - 1.0) / faster };
        momentum = if ascent > 0.0 { 1.0 } else { faster };
        let (mut change, mut size) = (0.0, 0.0);
        for i in 0..count {
            let moved = next[i] - forces[i];
            change += moved.norm_squared();
            size += next[i].norm_squared();
            ahead[i] = next[i] + carry * moved;
            forces[i] = next[i];
        }
        if !(change > GRADIENT_TOLERANCE * GRADIENT_TOLERANCE * size) {
            return;
        }
    }
}

/// The state of a contact in the active set.
struct Activity {
    pushes: bool,
    /// Tangential stiffness of friction (N/m).
    friction_stiffness: f64,
}

impl Activity {
    fn new(contact: &ImplicitContact, gap: f64) -> Activity {
        let pushes = contact.force.dot(&contact.collision.normal) > 0.0 || gap < 0.0;
        let sticking = STICKING_STIFFNESS_FACTOR * contact.normal_stiffness();
        let initial = if contact.friction() > 0.0 { sticking } else { 0.0 };
        Activity { pushes, friction_stiffness: contact.friction_stiffness.unwrap_or(initial) }
    }

    /// Updates it from the force (N) and the vector between the two points (m). Returns true if the
    /// contact switched between active and inactive.
    fn update(&mut self, contact: &ImplicitContact, force: &Vec3, between: &Vec3) -> bool {
        let normal = &contact.collision.normal;
        let (pressure, gap) = (force.dot(normal), between.dot(normal));
        let pushed = self.pushes;
        self.pushes = if pushed { pressure >= 0.0 } else { gap < 0.0 };
        let slid = (between - gap * normal).norm();
        let sticking = STICKING_STIFFNESS_FACTOR * contact.normal_stiffness();
        self.friction_stiffness = secant_stiffness(contact.friction(), pressure.max(0.0), sticking, slid);
        self.pushes != pushed
    }
}

/// The equations of the active contacts.
struct ActiveSet<'a> {
    contacts: &'a [ImplicitContact],
    active: &'a [Activity],
    compliances: &'a [Mat3],
}

impl ActiveSet<'_> {
    /// The normal and the tangential part of a vector of a contact, scaled by one factor each,
    /// which follow from the compliances (m/N) of its springs; zero for an inactive contact, and
    /// for the tangential part without friction.
    fn scaled(&self, contact: usize, vector: &Vec3, factors: impl Fn(f64, f64) -> (f64, f64)) -> Vec3 {
        let (ImplicitContact { collision, .. }, activity) = (&self.contacts[contact], &self.active[contact]);
        if !activity.pushes {
            return Vec3::zeros();
        }
        let stiffness = self.contacts[contact].normal_stiffness();
        let (normal_factor, tangential_factor) = factors(1.0 / stiffness, 1.0 / activity.friction_stiffness);
        let along = vector.dot(&collision.normal) * collision.normal;
        let tangential =
            if activity.friction_stiffness > 0.0 { tangential_factor * (vector - along) } else { Vec3::zeros() };
        normal_factor * along + tangential
    }

    /// Conjugate gradients from the given forces, with each contact's own compliance as
    /// preconditioner.
    fn solve(&self, free: &[Vec3], system: &mut Delassus, forces: &mut [Vec3]) {
        let count = self.contacts.len();
        let restrict = |contact: usize, vector: &Vec3| self.scaled(contact, vector, |_, _| (1.0, 1.0));
        let mut times = |vectors: &[Vec3]| -> Vec<Vec3> {
            let moved = system.apply(|contact| [vectors[contact]; 2]);
            let springs = |contact: usize| self.scaled(contact, &vectors[contact], |normal, along| (normal, along));
            (0..count).map(|contact| restrict(contact, &moved[contact]) + springs(contact)).collect()
        };
        let precondition = |contact: usize, vector: &Vec3| {
            let compliance = &self.compliances[contact];
            let normal = self.contacts[contact].collision.normal;
            let across = normal.dot(&(compliance * normal));
            let along = 0.5 * (compliance.trace() - across);
            self.scaled(contact, vector, |soft, slack| (1.0 / (across + soft), 1.0 / (along + slack)))
        };
        let dot = |one: &[Vec3], other: &[Vec3]| -> f64 { one.iter().zip(other).map(|(a, b)| a.dot(b)).sum() };
        (0..count).for_each(|contact| forces[contact] = restrict(contact, &forces[contact]));
        let product = times(forces);
        let mut residual: Vec<Vec3> =
            (0..count).map(|contact| -restrict(contact, &free[contact]) - product[contact]).collect();
        let preconditioned = |residual: &[Vec3]| -> Vec<Vec3> {
            (0..count).map(|contact| precondition(contact, &residual[contact])).collect()
        };
        let whole: Vec<Vec3> = (0..count).map(|contact| restrict(contact, &free[contact])).collect();
        let enough = CG_TOLERANCE * CG_TOLERANCE * dot(&whole, &preconditioned(&whole));
        let mut wanted = preconditioned(&residual);
        let mut direction = wanted.clone();
        let mut size = dot(&residual, &wanted);
        for _ in 0..MAX_CG_ITERATIONS {
            // Written so that a value that is not a number ends it.
            if !(size > enough) {
                return;
            }
            let product = times(&direction);
            let step = size / dot(&direction, &product);
            if !step.is_finite() {
                return;
            }
            for contact in 0..count {
                forces[contact] += step * direction[contact];
                residual[contact] -= step * product[contact];
            }
            wanted = preconditioned(&residual);
            let next = dot(&residual, &wanted);
            let share = next / size;
            size = next;
            direction.iter_mut().zip(&wanted).for_each(|(direction, wanted)| *direction = wanted + share * *direction);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::friction::ContactMaterial;

    /// A rigid plate of a compliance (m/N) that only translates, with so many contact points, on a
    /// fixed ground.
    fn plate(points: u32, compliance: f64) -> BTreeMap<usize, CompliantBody> {
        let blocks = vec![Mat3::from_diagonal_element(compliance); (points * points) as usize];
        let ground = CompliantBody::new(vec![0], Compliance::Diagonal(vec![0.0]));
        let plate = CompliantBody::new((0..points).collect(), Compliance::Coupled(blocks));
        BTreeMap::from([(0, plate), (1, ground)])
    }

    fn side(body: u32, dof: u32, end: Vec3) -> ImplicitSide {
        ImplicitSide {
            name: [body, dof, dof, dof],
            points: PointSum::single(dof),
            stencil: Stencil::single(dof),
            inverse_masses: vec![1.0],
            start: Vec3::zeros(),
            end,
            is_implicit: true,
        }
    }

    fn on_ground(dof: u32, gap: f64, stiffness: f64, friction: f64) -> ImplicitContact {
        let collision = Collision {
            sides: [side(0, dof, gap * Vec3::y()), side(1, 0, Vec3::zeros())],
            point: Vec3::zeros(),
            normal: Vec3::y(),
            gap_at_start: 0.0,
            gap_at_end: gap,
            material: ContactMaterial { friction, restitution: 0.0 },
            applied: None,
        };
        ImplicitContact {
            collision,
            contact_distance: 0.0,
            stiffness,
            hardening: 1.0,
            included: Vec3::zeros(),
            force: Vec3::zeros(),
            friction_stiffness: None,
        }
    }

    #[test]
    fn a_hundred_points_of_a_plate_share_its_weight() {
        // 1 mm deep without contact: 100 springs and its own inertia in series.
        let (points, compliance, stiffness) = (100, 1e-4, 1e6);
        let mut contacts: Vec<ImplicitContact> = (0..points).map(|dof| on_ground(dof, -1e-3, stiffness, 0.0)).collect();
        solve(&mut contacts, &mut plate(points, compliance));
        let expected = 1e-3 / (1.0 / stiffness + f64::from(points) * compliance);
        for contact in &contacts {
            assert!((contact.force.y / expected - 1.0).abs() < 1e-3, "{} N, expected {expected} N", contact.force.y);
        }
    }

    #[test]
    fn a_contact_that_would_separate_does_not_pull() {
        let mut contacts = [on_ground(0, -1e-3, 1e6, 0.0), on_ground(1, 2e-3, 1e6, 0.0)];
        contacts[1].force = Vec3::y();
        solve(&mut contacts, &mut plate(2, 1e-3));
        assert_eq!(contacts[1].force, Vec3::zeros());
        assert!((contacts[0].force.y / (1e-3 / (1e-6 + 1e-3)) - 1.0).abs() < 1e-4);
    }

    #[test]
    fn friction_sticks_up_to_its_limit() {
        for (slid, sticks) in [(2e-4, true), (9e-4, false)] {
            let mut contact = [on_ground(0, -1e-3, 1e9, 0.5)];
            contact[0].collision.sides[0].end.x = slid;
            solve(&mut contact, &mut plate(1, 1e-3));
            let force = contact[0].force;
            // A sticking contact is far stiffer than the plate.
            let expected = if sticks { slid / 1e-3 } else { 0.5 * force.y };
            assert!((force.x + expected).abs() < 1e-3, "{force} N");
        }
    }

    #[test]
    fn projected_gradients_agree_with_the_active_set() {
        // Springs of many stiffnesses under a plate, some of which would pull.
        let (points, compliance) = (40, 1e-4);
        let gap = |dof: u32| 1e-3 * (0.7 * f64::from(dof)).sin() - 4e-4;
        let make = || -> Vec<ImplicitContact> {
            let stiffness = |dof: u32| 1e4 * f64::from(1 + dof % 7);
            (0..points).map(|dof| on_ground(dof, gap(dof), stiffness(dof), 0.4 * f64::from(dof % 2))).collect()
        };
        let (mut contacts, mut bodies) = (make(), plate(points, compliance));
        solve(&mut contacts, &mut bodies);
        let (plain, mut forces) = (make(), vec![Vec3::zeros(); points as usize]);
        let mut system = Delassus::new(&plain, &mut bodies);
        let compliances: Vec<Mat3> = (0..plain.len()).map(|contact| system.compliance(contact)).collect();
        let free: Vec<Vec3> = plain.iter().map(|contact| contact.gap_and_slip().0 * Vec3::y()).collect();
        project_gradients(&plain, &compliances, &free, &mut system, &mut forces);
        let (set, gradients): (f64, f64) =
            (contacts.iter().map(|contact| contact.force.y).sum(), forces.iter().map(|force| force.y).sum());
        assert!(set > 1.0 && (gradients / set - 1.0).abs() < 0.01, "{gradients} N for {set} N");
        let largest = forces.iter().map(|force| force.norm()).fold(0.0, f64::max);
        for (contact, force) in contacts.iter().zip(&forces) {
            assert!((contact.force - force).norm() < 0.02 * largest, "{} N for {} N", force, contact.force);
            assert!(force.y >= 0.0);
        }
    }

    #[test]
    fn a_force_that_the_prediction_includes_is_not_applied_again() {
        let mut bodies = plate(3, 1e-3);
        let mut contacts: Vec<ImplicitContact> = (0..3).map(|dof| on_ground(dof, -1e-3, 1e5, 0.0)).collect();
        solve(&mut contacts, &mut bodies);
        // Predicted again with these forces, the plate is where they hold it.
        let total: f64 = contacts.iter().map(|contact| contact.force.y).sum();
        for contact in &mut contacts {
            contact.collision.sides[0].end.y = -1e-3 + 1e-3 * total;
            contact.included = contact.force;
        }
        let before: Vec<Vec3> = contacts.iter().map(|contact| contact.force).collect();
        let moved = solve(&mut contacts, &mut bodies);
        for ((contact, before), moved) in contacts.iter().zip(before).zip(moved) {
            assert!((contact.force - before).norm() < 1e-5 * before.norm());
            assert!(moved[0].norm() < 1e-7, "{}", moved[0]);
        }
    }
}
