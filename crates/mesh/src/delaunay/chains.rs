//! Input polylines: exact checks, then division to the target edge length.

use super::error::{ChainName, DelaunayError};
use super::sizing::Sizing;
use super::{PlaneDomain, Point};
use crate::tuning::{DIVISION_ROUNDING, MAX_TRIANGLES};
use craze_math::predicates::orient2d;
use std::collections::BTreeMap;

/// Coordinates beyond this (m) are rejected: their products would overflow.
const MAX_COORDINATE: f64 = 1e18;

#[derive(Clone, Copy, Debug)]
struct Segment {
    chain: ChainName,
    ends: [Point; 2],
}

#[derive(Clone, Debug)]
pub(super) struct Chains {
    /// All points: those of the input and those between.
    pub(super) points: Vec<Point>,
    /// Edges between the points, with their chain.
    pub(super) pieces: Vec<([u32; 2], ChainName)>,
    /// Area of the domain (m²).
    pub(super) area: f64,
    /// Target edge length (m).
    pub(super) edge: f64,
}

impl Chains {
    pub(super) fn new(domain: &PlaneDomain, edge: f64) -> Result<Self, DelaunayError> {
        if !(edge.is_finite() && edge > 0.0) {
            return Err(DelaunayError::EdgeLength { value: edge });
        }
        let segments = segments(domain)?;
        let area = check_areas(domain)?;
        let length: f64 = segments.iter().map(Segment::length).sum();
        let count = area / (0.433 * edge * edge) + 2.0 * length / edge + 2.0 * segments.len() as f64;
        check_count(edge, count)?;
        check_crossings(&segments)?;
        check_inside(domain)?;
        let sizing = Sizing::new(edge, local_sizes(&segments, edge));
        let mut chains = Self { points: Vec::new(), pieces: Vec::new(), area, edge };
        let mut names = BTreeMap::new();
        for segment in &segments {
            chains.add(segment, &sizing, &mut names)?;
        }
        Ok(chains)
    }

    /// Divides a segment. Input points are shared by all segments that end there.
    fn add(
        &mut self,
        segment: &Segment,
        sizing: &Sizing,
        names: &mut BTreeMap<[u64; 2], u32>,
    ) -> Result<(), DelaunayError> {
        let parameters = segment.divisions(sizing)?;
        let mut name = |points: &mut Vec<Point>, point: Point| {
            *names.entry(point.map(f64::to_bits)).or_insert_with(|| {
                points.push(point);
                points.len() as u32 - 1
            })
        };
        let [start, end] = segment.ends;
        let mut last = name(&mut self.points, start);
        let finish = name(&mut self.points, end);
        for parameter in parameters {
            self.points.push([start[0] + (end[0] - start[0]) * parameter, start[1] + (end[1] - start[1]) * parameter]);
            let next = self.points.len() as u32 - 1;
            self.pieces.push(([last, next], segment.chain));
            last = next;
        }
        self.pieces.push(([last, finish], segment.chain));
        check_count(self.edge, 8.0 * self.pieces.len() as f64)
    }

    pub(super) fn edges_of(&self, chosen: impl Fn(ChainName) -> bool) -> Vec<[u32; 2]> {
        let mut edges: Vec<[u32; 2]> =
            (self.pieces.iter()).filter(|(_, chain)| chosen(*chain)).map(|&([a, b], _)| [a.min(b), a.max(b)]).collect();
        edges.sort_unstable();
        edges
    }

    /// The target edge length implied by the divided chains.
    pub(super) fn sizing(&self) -> Sizing {
        let mut sums = vec![(0.0, 0u32); self.points.len()];
        for ([a, b], _) in &self.pieces {
            let length = distance(self.points[*a as usize], self.points[*b as usize]);
            for end in [a, b] {
                sums[*end as usize].0 += length;
                sums[*end as usize].1 += 1;
            }
        }
        let size = |(sum, count): (f64, u32)| (sum / f64::from(count.max(1))).min(self.edge);
        Sizing::new(self.edge, self.points.iter().zip(sums).map(|(&point, sum)| (point, size(sum))).collect())
    }
}

