//! Measurements as text tables.

use super::{Both, ElasticStep, Measurements};
use std::fmt::Write;

pub fn text(measured: &Measurements) -> String {
    let mut text =
        format!("{} hardware threads, vector instructions: {}\n\n", measured.hardware_threads, measured.instructions);
    let machine = &measured.machine;
    let rate = |name: &str, unit: &str, both: Both| {
        let both = both.map(|rate| 1e-9 * rate);
        format!("{name:24} {:>9.1} {:>9.1} {unit:8} {:>5.2}×\n", both.one, both.two, both.two / both.one)
    };
    text.push_str("the machine                 1 thread 2 threads            gain\n");
    text.push_str(&rate("memory, read and write", "GB/s", machine.bandwidth));
    text.push_str(&rate("memory, read only", "GB/s", machine.read_bandwidth));
    text.push_str(&rate("multiply-add", "GFlop/s", machine.flops));
    text.push_str(
        "\nexplicit elastic step with damping, f64, by tetrahedron\n\
         tetrahedra  held     moved    flops  bound by    |  1 thread: ns, M/s, of limit  |  2 threads: ns, M/s, of limit, gain\n",
    );
    for step in &measured.elastic {
        text.push_str(&elastic_line(step));
    }
    text.push_str("(more than 100 %: the body fits into a cache, which is faster than memory)\n");
    let whole = measured.elastic.iter().find(|step| step.tetrahedra == measured.flight_tetrahedra);
    let share = whole.map_or(f64::NAN, |step| 100.0 * measured.flight_seconds / step.seconds.one);
    let flight = 1e6 * measured.flight_seconds;
    let [svd, polar, eigen] = measured.decomposition_seconds.map(|seconds| 1e9 * seconds);
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "\nfree flight of {} tetrahedra: {flight:.2} µs a step, {share:.4} % of an elastic one\n\
         decompositions, eight at a time: SVD {svd:.1} ns, polar {polar:.1} ns, symmetric eigen {eigen:.1} ns\n",
        measured.flight_tetrahedra,
    );
    for step in &measured.methods {
        let each = step.seconds.map(|seconds| 1e9 * seconds / step.count as f64);
        let _ = writeln!(
            text,
            "{}: {} {}, {:.2} ns for each and step, {:.2} ns on two threads ({:.2}×)",
            step.method,
            step.count,
            step.elements,
            each.one,
            each.two,
            each.one / each.two,
        );
    }
    text
}

fn elastic_line(step: &ElasticStep) -> String {
    let each = |seconds: f64| 1e9 * seconds / step.tetrahedra as f64;
    let rate = |seconds: f64| 1e-6 * step.tetrahedra as f64 / seconds;
    let (time, limit) = (step.seconds, step.limit);
    format!(
        "{:>10}  {:>4.0} B  {:>5.0} B  {:>6.0}  {:10}  |  {:>8.1} {:>8.1} {:>7.0} %  |  {:>9.1} {:>8.1} {:>7.0} % {:>6.2}×\n",
        step.tetrahedra,
        step.bytes_held,
        step.bytes_moved,
        step.flops,
        step.bound_by,
        each(time.one),
        rate(time.one),
        100.0 * limit.one / time.one,
        each(time.two),
        rate(time.two),
        100.0 * limit.two / time.two,
        time.one / time.two,
    )
}
