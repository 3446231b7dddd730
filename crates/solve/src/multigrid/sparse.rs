//! Sparse matrices of R×C blocks, by rows, with the same bits for any number of threads.

use crate::tuning::ROWS_PER_CHUNK;
use rayon::prelude::*;

/// A block, by rows.
pub(crate) type Block<const R: usize, const C: usize> = [[f64; C]; R];

/// A sparse matrix of blocks. The columns of a row stand in any order, none twice.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sparse<const R: usize, const C: usize> {
    starts: Vec<usize>,
    columns: Vec<u32>,
    blocks: Vec<Block<R, C>>,
    width: usize,
}

/// Sum of products of a row's blocks.
struct Row<const R: usize, const C: usize> {
    columns: Vec<u32>,
    blocks: Vec<Block<R, C>>,
}

impl<const R: usize, const C: usize> Sparse<R, C> {
    /// A matrix with no rows yet.
    pub fn new(width: usize) -> Self {
        Self { starts: vec![0], columns: Vec::new(), blocks: Vec::new(), width }
    }

    /// Adds a row.
    pub fn push_row(&mut self, entries: impl IntoIterator<Item = (usize, Block<R, C>)>) {
        for (column, block) in entries {
            self.columns.push(column as u32);
            self.blocks.push(block);
        }
        self.starts.push(self.columns.len());
    }

    /// Number of block rows.
    pub fn height(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of blocks.
    pub fn block_count(&self) -> usize {
        self.blocks.len()
    }

    /// Columns and blocks of a row.
    pub fn row(&self, row: usize) -> impl ExactSizeIterator<Item = (usize, &Block<R, C>)> {
        let range = self.starts[row]..self.starts[row + 1];
        self.columns[range.clone()].iter().map(|&column| column as usize).zip(&self.blocks[range])
    }

    /// The same for changes.
    pub fn row_mut(&mut self, row: usize) -> impl Iterator<Item = (usize, &mut Block<R, C>)> {
        let range = self.starts[row]..self.starts[row + 1];
        self.columns[range.clone()].iter().map(|&column| column as usize).zip(&mut self.blocks[range])
    }

    /// A row times a vector.
    #[inline]
    pub fn multiply_row(&self, row: usize, x: &[[f64; C]]) -> [f64; R] {
        // Products are summed by entry of the block first: contiguous numbers for vector registers.
        let mut sums = [[0.0; C]; R];
        for (column, block) in self.row(row) {
            let x = &x[column];
            for r in 0..R {
                for c in 0..C {
                    sums[r][c] += block[r][c] * x[c];
                }
            }
        }
        sums.map(|sums| sums.iter().sum())
    }

    /// y ← y + factor·matrix·x.
    pub fn add_product(&self, factor: f64, x: &[[f64; C]], y: &mut [[f64; R]]) {
        y.par_chunks_mut(ROWS_PER_CHUNK).enumerate().for_each(|(chunk, y)| {
            for (offset, y) in y.iter_mut().enumerate() {
                let product = self.multiply_row(chunk * ROWS_PER_CHUNK + offset, x);
                for r in 0..R {
                    y[r] += factor * product[r];
                }
            }
        });
    }

    /// self·other.
    pub fn product<const K: usize>(&self, other: &Sparse<C, K>) -> Sparse<R, K> {
        let rows: Vec<Row<R, K>> = (0..self.height())
            .into_par_iter()
            .with_min_len(ROWS_PER_CHUNK)
            .map_init(|| vec![u32::MAX; other.width], |slots, row| self.row_product(row, other, slots))
            .collect();
        let count = rows.iter().map(|row| row.columns.len()).sum();
        let mut product = Sparse {
            starts: Vec::with_capacity(rows.len() + 1),
            columns: Vec::with_capacity(count),
            blocks: Vec::with_capacity(count),
            width: other.width,
        };
        product.starts.push(0);
        for row in rows {
            product.columns.extend_from_slice(&row.columns);
            product.blocks.extend_from_slice(&row.blocks);
            product.starts.push(product.columns.len());
        }
        product
    }

    /// A row of self·other. `slots` is `u32::MAX` for every column before and after.
    fn row_product<const K: usize>(&self, row: usize, other: &Sparse<C, K>, slots: &mut [u32]) -> Row<R, K> {
        let guess = 2 * self.row(row).len();
        let mut product: Row<R, K> = Row { columns: Vec::with_capacity(guess), blocks: Vec::with_capacity(guess) };
        for (middle, left) in self.row(row) {
            for (column, right) in other.row(middle) {
                if slots[column] == u32::MAX {
                    slots[column] = product.columns.len() as u32;
                    product.columns.push(column as u32);
                    product.blocks.push([[0.0; K]; R]);
                }
                let sum = &mut product.blocks[slots[column] as usize];
                for r in 0..R {
                    for (c, right) in right.iter().enumerate() {
                        for k in 0..K {
                            sum[r][k] += left[r][c] * right[k];
                        }
                    }
                }
            }
        }
        product.columns.iter().for_each(|&column| slots[column as usize] = u32::MAX);
        product
    }

    /// The transpose; columns ascend.
    pub fn transpose(&self) -> Sparse<C, R> {
        let mut starts = vec![0; self.width + 1];
        for &column in &self.columns {
            starts[column as usize + 1] += 1;
        }
        for column in 0..self.width {
            starts[column + 1] += starts[column];
        }
        let mut next = starts.clone();
        let mut columns = vec![0; self.columns.len()];
        let mut blocks = vec![[[0.0; R]; C]; self.columns.len()];
        for row in 0..self.height() {
            for (column, block) in self.row(row) {
                let slot = next[column];
                next[column] += 1;
                columns[slot] = row as u32;
                for r in 0..R {
                    for c in 0..C {
                        blocks[slot][c][r] = block[r][c];
                    }
                }
            }
        }
        Sparse { starts, columns, blocks, width: self.height() }
    }
}
