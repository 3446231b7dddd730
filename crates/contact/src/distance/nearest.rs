//! The point of a flat polygon that is nearest to the origin.
//!
//! Polygons are those that differences of primitives make: a point, a segment, a triangle or a
//! parallelogram. The nearest point of a convex polygon is the foot of its normal, if that lies
//! inside, and otherwise on one of the sides that have the foot on their outer half-plane. Where
//! rounding could spoil that choice (slivers, nearly parallel edges) all candidates are compared
//! instead, so that the answer is always a point of the polygon and as near as rounding lets it be.

use craze_math::Vec3;

/// Which part of the polygon holds the nearest point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Corner(u8),
    /// Number of the side: for triangles that of the corner opposite to it; for parallelograms side
    /// k runs from corner k to corner k + 1.
    Side(u8),
    Inside,
}

/// The nearest point of a polygon with `K` corners.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest<const K: usize> {
    pub part: Part,
    /// Weights of the corners: none negative, sum one.
    pub weights: [f64; K],
    /// Unit vector from the origin to the point. For a polygon through the origin its normal, zero
    /// if it has none.
    pub normal: Vec3,
    /// In the unit of the corners.
    pub distance: f64,
}

/// Below this squared sine of the angle between sides (for triangles: squared height over base), a
/// foot computed from the normal has lost half of its digits.
const SLIVER: f64 = 1e-14;
/// Below this squared sine, edges are parallel as far as their coordinates can tell.
const PARALLEL: f64 = 1e-26;

pub(crate) fn segment(corners: &[Vec3; 2]) -> Nearest<2> {
    in_safe_range(corners, |corners| {
        let side = Foot::on(corners, [0, 1]);
        let (distance, normal) = side.direction(&Vec3::zeros());
        let part = side.part(0);
        Nearest { part, weights: side.weights(), normal, distance }
    })
}

pub(crate) fn triangle(corners: &[Vec3; 3]) -> Nearest<3> {
    in_safe_range(corners, triangle_in_range)
}

fn triangle_in_range(corners: &[Vec3; 3]) -> Nearest<3> {
    const SIDES: [[usize; 2]; 3] = [[1, 2], [2, 0], [0, 1]];
    let [a, b, c] = corners;
    let sides = [c - b, a - c, b - a];
    let normal = sides[1].cross(&sides[2]);
    let square = normal.norm_squared();
    let lengths = sides[0].norm_squared() + sides[1].norm_squared() + sides[2].norm_squared();
    let safe = square > SLIVER * (lengths * lengths);
    // Twice the area that the foot spans with each side, times the normal's length.
    let spans = [b.cross(&sides[0]).dot(&normal), c.cross(&sides[1]).dot(&normal), a.cross(&sides[2]).dot(&normal)];
    let inside = square > 0.0 && spans.iter().all(|&span| span >= 0.0);
    if inside && safe {
        let share = 1.0 / (spans[0] + spans[1] + spans[2]);
        return foot_of_normal(corners, spans.map(|span| span * share), normal * (1.0 / square.sqrt()));
    }
    let (k, side) = on_sides(corners, SIDES, [0, 1, 2].map(|k| !safe || spans[k] < 0.0));
    if inside {
        let sum = spans[0] + spans[1] + spans[2];
        if let Some(nearest) = nearer_inside(corners, spans.map(|span| span / sum), side.square) {
            return nearest;
        }
    }
    let fallback = if safe { normal * (1.0 / square.sqrt()) } else { Vec3::zeros() };
    let (distance, normal) = side.direction(&fallback);
    Nearest { part: side.part(k), weights: side.weights(), normal, distance }
}

/// Corners in turn around the parallelogram: those of the edges a and b are a₀−b₀, a₁−b₀, a₁−b₁,
/// a₀−b₁.
pub(crate) fn parallelogram(corners: &[Vec3; 4]) -> Nearest<4> {
    in_safe_range(corners, parallelogram_in_range)
}

