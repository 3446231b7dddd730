//! Ledger: conserved quantities of nodes, in the order of the nodes.

use crate::Node;
use crate::rigid_mode::RigidMap;
use craze_engine::Account;
use craze_math::Vec3;

/// Adds mass, momenta, kinetic energy and potential energy in `gravity` (m/s²) of nodes; `map`
/// takes recorded positions of an island in rigid-body mode to where it is.
pub fn add_nodes(account: &mut Account, nodes: &[Node], map: Option<&RigidMap>, gravity: &Vec3) {
    for node in nodes {
        let mass = node.mass();
        let (position, velocity) = match map {
            Some(map) => map.apply(&node.position()),
            None => (node.position(), node.velocity()),
        };
        account.mass += mass;
        account.momentum += mass * velocity;
        account.angular_momentum += mass * position.cross(&velocity);
        account.kinetic += 0.5 * mass * velocity.norm_squared();
        account.potential -= mass * gravity.dot(&position);
    }
}

/// The ledger of matter with a mass (kg), centre (m), velocity (m/s) and angular momentum about the
/// centre (kg·m²/s) in `gravity` (m/s²), without energies of motion and deformation.
pub fn of_momenta(mass: f64, center: &Vec3, velocity: &Vec3, angular_momentum: &Vec3, gravity: &Vec3) -> Account {
    let momentum = mass * velocity;
    Account {
        mass,
        momentum,
        angular_momentum: angular_momentum + center.cross(&momentum),
        potential: -mass * gravity.dot(center),
        ..Account::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::IslandMotion;
    use craze_engine::RigidBody;
    use craze_math::Random;

    #[test]
    fn a_rigid_island_has_the_quantities_of_its_nodes() {
        let mut random = Random::new(1);
        let (spin, velocity) = (random.vector(), random.vector());
        let mut nodes: Vec<Node> = (0..9)
            .map(|_| {
                let position = random.vector();
                Node::new(position, velocity + spin.cross(&position), 1.5 + random.signed())
            })
            .collect();
        let gravity = Vec3::new(0.0, -9.81, 0.0);
        let mut awake = Account::default();
        add_nodes(&mut awake, &nodes, None, &gravity);
        let points = nodes.iter().map(|node| (node.mass(), node.position(), node.velocity()));
        let body = RigidBody::from_masses(points).unwrap();
        let (mut island, mut prediction) = (IslandMotion::awake(&nodes), nodes.clone());
        island.sleep(body, &nodes, &mut prediction);
        // What nodes have recorded as velocities is not used.
        nodes.iter_mut().for_each(|node| node.set_velocity(&Vec3::zeros()));
        let mut asleep = Account::default();
        add_nodes(&mut asleep, &nodes, island.rigid.map(|rigid| rigid.map()).as_ref(), &gravity);
        assert_eq!((awake.mass, awake.potential), (asleep.mass, asleep.potential));
        assert!((awake.momentum - asleep.momentum).norm() < 1e-13);
        assert!((awake.angular_momentum - asleep.angular_momentum).norm() < 1e-13);
        assert!((awake.kinetic - asleep.kinetic).abs() < 1e-13);
    }
}
