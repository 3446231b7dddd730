//! Formatting of numbers in messages.

/// A count with thousands separators: 18,400.
pub fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number to three significant digits.
pub fn short(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let size = value.abs().log10().floor() as i32;
    if !(-6..7).contains(&size) {
        return format!("{value:.2e}");
    }
    let text = format!("{value:.*}", (2 - size).max(0) as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// An approximate count to two significant digits: 1,200,000.
pub fn rough(count: f64) -> String {
    if !(0.0..1e15).contains(&count) {
        return format!("{count:.1e}");
    }
    let unit = 10f64.powf(count.max(1.0).log10().floor() - 1.0).max(1.0);
    grouped(((count / unit).round() * unit) as usize)
}

/// An amount of memory: 14.3 MB, 1.23 GB.
pub fn memory(bytes: f64) -> String {
    let (unit, name) =
        [(1e12, "TB"), (1e9, "GB"), (1e6, "MB")].into_iter().find(|(unit, _)| bytes >= *unit).unwrap_or((1e3, "kB"));
    format!("{} {name}", short(bytes / unit))
}

/// A count with its noun: "1 point", "6,598 triangles", "2 tetrahedra".
pub(crate) fn counted(count: usize, noun: &str) -> String {
    let text = grouped(count);
    match (count, noun.strip_suffix("hedron")) {
        (1, _) => format!("{text} {noun}"),
        (_, Some(stem)) => format!("{text} {stem}hedra"),
        (_, None) => format!("{text} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped_and_pluralised() {
        for (count, noun, text) in [
            (0, "point", "0 points"),
            (1, "point", "1 point"),
            (999, "point", "999 points"),
            (1000, "point", "1,000 points"),
            (1_234_567, "tetrahedron", "1,234,567 tetrahedra"),
        ] {
            assert_eq!(counted(count, noun), text);
        }
    }

    #[test]
    fn numbers_have_three_significant_digits() {
        for (value, text) in [
            (0.3142, "0.314"),
            (20.0, "20"),
            (2100.4, "2100"),
            (1.23456e6, "1234560"),
            (1e7, "1.00e7"),
            (0.000123456, "0.000123"),
            (0.0, "0"),
            (-1.5, "-1.5"),
            (1.23456e-9, "1.23e-9"),
            (4e20, "4.00e20"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(short(value), text);
        }
        assert_eq!(grouped(18_400), "18,400");
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(1_234_567), "1,234,567");
    }

    #[test]
    fn approximate_counts_show_two_digits() {
        for (count, text) in [
            (0.0, "0"),
            (7.4, "7"),
            (96.2, "96"),
            (123.0, "120"),
            (1_234_567.0, "1,200,000"),
            (9.96e8, "1,000,000,000"),
            (4e20, "4.0e20"),
        ] {
            assert_eq!(rough(count), text);
        }
        for (bytes, text) in [(190.0, "0.19 kB"), (2.413e6, "2.41 MB"), (3.2e10, "32 GB"), (1.5e13, "15 TB")] {
            assert_eq!(memory(bytes), text);
        }
    }
}
