//! Which numbers of a material a method reads, stated by each method as data.

use crate::quantity::Quantity;

/// Something that a material table can set beside the name of its preset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// A single number.
    Number(Quantity),
    /// The general 6×6 stiffness.
    Stiffness,
    /// The general 6×6 viscosity.
    Viscosity,
}

impl Key {
    /// All keys, in the order in which tables show them.
    pub fn all() -> impl Iterator<Item = Key> {
        Quantity::ALL.into_iter().map(Key::Number).chain([Key::Stiffness, Key::Viscosity])
    }

    /// The key in scene files.
    pub const fn name(self) -> &'static str {
        match self {
            Key::Number(quantity) => quantity.key(),
            Key::Stiffness => "stiffness",
            Key::Viscosity => "viscosity",
        }
    }

    /// Whether contact reads it, of every body whatever its method.
    pub const fn is_for_contact(self) -> bool {
        matches!(self, Key::Number(Quantity::Friction | Quantity::Restitution))
    }
}

/// The part of a material that a method reads. What it does not list changes nothing about a body of that method.
#[derive(Clone, Copy, Debug)]
pub struct MaterialUse {
    /// The method's name in scene files.
    pub method: &'static str,
    /// What the method reads.
    pub reads: &'static [Key],
    /// For keys that the method does not read: the one that sets what they set elsewhere.
    pub instead: &'static [(Key, Quantity)],
}

impl MaterialUse {
    /// Whether a key changes anything about a body of this method: the method reads it, or contact does.
    pub fn accepts(&self, key: Key) -> bool {
        self.reads.contains(&key) || key.is_for_contact()
    }

    /// All keys that change something about a body of this method.
    pub fn keys(&self) -> impl Iterator<Item = Key> {
        Key::all().filter(|key| self.accepts(*key))
    }

    /// The key to give in place of one that the method does not read, if there is one.
    pub fn instead_of(&self, key: Key) -> Option<Quantity> {
        self.instead.iter().find(|(other, _)| *other == key).map(|(_, ours)| *ours)
    }

    /// Whether the method reads the stiffness of matter, so that a material without a preset must give it.
    pub(crate) fn reads_elasticity(&self) -> bool {
        self.reads.contains(&Key::Number(Quantity::Young))
    }
}
