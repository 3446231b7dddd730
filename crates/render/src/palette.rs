//! A palette of 255 colours for a sequence: median cut, and ordered dithering.

use crate::image::Image;

/// Bits per channel of the histogram and of the table of nearest entries.
const BITS_PER_CHANNEL: u32 = 6;
const CELLS_PER_CHANNEL: usize = 1 << BITS_PER_CHANNEL;
/// Weights of squared differences of red, green and blue, approximating perception.
const CHANNEL_WEIGHTS: [i64; 3] = [3, 6, 1];
/// Colours mixed per pixel.
const MIXTURE_SIZE: usize = 16;
/// Bayer matrix: thresholds of a 4 × 4 tile (B. Bayer 1973).
const BAYER: [[usize; 4]; 4] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];

/// A palette with the nearest entry for each cell of colour space.
pub(crate) struct Palette {
    /// At most 255 colours.
    pub colors: Vec<[u8; 3]>,
    nearest: Vec<u8>,
}

/// Pixels in one cell of the histogram.
#[derive(Clone, Copy, Default)]
struct Cell {
    count: u64,
    sum: [u64; 3],
}

impl Cell {
    fn mean(&self) -> [f64; 3] {
        self.sum.map(|sum| sum as f64 / self.count.max(1) as f64)
    }

    /// Sublinear, so that large even areas leave entries for small colourful ones.
    fn weight(&self) -> f64 {
        (self.count as f64).powf(0.6)
    }
}

impl Palette {
    /// Palette for several pictures (P. Heckbert, *Color image quantization*, 1982; boxes are split
    /// where the variance is largest).
    pub fn of(images: &[Image]) -> Palette {
        let mut histogram = vec![Cell::default(); CELLS_PER_CHANNEL * CELLS_PER_CHANNEL * CELLS_PER_CHANNEL];
        for pixel in images.iter().flat_map(|image| image.rgb8.chunks_exact(3)) {
            let cell = &mut histogram[cell_of([pixel[0], pixel[1], pixel[2]])];
            cell.count += 1;
            for channel in 0..3 {
                cell.sum[channel] += u64::from(pixel[channel]);
            }
        }
        let cells: Vec<Cell> = histogram.into_iter().filter(|cell| cell.count > 0).collect();
        let mut boxes = vec![cells];
        while boxes.len() < 255 {
            let spreads = boxes.iter().map(|cells| widest(cells));
            let Some((index, (axis, spread))) = spreads.enumerate().max_by(|a, b| a.1.1.total_cmp(&b.1.1)) else {
                break;
            };
            if spread <= 0.0 {
                break;
            }
            let mut low = boxes.swap_remove(index);
            low.sort_by(|a, b| a.mean()[axis].total_cmp(&b.mean()[axis]));
            let half = 0.5 * low.iter().map(Cell::weight).sum::<f64>();
            let mut sum = 0.0;
            let middle = low.iter().position(|cell| {
                sum += cell.weight();
                sum >= half
            });
            let high = low.split_off((middle.unwrap_or(0) + 1).min(low.len() - 1));
            boxes.extend([low, high]);
        }
        let colors: Vec<[u8; 3]> = boxes.iter().map(|cells| mean_color(cells)).collect();
        let nearest = nearest_table(&colors);
        Palette { colors, nearest }
    }

    /// Entry for a colour at a pixel: over a 4 × 4 tile the entries average to the colour (T.
    /// Knoll's pattern dithering, US patent 6606166, expired 2019).
    pub fn dithered(&self, rgb: [u8; 3], column: usize, row: usize) -> u8 {
        let wanted = rgb.map(i32::from);
        let mut error = [0i32; 3];
        let mut mixture = [0u8; MIXTURE_SIZE];
        for entry in &mut mixture {
            let target = std::array::from_fn(|k| (wanted[k] + error[k] / 2).clamp(0, 255) as u8);
            *entry = self.nearest[cell_of(target)];
            let color = self.colors[*entry as usize];
            for channel in 0..3 {
                error[channel] += wanted[channel] - i32::from(color[channel]);
            }
        }
        mixture.sort_by_key(|&entry| {
            let color = self.colors[entry as usize];
            (2126 * u32::from(color[0]) + 7152 * u32::from(color[1]) + 722 * u32::from(color[2]), entry)
        });
        mixture[BAYER[row % 4][column % 4]]
    }
}

fn cell_of(rgb: [u8; 3]) -> usize {
    let [r, g, b] = rgb.map(|channel| usize::from(channel >> (8 - BITS_PER_CHANNEL)));
    (r * CELLS_PER_CHANNEL + g) * CELLS_PER_CHANNEL + b
}

/// Axis of largest variance of some cells, and the variance.
fn widest(cells: &[Cell]) -> (usize, f64) {
    let (mut weight, mut sum, mut square) = (0.0, [0.0; 3], [0.0; 3]);
    for cell in cells {
        let (w, mean) = (cell.weight(), cell.mean());
        weight += w;
        for axis in 0..3 {
            sum[axis] += w * mean[axis];
            square[axis] += w * mean[axis] * mean[axis];
        }
    }
    if cells.len() < 2 {
        return (0, 0.0);
    }
    let variance =
        |axis: usize| CHANNEL_WEIGHTS[axis] as f64 * (square[axis] - sum[axis] * sum[axis] / weight).max(0.0);
    (0..3).map(|axis| (axis, variance(axis))).max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 0.0))
}

fn mean_color(cells: &[Cell]) -> [u8; 3] {
    let count: u64 = cells.iter().map(|cell| cell.count).sum();
    std::array::from_fn(|channel| {
        let sum: u64 = cells.iter().map(|cell| cell.sum[channel]).sum();
        ((sum + count / 2) / count.max(1)) as u8
    })
}

/// Nearest palette entry to the centre of each cell.
fn nearest_table(colors: &[[u8; 3]]) -> Vec<u8> {
    use rayon::prelude::*;
    let shift = 8 - BITS_PER_CHANNEL;
    (0..CELLS_PER_CHANNEL * CELLS_PER_CHANNEL * CELLS_PER_CHANNEL)
        .into_par_iter()
        .with_min_len(4096)
        .map(|cell| {
            let middle = [
                cell / CELLS_PER_CHANNEL / CELLS_PER_CHANNEL,
                cell / CELLS_PER_CHANNEL % CELLS_PER_CHANNEL,
                cell % CELLS_PER_CHANNEL,
            ]
            .map(|index| ((index << shift) + (1 << (shift - 1))) as i64);
            let distance = |color: &[u8; 3]| -> i64 {
                (0..3).map(|k| CHANNEL_WEIGHTS[k] * (middle[k] - i64::from(color[k])).pow(2)).sum()
            };
            let best = colors.iter().enumerate().min_by_key(|(index, color)| (distance(color), *index));
            best.map_or(0, |(index, _)| index as u8)
        })
        .collect()
}
