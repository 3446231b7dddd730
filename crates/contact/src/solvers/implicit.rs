//! Forces between things that give way linearly: how hard each of many contacts pushes, all of them at once.
//!
//! Each thing says by how much every pushed dof of it moves for a newton on every other (its compliance C, m/N). With W, the same between the
//! points of all contacts (Delassus' operator of multibody dynamics), the forces λ are those for which λₙ ≥ 0, gap + Wλ + λₙ/k ≥ 0, one of them
//! zero, and which rub as Coulomb says. Contacts that push are guessed, their forces follow from a symmetric system by conjugate gradients, and the
//! guess is mended until it stands: those that pull are let go, those that would go too deep are taken in, and friction is a spring as soft as brings it to
//! its share of the push. Where guesses go round in circles, what they leave is improved by accelerated projected gradients (Mazhar et al. 2015), which are slower but
//! leave no pulls. Turned down: projected Gauss–Seidel, which needs thousands of sweeps where a hundred points share the weight of a block.

use craze_math::{Mat3, Vec3};

/// How often the guess is mended.
const GUESSES: usize = 10;

/// Iterations of conjugate gradients for one guess.
const ITERATIONS: usize = 200;

/// Share of the first residual at which they end.
const LEAST_RESIDUAL: f64 = 1e-8;

/// Change of a gap between guesses, as a share of the deepest contact, at which the guess stands.
const LEAST_CHANGE: f64 = 5e-3;

/// Pulls that the last guess may leave, as a share of all that pushes: without them the rest would push by so much too hard.
const MOST_PULLED: f64 = 0.01;

/// Steps of projected gradients.
const DESCENTS: usize = 300;

/// Change of the forces in a step of them, as a share of the forces, at which they end.
const LEAST_DESCENT: f64 = 1e-4;

/// How much stiffer than along its normal a contact holds what does not slide: what lies on a slope creeps by its load over this stiffness in a step.
const STICKING: f64 = 30.0;

/// How a thing gives way.
#[derive(Clone, Debug)]
pub enum Compliance {
    /// Ways (m/N) of all dofs, row by row, for a force on each: a column of blocks after another.
    Coupled(Vec<Mat3>),
    /// Every dof by itself (m/N).
    Single(Vec<f64>),
}

impl Compliance {
    fn block(&self, row: usize, column: usize, count: usize) -> Mat3 {
        match self {
            Compliance::Coupled(blocks) => blocks[column * count + row],
            Compliance::Single(each) if row == column => Mat3::from_diagonal_element(each[row]),
            Compliance::Single(_) => Mat3::zeros(),
        }
    }
}

/// A thing that is pushed.
#[derive(Clone, Debug)]
pub struct CompliantBody {
    compliance: Compliance,
    /// Forces on its dofs (N), and how far they move (m).
    forces: Vec<Vec3>,
    ways: Vec<Vec3>,
}

impl CompliantBody {
    /// A thing with so many dofs; a compliance of another size counts as none.
    pub fn new(compliance: Compliance, dofs: usize) -> CompliantBody {
        let is_whole = match &compliance {
            Compliance::Coupled(blocks) => blocks.len() == dofs * dofs,
            Compliance::Single(each) => each.len() == dofs,
        };
        let compliance = if is_whole { compliance } else { Compliance::Single(vec![0.0; dofs]) };
        let still = vec![Vec3::zeros(); dofs];
        CompliantBody { compliance, forces: still.clone(), ways: still }
    }

    /// Lets it give way to its forces.
    fn give_way(&mut self) {
        match &self.compliance {
            Compliance::Coupled(blocks) => {
                self.ways.fill(Vec3::zeros());
                for (column, force) in blocks.chunks_exact(self.forces.len().max(1)).zip(&self.forces) {
                    for (way, block) in self.ways.iter_mut().zip(column) {
                        *way += block * force;
                    }
                }
            }
            Compliance::Single(each) => {
                for ((way, force), give) in self.ways.iter_mut().zip(&self.forces).zip(each) {
                    *way = *give * force;
                }
            }
        }
    }
}

