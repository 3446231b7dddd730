//! Morton keys: grid points and octants as integers sorted along a space-filling curve.
//!
//! An octant of level `l` is 2^l finest cells wide and has integer coordinates within its level.
//! Points lie on a grid of half a finest cell, which includes midpoints and centres.

/// Bits per axis: three axes fill 63 of 64.
pub(super) const BITS: u32 = 21;

/// The bits of x in a key; y and z are shifted by one and two.
const X: u64 = 0x1249_2492_4924_9249;
const AXES: [u64; 3] = [X, X << 1, X << 2];

pub(super) type GridIndex = [i32; 3];

/// The key of coordinates from 0 to 2^21 − 1.
pub(super) fn encode(index: GridIndex) -> u64 {
    interleave(index[0]) | interleave(index[1]) << 1 | interleave(index[2]) << 2
}

pub(super) fn decode(key: u64) -> GridIndex {
    [deinterleave(key), deinterleave(key >> 1), deinterleave(key >> 2)]
}

/// The key one step along an axis, without decoding.
pub(super) fn step(key: u64, axis: usize, forward: bool) -> u64 {
    let mask = AXES[axis];
    let moved = if forward {
        (key | !mask).wrapping_add(mask & mask.wrapping_neg())
    } else {
        (key & mask).wrapping_sub(mask & mask.wrapping_neg())
    };
    (moved & mask) | (key & !mask)
}

/// The key and its 26 neighbours.
pub(super) fn block(key: u64) -> [u64; 27] {
    let mut found = [key; 27];
    let mut count = 1;
    for axis in 0..3 {
        for index in 0..count {
            found[count + index] = step(found[index], axis, false);
            found[2 * count + index] = step(found[index], axis, true);
        }
        count *= 3;
    }
    found
}

/// The point at half-step `index` of a level: 2·octant is an octant's low corner, 2·octant + 1 its
/// centre.
pub(super) fn point(level: u32, index: GridIndex) -> u64 {
    encode(index) << (3 * level)
}

pub(super) fn centre(level: u32, octant: u64) -> u64 {
    (octant << 3 | 7) << (3 * level)
}

pub(super) fn corners(level: u32, octant: u64) -> [u64; 8] {
    let mut found = [octant; 8];
    for axis in 0..3 {
        for index in 0..8 {
            if index >> axis & 1 == 1 {
                found[index] = step(found[index], axis, true);
            }
        }
    }
    found.map(|corner| corner << (3 * (level + 1)))
}

pub(super) fn contains(sorted: &[u64], key: u64) -> bool {
    sorted.binary_search(&key).is_ok()
}

/// The sorted distinct keys.
pub(super) fn sorted(mut keys: Vec<u64>) -> Vec<u64> {
    use rayon::slice::ParallelSliceMut;
    keys.par_sort_unstable();
    keys.dedup();
    keys
}

fn interleave(coordinate: i32) -> u64 {
    let mut bits = coordinate as u64 & ((1 << BITS) - 1);
    bits = (bits | bits << 32) & 0x001f_0000_0000_ffff;
    bits = (bits | bits << 16) & 0x001f_0000_ff00_00ff;
    bits = (bits | bits << 8) & 0x100f_00f0_0f00_f00f;
    bits = (bits | bits << 4) & 0x10c3_0c30_c30c_30c3;
    (bits | bits << 2) & X
}

fn deinterleave(key: u64) -> i32 {
    let mut bits = key & X;
    bits = (bits | bits >> 2) & 0x10c3_0c30_c30c_30c3;
    bits = (bits | bits >> 4) & 0x100f_00f0_0f00_f00f;
    bits = (bits | bits >> 8) & 0x001f_0000_ff00_00ff;
    bits = (bits | bits >> 16) & 0x001f_0000_0000_ffff;
    ((bits | bits >> 32) & ((1 << BITS) - 1)) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_decode_to_their_index_and_step_by_one() {
        for index in [[0, 0, 0], [1, 2, 3], [2_097_150, 5, 1_048_576], [77, 2_097_000, 12345]] {
            let key = encode(index);
            assert_eq!(decode(key), index);
            for axis in 0..3 {
                let mut ahead = index;
                ahead[axis] += 1;
                assert_eq!(step(key, axis, true), encode(ahead));
                assert_eq!(step(encode(ahead), axis, false), key);
            }
        }
    }

    #[test]
    fn a_block_is_all_27_cells_each_once() {
        let around = sorted(block(encode([9, 4, 6])).to_vec());
        assert_eq!(around.len(), 27);
        assert!(around.iter().all(|&key| decode(key).iter().zip([9, 4, 6]).all(|(a, b)| (a - b).abs() <= 1)));
    }

    #[test]
    fn points_of_octants_of_all_levels_share_one_grid() {
        let octant = encode([3, 5, 2]);
        assert_eq!(centre(2, octant), encode([28, 44, 20]));
        assert_eq!(corners(2, octant)[0], encode([24, 40, 16]));
        assert_eq!(corners(2, octant)[6], encode([24, 48, 24]));
        assert_eq!(point(2, [7, 11, 5]), centre(2, octant));
    }
}
