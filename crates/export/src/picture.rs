//! Pictures of a model's materials, read for their colours.

use std::io::Cursor;

use craze_material::color::linear_from_rgb8;
use craze_math::Vec3;

use crate::jpeg;
use crate::shards::PaintPicture;

/// Texels at most of a picture that is read: 16,384 × 16,384.
pub(crate) const MOST_TEXELS: u64 = 1 << 28;

/// A picture, from left to right and from top to bottom.
pub(crate) struct Picture {
    pub width: usize,
    pub height: usize,
    /// Red, green and blue of the screen (sRGB).
    pub texels: Vec<[u8; 3]>,
}

impl Picture {
    /// A PNG file, or a JPEG file with a texel for every 8 × 8 of its own; `None` if it cannot be
    /// read.
    pub fn read(picture: &PaintPicture) -> Option<Picture> {
        match picture.media_type {
            "image/png" => png(&picture.bytes),
            "image/jpeg" => jpeg::reduced(&picture.bytes),
            _ => None,
        }
    }

    /// Light of the texel at texture coordinates, (0, 0) at the lower left; the picture repeats
    /// beyond 0 to 1.
    pub fn light_at(&self, [across, up]: [f64; 2]) -> Vec3 {
        // The cast takes what is not a number to 0.
        let texel =
            |share: f64, count: usize| ((share.rem_euclid(1.0) * count as f64) as usize).min(count.saturating_sub(1));
        let (column, row) = (texel(across, self.width), texel(1.0 - up, self.height));
        self.texels.get(row * self.width + column).map_or_else(Vec3::zeros, |&texel| linear_from_rgb8(texel))
    }
}

fn png(bytes: &[u8]) -> Option<Picture> {
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().ok()?;
    let (width, height) = (reader.info().width, reader.info().height);
    if u64::from(width) * u64::from(height) > MOST_TEXELS {
        return None;
    }
    let mut bytes = vec![0; reader.output_buffer_size()?];
    let shape = reader.next_frame(&mut bytes).ok()?;
    let texel = |channels: &[u8]| match *channels {
        [red, green, blue, ..] => [red, green, blue],
        [gray, ..] => [gray; 3],
        [] => [0; 3],
    };
    let texels = bytes.get(..shape.buffer_size())?.chunks_exact(shape.color_type.samples()).map(texel).collect();
    Some(Picture { width: width as usize, height: height as usize, texels })
}
