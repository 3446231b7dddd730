//! Merging of small pieces into their neighbours.

use std::collections::{BTreeMap, BTreeSet};

/// The piece that every piece is merged into: itself, or the neighbour with the largest contact
/// area (m²) if it is smaller than `min_volume` (m³) or more than `max_count` pieces are left. The
/// smallest piece is merged first, with its volume added to the neighbour's. A piece without
/// neighbours stays.
pub(super) fn merge_small_pieces(
    volumes: &[f64],
    contacts: impl IntoIterator<Item = ([u32; 2], f64)>,
    min_volume: f64,
    max_count: usize,
) -> Vec<u32> {
    let mut owners: Vec<u32> = (0..volumes.len() as u32).collect();
    let mut neighbours = vec![BTreeMap::<u32, f64>::new(); volumes.len()];
    for ([one, other], area) in contacts.into_iter().filter(|([one, other], _)| one != other) {
        *neighbours[one as usize].entry(other).or_default() += area;
        *neighbours[other as usize].entry(one).or_default() += area;
    }
    let mut volumes: Vec<f64> = volumes.iter().map(|volume| volume.max(0.0)).collect();
    // The bits of non-negative numbers have the order of the numbers.
    let mut queue: BTreeSet<(u64, u32)> =
        volumes.iter().zip(0..).map(|(volume, piece)| (volume.to_bits(), piece)).collect();
    let mut left = volumes.len();
    while let Some((volume, piece)) = queue.pop_first() {
        if !(f64::from_bits(volume) < min_volume || left > max_count) {
            break;
        }
        let largest =
            neighbours[piece as usize].iter().max_by(|one, other| one.1.total_cmp(other.1).then(other.0.cmp(one.0)));
        let Some((&owner, _)) = largest else { continue };
        left -= 1;
        owners[piece as usize] = owner;
        queue.remove(&(volumes[owner as usize].to_bits(), owner));
        volumes[owner as usize] += volumes[piece as usize];
        queue.insert((volumes[owner as usize].to_bits(), owner));
        for (neighbour, area) in std::mem::take(&mut neighbours[piece as usize]) {
            neighbours[neighbour as usize].remove(&piece);
            if neighbour != owner {
                *neighbours[neighbour as usize].entry(owner).or_default() += area;
                *neighbours[owner as usize].entry(neighbour).or_default() += area;
            }
        }
    }
    // Follow chains of merges. Nothing is merged into a piece that is already merged, so they end.
    for piece in 0..owners.len() {
        let mut owner = owners[piece];
        while owners[owner as usize] != owner {
            owner = owners[owner as usize];
        }
        owners[piece] = owner;
    }
    owners
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_piece_joins_the_neighbour_with_the_largest_contact() {
        let contacts = [([0, 1], 1.0), ([1, 2], 1.5), ([2, 1], 0.1), ([0, 2], 9.0), ([1, 1], 7.0)];
        assert_eq!(merge_small_pieces(&[5.0, 0.1, 4.0], contacts, 0.0, usize::MAX), [0, 1, 2]);
        assert_eq!(merge_small_pieces(&[5.0, 0.1, 4.0], contacts, 0.2, usize::MAX), [0, 2, 2]);
    }

    #[test]
    fn small_pieces_accumulate_until_they_are_large_enough() {
        // A row of small pieces beside a block: 3 joins 2, both join 1, which is then large enough.
        let contacts = [([0, 1], 1.0), ([1, 2], 2.0), ([2, 3], 3.0)];
        assert_eq!(merge_small_pieces(&[9.0, 0.35, 0.2, 0.1], contacts, 0.5, usize::MAX), [0, 1, 1, 1]);
        assert_eq!(merge_small_pieces(&[9.0, 0.35, 0.2, 0.1], contacts, 0.7, usize::MAX), [0, 0, 0, 0]);
    }

    #[test]
    fn a_small_piece_without_neighbours_stays_and_so_does_the_last_piece() {
        assert_eq!(merge_small_pieces(&[9.0, 0.1], [], 1.0, usize::MAX), [0, 1]);
        assert_eq!(merge_small_pieces(&[9.0, 0.1], [([0, 1], 0.0)], 100.0, usize::MAX), [0, 0]);
        assert_eq!(merge_small_pieces(&[f64::NAN, -1.0], [([0, 1], 1.0)], 0.5, usize::MAX).len(), 2);
    }

    #[test]
    fn the_smallest_pieces_are_merged_down_to_the_maximum_count() {
        let contacts = [([0, 1], 1.0), ([1, 2], 2.0), ([2, 3], 3.0)];
        assert_eq!(merge_small_pieces(&[9.0, 3.0, 2.0, 4.0], contacts, 0.0, 4), [0, 1, 2, 3]);
        assert_eq!(merge_small_pieces(&[9.0, 3.0, 2.0, 4.0], contacts, 0.0, 3), [0, 1, 3, 3]);
        assert_eq!(merge_small_pieces(&[9.0, 3.0, 2.0, 4.0], contacts, 0.0, 1), [3, 3, 3, 3]);
        // A piece without contacts cannot be merged, whatever the maximum.
        assert_eq!(merge_small_pieces(&[9.0, 3.0], [], 0.0, 1), [0, 1]);
    }
}
