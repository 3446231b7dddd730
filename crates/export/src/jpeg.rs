//! JPEG files (ITU-T T.81) at an eighth of their size: the mean of each 8 × 8 block is its DC
//! coefficient, so that no cosine transform is needed.

use crate::picture::{MOST_TEXELS, Picture};

/// Start of frame: sequential, and progressive.
const SEQUENTIAL: [u8; 2] = [0xC0, 0xC1];
const PROGRESSIVE: u8 = 0xC2;
const HUFFMAN_TABLES: u8 = 0xC4;
const END: u8 = 0xD9;
const SCAN: u8 = 0xDA;
const QUANTIZATION_TABLES: u8 = 0xDB;
const RESTART_INTERVAL: u8 = 0xDD;
/// Adobe's segment, which gives the colour coding.
const ADOBE: u8 = 0xEE;
/// Markers without a segment: restarts, start, and one for arithmetic coding.
const BARE: [std::ops::RangeInclusive<u8>; 2] = [0xD0..=0xD8, 0x01..=0x01];

/// The picture with a texel for each block. `None` if the file is damaged or of a kind that is
/// rare: lossless, arithmetic coding, 12 bits, four channels.
pub(crate) fn reduced(file: &[u8]) -> Option<Picture> {
    if !file.starts_with(&[0xFF, 0xD8]) {
        return None;
    }
    let mut reading = Reading::default();
    let mut at = 2;
    loop {
        // Fill bytes and the rest of a scan may precede a marker.
        at += file.get(at..)?.windows(2).position(|pair| pair[0] == 0xFF && !matches!(pair[1], 0 | 0xFF))?;
        let marker = file[at + 1];
        at += 2;
        if marker == END {
            return reading.picture();
        }
        if BARE.iter().any(|bare| bare.contains(&marker)) {
            continue;
        }
        let length = usize::from(word(file.get(at..)?)?);
        let segment = file.get(at + 2..at + length)?;
        at += length;
        match marker {
            QUANTIZATION_TABLES => reading.read_quantization(segment)?,
            HUFFMAN_TABLES => reading.read_huffman(segment)?,
            RESTART_INTERVAL => reading.restart_interval = usize::from(word(segment)?),
            ADOBE => reading.is_plain_rgb = segment.starts_with(b"Adobe") && segment.get(11) == Some(&0),
            PROGRESSIVE => reading.read_frame(segment, true)?,
            _ if SEQUENTIAL.contains(&marker) => reading.read_frame(segment, false)?,
            // Other kinds of frames.
            0xC3 | 0xC5..=0xC7 | 0xC9..=0xCF => return None,
            SCAN => at += reading.read_scan(segment, file.get(at..)?)?,
            _ => {}
        }
    }
}

/// The big-endian number that the bytes begin with.
fn word(bytes: &[u8]) -> Option<u16> {
    Some(u16::from_be_bytes([*bytes.first()?, *bytes.get(1)?]))
}

/// What is known of a file so far.
#[derive(Default)]
struct Reading {
    /// First number of each quantization table.
    quantization: [u16; 4],
    /// Huffman tables for DC and for AC coefficients.
    huffman: [[Huffman; 4]; 2],
    /// Units between two restarts; 0 for none.
    restart_interval: usize,
    /// Whether three channels are red, green and blue, not luminance and two colour differences.
    is_plain_rgb: bool,
    is_progressive: bool,
    /// Sides (texels).
    width: usize,
    height: usize,
    channels: Vec<Channel>,
}

/// A channel of the picture.
#[derive(Clone)]
struct Channel {
    id: u8,
    /// Blocks in each unit of an interleaved scan, across and down.
    blocks: [usize; 2],
    /// Number of its quantization table.
    table: usize,
    /// Blocks of a row in `means`, which is filled up to whole units.
    stride: usize,
    /// DC coefficients, quantized.
    means: Vec<i32>,
}

impl Reading {
    fn read_quantization(&mut self, mut segment: &[u8]) -> Option<()> {
        while let Some((&kind, numbers)) = segment.split_first() {
            let wide = kind >> 4 != 0;
            let first = if wide { word(numbers)? } else { u16::from(*numbers.first()?) };
            *self.quantization.get_mut(usize::from(kind & 15))? = first;
            segment = numbers.get(if wide { 128 } else { 64 }..)?;
        }
        Some(())
    }

    fn read_huffman(&mut self, mut segment: &[u8]) -> Option<()> {
        while let Some((&kind, rest)) = segment.split_first() {
            let counts = rest.get(..16)?;
            let total: usize = counts.iter().map(|&count| usize::from(count)).sum();
            let symbols = rest.get(16..16 + total)?;
            let table = self.huffman.get_mut(usize::from(kind >> 4))?.get_mut(usize::from(kind & 15))?;
            *table = Huffman { counts: counts.to_vec(), symbols: symbols.to_vec() };
            segment = &rest[16 + total..];
        }
        Some(())
    }