impl Segment {
    fn length(&self) -> f64 {
        distance(self.ends[0], self.ends[1])
    }

    fn at(&self, parameter: f64) -> Point {
        let [start, end] = self.ends;
        [start[0] + (end[0] - start[0]) * parameter, start[1] + (end[1] - start[1]) * parameter]
    }

    /// Parameters of the inner points of the segment, from 0 to 1, with equal integrals ∫ ds /
    /// target length between them.
    fn divisions(&self, sizing: &Sizing) -> Result<Vec<f64>, DelaunayError> {
        let length = self.length();
        if sizing.is_uniform() {
            let count = (length / sizing.edge() + DIVISION_ROUNDING).round().max(1.0);
            return Ok((1..count as usize).map(|k| k as f64 / count).collect());
        }
        let (mut parameter, mut sum) = (0.0, 0.0);
        let mut marks = vec![(0.0, 0.0)];
        while parameter < 1.0 {
            check_count(sizing.edge(), marks.len() as f64)?;
            let step = (0.25 * sizing.at(self.at(parameter)) / length).max(1e-9).min(1.0 - parameter);
            sum += step * length / sizing.at(self.at(parameter + 0.5 * step));
            parameter = if step == 1.0 - parameter { 1.0 } else { parameter + step };
            marks.push((parameter, sum));
        }
        let count = (sum + DIVISION_ROUNDING).round().max(1.0);
        let mut parameters = Vec::new();
        let mut mark = 0;
        for k in 1..count as usize {
            let target = sum * k as f64 / count;
            while mark + 2 < marks.len() && marks[mark + 1].1 <= target {
                mark += 1;
            }
            let [(before, low), (after, high)] = [marks[mark], marks[mark + 1]];
            parameters.push(before + (after - before) * ((target - low) / (high - low)).clamp(0.0, 1.0));
        }
        Ok(parameters)
    }
}

fn distance(a: Point, b: Point) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

fn check_count(edge: f64, count: f64) -> Result<(), DelaunayError> {
    if count <= MAX_TRIANGLES { Ok(()) } else { Err(DelaunayError::TooFine { edge, count, limit: MAX_TRIANGLES }) }
}

/// All segments of the domain, with valid points. −0 becomes +0, so that equal points have equal
/// bits.
fn segments(domain: &PlaneDomain) -> Result<Vec<Segment>, DelaunayError> {
    let mut segments = Vec::new();
    let mut add = |chain: ChainName, points: &[Point], closed: bool| {
        let needed = if closed { 3 } else { 2 };
        if points.len() < needed {
            return Err(DelaunayError::TooFewPoints { chain, found: points.len(), needed });
        }
        if let Some(index) = points.iter().position(|at| !at.iter().all(|c| c.abs() <= MAX_COORDINATE)) {
            return Err(DelaunayError::BadPoint { chain, index, at: points[index] });
        }
        let count = if closed { points.len() } else { points.len() - 1 };
        for index in 0..count {
            let ends = [points[index], points[(index + 1) % points.len()]].map(|end| end.map(|c| c + 0.0));
            if ends[0] == ends[1] {
                return Err(DelaunayError::RepeatedPoint { chain, index, at: ends[0] });
            }
            segments.push(Segment { chain, ends });
        }
        Ok(())
    };
    add(ChainName::Outline, &domain.outline, true)?;
    for (number, hole) in domain.holes.iter().enumerate() {
        add(ChainName::Hole(number), hole, true)?;
    }
    for (number, line) in domain.lines.iter().enumerate() {
        add(ChainName::Line(number), line, false)?;
    }
    for (number, slit) in domain.slits.iter().enumerate() {
        add(ChainName::Slit(number), slit, false)?;
    }
    Ok(segments)
}

