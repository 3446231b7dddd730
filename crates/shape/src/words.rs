//! Numbers as people read them.

/// A count with commas: 18,400.
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

/// A number with three digits that matter.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_for_people() {
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
}
