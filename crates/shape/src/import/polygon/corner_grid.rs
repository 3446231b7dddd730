//! A grid over corners in the plane of a polygon.

use craze_math::Vec3;

/// Corners by square cell, about one per cell.
#[derive(Default)]
pub(super) struct CornerGrid {
    /// Orthonormal axes of the plane.
    axes: [Vec3; 2],
    /// Lower corner in the plane (m).
    min: [f64; 2],
    /// Edge of a cell (m).
    width: f64,
    /// Cells along each axis; zero without corners.
    count: [usize; 2],
    /// Start of each cell in `corners`.
    starts: Vec<usize>,
    corners: Vec<usize>,
}

impl CornerGrid {
    /// Sorts corners into cells of the plane across `normal`, which may be zero.
    pub fn new(corners: Vec<usize>, position: impl Fn(usize) -> Vec3, normal: &Vec3) -> Self {
        if corners.is_empty() {
            return Self::default();
        }
        let axis = if normal.x.abs() < normal.y.abs() { Vec3::x() } else { Vec3::y() };
        let first = normal.cross(&axis).try_normalize(0.0).unwrap_or_else(Vec3::z);
        let second = normal.cross(&first).try_normalize(0.0).unwrap_or_else(Vec3::x);
        let mut grid = Self { axes: [first, second], ..Self::default() };
        let places: Vec<[f64; 2]> = corners.iter().map(|&corner| grid.project(&position(corner))).collect();
        let (mut min, mut max) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for place in &places {
            for axis in 0..2 {
                min[axis] = min[axis].min(place[axis]);
                max[axis] = max[axis].max(place[axis]);
            }
        }
        let size = [max[0] - min[0], max[1] - min[1]];
        let longest = size[0].max(size[1]);
        // A strip thinner than a cell is divided along its length only.
        let corner_count = corners.len() as f64;
        let width = (size[0] * size[1] / corner_count).sqrt().max(longest / corner_count);
        grid.width = if width > 0.0 { width } else { 1.0 };
        grid.min = min;
        grid.count = size.map(|size| (size / grid.width) as usize + 1);
        let cells: Vec<usize> = places
            .iter()
            .map(|place| {
                let [column, row] = grid.cell(place);
                row * grid.count[0] + column
            })
            .collect();
        grid.starts = vec![0; grid.count[0] * grid.count[1] + 1];
        cells.iter().for_each(|&cell| grid.starts[cell + 1] += 1);
        for cell in 1..grid.starts.len() {
            grid.starts[cell] += grid.starts[cell - 1];
        }
        let mut next = grid.starts.clone();
        grid.corners = vec![0; corners.len()];
        for (&corner, &cell) in corners.iter().zip(&cells) {
            grid.corners[next[cell]] = corner;
            next[cell] += 1;
        }
        grid
    }

    /// Visits the corners near the bounding rectangle of a triangle, a row of cells at a time, while
    /// `visit` returns true.
    pub fn visit_near(&self, triangle: &[Vec3; 3], mut visit: impl FnMut(&[usize]) -> bool) {
        if self.corners.is_empty() {
            return;
        }
        let places = triangle.map(|corner| self.project(&corner));
        let bound = |axis: usize, pick: fn(f64, f64) -> f64| places.iter().map(|p| p[axis]).reduce(pick).unwrap_or(0.0);
        // A tenth of a cell covers rounding.
        let margin = 0.1 * self.width;
        let low = self.cell(&[0, 1].map(|axis| bound(axis, f64::min) - margin));
        let high = self.cell(&[0, 1].map(|axis| bound(axis, f64::max) + margin));
        for row in low[1]..=high[1] {
            let [from, to] = [low[0], high[0] + 1].map(|column| self.starts[row * self.count[0] + column]);
            if !visit(&self.corners[from..to]) {
                return;
            }
        }
    }

    fn project(&self, position: &Vec3) -> [f64; 2] {
        self.axes.map(|axis| axis.dot(position))
    }

    /// The cell of a position in the plane; the nearest one for positions outside.
    fn cell(&self, place: &[f64; 2]) -> [usize; 2] {
        [0, 1].map(|axis| (((place[axis] - self.min[axis]) / self.width) as usize).min(self.count[axis] - 1))
    }
}
