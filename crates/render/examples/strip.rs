//! Joins pictures of equal height side by side:
//! `cargo run --release -p craze-render --example strip OUT.png IN.png...`.

use std::error::Error;
use std::fs::File;
use std::io::{BufReader, BufWriter};

struct Picture {
    width: usize,
    height: usize,
    /// Three bytes per pixel, row by row.
    pixels: Vec<u8>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let target = arguments.next().ok_or("usage: strip OUT.png IN.png...")?;
    let pictures = arguments.map(|path| read(&path)).collect::<Result<Vec<_>, _>>()?;
    let height = pictures.first().ok_or("no picture given")?.height;
    if pictures.iter().any(|picture| picture.height != height) {
        return Err("the pictures have different heights".into());
    }
    let rows = (0..height).flat_map(|row| {
        pictures.iter().map(move |picture| &picture.pixels[3 * row * picture.width..3 * (row + 1) * picture.width])
    });
    let pixels = rows.collect::<Vec<_>>().concat();
    let width: usize = pictures.iter().map(|picture| picture.width).sum();
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(target)?), width.try_into()?, height.try_into()?);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    encoder.write_header()?.write_image_data(&pixels)?;
    Ok(())
}

fn read(path: &str) -> Result<Picture, Box<dyn Error>> {
    let mut reader = png::Decoder::new(BufReader::new(File::open(path)?)).read_info()?;
    let mut pixels = vec![0; reader.output_buffer_size().ok_or("too large")?];
    let info = reader.next_frame(&mut pixels)?;
    if (info.color_type, info.bit_depth) != (png::ColorType::Rgb, png::BitDepth::Eight) {
        return Err(format!("{path}: not a picture of 8-bit RGB").into());
    }
    Ok(Picture { width: info.width as usize, height: info.height as usize, pixels })
}
