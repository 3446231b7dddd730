//! Partial Cholesky factorisation of a dense symmetric matrix: the kernel of the sparse one.

use craze_math::lanes::{Instructions, Kernel, Lanes, WIDTH};

/// Columns factorised before the trailing matrix is updated.
const PANEL_COLUMNS: usize = 64;
/// Columns of the register tile; its rows are one vector.
const TILE_COLUMNS: usize = 6;

#[derive(Clone, Debug, Default)]
pub(crate) struct Packed {
    rows: Vec<[f64; WIDTH]>,
    columns: Vec<[f64; TILE_COLUMNS]>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BadPivot {
    pub(crate) column: usize,
    pub(crate) pivot: f64,
}

/// Eliminates the first columns, one per entry of `min_pivots`, of the symmetric matrix whose lower
/// triangle is in `matrix`, by columns of length `size`. They become columns of L, and the
/// remaining lower triangle becomes the Schur complement; the upper triangle is overwritten. Fails
/// at column j if its pivot is not above `min_pivots[j]`.
pub(crate) fn factorise(
    matrix: &mut [f64],
    size: usize,
    min_pivots: &[f64],
    packed: &mut Packed,
) -> Result<(), BadPivot> {
    Instructions::detect().run(Factorise { matrix, size, min_pivots, packed })
}

struct Factorise<'a> {
    matrix: &'a mut [f64],
    size: usize,
    min_pivots: &'a [f64],
    packed: &'a mut Packed,
}

impl Kernel for Factorise<'_> {
    type Output = Result<(), BadPivot>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let Self { matrix, size, min_pivots, packed } = self;
        let mut start = 0;
        while start < min_pivots.len() {
            let end = (start + PANEL_COLUMNS).min(min_pivots.len());
            factorise_panel::<L>(matrix, size, min_pivots, start, end)?;
            if end < size {
                pack(matrix, size, start, end, packed);
                update::<L>(&mut matrix[end * size..], size, end, end - start, packed);
            }
            start = end;
        }
        Ok(())
    }
}

/// Factorises columns `start..end`, each from the earlier ones in the panel.
#[inline(always)]
fn factorise_panel<L: Lanes>(
    matrix: &mut [f64],
    size: usize,
    min_pivots: &[f64],
    start: usize,
    end: usize,
) -> Result<(), BadPivot> {
    for column in start..end {
        let (before, rest) = matrix.split_at_mut(column * size);
        let target = &mut rest[column..size];
        let mut source = start;
        // Four at a time, to load and store the target less often.
        while source + 4 <= column {
            let [a, b, c, d] = [0, 1, 2, 3].map(|k| &before[(source + k) * size + column..(source + k + 1) * size]);
            subtract_four::<L>(target, [a, b, c, d]);
            source += 4;
        }
        for source in source..column {
            subtract_one::<L>(target, &before[source * size + column..(source + 1) * size]);
        }
        let pivot = target[0];
        // Written so that NaN fails.
        if !(pivot > min_pivots[column] && pivot.is_finite()) {
            return Err(BadPivot { column, pivot });
        }
        let root = pivot.sqrt();
        target[0] = root;
        for entry in &mut target[1..] {
            *entry /= root;
        }
    }
    Ok(())
}

/// target ← target − source·source\[0\].
#[inline(always)]
fn subtract_one<L: Lanes>(target: &mut [f64], source: &[f64]) {
    let factor = -source[0];
    let (targets, target_rest) = target.as_chunks_mut::<WIDTH>();
    let (sources, source_rest) = source.as_chunks::<WIDTH>();
    for (target, source) in targets.iter_mut().zip(sources) {
        *target = L::splat(factor).mul_add(L::new(*source), L::new(*target)).to_array();
    }
    for (target, source) in target_rest.iter_mut().zip(source_rest) {
        *target += factor * source;
    }
}

/// target ← target − Σ source·source\[0\] over four sources.
#[inline(always)]
fn subtract_four<L: Lanes>(target: &mut [f64], [a, b, c, d]: [&[f64]; 4]) {
    let (fa, fb, fc, fd) = (L::splat(-a[0]), L::splat(-b[0]), L::splat(-c[0]), L::splat(-d[0]));
    let (targets, target_rest) = target.as_chunks_mut::<WIDTH>();
    let done = targets.len() * WIDTH;
    let ((a8, _), (b8, _), (c8, _), (d8, _)) = (a.as_chunks(), b.as_chunks(), c.as_chunks(), d.as_chunks());
    for ((((target, a), b), c), d) in targets.iter_mut().zip(a8).zip(b8).zip(c8).zip(d8) {
        let sum = fa.mul_add(L::new(*a), L::new(*target));
        let sum = fb.mul_add(L::new(*b), sum);
        let sum = fc.mul_add(L::new(*c), sum);
        *target = fd.mul_add(L::new(*d), sum).to_array();
    }
    for (index, target) in target_rest.iter_mut().enumerate() {
        let row = done + index;
        *target -= a[0] * a[row] + b[0] * b[row] + c[0] * c[row] + d[0] * d[row];
    }
}

