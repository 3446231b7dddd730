//! Momenta of some nodes together, and how they are restored after an edit.
//!
//! Lumping masses again after a cut conserves linear momentum, but changes angular momentum by
//! −(m/4)·t(1−t)·(x₁−x₂)×(v₁−v₂) for each cut edge of a cut tetrahedron (READINGS 5).

use crate::Node;
use craze_math::{Mat3, Vec3};

/// Mass, first moment and momenta of some nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Momenta {
    /// The point about which moments are taken (m).
    origin: Vec3,
    /// Mass (kg).
    mass: f64,
    /// Σ m·(x − origin) (kg·m).
    first: Vec3,
    /// Linear momentum (kg·m/s).
    linear: Vec3,
    /// Angular momentum about the origin (kg·m²/s).
    angular: Vec3,
}

impl Momenta {
    /// Of these nodes, about the first of them.
    pub fn of(state: &[Node], nodes: &[u32]) -> Momenta {
        let origin = nodes.first().map_or(Vec3::zeros(), |&node| state[node as usize].position());
        Momenta::about(origin, state, nodes)
    }

    fn about(origin: Vec3, state: &[Node], nodes: &[u32]) -> Momenta {
        let zero = Vec3::zeros();
        let mut sum = Momenta { origin, mass: 0.0, first: zero, linear: zero, angular: zero };
        for &node in nodes {
            let record = &state[node as usize];
            let (arm, momentum) = (record.position() - origin, record.mass() * record.velocity());
            sum.mass += record.mass();
            sum.first += record.mass() * arm;
            sum.linear += momentum;
            sum.angular += arm.cross(&momentum);
        }
        sum
    }

    /// Adds a rigid velocity field to nodes so that they have these momenta together. `nodes` are
    /// those after the edit: the nodes from before it and their copies. Nothing happens where the
    /// inertia of the nodes cannot be inverted to finite numbers.
    pub fn restore(&self, state: &mut [Node], nodes: &[u32]) {
        let after = Momenta::about(self.origin, state, nodes);
        let push = (self.linear - after.linear) / after.mass;
        let center = self.origin + after.first / after.mass;
        let mut inertia = Mat3::zeros();
        for &node in nodes {
            let (arm, mass) = (state[node as usize].position() - center, state[node as usize].mass());
            inertia += mass * (arm.norm_squared() * Mat3::identity() - arm * arm.transpose());
        }
        let lost = self.angular - after.angular - after.first.cross(&push);
        let spin = inertia.try_inverse().map_or(Vec3::zeros(), |inverse| inverse * lost);
        if !spin.iter().all(|component| component.is_finite()) {
            return;
        }
        for &node in nodes {
            let record = &mut state[node as usize];
            let velocity = record.velocity() + push + spin.cross(&(record.position() - center));
            record.set_velocity(&velocity);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use craze_math::Random;

    #[test]
    fn momenta_are_restored_after_masses_have_changed() {
        let mut random = Random::new(5);
        let nodes: Vec<u32> = vec![1, 2, 4, 5, 7];
        let mut state: Vec<Node> =
            (0..8).map(|_| Node::new(random.vector(), random.vector(), 1.0 + random.number())).collect();
        let (before, others) = (Momenta::of(&state, &nodes), state.clone());
        for &node in &nodes {
            let record = state[node as usize];
            state[node as usize] = Node::new(record.position(), record.velocity(), 1.0 + random.number());
        }
        before.restore(&mut state, &nodes);
        let after = Momenta::of(&state, &nodes);
        assert!((after.linear - before.linear).norm() < 1e-14);
        assert!((after.angular - before.angular).norm() < 1e-14);
        assert!([0, 3, 6].iter().all(|&node| state[node] == others[node]));
    }
}
