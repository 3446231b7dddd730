//! The bounding hierarchy: flat nodes of 32 bytes, children side by side.

use crate::aabb::Aabb;

/// Levels below the root that a tree may have: what the fixed traversal stacks hold.
pub(crate) const MAX_DEPTH: usize = 64;

/// A binary tree of boxes over numbered primitives.
///
/// Built by [`Bvh::build`]; the primitives themselves stay with the caller, who passes their boxes again where exact answers
/// need them. Boxes in the tree are `f32`, rounded outward, so they enclose what they were made from.
#[derive(Clone, Debug, Default)]
pub struct Bvh {
    pub(crate) nodes: Vec<Node>,
    /// Primitive numbers in leaf order.
    pub(crate) order: Vec<u32>,
    /// By node, how much its children shared of it when they were made (see `mend`); empty in a tree that was never updated.
    pub(crate) sharing: Vec<f32>,
    /// Memory of refitting: the boxes of all primitives in leaf order, rounded outward.
    pub(crate) gathered: Vec<Bounds>,
}

/// A box as nodes hold it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    pub min: [f32; 3],
    pub max: [f32; 3],
}

impl Bounds {
    pub const EMPTY: Self = Self { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    /// Around a box, rounded outward.
    pub fn around(bounds: &Aabb) -> Self {
        Self {
            min: std::array::from_fn(|axis| just_below(bounds.min[axis])),
            max: std::array::from_fn(|axis| -just_below(-bounds.max[axis])),
        }
    }

    /// Around two. Both hold numbers only: one comparison is enough.
    pub fn union(&self, other: &Self) -> Self {
        let smaller = |one: f32, other: f32| if other < one { other } else { one };
        let larger = |one: f32, other: f32| if other > one { other } else { one };
        Self {
            min: std::array::from_fn(|axis| smaller(self.min[axis], other.min[axis])),
            max: std::array::from_fn(|axis| larger(self.max[axis], other.max[axis])),
        }
    }
}

/// A box and what is in it: two child nodes, or a run of primitives.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(crate) struct Node {
    pub min: [f32; 3],
    /// First of the two neighbouring children; in a leaf, where its primitives start in `Bvh::order`.
    pub first: u32,
    pub max: [f32; 3],
    /// How many primitives a leaf holds; 0 in an inner node.
    pub count: u32,
}

const _: () = assert!(size_of::<Node>() == 32, "two nodes fill a cache line");

impl Node {
    /// A node that is still to be filled in.
    pub const EMPTY: Self = Self { min: [f32::INFINITY; 3], first: 0, max: [f32::NEG_INFINITY; 3], count: 0 };

    /// Half of its surface (m²), as rounded as the node itself.
    pub fn half_area(&self) -> f32 {
        let size: [f32; 3] = std::array::from_fn(|axis| self.max[axis] - self.min[axis]);
        size[0] * size[1] + size[1] * size[2] + size[2] * size[0]
    }

    pub fn is_leaf(&self) -> bool {
        self.count > 0
    }

    pub fn range(&self) -> std::ops::Range<usize> {
        self.first as usize..self.first as usize + self.count as usize
    }

    pub fn set_bounds(&mut self, bounds: &Aabb) {
        Bounds { min: self.min, max: self.max } = Bounds::around(bounds);
    }

    pub fn bounds(&self) -> Aabb {
        Aabb { min: self.min.map(f64::from).into(), max: self.max.map(f64::from).into() }
    }
}

/// An `f32` not above the value, and hardly below it, for boxes by the million: without a branch, which would be a coin toss for the
/// processor. Larger values never give smaller results, so that the box around boxes is the box around what is in them.
fn just_below(value: f64) -> f32 {
    let near = value as f32;
    near * if near > 0.0 { 1.0 - f32::EPSILON } else { 1.0 + f32::EPSILON } - f32::MIN_POSITIVE
}

/// The largest `f32` not above the value.
pub(crate) fn rounded_down(value: f64) -> f32 {
    let near = value as f32;
    if f64::from(near) > value { near.next_down() } else { near }
}

/// The smallest `f32` not below the value.
pub(crate) fn rounded_up(value: f64) -> f32 {
    let near = value as f32;
    if f64::from(near) < value { near.next_up() } else { near }
}

impl Bvh {
    /// How many primitives it holds.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// How many boxes it consists of, leaves and those above them.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The box around everything, rounded outward; empty for an empty tree.
    pub fn bounds(&self) -> Aabb {
        self.nodes.first().map_or(Aabb::EMPTY, Node::bounds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_goes_outward() {
        for value in [0.1, -0.1, 1.0, 1e-50, -1e-50, 123_456.789, 1e18, -1e18, 0.0] {
            assert!(f64::from(rounded_down(value)) <= value && value <= f64::from(rounded_up(value)), "{value}");
        }
        for value in [0.1, -0.1, 1.0, 1e-50, -1e-50, 123_456.789, 1e18, -1e18, 0.0] {
            assert!(f64::from(just_below(value)) <= value && value <= f64::from(-just_below(-value)), "{value}");
        }
        for k in 0..2000 {
            let (low, high) = (0.5 + 1e-9 * f64::from(k), 0.5 + 1e-9 * f64::from(k + 1));
            assert!(just_below(low) <= just_below(high) && just_below(-high) <= just_below(-low));
            assert!(-just_below(-low) - just_below(low) < 1e-6);
        }
        assert_eq!(rounded_down(0.5), 0.5);
        assert_eq!(rounded_up(0.5), 0.5);
    }
}
