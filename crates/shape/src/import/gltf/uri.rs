//! URIs of glTF files: embedded data and file names.

#[derive(Debug, PartialEq)]
pub(super) enum Target {
    Data(Vec<u8>),
    Name(String),
}

/// Resolves a URI, or returns what is wrong with it.
pub(super) fn resolve(uri: &str) -> Result<Target, &'static str> {
    let Some(data) = uri.strip_prefix("data:") else {
        let name = String::from_utf8(unescaped(uri)).map_err(|_| "its escapes are no text")?;
        return Ok(Target::Name(name));
    };
    let (kind, content) = data.split_once(',').ok_or("its data: has no comma")?;
    if kind.ends_with(";base64") {
        base64(content.as_bytes()).map(Target::Data).ok_or("its data: is not base64")
    } else {
        Ok(Target::Data(unescaped(content)))
    }
}

/// Replaces each `%41` by its byte.
fn unescaped(text: &str) -> Vec<u8> {
    let digit = |byte: Option<&u8>| byte.and_then(|&byte| char::from(byte).to_digit(16));
    let bytes = text.as_bytes();
    let mut result = Vec::with_capacity(bytes.len());
    let mut offset = 0;
    while let Some(&byte) = bytes.get(offset) {
        match (byte, digit(bytes.get(offset + 1)), digit(bytes.get(offset + 2))) {
            (b'%', Some(high), Some(low)) => {
                result.push((16 * high + low) as u8);
                offset += 3;
            }
            _ => {
                result.push(byte);
                offset += 1;
            }
        }
    }
    result
}

/// Decodes base64 (RFC 4648), padding optional; `None` if invalid.
fn base64(text: &[u8]) -> Option<Vec<u8>> {
    let end = text.iter().rposition(|&letter| letter != b'=').map_or(0, |last| last + 1);
    let mut bytes = Vec::with_capacity(end / 4 * 3 + 2);
    for group in text[..end].chunks(4) {
        let mut bits = 0;
        for &letter in group {
            let value = match letter {
                b'A'..=b'Z' => letter - b'A',
                b'a'..=b'z' => letter - b'a' + 26,
                b'0'..=b'9' => letter - b'0' + 52,
                b'+' | b'-' => 62,
                b'/' | b'_' => 63,
                _ => return None,
            };
            bits = bits << 6 | u32::from(value);
        }
        bits <<= 6 * (4 - group.len());
        // A single character encodes no byte.
        let count = if group.len() == 1 { return None } else { group.len() - 1 };
        bytes.extend(&bits.to_be_bytes()[1..=count]);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_decoded_and_names_lose_their_escapes() {
        // RFC 4648, section 10.
        for (text, bytes) in
            [("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg", "foob"), ("Zm9vYmE=", "fooba")]
        {
            let uri = format!("data:application/octet-stream;base64,{text}");
            assert_eq!(resolve(&uri), Ok(Target::Data(bytes.into())), "{text}");
        }
        assert_eq!(resolve("data:,a%20b"), Ok(Target::Data(b"a b".to_vec())));
        assert_eq!(resolve("my%20file%2Ebin%zz%4"), Ok(Target::Name("my file.bin%zz%4".into())));
        for uri in ["data:;base64,Zg!=", "data:;base64,Z", "data:base64", "%ff%fe"] {
            assert!(resolve(uri).is_err(), "{uri}");
        }
    }
}
