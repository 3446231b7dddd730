//! Animated GIFs.

use std::io;
use std::path::Path;

use gif::{DisposalMethod, Encoder, Frame, Repeat};

use crate::error::RenderError;
use crate::file::write_atomically;
use crate::image::Image;
use crate::palette::Palette;

/// Transparent palette entry: unchanged pixels.
const TRANSPARENT: u8 = 255;

/// Writes pictures of equal size as a looping GIF, `seconds` per picture (rounded to 0.01 s).
///
/// All pictures share a palette, and dithering depends on the position only, so that unchanged
/// parts do not flicker; of each picture only the changes are stored. The file is written
/// atomically.
pub fn write_gif(path: impl AsRef<Path>, images: &[Image], seconds: f64) -> Result<(), RenderError> {
    let path = path.as_ref();
    let first = images.first().ok_or_else(|| RenderError::NoImages { path: path.to_owned() })?;
    let sizes = || (u16::try_from(first.width).ok(), u16::try_from(first.height).ok());
    let wrong = |image: &Image| {
        let pixels = image.width as usize * image.height as usize;
        (image.width, image.height) != (first.width, first.height) || image.rgb8.len() != 3 * pixels || pixels == 0
    };
    let odd = images.iter().position(wrong);
    let (index, (Some(width), Some(height))) = (odd.unwrap_or(0), sizes()) else {
        return Err(size_error(path, 0, first));
    };
    if odd.is_some() {
        return Err(size_error(path, index, &images[index]));
    }
    let hundredths = (100.0 * seconds).round();
    if !(1.0..=65_535.0).contains(&hundredths) {
        return Err(RenderError::Delay { path: path.to_owned(), seconds });
    }
    let palette = Palette::of(images);
    let mut colors: Vec<u8> = palette.colors.iter().flatten().copied().collect();
    colors.resize(3 * 256, 0);
    write_atomically(path, |writer| {
        let mut encoder = Encoder::new(writer, width, height, &colors).map_err(io::Error::other)?;
        encoder.set_repeat(Repeat::Infinite).map_err(io::Error::other)?;
        let mut shown: Option<Vec<u8>> = None;
        for image in images {
            let entries = dither(image, &palette);
            let mut frame = difference(&entries, shown.as_deref(), usize::from(width));
            frame.delay = hundredths as u16;
            frame.dispose = DisposalMethod::Keep;
            encoder.write_frame(&frame).map_err(io::Error::other)?;
            shown = Some(entries);
        }
        Ok(())
    })
}

fn size_error(path: &Path, index: usize, image: &Image) -> RenderError {
    RenderError::ImageSize { path: path.to_owned(), index, width: image.width, height: image.height }
}

fn dither(image: &Image, palette: &Palette) -> Vec<u8> {
    use rayon::prelude::*;
    let width = image.width as usize;
    let rows: Vec<Vec<u8>> = image
        .rgb8
        .par_chunks_exact(3 * width)
        .enumerate()
        .map(|(row, pixels)| {
            let pixels = pixels.chunks_exact(3).enumerate();
            pixels.map(|(column, rgb)| palette.dithered([rgb[0], rgb[1], rgb[2]], column, row)).collect()
        })
        .collect();
    rows.concat()
}

/// The bounding rectangle of all changes; unchanged pixels in it are transparent.
fn difference(entries: &[u8], before: Option<&[u8]>, width: usize) -> Frame<'static> {
    let changed = |index: usize| before.is_none_or(|before| before[index] != entries[index]);
    let (mut left, mut right, mut top, mut bottom) = (width, 0, usize::MAX, 0);
    for index in (0..entries.len()).filter(|&index| changed(index)) {
        let (column, row) = (index % width, index / width);
        (left, right) = (left.min(column), right.max(column));
        (top, bottom) = (top.min(row), bottom.max(row));
    }
    if top == usize::MAX {
        // Without changes one transparent pixel keeps the timing.
        (left, right, top, bottom) = (0, 0, 0, 0);
    }
    let mut buffer = Vec::with_capacity((right + 1 - left) * (bottom + 1 - top));
    for row in top..=bottom {
        let indices = row * width + left..=row * width + right;
        buffer.extend(indices.map(|index| if changed(index) { entries[index] } else { TRANSPARENT }));
    }
    Frame {
        left: left as u16,
        top: top as u16,
        width: (right + 1 - left) as u16,
        height: (bottom + 1 - top) as u16,
        transparent: Some(TRANSPARENT),
        buffer: buffer.into(),
        ..Frame::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    /// A soft gradient with a moving red square.
    fn picture(step: u32) -> Image {
        let (width, height) = (64, 40);
        let rgb8 = (0..width * height)
            .flat_map(|index| {
                let (x, y) = (index % width, index / width);
                let inside = (10 + step..20 + step).contains(&x) && (10..20).contains(&y);
                if inside { [200, 40, 30] } else { [180 + x as u8, 190 + (x / 2) as u8, 200 + y as u8] }
            })
            .collect();
        Image { width, height, rgb8, undrawable: 0 }
    }

    fn decode(path: &Path) -> (Vec<Vec<u8>>, gif::Repeat) {
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(File::open(path).unwrap()).unwrap();
        let width = usize::from(decoder.width());
        let mut screen = vec![0u8; 4 * width * usize::from(decoder.height())];
        let mut screens = Vec::new();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            assert_eq!(frame.delay, 4);
            for (index, rgba) in frame.buffer.chunks_exact(4).enumerate().filter(|(_, rgba)| rgba[3] > 0) {
                let (x, y) = (index % usize::from(frame.width), index / usize::from(frame.width));
                let index = (y + usize::from(frame.top)) * width + x + usize::from(frame.left);
                screen[4 * index..4 * index + 4].copy_from_slice(rgba);
            }
            screens.push(screen.clone());
        }
        (screens, decoder.repeat())
    }

    #[test]
    fn decoded_pictures_are_close_to_the_originals() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.gif");
        let images = [picture(0), picture(7), picture(7)];
        write_gif(&path, &images, 0.04).unwrap();
        let (screens, repeat) = decode(&path);
        assert_eq!(screens.len(), 3);
        assert_eq!(repeat, gif::Repeat::Infinite);
        for (screen, image) in screens.iter().zip(&images) {
            let mut sum = 0.0;
            for (shown, wanted) in screen.chunks_exact(4).zip(image.rgb8.chunks_exact(3)) {
                for channel in 0..3 {
                    let error = f64::from(shown[channel]) - f64::from(wanted[channel]);
                    assert!(error.abs() < 30.0);
                    sum += error;
                }
            }
            assert!((sum / image.rgb8.len() as f64).abs() < 1.0, "dithering keeps the mean");
        }
    }

    #[test]
    fn wrong_sequences_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.gif");
        let narrow = Image { width: 1, height: 1, rgb8: vec![0; 3], undrawable: 0 };
        assert!(matches!(write_gif(&path, &[], 0.1), Err(RenderError::NoImages { .. })));
        let mixed = write_gif(&path, &[picture(0), narrow], 0.1);
        assert!(matches!(mixed, Err(RenderError::ImageSize { index: 1, .. })));
        assert!(matches!(write_gif(&path, &[picture(0)], f64::NAN), Err(RenderError::Delay { .. })));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