    fn read_frame(&mut self, segment: &[u8], is_progressive: bool) -> Option<()> {
        let (bits, count) = (*segment.first()?, *segment.get(5)?);
        (self.height, self.width) = (usize::from(word(&segment[1..])?), usize::from(word(&segment[3..])?));
        let is_readable = bits == 8 && matches!(count, 1 | 3) && self.width > 0 && self.height > 0;
        if !is_readable || self.width as u64 * self.height as u64 > MOST_TEXELS || !self.channels.is_empty() {
            return None;
        }
        self.is_progressive = is_progressive;
        for number in 0..usize::from(count) {
            let &[id, sampling, table] = segment.get(6 + 3 * number..9 + 3 * number)?.first_chunk()?;
            let blocks = [usize::from(sampling >> 4), usize::from(sampling & 15)];
            if !blocks.iter().all(|side| (1..=4).contains(side)) {
                return None;
            }
            let table = usize::from(table);
            self.channels.push(Channel { id, blocks, table, stride: 0, means: Vec::new() });
        }
        let units = self.units();
        for channel in &mut self.channels {
            channel.stride = units[0] * channel.blocks[0];
            channel.means = vec![0; channel.stride * units[1] * channel.blocks[1]];
        }
        Some(())
    }

    /// The largest number of blocks of a channel in a unit, across and down.
    fn most_blocks(&self) -> [usize; 2] {
        [0, 1].map(|axis| self.channels.iter().map(|channel| channel.blocks[axis]).max().unwrap_or(1))
    }

    /// Units of an interleaved scan, across and down.
    fn units(&self) -> [usize; 2] {
        let most = self.most_blocks();
        [self.width.div_ceil(8 * most[0]), self.height.div_ceil(8 * most[1])]
    }

    /// Reads the coefficients of a scan from the bytes that follow its segment, and returns how
    /// many bytes these are at least.
    fn read_scan(&mut self, segment: &[u8], bytes: &[u8]) -> Option<usize> {
        let count = usize::from(*segment.first()?);
        let &[first, _, approximation] = segment.get(1 + 2 * count..)?.first_chunk()?;
        if self.is_progressive && first != 0 {
            return Some(0);
        }
        let (is_refined, shift) = match self.is_progressive {
            true => (approximation >> 4 != 0, u32::from(approximation & 15).min(15)),
            false => (false, 0),
        };
        let mut scanned = Vec::new();
        for &[id, tables] in segment.get(1..1 + 2 * count)?.as_chunks().0 {
            let number = self.channels.iter().position(|channel| channel.id == id)?;
            scanned.push((number, usize::from(tables >> 4), usize::from(tables & 15)));
        }
        let most = self.most_blocks();
        let (units, is_interleaved) = match scanned[..] {
            [] => return None,
            // A scan of one channel has a block in each unit, and none beyond the picture.
            [(number, ..)] => {
                let blocks = self.channels[number].blocks;
                let across = (self.width * blocks[0]).div_ceil(8 * most[0]);
                ([across, (self.height * blocks[1]).div_ceil(8 * most[1])], false)
            }
            _ => (self.units(), true),
        };
        let mut bits = Bits::new(bytes);
        let mut before = vec![0; self.channels.len()];
        for unit in 0..units[0] * units[1] {
            if self.restart_interval > 0 && unit > 0 && unit % self.restart_interval == 0 {
                bits.restart();
                before.fill(0);
            }
            let [column, row] = [unit % units[0], unit / units[0]];
            for &(number, direct, alternating) in &scanned {
                let [across, down] = if is_interleaved { self.channels[number].blocks } else { [1, 1] };
                for block in 0..across * down {
                    let index =
                        (row * down + block / across) * self.channels[number].stride + column * across + block % across;
                    let mean = self.channels[number].means.get_mut(index)?;
                    if is_refined {
                        *mean |= (bits.take(1) as i32) << shift;
                        continue;
                    }
                    let size = u32::from(bits.symbol(self.huffman[0].get(direct)?)?);
                    before[number] = (before[number] + bits.signed(size)?).clamp(-0x8000, 0x7FFF);
                    *mean = before[number] << shift;
                    if !self.is_progressive {
                        bits.skip_alternating(self.huffman[1].get(alternating)?)?;
                    }
                }
            }
        }
        Some(bits.at)
    }

