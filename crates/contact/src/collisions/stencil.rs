//! Weighted sums of degrees of freedom.

use craze_math::Vec3;

/// Entries that are stored without an allocation: a triangle whose corners have one degree of
/// freedom each.
const INLINE: usize = 3;

/// A list of degrees of freedom with weights, any number of them: a vertex with one, a point on a
/// triangle with three, a point that is embedded in a tetrahedron with four, one in an element that
/// c cracks enrich with 4·(1 + c). A degree of freedom is a number in whatever list its user says,
/// and stands for all three axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Stencil(Entries);

#[derive(Clone, Debug)]
enum Entries {
    Inline { count: u8, entries: [(u32, f64); INLINE] },
    Heap(Box<[(u32, f64)]>),
}

impl PartialEq for Entries {
    fn eq(&self, other: &Entries) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl Entries {
    #[inline]
    fn as_slice(&self) -> &[(u32, f64)] {
        match self {
            Entries::Inline { count, entries } => &entries[..usize::from(*count)],
            Entries::Heap(entries) => entries,
        }
    }
}

impl Stencil {
    /// A single degree of freedom.
    #[inline]
    pub fn single(dof: u32) -> Stencil {
        Stencil(Entries::Inline { count: 1, entries: [(dof, 1.0), (0, 0.0), (0, 0.0)] })
    }

    /// Degrees of freedom that differ from each other, with their weights: any number of them without
    /// a search for those that occur twice.
    pub fn distinct(entries: Vec<(u32, f64)>) -> Stencil {
        if entries.len() <= INLINE { entries.into_iter().collect() } else { Stencil(Entries::Heap(entries.into())) }
    }

    /// The degrees of freedom with their weights, in this order.
    #[inline]
    pub fn as_slice(&self) -> &[(u32, f64)] {
        self.0.as_slice()
    }

    /// The weighted sum of a value of each degree of freedom; zero if there is none.
    #[inline]
    pub fn sum(&self, value: impl Fn(usize) -> Vec3) -> Vec3 {
        let terms = self.as_slice().iter().map(|&(dof, weight)| weight * value(dof as usize));
        terms.reduce(|sum, term| sum + term).unwrap_or_else(Vec3::zeros)
    }

    /// The sum of squared weights times a number of each degree of freedom: the mobility (1/kg)
    /// from their inverse masses.
    #[inline]
    pub fn sum_of_squares(&self, value: impl Fn(usize) -> f64) -> f64 {
        self.as_slice().iter().map(|&(dof, weight)| weight * weight * value(dof as usize)).sum()
    }
}

/// Weights of the same degree of freedom are added up. Up to three entries are not allocated.
impl FromIterator<(u32, f64)> for Stencil {
    fn from_iter<I: IntoIterator<Item = (u32, f64)>>(entries: I) -> Stencil {
        let (mut count, mut inline) = (0, [(0, 0.0); INLINE]);
        let mut heap: Vec<(u32, f64)> = Vec::new();
        for (dof, weight) in entries {
            let known = if heap.is_empty() { &mut inline[..count] } else { &mut heap[..] };
            if let Some(entry) = known.iter_mut().find(|entry| entry.0 == dof) {
                entry.1 += weight;
            } else if heap.is_empty() && count < INLINE {
                inline[count] = (dof, weight);
                count += 1;
            } else {
                if heap.is_empty() {
                    heap.extend(inline);
                }
                heap.push((dof, weight));
            }
        }
        if heap.is_empty() {
            Stencil(Entries::Inline { count: count as u8, entries: inline })
        } else {
            Stencil(Entries::Heap(heap.into_boxed_slice()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stencil_keeps_the_order_and_adds_up_what_occurs_twice() {
        let few: Stencil = [(7, 0.5), (3, 0.25), (7, 0.25)].into_iter().collect();
        assert_eq!(few.as_slice(), [(7, 0.75), (3, 0.25)]);
        let many: Stencil = [(4, 0.1), (3, 0.2), (2, 0.3), (1, 0.4), (3, 0.5), (0, 0.6)].into_iter().collect();
        assert_eq!(many.as_slice(), [(4, 0.1), (3, 0.7), (2, 0.3), (1, 0.4), (0, 0.6)]);
        assert_eq!(Stencil::distinct(many.as_slice().to_vec()), many);
        assert_eq!(Stencil::distinct(few.as_slice().to_vec()), few);
        assert_eq!(Stencil::single(9), [(9, 1.0)].into_iter().collect());
        assert!(Stencil::from_iter([]).as_slice().is_empty());
    }

    #[test]
    fn sums_go_over_all_entries() {
        let stencil: Stencil = (0..5).map(|dof| (dof, 0.2 * f64::from(dof))).collect();
        let sum = stencil.sum(|dof| Vec3::repeat(dof as f64));
        assert!((sum - Vec3::repeat(0.2 * 30.0)).norm() < 1e-12, "{sum}");
        assert!((stencil.sum_of_squares(|_| 2.0) - 2.0 * 0.04 * 30.0).abs() < 1e-12);
    }
}
