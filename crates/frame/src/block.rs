//! Compression of the payload in blocks.
//!
//! Blocks have [`BLOCK_LENGTH`] bytes (the last may be shorter). Each is stored as a 4-byte word
//! (stored length, two flags in the top bits) and the stored bytes. Blocks fit into the processor's
//! cache, and bound the memory that a corrupt length can claim.
//!
//! Payloads are mostly 8-byte numbers with similar exponents and noisy mantissas. Shuffling groups
//! the first bytes of all vectors, then the second and so on, which compresses better.

use crate::container::ContainerError;

/// Bytes shuffled as a unit (bytes): a vector of three 8-byte numbers. For a deformed block of
/// 200,000 tetrahedra the file is 90 % of the payload without shuffling, 83 % by single numbers, 65
/// % by vectors.
const VECTOR_LENGTH: usize = 24;

/// Length of a block before compression (bytes).
const BLOCK_LENGTH: usize = 10 * 1024 * VECTOR_LENGTH;

/// Flag of an uncompressed block, which compression would not shrink.
const STORED: u32 = 1 << 31;

/// Flag of a shuffled block.
const SHUFFLED: u32 = 1 << 30;

pub(crate) fn pack(payload: &[u8]) -> Vec<u8> {
    let mut packed = Vec::with_capacity(payload.len() / 2);
    let mut shuffled = vec![0; BLOCK_LENGTH.min(payload.len())];
    let mut compressed = vec![0; lz4_flex::block::get_maximum_output_size(shuffled.len())];
    for block in payload.chunks(BLOCK_LENGTH) {
        let shuffled = &mut shuffled[..block.len()];
        shuffle(block, shuffled);
        match lz4_flex::block::compress_into(shuffled, &mut compressed) {
            Ok(length) if length < block.len() => {
                packed.extend_from_slice(&(length as u32 | SHUFFLED).to_le_bytes());
                packed.extend_from_slice(&compressed[..length]);
            }
            _ => {
                packed.extend_from_slice(&(block.len() as u32 | STORED).to_le_bytes());
                packed.extend_from_slice(block);
            }
        }
    }
    packed
}

/// Decompresses a payload of `payload_length` bytes.
pub(crate) fn unpack(mut packed: &[u8], payload_length: u64) -> Result<Vec<u8>, ContainerError> {
    let out_of_memory = ContainerError::OutOfMemory { bytes: payload_length };
    let length = usize::try_from(payload_length).map_err(|_| out_of_memory.clone())?;
    let mut payload = Vec::new();
    let mut unpacked = vec![0; BLOCK_LENGTH.min(length)];
    while payload.len() < length {
        let malformed = |reason| ContainerError::Malformed { offset: payload.len() as u64, reason };
        let block_length = BLOCK_LENGTH.min(length - payload.len());
        let (word, rest) = packed.split_first_chunk::<4>().ok_or_else(|| malformed("a block is missing"))?;
        let word = u32::from_le_bytes(*word);
        let stored_length = (word & !(STORED | SHUFFLED)) as usize;
        let (stored, rest) =
            rest.split_at_checked(stored_length).ok_or_else(|| malformed("a block reaches past the end"))?;
        packed = rest;

        let block = if word & STORED != 0 {
            stored
        } else {
            let length = lz4_flex::block::decompress_into(stored, &mut unpacked[..block_length])
                .map_err(|_| malformed("a block cannot be decompressed"))?;
            &unpacked[..length]
        };
        if block.len() != block_length {
            return Err(malformed("a block has the wrong length"));
        }
        payload.try_reserve(block_length).map_err(|_| out_of_memory.clone())?;
        if word & SHUFFLED != 0 {
            let start = payload.len();
            payload.resize(start + block_length, 0);
            unshuffle(block, &mut payload[start..]);
        } else {
            payload.extend_from_slice(block);
        }
    }
    if !packed.is_empty() {
        return Err(ContainerError::Malformed { offset: payload_length, reason: "bytes follow the last block" });
    }
    Ok(payload)
}

