//! Limits of the machine: memory bandwidth (bytes/s) and peak multiply-adds (1/s).

use super::{Both, Limits};
use craze_math::lanes::{Instructions, Kernel, Lanes, WIDTH};
use rayon::prelude::*;
use std::hint::black_box;
use std::time::Instant;

/// Groups of eight numbers in each of three arrays: 128 MiB each, so that no data stays in a cache
/// from one repetition to the next.
const GROUPS: usize = 1 << 21;
/// Groups per timing: 16 MiB of each array take milliseconds, short enough to fit between time
/// slices of other programs.
const SEGMENT: usize = 1 << 18;
/// Groups per task.
const PART: usize = 1 << 13;
/// Multiply-adds per chain and task, and number of tasks: milliseconds on one thread.
const LINKS: usize = 40_000;
const TASKS: usize = 16;
/// Interleaved chains: enough for two pipelines of four cycles, few enough for the registers.
const CHAINS: usize = 12;

/// Arrays to traverse, and the shortest times so far.
pub struct Machine {
    sums: Vec<[f64; WIDTH]>,
    left: Vec<[f64; WIDTH]>,
    right: Vec<[f64; WIDTH]>,
    triad: Both,
    read: Both,
    arithmetic: Both,
}

impl Machine {
    pub fn new() -> Machine {
        Machine {
            sums: vec![[0.0; WIDTH]; GROUPS],
            left: vec![[1.5; WIDTH]; GROUPS],
            right: vec![[0.25; WIDTH]; GROUPS],
            triad: Both::NEVER,
            read: Both::NEVER,
            arithmetic: Both::NEVER,
        }
    }

    /// Measures once more on the threads of a pool, and keeps improvements.
    pub fn measure(&mut self, pool: &rayon::ThreadPool) {
        let threads = pool.current_num_threads();
        let instructions = Instructions::detect();
        let Machine { sums, left, right, triad, read, arithmetic } = self;
        let segments = sums.chunks_mut(SEGMENT).zip(left.chunks(SEGMENT)).zip(right.chunks(SEGMENT));
        for ((sums, left), right) in segments {
            let time = seconds(|| {
                pool.install(|| {
                    let parts = sums.par_chunks_mut(PART).zip(left.par_chunks(PART)).zip(right.par_chunks(PART));
                    parts.for_each(|((sums, left), right)| {
                        instructions.run(Triad { sums, left, right, scale: black_box(3.0) });
                    });
                });
            });
            triad.keep_best(threads, time);
        }
        for segment in left.chunks(SEGMENT) {
            let time = seconds(|| {
                let parts = || segment.par_chunks(PART).map(|part| instructions.run(Sum(part))).sum::<f64>();
                black_box(pool.install(parts));
            });
            read.keep_best(threads, time);
        }
        for _ in 0..GROUPS / SEGMENT {
            let time = seconds(|| {
                let work = |task: usize| instructions.run(MultiplyAdds { start: black_box(task as f64) });
                black_box(pool.install(|| (0..TASKS).into_par_iter().map(work).sum::<f64>()));
            });
            arithmetic.keep_best(threads, time);
        }
    }

    pub fn limits(&self) -> Limits {
        let segment = (SEGMENT * WIDTH * size_of::<f64>()) as f64;
        let operations = (2 * TASKS * CHAINS * LINKS * WIDTH) as f64;
        Limits {
            bandwidth: self.triad.map(|seconds| 4.0 * segment / seconds),
            read_bandwidth: self.read.map(|seconds| segment / seconds),
            flops: self.arithmetic.map(|seconds| operations / seconds),
        }
    }
}

pub fn seconds(work: impl FnOnce()) -> f64 {
    let clock = Instant::now();
    work();
    clock.elapsed().as_secs_f64()
}

struct Triad<'a> {
    sums: &'a mut [[f64; WIDTH]],
    left: &'a [[f64; WIDTH]],
    right: &'a [[f64; WIDTH]],
    scale: f64,
}

impl Kernel for Triad<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let scale = L::splat(self.scale);
        for ((sum, left), right) in self.sums.iter_mut().zip(self.left).zip(self.right) {
            *sum = scale.mul_add(L::new(*right), L::new(*left)).to_array();
        }
    }
}

struct Sum<'a>(&'a [[f64; WIDTH]]);

impl Kernel for Sum<'_> {
    type Output = f64;
    #[inline(always)]
    fn run<L: Lanes>(self) -> f64 {
        let mut sums = [L::splat(0.0); 4];
        for four in self.0.as_chunks::<4>().0 {
            for (sum, group) in sums.iter_mut().zip(four) {
                *sum = *sum + L::new(*group);
            }
        }
        (sums[0] + sums[1] + (sums[2] + sums[3])).sum()
    }
}

struct MultiplyAdds {
    start: f64,
}

impl Kernel for MultiplyAdds {
    type Output = f64;
    #[inline(always)]
    fn run<L: Lanes>(self) -> f64 {
        // Values converge to 1: no overflow, no subnormal numbers.
        let (factor, addend) = (L::splat(black_box(0.999)), L::splat(black_box(0.001)));
        let mut chains = [L::splat(self.start); CHAINS];
        for _ in 0..LINKS {
            for chain in &mut chains {
                *chain = chain.mul_add(factor, addend);
            }
        }
        let mut total = L::splat(0.0);
        for chain in chains {
            total = total + chain;
        }
        total.sum()
    }
}