/// Packs the rows below the panel into strips of vector width, and again of tile width, padded with
/// zeros.
#[inline(always)]
fn pack(matrix: &[f64], size: usize, start: usize, end: usize, packed: &mut Packed) {
    let (height, depth) = (size - end, end - start);
    let (row_strips, column_strips) = (height.div_ceil(WIDTH), height.div_ceil(TILE_COLUMNS));
    packed.rows.clear();
    packed.rows.resize(row_strips * depth, [0.0; WIDTH]);
    packed.columns.clear();
    packed.columns.resize(column_strips * depth, [0.0; TILE_COLUMNS]);
    for k in 0..depth {
        let column = &matrix[(start + k) * size + end..(start + k + 1) * size];
        for (strip, numbers) in column.chunks(WIDTH).enumerate() {
            packed.rows[strip * depth + k][..numbers.len()].copy_from_slice(numbers);
        }
        for (strip, numbers) in column.chunks(TILE_COLUMNS).enumerate() {
            packed.columns[strip * depth + k][..numbers.len()].copy_from_slice(numbers);
        }
    }
}

/// Subtracts the product of the packed rows with their transpose from the trailing columns.
/// `offset` is the first remaining row and column; `columns` starts at that column.
#[inline(always)]
fn update<L: Lanes>(columns: &mut [f64], size: usize, offset: usize, depth: usize, packed: &Packed) {
    let height = size - offset;
    for (strip, right) in packed.columns.chunks_exact(depth).enumerate() {
        let first_column = strip * TILE_COLUMNS;
        let width = TILE_COLUMNS.min(height - first_column);
        let first_strip = first_column / WIDTH;
        for (strip, left) in packed.rows.chunks_exact(depth).enumerate().skip(first_strip) {
            let mut sums = [L::splat(0.0); TILE_COLUMNS];
            for (left, right) in left.iter().zip(right) {
                let left = L::new(*left);
                for j in 0..TILE_COLUMNS {
                    sums[j] = left.mul_add(L::splat(right[j]), sums[j]);
                }
            }
            let first_row = strip * WIDTH;
            let rows = WIDTH.min(height - first_row);
            for j in 0..width {
                let index = (first_column + j) * size + offset + first_row;
                if let Some((target, _)) = columns[index..index + rows].split_first_chunk_mut::<WIDTH>() {
                    *target = (L::new(*target) - sums[j]).to_array();
                } else {
                    let sums = sums[j].to_array();
                    for (target, sum) in columns[index..index + rows].iter_mut().zip(sums) {
                        *target -= sum;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// M·Mᵀ + 1, by columns.
    fn positive_definite(size: usize) -> Vec<f64> {
        let mut random = craze_math::Random::new(size as u64);
        let factor: Vec<f64> = (0..size * size).map(|_| random.signed()).collect();
        let mut matrix = vec![0.0; size * size];
        for i in 0..size {
            for j in 0..size {
                let product: f64 = (0..size).map(|k| factor[i + k * size] * factor[j + k * size]).sum();
                matrix[i + j * size] = product + f64::from(u8::from(i == j));
            }
        }
        matrix
    }

    #[test]
    fn factor_and_schur_complement_give_the_matrix_back() {
        let mut packed = Packed::default();
        for (size, pivots) in [(1, 1), (5, 2), (8, 8), (13, 6), (70, 66), (150, 64), (201, 130), (97, 0)] {
            let matrix = positive_definite(size);
            let mut result = matrix.clone();
            factorise(&mut result, size, &vec![0.0; pivots], &mut packed).expect("positive definite");
            for j in 0..size {
                for i in j..size {
                    let product: f64 =
                        (0..pivots.min(j + 1)).map(|k| result[i + k * size] * result[j + k * size]).sum();
                    let schur = if j >= pivots { result[i + j * size] } else { 0.0 };
                    let error = (product + schur - matrix[i + j * size]).abs();
                    assert!(error < 1e-12 * size as f64, "{size} {pivots} ({i}, {j}): {error:e}");
                }
            }
        }
    }

    #[test]
    fn the_first_bad_pivot_is_named() {
        let mut packed = Packed::default();
        let size = 20;
        let mut matrix = positive_definite(size);
        matrix[11 + 11 * size] = -1.0;
        let error = factorise(&mut matrix, size, &vec![0.0; size], &mut packed).expect_err("indefinite");
        assert!(error.column == 11 && error.pivot < 0.0);
        let mut matrix = positive_definite(size);
        matrix[5 + 3 * size] = f64::NAN;
        let error = factorise(&mut matrix, size, &vec![0.0; size], &mut packed).expect_err("NaN");
        assert!(error.column == 5 && error.pivot.is_nan());
    }

    #[test]
    fn every_instruction_set_gives_the_factor() {
        let size = 90;
        let matrix = positive_definite(size);
        let mut results = Instructions::ALL.map(|instructions| {
            let mut result = matrix.clone();
            let kernel =
                Factorise { matrix: &mut result, size, min_pivots: &vec![0.0; size], packed: &mut Packed::default() };
            instructions.run(kernel).expect("positive definite");
            for j in 0..size {
                result[j * size..j * size + j].fill(0.0);
            }
            result
        });
        let reference = std::mem::take(&mut results[0]);
        for result in &results[1..] {
            for (found, expected) in result.iter().zip(&reference) {
                assert!((found - expected).abs() < 1e-11);
            }
        }
    }
}
