//! Numbers are in SI units. A string such as "5 mm" is refused with the number to write instead.

use crate::form::NumberForm;

/// A unit that people write: its spelling, the SI unit that scene files use for the quantity, and
/// how many of those it is.
const UNITS: [(&str, &str, f64); 59] = [
    ("m", "m", 1.0),
    ("km", "m", 1e3),
    ("dm", "m", 1e-1),
    ("cm", "m", 1e-2),
    ("mm", "m", 1e-3),
    ("um", "m", 1e-6),
    ("µm", "m", 1e-6),
    ("in", "m", 0.0254),
    ("\"", "m", 0.0254),
    ("ft", "m", 0.3048),
    ("s", "s", 1.0),
    ("ms", "s", 1e-3),
    ("us", "s", 1e-6),
    ("µs", "s", 1e-6),
    ("min", "s", 60.0),
    ("kg", "kg", 1.0),
    ("g", "kg", 1e-3),
    ("t", "kg", 1e3),
    ("lb", "kg", 0.45359237),
    ("N", "N", 1.0),
    ("mN", "N", 1e-3),
    ("kN", "N", 1e3),
    ("MN", "N", 1e6),
    ("Pa", "Pa", 1.0),
    ("kPa", "Pa", 1e3),
    ("MPa", "Pa", 1e6),
    ("GPa", "Pa", 1e9),
    ("bar", "Pa", 1e5),
    ("psi", "Pa", 6894.757293168),
    ("N/mm²", "Pa", 1e6),
    ("kg/m³", "kg/m³", 1.0),
    ("g/cm³", "kg/m³", 1e3),
    ("kg/l", "kg/m³", 1e3),
    ("t/m³", "kg/m³", 1e3),
    ("m/s", "m/s", 1.0),
    ("cm/s", "m/s", 1e-2),
    ("mm/s", "m/s", 1e-3),
    ("km/h", "m/s", 1.0 / 3.6),
    ("mph", "m/s", 0.44704),
    ("m/s²", "m/s²", 1.0),
    ("deg", "deg", 1.0),
    ("°", "deg", 1.0),
    ("rad", "deg", 180.0 / std::f64::consts::PI),
    ("turns", "deg", 360.0),
    ("deg/s", "deg/s", 1.0),
    ("°/s", "deg/s", 1.0),
    ("rad/s", "rad/s", 1.0),
    ("rpm", "rad/s", std::f64::consts::PI / 30.0),
    ("Hz", "1/s", 1.0),
    ("kHz", "1/s", 1e3),
    ("fps", "1/s", 1.0),
    ("1/s", "1/s", 1.0),
    ("J/m²", "J/m²", 1.0),
    ("kJ/m²", "J/m²", 1e3),
    ("N/m", "J/m²", 1.0),
    ("Pa√m", "Pa √m", 1.0),
    ("MPa√m", "Pa √m", 1e6),
    ("px", "pixels", 1.0),
    ("%", "1", 1e-2),
];

/// A unit in words, for messages; none for counts.
pub(crate) fn name(unit: &str) -> Option<&str> {
    match unit {
        "" => None,
        "m" => Some("metres"),
        "s" => Some("seconds"),
        "kg" => Some("kilograms"),
        "N" => Some("newtons"),
        "Pa" => Some("pascals"),
        "deg" => Some("degrees"),
        "1" => Some("a ratio"),
        "1/s" => Some("per second"),
        "1/m" => Some("per metre"),
        other => Some(other),
    }
}

/// A number and its unit, as in `-2 kg/m³`.
pub(crate) fn with_unit(value: f64, unit: &str) -> String {
    let value = in_digits(value);
    match unit {
        "" | "1" => value,
        "1/s" | "1/m" => format!("{value} {}", name(unit).unwrap_or(unit)),
        _ => format!("{value} {unit}"),
    }
}

/// The shortest digits that read back as the number, without an endless row of zeros.
pub(crate) fn in_digits(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-5..1e10).contains(&size) { format!("{value:e}") } else { format!("{value}") }
}

