//! Numbers by which a file calls its nodes, in any order and with gaps.

use std::fmt;

use super::cells::MISSING;
use super::cursor::Fault;

/// Finds a node's place by its number in the file.
#[derive(Debug)]
pub(crate) struct Numbering {
    lowest: i64,
    highest: i64,
    places: Places,
}

#[derive(Debug)]
enum Places {
    /// By the number less the lowest; [`MISSING`] in gaps.
    Table(Vec<u32>),
    /// Ascending by number.
    Sorted(Vec<(i64, u32)>),
}

impl Numbering {
    /// Nodes in the order of their places; refuses numbers that are there twice.
    pub(crate) fn new(numbers: &[i64]) -> Result<Self, Fault> {
        if u32::try_from(numbers.len()).is_err() {
            return Err(Fault::in_part("nodes", format!("{} are more than can be numbered", numbers.len())));
        }
        let lowest = numbers.iter().copied().min().unwrap_or(0);
        let highest = numbers.iter().copied().max().unwrap_or(-1);
        let twice = |number: i64| Err(Fault::in_part(format!("node {number}"), "it is there twice"));
        // A table as long as a few times the nodes is quicker than a search; numbers without bound have none.
        let span = (i128::from(highest) - i128::from(lowest) + 1) as u128;
        let places = if span <= 8 * numbers.len() as u128 + 1024 {
            let mut table = vec![MISSING; span as usize];
            for (place, &number) in (0u32..).zip(numbers) {
                let slot = &mut table[(number - lowest) as usize];
                if *slot != MISSING {
                    return twice(number);
                }
                *slot = place;
            }
            Places::Table(table)
        } else {
            let mut sorted: Vec<(i64, u32)> = numbers.iter().copied().zip(0u32..).collect();
            sorted.sort_unstable();
            if let Some(pair) = sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
                return twice(pair[0].0);
            }
            Places::Sorted(sorted)
        };
        Ok(Self { lowest, highest, places })
    }

    /// The place of a node, [`MISSING`] if its number lies in a gap; none for numbers beyond all that there are.
    pub(crate) fn find(&self, number: i64) -> Option<u32> {
        if !(self.lowest..=self.highest).contains(&number) {
            return None;
        }
        Some(match &self.places {
            Places::Table(table) => table[(number - self.lowest) as usize],
            Places::Sorted(sorted) => match sorted.binary_search_by_key(&number, |entry| entry.0) {
                Ok(place) => sorted[place].1,
                Err(_) => MISSING,
            },
        })
    }
}

impl fmt::Display for Numbering {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} to {}", self.lowest, self.highest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_gaps_are_missing_and_others_are_none() {
        for far in [7, 1 << 40, i64::MAX] {
            let numbering = Numbering::new(&[5, -3, far]).expect("different numbers");
            assert_eq!([5, -3, far].map(|number| numbering.find(number)), [Some(0), Some(1), Some(2)]);
            assert_eq!(numbering.find(6), Some(MISSING));
            assert_eq!((numbering.find(-4), numbering.find(far.wrapping_add(1))), (None, None));
        }
        let extreme = Numbering::new(&[i64::MIN, i64::MAX]).expect("different numbers");
        assert_eq!((extreme.find(0), extreme.find(i64::MIN)), (Some(MISSING), Some(0)));
        assert_eq!(Numbering::new(&[]).expect("none").find(0), None);
    }

    #[test]
    fn a_number_that_is_there_twice_is_refused() {
        for numbers in [[1, 2, 1], [1, 1 << 50, 1]] {
            assert!(Numbering::new(&numbers).is_err());
        }
    }
}