fn parallelogram_in_range(corners: &[Vec3; 4]) -> Nearest<4> {
    const SIDES: [[usize; 2]; 4] = [[0, 1], [1, 2], [2, 3], [3, 0]];
    let (first, second) = (corners[1] - corners[0], corners[0] - corners[3]);
    let normal = first.cross(&second);
    let square = normal.norm_squared();
    let squares = first.norm_squared() * second.norm_squared();
    let safe = square > SLIVER * squares;
    // Where the feet of the common perpendicular are along the two edges, times `square`.
    let along_first = -corners[0].cross(&second).dot(&normal);
    let along_second = -corners[0].cross(&first).dot(&normal);
    let within = |along: f64| along >= 0.0 && along <= square;
    let inside = square > 0.0 && within(along_first) && within(along_second);
    let weights = |a: f64, b: f64| [(1.0 - a) * (1.0 - b), a * (1.0 - b), a * b, (1.0 - a) * b];
    if inside && safe {
        return foot_of_normal(
            corners,
            weights(along_first / square, along_second / square),
            normal * (1.0 / square.sqrt()),
        );
    }
    // Otherwise only sides with the foot on their outer half-plane can be closest.
    let beyond = [along_second < 0.0, along_first > square, along_second > square, along_first < 0.0];
    let (k, side) = on_sides(corners, SIDES, beyond.map(|beyond| !safe || beyond));
    if square <= PARALLEL * squares && squares > 0.0 {
        if let Some(nearest) = middle_of_overlap(corners, &first, &second, side.square) {
            return nearest;
        }
    } else if inside {
        let weights = weights(along_first / square, along_second / square);
        if let Some(nearest) = nearer_inside(corners, weights, side.square) {
            return nearest;
        }
    }
    let fallback = if safe { normal * (1.0 / square.sqrt()) } else { Vec3::zeros() };
    let (distance, normal) = side.direction(&fallback);
    Nearest { part: side.part(k), weights: side.weights(), normal, distance }
}

/// Parallel edges that face each other have the same distance along a common stretch: its middle,
/// so that the result does not depend on rounding. `None` if they do not face each other.
fn middle_of_overlap(corners: &[Vec3; 4], first: &Vec3, second: &Vec3, least: f64) -> Option<Nearest<4>> {
    // Where the ends of the second edge are along the first.
    let end = |corner: &Vec3| -corner.dot(first) / first.norm_squared();
    let (one, other) = (end(&corners[0]), end(&corners[3]));
    let (low, high) = (one.min(other).max(0.0), one.max(other).min(1.0));
    if !(low < high) {
        return None;
    }
    let a = (low + high) / 2.0;
    let b = ((corners[0] + first * a).dot(second) / second.norm_squared()).clamp(0.0, 1.0);
    let weights = [(1.0 - a) * (1.0 - b), a * (1.0 - b), a * b, (1.0 - a) * b];
    let point = weighted(corners, weights);
    let foot = Foot { square: point.norm_squared(), point, along: *first, from: 0, to: 1, share: 0.5 };
    let longest = corners.iter().fold(0.0, |most: f64, corner| most.max(corner.norm_squared()));
    if foot.square.sqrt() > least.sqrt() + 1e-12 * longest.sqrt() {
        return None;
    }
    let (distance, normal) = foot.direction(&Vec3::zeros());
    Some(Nearest { part: Part::Inside, weights, normal, distance })
}

fn weighted<const K: usize>(corners: &[Vec3; K], weights: [f64; K]) -> Vec3 {
    let mut sum = corners[0] * weights[0];
    for k in 1..K {
        sum += corners[k] * weights[k];
    }
    sum
}

fn foot_of_normal<const K: usize>(corners: &[Vec3; K], weights: [f64; K], normal: Vec3) -> Nearest<K> {
    let height = normal.dot(&weighted(corners, weights));
    let normal = if height < 0.0 { -normal } else { normal };
    Nearest { part: Part::Inside, weights, normal, distance: height.abs() }
}

