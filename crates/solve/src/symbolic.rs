//! Symbolic Cholesky analysis of a pattern: order, elimination tree, supernodes.

use crate::ordering::nested_dissection;
use crate::pattern::Pattern;
use crate::tuning::{MAX_ZERO_FRACTION, MAX_ZERO_FRACTION_NARROW, NARROW_SUPERNODE};
use std::ops::Range;
use std::sync::Arc;

const NONE: u32 = u32::MAX;

/// Columns of the factor with one pattern: a dense triangle, and dense rows below it.
#[derive(Clone, Debug)]
pub(crate) struct Supernode {
    pub(crate) columns: Range<usize>,
    /// Rows below the triangle, ascending.
    pub(crate) rows: Vec<u32>,
    pub(crate) children: usize,
    pub(crate) start: usize,
}

impl Supernode {
    pub(crate) fn width(&self) -> usize {
        3 * self.columns.len()
    }

    /// Number of scalar rows, triangle included.
    pub(crate) fn height(&self) -> usize {
        3 * (self.columns.len() + self.rows.len())
    }
}

/// The analysis of a pattern, valid until the topology changes and shared by any number of
/// matrices.
#[derive(Clone, Debug)]
pub struct Symbolic {
    pub(crate) pattern: Arc<Pattern>,
    pub(crate) order: Vec<u32>,
    pub(crate) position: Vec<u32>,
    pub(crate) supernodes: Vec<Supernode>,
    pub(crate) values: usize,
}

impl Symbolic {
    /// Analyses a pattern.
    pub fn analyse(pattern: &Arc<Pattern>) -> Self {
        let dissected = nested_dissection(pattern);
        let parents = elimination_tree(pattern, &dissected);
        // Children directly before their parents: columns of one supernode become contiguous.
        let order: Vec<u32> = postorder(&parents).into_iter().map(|column| dissected[column as usize]).collect();
        let parents = elimination_tree(pattern, &order);
        let position = inverse(&order);
        let mut supernodes = merge(fundamental_supernodes(pattern, &order, &position, &parents));
        let mut values = 0;
        let mut owner = vec![0; order.len()];
        for (index, supernode) in supernodes.iter_mut().enumerate() {
            supernode.start = values;
            values += supernode.width() * supernode.height();
            owner[supernode.columns.clone()].fill(index);
        }
        for index in 0..supernodes.len() {
            if let Some(&row) = supernodes[index].rows.first() {
                supernodes[owner[row as usize]].children += 1;
            }
        }
        Self { pattern: pattern.clone(), order, position, supernodes, values }
    }

    /// Number of scalars in the factor (8 bytes each).
    pub fn factor_size(&self) -> usize {
        self.values
    }

    /// Number of floating-point operations of a factorisation.
    pub fn operations(&self) -> f64 {
        let columns = |supernode: &Supernode| {
            (0..supernode.width()).map(|column| ((supernode.height() - column) as f64).powi(2)).sum::<f64>()
        };
        self.supernodes.iter().map(columns).sum()
    }
}

fn inverse(order: &[u32]) -> Vec<u32> {
    let mut position = vec![0; order.len()];
    for (index, &node) in order.iter().enumerate() {
        position[node as usize] = index as u32;
    }
    position
}

/// The parent of each column in the elimination tree (Liu 1990, algorithm 4.2), [`NONE`] for roots.
fn elimination_tree(pattern: &Pattern, order: &[u32]) -> Vec<u32> {
    let position = inverse(order);
    let mut parents = vec![NONE; order.len()];
    let mut ancestors = vec![NONE; order.len()];
    for column in 0..order.len() as u32 {
        for &other in pattern.row_columns(order[column as usize] as usize) {
            let mut node = position[other as usize];
            while node < column {
                let next = std::mem::replace(&mut ancestors[node as usize], column);
                if next == NONE {
                    parents[node as usize] = column;
                    break;
                }
                node = next;
            }
        }
    }
    parents
}

/// Columns in postorder: subtrees contiguous, children before parents.
fn postorder(parents: &[u32]) -> Vec<u32> {
    let mut first_child = vec![NONE; parents.len()];
    let mut next_sibling = vec![NONE; parents.len()];
    let mut stack = Vec::new();
    for column in (0..parents.len()).rev() {
        match parents[column] {
            NONE => stack.push(column as u32),
            parent => {
                next_sibling[column] = first_child[parent as usize];
                first_child[parent as usize] = column as u32;
            }
        }
    }
    let mut order = Vec::with_capacity(parents.len());
    while let Some(&column) = stack.last() {
        let child = first_child[column as usize];
        if child == NONE {
            order.push(column);
            stack.pop();
        } else {
            first_child[column as usize] = next_sibling[child as usize];
            stack.push(child);
        }
    }
    order
}

