//! Intersections of background edges with the surface.

use craze_math::Vec3;
use rayon::prelude::*;

use super::background::Background;
use super::classification::{CHUNK, Frame};
use crate::Domain;

#[derive(Clone, Copy, Debug)]
pub(super) struct Crossing {
    /// Ends of the edge, the lower index first.
    pub(super) ends: [u32; 2],
    /// Position along the edge, 0 to 1.
    pub(super) share: f64,
}

impl Crossing {
    pub(super) fn edge(&self) -> u64 {
        edge(self.ends[0], self.ends[1])
    }
}

/// An edge as a sortable key.
pub(super) fn edge(one: u32, other: u32) -> u64 {
    u64::from(one.min(other)) << 32 | u64::from(one.max(other))
}

/// Crossings of all edges with ends of opposite sign, sorted by edge.
pub(super) fn crossings(domain: &dyn Domain, frame: &Frame, background: &Background) -> Vec<Crossing> {
    let signs = &background.signs;
    let edges = background.tetrahedra.par_iter().with_min_len(CHUNK).flat_map_iter(|corners| {
        let pairs = craze_mesh::TETRAHEDRON_EDGES.map(|[a, b]| [corners[a], corners[b]]);
        pairs.into_iter().filter(|[a, b]| signs[*a as usize] * signs[*b as usize] < 0).map(|[a, b]| edge(a, b))
    });
    let edges = super::morton::sorted(edges.collect());
    let cross = |&edge: &u64| {
        let ends = [(edge >> 32) as u32, edge as u32];
        let positions = ends.map(|end| frame.position(background.points[end as usize]));
        Crossing { ends, share: root(domain, &positions, signs[ends[0] as usize] > 0) }
    };
    edges.par_iter().with_min_len(64).map(cross).collect()
}

/// Position along a segment, 0 to 1, at which the level changes sign, to [`ACCURACY`];
/// `inside_first` is true if the first end is inside.
///
/// Known candidates for jumps are tested first, with two evaluations each. The rest uses the ITP
/// method (Oliveira & Takahashi 2020), which converges like the secant method on smooth levels and
/// takes one step more than bisection at jumps.
pub(super) fn root(domain: &dyn Domain, ends: &[Vec3; 2], inside_first: bool) -> f64 {
    // Signed to be positive at `low` and negative at `high`.
    let value = |share: f64| {
        let level = domain.level(&(ends[0] + (ends[1] - ends[0]) * share));
        let level = if level.is_nan() { -f64::MAX } else { level.clamp(-f64::MAX, f64::MAX) };
        if inside_first { level } else { -level }
    };
    let (mut low, mut high) = (0.0, 1.0);
    let mut from = 0.0;
    for _ in 0..MAX_JUMPS {
        let Some(share) = domain.jump(ends, from) else { break };
        let [before, beyond] = [(share - ACCURACY).max(low), (share + ACCURACY).min(high)];
        if beyond < high && value(beyond) > 0.0 {
            (low, from) = (beyond, beyond);
        } else if before > low && value(before) <= 0.0 {
            high = before;
            break;
        } else {
            return share;
        }
    }
    let (mut low_value, mut high_value) = (value(low), value(high));
    // One step more than bisection to twice the accuracy.
    let steps = (0.5 / ACCURACY).log2().ceil() as i32 + 1;
    for step in 0..=steps {
        let width: f64 = high - low;
        if width <= 2.0 * ACCURACY {
            break;
        }
        let middle = 0.5 * (low + high);
        let fall = low_value - high_value;
        let secant =
            if fall > 0.0 && fall.is_finite() { (low * -high_value + high * low_value) / fall } else { middle };
        let toward = (middle - secant).signum();
        // Truncation toward the midpoint (κ₁ = 0.2, κ₂ = 2), so that both ends move.
        let truncation = 0.2 * width * width;
        let truncated = if truncation <= (middle - secant).abs() { secant + toward * truncation } else { middle };
        // Projection near the midpoint, which bounds the worst case by bisection's.
        let slack = ACCURACY * 2f64.powi(steps - step) - 0.5 * width;
        let tried = if (truncated - middle).abs() <= slack { truncated } else { middle - toward * slack.max(0.0) };
        let evaluated = value(tried);
        if evaluated > 0.0 {
            (low, low_value) = (tried, evaluated);
        } else {
            (high, high_value) = (tried, evaluated);
        }
    }
    0.5 * (low + high)
}

/// Accuracy of crossings, as a share of the edge.
const ACCURACY: f64 = 5e-8;

/// Most candidates for jumps.
const MAX_JUMPS: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use craze_spatial::Aabb;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// A level along x that counts its evaluations.
    struct Counted<F>(F, AtomicUsize);

    impl<F: Fn(f64) -> f64 + Sync> Domain for Counted<F> {
        fn bounds(&self) -> Aabb {
            Aabb { min: Vec3::zeros(), max: Vec3::repeat(1.0) }
        }
        fn level(&self, point: &Vec3) -> f64 {
            self.1.fetch_add(1, Ordering::Relaxed);
            (self.0)(point.x)
        }
        fn clearance(&self, _: &Vec3) -> f64 {
            0.0
        }
        fn normal(&self, _: &Vec3) -> Option<Vec3> {
            None
        }
    }

    fn evaluated(level: impl Fn(f64) -> f64 + Sync) -> (f64, usize) {
        let inside_first = level(0.0) > 0.0;
        let domain = Counted(level, AtomicUsize::new(0));
        let share = root(&domain, &[Vec3::zeros(), Vec3::x()], inside_first);
        (share, domain.1.into_inner())
    }

    #[test]
    fn smooth_levels_take_few_steps_and_jumps_as_many_as_bisection() {
        for at in [1e-6, 0.1, 0.5, 0.77, 0.999_999] {
            let (share, asked) = evaluated(|x| at - x);
            assert!((share - at).abs() < 1e-7 && asked <= 14, "{at}: {share} after {asked}");
            let (share, asked) = evaluated(|x| (x - at) * (1.0 + 3.0 * x));
            assert!((share - at).abs() < 1e-7 && asked <= 20, "{at}: {share} after {asked}");
            let (share, asked) = evaluated(|x| if x < at { 0.5 } else { -0.5 });
            assert!((share - at).abs() < 1e-7 && asked <= 28, "{at}: {share} after {asked}");
            let (share, _) = evaluated(|x| if x < at { 1e300 } else { -1e-300 });
            assert!((share - at).abs() < 1e-7);
            let (share, _) = evaluated(|x| if x < at { f64::INFINITY } else { f64::NAN });
            assert!((share - at).abs() < 1e-7);
        }
    }
}
