//! Sparsity pattern of a block matrix and its assembly plan.

use crate::error::SolveError;

/// The non-zero 3×3 blocks of a symmetric matrix with one block row per node, both triangles
/// stored, and the element blocks summed into each. Valid until the topology changes; shared by
/// [`std::sync::Arc`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Row i has blocks `starts[i]..starts[i + 1]`.
    starts: Vec<usize>,
    /// Column of each block, ascending within a row.
    columns: Vec<u32>,
    /// Index of the diagonal block of each row.
    diagonals: Vec<usize>,
    /// Block b is the sum of the element blocks `sources[source_starts[b]..source_starts[b + 1]]`,
    /// in this order.
    source_starts: Vec<usize>,
    sources: Vec<u32>,
    source_count: usize,
}

/// Collects groups of elements for a [`Pattern`].
///
/// Element matrices of all groups are concatenated in the order of the groups; an element with k
/// nodes has k² blocks, row by row.
#[derive(Clone, Debug)]
pub struct PatternBuilder {
    nodes: usize,
    /// (row, column) of each element block.
    entries: Vec<(u32, u32)>,
}

impl PatternBuilder {
    /// A pattern for this many nodes. Contains all diagonal blocks.
    pub fn new(nodes: usize) -> Self {
        Self { nodes, entries: Vec::new() }
    }

    /// Adds a group of elements with `ARITY` nodes each. A node may occur twice in an element.
    pub fn with_elements<const ARITY: usize>(mut self, elements: &[[u32; ARITY]]) -> Result<Self, SolveError> {
        self.entries.reserve(elements.len() * ARITY * ARITY);
        for (element, nodes) in elements.iter().enumerate() {
            if let Some(&node) = nodes.iter().find(|&&node| node as usize >= self.nodes) {
                return Err(SolveError::NodeOutOfRange { element, node: node as usize, count: self.nodes });
            }
            for &row in nodes {
                self.entries.extend(nodes.iter().map(|&column| (row, column)));
            }
        }
        Ok(self)
    }

    /// The pattern of all groups added.
    pub fn build(self) -> Pattern {
        // Counting sort by row, then sort by column; both keep the order of sources.
        let mut row_starts = vec![0usize; self.nodes + 1];
        for &(row, _) in &self.entries {
            row_starts[row as usize + 1] += 1;
        }
        for row in 0..self.nodes {
            row_starts[row + 1] += row_starts[row];
        }
        let mut next = row_starts.clone();
        let mut by_row = vec![(0u32, 0u32); self.entries.len()];
        for (source, &(row, column)) in self.entries.iter().enumerate() {
            by_row[next[row as usize]] = (column, source as u32);
            next[row as usize] += 1;
        }

        let mut pattern = Pattern {
            starts: Vec::with_capacity(self.nodes + 1),
            columns: Vec::new(),
            diagonals: Vec::with_capacity(self.nodes),
            source_starts: Vec::new(),
            sources: Vec::with_capacity(self.entries.len()),
            source_count: self.entries.len(),
        };
        for row in 0..self.nodes {
            pattern.starts.push(pattern.columns.len());
            let row_entries = &mut by_row[row_starts[row]..row_starts[row + 1]];
            row_entries.sort_unstable(); // by column, then by source: all entries differ
            let mut row_entries = row_entries.iter().peekable();
            let mut diagonal = None;
            loop {
                let column = match (row_entries.peek(), diagonal) {
                    (Some(&&(column, _)), None) => column.min(row as u32),
                    (Some(&&(column, _)), Some(_)) => column,
                    (None, None) => row as u32,
                    (None, Some(_)) => break,
                };
                if column == row as u32 {
                    diagonal = Some(pattern.columns.len());
                }
                pattern.columns.push(column);
                pattern.source_starts.push(pattern.sources.len());
                while let Some(&(_, source)) = row_entries.next_if(|&&(next, _)| next == column) {
                    pattern.sources.push(source);
                }
            }
            pattern.diagonals.extend(diagonal);
        }
        pattern.starts.push(pattern.columns.len());
        pattern.source_starts.push(pattern.sources.len());
        pattern
    }
}

