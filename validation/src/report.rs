//! Results as text for a terminal, Markdown, CSV and JSON.

use crate::outcome::{Expected, Outcome, Row};
use serde_json::{Value, json};
use std::fmt::Write;

/// A number with at most six digits, with an exponent if very small or large.
fn number(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if !(1e-3..1e6).contains(&value.abs()) {
        let text = format!("{value:.4e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let digits = if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits };
        return format!("{digits}e{exponent}");
    }
    let whole_digits = value.abs().log10().floor().max(0.0) as usize + 1;
    let text = format!("{value:.*}", 6usize.saturating_sub(whole_digits));
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    text.to_owned()
}

fn with_unit(value: f64, unit: &str) -> String {
    if unit.is_empty() { number(value) } else { format!("{} {unit}", number(value)) }
}

/// A fraction as a percentage, or with an exponent if very small.
fn percentage(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        size if size < 1e-5 => format!("{value:.1e}"),
        _ => format!("{:.3} %", 100.0 * value),
    }
}

fn measured(row: &Row) -> String {
    with_unit(row.measured, row.unit)
}

fn expected(row: &Row) -> String {
    match row.expected {
        Expected::Relative { value, tolerance } => {
            format!("{} ± {}", with_unit(value, row.unit), tolerance_share(tolerance))
        }
        Expected::Absolute { value, tolerance } => format!("{} ± {}", with_unit(value, row.unit), number(tolerance)),
        Expected::Zero { limit } => format!("0, to {}", with_unit(limit, row.unit)),
        Expected::AtLeast { bound } => format!("at least {}", with_unit(bound, row.unit)),
        Expected::Reported => "–".to_owned(),
    }
}

fn tolerance_share(tolerance: f64) -> String {
    if tolerance < 1e-5 { number(tolerance) } else { format!("{} %", number(100.0 * tolerance)) }
}

fn deviation(row: &Row) -> String {
    match (row.expected, row.deviation) {
        (Expected::Relative { .. }, Some(deviation)) => percentage(deviation),
        (Expected::Zero { .. }, _) | (_, None) => "–".to_owned(),
        (_, Some(deviation)) => number(deviation),
    }
}

fn verdict(row: &Row) -> &'static str {
    match (row.passed, row.expected) {
        (false, _) => "OUT",
        (true, Expected::Reported) => "reported",
        (true, _) => "ok",
    }
}

/// A test with its numbers as an aligned table for a terminal.
pub fn text(outcome: &Outcome) -> String {
    let test = outcome.test;
    let mut text = format!(
        "{}{} {} [{}], {:.1} s: {}\n",
        test.letter(),
        test.number,
        test.title,
        test.source,
        outcome.seconds,
        if outcome.passed() { "passed" } else { "FAILED" },
    );
    if !test.conditions.is_empty() {
        text.push_str(&format!("    conditions: {}\n", test.conditions));
    }
    let cells = |row: &Row| [row.what.clone(), measured(row), expected(row), deviation(row)];
    let heads = ["", "measured", "expected", "deviation"].map(str::to_owned);
    let lines: Vec<([String; 4], &str)> = std::iter::once((heads, ""))
        .chain(outcome.findings.rows.iter().map(|row| (cells(row), verdict(row))))
        .collect();
    let width = |column: usize| lines.iter().map(|(cells, _)| cells[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 4] = std::array::from_fn(width);
    for ([what, measured, expected, deviation], verdict) in &lines {
        let [a, b, c, d] = widths;
        let line = format!("    {what:a$}  {measured:>b$}  {expected:>c$}  {deviation:>d$}  {verdict}");
        text.push_str(line.trim_end());
        text.push('\n');
    }
    if let Some(error) = &outcome.error {
        text.push_str("    ");
        text.push_str(error);
        text.push('\n');
    }
    text
}

/// All results as one Markdown table, with an image link per plot.
pub fn markdown(outcomes: &[Outcome]) -> String {
    let mut text =
        String::from("| # | test | what | measured | expected | deviation | |\n|---|---|---|---:|---:|---:|---|\n");
    for outcome in outcomes {
        let test = outcome.test;
        let conditions = match test.conditions {
            "" => String::new(),
            conditions => format!(". *Conditions: {conditions}.*"),
        };
        let mut head =
            (format!("{}{}", test.letter(), test.number), format!("{} ({}){}", test.title, test.source, conditions));
        for row in &outcome.findings.rows {
            let cells = [&head.0, &head.1, &row.what, &measured(row), &expected(row), &deviation(row), verdict(row)];
            text.push_str(&format!("| {} |\n", cells.join(" | ")));
            head = Default::default();
        }
        if let Some(error) = &outcome.error {
            text.push_str(&format!("| {} | {} | {} | | | | OUT |\n", head.0, head.1, error.replace('|', "/")));
        }
    }
    for plot in outcomes.iter().flat_map(|outcome| &outcome.findings.plots) {
        text.push_str(&format!("\n![{}]({}.svg)\n", plot.title, plot.name));
    }
    text
}

/// All numbers as CSV with a header.
pub fn csv(outcomes: &[Outcome]) -> String {
    let mut text = String::from("test,what,unit,measured,kind,expected,tolerance,deviation,passed\n");
    for outcome in outcomes {
        for row in &outcome.findings.rows {
            let (kind, value, tolerance) = match row.expected {
                Expected::Relative { value, tolerance } => ("relative", Some(value), Some(tolerance)),
                Expected::Absolute { value, tolerance } => ("absolute", Some(value), Some(tolerance)),
                Expected::Zero { limit } => ("zero", Some(0.0), Some(limit)),
                Expected::AtLeast { bound } => ("at least", Some(bound), None),
                Expected::Reported => ("reported", None, None),
            };
            let blank = |number: Option<f64>| number.map_or(String::new(), |number| format!("{number:e}"));
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{}{},\"{}\",{},{:e},{kind},{},{},{},{}",
                outcome.test.letter(),
                outcome.test.number,
                row.what.replace('"', "\"\""),
                row.unit,
                row.measured,
                blank(value),
                blank(tolerance),
                blank(row.deviation),
                row.passed
            );
        }
    }
    text
}