/// Groups the first bytes of all vectors, then the second, and so on. A remainder shorter than a
/// vector stays at the end.
fn shuffle(bytes: &[u8], shuffled: &mut [u8]) {
    let (vectors, rest) = bytes.as_chunks::<VECTOR_LENGTH>();
    for (byte_index, lane) in shuffled.chunks_exact_mut(vectors.len().max(1)).take(VECTOR_LENGTH).enumerate() {
        for (byte, vector) in lane.iter_mut().zip(vectors) {
            *byte = vector[byte_index];
        }
    }
    shuffled[bytes.len() - rest.len()..].copy_from_slice(rest);
}

/// Inverse of [`shuffle`].
fn unshuffle(shuffled: &[u8], bytes: &mut [u8]) {
    let (vectors, rest) = bytes.as_chunks_mut::<VECTOR_LENGTH>();
    for (byte_index, lane) in shuffled.chunks_exact(vectors.len().max(1)).take(VECTOR_LENGTH).enumerate() {
        for (byte, vector) in lane.iter().zip(&mut *vectors) {
            vector[byte_index] = *byte;
        }
    }
    rest.copy_from_slice(&shuffled[shuffled.len() - rest.len()..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn noise(length: usize) -> Vec<u8> {
        (0..length as u64).map(|index| crate::hash64(&index.to_le_bytes()) as u8).collect()
    }

    fn reason(packed: &[u8], payload_length: u64) -> &'static str {
        match unpack(packed, payload_length) {
            Err(ContainerError::Malformed { reason, .. }) => reason,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn payloads_around_a_block_and_a_vector_come_back() {
        for length in [0, 1, 23, 24, 25, BLOCK_LENGTH - 1, BLOCK_LENGTH, BLOCK_LENGTH + 1, 2 * BLOCK_LENGTH + 7] {
            for payload in [vec![7; length], noise(length)] {
                assert_eq!(unpack(&pack(&payload), length as u64), Ok(payload), "{length} bytes");
            }
        }
    }

    #[test]
    fn noise_grows_by_one_word_a_block() {
        let payload = noise(2 * BLOCK_LENGTH);
        assert_eq!(pack(&payload).len(), payload.len() + 8);
    }

    #[test]
    fn shuffling_makes_vectors_smaller() {
        let payload: Vec<u8> = (0..30_000).flat_map(|step| (1.0 + 0.1 * f64::from(step).sin()).to_le_bytes()).collect();
        let plain = lz4_flex::block::compress(&payload).len();
        assert!(pack(&payload).len() < plain * 9 / 10, "{} of {plain}", pack(&payload).len());
    }

    #[test]
    fn announced_bytes_that_are_not_there_take_no_memory() {
        let packed = pack(&[1; 100]);
        assert_eq!(reason(&packed, u64::MAX), "a block has the wrong length");
        assert_eq!(reason(&[], u64::MAX), "a block is missing");
    }

    #[test]
    fn blocks_that_contradict_themselves_are_refused() {
        let packed = pack(&[1; 100]);
        assert_eq!(reason(&packed, 99), "a block cannot be decompressed");
        assert_eq!(reason(&packed, 0), "bytes follow the last block");
        assert_eq!(reason(&packed[..packed.len() - 1], 100), "a block reaches past the end");
        assert_eq!(reason(&packed[..3], 100), "a block is missing");
    }

    proptest! {
        #[test]
        fn any_bytes_unpack_or_fail(packed in prop::collection::vec(any::<u8>(), 0..64), length in 0u64..200) {
            if let Ok(payload) = unpack(&packed, length) {
                prop_assert_eq!(payload.len() as u64, length);
            }
        }

        #[test]
        fn any_payload_comes_back(payload in prop::collection::vec(any::<u8>(), 0..2000)) {
            prop_assert_eq!(unpack(&pack(&payload), payload.len() as u64), Ok(payload));
        }
    }
}
