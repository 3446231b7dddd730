//! Plane paths of line segments and arcs, and their distance.

use super::{Point2, hypotenuse};

/// Line segments and arcs in the plane, not necessarily connected.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Path {
    segments: Vec<Segment>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Segment {
    Straight {
        from: Point2,
        to: Point2,
    },
    Arc {
        centre: Point2,
        radius: f64,
        /// Unit vector from the centre to the middle of the arc.
        middle: Point2,
        /// Cosine and sine of half the arc's angle.
        half: Point2,
    },
}

impl Path {
    /// An empty path.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds line segments through the points (m); a single point is a segment of length 0.
    pub fn line(mut self, points: &[Point2]) -> Self {
        match points {
            [dot] => self.segments.push(Segment::Straight { from: *dot, to: *dot }),
            _ => {
                self.segments.extend(points.windows(2).map(|pair| Segment::Straight { from: pair[0], to: pair[1] }));
            }
        }
        self
    }

    /// Adds an arc (m) between two angles (degrees), counter-clockwise from the x axis.
    pub fn arc(mut self, centre: Point2, radius: f64, degrees: [f64; 2]) -> Self {
        let [from, to] = degrees.map(f64::to_radians);
        let (middle, half) = (0.5 * (from + to), (0.5 * (to - from)).abs());
        self.segments.push(Segment::Arc {
            centre,
            radius,
            middle: [middle.cos(), middle.sin()],
            half: [half.cos(), half.sin()],
        });
        self
    }

    /// Scales about the origin by a positive factor, then translates (m).
    pub fn transformed(mut self, factor: f64, shift: Point2) -> Self {
        let transform = |[x, y]: Point2| [factor * x + shift[0], factor * y + shift[1]];
        for segment in &mut self.segments {
            match segment {
                Segment::Straight { from, to } => (*from, *to) = (transform(*from), transform(*to)),
                Segment::Arc { centre, radius, .. } => (*centre, *radius) = (transform(*centre), factor * *radius),
            }
        }
        self
    }

    /// The segments of both paths.
    pub fn and(mut self, other: Self) -> Self {
        self.segments.extend(other.segments);
        self
    }

    /// Distance to the nearest segment (m); infinite if the path is empty.
    pub fn distance(&self, point: Point2) -> f64 {
        self.segments.iter().map(|segment| segment.distance(point)).fold(f64::INFINITY, f64::min)
    }

    /// Lowest and highest coordinates (m).
    pub fn bounds(&self) -> [Point2; 2] {
        let mut low = [f64::INFINITY; 2];
        let mut high = [f64::NEG_INFINITY; 2];
        for segment in &self.segments {
            for axis in 0..2 {
                let [from, to] = segment.extent(axis);
                low[axis] = low[axis].min(from);
                high[axis] = high[axis].max(to);
            }
        }
        [low, high]
    }
}

impl Segment {
    fn distance(&self, [x, y]: Point2) -> f64 {
        match *self {
            Segment::Straight { from, to } => {
                let (along, away) = ([to[0] - from[0], to[1] - from[1]], [x - from[0], y - from[1]]);
                let square = along[0] * along[0] + along[1] * along[1];
                let fraction = (along[0] * away[0] + along[1] * away[1]) / square;
                // A segment of length 0 gives NaN.
                let fraction = if fraction.is_nan() { 0.0 } else { fraction.clamp(0.0, 1.0) };
                hypotenuse(away[0] - fraction * along[0], away[1] - fraction * along[1])
            }
            Segment::Arc { centre, radius, middle, half } => {
                let (dx, dy) = (x - centre[0], y - centre[1]);
                let along = dx * middle[0] + dy * middle[1];
                let across = (dy * middle[0] - dx * middle[1]).abs();
                // The arc's frame makes both ends symmetric; the point projects onto the arc if its
                // angle is at most half the arc's.
                if along * half[1] >= across * half[0] {
                    (hypotenuse(dx, dy) - radius).abs()
                } else {
                    hypotenuse(along - radius * half[0], across - radius * half[1])
                }
            }
        }
    }

    fn extent(&self, axis: usize) -> [f64; 2] {
        match *self {
            Segment::Straight { from, to } => [from[axis].min(to[axis]), from[axis].max(to[axis])],
            Segment::Arc { centre, radius, middle, half } => {
                let turned = [-middle[1], middle[0]];
                let ends = [1.0, -1.0].map(|side| half[0] * middle[axis] + side * half[1] * turned[axis]);
                // The extreme point is the axis direction if the arc contains it.
                let reaches = |direction: f64| direction * middle[axis] >= half[0];
                let low = if reaches(-1.0) { -1.0 } else { ends[0].min(ends[1]) };
                let high = if reaches(1.0) { 1.0 } else { ends[0].max(ends[1]) };
                [centre[axis] + radius * low, centre[axis] + radius * high]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_of_segments_and_arcs_are_exact() {
        let path = Path::new().line(&[[0.0, 0.0], [1.0, 0.0]]);
        assert_eq!(path.distance([0.5, 2.0]), 2.0);
        assert_eq!(path.distance([4.0, 4.0]), 5.0);
        assert_eq!(Path::new().line(&[[1.0, 1.0]]).distance([4.0, 5.0]), 5.0);
        // Three quarters of a circle, open to the lower right.
        let arc = Path::new().arc([0.0, 0.0], 1.0, [0.0, 270.0]);
        assert!((arc.distance([-3.0, 0.0]) - 2.0).abs() < 1e-15);
        assert!((arc.distance([0.0, 0.25]) - 0.75).abs() < 1e-15);
        let corner = arc.distance([1.0, -1.0]);
        assert!((corner - 1.0).abs() < 1e-15, "{corner}");
        assert_eq!(Path::new().distance([0.0, 0.0]), f64::INFINITY);
    }

    #[test]
    fn arcs_and_chains_of_short_segments_agree() {
        for degrees in [[0.0, 90.0], [30.0, 330.0], [-45.0, 60.0], [0.0, 360.0], [200.0, 100.0]] {
            let arc = Path::new().arc([0.3, -0.2], 0.7, degrees);
            let points: Vec<Point2> = (0..=2000)
                .map(|k| (degrees[0] + (degrees[1] - degrees[0]) * f64::from(k) / 2000.0).to_radians())
                .map(|angle| [0.3 + 0.7 * angle.cos(), -0.2 + 0.7 * angle.sin()])
                .collect();
            let chain = Path::new().line(&points);
            for k in 0..200 {
                let angle = f64::from(k) * 0.7;
                let point = [1.4 * angle.cos() * (angle * 0.37).sin(), 1.4 * angle.sin()];
                assert!((arc.distance(point) - chain.distance(point)).abs() < 1e-5, "{degrees:?} {point:?}");
            }
            let (exact, near) = (arc.bounds(), chain.bounds());
            for side in 0..2 {
                for axis in 0..2 {
                    assert!((exact[side][axis] - near[side][axis]).abs() < 1e-5, "{degrees:?}: {exact:?} {near:?}");
                }
            }
        }
    }
}