/// The area of the domain; fails if a closed chain has none.
fn check_areas(domain: &PlaneDomain) -> Result<f64, DelaunayError> {
    let enclosed = |chain: ChainName, polygon: &[Point]| {
        // Relative to the first point, to keep precision far from the origin.
        let [x, y] = polygon[0];
        let cross = |k: usize| {
            let ([ax, ay], [bx, by]) = (polygon[k], polygon[(k + 1) % polygon.len()]);
            (ax - x) * (by - y) - (bx - x) * (ay - y)
        };
        let area = (0..polygon.len()).map(cross).sum::<f64>().abs() / 2.0;
        if area > 0.0 { Ok(area) } else { Err(DelaunayError::NoArea { chain }) }
    };
    let mut area = enclosed(ChainName::Outline, &domain.outline)?;
    for (number, hole) in domain.holes.iter().enumerate() {
        area -= enclosed(ChainName::Hole(number), hole)?;
    }
    if area > 0.0 { Ok(area) } else { Err(DelaunayError::NoArea { chain: ChainName::Outline }) }
}

/// Fails if two segments share more than an end; closed chains may share an end only between
/// successive segments.
fn check_crossings(segments: &[Segment]) -> Result<(), DelaunayError> {
    let range = |segment: &Segment, axis: usize| {
        let [a, b] = segment.ends.map(|end| end[axis]);
        (a.min(b), a.max(b))
    };
    let mut order: Vec<usize> = (0..segments.len()).collect();
    order.sort_by(|&a, &b| range(&segments[a], 0).0.total_cmp(&range(&segments[b], 0).0).then(a.cmp(&b)));
    for (index, &one) in order.iter().enumerate() {
        let (_, right) = range(&segments[one], 0);
        let (low, high) = range(&segments[one], 1);
        for &other in order[index + 1..].iter().take_while(|&&other| range(&segments[other], 0).0 <= right) {
            let (bottom, top) = range(&segments[other], 1);
            if bottom <= high && top >= low && conflict(segments, one.min(other), one.max(other)) {
                let (first, second) = (&segments[one.min(other)], &segments[one.max(other)]);
                return Err(DelaunayError::Crossing { first: first.chain, second: second.chain, at: second.ends[0] });
            }
        }
    }
    Ok(())
}

fn conflict(segments: &[Segment], one: usize, other: usize) -> bool {
    let ([a, b], [c, d]) = (segments[one].ends, segments[other].ends);
    let (first, second) = (segments[one].chain, segments[other].chain);
    let is_closed = |chain| matches!(chain, ChainName::Outline | ChainName::Hole(_));
    for (shared, p, q) in [(a, b, c), (a, b, d), (b, a, c), (b, a, d)] {
        if shared != q {
            continue;
        }
        let r = if q == c { d } else { c };
        // Closed chains meet only at the point between successive segments.
        let successive = first == second && (b == c || (d == a));
        if is_closed(first) && is_closed(second) && !successive {
            return true;
        }
        let along = (p[0] - shared[0]) * (r[0] - shared[0]) + (p[1] - shared[1]) * (r[1] - shared[1]);
        return orient2d(shared, p, r) == 0.0 && along > 0.0;
    }
    let sign = |value: f64| if value > 0.0 { 1 } else { -i32::from(value < 0.0) };
    let sides = [orient2d(a, b, c), orient2d(a, b, d), orient2d(c, d, a), orient2d(c, d, b)].map(sign);
    // A zero sign means contact, as the boxes overlap; collinear segments overlap if their boxes
    // do.
    sides[0] * sides[1] <= 0 && sides[2] * sides[3] <= 0
}

