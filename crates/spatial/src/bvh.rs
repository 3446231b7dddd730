//! The bounding volume hierarchy: a flat array of 32-byte nodes with adjacent siblings.

use crate::aabb::Aabb;

/// Maximum depth of a tree: the capacity of the traversal stacks.
pub(crate) const MAX_DEPTH: usize = 64;

/// A binary bounding volume hierarchy over numbered primitives.
///
/// Built by [`Bvh::build`]. The caller keeps the primitives and passes their boxes where exact
/// answers need them. Boxes in the tree are `f32`, rounded outward.
#[derive(Clone, Debug, Default)]
pub struct Bvh {
    pub(crate) nodes: Vec<Node>,
    /// Primitive indices in leaf order.
    pub(crate) order: Vec<u32>,
    /// Per node, [`child_area_ratio`](crate::update) when its children were built; empty in a tree
    /// that was never updated.
    pub(crate) child_area_ratios: Vec<f32>,
    /// Workspace of refitting: boxes of all primitives in leaf order, rounded outward.
    pub(crate) gathered: Vec<Bounds>,
}

/// A box with the precision of nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    pub min: [f32; 3],
    pub max: [f32; 3],
}

impl Bounds {
    pub const EMPTY: Self = Self { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    /// Encloses a box, rounded outward.
    pub fn from_aabb(bounds: &Aabb) -> Self {
        Self {
            min: std::array::from_fn(|axis| slightly_below(bounds.min[axis])),
            max: std::array::from_fn(|axis| -slightly_below(-bounds.max[axis])),
        }
    }

    /// Union of two. Neither contains NaN, so one comparison per coordinate suffices.
    pub fn union(&self, other: &Self) -> Self {
        let smaller = |one: f32, other: f32| if other < one { other } else { one };
        let larger = |one: f32, other: f32| if other > one { other } else { one };
        Self {
            min: std::array::from_fn(|axis| smaller(self.min[axis], other.min[axis])),
            max: std::array::from_fn(|axis| larger(self.max[axis], other.max[axis])),
        }
    }
}

/// A box with its content: two child nodes, or a range of primitives.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(crate) struct Node {
    pub min: [f32; 3],
    /// First of two adjacent children; in a leaf, the start of its primitives in `Bvh::order`.
    pub first: u32,
    pub max: [f32; 3],
    /// Number of primitives of a leaf; 0 in an inner node.
    pub count: u32,
}

const _: () = assert!(size_of::<Node>() == 32, "two nodes fill a cache line");

impl Node {
    /// A node to be filled in.
    pub const EMPTY: Self = Self { min: [f32::INFINITY; 3], first: 0, max: [f32::NEG_INFINITY; 3], count: 0 };

    /// Half the surface area (m²), in the precision of the node.
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
        Bounds { min: self.min, max: self.max } = Bounds::from_aabb(bounds);
    }

    pub fn bounds(&self) -> Aabb {
        Aabb { min: self.min.map(f64::from).into(), max: self.max.map(f64::from).into() }
    }
}

/// An `f32` slightly below the value, without a branch, which would be mispredicted half of the
/// time. Monotonic, so the union of rounded boxes encloses their contents.
fn slightly_below(value: f64) -> f32 {
    let near = value as f32;
    near * if near > 0.0 { 1.0 - f32::EPSILON } else { 1.0 + f32::EPSILON } - f32::MIN_POSITIVE
}

/// Largest `f32` not above the value.
pub(crate) fn rounded_down(value: f64) -> f32 {
    let near = value as f32;
    if f64::from(near) > value { near.next_down() } else { near }
}

/// Smallest `f32` not below the value.
pub(crate) fn rounded_up(value: f64) -> f32 {
    let near = value as f32;
    if f64::from(near) < value { near.next_up() } else { near }
}

impl Bvh {
    /// Number of primitives.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// True without primitives.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Number of nodes, leaves included.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The box of all primitives, rounded outward; empty for an empty tree.
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
            assert!(
                f64::from(slightly_below(value)) <= value && value <= f64::from(-slightly_below(-value)),
                "{value}"
            );
        }
        for k in 0..2000 {
            let (low, high) = (0.5 + 1e-9 * f64::from(k), 0.5 + 1e-9 * f64::from(k + 1));
            assert!(slightly_below(low) <= slightly_below(high) && slightly_below(-high) <= slightly_below(-low));
            assert!(-slightly_below(-low) - slightly_below(low) < 1e-6);
        }
        assert_eq!(rounded_down(0.5), 0.5);
        assert_eq!(rounded_up(0.5), 0.5);
    }
}
