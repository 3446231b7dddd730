//! Words and numbers of files of text.

use std::borrow::Cow;
use std::path::Path;

use crate::error::ShapeError;

/// The text of a file. Bytes that are no UTF-8 become marks, since a name in some old encoding must not stop a model; a zero
/// byte stands in no text. Lines that end as on the first Macintosh, by a carriage return alone, end as elsewhere.
pub(crate) fn decode_text<'b>(bytes: &'b [u8], path: &Path, format: &'static str) -> Result<Cow<'b, str>, ShapeError> {
    if let Some(byte) = bytes.iter().position(|&byte| byte == 0) {
        return Err(ShapeError::NotText { path: path.to_owned(), format, byte });
    }
    let text = String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
    Ok(if text.contains('\r') && !text.contains('\n') { text.replace('\r', "\n").into() } else { text })
}

/// The number that a word spells; NaN or infinity for what programs print in their place; none for any other word.
pub(crate) fn number(word: &str) -> Option<f64> {
    word.parse().ok().or_else(|| {
        // What C programs print: "-nan(ind)", "1.#QNAN", "-1.#IND", "1.#INF00".
        let unsigned = word.trim_start_matches(['+', '-']).to_ascii_lowercase();
        (unsigned.starts_with("nan") || unsigned.starts_with("1.#")).then_some(f64::NAN)
    })
}

/// The next numbers of a statement, each under its name; says which is missing or no number.
pub(crate) fn numbers<'a, const N: usize>(
    words: &mut impl Iterator<Item = &'a str>,
    what: &str,
    names: [&str; N],
) -> Result<[f64; N], String> {
    let mut values = [0.0; N];
    for (value, name) in values.iter_mut().zip(names) {
        let word = words.next().ok_or_else(|| format!("the {what} has no {name}"))?;
        *value = number(word)
            .ok_or_else(|| format!("{name} of the {what} is \"{}\", which is not a number", shortened(word)))?;
    }
    Ok(values)
}

/// A word as errors show it.
pub(crate) fn shortened(word: &str) -> String {
    if word.chars().count() <= 40 { word.to_owned() } else { word.chars().take(37).chain("...".chars()).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_programs_print_for_no_number_is_told_from_words() {
        for (word, is_finite) in [("1e3", true), ("-.5", true), ("nan", false), ("-nan(ind)", false), ("1.#INF", false)]
        {
            assert_eq!(number(word).expect("a number").is_finite(), is_finite, "{word}");
        }
        for word in ["", "x", "1,5", "0x10", "--1"] {
            assert_eq!(number(word), None, "{word}");
        }
    }

    #[test]
    fn old_encodings_are_text_and_zero_bytes_are_not() {
        let path = Path::new("model.obj");
        assert_eq!(decode_text(b"\xef\xbb\xbfo caf\xe9", path, "OBJ").expect("text"), "o caf\u{fffd}");
        assert_eq!(decode_text(b"v 1\rv 2\r", path, "OBJ").expect("text"), "v 1\nv 2\n");
        assert_eq!(decode_text(b"v 1\r\nv 2", path, "OBJ").expect("text"), "v 1\r\nv 2");
        assert!(matches!(decode_text(b"v \0", path, "OBJ"), Err(ShapeError::NotText { byte: 2, .. })));
    }
}