/// Even–odd rule: a ray to the right crosses a closed chain around the point an odd number of
/// times.
fn is_inside(polygon: &[Point], [x, y]: Point) -> bool {
    let mut inside = false;
    for k in 0..polygon.len() {
        let (mut low, mut high) = (polygon[k], polygon[(k + 1) % polygon.len()]);
        if low[1] > high[1] {
            (low, high) = (high, low);
        }
        if low[1] <= y && y < high[1] && orient2d(low, high, [x, y]) > 0.0 {
            inside = !inside;
        }
    }
    inside
}

/// Checks that holes and lines are inside the outline and outside of holes. Without crossings, one
/// point per hole and the midpoints of segments suffice.
fn check_inside(domain: &PlaneDomain) -> Result<(), DelaunayError> {
    let allowed = |point: Point, own_hole: usize| {
        let in_hole = |(number, hole): (usize, &Vec<Point>)| number != own_hole && is_inside(hole, point);
        is_inside(&domain.outline, point) && !domain.holes.iter().enumerate().any(in_hole)
    };
    for (number, hole) in domain.holes.iter().enumerate() {
        if !allowed(hole[0], number) {
            return Err(DelaunayError::Outside { chain: ChainName::Hole(number) });
        }
    }
    let middle = |pair: &[Point]| [0, 1].map(|axis| 0.5 * (pair[0][axis] + pair[1][axis]));
    for (number, line) in domain.lines.iter().enumerate() {
        if !line.windows(2).all(|pair| allowed(middle(pair), usize::MAX)) {
            return Err(DelaunayError::Outside { chain: ChainName::Line(number) });
        }
    }
    for (number, slit) in domain.slits.iter().enumerate() {
        if !slit.windows(2).all(|pair| allowed(middle(pair), usize::MAX)) {
            return Err(DelaunayError::Outside { chain: ChainName::Slit(number) });
        }
    }
    Ok(())
}

/// Local target edge lengths (m) along the segments: at most the segment's own length and the
/// distance to the nearest segment that is not a neighbour.
fn local_sizes(segments: &[Segment], edge: f64) -> Vec<(Point, f64)> {
    struct Piece {
        segment: usize,
        ends: [Point; 2],
    }
    let mut pieces = Vec::new();
    for (index, segment) in segments.iter().enumerate() {
        let count = (segment.length() / edge).ceil().max(1.0);
        let mark = |k: usize| segment.at(k as f64 / count);
        pieces.extend((0..count as usize).map(|k| Piece { segment: index, ends: [mark(k), mark(k + 1)] }));
    }
    let left = |piece: &Piece| piece.ends[0][0].min(piece.ends[1][0]);
    pieces.sort_by(|one, other| left(one).total_cmp(&left(other)));
    let touches = |segment: &Segment, point: Point| segment.ends.contains(&point);
    let mut target = Vec::new();
    for piece in &pieces {
        let own = &segments[piece.segment];
        for end in piece.ends {
            let mut size = own.length().min(edge);
            // Pieces are at most one edge long: pieces outside this window are too far away.
            let first = pieces.partition_point(|other| left(other) < end[0] - 2.0 * edge);
            for other in pieces[first..].iter().take_while(|other| left(other) <= end[0] + edge) {
                let segment = &segments[other.segment];
                let neighbour = if touches(own, end) {
                    touches(segment, end)
                } else {
                    own.ends.iter().any(|&end| touches(segment, end))
                };
                if other.segment != piece.segment && !neighbour {
                    size = size.min(distance_to_segment(end, other.ends));
                }
            }
            target.push((end, size));
        }
    }
    target
}

fn distance_to_segment(point: Point, [a, b]: [Point; 2]) -> f64 {
    let along = [b[0] - a[0], b[1] - a[1]];
    let parameter =
        ((point[0] - a[0]) * along[0] + (point[1] - a[1]) * along[1]) / (along[0].powi(2) + along[1].powi(2));
    let parameter = if parameter.is_nan() { 0.0 } else { parameter.clamp(0.0, 1.0) };
    distance(point, [a[0] + along[0] * parameter, a[1] + along[1] * parameter])
}
