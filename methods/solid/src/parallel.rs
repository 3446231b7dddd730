//! Parallel loops over fixed ranges of arrays, with the same bits on any number of threads.

use crate::tuning::{MIN_PARALLEL_VALUES, PARTS_PER_TASK};
use std::ops::Range;

/// A part that owns a range of an array. Parts are consecutive.
pub(crate) trait Span {
    /// The range it owns.
    fn span(&self) -> Range<usize>;
}

/// Runs `work` on every part with its range of `values` and its own report. Parts do not see each
/// other's, so that neither the number of threads nor their order changes a bit.
pub(crate) fn over_spans<S, T, R, W>(spans: &[S], values: &mut [T], reports: &mut [R], work: &W)
where
    S: Span + Sync,
    T: Send,
    R: Send,
    W: Fn(&S, &mut [T], &mut R) + Sync,
{
    if spans.len() <= PARTS_PER_TASK || values.len() < MIN_PARALLEL_VALUES || rayon::current_num_threads() == 1 {
        let mut rest = values;
        for (span, report) in spans.iter().zip(reports) {
            let (own, others) = rest.split_at_mut(span.span().len());
            work(span, own, report);
            rest = others;
        }
        return;
    }
    let middle = spans.len() / 2;
    let (first, second) = spans.split_at(middle);
    let cut = second[0].span().start - first[0].span().start;
    let (first_values, second_values) = values.split_at_mut(cut);
    let (first_reports, second_reports) = reports.split_at_mut(middle);
    rayon::join(
        || over_spans(first, first_values, first_reports, work),
        || over_spans(second, second_values, second_reports, work),
    );
}
