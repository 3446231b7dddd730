//! Long lists of numbers as one run of bytes: saving number by number at every frame took as long
//! as the step.

use craze_math::Vec3;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;

/// Numbers in sequence, least significant byte first.
#[derive(Clone, Default)]
pub(crate) struct Packed<'a>(Cow<'a, [u8]>);

impl<'a> Packed<'a> {
    /// Bytes that something else has written.
    pub(crate) fn bytes(bytes: &'a [u8]) -> Packed<'a> {
        Packed(Cow::Borrowed(bytes))
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    fn write<const N: usize>(count: usize, numbers: impl Iterator<Item = [u8; N]>) -> Packed<'a> {
        let mut bytes = vec![0; N * count];
        for (place, number) in bytes.as_chunks_mut::<N>().0.iter_mut().zip(numbers) {
            *place = number;
        }
        Packed(Cow::Owned(bytes))
    }

    fn read<const N: usize>(&self) -> Result<&[[u8; N]], String> {
        match self.0.as_chunks() {
            (numbers, []) => Ok(numbers),
            (_, rest) => Err(format!("a list of numbers of {N} bytes has {} bytes too many", rest.len())),
        }
    }

    pub(crate) fn numbers(numbers: &[f64]) -> Packed<'a> {
        Packed::write(numbers.len(), numbers.iter().map(|number| number.to_le_bytes()))
    }

    pub(crate) fn to_numbers(&self) -> Result<Vec<f64>, String> {
        Ok(self.read()?.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect())
    }

    pub(crate) fn vectors(vectors: &[Vec3]) -> Packed<'a> {
        // Vector by vector: as one list of numbers it takes three times as long.
        let bytes = |vector: &Vec3| {
            let mut bytes = [0; 24];
            bytes[..8].copy_from_slice(&vector.x.to_le_bytes());
            bytes[8..16].copy_from_slice(&vector.y.to_le_bytes());
            bytes[16..].copy_from_slice(&vector.z.to_le_bytes());
            bytes
        };
        Packed::write(vectors.len(), vectors.iter().map(bytes))
    }

    pub(crate) fn to_vectors(&self) -> Result<Vec<Vec3>, String> {
        match self.to_numbers()?.as_chunks() {
            (vectors, []) => Ok(vectors.iter().map(|[x, y, z]| Vec3::new(*x, *y, *z)).collect()),
            (_, rest) => Err(format!("a list of vectors has {} numbers too many", rest.len())),
        }
    }

    pub(crate) fn indices(count: usize, indices: impl Iterator<Item = u32>) -> Packed<'a> {
        Packed::write(count, indices.map(u32::to_le_bytes))
    }

    pub(crate) fn to_indices(&self) -> Result<Vec<u32>, String> {
        Ok(self.read()?.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect())
    }
}

impl Serialize for Packed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Packed<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Packed<'a>, D::Error> {
        deserializer.deserialize_bytes(Bytes)
    }
}

struct Bytes;

impl<'de> Visitor<'de> for Bytes {
    type Value = Packed<'de>;

    fn expecting(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        formatter.write_str("bytes")
    }

    fn visit_borrowed_bytes<E: Error>(self, bytes: &'de [u8]) -> Result<Packed<'de>, E> {
        Ok(Packed(Cow::Borrowed(bytes)))
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Packed<'de>, E> {
        Ok(Packed(Cow::Owned(bytes.to_vec())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_bit_for_bit_and_odd_bytes_are_refused() {
        let numbers = [0.1, -0.0, f64::MIN_POSITIVE / 3.0, f64::INFINITY, 7.0];
        let bytes = postcard::to_stdvec(&Packed::numbers(&numbers)).unwrap();
        let back: Packed = postcard::from_bytes(&bytes).unwrap();
        let bits = |numbers: &[f64]| numbers.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&back.to_numbers().unwrap()), bits(&numbers));
        let vectors = [Vec3::new(1.0, 2.0, 3.0), Vec3::new(-4.0, 5e-9, 6e80)];
        assert_eq!(Packed::vectors(&vectors).to_vectors().unwrap(), vectors);
        assert!(back.to_vectors().is_err(), "five numbers are no vectors");
        assert_eq!(Packed::indices(2, [7, u32::MAX].into_iter()).to_indices().unwrap(), [7, u32::MAX]);
        assert!(Packed::bytes(&bytes[..7]).to_numbers().is_err());
    }
}