/// The number to write instead of a string.
pub(crate) fn hint(text: &str, form: &NumberForm) -> Option<String> {
    let text = text.trim();
    let unit_start = number_end(text);
    let number: f64 = text[..unit_start].parse().ok().filter(|number: &f64| number.is_finite())?;
    let unit = normalised(&text[unit_start..]);
    let meaning = name(&form.unit).map_or(String::new(), |name| format!(" ({name})"));
    if unit.is_empty() {
        return Some(format!("write {}{meaning}, without quotes", in_digits(number)));
    }
    let same_quantity = UNITS.iter().filter(|(_, si, _)| *si == form.unit);
    let found = same_quantity.clone().find(|(spelling, _, _)| normalised(spelling) == unit);
    match (found, name(&form.unit)) {
        (Some((_, _, factor)), _) => Some(format!("write {}{meaning}", in_digits(tidy(number * factor)))),
        (None, Some(name)) => {
            let unit = crate::tree::shortened(text[unit_start..].trim());
            Some(format!("write the number of {name}; \"{unit}\" is not such a unit"))
        }
        (None, None) => Some("write a number without a unit".to_owned()),
    }
}

/// Where the number at the start of a text ends.
fn number_end(text: &str) -> usize {
    // "1e3 m" is a number with an exponent; the e of "5 e" or "3em" is not followed by digits.
    let bytes = text.as_bytes();
    let mut end = 0;
    while end < bytes.len() {
        let exponent = matches!(bytes[end], b'e' | b'E')
            && end > 0
            && match bytes.get(end + 1) {
                Some(b'+' | b'-') => bytes.get(end + 2).is_some_and(u8::is_ascii_digit),
                next => next.is_some_and(u8::is_ascii_digit),
            };
        let sign = matches!(bytes[end], b'+' | b'-') && (end == 0 || matches!(bytes[end - 1], b'e' | b'E'));
        if !(bytes[end].is_ascii_digit() || bytes[end] == b'.' || exponent || sign) {
            break;
        }
        end += 1;
    }
    end
}

/// A unit without spaces and with one spelling of powers and the micro sign.
fn normalised(unit: &str) -> String {
    unit.replace(char::is_whitespace, "")
        .replace("^2", "²")
        .replace("^3", "³")
        .replace("m2", "m²")
        .replace("m3", "m³")
        .replace("s2", "s²")
        .replace('μ', "µ")
        .replace("degrees", "deg")
}

/// The number without the last digits that a conversion leaves (5 × 0.001 is 0.005, not
/// 0.005000000000000001).
fn tidy(number: f64) -> f64 {
    format!("{number:.12e}").parse().unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hint_for(unit: &str, text: &str) -> Option<String> {
        hint(text, &NumberForm { unit: unit.to_owned(), ..NumberForm::default() })
    }

    #[test]
    fn lengths_and_stresses_are_converted() {
        for (unit, text, expected) in [
            ("m", "5 mm", "write 0.005 (metres)"),
            ("m", "5mm", "write 0.005 (metres)"),
            ("m", "-1.5e2 cm", "write -1.5 (metres)"),
            ("m", "3\"", "write 0.0762 (metres)"),
            ("Pa", "70 GPa", "write 7e10 (pascals)"),
            ("kg/m³", "2.5 g/cm^3", "write 2500 (kg/m³)"),
            ("m/s", "36 km/h", "write 10 (m/s)"),
            ("m/s²", "9.81 m/s2", "write 9.81 (m/s²)"),
            ("deg", "3.141592653589793 rad", "write 180 (degrees)"),
            ("1", "30%", "write 0.3 (a ratio)"),
            ("m", "0.5", "write 0.5 (metres), without quotes"),
            ("", "7", "write 7, without quotes"),
            ("", "7 px", "write a number without a unit"),
            ("m", "5 kg", "write the number of metres; \"kg\" is not such a unit"),
        ] {
            assert_eq!(hint_for(unit, text).as_deref(), Some(expected), "{text} as {unit}");
        }
        for text in ["", "m", "wide", "..", "-", "e5", "nan", "1e999 m"] {
            assert_eq!(hint_for("m", text), None, "{text}");
        }
    }

    #[test]
    fn no_unit_has_two_meanings_for_one_quantity() {
        for (position, (spelling, si, _)) in UNITS.iter().enumerate() {
            let twice = UNITS[..position]
                .iter()
                .any(|(other, same, _)| normalised(other) == normalised(spelling) && same == si);
            assert!(!twice, "{spelling}");
        }
    }
}
