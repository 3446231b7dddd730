//! Maximum of many numbers of which few change.

use crate::tuning::PEAKS_PER_CHUNK;

/// Non-negative numbers, and the largest of each chunk of them.
#[derive(Debug, Default)]
pub(crate) struct Peaks {
    values: Vec<f64>,
    peaks: Vec<f64>,
}

impl Peaks {
    /// Changes a number, or appends it.
    pub fn set(&mut self, at: usize, value: f64) {
        if self.values.len() <= at {
            self.values.resize(at + 1, 0.0);
            self.peaks.resize(at / PEAKS_PER_CHUNK + 1, 0.0);
        }
        let before = std::mem::replace(&mut self.values[at], value);
        let peak = &mut self.peaks[at / PEAKS_PER_CHUNK];
        if value >= *peak {
            *peak = value;
        } else if before == *peak {
            let start = at / PEAKS_PER_CHUNK * PEAKS_PER_CHUNK;
            let end = (start + PEAKS_PER_CHUNK).min(self.values.len());
            *peak = self.values[start..end].iter().copied().fold(0.0, f64::max);
        }
    }

    /// The maximum; 0 if empty.
    pub fn largest(&self) -> f64 {
        self.peaks.iter().copied().fold(0.0, f64::max)
    }

    /// Memory (bytes).
    pub fn bytes(&self) -> usize {
        (self.values.capacity() + self.peaks.capacity()) * 8
    }
}

#[cfg(test)]
mod tests {
    use super::Peaks;
    use craze_math::Random;

    #[test]
    fn the_largest_follows_every_change() {
        let (mut peaks, mut random, mut plain) = (Peaks::default(), Random::new(7), Vec::new());
        assert_eq!(peaks.largest(), 0.0);
        for turn in 0..3000 {
            let place = if turn < 700 { turn } else { (turn * 37) % 700 };
            // Coarse, so that the largest is often there several times.
            let value = (10.0 * random.vector().x.abs()).floor();
            peaks.set(place, value);
            plain.resize(plain.len().max(place + 1), 0.0);
            plain[place] = value;
            assert_eq!(peaks.largest(), plain.iter().copied().fold(0.0, f64::max));
        }
    }
}
