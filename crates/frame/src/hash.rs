//! A fast 64-bit hash: checksum of files, state hash of frames and checkpoints.
//!
//! It detects accidents (torn writes, flipped bits, diverging runs), not attacks. Four lanes take 8
//! bytes each in turn; every step is a bijection of the lane for a given word and vice versa, so a
//! change within one word always changes the hash.

/// Bytes that the four lanes take per step.
const STRIPE: usize = 32;

/// Odd multiplier of the lanes: fractional part of the golden ratio, scaled to 64 bits.
const LANE_MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

/// Odd multiplier of the final mixing: fractional part of √3, scaled to 64 bits.
const FINAL_MULTIPLIER: u64 = 0xBB67_AE85_84CA_A73B;

/// Initial lanes: fractional parts of √2, √5, √7 and √11, scaled to 64 bits.
const LANE_STARTS: [u64; 4] =
    [0x6A09_E667_F3BC_C908, 0x3C6E_F372_FE94_F82B, 0xA54F_F53A_5F1D_36F1, 0x510E_527F_ADE6_82D1];

/// Hash of `bytes`, as [`Hasher64`] computes it.
pub fn hash64(bytes: &[u8]) -> u64 {
    let mut hasher = Hasher64::new();
    hasher.update(bytes);
    hasher.finish()
}

/// Incremental hash; it does not depend on how the bytes are portioned.
#[derive(Clone, Debug)]
pub struct Hasher64 {
    lanes: [u64; 4],
    pending: [u8; STRIPE],
    pending_length: usize,
    length: u64,
}

impl Default for Hasher64 {
    fn default() -> Self {
        Self::new()
    }
}

impl Hasher64 {
    /// A hasher without input.
    pub fn new() -> Self {
        Hasher64 { lanes: LANE_STARTS, pending: [0; STRIPE], pending_length: 0, length: 0 }
    }

    /// Adds bytes.
    pub fn update(&mut self, mut bytes: &[u8]) {
        self.length = self.length.wrapping_add(bytes.len() as u64);
        if self.pending_length > 0 {
            let taken = bytes.len().min(STRIPE - self.pending_length);
            self.pending[self.pending_length..self.pending_length + taken].copy_from_slice(&bytes[..taken]);
            self.pending_length += taken;
            bytes = &bytes[taken..];
            if self.pending_length < STRIPE {
                return;
            }
            let stripe = self.pending;
            mix_stripe(&mut self.lanes, &stripe);
            self.pending_length = 0;
        }
        // A local copy keeps the lanes in registers.
        let mut lanes = self.lanes;
        let (stripes, rest) = bytes.as_chunks::<STRIPE>();
        for stripe in stripes {
            mix_stripe(&mut lanes, stripe);
        }
        self.lanes = lanes;
        self.pending[..rest.len()].copy_from_slice(rest);
        self.pending_length = rest.len();
    }

    /// Adds 8 little-endian bytes.
    pub fn update_u64(&mut self, value: u64) {
        self.update(&value.to_le_bytes());
    }

    /// Hash of all bytes added so far.
    pub fn finish(&self) -> u64 {
        let mut lanes = self.lanes;
        if self.pending_length > 0 {
            let mut stripe = [0; STRIPE];
            stripe[..self.pending_length].copy_from_slice(&self.pending[..self.pending_length]);
            mix_stripe(&mut lanes, &stripe);
        }
        // The length distinguishes inputs that differ only in trailing zeros.
        let mut hash = self.length.wrapping_mul(FINAL_MULTIPLIER);
        for lane in lanes {
            hash = (hash ^ lane).wrapping_mul(LANE_MULTIPLIER).rotate_left(31);
        }
        hash = (hash ^ (hash >> 32)).wrapping_mul(FINAL_MULTIPLIER);
        hash = (hash ^ (hash >> 29)).wrapping_mul(LANE_MULTIPLIER);
        hash ^ (hash >> 32)
    }
}

fn mix_stripe(lanes: &mut [u64; 4], stripe: &[u8; STRIPE]) {
    let (words, _) = stripe.as_chunks::<8>();
    for (lane, word) in lanes.iter_mut().zip(words) {
        *lane = (*lane ^ u64::from_le_bytes(*word)).wrapping_mul(LANE_MULTIPLIER).rotate_left(29);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample(length: usize) -> Vec<u8> {
        (0..length).map(|index| (index * 31 + index / 7) as u8).collect()
    }

    #[test]
    fn every_flipped_bit_changes_the_hash() {
        for length in [1, 7, 8, 31, 32, 33, 100] {
            let bytes = sample(length);
            let hash = hash64(&bytes);
            for position in 0..length {
                for bit in 0..8 {
                    let mut flipped = bytes.clone();
                    flipped[position] ^= 1 << bit;
                    assert_ne!(hash64(&flipped), hash, "byte {position}, bit {bit} of {length}");
                }
            }
        }
    }

    #[test]
    fn flipping_one_bit_flips_about_half_of_the_hash() {
        let bytes = sample(97);
        let hash = hash64(&bytes);
        let mut changed = 0;
        for position in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[position] ^= 1;
            changed += (hash64(&flipped) ^ hash).count_ones();
        }
        let mean = f64::from(changed) / bytes.len() as f64;
        assert!((28.0..36.0).contains(&mean), "{mean} of 64 bits change on average");
    }

    #[test]
    fn zeros_of_different_lengths_differ() {
        let zeros = [0; 200];
        let mut hashes: Vec<u64> = (0..=200).map(|length| hash64(&zeros[..length])).collect();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), 201);
    }

    /// Hashes are stored in files and in run.json, so they must never change.
    #[test]
    fn the_hash_of_known_bytes_is_fixed() {
        assert_eq!([hash64(b""), hash64(&sample(1000))], [15976907215864820694, 5720755491422110119]);
    }

    proptest! {
        #[test]
        fn portions_do_not_matter(bytes in prop::collection::vec(any::<u8>(), 0..300), cuts in prop::collection::vec(0usize..300, 0..8)) {
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.sort_unstable();
            let mut hasher = Hasher64::new();
            let mut start = 0;
            for cut in cuts {
                hasher.update(&bytes[start..cut]);
                start = cut;
            }
            hasher.update(&bytes[start..]);
            prop_assert_eq!(hasher.finish(), hash64(&bytes));
        }
    }
}