/// One of the two that touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointSide {
    /// Which of the things.
    pub thing: usize,
    /// Its dofs, of which the point is a weighted sum; unused places have weight 0.
    pub slots: [usize; 3],
    /// Their weights (1).
    pub weights: [f64; 3],
    /// Force on the first side (N) under which the thing was seen.
    pub known: Vec3,
}

/// Two points that push each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    /// The side that is pushed along the normal, and the one that is pushed against it.
    pub sides: [JointSide; 2],
    /// Unit normal from the second to the first.
    pub normal: Vec3,
    /// What is left of the distance to keep as the things were seen (m), negative where they are too close.
    pub gap: f64,
    /// How far the first has slid along the second since the start of the step (m), as they were seen.
    pub slid: Vec3,
    /// Stiffness of the contact along its normal (N/m).
    pub stiffness: f64,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// Force on the first side (N): a guess, then the answer.
    pub force: Vec3,
    /// Stiffness by which it holds what would slide (N/m), likewise; none if nobody has looked yet.
    pub hold: Option<f64>,
}

/// Finds the forces of all joints. Joints between things of which neither gives way push by their stiffness alone.
pub fn solve(joints: &mut [Joint], things: &mut [CompliantBody]) {
    let known: Vec<[Vec3; 2]> = joints.iter().map(|joint| joint.sides.map(|side| side.known)).collect();
    // How far apart the two points of each joint would be without any force.
    let mut apart: Vec<Vec3> = part(joints, things, |joint| known[joint]);
    for (apart, joint) in apart.iter_mut().zip(&*joints) {
        let along = joint.slid - joint.slid.dot(&joint.normal) * joint.normal;
        *apart = joint.gap * joint.normal + along - *apart;
    }
    let compliances: Vec<Mat3> = joints.iter().map(|joint| compliance(joint, things)).collect();
    let mut forces: Vec<Vec3> = joints.iter().map(|joint| joint.force).collect();
    let mut guesses: Vec<Guess> = joints.iter().map(Guess::new).collect();
    let first = forces.clone();
    let mut ways = part(joints, things, |joint| [forces[joint]; 2]);
    for _ in 0..GUESSES {
        let before = std::mem::take(&mut ways);
        System { joints, guesses: &guesses, compliances: &compliances }.find(&apart, things, &mut forces);
        ways = part(joints, things, |joint| [forces[joint]; 2]);
        let depth = |joint: usize| forces[joint].norm() / joints[joint].stiffness;
        let deepest = (0..joints.len()).map(depth).fold(0.0, f64::max);
        let farthest = ways.iter().zip(&before).map(|(now, then)| (now - then).norm()).fold(0.0, f64::max);
        let mut stands = !(farthest > LEAST_CHANGE * deepest);
        for (index, guess) in guesses.iter_mut().enumerate() {
            stands &= !guess.mend(&joints[index], &forces[index], &(apart[index] + ways[index]));
        }
        if stands {
            break;
        }
    }
    let along = |joint: usize| forces[joint].dot(&joints[joint].normal);
    let (pushed, pulled) = (0..joints.len())
        .map(along)
        .fold((0.0, 0.0), |(pushed, pulled), force| (pushed + force.max(0.0), pulled - force.min(0.0)));
    let are_numbers = forces.iter().all(|force| force.iter().all(|part| part.is_finite()));
    if !are_numbers || pulled > MOST_PULLED * pushed {
        forces = first;
        descend(joints, &compliances, &apart, things, &mut forces);
        let ways = part(joints, things, |joint| [forces[joint]; 2]);
        for (index, guess) in guesses.iter_mut().enumerate() {
            guess.mend(&joints[index], &forces[index], &(apart[index] + ways[index]));
        }
    }
    for ((joint, force), guess) in joints.iter_mut().zip(&forces).zip(&guesses) {
        joint.hold = guess.pushes.then_some(guess.holds);
        joint.force = joint.possible(force);
    }
    // Where the forces take the points from where they were seen.
    part(joints, things, |joint| joints[joint].sides.map(|side| joints[joint].force - side.known));
}

