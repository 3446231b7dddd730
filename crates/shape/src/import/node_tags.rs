//! Node tags of a file, in any order and with gaps.

use std::fmt;

use super::cells::MISSING_NODE;
use super::cursor::ParseError;

/// Maps a node's tag to its index.
#[derive(Debug)]
pub(crate) struct NodeTags {
    lowest: i64,
    highest: i64,
    lookup: Lookup,
}

#[derive(Debug)]
enum Lookup {
    /// Index by tag − lowest tag; [`MISSING_NODE`] in gaps.
    Table(Vec<u32>),
    Sorted(Vec<(i64, u32)>),
}

impl NodeTags {
    /// Indexes the tags; rejects duplicates.
    pub(crate) fn new(numbers: &[i64]) -> Result<Self, ParseError> {
        if u32::try_from(numbers.len()).is_err() {
            return Err(ParseError::in_part("nodes", format!("{} exceed 32-bit indices", numbers.len())));
        }
        let lowest = numbers.iter().copied().min().unwrap_or(0);
        let highest = numbers.iter().copied().max().unwrap_or(-1);
        let twice = |number: i64| Err(ParseError::in_part(format!("node {number}"), "it is defined twice"));
        // A table is faster than a search while it is at most a few times the number of nodes.
        let span = (i128::from(highest) - i128::from(lowest) + 1) as u128;
        let lookup = if span <= 8 * numbers.len() as u128 + 1024 {
            let mut table = vec![MISSING_NODE; span as usize];
            for (index, &number) in (0u32..).zip(numbers) {
                let slot = &mut table[(number - lowest) as usize];
                if *slot != MISSING_NODE {
                    return twice(number);
                }
                *slot = index;
            }
            Lookup::Table(table)
        } else {
            let mut sorted: Vec<(i64, u32)> = numbers.iter().copied().zip(0u32..).collect();
            sorted.sort_unstable();
            if let Some(pair) = sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
                return twice(pair[0].0);
            }
            Lookup::Sorted(sorted)
        };
        Ok(Self { lowest, highest, lookup })
    }

    /// The index of a node, [`MISSING_NODE`] for a gap; `None` outside the range of tags.
    pub(crate) fn find(&self, number: i64) -> Option<u32> {
        if !(self.lowest..=self.highest).contains(&number) {
            return None;
        }
        Some(match &self.lookup {
            Lookup::Table(table) => table[(number - self.lowest) as usize],
            Lookup::Sorted(sorted) => match sorted.binary_search_by_key(&number, |entry| entry.0) {
                Ok(index) => sorted[index].1,
                Err(_) => MISSING_NODE,
            },
        })
    }
}

impl fmt::Display for NodeTags {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} to {}", self.lowest, self.highest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_found_gaps_are_missing_and_others_are_none() {
        for far in [7, 1 << 40, i64::MAX] {
            let node_tags = NodeTags::new(&[5, -3, far]).expect("different numbers");
            assert_eq!([5, -3, far].map(|number| node_tags.find(number)), [Some(0), Some(1), Some(2)]);
            assert_eq!(node_tags.find(6), Some(MISSING_NODE));
            assert_eq!((node_tags.find(-4), node_tags.find(far.wrapping_add(1))), (None, None));
        }
        let extreme = NodeTags::new(&[i64::MIN, i64::MAX]).expect("different numbers");
        assert_eq!((extreme.find(0), extreme.find(i64::MIN)), (Some(MISSING_NODE), Some(0)));
        assert_eq!(NodeTags::new(&[]).expect("none").find(0), None);
    }

    #[test]
    fn duplicate_tags_are_rejected() {
        for numbers in [[1, 2, 1], [1, 1 << 50, 1]] {
            assert!(NodeTags::new(&numbers).is_err());
        }
    }
}
