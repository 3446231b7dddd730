//! Words and numbers of text files.

use std::borrow::Cow;
use std::path::Path;

use crate::error::ShapeError;

/// The text of a file. Invalid UTF-8 is replaced, since a name in another encoding must not reject
/// a model; a zero byte is an error. A lone carriage return ends a line.
pub(crate) fn decode_text<'b>(bytes: &'b [u8], path: &Path, format: &'static str) -> Result<Cow<'b, str>, ShapeError> {
    if let Some(byte) = bytes.iter().position(|&byte| byte == 0) {
        return Err(ShapeError::NotText { path: path.to_owned(), format, byte });
    }
    let text = String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
    Ok(if text.contains('\r') && !text.contains('\n') { text.replace('\r', "\n").into() } else { text })
}

/// Parses a number, including the NaN and infinity of C programs; `None` for other words.
pub(crate) fn number(word: &str) -> Option<f64> {
    word.parse().ok().or_else(|| {
        // C runtimes print "-nan(ind)", "1.#QNAN", "-1.#IND", "1.#INF00".
        let unsigned = word.trim_start_matches(['+', '-']).to_ascii_lowercase();
        (unsigned.starts_with("nan") || unsigned.starts_with("1.#")).then_some(f64::NAN)
    })
}

/// Parses the next numbers; errors use their names.
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

pub(crate) fn shortened(word: &str) -> String {
    if word.chars().count() <= 40 { word.to_owned() } else { word.chars().take(37).chain("...".chars()).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_nan_and_infinity_are_numbers() {
        for (word, is_finite) in [("1e3", true), ("-.5", true), ("nan", false), ("-nan(ind)", false), ("1.#INF", false)]
        {
            assert_eq!(number(word).expect("a number").is_finite(), is_finite, "{word}");
        }
        for word in ["", "x", "1,5", "0x10", "--1"] {
            assert_eq!(number(word), None, "{word}");
        }
    }

    #[test]
    fn other_encodings_are_text_and_zero_bytes_are_not() {
        let path = Path::new("model.obj");
        assert_eq!(decode_text(b"\xef\xbb\xbfo caf\xe9", path, "OBJ").expect("text"), "o caf\u{fffd}");
        assert_eq!(decode_text(b"v 1\rv 2\r", path, "OBJ").expect("text"), "v 1\nv 2\n");
        assert_eq!(decode_text(b"v 1\r\nv 2", path, "OBJ").expect("text"), "v 1\r\nv 2");
        assert!(matches!(decode_text(b"v \0", path, "OBJ"), Err(ShapeError::NotText { byte: 2, .. })));
    }
}