impl Joint {
    /// What it can bear of a force (N): no pull, and no more rub than friction has for the push.
    fn possible(&self, force: &Vec3) -> Vec3 {
        let along = force.dot(&self.normal);
        let (push, rub) = (along.max(0.0), force - along * self.normal);
        let (most, size) = (self.friction * push, rub.norm());
        push * self.normal + if size > most { rub * (most / size) } else { rub }
    }
}

/// Improves forces (N) by accelerated projected gradients: the least of ½λ·(W + 1/k)λ + apart·λ among those that joints can bear.
fn descend(joints: &[Joint], compliances: &[Mat3], apart: &[Vec3], things: &mut [CompliantBody], forces: &mut [Vec3]) {
    let count = joints.len();
    let soft = |joint: usize, force: &Vec3| {
        let Joint { normal, stiffness, .. } = &joints[joint];
        let push = force.dot(normal) * normal;
        (push + (force - push) / STICKING) / *stiffness
    };
    // Each joint is scaled by how much it would give way alone.
    let scales: Vec<f64> =
        (0..count).map(|i| 1.0 / (compliances[i].trace() / 3.0 + 1.0 / joints[i].stiffness)).collect();
    let mut times = |forces: &[Vec3]| -> Vec<Vec3> {
        let ways = part(joints, things, |joint| [forces[joint]; 2]);
        ways.iter().enumerate().map(|(joint, way)| way + soft(joint, &forces[joint])).collect()
    };
    let possible = |joint: usize, force: &Vec3| {
        if force.iter().all(|x| x.is_finite()) { joints[joint].possible(force) } else { Vec3::zeros() }
    };
    for (joint, force) in forces.iter_mut().enumerate() {
        *force = possible(joint, force);
    }
    let (mut ahead, mut momentum, mut pace) = (forces.to_vec(), 1.0f64, 1.0f64);
    for _ in 0..DESCENTS {
        let product = times(&ahead);
        let slope: Vec<Vec3> = (0..count).map(|i| product[i] + apart[i]).collect();
        // The step is short enough when the parabola that it was made for lies above what is met.
        let next = loop {
            let next: Vec<Vec3> = (0..count).map(|i| possible(i, &(ahead[i] - pace * scales[i] * slope[i]))).collect();
            let moved: Vec<Vec3> = (0..count).map(|i| next[i] - ahead[i]).collect();
            let bent: f64 = times(&moved).iter().zip(&moved).map(|(a, b)| a.dot(b)).sum();
            let room: f64 = (0..count).map(|i| moved[i].norm_squared() / scales[i]).sum::<f64>() / pace;
            if !(bent > room) || pace < 1e-9 {
                break next;
            }
            pace *= 0.5;
        };
        let uphill: f64 = (0..count).map(|i| slope[i].dot(&(next[i] - forces[i]))).sum();
        let faster = 0.5 * (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt());
        let carry = if uphill > 0.0 { 0.0 } else { (momentum - 1.0) / faster };
        momentum = if uphill > 0.0 { 1.0 } else { faster };
        let (mut change, mut size) = (0.0, 0.0);
        for i in 0..count {
            let way = next[i] - forces[i];
            change += way.norm_squared();
            size += next[i].norm_squared();
            ahead[i] = next[i] + carry * way;
            forces[i] = next[i];
        }
        if !(change > LEAST_DESCENT * LEAST_DESCENT * size) {
            return;
        }
    }
}

impl JointSide {
    /// How far its point is taken from where it was seen (m) by the forces that [`solve`] has found for these things.
    pub fn way(&self, things: &[CompliantBody]) -> Vec3 {
        (0..3).map(|k| self.weights[k] * things[self.thing].ways[self.slots[k]]).sum()
    }
}