impl Pattern {
    /// The pattern of one group of elements with `ARITY` nodes each; see [`PatternBuilder`] for
    /// several.
    pub fn from_elements<const ARITY: usize>(nodes: usize, elements: &[[u32; ARITY]]) -> Result<Self, SolveError> {
        Ok(PatternBuilder::new(nodes).with_elements(elements)?.build())
    }

    /// Number of nodes (block rows).
    pub fn nodes(&self) -> usize {
        self.diagonals.len()
    }

    /// Number of stored blocks.
    pub fn blocks(&self) -> usize {
        self.columns.len()
    }

    /// Number of element blocks of the assembly: Σ arity² over all elements.
    pub fn element_blocks(&self) -> usize {
        self.source_count
    }

    /// The blocks of a row.
    pub fn row(&self, row: usize) -> std::ops::Range<usize> {
        self.starts[row]..self.starts[row + 1]
    }

    /// The columns of a row's blocks, ascending.
    pub fn row_columns(&self, row: usize) -> &[u32] {
        &self.columns[self.row(row)]
    }

    /// The index of the diagonal block of a row.
    pub fn diagonal(&self, row: usize) -> usize {
        self.diagonals[row]
    }

    /// The index of a block, if it is in the pattern.
    pub fn find(&self, row: usize, column: usize) -> Option<usize> {
        let start = *self.starts.get(row).filter(|_| row < self.nodes())?;
        let position = self.row_columns(row).binary_search(&u32::try_from(column).ok()?).ok()?;
        Some(start + position)
    }

    pub(crate) fn sources(&self, block: usize) -> &[u32] {
        &self.sources[self.source_starts[block]..self.source_starts[block + 1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_and_diagonals_always_there() {
        let pattern = Pattern::from_elements(5, &[[3, 0, 1], [1, 3, 2]]).expect("valid");
        assert_eq!((pattern.nodes(), pattern.element_blocks()), (5, 18));
        assert_eq!(pattern.row_columns(0), [0, 1, 3]);
        assert_eq!(pattern.row_columns(1), [0, 1, 2, 3]);
        assert_eq!(pattern.row_columns(4), [4]);
        for row in 0..5 {
            assert_eq!(pattern.find(row, row), Some(pattern.diagonal(row)));
        }
        assert_eq!((pattern.find(0, 2), pattern.find(5, 0), pattern.find(0, usize::MAX)), (None, None, None));
        // Block (1, 3): row 2, column 0 of the first element and row 0, column 1 of the second.
        let block = pattern.find(1, 3).expect("stored");
        assert_eq!(pattern.sources(block), [6, 10]);
    }

    #[test]
    fn groups_of_different_arity_are_concatenated() {
        let pattern = PatternBuilder::new(4)
            .with_elements(&[[0, 1]])
            .and_then(|b| b.with_elements(&[[1, 2, 3]]))
            .expect("valid")
            .build();
        assert_eq!(pattern.element_blocks(), 4 + 9);
        assert_eq!(pattern.sources(pattern.diagonal(1)), [3, 4]);
        assert_eq!(pattern.find(0, 3), None);
    }

    #[test]
    fn a_node_that_does_not_exist_is_named() {
        let error = Pattern::from_elements(3, &[[0, 1], [2, 3]]).expect_err("node 3 of 3");
        assert_eq!(error, SolveError::NodeOutOfRange { element: 1, node: 3, count: 3 });
    }

    #[test]
    fn nothing_at_all_is_a_pattern_too() {
        let pattern = Pattern::from_elements::<4>(0, &[]).expect("valid");
        assert_eq!((pattern.nodes(), pattern.blocks()), (0, 0));
    }
}
