//! The keys of a material that each method reads.

use crate::quantity::Quantity;

/// A key of a material table, beside `preset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// A scalar.
    Number(Quantity),
    /// The general 6×6 stiffness.
    Stiffness,
    /// The general 6×6 viscosity.
    Viscosity,
}

impl Key {
    /// All keys, in table order.
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

    /// True if contact reads it, for bodies of any method.
    pub const fn is_for_contact(self) -> bool {
        matches!(self, Key::Number(Quantity::Friction | Quantity::Restitution))
    }
}

/// The keys of a material that a method reads. Other keys have no effect on its bodies.
#[derive(Clone, Copy, Debug)]
pub struct MaterialUse {
    /// The method's name in scene files.
    pub method: &'static str,
    /// The keys it reads.
    pub reads: &'static [Key],
    /// For keys that the method does not read: its own key with the same purpose.
    pub instead: &'static [(Key, Quantity)],
}

impl MaterialUse {
    /// True if the key affects a body of this method: read by the method or by contact.
    pub fn accepts(&self, key: Key) -> bool {
        self.reads.contains(&key) || key.is_for_contact()
    }

    /// All keys that affect a body of this method.
    pub fn keys(&self) -> impl Iterator<Item = Key> {
        Key::all().filter(|key| self.accepts(*key))
    }

    /// The method's own key with the purpose of one it does not read, if any.
    pub fn instead_of(&self, key: Key) -> Option<Quantity> {
        self.instead.iter().find(|(other, _)| *other == key).map(|(_, ours)| *ours)
    }

    /// True if the method reads elasticity, which a material without a preset must then give.
    pub(crate) fn reads_elasticity(&self) -> bool {
        self.reads.contains(&Key::Number(Quantity::Young))
    }
}
