//! Contacts in the equations of one implicit body.

use craze_contact::ContactSpring;
use craze_contact::collisions::CollisionKey;
use craze_contact::solvers::spring::SpringContact;

/// Contacts in the equations of a body, from obstacles and from other bodies.
#[derive(Default)]
pub(crate) struct EquationContacts {
    /// Contacts with obstacles, by key.
    obstacles: Vec<SpringContact>,
    /// Forces of other bodies, each with the first degree of freedom of its contact point, by which
    /// they are sorted.
    bodies: Vec<(u32, ContactSpring)>,
    /// All of them, as the body receives them: by degree of freedom, those of other bodies first.
    springs: Vec<ContactSpring>,
}

impl EquationContacts {
    pub fn clear(&mut self) {
        self.obstacles.clear();
        self.bodies.clear();
        self.springs.clear();
    }

    /// All contacts, as the body receives them.
    pub fn springs(&self) -> &[ContactSpring] {
        &self.springs
    }

    /// A contact with an obstacle.
    pub fn find(&self, key: &CollisionKey) -> Option<&SpringContact> {
        self.obstacles.binary_search_by_key(key, SpringContact::key).ok().map(|index| &self.obstacles[index])
    }

    /// Takes the contacts with obstacles out, for [`set_obstacles`](Self::set_obstacles).
    pub fn take_obstacles(&mut self) -> Vec<SpringContact> {
        std::mem::take(&mut self.obstacles)
    }

    /// Replaces the contacts with obstacles.
    pub fn set_obstacles(&mut self, mut contacts: Vec<SpringContact>) {
        contacts.sort_by_key(SpringContact::key);
        self.obstacles = contacts;
        self.merge();
    }

    /// Replaces the forces of other bodies. Those of a degree of freedom stay in the order in which
    /// they come.
    pub fn set_bodies(&mut self, springs: impl Iterator<Item = (u32, ContactSpring)>) {
        self.bodies.clear();
        self.bodies.extend(springs);
        self.bodies.sort_by_key(|(dof, _)| *dof);
        self.merge();
    }

    fn merge(&mut self) {
        self.springs.clear();
        let mut others = self.bodies.iter().peekable();
        for contact in &self.obstacles {
            let dof = contact.collision.sides[0][1];
            while let Some((_, spring)) = others.next_if(|(other, _)| *other <= dof) {
                self.springs.push(spring.clone());
            }
            self.springs.push(contact.spring.clone());
        }
        self.springs.extend(others.map(|(_, spring)| spring.clone()));
    }
}
