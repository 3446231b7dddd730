//! Uniform grid of points, for queries of points close to a position.

use craze_math::Vec3;
use craze_spatial::Aabb;

/// Most cells along an axis.
const MAX_CELLS_PER_AXIS: f64 = 96.0;

/// Points sorted into the cells of a box.
pub(crate) struct Grid<'a> {
    points: &'a [Vec3],
    from: Vec3,
    /// Edge of a cell (m).
    cell: Vec3,
    counts: [usize; 3],
    /// Start of each cell in `order`.
    starts: Vec<u32>,
    order: Vec<u32>,
}

impl<'a> Grid<'a> {
    /// Sorts points (m) into cells at least `width` (m) wide.
    pub(crate) fn new(points: &'a [Vec3], width: f64) -> Grid<'a> {
        let bounds = Aabb::from_points(points);
        let size = bounds.size();
        // NaN gives one cell.
        let cells = |length: f64| if length > width { (length / width).floor().min(MAX_CELLS_PER_AXIS) } else { 1.0 };
        let count = size.map(cells);
        let cell = size.component_div(&count).map(|length| length.max(width.min(f64::MAX)).max(f64::MIN_POSITIVE));
        let counts = [count.x as usize, count.y as usize, count.z as usize];
        let mut grid =
            Grid { points, from: bounds.min, cell, counts, starts: Vec::new(), order: vec![0; points.len()] };
        let cells: Vec<usize> = points.iter().map(|point| grid.index(&grid.cell_of(point))).collect();
        let mut starts = vec![0u32; counts.iter().product::<usize>() + 1];
        cells.iter().for_each(|&cell| starts[cell + 1] += 1);
        for cell in 1..starts.len() {
            starts[cell] += starts[cell - 1];
        }
        let mut next = starts.clone();
        for (point, &cell) in cells.iter().enumerate() {
            grid.order[next[cell] as usize] = point as u32;
            next[cell] += 1;
        }
        grid.starts = starts;
        grid
    }

    fn cell_of(&self, point: &Vec3) -> [usize; 3] {
        let place = (point - self.from).component_div(&self.cell);
        // A cast saturates: positions outside the box, and NaN, are in cells at its rim.
        std::array::from_fn(|axis| (place[axis] as usize).min(self.counts[axis] - 1))
    }

    fn index(&self, [x, y, z]: &[usize; 3]) -> usize {
        (z * self.counts[1] + y) * self.counts[0] + x
    }

    /// Calls `each` with every point of the cells that overlap a box of this half width (m) around
    /// a position.
    pub(crate) fn near(&self, place: &Vec3, half: f64, mut take: impl FnMut(u32)) {
        let [low, high] = [-half, half].map(|shift| self.cell_of(&place.add_scalar(shift)));
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                let row = [[low[0], y, z], [high[0], y, z]].map(|cell| self.index(&cell));
                let (start, end) = (self.starts[row[0]] as usize, self.starts[row[1] + 1] as usize);
                self.order[start..end].iter().for_each(|&point| take(point));
            }
        }
    }

    /// The nearest point and the square of its distance (m²); of several the one with the lowest
    /// number.
    pub(crate) fn nearest(&self, place: &Vec3) -> (u32, f64) {
        let widest = self.cell.component_mul(&Vec3::from(self.counts.map(|count| count as f64))).max();
        let far = (place - self.from).amax() + 2.0 * widest;
        let mut half = 0.75 * self.cell.min();
        loop {
            let mut best = (u32::MAX, f64::INFINITY);
            self.near(place, half, |point| {
                let square = (self.points[point as usize] - place).norm_squared();
                if square < best.1 || (square == best.1 && point < best.0) {
                    best = (point, square);
                }
            });
            // All points closer than half the width of the box have been visited. NaN ends the
            // search, too.
            if best.1 <= half * half || !(half < far) {
                return if best.0 == u32::MAX { (0, f64::INFINITY) } else { best };
            }
            half *= 2.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use craze_math::Random;

    #[test]
    fn the_nearest_point_is_that_of_a_linear_search() {
        let mut random = Random::new(4);
        let mut place = |scale: f64| scale * Vec3::new(random.signed(), random.signed(), 0.2 * random.signed());
        for count in [1, 2, 7, 300] {
            let points: Vec<Vec3> = (0..count).map(|_| place(1.0)).collect();
            for width in [0.03, 0.3, 5.0] {
                let grid = Grid::new(&points, width);
                for _ in 0..200 {
                    let at = place(2.0);
                    let squares = points.iter().map(|point| (point - at).norm_squared());
                    let known = squares.fold(f64::INFINITY, f64::min);
                    assert_eq!(grid.nearest(&at).1, known);
                }
            }
        }
    }

    #[test]
    fn coincident_points_and_nan_end_the_search() {
        let points = [Vec3::repeat(1.0); 5];
        assert_eq!(Grid::new(&points, 0.1).nearest(&Vec3::repeat(7.0)).0, 0);
        Grid::new(&points, 0.1).nearest(&Vec3::repeat(f64::NAN));
    }
}