/// What a joint is taken to do.
struct Guess {
    pushes: bool,
    /// Stiffness by which it holds what would slide (N/m).
    holds: f64,
}

impl Guess {
    fn new(joint: &Joint) -> Guess {
        let pushes = joint.force.dot(&joint.normal) > 0.0 || joint.gap < 0.0;
        let stiff = if joint.friction > 0.0 { STICKING * joint.stiffness } else { 0.0 };
        Guess { pushes, holds: joint.hold.unwrap_or(stiff) }
    }

    /// Follows from the force (N) and how far apart the two points are then (m). Says whether anybody changed his mind.
    fn mend(&mut self, joint: &Joint, force: &Vec3, apart: &Vec3) -> bool {
        let (push, gap) = (force.dot(&joint.normal), apart.dot(&joint.normal));
        let pushed = self.pushes;
        self.pushes = if pushed { push >= 0.0 } else { gap < 0.0 };
        let slid = (apart - gap * joint.normal).norm();
        let (stiff, most) = (STICKING * joint.stiffness, joint.friction * push.max(0.0));
        self.holds = if stiff * slid > most { most / slid } else { stiff };
        self.pushes != pushed
    }
}

/// The equations of all joints that push.
struct System<'a> {
    joints: &'a [Joint],
    guesses: &'a [Guess],
    compliances: &'a [Mat3],
}

impl System<'_> {
    /// A vector for a joint, along the normal times one number and across it times another; nothing for one that does not push or hold.
    fn scaled(&self, joint: usize, vector: &Vec3, numbers: impl Fn(f64, f64) -> (f64, f64)) -> Vec3 {
        let (Joint { normal, stiffness, .. }, guess) = (&self.joints[joint], &self.guesses[joint]);
        if !guess.pushes {
            return Vec3::zeros();
        }
        let (across, along) = numbers(1.0 / stiffness, 1.0 / guess.holds);
        let push = vector.dot(normal) * normal;
        let rub = if guess.holds > 0.0 { along * (vector - push) } else { Vec3::zeros() };
        across * push + rub
    }

    /// Conjugate gradients from the forces at hand, each joint preconditioned by itself.
    fn find(&self, apart: &[Vec3], things: &mut [CompliantBody], forces: &mut [Vec3]) {
        let count = self.joints.len();
        let clean = |joint: usize, vector: &Vec3| self.scaled(joint, vector, |_, _| (1.0, 1.0));
        let mut times = |vectors: &[Vec3]| -> Vec<Vec3> {
            let ways = part(self.joints, things, |joint| [vectors[joint]; 2]);
            let soft = |joint: usize| self.scaled(joint, &vectors[joint], |across, along| (across, along));
            (0..count).map(|joint| clean(joint, &ways[joint]) + soft(joint)).collect()
        };
        let precondition = |joint: usize, vector: &Vec3| {
            let compliance = &self.compliances[joint];
            let normal = self.joints[joint].normal;
            let across = normal.dot(&(compliance * normal));
            let along = 0.5 * (compliance.trace() - across);
            self.scaled(joint, vector, |soft, slack| (1.0 / (across + soft), 1.0 / (along + slack)))
        };
        let dot = |one: &[Vec3], other: &[Vec3]| -> f64 { one.iter().zip(other).map(|(a, b)| a.dot(b)).sum() };
        (0..count).for_each(|joint| forces[joint] = clean(joint, &forces[joint]));
        let product = times(forces);
        let mut residual: Vec<Vec3> = (0..count).map(|joint| -clean(joint, &apart[joint]) - product[joint]).collect();
        let wish = |residual: &[Vec3]| -> Vec<Vec3> {
            (0..count).map(|joint| precondition(joint, &residual[joint])).collect()
        };
        let whole: Vec<Vec3> = (0..count).map(|joint| clean(joint, &apart[joint])).collect();
        let enough = LEAST_RESIDUAL * LEAST_RESIDUAL * dot(&whole, &wish(&whole));
        let mut wanted = wish(&residual);
        let mut direction = wanted.clone();
        let mut size = dot(&residual, &wanted);
        for _ in 0..ITERATIONS {
            // Written so that what is not a number ends it.
            if !(size > enough) {
                return;
            }
            let product = times(&direction);
            let step = size / dot(&direction, &product);
            if !step.is_finite() {
                return;
            }
            for joint in 0..count {
                forces[joint] += step * direction[joint];
                residual[joint] -= step * product[joint];
            }
            wanted = wish(&residual);
            let next = dot(&residual, &wanted);
            let share = next / size;
            size = next;
            direction.iter_mut().zip(&wanted).for_each(|(direction, wanted)| *direction = wanted + share * *direction);
        }
    }
}

