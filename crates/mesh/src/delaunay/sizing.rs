//! Local target edge length: the requested one, reduced near finer input.

use super::Point;
use crate::tuning::{MAX_SIZING_LEAF, SIZE_GROWTH, UNIFORM_SIZE_RATIO};

/// A k-d tree over points with their target edge length.
#[derive(Clone, Debug)]
pub(super) struct Sizing {
    edge: f64,
    /// Position and target length (m), in leaf order.
    points: Vec<(Point, f64)>,
    nodes: Vec<Node>,
    finest: f64,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    low: Point,
    high: Point,
    finest: f64,
    first: usize,
    count: usize,
    /// Index of the second child; the first is the next node. Zero in a leaf.
    second: usize,
}

impl Sizing {
    pub(super) fn new(edge: f64, points: Vec<(Point, f64)>) -> Self {
        let finest = points.iter().map(|point| point.1).fold(edge, f64::min);
        let mut sizing = Self { edge, points, nodes: Vec::new(), finest };
        if !sizing.points.is_empty() {
            sizing.build(0, sizing.points.len());
        }
        sizing
    }

    fn build(&mut self, first: usize, count: usize) {
        let part = &mut self.points[first..first + count];
        let (mut low, mut high, mut finest) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2], f64::INFINITY);
        for &(at, size) in part.iter() {
            for axis in 0..2 {
                low[axis] = low[axis].min(at[axis]);
                high[axis] = high[axis].max(at[axis]);
            }
            finest = finest.min(size);
        }
        let node = self.nodes.len();
        self.nodes.push(Node { low, high, finest, first, count, second: 0 });
        if count > MAX_SIZING_LEAF {
            let axis = usize::from(high[1] - low[1] > high[0] - low[0]);
            let middle = count / 2;
            // Ties are broken by the other coordinate: the tree depends on the points only.
            let order = |one: &(Point, f64), other: &(Point, f64)| {
                (one.0[axis].total_cmp(&other.0[axis])).then(one.0[1 - axis].total_cmp(&other.0[1 - axis]))
            };
            part.select_nth_unstable_by(middle, order);
            self.build(first, middle);
            self.nodes[node].second = self.nodes.len();
            self.build(first + middle, count - middle);
        }
    }

    pub(super) fn is_uniform(&self) -> bool {
        self.finest > UNIFORM_SIZE_RATIO * self.edge
    }

    pub(super) fn edge(&self) -> f64 {
        self.edge
    }

    pub(super) fn at(&self, point: Point) -> f64 {
        if self.is_uniform() { self.edge } else { self.minimum(point, 1.0, SIZE_GROWTH, self.edge) }
    }

    /// Distance to the nearest point (m), at most `limit`.
    pub(super) fn distance(&self, point: Point, limit: f64) -> f64 {
        self.minimum(point, 0.0, 1.0, limit)
    }

    /// Minimum of `size_factor` · target length + `growth` · distance over all points, at most
    /// `limit`.
    fn minimum(&self, point: Point, size_factor: f64, growth: f64, limit: f64) -> f64 {
        let mut minimum = limit;
        // Depth limit of a balanced tree over 2³² points.
        let mut stack = [0usize; 40];
        let mut height = usize::from(!self.nodes.is_empty());
        while height > 0 {
            height -= 1;
            let index = stack[height];
            let node = &self.nodes[index];
            let outside = |axis: usize| (node.low[axis] - point[axis]).max(point[axis] - node.high[axis]).max(0.0);
            if size_factor * node.finest + growth * outside(0).hypot(outside(1)) >= minimum {
                continue;
            }
            if node.second == 0 {
                for (at, size) in &self.points[node.first..node.first + node.count] {
                    let distance = (at[0] - point[0]).hypot(at[1] - point[1]);
                    minimum = minimum.min(size_factor * size + growth * distance);
                }
            } else {
                stack[height] = node.second;
                stack[height + 1] = index + 1;
                height += 2;
            }
        }
        minimum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_equals_brute_force() {
        let points: Vec<(Point, f64)> = (0..200u32)
            .map(|k| {
                ([f64::from(k * 37 % 101) / 101.0, f64::from(k * 61 % 97) / 97.0], 0.01 + f64::from(k % 13) * 0.01)
            })
            .collect();
        let sizing = Sizing::new(0.5, points.clone());
        for k in 0..100u32 {
            let point = [f64::from(k * 17 % 89) / 60.0, f64::from(k * 29 % 83) / 60.0];
            let distance = |at: &Point| (at[0] - point[0]).hypot(at[1] - point[1]);
            let wanted = points.iter().map(|(at, size)| size + SIZE_GROWTH * distance(at)).fold(0.5, f64::min);
            let nearest = points.iter().map(|(at, _)| distance(at)).fold(9.0, f64::min);
            assert_eq!((sizing.at(point), sizing.distance(point, 9.0)), (wanted, nearest));
        }
    }
}