    fn picture(&self) -> Option<Picture> {
        let [width, height] = [self.width.div_ceil(8), self.height.div_ceil(8)];
        let most = self.most_blocks();
        let mean = |channel: &Channel, column: usize, row: usize| {
            let index = row * channel.blocks[1] / most[1] * channel.stride + column * channel.blocks[0] / most[0];
            let quantized = f64::from(*channel.means.get(index)?);
            Some(quantized * f64::from(*self.quantization.get(channel.table)?) / 8.0)
        };
        let is_plain_rgb = self.is_plain_rgb || self.channels.iter().map(|channel| channel.id).eq(*b"RGB");
        let mut texels = Vec::new();
        for (row, column) in (0..height).flat_map(|row| (0..width).map(move |column| (row, column))) {
            let values: Option<Vec<f64>> = self.channels.iter().map(|channel| mean(channel, column, row)).collect();
            let rgb = match values?[..] {
                [gray] => [gray; 3],
                [red, green, blue] if is_plain_rgb => [red, green, blue],
                // JFIF (ITU-T T.871), section 7.
                [y, cb, cr] => [y + 1.402 * cr, y - 0.344_136 * cb - 0.714_136 * cr, y + 1.772 * cb],
                _ => return None,
            };
            // The cast saturates.
            texels.push(rgb.map(|value| (value + 128.0).round() as u8));
        }
        Some(Picture { width, height, texels })
    }
}

/// A Huffman table.
#[derive(Clone, Default)]
struct Huffman {
    /// Codes of each length from 1 bit on.
    counts: Vec<u8>,
    /// Their values, from the shortest code to the longest.
    symbols: Vec<u8>,
}

/// Bits of a scan.
struct Bits<'a> {
    bytes: &'a [u8],
    /// Bytes that were read.
    at: usize,
    /// The last byte, and how many of its bits are left.
    byte: u8,
    left: u32,
}