/// By how much the two points of every joint part (m) under forces on its first side (N), as told to either side.
fn part(joints: &[Joint], things: &mut [CompliantBody], forces: impl Fn(usize) -> [Vec3; 2]) -> Vec<Vec3> {
    things.iter_mut().for_each(|thing| thing.forces.fill(Vec3::zeros()));
    for (index, joint) in joints.iter().enumerate() {
        let [first, second] = forces(index);
        for (side, force) in joint.sides.iter().zip([first, -second]) {
            for (&slot, &weight) in side.slots.iter().zip(&side.weights).filter(|(_, weight)| **weight != 0.0) {
                things[side.thing].forces[slot] += weight * force;
            }
        }
    }
    things.iter_mut().for_each(CompliantBody::give_way);
    joints.iter().map(|joint| joint.sides[0].way(things) - joint.sides[1].way(things)).collect()
}

/// How far the two points of a joint part (m/N) for a force between them.
fn compliance(joint: &Joint, things: &[CompliantBody]) -> Mat3 {
    let mut sum = Mat3::zeros();
    for side in &joint.sides {
        let CompliantBody { compliance, ways, .. } = &things[side.thing];
        for (&row, &one) in side.slots.iter().zip(&side.weights) {
            for (&column, &other) in side.slots.iter().zip(&side.weights).filter(|(_, other)| one * **other != 0.0) {
                sum += one * other * compliance.block(row, column, ways.len());
            }
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rigid plate of a mass (kg) that only moves up and down and along, seen at points: all move alike.
    fn plate(points: usize, give: f64) -> CompliantBody {
        CompliantBody::new(Compliance::Coupled(vec![Mat3::from_diagonal_element(give); points * points]), points)
    }

    fn ground() -> CompliantBody {
        CompliantBody::new(Compliance::Single(vec![0.0]), 1)
    }

    fn on_ground(slot: usize, gap: f64, stiffness: f64, friction: f64) -> Joint {
        let side = |thing, slot| JointSide { thing, slots: [slot; 3], weights: [1.0, 0.0, 0.0], known: Vec3::zeros() };
        let (slid, force) = (Vec3::zeros(), Vec3::zeros());
        Joint {
            sides: [side(0, slot), side(1, 0)],
            normal: Vec3::y(),
            gap,
            slid,
            stiffness,
            friction,
            force,
            hold: None,
        }
    }

    #[test]
    fn a_hundred_points_of_a_plate_share_its_weight() {
        // Penetration by 1 mm if nothing held it: 100 springs and its own inertia in a row.
        let (points, give, stiffness) = (100, 1e-4, 1e6);
        let mut things = [plate(points, give), ground()];
        let mut joints: Vec<Joint> = (0..points).map(|slot| on_ground(slot, -1e-3, stiffness, 0.0)).collect();
        solve(&mut joints, &mut things);
        let expected = 1e-3 / (1.0 / stiffness + points as f64 * give);
        for joint in &joints {
            assert!((joint.force.y / expected - 1.0).abs() < 1e-3, "{} N, expected {expected} N", joint.force.y);
        }
    }

    #[test]
    fn what_would_part_does_not_pull() {
        let mut things = [plate(2, 1e-3), ground()];
        let mut joints = [on_ground(0, -1e-3, 1e6, 0.0), on_ground(1, 2e-3, 1e6, 0.0)];
        joints[1].force = Vec3::y();
        solve(&mut joints, &mut things);
        assert_eq!(joints[1].force, Vec3::zeros());
        assert!((joints[0].force.y / (1e-3 / (1e-6 + 1e-3)) - 1.0).abs() < 1e-4);
    }

    #[test]
    fn friction_holds_up_to_its_share_of_the_push() {
        for (slid, sticks) in [(2e-4, true), (9e-4, false)] {
            let mut things = [plate(1, 1e-3), ground()];
            let mut joint = [Joint { slid: slid * Vec3::x(), ..on_ground(0, -1e-3, 1e9, 0.5) }];
            solve(&mut joint, &mut things);
            let [Joint { force, .. }] = joint;
            // What sticks is held by a spring far stiffer than the plate.
            let expected = if sticks { slid / 1e-3 } else { 0.5 * force.y };
            assert!((force.x + expected).abs() < 1e-3, "{force} N");
        }
    }

    #[test]
    fn gradients_find_what_guesses_find() {
        // Springs of many stiffnesses under a plate, some of which would pull.
        let (points, give) = (40, 1e-4);
        let gap = |slot: usize| 1e-3 * (0.7 * slot as f64).sin() - 4e-4;
        let stiffness = |slot: usize| 1e4 * (1 + slot % 7) as f64;
        let make = || -> Vec<Joint> {
            (0..points).map(|slot| on_ground(slot, gap(slot), stiffness(slot), 0.4 * (slot % 2) as f64)).collect()
        };
        let (mut joints, mut things) = (make(), [plate(points, give), ground()]);
        solve(&mut joints, &mut things);
        let (plain, mut forces) = (make(), vec![Vec3::zeros(); points]);
        let compliances: Vec<Mat3> = plain.iter().map(|joint| compliance(joint, &things)).collect();
        let apart: Vec<Vec3> = plain.iter().map(|joint| joint.gap * joint.normal).collect();
        descend(&plain, &compliances, &apart, &mut things, &mut forces);
        let total = |forces: &mut dyn Iterator<Item = f64>| forces.sum::<f64>();
        let (guessed, descended) =
            (total(&mut joints.iter().map(|joint| joint.force.y)), total(&mut forces.iter().map(|force| force.y)));
        assert!(guessed > 1.0 && (descended / guessed - 1.0).abs() < 0.01, "{descended} N for {guessed} N");
        let largest = forces.iter().map(|force| force.norm()).fold(0.0, f64::max);
        for (joint, force) in joints.iter().zip(&forces) {
            assert!((joint.force - force).norm() < 0.02 * largest, "{} N for {} N", force, joint.force);
            assert!(force.y >= 0.0);
        }
    }

    #[test]
    fn what_is_known_already_is_not_pushed_again() {
        let mut things = [plate(3, 1e-3), ground()];
        let mut joints: Vec<Joint> = (0..3).map(|slot| on_ground(slot, -1e-3, 1e5, 0.0)).collect();
        solve(&mut joints, &mut things);
        // Seen again under these forces, the plate is where they hold it.
        let total: f64 = joints.iter().map(|joint| joint.force.y).sum();
        for joint in &mut joints {
            joint.gap = -1e-3 + 1e-3 * total;
            joint.sides[0].known = joint.force;
        }
        let before: Vec<Vec3> = joints.iter().map(|joint| joint.force).collect();
        solve(&mut joints, &mut things);
        for (joint, before) in joints.iter().zip(before) {
            assert!((joint.force - before).norm() < 1e-5 * before.norm());
        }
    }
}