/// The point inside with these weights, if it is nearer than the sides. Of a sliver's normal
/// nothing can be expected, so the point itself gives the direction.
fn nearer_inside<const K: usize>(corners: &[Vec3; K], weights: [f64; K], least: f64) -> Option<Nearest<K>> {
    let point = weighted(corners, weights);
    let square = point.norm_squared();
    if !(square < least) {
        return None;
    }
    let distance = square.sqrt();
    let normal = if distance > 0.0 { point / distance } else { Vec3::zeros() };
    Some(Nearest { part: Part::Inside, weights, normal, distance })
}

/// The nearest point of the sides in question and the number of its side, the first of equally near
/// ones; of side 0 if none is.
fn on_sides<const K: usize>(corners: &[Vec3; K], sides: [[usize; 2]; K], in_question: [bool; K]) -> (usize, Foot) {
    let mut nearest = K;
    let mut best = Foot { from: 0, to: 1, share: 0.0, along: Vec3::zeros(), point: corners[0], square: f64::INFINITY };
    for k in 0..K {
        if in_question[k] {
            let foot = Foot::on(corners, sides[k]);
            if foot.square < best.square {
                (nearest, best) = (k, foot);
            }
        }
    }
    if nearest < K { (nearest, best) } else { (0, Foot::on(corners, sides[0])) }
}

/// The nearest point of one side.
struct Foot {
    from: usize,
    to: usize,
    share: f64,
    along: Vec3,
    point: Vec3,
    square: f64,
}

impl Foot {
    #[inline(always)]
    fn on<const K: usize>(corners: &[Vec3; K], [from, to]: [usize; 2]) -> Self {
        let (start, end) = (corners[from], corners[to]);
        let along = end - start;
        let square = along.norm_squared();
        let share = if square > 0.0 { (-start.dot(&along) / square).clamp(0.0, 1.0) } else { 0.0 };
        let point = if share < 1.0 { start + along * share } else { end };
        Self { from, to, share, along, point, square: point.norm_squared() }
    }

    fn part(&self, side: usize) -> Part {
        match self.share {
            0.0 => Part::Corner(self.from as u8),
            1.0 => Part::Corner(self.to as u8),
            _ => Part::Side(side as u8),
        }
    }

    fn weights<const K: usize>(&self) -> [f64; K] {
        let mut weights = [0.0; K];
        weights[self.to] = self.share;
        weights[self.from] = 1.0 - self.share;
        weights
    }

    fn direction(&self, fallback: &Vec3) -> (f64, Vec3) {
        let distance = self.square.sqrt();
        if !(distance > 0.0) {
            return (distance, *fallback);
        }
        let mut normal = self.point / distance;
        if self.share > 0.0 && self.share < 1.0 {
            // Close to the origin the difference has few digits left; the side's direction still
            // has all of them.
            let tilt = normal.dot(&self.along) / self.along.norm_squared();
            normal -= self.along * tilt;
            if tilt * tilt * self.along.norm_squared() > 1e-15 {
                normal = normal.try_normalize(0.0).unwrap_or(*fallback);
            }
        }
        (distance, normal)
    }
}

/// Fourth powers of lengths must neither overflow nor vanish: corners outside of that range are
/// scaled to about one first.
#[inline(always)]
fn in_safe_range<const K: usize>(corners: &[Vec3; K], nearest: impl Fn(&[Vec3; K]) -> Nearest<K>) -> Nearest<K> {
    let size = corners.iter().fold(0.0, |sum, corner| sum + corner.norm_squared());
    if size > 1e-120 && size < 1e120 {
        return nearest(corners);
    }
    let largest = corners.iter().fold(0.0, |most: f64, corner| most.max(corner.amax()));
    if !(largest > 0.0 && largest.is_finite()) {
        let mut weights = [0.0; K];
        weights[0] = 1.0;
        return Nearest { part: Part::Corner(0), weights, normal: Vec3::zeros(), distance: largest };
    }
    let scaled = nearest(&corners.map(|corner| corner / largest));
    Nearest { distance: scaled.distance * largest, ..scaled }
}
