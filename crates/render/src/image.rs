//! A picture in memory, and PNG files.

use std::io;
use std::path::Path;

use crate::error::RenderError;
use crate::file::write_atomically;

/// A picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Width (pixels).
    pub width: u32,
    /// Height (pixels).
    pub height: u32,
    /// sRGB bytes per pixel, rows from top to bottom, pixels from left to right.
    pub rgb8: Vec<u8>,
    /// Number of triangles and particles left out: coordinates not finite, indices out of range, or
    /// no area.
    pub undrawable: usize,
}

impl Image {
    /// Colour of a pixel, column from the left and row from the top; `None` outside.
    pub fn pixel(&self, column: u32, row: u32) -> Option<[u8; 3]> {
        if column >= self.width || row >= self.height {
            return None;
        }
        let start = 3 * (row as usize * self.width as usize + column as usize);
        self.rgb8.get(start..start + 3).map(|rgb| [rgb[0], rgb[1], rgb[2]])
    }

    /// Writes a PNG file atomically.
    pub fn write_png(&self, path: impl AsRef<Path>) -> Result<(), RenderError> {
        write_atomically(path.as_ref(), |writer| {
            let mut encoder = png::Encoder::new(writer, self.width, self.height);
            encoder.set_color(png::ColorType::Rgb);
            encoder.set_depth(png::BitDepth::Eight);
            encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
            let mut writer = encoder.write_header().map_err(io::Error::other)?;
            writer.write_image_data(&self.rgb8).map_err(io::Error::other)?;
            writer.finish().map_err(io::Error::other)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::BufReader;

    fn checkers() -> Image {
        let rgb8 = (0..6 * 4).flat_map(|i| if (i / 6 + i % 6) % 2 == 0 { [255, 0, 9] } else { [0, 80, 0] }).collect();
        Image { width: 6, height: 4, rgb8, undrawable: 0 }
    }

    #[test]
    fn png_file_holds_the_same_pixels_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        checkers().write_png(&path).unwrap();
        let mut reader = png::Decoder::new(BufReader::new(File::open(&path).unwrap())).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        assert_eq!(pixels, checkers().rgb8);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn unwritable_place_is_named_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("missing").join("a.png");
        let message = checkers().write_png(&path).unwrap_err().to_string();
        assert!(message.contains("a.png"), "{message}");
        let broken = Image { rgb8: vec![0; 5], ..checkers() };
        assert!(broken.write_png(folder.path().join("b.png")).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(checkers().write_png("/").is_err());
    }
}
