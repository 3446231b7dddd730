//! Decompositions of slices, eight matrices at a time, with the widest vector instructions that the
//! processor has.
//!
//! Results equal those of [`svd`], [`polar`] and [`symmetric_eigen`] bit for bit.

use crate::columns::Columns;
use crate::eigen::{Eigen, symmetric_eigen, symmetric_eigen_of};
use crate::lanes::{Instructions, Kernel, Lanes, WIDTH};
use crate::polar::{Polar, polar, polar_of};
use crate::svd::{Svd, svd, svd_of};
use crate::{Mat3, Vec3};

/// [`svd`] of each matrix, up to the length of the shorter slice.
pub fn svd_batch(matrices: &[Mat3], results: &mut [Svd]) {
    Instructions::detect().run(SvdKernel(matrices, results));
}

/// [`polar`] of each matrix, up to the length of the shorter slice.
pub fn polar_batch(matrices: &[Mat3], results: &mut [Polar]) {
    Instructions::detect().run(PolarKernel(matrices, results));
}

/// [`symmetric_eigen`] of each matrix, up to the length of the shorter slice.
pub fn symmetric_eigen_batch(matrices: &[Mat3], results: &mut [Eigen]) {
    Instructions::detect().run(EigenKernel(matrices, results));
}

macro_rules! batch_kernel {
    ($kernel:ident, $result:ident, $eight:ident, $single:ident, $($field:ident $kind:ident),*) => {
        struct $kernel<'a>(&'a [Mat3], &'a mut [$result]);

        impl Kernel for $kernel<'_> {
            type Output = ();
            #[inline(always)]
            fn run<L: Lanes>(self) {
                let count = self.0.len().min(self.1.len());
                let (groups, rest) = self.0[..count].as_chunks::<WIDTH>();
                let (group_results, rest_results) = self.1[..count].as_chunks_mut::<WIDTH>();
                for (matrices, results) in groups.iter().zip(group_results) {
                    let decomposed = $eight(&Columns::<L>::gather(matrices));
                    $(let $field = decomposed.$field.to_arrays();)*
                    for (lane, result) in results.iter_mut().enumerate() {
                        *result = $result { $($field: $kind(&$field, lane)),* };
                    }
                }
                for (matrix, result) in rest.iter().zip(rest_results) {
                    *result = $single(matrix);
                }
            }
        }
    };
}

batch_kernel!(SvdKernel, Svd, svd_of, svd, u matrix_in, sigma vector_in, v matrix_in);
batch_kernel!(PolarKernel, Polar, polar_of, polar, rotation matrix_in, stretch matrix_in);
batch_kernel!(EigenKernel, Eigen, symmetric_eigen_of, symmetric_eigen, values vector_in, vectors matrix_in);

#[inline(always)]
fn vector_in(rows: &[[f64; WIDTH]; 3], lane: usize) -> Vec3 {
    Vec3::new(rows[0][lane], rows[1][lane], rows[2][lane])
}

