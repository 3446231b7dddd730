//! Incremental base64 decoder (RFC 4648).

use super::super::cursor::ParseError;

/// Decoder of a byte range. Ignores white space; padding ends a run, after which the next begins,
/// since writers encode an array's header alone or together with its data.
#[derive(Clone, Debug)]
pub(super) struct Decoder<'b> {
    file: &'b [u8],
    at: usize,
    end: usize,
    /// Decoded bytes not taken yet.
    ready: [u8; 3],
    ready_count: usize,
}

const PADDING: u8 = 64;
const SPACE: u8 = 65;
const INVALID: u8 = 66;

/// Value of each character.
const VALUES: [u8; 256] = {
    let mut values = [INVALID; 256];
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut value = 0;
    while value < 64 {
        values[letters[value] as usize] = value as u8;
        value += 1;
    }
    values[b'=' as usize] = PADDING;
    values[b' ' as usize] = SPACE;
    values[b'\n' as usize] = SPACE;
    values[b'\r' as usize] = SPACE;
    values[b'\t' as usize] = SPACE;
    values
};

impl<'b> Decoder<'b> {
    /// Decodes the bytes of a file from `at` to `end`.
    pub(super) fn new(file: &'b [u8], at: usize, end: usize) -> Self {
        let end = end.min(file.len());
        Self { file, at: at.min(end), end, ready: [0; 3], ready_count: 0 }
    }

    /// Upper bound of the decoded bytes left.
    pub(super) fn max_remaining(&self) -> usize {
        self.ready_count + (self.end - self.at) / 4 * 3 + 3
    }

    /// Takes bytes; rejects invalid characters and reading past the end.
    pub(super) fn take(&mut self, count: usize) -> Result<Vec<u8>, ParseError> {
        if count > self.max_remaining() {
            return Err(self.ended());
        }
        let mut taken = Vec::with_capacity(count);
        while taken.len() < count {
            if self.ready_count == 0 {
                self.take_full_groups(count, &mut taken);
                if taken.len() == count {
                    break;
                }
                self.decode_group()?;
            }
            let used = self.ready_count.min(count - taken.len());
            taken.extend_from_slice(&self.ready[..used]);
            self.ready.copy_within(used.., 0);
            self.ready_count -= used;
        }
        Ok(taken)
    }

    /// Fast path: groups of four characters without spaces or padding.
    fn take_full_groups(&mut self, count: usize, taken: &mut Vec<u8>) {
        while count - taken.len() >= 3
            && let Some(&[a, b, c, d]) = self.file[self.at..self.end].first_chunk()
        {
            let values = [a, b, c, d].map(|letter| VALUES[letter as usize]);
            if values.iter().any(|&value| value >= 64) {
                return;
            }
            taken.extend_from_slice(&join_sextets(values));
            self.at += 4;
        }
    }

    fn decode_group(&mut self) -> Result<(), ParseError> {
        let mut values = [0; 4];
        let mut count = 0;
        let mut letters = 0;
        while letters < 4 {
            if self.at == self.end {
                return Err(self.ended());
            }
            let letter = self.file[self.at];
            match VALUES[letter as usize] {
                SPACE => {}
                PADDING if count >= 2 => letters += 1,
                value @ 0..64 if letters == count => {
                    values[count] = value;
                    count += 1;
                    letters += 1;
                }
                _ => return Err(self.error(&format!("{:?} is not a base64 character", char::from(letter)))),
            }
            self.at += 1;
        }
        self.ready = join_sextets(values);
        self.ready_count = count - 1;
        Ok(())
    }

    fn ended(&self) -> ParseError {
        self.error("the array ends before its last number")
    }

    fn error(&self, problem: &str) -> ParseError {
        ParseError::at_byte(self.at, problem)
    }
}

fn join_sextets([a, b, c, d]: [u8; 4]) -> [u8; 3] {
    [a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(text: &str, counts: &[usize]) -> Result<Vec<Vec<u8>>, ParseError> {
        let mut decoder = Decoder::new(text.as_bytes(), 0, text.len());
        counts.iter().map(|&count| decoder.take(count)).collect()
    }

    #[test]
    fn the_vectors_of_rfc_4648_are_decoded() {
        for (text, plain) in
            [("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"), ("Zm9vYmFy", "foobar")]
        {
            assert_eq!(decode(text, &[plain.len()]).expect("decoded"), [plain.as_bytes()]);
            decode(text, &[plain.len() + 1]).expect_err("no more");
        }
    }

    #[test]
    fn runs_are_concatenated_across_partial_reads() {
        let text = "Zg==\n Zm 9v\tYmFyZm9vYmFy";
        let plain = b"ffoobarfoobar";
        for first in 0..=plain.len() {
            let pieces = decode(text, &[first, plain.len() - first]).expect("decoded");
            assert_eq!(pieces.concat(), plain);
        }
    }

    #[test]
    fn invalid_base64_is_rejected() {
        for text in ["Z", "Zg", "Zg=", "=Zg=", "Z===", "Zg=v", "Zm9*", "Zm9v<"] {
            decode(text, &[4]).expect_err(text);
        }
    }
}