/// A test with its numbers as JSON.
pub fn to_json(outcome: &Outcome) -> Value {
    json!({
        "test": format!("{}{}", outcome.test.letter(), outcome.test.number),
        "title": outcome.test.title,
        "source": outcome.test.source,
        "conditions": outcome.test.conditions,
        "passed": outcome.passed(),
        "seconds": outcome.seconds,
        "error": outcome.error,
        "rows": outcome.findings.rows,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Findings;
    use crate::run::tests;

    fn outcome() -> Outcome {
        let mut findings = Findings::default();
        findings.compare("speed", "m/s", 317.0, Expected::Relative { value: 316.96, tolerance: 0.02 });
        findings.compare("order", "", 1.2, Expected::AtLeast { bound: 1.6 });
        findings.compare("force", "", 3e-15, Expected::Zero { limit: 1e-10 });
        findings.compare("drift", "", -0.25, Expected::Reported);
        Outcome { test: tests().next().expect("a test"), findings, error: None, seconds: 0.25 }
    }

    #[test]
    fn numbers_are_short_and_keep_their_digits() {
        for (value, text) in [
            (0.0, "0"),
            (316.96, "316.96"),
            (4.024, "4.024"),
            (-12.43312, "-12.4331"),
            (1.56e8, "1.56e8"),
            (2.5e-13, "2.5e-13"),
            (100000.0, "100000"),
            (0.02, "0.02"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn a_table_shows_what_is_out() {
        let text = text(&outcome());
        assert!(text.contains("FAILED"), "{text}");
        let line =
            |what: &str| text.lines().find(|line| line.trim_start().starts_with(what)).unwrap_or_default().to_owned();
        assert!(line("speed").ends_with("317 m/s  316.96 m/s ± 2 %    0.013 %  ok"), "{text}");
        assert!(line("order").ends_with("OUT") && line("force").ends_with("ok") && line("drift").ends_with("reported"));
        let widths: Vec<usize> = text
            .lines()
            .filter(|line| !line.contains("conditions: "))
            .skip(2)
            .filter_map(|line| line.rsplit_once("  "))
            .map(|(left, _)| left.chars().count())
            .collect();
        assert!(widths.windows(2).all(|pair| pair[0] == pair[1]), "{text}");
    }

    #[test]
    fn markdown_and_csv_have_a_line_for_every_number() {
        let outcomes = [outcome()];
        assert_eq!(markdown(&outcomes).lines().count(), 2 + 4);
        let csv = csv(&outcomes);
        assert_eq!(csv.lines().count(), 1 + 4);
        assert!(csv.contains("S1,\"force\",,3e-15,zero,0e0,1e-10,3e-15,true"), "{csv}");
        let json = to_json(&outcomes[0]);
        assert_eq!(json["rows"][0]["measured"], 317.0);
        assert_eq!(json["passed"], false);
    }

    #[test]
    fn conditions_stand_in_every_table() {
        let kink = tests().find(|test| test.number == 18).expect("a test");
        let outcome = Outcome { test: kink, ..outcome() };
        for table in [text(&outcome), markdown(std::slice::from_ref(&outcome)), to_json(&outcome).to_string()] {
            assert!(table.contains("10⁹ times stronger"), "{table}");
        }
    }

    #[test]
    fn a_test_that_ended_early_says_why() {
        let early = Outcome { error: Some("a step failed".to_owned()), findings: Findings::default(), ..outcome() };
        assert!(!early.passed());
        assert!(text(&early).contains("a step failed") && markdown(&[early]).contains("a step failed"));
    }
}