#[inline(always)]
fn matrix_in(columns: &[[[f64; WIDTH]; 3]; 3], lane: usize) -> Mat3 {
    let [a, b, c] = columns;
    Mat3::new(
        a[0][lane], b[0][lane], c[0][lane], a[1][lane], b[1][lane], c[1][lane], a[2][lane], b[2][lane], c[2][lane],
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Matrices;
    use std::time::{Duration, Instant};

    fn blank_svd() -> Svd {
        Svd { u: Mat3::zeros(), sigma: Vec3::zeros(), v: Mat3::zeros() }
    }

    fn bits<'a>(entries: impl IntoIterator<Item = &'a f64>) -> Vec<u64> {
        entries.into_iter().map(|entry| entry.to_bits()).collect()
    }

    #[test]
    fn every_instruction_set_gives_the_bits_of_the_single_decomposition() {
        // Not a multiple of eight, to cover the remainder loop.
        let matrices: Vec<Mat3> = Matrices::new(4).take(200_003).collect();
        let mut svds = vec![blank_svd(); matrices.len()];
        let mut polars = vec![Polar { rotation: Mat3::zeros(), stretch: Mat3::zeros() }; matrices.len()];
        let mut eigens = vec![Eigen { values: Vec3::zeros(), vectors: Mat3::zeros() }; matrices.len()];
        for instructions in Instructions::ALL {
            instructions.run(SvdKernel(&matrices, &mut svds));
            instructions.run(PolarKernel(&matrices, &mut polars));
            instructions.run(EigenKernel(&matrices, &mut eigens));
            for (i, matrix) in matrices.iter().enumerate() {
                let (one, many) = (svd(matrix), &svds[i]);
                assert_eq!(bits(&one.sigma), bits(&many.sigma), "{instructions:?} {matrix:?}");
                assert_eq!((bits(&one.u), bits(&one.v)), (bits(&many.u), bits(&many.v)), "{instructions:?} {matrix:?}");
                let (one, many) = (polar(matrix), &polars[i]);
                assert_eq!(bits(&one.rotation), bits(&many.rotation), "{instructions:?} {matrix:?}");
                assert_eq!(bits(&one.stretch), bits(&many.stretch), "{instructions:?} {matrix:?}");
                let (one, many) = (symmetric_eigen(matrix), &eigens[i]);
                assert_eq!(bits(&one.values), bits(&many.values), "{instructions:?} {matrix:?}");
                assert_eq!(bits(&one.vectors), bits(&many.vectors), "{instructions:?} {matrix:?}");
            }
        }
    }

    #[test]
    fn slices_of_different_length_stop_at_the_shorter() {
        let matrices: Vec<Mat3> = Matrices::new(5).take(20).collect();
        let mut results = vec![blank_svd(); 11];
        svd_batch(&matrices, &mut results);
        assert_eq!(results[10], svd(&matrices[10]));
        svd_batch(&matrices[..0], &mut results);
        svd_batch(&matrices, &mut []);
    }

    /// Nanoseconds per matrix: minimum over many short runs, to exclude other load.
    fn fastest(mut run: impl FnMut(), count: usize) -> f64 {
        let mut best = Duration::MAX;
        for _ in 0..40 {
            let start = Instant::now();
            run();
            best = best.min(start.elapsed());
        }
        best.as_secs_f64() * 1e9 / count as f64
    }

    /// The benchmark that justifies the `unsafe` code of this crate. Prints with `--nocapture`.
    #[test]
    fn wide_instructions_pay() {
        let matrices: Vec<Mat3> = Matrices::new(6).take(1024).collect();
        let count = matrices.len();
        let mut results = vec![blank_svd(); count];
        let single =
            fastest(|| matrices.iter().zip(&mut results).for_each(|(matrix, result)| *result = svd(matrix)), count);
        println!("svd: {single:.0} ns one by one");
        let mut widest = single;
        for instructions in Instructions::ALL {
            widest = fastest(|| instructions.run(SvdKernel(&matrices, &mut results)), count);
            println!("svd: {widest:.0} ns in a batch, {instructions:?}");
        }
        let mut polars = vec![Polar { rotation: Mat3::zeros(), stretch: Mat3::zeros() }; count];
        println!("polar: {:.0} ns in a batch", fastest(|| polar_batch(&matrices, &mut polars), count));
        let mut eigens = vec![Eigen { values: Vec3::zeros(), vectors: Mat3::zeros() }; count];
        println!("eigen: {:.0} ns in a batch", fastest(|| symmetric_eigen_batch(&matrices, &mut eigens), count));
        if Instructions::detect() != Instructions::Baseline {
            // Far below the speed-up of an idle machine: fails only if vectorisation is lost.
            assert!(widest * 1.5 < single, "{widest} ns against {single} ns");
        }
    }
}