/// Runs of columns, each with the pattern of the next plus its own row.
fn fundamental_supernodes(pattern: &Pattern, order: &[u32], position: &[u32], parents: &[u32]) -> Vec<Supernode> {
    let count = order.len();
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (column, &parent) in parents.iter().enumerate() {
        if parent != NONE {
            children[parent as usize].push(column as u32);
        }
    }
    let mut rows: Vec<Vec<u32>> = vec![Vec::new(); count];
    let mut seen = vec![NONE; count];
    let mut supernodes: Vec<Supernode> = Vec::new();
    for column in 0..count {
        let mut union = Vec::new();
        seen[column] = column as u32;
        let own = pattern.row_columns(order[column] as usize).iter().map(|&other| position[other as usize]);
        let inherited = children[column].iter().flat_map(|&child| rows[child as usize].iter().copied());
        for row in own.filter(|&row| row as usize > column).chain(inherited) {
            if seen[row as usize] != column as u32 {
                seen[row as usize] = column as u32;
                union.push(row);
            }
        }
        union.sort_unstable();
        // Only the last column of a supernode keeps its rows, until its parent has inherited them.
        let continues = column > 0 && parents[column - 1] == column as u32 && rows[column - 1].len() == union.len() + 1;
        for child in std::mem::take(&mut children[column]) {
            rows[child as usize] = Vec::new();
        }
        match supernodes.last_mut().filter(|_| continues) {
            Some(supernode) => {
                supernode.columns.end = column + 1;
                supernode.rows.clone_from(&union);
            }
            None => {
                supernodes.push(Supernode { columns: column..column + 1, rows: union.clone(), children: 0, start: 0 });
            }
        }
        rows[column] = union;
    }
    supernodes
}

/// Merges each supernode into the parent directly behind it if that adds few zeros.
fn merge(fundamental: Vec<Supernode>) -> Vec<Supernode> {
    let blocks = |width: usize, rows: usize| width * (width + 1) / 2 + width * rows;
    let mut merged: Vec<(Supernode, usize)> = Vec::with_capacity(fundamental.len());
    for mut supernode in fundamental {
        let mut true_blocks = blocks(supernode.columns.len(), supernode.rows.len());
        while let Some((previous, previous_blocks)) = merged.last() {
            let parent = previous.rows.first().map(|&row| row as usize);
            if parent.is_none_or(|parent| !supernode.columns.contains(&parent)) {
                break;
            }
            let width = previous.columns.len() + supernode.columns.len();
            let all = blocks(width, supernode.rows.len());
            let zeros = (all - (true_blocks + previous_blocks).min(all)) as f64 / all as f64;
            if zeros > if width <= NARROW_SUPERNODE { MAX_ZERO_FRACTION_NARROW } else { MAX_ZERO_FRACTION } {
                break;
            }
            true_blocks += previous_blocks;
            supernode.columns.start = previous.columns.start;
            merged.pop();
        }
        merged.push((supernode, true_blocks));
    }
    merged.into_iter().map(|(supernode, _)| supernode).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::box_mesh;

    #[test]
    fn a_box_of_ten_thousand_nodes_stays_within_a_hundred_billion_operations() {
        let (nodes, elements) = box_mesh(21);
        let pattern = Arc::new(Pattern::from_elements(nodes.len(), &elements).expect("valid"));
        let start = std::time::Instant::now();
        let symbolic = Symbolic::analyse(&pattern);
        println!("{:.1e} operations, {} numbers, {:?}", symbolic.operations(), symbolic.factor_size(), start.elapsed());
        assert!(symbolic.operations() < 1e11);
    }

    #[test]
    fn supernodes_hold_every_block_of_the_factor() {
        let (nodes, elements) = box_mesh(5);
        let pattern = Arc::new(Pattern::from_elements(nodes.len(), &elements).expect("valid"));
        let symbolic = Symbolic::analyse(&pattern);
        // Reference: elimination on the graph.
        let count = nodes.len();
        let mut filled: Vec<std::collections::BTreeSet<usize>> = (0..count)
            .map(|column| {
                let row = pattern.row_columns(symbolic.order[column] as usize);
                row.iter()
                    .map(|&other| symbolic.position[other as usize] as usize)
                    .filter(|&row| row > column)
                    .collect()
            })
            .collect();
        for column in 0..count {
            let below: Vec<usize> = filled[column].iter().copied().collect();
            for (index, &row) in below.iter().enumerate() {
                filled[row].extend(&below[index + 1..]);
            }
        }
        let mut stored = 0;
        for supernode in &symbolic.supernodes {
            for column in supernode.columns.clone() {
                for &row in &filled[column] {
                    let inside =
                        supernode.columns.contains(&row) || supernode.rows.binary_search(&(row as u32)).is_ok();
                    assert!(inside, "block ({row}, {column}) has no place");
                }
                stored += supernode.columns.end - column - 1 + supernode.rows.len();
            }
        }
        let needed: usize = filled.iter().map(|rows| rows.len()).sum();
        assert!(stored < needed + needed / 3, "{stored} blocks stored for {needed}");
        let columns: usize = symbolic.supernodes.iter().map(|supernode| supernode.columns.len()).sum();
        assert_eq!(columns, count);
        let children: usize = symbolic.supernodes.iter().map(|supernode| supernode.children).sum();
        assert_eq!(children, symbolic.supernodes.len() - 1, "a connected mesh has one root");
    }
}