impl<'a> Bits<'a> {
    fn new(bytes: &'a [u8]) -> Bits<'a> {
        Bits { bytes, at: 0, byte: 0, left: 0 }
    }

    /// The next bits as a number; zeros after the end.
    fn take(&mut self, count: u32) -> u32 {
        (0..count).fold(0, |number, _| number << 1 | self.bit())
    }

    fn bit(&mut self) -> u32 {
        if self.left == 0 {
            self.byte = match self.bytes.get(self.at..).unwrap_or(&[]) {
                // A zero after 0xFF means that it is not a marker.
                [0xFF, 0, ..] => {
                    self.at += 2;
                    0xFF
                }
                [0xFF, ..] | [] => 0,
                [byte, ..] => {
                    self.at += 1;
                    *byte
                }
            };
            self.left = 8;
        }
        self.left -= 1;
        u32::from(self.byte >> self.left & 1)
    }

    /// Continues after the next restart marker, if there is one.
    fn restart(&mut self) {
        self.left = 0;
        if let [0xFF, 0xD0..=0xD7, ..] = self.bytes.get(self.at..).unwrap_or(&[]) {
            self.at += 2;
        }
    }

    /// The next symbol (T.81, Figure F.16).
    fn symbol(&mut self, table: &Huffman) -> Option<u8> {
        let (mut code, mut first, mut before) = (0u32, 0u32, 0u32);
        for &count in &table.counts {
            code = code << 1 | self.bit();
            let count = u32::from(count);
            if code < first + count {
                return table.symbols.get((before + code.checked_sub(first)?) as usize).copied();
            }
            before += count;
            first = (first + count) << 1;
        }
        None
    }

    /// A difference of so many bits (T.81, Table F.1).
    fn signed(&mut self, size: u32) -> Option<i32> {
        if size > 11 {
            return None;
        }
        let number = self.take(size) as i32;
        let is_negative = size > 0 && number >> (size - 1) == 0;
        Some(if is_negative { number - (1 << size) + 1 } else { number })
    }

    /// Passes over the other 63 coefficients of a block (T.81, Figure F.13).
    fn skip_alternating(&mut self, table: &Huffman) -> Option<()> {
        let mut coefficient = 1;
        while coefficient < 64 {
            let symbol = self.symbol(table)?;
            let (zeros, size) = (symbol >> 4, symbol & 15);
            match (zeros, size) {
                (15, 0) => coefficient += 16,
                (_, 0) => return Some(()),
                _ => {
                    self.take(u32::from(size));
                    coefficient += 1 + u32::from(zeros);
                }
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bits of a scan as they are written.
    #[derive(Default)]
    struct Written {
        bits: Vec<bool>,
    }

    impl Written {
        fn number(&mut self, number: u32, count: u32) {
            self.bits.extend((0..count).rev().map(|bit| number >> bit & 1 == 1));
        }

        /// A difference of DC coefficients, with the table of [`file`]: a code of four bits, then
        /// the bits of T.81, Table F.1.
        fn difference(&mut self, difference: i32) {
            let size = 32 - difference.unsigned_abs().leading_zeros();
            self.number(size, 4);
            let number = if difference < 0 { difference + (1 << size) - 1 } else { difference };
            self.number(number as u32, size);
        }

        /// Filled up with ones, and with a zero after each 0xFF.
        fn bytes(mut self) -> Vec<u8> {
            self.bits.resize(self.bits.len().next_multiple_of(8), true);
            let byte = |bits: &[bool]| bits.iter().fold(0u8, |byte, &bit| byte << 1 | u8::from(bit));
            let escaped = |byte: u8| if byte == 0xFF { vec![byte, 0] } else { vec![byte] };
            self.bits.chunks(8).map(byte).flat_map(escaped).collect()
        }
    }

    fn segment(marker: u8, bytes: &[u8]) -> Vec<u8> {
        [&[0xFF, marker], &(bytes.len() as u16 + 2).to_be_bytes()[..], bytes].concat()
    }

    /// A picture of 32 × 16 texels in two units with colours at half of the size: luminance and
    /// colour differences of each unit. A restart lies between.
    fn file(units: [[i32; 3]; 2], is_progressive: bool) -> Vec<u8> {
        let scan = |spectrum: [u8; 3], write: &dyn Fn(&mut Written, usize, usize, bool)| {
            let tables = if is_progressive { 0x00 } else { 0x01 };
            let mut bytes = segment(SCAN, &[&[3, 1, tables, 2, tables, 3, tables], &spectrum[..]].concat());
            for unit in 0..2 {
                let mut written = Written::default();
                for (channel, block) in [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (2, 0)] {
                    write(&mut written, unit, channel, block == 0);
                }
                bytes.extend(written.bytes());
                bytes.extend([&[0xFF, 0xD0][..], &[][..]][unit]);
            }
            bytes
        };
        let start = |written: &mut Written, unit: usize, channel: usize, is_first: bool| {
            let shift = i32::from(is_progressive);
            written.difference(if is_first { units[unit][channel] >> shift } else { 0 });
            if !is_progressive {
                // One more coefficient of one bit, then the end of the block.
                written.number(0b10, 2);
                written.number(1, 1);
                written.number(0, 1);
            }
        };
        let refine = |written: &mut Written, unit: usize, channel: usize, _: bool| {
            written.number((units[unit][channel] & 1) as u32, 1);
        };
        let direct = [&[0x00, 0, 0, 0, 12][..], &[0; 12][..], &(0..12).collect::<Vec<u8>>()[..]].concat();
        let alternating = [&[0x11, 1, 1][..], &[0; 14][..], &[0x00, 0x01][..]].concat();
        let frame = [8, 0, 16, 0, 32, 3, 1, 0x22, 0, 2, 0x11, 0, 3, 0x11, 0];
        let mut file = vec![0xFF, 0xD8];
        // All coefficients are divided by 8, so that DC coefficients are means.
        file.extend(segment(QUANTIZATION_TABLES, &[&[0][..], &[8; 64][..]].concat()));
        file.extend(segment(if is_progressive { PROGRESSIVE } else { SEQUENTIAL[0] }, &frame));
        file.extend(segment(HUFFMAN_TABLES, &[direct, alternating].concat()));
        file.extend(segment(RESTART_INTERVAL, &[0, 1]));
        if is_progressive {
            file.extend(scan([0, 0, 0x01], &start));
            file.extend(scan([0, 0, 0x10], &refine));
        } else {
            file.extend(scan([0, 63, 0], &start));
        }
        file.extend([0xFF, END]);
        file
    }

    #[test]
    fn means_of_blocks_are_read_from_sequential_and_progressive_files() {
        // Grey, and the red of the screen.
        let units = [[-28, 0, 0], [-52, -43, 127]];
        for is_progressive in [false, true] {
            let picture = reduced(&file(units, is_progressive)).expect("a picture");
            assert_eq!((picture.width, picture.height), (4, 2));
            for (index, texel) in picture.texels.iter().enumerate() {
                let expected = if index % 4 < 2 { [100; 3] } else { [254, 0, 0] };
                assert_eq!(*texel, expected, "{is_progressive} {index}");
            }
        }
    }

    #[test]
    fn damaged_files_give_no_picture_and_no_panic() {
        let whole = file([[-28, 0, 0], [-52, -43, 127]], false);
        for length in 0..whole.len() - 2 {
            assert!(reduced(&whole[..length]).is_none(), "{length}");
        }
        for index in 2..whole.len() {
            for value in [0x00, 0x7F, 0xFF] {
                let mut damaged = whole.clone();
                damaged[index] = value;
                let _ = reduced(&damaged);
            }
        }
    }
}
